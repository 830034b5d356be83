/*
 * chaintop's side in tests with other implementations of RLPx: a whole conversation over a real
 * socket, as initiator or recipient, checked message by message.
 *
 *	rlpx_peer chain FILE N                     writes a chain of N blocks (RLP, one behind the other)
 *	rlpx_peer dial ENODE CHAIN FLOOD [ETH]     all headers and bodies of CHAIN, then FLOOD messages each way
 *	rlpx_peer listen FLOOD [ETH]               the same as recipient; prints its enode URL first
 *
 * ETH: the only version of eth to offer. Exit 0 if all was as it should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "eth/block_rlp.h"
#include "eth/keccak.h"
#include "eth/trie.h"
#include "net/devp2p/enode.h"
#include "net/devp2p/listen.h"
#include "net/devp2p/peer.h"

enum { BATCH = 64, CHAIN_MAX = 4096, SIZE_MAX_BYTES = 40000, QUEUE = 512 * 1024 };

static void die(const char *what, const struct err *e)
{
	fprintf(stderr, "rlpx_peer: %s%s%s\n", what, e != NULL ? ": " : "", e != NULL ? e->text : "");
	exit(1);
}

/* ---- a chain ---- */

struct chain {
	uint8_t *bytes;
	unsigned n;
	struct block_parts parts[CHAIN_MAX];
	struct hash hash[CHAIN_MAX];
};

static void need(enum status st)
{
	if (st != ST_OK)
		die("out of memory", NULL);
}

/* Transactions whose signatures are made up: nobody recovers senders here. */
static void put_txs(struct buf *b, unsigned block, struct hash *root)
{
	struct trie_value values[8];
	size_t at[9];
	const unsigned n = block % 8;
	const size_t list = rlp_list_begin(b);

	for (unsigned i = 0; i < n; i++) {
		static const uint8_t text[300] = { 0xab };
		const size_t tx = rlp_list_begin(b);

		at[i] = b->len;
		need(rlp_u64(b, i) | rlp_u64(b, 1000000007) | rlp_u64(b, 21000) | rlp_bytes(b, text, 20) |
			rlp_u64(b, block) | rlp_bytes(b, text, 37 * i) | rlp_u64(b, 27) | rlp_u64(b, 77 + i) |
			rlp_u64(b, 88 + block) | rlp_list_end(b, tx));
	}
	at[n] = b->len;
	for (unsigned i = 0; i < n; i++)
		values[i] = (struct trie_value){ .p = (uint8_t *)b->p + at[i], .n = at[i + 1] - at[i] };
	trie_root(values, n, root);
	need(rlp_list_end(b, list));
}

static int make_chain(const char *file, unsigned n)
{
	static const uint8_t zero[256];
	struct hash parent = { { 0 } }, root, empty_uncles;
	FILE *const f = fopen(file, "wb");

	if (f == NULL)
		die(file, NULL);
	keccak256("\xc0", 1, empty_uncles.b);
	for (unsigned i = 0; i < n; i++) {
		struct buf block, header, txs;
		size_t mark, all;

		buf_init(&block, 1 << 20);
		buf_init(&header, 1 << 12);
		buf_init(&txs, 1 << 20);
		put_txs(&txs, i, &root);
		mark = rlp_list_begin(&header);
		need(rlp_bytes(&header, parent.b, 32) | rlp_bytes(&header, empty_uncles.b, 32) |
			rlp_bytes(&header, zero, 20) | rlp_bytes(&header, zero, 32) | rlp_bytes(&header, root.b, 32) |
			rlp_bytes(&header, zero, 32) | rlp_bytes(&header, zero, 256) | rlp_u64(&header, 0) |
			rlp_u64(&header, i) | rlp_u64(&header, 30000000) | rlp_u64(&header, 21000 * (i % 8)) |
			rlp_u64(&header, 1700000000 + 12 * i) | rlp_bytes(&header, "chaintop", 8) |
			rlp_bytes(&header, zero, 32) | rlp_bytes(&header, zero, 8) | rlp_u64(&header, 1000000000) |
			rlp_list_end(&header, mark));
		keccak256(header.p, header.len, parent.b);
		all = rlp_list_begin(&block);
		need(buf_add(&block, header.p, header.len) | buf_add(&block, txs.p, txs.len) |
			buf_add(&block, "\xc0", 1) | rlp_list_end(&block, all));
		if (fwrite(block.p, 1, block.len, f) != block.len)
			die(file, NULL);
		buf_fini(&block);
		buf_fini(&header);
		buf_fini(&txs);
	}
	return fclose(f) == 0 ? 0 : 1;
}

