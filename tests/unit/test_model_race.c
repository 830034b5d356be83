/* Who heard first, by hash; missed and doubled heads; lateness; bodies; calls; what a path costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "model_rig.h"

/* Head n heard by a path at ms + us. */
static void hear_us(struct model *m, unsigned path, uint64_t ms, uint64_t us, uint64_t n, enum head_source source)
{
	struct event e = {
		.kind = EV_HEAD,
		.path = (uint16_t)path,
		.mono = RIG_T0 + ms * NS_MS + us * NS_US,
		.wall = RIG_WALL0 + ms * NS_MS + us * NS_US,
		.u.head = { .h = rig_head(n, n, n - 1), .source = (uint8_t)source },
	};

	model_apply(m, &e);
}

static void near(uint64_t is, uint64_t want)
{
	/* The histogram is exact to 1 %. */
	assert_true(is != UNKNOWN);
	assert_in_range(is, want - want / 100, want + want / 100);
}

static void first_and_behind(void **state)
{
	struct model *m = rig_model(3, 1);

	(void)state;
	assert_int_equal(m->paths[0]->behind_p50, UNKNOWN);
	for (uint64_t n = 1; n <= 10; n++) {
		/* The later one is in its ring before the earlier one. */
		hear_us(m, 1, n * 12000, 180000, n, SRC_PUSH);
		hear_us(m, 0, n * 12000, 0, n, SRC_PUSH);
		hear_us(m, 2, n * 12000, 640000, n, SRC_PUSH);
		rig_tick(m, n * 12000 + 2000);
	}
	rig_tick(m, 200000);
	assert_int_equal(m->paths[0]->heads, 10);
	assert_int_equal(m->paths[0]->raced, 10);
	assert_int_equal(m->paths[0]->won, 10);
	assert_int_equal(m->paths[1]->won + m->paths[2]->won, 0);
	assert_int_equal(m->paths[0]->behind_p50, 0);
	near(m->paths[1]->behind_p50, 180 * NS_MS);
	near(m->paths[2]->behind_p99, 640 * NS_MS);
	assert_int_equal(chain_by_number(model_chain(m), 5)->first_path, 0);
	assert_int_equal(path_heard(m->paths[1], &chain_by_number(model_chain(m), 5)->h.hash),
			 RIG_T0 + 60000 * NS_MS + 180 * NS_MS);
	assert_int_equal(path_heard_at(m->paths[1], 0)->number, 10);
	assert_null(path_heard_at(m->paths[1], 10));
	model_free(m);
}

static void ties(void **state)
{
	struct model *m = rig_model(3, 1);

	(void)state;
	for (uint64_t n = 1; n <= 4; n++) {
		hear_us(m, 0, n * 12000, 10, n, SRC_PUSH);
		hear_us(m, 1, n * 12000, n % 2 ? 109 : 110, n, SRC_PUSH);
		hear_us(m, 2, n * 12000, 150, n, SRC_PUSH);
		rig_tick(m, n * 12000 + 2000);
	}
	/* Odd ones: 99 µs apart, nobody wins. Even ones: 100 µs is a difference. */
	assert_int_equal(m->paths[0]->ties, 2);
	assert_int_equal(m->paths[1]->ties, 2);
	assert_int_equal(m->paths[2]->ties, 0);
	assert_int_equal(m->paths[0]->won, 2);
	assert_int_equal(m->paths[1]->won, 0);
	model_free(m);
}

/* Alone nobody wins, and nobody is 0.0 ms behind himself. */
static void no_race_alone(void **state)
{
	struct model *m = rig_model(2, 1);

	(void)state;
	hear_us(m, 0, 12000, 0, 1, SRC_PUSH);
	rig_tick(m, 15000);
	assert_int_equal(m->paths[0]->won, 0);
	assert_int_equal(m->paths[0]->raced, 0);
	assert_int_equal(m->paths[0]->behind_p50, UNKNOWN);
	/* The second hears it 3 s later: now it was one. */
	hear_us(m, 1, 15100, 0, 1, SRC_PUSH);
	rig_tick(m, 17000);
	rig_tick(m, 19000);
	assert_int_equal(m->paths[0]->won, 1);
	near(m->paths[1]->behind_p50, 3100 * NS_MS);
	model_free(m);
}

