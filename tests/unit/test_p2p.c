/*
 * net/devp2p/p2p and eth: Hello, reasons, capabilities, Status in all its forms, requests and
 * answers against the bytes of other implementations, and everything cut short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "eth/block_rlp.h"
#include "net/devp2p/eth.h"
#include "net/devp2p/p2p.h"
#include "tests/unit/eip8.h"

/* go-ethereum, eth/protocols/eth TestMessages: an answer with one header, one with one body. */
static const char geth_headers[] =
	"f90202820457f901fcf901f9a00000000000000000000000000000000000000000000000000000000000"
	"000000a00000000000000000000000000000000000000000000000000000000000000000940000000000"
	"000000000000000000000000000000a00000000000000000000000000000000000000000000000000000"
	"000000000000a00000000000000000000000000000000000000000000000000000000000000000a00000"
	"000000000000000000000000000000000000000000000000000000000000b90100000000000000000000"
	"000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	"000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	"000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	"000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	"000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	"000000000000000000000000000000000000000000000000000000000000000000000000008208ae820d"
	"0582115c8215b3821a0a827788a000000000000000000000000000000000000000000000000000000000"
	"00000000880000000000000000";
static const char geth_bodies[] = "f902dc820457f902d6f902d3f8d2f867088504a817c8088302e248943535353535353535353535353535"
				  "3535353535358202008025a064b1702d9298fee62dfeccc57d322a463ad55ca201256d01f62b45b2e1c2"
				  "1c12a064b1702d9298fee62dfeccc57d322a463ad55ca201256d01f62b45b2e1c21c10f867098504a817"
				  "c809830334509435353535353535353535353535353535353535358202d98025a052f8f61201b2b11a78"
				  "d6e866abc9c3db2ae8631fa656bfe5cb53668255367afba052f8f61201b2b11a78d6e866abc9c3db2ae8"
				  "631fa656bfe5cb53668255367afbf901fcf901f9a0000000000000000000000000000000000000000000"
				  "0000000000000000000000a0000000000000000000000000000000000000000000000000000000000000"
				  "0000940000000000000000000000000000000000000000a0000000000000000000000000000000000000"
				  "0000000000000000000000000000a0000000000000000000000000000000000000000000000000000000"
				  "0000000000a00000000000000000000000000000000000000000000000000000000000000000b9010000"
				  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
				  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
				  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
				  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
				  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
				  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
				  "0000008208ae820d0582115c8215b3821a0a827788a00000000000000000000000000000000000000000"
				  "000000000000000000000000880000000000000000";

#define GENESIS "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"
#define HEAD "feb27336ca7923f8fab3bd617fcb6e75841538f71c1bcfc267d7838489d9e13d"

/* ---- base protocol ---- */

static struct p2p_hello sample(void)
{
	struct p2p_hello h = { .version = 5,
		.client = "Geth/v1.17.10/linux-amd64/go1.26",
		.n_caps = 2,
		.caps = { { "eth", 68 }, { "snap", 1 } },
		.port = 30303 };

	memset(h.id, 0x5a, sizeof(h.id));
	return h;
}

static void hello(void **state)
{
	const struct p2p_hello in = sample();
	struct p2p_hello out;
	struct buf b;
	struct err e;

	(void)state;
	buf_init(&b, 4096);
	assert_int_equal(p2p_hello_encode(&b, &in), ST_OK);
	assert_int_equal(p2p_hello_decode((uint8_t *)b.p, b.len, &out, &e), ST_OK);
	assert_memory_equal(&in, &out, sizeof(in));
	assert_true(p2p_has(&out, "eth", 68));
	assert_false(p2p_has(&out, "eth", 69));
	assert_false(p2p_has(&out, "et", 68));
	for (size_t cut = 0; cut < b.len; cut++)
		assert_int_equal(p2p_hello_decode((uint8_t *)b.p, cut, &out, &e), ST_MALFORMED);
	buf_fini(&b);
}

