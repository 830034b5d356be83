/* Unit tests of base/hist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"

#define US UINT64_C(1000)
#define SECOND UINT64_C(1000000000)

static uint64_t seed = 42;

static uint64_t
next(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void
close_to(uint64_t got, uint64_t want)
{
	double error = fabs((double)got - (double)want) / (double)want;

	if (error > 0.01)
		fail_msg("%llu instead of %llu: %.2f %%", (unsigned long long)got,
			(unsigned long long)want, error * 100);
}

/* One sample between two others: its own percentile shows the bucket's error. */
static void
test_every_scale(void **state)
{
	static struct hist h;
	double x;
	uint64_t v;

	(void)state;
	for (x = 1000; x < 1e11; x *= 1.0003) {
		v = (uint64_t)x;
		hist_clear(&h);
		hist_add(&h, 0);
		hist_add(&h, v);
		hist_add(&h, UINT64_MAX);
		close_to(hist_percentile(&h, 50), v);
	}
}

/* Against a sort of the same samples: nearest rank is sorted[ceil(p/100 × n) - 1]. */
static void
against_sort(const uint64_t *sample, size_t n)
{
	static const unsigned tenths[] = {0, 1, 10, 50, 100, 250, 333, 500, 750, 900, 950, 990,
		995, 999, 1000};
	static struct hist h;
	uint64_t *sorted = malloc(n * sizeof(*sorted)), sum = 0;
	size_t i, rank;

	assert_non_null(sorted);
	memcpy(sorted, sample, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	hist_clear(&h);
	for (i = 0; i < n; i++) {
		hist_add(&h, sample[i]);
		sum += sample[i];
	}
	assert_int_equal(h.n, n);
	assert_int_equal(h.sum, sum);
	assert_int_equal(h.min, sorted[0]);
	assert_int_equal(h.max, sorted[n - 1]);
	assert_int_equal(hist_percentile(&h, 0), sorted[0]);
	assert_int_equal(hist_percentile(&h, 100), sorted[n - 1]);
	for (i = 0; i < sizeof(tenths) / sizeof(tenths[0]); i++) {
		rank = (tenths[i] * n + 999) / 1000;
		close_to(hist_percentile(&h, tenths[i] / 10.0), sorted[rank > 0 ? rank - 1 : 0]);
	}
	free(sorted);
}

static void
test_error(void **state)
{
	enum { N = 30000 };
	uint64_t *sample = malloc(N * sizeof(*sample));
	size_t i, n;

	(void)state;
	assert_non_null(sample);
	for (i = 0; i < N; i++) /* log-uniform over 1 µs … 100 s */
		sample[i] = (uint64_t)(1000 * exp((double)(next() >> 11) * 0x1p-53 * log(1e8)));
	for (n = 1; n <= 40; n++)
		against_sort(sample, n);
	against_sort(sample, N);
	for (i = 0; i < N; i++) /* a fast method with a long tail */
		sample[i] = 300 * US + next() % (50 * US) + (next() % 100 == 0 ? 40000 * US : 0);
	against_sort(sample, N);
	for (i = 0; i < N; i++) /* around the first octaves */
		sample[i] = 1000 + next() % 6000;
	against_sort(sample, N);
	free(sample);
}

/* 99.9 % of 1000 samples is the 999th, not the last, whatever 0.999 is in binary. */
static void
test_rank(void **state)
{
	static struct hist h;
	int i;

	(void)state;
	for (i = 0; i < 999; i++)
		hist_add(&h, 10 * US);
	hist_add(&h, SECOND);
	close_to(hist_percentile(&h, 99.9), 10 * US);
	assert_int_equal(hist_percentile(&h, 99.91), SECOND);
	assert_int_equal(hist_percentile(&h, -5), 10 * US);
	assert_int_equal(hist_percentile(&h, 500), SECOND);
	assert_int_equal(hist_percentile(&h, NAN), 10 * US);
	assert_int_equal(hist_percentile(&h, INFINITY), SECOND);
}

static void
test_limits(void **state)
{
	static struct hist h;

	(void)state;
	assert_true(hist_percentile(&h, 50) == UINT64_MAX);
	hist_add(&h, 0);
	hist_add(&h, 0);
	hist_add(&h, 0);
	assert_int_equal(hist_percentile(&h, 50), 0); /* counted as 1 µs, but max is known */
	hist_clear(&h);
	hist_add(&h, UINT64_MAX);
	hist_add(&h, UINT64_MAX);
	hist_add(&h, UINT64_MAX);
	assert_true(hist_percentile(&h, 50) == UINT64_MAX);
	assert_true(h.sum == UINT64_MAX); /* full, not wrapped */
	hist_clear(&h);
	hist_add(&h, 7 * US);
	hist_add(&h, 7 * US);
	hist_add(&h, 7 * US);
	assert_int_equal(hist_percentile(&h, 50), 7 * US); /* between min and max */
}

static void
test_merge(void **state)
{
	static struct hist a, b, all;
	uint64_t v;
	int i;
	double p;

	(void)state;
	for (i = 0; i < 5000; i++) {
		v = 1 + next() % SECOND;
		hist_add(i % 3 ? &a : &b, v);
		hist_add(&all, v);
	}
	hist_merge(&a, &b);
	assert_memory_equal(&a, &all, sizeof(all));
	hist_clear(&b);
	hist_merge(&a, &b); /* an empty one changes nothing, also not min */
	assert_memory_equal(&a, &all, sizeof(all));
	hist_merge(&b, &all);
	for (p = 0; p <= 100; p += 0.5)
		assert_int_equal(hist_percentile(&b, p), hist_percentile(&all, p));
	/* Counters stop at their end instead of starting again at 0. */
	hist_clear(&a);
	hist_add(&a, US);
	a.count[0] = UINT32_MAX;
	hist_add(&a, US);
	assert_int_equal(a.count[0], UINT32_MAX);
	hist_merge(&a, &a);
	assert_int_equal(a.count[0], UINT32_MAX);
}

/* Ten slices of a second. At every step the window holds what a plain list would. */
static void
test_window(void **state)
{
	enum { N = 4000, SLICES = 10 };
	static struct hist got;
	static uint64_t when[N], value[N];
	struct hist_window w;
	uint64_t now = 5000 * SECOND, e, n, sum;
	int i, k;

	(void)state;
	assert_int_equal(hist_window_init(&w, SLICES, SECOND), 0);
	hist_window_get(&w, now, &got);
	assert_int_equal(got.n, 0);
	for (i = 0; i < N; i++) {
		now += next() % 50 == 0 ? next() % (30 * SECOND) : next() % (SECOND / 5);
		when[i] = now;
		value[i] = 1 + next() % SECOND;
		hist_window_add(&w, now, value[i]);
		if (i % 7 != 0)
			continue;
		e = now + (i % 2 ? next() % (15 * SECOND) : 0);
		hist_window_get(&w, e, &got);
		for (n = sum = 0, k = 0; k <= i; k++)
			if (when[k] / SECOND + SLICES > e / SECOND) {
				n++;
				sum += value[k];
			}
		assert_int_equal(got.n, n);
		assert_int_equal(got.sum, sum);
	}
	hist_window_get(&w, now + 10 * SECOND, &got);
	assert_int_equal(got.n, 0);
	hist_window_get(&w, UINT64_MAX, &got);
	assert_int_equal(got.n, 0);
	hist_window_fini(&w);
	assert_null(w.slice);
}

static void
test_window_late_samples(void **state)
{
	static struct hist got;
	struct hist_window w;

	(void)state;
	assert_int_equal(hist_window_init(&w, 4, SECOND), 0);
	hist_window_add(&w, 100 * SECOND, 1000);
	hist_window_add(&w, 98 * SECOND, 2000); /* still inside */
	hist_window_add(&w, 96 * SECOND, 4000); /* its slice is gone */
	hist_window_get(&w, 100 * SECOND, &got);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.sum, 3000);
	hist_window_get(&w, 102 * SECOND, &got);
	assert_int_equal(got.n, 1);
	/* A look back sees no future. */
	hist_window_get(&w, 99 * SECOND, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.sum, 2000);
	hist_window_fini(&w);
	/* From time 0, as in tests and replays. */
	assert_int_equal(hist_window_init(&w, 4, SECOND), 0);
	hist_window_add(&w, 0, 1000);
	hist_window_add(&w, SECOND, 1000);
	hist_window_get(&w, SECOND, &got);
	assert_int_equal(got.n, 2);
	hist_window_fini(&w);
}

/* Counts below bounds that are ends of steps, against the samples themselves. */
static void
test_below(void **state)
{
	enum { N = 20000, K = 18 };
	static struct hist h;
	uint64_t bounds[K], got[K], *v = malloc(N * sizeof(*v));

	(void)state;
	hist_clear(&h);
	for (int i = 0; i < N; i++) {
		/* Never a bound itself: those count as above. */
		v[i] = (US << next() % 25 | next() % (US << 20)) | 1;
		hist_add(&h, v[i]);
	}
	for (int k = 0; k < K; k++)
		bounds[k] = k % 2 ? 125 * US << k : US << (k + 2);
	qsort(bounds, K, sizeof(*bounds), by_value);
	hist_below(&h, bounds, K, got);
	for (int k = 0; k < K; k++) {
		uint64_t want = 0;

		for (int i = 0; i < N; i++)
			want += v[i] < bounds[k];
		assert_int_equal(got[k], want);
	}
	hist_clear(&h);
	hist_below(&h, bounds, K, got);
	assert_int_equal(got[K - 1], 0);
	free(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_scale),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_window_late_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
