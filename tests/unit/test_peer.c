/*
 * net/devp2p/peer: whole conversations in memory and on a clock of our own: with itself in every
 * version, and with a scripted node that is honest, strange, hostile, silent or slow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "eth/block_rlp.h"
#include "eth/keccak.h"
#include "net/devp2p/peer.h"

enum { CHAIN = 20, ETH = 0x10 };

static uint64_t now = 1000 * NS_S;

/* ---- a chain of headers ---- */

struct chain {
	uint8_t raw[CHAIN][700];
	size_t n[CHAIN];
	struct hash hash[CHAIN];
};

static void make_chain(struct chain *c)
{
	static const uint8_t zero[256];
	struct hash parent = { { 0 } };
	struct buf b;

	buf_init(&b, 4096);
	for (unsigned i = 0; i < CHAIN; i++) {
		size_t mark;
		enum status st = ST_OK;

		buf_clear(&b);
		mark = rlp_list_begin(&b);
		st |= rlp_bytes(&b, parent.b, 32) | rlp_bytes(&b, zero, 32) | rlp_bytes(&b, zero, 20);
		st |= rlp_bytes(&b, zero, 32) | rlp_bytes(&b, zero, 32) | rlp_bytes(&b, zero, 32);
		st |= rlp_bytes(&b, zero, 256) | rlp_u64(&b, 2) | rlp_u64(&b, 100 + i);
		st |= rlp_u64(&b, 30000000) | rlp_u64(&b, 0) | rlp_u64(&b, 12 * i) | rlp_bytes(&b, "x", 1);
		st |= rlp_bytes(&b, zero, 32) | rlp_bytes(&b, zero, 8) | rlp_list_end(&b, mark);
		assert_int_equal(st, ST_OK);
		c->n[i] = b.len;
		memcpy(c->raw[i], b.p, b.len);
		keccak256(c->raw[i], c->n[i], c->hash[i].b);
		parent = c->hash[i];
	}
	buf_fini(&b);
}

/* ---- moving bytes ---- */

static void feed_peer(struct peer *to, const uint8_t *p, size_t n)
{
	while (n > 0) {
		size_t room;
		uint8_t *const at = peer_space(to, &room);

		assert_non_null(at);
		if (room > n)
			room = n;
		memcpy(at, p, room);
		peer_received(to, room, now, now);
		p += room;
		n -= room;
	}
}

static void feed_rlpx(struct rlpx *to, const uint8_t *p, size_t n)
{
	while (n > 0) {
		size_t room;
		uint8_t *const at = rlpx_space(to, &room);

		assert_non_null(at);
		if (room > n)
			room = n;
		memcpy(at, p, room);
		rlpx_received(to, room, now, now);
		p += room;
		n -= room;
	}
}

/* ---- a scripted node: what it says is written by hand ---- */

struct node {
	struct rlpx *r;
	struct peer *p; /* who talks to it */
	unsigned version;
};

static void to_peer(struct node *n)
{
	const uint8_t *p;
	size_t k;

	while ((p = rlpx_out(n->r, &k)) != NULL) {
		feed_peer(n->p, p, k);
		rlpx_sent(n->r, k);
	}
}

static void to_node(struct node *n)
{
	const uint8_t *p;
	size_t k;

	while ((p = peer_out(n->p, &k)) != NULL) {
		feed_rlpx(n->r, p, k);
		peer_sent(n->p, k);
	}
}

static void node_says(struct node *n, unsigned code, const void *data, size_t size)
{
	struct err e;

	assert_int_equal(rlpx_send(n->r, code, data, size, &e), ST_OK);
	to_peer(n);
}

/* The next message that our side sent. */
static struct rlpx_msg node_hears(struct node *n)
{
	struct rlpx_msg m;
	struct err e;

	to_node(n);
	if (rlpx_next(n->r, &m, &e) != ST_OK)
		fail_msg("the node heard nothing: %s", e.text);
	return m;
}

static void node_hears_nothing(struct node *n)
{
	struct rlpx_msg m;
	struct err e;

	to_node(n);
	assert_int_equal(rlpx_next(n->r, &m, &e), ST_AGAIN);
}

static void expect_disconnect(struct node *n, enum p2p_reason reason)
{
	const struct rlpx_msg m = node_hears(n);

	assert_int_equal(m.code, P2P_DISCONNECT);
	assert_int_equal(p2p_reason(m.data, m.n), reason);
}

static enum status next(struct node *n, struct peer_event *ev, struct err *e)
{
	return peer_next(n->p, now, ev, e);
}

static struct peer_event expect_event(struct node *n, enum peer_event_kind kind)
{
	struct peer_event ev;
	struct err e = { .text = "" };
	const enum status st = next(n, &ev, &e);

