/* Unit tests of net/ws_frame: RFC 6455 §5, fragments, control frames, limits, in-place delivery. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "net/transport.h"
#include "net/ws_frame.h"

/* One unmasked server frame. */
static void
frame(struct buf *b, int byte0, const void *data, size_t n)
{
	uint8_t h[10] = {(uint8_t)byte0};
	size_t size = 2;

	if (n < 126) {
		h[1] = (uint8_t)n;
	} else if (n < 65536) {
		h[1] = 126;
		h[2] = (uint8_t)(n >> 8);
		h[3] = (uint8_t)n;
		size = 4;
	} else {
		h[1] = 127;
		for (int i = 0; i < 8; i++)
			h[2 + i] = (uint8_t)((uint64_t)n >> (56 - 8 * i));
		size = 10;
	}
	assert_int_equal(buf_add(b, h, size), ST_OK);
	assert_int_equal(buf_add(b, data, n), ST_OK);
}

/* Feeds bytes in pieces of `step` and writes down what comes: "T5:hello P2:xy ". */
static void
feed(struct ws_reader *r, const struct buf *in, size_t step, struct buf *log, struct err *e)
{
	for (size_t at = 0; at < in->len;) {
		size_t n, k = in->len - at < step ? in->len - at : step;
		char *p = ws_reader_space(r, &n);
		enum ws_event ev;

		assert_non_null(p);
		assert_true(n >= RX_READ);
		k = k < n ? k : n;
		memcpy(p, in->p + at, k);
		at += k;
		rx_commit(&r->rx, k, 1000 + at, 5);
		while ((ev = ws_reader_next(r, e)) != WS_MORE) {
			if (ev == WS_BAD) {
				assert_int_equal(buf_addf(log, "BAD%d", (int)e->code), ST_OK);
				return;
			}
			if (ev == WS_MESSAGE)
				assert_int_equal(r->data[r->n], 0);
			assert_int_equal(buf_addf(log, "%c%d:%zu:", ev == WS_MESSAGE ? 'M' : 'C',
						 (int)r->opcode, r->n),
				ST_OK);
			if (r->n < 200)
				assert_int_equal(buf_add(log, r->data, r->n), ST_OK);
			else
				for (size_t i = 0; i < r->n; i++)
					if (r->data[i] != (char)('a' + i % 23))
						fail_msg("byte %zu of a long message is wrong", i);
			assert_int_equal(buf_adds(log, " "), ST_OK);
		}
	}
}

static void
expect(const struct buf *in, size_t limit, const char *want)
{
	static const size_t steps[] = {SIZE_MAX, 1, 2, 3, 7, 1000, 4096, 65536};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct ws_reader r;
		struct buf log;
		struct err e = {0};

		ws_reader_init(&r, limit);
		buf_init(&log, 1 << 20);
		feed(&r, in, steps[i], &log, &e);
		assert_string_equal(log.p ? log.p : "", want);
		buf_fini(&log);
		ws_reader_fini(&r);
	}
}

