/* ui/ui on a model fed by hand: first frame, how-to page, focus, zoom, freeze, views, help, sizes, any keys at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "eth/verify.h"
#include "ui/text.h"
#include "ui/ui.h"

#define T0 (100 * NS_S)
#define W0 (UINT64_C(1764518400) * NS_S) /* 2025-11-30 16:00:00 UTC, 12 s slots: a slot begins at :11 */

static const struct path_setup setups[] = {
	{.node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true},
	{.node = "geth", .via = "ipc", .show = "/data/geth.ipc", .push = true, .local = true},
	{.node = "infura", .via = "wss", .show = "mainnet.infura.io:443", .push = true},
};

static struct buf text;

static struct model *
new_model(unsigned paths)
{
	struct model *m = model_new(setups, paths, T0, W0);

	assert_non_null(m);
	return m;
}

/* The chain says its id; then a head of that number, heard now. */
static void
hear(struct model *m, uint64_t number, uint64_t time_ms)
{
	struct event e = {.kind = EV_CHAIN, .mono = m->now_mono, .wall = m->now_wall};
	unsigned k;

	e.u.chain.id = 1;
	e.u.chain.genesis.b[0] = 0xd4;
	e.u.chain.ok = true;
	if (m->n_chains == 0)
		model_apply(m, &e);
	e = (struct event){.kind = EV_HEAD, .seq = 1, .mono = m->now_mono, .wall = m->now_wall};
	e.u.head.source = SRC_PUSH;
	e.u.head.h.number = number;
	e.u.head.h.time_ms = time_ms;
	e.u.head.h.gas_limit = 60000000;
	e.u.head.h.gas_used = 26460000;
	e.u.head.h.base_fee = u256_from64(9481925155u);
	e.u.head.h.has = H_HASH | H_NUMBER | H_PARENT | H_BASE_FEE;
	for (k = 0; k < 8; k++) {
		e.u.head.h.hash.b[k] = (uint8_t)(number * 77 >> 8 * k) ^ 0x5a;
		e.u.head.h.parent.b[k] = (uint8_t)((number - 1) * 77 >> 8 * k) ^ 0x5a;
	}
	model_apply(m, &e);
}

static struct ui *
new_ui(int w, int h, enum glyphs g)
{
	struct ui_opts o = {.glyphs = g, .view = 1, .w = w, .h = h};
	struct ui *ui = ui_new(&o);

	assert_non_null(ui);
	return ui;
}

static const char *
frame(struct ui *ui, const struct model *m, unsigned dirty)
{
	ui_render(ui, m, dirty);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	return text.p;
}

static void
has(const char *what)
{
	if (strstr(text.p, what) == NULL)
		fail_msg("\"%s\" is not on the screen:\n%s", what, text.p);
}

static void
has_not(const char *what)
{
	if (strstr(text.p, what) != NULL)
		fail_msg("\"%s\" is on the screen:\n%s", what, text.p);
}

static int
setup(void **state)
{
	(void)state;
	buf_init(&text, 4 << 20);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	buf_fini(&text);
	return 0;
}

static void
test_first_frame(void **state)
{
	struct ui *ui = new_ui(160, 45, GLYPHS_BRAILLE);
	struct model *m = new_model(3);

	(void)state;
	assert_true(ui_render(ui, m, DIRTY_ALL));
	frame(ui, m, 0);
	has("CONNECTING");
	has("waiting for the first block");
	has("Blocks");
	has("F1 Help");
	has("16:00:00 UTC");
	assert_string_equal(ui_focus(ui), "blocks");
	/* Nothing changed: nothing to send. */
	assert_false(ui_render(ui, m, 0));
	assert_false(ui_render(ui, m, DIRTY_ALL));
	ui_free(ui);
	model_free(m);
}

