/*
 * eth/block_rlp: a whole chain in RLP proves itself (hashes, roots, parents, senders); real blocks that
 * come from JSON and go through RLP are the same again; what is cut or bent is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hex.h"
#include "eth/block_rlp.h"
#include "eth/trie.h"
#include "tests/unit/corpus.h"

enum { CHAIN_BLOCKS = 54 };

struct tools {
	struct blockdec *dec;
	struct verifier *ver;
};

static int setup(void **state)
{
	static struct tools t;

	t.dec = blockdec_new();
	t.ver = verifier_new();
	*state = &t;
	return t.dec != NULL && t.ver != NULL ? 0 : -1;
}

static int teardown(void **state)
{
	struct tools *const t = *state;

	blockdec_free(t->dec);
	verifier_free(t->ver);
	return 0;
}

/* [header, transactions, uncles, withdrawals?] */
static void parts_of(const struct rlp_item *whole, struct block_parts *p)
{
	struct rlp_item header;
	struct rlp r;

	memset(p, 0, sizeof(*p));
	assert_true(whole->list);
	rlp_init(&r, whole->p, whole->n);
	assert_true(rlp_next(&r, &header));
	p->header = header.raw;
	p->header_n = header.raw_n;
	assert_true(rlp_next(&r, &p->txs));
	assert_true(rlp_next(&r, &p->uncles));
	rlp_next(&r, &p->withdrawals);
	assert_true(rlp_done(&r));
}

static void chain(void **state)
{
	struct tools *const t = *state;
	size_t n, blocks = 0, txs = 0, types[5] = { 0 };
	char *const bytes = corpus_read("execution-apis/chain.rlp", &n), *head;
	struct hash parent = { { 0 } };
	struct rlp_item item;
	char text[67];
	struct rlp r;

	rlp_init(&r, bytes, n);
	while (rlp_next(&r, &item)) {
		struct block_parts p;
		struct verdict v;
		struct block *b;
		struct err e;

		parts_of(&item, &p);
		if (block_from_rlp(&p, &b, &e) != ST_OK)
			fail_msg("block %zu: %s", blocks, e.text);
		assert_int_equal(b->h.number, blocks + 1);
		assert_int_equal(b->h.size, item.raw_n);
		if (blocks > 0)
			assert_true(hash_eq(&b->h.parent, &parent));
		parent = b->h.hash;
		assert_int_equal(verify_block(t->ver, b, 1, &v), ST_OK);
		if (v.header != TRUTH_YES || v.txs != TRUTH_YES || v.field[0] != '\0')
			fail_msg("block %zu: %s %s", blocks, v.field, v.reason);
		assert_int_equal(v.withdrawals, p.withdrawals.raw != NULL ? TRUTH_YES : TRUTH_NONE);
		assert_int_equal(block_senders(b, t->ver), 0);
		for (uint32_t i = 0; i < b->txs.len; i++) {
			const struct tx *const tx = &block_txs(b)[i];

			assert_true(tx->has & T_FROM);
			assert_true(tx->type < 5);
			types[tx->type]++;
		}
		txs += b->txs.len;
		blocks++;
		block_unref(b);
	}
	assert_true(rlp_done(&r));
	assert_int_equal(blocks, CHAIN_BLOCKS);
	assert_int_equal(txs, 249);
	for (int i = 0; i < 5; i++)
		assert_true(types[i] > 0);
	/* The node's own word for the last block. */
	free(bytes);
	head = corpus_read("execution-apis/headfcu.json", &n);
	assert_non_null(strstr(head, hex_print(text, parent.b, 32)));
	free(head);
}

static void put(struct buf *b, const void *p, size_t n)
{
	assert_int_equal(buf_add(b, p, n), ST_OK);
}

/* A header with the fields that every header has, and a number. */
static void plain_header(struct buf *b, unsigned number, unsigned extra_fields)
{
	static const uint8_t zero[256];
	const size_t mark = rlp_list_begin(b);

	for (int i = 0; i < 6; i++)
		assert_int_equal(rlp_bytes(b, zero, i == 2 ? 20 : 32), ST_OK);
	assert_int_equal(rlp_bytes(b, zero, 256), ST_OK);
	assert_int_equal(rlp_u64(b, 2), ST_OK);
	assert_int_equal(rlp_u64(b, number), ST_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rlp_u64(b, 1000 + (unsigned)i), ST_OK);
	assert_int_equal(rlp_bytes(b, "extra", 5), ST_OK);
	assert_int_equal(rlp_bytes(b, zero, 32), ST_OK);
	assert_int_equal(rlp_bytes(b, zero, 8), ST_OK);
	for (unsigned i = 0; i < extra_fields; i++) {
		const bool number_field = i == 0 || i == 2 || i == 3 || i == 7;

		if (number_field)
			assert_int_equal(rlp_u64(b, 7 + i), ST_OK);
		else
			assert_int_equal(rlp_bytes(b, zero, 32), ST_OK);
	}
	assert_int_equal(rlp_list_end(b, mark), ST_OK);
}