/* "First" may be revised for a second, not for ever. */
static void revised_for_a_second(void **state)
{
	struct model *m = rig_model(3, 1);
	const struct blk *b;

	(void)state;
	hear_us(m, 0, 12000, 0, 1, SRC_PUSH);
	rig_tick(m, 12900);
	hear_us(m, 1, 11950, 0, 1, SRC_PUSH);
	b = model_chain(m)->head;
	assert_int_equal(b->first_mono, RIG_T0 + 11950 * NS_MS);
	assert_int_equal(b->first_path, 1);
	rig_tick(m, 14000);
	hear_us(m, 2, 11900, 0, 1, SRC_PUSH);
	assert_int_equal(b->first_mono, RIG_T0 + 11950 * NS_MS);
	rig_tick(m, 16000);
	assert_int_equal(m->paths[1]->won, 1);
	model_free(m);
}

static void what_is_no_arrival(void **state)
{
	struct model *m = rig_model(3, 1);
	enum head_source others[] = { SRC_FIRST, SRC_BACKFILL, SRC_GAP, SRC_WALK, SRC_ASKED };

	(void)state;
	m->paths[2]->push = false;
	for (uint64_t n = 1; n <= 5; n++) {
		hear_us(m, 0, n * 12000, 0, n, SRC_PUSH);
		hear_us(m, 1, n * 12000, 500, n, others[n - 1]);
		hear_us(m, 2, n * 12000 - 100, 0, n, SRC_POLL); /* even when it is earlier */
		rig_tick(m, n * 12000 + 2000);
	}
	rig_tick(m, 200000);
	assert_int_equal(m->paths[0]->won, 0);
	assert_int_equal(m->paths[1]->heads, 0);
	assert_int_equal(m->paths[1]->heard_n, 0);
	assert_int_equal(m->paths[1]->behind_p50, UNKNOWN);
	assert_int_equal(m->paths[2]->heads, 5);
	assert_int_equal(m->paths[2]->raced, 0);
	assert_int_equal(m->paths[2]->behind_p50, UNKNOWN);
	/* But it was known then: the block is as old as that. */
	assert_int_equal(chain_by_number(model_chain(m), 3)->first_path, 2);
	model_free(m);
}

static void missed_and_doubled(void **state)
{
	struct model *m = rig_model(3, 1);

	(void)state;
	for (uint64_t n = 1; n <= 12; n++) {
		hear_us(m, 0, n * 12000, 0, n, SRC_PUSH);
		if (n == 4)
			hear_us(m, 0, n * 12000 + 300, 0, n, SRC_PUSH);
		if (n != 5 && n != 6)
			hear_us(m, 1, n * 12000 + 30, 0, n, SRC_PUSH);
		if (n == 6)
			hear_us(m, 1, n * 12000 + 5000, 0, n, SRC_GAP); /* filled, but missed */
		if (n == 7)
			rig_link(m, 2, n * 12000 - 100, LINK_WAITING, ST_RESET);
		if (n == 9)
			rig_link(m, 2, n * 12000 - 100, LINK_LIVE, ST_OK);
		if (n < 7 || n > 9)
			hear_us(m, 2, n * 12000 + 40, 0, n, n == 10 ? SRC_FIRST : SRC_PUSH);
		rig_tick(m, n * 12000 + 2000);
	}
	rig_tick(m, 300000);
	assert_int_equal(m->paths[0]->dups, 1);
	assert_int_equal(m->paths[0]->heads, 12);
	assert_int_equal(m->paths[0]->missed, 0);
	assert_int_equal(m->paths[1]->missed, 2);
	/* What it could not hear it did not miss. */
	assert_int_equal(m->paths[2]->missed, 0);
	assert_int_equal(m->paths[2]->connects, 2);
	model_free(m);
}

