/* What must not be in a recording is blotted out, and what a recording is for stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "feed/secrets.h"

static struct secrets *of(const char *url, const char *header)
{
	struct secrets *s = secrets_new();
	struct err e;
	struct url u;

	assert_non_null(s);
	if (url_parse(&u, url, &e) != ST_OK)
		fail_msg("%s", e.text);
	secrets_url(s, 3, &u);
	if (header)
		secrets_add(s, 3, header);
	url_fini(&u);
	return s;
}

static const char *blot(const struct secrets *s, const char *text)
{
	static char out[500];

	snprintf(out, sizeof(out), "%s", text);
	secrets_blot(s, 3, out, strlen(out));
	return out;
}

static void keys_go(void **state)
{
	struct secrets *s =
		of("https://us%40er:p%26ss%22w@example.org/v3/9aa3d95b3bc440fa88ea12eaa4456161?token=Abc%2Bdef9", NULL);

	(void)state;
	assert_string_equal(blot(s, "{\"message\":\"bad key 9aa3d95b3bc440fa88ea12eaa4456161\"}"),
			    "{\"message\":\"bad key ********************************\"}");
	/* Also inside of a word, being long. */
	assert_null(strstr(blot(s, "x9aa3d95b3bc440fa88ea12eaa4456161y"), "9aa3d95b"));
	assert_null(strstr(blot(s, "/v3/9aa3d95b3bc440fa88ea12eaa4456161?token=Abc%2Bdef9"), "Abc"));
	assert_string_equal(blot(s, "token Abc+def9 expired"), "token ******** expired");
	assert_string_equal(blot(s, "user us@er, password p&ss\"w"), "user *****, password ******");
	/* As JSON writes it. */
	assert_string_equal(blot(s, "p&ss\\\"w"), "*******");
	/* Another feed's. */
	{
		char text[] = "9aa3d95b3bc440fa88ea12eaa4456161";

		assert_int_equal(secrets_blot(s, 2, text, strlen(text)), 0);
		assert_int_equal(secrets_blot(s, 64, text, strlen(text)), 0);
		assert_int_equal(secrets_blot(s, 3, text, strlen(text)), 1);
	}
	secrets_free(s);
}

/* Where a text was cut, a key's beginning is left. */
static void beginnings_go(void **state)
{
	struct secrets *s = of("https://example.org/v3/9aa3d95b3bc440fa88ea12eaa4456161", NULL);
	const char *key = "9aa3d95b3bc440fa88ea12eaa4456161";
	char text[100], want[100], stars[33];

	(void)state;
	for (int n = 4; n < 32; n++) {
		memset(stars, '*', sizeof(stars));
		stars[n] = 0;
		snprintf(text, sizeof(text), "{\"text\":\"bad key %.*s\",\"code\":3}", n, key);
		snprintf(want, sizeof(want), "{\"text\":\"bad key %s\",\"code\":3}", stars);
		assert_string_equal(blot(s, text), text);
		assert_int_equal(secrets_blot_cut(s, 3, text, strlen(text)), 1);
		assert_string_equal(text, want);
	}
	snprintf(text, sizeof(text), "{\"text\":\"9aa3 is a number, 19aa3\"}");
	assert_int_equal(secrets_blot_cut(s, 3, text, strlen(text)), 0);
	assert_int_equal(secrets_blot_cut(s, 64, text, strlen(text)), 0);
	secrets_free(s);
}

static void headers_go(void **state)
{
	struct secrets *s = of("http://example.org/", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc");

	(void)state;
	assert_string_equal(blot(s, "got eyJhbGciOiJIUzI1NiJ9.e30.abc"), "got ****************************");
	assert_string_equal(blot(s, "the Bearer of eyes"), "the ****** of eyes");
	secrets_free(s);
}

/* Names of networks and of JSON-RPC stand in URLs too. */
static void words_stay(void **state)
{
	static const char *const texts[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"hash\":\"0x1234abcd\"}}",
		"{\"method\":\"eth_subscription\"}",
		"Geth/v1.17/mainnet",
		"0x12345678901234567890",
	};
	struct secrets *s = of("https://example.org/jsonrpc/result/mainnet/eth/v2/eth_subscription/arbitrum-one", NULL);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(blot(s, texts[i]), texts[i]);
	secrets_free(s);
	/* A short password is found as a word, not in the middle of a hash. */
	s = of("https://u:12ab@example.org/", NULL);
	assert_string_equal(blot(s, "0x5512ab77 12ab"), "0x5512ab77 ****");
	secrets_free(s);
	s = of("/data/geth.ipc", NULL);
	assert_string_equal(blot(s, "/data/geth.ipc"), "/data/geth.ipc");
	secrets_free(s);
	secrets_free(NULL);
}

/* Every offset of a secret in a text, and cut ones. */
static void everywhere(void **state)
{
	struct secrets *s = of("wss://example.org/0123456789abcdefGHIJ", NULL);

	(void)state;
	for (unsigned at = 0; at < 60; at++) {
		char text[100];

		memset(text, '.', sizeof(text));
		memcpy(text + at, "0123456789abcdefGHIJ", 20);
		assert_int_equal(secrets_blot(s, 3, text, at + 20), 1);
		memcpy(text + at, "0123456789abcdefGHIJ", 20);
		assert_int_equal(secrets_blot(s, 3, text, at + 19), 0);
	}
	secrets_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_go),
		cmocka_unit_test(beginnings_go),
		cmocka_unit_test(headers_go),
		cmocka_unit_test(words_stay),
		cmocka_unit_test(everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
