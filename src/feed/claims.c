#include "feed/claims.h"

void claims_init(struct claims *c)
{
	for (int i = 0; i < CLAIMS_SETS; i++) {
		for (int w = 0; w < CLAIMS_WAYS; w++)
			atomic_init(&c->key[i][w], 0);
	}
}

/* splitmix64: spreads keys that differ in few bits. Never 0, which marks a free place. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return x ? x : 1;
}

bool claims_take(struct claims *c, uint64_t key)
{
	_Atomic uint64_t *set = c->key[key % CLAIMS_SETS];

	for (;;) {
		int free_way = -1;

		for (int w = 0; w < CLAIMS_WAYS; w++) {
			uint64_t k = atomic_load_explicit(&set[w], memory_order_acquire);

			if (k == key)
				return false;
			if (k == 0 && free_way < 0)
				free_way = w;
		}
		/*
		 * A full set loses the way that the key itself names: two threads that bring the same key then
		 * fight for the same place, and the loser finds the key when it looks again.
		 */
		int way = free_way >= 0 ? free_way : (int)(key >> 40) % CLAIMS_WAYS;
		uint64_t old = free_way >= 0 ? 0 : atomic_load(&set[way]);

		if (old != key && atomic_compare_exchange_strong(&set[way], &old, key))
			return true;
	}
}

void claims_release(struct claims *c, uint64_t key)
{
	_Atomic uint64_t *set = c->key[key % CLAIMS_SETS];

	for (int w = 0; w < CLAIMS_WAYS; w++) {
		uint64_t k = key;

		if (atomic_compare_exchange_strong(&set[w], &k, 0))
			return;
	}
}

uint64_t claim_hash(const struct hash *h)
{
	return mix(hash_key(h));
}

uint64_t claim_number(uint64_t chain, uint64_t number)
{
	return mix(mix(chain) ^ (number * 4 + 1));
}

uint64_t claim_period(uint64_t chain, uint64_t period)
{
	return mix(mix(chain) ^ (period * 4 + 2));
}

uint64_t claim_verify(const struct hash *h)
{
	return mix(hash_key(h) ^ UINT64_C(0x7665726966790000));
}
