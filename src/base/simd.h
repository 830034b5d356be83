/*
 * The loops that look at every byte of a block's text, in one version for each kind of processor. The fastest one that runs
 * here is chosen once, at start; CHAINTOP_SIMD=scalar|avx2|neon forces one. All of them do exactly the same
 * (tests/unit/test_simd.c, tests/fuzz/fuzz_simd.c).
 *
 * No kernel reads before the text or at its end, nor writes more than its contract says: no padding is needed anywhere.
 */
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/u256.h"

struct simd {
	const char *name; /* "scalar", "avx2", "neon" */
	/* 2 × n digits, either case, to n bytes. False if one is none; out is then unspecified. */
	bool (*hex_digits)(const char *s, uint8_t *out, size_t n);
	/*
	 * As many digits as there are: returns their number, and their pairs are decoded. Writes no more than (end − s) / 2
	 * bytes to out, but up to 32 of these behind the decoded ones.
	 */
	size_t (*hex_run)(const char *s, const char *end, uint8_t *out);
	/*
	 * A QUANTITY as the spec writes it ("0x2f": lower case, no leading zero), s at its first quote. Returns the place behind
	 * its last quote, or NULL with *out as it was if there is anything else: then hex_u64 or hex_u256 may still take it.
	 * start ≤ s: where the text begins.
	 */
	const char *(*quantity_u64)(const char *s, const char *end, uint64_t *out);
	const char *(*quantity_u256)(
		const char *start, const char *s, const char *end, struct u256 *out);
	/* The first '"', '\\' or control character in [p, end), or end. */
	const char *(*string_end)(const char *p, const char *end);
};

/* Which there are beside the portable one, by the compiler's target. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SIMD_HAS_AVX2 1
#elif defined(__AARCH64EL__) && defined(__ARM_NEON)
#define SIMD_HAS_NEON 1
#endif
extern const struct simd simd_scalar, simd_avx2, simd_neon;
/* What was built for this kind of processor: the portable one first, the fastest last, then NULL. */
extern const struct simd *const simd_all[];

/* Whether this processor runs it. */
bool simd_runs(const struct simd *s);
/*
 * Takes the one of that name, or for NULL and "" the fastest. ST_USAGE: it is not known or does not run here. Not while
 * other threads decode.
 */
enum status simd_use(const char *name, struct err *e) MUST_CHECK;

/* The one in use. Set before main, changed by simd_use alone. */
extern const struct simd *simd_chosen;
static inline const struct simd *simd(void)
{
	return simd_chosen;
}

#endif
