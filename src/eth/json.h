/*
 * Pull decoder for JSON text that is whole in memory (RFC 8259). It allocates nothing and copies nothing:
 * strings come as pointers into the text, still escaped. Errors stick: after the first one every call
 * returns false and json_ok() says so, so a decoder checks once at its end.
 *
 * Depth is limited to JSON_DEPTH. Text behind the top value that is not white space is an error of json_end().
 */
#ifndef ETH_JSON_H
#define ETH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define JSON_DEPTH 64

enum json_type { JSON_NONE, JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* Part of the text. For strings: without the quotes, escapes not resolved (`escaped` says whether there are any). */
struct json_str {
	const char *p;
	size_t n;
	bool escaped;
};

struct json {
	const char *start, *p, *end;
	const char *error; /* NULL or what was expected: "a string" */
	const char *error_at;
	unsigned depth;
	bool fresh; /* just behind '{' or '[': no comma before the next member */
};

void json_init(struct json *j, const char *text, size_t n);
bool json_ok(const struct json *j);
/* Type of the next value, without consuming it. JSON_NONE on error or at the end of the enclosing container. */
enum json_type json_peek(struct json *j);
/* Enter a container. */
bool json_object(struct json *j);
bool json_array(struct json *j);
/* In an object: the next key, positioned at its value; false at '}' (consumed) or on error. */
bool json_key(struct json *j, struct json_str *key);
enum { JSON_KEY_MAX = 24 };
extern const uint8_t json_key_mask[2 * JSON_KEY_MAX]; /* 0xff, then as many zeros */
/* The eight bytes at p + n for which those at mask + n are 0xff: zero if they are equal to those at q + n. */
static inline uint64_t json_differ(const char *p, const char *q, const uint8_t *mask, size_t n)
{
	uint64_t a, b, m;

	__builtin_memcpy(&a, p + n, 8);
	__builtin_memcpy(&b, q + n, 8);
	__builtin_memcpy(&m, mask + n, 8);
	return (a ^ b) & m;
}
/*
 * For a decoder that knows which key comes next: consumes it if the text stands there exactly as `quoted` ("\"hash\":", n
 * characters, then zeros; no white space before it). False: nothing was consumed, use json_key.
 */
static inline bool json_key_try(struct json *j, const char quoted[JSON_KEY_MAX], size_t n)
{
	const uint8_t *mask = json_key_mask + JSON_KEY_MAX - n;
	const char *p = j->p;

	if (!j->fresh) {
		if (p == j->end || *p != ',')
			return false;
		p++;
	}
	if (j->end - p >= JSON_KEY_MAX) {
		/* Three words whatever the length, as what depends on it is mispredicted. */
		if (json_differ(p, quoted, mask, 0) | json_differ(p, quoted, mask, 8) |
			json_differ(p, quoted, mask, 16))
			return false;
	} else if ((size_t)(j->end - p) < n || __builtin_memcmp(p, quoted, n) != 0) {
		return false;
	}
	j->p = p + n;
	j->fresh = false;
	return true;
}
/* In an array: positions at the next element; false at ']' (consumed) or on error. */
bool json_next(struct json *j);
/* Values. Each consumes exactly one. */
bool json_string(struct json *j, struct json_str *out);
/*
 * The n characters between two quotes that stand n apart, or NULL and nothing consumed. It does not look at what is between:
 * the caller proves that it is plain (all hex digits, say) or sets j->p back and takes json_string.
 */
static inline const char *json_string_of(struct json *j, size_t n)
{
	const char *p = j->p;

	if ((size_t)(j->end - p) < n + 2 || *p != '"' || p[n + 1] != '"')
		return NULL;
	j->p = p + n + 2;
	return p + 1;
}
bool json_number(struct json *j, struct json_str *out); /* the digits as they stand, grammar checked */
bool json_bool(struct json *j, bool *out);
bool json_null(struct json *j); /* true and consumed if the value is null; false without error otherwise */
/* Any value, containers included. *out (may be NULL) gets its text, with quotes or brackets. */
bool json_skip(struct json *j, struct json_str *out);
/* True if the whole text was consumed without an error. */
bool json_end(struct json *j);
/* Fills *e from the sticky error: ST_MALFORMED, "expected a string at byte 812". */
enum status json_error(const struct json *j, struct err *e);

static inline bool json_is(const struct json_str *s, const char *lit, size_t n)
{
	return s->n == n && __builtin_memcmp(s->p, lit, n) == 0;
}
#define JSON_IS(s, lit) json_is((s), (lit), sizeof(lit) - 1)

/* Resolves escapes (\uXXXX, surrogate pairs) into out[size] as cleaned printable UTF-8; always terminated. Returns bytes. */
size_t json_text(char *out, size_t size, const struct json_str *s);
/* Resolves a string into a u64 that stands as a JSON number or as a decimal/hex string. */
bool json_str_u64(const struct json_str *s, uint64_t *out);

#endif
