/* out/json_text and eth/fields: what a node said, written anew. The oracle for its meaning is cJSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "out/json_text.h"

static struct err err;

/* What is written; the caller frees. *st: how it ended. */
static char *write_n(const char *text, size_t n, const struct json_text_opts *o, enum status *st)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	err = (struct err){ .code = ST_OK };
	*st = json_write(f, text, n, o, &err);
	fclose(f);
	return out;
}

static void is(const char *text, const struct json_text_opts *o, const char *want)
{
	enum status st;
	char *out = write_n(text, strlen(text), o, &st);

	assert_int_equal(st, ST_OK);
	assert_string_equal(out, want);
	free(out);
}

static void indented(void **state)
{
	const struct json_text_opts o = { .line = false };

	(void)state;
	is("{\"a\":1,\"b\":[],\"c\":{},\"d\":[1,{\"e\":null}]}", &o,
	   "{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": {},\n  \"d\": [\n    1,\n    {\n      \"e\": null\n    }\n  ]\n}\n");
	is(" \t\n[ ]\r\n", &o, "[]\n");
	is("\"x\"", &o, "\"x\"\n");
	/* Numbers as they stand: a double would spoil them. */
	is("[123456789012345678901234567890,1.10,-0,1e400]", &o,
	   "[\n  123456789012345678901234567890,\n  1.10,\n  -0,\n  1e400\n]\n");
}

static void in_one_line(void **state)
{
	const struct json_text_opts o = { .line = true };

	(void)state;
	is("{ \"a\" : [ 1 , { \"b\" : true } ] }", &o, "{\"a\":[1,{\"b\":true}]}\n");
}

/* Nothing in it reaches the terminal, and to a reader of JSON it means the same. */
static void harmless(void **state)
{
	static const char text[] = "{\"a\xc2\x9b\x31m\":\"\xe2\x80\xae\xf0\x9f\x98\x80 \xff\x7f \\u001b[31m \\\" \\\\\"}";
	const struct json_text_opts o = { .line = true };
	enum status st;
	char *out = write_n(text, sizeof(text) - 1, &o, &st);
	cJSON *is;

	(void)state;
	assert_int_equal(st, ST_OK);
	for (const char *p = out; p[1]; p++)
		assert_true(*p >= 0x20 && *p < 0x7f);
	is = cJSON_Parse(out);
	assert_non_null(is);
	assert_string_equal(is->child->string, "a\xc2\x9b\x31m");
	assert_string_equal(is->child->valuestring, "\xe2\x80\xae\xf0\x9f\x98\x80 \xef\xbf\xbd\x7f \x1b[31m \" \\");
	cJSON_Delete(is);
	free(out);
}

/* Longer than what is written at once, with characters on every border. */
static void long_strings(void **state)
{
	enum { N = 20000 };
	const struct json_text_opts o = { .line = true };
	char *text = malloc(3 * N + 8), *p = text, *out;
	enum status st;
	cJSON *a, *b;

	(void)state;
	*p++ = '"';
	for (unsigned i = 0; i < N; i++) {
		memcpy(p, "\xe2\x82\xac", 3);
		p += 3;
		if (i % 7 == 0)
			*p++ = 'x', i++;
	}
	*p++ = '"';
	*p = '\0';
	out = write_n(text, (size_t)(p - text), &o, &st);
	assert_int_equal(st, ST_OK);
	a = cJSON_Parse(text);
	b = cJSON_Parse(out);
	assert_true(cJSON_Compare(a, b, true));
	cJSON_Delete(a);
	cJSON_Delete(b);
	free(out);
	free(text);
}

static void deep(void **state)
{
	enum { N = 2 * JSON_TEXT_DEPTH };
	const struct json_text_opts o = { .line = true }, lines = { .line = false };
	char *text = malloc(2 * N + 1), *out;
	enum status st;

	(void)state;
	/* A trace nests 1,024 calls. */
	memset(text, '[', 4000);
	memset(text + 4000, ']', 4000);
	out = write_n(text, 8000, &o, &st);
	assert_int_equal(st, ST_OK);
	assert_int_equal(strlen(out), 8001);
	free(out);
	/* Its lines are indented, but each depth does not make all of them longer: a short answer is no flood of blanks. */
	out = write_n(text, 8000, &lines, &st);
	assert_int_equal(st, ST_OK);
	assert_true(strlen(out) < 8000 * 150);
	free(out);
	memset(text, '[', N);
	out = write_n(text, N, &o, &st);
	assert_int_equal(st, ST_TOO_BIG);
	free(out);
	free(text);
}

