/* Health, the rows of screens.md §5 about heads and the chain: each raised, just below its limit, and cleared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "health_rig.h"

/* Evaluated each whole second: the second bad one raises, the third good one clears. */
enum { S = 1000 };

static struct world w;

static int teardown(void **state)
{
	(void)state;
	world_fini(&w);
	return 0;
}

/* ---- head age ---- */

/* The last block is made at last_s; limits in seconds. */
static void ages(uint64_t chain, uint64_t t_ms, uint64_t last_s, uint64_t warn_s, uint64_t crit_s)
{
	world_init(&w, chain, t_ms);
	world_run(&w, last_s * S);
	assert_int_equal(w.n * t_ms, last_s * S);
	w.mask = 0;
	world_stays_ok(&w, GETH_WS, CHECK_age, (last_s + warn_s) * S);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_age, LEVEL_WARN), (last_s + warn_s + 2) * S);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_age, LEVEL_CRIT), (last_s + crit_s + 2) * S);
	w.mask = ALL;
	/* Blocks come again: the next one is as old as a block can be, less than T. */
	last_s = (w.ms / t_ms + 1) * t_ms;
	assert_int_equal(world_until(&w, GETH_WS, CHECK_age, LEVEL_OK), (last_s + S - 1) / S * S + 2 * S);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_age)->count, 1);
}

static void age_slot(void **state)
{
	(void)state;
	ages(1, 12000, 120, 48, 120);
}

static void age_text(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 120 * S);
	w.mask = 0;
	world_run(&w, 170 * S);
	world_is(&w, GETH_WS, CHECK_age, LEVEL_WARN, "geth: newest block is 50 s old (limit 48 s)");
	assert_true(world_check(&w, GETH_WS, CHECK_age)->warn == 48);
	assert_true(world_check(&w, GETH_WS, CHECK_age)->crit == 120);
	assert_true(world_check(&w, GETH_WS, CHECK_age)->value == 50);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_age)->since_mono, RIG_T0 + 170 * NS_S);
}

static void age_gnosis(void **state)
{
	(void)state;
	ages(100, 5000, 60, 20, 50);
}

static void age_poa(void **state)
{
	(void)state;
	ages(56, 450, 9, 5, 30);
}

static void age_rollup(void **state)
{
	(void)state;
	ages(10, 2000, 20, 10, 60);
}

static void age_not_on_dev_chains(void **state)
{
	(void)state;
	world_init(&w, 31337, 12000);
	world_run(&w, 120 * S);
	w.mask = 0;
	world_run(&w, 3600 * S);
	world_not_here(&w, GETH_WS, CHECK_age, "dev chain");
	assert_int_equal(health_node(w.m, GETH_WS)->level, LEVEL_OK);
}

/* All see every block, but a minute after it was made: without a clock that is known to be right nobody can say that. */
static void age_by_the_clock(void **state)
{
	(void)state;
	for (unsigned known = 0; known < 2; known++) {
		world_init(&w, 1, 12000);
		if (known)
			world_clock(&w, 5 * NS_MS);
		for (uint64_t n = 1; n <= 10; n++) {
			struct head h = world_head(&w, n, n, n - 1);

			w.n = UINT32_MAX; /* no blocks of its own */
			world_run(&w, n * 12000 + 60000);
			for (unsigned i = 0; i < PATHS; i++)
				rig_say(w.m, i, w.ms, &h, SRC_PUSH);
		}
		world_run(&w, w.ms + 3 * S);
		assert_int_equal(world_check(&w, GETH_WS, CHECK_age)->level, known ? LEVEL_WARN : LEVEL_OK);
		if (!known)
			world_fini(&w);
	}
}

/* ---- hysteresis ---- */

