#include "net/devp2p/rlpx.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <snappy-c.h>

#include "net/devp2p/frame.h"

enum {
	PLAIN_MAX = 16 * 1024 * 1024, /* of any message: the specification's limit */
	/* The longest copy element of snappy makes 64 bytes out of 3: more than that is a lie. */
	EXPANSION = 22,
	EXPANSION_SLACK = 64,
	DISCONNECT = 0x01,
};

struct rlpx {
	struct curve *curve;     /* until secure */
	struct handshake *shake; /* until secure */
	bool secure, failed, hello_done, snappy;
	size_t max_message;
	uint8_t own[CURVE_PUB], remote[CURVE_PUB];
	size_t shake_sent; /* bytes of our handshake packet that are sent */
	uint8_t packet[2 + HANDSHAKE_MAX];
	size_t packet_n;
	struct frame_rx rx;
	struct frame_tx tx;
	uint8_t *plain; /* one decompressed message */
	size_t plain_cap;
	unsigned plain_calm;
	uint64_t plain_in, plain_out;
};

static void drop_handshake(struct rlpx *r)
{
	if (r->shake != NULL)
		handshake_fini(r->shake);
	free(r->shake);
	r->shake = NULL;
	curve_free(r->curve);
	r->curve = NULL;
}

/* Our packet outlives the handshake: it may not be sent yet. */
static void keep_packet(struct rlpx *r)
{
	memcpy(r->packet, r->shake->out, r->shake->out_n);
	r->packet_n = r->shake->out_n;
}

enum status rlpx_new(struct rlpx **out, const struct rlpx_opts *o, struct err *e)
{
	struct rlpx *const r = calloc(1, sizeof(*r));
	uint8_t key[CURVE_KEY];
	enum status st;

	*out = NULL;
	if (r == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	r->max_message = o->max_message > 0 ? o->max_message : RLPX_MESSAGE_MAX;
	if (r->max_message > PLAIN_MAX)
		r->max_message = PLAIN_MAX;
	frame_rx_init(&r->rx, RLPX_HELLO_MAX);
	r->shake = malloc(sizeof(*r->shake));
	if (r->shake == NULL) {
		st = err_set(e, ST_NOMEM, "out of memory");
		goto out;
	}
	memset(r->shake, 0, sizeof(*r->shake));
	st = curve_new(&r->curve, e);
	if (st != ST_OK)
		goto out;
	if (o->key != NULL) {
		memcpy(key, o->key, sizeof(key));
	} else if (!curve_key(r->curve, key)) {
		st = err_set(e, ST_INTERNAL, "no random bytes for a key");
		goto out;
	}
	st = handshake_init(r->shake, o->role, r->curve, key, o->remote, o->fixed, e);
	if (st != ST_OK)
		goto out;
	if (!curve_pub(r->curve, key, r->own)) {
		st = err_set(e, ST_INTERNAL, "no public key");
		goto out;
	}
	memcpy(r->remote, r->shake->remote, CURVE_PUB);
	keep_packet(r);
	*out = r;
out:
	OPENSSL_cleanse(key, sizeof(key));
	if (st != ST_OK)
		rlpx_free(r);
	return st;
}

void rlpx_free(struct rlpx *r)
{
	if (r == NULL)
		return;
	drop_handshake(r);
	frame_rx_fini(&r->rx);
	frame_tx_fini(&r->tx);
	free(r->plain);
	OPENSSL_cleanse(r, sizeof(*r));
	free(r);
}

uint8_t *rlpx_space(struct rlpx *r, size_t *n)
{
	return frame_rx_space(&r->rx, n);
}

void rlpx_received(struct rlpx *r, size_t n, uint64_t now_ns, uint64_t wall_ns)
{
	frame_rx_commit(&r->rx, n, now_ns, wall_ns);
}

/*
 * Bytes behind the handshake stay in the same buffer: the recipient may have sent its Hello with
 * the ack.
 */
static enum status shake(struct rlpx *r, struct err *e)
{
	struct rx *const rx = &r->rx.rx;
	struct rlpx_secrets s;
	size_t used;
	enum status st = handshake_take(r->shake, (uint8_t *)rx->p + rx->begin, rx->end - rx->begin, &used, e);

