/*
 * The order in which rings are drained must not matter: events of several paths, each path in its own order, taken in
 * any order within 50 ms, give the same model (design.md §4.6). Random worlds: forks, late heads, gaps, reorgs of one node,
 * bodies before and after heads, connections that break, verdicts, tags.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_equal.h"
#include "model_rig.h"

enum { SCENARIOS = 400, ORDERS = 4, EVENTS_MAX = 6000, BLOCKS_MAX = 400, PATHS = 4 };

static uint64_t rng;

static uint64_t rnd(uint64_t below)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return below ? rng % below : 0;
}

static bool chance(unsigned percent)
{
	return rnd(100) < percent;
}

/* ---- a world ---- */

struct item {
	struct event e;
	struct head body_of; /* EV_BLOCK: made anew for each run */
	uint32_t txs;
	uint64_t first_tx;
	uint64_t sort; /* for the permutation */
};

struct world {
	struct head blocks[BLOCKS_MAX];
	unsigned n_blocks;
	struct item items[EVENTS_MAX];
	unsigned n;
	uint64_t end_ms;
	uint64_t last_us[PATHS]; /* of each path: its events do not overtake each other */
	unsigned paths;
};

static struct item *add(struct world *w, unsigned path, uint64_t us, enum event_kind kind)
{
	struct item *i = &w->items[w->n++];

	assert_true(w->n < EVENTS_MAX);
	if (us < w->last_us[path])
		us = w->last_us[path];
	w->last_us[path] = us;
	*i = (struct item){
		.e = {
			.kind = (uint16_t)kind,
			.path = (uint16_t)path,
			.seq = w->n,
			.mono = RIG_T0 + us * NS_US,
			.wall = RIG_WALL0 + us * NS_US,
		},
	};
	return i;
}

static void add_head(struct world *w, unsigned path, uint64_t us, const struct head *h, enum head_source source)
{
	struct item *i = add(w, path, us, EV_HEAD);

	i->e.u.head.h = *h;
	i->e.u.head.source = (uint8_t)source;
}

static void add_body(struct world *w, unsigned path, uint64_t us, const struct head *h, enum head_source source)
{
	struct item *i = add(w, path, us, EV_BLOCK);
	uint32_t most = 1 + (uint32_t)rnd(6);

	i->body_of = *h;
	i->txs = (uint32_t)(h->hash.b[3] % 8);
	i->first_tx = h->number * 5 + h->hash.b[4] % 3;
	i->e.u.block.source = (uint8_t)source;
	i->e.u.block.asked_mono = i->e.mono - 20 * NS_MS;
	i->e.u.block.done_mono = i->e.mono + most * NS_MS;
	i->e.u.block.reads = most;
	i->e.u.block.xfer_bytes = most * 100000;
	i->e.u.block.xfer_ns = most * 100000;
	if (chance(80)) {
		i = add(w, path, us, EV_VERDICT);
		i->e.u.verdict.hash = h->hash;
		i->e.u.verdict.v = (struct verdict){ .header = TRUTH_YES, .txs = TRUTH_YES, .withdrawals = TRUTH_YES };
		i->e.u.verdict.took_us = 100;
		if (h->hash.b[5] % 16 == 0) {
			i->e.u.verdict.v.header = TRUTH_NO;
			snprintf(i->e.u.verdict.v.field, sizeof(i->e.u.verdict.v.field), chance(50) ? "hash" : "gasUsed");
		} else if (h->hash.b[5] % 16 == 1) {
			i->e.u.verdict.v.header = TRUTH_UNKNOWN;
			snprintf(i->e.u.verdict.v.reason, sizeof(i->e.u.verdict.v.reason), "unknown field");
		}
	}
}

static const struct head *add_block(struct world *w, const struct head *parent, uint64_t tag)
{
	struct head *h = &w->blocks[w->n_blocks++];

	assert_true(w->n_blocks < BLOCKS_MAX);
	*h = rig_head(parent ? parent->number + 1 : 1000, tag, 0);
	if (parent)
		h->parent = parent->hash;
	return h;
}

/* A path tells of the blocks of a branch from the one above `from`: some of them may be skipped and filled later. */
static void tell(struct world *w, unsigned path, uint64_t us, const struct head *h, bool push)
{
	enum head_source source = push ? SRC_PUSH : SRC_POLL;

	if (chance(4))
		source = SRC_FIRST;
	if (chance(3))
		add_body(w, path, us, h, SRC_PUSH); /* the body is there before the head is told */
	add_head(w, path, us, h, source);
	if (chance(5))
		add_head(w, path, us + rnd(3000), h, source); /* twice */
	if (chance(40))
		add_body(w, path, us + 1000 + rnd(90000), h, SRC_PUSH);
}

