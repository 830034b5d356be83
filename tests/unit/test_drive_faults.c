/* What the fault matrix (tests/faults) found in the drive, without a node. Numbers are those of the list of faults. */
#include "feed_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"

static struct claims claims;
static struct rig push, poll;

static int setup(void **state)
{
	(void)state;
	claims_init(&claims);
	rig_init(&push, &claims, true);
	rig_init(&poll, &claims, false);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&push);
	rig_fini(&poll);
	return 0;
}

/* Answers every open request for a block by number. */
static void answer_numbers(struct rig *r)
{
	unsigned long long n;

	for (unsigned i = 0; i < r->n_sent; i++) {
		struct rig_call *c = &r->sent[i];

		if (!c->answered && strcmp(c->method, "eth_getBlockByNumber") == 0 &&
		    sscanf(c->params, "[\"0x%llx\"", &n) == 1)
			rig_reply(r, c, rig_block(n, 0, 0));
	}
}

/* Seconds in which all but questions about the chain is answered, if only by an error. */
static void let_pass(struct rig *r, unsigned seconds)
{
	while (seconds-- > 0) {
		rig_wait(r, NS_S);
		for (unsigned i = 0; i < r->n_sent; i++) {
			struct rig_call *c = &r->sent[i];

			if (!c->answered && strcmp(c->method, "eth_blockNumber") == 0)
				rig_reply(r, c, "\"0x64\"");
			else if (!c->answered && strcmp(c->method, "eth_chainId") != 0 && !strstr(c->params, "\"0x0\""))
				rig_error(r, c, -32601, "method not found");
		}
	}
}

/* 49 */
static void an_answer_that_says_nothing_ends_its_call(void **state)
{
	static const char *const members[] = { "", ",\"result\":{},\"error\":{\"code\":-32000,\"message\":\"both\"}" };
	char text[200];

	(void)state;
	rig_start(&push, 1, 100);
	rig_head(&push, 101, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		struct rig_call *c = rig_open(&push, "eth_getBlockByHash", rig_hash_hex(101, 0));

		c->answered = true;
		snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%llu%s}", (unsigned long long)c->id, members[i]);
		rig_message(&push, text);
		assert_int_equal(rig_event(&push, EV_REPLY, 0)->u.reply.code, ST_MALFORMED);
		rig_wait(&push, NS_S);
		assert_int_equal(rig_count(&push, "eth_getBlockByHash", rig_hash_hex(101, 0)), 2 + i);
	}
}

/* 38 */
static void an_empty_batch_answer_is_one(void **state)
{
	(void)state;
	rig_start(&push, 1, 100);
	rig_wait(&push, 100 * NS_MS);
	assert_int_equal(push.n_batches, 1);
	rig_message(&push, "[]");
	rig_wait(&push, 10 * NS_MS);
	assert_int_equal(rig_count(&push, "web3_clientVersion", NULL), 2);
	assert_int_equal(rig_count(&push, "eth_gasPrice", NULL), 2);
	assert_int_equal(push.n_batches, 1);
}

static struct rig_call *first_of(struct rig *r, const char *method)
{
	for (unsigned i = 0; i < r->n_sent; i++) {
		if (strcmp(r->sent[i].method, method) == 0)
			return &r->sent[i];
	}
	fail_msg("no %s", method);
	return NULL;
}

/* 35, 37, 40: an item may fail because of the batch, or be limited; then it is asked alone, once. */
static void what_failed_in_a_batch_is_asked_alone(void **state)
{
	char text[400];

	(void)state;
	rig_start(&push, 1, 100);
	rig_wait(&push, 100 * NS_MS);
	snprintf(text, sizeof(text),
		 "[{\"id\":%llu,\"error\":{\"code\":-32003,\"message\":\"response too large\"}},"
		 "{\"id\":%llu,\"error\":{\"code\":-32005,\"message\":\"limit exceeded\"}},"
		 "{\"id\":%llu,\"error\":{\"code\":-32601,\"message\":\"method not found\"}}]",
		 (unsigned long long)first_of(&push, "web3_clientVersion")->id,
		 (unsigned long long)first_of(&push, "net_peerCount")->id,
		 (unsigned long long)first_of(&push, "txpool_status")->id);
	first_of(&push, "web3_clientVersion")->answered = true;
	rig_message(&push, text);
	rig_wait(&push, 10 * NS_MS);
	assert_int_equal(rig_count(&push, "web3_clientVersion", NULL), 2);
	rig_error(&push, rig_open(&push, "web3_clientVersion", NULL), -32000, "no");
	rig_wait(&push, 2 * NS_S);
	assert_int_equal(rig_count(&push, "web3_clientVersion", NULL), 2);
	assert_int_equal(rig_count(&push, "net_peerCount", NULL), 2);
	assert_int_equal(rig_count(&push, "txpool_status", NULL), 1);
}

