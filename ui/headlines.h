/*
 * The two lines above the panes (screens.md §2): what the chain does, and one sentence, worst news first. What is not known is
 * left out; what has no room leaves by importance.
 */
#ifndef UI_HEADLINES_H
#define UI_HEADLINES_H

#include "model/model.h"
#include "ui/canvas.h"

struct headlines {
	const struct model *live; /* of the ticking figures; not NULL */
	const struct model *shown; /* live, or the frozen copy */
	bool frozen;
	const char *badge; /* what line 1 begins with, inverse; NULL: nothing */
	const char *rec; /* what is being recorded; NULL or "": nothing */
	const char *flash; /* one sentence instead of line 2; NULL or "": none */
};

/* Line 1 on line y of c. */
void headlines_first(struct canvas *c, int y, const struct headlines *h);
/* Line 2. */
void headlines_second(struct canvas *c, int y, const struct headlines *h);
/* The newest note on one line, where the Events pane has no room. */
void headlines_note(struct canvas *c, int y, const struct model *m);
/* All of c, for a terminal too small for a layout: one line of status, one that says so. */
void headlines_tiny(struct canvas *c, const struct headlines *h);

#endif
