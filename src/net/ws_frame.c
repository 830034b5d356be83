/* WebSocket framing; see ws_frame.h. */
#include "net/ws_frame.h"

#include <inttypes.h>
#include <string.h>

void
ws_reader_init(struct ws_reader *r, size_t limit)
{
	*r = (struct ws_reader){.limit = limit};
	rx_init(&r->rx);
}

void
ws_reader_fini(struct ws_reader *r)
{
	rx_fini(&r->rx);
}

/* Takes the finished event's bytes out; everything else is kept relative to rx.begin. */
static void
finish_event(struct ws_reader *r)
{
	rx_uncut(&r->rx);
	if (r->done == 0)
		return;
	rx_drop(&r->rx, r->done);
	r->pos -= r->done;
	r->done = 0;
}

/*
 * Between the fragments of a message lie heads and control frames. What is behind them is moved
 * down once, before each read, when it is less than one head or control frame long.
 */
static void
close_gap(struct ws_reader *r)
{
	struct rx *x = &r->rx;
	size_t to = r->start + r->len, gap = r->pos - to;

	if (!r->in_message || gap == 0)
		return;
	memmove(x->p + x->begin + to, x->p + x->begin + r->pos, x->end - x->begin - r->pos);
	x->end -= gap;
	/* The stream goes on where it was, the bytes moved: count them as bytes in front. */
	x->offset += gap;
	r->pos = to;
}

char *
ws_reader_space(struct ws_reader *r, size_t *n)
{
	size_t want = 0;

	finish_event(r);
	close_gap(r);
	if (r->in_frame && r->left < r->limit)
		want = r->start + r->len + (size_t)r->left;
	return rx_space(&r->rx, want, n);
}

struct head {
	unsigned size;
	bool fin;
	enum ws_opcode opcode;
	uint64_t n;
};

/* 1: whole, 0: more bytes needed, −1: against the protocol. */
static int
parse_head(const uint8_t *p, size_t have, struct head *h, struct err *e)
{
	unsigned more;

	if (have < 2)
		return 0;
	h->fin = (p[0] & 0x80) != 0;
	h->opcode = p[0] & 0x0f;
	h->n = p[1] & 0x7f;
	if (p[0] & 0x70) {
		err_set(e, ST_MALFORMED, "WebSocket frame with a reserved bit (no extension was agreed)");
		return -1;
	}
	if (p[1] & 0x80) {
		err_set(e, ST_MALFORMED, "WebSocket frame from the server is masked");
		return -1;
	}
	if (h->opcode & 8) {
		if (h->opcode > WS_PONG || !h->fin || h->n > WS_CONTROL_MAX) {
			err_set(e, ST_MALFORMED, "bad WebSocket control frame (0x%02x 0x%02x)", p[0], p[1]);
			return -1;
		}
	} else if (h->opcode > WS_BINARY) {
		err_set(e, ST_MALFORMED, "WebSocket frame with unknown opcode %d", (int)h->opcode);
		return -1;
	}
	more = h->n == 126 ? 2 : h->n == 127 ? 8 : 0;
	h->size = 2 + more;
	if (have < h->size)
		return 0;
	if (more > 0)
		h->n = 0;
	for (unsigned i = 0; i < more; i++)
		h->n = h->n << 8 | p[2 + i];
	if (h->n >> 63) {
		err_set(e, ST_MALFORMED, "WebSocket frame length is negative");
		return -1;
	}
	return 1;
}

static enum ws_event
begin_data(struct ws_reader *r, const struct head *h, struct err *e)
{
	if ((h->opcode == WS_CONT) != r->in_message) {
		err_set(e, ST_MALFORMED, "%s",
			r->in_message ? "WebSocket message begins inside another" :
					"WebSocket continuation of no message");
		return WS_BAD;
	}
	if (!r->in_message) {
		r->in_message = true;
		r->kind = h->opcode;
		r->start = r->pos + h->size;
		r->len = 0;
	}
	if (h->n > r->limit - r->len) {
		err_set(e, ST_TOO_BIG, "message of %" PRIu64 " bytes, limit is %zu", h->n + r->len,
			r->limit);
		return WS_BAD;
	}
	r->in_frame = true;
	r->fin = h->fin;
	r->left = h->n;
	r->pos += h->size;
	return WS_MORE;
}

/* Takes what there is of the frame's payload. */
static void
take_payload(struct ws_reader *r)
{
	struct rx *x = &r->rx;
	char *base = x->p + x->begin;
	size_t have = x->end - x->begin - r->pos;
	size_t n = r->left < have ? (size_t)r->left : have;

	if (r->pos != r->start + r->len)
		memmove(base + r->start + r->len, base + r->pos, n);
	r->len += n;
	r->pos += n;
	r->left -= n;
	r->in_frame = r->left > 0;
}

enum ws_event
ws_reader_next(struct ws_reader *r, struct err *e)
{
	struct rx *x = &r->rx;

	finish_event(r);
	for (;;) {
		size_t have = x->end - x->begin - r->pos;
		const char *at;
		struct head h;
		int got;

		if (r->in_frame) {
			take_payload(r);
			if (r->in_frame)
				return WS_MORE;
			if (!r->fin)
				continue;
			r->in_message = r->marked = false;
			r->opcode = r->kind;
			r->data = x->p + x->begin + r->start;
			r->n = r->len;
			r->end = x->begin + r->pos;
			r->done = r->pos;
			rx_cut(x, x->begin + r->start + r->len);
			return WS_MESSAGE;
		}
		if (have == 0)
			return WS_MORE;
		if (!r->marked) {
			rx_begin(x, x->begin + r->pos, &r->mark);
			r->marked = true;
		}
		at = x->p + x->begin + r->pos;
		got = parse_head((const uint8_t *)at, have, &h, e);
		if (got < 0)
			return WS_BAD;
		if (got == 0)
			return WS_MORE;
		if (h.opcode & 8) {
			if (have - h.size < h.n)
				return WS_MORE;
			r->opcode = h.opcode;
			r->data = at + h.size;
			r->n = (size_t)h.n;
			r->pos += h.size + (size_t)h.n;
			if (!r->in_message) {
				r->done = r->pos;
				r->marked = false;
			}
			return WS_CONTROL;
		}
		if (begin_data(r, &h, e) == WS_BAD)
			return WS_BAD;
	}
}

size_t
ws_head_write(uint8_t *out, enum ws_opcode opcode, uint64_t n, const uint8_t key[4])
{
	unsigned more = n > 0xffff ? 8 : n > 125 ? 2 : 0;

	out[0] = (uint8_t)(0x80 | opcode);
	out[1] = (uint8_t)(0x80 | (more == 8 ? 127 : more == 2 ? 126 : n));
	for (unsigned i = 0; i < more; i++)
		out[2 + i] = (uint8_t)(n >> 8 * (more - 1 - i));
	memcpy(out + 2 + more, key, 4);
	return 2 + more + 4;
}

void
ws_mask(char *out, const char *in, size_t n, const uint8_t key[4])
{
	size_t i = 0;
	uint64_t k, v;

	memcpy(&k, key, 4);
	memcpy((char *)&k + 4, key, 4);
	for (; i + 8 <= n; i += 8) {
		memcpy(&v, in + i, 8);
		v ^= k;
		memcpy(out + i, &v, 8);
	}
	for (; i < n; i++)
		out[i] = (char)(in[i] ^ key[i & 3]);
}
