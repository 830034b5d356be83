/* model/alert: what is told when: once, with cool-down, acknowledged, muted, and its end always. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "model/model.h"

enum { MINUTE = 60 };

/* A model whose health is what the test says. */
struct rig {
	struct model *m;
	struct health_subject *s;
	uint64_t cursor;
	unsigned second;
};

static void begin(struct rig *r)
{
	static const struct path_setup path = { .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true };

	*r = (struct rig){ .m = model_new(&path, 1, 1000 * NS_S, UINT64_C(1790000000) * NS_S), .second = 0 };
	assert_non_null(r->m);
	r->s = calloc(1, sizeof(*r->s));
	assert_non_null(r->s);
	*r->s = (struct health_subject){ .scope = SCOPE_NODE, .chain = -1, .name = "geth" };
	for (unsigned i = 0; i < CHECK_N; i++)
		r->s->check[i] = (struct check_view){ .applies = true, .value = NAN, .warn = NAN, .crit = NAN, .path = -1 };
	r->m->health.subject[r->m->health.n++] = r->s;
}

static void end(struct rig *r)
{
	model_free(r->m);
}

/* At `second` the check of age is in this state. */
static void state(struct rig *r, unsigned second, enum level l)
{
	struct check_view *v = &r->s->check[CHECK_age];

	r->m->now_mono += (uint64_t)(second - r->second) * NS_S;
	r->m->now_wall += (uint64_t)(second - r->second) * NS_S;
	r->second = second;
	if (v->level != l) {
		v->count += v->level == LEVEL_OK;
		v->level = l;
		v->since_mono = r->m->now_mono;
		v->since_wall = r->m->now_wall;
		v->seq = ++r->m->health.seq;
	}
	v->value = l == LEVEL_CRIT ? 130 : l == LEVEL_WARN ? 49 : 2;
	v->warn = 48;
	v->crit = 120;
	snprintf(v->text, sizeof(v->text), "geth: newest block is %.0f s old", v->value);
	alert_tick(r->m);
}

/* The next thing that is told is this one; and nothing else yet. */
static void told(struct rig *r, enum level before, enum level now)
{
	struct alert_event e;

	if (!model_alert_next(r->m, &r->cursor, &e))
		fail_msg("at %u s: %s is not told", r->second, level_word(now));
	assert_int_equal(e.before, before);
	assert_int_equal(e.level, now);
	assert_int_equal(e.check, CHECK_age);
	assert_string_equal(e.name, "geth");
	assert_false(model_alert_next(r->m, &r->cursor, &e));
}

static void silent(struct rig *r)
{
	struct alert_event e;

	if (model_alert_next(r->m, &r->cursor, &e))
		fail_msg("at %u s: %s is told", r->second, level_word(e.level));
}

static void a_state_is_told_once_and_its_end(void **st)
{
	struct alert_event e;
	struct rig r;

	(void)st;
	begin(&r);
	state(&r, 1, LEVEL_OK);
	silent(&r);
	assert_int_equal(r.m->alerts->n, 0);
	state(&r, 2, LEVEL_WARN);
	assert_true(model_alert_next(r.m, &r.cursor, &e));
	assert_int_equal(e.level, LEVEL_WARN);
	assert_int_equal(e.before, LEVEL_OK);
	assert_string_equal(e.text, "geth: newest block is 49 s old");
	assert_true(e.value == 49 && e.limit == 48);
	assert_int_equal(e.since_wall, r.m->now_wall);
	assert_int_equal(e.count, 1);
	for (unsigned s = 3; s < 2 * MINUTE; s++) {
		state(&r, s, LEVEL_WARN);
		silent(&r);
	}
	assert_int_equal(r.m->alerts->warn, 1);
	assert_int_equal(r.m->alerts->fresh, 1);
	state(&r, 2 * MINUTE, LEVEL_OK);
	told(&r, LEVEL_WARN, LEVEL_OK);
	assert_int_equal(r.m->alerts->warn, 0);
	assert_int_equal(r.m->alerts->fresh, 0);
	state(&r, 2 * MINUTE + 1, LEVEL_OK);
	silent(&r);
	end(&r);
}

