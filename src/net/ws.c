/* The WebSocket transport; see ws.h. */
#include "net/ws.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/buf.h"
#include "base/time.h"
#include "base/utf8.h"
#include "net/auth.h"
#include "net/http_head.h"
#include "net/loop.h"
#include "net/ws_frame.h"

enum {
	SERVICE_BYTES = 1024 * 1024, /* read at most so much before commands and deadlines (rule 4) */
	SEND_QUEUE = 1024 * 1024, /* above it a request has to wait */
	PONG_QUEUE = 64 * 1024, /* above it pings go unanswered: the peer does not read */
	MAX_MESSAGE = 128 * 1024 * 1024,
};

static const uint64_t rate_wait = 10 * NS_S, later_wait = 5 * NS_S, dns_wait = 10 * NS_S;

enum ws_state { CONNECTING, UPGRADING, OPEN, DEAD };

struct ws {
	struct transport base;
	struct net_handler h;
	const struct net_opts *opts;
	struct url url;
	struct auth auth;
	struct stream *s;
	enum ws_state state;
	struct ws_reader in;
	struct buf out; /* one frame while it is made */
	size_t scanned; /* of the upgrade's answer */
	char accept[WS_ACCEPT_SIZE];
	struct net_phases phases;
	uint64_t start_ns, limit_ns; /* end of the handshake's time */
	uint64_t ping_ns, next_ping_ns, pinged_ns, heard_ns, pings;
	uint64_t bytes_in, bytes_out;
	bool send_failed, close_sent;
	struct err send_err;
};

enum status
ws_accept(char out[WS_ACCEPT_SIZE], const char *key, struct err *e)
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t sha[EVP_MAX_MD_SIZE];
	char text[128];
	unsigned n = 0;
	int k = snprintf(text, sizeof(text), "%s%s", key, guid);

	if (!EVP_Digest(text, (size_t)k, sha, &n, EVP_sha1(), NULL) || n != 20)
		return err_set(e, ST_INTERNAL, "SHA-1 is not available");
	EVP_EncodeBlock((unsigned char *)out, sha, 20);
	return ST_OK;
}

static const char *
close_word(unsigned code)
{
	switch (code) {
	case 1000: return "closed";
	case 1001: return "going away";
	case 1002: return "protocol error";
	case 1003: return "data of a wrong kind";
	case 1005: return "closed without a reason";
	case 1006: return "broken off";
	case 1007: return "malformed data";
	case 1008: return "rate limit or policy";
	case 1009: return "message too big";
	case 1011: return "internal error of the node";
	case 1012: return "restarting";
	case 1013: return "try again later";
	case 1014: return "bad gateway";
	default: return "closed";
	}
}

enum status
ws_close_err(struct err *e, unsigned code, const char *reason, size_t n, uint64_t *retry_ns)
{
	char text[128];
	struct err scratch;

	if (e == NULL)
		e = &scratch;
	*retry_ns = 0;
	n = utf8_clean(text, sizeof(text), reason, n);
	err_set_detail(e, ST_CLOSED, (int)code, "WebSocket %u: %s%s%s", code, close_word(code),
		n > 0 ? ": " : "", text);
	switch (code) {
	case 1002:
	case 1003:
	case 1007: e->code = ST_MALFORMED; break;
	case 1008:
		e->code = ST_RATE;
		*retry_ns = rate_wait;
		return err_cure(e, "fewer paths to this provider, or a larger plan");
	case 1009: e->code = ST_TOO_BIG; break;
	case 1012:
	case 1013: *retry_ns = later_wait; break;
	default: break;
	}
	return e->code;
}

/* The end: tells it once. */
static void
down(struct ws *w, const struct err *e, uint64_t retry_ns)
{
	struct err copy = *e;

	if (w->state == DEAD)
		return;
	net_redact(&w->url, w->opts, copy.text);
	w->state = DEAD;
	stream_close(w->s);
	w->s = NULL;
	w->h.down(w->h.ctx, &copy, retry_ns);
}

/* A failed send does not end it at once: the peer's last words may be waiting to be read. */
static void
note_send(struct ws *w, enum status st, const struct err *e)
{
	if (st == ST_OK || w->send_failed)
		return;
	w->send_failed = true;
	w->send_err = *e;
}

static enum status
send_frame(struct ws *w, enum ws_opcode opcode, const char *p, size_t n, struct err *e)
{
	uint8_t head[WS_HEAD_MAX], key[4];
	size_t size;
	enum status st;

	if (RAND_bytes(key, sizeof(key)) != 1)
		return err_set(e, ST_INTERNAL, "no random bytes");
	size = ws_head_write(head, opcode, n, key);
	buf_clear(&w->out);
	st = buf_add(&w->out, head, size);
	if (st == ST_OK)
		st = buf_reserve(&w->out, n);
	if (st != ST_OK)
		return err_set(e, st, "message of %zu bytes cannot be sent", n);
	ws_mask(w->out.p + size, p, n, key);
	st = stream_send(w->s, w->out.p, size + n, e);
	if (st == ST_OK)
		w->bytes_out += size + n;
	buf_shrink(&w->out, RX_READ);
	return st;
}

