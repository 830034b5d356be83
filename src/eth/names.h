/* Names that are compiled in: builders by extra data or fee recipient, common selectors, common addresses. One table each. */
#ifndef ETH_NAMES_H
#define ETH_NAMES_H

#include "eth/types.h"

/*
 * Builder from extra data: "titan", "BuilderNet", "beaverbuild" …, or cleaned readable extra data of another kind in
 * out[size], or "" if nothing can be said. Returns out.
 */
char *name_builder(char *out, size_t size, const uint8_t *extra, size_t n, const struct addr *miner);
/* "transfer" for a9059cbb; NULL if unknown. */
const char *name_selector(const uint8_t sel[4]);
/* "USDT" and the like on this chain; NULL if unknown. */
const char *name_addr(uint64_t chain_id, const struct addr *a);

#endif
