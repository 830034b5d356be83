/* Unit tests of eth/rpc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eth/rpc.h"

enum { MAX_SEEN = 8 };

struct seen {
	struct rpc_msg m[MAX_SEEN];
	size_t n;
};

static void see(void *ctx, const struct rpc_msg *m)
{
	struct seen *s = ctx;

	assert_true(s->n < MAX_SEEN);
	s->m[s->n++] = *m;
}

static enum status each(const char *text, struct seen *s)
{
	struct err e;

	s->n = 0;
	return rpc_each(text, strlen(text), see, s, &e);
}

static struct rpc_msg one(const char *text)
{
	struct seen s;

	if (each(text, &s) != ST_OK || s.n != 1)
		fail_msg("%s: %zu messages", text, s.n);
	return s.m[0];
}

static void is_str(const struct json_str *s, const char *want)
{
	if (s->n != strlen(want) || memcmp(s->p, want, s->n) != 0)
		fail_msg("%.*s instead of %s", (int)s->n, s->p ? s->p : "", want);
}

static void test_reply(void **state)
{
	struct rpc_msg m = one("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":[1,2]}}");

	(void)state;
	assert_int_equal(m.kind, RPC_REPLY);
	assert_true(m.has_id);
	assert_int_equal(m.id, 7);
	assert_false(m.is_error);
	is_str(&m.result, "{\"a\":[1,2]}");
	m = one(" {\"result\" : null , \"id\" : \"0x8\" }\n");
	assert_int_equal(m.kind, RPC_REPLY);
	assert_int_equal(m.id, 8);
	is_str(&m.result, "null");
	m = one("{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no \\u0041 "
		"\\u001b[1m\",\"data\":{\"x\":1}}}");
	assert_int_equal(m.kind, RPC_REPLY);
	assert_true(m.is_error);
	assert_true(m.code == -32601);
	assert_string_equal(m.error_text, "no A ?[1m");
	assert_string_equal(m.error_data, "{\"x\":1}");
	assert_int_equal(m.result.n, 0);
}

/* Which id, and which kind, for every form that nodes were seen to send (provider.md faults 16, 19, 49). */
static void test_ids(void **state)
{
	static const struct {
		const char *text;
		enum rpc_kind kind;
		bool has_id, id_null;
		uint64_t id;
	} t[] = {
		{"{\"id\":1,\"result\":1}", RPC_REPLY, true, false, 1},
		{"{\"id\":\"1\",\"result\":1}", RPC_REPLY, true, false, 1},
		{"{\"id\":\"0x1f\",\"result\":1}", RPC_REPLY, true, false, 31},
		{"{\"id\":1.0,\"result\":1}", RPC_REPLY, true, false, 1},
		{"{\"id\":18446744073709551615,\"result\":1}", RPC_REPLY, true, false, UINT64_MAX},
		{"{\"id\":18446744073709551616,\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":1.5,\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":-1,\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":\"abc\",\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":[1],\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":{},\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":true,\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"parse\"}}", RPC_STRAY,
			false, true, 0},
		{"{\"result\":1}", RPC_STRAY, false, false, 0},
		{"{\"id\":1}", RPC_STRAY, true, false, 1},
		{"{\"id\":1,\"result\":1,\"error\":{\"code\":1}}", RPC_STRAY, true, false, 1},
		{"{\"id\":1,\"result\":null,\"error\":{\"code\":1}}", RPC_REPLY, true, false, 1},
		{"{\"id\":1,\"result\":5,\"error\":null}", RPC_REPLY, true, false, 1},
		{"{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":5}", RPC_REPLY, true, false, 1},
		{"{\"id\":1,\"method\":\"eth_chainId\",\"params\":[]}", RPC_REQUEST, true, false,
			1},
		{"{\"method\":\"eth_chainId\",\"params\":[]}", RPC_STRAY, false, false, 0},
		{"{}", RPC_STRAY, false, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct rpc_msg m = one(t[i].text);

		if (m.kind != t[i].kind || m.has_id != t[i].has_id || m.id_null != t[i].id_null ||
			(m.has_id && m.id != t[i].id))
			fail_msg("%s: kind %d id %d", t[i].text, m.kind, m.has_id);
	}
}

static void test_error_forms(void **state)
{
	struct rpc_msg m = one("{\"id\":1,\"error\":{\"code\":\"-32005\",\"message\":\"slow\"}}");

	(void)state;
	assert_true(m.code == -32005);
	m = one("{\"id\":1,\"error\":{\"code\":-32000}}"); /* no message */
	assert_int_equal(m.kind, RPC_REPLY);
	assert_true(m.code == -32000);
	assert_string_equal(m.error_text, "");
	m = one("{\"id\":1,\"error\":\"over quota\"}");
	assert_true(m.is_error);
	assert_string_equal(m.error_text, "over quota");
	m = one("{\"id\":1,\"error\":{\"code\":{},\"message\":[1]}}");
	assert_true(m.is_error);
	assert_true(m.code == 0);
	assert_string_equal(m.error_text, "[1]");
	m = one("{\"id\":1,\"error\":429}");
	assert_true(m.is_error);
	assert_true(m.code == 429);
	m = one("{\"id\":1,\"error\":{\"code\":99999999999999999999,\"message\":\"x\"}}");
	assert_true(m.code == 0);
	/* A proxy answers for the node. */
	m = one("{\"code\":429,\"message\":\"Too Many Requests\"}");
	assert_int_equal(m.kind, RPC_STRAY);
	assert_true(m.is_error);
	assert_true(m.code == 429);
	assert_string_equal(m.error_text, "Too Many Requests");
	/* The hint is found behind a long text. */
	m = one("{\"id\":1,\"error\":{\"code\":429,\"message\":\"m\",\"data\":{\"see\":\"https://"
		"example.org/aaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"rate\":{"
		"\"backoff_seconds\":30}}}}");
	assert_non_null(strstr(m.error_data, "backoff_seconds\":30"));
	m = one("{\"id\":1,\"error\":{\"code\":1,\"message\":\"m\",\"data\":\"0x08c379a0\"}}");
	assert_string_equal(m.error_data, "0x08c379a0");
}

static void test_notes(void **state)
{
	static const char *const subs[] = {
		"\"0x9ce59a13059e417087c02d3236a0b1cc\"", "\"0x1\"", "7", "\"opaque-id\""};
	struct rpc_msg m;
	char text[300];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		snprintf(text, sizeof(text),
			"{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",\"params\":{"
			"\"subscription\":%s,\"result\":{\"number\":\"0x1\"}}}",
			subs[i]);
		m = one(text);
		assert_int_equal(m.kind, RPC_NOTE);
		is_str(&m.result, "{\"number\":\"0x1\"}");
		assert_int_equal(m.sub.n, strlen(subs[i]) - (subs[i][0] == '"' ? 2 : 0));
	}
	/* Any order. */
	m = one("{\"params\":{\"result\":[1],\"x\":{},\"subscription\":\"0xa\"},\"method\":\"eth_"
		"subscription\"}");
	assert_int_equal(m.kind, RPC_NOTE);
	is_str(&m.sub, "0xa");
	is_str(&m.params, "{\"result\":[1],\"x\":{},\"subscription\":\"0xa\"}");
	assert_int_equal(
		one("{\"method\":\"eth_subscription\",\"params\":{\"result\":1}}").kind, RPC_STRAY);
	assert_int_equal(
		one("{\"method\":\"eth_subscription\",\"params\":{\"subscription\":\"0x1\"}}").kind,
		RPC_STRAY);
	assert_int_equal(one("{\"method\":\"eth_subscription\",\"params\":[1]}").kind, RPC_STRAY);
	assert_int_equal(one("{\"method\":\"eth_subscription\"}").kind, RPC_STRAY);
	assert_int_equal(
		one("{\"method\":\"x\",\"params\":{\"subscription\":\"0x1\",\"result\":1}}").kind,
		RPC_STRAY);
}

