/* Unit tests of net/ws over real sockets: provider.md faults 4–9, 17, 18, 20, 33. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>

#include "base/time.h"
#include "net/ws.h"
#include "net_peer.h"

/* Starts a peer with the script and a client on it. */
static struct peer *
begin(struct client *c, script_fn script, void *arg, const char *target)
{
	struct peer *p = peer_start(&(struct peer_how){.script = script, .arg = arg});
	char url[200];

	snprintf(url, sizeof(url), "ws://127.0.0.1:%u%s", peer_port(p), target);
	client_init(c, url);
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
echo(struct conn *c, void *arg)
{
	(void)arg;
	if (!get_http(c))
		return;
	ws_welcome(c, "");
	for (;;) {
		int op = ws_get(c);

		if (op < 0)
			return;
		if (op == 1)
			ws_put(c, 0x81, c->in, c->in_n);
		if (op == 8) {
			ws_put(c, 0x88, c->in, c->in_n);
			return;
		}
	}
}

static void
test_echo(void **state)
{
	struct client c;
	struct peer *p = begin(&c, echo, NULL, "/");
	uint64_t in, out, before = time_mono();
	char long_text[3000];

	(void)state;
	client_open(&c);
	{
		struct err e;

		assert_int_equal(c.t->class->send(c.t, "x", 1, 0, &e), ST_AGAIN);
	}
	client_until(&c, &c.ups, 1);
	assert_string_equal(c.t->class->doing(c.t), "");
	assert_true(c.phases.ready > 0 && c.phases.ready < 10 * NS_S);
	assert_true(c.phases.tcp > 0 && c.phases.tcp <= c.phases.ready);
	client_send(&c, "{\"id\":1}", 0);
	client_send(&c, "{\"id\":2}", 0);
	client_until(&c, &c.messages, 2);
	assert_string_equal(c.text.p, "{\"id\":1}\n{\"id\":2}\n");
	assert_true(c.meta.recv_ns >= before && c.meta.recv_ns <= time_mono());
	assert_true(c.meta.wall_ns > UINT64_C(1600000000) * NS_S);
	assert_int_equal(c.meta.wire_bytes, 10);
	assert_int_equal(c.meta.http_status, 0);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = 0;
	client_send(&c, long_text, 0);
	client_until(&c, &c.messages, 3);
	assert_non_null(strstr(c.text.p, "#2999"));
	c.t->class->bytes(c.t, &in, &out);
	assert_true(in > 3000 && out > 3000);
	end(&c, p);
}

/* Faults 6 and 9: three frames with a ping of 125 bytes between them; the pong has its payload. */
static void
fragments(struct conn *c, void *arg)
{
	static char block[300000], ping[126];
	int *pong = arg;

	if (!get_http(c))
		return;
	memset(block, 'b', sizeof(block));
	memset(ping, 'p', 125);
	ws_welcome(c, "");
	drip(c, "\x01\x01" "b\x89\x7d", 5);
	drip(c, ping, 125);
	ws_put(c, 0x00, block, 1000);
	ws_put(c, 0x8a, "", 0);
	ws_put(c, 0x80, block, sizeof(block));
	/* Two messages in one write, the second in binary. */
	put(c, "\x81\x02{}\x82\x02[]", 8);
	*pong = ws_get(c) == 10 && c->in_n == 125 && memcmp(c->in, ping, 125) == 0;
	drain(c);
}

static void
test_fragments(void **state)
{
	int pong = 0;
	struct client c;
	struct peer *p = begin(&c, fragments, &pong, "/");

	(void)state;
	client_open(&c);
	client_until(&c, &c.messages, 3);
	client_run(&c, 20);
	assert_string_equal(c.text.p, "#301001\n{}\n[]\n");
	end(&c, p);
	assert_int_equal(pong, 1);
}

/* Frames come in the same write as the end of the upgrade. */
static void
eager(struct conn *c, void *arg)
{
	char out[400];
	char accept[WS_ACCEPT_SIZE], key[32];

	(void)arg;
	if (!get_http(c))
		return;
	sscanf(strcasestr(c->in, "Sec-WebSocket-Key: ") + 19, "%31s", key);
	if (ws_accept(accept, key, NULL) != ST_OK)
		return;
	snprintf(out, sizeof(out),
		"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 101 OK\r\nUpgrade: websocket\r\n"
		"Connection: upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n\x81\x02{}",
		accept);
	puts_(c, out);
	drain(c);
}

static void
test_eager(void **state)
{
	struct client c;
	struct peer *p = begin(&c, eager, NULL, "/");

	(void)state;
	c.again = "{\"from\":\"callback\"}";
	client_open(&c);
	client_until(&c, &c.messages, 1);
	assert_int_equal(c.ups, 1);
	assert_string_equal(c.text.p, "{}\n");
	end(&c, p);
}

/* A message is measured over its reads; 8 MiB come whole. */
static void
big(struct conn *c, void *arg)
{
	size_t n = 8 << 20;
	char *p = malloc(n);

	(void)arg;
	if (!get_http(c))
		goto out;
	memset(p, 'x', n);
	ws_welcome(c, "");
	ws_put(c, 0x81, p, n);
	drain(c);
out:
	free(p);
}

static void
test_big(void **state)
{
	struct client c;
	struct peer *p = begin(&c, big, NULL, "/");

	(void)state;
	client_open(&c);
	client_until(&c, &c.messages, 1);
	assert_string_equal(c.text.p, "#8388608\n");
	assert_int_equal(c.meta.wire_bytes, (8 << 20) + 10);
	assert_true(c.meta.reads >= 2);
	assert_true(c.meta.xfer_bytes > 0 && c.meta.xfer_bytes < (8 << 20) + 10);
	assert_true(c.meta.xfer_ns > 0);
	end(&c, p);
}

/* What the upgrade carries: headers of ours, of the user, and who we are. */
static void
keep_request(struct conn *c, void *arg)
{
	if (!get_http(c))
		return;
	memcpy(arg, c->in, c->in_n < 4000 ? c->in_n + 1 : 4000);
	ws_welcome(c, "");
	drain(c);
}

static void
test_request(void **state)
{
	static const char *const headers[] = {"X-Key: k1", "Upgrade: h2c", "host: other.example"};
	char seen[4000] = "";
	struct client c;
	struct peer *p = begin(&c, keep_request, seen, "/v3/key?a=b");

	(void)state;
	free(c.url.user);
	free(c.url.pass);
	c.url.user = strdup("me@corp");
	c.url.pass = strdup("a:b%c");
	c.opts.headers = headers;
	c.opts.n_headers = 3;
	client_open(&c);
	client_until(&c, &c.ups, 1);
	assert_memory_equal(seen, "GET /v3/key?a=b HTTP/1.1\r\n", 26);
	/* base64 of me@corp:a:b%c */
	assert_non_null(strstr(seen, "\r\nAuthorization: Basic bWVAY29ycDphOmIlYw==\r\n"));
	assert_non_null(strstr(seen, "\r\nX-Key: k1\r\n"));
	assert_non_null(strstr(seen, "\r\nhost: other.example\r\n"));
	assert_null(strstr(seen, "127.0.0.1"));
	assert_null(strstr(seen, "h2c"));
	assert_null(strstr(seen, "Extensions"));
	assert_non_null(strstr(seen, "\r\nSec-WebSocket-Version: 13\r\n"));
	end(&c, p);
}

static void
test_jwt(void **state)
{
	char seen[4000] = "", file[] = "/tmp/chaintop-jwt-XXXXXX";
	int fd = mkstemp(file);
	struct client c;
	struct peer *p = begin(&c, keep_request, seen, "/");
	struct err e;

	(void)state;
	assert_int_equal(
		dprintf(fd, "0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"), 67);
	c.opts.jwt_file = file;
	client_open(&c);
	client_until(&c, &c.ups, 1);
	assert_non_null(strstr(seen, "\r\nAuthorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."));
	end(&c, p);
	unlink(file);

	client_init(&c, "ws://127.0.0.1:1");
	c.opts.jwt_file = file;
	assert_int_equal(transport_ws.open(&c.t, c.loop, &c.url, &c.opts, &(struct net_handler){0}, &e),
		ST_USAGE);
	assert_null(c.t);
	client_fini(&c);
}

/* ---- what does not ---- */

static void
answer(struct conn *c, void *arg)
{
	if (get_http(c))
		puts_(c, arg);
}

struct refusal {
	const char *answer;
	enum status st;
	int detail;
	unsigned retry_s;
	const char *cure; /* part of it */
};

static const struct refusal refusals[] = {
	{"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n<html>", ST_HTTP, 200, 0, "geth"},
	{"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{}", ST_HTTP, 200, 0, "--ws"},
	{"HTTP/1.1 401 Unauthorized\r\n\r\n", ST_AUTH, 401, 0, "--jwt"},
	{"HTTP/1.1 403 Forbidden\n\n", ST_AUTH, 403, 0, ""},
	{"HTTP/1.1 404 Not Found\r\n\r\n", ST_HTTP, 404, 0, "path"},
	{"HTTP/1.1 400 Bad Request\r\n\r\n", ST_HTTP, 400, 0, "http://"},
	{"HTTP/1.1 429 Too Many\r\nretry-after: 7\r\n\r\n", ST_RATE, 429, 7, "plan"},
	{"HTTP/1.1 429 Too Many\r\nRetry-After: 99999\r\n\r\n", ST_RATE, 429, 300, "plan"},
	{"HTTP/1.1 429 Too Many\r\n\r\n", ST_RATE, 429, 0, "plan"},
	{"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<h1>", ST_HTTP, 502, 0, "again"},
	{"HTTP/1.1 503 X\r\nRetry-After: 3\r\n\r\n", ST_HTTP, 503, 3, ""},
	{"HTTP/1.1 301 Moved\r\nLocation: https://Other.example:1/KEY\r\n\r\n", ST_HTTP, 301, 0, "address"},
	{"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: wrong\r\n\r\n", ST_MALFORMED, 101, 0,
		"proxy"},
	{"HTTP/1.1 101 X\r\n\r\n", ST_MALFORMED, 101, 0, "proxy"},
	{"SSH-2.0-OpenSSH\r\n", ST_MALFORMED, 0, 0, "port"},
	{"\x15\x03\x01", ST_MALFORMED, 0, 0, "port"},
	{"HTTP/1.1 abc\r\n\r\n", ST_MALFORMED, 0, 0, ""},
	{"", ST_RESET, 0, 0, ""},
	{"HTTP/1.1 101 Swi", ST_RESET, 0, 0, ""},
};

static void
test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		struct client c;
		struct peer *p = begin(&c, answer, (void *)(uintptr_t)r->answer, "/");

		client_open(&c);
		client_until(&c, &c.downs, 1);
		assert_int_equal(c.ups, 0);
		if (c.err.code != r->st || c.err.detail != r->detail)
			fail_msg("%s → %s %d %s", r->answer, status_word(c.err.code), c.err.detail, c.err.text);
		assert_int_equal(c.retry_ns, r->retry_s * NS_S);
		if (strstr(c.err.cure, r->cure) == NULL)
			fail_msg("%s → cure: %s", r->answer, c.err.cure);
		assert_null(strstr(c.err.text, "KEY"));
		/* Dead is dead. */
		assert_true(c.t->class->deadline(c.t) == UINT64_MAX);
		c.t->class->service(c.t, time_mono());
		assert_int_equal(c.downs, 1);
		end(&c, p);
	}
}

