/* Line 2 and the event log: the sentences of screens.md §2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "model_rig.h"

static struct model *three(void)
{
	static const struct path_setup setup[] = {
		{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
		{ .node = "geth", .via = "ipc", .show = "geth.ipc", .push = true, .local = true },
		{ .node = "infura", .via = "wss", .show = "mainnet.infura.io:443", .push = true },
	};
	struct model *m = model_new(setup, 3, RIG_T0, RIG_WALL0);

	assert_non_null(m);
	return m;
}

static struct model *three_up(void)
{
	struct model *m = three();

	for (unsigned i = 0; i < 3; i++) {
		rig_link(m, i, 0, LINK_LIVE, ST_OK);
		rig_chain(m, i, 0, 1, 7);
	}
	return m;
}

/* All paths hear head n at its own time. */
static void heads(struct model *m, uint64_t n, unsigned mask)
{
	struct head h = rig_head(n, n, n - 1);

	for (unsigned i = 0; i < 3; i++)
		if (mask & 1u << i)
			rig_say(m, i, n * 12000 + i, &h, SRC_PUSH);
}

static void line_is(const struct model *m, enum level level, const char *word, const char *text, const char *brief)
{
	assert_string_equal(m->line.word, word);
	assert_string_equal(m->line.text, text);
	if (brief)
		assert_string_equal(m->line.brief, brief);
	assert_int_equal(m->line.level, level);
	assert_true(utf8_columns(m->line.brief) <= 76);
}

static void link_say(struct model *m, unsigned path, uint64_t ms, enum link_state state, enum status code,
		     const char *text, const char *cure)
{
	struct event e = {
		.kind = EV_LINK,
		.path = (uint16_t)path,
		.mono = RIG_T0 + ms * NS_MS,
		.wall = RIG_WALL0 + ms * NS_MS,
		.u.link = { .state = (uint8_t)state, .code = (uint8_t)code, .retry_mono = RIG_T0 + (ms + 4000) * NS_MS },
	};

	snprintf(e.u.link.text, sizeof(e.u.link.text), "%s", text);
	snprintf(e.u.link.cure, sizeof(e.u.link.cure), "%s", cure);
	model_apply(m, &e);
}

static void connecting(void **state)
{
	struct model *m = three();
	struct event e = {
		.kind = EV_LINK,
		.mono = RIG_T0,
		.u.link = { .state = LINK_CONNECTING, .tcp_us = 200, .text = "upgrade" },
	};

	(void)state;
	line_is(m, LEVEL_WAIT, "CONNECTING", "geth ws connecting… · geth ipc connecting… · infura wss connecting…", NULL);
	model_apply(m, &e);
	e.path = 2;
	e.u.link.dns_us = 12000;
	e.u.link.tcp_us = 0;
	snprintf(e.u.link.text, sizeof(e.u.link.text), "TLS");
	model_apply(m, &e);
	rig_link(m, 1, 5, LINK_LIVE, ST_OK);
	rig_tick(m, 10);
	line_is(m, LEVEL_WAIT, "CONNECTING",
		"geth ws TCP 0.2 ms, upgrade… · geth ipc live, waiting for the first block · infura wss DNS 12.0 ms, TLS…",
		"geth ws upgrade… · geth ipc live, no block yet · infura wss TLS…");
	model_free(m);
}

static void all_well(void **state)
{
	struct model *m = three_up(), *one = rig_model(1, 1);
	struct head h = rig_head(1, 1, 0);

	(void)state;
	heads(m, 1, 7);
	rig_tick(m, 12300);
	/* Of a minute-old acquaintance: answers, age, feed, not behind, no reorg, head never fell, chain id. */
	line_is(m, LEVEL_OK, "OK", "all 3 paths at the newest block, 7 of 7 checks pass",
		"3 of 3 paths at the newest block; 7 checks pass");
	/* A head that only the first has heard so far is no news: the others take their time. */
	heads(m, 2, 1);
	rig_tick(m, 24100);
	line_is(m, LEVEL_OK, "OK", "all 3 paths at the newest block, 7 of 7 checks pass", NULL);
	rig_tick(m, 26500);
	line_is(m, LEVEL_WARN, "WARN", "1 of 3 paths at the newest block; geth ipc: 1 block, 2 s behind",
		"1 of 3 paths at the newest block; geth ipc 2 s behind");
	model_free(m);
	rig_say(one, 0, 12000, &h, SRC_PUSH);
	rig_tick(one, 12300);
	line_is(one, LEVEL_OK, "OK", "n0 ws at the newest block, 6 of 6 checks pass",
		"n0 ws at the newest block; 6 checks pass");
	model_free(one);
}

