#include "feed/wire_p2p_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"
#include "eth/forkid.h"
#include "feed/peer_count.h"

enum {
	TIMEOUTS_MAX = 3, /* requests in a row without an answer: the node is no help */
	RETRIES = 4,
	RETRY_NS = 1000000000, /* a node that announces a block may not have its body yet */
};

enum status wire_p2p_init(struct wire_p2p *w, const struct p2p_opts *o, const struct p2p_hooks *h)
{
	*w = (struct wire_p2p){ .o = *o, .hooks = *h };
	w->verifier = verifier_new();
	w->info = chain_find(0);
	return w->verifier ? ST_OK : ST_NOMEM;
}

/* ---- questions ---- */

void p2p_ask_free(struct p2p_ask *a)
{
	free(a->header);
	*a = (struct p2p_ask){ 0 };
}

/* Gives the claim back, so that another path may fetch the body. */
void p2p_ask_give_up(struct wire_p2p *w, struct p2p_ask *a)
{
	if (a->what == P2P_BODY && a->mine && !w->o.played)
		claims_release(w->o.claims, claim_hash(&a->hash));
	p2p_ask_free(a);
}

void wire_p2p_lost(struct wire_p2p *w)
{
	for (unsigned i = 0; i < P2P_ASKS; i++) {
		if (w->asks[i].used)
			p2p_ask_give_up(w, &w->asks[i]);
	}
	w->peer = NULL;
	w->live = w->silent = false;
	w->down = (struct err){ .code = ST_OK };
}

void wire_p2p_fini(struct wire_p2p *w)
{
	wire_p2p_lost(w);
	verifier_free(w->verifier);
	w->verifier = NULL;
}

/* In a recording, what was planned and never went out (another path had it) stays until its place is needed. */
static bool make_room(struct wire_p2p *w)
{
	struct p2p_ask *oldest = NULL;

	for (unsigned i = 0; i < P2P_ASKS; i++) {
		struct p2p_ask *a = &w->asks[i];

		if (!a->sent && (!oldest || a->asked < oldest->asked))
			oldest = a;
	}
	if (oldest)
		p2p_ask_free(oldest);
	return oldest != NULL;
}

struct p2p_ask *p2p_ask_new(struct wire_p2p *w, enum p2p_what what, enum head_source source, const struct hash *hash,
			       uint64_t number, unsigned limit)
{
	uint64_t now = w->hooks.now(w->hooks.ctx);

	for (unsigned i = 0; i < P2P_ASKS; i++) {
		struct p2p_ask *a = &w->asks[i];

		if (a->used)
			continue;
		*a = (struct p2p_ask){
			.used = true,
			.what = (uint8_t)what,
			.source = (uint8_t)source,
			.due = now,
			.asked = now,
			.number = number,
			.limit = limit,
		};
		if (hash)
			a->hash = *hash;
		return a;
	}
	if (w->o.played && make_room(w))
		return p2p_ask_new(w, what, source, hash, number, limit);
	w->odd++;
	return NULL;
}

bool p2p_asking(const struct wire_p2p *w, enum p2p_what what, const struct hash *hash)
{
	for (unsigned i = 0; i < P2P_ASKS; i++) {
		const struct p2p_ask *a = &w->asks[i];

		if (a->used && a->what == what && (!hash || hash_eq(&a->hash, hash)))
			return true;
	}
	return false;
}

static enum status send_one(struct wire_p2p *w, struct p2p_ask *a, uint64_t now)
{
	const struct hash *hash = hash_is_zero(&a->hash) ? NULL : &a->hash;
	bool reverse = a->what == P2P_TIP || a->what == P2P_PARENTS;
	struct err e = { .code = ST_OK };
	enum status st;

	w->sending = a;
	if (a->what == P2P_BODY)
		st = peer_get_bodies(w->peer, now, &a->hash, 1, &a->id, &e);
	else
		st = peer_get_headers(w->peer, now, hash, a->number, a->limit, reverse, &a->id, &e);
	w->sending = NULL;
	if (st == ST_OK) {
		a->sent = true;
		w->calls++;
	} else if (st != ST_AGAIN) {
		w->down = e;
	}
	return st;
}