static size_t raw_hello(uint8_t *out, const char *client, size_t client_n, unsigned caps, bool more)
{
	uint8_t body[2048], list[1024], id[64] = { 1 };
	uint8_t *p = rlp_put_u64(body, 5), *q = list, *start;

	p = rlp_put_bytes(p, client, client_n);
	for (unsigned i = 0; i < caps; i++) {
		*q++ = 0xc5;
		q = rlp_put_bytes(q, "eth", 3);
		q = rlp_put_u64(q, 10 + i);
	}
	p += rlp_header(p, true, (size_t)(q - list));
	memcpy(p, list, (size_t)(q - list));
	p += q - list;
	p = rlp_put_u64(p, 0);
	p = rlp_put_bytes(p, id, 64);
	if (more) { /* of a later version */
		p = rlp_put_u64(p, 77);
		*p++ = 0xc1;
		*p++ = 0x05;
	}
	memcpy(out + 9, body, (size_t)(p - body));
	start = rlp_put_list(out + 9, (size_t)(p - body));
	memmove(out, start, (size_t)(p - body) + (size_t)(out + 9 - start));
	return (size_t)(p - body) + (size_t)(out + 9 - start);
}

static void hello_oddities(void **state)
{
	static const char evil[] = "Evil\x1b[2J\r\n\xe2\x80\xae/v1\xff";
	uint8_t bytes[4096];
	struct p2p_hello h;
	struct err e;
	size_t n = raw_hello(bytes, "x", 1, 1, true);

	(void)state;
	assert_int_equal(p2p_hello_decode(bytes, n, &h, &e), ST_OK);
	assert_int_equal(h.n_caps, 1);
	n = raw_hello(bytes, evil, sizeof(evil) - 1, 1, false);
	assert_int_equal(p2p_hello_decode(bytes, n, &h, &e), ST_OK);
	assert_string_equal(h.client,
		"Evil?[2J???"
		"/v1?");
	n = raw_hello(bytes, "x", 1, P2P_CAPS_MAX + 3, false);
	assert_int_equal(p2p_hello_decode(bytes, n, &h, &e), ST_OK);
	assert_int_equal(h.n_caps, P2P_CAPS_MAX);
	assert_int_equal(h.more_caps, 3);
	n = raw_hello(bytes, "x", 1, 0, false);
	assert_int_equal(p2p_hello_decode(bytes, n, &h, &e), ST_OK);
	assert_int_equal(bytes[n - 67], 0x80);
	bytes[n - 67] = 0; /* a port that is not canonical: @ethereumjs/devp2p */
	assert_int_equal(p2p_hello_decode(bytes, n, &h, &e), ST_OK);
	assert_int_equal(h.port, 0);
	bytes[n] = 0; /* something behind the list */
	assert_int_equal(p2p_hello_decode(bytes, n + 1, &h, &e), ST_MALFORMED);
	assert_int_equal(p2p_hello_decode((const uint8_t *)"\x83\x01\x02\x03", 4, &h, &e), ST_MALFORMED);
}

