#include "cmd/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cmd/stop.h"
#include "net/loop.h"

struct session {
	struct net_loop *loop;
	const struct url *url;
	const struct net_opts *opts;
	const struct session_hooks *hooks;
	struct transport *tp;
	bool push, up, dead;
	struct net_phases phases;
	struct err why; /* dead, or the call failed */
	uint64_t id, sent_ns; /* id: of the call that waits, 0: none */
	bool failed;
};

/* What rpc_each finds in a message. */
struct looking {
	struct session *s;
	const char *text;
	size_t n;
	const struct net_meta *meta;
	bool found;
};

static void answered(struct session *s, const struct rpc_msg *m, const char *text, size_t n, const struct net_meta *meta)
{
	s->id = 0;
	s->hooks->answer(s->hooks->ctx, m, text, n, meta);
}

static void look(void *ctx, const struct rpc_msg *m)
{
	struct looking *l = ctx;
	struct session *s = l->s;

	if (m->kind == RPC_NOTE && s->hooks->note) {
		s->hooks->note(s->hooks->ctx, m, l->text, l->n);
		l->found = true;
	} else if (s->id && ((m->kind == RPC_REPLY && m->id == s->id) || (m->kind == RPC_STRAY && m->is_error))) {
		/* An error without an id can only belong to the call that waits. */
		answered(s, m, l->text, l->n, l->meta);
		l->found = true;
	}
}

static void message(struct session *s, const char *text, size_t n, const struct net_meta *meta)
{
	struct looking l = { .s = s, .text = text, .n = n, .meta = meta };
	struct rpc_msg m;
	struct err e;

	if (s->id && rpc_peek_reply(text, n, &m) && m.id == s->id) {
		answered(s, &m, text, n, meta);
		return;
	}
	if (rpc_each(text, n, look, &l, &e) != ST_OK && s->id) {
		err_set(&s->why, ST_MALFORMED, "the answer: %s", e.text);
		s->failed = true;
	} else if (!l.found && s->id && !s->push) {
		err_set(&s->why, ST_MALFORMED, "the response holds no answer to the call");
		s->failed = true;
	}
}

static void on_up(void *ctx, const struct net_phases *p)
{
	struct session *s = ctx;

	s->up = true;
	s->phases = *p;
}

static void on_message(void *ctx, const char *text, size_t n, const struct net_meta *m)
{
	message(ctx, text, n, m);
}

static void on_failed(void *ctx, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t body_n)
{
	const struct net_meta m = { .token = token };
	struct session *s = ctx;

	(void)retry_ns;
	/* A JSON-RPC error in the body of a 4xx or 5xx says more than the status. */
	if (body_n && (body[0] == '{' || body[0] == '['))
		message(s, body, body_n, &m);
	if (!s->id)
		return;
	s->why = *e;
	s->failed = true;
}

static void on_odd(void *ctx, const struct err *e)
{
	(void)ctx;
	(void)e;
}

static void on_down(void *ctx, const struct err *e, uint64_t retry_ns)
{
	struct session *s = ctx;

	(void)retry_ns;
	s->dead = true;
	s->why = *e;
}

enum status session_open(struct session **out, struct net_loop *l, const struct url *u, const struct net_opts *o,
			 const struct session_hooks *h, struct err *e)
{
	const struct transport_class *class = transport_find(u->scheme);
	struct session *s = calloc(1, sizeof(*s));
	enum status st;

	*out = NULL;
	if (!s)
		return err_set(e, ST_NOMEM, "no memory");
	*s = (struct session){ .loop = l, .url = u, .opts = o, .hooks = h, .push = (class->caps & TP_PUSH) != 0 };
	st = class->open(&s->tp, l, u, o, &(struct net_handler){ s, on_up, on_message, on_failed, on_odd, on_down }, e);
	if (st != ST_OK) {
		s->tp = NULL;
		session_close(s);
		return st;
	}
	*out = s;
	return ST_OK;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	if (s->tp)
		s->tp->class->close(s->tp);
	free(s);
}

static int wait_ms(const struct session *s, uint64_t now, uint64_t end)
{
	uint64_t t = s->tp->class->deadline(s->tp), ms;

	t = end < t ? end : t;
	if (t == UINT64_MAX)
		return -1;
	if (t <= now)
		return 0;
	ms = (t - now + NS_MS - 1) / NS_MS;
	return ms > 60000 ? 60000 : (int)ms;
}

/* One wait. ST_OK: something may have happened. */
static enum status turn(struct session *s, uint64_t end, struct err *e)
{
	uint64_t now = time_mono();

	if (stop_asked())
		return err_set(e, ST_AGAIN, "stopped");
	if (now >= end)
		return err_set(e, ST_TIMEOUT, "no answer in time");
	if (net_loop_wait(s->loop, wait_ms(s, now, end), e) != ST_OK)
		return e->code;
	s->tp->class->service(s->tp, time_mono());
	if (!s->dead)
		return ST_OK;
	*e = s->why;
	return e->code;
}

enum status session_call(struct session *s, const char *text, size_t n, uint64_t id, uint64_t limit_ns, struct err *e)
{
	uint64_t end = time_mono() + limit_ns;
	enum status st = ST_OK;

	while (s->push && !s->up && st == ST_OK)
		st = turn(s, end, e);
	if (st == ST_TIMEOUT)
		return err_set(e, ST_TIMEOUT, "no connection in time");
	if (st != ST_OK)
		return st;
	s->id = id;
	s->failed = false;
	/* Before it is sent: a node on this machine may answer before we run again. */
	s->sent_ns = time_mono();
	while ((st = s->tp->class->send(s->tp, text, n, id, e)) == ST_AGAIN) {
		st = turn(s, end, e);
		if (st != ST_OK)
			return st;
		s->sent_ns = time_mono();
	}
	net_loop_push(s->loop);
	while (st == ST_OK && s->id && !s->failed)
		st = turn(s, end, e);
	/* The connection may end behind the answer. */
	if (!s->id && st != ST_AGAIN)
		return ST_OK;
	if (s->failed)
		*e = s->why;
	s->id = 0;
	if (st != ST_AGAIN)
		net_redact(s->url, s->opts, e->text);
	return st == ST_OK ? e->code : st;
}

enum status session_listen(struct session *s, bool (*enough)(void *ctx), struct err *e)
{
	enum status st = ST_OK;

	while (st == ST_OK && !enough(s->hooks->ctx))
		st = turn(s, UINT64_MAX, e);
	return st;
}

const struct net_phases *session_phases(const struct session *s)
{
	return &s->phases;
}

uint64_t session_sent(const struct session *s)
{
	return s->sent_ns;
}

bool session_guess(const struct url *u, enum url_scheme tried, const struct err *e, enum url_scheme *to)
{
	*to = URL_WS;
	return u->scheme == URL_GUESS && tried == URL_HTTP && e->code != ST_REFUSED && e->code != ST_DNS && e->code != ST_AGAIN;
}
