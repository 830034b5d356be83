/*
 * A table: columns that leave by priority, sorting, a selection that holds on to a row by its key while rows come and go.
 *
 * struct table is the state a pane keeps (in its pane->state). All zero is valid: follows the first row, the pane's own order.
 * It owns no memory. The rows come from a source, in the pane's own order; it is asked only for rows and cells that are
 * shown (and, when
 * sorted, for comparisons).
 *
 * Column 0 of the canvas is the marker: ▶ on the selected row if the pane has the focus. The columns follow.
 */
#ifndef UI_WIDGET_TABLE_H
#define UI_WIDGET_TABLE_H

#include "ui/canvas.h"
#include "ui/command.h"
#include "ui/pane.h"

enum { TABLE_COLS_MAX = 24, TABLE_TEXT_MAX = 256 };

enum table_align { TABLE_RIGHT, TABLE_LEFT };

struct table_col {
	const char *title; /* as long as its width at most; "" for none */
	uint8_t gap; /* blank columns before it */
	uint8_t width;
	/* 0: always there; of the others the highest leaves first when it is narrow (of equals: the right one) */
	uint8_t priority;
	uint8_t grow; /* share of the columns left over; 0: fixed */
	enum table_align align;
	bool fixed_order; /* cannot be sorted by */
};

struct table_cell {
	char text[TABLE_TEXT_MAX]; /* cleaned by the canvas; clipped to the column */
	enum role role; /* ROLE_TEXT if not set */
	unsigned attr; /* CELL_… */
	bool bar; /* draw `share` as a gauge instead of text */
	double share;
	bool spill; /* the text takes all of the row from here: later cells are not asked for */
	uint32_t mark; /* one character right behind the column (in the next one's gap), 0: none: `!` of a lost slot */
	enum role mark_role;
};

struct table_source {
	const void *ctx;
	unsigned n; /* rows */
	uint64_t (*key)(const void *ctx, unsigned row); /* unique among the rows shown, stable in time: hash_key() */
	void (*cell)(const void *ctx, unsigned row, unsigned col, struct table_cell *out); /* *out is all zero */
	int (*cmp)(const void *ctx, unsigned col, unsigned a, unsigned b); /* as in qsort; NULL: no sorting */
};

struct table {
	bool pinned; /* false: the first row is selected, whatever it is */
	uint64_t key; /* of the selected row, if pinned */
	unsigned at; /* its position at the last draw or command: where the selection goes if the row leaves */
	unsigned top; /* first row shown */
	unsigned page; /* rows shown at the last draw */
	uint8_t sort; /* column + 1; 0: the pane's own order */
	uint8_t chosen; /* column + 1 that < and > walk on; 0: none yet */
	bool reverse;
	int16_t x[TABLE_COLS_MAX], w[TABLE_COLS_MAX]; /* where columns were drawn last; w = 0: left out */
};

/* Columns and rows on all of c: the heading in its first line, rows below. */
void table_draw(struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src, struct canvas *c,
		bool focus);
/*
 * UI_DOWN … UI_HALF_UP move (off the first row: pins; onto it with UI_NEWEST or by moving up: follows), UI_FOLLOW and UI_BACK
 * (only if pinned) follow again, UI_SORT … UI_SORT_REVERSE sort. Others: PANE_IGNORED.
 */
enum pane_result table_command(struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src,
			       enum ui_cmd cmd);
/* A click at x, y of the canvas that table_draw got: on the heading sorts by that column, then reverses; on a row selects. */
enum pane_result table_click(
	struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src, int x, int y);
/* Row number (of the source) of the selected row, −1 if there are none. */
long table_selected(const struct table *t, const struct table_source *src);
/*
 * Which columns fit into w (marker not counted) and where: x[] and w[] as in struct table. Pure; table_draw uses it.
 * Returns the number
 * of columns shown.
 */
unsigned table_fit(const struct table_col *cols, unsigned n_cols, int width, int16_t *x, int16_t *w);
/* For the note of the frame: "following newest", "pinned", "by tip p50 ▼". Writes into out and returns it. */
const char *table_note(const struct table *t, const struct table_col *cols, char *out, size_t size);

#endif
