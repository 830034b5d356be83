/*
 * Fuzz target of ui/theme and ui/canvas: any file is taken or refused with its line; whatever is taken has faces that
 * every palette can show. Any text on a canvas leaves it printable.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ui/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_color(int32_t c)
{
	int wide = theme_to_256(c), narrow = theme_to_16(c);

	if (c < -1 || (c > 15 && c < 0x1000000) || c > 0x1ffffff || wide < -1 || wide > 255 || narrow < -1 || narrow > 15)
		abort();
}

static void
check_theme(const uint8_t *data, size_t size)
{
	struct theme t;
	struct err e = {.code = ST_OK};
	enum status st = theme_parse(&t, "fuzz", (const char *)data, size, &e);
	int r;

	if (st != ST_OK && (e.code != st || e.text[0] == '\0'))
		abort();
	for (r = 0; r < ROLE_N; r++) {
		check_color(t.face[r].fg);
		check_color(t.face[r].bg);
	}
}

static void
check_canvas(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);
	struct canvas c;
	struct buf b;
	size_t i;
	int g, x, y;

	if (s == NULL)
		return;
	memcpy(s, data, size);
	s[size] = '\0';
	buf_init(&b, 1 << 20);
	for (g = GLYPHS_BRAILLE; g <= GLYPHS_ASCII; g++) {
		if (canvas_init(&c, 37, 3, (enum glyphs)g) != ST_OK)
			break;
		canvas_text(&c, 3, 0, 20, ROLE_TEXT, 0, s);
		canvas_right(&c, 3, 1, 20, ROLE_TEXT, 0, s);
		canvas_box(&c, (struct rect){.x = 1, .y = 1, .w = 30, .h = 2}, false, s, s, s);
		if (text_write(&b, &c, NULL, COLOR_NEVER) != ST_OK)
			abort();
		/* Wide characters are whole: a right half has its left one. */
		for (y = 0; y < 3; y++)
			for (x = 0; x < 37; x++)
				if ((c.cells[y * 37 + x].cp == 0) !=
					(x > 0 && utf8_width(c.cells[y * 37 + x - 1].cp) == 2))
					abort();
		canvas_fini(&c);
	}
	for (i = 0; i < b.len; i++)
		if ((unsigned char)b.p[i] < 0x20 && b.p[i] != '\n')
			abort();
	buf_fini(&b);
	free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_theme(data, size);
	check_canvas(data, size);
	return 0;
}