static void worse_is_told_at_once(void **st)
{
	struct rig r;

	(void)st;
	begin(&r);
	state(&r, 1, LEVEL_WARN);
	told(&r, LEVEL_OK, LEVEL_WARN);
	state(&r, 2, LEVEL_CRIT);
	told(&r, LEVEL_WARN, LEVEL_CRIT);
	/* Back to WARN: told a second ago. */
	state(&r, 3, LEVEL_WARN);
	silent(&r);
	state(&r, 4, LEVEL_CRIT);
	silent(&r);
	state(&r, 5, LEVEL_OK);
	told(&r, LEVEL_CRIT, LEVEL_OK);
	end(&r);
}

static void what_comes_and_goes_is_told_once_in_ten_minutes(void **st)
{
	struct rig r;

	(void)st;
	begin(&r);
	state(&r, 1, LEVEL_CRIT);
	told(&r, LEVEL_OK, LEVEL_CRIT);
	state(&r, 10, LEVEL_OK);
	told(&r, LEVEL_CRIT, LEVEL_OK);
	for (unsigned s = 20; s < 600; s += 10) {
		state(&r, s, s / 10 % 2 ? LEVEL_OK : LEVEL_CRIT);
		silent(&r);
	}
	assert_true(model_alert(r.m, 1)->count > 20);
	/* 600 s after the first time, not before; it began at 595 s and lasts. */
	state(&r, 595, LEVEL_CRIT);
	silent(&r);
	state(&r, 600, LEVEL_CRIT);
	silent(&r);
	state(&r, 601, LEVEL_CRIT);
	told(&r, LEVEL_OK, LEVEL_CRIT);
	end(&r);
}

static void the_cool_down_can_be_chosen(void **st)
{
	struct rig r;

	(void)st;
	begin(&r);
	model_alert_cooldown(r.m, 0);
	for (unsigned s = 1; s < 20; s += 2) {
		state(&r, s, LEVEL_WARN);
		told(&r, LEVEL_OK, LEVEL_WARN);
		state(&r, s + 1, LEVEL_OK);
		told(&r, LEVEL_WARN, LEVEL_OK);
	}
	end(&r);
}

static void acknowledged_is_silent_until_worse_or_over(void **st)
{
	struct rig r;

	(void)st;
	begin(&r);
	model_alert_cooldown(r.m, 0);
	assert_false(model_alert_ack(r.m, 1));
	state(&r, 1, LEVEL_WARN);
	told(&r, LEVEL_OK, LEVEL_WARN);
	assert_true(model_alert_ack(r.m, 1));
	assert_true(model_alert(r.m, 1)->acked);
	assert_int_equal(r.m->alerts->fresh, 0);
	assert_int_equal(r.m->alerts->warn, 1);
	state(&r, 2, LEVEL_CRIT);
	told(&r, LEVEL_WARN, LEVEL_CRIT);
	assert_false(model_alert(r.m, 1)->acked);
	assert_true(model_alert_ack(r.m, 1));
	state(&r, 3, LEVEL_WARN);
	silent(&r);
	state(&r, 4, LEVEL_CRIT);
	silent(&r);
	state(&r, 5, LEVEL_OK);
	told(&r, LEVEL_CRIT, LEVEL_OK);
	assert_false(model_alert_ack(r.m, 1));
	/* The next one is a new one. */
	state(&r, 6, LEVEL_WARN);
	told(&r, LEVEL_OK, LEVEL_WARN);
	/* Taken back. */
	assert_true(model_alert_ack(r.m, 1));
	assert_true(model_alert_ack(r.m, 1));
	assert_false(model_alert(r.m, 1)->acked);
	end(&r);
}

static void muted_is_silent_for_its_time(void **st)
{
	struct rig r;

	(void)st;
	begin(&r);
	model_alert_cooldown(r.m, 0);
	state(&r, 1, LEVEL_WARN);
	told(&r, LEVEL_OK, LEVEL_WARN);
	assert_true(model_alert_mute(r.m, 1, 60 * NS_S));
	assert_int_equal(r.m->alerts->fresh, 0);
	state(&r, 10, LEVEL_CRIT);
	silent(&r);
	/* What was told ends, muted or not. */
	state(&r, 20, LEVEL_OK);
	told(&r, LEVEL_WARN, LEVEL_OK);
	state(&r, 30, LEVEL_CRIT);
	silent(&r);
	/* Nothing was told, nothing ends. */
	state(&r, 40, LEVEL_OK);
	silent(&r);
	state(&r, 50, LEVEL_CRIT);
	silent(&r);
	state(&r, 60, LEVEL_CRIT);
	silent(&r);
	state(&r, 61, LEVEL_CRIT);
	told(&r, LEVEL_OK, LEVEL_CRIT);
	assert_true(model_alert_mute(r.m, 1, 60 * NS_S));
	assert_true(model_alert_mute(r.m, 1, 60 * NS_S));
	assert_int_equal(model_alert(r.m, 1)->mute_until, 0);
	end(&r);
}