static void one_down(void **state)
{
	struct model *m = three_up();

	(void)state;
	heads(m, 1, 7);
	link_say(m, 2, 12500, LINK_WAITING, ST_AUTH, "401: key rejected", "check the key");
	m->paths[2]->cause_detail = 401;
	rig_tick(m, 13000);
	line_is(m, LEVEL_WARN, "WARN",
		"2 of 3 paths at the newest block; infura wss 401, next try 4 s → check the key",
		"2 of 3 paths at the newest block; infura wss 401");
	assert_string_equal(path_state_word(m->paths[2]), "down");
	model_free(m);
}

static void none_answers(void **state)
{
	struct model *m = three_up();

	(void)state;
	heads(m, 1, 7);
	for (unsigned i = 0; i < 3; i++)
		link_say(m, i, 13000, LINK_WAITING, ST_REFUSED, "refused", "");
	/* Tried again and again: since when it is down does not move. */
	for (unsigned i = 0; i < 3; i++) {
		link_say(m, i, 30000, LINK_CONNECTING, ST_OK, "TCP", "");
		link_say(m, i, 64000, LINK_WAITING, ST_REFUSED, "refused", "");
	}
	rig_tick(m, 64200);
	/* RIG_WALL0 is 14:13:20 UTC. */
	line_is(m, LEVEL_CRIT, "DOWN", "0 of 3 paths answer since 14:13:33 (51 s), next try 4 s",
		"0 of 3 since 14:13:33 (51 s), next try 4 s");
	link_say(m, 0, 68000, LINK_CONNECTING, ST_OK, "TCP", "");
	rig_tick(m, 68100);
	line_is(m, LEVEL_CRIT, "DOWN", "0 of 3 paths answer since 14:13:33 (55 s), trying now", NULL);
	rig_link(m, 0, 69000, LINK_LIVE, ST_OK);
	heads(m, 5, 1);
	rig_tick(m, 69500);
	/* A node that does not answer is critical, whatever the others do. */
	assert_string_equal(m->line.word, "CRIT");
	assert_non_null(strstr(m->line.text, "1 of 3 paths at the newest block; geth ipc refused"));
	model_free(m);
}

static void never_up(void **state)
{
	struct path_setup setup = { .node = "geth", .via = "ws", .push = true };
	struct model *m = model_new(&setup, 1, RIG_T0, RIG_WALL0);

	(void)state;
	link_say(m, 0, 1000, LINK_WAITING, ST_REFUSED, "refused", "start geth with --ws");
	rig_tick(m, 2000);
	line_is(m, LEVEL_CRIT, "DOWN", "0 of 1 path answers since 14:13:21 (1 s), next try 3 s", NULL);
	model_free(m);
}

static void sync_say(struct model *m, unsigned path, uint64_t ms, uint64_t at)
{
	struct event e = {
		.kind = EV_INFO,
		.path = (uint16_t)path,
		.mono = RIG_T0 + ms * NS_MS,
		.u.info = { .info = INFO_SYNC, .yes = true, .a = at, .b = 25490413 },
	};

	model_apply(m, &e);
}

static void syncing(void **state)
{
	struct path_setup setup = { .node = "geth", .via = "ws", .push = true };
	struct model *m = model_new(&setup, 1, RIG_T0, RIG_WALL0);
	struct head h = rig_head(18204113, 1, 0);

	(void)state;
	rig_link(m, 0, 0, LINK_LIVE, ST_OK);
	rig_chain(m, 0, 0, 1, 7);
	sync_say(m, 0, 1000, 18199433);
	rig_say(m, 0, 15900, &h, SRC_POLL);
	sync_say(m, 0, 16000, 18204113);
	rig_tick(m, 16300);
	line_is(m, LEVEL_WARN, "SYNCING", "18,204,113 of 25,490,413 (71.4 %), 312 blk/s, 6h29m left",
		"18,204,113 of 25,490,413 (71.4 %), 6h29m left");
	model_free(m);
	/* Another node is at the head: that is the news of one node only. */
	m = three_up();
	heads(m, 1, 6);
	sync_say(m, 0, 12100, 5);
	rig_tick(m, 12300);
	line_is(m, LEVEL_WARN, "WARN", "2 of 3 paths at the newest block; geth syncing 5 of 25,490,413 (0.0 %)", NULL);
	model_free(m);
}

