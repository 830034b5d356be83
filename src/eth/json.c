#include "eth/json.h"

#include "base/simd.h"
#include "base/utf8.h"

#define EIGHT_ONES 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
const uint8_t json_key_mask[2 * JSON_KEY_MAX] = {EIGHT_ONES, EIGHT_ONES, EIGHT_ONES};

static inline bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_spaces(const char *p, const char *end)
{
	do {
		p++;
		while (end - p >= 8 && __builtin_memcmp(p, "        ", 8) == 0)
			p += 8;
	} while (p < end && is_space(*p));
	return p;
}

/* Compact text, as nearly every node writes it, costs one comparison. */
static inline const char *skip_space(const char *p, const char *end)
{
	return p < end && is_space(*p) ? skip_spaces(p, end) : p;
}

static bool fail(struct json *j, const char *at, const char *what)
{
	if (!j->error) {
		j->error = what;
		j->error_at = at;
	}
	j->p = j->end; /* whatever comes next finds nothing */
	return false;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The code unit of four hex digits at p, or -1. */
static long code_unit(const char *p, const char *end)
{
	long v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int d = hex_value(p[i]);

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* p at a backslash: behind the escape, or NULL. */
static const char *skip_escape(const char *p, const char *end)
{
	if (end - p < 2)
		return NULL;
	switch (p[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': return p + 2;
	case 'u': return code_unit(p + 2, end) < 0 ? NULL : p + 6;
	default: return NULL;
	}
}

/* p behind the opening quote: the closing quote, or NULL with the error set. */
static const char *string_end(struct json *j, const char *p, bool *escaped)
{
	for (;;) {
		const char *next;

		p = simd()->string_end(p, j->end);
		if (p == j->end) {
			fail(j, p, "the end of a string");
			return NULL;
		}
		if (*p == '"')
			return p;
		if (*p != '\\') {
			fail(j, p, "no control character in a string");
			return NULL;
		}
		next = skip_escape(p, j->end);
		if (!next) {
			fail(j, p, "an escape");
			return NULL;
		}
		*escaped = true;
		p = next;
	}
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* Behind the number at p, or NULL. */
static const char *number_end(const char *p, const char *end)
{
	const char *q;

	if (p < end && *p == '-')
		p++;
	q = skip_digits(p, end);
	if (q == p || (*p == '0' && q - p > 1))
		return NULL;
	p = q;
	if (p < end && *p == '.') {
		q = skip_digits(p + 1, end);
		if (q == p + 1)
			return NULL;
		p = q;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		q = skip_digits(p, end);
		if (q == p)
			return NULL;
		p = q;
	}
	return p;
}

/* Behind the word at p, or NULL. */
static const char *word_end(const char *p, const char *end, const char *word, size_t n)
{
	return (size_t)(end - p) >= n && __builtin_memcmp(p, word, n) == 0 ? p + n : NULL;
}

void json_init(struct json *j, const char *text, size_t n)
{
	*j = (struct json){.start = text, .p = text, .end = text + n};
}

bool json_ok(const struct json *j)
{
	return !j->error;
}

static enum json_type type_of(char c)
{
	switch (c) {
	case '{': return JSON_OBJECT;
	case '[': return JSON_ARRAY;
	case '"': return JSON_STRING;
	case 't': return JSON_TRUE;
	case 'f': return JSON_FALSE;
	case 'n': return JSON_NULL;
	default: return c == '-' || is_digit(c) ? JSON_NUMBER : JSON_NONE;
	}
}

enum json_type json_peek(struct json *j)
{
	enum json_type t;

	j->p = skip_space(j->p, j->end);
	if (j->p == j->end || *j->p == '}' || *j->p == ']')
		return JSON_NONE;
	t = type_of(*j->p);
	if (t == JSON_NONE)
		fail(j, j->p, "a value");
	return t;
}

static bool enter(struct json *j, char open, const char *what)
{
	j->p = skip_space(j->p, j->end);
	if (j->p == j->end || *j->p != open)
		return fail(j, j->p, what);
	if (j->depth == JSON_DEPTH)
		return fail(j, j->p, "less nesting");
	j->p++;
	j->depth++;
	j->fresh = true;
	return true;
}

bool json_object(struct json *j)
{
	return enter(j, '{', "an object");
}

bool json_array(struct json *j)
{
	return enter(j, '[', "an array");
}

/*
 * Between members: false at `close` (consumed) or on error, else p is where a member begins.
 */
static bool advance(struct json *j, char close, const char *what)
{
	const char *p = skip_space(j->p, j->end);

	if (p < j->end && *p == close) {
		j->p = p + 1;
		if (j->depth)
			j->depth--;
		j->fresh = false;
		return false;
	}
	if (!j->fresh) {
		if (p == j->end || *p != ',')
			return fail(j, p, what);
		p = skip_space(p + 1, j->end);
	}
	j->p = p;
	j->fresh = false;
	return true;
}

bool json_key(struct json *j, struct json_str *key)
{
	if (!advance(j, '}', "',' or '}'"))
		return false;
	if (j->p == j->end || *j->p != '"')
		return fail(j, j->p, "a key");
	if (!json_string(j, key))
		return false;
	j->p = skip_space(j->p, j->end);
	if (j->p == j->end || *j->p != ':')
		return fail(j, j->p, "':'");
	j->p = skip_space(j->p + 1, j->end);
	return true;
}

bool json_next(struct json *j)
{
	if (!advance(j, ']', "',' or ']'"))
		return false;
	if (j->p == j->end || *j->p == ']')
		return fail(j, j->p, "a value");
	return true;
}

bool json_string(struct json *j, struct json_str *out)
{
	const char *p = skip_space(j->p, j->end), *q;

	if (p == j->end || *p != '"')
		return fail(j, p, "a string");
	p++;
	out->escaped = false;
	q = string_end(j, p, &out->escaped);
	if (!q)
		return false;
	out->p = p;
	out->n = (size_t)(q - p);
	j->p = q + 1;
	return true;
}

bool json_number(struct json *j, struct json_str *out)
{
	const char *p = skip_space(j->p, j->end), *q = number_end(p, j->end);

	if (!q)
		return fail(j, p, "a number");
	*out = (struct json_str){.p = p, .n = (size_t)(q - p)};
	j->p = q;
	return true;
}

bool json_bool(struct json *j, bool *out)
{
	const char *p = skip_space(j->p, j->end), *q;

	q = word_end(p, j->end, "true", 4);
	*out = q != NULL;
	if (!q)
		q = word_end(p, j->end, "false", 5);
	if (!q)
		return fail(j, p, "true or false");
	j->p = q;
	return true;
}

bool json_null(struct json *j)
{
	const char *q;

	j->p = skip_space(j->p, j->end);
	q = word_end(j->p, j->end, "null", 4);
	if (!q)
		return false;
	j->p = q;
	return true;
}

/* Behind the string, number or word at p, or NULL with the error set. */
static const char *skip_scalar(struct json *j, const char *p)
{
	bool escaped;
	const char *q;

	switch (type_of(*p)) {
	case JSON_STRING: q = string_end(j, p + 1, &escaped); return q ? q + 1 : NULL;
	case JSON_NUMBER: q = number_end(p, j->end); break;
	case JSON_TRUE: q = word_end(p, j->end, "true", 4); break;
	case JSON_FALSE: q = word_end(p, j->end, "false", 5); break;
	case JSON_NULL: q = word_end(p, j->end, "null", 4); break;
	default: q = NULL;
	}
	if (!q)
		fail(j, p, "a value");
	return q;
}

/* Behind the colon of the key at p, or NULL with the error set. */
static const char *skip_key(struct json *j, const char *p)
{
	bool escaped;

	p = skip_space(p, j->end);
	if (p == j->end || *p != '"') {
		fail(j, p, "a key");
		return NULL;
	}
	p = string_end(j, p + 1, &escaped);
	if (!p)
		return NULL;
	p = skip_space(p + 1, j->end);
	if (p == j->end || *p != ':') {
		fail(j, p, "':'");
		return NULL;
	}
	return p + 1;
}

bool json_skip(struct json *j, struct json_str *out)
{
	const char *start = skip_space(j->p, j->end), *p = start;
	uint64_t objects =
		0; /* one bit for each open container, the innermost lowest: is it an object? */
	unsigned depth = 0, limit = JSON_DEPTH - j->depth;

	for (;;) {
		/* A value begins here. */
		p = skip_space(p, j->end);
		if (p == j->end)
			return fail(j, p, "a value");
		if (*p == '{' || *p == '[') {
			bool object = *p == '{';

			if (depth == limit)
				return fail(j, p, "less nesting");
			depth++;
			objects = objects << 1 | object;
			p = skip_space(p + 1, j->end);
			if (p == j->end || *p != (object ? '}' : ']')) {
				if (object && !(p = skip_key(j, p)))
					return false;
				continue;
			}
		} else {
			p = skip_scalar(j, p);
			if (!p)
				return false;
			p = depth ? skip_space(p, j->end) : p;
		}
		/* A value ended here: close what closes, then go on behind a comma. */
		while (depth && p < j->end && *p == (objects & 1 ? '}' : ']')) {
			depth--;
			objects >>= 1;
			p++;
			if (depth)
				p = skip_space(p, j->end);
		}
		if (!depth)
			break;
		if (p == j->end || *p != ',')
			return fail(j, p, objects & 1 ? "',' or '}'" : "',' or ']'");
		p++;
		if ((objects & 1) && !(p = skip_key(j, p)))
			return false;
	}
	j->p = p;
	if (out)
		*out = (struct json_str){.p = start, .n = (size_t)(p - start)};
	return true;
}

bool json_end(struct json *j)
{
	if (j->error)
		return false;
	j->p = skip_space(j->p, j->end);
	if (j->p != j->end || j->depth)
		return fail(j, j->p, "the end");
	return true;
}

enum status json_error(const struct json *j, struct err *e)
{
	if (!j->error)
		return err_set(e, ST_INTERNAL, "no JSON error");
	return err_set(e, ST_MALFORMED, "expected %s at byte %zu", j->error,
		(size_t)(j->error_at - j->start));
}

/* The code point of the escape at *p (grammar already checked, still never past end); *p goes behind it. */
static uint32_t take_escape(const char **p, const char *end)
{
	const char *s = *p, *next = skip_escape(s, end);
	long hi, lo;

	if (!next) {
		*p = s + 1;
		return 0xfffd;
	}
	*p = next;
	switch (s[1]) {
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'u': break;
	default: return (unsigned char)s[1];
	}
	hi = code_unit(s + 2, end);
	if (hi < 0xd800 || hi > 0xdfff)
		return (uint32_t)hi;
	if (hi > 0xdbff || end - next < 6 || next[0] != '\\' || next[1] != 'u')
		return 0xfffd;
	lo = code_unit(next + 2, end);
	if (lo < 0xdc00 || lo > 0xdfff)
		return 0xfffd;
	*p = next + 6;
	return 0x10000 + ((uint32_t)(hi - 0xd800) << 10) + (uint32_t)(lo - 0xdc00);
}

size_t json_text(char *out, size_t size, const struct json_str *s)
{
	const char *p = s->p, *end = p + s->n;
	size_t len = 0;

	if (!size)
		return 0;
	while (p < end) {
		char raw[4], clean[16];
		uint32_t cp;
		size_t n;

		if (*p == '\\') {
			cp = take_escape(&p, end);
		} else {
			int used;

			cp = utf8_decode(p, (size_t)(end - p), &used);
			p += used;
		}
		if (cp == 0xfffd) /* what could not be read: as utf8_clean shows it */
			cp = '?';
		n = utf8_clean(clean, sizeof(clean), raw, (size_t)utf8_encode(cp, raw));
		if (len + n >= size)
			break;
		__builtin_memcpy(out + len, clean, n);
		len += n;
	}
	out[len] = 0;
	return len;
}

bool json_str_u64(const struct json_str *s, uint64_t *out)
{
	const char *p = s->p, *end = p + s->n;
	unsigned base = 10;
	uint64_t v = 0;

	if (s->n > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		base = 16;
		p += 2;
	} else {
		/* 7.0 is the number 7 for those who know only floating point. */
		const char *dot = p;

		while (dot < end && *dot != '.')
			dot++;
		for (const char *q = dot + 1; q < end; q++)
			if (*q != '0')
				return false;
		if (end - dot == 1)
			return false;
		end = dot;
	}
	if (p == end)
		return false;
	for (; p < end; p++) {
		int d = hex_value(*p);

		if (d < 0 || (unsigned)d >= base || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
			__builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*out = v;
	return true;
}
