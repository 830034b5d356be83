/* ui/layout: the geometry of screens.md §2, and at every size: all panes inside, none over another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "ui/layout.h"

#define PANE(text, v, w, h, p) {.name = text, .views = 1u << (v), .min_w = w, .min_h = h, .priority = p}

static const struct pane_class classes[] = {
	PANE("blocks", 1, 30, 4, 0),
	PANE("gas", 1, 26, 4, 2),
	PANE("txrate", 1, 26, 4, 3),
	PANE("pulse", 1, 40, 3, 5),
	PANE("endpoints", 1, 40, 4, 1),
	PANE("mempool", 1, 30, 4, 6),
	PANE("events", 1, 30, 3, 4),
	{.name = "health", .views = 1u << 1 | 1u << 7, .min_w = 30, .min_h = 4, .priority = 7},
	PANE("peers", 7, 30, 4, 8),
	PANE("log", 8, 20, 4, 0),
	PANE("own", 8, 20, 4, 1),
	PANE("race", 6, 20, 4, 1),
	PANE("forks", 6, 20, 4, 2),
	PANE("reorgs", 6, 20, 4, 3),
};

enum { BLOCKS, GAS, TXRATE, PULSE, ENDPOINTS, MEMPOOL, EVENTS, HEALTH, PEERS, LOG, OWN, RACE, FORKS, REORGS, N };

static const struct pane_class *panes[N];

static int
setup(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < N; i++)
		panes[i] = &classes[i];
	return 0;
}

static struct layout
make(int w, int h, int view, unsigned paths, unsigned absent, int zoom)
{
	bool present[N];
	struct layout_in in = {
		.w = w, .h = h, .view = view, .zoom = zoom, .paths = paths, .n = N, .panes = panes, .present = present,
	};
	struct layout out;
	int i;

	for (i = 0; i < N; i++)
		present[i] = (absent >> i & 1) == 0;
	layout_make(&in, &out);
	return out;
}

static void
is(const struct layout *l, int pane, int x, int y, int w, int h)
{
	const struct rect *r = &l->at[pane];

	if (r->x != x || r->y != y || r->w != w || r->h != h)
		fail_msg("%s stands at %d,%d %dx%d, not at %d,%d %dx%d", classes[pane].name, r->x, r->y, r->w, r->h, x, y,
			w, h);
}

/* screens.md §2: 160×45 has 13 block rows more than the picture of 32 lines; gas takes 6 of them, tx 7. */
static void
test_160x45(void **state)
{
	struct layout l = make(160, 45, 1, 3, 0, -1);

	(void)state;
	is(&l, BLOCKS, 0, 2, 106, 26);
	is(&l, GAS, 106, 2, 54, 14);
	is(&l, TXRATE, 106, 16, 54, 12);
	is(&l, PULSE, 0, 28, 160, 5);
	is(&l, ENDPOINTS, 0, 33, 160, 6);
	is(&l, MEMPOOL, 0, 39, 50, 5);
	is(&l, HEALTH, 50, 39, 50, 5);
	is(&l, EVENTS, 100, 39, 60, 5);
	assert_int_equal(l.note_y, -1);
	/* The picture itself. */
	l = make(160, 32, 1, 3, 0, -1);
	is(&l, BLOCKS, 0, 2, 106, 13);
	is(&l, GAS, 106, 2, 54, 8);
	is(&l, TXRATE, 106, 10, 54, 5);
	is(&l, PULSE, 0, 15, 160, 5);
	is(&l, ENDPOINTS, 0, 20, 160, 6);
	is(&l, HEALTH, 50, 26, 50, 5);
	is(&l, EVENTS, 100, 26, 60, 5);
}

static void
test_80x24(void **state)
{
	struct layout l = make(80, 24, 1, 3, 0, -1);

	(void)state;
	is(&l, BLOCKS, 0, 2, 80, 10);
	is(&l, GAS, 0, 12, 40, 4);
	is(&l, TXRATE, 40, 12, 40, 4);
	is(&l, ENDPOINTS, 0, 16, 80, 6);
	assert_int_equal(l.note_y, 22);
	assert_int_equal(l.at[PULSE].w, 0);
	assert_int_equal(l.at[EVENTS].w, 0);
}

