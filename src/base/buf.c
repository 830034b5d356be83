/* A growing byte buffer that stops at its limit; see buf.h. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 256

/* cap counts content only; one byte more is always allocated for the terminating 0. */
static enum status
set_cap(struct buf *b, size_t cap)
{
	char *p = realloc(b->p, cap + 1);

	if (p == NULL)
		return ST_NOMEM;
	b->p = p;
	b->cap = cap;
	b->p[b->len] = '\0';
	return ST_OK;
}

void
buf_init(struct buf *b, size_t limit)
{
	/* Half of the address space keeps every sum below from overflowing. */
	*b = (struct buf){.limit = limit < SIZE_MAX / 2 ? limit : SIZE_MAX / 2};
}

void
buf_fini(struct buf *b)
{
	free(b->p);
	*b = (struct buf){.limit = b->limit};
}

void
buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->p != NULL)
		b->p[0] = '\0';
}

enum status
buf_reserve(struct buf *b, size_t n)
{
	size_t need, cap;

	if (n > b->limit - b->len)
		return ST_TOO_BIG;
	need = b->len + n;
	if (b->p != NULL && need <= b->cap)
		return ST_OK;
	cap = b->cap < FIRST_CAP / 2 ? FIRST_CAP : b->cap * 2;
	if (cap < need)
		cap = need;
	if (cap > b->limit)
		cap = b->limit;
	return set_cap(b, cap);
}

enum status
buf_add(struct buf *b, const void *data, size_t n)
{
	enum status st = buf_reserve(b, n);

	if (st != ST_OK)
		return st;
	if (n > 0)
		memcpy(b->p + b->len, data, n);
	b->len += n;
	b->p[b->len] = '\0';
	return ST_OK;
}

enum status
buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

enum status
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	enum status st;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return ST_INTERNAL;
	st = buf_reserve(b, (size_t)n);
	if (st != ST_OK)
		return st;
	va_start(ap, fmt);
	n = vsnprintf(b->p + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->p[b->len] = '\0';
		return ST_INTERNAL;
	}
	b->len += (size_t)n;
	return ST_OK;
}

void
buf_drop(struct buf *b, size_t n)
{
	if (n >= b->len) {
		buf_clear(b);
		return;
	}
	if (n == 0)
		return;
	b->len -= n;
	memmove(b->p, b->p + n, b->len + 1);
}

void
buf_shrink(struct buf *b, size_t keep)
{
	if (b->cap <= keep || b->len > keep)
		return;
	if (keep == 0) {
		free(b->p);
		b->p = NULL;
		b->cap = 0;
		return;
	}
	/* A failing realloc leaves the larger block: nothing is lost. */
	if (set_cap(b, keep) != ST_OK)
		return;
}
