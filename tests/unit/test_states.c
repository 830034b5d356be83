/* The states of screens.md §2, each reached by events alone and seen on the whole screen: no hand touches the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/time.h"
#include "mockup.h"
#include "pane_shot.h"
#include "ui/text.h"
#include "ui/ui.h"

#define T0 (1000 * NS_S)
#define W0 (UINT64_C(1790000000) * NS_S) /* 2026-09-21 14:13:20 UTC */

static const struct path_setup three[] = {
	{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
	{ .node = "geth", .via = "ipc", .show = "/data/geth.ipc", .push = true, .local = true },
	{ .node = "infura", .via = "wss", .show = "mainnet.infura.io", .push = true },
};

static struct buf text;

static int setup(void **state)
{
	buf_init(&text, 4 << 20);
	return shot_setup(state);
}

static int teardown(void **state)
{
	buf_fini(&text);
	return shot_teardown(state);
}

/* ---- events ---- */

static struct event event(enum event_kind kind, unsigned path, uint64_t ms)
{
	return (struct event){
		.kind = (uint16_t)kind, .path = (uint16_t)path, .mono = T0 + ms * NS_MS, .wall = W0 + ms * NS_MS,
	};
}

static void link_says(struct model *m, unsigned path, uint64_t ms, enum link_state state, enum status why, const char *words,
		      const char *cure)
{
	struct event e = event(EV_LINK, path, ms);

	e.u.link.state = (uint8_t)state;
	e.u.link.code = (uint8_t)why;
	e.u.link.retry_mono = state == LINK_WAITING ? e.mono + 4 * NS_S : 0;
	snprintf(e.u.link.text, sizeof(e.u.link.text), "%s", words);
	snprintf(e.u.link.cure, sizeof(e.u.link.cure), "%s", cure);
	model_apply(m, &e);
}

static void chain_says(struct model *m, unsigned path, uint64_t ms, uint64_t id)
{
	struct event e = event(EV_CHAIN, path, ms);

	e.u.chain.id = id;
	e.u.chain.ok = true;
	e.u.chain.genesis.b[0] = (uint8_t)(id | 1);
	model_apply(m, &e);
}

static struct model *up(unsigned paths, uint64_t id)
{
	struct model *m = model_new(three, paths, T0, W0);

	assert_non_null(m);
	for (unsigned p = 0; p < paths; p++) {
		link_says(m, p, 0, LINK_LIVE, ST_OK, "", "");
		chain_says(m, p, 0, id);
	}
	return m;
}

static void tick(struct model *m, uint64_t ms)
{
	model_tick(m, T0 + ms * NS_MS, W0 + ms * NS_MS);
}

/* A head whose own time is `at` ms after the start, heard then. */
static struct head head_of(uint64_t number, uint64_t at)
{
	return (struct head){
		.hash = mockup_hash(number, false),
		.parent = mockup_hash(number - 1, false),
		.number = number,
		.time_ms = W0 / NS_MS + at,
		.gas_limit = 60000000,
		.gas_used = 26460000,
		.base_fee = u256_from64(9481925155),
		.has = H_HASH | H_NUMBER | H_PARENT | H_BASE_FEE | H_MILLIS,
	};
}

static void says(struct model *m, unsigned path, uint64_t ms, const struct head *h)
{
	struct event e = event(EV_HEAD, path, ms);

	e.u.head.source = SRC_PUSH;
	e.u.head.h = *h;
	model_apply(m, &e);
}

static const char *frame(const struct model *m, int w, int h)
{
	return screen(m, w, h, GLYPHS_BRAILLE);
}

/* ---- the states ---- */

static void first_second(void **state)
{
	struct model *m = model_new(three, 3, T0, W0);
	struct event e = event(EV_LINK, 0, 1);
	const char *f;

	(void)state;
	e.u.link.state = LINK_CONNECTING;
	e.u.link.tcp_us = 200;
	snprintf(e.u.link.text, sizeof(e.u.link.text), "upgrade");
	model_apply(m, &e);
	link_says(m, 1, 1, LINK_LIVE, ST_OK, "", "");
	e = event(EV_LINK, 2, 1);
	e.u.link.state = LINK_CONNECTING;
	e.u.link.dns_us = 12000;
	snprintf(e.u.link.text, sizeof(e.u.link.text), "TLS");
	model_apply(m, &e);
	tick(m, 20);
	f = frame(m, 160, 45);
	has(f, " CONNECTING  geth ws TCP 0.2 ms, upgrade… · geth ipc live, waiting for the first block"
	       " · infura wss DNS 12.0 ms, TLS…");
	has(f, "┌ Blocks ─");
	has(f, "┌ Gas ─");
	has(f, "┌ Tx rate ─");
	has(f, "┌ Pulse ─");
	has(f, "│ waiting for the first block");
	has(f, "│    geth    ws   connecting upgrade ");
	has(frame(m, 80, 24), " CONNECTING  geth ws upgrade… · geth ipc live, no block yet · infura wss TLS…");
	model_free(m);
}

static void none_answers(void **state)
{
	struct model *m = up(3, 1);
	struct head h = head_of(25490415, 1000);
	struct ui_opts o = { .glyphs = GLYPHS_BRAILLE, .view = 1, .w = 160, .h = 45 };
	struct ui *ui = ui_new(&o);
	const struct canvas *c;
	const char *f;

	(void)state;
	assert_non_null(ui);
	for (unsigned p = 0; p < 3; p++)
		says(m, p, 2000, &h);
	link_says(m, 0, 9000, LINK_WAITING, ST_REFUSED, "127.0.0.1:8546 refused", "start geth with --ws");
	link_says(m, 1, 9000, LINK_WAITING, ST_IO, "/data/geth.ipc does not exist", "is the node running?");
	link_says(m, 2, 9000, LINK_WAITING, ST_AUTH, "401", "key rejected");
	link_says(m, 0, 60000, LINK_WAITING, ST_REFUSED, "127.0.0.1:8546 refused", "start geth with --ws");
	link_says(m, 1, 60000, LINK_WAITING, ST_IO, "/data/geth.ipc does not exist", "is the node running?");
	link_says(m, 2, 60000, LINK_WAITING, ST_AUTH, "401", "key rejected");
	tick(m, 60000);
	f = frame(m, 160, 45);
	has(f, " DOWN  0 of 3 paths answer since 14:13:29 (51 s), next try ");
	has(f, "geth    ws   down 127.0.0.1:8546 refused → start geth with --ws, next try in 4.0s ");
	has(f, "infura  wss  down 401 → key rejected");
	/* Old data is there, dim, and its age goes on. */
	has(f, "25,490,415    59 s old");
	ui_render(ui, m, DIRTY_ALL);
	c = ui_canvas(ui);
	assert_true(c->cells[4 * c->stride + 5].attr & CELL_DIM);
	assert_false(c->cells[1 * c->stride + 2].attr & CELL_DIM);
	has(frame(m, 80, 24), " DOWN  0 of 3 paths answer since 14:13:29 (51 s), next try 4 s");
	ui_free(ui);
	model_free(m);
}

static void syncing(void **state)
{
	struct model *m = up(1, 1);
	struct head h = head_of(18204113, 0);
	struct event e;
	const char *f;

	(void)state;
	h.time_ms = W0 / NS_MS - 86400000;
	for (unsigned i = 0; i < 2; i++) {
		e = event(EV_INFO, 0, 1000 + i * 15000);
		e.u.info.info = INFO_SYNC;
		e.u.info.yes = true;
		e.u.info.a = 18199433 + i * 4680;
		e.u.info.b = 25490415;
		model_apply(m, &e);
	}
	says(m, 0, 16000, &h);
	/* What it calls final is as old: that is no finding. */
	e = event(EV_TAG, 0, 16100);
	e.u.tag.final = 1;
	e.u.tag.number = 18204049;
	e.u.tag.time_ms = h.time_ms - 768000;
	model_apply(m, &e);
	for (uint64_t ms = 16300; ms < 22000; ms += 500)
		tick(m, ms);
	f = frame(m, 160, 45);
	has(f, " SYNCING  18,204,113 of 25,490,415 (71.4 %), 312 blk/s, 6h29m left");
	has(f, "┌ Gas ─");
	has(f, " at block 18,204,113 ┐");
	has(f, "sync   18,204,113");
	model_free(m);
}

static void silent(void **state)
{
	struct model *m = up(2, 1);
	struct head h;
	const char *f;

	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		h = head_of(100 + i, 1000 + i * 12000);
		if (i == 0)
			says(m, 0, 1500, &h);
		says(m, 1, 1500 + i * 12000, &h);
		tick(m, 2000 + i * 12000);
	}
	link_says(m, 0, 38000, LINK_SILENT, ST_SILENT, "no head for 36 s", "");
	tick(m, 50600);
	f = frame(m, 160, 45);
	has(f, " WARN  geth/ws open but no head for 49 s while geth/ipc advanced 4 → resubscribed, polling meanwhile");
	has(f, "│    geth    ws   SILENT 49s ");
	has(f, " SILENT 49s │");
	model_free(m);
}