	if (st != ST_OK)
		fail_msg("no event %d: %s (%s)", (int)kind, status_word(st), e.text);
	if (ev.kind != kind)
		fail_msg("event %d in place of %d: %s", (int)ev.kind, (int)kind, ev.text);
	return ev;
}

static void expect_quiet(struct node *n)
{
	struct peer_event ev;
	struct err e;

	assert_int_equal(next(n, &ev, &e), ST_AGAIN);
}

static void expect_end(struct node *n, enum status code, const char *text)
{
	struct peer_event ev;
	struct err e = { .text = "" };
	const enum status st = next(n, &ev, &e);

	if (st != code || strstr(e.text, text) == NULL)
		fail_msg("%s \"%s\" in place of %s \"%s\"", status_word(st), e.text, status_word(code), text);
	assert_int_equal(peer_phase(n->p), PEER_DEAD);
	assert_int_equal(next(n, &ev, &e), code); /* and stays so */
}

/* Both have the keys; nothing was said. */
static struct node meet_with(unsigned only, const struct eth_status *status)
{
	const struct rlpx_opts ro = { .role = RLPX_RECIPIENT };
	struct peer_opts po = { .role = RLPX_INITIATOR, .only_version = only, .status = status };
	struct node n = { .version = only };
	struct rlpx_msg m;
	struct err e;

	assert_int_equal(rlpx_new(&n.r, &ro, &e), ST_OK);
	po.remote = rlpx_own(n.r);
	assert_int_equal(peer_new(&n.p, &po, now, &e), ST_OK);
	expect_quiet(&n);
	assert_string_equal(peer_doing(n.p), "RLPx");
	to_node(&n);
	assert_int_equal(rlpx_next(n.r, &m, &e), ST_AGAIN);
	to_peer(&n);
	expect_event(&n, PEER_SECURE);
	assert_memory_equal(peer_remote(n.p), rlpx_own(n.r), 64);
	assert_string_equal(peer_doing(n.p), "Hello");
	return n;
}

static struct node meet(unsigned only)
{
	return meet_with(only, NULL);
}

static void part(struct node *n)
{
	peer_free(n->p);
	rlpx_free(n->r);
}

static struct p2p_hello hello_of(const struct node *n)
{
	struct p2p_hello h = {
		.version = 5, .client = "Node/v1", .n_caps = 3, .caps = { { "eth", 68 }, { "eth", 69 }, { "eth", 70 } }
	};

	memcpy(h.id, rlpx_own(n->r), 64);
	return h;
}

static void say_hello(struct node *n, const struct p2p_hello *h)
{
	struct buf b;

	buf_init(&b, 4096);
	assert_int_equal(p2p_hello_encode(&b, h), ST_OK);
	node_says(n, P2P_HELLO, b.p, b.len);
	rlpx_hello_done(n->r, h->version >= 5);
	buf_fini(&b);
}

static void hear_hello(struct node *n)
{
	const struct rlpx_msg m = node_hears(n);
	struct p2p_hello h;
	struct err e;

	assert_int_equal(m.code, P2P_HELLO);
	assert_int_equal(p2p_hello_decode(m.data, m.n, &h, &e), ST_OK);
	assert_int_equal(h.version, 5);
	assert_int_equal(h.port, 0);
	assert_memory_equal(h.id, rlpx_remote(n->r), 64);
	assert_false(p2p_has(&h, "snap", 1)); /* a node would wait for that */
}

static struct eth_status status_of(unsigned version)
{
	struct eth_status s = { .version = version,
		.network = 1,
		.fork_hash = { 7, 0xc9, 0x46, 0x2e },
		.fork_next = 0,
		.earliest = 10,
		.latest = 119 };

	s.td = u256_from64(17);
	s.genesis.b[0] = 0xd4;
	s.head.b[0] = 0xfe;
	return s;
}

static void say_status(struct node *n, const struct eth_status *s)
{
	struct buf b;

	buf_init(&b, 4096);
	assert_int_equal(eth_status_encode(&b, s), ST_OK);
	node_says(n, ETH + ETH_STATUS, b.p, b.len);
	buf_fini(&b);
}

/* Up to live. */
static struct node befriend(unsigned version)
{
	struct node n = meet(version);
	const struct p2p_hello h = hello_of(&n);
	const struct eth_status s = status_of(version);
	struct peer_event ev;
	struct rlpx_msg m;

	hear_hello(&n);
	say_hello(&n, &h);
	ev = expect_event(&n, PEER_HELLO);
	assert_string_equal(ev.u.hello->client, "Node/v1");
	assert_int_equal(peer_version(n.p), version);
	node_hears_nothing(&n);
	say_status(&n, &s);
	ev = expect_event(&n, PEER_STATUS);
	assert_int_equal(ev.u.status.version, version);
	assert_int_equal(ev.u.status.status->network, 1);
	m = node_hears(&n);
	assert_int_equal(m.code, ETH + ETH_STATUS);
	assert_int_equal(peer_phase(n.p), PEER_LIVE);
	expect_quiet(&n);
	return n;
}

