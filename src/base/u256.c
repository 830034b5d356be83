/* 256-bit arithmetic in portable C; see u256.h. */
#include "base/u256.h"

#include <string.h>

/* Multiplication and division work on 32-bit limbs, so that ISO C's 64 bits hold every product. */
#define LIMBS 8
#define DEC_MAX 78 /* decimal digits of 2^256 - 1 */
#define UNIT_MAX 96
#define FRACTION_MAX 20

static void
to_limbs(const struct u256 *a, uint32_t l[LIMBS])
{
	int i;

	for (i = 0; i < 4; i++) {
		l[2 * i] = (uint32_t)a->w[i];
		l[2 * i + 1] = (uint32_t)(a->w[i] >> 32);
	}
}

static struct u256
from_limbs(const uint32_t l[LIMBS])
{
	struct u256 r;
	int i;

	for (i = 0; i < 4; i++)
		r.w[i] = (uint64_t)l[2 * i + 1] << 32 | l[2 * i];
	return r;
}

static int
limbs_used(const uint32_t l[LIMBS])
{
	int n = LIMBS;

	while (n > 0 && l[n - 1] == 0)
		n--;
	return n;
}

struct u256
u256_from64(uint64_t v)
{
	return (struct u256){.w = {v}};
}

bool
u256_is_zero(const struct u256 *a)
{
	return (a->w[0] | a->w[1] | a->w[2] | a->w[3]) == 0;
}

bool
u256_fits64(const struct u256 *a)
{
	return (a->w[1] | a->w[2] | a->w[3]) == 0;
}

uint64_t
u256_sat64(const struct u256 *a)
{
	return u256_fits64(a) ? a->w[0] : UINT64_MAX;
}

/*
 * Correctly rounded: the top 64 bits go through one conversion, and whatever is below them only
 * breaks a tie. Scaling by powers of two is exact.
 */
double
u256_double(const struct u256 *a)
{
	double r;
	uint64_t top;
	int i, lead, k;

	for (i = 3; i > 0 && a->w[i] == 0; i--)
		;
	if (i == 0)
		return (double)a->w[0];
	lead = __builtin_clzll(a->w[i]);
	top = a->w[i] << lead;
	if (lead > 0)
		top |= a->w[i - 1] >> (64 - lead);
	if ((a->w[i - 1] << lead) != 0)
		top |= 1;
	for (k = i - 2; k >= 0; k--)
		if (a->w[k] != 0)
			top |= 1;
	r = (double)top;
	for (k = i; k > 1; k--)
		r *= 18446744073709551616.0;
	return lead > 0 ? r * (double)(UINT64_C(1) << (64 - lead)) : r * 18446744073709551616.0;
}

int
u256_cmp(const struct u256 *a, const struct u256 *b)
{
	int i;

	for (i = 3; i >= 0; i--)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return 0;
}

bool
u256_add(struct u256 *r, const struct u256 *a, const struct u256 *b)
{
	uint64_t carry = 0, x, sum;
	int i;

	for (i = 0; i < 4; i++) {
		x = a->w[i];
		sum = x + b->w[i];
		r->w[i] = sum + carry;
		carry = (sum < x) | (r->w[i] < sum);
	}
	return carry == 0;
}

bool
u256_sub(struct u256 *r, const struct u256 *a, const struct u256 *b)
{
	uint64_t borrow = 0, x, y, diff;
	int i;

	for (i = 0; i < 4; i++) {
		x = a->w[i];
		y = b->w[i];
		diff = x - y;
		r->w[i] = diff - borrow;
		borrow = (x < y) | (diff < borrow);
	}
	return borrow == 0;
}

