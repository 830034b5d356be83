/* Links, facts that nodes tell, and the pool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "model_rig.h"

static unsigned info(struct model *m, unsigned path, uint64_t ms, enum info_kind kind, enum status code, uint64_t a,
		     uint64_t b)
{
	struct event e = {
		.kind = EV_INFO,
		.path = (uint16_t)path,
		.mono = RIG_T0 + ms * NS_MS,
		.u.info = { .info = (uint8_t)kind, .code = (uint8_t)code, .a = a, .b = b, .yes = kind == INFO_SYNC },
	};

	snprintf(e.u.info.text, sizeof(e.u.info.text), "Geth/v1.17.3");
	e.u.info.price = u256_from64(a);
	return model_apply(m, &e);
}

static void unknown_until_told(void **state)
{
	struct model *m = rig_model(1, 1);
	const struct path *p = m->paths[0];

	(void)state;
	assert_string_equal(p->facts.client, "");
	assert_int_equal(p->facts.peers, UNKNOWN);
	assert_int_equal(p->facts.pending, UNKNOWN);
	assert_false(p->facts.sync_known);
	assert_false(p->facts.gas_price_known);
	assert_false(m->pool.known);
	assert_true(isnan(m->pool.per_s));
	assert_int_equal(p->call_p50, UNKNOWN);
	assert_true(isnan(p->xfer_bytes_per_s));
	assert_int_equal(m->own.glass_p99, UNKNOWN);
	assert_int_equal(m->clock_bound, UNKNOWN);
	assert_true(info(m, 0, 10, INFO_CLIENT, ST_OK, 0, 0) & DIRTY_NODE);
	info(m, 0, 10, INFO_PEERS, ST_OK, 0, 0);
	info(m, 0, 10, INFO_GAS_PRICE, ST_OK, 5, 0);
	assert_string_equal(p->facts.client, "Geth/v1.17.3");
	assert_int_equal(p->facts.peers, 0); /* zero is a fact once it is told */
	assert_true(p->facts.gas_price_known);
	/* A failure leaves the old value with its age; a method that is not there takes it away. */
	info(m, 0, 5000, INFO_PEERS, ST_TIMEOUT, 9, 0);
	assert_int_equal(p->facts.peers, 0);
	assert_int_equal(p->facts.peers_why, ST_TIMEOUT);
	assert_int_equal(p->facts.peers_mono, RIG_T0 + 10 * NS_MS);
	info(m, 0, 6000, INFO_PEERS, ST_UNSUPPORTED, 9, 0);
	assert_int_equal(p->facts.peers, UNKNOWN);
	model_free(m);
}

static void pool_of_one_path(void **state)
{
	struct model *m = rig_model(3, 1);

	(void)state;
	info(m, 0, 10, INFO_TXPOOL, ST_UNSUPPORTED, 0, 0);
	info(m, 1, 10, INFO_TXPOOL, ST_UNSUPPORTED, 0, 0);
	rig_tick(m, 300);
	assert_false(m->pool.known);
	assert_int_equal(m->pool.why, ST_UNSUPPORTED);
	info(m, 2, 1000, INFO_TXPOOL, ST_OK, 100, 1);
	rig_tick(m, 1100);
	assert_true(m->pool.known);
	assert_int_equal(m->pool.pending, 100);
	assert_true(isnan(m->pool.per_s));
	/* Two nodes see two pools: the line does not jump between them. */
	info(m, 1, 2000, INFO_TXPOOL, ST_OK, 14210, 802);
	rig_tick(m, 2100);
	assert_int_equal(m->pool.pending, 14210);
	assert_int_equal(m->pool.history_n, 1);
	info(m, 2, 3000, INFO_TXPOOL, ST_OK, 101, 1);
	rig_tick(m, 3100);
	assert_int_equal(m->pool.pending, 14210);
	info(m, 1, 12000, INFO_TXPOOL, ST_OK, 14424, 803);
	rig_tick(m, 12100);
	assert_true(fabs(m->pool.per_s - 21.4) < 1e-9);
	assert_int_equal(m->pool.queued, 803);
	assert_int_equal(m->pool.history_n, 2);
	assert_int_equal(m->pool.history[1], 14424);
	for (uint64_t k = 1; k < 100; k++) {
		info(m, 1, 12000 + k * 1000, INFO_TXPOOL, ST_OK, k == 99 ? UINT64_MAX - 1 : k, 0);
		rig_tick(m, 12100 + k * 1000);
	}
	assert_int_equal(m->pool.history_n, 60);
	assert_int_equal(m->pool.history[58], 98);
	assert_int_equal(m->pool.history[59], UINT32_MAX);
	model_free(m);
}