static void reasons(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		int want;
		const char *text;
	} r[] = {
		{ "\xc1\x04", 2, P2P_TOO_MANY, "too many peers" },
		{ "\x04", 1, P2P_TOO_MANY, "too many peers" },
		{ "\x80", 1, P2P_REQUESTED, "requested" },
		{ "\xc1\x80", 2, P2P_REQUESTED, "requested" },
		{ "\xc1\x00", 2, P2P_REQUESTED, "requested" },
		{ "\xc1\x10", 2, P2P_SUBPROTOCOL, "subprotocol error" },
		{ "\xc1\x09", 2, P2P_UNEXPECTED_IDENTITY, "unexpected identity" },
		{ "\xc1\x0c", 2, 0x0c, "unknown reason 0x0c" },
		{ "\xc2\x81\xff", 3, 0xff, "unknown reason 0xff" },
		{ "\xc0", 1, P2P_NO_REASON, "no reason said" },
		{ "", 0, P2P_NO_REASON, "no reason said" },
		{ "\xc3\x82\x01\x00", 4, P2P_NO_REASON, "no reason said" },
		{ "\xc1\xc0", 2, P2P_NO_REASON, "no reason said" },
		{ "\xff\xff", 2, P2P_NO_REASON, "no reason said" },
	};
	char text[40];
	uint8_t bytes[4];

	(void)state;
	for (size_t i = 0; i < sizeof(r) / sizeof(r[0]); i++) {
		assert_int_equal(p2p_reason((const uint8_t *)r[i].bytes, r[i].n), r[i].want);
		assert_string_equal(p2p_reason_text(text, sizeof(text), r[i].want), r[i].text);
	}
	assert_int_equal(p2p_disconnect_encode(bytes, P2P_QUITTING), 2);
	assert_memory_equal(bytes, "\xc1\x08", 2);
	assert_int_equal(p2p_disconnect_encode(bytes, P2P_REQUESTED), 2);
	assert_memory_equal(bytes, "\xc1\x80", 2);
	for (int i = 0; i < 256; i++)
		assert_true(strlen(p2p_reason_text(text, sizeof(text), i)) > 3);
}

/* go-ethereum's TestMatchProtocols: the offsets of what is shared. */
static void offsets(void **state)
{
	static const struct p2p_proto ours[] = {
		{ "match2", 0, 7 },
		{ "match1", 0, 3 },
		{ "eth", 1, 1 },
		{ "eth", 3, 9 },
		{ "eth", 2, 2 },
		{ "remote", 1, 5 },
	};
	enum { N = sizeof(ours) / sizeof(ours[0]) };
	struct p2p_match out[N];
	struct p2p_hello h = { .n_caps = 6,
		.caps = {
			{ "eth", 4 }, { "match2", 0 }, { "eth", 1 }, { "local", 0 }, { "eth", 3 }, { "match1", 0 } } };

	(void)state;
	assert_int_equal(p2p_share(ours, N, &h, out), 3);
	assert_string_equal(out[0].proto->name, "eth");
	assert_int_equal(out[0].proto->version, 3);
	assert_int_equal(out[0].offset, 0x10);
	assert_string_equal(out[1].proto->name, "match1");
	assert_int_equal(out[1].offset, 0x10 + 9);
	assert_string_equal(out[2].proto->name, "match2");
	assert_int_equal(out[2].offset, 0x10 + 9 + 3);
	h.n_caps = 1; /* another version alone */
	assert_int_equal(p2p_share(ours, N, &h, out), 0);
	h.n_caps = 0;
	assert_int_equal(p2p_share(ours, N, &h, out), 0);
	h = sample();
	assert_int_equal(p2p_share(ours, 0, &h, out), 0);
}

/* ---- eth ---- */

static void expect_buf(const struct buf *b, const char *hex)
{
	uint8_t want[2048];
	const size_t n = eip8_bytes(hex, want);

	assert_int_equal(b->len, n);
	assert_memory_equal(b->p, want, n);
}

