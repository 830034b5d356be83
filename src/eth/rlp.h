/* RLP (yellow paper, appendix B): writing into a bounded buffer, strict reading. */
#ifndef ETH_RLP_H
#define ETH_RLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/u256.h"

enum { RLP_HEADER_MAX = 9, RLP_U64_MAX = 9, RLP_U256_MAX = 33 };

/*
 * Writing. A list is begun, filled, ended: its header is put in front of the payload at the end. All return ST_OK or
 * what buf_add says.
 */
enum status rlp_bytes(struct buf *b, const void *data, size_t n) MUST_CHECK;
enum status rlp_u64(struct buf *b, uint64_t v) MUST_CHECK;
enum status rlp_u256(struct buf *b, const struct u256 *v) MUST_CHECK;
size_t rlp_list_begin(struct buf *b); /* returns a mark for rlp_list_end */
enum status rlp_list_end(struct buf *b, size_t mark) MUST_CHECK;
/* Bytes of the header that a payload of n bytes gets: n == 1 and first < 0x80 is the caller's case. Writes it to out (≤ 9). */
size_t rlp_header(uint8_t out[RLP_HEADER_MAX], bool list, size_t n);
/*
 * The same without a check, for callers that have made sure of the room. Each returns the end of what it wrote.
 * At most: n + RLP_HEADER_MAX bytes, RLP_U64_MAX, RLP_U256_MAX.
 */
uint8_t *rlp_put_bytes(uint8_t *to, const void *data, size_t n);
uint8_t *rlp_put_u64(uint8_t *to, uint64_t v);
uint8_t *rlp_put_u256(uint8_t *to, const struct u256 *v);
/* Puts the list header right in front of its payload, into the RLP_HEADER_MAX bytes before it; returns its start. */
uint8_t *rlp_put_list(uint8_t *payload, size_t n);

/* Reading. Canonical form only: a length or a number with leading zeros is refused. */
struct rlp {
	const uint8_t *p, *end;
};

struct rlp_item {
	bool list;
	const uint8_t *p; /* payload */
	size_t n;
	const uint8_t *raw; /* item with its header */
	size_t raw_n;
};

void rlp_init(struct rlp *r, const void *data, size_t n);
bool rlp_next(struct rlp *r, struct rlp_item *out); /* false at the end or on bad input: tell by rlp_done */
bool rlp_done(const struct rlp *r); /* everything consumed, no error */
bool rlp_item_u64(const struct rlp_item *i, uint64_t *out);
bool rlp_item_u256(const struct rlp_item *i, struct u256 *out);

#endif
