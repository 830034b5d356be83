/*
 * The pages that lie over the view: block → transaction → raw JSON. Which they are, and the body of the block on top: it is held
 * here, so that a page stays whole when the model drops the body, and works on a frozen screen, too.
 */
#ifndef UI_PAGES_H
#define UI_PAGES_H

#include "ui/pane.h"

enum { PAGES_MAX = 8, PAGES_ASKS = 6 };

struct pages {
	struct target at[PAGES_MAX];
	unsigned n; /* 0: no page */
	struct block *body; /* of the page on top; one reference; NULL: not here */
	uint64_t asked_mono;
	unsigned asks; /* so often the body was asked for */
};

void pages_fini(struct pages *p);
/* The page on top, NULL: none. */
const struct target *pages_top(const struct pages *p);
/* On top of the others, or in place of the top one if it is of the same class. More than PAGES_MAX: in its place, too. */
void pages_open(struct pages *p, const struct target *to);
void pages_back(struct pages *p);
void pages_close(struct pages *p); /* all of them */
/* Takes the body, if it is missing, from one of the two models (NULL: none). True if it is new. */
bool pages_look(struct pages *p, const struct model *shown, const struct model *live);
/*
 * What has to be asked for: each body at once, then every 5 s, PAGES_ASKS times in all. False: nothing. now_mono is the
 * live model's.
 */
bool pages_want(struct pages *p, const struct model *live, struct want *out);

#endif
