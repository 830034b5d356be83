#include "serve/answer.h"

#include <stdlib.h>
#include <string.h>

void answer_init(struct answer *a, struct store *s)
{
	*a = (struct answer){ .store = s, .cap = sizeof(a->few) / sizeof(a->few[0]) };
	buf_init(&a->text, ANSWER_MAX);
}

static struct piece *pieces_of(struct answer *a)
{
	return a->pieces ? a->pieces : a->few;
}

void answer_fini(struct answer *a)
{
	for (unsigned i = 0; i < a->n; i++) {
		struct body *b = pieces_of(a)[i].body;

		if (b)
			store_put(a->store, b);
	}
	free(a->pieces);
	buf_fini(&a->text);
	a->pieces = NULL;
	a->n = 0;
}

size_t answer_mark(const struct answer *a)
{
	return a->text.len;
}

void answer_back(struct answer *a, size_t mark)
{
	a->text.len = mark;
	if (a->text.p)
		a->text.p[mark] = 0;
}

size_t answer_size(const struct answer *a)
{
	return a->total + a->text.len - a->closed;
}

static enum status add(struct answer *a, struct piece p)
{
	if (a->n == a->cap) {
		struct piece *more = realloc(a->pieces, 2 * a->cap * sizeof(*more));

		if (!more)
			return ST_NOMEM;
		if (!a->pieces)
			memcpy(more, a->few, sizeof(a->few));
		a->pieces = more;
		a->cap *= 2;
	}
	pieces_of(a)[a->n++] = p;
	a->total += p.n;
	return ST_OK;
}

enum status answer_end(struct answer *a)
{
	size_t from = a->closed;

	a->closed = a->text.len;
	return from == a->text.len ? ST_OK : add(a, (struct piece){ .from = from, .n = a->text.len - from });
}

enum status answer_block(struct answer *a, struct body *b)
{
	enum status st = answer_end(a);

	if (st == ST_OK)
		st = add(a, (struct piece){ .n = b->n, .body = b });
	if (st != ST_OK)
		store_put(a->store, b);
	return st;
}

void answer_iov(const struct answer *a, struct iovec *iov)
{
	const struct piece *p = a->pieces ? a->pieces : a->few;

	for (unsigned i = 0; i < a->n; i++) {
		iov[i].iov_base = p[i].body ? p[i].body->p : a->text.p + p[i].from;
		iov[i].iov_len = p[i].n;
	}
}

char *answer_place(const struct answer *a, struct buf *scratch, size_t before, size_t after)
{
	const struct piece *p = a->pieces ? a->pieces : a->few;
	char *at;

	if (a->n == 3 && !p[0].body && p[1].body && !p[2].body && before + p[0].n <= BODY_HEAD &&
	    p[2].n + after <= BODY_TAIL) {
		struct body *b = p[1].body;

		memcpy(b->p - p[0].n, a->text.p + p[0].from, p[0].n);
		memcpy(b->p + b->n, a->text.p + p[2].from, p[2].n);
		return b->p - p[0].n;
	}
	buf_clear(scratch);
	if (buf_reserve(scratch, before + a->total + after) != ST_OK)
		return NULL;
	at = scratch->p + before;
	for (unsigned i = 0; i < a->n; i++) {
		memcpy(at, p[i].body ? p[i].body->p : a->text.p + p[i].from, p[i].n);
		at += p[i].n;
	}
	return scratch->p + before;
}
