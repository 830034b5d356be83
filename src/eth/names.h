/* Names that are compiled in: builders by extra data or fee recipient, common selectors, common addresses. One table each. */
#ifndef ETH_NAMES_H
#define ETH_NAMES_H

#include <stddef.h>

#include "eth/types.h"

struct name_selector {
	uint32_t selector; /* first four bytes of keccak(name ++ args), big-endian */
	const char *name, *args; /* "transfer", "(address,uint256)" */
};

struct name_address {
	uint64_t chain_id; /* 0: every chain */
	const char *addr; /* 40 digits with EIP-55 case, no 0x */
	const char *name;
};

struct name_recipient {
	const char *addr; /* as in struct name_address */
	const char *name;
};

/*
 * Builder into out[size]: "titan", "BuilderNet", "beaverbuild" … from extra data or, if that tells nothing, from the
 * fee recipient; "client geth" if the extra data is what a client writes by itself; other readable extra data, cleaned;
 * "" if nothing can be said. miner may be NULL. size ≥ 72 never cuts. Returns out.
 */
char *name_builder(char *out, size_t size, const uint8_t *extra, size_t n, const struct addr *miner);
/* "transfer" for a9059cbb; NULL if unknown. */
const char *name_selector(const uint8_t sel[4]);
/* "USDT" and the like on this chain; NULL if unknown. */
const char *name_addr(uint64_t chain_id, const struct addr *a);
/* The tables themselves: selectors ascending, addresses in no order. */
const struct name_selector *name_selector_table(size_t *n);
const struct name_address *name_addr_table(size_t *n);
const struct name_recipient *name_recipient_table(size_t *n);

#endif
