#include "net/devp2p/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "net/devp2p/peer_priv.h"

enum {
	PONG_BURST = 8, /* pings answered at once, and then so many a second: */
	PONG_PER_S = 4,
	MESSAGE_OUT_MAX = 1024 * 1024, /* of ours: hashes to ask for */
};

#define SHAKE_NS (HANDSHAKE_MS * NS_MS)
#define STATUS_NS (10 * NS_S)
#define PING_NS (15 * NS_S)
#define PONG_NS (20 * NS_S)
#define FRAME_NS (30 * NS_S) /* from its first byte: a peer that drips is no peer */
#define SILENCE_NS (60 * NS_S)

/*
 * Life ------------------------------------------------------------------------------------------
 */

enum status peer_new(struct peer **out, const struct peer_opts *o, uint64_t now_ns, struct err *e)
{
	const struct rlpx_opts ro = { .role = o->role, .key = o->key, .remote = o->remote, .fixed = o->fixed };
	struct peer *const p = calloc(1, sizeof(*p));
	enum status st;

	*out = NULL;
	if (p == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	buf_init(&p->out, MESSAGE_OUT_MAX);
	st = rlpx_new(&p->rlpx, &ro, e);
	if (st != ST_OK) {
		free(p);
		return st;
	}
	p->o = *o;
	p->o.key = p->o.remote = NULL; /* the caller's, and done with */
	p->o.fixed = NULL;
	snprintf(p->client, sizeof(p->client), "%s", o->client != NULL ? o->client : "chaintop");
	if (o->status != NULL)
		p->own_status = *o->status;
	if (p->o.ping_ns == 0)
		p->o.ping_ns = PING_NS;
	p->began_ns = p->phase_ns = p->read_ns = p->token_ns = now_ns;
	p->tokens = PONG_BURST * 1000;
	p->ping_ns = UINT64_MAX;
	p->stats.reason = P2P_NO_REASON;
	*out = p;
	return ST_OK;
}

void peer_free(struct peer *p)
{
	if (p == NULL)
		return;
	rlpx_free(p->rlpx);
	buf_fini(&p->out);
	free(p);
}

uint8_t *peer_space(struct peer *p, size_t *n)
{
	return rlpx_space(p->rlpx, n);
}

void peer_received(struct peer *p, size_t n, uint64_t now_ns, uint64_t wall_ns)
{
	p->stats.reads++;
	p->read_ns = now_ns;
	rlpx_received(p->rlpx, n, now_ns, wall_ns);
}

const uint8_t *peer_out(const struct peer *p, size_t *n)
{
	return rlpx_out(p->rlpx, n);
}

void peer_sent(struct peer *p, size_t n)
{
	p->stats.writes++;
	rlpx_sent(p->rlpx, n);
}

enum peer_phase peer_phase(const struct peer *p)
{
	return p->phase;
}

const char *peer_doing(const struct peer *p)
{
	static const char *const words[] = {
		[PEER_SHAKING] = "RLPx",
		[PEER_GREETING] = "Hello",
		[PEER_MATCHING] = "Status",
		[PEER_LIVE] = "",
		[PEER_DEAD] = "",
	};

	return words[p->phase];
}

void peer_enter(struct peer *p, enum peer_phase phase, uint64_t now_ns)
{
	p->phase = phase;
	p->phase_ns = now_ns;
}

enum status peer_die(struct peer *p, const struct err *e, int reason)
{
	if (reason != P2P_NO_REASON)
		peer_bye(p, (enum p2p_reason)reason);
	p->why = *e;
	p->phase = PEER_DEAD;
	return e->code;
}

/*
 * Sending ---------------------------------------------------------------------------------------
 */

enum status peer_queue(struct peer *p, uint64_t code, const void *data, size_t n, struct err *e)
{
	enum status st;

