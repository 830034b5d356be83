/* A thread of a pull that reads: connections, requests, what is tried again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/time.h"
#include "eth/rpc.h"
#include "feed/pull_priv.h"

/*
 * How often a block is asked for again, and after what; delays double up to `most`. What has no row is final. Connections
 * are not in it: see conn_ended.
 */
static const struct {
	enum status code;
	unsigned tries;
	uint64_t first, most;
} retry_table[] = {
	{ ST_NULL, 6, 50 * NS_MS, NS_S }, /* one node of several is behind */
	{ ST_WRONG_BLOCK, 4, 100 * NS_MS, NS_S },
	{ ST_RATE, 8, 500 * NS_MS, 30 * NS_S },
	{ ST_TIMEOUT, 2, 100 * NS_MS, NS_S },
	{ ST_RESET, 4, 100 * NS_MS, NS_S },
	{ ST_CLOSED, 4, 100 * NS_MS, NS_S },
	{ ST_HTTP, 4, 200 * NS_MS, 2 * NS_S },
	{ ST_MALFORMED, 4, 100 * NS_MS, NS_S },
	{ ST_RPC, 3, 200 * NS_MS, NS_S },
	{ ST_IO, 2, 200 * NS_MS, NS_S },
};

enum {
	STRAY_MAX = 4096, /* bytes of a message that is only an error */
	FIRST_TRIES = 3, /* to connect, before a reply has come, for who accepts and closes */
};

/* Delay before try number `tries` + 1; false: no more. */
bool pull_retry_delay(const struct pull *p, enum status code, unsigned tries, uint64_t wait_ns, uint64_t *delay)
{
	for (size_t i = 0; i < sizeof(retry_table) / sizeof(retry_table[0]); i++) {
		if (retry_table[i].code != code)
			continue;
		if (tries >= retry_table[i].tries)
			return false;
		*delay = retry_table[i].first << (tries < 16 ? tries : 16);
		if (*delay > retry_table[i].most)
			*delay = retry_table[i].most;
		*delay /= p->o.hurry;
		if (*delay < wait_ns)
			*delay = wait_ns;
		return true;
	}
	return false;
}

/* What is the connection's fault, not the request's. */
static bool is_conn_error(enum status code)
{
	return code == ST_REFUSED || code == ST_DNS || code == ST_UNREACH || code == ST_TLS || code == ST_PROXY;
}

/* ---- blocks that go round once more ---- */

static void keep_again(struct pull_worker *w, struct pull_slot *s, uint64_t due)
{
	s->due_ns = due;
	w->again[w->n_again++] = s;
}

bool pull_retry(struct pull_worker *w, struct pull_slot *s)
{
	uint64_t now = time_mono(), delay;

	if (!pull_retry_delay(w->p, s->err.code, s->tries, s->wait_ns, &delay)) {
		s->tries++;
		pull_put(w, s, SLOT_FAILED);
		return false;
	}
	s->tries++;
	w->retries++;
	log_msg(LOG_INFO, "block %" PRIu64 ": %s; again in %" PRIu64 " ms", s->number, s->err.text, delay / NS_MS);
	/* A limit of the provider concerns all requests. */
	if (s->err.code == ST_RATE && now + delay > w->pause_until)
		w->pause_until = now + delay;
	s->due_ns = now + delay;
	return true;
}

/* s->err says what went wrong. */
static void slot_failed(struct pull_worker *w, struct pull_slot *s)
{
	if (is_conn_error(s->err.code))
		keep_again(w, s, time_mono() + 100 * NS_MS);
	else if (pull_retry(w, s))
		keep_again(w, s, s->due_ns);
}

/* The due one with the lowest number: the window waits for it. */
static struct pull_slot *take_again(struct pull_worker *w, uint64_t now)
{
	unsigned best = w->n_again;
	struct pull_slot *s;

	for (unsigned i = 0; i < w->n_again; i++) {
		if (w->again[i]->due_ns <= now && (best == w->n_again || w->again[i]->number < w->again[best]->number))
			best = i;
	}
	if (best == w->n_again)
		return NULL;
	s = w->again[best];
	w->again[best] = w->again[--w->n_again];
	return s;
}

