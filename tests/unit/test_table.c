/* ui/widget_table: columns that leave, selection by key, sorting, scrolling, clicks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/text.h"
#include "ui/widget_table.h"

static const struct table_col cols[] = {
	{.title = "number", .gap = 1, .width = 6},
	{.title = "gas", .gap = 2, .width = 4, .priority = 1},
	{.title = "kB", .gap = 2, .width = 4, .priority = 3},
	{.title = "builder", .gap = 2, .width = 8, .priority = 2, .align = TABLE_LEFT, .grow = 1},
	{.title = "", .gap = 1, .width = 1, .priority = 1},
};

enum { COLS = 5, ROWS_MAX = 64 };

/* Rows newest first, as of a chain that grows at the top. */
struct rows {
	unsigned n, newest;
};

static uint64_t
key(const void *ctx, unsigned row)
{
	return 1000 + ((const struct rows *)ctx)->newest - row;
}

static unsigned
gas(unsigned number)
{
	return number * 7 % 10;
}

static void
cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	unsigned number = ((const struct rows *)ctx)->newest - row;

	assert_true(row < ((const struct rows *)ctx)->n);
	if (col == 3 && number % 5 == 0) {
		snprintf(out->text, sizeof(out->text), "orphaned with a long story");
		out->spill = true;
	} else if (col == 1) {
		snprintf(out->text, sizeof(out->text), "%u", gas(number));
		out->mark = number == 42 ? '!' : 0;
	} else if (col == 2) {
		out->bar = true;
		out->share = 0.5;
	} else if (col != 4) {
		snprintf(out->text, sizeof(out->text), "%u", number);
	}
}

static int
cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	unsigned newest = ((const struct rows *)ctx)->newest, x = newest - a, y = newest - b;

	if (col == 1) {
		x = gas(x);
		y = gas(y);
	}
	return x < y ? -1 : x > y;
}

static struct rows rows;
static const struct table_source src_all = {.ctx = &rows, .key = key, .cell = cell, .cmp = cmp};

static struct table_source
source(void)
{
	struct table_source s = src_all;

	s.n = rows.n;
	return s;
}

static struct buf text;

static const char *
draw(struct table *t, int w, int h)
{
	struct table_source s = source();
	struct canvas c;

	assert_int_equal(canvas_init(&c, w, h, GLYPHS_ASCII), ST_OK);
	table_draw(t, cols, COLS, &s, &c, true);
	buf_clear(&text);
	assert_int_equal(text_write(&text, &c, NULL, COLOR_NEVER), ST_OK);
	canvas_fini(&c);
	return text.p;
}

static long
selected(const struct table *t)
{
	struct table_source s = source();
	long row = table_selected(t, &s);

	return row < 0 ? row : (long)rows.newest - row;
}

static enum pane_result
cmd(struct table *t, enum ui_cmd c)
{
	struct table_source s = source();

	return table_command(t, cols, COLS, &s, c);
}

static enum pane_result
click(struct table *t, int x, int y)
{
	struct table_source s = source();

	return table_click(t, cols, COLS, &s, x, y);
}

