/* Unit tests of net/http over real sockets: provider.md faults 23–30, 33, 34. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "base/time.h"
#include "net/http.h"
#include "net/http_head.h"
#include "net_peer.h"

static const char ok[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"0x1\"}";

static struct peer *
begin(struct client *c, script_fn script, void *arg, const char *target)
{
	struct peer *p = peer_start(&(struct peer_how){.script = script, .arg = arg});
	char url[200];

	snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", peer_port(p), target);
	client_init(c, url);
	client_open(c);
	return p;
}

static void
end(struct client *c, struct peer *p)
{
	client_fini(c);
	peer_stop(p);
}

/* ---- what works ---- */

static void
serve(struct conn *c, void *arg)
{
	(void)arg;
	while (get_http(c))
		http_put(c, "200 OK", "Content-Type: application/json\r\n", strstr(c->in, "\r\n\r\n") + 4);
}

static void
test_keep_alive(void **state)
{
	struct client c;
	struct peer *p = begin(&c, serve, NULL, "/");
	uint64_t in, out, before = time_mono();

	(void)state;
	assert_string_equal(c.t->class->doing(c.t), "idle");
	for (int i = 1; i <= 100; i++) {
		client_send(&c, "{\"id\":1}", (uint64_t)i);
		client_until(&c, &c.messages, i);
		assert_int_equal(c.meta.token, i);
	}
	/* Fault 34: one connection for sequential requests. */
	assert_int_equal(peer_accepts(p), 1);
	assert_int_equal(c.ups, 1);
	assert_int_equal(c.meta.http_status, 200);
	assert_true(c.meta.recv_ns >= before && c.meta.recv_ns <= time_mono());
	assert_true(c.meta.wire_bytes > 8 + 40 && c.meta.wire_bytes < 200);
	assert_true(c.phases.tcp > 0 && c.phases.ready >= c.phases.tcp);
	c.t->class->bytes(c.t, &in, &out);
	assert_true(in > 100 * 50 && out > 100 * 100);
	end(&c, p);
}

static void
test_parallel(void **state)
{
	struct client c;
	struct peer *p = begin(&c, serve, NULL, "/");
	struct err e;

	(void)state;
	for (int round = 1; round <= 5; round++) {
		for (int i = 0; i < HTTP_PARALLEL; i++)
			client_send(&c, "[1]", 1);
		assert_int_equal(c.t->class->send(c.t, "[2]", 3, 1, &e), ST_AGAIN);
		client_until(&c, &c.messages, HTTP_PARALLEL * round);
	}
	assert_in_range(peer_accepts(p), 1, HTTP_PARALLEL);
	end(&c, p);
}

static void
keep_request(struct conn *c, void *arg)
{
	while (get_http(c)) {
		memcpy(arg, c->in, c->in_n < 4000 ? c->in_n + 1 : 4000);
		http_put(c, "200 OK", "", ok);
	}
}

static void
test_request(void **state)
{
	static const char *const headers[] = {"X-Key: k1", "Content-Type: application/json; x"};
	char seen[4000] = "", url[100];
	struct peer *p = peer_start(&(struct peer_how){.script = keep_request, .arg = seen});
	struct client c;

	(void)state;
	snprintf(url, sizeof(url), "http://me%%40corp:a%%3Ab@127.0.0.1:%u/v3/key?a=b", peer_port(p));
	client_init(&c, url);
	c.opts.headers = headers;
	c.opts.n_headers = 2;
	client_open(&c);
	client_send(&c, "{\"x\":1}", 5);
	client_until(&c, &c.messages, 1);
	assert_memory_equal(seen, "POST /v3/key?a=b HTTP/1.1\r\n", 27);
	/* base64 of me@corp:a:b */
	assert_non_null(strstr(seen, "\r\nAuthorization: Basic bWVAY29ycDphOmI=\r\n"));
	assert_non_null(strstr(seen, "\r\nX-Key: k1\r\n"));
	assert_non_null(strstr(seen, "\r\nContent-Type: application/json; x\r\n"));
	assert_null(strstr(seen, "Content-Type: application/json\r\n"));
	assert_non_null(strstr(seen, "gzip"));
	assert_null(strstr(seen, "Expect"));
	assert_non_null(strstr(seen, "\r\n\r\n{\"x\":1}"));
	end(&c, p);
}

