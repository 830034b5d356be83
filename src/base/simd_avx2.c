/*
 * The kernels for x86-64 with AVX2 and BMI1: 64 digits a step. Each function carries its target, so the rest of the program
 * runs on any x86-64. Near the end of the text, where a whole load would leave it, the portable ones take over.
 */
#include "base/simd.h"

#ifdef SIMD_HAS_AVX2
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,bmi")))
#define INLINE static inline __attribute__((always_inline))

AVX2 INLINE __m256i load(const void *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

AVX2 INLINE uint64_t mask64(__m256i lo, __m256i hi)
{
	uint64_t upper = (uint32_t)_mm256_movemask_epi8(hi);

	return upper << 32 | (uint32_t)_mm256_movemask_epi8(lo);
}

/*
 * The values of 32 characters; more than 15 for each that is no digit. '0'…'9' go to 0xf6…0xff, all
 * else is driven below 0xf6 by saturation or lies there, and 0xf0 less is 0…9 or more than 15.
 * Letters go to 10…15, all else above by saturation.
 */
AVX2 INLINE __m256i nibbles(__m256i c, bool upper)
{
	__m256i d = _mm256_add_epi8(c, _mm256_set1_epi8((char)(0xff - '9')));
	__m256i l = upper ? _mm256_and_si256(c, _mm256_set1_epi8((char)0xdf)) : c;

	d = _mm256_sub_epi8(
		_mm256_subs_epu8(d, _mm256_set1_epi8(6)), _mm256_set1_epi8((char)0xf0));
	l = _mm256_sub_epi8(l, _mm256_set1_epi8(upper ? 'A' : 'a'));
	l = _mm256_adds_epu8(l, _mm256_set1_epi8(10));
	return _mm256_min_epu8(d, l);
}

/* High bit set where the value is no nibble. */
AVX2 INLINE __m256i bad(__m256i nibble)
{
	return _mm256_adds_epu8(nibble, _mm256_set1_epi8(0x70));
}

/* 2 × 32 nibbles to 32 bytes, eight and eight in the order lo, hi, lo, hi. */
AVX2 INLINE __m256i pack(__m256i lo, __m256i hi)
{
	const __m256i weights = _mm256_set1_epi16(0x0110);

	return _mm256_packus_epi16(
		_mm256_maddubs_epi16(lo, weights), _mm256_maddubs_epi16(hi, weights));
}

/* 64 digits to 32 bytes. Returns where there is none, one bit each. */
AVX2 INLINE uint64_t decode64(const char *lo, const char *hi, __m256i *bytes)
{
	__m256i a = nibbles(load(lo), true), b = nibbles(load(hi), true);

	*bytes = _mm256_permute4x64_epi64(pack(a, b), 0xd8);
	return mask64(bad(a), bad(b));
}

AVX2 static bool hex_digits(const char *s, uint8_t *out, size_t n)
{
	uint64_t wrong = 0;
	__m256i bytes;

	if (n < 16)
		return simd_scalar.hex_digits(s, out, n);
	if (n < 32) { /* two halves that overlap */
		wrong = decode64(s, s + 2 * n - 32, &bytes);
		_mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(bytes));
		_mm_storeu_si128((__m128i *)(out + n - 16), _mm256_extracti128_si256(bytes, 1));
		return wrong == 0;
	}
	for (;;) {
		wrong |= decode64(s, s + 32, &bytes);
		_mm256_storeu_si256((__m256i *)out, bytes);
		n -= 32;
		if (n == 0)
			return wrong == 0;
		/* The last step overlaps the one before. */
		s += 2 * (n < 32 ? n : 32);
		out += n < 32 ? n : 32;
		n = n < 32 ? 32 : n;
	}
}

AVX2 static size_t hex_run(const char *s, const char *end, uint8_t *out)
{
	const char *p = s;

	for (; end - p >= 64; p += 64, out += 32) {
		__m256i bytes;
		uint64_t wrong = decode64(p, p + 32, &bytes);

		_mm256_storeu_si256((__m256i *)out, bytes);
		if (wrong)
			return (size_t)(p - s) + (size_t)__builtin_ctzll(wrong);
	}
	return (size_t)(p - s) + simd_scalar.hex_run(p, end, out);
}

