#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_rig.h"

struct model *rig_model(unsigned paths, uint64_t id)
{
	struct path_setup setup[PATHS_MAX] = { { .node = NULL } };
	char names[PATHS_MAX][16];
	struct model *m;

	for (unsigned i = 0; i < paths; i++) {
		snprintf(names[i], sizeof(names[i]), "n%u", i);
		setup[i] = (struct path_setup){ .node = names[i], .via = "ws", .show = "x", .push = true };
	}
	m = model_new(setup, paths, RIG_T0, RIG_WALL0);
	assert_non_null(m);
	for (unsigned i = 0; i < paths; i++) {
		rig_link(m, i, 0, LINK_LIVE, ST_OK);
		rig_chain(m, i, 0, id, 7);
	}
	return m;
}

struct hash rig_hash(uint64_t tag)
{
	struct hash h;
	uint64_t x = tag;

	for (unsigned i = 0; i < 4; i++) {
		/* splitmix64 */
		x += UINT64_C(0x9e3779b97f4a7c15);
		uint64_t z = x;

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		z ^= z >> 31;
		memcpy(h.b + 8 * i, &z, 8);
	}
	return h;
}

struct head rig_head(uint64_t number, uint64_t tag, uint64_t parent)
{
	return (struct head){
		.hash = rig_hash(tag),
		.parent = rig_hash(parent ? parent : tag + UINT64_C(0x1000000000000)),
		.number = number,
		.time_ms = RIG_WALL0 / NS_MS + number * RIG_SLOT_MS,
		.gas_used = 15000000,
		.gas_limit = 30000000,
		.base_fee = u256_from64(1000000000),
		.has = H_HASH | H_NUMBER | H_PARENT | H_BASE_FEE | H_MINER,
	};
}

static uint64_t at(uint64_t ms)
{
	return RIG_T0 + ms * NS_MS;
}

unsigned rig_say(struct model *m, unsigned path, uint64_t ms, const struct head *h, enum head_source source)
{
	struct event e = {
		.kind = EV_HEAD,
		.path = (uint16_t)path,
		.mono = at(ms),
		.wall = RIG_WALL0 + ms * NS_MS,
		.u.head = { .h = *h, .source = (uint8_t)source, .hash_ok = TRUTH_YES },
	};

	return model_apply(m, &e);
}

unsigned rig_link(struct model *m, unsigned path, uint64_t ms, enum link_state state, enum status cause)
{
	struct event e = {
		.kind = EV_LINK,
		.path = (uint16_t)path,
		.mono = at(ms),
		.wall = RIG_WALL0 + ms * NS_MS,
		.u.link = { .state = (uint8_t)state, .code = (uint8_t)cause },
	};

	if (cause != ST_OK)
		snprintf(e.u.link.text, sizeof(e.u.link.text), "%s", status_word(cause));
	if (state == LINK_WAITING)
		e.u.link.retry_mono = at(ms) + 4 * NS_S;
	return model_apply(m, &e);
}

void rig_chain(struct model *m, unsigned path, uint64_t ms, uint64_t id, uint64_t genesis)
{
	struct event e = {
		.kind = EV_CHAIN,
		.path = (uint16_t)path,
		.mono = at(ms),
		.wall = RIG_WALL0 + ms * NS_MS,
		.u.chain = { .id = id, .ok = true },
	};

	if (genesis)
		e.u.chain.genesis = rig_hash(genesis);
	model_apply(m, &e);
}

unsigned rig_tick(struct model *m, uint64_t ms)
{
	return model_tick(m, at(ms), RIG_WALL0 + ms * NS_MS);
}

void rig_run(struct model *m, unsigned path, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n <= to; n++) {
		struct head h = rig_head(n, n, n - 1);

		rig_say(m, path, n * RIG_SLOT_MS, &h, SRC_PUSH);
		rig_tick(m, n * RIG_SLOT_MS + 250);
	}
}

bool rig_noted(const struct model *m, const char *part)
{
	const struct note *n;

	for (unsigned i = 0; (n = model_note_at(m, i)) != NULL; i++)
		if (strstr(n->text, part))
			return true;
	return false;
}

