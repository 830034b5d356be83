/* What a live path asks, retries, fills and gives up; numbers in names are those of the fault list. */
#include "feed_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"

static struct claims claims;
static struct rig a, b;

/* Answers everything that asks for a block by number or hash with what this chain (branch 0) has. */
static void answer_blocks(struct rig *r)
{
	for (unsigned i = 0; i < r->n_sent; i++) {
		struct rig_call *c = &r->sent[i];
		unsigned long long n;
		char text[4200];

		if (c->answered || strncmp(c->method, "eth_getBlock", 12) != 0)
			continue;
		if (sscanf(c->params, "[\"0x%llx\"", &n) != 1)
			continue;
		if (strcmp(c->method, "eth_getBlockByHash") == 0)
			n = strtoull((char[]){ c->params[6], c->params[7], 0 }, NULL, 16) |
			    strtoull((char[]){ c->params[8], c->params[9], 0 }, NULL, 16) << 8;
		snprintf(text, sizeof(text), "%s", rig_block(n, 0, 0));
		rig_reply(r, c, text);
	}
}

/* "Method not found" to everything that is no block. */
static void refuse_rest(struct rig *r)
{
	for (unsigned i = 0; i < r->n_sent; i++) {
		if (!r->sent[i].answered && strncmp(r->sent[i].method, "eth_getBlock", 12) != 0)
			rig_error(r, &r->sent[i], -32601, "method not found");
	}
}

static int setup(void **state)
{
	(void)state;
	claims_init(&claims);
	rig_init(&a, &claims, true);
	rig_init(&b, &claims, true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&a);
	rig_fini(&b);
	return 0;
}

static void starts_with_one_subscription(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 1);
	assert_int_equal(rig_count(&a, "eth_getBlockByNumber", "latest"), 1);
	assert_int_equal(a.link, LINK_LIVE);
	assert_int_equal(rig_events(&a, EV_CHAIN), 1);
	assert_int_equal(rig_event(&a, EV_CHAIN, 0)->u.chain.id, 1);
	/* The chain is told before any head of it. */
	for (unsigned i = 0; i < a.n_events; i++) {
		assert_int_not_equal(a.events[i].kind, EV_HEAD);
		if (a.events[i].kind == EV_CHAIN)
			break;
	}
	answer_blocks(&a);
	rig_wait(&a, NS_S);
	answer_blocks(&a);
	/* The newest and 31 below it, each once. */
	assert_int_equal(rig_events(&a, EV_BLOCK), DRIVE_BACKFILL);
	assert_int_equal(rig_count(&a, "eth_getBlockByNumber", "\"0x45\",true"), 1);
	assert_int_equal(rig_count(&a, "eth_getBlockByNumber", "\"0x44\",true"), 0);
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 1);
}

static void a_body_is_fetched_by_one_path(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	rig_start(&b, 1, 100);
	for (unsigned i = 101; i <= 132; i++) {
		rig_head(&a, i, 0, 0);
		rig_head(&b, i, 0, 0);
		answer_blocks(&a);
		answer_blocks(&b);
	}
	/* The newest at the start, and each head. */
	assert_int_equal(rig_count(&a, "eth_getBlockByHash", ",true"), 33);
	/* The other path: the sixteenth and the thirty-second as samples, said so. */
	assert_int_equal(rig_count(&b, "eth_getBlockByHash", ",true"), 2);
	assert_true(rig_event(&b, EV_BLOCK, 0)->u.block.sample);
	assert_false(rig_event(&a, EV_BLOCK, 0)->u.block.sample);
	/* Only one path verified it. */
	assert_true(rig_events(&a, EV_VERDICT) >= 32);
	assert_int_equal(rig_events(&b, EV_VERDICT), 0);
}

static void all_paths_fetch_where_asked_to(void **state)
{
	(void)state;
	a.d.o.bodies = b.d.o.bodies = BODIES_ALL;
	rig_start(&a, 1, 100);
	rig_start(&b, 1, 100);
	rig_head(&a, 101, 0, 0);
	rig_head(&b, 101, 0, 0);
	assert_int_equal(rig_count(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)), 1);
	assert_int_equal(rig_count(&b, "eth_getBlockByHash", rig_hash_hex(101, 0)), 1);
	a.d.o.bodies = BODIES_OFF;
	rig_head(&a, 102, 0, 0);
	assert_int_equal(rig_count(&a, "eth_getBlockByHash", rig_hash_hex(102, 0)), 0);
}

