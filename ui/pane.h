/*
 * A pane: one file in ui/panes/, one word in Makefile.am's PANES. It draws the model on its piece of canvas and
 * may react to commands while it has the focus. Drawing is pure: same model, same size, same state → same cells.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "model/model.h"
#include "ui/canvas.h"

#include "ui/command.h"

struct pane;

/* What a command did in a pane. */
enum pane_result { PANE_IGNORED, PANE_DONE /* redraw */ };

struct pane_class {
	const char *name; /* "blocks": for :view and state files */
	const char *title; /* "Blocks" */
	const char *help; /* one sentence for the help page */
	unsigned wants; /* DIRTY_ bits */
	unsigned views; /* bit n: part of view n (1 … 8) */
	int min_w, min_h; /* with frame; below it the pane is left out */
	int priority; /* lower is kept longer when there is no room */
	size_t state_size; /* bytes of pane->state, zeroed at start */
	/* True (and why NULL): there is something to show. False: the pane yields its space. */
	bool (*present)(const struct model *m); /* NULL: always */
	void (*draw)(struct pane *p, const struct model *m, struct canvas *c, bool focus); /* frame included */
	enum pane_result (*command)(struct pane *p, const struct model *m, enum ui_cmd cmd); /* NULL: none */
	/* Mouse click at x, y inside (0,0 = frame corner); NULL: none. */
	enum pane_result (*click)(struct pane *p, const struct model *m, int x, int y);
};

struct pane {
	const struct pane_class *class;
	void *state;
	struct rect at; /* where it was drawn last; w = 0: hidden */
};

extern const struct pane_class *const pane_registry[]; /* generated from PANES, in that order */
extern const size_t pane_registry_n;

#endif
