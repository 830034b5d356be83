/* Jittered exponential delays between connection attempts, without an end to the attempts. */
#ifndef NET_BACKOFF_H
#define NET_BACKOFF_H

#include <stdint.h>

struct backoff {
	uint64_t first_ns, max_ns; /* delays grow ×2 from first to max, each ±20 % */
	uint64_t min_life_ns; /* a connection that lived shorter than this does not reset the delay (fault 21) */
	uint64_t next_ns; /* nominal next delay */
	uint64_t rng; /* state of the jitter */
};

void backoff_init(struct backoff *b, uint64_t first_ns, uint64_t max_ns, uint64_t min_life_ns, uint64_t seed);
/* A connection ended after life_ns (0: it never stood). floor_ns: wait at least so long (Retry-After, DNS). Returns the delay. */
uint64_t backoff_delay(struct backoff *b, uint64_t life_ns, uint64_t floor_ns);

#endif
