/* Unit tests of base/u256. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/u256.h"

#define F UINT64_MAX /* short, for the vectors */

static const struct u256 most = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static uint64_t seed = 1;

static uint64_t
next(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Random length; limbs that make the estimate of a quotient digit go wrong come often. */
static struct u256
random_number(void)
{
	static const uint32_t nasty[] = {
		0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
	struct u256 r = {{0}};
	int limbs = (int)(next() % 9), i;
	uint64_t x, limb;

	for (i = 0; i < limbs; i++) {
		x = next();
		limb = x & 8 ? nasty[x & 7] : x >> 32;
		r.w[i / 2] |= limb << (i % 2 * 32);
	}
	return r;
}

static bool
equal(const struct u256 *a, const struct u256 *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool
bit(const struct u256 *a, int i)
{
	return a->w[i / 64] >> (i % 64) & 1;
}

/* a = 2a + low; returns the bit that falls out. */
static bool
twice(struct u256 *a, bool low)
{
	bool out = bit(a, 255);
	int i;

	for (i = 3; i > 0; i--)
		a->w[i] = a->w[i] << 1 | a->w[i - 1] >> 63;
	a->w[0] = a->w[0] << 1 | low;
	return out;
}

/* The oracle: one bit a step, nothing to estimate. */
static void
slow_divmod(struct u256 *q, struct u256 *rem, const struct u256 *a, const struct u256 *b)
{
	bool over;
	int i;

	*q = *rem = (struct u256){{0}};
	for (i = 255; i >= 0; i--) {
		over = twice(rem, bit(a, i));
		twice(q, false);
		if (over || u256_cmp(rem, b) >= 0) {
			u256_sub(rem, rem, b);
			q->w[0] |= 1;
		}
	}
}

static bool
slow_mul(struct u256 *r, const struct u256 *a, const struct u256 *b)
{
	struct u256 sum = {{0}};
	bool fits = true;
	int i;

	for (i = 255; i >= 0; i--) {
		fits &= !twice(&sum, false);
		if (bit(b, i))
			fits &= u256_add(&sum, &sum, a);
	}
	*r = sum;
	return fits;
}

/* a, b, a / b, a % b from Python's integers; most of the first six take the rare "add back" step. */
static void
test_division_vectors(void **state)
{
	static const struct {
		struct u256 a, b, q, rem;
	} t[] = {
		{{{0x3, 0x80000000}}, {{0x1, 0x20000000}}, {{0x3}}, {{0x0, 0x20000000}}},
		{{{0x0, 0x7fff00008000}}, {{0x1, 0x8000}}, {{0xfffe0000}},
			{{0xffffffff00020000, 0x7fff}}},
		{{{0xfffe00000000, 0x800000000000}}, {{0xffff, 0x8000}}, {{0xffffffff}},
			{{0xffffffff0000ffff, 0x7fff}}},
		{{{0xfffffffe00000000, 0x80000000}}, {{0x80000000ffffffff}}, {{0xffffffff}},
			{{0x7fffffffffffffff}}},
		{{{0x0, 0x7fffffff80000000}}, {{0x1, 0x80000000}}, {{0xfffffffe}},
			{{0xffffffff00000002, 0x7fffffff}}},
		{{{0xfffffffe00000000, 0x8000000000000000}}, {{0xffffffff, 0x80000000}},
			{{0xffffffff}}, {{F, 0x7fffffff}}},
		{{{F, F, F, F}},
			{{0x1}},
			{{F, F, F, F}},
			{{0x0}}},
		{{{F, F, F, F}},
			{{F, F, F, F}},
			{{0x1}}, {{0x0}}},
		{{{F, F, F, F}},
			{{0xfffffffffffffffe, F, F, F}},
			{{0x1}}, {{0x1}}},
		{{{0xfffffffffffffffe, F, F, F}},
			{{F, F, F, F}},
			{{0x0}},
			{{0xfffffffffffffffe, F, F, F}}},
		{{{0x0}},
			{{F, F, F, F}},
			{{0x0}}, {{0x0}}},
		{{{F, F, F, F}},
			{{F, F}}, {{0x1, 0x0, 0x1}}, {{0x0}}},
		{{{F, F, F, F}},
			{{0x0, 0x0, 0x1}}, {{F, F}},
			{{F, F}}},
		{{{F, F, F, F}},
			{{0x1, 0x0, 0x1}}, {{F, F}}, {{0x0}}},
		{{{0x0, 0x0, 0x0, 0x8000000000000000}}, {{0x3}},
			{{0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0x2aaaaaaaaaaaaaaa}},
			{{0x2}}},
		{{{0xd815d562d3cfa955, 0xc70}}, {{0xde0b6b3a7640000}}, {{0xe57e}},
			{{0xd3439fc97a955}}},
		{{{F, F, F, F}},
			{{0x3b9aca00}},
			{{0x8d5d64f9c394ae9, 0xc4a98187eebb22f0, 0xb5a52cb98b405447, 0x44b82fa09}},
			{{0x7ba25ff}}},
		{{{0x2, 0x80000001128b2f33, 0xe8e25d9400000000}},
			{{0xfffffffe00000001, 0x1738f7d97fffffff}}, {{0x74388a47dca5fd7, 0xa}},
			{{0xf45137098235a02b, 0x160f21eaa1124071}}},
		{{{0x7fffffff00000001, 0xfffffffe00000000, 0xbecd7b07fffffff, 0x2}},
			{{0x100000002, 0x280000000, 0x7fffffff}}, {{0x417d9af69}},
			{{0x6826508dd04ca12f, 0xc45fc9777ffffffc, 0x17d9af5e}}},
		{{{0x1e398f1000000001, 0x8000000100000002, 0xffffffff}},
			{{0xc3baea9e00000001, 0x8000000180000001, F, 0x1}},
			{{0x0}}, {{0x1e398f1000000001, 0x8000000100000002, 0xffffffff}}},
		{{{0x8000000000000001, 0xfffffffeffffffff, 0x80000001}}, {{0xffffffff}},
			{{0x8000000100000001, 0x8000000280000001}}, {{0x2}}},
		{{{0x1, 0x7fffffff80000000, 0xfffffffffffffffe}}, {{0x66d22876ffffffff}},
			{{0x24c1ee8fcc0d9c07, 0x7d6144ebe0af2c0f, 0x2}}, {{0x624f4f4ecc0d9c08}}},
		{{{0xfffffffe00000001, 0x7fffffff7fffffff, 0x8000000100000002}}, {{0x100000002}},
			{{0x8000000affffffe8, 0x27ffffffa, 0x80000000}}, {{0x31}}},
		{{{0x2, 0x23488f876, 0xb0a844e5, 0x1c215a82a}},
			{{0x280000001, 0x8857f9a47fffffff, 0xc7702420}},
			{{0x41bb47a71aa47a9d, 0x2}},
			{{0xfba985d0655b8565, 0x946cc8c12ad93fee, 0x5b05a73}}},
		{{{0x80000001ffffffff}}, {{0x8000000100000000, 0x100000001}}, {{0x0}},
			{{0x80000001ffffffff}}},
		{{{0x27fffffff, 0xfffffffe80000001, 0x1fffffffe, 0x2}}, {{0x200000002, 0xffffffff}},
			{{0xfffffffefffffff1, 0x200000003}}, {{0x228000001d, 0x7fffffec}}},
		{{{0x80000001ffffffff, 0x27e9e06f}}, {{0x100000000, 0x2}}, {{0x13f4f037}},
			{{0x6c0b0fcaffffffff, 0x1}}},
		{{{0x7fffffff7fffffff, 0x8000000080000000, 0x800000017fffffff, 0x4265bb31}},
			{{0x8000000100000002, 0xa997f351ffffffff, 0x2179b37d6bae4b5b, 0x26debfdb}},
			{{0x1}},
			{{0xfffffffe7ffffffd, 0xd6680cae80000000, 0x5e864c841451b4a3, 0x1b86fb56}}},
		{{{0xffffffff}}, {{0x200000000, 0x2}}, {{0x0}}, {{0xffffffff}}},
		{{{0x1, 0x87ddaeb7537390e5, 0xe21b37ca00000001, 0x800000007fffffff}}, {{0x1}},
			{{0x1, 0x87ddaeb7537390e5, 0xe21b37ca00000001, 0x800000007fffffff}},
			{{0x0}}},
		{{{0x100000000, 0x9ccea09880000001, 0x800000009b2bd6c0, 0xffffffff73ccef03}},
			{{0x80000000b2fff17b, 0x7fffffffec3b9605}},
			{{0xe0e885d3f61f8867, 0xffffffff36ab85f0, 0x1}},
			{{0xdb07123592d77f83, 0x4d8c51a533d664a8}}},
		{{{0xfffffffefffffffe, 0x7fffffff80000001, 0x8000000000000001, 0x200000001}},
			{{0x280000000, 0x1ffffffff, 0x7fffffffffffffff}}, {{0x400000003}},
			{{0xfffffff77ffffffe, 0x7ffffffd7ffffffa, 0x3fffffffc}}},
		{{{0x7fffffff00000001, 0x8000000000000001}}, {{0xfffffffe00000002, 0x80000000}},
			{{0xfffffffe}}, {{0x7ffffff900000005, 0x5}}},
		{{{0xeb4ed2e3263cfa5e, 0x80000001ffffffff, 0x280000000, 0x1}},
			{{0x100000000, 0x7fffffff80000000, 0x80000000}}, {{0x200000003}},
			{{0xeb4ed2e0263cfa5e, 0x37ffffffd}}},
	};
	struct u256 q, rem;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		assert_true(u256_divmod(&q, &rem, &t[i].a, &t[i].b));
		if (!equal(&q, &t[i].q) || !equal(&rem, &t[i].rem))
			fail_msg("vector %zu", i);
		slow_divmod(&q, &rem, &t[i].a, &t[i].b);
		if (!equal(&q, &t[i].q) || !equal(&rem, &t[i].rem))
			fail_msg("vector %zu: the oracle is wrong", i);
	}
}

static void
test_division_property(void **state)
{
	struct u256 a, b, q, rem, q2, rem2, back;
	int i;

	(void)state;
	for (i = 0; i < 60000; i++) {
		a = random_number();
		b = random_number();
		if (u256_is_zero(&b)) {
			assert_false(u256_divmod(&q, &rem, &a, &b));
			continue;
		}
		assert_true(u256_divmod(&q, &rem, &a, &b));
		assert_true(u256_cmp(&rem, &b) < 0);
		assert_true(u256_mul(&back, &q, &b));
		assert_true(u256_add(&back, &back, &rem));
		assert_true(equal(&back, &a));
		slow_divmod(&q2, &rem2, &a, &b);
		assert_true(equal(&q, &q2) && equal(&rem, &rem2));
	}
}

static void
test_product_property(void **state)
{
	struct u256 a, b, r, want;
	bool fits;
	int i;

	(void)state;
	for (i = 0; i < 30000; i++) {
		a = random_number();
		b = random_number();
		fits = slow_mul(&want, &a, &b);
		assert_int_equal(u256_mul(&r, &a, &b), fits);
		if (fits)
			assert_true(equal(&r, &want));
	}
}

static void
test_sum_property(void **state)
{
	struct u256 a, b, r;
	int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		a = random_number();
		b = random_number();
		/* (a + b) - b = a also when both wrap */
		if (u256_add(&r, &a, &b)) {
			assert_true(u256_cmp(&r, &a) >= 0);
			assert_true(u256_sub(&r, &r, &b));
		} else {
			assert_true(u256_cmp(&r, &a) < 0);
			assert_false(u256_sub(&r, &r, &b));
		}
		assert_true(equal(&r, &a));
		assert_int_equal(u256_sub(&r, &a, &b), u256_cmp(&a, &b) >= 0);
	}
	r = u256_from64(1);
	assert_false(u256_add(&r, &most, &r));
	assert_true(u256_is_zero(&r));
}

static void
test_aliases(void **state)
{
	struct u256 a, b, x, q, rem;
	int i;

	(void)state;
	for (i = 0; i < 2000; i++) {
		a = random_number();
		b = random_number();
		b.w[0] |= 1;
		u256_divmod(&q, &rem, &a, &b);
		x = a;
		u256_divmod(&x, NULL, &x, &b);
		assert_true(equal(&x, &q));
		x = b;
		u256_divmod(NULL, &x, &a, &x);
		assert_true(equal(&x, &rem));
		u256_mul(&q, &a, &a);
		x = a;
		u256_mul(&x, &x, &x);
		assert_true(equal(&x, &q));
		x = a;
		u256_sub(&x, &x, &x);
		assert_true(u256_is_zero(&x));
		u256_add(&q, &a, &a);
		x = a;
		u256_add(&x, &x, &x);
		assert_true(equal(&x, &q));
	}
}

static void
test_bytes(void **state)
{
	uint8_t be[32];
	struct u256 a, b;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		a = random_number();
		u256_to_be(&a, be);
		u256_from_be(&b, be, 32);
		assert_true(equal(&a, &b));
	}
	u256_from_be(&a, (const uint8_t *)"\x01\x02\x03", 3);
	assert_true(u256_fits64(&a));
	assert_int_equal(a.w[0], 0x010203);
	u256_from_be(&a, (const uint8_t *)"", 0);
	assert_true(u256_is_zero(&a));
	assert_int_equal(u256_sat64(&most), UINT64_MAX);
	a = u256_from64(7);
	assert_int_equal(u256_sat64(&a), 7);
}

