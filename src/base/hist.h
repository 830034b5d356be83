/*
 * Latency histogram of fixed size: 1 µs … 100 s, log-linear, relative error ≤ 1 % (peers.md §4.1
 * rule 4). Values below 1 µs count as 1 µs, above 100 s as 100 s; exact min, max, sum are kept
 * beside.
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdint.h>

#define HIST_SUB 64 /* linear steps per power of two: half a step is 0.8 % */
#define HIST_BUCKETS (27 * HIST_SUB)

/* All zero is an empty histogram; min and max mean nothing then. */
struct hist {
	uint64_t n, sum, min, max;
	uint32_t count[HIST_BUCKETS];
};

void hist_clear(struct hist *h);
void hist_add(struct hist *h, uint64_t ns);
void hist_merge(struct hist *to, const struct hist *from);
/*
 * Nearest-rank percentile, p in 0…100, in ns. UINT64_MAX if the histogram is empty.
 * Never outside [min, max].
 */
uint64_t hist_percentile(const struct hist *h, double p);

/*
 * How many samples lie below each of n ascending bounds (ns), for outputs that have buckets of their own. Exact where a bound is
 * the end of a step, as 1 µs × 2^k and 125 µs × 2^k are; else the step that it lies in is left out.
 */
void hist_below(const struct hist *h, const uint64_t *bounds, unsigned n, uint64_t *out);

/*
 * A window: the last `slices` slices of time, each its own histogram, so that old samples leave.
 * Memory is slices × sizeof(struct hist), allocated once.
 */
struct hist_window {
	struct hist *slice;
	unsigned slices;
	uint64_t slice_ns, epoch; /* epoch: number of the current slice */
};

/* Returns 0, or -1 without memory. */
int hist_window_init(struct hist_window *w, unsigned slices, uint64_t slice_ns);
void hist_window_fini(struct hist_window *w);
void hist_window_add(struct hist_window *w, uint64_t now_ns, uint64_t value_ns);
/* Sum of the slices that are still within the window at now_ns. */
void hist_window_get(const struct hist_window *w, uint64_t now_ns, struct hist *out);

#endif
