/* Single-producer single-consumer ring; see ring.h. */
#include "base/ring.h"

#include <stdlib.h>
#include <string.h>

enum status
ring_init(struct ring *r, size_t slots)
{
	if (slots < 4 || (slots & (slots - 1)) != 0 || slots > SIZE_MAX / RING_SLOT)
		return ST_USAGE;
	memset(r, 0, sizeof(*r));
	r->slots = aligned_alloc(64, slots * RING_SLOT);
	if (r->slots == NULL)
		return ST_NOMEM;
	r->mask = slots - 1;
	atomic_init(&r->head, 0);
	atomic_init(&r->tail, 0);
	atomic_init(&r->dropped, 0);
	return ST_OK;
}

void
ring_fini(struct ring *r)
{
	free(r->slots);
	r->slots = NULL;
}

bool
ring_push(struct ring *r, const void *item, bool important)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t slots = r->mask + 1;
	uint64_t room = important ? slots : slots - slots / 4;

	if (head - r->tail_seen >= room) {
		/* Acquire: the consumer has finished with every slot before tail. */
		r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
		if (head - r->tail_seen >= room) {
			atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
			return false;
		}
	}
	memcpy(r->slots + (head & r->mask) * RING_SLOT, item, RING_SLOT);
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return true;
}

size_t
ring_used(struct ring *r)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
	return (size_t)(head - r->tail_seen);
}

const void *
ring_peek(struct ring *r)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (tail == r->head_seen) {
		r->head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
		if (tail == r->head_seen)
			return NULL;
	}
	return r->slots + (tail & r->mask) * RING_SLOT;
}

void
ring_pop(struct ring *r)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	/* Without an item seen by ring_peek there is nothing to remove. */
	if (tail != r->head_seen)
		atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
}

uint64_t
ring_dropped(const struct ring *r)
{
	return atomic_load_explicit(&r->dropped, memory_order_relaxed);
}
