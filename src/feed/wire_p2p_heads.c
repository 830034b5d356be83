/* Headers, bodies and announcements of a peer's, proven and handed on; what a new head leads to; see wire_p2p.h. */
#include "feed/wire_p2p_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "eth/block_rlp.h"

enum {
	ANNOUNCED_MAX = 8, /* hashes of one announcement that are looked up */
};

/* ---- what is known ---- */

static bool is_known(const struct wire_p2p *w, const struct hash *h)
{
	for (unsigned i = 0; i < w->n_known; i++) {
		if (hash_eq(&w->known[i].hash, h))
			return true;
	}
	return false;
}

void p2p_remember(struct wire_p2p *w, const struct head *h)
{
	w->known[w->next_known].hash = h->hash;
	w->known[w->next_known].number = h->number;
	w->next_known = (w->next_known + 1) % P2P_KNOWN;
	w->n_known += w->n_known < P2P_KNOWN;
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

	p2p_remember(w, h);
	p2p_emit(w, &e, true);
}

/* ---- blocks ---- */

/* One path fetches each body, the others every sixteenth, as in drive_heads.c. */
static void want_body(struct wire_p2p *w, const struct rlp_item *header, const struct head *h, enum head_source source)
{
	bool sample = false, mine = false;
	struct p2p_ask *a;

	/* In a recording it is the request that tells whether the body was asked for. */
	if (source != SRC_ASKED && !w->o.played) {
		if (w->o.bodies == BODIES_OFF)
			return;
		if (source == SRC_PUSH || source == SRC_POLL)
			sample = ++w->heads % 16 == 0;
		mine = claims_take(w->o.claims, claim_hash(&h->hash));
		if (!mine && !sample && w->o.bodies != BODIES_ALL)
			return;
	}
	if (header->raw_n > P2P_HEADER_MAX || p2p_asking(w, P2P_BODY, &h->hash))
		return;
	a = p2p_ask_new(w, P2P_BODY, source, &h->hash, h->number, 1);
	if (!a)
		return;
	a->mine = mine;
	a->sample = sample && !mine;
	a->header = malloc(header->raw_n);
	if (!a->header) {
		p2p_ask_give_up(w, a);
		return;
	}
	memcpy(a->header, header->raw, header->raw_n);
	a->header_n = header->raw_n;
}

static void emit_block(struct wire_p2p *w, struct block *b, const struct p2p_ask *a, const struct verdict *v, uint64_t done_ns,
		       uint32_t took_us, const struct peer_event *ev)
{
	struct event e = {
		.kind = EV_BLOCK,
		.mono = ev->recv_ns,
		.wall = ev->wall_ns,
		.u.block = {
			.block = b,
			.asked_mono = a->asked,
			.done_mono = done_ns,
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
	if (w->tap.took_block)
		w->tap.took_block(w->tap.ctx, done_ns, took_us);
	p2p_emit(w, &e, true);
	p2p_emit(w, &verdict, false);
}

/* Header and body belong together or they are no block: a body comes without a name. */
static enum status take_block(struct wire_p2p *w, const struct p2p_ask *a, const struct block_parts *parts,
			      const struct peer_event *ev, struct err *e)
{
	struct block *b = NULL;
	struct verdict v;
	uint64_t t0 = w->hooks.now(w->hooks.ctx), done_ns;
	uint32_t took_us;
	enum status st;

	if (w->o.played && !w->played.block)
		return err_set(e, ST_WRONG_BLOCK, "it was not taken");
	st = block_from_rlp(parts, &b, e);
	if (st != ST_OK)
		return st;
	st = verify_block(w->verifier, b, w->chain.u.chain.id, &v);
	done_ns = w->o.played ? w->played.done_ns : w->hooks.now(w->hooks.ctx);
	took_us = w->o.played ? w->played.took_us : (uint32_t)((done_ns - t0) / NS_US);
	if (st != ST_OK) {
		st = err_set(e, st, "out of memory");
	} else if (v.txs == TRUTH_NO || v.withdrawals == TRUTH_NO) {
		st = err_set(e, ST_WRONG_BLOCK, "a body of another block: %s differs", v.field);
	} else {
		(void)block_senders(b, w->verifier);
		if (!w->o.played)
			done_ns = w->hooks.now(w->hooks.ctx);
		emit_block(w, b, a, &v, done_ns, took_us, ev);
		return ST_OK;
	}
	block_unref(b);
	return st;
}

void p2p_on_bodies(struct wire_p2p *w, struct p2p_ask *a, const struct peer_event *ev)
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
		p2p_ask_free(a);
		return;
	}
	w->odd++;
	p2p_emit_miss(w, a, st, e.text);
	p2p_ask_give_up(w, a);
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
		p2p_say_poll(w);
}

void p2p_plan_poll(struct wire_p2p *w, uint64_t now)
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
	    p2p_asking(w, P2P_PARENTS, &child->parent))
		return;
	if (limit > DRIVE_WALK - w->walked)
		limit = DRIVE_WALK - w->walked;
	w->walked += limit;
	(void)p2p_ask_new(w, P2P_PARENTS, source, &child->parent, child->number - 1, limit);
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
	p2p_emit(w, &e, true);
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
	p2p_plan_poll(w, now);
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
	p2p_plan_poll(w, w->hooks.now(w->hooks.ctx));
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

void p2p_on_headers(struct wire_p2p *w, struct p2p_ask *a, const struct peer_event *ev)
{
	struct p2p_ask was = *a;
	struct rlp list = ev->u.answer.list;
	uint64_t now = w->hooks.now(w->hooks.ctx);
	struct rlp_item item;
	struct head h;

	/* Its place may be needed by what is asked next. */
	p2p_ask_free(a);
	switch ((enum p2p_what)was.what) {
	case P2P_TIP:
		on_tip(w, list, ev);
		p2p_plan_poll(w, now);
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

/* ---- announcements ---- */

void p2p_on_hash(struct wire_p2p *w, const struct hash *hash, uint64_t number, const struct peer_event *ev)
{
	struct p2p_ask *a;

	if (is_known(w, hash) || p2p_asking(w, P2P_HEARD, hash))
		return;
	a = p2p_ask_new(w, P2P_HEARD, SRC_PUSH, hash, number, 1);
	if (a) {
		a->mono = ev->recv_ns;
		a->wall = ev->wall_ns;
	}
}

void p2p_on_new_block(struct wire_p2p *w, const struct peer_event *ev)
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
	a.mine = w->o.played || claims_take(w->o.claims, claim_hash(&h.hash));
	a.sample = !a.mine;
	if (take_block(w, &a, &parts, ev, &e) != ST_OK) {
		w->odd++;
		p2p_emit_miss(w, &a, e.code, e.text);
		if (a.mine && !w->o.played)
			claims_release(w->o.claims, claim_hash(&h.hash));
	}
}

void p2p_on_hashes(struct wire_p2p *w, const struct peer_event *ev)
{
	struct eth_hashes walk = ev->u.hashes;
	struct hash hash;
	uint64_t number;

	for (unsigned i = 0; i < ANNOUNCED_MAX && eth_hashes_next(&walk, &hash, &number); i++)
		p2p_on_hash(w, &hash, number, ev);
}
