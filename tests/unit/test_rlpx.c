/*
 * net/devp2p/frame and rlpx: frames of go-ethereum byte for byte, both roles against each other
 * over any cuts of the bytes, and what a hostile or broken peer sends, with the memory that it
 * costs us.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/devp2p/frame.h"
#include "net/devp2p/rlpx.h"
#include "tests/unit/eip8.h"

enum { CODE = 0x10, BIG = 3 * 1024 * 1024 };

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 4) * n >> 28);
}

/* The payload that tests/bench/rlpx-go makes, too. */
static void pattern(uint8_t *p, size_t n)
{
	uint32_t v = (uint32_t)n;

	for (size_t i = 0; i < n; i++) {
		v = v * 1664525 + 1013904223;
		p[i] = (uint8_t)(v >> 24);
	}
}

static void feed(struct rlpx *r, const uint8_t *p, size_t n)
{
	while (n > 0) {
		size_t room;
		uint8_t *const to = rlpx_space(r, &room);

		assert_non_null(to);
		assert_true(room >= 16 * 1024);
		if (room > n)
			room = n;
		memcpy(to, p, room);
		rlpx_received(r, room, 1, 1);
		p += room;
		n -= room;
	}
}

/* ---- two ends with a pipe of memory between them ---- */

struct pipe {
	struct rlpx *a, *b; /* a is the initiator */
};

static void carry(struct rlpx *from, struct rlpx *to, size_t most)
{
	size_t n;
	const uint8_t *const p = rlpx_out(from, &n);

	if (n > most)
		n = most;
	if (n == 0)
		return;
	feed(to, p, n);
	rlpx_sent(from, n);
}

static struct pipe connect_with(size_t max_message)
{
	struct rlpx_opts oa = { .role = RLPX_INITIATOR, .max_message = max_message };
	struct rlpx_opts ob = { .role = RLPX_RECIPIENT, .max_message = max_message };
	struct pipe x;
	struct rlpx_msg m;
	struct err e;

	assert_int_equal(rlpx_new(&x.b, &ob, &e), ST_OK);
	oa.remote = rlpx_own(x.b);
	assert_int_equal(rlpx_new(&x.a, &oa, &e), ST_OK);
	assert_false(rlpx_secure(x.a));
	assert_int_equal(rlpx_send(x.a, CODE, "x", 1, &e), ST_INTERNAL);
	carry(x.a, x.b, SIZE_MAX);
	assert_int_equal(rlpx_next(x.b, &m, &e), ST_AGAIN);
	assert_true(rlpx_secure(x.b));
	assert_memory_equal(rlpx_remote(x.b), rlpx_own(x.a), 64);
	carry(x.b, x.a, SIZE_MAX);
	assert_int_equal(rlpx_next(x.a, &m, &e), ST_AGAIN);
	assert_true(rlpx_secure(x.a));
	return x;
}

static struct pipe connected(bool snappy)
{
	const struct pipe x = connect_with(0);

	rlpx_hello_done(x.a, snappy);
	rlpx_hello_done(x.b, snappy);
	return x;
}

static void disconnect(struct pipe x)
{
	rlpx_free(x.a);
	rlpx_free(x.b);
}

/* ---- go-ethereum's frames ---- */

static void golden_secrets(struct rlpx_secrets *s)
{
	uint8_t mixed[32], nonce[32], packet[1024];
	const size_t n = eip8_bytes(eip8_auth2, packet);

	eip8_bytes(eip8_aes, s->aes);
	eip8_bytes(eip8_mac, s->mac);
	eip8_bytes(eip8_nonce_b, nonce);
	for (int i = 0; i < 32; i++)
		mixed[i] = s->mac[i] ^ nonce[i];
	keccak_init(&s->egress);
	keccak_add(&s->egress, mixed, 32);
	keccak_add(&s->egress, packet, n);
	s->ingress = s->egress; /* a reader of the same stream */
}

static void seal(struct frame_tx *t, unsigned code, const uint8_t *p, size_t n)
{
	struct err e;
	uint8_t *const to = frame_tx_data(t, code, n, &e);

	assert_non_null(to);
	if (n > 0)
		memcpy(to, p, n);
	assert_int_equal(frame_tx_seal(t, n, &e), ST_OK);
}

