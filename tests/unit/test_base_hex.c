/* Unit tests of base/hex. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

static bool
u64(const char *s, uint64_t *v, bool *lenient)
{
	*lenient = false;
	*v = 77;
	return hex_u64(s, strlen(s), v, lenient);
}

static void
test_quantity(void **state)
{
	static const struct {
		const char *s;
		bool good, lenient;
		uint64_t v;
	} t[] = {
		{"0x0", true, false, 0},
		{"0x1", true, false, 1},
		{"0x10", true, false, 16},
		{"0xabcdef", true, false, 0xabcdef},
		{"0xffffffffffffffff", true, false, UINT64_MAX},
		{"0x", true, true, 0},
		{"0x00", true, true, 0},
		{"0x01", true, true, 1},
		{"0xAB", true, true, 0xab},
		{"0x00000000000000000000000000000000000000ff", true, true, 255},
		{"0x10000000000000000", false, false, 0},
		{"", false, false, 0},
		{"0", false, false, 0},
		{"1", false, false, 0},
		{"12", false, false, 0},
		{"ff", false, false, 0},
		{"x1", false, false, 0},
		{"0X1", false, false, 0},
		{"0xg", false, false, 0},
		{"0x1 ", false, false, 0},
		{" 0x1", false, false, 0},
		{"0x-1", false, false, 0},
		{"0x1\xff", false, false, 0},
		{"-0x1", false, false, 0},
	};
	uint64_t v;
	bool lenient;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		if (u64(t[i].s, &v, &lenient) != t[i].good)
			fail_msg("\"%s\"", t[i].s);
		assert_int_equal(v, t[i].good ? t[i].v : 77);
		if (lenient != t[i].lenient)
			fail_msg("\"%s\": lenient", t[i].s);
	}
	/* It only ever becomes true: one flag may watch a whole block. */
	lenient = true;
	assert_true(hex_u64("0x1", 3, &v, &lenient));
	assert_true(lenient);
	assert_true(hex_u64("0x01", 4, &v, NULL));
	/* n counts, not the terminator. */
	assert_true(hex_u64("0x123", 4, &v, NULL));
	assert_int_equal(v, 0x12);
}

static void
test_u256(void **state)
{
	static const char most[] =
		"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
	static const char over[] =
		"0x10000000000000000000000000000000000000000000000000000000000000000";
	struct u256 v;
	char out[67];
	bool lenient = false;

	(void)state;
	assert_true(hex_u256(most, strlen(most), &v, &lenient));
	assert_false(lenient);
	assert_string_equal(hex_print_u256(out, &v), most);
	assert_false(hex_u256(over, strlen(over), &v, NULL));
	assert_true(hex_u256("0xc70d815d562d3cfa955", 21, &v, NULL));
	assert_int_equal(v.w[0], 0x15d562d3cfa955 | UINT64_C(0xd8) << 56);
	assert_int_equal(v.w[1], 0xc70);
	assert_int_equal(v.w[2] | v.w[3], 0);
	assert_string_equal(hex_print_u256(out, &v), "0xc70d815d562d3cfa955");
	assert_true(hex_u256("0x", 2, &v, &lenient));
	assert_true(lenient && u256_is_zero(&v));
	assert_string_equal(hex_print_u256(out, &v), "0x0");
	assert_string_equal(hex_print_u64(out, 0), "0x0");
	assert_string_equal(hex_print_u64(out, 0x40), "0x40");
	assert_string_equal(hex_print_u64(out, UINT64_MAX), "0xffffffffffffffff");
}

