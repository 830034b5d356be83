/* Unit tests of eth/json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "eth/json.h"

/* Text in memory of exactly its size, so that a read past the end is seen by the sanitizer. */
static char *exact(const char *s, size_t n)
{
	char *p = malloc(n ? n : 1);

	assert_non_null(p);
	memcpy(p, s, n);
	return p;
}

static bool valid(const char *s, size_t n)
{
	char *text = exact(s, n);
	struct json_str all;
	struct json j;
	bool ok;

	json_init(&j, text, n);
	ok = json_skip(&j, &all) && json_end(&j);
	assert_int_equal(ok, json_ok(&j));
	free(text);
	return ok;
}

static bool key_try(struct json *j, const char *quoted)
{
	char padded[JSON_KEY_MAX] = "";

	memcpy(padded, quoted, strlen(quoted));
	return json_key_try(j, padded, strlen(quoted));
}

static void test_grammar(void **state)
{
	static const char *const good[] = {
		"null",
		"true",
		"false",
		"0",
		"-0",
		"1",
		"-12",
		"1.5",
		"0.0",
		"1e9",
		"1E+9",
		"1.25e-3",
		"\"\"",
		"\"a\"",
		"[]",
		"{}",
		"[ ]",
		"{ }",
		" [1] ",
		"[1,2]",
		"[ 1 , 2 ]",
		"{\"a\":1}",
		"{ \"a\" : 1 , \"b\" : [ ] }",
		"[[],{}]",
		"[{\"a\":[{}]}]",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
		"\"\\ud83d\\ude00\"",
		"\"\xc3\xa9 !\"",
		"\t\r\n 1 \t\r\n",
		"{\"\":null}",
		"{\"a\":1,\"a\":2}",
		"[\"a\",\"b\",null,true,false]",
		"\"0123456 89abcdef!123456789abcdef01234567 9abcdef\"",
	};
	static const char *const bad[] = {
		"",
		" ",
		"nul",
		"nulll",
		"True",
		"tru",
		"-",
		"01",
		"-01",
		"1.",
		".5",
		"1e",
		"1e+",
		"+1",
		"0x1",
		"1 2",
		"\"",
		"\"a",
		"\"\\\"",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u12g4\"",
		"\"\n\"",
		"\"\x01\"",
		"'a'",
		"[",
		"]",
		"[1",
		"[1,",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[1}",
		"{",
		"}",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{\"a\":1,",
		"{\"a\":1,}",
		"{,}",
		"{a:1}",
		"{\"a\" 1}",
		"{\"a\":1]",
		"{1:2}",
		"{\"a\":}",
		"[1],",
		"{}}",
		"[]]",
		"\xef\xbb\xbf[]",
		"NaN",
		"[\"a]",
		"{\"a\":1 \"b\":2}",
		"[null,nul]",
		"\"a\tb\"",
		"\"01234567890123456789012345678901234567\n\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!valid(good[i], strlen(good[i])))
			fail_msg("refused: %s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (valid(bad[i], strlen(bad[i])))
			fail_msg("accepted: %s", bad[i]);
	assert_false(valid("\"a\0b\"", 5));
	assert_false(valid("1\0", 2));
}

/* Strings are scanned many bytes at once: every byte, at every place, at every length. */
static void test_scan(void **state)
{
	char s[100];

	(void)state;
	for (size_t n = 0; n < 80; n++)
		for (size_t at = 0; at < n; at++)
			for (int c = 0; c < 256; c++) {
				struct json_str out;
				struct json j;
				char *text;
				bool ok;

				if (n > 20 && c > 0x30 && c != '\\' && c < 0xfe)
					continue;
				memset(s, 'a', n + 2);
				s[0] = s[n + 1] = '"';
				s[1 + at] = (char)c;
				text = exact(s, n + 2);
				json_init(&j, text, n + 2);
				ok = json_string(&j, &out);
				if (c == '"') {
					assert_true(ok);
					assert_int_equal(out.n, at);
				} else if (c < 0x20 || c == '\\') {
					assert_false(ok); /* \a and \" here are no end */
					assert_int_equal(j.error_at - j.start,
						(at + 1 == n && c == '\\') ? n + 2 : at + 1);
				} else {
					assert_true(ok);
					assert_int_equal(out.n, n);
				}
				free(text);
			}
}

static void test_pull(void **state)
{
	static const char text[] = " { \"a\" : [ 1 , \"x\\n\" , true, null ] "
				   ",\"b\":{},\"c\":[],\"d\":-1.5e3,\"e\":{\"f\":[[2]]}} ";
	struct json_str key, s;
	struct json j;
	bool yes;

	(void)state;
	json_init(&j, text, sizeof(text) - 1);
	assert_int_equal(json_peek(&j), JSON_OBJECT);
	assert_true(json_object(&j));
	assert_true(json_key(&j, &key));
	assert_true(JSON_IS(&key, "a"));
	assert_int_equal(json_peek(&j), JSON_ARRAY);
	assert_true(json_array(&j));
	assert_true(json_next(&j));
	assert_int_equal(json_peek(&j), JSON_NUMBER);
	assert_false(json_null(&j));
	assert_true(json_ok(&j));
	assert_true(json_number(&j, &s));
	assert_true(JSON_IS(&s, "1"));
	assert_true(json_next(&j));
	assert_true(json_string(&j, &s));
	assert_true(s.escaped);
	assert_true(JSON_IS(&s, "x\\n"));
	assert_true(json_next(&j));
	assert_int_equal(json_peek(&j), JSON_TRUE);
	assert_true(json_bool(&j, &yes));
	assert_true(yes);
	assert_true(json_next(&j));
	assert_int_equal(json_peek(&j), JSON_NULL);
	assert_true(json_null(&j));
	assert_int_equal(json_peek(&j), JSON_NONE);
	assert_false(json_next(&j));
	assert_true(json_key(&j, &key));
	assert_true(JSON_IS(&key, "b"));
	assert_true(json_object(&j));
	assert_false(json_key(&j, &key));
	assert_true(key_try(&j, "\"c\":"));
	assert_true(json_array(&j));
	assert_false(json_next(&j));
	assert_false(key_try(&j, "\"x\":"));
	assert_true(key_try(&j, "\"d\":"));
	assert_true(json_number(&j, &s));
	assert_true(JSON_IS(&s, "-1.5e3"));
	assert_true(json_key(&j, &key));
	assert_true(JSON_IS(&key, "e"));
	assert_true(json_skip(&j, &s));
	assert_true(JSON_IS(&s, "{\"f\":[[2]]}"));
	assert_false(json_key(&j, &key));
	assert_true(json_ok(&j));
	assert_true(json_end(&j));
}

static void test_key_try_first(void **state)
{
	struct json_str key;
	struct json j;

	(void)state;
	json_init(&j, "{\"a\":1,\"b\":2}", 13);
	assert_true(json_object(&j));
	assert_true(key_try(&j, "\"a\":"));
	assert_true(json_skip(&j, NULL));
	assert_true(key_try(&j, "\"b\":"));
	assert_true(json_skip(&j, NULL));
	assert_false(key_try(&j, "\"c\":"));
	assert_false(json_key(&j, &key));
	assert_true(json_end(&j));
	/* A key where the comma is missing is no key. */
	json_init(&j, "{\"a\":1\"b\":2}", 12);
	assert_true(json_object(&j));
	assert_true(key_try(&j, "\"a\":"));
	assert_true(json_skip(&j, NULL));
	assert_false(key_try(&j, "\"b\":"));
	assert_false(json_key(&j, &key));
	assert_false(json_ok(&j));
}

static void test_string_of(void **state)
{
	struct json j;

	(void)state;
	json_init(&j, "\"0x12\"", 6);
	assert_null(json_string_of(&j, 3));
	assert_null(json_string_of(&j, 5));
	assert_ptr_equal(json_string_of(&j, 4), j.start + 1);
	assert_true(json_end(&j));
}

static void test_sticky(void **state)
{
	struct json_str s;
	struct json j;
	struct err e;
	bool yes;

	(void)state;
	json_init(&j, "{\"a\":12}", 8);
	assert_true(json_object(&j));
	assert_true(json_key(&j, &s));
	assert_false(json_string(&j, &s));
	assert_false(json_ok(&j));
	assert_false(json_number(&j, &s));
	assert_false(json_bool(&j, &yes));
	assert_false(json_null(&j));
	assert_false(json_skip(&j, NULL));
	assert_false(json_array(&j));
	assert_false(json_next(&j));
	assert_false(json_key(&j, &s));
	assert_int_equal(json_peek(&j), JSON_NONE);
	assert_false(json_end(&j));
	assert_int_equal(json_error(&j, &e), ST_MALFORMED);
	assert_string_equal(e.text, "expected a string at byte 5");
}

static void test_end(void **state)
{
	struct json j;

	(void)state;
	json_init(&j, "1 x", 3);
	assert_true(json_skip(&j, NULL));
	assert_false(json_end(&j));
	json_init(&j, "[1", 2);
	assert_true(json_array(&j));
	assert_true(json_next(&j));
	assert_true(json_skip(&j, NULL));
	assert_false(json_end(&j)); /* still inside */
}

static void test_depth(void **state)
{
	char text[2 * (JSON_DEPTH + 1)];
	struct json j;

	(void)state;
	for (size_t n = JSON_DEPTH; n <= JSON_DEPTH + 1; n++) {
		memset(text, '[', n);
		memset(text + n, ']', n);
		assert_int_equal(valid(text, 2 * n), n <= JSON_DEPTH);
		json_init(&j, text, 2 * n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(
				json_array(&j) && (i + 1 == n || json_next(&j)), i < JSON_DEPTH);
		/* Entered and skipped levels count together. */
		json_init(&j, text, 2 * n);
		assert_true(json_array(&j));
		assert_true(json_next(&j));
		assert_int_equal(json_skip(&j, NULL), n <= JSON_DEPTH);
	}
}

static void test_truncated(void **state)
{
	static const char text[] = "{\"a\":[1.5e3,\"x\\u00e9\\n\",true,false,null],\"b\":{\"c\":"
				   "\"0123456789012345\"}}";

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++)
		assert_false(valid(text, n));
	assert_true(valid(text, sizeof(text) - 1));
}

static void text_is(const char *in, const char *want, size_t size)
{
	struct json_str s = {.p = in, .n = strlen(in)};
	char out[64];

	memset(out, '#', sizeof(out));
	assert_int_equal(json_text(out, size, &s), strlen(want));
	assert_string_equal(out, want);
}

static void test_text(void **state)
{
	(void)state;
	text_is("", "", 64);
	text_is("plain", "plain", 64);
	text_is("a\\\"b\\\\c\\/d", "a\"b\\c/d", 64);
	text_is("\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac", 64);
	text_is("\\ud83d\\ude00", "\xf0\x9f\x98\x80", 64);
	text_is("\\n\\u001b[31m\\u009b", "??[31m?", 64); /* nothing that a terminal would obey */
	text_is("\\u202e\\u2066", "??", 64);
	text_is("\xff\xc3", "??", 64);
	text_is("toolong", "too", 4);
	text_is("ab\\u00e9", "ab", 4); /* never half a character */
	text_is("ab\\u00e9", "ab\xc3\xa9", 5);
	text_is("x", "", 1);
	for (size_t i = 0; i < 2;
		i++) { /* half a surrogate pair, alone and before something else */
		static const char *const lone[] = {"\\ud83d", "\\ude00\\u0041"};
		struct json_str s = {.p = lone[i], .n = strlen(lone[i])};
		char out[16];

		assert_true(json_text(out, sizeof(out), &s) > 0);
		assert_null(strchr(out, 0x1b));
	}
}

static void u64_is(const char *in, bool good, uint64_t want)
{
	struct json_str s = {.p = in, .n = strlen(in)};
	uint64_t v = 0;

	if (json_str_u64(&s, &v) != good)
		fail_msg("%s", in);
	if (good)
		assert_true(v == want);
}

static void test_u64(void **state)
{
	(void)state;
	u64_is("0", true, 0);
	u64_is("7", true, 7);
	u64_is("7.0", true, 7);
	u64_is("0x1F", true, 31);
	u64_is("0X1f", true, 31);
	u64_is("18446744073709551615", true, UINT64_MAX);
	u64_is("0xffffffffffffffff", true, UINT64_MAX);
	u64_is("18446744073709551616", false, 0);
	u64_is("0x10000000000000000", false, 0);
	u64_is("", false, 0);
	u64_is("0x", false, 0);
	u64_is("-1", false, 0);
	u64_is("1.5", false, 0);
	u64_is("1.", false, 0);
	u64_is(".0", false, 0);
	u64_is("1e3", false, 0);
	u64_is("1f", false, 0);
	u64_is("abc", false, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_pull),
		cmocka_unit_test(test_key_try_first),
		cmocka_unit_test(test_string_of),
		cmocka_unit_test(test_sticky),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_u64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
