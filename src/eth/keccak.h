/* Keccak-256 as Ethereum uses it (the padding before FIPS 202: 0x01). */
#ifndef ETH_KECCAK_H
#define ETH_KECCAK_H

#include <stddef.h>
#include <stdint.h>

struct keccak {
	uint64_t s[25];
	uint8_t block[136];
	unsigned fill;
};

void keccak_init(struct keccak *k);
void keccak_add(struct keccak *k, const void *data, size_t n);
/* Ends the sum; k must be initialised again before its next use. */
void keccak_end(struct keccak *k, uint8_t out[32]);
/* The sum so far, k goes on. */
void keccak_peek(const struct keccak *k, uint8_t out[32]);
void keccak256(const void *data, size_t n, uint8_t out[32]);

#endif
