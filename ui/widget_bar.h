/* Gauges: a share of a width, filled to an eighth of a cell. */
#ifndef UI_WIDGET_BAR_H
#define UI_WIDGET_BAR_H

#include "ui/canvas.h"

/*
 * ███▌ in w columns from x; the rest is left as it was. share is clamped to 0 … 1; NaN draws nothing. A share above 0 shows at
 * least one eighth. ASCII: # for a full cell, = for a half or more, - for less.
 */
void bar_fill(struct canvas *c, int x, int y, int w, double share, enum role role);
/* ▕███▌      ▏ in w columns, caps included (w ≥ 3, else nothing); ASCII: [###=      ]. The caps are ROLE_LABEL. */
void bar_gauge(struct canvas *c, int x, int y, int w, double share, enum role role);
/* gas.low below 0.5, gas.mid below 0.9, else gas.high: how full a block is. */
enum role bar_gas_role(double share);

#endif