static void take_returned(struct pull_worker *w)
{
	struct pull_window *win = &w->p->window;

	if (!atomic_exchange(&w->returned, false))
		return;
	for (unsigned i = 0; i < win->n; i++) {
		struct pull_slot *s = &win->slots[i];
		int is = SLOT_RETURNED;

		if (atomic_compare_exchange_strong(&s->state, &is, SLOT_TAKEN))
			slot_failed(w, s);
	}
}

/* ---- requests ---- */

static enum status write_request(struct pull_worker *w, struct pull_lane *l)
{
	char params[40];

	buf_clear(&w->request);
	switch (l->ask) {
	case ASK_CHAIN: return rpc_request(&w->request, l->id, "eth_chainId", NULL);
	case ASK_HEAD: return rpc_request(&w->request, l->id, "eth_blockNumber", NULL);
	case ASK_NONE: break;
	}
	snprintf(params, sizeof(params), "[\"0x%" PRIx64 "\",true]", l->slot->number);
	return rpc_request(&w->request, l->id, "eth_getBlockByNumber", params);
}

/* What to ask next, if anything. */
static bool fill_lane(struct pull_worker *w, struct pull_lane *l, uint64_t now)
{
	struct pull *p = w->p;

	if (!p->ready_ns) {
		if (l != &w->lanes[0] || now < w->ask_due)
			return false;
		l->ask = p->chain_id == PULL_NOT_ASKED ? ASK_CHAIN : ASK_HEAD;
		return true;
	}
	if (now < w->pause_until)
		return false;
	l->slot = take_again(w, now);
	if (l->slot)
		return true;
	l->slot = window_take(&p->window);
	if (!l->slot && !window_all_taken(&p->window)) {
		/* Full. Said before it is tried again, so that a wake cannot be lost. */
		atomic_store(&w->hungry, true);
		l->slot = window_take(&p->window);
		if (l->slot)
			atomic_store(&w->hungry, false);
	}
	return l->slot != NULL;
}

static void send_lane(struct pull_worker *w, struct pull_lane *l, uint64_t now)
{
	struct pull_conn *c = l->conn;
	struct err e = { .code = ST_OK };
	enum status st;

	if (l->sent || !c->tp || c->dead)
		return;
	if (!l->slot && l->ask == ASK_NONE && !fill_lane(w, l, now))
		return;
	l->id = ++w->serial << 6 | w->index;
	st = write_request(w, l);
	if (st == ST_OK)
		st = c->tp->class->send(c->tp, w->request.p, w->request.len, l->id, &e);
	if (st == ST_AGAIN)
		return; /* still connecting */
	if (st != ST_OK) {
		c->dead = true;
		c->why = e;
		return;
	}
	l->sent = true;
	l->sent_ns = now;
	if (l->slot)
		l->slot->id = l->id;
}

static void send_all(struct pull_worker *w)
{
	uint64_t now = time_mono();

	for (unsigned i = 0; i < w->n_lanes && !atomic_load(&w->p->over); i++)
		send_lane(w, &w->lanes[i], now);
}

static struct pull_lane *find_lane(struct pull_worker *w, const struct pull_conn *c, uint64_t id)
{
	for (unsigned i = 0; i < w->n_lanes; i++) {
		struct pull_lane *l = &w->lanes[i];

		if (l->sent && l->conn == c && l->id == id)
			return l;
	}
	return NULL;
}

/* The lane is free; what it was for is up to the caller. */
static struct pull_slot *clear_lane(struct pull_lane *l)
{
	struct pull_slot *s = l->slot;

	l->slot = NULL;
	l->ask = ASK_NONE;
	l->sent = false;
	return s;
}

/* ---- the two questions at the start ---- */

static void ask_failed(struct pull_worker *w, enum ask ask, const struct err *why, uint64_t wait_ns)
{
	struct pull *p = w->p;
	struct err e = *why, clean;
	uint64_t delay;

	if (is_conn_error(why->code)) {
		w->ask_due = time_mono() + 100 * NS_MS;
		return;
	}
	/* Perhaps it is no HTTP port: conn_ended tries the other thing. */
	if (p->url.scheme == URL_GUESS && p->scheme == URL_HTTP && atomic_load(&p->arrived) == 0 && why->code != ST_RATE) {
		w->conns[0].dead = true;
		w->conns[0].why = *why;
		return;
	}
	if (pull_retry_delay(p, why->code, w->ask_tries, wait_ns, &delay)) {
		w->ask_tries++;
		w->ask_due = time_mono() + delay;
		return;
	}
	w->ask_tries = 0;
	if (ask == ASK_CHAIN && why->code != ST_AUTH) {
		p->chain_id = 0;
		return;
	}
	pull_clean(p, why, &clean);
	err_set_detail(&e, why->code, why->detail, "%s: %.150s",
		ask == ASK_CHAIN ? "eth_chainId" : "eth_blockNumber", clean.text);
	pull_end(p, &e);
}

