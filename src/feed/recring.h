/*
 * The newest frames of a recording that has no file yet, in memory: bounded by their bytes and by their age. What leaves it
 * becomes part of the snapshot, so that snapshot and ring together are a recording that can begin at any time. One thread.
 */
#ifndef FEED_RECRING_H
#define FEED_RECRING_H

#include "feed/recfile_pack.h"
#include "feed/recqueue.h"
#include "feed/snapshot.h"

struct recring {
	struct rec_item *oldest, *newest;
	size_t bytes, limit;
	uint64_t span_ns; /* older ones leave */
	struct snapshot *snap; /* borrowed */
	struct recpack *pack; /* borrowed; NULL: nothing is packed */
	uint64_t heads; /* distinct ones that have left */
	bool left; /* something has */
	uint64_t lost;
};

/* Takes the item, which has left its queue (recqueue_leave). Long messages are packed. */
void recring_keep(struct recring *r, struct rec_item *i);
/* Lets go of what is older than this, by the frames' own time. UINT64_MAX: of everything. */
void recring_drop(struct recring *r, uint64_t before_mono);
/*
 * Takes the oldest out, unpacked, to be freed with free(); NULL: empty. Its event is not in the snapshot then. A message
 * for which there is no memory is left out, and counted in lost.
 */
struct rec_item *recring_take(struct recring *r);
/* Stamps of the oldest frame; false: empty. */
bool recring_begin(const struct recring *r, uint64_t *mono, uint64_t *wall);
void recring_fini(struct recring *r);

#endif
