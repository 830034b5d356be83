/*
 * A pane: one file in ui/panes/, one word in Makefile.am's PANES. It draws the model on its piece of canvas and
 * may react to commands while it has the focus. Drawing is pure: same model, same size, same state → same cells.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "base/buf.h"
#include "model/ranking.h"
#include "ui/canvas.h"
#include "ui/command.h"

struct pane;

/* What a command did in a pane. */
enum pane_result {
	PANE_IGNORED,
	PANE_DONE, /* redraw */
	PANE_OPEN, /* pane->go says what: a page comes over the view, or takes the place of one of the same class */
	PANE_COPY, /* env->clip is for the clipboard */
	PANE_ACK, PANE_MUTE, /* env->alert is to be acknowledged, muted, or no longer */
};

/* What a page shows: a pane that is part of no view and lies over all of them until Esc (pages.h). */
struct target {
	const char *page; /* name of its class; NULL: none */
	struct hash block;
	uint64_t number; /* of the block */
	uint32_t tx; /* index in the block, TARGET_NO_TX: the block itself */
	uint16_t path; /* index in model.paths */
};
enum { TARGET_NO_TX = UINT32_MAX };

/* Block → JSON in one line, as out/block_json.h does: the app brings it, ui knows nothing of out. */
typedef enum status (*json_writer)(struct buf *out, const struct block *b);

/* What all panes of a ui share. */
struct pane_env {
	json_writer json; /* NULL: there is none */
	struct buf clip; /* PANE_COPY: what is to be copied */
	uint64_t alert; /* PANE_ACK, PANE_MUTE: id in model.alerts */
	char say[120]; /* one sentence for line 2; "": none */
	enum race_window window; /* that comparisons are over: what UI_WINDOW changes */
	enum rank_by rank; /* whom they are for: what UI_ORDER changes */
};

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
	void (*open)(struct pane *p, const struct model *m); /* pages: pane->to is another one; NULL: nothing to do */
	void (*close)(struct pane *p); /* frees what the state owns and makes it like new; NULL: owns nothing */
};

struct pane {
	const struct pane_class *class;
	void *state;
	struct rect at; /* where it was drawn last; w = 0: hidden */
	struct pane_env *env; /* never NULL */
	struct target to; /* pages: what is shown */
	const struct block *body; /* pages: the block's body, also if the model has dropped it; NULL: not here (yet) */
	struct target go; /* with PANE_OPEN */
};

extern const struct pane_class *const pane_registry[]; /* generated from PANES, in that order */
extern const size_t pane_registry_n;

#endif