bool
u256_mul(struct u256 *r, const struct u256 *a, const struct u256 *b)
{
	uint32_t x[LIMBS], y[LIMBS], z[LIMBS] = {0};
	uint64_t carry;
	int nx, ny, i, k;
	bool fits = true;

	to_limbs(a, x);
	to_limbs(b, y);
	nx = limbs_used(x);
	ny = limbs_used(y);
	for (i = 0; i < nx; i++) {
		carry = 0;
		for (k = 0; k < ny && i + k < LIMBS; k++) {
			carry += (uint64_t)x[i] * y[k] + z[i + k];
			z[i + k] = (uint32_t)carry;
			carry >>= 32;
		}
		if (i + k < LIMBS)
			z[i + k] = (uint32_t)carry;
		else if (carry != 0 || (x[i] != 0 && k < ny))
			fits = false;
	}
	*r = from_limbs(z);
	return fits;
}

/* l /= d in place; returns the remainder. */
static uint32_t
divide_short(uint32_t *l, int n, uint32_t d)
{
	uint64_t rest = 0;
	int i;

	for (i = n - 1; i >= 0; i--) {
		rest = rest << 32 | l[i];
		l[i] = (uint32_t)(rest / d);
		rest %= d;
	}
	return (uint32_t)rest;
}

/* l <<= s into out, which has one limb more; 0 ≤ s < 32. */
static void
shift_left(uint32_t *out, const uint32_t *l, int n, unsigned s)
{
	uint64_t carry = 0;
	int i;

	for (i = 0; i < n; i++) {
		carry |= (uint64_t)l[i] << s;
		out[i] = (uint32_t)carry;
		carry >>= 32;
	}
	out[n] = (uint32_t)carry;
}

/*
 * Knuth, The Art of Computer Programming vol. 2, 4.3.1, algorithm D, base 2^32.
 * u has nu limbs and v has nv, 2 ≤ nv ≤ nu, both without leading zeros.
 * q gets nu - nv + 1 limbs, rem gets nv.
 */
static void
divide_long(uint32_t *q, uint32_t *rem, const uint32_t *u, int nu, const uint32_t *v, int nv)
{
	uint32_t a[LIMBS + 1], d[LIMBS + 1];
	uint64_t two, guess, rest, carry, t;
	unsigned s = (unsigned)__builtin_clz(v[nv - 1]);
	int64_t diff;
	uint32_t borrow;
	int i, k;

	/* D1: scaled so that the divisor's top bit is set, a guessed digit is at most 2 too big. */
	shift_left(a, u, nu, s);
	shift_left(d, v, nv, s);
	for (k = nu - nv; k >= 0; k--) {
		/* D3: the digit from the top two limbs, corrected by the third. */
		two = (uint64_t)a[k + nv] << 32 | a[k + nv - 1];
		guess = two / d[nv - 1];
		rest = two % d[nv - 1];
		while (guess > UINT32_MAX || guess * d[nv - 2] > (rest << 32 | a[k + nv - 2])) {
			guess--;
			rest += d[nv - 1];
			if (rest > UINT32_MAX)
				break;
		}
		/* D4: a -= guess × d. */
		carry = 0;
		borrow = 0;
		for (i = 0; i < nv; i++) {
			carry += guess * d[i];
			diff = (int64_t)a[k + i] - (uint32_t)carry - borrow;
			a[k + i] = (uint32_t)diff;
			borrow = diff < 0;
			carry >>= 32;
		}
		diff = (int64_t)a[k + nv] - (int64_t)carry - borrow;
		a[k + nv] = (uint32_t)diff;
		/* D6: one too many (rare, 2 in 2^32): add the divisor back. */
		if (diff < 0) {
			guess--;
			carry = 0;
			for (i = 0; i < nv; i++) {
				t = (uint64_t)a[k + i] + d[i] + carry;
				a[k + i] = (uint32_t)t;
				carry = t >> 32;
			}
			a[k + nv] += (uint32_t)carry;
		}
		q[k] = (uint32_t)guess;
	}
	/* D8: undo the scaling. */
	for (i = 0; i < nv; i++)
		rem[i] = (uint32_t)(((uint64_t)a[i + 1] << 32 | a[i]) >> s);
}

