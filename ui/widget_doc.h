/*
 * A page of lines, each a label and a text, that scrolls and has a cursor: what a block or a transaction consists of.
 *
 * struct doc is the state a pane keeps; all zero is valid. The lines come from a source, which is asked only for those
 * that are shown.
 */
#ifndef UI_WIDGET_DOC_H
#define UI_WIDGET_DOC_H

#include "ui/canvas.h"
#include "ui/command.h"
#include "ui/pane.h"

enum { DOC_TEXT_MAX = 512 };

struct doc_line {
	char label[24]; /* "" for a line that goes on */
	char text[DOC_TEXT_MAX]; /* cleaned by the canvas */
	enum role role; /* of the text; ROLE_TEXT if not set */
	bool title; /* heading of a part: the label over the whole width */
	struct {
		char text[24];
		enum role role;
	} mark[3]; /* behind the text, two blanks before each; "" none */
};

struct doc_source {
	const void *ctx;
	unsigned n; /* lines */
	void (*line)(const void *ctx, unsigned i, struct doc_line *out); /* *out is all zero */
};

struct doc {
	unsigned at; /* the cursor's line */
	unsigned top, page; /* first line shown, lines shown at the last draw */
};

/* On all of c. Column 0 is the marker ▶ of the cursor's line if focus; labels begin at 1, texts at 1 + label_w. */
void doc_draw(struct doc *d, const struct doc_source *src, int label_w, struct canvas *c, bool focus);
/* UI_DOWN … UI_HALF_UP move the cursor. Others, and a cursor that is already there: PANE_IGNORED. */
enum pane_result doc_command(struct doc *d, unsigned n, enum ui_cmd cmd);
/* A click at line y of what doc_draw got. */
enum pane_result doc_click(struct doc *d, unsigned n, int y);
/* "12 of 340 lines" for a frame's foot where not all is seen; else "". Returns out. */
char *doc_note(const struct doc *d, unsigned n, char *out, size_t size);

#endif
