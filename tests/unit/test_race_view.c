/* View 6: who hears first, branches, reorgs: what is drawn against what the scenario says (screens.md §2, §3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_rig.h"
#include "pane_shot.h"

extern const struct pane_class pane_race, pane_forks, pane_reorgs;

enum { GETH_WS, GETH_IPC, INFURA, GETH_HTTP, PATHS, HEADS = 40, LATE_MS = 1740 };

static void say_us(struct model *m, unsigned path, uint64_t ms, uint64_t us, const struct head *h, enum head_source source)
{
	struct event e = {
		.kind = EV_HEAD,
		.path = (uint16_t)path,
		.mono = RIG_T0 + ms * NS_MS + us * NS_US,
		.wall = RIG_WALL0 + ms * NS_MS + us * NS_US,
		.u.head = { .h = *h, .source = (uint8_t)source },
	};

	model_apply(m, &e);
}

static void answers(struct model *m, unsigned path, uint64_t ms, uint64_t latency_ms)
{
	for (unsigned i = 0; i < 3; i++) {
		struct event e = {
			.kind = EV_REPLY,
			.path = (uint16_t)path,
			.mono = RIG_T0 + ms * NS_MS,
			.u.reply = { .method = M_CHAIN_ID, .wire_bytes = 60, .latency_ns = (latency_ms + i) * NS_MS },
		};

		model_apply(m, &e);
	}
}

/* geth by two doors, a hosted node 180 ms behind that missed one head, and a polled path. */
static struct model *picture(uint64_t id)
{
	static const struct path_setup setup[PATHS] = {
		{ .node = "geth", .via = "ws", .show = "a", .push = true },
		{ .node = "geth", .via = "ipc", .show = "b", .push = true },
		{ .node = "infura", .via = "wss", .show = "c", .push = true },
		{ .node = "geth", .via = "http", .show = "d" },
	};
	struct model *m = model_new(setup, PATHS, RIG_T0, RIG_WALL0);

	assert_non_null(m);
	for (unsigned i = 0; i < PATHS; i++) {
		rig_link(m, i, 0, i == GETH_HTTP ? LINK_POLLING : LINK_LIVE, ST_OK);
		rig_chain(m, i, 0, id, 7);
	}
	m->paths[GETH_HTTP]->poll_interval_ns = 500 * NS_MS;
	for (uint64_t n = 1; n <= HEADS; n++) {
		struct head h = rig_head(n, n, n - 1);
		uint64_t ms = n * RIG_SLOT_MS + LATE_MS;

		say_us(m, GETH_WS, ms, 0, &h, SRC_PUSH);
		say_us(m, GETH_IPC, ms, n % 2 ? 50 : 300, &h, SRC_PUSH);
		if (n != 10)
			say_us(m, INFURA, ms + 180 + n, 0, &h, SRC_PUSH);
		say_us(m, GETH_HTTP, ms + 200, 0, &h, SRC_POLL);
		rig_tick(m, ms + 2000);
	}
	return m;
}

static void clock_event(struct model *m, uint64_t bound_ns)
{
	struct event e = { .kind = EV_CLOCK, .mono = m->now_mono, .u.clock.bound_ns = bound_ns };

	model_apply(m, &e);
	model_tick(m, m->now_mono + NS_S, m->now_wall + NS_S);
}