static char *
pattern(size_t n)
{
	char *p = malloc(n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = (char)('a' + i % 23);
	return p;
}

static void
test_plain(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	frame(&b, 0x81, "hello", 5);
	frame(&b, 0x82, "{}", 2);
	frame(&b, 0x81, "", 0);
	frame(&b, 0x89, "ping", 4);
	frame(&b, 0x8a, "", 0);
	frame(&b, 0x88, "\x03\xe8" "bye", 5);
	expect(&b, 100, "M1:5:hello M2:2:{} M1:0: C9:4:ping C10:0: C8:5:\x03\xe8" "bye ");
	buf_fini(&b);
}

static void
test_fragments(void **state)
{
	struct buf b;
	char *p = pattern(300000);

	(void)state;
	buf_init(&b, 1 << 22);
	/* As provider.md fault 6: a block as 1, n and the rest, with a ping of 125 bytes between. */
	frame(&b, 0x01, p, 1);
	frame(&b, 0x89, p, 125);
	frame(&b, 0x00, p + 1, 70000);
	frame(&b, 0x8a, "", 0);
	frame(&b, 0x00, "", 0);
	frame(&b, 0x80, p + 70001, 229999);
	frame(&b, 0x81, "next", 4);
	{
		char want[300];

		snprintf(want, sizeof(want), "C9:125:%.125s C10:0: M1:300000: M1:4:next ", p);
		expect(&b, 300000, want);
	}
	buf_clear(&b);
	/* Ten thousand fragments of one byte. */
	frame(&b, 0x02, p, 1);
	for (int i = 1; i < 9999; i++)
		frame(&b, 0x00, p + i, 1);
	frame(&b, 0x80, p + 9999, 1);
	expect(&b, 10000, "M2:10000: ");
	free(p);
	buf_fini(&b);
}

static void
test_long(void **state)
{
	struct buf b;
	char *p = pattern(3000000);

	(void)state;
	buf_init(&b, 1 << 24);
	frame(&b, 0x81, p, 125);
	frame(&b, 0x81, p, 126);
	frame(&b, 0x81, p, 65535);
	frame(&b, 0x81, p, 65536);
	frame(&b, 0x81, p, 3000000);
	frame(&b, 0x81, "x", 1);
	{
		char want[600];

		snprintf(want, sizeof(want),
			"M1:125:%.125s M1:126:%.126s M1:65535: M1:65536: M1:3000000: M1:1:x ", p, p);
		expect(&b, 1 << 22, want);
	}
	free(p);
	buf_fini(&b);
}

static void
test_bad(void **state)
{
	static const struct {
		const char *what;
		uint8_t bytes[20];
		size_t n;
	} t[] = {
		{"reserved bit 1 (compressed)", {0xc1, 0}, 2},
		{"reserved bit 3", {0x91, 0}, 2},
		{"masked", {0x81, 0x80, 0, 0, 0, 0}, 6},
		{"opcode 3", {0x83, 0}, 2},
		{"opcode 11", {0x8b, 0}, 2},
		{"ping in fragments", {0x09, 0}, 2},
		{"ping of 126", {0x89, 126, 0, 126}, 4},
		{"continuation of nothing", {0x80, 0}, 2},
		{"text in text", {0x01, 1, 'a', 0x81, 0}, 5},
		{"negative length", {0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 1}, 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct buf b;
		char want[16];

		buf_init(&b, 100);
		assert_int_equal(buf_add(&b, t[i].bytes, t[i].n), ST_OK);
		snprintf(want, sizeof(want), "BAD%d", ST_MALFORMED);
		expect(&b, 1000, want);
		buf_fini(&b);
	}
}

/* Announced size counts, over all fragments; a huge one must not be allocated to find out. */
static void
test_limit(void **state)
{
	static const uint8_t huge[] = {0x81, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct ws_reader r;
	struct buf b;
	char want[32];
	size_t n;

	(void)state;
	snprintf(want, sizeof(want), "BAD%d", ST_TOO_BIG);
	buf_init(&b, 1000);
	assert_int_equal(buf_add(&b, huge, sizeof(huge)), ST_OK);
	expect(&b, 128 << 20, want);
	buf_clear(&b);
	frame(&b, 0x01, "0123456789", 10);
	frame(&b, 0x80, "x", 1);
	expect(&b, 10, want);
	buf_clear(&b);
	frame(&b, 0x01, "0123456789", 10);
	frame(&b, 0x80, "", 0);
	expect(&b, 10, "M1:10:0123456789 ");
	buf_clear(&b);

	/* 100 MiB announced within the limit: memory follows what comes. */
	{
		static const uint8_t big[] = {0x81, 127, 0, 0, 0, 0, 0x06, 0x40, 0, 0};
		char *p;

		ws_reader_init(&r, 128 << 20);
		p = ws_reader_space(&r, &n);
		memcpy(p, big, sizeof(big));
		rx_commit(&r.rx, sizeof(big), 1, 1);
		assert_int_equal(ws_reader_next(&r, NULL), WS_MORE);
		assert_non_null(ws_reader_space(&r, &n));
		assert_true(r.rx.cap <= 2 * RX_KEEP);
		ws_reader_fini(&r);
	}
	buf_fini(&b);
}

/* Stamps: a message has the time of the read that brought its first byte, its own wire bytes and transfer. */
static void
test_meta(void **state)
{
	struct ws_reader r;
	struct net_meta m;
	struct buf b;
	size_t n, first;
	char *p;

	(void)state;
	buf_init(&b, 1 << 20);
	frame(&b, 0x81, "one", 3); /* 5 bytes */
	frame(&b, 0x01, "0123456789", 10); /* 12 bytes */
	first = b.len - 4;
	frame(&b, 0x89, "p", 1); /* 3 */
	frame(&b, 0x80, "abc", 3); /* 5 */
	frame(&b, 0x81, "z", 1);
	ws_reader_init(&r, 1000);
	p = ws_reader_space(&r, &n);
	memcpy(p, b.p, first);
	rx_commit(&r.rx, first, 100, 1100);
	assert_int_equal(ws_reader_next(&r, NULL), WS_MESSAGE);
	rx_meta(&r.rx, r.end, &r.mark, &m);
	assert_int_equal(m.recv_ns, 100);
	assert_int_equal(m.wall_ns, 1100);
	assert_int_equal(m.wire_bytes, 5);
	assert_int_equal(m.reads, 1);
	assert_int_equal(m.xfer_bytes, 0);
	assert_int_equal(ws_reader_next(&r, NULL), WS_MORE);
	p = ws_reader_space(&r, &n);
	memcpy(p, b.p + first, 4);
	rx_commit(&r.rx, 4, 250, 1250);
	assert_int_equal(ws_reader_next(&r, NULL), WS_MORE);
	p = ws_reader_space(&r, &n);
	memcpy(p, b.p + first + 4, b.len - first - 4);
	rx_commit(&r.rx, b.len - first - 4, 300, 1300);
	assert_int_equal(ws_reader_next(&r, NULL), WS_CONTROL);
	assert_int_equal(ws_reader_next(&r, NULL), WS_MESSAGE);
	assert_int_equal(r.n, 13);
	assert_memory_equal(r.data, "0123456789abc", 14);
	rx_meta(&r.rx, r.end, &r.mark, &m);
	assert_int_equal(m.recv_ns, 100);
	assert_int_equal(m.wire_bytes, 20);
	assert_int_equal(m.reads, 3);
	assert_int_equal(m.xfer_bytes, 12);
	assert_int_equal(m.xfer_ns, 200);
	assert_int_equal(ws_reader_next(&r, NULL), WS_MESSAGE);
	rx_meta(&r.rx, r.end, &r.mark, &m);
	assert_int_equal(m.recv_ns, 300);
	assert_int_equal(m.wire_bytes, 3);
	ws_reader_fini(&r);
	buf_fini(&b);
}

/* An unfragmented message that came in one read is where it was read to: no copy. */
static void
test_in_place(void **state)
{
	struct ws_reader r;
	struct buf b;
	size_t n;
	char *p, *q = pattern(100000);

	(void)state;
	buf_init(&b, 1 << 20);
	frame(&b, 0x81, q, 100000);
	ws_reader_init(&r, 1 << 20);
	p = ws_reader_space(&r, &n);
	memcpy(p, b.p, b.len);
	rx_commit(&r.rx, b.len, 1, 1);
	assert_int_equal(ws_reader_next(&r, NULL), WS_MESSAGE);
	assert_ptr_equal(r.data, p + 10);
	ws_reader_fini(&r);
	buf_fini(&b);
	free(q);
}

/* Memory of one huge message is given back. */
static void
test_shrinks(void **state)
{
	struct ws_reader r;
	struct buf b, log;
	struct err e;
	size_t n, size = 9 << 20;
	char *q = pattern(size);

	(void)state;
	buf_init(&b, 1 << 24);
	buf_init(&log, 1000);
	frame(&b, 0x81, q, size);
	ws_reader_init(&r, 1 << 24);
	feed(&r, &b, SIZE_MAX, &log, &e);
	assert_string_equal(log.p, "M1:9437184: ");
	assert_true(r.rx.cap > size);
	assert_non_null(ws_reader_space(&r, &n));
	assert_true(r.rx.cap <= RX_KEEP);
	ws_reader_fini(&r);
	buf_fini(&log);
	buf_fini(&b);
	free(q);
}

static void
test_write(void **state)
{
	/* RFC 6455 §5.7: a masked "Hello". */
	static const uint8_t key[4] = {0x37, 0xfa, 0x21, 0x3d};
	static const uint8_t want[] = {0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58};
	uint8_t out[WS_HEAD_MAX];
	char text[64], back[64];

	(void)state;
	assert_int_equal(ws_head_write(out, WS_TEXT, 5, key), 6);
	assert_memory_equal(out, want, 6);
	ws_mask(text, "Hello", 5, key);
	assert_memory_equal(text, want + 6, 5);
	assert_int_equal(ws_head_write(out, WS_TEXT, 126, key), 8);
	assert_memory_equal(out, "\x81\xfe\x00\x7e", 4);
	assert_int_equal(ws_head_write(out, WS_BINARY, 65536, key), 14);
	assert_memory_equal(out, "\x82\xff\0\0\0\0\0\1\0\0", 10);
	for (size_t n = 0; n < sizeof(text); n++) {
		char in[64];

		for (size_t i = 0; i < n; i++)
			in[i] = (char)(i * 37 + n);
		ws_mask(text, in, n, key);
		for (size_t i = 0; i < n; i++)
			assert_int_equal((uint8_t)text[i], (uint8_t)in[i] ^ key[i % 4]);
		ws_mask(back, text, n, key);
		assert_memory_equal(back, in, n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_meta),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_shrinks),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
