/* ui/panes of view 2: a block's page as in screens.md §2, transactions of every type, raw JSON, the way there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "mockblock.h"
#include "pane_shot.h"
#include "ui/text.h"
#include "ui/ui.h"

extern const struct pane_class pane_block, pane_tx, pane_raw;

static struct buf text;

static struct ui *new_ui(int w, int h, int view)
{
	struct ui_opts o = { .glyphs = GLYPHS_BRAILLE, .view = view, .w = w, .h = h, .json = mockblock_json };
	struct ui *ui = ui_new(&o);

	assert_non_null(ui);
	return ui;
}

static const char *frame(struct ui *ui, const struct model *m)
{
	ui_render(ui, m, DIRTY_ALL);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	return text.p;
}

static unsigned keys(struct ui *ui, const struct model *m, const char *s)
{
	unsigned res = 0;

	for (; *s; s++)
		res |= ui_key(ui, m, *s == '\n' ? (unsigned)KEY_ENTER_ : *s == '\t' ? (unsigned)KEY_TAB_ : (unsigned)*s);
	return res;
}

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

/* ---- the picture ---- */

static void page_as_drawn(void **state)
{
	static const char *const line[] = {
		"┌ Block 25,490,415 · 16:02:11 UTC · 4.2 s old ───────────────────────────── "
		"Alt-← → next  v raw JSON  y copy  Esc back ┐\n",
		"│ hash     0xc9a4e0b1…5d17f3   hash ✓  txs ✓  wdrl ✓   │    #  to                    method     "
		"  value Ξ  tip gwei    │\n",
		"│ parent   0x77d0a2c4…e9b801   25,490,414              │▶   0  0x7a25…488D uniswap2  swap       "
		"   0.4000     2.000    │\n",
		"│ heard    geth ipc 1.91 s late, ws +0.1, wss +182 ms  │    1  0xdAC1…1ec7 USDT      transfer   "
		"   0.0000     0.310    │\n",
		"│ builder  titan (from extra data)                     │    2  create                0x6080…    "
		"   0.0000     0.051    │\n",
		"│ gas      26,460,000 of 60,000,000   44.1 %           │    3  0x5cE9…01b0           blob × 6   "
		"   0.0000     0.050    │\n",
		"│ base     9.481925155 → next 9.342066759 gwei         │    4  0xA0b8…eB48 USDC      approve    "
		"   0.0000     0.050    │\n",
		"│ burned   0.250892 Ξ                                  │",
		"│ blobs    9 of 21, target 14    excess 0    1 wei     │",
		"  201 txs  0:24 2:170 3:3 4:4",
		NULL,
	};
	struct model *m = mockblock_model(true);
	struct ui *ui = new_ui(120, 26, 2);
	const char *f;

	(void)state;
	frame(ui, m);
	keys(ui, m, "\n");
	f = frame(ui, m);
	for (unsigned i = 0; line[i]; i++)
		has(f, line[i]);
	/* What more there is, where there is room. */
	has(f, "│ time     2026-11-30 16:02:11 UTC");
	has(f, "│ txs      201   legacy 24   1559 170   blob 3   7702 4");
	has(f, "│ wdrl     2   0.300000 Ξ");
	has(f, "│ extra    \"Titan (titanbuilder.xyz)\"");
	has(f, "│ fees to  0x4838B106FCe9647Bdf1E7877BF73cE8B0BAD5f97");
	has(f, "│ usable   38 ms after the first head");
	has(f, "│ slot     15,769,209   epoch 492,787");
	ui_free(ui);
	model_free(m);
}