/* Headers go before bodies: a head is worth more than the inside of a block. */
static void send_due(struct wire_p2p *w, uint64_t now)
{
	unsigned bodies = 0;

	for (unsigned i = 0; i < P2P_ASKS; i++)
		bodies += w->asks[i].used && w->asks[i].sent && w->asks[i].what == P2P_BODY;
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < P2P_ASKS; i++) {
			struct p2p_ask *a = &w->asks[i];

			if (!a->used || a->sent || a->due > now || (a->what == P2P_BODY) != (pass == 1))
				continue;
			if (pass == 1 && bodies >= P2P_BODIES)
				return;
			if (send_one(w, a, now) != ST_OK)
				return;
			bodies += (unsigned)pass;
		}
	}
}

/* ---- events ---- */

/* What follows from messages alone; all else is in a recording as it was. */
static bool from_messages(const struct event *e)
{
	switch (e->kind) {
	case EV_CHAIN: case EV_HEAD: case EV_BLOCK: case EV_VERDICT: case EV_REPLY: case EV_TXS:
		return true;
	case EV_INFO:
		return e->u.info.info != INFO_POLL_INTERVAL;
	default:
		return false;
	}
}

void p2p_emit(struct wire_p2p *w, struct event *e, bool important)
{
	if (w->o.played && !from_messages(e))
		return;
	w->hooks.emit(w->hooks.ctx, e, important);
}

void p2p_say_poll(struct wire_p2p *w)
{
	struct event e = {
		.kind = EV_INFO,
		.mono = w->hooks.now(w->hooks.ctx),
		.wall = w->hooks.wall(w->hooks.ctx),
		.u.info = { .info = INFO_POLL_INTERVAL, .a = w->poll_ns },
	};

	w->told_poll_ns = w->poll_ns;
	p2p_emit(w, &e, false);
}

static void emit_reply(struct wire_p2p *w, enum method m, enum status code, const char *text, uint64_t took_ns,
		       const struct peer_event *ev)
{
	struct event e = {
		.kind = EV_REPLY,
		.mono = ev->recv_ns ? ev->recv_ns : w->hooks.now(w->hooks.ctx),
		.wall = ev->recv_ns ? ev->wall_ns : w->hooks.wall(w->hooks.ctx),
		.u.reply = {
			.method = (uint8_t)m,
			/* An empty list is an answer: there is nothing newer yet. */
			.code = code == ST_NULL ? ST_OK : (uint8_t)code,
			.latency_ns = took_ns,
			.wire_bytes = ev->wire,
		},
	};

	if (e.u.reply.code != ST_OK)
		utf8_clean(e.u.reply.text, sizeof(e.u.reply.text), text, strlen(text));
	p2p_emit(w, &e, true);
}

void p2p_emit_miss(struct wire_p2p *w, const struct p2p_ask *a, enum status code, const char *text)
{
	struct event e = {
		.kind = EV_BODY_MISS,
		.mono = w->hooks.now(w->hooks.ctx),
		.wall = w->hooks.wall(w->hooks.ctx),
		.u.miss = { .hash = a->hash, .number = a->number, .code = (uint8_t)code, .source = a->source },
	};

	utf8_clean(e.u.miss.text, sizeof(e.u.miss.text), text, strlen(text));
	p2p_emit(w, &e, true);
}

/* ---- answers that are none ---- */

static bool try_again(struct wire_p2p *w, struct p2p_ask *a)
{
	if (++a->attempt >= RETRIES)
		return false;
	a->sent = false;
	a->due = w->hooks.now(w->hooks.ctx) + RETRY_NS;
	return true;
}

static void on_no_tip(struct wire_p2p *w, struct p2p_ask *a)
{
	const struct eth_status *s = peer_status(w->peer);

	if (try_again(w, a)) {
		/* By number, where Status told one: the hash may be of a branch that is gone. */
		if (s && (s->has & ETH_HAS_RANGE) && a->attempt == 2) {
			memset(&a->hash, 0, sizeof(a->hash));
			a->number = s->latest;
		}
		return;
	}
	p2p_ask_free(a);
	err_set(&w->down, ST_NULL, "the node does not have the block that its Status names");
	(void)err_cure(&w->down, "is it still starting?");
}

