/*
 * eth/keccak: published vectors, a plain implementation after the specification, and every way to
 * cut the input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "eth/keccak.h"

/* Once more without the code for special processors, which this one may have. */
#define KECCAK_PORTABLE
#define keccak_init portable_init
#define keccak_add portable_add
#define keccak_end portable_end
#define keccak_peek portable_peek
#define keccak256 portable_keccak256
#define keccak_has portable_has
#define keccak_best portable_best
#define keccak_absorb portable_absorb
#define keccak_variant_name portable_variant_name
#define keccak_sum_begin portable_sum_begin
#define keccak_sum_end portable_sum_end
#define keccak_add_with portable_add_with
#define keccak_peek_with portable_peek_with
#define keccak_pairs portable_pairs
void portable_init(struct keccak *k);
void portable_add(struct keccak *k, const void *data, size_t n);
void portable_end(struct keccak *k, uint8_t out[32]);
void portable_peek(const struct keccak *k, uint8_t out[32]);
void portable_keccak256(const void *data, size_t n, uint8_t out[32]);
bool portable_has(enum keccak_variant v);
enum keccak_variant portable_best(void);
void portable_absorb(enum keccak_variant v, uint64_t s[25], const uint8_t *p, size_t blocks);
const char *portable_variant_name(enum keccak_variant v);
void portable_sum_begin(struct keccak_sum *sum, const struct keccak *k);
void portable_sum_end(struct keccak_sum *sum, uint8_t out[32]);
void portable_add_with(struct keccak *k, const void *data, size_t n, struct keccak_sum *sum);
void portable_peek_with(const struct keccak *k, uint8_t out[32], struct keccak_sum *sum);
bool portable_pairs(void);
#include "eth/keccak.c"
#undef keccak_init
#undef keccak_add
#undef keccak_end
#undef keccak_peek
#undef keccak256
#undef keccak_has
#undef keccak_best
#undef keccak_absorb
#undef keccak_variant_name
#undef keccak_sum_begin
#undef keccak_sum_end
#undef keccak_add_with
#undef keccak_peek_with
#undef keccak_pairs

enum { LONGEST = 700 };

/* The specification word by word: rho and pi from recurrences, iota from its shift register. */
static void plain_permute(uint64_t a[5][5])
{
	uint8_t lfsr = 1;

	for (int round = 0; round < 24; round++) {
		uint64_t c[5], b[5][5], rc = 0;
		int x = 1, y = 0;

		for (int i = 0; i < 5; i++)
			c[i] = a[i][0] ^ a[i][1] ^ a[i][2] ^ a[i][3] ^ a[i][4];
		for (int i = 0; i < 5; i++) {
			const uint64_t right = c[(i + 1) % 5];

			for (int j = 0; j < 5; j++)
				a[i][j] ^= c[(i + 4) % 5] ^ (right << 1 | right >> 63);
		}
		b[0][0] = a[0][0];
		for (int t = 0; t < 24; t++) {
			const unsigned rot = (unsigned)((t + 1) * (t + 2) / 2 % 64);
			const uint64_t v = a[x][y];
			const int next = (2 * x + 3 * y) % 5;

			b[y][next] = rot ? v << rot | v >> (64 - rot) : v;
			x = y;
			y = next;
		}
		for (int i = 0; i < 5; i++)
			for (int j = 0; j < 5; j++)
				a[i][j] = b[i][j] ^ (~b[(i + 1) % 5][j] & b[(i + 2) % 5][j]);
		for (int j = 0; j < 7; j++) {
			if (lfsr & 1)
				rc |= UINT64_C(1) << ((1 << j) - 1);
			lfsr = (uint8_t)(lfsr << 1 ^ (lfsr & 0x80 ? 0x71 : 0));
		}
		a[0][0] ^= rc;
	}
}

static void plain_keccak(const uint8_t *p, size_t n, uint8_t out[32])
{
	uint64_t a[5][5] = { 0 };
	size_t at = 0;

	for (size_t i = 0; i <= n; i++) {
		const uint64_t byte = i < n ? p[i] : 1;

		a[at / 8 % 5][at / 40] ^= byte << 8 * (at % 8);
		if (i == n)
			a[1][3] ^= UINT64_C(0x80) << 56;
		if (++at == 136 || i == n) {
			plain_permute(a);
			at = 0;
		}
	}
	for (int i = 0; i < 32; i++)
		out[i] = (uint8_t)(a[i / 8][0] >> 8 * (i % 8));
}

static void fill(uint8_t *p, size_t n)
{
	uint32_t v = 1;

	for (size_t i = 0; i < n; i++) {
		v = v * 1664525 + 1013904223;
		p[i] = (uint8_t)(v >> 24);
	}
}

