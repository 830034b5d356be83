/*
 * eth/verify and eth/rlp over the chain of the execution-apis conformance tests, 54 blocks with
 * transactions of types 0 to 4: what our reader takes apart our writer must put together to the
 * same hashes and roots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eth/keccak.h"
#include "eth/rlp.h"
#include "eth/trie.h"
#include "eth/verify.h"
#include "tests/unit/corpus.h"

static void next_of(struct rlp *r, struct rlp_item *out)
{
	assert_true(rlp_next(r, out));
}

static void take_hash(struct rlp *r, struct hash *out)
{
	struct rlp_item i;

	next_of(r, &i);
	assert_int_equal(i.n, 32);
	memcpy(out->b, i.p, 32);
}

static void take_u64(struct rlp *r, uint64_t *out)
{
	struct rlp_item i;

	next_of(r, &i);
	assert_true(rlp_item_u64(&i, out));
}

static void take_u256(struct rlp *r, struct u256 *out)
{
	struct rlp_item i;

	next_of(r, &i);
	assert_true(rlp_item_u256(&i, out));
}

/* Fills h and *extra, and returns the fork fields' number. */
static unsigned read_header(const struct rlp_item *item, struct header *h, const uint8_t **extra)
{
	static const uint32_t optional[] = { H_BASE_FEE, H_WITHDRAWALS_ROOT, H_BLOB_GAS_USED,
		H_EXCESS_BLOB_GAS, H_BEACON_ROOT, H_REQUESTS_HASH };
	unsigned n = 0;
	struct rlp_item i;
	struct rlp r;

	*h = (struct header){ .has = H_HASH | H_PARENT | H_NUMBER | H_MINER | H_NONCE | H_MIX |
			H_BLOOM | H_DIFFICULTY };
	keccak256(item->raw, item->raw_n, h->hash.b);
	rlp_init(&r, item->p, item->n);
	take_hash(&r, &h->parent);
	take_hash(&r, &h->uncles_hash);
	next_of(&r, &i);
	memcpy(h->miner.b, i.p, 20);
	take_hash(&r, &h->state_root);
	take_hash(&r, &h->tx_root);
	take_hash(&r, &h->receipts_root);
	next_of(&r, &i);
	assert_int_equal(i.n, 256);
	memcpy(h->bloom, i.p, 256);
	take_u256(&r, &h->difficulty);
	take_u64(&r, &h->number);
	take_u64(&r, &h->gas_limit);
	take_u64(&r, &h->gas_used);
	take_u64(&r, &h->timestamp);
	next_of(&r, &i);
	*extra = i.p;
	h->extra.len = (uint32_t)i.n;
	take_hash(&r, &h->mix_hash);
	next_of(&r, &i);
	assert_int_equal(i.n, 8);
	memcpy(h->nonce, i.p, 8);
	for (; !rlp_done(&r); n++) {
		assert_true(n < sizeof(optional) / sizeof(optional[0]));
		h->has |= optional[n];
		switch (optional[n]) {
		case H_BASE_FEE:
			take_u256(&r, &h->base_fee);
			break;
		case H_WITHDRAWALS_ROOT:
			take_hash(&r, &h->withdrawals_root);
			break;
		case H_BLOB_GAS_USED:
			take_u64(&r, &h->blob_gas_used);
			break;
		case H_EXCESS_BLOB_GAS:
			take_u64(&r, &h->excess_blob_gas);
			break;
		case H_BEACON_ROOT:
			take_hash(&r, &h->beacon_root);
			break;
		default:
			take_hash(&r, &h->requests_hash);
		}
	}
	return n;
}

/* Transactions as struct tx in a block of our own making, so that tx_hash can be asked. */
struct made {
	struct block b;
	struct tx tx;
	struct access_entry access[16];
	struct hash keys[64], blobs[16];
	struct auth auths[16];
	uint8_t input[65536];
};

static struct span span_of(const struct made *m, const void *p, size_t n)
{
	return (struct span){ .off = (uint32_t)((const char *)p - (const char *)&m->b),
		.len = (uint32_t)n };
}

static void read_access(struct made *m, struct rlp *r)
{
	struct rlp_item list, entry, i;
	struct rlp rl, re, rk;
	uint32_t n = 0, k = 0;

	next_of(r, &list);
	rlp_init(&rl, list.p, list.n);
	while (rlp_next(&rl, &entry)) {
		const uint32_t first = k;

		assert_true(n < 16);
		rlp_init(&re, entry.p, entry.n);
		next_of(&re, &i);
		memcpy(m->access[n].addr.b, i.p, 20);
		next_of(&re, &i);
		rlp_init(&rk, i.p, i.n);
		while (!rlp_done(&rk) && k < 64)
			take_hash(&rk, &m->keys[k++]);
		m->access[n++].keys = span_of(m, &m->keys[first], k - first);
	}
	assert_true(rlp_done(&rl));
	m->tx.access = span_of(m, m->access, n);
	m->tx.has |= T_ACCESS_LIST;
}

static void read_auths(struct made *m, struct rlp *r)
{
	struct rlp_item list, entry, i;
	struct rlp rl, re;
	uint32_t n = 0;

	next_of(r, &list);
	rlp_init(&rl, list.p, list.n);
	while (rlp_next(&rl, &entry)) {
		struct auth *const a = &m->auths[n++];
		uint64_t parity;

		assert_true(n < 16);
		rlp_init(&re, entry.p, entry.n);
		take_u256(&re, &a->chain_id);
		next_of(&re, &i);
		memcpy(a->addr.b, i.p, 20);
		take_u64(&re, &a->nonce);
		take_u64(&re, &parity);
		a->y_parity = (uint8_t)parity;
		take_u256(&re, &a->r);
		take_u256(&re, &a->s);
		assert_true(rlp_done(&re));
	}
	m->tx.auths = span_of(m, m->auths, n);
}

