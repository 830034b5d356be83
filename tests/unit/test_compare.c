/* ui/panes of view 5: endpoints side by side as in screens.md §2 and by the rules of §3, methods, errors, a path's page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "mockup.h"
#include "pane_shot.h"
#include "model/compare.h"
#include "ui/text.h"
#include "ui/ui.h"

extern const struct pane_class pane_compare, pane_methods, pane_errors, pane_path;

#define T0 (5000 * NS_S)
#define W0 (MOCKUP_HEAD_S * NS_S)

enum { HEADS = 50, GETH_WS = 0, GETH_IPC, INFURA, GETH_HTTP, ANKR, PATHS };

static struct event event(enum event_kind kind, unsigned path, uint64_t us)
{
	return (struct event){ .kind = (uint16_t)kind, .path = (uint16_t)path, .mono = T0 + us * NS_US, .wall = W0 + us * NS_US };
}

static void hear(struct model *m, unsigned path, unsigned i, uint64_t after_us, enum head_source source)
{
	struct event e = event(EV_HEAD, path, i * UINT64_C(12000000) + 1700000 + after_us);

	e.u.head.source = (uint8_t)source;
	e.u.head.h = (struct head){
		.hash = mockup_hash(MOCKUP_NUMBER - HEADS + 1 + i, false),
		.parent = mockup_hash(MOCKUP_NUMBER - HEADS + i, false),
		.number = MOCKUP_NUMBER - HEADS + 1 + i,
		.time_ms = (MOCKUP_HEAD_S + 12 * i) * 1000,
		.gas_limit = 60000000,
		.base_fee = u256_from64(9481925155),
		.has = H_HASH | H_NUMBER | H_PARENT | H_BASE_FEE,
	};
	model_apply(m, &e);
}

/* After so many µs, by head: 20 that ws hears first, 18 that ipc does, 10 too close to tell, 2 that infura does. */
static uint64_t delay(unsigned path, unsigned i)
{
	unsigned part = i < 20 ? 0 : i < 38 ? 1 : i < 48 ? 2 : 3;
	static const uint64_t us[3][4] = { { 0, 500, 50, 400 }, { 500, 0, 20, 400 }, { 180000, 180000, 180000, 0 } };

	/* The slowest of each: its p99, the 50th of 50. */
	if (path == GETH_WS && i == 30)
		return 1200;
	if (path == GETH_IPC && i == 10)
		return 2000;
	if (path == INFURA && i == 40)
		return 640000;
	return us[path][part];
}

/* The figures of a path by hand; the same in every window. */
static void set_calls(struct path *p, const struct call_stats *c)
{
	for (unsigned w = 0; w < RACE_WINDOWS; w++)
		p->span[w] = *c;
}

