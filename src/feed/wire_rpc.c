#include "feed/wire_rpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"
#include "eth/rpc.h"
#include "feed/wire_info.h"
#include "feed/wire_pending.h"

/* What one incoming message needs while its parts are looked at. */
struct incoming {
	struct wire *w;
	const struct net_meta *meta;
	bool array; /* the message is a batch */
	bool peeked; /* read by rpc_peek_reply, which trusts that the result stands last … */
	bool again; /* … and it did not: to be read by rpc_each */
	uint64_t batch; /* batch whose items were answered */
	uint64_t batch_sched;
	bool batch_refused;
};

enum status wire_init(struct wire *w, const struct wire_hooks *h)
{
	*w = (struct wire){ .hooks = *h, .first_left = 2 };
	w->dec = blockdec_new();
	w->verifier = verifier_new();
	if (w->dec && w->verifier)
		return ST_OK;
	wire_fini(w);
	return ST_NOMEM;
}

void wire_fini(struct wire *w)
{
	for (unsigned i = 0; i < w->n_early; i++) {
		if (w->early[i].kind == EV_BLOCK)
			block_unref(w->early[i].u.block.block);
	}
	w->n_early = 0;
	blockdec_free(w->dec);
	verifier_free(w->verifier);
	w->dec = NULL;
	w->verifier = NULL;
}

void wire_connected(struct wire *w)
{
	wire_pending_flush(w, UINT64_MAX);
	memset(w->calls, 0, sizeof(w->calls));
	w->first_left = 2;
	w->sub[0] = w->pending_sub[0] = 0;
	w->pending_asked = false;
	w->id_done = w->genesis_done = false;
}

void wire_ask_chain(struct wire *w)
{
	if (w->hooks.tap)
		w->hooks.tap->ask_chain(w->hooks.tap->ctx);
	w->id_done = w->genesis_done = false;
}

uint64_t wire_id(uint64_t serial, enum head_source source, bool sample)
{
	return serial << 4 | (uint64_t)(sample ? 8 : 0) | ((unsigned)source & 7);
}

uint64_t wire_chain_key(const struct wire *w)
{
	if (!w->chain_told)
		return 0;
	if (!hash_is_zero(&w->genesis))
		return hash_key(&w->genesis);
	return w->chain_id + 1;
}

struct wire_call *wire_find(struct wire *w, uint64_t id)
{
	for (int i = 0; id && i < WIRE_CALLS; i++) {
		if (w->calls[i].id == id)
			return &w->calls[i];
	}
	return NULL;
}

/* ---- outgoing ---- */

static enum method method_find(const struct json_str *s)
{
	for (int m = 0; m < M_BATCH; m++) {
		const char *name = method_name((enum method)m);

		if (json_is(s, name, strlen(name)))
			return (enum method)m;
	}
	return M_OTHER;
}

/* Heads and transactions are subscribed to by one method; they fail for different reasons, and are counted apart. */
static void subscribe_params(struct wire_call *c, const struct json_str *params)
{
	struct json j;
	struct json_str s;
	bool whole = false;

	json_init(&j, params->p, params->n);
	if (!json_array(&j) || !json_next(&j) || !json_string(&j, &s) || !JSON_IS(&s, "newPendingTransactions"))
		return;
	c->method = M_PENDING;
	c->number = json_next(&j) && json_bool(&j, &whole) && whole;
}

static void call_params(struct wire_call *c, const struct json_str *params)
{
	struct json j;
	struct json_str s;

	if (c->method == M_SUBSCRIBE && params->p)
		subscribe_params(c, params);
	if ((c->method != M_BLOCK_BY_HASH && c->method != M_BLOCK_BY_NUMBER) || !params->p)
		return;
	json_init(&j, params->p, params->n);
	if (!json_array(&j) || !json_next(&j) || !json_string(&j, &s))
		return;
	if (c->method == M_BLOCK_BY_HASH) {
		if (!hex_fixed(s.p, s.n, c->hash.b, 32))
			memset(&c->hash, 0, sizeof(c->hash));
	} else if (JSON_IS(&s, "latest")) {
		c->tag = TAG_LATEST;
	} else if (JSON_IS(&s, "safe")) {
		c->tag = TAG_SAFE;
	} else if (JSON_IS(&s, "finalized")) {
		c->tag = TAG_FINALIZED;
	} else if (JSON_IS(&s, "earliest")) {
		c->tag = TAG_GENESIS;
	} else if (!hex_u64(s.p, s.n, &c->number, NULL)) {
		c->number = 0;
	}
	if (json_next(&j) && !json_bool(&j, &c->full))
		c->full = false;
}