static void two_bad_raise_three_good_clear(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 10 * S);
	/* One bad evaluation, then a good one: nothing. */
	for (unsigned i = 0; i < 5; i++) {
		world_info(&w, GETH_WS, INFO_PEERS, 3, 0, 0, false);
		world_run(&w, w.ms + S);
		world_info(&w, GETH_WS, INFO_PEERS, 50, 0, 0, false);
		world_run(&w, w.ms + S);
		assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->level, LEVEL_OK);
	}
	assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->count, 0);
	world_info(&w, GETH_WS, INFO_PEERS, 3, 0, 0, false);
	world_run(&w, w.ms + 2 * S);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->level, LEVEL_WARN);
	/* Two good ones and a bad one: it stays. */
	for (unsigned i = 0; i < 5; i++) {
		world_info(&w, GETH_WS, INFO_PEERS, 50, 0, 0, false);
		world_run(&w, w.ms + 2 * S);
		world_info(&w, GETH_WS, INFO_PEERS, 3, 0, 0, false);
		world_run(&w, w.ms + S);
		assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->level, LEVEL_WARN);
	}
	assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->count, 1);
	world_info(&w, GETH_WS, INFO_PEERS, 50, 0, 0, false);
	world_run(&w, w.ms + 3 * S);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->level, LEVEL_OK);
	/* A warning and a critical one in a row are a warning; the words of what is being cleared stay. */
	world_info(&w, GETH_WS, INFO_PEERS, 3, 0, 0, false);
	world_run(&w, w.ms + S);
	world_info(&w, GETH_WS, INFO_PEERS, 0, 0, 0, false);
	world_run(&w, w.ms + S);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->level, LEVEL_WARN);
	world_run(&w, w.ms + 2 * S);
	world_is(&w, GETH_WS, CHECK_peers, LEVEL_CRIT, "geth: 0 peers (limit 5)");
	world_info(&w, GETH_WS, INFO_PEERS, 50, 0, 0, false);
	world_run(&w, w.ms + S);
	world_is(&w, GETH_WS, CHECK_peers, LEVEL_CRIT, "geth: 0 peers (limit 5)");
}

/* Ticks that come late or often are no evaluations of their own. */
static void one_evaluation_a_second(void **state)
{
	uint64_t seq;

	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 10 * S);
	world_info(&w, GETH_WS, INFO_PEERS, 3, 0, 0, false);
	world_run(&w, 11 * S);
	seq = w.m->health.seq;
	for (unsigned i = 0; i < 100; i++)
		rig_tick(w.m, 11 * S + i);
	assert_int_equal(w.m->health.seq, seq);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_peers)->level, LEVEL_OK);
	rig_tick(w.m, 3600 * S);
	assert_int_equal(w.m->health.evaluated_mono, RIG_T0 + 3600 * NS_S);
}

/* ---- silent ---- */

static void silent(void **state)
{
	struct event e = { .kind = EV_REPLY, .path = GETH_WS, .u.reply = { .method = M_SUBSCRIBE, .latency_ns = 1000 } };

	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 120 * S);
	w.mask = ALL & ~(1u << GETH_WS);
	/* Blocks at 132, 144, 156: three times T since its last one is 156 s. */
	world_stays_ok(&w, GETH_WS, CHECK_silent, 156 * S);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_silent, LEVEL_WARN), 158 * S);
	world_is(&w, GETH_WS, CHECK_silent, LEVEL_WARN, "geth/ws: silent 38 s, geth/ipc advanced 3");
	/* Two new subscriptions bring nothing. */
	for (unsigned i = 0; i < 2; i++) {
		e.mono = RIG_T0 + w.ms * NS_MS;
		model_apply(w.m, &e);
		world_run(&w, w.ms + 4 * S);
		assert_int_equal(world_check(&w, GETH_WS, CHECK_silent)->level, i ? LEVEL_CRIT : LEVEL_WARN);
	}
	assert_non_null(strstr(world_check(&w, GETH_WS, CHECK_silent)->text, "→ resubscribed"));
	assert_int_equal(world_check(&w, RETH, CHECK_silent)->level, LEVEL_OK);
	/* The next block, at 168, comes on it. */
	w.mask = ALL;
	assert_int_equal(world_until(&w, GETH_WS, CHECK_silent, LEVEL_OK), 170 * S);
}

