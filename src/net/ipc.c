/* The unix socket transport; see ipc.h. */
#include "net/ipc.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "net/ipc_scan.h"
#include "net/loop.h"
#include "net/rx.h"

enum {
	SERVICE_BYTES = 1024 * 1024,
	SEND_QUEUE = 1024 * 1024,
	MAX_MESSAGE = 128 * 1024 * 1024,
};

struct ipc {
	struct transport base;
	struct net_handler h;
	const struct net_opts *opts;
	struct url url;
	struct stream *s;
	bool open, dead;
	struct rx rx;
	struct ipc_scan scan;
	size_t pos, limit; /* bytes of the text in progress that were looked at */
	struct rx_mark mark;
	bool junk; /* reported already */
	uint64_t start_ns, bytes_in, bytes_out;
	bool send_failed;
	struct err send_err;
};

static void
down(struct ipc *c, const struct err *e)
{
	if (c->dead)
		return;
	c->dead = true;
	stream_close(c->s);
	c->s = NULL;
	c->h.down(c->h.ctx, e, 0);
}

static void
note_send(struct ipc *c, enum status st, const struct err *e)
{
	if (st == ST_OK || c->send_failed)
		return;
	c->send_failed = true;
	c->send_err = *e;
}

static void
deliver(struct ipc *c)
{
	size_t n = c->pos, at = c->rx.begin;
	struct net_meta m;

	rx_meta(&c->rx, at + n, &c->mark, &m);
	rx_cut(&c->rx, at + n);
	c->h.message(c->h.ctx, c->rx.p + at, n, &m);
	rx_drop(&c->rx, n);
	c->pos = 0;
}

static void
skip(struct ipc *c, size_t n, bool junk)
{
	struct err e;

	rx_drop(&c->rx, n);
	if (!junk || c->junk)
		return;
	c->junk = true;
	err_set(&e, ST_MALFORMED, "something that is no JSON object or array between two messages");
	c->h.odd(c->h.ctx, &e);
}

static void
take_texts(struct ipc *c)
{
	struct rx *x = &c->rx;
	struct err e = {0};

	while (!c->dead && x->begin + c->pos < x->end) {
		size_t at = x->begin + c->pos, used = 0;
		bool between = c->scan.depth == 0;
		enum ipc_found f = ipc_scan_next(&c->scan, x->p + at, x->end - at, &used);

		if (f == IPC_SPACE || f == IPC_JUNK) {
			skip(c, used, f == IPC_JUNK);
			continue;
		}
		if (between)
			rx_begin(x, at, &c->mark);
		c->junk = false;
		c->pos += used;
		if (c->pos > c->limit) {
			err_set(&e, ST_TOO_BIG, "message of more than %zu bytes", c->limit);
			down(c, &e);
		} else if (f == IPC_MESSAGE) {
			deliver(c);
		}
	}
}

static void
read_all(struct ipc *c)
{
	size_t budget = SERVICE_BYTES;
	struct err e = {0};

	while (!c->dead && budget > 0) {
		size_t room, n;
		/* Nobody says how long it is. By halves, so that the largest blocks stay below RX_KEEP. */
		char *p = rx_space(&c->rx, c->pos + c->pos / 2, &room);
		enum status st;

		if (p == NULL) {
			err_set(&e, ST_NOMEM, "out of memory");
			down(c, &e);
			return;
		}
		st = stream_recv(c->s, p, room, &n, &e);
		if (st == ST_AGAIN)
			break;
		if (st != ST_OK) {
			if (c->rx.end > c->rx.begin)
				err_set(&e, ST_RESET, "socket closed inside a message");
			down(c, &e);
			return;
		}
		rx_commit(&c->rx, n, time_mono(), time_wall());
		c->bytes_in += n;
		budget -= n < budget ? n : budget;
		take_texts(c);
	}
	if (c->send_failed && !c->dead && budget > 0)
		down(c, &c->send_err);
}

static enum status
ipc_open(struct transport **out, struct net_loop *l, const struct url *u, const struct net_opts *o,
	const struct net_handler *h, struct err *e)
{
	struct ipc *c = calloc(1, sizeof(*c));
	enum status st;

	*out = NULL;
	if (c == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	c->base.class = &transport_ipc;
	c->h = *h;
	c->opts = o;
	c->limit = o->max_message != 0 ? o->max_message : MAX_MESSAGE;
	c->start_ns = time_mono();
	rx_init(&c->rx);
	st = url_copy(&c->url, u);
	if (st != ST_OK)
		err_set(e, st, "out of memory");
	else
		st = stream_open(&c->s, l, &c->url, o, e);
	if (st != ST_OK)
		transport_ipc.close(&c->base);
	else
		*out = &c->base;
	return st;
}

/* The newline is for nodes that read line by line. */
static enum status
ipc_send(struct transport *t, const char *text, size_t n, uint64_t token, struct err *e)
{
	struct ipc *c = (struct ipc *)t;
	enum status st;

	(void)token;
	if (c->dead || c->send_failed)
		return err_set(e, ST_CLOSED, "connection closed");
	if (!c->open || stream_queued(c->s) > SEND_QUEUE)
		return ST_AGAIN;
	st = stream_send2(c->s, text, n, "\n", 1, e);
	if (st == ST_OK)
		c->bytes_out += n + 1;
	if (st == ST_RESET)
		note_send(c, st, e);
	return st;
}

static void
ipc_service(struct transport *t, uint64_t now_ns)
{
	struct ipc *c = (struct ipc *)t;
	struct err e = {0};

	if (c->dead)
		return;
	if (!c->open) {
		enum stream_state s = stream_state(c->s, &e);
		struct net_phases p;

		if (s == STREAM_DEAD) {
			down(c, &e);
			return;
		}
		if (s != STREAM_OPEN)
			return;
		c->open = true;
		p = *stream_phases(c->s);
		p.ready = now_ns > c->start_ns ? now_ns - c->start_ns : 1;
		c->h.up(c->h.ctx, &p);
	}
	note_send(c, stream_flush(c->s, &e), &e);
	read_all(c);
}

static uint64_t
ipc_deadline(const struct transport *t)
{
	const struct ipc *c = (const struct ipc *)t;

	return c->send_failed && !c->dead ? 0 : UINT64_MAX;
}

static void
ipc_close(struct transport *t)
{
	struct ipc *c = (struct ipc *)t;

	stream_close(c->s);
	rx_fini(&c->rx);
	url_fini(&c->url);
	free(c);
}

static void
ipc_bytes(const struct transport *t, uint64_t *in, uint64_t *out)
{
	const struct ipc *c = (const struct ipc *)t;

	*in = c->bytes_in;
	*out = c->bytes_out;
}

static const char *
ipc_doing(const struct transport *t)
{
	const struct ipc *c = (const struct ipc *)t;

	return c->s != NULL ? stream_doing(c->s) : "";
}

static void
ipc_phases(const struct transport *t, struct net_phases *p)
{
	const struct ipc *c = (const struct ipc *)t;

	*p = (struct net_phases){ .ready = 0 };
	if (c->s != NULL)
		stream_phases_so_far(c->s, p);
}

const struct transport_class transport_ipc = {
	.name = "ipc",
	.caps = TP_PUSH | TP_LOCAL,
	.open = ipc_open,
	.send = ipc_send,
	.service = ipc_service,
	.deadline = ipc_deadline,
	.close = ipc_close,
	.bytes = ipc_bytes,
	.doing = ipc_doing,
	.phases = ipc_phases,
};