/* 50 */
static void null_for_a_new_head_is_asked_again(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	for (int i = 0; i < 3; i++) {
		rig_reply(&a, rig_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)), "null");
		assert_false(rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)));
		rig_wait(&a, 200 * NS_MS);
	}
	assert_int_equal(rig_events(&a, EV_BODY_MISS), 0);
	answer_blocks(&a);
	assert_int_equal(rig_event(&a, EV_BLOCK, 0)->u.block.block->h.number, 101);
	/* For ever null: given up, said so, and free for another path. */
	rig_head(&a, 102, 0, 0);
	for (int i = 0; i < 30 && rig_events(&a, EV_BODY_MISS) == 0; i++) {
		if (rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(102, 0)))
			rig_reply(&a, rig_open(&a, "eth_getBlockByHash", rig_hash_hex(102, 0)), "null");
		rig_wait(&a, NS_S);
	}
	assert_int_equal(rig_events(&a, EV_BODY_MISS), 1);
	assert_int_equal(rig_event(&a, EV_BODY_MISS, 0)->u.miss.code, ST_NULL);
	assert_true(claims_take(&claims, claim_hash(&rig_event(&a, EV_BODY_MISS, 0)->u.miss.hash)));
}

/* The model asks again to confirm a doubt: that copy has to be looked at too. */
static void asked_again_is_verified_again(void **state)
{
	struct cmd c = { .kind = CMD_BODY, .number = 101 };
	unsigned n;

	(void)state;
	rig_start(&a, 1, 100);
	rig_head(&a, 101, 0, 0);
	answer_blocks(&a);
	n = rig_events(&a, EV_VERDICT);
	rig_hash(&c.hash, 101, 0);
	drive_cmd(&a.d, &c);
	answer_blocks(&a);
	assert_int_equal(rig_events(&a, EV_VERDICT), n + 1);
}

/* 58 */
static void a_wrong_block_is_no_answer(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	rig_reply(&a, rig_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)), rig_block(100, 0, 0));
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.code, ST_WRONG_BLOCK);
	assert_true(rig_event(&a, EV_BLOCK, 0)->u.block.block->h.number != 101);
	rig_wait(&a, NS_S);
	answer_blocks(&a);
	assert_int_equal(rig_event(&a, EV_BLOCK, 0)->u.block.block->h.number, 101);
}

/* 2 */
static void a_gap_is_filled(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	rig_head(&a, 105, 0, 0);
	assert_int_equal(rig_events(&a, EV_GAP), 1);
	assert_int_equal(rig_event(&a, EV_GAP, 0)->u.gap.from, 102);
	assert_int_equal(rig_event(&a, EV_GAP, 0)->u.gap.to, 104);
	assert_int_equal(rig_event(&a, EV_GAP, 0)->u.gap.asked, 3);
	answer_blocks(&a);
	for (unsigned i = 102; i <= 104; i++) {
		char n[16];

		snprintf(n, sizeof(n), "\"0x%x\",true", i);
		assert_int_equal(rig_count(&a, "eth_getBlockByNumber", n), 1);
	}
	/* A huge gap is bounded. */
	rig_head(&a, 100000, 0, 0);
	assert_int_equal(rig_event(&a, EV_GAP, 0)->u.gap.asked, DRIVE_GAP);
}

static void a_gap_after_a_reconnect_is_filled(void **state)
{
	struct err e;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	answer_blocks(&a);
	err_set(&e, ST_RESET, "connection reset");
	drive_down(&a.d, &e);
	assert_int_equal(drive_next(&a.d), UINT64_MAX);
	rig_start(&a, 1, 106);
	assert_int_equal(rig_event(&a, EV_GAP, 0)->u.gap.from, 102);
	assert_int_equal(rig_event(&a, EV_GAP, 0)->u.gap.to, 105);
	answer_blocks(&a);
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 2);
}

static void a_lost_connection_gives_its_claims_back(void **state)
{
	struct err e;
	struct hash h;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	rig_hash(&h, 101, 0);
	assert_false(claims_take(&claims, claim_hash(&h)));
	err_set(&e, ST_RESET, "connection reset");
	drive_down(&a.d, &e);
	assert_int_equal(rig_event(&a, EV_BODY_MISS, 0)->u.miss.code, ST_RESET);
	assert_true(claims_take(&claims, claim_hash(&h)));
}

