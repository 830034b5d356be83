/*
 * Single-producer single-consumer ring of fixed slots, without locks (design.md §4.5).
 * The producer may use only three quarters for ordinary items; the last quarter is kept for
 * important ones (heads, link changes, replies).
 */
#ifndef BASE_RING_H
#define BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define RING_SLOT 256

struct ring {
	_Alignas(64) _Atomic uint64_t head; /* next slot to write; written by the producer only */
	uint64_t tail_seen; /* producer's last look at tail */
	_Alignas(64) _Atomic uint64_t tail; /* next slot to read; written by the consumer only */
	uint64_t head_seen; /* consumer's last look at head */
	_Alignas(64) _Atomic uint64_t dropped; /* items refused since the start */
	uint64_t mask;
	unsigned char *slots;
};

/* slots: a power of two ≥ 4. One allocation of slots × 256 bytes. */
enum status ring_init(struct ring *r, size_t slots) MUST_CHECK;
void ring_fini(struct ring *r);
/* Producer: copies RING_SLOT bytes in. False, and counted in dropped, if there is no room. */
bool ring_push(struct ring *r, const void *item, bool important);
/* Producer: how many slots are taken, at most. */
size_t ring_used(struct ring *r);
/* Consumer: the oldest item, or NULL. It stays valid until ring_pop. */
const void *ring_peek(struct ring *r);
void ring_pop(struct ring *r);
uint64_t ring_dropped(const struct ring *r);

#endif
