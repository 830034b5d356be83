/*
 * Lines to a descriptor, written by a thread of their own: who reads slowly, or not at all, never makes the producer wait.
 * Between the two is a bounded queue without a lock (one producer, one consumer).
 */
#ifndef OUT_LINES_H
#define OUT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/wake.h"

struct lines;

/*
 * size: of the queue in bytes, a power of two. fd is borrowed. wake is raised when the reader is gone, and when there is room
 * again for somebody who waits in lines_put_wait; borrowed.
 */
enum status lines_start(struct lines **out, int fd, size_t size, struct wake *wake, struct err *e) MUST_CHECK;
/* Producer: n bytes, which begin to be written at once. False, and nothing is queued: no room, or nobody reads any more. */
bool lines_put(struct lines *l, const char *text, size_t n);
/*
 * Producer: the same, but waits for room. False: nobody reads any more, or `stop` (may be NULL) says true; it is asked whenever
 * the wake is raised.
 */
bool lines_put_wait(struct lines *l, const char *text, size_t n, bool (*stop)(void));
/* Producer: waits until all is written, nobody reads any more, or `stop` says true. */
void lines_drain(struct lines *l, bool (*stop)(void));
/* ST_OK while it writes; ST_CLOSED: the reader is gone; ST_IO: why it cannot be written. */
enum status lines_error(const struct lines *l, struct err *e);
/*
 * Ends the thread and frees all. What is queued is written if that takes no longer than wait_ms. Returns what lines_error would
 * have said then; ST_TIMEOUT: something was left.
 */
enum status lines_stop(struct lines *l, unsigned wait_ms, struct err *e) MUST_CHECK;

#endif
