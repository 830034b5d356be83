/* Lines through a bounded queue to somebody who reads slowly, not at all, or goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "out/lines.h"

enum { QUEUE = 4096, PIPE = 4096 };

struct rig {
	int fd[2];
	struct wake wake;
	struct lines *l;
};

static void rig_open(struct rig *r)
{
	struct err e;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(r->fd), 0);
	/* A page: the least that Linux allows. */
	assert_true(fcntl(r->fd[1], F_SETPIPE_SZ, PIPE) >= 0);
	assert_int_equal(wake_init(&r->wake, &e), ST_OK);
	assert_int_equal(lines_start(&r->l, r->fd[1], QUEUE, &r->wake, &e), ST_OK);
}

static void rig_close(struct rig *r)
{
	close(r->fd[0]);
	close(r->fd[1]);
	wake_fini(&r->wake);
}

static void wait_for(struct rig *r)
{
	struct pollfd p = { .fd = wake_fd(&r->wake), .events = POLLIN };

	assert_int_equal(poll(&p, 1, 10000), 1);
	wake_take(&r->wake);
}

/* Puts until queue and pipe are full and nothing moves any more before somebody reads. How many lines that were. */
static unsigned fill(struct rig *r, const char *line, size_t n)
{
	struct pollfd p = { .fd = r->fd[1], .events = POLLOUT };
	unsigned count = 0;
	bool full, put;

	do {
		full = poll(&p, 1, 0) == 0;
		put = lines_put(r->l, line, n);
		count += put;
	} while (put || !full || count * n <= PIPE);
	return count;
}

static size_t read_all(int fd, char *out, size_t n)
{
	size_t have = 0;
	ssize_t k;

	while (have < n && (k = read(fd, out + have, n - have)) > 0)
		have += (size_t)k;
	return have;
}

struct reader {
	int fd;
	size_t n;
	char *got;
};

static void *reader_main(void *arg)
{
	struct reader *r = arg;

	r->n = read_all(r->fd, r->got, r->n);
	return NULL;
}

/* Lines of every length around the queue's end arrive whole and in order. */
static void what_is_put_comes_out(void **state)
{
	enum { TOTAL = 3000000 };
	char *want = malloc(TOTAL + 1000), line[1000];
	struct reader reader = { .n = TOTAL + 1000, .got = malloc(TOTAL + 1000) };
	size_t n = 0;
	unsigned seed = 7;
	pthread_t thread;
	struct rig r;
	struct err e;

	(void)state;
	rig_open(&r);
	reader.fd = r.fd[0];
	assert_int_equal(pthread_create(&thread, NULL, reader_main, &reader), 0);
	while (n < TOTAL) {
		size_t k = (size_t)rand_r(&seed) % 999 + 1;

		for (size_t i = 0; i < k; i++)
			line[i] = (char)('a' + (n + i) % 23);
		line[k - 1] = '\n';
		assert_true(lines_put_wait(r.l, line, k, NULL));
		memcpy(want + n, line, k);
		n += k;
	}
	lines_drain(r.l, NULL);
	assert_int_equal(lines_stop(r.l, 10000, &e), ST_OK);
	close(r.fd[1]);
	r.fd[1] = -1;
	pthread_join(thread, NULL);
	assert_int_equal(reader.n, n);
	assert_memory_equal(reader.got, want, n);
	free(reader.got);
	free(want);
	rig_close(&r);
}

/* Without a reader there is room for the queue and the pipe, and not for more; what was refused leaves no trace. */
static void a_full_queue_refuses(void **state)
{
	char got[4 * QUEUE], line[100];
	size_t n = 0;
	unsigned count;
	struct rig r;
	struct err e;

	(void)state;
	memset(line, 'x', sizeof(line));
	line[99] = '\n';
	rig_open(&r);
	count = fill(&r, line, sizeof(line));
	assert_true(count <= (QUEUE + PIPE) / 100 + 1);
	assert_true(count >= QUEUE / 100);
	n = read_all(r.fd[0], got, count * 100);
	assert_int_equal(n, count * 100);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i], line[i % 100]);
	assert_true(lines_put_wait(r.l, "y\n", 2, NULL));
	assert_int_equal(read_all(r.fd[0], got, 2), 2);
	assert_int_equal(got[0], 'y');
	assert_int_equal(lines_stop(r.l, 10000, &e), ST_OK);
	rig_close(&r);
}

static void a_reader_that_goes_is_noticed(void **state)
{
	struct rig r;
	struct err e;

	(void)state;
	for (int written = 0; written < 2; written++) {
		rig_open(&r);
		close(r.fd[0]);
		r.fd[0] = -1;
		if (written)
			(void)lines_put(r.l, "x\n", 2);
		while (lines_error(r.l, &e) == ST_OK)
			wait_for(&r);
		assert_int_equal(lines_error(r.l, &e), ST_CLOSED);
		assert_false(lines_put(r.l, "x\n", 2));
		assert_false(lines_put_wait(r.l, "x\n", 2, NULL));
		lines_drain(r.l, NULL);
		assert_int_equal(lines_stop(r.l, 10000, &e), ST_CLOSED);
		rig_close(&r);
	}
}

static void a_full_disk_is_said(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct lines *l;
	struct wake w;
	struct err e;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(wake_init(&w, &e), ST_OK);
	assert_int_equal(lines_start(&l, fd, QUEUE, &w, &e), ST_OK);
	assert_true(lines_put(l, "x\n", 2));
	lines_drain(l, NULL);
	assert_int_equal(lines_stop(l, 10000, &e), ST_IO);
	assert_non_null(strstr(e.text, "space"));
	close(fd);
	wake_fini(&w);
}

static void the_end_does_not_wait_for_ever(void **state)
{
	char line[1000];
	struct rig r;
	struct err e;

	(void)state;
	memset(line, 'x', sizeof(line));
	rig_open(&r);
	(void)fill(&r, line, sizeof(line));
	assert_int_equal(lines_stop(r.l, 30, &e), ST_TIMEOUT);
	rig_close(&r);
}

static bool yes(void)
{
	return true;
}

static void a_wait_can_be_ended(void **state)
{
	char line[1000];
	struct rig r;
	struct err e;

	(void)state;
	memset(line, 'x', sizeof(line));
	rig_open(&r);
	(void)fill(&r, line, sizeof(line));
	assert_false(lines_put_wait(r.l, line, sizeof(line), yes));
	lines_drain(r.l, yes);
	assert_int_equal(lines_error(r.l, &e), ST_OK);
	assert_int_equal(lines_stop(r.l, 10, &e), ST_TIMEOUT);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_comes_out),
		cmocka_unit_test(a_full_queue_refuses),
		cmocka_unit_test(a_reader_that_goes_is_noticed),
		cmocka_unit_test(a_full_disk_is_said),
		cmocka_unit_test(the_end_does_not_wait_for_ever),
		cmocka_unit_test(a_wait_can_be_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