static void
test_decimal(void **state)
{
	struct u256 a, b, ten = u256_from64(10), d;
	char out[79], small[4];
	size_t i;
	int round;

	(void)state;
	assert_string_equal(u256_dec(out, sizeof(out), &most),
		"115792089237316195423570985008687907853269984665640564039457584007913129639935");
	a = u256_from64(0);
	assert_string_equal(u256_dec(out, sizeof(out), &a), "0");
	a = u256_from64(1000000000);
	assert_string_equal(u256_dec(out, sizeof(out), &a), "1000000000");
	assert_string_equal(u256_dec(small, sizeof(small), &a), "100");
	/* Read back digit by digit. */
	for (round = 0; round < 3000; round++) {
		a = random_number();
		u256_dec(out, sizeof(out), &a);
		assert_true(out[0] != '0' || out[1] == '\0');
		b = u256_from64(0);
		for (i = 0; out[i] != '\0'; i++) {
			d = u256_from64((uint64_t)(out[i] - '0'));
			assert_true(u256_mul(&b, &b, &ten));
			assert_true(u256_add(&b, &b, &d));
		}
		assert_true(equal(&a, &b));
	}
}

/* strtod of the exact decimal is correctly rounded: so must we be. */
static void
test_double(void **state)
{
	struct u256 a;
	char out[79];
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		a = random_number();
		u256_dec(out, sizeof(out), &a);
		assert_true(u256_double(&a) == strtod(out, NULL));
	}
	assert_true(u256_double(&most) == 0x1p256);
	/* Just above a tie by its very last bit, and exactly on it. */
	a = (struct u256){{1, 0, 0, UINT64_C(1) << 63 | 1 << 10}};
	assert_true(u256_double(&a) == 0x1.0000000000001p255);
	a.w[0] = 0;
	assert_true(u256_double(&a) == 0x1p255);
}

