/* Unit tests of the transactions in eth/block: made-up ones, a rule of provider.md §3.3 each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "block_text.h"

static void test_legacy(void **state)
{
	const struct tx *t =
		tx(TX_HEAD ",\"nonce\":\"0x1\",\"from\":\"" A20
			   "\",\"to\":null,\"gasPrice\":\"0x3b9aca00\",\"input\":\"0x60fe\"," SIG);

	(void)state;
	assert_int_equal(t->type, TX_LEGACY); /* no type at all */
	assert_int_equal(t->has, T_GAS_PRICE | T_SIG | T_Y_PARITY | T_NONCE | T_FROM);
	assert_int_equal(t->gas, 21000);
	assert_int_equal(t->value.w[0], 1);
	assert_int_equal(t->gas_price.w[0], 1000000000);
	assert_int_equal(t->v.w[0], 27);
	assert_int_equal(t->y_parity, 0);
	assert_int_equal(t->input.len, 2);
	assert_int_equal(t->raw.len, 0);
	t = tx(TX_HEAD ",\"type\":null,\"to\":\"" A20B
		       "\",\"v\":\"0x26\",\"r\":\"0x1\",\"s\":\"0x2\",\"chainId\":\"0x1\"");
	assert_int_equal(t->type, TX_LEGACY);
	assert_int_equal(t->has, T_TO | T_SIG | T_Y_PARITY | T_CHAIN_ID);
	assert_int_equal(t->y_parity, 1); /* 35 + 2 × 1 + 1 */
	assert_int_equal(t->to.b[0], 0xab);
	assert_int_equal(t->input.len, 0);
	t = tx(TX_HEAD ",\"type\":\"0x0\""); /* no signature: system transactions of rollups */
	assert_int_equal(t->has, 0);
	t = tx(TX_HEAD ",\"type\":\"0x0\",\"v\":\"0x0\",\"r\":\"0x0\",\"s\":\"0x0\"");
	assert_int_equal(t->has, T_SIG | T_Y_PARITY);
	t = tx(TX_HEAD ",\"creates\":\"" A20 "\",\"publicKey\":\"0x12\",\"standardV\":\"0x0\","
		       "\"raw\":\"0x12\",\"condition\":null");
	assert_int_equal(t->has, 0);
}

static void test_input_and_gas_aliases(void **state)
{
	static const char *const forms[] = {
		"\"input\":\"0x1234\"",
		"\"data\":\"0x1234\"",
		"\"input\":\"0x1234\",\"data\":\"0x5678\"",
		"\"data\":\"0x5678\",\"input\":\"0x1234\"",
		"\"input\":null,\"data\":\"0x1234\"",
		"\"input\":\"0x99\",\"input\":\"0x1234\"",
	};
	char text[400];
	const struct tx *t;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct block *b;

		snprintf(text, sizeof(text), TX_HEAD ",%s", forms[i]);
		b = good(with_tx(text));
		t = block_txs(b);
		assert_int_equal(t->input.len, 2);
		assert_memory_equal(block_at(b, t->input), "\x12\x34", 2);
	}
	t = tx("\"hash\":\"" H32 "\",\"value\":\"0x1\",\"gasLimit\":\"0x7\"");
	assert_int_equal(t->gas, 7);
	t = tx("\"hash\":\"" H32
	       "\",\"value\":\"0x1\",\"gasLimit\":\"0x7\",\"gas\":\"0x8\",\"gasLimit\":\"0x9\"");
	assert_int_equal(t->gas, 8);
}

