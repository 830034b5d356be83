/*
 * A folder of blocks as an Ethereum node: JSON-RPC 2.0 requests in, answers out. No sockets. Any thread may call.
 *   eth_chainId net_version eth_blockNumber eth_syncing web3_clientVersion
 *   eth_getBlockByNumber (number, latest, pending = latest, safe, finalized, earliest)  eth_getBlockByHash
 *   eth_subscribe newHeads, eth_unsubscribe: where there is a session to push to
 * Blocks go out as they stand in their file. With full = false the transactions are replaced by their hashes.
 */
#ifndef SERVE_NODE_H
#define SERVE_NODE_H

#include <stdatomic.h>

#include "serve/answer.h"

enum {
	SESSION_SUBS = 16, /* subscriptions of one connection */
	REQUEST_MAX = 5 << 20, /* bytes of one request, for the transports */
	BATCH_MAX = 1000, /* requests in one */
};

struct node {
	struct store *store;
	uint64_t chain_id;
	const char *version; /* for web3_clientVersion, borrowed */
	_Atomic size_t head; /* rank of the newest block that exists */
	_Atomic uint64_t last_sub;
};

/* A connection that can push: its newHeads subscriptions. */
struct session {
	uint64_t subs[SESSION_SUBS];
	unsigned n;
};

/* The head is the newest block. */
void node_init(struct node *n, struct store *s, uint64_t chain_id, const char *version);
/*
 * For a head that advances: begins with the newest block that is not after now (seconds since 1970), or with the first block if
 * all are older than now or all newer: a chain that reaches into the future is shown in its own time.
 */
void node_rewind(struct node *n, uint64_t now);
/* The next block becomes the head, its header goes to `header` as JSON. False: there is none, or (*e) it cannot be read. */
bool node_advance(struct node *n, struct buf *header, struct err *e);
/*
 * Answers text, one request or a batch of them. session NULL: eth_subscribe is refused. *a is initialised here and answer_fini's
 * whatever happens; a->total 0: nothing is to be sent (all were notifications). ST_NOMEM: no answer can be made.
 */
enum status node_answer(struct node *n, struct session *session, const char *text, size_t len, struct answer *a) MUST_CHECK;
/* A newHeads notification. As node_answer. */
enum status node_note(struct node *n, uint64_t sub, const struct buf *header, struct answer *a) MUST_CHECK;

#endif