static FILE *golden_file(void)
{
	const char *const top = getenv("CHAINTOP_SRC");
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s/tests/data/rlpx_frames.txt", top != NULL ? top : ".");
	f = fopen(name, "r");
	if (f == NULL)
		fail_msg("%s cannot be opened", name);
	return f;
}

static void golden_frames(void **state)
{
	static uint8_t payload[65536], want[4096];
	static char line[8192];
	struct rlpx_secrets s;
	struct frame_tx tx;
	struct frame_rx rx;
	struct err e;
	FILE *const f = golden_file();
	unsigned frames = 0;

	(void)state;
	golden_secrets(&s);
	assert_int_equal(frame_tx_init(&tx, &s, &e), ST_OK);
	frame_rx_init(&rx, FRAME_MAX);
	assert_int_equal(frame_rx_keys(&rx, &s, &e), ST_OK);
	while (fgets(line, sizeof(line), f) != NULL) {
		struct frame got;
		const uint8_t *p;
		uint8_t sum[32], *to;
		unsigned code, size;
		char snappy[8];
		int at;
		size_t n, room;
		bool is_sum;

		if (line[0] == '#')
			continue;
		assert_int_equal(sscanf(line, "%u %u %7s %n", &code, &size, snappy, &at), 3);
		line[strcspn(line, "\n")] = '\0';
		is_sum = strncmp(line + at, "keccak ", 7) == 0;
		pattern(payload, size);
		if (snappy[0] == 't') { /* only their reading: compressors differ */
			n = eip8_bytes(line + at, want);
			p = want;
		} else {
			seal(&tx, code, payload, size);
			p = frame_tx_out(&tx, &n);
			if (is_sum) {
				eip8_bytes(line + at + 7, want);
				keccak256(p, n, sum);
				assert_memory_equal(sum, want, 32);
			} else {
				assert_int_equal(eip8_bytes(line + at, want), n);
				assert_memory_equal(p, want, n);
			}
		}
		/* And back, in pieces. */
		for (size_t done = 0; done < n;) {
			size_t piece = 1 + rnd(700);

			if (piece > n - done)
				piece = n - done;
			assert_int_equal(frame_rx_next(&rx, &got, &e), ST_AGAIN);
			to = frame_rx_space(&rx, &room);
			memcpy(to, p + done, piece);
			frame_rx_commit(&rx, piece, 1, 1);
			done += piece;
		}
		assert_int_equal(frame_rx_next(&rx, &got, &e), ST_OK);
		assert_int_equal(got.code, code);
		assert_int_equal(got.wire, n);
		if (snappy[0] == 'f') {
			assert_int_equal(got.n, size);
			assert_memory_equal(got.data, payload, size);
			frame_tx_sent(&tx, n);
		} else {
			assert_true(got.n > size); /* random bytes do not become fewer */
		}
		frames++;
	}
	fclose(f);
	assert_int_equal(frames, 11);
	frame_tx_fini(&tx);
	frame_rx_fini(&rx);
}

/*
 * go-ethereum's TestFrameReadWrite without its constant MACs: AES key K(""), code 8, data [1, 2, 3,
 * 4].
 */
static void frame_vector(void **state)
{
	static const uint8_t data[] = { 0xc4, 1, 2, 3, 4 };
	uint8_t want[16];
	struct rlpx_secrets s;
	struct frame_tx tx;
	struct err e;
	const uint8_t *p;
	size_t n;

	(void)state;
	keccak256("", 0, s.aes);
	keccak256("", 0, s.mac);
	keccak_init(&s.egress);
	assert_int_equal(frame_tx_init(&tx, &s, &e), ST_OK);
	seal(&tx, 8, data, sizeof(data));
	p = frame_tx_out(&tx, &n);
	assert_int_equal(n, 64);
	eip8_bytes("00828ddae471818bb0bfa6b551d1cb42", want);
	assert_memory_equal(p, want, 16);
	eip8_bytes("ba628a4ba590cb43f7848f41c4382885", want);
	assert_memory_equal(p + 32, want, 16);
	frame_tx_fini(&tx);
}