/* Who was on another branch has not missed the blocks of this one. */
static void a_branch_is_no_loss(void **state)
{
	struct model *m = rig_model(3, 1);
	struct head other = rig_head(5, 1005, 4);

	(void)state;
	for (uint64_t n = 1; n <= 8; n++) {
		for (unsigned p = 0; p < 3; p++)
			if (p < 2 || (n != 5 && n != 7))
				hear_us(m, p, n * 12000, p * 500, n, SRC_PUSH);
		if (n == 5)
			rig_say(m, 2, 60001, &other, SRC_PUSH);
		rig_tick(m, n * 12000 + 2000);
	}
	rig_tick(m, 300000);
	assert_int_equal(m->paths[2]->missed, 1);
	assert_int_equal(model_race(m, RACE_ALL, false)->path[2].missed, 1);
	assert_int_equal(m->paths[0]->missed + m->paths[1]->missed, 0);
	model_free(m);
}

static void lateness(void **state)
{
	struct model *m = rig_model(1, 1), *dev = rig_model(1, 31337);
	struct event clock = { .kind = EV_CLOCK, .mono = RIG_T0, .u.clock.bound_ns = 3 * NS_MS };
	const struct blk *b;

	(void)state;
	/* Its own time is RIG_WALL0 + 12 s. */
	hear_us(m, 0, 13910, 0, 1, SRC_PUSH);
	hear_us(m, 0, 28500, 0, 2, SRC_PUSH);
	b = chain_by_number(model_chain(m), 1);
	assert_false(b->late_known); /* nobody knows how wrong this clock is */
	model_apply(m, &clock);
	assert_true(b->late_known);
	assert_int_equal(b->late_ns, 1910 * NS_MS);
	assert_false(path_heard_at(m->paths[0], 1)->late);
	assert_true(path_heard_at(m->paths[0], 0)->late); /* 4.5 s, the line is at 4 */
	hear_us(m, 0, 35990, 0, 3, SRC_PUSH);
	/* peers.md §2.3 #15: before its own time. */
	assert_int_equal(model_chain(m)->head->late_ns, -10 * (int64_t)NS_MS);
	clock.mono++;
	clock.u.clock.bound_ns = UNKNOWN;
	model_apply(m, &clock);
	assert_false(b->late_known);
	model_free(m);
	clock.mono++;
	clock.u.clock.bound_ns = 1;
	model_apply(dev, &clock);
	hear_us(dev, 0, 13910, 0, 1, SRC_PUSH);
	assert_false(model_chain(dev)->head->late_known);
	model_free(dev);
}

static void usable(void **state)
{
	struct model *m = rig_model(2, 1);

	(void)state;
	for (uint64_t n = 1; n <= 10; n++) {
		struct head h = rig_head(n, n, n - 1);

		hear_us(m, 0, n * 12000, 0, n, SRC_PUSH);
		hear_us(m, 1, n * 12000 + 180, 0, n, SRC_PUSH);
		rig_block(m, 1, n * 12000 + 300, n * 12000 + 402, rig_body(&h, 2, n * 10), SRC_PUSH);
		rig_block(m, 0, n * 12000 + 30, n * 12000 + 38, rig_body(&h, 2, n * 10), SRC_PUSH);
		rig_block(m, 0, n * 12000 + 900, n * 12000 + 950, rig_body(&h, 2, n * 10), SRC_ASKED);
		rig_tick(m, n * 12000 + 2500);
	}
	rig_tick(m, 200000);
	near(m->paths[0]->usable_p90, 38 * NS_MS);
	near(m->paths[1]->usable_p90, 402 * NS_MS); /* behind the first head of all */
	near(m->paths[1]->body_lag_p90, 222 * NS_MS); /* behind its own */
	assert_int_equal(chain_by_number(model_chain(m), 4)->usable_mono, RIG_T0 + 48038 * NS_MS);
	model_free(m);
}

static void reply(struct model *m, uint64_t ms, enum method k, enum status code, uint64_t latency)
{
	struct event e = {
		.kind = EV_REPLY,
		.mono = RIG_T0 + ms * NS_MS,
		.u.reply = { .method = (uint8_t)k, .code = (uint8_t)code, .latency_ns = latency, .wire_bytes = 100 },
	};

	if (code != ST_OK)
		snprintf(e.u.reply.text, sizeof(e.u.reply.text), "why %d", (int)code);
	model_apply(m, &e);
}