static void links(void **state)
{
	struct path_setup setup = { .node = "x", .via = "auto", .push = true };
	struct model *m = model_new(&setup, 1, RIG_T0, RIG_WALL0);
	struct path *p = m->paths[0];
	struct event e = {
		.kind = EV_LINK,
		.mono = RIG_T0 + NS_S,
		.u.link = { .state = LINK_CONNECTING, .via = "http", .text = "TCP", .dns_us = 12, .attempt = 3 },
	};

	(void)state;
	assert_string_equal(path_state_word(p), "connecting");
	model_apply(m, &e);
	assert_string_equal(p->via, "http");
	assert_false(p->push); /* what is spoken now decides */
	assert_int_equal(p->attempt, 3);
	assert_int_equal(p->state_since, RIG_T0 + NS_S);
	rig_link(m, 0, 2000, LINK_POLLING, ST_OK);
	assert_string_equal(path_state_word(p), "poll");
	assert_int_equal(p->connects, 1);
	rig_link(m, 0, 3000, LINK_LIVE, ST_OK); /* the same connection */
	assert_int_equal(p->connects, 1);
	rig_link(m, 0, 4000, LINK_SILENT, ST_SILENT);
	rig_link(m, 0, 4100, LINK_SILENT, ST_SILENT);
	assert_int_equal(p->silent_count, 1);
	assert_int_equal(p->state_since, RIG_T0 + 4000 * NS_MS);
	rig_link(m, 0, 5000, LINK_WAITING, ST_RESET);
	rig_link(m, 0, 6000, LINK_LIVE, ST_OK);
	assert_int_equal(p->connects, 2);
	rig_tick(m, 7000);
	assert_int_equal(p->errors.total_5m, 1);
	assert_string_equal(p->errors.last, "reset");
	rig_link(m, 0, 8000, LINK_STOPPED, ST_OK);
	assert_string_equal(path_state_word(p), "stopped");
	model_free(m);
}

static void sync_speed(void **state)
{
	struct model *m = rig_model(1, 1);
	const struct path *p = m->paths[0];

	(void)state;
	info(m, 0, 1000, INFO_SYNC, ST_OK, 1000, 5000);
	assert_true(p->facts.syncing);
	assert_true(isnan(p->facts.sync_per_s));
	info(m, 0, 16000, INFO_SYNC, ST_OK, 2500, 5000);
	assert_true(fabs(p->facts.sync_per_s - 100) < 1e-9);
	/* Back to an older block: a new start, not a negative speed. */
	info(m, 0, 31000, INFO_SYNC, ST_OK, 10, 5000);
	assert_true(isnan(p->facts.sync_per_s));
	for (uint64_t k = 1; k < 30; k++)
		info(m, 0, 31000 + k * 1000, INFO_SYNC, ST_OK, 10 + k, UINT64_MAX);
	assert_true(fabs(p->facts.sync_per_s - 1) < 1e-9);
	rig_tick(m, 70000);
	model_free(m);
}

static void events_lost(void **state)
{
	struct model *m = rig_model(1, 1);
	struct event e = { .kind = EV_LOST, .mono = RIG_T0 + NS_S, .u.lost.dropped = 1200 };

	(void)state;
	assert_true(model_apply(m, &e) & DIRTY_PATHS);
	rig_tick(m, 1200);
	assert_int_equal(m->paths[0]->lost, 1200);
	assert_true(rig_noted(m, "n0/ws: 1,200 events lost, asked again"));
	e.u.lost.dropped = 1300;
	e.mono += NS_S;
	model_apply(m, &e);
	rig_tick(m, 2200);
	assert_true(rig_noted(m, "1,300 events lost"));
	assert_false(rig_noted(m, "1,200 events lost")); /* one line, brought up to date */
	/* A path that is none. */
	e.path = 77;
	assert_int_equal(model_apply(m, &e), 0);
	model_free(m);
}

static void dirty_bits(void **state)
{
	struct model *m = rig_model(1, 1);

	(void)state;
	rig_tick(m, 500);
	rig_tick(m, 600);
	assert_int_equal(rig_tick(m, 700), 0); /* nothing changed: nothing is drawn */
	assert_true(rig_tick(m, 1000) & DIRTY_CLOCK);
	assert_false(rig_tick(m, 1100) & DIRTY_CLOCK);
	model_free(m);
}