/* 57 */
static void what_is_pruned_is_not_asked_again(void **state)
{
	unsigned asked = 0;

	(void)state;
	rig_start(&push, 1, 100);
	for (unsigned i = 0; i < push.n_sent; i++) {
		if (!push.sent[i].answered && strstr(push.sent[i].params, ",true]")) {
			rig_error(&push, &push.sent[i], 4444, "pruned history unavailable");
			asked++;
		}
	}
	assert_true(asked > 8);
	assert_int_equal(rig_events(&push, EV_BODY_MISS), asked);
	rig_wait(&push, NS_S);
	assert_int_equal(rig_events(&push, EV_BODY_MISS), asked);
	assert_int_equal(rig_count(&push, "eth_getBlockByNumber", "\"0x50\""), 1);
}

/* 60 */
static void a_polled_node_may_become_another(void **state)
{
	(void)state;
	rig_start(&poll, 5, 100);
	let_pass(&poll, 12);
	assert_int_equal(rig_count(&poll, "eth_chainId", NULL), 1);
	let_pass(&poll, 4);
	assert_int_equal(rig_count(&poll, "eth_chainId", NULL), 2);
	rig_reply(&poll, rig_open(&poll, "eth_chainId", NULL), "\"0x6\"");
	/* Not before the genesis is known too: half of it would be a third chain. */
	assert_int_equal(rig_event(&poll, EV_CHAIN, 0)->u.chain.id, 5);
	rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", "\"0x0\""), rig_block(0, 7, 0));
	assert_int_equal(rig_event(&poll, EV_CHAIN, 0)->u.chain.id, 6);
	/* A question that fails makes no other chain of it. */
	let_pass(&poll, 15);
	rig_error(&poll, rig_open(&poll, "eth_chainId", NULL), -32000, "busy");
	rig_error(&poll, rig_open(&poll, "eth_getBlockByNumber", "\"0x0\""), -32000, "busy");
	assert_true(rig_event(&poll, EV_CHAIN, 0)->u.chain.ok);
	assert_int_equal(rig_event(&poll, EV_CHAIN, 0)->u.chain.id, 6);
	assert_false(hash_is_zero(&rig_event(&poll, EV_CHAIN, 0)->u.chain.genesis));
}

/* 10: on an unknown chain the blocks that are fetched at the start tell the block time. */
static void the_block_time_is_known_from_the_start(void **state)
{
	(void)state;
	rig_start(&poll, 4242, 100);
	assert_int_equal(poll.d.block_ns, 0);
	for (int i = 0; i < 8; i++) {
		answer_numbers(&poll);
		rig_wait(&poll, 10 * NS_MS);
	}
	assert_int_equal(poll.d.block_ns, 12 * NS_S);
	assert_int_equal(poll.d.poll_ns, drive_poll_interval(12 * NS_S, true));
}

/* 8: a node that is slow to answer must not end up with two subscriptions. */
static void one_subscribe_at_a_time(void **state)
{
	(void)state;
	drive_up(&push.d);
	rig_reply(&push, rig_open(&push, "eth_chainId", NULL), "\"0x1\"");
	drive_cmd(&push.d, &(struct cmd){ .kind = CMD_RESUBSCRIBE });
	drive_cmd(&push.d, &(struct cmd){ .kind = CMD_RESUBSCRIBE });
	assert_int_equal(rig_count(&push, "eth_subscribe", NULL), 1);
	rig_reply(&push, rig_open(&push, "eth_subscribe", NULL), "\"0x9ce\"");
	drive_cmd(&push.d, &(struct cmd){ .kind = CMD_RESUBSCRIBE });
	assert_int_equal(rig_count(&push, "eth_subscribe", NULL), 2);
	assert_int_equal(rig_count(&push, "eth_unsubscribe", "0x9ce"), 1);
}

/* Over HTTP answers come in any order: the table fills at once all the same. */
static void the_genesis_may_come_last(void **state)
{
	(void)state;
	drive_up(&poll.d);
	rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", "latest"), rig_block(100, 0, 0));
	rig_reply(&poll, rig_open(&poll, "eth_chainId", NULL), "\"0x1\"");
	assert_false(rig_has_open(&poll, "eth_getBlockByNumber", "\"0x63\""));
	rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", "\"0x0\""), rig_block(0, 0, 0));
	assert_true(rig_has_open(&poll, "eth_getBlockByNumber", "\"0x63\""));
}

