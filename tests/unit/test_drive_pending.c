/* The subscription to transactions that wait: who asks for it, how it is refused, and how announcements become events. */
#include "feed_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"

static struct claims claims;
static struct rig a;

static void up(enum pending_mode mode, bool push)
{
	claims_init(&claims);
	rig_init(&a, &claims, push);
	a.d.o.pending = mode;
	rig_start(&a, 1, 100);
	rig_wait(&a, NS_MS);
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&a);
	return 0;
}

static const char *hash_text(unsigned n)
{
	static char text[70];

	snprintf(text, sizeof(text), "0x%016x%048x", n, 1);
	return text;
}

static void note(const char *sub, const char *result)
{
	char text[6000];

	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",\"params\":{\"subscription\":%s,"
				     "\"result\":%s}}", sub, result);
	rig_message(&a, text);
}

static void say(unsigned n)
{
	char text[80];

	snprintf(text, sizeof(text), "\"%s\"", hash_text(n));
	note("\"0xbe\"", text);
}

/* The newest INFO_PENDING. */
static const struct event *info(void)
{
	const struct event *e;

	for (unsigned i = 0; (e = rig_event(&a, EV_INFO, i)) != NULL; i++) {
		if (e->u.info.info == INFO_PENDING)
			return e;
	}
	return NULL;
}

static unsigned txs(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < a.n_events; i++)
		n += a.events[i].kind == EV_TXS ? a.events[i].u.txs.n : 0;
	return n;
}

static void off_asks_for_nothing(void **state)
{
	(void)state;
	up(PENDING_OFF, true);
	rig_wait(&a, 60 * NS_S);
	assert_int_equal(rig_count(&a, "eth_subscribe", "newPendingTransactions"), 0);
	assert_null(info());
	/* What nobody asked for is odd, as ever. */
	say(1);
	assert_int_equal(txs(), 0);
	assert_int_equal(a.d.wire.odd, 1);
}

static void never_over_http(void **state)
{
	(void)state;
	claims_init(&claims);
	rig_init(&a, &claims, false);
	a.d.o.pending = PENDING_WHOLE;
	drive_up(&a.d);
	rig_reply(&a, rig_open(&a, "eth_chainId", NULL), "\"0x1\"");
	rig_reply(&a, rig_open(&a, "eth_getBlockByNumber", "\"0x0\""), rig_block(0, 0, 0));
	rig_wait(&a, 60 * NS_S);
	assert_int_equal(rig_count(&a, "eth_subscribe", NULL), 0);
}

static void whole_or_as_hashes(void **state)
{
	(void)state;
	up(PENDING_HASHES, true);
	rig_reply(&a, rig_open(&a, "eth_subscribe", "[\"newPendingTransactions\"]"), "\"0xbe\"");
	assert_non_null(info());
	assert_int_equal(info()->u.info.code, ST_OK);
	assert_int_equal(info()->u.info.a, 0);
	teardown(state);
	up(PENDING_WHOLE, true);
	rig_reply(&a, rig_open(&a, "eth_subscribe", "[\"newPendingTransactions\",true]"), "\"0xbe\"");
	assert_int_equal(info()->u.info.a, 1);
	/* The heads' id is not touched by it. */
	assert_string_equal(a.d.wire.sub, "0x9ce");
	/* Rounds of questions do not ask again. */
	rig_wait(&a, 120 * NS_S);
	assert_int_equal(rig_count(&a, "eth_subscribe", "newPendingTransactions"), 1);
}

static void refused_whole_taken_as_hashes(void **state)
{
	(void)state;
	up(PENDING_WHOLE, true);
	rig_error(&a, rig_open(&a, "eth_subscribe", "newPendingTransactions"), -32602, "too many arguments, want at most 1");
	/* That is no fault of the node. */
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.method, M_PENDING);
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.code, ST_UNSUPPORTED);
	rig_wait(&a, NS_MS);
	rig_reply(&a, rig_open(&a, "eth_subscribe", "[\"newPendingTransactions\"]"), "\"0xbe\"");
	assert_int_equal(info()->u.info.code, ST_OK);
	assert_int_equal(info()->u.info.a, 0);
	assert_int_equal(a.link, LINK_LIVE);
	/* The next connection knows. */
	drive_down(&a.d, &(struct err){ .code = ST_RESET });
	rig_start(&a, 1, 101);
	rig_wait(&a, NS_MS);
	assert_true(rig_has_open(&a, "eth_subscribe", "[\"newPendingTransactions\"]"));
}

static void refused_is_left_for_an_hour(void **state)
{
	(void)state;
	up(PENDING_HASHES, true);
	rig_error(&a, rig_open(&a, "eth_subscribe", "newPendingTransactions"), -32601, "method not found");
	assert_int_equal(info()->u.info.code, ST_UNSUPPORTED);
	assert_int_equal(a.link, LINK_LIVE);
	rig_wait(&a, 40 * NS_S);
	assert_int_equal(rig_count(&a, "eth_subscribe", "newPendingTransactions"), 1);
	/* F5. */
	drive_cmd(&a.d, &(struct cmd){ .kind = CMD_RETRY });
	assert_int_equal(rig_count(&a, "eth_subscribe", "newPendingTransactions"), 2);
	rig_error(&a, rig_open(&a, "eth_subscribe", "newPendingTransactions"), -32601, "method not found");
	a.now += 3600 * NS_S;
	rig_wait(&a, 5 * NS_S);
	assert_int_equal(rig_count(&a, "eth_subscribe", "newPendingTransactions"), 3);
}

