/* Unit tests of base/wake, both variants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "wake_pipe.h"

static int
readable(const struct wake_variant *v, const struct wake *w)
{
	struct pollfd p = {.fd = v->fd(w), .events = POLLIN};

	return poll(&p, 1, 0);
}

static void
test_raise_take(void **state)
{
	const struct wake_variant *v;
	struct wake w;
	int i;

	(void)state;
	for (v = wake_variants; v < wake_variants + WAKE_VARIANTS; v++) {
		assert_int_equal(v->init(&w, NULL), ST_OK);
		assert_true(fcntl(w.rfd, F_GETFD) & FD_CLOEXEC);
		assert_true(fcntl(w.wfd, F_GETFD) & FD_CLOEXEC);
		assert_true(fcntl(w.wfd, F_GETFL) & O_NONBLOCK);
		assert_int_equal(readable(v, &w), 0);
		v->take(&w); /* nothing there: does not block */
		assert_int_equal(readable(v, &w), 0);
		for (i = 0; i < 1000000; i++) /* far more than a pipe holds */
			v->raise(&w);
		assert_int_equal(readable(v, &w), 1);
		v->take(&w);
		assert_int_equal(readable(v, &w), 0);
		v->raise(&w);
		assert_int_equal(readable(v, &w), 1);
		v->fini(&w);
		v->fini(&w);
		assert_int_equal(v->fd(&w), -1);
	}
}

/*
 * A flag that is already set, with the descriptor full: what a raise interrupted before its write
 * leaves behind, many times over. It must neither block nor get lost.
 */
static void
test_full(void **state)
{
	const struct wake_variant *v;
	struct wake w;
	int i;

	(void)state;
	for (v = wake_variants; v < wake_variants + WAKE_VARIANTS; v++) {
		assert_int_equal(v->init(&w, NULL), ST_OK);
		for (i = 0; i < 200000; i++) {
			atomic_store(&w.pending, 0);
			v->raise(&w);
		}
		assert_int_equal(readable(v, &w), 1);
		v->take(&w);
		assert_int_equal(readable(v, &w), 0);
		v->raise(&w);
		assert_int_equal(readable(v, &w), 1);
		v->fini(&w);
	}
}

static struct wake racing;

static void
raise_racing(void)
{
	pipe_wake_raise(&racing);
}

/*
 * A raise in the middle of a take, before or after its read: a set flag means that somebody wrote
 * and nobody read it. Were the flag cleared first, the read would swallow the new raise's byte and
 * all later raises would stay silent.
 */
static void
test_raise_during_take(void **state)
{
	const struct wake_variant *v = &wake_variants[1];
	int after, stands;

	(void)state;
	for (after = 0; after < 2; after++)
		for (stands = 0; stands < 2; stands++) {
			assert_int_equal(v->init(&racing, NULL), ST_OK);
			if (stands)
				v->raise(&racing);
			*(after ? &wake_pipe_after_read : &wake_pipe_before_read) = raise_racing;
			v->take(&racing);
			wake_pipe_after_read = wake_pipe_before_read = NULL;
			assert_true(atomic_load(&racing.pending) == 0 || readable(v, &racing));
			v->take(&racing);
			assert_int_equal(readable(v, &racing), 0);
			v->raise(&racing);
			assert_int_equal(readable(v, &racing), 1);
			v->fini(&racing);
		}
}

static const struct wake_variant *handler_variant;
static struct wake handler_wake;

static void
on_signal(int sig)
{
	(void)sig;
	handler_variant->raise(&handler_wake);
}

static void
test_signal_handler(void **state)
{
	struct sigaction sa = {.sa_handler = on_signal}, old;
	const struct wake_variant *v;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &sa, &old), 0);
	for (v = wake_variants; v < wake_variants + WAKE_VARIANTS; v++) {
		handler_variant = v;
		assert_int_equal(v->init(&handler_wake, NULL), ST_OK);
		errno = 12345;
		raise(SIGUSR1);
		assert_int_equal(errno, 12345);
		assert_int_equal(readable(v, &handler_wake), 1);
		v->fini(&handler_wake);
	}
	sigaction(SIGUSR1, &old, NULL);
}

static void
test_no_descriptors(void **state)
{
	struct rlimit was, none;
	const struct wake_variant *v;
	struct wake w;
	struct err e;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	for (v = wake_variants; v < wake_variants + WAKE_VARIANTS; v++) {
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		assert_int_equal(v->init(&w, &e), ST_IO);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
		assert_int_equal(e.detail, EMFILE);
		v->fini(&w); /* after a failed init: harmless */
	}
}

/* Which variant a build has is decided by two macros; on Linux it is the eventfd. */
static void
test_variant(void **state)
{
	struct wake a, b;

	(void)state;
	assert_int_equal(wake_init(&a, NULL), ST_OK);
	assert_int_equal(pipe_wake_init(&b, NULL), ST_OK);
	assert_int_not_equal(b.rfd, b.wfd);
	print_message("# wake as built: %s\n", a.rfd == a.wfd ? "eventfd" : "pipe");
	wake_fini(&a);
	pipe_wake_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raise_take),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_raise_during_take),
		cmocka_unit_test(test_signal_handler),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
