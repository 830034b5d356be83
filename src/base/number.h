/*
 * Numbers as people read them, on the screen and in reports. Every function writes into out (size ≥ NUMBER_MAX is always enough)
 * and returns it;
 * what is not known (UINT64_MAX, NaN, NULL) becomes "—". Thousands are grouped with commas, the minus sign is U+2212, independent
 * of the locale. Canvas turns both into ASCII where needed.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/u256.h"

enum { NUMBER_MAX = 128 };

/* What `u` switches (UI_UNITS) for fees and values. */
enum fee_unit { FEE_GWEI, FEE_WEI, FEE_ETHER, FEE_UNIT_N };

char *number_int(char *out, size_t size, uint64_t v); /* "25,490,415" */
/* Exactly `digits` (0 … 9) behind the point: "57.7". Infinite is unknown. */
char *number_fixed(char *out, size_t size, double v, int digits);
/* share 0.577, 1 digit: "57.7 %"; with_sign: "+1.5 %", "−1.5 %", "0.0 %". */
char *number_percent(char *out, size_t size, double share, int digits);
char *number_percent_signed(char *out, size_t size, double share, int digits);
/* A plain number with its sign: "+21.4", "−3.0". */
char *number_signed(char *out, size_t size, double v, int digits);
/* Three digits and a prefix, powers of 1000: "950", "1.20k", "60.0M", "2.67G"; below 1000 whole numbers stay whole. */
char *number_si(char *out, size_t size, double v);
/* The same without zeros behind the point, for axes: "60M", "1.2k". */
char *number_si_short(char *out, size_t size, double v);
/* Bytes in powers of 1000, two digits at least: "96 B", "9.6 kB", "96 kB", "1.6 MB". */
char *number_bytes(char *out, size_t size, uint64_t bytes);
char *number_bytes_d(char *out, size_t size, double bytes);
/* "412 MB/s", "9.1 MB/s". */
char *number_rate(char *out, size_t size, double bytes_per_s);
/* Column of megabytes without the unit: "0.09", "1.44", "412". */
char *number_mb(char *out, size_t size, double bytes);
/* wei in gwei with `digits` behind the point: "9.482". NULL: unknown. */
char *number_gwei(char *out, size_t size, const struct u256 *wei, unsigned digits);
/* wei in ether: "0.250892". */
char *number_ether(char *out, size_t size, const struct u256 *wei, unsigned digits);
/* A fee with its unit, as short as it stays readable: "9.342 gwei", from 0.001 gwei on, else "250,000 wei", "1 wei". */
char *number_fee(char *out, size_t size, const struct u256 *wei);
/* A fee without its unit in the unit chosen: gwei 3 digits, wei grouped, ether 9 digits. */
char *number_fee_in(char *out, size_t size, const struct u256 *wei, enum fee_unit unit);
const char *fee_unit_name(enum fee_unit unit); /* "gwei" */

#endif