static void test_sub_eq(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} t[] = {
		{"0x1", "0x1", true},
		{"7", "0x7", true},
		{"0x07", "0x7", true},
		{"abc", "abc", true},
		{"abc", "abd", false},
		{"0x1", "0x2", false},
		{"abc", "0xabc", false},
		{"0x9ce59a13059e417087c02d3236a0b1cc", "0x9ce59a13059e417087c02d3236a0b1cc", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct json_str a = {.p = t[i].a, .n = strlen(t[i].a)},
				b = {.p = t[i].b, .n = strlen(t[i].b)};

		assert_int_equal(rpc_sub_eq(&a, &b), t[i].same);
		assert_int_equal(rpc_sub_eq(&b, &a), t[i].same);
	}
}

static void test_batch(void **state)
{
	struct seen s;

	(void)state;
	assert_int_equal(each("[{\"id\":2,\"result\":\"b\"},{\"id\":1,\"error\":{\"code\":1}}, 5 "
			      ",\"x\",null,{\"id\":null}]",
				 &s),
		ST_OK);
	assert_int_equal(s.n, 6);
	assert_int_equal(s.m[0].id, 2);
	assert_int_equal(s.m[0].kind, RPC_REPLY);
	assert_int_equal(s.m[1].id, 1);
	assert_true(s.m[1].is_error);
	for (size_t i = 2; i < 6; i++)
		assert_int_equal(s.m[i].kind, RPC_STRAY);
	assert_int_equal(each("[]", &s), ST_OK);
	assert_int_equal(s.n, 0);
	/* The good ones before a fault have been delivered. */
	assert_int_equal(
		each("[{\"id\":2,\"result\":\"b\"},{\"id\":3,\"result\":", &s), ST_MALFORMED);
	assert_int_equal(s.n, 1);
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {"", " ", "null", "1", "\"x\"", "<html>", "{",
		"{\"id\":1,\"result\":1} x", "{\"id\":1,}", "{\"id\":1,\"result\":{]}", "[",
		"{\"id\":1}{\"id\":2}"};
	struct seen s;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (each(bad[i], &s) != ST_MALFORMED)
			fail_msg("%s", bad[i]);
		assert_int_equal(s.n, 0);
	}
}

