/* Unit tests of base/utf8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Every code point there and back, and every truncation of it is refused. */
static void
test_round_trip(void **state)
{
	uint32_t cp, got;
	char s[4];
	int n, len, cut;

	(void)state;
	for (cp = 0; cp <= 0x10ffff; cp++) {
		if (cp >= 0xd800 && cp <= 0xdfff)
			continue;
		n = utf8_encode(cp, s);
		got = utf8_decode(s, (size_t)n, &len);
		if (got != cp || len != n)
			fail_msg("U+%04X", cp);
		for (cut = 1; cut < n; cut++)
			if (utf8_decode(s, (size_t)cut, &len) != 0xfffd || len != 1)
				fail_msg("U+%04X cut to %d", cp, cut);
	}
	assert_int_equal(utf8_encode(0xd800, s), 3);
	assert_memory_equal(s, "\xef\xbf\xbd", 3);
	assert_int_equal(utf8_encode(0x110000, s), 3);
	assert_memory_equal(s, "\xef\xbf\xbd", 3);
}

/* All 2^24 sequences of three bytes would take long; what counts is where the bounds are. */
static void
test_invalid(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0",
		"\xe0\x9f\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe1\x80",
		"\xe1\x80\x7f", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"\xf8\x88\x80\x80\x80", "\xfe", "\xff", "\xf1\x80\x80\xc0",
	};
	size_t i;
	int len;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (utf8_decode(bad[i], strlen(bad[i]), &len) != 0xfffd || len != 1)
			fail_msg("case %zu", i);
	}
}

