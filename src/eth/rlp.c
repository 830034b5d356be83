#include "eth/rlp.h"

#include <string.h>

/* Writes v big-endian without leading zeros; returns the number of bytes, 0 for 0. */
static size_t put_be(uint8_t *to, uint64_t v)
{
	const size_t n = v ? (size_t)(71 - __builtin_clzll(v)) / 8 : 0;

	for (size_t i = n; i-- > 0; v >>= 8)
		to[i] = (uint8_t)v;
	return n;
}

size_t rlp_header(uint8_t out[RLP_HEADER_MAX], bool list, size_t n)
{
	const uint8_t base = list ? 0xc0 : 0x80;
	size_t bytes;

	if (n < 56) {
		out[0] = (uint8_t)(base + n);
		return 1;
	}
	bytes = put_be(out + 1, n);
	out[0] = (uint8_t)(base + 55 + bytes);
	return 1 + bytes;
}

uint8_t *rlp_put_bytes(uint8_t *to, const void *data, size_t n)
{
	const uint8_t *p = data;

	if (n != 1 || p[0] >= 0x80)
		to += rlp_header(to, false, n);
	if (n > 0)
		memcpy(to, p, n);
	return to + n;
}

uint8_t *rlp_put_u64(uint8_t *to, uint64_t v)
{
	size_t n;

	if (v > 0 && v < 0x80) {
		*to = (uint8_t)v;
		return to + 1;
	}
	n = put_be(to + 1, v);
	*to = (uint8_t)(0x80 + n);
	return to + 1 + n;
}

uint8_t *rlp_put_u256(uint8_t *to, const struct u256 *v)
{
	uint8_t be[32];
	size_t skip = 0;

	if (u256_fits64(v))
		return rlp_put_u64(to, v->w[0]);
	u256_to_be(v, be);
	while (be[skip] == 0)
		skip++;
	return rlp_put_bytes(to, be + skip, sizeof(be) - skip);
}

uint8_t *rlp_put_list(uint8_t *payload, size_t n)
{
	uint8_t head[RLP_HEADER_MAX];
	const size_t len = rlp_header(head, true, n);

	memcpy(payload - len, head, len);
	return payload - len;
}

enum status rlp_bytes(struct buf *b, const void *data, size_t n)
{
	uint8_t head[RLP_HEADER_MAX];
	const uint8_t *p = data;
	enum status st = ST_OK;

	if (n != 1 || p[0] >= 0x80)
		st = buf_add(b, head, rlp_header(head, false, n));
	if (st == ST_OK && n > 0)
		st = buf_add(b, p, n);
	return st;
}

enum status rlp_u64(struct buf *b, uint64_t v)
{
	uint8_t out[RLP_U64_MAX];

	return buf_add(b, out, (size_t)(rlp_put_u64(out, v) - out));
}

enum status rlp_u256(struct buf *b, const struct u256 *v)
{
	uint8_t out[RLP_U256_MAX];

	return buf_add(b, out, (size_t)(rlp_put_u256(out, v) - out));
}

size_t rlp_list_begin(struct buf *b)
{
	return b->len;
}

enum status rlp_list_end(struct buf *b, size_t mark)
{
	uint8_t head[RLP_HEADER_MAX];
	const size_t payload = b->len - mark;
	const size_t n = rlp_header(head, true, payload);
	const enum status st = buf_add(b, head, n);

	if (st != ST_OK)
		return st;
	memmove(b->p + mark + n, b->p + mark, payload);
	memcpy(b->p + mark, head, n);
	return ST_OK;
}

void rlp_init(struct rlp *r, const void *data, size_t n)
{
	r->p = data;
	r->end = r->p ? r->p + n : NULL;
}

/* A fault leaves p where it was, so that rlp_done is false. */
bool rlp_next(struct rlp *r, struct rlp_item *out)
{
	const size_t left = (size_t)(r->end - r->p);
	size_t head = 1, n, bytes;
	uint8_t first;

	if (left == 0)
		return false;
	first = r->p[0];
	if (first < 0x80) {
		*out = (struct rlp_item){ .p = r->p, .n = 1, .raw = r->p, .raw_n = 1 };
		r->p++;
		return true;
	}
	n = first & 0x3f;
	if (n >= 56) {
		bytes = n - 55;
		if (bytes >= left || r->p[1] == 0)
			return false;
		n = 0;
		for (size_t i = 0; i < bytes; i++) {
			if (n > SIZE_MAX >> 8)
				return false;
			n = n << 8 | r->p[1 + i];
		}
		if (n < 56)
			return false;
		head += bytes;
	}
	if (n > left - head)
		return false;
	if (first < 0xc0 && n == 1 && r->p[1] < 0x80)
		return false;
	*out = (struct rlp_item){
		.list = first >= 0xc0, .p = r->p + head, .n = n, .raw = r->p, .raw_n = head + n
	};
	r->p += head + n;
	return true;
}

bool rlp_done(const struct rlp *r)
{
	return r->p == r->end;
}

bool rlp_item_u64(const struct rlp_item *i, uint64_t *out)
{
	uint64_t v = 0;

	if (i->list || i->n > 8 || (i->n > 0 && i->p[0] == 0))
		return false;
	for (size_t k = 0; k < i->n; k++)
		v = v << 8 | i->p[k];
	*out = v;
	return true;
}

bool rlp_item_u256(const struct rlp_item *i, struct u256 *out)
{
	if (i->list || i->n > 32 || (i->n > 0 && i->p[0] == 0))
		return false;
	u256_from_be(out, i->p, i->n);
	return true;
}