static void
test_120x36(void **state)
{
	struct layout l = make(120, 36, 1, 3, 0, -1);

	(void)state;
	is(&l, BLOCKS, 0, 2, 79, 17);
	is(&l, GAS, 79, 2, 41, 9);
	is(&l, TXRATE, 79, 11, 41, 8);
	is(&l, PULSE, 0, 19, 120, 5);
	is(&l, ENDPOINTS, 0, 24, 120, 6);
	is(&l, MEMPOOL, 0, 30, 44, 5);
	is(&l, EVENTS, 44, 30, 76, 5);
	/* It yields its space where three have no room; line 2 says the worst. */
	assert_int_equal(l.at[HEALTH].w, 0);
}

static void
test_40x12(void **state)
{
	struct layout l = make(40, 12, 1, 3, 0, -1);

	(void)state;
	is(&l, BLOCKS, 0, 2, 40, 8);
	assert_int_equal(l.note_y, 10);
	assert_int_equal(l.at[ENDPOINTS].w, 0);
}

static void
test_health_view(void **state)
{
	struct layout l = make(160, 45, 7, 3, 0, -1);

	(void)state;
	is(&l, HEALTH, 0, 2, 104, 42);
	is(&l, PEERS, 104, 2, 56, 42);
	l = make(80, 24, 7, 3, 0, -1);
	is(&l, HEALTH, 0, 2, 80, 11);
	is(&l, PEERS, 0, 13, 80, 10);
	l = make(80, 24, 7, 3, 1u << PEERS, -1);
	is(&l, HEALTH, 0, 2, 80, 21);
}

static void
test_log_view(void **state)
{
	struct layout l = make(160, 45, 8, 3, 0, -1);

	(void)state;
	is(&l, LOG, 0, 2, 106, 42);
	is(&l, OWN, 106, 2, 54, 42);
	assert_int_equal(l.at[BLOCKS].w, 0);
	l = make(80, 24, 8, 3, 0, -1);
	is(&l, OWN, 0, 2, 80, 11);
	is(&l, LOG, 0, 13, 80, 10);
}

static void
test_race_over_forks(void **state)
{
	struct layout l = make(80, 24, 6, 3, 1u << REORGS, -1);

	(void)state;
	is(&l, RACE, 0, 2, 80, 9);
	is(&l, FORKS, 0, 11, 80, 12);
	l = make(80, 24, 6, 3, 0, -1);
	is(&l, RACE, 0, 2, 80, 9);
	is(&l, FORKS, 0, 11, 80, 6);
	is(&l, REORGS, 0, 17, 80, 6);
	/* Many paths leave the others their lines. */
	l = make(160, 45, 6, 64, 0, -1);
	is(&l, RACE, 0, 2, 160, 28);
	is(&l, FORKS, 0, 30, 160, 9);
	is(&l, REORGS, 0, 39, 160, 5);
}

static void
test_zoom_and_absence(void **state)
{
	struct layout l = make(100, 30, 1, 3, 0, GAS);

	(void)state;
	is(&l, GAS, 0, 2, 100, 27);
	assert_int_equal(l.at[BLOCKS].w, 0);
	/* No txpool: below 40 lines Health and Events have the line, above it says why. */
	l = make(160, 39, 1, 3, 1u << MEMPOOL, -1);
	assert_int_equal(l.at[MEMPOOL].w, 0);
	assert_int_equal(l.at[EVENTS].w, 110);
	l = make(160, 40, 1, 3, 1u << MEMPOOL, -1);
	assert_int_equal(l.at[MEMPOOL].w, 50);
	/* Many paths do not push Blocks out. */
	l = make(80, 24, 1, 64, 0, -1);
	assert_true(l.at[BLOCKS].h >= 8);
}