static void no_json(void **state)
{
	static const char *const bad[] = {
		"", " ", "{", "}", "[", "]", "{]", "[}", "[1}", "{\"a\":1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "[1,]", "[,1]",
		"{,}", "1 2", "\"a", "\"a\\\"", "\"a\nb\"", "[1 2]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[]]", "{}{}", ":", ",", "[:]", "<html>",
		"[\"a\" \"b\"]", "{\"a\":[}",
	};
	const struct json_text_opts o = { .line = false };

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		enum status st;

		free(write_n(bad[i], strlen(bad[i]), &o, &st));
		if (st != ST_MALFORMED || !err.text[0])
			fail_msg("taken: %s", bad[i]);
	}
}

/* Values by hand: 0x184f2ef is 25490159; 1770000000 s is 2026-02-02 02:40:00 UTC (date -u -d @1770000000). */
static void notes(void **state)
{
	const struct json_text_opts o = { .notes = true };

	(void)state;
	is("{\"number\":\"0x184f2ef\",\"baseFeePerGas\":\"0x80aed38\",\"hash\":\"0x12\",\"timestamp\":\"0x69800e80\"}", &o,
	   "{\n  \"number\": \"0x184f2ef\",  # 25,490,159\n  \"baseFeePerGas\": \"0x80aed38\",  # 0.134933816 gwei\n"
	   "  \"hash\": \"0x12\",\n  \"timestamp\": \"0x69800e80\"  # 2026-02-02 02:40:00 UTC\n}\n");
	is("{\"value\":\"0xde0b6b3a7640000\",\"chainId\":\"0x1\",\"gasPrice\":\"0x3e7\"}", &o,
	   "{\n  \"value\": \"0xde0b6b3a7640000\",  # 1 ether\n  \"chainId\": \"0x1\",  # 1  Ethereum\n"
	   "  \"gasPrice\": \"0x3e7\"  # 999 wei\n}\n");
	/* What a list is called its items are called; objects within start over. */
	is("{\"reward\":[[\"0x3b9aca00\"]],\"withdrawals\":[{\"amount\":\"0x1dcd6500\",\"x\":\"0x1\"}]}", &o,
	   "{\n  \"reward\": [\n    [\n      \"0x3b9aca00\"  # 1 gwei\n    ]\n  ],\n  \"withdrawals\": [\n    {\n"
	   "      \"amount\": \"0x1dcd6500\",  # 0.5 ether\n      \"x\": \"0x1\"\n    }\n  ]\n}\n");
	/* What is no number is left alone; so is what cannot be. */
	is("{\"gas\":\"latest\",\"nonce\":7,\"timestamp\":\"0xffffffffffffffffffff\",\"gasUsed\":null}", &o,
	   "{\n  \"gas\": \"latest\",\n  \"nonce\": 7,\n  \"timestamp\": \"0xffffffffffffffffffff\",\n  \"gasUsed\": null\n}\n");
	/* More than 64 bits. */
	is("{\"totalDifficulty\":\"0xc70d815d562d3cfa955\"}", &o,
	   "{\n  \"totalDifficulty\": \"0xc70d815d562d3cfa955\"  # 58750003716598352816469\n}\n");
}

static void notes_of_a_result(void **state)
{
	struct json_text_opts o = { .notes = true, .top = field_result_unit("eth_blockNumber") };

	(void)state;
	is("\"0x10\"", &o, "\"0x10\"  # 16\n");
	o.top = field_result_unit("eth_getBalance");
	is("\"0x21e19e0c9bab2400000\"", &o, "\"0x21e19e0c9bab2400000\"  # 10000 ether\n");
	is("\"0x5\"", &o, "\"0x5\"  # 5 wei\n");
	o.top = field_result_unit("eth_getStorageAt");
	is("\"0x10\"", &o, "\"0x10\"\n");
	assert_int_equal(field_unit("gasLimit", 8), FIELD_NUMBER);
	assert_int_equal(field_unit("gasLimits", 9), FIELD_NONE);
	assert_int_equal(field_unit("gasLimit", 7), FIELD_NONE);
	assert_int_equal(field_unit("", 0), FIELD_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indented),
		cmocka_unit_test(in_one_line),
		cmocka_unit_test(harmless),
		cmocka_unit_test(long_strings),
		cmocka_unit_test(deep),
		cmocka_unit_test(no_json),
		cmocka_unit_test(notes),
		cmocka_unit_test(notes_of_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