static void
test_data(void **state)
{
	uint8_t out[64];
	char text[131];

	(void)state;
	assert_int_equal(hex_data("0x", 2, out), 0);
	assert_int_equal(hex_data("0x00ffAb", 8, out), 3);
	assert_memory_equal(out, "\x00\xff\xab", 3);
	assert_string_equal(hex_print(text, out, 3), "0x00ffab");
	assert_string_equal(hex_print(text, out, 0), "0x");
	assert_int_equal(hex_data("0x0", 3, out), -1);
	assert_int_equal(hex_data("00ff", 4, out), -1);
	assert_int_equal(hex_data("", 0, out), -1);
	assert_int_equal(hex_data("0", 1, out), -1);
	assert_int_equal(hex_data("0x0g", 4, out), -1);
	assert_true(hex_fixed("0x0102", 6, out, 2));
	assert_false(hex_fixed("0x0102", 6, out, 1));
	assert_false(hex_fixed("0x0102", 6, out, 3));
	assert_false(hex_fixed("0x010", 5, out, 1));
	assert_false(hex_fixed("0x010", 5, out, 2));
	assert_true(hex_fixed("0x", 2, out, 0));
	/* want so large that 2 + 2 × want wraps to n */
	assert_false(hex_fixed("0x0102", 6, out, SIZE_MAX / 2 + 1 + 2));
}

static int
value(int c)
{
	static const char *all = "0123456789abcdef";
	const char *p = c == 0 ? NULL : strchr(all, c >= 'A' && c <= 'F' ? c + 32 : c);

	return p != NULL ? (int)(p - all) : -1;
}

/* Every byte in every position of every length around the step of the inner loop. */
static void
test_digits_every_byte(void **state)
{
	char s[82];
	uint8_t out[41];
	size_t n, at, i;
	int c;

	(void)state;
	for (n = 1; n <= 40; n++)
		for (at = 0; at < 2 * n; at++)
			for (c = 0; c < 256; c++) {
				for (i = 0; i < 2 * n; i++)
					s[i] = "0123456789abcdefABCDEF"[(i * 5 + n) % 22];
				s[at] = (char)c;
				s[2 * n] = 'z'; /* not looked at */
				out[n] = 0x5a;
				if (hex_digits(s, out, n) != (value(c) >= 0))
					fail_msg("n %zu at %zu byte %d", n, at, c);
				assert_int_equal(out[n], 0x5a);
				if (value(c) < 0)
					continue;
				for (i = 0; i < n; i++)
					assert_int_equal(out[i],
						value(s[2 * i]) << 4 | value(s[2 * i + 1]));
			}
	assert_true(hex_digits("", out, 0));
}

static void
test_round_trip(void **state)
{
	enum { N = 100000 };
	uint8_t *in = malloc(N), *back = malloc(N);
	char *text = malloc(2 * N + 3);
	uint32_t x = 1;
	size_t i;

	(void)state;
	assert_non_null(in);
	assert_non_null(back);
	assert_non_null(text);
	for (i = 0; i < N; i++) {
		x = x * 1664525 + 1013904223;
		in[i] = (uint8_t)(x >> 24);
	}
	hex_print(text, in, N);
	assert_int_equal(strlen(text), 2 * N + 2);
	assert_int_equal(hex_data(text, 2 * N + 2, back), N);
	assert_memory_equal(in, back, N);
	free(in);
	free(back);
	free(text);
}

/* Eight digits are read at once: every byte at every place must still be judged by itself. */
static void
test_quantity_every_byte(void **state)
{
	char s[2 + 64 + 1] = "0x";
	struct u256 v;
	uint64_t want;
	bool lenient, good;
	size_t at, digits, nibble;
	int c;

	(void)state;
	for (digits = 1; digits <= 64; digits++)
		for (at = 0; at < digits; at++)
			for (c = 1; c < 256; c++) {
				memset(s + 2, '1', digits);
				s[2 + at] = (char)c;
				lenient = false;
				good = hex_u256(s, 2 + digits, &v, &lenient);
				assert_int_equal(good, value(c) >= 0);
				if (!good)
					continue;
				assert_int_equal(lenient, (c >= 'A' && c <= 'F') ||
					(c == '0' && at == 0 && digits > 1));
				want = (uint64_t)value(c);
				nibble = digits - 1 - at;
				assert_int_equal(v.w[nibble / 16] >> nibble % 16 * 4 & 15, want);
				assert_int_equal(v.w[3] >> 60, digits < 64 ? 0 : at > 0 ? 1 : want);
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantity),
		cmocka_unit_test(test_u256),
		cmocka_unit_test(test_quantity_every_byte),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_digits_every_byte),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