static void silent(void **state)
{
	struct model *m = three_up();

	(void)state;
	heads(m, 1, 7);
	for (uint64_t n = 2; n <= 5; n++)
		heads(m, n, 6);
	link_say(m, 0, 48000, LINK_SILENT, ST_SILENT, "no head for 36 s", "");
	rig_tick(m, 61000);
	line_is(m, LEVEL_WARN, "WARN",
		"geth/ws open but no head for 49 s while geth/ipc advanced 4 → resubscribed, polling meanwhile",
		"geth/ws silent 49 s; 2 of 3 paths at the newest");
	rig_link(m, 0, 61500, LINK_LIVE, ST_OK);
	rig_link(m, 0, 62000, LINK_SILENT, ST_SILENT);
	rig_tick(m, 62000);
	assert_non_null(strstr(m->line.text, "→ resubscribed (2nd), polling"));
	assert_string_equal(path_state_word(m->paths[0]), "SILENT");
	/* It polls now and has the head, but its subscription is still dead. */
	rig_say(m, 0, 62100, &model_chain(m)->head->h, SRC_POLL);
	rig_tick(m, 62300);
	assert_non_null(strstr(m->line.text, "geth/ws open but no head for "));
	/* It tells again. */
	rig_link(m, 0, 62400, LINK_LIVE, ST_OK);
	rig_say(m, 0, 62400, &model_chain(m)->head->h, SRC_PUSH);
	for (uint64_t ms = 62600; ms < 68000; ms += 500)
		rig_tick(m, ms);
	assert_string_equal(m->line.word, "OK");
	assert_non_null(strstr(m->line.text, "all 3 paths at the newest block"));
	model_free(m);
}

static void wrong_chain(void **state)
{
	struct model *m = three_up();

	(void)state;
	rig_chain(m, 1, 10, 56, 9);
	heads(m, 1, 5);
	rig_tick(m, 12300);
	line_is(m, LEVEL_CRIT, "CRIT", "geth ipc is on chain 56 (BSC), not on Ethereum", "geth ipc: WRONG CHAIN 56");
	model_free(m);
}

static void old_head(void **state)
{
	struct model *m = three_up(), *dev = rig_model(1, 31337);
	struct head h = rig_head(1, 1, 0);

	(void)state;
	heads(m, 1, 7);
	rig_tick(m, 12000 + 48000);
	line_is(m, LEVEL_OK, "OK", "all 3 paths at the newest block, 7 of 7 checks pass", NULL);
	rig_tick(m, 12000 + 49000);
	line_is(m, LEVEL_OK, "OK", "all 3 paths at the newest block, 7 of 7 checks pass", NULL);
	rig_tick(m, 12000 + 50000);
	/* Two nodes, one finding each. */
	line_is(m, LEVEL_WARN, "WARN", "geth: newest block is 50 s old (limit 48 s) · 1 more; all 3 paths at the newest block",
		"geth: newest block is 50 s old (limit 48 s)");
	model_free(m);
	/* A dev chain mines when somebody sends. */
	rig_say(dev, 0, 12000, &h, SRC_PUSH);
	rig_tick(dev, 10000000);
	line_is(dev, LEVEL_OK, "OK", "n0 ws at the newest block, 5 of 5 checks pass", NULL);
	model_free(dev);
}

/* ---- event log ---- */

static void note_is(const struct model *m, unsigned i, const char *text)
{
	const struct note *n = model_note_at(m, i);

	assert_non_null(n);
	assert_string_equal(n->text, text);
}

static void log_of_links(void **state)
{
	struct model *m = three();

	(void)state;
	rig_link(m, 0, 100, LINK_CONNECTING, ST_OK);
	rig_link(m, 0, 150, LINK_LIVE, ST_OK);
	for (unsigned i = 0; i < 5; i++) {
		link_say(m, 2, 200 + i * 5000, LINK_CONNECTING, ST_OK, "TCP", "");
		link_say(m, 2, 300 + i * 5000, LINK_WAITING, ST_REFUSED, "refused", "is the address right?");
		rig_tick(m, 400 + i * 5000);
	}
	/* One line for all tries. */
	assert_int_equal(m->notes_n, 2);
	note_is(m, 1, "geth ws live");
	note_is(m, 0, "infura wss refused → is the address right? (5 tries)");
	assert_int_equal(model_note_at(m, 0)->mono, RIG_T0 + 300 * NS_MS);
	rig_link(m, 2, 40000, LINK_POLLING, ST_OK);
	rig_tick(m, 40100);
	note_is(m, 0, "infura wss polling");
	/* A new trouble is a new line. */
	link_say(m, 2, 50000, LINK_WAITING, ST_RESET, "reset", "");
	rig_tick(m, 50100);
	note_is(m, 0, "infura wss reset");
	assert_int_equal(m->notes_n, 4);
	assert_null(model_note_at(m, 4));
	model_free(m);
}

