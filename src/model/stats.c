#include "model/stats.h"

#include <math.h>

#define Z95 1.959963984540054 /* of the normal distribution, 2.5 % on each side */

struct share stats_wilson(uint64_t k, uint64_t n)
{
	struct share s = { .share = (double)NAN, .low = (double)NAN, .high = (double)NAN };
	double nn = (double)n, mid, half;

	if (n == 0)
		return s;
	s.share = k < n ? (double)k / nn : 1;
	mid = (s.share + Z95 * Z95 / (2 * nn)) / (1 + Z95 * Z95 / nn);
	half = Z95 / (1 + Z95 * Z95 / nn) * sqrt(s.share * (1 - s.share) / nn + Z95 * Z95 / (4 * nn * nn));
	s.low = fmax(0, mid - half);
	s.high = fmin(1, mid + half);
	return s;
}

double stats_sign_test(uint64_t a, uint64_t b)
{
	double n = (double)a + (double)b, small = (double)(a < b ? a : b), term, sum = 0;

	if (a == b)
		return 1;
	/* Σ C(n, i) / 2^n for i ≤ small, as logarithms: 2^2000 has no double. */
	for (double i = 0; i <= small; i++) {
		term = lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * log(2);
		sum += exp(term);
	}
	return fmin(1, 2 * sum);
}

void stats_range(const struct hist *h, double p, uint64_t *low, uint64_t *high)
{
	double n = (double)h->n, q = p / 100, half = Z95 * sqrt(n * q * (1 - q));

	*low = *high = UINT64_MAX;
	if (h->n == 0)
		return;
	*low = hist_percentile(h, fmax(0, (n * q - half) / n) * 100);
	*high = hist_percentile(h, fmin(1, (n * q + half + 1) / n) * 100);
}
