/*
 * model/stats and model/calls: shares with their range, the sign test, percentiles with their range; calls by window, rates,
 * failures by kind, what tells of several backends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/stats.h"
#include "model_rig.h"

static void close_to(double a, double want, double by)
{
	if (fabs(a - want) > by)
		fail_msg("%.12g is not %.12g", a, want);
}

/* Bounds are the roots of (k/n − p)² n = z² p (1 − p), found by bisection in Python, z from its NormalDist. */
static void wilson(void **state)
{
	static const struct {
		uint64_t k, n;
		double low, high;
	} want[] = {
		{ 20, 50, 0.276084, 0.538186 }, { 18, 50, 0.241387, 0.498590 }, { 2, 50, 0.011039, 0.134601 },
		{ 0, 10, 0, 0.277533 }, { 10, 10, 0.722467, 1 }, { 1, 1, 0.206549, 1 },
		{ 970, 1000, 0.957497, 0.978906 }, { 39, 40, 0.871186, 0.995573 }, { 15, 30, 0.331541, 0.668459 },
	};
	struct share s;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		s = stats_wilson(want[i].k, want[i].n);
		close_to(s.share, (double)want[i].k / (double)want[i].n, 1e-12);
		close_to(s.low, want[i].low, 1e-6);
		close_to(s.high, want[i].high, 1e-6);
	}
	s = stats_wilson(0, 0);
	assert_true(isnan(s.share) && isnan(s.low) && isnan(s.high));
	s = stats_wilson(9, 3);
	close_to(s.share, 1, 0);
}

