/* Unit tests of eth/block: headers, lists, ownership. The rules are those of provider.md §3.2.
 * Transactions: test_block_tx. Real blocks: test_block_oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

#include "block_text.h"

static void test_minimal(void **state)
{
	const struct block *b = good("{" HEAD ",\"transactions\":[]}");

	(void)state;
	assert_int_equal(b->h.has & ~H_UNKNOWN_FIELD, H_HASH | H_NUMBER | H_TXS | H_TXS_FULL);
	assert_string_equal(b->h.unknown, "no parentHash");
	assert_int_equal(b->h.number, 16);
	assert_int_equal(b->h.timestamp, 100);
	assert_int_equal(b->h.time_ms, 100000);
	assert_int_equal(b->h.hash.b[31], 0x11);
	assert_int_equal(b->h.ntx, 0);
	assert_int_equal(atomic_load(&((struct block *)(uintptr_t)b)->refs), 0);
}

static void test_null_and_garbage(void **state)
{
	(void)state;
	bad(" null ", ST_NULL, "null");
	bad("", ST_MALFORMED, "expected an object");
	bad("[]", ST_MALFORMED, "expected an object");
	bad("\"0x\"", ST_MALFORMED, "expected an object");
	bad("{}", ST_MALFORMED, "timestamp: missing");
	bad("{\"timestamp\":\"0x1\",\"transactions\":[]}", ST_MALFORMED, "hash: missing");
	bad("{\"number\":\"0x1\",\"transactions\":[]}", ST_MALFORMED, "timestamp: missing");
	bad("{" HEAD "}", ST_MALFORMED, "transactions: missing");
	bad("{" HEAD ",\"transactions\":null}", ST_MALFORMED, "transactions: missing");
	bad("{" HEAD ",\"transactions\":[]} x", ST_MALFORMED, "expected the end");
	bad("{" HEAD ",\"transactions\":[],}", ST_MALFORMED, "expected a key");
	bad("null x", ST_MALFORMED, "");
}

static void test_types_are_strict(void **state)
{
	static const char *const wrong[] = {
		"\"number\":\"12\"",
		"\"number\":\"0xg\"",
		"\"number\":\"\"",
		"\"number\":true",
		"\"number\":{}",
		"\"number\":-1",
		"\"number\":1.5",
		"\"number\":\"0x10000000000000000\"",
		"\"number\":9007199254740993",
		"\"difficulty\":"
		"\"0x10000000000000000000000000000000000000000000000000000000000000000\"",
		"\"parentHash\":\"0x11\"",
		"\"parentHash\":1",
		"\"parentHash\":\"" H32 "11\"",
		"\"parentHash\":"
		"\"1111111111111111111111111111111111111111111111111111111111111111\"",
		"\"parentHash\":"
		"\"0xg111111111111111111111111111111111111111111111111111111111111111\"",
		"\"miner\":\"" H32 "\"",
		"\"author\":\"0x12\"",
		"\"nonce\":\"0x1\"",
		"\"logsBloom\":\"0x00\"",
		"\"extraData\":\"0x1\"",
		"\"extraData\":\"0x1g\"",
		"\"extraData\":\"12\"",
		"\"extraData\":7",
		"\"extraData\":\"\"",
		"\"uncles\":{}",
		"\"uncles\":[1]",
		"\"uncles\":[\"0x\"]",
		"\"uncles\":[null]",
		"\"withdrawals\":\"0x\"",
		"\"withdrawals\":[1]",
		"\"withdrawals\":[{}]",
		"\"withdrawals\":[{\"address\":\"" A20 "\"}]",
		"\"milliTimestamp\":\"x\"",
		"\"transactions\":{}",
		"\"transactions\":\"0x\"",
		"\"transactions\":[1]",
		"\"transactions\":[null]",
		"\"parentHash\":"
		"\"\\u0030x11111111111111111111111111111111111111111111111111111111111111\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char name[20];

		snprintf(name, sizeof(name), "%.*s",
			(int)(strchr(wrong[i] + 1, '"') - wrong[i] - 1), wrong[i] + 1);
		bad(with(wrong[i]), ST_MALFORMED, name);
	}
}

static void test_lenient(void **state)
{
	static const struct {
		const char *field;
		uint64_t number;
		unsigned lenient;
	} t[] = {
		{"\"number\":\"0x7\"", 7, 0},
		{"\"number\":\"0x0\"", 0, 0},
		{"\"number\":\"0x07\"", 7, 1},
		{"\"number\":\"0x\"", 0, 1},
		{"\"number\":\"0xA\"", 10, 1},
		{"\"number\":7", 7, 1},
		{"\"number\":9007199254740992", UINT64_C(1) << 53, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const struct block *b = good(with(t[i].field));

		assert_true(b->h.number == t[i].number);
		assert_int_equal(b->lenient, t[i].lenient);
		assert_int_equal(!!(b->h.has & H_LENIENT), t[i].lenient > 0);
	}
	assert_int_equal(good(with("\"miner\":\"" A20B "\""))->lenient,
		0); /* checksummed addresses are legal */
}

