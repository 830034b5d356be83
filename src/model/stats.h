/* The statistics by which paths are compared: pure functions of counts and histograms. */
#ifndef MODEL_STATS_H
#define MODEL_STATS_H

#include "base/hist.h"

/* A share with its 95 % range, each 0 … 1; all NaN if n is 0. */
struct share {
	double share, low, high;
};

/* Wilson's score interval of k out of n (Wilson 1927), without continuity correction. k > n: as n. */
struct share stats_wilson(uint64_t k, uint64_t n);
/* Two-sided sign test: P(a split at least as uneven as a : b if each side is as likely). 1 if both are 0. */
double stats_sign_test(uint64_t a, uint64_t b);
/*
 * 95 % range of the p-th percentile, by order statistics: the ranks n·q ± 1.96·√(n·q·(1−q)), clipped to what was seen. Both
 * UINT64_MAX if the histogram is empty.
 */
void stats_range(const struct hist *h, double p, uint64_t *low, uint64_t *high);

#endif