/* Eleven go in one event, with their own stamps; the rest waits for at most PENDING_HOLD_NS. */
static void batches(void **state)
{
	const struct event *e;
	uint64_t start;

	(void)state;
	up(PENDING_HASHES, true);
	rig_reply(&a, rig_open(&a, "eth_subscribe", "newPendingTransactions"), "\"0xbe\"");
	start = a.now;
	for (unsigned i = 1; i <= TXS_MAX + 2; i++) {
		say(i);
		rig_wait(&a, NS_MS);
	}
	assert_int_equal(rig_events(&a, EV_TXS), 1);
	e = rig_event(&a, EV_TXS, 0);
	assert_int_equal(e->u.txs.n, TXS_MAX);
	assert_true(e->mono == start);
	for (unsigned i = 0; i < TXS_MAX; i++) {
		uint8_t b[8] = { 0, 0, 0, 0, 0, 0, 0, (uint8_t)(i + 1) };
		uint64_t key;

		memcpy(&key, b, 8);
		assert_true(e->u.txs.key[i] == key);
		assert_int_equal(e->u.txs.after_us[i], 1000 * i);
		assert_true(e->u.txs.fee[i] == UINT64_MAX);
	}
	/* Two wait, since 11 ms after the start. */
	assert_true(drive_next(&a.d) <= start + 11 * NS_MS + PENDING_HOLD_NS);
	rig_wait(&a, PENDING_HOLD_NS);
	assert_int_equal(rig_events(&a, EV_TXS), 2);
	assert_int_equal(rig_event(&a, EV_TXS, 0)->u.txs.n, 2);
	assert_int_equal(txs(), TXS_MAX + 2);
	/* None is a head, and none is odd. */
	assert_int_equal(a.d.wire.odd, 0);
	assert_int_equal(rig_events(&a, EV_HEAD), 1);
}

static void nothing_is_lost_with_the_connection(void **state)
{
	(void)state;
	up(PENDING_HASHES, true);
	rig_reply(&a, rig_open(&a, "eth_subscribe", "newPendingTransactions"), "\"0xbe\"");
	say(1);
	assert_int_equal(txs(), 0);
	drive_down(&a.d, &(struct err){ .code = ST_RESET });
	assert_int_equal(txs(), 1);
}

static void told_apart(void **state)
{
	char tx[300], head[5000];
	unsigned heads;

	(void)state;
	snprintf(tx, sizeof(tx), "{\"hash\":\"%s\",\"maxFeePerGas\":\"0x5\",\"nonce\":\"0x1\"}", hash_text(9));
	up(PENDING_WHOLE, true);
	/* Before the answer with the id, and under ids that nobody knows. */
	note("\"0xbe\"", tx);
	rig_reply(&a, rig_open(&a, "eth_subscribe", "newPendingTransactions"), "190");
	note("190", tx);
	note("\"0xbe\"", tx); /* the same id as text (fault 15) */
	heads = rig_events(&a, EV_HEAD);
	rig_head(&a, 101, 0, 0);
	snprintf(head, sizeof(head), "%s", rig_block(102, 0, 0));
	note("\"0xf00\"", head);
	assert_int_equal(rig_events(&a, EV_HEAD), heads + 2);
	rig_wait(&a, PENDING_HOLD_NS);
	assert_int_equal(txs(), 3);
	assert_true(rig_event(&a, EV_TXS, 0)->u.txs.fee[0] == 5);
	assert_int_equal(a.d.wire.odd, 0);
	/* Nonsense under the id of the pool is odd, and no more. */
	note("190", "{\"nonce\":\"0x1\"}");
	note("190", "\"0x12\"");
	note("190", "7");
	rig_wait(&a, PENDING_HOLD_NS);
	assert_int_equal(txs(), 3);
	assert_int_equal(a.d.wire.odd, 3);
}

/* Resubscribing to heads leaves the other subscription alone. */
static void silence_of_heads(void **state)
{
	(void)state;
	up(PENDING_HASHES, true);
	rig_reply(&a, rig_open(&a, "eth_subscribe", "newPendingTransactions"), "\"0xbe\"");
	drive_cmd(&a.d, &(struct cmd){ .kind = CMD_RESUBSCRIBE });
	assert_int_equal(rig_count(&a, "eth_unsubscribe", "0x9ce"), 1);
	assert_int_equal(rig_count(&a, "eth_unsubscribe", "0xbe"), 0);
	assert_int_equal(rig_count(&a, "eth_subscribe", "newHeads"), 2);
	assert_int_equal(rig_count(&a, "eth_subscribe", "newPendingTransactions"), 1);
	assert_string_equal(a.d.wire.pending_sub, "0xbe");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(off_asks_for_nothing, teardown),
		cmocka_unit_test_teardown(never_over_http, teardown),
		cmocka_unit_test_teardown(whole_or_as_hashes, teardown),
		cmocka_unit_test_teardown(refused_whole_taken_as_hashes, teardown),
		cmocka_unit_test_teardown(refused_is_left_for_an_hour, teardown),
		cmocka_unit_test_teardown(batches, teardown),
		cmocka_unit_test_teardown(nothing_is_lost_with_the_connection, teardown),
		cmocka_unit_test_teardown(told_apart, teardown),
		cmocka_unit_test_teardown(silence_of_heads, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