static void
extension(struct conn *c, void *arg)
{
	(void)arg;
	if (get_http(c))
		ws_welcome(c, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
	drain(c);
}

static void
huge_head(struct conn *c, void *arg)
{
	(void)arg;
	if (!get_http(c))
		return;
	puts_(c, "HTTP/1.1 101 X\r\n");
	for (int i = 0; i < 1000; i++)
		puts_(c, "X-Filler: 0123456789012345678901234567890123456789\r\n");
	drain(c);
}

static void
mute(struct conn *c, void *arg)
{
	(void)arg;
	drain(c);
}

static void
expect_down(script_fn script, void *arg, uint64_t timeout_ns, enum status st, const char *text)
{
	struct client c;
	struct peer *p = begin(&c, script, arg, "/");

	c.opts.connect_timeout_ns = timeout_ns;
	client_open(&c);
	client_until(&c, &c.downs, 1);
	if (c.err.code != st || strstr(c.err.text, text) == NULL)
		fail_msg("%s: %s", status_word(c.err.code), c.err.text);
	end(&c, p);
}

static void
test_upgrade_faults(void **state)
{
	(void)state;
	expect_down(extension, NULL, 0, ST_MALFORMED, "extension");
	expect_down(huge_head, NULL, 0, ST_TOO_BIG, "16 KiB");
	expect_down(mute, NULL, 200 * NS_MS, ST_TIMEOUT, "upgrade");
}

/* Upgrades, writes the bytes of arg (length in front), waits for the client's close and goes. */
struct bytes {
	size_t n;
	const char *p;
	int close_code; /* what the client answered */
};

static void
raw(struct conn *c, void *arg)
{
	struct bytes *b = arg;

	if (!get_http(c))
		return;
	ws_welcome(c, "");
	put(c, b->p, b->n);
	while (b->close_code == 0) {
		int op = ws_get(c);

		if (op < 0)
			return;
		if (op == 8)
			b->close_code = c->in_n >= 2 ? (uint8_t)c->in[0] << 8 | (uint8_t)c->in[1] : 1005;
	}
}

static void
test_closes(void **state)
{
	static const struct {
		const char *p;
		size_t n;
		enum status st;
		int code;
		unsigned retry_s;
		const char *text;
	} t[] = {
		{"\x88\x02\x03\xe8", 4, ST_CLOSED, 1000, 0, "1000"},
		{"\x88\x05\x03\xe9" "bye", 7, ST_CLOSED, 1001, 0, "going away: bye"},
		{"\x88\x00", 2, ST_CLOSED, 1005, 0, ""},
		{"\x88\x02\x03\xea", 4, ST_MALFORMED, 1002, 0, "protocol"},
		{"\x88\x0c\x03\xf0" "slow \x1b[31m", 14, ST_RATE, 1008, 10, "slow ?[31m"},
		{"\x88\x02\x03\xf1", 4, ST_TOO_BIG, 1009, 0, "too big"},
		{"\x88\x02\x03\xf5", 4, ST_CLOSED, 1013, 5, "later"},
		{"\xc1\x00", 2, ST_MALFORMED, 1002, 0, "reserved"},
		{"\x81\x80" "abcd", 6, ST_MALFORMED, 1002, 0, "masked"},
		{"\x81\x7f\0\0\0\1\0\0\0\0", 10, ST_TOO_BIG, 1009, 0, "limit"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct bytes b = {.n = t[i].n, .p = t[i].p};
		struct client c;
		struct peer *p = begin(&c, raw, &b, "/");

		client_open(&c);
		client_until(&c, &c.downs, 1);
		if (c.err.code != t[i].st || strstr(c.err.text, t[i].text) == NULL)
			fail_msg("%zu: %s: %s", i, status_word(c.err.code), c.err.text);
		assert_int_equal(c.retry_ns, t[i].retry_s * NS_S);
		end(&c, p);
		assert_int_equal(b.close_code, t[i].code);
	}
}

/* Fault 18: an empty message is odd, the connection goes on; junk inside a frame is the decoder's matter. */
static void
test_odd(void **state)
{
	struct bytes b = {.n = 13, .p = "\x81\x00\x81\x03{x}\x82\x04null"};
	struct client c;
	struct peer *p = begin(&c, raw, &b, "/");

	(void)state;
	client_open(&c);
	client_until(&c, &c.messages, 2);
	assert_int_equal(c.odds, 1);
	assert_int_equal(c.downs, 0);
	assert_string_equal(c.text.p, "{x}\nnull\n");
	end(&c, p);
}

static void
rst(struct conn *c, void *arg)
{
	const char *how = arg;

	if (!get_http(c))
		return;
	ws_welcome(c, "");
	if (strcmp(how, "inside") == 0)
		put(c, "\x81\x05{\"a", 5);
	if (ws_get(c) < 0 || strcmp(how, "inside") == 0)
		return;
	reset(c);
}

static void
test_reset(void **state)
{
	struct client c;
	struct peer *p = begin(&c, rst, (void *)(uintptr_t)"reset", "/");

	(void)state;
	client_open(&c);
	client_until(&c, &c.ups, 1);
	client_send(&c, "{}", 0);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_RESET);
	end(&c, p);

	p = begin(&c, rst, (void *)(uintptr_t)"inside", "/");
	client_open(&c);
	client_until(&c, &c.ups, 1);
	client_send(&c, "{}", 0);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_RESET);
	assert_non_null(strstr(c.err.text, "inside a message"));
	end(&c, p);
}

