/*
 * Unit tests of feed/pull over RLPx: a chain of real blocks comes out as the node that made it writes it in JSON; nodes that
 * lack blocks, lie, leave or say nothing; order, and what is reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "base/time.h"
#include "eth/keccak.h"
#include "eth/rlp.h"
#include "feed/pull.h"
#include "out/block_json.h"
#include "tests/unit/corpus.h"
#include "tests/unit/p2p_node.h"

enum { REAL_TOP = 54 };

static struct p2p_node node;
static struct net_opts net;
static struct url url;
static struct buf text;
static struct pull_stats stats;
static struct err err;
static uint64_t expected; /* number of the next block written */
static bool disordered, started;

static int setup(void **state)
{
	(void)state;
	memset(&node, 0, sizeof(node));
	memset(&net, 0, sizeof(net));
	memset(&url, 0, sizeof(url));
	node.version = 69;
	node.network = 1337;
	node.top = 99;
	buf_init(&text, 16 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (started)
		p2p_node_stop(&node);
	started = false;
	url_fini(&url);
	buf_fini(&text);
	return 0;
}

static void begin(enum node_act act)
{
	struct err e = { .text = "" };

	node.act = act;
	if (node.chain)
		(void)corpus_dir();
	p2p_node_start(&node);
	started = true;
	if (url_parse(&url, node.url, &e) != ST_OK)
		fail_msg("%s", e.text);
}

static enum status format(void *ctx, struct buf *out, const struct block *b)
{
	enum status st = block_json(out, b);

	(void)ctx;
	return st == ST_OK ? buf_add(out, "\n", 1) : st;
}

/* No assert here: it is a thread of the pull. */
static enum status write_text(void *ctx, const char *p, size_t n, struct err *e)
{
	char number[40];

	(void)ctx;
	(void)e;
	snprintf(number, sizeof(number), "\"number\":\"0x%llx\"", (unsigned long long)expected++);
	disordered |= memmem(p, n, number, strlen(number)) == NULL;
	return buf_add(&text, p, n);
}

static enum status pull_with(struct pull_opts o)
{
	struct pull *p = NULL;
	uint64_t end = time_mono() + 60 * NS_S;

	buf_clear(&text);
	memset(&err, 0, sizeof(err));
	o.url = &url;
	o.net = &net;
	o.hurry = 100;
	o.hooks = (struct pull_hooks){ .format = format, .write = write_text };
	expected = o.from;
	disordered = false;
	if (pull_start(&p, &o, &err) != ST_OK)
		fail_msg("%s", err.text);
	while (!pull_wait(p, NS_S / 10, NULL)) {
		if (time_mono() > end)
			fail_msg("no end after 60 s");
	}
	return pull_finish(p, &stats, &err);
}

static enum status pull(uint64_t from, uint64_t to, unsigned workers)
{
	return pull_with((struct pull_opts){ .from = from, .to = to, .workers = workers });
}

static void good(uint64_t from, uint64_t to, unsigned workers)
{
	if (pull(from, to, workers) != ST_OK)
		fail_msg("%s: %s", status_word(err.code), err.text);
	assert_false(disordered);
	assert_int_equal(stats.blocks, to - from + 1);
	assert_int_equal(expected, to + 1);
}

/* Ends with this text, behind the blocks before `at`. */
static void ends(uint64_t from, uint64_t to, uint64_t at, enum status code, const char *why)
{
	assert_int_equal(pull(from, to, 4), code);
	if (!strstr(err.text, why))
		fail_msg("%s\nin place of: %s", err.text, why);
	assert_false(disordered);
	assert_int_equal(stats.blocks, at - from);
	assert_int_equal(expected, at);
}

/* ---- real blocks ---- */

static void put(struct buf *b, const void *p, size_t n)
{
	buf_clear(b);
	assert_int_equal(buf_add(b, p, n), ST_OK);
}

/* chain.rlp of ethereum/execution-apis: blocks from 1, of all types of transactions. */
static void real_chain(struct p2p_node *n)
{
	size_t size;
	char *bytes = corpus_read("execution-apis/chain.rlp", &size);
	struct rlp_item item, header;
	struct rlp r, in;

	rlp_init(&r, bytes, size);
	for (unsigned i = 1; rlp_next(&r, &item); i++) {
		size_t mark;

		assert_true(i <= REAL_TOP);
		rlp_init(&in, item.p, item.n);
		assert_true(rlp_next(&in, &header));
		put(&n->header[0][i], header.raw, header.raw_n);
		keccak256(header.raw, header.raw_n, n->hash[0][i].b);
		mark = rlp_list_begin(&n->body[i]);
		assert_int_equal(buf_add(&n->body[i], header.raw + header.raw_n,
			(size_t)(item.p + item.n - header.raw) - header.raw_n), ST_OK);
		assert_int_equal(rlp_list_end(&n->body[i], mark), ST_OK);
	}
	free(bytes);
}

static const char *line_of(uint64_t number)
{
	static char line[1 << 20];
	char want[40];
	const char *at = text.p, *end;

	snprintf(want, sizeof(want), "\"number\":\"0x%llx\"", (unsigned long long)number);
	for (; at < text.p + text.len; at = end + 1) {
		end = memchr(at, '\n', (size_t)(text.p + text.len - at));
		assert_non_null(end);
		if (!memmem(at, (size_t)(end - at), want, strlen(want)))
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		return line;
	}
	fail_msg("no block %llu", (unsigned long long)number);
	return NULL;
}

/* All that `is` says is in `want`, too. What `want` alone says is one of `left`. */
static void same(const cJSON *is, const cJSON *want, const char *const *left, unsigned n_left, uint64_t number)
{
	const cJSON *k;

	cJSON_ArrayForEach(k, is)
	{
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(want, k->string);

		if (strcmp(k->string, "transactions") != 0 && !cJSON_Compare(k, other, true))
			fail_msg("block %llu: %s differs", (unsigned long long)number, k->string);
	}
	cJSON_ArrayForEach(k, want)
	{
		bool known = cJSON_GetObjectItemCaseSensitive(is, k->string) != NULL;

		for (unsigned i = 0; i < n_left; i++)
			known |= strcmp(k->string, left[i]) == 0;
		if (!known)
			fail_msg("block %llu: no %s", (unsigned long long)number, k->string);
	}
}

/* Of a transaction with a maxFeePerGas a node's JSON has the price that was paid, too; some say the time of the block. */
static void same_tx(const cJSON *is, const cJSON *want, uint64_t number)
{
	static const char *const left[] = { "blockTimestamp", "gasPrice" };
	const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(want, "type"));

	same(is, want, left, type[2] < '2' ? 1 : 2, number);
}