static void test_absent_is_null(void **state)
{
	static const char *const names[] = {"hash", "number", "miner", "nonce", "mixHash",
		"logsBloom", "difficulty", "totalDifficulty", "size", "baseFeePerGas",
		"withdrawalsRoot", "blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot",
		"requestsHash", "blockAccessListHash", "slotNumber", "parentHash", "uncles",
		"withdrawals", "extraData", "author", "milliTimestamp"};
	struct header first;
	char text[600], more[300] = "";

	(void)state;
	memset(&first, 0, sizeof(first));
	for (size_t i = 0; i <= sizeof(names) / sizeof(names[0]); i++) {
		const struct block *b;

		snprintf(text, sizeof(text),
			"{\"parentHash\":\"" H32 "\",\"timestamp\":\"0x1\",\"transactions\":[]%s}",
			more);
		if (i > 17) /* parentHash itself is null by now */
			snprintf(text, sizeof(text),
				"{\"timestamp\":\"0x1\",\"transactions\":[]%s,\"parentHash\":\"" H32
				"\"}",
				more);
		b = good(text);
		if (i == 0)
			first = b->h;
		assert_memory_equal(&first, &b->h, sizeof(first));
		if (i < sizeof(names) / sizeof(names[0]))
			snprintf(more, sizeof(more), ",\"%s\":null", names[i]);
	}
}

/* geth's pending block: hash, nonce and miner are null, the number is there (fault 54). */
static void test_pending(void **state)
{
	const struct block *b = good(
		"{\"hash\":null,\"nonce\":null,\"miner\":null,\"number\":\"0x11\",\"parentHash\":"
		"\"" H32 "\",\"timestamp\":\"0x64\",\"transactions\":[{" TX_HEAD
		",\"blockHash\":null,\"blockNumber\":null,\"transactionIndex\":null,\"from\":\"" A20
		"\"," SIG "}]}");

	(void)state;
	assert_int_equal(
		b->h.has & (H_HASH | H_NONCE | H_MINER | H_NUMBER | H_PARENT), H_NUMBER | H_PARENT);
	assert_int_equal(b->h.number, 17);
	assert_int_equal(block_txs(b)->index, 0);
}

static void test_miner_aliases(void **state)
{
	static const char *const same[] = {
		"\"author\":\"" A20 "\"",
		"\"beneficiary\":\"" A20 "\"",
		"\"miner\":null,\"author\":\"" A20 "\"",
		"\"miner\":\"" A20 "\",\"author\":\"" A20B "\"",
		"\"author\":\"" A20B "\",\"miner\":\"" A20 "\"",
	};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		const struct block *b = good(with(same[i]));

		assert_true(b->h.has & H_MINER);
		assert_int_equal(b->h.miner.b[19], 0x33);
	}
	assert_false(good(with("\"author\":null"))->h.has & H_MINER);
	assert_false(good(with("\"author\":\"0x\""))->h.has & H_MINER);
}

