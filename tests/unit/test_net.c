/* Unit tests of net/stream, net/ipc and the loop over real sockets: design.md §3.1, provider.md faults 31, 32, 41–48. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "base/wake.h"
#include "net/loop.h"
#include "net_peer.h"

static char dir[64]; /* of the sockets */

static void
poll_ms(int ms)
{
	poll(NULL, 0, ms);
}

static struct peer *
begin_ipc(struct client *c, script_fn script, void *arg)
{
	char path[100];
	struct peer *p;

	snprintf(path, sizeof(path), "%s/geth.ipc", dir);
	unlink(path);
	p = peer_start(&(struct peer_how){.script = script, .arg = arg, .unix_path = path});
	client_init(c, path);
	client_open(c);
	return p;
}

static void
end(struct client *c, struct peer *p)
{
	client_fini(c);
	peer_stop(p);
}

/* ---- ipc ---- */

static void
echo_lines(struct conn *c, void *arg)
{
	char b;

	(void)arg;
	while (get(c, &b, 1))
		put(c, &b, 1);
}

/* One byte a write both ways. */
static void
test_ipc_echo(void **state)
{
	struct client c;
	struct peer *p = begin_ipc(&c, echo_lines, NULL);
	uint64_t in, out;

	(void)state;
	client_until(&c, &c.ups, 1);
	assert_string_equal(c.t->class->doing(c.t), "");
	client_send(&c, "{\"id\":1,\"s\":\"\\\"}\\u007d\"}", 0);
	client_send(&c, "[1,{\"a\":[]}]", 0);
	client_until(&c, &c.messages, 2);
	assert_string_equal(c.text.p, "{\"id\":1,\"s\":\"\\\"}\\u007d\"}\n[1,{\"a\":[]}]\n");
	assert_true(c.meta.recv_ns > 0 && c.meta.wall_ns > 0);
	assert_int_equal(c.meta.wire_bytes, 12);
	assert_int_equal(c.odds, 0);
	c.t->class->bytes(c.t, &in, &out);
	assert_int_equal(out, 38);
	assert_true(in >= 36);
	end(&c, p);
}

static void
say(struct conn *c, void *arg)
{
	puts_(c, arg);
	hold(c);
}

static void
test_ipc_boundaries(void **state)
{
	struct client c;
	struct peer *p = begin_ipc(&c, say,
		(void *)(uintptr_t) "{\"a\":1}{\"b\":2}\n[3]  garbage and }] more{\"d\":\"{\"}\r\njunk\n\n{}");

	(void)state;
	c.again = "{}"; /* sends from inside the callbacks must be harmless */
	client_until(&c, &c.messages, 5);
	assert_string_equal(c.text.p, "{\"a\":1}\n{\"b\":2}\n[3]\n{\"d\":\"{\"}\n{}\n");
	/* Once a run of junk. */
	assert_int_equal(c.odds, 2);
	assert_int_equal(c.downs, 0);
	end(&c, p);
}

/* Says it when asked, and goes. */
static void
last_words(struct conn *c, void *arg)
{
	char b[3];

	if (get(c, b, sizeof(b)))
		puts_(c, arg);
}

/* Goes at once. */
static void
nothing(struct conn *c, void *arg)
{
	(void)c;
	(void)arg;
}

static void
big(struct conn *c, void *arg)
{
	size_t n = *(size_t *)arg;
	char *p = malloc(n);

	memset(p, 'x', n);
	p[0] = '[';
	p[1] = p[n - 2] = '"';
	p[n - 1] = ']';
	/* Fault 47: in pieces of 4 KiB. */
	for (size_t i = 0; i < n; i += 4096)
		put(c, p + i, n - i < 4096 ? n - i : 4096);
	free(p);
	hold(c);
}

