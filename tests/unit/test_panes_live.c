/* ui/panes, what tells of the paths: pulse, endpoints, mempool, events in the states of screens.md §2. */
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

/* ---- pulse ---- */

/* The row of a path, without frame and label; columns of the timeline are the last ones of it. */
static const char *row_of(const char *frame, const char *label)
{
	static char row[1024];
	const char *at = strstr(frame, label), *end = at ? strstr(at, "│\n") : NULL;

	if (!end)
		fail_msg("no row %s in\n%s", label, frame);
	snprintf(row, sizeof(row), "%.*s", (int)(end - at), at);
	return row;
}

static void hear_again(struct model *m, unsigned path, uint64_t number, uint64_t mono, enum head_source source)
{
	struct path *p = m->paths[path];

	p->heard[p->heard_next] = (struct heard){ .mono = mono, .number = number, .hash = mockup_hash(number, false) };
	p->heard[p->heard_next].source = (uint8_t)source;
	p->heard_next = (p->heard_next + 1) % HEARD_KEPT;
	p->heard_n += p->heard_n < HEARD_KEPT;
}

static void forget(struct model *m, unsigned path, uint64_t number)
{
	struct path *p = m->paths[path];

	for (unsigned i = 0; i < p->heard_n; i++) {
		if (p->heard[i].number != number)
			continue;
		memmove(p->heard + i, p->heard + i + 1, (p->heard_n - i - 1) * sizeof(p->heard[0]));
		p->heard_next = --p->heard_n;
		return;
	}
}

static void pulse_hole(void **state)
{
	struct model *m = mockup_model();
	const char *f;

	(void)state;
	/* The third path slept through two heads that the others heard. */
	forget(m, 2, MOCKUP_NUMBER - 1);
	forget(m, 2, MOCKUP_NUMBER - 2);
	f = show(&pane_pulse, m, 100, 5);
	has(row_of(f, "geth ws"), "┊  ●        ┊ ●         ┊ ●         ┊ ●    ");
	has(row_of(f, "infura wss"), "┊  ●                                ┊  ●   ");
	model_free(m);
}

static void pulse_missed_slot(void **state)
{
	struct model *m = mockup_model();
	struct hash orphan = mockup_hash(MOCKUP_NUMBER - 5, true);

	(void)state;
	/* Had nobody heard the late block, its slot were empty. It comes before the one that won. */
	for (unsigned p = 0; p < 3; p++)
		forget(m, p, MOCKUP_NUMBER - 5);
	chain_by_hash(m->chains[0], &orphan)->h.time_ms -= 12000;
	has(row_of(show(&pane_pulse, m, 100, 5), "geth ws"), "┊ ×         ┊ ●         ┊ ●         ┊  ●        ┊ ●");
	/* After the head: the slot must be over, and somebody must listen. */
	m->now_mono += 10 * NS_S;
	m->now_wall += 10 * NS_S;
	has(row_of(again(m, 100, 5), "geth ws"), "┊ ●         ┊ ●         ┊  ");
	has_not(again(m, 100, 5), "┊ ×  │");
	m->now_mono += 12 * NS_S;
	m->now_wall += 12 * NS_S;
	has(row_of(again(m, 100, 5), "geth ws"), "┊ ●         ┊ ×         ┊  ");
	for (unsigned p = 0; p < 3; p++) {
		m->paths[p]->state = LINK_WAITING;
		m->paths[p]->state_since = m->now_mono - 25 * NS_S;
	}
	has(row_of(again(m, 100, 5), "geth ws"), "┊ ●                     down");
	model_free(m);
}

static void pulse_words(void **state)
{
	struct model *m = mockup_model();
	const char *f;

	(void)state;
	m->paths[0]->state = LINK_SILENT;
	m->paths[1]->state = LINK_POLLING;
	m->paths[2]->other_chain = true;
	m->now_mono += 47 * NS_S;
	m->now_wall += 47 * NS_S;
	f = show(&pane_pulse, m, 100, 5);
	has(row_of(f, "geth ws"), "SILENT 49s ");
	has(row_of(f, "geth ipc poll"), "┊");
	has(row_of(f, "infura wss"), "  other chain ");
	has_not(row_of(f, "infura wss"), "●");
	has(again(m, 100, 4), "and 2 more");
	model_free(m);
}

static void pulse_bursts_and_polls(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	hear_again(m, 1, MOCKUP_NUMBER - 1, m->now_mono - 2300 * NS_MS, SRC_PUSH);
	has(row_of(show(&pane_pulse, m, 100, 5), "geth ipc"), "┊ 2    ");
	hear_again(m, 0, MOCKUP_NUMBER - 20, m->now_mono - NS_S / 2, SRC_POLL);
	has(row_of(again(m, 100, 5), "geth ws"), "┊ ● ● ");
	assert_int_equal(cell_at(96, 1).cp, 0x25cf);
	assert_int_equal(cell_at(96, 1).attr & CELL_DIM, CELL_DIM);
	model_free(m);
}