static void status_68(void **state)
{
	/* reth's encoding of mainnet at the merge, eth/67; here with 68. */
	static const char hex[] = "f85644018a07aac59dabcdd74bc567a0" HEAD "a0" GENESIS "c684b715077d80";
	uint8_t bytes[256], hash[32];
	const size_t n = eip8_bytes(hex, bytes);
	struct eth_status s;
	struct buf b;
	struct err e;
	char td[80];

	(void)state;
	buf_init(&b, 1024);
	assert_int_equal(eth_status_decode(68, bytes, n, &s, &e), ST_OK);
	assert_int_equal(s.has, ETH_HAS_TD);
	assert_int_equal(s.network, 1);
	assert_string_equal(u256_dec(td, sizeof(td), &s.td), "36206751599115524359527");
	eip8_bytes(HEAD, hash);
	assert_memory_equal(s.head.b, hash, 32);
	eip8_bytes(GENESIS, hash);
	assert_memory_equal(s.genesis.b, hash, 32);
	assert_memory_equal(s.fork_hash, "\xb7\x15\x07\x7d", 4);
	assert_int_equal(s.fork_next, 0);
	assert_int_equal(eth_status_encode(&b, &s), ST_OK);
	expect_buf(&b, hex);
	buf_clear(&b);
	assert_int_equal(eth_status_mirror(68, bytes, n, &b), ST_OK);
	expect_buf(&b, hex);
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(eth_status_decode(68, bytes, cut, &s, &e), ST_MALFORMED);
	assert_int_equal(eth_status_decode(69, bytes, n, &s, &e), ST_MALFORMED);
	assert_non_null(strstr(e.text, "version 68 after agreeing on 69"));
	/* A chain with 13 bytes of total difficulty, and BSC's network. */
	eip8_bytes("f86144820834936d68fcffffffffffffffffffffffffdeab81b8a0523e8163a6d620a4cc152c547a05f2"
		   "8a03fec91a2a615194cb86df9731372c0ca06499dccdc7c7def3ebb1ce4c6ee27ec6bd02aee570625ca3"
		   "91919faf77ef27bdc6841a67ccd880",
		bytes);
	assert_int_equal(eth_status_decode(68, bytes, 99, &s, &e), ST_OK);
	assert_int_equal(s.network, 2100);
	buf_fini(&b);
}

static void status_69(void **state)
{
	/* reth's encoding */
	static const char hex[] = "f8544501a0" GENESIS "c684b715077d8083ed14f2840112a880a0" HEAD;
	static const char mirror[] = "f8554501a0" GENESIS "c684b715077d80840112a880840112a880a0" HEAD;
	uint8_t bytes[256];
	const size_t n = eip8_bytes(hex, bytes);
	struct eth_status s;
	struct buf b;
	struct err e;

	(void)state;
	buf_init(&b, 1024);
	assert_int_equal(eth_status_decode(69, bytes, n, &s, &e), ST_OK);
	assert_int_equal(s.has, ETH_HAS_RANGE);
	assert_int_equal(s.earliest, 15537394);
	assert_int_equal(s.latest, 18000000);
	assert_int_equal(eth_status_encode(&b, &s), ST_OK);
	expect_buf(&b, hex);
	buf_clear(&b);
	assert_int_equal(eth_status_mirror(69, bytes, n, &b), ST_OK); /* we serve nothing below the head */
	expect_buf(&b, mirror);
	for (size_t cut = 0; cut < n; cut++) {
		assert_int_equal(eth_status_decode(69, bytes, cut, &s, &e), ST_MALFORMED);
		buf_clear(&b);
		assert_int_equal(eth_status_mirror(69, bytes, cut, &b), ST_MALFORMED);
	}
	/* A range that ends before it begins. */
	s = (struct eth_status){ .version = 70, .network = 1, .earliest = 2, .latest = 1 };
	buf_clear(&b);
	assert_int_equal(eth_status_encode(&b, &s), ST_OK);
	assert_int_equal(eth_status_decode(70, (uint8_t *)b.p, b.len, &s, &e), ST_MALFORMED);
	buf_fini(&b);
}