static void calls(void **state)
{
	struct model *m = rig_model(1, 1);
	struct path *p = m->paths[0];

	(void)state;
	for (unsigned i = 1; i <= 100; i++)
		reply(m, 1000 + i, M_BLOCK_NUMBER, ST_OK, i * NS_MS);
	reply(m, 1200, M_BLOCK_NUMBER, ST_RATE, 9 * NS_S); /* failures are no latencies */
	reply(m, 1200, M_PEERS, ST_UNSUPPORTED, NS_S);
	reply(m, 1200, M_PEERS, ST_OK, UNKNOWN); /* an item of a batch */
	rig_tick(m, 3000);
	assert_int_equal(p->call_n, 100);
	near(p->call_p50, 50 * NS_MS);
	near(p->call_p99, 99 * NS_MS);
	near(p->method[M_BLOCK_NUMBER].p50, 50 * NS_MS);
	assert_int_equal(p->method[M_BLOCK_NUMBER].n, 101);
	assert_int_equal(p->method[M_BLOCK_NUMBER].failed, 1);
	assert_int_equal(p->method[M_PEERS].p50, UNKNOWN);
	assert_int_equal(p->method[M_PEERS].failed, 0);
	assert_int_equal(p->errors.total_5m, 1);
	assert_int_equal(p->errors.by_code[ST_RATE], 1);
	assert_string_equal(p->errors.last, "why 14");
	/* Old samples leave, also when nothing new comes. */
	rig_tick(m, 330000);
	assert_int_equal(p->errors.total_5m, 0);
	assert_int_equal(p->call_n, 100);
	rig_tick(m, 700000);
	assert_int_equal(p->call_n, 0);
	assert_int_equal(p->call_p50, UNKNOWN);
	model_free(m);
}

static void transfer(void **state)
{
	struct model *m = rig_model(1, 1);
	struct event e = { .kind = EV_BLOCK };

	(void)state;
	for (unsigned i = 1; i <= 9; i++) {
		struct head h = rig_head(i, i, i - 1);

		e.mono = RIG_T0 + i * NS_S;
		e.u.block.block = rig_body(&h, 1, i);
		e.u.block.reads = i == 1 ? 1 : 5; /* one read is no rate */
		e.u.block.xfer_bytes = i == 1 ? 1 << 30 : 300000 * (1 + i % 2);
		e.u.block.xfer_ns = i == 1 ? 1 : NS_MS * (1 + i % 2);
		model_apply(m, &e);
		rig_tick(m, i * 1000 + 500);
		if (i < 9)
			assert_true(isnan(m->paths[0]->xfer_bytes_per_s)); /* below 8 samples */
	}
	rig_tick(m, 11000);
	assert_true(fabs(m->paths[0]->xfer_bytes_per_s / 300e6 - 1) < 1e-9);
	model_free(m);
}

static void traffic(void **state)
{
	struct model *m = rig_model(1, 1);
	struct event e = { .kind = EV_TRAFFIC };

	(void)state;
	rig_tick(m, 3000);
	assert_true(isnan(m->calls_per_min));
	for (uint64_t s = 1; s <= 200; s++) {
		e.mono = RIG_T0 + s * NS_S;
		e.u.traffic.calls = 2 * s;
		e.u.traffic.bytes_in = 900 * s;
		e.u.traffic.bytes_out = 100 * s;
		model_apply(m, &e);
		rig_tick(m, s * 1000 + 10);
		if (s == 20)
			assert_true(fabs(m->calls_per_min - 120) < 7);
	}
	assert_true(fabs(m->calls_per_min - 120) < 3);
	assert_true(fabs(m->bytes_per_min / 60000 - 1) < 0.03);
	assert_int_equal(m->paths[0]->bytes_in, 180000);
	/* Nothing any more: the rate falls, it does not stand. */
	rig_tick(m, 400000);
	assert_true(m->calls_per_min < 10);
	model_free(m);
}

