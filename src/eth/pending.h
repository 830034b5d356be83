/* What a node announces of a transaction that waits: its hash, or all of it. */
#ifndef ETH_PENDING_H
#define ETH_PENDING_H

#include "eth/json.h"
#include "eth/types.h"

struct pending {
	struct hash hash;
	/* The most that it pays for a unit of gas, in wei: maxFeePerGas, else gasPrice. UINT64_MAX: not told, or more. */
	uint64_t max_fee;
};

/*
 * Reads the result of a newPendingTransactions notification: a string, or an object with a member "hash". False: neither, or
 * no hash.
 */
bool pending_read(const struct json_str *result, struct pending *out);
/* Does the result look like a head? Subscriptions are told apart by their ids; this is for ids that nobody knows. */
bool pending_is_head(const struct json_str *result);

#endif