static void on_miss(struct wire_p2p *w, struct p2p_ask *a, const struct peer_event *ev)
{
	enum status code = ev->u.answer.code;
	uint64_t now = w->hooks.now(w->hooks.ctx);

	if (code == ST_TIMEOUT && ++w->timeouts >= TIMEOUTS_MAX)
		err_set(&w->down, ST_TIMEOUT, "%u requests without an answer", TIMEOUTS_MAX);
	if (code != ST_TIMEOUT && code != ST_NULL)
		w->odd++;
	switch ((enum p2p_what)a->what) {
	case P2P_TIP:
		on_no_tip(w, a);
		return;
	case P2P_NEWER:
		/* Not even our tip: the node went back. Look for it further down. */
		if (code == ST_NULL)
			w->back = w->back >= 32 ? 64 : 2 * w->back + 1;
		p2p_ask_free(a);
		p2p_plan_poll(w, now);
		return;
	case P2P_HEARD:
	case P2P_BODY:
	case P2P_WANTED:
		if ((code == ST_NULL || code == ST_TIMEOUT) && try_again(w, a))
			return;
		if (a->what != P2P_HEARD)
			p2p_emit_miss(w, a, code, ev->text);
		break;
	case P2P_PARENTS:
		break;
	}
	p2p_ask_give_up(w, a);
}

static void on_answer(struct wire_p2p *w, const struct peer_event *ev)
{
	bool headers = ev->u.answer.want == PEER_WANT_HEADERS;
	enum status code = ev->kind == PEER_MISS ? ev->u.answer.code : ST_OK;

	if (code != ST_TIMEOUT)
		w->timeouts = 0;
	emit_reply(w, headers ? M_P2P_HEADERS : M_P2P_BODIES, code, ev->text, ev->u.answer.took_ns, ev);
	for (unsigned i = 0; i < P2P_ASKS; i++) {
		struct p2p_ask *a = &w->asks[i];

		if (!a->used || !a->sent || a->id != ev->u.answer.id)
			continue;
		if (ev->kind == PEER_MISS)
			on_miss(w, a, ev);
		else if (headers)
			p2p_on_headers(w, a, ev);
		else
			p2p_on_bodies(w, a, ev);
		return;
	}
}

/* ---- a connection begins ---- */

static void say_client(struct wire_p2p *w, const struct peer_event *ev)
{
	const struct p2p_hello *hello = peer_hello(w->peer);
	struct event e = { .kind = EV_INFO, .mono = ev->recv_ns, .wall = ev->wall_ns, .u.info.info = INFO_CLIENT };

	if (!hello)
		return;
	utf8_clean(e.u.info.text, sizeof(e.u.info.text), hello->client, strlen(hello->client));
	p2p_emit(w, &e, false);
}

enum { FIRST_TIME = 1438269973 /* EIP-6122: what is smaller is a block number */ };

/* What Status says of the node's forks, for who judges whether it is ready: it holds until the next one. */
static void say_fork(struct wire_p2p *w, const struct eth_status *s, const struct peer_event *ev)
{
	struct event e = { .kind = EV_INFO, .mono = ev->recv_ns, .wall = ev->wall_ns, .u.info = { .info = INFO_FORK, .yes = 1 } };
	const uint8_t *h = s->fork_hash;

	/* Blocks that come may take it past such a fork, and it will not say so. */
	if (s->fork_next != 0 && s->fork_next < FIRST_TIME)
		return;
	e.u.info.a = UINT64_MAX;
	e.u.info.b = s->fork_next ? s->fork_next : UINT64_MAX;
	e.u.info.c = (uint64_t)h[0] << 56 | (uint64_t)h[1] << 48 | (uint64_t)h[2] << 40 | (uint64_t)h[3] << 32;
	p2p_emit(w, &e, false);
}

