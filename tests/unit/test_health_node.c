/* Health, the rows of screens.md §5 about a node itself, overrides, and any events at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "health_rig.h"

/* Evaluated each whole second: the second bad one raises, the third good one clears. */
enum { S = 1000, DAY = 86400 };

static struct world w;

static int teardown(void **state)
{
	(void)state;
	world_fini(&w);
	return 0;
}

static void start(uint64_t chain, uint64_t t_ms)
{
	world_init(&w, chain, t_ms);
	world_run(&w, 60 * S);
}

/* ---- answers ---- */

static void dead_path_is_degraded(void **state)
{
	(void)state;
	start(1, 12000);
	rig_link(w.m, GETH_IPC, w.ms, LINK_WAITING, ST_REFUSED);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_link, LEVEL_WARN), 62 * S);
	world_is(&w, GETH_WS, CHECK_link, LEVEL_WARN, "geth/ipc: degraded, no answer for 2 s (refused)");
	assert_int_equal(world_check(&w, GETH_WS, CHECK_link)->path, GETH_IPC);
	assert_int_equal(health_node(w.m, GETH_IPC)->level, LEVEL_WARN);
	/* Tried again and again it is still the same. */
	rig_link(w.m, GETH_IPC, 70 * S, LINK_CONNECTING, ST_OK);
	world_run(&w, 80 * S);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_link)->level, LEVEL_WARN);
	/* The other one, too: the node is gone, and nothing else is said of it. */
	rig_link(w.m, GETH_WS, w.ms, LINK_WAITING, ST_RESET);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_link, LEVEL_CRIT), 82 * S);
	world_is(&w, GETH_WS, CHECK_link, LEVEL_CRIT, "geth: no answer for 22 s (refused)");
	assert_int_equal(health_node(w.m, GETH_WS)->total, 1);
	world_not_here(&w, GETH_WS, CHECK_age, "no answer");
	assert_int_equal(health_node(w.m, RETH)->level, LEVEL_OK);
	rig_link(w.m, GETH_WS, w.ms, LINK_LIVE, ST_OK);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_link, LEVEL_WARN), 85 * S);
	rig_link(w.m, GETH_IPC, w.ms, LINK_LIVE, ST_OK);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_link, LEVEL_OK), 88 * S);
}

/* A connection that is back within two evaluations is no finding. */
static void a_short_break_is_none(void **state)
{
	(void)state;
	start(1, 12000);
	rig_link(w.m, RETH, w.ms, LINK_WAITING, ST_RESET);
	world_run(&w, w.ms + S);
	rig_link(w.m, RETH, w.ms, LINK_LIVE, ST_OK);
	world_stays_ok(&w, RETH, CHECK_link, w.ms + 10 * S);
}

/* Nor does it end the others, to raise them again. */
static void a_short_break_ends_nothing(void **state)
{
	(void)state;
	start(1, 12000);
	world_info(&w, RETH, INFO_PEERS, 3, 0, 0, false);
	assert_int_equal(world_until(&w, RETH, CHECK_peers, LEVEL_WARN), 62 * S);
	for (unsigned i = 0; i < 5; i++) {
		rig_link(w.m, RETH, w.ms, LINK_WAITING, ST_RESET);
		world_run(&w, w.ms + 2 * S);
		rig_link(w.m, RETH, w.ms, LINK_LIVE, ST_OK);
		world_run(&w, w.ms + 2 * S);
		assert_int_equal(world_check(&w, RETH, CHECK_peers)->level, LEVEL_WARN);
	}
	assert_int_equal(world_check(&w, RETH, CHECK_peers)->count, 1);
	/* A longer one does: what is known of a node that is away is old. */
	rig_link(w.m, RETH, w.ms, LINK_WAITING, ST_RESET);
	world_run(&w, w.ms + 3 * S);
	world_not_here(&w, RETH, CHECK_peers, "no answer");
}

static void connecting_is_no_finding(void **state)
{
	struct path_setup setup = { .node = "geth", .via = "ws", .push = true };
	struct model *m = model_new(&setup, 1, RIG_T0, RIG_WALL0);

	(void)state;
	rig_tick(m, 1000);
	rig_link(m, 0, 1500, LINK_CONNECTING, ST_OK);
	for (unsigned i = 2; i < 9; i++)
		rig_tick(m, i * S);
	assert_false(health_node(m, 0)->check[CHECK_link].applies);
	assert_int_equal(m->health.total, 0);
	rig_link(m, 0, 9 * S, LINK_WAITING, ST_DNS);
	rig_tick(m, 9 * S);
	rig_tick(m, 10 * S);
	assert_int_equal(m->health.level, LEVEL_CRIT);
	assert_string_equal(m->health.worst->text, "geth: no answer for 1 s (dns)");
	model_free(m);
	world_init(&w, 1, 12000);
}

/* ---- peers ---- */

