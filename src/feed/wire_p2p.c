#include "feed/wire_p2p.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"
#include "eth/block_rlp.h"

enum {
	TIMEOUTS_MAX = 3, /* requests in a row without an answer: the node is no help */
	RETRIES = 4,
	RETRY_NS = 1000000000, /* a node that announces a block may not have its body yet */
	ANNOUNCED_MAX = 8, /* hashes of one announcement that are looked up */
};

enum status wire_p2p_init(struct wire_p2p *w, const struct p2p_opts *o, const struct p2p_hooks *h)
{
	*w = (struct wire_p2p){ .o = *o, .hooks = *h };
	w->verifier = verifier_new();
	w->info = chain_find(0);
	return w->verifier ? ST_OK : ST_NOMEM;
}

/* ---- questions ---- */

static void ask_free(struct p2p_ask *a)
{
	free(a->header);
	*a = (struct p2p_ask){ 0 };
}

/* Gives the claim back, so that another path may fetch the body. */
static void ask_give_up(struct wire_p2p *w, struct p2p_ask *a)
{
	if (a->what == P2P_BODY && a->mine)
		claims_release(w->o.claims, claim_hash(&a->hash));
	ask_free(a);
}

void wire_p2p_lost(struct wire_p2p *w)
{
	for (unsigned i = 0; i < P2P_ASKS; i++) {
		if (w->asks[i].used)
			ask_give_up(w, &w->asks[i]);
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

static struct p2p_ask *ask_new(struct wire_p2p *w, enum p2p_what what, enum head_source source, const struct hash *hash,
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
	w->odd++;
	return NULL;
}

static bool asking(const struct wire_p2p *w, enum p2p_what what, const struct hash *hash)
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

	if (a->what == P2P_BODY)
		st = peer_get_bodies(w->peer, now, &a->hash, 1, &a->id, &e);
	else
		st = peer_get_headers(w->peer, now, hash, a->number, a->limit, reverse, &a->id, &e);
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

/* ---- what is known ---- */

static bool is_known(const struct wire_p2p *w, const struct hash *h)
{
	for (unsigned i = 0; i < w->n_known; i++) {
		if (hash_eq(&w->known[i].hash, h))
			return true;
	}
	return false;
}

static void remember(struct wire_p2p *w, const struct head *h)
{
	w->known[w->next_known].hash = h->hash;
	w->known[w->next_known].number = h->number;
	w->next_known = (w->next_known + 1) % P2P_KNOWN;
	w->n_known += w->n_known < P2P_KNOWN;
}

/* ---- events ---- */

static void emit(struct wire_p2p *w, struct event *e, bool important)
{
	w->hooks.emit(w->hooks.ctx, e, important);
}

static void say_poll(struct wire_p2p *w)
{
	struct event e = {
		.kind = EV_INFO,
		.mono = w->hooks.now(w->hooks.ctx),
		.wall = w->hooks.wall(w->hooks.ctx),
		.u.info = { .info = INFO_POLL_INTERVAL, .a = w->poll_ns },
	};

	w->told_poll_ns = w->poll_ns;
	emit(w, &e, false);
}

static void emit_head(struct wire_p2p *w, const struct head *h, enum head_source source, uint64_t mono, uint64_t wall)
{
	/* The hash is computed over the bytes that came: nothing is left to doubt. */
	struct event e = {
		.kind = EV_HEAD,
		.mono = mono,
		.wall = wall,
		.u.head = { .h = *h, .source = (uint8_t)source, .hash_ok = TRUTH_YES },
	};

	remember(w, h);
	emit(w, &e, true);
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
	emit(w, &e, true);
}

static void emit_miss(struct wire_p2p *w, const struct p2p_ask *a, enum status code, const char *text)
{
	struct event e = {
		.kind = EV_BODY_MISS,
		.mono = w->hooks.now(w->hooks.ctx),
		.wall = w->hooks.wall(w->hooks.ctx),
		.u.miss = { .hash = a->hash, .number = a->number, .code = (uint8_t)code, .source = a->source },
	};

	utf8_clean(e.u.miss.text, sizeof(e.u.miss.text), text, strlen(text));
	emit(w, &e, true);
}

/* ---- blocks ---- */

/* One path fetches each body, the others every sixteenth, as in drive_heads.c. */
static void want_body(struct wire_p2p *w, const struct rlp_item *header, const struct head *h, enum head_source source)
{
	bool sample = false, mine = false;
	struct p2p_ask *a;

	if (source != SRC_ASKED) {
		if (w->o.bodies == BODIES_OFF)
			return;
		if (source == SRC_PUSH || source == SRC_POLL)
			sample = ++w->heads % 16 == 0;
		mine = claims_take(w->o.claims, claim_hash(&h->hash));
		if (!mine && !sample && w->o.bodies != BODIES_ALL)
			return;
	}
	if (header->raw_n > P2P_HEADER_MAX || asking(w, P2P_BODY, &h->hash))
		return;
	a = ask_new(w, P2P_BODY, source, &h->hash, h->number, 1);
	if (!a)
		return;
	a->mine = mine;
	a->sample = sample && !mine;
	a->header = malloc(header->raw_n);
	if (!a->header) {
		ask_give_up(w, a);
		return;
	}
	memcpy(a->header, header->raw, header->raw_n);
	a->header_n = header->raw_n;
}

static void emit_block(struct wire_p2p *w, struct block *b, const struct p2p_ask *a, const struct verdict *v, uint32_t took_us,
		       const struct peer_event *ev)
{
	struct event e = {
		.kind = EV_BLOCK,
		.mono = ev->recv_ns,
		.wall = ev->wall_ns,
		.u.block = {
			.block = b,
			.asked_mono = a->asked,
			.done_mono = w->hooks.now(w->hooks.ctx),
			.wire_bytes = ev->wire,
			.source = a->source,
			.sample = a->sample,
		},
	};
	struct event verdict = {
		.kind = EV_VERDICT,
		.mono = ev->recv_ns,
		.wall = ev->wall_ns,
		.u.verdict = { .hash = b->h.hash, .v = *v, .took_us = took_us },
	};

	w->bodies++;
	emit(w, &e, true);
	emit(w, &verdict, false);
}

/* Header and body belong together or they are no block: a body comes without a name. */
static enum status take_block(struct wire_p2p *w, const struct p2p_ask *a, const struct block_parts *parts,
			      const struct peer_event *ev, struct err *e)
{
	struct block *b = NULL;
	struct verdict v;
	uint64_t t0 = w->hooks.now(w->hooks.ctx);
	uint32_t took_us;
	enum status st = block_from_rlp(parts, &b, e);

	if (st != ST_OK)
		return st;
	st = verify_block(w->verifier, b, w->chain.u.chain.id, &v);
	took_us = (uint32_t)((w->hooks.now(w->hooks.ctx) - t0) / NS_US);
	if (st != ST_OK) {
		st = err_set(e, st, "out of memory");
	} else if (v.txs == TRUTH_NO || v.withdrawals == TRUTH_NO) {
		st = err_set(e, ST_WRONG_BLOCK, "a body of another block: %s differs", v.field);
	} else {
		(void)block_senders(b, w->verifier);
		emit_block(w, b, a, &v, took_us, ev);
		return ST_OK;
	}
	block_unref(b);
	return st;
}

static void on_bodies(struct wire_p2p *w, struct p2p_ask *a, const struct peer_event *ev)
{
	struct rlp list = ev->u.answer.list;
	struct rlp_item item;
	struct eth_new_block body;
	struct block_parts parts = { .header = a->header, .header_n = a->header_n };
	struct err e = { .code = ST_OK };
	enum status st;

	if (!rlp_next(&list, &item)) {
		st = err_set(&e, ST_NULL, "the node does not have it");
	} else {
		st = eth_body_decode(&item, &body, &e);
		parts.txs = body.txs;
		parts.uncles = body.uncles;
		parts.withdrawals = body.withdrawals;
		if (!body.withdrawals.list)
			parts.withdrawals.raw = NULL;
	}
	if (st == ST_OK)
		st = take_block(w, a, &parts, ev, &e);
	if (st == ST_OK) {
		ask_free(a);
		return;
	}
	w->odd++;
	emit_miss(w, a, st, e.text);
	ask_give_up(w, a);
}

/* ---- heads ---- */

static bool read_header(const struct rlp_item *item, struct head *out)
{
	static const uint8_t none[32];
	struct header h;
	const uint8_t *extra = NULL;
	struct err e;

	if (header_from_rlp(item->raw, item->raw_n, &h, &extra, &e) != ST_OK)
		return false;
	head_from(out, &h, extra ? extra : none);
	return true;
}

static void learn_time(struct wire_p2p *w, const struct head *older, const struct head *newer)
{
	uint64_t want;

	if (w->info->block_ms)
		w->block_ns = w->info->block_ms * NS_MS;
	else if (newer->number >= older->number + 3 && newer->time_ms > older->time_ms)
		w->block_ns = (newer->time_ms - older->time_ms) * NS_MS / (newer->number - older->number);
	want = drive_poll_interval(w->block_ns, w->o.local);
	w->poll_ns = want;
	if (want > w->told_poll_ns + w->told_poll_ns / 4 || want < w->told_poll_ns - w->told_poll_ns / 4)
		say_poll(w);
}

static void plan_poll(struct wire_p2p *w, uint64_t now)
{
	uint64_t wall_ms = w->hooks.wall(w->hooks.ctx) / NS_MS, due_ms, wait = 0;

	if (w->has_tip && w->block_ns) {
		/* The next block is not there before its time. A clock that is wrong costs one block time at most. */
		due_ms = w->tip.time_ms + w->block_ns / NS_MS;
		if (due_ms > wall_ms)
			wait = (due_ms - wall_ms) * NS_MS;
		if (wait > w->block_ns)
			wait = w->block_ns;
	}
	w->next_poll = now + (wait > w->poll_ns ? wait : w->poll_ns);
}

static void set_tip(struct wire_p2p *w, const struct head *h)
{
	w->tip = *h;
	w->has_tip = true;
	w->back = 0;
	w->last_head = w->hooks.now(w->hooks.ctx);
	if (w->silent) {
		w->silent = false;
		w->hooks.link(w->hooks.ctx, LINK_POLLING, ST_OK, "");
	}
}

static void ask_parents(struct wire_p2p *w, const struct head *child, enum head_source source, unsigned limit)
{
	if (child->number == 0 || w->walked >= DRIVE_WALK || is_known(w, &child->parent) ||
	    asking(w, P2P_PARENTS, &child->parent))
		return;
	if (limit > DRIVE_WALK - w->walked)
		limit = DRIVE_WALK - w->walked;
	w->walked += limit;
	(void)ask_new(w, P2P_PARENTS, source, &child->parent, child->number - 1, limit);
}

/* A new head: what lies between it and the last one, or on its branch, is asked for. */
static void follow(struct wire_p2p *w, const struct head *h)
{
	uint64_t missed;

	w->walked = 0;
	if (!w->has_tip || h->number <= w->tip.number + 1) {
		ask_parents(w, h, SRC_WALK, 8);
		return;
	}
	missed = h->number - w->tip.number - 1;
	ask_parents(w, h, SRC_GAP, missed > DRIVE_GAP ? DRIVE_GAP : (unsigned)missed);
}

/* After a reconnect: what was missed meanwhile. */
static void say_gap(struct wire_p2p *w, const struct head *h, const struct peer_event *ev)
{
	struct event e = { .kind = EV_GAP, .mono = ev->recv_ns, .wall = ev->wall_ns };

	if (h->number <= w->tip.number + 1)
		return;
	e.u.gap.from = w->tip.number + 1;
	e.u.gap.to = h->number - 1;
	e.u.gap.asked = (uint32_t)(e.u.gap.to - e.u.gap.from + 1);
	if (e.u.gap.asked > DRIVE_GAP)
		e.u.gap.asked = DRIVE_GAP;
	emit(w, &e, true);
}

/* Newest first, down to what is known. */
static void on_tip(struct wire_p2p *w, struct rlp list, const struct peer_event *ev)
{
	struct head tip = { .number = 0 }, h = { .number = 0 };
	struct head before = w->tip;
	bool had = w->has_tip, known = false;
	struct rlp_item item;

	for (unsigned i = 0; rlp_next(&list, &item) && read_header(&item, &h); i++) {
		enum head_source source = i == 0 ? SRC_FIRST : had && h.number > before.number ? SRC_GAP : SRC_BACKFILL;

		known = is_known(w, &h.hash);
		if (i == 0) {
			if (had)
				say_gap(w, &h, ev);
			tip = h;
			set_tip(w, &h);
		}
		if (known)
			break;
		emit_head(w, &h, source, ev->recv_ns, ev->wall_ns);
		want_body(w, &item, &h, i == 0 ? SRC_FIRST : source);
	}
	w->walked = 0;
	if (had && !known && h.number > before.number + 1)
		ask_parents(w, &h, SRC_GAP, h.number - before.number - 1 > DRIVE_GAP ? DRIVE_GAP :
										       (unsigned)(h.number - before.number - 1));
	learn_time(w, &h, &tip);
}

/* From our tip upwards: the same again, a branch in its place, what follows. */
static void on_newer(struct wire_p2p *w, struct rlp list, unsigned n, const struct peer_event *ev, uint64_t now)
{
	struct head before = w->tip, h;
	struct rlp_item item;
	bool news = false;

	while (rlp_next(&list, &item) && read_header(&item, &h)) {
		bool known = is_known(w, &h.hash);

		if (!known) {
			emit_head(w, &h, SRC_POLL, ev->recv_ns, ev->wall_ns);
			want_body(w, &item, &h, SRC_POLL);
			if (!news)
				follow(w, &h);
		}
		news |= !known;
		if (!hash_eq(&h.hash, &w->tip.hash))
			set_tip(w, &h);
	}
	w->back = 0;
	learn_time(w, &before, &w->tip);
	plan_poll(w, now);
	if (n == P2P_POLL && news)
		w->next_poll = now;
}

static void on_heard(struct wire_p2p *w, const struct rlp_item *item, const struct head *h, uint64_t mono, uint64_t wall)
{
	enum head_source source = SRC_PUSH;

	if (is_known(w, &h->hash))
		return;
	if (w->first_left) {
		w->first_left--;
		source = SRC_FIRST;
	}
	emit_head(w, h, source, mono, wall);
	follow(w, h);
	if (item)
		want_body(w, item, h, source);
	if (!w->has_tip || h->number >= w->tip.number)
		set_tip(w, h);
	plan_poll(w, w->hooks.now(w->hooks.ctx));
}

static void on_parents(struct wire_p2p *w, const struct p2p_ask *a, struct rlp list, const struct peer_event *ev)
{
	struct head h = { .number = 0 };
	struct rlp_item item;
	bool known = false;

	while (!known && rlp_next(&list, &item) && read_header(&item, &h)) {
		known = is_known(w, &h.hash);
		if (known)
			break;
		emit_head(w, &h, (enum head_source)a->source, ev->recv_ns, ev->wall_ns);
		want_body(w, &item, &h, (enum head_source)a->source);
	}
	/* A branch goes on until a block that is known; a gap was asked for whole. */
	if (!known && a->source == SRC_WALK)
		ask_parents(w, &h, SRC_WALK, 16);
}

static void on_wanted(struct wire_p2p *w, struct rlp list, const struct peer_event *ev)
{
	struct rlp_item item;
	struct head h;

	if (!rlp_next(&list, &item) || !read_header(&item, &h))
		return;
	if (!is_known(w, &h.hash))
		emit_head(w, &h, SRC_ASKED, ev->recv_ns, ev->wall_ns);
	want_body(w, &item, &h, SRC_ASKED);
}

static void on_headers(struct wire_p2p *w, struct p2p_ask *a, const struct peer_event *ev)
{
	struct p2p_ask was = *a;
	struct rlp list = ev->u.answer.list;
	uint64_t now = w->hooks.now(w->hooks.ctx);
	struct rlp_item item;
	struct head h;

	/* Its place may be needed by what is asked next. */
	ask_free(a);
	switch ((enum p2p_what)was.what) {
	case P2P_TIP:
		on_tip(w, list, ev);
		plan_poll(w, now);
		break;
	case P2P_NEWER:
		on_newer(w, list, ev->u.answer.n, ev, now);
		break;
	case P2P_HEARD:
		if (rlp_next(&list, &item) && read_header(&item, &h))
			on_heard(w, &item, &h, was.mono, was.wall);
		break;
	case P2P_PARENTS:
		on_parents(w, &was, list, ev);
		break;
	case P2P_WANTED:
		on_wanted(w, list, ev);
		break;
	case P2P_BODY:
		break;
	}
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
	ask_free(a);
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
		ask_free(a);
		plan_poll(w, now);
		return;
	case P2P_HEARD:
	case P2P_BODY:
	case P2P_WANTED:
		if ((code == ST_NULL || code == ST_TIMEOUT) && try_again(w, a))
			return;
		if (a->what != P2P_HEARD)
			emit_miss(w, a, code, ev->text);
		break;
	case P2P_PARENTS:
		break;
	}
	ask_give_up(w, a);
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
			on_headers(w, a, ev);
		else
			on_bodies(w, a, ev);
		return;
	}
}

