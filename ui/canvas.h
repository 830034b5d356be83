/*
 * A grid of cells: the only drawing API that panes get. No terminal here; screen.c and text.c show it.
 * Everything clips: drawing outside is silently lost, never an error. Text is cleaned before it reaches a cell.
 */
#ifndef UI_CANVAS_H
#define UI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ui/theme.h"

struct cell {
	uint32_t cp; /* 0: right half of a wide character */
	uint8_t role; /* enum role */
	uint8_t attr; /* CELL_… */
};

enum { CELL_BOLD = 1, CELL_REVERSE = 2, CELL_DIM = 4, CELL_UNDERLINE = 8 };

struct rect {
	int x, y, w, h;
};

enum glyphs { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_ASCII };

/* A view on a grid: origin and clip; cheap to copy. */
struct canvas {
	struct cell *cells;
	int stride, grid_h; /* of the whole grid */
	struct rect at; /* this view, in grid coordinates; drawing is relative to at.x, at.y */
	enum glyphs glyphs;
};

/* A grid of its own; content is blanks. ST_NOMEM. w, h ≥ 1 are clamped to 1…1000. */
enum status canvas_init(struct canvas *c, int w, int h, enum glyphs g) MUST_CHECK;
void canvas_fini(struct canvas *c);
struct canvas canvas_sub(const struct canvas *c, struct rect r); /* clipped to c */
void canvas_clear(struct canvas *c);
void canvas_put(struct canvas *c, int x, int y, uint32_t cp, enum role role, unsigned attr);
/* Both return the column behind the text. w < 0: to the edge. Clips by columns; cut text ends with … (or ~ in ASCII). */
int canvas_text(struct canvas *c, int x, int y, int w, enum role role, unsigned attr, const char *s);
int canvas_textf(struct canvas *c, int x, int y, int w, enum role role, unsigned attr, const char *fmt, ...)
	PRINTF_LIKE(7, 8);
/* Right-aligned in [x, x+w). */
void canvas_right(struct canvas *c, int x, int y, int w, enum role role, unsigned attr, const char *s);
void canvas_fill(struct canvas *c, struct rect r, uint32_t cp, enum role role, unsigned attr);
void canvas_attr(struct canvas *c, struct rect r, unsigned add); /* e.g. the selected row: CELL_REVERSE */
/*
 * Frame with a title on the left and a note on the right of the upper edge, as in screens.md §2. foot may be NULL.
 * Returns the inside.
 */
struct rect canvas_box(struct canvas *c, struct rect r, bool focus, const char *title, const char *note, const char *foot);
/* The character of the current glyph set for a Unicode one: ▶ → >, │ → |, ● → o, ✓ → +, — → -, … → ~, Ξ → E. */
uint32_t canvas_glyph(const struct canvas *c, uint32_t cp);

#endif
