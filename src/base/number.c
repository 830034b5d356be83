/* Numbers as people read them; see number.h. */
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DASH "\xe2\x80\x94" /* — */
#define MINUS "\xe2\x88\x92" /* − */

static char *
unknown(char *out, size_t size)
{
	snprintf(out, size, DASH);
	return out;
}

/* Digits with a comma before each group of three. */
static char *
group(char *out, size_t size, const char *digits)
{
	size_t n = strlen(digits), i, w = 0;

	for (i = 0; i < n && w + 2 < size; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			out[w++] = ',';
		out[w++] = digits[i];
	}
	if (size > 0)
		out[w] = '\0';
	return out;
}

char *
number_int(char *out, size_t size, uint64_t v)
{
	char digits[24];

	if (v == UINT64_MAX)
		return unknown(out, size);
	snprintf(digits, sizeof(digits), "%" PRIu64, v);
	return group(out, size, digits);
}

/* The sign is decided after rounding: no "−0.0". sign: write + too. */
static char *
fixed(char *out, size_t size, double v, int digits, bool sign, const char *unit)
{
	char mag[NUMBER_MAX];
	const char *s = "";

	if (!isfinite(v) || fabs(v) >= 1e18)
		return unknown(out, size);
	snprintf(mag, sizeof(mag), "%.*f", digits < 0 ? 0 : digits > 9 ? 9 : digits, fabs(v));
	if (strspn(mag, "0.") != strlen(mag))
		s = v < 0 ? MINUS : sign ? "+" : "";
	snprintf(out, size, "%s%s%s", s, mag, unit);
	return out;
}

char *
number_fixed(char *out, size_t size, double v, int digits)
{
	return fixed(out, size, v, digits, false, "");
}

char *
number_percent(char *out, size_t size, double share, int digits)
{
	return fixed(out, size, share * 100, digits, false, " %");
}

char *
number_percent_signed(char *out, size_t size, double share, int digits)
{
	return fixed(out, size, share * 100, digits, true, " %");
}

char *
number_signed(char *out, size_t size, double v, int digits)
{
	return fixed(out, size, v, digits, true, "");
}

/*
 * Divides by 1000 until what is left rounds to less than 1000 with `digits` significant digits.
 * Returns the prefix's index and how many digits stand behind the point.
 */
static unsigned
scale(double *v, unsigned last, int *behind, int digits)
{
	unsigned p = 0;

	for (;; *v /= 1000, p++) {
		*behind = *v < 10 ? digits - 1 : *v < 100 ? digits - 2 : 0;
		if (*behind < 0)
			*behind = 0;
		/* 9.996 is "10.0", not "10.00". */
		if (*behind > 0 && *v + 0.5 * pow(10, -*behind) >= (*v < 10 ? 10 : 100))
			(*behind)--;
		if (*v < 999.5 || p == last)
			return p;
	}
}

static char *
si(char *out, size_t size, double v, bool shorter)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
	char mag[NUMBER_MAX], *end;
	double a = fabs(v);
	unsigned p;
	int behind;

	if (!isfinite(v) || a >= 1e21)
		return unknown(out, size);
	p = scale(&a, 6, &behind, 3);
	if (p == 0 && a == floor(a))
		behind = 0;
	snprintf(mag, sizeof(mag), "%.*f", behind, a);
	if (shorter && strchr(mag, '.') != NULL) {
		for (end = mag + strlen(mag) - 1; *end == '0'; end--)
			*end = '\0';
		if (*end == '.')
			*end = '\0';
	}
	snprintf(out, size, "%s%s%s", v < 0 ? MINUS : "", mag, prefix[p]);
	return out;
}

char *
number_si(char *out, size_t size, double v)
{
	return si(out, size, v, false);
}

char *
number_si_short(char *out, size_t size, double v)
{
	return si(out, size, v, true);
}

static char *
bytes(char *out, size_t size, double v, const char *per)
{
	static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	unsigned p;
	int behind;

	if (!isfinite(v) || v < 0 || v >= 1e18)
		return unknown(out, size);
	p = scale(&v, 5, &behind, 2);
	snprintf(out, size, "%.*f %s%s", p == 0 ? 0 : behind, v, unit[p], per);
	return out;
}

char *
number_bytes(char *out, size_t size, uint64_t v)
{
	return v == UINT64_MAX ? unknown(out, size) : bytes(out, size, (double)v, "");
}

char *
number_bytes_d(char *out, size_t size, double v)
{
	return bytes(out, size, v, "");
}

char *
number_rate(char *out, size_t size, double bytes_per_s)
{
	return bytes(out, size, bytes_per_s, "/s");
}

char *
number_mb(char *out, size_t size, double v)
{
	double mb = v / 1e6;

	if (!isfinite(mb) || mb < 0)
		return unknown(out, size);
	return fixed(out, size, mb, mb < 9.995 ? 2 : mb < 99.95 ? 1 : 0, false, "");
}

char *
number_gwei(char *out, size_t size, const struct u256 *wei, unsigned digits)
{
	char buf[NUMBER_MAX];

	if (wei == NULL)
		return unknown(out, size);
	snprintf(out, size, "%s", u256_unit(buf, sizeof(buf), wei, 9, digits));
	return out;
}

char *
number_ether(char *out, size_t size, const struct u256 *wei, unsigned digits)
{
	char buf[NUMBER_MAX];

	if (wei == NULL)
		return unknown(out, size);
	snprintf(out, size, "%s", u256_unit(buf, sizeof(buf), wei, 18, digits));
	return out;
}

char *
number_fee(char *out, size_t size, const struct u256 *wei)
{
	char buf[NUMBER_MAX];

	if (wei == NULL)
		return unknown(out, size);
	if (u256_sat64(wei) < 1000000)
		snprintf(out, size, "%s wei", number_int(buf, sizeof(buf), u256_sat64(wei)));
	else
		snprintf(out, size, "%s gwei", u256_unit(buf, sizeof(buf), wei, 9, 3));
	return out;
}

char *
number_fee_in(char *out, size_t size, const struct u256 *wei, enum fee_unit unit)
{
	char buf[NUMBER_MAX];

	if (wei == NULL)
		return unknown(out, size);
	switch (unit) {
	case FEE_WEI: return group(out, size, u256_dec(buf, sizeof(buf), wei));
	case FEE_ETHER: return number_ether(out, size, wei, 9);
	default: return number_gwei(out, size, wei, 3);
	}
}

const char *
fee_unit_name(enum fee_unit unit)
{
	return unit == FEE_WEI ? "wei" : unit == FEE_ETHER ? "ether" : "gwei";
}
