/* Pages over the view; see pages.h. */
#include "ui/pages.h"

#include "base/time.h"

#define AGAIN_NS (5 * NS_S)

static void drop_body(struct pages *p)
{
	block_unref(p->body);
	p->body = NULL;
	p->asks = 0;
}

void pages_fini(struct pages *p)
{
	drop_body(p);
	p->n = 0;
}

const struct target *pages_top(const struct pages *p)
{
	return p->n ? &p->at[p->n - 1] : NULL;
}

void pages_open(struct pages *p, const struct target *to)
{
	const struct target *top = pages_top(p);

	if (!top || !hash_eq(&top->block, &to->block))
		drop_body(p);
	if (!top || (strcmp(top->page, to->page) != 0 && p->n < PAGES_MAX))
		p->n++;
	p->at[p->n - 1] = *to;
}

void pages_back(struct pages *p)
{
	struct hash was;

	if (!p->n)
		return;
	was = p->at[--p->n].block;
	if (!p->n || !hash_eq(&p->at[p->n - 1].block, &was))
		drop_body(p);
}

void pages_close(struct pages *p)
{
	while (p->n)
		pages_back(p);
}

static struct block *find(const struct model *m, const struct hash *h)
{
	for (unsigned i = 0; m && i < m->n_chains; i++) {
		const struct blk *b = chain_by_hash(m->chains[i], h);

		if (b && b->body)
			return b->body;
	}
	return NULL;
}

/* Pages of a path have no block. */
static bool has_block(const struct pages *p)
{
	return p->n && !hash_is_zero(&pages_top(p)->block);
}

bool pages_look(struct pages *p, const struct model *shown, const struct model *live)
{
	struct block *b;

	if (!has_block(p) || p->body)
		return false;
	b = find(shown, &pages_top(p)->block);
	if (!b)
		b = find(live, &pages_top(p)->block);
	if (b)
		p->body = block_ref(b);
	return b;
}

bool pages_want(struct pages *p, const struct model *live, struct want *out)
{
	if (!has_block(p) || p->body || p->asks == PAGES_ASKS)
		return false;
	if (p->asks && live->now_mono < p->asked_mono + AGAIN_NS)
		return false;
	if (!model_want_body(live, &pages_top(p)->block, p->asks, out))
		return false;
	p->asks++;
	p->asked_mono = live->now_mono;
	return true;
}