static void
test_ipc_big(void **state)
{
	size_t n = 4 << 20;
	struct client c;
	struct peer *p = begin_ipc(&c, big, &n);
	uint64_t cpu = time_cpu();

	(void)state;
	client_until(&c, &c.messages, 1);
	assert_string_equal(c.text.p, "#4194304\n");
	assert_true(c.meta.reads > 1 && c.meta.xfer_bytes > 0 && c.meta.wire_bytes == n);
	/* Linear: a scan from the start at each read would take many seconds. */
	assert_true(time_cpu() - cpu < 5 * NS_S);
	end(&c, p);
}

static void
test_ipc_limit(void **state)
{
	size_t n = 3 << 20;
	struct client c;
	struct peer *p;
	char path[100];

	(void)state;
	snprintf(path, sizeof(path), "%s/geth.ipc", dir);
	unlink(path);
	p = peer_start(&(struct peer_how){.script = big, .arg = &n, .unix_path = path});
	client_init(&c, path);
	c.opts.max_message = 1 << 20;
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_TOO_BIG);
	end(&c, p);
}

/* Fault 44: the end inside a text is not the end behind one. */
static void
test_ipc_end(void **state)
{
	static const char *const words[] = {"{\"END\":1}\n", "{\"END\":1"};
	struct client c;
	struct peer *p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		p = begin_ipc(&c, last_words, (void *)(uintptr_t)words[i]);
		client_until(&c, &c.ups, 1);
		client_send(&c, "{}", 0);
		client_until(&c, &c.downs, 1);
		assert_int_equal(c.messages, 1 - i);
		assert_int_equal(c.err.code, i == 0 ? ST_CLOSED : ST_RESET);
		if (i == 1)
			assert_non_null(strstr(c.err.text, "inside a message"));
		end(&c, p);
	}
	/* Accepted and closed: whether we were up or not, it is no refusal. */
	for (int i = 0; i < 20; i++) {
		p = begin_ipc(&c, nothing, NULL);
		client_until(&c, &c.downs, 1);
		assert_true(c.err.code == ST_CLOSED || c.err.code == ST_RESET);
		end(&c, p);
	}
}

/* Fault 46: sends into a socket that the node closed. */
static void
gone(struct conn *c, void *arg)
{
	(void)arg;
	shutdown(c->fd, SHUT_RD);
	hold(c);
}

static void
test_ipc_epipe(void **state)
{
	struct client c;
	struct peer *p = begin_ipc(&c, gone, NULL);
	uint64_t stop = time_mono() + 5 * NS_S;
	struct err e;

	(void)state;
	client_until(&c, &c.ups, 1);
	while (c.downs == 0 && time_mono() < stop) {
		(void)!c.t->class->send(c.t, "{}", 2, 0, &e);
		client_run(&c, 10);
	}
	assert_int_equal(c.downs, 1);
	assert_int_equal(c.err.code, ST_RESET);
	end(&c, p);
}

static void
expect_no_socket(const char *path, const char *text, const char *cure)
{
	struct client c;
	char word[500];

	snprintf(word, sizeof(word), "ipc:%s", path);
	client_init(&c, word);
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_REFUSED);
	assert_non_null(strstr(c.err.text, text));
	assert_non_null(strstr(c.err.cure, cure));
	client_fini(&c);
}

static void
test_ipc_no_socket(void **state)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char path[100];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/missing.ipc", dir);
	expect_no_socket(path, "no such socket", "--ipcpath");
	snprintf(path, sizeof(path), "%s/nodir/missing.ipc", dir);
	expect_no_socket(path, "no such socket", "start the node");
	/* A left-over file. */
	snprintf(path, sizeof(path), "%s/stale.ipc", dir);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	close(fd);
	expect_no_socket(path, "nobody listens", "left-over");
	unlink(path);
	/* A file that is no socket. */
	snprintf(path, sizeof(path), "%s/plain-XXXXXX", dir);
	fd = mkstemp(path);
	close(fd);
	expect_no_socket(path, "", "");
	unlink(path);
}