struct outgoing {
	struct wire *w;
	uint64_t batch, sched;
	enum status st;
};

static void out_one(void *ctx, const struct rpc_msg *m)
{
	struct outgoing *o = ctx;
	struct wire_call *c = NULL;

	if (m->kind != RPC_REQUEST || !m->has_id || m->id == 0)
		return;
	for (int i = 0; i < WIRE_CALLS && !c; i++) {
		if (o->w->calls[i].id == 0)
			c = &o->w->calls[i];
	}
	if (!c) {
		o->st = ST_AGAIN;
		return;
	}
	*c = (struct wire_call){
		.id = m->id,
		.batch = o->batch,
		.method = (uint8_t)method_find(&m->method),
		.source = (uint8_t)(m->id & 7),
		.sample = (m->id & 8) != 0,
		.sched_ns = o->sched,
		.deadline_ns = UINT64_MAX,
	};
	call_params(c, &m->params);
	if (c->method == M_PENDING)
		o->w->pending_asked = true;
}

enum status wire_out(struct wire *w, const char *text, size_t n, uint64_t sched_ns)
{
	struct outgoing o = { .w = w, .sched = sched_ns, .st = ST_OK };
	enum status st;

	if (n && text[0] == '[')
		o.batch = ++w->batches;
	st = rpc_each(text, n, out_one, &o, NULL);
	return st != ST_OK ? st : o.st;
}

/* ---- events ---- */

static uint64_t wire_now(const struct wire *w, const struct net_meta *m)
{
	return w->hooks.now ? w->hooks.now(w->hooks.ctx) : m->recv_ns;
}

/* Facts of a chain wait until the path has said which chain it is on. */
static void emit_chain_fact(struct wire *w, struct event *e, bool important)
{
	if (w->chain_told) {
		w->hooks.emit(w->hooks.ctx, e, important);
	} else if (w->n_early < sizeof(w->early) / sizeof(w->early[0])) {
		w->early[w->n_early++] = *e;
	} else if (e->kind == EV_BLOCK) {
		block_unref(e->u.block.block);
	}
}

static void chain_settled(struct wire *w, const struct net_meta *m)
{
	struct event e = {
		.kind = EV_CHAIN,
		.mono = m->recv_ns,
		.wall = m->wall_ns,
		.u.chain = { .id = w->chain_id, .genesis = w->genesis, .ok = w->chain_ok },
	};

	if (!w->id_done || !w->genesis_done)
		return;
	w->hooks.emit(w->hooks.ctx, &e, true);
	w->chain_told = true;
	for (unsigned i = 0; i < w->n_early; i++)
		w->hooks.emit(w->hooks.ctx, &w->early[i], w->early[i].kind == EV_HEAD);
	w->n_early = 0;
}

static void emit_head(struct wire *w, const struct head *h, enum head_source source, enum truth hash_ok,
		      const struct net_meta *m)
{
	struct event e = {
		.kind = EV_HEAD,
		.mono = m->recv_ns,
		.wall = m->wall_ns,
		.u.head = { .h = *h, .source = (uint8_t)source, .hash_ok = (uint8_t)hash_ok },
	};

	emit_chain_fact(w, &e, true);
	if ((h->has & H_NUMBER) && (!w->has_last || h->number >= w->last.number || source == SRC_PUSH ||
				    source == SRC_POLL || source == SRC_FIRST)) {
		w->last = *h;
		w->has_last = true;
	}
}

static enum truth check_hash(const struct header *h, const uint8_t *extra)
{
	struct hash is;

	if (!(h->has & H_HASH) || header_hash(h, extra, &is) != ST_OK)
		return TRUTH_UNKNOWN;
	return hash_eq(&is, &h->hash) ? TRUTH_YES : TRUTH_NO;
}

/* A head without a number, hash or parent is no head that anything can be built on. */
static bool head_whole(const struct head *h)
{
	return (h->has & (H_HASH | H_NUMBER)) == (H_HASH | H_NUMBER);
}