	if (p->rlpx == NULL)
		return ST_OK;
	st = rlpx_send(p->rlpx, code, data, n, e);
	if (st == ST_OK && p->o.tap != NULL && code != P2P_HELLO)
		p->o.tap->out(p->o.tap->ctx, code, data, n, p->now_ns);
	return st;
}

static enum status send_base(struct peer *p, unsigned code, const void *data, size_t n, struct err *e)
{
	p->stats.base_out++;
	p->stats.base_out_bytes += n;
	return peer_queue(p, code, data, n, e);
}

void peer_bye(struct peer *p, enum p2p_reason reason)
{
	uint8_t text[4];
	struct err e;
	size_t n;

	if (p->said_bye || p->phase == PEER_DEAD || p->rlpx == NULL || !rlpx_secure(p->rlpx))
		return;
	p->said_bye = true;
	n = p2p_disconnect_encode(text, reason);
	if (send_base(p, P2P_DISCONNECT, text, n, &e) != ST_OK)
		return; /* it will see the connection close */
}

enum status peer_send(struct peer *p, unsigned code, const void *data, size_t n, struct err *e)
{
	enum status st;

	if (p->proto == NULL || code >= p->proto->length || p->said_bye || p->phase == PEER_DEAD)
		return err_set(e, ST_INTERNAL, "devp2p: message 0x%02x at a wrong time", code);
	st = peer_queue(p, p->offset + code, data, n, e);
	if (st == ST_OK && code < ETH_CODES) {
		p->stats.out[code]++;
		p->stats.out_bytes[code] += n;
	}
	return st;
}

static enum status say_hello(struct peer *p, struct err *e)
{
	struct p2p_hello h = { .version = P2P_VERSION };
	unsigned n;
	const struct p2p_proto *const ours = eth_protocols(&n);
	enum status st;

	snprintf(h.client, sizeof(h.client), "%s", p->client);
	for (unsigned i = 0; i < n; i++) {
		if (p->o.only_version != 0 && ours[i].version != p->o.only_version)
			continue;
		snprintf(h.caps[h.n_caps].name, sizeof(h.caps[0].name), "%s", ours[i].name);
		h.caps[h.n_caps++].version = ours[i].version;
	}
	memcpy(h.id, rlpx_own(p->rlpx), CURVE_PUB);
	buf_clear(&p->out);
	st = p2p_hello_encode(&p->out, &h);
	if (st != ST_OK)
		return err_set(e, st, "devp2p: no memory for Hello");
	return send_base(p, P2P_HELLO, p->out.p, p->out.len, e);
}

enum status peer_ping(struct peer *p, uint64_t now_ns, struct err *e)
{
	enum status st;

	if (p->pong_due_ns != 0 || p->said_bye || (p->phase != PEER_MATCHING && p->phase != PEER_LIVE))
		return ST_AGAIN;
	p->now_ns = now_ns;
	st = send_base(p, P2P_PING, "\xc0", 1, e);
	if (st != ST_OK)
		return st;
	p->pinged_ns = now_ns;
	p->pong_due_ns = now_ns + PONG_NS;
	return ST_OK;
}

/*
 * Messages of the base protocol -----------------------------------------------------------------
 */

void peer_odd(struct peer *p, struct peer_event *ev, const char *text)
{
	p->stats.odd++;
	ev->kind = PEER_ODD;
	snprintf(ev->text, sizeof(ev->text), "%s", text);
}

/* What only a live Hello has to prove: who it is from. */
static enum status accept_hello(struct peer *p, struct err *e)
{
	static const uint8_t zero[CURVE_PUB];

	/* From here on it understands what is compressed, a Disconnect too. */
	rlpx_hello_done(p->rlpx, p->hello.version >= P2P_VERSION);
	if (memcmp(p->hello.id, zero, CURVE_PUB) == 0) {
		err_set(e, ST_MALFORMED, "devp2p Hello: no node id");
		return peer_die(p, e, P2P_BAD_IDENTITY);
	}
	if (memcmp(p->hello.id, rlpx_remote(p->rlpx), CURVE_PUB) != 0) {
		err_set(e, ST_AUTH, "devp2p Hello: another node id than the handshake's");
		return peer_die(p, e, P2P_UNEXPECTED_IDENTITY);
	}
	return ST_OK;
}

static enum status on_hello(struct peer *p, const struct rlpx_msg *m, uint64_t now_ns, struct err *e)
{
	struct p2p_match match[8];
	struct p2p_proto offered[8];
	unsigned n, k = 0;
	const struct p2p_proto *const ours = eth_protocols(&n);
	char caps[100];

