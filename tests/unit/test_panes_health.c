/* ui/panes/health: the summary of the overview as in the picture of screens.md §2, and the table of view 7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "mockup.h"
#include "pane_shot.h"

static void info(struct model *m, unsigned path, enum info_kind kind, uint64_t a, uint64_t b, const char *text)
{
	struct event e = { .kind = EV_INFO, .path = (uint16_t)path, .mono = m->now_mono, .wall = m->now_wall };

	e.u.info.info = (uint8_t)kind;
	e.u.info.a = a;
	e.u.info.b = b;
	e.u.info.c = UINT64_C(0x07c9462e) << 32;
	e.u.info.yes = kind == INFO_FORK;
	snprintf(e.u.info.text, sizeof(e.u.info.text), "%s", text);
	model_apply(m, &e);
}

static void seconds(struct model *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		model_tick(m, m->now_mono + NS_S, m->now_wall + NS_S);
}

/* The model of the picture, with what its Health pane says. */
static struct model *healthy(void)
{
	struct model *m = mockup_model();
	struct event tag = { .kind = EV_TAG, .mono = m->now_mono, .wall = m->now_wall };
	struct event yes = { .kind = EV_VERDICT, .mono = m->now_mono, .wall = m->now_wall };

	tag.u.tag.final = 1;
	tag.u.tag.number = MOCKUP_NUMBER - 69;
	tag.u.tag.time_ms = m->now_wall / NS_MS - 844000;
	tag.u.tag.hash = mockup_hash(MOCKUP_NUMBER - 69, false);
	model_apply(m, &tag);
	yes.u.verdict.hash = mockup_hash(MOCKUP_NUMBER, false);
	yes.u.verdict.v = (struct verdict){ .header = TRUTH_YES, .txs = TRUTH_YES, .withdrawals = TRUTH_YES };
	model_apply(m, &yes);
	info(m, 0, INFO_PEERS, 48, 0, "");
	info(m, 1, INFO_DISK, UINT64_C(412000000000), UINT64_C(2000000000000), "/data");
	info(m, 1, INFO_FORK, 1767747671, UINT64_MAX, "");
	seconds(m, 2);
	return m;
}

static void as_in_the_picture(void **state)
{
	struct model *m = healthy();
	const char *f = show(&pane_health, m, 50, 5);
	char title[64];

	(void)state;
	snprintf(title, sizeof(title), "─ %u ok ┐", m->health.total);
	has(f, "┌ Health ──");
	has(f, title);
	has(f, "│ ✓ head age    ✓ finality   ✓ peers 48          │");
	has(f, "│ ✓ hash agrees ✓ verified   ✓ disk 412 GB free  │");
	has(f, "│ ✓ next fork: none scheduled                    │");
	/* Narrower than three cells: two. */
	f = show(&pane_health, m, 32, 5);
	has(f, "│ ✓ head age    ✓ finality     │");
	draw_in(m, 50, 5, GLYPHS_ASCII);
	model_free(m);
}

static void what_fails_comes_first(void **state)
{
	struct model *m = healthy();
	const char *f;
	char title[64];

	(void)state;
	info(m, 0, INFO_PEERS, 3, 0, "");
	seconds(m, 2);
	f = show(&pane_health, m, 50, 5);
	has(f, "│ ! geth: 3 peers (limit 5)                      │");
	has(f, "│ ✓ head age    ✓ finality   ✓ hash agrees       │");
	has(f, "│ ✓ next fork: none scheduled                    │");
	has_not(f, "peers 3 ");
	snprintf(title, sizeof(title), "─ %u of %u ok ┐", m->health.total - 1, m->health.total);
	has(f, title);
	info(m, 1, INFO_DISK, UINT64_C(18000000000), UINT64_C(1286000000000), "/data");
	seconds(m, 2);
	/* The worst one above. */
	f = show(&pane_health, m, 50, 5);
	has(f, "│ ✗ geth: 18 GB left under /data (1.4 %)         │\n│ ! geth: 3 peers (limit 5) ");
	/* Without room for all of them: how many more there are, and where. */
	f = show(&pane_health, m, 50, 4);
	has(f, "│ ✗ geth: 18 GB left under /data (1.4 %)         │");
	f = show(&pane_health, m, 50, 3);
	has(f, "│ 2 more: 7 ");
	model_free(m);
}

static void table(void **state)
{
	struct model *m = healthy();
	const char *f;

	(void)state;
	info(m, 0, INFO_PEERS, 3, 0, "");
	seconds(m, 2);
	f = show(&pane_health, m, 160, 40);
	has(f, "│ WARN geth         peers                 3        5        1    0.0s     1  3 peers (limit 5) ");
	has(f, "│ OK   Ethereum     finality       14.1 min   20 min 25.6 min    4.0s        last final 14 min ago ");
	has(f, "│ OK   geth         disk               21 %     10 %    2.0 %    3.0s        412 GB left under /data (20.6 %) ");
	has(f, "│ n/a  infura       peers                                                    not on this machine ");
	model_free(m);
}

static void before_the_first_answer(void **state)
{
	struct model *m = mockup_empty(3);

	(void)state;
	seconds(m, 1);
	has(show(&pane_health, m, 50, 5), "waiting for the first answer");
	has(show(&pane_health, m, 120, 30), "waiting for the first answer");
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_in_the_picture),
		cmocka_unit_test(what_fails_comes_first),
		cmocka_unit_test(table),
		cmocka_unit_test(before_the_first_answer),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
