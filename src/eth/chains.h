/* What is known of chains without asking anybody: one table, chains.c. Times in ms. */
#ifndef ETH_CHAINS_H
#define ETH_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u256.h"

enum chain_kind { CHAIN_SLOT, CHAIN_POA, CHAIN_ROLLUP, CHAIN_DEV, CHAIN_OTHER };

enum chain_fork { FORK_LONDON, FORK_PARIS, FORK_SHANGHAI, FORK_CANCUN, FORK_PRAGUE, FORK_OSAKA, FORK_N };

struct blob_schedule {
	uint64_t time; /* first block timestamp (s) it applies to; UINT64_MAX never */
	uint32_t target, max; /* blobs per block */
	uint64_t fraction; /* baseFeeUpdateFraction */
	bool osaka; /* EIP-7918 reserve price holds */
};

#define CHAIN_BLOBS_MAX 8

struct chain_info {
	uint64_t id;
	const char *name; /* "Ethereum" */
	const char *unit; /* native currency, "Ξ", "BNB" */
	enum chain_kind kind;
	uint32_t block_ms; /* nominal block time; 0: learn it */
	uint32_t late_ms; /* later than this after its own time is late (4000 on Ethereum); 0: no such line */
	uint32_t slot_genesis; /* unix time of slot 0, for the slot bar; 0: no slots */
	bool eip1559; /* next base fee follows mainnet's EIP-1559 parameters */
	uint64_t london; /* block number; 0 from genesis, UINT64_MAX never */
	struct blob_schedule blobs[CHAIN_BLOBS_MAX]; /* ascending by time; ends at fraction 0 */
};

/* Never NULL: an unknown id gets an entry of CHAIN_OTHER with id 0 and the name "unknown chain" (31337 and 1337: CHAIN_DEV). */
const struct chain_info *chain_find(uint64_t id);
/* Schedule that applies to a block with this timestamp, or NULL if blobs do not exist (yet) or are unknown. */
const struct blob_schedule *chain_blobs(const struct chain_info *c, uint64_t timestamp);
/* The table itself, ascending by id. */
const struct chain_info *chain_table(size_t *n);

#endif