static void silent_just_below(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 120 * S);
	w.mask = ALL & ~(1u << GETH_WS);
	world_run(&w, 155 * S);
	w.mask = ALL;
	world_stays_ok(&w, GETH_WS, CHECK_silent, 200 * S);
	/* When nobody advances, nobody is silent. */
	w.mask = 0;
	world_stays_ok(&w, GETH_WS, CHECK_silent, 400 * S);
}

/* Two heads after each connect are no arrivals to be compared; the feed is not silent for that. */
static void silent_after_a_connect(void **state)
{
	(void)state;
	world_init(&w, 10, 2000);
	world_run(&w, 20 * S);
	rig_link(w.m, RETH, w.ms, LINK_WAITING, ST_RESET);
	rig_link(w.m, RETH, w.ms + 100, LINK_LIVE, ST_OK);
	w.mask = ALL & ~(1u << RETH);
	for (unsigned n = 11; n <= 13; n++) {
		struct head h = world_head(&w, n, n, n - 1);

		world_run(&w, n * 2000);
		rig_say(w.m, RETH, w.ms + 5, &h, n < 13 ? SRC_FIRST : SRC_PUSH);
	}
	w.mask = ALL;
	world_stays_ok(&w, RETH, CHECK_silent, 40 * S);
}

/* It was told the newest block when it connected, and never another. */
static void silent_from_the_start(void **state)
{
	struct head h;

	(void)state;
	world_init(&w, 10, 2000);
	w.mask = ALL & ~(1u << RETH);
	world_run(&w, 20 * S);
	h = world_head(&w, w.n, w.n, w.n - 1);
	rig_link(w.m, RETH, w.ms, LINK_WAITING, ST_RESET);
	rig_link(w.m, RETH, w.ms + 1, LINK_LIVE, ST_OK);
	rig_say(w.m, RETH, w.ms + 2, &h, SRC_BACKFILL);
	/* It stands since 20.001, its limit is 3 s; the next block, of 22 s, has to be known for 2 s: 24 and 25. */
	assert_int_equal(world_until(&w, RETH, CHECK_silent, LEVEL_WARN), 25 * S);
}

static void silent_poa(void **state)
{
	(void)state;
	world_init(&w, 56, 450);
	world_run(&w, 9 * S);
	w.mask = ALL & ~(1u << RETH);
	/* Its last block came 2 ms after 9 s: 3 s of silence are over at 12.002. */
	assert_int_equal(world_until(&w, RETH, CHECK_silent, LEVEL_WARN), 14 * S);
	assert_true(world_check(&w, RETH, CHECK_silent)->warn == 3);
}

/* ---- behind ---- */

static void behind(void **state)
{
	struct head h;

	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 120 * S);
	w.mask = ALL & ~(1u << INFURA);
	/* 12 s is not more than T; 24 s is, at the blocks of 144, 156, 168. */
	world_stays_ok(&w, INFURA, CHECK_behind, 168 * S);
	assert_int_equal(world_until(&w, INFURA, CHECK_behind, LEVEL_WARN), 169 * S);
	world_is(&w, INFURA, CHECK_behind, LEVEL_WARN, "infura: 4 blocks, 48 s behind geth");
	/* More than 36 s at 168, 180, 192. */
	assert_int_equal(world_until(&w, INFURA, CHECK_behind, LEVEL_CRIT), 193 * S);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_behind)->level, LEVEL_OK);
	h = world_head(&w, w.n, w.n, w.n - 1);
	world_run(&w, 200 * S - 250);
	rig_say(w.m, INFURA, w.ms + 1, &h, SRC_PUSH);
	w.mask = ALL;
	assert_int_equal(world_until(&w, INFURA, CHECK_behind, LEVEL_OK), 202 * S);
}

