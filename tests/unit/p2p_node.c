#include "p2p_node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "eth/keccak.h"
#include "net/devp2p/enode.h"
#include "net/devp2p/eth.h"
#include "net/devp2p/listen.h"
#include "net/devp2p/p2p.h"
#include "net/devp2p/rlpx.h"

enum { ETH = 0x10, PIECE = 256 * 1024 };

static const uint8_t zero[256];

static void make_header(struct p2p_node *n, unsigned branch, unsigned i)
{
	struct buf *b = &n->header[branch][i];
	uint8_t no_list[32], no_trie[32];
	const struct hash none = { { 0 } };
	const struct hash *parent = i == 0 ? &none : &n->hash[i > NODE_FORK ? branch : 0][i - 1];
	size_t mark;
	enum status st = ST_OK;

	keccak256("\xc0", 1, no_list);
	keccak256("\x80", 1, no_trie);
	buf_init(b, 4096);
	mark = rlp_list_begin(b);
	st |= rlp_bytes(b, parent->b, 32) | rlp_bytes(b, no_list, 32) | rlp_bytes(b, zero, 20);
	st |= rlp_bytes(b, zero, 32) | rlp_bytes(b, no_trie, 32) | rlp_bytes(b, no_trie, 32);
	st |= rlp_bytes(b, zero, 256) | rlp_u64(b, 2) | rlp_u64(b, i);
	st |= rlp_u64(b, 30000000) | rlp_u64(b, 0) | rlp_u64(b, 1700000000 + 2 * i + (i >= NODE_FORK ? branch : 0));
	st |= rlp_bytes(b, "x", 1) | rlp_bytes(b, zero, 32) | rlp_bytes(b, zero, 8) | rlp_list_end(b, mark);
	assert_int_equal(st, ST_OK);
	keccak256(b->p, b->len, n->hash[branch][i].b);
}

/* ---- one connection ---- */

struct link {
	struct p2p_node *n;
	struct rlpx *r;
	int fd;
	bool over;
};

static void say(struct link *l, uint64_t code, const void *p, size_t n)
{
	struct err e;

	if (rlpx_send(l->r, code, p, n, &e) != ST_OK)
		l->over = true;
}

static void say_buf(struct link *l, uint64_t code, struct buf *b)
{
	say(l, code, b->p, b->len);
	buf_fini(b);
}

static void say_hello(struct link *l)
{
	struct p2p_hello h = { .version = 5, .client = "Node/v1.2.3", .n_caps = 1, .caps = { { "eth", l->n->version } } };
	struct buf b;

	buf_init(&b, 4096);
	memcpy(h.id, rlpx_own(l->r), sizeof(h.id));
	if (p2p_hello_encode(&b, &h) != ST_OK)
		l->over = true;
	say_buf(l, P2P_HELLO, &b);
	rlpx_hello_done(l->r, true);
}

static void say_status(struct link *l)
{
	struct p2p_node *n = l->n;
	unsigned top = atomic_load(&n->top), branch = atomic_load(&n->branch);
	struct eth_status s = { .version = n->version, .network = n->network, .latest = top };
	struct buf b;

	buf_init(&b, 4096);
	s.genesis = n->hash[0][0];
	s.head = n->hash[branch][top];
	s.has = n->version >= 69 ? ETH_HAS_RANGE : ETH_HAS_TD;
	if (n->act == NODE_FORGETS)
		s.head.b[0] ^= 1;
	if (eth_status_encode(&b, &s) != ST_OK)
		l->over = true;
	say_buf(l, ETH + ETH_STATUS, &b);
}

static void say_bye(struct link *l, enum p2p_reason reason)
{
	uint8_t out[4];

	say(l, P2P_DISCONNECT, out, p2p_disconnect_encode(out, reason));
}

/* Number of the block with this hash that the node has now, or −1. */
static int find(const struct p2p_node *n, const uint8_t *hash)
{
	const unsigned branch = atomic_load(&n->branch), top = atomic_load(&n->top);

	for (unsigned i = 0; i <= top; i++) {
		if (memcmp(n->hash[branch][i].b, hash, 32) == 0)
			return (int)i;
	}
	return -1;
}

