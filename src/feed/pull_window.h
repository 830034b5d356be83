/*
 * The window of a pull: a ring of slots, one for each block between "asked for" and "written". Any thread takes the next
 * number, and gives the slot back when the block is done; whoever completes the oldest one writes it and all
 * that follow it. Atomics alone: no thread ever waits for another one here.
 */
#ifndef FEED_PULL_WINDOW_H
#define FEED_PULL_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "eth/types.h"

enum slot_state {
	SLOT_FREE,
	SLOT_TAKEN, /* belongs to the thread that took it, or that it was handed to */
	SLOT_RETURNED, /* a decoding thread could not make a block of the reply: the thread that asked for it tries again */
	SLOT_DONE,
	SLOT_FAILED, /* for good; err says why */
};

struct pull_slot {
	_Atomic int state; /* enum slot_state */
	unsigned tries; /* that failed */
	uint64_t number;
	uint64_t id; /* of the request that is on its way, or was answered */
	uint64_t due_ns; /* not to be asked for again before */
	uint64_t wait_ns; /* the node asked to wait so long; 0 */
	struct err err; /* of the last try */
	/* Of the block, once done. */
	struct hash hash, parent;
	uint64_t gas;
	uint32_t txs, json_bytes;
	uint8_t truth; /* enum truth */
	bool linked; /* hash and parent are there */
	bool elsewhere;
	char doubt[104];
	struct buf text;
};

struct pull_window {
	struct pull_slot *slots;
	unsigned n;
	uint64_t from, to;
	_Alignas(64) _Atomic uint64_t next; /* first number that nobody has taken */
	_Alignas(64) _Atomic uint64_t head; /* first number that is not written */
	_Atomic bool busy; /* somebody writes */
};

/* text_limit: most bytes of a block's text. ST_NOMEM. */
enum status window_init(struct pull_window *w, unsigned n, size_t text_limit) MUST_CHECK;
void window_fini(struct pull_window *w);
/* Before any other thread looks at it. from > to: nothing to do. */
void window_range(struct pull_window *w, uint64_t from, uint64_t to);
/* The next number's slot, SLOT_TAKEN; NULL: none is left, or the window is full. */
struct pull_slot *window_take(struct pull_window *w);
static inline bool window_all_taken(const struct pull_window *w)
{
	return atomic_load(&w->next) > w->to;
}
static inline bool window_ended(const struct pull_window *w)
{
	return atomic_load(&w->head) > w->to;
}
/*
 * The slot has its end state, SLOT_DONE or SLOT_FAILED: calls fn for the oldest slot and those behind it as long as
 * they have theirs, unless another
 * thread is at it, which then does it. fn returns false to end it for good. Returns whether the head moved.
 */
bool window_put(struct pull_window *w, struct pull_slot *s, enum slot_state state,
		bool (*fn)(void *ctx, struct pull_slot *s), void *ctx);

#endif
