/* Which branch is followed: reorgs of every shape, balanced backends, majorities, what became of the losers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/tree.h"
#include "model_rig.h"

static void same_height_reorg(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head other = rig_head(110, 1110, 109), next = rig_head(111, 1111, 1110);
	const struct blk *rows[4];
	struct chain *c;

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_say(m, 0, 1320900, &other, SRC_PUSH);
	rig_tick(m, 1321500);
	c = model_chain(m);
	assert_true(hash_eq(&c->head->h.hash, &other.hash));
	assert_int_equal(c->reorg_count, 1);
	assert_int_equal(c->reorgs[0].number, 110);
	assert_int_equal(c->reorgs[0].depth, 1);
	assert_true(hash_eq(&c->reorgs[0].to, &other.hash));
	assert_int_equal(c->reorgs[0].path, 0);
	assert_true(rig_noted(m, "reorg depth 1 at 110: "));
	rig_say(m, 0, 1332000, &next, SRC_PUSH);
	rig_tick(m, 1333000);
	assert_int_equal(chain_rows(c, 0, rows, 4), 4);
	assert_int_equal(rows[0]->h.number, 111);
	assert_int_equal(rows[1]->state, BLK_CANON);
	assert_true(hash_eq(&rows[1]->h.hash, &other.hash));
	assert_int_equal(rows[2]->h.number, 110);
	assert_int_equal(rows[2]->state, BLK_ORPHAN);
	assert_true(hash_eq(&rows[2]->winner, &other.hash));
	assert_int_equal(rows[2]->orphaned_mono, RIG_T0 + 1320900 * NS_MS);
	assert_int_equal(rows[2]->reincluded, -1);
	assert_int_equal(c->reorg_count, 1);
	rig_check(m, true);
	model_free(m);
}

/* The new branch is told top first and then walked by hash, as after a silence. */
static void deep_reorg(unsigned depth, bool top_first)
{
	struct model *m = rig_model(1, 1);
	uint64_t tip = 100 + depth, ms = (tip + 1) * 12000;
	struct chain *c;
	char text[64];

	rig_run(m, 0, 100, tip);
	if (top_first) {
		struct head h = rig_head(tip + 1, 10000 + tip + 1, 10000 + tip);

		rig_say(m, 0, ms, &h, SRC_PUSH);
		rig_tick(m, ms += 300);
		for (uint64_t n = tip; n > 100; n--) {
			h = rig_head(n, 10000 + n, n == 101 ? 100 : 10000 + n - 1);
			rig_say(m, 0, ms += 5, &h, SRC_WALK);
			if (n % 7 == 0)
				rig_tick(m, ms);
		}
	} else {
		for (uint64_t n = 101; n <= tip + 1; n++) {
			struct head h = rig_head(n, 10000 + n, n == 101 ? 100 : 10000 + n - 1);

			rig_say(m, 0, ms += 5, &h, SRC_PUSH);
		}
	}
	rig_tick(m, ms + 1000);
	c = model_chain(m);
	assert_int_equal(c->head->h.number, tip + 1);
	for (uint64_t n = 101; n <= tip; n++) {
		struct hash is = rig_hash(10000 + n), was = rig_hash(n);

		assert_true(hash_eq(&chain_by_number(c, n)->h.hash, &is));
		assert_int_equal(chain_by_hash(c, &was)->state, BLK_ORPHAN);
	}
	assert_int_equal(chain_by_number(c, 100)->state, BLK_CANON);
	assert_false(chain_by_number(c, 101)->gap_before);
	/* However it was learnt, it is one reorg. */
	assert_int_equal(c->reorg_count, 1);
	assert_int_equal(c->reorgs[0].number, 101);
	assert_int_equal(c->reorgs[0].depth, depth);
	snprintf(text, sizeof(text), "reorg depth %u at 101: ", depth);
	assert_true(rig_noted(m, text));
	rig_check(m, true);
	model_free(m);
}

static void deep_reorgs(void **state)
{
	(void)state;
	deep_reorg(64, false);
	deep_reorg(100, false);
	deep_reorg(64, true);
	deep_reorg(100, true);
}