static void answer_headers(struct link *l, uint64_t id, struct rlp r)
{
	struct p2p_node *n = l->n;
	const unsigned branch = atomic_load(&n->branch), top = atomic_load(&n->top);
	struct rlp_item in[4];
	uint64_t at = 0, limit = 0, reverse = 0;
	struct buf b;
	size_t all, list;
	int i;

	for (i = 0; i < 4; i++)
		assert_true(rlp_next(&r, &in[i]));
	assert_true(rlp_item_u64(&in[1], &limit) && rlp_item_u64(&in[3], &reverse));
	if (in[0].n == 32)
		i = find(n, in[0].p);
	else
		i = rlp_item_u64(&in[0], &at) && at <= top ? (int)at : -1;
	if (n->act == NODE_LIES && i > 0)
		i--;
	buf_init(&b, 1 << 20);
	all = rlp_list_begin(&b);
	(void)!rlp_u64(&b, id);
	list = rlp_list_begin(&b);
	for (; limit > 0 && i >= 0 && i <= (int)top; limit--, i += reverse ? -1 : 1) {
		if (n->no_header && i == (int)n->no_header)
			break;
		const struct buf *h = &n->header[branch][i];

		(void)!buf_add(&b, h->p, h->len);
	}
	(void)!rlp_list_end(&b, list);
	(void)!rlp_list_end(&b, all);
	say_buf(l, ETH + ETH_BLOCK_HEADERS, &b);
}

static void answer_bodies(struct link *l, uint64_t id, struct rlp r)
{
	/* One legacy transaction where there should be none. */
	static const uint8_t wrong[35] = {
		0xe2, 0xe0, 0xdf, 0x80, 0x01, 0x82, 0x52, 0x08, 0x94, [29] = 0x01, 0x80, 0x1b, 0x07, 0x08, 0xc0,
	};
	struct rlp_item hash;
	struct buf b;
	size_t all, list;
	unsigned n = 0;

	buf_init(&b, 1 << 20);
	all = rlp_list_begin(&b);
	(void)!rlp_u64(&b, id);
	list = rlp_list_begin(&b);
	while (rlp_next(&r, &hash) && (!l->n->bodies_max || n < l->n->bodies_max)) {
		int i = find(l->n, hash.p);

		if (i < 0 || (l->n->no_body && i == (int)l->n->no_body))
			continue;
		if (l->n->swap && i == (int)l->n->swap && atomic_load(&l->n->swaps)) {
			atomic_fetch_sub(&l->n->swaps, 1);
			i--;
		}
		n++;
		if (l->n->act == NODE_WRONG_BODY)
			(void)!buf_add(&b, (const char *)wrong, sizeof(wrong));
		else if (l->n->body[i].len)
			(void)!buf_add(&b, l->n->body[i].p, l->n->body[i].len);
		else
			(void)!buf_add(&b, "\xc2\xc0\xc0", 3);
	}
	(void)!rlp_list_end(&b, list);
	(void)!rlp_list_end(&b, all);
	say_buf(l, ETH + ETH_BLOCK_BODIES, &b);
}

static void hear(struct link *l, const struct rlpx_msg *m)
{
	struct p2p_node *n = l->n;
	struct eth_reply q;
	struct err e;

	switch (m->code) {
	case P2P_HELLO:
		if (n->act == NODE_FULL) {
			say_bye(l, P2P_TOO_MANY);
			return;
		}
		say_hello(l);
		say_status(l);
		return;
	case P2P_DISCONNECT:
		l->over = true;
		return;
	case P2P_PING:
		say(l, P2P_PONG, "\xc0", 1);
		return;
	case ETH + ETH_STATUS:
		if (n->act == NODE_USELESS)
			say_bye(l, P2P_USELESS);
		return;
	default:
		break;
	}
	if ((m->code != ETH + ETH_GET_BLOCK_HEADERS && m->code != ETH + ETH_GET_BLOCK_BODIES) || n->act == NODE_MUTE ||
	    n->act == NODE_FLOODS)
		return;
	if (atomic_load(&n->leave_at) && atomic_load(&n->answers) == atomic_load(&n->leave_at)) {
		atomic_store(&n->leave_at, 0);
		say_bye(l, P2P_TOO_MANY);
		l->over = true;
		return;
	}
	if (atomic_fetch_add(&n->answers, 1) + 1 > n->branch_at && n->branch_at)
		atomic_store(&n->branch, 1);
	if (eth_reply_decode(m->data, m->n, &q, &e) != ST_OK)
		l->over = true;
	else if (m->code == ETH + ETH_GET_BLOCK_HEADERS)
		answer_headers(l, q.id, q.list);
	else
		answer_bodies(l, q.id, q.list);
}