/* 2 Σ C(n, i) / 2^n, i ≤ min(a, b), in Python's fractions. */
static void sign_test(void **state)
{
	static const struct {
		uint64_t a, b;
		double p;
	} want[] = {
		{ 20, 18, 0.871414679 }, { 18, 20, 0.871414679 }, { 0, 5, 0.0625 }, { 0, 6, 0.03125 }, { 10, 10, 1 }, { 0, 0, 1 },
		{ 512, 480, 0.324993447 }, { 9, 21, 0.0427739453 }, { 1, 8, 0.0390625 }, { 2, 9, 0.0654296875 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		close_to(stats_sign_test(want[i].a, want[i].b), want[i].p, 1e-7);
	close_to(stats_sign_test(300, 200) / 8.94006654e-06, 1, 1e-6);
	close_to(stats_sign_test(48, 2) / 2.26663133e-12, 1, 1e-6);
	close_to(stats_sign_test(1000, 0) / 1.86652724e-301, 1, 1e-6);
}

/* 100 values of 1 … 100 ms: p90 is the 90th, ± 1.96 √(100·0.9·0.1) = 5.88: from the 85th to the 97th. */
static void range(void **state)
{
	struct hist h = { .n = 0 };
	uint64_t low, high;

	(void)state;
	stats_range(&h, 90, &low, &high);
	assert_true(low == UINT64_MAX && high == UINT64_MAX);
	for (uint64_t i = 1; i <= 100; i++)
		hist_add(&h, i * NS_MS);
	stats_range(&h, 90, &low, &high);
	close_to((double)low, 85 * (double)NS_MS, (double)NS_MS);
	close_to((double)high, 97 * (double)NS_MS, (double)NS_MS);
	/* Of few values nothing is known but that it is one of them. */
	h = (struct hist){ .n = 0 };
	hist_add(&h, NS_MS);
	hist_add(&h, 9 * NS_MS);
	stats_range(&h, 99, &low, &high);
	assert_true(low <= 9 * NS_MS && high == 9 * NS_MS);
}

/* ---- windows ---- */

static void reply(struct model *m, uint64_t s, enum method k, enum status code, int32_t detail, uint64_t ms)
{
	struct event e = {
		.kind = EV_REPLY,
		.mono = RIG_T0 + s * NS_S,
		.u.reply = { .method = (uint8_t)k, .code = (uint8_t)code, .detail = detail, .latency_ns = ms * NS_MS },
	};

	model_apply(m, &e);
}

static void traffic(struct model *m, uint64_t s, uint64_t calls, uint64_t in, uint64_t out)
{
	struct event e = { .kind = EV_TRAFFIC, .mono = RIG_T0 + s * NS_S };

	e.u.traffic.calls = calls;
	e.u.traffic.bytes_in = in;
	e.u.traffic.bytes_out = out;
	model_apply(m, &e);
}

/* One call each 10 s: 10 ms for the first half hour, then 30 ms; a tenth of those of the first half hour fails. */
static void windows(void **state)
{
	struct model *m = rig_model(1, 1);
	const struct call_stats *c = m->paths[0]->span;

	(void)state;
	for (unsigned i = 0; i < 360; i++) {
		reply(m, i * 10, M_BLOCK_NUMBER, i < 180 && i % 10 == 9 ? ST_TIMEOUT : ST_OK, 0, i < 180 ? 10 : 30);
		traffic(m, i * 10, i + 1, (i + 1) * 900, (i + 1) * 100);
	}
	rig_tick(m, 3599000);
	assert_int_equal(c[RACE_ALL].n, 360);
	assert_int_equal(c[RACE_ALL].failed, 18);
	assert_int_equal(c[RACE_ALL].by_code[ST_TIMEOUT], 18);
	assert_int_equal(c[RACE_ALL].timed, 342);
	close_to((double)c[RACE_ALL].p99, 30 * (double)NS_MS, (double)NS_MS);
	close_to((double)c[RACE_ALL].p50, 30 * (double)NS_MS, (double)NS_MS);
	close_to(c[RACE_ALL].calls_per_min, 6, 0.1);
	close_to(c[RACE_ALL].bytes_per_min, 6000, 100);
	/* Windows begin at whole slices: 55 to 60 minutes, 9 to 10. */
	assert_in_range(c[RACE_1H].n, 330, 360);
	assert_in_range(c[RACE_10M].n, 54, 60);
	assert_int_equal(c[RACE_10M].failed, 0);
	close_to((double)c[RACE_10M].p50, 30 * (double)NS_MS, (double)NS_MS);
	close_to(c[RACE_10M].calls_per_min, 6, 0.2);
	/* An hour and a half later only the start remembers. */
	rig_tick(m, 9000000);
	assert_int_equal(c[RACE_10M].n, 0);
	assert_int_equal(c[RACE_1H].n, 0);
	assert_int_equal(c[RACE_1H].p50, UNKNOWN);
	assert_int_equal(c[RACE_ALL].n, 360);
	close_to(c[RACE_1H].calls_per_min, 0, 0);
	close_to(c[RACE_ALL].calls_per_min, 360 / 150.0, 0.01);
	model_free(m);
}

static void what_counts(void **state)
{
	struct model *m = rig_model(1, 1);
	const struct call_stats *c = &m->paths[0]->span[RACE_ALL];

	(void)state;
	assert_int_equal(c->p50, UNKNOWN);
	assert_true(isnan(c->calls_per_min));
	reply(m, 1, M_PEERS, ST_UNSUPPORTED, -32601, 1);
	reply(m, 1, M_BATCH, ST_OK, 0, 5); /* its items are the calls */
	reply(m, 1, M_BLOCK_NUMBER, ST_RPC, -32000, 1);
	reply(m, 1, M_BLOCK_NUMBER, ST_RPC, -32000, 1);
	reply(m, 1, M_BLOCK_NUMBER, ST_RPC, 3, 1);
	reply(m, 1, M_BLOCK_NUMBER, ST_HTTP, 503, 1);
	reply(m, 1, M_BLOCK_NUMBER, ST_OK, 0, 5);
	/* What has an old stamp goes where it belongs, or nowhere: it must not empty the slice of now. */
	rig_tick(m, 2000);
	assert_int_equal(c->n, 5);
	assert_int_equal(c->failed, 4);
	assert_int_equal(c->timed, 2);
	assert_int_equal(m->paths[0]->errors.detail[0].detail, -32000);
	assert_int_equal(m->paths[0]->errors.detail[0].n, 2);
	assert_int_equal(m->paths[0]->errors.detail[2].code, ST_HTTP);
	assert_int_equal(m->paths[0]->errors.detail[2].detail, 503);
	reply(m, 4000, M_BLOCK_NUMBER, ST_OK, 0, 5);
	reply(m, 400, M_BLOCK_NUMBER, ST_OK, 0, 5);
	rig_tick(m, 4001000);
	assert_int_equal(m->paths[0]->span[RACE_10M].n, 1);
	assert_int_equal(c->n, 7);
	model_free(m);
}

/* ---- several backends (trap c) ---- */

static void client(struct model *m, uint64_t s, const char *text)
{
	struct event e = { .kind = EV_INFO, .mono = RIG_T0 + s * NS_S, .u.info = { .info = INFO_CLIENT } };

	snprintf(e.u.info.text, sizeof(e.u.info.text), "%s", text);
	model_apply(m, &e);
}

static void versions(void **state)
{
	struct model *m = rig_model(1, 1);
	const struct path *p = m->paths[0];

	(void)state;
	client(m, 1, "Geth/v1.17.2");
	client(m, 2, "Geth/v1.17.2");
	/* An upgrade. */
	client(m, 3, "Geth/v1.17.3");
	client(m, 4, "Geth/v1.17.3");
	assert_int_equal(p->client_backs, 0);
	client(m, 5, "Geth/v1.17.2");
	assert_int_equal(p->client_backs, 1);
	for (unsigned i = 0; i < 100; i++) {
		char name[20];

		snprintf(name, sizeof(name), "v%u", i);
		client(m, 6 + i, name);
	}
	assert_int_equal(p->client_backs, 1);
	model_free(m);
}

static void null_after_own_head(void **state)
{
	struct model *m = rig_model(2, 1);
	struct event e = { .kind = EV_BODY_MISS, .path = 0, .mono = RIG_T0 + 2 * NS_S };
	struct head h = rig_head(7, 7, 6);

	(void)state;
	rig_say(m, 0, 1000, &h, SRC_PUSH);
	e.u.miss.hash = h.hash;
	e.u.miss.code = ST_TIMEOUT;
	model_apply(m, &e);
	assert_int_equal(m->paths[0]->own_nulls, 0);
	/* Another path never said that it has the block. */
	e.path = 1;
	e.u.miss.code = ST_NULL;
	model_apply(m, &e);
	assert_int_equal(m->paths[1]->own_nulls, 0);
	h = rig_head(8, 8, 7);
	rig_say(m, 0, 3000, &h, SRC_PUSH);
	e.path = 0;
	e.u.miss.hash = h.hash;
	model_apply(m, &e);
	model_apply(m, &e);
	assert_int_equal(m->paths[0]->own_nulls, 1);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wilson),
		cmocka_unit_test(sign_test),
		cmocka_unit_test(range),
		cmocka_unit_test(windows),
		cmocka_unit_test(what_counts),
		cmocka_unit_test(versions),
		cmocka_unit_test(null_after_own_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