static void pulse_scales(void **state)
{
	struct model *m = mockup_model();
	struct chain *c = m->chains[0];
	struct chain_info info = *c->info;
	const char *f;

	(void)state;
	m->clock_bound = UNKNOWN;
	has_not(show(&pane_pulse, m, 100, 5), "later");
	c->info = &info;
	info.kind = CHAIN_OTHER;
	f = again(m, 100, 5);
	has(f, "┌ Pulse   1 column = 1 s   ┊ 12 s   ● head heard   2 two heads ──");
	has(f, "┊ ●         ┊ ●         ┊ ●");
	info.kind = CHAIN_ROLLUP;
	c->block_ms = 250;
	has(again(m, 100, 5), "┌ Pulse   1 column = 250 ms   ┊ 5 s   ● head heard ");
	c->block_ms = 2000;
	has(again(m, 100, 5), "┌ Pulse   1 column = 1 s   ┊ 10 s   ● head heard ");
	c->block_ms = UNKNOWN;
	has(again(m, 100, 5), "┌ Pulse   1 column = 1 s   ┊ 10 s   ● head heard ");
	has(again(m, 40, 5), "┌ Pulse   1 column = 1 s ──");
	model_free(m);
}

/* ---- endpoints ---- */

static void endpoints_in_trouble(void **state)
{
	struct model *m = mockup_model();
	struct path *p = m->paths[0];
	const char *f;
	struct chain twin;

	(void)state;
	p->state = LINK_WAITING;
	p->cause = ST_REFUSED;
	snprintf(p->text, sizeof(p->text), "127.0.0.1:8546 refused");
	snprintf(p->cure, sizeof(p->cure), "start geth with --ws");
	p->retry_mono = m->now_mono + 4 * NS_S;
	m->paths[1]->state = LINK_CONNECTING;
	snprintf(m->paths[1]->text, sizeof(m->paths[1]->text), "upgrade");
	m->paths[2]->other_chain = true;
	f = show(&pane_endpoints, m, 160, 6);
	has(f, "geth    ws   down 127.0.0.1:8546 refused → start geth with --ws, next try in 4.0s ");
	has(f, "geth    ipc  connecting upgrade ");
	has(f, "infura  wss  other chain 1: Ethereum ");
	/* Two anvils: the number alone would say that it is the chain on the screen. */
	twin = *m->chains[0];
	m->chains[1] = &twin;
	m->paths[2]->chain = 1;
	has(again(m, 160, 6), "infura  wss  other chain 1: Ethereum, another genesis ");
	m->paths[2]->chain = 0;
	m->paths[1]->attempt = 3;
	snprintf(m->paths[1]->errors.last, sizeof(m->paths[1]->errors.last), "connection refused");
	has(again(m, 160, 6), "geth    ipc  connecting upgrade, try 3 after: connection refused ");
	p->text[0] = p->cure[0] = '\0';
	p->retry_mono = UNKNOWN;
	m->paths[2]->wrong_chain = true;
	f = again(m, 160, 6);
	has(f, "geth    ws   down refused  ");
	has(f, "infura  wss  WRONG CHAIN 1: Ethereum ");
	model_free(m);
}

static void endpoints_need_heads(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		m->paths[i]->raced = 12;
	has(show(&pane_endpoints, m, 160, 6), "│    infura  wss  live");
	has(again(m, 160, 6), "└ order: 12 of 30 heads needed ──");
	has_not(again(m, 160, 6), "by freshness");
	model_free(m);
}

static void endpoints_polled_and_behind(void **state)
{
	struct model *m = mockup_model();
	struct path *p = m->paths[2];

	(void)state;
	p->state = LINK_POLLING;
	p->push = false;
	p->poll_interval_ns = 500 * NS_MS;
	p->behind_blocks = 2;
	p->head_number -= 2;
	p->xfer_bytes_per_s = p->calls_per_min = p->bytes_per_min = (double)NAN;
	p->usable_p90 = p->call_p50 = p->call_p99 = UNKNOWN;
	p->raced = 0;
	has(show(&pane_endpoints, m, 160, 6),
	    "│    infura  wss  poll   25,490,413    ≤ 500 ms        —      —           —          —        —            —"
	    "          —          —       —            0        │");
	has(again(m, 80, 6), "│    infura wss  poll          −2  ≤ 500 ms       —          —       —        0│");
	model_free(m);
}