static void expect_hex(const uint8_t hash[32], const char *want)
{
	char text[65];

	for (int i = 0; i < 32; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	assert_string_equal(text, want);
}

static void vectors(void **state)
{
	static const struct {
		const char *text, *hash;
	} v[] = {
		{ "", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470" },
		{ "abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45" },
		{ "hello", "1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8" },
		{ "Transfer(address,address,uint256)",
		  "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" },
	};
	uint8_t out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		keccak256(v[i].text, strlen(v[i].text), out);
		expect_hex(out, v[i].hash);
		plain_keccak((const uint8_t *)v[i].text, strlen(v[i].text), out);
		expect_hex(out, v[i].hash);
	}
}

static void every_length(void **state)
{
	static uint8_t data[LONGEST];
	uint8_t want[32], got[32];

	(void)state;
	fill(data, sizeof(data));
	for (size_t n = 0; n <= LONGEST; n++) {
		plain_keccak(data, n, want);
		keccak256(data, n, got);
		assert_memory_equal(got, want, 32);
		portable_keccak256(data, n, got);
		assert_memory_equal(got, want, 32);
	}
}

static void in_pieces(void **state)
{
	static const size_t step[] = { 1, 7, 8, 64, 135, 136, 137, 272 };
	static uint8_t data[300];
	struct keccak k;
	uint8_t want[32], got[32];

	(void)state;
	fill(data, sizeof(data));
	for (size_t n = 0; n <= sizeof(data); n++) {
		keccak256(data, n, want);
		for (size_t s = 0; s < sizeof(step) / sizeof(step[0]); s++) {
			keccak_init(&k);
			for (size_t at = 0; at < n; at += step[s])
				keccak_add(&k, data + at, n - at < step[s] ? n - at : step[s]);
			keccak_end(&k, got);
			assert_memory_equal(got, want, 32);
		}
		keccak_init(&k);
		keccak_add(&k, data, n / 3);
		keccak_add(&k, NULL, 0);
		keccak_add(&k, data + n / 3, n - n / 3);
		keccak_end(&k, got);
		assert_memory_equal(got, want, 32);
	}
}

static void peek_goes_on(void **state)
{
	static uint8_t data[300];
	struct keccak k;
	uint8_t want[32], got[32];

	(void)state;
	fill(data, sizeof(data));
	keccak_init(&k);
	for (size_t n = 0; n <= sizeof(data); n++) {
		keccak_peek(&k, got);
		keccak256(data, n, want);
		assert_memory_equal(got, want, 32);
		if (n < sizeof(data))
			keccak_add(&k, data + n, 1);
	}
}

/* Sums put off at any place, done beside whatever comes next: each is what it would have been at once. */
static void sums_put_off(void **state)
{
	static uint8_t data[600];
	uint8_t want[32], got[32], other[32];

	(void)state;
	fill(data, sizeof(data));
	assert_false(portable_pairs());
	for (size_t at = 0; at < 300; at++) {
		for (size_t more = 0; more < 300; more += 1 + more / 7) {
			struct keccak k, p;
			struct keccak_sum sum, psum, none = { .open = false };

			keccak_init(&k);
			keccak_add(&k, data, at);
			p = k;
			keccak_sum_begin(&sum, &k);
			portable_sum_begin(&psum, &p);
			keccak_add_with(&k, data + at, more, &sum);
			portable_add_with(&p, data + at, more, &psum);
			assert_int_equal(sum.open, !(keccak_pairs() && at % 136 + more >= 136));
			keccak_peek_with(&k, other, &sum);
			keccak256(data, at + more, want);
			assert_memory_equal(other, want, 32);
			assert_int_equal(sum.open, !keccak_pairs());
			keccak_sum_end(&sum, got);
			keccak256(data, at, want);
			assert_memory_equal(got, want, 32);
			portable_sum_end(&psum, got);
			assert_memory_equal(got, want, 32);
			/* The state went on. */
			keccak_add_with(&k, data, 77, &none);
			portable_add(&p, data, 77);
			keccak_end(&k, got);
			portable_end(&p, want);
			assert_memory_equal(got, want, 32);
		}
	}
}

static void variants_agree(void **state)
{
	enum { BLOCKS = 5 };
	static uint8_t data[BLOCKS * 136 + 1];
	unsigned here = 0;

	(void)state;
	fill(data, sizeof(data));
	assert_true(keccak_has(KECCAK_PLAIN));
	assert_true(keccak_has(keccak_best()));
	assert_int_equal(portable_best(), KECCAK_PLAIN);
	for (enum keccak_variant v = KECCAK_PLAIN; v < KECCAK_VARIANTS; v++) {
		if (!keccak_has(v)) {
			print_message("SKIP: this processor has no %s\n", keccak_variant_name(v));
			continue;
		}
		here++;
		/* From an odd address, and from a state that has no zero lanes any more. */
		for (size_t blocks = 0; blocks <= BLOCKS; blocks++) {
			uint64_t want[5][5] = { 0 }, plain[25] = { 0 }, got[25] = { 0 };

			for (size_t i = 0; i < blocks; i++) {
				for (size_t k = 0; k < 136; k++)
					want[k / 8 % 5][k / 40] ^= (uint64_t)data[1 + 136 * i + k]
						<< 8 * (k % 8);
				plain_permute(want);
			}
			portable_absorb(KECCAK_PLAIN, plain, data + 1, blocks);
			keccak_absorb(v, got, data + 1, blocks);
			assert_memory_equal(got, plain, sizeof(got));
			for (int i = 0; i < 25; i++)
				assert_true(got[i] == want[i % 5][i / 5]);
		}
	}
	assert_true(here >= 1);
	assert_string_equal(keccak_variant_name(KECCAK_VARIANTS), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(every_length),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(peek_goes_on),
		cmocka_unit_test(sums_put_off),
		cmocka_unit_test(variants_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