/* 80×24: one above the other; lower: one instead of the other. */
static void page_narrow(void **state)
{
	struct model *m = mockblock_model(true);
	struct ui *ui = new_ui(80, 24, 1);
	const char *f;

	(void)state;
	frame(ui, m);
	keys(ui, m, "\n");
	f = frame(ui, m);
	has(f, "┌ Block 25,490,415 · 16:02:11 UTC · 4.2 s old ──── Alt-← →  v raw  y copy  Esc ┐\n");
	has(f, "│ hash     0xc9a4e0b1…5d17f3   hash ✓  txs ✓  wdrl ✓ ");
	has(f, "│    3  0x5cE9…01b0           blob × 6");
	has(f, "├────");
	ui_resize(ui, 40, 12);
	f = frame(ui, m);
	has(f, "│    2  create                  0.0000 │");
	has(f, "Tab: fields");
	has_not(f, "parent");
	keys(ui, m, "\t");
	f = frame(ui, m);
	has(f, "│ parent   0x77d0a2c4…e9b801   25,490,…");
	has(f, "Tab: transactions");
	has_not(f, "create");
	ui_free(ui);
	model_free(m);
}

static void parts_of_the_verdict(void **state)
{
	struct model *m = mockblock_model(true);
	struct blk *b = chain_by_hash(m->chains[0], &mockblock_hash);

	(void)state;
	assert_int_equal(b->part[PART_TXS], TRUTH_YES);
	b->truth = TRUTH_UNKNOWN;
	b->part[PART_TXS] = TRUTH_UNKNOWN;
	b->part[PART_WITHDRAWALS] = TRUTH_NONE;
	snprintf(b->truth_why, sizeof(b->truth_why), "transaction type 0x6a");
	open_pane(&pane_block);
	pane.to = (struct target){ .page = "block", .block = mockblock_hash, .number = MOCKUP_NUMBER, .tx = TARGET_NO_TX };
	has(again(m, 120, 24), "hash ✓  txs ?  ");
	has(again(m, 120, 24), "why      transaction type 0x6a");
	has_not(again(m, 120, 24), "wdrl ✓");
	b->state = BLK_ORPHAN;
	b->winner = mockup_hash(1, false);
	b->orphaned_mono = b->first_mono + 8700 * NS_MS;
	b->reincluded = 95;
	has(again(m, 120, 24), "Block 25,490,415′");
	has(again(m, 120, 24), "orphan: 21be won after 8.7 s, 95/201 back");
	model_free(m);
}

/* ---- transactions ---- */

static void at_tx(struct model *m, uint32_t tx)
{
	open_pane(&pane_tx);
	pane.to = (struct target){ .page = "tx", .block = mockblock_hash, .number = MOCKUP_NUMBER, .tx = tx };
	pane.body = chain_by_hash(m->chains[0], &mockblock_hash)->body;
}

