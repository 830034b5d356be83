/* The thread of a pull that reads, over RLPx: one connection; headers by their number, then bodies by the hashes of those. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "eth/block_rlp.h"
#include "eth/forkid.h"
#include "feed/pull_priv.h"
#include "net/devp2p/dial.h"

enum {
	HEADERS = 32, /* of one request; so much room the window has before they are asked for */
	BODIES = 16, /* of one request: about what a node puts into one answer (2 MiB) of full blocks */
	HEADER_LIMIT = 16 * 1024,
};

/* Where a block is that this thread has. */
enum stage {
	STAGE_NONE, /* not here: free, decoded elsewhere, done */
	STAGE_HEADER, /* its header is to be asked for */
	STAGE_BODY, /* its header is here, its body is to be asked for */
	STAGE_ASKED,
};

struct work {
	enum stage stage;
	struct pull_slot *s;
	bool has_header;
	struct hash hash;
	struct buf header;
};

struct request {
	bool used;
	uint64_t id, sent_ns;
	enum peer_want want;
	unsigned n;
	struct work *work[HEADERS]; /* n 0: the head's header */
};

struct pull_p2p {
	struct pull_worker *w;
	struct dial *dial;
	bool live;
	struct work works[PULL_WINDOW]; /* as the window's slots */
	struct request requests[PEER_REQUESTS_MAX];
	unsigned in_flight;
	struct buf raw; /* a header and a body, for who decodes them */
	uint64_t stalled_ns; /* until when the output, or decoding, kept this thread from reading */
};

/* ---- blocks that wait ---- */

static void wait_again(struct work *k)
{
	k->stage = k->has_header ? STAGE_BODY : STAGE_HEADER;
}

static void work_failed(struct pull_p2p *x, struct work *k, enum status code, const char *text)
{
	err_set(&k->s->err, code, "%s", text);
	k->s->wait_ns = 0;
	if (pull_retry(x->w, k->s))
		wait_again(k);
	else
		k->stage = STAGE_NONE;
}

static struct work *work_of(struct pull_p2p *x, uint64_t number)
{
	return &x->works[number % x->w->p->window.n];
}

/* New numbers, many at once: a window that moves block by block would make requests of one header each. */
static void take_numbers(struct pull_p2p *x)
{
	struct pull_worker *w = x->w;
	struct pull_window *win = &w->p->window;

	for (bool again = false; !window_all_taken(win); again = true) {
		uint64_t next = atomic_load(&win->next), room = win->n - (next - atomic_load(&win->head));
		struct pull_slot *s;

		if (room >= HEADERS || room > win->to - next) {
			while ((s = window_take(win)) != NULL) {
				struct work *k = work_of(x, s->number);

				k->s = s;
				k->has_header = false;
				wait_again(k);
			}
		}
		/* Said before it is looked at again, so that a wake cannot be lost. */
		if (again)
			break;
		atomic_store(&w->hungry, true);
	}
}

/* What a decoding thread could not make a block of. */
static void take_returned(struct pull_p2p *x)
{
	struct pull_window *win = &x->w->p->window;

	if (!atomic_exchange(&x->w->returned, false))
		return;
	for (unsigned i = 0; i < win->n; i++) {
		struct pull_slot *s = &win->slots[i];
		int is = SLOT_RETURNED;

		if (!atomic_compare_exchange_strong(&s->state, &is, SLOT_TAKEN))
			continue;
		if (pull_retry(x->w, s))
			wait_again(&x->works[i]);
	}
}

/* ---- requests ---- */

static bool is_due(const struct work *k, enum stage stage, uint64_t now)
{
	return k->stage == stage && k->s->due_ns <= now;
}

/* A node leaves out what it does not have, and what comes behind takes its place: what failed is asked for alone. */
static bool alone(const struct work *k)
{
	return k->s->tries > 0 && k->s->err.code != ST_TIMEOUT;
}

/* The oldest bodies that can be asked for, or else the oldest headers, which must have numbers in a row. */
static void choose(struct pull_p2p *x, struct request *r, uint64_t now)
{
	const struct pull_window *win = &x->w->p->window;
	const uint64_t head = atomic_load(&win->head), next = atomic_load(&win->next);

	r->n = 0;
	r->want = PEER_WANT_BODIES;
	for (uint64_t i = head; i < next && r->n < BODIES; i++) {
		struct work *k = work_of(x, i);

		if (!is_due(k, STAGE_BODY, now) || (r->n && alone(k)))
			continue;
		r->work[r->n++] = k;
		if (alone(k))
			break;
	}
	if (r->n)
		return;
	r->want = PEER_WANT_HEADERS;
	for (uint64_t i = head; i < next && r->n < HEADERS; i++) {
		struct work *k = work_of(x, i);

		if (is_due(k, STAGE_HEADER, now))
			r->work[r->n++] = k;
		else if (r->n)
			break;
	}
}

