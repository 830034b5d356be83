/* Log-linear latency histogram and its sliding window; see hist.h. */
#include "base/hist.h"

#include <stdlib.h>
#include <string.h>

/*
 * Octave e holds 1 µs × [2^e, 2^(e+1)), cut into HIST_SUB equal steps; 27 octaves reach past 100 s.
 * A step is at most 1/64 of its lower end, and the middle of a step is reported: half of that.
 */
#define LEAST_NS UINT64_C(1000)
#define MOST_NS UINT64_C(100000000000)

static unsigned
bucket(uint64_t ns)
{
	unsigned octave;

	if (ns < LEAST_NS)
		ns = LEAST_NS;
	if (ns > MOST_NS)
		ns = MOST_NS;
	octave = 63 - (unsigned)__builtin_clzll(ns / LEAST_NS);
	return octave * HIST_SUB + (unsigned)((ns * HIST_SUB / LEAST_NS >> octave) - HIST_SUB);
}

static uint64_t
bucket_middle(unsigned b)
{
	uint64_t half_steps = 2 * (HIST_SUB + b % HIST_SUB) + 1;

	return (LEAST_NS << b / HIST_SUB) * half_steps / (2 * HIST_SUB);
}

static uint64_t
bucket_end(unsigned b)
{
	return (LEAST_NS << b / HIST_SUB) * (HIST_SUB + b % HIST_SUB + 1) / HIST_SUB;
}

static uint64_t
add_sat64(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint32_t
add_sat32(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

void
hist_clear(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void
hist_add(struct hist *h, uint64_t ns)
{
	uint32_t *c = &h->count[bucket(ns)];

	if (h->n == 0 || ns < h->min)
		h->min = ns;
	if (h->n == 0 || ns > h->max)
		h->max = ns;
	h->n++;
	h->sum = add_sat64(h->sum, ns);
	*c = add_sat32(*c, 1);
}

void
hist_merge(struct hist *to, const struct hist *from)
{
	unsigned b;

	if (from->n == 0)
		return;
	if (to->n == 0 || from->min < to->min)
		to->min = from->min;
	if (to->n == 0 || from->max > to->max)
		to->max = from->max;
	to->n += from->n;
	to->sum = add_sat64(to->sum, from->sum);
	for (b = 0; b < HIST_BUCKETS; b++)
		to->count[b] = add_sat32(to->count[b], from->count[b]);
}

/* ceil(p/100 × n) in 1…n. The nudge keeps 99.9 % of 1000 at 999 in spite of binary fractions. */
static uint64_t
rank_of(double p, uint64_t n)
{
	double exact = p / 100 * (double)n * (1 - 1e-12);
	uint64_t rank;

	if (!(exact > 0))
		return 1;
	if (exact >= (double)n)
		return n;
	rank = (uint64_t)exact;
	if ((double)rank < exact)
		rank++;
	if (rank < 1)
		return 1;
	return rank < n ? rank : n;
}

uint64_t
hist_percentile(const struct hist *h, double p)
{
	uint64_t rank, seen = 0, v;
	unsigned b;

	if (h->n == 0)
		return UINT64_MAX;
	rank = rank_of(p, h->n);
	/* The two ends are known exactly. */
	if (rank == 1)
		return h->min;
	if (rank == h->n)
		return h->max;
	for (b = 0; b < HIST_BUCKETS; b++) {
		seen += h->count[b];
		if (seen >= rank)
			break;
	}
	if (b == HIST_BUCKETS)
		return h->max;
	v = bucket_middle(b);
	if (v < h->min)
		return h->min;
	return v < h->max ? v : h->max;
}

void
hist_below(const struct hist *h, const uint64_t *bounds, unsigned n, uint64_t *out)
{
	uint64_t sum = 0;
	unsigned b = 0;

	for (unsigned i = 0; i < n; i++) {
		for (; b < HIST_BUCKETS && bucket_end(b) <= bounds[i]; b++)
			sum += h->count[b];
		out[i] = sum;
	}
}

int
hist_window_init(struct hist_window *w, unsigned slices, uint64_t slice_ns)
{
	*w = (struct hist_window){.slices = slices > 0 ? slices : 1, .slice_ns = slice_ns};
	if (w->slice_ns == 0)
		w->slice_ns = 1;
	w->slice = calloc(w->slices, sizeof(*w->slice));
	return w->slice != NULL ? 0 : -1;
}

void
hist_window_fini(struct hist_window *w)
{
	free(w->slice);
	w->slice = NULL;
	w->slices = 0;
}

void
hist_window_add(struct hist_window *w, uint64_t now_ns, uint64_t value_ns)
{
	uint64_t now = now_ns / w->slice_ns, e;

	if (now > w->epoch) {
		e = now - w->epoch < w->slices ? w->epoch + 1 : now - w->slices + 1;
		for (; e <= now; e++)
			hist_clear(&w->slice[e % w->slices]);
		w->epoch = now;
	}
	/* A sample that comes late goes where it belongs, or nowhere once its slice is gone. */
	if (w->epoch - now < w->slices)
		hist_add(&w->slice[now % w->slices], value_ns);
}

void
hist_window_get(const struct hist_window *w, uint64_t now_ns, struct hist *out)
{
	uint64_t now = now_ns / w->slice_ns, e;
	unsigned i;

	hist_clear(out);
	for (i = 0; i < w->slices && i <= w->epoch; i++) {
		e = w->epoch - i;
		if (e + w->slices > now && e <= now)
			hist_merge(out, &w->slice[e % w->slices]);
	}
}