static void what_is_over_leaves_the_list_later(void **st)
{
	struct rig r;

	(void)st;
	begin(&r);
	state(&r, 1, LEVEL_WARN);
	state(&r, 2, LEVEL_OK);
	assert_int_equal(r.m->alerts->n, 1);
	state(&r, 3600, LEVEL_OK);
	assert_int_equal(r.m->alerts->n, 1);
	state(&r, 3603, LEVEL_OK);
	assert_int_equal(r.m->alerts->n, 0);
	end(&r);
}

static void who_wants_only_the_worst(void **st)
{
	static const struct {
		enum level before, level, least;
		bool seen;
		enum level as;
	} cases[] = {
		{ LEVEL_OK, LEVEL_WARN, LEVEL_WARN, true, LEVEL_WARN },
		{ LEVEL_OK, LEVEL_WARN, LEVEL_CRIT, false, LEVEL_OK },
		{ LEVEL_WARN, LEVEL_OK, LEVEL_CRIT, false, LEVEL_OK },
		{ LEVEL_WARN, LEVEL_CRIT, LEVEL_CRIT, true, LEVEL_CRIT },
		{ LEVEL_CRIT, LEVEL_WARN, LEVEL_CRIT, true, LEVEL_OK },
		{ LEVEL_CRIT, LEVEL_WARN, LEVEL_WARN, true, LEVEL_WARN },
		{ LEVEL_CRIT, LEVEL_OK, LEVEL_CRIT, true, LEVEL_OK },
	};

	(void)st;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct alert_event e = { .before = cases[i].before, .level = cases[i].level };
		enum level as = LEVEL_WAIT;

		if (alert_seen_from(&e, cases[i].least, &as) != cases[i].seen)
			fail_msg("case %zu", i);
		if (cases[i].seen)
			assert_int_equal(as, cases[i].as);
	}
}

/* A reader that slept gets what is left, in order, and then nothing. */
static void a_late_reader_gets_the_newest(void **st)
{
	struct alert_event e;
	uint64_t cursor = 0, last = 0;
	unsigned n = 0;
	struct rig r;

	(void)st;
	begin(&r);
	model_alert_cooldown(r.m, 0);
	for (unsigned s = 1; s <= 2 * ALERT_EVENTS; s++)
		state(&r, s, s % 2 ? LEVEL_WARN : LEVEL_OK);
	while (model_alert_next(r.m, &cursor, &e)) {
		assert_true(e.seq > last);
		last = e.seq;
		n++;
	}
	assert_int_equal(n, ALERT_EVENTS);
	assert_int_equal(last, 2 * ALERT_EVENTS);
	end(&r);
}

/* A frozen screen keeps its list. */
static void a_copy_has_its_own_list(void **st)
{
	struct model *copy;
	struct rig r;

	(void)st;
	begin(&r);
	state(&r, 1, LEVEL_WARN);
	copy = model_clone(r.m);
	assert_non_null(copy);
	assert_true(model_alert_ack(r.m, 1));
	assert_false(model_alert(copy, 1)->acked);
	model_free(copy);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_state_is_told_once_and_its_end),
		cmocka_unit_test(worse_is_told_at_once),
		cmocka_unit_test(what_comes_and_goes_is_told_once_in_ten_minutes),
		cmocka_unit_test(the_cool_down_can_be_chosen),
		cmocka_unit_test(acknowledged_is_silent_until_worse_or_over),
		cmocka_unit_test(muted_is_silent_for_its_time),
		cmocka_unit_test(what_is_over_leaves_the_list_later),
		cmocka_unit_test(who_wants_only_the_worst),
		cmocka_unit_test(a_late_reader_gets_the_newest),
		cmocka_unit_test(a_copy_has_its_own_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