/* A block behind all the time is T behind, which is the limit and not beyond it. */
static void behind_just_below(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	w.mask = ALL & ~(1u << INFURA);
	for (uint64_t n = 2; n < 30; n++) {
		struct head h = world_head(&w, n - 1, n - 1, n - 2);

		world_run(&w, n * 12000);
		rig_say(w.m, INFURA, w.ms + 10, &h, SRC_PUSH);
	}
	world_stays_ok(&w, INFURA, CHECK_behind, w.ms + 6 * S);
}

static void behind_rollup(void **state)
{
	(void)state;
	world_init(&w, 10, 2000);
	world_run(&w, 20 * S);
	w.mask = ALL & ~(1u << RETH);
	/* More than 2 s at the blocks of 24, 26, 28; more than 10 s at 32, 34, 36. */
	assert_int_equal(world_until(&w, RETH, CHECK_behind, LEVEL_WARN), 29 * S);
	assert_int_equal(world_until(&w, RETH, CHECK_behind, LEVEL_CRIT), 37 * S);
}

/* ---- hash ---- */

/* infura builds its own branch on block 10, for so many blocks; then it is told the chain's. */
static void branch(uint64_t from, uint64_t to)
{
	w.mask = ALL & ~(1u << INFURA);
	for (uint64_t n = from; n <= to; n++) {
		struct head h = world_head(&w, n, 1000 + n, n == from ? n - 1 : 1000 + n - 1);

		world_run(&w, n * w.t_ms);
		rig_say(w.m, INFURA, w.ms + 3, &h, SRC_PUSH);
	}
}

static void hash_differs(void **state)
{
	struct hash theirs = rig_hash(1011), ours = rig_hash(11);
	char text[120];

	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 120 * S);
	branch(11, 13);
	/* Three below its head is block 10, which is everybody's. */
	world_stays_ok(&w, INFURA, CHECK_hash, 167 * S);
	branch(11 + 3, 14);
	/* Here from block 14 its parent is the chain's 13: begin anew with one that is really deep. */
	world_fini(&w);
	world_init(&w, 1, 12000);
	world_run(&w, 120 * S);
	branch(11, 14);
	assert_int_equal(world_until(&w, INFURA, CHECK_hash, LEVEL_CRIT), 169 * S);
	snprintf(text, sizeof(text), "infura: other chain since 11 (%02x%02x, geth has %02x%02x)", theirs.b[0], theirs.b[1],
		 ours.b[0], ours.b[1]);
	world_is(&w, INFURA, CHECK_hash, LEVEL_CRIT, text);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_hash)->level, LEVEL_OK);
	assert_int_equal(world_check(&w, RETH, CHECK_hash)->level, LEVEL_OK);
	/* The block of 180 it has in common with the others again. */
	w.mask = ALL;
	assert_int_equal(world_until(&w, INFURA, CHECK_hash, LEVEL_OK), 183 * S);
}

/* Where they parted is below what was heard: the lowest block known is no beginning. */
static void hash_differs_from_before(void **state)
{
	struct hash theirs = rig_hash(1011), ours = rig_hash(11);
	char text[120];

	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 120 * S);
	w.mask = ALL & ~(1u << INFURA);
	for (uint64_t n = 11; n <= 14; n++) {
		struct head h = world_head(&w, n, 1000 + n, n == 11 ? 9999 : 1000 + n - 1);

		world_run(&w, n * w.t_ms);
		rig_say(w.m, INFURA, w.ms + 3, &h, SRC_PUSH);
	}
	(void)world_until(&w, INFURA, CHECK_hash, LEVEL_CRIT);
	snprintf(text, sizeof(text), "infura: other chain since before 11 (%02x%02x, geth has %02x%02x)", theirs.b[0],
		 theirs.b[1], ours.b[0], ours.b[1]);
	world_is(&w, INFURA, CHECK_hash, LEVEL_CRIT, text);
}

