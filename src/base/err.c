/* Errors: formatting and cleaning of the text; see err.h. */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Room for one field plus what cleaning may shorten: an invalid byte stays one byte. */
#define FORMAT_ROOM 512

/*
 * Formats into a buffer of its own first: arguments may point into the very error that is
 * being replaced, as in err_set(e, code, "fetch: %s", e->text).
 */
static void set_text(char *out, size_t size, const char *fmt, va_list ap) PRINTF_LIKE(3, 0);

static void
set_text(char *out, size_t size, const char *fmt, va_list ap)
{
	char line[FORMAT_ROOM];
	size_t n;

	if (vsnprintf(line, sizeof(line), fmt, ap) < 0)
		line[0] = '\0';
	n = strlen(line);
	while (n > 0 && line[n - 1] == '\n')
		n--;
	utf8_clean(out, size, line, n);
}

static enum status set_error(struct err *e, enum status code, int detail, const char *fmt,
	va_list ap) PRINTF_LIKE(4, 0);

static enum status
set_error(struct err *e, enum status code, int detail, const char *fmt, va_list ap)
{
	if (e == NULL)
		return code;
	set_text(e->text, sizeof(e->text), fmt, ap);
	e->code = code;
	e->detail = detail;
	e->cure[0] = '\0';
	return code;
}

enum status
err_set(struct err *e, enum status code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_error(e, code, 0, fmt, ap);
	va_end(ap);
	return code;
}

enum status
err_set_detail(struct err *e, enum status code, int detail, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_error(e, code, detail, fmt, ap);
	va_end(ap);
	return code;
}

enum status
err_cure(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return ST_INTERNAL;
	va_start(ap, fmt);
	set_text(e->cure, sizeof(e->cure), fmt, ap);
	va_end(ap);
	return e->code;
}

const char *
status_word(enum status code)
{
	static const char *const words[ST_N] = {
#define X(name, word) [name] = word,
		STATUS_LIST(X)
#undef X
	};

	if ((unsigned)code >= ST_N)
		return words[ST_INTERNAL];
	return words[code];
}