static void disconnect(struct world *w, unsigned path, uint64_t us)
{
	struct item *i = add(w, path, us, EV_LINK);

	i->e.u.link.state = LINK_WAITING;
	i->e.u.link.code = ST_RESET;
	i->e.u.link.retry_mono = i->e.mono + NS_S;
	for (unsigned k = (unsigned)rnd(3); k > 0; k--) {
		i = add(w, path, us += 300000 + rnd(200000), EV_LINK);
		i->e.u.link.state = chance(50) ? LINK_CONNECTING : LINK_WAITING;
		i->e.u.link.code = i->e.u.link.state == LINK_WAITING ? ST_REFUSED : ST_OK;
	}
	i = add(w, path, us + 300000 + rnd(200000), EV_LINK);
	i->e.u.link.state = LINK_LIVE;
	i = add(w, path, us + 310000, EV_CHAIN);
	i->e.u.chain.ok = true;
	i->e.u.chain.id = 1;
	i->e.u.chain.genesis = rig_hash(7);
}

static void facts(struct world *w, unsigned path, uint64_t us)
{
	struct item *i = add(w, path, us, EV_INFO);

	i->e.u.info.info = INFO_TXPOOL;
	i->e.u.info.a = rnd(1000);
	i = add(w, path, us, EV_REPLY);
	i->e.u.reply.method = (uint8_t)rnd(M_N);
	i->e.u.reply.code = chance(80) ? ST_OK : ST_RATE;
	i->e.u.reply.latency_ns = 1000000 + rnd(100000000);
	i = add(w, path, us, EV_TAG);
	i->e.u.tag.final = chance(50);
	i->e.u.tag.number = 900 + us / 100000;
	i->e.u.tag.hash = rig_hash(i->e.u.tag.number);
	if (chance(30)) {
		i = add(w, path, us, EV_GAP);
		i->e.u.gap.from = 1000;
		i->e.u.gap.to = 1000 + rnd(5);
		i->e.u.gap.asked = (uint32_t)rnd(4);
		i->e.u.gap.silent_ns = chance(50) ? NS_S * 40 : 0;
	}
}

/*
 * Blocks every second or two on some branch. Each path hears them with its own delay; after a fork most paths change
 * to the branch that goes on, some stay a while.
 */
static void make_world(struct world *w, uint64_t seed)
{
	const struct head *tip, *other;
	uint64_t us = 100000, tag = seed * 1000 + 1, delay[PATHS];

	rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	*w = (struct world){ .paths = 1 + (unsigned)rnd(PATHS) };
	for (unsigned p = 0; p < w->paths; p++)
		delay[p] = rnd(4) ? rnd(60000) : rnd(800000);
	tip = add_block(w, NULL, tag++);
	for (unsigned k = 0; k < 40; k++) {
		unsigned depth = 0;
		bool shorter = false;

		us += 200000 + (chance(20) ? rnd(30000) : rnd(1500000));
		if (chance(15) && w->n_blocks > 8) {
			/* A competing branch, from up to five below; it may end lower than what it replaces. */
			other = tip;
			depth = 1 + (unsigned)rnd(5);
			for (unsigned d = 0; d < depth; d++)
				for (unsigned b = 0; b < w->n_blocks; b++)
					if (hash_eq(&w->blocks[b].hash, &other->parent)) {
						other = &w->blocks[b];
						break;
					}
			depth = (unsigned)(tip->number - other->number);
			shorter = chance(30) && depth > 1;
			for (unsigned d = 0; d < depth - shorter; d++) {
				other = add_block(w, other, tag++);
				for (unsigned p = 0; p < w->paths; p++)
					if (chance(85))
						tell(w, p, us + delay[p] + rnd(20000), other, p != 3);
				us += rnd(20000);
			}
			tip = other;
			continue;
		}
		tip = add_block(w, tip, tag++);
		if (chance(10)) {
			/* Two at once: some hear one first, some the other, and all go on with the first. */
			other = add_block(w, &(const struct head){ .hash = tip->parent, .number = tip->number - 1 }, tag++);
			for (unsigned p = 0; p < w->paths; p++)
				if (chance(50))
					tell(w, p, us + delay[p] + rnd(40000), other, p != 3);
		}
		for (unsigned p = 0; p < w->paths; p++) {
			if (chance(8)) {
				if (chance(50))
					add_head(w, p, us + delay[p] + 50000 + rnd(400000), tip, SRC_GAP);
				continue;
			}
			tell(w, p, us + delay[p] + rnd(20000), tip, p != 3);
			if (chance(3))
				disconnect(w, p, us + delay[p] + rnd(100000));
			if (chance(5))
				facts(w, p, us + delay[p] + rnd(100000));
		}
		if (chance(10)) {
			const struct head *back = &w->blocks[rnd(w->n_blocks)];

			tell(w, (unsigned)rnd(w->paths), us + 500000, back, true); /* a backend that lags */
		}
		if (chance(10))
			add_head(w, (unsigned)rnd(w->paths), us + 700000, &w->blocks[rnd(w->n_blocks)],
				 chance(50) ? SRC_WALK : SRC_GAP);
	}
	w->end_ms = us / 1000 + 3000;
}

