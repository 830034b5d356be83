/*
 * JSON of a node, written anew for a person or a program: indented or in one line, all in ASCII (escapes mean the same to a
 * reader of JSON), so that nothing in it can reach the terminal. Numbers stay as the node wrote them. Works on the text as it
 * stands: no tree, memory by nesting alone, for answers of hundreds of MB.
 */
#ifndef OUT_JSON_TEXT_H
#define OUT_JSON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "eth/fields.h"

enum { JSON_TEXT_DEPTH = 16384 }; /* traces nest as deep as calls do: 1,024, each with its list */

struct json_text_opts {
	bool line; /* one line, no blanks; else indented by two */
	/* Beside hex numbers what they are, behind '#': "number": "0x184f2ef",  # 25,490,415. No JSON any more. */
	bool notes;
	enum field_unit top; /* notes: what the text is if it is one number */
};

/* The text as it is, but in ASCII and in one line: for a terminal, where it is not to be understood. */
void json_write_plain(FILE *f, const char *text, size_t n);
/* ST_MALFORMED with the place: it is no JSON, what stands before was written. ST_TOO_BIG: nested too deep. ST_IO: ferror(f). */
enum status json_write(FILE *f, const char *text, size_t n, const struct json_text_opts *o, struct err *e) MUST_CHECK;

#endif