/* Of two halves nobody knows which one is right; the branch that is followed changes with each head, the findings do not. */
static void hash_halves(void **state)
{
	unsigned count;

	(void)state;
	world_init(&w, 1, 12000);
	rig_link(w.m, GETH_IPC, 0, LINK_STOPPED, ST_OK);
	rig_link(w.m, RETH, 0, LINK_STOPPED, ST_OK);
	world_run(&w, 120 * S);
	branch(11, 14);
	world_run(&w, 170 * S);
	assert_int_equal(world_check(&w, INFURA, CHECK_hash)->level, LEVEL_CRIT);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_hash)->level, LEVEL_CRIT);
	count = world_check(&w, GETH_WS, CHECK_hash)->count;
	world_fini(&w);
	/* The same once more, for long. */
	world_init(&w, 1, 12000);
	rig_link(w.m, GETH_IPC, 0, LINK_STOPPED, ST_OK);
	rig_link(w.m, RETH, 0, LINK_STOPPED, ST_OK);
	world_run(&w, 120 * S);
	branch(11, 40);
	assert_int_equal(count, 1);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_hash)->count, 1);
	assert_int_equal(world_check(&w, INFURA, CHECK_hash)->count, 1);
	assert_int_equal(world_check(&w, INFURA, CHECK_hash)->level, LEVEL_CRIT);
}

static void hash_poa(void **state)
{
	(void)state;
	world_init(&w, 56, 450);
	world_run(&w, 9 * S);
	branch(21, 32);
	world_stays_ok(&w, INFURA, CHECK_hash, w.ms + 250);
	world_fini(&w);
	world_init(&w, 56, 450);
	world_run(&w, 9 * S);
	branch(21, 36);
	world_until(&w, INFURA, CHECK_hash, LEVEL_CRIT);
}

/* ---- finality ---- */

static void final_told(uint64_t to_ms, bool final, uint64_t number, uint64_t time_s)
{
	while (w.ms < to_ms) {
		world_tag(&w, GETH_WS, final, number, number, time_s);
		world_run(&w, w.ms + 60 * S < to_ms ? w.ms + 60 * S : to_ms);
	}
}

/* A final block of 20 s is all that is told. */
static void finality(uint64_t chain, uint64_t t_ms, bool final, uint64_t warn_s, uint64_t crit_s)
{
	static const enum level levels[] = { LEVEL_OK, LEVEL_OK, LEVEL_WARN };

	world_init(&w, chain, t_ms);
	world_run(&w, 20 * S);
	for (uint64_t i = 0; i < 3; i++) {
		final_told((20 + warn_s + i) * S, final, 1, 20);
		assert_true(world_chain_check(&w, CHECK_finality)->applies);
		assert_int_equal(world_chain_check(&w, CHECK_finality)->level, levels[i]);
	}
	for (uint64_t i = 0; i < 3; i++) {
		final_told((20 + crit_s + i) * S, final, 1, 20);
		assert_int_equal(world_chain_check(&w, CHECK_finality)->level, i < 2 ? LEVEL_WARN : LEVEL_CRIT);
	}
}

static void finality_slot(void **state)
{
	(void)state;
	finality(1, 12000, true, 1200, 1536);
	assert_string_equal(world_chain_check(&w, CHECK_finality)->text, "Ethereum: not finalising, last final 25 min ago");
	world_tag(&w, GETH_WS, true, 50, 50, w.ms / S - 100);
	assert_int_equal(world_chain_until(&w, CHECK_finality, LEVEL_OK), 1561 * S);
}

static void finality_bsc(void **state)
{
	(void)state;
	finality(56, 450, true, 15, 45);
}

static void finality_polygon(void **state)
{
	(void)state;
	finality(137, 2000, true, 180, 360);
}

static void finality_rollup(void **state)
{
	(void)state;
	finality(10, 2000, false, 900, 3600);
	assert_string_equal(world_chain_check(&w, CHECK_finality)->text, "OP Mainnet: not getting safe, last safe 60 min ago");
}