/* Bor keeps the total difficulty in eth/69: eight items, told apart by counting. */
static void status_bor(void **state)
{
	struct eth_status in = { .version = 69,
		.has = ETH_IS_BOR | ETH_HAS_TD | ETH_HAS_RANGE,
		.network = 137,
		.fork_hash = { 1, 2, 3, 4 },
		.fork_next = 99,
		.earliest = 5,
		.latest = 77 };
	struct eth_status out, again;
	struct buf b, m;
	struct err e;

	(void)state;
	buf_init(&b, 1024);
	buf_init(&m, 1024);
	in.td = u256_from64(UINT64_C(0x1122334455));
	in.genesis.b[0] = 0xa9;
	in.head.b[31] = 7;
	for (int zero = 0; zero < 2; zero++) {
		if (zero)
			in.td = u256_from64(0);
		buf_clear(&b);
		buf_clear(&m);
		assert_int_equal(eth_status_encode(&b, &in), ST_OK);
		assert_int_equal(eth_status_decode(69, (uint8_t *)b.p, b.len, &out, &e), ST_OK);
		assert_memory_equal(&in, &out, sizeof(in));
		assert_int_equal(eth_status_mirror(69, (uint8_t *)b.p, b.len, &m), ST_OK);
		assert_int_equal(eth_status_decode(69, (uint8_t *)m.p, m.len, &again, &e), ST_OK);
		assert_int_equal(again.earliest, 77);
		again.earliest = 5;
		assert_memory_equal(&in, &again, sizeof(in));
	}
	/* Something more at the end of an ordinary one is not Bor. */
	in.has = 0;
	buf_clear(&b);
	assert_int_equal(eth_status_encode(&b, &in), ST_OK);
	b.p[0] = (char)0xf8; /* the list is longer than 55 bytes already */
	assert_int_equal(buf_add(&b, "\x05", 1), ST_OK);
	b.p[1]++;
	assert_int_equal(eth_status_decode(69, (uint8_t *)b.p, b.len, &out, &e), ST_OK);
	assert_int_equal(out.has, ETH_HAS_RANGE);
	assert_int_equal(out.latest, 77);
	buf_fini(&b);
	buf_fini(&m);
}

static void requests(void **state)
{
	struct hash hashes[2] = { { { 0 } }, { { 0 } } };
	struct buf b;

	(void)state;
	buf_init(&b, 1024);
	memcpy(hashes[0].b + 28, "\xde\xad\xc0\xde", 4);
	memcpy(hashes[1].b + 28, "\xfe\xed\xbe\xef", 4);
	assert_int_equal(eth_get_headers(&b, 1111, &hashes[0], 0, 5, 5, false), ST_OK);
	expect_buf(&b, "e8820457e4a000000000000000000000000000000000000000000000000000000000deadc0de050580");
	buf_clear(&b);
	assert_int_equal(eth_get_headers(&b, 1111, NULL, 9999, 5, 5, false), ST_OK);
	expect_buf(&b, "ca820457c682270f050580");
	buf_clear(&b);
	assert_int_equal(eth_get_headers(&b, 1, NULL, 0, 1, 0, true), ST_OK);
	expect_buf(&b, "c601c480018001");
	buf_clear(&b);
	assert_int_equal(eth_get_by_hash(&b, 1111, hashes, 2), ST_OK);
	expect_buf(&b,
		"f847820457f842a000000000000000000000000000000000000000000000000000000000deadc0de"
		"a000000000000000000000000000000000000000000000000000000000feedbeef");
	buf_clear(&b);
	assert_int_equal(eth_get_by_hash(&b, 1111, hashes, 0), ST_OK);
	expect_buf(&b, "c4820457c0");
	buf_fini(&b);
}