static void odd(struct wire *w, const char *what, const char *text, size_t n)
{
	char start[100];

	w->odd++;
	if ((w->odd & (w->odd - 1)) != 0)
		return;
	utf8_clean(start, sizeof(start), text, n);
	log_msg(LOG_WARN, "odd message (%llu so far): %s: %s", (unsigned long long)w->odd, what, start);
}

/* ---- notifications ---- */

static void note_head(struct wire *w, const struct rpc_msg *m, const struct net_meta *meta)
{
	struct header h;
	struct head d;
	uint8_t extra[64] = { 0 };
	struct err err;
	enum head_source source = SRC_PUSH;

	if (header_decode(m->result.p, m->result.n, &h, extra, &err) != ST_OK) {
		odd(w, err.text, m->result.p, m->result.n);
		return;
	}
	head_from(&d, &h, extra);
	if (!head_whole(&d)) {
		odd(w, "a head without number or hash", m->result.p, m->result.n);
		return;
	}
	w->notes++;
	if (w->first_left > 0) {
		w->first_left--;
		source = SRC_FIRST;
	}
	emit_head(w, &d, source, h.extra.len < sizeof(extra) ? check_hash(&h, extra) : TRUTH_UNKNOWN, meta);
	for (unsigned i = 0; i < 4; i++) {
		if (hash_eq(&w->recent[i], &d.hash))
			return;
	}
	w->recent[w->next_recent++ % 4] = d.hash;
	if (w->hooks.head)
		w->hooks.head(w->hooks.ctx, &d);
}

/*
 * Where only heads are subscribed to, a notification is known by its shape. Its id may come before the answer to
 * eth_subscribe does, and in another form (provider.md faults 11 and 15).
 */
static void in_note(struct incoming *in, const struct rpc_msg *m)
{
	if (wire_is_pending(in->w, m)) {
		if (!wire_pending(in->w, m, in->meta))
			odd(in->w, "a pending transaction without a hash", m->result.p, m->result.n);
		return;
	}
	if (m->result.n > 0 && m->result.p[0] == '{')
		note_head(in->w, m, in->meta);
	else
		odd(in->w, "a notification that is no head", m->result.p, m->result.n);
}

/* ---- replies ---- */

static void emit_reply(struct wire *w, const struct wire_result *r, const struct net_meta *m, uint64_t wire_bytes)
{
	const struct wire_call *c = r->call;
	struct event e = {
		.kind = EV_REPLY,
		.mono = m->recv_ns,
		.wall = m->wall_ns,
		.u.reply = {
			.method = c->method,
			.code = (uint8_t)r->code,
			.attempt = c->attempt,
			.detail = r->detail,
			.latency_ns = c->batch || m->recv_ns < c->sched_ns ? UINT64_MAX : m->recv_ns - c->sched_ns,
			.wire_bytes = wire_bytes,
			.wait_ms = r->wait_ns / NS_MS > UINT32_MAX ? UINT32_MAX : (uint32_t)(r->wait_ns / NS_MS),
		},
	};

	if (r->text)
		utf8_clean(e.u.reply.text, sizeof(e.u.reply.text), r->text, strlen(r->text));
	w->hooks.emit(w->hooks.ctx, &e, true);
}

static void finish(struct incoming *in, struct wire_call *c, struct wire_result *r)
{
	struct wire *w = in->w;
	struct wire_call copy = *c;

	/* Free the place first: what is asked next may need it. */
	c->id = 0;
	w->done++;
	r->call = &copy;
	emit_reply(w, r, in->meta, copy.batch ? 0 : in->meta->wire_bytes);
	if (w->hooks.result)
		w->hooks.result(w->hooks.ctx, r);
}

static void tap_block(struct wire *w, uint64_t done_ns, bool verified, uint32_t took_us)
{
	if (w->hooks.tap)
		w->hooks.tap->block(w->hooks.tap->ctx, done_ns, verified, took_us);
}