static void
test_how_to_connect(void **state)
{
	static const int size[][2] = {{160, 45}, {80, 24}, {40, 12}, {20, 3}, {25, 6}};
	struct model *m = new_model(0);
	struct ui *ui;
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		ui = new_ui(size[i][0], size[i][1], GLYPHS_ASCII);
		frame(ui, m, DIRTY_ALL);
		has("chaintop");
		if (size[i][1] >= 12) {
			has("chaintop ws://127.0.0.1:8546");
			has("geth.ipc");
			has("Help");
		}
		ui_free(ui);
	}
	ui = new_ui(80, 24, GLYPHS_ASCII);
	frame(ui, m, DIRTY_ALL);
	assert_int_equal(ui_key(ui, m, 'q'), UI_RES_QUIT);
	ui_key(ui, m, '?');
	frame(ui, m, 0);
	has("first row: the newest");
	has_not("ws://127.0.0.1:8546");
	ui_key(ui, m, KEY_ESC_);
	frame(ui, m, 0);
	has("ws://127.0.0.1:8546");
	ui_free(ui);
	model_free(m);
}

static void
test_head_lines(void **state)
{
	struct ui *ui = new_ui(160, 45, GLYPHS_BRAILLE);
	struct model *m = new_model(3);

	(void)state;
	hear(m, 25490415, W0 / NS_MS - 1000);
	model_tick(m, T0 + 2 * NS_S, W0 + 2 * NS_S);
	frame(ui, m, DIRTY_ALL);
	has(" Ethereum  25,490,415 ");
	has(" 3.0 s old ");
	/* 16:00:02 is 3 s behind the slot that began at 15:59:59. */
	has("▕██▌       ▏ next in 9.0 s");
	ui_resize(ui, 80, 24);
	frame(ui, m, 0);
	has(" Ethereum 25,490,415 ");
	has("▕█▌    ▏");
	ui_resize(ui, 40, 12);
	frame(ui, m, 0);
	has("25,490,415");
	has("3.0 s old");
	ui_free(ui);
	model_free(m);
}

/* The first lines of screens.md §2, to the column; another clock, and none of what is not built. */
static void
test_head_lines_exact(void **state)
{
	struct ui *ui = new_ui(160, 45, GLYPHS_BRAILLE);
	struct model *m = new_model(3);
	struct chain *c;

	(void)state;
	hear(m, 25490415, W0 / NS_MS - 1000);
	model_tick(m, T0 + 3200 * NS_MS, W0 + 3200 * NS_MS);
	c = m->chains[0];
	c->head->truth = TRUTH_YES;
	c->safe = (struct tag_view){.known = true, .number = 25490415 - 38};
	c->final = (struct tag_view){
		.known = true, .number = 25490415 - 70, .time_ms = W0 / NS_MS + 3200 - 844300,
	};
	c->next = (struct fees_next){
		.base_known = true, .base = u256_from64(9342066759u), .base_change = -0.0148,
		.blob_known = true, .blob_next = u256_from64(1),
	};
	c->stats.rates_known = true;
	c->stats.tx_per_s = 19.7;
	m->line = (struct verdict_line){
		.word = "OK", .text = "all 3 paths at the newest block", .brief = "3 of 3 paths at the newest block",
	};
	m->clock_bound = 2500000;
	m->calls_per_min = 14.2;
	m->bytes_per_min = 1.6e6;
	m->own.glass_p99 = 6000000;
	m->own.glass_n = 10;
	frame(ui, m, DIRTY_ALL);
	has(" Ethereum  25,490,415 ✓  4.2 s old ▕███▌      ▏ next in 7.8 s │ safe −38 │ final −70 14m04s"
		" │ next base 9.342 gwei −1.5 % │ blob 1 wei │ 19.7 tx/s 16:00:03 UTC\n"
		" OK  all 3 paths at the newest block │ clock ±3 ms │ 14 calls/min 1.6 MB/min │ glass p99 6.0 ms\n");
	ui_resize(ui, 120, 36);
	frame(ui, m, 0);
	has(" Ethereum  25,490,415 ✓  4.2 s old ▕███▌      ▏ │ final −70 14m04s │ next base 9.342 gwei −1.5 %"
		"           16:00:03 UTC\n");
	ui_resize(ui, 80, 24);
	frame(ui, m, 0);
	has(" Ethereum 25,490,415 ✓  4.2 s old ▕██    ▏  next 9.342  final 14m04s    16:00:03\n"
		" OK  all 3 paths at the newest block");
	/* A dev chain's seven wei are not nothing. */
	c->next.base = u256_from64(7);
	frame(ui, m, DIRTY_ALL);
	has("  next <0.001  final 14m04s ");
	ui_resize(ui, 40, 12);
	frame(ui, m, 0);
	has(" Ethereum 25,490,415 ✓  4.2 s old\n");
	ui_free(ui);
	model_free(m);
}

