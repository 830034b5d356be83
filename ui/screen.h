/*
 * The terminal: the only file that knows curses. One screen at a time; all calls from one thread (the UI's).
 *
 * Signals: screen_open takes over SIGWINCH, SIGTSTP and SIGCONT (flags, then wake_raise: nothing else happens in the handler) and
 * SEGV BUS FPE ILL ABRT SYS (terminal restored with write() and tcsetattr(), then raised again, so that core files and
 * sanitizers work). SIGINT, SIGTERM and SIGHUP are the app's: it sets its handlers before screen_open, or ncurses takes them.
 */
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include "base/wake.h"
#include "ui/canvas.h"

struct screen;

struct screen_opts {
	enum color_mode color; /* COLOR_AUTO: NO_COLOR, then what terminfo says */
	const struct theme *theme; /* NULL: default; is copied */
	bool mouse;
	struct wake *wake; /* raised by the signals above; NULL: nobody is told */
};

/*
 * ST_USAGE (with cure): stdin or stdout is no terminal, TERM is unknown or cannot place the cursor ("dumb"). ST_NOMEM.
 * The screen is cleared and shows nothing yet. Call setlocale(LC_CTYPE, "") first.
 */
enum status screen_open(struct screen **out, const struct screen_opts *opts, struct err *e) MUST_CHECK;
/* Restores the terminal; NULL is allowed; also done at exit() if it was forgotten. */
void screen_close(struct screen *s);
/* Restores the terminal, if one is open, with async-signal-safe calls only: for a handler that is about to _exit. */
void screen_emergency(void);
/* What the terminal can: locale's codeset UTF-8 → braille, on the Linux console blocks; else ASCII. Needs no open screen. */
enum glyphs screen_glyphs(void);

void screen_size(const struct screen *s, int *w, int *h);
int screen_fd(const struct screen *s); /* to poll for reading */

/*
 * To be called when the wake was raised, and costs nothing otherwise: does what the signals asked for. Suspends if told
 * so (returns
 * after the continue). True if the size may have changed or all has to be shown again: ask screen_size, ui_resize, draw.
 */
bool screen_signals(struct screen *s);
/* Gives the terminal back and stops this process group, as ^Z does; returns when continued. Then all has to be shown again. */
void screen_suspend(struct screen *s);
void screen_mouse(struct screen *s, bool on);
/* The next screen_show sends every cell. */
void screen_clear(struct screen *s);
/* Sends what differs from the last time. Cells outside the terminal are left out. */
void screen_show(struct screen *s, const struct canvas *c);

enum input_kind { INPUT_KEY, INPUT_CLICK, INPUT_WHEEL };
struct input {
	enum input_kind kind;
	unsigned key; /* INPUT_KEY: as in ui/command.h */
	int x, y, steps; /* INPUT_CLICK, INPUT_WHEEL (−1 up, 1 down) */
};
/* The next input; false: none is waiting. After poll said readable, call until false: curses buffers what poll no longer sees. */
bool screen_input(struct screen *s, struct input *out);
/*
 * Puts text on the clipboard of the terminal's machine, through ssh too (OSC 52), if the terminal allows it: no answer comes.
 * False: longer than SCREEN_COPY_MAX (some terminals ignore more), no memory.
 */
enum { SCREEN_COPY_MAX = 74994 };
bool screen_copy(struct screen *s, const char *text, size_t n);
/* The terminal's bell. */
void screen_bell(struct screen *s);
/* Title of the terminal's window; NULL: what it was before. Where terminals do not know how, nothing happens. */
void screen_title(struct screen *s, const char *title);
/* A message of the desktop (OSC 9), where the terminal has such. */
void screen_notify(struct screen *s, const char *text);
/* False after the terminal went away (hang-up, end of file): leave. */
bool screen_alive(const struct screen *s);

#endif