static void no_txpool(void **state)
{
	struct model *m = up(1, 1);
	struct head h = head_of(100, 1000);
	struct event e = event(EV_INFO, 0, 1100);

	(void)state;
	says(m, 0, 1000, &h);
	e.u.info.info = INFO_TXPOOL;
	e.u.info.code = ST_UNSUPPORTED;
	model_apply(m, &e);
	tick(m, 2000);
	has(frame(m, 160, 45), "┌ Mempool n/a ─");
	has(frame(m, 160, 45), "│ no path offers txpool_status (−32601); asked ");
	/* Below 40 rows the pane yields its space. */
	has_not(frame(m, 160, 36), "Mempool");
	model_free(m);
}

static void no_base_fee(void **state)
{
	struct model *m = up(1, 250);
	struct head h = head_of(100, 1000);

	(void)state;
	h.has &= ~(uint32_t)H_BASE_FEE;
	says(m, 0, 1000, &h);
	tick(m, 2000);
	has(frame(m, 160, 45), "┌ Gas price ─");
	has(frame(m, 160, 45), "│ base fee: none ");
	has(frame(m, 160, 45), "│ price p10 ");
	has_not(frame(m, 160, 45), "next base");
	model_free(m);
}

/* Arbitrum: 4 blocks a second, no gas limit, no next base fee that one could know. */
static struct model *arbitrum(unsigned paths)
{
	struct model *m = up(paths, 42161);
	struct head h;

