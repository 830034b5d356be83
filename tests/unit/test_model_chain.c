/* The chain by hash: heads, gaps, chains apart, bodies, truth, tags, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_equal.h"
#include "model_rig.h"

static void head_shows_at_once(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head a = rig_head(100, 100, 99), b = rig_head(101, 101, 100);

	(void)state;
	assert_null(model_chain(m)->head);
	assert_true(rig_say(m, 0, 10, &a, SRC_BACKFILL) & DIRTY_HEAD);
	assert_int_equal(model_chain(m)->head->h.number, 100);
	/* No tick between: the newest head does not wait. */
	assert_true(rig_say(m, 0, 20, &b, SRC_PUSH) & DIRTY_HEAD);
	assert_int_equal(model_chain(m)->head->h.number, 101);
	assert_ptr_equal(chain_by_number(model_chain(m), 101), model_chain(m)->head);
	rig_tick(m, 300);
	assert_int_equal(model_chain(m)->head->h.number, 101);
	assert_int_equal(model_chain(m)->reorg_count, 0);
	assert_true(chain_by_number(model_chain(m), 100)->gap_before);
	assert_false(chain_by_number(model_chain(m), 101)->gap_before);
	assert_string_equal(model_chain(m)->name, "Ethereum");
	rig_check(m, true);
	model_free(m);
}

/* A block below the heads of one node is asked of that node: the other one, on a branch of its own, would only fail. */
static void a_hole_is_asked_of_who_stands_on_it(void **state)
{
	struct model *m = rig_model(2, 1);
	struct head far = rig_head(115, 115, 114), below = rig_head(114, 114, 113), other = rig_head(115, 2115, 2114);
	struct want w[8];
	unsigned n, asked = 0;

	(void)state;
	rig_run(m, 1, 100, 110);
	rig_say(m, 1, 1380000, &far, SRC_PUSH);
	rig_say(m, 1, 1380010, &below, SRC_WALK);
	rig_say(m, 0, 1380100, &other, SRC_PUSH);
	rig_tick(m, 1381000);
	assert_true(hash_eq(&model_chain(m)->head->h.hash, &far.hash));
	n = model_wants(m, w, 8);
	for (unsigned i = 0; i < n; i++) {
		if (!hash_eq(&w[i].hash, &below.parent))
			continue;
		asked++;
		assert_int_equal(w[i].path, 1);
	}
	assert_int_equal(asked, 1);
	model_free(m);
}

static void gap_and_fill(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head far = rig_head(115, 115, 114);
	struct want w[8];
	struct chain *c;
	unsigned n;

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_say(m, 0, 1380000, &far, SRC_PUSH);
	rig_tick(m, 1380300);
	c = model_chain(m);
	assert_int_equal(c->head->h.number, 115);
	assert_true(c->head->gap_before);
	assert_int_equal(c->reorg_count, 0);
	assert_int_equal(chain_by_number(c, 110)->state, BLK_CANON);
	assert_int_equal(blk_interval_ms(c, c->head), UNKNOWN);
	/* The hole is asked for by hash, once per 5 s; below the first block there is none. */
	n = model_wants(m, w, 8);
	assert_true(n >= 1);
	assert_int_equal(w[0].kind, CMD_BODY);
	for (unsigned i = 0, holes = 0; i < n; i++) {
		holes += hash_eq(&w[i].hash, &far.parent);
		assert_true(w[i].number >= 100);
		if (i + 1 == n)
			assert_int_equal(holes, 1);
	}
	for (uint64_t k = 114; k > 110; k--) {
		struct head h = rig_head(k, k, k - 1);

		rig_say(m, 0, 1380400 + k, &h, SRC_GAP);
	}
	rig_tick(m, 1381000);
	for (uint64_t k = 100; k <= 115; k++)
		assert_int_equal(chain_by_number(c, k)->state, BLK_CANON);
	assert_false(c->head->gap_before);
	assert_int_equal(blk_interval_ms(c, c->head), 12000);
	assert_int_equal(c->reorg_count, 0);
	rig_check(m, true);
	model_free(m);
}

