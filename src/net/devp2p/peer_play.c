/* Conversations that were recorded; see peer.h. */
#include <stdlib.h>
#include <string.h>

#include "net/devp2p/peer_priv.h"

enum status peer_new_played(struct peer **out, unsigned version, struct err *e)
{
	struct peer *const p = calloc(1, sizeof(*p));
	unsigned n;
	const struct p2p_proto *const ours = eth_protocols(&n);

	*out = NULL;
	if (p == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	buf_init(&p->out, 1024 * 1024);
	p->phase = PEER_GREETING;
	p->o.ping_ns = UINT64_MAX;
	p->ping_ns = UINT64_MAX;
	p->stats.reason = P2P_NO_REASON;
	p->tokens = UINT64_MAX / 2;
	for (unsigned i = 0; i < n && version != 0; i++)
		if (p->proto == NULL || ours[i].version == version)
			p->proto = &ours[i];
	if (p->proto != NULL) {
		p->offset = P2P_CODES; /* we offer nothing besides eth */
		p->phase = PEER_LIVE;
		p->said_status = true;
	}
	*out = p;
	return ST_OK;
}

enum status peer_play_in(struct peer *p, const struct rlpx_msg *m, struct peer_event *ev, struct err *e)
{
	if (p->phase == PEER_DEAD) {
		*e = p->why;
		return e->code;
	}
	p->now_ns = m->mark.ns;
	return peer_handle(p, m, m->mark.ns, ev, e);
}

/* [start, limit, skip, reverse] */
static bool read_range(struct rlp r, struct request *q)
{
	struct rlp_item start, limit, skip, reverse;
	uint64_t n, back;

	if (!rlp_next(&r, &start) || !rlp_next(&r, &limit) || !rlp_next(&r, &skip) || !rlp_next(&r, &reverse) || start.list ||
		!rlp_item_u64(&limit, &n) || !rlp_item_u64(&reverse, &back))
		return false;
	q->by_hash = start.n == sizeof(q->hash.b);
	if (q->by_hash)
		memcpy(q->hash.b, start.p, sizeof(q->hash.b));
	else if (!rlp_item_u64(&start, &q->number))
		return false;
	q->limit = n > ETH_HEADERS_MAX ? ETH_HEADERS_MAX : (unsigned)n;
	q->reverse = back != 0;
	return true;
}

static bool read_request(unsigned code, const void *data, size_t n, struct request *q)
{
	struct eth_reply r;
	struct rlp_item hash;
	struct err e;

	if (eth_reply_decode(data, n, &r, &e) != ST_OK)
		return false;
	q->id = r.id;
	q->want = code == ETH_GET_BLOCK_HEADERS ? PEER_WANT_HEADERS : PEER_WANT_BODIES;
	if (q->want == PEER_WANT_HEADERS)
		return read_range(r.list, q);
	for (; rlp_next(&r.list, &hash); q->limit++) {
		if (hash.list || hash.n != sizeof(q->hash.b))
			return false;
		if (q->limit == 0)
			memcpy(q->hash.b, hash.p, sizeof(q->hash.b));
	}
	return q->limit > 0;
}

/* The place of a request, the oldest one's if all are taken: that one's answer never came. */
static struct request *place(struct peer *p)
{
	struct request *oldest = &p->requests[0];

	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++) {
		if (!p->requests[i].used)
			return &p->requests[i];
		if (p->requests[i].sent_ns < oldest->sent_ns)
			oldest = &p->requests[i];
	}
	return oldest;
}

bool peer_play_out(struct peer *p, uint64_t code, const void *data, size_t n, uint64_t now_ns, uint64_t *id, struct hash *hash,
	uint64_t *number, unsigned *limit)
{
	struct request q = { .used = true, .sent_ns = now_ns };

	if (code == P2P_PING) {
		p->pinged_ns = now_ns;
		p->pong_due_ns = UINT64_MAX;
	}
	if (p->proto == NULL || (code != p->offset + ETH_GET_BLOCK_HEADERS && code != p->offset + ETH_GET_BLOCK_BODIES) ||
		!read_request((unsigned)(code - p->offset), data, n, &q))
		return false;
	*place(p) = q;
	*id = q.id;
	*hash = q.hash;
	*number = q.number;
	*limit = q.limit;
	return true;
}

bool peer_play_timeout(struct peer *p, uint64_t id, uint64_t now_ns, struct peer_event *ev)
{
	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++) {
		if (!p->requests[i].used || p->requests[i].id != id)
			continue;
		peer_expire(&p->requests[i], now_ns, ev);
		return true;
	}
	return false;
}