/* Polling asks for a number and for the tip: both may find the same block. */
static void a_polled_body_comes_once(void **state)
{
	(void)state;
	rig_start(&poll, 1, 100);
	let_pass(&poll, 1);
	rig_wait(&poll, 600 * NS_MS);
	rig_reply(&poll, rig_open(&poll, "eth_blockNumber", NULL), "\"0x65\"");
	assert_true(rig_has_open(&poll, "eth_getBlockByNumber", "[\"0x65\",true]"));
	rig_wait(&poll, 15 * NS_S);
	rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", "latest"), rig_block(101, 0, 0));
	assert_false(rig_has_open(&poll, "eth_getBlockByHash", rig_hash_hex(101, 0)));
	/* Another block of that height is another body. */
	rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", "[\"0x65\",true]"), rig_block(101, 0, 0));
	rig_wait(&poll, 15 * NS_S);
	rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", "latest"), rig_block(101, 1, 0));
	assert_true(rig_has_open(&poll, "eth_getBlockByHash", rig_hash_hex(101, 1)));
}

/*
 * Of a body that another path fetches, the sample is asked for with the head. Asked when the tip is looked at again, it would
 * measure how long we waited.
 */
static void a_sample_is_of_a_new_head(void **state)
{
	unsigned samples = 0, n;
	char number[20];

	(void)state;
	poll.d.o.others_push = true;
	rig_start(&push, 1, 100);
	rig_start(&poll, 1, 100);
	for (unsigned i = 101; i <= 132; i++) {
		rig_head(&push, i, 0, 0);
		for (n = 0; n < 100 && !rig_has_open(&poll, "eth_getBlockByNumber", "latest"); n++)
			rig_wait(&poll, 200 * NS_MS);
		snprintf(number, sizeof(number), "\"0x%x\"", i);
		rig_reply(&poll, rig_open(&poll, "eth_blockNumber", NULL), number);
		rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", number), rig_block(i, 0, 0));
		n = rig_count(&poll, "eth_getBlockByHash", rig_hash_hex(i, 0));
		samples += n;
		rig_reply(&poll, rig_open(&poll, "eth_getBlockByNumber", "latest"), rig_block(i, 0, 0));
		assert_int_equal(rig_count(&poll, "eth_getBlockByHash", rig_hash_hex(i, 0)), n);
		for (unsigned k = 0; k < poll.n_sent; k++)
			if (!poll.sent[k].answered)
				rig_error(&poll, &poll.sent[k], -32601, "method not found");
	}
	assert_int_equal(samples, 2);
}

/* A node may claim the last number there is: nothing is computed beyond it. */
static void the_number_may_be_the_last(void **state)
{
	unsigned gaps;

	(void)state;
	rig_start(&push, 4242, UINT64_MAX);
	assert_int_equal(push.d.tip.number, UINT64_MAX);
	assert_int_equal(push.d.block_ns, 0);
	gaps = rig_events(&push, EV_GAP);
	rig_head(&push, 50, 0, 0);
	assert_int_equal(push.d.tip.number, 50);
	assert_int_equal(rig_events(&push, EV_GAP), gaps);
	rig_head(&push, UINT64_MAX, 1, 1);
	assert_int_equal(push.d.tip.number, UINT64_MAX);
	assert_int_equal(rig_events(&push, EV_GAP), gaps + 1);
}

/* Bodies are off, but somebody wants to see one: then it comes with its transactions, before what fills holes. */
static void wanted_body(void **state)
{
	struct cmd c = { .kind = CMD_BODY, .whole = 1, .number = 98 };

	(void)state;
	push.d.o.bodies = BODIES_OFF;
	rig_start(&push, 1, 100);
	rig_hash(&c.hash, 98, 0);
	drive_cmd(&push.d, &c);
	rig_wait(&push, NS_S);
	assert_non_null(strstr(rig_open(&push, "eth_getBlockByHash", rig_hash_hex(98, 0))->params, "true"));
	rig_reply(&push, rig_open(&push, "eth_getBlockByHash", rig_hash_hex(98, 0)), rig_block(98, 0, 0));
	assert_int_equal(rig_events(&push, EV_BLOCK), 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(wanted_body),
		T(an_answer_that_says_nothing_ends_its_call),
		T(an_empty_batch_answer_is_one),
		T(what_failed_in_a_batch_is_asked_alone),
		T(what_is_pruned_is_not_asked_again),
		T(a_polled_node_may_become_another),
		T(the_block_time_is_known_from_the_start),
		T(one_subscribe_at_a_time),
		T(the_genesis_may_come_last),
		T(a_polled_body_comes_once),
		T(a_sample_is_of_a_new_head),
		T(the_number_may_be_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