/* So many peers: level two evaluations later. */
static void peers_are(unsigned path, uint64_t n, enum level level)
{
	world_info(&w, path, INFO_PEERS, n, 0, 0, false);
	world_run(&w, w.ms + 3 * S);
	assert_int_equal(world_check(&w, path, CHECK_peers)->level, level);
}

static void peers(void **state)
{
	(void)state;
	start(1, 12000);
	world_not_here(&w, RETH, CHECK_peers, "no peer count");
	peers_are(RETH, 5, LEVEL_OK);
	peers_are(RETH, 4, LEVEL_WARN);
	peers_are(RETH, 1, LEVEL_WARN);
	peers_are(RETH, 0, LEVEL_CRIT);
	peers_are(RETH, 3, LEVEL_WARN);
	world_is(&w, RETH, CHECK_peers, LEVEL_WARN, "reth: 3 peers (limit 5)");
	peers_are(RETH, 5, LEVEL_OK);
	/* A provider's peers are no affair of ours; a count that nobody repeats is old. */
	world_info(&w, INFURA, INFO_PEERS, 0, 0, 0, false);
	world_run(&w, w.ms + 3 * S);
	world_not_here(&w, INFURA, CHECK_peers, "not on this machine");
	world_run(&w, w.ms + 181 * S);
	world_not_here(&w, RETH, CHECK_peers, "no peer count");
}

static void peers_of_rollups(void **state)
{
	(void)state;
	start(10, 2000);
	peers_are(RETH, 1, LEVEL_OK);
	peers_are(RETH, 0, LEVEL_WARN);
	world_fini(&w);
	start(42161, 250);
	world_info(&w, RETH, INFO_PEERS, 0, 0, 0, false);
	world_run(&w, w.ms + 3 * S);
	world_not_here(&w, RETH, CHECK_peers, "no limit here");
	world_fini(&w);
	start(31337, 1000);
	world_info(&w, RETH, INFO_PEERS, 0, 0, 0, false);
	world_run(&w, w.ms + 3 * S);
	world_not_here(&w, RETH, CHECK_peers, "dev chain");
}

/* ---- forks ---- */

enum { NOW_ID = 0x11111111, NEXT_ID = 0x22222222 };

/* next: seconds from now; 0: none. */
static void fork_told(unsigned path, uint32_t id, uint64_t next, uint32_t next_id)
{
	uint64_t now = RIG_WALL0 / NS_S + w.ms / S;

	world_info(&w, path, INFO_FORK, 1700000000, next ? now + next : UINT64_MAX, (uint64_t)id << 32 | next_id, true);
}

static void fork_of(uint64_t left, uint64_t theirs, uint32_t their_id, enum level level)
{
	start(1, 12000);
	fork_told(GETH_WS, NOW_ID, left, NEXT_ID);
	fork_told(RETH, NOW_ID, theirs, their_id);
	world_run(&w, w.ms + 2 * S);
	assert_int_equal(world_check(&w, RETH, CHECK_fork)->level, level);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_fork)->level, LEVEL_OK);
}

static void forks(void **state)
{
	(void)state;
	fork_of(0, 0, 0, LEVEL_OK);
	world_is(&w, RETH, CHECK_fork, LEVEL_OK, "reth: next fork: none scheduled");
	world_not_here(&w, INFURA, CHECK_fork, "no eth_config");
	world_fini(&w);
	fork_of(7 * DAY + 10 * 3600 + 10, 7 * DAY + 10 * 3600 + 10, NEXT_ID, LEVEL_OK);
	world_is(&w, RETH, CHECK_fork, LEVEL_OK, "reth: ready for the next fork in 7d10h");
	world_fini(&w);
	fork_of(7 * DAY + 10 * 3600 + 10, 0, 0, LEVEL_WARN);
	world_is(&w, RETH, CHECK_fork, LEVEL_WARN,
		 "reth: not ready for the fork that geth knows of, 7d10h left (next fork: none)");
	world_fini(&w);
	/* The same time, but another fork; another time. */
	fork_of(7 * DAY, 7 * DAY, 0x33333333, LEVEL_WARN);
	world_fini(&w);
	fork_of(7 * DAY, 9 * DAY, NEXT_ID, LEVEL_WARN);
	world_fini(&w);
	/* 24 h before: just above, just below. */
	fork_of(DAY + 10, 0, 0, LEVEL_WARN);
	world_fini(&w);
	fork_of(DAY, 0, 0, LEVEL_CRIT);
	/* It is brought up to date. */
	fork_told(RETH, NOW_ID, DAY - 2, NEXT_ID);
	assert_int_equal(world_until(&w, RETH, CHECK_fork, LEVEL_OK), 65 * S);
}

static void forks_passed(void **state)
{
	uint64_t now;

	(void)state;
	start(1, 12000);
	now = RIG_WALL0 / NS_S + w.ms / S;
	world_info(&w, GETH_WS, INFO_FORK, now - 4000, UINT64_MAX, (uint64_t)NEXT_ID << 32, true);
	world_info(&w, RETH, INFO_FORK, 1700000000, UINT64_MAX, (uint64_t)NOW_ID << 32, true);
	world_run(&w, w.ms + 2 * S);
	world_is(&w, RETH, CHECK_fork, LEVEL_CRIT, "reth: did not take the last fork (id 11111111), geth did");
	assert_int_equal(world_check(&w, GETH_WS, CHECK_fork)->level, LEVEL_OK);
}

