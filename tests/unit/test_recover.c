/*
 * eth/recover: the sender of every signed transaction of the corpus is the `from` that its node said;
 * what nobody signed and what no key can have signed is told apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eth/recover.h"
#include "tests/unit/corpus.h"

struct tools {
	struct blockdec *dec;
	struct verifier *ver;
	unsigned long done[256];
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

static void check_block(struct tools *t, const struct block *b, const char *where)
{
	for (uint32_t i = 0; i < b->txs.len; i++) {
		const struct tx *const tx = &block_txs(b)[i];
		const enum status want = tx->type == TX_DEPOSIT ? ST_UNSUPPORTED : ST_OK;
		struct addr from;

		if (tx_sender(t->ver, b, tx, &from) != want)
			fail_msg("%s, transaction %u of type %u", where, (unsigned)i, (unsigned)tx->type);
		if (want == ST_OK && !addr_eq(&from, &tx->from))
			fail_msg("%s, transaction %u of type %u: another sender", where, (unsigned)i,
				(unsigned)tx->type);
		t->done[tx->type & 0xff]++;
	}
}

static void corpus_senders(void **state)
{
	struct tools *const t = *state;
	cJSON *const all = corpus_expected(), *item;

	cJSON_ArrayForEach(item, all)
	{
		size_t n;
		char *const text = corpus_block(item, &n);
		const char *const want = cJSON_GetObjectItem(item, "headerHash")->valuestring;

		check_block(t, corpus_decode(t->dec, text, n), want);
		free(text);
	}
	cJSON_Delete(all);
	assert_true(t->done[TX_LEGACY] > 1000);
	assert_true(t->done[TX_ACCESS_LIST] > 0);
	assert_true(t->done[TX_DYNAMIC] > 1000);
	assert_true(t->done[TX_BLOB] > 0);
	assert_true(t->done[TX_DEPOSIT] > 0);
}

/* Single transactions of the conformance cases, put into a block: all types, 4 among them. */
static void conformance_senders(void **state)
{
	static const char dir[] = "execution-apis/tests/eth_getTransactionByHash";
	static const char result[] = "\"result\":{";
	struct tools *const t = *state;
	char name[400];
	struct dirent *entry;
	DIR *list;

	snprintf(name, sizeof(name), "%s/%s", corpus_dir(), dir);
	list = opendir(name);
	assert_non_null(list);
	while ((entry = readdir(list)) != NULL) {
		char *text, *reply, *block;
		size_t n;

		if (strstr(entry->d_name, ".io") == NULL)
			continue;
		snprintf(name, sizeof(name), "%s/%s", dir, entry->d_name);
		text = corpus_read(name, &n);
		reply = strstr(text, result);
		if (reply != NULL) {
			reply += sizeof(result) - 2;
			n = (size_t)(strrchr(reply, '}') - reply); /* the last one is the envelope's */
			block = malloc(n + 200);
			assert_non_null(block);
			snprintf(block, n + 200,
				"{\"number\":\"0x1\",\"timestamp\":\"0x1\","
				"\"transactions\":[%.*s]}",
				(int)n, reply);
			check_block(t, corpus_decode(t->dec, block, strlen(block)), entry->d_name);
			free(block);
		}
		free(text);
	}
	closedir(list);
	assert_true(t->done[TX_SET_CODE] > 0);
}

#define TX(rest) \
	"{\"number\":\"0x1\",\"hash\":\"0x" \
	"0000000000000000000000000000000000000000000000000000000000000001\",\"timestamp\":\"0x1\"," \
	"\"transactions\":[{\"hash\":\"0x" \
	"0000000000000000000000000000000000000000000000000000000000000002\",\"nonce\":\"0x9\"," \
	"\"gasPrice\":\"0x4a817c800\",\"gas\":\"0x5208\"," \
	"\"to\":\"0x3535353535353535353535353535353535353535\",\"value\":\"0xde0b6b3a7640000\"," \
	"\"input\":\"0x\"," rest "}]}"
#define R "\"r\":\"0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276\","
#define S "\"s\":\"0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83\""

static enum status sender_of(struct tools *t, const char *text, struct addr *out)
{
	const struct block *b;
	struct err e;

	if (block_decode(t->dec, text, strlen(text), true, &b, &e) != ST_OK)
		fail_msg("%s", e.text);
	assert_int_equal(b->txs.len, 1);
	return tx_sender(t->ver, b, &block_txs(b)[0], out);
}

/* The example of EIP-155 itself: key 0x46…46 on chain 1. */
static void eip155(void **state)
{
	static const uint8_t want[20] = { 0x9d, 0x8a, 0x62, 0xf6, 0x56, 0xa8, 0xd1, 0x61, 0x5c, 0x12, 0x94, 0xfd, 0x71,
		0xe9, 0xcf, 0xb3, 0xe4, 0x85, 0x5a, 0x4f };
	struct tools *const t = *state;
	struct addr out;

	assert_int_equal(sender_of(t, TX("\"type\":\"0x0\",\"v\":\"0x25\"," R S), &out), ST_OK);
	assert_memory_equal(out.b, want, 20);
	/* Another chain, or none: another message was signed, so another sender comes out. */
	assert_int_equal(sender_of(t, TX("\"type\":\"0x0\",\"v\":\"0x27\"," R S), &out), ST_OK);
	assert_memory_not_equal(out.b, want, 20);
	assert_int_equal(sender_of(t, TX("\"type\":\"0x0\",\"v\":\"0x1b\"," R S), &out), ST_OK);
	assert_memory_not_equal(out.b, want, 20);
}

static void impossible(void **state)
{
	static const struct {
		const char *text;
		enum status want;
	} cases[] = {
		{ TX("\"type\":\"0x0\",\"v\":\"0x0\"," R S), ST_MALFORMED },
		{ TX("\"type\":\"0x0\",\"v\":\"0x1d\"," R S), ST_MALFORMED },
		{ TX("\"type\":\"0x0\",\"v\":\"0x25\",\"r\":\"0x0\"," S), ST_MALFORMED },
		{ TX("\"type\":\"0x0\",\"v\":\"0x25\",\"r\":\"0xffffffffffffffffffffffffffffffff"
		     "ffffffffffffffffffffffffffffffff\"," S),
			ST_MALFORMED },
		{ TX("\"type\":\"0x0\",\"v\":\"0x25\",\"r\":\"0x0\",\"s\":\"0x0\""), ST_UNSUPPORTED },
		{ TX("\"type\":\"0x0\""), ST_UNSUPPORTED },
		{ TX("\"type\":\"0x1\",\"chainId\":\"0x1\",\"accessList\":[],\"v\":\"0x2\"," R S), ST_MALFORMED },
		{ TX("\"type\":\"0x55\",\"v\":\"0x25\"," R S), ST_UNSUPPORTED },
	};
	struct tools *const t = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct addr out;
		const enum status st = sender_of(t, cases[i].text, &out);

		if (st != cases[i].want)
			fail_msg("case %zu: %s", i, status_word(st));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corpus_senders),
		cmocka_unit_test(conformance_senders),
		cmocka_unit_test(eip155),
		cmocka_unit_test(impossible),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
