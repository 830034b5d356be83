#include "model/gas.h"

#include <math.h>
#include <stdlib.h>

#include "model/chain.h"
#include "model/txs.h"

enum {
	T_BLOCKS = 64, /* intervals of which T is the median */
	T_LEAST = 3,
	RUN_BLOCKS = 512, /* of which the length of a run is learned */
	RUN_MAX = 64,
	RUNS_LEAST = 3,
	STATS_BLOCKS = 10, /* of chains whose blocks are some seconds apart */
	STATS_MAX = 120,
	STATS_MS = 60000, /* of faster ones: as many blocks as this takes */
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *v, unsigned n)
{
	if (n < T_LEAST)
		return UNKNOWN;
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

/* T of a chain that the table does not know. Where seconds are too coarse, arrivals say it. */
static void learn_t(struct chain *c)
{
	uint64_t own[T_BLOCKS], heard[T_BLOCKS], t;
	unsigned n = 0, nh = 0;
	const struct node *b = c->head ? node_of(c->head) : NULL, *p;

	if (c->info->block_ms)
		return;
	for (unsigned i = 0; i < T_BLOCKS && b && (p = chain_below(c, b)) != NULL; i++, b = p) {
		if (b->b.h.time_ms >= p->b.h.time_ms)
			own[n++] = b->b.h.time_ms - p->b.h.time_ms;
		if (b->b.heard && p->b.heard && b->b.first_mono >= p->b.first_mono)
			heard[nh++] = (b->b.first_mono - p->b.first_mono) / NS_MS;
	}
	t = median(own, n);
	if (t < 1000)
		t = median(heard, nh) < 1000 ? median(heard, nh) : t;
	c->block_ms = t == 0 ? UNKNOWN : t;
}

/* ---- the next block ---- */

static void next_base(const struct chain *c, const struct head *h, struct fees_next *out)
{
	const struct u256 *base = h->has & H_BASE_FEE ? &h->base_fee : NULL;
	double now;

	if (!c->info->eip1559)
		return;
	if (!base && (c->info->london == UINT64_MAX || h->number + 1 != c->info->london))
		return;
	if (!fee_next_base(base, h->gas_used, h->gas_limit, &out->base))
		return;
	out->base_known = true;
	now = base ? u256_double(base) : 0;
	if (now > 0)
		out->base_change = u256_double(&out->base) / now - 1;
}

static void next_blob(const struct chain *c, const struct head *h, struct fees_next *out)
{
	uint64_t now = h->time_ms / 1000, excess, t = c->block_ms == UNKNOWN ? 0 : c->block_ms;
	const struct blob_schedule *own = chain_blobs(c->info, now);
	const struct blob_schedule *child = chain_blobs(c->info, add_sat(h->time_ms, t) / 1000);
	const struct u256 zero = u256_from64(0);

	if (!own || !child || !(h->has & H_EXCESS_BLOB_GAS))
		return;
	out->blob_target = own->target;
	out->blob_max = own->max;
	if (!fee_blob_base(h->excess_blob_gas, own->fraction, &out->blob_now))
		return;
	/* The parameters are those of the child's own time (provider.md §3.4). */
	if (!fee_next_excess(h->excess_blob_gas, h->blob_gas_used,
			     h->has & H_BASE_FEE ? &h->base_fee : &zero, child, &excess))
		return;
	out->blob_known = fee_blob_base(excess, child->fraction, &out->blob_next);
}

/* ---- the last blocks ---- */

/* The head's body is on its way for some 100 ms after each head: until then the window ends one block earlier. */
static const struct node *newest_counted(const struct chain *c)
{
	const struct node *head = c->head ? node_of(c->head) : NULL, *n = head;

	for (unsigned i = 0; i < 3 && n; i++, n = chain_below(c, n))
		if (n->b.body_seen)
			return n;
	return head;
}

static unsigned window(const struct chain *c, const struct node *newest)
{
	uint64_t t = c->block_ms;
	unsigned want = STATS_BLOCKS, n = 0;

	if (t != UNKNOWN && t > 0 && t < STATS_MS / STATS_BLOCKS)
		want = STATS_MS / t < STATS_MAX ? (unsigned)(STATS_MS / t) : STATS_MAX;
	for (const struct node *b = newest; b && n < want; b = chain_below(c, b))
		n++;
	return n;
}

static void gas_stats(struct chain *c, struct chain_stats *out)
{
	const struct node *newest = newest_counted(c), *b = newest, *oldest = newest;
	double used = 0, limit = 0;
	struct u256 part, factor;
	bool streak = true;

	*out = (struct chain_stats){ .gas_used_share = (double)NAN, .kb_mean = UNKNOWN, .burned_known = true };
	out->n = window(c, newest);
	for (unsigned i = 0; i < out->n; i++, b = chain_below(c, b)) {
		oldest = b;
		used += (double)b->b.h.gas_used;
		limit += (double)b->b.h.gas_limit;
		factor = u256_from64(b->b.h.gas_used);
		if (!(b->b.h.has & H_BASE_FEE) || !u256_mul(&part, &b->b.h.base_fee, &factor) ||
		    !u256_add(&out->burned, &out->burned, &part))
			out->burned_known = false;
	}
	out->burned_known = out->burned_known && out->n > 0;
	if (out->n && limit > 0)
		out->gas_used_share = used / limit;
	if (out->n >= 2 && newest->b.h.time_ms > oldest->b.h.time_ms)
		out->span_ms = newest->b.h.time_ms - oldest->b.h.time_ms;
	for (b = c->head ? node_of(c->head) : NULL; b && streak && out->full_streak < BLOCKS_KEPT;
	     b = chain_below(c, b)) {
		streak = b->b.h.gas_limit > 0 && (double)b->b.h.gas_used >= 0.95 * (double)b->b.h.gas_limit;
		out->full_streak += streak;
	}
	txs_stats(c, newest, out->n, out);
}

static void mark_slots(struct chain *c)
{
	const struct node *b = c->head ? node_of(c->head) : NULL, *p;
	uint64_t t = c->info->block_ms;

	if (c->info->kind != CHAIN_SLOT || !t)
		return;
	for (unsigned i = 0; i < T_BLOCKS && b && (p = chain_parent(c, b)) != NULL; i++, b = p)
		((struct node *)b)->b.slot_lost =
			b->b.h.time_ms > p->b.h.time_ms && b->b.h.time_ms - p->b.h.time_ms >= 2 * t;
}

static bool same_signer(const struct node *a, const struct node *b)
{
	return a->b.signer_known && b->b.signer_known && addr_eq(&a->b.signer, &b->b.signer);
}

/*
 * Runs of blocks of one signer: BSC's turns and Bor's sprints are some blocks long, and how long changed with forks: it
 * is learned as the length that most of the whole runs in sight have.
 */
static void mark_runs(struct chain *c)
{
	struct node *list[RUN_BLOCKS], *n = c->head ? node_of(c->head) : NULL;
	unsigned count = 0, runs[RUN_MAX + 1] = { 0 }, total = 0, best = 0;
	bool whole = false;

	for (; n && count < RUN_BLOCKS; n = chain_below(c, n))
		list[count++] = n;
	for (unsigned i = count; i-- > 0;) {
		struct node *at = list[i], *below = i + 1 < count ? list[i + 1] : NULL;

		if (!at->b.signer_known) {
			at->b.run = 0;
			whole = false;
		} else if (below && same_signer(at, below)) {
			/* The oldest in sight may be in the midst of a run: it keeps what was counted before. */
			at->b.run = below->b.run ? (uint16_t)(below->b.run + (below->b.run < UINT16_MAX)) : 0;
		} else if (below && below->b.signer_known) {
			if (whole && below->b.run && below->b.run <= RUN_MAX) {
				runs[below->b.run]++;
				total++;
			}
			at->b.run = 1;
			whole = true;
		}
	}
	for (unsigned i = 1; i <= RUN_MAX; i++) {
		if (runs[i] > runs[best])
			best = i;
	}
	if (total >= RUNS_LEAST)
		c->run_len = (uint16_t)best;
}

static void next_block(struct chain *c)
{
	c->next = (struct fees_next){ .base_known = false };
	if (!c->head)
		return;
	next_base(c, &c->head->h, &c->next);
	next_blob(c, &c->head->h, &c->next);
	c->store->next_of = c->head->h.hash;
}

void gas_head(struct chain *c)
{
	if (c->head && !hash_eq(&c->store->next_of, &c->head->h.hash))
		next_block(c);
}

void gas_tick(struct model *m, struct chain *c)
{
	if (!c->store->stats_dirty)
		return;
	c->store->stats_dirty = false;
	learn_t(c);
	mark_slots(c);
	if (c->turns)
		mark_runs(c);
	next_block(c);
	gas_stats(c, &c->stats);
	m->priv->dirty |= DIRTY_BLOCKS;
}