static void
test_freeze(void **state)
{
	struct ui *ui = new_ui(80, 24, GLYPHS_BRAILLE);
	struct model *m = new_model(3);

	(void)state;
	hear(m, 100, W0 / NS_MS);
	frame(ui, m, DIRTY_ALL);
	assert_int_equal(ui_key(ui, m, ' '), UI_RES_REDRAW);
	assert_true(ui_frozen(ui));
	hear(m, 101, W0 / NS_MS + 12000);
	model_tick(m, T0 + 12 * NS_S, W0 + 12 * NS_S);
	frame(ui, m, DIRTY_ALL);
	has("FROZEN 12 s, 1 new block · Space resumes");
	has(" Ethereum 100 ");
	has_not(" Ethereum 101 ");
	hear(m, 102, W0 / NS_MS + 24000);
	model_tick(m, T0 + 75 * NS_S, W0 + 75 * NS_S);
	frame(ui, m, DIRTY_ALL);
	has("FROZEN 1m15s, 2 new blocks · Space resumes");
	/* One can walk about in a frozen screen. */
	ui_key(ui, m, 'j');
	ui_key(ui, m, KEY_TAB_);
	ui_key(ui, m, 'z');
	frame(ui, m, DIRTY_ALL);
	ui_key(ui, m, 'z');
	ui_key(ui, m, ' ');
	assert_false(ui_frozen(ui));
	frame(ui, m, 0);
	has(" Ethereum 102 ");
	has_not("FROZEN");
	/* Freed with the ui, too. */
	ui_key(ui, m, ' ');
	ui_free(ui);
	model_free(m);
}

static void
test_zoom_and_panes(void **state)
{
	struct ui *ui = new_ui(160, 45, GLYPHS_BRAILLE);
	struct model *m = new_model(3);
	char first[32];
	int i;

	(void)state;
	hear(m, 100, W0 / NS_MS);
	frame(ui, m, DIRTY_ALL);
	has("Endpoints");
	ui_key(ui, m, 'z');
	frame(ui, m, 0);
	has("Blocks");
	has_not("Endpoints");
	/* Tab goes on to the next pane, zoomed. */
	ui_key(ui, m, KEY_TAB_);
	frame(ui, m, 0);
	has_not("Blocks");
	ui_key(ui, m, KEY_ESC_);
	frame(ui, m, 0);
	has("Blocks");
	has("Endpoints");
	/* All the way round, and back. */
	snprintf(first, sizeof(first), "%s", ui_focus(ui));
	for (i = 0; i < 20; i++) {
		ui_key(ui, m, KEY_TAB_);
		if (strcmp(ui_focus(ui), first) == 0)
			break;
	}
	assert_in_range(i, 1, 10);
	ui_key(ui, m, KEY_TAB_);
	ui_key(ui, m, KEY_STAB_);
	assert_string_equal(ui_focus(ui), first);
	/* A pane that has no room has no focus. */
	ui_resize(ui, 40, 12);
	frame(ui, m, 0);
	assert_string_equal(ui_focus(ui), "blocks");
	ui_free(ui);
	model_free(m);
}

static void
test_views(void **state)
{
	struct ui *ui = new_ui(120, 36, GLYPHS_BRAILLE);
	struct model *m = new_model(3);

	(void)state;
	hear(m, 100, W0 / NS_MS);
	frame(ui, m, DIRTY_ALL);
	ui_key(ui, m, '8');
	assert_int_equal(ui_view(ui), 8);
	frame(ui, m, 0);
	has("Own cost");
	has("Log");
	has("geth ws");
	assert_string_equal(ui_focus(ui), "log");
	ui_key(ui, m, '-');
	assert_int_equal(ui_view(ui), 1);
	ui_key(ui, m, '-');
	assert_int_equal(ui_view(ui), 8);
	ui_key(ui, m, '1');
	frame(ui, m, 0);
	has("Blocks");
	ui_free(ui);
	model_free(m);
}

