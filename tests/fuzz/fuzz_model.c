/*
 * Any sequence of events: what a lying node, a broken network and a slow reader can make of them. The chain must stay
 * consistent, and a copy of the model must be like the model.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "model/model.h"
#include "model/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *p, *end;
	uint64_t ms;
};

static uint8_t byte(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static struct hash tag(uint8_t n)
{
	struct hash h = { .b = { 0 } };

	h.b[0] = n;
	h.b[31] = n;
	return h;
}

static uint64_t odd(uint8_t n)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, 1000, 12000 };

	return values[n % 7];
}

/* 32 numbers, a few blocks each, linked at will; sometimes an absurd number. */
static struct head make_head(struct input *in)
{
	uint8_t a = byte(in), b = byte(in);
	uint64_t number = a / 4;
	struct head h = {
		.hash = tag(a),
		.parent = tag((uint8_t)((number - 1) * 4 + b % 4)),
		.number = a == 255 ? odd(b) : 100 + number,
		.time_ms = b & 64 ? odd(b) : 1790000000000 + number * 1000,
		.gas_limit = b & 32 ? odd(a) : 30000000,
		.gas_used = b & 16 ? odd(b) : 15000000,
		.has = H_HASH | H_NUMBER | H_PARENT | (b & 8 ? H_BASE_FEE | H_EXCESS_BLOB_GAS : 0),
		.excess_blob_gas = b & 128 ? odd(a) : 0,
		.base_fee = u256_from64(odd(b)),
	};

	return h;
}

static struct block *make_body(const struct head *h, uint32_t n)
{
	size_t bytes = sizeof(struct block) + n * sizeof(struct tx);
	struct block *scratch = calloc(1, bytes), *b = NULL;

	if (!scratch)
		return NULL;
	scratch->bytes = (uint32_t)bytes;
	scratch->h.hash = h->hash;
	scratch->h.parent = h->parent;
	scratch->h.number = h->number;
	scratch->h.time_ms = h->time_ms;
	scratch->h.has = h->has | H_TXS | (n % 5 ? H_TXS_FULL : 0);
	scratch->txs = (struct span){ .off = sizeof(*scratch), .len = n };
	for (uint32_t i = 0; i < n; i++) {
		struct tx *t = (struct tx *)(scratch + 1) + i;

		t->type = i;
		t->hash = tag((uint8_t)(h->number + i));
		t->has = T_GAS_PRICE;
	}
	b = block_keep(scratch);
	free(scratch);
	return b;
}

static void apply(struct model *m, struct input *in)
{
	uint8_t op = byte(in), how = byte(in);
	struct event e = { .path = how % 5, .mono = (1000 + in->ms) * NS_MS, .wall = odd(how) };
	struct head h;

	e.mono -= how & 32 ? byte(in) * NS_MS / 4 : 0;
	if (how & 64)
		e.wall = UINT64_C(1790000000) * NS_S + in->ms * NS_MS;
	switch (op % 16) {
	case 0:
	case 1:
	case 2:
	case 3:
		e.kind = EV_HEAD;
		e.u.head.h = make_head(in);
		e.u.head.source = byte(in) % 9;
		break;
	case 4:
		e.kind = EV_BLOCK;
		h = make_head(in);
		e.u.block.block = make_body(&h, byte(in) % 12);
		e.u.block.source = byte(in) % 8;
		e.u.block.done_mono = e.mono + odd(how);
		e.u.block.reads = 3;
		e.u.block.xfer_bytes = e.u.block.xfer_ns = odd(op);
		break;
	case 5:
		e.kind = EV_LINK;
		e.u.link.state = byte(in) % 9;
		e.u.link.code = byte(in);
		e.u.link.retry_mono = odd(how);
		break;
	case 6:
		e.kind = EV_CHAIN;
		e.u.chain.id = byte(in) % 16;
		e.u.chain.ok = how & 8;
		e.u.chain.network = how & 16;
		e.u.chain.genesis = tag(how & 3);
		break;
	case 7:
		e.kind = EV_VERDICT;
		e.u.verdict.hash = tag(byte(in));
		e.u.verdict.v.header = (enum truth)(byte(in) % 4);
		e.u.verdict.v.txs = TRUTH_YES;
		e.u.verdict.took_us = (uint32_t)odd(how);
		break;
	case 8:
		e.kind = EV_REPLY;
		e.u.reply.method = byte(in);
		e.u.reply.code = byte(in) % 30;
		e.u.reply.latency_ns = odd(op / 14);
		e.u.reply.wait_ms = (uint32_t)odd(how);
		break;
	case 9:
		e.kind = EV_INFO;
		e.u.info.info = byte(in) % (INFO_N + 1);
		e.u.info.code = byte(in) % 3 * 12;
		e.u.info.yes = how & 1;
		e.u.info.a = odd(byte(in));
		e.u.info.b = odd(how);
		e.u.info.c = odd(op) << (how & 32);
		memset(e.u.info.text, how, how & 4 ? sizeof(e.u.info.text) : how % 9);
		break;
	case 10:
		e.kind = EV_TAG;
		e.u.tag.final = how & 1;
		e.u.tag.code = byte(in) % 2;
		e.u.tag.number = odd(byte(in));
		e.u.tag.time_ms = odd(op);
		e.u.tag.hash = tag(how);
		break;
	case 11:
		e.kind = EV_GAP;
		e.u.gap.from = odd(byte(in));
		e.u.gap.to = odd(byte(in));
		e.u.gap.asked = how;
		e.u.gap.silent_ns = odd(how);
		break;
	case 12:
		e.kind = EV_BODY_MISS;
		e.u.miss.hash = tag(byte(in));
		e.u.miss.code = byte(in);
		break;
	case 13:
		e.kind = EV_TXS;
		e.u.txs.n = byte(in) % (TXS_MAX + 3);
		e.u.txs.lost = how & 16 ? byte(in) : 0;
		for (unsigned i = 0; i < TXS_MAX; i++) {
			struct hash t = tag(byte(in));

			e.u.txs.key[i] = hash_key(&t) << (how & 7);
			e.u.txs.after_us[i] = (uint32_t)odd(how);
			e.u.txs.fee[i] = odd(op);
		}
		break;
	case 14:
		e.kind = EV_INFO;
		e.u.info.info = INFO_PENDING;
		e.u.info.code = byte(in) % 4 ? ST_OK : byte(in);
		e.u.info.a = how & 1;
		break;
	default:
		e.kind = byte(in) % 2 ? EV_CLOCK : EV_TRAFFIC;
		e.u.traffic.bytes_in = odd(byte(in)); /* or the bound of the clock */
		break;
	}
	model_apply(m, &e);
}