static void test_peek(void **state)
{
	static const struct {
		const char *text, *result; /* NULL: slow path */
	} t[] = {
		{"{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":1}}", "{\"a\":1}"},
		{"{\"id\":5,\"jsonrpc\":\"2.0\",\"result\":[1]}\n", "[1]"},
		{"{\"id\":5,\"result\":{\"a\":1} } \r\n", "{\"a\":1}"},
		{"{\"id\":5,\"result\":\"0x1\"}", "\"0x1\""},
		{"{\"id\":5,\"result\":null}", "null"},
		{"{\"id\":5,\"result\":false }", "false"},
		{"{\"result\":{\"a\":1},\"id\":5}", NULL},
		{"{\"id\":5,\"result\":{\"a\":1},\"jsonrpc\":\"2.0\"}", NULL},
		{"{\"id\":5,\"result\":\"0x1\",\"jsonrpc\":\"2.0\"}", NULL},
		{"{\"id\":5,\"result\":null,\"error\":{\"code\":1}}", NULL},
		{"{\"id\":5,\"result\":null} x", NULL},
		{"{\"id\":5,\"result\":{\"a\":1}", NULL},
		{"{\"id\":5,\"result\":}", NULL},
		{"{\"id\":5,\"result\":{}", NULL},
		{"{\"id\":5,\"error\":{\"code\":1}}", NULL},
		{"{\"id\":5,\"method\":\"x\",\"result\":1}", NULL},
		{"{\"id\":null,\"result\":1}", NULL},
		{"{\"id\":\"x\",\"result\":1}", NULL},
		{"[{\"id\":5,\"result\":1}]", NULL},
		{"{\"id\":5}", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct rpc_msg m;
		bool ok = rpc_peek_reply(t[i].text, strlen(t[i].text), &m);

		if (ok != (t[i].result != NULL))
			fail_msg("%s", t[i].text);
		if (!ok)
			continue;
		assert_int_equal(m.kind, RPC_REPLY);
		assert_true(m.has_id);
		assert_int_equal(m.id, 5);
		is_str(&m.result, t[i].result);
	}
}

static void test_request(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	assert_int_equal(
		rpc_request(&b, 18446744073709551615u, "eth_getBlockByNumber", "[\"latest\",true]"),
		ST_OK);
	assert_string_equal(b.p,
		"{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,\"method\":\"eth_"
		"getBlockByNumber\",\"params\":[\"latest\",true]}");
	buf_clear(&b);
	assert_int_equal(rpc_request(&b, 1, "a\"b\n\\", NULL), ST_OK);
	assert_int_equal(one(b.p).kind, RPC_REQUEST);
	assert_string_equal(b.p,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\u0022b\\u000a\\u005c\",\"params\":[]"
		"}");
	buf_fini(&b);
	buf_init(&b, 40);
	assert_int_equal(rpc_request(&b, 1, "eth_getBlockByNumber", NULL), ST_TOO_BIG);
	buf_fini(&b);
}