static void
silent(struct conn *c, void *arg)
{
	(void)arg;
	if (get_http(c))
		ws_welcome(c, "");
	while (ws_get(c) >= 0)
		;
}

static void
ponging(struct conn *c, void *arg)
{
	int op, *pings = arg;

	if (get_http(c))
		ws_welcome(c, "");
	while ((op = ws_get(c)) >= 0)
		if (op == 9) {
			++*pings;
			ws_put(c, 0x8a, c->in, c->in_n);
		}
}

/* Fault 8: open but dead. */
static void
test_ping(void **state)
{
	struct client c;
	struct peer *p = begin(&c, silent, NULL, "/");
	uint64_t start;
	int pings = 0;

	(void)state;
	c.opts.ping_ns = 100 * NS_MS;
	client_open(&c);
	client_until(&c, &c.ups, 1);
	start = time_mono();
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_SILENT);
	assert_in_range(time_mono() - start, 190 * NS_MS, 2 * NS_S);
	end(&c, p);

	p = begin(&c, ponging, &pings, "/");
	c.opts.ping_ns = 50 * NS_MS;
	client_open(&c);
	client_run(&c, 600);
	assert_int_equal(c.downs, 0);
	assert_int_equal(c.ups, 1);
	end(&c, p);
	assert_true(pings >= 3);
}

