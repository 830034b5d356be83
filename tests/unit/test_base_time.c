/* Unit tests of base/time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "base/time.h"

#define MINUS "\xe2\x88\x92"
#define DASH "\xe2\x80\x94"
#define MS(x) (int64_t)((x) * INT64_C(1000000))
#define SEC(x) (int64_t)((x) * INT64_C(1000000000))

static void
test_age(void **state)
{
	static const struct {
		int64_t ns;
		const char *want;
	} t[] = {
		{0, "0.0s"},
		{MS(99), "0.0s"},
		{MS(100), "0.1s"},
		{MS(4200), "4.2s"},
		{MS(9999), "9.9s"},
		{SEC(10), "10s"},
		{MS(42999), "42s"},
		{MS(59999), "59s"},
		{SEC(60), "1m00s"},
		{SEC(64), "1m04s"},
		{SEC(14 * 60 + 4), "14m04s"},
		{SEC(3599), "59m59s"},
		{SEC(3600), "1h00m"},
		{SEC(3 * 3600 + 7 * 60 + 59), "3h07m"},
		{SEC(86399), "23h59m"},
		{SEC(86400), "1d00h"},
		{SEC(2 * 86400 + 4 * 3600), "2d04h"},
		{SEC(100 * 86400 - 1), "99d23h"},
		{SEC(100 * 86400), "100d"},
		{MS(-300), MINUS "0.3s"},
		{MS(-99), "0.0s"},
		{SEC(-64), MINUS "1m04s"},
		{INT64_MAX, "106751d"},
		{INT64_MIN, MINUS "106751d"},
	};
	char out[24];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		assert_ptr_equal(time_age(out, sizeof(out), t[i].ns), out);
		assert_string_equal(out, t[i].want);
	}
}

static void
test_latency(void **state)
{
	static const struct {
		uint64_t ns;
		const char *want;
	} t[] = {
		{0, "0.0 ms"},
		{49999, "0.0 ms"},
		{50000, "0.1 ms"},
		{MS(1) * 4 / 10, "0.4 ms"},
		{1234567, "1.2 ms"},
		{9949999, "9.9 ms"},
		{9950000, "10 ms"},
		{MS(41), "41 ms"},
		{MS(100), "100 ms"},
		{999499999, "999 ms"},
		{999500000, "1.00 s"},
		{MS(1740), "1.74 s"},
		{9994999999, "9.99 s"},
		{9995000000, "10.0 s"},
		{SEC(12), "12.0 s"},
		{99949999999, "99.9 s"},
		{99950000000, "100 s"},
		{SEC(3600), "3600 s"},
		{UINT64_MAX - 1, "18446744074 s"},
		{UINT64_MAX, DASH},
	};
	char out[24];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		assert_ptr_equal(time_latency(out, sizeof(out), t[i].ns), out);
		assert_string_equal(out, t[i].want);
	}
}

static void
test_small_output(void **state)
{
	char out[4] = "###";

	(void)state;
	assert_string_equal(time_age(out, 3, SEC(64)), "1m");
	assert_string_equal(time_latency(out, 3, MS(41)), "41");
	assert_int_equal(out[3], 0);
}

static void
test_utc(void **state)
{
	char out[24];

	(void)state;
	assert_string_equal(time_clock_utc(out, sizeof(out), 0), "00:00:00");
	assert_string_equal(time_clock_utc(out, sizeof(out), 1663224179 * NS_S + 999999999),
		"06:42:59");
	time_clock_utc(out, sizeof(out), UINT64_MAX);
	assert_int_equal(strlen(out), 8);
}

static void
test_clocks(void **state)
{
	uint64_t mono = time_mono(), cpu = time_cpu(), wall = time_wall(), bound;
	struct timespec ts = {0};

	(void)state;
	/* Work, not sleep, until both clocks have moved. */
	while (time_cpu() - cpu < NS_MS)
		;
	assert_true(time_mono() >= mono + NS_MS / 2);
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &ts), 0);
	assert_true((uint64_t)ts.tv_sec - wall / NS_S <= 60);
	bound = time_clock_bound();
	assert_true(bound == UINT64_MAX || bound <= 16 * NS_S);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_small_output),
		cmocka_unit_test(test_utc),
		cmocka_unit_test(test_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