/* Two nodes that were never of one mind: which of them is heard first, and which is followed then, is no reorg. */
static void two_chains_are_no_reorg(void **state)
{
	struct model *m = rig_model(2, 1);
	struct hash other = rig_hash(1105);
	struct head h;
	struct chain *c;

	(void)state;
	h = rig_head(110, 1110, 1109);
	rig_say(m, 0, 1320000, &h, SRC_PUSH);
	for (uint64_t n = 109; n >= 100; n--) {
		h = rig_head(n, 1000 + n, 1000 + n - 1);
		rig_say(m, 0, 1320005, &h, SRC_WALK);
	}
	h = rig_head(110, 110, 109);
	rig_say(m, 1, 1320020, &h, SRC_PUSH);
	rig_tick(m, 1321000);
	h = rig_head(111, 111, 110);
	rig_say(m, 1, 1332000, &h, SRC_PUSH);
	h = rig_head(111, 1111, 1110);
	rig_say(m, 0, 1332500, &h, SRC_PUSH);
	rig_tick(m, 1333000);
	for (uint64_t n = 109; n >= 100; n--) {
		h = rig_head(n, n, n - 1);
		rig_say(m, 1, 1333000 + (109 - n) * 1000, &h, SRC_WALK);
		rig_tick(m, 1333500 + (109 - n) * 1000);
	}
	c = model_chain(m);
	h = rig_head(111, 111, 110);
	assert_true(hash_eq(&c->head->h.hash, &h.hash));
	h = rig_head(105, 105, 104);
	assert_true(hash_eq(&chain_by_number(c, 105)->h.hash, &h.hash));
	assert_int_equal(chain_by_hash(c, &other)->state, BLK_SIDE);
	assert_int_equal(c->reorg_count, 0);
	assert_false(rig_noted(m, "reorg"));
	/* Now the other one is heard first, for a time. */
	h = rig_head(112, 1112, 1111);
	rig_say(m, 0, 1343000, &h, SRC_PUSH);
	rig_tick(m, 1343500);
	assert_true(hash_eq(&c->head->h.hash, &h.hash));
	assert_int_equal(c->reorg_count, 0);
	/* One that turns to the other's branch does make one. */
	h = rig_head(112, 112, 111);
	rig_say(m, 0, 1344000, &h, SRC_PUSH);
	rig_tick(m, 1345000);
	assert_true(hash_eq(&c->head->h.hash, &h.hash));
	assert_int_equal(c->reorg_count, 1);
	rig_check(m, true);
	model_free(m);
}

/* The same where the other one's head lies above all that is known of the first. */
static void a_head_above_is_no_reorg(void **state)
{
	struct model *m = rig_model(2, 1);
	struct head h;

	(void)state;
	for (uint64_t n = 109; n >= 100; n--) {
		h = rig_head(n, 1000 + n, 1000 + n - 1);
		rig_say(m, 0, 1320005, &h, SRC_BACKFILL);
	}
	h = rig_head(110, 110, 109);
	rig_say(m, 1, 1320020, &h, SRC_BACKFILL);
	rig_tick(m, 1321000);
	assert_true(hash_eq(&model_chain(m)->head->h.hash, &h.hash));
	h = rig_head(111, 111, 110);
	rig_say(m, 1, 1321500, &h, SRC_FIRST);
	rig_tick(m, 1322000);
	for (uint64_t n = 109; n >= 100; n--) {
		h = rig_head(n, n, n - 1);
		rig_say(m, 1, 1322000 + (109 - n) * 1000, &h, SRC_ASKED);
		rig_tick(m, 1322500 + (109 - n) * 1000);
	}
	h = rig_head(101, 101, 100);
	assert_true(hash_eq(&chain_by_number(model_chain(m), 101)->h.hash, &h.hash));
	assert_int_equal(model_chain(m)->reorg_count, 0);
	rig_check(m, true);
	model_free(m);
}