/* provider.md fault 50, peers.md §2.3 #10: what has no hash is no block, and never block 0. */
static void null_block_is_none(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head h = rig_head(111, 111, 110), huge = rig_head(UINT64_MAX, 9, 8);

	(void)state;
	rig_run(m, 0, 100, 110);
	memset(&h.hash, 0, sizeof(h.hash));
	rig_say(m, 0, 1400000, &h, SRC_PUSH);
	rig_say(m, 0, 1400001, &(struct head){ .number = 0 }, SRC_PUSH);
	rig_block(m, 0, 1400002, 1400003, NULL, SRC_PUSH);
	rig_say(m, 0, 1400004, &huge, SRC_PUSH);
	rig_tick(m, 1400300);
	assert_int_equal(model_chain(m)->head->h.number, 110);
	assert_int_equal(model_chain(m)->kept, 11);
	assert_null(chain_by_number(model_chain(m), 0));
	model_free(m);
}

static void chains_are_apart(void **state)
{
	struct path_setup setup[] = {
		{ .node = "geth", .via = "ws", .push = true },
		{ .node = "geth", .via = "http", .push = false },
		{ .node = "bsc", .via = "wss", .push = true },
	};
	struct model *m = model_new(setup, 3, RIG_T0, RIG_WALL0);
	struct head a = rig_head(100, 100, 99), b = rig_head(900, 900, 899);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		rig_link(m, i, 0, LINK_LIVE, ST_OK);
	rig_chain(m, 2, 1, 56, 8);
	rig_chain(m, 1, 2, 56, 0); /* its genesis is null: the chain of that id */
	rig_chain(m, 0, 3, 1, 7);
	assert_int_equal(m->n_chains, 2);
	assert_int_equal(m->paths[1]->chain, m->paths[2]->chain);
	/* The first path decides what is shown, whoever spoke first. */
	assert_int_equal(model_chain(m)->id, 1);
	assert_true(m->paths[1]->wrong_chain);
	assert_string_equal(path_state_word(m->paths[1]), "WRONG CHAIN");
	assert_false(m->paths[2]->wrong_chain);
	assert_true(m->paths[2]->other_chain);
	assert_true(rig_say(m, 0, 10, &a, SRC_PUSH) & DIRTY_HEAD);
	assert_false(rig_say(m, 1, 10, &b, SRC_POLL) & DIRTY_HEAD); /* not the chain on the screen */
	rig_tick(m, 300);
	assert_int_equal(model_chain(m)->head->h.number, 100);
	assert_int_equal(model_chain(m)->kept, 1);
	assert_int_equal(m->paths[0]->behind_blocks, 0);
	model_show(m, (unsigned)m->paths[1]->chain);
	assert_int_equal(model_chain(m)->id, 56);
	assert_int_equal(model_chain(m)->head->h.number, 900);
	/* After a failover the path is on another chain (provider.md fault 60). */
	rig_chain(m, 1, 400, 1, 7);
	assert_false(m->paths[1]->wrong_chain);
	assert_false(m->paths[1]->has_head);
	model_free(m);
}

static void null_genesis_joins_either_way(void **state)
{
	for (unsigned order = 0; order < 2; order++) {
		struct model *m = rig_model(0, 1);
		struct path_setup setup[2] = {
			{ .node = "a", .via = "ws", .push = true },
			{ .node = "b", .via = "ws", .push = true },
		};

		model_free(m);
		m = model_new(setup, 2, RIG_T0, RIG_WALL0);
		rig_chain(m, order, 1, 1, order ? 0 : 7);
		rig_chain(m, 1 - order, 2, 1, order ? 7 : 0);
		assert_int_equal(m->n_chains, 1);
		assert_true(m->chains[0]->genesis.b[0] == rig_hash(7).b[0]);
		rig_chain(m, 0, 3, 1, 9);
		assert_int_equal(m->n_chains, 2);
		model_free(m);
	}
	(void)state;
}

