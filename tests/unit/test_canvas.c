/* ui/canvas and ui/text: clipping, cleaning, wide characters, glyph sets, frames, text output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ui/canvas.h"
#include "ui/text.h"

static const char *
as_text(struct buf *b, const struct canvas *c)
{
	buf_clear(b);
	assert_int_equal(text_write(b, c, NULL, COLOR_NEVER), ST_OK);
	return b->p;
}

static void
test_clips_everywhere(void **state)
{
	struct canvas c, sub;
	struct buf b;
	const int huge = 0x7fffffff;
	int x, y;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(canvas_init(&c, 10, 3, GLYPHS_BRAILLE), ST_OK);
	sub = canvas_sub(&c, (struct rect){.x = 2, .y = 1, .w = 4, .h = 1});
	for (y = -3; y < 6; y++)
		for (x = -8; x < 20; x++) {
			canvas_put(&sub, x, y, 'x', ROLE_TEXT, 0);
			canvas_text(&sub, x, y, -1, ROLE_TEXT, 0, "yyyyyyyyyyyyyyyy");
			canvas_text(&sub, x, y, 100000, ROLE_TEXT, 0, "yyyyyyyyyyyyyyyy");
			canvas_right(&sub, x, y, 50, ROLE_TEXT, 0, "zzzzzzzzzzzzzzzz");
			canvas_fill(&sub, (struct rect){.x = x, .y = y, .w = 100, .h = 100}, 'f', ROLE_TEXT, 0);
			canvas_attr(&sub, (struct rect){.x = x, .y = y, .w = 100, .h = 100}, CELL_BOLD);
			canvas_box(&sub, (struct rect){.x = x, .y = y, .w = 3, .h = 3}, true, "title", "note", "foot");
		}
	canvas_fill(&sub, (struct rect){.x = -5, .y = -5, .w = 1000, .h = 1000}, '#', ROLE_TEXT, 0);
	assert_string_equal(as_text(&b, &c), "\n  ####\n\n");
	/* Sizes no terminal has. */
	canvas_fill(&sub, (struct rect){.x = huge, .y = huge, .w = huge, .h = huge}, '!', ROLE_TEXT, 0);
	canvas_fill(&sub, (struct rect){.x = -huge, .y = 0, .w = 10, .h = 1}, '!', ROLE_TEXT, 0);
	canvas_text(&sub, huge, 0, -1, ROLE_TEXT, 0, "no");
	canvas_text(&sub, -huge, 0, -1, ROLE_TEXT, 0, "no");
	canvas_box(&sub, (struct rect){.w = huge, .h = huge}, true, "t", NULL, NULL);
	assert_string_equal(as_text(&b, &c), "\n  ####\n\n");
	/* A view of a view is clipped by both. */
	sub = canvas_sub(&sub, (struct rect){.x = 3, .y = 0, .w = 50, .h = 50});
	assert_int_equal(sub.at.w, 1);
	assert_int_equal(sub.at.h, 1);
	sub = canvas_sub(&sub, (struct rect){.x = 7, .w = 5, .h = 5});
	assert_int_equal(sub.at.w, 0);
	canvas_fini(&c);
	buf_fini(&b);
}

static void
test_text_is_cut_by_columns(void **state)
{
	struct canvas c;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(canvas_init(&c, 12, 1, GLYPHS_BRAILLE), ST_OK);
	assert_int_equal(canvas_text(&c, 1, 0, 6, ROLE_TEXT, 0, "number"), 7);
	assert_int_equal(canvas_text(&c, 0, 0, 4, ROLE_TEXT, 0, "number"), 4);
	assert_string_equal(as_text(&b, &c), "num\xe2\x80\xa6""ber\n");
	canvas_clear(&c);
	canvas_right(&c, 2, 0, 8, ROLE_TEXT, 0, "12.0");
	assert_string_equal(as_text(&b, &c), "      12.0\n");
	canvas_clear(&c);
	canvas_right(&c, 0, 0, 3, ROLE_TEXT, 0, "123456");
	assert_string_equal(as_text(&b, &c), "12\xe2\x80\xa6\n");
	canvas_clear(&c);
	assert_int_equal(canvas_text(&c, 3, 0, 0, ROLE_TEXT, 0, "nothing"), 3);
	assert_string_equal(as_text(&b, &c), "\n");
	canvas_fini(&c);
	buf_fini(&b);
}