static enum status send_request(struct pull_p2p *x, struct request *r, uint64_t now, struct err *e)
{
	struct peer *peer = dial_peer(x->dial);
	struct hash hashes[BODIES];
	enum status st;

	if (r->n == 0)
		st = peer_get_headers(peer, now, &peer_status(peer)->head, 0, 1, false, &r->id, e);
	else if (r->want == PEER_WANT_HEADERS)
		st = peer_get_headers(peer, now, NULL, r->work[0]->s->number, r->n, false, &r->id, e);
	else {
		for (unsigned i = 0; i < r->n; i++)
			hashes[i] = r->work[i]->hash;
		st = peer_get_bodies(peer, now, hashes, r->n, &r->id, e);
	}
	if (st != ST_OK)
		return st;
	for (unsigned i = 0; i < r->n; i++)
		r->work[i]->stage = STAGE_ASKED;
	r->used = true;
	r->sent_ns = now;
	x->in_flight++;
	return ST_OK;
}

static enum status send_all(struct pull_p2p *x, struct err *e)
{
	struct pull *p = x->w->p;
	uint64_t now = time_mono();
	enum status st = ST_OK;

	if (!x->live || (!p->ready_ns && (x->in_flight || now < x->w->ask_due)))
		return ST_OK;
	if (p->ready_ns)
		take_numbers(x);
	for (unsigned i = 0; i < PEER_REQUESTS_MAX && x->in_flight < p->o.workers && st == ST_OK; i++) {
		struct request *r = &x->requests[i];

		if (r->used)
			continue;
		r->n = 0;
		r->want = PEER_WANT_HEADERS;
		if (p->ready_ns)
			choose(x, r, now);
		if (p->ready_ns && r->n == 0)
			break;
		st = send_request(x, r, now, e);
		if (!p->ready_ns)
			break;
	}
	dial_flush(x->dial);
	return st == ST_AGAIN ? ST_OK : st;
}

static struct request *find_request(struct pull_p2p *x, uint64_t id)
{
	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++) {
		if (x->requests[i].used && x->requests[i].id == id)
			return &x->requests[i];
	}
	return NULL;
}

static void end_request(struct pull_p2p *x, struct request *r)
{
	r->used = false;
	x->in_flight--;
}

/* ---- answers ---- */

static void head_failed(struct pull_p2p *x, enum status code, const char *text)
{
	struct pull_worker *w = x->w;
	struct err e;
	uint64_t delay;

	if (pull_retry_delay(w->p, code, w->ask_tries, 0, &delay)) {
		w->ask_tries++;
		w->ask_due = time_mono() + delay;
		return;
	}
	err_set(&e, code, "the head that its Status names: %s", text);
	(void)err_cure(&e, "is it still starting?");
	pull_end(w->p, &e);
}

static void on_head(struct pull_p2p *x, struct rlp list)
{
	struct rlp_item item;
	struct header h;
	struct err e;

	if (!rlp_next(&list, &item) || header_from_rlp(item.raw, item.raw_n, &h, NULL, &e) != ST_OK)
		head_failed(x, ST_MALFORMED, "not a header");
	else
		pull_go(x->w->p, h.number);
}

static void on_miss(struct pull_p2p *x, struct request *r, enum status code, const char *text)
{
	/* It may have come in time, and this thread did not look. */
	bool ours = code == ST_TIMEOUT && r->sent_ns < x->stalled_ns;

	end_request(x, r);
	if (r->n == 0)
		head_failed(x, code, text);
	for (unsigned i = 0; i < r->n && !atomic_load(&x->w->p->over); i++) {
		if (ours)
			wait_again(r->work[i]);
		else
			work_failed(x, r->work[i], code, text);
	}
}

static void take_header(struct pull_p2p *x, struct work *k, const struct rlp_item *item)
{
	struct header h;
	struct err e;

	buf_clear(&k->header);
	if (item->raw_n > HEADER_LIMIT)
		work_failed(x, k, ST_TOO_BIG, "its header is larger than 16 KiB");
	else if (header_from_rlp(item->raw, item->raw_n, &h, NULL, &e) != ST_OK)
		work_failed(x, k, ST_MALFORMED, e.text);
	else if (buf_add(&k->header, item->raw, item->raw_n) != ST_OK)
		work_failed(x, k, ST_NOMEM, "out of memory");
	else {
		k->hash = h.hash;
		k->has_header = true;
		wait_again(k);
	}
}

