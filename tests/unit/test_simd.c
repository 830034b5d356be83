/*
 * Every variant of base/simd that runs here, against the plainest possible reading of its contract. Texts stand between two
 * pages that cannot be read, at either edge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/simd.h"

/* Two readable pages between two that are not. */
static char *room;
static size_t room_n;

static int setup(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (p == MAP_FAILED || mprotect(p + page, 2 * page, PROT_READ | PROT_WRITE) != 0)
		return -1;
	room = p + page;
	room_n = 2 * page;
	return 0;
}

static int digit(unsigned char c)
{
	const char *all = "0123456789abcdefABCDEF", *p = c ? strchr(all, c) : NULL;

	return !p ? -1 : p - all < 16 ? (int)(p - all) : (int)(p - all) - 6;
}

static size_t plain_run(const char *s, size_t n, uint8_t *out)
{
	size_t i = 0;

	for (; i < n && digit((unsigned char)s[i]) >= 0; i++)
		if (i % 2)
			out[i / 2] = (uint8_t)(digit((unsigned char)s[i - 1]) << 4 |
				digit((unsigned char)s[i]));
	return i;
}

/* Characters of a strict quantity with its quotes, 0 if there is none of at most `most` digits. */
static size_t plain_quantity(const char *s, size_t n, size_t most, struct u256 *v)
{
	size_t i = 3;

	*v = u256_from64(0);
	if (n < 5 || memcmp(s, "\"0x", 3) != 0 || (s[3] == '0' && s[4] != '"'))
		return 0;
	for (; i < n && s[i] != '"'; i++) {
		int d = digit((unsigned char)s[i]);

		if (d < 0 || (s[i] >= 'A' && s[i] <= 'F') || i - 3 == most)
			return 0;
		for (int k = 3; k > 0; k--)
			v->w[k] = v->w[k] << 4 | v->w[k - 1] >> 60;
		v->w[0] = v->w[0] << 4 | (uint64_t)d;
	}
	return i < n && i > 3 ? i + 1 : 0;
}

static size_t plain_string(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] != '"' && s[i] != '\\' && (unsigned char)s[i] >= 0x20)
		i++;
	return i;
}

enum { MARK = 0x5a, OUT_MAX = 1024 };

/* Nothing at or behind out[n] was written. */
static void untouched(const uint8_t *out, size_t n, const char *what)
{
	for (size_t i = n; i < OUT_MAX; i++)
		if (out[i] != MARK)
			fail_msg("%s wrote byte %zu of %zu", what, i, n);
}

static void check_digits(const struct simd *v, const char *s, size_t n)
{
	uint8_t want[OUT_MAX], out[OUT_MAX];
	bool all = plain_run(s, n, want) >= n / 2 * 2;

	memset(out, MARK, sizeof(out));
	if (v->hex_digits(s, out, n / 2) != all)
		fail_msg("%s digits: %.*s", v->name, (int)n, s);
	untouched(out, n / 2, v->name);
	if (all)
		assert_memory_equal(out, want, n / 2);
}

static void check_run(const struct simd *v, const char *s, size_t n)
{
	uint8_t want[OUT_MAX], out[OUT_MAX];
	size_t run = plain_run(s, n, want), most = run / 2 + 32;

	memset(out, MARK, sizeof(out));
	if (v->hex_run(s, s + n, out) != run)
		fail_msg("%s run: %.*s", v->name, (int)n, s);
	untouched(out, most < n / 2 ? most : n / 2, v->name);
	assert_memory_equal(out, want, run / 2);
}

static void check_quantity(const struct simd *v, const char *start, const char *s, size_t n)
{
	struct u256 want, wide = {{1, 2, 3, 4}};
	size_t used = plain_quantity(s, n, 16, &want);
	uint64_t narrow = 77;

	if (v->quantity_u64(s, s + n, &narrow) != (used ? s + used : NULL) ||
		narrow != (used ? want.w[0] : 77))
		fail_msg("%s u64: %.*s", v->name, (int)n, s);
	used = plain_quantity(s, n, 64, &want);
	if (!used)
		want = (struct u256){{1, 2, 3, 4}};
	if (v->quantity_u256(start, s, s + n, &wide) != (used ? s + used : NULL) ||
		u256_cmp(&wide, &want) != 0)
		fail_msg("%s u256: %.*s", v->name, (int)n, s);
}

static void check_string(const struct simd *v, const char *s, size_t n)
{
	const char *p = v->string_end(s, s + n);

	if (p != s + plain_string(s, n))
		fail_msg("%s string: %zu, not %zu: %.*s", v->name, (size_t)(p - s),
			plain_string(s, n), (int)n, s);
}