	for (uint64_t i = 0; i < 14; i++) {
		h = head_of(506697445 + i, 1000 + i * 250);
		h.gas_limit = UINT64_C(1) << 50;
		h.gas_used = 2000000;
		says(m, 0, 1010 + i * 250, &h);
		tick(m, 1100 + i * 250);
	}
	return m;
}

static void fast_blocks(void **state)
{
	struct model *m = arbitrum(1);
	struct ui_opts o = { .glyphs = GLYPHS_BRAILLE, .view = 1, .w = 160, .h = 45 };
	struct ui *ui = ui_new(&o);
	const char *f;

	(void)state;
	assert_non_null(ui);
	f = frame(m, 160, 45);
	/* 14:13:21.000 to 24.250: the last second has two so far. */
	has(f, "│▶  506,697,457–458   0.1s   2 blk  250 ms ");
	has(f, "│   506,697,453–456   0.6s   4 blk  250 ms ");
	has(f, "│   506,697,449–452   1.6s   4 blk  250 ms ");
	has(f, "  no limit    8.0 ");
	has(f, " gas used Mgas/s ");
	has(f, "by second, C each block ");
	has(f, "┌ Pulse   1 column = 250 ms ");
	has(f, "9.482 → next — ");
	has_not(f, "next base");
	/* 80 columns: the same rows. */
	has(frame(m, 80, 24), "506,697,453–456   0.6s   4 blk  250 ms ");
	/* C: each block by itself, and back. */
	ui_render(ui, m, DIRTY_ALL);
	ui_key(ui, m, 'C');
	ui_render(ui, m, DIRTY_ALL);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	has(text.p, " 506,697,456   0.6s   250 ");
	has(text.p, " Δt ms ");
	has(text.p, "C by second");
	ui_key(ui, m, 'C');
	/* Enter on a second opens its newest block. */
	ui_key(ui, m, 'j');
	ui_key(ui, m, KEY_ENTER_);
	ui_render(ui, m, DIRTY_ALL);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	has(text.p, "┌ Block 506,697,456 ·");
	has(text.p, "│ gas      2,000,000, no limit");
	ui_free(ui);
	model_free(m);
	/* Where nothing can be grouped the key says so. */
	m = up(1, 1);
	ui = ui_new(&o);
	ui_render(ui, m, DIRTY_ALL);
	ui_key(ui, m, 'C');
	ui_render(ui, m, 0);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	has(text.p, "blocks are a second apart or more: each has its row");
	ui_free(ui);
	model_free(m);
}

/* An orphan between two blocks of a second does not part them. */
static void fast_blocks_with_an_orphan(void **state)
{
	struct model *m = arbitrum(2);
	struct head h = head_of(506697454, 3250);
	const char *f;

	(void)state;
	h.hash = mockup_hash(506697454, true);
	h.gas_limit = UINT64_C(1) << 50;
	says(m, 1, 3290, &h);
	tick(m, 4600);
	f = frame(m, 160, 45);
	has(f, "506,697,453–456   0.8s   4 blk  250 ms ");
	has(f, "506,697,454′  1.3s");
	has(f, "not on the chain we follow");
	model_free(m);
}