/* ---- with itself ---- */

static void with_itself(void **state)
{
	(void)state;
	for (unsigned version = ETH_MIN; version <= ETH_MAX; version++) {
		const struct eth_status s = status_of(version);
		struct peer_opts oa = { .role = RLPX_INITIATOR, .client = "chaintop/a" };
		struct peer_opts ob = {
			.role = RLPX_RECIPIENT, .client = "chaintop/b", .status = &s, .only_version = version
		};
		struct peer *ends[2];
		unsigned seen[2] = { 0 }, events = 0;
		struct peer_event ev;
		struct peer_stats st;
		uint64_t id;
		struct err e;

		assert_int_equal(peer_new(&ends[1], &ob, now, &e), ST_OK);
		oa.remote = peer_own(ends[1]);
		assert_int_equal(peer_new(&ends[0], &oa, now, &e), ST_OK);
		for (int round = 0; round < 12; round++) {
			for (int i = 0; i < 2; i++) {
				size_t n;
				const uint8_t *const p = peer_out(ends[i], &n);

				if (p != NULL) {
					feed_peer(ends[1 - i], p, n);
					peer_sent(ends[i], n);
				}
				while (peer_next(ends[i], now, &ev, &e) == ST_OK) {
					seen[i] |= 1u << ev.kind;
					events++;
				}
			}
			if (round == 7)
				assert_int_equal(peer_get_headers(ends[0], now, NULL, 5, 3, false, &id, &e), ST_OK);
		}
		for (int i = 0; i < 2; i++) {
			assert_int_equal(peer_phase(ends[i]), PEER_LIVE);
			assert_int_equal(peer_version(ends[i]), version);
			assert_int_equal(peer_status(ends[i])->network, 1);
		}
		assert_int_equal(seen[0], 1u << PEER_SECURE | 1u << PEER_HELLO | 1u << PEER_STATUS | 1u << PEER_MISS);
		assert_int_equal(seen[1], 1u << PEER_SECURE | 1u << PEER_HELLO | 1u << PEER_STATUS | 1u << PEER_ASKED);
		assert_int_equal(events, 8);
		assert_string_equal(peer_hello(ends[0])->client, "chaintop/b");
		/* What we mirror serves nothing below the head. */
		if (version > 68)
			assert_int_equal(peer_status(ends[1])->earliest, 119);
		peer_stats(ends[0], &st);
		assert_int_equal(st.in[ETH_STATUS], 1);
		assert_int_equal(st.out[ETH_STATUS], 1);
		assert_int_equal(st.out[ETH_GET_BLOCK_HEADERS], 1);
		assert_int_equal(st.odd, 0);
		peer_free(ends[0]);
		peer_free(ends[1]);
	}
}

/* ---- Hello ---- */

static void bad_hellos(void **state)
{
	struct p2p_hello h;
	struct node n;

	(void)state;
	n = meet(0);
	hear_hello(&n);
	h = hello_of(&n);
	h.id[5] ^= 1;
	say_hello(&n, &h);
	expect_end(&n, ST_AUTH, "another node id");
	expect_disconnect(&n, P2P_UNEXPECTED_IDENTITY);
	part(&n);

	n = meet(0);
	hear_hello(&n);
	h = hello_of(&n);
	memset(h.id, 0, sizeof(h.id));
	say_hello(&n, &h);
	expect_end(&n, ST_MALFORMED, "no node id");
	expect_disconnect(&n, P2P_BAD_IDENTITY);
	part(&n);

	n = meet(0);
	hear_hello(&n);
	h = hello_of(&n);
	h.n_caps = 2;
	snprintf(h.caps[1].name, sizeof(h.caps[1].name), "snap");
	h.caps[0].version = 66;
	h.caps[1].version = 1;
	say_hello(&n, &h);
	expect_end(&n, ST_UNSUPPORTED, "but eth/66 snap/1");
	expect_disconnect(&n, P2P_USELESS);
	part(&n);

	n = meet(0);
	hear_hello(&n);
	node_says(&n, P2P_HELLO, "\xc0", 1);
	expect_end(&n, ST_MALFORMED, "no version");
	expect_disconnect(&n, P2P_BREACH);
	part(&n);

	n = meet(0);
	hear_hello(&n);
	node_says(&n, P2P_PING, "\xc0", 1);
	expect_end(&n, ST_MALFORMED, "before Hello");
	part(&n);

	n = befriend(68);
	h = hello_of(&n);
	say_hello(&n, &h);
	expect_end(&n, ST_MALFORMED, "second Hello");
	part(&n);
}

