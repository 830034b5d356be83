/* Unit tests of net/ipc_scan: provider.md faults 41–43, 47, 48. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "net/ipc_scan.h"

/* Scans in pieces of `step`; writes "M:…" a message, "J:…" junk, spaces left out. Pieces of junk are joined. */
static void
scan(const char *in, size_t n, size_t step, struct buf *log)
{
	struct ipc_scan s = {0};
	bool in_message = false, in_junk = false;

	for (size_t at = 0; at < n;) {
		size_t k = n - at < step ? n - at : step, used = 0;
		bool fresh = s.depth == 0;
		enum ipc_found f = ipc_scan_next(&s, in + at, k, &used);

		assert_true(used > 0 && used <= k);
		if (f == IPC_JUNK) {
			assert_true(fresh);
			if (!in_junk)
				assert_int_equal(buf_adds(log, "J:"), ST_OK);
			assert_int_equal(buf_add(log, in + at, used), ST_OK);
		}
		if (f == IPC_MORE || f == IPC_MESSAGE) {
			if (!in_message)
				assert_int_equal(buf_adds(log, "M:"), ST_OK);
			assert_int_equal(buf_add(log, in + at, used), ST_OK);
			in_message = f == IPC_MORE;
			if (f == IPC_MESSAGE)
				assert_int_equal(buf_adds(log, "\n"), ST_OK);
		}
		in_junk = f == IPC_JUNK;
		at += used;
	}
}

static void
expect(const char *in, const char *want)
{
	for (size_t step = 1; step < 40; step++) {
		struct buf log;

		buf_init(&log, 1 << 20);
		scan(in, strlen(in), step, &log);
		assert_string_equal(log.p ? log.p : "", want);
		buf_fini(&log);
	}
}

static void
test_boundaries(void **state)
{
	(void)state;
	expect("{}", "M:{}\n");
	expect("{}\n", "M:{}\n");
	expect("{}{}[]", "M:{}\nM:{}\nM:[]\n");
	expect(" {\"a\":1}\r\n\t[{\"b\":[2]}] ", "M:{\"a\":1}\nM:[{\"b\":[2]}]\n");
	expect("{\"a\":{\"b\":{}}}{\"c\":[", "M:{\"a\":{\"b\":{}}}\nM:{\"c\":[");
}

static void
test_strings(void **state)
{
	(void)state;
	expect("{\"}]{[\":\"}\"}{}", "M:{\"}]{[\":\"}\"}\nM:{}\n");
	expect("[\"\\\"}\",\"\\\\\"]{}", "M:[\"\\\"}\",\"\\\\\"]\nM:{}\n");
	expect("[\"\\\\\\\"]\"]{}", "M:[\"\\\\\\\"]\"]\nM:{}\n");
	expect("[\"\\u007d\\ud83d\\ude00]\"][]", "M:[\"\\u007d\\ud83d\\ude00]\"]\nM:[]\n");
	expect("[\"\xf0\x9f\x98\x80\xa2\xdc\",\"01234567}89abcdef]\"][]",
		"M:[\"\xf0\x9f\x98\x80\xa2\xdc\",\"01234567}89abcdef]\"]\nM:[]\n");
}

static void
test_junk(void **state)
{
	(void)state;
	expect("garbage{}", "J:garbageM:{}\n");
	expect("}]{}", "J:}]M:{}\n");
	expect("null\n{}", "J:nullM:{}\n");
	expect("\"{}\"", "J:\"M:{}\nJ:\"");
	expect("", "");
	expect(" \n", "");
	/* Brackets of the wrong kind end a text all the same: the decoder says what is wrong. */
	expect("{]{}", "M:{]\nM:{}\n");
}

/* Any byte at any place of the eight that are looked at together. */
static void
test_bytes(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		for (size_t at = 0; at < 17; at++) {
			struct ipc_scan s = {0};
			char t[24];
			size_t used;

			memset(t, 'x', sizeof(t));
			t[0] = '[';
			t[1] = '"';
			t[2 + at] = (char)c;
			t[20] = '"';
			t[21] = ']';
			if (c == '"' || c == '\\')
				continue;
			assert_int_equal(ipc_scan_next(&s, t, 22, &used), IPC_MESSAGE);
			assert_int_equal(used, 22);
		}
	}
}

/*
 * Long pieces are looked at many bytes at once, single bytes are not: both must see the same, whatever stands where. Texts of
 * quotes, brackets and backslashes; of hardly anything but strings, as blocks are; and one that is deep.
 */
static void
test_long_pieces(void **state)
{
	static const char *const alphabets[] = {"{}[]\"\\a,\n ", "{[\"\"\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}]",
		"[[[[[[[[]]]]]]]\"", "{[}]\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\"};
	static const size_t steps[] = {63, 64, 65, 127, 128, 200, 1000, 5000};
	uint64_t rng = 88172645463325252u;
	struct buf one, many;
	char text[5000];

	(void)state;
	buf_init(&one, 1 << 20);
	buf_init(&many, 1 << 20);
	for (int round = 0; round < 400; round++) {
		const char *set = alphabets[round % 4];
		size_t n = sizeof(text) - (size_t)(round % 97);

		for (size_t i = 0; i < n; i++) {
			rng ^= rng << 13;
			rng ^= rng >> 7;
			rng ^= rng << 17;
			text[i] = set[rng % strlen(set)];
		}
		buf_clear(&one);
		scan(text, n, 1, &one);
		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
			buf_clear(&many);
			scan(text, n, steps[k], &many);
			assert_int_equal(many.len, one.len);
			assert_memory_equal(many.p, one.p, one.len);
		}
	}
	buf_fini(&one);
	buf_fini(&many);
}

/* Deep nesting costs nothing and overflows nothing. */
static void
test_deep(void **state)
{
	struct ipc_scan s = {0};
	size_t n = 1 << 20, used;
	char *p = malloc(2 * n);

	(void)state;
	memset(p, '[', n);
	memset(p + n, ']', n);
	assert_int_equal(ipc_scan_next(&s, p, n, &used), IPC_MORE);
	assert_int_equal(s.depth, n);
	assert_int_equal(ipc_scan_next(&s, p + n, n, &used), IPC_MESSAGE);
	assert_int_equal(used, n);
	assert_int_equal(s.depth, 0);
	free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_junk),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_long_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