static void answers(void **state)
{
	uint8_t bytes[1024];
	size_t n = eip8_bytes(geth_headers, bytes);
	struct eth_new_block body;
	struct eth_reply r;
	struct rlp_item i;
	struct header h;
	struct block *b;
	struct err e;
	const uint8_t *extra;

	(void)state;
	assert_int_equal(eth_reply_decode(bytes, n, &r, &e), ST_OK);
	assert_int_equal(r.id, 1111);
	assert_true(rlp_next(&r.list, &i));
	assert_true(rlp_done(&r.list));
	assert_int_equal(header_from_rlp(i.raw, i.raw_n, &h, &extra, &e), ST_OK);
	assert_int_equal(h.number, 3333);
	assert_int_equal(h.gas_limit, 4444);
	assert_int_equal(h.gas_used, 5555);
	assert_int_equal(h.timestamp, 6666);
	assert_int_equal(h.difficulty.w[0], 2222);
	assert_int_equal(h.extra.len, 2);
	assert_memory_equal(extra, "\x77\x88", 2);
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(eth_reply_decode(bytes, cut, &r, &e), ST_MALFORMED);

	n = eip8_bytes(geth_bodies, bytes);
	assert_int_equal(eth_reply_decode(bytes, n, &r, &e), ST_OK);
	assert_true(rlp_next(&r.list, &i));
	assert_int_equal(eth_body_decode(&i, &body, &e), ST_OK);
	assert_null(body.withdrawals.raw);
	{
		uint8_t header[1024];
		struct block_parts parts = { .txs = body.txs, .uncles = body.uncles };
		struct rlp_item whole;
		struct rlp in;

		rlp_init(&in, header, eip8_bytes(geth_headers, header));
		assert_int_equal(eth_reply_decode(header, (size_t)(in.end - in.p), &r, &e), ST_OK);
		assert_true(rlp_next(&r.list, &whole));
		parts.header = whole.raw;
		parts.header_n = whole.raw_n;
		assert_int_equal(block_from_rlp(&parts, &b, &e), ST_OK);
		assert_int_equal(b->txs.len, 2);
		assert_int_equal(block_txs(b)[0].nonce, 8);
		assert_int_equal(block_txs(b)[1].gas, 0x33450);
		assert_int_equal(b->uncles.len, 1);
		assert_memory_equal(block_at(b, b->uncles), h.hash.b, 32); /* the same header */
		block_unref(b);
	}
	assert_int_equal(eth_reply_decode((const uint8_t *)"\xc4\x82\x04\x57\xc0", 5, &r, &e), ST_OK);
	assert_false(rlp_next(&r.list, &i));
	assert_true(rlp_done(&r.list));
}

static void polite(void **state)
{
	static const struct {
		unsigned version, code;
		const char *in, *out;
		unsigned answer;
	} p[] = {
		{ 68, ETH_GET_BLOCK_HEADERS, "ca820457c682270f050580", "c4820457c0", ETH_BLOCK_HEADERS },
		{ 69, ETH_GET_BLOCK_BODIES, "c4820457c0", "c4820457c0", ETH_BLOCK_BODIES },
		{ 70, ETH_GET_POOLED, "c201c0", "c201c0", ETH_POOLED },
		{ 69, ETH_GET_RECEIPTS, "c201c0", "c201c0", ETH_RECEIPTS },
		{ 70, ETH_GET_RECEIPTS, "c30180c0", "c30180c0", ETH_RECEIPTS },
		{ 68, ETH_GET_BLOCK_HEADERS, "c280c0", "c280c0", ETH_BLOCK_HEADERS }, /* request id 0 */
	};
	uint8_t bytes[64];
	struct buf b;
	unsigned answer;

	(void)state;
	buf_init(&b, 1024);
	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		const size_t n = eip8_bytes(p[i].in, bytes);

		buf_clear(&b);
		assert_int_equal(eth_polite(p[i].version, p[i].code, bytes, n, &b, &answer), ST_OK);
		assert_int_equal(answer, p[i].answer);
		expect_buf(&b, p[i].out);
	}
	assert_int_equal(eth_polite(68, ETH_TRANSACTIONS, bytes, 1, &b, &answer), ST_UNSUPPORTED);
	assert_int_equal(eth_polite(68, ETH_GET_RECEIPTS, (const uint8_t *)"\xc0", 1, &b, &answer), ST_MALFORMED);
	assert_int_equal(eth_polite(68, ETH_GET_RECEIPTS, (const uint8_t *)"\x80", 1, &b, &answer), ST_MALFORMED);
	buf_fini(&b);
}