static void emit_block(struct wire *w, const struct wire_call *c, const struct block *b, const struct net_meta *m)
{
	struct verdict v;
	struct event e = {
		.kind = EV_BLOCK,
		.mono = m->recv_ns,
		.wall = m->wall_ns,
		.u.block = {
			.asked_mono = c->sched_ns,
			.wire_bytes = m->wire_bytes,
			.xfer_bytes = m->xfer_bytes,
			.xfer_ns = m->xfer_ns,
			.reads = m->reads,
			.source = c->source,
			.sample = c->sample,
		},
	};
	uint64_t done, t0;

	e.u.block.block = block_keep(b);
	if (!e.u.block.block)
		return;
	done = e.u.block.done_mono = wire_now(w, m);
	tap_block(w, done, false, 0);
	emit_chain_fact(w, &e, true);
	/* What the model asked for again is to confirm or clear a doubt: verified anew. */
	if (c->source != SRC_ASKED && w->hooks.verify && !w->hooks.verify(w->hooks.ctx, &b->h.hash))
		return;
	t0 = wire_now(w, m);
	if (verify_block(w->verifier, b, w->chain_id, &v) != ST_OK)
		return;
	e = (struct event){
		.kind = EV_VERDICT,
		.mono = m->recv_ns,
		.wall = m->wall_ns,
		.u.verdict = { .hash = b->h.hash, .v = v, .took_us = (uint32_t)((wire_now(w, m) - t0) / NS_US) },
	};
	tap_block(w, done, true, e.u.verdict.took_us);
	emit_chain_fact(w, &e, false);
}

static enum status wrong_block(const struct wire_call *c, const struct head *h, struct err *e)
{
	if (!hash_is_zero(&c->hash) && !hash_eq(&c->hash, &h->hash))
		return err_set(e, ST_WRONG_BLOCK, "answered with a block of another hash");
	if (hash_is_zero(&c->hash) && c->tag == TAG_NONE && c->number != h->number)
		return err_set(e, ST_WRONG_BLOCK, "asked for block %llu, answered with %llu",
			       (unsigned long long)c->number, (unsigned long long)h->number);
	return ST_OK;
}

static void emit_tag(struct wire *w, const struct wire_call *c, const struct head *h, enum status code,
		     const struct net_meta *m)
{
	struct event e = {
		.kind = EV_TAG,
		.mono = m->recv_ns,
		.wall = m->wall_ns,
		.u.tag = { .final = c->tag == TAG_FINALIZED, .code = (uint8_t)code },
	};

	if (h) {
		e.u.tag.number = h->number;
		e.u.tag.time_ms = h->time_ms;
		e.u.tag.hash = h->hash;
	}
	emit_chain_fact(w, &e, false);
}

static bool is_genesis_call(const struct wire_call *c)
{
	return c->tag == TAG_GENESIS ||
	       (c->method == M_BLOCK_BY_NUMBER && c->tag == TAG_NONE && c->number == 0 && !c->full &&
		hash_is_zero(&c->hash) && c->source == SRC_ASKED);
}

static void genesis_done(struct wire *w, const struct head *h, const struct net_meta *m)
{
	memset(&w->genesis, 0, sizeof(w->genesis));
	if (h)
		w->genesis = h->hash;
	w->genesis_done = true;
	chain_settled(w, m);
}

/* A block call that answered with something. */
static void in_block(struct incoming *in, struct wire_call *c, const struct rpc_msg *m)
{
	struct wire *w = in->w;
	struct wire_result r = { .code = ST_OK };
	const struct block *b = NULL;
	struct header h;
	struct head d;
	uint8_t extra[64] = { 0 };
	struct err err = { .code = ST_OK };
	enum truth ok;

	if (w->packed) {
		r.body = true;
		finish(in, c, &r);
		return;
	}
	if (c->full)
		r.code = block_decode(w->dec, m->result.p, m->result.n, true, &b, &err);
	else
		r.code = header_decode(m->result.p, m->result.n, &h, extra, &err);
	if (r.code == ST_OK) {
		if (b) {
			head_from(&d, &b->h, block_at(b, b->h.extra));
			ok = check_hash(&b->h, block_at(b, b->h.extra));
		} else {
			head_from(&d, &h, extra);
			ok = h.extra.len < sizeof(extra) ? check_hash(&h, extra) : TRUTH_UNKNOWN;
		}
		if (!head_whole(&d))
			r.code = err_set(&err, ST_NULL, "block without number or hash");
		else
			r.code = wrong_block(c, &d, &err);
	}
	if (r.code == ST_OK) {
		r.head = &d;
		if (is_genesis_call(c)) {
			genesis_done(w, &d, in->meta);
		} else if (c->tag == TAG_SAFE || c->tag == TAG_FINALIZED) {
			emit_tag(w, c, &d, ST_OK, in->meta);
		} else {
			/* The body of a pushed head brings no news of the head; a poll that finds the same tip neither. */
			bool same = w->has_last && hash_eq(&w->last.hash, &d.hash);

			if (c->source != SRC_PUSH && !(c->source == SRC_POLL && same))
				emit_head(w, &d, (enum head_source)c->source, ok, in->meta);
			if (b) {
				r.body = true;
				emit_block(w, c, b, in->meta);
			}
		}
	}
	if (r.code == ST_MALFORMED && in->peeked) {
		in->again = true;
		return;
	}
	r.text = err.text;
	finish(in, c, &r);
}