static void find_any(void *ctx, const struct rpc_msg *m)
{
	*(struct rpc_msg *)ctx = *m;
}

static void answer(struct pull_worker *w, enum ask ask, const char *text, size_t n)
{
	struct pull *p = w->p;
	struct rpc_msg m = { .kind = RPC_STRAY };
	struct err e = { .code = ST_OK };
	struct json_str s;
	struct json j;
	uint64_t v, wait_ms = 0;
	enum status st;

	st = rpc_each(text, n, find_any, &m, &e);
	if (st == ST_OK && m.is_error) {
		st = rpc_error_kind(m.code, m.error_text, m.error_data, &wait_ms);
		err_set_detail(&e, st, (int)m.code, "error %" PRId64 ": %s", m.code, m.error_text);
	} else if (st == ST_OK) {
		json_init(&j, m.result.p, m.result.n);
		if (!json_string(&j, &s) || !json_end(&j) || !hex_u64(s.p, s.n, &v, NULL) || v >= INT64_MAX)
			st = err_set(&e, ST_MALFORMED, "the answer is not a number");
	}
	if (st != ST_OK) {
		ask_failed(w, ask, &e, wait_ms * NS_MS);
		return;
	}
	w->ask_tries = 0;
	if (ask == ASK_CHAIN)
		p->chain_id = v;
	else
		pull_go(p, v);
}

/* ---- the transport's calls ---- */

static void on_up(void *ctx, const struct net_phases *ph)
{
	(void)ctx;
	(void)ph;
}

bool pull_hand_over(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n)
{
	struct pull *p = w->p;

	for (unsigned i = 1; p->push && i < p->n_workers; i++) {
		struct pull_worker *d = &p->workers[i];

		if (atomic_load_explicit(&d->task, memory_order_acquire))
			continue;
		buf_clear(&d->raw);
		if (buf_add(&d->raw, text, n) != ST_OK)
			return false;
		atomic_store(&d->task, s);
		wake_raise(&d->wake);
		return true;
	}
	return false;
}

static void take_block(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n)
{
	if (pull_hand_over(w, s, text, n))
		return;
	if (pull_decode(w, s, text, n) == ST_OK)
		pull_put(w, s, SLOT_DONE);
	else
		slot_failed(w, s);
}

static void lane_failed(struct pull_worker *w, struct pull_lane *l, const struct err *e, uint64_t wait_ns)
{
	enum ask ask = l->ask;
	struct pull_slot *s = clear_lane(l);

	if (s) {
		s->err = *e;
		s->wait_ns = wait_ns;
		slot_failed(w, s);
	} else if (ask != ASK_NONE) {
		ask_failed(w, ask, e, wait_ns);
	}
}

/* An error that names no request ("id":null), as nodes send it when they refuse to look at one: the oldest is meant. */
static bool on_stray(struct pull_conn *c, const char *text, size_t n)
{
	struct pull_worker *w = c->w;
	struct rpc_msg m = { .kind = RPC_STRAY };
	struct pull_lane *oldest = NULL;
	uint64_t wait_ms = 0;
	struct err e;

	if (n > STRAY_MAX || rpc_each(text, n, find_any, &m, NULL) != ST_OK || !m.is_error || m.has_id)
		return false;
	for (unsigned i = 0; i < w->n_lanes; i++) {
		struct pull_lane *l = &w->lanes[i];

		if (l->sent && l->conn == c && (!oldest || l->sent_ns < oldest->sent_ns))
			oldest = l;
	}
	if (!oldest)
		return false;
	err_set_detail(&e, rpc_error_kind(m.code, m.error_text, m.error_data, &wait_ms), (int)m.code,
		"error %" PRId64 ": %s", m.code, m.error_text);
	lane_failed(w, oldest, &e, wait_ms * NS_MS);
	return true;
}

