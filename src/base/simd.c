#include "base/simd.h"

#include <stdlib.h>
#include <string.h>

const struct simd *const simd_all[] = {
	&simd_scalar,
#ifdef SIMD_HAS_AVX2
	&simd_avx2,
#endif
#ifdef SIMD_HAS_NEON
	&simd_neon,
#endif
	NULL,
};

const struct simd *simd_chosen = &simd_scalar;

bool simd_runs(const struct simd *s)
{
#ifdef SIMD_HAS_AVX2
	if (s == &simd_avx2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
#endif
	return s != NULL;
}

static const struct simd *named(const char *name)
{
	for (size_t i = 0; simd_all[i]; i++)
		if (strcmp(simd_all[i]->name, name) == 0)
			return simd_all[i];
	return NULL;
}

static const struct simd *fastest(void)
{
	const struct simd *best = &simd_scalar;

	for (size_t i = 0; simd_all[i]; i++)
		if (simd_runs(simd_all[i]))
			best = simd_all[i];
	return best;
}

enum status simd_use(const char *name, struct err *e)
{
	const struct simd *s = name && name[0] ? named(name) : fastest();

	if (!s || !simd_runs(s)) {
		err_set(e, ST_USAGE, "no SIMD variant \"%.20s\" %s", name,
			s ? "on this processor" : "in this build");
		return err_cure(e, "CHAINTOP_SIMD=scalar, or leave it unset");
	}
	simd_chosen = s;
	return ST_OK;
}

#ifdef __GNUC__
/*
 * Before main, so that there is no first time to test for on the way of each byte. A name that is none is left for main to
 * complain about. Other compilers have the portable one until main calls simd_use.
 */
__attribute__((constructor)) static void choose(void)
{
#ifdef __x86_64__
	__builtin_cpu_init();
#endif
	if (simd_use(getenv("CHAINTOP_SIMD"), NULL) != ST_OK)
		simd_chosen = fastest();
}
#endif
