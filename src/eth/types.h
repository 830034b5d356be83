/* The two byte strings that everything is keyed by. */
#ifndef ETH_TYPES_H
#define ETH_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct hash {
	uint8_t b[32];
};

struct addr {
	uint8_t b[20];
};

static inline bool hash_eq(const struct hash *a, const struct hash *b)
{
	return memcmp(a->b, b->b, 32) == 0;
}

static inline bool hash_is_zero(const struct hash *a)
{
	static const struct hash zero;

	return memcmp(a->b, zero.b, 32) == 0;
}

/* First 8 bytes: hashes are uniform, so this is a good key for tables. */
static inline uint64_t hash_key(const struct hash *a)
{
	uint64_t k;

	memcpy(&k, a->b, 8);
	return k;
}

static inline bool addr_eq(const struct addr *a, const struct addr *b)
{
	return memcmp(a->b, b->b, 20) == 0;
}

#endif
