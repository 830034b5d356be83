/* The replay bar at any width: what stands where, and nothing outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "ui/replaybar.h"

static const char *draw(int w, enum glyphs g, const struct replaybar *b)
{
	static char text[4000];
	struct canvas c;
	size_t n = 0;

	assert_int_equal(canvas_init(&c, w, 3, g), ST_OK);
	canvas_clear(&c);
	replaybar_draw(&c, 1, b);
	for (int x = 0; x < w; x++) {
		assert_int_equal(c.cells[x].cp, ' ');
		assert_int_equal(c.cells[2 * c.stride + x].cp, ' ');
		n += (size_t)utf8_encode(c.cells[c.stride + x].cp, text + n);
	}
	text[n] = 0;
	canvas_fini(&c);
	return text;
}

static void words(void **state)
{
	struct replaybar b = { .speed = 4, .at_ns = 30 * NS_S, .all_ns = 60 * NS_S };

	(void)state;
	assert_string_equal(draw(50, GLYPHS_BLOCK, &b), " 4×      00:00:30 ├─────────█──────────┤ 00:01:00 ");
	b.paused = true;
	assert_non_null(strstr(draw(80, GLYPHS_BLOCK, &b), " paused  00:00:30 ├"));
	b.ended = true;
	assert_non_null(strstr(draw(80, GLYPHS_BLOCK, &b), " END     00:00:30 ├"));
	b = (struct replaybar){ .speed = 0, .all_ns = 60 * NS_S };
	assert_non_null(strstr(draw(160, GLYPHS_BLOCK, &b), " max     00:00:00 ├█"));
	assert_non_null(strstr(draw(160, GLYPHS_BLOCK, &b), "Space pause  ← → 10 s  [ ] event  , . block  { } speed"));
	b.speed = 0.5;
	assert_non_null(strstr(draw(40, GLYPHS_ASCII, &b), " 0.5x "));
	for (const char *p = draw(40, GLYPHS_ASCII, &b); *p; p++)
		assert_true((unsigned char)*p < 0x80);
}

/* Places are where their times are; those outside are left out. */
static void places(void **state)
{
	struct replaybar b = { .speed = 1, .at_ns = 100 * NS_S, .all_ns = 100 * NS_S, .n = 4 };
	const char *s, *from;

	(void)state;
	b.mark[0].letter = 'r';
	b.mark[1].letter = '!';
	b.mark[1].at_ns = 50 * NS_S;
	b.mark[2].letter = 'g';
	b.mark[2].at_ns = 99 * NS_S;
	b.mark[3].letter = 'm';
	b.mark[3].at_ns = 101 * NS_S;
	s = draw(60, GLYPHS_ASCII, &b);
	from = s + 18;
	assert_int_equal(from[1], 'r');
	assert_non_null(strchr(from, '!'));
	assert_in_range(strchr(from, '!') - from, 14, 17);
	assert_non_null(strchr(from, 'g'));
	assert_null(strchr(s, 'm'));
}

static void any_width(void **state)
{
	struct replaybar b = { .speed = 1, .at_ns = UINT64_MAX, .all_ns = 1, .n = REPLAYBAR_MARKS };

	(void)state;
	for (int w = 1; w < 300; w++) {
		for (enum glyphs g = GLYPHS_BRAILLE; g <= GLYPHS_ASCII; g++)
			(void)draw(w, g, &b);
	}
	b.all_ns = 0;
	b.n = 0;
	(void)draw(80, GLYPHS_BLOCK, &b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(places),
		cmocka_unit_test(any_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
