/*
 * Moves what a recording's log holds into its file, on a thread and a connection of its own: it waits for the disk, and commits
 * must not wait with it (a commit itself only writes to the log, which survives the end of this process).
 */
#ifndef FEED_RECFILE_MOVE_H
#define FEED_RECFILE_MOVE_H

#include "base/err.h"

struct recmover;

/* The file must be there and in WAL mode. */
enum status recmover_start(struct recmover **out, const char *path, struct err *e) MUST_CHECK;
/* Asks for a move; returns at once. What a reader holds back the next move takes. */
void recmover_kick(struct recmover *m);
/* Waits for a move that is under way. NULL is allowed. */
void recmover_stop(struct recmover *m);

#endif
