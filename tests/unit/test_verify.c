/* eth/verify: every real block holds, every damaged copy is caught, and what cannot be known is not called wrong. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hex.h"
#include "eth/keccak.h"
#include "eth/rlp.h"
#include "eth/trie.h"
#include "eth/verify.h"
#include "tests/unit/corpus.h"

enum { MAINNET = 1, ANVIL = 31337 };

struct tools {
	struct blockdec *dec;
	struct verifier *ver;
};

static int setup(void **state)
{
	struct tools *const t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -1;
	t->dec = blockdec_new();
	t->ver = verifier_new();
	*state = t;
	return t->dec != NULL && t->ver != NULL ? 0 : -1;
}

static int teardown(void **state)
{
	struct tools *const t = *state;

	blockdec_free(t->dec);
	verifier_free(t->ver);
	free(t);
	return 0;
}

static struct verdict verify_text(struct tools *t, const char *text, size_t n, uint64_t chain)
{
	struct verdict v;

	assert_int_equal(verify_block(t->ver, corpus_decode(t->dec, text, n), chain, &v), ST_OK);
	return v;
}

static void corpus_holds(void **state)
{
	struct tools *const t = *state;
	cJSON *const all = corpus_expected(), *item;

	cJSON_ArrayForEach(item, all) {
		size_t n, hashes = 0;
		char *const text = corpus_block(item, &n);
		const struct block *const b = corpus_decode(t->dec, text, n);
		const cJSON *const wdrl = cJSON_GetObjectItem(item, "withdrawalsRootOk");
		const char *const want = cJSON_GetObjectItem(item, "headerHash")->valuestring;
		char hex[67];
		struct hash sum;
		struct verdict v;

		assert_int_equal(header_hash(&b->h, block_at(b, b->h.extra), &sum), ST_OK);
		assert_string_equal(hex_print(hex, sum.b, 32), want);
		for (uint32_t i = 0; i < b->txs.len; i++) {
			assert_int_equal(tx_hash(t->ver, b, &block_txs(b)[i], &sum), ST_OK);
			hashes += hash_eq(&sum, &block_txs(b)[i].hash);
		}
		assert_int_equal(hashes, cJSON_GetObjectItem(item, "txHashesOk")->valuedouble);
		assert_int_equal(hashes, cJSON_GetObjectItem(item, "txs")->valuedouble);
		assert_int_equal(verify_block(t->ver, b, MAINNET, &v), ST_OK);
		assert_int_equal(v.header, TRUTH_YES);
		assert_true(cJSON_IsTrue(cJSON_GetObjectItem(item, "txRootOk")));
		assert_int_equal(v.txs, TRUTH_YES);
		if (cJSON_IsTrue(wdrl))
			assert_int_equal(v.withdrawals, TRUTH_YES);
		else
			assert_int_equal(v.withdrawals, TRUTH_NONE);
		assert_string_equal(v.field, "");
		assert_string_equal(v.reason, "");
		assert_int_equal(verdict_all(&v), TRUTH_YES);
		verify_header(b, &v);
		assert_int_equal(v.header, TRUTH_YES);
		assert_int_equal(verdict_all(&v), TRUTH_NONE);
		free(text);
	}
	cJSON_Delete(all);
}

/* A copy with one digit changed: `at` digits behind what follows `key` for the nth time. */
static char *damage(const char *text, const char *key, int nth, int at)
{
	char *const copy = strdup(text);
	char *p = copy;

	assert_non_null(copy);
	for (int i = 0; i <= nth; i++) {
		p = strstr(i ? p + 1 : p, key);
		assert_non_null(p);
	}
	p += strlen(key) + (size_t)at;
	assert_true(isxdigit((unsigned char)*p));
	*p = *p == '1' ? '2' : '1';
	return copy;
}

/* "@" stands for the index of the transaction in which key comes first. */
static void name_of_fault(char *out, size_t size, const char *text, const char *key, const char *field)
{
	const char *const at = strchr(field, '@'), *p = strstr(text, "\"transactions\":[");
	const char *const end = strstr(text, key);
	int index = -1;

	assert_non_null(p);
	assert_non_null(end);
	for (; p != NULL && p < end; p = strstr(p + 1, "\"hash\":"))
		index++;
	if (at == NULL)
		snprintf(out, size, "%s", field);
	else
		snprintf(out, size, "%.*s%d%s", (int)(at - field), field, index - 1, at + 1);
}