/* 51 */
static void a_reorg_is_walked_back(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	for (unsigned i = 101; i <= 110; i++) {
		rig_head(&a, i, 0, 0);
		answer_blocks(&a);
	}
	/* Only the last head of the new branch is announced: 111 on branch 1 from 108 on. */
	rig_head(&a, 111, 1, 1);
	rig_reply(&a, rig_open(&a, "eth_getBlockByHash", rig_hash_hex(110, 1)), rig_block(110, 1, 1));
	rig_reply(&a, rig_open(&a, "eth_getBlockByHash", rig_hash_hex(109, 1)), rig_block(109, 1, 0));
	/* 108 is common: not asked for again. */
	assert_false(rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(108, 0)));
	assert_int_equal(rig_events(&a, EV_GAP), 0);
	assert_int_equal(rig_event(&a, EV_HEAD, 0)->u.head.source, SRC_WALK);
}

static void a_walk_is_bounded(void **state)
{
	unsigned n = 0;
	uint64_t at = 5000;

	(void)state;
	rig_start(&a, 1, 5000);
	answer_blocks(&a);
	rig_head(&a, 5001, 7, 7);
	while (rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(at, 7))) {
		rig_reply(&a, rig_open(&a, "eth_getBlockByHash", rig_hash_hex(at, 7)), rig_block(at, 7, 7));
		at--;
		n++;
	}
	assert_int_equal(n, DRIVE_WALK);
}

/* 11, 15 */
static void a_head_before_the_subscriptions_answer_counts(void **state)
{
	(void)state;
	drive_up(&a.d);
	rig_reply(&a, rig_open(&a, "eth_chainId", NULL), "\"0x1\"");
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "\"0x0\""), rig_block(0, 0, 0));
	rig_head(&a, 101, 0, 0);
	assert_int_equal(rig_event(&a, EV_HEAD, 0)->u.head.h.number, 101);
	rig_reply(&a, rig_open(&a, "eth_subscribe", NULL), "7");
	assert_string_equal(a.d.wire.sub, "7");
}

static void heads_wait_for_the_chain(void **state)
{
	(void)state;
	drive_up(&a.d);
	rig_reply(&a, rig_open(&a, "eth_subscribe", NULL), "\"0x1\"");
	rig_head(&a, 101, 0, 0);
	assert_int_equal(rig_events(&a, EV_HEAD), 0);
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "\"0x0\""), "null");
	rig_reply(&a, rig_open(&a, "eth_chainId", NULL), "\"0x1\"");
	assert_int_equal(rig_events(&a, EV_HEAD), 1);
	assert_true(hash_is_zero(&rig_event(&a, EV_CHAIN, 0)->u.chain.genesis));
	/* No block 0 is no error, and not asked for again. */
	rig_wait(&a, NS_S);
	assert_int_equal(rig_count(&a, "eth_getBlockByNumber", "\"0x0\""), 1);
	for (unsigned i = 0; i < a.n_events; i++)
		assert_true(a.events[i].kind != EV_REPLY || a.events[i].u.reply.code == ST_OK);
}

static void doubled_heads_ask_once(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	rig_head(&a, 101, 0, 0);
	rig_head(&a, 101, 0, 0);
	assert_int_equal(rig_count(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)), 1);
	assert_int_equal(rig_events(&a, EV_GAP), 0);
}

/* 53 */
static void without_subscriptions_it_polls(void **state)
{
	unsigned n;

	(void)state;
	drive_up(&a.d);
	rig_error(&a, rig_open(&a, "eth_subscribe", NULL), -32601, "the method eth_subscribe does not exist");
	assert_int_equal(a.link, LINK_POLLING);
	rig_reply(&a, rig_open(&a, "eth_chainId", NULL), "\"0x1\"");
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "\"0x0\""), rig_block(0, 0, 0));
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "latest"), rig_block(100, 0, 0));
	answer_blocks(&a);
	rig_wait(&a, 600 * NS_MS);
	rig_reply(&a, rig_open(&a, "eth_blockNumber", NULL), "\"0x65\"");
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "\"0x65\""), rig_block(101, 0, 0));
	assert_int_equal(rig_event(&a, EV_HEAD, 0)->u.head.source, SRC_POLL);
	assert_int_equal(rig_event(&a, EV_HEAD, 0)->u.head.h.number, 101);
	/* Several new blocks at once are no gap for a poller, but they are fetched. */
	rig_wait(&a, 600 * NS_MS);
	rig_reply(&a, rig_open(&a, "eth_blockNumber", NULL), "\"0x68\"");
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "\"0x68\""), rig_block(104, 0, 0));
	assert_int_equal(rig_events(&a, EV_GAP), 0);
	assert_true(rig_has_open(&a, "eth_getBlockByNumber", "\"0x66\",true"));
	/* One at a time: what is not answered is not asked again, at 500 ms for 12 s blocks. */
	n = rig_count(&a, "eth_blockNumber", NULL);
	rig_wait(&a, 5 * NS_S);
	assert_in_range(rig_count(&a, "eth_blockNumber", NULL), n, n + 1);
}

