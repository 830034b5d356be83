/* model/seen: which transactions of a block had been announced before it, how long before, and what the table costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/seen.h"
#include "model_rig.h"

enum { WARM_MS = 60000 }; /* of a chain with a block each 12 s */

static void pending_info(struct model *m, unsigned path, uint64_t ms, enum status code, bool whole)
{
	struct event e = {
		.kind = EV_INFO,
		.path = (uint16_t)path,
		.mono = RIG_T0 + ms * NS_MS,
		.u.info = { .info = INFO_PENDING, .code = (uint8_t)code, .a = whole },
	};

	model_apply(m, &e);
}

/* One transaction in an event of its own; fee in gwei, 0: as a hash. */
static struct event said(unsigned path, uint64_t ms, uint64_t tag, uint64_t fee)
{
	struct hash h = rig_hash(tag);
	struct event e = {
		.kind = EV_TXS,
		.path = (uint16_t)path,
		.mono = RIG_T0 + ms * NS_MS,
		.u.txs = { .n = 1, .key = { hash_key(&h) }, .fee = { fee ? fee * 1000000000 : UINT64_MAX } },
	};

	return e;
}

static void say(struct model *m, unsigned path, uint64_t ms, uint64_t tag, uint64_t fee)
{
	struct event e = said(path, ms, tag, fee);

	model_apply(m, &e);
}

/* A head that path 0 hears at ms, and its body with n transactions from `first` on; looked at a second and a half later. */
static void block(struct model *m, uint64_t number, uint64_t ms, uint32_t n, uint64_t first)
{
	struct head h = rig_head(number, number, number - 1);

	rig_say(m, 0, ms, &h, SRC_PUSH);
	rig_block(m, 0, ms + 20, ms + 30, rig_body(&h, n, first), SRC_PUSH);
	rig_tick(m, ms + 700);
	rig_tick(m, ms + 1500);
	/* The figures are made once a second. */
	rig_tick(m, ms + 2600);
}

static const struct blk *blk(const struct model *m, uint64_t number)
{
	return chain_by_number(model_chain(m), number);
}

static struct model *listening(unsigned paths)
{
	struct model *m = rig_model(paths, 1);

	for (unsigned i = 0; i < paths; i++)
		pending_info(m, i, 0, ST_OK, i == 0);
	rig_tick(m, 100);
	return m;
}

/* Within the histogram's 1 %. */
static void near(uint64_t ns, double ms)
{
	if (fabs((double)ns / 1e6 - ms) > 0.01 * ms)
		fail_msg("%.3f ms, not %.3f", (double)ns / 1e6, ms);
}

/*
 * Ten transactions, 1000 … 1009, in a block heard at 100 s. Path 0 announces 1000 … 1005, i s before the block; path 1 the odd
 * ones of all ten, half a second earlier. Together 8; leads of path 0: 1 … 6 s, of path 1: 2.5, 4.5, 6.5, 8.5, 10.5 s.
 */
