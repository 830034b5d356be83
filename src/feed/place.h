/* Places in a recording, as words of the user. */
#ifndef FEED_PLACE_H
#define FEED_PLACE_H

#include "feed/recfile.h"

/*
 * A time of day in UTC "15:57" or "15:57:02" (the first such after the start), a block number, "reorg:2" (the second one),
 * "+90s" after the start, "-10s" before the end. *mono: its recorded time. ST_USAGE: no such words, or not in this
 * recording.
 */
enum status place_find(struct recreader *r, const char *words, uint64_t *mono, struct err *e) MUST_CHECK;

#endif