static void test_typed(void **state)
{
	const struct block *b;
	const struct tx *t;
	const struct access_entry *a;
	const struct auth *au;

	(void)state;
	b = good(with_tx(
		TX_HEAD ",\"type\":\"0x1\",\"chainId\":\"0x1\",\"accessList\":[{\"address\":\"" A20
			"\",\"storageKeys\":[\"" H32 "\",\"" H32B
			"\"]},{\"storageKeys\":[],\"address\":\"" A20B "\"},{\"address\":\"" A20
			"\",\"storageKeys\":null,\"x\":1}],"
			"\"v\":\"0x1\",\"r\":\"0x1\",\"s\":\"0x2\""));
	t = block_txs(b);
	a = block_at(b, t->access);
	assert_int_equal(t->type, TX_ACCESS_LIST);
	assert_int_equal(t->has, T_CHAIN_ID | T_ACCESS_LIST | T_SIG | T_Y_PARITY);
	assert_int_equal(t->y_parity, 1); /* from v */
	assert_int_equal(t->access.len, 3);
	assert_int_equal(t->access.off % 8, 0);
	assert_int_equal(a[0].keys.len, 2);
	assert_int_equal(((const struct hash *)block_at(b, a[0].keys))[1].b[0], 0x22);
	assert_int_equal(a[1].keys.len, 0);
	assert_int_equal(a[1].addr.b[0], 0xab);
	assert_int_equal(a[2].keys.len, 0);

	t = tx(TX_HEAD ",\"type\":\"0x2\",\"accessList\":null,\"maxFeePerGas\":\"0x5\","
		       "\"maxPriorityFeePerGas\":\"0x0\",\"gasPrice\":\"0x4\","
		       "\"yParity\":\"0x1\",\"r\":\"0x1\",\"s\":\"0x2\"");
	assert_int_equal(t->has, T_MAX_FEE | T_MAX_PRIORITY | T_GAS_PRICE | T_SIG | T_Y_PARITY);
	assert_int_equal(t->v.w[0], 1); /* from yParity */
	t = tx(TX_HEAD ",\"type\":\"0x2\",\"accessList\":[]");
	assert_int_equal(t->has, T_ACCESS_LIST);
	assert_int_equal(t->access.len, 0);

	b = good(with_tx(TX_HEAD
		",\"type\":\"0x3\",\"maxFeePerBlobGas\":\"0x7\",\"blobVersionedHashes\":[\"" H32B
		"\",\"" H32 "\"]"));
	t = block_txs(b);
	assert_int_equal(t->type, TX_BLOB);
	assert_int_equal(t->has, T_MAX_BLOB_FEE);
	assert_int_equal(t->blobs.len, 2);
	assert_int_equal(((const struct hash *)block_at(b, t->blobs))[0].b[0], 0x22);

	b = good(with_tx(TX_HEAD
		",\"type\":\"0x4\",\"authorizationList\":[{\"chainId\":\"0x1\",\"address\":\"" A20
		"\",\"nonce\":\"0x2\",\"yParity\":\"0x1\",\"r\":\"0x3\",\"s\":\"0x4\"},"
		"{\"address\":\"" A20B
		"\",\"v\":\"0x1c\"},{\"v\":\"0x0\",\"yParity\":\"0x1\",\"address\":\"" A20
		"\"},{\"yParity\":\"0x1\",\"v\":\"0x0\",\"address\":\"" A20 "\"}]"));
	t = block_txs(b);
	au = block_at(b, t->auths);
	assert_int_equal(t->type, TX_SET_CODE);
	assert_int_equal(t->auths.len, 4);
	assert_int_equal(t->auths.off % 8, 0);
	assert_int_equal(au[0].chain_id.w[0], 1);
	assert_int_equal(au[0].nonce, 2);
	assert_int_equal(au[0].y_parity, 1);
	assert_int_equal(au[0].s.w[0], 4);
	assert_int_equal(au[1].addr.b[0], 0xab);
	assert_int_equal(au[1].y_parity, 1); /* one node sends only v */
	assert_int_equal(au[2].y_parity, 1);
	assert_int_equal(au[3].y_parity, 1);

	t = tx(TX_HEAD ",\"type\":\"0x7e\",\"sourceHash\":\"" H32B
		       "\",\"mint\":null,\"isSystemTx\":true,\"depositReceiptVersion\":\"0x1\","
		       "\"gasPrice\":\"0x0\"");
	assert_int_equal(t->type, TX_DEPOSIT);
	assert_int_equal(t->has, T_SOURCE_HASH | T_SYSTEM | T_DEPOSIT_VERSION | T_GAS_PRICE);
	assert_int_equal(t->deposit_version, 1);
	t = tx(TX_HEAD
		",\"type\":\"0x7e\",\"mint\":\"0xffffffffffffffffffff\",\"isSystemTx\":false");
	assert_int_equal(t->has, T_MINT);
	assert_int_equal(t->mint.w[1], 0xffff);
}

