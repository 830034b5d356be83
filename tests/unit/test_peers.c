/* What is made of devp2p's facts: in the model, which chain a network is, whether a node's two sides agree, the Peers pane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/health.h"
#include "model_rig.h"
#include "pane_shot.h"

extern const struct pane_class pane_peers, pane_path;

enum { WS, P2P };

static struct event event(enum event_kind kind, unsigned path, uint64_t ms)
{
	const uint64_t ns = ms * NS_MS;

	return (struct event){ .kind = (uint16_t)kind, .path = (uint16_t)path, .mono = RIG_T0 + ns, .wall = RIG_WALL0 + ns };
}

/* One node over ws and RLPx; nothing is known of it yet. */
static struct model *node(void)
{
	static const struct path_setup setup[] = {
		{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
		{ .node = "geth", .via = "rlpx", .show = "127.0.0.1:30303", .local = true },
	};
	struct model *m = model_new(setup, 2, RIG_T0, RIG_WALL0);

	assert_non_null(m);
	return m;
}

static void up(struct model *m, unsigned path, uint64_t ms)
{
	struct event e = event(EV_LINK, path, ms);

	e.u.link.state = path == P2P ? LINK_POLLING : LINK_LIVE;
	snprintf(e.u.link.via, sizeof(e.u.link.via), path == P2P ? "rlpx" : "ws");
	model_apply(m, &e);
}

static void on_chain(struct model *m, unsigned path, uint64_t ms, uint64_t id, uint8_t genesis, bool network)
{
	struct event e = event(EV_CHAIN, path, ms);

	e.u.chain.id = id;
	e.u.chain.ok = true;
	e.u.chain.network = network;
	memset(e.u.chain.genesis.b, genesis, 32);
	model_apply(m, &e);
}

static const struct check_view *check(const struct model *m)
{
	const struct health_subject *s = health_node(m, WS);

	assert_non_null(s);
	return &s->check[CHECK_p2p];
}

/* ---- which chain ---- */

/* The genesis joins what the numbers do not, whoever comes first. */
static void network_and_chain(void **state)
{
	(void)state;
	for (unsigned first = WS; first <= P2P; first++) {
		struct model *m = node();

		for (unsigned k = 0; k < 2; k++) {
			unsigned path = k == 0 ? first : !first;

			up(m, path, k);
			on_chain(m, path, k, path == P2P ? 12 : 4242, 7, path == P2P);
			if (k == 0 && path == P2P)
				assert_string_equal(m->chains[0]->name, "network 12");
		}
		assert_int_equal(m->n_chains, 1);
		assert_int_equal(m->chains[0]->id, 4242);
		assert_false(m->chains[0]->network);
		assert_string_equal(m->chains[0]->name, "chain 4242");
		assert_false(m->paths[WS]->wrong_chain || m->paths[P2P]->wrong_chain);
		model_free(m);
	}
}

/* A node that does not tell its genesis over RPC: then the number has to do. */
static void no_genesis_over_rpc(void **state)
{
	(void)state;
	for (unsigned first = WS; first <= P2P; first++) {
		struct model *m = node();

		for (unsigned k = 0; k < 2; k++) {
			unsigned path = k == 0 ? first : !first;

			up(m, path, k);
			on_chain(m, path, k, 4242, path == P2P ? 7 : 0, path == P2P);
		}
		assert_int_equal(m->n_chains, 1);
		assert_string_equal(m->chains[0]->name, "chain 4242");
		assert_int_equal(m->chains[0]->genesis.b[31], 7);
		assert_false(m->chains[0]->network || m->paths[WS]->wrong_chain || m->paths[P2P]->wrong_chain);
		model_free(m);
	}
}

/* The same number is nothing if the genesis differs. */
static void another_genesis(void **state)
{
	struct model *m = node();

	(void)state;
	up(m, WS, 0);
	up(m, P2P, 0);
	on_chain(m, WS, 0, 1, 0xd4, false);
	on_chain(m, P2P, 0, 1, 9, true);
	assert_int_equal(m->n_chains, 2);
	assert_true(m->paths[P2P]->wrong_chain);
	for (unsigned s = 1; s <= 4; s++)
		rig_tick(m, s * 1000);
	assert_int_equal(check(m)->level, LEVEL_CRIT);
	assert_string_equal(check(m)->text, "geth: RLPx is on network 1 (genesis 0909…), ws on Ethereum (d4d4…)");
	assert_true(rig_noted(m, "geth rlpx is on another chain than its node"));
	model_free(m);
}

/* ---- both sides ---- */

static struct model *both(void)
{
	struct model *m = node();