/* The schedule that is compiled in: mainnet's genesis and a node of before Osaka. */
static void forks_by_schedule(void **state)
{
	static const uint8_t mainnet[32] = { 0xd4, 0xe5, 0x67, 0x40, 0xf8, 0x76, 0xae, 0xf8, 0xc0, 0x10, 0xb8,
		0x6a, 0x40, 0xd5, 0xf5, 0x67, 0x45, 0xa1, 0x18, 0xd0, 0x90, 0x6a, 0x34, 0xe6, 0x9a, 0xec, 0x8c,
		0x0d, 0xb1, 0xcb, 0x8f, 0xa3 };
	struct event e = { .kind = EV_CHAIN, .path = 0, .mono = RIG_T0, .u.chain = { .id = 1, .ok = true } };
	struct path_setup setup = { .node = "geth", .via = "ws", .push = true };
	struct model *m = model_new(&setup, 1, RIG_T0, RIG_WALL0);
	struct event fork = { .kind = EV_INFO, .mono = RIG_T0, .u.info = { .info = INFO_FORK, .yes = 1 } };

	(void)state;
	memcpy(e.u.chain.genesis.b, mainnet, 32);
	rig_link(m, 0, 0, LINK_LIVE, ST_OK);
	model_apply(m, &e);
	/* Prague's id, geth's forkid_test.go: 0xc376cf8b; Osaka was at 1764798551, RIG_WALL0 is 1790000000. */
	fork.u.info.a = 1746612311;
	fork.u.info.b = UINT64_MAX;
	fork.u.info.c = UINT64_C(0xc376cf8b) << 32;
	model_apply(m, &fork);
	rig_tick(m, 1 * S);
	rig_tick(m, 2 * S);
	assert_int_equal(health_node(m, 0)->check[CHECK_fork].level, LEVEL_CRIT);
	assert_string_equal(health_node(m, 0)->check[CHECK_fork].text, "geth: did not take BPO2");
	/* BPO2's: 0x07c9462e. */
	fork.u.info.a = 1767747671;
	fork.u.info.c = UINT64_C(0x07c9462e) << 32;
	model_apply(m, &fork);
	for (unsigned i = 3; i < 6; i++)
		rig_tick(m, i * S);
	assert_int_equal(health_node(m, 0)->check[CHECK_fork].level, LEVEL_OK);
	model_free(m);
	world_init(&w, 1, 12000);
}

/* ---- verification ---- */

static void verify(void **state)
{
	(void)state;
	start(1, 12000);
	world_not_here(&w, RETH, CHECK_verify, "nothing verified yet");
	rig_verdict(w.m, RETH, w.ms, 4, TRUTH_YES, NULL);
	rig_verdict(w.m, INFURA, w.ms, 5, TRUTH_NO, "stateRoot");
	world_stays_ok(&w, INFURA, CHECK_verify, 70 * S);
	rig_verdict(w.m, INFURA, w.ms, 5, TRUTH_NO, "stateRoot");
	assert_int_equal(world_until(&w, INFURA, CHECK_verify, LEVEL_CRIT), 71 * S);
	world_is(&w, INFURA, CHECK_verify, LEVEL_CRIT, "infura: block 5: stateRoot does not match");
	assert_int_equal(world_check(&w, RETH, CHECK_verify)->level, LEVEL_OK);
	assert_int_equal(world_until(&w, INFURA, CHECK_verify, LEVEL_OK), 672 * S);
}

/* Another fetch of the block was right: it was the way. */
static void verify_cleared(void **state)
{
	(void)state;
	start(1, 12000);
	rig_verdict(w.m, RETH, w.ms, 4, TRUTH_YES, NULL);
	rig_verdict(w.m, INFURA, w.ms, 5, TRUTH_NO, "stateRoot");
	rig_verdict(w.m, INFURA, w.ms, 5, TRUTH_YES, NULL);
	world_stays_ok(&w, INFURA, CHECK_verify, 70 * S);
}

/* Others have the blocks right: it is this node that gives wrong ones. */
static void verify_liar(void **state)
{
	(void)state;
	start(1, 12000);
	for (uint64_t n = 3; n <= 4; n++) {
		rig_verdict(w.m, RETH, w.ms, n, TRUTH_YES, NULL);
		rig_verdict(w.m, INFURA, w.ms, n, TRUTH_NO, "transactionsRoot");
		world_run(&w, w.ms + 5 * S);
		assert_int_equal(world_check(&w, INFURA, CHECK_verify)->level, n == 3 ? LEVEL_OK : LEVEL_CRIT);
	}
	world_is(&w, INFURA, CHECK_verify, LEVEL_CRIT, "infura: block 4: transactionsRoot does not match");
	assert_int_equal(world_check(&w, RETH, CHECK_verify)->level, LEVEL_OK);
}