static void emit_info(struct wire *w, enum info_kind kind, struct event *e, const struct net_meta *m)
{
	e->kind = EV_INFO;
	e->mono = m->recv_ns;
	e->wall = m->wall_ns;
	e->u.info.info = (uint8_t)kind;
	/* The others are asked for again by themselves. */
	w->hooks.emit(w->hooks.ctx, e, kind == INFO_PENDING);
}

static void in_info(struct incoming *in, struct wire_call *c, const struct rpc_msg *m)
{
	struct wire_result r = { .code = ST_OK };
	struct event e = { .kind = EV_INFO };

	if (wire_info_read((enum method)c->method, &m->result, &e)) {
		emit_info(in->w, wire_info_kind((enum method)c->method), &e, in->meta);
	} else {
		r.code = ST_MALFORMED;
		r.text = "not the type that this method answers with";
	}
	finish(in, c, &r);
}

/* A subscription's id; false: no answer that eth_subscribe may give. */
static bool take_sub(char *to, size_t size, const struct json_str *result)
{
	struct json j;
	struct json_str s = { .n = 0 };

	json_init(&j, result->p, result->n);
	if (json_peek(&j) == JSON_STRING ? !json_string(&j, &s) : !json_number(&j, &s))
		return false;
	utf8_clean(to, size, s.p, s.n);
	return true;
}

static void in_plain(struct incoming *in, struct wire_call *c, const struct rpc_msg *m)
{
	struct wire *w = in->w;
	struct wire_result r = { .code = ST_OK };
	struct event e = { .u.info.a = c->number };
	uint64_t before = w->chain_id;

	switch ((enum method)c->method) {
	case M_CHAIN_ID:
		w->chain_ok = wire_quantity(&m->result, &w->chain_id);
		w->id_done = true;
		if (w->chain_id != before && !w->genesis_done)
			memset(&w->genesis, 0, sizeof(w->genesis));
		if (!w->chain_ok) {
			r.code = ST_MALFORMED;
			r.text = "chain id is no quantity";
		}
		chain_settled(w, in->meta);
		break;
	case M_BLOCK_NUMBER:
		if (!wire_quantity(&m->result, &r.value)) {
			r.code = ST_MALFORMED;
			r.text = "block number is no quantity";
		}
		break;
	case M_SUBSCRIBE:
	case M_PENDING:
		if (!take_sub(c->method == M_SUBSCRIBE ? w->sub : w->pending_sub, sizeof(w->sub), &m->result)) {
			r.code = ST_MALFORMED;
			r.text = "subscription id is neither string nor number";
		} else if (c->method == M_SUBSCRIBE) {
			r.sub = w->sub;
		}
		if (c->method == M_PENDING) {
			e.u.info.code = (uint8_t)r.code;
			emit_info(w, INFO_PENDING, &e, in->meta);
		}
		break;
	default:
		break;
	}
	if (c->method == M_CHAIN_ID)
		r.value = w->chain_id;
	finish(in, c, &r);
}

/* What has to be said when a call cannot be answered, whatever the reason. */
static void call_failed(struct wire *w, const struct wire_call *c, enum status code, const struct net_meta *m)
{
	/* Of a chain, what was known stays: a node that does not answer has not become another. */
	if (c->method == M_CHAIN_ID && !w->id_done) {
		w->chain_ok = w->chain_ok && w->chain_told;
		w->id_done = true;
		chain_settled(w, m);
	} else if (is_genesis_call(c) && !w->genesis_done) {
		w->genesis_done = true;
		chain_settled(w, m);
	} else if (c->tag == TAG_SAFE || c->tag == TAG_FINALIZED) {
		emit_tag(w, c, NULL, code, m);
	} else if (wire_is_info((enum method)c->method)) {
		struct event e = { .u.info.code = (uint8_t)code };

		emit_info(w, wire_info_kind((enum method)c->method), &e, m);
	} else if (c->method == M_PENDING) {
		struct event e = { .u.info = { .code = (uint8_t)code, .a = c->number } };

		emit_info(w, INFO_PENDING, &e, m);
	}
}

