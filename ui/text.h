/* A canvas as text: for --once, for golden frames, for terminals that cannot place a cursor. */
#ifndef UI_TEXT_H
#define UI_TEXT_H

#include "base/buf.h"
#include "ui/canvas.h"

/*
 * Appends all lines, each ended by \n, blanks at the end of a line left out. COLOR_NEVER and COLOR_AUTO: plain
 * characters; else SGR
 * sequences in the theme's colours (NULL: default), which are off again at the end of each line. Glyph set ASCII
 * gives only bytes below 0x80. ST_NOMEM, ST_TOO_BIG by the buffer's limit.
 */
enum status text_write(struct buf *out, const struct canvas *c, const struct theme *theme, enum color_mode color) MUST_CHECK;

#endif