static void test_unknown_fields(void **state)
{
	static const char all[] =
		"\"parentHash\":\"" H32 "\",\"sha3Uncles\":\"" H32 "\",\"stateRoot\":\"" H32
		"\",\"transactionsRoot\":\"" H32 "\",\"receiptsRoot\":\"" H32
		"\",\"gasLimit\":\"0x1\",\"gasUsed\":\"0x1\",\"extraData\":\"0x\"";
	static const struct {
		const char *more, *unknown;
		uint32_t has;
	} t[] = {
		{"\"size\":\"0x1\"", "", 0},
		{"\"foo\":{\"a\":[1,2,{}]}", "foo", H_UNKNOWN_FIELD},
		{"\"foo\":1,\"bar\":2", "foo", H_UNKNOWN_FIELD},
		{"\"\\u001b[31m\\\"\":1", "", H_UNKNOWN_FIELD},
		{"\"a\x1b[2Jb\":1", NULL, 0},
		{"\"l1BlockNumber\":\"0x1\"", "l1BlockNumber", H_L1_BLOCK},
		{"\"sendRoot\":\"" H32 "\",\"sendCount\":\"0x1\"", "sendRoot", H_L1_BLOCK},
		{"\"sealFields\":[\"0x\"],\"author\":\"" A20 "\",\"isPostMerge\":true", "", 0},
		{"\"totalDifficulty\":\"0x1\",\"uncles\":[],\"withdrawals\":[]", "", 0},
		{"\"timestampMilliseconds\":\"0x1\"", "timestampMilliseconds", H_L1_BLOCK},
		{"\"stateRoot\":null", "no stateRoot", H_UNKNOWN_FIELD},
		{"\"stateRoot\":\"0x\"", "no stateRoot", H_UNKNOWN_FIELD}, /* Tron */
		{"\"extraData\":null", "no extraData", H_UNKNOWN_FIELD},
		{"\"aVeryLongNameOfAFieldThatDoesNotFitInThirtyTwoBytes\":1",
			"aVeryLongNameOfAFieldThatDoesNo", H_UNKNOWN_FIELD},
	};
	char more[1200];

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const struct block *b;

		snprintf(more, sizeof(more), "%s,%s", all, t[i].more);
		if (!t[i].unknown) {
			bad(with(more), ST_MALFORMED, "control character");
			continue;
		}
		b = good(with(more));
		assert_int_equal(b->h.has & (H_UNKNOWN_FIELD | H_L1_BLOCK), t[i].has);
		if (i == 3)
			assert_null(strchr(b->h.unknown, 0x1b));
		else
			assert_string_equal(b->h.unknown, t[i].unknown);
	}
}