/* A tag that nobody tells any more says nothing about the chain. */
static void finality_not_told(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 60 * S);
	world_tag(&w, GETH_WS, true, 1, 1, 12);
	world_run(&w, 2000 * S);
	assert_false(world_chain_check(&w, CHECK_finality)->applies);
	assert_int_equal(world_chain_check(&w, CHECK_finality)->count, 0);
}

static void final_changed(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 60 * S);
	world_tag(&w, GETH_WS, true, 100, 100, 0);
	world_run(&w, 120 * S);
	world_tag(&w, GETH_IPC, true, 132, 132, 0);
	world_tag(&w, INFURA, true, 100, 100, 0); /* another node may be behind */
	world_stays_ok(&w, GETH_WS, CHECK_final_changed, 180 * S);
	world_tag(&w, GETH_WS, true, 132, 999, 0);
	world_run(&w, 181 * S);
	world_is(&w, GETH_WS, CHECK_final_changed, LEVEL_CRIT, "geth: finalized 132 changed its hash");
	assert_int_equal(world_check(&w, INFURA, CHECK_final_changed)->level, LEVEL_OK);
	/* Ten minutes later it is old news: held until 780 s, then three good ones. */
	assert_int_equal(world_until(&w, GETH_WS, CHECK_final_changed, LEVEL_OK), 782 * S);
	world_tag(&w, GETH_WS, true, 164, 164, 0);
	world_run(&w, 800 * S);
	world_tag(&w, GETH_IPC, true, 132, 999, 0);
	world_run(&w, 801 * S);
	world_is(&w, GETH_WS, CHECK_final_changed, LEVEL_CRIT, "geth: finalized went back, 164 → 132");
}

/* Paths come up in any order: what one of them told stays when the node's first path follows. */
static void final_before_the_first_path(void **state)
{
	static const struct path_setup setup[] = {
		{ .node = "geth", .via = "http", .show = "127.0.0.1:8545", .local = true },
		{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
	};
	struct model *m = w.m = model_new(setup, 2, RIG_T0, RIG_WALL0);
	struct event e = { .kind = EV_TAG, .path = 1, .mono = RIG_T0, .wall = RIG_WALL0,
			   .u.tag = { .final = 1, .code = ST_OK, .number = 100, .hash = rig_hash(100) } };

	(void)state;
	assert_non_null(m);
	rig_link(m, 1, 0, LINK_LIVE, ST_OK);
	rig_chain(m, 1, 0, 1, 7);
	(void)model_apply(m, &e);
	rig_link(m, 0, 100, LINK_POLLING, ST_OK);
	rig_chain(m, 0, 100, 1, 7);
	for (uint64_t ms = 0; ms <= 3000; ms += 250)
		rig_tick(m, ms);
	assert_true(health_node(m, 0)->check[CHECK_final_changed].applies);
	/* On another chain nothing of it holds. */
	rig_chain(m, 0, 4000, 56, 8);
	rig_chain(m, 1, 4000, 56, 8);
	for (uint64_t ms = 4000; ms <= 7000; ms += 250)
		rig_tick(m, ms);
	assert_false(health_node(m, 0)->check[CHECK_final_changed].applies);
}

/* ---- reorg ---- */

/* At block `at` all hear a branch that replaces the last `depth` blocks. */
static void reorganise(uint64_t at, unsigned depth)
{
	w.mask = 0;
	world_run(&w, at * w.t_ms);
	for (uint64_t n = at - depth; n <= at; n++) {
		struct head h = world_head(&w, n, n == at ? n : 5000 + n, n == at - depth ? n - 1 : 5000 + n - 1);

		for (unsigned i = 0; i < PATHS; i++)
			rig_say(w.m, i, w.ms + i, &h, SRC_PUSH);
	}
	w.mask = ALL;
}

static void reorg_depth(uint64_t chain, uint64_t t_ms, unsigned depth, enum level level)
{
	char text[120];

	world_init(&w, chain, t_ms);
	world_run(&w, 200 * t_ms - 250);
	reorganise(200, depth);
	world_run(&w, w.ms + 5 * S);
	assert_int_equal(world_chain_check(&w, CHECK_reorg)->level, level);
	assert_true(world_chain_check(&w, CHECK_reorg)->value == depth);
	snprintf(text, sizeof(text), "%s: reorg depth %u at %u", w.m->chains[0]->name, depth, 200 - depth);
	assert_string_equal(world_chain_check(&w, CHECK_reorg)->text, text);
}

static void reorg_limits(void **state)
{
	static const struct {
		uint64_t chain, t_ms;
		unsigned warn, crit;
	} kinds[] = { { 1, 12000, 2, 3 }, { 56, 450, 3, 12 }, { 137, 2000, 32, 128 }, { 10, 2000, 1, 3 } };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		if (kinds[i].warn > 1) {
			reorg_depth(kinds[i].chain, kinds[i].t_ms, kinds[i].warn - 1, LEVEL_OK);
			world_fini(&w);
		}
		reorg_depth(kinds[i].chain, kinds[i].t_ms, kinds[i].warn, LEVEL_WARN);
		world_fini(&w);
		reorg_depth(kinds[i].chain, kinds[i].t_ms, kinds[i].crit - 1, LEVEL_WARN);
		world_fini(&w);
		reorg_depth(kinds[i].chain, kinds[i].t_ms, kinds[i].crit, LEVEL_CRIT);
		if (i < 3)
			world_fini(&w);
	}
}

