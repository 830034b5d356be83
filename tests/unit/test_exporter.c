/* The server of --metrics: whole pages, made only when asked for, by an app that may be busy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "out/exporter.h"

enum { PAGE = 300000, CLIENTS = 8, ROUNDS = 30 };

struct rig {
	struct wake wake;
	struct exporter *x;
	uint16_t port;
	_Atomic bool quit, deaf; /* deaf: the app does not look */
	_Atomic unsigned rendered;
	pthread_t app;
};

/* The app's loop: a page is one letter, over and over, so that half of another would show. */
static void *app_main(void *arg)
{
	struct rig *r = arg;
	struct pollfd p = { .fd = wake_fd(&r->wake), .events = POLLIN };

	while (!atomic_load(&r->quit)) {
		if (poll(&p, 1, -1) > 0)
			wake_take(&r->wake);
		while (!atomic_load(&r->deaf) && exporter_wanted(r->x)) {
			unsigned k = atomic_fetch_add(&r->rendered, 1);
			struct buf b;

			buf_init(&b, PAGE);
			assert_int_equal(buf_reserve(&b, PAGE - k % 1000), ST_OK);
			memset(b.p, 'a' + (int)(k % 26), PAGE - k % 1000);
			b.len = PAGE - k % 1000;
			b.p[b.len] = 0;
			exporter_give(r->x, &b);
			assert_null(b.p);
			buf_fini(&b);
		}
	}
	return NULL;
}

static void rig_open(struct rig *r, unsigned wait_ms, unsigned age_ms)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	struct exporter_opts o = { .wake = &r->wake, .about = "test", .wait_ms = wait_ms, .age_ms = age_ms };
	struct err e;

	memset(r, 0, sizeof(*r));
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(wake_init(&r->wake, &e), ST_OK);
	o.fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(o.fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(o.fd, 16), 0);
	assert_int_equal(getsockname(o.fd, (struct sockaddr *)&at, &len), 0);
	r->port = ntohs(at.sin_port);
	assert_int_equal(exporter_start(&r->x, &o, &e), ST_OK);
	assert_int_equal(pthread_create(&r->app, NULL, app_main, r), 0);
}

static void rig_close(struct rig *r)
{
	atomic_store(&r->quit, true);
	wake_raise(&r->wake);
	pthread_join(r->app, NULL);
	exporter_stop(r->x);
	wake_fini(&r->wake);
}

static int dial(const struct rig *r)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(r->port)
	};
	struct timeval limit = { .tv_sec = 20 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* Sends text, reads until the end. Returns what came; to be freed. */
static char *talk(const struct rig *r, const char *text)
{
	char *out = malloc(2 * PAGE);
	size_t n = 0;
	ssize_t k;
	int fd = dial(r);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	while (n < 2 * PAGE - 1 && (k = read(fd, out + n, 2 * PAGE - 1 - n)) > 0)
		n += (size_t)k;
	out[n] = 0;
	close(fd);
	return out;
}

static void get(const struct rig *r, const char *request, const char *status, const char *part)
{
	char text[300], *answer;

	snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", request);
	answer = talk(r, text);
	if (strncmp(answer, status, strlen(status)) != 0 || !strstr(answer, part))
		fail_msg("%s, not %s: %.300s", request, status, answer);
	free(answer);
}

static void what_is_there(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, 2000, 200);
	get(&r, "GET /", "HTTP/1.1 200", "/metrics");
	get(&r, "GET /metrics", "HTTP/1.1 200", "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	get(&r, "GET /metrics?x=y", "HTTP/1.1 200", "aaaa");
	get(&r, "HEAD /metrics", "HTTP/1.1 200", "Content-Length: ");
	get(&r, "GET /../etc/passwd", "HTTP/1.1 404", "/metrics");
	get(&r, "POST /metrics", "HTTP/1.1 405", "Allow: GET, HEAD");
	get(&r, "DELETE /", "HTTP/1.1 405", "Allow");
	rig_close(&r);
}

static void *client_main(void *arg)
{
	const struct rig *r = arg;
	unsigned whole = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		char *answer = talk(r, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
		     *body = strstr(answer, "\r\n\r\n");
		size_t n = body ? strlen(body + 4) : 0, length = 0;
		const char *field = strstr(answer, "Content-Length: ");

		if (field)
			length = strtoul(field + 16, NULL, 10);
		whole += n > PAGE / 2 && n == length && strspn(body + 4, (char[]){ body[4], 0 }) == n;
		free(answer);
	}
	return (void *)(uintptr_t)whole;
}

/* Many at once, each page new: every one is whole. */
static void no_page_is_torn(void **state)
{
	pthread_t thread[CLIENTS];
	struct rig r;
	void *whole;

	(void)state;
	rig_open(&r, 10000, 1);
	for (unsigned i = 0; i < CLIENTS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, client_main, &r), 0);
	for (unsigned i = 0; i < CLIENTS; i++) {
		pthread_join(thread[i], &whole);
		assert_int_equal((uintptr_t)whole, ROUNDS);
	}
	assert_true(atomic_load(&r.rendered) > 1);
	rig_close(&r);
}

/* Nothing is made for nobody, and those who ask at the same time get the same. */
static void made_when_asked(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, 2000, 60000);
	assert_int_equal(atomic_load(&r.rendered), 0);
	get(&r, "GET /", "HTTP/1.1 200", "");
	assert_int_equal(atomic_load(&r.rendered), 0);
	for (unsigned i = 0; i < 20; i++)
		get(&r, "GET /metrics", "HTTP/1.1 200", "aaaa");
	assert_int_equal(atomic_load(&r.rendered), 1);
	rig_close(&r);
}

/* An app that does not answer: no old page, and no wait without an end. */
static void a_busy_app(void **state)
{
	uint64_t start;
	struct rig r;

	(void)state;
	rig_open(&r, 100, 1);
	get(&r, "GET /metrics", "HTTP/1.1 200", "aaaa");
	atomic_store(&r.deaf, true);
	for (start = time_mono(); time_mono() - start < 5 * NS_MS;)
		; /* until that page is too old */
	start = time_mono();
	get(&r, "GET /metrics", "HTTP/1.1 503", "busy");
	assert_true(time_mono() - start >= 100 * NS_MS);
	get(&r, "GET /", "HTTP/1.1 200", "/metrics");
	/* What it was asked for it still gives; who asks next gets what is new. */
	atomic_store(&r.deaf, false);
	wake_raise(&r.wake);
	get(&r, "GET /metrics", "HTTP/1.1 200", "");
	rig_close(&r);
}

/* Whoever is connected, however little he says, does not hold up the end. */
static void the_end(void **state)
{
	uint64_t start;
	struct rig r;
	int fd[20];

	(void)state;
	rig_open(&r, 60000, 1);
	atomic_store(&r.deaf, true);
	for (unsigned i = 0; i < 20; i++) {
		fd[i] = dial(&r);
		if (i % 2)
			assert_true(write(fd[i], "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", i < 10 ? 12 : 34) > 0);
	}
	start = time_mono();
	rig_close(&r);
	assert_true(time_mono() - start < 20 * NS_S);
	for (unsigned i = 0; i < 20; i++)
		close(fd[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there),
		cmocka_unit_test(no_page_is_torn),
		cmocka_unit_test(made_when_asked),
		cmocka_unit_test(a_busy_app),
		cmocka_unit_test(the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
