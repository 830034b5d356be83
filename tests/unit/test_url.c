/* Unit tests of net/url: every word that design.md §6 names, and what must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/url.h"

#define ID \
	"d860a01f9722d78051619d1e2351aba3f43f943f6f00718d1b9baa4101932a1f" \
	"5011f16bb2b1bb35db20d6fe28fa0bf09636d26a87d31de9ec6203eeedb1f666"

struct good {
	const char *word;
	enum url_scheme scheme;
	const char *name, *host;
	unsigned port;
	const char *target, *show;
	bool local;
};

static const struct good goods[] = {
	{"ws://127.0.0.1:8546", URL_WS, "", "127.0.0.1", 8546, "/", "127.0.0.1:8546", true},
	{"WSS://Eth.Example.com/v3/KEY?x=1#frag", URL_WSS, "", "eth.example.com", 443,
		"/v3/KEY?x=1", "eth.example.com:443", false},
	{"http://[::1]:8545/", URL_HTTP, "", "::1", 8545, "/", "[::1]:8545", true},
	{"https://h", URL_HTTPS, "", "h", 443, "/", "h:443", false},
	{"http://h?k=v", URL_HTTP, "", "h", 80, "/?k=v", "h:80", false},
	{"http://h/a b\xc3\xa9", URL_HTTP, "", "h", 80, "/a%20b%C3%A9", "h:80", false},
	{"geth=ws://localhost:1", URL_WS, "geth", "localhost", 1, "/", "localhost:1", true},
	{"a-B_9=:8545", URL_GUESS, "a-B_9", "localhost", 8545, "/", "localhost:8545", true},
	{"localhost", URL_GUESS, "", "localhost", 8545, "/", "localhost:8545", true},
	{"localhost/key", URL_GUESS, "", "localhost", 8545, "/key", "localhost:8545", true},
	{"10.0.0.5", URL_GUESS, "", "10.0.0.5", 8545, "/", "10.0.0.5:8545", false},
	{"node.lan:9000", URL_GUESS, "", "node.lan", 9000, "/", "node.lan:9000", false},
	{"[::1]", URL_GUESS, "", "::1", 8545, "/", "[::1]:8545", true},
	{"[fe80::1%25eth0]:7", URL_GUESS, "", "fe80::1%25eth0", 7, "/", "[fe80::1%25eth0]:7", false},
	{"127.9.9.9:1", URL_GUESS, "", "127.9.9.9", 1, "/", "127.9.9.9:1", true},
	{"127.evil.example:1", URL_GUESS, "", "127.evil.example", 1, "/", "127.evil.example:1", false},
	{"http://x.localhost", URL_HTTP, "", "x.localhost", 80, "/", "x.localhost:80", true},
	{"/home/eth/geth.ipc", URL_IPC, "", "", 0, "/home/eth/geth.ipc", "eth/geth.ipc", true},
	{"./s", URL_IPC, "", "", 0, "./s", "./s", true},
	{"../a/b c", URL_IPC, "", "", 0, "../a/b c", "a/b c", true},
	{"geth.ipc", URL_IPC, "", "", 0, "geth.ipc", "geth.ipc", true},
	{"ipc:/x", URL_IPC, "", "", 0, "/x", "/x", true},
	{"ipc:rel/x", URL_IPC, "", "", 0, "rel/x", "rel/x", true},
	{"ipc:///a/b/c", URL_IPC, "", "", 0, "/a/b/c", "b/c", true},
	{"n=/a/b/c", URL_IPC, "n", "", 0, "/a/b/c", "b/c", true},
	{"/tmp/x.ct", URL_RECORDING, "", "", 0, "/tmp/x.ct", "tmp/x.ct", true},
	{"old=a.ct", URL_RECORDING, "old", "", 0, "a.ct", "a.ct", true},
	{"enode://" ID "@127.0.0.1:30303", URL_ENODE, "", "127.0.0.1", 30303, ID, "127.0.0.1:30303", true},
	{"geth=enode://" ID "@Node.Example.org:1?discport=0", URL_ENODE, "geth", "node.example.org", 1, ID,
	 "node.example.org:1", false},
	{"enode://" ID "@[::1]:30303", URL_ENODE, "", "::1", 30303, ID, "[::1]:30303", true},
};

static void
test_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(goods) / sizeof(goods[0]); i++) {
		const struct good *g = &goods[i];
		struct err e = {0};
		struct url u, c;
		char show[300];

		if (url_parse(&u, g->word, &e) != ST_OK)
			fail_msg("%s: %s", g->word, e.text);
		assert_int_equal(u.scheme, g->scheme);
		assert_string_equal(u.name, g->name);
		assert_string_equal(u.host, g->host);
		assert_int_equal(u.port, g->port);
		assert_string_equal(u.target, g->target);
		assert_string_equal(url_show(show, sizeof(show), &u), g->show);
		assert_int_equal(url_is_local(&u), g->local);
		assert_int_equal(url_copy(&c, &u), ST_OK);
		url_fini(&u);
		assert_string_equal(c.target, g->target);
		url_fini(&c);
	}
}

static const char *const bads[] = {
	"",
	"n=",
	"ftp://h",
	"://h",
	"ws://",
	"ws://:1",
	"ws:///path",
	"ws://h:0",
	"ws://h:65536",
	"ws://h:99999999999999999999",
	"ws://h:1x",
	"ws://h:",
	"ws://h\r\nX: y/",
	"ws://h/\n",
	"ws://h/\x7f",
	"http://h h/",
	"http://\xc3\xa9/",
	"ws://[::1",
	"ws://[::1]x",
	"ws://a:b:c",
	"infura",
	"data/geth",
	"enode://abc@1.2.3.4:30303",
	"enode://" ID "@h",
	"enode:x",
	"enr:-abc",
	"ws://u:%zz@h",
	"ws://u%0d@h",
	"ws://u:%4@h",
	"ws://u:%@h",
	"ws://u:p%00@h",
	"ipc:",
	"a123456789012345678901234567890123=ws://h",
};

static void
test_refused(void **state)
{
	char *huge = malloc(6000);

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		struct err e = {0};
		struct url u;

		if (url_parse(&u, bads[i], &e) == ST_OK)
			fail_msg("accepted: %s", bads[i]);
		assert_int_equal(e.code, ST_USAGE);
		assert_string_not_equal(e.text, "");
		assert_string_not_equal(e.cure, "");
		assert_null(u.target);
		assert_null(u.user);
	}
	memset(huge, 'a', 5999);
	huge[5999] = 0;
	memcpy(huge, "ws://h/", 7);
	{
		struct url u;

		assert_int_equal(url_parse(&u, huge, NULL), ST_USAGE);
	}
	free(huge);
}

/* The error is of what is wrong. */
static void
test_bad_name(void **state)
{
	static const char *const words[] = {
		"my node=ws://h:8546", "<b>=http://h", "a'b|c=/data/geth.ipc", "=ws://h", "a:1=ws://h",
	};
	struct err e;
	struct url u;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(url_parse(&u, words[i], &e), ST_USAGE);
		assert_non_null(strstr(e.text, "the name in front of ="));
	}
	/* No names: an = in the path, in the query, in a password. */
	assert_int_equal(url_parse(&u, "h:8545/?to=http://x", &e), ST_OK);
	url_fini(&u);
	assert_int_equal(url_parse(&u, "/tmp/a b=/geth.ipc", &e), ST_OK);
	url_fini(&u);
	assert_int_equal(url_parse(&u, "ws://u:p=/@h", &e), ST_USAGE);
	assert_null(strstr(e.text, "the name in front of ="));
}

