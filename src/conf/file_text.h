/*
 * The text of a configuration file before libconfuse sees it. libconfuse 3.3 counts lines wrongly behind comments, takes
 * comments in lists for values, prints what it does not know, replaces a ${VAR} that is not set by nothing, and does not
 * mind a file that ends too early: all this is found here, with its line.
 *
 * Comments (from # to the end of the line; // and C comments where a word begins) become blanks. Quotes as libconfuse has them:
 * "…" and '…', \ before any character; a string ends on its line.
 */
#ifndef CONF_FILE_TEXT_H
#define CONF_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Works in place on text[0…n), which ends with a 0 behind it. env[k] becomes true if ${…} stands on line k (from 1): room
 * for n + 2. *line: where the error is. ST_USAGE: the user's; it reads no variable of the
 * environment but those that are named.
 */
enum status file_text_clean(char *text, size_t n, bool *env, unsigned *line, struct err *e) MUST_CHECK;

#endif