/* fault 10: the subscription died, others advance. */
static void silent_is_asked_again(void **state)
{
	struct model *m = rig_model(2, 1);
	struct want w[8];
	unsigned resub = 0, n;
	uint64_t first = 0;

	(void)state;
	hear_us(m, 0, 12000, 0, 1, SRC_PUSH);
	hear_us(m, 1, 12000, 0, 1, SRC_PUSH);
	for (uint64_t k = 2; k <= 8; k++) {
		hear_us(m, 0, k * 12000, 0, k, SRC_PUSH);
		for (unsigned s = 0; s < 12; s++) {
			rig_tick(m, k * 12000 + s * 1000);
			n = model_wants(m, w, 8);
			for (unsigned i = 0; i < n; i++) {
				if (w[i].kind != CMD_RESUBSCRIBE)
					continue;
				assert_int_equal(w[i].path, 1);
				if (!resub++)
					first = k * 12 + s;
			}
		}
	}
	/* Three slots without a head: at 49 s, then once per three slots. */
	assert_int_equal(first, 49);
	assert_int_equal(resub, 2);
	model_free(m);
}

static void bodies_are_asked_for(void **state)
{
	struct model *m = rig_model(2, 1);
	struct want w[8];
	struct event miss = {
		.kind = EV_BODY_MISS,
		.u.miss = { .hash = rig_hash(1), .number = 1, .code = ST_NULL },
	};

	(void)state;
	hear_us(m, 0, 12000, 0, 1, SRC_PUSH);
	rig_tick(m, 13900);
	assert_int_equal(model_wants(m, w, 8), 0);
	rig_tick(m, 14100);
	assert_int_equal(model_wants(m, w, 8), 1);
	assert_int_equal(w[0].kind, CMD_BODY);
	assert_int_equal(w[0].path, 0);
	rig_tick(m, 15000);
	assert_int_equal(model_wants(m, w, 8), 0);
	miss.mono = RIG_T0 + 15 * NS_S;
	model_apply(m, &miss);
	rig_tick(m, 19200);
	assert_int_equal(model_wants(m, w, 8), 1);
	assert_int_equal(w[0].path, 1); /* the other one may have it */
	/* Not for ever. */
	for (uint64_t ms = 20000; ms < 200000; ms += 1000) {
		rig_tick(m, ms);
		if (ms > 100000)
			assert_int_equal(model_wants(m, w, 8), 0);
		else
			model_wants(m, w, 8);
	}
	model_free(m);
}

static void glass(void **state)
{
	struct model *m = rig_model(1, 1);

	(void)state;
	model_glass(m, RIG_T0, RIG_T0 + 6 * NS_MS, false);
	model_glass(m, RIG_T0, RIG_T0 + 900 * NS_MS, true); /* our own fault: not the screen's */
	model_glass(m, RIG_T0 + 5, RIG_T0, false);
	rig_tick(m, 2000);
	assert_int_equal(m->own.glass_n, 1);
	assert_int_equal(m->own.glass_skipped, 2);
	near(m->own.glass_p99, 6 * NS_MS);
	assert_true(isnan(m->own.cpu));
	for (uint64_t s = 3; s < 10; s++) {
		rig_tick(m, s * 1000);
		model_own(m, s * 20 * NS_MS, 1 << 20, 1, 2, 0);
	}
	assert_true(fabs(m->own.cpu - 0.02) < 1e-9);
	model_free(m);
}

/* A head of `number` that two paths hear so many µs after its time; 0 at least one of them. */
static void both_hear(struct model *m, uint64_t number, uint64_t a_us, uint64_t b_us)
{
	struct head h = rig_head(number, number, number - 1);

	for (unsigned p = 0; p < 2; p++) {
		struct event e = {
			.kind = EV_HEAD,
			.path = (uint16_t)p,
			.mono = RIG_T0 + number * RIG_SLOT_MS * NS_MS + (p ? b_us : a_us) * NS_US,
			.wall = RIG_WALL0 + number * RIG_SLOT_MS * NS_MS,
			.u.head = { .h = h, .source = SRC_PUSH },
		};

		model_apply(m, &e);
	}
}