	rx_drop(rx, used);
	if (st != ST_OK)
		return st;
	st = handshake_secrets(r->shake, &s, e);
	if (st == ST_OK)
		st = frame_rx_keys(&r->rx, &s, e);
	if (st == ST_OK)
		st = frame_tx_init(&r->tx, &s, e);
	OPENSSL_cleanse(&s, sizeof(s));
	if (st != ST_OK)
		return st;
	memcpy(r->remote, r->shake->remote, CURVE_PUB);
	keep_packet(r);
	drop_handshake(r);
	r->secure = true;
	return ST_OK;
}

/* Room for n decompressed bytes. A run of large messages keeps it, a single one does not. */
static bool plain_room(struct rlpx *r, size_t n)
{
	r->plain_calm = n <= RLPX_PLAIN_KEEP ? r->plain_calm + 1 : 0;
	if (r->plain_cap >= n && (r->plain_cap <= RLPX_PLAIN_KEEP || r->plain_calm < FRAME_CALM))
		return true;
	free(r->plain);
	r->plain_cap = n <= RLPX_PLAIN_KEEP ? RLPX_PLAIN_KEEP : n;
	r->plain = malloc(r->plain_cap);
	if (r->plain == NULL)
		r->plain_cap = 0;
	return r->plain != NULL;
}

/*
 * A literal of the snappy format: length of its tag and of its bytes. False: another element, or
 * cut off.
 */
static bool literal(const uint8_t *p, size_t n, size_t *tag, size_t *len)
{
	const unsigned v = n > 0 ? p[0] >> 2 : 0, more = v < 60 ? 0 : v - 59;

	if (n < 1 + more || (p[0] & 3) != 0)
		return false;
	*tag = 1 + more;
	*len = v;
	if (more > 0)
		*len = 0;
	for (unsigned i = more; i > 0; i--)
		*len = *len << 8 | p[i];
	++*len;
	return *len <= n - *tag;
}

/*
 * Data that do not compress (hashes, signatures) are literals alone. They are used where they are:
 * the first one stays, the others close up to it. NULL: not so, or not n bytes.
 */
static const uint8_t *literals_only(uint8_t *p, size_t size, size_t n)
{
	size_t tag, len, at = 0, sum = 0;
	uint8_t *start, *end;

	while (at < size && (p[at] & 0x80))
		at++;
	at++; /* the length; it was read before */
	p += at < size ? at : size;
	size -= at < size ? at : size;
	for (at = 0; at < size; at += tag + len, sum += len)
		if (!literal(p + at, size - at, &tag, &len))
			return NULL;
	if (sum != n || n == 0 || !literal(p, size, &tag, &len))
		return NULL;
	start = p + tag;
	end = start + len;
	for (at = tag + len; at < size && literal(p + at, size - at, &tag, &len); at += tag + len) {
		memmove(end, p + at + tag, len);
		end += len;
	}
	return start;
}

static enum status decompress(struct rlpx *r, struct rlpx_msg *m, uint8_t *at, struct err *e)
{
	const size_t max = m->code < RLPX_BASE_CODES ? RLPX_HELLO_MAX : r->max_message;
	const uint8_t *plain;
	size_t n;

	if (snappy_uncompressed_length((const char *)m->data, m->n, &n) != SNAPPY_OK)
		return err_set(
			e, ST_MALFORMED, "RLPx: message 0x%02x is not compressed as it should be", (unsigned)m->code);
	if (n > max)
		return err_set_detail(e, ST_TOO_BIG, (int)n, "RLPx: message 0x%02x has %zu bytes, the limit is %zu",
			(unsigned)m->code, n, max);
	if (n > EXPANSION * m->n + EXPANSION_SLACK)
		return err_set(e, ST_MALFORMED, "RLPx: message 0x%02x claims to have %zu bytes in %zu compressed ones",
			(unsigned)m->code, n, m->n);
	plain = literals_only(at, m->n, n);
	if (plain != NULL) {
		m->data = plain;
		m->n = n;
		return ST_OK;
	}
	if (!plain_room(r, n))
		return err_set(e, ST_NOMEM, "out of memory");
	if (snappy_uncompress((const char *)m->data, m->n, (char *)r->plain, &n) != SNAPPY_OK)
		return err_set(e, ST_MALFORMED, "RLPx: compression of message 0x%02x is broken", (unsigned)m->code);
	m->data = r->plain;
	m->n = n;
	return ST_OK;
}

/*
 * A Disconnect around Hello comes in either form, whatever was agreed: a peer that refuses us has
 * not always seen our Hello. What is neither form is handed out as it is: the peer is going anyway.
 */
static enum status take_disconnect(struct rlpx *r, struct rlpx_msg *m, uint8_t *at, struct err *e)
{
	const struct rlpx_msg raw = *m;
	enum status st;

	/* Uncompressed: a list, or a bare reason. No compressed form looks like that. */
	if (m->n <= 4 && (m->n <= 1 || m->data[0] == 0xc0 + m->n - 1))
		return ST_OK;
	st = decompress(r, m, at, e);
	if (st == ST_OK || st == ST_NOMEM)
		return st;
	*m = raw;
	return ST_OK;
}

enum status rlpx_shake(struct rlpx *r, struct err *e)
{
	enum status st;