/* A view that is not built yet is not shown empty. */
static void
test_views_that_are_not_there(void **state)
{
	static const int views[] = {-1, 0, 3, 4, 9, 99};
	struct ui_opts o = {.glyphs = GLYPHS_ASCII, .w = 80, .h = 24};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		struct ui *ui;

		o.view = views[i];
		ui = ui_new(&o);
		assert_non_null(ui);
		assert_int_equal(ui_view(ui), 1);
		ui_free(ui);
	}
}

/* Every command of the table stands on the help page with all its keys. */
static void
test_help_lists_all(void **state)
{
	struct ui *ui = new_ui(160, 100, GLYPHS_BRAILLE);
	struct model *m = new_model(3);
	size_t i;

	(void)state;
	frame(ui, m, DIRTY_ALL);
	ui_key(ui, m, KEY_F1_);
	frame(ui, m, 0);
	for (i = 0; i < command_table_n; i++)
		has(command_table[i].help);
	for (i = 0; i < pane_registry_n; i++)
		if (pane_registry[i]->views != 0)
			has(pane_registry[i]->help);
	/* q closes it, as Esc and F1 do; F10 quits. */
	assert_int_equal(ui_key(ui, m, KEY_F1_ + 9), UI_RES_QUIT);
	assert_false(ui_key(ui, m, 'q') & UI_RES_QUIT);
	frame(ui, m, 0);
	has("Blocks");
	has_not("freeze the screen, not the feeds");
	/* Where it does not fit it scrolls to its end. */
	ui_resize(ui, 80, 24);
	ui_key(ui, m, '?');
	frame(ui, m, 0);
	has(command_table[0].help);
	has("of ");
	ui_key(ui, m, 'G');
	frame(ui, m, 0);
	has_not(command_table[0].help);
	has("limited by our own polling");
	ui_key(ui, m, 'g');
	frame(ui, m, 0);
	has(command_table[0].help);
	ui_free(ui);
	model_free(m);
}

static void
test_what_the_app_has_to_do(void **state)
{
	struct ui *ui = new_ui(80, 24, GLYPHS_BRAILLE);
	struct model *m = new_model(3);

	(void)state;
	hear(m, 100, W0 / NS_MS);
	frame(ui, m, DIRTY_ALL);
	assert_int_equal(ui_key(ui, m, 'q'), UI_RES_QUIT);
	assert_int_equal(ui_key(ui, m, KEY_CTRL_ + 'C'), UI_RES_QUIT);
	assert_true(ui_key(ui, m, KEY_CTRL_ + 'Z') & UI_RES_SUSPEND);
	ui_render(ui, m, 0);
	assert_false(ui_render(ui, m, 0));
	assert_true(ui_key(ui, m, KEY_CTRL_ + 'L') & UI_RES_CLEAR);
	/* Not a cell is different, and yet all have to be sent again. */
	assert_true(ui_render(ui, m, 0));
	assert_false(ui_render(ui, m, 0));
	ui_resize(ui, 80, 24);
	assert_true(ui_render(ui, m, 0));
	assert_true(ui_key(ui, m, KEY_F1_ + 4) & UI_RES_RETRY);
	frame(ui, m, 0);
	has("connecting and asking again");
	/* One chain: there is nothing to switch to, and it says so until the next key. */
	assert_false(ui_key(ui, m, 'c') & UI_RES_CHAIN);
	frame(ui, m, 0);
	has("there is only one chain");
	assert_int_equal(ui_key(ui, m, 'X'), UI_RES_REDRAW);
	frame(ui, m, 0);
	has_not("there is only one chain");
	assert_int_equal(ui_key(ui, m, 'X'), 0);
	assert_int_equal(ui_key(ui, m, 0), 0);
	assert_int_equal(ui_key(ui, m, 0xffffffff), 0);
	assert_true(ui_mouse(ui));
	assert_true(ui_key(ui, m, 'M') & UI_RES_MOUSE);
	assert_false(ui_mouse(ui));
	ui_free(ui);
	model_free(m);
}