static void duels(void **state)
{
	struct model *m = rig_model(2, 1);
	struct duel d = model_duel(m, 0, 1, RACE_ALL);

	(void)state;
	assert_int_equal(d.n, 0);
	assert_true(d.p == 1);
	for (unsigned i = 0; i < 50; i++)
		both_hear(m, 100 + i, i < 20 ? 0 : i < 38 ? 500 : 50, i < 20 ? 500 : 0);
	rig_tick(m, 150 * RIG_SLOT_MS);
	d = model_duel(m, 0, 1, RACE_ALL);
	assert_int_equal(d.n, 50);
	assert_int_equal(d.a_first, 20);
	assert_int_equal(d.b_first, 18);
	assert_int_equal(d.ties, 12);
	/* 2 × P(at most 18 of 38), by an independent sum of binomials. */
	assert_true(d.p > 0.8713 && d.p < 0.8715);
	for (unsigned i = 50; i < 80; i++)
		both_hear(m, 100 + i, 0, 500);
	rig_tick(m, 180 * RIG_SLOT_MS);
	d = model_duel(m, 1, 0, RACE_ALL);
	assert_int_equal(d.a_first, 18);
	assert_int_equal(d.b_first, 50);
	assert_true(d.p > 0.0001 && d.p < 0.0002);
	model_free(m);
}

/* Heads 1 … n at 12 s each; path p hears them delay[p] ms later (UINT64_MAX: not at all). */
static void schedule(struct model *m, uint64_t from, uint64_t to, const uint64_t *delay_ms)
{
	for (uint64_t n = from; n <= to; n++) {
		for (unsigned p = 0; p < m->n_paths; p++)
			if (delay_ms[p] != UINT64_MAX)
				hear_us(m, p, n * 12000 + delay_ms[p], 0, n, SRC_PUSH);
		rig_tick(m, n * 12000 + 3000);
	}
}

/* Figures of a window come from the races themselves: exact, and old ones leave. */
static void windows(void **state)
{
	struct model *m = rig_model(3, 1);
	const struct race_view *v;

	(void)state;
	assert_int_equal(model_race(m, RACE_ALL, false)->heads, 0);
	assert_int_equal(model_race(m, RACE_ALL, false)->path[0].behind.p50, UNKNOWN);
	for (uint64_t n = 1; n <= 100; n++) {
		uint64_t delay[3] = { 0, 100 + n, n % 10 == 0 ? UINT64_MAX : 700 };

		schedule(m, n, n, delay);
	}
	rig_tick(m, 1260000);
	v = model_race(m, RACE_ALL, false);
	assert_int_equal(v->heads, 100);
	assert_int_equal(v->raced, 100);
	assert_int_equal(v->nodes, 3);
	assert_int_equal(v->path[0].won, 100);
	assert_int_equal(v->path[0].behind.max, 0);
	/* Nearest rank of 101 … 200. */
	assert_int_equal(v->path[1].behind.n, 100);
	assert_int_equal(v->path[1].behind.p10, 110 * NS_MS);
	assert_int_equal(v->path[1].behind.p50, 150 * NS_MS);
	assert_int_equal(v->path[1].behind.p90, 190 * NS_MS);
	assert_int_equal(v->path[1].behind.p99, 199 * NS_MS);
	assert_int_equal(v->path[1].behind.max, 200 * NS_MS);
	assert_int_equal(v->path[2].raced, 90);
	assert_int_equal(v->path[2].missed, 10);
	assert_int_equal(v->path[2].overhead.n, 0);
	/* Ten minutes back from 21 m: heads from 11 m on, 55 … 100. */
	v = model_race(m, RACE_10M, false);
	assert_int_equal(v->heads, 46);
	assert_int_equal(v->span_ns, 600 * NS_S);
	assert_int_equal(v->path[1].behind.p50, 177 * NS_MS);
	assert_int_equal(v->path[2].missed, 5);
	assert_int_equal(model_race(m, RACE_1H, false)->heads, 100);
	rig_tick(m, 1270000);
	assert_int_equal(model_race(m, RACE_10M, false)->heads, 45);
	model_free(m);
}

