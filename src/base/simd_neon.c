/* The kernels for 64-bit ARM: NEON is in every one of them. Near the end of the text the portable ones take over. */
#include "base/simd.h"

#ifdef SIMD_HAS_NEON
#include <arm_neon.h>

static inline uint8x16_t load(const char *p)
{
	return vld1q_u8((const uint8_t *)p);
}

/* The values of 16 characters; more than 15 for each that is no digit. As in simd_avx2.c. */
static inline uint8x16_t nibbles(uint8x16_t c, bool upper)
{
	uint8x16_t d = vaddq_u8(c, vdupq_n_u8(0xff - '9'));
	uint8x16_t l = upper ? vandq_u8(c, vdupq_n_u8(0xdf)) : c;

	d = vsubq_u8(vqsubq_u8(d, vdupq_n_u8(6)), vdupq_n_u8(0xf0));
	l = vqaddq_u8(vsubq_u8(l, vdupq_n_u8(upper ? 'A' : 'a')), vdupq_n_u8(10));
	return vminq_u8(d, l);
}

static inline bool all_nibbles(uint8x16_t v)
{
	return vmaxvq_u8(v) <= 15;
}

/* The index of the first byte that is 0xff and not 0; 16 if there is none. */
static inline unsigned first(uint8x16_t hits)
{
	/* Four bits of each byte. */
	uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(hits), 4);
	uint64_t bits = vget_lane_u64(vreinterpret_u64_u8(narrow), 0);

	return bits ? (unsigned)__builtin_ctzll(bits) / 4 : 16;
}

/* 32 digits to 16 bytes. */
static inline bool decode32(const char *s, uint8_t *out)
{
	uint8x16x2_t c = vld2q_u8((const uint8_t *)s); /* every other one */
	uint8x16_t hi = nibbles(c.val[0], true), lo = nibbles(c.val[1], true);

	vst1q_u8(out, vorrq_u8(vshlq_n_u8(hi, 4), lo));
	return all_nibbles(vmaxq_u8(hi, lo));
}

static bool hex_digits(const char *s, uint8_t *out, size_t n)
{
	if (n < 16)
		return simd_scalar.hex_digits(s, out, n);
	for (; n > 16; n -= 16, s += 32, out += 16) {
		if (!decode32(s, out))
			return false;
		/* The last step overlaps the one before. */
		if (n < 32) {
			s -= 2 * (32 - n);
			out -= 32 - n;
			n = 32;
		}
	}
	return decode32(s, out);
}

static size_t hex_run(const char *s, const char *end, uint8_t *out)
{
	const char *p = s;

	for (; end - p >= 32 && decode32(p, out); p += 32)
		out += 16;
	return (size_t)(p - s) + simd_scalar.hex_run(p, end, out);
}

/* A strict quantity of at most 16 digits; *more is set if it does not end there, or too near to the end of the text. */
static inline const char *narrow(const char *s, const char *end, uint64_t *out, bool *more)
{
	/* From place n on: what brings n digits to the right edge; what is no index gives zero. */
	static const uint8_t edge[32] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 15};
	uint8x16_t c, v;
	uint8x8_t bytes;
	unsigned n;

	*more = end - s < 3 + 16 + 1;
	if (*more)
		return NULL;
	if (s[0] != '"' || s[1] != '0' || s[2] != 'x' || (s[3] == '0' && s[4] != '"'))
		return NULL;
	c = load(s + 3);
	n = first(vceqq_u8(c, vdupq_n_u8('"')));
	*more = n == 16;
	v = vqtbl1q_u8(nibbles(c, false), vld1q_u8(edge + n));
	if (n == 0 || n == 16 || !all_nibbles(v))
		return NULL;
	/* Pairs together, then the most significant byte to the top. */
	v = vorrq_u8(vshlq_n_u8(vuzp1q_u8(v, v), 4), vuzp2q_u8(v, v));
	bytes = vrev64_u8(vget_low_u8(v));
	*out = vget_lane_u64(vreinterpret_u64_u8(bytes), 0);
	return s + 3 + n + 1;
}

static const char *quantity_u64(const char *s, const char *end, uint64_t *out)
{
	bool more;
	const char *p = narrow(s, end, out, &more);

	return more ? simd_scalar.quantity_u64(s, end, out) : p;
}

static const char *quantity_u256(
	const char *start, const char *s, const char *end, struct u256 *out)
{
	bool more;
	uint64_t v;
	const char *p = narrow(s, end, &v, &more);

	if (more)
		return simd_scalar.quantity_u256(start, s, end, out);
	if (p)
		*out = (struct u256){{v, 0, 0, 0}};
	return p;
}

static const char *string_end(const char *p, const char *end)
{
	for (; end - p >= 16; p += 16) {
		uint8x16_t c = load(p), hit = vceqq_u8(c, vdupq_n_u8('"'));
		unsigned n;

		hit = vorrq_u8(hit, vceqq_u8(c, vdupq_n_u8('\\')));
		hit = vorrq_u8(hit, vcltq_u8(c, vdupq_n_u8(0x20)));
		n = first(hit);
		if (n < 16)
			return p + n;
	}
	return simd_scalar.string_end(p, end);
}

const struct simd simd_neon = {
	.name = "neon",
	.hex_digits = hex_digits,
	.hex_run = hex_run,
	.quantity_u64 = quantity_u64,
	.quantity_u256 = quantity_u256,
	.string_end = string_end,
};
#endif
