/*
 * Which bodies are already being fetched by some path, so that `bodies = auto` moves each once (design.md §4.3).
 * A lock-free set of 64-bit keys shared by all feeds. It forgets old keys when it is full; the worst that follows is one
 * fetch too many.
 */
#ifndef FEED_CLAIMS_H
#define FEED_CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "eth/types.h"

enum { CLAIMS_SETS = 2048, CLAIMS_WAYS = 4 };

struct claims {
	_Atomic uint64_t key[CLAIMS_SETS][CLAIMS_WAYS];
};

void claims_init(struct claims *c);
/* True: nobody had it, now the caller does. */
bool claims_take(struct claims *c, uint64_t key);
/* Gives it back after a failure, so that another path may take it. */
void claims_release(struct claims *c, uint64_t key);

/*
 * Keys: a block by hash; a block by number of a chain (chain: first bytes of the genesis hash, or the id); a period of
 * time of a chain.
 */
uint64_t claim_hash(const struct hash *h);
uint64_t claim_number(uint64_t chain, uint64_t number);
uint64_t claim_period(uint64_t chain, uint64_t period);
/* The full check of a body is due once, whoever fetched it. */
uint64_t claim_verify(const struct hash *h);

#endif
