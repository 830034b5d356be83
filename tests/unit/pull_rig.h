/*
 * For the tests of feed/pull: a node with a chain of made-up blocks behind net_peer, whose answers can be told to fail,
 * and what a pull
 * wrote. After cmocka.h.
 */
#ifndef TESTS_UNIT_PULL_RIG_H
#define TESTS_UNIT_PULL_RIG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "feed/pull.h"
#include "net_peer.h"

/* What the node does instead of answering. */
enum rig_fault {
	FAULT_NONE,
	FAULT_NULL,
	FAULT_OTHER, /* another block */
	FAULT_TEXT, /* JSON, but no block */
	FAULT_CUT, /* the block's text ends in the middle, the envelope does not */
	FAULT_ERROR, /* -32000 */
	FAULT_RATE,
	FAULT_NO_METHOD,
	FAULT_ID_NULL, /* an error that names no request */
	FAULT_RESET, /* RST in the middle of the answer */
	FAULT_SILENT, /* never an answer */
	FAULT_ODD_ORDER, /* no fault: members behind the result */
	FAULT_WRONG_HASH, /* the header does not hash to what it says */
	FAULT_HASHES, /* transactions as hashes */
};

struct rig {
	struct peer *peer;
	char path[64]; /* of the socket, or "" */
	struct url url;
	struct net_opts net;
	enum url_scheme scheme;

	/* Set before rig_start. */
	uint64_t head;
	size_t padding; /* digits of extra data in each block; the block's number varies it, unless … */
	bool even; /* … all are to be of one size */
	uint64_t fault_at; /* block with the fault */
	enum rig_fault fault;
	unsigned faults; /* so many times; UINT_MAX: always */
	uint64_t broken_link; /* this block says another parent */
	unsigned batch; /* WebSocket and socket: so many requests are collected, and answered in reverse */
	uint64_t slow_block; /* its answer waits until `release` is set */

	char **blocks; /* JSON of 0 … head, made by rig_start */

	/* Seen. */
	_Atomic uint64_t requests, highest; /* for blocks; highest number asked for */
	_Atomic unsigned faults_done, in_flight_max;
	_Atomic bool release;
	pthread_mutex_t lock;
	unsigned in_flight;
};

void rig_init(struct rig *r, enum url_scheme scheme);
void rig_start(struct rig *r);
void rig_stop(struct rig *r);

/* What came out: "N\n" for each block, in the order in which it was written. */
struct rig_out {
	struct buf text;
	uint64_t fail_at; /* the write hook fails at this block */
	_Atomic int writers, formatters;
	_Atomic bool overlap; /* two wrote at once */
	void (*each)(struct rig_out *o, uint64_t number);
	void *ctx;
};

struct pull_opts rig_opts(struct rig *r, struct rig_out *o, uint64_t from, uint64_t to, unsigned workers);
/* Runs it to its end, 60 s at most. */
enum status rig_pull(const struct pull_opts *o, struct pull_stats *s, struct err *e);
/* o has exactly the blocks from … to. */
void rig_wrote(const struct rig_out *o, uint64_t from, uint64_t to);

#endif