static void as_heard_here(void **state)
{
	struct model *m = picture(1);
	const char *frame;

	(void)state;
	clock_event(m, 3 * NS_MS);
	frame = show(&pane_race, m, 120, 12);
	has(frame, "┌ 6 Race · 40 heads by hash in 7m");
	has(frame, "· as seen from this machine ");
	has(frame, "w all  b minus RTT/2 ┐");
	has(frame, "0.1 ms  1 ms     10 ms");
	/* 39 heads that two nodes heard: the 20 odd ones are a tie of the two doors, the even ones the first one's. */
	has(frame, "geth ws      ●");
	has(frame, "49 %  51 %     0  0.0 ms  0.0 ms  0.0 ms  0.0 ms");
	has(frame, " 0 %  51 %     0  0.1 ms  0.3 ms  0.3 ms  0.3 ms");
	/* Nearest ranks of 181 … 220 without 190. */
	has(frame, " 0 %   0 %     1  201 ms  217 ms  220 ms  220 ms");
	has(frame, "geth http    polled, late by up to 500 ms: never ranked with pushed ones");
	/* In the order of the medians. */
	assert_true(strstr(frame, "geth ws ") < strstr(frame, "geth ipc "));
	assert_true(strstr(frame, "geth ipc ") < strstr(frame, "infura wss "));
	assert_true(strstr(frame, "infura wss ") < strstr(frame, "geth http "));
	has(frame, "late vs slot");
	has(frame, "best path ± 3 ms");
	has(frame, "1.74 s  1.74 s  1.74 s  1.74 s");
	has(frame, "Overhead of the transport (p50 behind the node's fastest path), no race: geth ws 0.0 ms, ipc 0.1 ms.");
	has(frame, "Tie: less than 0.1 ms apart, nobody wins.");
	/* With more lines: how much of 40 or 39 heads by when. Odd ones 50 µs, even ones 300 µs; 181 … 220 ms. */
	frame = show(&pane_race, m, 120, 16);
	has(frame, "heard within   0.1 ms  0.3 ms    1 ms    3 ms   10 ms   30 ms  100 ms  300 ms     1 s     3 s    10 s");
	has(frame, "geth ws         100 %   100 %");
	has(frame, "geth ipc         50 %   100 %   100 %");
	has(frame, "infura wss        0 %     0 %     0 %     0 %     0 %     0 %     0 %   100 %");
	has_not(show(&pane_race, m, 120, 14), "heard within");
	frame = show(&pane_race, m, 80, 12);
	has(frame, "┌ 6 Race · 40 heads in 7m");
	has(frame, "infura wss      0 %   0 %     1  201 ms  217 ms  220 ms  220 ms");
	has(frame, "Transport overhead (p50), no race: geth ws 0.0 ms, ipc 0.1 ms.");
	frame = show(&pane_race, m, 40, 6);
	has(frame, "infura wss      0 %  201 ms  220 ms");
	model_free(m);
}

/* Trap b: the two are never on one screen. */
static void less_half_the_way(void **state)
{
	struct model *m = picture(1);
	const char *frame;

	(void)state;
	answers(m, GETH_WS, 481000, 2);
	answers(m, GETH_IPC, 481000, 1);
	rig_tick(m, 483000);
	rig_tick(m, 495000);
	frame = show(&pane_race, m, 120, 12);
	has(frame, "as seen from this machine");
	assert_int_equal(pane.class->command(&pane, m, UI_MINUS_RTT), PANE_DONE);
	frame = again(m, 120, 12);
	has(frame, "· minus RTT/2 ");
	has(frame, "b as heard here ┐");
	has(frame, "whose node is faster, not who hears first here");
	has(frame, "infura wss   no round trip is known yet");
	has_not(frame, "201 ms");
	answers(m, INFURA, 494000, 300);
	rig_tick(m, 496500);
	rig_tick(m, 506500);
	/* −1 ms; −0.5 ms and more; 201 − 150 ms. */
	frame = again(m, 120, 12);
	has(frame, "100 %   0 %     0  0.0 ms  0.0 ms  0.0 ms  0.0 ms  2.0 ms");
	has(frame, "0 %   0 %     0  0.6 ms  0.8 ms  0.8 ms  0.8 ms  1.0 ms");
	has(frame, "0 %   0 %     1   52 ms   68 ms   71 ms   71 ms  300 ms");
	model_free(m);
}

static void windows(void **state)
{
	struct model *m = picture(1);
	const char *frame;

	(void)state;
	rig_tick(m, 960000);
	show(&pane_race, m, 120, 12);
	pane.class->command(&pane, m, UI_WINDOW);
	frame = again(m, 120, 12);
	has(frame, "w last 10 m");
	/* From 6 m on: 30 × 12 s + 1.74 s is in it. */
	has(frame, "11 heads by hash in 9m58s");
	has(frame, "55 %  45 %     0"); /* of 30 … 40 five are ties */
	pane.class->command(&pane, m, UI_WINDOW);
	has(again(m, 120, 12), "w last hour");
	pane.class->command(&pane, m, UI_WINDOW);
	has(again(m, 120, 12), "w all");
	model_free(m);
}