/* ---- both ends ---- */

static void any_cuts(void **state)
{
	static const size_t sizes[] = { 0, 1, 14, 15, 16, 17, 119, 135, 136, 137, 1023, 1024, 4096, 65536, 300000,
		1048576 };
	static const unsigned codes[] = { 0x10, 0x11, 0x7f, 0x80, 0xff, 0x100, 0x12345 };
	static uint8_t payload[1048576];

	(void)state;
	for (int snappy = 0; snappy < 2; snappy++) {
		const struct pipe x = connected(snappy);

		for (unsigned i = 0; i < 300; i++) {
			struct rlpx *const from = rnd(2) ? x.a : x.b;
			struct rlpx *const to = from == x.a ? x.b : x.a;
			const unsigned count = 1 + rnd(4);
			size_t sent[4];
			unsigned code[4], got = 0;
			struct rlpx_msg m;
			struct err e;
			/* Small cuts only for small amounts: each cut is looked at. */
			const size_t cut = 1 + rnd(1u << (3 + rnd(17)));

			for (unsigned k = 0; k < count; k++) {
				sent[k] = sizes[rnd(cut < 1000 ? 11 : sizeof(sizes) / sizeof(sizes[0]))];
				code[k] = codes[rnd(sizeof(codes) / sizeof(codes[0]))];
				pattern(payload, sent[k]);
				if (i % 3 == 0) /* something that compresses */
					memset(payload, 7, sent[k]);
				assert_int_equal(rlpx_send(from, code[k], payload, sent[k], &e), ST_OK);
			}
			while (got < count) {
				size_t n;
				enum status st;

				assert_non_null(rlpx_out(from, &n));
				carry(from, to, cut);
				while ((st = rlpx_next(to, &m, &e)) == ST_OK) {
					assert_true(got < count);
					assert_int_equal(m.code, code[got]);
					assert_int_equal(m.n, sent[got]);
					pattern(payload, m.n);
					if (i % 3 == 0)
						memset(payload, 7, m.n);
					assert_memory_equal(m.data, payload, m.n);
					got++;
				}
				assert_int_equal(st, ST_AGAIN);
			}
		}
		disconnect(x);
	}
}

/* The recipient's first messages come in the same read as its part of the handshake. */
static void ack_and_more(void **state)
{
	struct rlpx_opts oa = { .role = RLPX_INITIATOR }, ob = { .role = RLPX_RECIPIENT };
	struct rlpx *a, *b;
	struct rlpx_msg m;
	struct err e;
	uint8_t bytes[4096];
	const uint8_t *p;
	size_t n, used = 0;

	(void)state;
	assert_int_equal(rlpx_new(&b, &ob, &e), ST_OK);
	oa.remote = rlpx_own(b);
	assert_int_equal(rlpx_new(&a, &oa, &e), ST_OK);
	carry(a, b, SIZE_MAX);
	assert_int_equal(rlpx_next(b, &m, &e), ST_AGAIN);
	assert_int_equal(rlpx_send(b, 0, "hello", 5, &e), ST_OK);
	assert_int_equal(rlpx_send(b, 1, "more", 4, &e), ST_OK);
	while ((p = rlpx_out(b, &n)) != NULL) {
		memcpy(bytes + used, p, n);
		used += n;
		rlpx_sent(b, n);
	}
	feed(a, bytes, used);
	assert_int_equal(rlpx_next(a, &m, &e), ST_OK);
	assert_int_equal(m.n, 5);
	assert_memory_equal(m.data, "hello", 5);
	assert_int_equal(rlpx_next(a, &m, &e), ST_OK);
	assert_memory_equal(m.data, "more", 4);
	assert_int_equal(rlpx_next(a, &m, &e), ST_AGAIN);
	rlpx_free(a);
	rlpx_free(b);
}

/*
 * One burst is one send; three permutations and what the bytes need; nothing for the sum that is
 * known.
 */
