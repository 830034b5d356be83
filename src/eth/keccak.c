/*
 * Keccak-f[1600] after the Keccak reference, section 1.2, rate 1088 bits. Lane a[x + 5y].
 * Two rounds are unrolled and the state lives in locals, so that the compiler keeps what it can in
 * registers.
 */
#include "eth/keccak.h"

#include <string.h>

enum { RATE = 136, LANES = 25, ROUNDS = 24 };

#define INLINE static inline __attribute__((always_inline))

static const uint64_t iota[ROUNDS] = {
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

INLINE uint64_t rol(uint64_t v, unsigned n)
{
	return n ? v << n | v >> (64 - n) : v;
}

INLINE uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

INLINE void store64(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, 8);
}

/* One output row of rho, pi and chi: the lanes that pi brings into row y, and their rotations. */
#define ROW(to, y, i0, r0, i1, r1, i2, r2, i3, r3, i4, r4) \
	do { \
		const uint64_t b0 = rol(from[i0] ^ d[i0 % 5], r0); \
		const uint64_t b1 = rol(from[i1] ^ d[i1 % 5], r1); \
		const uint64_t b2 = rol(from[i2] ^ d[i2 % 5], r2); \
		const uint64_t b3 = rol(from[i3] ^ d[i3 % 5], r3); \
		const uint64_t b4 = rol(from[i4] ^ d[i4 % 5], r4); \
		(to)[5 * (y)] = b0 ^ (~b1 & b2); \
		(to)[5 * (y) + 1] = b1 ^ (~b2 & b3); \
		(to)[5 * (y) + 2] = b2 ^ (~b3 & b4); \
		(to)[5 * (y) + 3] = b3 ^ (~b4 & b0); \
		(to)[5 * (y) + 4] = b4 ^ (~b0 & b1); \
	} while (0)

INLINE void round_of(uint64_t to[LANES], const uint64_t from[LANES], uint64_t rc)
{
	uint64_t c[5], d[5];

#pragma GCC unroll 5
	for (int x = 0; x < 5; x++)
		c[x] = from[x] ^ from[x + 5] ^ from[x + 10] ^ from[x + 15] ^ from[x + 20];
	d[0] = c[4] ^ rol(c[1], 1);
	d[1] = c[0] ^ rol(c[2], 1);
	d[2] = c[1] ^ rol(c[3], 1);
	d[3] = c[2] ^ rol(c[4], 1);
	d[4] = c[3] ^ rol(c[0], 1);
	ROW(to, 0, 0, 0, 6, 44, 12, 43, 18, 21, 24, 14);
	ROW(to, 1, 3, 28, 9, 20, 10, 3, 16, 45, 22, 61);
	ROW(to, 2, 1, 1, 7, 6, 13, 25, 19, 8, 20, 18);
	ROW(to, 3, 4, 27, 5, 36, 11, 10, 17, 15, 23, 56);
	ROW(to, 4, 2, 62, 8, 55, 14, 39, 15, 41, 21, 2);
	to[0] ^= rc;
}