static void
test_userinfo(void **state)
{
	struct url u;
	struct err e;

	(void)state;
	assert_int_equal(url_parse(&u, "wss://me%40corp:p%3Aw%2f@h:1/k", &e), ST_OK);
	assert_string_equal(u.user, "me@corp");
	assert_string_equal(u.pass, "p:w/");
	assert_string_equal(u.host, "h");
	url_fini(&u);
	/* A raw @ in a password, an empty password, a user alone. */
	assert_int_equal(url_parse(&u, "http://u:a@b@h", &e), ST_OK);
	assert_string_equal(u.pass, "a@b");
	assert_string_equal(u.host, "h");
	url_fini(&u);
	assert_int_equal(url_parse(&u, "http://u@h", &e), ST_OK);
	assert_string_equal(u.user, "u");
	assert_string_equal(u.pass, "");
	url_fini(&u);
}

/* No secret of a bad URL in its own error either. */
static void
test_errors_keep_secrets(void **state)
{
	static const char *const words[] = {
		"ftp://h/SECRETKEY", "ws://u:SECRETKEY%zz@h", "ws://h:1x/SECRETKEY", "SECRETKEY",
		"ws://h\x01/SECRETKEY", "SECRETKEY/x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct url u;
		struct err e = {0};

		assert_int_equal(url_parse(&u, words[i], &e), ST_USAGE);
		assert_null(strstr(e.text, "SECRET"));
		assert_null(strstr(e.cure, "SECRET"));
	}
}

