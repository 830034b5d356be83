/* base/number: grouping, rounding at the steps, signs, what is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/number.h"

#define DASH "—"

static char out[NUMBER_MAX];

static void
test_int(void **state)
{
	(void)state;
	assert_string_equal(number_int(out, sizeof(out), 0), "0");
	assert_string_equal(number_int(out, sizeof(out), 999), "999");
	assert_string_equal(number_int(out, sizeof(out), 1000), "1,000");
	assert_string_equal(number_int(out, sizeof(out), 25490415), "25,490,415");
	assert_string_equal(number_int(out, sizeof(out), UINT64_MAX - 1), "18,446,744,073,709,551,614");
	assert_string_equal(number_int(out, sizeof(out), UINT64_MAX), DASH);
}

static void
test_fixed_and_percent(void **state)
{
	(void)state;
	assert_string_equal(number_fixed(out, sizeof(out), 57.68, 1), "57.7");
	assert_string_equal(number_fixed(out, sizeof(out), -0.04, 1), "0.0");
	assert_string_equal(number_fixed(out, sizeof(out), -3, 0), "−3");
	assert_string_equal(number_fixed(out, sizeof(out), NAN, 1), DASH);
	assert_string_equal(number_fixed(out, sizeof(out), INFINITY, 1), DASH);
	assert_string_equal(number_fixed(out, sizeof(out), 1e300, 1), DASH);
	assert_string_equal(number_percent(out, sizeof(out), 0.577, 1), "57.7 %");
	assert_string_equal(number_percent_signed(out, sizeof(out), -0.015, 1), "−1.5 %");
	assert_string_equal(number_percent_signed(out, sizeof(out), 0.125, 1), "+12.5 %");
	assert_string_equal(number_percent_signed(out, sizeof(out), -0.0001, 1), "0.0 %");
	assert_string_equal(number_percent_signed(out, sizeof(out), NAN, 1), DASH);
	assert_string_equal(number_signed(out, sizeof(out), 21.4, 1), "+21.4");
}

static void
test_si(void **state)
{
	(void)state;
	assert_string_equal(number_si(out, sizeof(out), 0), "0");
	assert_string_equal(number_si(out, sizeof(out), 950), "950");
	assert_string_equal(number_si(out, sizeof(out), 19.66), "19.7");
	assert_string_equal(number_si(out, sizeof(out), 999.6), "1.00k");
	assert_string_equal(number_si(out, sizeof(out), 1200), "1.20k");
	assert_string_equal(number_si(out, sizeof(out), 9996), "10.0k");
	assert_string_equal(number_si(out, sizeof(out), 99960), "100k");
	assert_string_equal(number_si(out, sizeof(out), 60e6), "60.0M");
	assert_string_equal(number_si(out, sizeof(out), 2.67e9), "2.67G");
	assert_string_equal(number_si(out, sizeof(out), -1500), "−1.50k");
	assert_string_equal(number_si(out, sizeof(out), 1.8e19), "18.0E");
	assert_string_equal(number_si(out, sizeof(out), NAN), DASH);
	assert_string_equal(number_si_short(out, sizeof(out), 60e6), "60M");
	assert_string_equal(number_si_short(out, sizeof(out), 1200), "1.2k");
	assert_string_equal(number_si_short(out, sizeof(out), 100), "100");
	assert_string_equal(number_si_short(out, sizeof(out), 0), "0");
}

static void
test_bytes(void **state)
{
	(void)state;
	assert_string_equal(number_bytes(out, sizeof(out), 0), "0 B");
	assert_string_equal(number_bytes(out, sizeof(out), 96), "96 B");
	assert_string_equal(number_bytes(out, sizeof(out), 999), "999 B");
	assert_string_equal(number_bytes(out, sizeof(out), 96000), "96 kB");
	assert_string_equal(number_bytes(out, sizeof(out), 1600000), "1.6 MB");
	assert_string_equal(number_bytes(out, sizeof(out), 9960), "10 kB");
	assert_string_equal(number_bytes(out, sizeof(out), 999600), "1.0 MB");
	assert_string_equal(number_bytes(out, sizeof(out), UINT64_MAX), DASH);
	assert_string_equal(number_bytes_d(out, sizeof(out), -1), DASH);
	assert_string_equal(number_bytes_d(out, sizeof(out), NAN), DASH);
	assert_string_equal(number_rate(out, sizeof(out), 412e6), "412 MB/s");
	assert_string_equal(number_rate(out, sizeof(out), 9.1e6), "9.1 MB/s");
	assert_string_equal(number_mb(out, sizeof(out), 90000), "0.09");
	assert_string_equal(number_mb(out, sizeof(out), 1.44e6), "1.44");
	assert_string_equal(number_mb(out, sizeof(out), 9.996e6), "10.0");
	assert_string_equal(number_mb(out, sizeof(out), 412e6), "412");
	assert_string_equal(number_mb(out, sizeof(out), NAN), DASH);
}

static void
test_fees(void **state)
{
	struct u256 v = u256_from64(9481925155u), one = u256_from64(1), most = {{~0ull, ~0ull, ~0ull, ~0ull}};

	(void)state;
	assert_string_equal(number_gwei(out, sizeof(out), &v, 3), "9.482");
	assert_string_equal(number_gwei(out, sizeof(out), NULL, 3), DASH);
	assert_string_equal(number_fee(out, sizeof(out), &v), "9.482 gwei");
	assert_string_equal(number_fee(out, sizeof(out), &one), "1 wei");
	v = u256_from64(250000);
	assert_string_equal(number_fee(out, sizeof(out), &v), "250,000 wei");
	v = u256_from64(1000000);
	assert_string_equal(number_fee(out, sizeof(out), &v), "0.001 gwei");
	v = u256_from64(250892000000000000u);
	assert_string_equal(number_ether(out, sizeof(out), &v, 6), "0.250892");
	assert_string_equal(number_fee_in(out, sizeof(out), &v, FEE_WEI), "250,892,000,000,000,000");
	assert_string_equal(number_fee_in(out, sizeof(out), &v, FEE_ETHER), "0.250892000");
	assert_string_equal(number_fee_in(out, sizeof(out), NULL, FEE_WEI), DASH);
	/* The largest number there is, in the smallest unit. */
	assert_int_equal(strlen(number_fee_in(out, sizeof(out), &most, FEE_WEI)), 78 + 25);
	assert_string_equal(fee_unit_name(FEE_GWEI), "gwei");
}

/* Short buffers are cut, never overrun. */
static void
test_small_buffers(void **state)
{
	struct u256 most = {{~0ull, ~0ull, ~0ull, ~0ull}};
	char small[8];

	(void)state;
	assert_true(strlen(number_int(small, sizeof(small), 25490415)) < sizeof(small));
	assert_true(strlen(number_fee_in(small, sizeof(small), &most, FEE_WEI)) < sizeof(small));
	assert_true(strlen(number_ether(small, sizeof(small), &most, 9)) < sizeof(small));
	assert_true(strlen(number_fixed(small, sizeof(small), 123456789, 3)) < sizeof(small));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int),
		cmocka_unit_test(test_fixed_and_percent),
		cmocka_unit_test(test_si),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_fees),
		cmocka_unit_test(test_small_buffers),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