static void read_chain(struct chain *c, const char *file)
{
	FILE *const f = fopen(file, "rb");
	struct rlp_item block;
	struct rlp r, in;
	long n;

	if (f == NULL)
		die(file, NULL);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	c->bytes = malloc((size_t)n);
	if (c->bytes == NULL || fread(c->bytes, 1, (size_t)n, f) != (size_t)n)
		die(file, NULL);
	fclose(f);
	rlp_init(&r, c->bytes, (size_t)n);
	while (c->n < CHAIN_MAX && rlp_next(&r, &block)) {
		struct block_parts *const p = &c->parts[c->n];
		struct rlp_item header;

		rlp_init(&in, block.p, block.n);
		if (!rlp_next(&in, &header) || !rlp_next(&in, &p->txs) || !rlp_next(&in, &p->uncles))
			die("the chain file is broken", NULL);
		p->header = header.raw;
		p->header_n = header.raw_n;
		keccak256(header.raw, header.raw_n, c->hash[c->n++].b);
	}
}

/* ---- the flood: message i has a size and content that both sides know ---- */

static size_t flood_size(unsigned i)
{
	const uint32_t v = i * 2654435761u; /* Knuth's multiplicative hash */

	return i % 100 == 99 ? v % SIZE_MAX_BYTES : v % 1500;
}

static void pattern(uint8_t *p, size_t n)
{
	uint32_t v = (uint32_t)n;

	for (size_t i = 0; i < n; i++) {
		v = v * 1664525 + 1013904223;
		p[i] = (uint8_t)(v >> 24);
	}
}

/* [bytes], as a message of Transactions: every implementation hands those out. */
static size_t flood_message(unsigned i, uint8_t *out)
{
	static uint8_t data[SIZE_MAX_BYTES];
	const size_t n = flood_size(i);
	uint8_t *end, *start;

	pattern(data, n);
	end = rlp_put_bytes(out + RLP_HEADER_MAX, data, n);
	start = rlp_put_list(out + RLP_HEADER_MAX, (size_t)(end - out) - RLP_HEADER_MAX);
	memmove(out, start, (size_t)(end - start));
	return (size_t)(end - start);
}

/* ---- a conversation ---- */

struct talk {
	struct peer *p;
	int fd;
	struct chain *chain; /* NULL: nothing to ask for */
	struct verifier *ver;
	unsigned headers, bodies, flood, sent, got, pongs, asked;
	uint64_t began, ready_ns, rtt_ns, id;
	bool eof;
};

static void check_headers(struct talk *t, struct peer_event *ev)
{
	struct rlp_item i;

	while (rlp_next(&ev->u.answer.list, &i)) {
		struct hash h;

		keccak256(i.raw, i.raw_n, h.b);
		if (!hash_eq(&h, &t->chain->hash[t->headers]))
			die("another header", NULL);
		t->headers++;
	}
}

static void check_bodies(struct talk *t, struct peer_event *ev)
{
	struct rlp_item i;

	while (rlp_next(&ev->u.answer.list, &i)) {
		struct eth_new_block body;
		struct block_parts parts = t->chain->parts[t->bodies];
		struct verdict v;
		struct block *b;
		struct err e;

		if (eth_body_decode(&i, &body, &e) != ST_OK)
			die("body", &e);
		parts.txs = body.txs;
		parts.uncles = body.uncles;
		parts.withdrawals = body.withdrawals;
		if (block_from_rlp(&parts, &b, &e) != ST_OK)
			die("block", &e);
		if (verify_block(t->ver, b, 1, &v) != ST_OK || v.header != TRUTH_YES || v.txs != TRUTH_YES)
			die("the body is not of this header", NULL);
		block_unref(b);
		t->bodies++;
	}
}