static void refusals(void **state)
{
	struct node n;
	struct err e;

	(void)state;
	/* go-ethereum says so before Hello, plain. */
	n = meet(0);
	node_says(&n, P2P_DISCONNECT, "\xc1\x04", 2);
	expect_end(&n, ST_CLOSED, "too many peers");
	peer_eof(n.p, &e);
	assert_int_equal(e.detail, P2P_TOO_MANY);
	assert_true(e.cure[0] != '\0');
	part(&n);
	/* Others compressed, before they know whether we understand. */
	n = meet(0);
	node_says(&n, P2P_DISCONNECT, "\x02\x04\xc1\x05", 4);
	expect_end(&n, ST_CLOSED, "already connected");
	part(&n);
	/* Or behind Hello, plain again. */
	n = meet(0);
	hear_hello(&n);
	{
		const struct p2p_hello h = hello_of(&n);

		say_hello(&n, &h);
	}
	expect_event(&n, PEER_HELLO);
	rlpx_hello_done(n.r, false);
	node_says(&n, P2P_DISCONNECT, "\x10", 1);
	expect_end(&n, ST_CLOSED, "subprotocol error");
	node_hears_nothing(&n);
	part(&n);
	n = befriend(69);
	node_says(&n, P2P_DISCONNECT, "\xc0", 1);
	expect_end(&n, ST_CLOSED, "no reason said");
	part(&n);
}

/* ---- Status ---- */

static void bad_statuses(void **state)
{
	const struct p2p_hello none = { .version = 0 };
	struct p2p_hello h = none;
	struct eth_status s;
	struct node n;

	(void)state;
	n = meet(69);
	hear_hello(&n);
	h = hello_of(&n);
	say_hello(&n, &h);
	expect_event(&n, PEER_HELLO);
	s = status_of(68);
	say_status(&n, &s);
	expect_end(&n, ST_MALFORMED, "version 68 after agreeing on 69");
	expect_disconnect(&n, P2P_SUBPROTOCOL);
	part(&n);

	n = meet(68);
	hear_hello(&n);
	h = hello_of(&n);
	say_hello(&n, &h);
	expect_event(&n, PEER_HELLO);
	node_says(&n, ETH + ETH_NEW_BLOCK_HASHES, "\xc0", 1);
	expect_end(&n, ST_MALFORMED, "before Status");
	part(&n);

	n = befriend(68);
	s = status_of(68);
	say_status(&n, &s);
	expect_end(&n, ST_MALFORMED, "second Status");
	part(&n);

	n = befriend(68);
	node_says(&n, ETH + ETH_BLOCK_RANGE_UPDATE, "\xc0", 1); /* 68 has no such code */
	expect_end(&n, ST_MALFORMED, "nobody agreed on");
	expect_disconnect(&n, P2P_BREACH);
	part(&n);
}

/* Bor's eth/69 and BSC's eth/68: the types of their sources, no node of theirs at hand. */
static void other_chains(void **state)
{
	struct node n = meet(69);
	struct p2p_hello h = hello_of(&n);
	struct eth_status s = status_of(69), got;
	struct peer_event ev;
	struct rlpx_msg m;
	struct err e;

	(void)state;
	hear_hello(&n);
	say_hello(&n, &h);
	expect_event(&n, PEER_HELLO);
	s.network = 137;
	s.has = ETH_IS_BOR;
	say_status(&n, &s);
	ev = expect_event(&n, PEER_STATUS);
	assert_true(ev.u.status.status->has & ETH_IS_BOR);
	assert_int_equal(ev.u.status.status->latest, 119);
	m = node_hears(&n);
	assert_int_equal(eth_status_decode(69, m.data, m.n, &got, &e), ST_OK);
	assert_true(got.has & ETH_IS_BOR);
	assert_int_equal(got.td.w[0], 17);
	part(&n);

	n = befriend(68);
	node_says(&n, ETH + ETH_UPGRADE_STATUS, "\xc2\xc1\x80", 3);
	ev = expect_event(&n, PEER_OTHER);
	assert_int_equal(ev.code, ETH_UPGRADE_STATUS);
	m = node_hears(&n);
	assert_int_equal(m.code, ETH + ETH_UPGRADE_STATUS);
	assert_int_equal(m.n, 3);
	assert_memory_equal(m.data, "\xc2\xc1\x01", 3); /* no transactions, please */
	node_says(&n, ETH + ETH_UPGRADE_STATUS, "\xc2\xc1\x80", 3);
	expect_event(&n, PEER_OTHER);
	node_hears_nothing(&n);
	part(&n);
}

/* ---- requests ---- */