static void damage_is_caught(void **state)
{
	/* 19934116 has types 0, 2 and 3, withdrawals and access lists. */
	static const struct {
		const char *key;
		int nth, at;
		const char *field;
	} faults[] = {
		{ "\"gasUsed\":\"0x", 0, 2, "hash" },
		{ "\"parentBeaconBlockRoot\":\"0x", 0, 9, "hash" },
		{ "\"hash\":\"0x", 0, 3, "hash" },
		{ "\"baseFeePerGas\":\"0x", 0, 3, "hash" },
		{ "\"extraData\":\"0x", 0, 5, "hash" },
		{ "\"logsBloom\":\"0x", 0, 5, "hash" },
		{ "\"transactionsRoot\":\"0x", 0, 5, "transactionsRoot" },
		{ "\"withdrawalsRoot\":\"0x", 0, 5, "withdrawalsRoot" },
		{ "\"hash\":\"0x", 4, 60, "transactions[3].hash" },
		{ "\"value\":\"0x", 8, 0, "transactions[8].hash" },
		{ "\"nonce\":\"0x", 14, 0, "transactions[13].hash" },
		{ "\"to\":\"0x", 0, 20, "transactions[0].hash" },
		{ "\"gas\":\"0x", 30, 0, "transactions[30].hash" },
		{ "\"s\":\"0x", 9, 5, "transactions[9].hash" },
		{ "\"storageKeys\":[\"0x", 0, 60, "transactions[@].hash" },
		{ "\"blobVersionedHashes\":[\"0x", 0, 60, "transactions[@].hash" },
		{ "\"maxFeePerBlobGas\":\"0x", 0, 0, "transactions[@].hash" },
		{ "\"amount\":\"0x", 4, 0, "withdrawalsRoot" },
		{ "\"validatorIndex\":\"0x", 0, 0, "withdrawalsRoot" },
	};
	struct tools *const t = *state;
	size_t n;
	char *const text = corpus_read("mainnet/19934116.json", &n);

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		char *bad = damage(text, faults[i].key, faults[i].nth, faults[i].at), want[40];
		const struct verdict v = verify_text(t, bad, n, MAINNET);

		assert_int_equal(verdict_all(&v), TRUTH_NO);
		name_of_fault(want, sizeof(want), text, faults[i].key, faults[i].field);
		assert_string_equal(v.field, want);
		assert_string_equal(v.reason, "");
		free(bad);
	}
	assert_int_equal(n, strlen(text));
	free(text);
}

static void lost_transaction(void **state)
{
	struct tools *const t = *state;
	size_t n;
	char *const full = corpus_read("mainnet/19923400.json", &n);
	struct verdict v;
	char *a, *b;

	/* Drop the second transaction. */
	a = strstr(full, "\"transactions\":[{");
	assert_non_null(a);
	a = strstr(a, "},{");
	b = strstr(a + 3, "},{");
	memmove(a, b, strlen(b) + 1);
	v = verify_text(t, full, strlen(full), MAINNET);
	assert_int_equal(v.header, TRUTH_YES);
	assert_int_equal(v.txs, TRUTH_NO);
	assert_int_equal(v.withdrawals, TRUTH_YES);
	assert_string_equal(v.field, "transactionsRoot");
	free(full);
}

static char *replaced(const char *text, const char *what, const char *with)
{
	const char *const at = strstr(text, what);
	char *out;

	assert_non_null(at);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, with, at + strlen(what)) > 0);
	return out;
}

