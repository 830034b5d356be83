/* A byte buffer with a hard limit: what a peer sends can never take more memory than agreed. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct buf {
	char *p; /* the bytes; p[len] is always 0 when p is not NULL */
	size_t len, cap, limit; /* cap: room for content; p has one byte more for the 0 */
};

/* Caller's storage; allocates nothing yet. limit is the most bytes it will ever hold. */
void buf_init(struct buf *b, size_t limit);
void buf_fini(struct buf *b);
/* Drops the content, keeps the memory. */
void buf_clear(struct buf *b);
/*
 * Room for n more bytes behind len. ST_TOO_BIG or ST_NOMEM; the content is kept either way.
 * Who then writes there without buf_add moves len and sets p[len] to 0.
 */
enum status buf_reserve(struct buf *b, size_t n) MUST_CHECK;
enum status buf_add(struct buf *b, const void *data, size_t n) MUST_CHECK;
enum status buf_adds(struct buf *b, const char *s) MUST_CHECK;
enum status buf_addf(struct buf *b, const char *fmt, ...) MUST_CHECK PRINTF_LIKE(2, 3);
/* Removes n bytes from the front (memmove). */
void buf_drop(struct buf *b, size_t n);
/* Gives memory over `keep` bytes back when the content is smaller: after one huge message. */
void buf_shrink(struct buf *b, size_t keep);

#endif