/* A fresh token for each request: seen by its iat when the second changes, and always present. */
static void
test_jwt(void **state)
{
	char seen[4000] = "", file[] = "/tmp/chaintop-jwt-XXXXXX", url[60];
	int fd = mkstemp(file);
	struct peer *p = peer_start(&(struct peer_how){.script = keep_request, .arg = seen});
	struct client c;

	(void)state;
	assert_int_equal(
		dprintf(fd, "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"), 64);
	close(fd);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", peer_port(p));
	client_init(&c, url);
	c.opts.jwt_file = file;
	client_open(&c);
	unlink(file);
	for (int i = 1; i <= 2; i++) {
		client_send(&c, "{}", 1);
		client_until(&c, &c.messages, i);
		assert_non_null(strstr(seen, "\r\nAuthorization: Bearer eyJ"));
	}
	end(&c, p);
}

/* ---- answers ---- */

static void
answer(struct conn *c, void *arg)
{
	if (get_http(c))
		puts_(c, arg);
}

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

struct answer_case {
	const char *answer;
	enum status st;
	int detail; /* checked if not 0 */
	const char *text;
};

static const struct answer_case bad[] = {
	/* Fault 24. */
	{OK_HEAD "Content-Length: 0\r\n\r\n", ST_MALFORMED, 200, "empty"},
	{OK_HEAD "\r\n", ST_MALFORMED, 200, "empty"},
	{"HTTP/1.1 204 No Content\r\n\r\n", ST_MALFORMED, 204, "empty"},
	{OK_HEAD "Content-Length: 15\r\n\r\n<html>hi</html>", ST_MALFORMED, 200, "web page"},
	{OK_HEAD "Content-Length: 4\r\n\r\nnull", ST_MALFORMED, 200, "not JSON"},
	{OK_HEAD "Content-Length: 8\r\n\r\n{\"id\":1,", ST_MALFORMED, 200, "cut off"},
	{OK_HEAD "Content-Length: 100\r\n\r\n{\"id\":1}", ST_RESET, 0, "middle"},
	{OK_HEAD "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"id\":1}\r\n", ST_RESET, 0, "middle"},
	{OK_HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\n", ST_RESET, 0, ""},
	{OK_HEAD "Content-Encoding: gzip\r\nContent-Length: 8\r\n\r\n{\"id\":1}", ST_MALFORMED, 0,
		"compression"},
	{"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops", ST_HTTP, 500, "internal"},
	{"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>", ST_HTTP, 502, "gateway"},
	{"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 60\r\n\r\n<html>", ST_HTTP, 502, "gateway"},
	{"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", ST_AUTH, 401, "key rejected"},
	{"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", ST_AUTH, 403, "key rejected"},
	{"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", ST_HTTP, 404, "not found"},
	{"HTTP/1.1 301 M\r\nLocation: https://other.example/KEY\r\nContent-Length: 0\r\n\r\n", ST_HTTP, 301,
		"other.example"},
	{"HTTP/1.1 308 M\r\nLocation: http://other.example:1/KEY\r\nContent-Length: 0\r\n\r\n", ST_HTTP, 308,
		"other.example"},
	{"HTTP/1.1 302 M\r\nLocation: /KEY\r\nContent-Length: 0\r\n\r\n", ST_HTTP, 302, "redirects"},
	{"SSH-2.0-x\r\n", ST_MALFORMED, 0, "not HTTP"},
	{"", ST_RESET, 0, ""},
	{"HTTP/1.1 200 OK\r\nContent-Le", ST_RESET, 0, ""},
};

static void
test_bad_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct answer_case *a = &bad[i];
		struct client c;
		struct peer *p = begin(&c, answer, (void *)(uintptr_t)a->answer, "/SECRET");

		client_send(&c, "{}", 7);
		client_until(&c, &c.faileds, 1);
		if (c.err.code != a->st || (a->detail && c.err.detail != a->detail) ||
			!strstr(c.err.text, a->text))
			fail_msg("%s → %s %d: %s", a->answer, status_word(c.err.code), c.err.detail, c.err.text);
		assert_int_equal(c.token, 7);
		assert_int_equal(c.ups + c.messages, 0);
		/* The node answered, after all: only the request failed. */
		assert_int_equal(c.downs, 0);
		assert_null(strstr(c.err.text, "KEY"));
		assert_null(strstr(c.err.text, "SECRET"));
		end(&c, p);
	}
}