/* Answers with headers of the chain: first, then on by `step`. */
static void answer_headers(struct node *n, const struct chain *c, uint64_t id, int first, int step, unsigned count)
{
	struct buf b;
	size_t mark, inner;

	buf_init(&b, 1 << 20);
	mark = rlp_list_begin(&b);
	assert_int_equal(rlp_u64(&b, id), ST_OK);
	inner = rlp_list_begin(&b);
	for (unsigned i = 0; i < count; i++) {
		const int at = first + step * (int)i;

		assert_int_equal(buf_add(&b, c->raw[at], c->n[at]), ST_OK);
	}
	assert_int_equal(rlp_list_end(&b, inner), ST_OK);
	assert_int_equal(rlp_list_end(&b, mark), ST_OK);
	node_says(n, ETH + ETH_BLOCK_HEADERS, b.p, b.len);
	buf_fini(&b);
}

static void headers(void **state)
{
	static struct chain c;
	struct node n = befriend(68);
	struct peer_event ev;
	struct rlp_item item;
	struct header h;
	struct err e;
	uint64_t id;

	(void)state;
	make_chain(&c);
	/* By number, forwards; fewer than asked for is no fault. */
	assert_int_equal(peer_get_headers(n.p, now, NULL, 103, 8, false, &id, &e), ST_OK);
	assert_int_equal(node_hears(&n).code, ETH + ETH_GET_BLOCK_HEADERS);
	now += 7 * NS_MS;
	answer_headers(&n, &c, id, 3, 1, 5);
	ev = expect_event(&n, PEER_HEADERS);
	assert_int_equal(ev.u.answer.id, id);
	assert_int_equal(ev.u.answer.n, 5);
	assert_int_equal(ev.u.answer.took_ns, 7 * NS_MS);
	for (unsigned i = 0; i < 5; i++) {
		assert_true(rlp_next(&ev.u.answer.list, &item));
		assert_int_equal(header_from_rlp(item.raw, item.raw_n, &h, NULL, &e), ST_OK);
		assert_int_equal(h.number, 103 + i);
		assert_true(hash_eq(&h.hash, &c.hash[3 + i]));
	}
	/* By hash, backwards: the walk of a reorganisation. */
	assert_int_equal(peer_get_headers(n.p, now, &c.hash[10], 0, 4, true, &id, &e), ST_OK);
	node_hears(&n);
	answer_headers(&n, &c, id, 10, -1, 4);
	ev = expect_event(&n, PEER_HEADERS);
	assert_int_equal(ev.u.answer.n, 4);
	part(&n);
}

static void wrong_answers(void **state)
{
	static const struct {
		bool by_hash, reverse;
		int first, step;
		unsigned count;
		enum status code;
		const char *text;
	} w[] = {
		{ false, false, 4, 1, 1, ST_WRONG_BLOCK, "104 in place of 103" },
		{ false, false, 3, 2, 2, ST_WRONG_BLOCK, "another one" }, /* a gap */
		{ false, false, 3, 1, 4, ST_WRONG_BLOCK, "more headers" },
		{ true, false, 4, 1, 1, ST_WRONG_BLOCK, "another one" },
		{ true, true, 3, 1, 2, ST_WRONG_BLOCK, "another one" },  /* the other direction */
		{ true, false, 3, 0, 2, ST_WRONG_BLOCK, "another one" }, /* the same twice */
		{ true, false, 3, 1, 0, ST_NULL, "does not have it" },
	};
	static struct chain c;
	struct node n = befriend(69);
	struct peer_event ev;
	struct peer_stats st;
	struct err e;
	uint64_t id;

	(void)state;
	make_chain(&c);
	for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
		assert_int_equal(
			peer_get_headers(n.p, now, w[i].by_hash ? &c.hash[3] : NULL, 103, 3, w[i].reverse, &id, &e),
			ST_OK);
		node_hears(&n);
		answer_headers(&n, &c, id, w[i].first, w[i].step, w[i].count);
		ev = expect_event(&n, PEER_MISS);
		assert_int_equal(ev.u.answer.id, id);
		assert_int_equal(ev.u.answer.code, w[i].code);
		if (strstr(ev.text, w[i].text) == NULL)
			fail_msg("case %zu: %s", i, ev.text);
	}
	/* Once more the same answer: nobody asked. */
	answer_headers(&n, &c, id, 3, 1, 1);
	ev = expect_event(&n, PEER_ODD);
	assert_non_null(strstr(ev.text, "not asked"));
	answer_headers(&n, &c, 999, 3, 1, 1);
	expect_event(&n, PEER_ODD);
	/* A header that is none; an answer that is none. */
	assert_int_equal(peer_get_headers(n.p, now, NULL, 103, 3, false, &id, &e), ST_OK);
	node_hears(&n);
	node_says(&n, ETH + ETH_BLOCK_HEADERS, (uint8_t[]){ 0xc5, (uint8_t)id, 0xc3, 0xc2, 1, 2 }, 6);
	ev = expect_event(&n, PEER_MISS);
	assert_int_equal(ev.u.answer.code, ST_MALFORMED);
	node_says(&n, ETH + ETH_BLOCK_HEADERS, "\xc0", 1);
	expect_event(&n, PEER_ODD);
	/* None at all. */
	assert_int_equal(peer_get_headers(n.p, now, NULL, 103, 3, false, &id, &e), ST_OK);
	node_hears(&n);
	now += 14 * NS_S;
	node_says(&n, P2P_PING, "\xc0", 1); /* it is not silent */
	expect_quiet(&n);
	node_hears(&n); /* Pong */
	assert_true(peer_deadline(n.p) <= now + NS_S);
	now += NS_S;
	ev = expect_event(&n, PEER_MISS);
	assert_int_equal(ev.u.answer.code, ST_TIMEOUT);
	assert_int_equal(ev.u.answer.id, id);
	answer_headers(&n, &c, id, 3, 1, 1); /* too late */
	expect_event(&n, PEER_ODD);
	peer_stats(n.p, &st);
	assert_true(st.odd >= 6);
	assert_int_equal(peer_phase(n.p), PEER_LIVE);
	part(&n);
}