	if (r->failed)
		return err_set(e, ST_CLOSED, "RLPx: the connection failed before");
	if (r->secure)
		return ST_OK;
	st = shake(r, e);
	if (st != ST_OK && st != ST_AGAIN)
		r->failed = true;
	return st;
}

uint64_t rlpx_frame_began(const struct rlpx *r)
{
	return r->secure && r->rx.marked ? r->rx.mark.ns : 0;
}

enum status rlpx_next(struct rlpx *r, struct rlpx_msg *m, struct err *e)
{
	struct frame f;
	enum status st;

	st = rlpx_shake(r, e);
	if (st != ST_OK)
		return st;
	st = frame_rx_next(&r->rx, &f, e);
	if (st == ST_OK) {
		*m = (struct rlpx_msg){ .code = f.code, .data = f.data, .n = f.n, .wire = f.wire, .mark = f.mark };
		if (m->code == DISCONNECT)
			st = take_disconnect(r, m, f.data, e);
		else if (r->snappy)
			st = decompress(r, m, f.data, e);
		else if (!r->hello_done && m->n > RLPX_HELLO_MAX)
			st = err_set(e, ST_TOO_BIG, "RLPx: %zu bytes before Hello", m->n);
	}
	if (st == ST_OK)
		r->plain_in += m->n;
	else if (st != ST_AGAIN)
		r->failed = true;
	return st;
}

bool rlpx_secure(const struct rlpx *r)
{
	return r->secure;
}

const uint8_t *rlpx_remote(const struct rlpx *r)
{
	return r->remote;
}

const uint8_t *rlpx_own(const struct rlpx *r)
{
	return r->own;
}

void rlpx_hello_done(struct rlpx *r, bool snappy)
{
	r->hello_done = true;
	r->snappy = snappy;
	/* Compressed data of random bytes are a bit longer than these. */
	r->rx.max = snappy_max_compressed_length(r->max_message) + FRAME_CODE_MAX;
	if (r->rx.max > FRAME_MAX)
		r->rx.max = FRAME_MAX;
}

enum status rlpx_send(struct rlpx *r, uint64_t code, const void *data, size_t n, struct err *e)
{
	size_t room = r->snappy ? snappy_max_compressed_length(n) : n;
	uint8_t *to;
	enum status st;

	if (!r->secure)
		return err_set(e, ST_INTERNAL, "RLPx: a message before the handshake");
	if (n > PLAIN_MAX)
		return err_set(e, ST_TOO_BIG, "RLPx: a message of %zu bytes", n);
	to = frame_tx_data(&r->tx, code, room, e);
	if (to == NULL)
		return e != NULL ? e->code : ST_TOO_BIG;
	if (!r->snappy) {
		if (n > 0)
			memcpy(to, data, n);
	} else if (snappy_compress(data, n, (char *)to, &room) != SNAPPY_OK) {
		return err_set(e, ST_INTERNAL, "RLPx: compression failed");
	}
	st = frame_tx_seal(&r->tx, room, e);
	if (st == ST_OK)
		r->plain_out += n;
	return st;
}

const uint8_t *rlpx_out(const struct rlpx *r, size_t *n)
{
	/* Frames wait until our packet is sent: it is never behind them. */
	if (r->shake_sent < r->packet_n) {
		*n = r->packet_n - r->shake_sent;
		return r->packet + r->shake_sent;
	}
	if (!r->secure) {
		*n = 0;
		return NULL;
	}
	return frame_tx_out(&r->tx, n);
}

void rlpx_sent(struct rlpx *r, size_t n)
{
	if (r->shake_sent < r->packet_n)
		r->shake_sent += n;
	else
		frame_tx_sent(&r->tx, n);
}

void rlpx_trim(struct rlpx *r)
{
	frame_tx_trim(&r->tx);
	if (r->plain_cap > RLPX_PLAIN_KEEP) {
		free(r->plain);
		r->plain = NULL;
		r->plain_cap = 0;
	}
}

size_t rlpx_memory(const struct rlpx *r)
{
	return r->rx.rx.cap + r->tx.cap + r->plain_cap;
}

void rlpx_stats(const struct rlpx *r, struct rlpx_stats *s)
{
	*s = (struct rlpx_stats){
		.frames_in = r->rx.frames,
		.frames_out = r->tx.frames,
		.wire_in = r->rx.bytes,
		.wire_out = r->tx.bytes,
		.plain_in = r->plain_in,
		.plain_out = r->plain_out,
		.perms_in = r->rx.mac.permutations,
		.perms_out = r->tx.mac.permutations,
	};
}