/* A node that says nothing of its chain id: its heads count, and belong to the chain once it is told. */
static void chain_told_late(void **state)
{
	struct path_setup setup = { .node = "a", .via = "ws", .push = true };
	struct model *m = model_new(&setup, 1, RIG_T0, RIG_WALL0);
	struct head a = rig_head(100, 100, 99);

	(void)state;
	rig_say(m, 0, 10, &a, SRC_PUSH);
	assert_int_equal(m->n_chains, 1);
	assert_false(model_chain(m)->id_known);
	rig_chain(m, 0, 20, 4153, 7);
	assert_int_equal(m->n_chains, 1);
	assert_true(model_chain(m)->id_known);
	assert_int_equal(model_chain(m)->head->h.number, 100);
	model_free(m);
}

/* ---- the order in which paths tell ---- */

struct told {
	unsigned path;
	uint64_t ms, id, genesis; /* id 0: the head `number` instead */
	uint64_t number;
};

enum { TOLD = 6 };

/* Calls fn with a model for every order in which the n lines can come, each path's in its own. */
static unsigned orders(const struct told *t, unsigned n, unsigned used, unsigned *at, unsigned depth,
		       void (*fn)(struct model *m, struct model *first), struct model **first)
{
	static const struct path_setup setup[] = {
		{ .node = "a", .via = "ws", .push = true },
		{ .node = "a", .via = "ipc", .push = true },
		{ .node = "b", .via = "http" },
	};
	struct model *m;
	unsigned sum = 0;

	for (unsigned i = 0; i < n && depth < n; i++) {
		bool waits = used & 1u << i;

		for (unsigned k = 0; k < i; k++)
			waits |= t[k].path == t[i].path && !(used & 1u << k);
		if (waits)
			continue;
		at[depth] = i;
		sum += orders(t, n, used | 1u << i, at, depth + 1, fn, first);
	}
	if (depth < n)
		return sum;
	m = model_new(setup, 3, RIG_T0, RIG_WALL0);
	for (unsigned i = 0; i < 3; i++)
		rig_link(m, i, 0, LINK_LIVE, ST_OK);
	for (unsigned i = 0; i < n; i++) {
		const struct told *l = &t[at[i]];
		struct head h = rig_head(l->number, l->number, l->number - 1);

		if (l->id)
			rig_chain(m, l->path, l->ms, l->id, l->genesis);
		else
			rig_say(m, l->path, l->ms, &h, SRC_PUSH);
	}
	rig_tick(m, 300);
	rig_tick(m, 2000);
	rig_check(m, true);
	fn(m, *first);
	if (*first)
		model_free(m);
	else
		*first = m;
	return 1;
}

static void one_chain(struct model *m, struct model *first)
{
	assert_int_equal(m->n_chains, 1);
	assert_true(m->chains[0]->id_known);
	assert_int_equal(m->chains[0]->id, 1);
	assert_true(m->chains[0]->genesis.b[0] == rig_hash(7).b[0]);
	assert_int_equal(model_chain(m)->head->h.number, 101);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(m->paths[i]->chain, 0);
		assert_true(m->paths[i]->has_head);
		assert_false(m->paths[i]->wrong_chain);
	}
	if (first)
		assert_true(model_equal(m, first));
}

/* Heads before the chain is known, and a path that never learns the genesis: one chain, the same blocks, in every order. */
static void chain_told_in_any_order(void **state)
{
	static const struct told t[TOLD] = {
		{ 0, 10, 0, 0, 100 }, { 0, 20, 1, 7, 0 },
		{ 1, 11, 0, 0, 100 }, { 1, 21, 1, 0, 0 },
		{ 2, 12, 1, 7, 0 }, { 2, 22, 0, 0, 101 },
	};
	struct model *first = NULL;
	unsigned at[TOLD];

	(void)state;
	assert_int_equal(orders(t, TOLD, 0, at, 0, one_chain, &first), 90);
	model_free(first);
}

static void with_its_node(struct model *m, struct model *first)
{
	(void)first;
	assert_int_equal(m->n_chains, 2);
	assert_int_equal(m->paths[0]->chain, m->paths[1]->chain);
	assert_true(m->chains[m->paths[1]->chain]->genesis.b[0] == rig_hash(9).b[0]);
	assert_false(m->paths[1]->wrong_chain);
	assert_int_not_equal(m->paths[2]->chain, m->paths[0]->chain);
}

