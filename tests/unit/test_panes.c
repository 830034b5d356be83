/* ui/panes, what tells of the chain: the mock-ups of screens.md §2 line by line, and the states of blocks, gas, tx rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "mockup.h"
#include "pane_shot.h"

/* ---- the mock-ups ---- */

static void has_all(const char *frame, const char *const *line)
{
	for (unsigned i = 0; line[i]; i++)
		has(frame, line[i]);
}

static void mock_up_160(void **state)
{
	static const char *const line[] = {
		"┌ Blocks ───────────────────────────────────────────────────────────────────────"
		"─────── following newest ┐"
		"┌ Gas ──────────────────────────── 10 blocks of 12 s ┐\n",
		"│      number    age  Δt s   txs  gas used     % base gwei  tip p50  blobs   kB "
		" late s  builder         │",
		"│▶ 25,490,415   4.2s  12.0   201  ███▌      44.1     9.482    0.051   9/21   96 "
		"   1.91  titan       ✓   │",
		"  12.0   388  ███████▏  90.5     8.610    0.101  18/21  188    1.74  BuilderNet  ✓   │",
		"  12.0   431  ███████▉  99.8     7.684    0.310  15/21  231    2.40  beaverbuild ✓   │",
		"│  25,490,410  1m04s  24.0!  301  ████▉     62.3     7.691    0.066  21/21  140 "
		"   1.58  titan       ✓   │",
		"│  25,490,410′ 1m16s  12.0    97  heard 4.9 s late, orphaned 8.7 s later: 95 of "
		"97 txs re-included       │",
		"│  25,490,409  1m28s  12.0     0             0.0     8.790        —   0/21    1 "
		"   1.33  unknown     ✓   │",
		"└ 128 kept · ! slot lost · ′ orphan ──",
		"│ 60M┤  ██        ██  ▁▁    used 57.7 % of 60.0M     │",
		"full blocks in a row 0   │",
		"│   0┤██████  ████████████",
		"burned 2.838 Ξ           │",
		"│ base ▇▇▇▇▆▇▆▇▇█  9.482 → next 9.342 exact          │",
		"│ blob ▃▅▂ █▅▆▃▇▃  9 of 14 target   1 → 1 wei        │",
		"│ tip  p10 0.010   p50 0.051   p90 2.000 gwei        │",
		"┌ Tx rate ───────────────────────── 9 blocks / 120 s ┐",
		"19.7 tx/s",
		"2.67 Mgas/s",
		"│ legacy 12 %  1559 84 %  blob 2 %  7702 2 %         │",
		"┌ Pulse   1 column = 1 s   ┊ slot   ● head heard   ○ later than 4 s   × no block"
		" ────────────────────────"
		"───────────────────────────────────────────────── now ┐",
		"┊ ●         ┊ ●         ┊ ●         ┊ ●         ┊    ○      ┊ ●         ┊ ●     "
		"    ┊  ●        ┊ ●         "
		"┊ ●         ┊ ●    │",
		"│ infura wss     ",
		"┊ ●         ┊ ●         ┊  ●   │",
		"┌ Endpoints ────────────────────────────────────────────────────────────────────"
		"────────────────────────"
		"──────────────────── by freshness · 412 heads in 1h23m ┐",
		"│ #  node    via  state        head  behind p50      p99    won  usable p90   ca"
		"ll p50      p99  in transfer"
		"  calls/min     MB/min   peers   errors 5 m        │",
		"│ 1= geth    ws   live   25,490,415      0.0 ms   1.2 ms   38 %       38 ms     "
		"0.4 ms   3.1 ms     412 MB/s"
		"          5       0.09      48            0        │",
		"│ 1= geth    ipc  live   25,490,415      0.0 ms   2.0 ms   35 %       35 ms     "
		"0.3 ms   2.2 ms     980 MB/s"
		"          5       1.44      48            0        │",
		"│ 3  infura  wss  live   25,490,415      180 ms   640 ms    6 %      402 ms     "
		" 41 ms   210 ms     9.1 MB/s"
		"          4       0.09       —            0        │",
		"└ ties 21 % ──",
		"│ 14,210 pending  802 queued  +21.4/s ▃▄▅▂▁█▆▄▇  │",
		"│ seen before mined 83 %   lead p50 6.1 s        │",
		"│ 71 % can pay the next base fee                 │",
		"│ 16:01:09 reorg depth 1 at 25,490,410: the late block lost│",
		"│ 15:57:40 infura/wss silent 49 s → resubscribed, 4 filled",
		NULL,
	};
	struct model *m = mockup_model();

	(void)state;
	has_all(screen(m, 160, 45, GLYPHS_BRAILLE), line);
	model_free(m);
}

