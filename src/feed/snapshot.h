/*
 * What a recording's feeds have said last: with this each segment begins, so that a replay may begin there too and older
 * segments may go. Not thread-safe.
 */
#ifndef FEED_SNAPSHOT_H
#define FEED_SNAPSHOT_H

#include "feed/event.h"

enum { SNAPSHOT_HEADS = 64 };

struct snapshot;

struct snapshot *snapshot_new(void); /* NULL without memory */
void snapshot_free(struct snapshot *s);
/* True: a head whose hash is not among the last SNAPSHOT_HEADS. feed: REC_NO_FEED for what the app says. */
bool snapshot_add(struct snapshot *s, const struct event *e, uint16_t feed);
/* In an order in which a model can take them, with the stamps that they had. */
void snapshot_each(const struct snapshot *s, void (*fn)(void *ctx, const struct event *e, uint16_t feed), void *ctx);

#endif