/* Rule 7: longer than a socket address. */
static void
test_ipc_long_path(void **state)
{
	char path[400], part[60];
	struct client c;
	struct peer *p;
	struct err e;

	(void)state;
	memset(part, 'd', sizeof(part));
	part[59] = 0;
	snprintf(path, sizeof(path), "%s/%s", dir, part);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, part, part);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s/geth.ipc", dir, part, part);
	assert_true(strlen(path) > 107);
	p = peer_start(&(struct peer_how){.script = echo_lines, .unix_path = path});
	client_init(&c, path);
	client_open(&c);
	client_until(&c, &c.ups, 1);
	client_send(&c, "{}", 0);
	client_until(&c, &c.messages, 1);
	end(&c, p);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s/%s/none.ipc", dir, part, part);
	expect_no_socket(path, "no such socket", "");
	/* Its folder is missing; its name alone is too long. */
	snprintf(path, sizeof(path), "%s/%s/%s/no/none.ipc", dir, part, part);
	client_init(&c, path);
	assert_int_equal(transport_ipc.open(&c.t, c.loop, &c.url, &c.opts, &(struct net_handler){0}, &e),
		ST_REFUSED);
	client_fini(&c);
	snprintf(path, sizeof(path), "%s/%s%s", dir, part, part);
	client_init(&c, path);
	assert_int_equal(transport_ipc.open(&c.t, c.loop, &c.url, &c.opts, &(struct net_handler){0}, &e),
		ST_USAGE);
	client_fini(&c);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, part, part);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/%s", dir, part);
	rmdir(path);
}

/* ---- TLS ---- */

/* A WebSocket that says a megabyte in many frames, so that TLS holds bytes that poll does not see (rule 4). */
static void
wss(struct conn *c, void *arg)
{
	static char text[30000];
	int op;

	(void)arg;
	if (!get_http(c))
		return;
	memset(text, 'x', sizeof(text));
	ws_welcome(c, "");
	while ((op = ws_get(c)) >= 0)
		if (op == 1)
			for (int i = 0; i < 100; i++)
				ws_put(c, 0x81, text, sizeof(text));
}

static void
https(struct conn *c, void *arg)
{
	(void)arg;
	while (get_http(c))
		http_put(c, "200 OK", "", "{\"id\":1}");
}

static void
plain(struct conn *c, void *arg)
{
	(void)arg;
	puts_(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
	hold(c);
}

static void
test_tls(void **state)
{
	struct peer *p = peer_start(&(struct peer_how){.script = wss, .tls = true});
	struct client c;
	char url[100];

	(void)state;
	snprintf(url, sizeof(url), "wss://localhost:%u/SECRET", peer_port(p));
	client_init(&c, url);
	c.opts.cacert = peer_cert(p);
	client_open(&c);
	client_until(&c, &c.ups, 1);
	assert_true(c.phases.tls > c.phases.tcp && c.phases.ready >= c.phases.tls);
	client_send(&c, "{}", 0);
	client_until(&c, &c.messages, 100);
	client_fini(&c);

	/* Unknown authority. */
	client_init(&c, url);
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_TLS);
	assert_non_null(strstr(c.err.text, "self-signed certificate"));
	assert_non_null(strstr(c.err.cure, "--cacert"));
	assert_null(strstr(c.err.text, "SECRET"));
	client_fini(&c);

	client_init(&c, url);
	c.opts.insecure = true;
	client_open(&c);
	client_until(&c, &c.ups, 1);
	client_fini(&c);

	/* The right authority, the wrong name. */
	snprintf(url, sizeof(url), "wss://127.0.0.1:%u/", peer_port(p));
	client_init(&c, url);
	c.opts.cacert = peer_cert(p);
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_TLS);
	client_fini(&c);

	client_init(&c, url);
	c.opts.cacert = "/nonexistent.pem";
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_TLS);
	assert_non_null(strstr(c.err.cure, "--cacert"));
	end(&c, p);
}