INLINE void absorb_body(uint64_t s[LANES], const uint8_t *p, size_t blocks)
{
	uint64_t a[LANES], e[LANES];

	memcpy(a, s, sizeof(a));
	for (; blocks > 0; blocks--, p += RATE) {
#pragma GCC unroll 17
		for (int i = 0; i < RATE / 8; i++)
			a[i] ^= load64(p + 8 * i);
		for (int r = 0; r < ROUNDS; r += 2) {
			round_of(e, a, iota[r]);
			round_of(a, e, iota[r + 1]);
		}
	}
	memcpy(s, a, sizeof(a));
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(KECCAK_PORTABLE)
#include <immintrin.h>

/* andn and rorx save the copies that chi and rho otherwise need: a quarter of the time. */
__attribute__((target("bmi,bmi2"))) static void absorb_bmi2(
	uint64_t s[LANES], const uint8_t *p, size_t blocks)
{
	absorb_body(s, p, blocks);
}

/*
 * One lane per xmm register: AVX-512VL brings 32 of them, which hold the whole state, a rotation,
 * and any function of three words: a fifth less time than BMI2. Several lanes in one register were
 * slower, because pi then needs permutations.
 */
#define VL __attribute__((target("avx512f,avx512vl")))
#define VXOR3(a, b, c) _mm_ternarylogic_epi64(a, b, c, 0x96)
#define VCHI(a, b, c) _mm_ternarylogic_epi64(a, b, c, 0xd2)
#define VLANE(i, r) _mm_rol_epi64(_mm_xor_si128(from[i], d[(i) % 5]), r)

#define VROW(to, y, i0, r0, i1, r1, i2, r2, i3, r3, i4, r4) \
	do { \
		const __m128i b0 = VLANE(i0, r0); \
		const __m128i b1 = VLANE(i1, r1); \
		const __m128i b2 = VLANE(i2, r2); \
		const __m128i b3 = VLANE(i3, r3); \
		const __m128i b4 = VLANE(i4, r4); \
		(to)[5 * (y)] = VCHI(b0, b1, b2); \
		(to)[5 * (y) + 1] = VCHI(b1, b2, b3); \
		(to)[5 * (y) + 2] = VCHI(b2, b3, b4); \
		(to)[5 * (y) + 3] = VCHI(b3, b4, b0); \
		(to)[5 * (y) + 4] = VCHI(b4, b0, b1); \
	} while (0)

VL INLINE void round_vl(__m128i to[LANES], const __m128i from[LANES], const uint64_t *rc)
{
	__m128i c[5], d[5];

#pragma GCC unroll 5
	for (int x = 0; x < 5; x++)
		c[x] = _mm_xor_si128(from[x], from[x + 5]);
#pragma GCC unroll 5
	for (int x = 0; x < 5; x++)
		c[x] = VXOR3(c[x], from[x + 10], from[x + 15]);
#pragma GCC unroll 5
	for (int x = 0; x < 5; x++)
		c[x] = _mm_xor_si128(c[x], from[x + 20]);
	/* In this order each c is done with soonest: 25 + 7 registers. */
	d[0] = _mm_xor_si128(c[4], _mm_rol_epi64(c[1], 1));
	d[2] = _mm_xor_si128(c[1], _mm_rol_epi64(c[3], 1));
	d[4] = _mm_xor_si128(c[3], _mm_rol_epi64(c[0], 1));
	d[1] = _mm_xor_si128(c[0], _mm_rol_epi64(c[2], 1));
	d[3] = _mm_xor_si128(c[2], _mm_rol_epi64(c[4], 1));
	VROW(to, 0, 0, 0, 6, 44, 12, 43, 18, 21, 24, 14);
	to[0] = _mm_xor_si128(to[0], _mm_set1_epi64x((long long)*rc));
	VROW(to, 1, 3, 28, 9, 20, 10, 3, 16, 45, 22, 61);
	VROW(to, 2, 1, 1, 7, 6, 13, 25, 19, 8, 20, 18);
	VROW(to, 3, 4, 27, 5, 36, 11, 10, 17, 15, 23, 56);
	VROW(to, 4, 2, 62, 8, 55, 14, 39, 15, 41, 21, 2);
}

VL static void absorb_avx512vl(uint64_t s[LANES], const uint8_t *p, size_t blocks)
{
	__m128i a[LANES], e[LANES];

#pragma GCC unroll 25
	for (int i = 0; i < LANES; i++)
		a[i] = _mm_loadl_epi64((const __m128i *)(s + i));
	for (; blocks > 0; blocks--, p += RATE) {
#pragma GCC unroll 17
		for (int i = 0; i < RATE / 8; i++)
			a[i] = _mm_xor_si128(a[i], _mm_loadl_epi64((const __m128i *)(p + 8 * i)));
		for (int r = 0; r < ROUNDS; r += 2) {
			round_vl(e, a, iota + r);
			round_vl(a, e, iota + r + 1);
		}
	}
#pragma GCC unroll 25
	for (int i = 0; i < LANES; i++)
		_mm_storel_epi64((__m128i *)(s + i), a[i]);
}

/*
 * The other half of each register has room for a second state: two permutations in the time of one.
 */
VL static void permute2_avx512vl(uint64_t s[LANES], uint64_t t[LANES])
{
	__m128i a[LANES], e[LANES];

#pragma GCC unroll 25
	for (int i = 0; i < LANES; i++)
		a[i] = _mm_set_epi64x((long long)t[i], (long long)s[i]);
	for (int r = 0; r < ROUNDS; r += 2) {
		round_vl(e, a, iota + r);
		round_vl(a, e, iota + r + 1);
	}
#pragma GCC unroll 25
	for (int i = 0; i < LANES; i++) {
		_mm_storel_epi64((__m128i *)(s + i), a[i]);
		_mm_storeh_pd((double *)(t + i), _mm_castsi128_pd(a[i]));
	}
}

static bool permute2(uint64_t s[LANES], uint64_t t[LANES])
{
	if (!keccak_pairs())
		return false;
	permute2_avx512vl(s, t);
	return true;
}

bool keccak_has(enum keccak_variant v)
{
	switch (v) {
	case KECCAK_BMI2:
		return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
	case KECCAK_AVX512VL:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
	default:
		return v == KECCAK_PLAIN;
	}
}

/* The compiler's start code asked the processor before main: this looks at a word or two. */
enum keccak_variant keccak_best(void)
{
	return keccak_has(KECCAK_AVX512VL) ? KECCAK_AVX512VL :
	       keccak_has(KECCAK_BMI2)     ? KECCAK_BMI2 :
					     KECCAK_PLAIN;
}

void keccak_absorb(enum keccak_variant v, uint64_t s[LANES], const uint8_t *p, size_t blocks)
{
	switch (v) {
	case KECCAK_AVX512VL:
		absorb_avx512vl(s, p, blocks);
		break;
	case KECCAK_BMI2:
		absorb_bmi2(s, p, blocks);
		break;
	default:
		absorb_body(s, p, blocks);
	}
}
#else
static bool permute2(uint64_t s[LANES], uint64_t t[LANES])
{
	(void)s;
	(void)t;
	return false;
}

bool keccak_has(enum keccak_variant v)
{
	return v == KECCAK_PLAIN;
}

enum keccak_variant keccak_best(void)
{
	return KECCAK_PLAIN;
}

void keccak_absorb(enum keccak_variant v, uint64_t s[LANES], const uint8_t *p, size_t blocks)
{
	(void)v;
	absorb_body(s, p, blocks);
}
#endif

const char *keccak_variant_name(enum keccak_variant v)
{
	static const char *const names[KECCAK_VARIANTS] = {
		[KECCAK_PLAIN] = "portable",
		[KECCAK_BMI2] = "BMI2",
		[KECCAK_AVX512VL] = "AVX-512VL",
	};

	return (unsigned)v < KECCAK_VARIANTS ? names[v] : "?";
}

bool keccak_pairs(void)
{
	return keccak_best() == KECCAK_AVX512VL;
}

static void absorb(uint64_t s[LANES], const uint8_t *p, size_t blocks)
{
	if (blocks > 0)
		keccak_absorb(keccak_best(), s, p, blocks);
}

void keccak_init(struct keccak *k)
{
	memset(k->s, 0, sizeof(k->s));
	k->fill = 0;
}

void keccak_add(struct keccak *k, const void *data, size_t n)
{
	const uint8_t *p = data;

	if (n == 0)
		return;
	if (k->fill > 0) {
		size_t take = RATE - k->fill;

		if (take > n)
			take = n;
		memcpy(k->block + k->fill, p, take);
		k->fill += (unsigned)take;
		p += take;
		n -= take;
		if (k->fill < RATE)
			return;
		absorb(k->s, k->block, 1);
		k->fill = 0;
	}
	absorb(k->s, p, n / RATE);
	p += n / RATE * RATE;
	n %= RATE;
	if (n > 0)
		memcpy(k->block, p, n);
	k->fill = (unsigned)n;
}

static void store_sum(uint8_t out[32], const uint64_t s[LANES])
{
	for (int i = 0; i < 4; i++)
		store64(out + 8 * i, s[i]);
}

void keccak_end(struct keccak *k, uint8_t out[32])
{
	memset(k->block + k->fill, 0, RATE - k->fill);
	k->block[k->fill] = 0x01;
	k->block[RATE - 1] |= 0x80;
	absorb(k->s, k->block, 1);
	store_sum(out, k->s);
}

void keccak_peek(const struct keccak *k, uint8_t out[32])
{
	struct keccak_sum sum;

	keccak_sum_begin(&sum, k);
	keccak_sum_end(&sum, out);
}

/* n bytes into the first lanes. */
static void xor_bytes(uint64_t s[LANES], const uint8_t *p, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		s[i / 8] ^= load64(p + i);
	for (; i < n; i++)
		s[i / 8] ^= (uint64_t)p[i] << 8 * (i % 8);
}

void keccak_sum_begin(struct keccak_sum *sum, const struct keccak *k)
{
	memcpy(sum->s, k->s, sizeof(sum->s));
	xor_bytes(sum->s, k->block, k->fill);
	sum->s[k->fill / 8] ^= UINT64_C(1) << 8 * (k->fill % 8);
	sum->s[RATE / 8 - 1] ^= UINT64_C(0x80) << 56;
	sum->open = true;
}

static void permute(uint64_t s[LANES])
{
	static const uint8_t nothing[RATE];

	absorb(s, nothing, 1);
}

void keccak_sum_end(struct keccak_sum *sum, uint8_t out[32])
{
	if (sum->open)
		permute(sum->s);
	sum->open = false;
	store_sum(out, sum->s);
}

/* Permutes s, and the sum's state too if that costs nothing. */
static void permute_with(uint64_t s[LANES], struct keccak_sum *sum)
{
	if (sum->open && permute2(s, sum->s))
		sum->open = false;
	else
		permute(s);
}

void keccak_add_with(struct keccak *k, const void *data, size_t n, struct keccak_sum *sum)
{
	const size_t take = RATE - k->fill;

	if (sum->open && n >= take) {
		memcpy(k->block + k->fill, data, take);
		xor_bytes(k->s, k->block, RATE);
		k->fill = 0;
		permute_with(k->s, sum);
		data = (const uint8_t *)data + take;
		n -= take;
	}
	keccak_add(k, data, n);
}

void keccak_peek_with(const struct keccak *k, uint8_t out[32], struct keccak_sum *sum)
{
	struct keccak_sum own;

	keccak_sum_begin(&own, k);
	permute_with(own.s, sum);
	store_sum(out, own.s);
}

void keccak256(const void *data, size_t n, uint8_t out[32])
{
	struct keccak k;

	keccak_init(&k);
	keccak_add(&k, data, n);
	keccak_end(&k, out);
}
