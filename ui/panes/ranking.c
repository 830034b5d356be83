/* Which path hears of heads first; see ranking.h. */
#include "ui/panes/ranking.h"

#include <string.h>

#include "base/time.h"

bool path_answers(const struct path *p)
{
	return p->state == LINK_LIVE || p->state == LINK_POLLING || p->state == LINK_SILENT;
}

static bool ranked(const struct path *p)
{
	return path_answers(p) && p->push && !p->other_chain && p->raced >= RANK_HEADS && p->behind_p50 != UNKNOWN;
}

bool ranking_same(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < NS_MS / 10;
}

void ranking_make(struct ranking *r, const struct model *m)
{
	unsigned n = 0;

	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < m->n_paths; i++) {
		unsigned k = n;

		if (!ranked(m->paths[i]))
			continue;
		for (; k > 0 && m->paths[r->row[k - 1]]->behind_p50 > m->paths[i]->behind_p50; k--)
			r->row[k] = r->row[k - 1];
		r->row[k] = (uint8_t)i;
		n++;
	}
	r->ranked = n;
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (!ranked(m->paths[i]))
			r->row[n++] = (uint8_t)i;
	}
	for (unsigned k = 0; k < r->ranked; k++) {
		unsigned at = r->row[k], before = k > 0 ? r->row[k - 1] : 0;
		bool same = k > 0 && ranking_same(m->paths[before]->behind_p50, m->paths[at]->behind_p50);

		r->rank[at] = same ? r->rank[before] : (uint8_t)(k + 1);
		if (same)
			r->tied[at] = r->tied[before] = true;
	}
}

uint64_t ranking_heads(const struct model *m)
{
	uint64_t heads = 0;

	for (unsigned i = 0; i < m->n_paths; i++) {
		if (!m->paths[i]->other_chain && m->paths[i]->heads > heads)
			heads = m->paths[i]->heads;
	}
	return heads;
}