/* Each part of a block by itself: what one answer proves is proven, what differs counts when a second one repeats it. */
static void parts_of_a_block(void **state)
{
	struct model *m = rig_model(2, 1);
	struct head h = rig_head(1, 1, 0);
	struct event e = { .kind = EV_VERDICT, .mono = RIG_T0, .wall = RIG_WALL0, .u.verdict = { .hash = h.hash } };
	const struct blk *b;

	(void)state;
	rig_say(m, 0, 12000, &h, SRC_PUSH);
	b = chain_by_hash(m->chains[0], &h.hash);
	assert_int_equal(b->part[PART_HEADER], TRUTH_NONE);
	e.u.verdict.v = (struct verdict){ .header = TRUTH_YES, .txs = TRUTH_NO, .withdrawals = TRUTH_NONE };
	model_apply(m, &e);
	assert_int_equal(b->part[PART_HEADER], TRUTH_YES);
	assert_int_equal(b->part[PART_TXS], TRUTH_UNKNOWN);
	assert_int_equal(b->part[PART_WITHDRAWALS], TRUTH_NONE);
	model_apply(m, &e);
	/* This chain has not verified yet: it may be ours. */
	assert_int_equal(b->part[PART_TXS], TRUTH_UNKNOWN);
	rig_verdict(m, 0, 12500, 99, TRUTH_YES, NULL);
	h = rig_head(2, 2, 1);
	rig_say(m, 0, 24000, &h, SRC_PUSH);
	rig_verdict(m, 0, 24500, 2, TRUTH_YES, NULL);
	assert_int_equal(b->part[PART_TXS], TRUTH_NO);
	model_free(m);
}

/* A body that somebody wants to see: asked of who told of it, then of the others, last of who said that it has none. */
static void a_body_on_demand(void **state)
{
	struct model *m = rig_model(3, 1);
	struct head h = rig_head(1, 1, 0);
	struct event e = { .kind = EV_BODY_MISS, .path = 1, .mono = RIG_T0, .wall = RIG_WALL0 };
	struct hash nobody = rig_hash(77);
	struct want w;

	(void)state;
	rig_say(m, 1, 12000, &h, SRC_PUSH);
	rig_tick(m, 12100);
	assert_false(model_want_body(m, &nobody, 0, &w));
	assert_true(model_want_body(m, &h.hash, 0, &w));
	assert_int_equal(w.path, 1);
	assert_int_equal(w.kind, CMD_BODY);
	assert_int_equal(w.number, 1);
	assert_true(hash_eq(&w.hash, &h.hash));
	e.u.miss.hash = h.hash;
	model_apply(m, &e);
	model_apply(m, &e);
	assert_int_equal(chain_by_hash(m->chains[0], &h.hash)->missed, 1);
	assert_true(model_want_body(m, &h.hash, 1, &w));
	assert_int_not_equal(w.path, 1);
	for (unsigned p = 0; p < 3; p++)
		rig_link(m, p, 13000, LINK_WAITING, ST_REFUSED);
	assert_false(model_want_body(m, &h.hash, 2, &w));
	model_free(m);
}

static void say_signed(struct model *m, uint64_t number, uint8_t signer)
{
	struct head h = rig_head(number, number, number - 1);

	h.miner.b[0] = signer;
	rig_say(m, 0, number * 450, &h, SRC_PUSH);
	rig_tick(m, number * 450 + 300);
}

/* Runs of blocks of one signer; how long they are is learned from whole ones. */
static void runs(void **state)
{
	struct model *m = rig_model(1, 56);
	const struct chain *c;

	(void)state;
	for (uint64_t n = 100; n < 112; n++)
		say_signed(m, n, (uint8_t)(n / 4));
	c = m->chains[0];
	assert_true(c->turns);
	/* Two whole runs of three are too few, and the first one may have begun before. */
	assert_int_equal(c->run_len, 0);
	assert_int_equal(chain_by_number(c, 100)->run, 0);
	assert_int_equal(chain_by_number(c, 103)->run, 0);
	assert_int_equal(chain_by_number(c, 104)->run, 1);
	assert_int_equal(chain_by_number(c, 107)->run, 4);
	for (uint64_t n = 112; n < 122; n++)
		say_signed(m, n, (uint8_t)(n / 4));
	assert_int_equal(c->run_len, 4);
	assert_int_equal(c->head->run, 2);
	assert_true(c->head->signer_known);
	model_free(m);
	/* Elsewhere the miner is who is paid, not who signs. */
	m = rig_model(1, 1);
	for (uint64_t n = 100; n < 122; n++)
		say_signed(m, n, (uint8_t)(n / 4));
	assert_false(m->chains[0]->turns);
	assert_int_equal(m->chains[0]->head->run, 0);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_block),
		cmocka_unit_test(a_body_on_demand),
		cmocka_unit_test(runs),
		cmocka_unit_test(unknown_until_told),
		cmocka_unit_test(pool_of_one_path),
		cmocka_unit_test(links),
		cmocka_unit_test(sync_speed),
		cmocka_unit_test(events_lost),
		cmocka_unit_test(dirty_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