/* ---- errors ---- */

static void error_share(unsigned good, unsigned bad, enum status code, enum level level)
{
	start(1, 12000);
	world_calls(&w, INFURA, good, ST_OK, 5);
	world_calls(&w, INFURA, bad, code, 5);
	world_run(&w, w.ms + 2 * S);
	assert_int_equal(world_check(&w, INFURA, CHECK_errors)->level, level);
}

static void errors(void **state)
{
	(void)state;
	/* 1 of 100 is 1 %, the limit and not beyond it; 10 of 100 is 10 %. */
	error_share(99, 1, ST_TIMEOUT, LEVEL_OK);
	world_fini(&w);
	error_share(139, 2, ST_RATE, LEVEL_WARN);
	world_is(&w, INFURA, CHECK_errors, LEVEL_WARN, "infura: 2 of 141 calls refused (429), Retry-After 3 s");
	world_fini(&w);
	error_share(90, 10, ST_TIMEOUT, LEVEL_WARN);
	world_fini(&w);
	error_share(90, 11, ST_TIMEOUT, LEVEL_CRIT);
	world_is(&w, INFURA, CHECK_errors, LEVEL_CRIT, "infura: 11 of 101 calls failed (timeout)");
	/* They happened at 60 s, in the half minute of 50 to 80 (RIG_T0 is 1000 s): ten of those later it leaves. */
	world_run(&w, 340 * S);
	world_calls(&w, INFURA, 50, ST_OK, 5);
	assert_int_equal(world_until(&w, INFURA, CHECK_errors, LEVEL_OK), 352 * S);
	world_fini(&w);
	/* 19 calls are no rate; what a node does not have is no error. */
	error_share(9, 10, ST_TIMEOUT, LEVEL_OK);
	world_not_here(&w, INFURA, CHECK_errors, "fewer than 20 calls");
	world_fini(&w);
	error_share(50, 50, ST_UNSUPPORTED, LEVEL_OK);
}

/* A node that was away is not to be blamed for what could not reach it; a connection that is cut under way is another thing. */
static void errors_of_a_restart(void **state)
{
	static const enum status away[] = { ST_REFUSED, ST_DNS, ST_UNREACH, ST_CLOSED, ST_RESET };

	(void)state;
	start(1, 12000);
	world_calls(&w, RETH, 50, ST_OK, 5);
	for (unsigned i = 0; i < 5; i++)
		world_calls(&w, RETH, 10, away[i], 5);
	world_run(&w, w.ms + 3 * S);
	world_is(&w, RETH, CHECK_errors, LEVEL_OK, "reth: none of 50 calls failed");
	/* Over HTTP each call has a connection of its own. */
	w.m->paths[INFURA]->push = false;
	world_calls(&w, INFURA, 50, ST_OK, 5);
	world_calls(&w, INFURA, 10, ST_RESET, 5);
	world_run(&w, w.ms + 3 * S);
	assert_int_equal(world_check(&w, INFURA, CHECK_errors)->level, LEVEL_CRIT);
}

/* All paths of a node are one node. */
static void errors_of_two_paths(void **state)
{
	(void)state;
	start(1, 12000);
	world_calls(&w, GETH_WS, 30, ST_OK, 5);
	world_calls(&w, GETH_IPC, 10, ST_TIMEOUT, 5);
	world_run(&w, w.ms + 2 * S);
	world_is(&w, GETH_WS, CHECK_errors, LEVEL_CRIT, "geth: 10 of 40 calls failed (timeout)");
}

/* ---- call p99 ---- */

/* An hour of calls at 30 ms, then five minutes at this. */
static void slow(uint64_t chain, uint64_t t_ms, uint64_t usual_ms, uint64_t now_ms, enum level level)
{
	start(chain, t_ms);
	w.mask = 0;
	for (unsigned i = 0; i < 4; i++) {
		world_run(&w, (i + 1) * 300 * S + S);
		world_calls(&w, RETH, 100, ST_OK, usual_ms);
	}
	world_run(&w, 1501 * S);
	world_calls(&w, RETH, 100, ST_OK, now_ms);
	world_run(&w, w.ms + 3 * S);
	assert_int_equal(world_check(&w, RETH, CHECK_p99)->level, level);
}