static bool is_null(const struct json_str *s)
{
	return s->n == 4 && memcmp(s->p, "null", 4) == 0;
}

static bool whole(const struct json_str *text)
{
	struct json j;

	json_init(&j, text->p, text->n);
	return json_skip(&j, NULL) && json_end(&j);
}

static void in_reply(struct incoming *in, struct wire_call *c, const struct rpc_msg *m)
{
	struct wire_result r = { .code = ST_OK };
	uint64_t wait_ms = 0;

	/* Block results are checked by their decoder; the others are short. */
	if (in->peeked && c->method != M_BLOCK_BY_HASH && c->method != M_BLOCK_BY_NUMBER && !whole(&m->result)) {
		in->again = true;
		return;
	}
	if (c->batch) {
		in->batch = c->batch;
		in->batch_sched = c->sched_ns;
		if (!in->array)
			in->batch_refused = true;
	}
	if (m->is_error) {
		r.code = rpc_error_kind(m->code, m->error_text, m->error_data, &wait_ms);
		/* A subscription that it does not offer, or not in this form, is no fault of the node. */
		if (c->method == M_PENDING && r.code == ST_RPC)
			r.code = ST_UNSUPPORTED;
		r.detail = (int)m->code;
		r.text = m->error_text;
		r.wait_ns = wait_ms * NS_MS;
	} else if (is_null(&m->result) && is_genesis_call(c)) {
		/* A node that keeps no block 0 is no fault: its chain is known by the id alone. */
		genesis_done(in->w, NULL, in->meta);
		finish(in, c, &r);
		return;
	} else if (is_null(&m->result)) {
		r.code = ST_NULL;
		r.text = "null";
	}
	/* A batch that is answered by one object was not taken as a batch: the items are asked one by one. */
	r.missing = in->batch_refused;
	if (r.code != ST_OK) {
		if (!r.missing)
			call_failed(in->w, c, r.code, in->meta);
		finish(in, c, &r);
	} else if (c->method == M_BLOCK_BY_HASH || c->method == M_BLOCK_BY_NUMBER) {
		in_block(in, c, m);
	} else if (wire_is_info((enum method)c->method)) {
		in_info(in, c, m);
	} else {
		in_plain(in, c, m);
	}
}

/* An answer to a call of ours that says nothing, or two things at once (fault 49). */
static void in_neither(struct incoming *in, struct wire_call *c)
{
	struct wire_result r = { .code = ST_MALFORMED, .text = "neither result nor error, or both" };

	if (c->batch) {
		in->batch = c->batch;
		in->batch_sched = c->sched_ns;
	}
	call_failed(in->w, c, r.code, in->meta);
	finish(in, c, &r);
}

/* An error without an id of ours: it can only belong to the batch that is open, or to the only call that is. */
static void in_stray(struct incoming *in, const struct rpc_msg *m)
{
	struct wire *w = in->w;
	struct wire_call *only = NULL;
	unsigned open = 0;

	odd(w, m->is_error ? m->error_text : "neither answer nor notification", "", 0);
	if (!m->is_error)
		return;
	for (int i = 0; i < WIRE_CALLS; i++) {
		struct wire_call *c = &w->calls[i];

		if (!c->id)
			continue;
		open++;
		only = c;
		if (c->batch && !in->array) {
			in->batch = c->batch;
			in->batch_refused = true;
			return;
		}
	}
	if (open == 1)
		in_reply(in, only, m);
}

static void in_one(void *ctx, const struct rpc_msg *m)
{
	struct incoming *in = ctx;
	struct wire_call *c;

	switch (m->kind) {
	case RPC_NOTE:
		in_note(in, m);
		break;
	case RPC_REPLY:
		c = wire_find(in->w, m->id);
		if (c)
			in_reply(in, c, m);
		else
			odd(in->w, "answer to nothing that was asked", m->result.p, m->result.n);
		break;
	default:
		c = m->kind == RPC_STRAY && m->has_id ? wire_find(in->w, m->id) : NULL;
		if (c)
			in_neither(in, c);
		else
			in_stray(in, m);
		break;
	}
}