static void costs(void **state)
{
	const struct pipe x = connected(true);
	static uint8_t payload[1024];
	struct rlpx_stats before, s;
	struct rlpx_msg m;
	struct err e;
	size_t n, frames = 0;

	(void)state;
	pattern(payload, sizeof(payload));
	rlpx_stats(x.a, &before);
	for (int i = 0; i < 50; i++)
		assert_int_equal(rlpx_send(x.a, CODE, payload, sizeof(payload), &e), ST_OK);
	assert_non_null(rlpx_out(x.a, &n));
	assert_true(n >= 50 * 1088 && n <= 50 * 1104);
	carry(x.a, x.b, n);
	assert_null(rlpx_out(x.a, &n));
	while (rlpx_next(x.b, &m, &e) == ST_OK)
		frames++;
	assert_int_equal(frames, 50);
	rlpx_stats(x.a, &s);
	assert_int_equal(s.frames_out, 50);
	/* (1040 + 32) / 136 + 3 = 10.88 each, and one for the very first sum */
	assert_true(s.perms_out - before.perms_out <= 50 * 1088 / 100 + 2);
	rlpx_stats(x.b, &s);
	assert_int_equal(s.frames_in, 50);
	assert_true(s.perms_in <= 50 * 1088 / 100 + 2);
	disconnect(x);
}

/* ---- hostile peers ---- */

