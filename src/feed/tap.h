/*
 * A feed's side of a recording: one per feed, on its thread only. Frames are handed over at tap_flush, so that what an incoming
 * message led to (how long its block took to decode) stands in its own frame. q NULL: every call does nothing.
 */
#ifndef FEED_TAP_H
#define FEED_TAP_H

#include "feed/recqueue.h"
#include "net/transport.h"

struct rec_tap {
	struct recqueue *q;
	uint16_t feed;
	uint32_t conn;
	struct rec_item *first, *last, *in; /* in: the incoming message that is being worked on */
};

void tap_open(struct rec_tap *t, uint64_t mono, uint64_t wall);
void tap_close(struct rec_tap *t, uint64_t mono, uint64_t wall);
/* token: id of the call, of the first one of a batch. sched: when it was due. */
void tap_out(struct rec_tap *t, const char *text, size_t n, uint64_t mono, uint64_t wall, uint64_t token, uint64_t sched,
	     unsigned attempt);
void tap_in(struct rec_tap *t, const char *text, size_t n, const struct net_meta *m);
/* The same for devp2p: code as on the wire, data what follows it, decompressed. ask: of wire_p2p_ask, 0 none. */
void tap_p2p_out(struct rec_tap *t, uint64_t code, const void *data, size_t n, uint64_t mono, uint64_t wall, uint64_t sched,
		 unsigned attempt, uint64_t ask);
void tap_p2p_in(struct rec_tap *t, uint64_t code, const void *data, size_t n, size_t wire, uint64_t mono, uint64_t wall);
/* A call ends without an answer. */
void tap_fail(struct rec_tap *t, uint64_t id, const struct err *e, uint64_t wait_ns, uint64_t mono, uint64_t wall);
/* The message of the last tap_in held a block. */
void tap_block(struct rec_tap *t, uint64_t done_ns, bool verified, uint32_t took_us);
void tap_ask_chain(struct rec_tap *t, uint64_t mono, uint64_t wall);
/* Every event that the feed emits: what follows from messages alone is not written. */
void tap_event(struct rec_tap *t, const struct event *e);
void tap_flush(struct rec_tap *t);

#endif