static void take_body(struct pull_p2p *x, struct work *k, const struct rlp_item *item)
{
	struct pull_worker *w = x->w;

	buf_clear(&x->raw);
	if (buf_add(&x->raw, k->header.p, k->header.len) != ST_OK || buf_add(&x->raw, item->raw, item->raw_n) != ST_OK) {
		work_failed(x, k, ST_NOMEM, "out of memory");
		return;
	}
	k->stage = STAGE_NONE;
	if (pull_hand_over(w, k->s, x->raw.p, x->raw.len))
		return;
	if (pull_decode(w, k->s, x->raw.p, x->raw.len) == ST_OK)
		pull_put(w, k->s, SLOT_DONE);
	else if (pull_retry(w, k->s))
		wait_again(k);
}

static void on_answer(struct pull_p2p *x, const struct peer_event *ev)
{
	struct pull_worker *w = x->w;
	struct request *r = find_request(x, ev->u.answer.id), was;
	struct rlp list = ev->u.answer.list;
	struct rlp_item item;

	if (!r)
		return; /* given up meanwhile */
	if (ev->kind == PEER_MISS) {
		on_miss(x, r, ev->u.answer.code, ev->text);
		return;
	}
	hist_add(w->latency, ev->u.answer.took_ns);
	atomic_fetch_add_explicit(&w->p->arrived, 1, memory_order_relaxed);
	was = *r;
	end_request(x, r);
	if (was.n == 0) {
		on_head(x, list);
		return;
	}
	/* An answer may be shorter: the rest is asked for again. */
	for (unsigned i = 0; i < was.n; i++)
		wait_again(was.work[i]);
	for (unsigned i = 0; i < was.n && rlp_next(&list, &item) && !atomic_load(&w->p->over); i++) {
		if (was.want == PEER_WANT_HEADERS)
			take_header(x, was.work[i], &item);
		else
			take_body(x, was.work[i], &item);
	}
}

/* The genesis and the forks say which chain it is; a network id is any number, but mostly the same. */
static void on_status(struct pull_p2p *x, const struct eth_status *s)
{
	struct pull *p = x->w->p;
	uint64_t id = forkid_chain(&s->genesis, s->fork_hash);

	x->live = true;
	if (p->ready_ns)
		return;
	p->chain_id = id ? id : s->network;
	p->is_network = id == 0;
	/* Else its hash is known, and the header says the number. */
	if (s->has & ETH_HAS_RANGE)
		pull_go(p, s->latest);
}

static enum status take_events(struct pull_p2p *x, struct err *e)
{
	uint64_t began = time_mono(), now;
	struct peer_event ev;
	enum status st = ST_AGAIN;

	while (!atomic_load(&x->w->p->over) && (st = dial_next(x->dial, &ev, e)) == ST_OK) {
		switch (ev.kind) {
		case PEER_STATUS: on_status(x, ev.u.status.status); break;
		case PEER_HEADERS:
		case PEER_BODIES:
		case PEER_MISS: on_answer(x, &ev); break;
		case PEER_ODD:
			x->w->odd++;
			log_msg(LOG_WARN, "odd message of a peer: %s", ev.text);
			break;
		default: break; /* announcements, transactions: not what is wanted here */
		}
		now = time_mono();
		if (now - began > NS_S)
			x->stalled_ns = now;
		began = now;
	}
	return st;
}

/* peer.h has a limit of its own, which --request-timeout may undercut. */
static uint64_t answer_limit(const struct pull_p2p *x)
{
	uint64_t ns = x->w->p->o.net->request_timeout_ns;

	return ns && ns < PEER_ANSWER_S * NS_S ? ns : UINT64_MAX;
}

static void check_deadlines(struct pull_p2p *x)
{
	uint64_t now = time_mono(), limit = answer_limit(x);
	struct err e;

	for (unsigned i = 0; i < PEER_REQUESTS_MAX && limit != UINT64_MAX; i++) {
		if (!x->requests[i].used || now - x->requests[i].sent_ns < limit)
			continue;
		err_set(&e, ST_TIMEOUT, "no answer in %.1f s", (double)limit / (double)NS_S);
		on_miss(x, &x->requests[i], e.code, e.text);
	}
}

/* ---- the connection ---- */

static void close_dial(struct pull_p2p *x, enum p2p_reason reason)
{
	struct pull_conn *c = &x->w->conns[0];
	uint64_t in = 0, out = 0;

	if (!x->dial)
		return;
	dial_bytes(x->dial, &in, &out);
	c->bytes_in += in;
	dial_close(x->dial, reason);
	x->dial = NULL;
	x->live = false;
}

