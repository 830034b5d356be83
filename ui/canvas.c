/* A grid of cells; see canvas.h. */
#include "ui/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum {
	SIDE_MAX = 1000,
	TEXT_MAX = 4096, /* bytes of one text that are looked at: 1000 columns of 4 bytes */
};

static const struct cell blank = {.cp = ' ', .role = ROLE_TEXT};

static int
min_int(int a, int b)
{
	return a < b ? a : b;
}

static int
max_int(int a, int b)
{
	return a > b ? a : b;
}

enum status
canvas_init(struct canvas *c, int w, int h, enum glyphs g)
{
	w = min_int(max_int(w, 1), SIDE_MAX);
	h = min_int(max_int(h, 1), SIDE_MAX);
	*c = (struct canvas){.stride = w, .grid_h = h, .glyphs = g};
	c->cells = malloc((size_t)w * (size_t)h * sizeof(*c->cells));
	if (c->cells == NULL)
		return ST_NOMEM;
	c->at = (struct rect){.w = w, .h = h};
	canvas_clear(c);
	return ST_OK;
}

void
canvas_fini(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){.cells = NULL};
}

/* The part of r (in coordinates of c) that lies in c, in grid coordinates; w and h are never negative. */
static struct rect
clip(const struct canvas *c, struct rect r)
{
	/* In 64 bits: a caller's sizes may be anything. */
	int64_t x0 = (int64_t)c->at.x + (r.x > 0 ? r.x : 0), y0 = (int64_t)c->at.y + (r.y > 0 ? r.y : 0);
	int64_t x1 = (int64_t)c->at.x + r.x + r.w, y1 = (int64_t)c->at.y + r.y + r.h;
	int64_t right = (int64_t)c->at.x + c->at.w, bottom = (int64_t)c->at.y + c->at.h;

	x0 = x0 < right ? x0 : right;
	y0 = y0 < bottom ? y0 : bottom;
	x1 = x1 < right ? x1 : right;
	y1 = y1 < bottom ? y1 : bottom;
	return (struct rect){
		.x = (int)x0,
		.y = (int)y0,
		.w = x1 > x0 ? (int)(x1 - x0) : 0,
		.h = y1 > y0 ? (int)(y1 - y0) : 0,
	};
}

struct canvas
canvas_sub(const struct canvas *c, struct rect r)
{
	struct canvas sub = *c;

	sub.at = clip(c, r);
	return sub;
}

/* Never leaves half of a wide character behind at the edges of what is overwritten. */
static void
heal_edges(struct canvas *c, int x, int y, int w)
{
	struct cell *row = c->cells + (size_t)y * (size_t)c->stride;

	if (x > 0 && row[x].cp == 0)
		row[x - 1].cp = ' ';
	if (x + w < c->stride && row[x + w].cp == 0)
		row[x + w].cp = ' ';
}

static void
set_all(struct canvas *c, struct rect at, struct cell value)
{
	struct cell *row;
	int x, y;

	if (at.w <= 0)
		return;
	for (y = at.y; y < at.y + at.h; y++) {
		heal_edges(c, at.x, y, at.w);
		row = c->cells + (size_t)y * (size_t)c->stride;
		for (x = at.x; x < at.x + at.w; x++)
			row[x] = value;
	}
}

void
canvas_clear(struct canvas *c)
{
	set_all(c, c->at, blank);
}

void
canvas_put(struct canvas *c, int x, int y, uint32_t cp, enum role role, unsigned attr)
{
	struct rect at;
	struct cell *cell;
	int width;

	if ((unsigned)role >= ROLE_N)
		role = ROLE_TEXT;
	cp = canvas_glyph(c, cp);
	width = utf8_width(cp);
	if (width == 0) {
		cp = '?';
		width = 1;
	}
	at = clip(c, (struct rect){.x = x, .y = y, .w = width, .h = 1});
	if (at.w <= 0 || at.h <= 0)
		return;
	if (at.w < width) {
		cp = ' ';
		width = 1;
	}
	heal_edges(c, at.x, at.y, width);
	cell = c->cells + (size_t)at.y * (size_t)c->stride + at.x;
	cell[0] = (struct cell){.cp = cp, .role = (uint8_t)role, .attr = (uint8_t)attr};
	if (width == 2)
		cell[1] = (struct cell){.role = (uint8_t)role, .attr = (uint8_t)attr};
}