static void
test_mouse(void **state)
{
	struct ui *ui = new_ui(80, 24, GLYPHS_BRAILLE);
	struct model *m = new_model(3);
	int x;

	(void)state;
	hear(m, 100, W0 / NS_MS);
	frame(ui, m, DIRTY_ALL);
	assert_true(ui_click(ui, m, 10, 17) & UI_RES_REDRAW);
	assert_string_equal(ui_focus(ui), "endpoints");
	ui_wheel(ui, m, 10, 5, 1);
	assert_string_equal(ui_focus(ui), "blocks");
	assert_int_equal(ui_click(ui, m, 10, 0), 0);
	assert_int_equal(ui_click(ui, m, -1, -1), 0);
	assert_int_equal(ui_click(ui, m, 1000, 1000), 0);
	assert_int_equal(ui_wheel(ui, m, 1000, 1000, -1000000), 0);
	/* The last line does what it says. */
	for (x = 0; x < 80; x++)
		if (ui_click(ui, m, x, 23) & UI_RES_QUIT)
			break;
	assert_in_range(x, 10, 79);
	ui_free(ui);
	model_free(m);
}

/* Nobody answers any more: old data is dim, and bright again when somebody does. */
static void
test_old_data_is_dim(void **state)
{
	struct ui *ui = new_ui(80, 24, GLYPHS_BRAILLE);
	struct model *m = new_model(1);
	const struct cell *row = ui_canvas(ui)->cells + 4 * 80;
	struct event e = {.kind = EV_LINK, .mono = T0, .wall = W0, .u.link = {.state = LINK_LIVE}};

	(void)state;
	hear(m, 100, W0 / NS_MS);
	model_apply(m, &e);
	frame(ui, m, DIRTY_ALL);
	assert_false(row[5].attr & CELL_DIM);
	e.u.link.state = LINK_WAITING;
	e.u.link.code = ST_REFUSED;
	e.seq++;
	model_apply(m, &e);
	m->paths[0]->state = LINK_WAITING;
	frame(ui, m, DIRTY_PATHS);
	assert_true(row[5].attr & CELL_DIM);
	m->paths[0]->state = LINK_LIVE;
	frame(ui, m, DIRTY_PATHS);
	assert_false(row[5].attr & CELL_DIM);
	ui_free(ui);
	model_free(m);
}

static void
test_every_size(void **state)
{
	struct ui *ui = new_ui(80, 24, GLYPHS_BRAILLE);
	struct model *m = new_model(3), *empty = new_model(0);
	int w, h;

	(void)state;
	hear(m, 25490415, W0 / NS_MS);
	for (w = 1; w <= 200; w += w < 50 ? 1 : 7)
		for (h = 1; h <= 60; h += h < 20 ? 1 : 5) {
			assert_true(ui_resize(ui, w, h));
			frame(ui, m, DIRTY_ALL);
			if (w >= 10)
				has("25,490,415");
			ui_resize(ui, w, h);
			ui_key(ui, m, 'z');
			frame(ui, m, 0);
			ui_key(ui, m, 'z');
			ui_render(ui, empty, DIRTY_ALL);
		}
	/* One status line, even here. */
	ui_resize(ui, 1, 1);
	assert_true(strlen(frame(ui, m, DIRTY_ALL)) > 1);
	ui_resize(ui, 18, 2);
	frame(ui, m, 0);
	has("25,490,415");
	has("need 20x3");
	ui_resize(ui, 40, 2);
	frame(ui, m, 0);
	has("too small: 40x2, need 20x3");
	ui_free(ui);
	model_free(m);
	model_free(empty);
}