static int
setup(void **state)
{
	(void)state;
	buf_init(&text, 1 << 20);
	rows = (struct rows){.n = 20, .newest = 43};
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
test_draws(void **state)
{
	struct table t = {0};

	(void)state;
	assert_string_equal(draw(&t, 34, 5),
		"  number   gas    kB  builder\n"
		">     43     1  ##    43\n"
		"      42     4! ##    42\n"
		"      41     7  ##    41\n"
		"      40     0  ##    orphaned wi~\n");
	assert_int_equal(t.page, 4);
}

static void
test_columns_leave_by_priority(void **state)
{
	int16_t x[TABLE_COLS_MAX], w[TABLE_COLS_MAX];
	int width, i, n, last = 0;

	(void)state;
	/* 7 + 6 + 6 + 10 + 2 = 31 */
	assert_int_equal(table_fit(cols, COLS, 31, x, w), 5);
	assert_int_equal(table_fit(cols, COLS, 30, x, w), 4);
	assert_int_equal(w[2], 0);
	assert_int_equal(table_fit(cols, COLS, 24, x, w), 3);
	assert_int_equal(w[3], 0);
	assert_int_equal(table_fit(cols, COLS, 14, x, w), 2);
	assert_int_equal(w[4], 0);
	assert_int_equal(table_fit(cols, COLS, 12, x, w), 1);
	assert_int_equal(table_fit(cols, COLS, 3, x, w), 1);
	assert_int_equal(w[0], 2);
	assert_int_equal(table_fit(cols, COLS, 1, x, w), 0);
	/* What is left over goes to the column that grows. */
	table_fit(cols, COLS, 51, x, w);
	assert_int_equal(w[3], 28);
	assert_int_equal(x[4] + w[4], 51);
	for (width = -3; width < 200; width++) {
		n = (int)table_fit(cols, COLS, width, x, w);
		assert_true(n >= last);
		last = n;
		for (i = 0; i < COLS; i++)
			assert_true(w[i] == 0 || (x[i] >= 0 && x[i] + w[i] <= width));
	}
}

static void
test_selection_holds_on_to_its_key(void **state)
{
	struct table t = {0};

	(void)state;
	draw(&t, 40, 6);
	assert_int_equal(selected(&t), 43);
	/* It follows the newest… */
	rows.newest++;
	assert_int_equal(selected(&t), 44);
	/* …until it is moved off it. */
	assert_int_equal(cmd(&t, UI_DOWN), PANE_DONE);
	assert_true(t.pinned);
	assert_int_equal(selected(&t), 43);
	rows.newest += 7;
	draw(&t, 40, 6);
	assert_int_equal(selected(&t), 43);
	assert_true(t.top > 0);
	assert_non_null(strstr(draw(&t, 40, 6), ">     43"));
	/* Back on top by moving up, or by follow, or by back. */
	while (selected(&t) < 51)
		cmd(&t, UI_UP);
	assert_false(t.pinned);
	rows.newest++;
	assert_int_equal(selected(&t), 52);
	cmd(&t, UI_OLDEST);
	assert_int_equal(selected(&t), 52 - 19);
	assert_int_equal(cmd(&t, UI_BACK), PANE_DONE);
	assert_int_equal(selected(&t), 52);
	assert_int_equal(cmd(&t, UI_BACK), PANE_IGNORED);
	cmd(&t, UI_PAGE_DOWN);
	cmd(&t, UI_FOLLOW);
	assert_int_equal(selected(&t), 52);
	assert_int_equal(cmd(&t, UI_ZOOM), PANE_IGNORED);
}

static void
test_selected_row_that_leaves(void **state)
{
	struct table t = {0};

	(void)state;
	cmd(&t, UI_OLDEST);
	draw(&t, 40, 6);
	assert_int_equal(selected(&t), 24);
	/* The oldest rows are dropped: the selection stays on the last one. */
	rows.n = 5;
	draw(&t, 40, 6);
	assert_int_equal(selected(&t), 39);
	rows.n = 0;
	draw(&t, 40, 6);
	assert_int_equal(selected(&t), -1);
	assert_int_equal(cmd(&t, UI_DOWN), PANE_DONE);
	assert_int_equal(click(&t, 3, 1), PANE_IGNORED);
	rows.n = 1;
	cmd(&t, UI_DOWN);
	assert_int_equal(selected(&t), 43);
	assert_false(t.pinned);
}

static void
test_moves(void **state)
{
	struct table t = {0};
	int i;

	(void)state;
	draw(&t, 40, 6); /* a page of five */
	cmd(&t, UI_PAGE_DOWN);
	assert_int_equal(selected(&t), 39);
	cmd(&t, UI_HALF_DOWN);
	assert_int_equal(selected(&t), 37);
	cmd(&t, UI_HALF_UP);
	cmd(&t, UI_PAGE_UP);
	assert_int_equal(selected(&t), 43);
	for (i = 0; i < 100; i++)
		cmd(&t, UI_DOWN);
	assert_int_equal(selected(&t), 24);
	draw(&t, 40, 6);
	assert_int_equal(t.top, 15);
	cmd(&t, UI_NEWEST);
	draw(&t, 40, 6);
	assert_int_equal(t.top, 0);
	/* A table that got higher shows no blank lines at its end. */
	cmd(&t, UI_OLDEST);
	draw(&t, 40, 6);
	draw(&t, 40, 11);
	assert_int_equal(t.top, 10);
}

static void
test_sorting(void **state)
{
	struct table t = {0};

	(void)state;
	draw(&t, 40, 6);
	/* The first press takes the first column, and again: the pane's own order. */
	cmd(&t, UI_SORT);
	assert_int_equal(t.sort, 1);
	assert_int_equal(selected(&t), 24);
	cmd(&t, UI_SORT);
	assert_int_equal(t.sort, 0);
	/* By gas, least first; equal ones stay in the own order. */
	cmd(&t, UI_SORT_NEXT);
	assert_int_equal(t.sort, 0);
	assert_int_equal(t.chosen, 2);
	cmd(&t, UI_SORT);
	draw(&t, 40, 6);
	assert_string_equal(text.p,
		"  number  ^gas    kB  builder\n"
		">     40     0  ##    orphaned with a l~\n"
		"      30     0  ##    orphaned with a l~\n"
		"      43     1  ##    43\n"
		"      33     1  ##    33\n"
		"      36     2  ##    36\n");
	cmd(&t, UI_SORT_REVERSE);
	draw(&t, 40, 6);
	assert_non_null(strstr(text.p, "vgas"));
	assert_non_null(strstr(text.p, ">     37     9"));
	/* Walking on sorts at once; columns without a title are passed over, and those that are not shown. */
	cmd(&t, UI_SORT_NEXT);
	assert_int_equal(t.sort, 3);
	cmd(&t, UI_SORT_NEXT);
	cmd(&t, UI_SORT_NEXT);
	assert_int_equal(t.sort, 1);
	cmd(&t, UI_SORT_PREV);
	assert_int_equal(t.sort, 4);
	draw(&t, 12, 6);
	cmd(&t, UI_SORT_NEXT);
	assert_int_equal(t.sort, 1);
}

static void
test_pinned_while_sorted(void **state)
{
	struct table t = {.sort = 2, .chosen = 2};

	(void)state;
	draw(&t, 40, 6);
	cmd(&t, UI_DOWN);
	cmd(&t, UI_DOWN);
	assert_int_equal(selected(&t), 43);
	rows.newest += 3;
	draw(&t, 40, 6);
	assert_int_equal(selected(&t), 43);
	cmd(&t, UI_SORT); /* back to the own order: the same block */
	assert_int_equal(t.sort, 0);
	assert_int_equal(selected(&t), 43);
}

static void
test_clicks(void **state)
{
	struct table t = {0};

	(void)state;
	draw(&t, 40, 6);
	assert_int_equal(click(&t, 3, 3), PANE_DONE);
	assert_int_equal(selected(&t), 41);
	assert_int_equal(click(&t, 13, 0), PANE_DONE);
	assert_int_equal(t.sort, 2);
	assert_false(t.reverse);
	assert_int_equal(click(&t, 13, 0), PANE_DONE);
	assert_true(t.reverse);
	assert_int_equal(click(&t, 39, 0), PANE_IGNORED); /* no title: nothing to sort by */
	assert_int_equal(click(&t, 0, 0), PANE_IGNORED);
	assert_int_equal(click(&t, 3, 6), PANE_IGNORED);
	assert_int_equal(click(&t, 3, -1), PANE_IGNORED);
	assert_int_equal(selected(&t), 41);
	rows.n = 2;
	draw(&t, 40, 6);
	assert_int_equal(click(&t, 3, 4), PANE_IGNORED);
}

static void
test_note(void **state)
{
	struct table t = {0};
	char out[64];

	(void)state;
	assert_string_equal(table_note(&t, cols, out, sizeof(out)), "following newest");
	t.pinned = true;
	assert_string_equal(table_note(&t, cols, out, sizeof(out)), "pinned");
	t.sort = 2;
	t.reverse = true;
	assert_string_equal(table_note(&t, cols, out, sizeof(out)), "pinned, by gas ▼");
	t.pinned = false;
	t.reverse = false;
	assert_string_equal(table_note(&t, cols, out, sizeof(out)), "by gas ▲");
}

/* Any command at any size, rows coming and going: nothing is read past the rows (cell() asserts) nor drawn outside. */
static void
test_any_order_of_events(void **state)
{
	struct table t = {0};
	int i;

	(void)state;
	srand(1);
	for (i = 0; i < 5000; i++) {
		rows.n = (unsigned)(rand() % 8 == 0 ? rand() % ROWS_MAX : (int)rows.n);
		rows.newest = rows.newest < 5000 ? rows.newest + (unsigned)rand() % 3 : 100;
		if (rows.n > rows.newest)
			rows.n = rows.newest;
		cmd(&t, (enum ui_cmd)(rand() % UI_CMD_N));
		click(&t, rand() % 60 - 5, rand() % 20 - 3);
		draw(&t, 1 + rand() % 60, 1 + rand() % 20);
		if (rows.n > 0)
			assert_in_range(selected(&t), rows.newest - rows.n + 1, rows.newest);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_draws, setup, teardown),
		cmocka_unit_test_setup_teardown(test_columns_leave_by_priority, setup, teardown),
		cmocka_unit_test_setup_teardown(test_selection_holds_on_to_its_key, setup, teardown),
		cmocka_unit_test_setup_teardown(test_selected_row_that_leaves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_moves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sorting, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pinned_while_sorted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clicks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_note, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_order_of_events, setup, teardown),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