static void endpoints_sync_and_old_peers(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	m->paths[0]->facts.sync_known = m->paths[0]->facts.syncing = true;
	has(show(&pane_endpoints, m, 160, 6), "│ 1= geth    ws   sync   25,490,415 ");
	assert_int_equal(cell_at(137, 2).cp, '8');
	assert_int_not_equal(cell_at(137, 2).role, ROLE_DIM);
	m->now_mono += 200 * NS_S;
	again(m, 160, 6);
	assert_int_equal(cell_at(137, 2).role, ROLE_DIM);
	model_free(m);
}

static void endpoints_sort_unknown_last(void **state)
{
	struct model *m = mockup_model();
	const char *f;

	(void)state;
	show(&pane_endpoints, m, 160, 6);
	for (unsigned i = 0; i < 2; i++) {
		/* Peers: the third path does not know them. */
		assert_int_equal(pane_endpoints.click(&pane, m, 135, 1), PANE_DONE);
		f = again(m, 160, 6);
		has(f, i ? "by peers ▼ · 412 heads" : "by peers ▲ · 412 heads");
		assert_true(strstr(f, "infura") > strstr(f, "ipc"));
	}
	model_free(m);
}

static void endpoints_long_names(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	snprintf(m->paths[0]->node, sizeof(m->paths[0]->node), "mainnet.infura.io");
	has(show(&pane_endpoints, m, 160, 6), "│ 1= mainnet.infura… ws   live ");
	has(again(m, 180, 6), "│ 1= mainnet.infura.io ws   live   25,490,415 ");
	model_free(m);
}

/* ---- mempool ---- */

static void mempool_not_available(void **state)
{
	struct model *m = mockup_model();
	const char *f;

	(void)state;
	mockup_no_announcements(m);
	m->pool.known = false;
	m->pool.why = ST_UNSUPPORTED;
	assert_false(pane_mempool.present(m));
	f = show(&pane_mempool, m, 50, 5);
	has(f, "┌ Mempool n/a ──");
	has(f, "│ no path offers txpool_status (−32601); asked   │\n│ again in 1 h or with F5 ");
	m->pool.why = ST_TIMEOUT;
	has(again(m, 60, 5), "│ no path answers txpool_status (timeout)");
	m->pool.why = ST_OK;
	assert_true(pane_mempool.present(m));
	has(again(m, 60, 5), "┌ Mempool ──");
	has(again(m, 60, 5), "waiting for the first answer");
	model_free(m);
}

static void mempool_of_each_node(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	mockup_no_announcements(m);
	has(show(&pane_mempool, m, 50, 5), "│ 14,120 – 14,230 in the last 9 answers ");
	m->paths[0]->facts.pending = m->paths[1]->facts.pending = 14210;
	has(again(m, 50, 5), "in the last 9 answers ");
	m->paths[2]->facts.pending = 0;
	has(again(m, 50, 5), "│ geth 14,210  infura 0 ");
	model_free(m);
}

static void mempool_announced(void **state)
{
	struct model *m = mockup_model();
	const char *f;

	(void)state;
	f = show(&pane_mempool, m, 50, 5);
	has(f, "│ 14,210 pending  802 queued  +21.4/s ");
	has(f, "│ seen before mined 83 %   lead p50 6.1 s        │\n│ 71 % can pay the next base fee                 │\n");
	/* Room for more says more. */
	has(again(m, 60, 5), "│ seen before mined 83 %   lead p50 6.1 s  p90 31 s ");
	has(again(m, 66, 5), "│ 71 % can pay the next base fee   of 3,120 announced in 10 m");
	f = again(m, 60, 12);
	has(f, "│ 14,120 – 14,230 in the last 9 answers ");
	has(f, "│ geth ws   seen 83 %  lead p50 6.1 s  p90 31 s  +21.4/s ");
	has(f, "│ geth ipc  seen 73 %  lead p50 6.1 s  p90 31 s  +21.4/s ");
	has(again(m, 30, 5), "│ seen before mined 83 %     │\n│ 71 % can pay               │");
	/* Nearly all is not all, little is not none. */
	m->pool.cover.seen = m->pool.cover.txs - 1;
	m->pool.pay = 1;
	f = again(m, 50, 5);
	has(f, "seen before mined > 99 % ");
	has(f, "< 1 % can pay ");
	m->pool.cover.seen = m->pool.cover.txs;
	m->pool.pay = 0;
	f = again(m, 50, 5);
	has(f, "seen before mined 100 % ");
	has(f, "│ 0 % can pay ");
	/* What was lost makes it the least that it can be. */
	m->pool.cover.seen = 4316;
	m->pool.cover.floor = true;
	m->pool.cover.lead_p50 = 250 * NS_MS;
	has(again(m, 50, 5), "seen before mined ≥ 83 %   lead p50 250 ms ");
	m->pool.cover.seen = 0;
	m->pool.cover.per_s = 5804.5;
	f = again(m, 60, 5);
	has(f, "seen before mined —         ");
	has(f, "  +5,805/s ");
	model_free(m);
}