/*
 * The transaction of EIP-155's example, and a type 2 one as anvil sent it: their hashes are known elsewhere (the second one is
 * what anvil called it).
 */
#define EIP155 "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc21" \
	"95fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
#define EIP155_HASH "33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788"
#define TYPE2 "02f86c827a698084" "3b9aca008477359400825208" "9470997970c51812dc3a010c7d01b50e0d17dc79c80180c080a0" \
	"7ca003a6a2adcce9641e808dcecdedf7c37ca5f48c326a17e25406471de8d1eea053a15f6568f6cf8ccf47cb2f77585c4b71ba3a579bfcc82de7a52888" \
	"9b92a705"
#define TYPE2_HASH "a23b52004fe574000765fbe20a311b2785a318c9dbe6b0bf6a4c1f8936f57ff3"

static void is_hash(const struct hash *h, const char *want)
{
	uint8_t bytes[32];

	assert_int_equal(eip8_bytes(want, bytes), 32);
	assert_memory_equal(h->b, bytes, 32);
}

static void transactions(void **state)
{
	uint8_t bytes[2048], message[2048];
	struct eth_txs walk;
	struct buf b;
	struct hash h;
	size_t n, all, in;

	(void)state;
	/* [types, sizes, hashes] */
	buf_init(&b, 4096);
	all = rlp_list_begin(&b);
	(void)!rlp_bytes(&b, "\x02\x03", 2);
	in = rlp_list_begin(&b);
	(void)!(rlp_u64(&b, 110) | rlp_u64(&b, 131072) | rlp_list_end(&b, in));
	in = rlp_list_begin(&b);
	n = eip8_bytes(TYPE2_HASH EIP155_HASH, bytes);
	assert_int_equal(n, 64);
	(void)!(rlp_bytes(&b, bytes, 32) | rlp_bytes(&b, bytes + 32, 32) | rlp_list_end(&b, in) | rlp_list_end(&b, all));
	assert_true(eth_txs_begin(&walk, false, (uint8_t *)b.p, b.len));
	assert_true(eth_txs_next(&walk, &h));
	is_hash(&h, TYPE2_HASH);
	assert_true(eth_txs_next(&walk, &h));
	is_hash(&h, EIP155_HASH);
	assert_false(eth_txs_next(&walk, &h));
	assert_true(walk.ok);
	for (size_t cut = 0; cut < b.len; cut++)
		assert_false(eth_txs_begin(&walk, false, (uint8_t *)b.p, cut));
	/* Hashes of eth/66 are no list of three; a hash of 31 bytes is none. */
	n = eip8_bytes("e1a0" TYPE2_HASH, message);
	assert_false(eth_txs_begin(&walk, false, message, n));
	n = eip8_bytes("e302c101df9f" TYPE2_HASH, message);
	message[0] = 0xe3;
	if (eth_txs_begin(&walk, false, message, 36))
		assert_false(eth_txs_next(&walk, &h));
	assert_false(walk.ok);
	/* Whole ones. */
	buf_clear(&b);
	all = rlp_list_begin(&b);
	n = eip8_bytes(EIP155, bytes);
	(void)!buf_add(&b, (char *)bytes, n);
	n = eip8_bytes(TYPE2, bytes);
	(void)!(rlp_bytes(&b, bytes, n) | rlp_list_end(&b, all));
	assert_true(eth_txs_begin(&walk, true, (uint8_t *)b.p, b.len));
	assert_true(eth_txs_next(&walk, &h));
	is_hash(&h, EIP155_HASH);
	assert_true(eth_txs_next(&walk, &h));
	is_hash(&h, TYPE2_HASH);
	assert_false(eth_txs_next(&walk, &h));
	assert_true(walk.ok);
	buf_fini(&b);
}

