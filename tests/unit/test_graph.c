/* ui/widget_graph and ui/widget_bar: levels, gaps, edges, three glyph sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "ui/text.h"
#include "ui/widget_bar.h"
#include "ui/widget_graph.h"

static struct canvas canvas;
static struct buf text;

static void
begin(int w, int h, enum glyphs g)
{
	assert_int_equal(canvas_init(&canvas, w, h, g), ST_OK);
	buf_init(&text, 1 << 20);
}

/* The canvas as text; the canvas is gone afterwards. */
static const char *
end(void)
{
	assert_int_equal(text_write(&text, &canvas, NULL, COLOR_NEVER), ST_OK);
	canvas_fini(&canvas);
	return text.p;
}

#define EXPECT(s) do { assert_string_equal(end(), s); buf_fini(&text); } while (0)

static const double stairs[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static void
test_spark(void **state)
{
	(void)state;
	begin(9, 1, GLYPHS_BRAILLE);
	assert_int_equal(graph_spark(&canvas, 0, 0, 9, stairs, 9, 0, 8, ROLE_GRAPH), 9);
	EXPECT(" ▁▂▃▄▅▆▇█\n");
	begin(9, 1, GLYPHS_ASCII);
	graph_spark(&canvas, 0, 0, 9, stairs, 9, 0, 8, ROLE_GRAPH);
	EXPECT(" .:-==+*#\n");
}

static void
test_spark_edges(void **state)
{
	static const double gap[] = {8, NAN, 4, 0, 0.01}, same[] = {5, 5}, high[] = {INFINITY, -INFINITY, 1e300};

	(void)state;
	/* A gap is blank, so is nothing; a little is not. */
	begin(5, 1, GLYPHS_BLOCK);
	graph_spark(&canvas, 0, 0, 5, gap, 5, 0, 8, ROLE_GRAPH);
	EXPECT("█ ▄ ▁\n");
	/* The newest is on the right: what is old is cut, what is missing is missing on the left. */
	begin(5, 1, GLYPHS_BLOCK);
	graph_spark(&canvas, 0, 0, 2, stairs, 9, 0, 8, ROLE_GRAPH);
	EXPECT("▇█\n");
	begin(5, 1, GLYPHS_BLOCK);
	graph_spark(&canvas, 0, 0, 5, same, 2, 0, NAN, ROLE_GRAPH);
	EXPECT("   ██\n");
	/* hi ≤ lo: level one, no division by zero. */
	begin(2, 1, GLYPHS_BLOCK);
	graph_spark(&canvas, 0, 0, 2, same, 2, 5, 5, ROLE_GRAPH);
	EXPECT("▁▁\n");
	begin(3, 1, GLYPHS_BLOCK);
	graph_spark(&canvas, 0, 0, 3, high, 3, 0, 8, ROLE_GRAPH);
	EXPECT("█ █\n");
	begin(3, 1, GLYPHS_BLOCK);
	graph_spark(&canvas, 0, 0, 3, high, 0, 0, 8, ROLE_GRAPH);
	graph_spark(&canvas, 0, 0, -3, stairs, 9, 0, 8, ROLE_GRAPH);
	graph_spark(&canvas, 0, 5, 3, stairs, 9, 0, 8, ROLE_GRAPH);
	EXPECT("\n");
}

static void
test_bars(void **state)
{
	static const double v[] = {16, 4, NAN, 9};
	static const uint8_t roles[] = {ROLE_GAS3, ROLE_GAS1, ROLE_GAS1, ROLE_GAS2};
	struct graph g = {.v = v, .n = 4, .lo = 0, .hi = 16, .roles = roles, .bar_w = 2};

	(void)state;
	begin(10, 2, GLYPHS_BRAILLE);
	graph_draw(&canvas, (struct rect){.w = 10, .h = 2}, &g);
	assert_int_equal(canvas.cells[2].role, ROLE_GAS3);
	assert_int_equal(canvas.cells[18].role, ROLE_GAS2);
	EXPECT("  ██    ▁▁\n  ██▄▄  ██\n");
	g.gap = 1;
	begin(11, 2, GLYPHS_ASCII);
	assert_int_equal(graph_capacity(&canvas, 11, 2, 1), 4);
	assert_int_equal(graph_capacity(&canvas, 10, 2, 1), 3);
	assert_int_equal(graph_capacity(&canvas, 0, 2, 1), 0);
	graph_draw(&canvas, (struct rect){.w = 11, .h = 2}, &g);
	EXPECT("##       ..\n## ==    ##\n");
}

static void
test_braille(void **state)
{
	static const double v[] = {4, 3, 2, 1, 0, NAN, 8};
	struct graph g = {.v = v, .n = 7, .lo = 0, .hi = 4, .role = ROLE_GRAPH};

	(void)state;
	begin(5, 1, GLYPHS_BRAILLE);
	assert_int_equal(graph_capacity(&canvas, 5, 0, 0), 10);
	graph_draw(&canvas, (struct rect){.w = 5, .h = 1}, &g);
	/* Seven values on ten places: the oldest is the right half of the second cell. */
	assert_int_equal(canvas.cells[0].cp, ' ');
	assert_int_equal(canvas.cells[1].cp, 0x28b8);
	assert_int_equal(canvas.cells[2].cp, 0x2800 + 0x46 + 0xa0);
	assert_int_equal(canvas.cells[3].cp, 0x2840);
	assert_int_equal(canvas.cells[4].cp, 0x28b8);
	end();
	buf_fini(&text);
	/* Dense on other glyph sets: a column each. */
	begin(7, 1, GLYPHS_ASCII);
	graph_draw(&canvas, (struct rect){.w = 7, .h = 1}, &g);
	EXPECT("#+=:  #\n");
}

static void
test_numbers(void **state)
{
	static const double v[] = {NAN, 3, -1};

	(void)state;
	assert_true(graph_max(v, 3) == 3);
	assert_true(isnan(graph_max(v, 1)));
	assert_true(graph_nice(0.7) == 1);
	assert_true(fabs(graph_nice(17) - 20) < 1e-9);
	assert_true(fabs(graph_nice(20) - 20) < 1e-9);
	assert_true(fabs(graph_nice(2.1e6) - 5e6) < 1);
	assert_true(fabs(graph_nice(1000) - 1000) < 1e-9);
	assert_true(graph_nice(NAN) == 1 && graph_nice(-2) == 1 && graph_nice(INFINITY) == 1);
}

static void
test_bar(void **state)
{
	(void)state;
	begin(12, 1, GLYPHS_BRAILLE);
	bar_gauge(&canvas, 0, 0, 12, 0.35, ROLE_INFO);
	EXPECT("▕███▌      ▏\n");
	begin(12, 1, GLYPHS_ASCII);
	bar_gauge(&canvas, 0, 0, 12, 0.35, ROLE_INFO);
	EXPECT("[###=      ]\n");
	begin(8, 1, GLYPHS_BRAILLE);
	bar_fill(&canvas, 0, 0, 8, 0.441, ROLE_INFO);
	EXPECT("███▌\n");
	begin(8, 1, GLYPHS_BRAILLE);
	bar_fill(&canvas, 0, 0, 8, 1e-9, ROLE_INFO);
	EXPECT("▏\n");
	begin(8, 1, GLYPHS_BRAILLE);
	bar_fill(&canvas, 0, 0, 8, NAN, ROLE_INFO);
	bar_fill(&canvas, 0, 0, 8, 0, ROLE_INFO);
	bar_fill(&canvas, 0, 0, 8, -5, ROLE_INFO);
	bar_gauge(&canvas, 0, 0, 2, 0.5, ROLE_INFO);
	EXPECT("\n");
	begin(8, 1, GLYPHS_BRAILLE);
	bar_fill(&canvas, 4, 0, 8, INFINITY, ROLE_INFO);
	EXPECT("    ████\n");
	assert_int_equal(bar_gas_role(0.1), ROLE_GAS1);
	assert_int_equal(bar_gas_role(0.5), ROLE_GAS2);
	assert_int_equal(bar_gas_role(0.95), ROLE_GAS3);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spark),
		cmocka_unit_test(test_spark_edges),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_braille),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bar),
	};

	return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
