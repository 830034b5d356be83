/* Hex in both directions. The loops over many digits are in simd.h; what is here looks at one at a time. */
#include "base/hex.h"

#include "base/simd.h"

static const char digits[16] = "0123456789abcdef";

static bool
has_prefix(const char *s, size_t n)
{
	return n >= 2 && s[0] == '0' && s[1] == 'x';
}

bool
hex_digits(const char *s, uint8_t *out, size_t n)
{
	return simd()->hex_digits(s, out, n);
}

/* The value of a digit, or -1. */
static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n ≤ 16 digits as a number. *bent is set if one is upper case. */
static bool
word(const char *s, size_t n, uint64_t *out, bool *bent)
{
	uint64_t v = 0;
	int d;

	for (; n > 0; n--, s++) {
		d = digit(*s);
		if (d < 0)
			return false;
		*bent |= *s >= 'A' && *s <= 'F';
		v = v << 4 | (uint64_t)d;
	}
	*out = v;
	return true;
}

/*
 * Takes prefix and leading zeros off a QUANTITY: *s and *n are what is left, at most `most` digits.
 * *bent is set if the spec's grammar 0x(0|[1-9a-f][0-9a-f]*) was not met.
 */
static bool
quantity(const char **s, size_t *n, size_t most, bool *bent)
{
	size_t zeros;

	if (!has_prefix(*s, *n))
		return false;
	*s += 2;
	*n -= 2;
	for (zeros = 0; zeros < *n && (*s)[zeros] == '0'; zeros++)
		;
	*bent = *n == 0 || (zeros > 0 && *n > 1);
	*s += zeros;
	*n -= zeros;
	return *n <= most;
}

bool
hex_u64(const char *s, size_t n, uint64_t *out, bool *lenient)
{
	uint64_t v;
	bool bent;

	if (!quantity(&s, &n, 16, &bent) || !word(s, n, &v, &bent))
		return false;
	*out = v;
	if (bent && lenient != NULL)
		*lenient = true;
	return true;
}

bool
hex_u256(const char *s, size_t n, struct u256 *out, bool *lenient)
{
	struct u256 v;
	bool bent;
	size_t take, i;

	if (!quantity(&s, &n, 64, &bent))
		return false;
	for (i = 0; i < 4; i++) {
		take = n < 16 ? n : 16;
		n -= take;
		if (!word(s + n, take, &v.w[i], &bent))
			return false;
	}
	*out = v;
	if (bent && lenient != NULL)
		*lenient = true;
	return true;
}

bool
hex_fixed(const char *s, size_t n, uint8_t *out, size_t want)
{
	if (!has_prefix(s, n) || n % 2 != 0 || (n - 2) / 2 != want)
		return false;
	return hex_digits(s + 2, out, want);
}

long
hex_data(const char *s, size_t n, uint8_t *out)
{
	size_t bytes;

	if (!has_prefix(s, n) || n % 2 != 0)
		return -1;
	bytes = (n - 2) / 2;
	return hex_digits(s + 2, out, bytes) ? (long)bytes : -1;
}

char *
hex_print(char *out, const uint8_t *in, size_t n)
{
	char *p = out;
	size_t i;

	*p++ = '0';
	*p++ = 'x';
	for (i = 0; i < n; i++) {
		*p++ = digits[in[i] >> 4];
		*p++ = digits[in[i] & 0xf];
	}
	*p = '\0';
	return out;
}

char *
hex_print_u64(char *out, uint64_t v)
{
	struct u256 wide = u256_from64(v);

	return hex_print_u256(out, &wide);
}

char *
hex_print_u256(char *out, const struct u256 *v)
{
	char *p = out;
	unsigned nibble;
	int i;

	*p++ = '0';
	*p++ = 'x';
	for (i = 63; i >= 0; i--) {
		nibble = v->w[i / 16] >> (i % 16 * 4) & 0xf;
		if (nibble != 0 || p > out + 2 || i == 0)
			*p++ = digits[nibble];
	}
	*p = '\0';
	return out;
}