static void mock_up_80(void **state)
{
	static const char *const line[] = {
		"┌ Blocks ──────────────────────────────────────────────────── following newest ┐\n",
		"│▶25,490,415   4.2s  12.0   201  ███▌       44      9.482    0.051  titan      │\n",
		"  12.0   388  ███████▏   90      8.610    0.101  BuilderNet │\n",
		"  12.0   431  ███████▉  100      7.684    0.310  beaverbuild│\n",
		"│ 25,490,410  1m04s  24.0!  301  ████▉      62      7.691    0.066  titan      │\n",
		"┌ Gas ─────────────────────────────────┐┌ Tx rate ─────────────────────────────┐\n",
		"│ 60M┤▃█▄ ▅▃█▄▇▄  57.7 %  blobs 9/14   ││ 19.7 tx/s  ▃█▄ ▆▃█▄▇▄  120 s         │\n",
		"│ tip p10 0.01  p50 0.05  p90 2.0 gwei ││ pool 14,210  +21.4/s  seen 83 %      │\n",
		"┌ Endpoints ──────────────────────────────────────────────────────── 412 heads ┐\n",
		"│ #  node   via  state       head    behind     p99   call p50     p99  err 5 m│\n",
		"│ 1= geth   ws   live      newest    0.0 ms  1.2 ms     0.4 ms  3.1 ms        0│\n",
		"│ 1= geth   ipc  live      newest    0.0 ms  2.0 ms     0.3 ms  2.2 ms        0│\n",
		"│ 3  infura wss  live      newest    180 ms  640 ms      41 ms  210 ms        0│\n",
		" 16:01:09 reorg depth 1 at 25,490,410: the late block lost\n",
		NULL,
	};
	struct model *m = mockup_model();

	(void)state;
	has_all(screen(m, 80, 24, GLYPHS_BRAILLE), line);
	model_free(m);
}

static void plain_ascii(void **state)
{
	static const char *const line[] = {
		"|> 25,490,415   4.2s  12.0   201  ###=      44.1     9.482    0.051   9/21   96 "
		"   1.91  titan       +   |",
		"|  25,490,410' 1m16s  12.0    97  heard 4.9 s late, orphaned",
		"+ Pulse   1 column = 1 s   : slot   o head heard   O later than 4 s   x no block ----",
		": o         : o    |",
		NULL,
	};
	struct model *m = mockup_model();
	const char *f;

	(void)state;
	f = screen(m, 160, 45, GLYPHS_ASCII);
	has_all(f, line);
	for (size_t i = 0; f[i]; i++)
		assert_true((unsigned char)f[i] < 0x80 && f[i] != '?');
	model_free(m);
}

static void before_the_first_block(void **state)
{
	static const struct pane_class *const with_blocks[] = { &pane_blocks, &pane_gas, &pane_txrate, &pane_pulse,
								 &pane_mempool };
	struct model *m = mockup_empty(3);

	(void)state;
	for (unsigned i = 0; i < sizeof(with_blocks) / sizeof(with_blocks[0]); i++)
		has(show(with_blocks[i], m, 50, 8), "│ waiting for the first block ");
	has(show(&pane_endpoints, m, 160, 8), "geth    ws   connecting");
	has(show(&pane_events, m, 50, 8), "nothing has happened yet");
	model_free(m);
}

/* ---- blocks ---- */

static void blocks_of_other_chains(void **state)
{
	struct model *m = mockup_model();
	struct chain *c = m->chains[0];
	struct chain_info info = *c->info;
	const char *f;

	(void)state;
	c->info = &info;
	info.kind = CHAIN_POA;
	c->turns = true;
	c->head->h.difficulty = 1;
	f = show(&pane_blocks, m, 120, 16);
	has(f, "    turn   kB");
	has(f, "     OUT   96");
	has(f, "  validator ");
	c->head->run = 5;
	c->run_len = 8;
	has(again(m, 120, 16), " OUT 5/8   96");
	c->block_ms = 450;
	pane.class->command(&pane, m, UI_GROUP);
	has(again(m, 120, 16), " Δt ms   txs");
	has(again(m, 120, 16), " 12000   201");
	c->head->h.gas_limit = UINT64_C(1) << 50;
	f = again(m, 120, 16);
	has(f, "gas used Mgas/s ");
	/* 26.46 million in 12 s. */
	has(f, "201  no limit    2.2 ");
	model_free(m);
}