static void reorg_is_over(void **state)
{
	(void)state;
	reorg_depth(1, 12000, 3, LEVEL_CRIT);
	/* It was decided at the end of block 200 (2400 s): held for 600 s. */
	assert_in_range(world_chain_until(&w, CHECK_reorg, LEVEL_OK), 3002 * S, 3004 * S);
}

/* ---- head went back ---- */

/* An old backend answers so many polls in a row, then the one that is up to date again. */
static void fall_back(unsigned polls)
{
	struct head now = world_head(&w, w.n, w.n, w.n - 1), old = world_head(&w, w.n - 1, w.n - 1, w.n - 2);

	rig_say(w.m, INFURA, w.ms + 1, &now, SRC_POLL);
	for (unsigned i = 0; i < polls; i++)
		rig_say(w.m, INFURA, w.ms + 10 + i, &old, SRC_POLL);
	rig_say(w.m, INFURA, w.ms + 100, &now, SRC_POLL);
}

static void head_back(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 241 * S);
	assert_int_equal(world_check(&w, INFURA, CHECK_head_back)->level, LEVEL_OK);
	fall_back(5);
	assert_int_equal(world_until(&w, INFURA, CHECK_head_back, LEVEL_WARN), 243 * S);
	world_is(&w, INFURA, CHECK_head_back, LEVEL_WARN, "infura: head fell 20 → 19: several backends");
	assert_true(world_check(&w, INFURA, CHECK_head_back)->value == 1);
	/* It fell at 241.01: ten minutes until 841.01. */
	assert_int_equal(world_until(&w, INFURA, CHECK_head_back, LEVEL_OK), 844 * S);
}

static void head_back_often(void **state)
{
	(void)state;
	for (unsigned n = 5; n <= 6; n++) {
		world_init(&w, 1, 12000);
		world_run(&w, 241 * S);
		for (unsigned i = 0; i < n; i++) {
			fall_back(1);
			world_run(&w, w.ms + 12 * S);
		}
		assert_int_equal(world_check(&w, INFURA, CHECK_head_back)->level, n == 6 ? LEVEL_CRIT : LEVEL_WARN);
		if (n == 5)
			world_fini(&w);
	}
}

/* A reorganisation goes back, too, but to another branch; a node that is started anew begins where it was. */
static void head_back_is_no_reorg(void **state)
{
	struct head h;

	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 241 * S);
	h = world_head(&w, 19, 5019, 18);
	rig_say(w.m, INFURA, w.ms + 10, &h, SRC_PUSH);
	world_run(&w, 250 * S);
	rig_link(w.m, INFURA, 250 * S, LINK_WAITING, ST_RESET);
	rig_link(w.m, INFURA, 250 * S + 500, LINK_LIVE, ST_OK);
	h = world_head(&w, 17, 17, 16);
	rig_say(w.m, INFURA, 250 * S + 600, &h, SRC_FIRST);
	world_stays_ok(&w, INFURA, CHECK_head_back, 300 * S);
}

