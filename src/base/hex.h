/*
 * Ethereum's hex: QUANTITY and DATA of the execution-apis (provider.md §3.1). Lenient by default,
 * as real nodes need: leading zeros, upper case digits and "0x" as the number 0 are accepted and
 * reported through *lenient. A missing 0x is refused.
 */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u256.h"

/*
 * s[n] is the text without quotes. False: not a quantity or too wide; *out is then unchanged.
 * *lenient (may be NULL) is set to true if rules were bent; never to false.
 */
bool hex_u64(const char *s, size_t n, uint64_t *out, bool *lenient);
bool hex_u256(const char *s, size_t n, struct u256 *out, bool *lenient);
/* Exactly `want` bytes: n must be 2 + 2 × want. */
bool hex_fixed(const char *s, size_t n, uint8_t *out, size_t want);
/* Any even number of digits; out needs (n − 2) / 2 bytes. Returns the bytes written or −1. */
long hex_data(const char *s, size_t n, uint8_t *out);
/*
 * Digits only, no 0x: decodes 2 × n digits. False if one is none; out is then unspecified.
 * The hot loop: SIMD lives behind it.
 */
bool hex_digits(const char *s, uint8_t *out, size_t n);
/* "0x…", lower case, into out (2 + 2n + 1 bytes). Returns out. */
char *hex_print(char *out, const uint8_t *in, size_t n);
/* Strict QUANTITY into out (≥ 19 bytes, u256: ≥ 67). Returns out. */
char *hex_print_u64(char *out, uint64_t v);
char *hex_print_u256(char *out, const struct u256 *v);

#endif
