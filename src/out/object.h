/*
 * One JSON object in one line, in memory of fixed size. A value that is not known is left out, never written as null or 0.
 * Texts are made harmless for terminals (utf8_clean) and then quoted. What does not fit any more sets `full`.
 */
#ifndef OUT_OBJECT_H
#define OUT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "eth/types.h"
#include "base/u256.h"

enum { OBJECT_MAX = 8192 };

struct object {
	size_t n; /* bytes in text */
	bool full;
	char text[OBJECT_MAX];
};

void object_begin(struct object *o);
/* Closes it, with a line end. */
void object_end(struct object *o);
void object_text(struct object *o, const char *key, const char *s);
/* The same of an array of this size, which need not be filled or ended; "": left out. */
void object_chars(struct object *o, const char *key, const char *s, size_t size);
/* A word of ours: written as it is. NULL: left out. */
void object_word(struct object *o, const char *key, const char *word);
void object_bool(struct object *o, const char *key, bool v);
/* UINT64_MAX: left out. Above 2^53 − 1 a string of decimal digits, which no reader rounds. */
void object_int(struct object *o, const char *key, uint64_t v);
void object_signed(struct object *o, const char *key, int64_t v);
/* Seconds with up to nine digits behind the point; UINT64_MAX: left out. */
void object_seconds(struct object *o, const char *key, uint64_t ns);
void object_seconds_signed(struct object *o, const char *key, int64_t ns);
/* Wall time as "2026-11-30T16:45:14.123456789Z"; 0 and UINT64_MAX: left out. */
void object_time(struct object *o, const char *key, uint64_t wall_ns);
/* Up to six digits behind the point, no exponent; what is not finite is left out. */
void object_number(struct object *o, const char *key, double v);
/* A string of decimal digits. */
void object_wei(struct object *o, const char *key, const struct u256 *v);
/* "0x…" */
void object_hex(struct object *o, const char *key, const void *bytes, size_t n);
void object_counts(struct object *o, const char *key, const uint32_t *v, unsigned n);

#endif
