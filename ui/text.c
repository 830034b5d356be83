/* A canvas as text; see text.h. */
#include "ui/text.h"

#include "base/utf8.h"

static bool
is_blank(const struct cell *k, const struct face *f, bool colour)
{
	if (k->cp != ' ')
		return false;
	return !colour || (((f->attr | k->attr) & (CELL_REVERSE | CELL_UNDERLINE)) == 0 && f->bg < 0);
}

static enum status
add_color(struct buf *out, int32_t c, enum color_mode mode, int base)
{
	if (c < 0)
		return ST_OK;
	if (c >= 0x1000000 && mode == COLOR_DIRECT)
		return buf_addf(out, ";%d;2;%d;%d;%d", base + 8, (int)(c >> 16 & 0xff), (int)(c >> 8 & 0xff),
			(int)(c & 0xff));
	c = mode == COLOR_16 ? theme_to_16(c) : theme_to_256(c);
	if (c >= 16)
		return buf_addf(out, ";%d;5;%d", base + 8, (int)c);
	return buf_addf(out, ";%d", c < 8 ? base + (int)c : base + 60 + (int)c - 8);
}

static enum status
add_sgr(struct buf *out, const struct face *f, unsigned attr, enum color_mode mode)
{
	static const struct {
		unsigned bit;
		const char *code;
	} codes[] = {{CELL_BOLD, ";1"}, {CELL_DIM, ";2"}, {CELL_UNDERLINE, ";4"}, {CELL_REVERSE, ";7"}};
	enum status st = buf_adds(out, "\033[0");
	size_t i;

	for (i = 0; st == ST_OK && i < sizeof(codes) / sizeof(codes[0]); i++)
		if (attr & codes[i].bit)
			st = buf_adds(out, codes[i].code);
	if (st == ST_OK)
		st = add_color(out, f->fg, mode, 30);
	if (st == ST_OK)
		st = add_color(out, f->bg, mode, 40);
	return st == ST_OK ? buf_adds(out, "m") : st;
}

static enum status
add_line(struct buf *out, const struct canvas *c, int y, const struct theme *theme, enum color_mode mode)
{
	const struct cell *row = c->cells + (size_t)(c->at.y + y) * (size_t)c->stride + c->at.x, *last = NULL;
	bool colour = mode != COLOR_NEVER, plain = true;
	const struct face *f;
	enum status st = ST_OK;
	int n = c->at.w, x;
	char bytes[4];

	while (n > 0 && is_blank(&row[n - 1], &theme->face[row[n - 1].role], colour))
		n--;
	for (x = 0; x < n && st == ST_OK; x++) {
		if (row[x].cp == 0)
			continue;
		f = &theme->face[row[x].role];
		if (colour && (last == NULL || row[x].role != last->role || row[x].attr != last->attr)) {
			bool none = f->fg < 0 && f->bg < 0 && (f->attr | row[x].attr) == 0;

			if (!none || !plain)
				st = none ? buf_adds(out, "\033[m") : add_sgr(out, f, f->attr | row[x].attr, mode);
			plain = none;
			last = &row[x];
		}
		if (st == ST_OK)
			st = buf_add(out, bytes, (size_t)utf8_encode(row[x].cp, bytes));
	}
	if (st == ST_OK && !plain)
		st = buf_adds(out, "\033[m");
	return st == ST_OK ? buf_adds(out, "\n") : st;
}

enum status
text_write(struct buf *out, const struct canvas *c, const struct theme *theme, enum color_mode color)
{
	enum status st = ST_OK;
	int y;

	if (theme == NULL)
		theme = theme_builtin("default");
	if (color == COLOR_AUTO)
		color = COLOR_NEVER;
	for (y = 0; y < c->at.h && st == ST_OK; y++)
		st = add_line(out, c, y, theme, color);
	return st;
}