/* Items of an answered batch that had no answer of their own. */
static void batch_rest(struct incoming *in)
{
	struct wire *w = in->w;
	struct event e = {
		.kind = EV_REPLY,
		.mono = in->meta->recv_ns,
		.wall = in->meta->wall_ns,
		.u.reply = {
			.method = M_BATCH,
			.code = in->batch_refused ? ST_UNSUPPORTED : ST_OK,
			.latency_ns = in->batch_sched && in->meta->recv_ns >= in->batch_sched ?
					      in->meta->recv_ns - in->batch_sched : UINT64_MAX,
			.wire_bytes = in->meta->wire_bytes,
		},
	};

	for (int i = 0; i < WIRE_CALLS; i++) {
		struct wire_call *c = &w->calls[i];
		struct wire_result r = { .code = ST_MALFORMED, .text = "missing in the batch's answer", .missing = true };

		if (c->id && c->batch == in->batch)
			finish(in, c, &r);
	}
	w->hooks.emit(w->hooks.ctx, &e, true);
}

/* An array in which no item was ours can only be for the batch that is open, if there is but one. */
static void find_batch(struct incoming *in)
{
	struct wire *w = in->w;
	uint64_t found = 0, token = in->meta->token;

	for (int i = 0; i < WIRE_CALLS; i++) {
		const struct wire_call *c = &w->calls[i];

		if (!c->id || !c->batch || c->batch == found || (token && c->token != token))
			continue;
		if (found)
			return;
		found = c->batch;
		in->batch_sched = c->sched_ns;
	}
	in->batch = found;
}

/* Over HTTP a call is answered by its own response or not at all. */
static void token_rest(struct incoming *in)
{
	struct wire *w = in->w;

	for (int i = 0; i < WIRE_CALLS && in->meta->token; i++) {
		struct wire_call *c = &w->calls[i];
		struct wire_result r = { .code = ST_MALFORMED, .text = "the response holds no answer to the call" };

		if (!c->id || c->token != in->meta->token)
			continue;
		call_failed(w, c, r.code, in->meta);
		finish(in, c, &r);
	}
}

void wire_in(struct wire *w, const char *text, size_t n, const struct net_meta *m)
{
	struct incoming in = { .w = w, .meta = m };
	struct rpc_msg msg;
	struct err e;
	size_t i = 0;

	if (w->hooks.tap)
		w->hooks.tap->in(w->hooks.tap->ctx, text, n, m);
	wire_pending_flush(w, m->recv_ns);
	in.peeked = rpc_peek_reply(text, n, &msg);
	if (in.peeked)
		in_one(&in, &msg);
	if (!in.peeked || in.again) {
		in.peeked = false;
		while (i < n && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
			i++;
		in.array = i < n && text[i] == '[';
		if (rpc_each(text, n, in_one, &in, &e) != ST_OK)
			odd(w, e.text, text, n);
	}
	if (in.array && !in.batch)
		find_batch(&in);
	if (in.batch)
		batch_rest(&in);
	token_rest(&in);
}

bool wire_may_pack(struct wire *w, const char *text, size_t n)
{
	struct rpc_msg m;
	const struct wire_call *c;

	if (!rpc_peek_reply(text, n, &m) || m.is_error || !m.has_id)
		return false;
	c = wire_find(w, m.id);
	return c && c->method == M_BLOCK_BY_HASH && c->full && c->source == SRC_PUSH && !c->batch && w->chain_told;
}

void wire_in_packed(struct wire *w, const char *text, size_t n, const struct net_meta *m)
{
	w->packed = true;
	wire_in(w, text, n, m);
	w->packed = false;
}

void wire_fail(struct wire *w, struct wire_call *c, uint64_t now_ns, uint64_t now_wall, const struct err *e,
	       uint64_t wait_ns)
{
	struct net_meta m = { .recv_ns = now_ns, .wall_ns = now_wall };
	struct incoming in = { .w = w, .meta = &m };
	struct wire_result r = { .code = e->code, .detail = e->detail, .text = e->text, .wait_ns = wait_ns };

	if (w->hooks.tap)
		w->hooks.tap->fail(w->hooks.tap->ctx, c->id, e, wait_ns, now_ns, now_wall);
	call_failed(w, c, e->code, &m);
	finish(&in, c, &r);
}