static void bodies(void **state)
{
	static struct chain c;
	struct node n = befriend(70);
	struct eth_new_block body;
	struct peer_event ev;
	struct rlp_item item;
	struct err e;
	uint64_t id, ids[PEER_REQUESTS_MAX];

	(void)state;
	make_chain(&c);
	assert_int_equal(peer_get_bodies(n.p, now, c.hash, 3, &id, &e), ST_OK);
	assert_int_equal(node_hears(&n).code, ETH + ETH_GET_BLOCK_BODIES);
	/* two: [[], []] and [[], [], []] */
	node_says(&n, ETH + ETH_BLOCK_BODIES,
		(uint8_t[]){ 0xc9, (uint8_t)id, 0xc7, 0xc2, 0xc0, 0xc0, 0xc3, 0xc0, 0xc0, 0xc0 }, 10);
	ev = expect_event(&n, PEER_BODIES);
	assert_int_equal(ev.u.answer.n, 2);
	assert_true(rlp_next(&ev.u.answer.list, &item));
	assert_int_equal(eth_body_decode(&item, &body, &e), ST_OK);
	assert_null(body.withdrawals.raw);
	assert_true(rlp_next(&ev.u.answer.list, &item));
	assert_int_equal(eth_body_decode(&item, &body, &e), ST_OK);
	assert_non_null(body.withdrawals.raw);

	/* An answer of the other kind with the same number is not taken. */
	assert_int_equal(peer_get_bodies(n.p, now, c.hash, 1, &id, &e), ST_OK);
	answer_headers(&n, &c, id, 3, 1, 1);
	expect_event(&n, PEER_ODD);
	node_says(&n, ETH + ETH_BLOCK_BODIES,
		(uint8_t[]){ 0xc8, (uint8_t)id, 0xc6, 0xc2, 0xc0, 0xc0, 0xc2, 0xc0, 0xc0 }, 9);
	ev = expect_event(&n, PEER_MISS);
	assert_int_equal(ev.u.answer.code, ST_WRONG_BLOCK); /* more than asked for */

	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++)
		assert_int_equal(peer_get_bodies(n.p, now, c.hash, 1, &ids[i], &e), ST_OK);
	assert_int_equal(peer_get_bodies(n.p, now, c.hash, 1, &id, &e), ST_AGAIN);
	assert_int_equal(peer_get_headers(n.p, now, NULL, 1, 1, false, &id, &e), ST_AGAIN);
	part(&n);
}

/* ---- what nodes say unasked ---- */