static void a_call(void **state)
{
	struct model *m = mockblock_model(true);
	const char *f;

	(void)state;
	at_tx(m, MOCKBLOCK_CALL);
	f = again(m, 160, 45);
	has(f, "┌ Transaction 1 of block 25,490,415 ──");
	has(f, "hash      0x0000000000000000000000000000000000000000000000000000000000000002  ✗");
	has(f, "block     25,490,415 · index 1 of 201 · 4.2 s old");
	has(f, "type      0x2  dynamic fee (EIP-1559)");
	has(f, "from      0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
	has(f, "to        0xdAC17F958D2ee523a2206206994597C13D831ec7  USDT");
	has(f, "method    transfer(address,uint256)  0xa9059cbb");
	has(f, "gas limit 210,000");
	has(f, "effective 9.791925155 gwei per gas = base fee + tip");
	has(f, "tip       0.310000000 gwei per gas to the proposer");
	has(f, "fee       ≤ 0.002056304282550000 Ξ  (gas limit × effective price)");
	has(f, "max fee   20.000000000 gwei");
	has(f, "max tip   0.310000000 gwei");
	has(f, "y parity  1");
	has(f, "Calldata 68 bytes");
	has(f, "0x0000  a9059cbb  transfer(address,uint256)");
	has(f, "0x0004  0000000000000000000000005ce9454909639d2d17a3f753ce7d93fa0b9ab12e  address 0x5ce9…B12E");
	has(f, "0x0024  000000000000000000000000000000000000000000000000000000000bebc200  uint256 200,000,000");
	/* 80 columns: no hints, but whole words. */
	f = again(m, 80, 60);
	has(f, "0x0024  000000000000000000000000000000000000000000000000000000000bebc200");
	model_free(m);
}

static void each_type(void **state)
{
	struct model *m = mockblock_model(true);
	const char *f;

	(void)state;
	at_tx(m, 12);
	f = again(m, 120, 60);
	has(f, "type      0x0  legacy");
	has(f, "gas price 9.531925155 gwei");
	has(f, "v         0x25");
	has_not(f, "max fee");
	at_tx(m, MOCKBLOCK_CREATE);
	f = again(m, 120, 60);
	has(f, "creates   0x");
	has_not(f, "\n│ to ");
	has(f, "0x0000  6080604052600a600c600039600a6000f3");
	has(f, "  `.`@R`.`");
	at_tx(m, MOCKBLOCK_BLOBS);
	f = again(m, 120, 60);
	has(f, "type      0x3  blobs (EIP-4844)");
	has(f, "max blob  10 wei per blob gas");
	has(f, "blobs     6 blobs, burned 0.000000000000786432 Ξ");
	has(f, "Blobs 6");
	has(f, "  0       0x0100000000000000000000000000000000000000000000000000000000000018");
	at_tx(m, MOCKBLOCK_AUTH);
	f = again(m, 120, 60);
	has(f, "type      0x4  set code (EIP-7702)");
	has(f, "Authorizations 1");
	has(f, "  0       0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B  chain 1  nonce 7  y 0");
	at_tx(m, MOCKBLOCK_LIST);
	f = again(m, 120, 60);
	has(f, "Access list 2");
	has(f, "          0xdAC17F958D2ee523a2206206994597C13D831ec7  USDT");
	has(f, "  key 1   0x2222222222222222222222222222222222222222222222222222222222222222");
	has(f, "          0x4838B106FCe9647Bdf1E7877BF73cE8B0BAD5f97");
	has(f, "value     0.000000000000000001 Ξ");
	at_tx(m, MOCKBLOCK_TXS);
	has(again(m, 80, 10), "the block has no such transaction");
	model_free(m);
}

/* What the cursor is on goes to the clipboard as it is, not as it is shown. */
static void values_are_copied(void **state)
{
	struct model *m = mockblock_model(true);
	struct buf *clip;
	unsigned n = 0;

	(void)state;
	at_tx(m, MOCKBLOCK_CALL);
	clip = &pane.env->clip;
	again(m, 160, 45);
	assert_int_equal(pane.class->command(&pane, m, UI_COPY), PANE_COPY);
	assert_string_equal(clip->p, "0x0000000000000000000000000000000000000000000000000000000000000002");
	while (pane.class->command(&pane, m, UI_DOWN) == PANE_DONE && n++ < 100)
		;
	assert_int_equal(pane.class->command(&pane, m, UI_COPY), PANE_COPY);
	assert_int_equal(clip->len, 2 + 2 * 68);
	assert_memory_equal(clip->p, "0xa9059cbb", 10);
	assert_int_equal(pane.class->command(&pane, m, UI_COPY_JSON), PANE_DONE);
	assert_string_equal(pane.env->say, "nothing copied: no memory");
	pane.env->json = mockblock_json;
	assert_int_equal(pane.class->command(&pane, m, UI_COPY_JSON), PANE_COPY);
	assert_memory_equal(clip->p, "{\"hash\":\"0x0000000000000000000000000000000000000000000000000000000000000002\"", 75);
	assert_int_equal(clip->p[clip->len - 1], '}');
	assert_null(strstr(clip->p + 1, "{\"hash\""));
	pane.env->json = NULL;
	open_pane(&pane_block);
	pane.to = (struct target){ .page = "block", .block = mockblock_hash, .number = MOCKUP_NUMBER, .tx = TARGET_NO_TX };
	pane.body = chain_by_hash(m->chains[0], &mockblock_hash)->body;
	again(m, 120, 30);
	pane.class->command(&pane, m, UI_DOWN);
	assert_int_equal(pane.class->command(&pane, m, UI_COPY), PANE_COPY);
	assert_string_equal(clip->p, "0x0000000000000000000000000000000000000000000000000000000000000002");
	pane.class->command(&pane, m, UI_NEXT_PANE);
	for (unsigned i = 0; i < 5; i++)
		pane.class->command(&pane, m, UI_DOWN);
	assert_int_equal(pane.class->command(&pane, m, UI_COPY), PANE_COPY);
	assert_string_equal(clip->p, "9481925155");
	model_free(m);
}

/* ---- the way ---- */

static void there_and_back(void **state)
{
	struct model *m = mockblock_model(true);
	struct ui *ui = new_ui(120, 36, 2);

	(void)state;
	has(frame(ui, m), "┌ Blocks ─");
	assert_string_equal(ui_focus(ui), "blocks");
	keys(ui, m, "\n");
	assert_string_equal(ui_focus(ui), "block");
	frame(ui, m);
	keys(ui, m, "jjj\n");
	has(frame(ui, m), "Transaction 3 of block 25,490,415");
	ui_key(ui, m, KEY_ALT_RIGHT_);
	has(frame(ui, m), "Transaction 4 of block 25,490,415");
	ui_key(ui, m, KEY_ALT_LEFT_);
	ui_key(ui, m, KEY_ALT_LEFT_);
	has(frame(ui, m), "Transaction 2 of block 25,490,415");
	keys(ui, m, "v");
	has(frame(ui, m), "JSON of transaction 2 of block 25,490,415");
	has(frame(ui, m), "\"input\": \"0x6080604052600a600c600039600a6000f3\",");
	ui_key(ui, m, KEY_ESC_);
	assert_string_equal(ui_focus(ui), "tx");
	ui_key(ui, m, KEY_ESC_);
	/* Where one was. */
	has(frame(ui, m), "│▶   3  0x5cE9…01b0 ");
	keys(ui, m, "v");
	has(frame(ui, m), "\"parentHash\": \"0x77d0a2c4");
	ui_key(ui, m, KEY_ESC_);
	ui_key(ui, m, KEY_ESC_);
	assert_string_equal(ui_focus(ui), "blocks");
	ui_key(ui, m, KEY_ESC_);
	assert_int_equal(ui_view(ui), 2);
	/* Another view closes the pages. */
	keys(ui, m, "\n1");
	assert_int_equal(ui_view(ui), 1);
	has(frame(ui, m), "Endpoints");
	keys(ui, m, "\n");
	has(frame(ui, m), "┌ Block 25,490,415");
	keys(ui, m, "1");
	has(frame(ui, m), "Endpoints");
	ui_free(ui);
	model_free(m);
}

static void neighbours(void **state)
{
	struct model *m = mockup_model();
	struct ui *ui = new_ui(120, 36, 2);

	(void)state;
	frame(ui, m);
	keys(ui, m, "jj\n");
	has(frame(ui, m), "┌ Block 25,490,413 ·");
	ui_key(ui, m, KEY_ALT_RIGHT_);
	has(frame(ui, m), "┌ Block 25,490,414 ·");
	/* Its next base fee is what the next block took. */
	has(frame(ui, m), "8.610000000 → next 9.481925155 gwei");
	ui_key(ui, m, KEY_ALT_RIGHT_);
	assert_int_equal(ui_key(ui, m, KEY_ALT_RIGHT_), UI_RES_REDRAW);
	has(frame(ui, m), "this is the newest block");
	for (unsigned i = 0; i < 20; i++)
		ui_key(ui, m, KEY_ALT_LEFT_);
	has(frame(ui, m), "block 25,490,405 is not kept");
	has(frame(ui, m), "┌ Block 25,490,406 ·");
	ui_free(ui);
	model_free(m);
}

/* ---- bodies that are not here ---- */

static void a_body_is_fetched(void **state)
{
	struct model *m = mockblock_model(false);
	struct ui *ui = new_ui(120, 36, 2);
	struct want w;

	(void)state;
	frame(ui, m);
	assert_false(ui_want(ui, m, &w));
	assert_int_equal(keys(ui, m, "\n"), UI_RES_BODY | UI_RES_REDRAW);
	has(frame(ui, m), "fetching the transactions…");
	has(frame(ui, m), "│ base     9.481925155 → next 9.342066759 gwei");
	assert_true(ui_want(ui, m, &w));
	assert_int_equal(w.kind, CMD_BODY);
	assert_int_equal(w.path, 1);
	assert_true(hash_eq(&w.hash, &mockblock_hash));
	/* Not again at once, then on another path. */
	assert_false(ui_want(ui, m, &w));
	model_tick(m, m->now_mono + 6 * NS_S, m->now_wall + 6 * NS_S);
	assert_true(ui_want(ui, m, &w));
	assert_int_equal(w.path, 2);
	mockblock_body(m);
	has(frame(ui, m), "0x7a25…488D uniswap2");
	assert_false(ui_want(ui, m, &w));
	ui_free(ui);
	model_free(m);
}

static void nobody_has_it(void **state)
{
	struct model *m = mockblock_model(false);
	struct ui *ui = new_ui(120, 36, 2);
	struct event e = { .kind = EV_BODY_MISS, .mono = m->now_mono, .wall = m->now_wall };
	struct want w;
	unsigned asked = 0;

	(void)state;
	keys(ui, m, "\n");
	frame(ui, m);
	keys(ui, m, "\n");
	for (unsigned i = 0; i < 20; i++) {
		asked += ui_want(ui, m, &w);
		model_tick(m, m->now_mono + 6 * NS_S, m->now_wall + 6 * NS_S);
	}
	assert_int_equal(asked, 6);
	for (unsigned p = 0; p < 3; p++) {
		e.path = (uint16_t)p;
		e.u.miss.hash = mockblock_hash;
		e.u.miss.code = ST_NULL;
		model_apply(m, &e);
		model_apply(m, &e);
	}
	has(frame(ui, m), "no path can serve this block's transactions (any more)");
	for (unsigned p = 0; p < 3; p++)
		m->paths[p]->state = LINK_WAITING;
	has(frame(ui, m), "not here, and no path answers that could fetch them");
	ui_free(ui);
	model_free(m);
}

/* The page holds its block: the model may drop it. */
static void a_page_outlives_its_block(void **state)
{
	struct model *m = mockblock_model(true);
	struct ui *ui = new_ui(120, 36, 2);
	struct want w;

	(void)state;
	frame(ui, m);
	keys(ui, m, "\n");
	frame(ui, m);
	model_free(m);
	m = mockup_model();
	has(frame(ui, m), "0x7a25…488D uniswap2");
	has(frame(ui, m), "│ gas      26,460,000 of 60,000,000   44.1 %");
	assert_false(ui_want(ui, m, &w));
	keys(ui, m, "v");
	has(frame(ui, m), "\"parentHash\": \"0x77d0a2c4");
	ui_free(ui);
	model_free(m);
}

/* What a page showed may go once it is left: neither keys for all panes nor a click on where it was touch it. */
static void a_page_that_was_left(void **state)
{
	struct model *m = mockblock_model(true);
	struct ui *ui = new_ui(120, 36, 2);

	(void)state;
	frame(ui, m);
	keys(ui, m, "\n");
	has(frame(ui, m), "0x7a25…488D uniswap2");
	ui_key(ui, m, KEY_ESC_);
	assert_string_equal(ui_focus(ui), "blocks");
	model_free(m);
	m = mockup_model();
	keys(ui, m, "tu");
	(void)ui_click(ui, m, 20, 10);
	(void)ui_click(ui, m, 90, 10);
	keys(ui, m, "t");
	frame(ui, m);
	ui_free(ui);
	model_free(m);
}

/* A frozen screen shows the copy, but what is asked for comes from the live model. */
static void frozen(void **state)
{
	struct model *m = mockblock_model(false);
	struct ui *ui = new_ui(120, 36, 2);
	struct want w;

	(void)state;
	frame(ui, m);
	keys(ui, m, " ");
	assert_true(ui_frozen(ui));
	keys(ui, m, "\n");
	has(frame(ui, m), "fetching the transactions…");
	assert_true(ui_want(ui, m, &w));
	mockblock_body(m);
	has(frame(ui, m), "0x7a25…488D uniswap2");
	keys(ui, m, "\n");
	has(frame(ui, m), "Transaction 0 of block 25,490,415");
	ui_free(ui);
	model_free(m);
}

/* ---- any size, any key ---- */

static void any_size(void **state)
{
	static const struct pane_class *const pages[] = { &pane_block, &pane_tx, &pane_raw };
	static const enum glyphs g[] = { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_ASCII };
	struct model *m = mockblock_model(true), *bare = mockblock_model(false), *none = mockup_empty(0);
	struct model *const models[] = { m, bare, none };
	unsigned n = 0;

	(void)state;
	for (unsigned k = 0; k < 9; k++) {
		open_pane(pages[k % 3]);
		pane.env->json = mockblock_json;
		pane.to = (struct target){ .page = "x", .block = mockblock_hash, .tx = k % 3 == 1 ? 3 : TARGET_NO_TX };
		pane.body = k < 3 ? chain_by_hash(m->chains[0], &mockblock_hash)->body : NULL;
		for (int h = 1; h <= 50; h += 3)
			for (int w = 1; w <= 200; w += k % 3 == 2 ? 23 : 7)
				draw_in(models[k / 3], w, h, g[n++ % 3]);
		pane.env->json = NULL;
	}
	model_free(m);
	model_free(bare);
	model_free(none);
}

static void any_key(void **state)
{
	static const unsigned special[] = {
		KEY_ENTER_, KEY_ESC_, KEY_TAB_, KEY_ALT_LEFT_, KEY_ALT_RIGHT_, KEY_DOWN_, KEY_UP_, KEY_PGDN_, KEY_PGUP_,
		KEY_END_, KEY_HOME_, 'v', 'y', 'Y', 'u', 't', 's', '>', 'r', '1', '2', '8', 'z', ' ', 'c', '?', 'q', '\n',
	};
	struct model *m = mockblock_model(true), *mock = mockup_model();
	struct ui *ui = new_ui(120, 36, 2);
	uint32_t seed = 7;
	struct want w;

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		const struct model *at = i / 500 % 2 ? mock : m;

		seed = seed * 1664525 + 1013904223;
		ui_key(ui, at, special[(seed >> 16) % (sizeof(special) / sizeof(special[0]))]);
		if (i % 97 == 0)
			ui_resize(ui, 20 + (int)(seed >> 8) % 150, 3 + (int)(seed >> 20) % 50);
		if (i % 7 == 0)
			ui_click(ui, at, (int)(seed >> 9) % 150, (int)(seed >> 3) % 40);
		if (i % 11 == 0)
			ui_wheel(ui, at, (int)(seed >> 9) % 150, (int)(seed >> 3) % 40, i % 2 ? 1 : -1);
		ui_render(ui, at, i % 3 ? 0 : DIRTY_ALL);
		(void)ui_want(ui, at, &w);
	}
	ui_free(ui);
	model_free(m);
	model_free(mock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_as_drawn),
		cmocka_unit_test(page_narrow),
		cmocka_unit_test(parts_of_the_verdict),
		cmocka_unit_test(a_call),
		cmocka_unit_test(each_type),
		cmocka_unit_test(values_are_copied),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(neighbours),
		cmocka_unit_test(a_body_is_fetched),
		cmocka_unit_test(nobody_has_it),
		cmocka_unit_test(a_page_outlives_its_block),
		cmocka_unit_test(a_page_that_was_left),
		cmocka_unit_test(frozen),
		cmocka_unit_test(any_size),
		cmocka_unit_test(any_key),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