	if (p->phase != PEER_GREETING) {
		err_set(e, ST_MALFORMED, "devp2p: a second Hello");
		return peer_die(p, e, P2P_BREACH);
	}
	if (p2p_hello_decode(m->data, m->n, &p->hello, e) != ST_OK)
		return peer_die(p, e, P2P_BREACH);
	if (p->rlpx != NULL && accept_hello(p, e) != ST_OK)
		return e->code;
	for (unsigned i = 0; i < n; i++)
		if (p->o.only_version == 0 || ours[i].version == p->o.only_version)
			offered[k++] = ours[i];
	if (p2p_share(offered, k, &p->hello, match) == 0) {
		p2p_caps_text(caps, sizeof(caps), &p->hello);
		err_set(e, ST_UNSUPPORTED, "%s speaks no eth protocol of ours, but %s", p->hello.client,
			caps[0] != '\0' ? caps : "nothing");
		return peer_die(p, e, P2P_USELESS);
	}
	/* The table, not the copy of it: it lives as long as the program. */
	for (unsigned i = 0; i < n; i++)
		if (ours[i].version == match[0].proto->version)
			p->proto = &ours[i];
	p->offset = match[0].offset;
	peer_enter(p, PEER_MATCHING, now_ns);
	if (p->o.ping_ns != UINT64_MAX)
		p->ping_ns = now_ns + p->o.ping_ns;
	if (p->o.status != NULL && peer_say_status(p, NULL, e) != ST_OK)
		return peer_die(p, e, P2P_NO_REASON);
	return ST_OK;
}

static enum status on_disconnect(struct peer *p, const struct rlpx_msg *m, struct err *e)
{
	char words[40];

	p->stats.disconnected = true;
	p->stats.reason = p2p_reason(m->data, m->n);
	p2p_reason_text(words, sizeof(words), p->stats.reason);
	err_set_detail(e, ST_CLOSED, p->stats.reason, "the node disconnected: %s", words);
	switch (p->stats.reason) {
	case P2P_TOO_MANY: err_cure(e, "add chaintop's key as a trusted peer, or raise the node's peer limit"); break;
	case P2P_ALREADY: err_cure(e, "use another --key for a second connection"); break;
	case P2P_SUBPROTOCOL: err_cure(e, "wait %d s: the node did not like our Status", PEER_BACKOFF_S); break;
	default: break;
	}
	return peer_die(p, e, P2P_NO_REASON);
}

/* A flood of pings gets a few answers a second. */
static enum status on_ping(struct peer *p, uint64_t now_ns, struct peer_event *ev, struct err *e)
{
	const uint64_t gained = (now_ns - p->token_ns) / (NS_MS / PONG_PER_S);

	p->tokens += gained;
	if (p->tokens > PONG_BURST * 1000)
		p->tokens = PONG_BURST * 1000;
	p->token_ns += gained * (NS_MS / PONG_PER_S);
	if (p->tokens < 1000) {
		if (p->stats.pings_unanswered++ == 0) {
			peer_odd(p, ev, "more pings than anybody needs: not all are answered");
			return ST_OK;
		}
		return ST_AGAIN;
	}
	p->tokens -= 1000;
	if (send_base(p, P2P_PONG, "\xc0", 1, e) != ST_OK)
		return peer_die(p, e, P2P_NO_REASON);
	return ST_AGAIN;
}

static enum status on_pong(struct peer *p, struct peer_event *ev)
{
	if (p->pong_due_ns == 0) {
		peer_odd(p, ev, "a Pong without a Ping");
		return ST_OK;
	}
	p->pong_due_ns = 0;
	ev->kind = PEER_PONG;
	/* By the clock of the read that brought it. */
	ev->u.rtt_ns = ev->recv_ns > p->pinged_ns ? ev->recv_ns - p->pinged_ns : 0;
	p->stats.rtt_ns = ev->u.rtt_ns;
	return ST_OK;
}

/* ST_OK: an event; ST_AGAIN: none, go on; else dead. */
static enum status on_base(
	struct peer *p, const struct rlpx_msg *m, uint64_t now_ns, struct peer_event *ev, struct err *e)
{
	enum status st;

