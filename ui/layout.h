/*
 * Where everything stands: a pure function of the size, the view and what is there to show. Geometry of screens.md §2:
 *   line 0 the head, line 1 the sentence, last line the keys, panes between; from LAYOUT_WIDE columns on the overview has a
 *   right column (Gas over Tx rate); panes leave by need of room, at last all but Blocks; what is below 20×3 is `tiny`.
 */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include "ui/pane.h"

enum { LAYOUT_PANES_MAX = 32, LAYOUT_WIDE = 110, LAYOUT_MIN_W = 20, LAYOUT_MIN_H = 3, LAYOUT_TALL = 40 };

struct layout_in {
	int w, h; /* of the terminal */
	int view; /* 1 … 8 */
	int zoom; /* index of the one pane to show, −1 none */
	unsigned paths; /* rows that Pulse and Endpoints want */
	unsigned n; /* panes; those past LAYOUT_PANES_MAX are left out */
	const struct pane_class *const *panes;
	const bool *present; /* what pane_class.present says */
};

struct layout {
	bool tiny; /* nothing but canvas lines: no rect below is valid */
	struct rect area; /* between the second and the last line; h may be 0 */
	int note_y; /* line for the newest note where Events has no room, −1 none */
	struct rect at[LAYOUT_PANES_MAX]; /* per pane; w = 0: hidden. They lie in area and do not overlap */
};

void layout_make(const struct layout_in *in, struct layout *out);

#endif
