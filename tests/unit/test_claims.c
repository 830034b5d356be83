/* The set of bodies that are being fetched: each key has one taker, also between threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "feed/claims.h"

enum { THREADS = 4, KEYS = 500 };

static struct claims set;

struct taker {
	pthread_t thread;
	unsigned won;
};

static void *take_all(void *arg)
{
	struct taker *t = arg;

	for (uint64_t i = 0; i < KEYS; i++)
		t->won += claims_take(&set, claim_number(7, i));
	return NULL;
}

static void one_taker(void **state)
{
	struct hash h = { { 1, 2, 3 } };

	(void)state;
	claims_init(&set);
	assert_true(claims_take(&set, claim_hash(&h)));
	assert_false(claims_take(&set, claim_hash(&h)));
	claims_release(&set, claim_hash(&h));
	assert_true(claims_take(&set, claim_hash(&h)));
	/* The same block under other keys is another claim. */
	assert_true(claims_take(&set, claim_verify(&h)));
	assert_true(claims_take(&set, claim_number(1, 5)));
	assert_true(claims_take(&set, claim_number(2, 5)));
	assert_true(claims_take(&set, claim_period(1, 5)));
	claims_release(&set, claim_number(9, 9)); /* never taken: nothing happens */
}

static void threads(void **state)
{
	struct taker t[THREADS] = { 0 };
	unsigned won = 0;

	(void)state;
	claims_init(&set);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i].thread, NULL, take_all, &t[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i].thread, NULL);
		won += t[i].won;
	}
	/* So few keys overflow no set: each has exactly one taker. */
	assert_int_equal(won, KEYS);
}

static void forgets_when_full(void **state)
{
	uint64_t n = (uint64_t)CLAIMS_SETS * CLAIMS_WAYS * 3;

	(void)state;
	claims_init(&set);
	for (uint64_t i = 0; i < n; i++)
		assert_true(claims_take(&set, claim_number(3, i)));
	assert_false(claims_take(&set, claim_number(3, n - 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_taker),
		cmocka_unit_test(threads),
		cmocka_unit_test(forgets_when_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