static void announced(void **state)
{
	static struct chain c;
	struct node n = befriend(69);
	struct peer_event ev;
	struct hash h;
	uint64_t number;
	struct buf b;
	size_t mark, inner;

	(void)state;
	make_chain(&c);
	buf_init(&b, 4096);
	mark = rlp_list_begin(&b);
	inner = rlp_list_begin(&b);
	assert_int_equal(rlp_bytes(&b, c.hash[4].b, 32) | rlp_u64(&b, 104) | rlp_list_end(&b, inner), 0);
	assert_int_equal(rlp_list_end(&b, mark), ST_OK);
	now += 5;
	node_says(&n, ETH + ETH_NEW_BLOCK_HASHES, b.p, b.len);
	ev = expect_event(&n, PEER_HASHES);
	assert_int_equal(ev.recv_ns, now);
	assert_true(eth_hashes_next(&ev.u.hashes, &h, &number));
	assert_true(hash_eq(&h, &c.hash[4]));
	assert_int_equal(number, 104);

	buf_clear(&b);
	mark = rlp_list_begin(&b);
	inner = rlp_list_begin(&b);
	assert_int_equal(buf_add(&b, c.raw[5], c.n[5]) | buf_add(&b, "\xc0\xc0", 2), 0);
	assert_int_equal(rlp_list_end(&b, inner) | rlp_u64(&b, 99) | rlp_list_end(&b, mark), 0);
	node_says(&n, ETH + ETH_NEW_BLOCK, b.p, b.len);
	ev = expect_event(&n, PEER_BLOCK);
	assert_int_equal(ev.u.block.header.raw_n, c.n[5]);
	assert_int_equal(ev.u.block.td.w[0], 99);

	buf_clear(&b);
	mark = rlp_list_begin(&b);
	assert_int_equal(rlp_u64(&b, 3) | rlp_u64(&b, 130) | rlp_bytes(&b, c.hash[1].b, 32), 0);
	assert_int_equal(rlp_list_end(&b, mark), ST_OK);
	node_says(&n, ETH + ETH_BLOCK_RANGE_UPDATE, b.p, b.len);
	ev = expect_event(&n, PEER_RANGE);
	assert_int_equal(ev.u.range.latest, 130);

	node_says(&n, ETH + ETH_TRANSACTIONS, "\xc0", 1);
	ev = expect_event(&n, PEER_OTHER);
	assert_int_equal(ev.code, ETH_TRANSACTIONS);
	/* Broken ones do no harm. */
	node_says(&n, ETH + ETH_NEW_BLOCK_HASHES, "\xc1\xc0", 2);
	expect_event(&n, PEER_ODD);
	node_says(&n, ETH + ETH_NEW_BLOCK_HASHES, "\x80", 1);
	expect_event(&n, PEER_ODD);
	node_says(&n, ETH + ETH_NEW_BLOCK, "\xc0", 1);
	expect_event(&n, PEER_ODD);
	node_says(&n, ETH + ETH_BLOCK_RANGE_UPDATE, "\xc3\x02\x01\x80", 4);
	expect_event(&n, PEER_ODD);
	expect_quiet(&n);
	buf_fini(&b);
	part(&n);
}

static void polite(void **state)
{
	static const unsigned codes[] = { ETH_GET_BLOCK_HEADERS, ETH_GET_BLOCK_BODIES, ETH_GET_POOLED,
		ETH_GET_RECEIPTS };
	struct node n = befriend(68);

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct peer_event ev;
		struct rlpx_msg m;

		node_says(&n, ETH + codes[i], "\xc4\x82\x04\x57\xc0", 5);
		ev = expect_event(&n, PEER_ASKED);
		assert_int_equal(ev.code, codes[i]);
		m = node_hears(&n);
		assert_int_equal(m.code, ETH + codes[i] + 1);
		assert_int_equal(m.n, 5);
		assert_memory_equal(m.data, "\xc4\x82\x04\x57\xc0", 5);
	}
	node_says(&n, ETH + ETH_GET_RECEIPTS, "\xc0", 1);
	expect_event(&n, PEER_ODD);
	part(&n);
}

/* ---- pings and time ---- */

static void pings(void **state)
{
	struct node n = befriend(68);
	struct peer_event ev;
	struct peer_stats st;
	unsigned pongs = 0;
	struct rlpx_msg m;
	struct err e;

	(void)state;
	assert_int_equal(peer_ping(n.p, now, &e), ST_OK);
	assert_int_equal(peer_ping(n.p, now, &e), ST_AGAIN); /* one at a time: it has no name */
	assert_int_equal(node_hears(&n).code, P2P_PING);
	now += 1234 * NS_US;
	node_says(&n, P2P_PONG, "\xc0", 1);
	now += NS_MS; /* when it is looked at does not count */
	ev = expect_event(&n, PEER_PONG);
	assert_int_equal(ev.u.rtt_ns, 1234 * NS_US);
	node_says(&n, P2P_PONG, "\xc0", 1);
	expect_event(&n, PEER_ODD);

	/* A flood: some are answered, the connection lives. */
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(rlpx_send(n.r, P2P_PING, "\xc0", 1, &e), ST_OK);
		now += NS_MS;
	}
	to_peer(&n);
	expect_event(&n, PEER_ODD);
	expect_quiet(&n);
	to_node(&n);
	while (rlpx_next(n.r, &m, &e) == ST_OK)
		pongs += m.code == P2P_PONG;
	assert_true(pongs >= 8 && pongs <= 13);
	peer_stats(n.p, &st);
	assert_int_equal(st.pings_unanswered, 1000 - pongs);
	now += NS_S; /* and then again */
	node_says(&n, P2P_PING, "\xc0", 1);
	expect_quiet(&n);
	assert_int_equal(node_hears(&n).code, P2P_PONG);

	/* By itself every 15 s; without an answer it is over. */
	now = peer_deadline(n.p);
	expect_quiet(&n);
	assert_int_equal(node_hears(&n).code, P2P_PING);
	now += 20 * NS_S;
	expect_end(&n, ST_TIMEOUT, "no Pong in 20 s");
	expect_disconnect(&n, P2P_TIMEOUT);
	part(&n);
}