static void shares_and_leads(void **state)
{
	struct model *m = listening(3);
	const struct blk *b;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		if (i < 6)
			say(m, 0, 100000 - 1000 * (i + 1), 1000 + i, 0);
		if (i % 2)
			say(m, 1, 100000 - 1000 * (i + 1) - 500, 1000 + i, 0);
	}
	block(m, 8, 100000, 10, 1000);
	b = blk(m, 8);
	assert_true(b->seen_known);
	assert_int_equal(b->seen_of, 10);
	assert_int_equal(b->seen, 8);
	assert_int_equal(m->pool.cover.txs, 10);
	assert_int_equal(m->pool.cover.seen, 8);
	assert_int_equal(m->paths[0]->pending.cover.seen, 6);
	assert_int_equal(m->paths[1]->pending.cover.seen, 5);
	assert_int_equal(m->paths[2]->pending.cover.seen, 0);
	assert_int_equal(m->paths[2]->pending.cover.txs, 10);
	/* Nearest rank: the 3rd of 6, the 6th of 6; the 3rd and the 5th of 5. */
	near(m->paths[0]->pending.cover.lead_p50, 3000);
	near(m->paths[0]->pending.cover.lead_p90, 6000);
	near(m->paths[1]->pending.cover.lead_p50, 6500);
	near(m->paths[1]->pending.cover.lead_p90, 10500);
	/* Together the earlier one counts: 1 2.5 3 4.5 5 6.5 8.5 10.5: the 4th and the 8th. */
	near(m->pool.cover.lead_p50, 4500);
	near(m->pool.cover.lead_p90, 10500);
	near(b->seen_p50, 4500);
	assert_true(m->paths[2]->pending.cover.lead_p50 == UNKNOWN);
	/* Since the start: what path 1 said was news on it, not to all. */
	assert_int_equal(m->pool.cover.all_announced, 8);
	assert_int_equal(m->paths[0]->pending.cover.all_announced, 6);
	assert_int_equal(m->paths[1]->pending.cover.all_announced, 5);
	assert_int_equal(m->paths[1]->pending.cover.all_txs, 10);
	assert_int_equal(m->paths[1]->pending.cover.all_seen, 5);
	assert_int_equal(m->pool.announcing, 3);
	assert_false(m->pool.cover.floor);
	model_free(m);
}

/* What was announced before we listened would be missing: no share before a path has listened for a while. */
static void not_before_it_is_warm(void **state)
{
	struct model *m = listening(2);

	(void)state;
	say(m, 0, 30000, 1, 0);
	block(m, 3, 40000, 4, 1);
	assert_false(blk(m, 3)->seen_known);
	assert_int_equal(m->pool.cover.txs, 0);
	assert_true(m->pool.ready == RIG_T0 + WARM_MS * NS_MS);
	/* Path 1 loses its connection: from then on path 0 alone counts. */
	rig_link(m, 1, 59000, LINK_WAITING, ST_RESET);
	assert_false(m->paths[1]->pending.on);
	rig_link(m, 1, 59500, LINK_LIVE, ST_OK);
	pending_info(m, 1, 59600, ST_OK, false);
	say(m, 0, 60500, 100, 0);
	say(m, 1, 60500, 101, 0);
	block(m, 5, 61000, 2, 100);
	assert_int_equal(m->paths[0]->pending.cover.txs, 2);
	assert_int_equal(m->paths[0]->pending.cover.seen, 1);
	assert_int_equal(m->paths[1]->pending.cover.txs, 0);
	/* Known is known, whoever said it. */
	assert_int_equal(blk(m, 5)->seen, 2);
	model_free(m);
}

static void refused(void **state)
{
	struct model *m = rig_model(1, 1);

	(void)state;
	pending_info(m, 0, 0, ST_UNSUPPORTED, true);
	assert_false(m->paths[0]->pending.on);
	assert_int_equal(m->paths[0]->pending.why, ST_UNSUPPORTED);
	block(m, 8, 100000, 4, 1);
	assert_false(blk(m, 8)->seen_known);
	assert_int_equal(m->pool.announcing, 0);
	assert_int_equal(m->pool.cover.txs, 0);
	model_free(m);
}

/* At the same time as the block or behind it is not before it, whatever comes first through the rings. */
static void stamps_count(void **state)
{
	struct model *m = listening(1);
	struct head h = rig_head(8, 8, 7);

	(void)state;
	rig_say(m, 0, 100000, &h, SRC_PUSH);
	rig_block(m, 0, 100020, 100030, rig_body(&h, 3, 50), SRC_PUSH);
	say(m, 0, 100000, 50, 0);
	say(m, 0, 100001, 51, 0);
	say(m, 0, 99990, 52, 0);
	rig_tick(m, 100900);
	assert_false(blk(m, 8)->seen_known);
	rig_tick(m, 101100);
	assert_true(blk(m, 8)->seen_known);
	assert_int_equal(blk(m, 8)->seen, 1);
	near(blk(m, 8)->seen_p50, 10);
	/* Once is enough. */
	rig_tick(m, 103000);
	assert_int_equal(m->pool.cover.txs, 3);
	model_free(m);
}