	up(m, WS, 0);
	up(m, P2P, 0);
	on_chain(m, WS, 0, 1, 0xd4, false);
	on_chain(m, P2P, 0, 1, 0xd4, false);
	return m;
}

static void tell(struct model *m, unsigned path, uint64_t s, uint64_t number, uint64_t tag, uint64_t parent)
{
	struct head h = rig_head(number, tag, parent);

	rig_say(m, path, s * 1000, &h, path == P2P ? SRC_POLL : SRC_PUSH);
}

static void lags_behind(void **state)
{
	struct model *m = both();

	(void)state;
	for (unsigned s = 1; s <= 20; s++) {
		if (s == 2) {
			tell(m, WS, s, 100, 100, 99);
			tell(m, P2P, s, 100, 100, 99);
		}
		if (s == 14)
			tell(m, WS, s, 101, 101, 100);
		rig_tick(m, s * 1000);
	}
	/* Six seconds are less than a block time. */
	assert_true(check(m)->applies);
	assert_int_equal(check(m)->level, LEVEL_OK);
	assert_string_equal(check(m)->text, "geth: RLPx and ws say the same");
	tell(m, WS, 26, 102, 102, 101);
	for (unsigned s = 26; s <= 29; s++)
		rig_tick(m, s * 1000);
	/* Block 101 is there since 14. */
	assert_int_equal(check(m)->level, LEVEL_WARN);
	assert_string_equal(check(m)->text, "geth: RLPx is 2 blocks, 15 s behind ws");
	has(show(&pane_peers, m, 120, 16), "beside RPC    RLPx is 2 blocks, 15 s behind ws");
	assert_true(rig_noted(m, "geth: RLPx is 2 blocks, 14 s behind ws"));
	for (unsigned s = 30; s <= 53; s++)
		rig_tick(m, s * 1000);
	assert_int_equal(check(m)->level, LEVEL_CRIT);
	assert_false(rig_noted(m, "geth: RLPx and ws say the same"));
	tell(m, P2P, 54, 101, 101, 100);
	tell(m, P2P, 54, 102, 102, 101);
	for (unsigned s = 54; s <= 60; s++)
		rig_tick(m, s * 1000);
	assert_int_equal(check(m)->level, LEVEL_OK);
	assert_true(rig_noted(m, "geth: RLPx and ws say the same"));
	/* And the other way round. */
	tell(m, P2P, 61, 103, 103, 102);
	for (unsigned s = 61; s <= 76; s++)
		rig_tick(m, s * 1000);
	assert_int_equal(check(m)->level, LEVEL_WARN);
	assert_string_equal(check(m)->text, "geth: ws is 1 block, 15 s behind RLPx");
	model_free(m);
}

static void other_branch(void **state)
{
	struct model *m = both();

	(void)state;
	tell(m, WS, 1, 100, 100, 99);
	tell(m, P2P, 1, 100, 100, 99);
	rig_tick(m, 1000);
	tell(m, WS, 2, 101, 101, 100);
	tell(m, P2P, 2, 101, 901, 100);
	tell(m, WS, 12, 102, 102, 101);
	tell(m, P2P, 12, 102, 902, 901);
	for (unsigned s = 2; s <= 20; s++)
		rig_tick(m, s * 1000);
	assert_int_equal(check(m)->level, LEVEL_WARN);
	has(check(m)->text, "geth: for 18 s another block 101 on RLPx than on ws (");
	for (unsigned s = 21; s <= 45; s++)
		rig_tick(m, s * 1000);
	assert_int_equal(check(m)->level, LEVEL_CRIT);
	/* It comes back. */
	tell(m, P2P, 46, 101, 101, 100);
	tell(m, P2P, 46, 102, 102, 101);
	for (unsigned s = 46; s <= 52; s++)
		rig_tick(m, s * 1000);
	assert_int_equal(check(m)->level, LEVEL_OK);
	model_free(m);
}

static void one_side_alone(void **state)
{
	struct model *m = both();
	struct event e = event(EV_LINK, WS, 1000);

	(void)state;
	e.u.link.state = LINK_WAITING;
	e.u.link.code = ST_REFUSED;
	model_apply(m, &e);
	for (unsigned s = 1; s <= 4; s++)
		rig_tick(m, s * 1000);
	assert_false(check(m)->applies);
	assert_string_equal(check(m)->why_not, "no RPC beside RLPx");
	model_free(m);
}

/* ---- facts and pane ---- */

static void facts(struct model *m)
{
	struct event e = event(EV_PEER, P2P, 10);
	static const uint8_t prague[4] = { 0xc3, 0x76, 0xcf, 0x8b };
	static const struct hash mainnet = { { 0xd4, 0xe5, 0x67, 0x40, 0xf8, 0x76, 0xae, 0xf8, 0xc0, 0x10, 0xb8, 0x6a,
		0x40, 0xd5, 0xf5, 0x67, 0x45, 0xa1, 0x18, 0xd0, 0x90, 0x6a, 0x34, 0xe6, 0x9a, 0xec,
		0x8c, 0x0d, 0xb1, 0xcb, 0x8f, 0xa3 } };

	e.u.peer.network = 1;
	e.u.peer.genesis = mainnet;
	memcpy(e.u.peer.fork_hash, prague, 4);
	e.u.peer.fork_next = 1764798551;
	e.u.peer.p2p = 5;
	e.u.peer.eth = 69;
	snprintf(e.u.peer.caps, sizeof(e.u.peer.caps), "eth/69 eth/70 snap/1");
	model_apply(m, &e);
	e = event(EV_INFO, P2P, 10);
	e.u.info.info = INFO_CLIENT;
	snprintf(e.u.info.text, sizeof(e.u.info.text), "Geth/v1.17.10");
	model_apply(m, &e);
	e = event(EV_PEER_COUNT, P2P, 20);
	e.u.count.frames_in = 320;
	e.u.count.reads = 100;
	e.u.count.frames_out = 90;
	e.u.count.writes = 90;
	e.u.count.ping_ns = 412000;
	e.u.count.tcp_ns = 98000;
	e.u.count.kind[PK_HEADERS].in = 207;
	e.u.count.kind[PK_HEADERS].in_bytes = 1640000;
	e.u.count.kind[PK_BODIES].out = 88;
	e.u.count.kind[PK_BODIES].out_bytes = 3168;
	model_apply(m, &e);
	/* A ping that is on its way does not hide the last one. */
	e.mono += NS_S;
	e.u.count.ping_ns = UNKNOWN;
	model_apply(m, &e);
	for (unsigned i = 0; i < 4; i++) {
		static const int reason[] = { 4, 4, 0x10, -1 };

		e = event(EV_PEER_LEFT, P2P, 30 + i);
		e.u.left.reason = reason[i];
		model_apply(m, &e);
	}
}

static void shown(void **state)
{
	struct model *m = both();
	const char *s;

	(void)state;
	facts(m);
	tell(m, P2P, 1, 100, 100, 99);
	rig_tick(m, 1100);
	assert_true(pane_peers.present(m));
	s = show(&pane_peers, m, 140, 14);
	has(s, "geth       Geth/v1.17.10");
	has(s, "eth/69");
	has(s, "Ethereum");
	has(s, "  0.4 ms  0.1 ms ");
	/* The rig's clock is behind Osaka. */
	has(s, "behind: Prague; Osaka was at 2025-12-03 21:49 UTC");
	has(s, "eth/69 eth/70 snap/1; p2p/5");
	has(s, "3.20 per read, 1.00 per write");
	has(s, "too many peers 2, subprotocol error 1, another reason, or none 1");
	has(s, "headers           207    1.6 MB");
	has(s, "genesis       0xd4e56740f876aef8");
	s = show(&pane_peers, m, 30, 4);
	has(s, "geth");
	open_pane(&pane_path);
	pane.to.path = P2P;
	s = again(m, 120, 80);
	has(s, "ping 0.4 ms, TCP 0.1 ms");
	has(s, "too many peers 2");
	has(s, "207 in, 1.6 MB; 0 out, 0 B");
	/* Of the RPC side there is nothing of it. */
	open_pane(&pane_path);
	pane.to.path = WS;
	has_not(again(m, 120, 80), "disconnected");
	model_free(m);
}

static void nothing_known_yet(void **state)
{
	static const struct path_setup rpc[] = { { .node = "geth", .via = "ws", .show = "x" } };
	struct model *m = node(), *without = model_new(rpc, 1, RIG_T0, RIG_WALL0);
	struct event e = event(EV_LINK, P2P, 5);
	const char *s;

	(void)state;
	assert_false(pane_peers.present(without));
	s = show(&pane_peers, m, 100, 12);
	has(s, "connecting");
	has(s, "ping \xe2\x80\x94, TCP \xe2\x80\x94");
	has(s, "\xe2\x80\x94 per read, \xe2\x80\x94 per write");
	e.u.link.state = LINK_WAITING;
	e.u.link.code = ST_CLOSED;
	snprintf(e.u.link.via, sizeof(e.u.link.via), "rlpx");
	snprintf(e.u.link.text, sizeof(e.u.link.text), "the node disconnected: too many peers");
	snprintf(e.u.link.cure, sizeof(e.u.link.cure), "raise its limit");
	model_apply(m, &e);
	has(show(&pane_peers, m, 100, 12), "down: the node disconnected: too many peers \xe2\x86\x92 raise its limit");
	for (int w = 1; w < 170; w += 7)
		for (int h = 1; h < 40; h += 3)
			(void)show(&pane_peers, m, w, h);
	model_free(m);
	model_free(without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(network_and_chain),
		cmocka_unit_test(no_genesis_over_rpc),
		cmocka_unit_test(another_genesis),
		cmocka_unit_test(lags_behind),
		cmocka_unit_test(other_branch),
		cmocka_unit_test(one_side_alone),
		cmocka_unit_test(shown),
		cmocka_unit_test(nothing_known_yet),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