static void log_of_silence(void **state)
{
	struct model *m = three_up();
	struct event e = {
		.kind = EV_GAP,
		.mono = RIG_T0 + 49500 * NS_MS,
		.u.gap = { .from = 2, .to = 5, .asked = 4, .silent_ns = 49 * NS_S },
	};

	(void)state;
	rig_tick(m, 100);
	link_say(m, 0, 36000, LINK_SILENT, ST_SILENT, "no head for 36 s", "");
	link_say(m, 0, 40000, LINK_SILENT, ST_SILENT, "no head for 40 s", "");
	rig_tick(m, 40100);
	note_is(m, 0, "geth/ws open but no head for 36 s → resubscribed");
	model_apply(m, &e);
	rig_link(m, 0, 49600, LINK_LIVE, ST_OK);
	rig_tick(m, 49700);
	note_is(m, 0, "geth/ws silent 49 s → resubscribed, 4 filled");
	assert_int_equal(m->notes_n, 4);
	e.u.gap.silent_ns = 0;
	e.mono += NS_S;
	model_apply(m, &e);
	rig_tick(m, 52000);
	note_is(m, 0, "geth/ws missed 2–5 → 4 filled");
	model_free(m);
}

/* Two nodes that differ for long: one line that counts, not one per block. */
static void log_of_a_split(void **state)
{
	struct model *m = rig_model(2, 1);
	unsigned reorgs = 0;

	(void)state;
	for (uint64_t n = 1; n <= 12; n++) {
		struct head a = rig_head(n, 100 + n, n == 1 ? 0 : n == 2 ? 101 : 100 + n - 1);
		struct head b = rig_head(n, 200 + n, n == 2 ? 101 : 200 + n - 1);

		rig_say(m, 0, n * 12000, &a, SRC_PUSH);
		rig_say(m, 1, n * 12000 + (n % 2 ? 400 : 0), n == 1 ? &a : &b, SRC_PUSH);
		rig_tick(m, n * 12000 + 300);
		rig_tick(m, n * 12000 + 800);
	}
	for (unsigned i = 0; i < m->notes_n; i++)
		reorgs += model_note_at(m, i)->kind == NOTE_REORG;
	assert_true(model_chain(m)->reorg_count > 3);
	assert_int_equal(reorgs, 1);
	model_free(m);
}

/* Whatever is put in, it ends in time and in whole characters. */
static void long_names(void **state)
{
	struct path_setup setup[PATHS_MAX];
	char name[40];
	struct model *m;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (unsigned i = 0; i < PATHS_MAX; i++)
		setup[i] = (struct path_setup){ .node = name, .via = "https", .show = name };
	m = model_new(setup, PATHS_MAX, RIG_T0, RIG_WALL0);
	for (unsigned i = 0; i < PATHS_MAX; i++)
		link_say(m, i, 5, LINK_CONNECTING, ST_OK, "→ äöü → äöü → äöü", "");
	for (unsigned k = 0; k < 3; k++) {
		const char *texts[] = { m->line.text, m->line.brief };

		rig_tick(m, 10 + k);
		for (unsigned t = 0; t < 2; t++) {
			size_t len = strlen(texts[t]);

			assert_true(len < (t ? sizeof(m->line.brief) : sizeof(m->line.text)));
			for (size_t at = 0; at < len;) {
				int used;

				assert_int_not_equal(utf8_decode(texts[t] + at, len - at, &used), 0xfffd);
				at += (size_t)used;
			}
		}
		for (unsigned i = 0; i < PATHS_MAX; i++)
			link_say(m, i, 20, k ? LINK_LIVE : LINK_WAITING, k ? ST_OK : ST_TLS, "→→→→→→→→→", "ö");
	}
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connecting),
		cmocka_unit_test(all_well),
		cmocka_unit_test(one_down),
		cmocka_unit_test(none_answers),
		cmocka_unit_test(never_up),
		cmocka_unit_test(syncing),
		cmocka_unit_test(silent),
		cmocka_unit_test(wrong_chain),
		cmocka_unit_test(old_head),
		cmocka_unit_test(log_of_links),
		cmocka_unit_test(log_of_silence),
		cmocka_unit_test(log_of_a_split),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