static void
test_tls_http(void **state)
{
	struct peer *p = peer_start(&(struct peer_how){.script = https, .tls = true});
	struct client c;
	char url[100];

	(void)state;
	snprintf(url, sizeof(url), "https://localhost:%u", peer_port(p));
	client_init(&c, url);
	c.opts.cacert = peer_cert(p);
	client_open(&c);
	for (int i = 1; i <= 3; i++) {
		client_send(&c, "{}", 1);
		client_until(&c, &c.messages, i);
	}
	assert_int_equal(peer_accepts(p), 1);
	client_fini(&c);
	client_init(&c, url);
	client_open(&c);
	client_send(&c, "{}", 1);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_TLS);
	assert_int_equal(c.faileds, 1);
	end(&c, p);

	/* TLS towards a server that has none. */
	p = peer_start(&(struct peer_how){.script = plain});
	snprintf(url, sizeof(url), "wss://localhost:%u", peer_port(p));
	client_init(&c, url);
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_TLS);
	assert_non_null(strstr(c.err.text, "does not speak TLS"));
	end(&c, p);
}

/* ---- proxy ---- */

static void
quiet(struct conn *c, void *arg)
{
	(void)arg;
	if (get_http(c))
		ws_welcome(c, "");
	hold(c);
}

static void
proxy(struct conn *c, void *arg)
{
	const char *reply = arg;

	if (!get_http(c) || strncmp(c->in, "CONNECT node.example:8546 ", 26) != 0)
		return;
	puts_(c, reply);
	if (strstr(reply, "200") == NULL || !get_http(c))
		return;
	ws_welcome(c, "");
	drain(c);
}

static void
test_proxy(void **state)
{
	static const struct {
		const char *reply;
		enum status st;
		const char *cure;
	} t[] = {
		{"HTTP/1.1 200 Connected\r\n\r\n", ST_OK, ""},
		{"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n", ST_PROXY, "password"},
		{"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", ST_PROXY, "--proxy"},
	};
	char address[60];
	struct client c;
	struct peer *p;

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		p = peer_start(
			&(struct peer_how){.script = proxy, .arg = (void *)(uintptr_t)t[i].reply});
		snprintf(address, sizeof(address), "http://127.0.0.1:%u", peer_port(p));
		client_init(&c, "ws://node.example:8546");
		c.opts.proxy = address;
		client_open(&c);
		if (t[i].st == ST_OK) {
			client_until(&c, &c.ups, 1);
		} else {
			client_until(&c, &c.downs, 1);
			assert_int_equal(c.err.code, t[i].st);
			assert_non_null(strstr(c.err.cure, t[i].cure));
		}
		end(&c, p);
	}
	/* Never for the loopback, whatever options and environment say. */
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	p = peer_start(&(struct peer_how){.script = quiet});
	snprintf(address, sizeof(address), "ws://127.0.0.1:%u", peer_port(p));
	client_init(&c, address);
	c.opts.proxy = "http://127.0.0.1:1";
	client_open(&c);
	client_until(&c, &c.ups, 1);
	end(&c, p);
	/* But for others. */
	client_init(&c, "ws://node.example:8546");
	client_open(&c);
	client_until(&c, &c.downs, 1);
	assert_int_equal(c.err.code, ST_PROXY);
	client_fini(&c);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
}

/* ---- the loop ---- */

/* Two streams in one loop: bytes wait unread in one while the other connects (libcurl looks for dead connections then). */
static void
greet(struct conn *c, void *arg)
{
	(void)arg;
	puts_(c, "hello");
	hold(c);
}