/* Nodes let an address in once in half a minute. What says no to the first attempt is told at once. */
static void conn_ended(struct pull_p2p *x, const struct err *why)
{
	struct pull_conn *c = &x->w->conns[0];
	struct pull *p = x->w->p;
	uint64_t now = time_mono(), arrived = atomic_load(&p->arrived);
	bool reached = x->dial && dial_peer(x->dial);

	c->why = *why;
	close_dial(x, P2P_USELESS);
	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++) {
		struct request *r = &x->requests[i];

		for (unsigned k = 0; r->used && k < r->n; k++)
			wait_again(r->work[k]);
		r->used = false;
	}
	x->in_flight = 0;
	c->fails = arrived != c->arrived ? 1 : c->fails + 1;
	c->arrived = arrived;
	if (arrived == 0 || c->fails >= PULL_TRIES || why->code == ST_AUTH) {
		pull_give_up(c);
		return;
	}
	x->w->reconnects++;
	c->retry_at = now + backoff_delay(&c->backoff, now - c->opened, reached ? PEER_BACKOFF_S * NS_S / p->o.hurry : 0);
	log_msg(LOG_INFO, "%s; next try in %" PRIu64 " ms", why->text, (c->retry_at - now) / NS_MS);
}

static void conn_open(struct pull_p2p *x, uint64_t now)
{
	struct pull *p = x->w->p;
	struct err e = { .code = ST_OK };

	x->w->conns[0].opened = now;
	if (dial_open(&x->dial, x->w->loop, &p->url, p->o.net, p->o.key, &e) != ST_OK)
		conn_ended(x, &e);
}

/* ---- the loop ---- */

static uint64_t next_time(const struct pull_p2p *x, uint64_t now)
{
	uint64_t t = x->dial ? dial_deadline(x->dial) : x->w->conns[0].retry_at, limit = answer_limit(x);

	for (unsigned i = 0; limit != UINT64_MAX && i < PEER_REQUESTS_MAX; i++) {
		if (x->requests[i].used && x->requests[i].sent_ns + limit < t)
			t = x->requests[i].sent_ns + limit;
	}
	/* What is due already waits for an answer, not for the clock. */
	for (unsigned i = 0; i < PULL_WINDOW; i++) {
		const struct work *k = &x->works[i];

		if ((k->stage == STAGE_HEADER || k->stage == STAGE_BODY) && k->s->due_ns > now && k->s->due_ns < t)
			t = k->s->due_ns;
	}
	if (!x->w->p->ready_ns && x->w->ask_due > now && x->w->ask_due < t)
		t = x->w->ask_due;
	return t;
}

void pull_p2p_run(struct pull_worker *w)
{
	struct pull_p2p *x = w->p2p;
	struct pull *p = w->p;
	struct err e = { .code = ST_OK };

	while (!atomic_load(&p->over)) {
		uint64_t now = time_mono();
		enum status st = ST_OK;

		if (!x->dial && w->conns[0].retry_at <= now)
			conn_open(x, now);
		take_returned(x);
		if (x->dial)
			st = send_all(x, &e);
		now = time_mono();
		if (st == ST_OK && net_loop_wait(w->loop, pull_until(now, next_time(x, now)), &e) != ST_OK) {
			pull_end(p, &e);
			break;
		}
		if (atomic_load(&w->wake.pending))
			wake_take(&w->wake);
		if (x->dial && st == ST_OK)
			st = take_events(x, &e);
		if (st != ST_OK && st != ST_AGAIN && !atomic_load(&p->over))
			conn_ended(x, &e);
		check_deadlines(x);
	}
	close_dial(x, P2P_QUITTING);
}

enum status pull_p2p_init(struct pull_worker *w, struct err *e)
{
	struct pull_p2p *x = calloc(1, sizeof(*x));

	if (!x)
		return err_set(e, ST_NOMEM, "no memory to fetch");
	x->w = w;
	for (unsigned i = 0; i < PULL_WINDOW; i++)
		buf_init(&x->works[i].header, HEADER_LIMIT);
	buf_init(&x->raw, RLPX_MESSAGE_MAX + HEADER_LIMIT);
	w->p2p = x;
	return ST_OK;
}

void pull_p2p_fini(struct pull_worker *w)
{
	struct pull_p2p *x = w->p2p;

	if (!x)
		return;
	close_dial(x, P2P_QUITTING);
	for (unsigned i = 0; i < PULL_WINDOW; i++)
		buf_fini(&x->works[i].header);
	buf_fini(&x->raw);
	free(x);
	w->p2p = NULL;
}