/* The picture: two transports of one node that tie, a hosted one later on nearly every head, two that are polled. */
static struct model *picture(void)
{
	static const struct path_setup setup[] = {
		{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
		{ .node = "geth", .via = "ipc", .show = "/data/geth.ipc", .push = true, .local = true },
		{ .node = "infura", .via = "wss", .show = "mainnet.infura.io", .push = true, .budget_day = 50000 },
		{ .node = "geth", .via = "http", .show = "127.0.0.1:8545", .local = true },
		{ .node = "ankr", .via = "http", .show = "rpc.ankr.com" },
	};
	static const struct {
		uint64_t usable_ms, call_us, call99_us, ok, failed, poll_ms;
		double xfer, calls, mb;
	} figure[PATHS] = {
		{ 38, 400, 3100, 141, 0, 0, 412e6, 5, 0.09 },
		{ 35, 300, 2200, 141, 0, 0, 980e6, 5, 1.44 },
		{ 402, 41000, 210000, 39, 1, 0, 9.1e6, 4, 0.09 },
		{ 61, 900, 4400, 1260, 0, 500, 388e6, 126, 0.10 },
		{ 0, 88000, 900000, 366, 234, 1000, (double)NAN, 60, 0.04 },
	};
	struct model *m = model_new(setup, PATHS, T0 - 60 * NS_S, W0 - 60 * NS_S);
	struct event e;

	assert_non_null(m);
	for (unsigned p = 0; p < PATHS; p++) {
		e = event(EV_LINK, p, 0);
		e.u.link.state = setup[p].push ? LINK_LIVE : LINK_POLLING;
		snprintf(e.u.link.via, sizeof(e.u.link.via), "%s", setup[p].via);
		model_apply(m, &e);
		e = event(EV_CHAIN, p, 0);
		e.u.chain.id = 1;
		e.u.chain.ok = true;
		e.u.chain.genesis.b[0] = 0xd4;
		model_apply(m, &e);
	}
	for (unsigned i = 0; i < HEADS; i++) {
		for (unsigned p = GETH_WS; p <= INFURA; p++)
			hear(m, p, i, delay(p, i), SRC_PUSH);
		hear(m, GETH_HTTP, i, 250000, SRC_POLL);
		if (i < HEADS - 1)
			hear(m, ANKR, i, 700000, SRC_POLL);
		model_tick(m, T0 + (i * 12 + 6) * NS_S, W0 + (i * 12 + 6) * NS_S);
	}
	model_tick(m, T0 + HEADS * 12 * NS_S, W0 + HEADS * 12 * NS_S);
	chain_by_number(m->chains[0], MOCKUP_NUMBER - 4)->truth = TRUTH_YES;
	for (unsigned k = 0; k < PATHS; k++) {
		struct path *p = m->paths[k];
		struct call_stats c = {
			.n = figure[k].ok + figure[k].failed,
			.failed = figure[k].failed,
			.timed = figure[k].ok,
			.p50 = figure[k].call_us * NS_US,
			.p99 = figure[k].call99_us * NS_US,
			/* Known to a tenth of it. */
			.p99_low = figure[k].call99_us * NS_US / 20 * 19,
			.p99_high = figure[k].call99_us * NS_US / 20 * 21,
			.usable_n = figure[k].usable_ms ? 50 : 0,
			.usable_p90 = figure[k].usable_ms ? figure[k].usable_ms * NS_MS : UNKNOWN,
			.usable_low = figure[k].usable_ms ? figure[k].usable_ms * NS_MS / 20 * 19 : UNKNOWN,
			.usable_high = figure[k].usable_ms ? figure[k].usable_ms * NS_MS / 20 * 21 : UNKNOWN,
			.xfer_bytes_per_s = figure[k].xfer,
			.calls_per_min = figure[k].calls,
			.bytes_per_min = figure[k].mb * 1e6,
		};

		c.by_code[ST_RATE] = k == INFURA;
		c.by_code[ST_TIMEOUT] = k == ANKR ? 234 : 0;
		set_calls(p, &c);
		p->method[M_BLOCK_BY_HASH].n = c.n;
		p->method[M_BLOCK_BY_HASH].failed = c.failed;
		p->method[M_BLOCK_BY_HASH].p50 = c.p50;
		p->method[M_BLOCK_BY_HASH].p99 = c.p99;
		p->method[M_BLOCK_BY_HASH].bytes = 12345678;
		p->poll_interval_ns = figure[k].poll_ms ? figure[k].poll_ms * NS_MS : UNKNOWN;
	}
	m->paths[INFURA]->errors.by_code[ST_RATE] = 1;
	m->paths[ANKR]->errors.by_code[ST_TIMEOUT] = 234;
	m->paths[ANKR]->errors.last_mono = m->now_mono - 12 * NS_S;
	snprintf(m->paths[ANKR]->errors.last, sizeof(m->paths[ANKR]->errors.last), "no answer within 5 s");
	m->paths[ANKR]->backs = 3;
	m->paths[GETH_HTTP]->method[M_TXPOOL].n = 1;
	m->paths[GETH_HTTP]->method[M_TXPOOL].unsupported = ST_UNSUPPORTED;
	return m;
}

/* ---- the picture ---- */

static void as_drawn(void **state)
{
	static const char *const line[] = {
		"┌ 5 Endpoints · Ethereum · last 10 m = 50 heads · searcher ─",
		"─ w window  X rows⇄columns  o order  Enter detail ┐\n",
		"│                                 1= geth ws       1= geth ipc      3 infura wss    poll geth http       — ankr http  ",
		"│ TRUTH head                      25,490,415        25,490,415        25,490,415        25,490,415          1 behind ",
		"│       hash at head−3              21be00 ✓              same              same              same              same  ",
		"│       backends seen                      1                 1                 1                 1      ≥ 2  back 3× ",
		"│ FRESH behind p50 / p99      0.0 / 1.2 ms =    0.0 / 2.0 ms =      180 / 640 ms     ≤ 500 ms poll     ≤ 1.00 s poll  ",
		"│       won (95 % range)        40 % (28–54)      36 % (24–50)        4 % (1–13)        not ranked        not ranked  ",
		"│       body usable p90              38 ms =           35 ms =            402 ms             61 ms                 —  ",
		"│ SPEED call p50 / p99          0.4 / 3.1 ms    0.3 / 2.2 ms *       41 / 210 ms      0.9 / 4.4 ms       88 / 900 ms  ",
		"│       in transfer                 412 MB/s        980 MB/s *          9.1 MB/s          388 MB/s                 —  ",
		"│ RELY  calls ok                     100 % =           100 % =   97.5 %  1 × 429           100 % = 61 % 234 timeouts ",
		"│       heads missed / dup             0 / 0             0 / 0             0 / 0                 —                 —  ",
		"│ COST  per minute              5 c  0.09 MB      5 c  1.44 MB      4 c  0.09 MB    126 c  0.10 MB     60 c  0.04 MB  ",
		"│ geth ws and geth ipc tie (20:18, p 0.87). infura wss hears 180 ms later on 96 % of 50 heads (p < 0.001). ",
		"└ * best   = no measurable difference from best   — not available   ≤ limited by our own polling ─",
		NULL,
	};
	struct model *m = picture();
	const char *f = show(&pane_compare, m, 120, 15);

	(void)state;
	for (unsigned i = 0; line[i]; i++)
		has(f, line[i]);
	model_free(m);
}

static void a_sentence(const struct model *m, enum rank_by by, const char *headline, const char *sentence)
{
	struct compare c;
	char text[1024];

	compare_make(&c, m, by, RACE_10M);
	compare_headline(&c, text, sizeof(text));
	assert_string_equal(text, headline);
	compare_sentence(&c, text, sizeof(text));
	assert_string_equal(text, sentence);
}

static void the_sentence(void **state)
{
	struct model *m = picture();

	(void)state;
	a_sentence(m, RANK_SEARCHER,
		   "Best for a searcher: geth ws and geth ipc tie (body usable p90 38 ms, 35 ms; next 402 ms).",
		   "geth ws and geth ipc tie (20:18, p 0.87). infura wss hears 180 ms later on 96 % of 50 heads (p < 0.001). "
		   "ankr http fails 39 % of its 600 calls.");
	/* Calls are what an app is about: polled paths have a rank, too. */
	a_sentence(m, RANK_APP, "Best for an app: geth ipc (call p99, then failures 2.2 ms; next 3.1 ms).",
		   "ankr http fails 39 % of its 600 calls.");
	/* Lines where there is room, broken between sentences. */
	has(show(&pane_compare, m, 120, 17),
	    "│ Best for a searcher: geth ws and geth ipc tie (body usable p90 38 ms, 35 ms; next 402 ms).  ");
	has(again(m, 120, 17),
	    "│ geth ws and geth ipc tie (20:18, p 0.87). infura wss hears 180 ms later on 96 % of 50 heads (p < 0.001).   ");
	has(again(m, 120, 17), "│ ankr http fails 39 % of its 600 calls.   ");
	model_free(m);
}

/* Twelve heads are no order. */
static void too_few(void **state)
{
	struct model *m = picture();
	struct compare c;
	char text[1024];

	(void)state;
	m->now_mono += 456 * NS_S; /* those of the first 456 s have left: 12 are there */
	a_sentence(m, RANK_SEARCHER, "No order: 12 of 30 heads needed.",
		   "ankr http fails 39 % of its 600 calls.");
	has(show(&pane_compare, m, 120, 15), "│ No order: 12 of 30 heads needed. ankr http fails 39 % of its 600 calls.  ");
	has(show(&pane_compare, m, 120, 17), "│ No order: 12 of 30 heads needed.  ");
	has(again(m, 120, 17),
	    "│                                    geth ws          geth ipc        infura wss    poll geth http ");
	/* All of them are more. */
	compare_make(&c, m, RANK_SEARCHER, RACE_ALL);
	compare_headline(&c, text, sizeof(text));
	has(text, "Best for a searcher: geth ws and geth ipc tie");
	model_free(m);
}

/* ---- rules ---- */

static void a_cell(const struct model *m, enum compare_row row, unsigned path, const char *want)
{
	struct compare c;
	struct compare_cell cell;

	compare_make(&c, m, RANK_SEARCHER, RACE_10M);
	compare_cell(&c, row, path, &cell);
	assert_string_equal(cell.text, want);
}

static void rename_block(struct path *p, uint64_t number)
{
	for (unsigned i = 0; i < p->heard_n; i++)
		if (p->heard[i].number == number)
			p->heard[i].hash = mockup_hash(number, true);
}

static enum gate gate_of(const struct model *m, unsigned path)
{
	struct ranking r;