static void poll_rate(void **state)
{
	unsigned n;

	(void)state;
	assert_int_equal(drive_poll_interval(12 * NS_S, true), 500 * NS_MS);
	assert_int_equal(drive_poll_interval(12 * NS_S, false), NS_S);
	assert_int_equal(drive_poll_interval(NS_S, true), 100 * NS_MS);
	assert_int_equal(drive_poll_interval(NS_S / 4, false), 250 * NS_MS);
	rig_fini(&a);
	rig_init(&a, &claims, false);
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	n = rig_count(&a, "eth_blockNumber", NULL);
	for (int i = 0; i < 100; i++) {
		rig_wait(&a, 100 * NS_MS);
		if (rig_has_open(&a, "eth_blockNumber", NULL))
			rig_reply(&a, rig_open(&a, "eth_blockNumber", NULL), "\"0x64\"");
		if (rig_has_open(&a, "eth_getBlockByNumber", "latest"))
			rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "latest"), rig_block(100, 0, 0));
	}
	assert_in_range(rig_count(&a, "eth_blockNumber", NULL) - n, 18, 21);
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 0);
}

static void same_height_reorg_is_seen_by_polling(void **state)
{
	(void)state;
	rig_fini(&a);
	rig_init(&a, &claims, false);
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	for (int i = 0; i < 130 && !rig_has_open(&a, "eth_getBlockByNumber", "latest"); i++) {
		rig_wait(&a, 100 * NS_MS);
		if (rig_has_open(&a, "eth_blockNumber", NULL))
			rig_reply(&a, rig_open(&a, "eth_blockNumber", NULL), "\"0x64\"");
	}
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "latest"), rig_block(100, 3, 0));
	assert_int_equal(rig_event(&a, EV_HEAD, 0)->u.head.source, SRC_POLL);
	assert_true(rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(100, 3)));
}

/* 35, 38, 40 */
static void a_refused_batch_is_asked_one_by_one(void **state)
{
	struct rig_call *first = NULL;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_wait(&a, 100 * NS_MS);
	assert_int_equal(a.n_batches, 1);
	for (unsigned i = 0; i < a.n_sent && !first; i++) {
		if (strcmp(a.sent[i].method, "web3_clientVersion") == 0)
			first = &a.sent[i];
	}
	assert_non_null(first);
	rig_error(&a, first, -32600, "batch too large");
	for (unsigned i = 0; i < a.n_sent; i++)
		a.sent[i].answered |= strcmp(a.sent[i].method, "eth_syncing") == 0;
	rig_wait(&a, 100 * NS_MS);
	assert_int_equal(rig_count(&a, "web3_clientVersion", NULL), 2);
	assert_int_equal(rig_count(&a, "txpool_status", NULL), 2);
	assert_int_equal(rig_count(&a, "eth_syncing", NULL), 2);
	rig_reply(&a, rig_open(&a, "net_peerCount", NULL), "\"0x30\"");
	assert_int_equal(rig_event(&a, EV_INFO, 0)->u.info.a, 48);
	/* From now on singly. */
	rig_wait(&a, 30 * NS_S);
	assert_int_equal(a.n_batches, 1);
}

static void a_short_batch_is_completed(void **state)
{
	char text[400];
	unsigned long long peers = 0;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_wait(&a, 100 * NS_MS);
	for (unsigned i = 0; i < a.n_sent; i++) {
		if (strcmp(a.sent[i].method, "net_peerCount") == 0)
			peers = a.sent[i].id;
	}
	snprintf(text, sizeof(text), "[{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":\"0x5\"},{\"id\":null},7]", peers);
	rig_message(&a, text);
	rig_wait(&a, 100 * NS_MS);
	assert_int_equal(rig_count(&a, "net_peerCount", NULL), 1);
	assert_int_equal(rig_count(&a, "eth_syncing", NULL), 2);
}