/* Columns of cleaned text on this canvas. ASCII draws every character in one. */
static int
columns(const struct canvas *c, const char *s)
{
	size_t n = strlen(s), w = 0;
	int len;

	if (c->glyphs != GLYPHS_ASCII)
		return (int)utf8_columns(s);
	for (; n > 0; s += len, n -= (size_t)len)
		w += utf8_width(utf8_decode(s, n, &len)) > 0;
	return (int)w;
}

/* Draws cleaned text in at most w columns from x; returns the column behind it. */
static int
draw(struct canvas *c, int x, int y, int w, enum role role, unsigned attr, const char *s)
{
	size_t n = strlen(s);
	bool cut = columns(c, s) > w;
	int end = x + w - cut, len, width;
	uint32_t cp;

	for (; n > 0; s += len, n -= (size_t)len) {
		cp = utf8_decode(s, n, &len);
		width = utf8_width(cp);
		if (width == 0)
			continue;
		if (c->glyphs == GLYPHS_ASCII)
			width = 1;
		if (x + width > end)
			break;
		canvas_put(c, x, y, cp, role, attr);
		x += width;
	}
	if (cut)
		canvas_put(c, x++, y, 0x2026, role, attr);
	return x;
}

static const char *
clean(char out[TEXT_MAX], const char *s)
{
	utf8_clean(out, TEXT_MAX, s, strnlen(s, TEXT_MAX));
	return out;
}

int
canvas_text(struct canvas *c, int x, int y, int w, enum role role, unsigned attr, const char *s)
{
	char buf[TEXT_MAX];

	if (x < -SIDE_MAX || x > SIDE_MAX)
		return x;
	if (w < 0)
		w = c->at.w - x;
	if (w <= 0 || s == NULL)
		return x;
	return draw(c, x, y, min_int(w, 2 * SIDE_MAX), role, attr, clean(buf, s));
}