static void
test_tiny(void **state)
{
	struct layout l = make(19, 24, 1, 3, 0, -1);

	(void)state;
	assert_true(l.tiny);
	l = make(80, 2, 1, 3, 0, -1);
	assert_true(l.tiny);
	l = make(20, 3, 1, 3, 0, -1);
	assert_false(l.tiny);
	assert_int_equal(l.area.h, 0);
	l = make(20, 4, 1, 3, 0, -1);
	assert_int_equal(l.note_y, 2);
}

/* nvtop's idea: not examples, all sizes. */
static void
check(const struct layout *l, int w, int h, int view)
{
	static unsigned char used[250 * 80];
	const struct rect *r;
	int i, x, y;

	memset(used, 0, sizeof(used));
	for (i = 0; i < N; i++) {
		r = &l->at[i];
		if (r->w == 0)
			continue;
		if (r->x < 0 || r->y < 2 || r->w < 1 || r->h < 1 || r->x + r->w > w || r->y + r->h > h - 1)
			fail_msg("%dx%d view %d: %s at %d,%d %dx%d is outside", w, h, view, classes[i].name, r->x, r->y,
				r->w, r->h);
		for (y = r->y; y < r->y + r->h; y++)
			for (x = r->x; x < r->x + r->w; x++)
				if (used[y * 250 + x]++)
					fail_msg("%dx%d view %d: %s lies over another", w, h, view, classes[i].name);
	}
	if (l->note_y >= 0) {
		assert_in_range(l->note_y, 2, h - 2);
		assert_int_equal(used[l->note_y * 250], 0);
	}
}

static void
test_every_size(void **state)
{
	static const int views[] = {1, 7, 8, 6, 3};
	static const unsigned paths[] = {0, 1, 3, 40}, absent[] = {0, 1u << BLOCKS, 1u << GAS | 1u << MEMPOOL, 0x7f};
	struct layout l;
	int w, h, v, i;

	(void)state;
	for (w = 1; w <= 250; w++)
		for (h = 1; h <= 80; h++)
			for (v = 0; v < 5; v++) {
				i = (w + h) % 4;
				l = make(w, h, views[v], paths[i], absent[(w / 4 + h) % 4], -1);
				check(&l, w, h, views[v]);
				l = make(w, h, views[v], paths[i], 0, -1);
				check(&l, w, h, views[v]);
				/* Of what is given room, nothing is too small for itself. */
				for (i = 0; i < N; i++)
					assert_true(l.at[i].w == 0 ||
						(l.at[i].w >= classes[i].min_w && l.at[i].h >= classes[i].min_h));
				/* Blocks are there whenever they can be; the screen is used to the last line. */
				if (views[v] == 1 && w >= 30 && h >= 7)
					assert_true(l.at[BLOCKS].w > 0);
				l = make(w, h, views[v], paths[(unsigned)w % 4], 0, w % N);
				check(&l, w, h, views[v]);
			}
}

/* No line between the heads and the keys is left blank once there is room for panes. */
static void
test_no_hole(void **state)
{
	struct layout l;
	int w, h, i, y, rows;

	(void)state;
	for (w = 40; w <= 250; w++)
		for (h = 10; h <= 80; h++) {
			l = make(w, h, 1, 3, 0, -1);
			for (y = 2; y < h - 1; y++) {
				for (rows = 0, i = 0; i < N; i++)
					if (l.at[i].w > 0 && y >= l.at[i].y && y < l.at[i].y + l.at[i].h)
						rows += l.at[i].w;
				if (rows != w && y != l.note_y)
					fail_msg("%dx%d: line %d has %d columns of panes", w, h, y, rows);
			}
		}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_160x45),
		cmocka_unit_test(test_120x36),
		cmocka_unit_test(test_80x24),
		cmocka_unit_test(test_40x12),
		cmocka_unit_test(test_health_view),
		cmocka_unit_test(test_log_view),
		cmocka_unit_test(test_race_over_forks),
		cmocka_unit_test(test_zoom_and_absence),
		cmocka_unit_test(test_tiny),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_no_hole),
	};

	return cmocka_run_group_tests_name("layout", tests, setup, NULL);
}