/* A dev node that was started anew while one of its paths cannot say the genesis: that path goes with its node. */
static void guess_goes_with_its_node(void **state)
{
	static const struct told t[] = {
		{ 0, 10, 31337, 7, 0 }, { 0, 20, 31337, 9, 0 }, { 1, 11, 31337, 0, 0 }, { 2, 12, 31337, 7, 0 },
	};
	struct model *first = NULL;
	unsigned at[TOLD];

	(void)state;
	assert_int_equal(orders(t, 4, 0, at, 0, with_its_node, &first), 12);
	model_free(first);
}

/* A dev node started anew has a new genesis each time: old chains leave, the newest is shown. */
static void started_anew(void **state)
{
	struct model *m = rig_model(2, 31337);
	struct head h = rig_head(5, 5, 4);

	(void)state;
	for (uint64_t k = 1; k < 30; k++) {
		rig_link(m, 0, k * 1000, LINK_WAITING, ST_REFUSED);
		rig_link(m, 1, k * 1000, LINK_WAITING, ST_REFUSED);
		/* It does not answer: it is still the node that it was. */
		model_apply(m, &(struct event){ .kind = EV_CHAIN, .path = 0, .u.chain = { .ok = false } });
		assert_true(model_chain(m)->id_known);
		assert_false(m->paths[0]->wrong_chain);
		rig_link(m, 1, k * 1000 + 500, LINK_LIVE, ST_OK);
		rig_chain(m, 1, k * 1000 + 500, 31337, 100 + k);
		rig_link(m, 0, k * 1000 + 600, LINK_LIVE, ST_OK);
		rig_chain(m, 0, k * 1000 + 600, 31337, 100 + k);
		rig_say(m, 0, k * 1000 + 700, &h, SRC_PUSH);
		rig_tick(m, k * 1000 + 900);
		assert_int_equal(model_chain(m)->genesis.b[0], rig_hash(100 + k).b[0]);
		assert_int_equal(model_chain(m)->head->h.number, 5);
		assert_int_equal(model_chain(m)->reorg_count, 0);
	}
	assert_int_equal(m->n_chains, CHAINS_MAX);
	assert_false(rig_noted(m, "another chain"));
	model_free(m);
}

/* ws is dead, ipc came back on the new chain: that is the node's chain, not a wrong one. */
static void node_goes_with_the_living(void **state)
{
	struct path_setup setup[] = {
		{ .node = "a", .via = "ws", .push = true },
		{ .node = "a", .via = "ipc", .push = true },
	};
	struct model *m = model_new(setup, 2, RIG_T0, RIG_WALL0);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		rig_link(m, i, 0, LINK_LIVE, ST_OK);
		rig_chain(m, i, 0, 31337, 7);
	}
	rig_link(m, 0, 10, LINK_WAITING, ST_CLOSED);
	rig_link(m, 1, 10, LINK_WAITING, ST_CLOSED);
	rig_link(m, 1, 2000, LINK_LIVE, ST_OK);
	rig_chain(m, 1, 2000, 31337, 8);
	assert_false(m->paths[1]->wrong_chain);
	assert_int_equal((int)m->shown, m->paths[1]->chain);
	model_free(m);
}

/* peers.md §2.3 #9: the lowest numbers leave, however rows are shown. */
static void bounded(void **state)
{
	struct model *m = rig_model(1, 1);
	struct chain *c;
	struct head h;

	(void)state;
	for (uint64_t n = 1; n <= BLOCKS_KEPT + 500; n++) {
		h = rig_head(n, n, n - 1);
		rig_say(m, 0, n * 100, &h, SRC_PUSH);
		if (n % 3 == 0)
			rig_tick(m, n * 100);
	}
	rig_tick(m, 2000000);
	c = model_chain(m);
	assert_int_equal(c->kept, BLOCKS_KEPT);
	assert_int_equal(c->head->h.number, BLOCKS_KEPT + 500);
	assert_null(chain_by_number(c, 500));
	assert_non_null(chain_by_number(c, 501));
	assert_true(chain_by_number(c, 501)->gap_before);
	/* A liar with any number of side blocks does not push the chain out. */
	for (uint64_t k = 0; k < 5000; k++) {
		h = rig_head((UINT64_C(1) << 62) + k % 100, 100000 + k, 0);
		rig_say(m, 0, 2000100, &h, SRC_WALK);
	}
	assert_true(c->kept <= BLOCKS_KEPT);
	assert_int_equal(c->head->h.number, BLOCKS_KEPT + 500);
	for (uint64_t n = c->head->h.number - 5000; n <= c->head->h.number; n++)
		assert_non_null(chain_by_number(c, n));
	rig_check(m, true);
	model_free(m);
}