/* Fault 25: the JSON-RPC error in a 4xx or 5xx body comes along; a page is cut. */
static void
test_error_body(void **state)
{
	struct client c;
	struct peer *p = begin(&c, answer,
		(void *)(uintptr_t) "HTTP/1.1 400 Bad\r\nContent-Length: 13\r\n\r\n{\"error\":{1}}", "/");

	(void)state;
	client_send(&c, "{}", 7);
	client_until(&c, &c.faileds, 1);
	assert_int_equal(c.err.code, ST_HTTP);
	assert_string_equal(c.body, "{\"error\":{1}}");
	end(&c, p);
}

/* Fault 23: both forms of Retry-After. */
static void
test_retry_after(void **state)
{
	char text[300], date[64];
	time_t t = time(NULL) + 20;
	struct tm tm;
	struct client c;
	struct peer *p = begin(&c, answer,
		(void *)(uintptr_t) "HTTP/1.1 429 X\r\nretry-after:  2 \r\nContent-Length: 0\r\n\r\n", "/");

	(void)state;
	client_send(&c, "{}", 7);
	client_until(&c, &c.faileds, 1);
	assert_int_equal(c.err.code, ST_RATE);
	assert_int_equal(c.retry_ns, 2 * NS_S);
	end(&c, p);

	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&t, &tm));
	snprintf(text, sizeof(text), "HTTP/1.1 503 X\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", date);
	p = begin(&c, answer, text, "/");
	client_send(&c, "{}", 7);
	client_until(&c, &c.faileds, 1);
	assert_int_equal(c.err.code, ST_HTTP);
	assert_in_range(c.retry_ns, 15 * NS_S, 20 * NS_S);
	end(&c, p);
}

static void
test_retry_after_forms(void **state)
{
	static const struct {
		const char *s;
		uint64_t s_want;
	} t[] = {
		{"0", 0}, {"1", 1}, {"300", 300}, {"301", 300}, {"99999999999999999999999", 300}, {"2.5", 2},
		{"Sun, 06 Nov 1994 08:49:47 GMT", 10}, {"Sunday, 06-Nov-94 08:49:47 GMT", 10},
		{"Sun Nov  6 08:49:47 1994", 10}, {"Sun, 06 Nov 1994 08:49:30 GMT", 0},
		{"Sun, 06 Nov 2094 08:49:30 GMT", 300},
	};
	static const char *const none[] = {"", "-1", "soon", "2s", "Sun, 06 Foo 1994 08:49:47 GMT",
		"Sun, 06 Nov 1994 08:49:47 CET", "Sun, 99 Nov 1994 08:49:47 GMT",
		"Sun, 06 Nov 1994 08:49:47 GMT and more than any date has"};
	uint64_t now = UINT64_C(784111777) * NS_S; /* Sun, 06 Nov 1994 08:49:37 GMT, the RFC's own date */

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t want = t[i].s_want ? t[i].s_want * NS_S : NS_MS;

		assert_int_equal(http_retry_after(t[i].s, strlen(t[i].s), now), want);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(http_retry_after(none[i], strlen(none[i]), now), 0);
}

/* ---- bodies ---- */

static void
chunked(struct conn *c, void *arg)
{
	(void)arg;
	while (get_http(c)) {
		puts_(c, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n");
		for (size_t i = 0; i < sizeof(ok) - 1; i++) {
			char t[16];

			snprintf(t, sizeof(t), "1\r\n%c\r\n", ok[i]);
			drip(c, t, strlen(t));
		}
		puts_(c, "0\r\n\r\n");
	}
}

static void
test_chunked(void **state)
{
	struct client c;
	struct peer *p = begin(&c, chunked, NULL, "/");
	char want[200];

	(void)state;
	client_send(&c, "{}", 1);
	client_until(&c, &c.messages, 1);
	client_send(&c, "{}", 1);
	client_until(&c, &c.messages, 2);
	snprintf(want, sizeof(want), "%s\n%s\n", ok, ok);
	assert_string_equal(c.text.p, want);
	assert_int_equal(peer_accepts(p), 1);
	end(&c, p);
}

static size_t
gzip(uint8_t *out, size_t size, const void *in, size_t n)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)n, .next_out = out,
		.avail_out = (uInt)size};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