static bool same_data(const struct block *a, struct span x, const struct block *b, struct span y, size_t size)
{
	return x.len == y.len && memcmp(block_at(a, x), block_at(b, y), x.len * size) == 0;
}

static void same_tx(const struct block *a, const struct tx *x, const struct block *b, const struct tx *y)
{
	/* JSON gives a deposit a nonce and a signature that its bytes do not have. */
	const bool deposit = x->type == TX_DEPOSIT;
	const uint32_t both =
		T_TO | T_MAX_FEE | T_MAX_PRIORITY | T_MAX_BLOB_FEE | (deposit ? 0 : T_SIG | T_Y_PARITY | T_NONCE);

	assert_true(hash_eq(&x->hash, &y->hash));
	assert_int_equal(x->type, y->type);
	assert_int_equal(x->has & both, y->has & both);
	assert_int_equal(x->gas, y->gas);
	assert_true(addr_eq(&x->to, &y->to));
	assert_memory_equal(&x->value, &y->value, 32);
	if ((x->has & T_CHAIN_ID) && !deposit)
		assert_memory_equal(&x->chain_id, &y->chain_id, 32);
	if (y->has & T_GAS_PRICE)
		assert_memory_equal(&x->gas_price, &y->gas_price, 32);
	assert_memory_equal(&x->max_fee, &y->max_fee, 32);
	assert_memory_equal(&x->max_priority, &y->max_priority, 32);
	assert_memory_equal(&x->max_blob_fee, &y->max_blob_fee, 32);
	if (!deposit) {
		assert_int_equal(x->nonce, y->nonce);
		assert_int_equal(x->y_parity, y->y_parity);
		assert_memory_equal(&x->v, &y->v, 32);
		assert_memory_equal(&x->r, &y->r, 32);
		assert_memory_equal(&x->s, &y->s, 32);
	}
	assert_true(same_data(a, x->input, b, y->input, 1));
	assert_true(same_data(a, x->blobs, b, y->blobs, 32));
	assert_int_equal(x->access.len, y->access.len);
	for (uint32_t i = 0; i < x->access.len; i++) {
		const struct access_entry *const p = (const struct access_entry *)block_at(a, x->access) + i;
		const struct access_entry *const q = (const struct access_entry *)block_at(b, y->access) + i;

		assert_true(addr_eq(&p->addr, &q->addr));
		assert_true(same_data(a, p->keys, b, q->keys, 32));
	}
	assert_true(addr_eq(&x->from, &y->from));
}

/* Real transactions: JSON → struct → RLP → struct. */
static void corpus_again(void **state)
{
	struct tools *const t = *state;
	cJSON *const all = corpus_expected(), *item;
	struct buf txs, header;
	unsigned long checked = 0;

	buf_init(&txs, 16 << 20);
	buf_init(&header, 4096);
	plain_header(&header, 1, 0);
	cJSON_ArrayForEach(item, all)
	{
		size_t n, mark;
		char *const text = corpus_block(item, &n);
		const struct block *const a = corpus_decode(t->dec, text, n);
		struct block_parts p = { .header = (uint8_t *)header.p, .header_n = header.len };
		struct block *b;
		struct rlp r;
		struct err e;

		buf_clear(&txs);
		mark = rlp_list_begin(&txs);
		for (uint32_t i = 0; i < a->txs.len; i++) {
			const struct tx *const tx = &block_txs(a)[i];
			struct trie_value raw;

			assert_int_equal(tx_raw(t->ver, a, tx, &raw), ST_OK);
			if (tx->type == TX_LEGACY)
				put(&txs, raw.p, raw.n);
			else
				assert_int_equal(rlp_bytes(&txs, raw.p, raw.n), ST_OK);
		}
		assert_int_equal(rlp_list_end(&txs, mark), ST_OK);
		put(&txs, "\xc0", 1);
		rlp_init(&r, txs.p, txs.len);
		assert_true(rlp_next(&r, &p.txs));
		assert_true(rlp_next(&r, &p.uncles));
		if (block_from_rlp(&p, &b, &e) != ST_OK)
			fail_msg("%s", e.text);
		block_senders(b, t->ver);
		assert_int_equal(b->txs.len, a->txs.len);
		for (uint32_t i = 0; i < a->txs.len; i++)
			same_tx(a, &block_txs(a)[i], b, &block_txs(b)[i]);
		checked += b->txs.len;
		block_unref(b);
		free(text);
	}
	assert_true(checked > 5000);
	cJSON_Delete(all);
	buf_fini(&txs);
	buf_fini(&header);
}