static void body_budget(void **state)
{
	struct model *m = rig_model(1, 1);
	struct chain *c = model_chain(m);
	uint64_t bytes = 0;
	unsigned have = 0;

	(void)state;
	for (uint64_t n = 1; n <= 60; n++) {
		struct head h = rig_head(n, n, n - 1);

		rig_say(m, 0, n * 100, &h, SRC_PUSH);
		rig_block(m, 0, n * 100 + 1, n * 100 + 2, rig_body(&h, 1000, n * 10000), SRC_PUSH);
		rig_tick(m, n * 100 + 90);
	}
	for (uint64_t n = 1; n <= 60; n++) {
		struct blk *b = chain_by_number(c, n);

		assert_true(b->body_seen); /* the digest outlives the body */
		assert_int_equal(b->ntx, 1000);
		if (b->body) {
			bytes += b->body->bytes;
			have++;
		} else {
			assert_int_equal(have, 0); /* the oldest went first */
		}
	}
	assert_true(have > 10 && bytes <= BODIES_BYTES);
	assert_int_equal(m->own.bodies_bytes, bytes);
	model_free(m);
}

static void clone_is_deep(void **state)
{
	struct model *m = rig_model(2, 1), *f;
	struct head other = rig_head(110, 1110, 109), tip = rig_head(110, 110, 109);
	struct chain *c;

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_block(m, 0, 1320100, 1320110, rig_body(&tip, 3, 50), SRC_PUSH);
	rig_tick(m, 1320500);
	f = model_clone(m);
	assert_non_null(f);
	rig_say(m, 0, 1321000, &other, SRC_PUSH);
	rig_run(m, 0, 111, 120);
	c = model_chain(f);
	assert_int_equal(c->head->h.number, 110);
	assert_int_equal(c->reorg_count, 0);
	assert_int_equal(c->kept, 11);
	rig_check(f, true);
	model_free(m);
	/* The body is still there though the model that it came to is gone. */
	assert_int_equal(c->head->body->txs.len, 3);
	assert_int_equal(path_heard(f->paths[0], &c->head->h.hash), RIG_T0 + 1320000 * NS_MS);
	rig_tick(f, 1400000);
	rig_check(f, true);
	model_free(f);
}

static void truth(void **state)
{
	struct model *m = rig_model(2, 1);
	struct chain *c = model_chain(m);
	struct want w[8];
	struct blk *b;

	(void)state;
	rig_run(m, 0, 100, 101);
	rig_run(m, 1, 101, 101);
	b = chain_by_number(c, 101);
	rig_block(m, 0, 1212100, 1212110, rig_body(&b->h, 3, 50), SRC_PUSH);
	rig_verdict(m, 0, 1212150, 101, TRUTH_NO, "transactionsRoot");
	assert_int_equal(b->truth, TRUTH_UNKNOWN);
	rig_tick(m, 1212500);
	/* A second fetch, on the other path. */
	assert_int_equal(model_wants(m, w, 8) > 0, 1);
	assert_true(hash_eq(&w[0].hash, &b->h.hash));
	rig_verdict(m, 1, 1213000, 101, TRUTH_NO, "transactionsRoot");
	assert_int_equal(b->truth, TRUTH_UNKNOWN); /* nothing of this chain was ever right: it may be our fault */
	rig_verdict(m, 0, 1213100, 100, TRUTH_YES, NULL);
	assert_true(c->verified_once);
	assert_int_equal(chain_by_number(c, 100)->truth, TRUTH_YES);
	assert_int_equal(b->truth, TRUTH_NO);
	assert_string_equal(b->truth_why, "transactionsRoot");
	/* One honest copy proves the block. */
	rig_verdict(m, 1, 1214000, 101, TRUTH_YES, NULL);
	assert_int_equal(b->truth, TRUTH_YES);
	model_free(m);
}