static void on_reply(struct pull_conn *c, uint64_t id, const char *text, size_t n)
{
	struct pull_worker *w = c->w;
	struct pull_lane *l = find_lane(w, c, id);
	uint64_t now = time_mono();
	struct pull_slot *s;
	enum ask ask;

	if (!l && on_stray(c, text, n))
		return;
	if (!l) {
		w->odd++;
		return;
	}
	c->stood = true;
	atomic_fetch_add_explicit(&w->p->arrived, 1, memory_order_relaxed);
	ask = l->ask;
	if (ask == ASK_NONE)
		hist_add(w->latency, now - l->sent_ns);
	s = clear_lane(l);
	if (ask != ASK_NONE) {
		answer(w, ask, text, n);
		return;
	}
	/* The node works on the next one while this one is decoded. */
	send_lane(w, l, now);
	net_loop_push(w->loop);
	take_block(w, s, text, n);
}

static void each_id(void *ctx, const struct rpc_msg *m)
{
	uint64_t *id = ctx;

	if (m->kind == RPC_REPLY && m->has_id)
		*id = m->id;
}

static void on_message(void *ctx, const char *text, size_t n, const struct net_meta *meta)
{
	struct pull_conn *c = ctx;
	uint64_t id = meta->token;
	struct rpc_msg m;

	if (atomic_load(&c->w->p->over))
		return;
	/* HTTP says itself what a message answers. What is in it is pull_decode's business. */
	if (!id && rpc_peek_reply(text, n, &m))
		id = m.id;
	else if (!id && rpc_each(text, n, each_id, &id, NULL) != ST_OK)
		id = 0;
	on_reply(c, id, text, n);
}

static void on_failed(void *ctx, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t body_n)
{
	struct pull_conn *c = ctx;
	struct pull_lane *l = find_lane(c->w, c, token);
	struct rpc_msg m = { .kind = RPC_STRAY };
	struct err mine = *e;
	uint64_t wait_ms = 0;
	enum status st;

	if (!l || atomic_load(&c->w->p->over))
		return;
	/* A JSON-RPC error in the body knows better than the status. */
	if (e->code != ST_AUTH && body_n && rpc_each(body, body_n, find_any, &m, NULL) == ST_OK && m.is_error) {
		st = rpc_error_kind(m.code, m.error_text, m.error_data, &wait_ms);
		if (st != ST_RPC || e->code == ST_HTTP)
			err_set_detail(&mine, st, (int)m.code, "error %" PRId64 ": %s", m.code, m.error_text);
	}
	if (wait_ms * NS_MS > retry_ns)
		retry_ns = wait_ms * NS_MS;
	/* An answer is an answer: the connection works. */
	if (!is_conn_error(mine.code) && mine.code != ST_RESET && mine.code != ST_CLOSED)
		c->stood = true;
	lane_failed(c->w, l, &mine, retry_ns);
}

static void on_odd(void *ctx, const struct err *e)
{
	struct pull_conn *c = ctx;

	c->w->odd++;
	log_msg(LOG_WARN, "%s", e->text);
}

static void on_down(void *ctx, const struct err *e, uint64_t retry_ns)
{
	struct pull_conn *c = ctx;

	c->dead = true;
	c->why = *e;
	c->wait_ns = retry_ns;
}

/* ---- connections ---- */

static void conn_close(struct pull_conn *c)
{
	uint64_t in = 0, out = 0;

	if (!c->tp)
		return;
	c->tp->class->bytes(c->tp, &in, &out);
	c->bytes_in += in;
	c->tp->class->close(c->tp);
	c->tp = NULL;
}

/* `localhost:8545`: what does not answer as HTTP is tried as WebSocket. */
static bool guess_again(struct pull *p, const struct err *why)
{
	if (p->url.scheme != URL_GUESS || p->scheme != URL_HTTP || p->ready_ns || atomic_load(&p->arrived) != 0)
		return false;
	if (why->code == ST_REFUSED || why->code == ST_DNS || why->code == ST_AUTH)
		return false;
	p->scheme = URL_WS;
	p->push = true;
	return true;
}