static void
test_width(void **state)
{
	static const struct {
		uint32_t cp;
		int width;
	} t[] = {
		{0, 0}, {'\n', 0}, {0x1b, 0}, {' ', 1}, {'A', 1}, {'~', 1}, {0x7f, 0}, {0x9b, 0},
		{0xa0, 1}, {0xe9, 1}, {0x2ff, 1}, {0x300, 0}, {0x36f, 0}, {0x370, 1}, {0x39e, 1},
		{0x5d0, 1}, {0x5b0, 0}, {0x10ff, 1}, {0x1100, 2}, {0x1160, 0}, {0x200b, 0},
		{0x200d, 0}, {0x2013, 1}, {0x2026, 1}, {0x20d0, 0}, {0x2502, 1}, {0x2588, 1},
		{0x25b6, 1}, {0x231a, 2}, {0x2713, 1}, {0x2714, 1}, {0x2800, 1}, {0x28ff, 1},
		{0x2e80, 2}, {0x3000, 2}, {0x3042, 2}, {0x303f, 1}, {0x4e2d, 2}, {0x9fff, 2},
		{0xac00, 2}, {0xd7a3, 2}, {0xe000, 1}, {0xfe0f, 0}, {0xff21, 2}, {0xff61, 1},
		{0xfffd, 1}, {0x1f300, 2}, {0x1f600, 2}, {0x1f980, 2}, {0x20000, 2}, {0x2a6df, 2},
		{0x30000, 2}, {0xe0100, 0}, {0xf0000, 1}, {0x10ffff, 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (utf8_width(t[i].cp) != t[i].width)
			fail_msg("U+%04X is %d", t[i].cp, utf8_width(t[i].cp));
	assert_int_equal(utf8_columns(""), 0);
	assert_int_equal(utf8_columns("a\xcc\x81" "b"), 2);
	assert_int_equal(utf8_columns("\xe4\xb8\xad\xe6\x96\x87"), 4);
	assert_int_equal(utf8_columns("\xff\xff"), 2);
}

static void
clean(const char *in, size_t n, const char *want)
{
	char out[64];
	size_t got = utf8_clean(out, sizeof(out), in, n);

	assert_string_equal(out, want);
	assert_int_equal(got, strlen(want));
}

static void
test_clean(void **state)
{
	char out[8];

	(void)state;
	clean("geth/v1.14", 10, "geth/v1.14");
	clean("", 0, "");
	clean("a\x1b]0;title\x07z", 12, "a?]0;title?z");
	clean("a\r\n\tb\x7f", 6, "a???b?");
	clean("a\0b", 3, "a?b");
	clean("\xc2\x9b" "31m", 5, "?31m"); /* C1 CSI, two bytes, one '?' */
	clean("\x9b" "31m", 4, "?31m"); /* the same as a raw byte */
	clean("\xe2\x80\xae" "evil", 7, "?evil"); /* right-to-left override */
	clean("\xe2\x81\xa6x\xe2\x81\xa9", 7, "?x?"); /* isolates */
	clean("a\xe2\x80\x8b" "b\xe2\x80\x8d", 8, "a?b?"); /* zero width space, joiner */
	clean("\xef\xbb\xbfx", 4, "?x"); /* byte order mark */
	clean("\xe2\x80\xa8\xe2\x80\xa9", 6, "??"); /* line and paragraph separator */
	clean("\xf3\xa0\x80\x81", 4, "?"); /* tag */
	clean("\xef\xbf\xbf\xef\xb7\x90", 6, "??"); /* noncharacters */
	clean("\xef\xbf\xb9", 3, "?"); /* annotation anchor */
	clean("\xef\xbf\xbd", 3, "\xef\xbf\xbd"); /* a replacement character that was sent */
	clean("\xff\xc3", 2, "??");
	clean("\xed\xa0\x80", 3, "???"); /* surrogate: three invalid bytes */
	clean("\xce\x9e 1.5 \xe4\xb8\xad", 10, "\xce\x9e 1.5 \xe4\xb8\xad");
	/* Whole code points only, always terminated. */
	assert_int_equal(utf8_clean(out, 4, "ab\xce\x9e", 4), 2);
	assert_string_equal(out, "ab");
	assert_int_equal(utf8_clean(out, 5, "ab\xce\x9e", 4), 4);
	assert_int_equal(utf8_clean(out, 1, "ab", 2), 0);
	assert_string_equal(out, "");
	out[0] = 'k';
	assert_int_equal(utf8_clean(out, 0, "ab", 2), 0);
	assert_int_equal(out[0], 'k');
}

/* Whatever goes in, valid UTF-8 without controls comes out; cleaning it again changes nothing. */
static void
test_clean_property(void **state)
{
	char in[40], out[64], again[64];
	uint32_t x = 12345, cp;
	size_t n, i, w, at;
	int round, len;

	(void)state;
	for (round = 0; round < 200000; round++) {
		x = x * 1664525 + 1013904223;
		n = x >> 26 & 31;
		for (i = 0; i < n; i++) {
			x = x * 1664525 + 1013904223;
			in[i] = (char)(x >> 24);
			/* Mostly bytes that make long sequences. */
			if (x >> 16 & 1)
				in[i] = "\xe2\x80\x8f\xc2\x9f\xf0\xf3\xa0\xef\xbf"[(x >> 8) % 10];
		}
		w = utf8_clean(out, sizeof(out), in, n);
		assert_true(w <= n);
		for (at = 0; at < w; at += (size_t)len) {
			cp = utf8_decode(out + at, w - at, &len);
			assert_false(cp == 0xfffd && len == 1);
			assert_false(cp < 0x20 || (cp >= 0x7f && cp < 0xa0));
			assert_false(cp >= 0x200b && cp <= 0x200f);
			assert_false(cp >= 0x2028 && cp <= 0x202e);
		}
		assert_int_equal(utf8_clean(again, sizeof(again), out, w), w);
		assert_string_equal(again, out);
	}
}

static void
test_clip(void **state)
{
	static const char mixed[] = "a\xe4\xb8\xad" "b\xcc\x81" "c"; /* columns 1 2 1 0 1 */

	(void)state;
	assert_int_equal(utf8_clip(mixed, 0), 0);
	assert_int_equal(utf8_clip(mixed, 1), 1);
	assert_int_equal(utf8_clip(mixed, 2), 1); /* half a wide character does not fit */
	assert_int_equal(utf8_clip(mixed, 3), 4);
	assert_int_equal(utf8_clip(mixed, 4), 7); /* its accent belongs to the b */
	assert_int_equal(utf8_clip(mixed, 5), 8);
	assert_int_equal(utf8_clip(mixed, 99), 8);
	assert_int_equal(utf8_clip("", 5), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_clean_property),
		cmocka_unit_test(test_clip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