static void test_time_ms(void **state)
{
	static const struct {
		const char *more;
		uint64_t ms;
		bool fine;
	} t[] = {
		{"\"size\":\"0x1\"", 100000, false},
		{"\"milliTimestamp\":\"0x187fa\"", 100346, true}, /* BSC */
		{"\"timestampMs\":\"0x187fa\"", 100346, true},
		{"\"timestampNano\":\"0x1764ba3b20f\"", 1607608,
			false}, /* another second: not believed */
		{"\"timestampNano\":\"0x175d537e89\"", 100350, true},
		{"\"timestampMs\":\"0x15a\"", 100000, false}, /* the part below the second alone */
		{"\"milliTimestamp\":null", 100000, false},
		{"\"milliTimestamp\":\"0xffffffffffffffff\"", 100000, false},
		{"\"timestamp\":\"0xffffffffffffffff\"", UINT64_MAX, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const struct block *b = good(with(t[i].more));

		assert_int_equal(!!(b->h.has & H_MILLIS), t[i].fine);
		if (t[i].fine || b->h.timestamp != 100)
			assert_true(b->h.time_ms == t[i].ms);
		else
			assert_int_equal(b->h.time_ms, 100000);
	}
}

/* The last one of two counts, and null takes back. */
static void test_duplicates(void **state)
{
	const struct block *b = good(with("\"number\":\"0x1\",\"number\":\"0x2\",\"size\":\"0x5\","
					  "\"size\":null,\"extraData\":\"0x1234\","
					  "\"extraData\":\"0x56\",\"uncles\":[\"" H32
					  "\"],\"uncles\":[\"" H32B "\",\"" H32B "\"]"));

	(void)state;
	assert_int_equal(b->h.number, 2);
	assert_false(b->h.has & H_SIZE);
	assert_int_equal(b->h.size, 0);
	assert_int_equal(b->h.extra.len, 1);
	assert_int_equal(*(const uint8_t *)block_at(b, b->h.extra), 0x56);
	assert_int_equal(b->uncles.len, 2);
	assert_int_equal(((const struct hash *)block_at(b, b->uncles))[1].b[0], 0x22);
	b = good("{" HEAD ",\"transactions\":[{" TX_HEAD "},{" TX_HEAD
		 "}],\"transactions\":[{" TX_HEAD ",\"nonce\":\"0x9\"}]}");
	assert_int_equal(b->h.ntx, 1);
	assert_int_equal(block_txs(b)->nonce, 9);
	b = good("{" HEAD ",\"transactions\":[],\"withdrawals\":[{\"address\":\"" A20
		 "\",\"amount\":\"0x1\"}],\"withdrawals\":null}");
	assert_int_equal(b->withdrawals.len, 0);
	assert_false(b->h.has & H_WITHDRAWALS);
}

static void test_lists_of_the_block(void **state)
{
	const struct block *b = good(with(
		"\"extraData\":"
		"\"0x0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021\","
		"\"withdrawals\":[{\"index\":\"0x1\",\"validatorIndex\":\"0x2\",\"address\":\"" A20B
		"\",\"amount\":\"0x3\"},{\"amount\":\"0x4\",\"new\":[],\"address\":\"" A20
		"\"}],\"uncles\":[\"" H32B "\"]"));
	const struct withdrawal *w = block_at(b, b->withdrawals);

	(void)state;
	assert_int_equal(b->h.extra.len, 33);
	assert_int_equal(((const uint8_t *)block_at(b, b->h.extra))[32], 0x21);
	assert_int_equal(b->h.extra.off % 8, 0);
	assert_int_equal(b->withdrawals.len, 2);
	assert_int_equal(b->withdrawals.off % 8, 0);
	assert_int_equal(w[0].index, 1);
	assert_int_equal(w[0].validator, 2);
	assert_int_equal(w[0].addr.b[0], 0xab);
	assert_int_equal(w[0].amount, 3);
	assert_int_equal(w[1].amount, 4);
	assert_int_equal(w[1].addr.b[0], 0x33);
	assert_int_equal(b->uncles.len, 1);
	assert_int_equal(((const struct hash *)block_at(b, b->uncles))->b[5], 0x22);
}

static void test_hash_lists(void **state)
{
	static const char hashes[] = "{" HEAD ",\"transactions\":[\"" H32 "\",\"" H32B "\"]}";
	static const char full[] = "{" HEAD ",\"transactions\":[{" TX_HEAD "}]}";
	static const char none[] = "{" HEAD ",\"transactions\":[]}";
	static const char mixed[] = "{" HEAD ",\"transactions\":[\"" H32 "\",{" TX_HEAD "}]}";
	const struct block *b;
	struct err e;

	(void)state;
	bad(hashes, ST_WRONG_BLOCK, "hashes");
	assert_int_equal(decode(hashes, false, &b, &e), ST_OK);
	assert_int_equal(b->h.ntx, 2);
	assert_int_equal(b->h.has & (H_TXS | H_TXS_FULL), H_TXS);
	assert_int_equal(block_txs(b)[1].has, T_HASH_ONLY);
	assert_int_equal(block_txs(b)[1].index, 1);
	assert_int_equal(block_txs(b)[1].hash.b[0], 0x22);
	assert_int_equal(decode(full, false, &b, &e), ST_OK);
	assert_int_equal(b->h.has & (H_TXS | H_TXS_FULL), H_TXS | H_TXS_FULL);
	assert_int_equal(decode(none, false, &b, &e), ST_OK);
	assert_int_equal(b->h.has & (H_TXS | H_TXS_FULL), H_TXS);
	assert_int_equal(decode(none, true, &b, &e), ST_OK);
	assert_int_equal(b->h.has & (H_TXS | H_TXS_FULL), H_TXS | H_TXS_FULL);
	assert_int_equal(decode(mixed, false, &b, &e), ST_MALFORMED);
	assert_non_null(strstr(e.text, "transactions[1]"));
	assert_int_equal(
		decode("{" HEAD ",\"transactions\":[\"0x12\"]}", false, &b, &e), ST_MALFORMED);
	assert_int_equal(decode("{" HEAD "}", false, &b, &e), ST_OK);
	assert_int_equal(b->h.has & H_TXS, 0);
}

static void test_white_space_and_order(void **state)
{
	const struct block *b =
		good(" {\n \"transactions\" : [ { \"value\" : \"0x1\" , \"gas\":\t\"0x2\" , "
		     "\"hash\" : \"" H32B "\" , \"accessList\" : [ { \"storageKeys\" : [ \"" H32
		     "\" , \"" H32 "\" ] , \"address\" : \"" A20 "\" } ] } ,\r\n"
		     " { \"gas\" : \"0x3\" , \"value\" : \"0x4\" , \"hash\" : \"" H32
		     "\" } ] , \"timestamp\" : \"0x5\" , \"number\" : \"0x6\" } ");

	(void)state;
	assert_int_equal(b->h.ntx, 2);
	assert_int_equal(b->h.number, 6);
	assert_int_equal(block_txs(b)[0].gas, 2);
	assert_int_equal(block_txs(b)[0].access.len, 1);
	assert_int_equal(block_txs(b)[1].gas, 3);
	assert_int_equal(block_txs(b)[1].index, 1);
	assert_int_equal(b->lenient, 0);
}

static void test_too_big(void **state)
{
	const struct block *b;
	struct err e;

	(void)state;
	/* The size is looked at before anything else: no memory, no byte of it. */
	assert_int_equal(block_decode(dec, "x", (size_t)1 << 31, true, &b, &e), ST_TOO_BIG);
	assert_int_equal(block_decode(dec, "x", SIZE_MAX, true, &b, &e), ST_TOO_BIG);
	assert_int_equal(good("{" HEAD ",\"transactions\":[]}")->h.number, 16);
}

static void test_truncated(void **state)
{
	static const char text[] =
		"{" HEAD ",\"extraData\":\"0x1234\",\"uncles\":[\"" H32
		"\"],\"foo\":{\"a\":[1.5,true,null]},\"transactions\":[{" TX_HEAD
		",\"type\":\"0x4\",\"accessList\":[{\"address\":\"" A20 "\",\"storageKeys\":[\"" H32
		"\"]}],\"input\":\"0x1234567890\","
		"\"authorizationList\":[{\"address\":\"" A20
		"\",\"nonce\":\"0x2\"}],\"blobVersionedHashes\":[\"" H32 "\"]},{" TX_HEAD
		",\"type\":\"0x66\"}],\"withdrawals\":[{\"index\":\"0x1\",\"address\":\"" A20
		"\",\"amount\":\"0x3\"}]}";
	struct header h;
	uint8_t extra[64];

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *part = malloc(n ? n : 1);
		const struct block *b;
		struct err e;

		assert_non_null(part);
		memcpy(part, text, n);
		assert_int_equal(block_decode(dec, part, n, true, &b, &e), ST_MALFORMED);
		assert_int_equal(header_decode(part, n, &h, extra, &e), ST_MALFORMED);
		free(part);
	}
	good(text);
}