/* The answer of a recorded call. */
static cJSON *recorded(const char *folder, const char *name)
{
	char path[200], *all, *at;
	cJSON *reply;
	size_t n;

	snprintf(path, sizeof(path), "execution-apis/tests/%s/%s.io", folder, name);
	all = corpus_read(path, &n);
	at = strstr(all, "<< ");
	assert_non_null(at);
	reply = cJSON_Parse(at + 3);
	free(all);
	assert_true(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(reply, "result")));
	return reply;
}

static uint64_t number_of(const cJSON *object, const char *key)
{
	const char *hex = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	assert_non_null(hex);
	return strtoull(hex, NULL, 16);
}

/* The node's own JSON of these blocks and transactions, from the same test suite. */
static void test_as_json(void **state)
{
	static const char *const blocks[] = { "get-block-cancun-fork", "get-block-london-fork", "get-block-merge-fork",
		"get-block-prague-fork", "get-block-shanghai-fork", "get-latest" };
	static const char *const txs[] = { "get-access-list", "get-blob-tx", "get-dynamic-fee", "get-legacy-create",
		"get-legacy-input", "get-legacy-tx", "get-setcode-tx" };

	(void)state;
	node.top = REAL_TOP;
	node.chain = real_chain;
	begin(NODE_GOOD);
	good(1, REAL_TOP, 3);
	assert_int_equal(stats.txs, 249);
	for (unsigned i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		cJSON *reply = recorded("eth_getBlockByNumber", blocks[i]), *is, *list, *t;
		const cJSON *want = cJSON_GetObjectItemCaseSensitive(reply, "result");
		uint64_t number = number_of(want, "number");
		int k = 0;

		is = cJSON_Parse(line_of(number));
		same(is, want, NULL, 0, number);
		list = cJSON_GetObjectItemCaseSensitive(is, "transactions");
		want = cJSON_GetObjectItemCaseSensitive(want, "transactions");
		assert_int_equal(cJSON_GetArraySize(list), cJSON_GetArraySize(want));
		/* Most were asked for with the hashes alone. */
		cJSON_ArrayForEach(t, list)
		{
			const cJSON *other = cJSON_GetArrayItem(want, k++);

			if (cJSON_IsString(other))
				assert_true(cJSON_Compare(cJSON_GetObjectItemCaseSensitive(t, "hash"), other, true));
			else
				same_tx(t, other, number);
		}
		cJSON_Delete(is);
		cJSON_Delete(reply);
	}
	for (unsigned i = 0; i < sizeof(txs) / sizeof(txs[0]); i++) {
		cJSON *reply = recorded("eth_getTransactionByHash", txs[i]), *is;
		const cJSON *want = cJSON_GetObjectItemCaseSensitive(reply, "result");
		uint64_t number = number_of(want, "blockNumber");

		is = cJSON_Parse(line_of(number));
		same_tx(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(is, "transactions"),
				(int)number_of(want, "transactionIndex")), want, number);
		cJSON_Delete(is);
		cJSON_Delete(reply);
	}
}