static void half_open(void **state)
{
	const struct rlpx_opts ro = { .role = RLPX_RECIPIENT };
	struct peer_opts po = { .role = RLPX_INITIATOR };
	struct p2p_hello h;
	struct node n = { .version = 0 };
	struct err e;

	(void)state;
	/* It accepts and says nothing. */
	assert_int_equal(rlpx_new(&n.r, &ro, &e), ST_OK);
	po.remote = rlpx_own(n.r);
	assert_int_equal(peer_new(&n.p, &po, now, &e), ST_OK);
	expect_quiet(&n);
	assert_int_equal(peer_deadline(n.p), now + 5 * NS_S);
	now += 5 * NS_S;
	expect_end(&n, ST_TIMEOUT, "no RLPx handshake in 5 s");
	part(&n);

	n = meet(0);
	now += 5 * NS_S;
	expect_end(&n, ST_TIMEOUT, "no Hello");
	part(&n);

	n = meet(0);
	hear_hello(&n);
	h = hello_of(&n);
	say_hello(&n, &h);
	expect_event(&n, PEER_HELLO);
	now += 10 * NS_S;
	expect_end(&n, ST_TIMEOUT, "no Status");
	part(&n);

	/* Live, then nothing more, not even answers to our pings. */
	n = befriend(68);
	now += 15 * NS_S;
	expect_quiet(&n);
	now += 20 * NS_S;
	expect_end(&n, ST_TIMEOUT, "no Pong");
	part(&n);
}

/* A message that comes byte by byte ends 30 s after its first byte, however busy it looks. */
static void dripping(void **state)
{
	struct node n = befriend(68);
	uint8_t copy[400];
	const uint8_t *p;
	struct rlpx_msg m;
	struct err e;
	size_t k, at = 0;
	const uint64_t begin = now;
	struct peer_event ev;
	enum status st = ST_AGAIN;

	(void)state;
	assert_int_equal(rlpx_send(n.r, ETH + ETH_TRANSACTIONS, "\xc0", 1, &e), ST_OK);
	p = rlpx_out(n.r, &k);
	memcpy(copy, p, k);
	while (st == ST_AGAIN && at < k - 1) {
		feed_peer(n.p, copy + at++, 1);
		st = peer_next(n.p, now, &ev, &e);
		now += NS_S;
	}
	assert_int_equal(st, ST_TIMEOUT);
	assert_non_null(strstr(e.text, "did not end"));
	assert_true(now - begin <= 33 * NS_S);
	(void)m;
	part(&n);
}

static void ends(void **state)
{
	struct node n;
	struct err e;
	struct peer_opts po = { .role = RLPX_RECIPIENT };
	uint64_t id;

	(void)state;
	assert_int_equal(peer_new(&n.p, &po, now, &e), ST_OK);
	assert_int_equal(peer_eof(n.p, &e), ST_CLOSED);
	assert_non_null(strstr(e.text, "throttled"));
	assert_non_null(strstr(e.cure, "35 s"));
	peer_free(n.p);

	n = meet(0);
	assert_int_equal(peer_eof(n.p, &e), ST_CLOSED);
	assert_non_null(strstr(e.text, "Hello"));
	part(&n);

	n = befriend(68);
	peer_bye(n.p, P2P_QUITTING);
	peer_bye(n.p, P2P_QUITTING);
	expect_disconnect(&n, P2P_QUITTING);
	node_hears_nothing(&n);
	assert_int_equal(peer_get_headers(n.p, now, NULL, 1, 1, false, &id, &e), ST_INTERNAL);
	assert_int_equal(peer_eof(n.p, &e), ST_CLOSED);
	part(&n);

	/* Before there are keys there is nothing to say. */
	assert_int_equal(peer_new(&n.p, &po, now, &e), ST_OK);
	peer_bye(n.p, P2P_QUITTING);
	assert_null(peer_out(n.p, &(size_t){ 0 }));
	assert_int_equal(peer_get_headers(n.p, now, NULL, 1, 1, false, &id, &e), ST_AGAIN);
	peer_free(n.p);
	peer_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_itself),
		cmocka_unit_test(bad_hellos),
		cmocka_unit_test(refusals),
		cmocka_unit_test(bad_statuses),
		cmocka_unit_test(other_chains),
		cmocka_unit_test(headers),
		cmocka_unit_test(wrong_answers),
		cmocka_unit_test(bodies),
		cmocka_unit_test(announced),
		cmocka_unit_test(polite),
		cmocka_unit_test(pings),
		cmocka_unit_test(half_open),
		cmocka_unit_test(dripping),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