/* A type that was left out is told by its fields. */
static void test_missing_type(void **state)
{
	(void)state;
	assert_int_equal(
		tx(TX_HEAD ",\"accessList\":[],\"gasPrice\":\"0x1\"")->type, TX_ACCESS_LIST);
	assert_int_equal(
		tx(TX_HEAD ",\"accessList\":[],\"maxFeePerGas\":\"0x1\"")->type, TX_DYNAMIC);
	assert_int_equal(
		tx(TX_HEAD ",\"maxFeePerGas\":\"0x1\",\"blobVersionedHashes\":[\"" H32 "\"]")->type,
		TX_BLOB);
	assert_int_equal(tx(TX_HEAD ",\"maxFeePerGas\":\"0x1\",\"authorizationList\":[]")->type,
		TX_SET_CODE);
	assert_int_equal(tx(TX_HEAD ",\"maxFeePerGas\":null,\"accessList\":null")->type, TX_LEGACY);
}

static void test_tx_malformed(void **state)
{
	static const struct {
		const char *tx, *words;
	} t[] = {
		{"\"gas\":\"0x1\",\"value\":\"0x1\"", "transactions[0].hash: missing"},
		{"\"hash\":\"" H32 "\",\"value\":\"0x1\"", "transactions[0].gas: missing"},
		{"\"hash\":\"" H32 "\",\"gas\":\"0x1\",\"value\":null",
			"transactions[0].value: missing"},
		{TX_HEAD ",\"nonce\":\"x\"", "transactions[0].nonce: expected a quantity"},
		{TX_HEAD ",\"to\":\"0x12\",\"nonce\":\"x\"",
			"transactions[0].to: expected an address"},
		{TX_HEAD ",\"input\":\"0x123\"", "transactions[0].input"},
		{TX_HEAD ",\"input\":[]", "transactions[0].input"},
		{TX_HEAD ",\"type\":\"0x1ffffffff\"", "transactions[0].type"},
		{TX_HEAD ",\"type\":[]", "transactions[0].type"},
		{TX_HEAD ",\"accessList\":{}", "transactions[0].accessList"},
		{TX_HEAD ",\"accessList\":[{}]",
			"transactions[0].accessList: entry without address"},
		{TX_HEAD ",\"accessList\":[{\"address\":\"0x\"}]", "transactions[0].accessList"},
		{TX_HEAD ",\"accessList\":[{\"address\":\"" A20 "\",\"storageKeys\":[\"0x1\"]}]",
			"transactions[0].accessList"},
		{TX_HEAD ",\"accessList\":[{\"address\":\"" A20 "\",\"storageKeys\":[\"" H32
			 "\",[[]]]}],\"r\":\"0x1\"",
			"accessList"},
		{TX_HEAD ",\"blobVersionedHashes\":[\"0x\"]",
			"transactions[0].blobVersionedHashes"},
		{TX_HEAD ",\"authorizationList\":[{}]",
			"transactions[0].authorizationList: authorization without address"},
		{TX_HEAD ",\"authorizationList\":[{\"address\":\"" A20 "\",\"yParity\":\"0x100\"}]",
			"authorizationList"},
		{TX_HEAD ",\"isSystemTx\":\"0x1\"", "transactions[0].isSystemTx"},
		{TX_HEAD ",\"depositReceiptVersion\":\"0x100000000\"",
			"transactions[0].depositReceiptVersion"},
		{TX_HEAD ",\"accessList\":[{]",
			"transactions[0].accessList: expected a key at byte"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		bad(with_tx(t[i].tx), ST_MALFORMED, t[i].words);
}

/* Types of other chains never fail the block, whatever their fields mean there. */
static void test_unknown_types(void **state)
{
	static const char *const more[] = {
		"\"type\":\"0x6a\",\"gas\":\"0x1\",\"value\":\"0x2\",\"from\":\"" A20
		"\",\"input\":\"0x12345678\",\"requestId\":\"0x1\"",
		"\"gas\":\"0x1\",\"value\":\"0x2\",\"from\":\"" A20
		"\",\"nonce\":\"0x3\",\"accessList\":{\"odd\":[1]},\"type\":\"0x76\",\"input\":7,"
		"\"authorizationList\":[{\"x\":1}],\"chainId\":\"zzz\",\"calls\":[{\"to\":null}],"
		"\"v\":[]",
	};
	char text[600];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct block *b;
		const struct tx *t;

		snprintf(text, sizeof(text), "\"hash\":\"" H32B "\",%s", more[i]);
		b = good(with_tx(text));
		t = block_txs(b);
		assert_int_equal(t->type, i ? 0x76 : 0x6a);
		assert_int_equal(t->has, T_UNKNOWN_TYPE | T_FROM | (i ? T_NONCE : 0));
		assert_int_equal(t->gas, 1);
		assert_int_equal(t->value.w[0], 2);
		assert_int_equal(t->hash.b[0], 0x22);
		assert_int_equal(t->input.len, 0);
		assert_int_equal(t->raw.len, strlen(text) + 2);
		assert_memory_equal((const char *)block_at(b, t->raw) + 1, text, strlen(text));
	}
	assert_int_equal(tx("\"hash\":\"" H32 "\",\"type\":\"0x64\"")->has,
		T_UNKNOWN_TYPE); /* nothing else */
	bad(with_tx("\"type\":\"0x64\",\"gas\":\"0x1\""), ST_MALFORMED, "hash: missing");
	bad(with_tx("\"hash\":\"" H32 "\",\"type\":\"0x64\",\"gas\":[}"), ST_MALFORMED,
		"byte"); /* JSON it must be */
}

/* More transactions than the first guess has room for: everything moves, nothing gets lost. */
static void test_growth(void **state)
{
	enum { N = 5000 };
	const struct block *b;
	struct blockdec *fresh = blockdec_new();
	struct buf text;
	struct err e;

	(void)state;
	assert_non_null(fresh);
	buf_init(&text, 4u << 20);
	assert_int_equal(
		buf_adds(&text,
			"{\"extraData\":\"0xabcd\",\"parentHash\":\"" H32 "\",\"transactions\":["),
		ST_OK);
	for (int i = 0; i < N; i++)
		assert_int_equal(
			buf_addf(&text,
				"%s{\"hash\":\"" H32B
				"\",\"gas\":\"0x1\",\"value\":\"0x%x\",\"input\":\"0x%04x\"}",
				i ? "," : "", i, i),
			ST_OK);
	assert_int_equal(buf_adds(&text, "],\"timestamp\":\"0x64\",\"number\":\"0x7\"}"), ST_OK);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(block_decode(fresh, text.p, text.len, true, &b, &e), ST_OK);
		assert_int_equal(b->h.ntx, N);
		assert_int_equal(b->h.number, 7);
		assert_memory_equal(block_at(b, b->h.extra), "\xab\xcd", 2);
		assert_int_equal(b->h.parent.b[0], 0x11);
		for (int i = 0; i < N; i++) {
			const struct tx *t = &block_txs(b)[i];
			const uint8_t *in = block_at(b, t->input);

			assert_int_equal(t->value.w[0], i);
			assert_int_equal(in[0] << 8 | in[1], i);
			assert_int_equal(t->index, i);
		}
	}
	blockdec_free(fresh);
	buf_fini(&text);
}