static void doubt_is_not_blame(void **state)
{
	struct tools *const t = *state;
	size_t n;
	char *const text = corpus_read("mainnet/19934116.json", &n);
	char *const wrong = damage(text, "\"gasUsed\":\"0x", 0, 2);
	char *const wrong_tx = damage(text, "\"value\":\"0x", 7, 0);
	char *a, *b;
	struct verdict v;

	/* An unknown field beside a header that hashes right takes nothing away. */
	a = replaced(text, "{", "{\"newForkField\":\"0x1\",");
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(verdict_all(&v), TRUTH_YES);
	free(a);
	/* But with it a header that does not is only doubtful, and so are its transactions. */
	a = replaced(wrong, "{", "{\"newForkField\":\"0x1\",");
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(v.header, TRUTH_UNKNOWN);
	assert_int_equal(v.txs, TRUTH_YES);
	assert_string_equal(v.field, "hash");
	assert_string_equal(v.reason, "unknown header field newForkField");
	free(a);
	a = replaced(wrong_tx, "{", "{\"newForkField\":\"0x1\",");
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(v.header, TRUTH_YES);
	assert_int_equal(v.txs, TRUTH_UNKNOWN);
	assert_string_equal(v.field, "transactions[7].hash");
	free(a);
	/* Arbitrum's fields. */
	a = replaced(wrong, "{", "{\"l1BlockNumber\":\"0x1\",");
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(v.header, TRUTH_UNKNOWN);
	assert_string_equal(v.reason, "header of another kind, it has l1BlockNumber");
	free(a);
	/* A field that a header must have. */
	a = replaced(text, "\"mixHash\":", "\"mixHash\":null,\"author\":");
	b = strstr(a, "\"author\":\"0x");
	assert_non_null(b);
	memmove(b, strchr(b + 10, ',') + 1, strlen(strchr(b + 10, ',') + 1) + 1);
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(v.header, TRUTH_UNKNOWN);
	assert_string_equal(v.reason, "a header field is missing");
	free(a);
	/* An unknown transaction type. */
	a = replaced(text, "\"type\":\"0x2\"", "\"type\":\"0x6a\"");
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(v.header, TRUTH_YES);
	assert_int_equal(v.txs, TRUTH_UNKNOWN);
	assert_string_equal(v.reason, "transaction type 0x6a");
	assert_int_equal(verdict_all(&v), TRUTH_UNKNOWN);
	free(a);
	/* A known one without a field of its own. */
	a = replaced(text, "\"maxPriorityFeePerGas\":", "\"maxPriorityFeePerGas\":null,\"condition\":");
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(v.txs, TRUTH_UNKNOWN);
	assert_string_equal(v.reason, "transaction type 0x2 without a field it needs");
	free(a);
	/* Header wrong and a type unknown: the proven fault is named first. */
	a = replaced(wrong, "\"type\":\"0x2\"", "\"type\":\"0x6a\"");
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(verdict_all(&v), TRUTH_NO);
	assert_string_equal(v.field, "hash");
	assert_string_equal(v.reason, "");
	free(a);
	free(wrong_tx);
	free(wrong);
	free(text);
}

static void dev_chain_with_blobs(void **state)
{
	struct tools *const t = *state;
	size_t n;
	char *const text = corpus_read("mainnet/19934116.json", &n);
	char *const none = corpus_read("mainnet/19910734.json", &n);
	char *bad = damage(text, "\"transactionsRoot\":\"0x", 0, 5);
	char hex[67], old[67];
	const struct block *b;
	struct hash sum;
	struct verdict v;
	struct header h;
	char *a;

	/* Give the header with the foreign root its own right hash, as anvil does. */
	b = corpus_decode(t->dec, bad, strlen(bad));
	h = b->h;
	assert_int_equal(header_hash(&h, block_at(b, h.extra), &sum), ST_OK);
	hex_print(hex, sum.b, 32);
	hex_print(old, h.hash.b, 32);
	a = replaced(bad, old, hex);
	v = verify_text(t, a, strlen(a), ANVIL);
	assert_int_equal(v.header, TRUTH_YES);
	assert_int_equal(v.txs, TRUTH_UNKNOWN);
	assert_string_equal(v.field, "transactionsRoot");
	assert_string_equal(v.reason, "anvil roots over blob sidecars");
	v = verify_text(t, a, strlen(a), 1337);
	assert_int_equal(v.txs, TRUTH_UNKNOWN);
	v = verify_text(t, a, strlen(a), MAINNET);
	assert_int_equal(v.header, TRUTH_YES);
	assert_int_equal(v.txs, TRUTH_NO);
	free(a);
	free(bad);
	/* Without a blob transaction a dev chain has no excuse. */
	bad = damage(none, "\"transactionsRoot\":\"0x", 0, 5);
	v = verify_text(t, bad, strlen(bad), ANVIL);
	assert_int_equal(v.txs, TRUTH_NO);
	assert_string_equal(v.field, "transactionsRoot");
	free(bad);
	free(none);
	free(text);
}