static void on_status(struct wire_p2p *w, const struct peer_event *ev)
{
	const struct eth_status *s = ev->u.status.status;
	uint64_t id = forkid_chain(&s->genesis, s->fork_hash);
	struct event fact = { .mono = ev->recv_ns, .wall = ev->wall_ns };
	struct event pool = { .kind = EV_INFO, .mono = ev->recv_ns, .wall = ev->wall_ns, .u.info.info = INFO_TXPOOL };
	struct err e;

	if (w->chain.kind == EV_CHAIN && !hash_eq(&w->chain.u.chain.genesis, &s->genesis)) {
		w->has_tip = false;
		w->n_known = w->next_known = 0;
	}
	w->live = true;
	w->timeouts = w->back = 0;
	w->first_left = 2;
	w->info = chain_find(id ? id : s->network);
	w->block_ns = w->info->block_ms * NS_MS;
	w->poll_ns = drive_poll_interval(w->block_ns, w->o.local);
	w->last_head = w->hooks.now(w->hooks.ctx);
	w->next_poll = w->last_head + w->poll_ns;
	w->chain = (struct event){
		.kind = EV_CHAIN,
		.mono = ev->recv_ns,
		.wall = ev->wall_ns,
		.u.chain = { .id = id ? id : s->network, .genesis = s->genesis, .ok = true, .network = !id },
	};
	p2p_emit(w, &w->chain, true);
	w->hooks.link(w->hooks.ctx, LINK_POLLING, ST_OK, "");
	say_client(w, ev);
	say_fork(w, s, ev);
	/* There is no such question here: nobody needs to wait for the answer. */
	pool.u.info.code = ST_UNSUPPORTED;
	p2p_emit(w, &pool, false);
	/* What waits is announced without being asked for. */
	pool.u.info.info = INFO_PENDING;
	pool.u.info.code = ST_OK;
	p2p_emit(w, &pool, true);
	if (peer_fact_event(&fact, w->peer))
		p2p_emit(w, &fact, true);
	p2p_say_poll(w);
	/* A first round trip; the peer's own come every 15 s. */
	if (!w->o.played && peer_ping(w->peer, w->hooks.now(w->hooks.ctx), &e) != ST_OK)
		w->odd++;
	(void)p2p_ask_new(w, P2P_TIP, SRC_FIRST, &s->head, 0, DRIVE_BACKFILL);
}

/* Transactions that wait, whole or by their hashes. What they pay is not looked at. */
static void on_txs(struct wire_p2p *w, const struct peer_event *ev)
{
	struct event e = { .kind = EV_TXS, .mono = ev->recv_ns, .wall = ev->wall_ns };
	struct eth_txs walk;
	struct hash h;

	if (eth_txs_begin(&walk, ev->code == ETH_TRANSACTIONS, ev->data, ev->bytes)) {
		while (eth_txs_next(&walk, &h)) {
			if (!hash_key(&h))
				continue;
			e.u.txs.key[e.u.txs.n] = hash_key(&h);
			e.u.txs.fee[e.u.txs.n++] = UINT64_MAX;
			if (e.u.txs.n == TXS_MAX) {
				p2p_emit(w, &e, false);
				e.u.txs.n = 0;
			}
		}
	}
	if (e.u.txs.n)
		p2p_emit(w, &e, false);
	w->odd += !walk.ok;
}

/* A request that nobody answered has no message: its time is now. */
static void on_timeout(struct wire_p2p *w, const struct peer_event *ev)
{
	struct err e = { .code = ST_TIMEOUT };
	struct peer_event now = *ev;

	now.recv_ns = w->hooks.now(w->hooks.ctx);
	now.wall_ns = w->hooks.wall(w->hooks.ctx);
	memcpy(e.text, ev->text, sizeof(e.text));
	if (w->tap.gave_up)
		w->tap.gave_up(w->tap.ctx, ev->u.answer.id, &e, now.recv_ns, now.wall_ns);
	on_answer(w, &now);
}

void wire_p2p_event(struct wire_p2p *w, struct peer *p, const struct peer_event *ev)
{
	w->peer = p;
	switch (ev->kind) {
	case PEER_STATUS:
		on_status(w, ev);
		break;
	case PEER_HEADERS:
	case PEER_BODIES:
	case PEER_MISS:
		if (ev->data)
			on_answer(w, ev);
		else
			on_timeout(w, ev);
		break;
	case PEER_HASHES:
		w->notes++;
		p2p_on_hashes(w, ev);
		break;
	case PEER_BLOCK:
		w->notes++;
		p2p_on_new_block(w, ev);
		break;
	case PEER_RANGE:
		w->notes++;
		p2p_on_hash(w, &ev->u.range.head, ev->u.range.latest, ev);
		break;
	case PEER_PONG:
		emit_reply(w, M_P2P_PING, ST_OK, "", ev->u.rtt_ns, ev);
		break;
	case PEER_ODD:
		w->odd++;
		log_msg(LOG_WARN, "odd message of a peer (%llu so far): %s", (unsigned long long)w->odd, ev->text);
		break;
	case PEER_SECURE:
	case PEER_HELLO:
	case PEER_ASKED:
		break;
	case PEER_OTHER:
		if (ev->data && (ev->code == ETH_TRANSACTIONS || ev->code == ETH_NEW_POOLED_HASHES))
			on_txs(w, ev);
		break;
	}
}