/* The densest things a text can hold: the memory reckoned beforehand is enough for each. */
static void test_bound(void **state)
{
	static const struct {
		const char *head, *item, *tail;
	} t[] = {
		{TX_HEAD ",\"authorizationList\":[", "{\"address\":\"" A20 "\"}", "]"},
		{TX_HEAD ",\"accessList\":[", "{\"address\":\"" A20 "\"}", "]"},
		{TX_HEAD ",\"blobVersionedHashes\":[", "\"" H32 "\"", "]"},
		{TX_HEAD ",\"x\":[", "1", "]"},
		{TX_HEAD, "\"data\":\"0x11\"", ""},
		{TX_HEAD, "\"blobVersionedHashes\":[\"" H32 "\"]", ""},
		{TX_HEAD ",\"type\":\"0x77\",\"authorizationList\":[", "{\"address\":\"" A20 "\"}",
			"]"},
	};
	struct buf text;

	(void)state;
	buf_init(&text, 1u << 20);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		for (int n = 1; n < 2000; n = n * 3 + 1) {
			struct blockdec *fresh = blockdec_new();
			const struct block *b;
			struct block *kept;
			struct err e;

			buf_clear(&text);
			assert_int_equal(
				buf_addf(&text, "{" HEAD ",\"transactions\":[{%s", t[i].head),
				ST_OK);
			for (int k = 0; k < n; k++)
				assert_int_equal(buf_addf(&text, "%s%s",
							 k || !t[i].tail[0] ? "," : "", t[i].item),
					ST_OK);
			assert_int_equal(buf_addf(&text, "%s}]}", t[i].tail), ST_OK);
			if (block_decode(fresh, text.p, text.len, true, &b, &e) != ST_OK)
				fail_msg("%s", e.text);
			kept = block_keep(b);
			assert_non_null(kept);
			block_unref(kept);
			blockdec_free(fresh);
		}
	buf_fini(&text);
}