/* Opening quote and prefix, and no zero in front of other digits. */
INLINE bool begins(const char *s)
{
	return s[0] == '"' && s[1] == '0' && s[2] == 'x' && (s[3] != '0' || s[4] == '"');
}

AVX2 static const char *quantity_u64(const char *s, const char *end, uint64_t *out)
{
	/* From place n on: what brings n digits to the right edge, with zeros in front. */
	static const uint8_t edge[32] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 15};
	__m128i c, v;
	unsigned n;

	if (end - s < 3 + 16 + 1)
		return simd_scalar.quantity_u64(s, end, out);
	c = _mm_loadu_si128((const __m128i *)(s + 3));
	n = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_set1_epi8('"')));
	n = (unsigned)__builtin_ctz(n | 1u << 16);
	v = _mm256_castsi256_si128(nibbles(_mm256_castsi128_si256(c), false));
	v = _mm_shuffle_epi8(v, _mm_loadu_si128((const __m128i *)(edge + n)));
	if (!begins(s) || n == 0 || s[3 + n] != '"' ||
		_mm_movemask_epi8(_mm256_castsi256_si128(bad(_mm256_castsi128_si256(v)))) != 0)
		return NULL;
	v = _mm_maddubs_epi16(v, _mm_set1_epi16(0x0110));
	v = _mm_packus_epi16(v, v);
	*out = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(v));
	return s + 3 + n + 1;
}

AVX2 static const char *quantity_u256(
	const char *start, const char *s, const char *end, struct u256 *out)
{
	/* From place n on: what keeps the last n of 64. */
	static const uint8_t keep[128] = {[64] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const __m256i quote = _mm256_set1_epi8('"');
	const __m256i turn = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
		7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
	__m256i hi, lo;
	uint64_t quotes;
	unsigned n;

	/* The digits are loaded by their last one, so what is in front of them must be text too. */
	if (end - s < 3 + 64 + 1 || s - start < 64 - 3)
		return simd_scalar.quantity_u256(start, s, end, out);
	s += 3;
	quotes = mask64(
		_mm256_cmpeq_epi8(load(s), quote), _mm256_cmpeq_epi8(load(s + 32), quote));
	n = quotes ? (unsigned)__builtin_ctzll(quotes) : 64;
	if (!begins(s - 3) || n == 0 || s[n] != '"')
		return NULL;
	s += n;
	hi = _mm256_and_si256(nibbles(load(s - 64), false), load(keep + n));
	lo = _mm256_and_si256(nibbles(load(s - 32), false), load(keep + n + 32));
	if (_mm256_movemask_epi8(_mm256_or_si256(bad(hi), bad(lo))) != 0)
		return NULL;
	/* The bytes in reverse order. */
	hi = _mm256_shuffle_epi8(pack(hi, lo), turn);
	_mm256_storeu_si256((__m256i *)out, _mm256_permute4x64_epi64(hi, 0x27));
	return s + 1;
}

AVX2 static const char *string_end(const char *p, const char *end)
{
	for (; end - p >= 32; p += 32) {
		__m256i c = load(p), hit = _mm256_cmpeq_epi8(c, _mm256_set1_epi8('"'));
		unsigned hits;

		hit = _mm256_or_si256(hit, _mm256_cmpeq_epi8(c, _mm256_set1_epi8('\\')));
		hit = _mm256_or_si256(
			hit, _mm256_cmpeq_epi8(_mm256_min_epu8(c, _mm256_set1_epi8(0x1f)), c));
		hits = (unsigned)_mm256_movemask_epi8(hit);
		if (hits)
			return p + __builtin_ctz(hits);
	}
	return simd_scalar.string_end(p, end);
}

const struct simd simd_avx2 = {
	.name = "avx2",
	.hex_digits = hex_digits,
	.hex_run = hex_run,
	.quantity_u64 = quantity_u64,
	.quantity_u256 = quantity_u256,
	.string_end = string_end,
};
#endif