static void what_is_unsupported_is_left_alone(void **state)
{
	(void)state;
	a.d.batch_off = true;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_wait(&a, 100 * NS_MS);
	rig_error(&a, rig_open(&a, "txpool_status", NULL), -32601, "method not found");
	assert_int_equal(rig_event(&a, EV_INFO, 0)->u.info.code, ST_UNSUPPORTED);
	for (int i = 0; i < 40; i++) {
		rig_head(&a, (uint64_t)(101 + i), 0, 0);
		answer_blocks(&a);
		rig_wait(&a, 5 * NS_S);
	}
	assert_int_equal(rig_count(&a, "txpool_status", NULL), 1);
	assert_true(rig_count(&a, "net_peerCount", NULL) > 1);
	drive_cmd(&a.d, &(struct cmd){ .kind = CMD_RETRY });
	rig_wait(&a, 100 * NS_MS);
	assert_int_equal(rig_count(&a, "txpool_status", NULL), 2);
}

static void an_unanswered_batch_is_asked_one_by_one(void **state)
{
	struct err e;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_wait(&a, 11 * NS_S);
	assert_int_equal(rig_count(&a, "web3_clientVersion", NULL), 2);
	assert_false(drive_wants_down(&a.d, &e));
	refuse_rest(&a);
	rig_wait(&a, 20 * NS_S);
	assert_false(drive_wants_down(&a.d, &e));
}

/* 8, 16: nothing answers any more. */
static void no_answers_end_the_connection(void **state)
{
	struct err e;

	(void)state;
	drive_up(&a.d);
	assert_false(drive_wants_down(&a.d, &e));
	rig_wait(&a, 11 * NS_S);
	assert_true(drive_wants_down(&a.d, &e));
	assert_int_equal(e.code, ST_TIMEOUT);
}

/* 10 */
static void silence_is_noticed(void **state)
{
	struct err e;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	answer_blocks(&a);
	for (int i = 0; i < 47; i++) {
		rig_wait(&a, NS_S);
		refuse_rest(&a);
	}
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 1);
	rig_wait(&a, 3 * NS_S);
	assert_int_equal(a.link, LINK_SILENT);
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 2);
	assert_int_equal(rig_count(&a, "eth_unsubscribe", "0x9ce"), 1);
	assert_true(rig_count(&a, "eth_blockNumber", NULL) > 0); /* polls meanwhile */
	rig_reply(&a, rig_open(&a, "eth_subscribe", NULL), "\"0x77\"");
	rig_head(&a, 105, 0, 0);
	assert_int_equal(a.link, LINK_LIVE);
	assert_int_equal(rig_event(&a, EV_GAP, 0)->u.gap.from, 102);
	assert_true(rig_event(&a, EV_GAP, 0)->u.gap.silent_ns > 47 * NS_S);
	assert_false(drive_wants_down(&a.d, &e));
}

static void silence_for_ever_ends_the_connection(void **state)
{
	struct err e;
	bool down = false;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	for (int i = 0; i < 300 && !down; i++) {
		rig_wait(&a, NS_S);
		for (unsigned k = 0; k < a.n_sent; k++) {
			struct rig_call *c = &a.sent[k];

			if (!c->answered && strcmp(c->method, "eth_blockNumber") == 0)
				rig_reply(&a, c, "\"0x64\"");
			else if (!c->answered && strstr(c->params, "latest"))
				rig_reply(&a, c, rig_block(100, 0, 0));
			else if (!c->answered && strcmp(c->method, "eth_subscribe") == 0)
				rig_reply(&a, c, "\"0x1\"");
			else if (!c->answered)
				rig_error(&a, c, -32601, "no");
		}
		down = drive_wants_down(&a.d, &e);
	}
	assert_true(down);
	assert_int_equal(e.code, ST_SILENT);
	assert_in_range(rig_count(&a, "eth_subscribe", NULL), 3, 5);
}

static void a_dev_chain_may_be_silent(void **state)
{
	(void)state;
	rig_start(&a, 31337, 5);
	answer_blocks(&a);
	for (int i = 0; i < 100; i++) {
		rig_wait(&a, 10 * NS_S);
		for (unsigned k = 0; k < a.n_sent; k++) {
			if (!a.sent[k].answered)
				rig_error(&a, &a.sent[k], -32601, "no");
		}
	}
	assert_int_equal(a.link, LINK_LIVE);
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 1);
	/* Another path heard more: then it is asked to look again. */
	drive_cmd(&a.d, &(struct cmd){ .kind = CMD_RESUBSCRIBE });
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 2);
	/* And that is said; meanwhile it polls, until it is told again. */
	assert_int_equal(a.link, LINK_SILENT);
	rig_wait(&a, 1100 * NS_MS);
	assert_true(rig_has_open(&a, "eth_blockNumber", NULL));
	rig_head(&a, 101, 0, 0);
	assert_int_equal(a.link, LINK_LIVE);
}