void pull_give_up(struct pull_conn *c)
{
	struct pull_worker *w = c->w;
	struct pull *p = w->p;
	struct err e = c->why, why;

	pull_clean(p, &c->why, &why);
	if (p->ready_ns)
		err_set_detail(&e, why.code, why.detail, "block %" PRIu64 ": %.140s (%u times)",
			(uint64_t)atomic_load(&p->window.head), why.text, c->fails);
	pull_end(p, &e);
}

/*
 * What was in flight goes round once more; the blocks are not to blame, or cannot be told apart. But if nothing at all
 * comes between
 * some failures it is given up.
 */
static void conn_ended(struct pull_conn *c)
{
	struct pull_worker *w = c->w;
	struct pull *p = w->p;
	uint64_t now = time_mono(), arrived = atomic_load(&p->arrived);
	bool first = arrived == 0;

	conn_close(c);
	c->dead = false;
	for (unsigned i = 0; i < w->n_lanes; i++) {
		struct pull_slot *s;

		if (w->lanes[i].conn != c)
			continue;
		s = clear_lane(&w->lanes[i]);
		if (s)
			keep_again(w, s, now);
	}
	if (guess_again(p, &c->why)) {
		c->retry_at = now;
		return;
	}
	c->fails = arrived != c->arrived ? 1 : c->fails + 1;
	c->arrived = arrived;
	if (c->fails >= (first ? FIRST_TRIES : PULL_TRIES) || c->why.code == ST_AUTH || (first && is_conn_error(c->why.code))) {
		pull_give_up(c);
		return;
	}
	w->reconnects++;
	c->retry_at = now + backoff_delay(&c->backoff, c->stood ? now - c->opened : 0, c->wait_ns);
	log_msg(LOG_INFO, "%s; next try in %" PRIu64 " ms", c->why.text, (c->retry_at - now) / NS_MS);
}

static void conn_open(struct pull_conn *c, uint64_t now)
{
	const struct net_handler h = { c, on_up, on_message, on_failed, on_odd, on_down };
	struct pull *p = c->w->p;
	struct url u = p->url;
	struct err e = { .code = ST_OK };

	u.scheme = p->scheme;
	c->opened = c->progress_ns = now;
	c->seen_bytes = 0;
	c->stood = false;
	c->wait_ns = 0;
	if (transport_find(u.scheme)->open(&c->tp, c->w->loop, &u, p->o.net, &h, &e) == ST_OK)
		return;
	c->tp = NULL;
	c->dead = true;
	c->why = e;
}

/*
 * A request without an answer is asked again, and on another connection: who knows what state this one is in. (A text that
 * does not end swallows all that follow on a socket.)
 */
static void check_deadlines(struct pull_worker *w, uint64_t now)
{
	const uint64_t limit = w->p->o.net->request_timeout_ns ? w->p->o.net->request_timeout_ns : 30 * NS_S;
	struct err e;

	if (!w->p->push)
		return; /* libcurl has its own */
	for (unsigned i = 0; i < w->n_lanes; i++) {
		struct pull_lane *l = &w->lanes[i];
		uint64_t since = l->sent_ns > l->conn->progress_ns ? l->sent_ns : l->conn->progress_ns;

		if (!l->sent || now < since + limit)
			continue;
		err_set(&e, ST_TIMEOUT, "no answer in %.1f s", (double)limit / (double)NS_S);
		lane_failed(w, l, &e, 0);
		l->conn->dead = true;
		l->conn->why = e;
	}
}

static void service(struct pull_worker *w)
{
	uint64_t now = time_mono(), in, out;

	for (unsigned i = 0; i < w->n_conns; i++) {
		struct pull_conn *c = &w->conns[i];

		if (c->tp && !c->dead)
			c->tp->class->service(c->tp, now);
		if (c->tp && !c->dead) {
			c->tp->class->bytes(c->tp, &in, &out);
			if (in != c->seen_bytes) {
				c->seen_bytes = in;
				c->progress_ns = now;
			}
		}
	}
}

static void end_dead(struct pull_worker *w)
{
	for (unsigned i = 0; i < w->n_conns; i++) {
		if (w->conns[i].dead && !atomic_load(&w->p->over))
			conn_ended(&w->conns[i]);
	}
}