struct body {
	const char *head;
	uint8_t *p;
	size_t n;
};

static void
put_body(struct conn *c, void *arg)
{
	const struct body *b = arg;

	while (get_http(c)) {
		char head[300];

		snprintf(head, sizeof(head), "%sContent-Length: %zu\r\n\r\n", b->head, b->n);
		puts_(c, head);
		put(c, b->p, b->n);
	}
}

/* Fault 28: compressed; then a bomb of 64 MiB in 64 KiB against a limit of 1 MiB. */
static void
test_gzip(void **state)
{
	size_t n = 64 << 20, size = 1 << 20;
	char *plain = malloc(n);
	struct body b = {.head = OK_HEAD "Content-Encoding: gzip\r\n", .p = malloc(size)};
	char url[60];
	struct client c;
	struct peer *p;

	(void)state;
	memset(plain, ' ', n);
	plain[0] = '{';
	plain[n - 1] = '}';
	b.n = gzip(b.p, size, ok, sizeof(ok) - 1);
	p = begin(&c, put_body, &b, "/");
	client_send(&c, "{}", 1);
	client_until(&c, &c.messages, 1);
	assert_non_null(strstr(c.text.p, ok));
	end(&c, p);

	b.n = gzip(b.p, size, plain, n);
	assert_true(b.n < 100000);
	p = peer_start(&(struct peer_how){.script = put_body, .arg = &b});
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", peer_port(p));
	client_init(&c, url);
	c.opts.max_message = 1 << 20;
	client_open(&c);
	client_send(&c, "{}", 1);
	client_until(&c, &c.faileds, 1);
	assert_int_equal(c.err.code, ST_TOO_BIG);
	end(&c, p);
	free(b.p);
	free(plain);
}

static void
test_big(void **state)
{
	struct body b = {.head = OK_HEAD, .n = 8 << 20};
	struct client c;
	struct peer *p;

	(void)state;
	b.p = malloc(b.n);
	memset(b.p, ' ', b.n);
	b.p[0] = '[';
	b.p[b.n - 1] = ']';
	p = begin(&c, put_body, &b, "/");
	client_send(&c, "{}", 1);
	client_until(&c, &c.messages, 1);
	assert_string_equal(c.text.p, "#8388608\n");
	assert_true(c.meta.reads >= 2 && c.meta.reads < 2000);
	assert_true(c.meta.xfer_bytes > 0 && c.meta.xfer_bytes < b.n);
	assert_true(c.meta.xfer_ns > 0);
	assert_true(c.meta.wire_bytes > b.n && c.meta.wire_bytes < b.n + 500);
	end(&c, p);
	free(b.p);
}

/* ---- connections ---- */

/* Fault 26: answers the first request of a connection, then waits for the second and breaks off. */
static void
stale(struct conn *c, void *arg)
{
	const char *how = arg;

	if (!get_http(c))
		return;
	http_put(c, "200 OK", "", ok);
	if (strcmp(how, "idle") == 0)
		return; /* closed while idle */
	if (c->n > 0 || !get_http(c)) {
		drain(c);
		return;
	}
	if (strcmp(how, "rst") == 0)
		reset(c);
}

static void
test_stale(void **state)
{
	static const char *const how[] = {"idle", "fin", "rst"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct client c;
		struct peer *p = begin(&c, stale, (void *)(uintptr_t)how[i], "/");

		client_send(&c, "{}", 1);
		client_until(&c, &c.messages, 1);
		client_run(&c, 30);
		client_send(&c, "{}", 2);
		client_until(&c, &c.messages, 2);
		assert_int_equal(c.faileds, 0);
		assert_int_equal(c.meta.token, 2);
		end(&c, p);
	}
}

static void
rst(struct conn *c, void *arg)
{
	(void)arg;
	if (get_http(c))
		reset(c);
}

/* On a new connection it is no stale one: the request fails, once. */
static void
test_reset(void **state)
{
	struct client c;
	struct peer *p = begin(&c, rst, NULL, "/");

	(void)state;
	client_send(&c, "{}", 1);
	client_until(&c, &c.faileds, 1);
	assert_int_equal(c.err.code, ST_RESET);
	assert_int_equal(c.downs, 0);
	assert_int_equal(peer_accepts(p), 1);
	end(&c, p);
}