static void deposits_are_in_no_pool(void **state)
{
	struct model *m = listening(1);
	struct head h = rig_head(8, 8, 7);
	struct block *b = rig_body(&h, 3, 50);
	struct tx *txs = (struct tx *)((char *)b + b->txs.off);

	(void)state;
	txs[0].type = TX_DEPOSIT;
	say(m, 0, 99000, 51, 0);
	rig_say(m, 0, 100000, &h, SRC_PUSH);
	rig_block(m, 0, 100020, 100030, b, SRC_PUSH);
	rig_tick(m, 101100);
	assert_int_equal(blk(m, 8)->seen_of, 2);
	assert_int_equal(blk(m, 8)->seen, 1);
	model_free(m);
}

/* A block that lost is not counted; nor is one that was never heard live. */
static void orphans_do_not_count(void **state)
{
	struct model *m = listening(1);
	struct head a = rig_head(8, 81, 7), b = rig_head(8, 82, 7), c = rig_head(9, 9, 82);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		say(m, 0, 90000, 50 + i, 0);
	rig_say(m, 0, 100000, &a, SRC_PUSH);
	rig_block(m, 0, 100010, 100010, rig_body(&a, 2, 50), SRC_PUSH);
	rig_say(m, 0, 100200, &b, SRC_PUSH);
	rig_block(m, 0, 100210, 100210, rig_body(&b, 1, 52), SRC_PUSH);
	rig_say(m, 0, 100400, &c, SRC_PUSH);
	rig_block(m, 0, 100410, 100410, rig_body(&c, 1, 53), SRC_PUSH);
	rig_tick(m, 102000);
	rig_tick(m, 103100);
	assert_int_equal(m->pool.cover.txs, 2);
	assert_int_equal(m->pool.cover.seen, 2);
	model_free(m);
}

/* Base fee of the rig: 1 gwei at half the limit, so the next one is 1 gwei as well. */
static void can_pay(void **state)
{
	struct model *m = listening(2);

	(void)state;
	say(m, 0, 99000, 1, 5);
	block(m, 8, 100000, 1, 1);
	assert_int_equal(m->pool.pay_of, 0);
	say(m, 0, 103000, 10, 1); /* exactly */
	say(m, 0, 103000, 11, 2);
	say(m, 1, 103000, 12, 0); /* as a hash … */
	say(m, 0, 104000, 12, 3); /* … and whole on another path */
	say(m, 1, 103000, 13, 0); /* not known what it pays */
	struct event e = said(0, 103000, 14, 0);
	e.u.txs.fee[0] = 999999999;
	model_apply(m, &e);
	rig_tick(m, 105100);
	assert_int_equal(m->pool.pay_of, 4);
	assert_int_equal(m->pool.pay, 3);
	/* Two are mined, one of them announced again by a path that lags. */
	block(m, 9, 112000, 2, 11);
	say(m, 1, 112500, 11, 0);
	rig_tick(m, 116000);
	assert_int_equal(m->pool.pay_of, 2);
	assert_int_equal(m->pool.pay, 1);
	/* After ten minutes nobody knows whether it still waits. */
	block(m, 60, 720000, 0, 0);
	assert_int_equal(m->pool.pay_of, 0);
	model_free(m);
}

static void rates(void **state)
{
	struct model *m = listening(2);

	(void)state;
	rig_tick(m, 4000);
	assert_true(isnan(m->pool.cover.per_s));
	/* Four a second on path 0, of which path 1 has one too. */
	for (unsigned i = 0; i < 400; i++) {
		say(m, 0, 1000 + i * 250, i, 0);
		if (i % 4 == 0)
			say(m, 1, 1000 + i * 250 + 100, i, 0);
	}
	rig_tick(m, 80000);
	rig_tick(m, 95100);
	assert_true(fabs(m->pool.cover.per_s - 4) < 1e-9);
	assert_true(fabs(m->paths[0]->pending.cover.per_s - 4) < 1e-9);
	assert_true(fabs(m->paths[1]->pending.cover.per_s - 1) < 1e-9);
	assert_int_equal(m->pool.cover.history_n, 60);
	assert_int_equal(m->pool.cover.history[59], 4);
	rig_tick(m, 300000);
	assert_true(m->pool.cover.per_s == 0);
	model_free(m);
}