static void p99(void **state)
{
	(void)state;
	/* More than three times as slow, but not slow: 95 ms after 30. Slow, but as usual: 250 after 100. */
	slow(1, 12000, 30, 95, LEVEL_OK);
	world_fini(&w);
	slow(1, 12000, 100, 250, LEVEL_OK);
	world_fini(&w);
	slow(1, 12000, 140, 610, LEVEL_WARN);
	/* The histogram's error is a percent. */
	assert_non_null(strstr(world_check(&w, RETH, CHECK_p99)->text, "reth: eth_getBlockByHash p99 6"));
	assert_non_null(strstr(world_check(&w, RETH, CHECK_p99)->text, " ms, was 14"));
	/* The five minutes after the next ones know nothing of it. */
	world_run(&w, 1801 * S);
	world_calls(&w, RETH, 100, ST_OK, 140);
	assert_in_range(world_until(&w, RETH, CHECK_p99, LEVEL_OK), 1803 * S, 1805 * S);
	world_fini(&w);
	slow(1, 12000, 11000, 11500, LEVEL_OK);
	world_fini(&w);
	slow(1, 12000, 11000, 12500, LEVEL_CRIT);
	world_fini(&w);
	/* T below a second is no limit for a call: a second is. */
	slow(42161, 250, 500, 700, LEVEL_OK);
	world_fini(&w);
	slow(42161, 250, 900, 1100, LEVEL_CRIT);
}

/* ---- mempool ---- */

static void pools(uint64_t reth, uint64_t geth, uint64_t to_ms)
{
	while (w.ms < to_ms) {
		world_info(&w, RETH, INFO_TXPOOL, reth, 0, 0, false);
		world_info(&w, GETH_WS, INFO_TXPOOL, geth, 0, 0, false);
		world_run(&w, w.ms + 10 * S < to_ms ? w.ms + 10 * S : to_ms);
	}
}

static void txpool(void **state)
{
	(void)state;
	start(1, 12000);
	pools(100, 14210, 70 * S);
	assert_int_equal(world_check(&w, RETH, CHECK_txpool)->level, LEVEL_OK);
	pools(0, 14210, 370 * S);
	assert_int_equal(world_check(&w, RETH, CHECK_txpool)->level, LEVEL_OK);
	/* Empty since 70 s: beyond 300 at 371 and 372. */
	pools(0, 14210, 372 * S);
	world_is(&w, RETH, CHECK_txpool, LEVEL_WARN, "reth: empty mempool while geth sees 14,210");
	pools(1, 14210, 375 * S);
	assert_int_equal(world_check(&w, RETH, CHECK_txpool)->level, LEVEL_OK);
	/* Empty everywhere: a quiet chain. */
	pools(0, 0, 900 * S);
	world_not_here(&w, RETH, CHECK_txpool, "empty everywhere");
	world_fini(&w);
	start(10, 2000);
	pools(0, 500, 500 * S);
	world_not_here(&w, RETH, CHECK_txpool, "rollup");
}

/* ---- what it is ---- */

static void client(void **state)
{
	(void)state;
	start(1, 12000);
	world_client(&w, INFURA, "Geth/v1.17.2-stable-abcdef/linux-amd64/go1.24");
	world_stays_ok(&w, INFURA, CHECK_client, 63 * S);
	world_client(&w, INFURA, "Geth/v1.17.2-stable-012345/linux-arm64/go1.25");
	world_stays_ok(&w, INFURA, CHECK_client, 70 * S);
	world_client(&w, INFURA, "Geth/v1.17.3-stable-abcdef/linux-amd64/go1.24");
	assert_int_equal(world_until(&w, INFURA, CHECK_client, LEVEL_WARN), 72 * S);
	world_is(&w, INFURA, CHECK_client, LEVEL_WARN, "infura: now Geth/1.17.3 (was Geth/1.17.2)");
	assert_int_equal(world_until(&w, INFURA, CHECK_client, LEVEL_OK), 672 * S);
	/* Two under one name. */
	world_client(&w, GETH_WS, "Geth/v1.17.2/linux");
	world_client(&w, GETH_IPC, "reth/v2.1.0-e1b4bf7/x86_64");
	world_run(&w, w.ms + 2 * S);
	world_is(&w, GETH_WS, CHECK_client, LEVEL_WARN, "geth: two clients under one name, Geth/1.17.2 and reth/2.1.0");
}

static void wrong_chain(void **state)
{
	(void)state;
	start(1, 12000);
	world_is(&w, GETH_WS, CHECK_chain, LEVEL_OK, "geth: on Ethereum");
	rig_chain(w.m, GETH_IPC, w.ms, 56, 9);
	world_run(&w, 61 * S);
	world_is(&w, GETH_WS, CHECK_chain, LEVEL_CRIT, "geth/ipc: on chain 56 (BSC), not on Ethereum");
	rig_chain(w.m, GETH_IPC, w.ms, 1, 7);
	assert_int_equal(world_until(&w, GETH_WS, CHECK_chain, LEVEL_OK), 64 * S);
}

/* ---- disk ---- */

static void disk_has(uint64_t free_mb, uint64_t total_mb, enum level level)
{
	world_info(&w, GETH_IPC, INFO_DISK, free_mb * 1000000, total_mb * 1000000, 0, false);
	world_run(&w, w.ms + 3 * S);
	assert_int_equal(world_check(&w, GETH_WS, CHECK_disk)->level, level);
}

