/*
 * A feed: one thread for one endpoint × transport. It connects, lets drive.c or wire_p2p.c ask, and passes events up
 * through its ring.
 * One ring up and one down; each ring has one producer and one consumer. A body of one endpoint never delays the time
 * stamp of another: hence a thread each (design.md §4.1).
 */
#ifndef FEED_FEED_H
#define FEED_FEED_H

#include "base/wake.h"
#include "feed/wire_p2p.h"

struct recqueue;

struct feed_opts {
	const struct url *url; /* copied */
	const struct net_opts *net; /* borrowed: must outlive the feed */
	uint16_t path; /* index in events */
	enum bodies bodies;
	enum pending_mode pending;
	bool others_push;
	struct claims *claims; /* borrowed */
	struct wake *wake; /* of the consumer of events; borrowed, shared by all feeds */
	size_t slots; /* of the ring up; 0: 4096 */
	/* enode:// alone: CURVE_KEY bytes, copied, or NULL: a fresh key for each connection; least wait between two attempts. */
	const uint8_t *key;
	uint64_t p2p_retry_ns; /* 0: PEER_BACKOFF_S */
	struct recqueue *rec; /* of the recorder; borrowed. NULL: not recorded */
};

struct feed;

/* Makes the rings and starts the thread. All signals are blocked in it. */
enum status feed_start(struct feed **out, const struct feed_opts *o, struct err *e) MUST_CHECK;
/* Consumer side. The event stays valid until feed_pop. */
const struct event *feed_peek(struct feed *f);
void feed_pop(struct feed *f);
uint64_t feed_dropped(const struct feed *f);
/* Puts a command into the ring down and wakes the feed. False: the ring is full (the feed is stuck). */
bool feed_command(struct feed *f, const struct cmd *c);
/* Asks the thread to end. feed_join waits until deadline_mono at most; false: it did not end (then it is not freed). */
void feed_stop(struct feed *f);
bool feed_join(struct feed *f, uint64_t deadline_mono) MUST_CHECK;
/* After a successful join: releases blocks that still lie in the ring. */
void feed_free(struct feed *f);

#endif