static void
test_refused(void **state)
{
	struct client c;
	struct peer *p = begin(&c, mute, NULL, "/SECRET");
	char url[100];

	(void)state;
	snprintf(url, sizeof(url), "ws://127.0.0.1:%u/SECRET", peer_port(p));
	end(&c, p);
	client_init(&c, url);
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_REFUSED);
	assert_string_equal(c.err.cure, "start geth with --ws");
	assert_int_equal(c.retry_ns, 0);
	client_fini(&c);

	/* .invalid never resolves (RFC 6761). */
	client_init(&c, "ws://nothing.invalid:1/SECRET");
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_DNS);
	assert_null(strstr(c.err.text, "SECRET"));
	assert_int_equal(c.retry_ns, 10 * NS_S);
	client_fini(&c);
}

static void
deaf(struct conn *c, void *arg)
{
	(void)arg;
	if (get_http(c))
		ws_welcome(c, "");
	hold(c);
}

/* A server that stops reading: sends end in "again", memory is bounded, and closing does not block. */
static void
test_no_reader(void **state)
{
	struct client c;
	struct peer *p = begin(&c, deaf, NULL, "/");
	size_t n = 100000;
	char *text = malloc(n);
	enum status st = ST_OK;
	struct err e;
	int sent = 0;

	(void)state;
	memset(text, 'x', n);
	client_open(&c);
	client_until(&c, &c.ups, 1);
	for (; sent < 1000 && st == ST_OK; sent++)
		st = c.t->class->send(c.t, text, n, 0, &e);
	assert_int_equal(st, ST_AGAIN);
	assert_true(sent < 200);
	free(text);
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
		cmocka_unit_test(test_echo),
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_eager),
		cmocka_unit_test(test_big),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_jwt),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_upgrade_faults),
		cmocka_unit_test(test_closes),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_ping),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_reader),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