static void disk(void **state)
{
	(void)state;
	start(1, 12000);
	world_not_here(&w, GETH_WS, CHECK_disk, "no socket on this machine");
	disk_has(100000, 1000000, LEVEL_OK);
	disk_has(99000, 1000000, LEVEL_WARN);
	disk_has(20000, 1000000, LEVEL_WARN);
	disk_has(18000, 1286000, LEVEL_CRIT);
	world_is(&w, GETH_WS, CHECK_disk, LEVEL_CRIT, "geth: 18 GB left under /data (1.4 %)");
	disk_has(500000, 1000000, LEVEL_OK);
}

/* ---- own clock ---- */

static const struct check_view *clock_check(void)
{
	for (unsigned i = 0; i < w.m->health.n; i++)
		if (w.m->health.subject[i]->scope == SCOPE_MACHINE)
			return &w.m->health.subject[i]->check[CHECK_clock];
	fail();
	return NULL;
}

static void clock_is(uint64_t chain, uint64_t bound_ms, enum level level)
{
	start(chain, 12000);
	world_clock(&w, bound_ms * NS_MS);
	world_run(&w, w.ms + 3 * S);
	assert_true(clock_check()->applies);
	assert_int_equal(clock_check()->level, level);
}

static void own_clock(void **state)
{
	(void)state;
	start(1, 12000);
	assert_false(clock_check()->applies);
	world_fini(&w);
	clock_is(1, 100, LEVEL_OK);
	assert_true(w.m->clock_bound == 100 * NS_MS);
	world_fini(&w);
	clock_is(1, 180, LEVEL_WARN);
	assert_string_equal(clock_check()->text, "this machine's clock may be off by 180 ms");
	world_clock(&w, 3 * NS_MS);
	world_run(&w, w.ms + 3 * S);
	assert_int_equal(clock_check()->level, LEVEL_OK);
	world_fini(&w);
	clock_is(56, 50, LEVEL_OK);
	world_fini(&w);
	clock_is(56, 51, LEVEL_WARN);
	world_fini(&w);
	clock_is(10, 51, LEVEL_WARN);
	world_fini(&w);
	clock_is(1, 15999, LEVEL_WARN);
	assert_true(w.m->clock_bound == 15999 * NS_MS);
	world_fini(&w);
	/* Nobody sets it. */
	clock_is(1, 16000, LEVEL_WARN);
	assert_string_equal(clock_check()->text, "this machine's clock is not synchronised: lateness is hidden");
	assert_true(w.m->clock_bound == UNKNOWN);
	assert_string_equal(w.m->line.text, "this machine's clock is not synchronised: lateness is hidden; "
					    "all 4 paths at the newest block");
	world_fini(&w);
	clock_is(1, 16001, LEVEL_CRIT);
}

/* ---- sums ---- */

static void the_worst_and_how_many(void **state)
{
	const struct health *h;

	(void)state;
	start(1, 12000);
	h = &w.m->health;
	assert_int_equal(h->level, LEVEL_OK);
	assert_null(h->worst);
	assert_int_equal(h->ok, h->total);
	world_info(&w, GETH_WS, INFO_PEERS, 3, 0, 0, false);
	world_info(&w, RETH, INFO_PEERS, 2, 0, 0, false);
	world_calls(&w, INFURA, 100, ST_TIMEOUT, 5);
	world_run(&w, w.ms + 2 * S);
	assert_string_equal(h->worst->text, "infura: 100 of 100 calls failed (timeout)");
	assert_int_equal(h->worst_id, CHECK_errors);
	assert_int_equal(h->level, LEVEL_CRIT);
	assert_int_equal(h->more, 2);
	/* Peers of two nodes are one check. */
	assert_int_equal(h->total - h->ok, 2);
	assert_int_equal(health_node(w.m, RETH)->level, LEVEL_WARN);
	assert_int_equal(health_node(w.m, RETH)->worst, CHECK_peers);
	assert_string_equal(w.m->line.word, "CRIT");
	assert_string_equal(w.m->line.text, "infura: 100 of 100 calls failed (timeout) · 2 more");
}

static void a_copy_is_the_same(void **state)
{
	struct model *c;

	(void)state;
	start(1, 12000);
	world_info(&w, GETH_WS, INFO_PEERS, 0, 0, 0, false);
	world_calls(&w, GETH_WS, 30, ST_OK, 5);
	world_run(&w, w.ms + 2 * S);
	c = model_clone(w.m);
	assert_non_null(c);
	world_run(&w, w.ms + 2 * S);
	assert_int_equal(c->health.n, w.m->health.n);
	assert_string_equal(c->health.worst->text, "geth: 0 peers (limit 5)");
	assert_ptr_not_equal(c->health.worst, w.m->health.worst);
	assert_int_equal(health_node(c, GETH_IPC)->level, LEVEL_CRIT);
	model_free(c);
}

/* ---- overrides ---- */