/* A dev chain that is started anew has the same transactions: they are new there. */
static void same_hashes_on_another_chain(void **state)
{
	struct model *m = listening(1);

	(void)state;
	say(m, 0, 50000, 1, 0);
	rig_link(m, 0, 51000, LINK_WAITING, ST_RESET);
	rig_link(m, 0, 52000, LINK_LIVE, ST_OK);
	rig_chain(m, 0, 52000, 1, 8);
	pending_info(m, 0, 52000, ST_OK, true);
	say(m, 0, 119000, 1, 0);
	block(m, 9, 120000, 2, 1);
	assert_int_equal(m->pool.cover.txs, 2);
	assert_int_equal(m->pool.cover.seen, 1);
	near(m->pool.cover.lead_p50, 1000);
	model_free(m);
}

static void lost_ones_make_it_a_floor(void **state)
{
	struct model *m = listening(1);
	struct event e = said(0, 99000, 1, 0);

	(void)state;
	e.u.txs.lost = 7;
	model_apply(m, &e);
	block(m, 8, 100000, 2, 1);
	assert_true(m->pool.cover.floor);
	assert_true(m->paths[0]->pending.cover.floor);
	assert_int_equal(m->pool.cover.seen, 1);
	rig_tick(m, 720000);
	assert_false(m->pool.cover.floor);
	model_free(m);
}

/* A flood: 1.5 million in 100 s on three paths. The newest ones are known, and it says that older ones may not be. */
static void flood(void **state)
{
	struct model *m = listening(3);
	struct event e = said(0, 0, 0, 3);
	unsigned last = 1500000;

	(void)state;
	for (unsigned i = 0; i < last;) {
		e.path = (uint16_t)(i / 11 % 3);
		e.mono = RIG_T0 + i * UINT64_C(66666);
		e.u.txs.n = 0;
		while (e.u.txs.n < TXS_MAX && i < last) {
			struct hash h = rig_hash(1000 + i);

			e.u.txs.key[e.u.txs.n] = hash_key(&h);
			e.u.txs.fee[e.u.txs.n] = 3000000000;
			e.u.txs.after_us[e.u.txs.n] = 66u * e.u.txs.n;
			e.u.txs.n++;
			i++;
		}
		model_apply(m, &e);
	}
	block(m, 8, 100100, 100, 1000 + last - 100);
	assert_int_equal(blk(m, 8)->seen, 100);
	assert_true(m->pool.cover.floor);
	assert_true(m->pool.pay_of <= SEEN_MOST);
	/* At least three quarters of the places hold something, and what is held is the newest. */
	assert_true(m->pool.pay_of > SEEN_MOST / 4 * 3);
	block(m, 9, 112000, 100, 1000);
	assert_int_equal(blk(m, 9)->seen, 0);
	model_free(m);
}

/* The table grows before it forgets one that waits. */
static void nothing_is_forgotten_early(void **state)
{
	struct model *m = listening(2);

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		say(m, i % 2, 61000 + i, 1000 + i, 3);
		say(m, (i + 1) % 2, 61500 + i, 1000 + i, 0);
	}
	/* The oldest 2,000 are mined: announced 39 s to 37 s before. */
	block(m, 8, 100000, 2000, 1000);
	assert_int_equal(blk(m, 8)->seen, 2000);
	assert_false(m->pool.cover.floor);
	assert_int_equal(m->paths[1]->pending.cover.seen, 2000);
	assert_int_equal(m->pool.pay_of, 18000);
	near(m->pool.cover.lead_p50, 38000);
	model_free(m);
}