static void
test_wide_characters_never_break(void **state)
{
	static const char wide[] = "\xe6\x97\xa5"; /* 日, two columns */
	struct canvas c, sub;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(canvas_init(&c, 6, 1, GLYPHS_BRAILLE), ST_OK);
	assert_int_equal(canvas_text(&c, 0, 0, -1, ROLE_TEXT, 0, "\xe6\x97\xa5\xe6\x9c\xac"), 4);
	assert_string_equal(as_text(&b, &c), "\xe6\x97\xa5\xe6\x9c\xac\n");
	/* Overwriting one half blanks the other. */
	canvas_put(&c, 1, 0, 'x', ROLE_TEXT, 0);
	assert_string_equal(as_text(&b, &c), " x\xe6\x9c\xac\n");
	canvas_put(&c, 2, 0, 'y', ROLE_TEXT, 0);
	assert_string_equal(as_text(&b, &c), " xy\n");
	/* Straddling an edge: not drawn at all. */
	canvas_clear(&c);
	canvas_put(&c, 5, 0, 0x65e5, ROLE_TEXT, 0);
	sub = canvas_sub(&c, (struct rect){.w = 3, .h = 1});
	canvas_text(&sub, 2, 0, -1, ROLE_TEXT, 0, wide);
	assert_true(c.cells[3].cp == ' ');
	assert_string_equal(as_text(&b, &c), "  \xe2\x80\xa6\n");
	canvas_fini(&c);
	/* In ASCII each takes one column. */
	assert_int_equal(canvas_init(&c, 6, 1, GLYPHS_ASCII), ST_OK);
	assert_int_equal(canvas_text(&c, 0, 0, -1, ROLE_TEXT, 0, "\xe6\x97\xa5\xe6\x9c\xac|"), 3);
	assert_string_equal(as_text(&b, &c), "??|\n");
	canvas_fini(&c);
	buf_fini(&b);
}

static void
test_foreign_text_is_harmless(void **state)
{
	static const char nasty[] = "a\033[2Jb\r\nc\x9b" "d\xc2\x9b" "e\xe2\x80\xae" "f\x7f\tg\xff\xfe";
	struct canvas c;
	struct buf b;
	size_t i;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(canvas_init(&c, 40, 2, GLYPHS_BRAILLE), ST_OK);
	canvas_text(&c, 0, 0, -1, ROLE_TEXT, 0, nasty);
	canvas_put(&c, 0, 1, 0x1b, ROLE_TEXT, 0);
	canvas_put(&c, 1, 1, 0, ROLE_TEXT, 0);
	canvas_put(&c, 2, 1, 0x202e, ROLE_TEXT, 0);
	canvas_put(&c, 3, 1, 0x110000, ROLE_TEXT, 0);
	canvas_put(&c, 4, 1, 0x85, ROLE_TEXT, 0);
	as_text(&b, &c);
	for (i = 0; i < b.len; i++)
		assert_true(b.p[i] == '\n' || (unsigned char)b.p[i] >= 0x20);
	assert_null(strstr(b.p, "\xe2\x80\xae"));
	assert_null(strstr(b.p, "\xc2\x85"));
	assert_non_null(strstr(b.p, "a?[2Jb"));
	canvas_fini(&c);
	buf_fini(&b);
}

static void
test_ascii_is_ascii(void **state)
{
	struct canvas c;
	struct buf b;
	uint32_t cp;
	size_t i;
	int mode;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(canvas_init(&c, 50, 3, GLYPHS_ASCII), ST_OK);
	for (cp = 0; cp < 0x12000; cp++)
		assert_in_range(canvas_glyph(&c, cp), 0x20, 0x7e);
	canvas_box(&c, (struct rect){.w = 50, .h = 3}, true, "Gas \xe2\x96\xb6", "\xce\x9e 1.5", "\xe2\x80\xb2 orphan");
	canvas_text(&c, 1, 1, 30, ROLE_TEXT, 0, "−1 — ✓ ● é a very long text that is cut");
	for (mode = COLOR_NEVER; mode <= COLOR_DIRECT; mode++) {
		buf_clear(&b);
		assert_int_equal(text_write(&b, &c, NULL, (enum color_mode)mode), ST_OK);
		for (i = 0; i < b.len; i++)
			assert_true((unsigned char)b.p[i] < 0x80);
	}
	as_text(&b, &c);
	assert_non_null(strstr(b.p, "+ Gas > ---"));
	assert_non_null(strstr(b.p, "|-1 - + o ? a very long text t~"));
	assert_non_null(strstr(b.p, "+ ' orphan ---"));
	canvas_fini(&c);
	buf_fini(&b);
}