static void
test_ascii(void **state)
{
	struct ui *ui = new_ui(160, 45, GLYPHS_ASCII);
	struct model *m = new_model(3);
	size_t i;
	int view;

	(void)state;
	hear(m, 25490415, W0 / NS_MS);
	for (view = 0; view < 3; view++) {
		frame(ui, m, DIRTY_ALL);
		for (i = 0; i < text.len; i++)
			if ((unsigned char)text.p[i] >= 0x80)
				fail_msg("not ASCII:\n%s", text.p);
		ui_key(ui, m, view == 0 ? '8' : '?');
	}
	ui_free(ui);
	model_free(m);
}

/* A node's words reach no terminal as controls. */
static void
test_foreign_words(void **state)
{
	struct path_setup bad = {.node = "x\033[31m", .via = "ws\n", .show = "\x9b", .push = true};
	struct model *m = model_new(&bad, 1, T0, W0);
	struct ui *ui = new_ui(120, 40, GLYPHS_BRAILLE);
	size_t i;

	(void)state;
	assert_non_null(m);
	hear(m, 1, UINT64_MAX);
	snprintf(m->line.text, sizeof(m->line.text), "\033]0;owned\007 \xe2\x80\xae x");
	snprintf(m->chains[0]->name, sizeof(m->chains[0]->name), "\033c");
	frame(ui, m, DIRTY_ALL);
	for (i = 0; i < text.len; i++)
		assert_true((unsigned char)text.p[i] >= 0x20 || text.p[i] == '\n');
	has_not("\xe2\x80\xae");
	ui_flash(ui, "\033[2J");
	frame(ui, m, 0);
	has("?[2J");
	ui_free(ui);
	model_free(m);
}

static unsigned
any_key(void)
{
	static const unsigned special[] = {KEY_UP_, KEY_DOWN_, KEY_PGUP_, KEY_PGDN_, KEY_HOME_, KEY_END_, KEY_TAB_,
		KEY_STAB_, KEY_ESC_, KEY_ENTER_, KEY_F1_, KEY_F1_ + 5};
	int r = rand();

	if (r % 4 == 0)
		return special[(unsigned)rand() % (sizeof(special) / sizeof(special[0]))];
	if (r % 4 == 1)
		return KEY_CTRL_ + '@' + (unsigned)rand() % 32;
	return (unsigned)rand() % 128;
}

/* Thousands of keys and clicks at random sizes while blocks come: nothing may break (run under ASan). */
static void
test_any_keys(void **state)
{
	struct ui *ui = new_ui(80, 24, GLYPHS_BRAILLE);
	struct model *m = new_model(3);
	uint64_t number = 1000;
	int i, k;

	(void)state;
	srand(2);
	for (i = 0; i < 400; i++) {
		ui_resize(ui, 1 + rand() % 200, 1 + rand() % 60);
		for (k = 0; k < 12; k++) {
			ui_key(ui, m, any_key());
			if (rand() % 3 == 0)
				ui_click(ui, m, rand() % 210 - 5, rand() % 70 - 5);
			if (rand() % 5 == 0)
				ui_wheel(ui, m, rand() % 210 - 5, rand() % 70 - 5, rand() % 7 - 3);
			if (rand() % 8 == 0) {
				number++;
				hear(m, number, W0 / NS_MS + number * 12);
				model_tick(m, m->now_mono + NS_S, m->now_wall + NS_S);
			}
			ui_render(ui, m, (unsigned)rand() & DIRTY_ALL);
		}
	}
	ui_free(ui);
	model_free(m);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_first_frame, setup, teardown),
		cmocka_unit_test_setup_teardown(test_how_to_connect, setup, teardown),
		cmocka_unit_test_setup_teardown(test_head_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_head_lines_exact, setup, teardown),
		cmocka_unit_test_setup_teardown(test_freeze, setup, teardown),
		cmocka_unit_test_setup_teardown(test_zoom_and_panes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_views, setup, teardown),
		cmocka_unit_test(test_views_that_are_not_there),
		cmocka_unit_test_setup_teardown(test_help_lists_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_the_app_has_to_do, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mouse, setup, teardown),
		cmocka_unit_test_setup_teardown(test_old_data_is_dim, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_size, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ascii, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_words, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_keys, setup, teardown),
	};

	return cmocka_run_group_tests_name("ui", tests, NULL, NULL);
}