static void test_keep(void **state)
{
	const struct block *b =
		good("{" HEAD ",\"extraData\":\"0xabcdef\",\"transactions\":[{" TX_HEAD
		     ",\"input\":\"0x1234567890\"},{" TX_HEAD ",\"accessList\":[{\"address\":\"" A20
		     "\",\"storageKeys\":[\"" H32B "\"]}]}],\"uncles\":[\"" H32B "\"]}");
	struct block *k = block_keep(b), *again;
	const struct access_entry *a;

	(void)state;
	assert_non_null(k);
	assert_int_equal(atomic_load(&k->refs), 1);
	assert_int_equal(k->bytes, b->bytes);
	assert_int_equal(k->txs.off + k->txs.len * sizeof(struct tx), k->bytes); /* exact */
	good("{\"number\":\"0x99\",\"timestamp\":\"0x1\",\"transactions\":[]}"); /* the scratch is something else now */
	assert_int_equal(k->h.number, 16);
	assert_memory_equal(block_at(k, k->h.extra), "\xab\xcd\xef", 3);
	assert_memory_equal(block_at(k, block_txs(k)[0].input), "\x12\x34\x56\x78\x90", 5);
	a = block_at(k, block_txs(k)[1].access);
	assert_int_equal(((const struct hash *)block_at(k, a->keys))->b[0], 0x22);
	assert_int_equal(((const struct hash *)block_at(k, k->uncles))->b[0], 0x22);
	again = block_keep(k); /* a copy of a copy */
	assert_non_null(again);
	again->refs = k->refs;
	assert_memory_equal(again, k, k->bytes);
	block_unref(again);
	assert_ptr_equal(block_ref(k), k);
	block_unref(k);
	assert_int_equal(atomic_load(&k->refs), 1);
	block_unref(k);
	block_unref(NULL);
}

static void *ref_and_unref(void *arg)
{
	struct block *b = arg;

	for (int i = 0; i < 100000; i++)
		block_unref(block_ref(b));
	block_unref(b);
	return NULL;
}

