/* The writers of out/append: every length, every edge, nothing behind what they promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "out/append.h"

/* Memory of exactly what a writer may touch, so that the sanitizer sees one byte more. */
static char *room(size_t n)
{
	char *p = malloc(n + APPEND_SLACK);

	assert_non_null(p);
	memset(p, '#', n + APPEND_SLACK);
	return p;
}

static void is(char *from, const char *end, const char *want)
{
	size_t n = (size_t)(end - from);

	if (n != strlen(want) || memcmp(from, want, n) != 0)
		fail_msg("%.*s instead of %s", (int)n, from, want);
	free(from);
}

static void test_hex(void **state)
{
	enum { MAX = 80 };
	uint8_t bytes[MAX];
	char want[2 * MAX + 1];

	(void)state;
	for (size_t n = 0; n <= MAX; n++) {
		uint8_t *exact = malloc(n ? n : 1);
		char *p = room(2 * n);

		assert_non_null(exact);
		for (size_t i = 0; i < n; i++) {
			bytes[i] = (uint8_t)(i * 151 + n * 29);
			snprintf(want + 2 * i, 3, "%02x", bytes[i]);
		}
		want[2 * n] = 0;
		memcpy(exact, bytes, n);
		is(p, append_hex(p, exact, n), want);
		free(exact);
	}
	for (unsigned v = 0; v < 256; v++) {
		uint8_t all[16];
		char *p = room(32);

		memset(all, (int)v, sizeof(all));
		for (int i = 0; i < 16; i++)
			snprintf(want + 2 * i, 3, "%02x", v);
		is(p, append_hex(p, all, 16), want);
	}
}

/* 0, 1, each power of two and ten and their neighbours. */
static unsigned edges(uint64_t *out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 64; i++)
		for (int d = -1; d <= 1; d++)
			out[n++] = (UINT64_C(1) << i) + (uint64_t)(int64_t)d;
	for (uint64_t t = 1; t <= UINT64_MAX / 10; t *= 10)
		for (int d = -1; d <= 1; d++)
			out[n++] = t * 10 + (uint64_t)(int64_t)d;
	out[n++] = UINT64_MAX;
	return n;
}

static void test_numbers(void **state)
{
	uint64_t v[300];
	unsigned n = edges(v);
	char want[100];

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		char *p = room(APPEND_DEC64), *q = room(18);

		snprintf(want, sizeof(want), "%" PRIu64, v[i]);
		is(p, append_dec(p, v[i]), want);
		snprintf(want, sizeof(want), "0x%" PRIx64, v[i]);
		is(q, append_quantity(q, v[i]), want);
	}
}

static void test_wide_numbers(void **state)
{
	static const char *const words[] = {
		"0", "1", "18446744073709551615", "18446744073709551616", "340282366920938463463374607431768211455",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935"};
	static const struct u256 v[] = {
		{{0}}, {{1}}, {{UINT64_MAX}}, {{0, 1}}, {{UINT64_MAX, UINT64_MAX}},
		{{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}}};
	static const char *const hex[] = {"0x0", "0x1", "0xffffffffffffffff", "0x10000000000000000",
		"0xffffffffffffffffffffffffffffffff",
		"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char *p = room(APPEND_DEC256), *q = room(66);

		is(p, append_dec256(p, &v[i]), words[i]);
		is(q, append_quantity256(q, &v[i]), hex[i]);
	}
}

static void test_json_text(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"{\"a\":1}", "{\"a\":1}"},
		{"{\n\t\"a\":\r1}", "{  \"a\": 1}"},
		{"\"\\u001b[2J\"", "\"\\u001b[2J\""},
		{"\"\x7f\"", "\"\\u007f\""},
		{"\"\xc3\xa4\"", "\"\\u00e4\""},
		{"\"\xc2\x9b\"", "\"\\u009b\""}, /* CSI in one character */
		{"\"\xe2\x82\xac\"", "\"\\u20ac\""},
		{"\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\""},
		{"\"\xff\xc3\"", "\"\\ufffd\\ufffd\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = strlen(cases[i].in);
		char *p = room(6 * n), *end = append_json(p, cases[i].in, n);
		cJSON *a = cJSON_ParseWithLength(cases[i].in, n), *b = cJSON_ParseWithLength(p, (size_t)(end - p));

		assert_true((size_t)(end - p) <= 6 * n);
		assert_non_null(b);
		if (i != 8) /* what is no UTF-8 cannot mean the same */
			assert_true(cJSON_Compare(a, b, true));
		cJSON_Delete(a);
		cJSON_Delete(b);
		is(p, end, cases[i].out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hex),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_wide_numbers),
		cmocka_unit_test(test_json_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
