/*
 * History graphs. Values stand oldest first and are drawn with the newest at the right edge; what does not fit on the left
 * is cut. NaN is a gap: nothing is drawn there. lo and hi are the values of the lower and the upper edge; hi NaN means
 * the largest
 * value given (1 if there is none); if hi ≤ lo everything known is drawn at the lowest level. A value above lo shows at least the
 * lowest level, so that "little" and "none" differ; a known value at or below lo is an empty column (blank).
 */
#ifndef UI_WIDGET_GRAPH_H
#define UI_WIDGET_GRAPH_H

#include "ui/canvas.h"

struct graph {
	const double *v;
	unsigned n;
	double lo, hi;
	enum role role;
	const uint8_t *roles; /* role of each value, or NULL: all `role`. Dense braille takes the role of the right one */
	int bar_w; /* columns per value (≥ 1); 0: dense, as many values as the glyph set allows per cell (braille 2, else 1) */
	int gap; /* blank columns between values; only with bar_w ≥ 1 */
};

/* Bars in all of r; r.h rows have r.h × 8 levels (dense braille: r.h × 4; ASCII: r.h × 7). */
void graph_draw(struct canvas *c, struct rect r, const struct graph *g);
/* One row, one column per value, eighth blocks (ASCII ` .:-=+*#`): sparkline. Returns the column behind. */
int graph_spark(struct canvas *c, int x, int y, int w, const double *v, unsigned n, double lo, double hi, enum role role);
/* How many values graph_draw shows in this width. */
unsigned graph_capacity(const struct canvas *c, int w, int bar_w, int gap);
/* Largest known value, NaN if there is none. */
double graph_max(const double *v, unsigned n);
/* The next "round" number (1, 2, 5 × 10^k) at or above v, for the upper edge of an axis; v ≤ 0 or NaN: 1. */
double graph_nice(double v);

#endif