static void overrides(void **state)
{
	const struct limit_row rows[] = {
		{ "peers", 10, NAN },
		{ "Ethereum/age", 30, 60 },
		{ "56/age", 1, 2 },
		{ "op-mainnet/reorg", INFINITY, 7 },
		{ "errors", NAN, INFINITY },
	};
	struct err e;
	double warn, crit;

	(void)state;
	start(1, 12000);
	assert_int_equal(model_limits(w.m, rows, 5, &e), ST_OK);
	health_limits(w.m, 0, CHECK_peers, &warn, &crit);
	assert_true(warn == 10 && crit == 1);
	health_limits(w.m, 0, CHECK_age, &warn, &crit);
	assert_true(warn == 30 && crit == 60);
	health_limits(w.m, 0, CHECK_reorg, &warn, &crit);
	assert_true(warn == 2 && crit == 3);
	health_limits(w.m, 0, CHECK_errors, &warn, &crit);
	assert_true(warn == 1 && isnan(crit));
	peers_are(RETH, 9, LEVEL_WARN);
	world_is(&w, RETH, CHECK_peers, LEVEL_WARN, "reth: 9 peers (limit 10)");
	peers_are(RETH, 10, LEVEL_OK);
	/* The last block is of 60 s. */
	w.mask = 0;
	assert_int_equal(world_until(&w, RETH, CHECK_age, LEVEL_WARN), 92 * S);
	world_fini(&w);
	start(10, 2000);
	assert_int_equal(model_limits(w.m, rows, 5, &e), ST_OK);
	health_limits(w.m, 0, CHECK_reorg, &warn, &crit);
	assert_true(isnan(warn) && crit == 7);
	health_limits(w.m, 0, CHECK_age, &warn, &crit);
	assert_true(warn == 10 && crit == 60);
	/* In the place of those before; a later row wins. */
	assert_int_equal(model_limits(w.m, (struct limit_row[]){ { "age", 5, 6 }, { "age", 7, NAN } }, 2, &e), ST_OK);
	health_limits(w.m, 0, CHECK_age, &warn, &crit);
	assert_true(warn == 7 && crit == 6);
	health_limits(w.m, 0, CHECK_reorg, &warn, &crit);
	assert_true(warn == 1 && crit == 3);
	assert_int_equal(model_limits(w.m, NULL, 0, &e), ST_OK);
	health_limits(w.m, 0, CHECK_age, &warn, &crit);
	assert_true(warn == 10 && crit == 60);
}

static void bad_overrides(void **state)
{
	struct err e;
	double warn, crit;

	(void)state;
	start(1, 12000);
	assert_int_equal(model_limits(w.m, (struct limit_row[]){ { "age", 5, 6 } }, 1, &e), ST_OK);
	assert_int_equal(model_limits(w.m, (struct limit_row[]){ { "peers", 5, 6 }, { "ages", 1, 2 } }, 2, &e), ST_USAGE);
	assert_non_null(strstr(e.text, "ages"));
	assert_int_equal(model_limits(w.m, (struct limit_row[]){ { "/age", 1, 2 } }, 1, &e), ST_USAGE);
	assert_int_equal(model_limits(w.m, (struct limit_row[]){ { "age", -1, 2 } }, 1, &e), ST_USAGE);
	/* What was set stands. */
	health_limits(w.m, 0, CHECK_age, &warn, &crit);
	assert_true(warn == 5 && crit == 6);
	assert_int_equal(check_find("age"), CHECK_age);
	assert_int_equal(check_find("bsc/final_changed"), CHECK_final_changed);
	assert_int_equal(check_find("nothing"), -1);
	assert_int_equal(check_find(""), -1);
}

/* Every row of the table is there, and each name once. */
static void the_table(void **state)
{
	static const char *const names[] = { "age", "silent", "behind", "hash", "finality", "final_changed", "reorg", "sync",
		"peers", "fork", "verify", "errors", "p99", "body_lag", "head_back", "txpool", "client", "chain", "disk",
		"clock", "link" };
	char text[32];

	(void)state;
	world_init(&w, 1, 12000);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(check_find(names[i]) >= 0);
	for (unsigned i = 0; i < CHECK_N; i++)
		assert_int_equal(check_find(check_info((enum check_id)i)->name), i);
	assert_string_equal(check_value(text, sizeof(text), UNIT_S, 49), "49 s");
	assert_string_equal(check_value(text, sizeof(text), UNIT_S, 0.61), "610 ms");
	assert_string_equal(check_value(text, sizeof(text), UNIT_S, 300), "5 min");
	assert_string_equal(check_value(text, sizeof(text), UNIT_S, 301), "301 s");
	assert_string_equal(check_value(text, sizeof(text), UNIT_S, 1536), "25.6 min");
	assert_string_equal(check_value(text, sizeof(text), UNIT_PERCENT, 1.42), "1.4 %");
	assert_string_equal(check_value(text, sizeof(text), UNIT_COUNT, 3), "3");
	assert_string_equal(check_value(text, sizeof(text), UNIT_S, NAN), "—");
}

/* ---- any events ---- */

static uint64_t random_state;

static uint64_t rnd(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (random_state >> 33) % n;
}