/* ---- announcements ---- */

static void on_hash(struct wire_p2p *w, const struct hash *hash, uint64_t number, const struct peer_event *ev)
{
	struct p2p_ask *a;

	if (is_known(w, hash) || asking(w, P2P_HEARD, hash))
		return;
	a = ask_new(w, P2P_HEARD, SRC_PUSH, hash, number, 1);
	if (a) {
		a->mono = ev->recv_ns;
		a->wall = ev->wall_ns;
	}
}

static void on_new_block(struct wire_p2p *w, const struct peer_event *ev)
{
	const struct eth_new_block *nb = &ev->u.block;
	struct block_parts parts = {
		.header = nb->header.raw,
		.header_n = nb->header.raw_n,
		.txs = nb->txs,
		.uncles = nb->uncles,
		.withdrawals = nb->withdrawals,
	};
	struct p2p_ask a = { .what = P2P_BODY, .source = SRC_PUSH, .asked = ev->recv_ns };
	struct err e = { .code = ST_OK };
	struct head h;

	if (!read_header(&nb->header, &h)) {
		w->odd++;
		return;
	}
	if (is_known(w, &h.hash))
		return;
	if (!nb->withdrawals.list)
		parts.withdrawals.raw = NULL;
	on_heard(w, NULL, &h, ev->recv_ns, ev->wall_ns);
	a.hash = h.hash;
	a.number = h.number;
	if (w->o.bodies == BODIES_OFF)
		return;
	/* It came unasked: nothing is saved by leaving it to another path. */
	a.mine = claims_take(w->o.claims, claim_hash(&h.hash));
	a.sample = !a.mine;
	if (take_block(w, &a, &parts, ev, &e) != ST_OK) {
		w->odd++;
		emit_miss(w, &a, e.code, e.text);
		if (a.mine)
			claims_release(w->o.claims, claim_hash(&h.hash));
	}
}