static void read_to_and_on(struct made *m, struct rlp *r)
{
	struct tx *const t = &m->tx;
	struct rlp_item i;

	take_u64(r, &t->gas);
	next_of(r, &i);
	if (i.n == 20) {
		memcpy(t->to.b, i.p, 20);
		t->has |= T_TO;
	}
	take_u256(r, &t->value);
	next_of(r, &i);
	assert_true(i.n <= sizeof(m->input));
	memcpy(m->input, i.p, i.n);
	t->input = span_of(m, m->input, i.n);
}

static void read_tx(const uint8_t *raw, size_t n, struct made *m)
{
	struct tx *const t = &m->tx;
	struct rlp_item item;
	struct rlp r;

	*t = (struct tx){ .has = T_SIG | T_NONCE };
	if (raw[0] < 0xc0) {
		t->type = raw[0];
		raw++;
		n--;
	}
	rlp_init(&r, raw, n);
	next_of(&r, &item);
	assert_true(rlp_done(&r));
	rlp_init(&r, item.p, item.n);
	if (t->type != TX_LEGACY) {
		take_u256(&r, &t->chain_id);
		t->has |= T_CHAIN_ID | T_Y_PARITY;
	}
	take_u64(&r, &t->nonce);
	if (t->type == TX_LEGACY || t->type == TX_ACCESS_LIST) {
		take_u256(&r, &t->gas_price);
		t->has |= T_GAS_PRICE;
	} else {
		take_u256(&r, &t->max_priority);
		take_u256(&r, &t->max_fee);
		t->has |= T_MAX_FEE | T_MAX_PRIORITY;
	}
	read_to_and_on(m, &r);
	if (t->type != TX_LEGACY)
		read_access(m, &r);
	if (t->type == TX_BLOB) {
		struct rlp_item list;
		struct rlp rl;
		uint32_t k = 0;

		take_u256(&r, &t->max_blob_fee);
		t->has |= T_MAX_BLOB_FEE;
		next_of(&r, &list);
		rlp_init(&rl, list.p, list.n);
		while (!rlp_done(&rl) && k < 16)
			take_hash(&rl, &m->blobs[k++]);
		t->blobs = span_of(m, m->blobs, k);
	}
	if (t->type == TX_SET_CODE)
		read_auths(m, &r);
	if (t->type == TX_LEGACY)
		take_u256(&r, &t->v);
	else
		take_u64(&r, &t->y_parity);
	take_u256(&r, &t->r);
	take_u256(&r, &t->s);
	assert_true(rlp_done(&r));
}

static void chain_rlp(void **state)
{
	struct verifier *const ver = verifier_new();
	struct made *const m = calloc(1, sizeof(*m));
	struct trie_value values[64];
	unsigned blocks = 0, txs = 0, withdrawals = 0, of_type[5] = { 0 };
	struct hash parent = { { 0 } };
	struct rlp_item block, part, list;
	size_t n;
	char *data = corpus_read("execution-apis/chain.rlp", &n);
	struct rlp chain, r, rl;

	(void)state;
	assert_non_null(ver);
	assert_non_null(m);
	rlp_init(&chain, data, n);
	while (rlp_next(&chain, &block)) {
		struct header h;
		const uint8_t *extra;
		struct hash sum;
		size_t k = 0;

		rlp_init(&r, block.p, block.n);
		next_of(&r, &part);
		read_header(&part, &h, &extra);
		assert_int_equal(header_hash(&h, extra, &sum), ST_OK);
		assert_true(hash_eq(&sum, &h.hash));
		if (blocks > 0)
			assert_true(hash_eq(&h.parent, &parent));
		parent = h.hash;
		next_of(&r, &list);
		rlp_init(&rl, list.p, list.n);
		for (; rlp_next(&rl, &part); k++) {
			assert_true(k < 64);
			values[k] = part.list ? (struct trie_value){ part.raw, part.raw_n } :
						(struct trie_value){ part.p, part.n };
			read_tx(values[k].p, values[k].n, m);
			assert_true(m->tx.type <= TX_SET_CODE);
			of_type[m->tx.type]++;
			keccak256(values[k].p, values[k].n, sum.b);
			assert_int_equal(tx_hash(ver, &m->b, &m->tx, &m->tx.hash), ST_OK);
			assert_true(hash_eq(&m->tx.hash, &sum));
		}
		assert_true(rlp_done(&rl));
		trie_root(values, k, &sum);
		assert_true(hash_eq(&sum, &h.tx_root));
		txs += (unsigned)k;
		next_of(&r, &list);
		keccak256(list.raw, list.raw_n, sum.b);
		assert_true(hash_eq(&sum, &h.uncles_hash));
		if (h.has & H_WITHDRAWALS_ROOT) {
			next_of(&r, &list);
			rlp_init(&rl, list.p, list.n);
			for (k = 0; rlp_next(&rl, &part); k++)
				values[k] = (struct trie_value){ part.raw, part.raw_n };
			trie_root(values, k, &sum);
			assert_true(hash_eq(&sum, &h.withdrawals_root));
			withdrawals += (unsigned)k;
		}
		assert_true(rlp_done(&r));
		blocks++;
	}
	assert_true(rlp_done(&chain));
	assert_int_equal(blocks, 54);
	assert_int_equal(txs, 249);
	assert_int_equal(withdrawals, 6);
	assert_int_equal(of_type[0], 196);
	assert_int_equal(of_type[1], 23);
	assert_int_equal(of_type[2], 23);
	assert_int_equal(of_type[3], 6);
	assert_int_equal(of_type[4], 1);
	free(data);
	free(m);
	verifier_free(ver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_rlp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