struct block *rig_body(const struct head *h, uint32_t n, uint64_t first_tx)
{
	size_t bytes = sizeof(struct block) + n * sizeof(struct tx);
	struct block *scratch = calloc(1, bytes), *b;
	struct tx *txs = (struct tx *)(scratch + 1);

	assert_non_null(scratch);
	scratch->bytes = (uint32_t)bytes;
	scratch->json_bytes = 1000 + n * 500;
	scratch->h = (struct header){
		.has = h->has | H_TXS | H_TXS_FULL | H_SIZE,
		.ntx = n,
		.hash = h->hash,
		.parent = h->parent,
		.number = h->number,
		.time_ms = h->time_ms,
		.timestamp = h->time_ms / 1000,
		.gas_used = h->gas_used,
		.gas_limit = h->gas_limit,
		.base_fee = h->base_fee,
		.blob_gas_used = h->blob_gas_used,
		.excess_blob_gas = h->excess_blob_gas,
		.size = 100 * n,
	};
	scratch->txs = (struct span){ .off = sizeof(struct block), .len = n };
	for (uint32_t i = 0; i < n; i++) {
		txs[i] = (struct tx){
			.index = i,
			.type = TX_DYNAMIC,
			.has = T_TO | T_MAX_FEE | T_MAX_PRIORITY | T_GAS_PRICE,
			.hash = rig_hash(first_tx + i),
			.gas_price = u256_from64(1000000000 + (i + 1) * 1000),
			.max_fee = u256_from64(5000000000),
			.max_priority = u256_from64((i + 1) * 1000),
			.gas = h->gas_used,
			.value = u256_from64((i + 1) * UINT64_C(1000000000000000)),
		};
	}
	b = block_keep(scratch);
	assert_non_null(b);
	free(scratch);
	return b;
}

unsigned rig_block(struct model *m, unsigned path, uint64_t ms, uint64_t done_ms, struct block *b, enum head_source source)
{
	struct event e = {
		.kind = EV_BLOCK,
		.path = (uint16_t)path,
		.mono = at(ms),
		.wall = RIG_WALL0 + ms * NS_MS,
		.u.block = { .block = b, .asked_mono = at(ms), .done_mono = at(done_ms), .source = (uint8_t)source },
	};

	return model_apply(m, &e);
}

void rig_verdict(struct model *m, unsigned path, uint64_t ms, uint64_t tag, enum truth t, const char *field)
{
	struct event e = {
		.kind = EV_VERDICT,
		.path = (uint16_t)path,
		.mono = at(ms),
		.wall = RIG_WALL0 + ms * NS_MS,
		.u.verdict = { .hash = rig_hash(tag), .v = { .header = t, .txs = TRUTH_YES, .withdrawals = TRUTH_YES } },
	};

	if (field)
		snprintf(e.u.verdict.v.field, sizeof(e.u.verdict.v.field), "%s", field);
	model_apply(m, &e);
}

void rig_check(const struct model *m, bool settled)
{
	for (unsigned k = 0; k < m->n_chains; k++) {
		const struct chain *c = m->chains[k];
		const struct blk *row, *before = NULL, *canon = NULL;
		unsigned i = 0;

		for (; chain_rows(c, i, &row, 1); i++) {
			assert_int_equal(chain_row_of(c, &row->h.hash), i);
			assert_ptr_equal(chain_by_hash(c, &row->h.hash), row);
			if (before)
				assert_true(row->h.number <= before->h.number);
			if (row->state == BLK_CANON) {
				assert_ptr_equal(chain_by_number(c, row->h.number), row);
				if (settled && canon && canon->h.number == row->h.number + 1 && !canon->gap_before)
					assert_true(hash_eq(&canon->h.parent, &row->h.hash));
				if (canon)
					assert_true(canon->h.number > row->h.number);
				else
					assert_ptr_equal(c->head, row);
				canon = row;
			} else if (before && before->h.number == row->h.number) {
				assert_true(row->state != BLK_CANON);
			}
			before = row;
		}
		assert_true(i <= c->kept);
		assert_true(!c->head || canon);
	}
}
