/* The list of alerts: its order and words, acknowledge and mute, at every width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "mockup.h"
#include "ui/text.h"
#include "ui/ui.h"

static struct buf text;

static int setup(void **state)
{
	(void)state;
	buf_init(&text, 4 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_fini(&text);
	return 0;
}

/* A model of which health says what the test wants: two nodes. */
static struct model *model(void)
{
	struct model *m = mockup_model();

	assert_non_null(m);
	/* The mock-up's own findings are not the test's. */
	for (unsigned i = 0; i < m->health.n; i++)
		free(m->health.subject[i]);
	m->health.n = 0;
	free(m->alerts);
	m->alerts = NULL;
	for (unsigned i = 0; i < 2; i++) {
		struct health_subject *s = calloc(1, sizeof(*s));

		assert_non_null(s);
		*s = (struct health_subject){ .scope = SCOPE_NODE, .index = 2 * i, .chain = -1 };
		snprintf(s->name, sizeof(s->name), "%s", i ? "infura" : "geth");
		for (unsigned k = 0; k < CHECK_N; k++)
			s->check[k] = (struct check_view){ .applies = true, .value = NAN, .warn = NAN, .crit = NAN, .path = -1 };
		m->health.subject[m->health.n++] = s;
	}
	return m;
}

static void finding(struct model *m, unsigned subject, enum check_id id, enum level l, unsigned seconds_ago, const char *words)
{
	struct check_view *v = &m->health.subject[subject]->check[id];

	v->count += v->level == LEVEL_OK && l != LEVEL_OK;
	v->level = l;
	v->since_mono = m->now_mono - seconds_ago * NS_S;
	v->since_wall = m->now_wall - seconds_ago * NS_S;
	snprintf(v->text, sizeof(v->text), "%s", words);
	alert_tick(m);
}

static const char *frame(struct ui *ui, const struct model *m)
{
	ui_render(ui, m, DIRTY_ALL);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	return text.p;
}

static void has(const char *in, const char *want)
{
	if (!strstr(in, want))
		fail_msg("no '%s' in\n%s", want, in);
}

static void in_order(const char *in, const char *first, const char *second)
{
	const char *a = strstr(in, first), *b = strstr(in, second);

	if (!a || !b || a > b)
		fail_msg("'%s' does not stand above '%s' in\n%s", first, second, in);
}

static void what_is_worse_stands_above(void **state)
{
	struct model *m = model();
	struct ui *ui = ui_new(&(struct ui_opts){ .w = 120, .h = 36 });
	const char *f;

	(void)state;
	assert_non_null(ui);
	finding(m, 1, CHECK_errors, LEVEL_WARN, 300, "infura: 2 of 141 calls refused");
	finding(m, 0, CHECK_age, LEVEL_CRIT, 130, "geth: newest block is 130 s old");
	finding(m, 0, CHECK_peers, LEVEL_WARN, 60, "geth: 3 peers (limit 5)");
	finding(m, 1, CHECK_p99, LEVEL_WARN, 900, "infura: slow");
	finding(m, 1, CHECK_p99, LEVEL_OK, 10, "infura: p99 41 ms");
	assert_true(ui_key(ui, m, '!') & UI_RES_REDRAW);
	f = frame(ui, m);
	has(f, "1 critical, 2 warnings");
	in_order(f, "newest block is 130 s old", "3 peers");
	in_order(f, "3 peers", "141 calls");
	in_order(f, "141 calls", "p99 41 ms");
	has(f, "CRIT  geth         age");
	has(f, "2m10s");
	has(f, "over  infura       p99");
	/* The same key closes it. */
	assert_true(ui_key(ui, m, '!') & UI_RES_REDRAW);
	f = frame(ui, m);
	assert_null(strstr(f, "3 peers (limit 5)"));
	ui_free(ui);
	model_free(m);
}

static void keys_are_for_the_row(void **state)
{
	struct model *m = model();
	struct ui *ui = ui_new(&(struct ui_opts){ .w = 160, .h = 45 });
	unsigned res;

	(void)state;
	finding(m, 0, CHECK_age, LEVEL_CRIT, 130, "geth: newest block is 130 s old");
	finding(m, 1, CHECK_errors, LEVEL_WARN, 300, "infura: 2 of 141 calls refused");
	/* Nothing is acknowledged from elsewhere. */
	assert_false(ui_key(ui, m, 'A') & UI_RES_ACK);
	ui_key(ui, m, KEY_F1_ + 8);
	has(frame(ui, m), "newest block is 130 s old");
	ui_key(ui, m, 'j');
	res = ui_key(ui, m, 'A');
	assert_true(res & UI_RES_ACK);
	assert_string_equal(model_alert(m, ui_alert(ui))->name, "infura");
	assert_true(model_alert_ack(m, ui_alert(ui)));
	has(frame(ui, m), "infura errors: acknowledged");
	has(frame(ui, m), "1 critical, 1 warning, 1 acknowledged");
	ui_key(ui, m, 'k');
	res = ui_key(ui, m, 'S');
	assert_true(res & UI_RES_MUTE);
	assert_true(model_alert_mute(m, ui_alert(ui), ALERT_MUTE_NS));
	has(frame(ui, m), "mute 1h00m");
	/* What is over cannot be acknowledged, and says so. */
	finding(m, 0, CHECK_age, LEVEL_OK, 1, "geth: newest block is 2 s old");
	ui_key(ui, m, 'G');
	assert_false(ui_key(ui, m, 'A') & UI_RES_ACK);
	has(frame(ui, m), "it is over");
	/* Enter: the node's path. */
	ui_key(ui, m, 'g');
	ui_key(ui, m, KEY_ENTER_);
	assert_string_equal(ui_focus(ui), "path");
	ui_key(ui, m, KEY_ESC_);
	assert_string_equal(ui_focus(ui), "alerts");
	ui_free(ui);
	model_free(m);
}

static void an_empty_list_says_why(void **state)
{
	struct model *m = model();
	struct ui *ui = ui_new(&(struct ui_opts){ .w = 80, .h = 24 });

	(void)state;
	m->health.evaluated_mono = 0;
	m->health.total = 0;
	ui_key(ui, m, '!');
	has(frame(ui, m), "no check has been made yet");
	has(frame(ui, m), "nothing is wrong");
	m->health.evaluated_mono = m->now_mono;
	m->health.ok = m->health.total = 19;
	ui_key(ui, m, '!');
	ui_key(ui, m, '!');
	has(frame(ui, m), "19 of 19 checks pass");
	ui_free(ui);
	model_free(m);
}

static void any_size_holds_the_state_and_the_words(void **state)
{
	struct model *m = model();

	(void)state;
	finding(m, 0, CHECK_age, LEVEL_CRIT, 130, "geth: newest block is 130 s old");
	for (int w = 18; w <= 200; w++) {
		struct ui *ui = ui_new(&(struct ui_opts){ .w = w, .h = w == 18 ? 2 : 12 });

		ui_key(ui, m, '!');
		if (w >= 46) {
			has(frame(ui, m), "CRIT");
			has(frame(ui, m), "newest block is 130 s old");
		} else {
			(void)frame(ui, m);
		}
		ui_free(ui);
	}
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_worse_stands_above),
		cmocka_unit_test(keys_are_for_the_row),
		cmocka_unit_test(an_empty_list_says_why),
		cmocka_unit_test(any_size_holds_the_state_and_the_words),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
