#include "net/devp2p/dial.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "base/hex.h"
#include "base/time.h"

enum {
	READ_BYTES = 1024 * 1024, /* between two waits: commands of the owner's come through */
	QUEUED_MAX = 1024 * 1024, /* what the socket does not take stays with the peer, which has a limit of its own */
};

struct dial {
	struct url url;
	struct stream *s;
	struct peer *p;
	const struct peer_tap *tap;
	uint8_t key[CURVE_KEY], remote[CURVE_PUB];
	bool has_key;
	uint64_t start_ns, bytes_in, bytes_out;
	size_t budget; /* bytes that may still be read before the next wait */
	struct net_phases phases;
	bool dead;
	struct err why;
};

enum status dial_open(struct dial **out, struct net_loop *l, const struct url *u, const struct net_opts *o, const uint8_t *key,
		      struct err *e)
{
	struct dial *d = calloc(1, sizeof(*d));
	enum status st;

	*out = NULL;
	if (!d)
		return err_set(e, ST_NOMEM, "out of memory");
	d->start_ns = time_mono();
	d->budget = READ_BYTES;
	if (key)
		memcpy(d->key, key, CURVE_KEY);
	d->has_key = key != NULL;
	st = url_copy(&d->url, u);
	if (st != ST_OK)
		err_set(e, st, "out of memory");
	else if (!u->target || !hex_digits(u->target, d->remote, CURVE_PUB))
		st = err_set(e, ST_USAGE, "an enode URL without a node id");
	if (st == ST_OK)
		st = stream_open(&d->s, l, &d->url, o, e);
	if (st != ST_OK)
		dial_close(d, P2P_QUITTING);
	else
		*out = d;
	return st;
}

void dial_tap(struct dial *d, const struct peer_tap *tap)
{
	d->tap = tap;
}

void dial_close(struct dial *d, enum p2p_reason reason)
{
	if (!d)
		return;
	if (d->p && !d->dead) {
		peer_bye(d->p, reason);
		dial_flush(d);
	}
	stream_close(d->s);
	peer_free(d->p);
	url_fini(&d->url);
	OPENSSL_cleanse(d->key, sizeof(d->key));
	free(d);
}

static enum status die(struct dial *d, const struct err *e)
{
	if (!d->dead)
		d->why = *e;
	d->dead = true;
	return d->why.code;
}

void dial_flush(struct dial *d)
{
	const uint8_t *p;
	struct err e;
	size_t n;

	if (!d->p || d->dead)
		return;
	if (stream_flush(d->s, &e) != ST_OK && e.code != ST_AGAIN)
		return; /* reading says what became of the connection, and what the node said last */
	while ((p = peer_out(d->p, &n)) != NULL && n > 0 && stream_queued(d->s) < QUEUED_MAX) {
		if (stream_send(d->s, p, n, &e) != ST_OK)
			return;
		d->bytes_out += n;
		peer_sent(d->p, n);
	}
}

/* ST_OK: the connection stands. */
static enum status connect_stream(struct dial *d, struct err *e)
{
	struct peer_opts o = { .role = RLPX_INITIATOR, .key = d->has_key ? d->key : NULL, .remote = d->remote, .tap = d->tap };

	switch (stream_state(d->s, e)) {
	case STREAM_CONNECTING: return ST_AGAIN;
	case STREAM_DEAD: return e->code;
	case STREAM_OPEN: break;
	}
	d->phases = *stream_phases(d->s);
	d->phases.ready = 0;
	/* Its clock begins here: what DNS and TCP took is not the node's handshake. */
	return peer_new(&d->p, &o, time_mono(), e);
}

/* One read. ST_AGAIN: nothing there. */
static enum status read_some(struct dial *d, struct err *e)
{
	size_t room, n = 0;
	uint8_t *p;
	enum status st;

	if (d->budget == 0)
		return ST_AGAIN;
	p = peer_space(d->p, &room);
	if (!p)
		return err_set(e, ST_NOMEM, "out of memory");
	if (peer_in_hurry(d->p))
		stream_quick_ack(d->s);
	st = stream_recv(d->s, p, room, &n, e);
	if (st == ST_CLOSED)
		return peer_eof(d->p, e);
	if (st == ST_RESET && peer_phase(d->p) < PEER_LIVE && peer_eof(d->p, e) != ST_OK)
		return e->code; /* who closes with our bytes unread resets: it means the same */
	if (st != ST_OK)
		return st;
	d->bytes_in += n;
	d->budget -= n < d->budget ? n : d->budget;
	peer_received(d->p, n, time_mono(), time_wall());
	return ST_OK;
}

enum status dial_next(struct dial *d, struct peer_event *ev, struct err *e)
{
	enum status st = ST_OK;

	if (d->dead) {
		*e = d->why;
		return e->code;
	}
	if (!d->p)
		st = connect_stream(d, e);
	while (st == ST_OK) {
		st = peer_next(d->p, time_mono(), ev, e);
		if (st == ST_OK) {
			if (ev->kind == PEER_STATUS)
				d->phases.ready = time_mono() - d->start_ns;
			return ST_OK;
		}
		dial_flush(d);
		if (st != ST_AGAIN)
			return die(d, e);
		st = read_some(d, e);
	}
	if (st != ST_AGAIN)
		return die(d, e);
	d->budget = READ_BYTES;
	return ST_AGAIN;
}

uint64_t dial_deadline(const struct dial *d)
{
	return d->dead ? 0 : d->p ? peer_deadline(d->p) : UINT64_MAX;
}

struct peer *dial_peer(struct dial *d)
{
	return d->p;
}

const struct net_phases *dial_phases(const struct dial *d)
{
	return &d->phases;
}

const char *dial_doing(const struct dial *d)
{
	return d->p ? peer_doing(d->p) : stream_doing(d->s);
}

uint64_t dial_tcp_rtt(const struct dial *d)
{
	return stream_rtt(d->s);
}

void dial_bytes(const struct dial *d, uint64_t *in, uint64_t *out)
{
	*in = d->bytes_in;
	*out = d->bytes_out;
}