/* Hashes that a node makes up so that all fall on one place cost nothing and push out only each other. */
static void made_up_hashes(void **state)
{
	struct model *m = listening(1);
	struct event e = said(0, 90000, 77, 0);

	(void)state;
	model_apply(m, &e);
	for (uint64_t i = 1; i <= 100000; i++) {
		e = said(0, 95000, 1, 0);
		e.u.txs.key[0] = i << 40;
		model_apply(m, &e);
	}
	e.u.txs.n = 200;
	e.u.txs.key[0] = 0;
	model_apply(m, &e);
	block(m, 8, 100000, 1, 77);
	assert_int_equal(blk(m, 8)->seen, 1);
	model_free(m);
}

/* Blocks whose bodies do not come do not keep those behind them from being looked at. */
static void without_bodies(void **state)
{
	struct model *m = listening(1);

	(void)state;
	for (uint64_t n = 8; n < 608; n++) {
		struct head h = rig_head(n, n, n - 1);

		rig_say(m, 0, 90000 + n * 10, &h, SRC_PUSH);
	}
	say(m, 0, 95000, 1, 0);
	block(m, 608, 97000, 2, 1);
	assert_int_equal(m->pool.cover.txs, 2);
	assert_int_equal(m->pool.cover.seen, 1);
	model_free(m);
}

/* Whatever the order in which the rings are drained, the figures are the same. */
static void order_does_not_matter(void **state)
{
	enum { N = 300, PATHS = 3 };
	struct event e[N * 2], t;
	struct cover first = { 0 };
	uint64_t x = 88172645463325252;

	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		struct model *m = listening(PATHS);
		unsigned n = 0;

		for (unsigned i = 0; i < N; i++) {
			e[n++] = said(i % PATHS, 96000 + i * 17 % 3900, 1000 + i, i % 2 ? 1 + i % 4 : 0);
			e[n++] = said((i + 1) % PATHS, 96000 + i * 29 % 4200, 1000 + i, 0);
		}
		for (unsigned i = n - 1; i > 0 && round; i--) {
			unsigned k;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			k = (unsigned)(x % (i + 1));
			t = e[i];
			e[i] = e[k];
			e[k] = t;
		}
		for (unsigned i = 0; i < n; i++)
			model_apply(m, &e[i]);
		block(m, 8, 100000, N, 1000);
		assert_int_equal(m->pool.cover.txs, N);
		assert_true(m->pool.cover.seen > 0 && m->pool.cover.seen <= N);
		if (!round)
			first = m->pool.cover;
		assert_int_equal(m->pool.cover.seen, first.seen);
		assert_true(m->pool.cover.lead_p50 == first.lead_p50);
		assert_true(m->pool.cover.lead_p90 == first.lead_p90);
		assert_memory_equal(m->pool.cover.history, first.history, sizeof(first.history));
		model_free(m);
	}
}

/* The frozen screen keeps the figures; they do not change there. */
static void frozen(void **state)
{
	struct model *m = listening(1), *copy;

	(void)state;
	say(m, 0, 99000, 1, 0);
	block(m, 8, 100000, 2, 1);
	copy = model_clone(m);
	assert_non_null(copy);
	rig_tick(copy, 110000);
	say(copy, 0, 111000, 5, 0);
	assert_int_equal(copy->pool.cover.seen, 1);
	assert_true(blk(copy, 8)->seen_known);
	model_free(copy);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_and_leads),
		cmocka_unit_test(not_before_it_is_warm),
		cmocka_unit_test(refused),
		cmocka_unit_test(stamps_count),
		cmocka_unit_test(deposits_are_in_no_pool),
		cmocka_unit_test(orphans_do_not_count),
		cmocka_unit_test(can_pay),
		cmocka_unit_test(rates),
		cmocka_unit_test(same_hashes_on_another_chain),
		cmocka_unit_test(lost_ones_make_it_a_floor),
		cmocka_unit_test(flood),
		cmocka_unit_test(nothing_is_forgotten_early),
		cmocka_unit_test(made_up_hashes),
		cmocka_unit_test(without_bodies),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