/* Trap b: from here, and whose node is faster. */
static void minus_half_the_round_trip(void **state)
{
	struct model *m = rig_model(3, 1);
	const struct race_view *v;
	uint64_t delay[3] = { 0, 60, 5 };

	(void)state;
	schedule(m, 1, 10, delay);
	for (unsigned p = 0; p < 2; p++) {
		for (unsigned i = 0; i < 5; i++) {
			struct event e = {
				.kind = EV_REPLY,
				.path = (uint16_t)p,
				.mono = RIG_T0 + (130000 + i) * NS_MS,
				.u.reply = { .method = M_CHAIN_ID, .wire_bytes = 60 },
			};

			/* The fastest counts; a large answer is no round trip. */
			e.u.reply.latency_ns = (p ? 100 : 2) * NS_MS + i * NS_MS;
			if (i == 3) {
				e.u.reply.wire_bytes = 100000;
				e.u.reply.latency_ns = 1;
			}
			model_apply(m, &e);
			rig_tick(m, 130000 + i);
			if (i < 2)
				assert_int_equal(m->paths[p]->rtt_ns, UNKNOWN);
		}
	}
	rig_tick(m, 145000);
	assert_int_equal(m->paths[0]->rtt_ns, 2 * NS_MS);
	assert_int_equal(m->paths[1]->rtt_ns, 100 * NS_MS);
	assert_int_equal(m->paths[2]->rtt_ns, UNKNOWN);
	v = model_race(m, RACE_ALL, false);
	assert_int_equal(v->path[0].won, 10);
	assert_int_equal(v->path[1].behind.p50, 60 * NS_MS);
	/* 0 − 1 and 60 − 50: 11 ms apart; the third cannot be compared. */
	v = model_race(m, RACE_ALL, true);
	assert_int_equal(v->path[0].won, 10);
	assert_int_equal(v->path[1].behind.p50, 11 * NS_MS);
	assert_int_equal(v->path[2].raced, 0);
	assert_int_equal(v->path[2].behind.p50, UNKNOWN);
	/* It is forgotten after ten minutes. */
	rig_tick(m, 900000);
	assert_int_equal(m->paths[0]->rtt_ns, UNKNOWN);
	model_free(m);
}

/* Trap g: ws and ipc of one node. */
static void overhead_is_no_race(void **state)
{
	struct model *m = rig_model(2, 1), *two = rig_model(3, 1);
	uint64_t delay[3] = { 3, 0, 40 };
	const struct race_view *v;

	(void)state;
	m->paths[1]->node_index = two->paths[1]->node_index = 0;
	schedule(m, 1, 10, delay);
	schedule(two, 1, 10, delay);
	v = model_race(m, RACE_ALL, false);
	assert_int_equal(v->heads, 10);
	assert_int_equal(v->raced, 0);
	assert_int_equal(v->nodes, 1);
	assert_int_equal(v->path[0].raced + v->path[0].won + v->path[1].won + v->path[1].ties, 0);
	assert_int_equal(v->path[0].overhead.p50, 3 * NS_MS);
	assert_int_equal(v->path[1].overhead.p50, 0);
	assert_int_equal(m->paths[0]->raced + m->paths[1]->won, 0);
	near(m->paths[0]->behind_p50, 3 * NS_MS);
	v = model_race(two, RACE_ALL, false);
	assert_int_equal(v->raced, 10);
	assert_int_equal(v->nodes, 2);
	assert_int_equal(v->path[1].won, 10);
	assert_int_equal(v->path[2].behind.p50, 40 * NS_MS);
	assert_int_equal(v->path[0].overhead.p50, 3 * NS_MS);
	assert_int_equal(v->path[2].overhead.n, 0);
	assert_int_equal(two->paths[1]->won, 10);
	/* A second node hears it after all: now somebody has won. */
	hear_us(two, 0, 132000, 0, 11, SRC_PUSH);
	hear_us(two, 1, 132001, 0, 11, SRC_PUSH);
	rig_tick(two, 134000);
	assert_int_equal(two->paths[0]->won, 0);
	hear_us(two, 2, 134100, 0, 11, SRC_PUSH);
	rig_tick(two, 136000);
	assert_int_equal(two->paths[0]->won, 1);
	v = model_race(two, RACE_ALL, false);
	assert_int_equal(v->path[0].won, 1);
	assert_int_equal(v->path[2].behind.max, 2100 * NS_MS);
	assert_int_equal(two->paths[2]->raced, 11);
	model_free(m);
	model_free(two);
}