static void header_fields(void **state)
{
	static const uint32_t bits[] = { 0, H_BASE_FEE, H_WITHDRAWALS_ROOT, H_BLOB_GAS_USED, H_EXCESS_BLOB_GAS,
		H_BEACON_ROOT, H_REQUESTS_HASH, H_BAL_HASH, H_SLOT, H_UNKNOWN_FIELD };
	struct buf b;
	struct err e;
	uint32_t want = H_HASH | H_PARENT | H_MINER | H_BLOOM | H_DIFFICULTY | H_NUMBER | H_MIX | H_NONCE;

	(void)state;
	buf_init(&b, 4096);
	for (unsigned n = 0; n < sizeof(bits) / sizeof(bits[0]); n++) {
		const uint8_t *extra;
		struct header h;

		want |= bits[n];
		buf_clear(&b);
		plain_header(&b, 5, n);
		if (header_from_rlp((uint8_t *)b.p, b.len, &h, &extra, &e) != ST_OK)
			fail_msg("%u fields: %s", n, e.text);
		assert_int_equal(h.has, want);
		assert_int_equal(h.number, 5);
		assert_int_equal(h.gas_limit, 1000);
		assert_int_equal(h.gas_used, 1001);
		assert_int_equal(h.time_ms, 1002000);
		assert_int_equal(h.extra.len, 5);
		assert_memory_equal(extra, "extra", 5);
		if (n > 0)
			assert_int_equal(h.base_fee.w[0], 7);
		/* Cut anywhere it is refused, with a name. */
		for (size_t cut = 0; cut < b.len; cut++) {
			assert_int_equal(header_from_rlp((uint8_t *)b.p, cut, &h, NULL, &e), ST_MALFORMED);
			assert_true(e.text[0] != '\0');
		}
	}
	buf_fini(&b);
}

/* BSC's milliseconds in mixHash. */
static void milliseconds(void **state)
{
	struct header h;
	struct buf b;
	struct err e;

	(void)state;
	buf_init(&b, 4096);
	plain_header(&b, 1, 0);
	/* mixHash stands before the nonce (9 bytes with its length). */
	b.p[b.len - 9 - 1] = (char)(750 & 0xff);
	b.p[b.len - 9 - 2] = (char)(750 >> 8);
	assert_int_equal(header_from_rlp((uint8_t *)b.p, b.len, &h, NULL, &e), ST_OK);
	assert_int_equal(h.time_ms, 1002750);
	assert_true(h.has & H_MILLIS);
	b.p[b.len - 9 - 20] = 1; /* a random one */
	assert_int_equal(header_from_rlp((uint8_t *)b.p, b.len, &h, NULL, &e), ST_OK);
	assert_int_equal(h.time_ms, 1002000);
	assert_false(h.has & H_MILLIS);
	buf_fini(&b);
}

/* Every single byte of a block changed: refused or another hash, never worse. */
static void damaged(void **state)
{
	struct tools *const t = *state;
	size_t n, blocks = 0;
	char *const bytes = corpus_read("execution-apis/chain.rlp", &n);
	struct rlp_item item;
	struct rlp r;

	rlp_init(&r, bytes, n);
	while (rlp_next(&r, &item)) {
		struct block_parts p, q;
		uint8_t *copy;

		parts_of(&item, &p);
		if (item.raw_n > 3000 || ++blocks % 9 != 1)
			continue;
		copy = malloc(item.raw_n);
		assert_non_null(copy);
		for (size_t at = p.header_n; at < item.raw_n; at++) {
			struct block *b;
			struct verdict v;
			struct err e;
			const uint8_t flip = (uint8_t)(1u << at % 8);

			memcpy(copy, item.raw, item.raw_n);
			copy[at] ^= flip;
			q = p;
			q.header = copy + (p.header - item.raw);
			q.txs.raw = copy + (p.txs.raw - item.raw);
			q.txs.p = copy + (p.txs.p - item.raw);
			q.uncles.p = copy + (p.uncles.p - item.raw);
			if (p.withdrawals.raw != NULL)
				q.withdrawals.p = copy + (p.withdrawals.p - item.raw);
			if (block_from_rlp(&q, &b, &e) != ST_OK)
				continue;
			assert_int_equal(verify_block(t->ver, b, 1, &v), ST_OK);
			block_senders(b, t->ver);
			block_unref(b);
		}
		free(copy);
	}
	assert_true(blocks > 5);
	free(bytes);
}

/* Tiny items must not become a lot of memory. */
static void too_many(void **state)
{
	static const char where[][16] = { "transactions", "uncles", "withdrawals" };
	const size_t n = 1 << 20;
	uint8_t *const many = malloc(n);
	struct buf header;

	(void)state;
	assert_non_null(many);
	memset(many, 0xc0, n);
	buf_init(&header, 4096);
	plain_header(&header, 1, 0);
	for (int i = 0; i < 3; i++) {
		const struct rlp_item empty = { .list = true, .p = many, .raw = many, .raw_n = 1 };
		const struct rlp_item full = { .list = true, .p = many, .n = n, .raw = many, .raw_n = n };
		const struct block_parts p = {
			.header = (uint8_t *)header.p,
			.header_n = header.len,
			.txs = i == 0 ? full : empty,
			.uncles = i == 1 ? full : empty,
			.withdrawals = i == 2 ? full : empty,
		};
		struct block *b;
		struct err e;

		assert_int_equal(block_from_rlp(&p, &b, &e), ST_MALFORMED);
		assert_non_null(strstr(e.text, where[i]));
		assert_null(b);
	}
	free(many);
	buf_fini(&header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain),
		cmocka_unit_test(corpus_again),
		cmocka_unit_test(header_fields),
		cmocka_unit_test(milliseconds),
		cmocka_unit_test(damaged),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
