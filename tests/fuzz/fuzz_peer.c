/*
 * net/devp2p/peer: a node that has the keys and says what it likes, when it likes. The input is a
 * list of [code, size, data]; code 0xff lets time pass. First byte: bit 0 says a proper Hello
 * first, bit 1 a proper Status, bit 2 asks for headers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "net/devp2p/peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t now;

static void to_peer(struct rlpx *from, struct peer *to)
{
	const uint8_t *p;
	size_t n, room;
	uint8_t *at;

	while ((p = rlpx_out(from, &n)) != NULL) {
		at = peer_space(to, &room);
		if (at == NULL)
			abort();
		if (n > room)
			n = room;
		memcpy(at, p, n);
		peer_received(to, n, now, now);
		rlpx_sent(from, n);
	}
}

static void drain(struct rlpx *node, struct peer *peer)
{
	struct peer_event ev;
	struct rlpx_msg m;
	struct err e;
	const uint8_t *p;
	size_t n, room;
	uint8_t *at;
	enum status st;

	while ((st = peer_next(peer, now, &ev, &e)) == ST_OK)
		if (memchr(ev.text, 0, sizeof(ev.text)) == NULL)
			abort();
	if (st != ST_AGAIN && (peer_phase(peer) != PEER_DEAD || e.text[0] == '\0'))
		abort();
	if (st == ST_AGAIN && peer_deadline(peer) <= now)
		abort(); /* the owner would spin */
	while ((p = peer_out(peer, &n)) != NULL) {
		at = rlpx_space(node, &room);
		if (at == NULL)
			abort();
		if (n > room)
			n = room;
		memcpy(at, p, n);
		rlpx_received(node, n, now, now);
		peer_sent(peer, n);
	}
	/* What we send is always well formed. */
	while ((st = rlpx_next(node, &m, &e)) == ST_OK)
		;
	if (st != ST_AGAIN)
		abort();
}

static void say(struct rlpx *node, struct peer *peer, unsigned code, const void *p, size_t n)
{
	struct err e;

	if (rlpx_send(node, code, p, n, &e) != ST_OK)
		return;
	to_peer(node, peer);
	drain(node, peer);
}

static void proper(struct rlpx *node, struct peer *peer, bool with_status)
{
	struct p2p_hello h = { .version = 5, .client = "x", .n_caps = 1, .caps = { { "eth", 69 } } };
	struct eth_status s = { .version = 69, .network = 1, .earliest = 1, .latest = 2 };
	struct buf b;

	memcpy(h.id, rlpx_own(node), CURVE_PUB);
	buf_init(&b, 4096);
	if (p2p_hello_encode(&b, &h) != ST_OK)
		abort();
	say(node, peer, P2P_HELLO, b.p, b.len);
	rlpx_hello_done(node, true);
	if (with_status) {
		buf_clear(&b);
		if (eth_status_encode(&b, &s) != ST_OK)
			abort();
		say(node, peer, 0x10, b.p, b.len);
	}
	buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[32] = { [31] = 3 }, other[32] = { [31] = 5 };
	const struct rlpx_opts ro = { .role = RLPX_RECIPIENT, .key = key };
	struct peer_opts po = { .role = RLPX_INITIATOR, .key = other };
	struct peer *peer;
	struct rlpx *node;
	struct rlpx_msg m;
	struct err e;
	uint64_t id;
	size_t n;
	const uint8_t *p;
	uint8_t *at;

	if (size < 1)
		return 0;
	now = NS_S;
	if (rlpx_new(&node, &ro, &e) != ST_OK)
		abort();
	po.remote = rlpx_own(node);
	if (peer_new(&peer, &po, now, &e) != ST_OK)
		abort();
	p = peer_out(peer, &n);
	at = rlpx_space(node, &(size_t){ 0 });
	memcpy(at, p, n);
	rlpx_received(node, n, now, now);
	peer_sent(peer, n);
	if (rlpx_next(node, &m, &e) != ST_AGAIN)
		abort();
	to_peer(node, peer);
	drain(node, peer);
	if (data[0] & 1)
		proper(node, peer, data[0] & 2);
	if (data[0] & 4 && peer_phase(peer) == PEER_LIVE)
		for (unsigned i = 0; i < 3; i++)
			if (peer_get_headers(peer, now, NULL, i, 1 + i, i & 1, &id, &e) != ST_OK)
				abort();
	for (size_t i = 1; i + 2 <= size;) {
		const size_t want = data[i + 1], left = size - i - 2;
		const size_t k = want < left ? want : left;

		if (data[i] == 0xff) {
			now += want * NS_S / 4;
			drain(node, peer);
		} else {
			say(node, peer, data[i], data + i + 2, k);
		}
		i += 2 + k;
	}
	peer_eof(peer, &e);
	peer_free(peer);
	rlpx_free(node);
	return 0;
}
