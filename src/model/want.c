#include "model/want.h"

#include "model/chain.h"

enum {
	DEEP = 64, /* heads below the newest that are looked at */
	ORPHANS = 16,
	ASKS_MAX = 6,
};

#define BODY_LATE_NS (2 * NS_S)
#define AGAIN_NS (5 * NS_S)

struct list {
	struct want *out;
	unsigned n, max;
};

static bool usable_path(const struct model *m, const struct chain *c, unsigned i)
{
	const struct path *p = m->paths[i];

	return p->chain >= 0 && m->chains[p->chain] == c && link_up(p->state);
}

/* The path that announced it first, then the others in turn; last those that said they do not have it. */
static int pick_path(const struct model *m, const struct chain *c, uint64_t told, uint64_t missed, unsigned first,
		     unsigned turn)
{
	int best = -1;
	unsigned rank, best_rank = 0;

	for (unsigned k = 0; k < m->n_paths; k++) {
		unsigned i = (first + turn + k) % m->n_paths;

		if (!usable_path(m, c, i))
			continue;
		rank = 1 + 2 * !(missed & bit(i)) + !!(told & bit(i));
		if (rank > best_rank) {
			best_rank = rank;
			best = (int)i;
		}
	}
	return best;
}

/* Whose head stands on n: what nobody announced they have all the same, and a node on another branch has not. */
static uint64_t holders(const struct model *m, const struct chain *c, const struct node *n)
{
	uint64_t paths = 0;

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct claim *claim = &m->paths[i]->priv->claim;
		const struct node *at = claim->set && usable_path(m, c, i) ? chain_node(c, &claim->hash) : NULL;

		for (unsigned k = 0; at && at->b.h.number > n->b.h.number && k < 2 * DEEP; k++)
			at = chain_parent(c, at);
		if (at == n)
			paths |= bit(i);
	}
	return paths;
}

static bool due(const struct model *m, uint64_t asked)
{
	return asked == UNKNOWN || sub_sat(m->now_mono, asked) >= AGAIN_NS;
}

static void want_block(const struct model *m, const struct chain *c, struct list *l, struct node *n,
		       const struct hash *h, uint64_t number)
{
	unsigned first = n->b.first_path < m->n_paths ? n->b.first_path : 0;
	int path;

	if (l->n == l->max || n->asks >= ASKS_MAX || !due(m, n->asked_mono))
		return;
	path = pick_path(m, c, n->told_by ? n->told_by : holders(m, c, n), n->missed_by, first, n->asks);
	if (path < 0)
		return;
	n->asked_mono = m->now_mono;
	n->asks++;
	l->out[l->n++] = (struct want){ .path = (unsigned)path, .kind = CMD_BODY, .number = number, .hash = *h };
}

static bool body_due(const struct model *m, const struct node *n)
{
	if (!n->b.body_seen)
		return sub_sat(m->now_mono, n->known_mono) > BODY_LATE_NS;
	return n->no_n == 1 && !n->yes_n; /* a difference counts only if a second fetch repeats it */
}

static void chain_wants(const struct model *m, struct chain *c, struct list *l)
{
	const struct nodeset *rows = &c->store->rows;
	unsigned orphans = 0, seen = 0;
	struct node *n, *hole = NULL;

	for (unsigned i = rows->n; i-- > 0 && seen < DEEP;) {
		n = rows->v[i];
		if (n->b.state != BLK_CANON) {
			if (orphans++ < ORPHANS && body_due(m, n))
				want_block(m, c, l, n, &n->b.h.hash, n->b.h.number);
			continue;
		}
		seen++;
		/* Below the last block there is always nothing: a hole has a chain on both sides. */
		if (hole)
			want_block(m, c, l, hole, &hole->b.h.parent, hole->b.h.number - 1);
		hole = n->b.gap_before && !n->prov ? n : NULL;
		if (body_due(m, n))
			want_block(m, c, l, n, &n->b.h.hash, n->b.h.number);
	}
}

static bool others_advanced(const struct model *m, unsigned path)
{
	const struct path *p = m->paths[path];

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *o = m->paths[i];

		if (i == path || o->chain != p->chain || !o->has_head || !link_up(o->state))
			continue;
		if (p->has_head ? o->head_number >= add_sat(p->head_number, 2) && o->head_mono > p->head_mono :
				  o->heads >= 2 && o->head_mono > p->state_since)
			return true;
	}
	return false;
}

static void silent_wants(struct model *m, struct list *l)
{
	for (unsigned i = 0; i < m->n_paths && l->n < l->max; i++) {
		struct path *p = m->paths[i];
		uint64_t t, since;

		if (!p->push || p->chain < 0 || p->state != LINK_LIVE)
			continue;
		t = chain_t_ns(m->chains[p->chain], 0);
		t = t > NS_S ? add_sat(t, add_sat(t, t)) : 3 * NS_S;
		since = p->has_head && p->head_mono > p->state_since ? p->head_mono : p->state_since;
		if (sub_sat(m->now_mono, since) <= t || !others_advanced(m, i))
			continue;
		if (p->priv->resub_mono != UNKNOWN &&
		    sub_sat(m->now_mono, p->priv->resub_mono) < (t > AGAIN_NS ? t : AGAIN_NS))
			continue;
		p->priv->resub_mono = m->now_mono;
		l->out[l->n++] = (struct want){ .path = i, .kind = CMD_RESUBSCRIBE, .number = p->head_number };
	}
}

bool model_want_body(const struct model *m, const struct hash *h, unsigned turn, struct want *out)
{
	for (unsigned i = 0; i < m->n_chains; i++) {
		const struct node *n = chain_node(m->chains[i], h);
		unsigned first;
		int path;

		if (!n)
			continue;
		first = n->b.first_path < m->n_paths ? n->b.first_path : 0;
		path = pick_path(m, m->chains[i], n->told_by, n->missed_by, first, turn);
		if (path < 0)
			continue;
		*out = (struct want){ .path = (unsigned)path, .kind = CMD_BODY, .number = n->b.h.number, .hash = *h };
		return true;
	}
	return false;
}

unsigned model_wants(struct model *m, struct want *out, unsigned max)
{
	struct list l = { .out = out, .max = max };

	silent_wants(m, &l);
	for (unsigned i = 0; i < m->n_chains; i++)
		chain_wants(m, m->chains[i], &l);
	return l.n;
}