static void op_stack_withdrawals(void **state)
{
	struct tools *const t = *state;
	size_t n;
	char *const text = corpus_read("l2/rise-8138510.json", &n);
	struct verdict v = verify_text(t, text, n, 4153);
	char *bad;

	assert_int_equal(verdict_all(&v), TRUTH_YES);
	assert_int_equal(v.withdrawals, TRUTH_NONE);
	bad = damage(text, "\"sourceHash\":\"0x", 0, 5);
	v = verify_text(t, bad, n, 4153);
	assert_int_equal(v.txs, TRUTH_NO);
	assert_string_equal(v.field, "transactions[0].hash");
	free(bad);
	free(text);
}

static void hashes_only_and_pending(void **state)
{
	static const char io[] = "execution-apis/tests/eth_getBlockByNumber/get-block-prague-fork.io";
	struct tools *const t = *state;
	size_t n;
	char *const text = corpus_read(io, &n);
	char *const real = corpus_read("mainnet/19934116.json", &n);
	char *const result = strstr(text, "\"result\":");
	const struct block *b;
	struct verdict v;
	struct err e;
	char *a;

	assert_non_null(result);
	a = strrchr(result, '}');
	assert_non_null(a);
	*a = '\0';
	assert_int_equal(block_decode(t->dec, result + 9, strlen(result + 9), false, &b, &e), ST_OK);
	assert_int_equal(verify_block(t->ver, b, MAINNET, &v), ST_OK);
	assert_int_equal(v.header, TRUTH_YES);
	assert_int_equal(v.txs, b->h.ntx ? TRUTH_NONE : TRUTH_YES);
	/* A pending block has no hash, but a root. */
	a = replaced(real, "\"hash\":\"", "\"hash\":null,\"condition\":\"");
	assert_int_equal(block_decode(t->dec, a, strlen(a), true, &b, &e), ST_OK);
	assert_false(b->h.has & H_HASH);
	assert_int_equal(verify_block(t->ver, b, MAINNET, &v), ST_OK);
	assert_int_equal(v.header, TRUTH_NONE);
	assert_int_equal(v.txs, TRUTH_YES);
	assert_int_equal(verdict_all(&v), TRUTH_NONE);
	free(a);
	free(real);
	free(text);
}

static void unsigned_transactions(void **state)
{
	/* Polygon puts such a transaction behind the others in its JSON, neither hashed nor rooted like them. */
	static const char sync[] =
		",{\"hash\":\"0x1111111111111111111111111111111111111111111111111111111111111111\","
		"\"type\":\"0x0\",\"nonce\":\"0x0\",\"gas\":\"0x0\",\"gasPrice\":\"0x0\",\"value\":\"0x0\","
		"\"from\":\"0x0000000000000000000000000000000000000000\","
		"\"to\":\"0x0000000000000000000000000000000000000000\","
		"\"input\":\"0x\",\"v\":\"0x0\",\"r\":\"0x0\",\"s\":\"0x0\"}]";
	struct tools *const t = *state;
	size_t n;
	char *const text = corpus_read("mainnet/46147.json", &n);
	char *const at = strstr(text, "\"transactions\":[{");
	struct verdict v;
	char *end, *a;

	assert_non_null(at);
	end = strstr(at, "}]");
	assert_non_null(end);
	assert_true(asprintf(&a, "%.*s%s%s", (int)(end - text) + 1, text, sync, end + 2) > 0);
	v = verify_text(t, a, strlen(a), 137);
	assert_int_equal(v.header, TRUTH_YES);
	assert_int_equal(v.txs, TRUTH_UNKNOWN);
	assert_string_equal(v.field, "transactions[1].hash");
	assert_string_equal(v.reason, "a transaction that nobody signed");
	free(a);
	free(text);
}

/* Chain of the execution-apis, as RLP: what our reader takes apart, our writer must put together to the same hashes. */

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
	static const uint32_t optional[] = { H_BASE_FEE, H_WITHDRAWALS_ROOT, H_BLOB_GAS_USED, H_EXCESS_BLOB_GAS,
					     H_BEACON_ROOT, H_REQUESTS_HASH };
	unsigned n = 0;
	struct rlp_item i;
	struct rlp r;

	*h = (struct header){ .has = H_HASH | H_PARENT | H_NUMBER | H_MINER | H_NONCE | H_MIX | H_BLOOM | H_DIFFICULTY };
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
	return (struct span){ .off = (uint32_t)((const char *)p - (const char *)&m->b), .len = (uint32_t)n };
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
	struct tools *const t = *state;
	struct made *const m = calloc(1, sizeof(*m));
	struct trie_value values[64];
	unsigned blocks = 0, txs = 0, withdrawals = 0, of_type[5] = { 0 };
	struct hash parent = { { 0 } };
	struct rlp_item block, part, list;
	size_t n;
	char *data = corpus_read("execution-apis/chain.rlp", &n);
	struct rlp chain, r, rl;

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
			assert_int_equal(tx_hash(t->ver, &m->b, &m->tx, &m->tx.hash), ST_OK);
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
}

