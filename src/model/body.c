#include "model/body.h"

#include <stdio.h>

#include "base/utf8.h"
#include "model/chain.h"
#include "model/race.h"
#include "model/txs.h"

/* ---- truth ---- */

/*
 * Counted, so that the order of the answers does not matter. One body that hashes to what it should proves the block; a
 * difference is shown as such only if a second answer repeats it and this chain has verified before: else it may be
 * ours (a fork that this version does not know).
 */
static enum truth part_truth(const struct chain *c, const uint8_t count[TRUTH_NO + 1])
{
	if (count[TRUTH_YES])
		return TRUTH_YES;
	if (count[TRUTH_NO] >= 2 && c->verified_once)
		return TRUTH_NO;
	return count[TRUTH_NO] || count[TRUTH_UNKNOWN] ? TRUTH_UNKNOWN : TRUTH_NONE;
}

static void truth_update(const struct chain *c, struct node *n)
{
	struct blk *b = &n->b;

	for (unsigned i = 0; i < PART_N; i++)
		b->part[i] = part_truth(c, n->part_n[i]);

	b->truth_why[0] = '\0';
	if (n->yes_n) {
		b->truth = TRUTH_YES;
	} else if (n->no_n >= 2 && c->verified_once) {
		b->truth = TRUTH_NO;
		snprintf(b->truth_why, sizeof(b->truth_why), "%s", n->no_field);
	} else if (n->no_n >= 2) {
		b->truth = TRUTH_UNKNOWN;
		snprintf(b->truth_why, sizeof(b->truth_why), "%.31s differs, nothing verified yet", n->no_field);
	} else if (n->no_n) {
		b->truth = TRUTH_UNKNOWN;
		snprintf(b->truth_why, sizeof(b->truth_why), "%.31s differs, asked again", n->no_field);
	} else if (n->unknown_n) {
		b->truth = TRUTH_UNKNOWN;
		snprintf(b->truth_why, sizeof(b->truth_why), "%s", n->unknown_why);
	} else {
		b->truth = TRUTH_NONE;
	}
}

static void bump(uint8_t *n)
{
	if (*n < UINT8_MAX)
		(*n)++;
}

/* The smaller text of several, so that it does not depend on their order. */
static void keep_text(char *to, size_t size, const char *from, size_t most, bool first)
{
	char clean[64];

	utf8_clean(clean, sizeof(clean) < size ? sizeof(clean) : size, from, strnlen(from, most));
	if (first || strcmp(clean, to) < 0)
		snprintf(to, size, "%s", clean);
}

static void verified(struct chain *c)
{
	struct nodeset *set[2] = { &c->store->rows, &c->store->hidden };

	if (c->verified_once)
		return;
	c->verified_once = true;
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < set[k]->n; i++)
			if (set[k]->v[i]->no_n)
				truth_update(c, set[k]->v[i]);
}

static void part_count(struct node *n, enum blk_part part, enum truth t)
{
	if ((unsigned)t <= TRUTH_NO)
		bump(&n->part_n[part][t]);
}

void body_verdict(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	const struct verdict *v = &e->u.verdict.v;
	struct chain *c;
	struct node *n;

	if (e->u.verdict.took_us) {
		hist_add(&m->own.verify, e->u.verdict.took_us * NS_US);
		m->priv->own_dirty = true;
	}
	if (p->chain < 0)
		return;
	c = m->chains[p->chain];
	n = chain_node(c, &e->u.verdict.hash);
	if (!n)
		return;
	part_count(n, PART_HEADER, v->header);
	part_count(n, PART_TXS, v->txs);
	part_count(n, PART_WITHDRAWALS, v->withdrawals);
	switch (verdict_all(v)) {
	case TRUTH_YES:
		bump(&n->yes_n);
		verified(c);
		break;
	case TRUTH_NO:
		keep_text(n->no_field, sizeof(n->no_field), v->field, sizeof(v->field),
			  n->no_n == 0);
		bump(&n->no_n);
		facts_wrong(p, e);
		n->no_by |= bit(e->path);
		break;
	case TRUTH_UNKNOWN:
		keep_text(n->unknown_why, sizeof(n->unknown_why), v->reason[0] ? v->reason : v->field,
			  v->reason[0] ? sizeof(v->reason) : sizeof(v->field), n->unknown_n == 0);
		bump(&n->unknown_n);
		break;
	case TRUTH_NONE: break;
	}
	truth_update(c, n);
	m->priv->dirty |= DIRTY_BLOCKS;
}

/* ---- bodies ---- */

static void budget(struct model *m, const struct node *keep)
{
	uint64_t total = 0;
	bool more = true;

	for (unsigned i = 0; i < m->n_chains; i++)
		total += m->chains[i]->store->body_bytes;
	while (total > BODIES_BYTES && more) {
		struct chain *most = NULL;
		uint64_t before;

		for (unsigned i = 0; i < m->n_chains; i++)
			if (!most || m->chains[i]->store->body_bytes > most->store->body_bytes)
				most = m->chains[i];
		if (!most)
			break;
		before = most->store->body_bytes;
		more = chain_drop_oldest_body(most, keep);
		total -= before - most->store->body_bytes;
	}
	m->own.bodies_bytes = total;
}

static void keep_body(struct model *m, struct chain *c, struct node *n, struct block *body)
{
	if (body->bytes > BODIES_BYTES / 2) {
		block_unref(body); /* its digest stays */
		return;
	}
	chain_drop_body(c, n);
	n->b.body = body;
	n->body_bytes = body->bytes;
	c->store->body_bytes += body->bytes;
	if (n->b.h.number < c->store->body_low)
		c->store->body_low = n->b.h.number;
	budget(m, n);
}

static void decode_time(struct model *m, const struct event *e)
{
	uint64_t took = sub_sat(sub_sat(e->u.block.done_mono, e->mono), e->u.block.xfer_ns);

	m->own.decoded_bytes += e->u.block.block->json_bytes;
	if (took) {
		hist_add(&m->own.decode, took);
		m->priv->own_dirty = true;
	}
}

void body_event(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct block *body = e->u.block.block;
	struct chain *c;
	struct node *n;
	struct head h;
	bool fresh;

	if (!body)
		return;
	decode_time(m, e);
	c = p->chain >= 0 ? m->chains[p->chain] : NULL;
	head_from(&h, &body->h, block_at(body, body->h.extra));
	n = c ? chain_put(c, &h, e->mono, &fresh) : NULL;
	if (!n) {
		block_unref(body);
		return;
	}
	race_usable(m, n, e);
	if (!n->b.body_seen && !txs_digest(m, c, n, body)) {
		block_unref(body);
		return;
	}
	/* Of two copies the first stays, unless it is in doubt. */
	if (n->b.body && !(n->no_n && !n->yes_n))
		block_unref(body);
	else
		keep_body(m, c, n, body);
	c->store->stats_dirty = true;
	if (c->store->n_orphans)
		c->store->orphans_dirty = true;
	m->priv->dirty |= DIRTY_BLOCKS;
}

void body_miss(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct node *n;

	if (p->chain < 0 || hash_is_zero(&e->u.miss.hash))
		return;
	n = chain_node(m->chains[p->chain], &e->u.miss.hash);
	if (!n || n->missed_by & bit(e->path))
		return;
	n->missed_by |= bit(e->path);
	n->b.missed++;
	if (n->told_by & bit(e->path) && e->u.miss.code == ST_NULL)
		p->own_nulls++;
	m->priv->dirty |= DIRTY_BLOCKS;
}