/* A text that ended with its buffer: at each place of the key. */
static void
test_redact_cut(void **state)
{
	static const char key[] = "9aa3d95b3bc440fa88ea12eaa4456161";
	struct err e;
	struct url u;
	char t[120];

	(void)state;
	assert_int_equal(url_parse(&u, "https://me:pass-word9@example.org/v3/9aa3d95b3bc440fa88ea12eaa4456161", &e), ST_OK);
	for (int n = 4; n <= 32; n++) {
		snprintf(t, sizeof(t), "no such project: %.*s", n, key);
		url_redact(&u, t);
		assert_string_equal(t, "no such project: \xe2\x80\xa6");
	}
	snprintf(t, sizeof(t), "denied for pass-w");
	url_redact(&u, t);
	assert_string_equal(t, "denied for \xe2\x80\xa6");
	snprintf(t, sizeof(t), "it is 1 9aa");
	url_redact(&u, t);
	assert_string_equal(t, "it is 1 9aa");
	url_fini(&u);
}

static void
test_redact(void **state)
{
	struct url u;
	char t[256];

	(void)state;
	assert_int_equal(url_parse(&u, "wss://bob:pw%21x9@h/v3/0123abcd?token=ZZZZ", NULL), ST_OK);
	snprintf(t, sizeof(t), "GET /v3/0123abcd?token=ZZZZ by bob with pw!x9");
	url_redact(&u, t);
	assert_string_equal(t, "GET … by … with …");
	snprintf(t, sizeof(t), "key 0123abcd bad, 0123abcd, ZZZZ; bobsled");
	url_redact(&u, t);
	assert_string_equal(t, "key … bad, …, …; bobsled");
	snprintf(t, sizeof(t), "nothing here");
	url_redact(&u, t);
	assert_string_equal(t, "nothing here");
	url_fini(&u);
	assert_int_equal(url_parse(&u, "http://a:b@h/", NULL), ST_OK);
	snprintf(t, sizeof(t), "a b at h/ cab a");
	url_redact(&u, t);
	assert_string_equal(t, "* * at h/ cab *");
	url_fini(&u);
	assert_int_equal(url_parse(&u, "http://h/my%20key", NULL), ST_OK);
	snprintf(t, sizeof(t), "no my key");
	url_redact(&u, t);
	assert_string_equal(t, "no …");
	url_fini(&u);
	/* A socket's path is no secret. */
	assert_int_equal(url_parse(&u, "/tmp/geth.ipc", NULL), ST_OK);
	snprintf(t, sizeof(t), "cannot open /tmp/geth.ipc");
	url_redact(&u, t);
	assert_string_equal(t, "cannot open /tmp/geth.ipc");
	url_fini(&u);
	snprintf(t, sizeof(t), "Bearer x");
	url_hide(t, NULL);
	url_hide(t, "");
	url_hide(t, "Bearer");
	assert_string_equal(t, "… x");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bad_name),
		cmocka_unit_test(test_userinfo),
		cmocka_unit_test(test_errors_keep_secrets),
		cmocka_unit_test(test_redact),
		cmocka_unit_test(test_redact_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