/* anvil_reorg, evm_revert: the chain becomes shorter, the next head is below the old one but of another branch. */
static void shortening_reorg(void **state)
{
	struct model *m = rig_model(2, 31337);
	struct head h = rig_head(108, 1108, 107);
	struct chain *c;

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_say(m, 0, 1330000, &h, SRC_PUSH);
	rig_tick(m, 1330300);
	c = model_chain(m);
	assert_true(hash_eq(&c->head->h.hash, &h.hash));
	assert_int_equal(c->reorgs[0].number, 108);
	assert_int_equal(c->reorgs[0].depth, 3);
	assert_null(chain_by_number(c, 109));
	rig_check(m, true);
	model_free(m);
}

/* A balanced endpoint: its head goes back, the chain does not (provider.md fault 51, screens.md §3 trap c). */
static void going_back_is_no_reorg(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head old = rig_head(108, 108, 107), far = rig_head(50, 50, 49), next = rig_head(111, 111, 110);

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_say(m, 0, 1330000, &old, SRC_POLL);
	rig_tick(m, 1330300);
	assert_int_equal(model_chain(m)->head->h.number, 110);
	assert_int_equal(m->paths[0]->head_number, 108);
	assert_int_equal(m->paths[0]->behind_blocks, 2);
	rig_say(m, 0, 1331000, &far, SRC_POLL); /* older than anything known here */
	rig_tick(m, 1331300);
	assert_int_equal(model_chain(m)->head->h.number, 110);
	rig_say(m, 0, 1332000, &next, SRC_POLL);
	rig_tick(m, 1332300);
	assert_int_equal(model_chain(m)->head->h.number, 111);
	assert_int_equal(model_chain(m)->reorg_count, 0);
	rig_check(m, true);
	model_free(m);
}

/* A first-seen backend that never announced it before: the ancestor was only backfilled. */
static void going_back_is_counted(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head old = rig_head(99, 99, 98);

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_say(m, 0, 1330000, &old, SRC_BACKFILL);
	rig_tick(m, 1330100);
	rig_say(m, 0, 1330200, &old, SRC_POLL);
	rig_tick(m, 1330500);
	assert_int_equal(m->paths[0]->backs, 1);
	assert_int_equal(model_chain(m)->n_setbacks, 1);
	assert_int_equal(model_chain(m)->setbacks[0].from, 110);
	assert_int_equal(model_chain(m)->setbacks[0].to, 99);
	assert_int_equal(model_chain(m)->setbacks[0].mono, RIG_T0 + 1330200 * NS_MS);
	assert_int_equal(model_chain(m)->head->h.number, 110);
	assert_int_equal(model_chain(m)->reorg_count, 0);
	model_free(m);
}

/* A chain that was set back further than is known: three heads in a row say so. */
static void set_back_out_of_sight(void **state)
{
	struct model *m = rig_model(1, 31337);
	struct chain *c;

	(void)state;
	rig_run(m, 0, 100, 110);
	for (uint64_t n = 1; n <= 3; n++) {
		struct head h = rig_head(n, 5000 + n, 5000 + n - 1);

		rig_say(m, 0, 1400000 + n * 1000, &h, SRC_PUSH);
		rig_tick(m, 1400000 + n * 1000 + 300);
	}
	c = model_chain(m);
	assert_int_equal(c->head->h.number, 3);
	assert_int_equal(c->reorgs[0].depth, 11);
	rig_check(m, true);
	model_free(m);
}

static void reconnect_to_a_younger_chain(void **state)
{
	struct model *m = rig_model(1, 31337);
	struct head h = rig_head(5, 5005, 5004);

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_link(m, 0, 1400000, LINK_WAITING, ST_CLOSED);
	rig_link(m, 0, 1401000, LINK_LIVE, ST_OK);
	rig_chain(m, 0, 1401000, 31337, 7);
	rig_say(m, 0, 1401010, &h, SRC_GAP);
	rig_tick(m, 1401500);
	assert_int_equal(model_chain(m)->head->h.number, 5);
	rig_check(m, true);
	model_free(m);
}