/* One message of a that was changed on its way. */
static void expect_refused(struct pipe x, const uint8_t *p, size_t n, enum status want, const char *text)
{
	struct rlpx_msg m;
	struct err e;

	feed(x.b, p, n);
	assert_int_equal(rlpx_next(x.b, &m, &e), want);
	if (strstr(e.text, text) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", e.text, text);
	/* And it stays so. */
	assert_int_equal(rlpx_next(x.b, &m, &e), ST_CLOSED);
}

static void wrong_bytes(void **state)
{
	/* In the header, its MAC, the body, its MAC. */
	static const struct {
		size_t at;
		const char *text;
	} flips[] = {
		{ 0, "header" },
		{ 2, "header" },
		{ 15, "header" },
		{ 16, "header" },
		{ 31, "header" },
		{ 32, "body" },
		{ 100, "body" },
		{ 1071, "body" },
		{ 1072, "body" },
		{ 1087, "body" },
	};
	static uint8_t payload[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(flips) / sizeof(flips[0]); i++) {
		const struct pipe x = connected(false);
		uint8_t copy[2048];
		const uint8_t *p;
		struct err e;
		size_t n;

		assert_int_equal(rlpx_send(x.a, CODE, payload, sizeof(payload), &e), ST_OK);
		p = rlpx_out(x.a, &n);
		assert_int_equal(n, 1088);
		memcpy(copy, p, n);
		copy[flips[i].at] ^= 1;
		expect_refused(x, copy, n, ST_MALFORMED, flips[i].text);
		disconnect(x);
	}
}

static void replayed(void **state)
{
	const struct pipe x = connected(true);
	struct rlpx_msg m;
	struct err e;
	uint8_t copy[256];
	const uint8_t *p;
	size_t n;

	(void)state;
	assert_int_equal(rlpx_send(x.a, CODE, "once", 4, &e), ST_OK);
	p = rlpx_out(x.a, &n);
	memcpy(copy, p, n);
	carry(x.a, x.b, n);
	assert_int_equal(rlpx_next(x.b, &m, &e), ST_OK);
	assert_memory_equal(m.data, "once", 4);
	expect_refused(x, copy, n, ST_MALFORMED, "MAC");
	disconnect(x);
}

/* An authentic header that announces more than is allowed costs nothing. */
static void oversize(void **state)
{
	struct pipe x = connect_with(1000);
	static uint8_t payload[RLPX_HELLO_MAX * 2];
	struct err e;
	const uint8_t *p;
	size_t n, memory;

	(void)state;
	pattern(payload, sizeof(payload));
	memory = rlpx_memory(x.b);
	assert_int_equal(rlpx_send(x.a, 0, payload, sizeof(payload), &e), ST_OK);
	p = rlpx_out(x.a, &n);
	expect_refused(x, p, 32, ST_TOO_BIG, "4097 bytes, the limit is 2048"); /* an oversize Hello */
	assert_int_equal(rlpx_memory(x.b), memory);
	disconnect(x);

	x = connect_with(1000);
	rlpx_hello_done(x.a, true);
	rlpx_hello_done(x.b, true);
	assert_int_equal(rlpx_send(x.a, CODE, payload, sizeof(payload), &e), ST_OK);
	p = rlpx_out(x.a, &n);
	expect_refused(x, p, 32, ST_TOO_BIG, "limit");
	assert_int_equal(rlpx_memory(x.b), memory);
	disconnect(x);
}

/* What a peer claims about compressed data is checked before memory is taken for it. */
static void snappy_bombs(void **state)
{
	static const struct {
		unsigned code;
		uint8_t data[8];
		size_t n;
		enum status want;
		const char *text;
	} bombs[] = {
		{ CODE, { 0x80, 0x80, 0x80, 0x08, 0, 0 }, 6, ST_TOO_BIG, "16777216 bytes" },
		{ CODE, { 0x80, 0x80, 0x80, 0x04, 0, 0 }, 6, ST_MALFORMED, "claims" },
		{ CODE, { 0xff, 0xff, 0xff, 0xff, 0x0f }, 5, ST_TOO_BIG, "4294967295 bytes" },
		{ CODE, { 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f }, 6, ST_MALFORMED, "not compressed" },
		{ CODE, { 0x04, 0x00 }, 2, ST_MALFORMED, "broken" },
		{ CODE, { 0x80 }, 1, ST_MALFORMED, "not compressed" },
		{ CODE, { 0 }, 0, ST_MALFORMED, "not compressed" },
		{ 2, { 0x81, 0x10, 0, 0 }, 4, ST_TOO_BIG, "2049 bytes, the limit is 2048" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
		const struct pipe x = connect_with(0);
		struct err e;
		const uint8_t *p;
		size_t n, memory;

		rlpx_hello_done(x.a, false); /* it sends as it likes */
		rlpx_hello_done(x.b, true);
		assert_int_equal(rlpx_send(x.a, bombs[i].code, bombs[i].data, bombs[i].n, &e), ST_OK);
		p = rlpx_out(x.a, &n);
		memory = rlpx_memory(x.b);
		expect_refused(x, p, n, bombs[i].want, bombs[i].text);
		assert_true(rlpx_memory(x.b) <= memory + RLPX_PLAIN_KEEP);
		disconnect(x);
	}
}

/*
 * Literals are used in place; what looks like them and is not goes the ordinary way, and is refused
 * or right.
 */
static void literals(void **state)
{
	static const struct {
		uint8_t data[16];
		size_t n;
		const char *want; /* NULL: refused */
	} l[] = {
		{ { 0x05, 0x10, 'h', 'e', 'l', 'l', 'o' }, 7, "hello" },
		{ { 0x05, 0x04, 'h', 'e', 0x08, 'l', 'l', 'o' }, 8, "hello" },
		{ { 0x05, 0xf0, 0x04, 'h', 'e', 'l', 'l', 'o' }, 8, "hello" }, /* length in a byte of its own */
		{ { 0x05, 0xf4, 0x04, 0x00, 'h', 'e', 'l', 'l', 'o' }, 9, "hello" },
		{ { 0x05, 0x00, 'h', 0x01, 0x01 }, 5, "hhhhh" }, /* a copy of 4 bytes from 1 back */
		{ { 0x00 }, 1, "" },
		{ { 0x85, 0x00, 0x10, 'h', 'e', 'l', 'l', 'o' }, 8, "hello" }, /* a longer varint */
		{ { 0x06, 0x10, 'h', 'e', 'l', 'l', 'o' }, 7, NULL },
		{ { 0x04, 0x10, 'h', 'e', 'l', 'l', 'o' }, 7, NULL },
		{ { 0x05, 0x14, 'h', 'e', 'l', 'l', 'o' }, 7, NULL },
		{ { 0x05, 0xf0, 'h', 'e', 'l', 'l', 'o' }, 7, NULL },
		{ { 0x05, 0xfc, 0xff, 0xff, 0xff, 0xff, 'h', 'e', 'l', 'l', 'o' }, 11, NULL },
		{ { 0x05, 0xf0 }, 2, NULL },
		{ { 0x05 }, 1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(l) / sizeof(l[0]); i++) {
		const struct pipe x = connect_with(0);
		struct rlpx_msg m;
		struct err e;

		rlpx_hello_done(x.a, false);
		rlpx_hello_done(x.b, true);
		assert_int_equal(rlpx_send(x.a, CODE, l[i].data, l[i].n, &e), ST_OK);
		assert_int_equal(rlpx_send(x.a, CODE, "\x02\x04ok", 4, &e), ST_OK);
		carry(x.a, x.b, SIZE_MAX);
		if (l[i].want == NULL) {
			assert_int_equal(rlpx_next(x.b, &m, &e), ST_MALFORMED);
		} else {
			assert_int_equal(rlpx_next(x.b, &m, &e), ST_OK);
			assert_int_equal(m.n, strlen(l[i].want));
			assert_memory_equal(m.data, l[i].want, m.n);
			assert_int_equal(rlpx_next(x.b, &m, &e), ST_OK); /* the next one is unharmed */
			assert_memory_equal(m.data, "ok", 2);
		}
		disconnect(x);
	}
}

/* Either form, before and after Hello: go-ethereum, reth and others differ. */
static void disconnect_forms(void **state)
{
	static const struct {
		uint8_t data[4];
		size_t n;
		uint8_t want[4];
		size_t want_n;
	} forms[] = {
		{ { 0xc1, 0x04 }, 2, { 0xc1, 0x04 }, 2 }, { { 0x04 }, 1, { 0x04 }, 1 }, { { 0x80 }, 1, { 0x80 }, 1 },
		{ { 0xc0 }, 1, { 0xc0 }, 1 }, { { 0xc1, 0x00 }, 2, { 0xc1, 0x00 }, 2 }, { { 0 }, 0, { 0 }, 0 },
		{ { 0x02, 0x04, 0xc1, 0x04 }, 4, { 0xc1, 0x04 }, 2 }, /* compressed */
		{ { 0x01, 0x00, 0x04 }, 3, { 0x04 }, 1 },
		{ { 0x77, 0x77, 0x77, 0x77 }, 4, { 0x77, 0x77, 0x77, 0x77 }, 4 }, /* neither: as it is */
	};

	(void)state;
	for (int phase = 0; phase < 3; phase++) {
		for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
			const struct pipe x = connect_with(0);
			struct rlpx_msg m;
			struct err e;

			if (phase > 0)
				rlpx_hello_done(x.b, phase == 2);
			assert_int_equal(rlpx_send(x.a, 1, forms[i].data, forms[i].n, &e), ST_OK);
			carry(x.a, x.b, SIZE_MAX);
			assert_int_equal(rlpx_next(x.b, &m, &e), ST_OK);
			assert_int_equal(m.code, 1);
			assert_int_equal(m.n, forms[i].want_n);
			assert_memory_equal(m.data, forms[i].want, m.n);
			disconnect(x);
		}
	}
}

/* A peer that does not read: what waits for it is bounded. */
static void deaf_peer(void **state)
{
	const struct pipe x = connected(false);
	uint8_t *const payload = calloc(1, 1 << 20);
	struct err e;
	enum status st = ST_OK;
	unsigned n = 0;

	(void)state;
	while (st == ST_OK && n < 100)
		if ((st = rlpx_send(x.a, CODE, payload, 1 << 20, &e)) == ST_OK)
			n++;
	assert_int_equal(st, ST_TOO_BIG);
	assert_true(n >= 32 && n < 48);
	free(payload);
	disconnect(x);
}

/* One large message, then small ones: its memory is given back, by them or by rlpx_trim. */
static void memory_returns(void **state)
{
	uint8_t *const payload = malloc(BIG);

	(void)state;
	pattern(payload, BIG);
	for (size_t i = 0; i < BIG; i++)
		if (i % 128 >= 96) /* something to compress, else nothing is taken for it */
			payload[i] = 7;
	for (int trim = 0; trim < 2; trim++) {
		const struct pipe x = connected(true);
		struct rlpx_msg m;
		struct err e;

		assert_int_equal(rlpx_send(x.a, CODE, payload, BIG, &e), ST_OK);
		while (rlpx_next(x.b, &m, &e) == ST_AGAIN)
			carry(x.a, x.b, 100000);
		assert_int_equal(m.n, BIG);
		assert_memory_equal(m.data, payload, BIG);
		assert_true(rlpx_memory(x.a) >= BIG);
		assert_true(rlpx_memory(x.b) >= BIG + BIG / 2);
		for (int i = 0; i < (trim ? 1 : FRAME_CALM + 1); i++) {
			assert_int_equal(rlpx_send(x.a, CODE, payload, 100, &e), ST_OK);
			carry(x.a, x.b, SIZE_MAX);
			assert_int_equal(rlpx_next(x.b, &m, &e), ST_OK);
			assert_int_equal(rlpx_next(x.b, &m, &e), ST_AGAIN);
		}
		if (trim) {
			rlpx_trim(x.a);
			rlpx_trim(x.b);
		}
		assert_true(rlpx_memory(x.a) <= FRAME_TX_KEEP + 2 * RX_READ);
		assert_true(rlpx_memory(x.b) <= RLPX_PLAIN_KEEP + 2 * RX_KEEP);
		disconnect(x);
	}
	free(payload);
}

/* Memory follows what comes, not what a header announces. */
static void announced_only(void **state)
{
	const struct pipe x = connected(false);
	uint8_t *const payload = calloc(1, RLPX_MESSAGE_MAX);
	struct rlpx_msg m;
	struct err e;
	const uint8_t *p;
	size_t n;

	(void)state;
	assert_int_equal(rlpx_send(x.a, CODE, payload, RLPX_MESSAGE_MAX, &e), ST_OK);
	p = rlpx_out(x.a, &n);
	feed(x.b, p, 64 * 1024);
	assert_int_equal(rlpx_next(x.b, &m, &e), ST_AGAIN);
	feed(x.b, p + 64 * 1024, 1024);
	assert_int_equal(rlpx_next(x.b, &m, &e), ST_AGAIN);
	assert_true(rlpx_memory(x.b) <= 2 * RX_KEEP);
	/* The last byte is wrong: nothing of it is ever seen. */
	for (size_t at = 65 * 1024; at < n - 1; at += 200000) {
		feed(x.b, p + at, n - 1 - at < 200000 ? n - 1 - at : 200000);
		assert_int_equal(rlpx_next(x.b, &m, &e), ST_AGAIN);
	}
	expect_refused(x, (const uint8_t[]){ (uint8_t)(p[n - 1] ^ 1) }, 1, ST_MALFORMED, "body");
	free(payload);
	disconnect(x);
}

static void strangers(void **state)
{
	static const char *const greetings[] = { "GET / HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH\r\n",
		"\x16\x03\x01\x02\x00" };
	struct rlpx_opts o = { .role = RLPX_RECIPIENT };
	struct rlpx_msg m;
	struct rlpx *r;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(greetings) / sizeof(greetings[0]); i++) {
		assert_int_equal(rlpx_new(&r, &o, &e), ST_OK);
		feed(r, (const uint8_t *)greetings[i], strlen(greetings[i]));
		assert_int_equal(rlpx_next(r, &m, &e), ST_MALFORMED);
		assert_int_equal(rlpx_next(r, &m, &e), ST_CLOSED);
		rlpx_free(r);
	}
	rlpx_free(NULL);
	o.role = RLPX_INITIATOR;
	assert_int_equal(rlpx_new(&r, &o, &e), ST_USAGE);
	assert_null(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_frames),
		cmocka_unit_test(frame_vector),
		cmocka_unit_test(any_cuts),
		cmocka_unit_test(ack_and_more),
		cmocka_unit_test(costs),
		cmocka_unit_test(wrong_bytes),
		cmocka_unit_test(replayed),
		cmocka_unit_test(oversize),
		cmocka_unit_test(snappy_bombs),
		cmocka_unit_test(literals),
		cmocka_unit_test(disconnect_forms),
		cmocka_unit_test(deaf_peer),
		cmocka_unit_test(memory_returns),
		cmocka_unit_test(announced_only),
		cmocka_unit_test(strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
