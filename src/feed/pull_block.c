/* From a reply to a block and its text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "eth/rpc.h"
#include "feed/pull_priv.h"

/* What is looked for in a message that is not as plain as usual. */
struct find {
	uint64_t id;
	struct rpc_msg m;
	bool found;
};

static void find_id(void *ctx, const struct rpc_msg *m)
{
	struct find *f = ctx;

	if (m->kind != RPC_REPLY || !m->has_id || m->id != f->id || f->found)
		return;
	f->m = *m;
	f->found = true;
}

static enum status verify(struct pull_worker *w, struct pull_slot *s, const struct block *b)
{
	struct verdict v;
	enum status st = verify_block(w->verifier, b, w->p->chain_id, &v);

	if (st != ST_OK)
		return err_set(&s->err, st, "no memory to verify it");
	s->truth = (uint8_t)verdict_all(&v);
	if (s->truth == TRUTH_NO)
		return err_set(&s->err, ST_WRONG_BLOCK, "%s does not hold", v.field);
	if (b->h.has & H_TX_ELSEWHERE)
		return err_set(&s->err, ST_WRONG_BLOCK, "its transactions say that they are of another block");
	if (s->truth != TRUTH_YES)
		snprintf(s->doubt, sizeof(s->doubt), "%s%s%s", v.field, v.reason[0] ? ": " : "", v.reason);
	return ST_OK;
}

static enum status use_block(struct pull_worker *w, struct pull_slot *s, const struct block *b)
{
	const struct pull_opts *o = &w->p->o;
	enum status st = ST_OK;

	if (!(b->h.has & H_NUMBER) || b->h.number != s->number) {
		if (b->h.has & H_NUMBER)
			return err_set(&s->err, ST_WRONG_BLOCK, "answered with block %" PRIu64, b->h.number);
		return err_set(&s->err, ST_WRONG_BLOCK, "answered with a block without number");
	}
	if (o->verify)
		st = verify(w, s, b);
	if (st != ST_OK)
		return st;
	s->linked = (b->h.has & (H_HASH | H_PARENT)) == (H_HASH | H_PARENT);
	s->hash = b->h.hash;
	s->parent = b->h.parent;
	s->gas = b->h.gas_used;
	s->txs = b->h.ntx;
	s->json_bytes = b->json_bytes;
	s->elsewhere = (b->h.has & H_TX_ELSEWHERE) != 0;
	return ST_OK;
}

static enum status format(struct pull_worker *w, struct pull_slot *s, const struct block *b)
{
	const struct pull_hooks *h = &w->p->o.hooks;
	uint64_t t0;
	enum status st;

	if (!h->format)
		return ST_OK;
	t0 = time_mono();
	buf_clear(&s->text);
	st = h->format(h->ctx, &s->text, b);
	w->format_ns += time_mono() - t0;
	return st == ST_OK ? ST_OK : err_set(&s->err, st, "its text: %s", status_word(st));
}

static enum status use_reply(struct pull_worker *w, struct pull_slot *s, const struct rpc_msg *m, const struct block **b)
{
	uint64_t wait_ms = 0;
	enum status st;

	if (m->is_error) {
		st = rpc_error_kind(m->code, m->error_text, m->error_data, &wait_ms);
		s->wait_ns = wait_ms * NS_MS;
		return err_set_detail(&s->err, st, (int)m->code, "error %" PRId64 ": %s", m->code, m->error_text);
	}
	st = block_decode(w->dec, m->result.p, m->result.n, true, b, &s->err);
	return st == ST_OK ? use_block(w, s, *b) : st;
}

enum status pull_decode(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n)
{
	struct find f = { .id = s->id };
	const struct block *b = NULL;
	enum status st = ST_MALFORMED;
	uint64_t t0 = time_mono();
	bool peeked;

	s->wait_ns = 0;
	peeked = !atomic_load_explicit(&w->p->careful, memory_order_relaxed) && rpc_peek_reply(text, n, &f.m) &&
		f.m.id == s->id;
	if (peeked)
		st = use_reply(w, s, &f.m, &b);
	if (st == ST_MALFORMED) {
		struct err e;

		/* Members may stand behind the result: the slow reader has the last word. */
		if (rpc_each(text, n, find_id, &f, &e) == ST_OK && f.found) {
			st = use_reply(w, s, &f.m, &b);
			if (peeked && st == ST_OK)
				atomic_store(&w->p->careful, true);
		} else if (!peeked) {
			err_set(&s->err, ST_MALFORMED, "not an answer to the request");
		}
	}
	w->decode_ns += time_mono() - t0;
	return st == ST_OK ? format(w, s, b) : st;
}