/* NewPooledTransactionHashes of 25 transactions: byte 0 counts from 1, the rest is 0x77. */
static void announce_txs(struct link *l)
{
	uint8_t hash[32], types[25];
	size_t all, in;
	struct buf b;

	memset(hash, 0x77, sizeof(hash));
	memset(types, 2, sizeof(types));
	buf_init(&b, 1 << 16);
	all = rlp_list_begin(&b);
	(void)!rlp_bytes(&b, types, sizeof(types));
	in = rlp_list_begin(&b);
	for (unsigned i = 0; i < sizeof(types); i++)
		(void)!rlp_u64(&b, 110);
	(void)!rlp_list_end(&b, in);
	in = rlp_list_begin(&b);
	for (unsigned i = 0; i < sizeof(types); i++) {
		hash[0] = (uint8_t)(i + 1);
		(void)!rlp_bytes(&b, hash, sizeof(hash));
	}
	(void)!(rlp_list_end(&b, in) | rlp_list_end(&b, all));
	say_buf(l, ETH + ETH_NEW_POOLED_HASHES, &b);
	atomic_store(&l->n->announce, 0);
}

static void announce(struct link *l, int how)
{
	struct p2p_node *n = l->n;
	const unsigned branch = atomic_load(&n->branch), top = atomic_load(&n->top);
	const struct buf *h = &n->header[branch][top];
	size_t all, in;
	struct buf b;

	buf_init(&b, 1 << 16);
	all = rlp_list_begin(&b);
	if (how == 3) {
		(void)!(rlp_u64(&b, 0) | rlp_u64(&b, top) | rlp_bytes(&b, n->hash[branch][top].b, 32));
	} else {
		in = rlp_list_begin(&b);
		if (how == 1)
			(void)!(rlp_bytes(&b, n->hash[branch][top].b, 32) | rlp_u64(&b, top));
		else
			(void)!(buf_add(&b, h->p, h->len) | buf_add(&b, "\xc0\xc0", 2));
		(void)!rlp_list_end(&b, in);
		if (how == 2)
			(void)!rlp_u64(&b, 17);
	}
	(void)!rlp_list_end(&b, all);
	say_buf(l, ETH + (how == 1 ? ETH_NEW_BLOCK_HASHES : how == 2 ? ETH_NEW_BLOCK : ETH_BLOCK_RANGE_UPDATE), &b);
	atomic_store(&n->announce, 0);
}

static void flush(struct link *l)
{
	const uint8_t *p;
	size_t n;

	while ((p = rlpx_out(l->r, &n)) != NULL && n > 0) {
		ssize_t k = send(l->fd, p, n < PIECE ? n : PIECE, MSG_NOSIGNAL);

		if (k <= 0) {
			l->over = true;
			return;
		}
		rlpx_sent(l->r, (size_t)k);
		atomic_fetch_add(&l->n->pieces, 1);
	}
}

/* Random bytes, so that the frame is as long as its message. */
static void flood(struct link *l, struct buf *big)
{
	uint64_t x = 88172645463325252u;

	if (big->len == 0) {
		while (big->len < RLPX_MESSAGE_MAX) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			assert_int_equal(buf_add(big, (const char *)&x, sizeof(x)), ST_OK);
		}
	}
	say(l, ETH + ETH_TRANSACTIONS, big->p, big->len);
	flush(l);
	atomic_fetch_add(&l->n->flooded, 1);
}

