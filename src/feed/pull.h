/*
 * Fetches a range of full blocks as fast as a node gives them: `fetch` and `bench`. Unlike a feed it knows from the
 * start what it wants
 * and keeps nothing: each block is decoded, formatted, written in order and forgotten.
 *
 * - `workers` requests are in flight: so many connections on HTTP, one connection on WebSocket and socket. The next
 *   request is sent as soon as a reply is whole, before it is decoded, so that the node works meanwhile.
 * - A bounded window: 2 × workers blocks are between "asked for" and "written", whatever the order of answers.
 * - HTTP: as many threads as cores, at most `workers`, each with connections of its own, nothing shared. WebSocket and
 *   socket: one thread reads; the others, as many, decode what it has no time for.
 * - RLPx: the same with one thread for each core, and a window of 128 blocks: a request is for up to 32 headers or 16
 *   bodies. A body comes without a name: it is taken only if it hashes to what its header says, and a header only if it
 *   follows the one before, with and without `verify`. Senders are recovered.
 * - No allocation per block once the buffers have their size (RLPx: one).
 *
 * What fails is tried again by kind (pull_io.c has the table), a lost connection is made again. A block that cannot be
 * had ends the
 * pull behind the block before it: nothing is left out in the middle.
 */
#ifndef FEED_PULL_H
#define FEED_PULL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hist.h"
#include "eth/block.h"
#include "net/stream.h"

enum { PULL_WORKERS_MAX = 64 };

struct pull_hooks {
	void *ctx;
	/* Appends the text of a block to out. On any thread of the pull, several at once. NULL: nothing is written. */
	enum status (*format)(void *ctx, struct buf *out, const struct block *b);
	/* Block by block in order, never two at once, but on changing threads. An error ends the pull. */
	enum status (*write)(void *ctx, const char *text, size_t n, struct err *e);
};

struct pull_opts {
	const struct url *url; /* copied */
	const struct net_opts *net; /* borrowed: must outlive the pull */
	const uint8_t *key; /* enode:// alone: CURVE_KEY bytes, borrowed as net is, or NULL: a fresh key for each connection */
	/*
	 * Blocks from … to; last > 0: the newest `last` ones instead, or all there are. last 0 and from > to: none,
	 * only the head is asked for.
	 */
	uint64_t from, to, last;
	unsigned workers; /* 1…PULL_WORKERS_MAX; RLPx: no more than PEER_REQUESTS_MAX of them are in flight */
	unsigned threads; /* at most; 0: one for each core */
	bool verify; /* each block by itself, and that each follows the one before */
	unsigned hurry; /* delays before another try are so many times shorter, for tests; 0: 1 */
	struct pull_hooks hooks;
};

struct pull_stats {
	bool ready; /* the head is known: from here on time counts */
	uint64_t head, chain_id; /* chain_id 0: the node did not say */
	bool is_network; /* RLPx, an unknown chain: chain_id is the network's, mostly the same number */
	uint64_t from, to;
	uint64_t blocks; /* done, in order from `from` */
	uint64_t txs, gas; /* sums of those; gas used */
	uint64_t json_bytes; /* of their JSON, or RLP; text_bytes: written */
	uint64_t text_bytes;
	uint64_t elapsed_ns; /* since ready; stands still at the end */

	/* Only after pull_finish. */
	uint64_t retries, reconnects, odd; /* odd: messages that answered nothing */
	uint64_t wire_bytes; /* in */
	uint64_t verified, doubtful; /* with `verify`: all holds; something cannot be proven */
	char doubt[112]; /* the first such, "block 5: why" */
	uint64_t elsewhere; /* blocks whose transactions say that they are of another one */
	unsigned workers, threads, connections; /* threads that decoded */
	char via[8]; /* "ws" */
	struct hist latency; /* from sending the request to the last byte of the reply */
	/*
	 * Sums over the threads: cpu_ns of all they did, and what of their time was decoding (with verification),
	 * formatting, writing.
	 */
	uint64_t cpu_ns, thread_ns, decode_ns, format_ns, write_ns;
};

struct pull;

/* Starts. ST_USAGE, ST_NOMEM. All signals are blocked in its threads. */
enum status pull_start(struct pull **out, const struct pull_opts *o, struct err *e) MUST_CHECK;
/* Waits timeout_ns at most for the end; true: it has ended. st (may be NULL) gets a snapshot. */
bool pull_wait(struct pull *p, uint64_t timeout_ns, struct pull_stats *st);
/* Asks it to end early: what is written stays a whole number of blocks in order. */
void pull_stop(struct pull *p);
/*
 * Waits for the end, frees. ST_OK: all blocks were done. ST_AGAIN: pull_stop came before that. Else *e names the
 * block, or says why there is no connection; st tells what was done.
 */
enum status pull_finish(struct pull *p, struct pull_stats *st, struct err *e) MUST_CHECK;

#endif