/* Trap a. */
static void lateness_needs_a_clock(void **state)
{
	struct model *m = picture(1), *dev = picture(31337);
	struct head h = rig_head(HEADS + 1, HEADS + 1, HEADS);
	const char *frame;

	(void)state;
	has(show(&pane_race, m, 120, 12), "late vs slot — not known: this machine's clock is not synchronised");
	clock_event(m, 16 * NS_S);
	has(show(&pane_race, m, 120, 12), "late vs slot — not known: this machine's clock is not synchronised");
	clock_event(m, 5 * NS_MS);
	has(show(&pane_race, m, 120, 12), "± 5 ms");
	say_us(m, GETH_WS, (HEADS + 1) * RIG_SLOT_MS - 700, 0, &h, SRC_PUSH);
	rig_tick(m, (HEADS + 1) * RIG_SLOT_MS + 3000);
	frame = show(&pane_race, m, 120, 12);
	has(frame, "1 heard before their own time, by up to 700 ms: this machine's clock is slow, or blocks are stamped ahead.");
	clock_event(dev, 5 * NS_MS);
	has(show(&pane_race, dev, 120, 12), "late vs slot — a dev chain's times mean nothing");
	model_free(m);
	model_free(dev);
}

/* Trap g. */
static void one_node_is_no_race(void **state)
{
	struct model *m = picture(1);
	const char *frame;

	(void)state;
	m->paths[INFURA]->node_index = 0;
	rig_tick(m, 490000);
	frame = show(&pane_race, m, 130, 12);
	has(frame, "· one node: no race");
	has(frame, "    —     —     0  0.0 ms");
	has_not(frame, "50 %");
	model_free(m);
}

static void sorting_and_opening(void **state)
{
	struct model *m = picture(1);
	const char *frame;

	(void)state;
	show(&pane_race, m, 120, 12);
	for (unsigned i = 0; i < 4; i++)
		pane.class->command(&pane, m, UI_SORT_NEXT);
	pane.class->command(&pane, m, UI_SORT);
	frame = again(m, 120, 12);
	has(frame, "by miss ▲");
	assert_true(strstr(frame, "infura wss ") < strstr(frame, "geth ws "));
	assert_true(strstr(frame, "geth ws ") < strstr(frame, "geth http "));
	assert_int_equal(pane.class->command(&pane, m, UI_OPEN), PANE_OPEN);
	assert_string_equal(pane.go.page, "path");
	assert_int_equal(pane.go.path, INFURA);
	model_free(m);
}

/* 41 loses to another 41; then the hosted node's head falls back to 10, which it had missed. */
static void branches_and_reorgs(void **state)
{
	struct model *m = picture(1);
	struct head a = rig_head(41, 41, 40), b = rig_head(41, 1041, 40);
	struct head next = rig_head(42, 1042, 1041), old = rig_head(10, 10, 9);
	char line[200];
	const char *frame;

	(void)state;
	has(show(&pane_reorgs, m, 120, 6), "no block was replaced so far, and no head went back");
	has(show(&pane_forks, m, 120, 6), "─ one branch ┐");
	say_us(m, GETH_IPC, 493500, 0, &a, SRC_PUSH);
	rig_block(m, GETH_IPC, 493550, 493560, rig_body(&a, 97, 5000), SRC_PUSH);
	rig_tick(m, 494000);
	for (unsigned p = 0; p < 3; p++)
		say_us(m, p, 502200, p, &b, SRC_PUSH);
	rig_block(m, GETH_WS, 502300, 502310, rig_body(&b, 120, 5002), SRC_PUSH);
	rig_tick(m, 503500);
	for (unsigned p = 0; p < 2; p++)
		say_us(m, p, 505000, p, &next, SRC_PUSH);
	rig_tick(m, 506500);
	frame = show(&pane_forks, m, 120, 6);
	snprintf(line, sizeof(line), "%02x%02x ", b.hash.b[0], b.hash.b[1]);
	has(frame, "2 branches from 40 on ┐");
	has(frame, line);
	has(frame, "─┬───");
	has(frame, "geth ws · geth ipc · infura wss −1 · geth http −2");
	snprintf(line, sizeof(line), "└───%02x%02x ′  orphaned 8.7 s later: 95 of 97 txs re-included", a.hash.b[0], a.hash.b[1]);
	has(frame, line);
	/* Rows open: the one that lost, then the chain's own tip, then down again. */
	assert_int_equal(pane.class->command(&pane, m, UI_OPEN), PANE_OPEN);
	assert_true(hash_eq(&pane.go.block, &a.hash));
	pane.class->command(&pane, m, UI_DOWN);
	pane.class->command(&pane, m, UI_OPEN);
	assert_true(hash_eq(&pane.go.block, &next.hash));
	pane.class->command(&pane, m, UI_DOWN);
	pane.class->command(&pane, m, UI_DOWN);
	pane.class->command(&pane, m, UI_OPEN);
	assert_true(hash_eq(&pane.go.block, &a.hash));
	pane.class->command(&pane, m, UI_UP);
	pane.class->command(&pane, m, UI_OPEN);
	assert_true(hash_eq(&pane.go.block, &next.hash));
	assert_int_equal(pane.class->command(&pane, m, UI_BACK), PANE_DONE);
	assert_int_equal(pane.class->command(&pane, m, UI_BACK), PANE_IGNORED);
	frame = show(&pane_reorgs, m, 120, 6);
	snprintf(line, sizeof(line), "1          41  %02x%02x→%02x%02x  8.70 s  geth ipc                 2 of 97", a.hash.b[0],
		 a.hash.b[1], b.hash.b[0], b.hash.b[1]);
	has(frame, line);
	/* 0.001 + 0.002 of ether; 15,000,000 of gas at 97 µgwei at most against 1 at least, and the other way round. */
	has(frame, "0.003000 Ξ");
	has(frame, "−1440…+1785 gwei");
	assert_int_equal(pane.class->command(&pane, m, UI_OPEN), PANE_OPEN);
	assert_string_equal(pane.go.page, "block");
	assert_true(hash_eq(&pane.go.block, &a.hash));
	/* Told apart: the head went back, nothing was lost. */
	say_us(m, INFURA, 507000, 0, &old, SRC_PUSH);
	rig_tick(m, 508000);
	frame = show(&pane_reorgs, m, 120, 6);
	has(frame, "back          10  infura wss fell from 41: no reorg, no block lost; several nodes answer there");
	assert_true(strstr(frame, "back ") < strstr(frame, "2 of 97"));
	has(show(&pane_race, m, 120, 12), "infura wss: head back 1×. Several nodes answer there: that is no reorg.");
	assert_int_equal(model_chain(m)->reorg_count, 1);
	model_free(m);
}