static void test_refs_of_threads(void **state)
{
	struct block *b = block_keep(good("{" HEAD ",\"transactions\":[]}"));
	pthread_t t[3];

	(void)state;
	assert_non_null(b);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, ref_and_unref, block_ref(b)), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(atomic_load(&b->refs), 1);
	block_unref(b);
}

/* newHeads as geth writes it: explicit nulls, no size, no transactions (fault 55). */
static void test_header_decode(void **state)
{
	static const char text[] =
		"{\"parentHash\":\"" H32 "\",\"sha3Uncles\":\"" H32 "\",\"miner\":\"" A20
		"\",\"stateRoot\":\"" H32 "\",\"transactionsRoot\":\"" H32
		"\",\"receiptsRoot\":\"" H32 "\",\"difficulty\":\"0x0\",\"number\":\"0x10\","
		"\"gasLimit\":\"0x1c9c380\",\"gasUsed\":\"0x5208\",\"timestamp\":\"0x64\","
		"\"extraData\":\"0xd883\",\"mixHash\":\"" H32
		"\",\"nonce\":\"0x0000000000000042\",\"baseFeePerGas\":\"0x7\",\"withdrawalsRoot\":"
		"null,\"blobGasUsed\":null,"
		"\"excessBlobGas\":null,\"parentBeaconBlockRoot\":null,\"requestsHash\":null,"
		"\"hash\":\"" H32B "\"}";
	struct header h;
	uint8_t extra[64];
	struct err e;
	char longer[600];

	(void)state;
	assert_int_equal(header_decode(text, sizeof(text) - 1, &h, extra, &e), ST_OK);
	assert_int_equal(h.has,
		H_HASH | H_NUMBER | H_MINER | H_NONCE | H_MIX | H_DIFFICULTY | H_BASE_FEE |
			H_PARENT);
	assert_int_equal(h.hash.b[0], 0x22);
	assert_int_equal(h.nonce[7], 0x42);
	assert_int_equal(h.base_fee.w[0], 7);
	assert_int_equal(h.gas_limit, 30000000);
	assert_int_equal(h.extra.len, 2);
	assert_memory_equal(extra, "\xd8\x83", 2);
	assert_int_equal(header_decode("null", 4, &h, extra, &e), ST_NULL);
	assert_int_equal(header_decode("false", 5, &h, extra, &e), ST_MALFORMED);
	assert_int_equal(header_decode("{}", 2, &h, extra, &e), ST_MALFORMED);
	/* Transactions are counted, other lists passed over. */
	assert_int_equal(
		header_decode("{" HEAD
			      ",\"transactions\":[{},{}],\"uncles\":[1],\"withdrawals\":[{}]}",
			strlen("{" HEAD
			       ",\"transactions\":[{},{}],\"uncles\":[1],\"withdrawals\":[{}]}"),
			&h, extra, &e),
		ST_OK);
	assert_int_equal(h.ntx, 2);
	assert_int_equal(h.has & (H_TXS | H_TXS_FULL | H_UNCLES | H_WITHDRAWALS),
		H_TXS | H_TXS_FULL | H_UNCLES | H_WITHDRAWALS);
	/* clique and BSC: 97 bytes and more. Clipped, so never called wrong. */
	snprintf(longer, sizeof(longer), "{" HEAD ",\"extraData\":\"0x%0196d\"}", 0);
	assert_int_equal(header_decode(longer, strlen(longer), &h, extra, &e), ST_OK);
	assert_int_equal(h.extra.len, 64);
	assert_true(h.has & H_UNKNOWN_FIELD);
	assert_string_equal(h.unknown, "extraData");
	assert_int_equal(good(with(strstr(longer, "\"extraData\"") ? "\"extraData\":\"0x00\"" : ""))
				 ->h.extra.len,
		1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_null_and_garbage),
		cmocka_unit_test(test_types_are_strict),
		cmocka_unit_test(test_lenient),
		cmocka_unit_test(test_absent_is_null),
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_miner_aliases),
		cmocka_unit_test(test_unknown_fields),
		cmocka_unit_test(test_time_ms),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_lists_of_the_block),
		cmocka_unit_test(test_hash_lists),
		cmocka_unit_test(test_white_space_and_order),
		cmocka_unit_test(test_too_big),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_refs_of_threads),
		cmocka_unit_test(test_header_decode),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