static void blocks_tell_what_they_know(void **state)
{
	struct model *m = mockup_model();
	struct blk *b = m->chains[0]->head;

	(void)state;
	b->body_seen = false;
	has(show(&pane_blocks, m, 106, 16), "12.0     …  ███▌      44.1     9.482        …   9/21    …    1.91");
	m->now_mono += 20 * NS_S;
	has(again(m, 106, 16), "12.0     —  ███▌      44.1     9.482        —   9/21    —    1.91");
	b->late_known = false;
	b->h.has &= ~(unsigned)(H_BASE_FEE | H_BLOB_GAS_USED);
	has(again(m, 106, 16), "44.1         —        —      —    —       —  titan");
	b->truth = TRUTH_NO;
	has(again(m, 106, 16), "25,490,415✗ ");
	model_free(m);
}

static void blocks_sort_unknown_last(void **state)
{
	struct model *m = mockup_model();
	const char *f;

	(void)state;
	show(&pane_blocks, m, 106, 16);
	/* The empty block has no tip. */
	assert_int_equal(pane_blocks.click(&pane, m, 66, 1), PANE_DONE);
	f = again(m, 106, 16);
	has(f, "by tip p50 ▲ ┐");
	assert_true(strstr(f, "25,490,409") > strstr(f, "25,490,411"));
	assert_true(strstr(f, "0.310") < strstr(f, "0.039"));
	assert_int_equal(pane_blocks.click(&pane, m, 66, 1), PANE_DONE);
	f = again(m, 106, 16);
	has(f, "by tip p50 ▼ ┐");
	assert_true(strstr(f, "25,490,409") > strstr(f, "25,490,412"));
	assert_true(strstr(f, "0.310") > strstr(f, "0.039"));
	model_free(m);
}

static void blocks_units_and_times(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	show(&pane_blocks, m, 106, 16);
	assert_int_equal(pane_blocks.command(&pane, m, UI_TIMES), PANE_DONE);
	has(again(m, 106, 16), "│  25,490,410  16:01:11  24.0!");
	assert_int_equal(pane_blocks.command(&pane, m, UI_UNITS), PANE_DONE);
	has(again(m, 106, 16), "base wei");
	model_free(m);
}

/* ---- gas ---- */

static void gas_without_base_fee(void **state)
{
	struct model *m = mockup_model();
	struct chain *c = m->chains[0];
	const struct blk *b;
	const char *f;

	(void)state;
	c->any_base_fee = false;
	for (unsigned i = 0; (b = chain_by_number(c, MOCKUP_NUMBER - i)) != NULL; i++)
		((struct blk *)b)->h.has = H_HASH | H_NUMBER;
	c->next = (struct fees_next){ .base_known = false };
	c->stats.burned_known = false;
	f = show(&pane_gas, m, 54, 8);
	has(f, "┌ Gas price ────");
	has(f, "│ base fee: none ");
	has(f, "│ price p10 0.010   p50 0.051   p90 2.000 gwei");
	has_not(f, "burned");
	has_not(f, "blob");
	has(show(&pane_gas, m, 40, 4), "│ gas p10 0.01  p50 0.05  p90 2.0 gwei │");
	model_free(m);
}

static void gas_base_that_never_moves(void **state)
{
	struct model *m = mockup_model();
	struct chain *c = m->chains[0];
	const struct blk *b;

	(void)state;
	for (unsigned i = 0; (b = chain_by_number(c, MOCKUP_NUMBER - i)) != NULL; i++)
		((struct blk *)b)->h.base_fee = u256_from64(0);
	has(show(&pane_gas, m, 54, 8), "│ base 0 (fixed) ");
	model_free(m);
}

static void gas_unknown_is_a_dash(void **state)
{
	struct model *m = mockup_model();
	struct chain *c = m->chains[0];
	const char *f;

	(void)state;
	c->next = (struct fees_next){ .base_known = false };
	c->stats.gas_used_share = (double)NAN;
	for (unsigned i = 0; i < 3; i++)
		chain_by_number(c, MOCKUP_NUMBER - i)->body_seen = false;
	f = show(&pane_gas, m, 54, 8);
	has(f, "9.482 → next — ");
	has(f, "used — of 60.0M");
	has(f, "tip  p10 —   p50 —   p90 — gwei");
	has(f, " 9 in the newest");
	model_free(m);
}

