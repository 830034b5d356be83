/*
 * What is to be sent for one request: pieces of text of our own, and of whole blocks that are not copied. Built in order; then
 * sent from (answer_iov) or laid out in one run of bytes (answer_place).
 */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include <stdbool.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "serve/store.h"

enum { ANSWER_MAX = 128 << 20 }; /* bytes; no client of ours takes more */

struct piece {
	size_t from, n; /* in text; of a block: the whole block */
	struct body *body; /* NULL: text */
};

struct answer {
	struct store *store; /* where the blocks go back to */
	struct buf text;
	struct piece *pieces, few[3]; /* a single block needs three */
	unsigned n, cap;
	size_t closed; /* text up to here belongs to a piece */
	size_t total; /* bytes in all, after answer_end; 0: nothing is to be sent */
};

void answer_init(struct answer *a, struct store *s);
/* Gives the blocks back. */
void answer_fini(struct answer *a);
/* The place in the answer, to go back to if what follows fails: only text may have been added since. */
size_t answer_mark(const struct answer *a);
void answer_back(struct answer *a, size_t mark);
/* Bytes so far. */
size_t answer_size(const struct answer *a);
/* Adds the block and takes the reference over (also when it fails). */
enum status answer_block(struct answer *a, struct body *b) MUST_CHECK;
/* After the last addition. */
enum status answer_end(struct answer *a) MUST_CHECK;
/* iov[a->n], pointing into the answer. */
void answer_iov(const struct answer *a, struct iovec *iov);
/*
 * The answer as one run of bytes with `before` bytes free in front of it and `after` behind. If the answer is one block in an
 * envelope it is written around the block where it lies, else everything is copied to scratch. NULL without memory.
 * Valid until the next call or answer_fini. One thread only.
 */
char *answer_place(const struct answer *a, struct buf *scratch, size_t before, size_t after);

#endif