/* ---- the loop ---- */

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t next_time(const struct pull_worker *w, uint64_t now)
{
	const uint64_t limit = w->p->o.net->request_timeout_ns ? w->p->o.net->request_timeout_ns : 30 * NS_S;
	uint64_t t = UINT64_MAX;

	for (unsigned i = 0; i < w->n_conns; i++) {
		const struct pull_conn *c = &w->conns[i];

		t = sooner(t, c->tp ? c->tp->class->deadline(c->tp) : c->retry_at);
	}
	/* What is due already waits for a lane, not for the clock. */
	for (unsigned i = 0; i < w->n_again; i++) {
		if (w->again[i]->due_ns > now)
			t = sooner(t, w->again[i]->due_ns);
	}
	if (w->pause_until > now)
		t = sooner(t, w->pause_until);
	for (unsigned i = 0; w->p->push && i < w->n_lanes; i++) {
		const struct pull_lane *l = &w->lanes[i];

		if (l->sent)
			t = sooner(t, limit + (l->sent_ns > l->conn->progress_ns ? l->sent_ns : l->conn->progress_ns));
	}
	if (!w->p->ready_ns && w->ask_due > now)
		t = sooner(t, w->ask_due);
	return t;
}

int pull_until(uint64_t now, uint64_t t)
{
	uint64_t ms;

	if (t == UINT64_MAX)
		return -1;
	if (t <= now)
		return 0;
	ms = (t - now + NS_MS - 1) / NS_MS;
	return ms > 60000 ? 60000 : (int)ms;
}

void pull_io_run(struct pull_worker *w)
{
	struct pull *p = w->p;
	struct err e = { .code = ST_OK };

	if (w->p2p) {
		pull_p2p_run(w);
		return;
	}
	while (!atomic_load(&p->over)) {
		uint64_t now = time_mono();

		for (unsigned i = 0; i < w->n_conns; i++) {
			if (!w->conns[i].tp && w->conns[i].retry_at <= now)
				conn_open(&w->conns[i], now);
		}
		take_returned(w);
		send_all(w);
		now = time_mono();
		if (net_loop_wait(w->loop, pull_until(now, next_time(w, now)), &e) != ST_OK) {
			pull_end(p, &e);
			break;
		}
		if (atomic_load(&w->wake.pending))
			wake_take(&w->wake);
		service(w);
		/* Behind the service: what came while the output kept this thread waiting counts. */
		check_deadlines(w, time_mono());
		end_dead(w);
	}
	for (unsigned i = 0; i < w->n_conns; i++)
		conn_close(&w->conns[i]);
}

uint64_t pull_io_bytes(const struct pull_worker *w)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < w->n_conns; i++)
		sum += w->conns[i].bytes_in;
	return sum;
}

void pull_io_lanes(struct pull_worker *w, unsigned lanes, bool push)
{
	w->n_lanes = lanes;
	w->n_conns = push ? 1 : (lanes + LANES_PER_CONN - 1) / LANES_PER_CONN;
	for (unsigned i = 0; i < lanes; i++)
		w->lanes[i] = (struct pull_lane){ .conn = &w->conns[i % w->n_conns] };
}

enum status pull_io_init(struct pull_worker *w, struct err *e)
{
	const struct url *u = &w->p->url;
	unsigned hurry = w->p->o.hurry;
	enum status st;

	w->reads = true;
	for (unsigned i = 0; i < PULL_CONNS; i++) {
		w->conns[i] = (struct pull_conn){ .w = w };
		backoff_init(&w->conns[i].backoff, 250 * NS_MS / hurry, (url_is_local(u) ? 2 : 10) * NS_S / hurry, 2 * NS_S,
			time_mono() + w->index);
	}
	buf_init(&w->request, 4096);
	w->loop = net_loop_new();
	st = w->loop ? net_loop_watch(w->loop, wake_fd(&w->wake)) : ST_NOMEM;
	if (st != ST_OK)
		return err_set(e, st, "cannot start a thread of the fetch: %s", status_word(st));
	return pull_is_p2p(w->p) ? pull_p2p_init(w, e) : ST_OK;
}

void pull_io_fini(struct pull_worker *w)
{
	for (unsigned i = 0; i < w->n_conns; i++)
		conn_close(&w->conns[i]);
	pull_p2p_fini(w);
	net_loop_free(w->loop);
	buf_fini(&w->request);
}