static void ask_more(struct talk *t, uint64_t now)
{
	struct err e;
	enum status st = ST_OK;

	if (t->chain == NULL)
		return;
	if (t->headers < t->chain->n)
		st = peer_get_headers(t->p, now, t->headers % 2 ? &t->chain->hash[t->headers] : NULL, t->headers,
			BATCH - 1, false, &t->id, &e);
	else if (t->bodies < t->chain->n)
		st = peer_get_bodies(t->p, now, &t->chain->hash[t->bodies],
			t->chain->n - t->bodies < BATCH ? t->chain->n - t->bodies : BATCH, &t->id, &e);
	if (st != ST_OK)
		die("request", &e);
}

static void expect_flood(struct talk *t, struct rlpx_msg *m)
{
	static uint8_t want[SIZE_MAX_BYTES + 16];
	const size_t n = flood_message(t->got, want);

	if (m->n != n || memcmp(m->data, want, n) != 0)
		die("a message of the flood is another one", NULL);
	t->got++;
}

static void on_event(struct talk *t, struct peer_event *ev, uint64_t now)
{
	struct err e;

	switch (ev->kind) {
	case PEER_HELLO: printf("hello %s\n", ev->u.hello->client); break;
	case PEER_STATUS:
		t->ready_ns = now - t->began;
		printf("status eth/%u network %llu\n", ev->u.status.version,
			(unsigned long long)ev->u.status.status->network);
		if (peer_ping(t->p, now, &e) != ST_OK)
			die("ping", &e);
		ask_more(t, now);
		break;
	case PEER_PONG:
		t->pongs++;
		t->rtt_ns = ev->u.rtt_ns;
		break;
	case PEER_HEADERS:
		check_headers(t, ev);
		ask_more(t, now);
		break;
	case PEER_BODIES:
		check_bodies(t, ev);
		ask_more(t, now);
		break;
	case PEER_ASKED: t->asked++; break;
	case PEER_OTHER:
		if (ev->code == ETH_TRANSACTIONS) {
			struct rlpx_msg m = { .data = ev->data, .n = ev->bytes };

			expect_flood(t, &m);
		}
		break;
	case PEER_MISS:
	case PEER_ODD: fprintf(stderr, "rlpx_peer: %s\n", ev->text); exit(1);
	default: break;
	}
}

static bool done(const struct talk *t)
{
	return peer_phase(t->p) == PEER_LIVE && t->pongs > 0 && t->sent == t->flood && t->got >= t->flood &&
		(t->chain == NULL || t->bodies == t->chain->n);
}

static void fill_queue(struct talk *t)
{
	static uint8_t message[SIZE_MAX_BYTES + 16];
	struct err e;
	size_t waiting;

	if (peer_phase(t->p) != PEER_LIVE || (t->chain != NULL && t->bodies < t->chain->n))
		return;
	while (t->sent < t->flood) {
		peer_out(t->p, &waiting);
		if (waiting > QUEUE)
			return;
		if (peer_send(t->p, ETH_TRANSACTIONS, message, flood_message(t->sent, message), &e) != ST_OK)
			die("send", &e);
		t->sent++;
	}
}

static void read_some(struct talk *t)
{
	size_t room;
	uint8_t *const to = peer_space(t->p, &room);
	const int yes = 1;
	ssize_t n;

	if (peer_in_hurry(t->p))
		setsockopt(t->fd, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof(yes));
	n = to != NULL ? recv(t->fd, to, room, MSG_DONTWAIT) : 0;
	if (n > 0)
		peer_received(t->p, (size_t)n, time_mono(), time_wall());
	else if (n == 0 || errno != EAGAIN)
		t->eof = true;
}

