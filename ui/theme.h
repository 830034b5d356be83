/*
 * Colours by role. Themes name roles; panes name roles; nobody else names colours. Each role also has a mono attribute in
 * C, so that no theme and no NO_COLOR can make a warning invisible.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ROLE_LIST(X) \
	/* enum, name in theme files, mono attribute, default fg (ANSI 0–15, −1 default) */ \
	X(ROLE_TEXT, "text", 0, -1) \
	X(ROLE_DIM, "dim", 4, 8) \
	X(ROLE_TITLE, "title", 1, -1) \
	X(ROLE_FRAME, "frame", 0, 8) \
	X(ROLE_FRAME_FOCUS, "frame.focus", 1, 6) \
	X(ROLE_HEAD, "head", 1, -1) /* the head's number */ \
	X(ROLE_LABEL, "label", 0, 8) /* column headings, units */ \
	X(ROLE_OK, "ok", 0, 2) \
	X(ROLE_WARN, "warn", 1, 3) \
	X(ROLE_CRIT, "crit", 3, 1) \
	X(ROLE_INFO, "info", 0, 6) \
	X(ROLE_SELECT, "select", 2, -1) \
	X(ROLE_KEY, "key", 2, 6) /* key names in the bottom line */ \
	X(ROLE_GAS1, "gas.low", 0, 2) \
	X(ROLE_GAS2, "gas.mid", 0, 3) \
	X(ROLE_GAS3, "gas.high", 0, 1) \
	X(ROLE_GRAPH, "graph", 0, 6) \
	X(ROLE_GRAPH2, "graph.second", 0, 5) \
	X(ROLE_ORPHAN, "block.orphan", 4, 5) \
	X(ROLE_NEW, "block.new", 1, 6) \
	X(ROLE_BUILDER, "builder", 0, 4) \
	X(ROLE_BEST, "best", 1, 2)

enum role {
#define X(id, name, mono, fg) id,
	ROLE_LIST(X)
#undef X
	ROLE_N
};

/* −1: the terminal's own; 0–15 ANSI; otherwise 0x1000000 | rgb. */
struct face {
	int32_t fg, bg;
	uint8_t attr; /* CELL_… added by the theme */
};

struct theme {
	char name[32];
	struct face face[ROLE_N];
};

/*
 * How much colour: what --color, NO_COLOR and the terminal allow. AUTO is decided once, by screen_open or by whoever
 * writes text.
 */
enum color_mode { COLOR_AUTO, COLOR_NEVER, COLOR_16, COLOR_256, COLOR_DIRECT };

/* The two that are built in: "default" and "mono". NULL: none of that name. */
const struct theme *theme_builtin(const char *name);
/* The files of themes/ as text, so that they are there before anything is installed (build-aux/mkthemes). */
struct theme_file {
	const char *name, *text;
};
extern const struct theme_file theme_files[];
extern const size_t theme_files_n;
/* CELL_… of a role where there is no colour. */
unsigned role_mono(enum role r);
const char *role_name(enum role r);
/* Nearest of the 256-colour palette, or of the 16. c as in struct face. */
int theme_to_256(int32_t c);
int theme_to_16(int32_t c);

/*
 * A theme file, one setting a line, `#` at the start of a line or behind a blank (but not of #rrggbb) begins a comment:
 *   var NAME = COLOR                  COLOR: default, a name of the 16 (red, bright-red …), 0 … 15, #rrggbb or $NAME
 *   face ROLE = COLOR[,COLOR][+ATTR]  foreground, background, and of b r d u (bold reverse dim underline); $NAME too
 *   grad NAME = COLOR COLOR COLOR     NAME.low, NAME.mid, NAME.high
 * A role that is not named follows the longest named one before a dot ("frame.focus" → "frame"), else the default theme.
 * A background that is not given is that of `text`.
 * ST_USAGE with the name and the line; *out is then the default theme. n ≤ 64 kB, else ST_TOO_BIG.
 */
enum status theme_parse(struct theme *out, const char *name, const char *text, size_t n, struct err *e) MUST_CHECK;
/* Reads one file. ST_IO, or as theme_parse. The theme's name is the file's without folder and ending. */
enum status theme_load(struct theme *out, const char *path, struct err *e) MUST_CHECK;
/*
 * By name: a path (has a `/`), else NAME.theme in config_dir/themes, then in data_dir/themes (either may be NULL), then one of
 * the built-in ones or of theme_files. ST_USAGE if there is none.
 */
enum status theme_find(struct theme *out, const char *name, const char *config_dir, const char *data_dir,
		       struct err *e) MUST_CHECK;

#endif