static void
send_control(struct ws *w, enum ws_opcode opcode, const char *p, size_t n)
{
	struct err e;

	if (w->send_failed || w->close_sent)
		return;
	w->close_sent = opcode == WS_CLOSE;
	note_send(w, send_frame(w, opcode, p, n, &e), &e);
}

static void
send_close(struct ws *w, unsigned code)
{
	const char p[2] = {(char)(code >> 8), (char)code};

	/* 1005 and 1006 say that there was no code and are never sent (§7.4.1). */
	send_control(w, WS_CLOSE, p, code == 1005 || code == 1006 ? 0 : 2);
}

/* ---- upgrade ---- */

static bool
ours_alone(const char *h)
{
	static const char *const names[] = {"Upgrade:", "Connection:", "Content-Length:",
		"Transfer-Encoding:", "Sec-WebSocket-"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncasecmp(h, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static enum status
send_upgrade(struct ws *w, struct err *e)
{
	const struct url *u = &w->url;
	char key[32], host[300], scratch[JWT_SIZE + 32];
	const char *line = auth_line(&w->auth, scratch);
	bool usual = u->port == (u->scheme == URL_WSS ? 443 : 80);
	uint8_t nonce[16];
	struct buf b;
	enum status st;

	buf_init(&b, HTTP_HEAD_MAX * 4);
	if (RAND_bytes(nonce, sizeof(nonce)) != 1)
		return err_set(e, ST_INTERNAL, "no random bytes");
	EVP_EncodeBlock((unsigned char *)key, nonce, sizeof(nonce));
	st = ws_accept(w->accept, key, e);
	if (st != ST_OK)
		return st;
	if (usual && strchr(u->host, ':') == NULL)
		snprintf(host, sizeof(host), "%s", u->host);
	else
		url_show(host, sizeof(host), u);
	st = buf_addf(&b,
		"GET %s HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n",
		u->target, key);
	if (st == ST_OK && !net_has_header(w->opts, "Host"))
		st = buf_addf(&b, "Host: %s\r\n", host);
	if (st == ST_OK && !net_has_header(w->opts, "User-Agent"))
		st = buf_adds(&b, "User-Agent: chaintop\r\n");
	if (st == ST_OK && line != NULL)
		st = buf_addf(&b, "%s\r\n", line);
	for (unsigned i = 0; st == ST_OK && i < w->opts->n_headers; i++)
		if (!ours_alone(w->opts->headers[i]))
			st = buf_addf(&b, "%s\r\n", w->opts->headers[i]);
	if (st == ST_OK)
		st = buf_adds(&b, "\r\n");
	if (st != ST_OK)
		err_set(e, st, "the headers are too long");
	else
		st = stream_send(w->s, b.p, b.len, e);
	w->bytes_out += b.len;
	buf_fini(&b);
	return st;
}

static enum status
check_upgrade(struct ws *w, const struct http_head *h, struct err *e)
{
	if (h->status != 101) {
		return http_status_err(e, h->status, h->host, &w->url, w->opts);
	}
	if (!h->upgrade || strcmp(h->accept, w->accept) != 0)
		err_set_detail(e, ST_MALFORMED, 101, "the WebSocket upgrade was answered wrongly");
	else if (h->extensions[0] || h->protocol[0])
		err_set_detail(e, ST_MALFORMED, 101, "the server uses an extension that was not offered");
	else
		return ST_OK;
	err_cure(e, "what stands between here and the node (a proxy?) breaks WebSockets");
	return e->code;
}

/* True when the upgrade is done and frames may follow. */
static bool
read_upgrade(struct ws *w)
{
	struct rx *x = &w->in.rx;
	struct http_head h;
	struct err e = {0};
	long size;

	do {
		size_t held = x->end - x->begin;
		const char *p = x->p + x->begin;

		size = http_head_end(p, held, w->scanned);
		w->scanned = held;
		if (size < 0) {
			err_set(&e, ST_MALFORMED, "the answer to the WebSocket upgrade is not HTTP");
			err_cure(&e, "check scheme and port");
			down(w, &e, 0);
			return false;
		}
		if (size > HTTP_HEAD_MAX || (size == 0 && held > HTTP_HEAD_MAX)) {
			err_set(&e, ST_TOO_BIG, "the upgrade's answer has more than 16 KiB of headers");
			down(w, &e, 0);
			return false;
		}
		if (size == 0)
			return false;
		if (http_head_parse(&h, p, (size_t)size, time_wall(), &e) != ST_OK) {
			down(w, &e, 0);
			return false;
		}
		rx_drop(x, (size_t)size);
		w->scanned = 0;
		/* 100 and 103 may come first; what they say does not matter. */
	} while (h.status < 200 && h.status != 101 && x->end > x->begin);
	if (h.status < 200 && h.status != 101)
		return false;
	if (check_upgrade(w, &h, &e) != ST_OK) {
		down(w, &e, h.retry_ns);
		return false;
	}
	return true;
}

/* ---- frames ---- */

static void
closed_by_peer(struct ws *w)
{
	const uint8_t *p = (const uint8_t *)w->in.data;
	unsigned code = w->in.n >= 2 ? (unsigned)p[0] << 8 | p[1] : 1005;
	uint64_t retry;
	struct err e;

	ws_close_err(&e, code, w->in.n > 2 ? w->in.data + 2 : "", w->in.n > 2 ? w->in.n - 2 : 0,
		&retry);
	send_close(w, code);
	down(w, &e, retry);
}

static void
deliver(struct ws *w)
{
	struct net_meta m;
	struct err e;

	if (w->in.n == 0) {
		err_set(&e, ST_MALFORMED, "empty WebSocket message");
		w->h.odd(w->h.ctx, &e);
		return;
	}
	rx_meta(&w->in.rx, w->in.end, &w->in.mark, &m);
	w->h.message(w->h.ctx, w->in.data, w->in.n, &m);
}

static void
read_frames(struct ws *w)
{
	struct err e = {0};

	while (w->state == OPEN) {
		switch (ws_reader_next(&w->in, &e)) {
		case WS_MORE: return;
		case WS_MESSAGE: deliver(w); break;
		case WS_BAD:
			if (e.code == ST_TOO_BIG)
				err_cure(&e, "raise the message limit if this node's blocks are so large");
			send_close(w, e.code == ST_TOO_BIG ? 1009 : 1002);
			down(w, &e, 0);
			return;
		case WS_CONTROL:
			if (w->in.opcode == WS_CLOSE) {
				closed_by_peer(w);
				return;
			}
			/* Of a flood of pings only the last must be answered (§5.5.3). */
			if (w->in.opcode == WS_PING && stream_queued(w->s) < PONG_QUEUE)
				send_control(w, WS_PONG, w->in.data, w->in.n);
			break;
		}
	}
}

static void
upgraded(struct ws *w, uint64_t now_ns)
{
	w->state = OPEN;
	w->heard_ns = now_ns;
	w->next_ping_ns = now_ns + w->ping_ns;
	w->phases = *stream_phases(w->s);
	w->phases.ready = now_ns - w->start_ns;
	w->h.up(w->h.ctx, &w->phases);
}

static void
read_all(struct ws *w)
{
	size_t budget = SERVICE_BYTES;
	struct err e = {0};

	while (w->state != DEAD && budget > 0) {
		size_t room, n;
		char *p = ws_reader_space(&w->in, &room);
		enum status st;
		uint64_t now;

		if (p == NULL) {
			err_set(&e, ST_NOMEM, "out of memory");
			down(w, &e, 0);
			return;
		}
		st = stream_recv(w->s, p, room, &n, &e);
		if (st == ST_AGAIN)
			break;
		if (st != ST_OK) {
			if (w->state == OPEN && (w->in.in_message || w->in.rx.end > w->in.rx.begin))
				err_set(&e, ST_RESET, "connection closed inside a message");
			else if (w->state == UPGRADING)
				err_set(&e, ST_RESET, "connection closed during the WebSocket upgrade");
			down(w, &e, 0);
			return;
		}
		now = time_mono();
		rx_commit(&w->in.rx, n, now, time_wall());
		w->heard_ns = now;
		w->bytes_in += n;
		budget -= n < budget ? n : budget;
		if (w->state == UPGRADING && read_upgrade(w))
			upgraded(w, now);
		if (w->state == OPEN)
			read_frames(w);
	}
	if (w->send_failed && w->state != DEAD && budget > 0)
		down(w, &w->send_err, 0);
}

static void
keep_alive(struct ws *w, uint64_t now_ns)
{
	char text[24];
	struct err e;
	int n;

	if (now_ns < w->next_ping_ns)
		return;
	if (w->pinged_ns != 0 && w->heard_ns < w->pinged_ns) {
		err_set(&e, ST_SILENT, "nothing came for %" PRIu64 " s, not even the answer to a ping",
			(now_ns - w->heard_ns) / NS_S);
		down(w, &e, 0);
		return;
	}
	w->pinged_ns = now_ns;
	w->next_ping_ns = now_ns + w->ping_ns;
	n = snprintf(text, sizeof(text), "%" PRIu64, ++w->pings);
	send_control(w, WS_PING, text, (size_t)n);
}

/* ---- transport ---- */

static enum status
ws_open(struct transport **out, struct net_loop *l, const struct url *u, const struct net_opts *o,
	const struct net_handler *h, struct err *e)
{
	struct ws *w = calloc(1, sizeof(*w));
	enum status st;

	*out = NULL;
	if (w == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	w->base.class = &transport_ws;
	w->h = *h;
	w->opts = o;
	w->ping_ns = o->ping_ns != 0 ? o->ping_ns : 10 * NS_S;
	ws_reader_init(&w->in, o->max_message != 0 ? o->max_message : MAX_MESSAGE);
	buf_init(&w->out, MAX_MESSAGE);
	w->start_ns = time_mono();
	st = url_copy(&w->url, u);
	if (st != ST_OK)
		err_set(e, st, "out of memory");
	else
		st = auth_init(&w->auth, u, o, e);
	if (st == ST_OK)
		st = stream_open(&w->s, l, &w->url, o, e);
	if (st != ST_OK)
		transport_ws.close(&w->base);
	else
		*out = &w->base;
	return st;
}

static enum status
ws_send(struct transport *t, const char *text, size_t n, uint64_t token, struct err *e)
{
	struct ws *w = (struct ws *)t;
	enum status st;

	(void)token;
	if (w->state == DEAD || w->send_failed || w->close_sent)
		return err_set(e, ST_CLOSED, "connection closed");
	if (w->state != OPEN || stream_queued(w->s) > SEND_QUEUE)
		return ST_AGAIN;
	st = send_frame(w, WS_TEXT, text, n, e);
	if (st == ST_RESET)
		note_send(w, st, e);
	return st;
}

static void
ws_service(struct transport *t, uint64_t now_ns)
{
	struct ws *w = (struct ws *)t;
	uint64_t wait = w->opts->connect_timeout_ns != 0 ? w->opts->connect_timeout_ns : 10 * NS_S;
	struct err e = {0};

	if (w->state == CONNECTING) {
		enum stream_state s = stream_state(w->s, &e);

		if (s == STREAM_DEAD) {
			down(w, &e, e.code == ST_DNS ? dns_wait : 0);
			return;
		}
		if (s != STREAM_OPEN)
			return;
		w->state = UPGRADING;
		w->limit_ns = now_ns + wait;
		note_send(w, send_upgrade(w, &e), &e);
	}
	if (w->state == DEAD)
		return;
	note_send(w, stream_flush(w->s, &e), &e);
	read_all(w);
	if (w->state == UPGRADING && now_ns >= w->limit_ns) {
		err_set(&e, ST_TIMEOUT, "no answer to the WebSocket upgrade");
		err_cure(&e, "is it a WebSocket port?");
		down(w, &e, 0);
	}
	if (w->state == OPEN)
		keep_alive(w, now_ns);
}

static uint64_t
ws_deadline(const struct transport *t)
{
	const struct ws *w = (const struct ws *)t;

	if (w->state == DEAD)
		return UINT64_MAX;
	if (w->send_failed)
		return 0;
	if (w->state == UPGRADING)
		return w->limit_ns;
	/* While it connects, curl's own clock runs. */
	return w->state == OPEN ? w->next_ping_ns : UINT64_MAX;
}

static void
ws_close(struct transport *t)
{
	struct ws *w = (struct ws *)t;

	if (w->state == OPEN)
		send_close(w, 1000);
	stream_close(w->s);
	ws_reader_fini(&w->in);
	buf_fini(&w->out);
	auth_fini(&w->auth);
	url_fini(&w->url);
	free(w);
}

static void
ws_bytes(const struct transport *t, uint64_t *in, uint64_t *out)
{
	const struct ws *w = (const struct ws *)t;

	*in = w->bytes_in;
	*out = w->bytes_out;
}

static const char *
ws_doing(const struct transport *t)
{
	const struct ws *w = (const struct ws *)t;

	switch (w->state) {
	case CONNECTING: return stream_doing(w->s);
	case UPGRADING: return "upgrade";
	default: return "";
	}
}

static void
ws_phases(const struct transport *t, struct net_phases *p)
{
	const struct ws *w = (const struct ws *)t;

	*p = w->phases;
	if (w->s != NULL && w->phases.ready == 0)
		stream_phases_so_far(w->s, p);
}

const struct transport_class transport_ws = {
	.name = "ws",
	.caps = TP_PUSH,
	.open = ws_open,
	.send = ws_send,
	.service = ws_service,
	.deadline = ws_deadline,
	.close = ws_close,
	.bytes = ws_bytes,
	.doing = ws_doing,
	.phases = ws_phases,
};
