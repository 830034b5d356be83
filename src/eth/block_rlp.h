/*
 * Headers and blocks from RLP, as a node's peer-to-peer port gives them (yellow paper §4.4; EIPs 2718, 2930, 1559,
 * 4895, 4844, 7685, 7702).
 * Hashes are computed over the bytes as they came, so that they hold for fields that are not known, too.
 */
#ifndef ETH_BLOCK_RLP_H
#define ETH_BLOCK_RLP_H

#include "eth/block.h"
#include "eth/rlp.h"
#include "eth/verify.h"

/*
 * A header: p[n] is one RLP list. h->hash is its Keccak-256; h->has tells which of the optional fields are there, and
 * H_UNKNOWN_FIELD that there are more than this version knows. *extra (may be NULL) gets the h->extra.len bytes of extra
 * data, which stay in p. Milliseconds (H_MILLIS): where BSC puts them, in mixHash. ST_MALFORMED: names the field.
 */
enum status header_from_rlp(const uint8_t *p, size_t n, struct header *h, const uint8_t **extra, struct err *e) MUST_CHECK;

/* What a block is put together from. Lists as they stand in BlockBodies or NewBlock; withdrawals.raw NULL: none there. */
struct block_parts {
	const uint8_t *header;
	size_t header_n;
	struct rlp_item txs, uncles, withdrawals;
};

/*
 * A whole block with refs 1, of exact size. Senders are not there (block_senders). A transaction of an unknown type keeps its
 * hash alone. ST_MALFORMED: names the place; ST_TOO_BIG: more transactions than their bytes can be; ST_NOMEM.
 * That header and body belong together is for verify_block to say.
 */
enum status block_from_rlp(const struct block_parts *parts, struct block **out, struct err *e) MUST_CHECK;
/*
 * Recovers the senders (about 50 µs each) of a block that nobody else has yet. Returns how many are not known: unsigned
 * kinds, unknown types, broken signatures.
 */
uint32_t block_senders(struct block *b, struct verifier *v);

#endif
