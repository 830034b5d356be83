/* UTF-8: decoding, width in columns, and making foreign text harmless. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes one code point at s (n bytes left, n > 0). *len gets the bytes used (≥ 1).
 * Invalid: U+FFFD, 1 byte.
 */
uint32_t utf8_decode(const char *s, size_t n, int *len);
/*
 * Writes cp (≤ 4 bytes, no terminator) and returns the number of bytes. Surrogates and what is
 * past U+10FFFF become U+FFFD.
 */
int utf8_encode(uint32_t cp, char out[4]);
/* Columns of cp on a terminal: 0, 1 or 2. Own table: the locale does not matter. Controls: 0. */
int utf8_width(uint32_t cp);
/* Columns of a string. */
size_t utf8_columns(const char *s);
/*
 * Copies at most n bytes of foreign text into out[size], made safe for a terminal: C0, C1 and bidi
 * controls, line ends, zero-width and other invisible characters, noncharacters and invalid bytes
 * become one '?' each; combining marks stay. Always terminated, never cuts inside a code point.
 * Returns bytes written, which is ≤ n.
 */
size_t utf8_clean(char *out, size_t size, const char *s, size_t n);
/* Length in bytes of the longest prefix of s that takes at most `columns` columns. */
size_t utf8_clip(const char *s, size_t columns);

#endif