static void test_verified(void **state)
{
	(void)state;
	node.top = REAL_TOP;
	node.chain = real_chain;
	node.bodies_max = 3;
	begin(NODE_GOOD);
	if (pull_with((struct pull_opts){ .from = 1, .to = REAL_TOP, .workers = 2, .verify = true }) != ST_OK)
		fail_msg("%s", err.text);
	assert_int_equal(stats.verified, REAL_TOP);
	assert_int_equal(stats.retries, 0);
}

/* ---- ways to ask ---- */

static void test_all_ways(void **state)
{
	(void)state;
	begin(NODE_GOOD);
	for (unsigned i = 0; i < 6; i++) {
		static const unsigned workers[] = { 1, 2, 3, 16, 33, 64 };

		if (pull_with((struct pull_opts){ .to = 99, .workers = workers[i], .threads = 1 + i % 3 }) != ST_OK)
			fail_msg("%u: %s", workers[i], err.text);
		assert_false(disordered);
		assert_int_equal(stats.blocks, 100);
		assert_int_equal(stats.head, 99);
		assert_int_equal(stats.chain_id, 1337);
		assert_true(stats.is_network);
		assert_int_equal(stats.threads, 1 + i % 3);
		assert_int_equal(stats.retries + stats.reconnects + stats.odd, 0);
		assert_string_equal(stats.via, "rlpx");
		assert_true(stats.wire_bytes > 1000 && stats.json_bytes > 100 * 500);
	}
}

/* eth/68 says the head's hash alone. */
static void test_last(void **state)
{
	(void)state;
	node.version = 68;
	node.top = 70;
	begin(NODE_GOOD);
	expected = 61;
	assert_int_equal(pull_with((struct pull_opts){ .from = 61, .last = 10, .workers = 1 }), ST_OK);
	assert_false(disordered);
	assert_int_equal(stats.from, 61);
	assert_int_equal(stats.to, 70);
	assert_int_equal(stats.blocks, 10);
	ends(60, 80, 60, ST_USAGE, "block 80 is not there yet: the head is 70");
}

static void test_short_answers(void **state)
{
	(void)state;
	node.bodies_max = 1;
	node.version = 70;
	begin(NODE_GOOD);
	good(0, 99, 5);
	assert_int_equal(stats.retries, 0);
}

/* ---- what goes wrong ---- */

static void test_no_header(void **state)
{
	(void)state;
	node.no_header = 40;
	begin(NODE_GOOD);
	ends(10, 99, 40, ST_NULL, "block 40: the node does not have it (7 tries)");
}

static void test_no_body(void **state)
{
	(void)state;
	node.top = REAL_TOP;
	node.chain = real_chain;
	node.no_body = 23;
	begin(NODE_GOOD);
	/* What follows it takes its place in the answer, so that more than one was in doubt. */
	ends(1, REAL_TOP, 23, ST_NULL, "block 23: the node does not have it");
}

static void test_wrong_body(void **state)
{
	(void)state;
	begin(NODE_WRONG_BODY);
	ends(5, 20, 5, ST_WRONG_BLOCK, "block 5: the body of another block: transactionsRoot differs");
}

static void test_swapped_body(void **state)
{
	(void)state;
	node.top = REAL_TOP;
	node.chain = real_chain;
	node.swap = 30;
	node.swaps = 2;
	begin(NODE_GOOD);
	good(20, 40, 2);
	assert_int_equal(stats.retries, 2);
	atomic_store(&node.swaps, 1000);
	ends(20, 40, 30, ST_WRONG_BLOCK, "block 30: the body of another block:");
}