static void
slow(struct conn *c, void *arg)
{
	(void)arg;
	if (!get_http(c))
		return;
	puts_(c, OK_HEAD "Content-Length: 100000\r\n\r\n{");
	hold(c);
}

static void
mute(struct conn *c, void *arg)
{
	(void)arg;
	drain(c);
}

/* Fault 27: the whole transfer has a limit, whether nothing comes or too little. */
static void
test_timeout(void **state)
{
	static const script_fn scripts[] = {slow, mute};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct peer *p = peer_start(&(struct peer_how){.script = scripts[i]});
		char url[60];
		struct client c;

		snprintf(url, sizeof(url), "http://127.0.0.1:%u", peer_port(p));
		client_init(&c, url);
		c.opts.request_timeout_ns = 200 * NS_MS;
		client_open(&c);
		client_send(&c, "{}", 1);
		client_until(&c, &c.faileds, 1);
		assert_int_equal(c.err.code, ST_TIMEOUT);
		assert_int_equal(c.downs, 0);
		end(&c, p);
	}
}

/* The stall is found by our own clock, which the test may turn. */
static void
test_stall(void **state)
{
	struct client c;
	struct peer *p = begin(&c, slow, NULL, "/");

	(void)state;
	client_send(&c, "{}", 1);
	while (c.t->class->deadline(c.t) == UINT64_MAX)
		client_run(&c, 10);
	c.t->class->service(c.t, c.t->class->deadline(c.t));
	assert_int_equal(c.faileds, 1);
	assert_int_equal(c.err.code, ST_TIMEOUT);
	assert_non_null(strstr(c.err.text, "stalled"));
	end(&c, p);
}

static void
test_refused(void **state)
{
	struct client c;
	struct peer *p = begin(&c, mute, NULL, "/SECRET");
	char url[60];

	(void)state;
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", peer_port(p));
	end(&c, p);
	client_init(&c, url);
	client_open(&c);
	for (int i = 0; i < 5; i++)
		client_send(&c, "{}", 1);
	c.again = "{}";
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_REFUSED);
	assert_string_equal(c.err.cure, "start geth with --http");
	assert_true(c.faileds >= 5);
	client_fini(&c);

	client_init(&c, "http://nothing.invalid:1/SECRET");
	client_open(&c);
	client_send(&c, "{}", 1);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_DNS);
	assert_int_equal(c.retry_ns, 10 * NS_S);
	client_fini(&c);
}

/* Fault 30: 307 and 308 keep the POST on the same host; a 308 is remembered. */
static void
redirecting(struct conn *c, void *arg)
{
	int *asked = arg;

	while (get_http(c)) {
		if (strncmp(c->in, "POST /old ", 10) == 0) {
			++*asked;
			http_put(c, "308 Permanent", "Location: /new?k=v\r\n", "");
		} else if (strncmp(c->in, "POST /loop ", 11) == 0) {
			http_put(c, "307 Again", "Location: /loop\r\n", "");
		} else {
			http_put(c, "200 OK", "", strstr(c->in, "\r\n\r\n") + 4);
		}
	}
}

static void
test_redirect(void **state)
{
	int asked = 0;
	struct client c;
	struct peer *p = begin(&c, redirecting, &asked, "/old");

	(void)state;
	client_send(&c, "{1}", 1);
	client_until(&c, &c.messages, 1);
	client_send(&c, "{2}", 2);
	client_until(&c, &c.messages, 2);
	assert_string_equal(c.text.p, "{1}\n{2}\n");
	assert_int_equal(asked, 1);
	end(&c, p);

	p = begin(&c, redirecting, &asked, "/loop");
	client_send(&c, "{1}", 1);
	client_until(&c, &c.faileds, 1);
	assert_int_equal(c.err.detail, 307);
	end(&c, p);
}

static int
setup(void **state)
{
	struct err e;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	return net_global_init(&e) == ST_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	net_global_fini();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keep_alive),
		cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_jwt),
		cmocka_unit_test(test_bad_answers),
		cmocka_unit_test(test_error_body),
		cmocka_unit_test(test_retry_after),
		cmocka_unit_test(test_retry_after_forms),
		cmocka_unit_test(test_chunked),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_big),
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_redirect),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