static void majority_decides(void **state)
{
	struct model *m = rig_model(3, 1);
	struct head other = rig_head(110, 1110, 109);
	struct chain *c;

	(void)state;
	rig_run(m, 0, 100, 110);
	for (unsigned p = 1; p < 3; p++) {
		struct head h = rig_head(110, 110, 109);

		rig_say(m, p, 1320050, &h, SRC_PUSH);
	}
	rig_say(m, 2, 1320500, &other, SRC_PUSH);
	rig_tick(m, 1320700);
	c = model_chain(m);
	/* One of three is on another branch. */
	assert_int_equal(c->reorg_count, 0);
	assert_int_equal(chain_by_hash(c, &other.hash)->state, BLK_SIDE);
	assert_int_equal(chain_row_of(c, &other.hash), 1);
	rig_say(m, 1, 1320800, &other, SRC_PUSH);
	rig_tick(m, 1321000);
	assert_true(hash_eq(&c->head->h.hash, &other.hash));
	assert_int_equal(c->reorg_count, 1);
	rig_say(m, 0, 1321100, &other, SRC_PUSH);
	rig_tick(m, 1321500);
	assert_int_equal(c->reorg_count, 1);
	rig_check(m, true);
	model_free(m);
}

/* That a node changed its branch once does not decide the forks that come later. */
static void an_old_change_decides_nothing(void **state)
{
	struct model *m = rig_model(2, 1);
	struct head first = rig_head(111, 111, 110), other = rig_head(111, 1111, 110), next = rig_head(112, 1112, 1111);
	struct head east = rig_head(113, 113, 1112), west = rig_head(113, 1113, 1112);

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_run(m, 1, 110, 110);
	for (unsigned p = 0; p < 2; p++) {
		/* Both change, the second a little later. */
		rig_say(m, p, 1332000, &first, SRC_PUSH);
		rig_say(m, p, 1332500 + p * 20, &other, SRC_PUSH);
		rig_say(m, p, 1344000 + p, &next, SRC_PUSH);
	}
	rig_tick(m, 1345000);
	assert_int_equal(model_chain(m)->reorg_count, 1);
	rig_say(m, 0, 1356000, &east, SRC_PUSH);
	rig_tick(m, 1356300);
	rig_say(m, 1, 1356400, &west, SRC_PUSH);
	rig_tick(m, 1357000);
	assert_true(hash_eq(&model_chain(m)->head->h.hash, &east.hash));
	assert_int_equal(model_chain(m)->reorg_count, 1);
	rig_check(m, true);
	model_free(m);
}

/* A slow path that still tells the loser does not bring it back. */
static void slow_path_does_not_flap(void **state)
{
	struct model *m = rig_model(2, 1);
	struct head a = rig_head(111, 111, 110), b = rig_head(111, 1111, 110);

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_run(m, 1, 110, 110);
	rig_say(m, 0, 1332000, &a, SRC_PUSH);
	rig_tick(m, 1332150);
	rig_say(m, 0, 1332200, &b, SRC_PUSH);
	rig_tick(m, 1332400);
	assert_true(hash_eq(&model_chain(m)->head->h.hash, &b.hash));
	rig_say(m, 1, 1332500, &a, SRC_PUSH);
	rig_tick(m, 1332650);
	assert_true(hash_eq(&model_chain(m)->head->h.hash, &b.hash));
	rig_say(m, 1, 1332700, &b, SRC_PUSH);
	rig_tick(m, 1333000);
	assert_true(hash_eq(&model_chain(m)->head->h.hash, &b.hash));
	assert_int_equal(model_chain(m)->reorg_count, 1);
	rig_check(m, true);
	model_free(m);
}