/* ---- the run ---- */

static int by_sort(const void *a, const void *b)
{
	const struct item *x = *(const struct item *const *)a, *y = *(const struct item *const *)b;

	if (x->sort != y->sort)
		return x->sort < y->sort ? -1 : 1;
	return x->e.seq < y->e.seq ? -1 : 1;
}

/*
 * order 0: by their stamps. Others: each event late by up to 50 ms, but none before an earlier one of its path.
 * Ticks stand at fixed times; what is late comes behind the tick.
 */
static struct model *play(struct world *w, unsigned order, uint64_t seed)
{
	static struct item *list[EVENTS_MAX];
	struct model *m;
	uint64_t last[PATHS] = { 0 }, tick = 0;

	rng = seed * UINT64_C(0xd1342543de82ef95) + order + 1;
	m = rig_model(w->paths, 1);
	if (w->paths > 3) {
		m->paths[3]->push = false;
		m->paths[3]->poll_interval_ns = 500 * NS_MS;
	}
	m->paths[w->paths - 1]->node_index = 0; /* two paths of one node */
	model_apply(m, &(struct event){ .kind = EV_CLOCK, .path = 0, .mono = RIG_T0, .u.clock.bound_ns = NS_MS });
	for (unsigned i = 0; i < w->n; i++) {
		struct item *it = &w->items[i];
		uint64_t late = order == 0 ? 0 : order == 1 && it->e.path == 0 ? 50 * NS_MS : rnd(50 * NS_MS);

		it->sort = it->e.mono + late;
		list[i] = it;
	}
	/* In the order of a path, none before the one before it. */
	for (unsigned p = 0; p < w->paths; p++) {
		for (unsigned i = 0; i < w->n; i++) {
			if (w->items[i].e.path != p)
				continue;
			if (w->items[i].sort < last[p])
				w->items[i].sort = last[p];
			last[p] = w->items[i].sort;
		}
	}
	qsort(list, w->n, sizeof(list[0]), by_sort);
	for (unsigned i = 0; i < w->n; i++) {
		struct event e = list[i]->e;

		while (RIG_T0 + tick * NS_MS <= list[i]->sort) {
			rig_tick(m, tick);
			tick += 250;
		}
		if (e.kind == EV_BLOCK)
			e.u.block.block = rig_body(&list[i]->body_of, list[i]->txs, list[i]->first_tx);
		model_apply(m, &e);
		if (i % 16 == 0)
			rig_check(m, false);
	}
	for (; tick < w->end_ms + 40000; tick += 250)
		rig_tick(m, tick);
	rig_check(m, true);
	return m;
}

static void order_does_not_matter(void **state)
{
	static struct world w;
	const char *from = getenv("CHAINTOP_SEED"), *many = getenv("CHAINTOP_SCENARIOS");
	uint64_t first = from ? strtoull(from, NULL, 10) : 1, n = many ? strtoull(many, NULL, 10) : SCENARIOS;
	unsigned long reorgs = 0, orphans = 0, won = 0, missed = 0, notes = 0;

	(void)state;
	for (uint64_t seed = first; seed < first + n; seed++) {
		struct model *a, *b;

		make_world(&w, seed);
		a = play(&w, 0, seed);
		for (unsigned order = 1; order <= ORDERS; order++) {
			b = play(&w, order, seed);
			if (!model_equal(a, b)) {
				model_free(a);
				model_free(b);
				fail_msg("seed %llu, order %u", (unsigned long long)seed, order);
			}
			model_free(b);
		}
		reorgs += a->chains[0]->reorg_count;
		for (unsigned i = 0; i < a->n_paths; i++) {
			won += a->paths[i]->won;
			missed += a->paths[i]->missed;
		}
		notes += a->notes_n;
		for (unsigned i = 0; i < w.n_blocks; i++) {
			const struct blk *blk = chain_by_hash(a->chains[0], &w.blocks[i].hash);

			orphans += blk && blk->state == BLK_ORPHAN;
		}
		model_free(a);
	}
	print_message("%lu reorgs, %lu orphans, %lu wins, %lu missed, %lu notes\n", reorgs, orphans, won, missed, notes);
	/* Worlds in which nothing happens prove nothing. */
	if (n >= 100) {
		assert_true(reorgs > n && orphans > n && won > n && missed > n / 4 && notes > n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