static void
test_two_streams(void **state)
{
	struct peer *p = peer_start(&(struct peer_how){.script = greet});
	struct net_loop *l = net_loop_new();
	struct net_opts o = {0};
	struct stream *a, *b;
	struct url u;
	struct err e;
	char word[60], text[16384], how[100];
	size_t n;
	enum status st;

	(void)state;
	snprintf(word, sizeof(word), "http://127.0.0.1:%u", peer_port(p));
	assert_int_equal(url_parse(&u, word, &e), ST_OK);
	assert_int_equal(stream_open(&a, l, &u, &o, &e), ST_OK);
	while (stream_state(a, &e) == STREAM_CONNECTING)
		assert_int_equal(net_loop_wait(l, 100, &e), ST_OK);
	assert_int_equal(stream_state(a, &e), STREAM_OPEN);
	stream_describe(a, how, sizeof(how));
	assert_non_null(strstr(how, " → 127.0.0.1:"));
	poll_ms(1100); /* libcurl looks at most once a second */
	assert_int_equal(stream_open(&b, l, &u, &o, &e), ST_OK);
	while (stream_state(b, &e) == STREAM_CONNECTING)
		assert_int_equal(net_loop_wait(l, 100, &e), ST_OK);
	assert_int_equal(stream_state(b, &e), STREAM_OPEN);
	while ((st = stream_recv(a, text, sizeof(text), &n, &e)) == ST_AGAIN)
		assert_int_equal(net_loop_wait(l, 100, &e), ST_OK);
	assert_int_equal(st, ST_OK);
	assert_int_equal(n, 5);
	assert_int_equal(stream_recv(a, text, sizeof(text), &n, &e), ST_AGAIN);
	stream_close(a);
	while ((st = stream_recv(b, text, sizeof(text), &n, &e)) == ST_AGAIN)
		assert_int_equal(net_loop_wait(l, 100, &e), ST_OK);
	assert_int_equal(st, ST_OK);
	stream_close(b);
	url_fini(&u);
	net_loop_free(l);
	peer_stop(p);
}

/* Waits without burning CPU, and wakes at once. */
struct waker {
	struct wake *w;
	uint64_t raised_ns;
};

static void *
raise_soon(void *arg)
{
	struct waker *k = arg;

	poll_ms(150);
	k->raised_ns = time_mono();
	wake_raise(k->w);
	return NULL;
}

static void
test_loop_sleeps(void **state)
{
	struct peer *p = peer_start(&(struct peer_how){.script = quiet});
	struct client c;
	struct wake w;
	struct waker k = {.w = &w};
	struct rusage before, after;
	uint64_t woken;
	pthread_t t;
	char url[60];
	struct err e;
	long us;

	(void)state;
	snprintf(url, sizeof(url), "ws://127.0.0.1:%u", peer_port(p));
	client_init(&c, url);
	assert_int_equal(wake_init(&w, &e), ST_OK);
	assert_int_equal(net_loop_watch(c.loop, wake_fd(&w)), ST_OK);
	c.opts.connect_timeout_ns = 300 * NS_MS;
	client_open(&c);
	client_until(&c, &c.ups, 1);
	client_run(&c, 20);
	getrusage(RUSAGE_THREAD, &before);
	assert_int_equal(pthread_create(&t, NULL, raise_soon, &k), 0);
	assert_int_equal(net_loop_wait(c.loop, -1, &e), ST_OK);
	woken = time_mono();
	wake_take(&w);
	getrusage(RUSAGE_THREAD, &after);
	pthread_join(t, NULL);
	assert_true(woken >= k.raised_ns);
	assert_true(woken - k.raised_ns < 100 * NS_MS);
	us = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000L + after.ru_utime.tv_usec -
		before.ru_utime.tv_usec + after.ru_stime.tv_usec - before.ru_stime.tv_usec;
	assert_true(us < 20000);
	/* Behind the time limit of the connection attempt curl has nothing left that wakes it. */
	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < 4; i++) {
		woken = time_mono();
		assert_int_equal(net_loop_wait(c.loop, 100, &e), ST_OK);
	}
	getrusage(RUSAGE_THREAD, &after);
	assert_true(time_mono() - woken > 90 * NS_MS);
	assert_true(after.ru_nvcsw - before.ru_nvcsw < 20);
	/* And a time limit is kept. */
	woken = time_mono();
	assert_int_equal(net_loop_wait(c.loop, 30, &e), ST_OK);
	assert_in_range(time_mono() - woken, 25 * NS_MS, 1000 * NS_MS);
	end(&c, p);
	wake_fini(&w);
}