static void require(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not true: %s\n", what);
	abort();
}

/* Whatever was heard when, shares are shares and times are in order. */
static void check_race(const struct model *m, enum race_window window, bool minus_rtt)
{
	const struct race_view *v = model_race(m, window, minus_rtt);

	require(!v || v->tied <= v->raced, "ties are races");
	require(!v || v->raced <= v->heads, "races are heads");
	for (unsigned i = 0; v && i < m->n_paths; i++) {
		const struct race_path *p = &v->path[i];
		const struct race_times *t = &p->behind;

		require(p->won + p->ties <= p->raced && p->raced <= t->n && t->n + p->missed <= v->heads, "of so many heads");
		require(t->n == 0 || (t->p10 <= t->p50 && t->p50 <= t->p90 && t->p90 <= t->p99 && t->p99 <= t->max), "in order");
	}
}

static void check_tree(const struct model *m)
{
	struct fork_tree t;

	chain_tree(m, TREE_DEPTH, &t);
	for (unsigned i = 0; i < t.n; i++) {
		require(t.branch[i].tip->h.number >= t.branch[i].fork, "a tip is above its fork");
		require((t.branch[i].holders & t.nowhere) == 0, "a path is somewhere or nowhere");
	}
}

static void check(const struct model *m)
{
	for (unsigned w = 0; w < RACE_WINDOWS; w++) {
		check_race(m, (enum race_window)w, false);
		check_race(m, (enum race_window)w, true);
	}
	check_tree(m);
	for (unsigned k = 0; k < m->n_chains; k++) {
		const struct chain *c = m->chains[k];
		const struct blk *row, *before = NULL;
		unsigned i = 0;

		for (; chain_rows(c, i, &row, 1); i++) {
			require(chain_by_hash(c, &row->h.hash) == row, "found by its hash");
			require(chain_row_of(c, &row->h.hash) == (long)i, "its row is its row");
			require(!before || row->h.number <= before->h.number, "rows by number");
			if (row->state == BLK_CANON)
				require(chain_by_number(c, row->h.number) == row, "canonical by number");
			if (row->state == BLK_CANON && before)
				require(before->h.number > row->h.number || before->state != BLK_CANON, "one a height");
			before = row;
		}
		require(i <= c->kept, "rows are blocks");
		if (c->head)
			require(chain_by_number(c, c->head->h.number) == c->head, "the head is canonical");
	}
	for (unsigned i = 0; i < m->n_paths; i++)
		require(m->paths[i]->chain < (int)m->n_chains, "the chain of a path");
	require(m->own.bodies_bytes <= BODIES_BYTES, "body budget");
	require(m->pool.cover.seen <= m->pool.cover.txs && m->pool.pay <= m->pool.pay_of, "shares");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct path_setup setup[4] = {
		{ .node = "a", .via = "ws", .push = true },
		{ .node = "a", .via = "http" },
		{ .node = "b", .via = "wss", .push = true },
		{ .node = "c", .via = "ipc", .push = true },
	};
	struct input in = { .p = data, .end = data + size };
	struct model *m = model_new(setup, 4, 1000 * NS_MS, UINT64_C(1790000000) * NS_S), *copy;
	struct want w[4];

	if (!m)
		return 0;
	while (in.p < in.end) {
		uint8_t dt = byte(&in);

		in.ms += dt % 64 * (dt & 128 ? 100 : 1);
		if (dt & 64) {
			model_tick(m, (1000 + in.ms) * NS_MS, UINT64_C(1790000000) * NS_S + in.ms * NS_MS);
			model_wants(m, w, 4);
		}
		apply(m, &in);
	}
	check(m);
	model_tick(m, (2000 + in.ms) * NS_MS, UINT64_C(1790000000) * NS_S + in.ms * NS_MS);
	check(m);
	model_show(m, 1);
	copy = model_clone(m);
	if (copy) {
		check(copy);
		model_tick(copy, (3000 + in.ms) * NS_MS, 0);
		check(copy);
	}
	model_free(m);
	model_free(copy);
	return 0;
}