static void tags(void **state)
{
	struct model *m = rig_model(2, 1);
	struct event e = {
		.kind = EV_TAG,
		.mono = RIG_T0 + NS_S,
		.u.tag = { .final = 1, .code = ST_UNSUPPORTED },
	};
	struct chain *c = model_chain(m);

	(void)state;
	rig_run(m, 0, 100, 110);
	/* peers.md §2.3 #8: not asked, not there, there. Never made up. */
	assert_false(c->safe.known);
	assert_int_equal(c->safe.why, ST_OK);
	model_apply(m, &e);
	rig_tick(m, 1330000);
	assert_false(c->final.known);
	assert_int_equal(c->final.why, ST_UNSUPPORTED);
	e.u.tag.code = ST_OK;
	e.u.tag.number = 64;
	e.mono += NS_S;
	model_apply(m, &e);
	assert_true(c->final.known);
	assert_int_equal(c->final.number, 64);
	assert_false(c->safe.known);
	/* Another path that lags does not set it back. */
	e.path = 1;
	e.u.tag.number = 32;
	model_apply(m, &e);
	assert_int_equal(c->final.number, 64);
	e.u.tag.number = 96;
	model_apply(m, &e);
	assert_int_equal(c->final.number, 96);
	model_free(m);
}

static void hostile_values(void **state)
{
	struct model *m = rig_model(3, 1);
	uint64_t values[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, 1u << 31 };
	unsigned n = sizeof(values) / sizeof(values[0]);

	(void)state;
	for (unsigned k = 0; k < 4000; k++) {
		struct head h = rig_head(values[k % n], 1 + k % 97, 1 + (k + 1) % 89);
		struct event e = {
			.kind = (uint16_t)(k % 16),
			.path = (uint16_t)(k % 5),
			.mono = values[k / 3 % n],
			.wall = values[k / 5 % n],
		};

		h.time_ms = values[k / 2 % n];
		h.gas_limit = values[k / 7 % n];
		h.gas_used = values[k / 11 % n];
		h.excess_blob_gas = h.blob_gas_used = values[k / 13 % n];
		h.base_fee.w[3] = values[k / 17 % n];
		h.has |= H_EXCESS_BLOB_GAS | H_BLOB_GAS_USED;
		memset(&e.u, (int)(k * 31), sizeof(e.u));
		if (e.kind == EV_BLOCK)
			e.u.block.block = NULL;
		if (e.kind == EV_VERDICT)
			memset(&e.u.verdict, 0, sizeof(e.u.verdict));
		if (e.kind == EV_CHAIN)
			e.u.chain.ok = e.u.chain.network = k % 2;
		model_apply(m, &e);
		rig_say(m, k % 3, k, &h, (enum head_source)(k % 9));
		if (k % 3 == 0) {
			struct want w[4];

			model_tick(m, values[k / 19 % n] / 2, values[k / 23 % n]);
			model_wants(m, w, 4);
		}
	}
	rig_check(m, true);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_shows_at_once),
		cmocka_unit_test(a_hole_is_asked_of_who_stands_on_it),
		cmocka_unit_test(gap_and_fill),
		cmocka_unit_test(null_block_is_none),
		cmocka_unit_test(chains_are_apart),
		cmocka_unit_test(null_genesis_joins_either_way),
		cmocka_unit_test(chain_told_late),
		cmocka_unit_test(chain_told_in_any_order),
		cmocka_unit_test(guess_goes_with_its_node),
		cmocka_unit_test(started_anew),
		cmocka_unit_test(node_goes_with_the_living),
		cmocka_unit_test(bounded),
		cmocka_unit_test(body_budget),
		cmocka_unit_test(clone_is_deep),
		cmocka_unit_test(truth),
		cmocka_unit_test(tags),
		cmocka_unit_test(hostile_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
