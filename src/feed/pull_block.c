/* From a reply to a block and its text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "eth/block_rlp.h"
#include "eth/keccak.h"
#include "eth/rpc.h"
#include "eth/trie.h"
#include "feed/pull_priv.h"
#include "net/devp2p/eth.h"

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

/* ---- RLPx ---- */

/*
 * Root over the items of a list: lists as they stand, strings without their length (EIP-2718). False: an empty item, or no
 * memory.
 */
static bool list_root(const struct rlp_item *list, uint32_t n, struct hash *root)
{
	struct trie_value *v = calloc(n ? n : 1, sizeof(*v));
	struct rlp_item i;
	bool ok = v != NULL;
	struct rlp r;

	rlp_init(&r, list->p, list->n);
	for (uint32_t k = 0; ok && k < n && rlp_next(&r, &i); k++) {
		v[k] = i.list ? (struct trie_value){ i.raw, i.raw_n } : (struct trie_value){ i.p, i.n };
		ok = v[k].n > 0;
	}
	if (ok)
		trie_root(v, n, root);
	free(v);
	return ok;
}

static bool has_deposit(const struct block *b)
{
	for (uint32_t i = 0; i < b->txs.len; i++) {
		if (block_txs(b)[i].type == TX_DEPOSIT)
			return true;
	}
	return false;
}

/* A body comes without a name: what its header says of it tells whose it is. Over the bytes, whatever types are in it. */
static enum status check_body(const struct block *b, const struct block_parts *parts, struct err *e)
{
	const bool has = parts->withdrawals.raw != NULL, wants = (b->h.has & H_WITHDRAWALS_ROOT) != 0;
	const char *what = NULL;
	struct hash h;

	keccak256(parts->uncles.raw, parts->uncles.raw_n, h.b);
	if (!hash_eq(&h, &b->h.uncles_hash))
		what = "sha3Uncles";
	else if (!list_root(&parts->txs, b->txs.len, &h) || !hash_eq(&h, &b->h.tx_root))
		what = "transactionsRoot";
	/* OP-stack chains keep another root there (verify.h). */
	else if (has != wants || (has && !has_deposit(b) && (!list_root(&parts->withdrawals, b->withdrawals.len, &h) ||
					   !hash_eq(&h, &b->h.withdrawals_root))))
		what = "withdrawalsRoot";
	return what ? err_set(e, ST_WRONG_BLOCK, "the body of another block: %s differs", what) : ST_OK;
}

static enum status decode_rlp(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n, struct block **out)
{
	struct block_parts parts = { .header = NULL };
	struct rlp_item header, body_item;
	struct eth_new_block body;
	enum status st;
	struct rlp r;

	rlp_init(&r, text, n);
	if (!rlp_next(&r, &header) || !rlp_next(&r, &body_item))
		return err_set(&s->err, ST_MALFORMED, "not a header and a body");
	st = eth_body_decode(&body_item, &body, &s->err);
	if (st != ST_OK)
		return st;
	parts.header = header.raw;
	parts.header_n = header.raw_n;
	parts.txs = body.txs;
	parts.uncles = body.uncles;
	parts.withdrawals = body.withdrawals;
	if (!body.withdrawals.list)
		parts.withdrawals.raw = NULL;
	st = block_from_rlp(&parts, out, &s->err);
	if (st != ST_OK)
		return st;
	(*out)->json_bytes = (uint32_t)n;
	st = check_body(*out, &parts, &s->err);
	if (st == ST_OK)
		(void)block_senders(*out, w->verifier);
	return st;
}

static enum status decode_p2p(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n)
{
	struct block *b = NULL;
	uint64_t t0 = time_mono();
	enum status st = decode_rlp(w, s, text, n, &b);

	if (st == ST_OK)
		st = use_block(w, s, b);
	w->decode_ns += time_mono() - t0;
	if (st == ST_OK)
		st = format(w, s, b);
	block_unref(b);
	return st;
}

/* ---- either ---- */

enum status pull_decode(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n)
{
	struct find f = { .id = s->id };
	const struct block *b = NULL;
	enum status st = ST_MALFORMED;
	uint64_t t0 = time_mono();
	bool peeked;

	s->wait_ns = 0;
	if (pull_is_p2p(w->p))
		return decode_p2p(w, s, text, n);
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