static void bsc(void **state)
{
	struct model *m = up(1, 56);
	struct head h;
	struct event e;
	const char *f;

	(void)state;
	/* Turns of 8 blocks; the last validator steps in for another one. */
	for (uint64_t i = 0; i < 45; i++) {
		h = head_of(70000000 + i, 1000 + i * 450);
		h.base_fee = u256_from64(0);
		h.has |= H_MINER;
		h.miner.b[0] = (uint8_t)(1 + i / 8);
		h.difficulty = i / 8 == 5 ? 1 : 2;
		says(m, 0, 1010 + i * 450, &h);
		tick(m, 1100 + i * 450);
	}
	e = event(EV_TAG, 0, 20850);
	e.u.tag.final = 1;
	e.u.tag.number = 70000042;
	e.u.tag.time_ms = W0 / NS_MS + 1000 + 42 * 450;
	model_apply(m, &e);
	tick(m, 20900);
	f = frame(m, 160, 45);
	has(f, " BSC  70,000,044 ");
	has(f, "final −2 1.0s");
	has(f, "│ base 0 (fixed) ");
	has(f, "70,000,043–044   0.1s   2 blk  450 ms ");
	has(f, "  turn ");
	has(f, " 2 OUT ");
	has(f, "  validators ");
	f = show(&pane_blocks, m, 120, 20);
	pane.class->command(&pane, m, UI_GROUP);
	f = again(m, 120, 20);
	has(f, "OUT 5/8 ");
	has(f, "OUT 1/8 ");
	has(f, "in 8/8 ");
	has(f, "  validator ");
	has(f, "0x0600…0000");
	model_free(m);
}

/* Clique: the miner field is empty, the signer stands in the extra data. The block is that of tests/unit/test_seal.c. */
static void clique(void **state)
{
	static const char block[] =
		"{\"hash\":\"0x1111111111111111111111111111111111111111111111111111111111111111\","
		"\"parentHash\":\"0xff483e972a04a9a62bb4b7d04ae403c615604e4090521ecc5bb7af67f71be09c\","
		"\"sha3Uncles\":\"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347\","
		"\"miner\":\"0x0000000000000000000000000000000000000000\","
		"\"stateRoot\":\"0x69e39af32bd0cc2d5f8ad822a3afcd7fe8d7211e4ca7c42654cdbda7a9b74516\","
		"\"transactionsRoot\":\"0xc6b96208da008581c8401312c6025b96a7028812de06e809b03bf94598d9cefb\","
		"\"receiptsRoot\":\"0x2aefa890b781f80174ec347ad1648a5caa4c72b95b9bff6a3631462b502b69d0\","
		"\"difficulty\":\"0x2\",\"number\":\"0x1234567\",\"gasLimit\":\"0x1c9c380\",\"gasUsed\":\"0x12d687\","
		"\"timestamp\":\"0x6553f100\",\"nonce\":\"0x0000000000000000\","
		"\"mixHash\":\"0x0000000000000000000000000000000000000000000000000000000000000000\","
		"\"extraData\":\"0x6d61646520666f72206120746573740000000000000000000000000000000000"
		"6baac069924d86f1db46255e4724447a514104c18bf5917fd329ecdfbf2b58a7"
		"2c7f12ae2f526358861a98f7841d6f7bc3417eccf2e48d97a4547ffb16b3a81200\","
		"\"transactions\":[],\"uncles\":[],\"logsBloom\":\"0x%s\"}";
	struct model *m = up(1, 4242);
	struct blockdec *dec = blockdec_new();
	const struct block *b = NULL;
	struct err err = { .code = ST_OK };
	struct event e = event(EV_HEAD, 0, 1000);
	char bloom[513], json[sizeof(block) + 512];

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		snprintf(bloom + 2 * i, 3, "%02x", i);
	snprintf(json, sizeof(json), block, bloom);
	assert_non_null(dec);
	if (block_decode(dec, json, strlen(json), true, &b, &err) != ST_OK)
		fail_msg("%s", err.text);
	e.u.head.source = SRC_PUSH;
	head_from(&e.u.head.h, &b->h, block_at(b, b->h.extra));
	model_apply(m, &e);
	assert_false(m->chains[0]->turns);
	e = event(EV_BLOCK, 0, 1010);
	e.u.block.block = block_keep(b);
	e.u.block.done_mono = e.mono;
	e.u.block.source = SRC_PUSH;
	model_apply(m, &e);
	tick(m, 1200);
	assert_true(m->chains[0]->turns);
	has(show(&pane_blocks, m, 106, 10), "  validator ");
	has(again(m, 106, 10), "0x574a…8692");
	has(again(m, 106, 10), "    in ");
	blockdec_free(dec);
	model_free(m);
}