/* Amsterdam's fields follow in their order (EIP-7928, EIP-7843): built by hand, since no real block has them yet. */
static void future_fields(void **state)
{
	static const uint8_t extra[3] = "abc";
	struct header h = { .has = H_HASH | H_PARENT | H_NUMBER | H_MINER | H_NONCE | H_MIX | H_BLOOM | H_DIFFICULTY |
				   H_BASE_FEE | H_WITHDRAWALS_ROOT | H_BLOB_GAS_USED | H_EXCESS_BLOB_GAS |
				   H_BEACON_ROOT | H_REQUESTS_HASH | H_BAL_HASH | H_SLOT };
	struct hash got, want;
	struct buf b;

	(void)state;
	h.base_fee = u256_from64(7);
	h.blob_gas_used = 131072;
	h.slot = 0x123456;
	memset(h.bal_hash.b, 0xba, 32);
	memset(h.requests_hash.b, 0x4e, 32);
	h.extra.len = 3;
	buf_init(&b, 4096);
	for (int i = 0; i < 2; i++)
		assert_int_equal(rlp_bytes(&b, (const uint8_t[32]){ 0 }, 32), ST_OK);
	assert_int_equal(rlp_bytes(&b, (const uint8_t[20]){ 0 }, 20), ST_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rlp_bytes(&b, (const uint8_t[32]){ 0 }, 32), ST_OK);
	assert_int_equal(rlp_bytes(&b, h.bloom, 256), ST_OK);
	for (int i = 0; i < 5; i++)
		assert_int_equal(rlp_u64(&b, 0), ST_OK);
	assert_int_equal(rlp_bytes(&b, extra, 3), ST_OK);
	assert_int_equal(rlp_bytes(&b, h.mix_hash.b, 32), ST_OK);
	assert_int_equal(rlp_bytes(&b, h.nonce, 8), ST_OK);
	assert_int_equal(rlp_u64(&b, 7), ST_OK);
	assert_int_equal(rlp_bytes(&b, h.withdrawals_root.b, 32), ST_OK);
	assert_int_equal(rlp_u64(&b, 131072), ST_OK);
	assert_int_equal(rlp_u64(&b, 0), ST_OK);
	assert_int_equal(rlp_bytes(&b, h.beacon_root.b, 32), ST_OK);
	assert_int_equal(rlp_bytes(&b, h.requests_hash.b, 32), ST_OK);
	assert_int_equal(rlp_bytes(&b, h.bal_hash.b, 32), ST_OK);
	assert_int_equal(rlp_u64(&b, 0x123456), ST_OK);
	assert_int_equal(rlp_list_end(&b, 0), ST_OK);
	keccak256(b.p, b.len, want.b);
	assert_int_equal(header_hash(&h, extra, &got), ST_OK);
	assert_memory_equal(got.b, want.b, 32);
	/* A gap is no header of any fork. */
	h.has &= ~(uint32_t)H_REQUESTS_HASH;
	assert_int_equal(header_hash(&h, extra, &got), ST_UNSUPPORTED);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(corpus_holds, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_is_caught, setup, teardown),
		cmocka_unit_test_setup_teardown(lost_transaction, setup, teardown),
		cmocka_unit_test_setup_teardown(doubt_is_not_blame, setup, teardown),
		cmocka_unit_test_setup_teardown(dev_chain_with_blobs, setup, teardown),
		cmocka_unit_test_setup_teardown(op_stack_withdrawals, setup, teardown),
		cmocka_unit_test_setup_teardown(hashes_only_and_pending, setup, teardown),
		cmocka_unit_test_setup_teardown(unsigned_transactions, setup, teardown),
		cmocka_unit_test_setup_teardown(chain_rlp, setup, teardown),
		cmocka_unit_test(future_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
