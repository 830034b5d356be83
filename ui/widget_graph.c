/* History graphs; see widget_graph.h. */
#include "ui/widget_graph.h"

#include <math.h>

/* Dots of a braille cell from the lowest up: left column 7 3 2 1, right column 8 6 5 4. */
static const uint8_t dots[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};

/* Levels from 0 (nothing) to `levels`; −1 for a gap. */
static int
level_of(double v, double lo, double hi, int levels)
{
	int l;

	if (isnan(v))
		return -1;
	if (!(hi > lo))
		return 1;
	if (v <= lo)
		return 0;
	if (v >= hi)
		return levels;
	l = (int)lround((v - lo) / (hi - lo) * levels);
	return l < 1 ? 1 : l > levels ? levels : l;
}

/* The character for a cell that is filled to 1 … full of its levels. */
static uint32_t
cell_glyph(const struct canvas *c, int level, int full)
{
	static const char ascii[] = " .:-=+*#";

	if (level >= full)
		return c->glyphs == GLYPHS_ASCII ? '#' : 0x2588;
	return c->glyphs == GLYPHS_ASCII ? (unsigned char)ascii[level] : 0x2580u + (unsigned)level;
}

static int
cell_levels(const struct canvas *c)
{
	return c->glyphs == GLYPHS_ASCII ? 7 : 8;
}

static bool
is_dense_braille(const struct canvas *c, const struct graph *g)
{
	return c->glyphs == GLYPHS_BRAILLE && g->bar_w <= 0;
}

static enum role
role_of(const struct graph *g, unsigned i)
{
	return g->roles != NULL ? (enum role)g->roles[i] : g->role;
}

static double
edge(const struct graph *g)
{
	double m;

	if (!isnan(g->hi))
		return g->hi;
	m = graph_max(g->v, g->n);
	return isnan(m) || m <= g->lo ? g->lo + 1 : m;
}

unsigned
graph_capacity(const struct canvas *c, int w, int bar_w, int gap)
{
	if (w <= 0)
		return 0;
	if (bar_w <= 0)
		return (unsigned)w * (c->glyphs == GLYPHS_BRAILLE ? 2 : 1);
	if (gap < 0)
		gap = 0;
	return (unsigned)((w + gap) / (bar_w + gap));
}

/* One value as a column of cells, w wide. */
static void
column(struct canvas *c, struct rect r, int x, int w, int level, enum role role)
{
	int full = cell_levels(c), row, in_cell, i;

	for (row = 0; row < r.h && level > row * full; row++) {
		in_cell = level - row * full;
		for (i = 0; i < w; i++)
			canvas_put(c, x + i, r.y + r.h - 1 - row, cell_glyph(c, in_cell, full), role, 0);
	}
}

static void
draw_bars(struct canvas *c, struct rect r, const struct graph *g)
{
	int bar_w = g->bar_w > 0 ? g->bar_w : 1, gap = g->bar_w > 0 && g->gap > 0 ? g->gap : 0;
	unsigned room = graph_capacity(c, r.w, bar_w, gap), n = g->n < room ? g->n : room, i;
	double hi = edge(g);
	int x = r.x + r.w - bar_w;

	for (i = 0; i < n; i++, x -= bar_w + gap)
		column(c, r, x, bar_w, level_of(g->v[g->n - 1 - i], g->lo, hi, r.h * cell_levels(c)),
			role_of(g, g->n - 1 - i));
}

static void
draw_braille(struct canvas *c, struct rect r, const struct graph *g)
{
	double hi = edge(g);
	int x, y, side, level, in_cell, dot;
	unsigned bits, back;

	for (x = 0; x < r.w; x++)
		for (y = 0; y < r.h; y++) {
			bits = 0;
			for (side = 0; side < 2; side++) {
				/* How far from the newest; the newest is the right half of the last cell. */
				back = (unsigned)(2 * (r.w - 1 - x) + 1 - side);
				if (back >= g->n)
					continue;
				level = level_of(g->v[g->n - 1 - back], g->lo, hi, r.h * 4);
				in_cell = level - (r.h - 1 - y) * 4;
				for (dot = 0; dot < 4 && dot < in_cell; dot++)
					bits |= dots[side][dot];
			}
			back = (unsigned)(2 * (r.w - 1 - x));
			if (bits != 0)
				canvas_put(c, r.x + x, r.y + y, 0x2800 + bits,
					role_of(g, g->n - 1 - (back < g->n ? back : g->n - 1)), 0);
		}
}

void
graph_draw(struct canvas *c, struct rect r, const struct graph *g)
{
	if (r.w <= 0 || r.h <= 0 || r.w > 1000 || r.h > 1000 || g->n == 0)
		return;
	if (is_dense_braille(c, g))
		draw_braille(c, r, g);
	else
		draw_bars(c, r, g);
}

int
graph_spark(struct canvas *c, int x, int y, int w, const double *v, unsigned n, double lo, double hi, enum role role)
{
	struct graph g = {.v = v, .n = n, .lo = lo, .hi = hi, .role = role, .bar_w = 1};

	if (w <= 0)
		return x;
	graph_draw(c, (struct rect){.x = x, .y = y, .w = w, .h = 1}, &g);
	return x + w;
}

double
graph_max(const double *v, unsigned n)
{
	double m = NAN;
	unsigned i;

	for (i = 0; i < n; i++)
		if (!isnan(v[i]) && !(v[i] <= m))
			m = v[i];
	return m;
}

double
graph_nice(double v)
{
	double p;

	if (!isfinite(v) || v <= 0)
		return 1;
	p = pow(10, floor(log10(v)));
	/* Rounding of log10 and pow may leave v a hair above a step: such a step still counts. */
	v /= p * (1 + 1e-9);
	return (v <= 1 ? 1 : v <= 2 ? 2 : v <= 5 ? 5 : 10) * p;
}