static void
test_box(void **state)
{
	struct canvas c;
	struct rect in;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(canvas_init(&c, 30, 4, GLYPHS_BRAILLE), ST_OK);
	in = canvas_box(&c, (struct rect){.w = 30, .h = 4}, false, "Blocks", "following newest", "128 kept");
	assert_int_equal(in.x, 1);
	assert_int_equal(in.y, 1);
	assert_int_equal(in.w, 28);
	assert_int_equal(in.h, 2);
	assert_string_equal(as_text(&b, &c),
		"┌ Blocks ── following newest ┐\n"
		"│                            │\n"
		"│                            │\n"
		"└ 128 kept ──────────────────┘\n");
	/* The note is whole or not there; the title is cut. */
	canvas_clear(&c);
	canvas_box(&c, (struct rect){.w = 27, .h = 2}, false, "Blocks", "following newest", NULL);
	assert_string_equal(as_text(&b, &c), "┌ Blocks ─────────────────┐\n└─────────────────────────┘\n\n\n");
	canvas_clear(&c);
	canvas_box(&c, (struct rect){.w = 8, .h = 2}, false, "Endpoints", NULL, NULL);
	assert_string_equal(as_text(&b, &c), "┌ End… ┐\n└──────┘\n\n\n");
	in = canvas_box(&c, (struct rect){.w = 1, .h = 4}, false, "x", NULL, NULL);
	assert_true(in.w == 0 && in.h == 0);
	canvas_fini(&c);
	buf_fini(&b);
}

static void
test_sizes(void **state)
{
	struct canvas c;

	(void)state;
	assert_int_equal(canvas_init(&c, 0, -5, GLYPHS_BLOCK), ST_OK);
	assert_int_equal(c.at.w, 1);
	assert_int_equal(c.at.h, 1);
	canvas_fini(&c);
	assert_int_equal(canvas_init(&c, 100000, 2, GLYPHS_BLOCK), ST_OK);
	assert_int_equal(c.at.w, 1000);
	canvas_fini(&c);
}

static void
test_sgr(void **state)
{
	struct theme t = *theme_builtin("default");
	struct canvas c;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	t.face[ROLE_OK] = (struct face){.fg = 2, .bg = -1};
	t.face[ROLE_CRIT] = (struct face){.fg = 0x1ff0000, .bg = 12, .attr = CELL_BOLD};
	assert_int_equal(canvas_init(&c, 10, 2, GLYPHS_BRAILLE), ST_OK);
	canvas_text(&c, 0, 0, -1, ROLE_OK, 0, "OK");
	canvas_text(&c, 3, 0, -1, ROLE_TEXT, 0, "a");
	canvas_text(&c, 4, 0, -1, ROLE_CRIT, CELL_REVERSE, "!");
	buf_clear(&b);
	assert_int_equal(text_write(&b, &c, &t, COLOR_256), ST_OK);
	assert_string_equal(b.p, "\033[0;32mOK\033[m a\033[0;1;7;38;5;196;104m!\033[m\n\n");
	buf_clear(&b);
	assert_int_equal(text_write(&b, &c, &t, COLOR_16), ST_OK);
	assert_string_equal(b.p, "\033[0;32mOK\033[m a\033[0;1;7;91;104m!\033[m\n\n");
	buf_clear(&b);
	assert_int_equal(text_write(&b, &c, &t, COLOR_DIRECT), ST_OK);
	assert_string_equal(b.p, "\033[0;32mOK\033[m a\033[0;1;7;38;2;255;0;0;104m!\033[m\n\n");
	/* The buffer's limit is respected. */
	buf_fini(&b);
	buf_init(&b, 4);
	assert_int_equal(text_write(&b, &c, &t, COLOR_256), ST_TOO_BIG);
	canvas_fini(&c);
	buf_fini(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clips_everywhere),
		cmocka_unit_test(test_text_is_cut_by_columns),
		cmocka_unit_test(test_wide_characters_never_break),
		cmocka_unit_test(test_foreign_text_is_harmless),
		cmocka_unit_test(test_ascii_is_ascii),
		cmocka_unit_test(test_box),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sgr),
	};

	return cmocka_run_group_tests_name("canvas", tests, NULL, NULL);
}