static uint64_t odd(void)
{
	static const uint64_t v[] = { 0, 1, 100, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, 1790000000, 5 };

	return v[rnd(8)];
}

static void random_event(struct model *m, uint64_t ms)
{
	struct event e = { .path = (uint16_t)rnd(PATHS), .mono = RIG_T0 + ms * NS_MS, .wall = RIG_WALL0 + ms * NS_MS };
	struct head h;

	switch (rnd(9)) {
	case 0:
		rig_link(m, e.path, ms, (enum link_state)rnd(LINK_STOPPED + 1), (enum status)rnd(ST_N));
		return;
	case 1:
		rig_chain(m, e.path, ms, rnd(20) ? 1 : odd(), rnd(10) ? 7 : odd());
		return;
	case 2:
		e.kind = EV_REPLY;
		e.u.reply.method = (uint8_t)rnd(M_N + 2);
		e.u.reply.code = (uint8_t)rnd(ST_N + 2);
		e.u.reply.latency_ns = odd();
		e.u.reply.wait_ms = (uint32_t)odd();
		break;
	case 3:
		e.kind = EV_INFO;
		e.u.info.info = (uint8_t)rnd(INFO_N + 2);
		e.u.info.code = rnd(3) ? ST_OK : (uint8_t)rnd(ST_N + 2);
		e.u.info.yes = (uint8_t)rnd(2);
		e.u.info.a = odd();
		e.u.info.b = odd();
		e.u.info.c = odd();
		memset(e.u.info.text, rnd(2) ? '/' : 0xe2, rnd(sizeof(e.u.info.text) + 1));
		break;
	case 4:
		e.kind = EV_TAG;
		e.u.tag.final = (uint8_t)rnd(2);
		e.u.tag.number = rnd(3) ? rnd(50) : odd();
		e.u.tag.hash = rig_hash(rnd(50));
		e.u.tag.time_ms = odd();
		break;
	case 5:
		e.kind = EV_CLOCK;
		e.u.clock.bound_ns = odd();
		break;
	case 6:
		rig_verdict(m, e.path, ms, rnd(60), (enum truth)rnd(4), "stateRoot");
		return;
	default:
		h = rig_head(rnd(60), rnd(200), rnd(200));
		if (rnd(10) == 0)
			h.number = odd();
		if (rnd(10) == 0)
			h.time_ms = odd();
		rig_say(m, e.path, ms, &h, (enum head_source)rnd(7));
		return;
	}
	model_apply(m, &e);
}

static void consistent(const struct model *m)
{
	unsigned findings = 0;

	for (unsigned i = 0; i < m->health.n; i++) {
		const struct health_subject *s = m->health.subject[i];
		unsigned ok = 0, total = 0;
		enum level worst = LEVEL_OK;

		for (unsigned k = 0; k < CHECK_N; k++) {
			const struct check_view *v = &s->check[k];

			assert_true(v->applies == (v->why_not == NULL));
			assert_true(v->level <= LEVEL_CRIT);
			assert_true(v->applies || v->level == LEVEL_OK);
			assert_non_null(memchr(v->text, 0, sizeof(v->text)));
			assert_true(!v->applies || v->text[0]);
			assert_true(v->path >= -1 && v->path < (int)m->n_paths);
			total += v->applies;
			ok += v->applies && v->level == LEVEL_OK;
			worst = v->level > worst ? v->level : worst;
		}
		assert_int_equal(s->ok, ok);
		assert_int_equal(s->total, total);
		assert_int_equal(s->level, worst);
		findings += total - ok;
	}
	assert_true(m->health.more + (m->health.worst != NULL) <= findings);
	assert_true((m->health.worst != NULL) == (m->health.ok < m->health.total));
}

static void any_events(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 30; seed++) {
		uint64_t ms = 0;

		random_state = seed;
		world_init(&w, seed % 3 ? 1 : 56, 12000);
		for (unsigned i = 0; i < 3000; i++) {
			ms += rnd(20) ? rnd(400) : rnd(400000);
			random_event(w.m, rnd(10) ? ms : rnd(ms + 1));
			if (rnd(3) == 0) {
				rig_tick(w.m, ms);
				consistent(w.m);
			}
		}
		if (seed < 29)
			world_fini(&w);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(dead_path_is_degraded), T(a_short_break_is_none), T(a_short_break_ends_nothing),
		T(connecting_is_no_finding), T(peers), T(peers_of_rollups),
		T(forks), T(forks_passed), T(forks_by_schedule), T(verify), T(verify_cleared), T(verify_liar), T(errors),
		T(errors_of_a_restart),
		T(errors_of_two_paths), T(p99), T(txpool), T(client), T(wrong_chain), T(disk), T(own_clock),
		T(the_worst_and_how_many), T(a_copy_is_the_same), T(overrides), T(bad_overrides), T(the_table), T(any_events),
	};

	return cmocka_run_group_tests_name("health_node", tests, NULL, NULL);
}