static void gas_without_limit(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	m->chains[0]->head->h.gas_limit = UINT64_C(1) << 50;
	has(show(&pane_gas, m, 54, 8), "2.67 Mgas/s, no limit");
	model_free(m);
}

static void gas_of_little_value(void **state)
{
	struct model *m = mockup_model();
	struct chain *c = m->chains[0];

	(void)state;
	c->head->h.base_fee = u256_from64(252);
	c->next.base = u256_from64(249);
	c->head->tips.p10 = u256_from64(1);
	c->stats.burned = u256_from64(5280000000);
	has(show(&pane_gas, m, 54, 8), "252 wei → next 249 wei exact");
	has(again(m, 54, 8), "burned 0.000000005 Ξ");
	has(show(&pane_gas, m, 40, 4), "tip p10 <0.01  p50 0.05");
	model_free(m);
}

static void gas_in_any_room(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	has(show(&pane_gas, m, 40, 10), "│    ┤ █  ▁ █ █   0 full               │");
	has(again(m, 26, 7), "│ base ▇▇▇▇▆▇▆▇▇█  9.482 │");
	/* More blocks than the figures are about: it is said. */
	has_not(again(m, 160, 12), "graph:");
	m->chains[0]->stats.n = 5;
	has(again(m, 160, 12), "└ graph: 10 blocks ──");
	model_free(m);
}

static void at_block_while_syncing(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	snprintf(m->line.word, sizeof(m->line.word), "SYNCING");
	has(show(&pane_gas, m, 54, 8), "── at block 25,490,415 ┐");
	has(show(&pane_txrate, m, 54, 8), "── at block 25,490,415 ┐");
	model_free(m);
}

/* ---- tx rate ---- */

static void tx_rate_rows(void **state)
{
	struct model *m = mockup_model();
	struct chain_stats *s = &m->chains[0]->stats;
	const char *f = show(&pane_txrate, m, 54, 5);

	(void)state;
	has(f, "│ tx/s ▃█▄ ▆▃█▄▇▄  19.7     2.67 Mgas/s              │");
	has(f, "│ kB   ▃▇▄▁▅▃█▄▇▃  96       mean 126 kB              │");
	s->type_share[4] = 0.004;
	s->type_share[5] = 0.016;
	has(again(m, 64, 5), "blob 2 %  7702 <1 %  other 2 %");
	has(again(m, 54, 5), "blob 2 %  other 2 %  ");
	has_not(again(m, 40, 5), "7702");
	has(again(m, 40, 5), "│ legacy 12 %  1559 84 %  ");
	s->rates_known = false;
	s->kb_mean = UNKNOWN;
	for (unsigned i = 0; i < 6; i++)
		s->type_share[i] = (double)NAN;
	f = again(m, 54, 5);
	has(f, "▄  —        —  ");
	has(f, "types —");
	model_free(m);
}

static void tx_rate_without_pool(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	/* Announced, but no node says how many wait. */
	m->pool.known = false;
	has(show(&pane_txrate, m, 40, 4), "│ pool —  +21.4/s  seen 83 %      ");
	mockup_no_announcements(m);
	has(again(m, 40, 4), "│ legacy 12 %  1559 84 %  ");
	m->pool.known = true;
	has(again(m, 60, 4), "│ pool 14,210  growing 21.4/s  2.67 Mgas/s ");
	m->pool.per_s = (double)NAN;
	has(again(m, 40, 4), "│ pool 14,210  2.67 Mgas/s ");
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mock_up_160),
		cmocka_unit_test(mock_up_80),
		cmocka_unit_test(plain_ascii),
		cmocka_unit_test(before_the_first_block),
		cmocka_unit_test(blocks_of_other_chains),
		cmocka_unit_test(blocks_tell_what_they_know),
		cmocka_unit_test(blocks_sort_unknown_last),
		cmocka_unit_test(blocks_units_and_times),
		cmocka_unit_test(gas_without_base_fee),
		cmocka_unit_test(gas_base_that_never_moves),
		cmocka_unit_test(gas_unknown_is_a_dash),
		cmocka_unit_test(gas_without_limit),
		cmocka_unit_test(gas_of_little_value),
		cmocka_unit_test(gas_in_any_room),
		cmocka_unit_test(at_block_while_syncing),
		cmocka_unit_test(tx_rate_rows),
		cmocka_unit_test(tx_rate_without_pool),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