static void test_error_kinds(void **state)
{
	static const struct {
		int64_t code;
		const char *message, *data;
		enum status kind;
		uint64_t wait_ms;
	} t[] = {
		/* provider.md §1.1 */
		{429, "", NULL, ST_RATE, 0},
		{-32005, "daily request count exceeded, request rate limited", NULL, ST_RATE, 0},
		{-32005, "limit exceeded", NULL, ST_RATE, 0},
		{1008, "policy", NULL, ST_RATE, 0},
		{-32055, "", NULL, ST_RATE, 0},
		{-32016, "Rate limit exceeded", NULL, ST_RATE, 0},
		{-32016, "reverted", NULL, ST_RPC, 0},
		{-32012, "not enough credits", NULL, ST_RATE, 0},
		{-32012, "other", NULL, ST_RPC, 0},
		{-32007, "50/second request limit reached", NULL, ST_RATE, 0},
		{-32007, "other", NULL, ST_RPC, 0},
		{0, "Too Many Requests", NULL, ST_RATE, 0},
		{-32000, "maximum number of concurrent requests exceeded", NULL, ST_RATE, 0},
		{-32029, "Your app has exceeded its compute units per second capacity", NULL,
			ST_RATE, 0},
		{-32000, "header not found", NULL, ST_NULL, 0},
		{-32000, "header for hash not found", NULL, ST_NULL, 0},
		{4444, "pruned history unavailable", NULL, ST_NULL, 0},
		{-32000, "missing trie node abc", NULL, ST_NULL, 0},
		{-39001, "Unknown block", NULL, ST_NULL, 0},
		{-32000, "finalized block not found", NULL, ST_NULL, 0},
		{-32001, "resource not found", NULL, ST_NULL, 0},
		{-32601, "the method foo does not exist/is not available", NULL, ST_UNSUPPORTED, 0},
		{-32601, "notifications not supported", NULL, ST_UNSUPPORTED, 0},
		{-32602, "data did not match any variant of untagged enum EthRpcCall", NULL, ST_UNSUPPORTED, 0},
		{-32004, "method not supported", NULL, ST_UNSUPPORTED, 0},
		{-32000, "The method is not whitelisted", NULL, ST_UNSUPPORTED, 0},
		{-32600, "Unsupported method: eth_subscribe", NULL, ST_UNSUPPORTED, 0},
		{-32001, "Unauthorized", NULL, ST_AUTH, 0},
		{-32002, "project ID is required, invalid project id", NULL, ST_AUTH, 0},
		/* one code, other meanings */
		{-32005, "query returned more than 10000 results", NULL, ST_TOO_BIG, 0},
		{-32003, "response too large", NULL, ST_TOO_BIG, 0},
		{-32003, "transaction rejected", NULL, ST_RPC, 0},
		{-32008, "Response is too big", NULL, ST_TOO_BIG, 0},
		{-32600, "batch too large", NULL, ST_TOO_BIG, 0},
		{-32600, "invalid request", NULL, ST_RPC, 0},
		{-32600, "empty batch", NULL, ST_RPC, 0},
		{-32002, "request timed out", NULL, ST_RPC, 0},
		{-32602, "invalid argument 0", NULL, ST_RPC, 0},
		{-32603, "internal error", NULL, ST_RPC, 0},
		{3, "execution reverted", NULL, ST_RPC, 0},
		{-32700, "parse error", NULL, ST_RPC, 0},
		/* hints */
		{-32005, "rate limited, try again in 4ms", NULL, ST_RATE, 4},
		{-32005, "try again in 2s", NULL, ST_RATE, 2000},
		{0, "Try Again In 1.5 seconds", NULL, ST_RATE, 1500},
		{429, "slow down, retry after 1m", NULL, ST_RATE, 60000},
		{429, "retry in 3", NULL, ST_RATE, 3000},
		{-32005, "x", "{\"rate\":{\"allowed_rps\":1,\"backoff_seconds\":30.5}}", ST_RATE,
			30500},
		{-32005, "try again in 99999999999999999999 s", NULL, ST_RATE, 300000},
		{-32005, "try again in a while", NULL, ST_RATE, 0},
		{-32005, "try again in", "", ST_RATE, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t wait = 77;
		enum status st = rpc_error_kind(t[i].code, t[i].message, t[i].data, &wait);

		if (st != t[i].kind || wait != t[i].wait_ms)
			fail_msg("%lld %s: %s, wait %llu", (long long)t[i].code, t[i].message,
				status_word(st), (unsigned long long)wait);
		assert_int_equal(rpc_error_kind(t[i].code, t[i].message, t[i].data, NULL), st);
	}
}

/* No prefix of a message is taken for one, and nothing is read behind it. */
static void test_truncated(void **state)
{
	static const char text[] =
		"{\"id\":5,\"method\":\"eth_subscription\",\"params\":{\"subscription\":\"0x1\","
		"\"result\":{\"a\":[1]}},"
		"\"error\":{\"code\":-1,\"message\":\"m\\n\",\"data\":{\"backoff_seconds\":1}}}";

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *part = malloc(n ? n : 1);
		struct seen s = {.n = 0};
		struct rpc_msg m;
		struct err e;

		assert_non_null(part);
		memcpy(part, text, n);
		assert_int_equal(rpc_each(part, n, see, &s, &e), ST_MALFORMED);
		assert_int_equal(s.n, 0);
		assert_false(rpc_peek_reply(part, n, &m));
		free(part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reply),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_error_forms),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_sub_eq),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_peek),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_error_kinds),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