/* ---- body lag ---- */

static void body_lag(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	/* Bodies 5 s after their heads: T/2 is 6 s. Then 7 s, then 13 s. Nine of ten samples are the p90. */
	for (unsigned round = 0; round < 3; round++) {
		static const uint64_t lag_ms[] = { 5000, 7000, 13000 };

		for (unsigned k = 0; k < 100; k++) {
			struct head h;

			world_run(&w, (w.n + 1) * w.t_ms);
			h = world_head(&w, w.n, w.n, w.n - 1);
			rig_block(w.m, GETH_WS, w.ms + lag_ms[round], w.ms + lag_ms[round], rig_body(&h, 1, w.n), SRC_PUSH);
		}
		world_run(&w, w.ms + 5 * S);
		assert_int_equal(world_check(&w, GETH_WS, CHECK_body_lag)->level, round == 0 ? LEVEL_OK :
				 round == 1 ? LEVEL_WARN : LEVEL_CRIT);
		if (round == 1)
			world_is(&w, GETH_WS, CHECK_body_lag, LEVEL_WARN,
				 "geth/ws: announces blocks 7 s before it can serve them");
	}
	/* No body for ten minutes: nothing is known. */
	world_run(&w, w.ms + 620 * S);
	world_not_here(&w, GETH_WS, CHECK_body_lag, "fewer than 8 bodies");
}

/* ---- syncing ---- */

static void syncing(void **state)
{
	(void)state;
	world_init(&w, 1, 12000);
	world_run(&w, 60 * S);
	world_info(&w, RETH, INFO_SYNC, 0, 0, 0, false);
	world_stays_ok(&w, RETH, CHECK_sync, 63 * S);
	world_info(&w, RETH, INFO_SYNC, 715, 1000, 0, true);
	assert_int_equal(world_until(&w, RETH, CHECK_sync, LEVEL_WARN), 65 * S);
	world_is(&w, RETH, CHECK_sync, LEVEL_WARN, "reth: syncing 71 %");
	world_not_here(&w, RETH, CHECK_age, "syncing");
	world_not_here(&w, RETH, CHECK_behind, "syncing");
	/* It stands still at block 5, of 60 s, until that is 10 T old. */
	w.mask = ALL & ~(1u << RETH);
	assert_int_equal(world_until(&w, RETH, CHECK_sync, LEVEL_CRIT), 182 * S);
	world_info(&w, RETH, INFO_SYNC, 0, 0, 0, false);
	assert_int_equal(world_until(&w, RETH, CHECK_sync, LEVEL_OK), 185 * S);
	assert_true(world_check(&w, RETH, CHECK_age)->applies);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(age_slot), T(age_text), T(age_gnosis), T(age_poa), T(age_rollup), T(age_not_on_dev_chains),
		T(age_by_the_clock), T(two_bad_raise_three_good_clear), T(one_evaluation_a_second), T(silent),
		T(silent_just_below), T(silent_poa), T(silent_after_a_connect), T(silent_from_the_start),
		T(behind), T(behind_just_below), T(behind_rollup), T(hash_differs),
		T(hash_differs_from_before),
		T(hash_halves), T(hash_poa), T(finality_slot), T(finality_bsc), T(finality_polygon), T(finality_rollup),
		T(finality_not_told),
		T(final_changed), T(final_before_the_first_path), T(reorg_limits), T(reorg_is_over), T(head_back),
		T(head_back_often), T(head_back_is_no_reorg),
		T(body_lag), T(syncing),
	};

	return cmocka_run_group_tests_name("health_heads", tests, NULL, NULL);
}