/* Its transactions as they are; uncles: another block's header; no withdrawals. */
static void bend(struct p2p_node *n, unsigned at, bool uncle)
{
	struct rlp_item whole, txs;
	struct buf b;
	struct rlp r;
	size_t mark, in;

	rlp_init(&r, n->body[at].p, n->body[at].len);
	assert_true(rlp_next(&r, &whole));
	rlp_init(&r, whole.p, whole.n);
	assert_true(rlp_next(&r, &txs));
	buf_init(&b, 1 << 20);
	mark = rlp_list_begin(&b);
	assert_int_equal(buf_add(&b, txs.raw, txs.raw_n), ST_OK);
	in = rlp_list_begin(&b);
	if (uncle)
		assert_int_equal(buf_add(&b, n->header[0][at - 1].p, n->header[0][at - 1].len), ST_OK);
	assert_int_equal(rlp_list_end(&b, in) | rlp_list_end(&b, mark), ST_OK);
	put(&n->body[at], b.p, b.len);
	buf_fini(&b);
}

static void bent_chain(struct p2p_node *n)
{
	real_chain(n);
	bend(n, 20, true);
	bend(n, 45, false);
}

static void test_bent_bodies(void **state)
{
	(void)state;
	node.top = REAL_TOP;
	node.chain = bent_chain;
	begin(NODE_GOOD);
	ends(12, 54, 20, ST_WRONG_BLOCK, "block 20: the body of another block: sha3Uncles differs (5 tries)");
	ends(30, 54, 45, ST_WRONG_BLOCK, "block 45: the body of another block: withdrawalsRoot differs (5 tries)");
}

static void test_lying_header(void **state)
{
	(void)state;
	begin(NODE_LIES);
	ends(5, 20, 5, ST_WRONG_BLOCK, "block 5: header 4 in place of 5");
}

/* A reorganisation between two answers: each is a chain by itself. */
static void test_other_branch(void **state)
{
	(void)state;
	node.branch_at = 6; /* twice 32 headers and their bodies */
	begin(NODE_GOOD);
	assert_int_equal(pull(0, 99, 1), ST_WRONG_BLOCK);
	assert_string_equal(err.text, "block 64 does not follow block 63");
	assert_int_equal(expected, 64);
	assert_false(disordered);
}

static void test_leaves(void **state)
{
	(void)state;
	node.leave_at = 4;
	begin(NODE_GOOD);
	good(0, 99, 2);
	assert_int_equal(stats.reconnects, 1);
	assert_int_equal(node.accepted, 2);
	assert_int_equal(stats.retries, 0);
}

static void test_refusals(void **state)
{
	(void)state;
	begin(NODE_FULL);
	ends(0, 9, 0, ST_CLOSED, "too many peers");
	assert_int_equal(node.accepted, 1);
}

static void test_useless(void **state)
{
	(void)state;
	begin(NODE_USELESS);
	assert_int_equal(pull(0, 9, 1), ST_CLOSED);
	assert_non_null(strstr(err.text, "useless"));
}

static void test_unknown_head(void **state)
{
	(void)state;
	node.version = 68;
	begin(NODE_FORGETS);
	assert_int_equal(pull(0, 9, 1), ST_NULL);
	assert_string_equal(err.text, "the head that its Status names: the node does not have it");
}

static void test_mute(void **state)
{
	(void)state;
	net.request_timeout_ns = 50 * NS_MS;
	begin(NODE_MUTE);
	ends(3, 9, 3, ST_TIMEOUT, "block 3: no answer in 0.1 s (3 tries)");
}

/* Ctrl-C while the node says nothing. */
static void test_stop(void **state)
{
	struct pull *p;
	struct pull_opts o = { .url = &url, .net = &net, .from = 0, .to = 9, .workers = 2 };
	uint64_t t0;

	(void)state;
	begin(NODE_MUTE);
	assert_int_equal(pull_start(&p, &o, &err), ST_OK);
	do {
		assert_false(pull_wait(p, NS_S / 100, &stats));
	} while (!stats.ready);
	t0 = time_mono();
	pull_stop(p);
	assert_int_equal(pull_finish(p, &stats, &err), ST_AGAIN);
	assert_true(time_mono() - t0 < 5 * NS_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_as_json, setup, teardown),
		cmocka_unit_test_setup_teardown(test_verified, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(test_last, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_header, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_swapped_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bent_bodies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lying_header, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_branch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_leaves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_useless, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_head, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mute, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
	};

	return cmocka_run_group_tests_name("pull_p2p", tests, NULL, NULL);
}
