/*
 * The whole screen: which view, which pane has the focus, frozen or live, what has to be drawn again. It turns keys
 * into commands and
 * the model into cells; no terminal (screen.h) and no clock here.
 *
 * Loop of the app:
 *   dirty |= model_apply(…) / model_tick(…);
 *   res = ui_key(ui, m, key);               for each key of screen_input
 *   if (ui_render(ui, m, dirty)) screen_show(screen, ui_canvas(ui));
 * While frozen the model given goes on living; the screen shows a copy.
 */
#ifndef UI_UI_H
#define UI_UI_H

#include "ui/canvas.h"
#include "ui/pane.h"
#include "ui/replaybar.h"

struct ui;

struct ui_opts {
	enum glyphs glyphs;
	int view; /* 1 … 8; what is none, or has no pane yet: 1 */
	int w, h; /* first size; < 1: 80×24 */
	enum rank_by rank; /* whom comparisons are for, to begin with */
	const char *badge; /* a word that line 1 always begins with, inverse: what is shown is not live; NULL: none; borrowed */
	json_writer json; /* for the raw view; NULL: there is none */
};

/* What the app has to do after a key or click; 0: nothing. */
enum ui_result {
	UI_RES_REDRAW = 1, /* call ui_render soon (with whatever dirty bits there are) */
	UI_RES_QUIT = 2,
	UI_RES_SUSPEND = 4, /* screen_suspend */
	UI_RES_RETRY = 8, /* CMD_RETRY to every feed */
	UI_RES_CHAIN = 16, /* model_show(the next chain) */
	UI_RES_MOUSE = 32, /* screen_mouse(ui_mouse(ui)) */
	UI_RES_CLEAR = 64, /* screen_clear: the terminal shows something else than we think */
	UI_RES_BODY = 128, /* ui_want has a body that somebody wants to see */
	UI_RES_ACK = 1 << 9, /* model_alert_ack(ui_alert(ui)) */
	UI_RES_RECORD = 1 << 11, /* begin or end a recording */
	UI_RES_REPORT = 1 << 12, /* save a report of now: ui_rank, ui_window */
	UI_RES_MUTE = 1 << 10, /* model_alert_mute(ui_alert(ui)) */
	UI_RES_COPY = 256, /* ui_clip is for the clipboard: screen_copy, then say how it went by ui_flash */
};

/* NULL without memory. */
struct ui *ui_new(const struct ui_opts *opts);
void ui_free(struct ui *ui);

/* key: as in command.h. Unknown keys do nothing. Returns enum ui_result bits. */
unsigned ui_key(struct ui *ui, const struct model *m, unsigned key);
/* The command itself: for clicks on the key line, and for whoever has no key. */
unsigned ui_command(struct ui *ui, const struct model *m, enum ui_cmd cmd);
/* A click at a cell; wheel: steps < 0 up, > 0 down. */
unsigned ui_click(struct ui *ui, const struct model *m, int x, int y);
unsigned ui_wheel(struct ui *ui, const struct model *m, int x, int y, int steps);
/*
 * Any size ≥ 1×1; also to be called with the same one after the terminal showed something else (screen_signals): then the next
 * ui_render returns true. False without memory: the old size stays.
 */
bool ui_resize(struct ui *ui, int w, int h);

/*
 * Draws line 1 and 2 and all panes that want one of the dirty bits (or that a command touched) on the canvas. dirty 0: only the
 * ticking line 1. Returns true if any cell is different from what the last call left.
 */
bool ui_render(struct ui *ui, const struct model *m, unsigned dirty);
const struct canvas *ui_canvas(const struct ui *ui);

/*
 * A body that is missing on the page that is open: send the command to that feed. Call it after UI_RES_BODY, and about
 * once a second as
 * long as it may be missing. m is the live model. False: nothing is wanted now.
 */
bool ui_want(struct ui *ui, const struct model *m, struct want *out);
/* Whom comparisons are for, and over what: as chosen in view 5. */
enum rank_by ui_rank(const struct ui *ui);
enum race_window ui_window(const struct ui *ui);
/* What UI_RES_COPY is about; valid until the next command. */
const struct buf *ui_clip(const struct ui *ui);

/* What UI_RES_ACK and UI_RES_MUTE are about. */
uint64_t ui_alert(const struct ui *ui);

bool ui_frozen(const struct ui *ui);
bool ui_mouse(const struct ui *ui); /* whether the mouse is on: at start it is */
int ui_view(const struct ui *ui);
/* Name of the pane with the focus, "" if there is none. */
const char *ui_focus(const struct ui *ui);
/* A recording is played: the line above the keys is its bar. Copied; NULL: there is none. */
void ui_replay(struct ui *ui, const struct replaybar *b);
/* "REC 00:12:04 18.3 MiB" in line 2, as long as there is one; "": none. Copied. */
void ui_recording(struct ui *ui, const char *word);
/* One sentence in line 2 until the next key: what a key of the app's did. Cleaned and cut. */
void ui_flash(struct ui *ui, const char *text);

#endif