static void write_some(struct talk *t)
{
	size_t n;
	const uint8_t *const p = peer_out(t->p, &n);
	const ssize_t k = p != NULL ? send(t->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

	if (k > 0)
		peer_sent(t->p, (size_t)k);
	else if (k < 0 && errno != EAGAIN)
		t->eof = true;
}

static int talk(struct talk *t)
{
	struct peer_stats s;
	size_t waiting;

	while (!done(t)) {
		const uint64_t now = time_mono();
		struct peer_event ev;
		struct pollfd f = { .fd = t->fd, .events = POLLIN };
		enum status st;
		struct err e;

		if (now - t->began > 120 * NS_S)
			die("took too long", NULL);
		while ((st = peer_next(t->p, now, &ev, &e)) == ST_OK)
			on_event(t, &ev, now);
		if (st != ST_AGAIN)
			die("over", &e);
		if (t->eof) {
			peer_eof(t->p, &e);
			die("end of file", &e);
		}
		fill_queue(t);
		if (peer_out(t->p, &waiting) != NULL)
			f.events |= POLLOUT;
		if (poll(&f, 1, 100) < 0)
			die("poll", NULL);
		if (f.revents & (POLLIN | POLLHUP | POLLERR))
			read_some(t);
		if (f.revents & POLLOUT)
			write_some(t);
	}
	peer_bye(t->p, P2P_QUITTING);
	while (!t->eof && peer_out(t->p, &waiting) != NULL) {
		struct pollfd f = { .fd = t->fd, .events = POLLOUT };

		poll(&f, 1, 1000);
		write_some(t);
	}
	/* What it still sends would make our close a reset, which can overtake our good-bye. */
	shutdown(t->fd, SHUT_WR);
	for (int i = 0; i < 100 && !t->eof; i++) {
		struct pollfd f = { .fd = t->fd, .events = POLLIN };

		poll(&f, 1, PEER_GRACE_MS / 10);
		if (f.revents)
			read_some(t);
	}
	peer_stats(t->p, &s);
	printf("ok ready_ms=%.1f rtt_ms=%.2f headers=%u bodies=%u sent=%u received=%u asked=%u "
	       "reads=%llu writes=%llu frames_in=%llu frames_out=%llu\n",
		(double)t->ready_ns / 1e6, (double)t->rtt_ns / 1e6, t->headers, t->bodies, t->sent, t->got, t->asked,
		(unsigned long long)s.reads, (unsigned long long)s.writes, (unsigned long long)s.wire.frames_in,
		(unsigned long long)s.wire.frames_out);
	return 0;
}

static int run(struct talk *t, struct peer_opts *o, int listener)
{
	struct err e;
	int code;

	t->ver = verifier_new();
	if (listener >= 0 && listen_accept(listener, 30000, &t->fd, &e) != ST_OK)
		die("accept", &e);
	t->began = time_mono();
	if (peer_new(&t->p, o, t->began, &e) != ST_OK)
		die("peer", &e);
	code = talk(t);
	close(t->fd);
	peer_free(t->p);
	verifier_free(t->ver);
	return code;
}

static int dial(char **arg, int n)
{
	static struct chain chain;
	struct talk t = { .chain = &chain, .flood = (unsigned)strtoul(arg[2], NULL, 10) };
	struct enode node;
	struct peer_opts o = { .role = RLPX_INITIATOR, .client = "chaintop/test" };
	struct err e;

	if (enode_parse(&node, arg[0], &e) != ST_OK)
		die("enode", &e);
	read_chain(&chain, arg[1]);
	o.remote = node.id;
	if (n > 3)
		o.only_version = (unsigned)strtoul(arg[3], NULL, 10);
	if (listen_connect(&t.fd, node.port, &e) != ST_OK)
		die("connect", &e);
	n = run(&t, &o, -1);
	free(chain.bytes);
	return n;
}

static int await(char **arg, int n)
{
	struct talk t = { .flood = (unsigned)strtoul(arg[0], NULL, 10) };
	struct peer_opts o = { .role = RLPX_RECIPIENT, .client = "chaintop/test" };
	struct enode self = { .host = "127.0.0.1" };
	uint8_t key[CURVE_KEY];
	char text[ENODE_TEXT];
	struct curve *c;
	struct err e;
	int l;

	if (n > 1)
		o.only_version = (unsigned)strtoul(arg[1], NULL, 10);
	if (listen_open(&l, &self.port, &e) != ST_OK)
		die("listen", &e);
	if (curve_new(&c, &e) != ST_OK || !curve_key(c, key) || !curve_pub(c, key, self.id))
		die("key", NULL);
	curve_free(c);
	o.key = key;
	printf("%s\n", enode_print(text, &self));
	fflush(stdout);
	n = run(&t, &o, l);
	close(l);
	return n;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "chain") == 0)
		return make_chain(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
	if (argc >= 5 && strcmp(argv[1], "dial") == 0)
		return dial(argv + 2, argc - 2);
	if (argc >= 3 && strcmp(argv[1], "listen") == 0)
		return await(argv + 2, argc - 2);
	fprintf(stderr, "usage: rlpx_peer chain FILE N | dial ENODE CHAIN FLOOD [ETH] | listen FLOOD [ETH]\n");
	return 64;
}
