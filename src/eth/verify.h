/*
 * What chaintop itself can prove of a block (design.md §8): keccak(rlp(header)) is its hash, the transactions hash to
 * their hashes and to transactionsRoot, the withdrawals to withdrawalsRoot.
 */
#ifndef ETH_VERIFY_H
#define ETH_VERIFY_H

#include "eth/block.h"

enum truth {
	TRUTH_NONE, /* not looked at yet */
	TRUTH_YES, /* ✓ */
	TRUTH_UNKNOWN, /* ? cannot be verified: reason says why */
	TRUTH_NO, /* ✗ differs; shown as such only after a second fetch repeats it and the chain has verified before (the model's business) */
};

struct verdict {
	enum truth header, txs, withdrawals; /* TRUTH_NONE: the block has none of it to check */
	char field[32]; /* first field that does not hold ("hash", "transactionsRoot", "transactions[3].hash", "withdrawalsRoot"), or the unknown field or type */
	char reason[64]; /* for `?`: "unknown header field foo", "transaction type 0x6a", "anvil roots over blob sidecars"; else "" */
};

/* Scratch memory for verification, used again for each block. */
struct verifier;
struct verifier *verifier_new(void);
void verifier_free(struct verifier *v);

/* keccak(rlp(header)). ST_UNSUPPORTED if a field is unknown or a needed one missing. extra: the extra data bytes. */
enum status header_hash(const struct header *h, const uint8_t *extra, struct hash *out) MUST_CHECK;
/* keccak of the signed transaction (EIP-2718). ST_UNSUPPORTED for unknown types. */
enum status tx_hash(struct verifier *v, const struct block *b, const struct tx *t, struct hash *out) MUST_CHECK;
/* Only the header: cheap, for the feed thread. */
void verify_header(const struct block *b, struct verdict *out);
/*
 * Everything. chain_id decides the exceptions of design.md §8 (anvil with a 0x3 transaction; OP-stack withdrawalsRoot).
 * On ST_NOMEM the verdict is TRUTH_UNKNOWN.
 */
enum status verify_block(struct verifier *v, const struct block *b, uint64_t chain_id, struct verdict *out) MUST_CHECK;
/* The three together: NO before UNKNOWN before NONE before YES. */
enum truth verdict_all(const struct verdict *v);

#endif
