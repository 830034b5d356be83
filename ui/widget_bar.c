/* Gauges; see widget_bar.h. */
#include "ui/widget_bar.h"

#include <math.h>

void
bar_fill(struct canvas *c, int x, int y, int w, double share, enum role role)
{
	int eighths, i, rest;
	uint32_t part;

	if (w <= 0 || w > 1000 || isnan(share) || share <= 0)
		return;
	/* Rounded down: only what is full looks full. */
	eighths = (int)floor(fmin(share, 1) * w * 8 + 1e-9);
	if (eighths == 0)
		eighths = 1;
	for (i = 0; i < eighths / 8; i++)
		canvas_put(c, x + i, y, 0x2588, role, 0);
	rest = eighths % 8;
	if (rest == 0)
		return;
	part = c->glyphs == GLYPHS_ASCII ? (rest >= 4 ? '=' : '-') : 0x2590u - (unsigned)rest;
	canvas_put(c, x + i, y, part, role, 0);
}

void
bar_gauge(struct canvas *c, int x, int y, int w, double share, enum role role)
{
	bool ascii = c->glyphs == GLYPHS_ASCII;

	if (w < 3 || w > 1000)
		return;
	canvas_put(c, x, y, ascii ? '[' : 0x2595, ROLE_LABEL, 0);
	canvas_put(c, x + w - 1, y, ascii ? ']' : 0x258f, ROLE_LABEL, 0);
	canvas_fill(c, (struct rect){.x = x + 1, .y = y, .w = w - 2, .h = 1}, ' ', ROLE_TEXT, 0);
	bar_fill(c, x + 1, y, w - 2, share, role);
}

enum role
bar_gas_role(double share)
{
	return share < 0.5 ? ROLE_GAS1 : share < 0.9 ? ROLE_GAS2 : ROLE_GAS3;
}
