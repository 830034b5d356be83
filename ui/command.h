/*
 * Every command of the screens: one table feeds the key bindings, the help screen, the key line and the man page.
 * A row whose source is not built yet is not in the table: no dead keys.
 *   X(id, name, keys, key line, help)
 * keys: space-separated names as in keys_parse (command.c): "q", "F10", "^L", "Up", "PgDn", "Space", "S-Tab" …
 * key line: short label for the bottom line, "" to leave it out; "F1 Help" is printed as its first key and this label.
 */
#ifndef UI_COMMAND_H
#define UI_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#define COMMAND_LIST(X) \
	X(UI_HELP, "help", "F1 ?", "Help", "this page") \
	X(UI_VIEW_1, "view-overview", "1", "", "overview") \
	X(UI_VIEW_2, "view-blocks", "2", "", "blocks: every column") \
	X(UI_VIEW_5, "view-endpoints", "5", "", "endpoints compared: truth, freshness, speed, errors, cost") \
	X(UI_VIEW_6, "view-race", "6", "", "race and forks: who hears first, branches, reorgs") \
	X(UI_VIEW_7, "view-health", "7", "", "health and peers: every check, its value, its limits, since when") \
	X(UI_VIEW_8, "view-log", "8", "", "log and own cost") \
	X(UI_VIEW_LAST, "view-last", "-", "", "the view before this one") \
	X(UI_DOWN, "down", "j Down", "", "next row") \
	X(UI_UP, "up", "k Up", "", "previous row") \
	X(UI_NEWEST, "newest", "g Home", "", "first row: the newest") \
	X(UI_OLDEST, "oldest", "G End", "", "last row: the oldest") \
	X(UI_PAGE_DOWN, "page-down", "PgDn ^F", "", "a page down") \
	X(UI_PAGE_UP, "page-up", "PgUp ^B", "", "a page up") \
	X(UI_HALF_DOWN, "half-down", "^D", "", "half a page down") \
	X(UI_HALF_UP, "half-up", "^U", "", "half a page up") \
	X(UI_NEXT_PANE, "next-pane", "Tab", "Pane", "next pane; on a page: its next part") \
	X(UI_PREV_PANE, "previous-pane", "S-Tab", "", "previous pane") \
	X(UI_OPEN, "open", "Enter", "Open", "open the row: block, transaction, path") \
	X(UI_PREV_ITEM, "previous-item", "Alt-Left", "", "on a page: the block, transaction or path before this one") \
	X(UI_NEXT_ITEM, "next-item", "Alt-Right", "", "on a page: the next block, transaction or path") \
	X(UI_RAW, "raw", "v", "", "the block or transaction as raw JSON") \
	X(UI_COPY, "copy", "y", "", "copy the value to the clipboard (OSC 52): a hash, an address, a number") \
	X(UI_COPY_JSON, "copy-json", "Y", "", "copy the block or transaction as JSON") \
	X(UI_ZOOM, "zoom", "z", "Zoom", "this pane alone, or all again") \
	X(UI_BACK, "back", "Esc", "", "close help, page or zoom, then follow the newest") \
	X(UI_FOLLOW, "follow", "F", "Follow", "follow the newest; moving off it pins a row by its hash") \
	X(UI_FREEZE, "freeze", "Space", "Freeze", "freeze the screen, not the feeds") \
	X(UI_SORT, "sort", "F6 s", "Sort", "sort by the chosen column; again: back to the pane's own order") \
	X(UI_SORT_PREV, "sort-left", "<", "", "choose the column to the left") \
	X(UI_SORT_NEXT, "sort-right", ">", "", "choose the column to the right") \
	X(UI_SORT_REVERSE, "reverse", "r", "", "reverse the order") \
	X(UI_COL_PREV, "column-left", "h", "", "endpoints: the path to the left") \
	X(UI_COL_NEXT, "column-right", "l", "", "endpoints: the path to the right") \
	X(UI_WINDOW, "window", "w", "", "endpoints, race: the last 10 minutes, the last hour, all that is kept") \
	X(UI_MINUS_RTT, "minus-rtt", "b", "", "race: as heard here, or less half of each path's round trip") \
	X(UI_ORDER, "order", "o", "", "endpoints: best for a searcher, an app, an operator") \
	X(UI_TRANSPOSE, "transpose", "X", "", "endpoints: paths as rows or as columns") \
	X(UI_UNITS, "units", "u", "", "gwei, wei, ether") \
	X(UI_TIMES, "times", "t", "", "age, UTC, local time") \
	X(UI_GROUP, "group", "C", "", "blocks: a row for each second or for each block, where several come in a second") \
	X(UI_RECORD, "record", "R", "Record", "record, with the minutes before it; again: end the recording") \
	X(UI_ALERTS, "alerts", "! F9", "Alerts", "alerts: what is wrong, since when, how often") \
	X(UI_REPORT, "report", "E", "Report", "save what view 5 says now as a report, for an issue or a chat") \
	X(UI_ACK, "acknowledge", "A", "", "alerts: acknowledge: silent until it is worse or over; again: no longer") \
	X(UI_MUTE, "mute", "S", "", "alerts: mute for an hour; again: no longer") \
	X(UI_CHAIN, "chain", "c", "", "next chain") \
	X(UI_RETRY_NOW, "retry", "F5", "", "connect now, ask unsupported methods again") \
	X(UI_MOUSE, "mouse", "M", "", "mouse on or off") \
	X(UI_REDRAW, "redraw", "^L", "", "draw everything again") \
	X(UI_SUSPEND, "suspend", "^Z", "", "suspend") \
	X(UI_QUIT, "quit", "q F10 ^C", "Quit", "quit")

enum ui_cmd {
	UI_NONE,
#define X(id, name, keys, line, help) id,
	COMMAND_LIST(X)
#undef X
	UI_CMD_N
};

struct command {
	enum ui_cmd id;
	const char *name, *keys, *line, *help;
};

extern const struct command command_table[];
extern const size_t command_table_n;

/* Keys as numbers: a code point, or one of these. */
enum key {
	KEY_SPECIAL = 0x200000,
	KEY_UP_, KEY_DOWN_, KEY_LEFT_, KEY_RIGHT_, KEY_HOME_, KEY_END_, KEY_PGUP_, KEY_PGDN_, KEY_TAB_, KEY_STAB_,
	KEY_ENTER_, KEY_ESC_, KEY_BACKSPACE_, KEY_DELETE_, KEY_ALT_LEFT_, KEY_ALT_RIGHT_,
	KEY_F1_ = KEY_SPECIAL + 0x100, /* … F12 follow */
	KEY_CTRL_ = KEY_SPECIAL + 0x200, /* + letter: ^L is KEY_CTRL_ + 'L' */
};

/* The command bound to a key; UI_NONE if there is none. */
enum ui_cmd command_for_key(unsigned key);
/* Number of a key name ("F6", "^L", "Space", "g"); 0 if it is none. */
unsigned key_parse(const char *name, size_t n);

#endif