static void mempool_listens_first(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	m->pool.cover = (struct cover){ .lead_p50 = UNKNOWN, .lead_p90 = UNKNOWN, .per_s = (double)NAN };
	m->pool.ready = m->now_mono + 48 * NS_S;
	m->pool.pay_of = m->pool.pay = 0;
	has(show(&pane_mempool, m, 50, 5), "│ seen before mined —   in 48 s ");
	m->pool.ready = m->now_mono - NS_S;
	has(again(m, 50, 5), "│ seen before mined —   none mined yet ");
	/* Only announcements: nobody says how many wait. */
	m->pool.known = false;
	m->pool.why = ST_UNSUPPORTED;
	m->pool.cover.per_s = 3.5;
	m->pool.cover.history_n = 60;
	m->pool.cover.history[59] = 7;
	assert_true(pane_mempool.present(m));
	has(again(m, 50, 5), "┌ Mempool ─");
	has(again(m, 50, 5), "│ — pending  +3.5/s ");
	model_free(m);
}

static void mempool_old(void **state)
{
	struct model *m = mockup_model();

	(void)state;
	m->now_mono += 185 * NS_S;
	has(show(&pane_mempool, m, 50, 5), "│ 14,210 pending  802 queued  (3m06s) ");
	assert_int_equal(cell_at(2, 1).role, ROLE_DIM);
	model_free(m);
}

/* ---- events ---- */

static void note(struct model *m, unsigned i)
{
	struct note *n = &m->notes[m->notes_next];

	*n = (struct note){ .seq = m->note_seq++, .wall = (57600 + i) * NS_S, .path = -1, .chain = -1 };
	snprintf(n->text, sizeof(n->text), "note %u", i);
	m->notes_next = (m->notes_next + 1) % NOTES_KEPT;
	m->notes_n += m->notes_n < NOTES_KEPT;
}

static void events_scroll(void **state)
{
	struct model *m = mockup_empty(1);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		note(m, i);
	has(show(&pane_events, m, 40, 5), "│ 16:00:09 note 9 ");
	pane_events.command(&pane, m, UI_DOWN);
	has(again(m, 40, 5), "┐\n│ 16:00:08 note 8 ");
	has(again(m, 40, 5), "└ 1 newer ──");
	/* What one reads stays where it is. */
	note(m, 10);
	has(again(m, 40, 5), "┐\n│ 16:00:08 note 8 ");
	has(again(m, 40, 5), "└ 2 newer ──");
	pane_events.command(&pane, m, UI_OLDEST);
	has(again(m, 40, 5), "│ 16:00:00 note 0 ");
	has(again(m, 40, 5), "┐\n│ 16:00:02 note 2 ");
	assert_int_equal(pane_events.command(&pane, m, UI_BACK), PANE_DONE);
	has(again(m, 40, 5), "┐\n│ 16:00:10 note 10 ");
	assert_int_equal(pane_events.command(&pane, m, UI_BACK), PANE_IGNORED);
	/* The one on top leaves the log. */
	pane_events.command(&pane, m, UI_OLDEST);
	for (unsigned i = 0; i < 3 * NOTES_KEPT; i++)
		note(m, i);
	has(again(m, 40, 5), "note 512 ");
	model_free(m);
}

static void events_are_clean(void **state)
{
	struct model *m = mockup_empty(1);

	(void)state;
	note(m, 0);
	snprintf(m->notes[0].text, sizeof(m->notes[0].text), "bad \x1b[31m\xff text");
	has(show(&pane_events, m, 40, 5), "bad ?[31m? text");
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pulse_hole),
		cmocka_unit_test(pulse_missed_slot),
		cmocka_unit_test(pulse_words),
		cmocka_unit_test(pulse_bursts_and_polls),
		cmocka_unit_test(pulse_scales),
		cmocka_unit_test(endpoints_in_trouble),
		cmocka_unit_test(endpoints_need_heads),
		cmocka_unit_test(endpoints_polled_and_behind),
		cmocka_unit_test(endpoints_sync_and_old_peers),
		cmocka_unit_test(endpoints_sort_unknown_last),
		cmocka_unit_test(endpoints_long_names),
		cmocka_unit_test(mempool_not_available),
		cmocka_unit_test(mempool_of_each_node),
		cmocka_unit_test(mempool_announced),
		cmocka_unit_test(mempool_listens_first),
		cmocka_unit_test(mempool_old),
		cmocka_unit_test(events_scroll),
		cmocka_unit_test(events_are_clean),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