static void reincluded(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head loser = rig_head(111, 111, 110), winner = rig_head(111, 1111, 110), next = rig_head(112, 112, 1111);
	const struct reorg *r;
	struct chain *c;

	(void)state;
	rig_run(m, 0, 100, 110);
	c = model_chain(m);
	rig_say(m, 0, 1332000, &loser, SRC_PUSH);
	rig_block(m, 0, 1332050, 1332060, rig_body(&loser, 97, 5000), SRC_PUSH);
	rig_tick(m, 1332300);
	rig_say(m, 0, 1336000, &winner, SRC_PUSH);
	rig_tick(m, 1336300);
	assert_int_equal(chain_by_hash(c, &loser.hash)->state, BLK_ORPHAN);
	assert_int_equal(chain_by_hash(c, &loser.hash)->reincluded, -1);
	/* 90 of its transactions are in the winner. */
	rig_block(m, 0, 1336400, 1336410, rig_body(&winner, 120, 5007), SRC_PUSH);
	rig_tick(m, 1336700);
	assert_int_equal(chain_by_hash(c, &loser.hash)->reincluded, 90);
	assert_true(rig_noted(m, "90 of 97 txs re-included"));
	/* Five of the seven others come with the next block. */
	rig_say(m, 0, 1344000, &next, SRC_PUSH);
	rig_block(m, 0, 1344050, 1344060, rig_body(&next, 5, 5002), SRC_PUSH);
	rig_tick(m, 1344500);
	assert_int_equal(chain_by_hash(c, &loser.hash)->reincluded, 95);
	assert_true(rig_noted(m, "95 of 97 txs re-included"));
	/* The log of reorgs: what it cost. */
	r = &c->reorgs[0];
	rig_tick(m, 1344700);
	assert_int_equal(r->lived_ns, 4000 * NS_MS);
	assert_false(r->undone);
	assert_true(r->txs_known && r->value_known && r->tips_known);
	assert_int_equal(r->txs, 97);
	assert_int_equal(r->back, 95);
	/* 5000 and 5001 are gone: 0.001 and 0.002 of ether. */
	assert_int_equal(u256_sat64(&r->lost_value), UINT64_C(3000000000000000));
	/* 15,000,000 of gas, all at the lowest tip, or at the highest. */
	assert_int_equal(u256_sat64(&r->old_lo), UINT64_C(15000000) * 1000);
	assert_int_equal(u256_sat64(&r->old_hi), UINT64_C(15000000) * 97000);
	assert_int_equal(u256_sat64(&r->new_hi), UINT64_C(15000000) * 120000);
	/* The loser wins after all. */
	rig_say(m, 0, 1345000, &loser, SRC_PUSH);
	for (unsigned i = 0; i < 2; i++) {
		struct head up = rig_head(112 + i, 2112 + i, i ? 2112 : 111);

		rig_say(m, 0, 1356000 + i * 500, &up, SRC_PUSH);
		rig_tick(m, 1356700 + i * 500);
	}
	assert_int_equal(chain_by_hash(c, &loser.hash)->state, BLK_CANON);
	assert_int_equal(c->n_reorgs, 2);
	assert_true(c->reorgs[1].undone);
	assert_false(c->reorgs[1].txs_known);
	assert_false(c->reorgs[0].undone);
	assert_int_equal(c->reorgs[0].depth, 2);
	model_free(m);
}

/* peers.md §2.3 #18: two blocks of one height are two blocks. */
static void forks_by_hash(void **state)
{
	struct model *m = rig_model(2, 1);
	struct head a = rig_head(111, 111, 110), b = rig_head(111, 1111, 110);
	struct chain *c;

	(void)state;
	rig_run(m, 0, 100, 110);
	rig_say(m, 0, 1332000, &a, SRC_PUSH);
	rig_say(m, 1, 1332700, &b, SRC_PUSH);
	rig_tick(m, 1335000);
	c = model_chain(m);
	assert_int_equal(chain_by_hash(c, &a.hash)->first_mono, RIG_T0 + 1332000 * NS_MS);
	assert_int_equal(chain_by_hash(c, &b.hash)->first_mono, RIG_T0 + 1332700 * NS_MS);
	assert_int_equal(path_heard(m->paths[0], &b.hash), UNKNOWN);
	/* Nobody is late: each heard another block. */
	assert_int_equal(m->paths[0]->raced, 0);
	assert_int_equal(m->paths[1]->raced, 0);
	assert_int_equal(chain_row_of(c, &b.hash), 1);
	rig_check(m, true);
	model_free(m);
}