/* Of many paths on one branch it is enough to name who lags. */
static void many_hold_it(void **state)
{
	struct model *m = rig_model(8, 1);
	struct head h;

	(void)state;
	for (uint64_t n = 1; n <= 3; n++) {
		h = rig_head(n, n, n - 1);
		for (unsigned p = 0; p < 8; p++)
			if (p != 3 || n < 2)
				rig_say(m, p, n * RIG_SLOT_MS + p, &h, SRC_PUSH);
	}
	rig_tick(m, 40000);
	has(show(&pane_forks, m, 120, 6), "  7 paths · n3 ws −2 ");
	for (uint64_t n = 2; n <= 3; n++) {
		h = rig_head(n, n, n - 1);
		rig_say(m, 3, 41000 + n, &h, SRC_PUSH);
	}
	rig_tick(m, 42000);
	has(show(&pane_forks, m, 120, 6), "  all 8 paths ");
	model_free(m);
}

/* Any size, any glyphs, any state: nothing outside, nothing broken. */
static void every_size(void **state)
{
	struct model *m = picture(1), *empty = model_new(NULL, 0, RIG_T0, RIG_WALL0);
	const struct pane_class *const class[] = { &pane_race, &pane_forks, &pane_reorgs };
	struct head b = rig_head(41, 1041, 40);

	(void)state;
	say_us(m, GETH_WS, 500000, 0, &b, SRC_PUSH);
	rig_tick(m, 502000);
	for (unsigned k = 0; k < 3; k++) {
		for (int w = 1; w < 200; w += w < 50 ? 1 : 13) {
			for (int h = 1; h < 16; h++) {
				show(class[k], m, w, h);
				show(class[k], empty, w, h);
			}
		}
	}
	open_pane(&pane_race);
	draw_in(m, 120, 12, GLYPHS_ASCII);
	has(again(m, 120, 12), "infura wss");
	model_free(m);
	model_free(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_heard_here),
		cmocka_unit_test(less_half_the_way),
		cmocka_unit_test(windows),
		cmocka_unit_test(lateness_needs_a_clock),
		cmocka_unit_test(one_node_is_no_race),
		cmocka_unit_test(sorting_and_opening),
		cmocka_unit_test(branches_and_reorgs),
		cmocka_unit_test(many_hold_it),
		cmocka_unit_test(every_size),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