/* The quick look at a reply trusts that the result stands last; where it does not, the reply is read in full. */
static void members_behind_the_result_do_no_harm(void **state)
{
	char text[6000];
	struct rig_call *c;

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	c = rig_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0));
	snprintf(text, sizeof(text), "{\"id\":%llu,\"result\":%s,\"meta\":{\"a\":{}}}", (unsigned long long)c->id,
		 rig_block(101, 0, 0));
	rig_message(&a, text);
	assert_int_equal(rig_event(&a, EV_BLOCK, 0)->u.block.block->h.number, 101);
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.code, ST_OK);
}

/* 23 */
static void a_limit_is_respected(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	rig_error(&a, rig_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)), -32005, "rate limit, try again in 4s");
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.code, ST_RATE);
	rig_wait(&a, 3900 * NS_MS);
	assert_false(rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)));
	rig_wait(&a, 200 * NS_MS);
	assert_true(rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)));
}

/* 25 */
static void an_error_in_the_body_wins(void **state)
{
	struct rig_call *c;
	struct err e;
	char body[200];

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	rig_head(&a, 101, 0, 0);
	c = rig_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0));
	err_set_detail(&e, ST_HTTP, 400, "HTTP 400");
	snprintf(body, sizeof(body), "{\"id\":%llu,\"error\":{\"code\":4444,\"message\":\"pruned history unavailable\"}}",
		 (unsigned long long)c->id);
	drive_failed(&a.d, c->id, &e, 0, body, strlen(body));
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.detail, 4444);
}

/* 18, 19, 48, 55 and other rubbish: counted, never fatal. */
static void rubbish_is_survived(void **state)
{
	static const char *const texts[] = {
		"", "null", "[]", "[[]]", "{}", "7", "\"x\"", "{\"id\":1", "{\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":null}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",\"params\":{\"subscription\":\"0x9ce\",\"result\":{}}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",\"params\":{\"subscription\":\"0x9ce\",\"result\":null}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",\"params\":[1,2]}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",\"params\":{\"subscription\":1,\"result\":\"0xab\"}}",
		"{\"id\":null,\"error\":{\"code\":\"x\"}}", "\xff\xfe", "{\"id\":{},\"result\":[]}",
	};

	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		rig_message(&a, texts[i]);
	assert_true(a.d.wire.odd >= 10);
	rig_head(&a, 101, 0, 0);
	assert_int_equal(rig_event(&a, EV_HEAD, 0)->u.head.h.number, 101);
}

static void a_full_pipe_delays_only(void **state)
{
	(void)state;
	rig_start(&a, 1, 100);
	answer_blocks(&a);
	a.again = true;
	rig_head(&a, 101, 0, 0);
	assert_false(rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)));
	a.again = false;
	drive_tick(&a.d);
	assert_true(rig_has_open(&a, "eth_getBlockByHash", rig_hash_hex(101, 0)));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(starts_with_one_subscription),
		T(a_body_is_fetched_by_one_path),
		T(all_paths_fetch_where_asked_to),
		T(null_for_a_new_head_is_asked_again),
		T(asked_again_is_verified_again),
		T(a_wrong_block_is_no_answer),
		T(a_gap_is_filled),
		T(a_gap_after_a_reconnect_is_filled),
		T(a_lost_connection_gives_its_claims_back),
		T(a_reorg_is_walked_back),
		T(a_walk_is_bounded),
		T(a_head_before_the_subscriptions_answer_counts),
		T(heads_wait_for_the_chain),
		T(doubled_heads_ask_once),
		T(without_subscriptions_it_polls),
		T(poll_rate),
		T(same_height_reorg_is_seen_by_polling),
		T(a_refused_batch_is_asked_one_by_one),
		T(a_short_batch_is_completed),
		T(what_is_unsupported_is_left_alone),
		T(an_unanswered_batch_is_asked_one_by_one),
		T(no_answers_end_the_connection),
		T(silence_is_noticed),
		T(silence_for_ever_ends_the_connection),
		T(a_dev_chain_may_be_silent),
		T(members_behind_the_result_do_no_harm),
		T(a_limit_is_respected),
		T(an_error_in_the_body_wins),
		T(rubbish_is_survived),
		T(a_full_pipe_delays_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
