/* Unsigned 256-bit integers: exactly what fees, values and difficulties need. */
#ifndef BASE_U256_H
#define BASE_U256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct u256 {
	uint64_t w[4]; /* w[0] is the least significant */
};

struct u256 u256_from64(uint64_t v);
bool u256_is_zero(const struct u256 *a);
bool u256_fits64(const struct u256 *a);
uint64_t u256_sat64(const struct u256 *a); /* value, or UINT64_MAX if it does not fit */
double u256_double(const struct u256 *a); /* correctly rounded */
int u256_cmp(const struct u256 *a, const struct u256 *b);
/*
 * All of these return false on overflow, underflow or division by zero, and then leave *r
 * unspecified. r may alias a and b.
 */
bool u256_add(struct u256 *r, const struct u256 *a, const struct u256 *b);
bool u256_sub(struct u256 *r, const struct u256 *a, const struct u256 *b);
bool u256_mul(struct u256 *r, const struct u256 *a, const struct u256 *b);
/* q, rem may be NULL. */
bool u256_divmod(struct u256 *q, struct u256 *rem, const struct u256 *a, const struct u256 *b);
/* Big-endian, 32 bytes. */
void u256_to_be(const struct u256 *a, uint8_t out[32]);
void u256_from_be(struct u256 *a, const uint8_t *in, size_t n); /* n ≤ 32 */
/* Decimal without separators. size ≥ 79. Returns out. */
char *u256_dec(char *out, size_t size, const struct u256 *a);
/*
 * a × 10^-unit with exactly `digits` digits behind the point (20 at most), rounded half up: "9.482"
 * for gwei with unit 9, digits 3; unit 18 is ether. size ≥ 100. Returns out.
 */
char *u256_unit(char *out, size_t size, const struct u256 *a, unsigned unit, unsigned digits);

#endif
