/* Hex in both directions: two lookups a byte, one verdict for eight bytes; see hex.h. */
#include "base/hex.h"

#include <string.h>

/*
 * One table for each half of a byte. The value sits in the low eight bits, ready to be OR-ed with
 * the other half; VALID is set for digits only, so that one AND over many lookups tells whether
 * all of them were digits.
 */
#define VALID 0x100
#define HI(v) (VALID | (v) << 4)
#define LO(v) (VALID | (v))
#define TABLE(X) { \
	['0'] = X(0), ['1'] = X(1), ['2'] = X(2), ['3'] = X(3), ['4'] = X(4), ['5'] = X(5), \
	['6'] = X(6), ['7'] = X(7), ['8'] = X(8), ['9'] = X(9), ['a'] = X(10), ['b'] = X(11), \
	['c'] = X(12), ['d'] = X(13), ['e'] = X(14), ['f'] = X(15), ['A'] = X(10), ['B'] = X(11), \
	['C'] = X(12), ['D'] = X(13), ['E'] = X(14), ['F'] = X(15) }

static const uint16_t hi_nibble[256] = TABLE(HI);
static const uint16_t lo_nibble[256] = TABLE(LO);
static const char digits[16] = "0123456789abcdef";

static bool
has_prefix(const char *s, size_t n)
{
	return n >= 2 && s[0] == '0' && s[1] == 'x';
}

/* Eight bytes between two looks at the verdict: long enough to pipeline, short enough to stop. */
#define STEP 8

static bool
digits_scalar(const unsigned char *s, uint8_t *out, size_t n)
{
	unsigned all, h, l, k;

	for (; n >= STEP; n -= STEP, s += 2 * STEP, out += STEP) {
		all = VALID;
		for (k = 0; k < STEP; k++) {
			h = hi_nibble[s[2 * k]];
			l = lo_nibble[s[2 * k + 1]];
			all &= h & l;
			out[k] = (uint8_t)(h | l);
		}
		if (all == 0)
			return false;
	}
	for (; n > 0; n--, s += 2, out++) {
		h = hi_nibble[s[0]];
		l = lo_nibble[s[1]];
		if ((h & l & VALID) == 0)
			return false;
		*out = (uint8_t)(h | l);
	}
	return true;
}

bool
hex_digits(const char *s, uint8_t *out, size_t n)
{
	/* A vector version takes the bulk here and leaves the rest to digits_scalar. */
	return digits_scalar((const unsigned char *)s, out, n);
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight digits at once, in the arithmetic of one 64-bit word. False: one of them is no digit. */
static bool
eight(const char *s, uint64_t *v, uint64_t *upper)
{
	uint64_t w, decimal, letter, bad;

	memcpy(&w, s, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	/* With all bytes below 0x80 no sum carries; its high bit says "≥ 10", "≥ 7", "≥ 1". */
	decimal = (w ^ EACH('0')) & EACH(0x7f);
	letter = ((w | EACH(0x20)) ^ EACH(0x60)) & EACH(0x7f);
	bad = (decimal + EACH(0x76)) & ~((letter + EACH(0x7f)) & ~(letter + EACH(0x79)));
	if (((bad | w) & EACH(0x80)) != 0)
		return false;
	*upper |= w & ~(w << 1) & EACH(0x40); /* 'A' is 0x41, 'a' 0x61, '1' 0x31 */
	w = (w & EACH(0x0f)) + (w >> 6 & EACH(0x01)) * 9;
	/* The first digit is in the lowest byte: pairs, fours, eight, the lower one on top. */
	w = (w << 4 | w >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	w = (w << 8 | w >> 16) & UINT64_C(0x0000ffff0000ffff);
	*v = (w << 16 | w >> 32) & UINT64_C(0xffffffff);
	return true;
}

/* n ≤ 16 digits as a number. */
static bool
word(const char *s, size_t n, uint64_t *out, uint64_t *upper)
{
	uint64_t v = 0, low;
	unsigned digit;

	for (; n % 8 != 0; n--, s++) {
		digit = lo_nibble[(unsigned char)*s];
		if (digit == 0)
			return false;
		*upper |= *s >= 'A' && *s <= 'F';
		v = v << 4 | (digit & 0xf);
	}
	for (; n > 0; n -= 8, s += 8) {
		if (!eight(s, &low, upper))
			return false;
		v = v << 32 | low;
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
	uint64_t v, upper = 0;
	bool bent;

	if (!quantity(&s, &n, 16, &bent) || !word(s, n, &v, &upper))
		return false;
	*out = v;
	if ((bent || upper != 0) && lenient != NULL)
		*lenient = true;
	return true;
}

bool
hex_u256(const char *s, size_t n, struct u256 *out, bool *lenient)
{
	uint64_t upper = 0;
	struct u256 v;
	bool bent;
	size_t take, i;

	if (!quantity(&s, &n, 64, &bent))
		return false;
	for (i = 0; i < 4; i++) {
		take = n < 16 ? n : 16;
		n -= take;
		if (!word(s + n, take, &v.w[i], &upper))
			return false;
	}
	*out = v;
	if ((bent || upper != 0) && lenient != NULL)
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