static void announcements(void **state)
{
	uint8_t bytes[2048];
	struct eth_hashes walk;
	struct eth_new_block nb;
	struct eth_range g;
	struct hash h;
	struct err e;
	uint64_t number;
	bool yes;
	size_t n;

	(void)state;
	n = eip8_bytes("f846e2a0" HEAD "05e2a0" GENESIS "80", bytes);
	bytes[1] = (uint8_t)(n - 2);
	assert_true(eth_hashes_begin(&walk, bytes, n));
	assert_true(eth_hashes_next(&walk, &h, &number));
	assert_int_equal(number, 5);
	assert_int_equal(h.b[0], 0xfe);
	assert_true(eth_hashes_next(&walk, &h, &number));
	assert_int_equal(number, 0);
	assert_false(eth_hashes_next(&walk, &h, &number));
	assert_true(walk.ok);
	bytes[3] = 0x9f; /* a hash of 31 bytes */
	assert_true(eth_hashes_begin(&walk, bytes, n));
	assert_false(eth_hashes_next(&walk, &h, &number));
	assert_false(walk.ok);
	assert_false(eth_hashes_begin(&walk, bytes, n - 1));

	n = eip8_bytes("e50182"
		       "0102"
		       "a0" HEAD,
		bytes);
	assert_int_equal(eth_range_decode(bytes, n, &g, &e), ST_OK);
	assert_int_equal(g.earliest, 1);
	assert_int_equal(g.latest, 0x102);
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(eth_range_decode(bytes, cut, &g, &e), ST_MALFORMED);

	/* [[header, [], [], sidecars], td, access list]: BSC's tail is ignored. */
	n = eip8_bytes("cac4c0c0c0c0821122c0", bytes);
	bytes[0] = (uint8_t)(0xc0 + n - 1);
	assert_int_equal(eth_new_block_decode(bytes, n, &nb, &e), ST_OK);
	assert_int_equal(nb.td.w[0], 0x1122);
	assert_true(nb.withdrawals.list);
	n = eip8_bytes("c5c3c0c0c001", bytes);
	assert_int_equal(eth_new_block_decode(bytes, n, &nb, &e), ST_OK);
	assert_null(nb.withdrawals.raw);
	n = eip8_bytes("c4c2c0c001", bytes);
	assert_int_equal(eth_new_block_decode(bytes, n, &nb, &e), ST_MALFORMED);

	assert_int_equal(eth_upgrade_encode(bytes, true), 3);
	assert_memory_equal(bytes, "\xc2\xc1\x01", 3);
	assert_int_equal(eth_upgrade_decode(bytes, 3, &yes, &e), ST_OK);
	assert_true(yes);
	eth_upgrade_encode(bytes, false);
	assert_memory_equal(bytes, "\xc2\xc1\x80", 3);
	assert_int_equal(eth_upgrade_decode(bytes, 3, &yes, &e), ST_OK);
	assert_false(yes);
	assert_int_equal(eth_upgrade_decode((const uint8_t *)"\xc1\xc0", 2, &yes, &e), ST_MALFORMED);
}

static void names(void **state)
{
	unsigned n;
	const struct p2p_proto *const ours = eth_protocols(&n);

	(void)state;
	assert_string_equal(eth_code_name(ETH_BLOCK_RANGE_UPDATE), "BlockRangeUpdate");
	assert_null(eth_code_name(0x0c));
	assert_null(eth_code_name(9999));
	assert_int_equal(n, 3);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(ours[i].length, ours[i].version == 68 ? 17 : 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello),
		cmocka_unit_test(hello_oddities),
		cmocka_unit_test(reasons),
		cmocka_unit_test(offsets),
		cmocka_unit_test(status_68),
		cmocka_unit_test(status_69),
		cmocka_unit_test(status_bor),
		cmocka_unit_test(requests),
		cmocka_unit_test(answers),
		cmocka_unit_test(polite),
		cmocka_unit_test(transactions),
		cmocka_unit_test(announcements),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