/* A whole chain replaced: bounded time, bounded memory. */
static void set_back_wholly(void **state)
{
	struct model *m = rig_model(1, 31337);
	struct head h;

	(void)state;
	for (uint64_t n = 1; n <= BLOCKS_KEPT; n++) {
		h = rig_head(n, n, n - 1);
		rig_say(m, 0, n * 100, &h, SRC_PUSH);
		if (n % 3 == 0)
			rig_tick(m, n * 100);
	}
	rig_tick(m, 1000300);
	for (uint64_t n = 1; n <= 4; n++) {
		h = rig_head(n, 77000 + n, n == 1 ? 0 : 77000 + n - 1);
		rig_say(m, 0, 1001000 + n * 1000, &h, SRC_PUSH);
		rig_tick(m, 1001300 + n * 1000);
	}
	assert_int_equal(model_chain(m)->head->h.number, 4);
	assert_true(model_chain(m)->reorgs[0].depth > BLOCKS_KEPT - 5);
	assert_true(model_chain(m)->kept < 3000);
	rig_check(m, true);
	model_free(m);
}

/* Two branches that go on, a third that ended; one path lags on the chain, one is nowhere. */
static void tree(void **state)
{
	struct model *m = rig_model(5, 1);
	struct head a = rig_head(111, 111, 110), b = rig_head(111, 1111, 110), b2 = rig_head(112, 1112, 1111),
		    z = rig_head(109, 1109, 108), lost = rig_head(105, 5105, 5104);
	struct fork_tree t;

	(void)state;
	chain_tree(m, 64, &t);
	assert_null(t.root);
	rig_run(m, 0, 100, 110);
	chain_tree(m, 64, &t);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.root->h.number, 109);
	assert_int_equal(t.branch[0].holders, 1);
	rig_say(m, 3, 1320050, &z, SRC_PUSH); /* a side block two below, of which nobody knows more */
	rig_say(m, 2, 1320100, &(struct head){ .hash = rig_hash(110), .number = 110, .parent = rig_hash(109) }, SRC_PUSH);
	rig_say(m, 0, 1332000, &a, SRC_PUSH);
	rig_say(m, 4, 1332050, &lost, SRC_PUSH);
	rig_say(m, 1, 1332100, &b, SRC_PUSH);
	rig_say(m, 1, 1344000, &b2, SRC_PUSH);
	rig_tick(m, 1345000);
	chain_tree(m, 64, &t);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.root->h.number, 108);
	assert_ptr_equal(t.branch[0].tip, model_chain(m)->head);
	assert_true(hash_eq(&t.branch[0].tip->h.hash, &b2.hash));
	assert_int_equal(t.branch[0].holders, 1u << 1 | 1u << 2); /* the latter one below the fork */
	assert_true(hash_eq(&t.branch[1].tip->h.hash, &a.hash));
	assert_int_equal(t.branch[1].fork, 110);
	assert_int_equal(t.branch[1].holders, 1u << 0);
	assert_true(hash_eq(&t.branch[2].tip->h.hash, &z.hash));
	assert_int_equal(t.branch[2].fork, 108);
	assert_true(t.branch[2].attached);
	assert_int_equal(t.branch[2].holders, 1u << 3);
	assert_true(hash_eq(&t.branch[3].tip->h.hash, &lost.hash));
	assert_false(t.branch[3].attached);
	assert_int_equal(t.branch[3].holders, 1u << 4);
	assert_int_equal(t.nowhere, 0);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_height_reorg),
		cmocka_unit_test(deep_reorgs),
		cmocka_unit_test(two_chains_are_no_reorg),
		cmocka_unit_test(a_head_above_is_no_reorg),
		cmocka_unit_test(shortening_reorg),
		cmocka_unit_test(going_back_is_no_reorg),
		cmocka_unit_test(going_back_is_counted),
		cmocka_unit_test(set_back_out_of_sight),
		cmocka_unit_test(reconnect_to_a_younger_chain),
		cmocka_unit_test(majority_decides),
		cmocka_unit_test(an_old_change_decides_nothing),
		cmocka_unit_test(slow_path_does_not_flap),
		cmocka_unit_test(reincluded),
		cmocka_unit_test(forks_by_hash),
		cmocka_unit_test(set_back_wholly),
		cmocka_unit_test(tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