	p->stats.base_in++;
	p->stats.base_in_bytes += m->n;
	if (p->phase == PEER_GREETING && m->code != P2P_HELLO && m->code != P2P_DISCONNECT) {
		err_set(e, ST_MALFORMED, "devp2p: message 0x%02x before Hello", (unsigned)m->code);
		return peer_die(p, e, P2P_BREACH);
	}
	switch (m->code) {
	case P2P_HELLO:
		st = on_hello(p, m, now_ns, e);
		ev->kind = PEER_HELLO;
		ev->u.hello = &p->hello;
		return st;
	case P2P_DISCONNECT: return on_disconnect(p, m, e);
	case P2P_PING: return on_ping(p, now_ns, ev, e);
	case P2P_PONG: return on_pong(p, ev);
	default: peer_odd(p, ev, "a message of the base protocol that nobody knows"); return ST_OK;
	}
}

/*
 * Events ----------------------------------------------------------------------------------------
 */

static enum status expired(struct peer *p, struct err *e, const char *what, uint64_t ns)
{
	err_set(e, ST_TIMEOUT, "%s in %u s", what, (unsigned)(ns / NS_S));
	return peer_die(p, e, P2P_TIMEOUT);
}

void peer_expire(struct request *r, uint64_t now_ns, struct peer_event *ev)
{
	r->used = false;
	*ev = (struct peer_event){ .kind = PEER_MISS };
	ev->u.answer.id = r->id;
	ev->u.answer.want = r->want;
	ev->u.answer.took_ns = now_ns > r->sent_ns ? now_ns - r->sent_ns : 0;
	ev->u.answer.code = ST_TIMEOUT;
	snprintf(ev->text, sizeof(ev->text), "no answer in %u s", (unsigned)PEER_ANSWER_S);
}

/* ST_OK: the event of a request that had no answer; ST_AGAIN: nothing is due. */
static enum status check_time(struct peer *p, uint64_t now_ns, struct peer_event *ev, struct err *e)
{
	const uint64_t frame_ns = rlpx_frame_began(p->rlpx);
	enum status st;

	if (p->phase <= PEER_GREETING && now_ns - p->began_ns >= SHAKE_NS)
		return expired(p, e, p->phase == PEER_SHAKING ? "no RLPx handshake" : "no Hello", SHAKE_NS);
	if (p->phase == PEER_MATCHING && now_ns - p->phase_ns >= STATUS_NS)
		return expired(p, e, "no Status", STATUS_NS);
	if (p->pong_due_ns != 0 && now_ns >= p->pong_due_ns)
		return expired(p, e, "no Pong", PONG_NS);
	if (p->phase == PEER_LIVE && now_ns - p->read_ns >= SILENCE_NS && now_ns > p->read_ns)
		return expired(p, e, "not a single byte", SILENCE_NS);
	if (frame_ns != 0 && now_ns > frame_ns && now_ns - frame_ns >= FRAME_NS)
		return expired(p, e, "a message that did not end", FRAME_NS);
	if (now_ns >= p->ping_ns) {
		p->ping_ns = now_ns + p->o.ping_ns;
		rlpx_trim(p->rlpx);
		st = peer_ping(p, now_ns, e);
		if (st != ST_OK && st != ST_AGAIN)
			return peer_die(p, e, P2P_NO_REASON);
	}
	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++) {
		struct request *const r = &p->requests[i];

		if (!r->used || now_ns - r->sent_ns < (PEER_ANSWER_S * NS_S))
			continue;
		peer_expire(r, now_ns, ev);
		return ST_OK;
	}
	return ST_AGAIN;
}

enum status peer_handle(struct peer *p, const struct rlpx_msg *m, uint64_t now_ns, struct peer_event *ev, struct err *e)
{
	if (p->o.tap != NULL)
		p->o.tap->in(p->o.tap->ctx, m);
	*ev = (struct peer_event){
		.recv_ns = m->mark.ns,
		.wall_ns = m->mark.wall,
		.data = m->data,
		.bytes = m->n,
		.wire = m->wire,
	};
	if (m->code < P2P_CODES)
		return on_base(p, m, now_ns, ev, e);
	if (p->proto != NULL && m->code - p->offset < p->proto->length)
		return peer_on_eth(p, m, now_ns, ev, e);
	err_set(e, ST_MALFORMED, "devp2p: message 0x%llx that nobody agreed on", (unsigned long long)m->code);
	return peer_die(p, e, P2P_BREACH);
}

