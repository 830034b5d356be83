#include "feed/feed_p2p.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"

/* ---- the recording ---- */

/* A node's id names it as its address does: neither belongs into a recording. */
static void blank_id(uint8_t *data, size_t n, const uint8_t *id)
{
	uint8_t *at = memmem(data, n, id, CURVE_PUB);

	if (at)
		memset(at, 0, CURVE_PUB);
}

static void tap_message_in(void *ctx, const struct rlpx_msg *m)
{
	struct feed_p2p *p = ctx;
	uint8_t hello[RLPX_HELLO_MAX];
	const uint8_t *data = m->data;

	if (m->code == P2P_HELLO && m->n <= sizeof(hello)) {
		memcpy(hello, m->data, m->n);
		blank_id(hello, m->n, peer_remote(dial_peer(p->dial)));
		data = hello;
	}
	tap_p2p_in(p->rec, m->code, data, m->n, m->wire, m->mark.ns, m->mark.wall);
}

static void tap_message_out(void *ctx, uint64_t code, const void *data, size_t n, uint64_t now_ns)
{
	struct feed_p2p *p = ctx;
	const struct p2p_ask *a = p->wire.sending;

	tap_p2p_out(p->rec, code, data, n, now_ns, time_wall(), a ? a->asked : now_ns, a ? a->attempt : 0,
		    a ? wire_p2p_ask(a) : 0);
}

static void tap_taken(void *ctx, uint64_t done_ns, uint32_t took_us)
{
	struct feed_p2p *p = ctx;

	tap_block(p->rec, done_ns, true, took_us);
}

static void tap_timeout(void *ctx, uint64_t id, const struct err *e, uint64_t now_ns, uint64_t now_wall)
{
	struct feed_p2p *p = ctx;

	tap_fail(p->rec, id, e, 0, now_ns, now_wall);
}

/* ---- life ---- */

enum status feed_p2p_new(struct feed_p2p **out, const struct p2p_opts *o, const struct p2p_hooks *h, const uint8_t *key,
			 uint64_t retry_ns, struct rec_tap *rec)
{
	struct feed_p2p *p = calloc(1, sizeof(*p));
	enum status st;

	*out = NULL;
	if (!p)
		return ST_NOMEM;
	st = wire_p2p_init(&p->wire, o, h);
	if (st != ST_OK) {
		free(p);
		return st;
	}
	p->rec = rec;
	p->has_key = key != NULL;
	if (key)
		memcpy(p->key, key, sizeof(p->key));
	p->retry_ns = retry_ns ? retry_ns : PEER_BACKOFF_S * NS_S;
	p->tap = (struct peer_tap){ .ctx = p, .in = tap_message_in, .out = tap_message_out };
	if (rec->q)
		p->wire.tap = (struct p2p_tap){ .ctx = p, .took_block = tap_taken, .gave_up = tap_timeout };
	*out = p;
	return ST_OK;
}

void feed_p2p_free(struct feed_p2p *p)
{
	if (!p)
		return;
	wire_p2p_fini(&p->wire);
	explicit_bzero(p->key, sizeof(p->key));
	free(p);
}

/* ---- a connection ---- */

enum status feed_p2p_open(struct feed_p2p *p, struct net_loop *l, const struct url *u, const struct net_opts *net, struct err *e)
{
	enum status st = dial_open(&p->dial, l, u, net, p->has_key ? p->key : NULL, e);

	if (st != ST_OK)
		return st;
	if (p->rec->q)
		dial_tap(p->dial, &p->tap);
	tap_open(p->rec, time_mono(), time_wall());
	return ST_OK;
}

/* Why the node left, in its own words. */
static void say_left(struct feed_p2p *p)
{
	struct event e = { .kind = EV_PEER_LEFT, .mono = time_mono(), .wall = time_wall() };
	struct peer_stats s;

	peer_stats(dial_peer(p->dial), &s);
	if (!s.disconnected)
		return;
	e.u.left.reason = s.reason;
	p2p_emit(&p->wire, &e, true);
}

void feed_p2p_close(struct feed_p2p *p, enum p2p_reason reason)
{
	uint64_t in = 0, out = 0;

	if (!p->dial)
		return;
	wire_p2p_lost(&p->wire);
	if (dial_peer(p->dial)) {
		say_left(p);
		peer_count_add(&p->closed, dial_peer(p->dial), dial_tcp_rtt(p->dial));
	}
	dial_bytes(p->dial, &in, &out);
	p->bytes_in += in;
	p->bytes_out += out;
	dial_close(p->dial, reason);
	tap_close(p->rec, time_mono(), time_wall());
	p->dial = NULL;
}

enum status feed_p2p_service(struct feed_p2p *p, struct net_phases *phases, bool *stood, struct err *e)
{
	struct peer_event ev;
	enum status st;

	while ((st = dial_next(p->dial, &ev, e)) == ST_OK) {
		*phases = *dial_phases(p->dial);
		*stood |= ev.kind == PEER_STATUS;
		wire_p2p_event(&p->wire, dial_peer(p->dial), &ev);
	}
	if (st == ST_AGAIN)
		st = wire_p2p_tick(&p->wire, e);
	if (st != ST_OK)
		return st;
	dial_flush(p->dial);
	return ST_OK;
}

uint64_t feed_p2p_next(const struct feed_p2p *p)
{
	uint64_t t = dial_deadline(p->dial), d = wire_p2p_next(&p->wire);

	return d < t ? d : t;
}

/* ---- counters ---- */

void feed_p2p_traffic(const struct feed_p2p *p, struct event *e)
{
	uint64_t in = 0, out = 0;

	if (p->dial)
		dial_bytes(p->dial, &in, &out);
	e->u.traffic.bytes_in = p->bytes_in + in;
	e->u.traffic.bytes_out = p->bytes_out + out;
	e->u.traffic.calls = p->wire.calls;
	e->u.traffic.notes = p->wire.notes;
	e->u.traffic.odd = p->wire.odd;
	e->u.traffic.bodies = p->wire.bodies;
}

void feed_p2p_say_count(struct feed_p2p *p)
{
	struct event e = { .mono = time_mono(), .wall = time_wall() };
	struct peer *peer = p->dial ? dial_peer(p->dial) : NULL;

	peer_count_event(&e, &p->closed, peer, peer ? dial_tcp_rtt(p->dial) : UINT64_MAX);
	p2p_emit(&p->wire, &e, false);
}