static void late_of_the_best(void **state)
{
	struct model *m = rig_model(2, 1);
	struct event clock = { .kind = EV_CLOCK, .mono = RIG_T0, .u.clock.bound_ns = 3 * NS_MS };
	const struct race_view *v;

	(void)state;
	for (uint64_t n = 1; n <= 10; n++) {
		uint64_t delay[2] = { 1000 + n * 100, 3000 };

		schedule(m, n, n, delay);
	}
	rig_tick(m, 126000);
	assert_int_equal(model_race(m, RACE_ALL, false)->late.n, 0);
	model_apply(m, &clock);
	v = model_race(m, RACE_ALL, false);
	assert_int_equal(v->late.n, 10);
	assert_int_equal(v->late.p50, 1500 * (int64_t)NS_MS);
	assert_int_equal(v->late.max, 2000 * (int64_t)NS_MS);
	assert_int_equal(v->late.early, 0);
	/* Before its own time: by less than the clock may be off, and by more. */
	hear_us(m, 0, 11 * 12000 - 2, 0, 11, SRC_PUSH);
	hear_us(m, 0, 12 * 12000 - 50, 0, 12, SRC_PUSH);
	rig_tick(m, 150000);
	v = model_race(m, RACE_ALL, false);
	assert_int_equal(v->late.early, 1);
	assert_int_equal(v->late.min, -50 * (int64_t)NS_MS);
	/* A clock that nobody keeps. */
	clock.mono++;
	clock.u.clock.bound_ns = 16 * NS_S;
	model_apply(m, &clock);
	assert_int_equal(model_race(m, RACE_ALL, false)->late.n, 0);
	model_free(m);
}

/* More than are kept: the newest count, and memory ends somewhere. */
static void the_log_is_bounded(void **state)
{
	struct model *m = rig_model(2, 1), *copy;
	const struct race_view *v;

	(void)state;
	for (uint64_t n = 1; n <= RACES_LOGGED + 500; n++) {
		hear_us(m, 0, n * 20, 0, n, SRC_PUSH);
		hear_us(m, 1, n * 20 + (n <= 500 ? 9 : 4), 0, n, SRC_PUSH);
		if (n % 50 == 0)
			rig_tick(m, n * 20);
	}
	rig_tick(m, (RACES_LOGGED + 500) * 20 + 2000);
	v = model_race(m, RACE_ALL, false);
	assert_int_equal(v->heads, RACES_LOGGED);
	assert_int_equal(v->path[1].behind.max, 4 * NS_MS);
	copy = model_clone(m);
	assert_non_null(copy);
	hear_us(m, 0, 9000 * 20, 0, 9000, SRC_PUSH);
	rig_tick(m, 9000 * 20 + 2000);
	assert_int_equal(model_race(copy, RACE_ALL, false)->path[1].behind.p50, 4 * NS_MS);
	model_free(copy);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duels),
		cmocka_unit_test(windows),
		cmocka_unit_test(minus_half_the_round_trip),
		cmocka_unit_test(overhead_is_no_race),
		cmocka_unit_test(late_of_the_best),
		cmocka_unit_test(the_log_is_bounded),
		cmocka_unit_test(first_and_behind),
		cmocka_unit_test(ties),
		cmocka_unit_test(no_race_alone),
		cmocka_unit_test(revised_for_a_second),
		cmocka_unit_test(what_is_no_arrival),
		cmocka_unit_test(missed_and_doubled),
		cmocka_unit_test(a_branch_is_no_loss),
		cmocka_unit_test(lateness),
		cmocka_unit_test(usable),
		cmocka_unit_test(calls),
		cmocka_unit_test(transfer),
		cmocka_unit_test(traffic),
		cmocka_unit_test(silent_is_asked_again),
		cmocka_unit_test(bodies_are_asked_for),
		cmocka_unit_test(glass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