enum status peer_next(struct peer *p, uint64_t now_ns, struct peer_event *ev, struct err *e)
{
	struct rlpx_msg m;
	enum status st;

	p->now_ns = now_ns;
	for (;;) {
		if (p->phase == PEER_DEAD) {
			*e = p->why;
			return e->code;
		}
		if (p->phase == PEER_SHAKING) {
			st = rlpx_shake(p->rlpx, e);
			if (st == ST_OK) {
				peer_enter(p, PEER_GREETING, now_ns);
				*ev = (struct peer_event){ .kind = PEER_SECURE };
				return say_hello(p, e) == ST_OK ? ST_OK : peer_die(p, e, P2P_NO_REASON);
			}
		} else {
			st = rlpx_next(p->rlpx, &m, e);
		}
		if (st == ST_AGAIN)
			return check_time(p, now_ns, ev, e);
		if (st != ST_OK)
			return peer_die(p, e, P2P_NO_REASON);
		st = peer_handle(p, &m, now_ns, ev, e);
		if (st != ST_AGAIN)
			return st;
	}
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t peer_deadline(const struct peer *p)
{
	const uint64_t frame_ns = rlpx_frame_began(p->rlpx);
	uint64_t t = UINT64_MAX;

	switch (p->phase) {
	case PEER_SHAKING:
	case PEER_GREETING: t = p->began_ns + SHAKE_NS; break;
	case PEER_MATCHING: t = p->phase_ns + STATUS_NS; break;
	case PEER_LIVE: t = p->read_ns + SILENCE_NS; break;
	case PEER_DEAD: return UINT64_MAX;
	}
	t = sooner(t, p->ping_ns);
	if (p->pong_due_ns != 0)
		t = sooner(t, p->pong_due_ns);
	if (frame_ns != 0)
		t = sooner(t, frame_ns + FRAME_NS);
	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++)
		if (p->requests[i].used)
			t = sooner(t, p->requests[i].sent_ns + (PEER_ANSWER_S * NS_S));
	return t;
}

bool peer_in_hurry(const struct peer *p)
{
	bool asked = p->phase < PEER_LIVE || p->pong_due_ns != 0;

	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++)
		asked = asked || p->requests[i].used;
	return asked;
}

enum status peer_eof(struct peer *p, struct err *e)
{
	switch (p->phase) {
	case PEER_SHAKING:
		err_set(e, ST_CLOSED, "closed during the RLPx handshake: throttled, full, or another key");
		err_cure(e, "wait %d s between attempts; check the node id in the enode URL", PEER_BACKOFF_S);
		break;
	case PEER_GREETING:
		err_set(e, ST_CLOSED, "closed in place of Hello");
		err_cure(e, "the node may be full: add chaintop's key as a trusted peer");
		break;
	case PEER_MATCHING: err_set(e, ST_CLOSED, "closed in place of Status"); break;
	case PEER_LIVE: err_set(e, ST_CLOSED, "the node closed the connection without a word"); break;
	case PEER_DEAD: *e = p->why; return e->code;
	}
	return peer_die(p, e, P2P_NO_REASON);
}

const uint8_t *peer_remote(const struct peer *p)
{
	return rlpx_remote(p->rlpx);
}

const uint8_t *peer_own(const struct peer *p)
{
	return rlpx_own(p->rlpx);
}

const struct p2p_hello *peer_hello(const struct peer *p)
{
	return p->proto != NULL ? &p->hello : NULL;
}

const struct eth_status *peer_status(const struct peer *p)
{
	return p->stats.in[ETH_STATUS] > 0 && p->status.version != 0 ? &p->status : NULL;
}

unsigned peer_version(const struct peer *p)
{
	return p->proto != NULL ? p->proto->version : 0;
}

void peer_stats(const struct peer *p, struct peer_stats *s)
{
	*s = p->stats;
	if (p->rlpx != NULL)
		rlpx_stats(p->rlpx, &s->wire);
}
