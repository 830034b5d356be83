/* eth/chains: the table is in order, agrees with itself, and has forks where the networks do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eth/chains.h"

static void table_is_sound(void **state)
{
	size_t n;
	const struct chain_info *const t = chain_table(&n);

	(void)state;
	assert_true(n >= 30);
	for (size_t i = 0; i < n; i++) {
		bool ended = false;

		assert_true(t[i].id != 0);
		if (i > 0)
			assert_true(t[i].id > t[i - 1].id);
		assert_true(strlen(t[i].name) > 0 && strlen(t[i].name) <= 16);
		assert_true(strlen(t[i].unit) > 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(t[k].name, t[i].name);
		assert_ptr_equal(chain_find(t[i].id), &t[i]);
		if (t[i].late_ms != 0)
			assert_true(t[i].late_ms < t[i].block_ms);
		if (t[i].slot_genesis != 0)
			assert_int_equal(t[i].kind, CHAIN_SLOT);
		for (int b = 0; b < CHAIN_BLOBS_MAX; b++) {
			const struct blob_schedule *const s = &t[i].blobs[b];

			if (s->fraction == 0) {
				ended = true;
				continue;
			}
			assert_false(ended);
			assert_true(s->target > 0 && s->target < s->max);
			if (b > 0)
				assert_true(s->time > t[i].blobs[b - 1].time);
			if (b > 0)
				assert_true(s->osaka >= t[i].blobs[b - 1].osaka);
			/* A fork happens at a slot's time. */
			if (t[i].slot_genesis != 0 && s->time != 0)
				assert_int_equal(
					(s->time - t[i].slot_genesis) % (32 * t[i].block_ms / 1000),
					0);
		}
	}
}

static void unknown_and_dev(void **state)
{
	(void)state;
	assert_int_equal(chain_find(987654321)->kind, CHAIN_OTHER);
	assert_int_equal(chain_find(0)->kind, CHAIN_OTHER);
	assert_int_equal(chain_find(UINT64_MAX)->id, 0);
	assert_false(chain_find(987654321)->eip1559);
	assert_null(chain_blobs(chain_find(987654321), UINT64_MAX));
	assert_int_equal(chain_find(31337)->kind, CHAIN_DEV);
	assert_int_equal(chain_find(1337)->kind, CHAIN_DEV);
	assert_int_equal(chain_find(3503995874084926)->kind, CHAIN_DEV);
}

static void schedule_of_a_time(void **state)
{
	static const struct {
		uint64_t chain, time;
		uint32_t target, max;
		uint64_t fraction;
		bool osaka;
	} v[] = {
		{ 1, 1710338134, 0, 0, 0, false },
		{ 1, 1710338135, 3, 6, 3338477, false },
		{ 1, 1746612310, 3, 6, 3338477, false },
		{ 1, 1746612311, 6, 9, 5007716, false },
		{ 1, 1764798551, 6, 9, 5007716, true },
		{ 1, 1765290071, 10, 15, 8346193, true },
		{ 1, 1767747671, 14, 21, 11684671, true },
		{ 1, UINT64_MAX, 14, 21, 11684671, true },
		{ 11155111, 1741159776, 6, 9, 5007716, false },
		{ 17000, 1760389824, 14, 21, 11684671, true },
		{ 560048, 1, 3, 6, 3338477, false },
		{ 560048, 1762365720, 10, 15, 8346193, true },
		{ 3503995874084926, 419, 0, 0, 0, false },
		{ 3503995874084926, 420, 3, 6, 3338477, false },
		{ 3503995874084926, 500, 6, 9, 5007716, true },
		{ 3503995874084926, 540, 14, 21, 11684671, true },
		{ 56, 1767747671, 0, 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const struct blob_schedule *const s =
			chain_blobs(chain_find(v[i].chain), v[i].time);

		if (v[i].max == 0) {
			assert_null(s);
			continue;
		}
		assert_non_null(s);
		assert_int_equal(s->target, v[i].target);
		assert_int_equal(s->max, v[i].max);
		assert_int_equal(s->fraction, v[i].fraction);
		assert_int_equal(s->osaka, v[i].osaka);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_sound),
		cmocka_unit_test(unknown_and_dev),
		cmocka_unit_test(schedule_of_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