/* What a transaction says of its block is compared, wherever the block says it. */
static void test_whereabouts(void **state)
{
	static const char one[] = "\"blockHash\":\"" H32 "\",\"blockNumber\":\"0x10\",\"transactionIndex\":\"0x0\",";
	static const struct {
		const char *head, *first, *second;
		bool elsewhere;
	} cases[] = {
		{HEAD ",", "", "", false},
		{HEAD ",", one, "", false},
		{HEAD ",", "\"blockTimestamp\":\"0x64\",", "\"blockTimestamp\":\"0x64\",", false},
		{HEAD ",", "\"blockTimestamp\":\"0x65\",", "", true},
		{HEAD ",", "", "\"blockHash\":\"" H32B "\",", true},
		{HEAD ",", one, "\"blockHash\":\"" H32B "\",", true},
		{HEAD ",", "\"blockHash\":\"" H32B "\",", "\"blockHash\":\"" H32 "\",", true},
		{HEAD ",", "\"blockNumber\":\"0x11\",", "", true},
		{HEAD ",", "\"blockNumber\":\"0x11\",", "\"blockNumber\":\"0x10\",", true},
		{HEAD ",", "\"transactionIndex\":\"0x1\",", "", true},
		{HEAD ",", "", "\"transactionIndex\":\"0x1\",", false},
		{HEAD ",", "\"blockHash\":null,\"blockNumber\":null,\"transactionIndex\":null,", "", false},
		{HEAD ",", "\"blockHash\":[1],\"blockNumber\":{},", "", false},
		/* pending: nothing to compare with */
		{"\"number\":\"0x10\",\"timestamp\":\"0x64\",\"hash\":null,", one, "", false},
	};
	char text[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int late = 0; late < 2; late++) {
			const struct block *b;
			int n = (int)strlen(cases[i].head) - 1;

			snprintf(text, sizeof(text), "{%s\"transactions\":[{%s" TX_HEAD "},{%s" TX_HEAD "}]%s%.*s}",
				late ? "" : cases[i].head, cases[i].first, cases[i].second, late ? "," : "",
				late ? n : 0, cases[i].head);
			b = good(text);
			if (!!(b->h.has & H_TX_ELSEWHERE) != cases[i].elsewhere)
				fail_msg("case %zu: %s", i, text);
		}
	}
}

static void test_what_was_said(void **state)
{
	(void)state;
	assert_int_equal(tx(TX_HEAD)->said, 0);
	assert_int_equal(tx(TX_HEAD "," SIG)->said, SAID_V);
	assert_int_equal(tx(TX_HEAD ",\"type\":\"0x2\",\"yParity\":\"0x1\"," SIG)->said, SAID_V | SAID_Y_PARITY);
	assert_int_equal(tx(TX_HEAD ",\"type\":\"0x2\",\"yParity\":\"0x1\"")->said, SAID_Y_PARITY);
	assert_int_equal(tx(TX_HEAD ",\"blockHash\":\"" H32 "\",\"blockTimestamp\":\"0x64\"")->said,
		SAID_BLOCK | SAID_BLOCK_TIME);
	assert_int_equal(tx(TX_HEAD ",\"isSystemTx\":false")->said, SAID_NOT_SYSTEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_legacy),
		cmocka_unit_test(test_input_and_gas_aliases),
		cmocka_unit_test(test_typed),
		cmocka_unit_test(test_missing_type),
		cmocka_unit_test(test_tx_malformed),
		cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_whereabouts),
		cmocka_unit_test(test_what_was_said),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