	ranking_make(&r, m, RANK_SEARCHER, RACE_10M);
	return r.gate[path];
}

static void truth(void **state)
{
	struct model *m = picture();
	struct path *p = m->paths[INFURA];

	(void)state;
	/* Another block at the height that is compared: 3 below the lowest head. */
	rename_block(p, MOCKUP_NUMBER - 4);
	a_cell(m, CMP_HASH, INFURA, "e01f00 DIFFERS");
	a_cell(m, CMP_HASH, GETH_HTTP, "same");
	assert_int_equal(gate_of(m, INFURA), GATE_HASH);
	assert_int_equal(gate_of(m, GETH_WS), GATE_OPEN);
	a_sentence(m, RANK_SEARCHER, "Best for a searcher: geth ws and geth ipc tie (body usable p90 38 ms, 35 ms).",
		   "geth ws and geth ipc tie (20:18, p 0.87). infura wss has another block 25,490,411: e01f00. "
		   "ankr http fails 39 % of its 600 calls.");
	p->other_chain = p->wrong_chain = true;
	a_cell(m, CMP_HEAD, INFURA, "WRONG CHAIN 1");
	a_cell(m, CMP_HASH, INFURA, "—");
	assert_int_equal(gate_of(m, INFURA), GATE_CHAIN);
	p->heard_n = 0;
	a_cell(m, CMP_HASH, INFURA, "—");
	p->state = LINK_WAITING;
	assert_int_equal(gate_of(m, INFURA), GATE_DOWN);
	model_free(m);
}

/* Nodes have a voice each, not paths; as many on one side as on the other decide nothing. */
static void majorities(void **state)
{
	struct model *m = picture();
	char text[1024];
	struct compare c;

	(void)state;
	m->paths[ANKR]->state = LINK_WAITING;
	/* Now the lowest head is one higher. Three paths of geth are one node, infura is another. */
	rename_block(m->paths[INFURA], MOCKUP_NUMBER - 3);
	a_cell(m, CMP_HASH, INFURA, "e01f00 SPLIT");
	a_cell(m, CMP_HASH, GETH_WS, "21be00 SPLIT");
	assert_int_equal(gate_of(m, INFURA), GATE_OPEN);
	compare_make(&c, m, RANK_SEARCHER, RACE_10M);
	compare_sentence(&c, text, sizeof(text));
	has(text, "Two branches at 25490412: who is right cannot be told.");
	/* One of them is proven wrong: it has no voice. */
	chain_by_number(m->chains[0], MOCKUP_NUMBER - 3)->truth = TRUTH_NO;
	a_cell(m, CMP_HASH, INFURA, "e01f00");
	a_cell(m, CMP_HASH, GETH_WS, "21be00 DIFFERS");
	model_free(m);
}

/* Who is far behind does not choose the height: else a stuck node would hide what the others differ in. */
static void stuck_is_left_out(void **state)
{
	struct model *m = picture();
	struct ranking r;

	(void)state;
	m->paths[ANKR]->head_number -= 1000;
	m->paths[ANKR]->behind_blocks = 1001;
	ranking_make(&r, m, RANK_SEARCHER, RACE_10M);
	assert_int_equal(r.height, MOCKUP_NUMBER - 3);
	model_free(m);
}

static void ties_and_bests(void **state)
{
	struct model *m = picture();
	struct ranking r;

	(void)state;
	/* Ranges that touch are no difference, ranges apart are one. */
	m->paths[GETH_IPC]->span[RACE_10M].usable_high = 36100 * NS_US;
	a_cell(m, CMP_USABLE, GETH_WS, "38 ms =");
	m->paths[GETH_IPC]->span[RACE_10M].usable_high = 36099 * NS_US;
	a_cell(m, CMP_USABLE, GETH_WS, "38 ms");
	a_cell(m, CMP_USABLE, GETH_IPC, "35 ms *");
	ranking_make(&r, m, RANK_SEARCHER, RACE_10M);
	assert_int_equal(r.rank[GETH_IPC], 1);
	assert_int_equal(r.rank[GETH_WS], 2);
	assert_false(r.tied[GETH_IPC]);
	/* A failure is never rounded away. */
	m->paths[GETH_WS]->span[RACE_10M].n = 99999;
	m->paths[GETH_WS]->span[RACE_10M].failed = 1;
	a_cell(m, CMP_OK, GETH_WS, "99.99 % =");
	/* Nobody is best alone, and who is down is not compared. */
	for (unsigned i = 1; i < PATHS; i++)
		m->paths[i]->state = LINK_WAITING;
	a_cell(m, CMP_CALL, GETH_WS, "0.4 / 3.1 ms");
	a_cell(m, CMP_CALL, GETH_IPC, "0.3 / 2.2 ms");
	a_sentence(m, RANK_SEARCHER, "No order: geth ws is alone.",
		   "geth ipc is down. infura wss is down. geth http is down. ankr http is down.");
	model_free(m);
}

/* Below 8 bodies a path's p90 is noise: then heads decide, and the headline says so. */
static void heads_decide_without_bodies(void **state)
{
	struct model *m = picture();
	struct ranking r;

	(void)state;
	m->paths[INFURA]->span[RACE_10M].usable_n = 7;
	ranking_make(&r, m, RANK_SEARCHER, RACE_10M);
	assert_int_equal(r.key, KEY_HEARD);
	assert_int_equal(r.rank[GETH_WS], 1);
	assert_int_equal(r.rank[GETH_IPC], 1);
	assert_int_equal(r.rank[INFURA], 3);
	a_sentence(m, RANK_SEARCHER,
		   "Best for a searcher: geth ws and geth ipc tie (head heard p50 0.0 ms, 0.0 ms; next 180 ms).",
		   "geth ws and geth ipc tie (20:18, p 0.87). infura wss hears 180 ms later on 96 % of 50 heads (p < 0.001). "
		   "ankr http fails 39 % of its 600 calls.");
	model_free(m);
}

/* Where latencies cannot be told apart the share that fails decides, if that can. */
static void failures_decide_for_apps(void **state)
{
	struct model *m = picture();
	struct call_stats *a = &m->paths[GETH_WS]->span[RACE_10M], *b = &m->paths[GETH_IPC]->span[RACE_10M];
	struct ranking r;

	(void)state;
	*b = *a;
	a->n = b->n = 1000;
	a->failed = 40;
	b->failed = 30; /* Wilson: 2.1 to 4.3 % beside 2.9 to 5.4 % */
	ranking_make(&r, m, RANK_APP, RACE_10M);
	assert_true(r.tied[GETH_WS] && r.tied[GETH_IPC]);
	b->failed = 5; /* 0.2 to 1.2 % */
	ranking_make(&r, m, RANK_APP, RACE_10M);
	assert_int_equal(r.rank[GETH_IPC], 1);
	assert_int_equal(r.rank[GETH_WS], 2);
	assert_int_equal(r.rank[GETH_HTTP], 3); /* 4.4 ms: polled, and ranked all the same */
	/* 5 % may fail, more may not; of 19 calls nothing is known. */
	a->failed = 50;
	assert_int_equal(gate_of(m, GETH_WS), GATE_OPEN);
	a->failed = 51;
	assert_int_equal(gate_of(m, GETH_WS), GATE_FAILS);
	a->n = 19;
	a->failed = 5;
	assert_int_equal(gate_of(m, GETH_WS), GATE_OPEN);
	model_free(m);
}

/* Trap e: heads that we ask for say how often we ask. */
static void polled_alone(void **state)
{
	struct model *m = picture();

	(void)state;
	for (unsigned i = GETH_WS; i <= INFURA; i++)
		m->paths[i]->state = LINK_WAITING;
	a_sentence(m, RANK_SEARCHER,
		   "No order: heads are polled, so that only our own asking would be measured; --rank app compares calls.",
		   "geth ws is down. geth ipc is down. infura wss is down. ankr http fails 39 % of its 600 calls.");
	a_sentence(m, RANK_APP, "No order: geth http is alone.",
		   "geth ws is down. geth ipc is down. infura wss is down. ankr http fails 39 % of its 600 calls.");
	model_free(m);
}

/* One path has enough calls, another has not yet: what is lacking is counted, not what is there. */
static void the_second_has_too_few(void **state)
{
	struct model *m = picture();

	(void)state;
	m->paths[GETH_IPC]->state = m->paths[INFURA]->state = m->paths[ANKR]->state = LINK_WAITING;
	m->paths[GETH_WS]->span[RACE_10M].timed = 12;
	a_sentence(m, RANK_APP, "No order: 12 of 30 calls needed.",
		   "geth ipc is down. infura wss is down. ankr http is down.");
	model_free(m);
}

/* Nobody races alone: waiting for heads would not help. */
static void one_that_is_pushed(void **state)
{
	struct model *m = picture();

	(void)state;
	m->paths[GETH_IPC]->state = m->paths[INFURA]->state = m->paths[ANKR]->state = LINK_WAITING;
	m->now_mono += 300 * NS_S;
	a_sentence(m, RANK_SEARCHER,
		   "No order: geth ws is alone, for heads that are polled are not ranked; --rank app compares calls.",
		   "geth ipc is down. infura wss is down. ankr http is down.");
	model_free(m);
}

/* Trap c: what one node alone cannot do. */
static void backends(void **state)
{
	struct model *m = picture();

	(void)state;
	a_cell(m, CMP_BACKENDS, ANKR, "≥ 2  back 3×");
	m->paths[INFURA]->own_nulls = 2;
	a_cell(m, CMP_BACKENDS, INFURA, "≥ 2  null 2×");
	m->paths[GETH_WS]->client_backs = 1;
	a_cell(m, CMP_BACKENDS, GETH_WS, "≥ 2  versions");
	model_free(m);
}

/* Trap g: two doors of one node. */
static void overhead_of_a_transport(void **state)
{
	static const struct path_setup setup[] = {
		{ .node = "geth", .via = "ws", .show = "a", .push = true },
		{ .node = "geth", .via = "ipc", .show = "b", .push = true },
	};
	struct model *m = model_new(setup, 2, T0 - 60 * NS_S, W0 - 60 * NS_S);
	struct compare c;
	struct event e;

	(void)state;
	assert_non_null(m);
	for (unsigned p = 0; p < 2; p++) {
		e = event(EV_LINK, p, 0);
		e.u.link.state = LINK_LIVE;
		snprintf(e.u.link.via, sizeof(e.u.link.via), "%s", setup[p].via);
		model_apply(m, &e);
		e = event(EV_CHAIN, p, 0);
		e.u.chain.id = 1;
		e.u.chain.ok = true;
		model_apply(m, &e);
	}
	for (unsigned i = 0; i < HEADS; i++) {
		hear(m, 0, i, 0, SRC_PUSH);
		hear(m, 1, i, 2600, SRC_PUSH);
		model_tick(m, T0 + (i * 12 + 6) * NS_S, W0 + (i * 12 + 6) * NS_S);
	}
	a_sentence(m, RANK_SEARCHER, "Best for a searcher: geth ws (head heard p50 0.0 ms; next 2.6 ms).",
		   "geth ipc costs 2.6 ms more than ws (100 % of 50 heads, p < 0.001).");
	/* Nobody won: there was no race. */
	a_cell(m, CMP_WON, 0, "—");
	compare_make(&c, m, RANK_SEARCHER, RACE_ALL);
	assert_int_equal(c.r.ranked, 2);
	assert_int_equal(c.r.rank[1], 2);
	model_free(m);
}

static void a_day(void **state)
{
	struct model *m = picture();
	struct compare c;
	char text[200];

	(void)state;
	compare_make(&c, m, RANK_SEARCHER, RACE_10M);
	compare_day(&c, GETH_IPC, text, sizeof(text)); /* 5 × 1440; 1.44 MB × 1440 = 2.07 GB */
	assert_string_equal(text, "7,200 calls, 2.1 GB");
	compare_day(&c, INFURA, text, sizeof(text)); /* 4 × 1440 = 5,760 = 11.5 % */
	assert_string_equal(text, "5,760 calls (12 % of 50,000), 130 MB");
	m->paths[INFURA]->span[RACE_10M].calls_per_min = (double)NAN;
	compare_day(&c, INFURA, text, sizeof(text));
	assert_string_equal(text, "");
	/* A budget is the node's: 5 + 5 + 126 calls a minute. */
	for (unsigned i = 0; i < PATHS; i++)
		if (i != INFURA && i != ANKR)
			m->paths[i]->budget_day = 100000;
	compare_day(&c, GETH_WS, text, sizeof(text));
	assert_string_equal(text, "195,840 calls (196 % of 100,000), 2.3 GB");
	model_free(m);
}

static void unknown_is_unknown(void **state)
{
	struct model *m = mockup_empty(3);

	(void)state;
	for (unsigned row = 0; row < CMP_N; row++)
		a_cell(m, (enum compare_row)row, 0, "—");
	has(show(&pane_compare, m, 120, 15), "5 Endpoints · last 10 m = 0 heads · searcher");
	has(show(&pane_methods, m, 60, 8), "nothing called so far");
	has(show(&pane_errors, m, 60, 8), "none so far");
	model_free(m);
}

/* ---- keys ---- */

static void windows_and_orders(void **state)
{
	struct model *m = picture();

	(void)state;
	has(show(&pane_compare, m, 120, 17), "last 10 m = 50 heads · searcher");
	pane.class->command(&pane, m, UI_WINDOW);
	has(again(m, 120, 17), "last 1 h = 50 heads · searcher");
	pane.class->command(&pane, m, UI_WINDOW);
	has(again(m, 120, 17), "50 heads in 11m00s · searcher");
	pane.class->command(&pane, m, UI_ORDER);
	has(again(m, 120, 17), "50 heads in 11m00s · app");
	has(again(m, 120, 17), "│ Best for an app: geth ipc");
	pane.class->command(&pane, m, UI_WINDOW);
	pane.class->command(&pane, m, UI_ORDER);
	has(again(m, 120, 17), "last 10 m = 50 heads · operator");
	pane.class->command(&pane, m, UI_ORDER);
	has(again(m, 120, 17), "last 10 m = 50 heads · searcher");
	model_free(m);
}

static void paths_as_rows(void **state)
{
	struct model *m = picture();
	const char *f;

	(void)state;
	show(&pane_compare, m, 160, 14);
	pane.class->command(&pane, m, UI_TRANSPOSE);
	f = again(m, 160, 14);
	has(f,
	    "│                      TRUTH                                            FRESH                                   ");
	has(f,
	    "│                       head  hash at head−3  backends seen  behind p50 / p99  won (95 % range)  body usable p90");
	has(f,
	    "│ 1= geth ws      25,490,415        21be00 ✓              1    0.0 / 1.2 ms =      40 % (28–54)          38 ms =");
	has(f,
	    "│ 3 infura wss    25,490,415            same              1      180 / 640 ms        4 % (1–13)           402 ms");
	has(f,
	    "│ — ankr http       1 behind            same   ≥ 2  back 3×     ≤ 1.00 s poll        not ranked                —");
	has(f, "1–8 of 11");
	for (unsigned i = 0; i < 5; i++) {
		pane.class->command(&pane, m, UI_COL_NEXT);
		f = again(m, 160, 14);
	}
	has(f, "per minute");
	pane.class->command(&pane, m, UI_DOWN);
	pane.class->command(&pane, m, UI_DOWN);
	assert_int_equal(pane.class->command(&pane, m, UI_OPEN), PANE_OPEN);
	assert_int_equal(pane.go.path, GETH_IPC);
	/* A click on the third path. */
	assert_int_equal(pane.class->click(&pane, m, 5, 5), PANE_DONE);
	assert_int_equal(pane.class->command(&pane, m, UI_OPEN), PANE_OPEN);
	assert_int_equal(pane.go.path, INFURA);
	pane.class->command(&pane, m, UI_TRANSPOSE);
	has(again(m, 160, 17), "│ TRUTH head ");
	model_free(m);
}

/* ---- narrow, many paths ---- */

static void columns_scroll(void **state)
{
	struct model *m = picture();
	const char *f = show(&pane_compare, m, 80, 15);

	(void)state;
	has(f, "1–3 of 5  w X o Enter");
	has(f, "│ TRUTH head                     25,490,415       25,490,415       25,490,415  │");
	has_not(f, "— ankr http");
	for (unsigned i = 0; i < 6; i++)
		pane.class->command(&pane, m, UI_COL_NEXT);
	f = again(m, 80, 15);
	has(f, "3–5 of 5");
	has(f, "— ankr http");
	has_not(f, "1= geth");
	assert_int_equal(pane.class->command(&pane, m, UI_OPEN), PANE_OPEN);
	assert_string_equal(pane.go.page, "path");
	assert_int_equal(pane.go.path, ANKR);
	has(again(m, 40, 15), "head");
	has(again(m, 40, 15), "1 behind");
	has_not(again(m, 40, 15), "TRUTH");
	model_free(m);
}

/* The cursor stays on its path when the order changes. */
static void cursor_follows_its_path(void **state)
{
	struct model *m = picture();

	(void)state;
	show(&pane_compare, m, 120, 15);
	pane.class->command(&pane, m, UI_COL_NEXT);
	pane.class->command(&pane, m, UI_COL_NEXT);
	again(m, 120, 15);
	m->paths[GETH_WS]->span[RACE_10M].usable_p90 = m->paths[GETH_WS]->span[RACE_10M].usable_low = 900 * NS_MS;
	m->paths[GETH_WS]->span[RACE_10M].usable_high = 910 * NS_MS;
	again(m, 120, 15);
	assert_int_equal(pane.class->command(&pane, m, UI_OPEN), PANE_OPEN);
	assert_int_equal(pane.go.path, GETH_IPC);
	model_free(m);
}

/* ---- the tables, the page ---- */

static void tables(void **state)
{
	struct model *m = picture();
	const char *f = show(&pane_methods, m, 90, 12);

	(void)state;
	has(f, "┌ Calls by method ─");
	has(f, "│ eth_getBlockByHash   geth ipc  ");
	has(f, "      141      0   0.3 ms   2.2 ms    12.3│\n");
	has(f, "      600    234    88 ms   900 ms    12.3│\n");
	has(f, " txpool_status        geth http ");
	has(f, "        1    n/a        —        —");
	f = show(&pane_errors, m, 80, 8);
	has(f, "│ infura   wss   429               1");
	has(f, "│ ankr     http  timeout         234  12s ago: no answer within 5 s");
	model_free(m);
}

static void page(void **state)
{
	struct model *m = picture();
	const char *f;

	(void)state;
	m->paths[INFURA]->dns_us = 12000;
	m->paths[INFURA]->tcp_us = 32000;
	m->paths[INFURA]->tls_us = 73000;
	m->paths[INFURA]->ready_us = 100000;
	snprintf(m->paths[INFURA]->facts.client, sizeof(m->paths[INFURA]->facts.client), "Geth/v1.17.3");
	open_pane(&pane_path);
	pane.to = (struct target){ .page = "path", .path = INFURA, .tx = TARGET_NO_TX };
	f = again(m, 100, 60);
	has(f, "┌ Path infura wss ─");
	has(f, "address              mainnet.infura.io");
	has(f, "state                live for 10m00s");
	has(f, "chain                Ethereum, id 1");
	has(f, "client               Geth/v1.17.3");
	has(f, "connect              DNS 12 ms, TCP 20 ms, TLS 41 ms, ready 27 ms");
	has(f, "behind p50 / p99     180 / 640 ms");
	has(f, "eth_getBlockByHash   p50 41 ms, p99 210 ms, 40 calls, 1 failed");
	has(f, "429                  1");
	assert_int_equal(pane.class->command(&pane, m, UI_NEXT_ITEM), PANE_OPEN);
	assert_int_equal(pane.go.path, GETH_HTTP);
	pane.to.path = 99;
	again(m, 100, 20);
	assert_int_equal(pane.class->command(&pane, m, UI_COPY), PANE_IGNORED);
	model_free(m);
}

static void view(void **state)
{
	struct ui_opts o = { .glyphs = GLYPHS_BRAILLE, .view = 5, .w = 160, .h = 45 };
	struct model *m = picture();
	struct ui *ui = ui_new(&o);
	struct buf text;

	(void)state;
	assert_non_null(ui);
	buf_init(&text, 1 << 20);
	ui_render(ui, m, DIRTY_ALL);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	has(text.p, "5 Endpoints");
	has(text.p, "Calls by method");
	has(text.p, "Errors by kind");
	assert_string_equal(ui_focus(ui), "compare");
	ui_key(ui, m, 'l');
	ui_key(ui, m, KEY_ENTER_);
	assert_string_equal(ui_focus(ui), "path");
	ui_key(ui, m, KEY_ALT_RIGHT_);
	ui_key(ui, m, KEY_ESC_);
	assert_string_equal(ui_focus(ui), "compare");
	ui_key(ui, m, KEY_TAB_);
	assert_string_equal(ui_focus(ui), "methods");
	/* Window and order are the view's, wherever the focus is, and its pages'. */
	assert_int_equal(ui_window(ui), RACE_10M);
	assert_true(ui_key(ui, m, 'w') & UI_RES_REDRAW);
	assert_int_equal(ui_window(ui), RACE_1H);
	ui_key(ui, m, 'o');
	assert_int_equal(ui_rank(ui), RANK_APP);
	assert_string_equal(ui_focus(ui), "methods");
	ui_render(ui, m, 0);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	has(text.p, "last 1 h = 50 heads · app");
	ui_key(ui, m, KEY_ENTER_);
	assert_string_equal(ui_focus(ui), "path");
	ui_key(ui, m, 'w');
	assert_int_equal(ui_window(ui), RACE_ALL);
	assert_true(ui_key(ui, m, 'E') & UI_RES_REPORT);
	buf_fini(&text);
	ui_free(ui);
	model_free(m);
}

static void any_size(void **state)
{
	static const struct pane_class *const panes[] = { &pane_compare, &pane_methods, &pane_errors, &pane_path };
	static const enum glyphs g[] = { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_ASCII };
	struct model *m = picture(), *empty = mockup_empty(3), *none = mockup_empty(0);
	struct model *const models[] = { m, empty, none };
	unsigned n = 0;

	(void)state;
	for (unsigned k = 0; k < 12; k++) {
		open_pane(panes[k % 4]);
		for (int h = 1; h <= 30; h += 1 + (int)k / 4) {
			for (int w = 1; w <= 200; w += 5) {
				draw_in(models[k / 4], w, h, g[n++ % 3]);
				if (pane.class->command)
					pane.class->command(&pane, models[k / 4], (enum ui_cmd)(n % UI_CMD_N));
				if (pane.class->click)
					pane.class->click(&pane, models[k / 4], (int)n % 200, (int)n % 20);
			}
		}
	}
	model_free(m);
	model_free(empty);
	model_free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_drawn),
		cmocka_unit_test(the_sentence),
		cmocka_unit_test(too_few),
		cmocka_unit_test(truth),
		cmocka_unit_test(majorities),
		cmocka_unit_test(stuck_is_left_out),
		cmocka_unit_test(ties_and_bests),
		cmocka_unit_test(heads_decide_without_bodies),
		cmocka_unit_test(failures_decide_for_apps),
		cmocka_unit_test(polled_alone),
		cmocka_unit_test(the_second_has_too_few),
		cmocka_unit_test(one_that_is_pushed),
		cmocka_unit_test(backends),
		cmocka_unit_test(overhead_of_a_transport),
		cmocka_unit_test(a_day),
		cmocka_unit_test(unknown_is_unknown),
		cmocka_unit_test(windows_and_orders),
		cmocka_unit_test(paths_as_rows),
		cmocka_unit_test(columns_scroll),
		cmocka_unit_test(cursor_follows_its_path),
		cmocka_unit_test(tables),
		cmocka_unit_test(page),
		cmocka_unit_test(view),
		cmocka_unit_test(any_size),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