static void several_chains(void **state)
{
	struct model *m = up(3, 1);
	struct head h = head_of(25490415, 1000);
	struct ui_opts o = { .glyphs = GLYPHS_BRAILLE, .view = 1, .w = 160, .h = 45 };
	struct ui *ui = ui_new(&o);
	const char *f;

	(void)state;
	assert_non_null(ui);
	says(m, 0, 1000, &h);
	/* A sibling of geth's is on another chain: that is an error. infura is another node: that is a choice. */
	chain_says(m, 1, 1000, 56);
	chain_says(m, 2, 1000, 8453);
	h = head_of(40000000, 1000);
	says(m, 2, 1100, &h);
	h = head_of(70000000, 1000);
	says(m, 1, 1100, &h);
	tick(m, 2000);
	f = frame(m, 160, 45);
	has(f, " Ethereum 1/3 ");
	has(f, " 25,490,415 ");
	has(f, " CRIT  geth ipc is on chain 56 (BSC), not on Ethereum");
	has(f, "│    geth    ipc  WRONG CHAIN 56: BSC ");
	has(f, "│    infura  wss  other chain 8453: Base ");
	ui_render(ui, m, DIRTY_ALL);
	assert_true(ui_key(ui, m, 'c') & UI_RES_CHAIN);
	model_show(m, 2);
	f = frame(m, 160, 45);
	has(f, " Base 3/3 ");
	has(f, " 40,000,000 ");
	has(f, "│    geth    ws   other chain 1: Ethereum ");
	has(f, "│    infura  wss  live   40,000,000 ");
	/* View 5 says it, too. */
	o.view = 5;
	ui_free(ui);
	ui = ui_new(&o);
	ui_render(ui, m, DIRTY_ALL);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	has(text.p, "WRONG CHAIN 56");
	has(text.p, "other chain 1 ");
	ui_free(ui);
	model_free(m);
}

static void stale_values(void **state)
{
	struct model *m = up(1, 1);
	struct head h = head_of(100, 1000);
	struct event e = event(EV_INFO, 0, 1000);

	(void)state;
	says(m, 0, 1000, &h);
	e.u.info.info = INFO_PEERS;
	e.u.info.a = 48;
	model_apply(m, &e);
	tick(m, 2000);
	has(frame(m, 160, 45), "      48            0 ");
	tick(m, 201000);
	has(frame(m, 160, 45),  " 48 (3m)            0 ");
	tick(m, 7400000);
	has(frame(m, 160, 45), " 48 (2h)            0 ");
	model_free(m);
}

static void frozen(void **state)
{
	struct model *m = up(1, 1);
	struct head h = head_of(100, 1000);
	struct ui_opts o = { .glyphs = GLYPHS_BRAILLE, .view = 1, .w = 160, .h = 45 };
	struct ui *ui = ui_new(&o);

	(void)state;
	assert_non_null(ui);
	says(m, 0, 1000, &h);
	tick(m, 2000);
	ui_render(ui, m, DIRTY_ALL);
	ui_key(ui, m, ' ');
	h = head_of(101, 13000);
	says(m, 0, 13000, &h);
	tick(m, 14000);
	ui_render(ui, m, DIRTY_ALL);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	has(text.p, " FROZEN 12 s, 1 new block · Space resumes");
	ui_free(ui);
	model_free(m);
}

/* Every state at every size, in plain ASCII too. */
static void any_size(void **state)
{
	struct model *m[] = { arbitrum(1), up(3, 56), up(1, 250), model_new(three, 3, T0, W0) };
	static const enum glyphs g[] = { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_ASCII };
	unsigned n = 0;

	(void)state;
	for (unsigned k = 0; k < sizeof(m) / sizeof(m[0]); k++) {
		for (int w = 1; w < 180; w += 13)
			for (int h = 1; h < 50; h += 6)
				screen(m[k], w, h, g[n++ % 3]);
		model_free(m[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_second),
		cmocka_unit_test(none_answers),
		cmocka_unit_test(syncing),
		cmocka_unit_test(silent),
		cmocka_unit_test(no_txpool),
		cmocka_unit_test(no_base_fee),
		cmocka_unit_test(fast_blocks),
		cmocka_unit_test(fast_blocks_with_an_orphan),
		cmocka_unit_test(bsc),
		cmocka_unit_test(clique),
		cmocka_unit_test(several_chains),
		cmocka_unit_test(stale_values),
		cmocka_unit_test(frozen),
		cmocka_unit_test(any_size),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