/* A text of n characters at both edges of the room, and away from them: `before` characters stand in front of it. */
static void check(const char *text, size_t n, size_t before)
{
	char *at[] = {room, room + room_n - n - before, room + 100};

	for (size_t e = 0; e < 3; e++) {
		char *s = at[e] + before;

		memset(room, e == 2 ? 'a' : '"', room_n);
		memcpy(s, text, n);
		for (size_t i = 0; simd_all[i]; i++) {
			const struct simd *v = simd_all[i];

			if (!simd_runs(v))
				continue;
			check_digits(v, s, n);
			check_run(v, s, n);
			check_string(v, s, n);
			check_quantity(v, at[e], s, n);
		}
	}
}

/* Every length around the steps of the loops, one character of every kind at every place. */
static void test_every_place(void **state)
{
	static const char odd[] = "\"\\/:g`G@ \x1f\x7f\x80\xb0\xff{}0fFaA9";
	char text[200];

	(void)state;
	for (size_t n = 0; n <= 140; n += n < 70 ? 1 : 7)
		for (size_t at = 0; at <= n; at++) {
			for (size_t i = 0; i < n; i++)
				text[i] = "0123456789abcdefABCDEF"[(i * 5 + n) % 22];
			if (at < n)
				text[at] = odd[(at + n) % (sizeof(odd) - 1)];
			check(text, n, 0);
		}
}

/* Every byte at every place of digits of a few lengths. */
static void test_every_byte(void **state)
{
	static const size_t lengths[] = {16, 40, 64, 130};
	char text[200];

	(void)state;
	for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++)
		for (size_t at = 0; at < lengths[k]; at += k == 3 ? 3 : 1)
			for (int c = 0; c < 256; c++) {
				memset(text, '1', lengths[k]);
				text[at] = (char)c;
				check(text, lengths[k], 0);
			}
}

/* Quantities of every length, with the same before and behind as in a transaction, cut off at every place behind it. */
static void test_quantities(void **state)
{
	static const char behind[] = "\",\"value\":\"0x16345785d8a0000\",\"gas\":\"0x5208\",\"x\":[]}";
	char text[300];

	(void)state;
	for (size_t digits = 0; digits <= 70; digits++)
		for (size_t shape = 0; shape < 6; shape++) {
			size_t n = 3 + digits;

			memcpy(text, "\"0x", 3);
			for (size_t i = 0; i < digits; i++)
				text[3 + i] = "123456789abcdef0"[(i * 7 + digits) % 16];
			if (digits && shape == 1)
				text[3] = '0';
			if (digits && shape == 2)
				text[2 + digits] = 'g';
			if (digits && shape == 3)
				text[3 + digits / 2] = 'A';
			if (shape == 4)
				text[1] = ' ';
			if (digits && shape == 5)
				text[3 + digits / 2] = '\\';
			memcpy(text + n, behind, sizeof(behind));
			for (size_t more = 0; more < sizeof(behind); more++)
				check(text, n + more, more * 2);
			memset(text + n + 1, '7', 100);
			for (size_t before = 56; before <= 64; before++)
				check(text, n + 101, before);
		}
}

/* One digit of 64 differs: it has its place in the number. */
static void test_places(void **state)
{
	char text[] = "\"0x1111111111111111111111111111111111111111111111111111111111111111\"";

	(void)state;
	for (size_t at = 3; at < 67; at++)
		for (int c = 0; c < 256; c++) {
			char was = text[at];

			text[at] = (char)c;
			check(text, 68, 61);
			text[at] = was;
		}
}

static void test_use(void **state)
{
	const char *forced = getenv("CHAINTOP_SIMD");
	const struct simd *before = simd();
	struct err e;

	(void)state;
	/* What the environment asks for is what the other tests of this run got. */
	if (forced && forced[0])
		assert_string_equal(simd()->name, forced);
	assert_ptr_equal(simd_all[0], &simd_scalar);
	for (size_t i = 0; simd_all[i]; i++) {
		enum status st = simd_use(simd_all[i]->name, &e);

		assert_int_equal(st, simd_runs(simd_all[i]) ? ST_OK : ST_USAGE);
		if (st == ST_OK)
			assert_ptr_equal(simd(), simd_all[i]);
	}
	assert_int_equal(simd_use(NULL, &e), ST_OK);
	assert_true(simd_runs(simd()));
	assert_int_equal(simd_use("avx9", &e), ST_USAGE);
	assert_non_null(strstr(e.text, "avx9"));
	assert_non_null(strstr(e.cure, "scalar"));
	assert_int_equal(simd_use(before->name, &e), ST_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_use),
		cmocka_unit_test(test_every_place),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_quantities),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