/* The socket's first byte wakes the loop, and its stamp is close to when it was sent. */
struct sent {
	_Atomic uint64_t ns;
};

static void
late(struct conn *c, void *arg)
{
	struct sent *s = arg;

	if (get_http(c))
		ws_welcome(c, "");
	for (int i = 0; i < 20; i++) {
		if (ws_get(c) < 0)
			return;
		s->ns = time_mono();
		ws_put(c, 0x81, "{}", 2);
	}
}

static void
test_stamp(void **state)
{
	struct sent s = {0};
	struct peer *p = peer_start(&(struct peer_how){.script = late, .arg = &s});
	uint64_t best = UINT64_MAX;
	struct client c;
	char url[60];

	(void)state;
	snprintf(url, sizeof(url), "ws://127.0.0.1:%u", peer_port(p));
	client_init(&c, url);
	client_open(&c);
	client_until(&c, &c.ups, 1);
	for (int i = 1; i <= 20; i++) {
		client_send(&c, "{}", 0);
		client_until(&c, &c.messages, i);
		if (c.meta.recv_ns - s.ns < best)
			best = c.meta.recv_ns - s.ns;
		assert_true(c.meta.recv_ns >= s.ns);
	}
	assert_true(best < 5 * NS_MS);
	end(&c, p);
}

static void
test_redact(void **state)
{
	static const char *const headers[] = {"Authorization: Bearer TOKEN123", "X-Api-Key:KEY456"};
	struct net_opts o = {.headers = headers, .n_headers = 2};
	char text[200] = "TOKEN123 and KEY456 of PATHKEY at h";
	struct url u;

	(void)state;
	assert_int_equal(url_parse(&u, "wss://h/v3/PATHKEY", NULL), ST_OK);
	net_redact(&u, &o, text);
	assert_string_equal(text, "… and … of … at h");
	url_fini(&u);
}

static void
test_find(void **state)
{
	(void)state;
	assert_ptr_equal(transport_find(URL_WSS), &transport_ws);
	assert_ptr_equal(transport_find(URL_HTTPS), &transport_http);
	assert_ptr_equal(transport_find(URL_IPC), &transport_ipc);
	assert_null(transport_find(URL_GUESS));
	assert_null(transport_find(URL_RECORDING));
}

static int
setup(void **state)
{
	struct err e;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	snprintf(dir, sizeof(dir), "/tmp/chaintop-net-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	return net_global_init(&e) == ST_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	char path[100];

	(void)state;
	snprintf(path, sizeof(path), "%s/geth.ipc", dir);
	unlink(path);
	rmdir(dir);
	net_global_fini();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipc_echo),
		cmocka_unit_test(test_ipc_boundaries),
		cmocka_unit_test(test_ipc_big),
		cmocka_unit_test(test_ipc_limit),
		cmocka_unit_test(test_ipc_end),
		cmocka_unit_test(test_ipc_epipe),
		cmocka_unit_test(test_ipc_no_socket),
		cmocka_unit_test(test_ipc_long_path),
		cmocka_unit_test(test_tls),
		cmocka_unit_test(test_tls_http),
		cmocka_unit_test(test_proxy),
		cmocka_unit_test(test_two_streams),
		cmocka_unit_test(test_loop_sleeps),
		cmocka_unit_test(test_stamp),
		cmocka_unit_test(test_redact),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
