#include "out/object.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/hex.h"
#include "base/time.h"
#include "base/utf8.h"

enum { TAIL = 3 }; /* "}\n" and the 0 always fit */

#define EXACT ((UINT64_C(1) << 53) - 1)

static void raw(struct object *o, const char *s, size_t n)
{
	if (o->full || o->n + n + TAIL > sizeof(o->text)) {
		o->full = true;
		return;
	}
	memcpy(o->text + o->n, s, n);
	o->n += n;
}

static void format(struct object *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void format(struct object *o, const char *fmt, ...)
{
	char text[160];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	raw(o, text, n > 0 && (size_t)n < sizeof(text) ? (size_t)n : 0);
}

static void key_of(struct object *o, const char *key)
{
	if (o->n > 1)
		raw(o, ",", 1);
	raw(o, "\"", 1);
	raw(o, key, strlen(key));
	raw(o, "\":", 2);
}

void object_begin(struct object *o)
{
	o->n = 0;
	o->full = false;
	raw(o, "{", 1);
}

void object_end(struct object *o)
{
	memcpy(o->text + o->n, "}\n", 3);
	o->n += 2;
}

static void text(struct object *o, const char *key, const char *s, size_t size)
{
	char clean[1024], *p = clean;
	size_t n = utf8_clean(clean, sizeof(clean), s, size);

	key_of(o, key);
	raw(o, "\"", 1);
	/* Behind utf8_clean there are no controls: these two are all that JSON minds. */
	while (n) {
		size_t k = strcspn(p, "\"\\");

		raw(o, p, k);
		if (k < n) {
			raw(o, p[k] == '"' ? "\\\"" : "\\\\", 2);
			k++;
		}
		p += k;
		n -= k;
	}
	raw(o, "\"", 1);
}

void object_text(struct object *o, const char *key, const char *s)
{
	text(o, key, s, strlen(s));
}

void object_chars(struct object *o, const char *key, const char *s, size_t size)
{
	size_t n = strnlen(s, size);

	if (n)
		text(o, key, s, n);
}

void object_word(struct object *o, const char *key, const char *word)
{
	if (!word)
		return;
	key_of(o, key);
	format(o, "\"%s\"", word);
}

void object_bool(struct object *o, const char *key, bool v)
{
	key_of(o, key);
	format(o, "%s", v ? "true" : "false");
}

void object_int(struct object *o, const char *key, uint64_t v)
{
	if (v == UINT64_MAX)
		return;
	key_of(o, key);
	format(o, v > EXACT ? "\"%llu\"" : "%llu", (unsigned long long)v);
}

void object_signed(struct object *o, const char *key, int64_t v)
{
	key_of(o, key);
	format(o, "%lld", (long long)v);
}

static void seconds(struct object *o, const char *key, bool minus, uint64_t ns)
{
	char fraction[12];
	int n = snprintf(fraction, sizeof(fraction), ".%09u", (unsigned)(ns % NS_S));

	while (n > 1 && fraction[n - 1] == '0')
		n--;
	key_of(o, key);
	format(o, "%s%llu%.*s", minus && ns ? "-" : "", (unsigned long long)(ns / NS_S), n > 1 ? n : 0, fraction);
}

void object_seconds(struct object *o, const char *key, uint64_t ns)
{
	if (ns != UINT64_MAX)
		seconds(o, key, false, ns);
}

void object_seconds_signed(struct object *o, const char *key, int64_t ns)
{
	seconds(o, key, ns < 0, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
}

void object_time(struct object *o, const char *key, uint64_t wall_ns)
{
	time_t t = (time_t)(wall_ns / NS_S);
	char text[24];
	struct tm tm;

	if (wall_ns == 0 || wall_ns == UINT64_MAX || !gmtime_r(&t, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	key_of(o, key);
	format(o, "\"%s.%09uZ\"", text, (unsigned)(wall_ns % NS_S));
}

void object_number(struct object *o, const char *key, double v)
{
	if (!isfinite(v) || fabs(v) > 1e100)
		return;
	key_of(o, key);
	format(o, "%.6f", v);
}

void object_wei(struct object *o, const char *key, const struct u256 *v)
{
	char text[80];

	key_of(o, key);
	format(o, "\"%s\"", u256_dec(text, sizeof(text), v));
}

void object_hex(struct object *o, const char *key, const void *bytes, size_t n)
{
	char text[2 + 2 * 64 + 1];

	if (n > 64)
		n = 64;
	key_of(o, key);
	format(o, "\"%s\"", hex_print(text, bytes, n));
}

void object_counts(struct object *o, const char *key, const uint32_t *v, unsigned n)
{
	key_of(o, key);
	for (unsigned i = 0; i < n; i++)
		format(o, "%c%u", i ? ',' : '[', (unsigned)v[i]);
	raw(o, "]", 1);
}