/* ---- commands and time ---- */

void wire_p2p_cmd(struct wire_p2p *w, const struct cmd *c)
{
	const struct eth_status *s = w->live ? peer_status(w->peer) : NULL;
	struct p2p_ask a = { .hash = c->hash, .number = c->number, .source = SRC_ASKED };

	switch (c->kind) {
	case CMD_BODY:
		if (!w->live)
			p2p_emit_miss(w, &a, ST_CLOSED, "not connected");
		else if (hash_is_zero(&c->hash) || !p2p_asking(w, P2P_WANTED, &c->hash))
			(void)p2p_ask_new(w, P2P_WANTED, SRC_ASKED, &c->hash, c->number, 1);
		break;
	case CMD_RESYNC:
		/* All is told again: the chain, then the newest heads as if they were new. */
		if (!s)
			break;
		w->hooks.link(w->hooks.ctx, LINK_POLLING, ST_OK, "");
		p2p_emit(w, &w->chain, true);
		p2p_say_poll(w);
		w->n_known = w->next_known = 0;
		(void)p2p_ask_new(w, P2P_TIP, SRC_GAP, w->has_tip ? &w->tip.hash : &s->head, 0, DRIVE_BACKFILL);
		break;
	default:
		break;
	}
}

static uint64_t silent_limit(const struct wire_p2p *w)
{
	if (w->info->kind == CHAIN_DEV)
		return UINT64_MAX;
	return w->block_ns > 0 && 4 * w->block_ns < 120 * NS_S ? 5 * NS_S + 4 * w->block_ns : 120 * NS_S;
}

static uint64_t silent_at(const struct wire_p2p *w)
{
	uint64_t limit = silent_limit(w);

	return w->silent || limit == UINT64_MAX ? UINT64_MAX : w->last_head + limit;
}

enum status wire_p2p_tick(struct wire_p2p *w, struct err *e)
{
	uint64_t now = w->hooks.now(w->hooks.ctx), from;
	char text[80];

	if (!w->live)
		return ST_OK;
	if (now >= w->next_poll) {
		w->next_poll = UINT64_MAX; /* until this one is answered */
		from = w->tip.number > w->back ? w->tip.number - w->back : 0;
		if (w->has_tip && !p2p_asking(w, P2P_NEWER, NULL) && !p2p_ask_new(w, P2P_NEWER, SRC_POLL, NULL, from, P2P_POLL))
			w->next_poll = now + w->poll_ns;
	}
	if (now >= silent_at(w)) {
		w->silent = true;
		snprintf(text, sizeof(text), "no head for %u s", (unsigned)((now - w->last_head) / NS_S));
		w->hooks.link(w->hooks.ctx, LINK_SILENT, ST_SILENT, text);
	}
	/* What was asked just now is due just now. */
	send_due(w, w->hooks.now(w->hooks.ctx));
	if (w->down.code == ST_OK)
		return ST_OK;
	*e = w->down;
	return e->code;
}

uint64_t wire_p2p_next(const struct wire_p2p *w)
{
	uint64_t t, now = w->hooks.now(w->hooks.ctx);

	if (!w->live)
		return UINT64_MAX;
	if (w->down.code != ST_OK)
		return now;
	t = w->next_poll;
	if (silent_at(w) < t)
		t = silent_at(w);
	for (unsigned i = 0; i < P2P_ASKS; i++) {
		const struct p2p_ask *a = &w->asks[i];

		/* What is due and not sent waits for an answer to come in, not for a time. */
		if (a->used && !a->sent && a->due > now && a->due < t)
			t = a->due;
	}
	return t;
}
