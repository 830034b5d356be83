/* Unit tests of feed/pull_window: order under threads, the bound, and that nobody's turn is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>

#include "feed/pull_window.h"

struct trace {
	struct pull_window w;
	uint64_t expect; /* next in order; in the hands of who writes */
	uint64_t stop_at;
	_Atomic unsigned busy;
	_Atomic bool wrong;
	_Atomic bool ended;
};

static bool take(void *ctx, struct pull_slot *s)
{
	struct trace *t = ctx;

	if (atomic_fetch_add(&t->busy, 1) != 0 || s->number != t->expect)
		atomic_store(&t->wrong, true);
	t->expect++;
	atomic_fetch_sub(&t->busy, 1);
	if (s->number == t->stop_at) {
		atomic_store(&t->ended, true);
		return false;
	}
	return true;
}

static void init(struct trace *t, unsigned n, uint64_t from, uint64_t to)
{
	*t = (struct trace){ .expect = from, .stop_at = UINT64_MAX };
	assert_int_equal(window_init(&t->w, n, 1000), ST_OK);
	window_range(&t->w, from, to);
}

static void test_one_thread(void **state)
{
	struct trace t;
	struct pull_slot *s[4];

	(void)state;
	init(&t, 4, 100, 106);
	for (unsigned i = 0; i < 4; i++) {
		s[i] = window_take(&t.w);
		assert_int_equal(s[i]->number, 100 + i);
		assert_int_equal(s[i]->state, SLOT_TAKEN);
	}
	/* Full, however much is done behind the oldest one. */
	assert_null(window_take(&t.w));
	assert_false(window_put(&t.w, s[2], SLOT_DONE, take, &t));
	assert_false(window_put(&t.w, s[1], SLOT_DONE, take, &t));
	assert_null(window_take(&t.w));
	assert_int_equal(t.expect, 100);
	assert_true(window_put(&t.w, s[0], SLOT_DONE, take, &t));
	assert_int_equal(t.expect, 103);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(window_take(&t.w)->number, 104 + i);
	assert_null(window_take(&t.w));
	assert_true(window_all_taken(&t.w));
	assert_false(window_ended(&t.w));
	assert_true(window_put(&t.w, s[3], SLOT_FAILED, take, &t));
	for (unsigned i = 0; i < 3; i++)
		assert_true(window_put(&t.w, &t.w.slots[(104 + i) % 4], SLOT_DONE, take, &t));
	assert_true(window_ended(&t.w));
	assert_false(t.wrong);
	window_fini(&t.w);
}

static void test_nothing_to_do(void **state)
{
	struct trace t;

	(void)state;
	init(&t, 2, 1, 0);
	assert_true(window_ended(&t.w));
	assert_true(window_all_taken(&t.w));
	assert_null(window_take(&t.w));
	window_fini(&t.w);
}

/* Who says no has the last word: nothing behind it is shown to anybody. */
static void test_refusal(void **state)
{
	struct trace t;
	struct pull_slot *a, *b, *c;

	(void)state;
	init(&t, 4, 0, 10);
	t.stop_at = 1;
	a = window_take(&t.w);
	b = window_take(&t.w);
	c = window_take(&t.w);
	assert_false(window_put(&t.w, c, SLOT_DONE, take, &t));
	assert_false(window_put(&t.w, b, SLOT_DONE, take, &t));
	assert_true(window_put(&t.w, a, SLOT_DONE, take, &t));
	assert_int_equal(t.expect, 2);
	assert_false(window_put(&t.w, window_take(&t.w), SLOT_DONE, take, &t));
	assert_int_equal(t.expect, 2);
	assert_false(window_ended(&t.w));
	window_fini(&t.w);
}

static void *worker(void *arg)
{
	struct trace *t = arg;
	struct pull_slot *held[3];
	unsigned n = 0;

	while (!window_ended(&t->w) && !atomic_load(&t->ended)) {
		struct pull_slot *s = n < 3 ? window_take(&t->w) : NULL;

		if (s)
			held[n++] = s;
		/* Given back in another order than taken. */
		if (n == 3 || (!s && n > 0)) {
			unsigned k = (unsigned)(held[0]->number % n);
			struct pull_slot *back = held[k];

			held[k] = held[--n];
			window_put(&t->w, back, SLOT_DONE, take, t);
		} else if (!s) {
			sched_yield();
		}
	}
	return NULL;
}

static void run_threads(struct trace *t, unsigned threads)
{
	pthread_t id[8];

	for (unsigned i = 0; i < threads; i++)
		assert_int_equal(pthread_create(&id[i], NULL, worker, t), 0);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	assert_false(t->wrong);
}

static void test_many_threads(void **state)
{
	static const unsigned sizes[] = { 12, 13, 16, 64 };

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct trace t;

		init(&t, sizes[i], 1000, 21000);
		run_threads(&t, 4);
		assert_true(window_ended(&t.w));
		assert_int_equal(t.expect, 21001);
		window_fini(&t.w);
	}
}

static void test_refusal_among_threads(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < 50; at++) {
		struct trace t;

		init(&t, 12, 0, 1000000);
		t.stop_at = 100 + at;
		run_threads(&t, 4);
		assert_int_equal(t.expect, 101 + at);
		window_fini(&t.w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_thread),
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_refusal),
		cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_refusal_among_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
