/*
 * From many feeds to one recorder: a bounded list of frames without a lock. Feeds push chains, the recorder takes all there is.
 */
#ifndef FEED_RECQUEUE_H
#define FEED_RECQUEUE_H

#include <stdatomic.h>

#include "base/wake.h"
#include "feed/event.h"
#include "feed/recfile.h"

enum item_kind { ITEM_FRAME, ITEM_EVENT, ITEM_KEEP /* for snapshots only */, ITEM_MARK, ITEM_ROTATE, ITEM_BEGIN, ITEM_END };

struct rec_item {
	struct rec_item *next;
	size_t bytes; /* of the queue that it takes, or of the ring */
	enum item_kind kind;
	struct frame f; /* text is data */
	size_t packed; /* 0, or data is so many bytes that recpack_in made of f.n (in the ring) */
	union {
		struct event e;
		struct mark mark;
		uint64_t before_ns; /* ITEM_BEGIN */
	} u;
	char data[];
};

struct recqueue {
	_Atomic(struct rec_item *) newest;
	_Atomic size_t bytes;
	_Atomic uint64_t missed; /* frames that found no room since the recorder asked */
	_Atomic uint64_t dropped; /* … and since the start, those that the disk did not take included */
	size_t limit;
	struct wake wake; /* raised by every push */
};

enum status recqueue_init(struct recqueue *q, size_t limit, struct err *e) MUST_CHECK;
void recqueue_fini(struct recqueue *q); /* frees what is in it */
/* Room for an item with a copy of text. NULL: no room, and counted. The caller pushes it. */
struct rec_item *recqueue_item(struct recqueue *q, enum item_kind kind, const char *text, size_t n);
/* A chain: each item's next is the one pushed before it. */
void recqueue_push(struct recqueue *q, struct rec_item *newest, struct rec_item *oldest);
/* All that is queued, oldest first; to be freed with recqueue_free one by one. */
struct rec_item *recqueue_take(struct recqueue *q);
void recqueue_free(struct recqueue *q, struct rec_item *i);
/* It is somebody else's from now on: to be freed with free(). */
void recqueue_leave(struct recqueue *q, struct rec_item *i);

#endif
