/*
 * What a path over devp2p says about itself besides heads and blocks: its node's Hello and Status, and what its connections have
 * counted, as events.
 */
#ifndef FEED_PEER_COUNT_H
#define FEED_PEER_COUNT_H

#include "feed/event.h"
#include "net/devp2p/peer.h"

/* Counters of connections that are closed; all zero at the start. */
struct peer_count {
	uint64_t frames_in, frames_out, reads, writes;
	uint64_t ping_ns, tcp_ns; /* round trips measured last; 0: none yet */
	uint64_t in[PK_N], out[PK_N], in_bytes[PK_N], out_bytes[PK_N];
};

/* Adds a connection's counters, before it is closed. tcp_ns: the kernel's round trip, UINT64_MAX unknown. */
void peer_count_add(struct peer_count *c, const struct peer *p, uint64_t tcp_ns);
/* Fills e with the counters of closed connections and of p (NULL: there is none). */
void peer_count_event(struct event *e, const struct peer_count *c, const struct peer *p, uint64_t tcp_ns);
/* Fills e from Hello and Status; false: they have not come. */
bool peer_fact_event(struct event *e, const struct peer *p);
/* The kind of a message of eth. */
enum peer_kind peer_kind_of(unsigned code);

#endif
