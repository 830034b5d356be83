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
#include "ui/panes/compare_rows.h"
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

/* The picture: two transports of one node that tie, a hosted one later on nearly every head, two that are polled. */
static struct model *picture(void)
{
	static const struct path_setup setup[] = {
		{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
		{ .node = "geth", .via = "ipc", .show = "/data/geth.ipc", .push = true, .local = true },
		{ .node = "infura", .via = "wss", .show = "mainnet.infura.io", .push = true },
		{ .node = "geth", .via = "http", .show = "127.0.0.1:8545", .local = true },
		{ .node = "ankr", .via = "http", .show = "rpc.ankr.com" },
	};
	static const struct {
		uint64_t behind_us, p99_us, won, raced, usable_ms, call_us, call99_us, ok, failed, poll_ms, missed, dups;
		double xfer, calls, mb;
	} figure[PATHS] = {
		{ 0, 1200, 20, 50, 38, 400, 3100, 141, 0, 0, 0, 0, 412e6, 5, 0.09 },
		{ 0, 2000, 18, 50, 35, 300, 2200, 141, 0, 0, 0, 0, 980e6, 5, 1.44 },
		{ 180000, 640000, 2, 50, 402, 41000, 210000, 39, 1, 0, 1, 0, 9.1e6, 4, 0.09 },
		{ 0, 0, 0, 0, 61, 900, 4400, 1260, 0, 500, 0, 0, 388e6, 126, 0.10 },
		{ 0, 0, 0, 0, 0, 88000, 900000, 366, 234, 1000, 0, 0, (double)NAN, 60, 0.04 },
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
		/* 20 : 18, the rest too close to tell. */
		hear(m, GETH_WS, i, i < 20 ? 0 : i < 38 ? 500 : 50, SRC_PUSH);
		hear(m, GETH_IPC, i, i < 20 ? 500 : i < 38 ? 0 : 20, SRC_PUSH);
		hear(m, INFURA, i, i < 2 ? 50 : 180000, SRC_PUSH);
		hear(m, GETH_HTTP, i, 250000, SRC_POLL);
		if (i < HEADS - 1)
			hear(m, ANKR, i, 700000, SRC_POLL);
	}
	model_tick(m, T0 + HEADS * 12 * NS_S, W0 + HEADS * 12 * NS_S);
	chain_by_number(m->chains[0], MOCKUP_NUMBER - 4)->truth = TRUTH_YES;
	for (unsigned k = 0; k < PATHS; k++) {
		struct path *p = m->paths[k];

		p->heads = HEADS;
		p->behind_p50 = p->push ? figure[k].behind_us * NS_US : UNKNOWN;
		p->behind_p99 = p->push ? figure[k].p99_us * NS_US : UNKNOWN;
		p->won = figure[k].won;
		p->raced = figure[k].raced;
		p->ties = k < 2 ? 12 : 0;
		p->usable_p90 = figure[k].usable_ms ? figure[k].usable_ms * NS_MS : UNKNOWN;
		p->call_p50 = figure[k].call_us * NS_US;
		p->call_p99 = figure[k].call99_us * NS_US;
		p->method[M_BLOCK_BY_HASH].n = figure[k].ok + figure[k].failed;
		p->method[M_BLOCK_BY_HASH].failed = figure[k].failed;
		p->method[M_BLOCK_BY_HASH].p50 = p->call_p50;
		p->method[M_BLOCK_BY_HASH].p99 = p->call_p99;
		p->method[M_BLOCK_BY_HASH].bytes = 12345678;
		p->poll_interval_ns = figure[k].poll_ms ? figure[k].poll_ms * NS_MS : UNKNOWN;
		p->missed = figure[k].missed;
		p->dups = figure[k].dups;
		p->xfer_bytes_per_s = figure[k].xfer;
		p->calls_per_min = figure[k].calls;
		p->bytes_per_min = figure[k].mb * 1e6;
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
		"┌ 5 Endpoints · Ethereum · 50 heads in 11m00s ─",
		"─ h l path  Enter detail ┐\n",
		"│                                 1= geth ws       1= geth ipc      3 infura wss    poll geth http    poll ankr http  ",
		"│ TRUTH head                      25,490,415        25,490,415        25,490,415        25,490,415          1 behind ",
		"│       hash at head−3              21be00 ✓              same              same              same              same  ",
		"│       backends seen                      1                 1                 1                 1      ≥ 2  back 3× ",
		"│ FRESH behind p50 / p99      0.0 / 1.2 ms =    0.0 / 2.0 ms =      180 / 640 ms     ≤ 500 ms poll     ≤ 1.00 s poll  ",
		"│       won (95 % range)        40 % (28–54)      36 % (24–50)        4 % (1–13)        not ranked        not ranked  ",
		"│       body usable p90              38 ms =           35 ms =            402 ms             61 ms                 —  ",
		"│ SPEED call p50 / p99          0.4 / 3.1 ms    0.3 / 2.2 ms *       41 / 210 ms      0.9 / 4.4 ms       88 / 900 ms  ",
		"│       in transfer                 412 MB/s        980 MB/s *          9.1 MB/s          388 MB/s                 —  ",
		"│ RELY  calls ok                     100 % =           100 % =   97.5 %  1 × 429           100 % = 61 %  234 timeout  ",
		"│       heads missed / dup             0 / 0             0 / 0             1 / 0                 —                 —  ",
		"│ COST  per minute              5 c  0.09 MB      5 c  1.44 MB      4 c  0.09 MB    126 c  0.10 MB     60 c  0.04 MB  ",
		"│ geth ws and geth ipc tie (20:18, p 0.87). infura wss hears 180 ms later on 96 % of 50 heads. ",
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

static void the_sentence(void **state)
{
	struct model *m = picture();
	struct compare c;
	char text[512];

	(void)state;
	compare_make(&c, m);
	compare_sentence(&c, text, sizeof(text));
	assert_string_equal(text, "geth ws and geth ipc tie (20:18, p 0.87). infura wss hears 180 ms later on 96 % of 50 heads. "
				  "ankr http fails 39 % of its calls.");
	/* Two lines where there is room, broken between sentences. */
	has(show(&pane_compare, m, 120, 16), "│ geth ws and geth ipc tie (20:18, p 0.87). infura wss hears 180 ms later on "
					      "96 % of 50 heads.   ");
	has(again(m, 120, 16), "│ ankr http fails 39 % of its calls.   ");
	/* Below 30 heads there is no order. */
	for (unsigned i = 0; i < PATHS; i++)
		m->paths[i]->raced = m->paths[i]->push ? 12 : 0;
	compare_make(&c, m);
	compare_sentence(&c, text, sizeof(text));
	has(text, "12 of 30 heads needed for an order. ankr http fails");
	has_not(text, "tie");
	model_free(m);
}

/* ---- rules ---- */

static void a_cell(const struct model *m, enum compare_row row, unsigned path, const char *want)
{
	struct compare c;
	struct compare_cell cell;

	compare_make(&c, m);
	compare_cell(&c, row, path, &cell);
	assert_string_equal(cell.text, want);
}

static void truth(void **state)
{
	struct model *m = picture();
	struct path *p = m->paths[INFURA];

	(void)state;
	/* Another block at the height that is compared: 3 below the lowest head. */
	for (unsigned i = 0; i < p->heard_n; i++)
		if (p->heard[i].number == MOCKUP_NUMBER - 4)
			p->heard[i].hash = mockup_hash(MOCKUP_NUMBER - 4, true);
	a_cell(m, CMP_HASH, INFURA, "e01f00 DIFFERS");
	a_cell(m, CMP_HASH, GETH_HTTP, "same");
	p->other_chain = p->wrong_chain = true;
	a_cell(m, CMP_HEAD, INFURA, "WRONG CHAIN 1");
	a_cell(m, CMP_HASH, INFURA, "—");
	p->heard_n = 0;
	a_cell(m, CMP_HASH, INFURA, "—");
	model_free(m);
}

static void ties_and_bests(void **state)
{
	struct model *m = picture();

	(void)state;
	/* One tenth of a millisecond is a difference, less is none. */
	m->paths[GETH_IPC]->behind_p50 = NS_MS / 10;
	a_cell(m, CMP_BEHIND, GETH_WS, "0.0 / 1.2 ms *");
	a_cell(m, CMP_BEHIND, GETH_IPC, "0.1 / 2.0 ms");
	m->paths[GETH_IPC]->behind_p50 = NS_MS / 10 - 1;
	a_cell(m, CMP_BEHIND, GETH_WS, "0.0 / 1.2 ms =");
	/* A failure is never rounded away. */
	m->paths[GETH_WS]->method[M_OTHER].n = 99999;
	m->paths[GETH_WS]->method[M_OTHER].failed = 1;
	a_cell(m, CMP_OK, GETH_WS, "99.99 % =");
	/* Batches are no calls: their items are. */
	m->paths[GETH_IPC]->method[M_BATCH].n = 1000;
	m->paths[GETH_IPC]->method[M_BATCH].failed = 1000;
	a_cell(m, CMP_OK, GETH_IPC, "100 % =");
	/* Nobody is best alone, and who is down is not compared. */
	for (unsigned i = 1; i < PATHS; i++)
		m->paths[i]->state = LINK_WAITING;
	a_cell(m, CMP_CALL, GETH_WS, "0.4 / 3.1 ms");
	a_cell(m, CMP_CALL, GETH_IPC, "0.3 / 2.2 ms");
	model_free(m);
}

static void unknown_is_unknown(void **state)
{
	struct model *m = mockup_empty(3);

	(void)state;
	for (unsigned row = 0; row < CMP_N; row++)
		a_cell(m, (enum compare_row)row, 0, "—");
	has(show(&pane_compare, m, 120, 15), "5 Endpoints · 0 heads");
	has(show(&pane_methods, m, 60, 8), "nothing called so far");
	has(show(&pane_errors, m, 60, 8), "none so far");
	model_free(m);
}

/* ---- narrow, many paths ---- */

static void columns_scroll(void **state)
{
	struct model *m = picture();
	const char *f = show(&pane_compare, m, 80, 15);

	(void)state;
	has(f, "1–3 of 5  h l path");
	has(f, "│ TRUTH head                     25,490,415       25,490,415       25,490,415  │");
	has_not(f, "ankr http ");
	for (unsigned i = 0; i < 6; i++)
		pane.class->command(&pane, m, UI_COL_NEXT);
	f = again(m, 80, 15);
	has(f, "3–5 of 5");
	has(f, "poll ankr http");
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
	m->paths[GETH_WS]->behind_p50 = 900 * NS_MS;
	m->paths[GETH_IPC]->behind_p50 = 800 * NS_MS;
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
	ui_key(ui, m, KEY_ENTER_);
	assert_string_equal(ui_focus(ui), "path");
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
		cmocka_unit_test(truth),
		cmocka_unit_test(ties_and_bests),
		cmocka_unit_test(unknown_is_unknown),
		cmocka_unit_test(columns_scroll),
		cmocka_unit_test(cursor_follows_its_path),
		cmocka_unit_test(tables),
		cmocka_unit_test(page),
		cmocka_unit_test(view),
		cmocka_unit_test(any_size),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