bool
u256_divmod(struct u256 *q, struct u256 *rem, const struct u256 *a, const struct u256 *b)
{
	uint32_t u[LIMBS], v[LIMBS], quot[LIMBS + 1] = {0}, rest[LIMBS] = {0};
	int nu, nv;

	to_limbs(a, u);
	to_limbs(b, v);
	nu = limbs_used(u);
	nv = limbs_used(v);
	if (nv == 0)
		return false;
	if (nu < nv) {
		memcpy(rest, u, sizeof(rest));
	} else if (nv == 1) {
		memcpy(quot, u, sizeof(u));
		rest[0] = divide_short(quot, nu, v[0]);
	} else {
		divide_long(quot, rest, u, nu, v, nv);
	}
	if (q != NULL)
		*q = from_limbs(quot);
	if (rem != NULL)
		*rem = from_limbs(rest);
	return true;
}

void
u256_to_be(const struct u256 *a, uint8_t out[32])
{
	int i;

	for (i = 0; i < 32; i++)
		out[31 - i] = (uint8_t)(a->w[i / 8] >> (i % 8 * 8));
}

void
u256_from_be(struct u256 *a, const uint8_t *in, size_t n)
{
	size_t i;

	*a = (struct u256){.w = {0}};
	for (i = 0; i < n && i < 32; i++)
		a->w[i / 8] |= (uint64_t)in[n - 1 - i] << (i % 8 * 8);
}

/* Decimal digits into s, no terminator, at least one. Returns their number. */
static size_t
decimal(char s[DEC_MAX], const struct u256 *a)
{
	char rev[DEC_MAX + 9];
	uint32_t l[LIMBS], part;
	size_t n = 0, i;
	int used, k;

	to_limbs(a, l);
	do {
		used = limbs_used(l);
		part = divide_short(l, used, 1000000000);
		for (k = 0; k < 9; k++, part /= 10)
			rev[n++] = (char)('0' + part % 10);
	} while (limbs_used(l) > 0);
	while (n > 1 && rev[n - 1] == '0')
		n--;
	for (i = 0; i < n; i++)
		s[i] = rev[n - 1 - i];
	return n;
}

static char *
copy_out(char *out, size_t size, const char *s, size_t n)
{
	if (size == 0)
		return out;
	if (n > size - 1)
		n = size - 1;
	memcpy(out, s, n);
	out[n] = '\0';
	return out;
}

char *
u256_dec(char *out, size_t size, const struct u256 *a)
{
	char s[DEC_MAX];

	return copy_out(out, size, s, decimal(s, a));
}

char *
u256_unit(char *out, size_t size, const struct u256 *a, unsigned unit, unsigned fraction)
{
	/* One spare digit in front takes the carry of rounding. */
	char s[1 + DEC_MAX + UNIT_MAX + FRACTION_MAX + 2], raw[DEC_MAX];
	size_t n, raw_len, whole, i;
	bool up = false;

	if (unit > UNIT_MAX)
		unit = UNIT_MAX;
	if (fraction > FRACTION_MAX)
		fraction = FRACTION_MAX;
	raw_len = decimal(raw, a);
	whole = raw_len > unit ? raw_len - unit : 1;
	s[0] = '0';
	n = whole + unit - raw_len;
	memset(s + 1, '0', n);
	memcpy(s + 1 + n, raw, raw_len);
	n = 1 + whole + unit;
	if (fraction < unit) {
		n -= unit - fraction;
		up = s[n] >= '5';
	} else {
		memset(s + n, '0', fraction - unit);
		n += fraction - unit;
	}
	for (i = n; up; i--) {
		up = s[i - 1] == '9';
		s[i - 1] = up ? '0' : (char)(s[i - 1] + 1);
	}
	if (fraction > 0) {
		memmove(s + n - fraction + 1, s + n - fraction, fraction);
		s[n - fraction] = '.';
		n++;
	}
	return s[0] == '0' ? copy_out(out, size, s + 1, n - 1) : copy_out(out, size, s, n);
}
