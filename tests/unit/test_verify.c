/*
 * eth/verify: every real block holds, every damaged copy is caught, and what cannot be known is not
 * called wrong.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hex.h"
#include "eth/keccak.h"
#include "eth/rlp.h"
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
static void name_of_fault(
	char *out, size_t size, const char *text, const char *key, const char *field)
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
	assert_true(
		asprintf(&out, "%.*s%s%s", (int)(at - text), text, with, at + strlen(what)) > 0);
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
	a = replaced(
		text, "\"maxPriorityFeePerGas\":", "\"maxPriorityFeePerGas\":null,\"condition\":");
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
	static const char io[] =
		"execution-apis/tests/eth_getBlockByNumber/get-block-prague-fork.io";
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
	assert_int_equal(
		block_decode(t->dec, result + 9, strlen(result + 9), false, &b, &e), ST_OK);
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
	/*
	 * Polygon puts such a transaction behind the others in its JSON, neither hashed nor rooted
	 * like them.
	 */
	static const char sync[] =
		",{\"hash\":\"0x1111111111111111111111111111111111111111111111111111111111111111\","
		"\"type\":\"0x0\",\"nonce\":\"0x0\",\"gas\":\"0x0\",\"gasPrice\":\"0x0\",\"value\":"
		"\"0x0\","
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

/*
 * Amsterdam's fields follow in their order (EIP-7928, EIP-7843): built by hand, since no real block
 * has them yet.
 */
static void future_fields(void **state)
{
	static const uint8_t extra[3] = "abc";
	struct header h = { .has = H_HASH | H_PARENT | H_NUMBER | H_MINER | H_NONCE | H_MIX |
			H_BLOOM | H_DIFFICULTY | H_BASE_FEE | H_WITHDRAWALS_ROOT | H_BLOB_GAS_USED |
			H_EXCESS_BLOB_GAS | H_BEACON_ROOT | H_REQUESTS_HASH | H_BAL_HASH | H_SLOT };
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
		cmocka_unit_test(future_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
