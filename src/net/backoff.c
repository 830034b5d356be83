/* Exponential delays with jitter; see backoff.h. */
#include "net/backoff.h"

void backoff_init(
	struct backoff *b, uint64_t first_ns, uint64_t max_ns, uint64_t min_life_ns, uint64_t seed)
{
	*b = (struct backoff){
		.first_ns = first_ns,
		.max_ns = max_ns > first_ns ? max_ns : first_ns,
		.min_life_ns = min_life_ns,
		.next_ns = first_ns,
		.rng = seed,
	};
}

/* splitmix64 (Steele, Lea, Flood 2014): any seed will do, also 0. In [0, 1). */
static double uniform(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

uint64_t backoff_delay(struct backoff *b, uint64_t life_ns, uint64_t floor_ns)
{
	double r = uniform(&b->rng);
	uint64_t delay;

	/* A server that accepts and closes at once must not be called without pause (fault 21). */
	if (life_ns > 0 && life_ns >= b->min_life_ns)
		b->next_ns = b->first_ns;
	delay = (uint64_t)((double)b->next_ns * (0.8 + 0.4 * r));
	b->next_ns = b->next_ns > b->max_ns / 2 ? b->max_ns : b->next_ns * 2;
	/* All clients were told the same Retry-After: spread them behind it. */
	if (delay < floor_ns)
		delay = floor_ns + (uint64_t)((double)floor_ns * 0.1 * r);
	return delay;
}
