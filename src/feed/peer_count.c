#include "feed/peer_count.h"

#include <string.h>

enum peer_kind peer_kind_of(unsigned code)
{
	switch (code) {
	case ETH_STATUS:
	case ETH_UPGRADE_STATUS:
	case ETH_BLOCK_RANGE_UPDATE: return PK_STATUS;
	case ETH_GET_BLOCK_HEADERS:
	case ETH_BLOCK_HEADERS: return PK_HEADERS;
	case ETH_GET_BLOCK_BODIES:
	case ETH_BLOCK_BODIES: return PK_BODIES;
	case ETH_NEW_BLOCK_HASHES:
	case ETH_NEW_BLOCK: return PK_BLOCKS;
	case ETH_TRANSACTIONS:
	case ETH_NEW_POOLED_HASHES:
	case ETH_GET_POOLED:
	case ETH_POOLED: return PK_TXS;
	default: return PK_OTHER;
	}
}

void peer_count_add(struct peer_count *c, const struct peer *p, uint64_t tcp_ns)
{
	struct peer_stats s;

	peer_stats(p, &s);
	if (s.rtt_ns)
		c->ping_ns = s.rtt_ns;
	if (tcp_ns != UINT64_MAX)
		c->tcp_ns = tcp_ns;
	c->frames_in += s.wire.frames_in;
	c->frames_out += s.wire.frames_out;
	c->reads += s.reads;
	c->writes += s.writes;
	c->in[PK_BASE] += s.base_in;
	c->out[PK_BASE] += s.base_out;
	c->in_bytes[PK_BASE] += s.base_in_bytes;
	c->out_bytes[PK_BASE] += s.base_out_bytes;
	for (unsigned code = 0; code < ETH_CODES; code++) {
		const enum peer_kind k = peer_kind_of(code);

		c->in[k] += s.in[code];
		c->out[k] += s.out[code];
		c->in_bytes[k] += s.in_bytes[code];
		c->out_bytes[k] += s.out_bytes[code];
	}
}

static uint32_t fit32(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

void peer_count_event(struct event *e, const struct peer_count *closed, const struct peer *p, uint64_t tcp_ns)
{
	struct peer_count c = *closed;

	e->kind = EV_PEER_COUNT;
	if (p)
		peer_count_add(&c, p, tcp_ns);
	e->u.count.ping_ns = c.ping_ns ? c.ping_ns : UINT64_MAX;
	e->u.count.tcp_ns = c.tcp_ns ? c.tcp_ns : UINT64_MAX;
	e->u.count.frames_in = c.frames_in;
	e->u.count.frames_out = c.frames_out;
	e->u.count.reads = c.reads;
	e->u.count.writes = c.writes;
	for (unsigned k = 0; k < PK_N; k++) {
		e->u.count.kind[k].in = fit32(c.in[k]);
		e->u.count.kind[k].out = fit32(c.out[k]);
		e->u.count.kind[k].in_bytes = c.in_bytes[k];
		e->u.count.kind[k].out_bytes = c.out_bytes[k];
	}
}

bool peer_fact_event(struct event *e, const struct peer *p)
{
	const struct p2p_hello *h = peer_hello(p);
	const struct eth_status *s = peer_status(p);

	if (!h || !s)
		return false;
	e->kind = EV_PEER;
	e->u.peer.network = s->network;
	e->u.peer.genesis = s->genesis;
	memcpy(e->u.peer.fork_hash, s->fork_hash, sizeof(s->fork_hash));
	e->u.peer.fork_next = s->fork_next;
	e->u.peer.p2p = h->version > UINT8_MAX ? UINT8_MAX : (uint8_t)h->version;
	e->u.peer.eth = (uint8_t)peer_version(p);
	e->u.peer.bor = (s->has & ETH_IS_BOR) != 0;
	p2p_caps_text(e->u.peer.caps, sizeof(e->u.peer.caps), h);
	return true;
}