static void
test_unit(void **state)
{
	static const struct {
		uint64_t v;
		unsigned unit, digits;
		const char *want;
	} t[] = {
		{9481925155, 9, 3, "9.482"},
		{9481925155, 9, 9, "9.481925155"},
		{9481925155, 9, 12, "9.481925155000"},
		{9481925155, 9, 0, "9"},
		{9500000000, 9, 0, "10"},
		{9499999999, 9, 0, "9"},
		{999999999, 9, 3, "1.000"},
		{99999999999, 9, 3, "100.000"},
		{499999, 9, 3, "0.000"},
		{500000, 9, 3, "0.001"},
		{0, 9, 3, "0.000"},
		{0, 0, 0, "0"},
		{1, 18, 18, "0.000000000000000001"},
		{1, 18, 4, "0.0000"},
		{UINT64_C(1500000000000000000), 18, 4, "1.5000"},
		{12345, 0, 0, "12345"},
		{12345, 0, 2, "12345.00"},
		{5, 1, 0, "1"},
		{4, 1, 0, "0"},
		{9, 77, 3, "0.000"},
		{9, 1000, 0, "0"},
	};
	struct u256 a;
	char out[100], small[5];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		a = u256_from64(t[i].v);
		assert_ptr_equal(u256_unit(out, sizeof(out), &a, t[i].unit, t[i].digits), out);
		assert_string_equal(out, t[i].want);
	}
	assert_string_equal(u256_unit(out, sizeof(out), &most, 18, 4),
		"115792089237316195423570985008687907853269984665640564039457.5840");
	assert_string_equal(u256_unit(out, sizeof(out), &most, 77, 1), "1.2");
	assert_string_equal(u256_unit(out, sizeof(out), &most, 0, 20),
		"115792089237316195423570985008687907853269984665640564039457584007913129639935"
		".00000000000000000000");
	assert_string_equal(u256_unit(small, sizeof(small), &most, 18, 4), "1157");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_division_vectors),
		cmocka_unit_test(test_division_property),
		cmocka_unit_test(test_product_property),
		cmocka_unit_test(test_sum_property),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_decimal),
		cmocka_unit_test(test_double),
		cmocka_unit_test(test_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