int
canvas_textf(struct canvas *c, int x, int y, int w, enum role role, unsigned attr, const char *fmt, ...)
{
	char buf[TEXT_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return n < 0 ? x : canvas_text(c, x, y, w, role, attr, buf);
}

void
canvas_right(struct canvas *c, int x, int y, int w, enum role role, unsigned attr, const char *s)
{
	char buf[TEXT_MAX];
	int have;

	if (x < -SIDE_MAX || x > SIDE_MAX || w <= 0 || s == NULL)
		return;
	w = min_int(w, 2 * SIDE_MAX);
	clean(buf, s);
	have = columns(c, buf);
	draw(c, have < w ? x + w - have : x, y, w, role, attr, buf);
}

void
canvas_fill(struct canvas *c, struct rect r, uint32_t cp, enum role role, unsigned attr)
{
	if ((unsigned)role >= ROLE_N)
		role = ROLE_TEXT;
	cp = canvas_glyph(c, cp);
	if (utf8_width(cp) != 1)
		cp = ' ';
	set_all(c, clip(c, r), (struct cell){.cp = cp, .role = (uint8_t)role, .attr = (uint8_t)attr});
}

void
canvas_attr(struct canvas *c, struct rect r, unsigned add)
{
	struct rect at = clip(c, r);
	int x, y;

	for (y = at.y; y < at.y + at.h; y++)
		for (x = at.x; x < at.x + at.w; x++)
			c->cells[(size_t)y * (size_t)c->stride + (size_t)x].attr |= (uint8_t)add;
}

static void
frame_line(struct canvas *c, int x, int y, int w, uint32_t left, uint32_t right, enum role role)
{
	canvas_put(c, x, y, left, role, 0);
	canvas_fill(c, (struct rect){.x = x + 1, .y = y, .w = w - 2, .h = 1}, 0x2500, role, 0);
	canvas_put(c, x + w - 1, y, right, role, 0);
}

/* " text " in the frame line at x, in at most w columns; returns the column behind. */
static int
frame_text(struct canvas *c, int x, int y, int w, enum role role, const char *s)
{
	int end;

	if (w < 3)
		return x;
	canvas_put(c, x, y, ' ', role, 0);
	end = canvas_text(c, x + 1, y, w - 2, role, 0, s);
	canvas_put(c, end, y, ' ', role, 0);
	return end + 1;
}

struct rect
canvas_box(struct canvas *c, struct rect r, bool focus, const char *title, const char *note, const char *foot)
{
	enum role role = focus ? ROLE_FRAME_FOCUS : ROLE_FRAME;
	char buf[TEXT_MAX];
	int y, end = r.x + 1, have;

	if (r.w < 2 || r.h < 2 || r.w > SIDE_MAX || r.h > SIDE_MAX)
		return (struct rect){.x = r.x, .y = r.y};
	frame_line(c, r.x, r.y, r.w, 0x250c, 0x2510, role);
	frame_line(c, r.x, r.y + r.h - 1, r.w, 0x2514, 0x2518, role);
	for (y = r.y + 1; y < r.y + r.h - 1; y++) {
		canvas_put(c, r.x, y, 0x2502, role, 0);
		canvas_put(c, r.x + r.w - 1, y, 0x2502, role, 0);
	}
	if (title != NULL && title[0] != '\0')
		end = frame_text(c, end, r.y, r.w - 2, ROLE_TITLE, title);
	if (note != NULL && note[0] != '\0') {
		/* All of it or nothing, and at least one piece of the line between. */
		have = columns(c, clean(buf, note)) + 2;
		if (end + 1 + have <= r.x + r.w - 1)
			frame_text(c, r.x + r.w - 1 - have, r.y, have, ROLE_LABEL, note);
	}
	if (foot != NULL && foot[0] != '\0')
		frame_text(c, r.x + 1, r.y + r.h - 1, r.w - 2, ROLE_LABEL, foot);
	return (struct rect){.x = r.x + 1, .y = r.y + 1, .w = r.w - 2, .h = r.h - 2};
}

/* Stand-ins of one column. What is not here becomes a question mark. */
static const struct {
	uint16_t cp;
	char ascii;
} stand_ins[] = {
	{0x00a0, ' '}, {0x00ab, '"'}, {0x00b0, 'o'}, {0x00b1, '~'}, {0x00b5, 'u'}, {0x00b7, '.'},
	{0x00bb, '"'}, {0x00d7, 'x'}, {0x00f7, '/'}, {0x0394, 'd'}, {0x039e, 'E'}, {0x03bc, 'u'},
	{0x2010, '-'}, {0x2011, '-'}, {0x2012, '-'}, {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''},
	{0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'}, {0x2022, '*'}, {0x2026, '~'}, {0x2032, '\''},
	{0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'}, {0x2212, '-'}, {0x2248, '~'},
	{0x2264, '<'}, {0x2265, '>'}, {0x2500, '-'}, {0x2501, '-'}, {0x2502, '|'}, {0x2503, '|'},
	{0x250a, ':'}, {0x250c, '+'}, {0x2510, '+'}, {0x2514, '+'}, {0x2518, '+'}, {0x251c, '+'},
	{0x2523, '|'}, {0x2524, '|'}, {0x252b, '|'}, {0x252c, '+'}, {0x2534, '+'}, {0x253c, '+'},
	{0x2581, '.'}, {0x2582, ':'}, {0x2583, '-'}, {0x2584, '='}, {0x2585, '+'}, {0x2586, '*'},
	{0x2587, '#'}, {0x2588, '#'}, {0x2589, '#'}, {0x258a, '='}, {0x258b, '='}, {0x258c, '='},
	{0x258d, '-'}, {0x258e, '-'}, {0x258f, '-'}, {0x2591, '.'}, {0x2592, ':'}, {0x2593, '%'},
	{0x2595, '['}, {0x25b2, '^'}, {0x25b6, '>'}, {0x25bc, 'v'}, {0x25c0, '<'}, {0x25cb, 'O'},
	{0x25cf, 'o'}, {0x2713, '+'}, {0x2717, 'x'}, {0x21c4, '='},
};

uint32_t
canvas_glyph(const struct canvas *c, uint32_t cp)
{
	static const char dots[] = " .:-=+*##";
	size_t i;
	unsigned bits;

	if (cp < 0x80)
		return cp < 0x20 || cp == 0x7f ? '?' : cp;
	if (c->glyphs != GLYPHS_ASCII)
		return cp;
	if (cp >= 0x2800 && cp <= 0x28ff) {
		for (bits = cp & 0xff, i = 0; bits != 0; bits &= bits - 1)
			i++;
		return (unsigned char)dots[i];
	}
	for (i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
		if (stand_ins[i].cp == cp)
			return (unsigned char)stand_ins[i].ascii;
	return '?';
}
