/* Root of a Merkle Patricia trie whose keys are rlp(0), rlp(1), … : transactionsRoot, withdrawalsRoot, receiptsRoot. */
#ifndef ETH_TRIE_H
#define ETH_TRIE_H

#include "base/err.h"
#include "eth/types.h"

struct trie_value {
	const uint8_t *p;
	size_t n;
};

/*
 * Root over values[0…n) (yellow paper, appendix D). n = 0 gives keccak(rlp("")). Allocates nothing; recursion is never
 * deeper than a key has nibbles. No value may be empty: the trie cannot hold one.
 */
void trie_root(const struct trie_value *values, size_t n, struct hash *root);

#endif
