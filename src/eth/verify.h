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
	/*
	 * ✗ differs; shown as such only after a second fetch repeats it and the chain has verified before (the model's
	 * business)
	 */
	TRUTH_NO,
};

struct verdict {
	enum truth header, txs, withdrawals; /* TRUTH_NONE: the block has none of it to check */
	/*
	 * First field that does not hold: "hash", "transactionsRoot", "transactions[3].hash",
	 * "withdrawalsRoot". If none is wrong, the first that is `?`. Else "".
	 */
	char field[40];
	/* For `?`: "unknown header field foo", "transaction type 0x6a", … Else "". */
	char reason[64];
};

/* Scratch memory for verification, used again for each block. */
struct verifier;
struct verifier *verifier_new(void);
void verifier_free(struct verifier *v);

/*
 * keccak(rlp(header)). ST_UNSUPPORTED if a field is unknown or a needed one missing; *out is then the hash over what is
 * known, missing fields being zero: if it equals the header's own hash all the same, the header is proven. extra: the
 * h->extra.len bytes of extra data.
 */
enum status header_hash(const struct header *h, const uint8_t *extra, struct hash *out) MUST_CHECK;
/*
 * keccak of the signed transaction (EIP-2718). ST_UNSUPPORTED for unknown types and if a field of the type is missing.
 * ST_NOMEM.
 */
enum status tx_hash(struct verifier *v, const struct block *b, const struct tx *t, struct hash *out) MUST_CHECK;
/* The bytes that tx_hash is the hash of (EIP-2718), in v until its next use. Errors as above. */
struct trie_value;
enum status tx_raw(struct verifier *v, const struct block *b, const struct tx *t, struct trie_value *out) MUST_CHECK;
/*
 * What the sender of a transaction of types 0–4 signed, and the parity of its signature's point (EIP-155, 2930, 1559,
 * 4844, 7702).
 * ST_UNSUPPORTED as above and for what nobody signs; ST_MALFORMED: v says no parity. ST_NOMEM.
 */
enum status tx_signed(struct verifier *v, const struct block *b, const struct tx *t, struct hash *out, uint8_t *parity)
	MUST_CHECK;
/* Only the header: cheap, for the feed thread. */
void verify_header(const struct block *b, struct verdict *out);
/*
 * Everything. What matches is proven, whatever else is unknown. What does not match is TRUTH_NO only if every header
 * field and transaction type is known, else TRUTH_UNKNOWN. Exceptions of design.md §8: transactionsRoot of dev chains
 * (chain_id) with a 0x3 transaction; OP-stack blocks (a 0x7e transaction) have no comparable withdrawalsRoot.
 * On ST_NOMEM the verdict is TRUTH_UNKNOWN.
 */
enum status verify_block(struct verifier *v, const struct block *b, uint64_t chain_id, struct verdict *out) MUST_CHECK;
/* The three together: NO before UNKNOWN before NONE before YES. A block without withdrawals is not less proven for it. */
enum truth verdict_all(const struct verdict *v);

#endif