static void converse(struct p2p_node *n, int fd)
{
	const struct rlpx_opts o = { .role = RLPX_RECIPIENT, .key = n->key };
	struct link l = { .n = n, .fd = fd };
	struct rlpx_msg m;
	struct err e;
	struct buf big;
	bool met = false;

	buf_init(&big, RLPX_MESSAGE_MAX + 8);
	if (rlpx_new(&l.r, &o, &e) != ST_OK)
		return;
	while (!l.over && !atomic_load(&n->stop) && !atomic_load(&n->hang_up)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int how = atomic_load(&n->announce);
		enum status st;
		uint8_t *at;
		size_t room;
		ssize_t k;

		if (how == 4 && met)
			announce_txs(&l);
		else if (how && met)
			announce(&l, how);
		if (atomic_exchange(&n->leave, false)) {
			say_bye(&l, P2P_TOO_MANY);
			l.over = true;
		}
		if (how && met)
			atomic_store(&n->announced_ns, time_mono());
		flush(&l);
		if (met && n->act == NODE_FLOODS)
			flood(&l, &big);
		if (poll(&p, 1, 5) <= 0)
			continue;
		at = rlpx_space(l.r, &room);
		k = recv(fd, at, room, 0);
		if (k <= 0)
			break;
		rlpx_received(l.r, (size_t)k, time_mono(), time_wall());
		while ((st = rlpx_next(l.r, &m, &e)) == ST_OK) {
			met |= m.code == ETH + ETH_STATUS;
			hear(&l, &m);
		}
		if (st != ST_AGAIN)
			l.over = true;
		flush(&l);
	}
	rlpx_free(l.r);
	buf_fini(&big);
}

static void misbehave(struct p2p_node *n, int fd)
{
	uint8_t junk[600];
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (n->act == NODE_GARBAGE) {
		memset(junk, 0x5a, sizeof(junk));
		junk[0] = 1;
		junk[1] = 0;
		(void)!recv(fd, junk + 2, 1, 0);
		(void)!send(fd, junk, sizeof(junk), MSG_NOSIGNAL);
	}
	while (n->act != NODE_CLOSES && !atomic_load(&n->stop)) {
		if (poll(&p, 1, 5) > 0 && recv(fd, junk, sizeof(junk), 0) <= 0)
			return;
	}
}

static void *node_main(void *arg)
{
	struct p2p_node *n = arg;
	struct err e;
	int fd;

	while (!atomic_load(&n->stop)) {
		if (listen_accept(n->fd, 20, &fd, &e) != ST_OK)
			continue;
		atomic_fetch_add(&n->accepted, 1);
		atomic_store(&n->hang_up, false);
		if (n->act == NODE_CLOSES || n->act == NODE_SILENT || n->act == NODE_GARBAGE)
			misbehave(n, fd);
		else
			converse(n, fd);
		close(fd);
	}
	return NULL;
}

void p2p_node_start(struct p2p_node *n)
{
	struct enode name = { .host = "127.0.0.1" };
	struct curve *c;
	char text[ENODE_TEXT];
	struct err e;

	for (unsigned b = 0; b < 2; b++) {
		for (unsigned i = 0; i < NODE_CHAIN; i++)
			make_header(n, b, i);
	}
	for (unsigned i = 0; i < NODE_CHAIN; i++)
		buf_init(&n->body[i], 1 << 20);
	if (n->chain)
		n->chain(n);
	assert_int_equal(curve_new(&c, &e), ST_OK);
	assert_true(curve_key(c, n->key) && curve_pub(c, n->key, name.id));
	curve_free(c);
	assert_int_equal(listen_open(&n->fd, &name.port, &e), ST_OK);
	snprintf(n->url, sizeof(n->url), "%s", enode_print(text, &name));
	assert_int_equal(pthread_create(&n->thread, NULL, node_main, n), 0);
}

void p2p_node_stop(struct p2p_node *n)
{
	atomic_store(&n->stop, true);
	pthread_join(n->thread, NULL);
	close(n->fd);
	for (unsigned b = 0; b < 2; b++) {
		for (unsigned i = 0; i < NODE_CHAIN; i++)
			buf_fini(&n->header[b][i]);
	}
	for (unsigned i = 0; i < NODE_CHAIN; i++)
		buf_fini(&n->body[i]);
}