static void on_hashes(struct wire_p2p *w, const struct peer_event *ev)
{
	struct eth_hashes walk = ev->u.hashes;
	struct hash hash;
	uint64_t number;

	for (unsigned i = 0; i < ANNOUNCED_MAX && eth_hashes_next(&walk, &hash, &number); i++)
		on_hash(w, &hash, number, ev);
}

/* ---- a connection begins ---- */

static void say_client(struct wire_p2p *w, const struct peer_event *ev)
{
	const struct p2p_hello *hello = peer_hello(w->peer);
	struct event e = { .kind = EV_INFO, .mono = ev->recv_ns, .wall = ev->wall_ns, .u.info.info = INFO_CLIENT };

	if (!hello)
		return;
	utf8_clean(e.u.info.text, sizeof(e.u.info.text), hello->client, strlen(hello->client));
	emit(w, &e, false);
}

static void on_status(struct wire_p2p *w, const struct peer_event *ev)
{
	const struct eth_status *s = ev->u.status.status;

	if (w->chain.kind == EV_CHAIN && !hash_eq(&w->chain.u.chain.genesis, &s->genesis)) {
		w->has_tip = false;
		w->n_known = w->next_known = 0;
	}
	w->live = true;
	w->timeouts = w->back = 0;
	w->first_left = 2;
	w->info = chain_find(s->network);
	w->block_ns = w->info->block_ms * NS_MS;
	w->poll_ns = drive_poll_interval(w->block_ns, w->o.local);
	w->last_head = w->hooks.now(w->hooks.ctx);
	w->next_poll = w->last_head + w->poll_ns;
	w->chain = (struct event){
		.kind = EV_CHAIN,
		.mono = ev->recv_ns,
		.wall = ev->wall_ns,
		.u.chain = { .id = s->network, .genesis = s->genesis, .ok = true },
	};
	emit(w, &w->chain, true);
	w->hooks.link(w->hooks.ctx, LINK_POLLING, ST_OK, "");
	say_client(w, ev);
	say_poll(w);
	(void)ask_new(w, P2P_TIP, SRC_FIRST, &s->head, 0, DRIVE_BACKFILL);
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
		on_answer(w, ev);
		break;
	case PEER_HASHES:
		w->notes++;
		on_hashes(w, ev);
		break;
	case PEER_BLOCK:
		w->notes++;
		on_new_block(w, ev);
		break;
	case PEER_RANGE:
		w->notes++;
		on_hash(w, &ev->u.range.head, ev->u.range.latest, ev);
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
	case PEER_OTHER:
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
			emit_miss(w, &a, ST_CLOSED, "not connected");
		else if (hash_is_zero(&c->hash) || !asking(w, P2P_WANTED, &c->hash))
			(void)ask_new(w, P2P_WANTED, SRC_ASKED, &c->hash, c->number, 1);
		break;
	case CMD_RESYNC:
		/* All is told again: the chain, then the newest heads as if they were new. */
		if (!s)
			break;
		w->hooks.link(w->hooks.ctx, LINK_POLLING, ST_OK, "");
		emit(w, &w->chain, true);
		say_poll(w);
		w->n_known = w->next_known = 0;
		(void)ask_new(w, P2P_TIP, SRC_GAP, w->has_tip ? &w->tip.hash : &s->head, 0, DRIVE_BACKFILL);
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
		if (w->has_tip && !asking(w, P2P_NEWER, NULL) && !ask_new(w, P2P_NEWER, SRC_POLL, NULL, from, P2P_POLL))
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
