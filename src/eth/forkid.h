/*
 * Fork identifiers of EIP-2124 and EIP-6122: which forks of its chain a node has passed, and the next one it
 * knows. In words for the networks whose forks are compiled in (mainnet, Sepolia, Hoodi).
 */
#ifndef ETH_FORKID_H
#define ETH_FORKID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "eth/types.h"

enum { FORKID_TEXT = 80 };

/*
 * CRC-32 over the genesis hash and the forks that were passed (blocks ascending, then times ascending; no two
 * alike, none at genesis).
 */
void forkid_hash(const struct hash *genesis, const uint64_t *forks, size_t n, uint8_t out[4]);

/*
 * "BPO2"; "Osaka, next BPO1 at 2025-12-09 14:21 UTC"; "London, next Arrow Glacier at block 13773000"; "Osaka,
 * next at … which we do not know": the node knows a fork that we do not, or has another schedule; "0x07c9462e"
 * for other chains; "unknown fork 0x…" if the chain is known and the fork is not. Returns out.
 */
char *forkid_text(char out[FORKID_TEXT], const struct hash *genesis, const uint8_t hash[4], uint64_t next);
enum forkid_state {
	FORKID_OTHER, /* nothing is known of the forks of its chain */
	FORKID_OK,
	FORKID_BEHIND, /* a fork that has passed by the clock is not behind it: it still syncs, or was not updated */
	FORKID_UNREADY, /* it does not know the next fork */
	FORKID_STRANGE, /* a fork that we do not know */
};
/*
 * The same beside a clock (now: unix s, 0 unknown): also "behind: Cancun; Prague was at 2025-05-07 10:05 UTC", "BPO2,
 * not ready for Amsterdam at 2026-10-06 13:53 UTC".
 */
enum forkid_state forkid_words(
	char out[FORKID_TEXT], const struct hash *genesis, const uint8_t hash[4], uint64_t next, uint64_t now);
/* Name of the network with this genesis: "mainnet", "Sepolia", "BSC", or NULL. */
const char *forkid_network(const struct hash *genesis);
/* Chain id of the chain with this genesis and such a fork; 0: not known. (Status tells a network id, which is another number.) */
uint64_t forkid_chain(const struct hash *genesis, const uint8_t hash[4]);


/* A fork of a chain whose schedule is compiled in. */
struct forkid_step {
	const char *name;
	uint64_t at; /* time, s */
	uint32_t id; /* the fork id once it is passed, as a number: 0x07c9462e */
};
/* The first fork by time after `now` (s) / the last one at or before it. False: the chain or such a fork is not known. */
bool forkid_next(uint64_t chain, const struct hash *genesis, uint64_t now, struct forkid_step *out);
bool forkid_current(uint64_t chain, const struct hash *genesis, uint64_t now, struct forkid_step *out);
/* Both are ids of this chain, and `id` stands before `than`. */
bool forkid_older(uint64_t chain, const struct hash *genesis, uint32_t id, uint32_t than);

#endif
