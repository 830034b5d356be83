/* Unit tests of net/backoff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "net/backoff.h"

enum { MS = 1000000 };

static void
test_growth_and_cap(void **state)
{
	struct backoff b;
	uint64_t nominal = 250;

	(void)state;
	backoff_init(&b, 250 * MS, UINT64_C(8000) * MS, UINT64_C(5000) * MS, 1);
	/* Never gives up: the 1000th attempt still has a delay of at most max + 20 %. */
	for (int i = 0; i < 1000; i++) {
		uint64_t d = backoff_delay(&b, 0, 0);

		assert_in_range(d, nominal * MS / 10 * 8, nominal * MS / 10 * 12);
		nominal = nominal * 2 > 8000 ? 8000 : nominal * 2;
	}
}

static void
test_short_lives_do_not_reset(void **state)
{
	struct backoff b;

	(void)state;
	backoff_init(&b, 100 * MS, UINT64_C(60000) * MS, UINT64_C(5000) * MS, 2);
	for (int i = 0; i < 20; i++)
		backoff_delay(&b, 3 * MS, 0); /* accepted, closed at once */
	assert_true(backoff_delay(&b, UINT64_C(4999) * MS, 0) >= UINT64_C(48000) * MS);
	assert_in_range(backoff_delay(&b, UINT64_C(5000) * MS, 0), 80 * MS, 120 * MS);
	assert_in_range(backoff_delay(&b, 0, 0), 160 * MS, 240 * MS);
}

static void
test_floor(void **state)
{
	struct backoff b;

	(void)state;
	backoff_init(&b, 100 * MS, 1000 * MS, 0, 3);
	for (int i = 0; i < 50; i++)
		assert_in_range(backoff_delay(&b, 0, UINT64_C(10000) * MS), UINT64_C(10000) * MS,
			UINT64_C(11000) * MS);
	/* A floor below the delay changes nothing. */
	assert_in_range(backoff_delay(&b, 0, 1), 800 * MS, 1200 * MS);
}

static void
test_jitter_differs(void **state)
{
	struct backoff a, b;
	int equal = 0;

	(void)state;
	backoff_init(&a, 1000 * MS, 1000 * MS, 0, 1);
	backoff_init(&b, 1000 * MS, 1000 * MS, 0, 2);
	for (int i = 0; i < 100; i++)
		equal += backoff_delay(&a, 0, 0) == backoff_delay(&b, 0, 0);
	assert_true(equal < 3);
}

static void
test_odd_settings(void **state)
{
	struct backoff b;

	(void)state;
	backoff_init(&b, 100 * MS, 1, 0, 0); /* max below first: first */
	for (int i = 0; i < 5; i++)
		assert_in_range(backoff_delay(&b, 0, 0), 80 * MS, 120 * MS);
	backoff_init(&b, 1, UINT64_MAX / 4, 0, 0);
	for (int i = 0; i < 200; i++)
		backoff_delay(&b, 0, 0); /* no overflow (UBSan) */
	assert_true(b.next_ns == UINT64_MAX / 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth_and_cap),
		cmocka_unit_test(test_short_lives_do_not_reset),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_jitter_differs),
		cmocka_unit_test(test_odd_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
