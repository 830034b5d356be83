/*
 * One thread wakes another: an eventfd, or a pipe where there is none (--disable-eventfd).
 * The order of steps is the one of design.md §4.5; the obvious variants lose wake-ups.
 *   producer: ring_push (store-release of head), then wake_raise
 *   consumer: poll → wake_take → drain the rings
 */
#ifndef BASE_WAKE_H
#define BASE_WAKE_H

#include <stdatomic.h>

#include "base/err.h"

struct wake {
	int rfd, wfd; /* the same number with an eventfd */
	_Atomic int pending;
};

enum status wake_init(struct wake *w, struct err *e) MUST_CHECK;
void wake_fini(struct wake *w);
/* Any thread, also a signal handler: async-signal-safe, never blocks, coalesces. */
void wake_raise(struct wake *w);
/* Consumer, after poll said rfd is readable and before it drains. */
void wake_take(struct wake *w);
/* The descriptor to poll for reading. */
int wake_fd(const struct wake *w);

#endif
