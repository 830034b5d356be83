/* The portable kernels: two lookups a byte, or eight characters at once in the arithmetic of one 64-bit word. */
#include "base/simd.h"

#include <string.h>

/*
 * One table for each half of a byte. The value sits in the low eight bits, ready to be OR-ed with the other half; VALID is
 * set for digits only, so that one AND over many lookups tells whether all of them were digits.
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

/* Eight bytes between two looks at the verdict: long enough to pipeline, short enough to stop. */
enum { STEP = 8 };

static inline bool step(const unsigned char *s, uint8_t *out)
{
	unsigned all = VALID, h, l;

	for (unsigned k = 0; k < STEP; k++) {
		h = hi_nibble[s[2 * k]];
		l = lo_nibble[s[2 * k + 1]];
		all &= h & l;
		out[k] = (uint8_t)(h | l);
	}
	return all != 0;
}

static inline bool pair(const unsigned char *s, uint8_t *out)
{
	unsigned h = hi_nibble[s[0]], l = lo_nibble[s[1]];

	*out = (uint8_t)(h | l);
	return (h & l & VALID) != 0;
}

static bool hex_digits(const char *text, uint8_t *out, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;

	for (; n >= STEP; n -= STEP, s += 2 * STEP, out += STEP)
		if (!step(s, out))
			return false;
	for (; n > 0; n--, s += 2, out++)
		if (!pair(s, out))
			return false;
	return true;
}

static size_t hex_run(const char *text, const char *end, uint8_t *out)
{
	const unsigned char *s = (const unsigned char *)text, *e = (const unsigned char *)end;

	while (e - s >= 2 * STEP && step(s, out)) {
		s += 2 * STEP;
		out += STEP;
	}
	while (e - s >= 2 && pair(s, out)) {
		s += 2;
		out++;
	}
	if (s < e && lo_nibble[*s])
		s++;
	return (size_t)(s - (const unsigned char *)text);
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define HIGH EACH(0x80)

/* Eight characters, the first one in the lowest bits; NUL for those behind the end. */
static inline uint64_t load8(const char *p, const char *end)
{
	uint64_t w = 0;

	if (end - p >= 8)
		memcpy(&w, p, 8);
	else
		memcpy(&w, p, (size_t)(end - p));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* Eight lower case digits to their value. False: one of them is none. */
static inline bool eight(uint64_t w, uint64_t *v)
{
	uint64_t decimal, letter, bad;

	/* With all bytes below 0x80 no sum carries; its high bit says "≥ 10", "≥ 7", "≥ 1". */
	decimal = (w ^ EACH('0')) & EACH(0x7f);
	letter = (w ^ EACH(0x60)) & EACH(0x7f);
	bad = (decimal + EACH(0x76)) & ~((letter + EACH(0x7f)) & ~(letter + EACH(0x79)));
	if (((bad | w) & HIGH) != 0)
		return false;
	w = (w & EACH(0x0f)) + (w >> 6 & EACH(0x01)) * 9;
	/* The first digit is in the lowest byte: pairs, fours, eight, the lower one on top. */
	w = (w << 4 | w >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	w = (w << 8 | w >> 16) & UINT64_C(0x0000ffff0000ffff);
	*v = (w << 16 | w >> 32) & UINT64_C(0xffffffff);
	return true;
}

/* v[n] = v × 2^bits + low; v[0] is the least significant, bits < 64. */
static inline void append(uint64_t *v, size_t n, unsigned bits, uint64_t low)
{
	for (size_t i = n; bits > 0 && i-- > 0;)
		v[i] = v[i] << bits | (i > 0 ? v[i - 1] >> (64 - bits) : 0);
	v[0] |= low;
}

/* A strict quantity of at most 16 × n digits. */
static inline const char *quantity(const char *s, const char *end, uint64_t *v, size_t n)
{
	const char *p = s + 3;
	uint64_t w, quotes, low;
	unsigned k;

	if (end - s < 5 || memcmp(s, "\"0x", 3) != 0 || (s[3] == '0' && s[4] != '"'))
		return NULL;
	for (size_t turn = 0; turn <= 2 * n; turn++, p += 8) {
		w = load8(p, end);
		quotes = w ^ EACH('"');
		quotes = (quotes - EACH(1)) & ~quotes & HIGH; /* the lowest one is exact */
		if (quotes != 0)
			break;
		if (turn == 2 * n || !eight(w, &low))
			return NULL;
		append(v, n, 32, low);
	}
	k = (unsigned)__builtin_ctzll(quotes) / 8;
	if (k > 0) {
		if (p == s + 3 + 16 * n)
			return NULL;
		/* Zeros in front of the digits instead of the quote and more behind them. */
		w = w << (64 - 8 * k) | EACH('0') >> 8 * k;
		if (!eight(w, &low))
			return NULL;
		append(v, n, 4 * k, low);
	}
	p += k;
	return p > s + 3 ? p + 1 : NULL;
}

static const char *quantity_u64(const char *s, const char *end, uint64_t *out)
{
	uint64_t v = 0;
	const char *p = quantity(s, end, &v, 1);

	if (p)
		*out = v;
	return p;
}

static const char *quantity_u256(
	const char *start, const char *s, const char *end, struct u256 *out)
{
	struct u256 v = {{0}};
	const char *p = quantity(s, end, v.w, 4);

	(void)start;
	if (p)
		*out = v;
	return p;
}

/*
 * High bit set in each byte of w that may be special: below '#' or a backslash. A blank and '!' are marked too, and bytes
 * above a real hit may be (a borrow runs upwards), so a hit is looked at again.
 */
static inline uint64_t special_bytes(const char *p)
{
	uint64_t w = load8(p, p + 8), slash = w ^ EACH('\\');

	return (((w - EACH('#')) & ~w) | ((slash - EACH(1)) & ~slash)) & HIGH;
}

static inline bool is_special(unsigned char c)
{
	return c == '"' || c == '\\' || c < 0x20;
}

static const char *string_end(const char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t hit = special_bytes(p);

		if (!hit) {
			p += 8;
			/* Calldata: four words a turn as long as there is nothing but hex. */
			while (end - p >= 32 &&
				!(special_bytes(p) | special_bytes(p + 8) | special_bytes(p + 16) |
					special_bytes(p + 24)))
				p += 32;
			continue;
		}
		p += __builtin_ctzll(hit) / 8;
		if (is_special((unsigned char)*p))
			return p;
		p++;
	}
	while (p < end && !is_special((unsigned char)*p))
		p++;
	return p;
}

const struct simd simd_scalar = {
	.name = "scalar",
	.hex_digits = hex_digits,
	.hex_run = hex_run,
	.quantity_u64 = quantity_u64,
	.quantity_u256 = quantity_u256,
	.string_end = string_end,
};
