/* model/ranking: what keeps a path out of the order, and what an order needs. The rules of ties are in test_compare. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "model/compare.h"
#include "model_rig.h"

/* Heads from … to, one each 12 s; path p hears them p × 10 ms after the first. */
static void heads(struct model *m, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n <= to; n++) {
		struct head h = rig_head(n, n, n - 1);

		for (unsigned p = 0; p < m->n_paths; p++)
			rig_say(m, p, n * RIG_SLOT_MS + p * 10, &h, SRC_PUSH);
		rig_tick(m, n * RIG_SLOT_MS + 3000);
	}
}

static enum gate gate_of(const struct model *m, unsigned path)
{
	struct ranking r;

	ranking_make(&r, m, RANK_SEARCHER, RACE_ALL);
	return r.gate[path];
}

static void thirty_heads(void **state)
{
	struct model *m = rig_model(3, 1);
	struct ranking r;

	(void)state;
	heads(m, 1, 29);
	ranking_make(&r, m, RANK_SEARCHER, RACE_ALL);
	assert_int_equal(r.ranked, 0);
	assert_int_equal(r.have, 29);
	assert_int_equal(r.gate[0], GATE_FEW);
	heads(m, 30, 30);
	ranking_make(&r, m, RANK_SEARCHER, RACE_ALL);
	assert_int_equal(r.ranked, 3);
	assert_int_equal(r.key, KEY_HEARD);
	for (unsigned p = 0; p < 3; p++) {
		assert_int_equal(r.row[p], p);
		assert_int_equal(r.rank[p], p + 1);
		assert_false(r.tied[p]);
	}
	model_free(m);
}

/* A body that does not fit its header, while another path's does: whoever gave it is out. */
static void a_wrong_block(void **state)
{
	struct model *m = rig_model(2, 1);

	(void)state;
	heads(m, 1, 40);
	rig_verdict(m, 1, 40 * RIG_SLOT_MS + 3100, 39, TRUTH_NO, "transactionsRoot");
	rig_tick(m, 40 * RIG_SLOT_MS + 4000);
	/* Alone it may be ours. */
	assert_int_equal(gate_of(m, 1), GATE_OPEN);
	rig_verdict(m, 0, 40 * RIG_SLOT_MS + 4100, 39, TRUTH_YES, "");
	rig_tick(m, 40 * RIG_SLOT_MS + 5000);
	assert_int_equal(gate_of(m, 1), GATE_WRONG);
	assert_int_equal(gate_of(m, 0), GATE_OPEN);
	model_free(m);
}

/* The window forgets: of an hour ago, ten minutes say nothing. */
static void wrong_an_hour_ago(void **state)
{
	struct model *m = rig_model(2, 1);
	struct ranking r;

	(void)state;
	heads(m, 1, 40);
	rig_verdict(m, 1, 40 * RIG_SLOT_MS + 3100, 39, TRUTH_NO, "transactionsRoot");
	rig_verdict(m, 0, 40 * RIG_SLOT_MS + 4100, 39, TRUTH_YES, "");
	heads(m, 41, 140);
	ranking_make(&r, m, RANK_SEARCHER, RACE_10M);
	assert_int_equal(r.gate[1], GATE_OPEN);
	ranking_make(&r, m, RANK_SEARCHER, RACE_1H);
	assert_int_equal(r.gate[1], GATE_WRONG);
	model_free(m);
}

static void another_branch(void **state)
{
	struct model *m = rig_model(3, 1);
	struct ranking r;

	(void)state;
	heads(m, 1, 40);
	for (uint64_t n = 41; n <= 50; n++) {
		struct head h = rig_head(n, n, n - 1), fork = rig_head(n, 1000 + n, n == 41 ? 40 : 999 + n);

		rig_say(m, 0, n * RIG_SLOT_MS, &h, SRC_PUSH);
		rig_say(m, 1, n * RIG_SLOT_MS + 10, &h, SRC_PUSH);
		rig_say(m, 2, n * RIG_SLOT_MS, &fork, SRC_PUSH);
		rig_tick(m, n * RIG_SLOT_MS + 3000);
	}
	ranking_make(&r, m, RANK_SEARCHER, RACE_ALL);
	assert_int_equal(r.height, 47);
	assert_int_equal(r.gate[2], GATE_HASH);
	assert_int_equal(r.same[0], SAME_YES);
	assert_int_equal(r.rank[0], 1);
	assert_int_equal(r.rank[2], 0);
	assert_int_equal(r.row[2], 2);
	model_free(m);
}

/* Closer than 0.1 ms on every head is a tie, whoever is first. */
static void closer_than_can_be_told(void **state)
{
	struct model *m = rig_model(2, 1);
	struct ranking r;

	(void)state;
	for (uint64_t n = 1; n <= 40; n++) {
		struct head h = rig_head(n, n, n - 1);

		for (unsigned p = 0; p < 2; p++) {
			struct event e = {
				.kind = EV_HEAD,
				.path = (uint16_t)p,
				.mono = RIG_T0 + n * RIG_SLOT_MS * NS_MS + p * 99 * NS_US,
				.wall = RIG_WALL0 + n * RIG_SLOT_MS * NS_MS,
				.u.head = { .h = h, .source = SRC_PUSH },
			};

			model_apply(m, &e);
		}
		rig_tick(m, n * RIG_SLOT_MS + 3000);
	}
	ranking_make(&r, m, RANK_SEARCHER, RACE_ALL);
	assert_true(r.tied[0] && r.tied[1] && r.rank[0] == 1 && r.rank[1] == 1);
	model_free(m);
}

/* The node's worst check; a tie where it is the same. */
static void for_an_operator(void **state)
{
	struct model *m = rig_model(2, 1);
	struct compare c;
	char text[400];

	(void)state;
	heads(m, 1, 40);
	for (unsigned i = 1; i <= 5; i++)
		rig_tick(m, 40 * RIG_SLOT_MS + 3000 + i * 1000);
	compare_make(&c, m, RANK_OPERATOR, RACE_ALL);
	assert_int_equal(c.r.ranked, 2);
	assert_true(c.r.tied[0] && c.r.tied[1]);
	compare_headline(&c, text, sizeof(text));
	assert_string_equal(text, "Best for an operator: n0 ws and n1 ws tie (worst health check OK, OK).");
	/* One hears nothing more while the other goes on. */
	for (uint64_t n = 41; n <= 50; n++) {
		struct head h = rig_head(n, n, n - 1);

		rig_say(m, 0, n * RIG_SLOT_MS, &h, SRC_PUSH);
		for (unsigned i = 1; i <= 11; i++)
			rig_tick(m, n * RIG_SLOT_MS + i * 1000);
	}
	compare_make(&c, m, RANK_OPERATOR, RACE_ALL);
	assert_int_equal(c.r.rank[0], 1);
	assert_int_equal(c.r.rank[1], 2);
	assert_false(c.r.tied[1]);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirty_heads),
		cmocka_unit_test(a_wrong_block),
		cmocka_unit_test(wrong_an_hour_ago),
		cmocka_unit_test(another_branch),
		cmocka_unit_test(closer_than_can_be_told),
		cmocka_unit_test(for_an_operator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
