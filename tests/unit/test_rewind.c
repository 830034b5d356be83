/* rewind: an incident ends by itself, one in ten minutes, only what is critical; beginning and ending in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "rewind.h"

static char dir[] = "/tmp/chaintop-rewind.XXXXXX";

struct rig {
	struct model *m;
	struct health_subject *s;
	struct recorder *r;
	struct rewind w;
	struct conf conf;
	uint64_t begin, now; /* mono; the wall clock is WALL more */
};

#define WALL (UINT64_C(1790000000) * NS_S)

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) && setenv("XDG_STATE_HOME", dir, 1) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void start(struct rig *t, uint64_t incidents)
{
	static const struct path_setup path = { .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true };
	static const struct recorder_feed feed = { "geth", "ws", "127.0.0.1:8546", true, true, NULL };
	struct recorder_opts o = { .feeds = &feed, .n_feeds = 1, .version = "test" };
	struct err e;

	*t = (struct rig){ .begin = time_mono() };
	t->now = t->begin;
	o.mono = t->now;
	o.wall = WALL;
	t->m = model_new(&path, 1, t->now, WALL);
	t->s = calloc(1, sizeof(*t->s));
	assert_true(t->m && t->s);
	*t->s = (struct health_subject){ .scope = SCOPE_NODE, .chain = -1, .name = "geth" };
	for (unsigned i = 0; i < CHECK_N; i++)
		t->s->check[i] = (struct check_view){ .applies = true, .value = NAN, .warn = NAN, .crit = NAN, .path = -1 };
	t->m->health.subject[t->m->health.n++] = t->s;
	model_alert_cooldown(t->m, 0);
	assert_int_equal(recorder_start(&t->r, &o, &e), ST_OK);
	t->conf = (struct conf){ .rewind = 600 * NS_S, .incidents = incidents };
	rewind_start(&t->w, t->r, &t->conf);
}

static void stop(struct rig *t)
{
	struct err e;

	rewind_stop(&t->w);
	assert_int_equal(recorder_stop(t->r, t->now, WALL + t->now - t->begin, false, &e), ST_OK);
	model_free(t->m);
}

/* At so many seconds. */
static void tick(struct rig *t, unsigned second)
{
	t->now = t->begin + second * NS_S;
	t->m->now_mono = t->now;
	t->m->now_wall = WALL + second * NS_S;
	alert_tick(t->m);
	rewind_tick(&t->w, t->m, t->now, t->m->now_wall);
}

static void check_is(struct rig *t, enum level l)
{
	struct check_view *v = &t->s->check[CHECK_age];

	v->count += v->level == LEVEL_OK && l != LEVEL_OK;
	v->level = l;
	snprintf(v->text, sizeof(v->text), "geth: newest block is old");
}

/* Ticks at this second until the state is there: files are made by other threads. */
static void becomes(struct rig *t, unsigned second, enum rewind_state state, bool opened)
{
	for (unsigned i = 0; i < 2000; i++) {
		tick(t, second);
		if (t->w.state == state && (!opened || t->w.opened))
			return;
		(void)poll(NULL, 0, 5);
	}
	fail_msg("at %u s: state %d, not %d; says %s", second, t->w.state, state, t->w.say);
}

static unsigned files(const char *prefix, const char *end)
{
	char path[100];
	struct dirent *e;
	unsigned n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/chaintop", dir);
	d = opendir(path);
	while (d && (e = readdir(d)) != NULL)
		n += strncmp(e->d_name, prefix, strlen(prefix)) == 0 && strstr(e->d_name, end) != NULL;
	if (d)
		closedir(d);
	return n;
}

static void an_incident_has_its_minute_and_its_pause(void **state)
{
	struct rig t;

	(void)state;
	start(&t, 5);
	tick(&t, 1);
	check_is(&t, LEVEL_WARN);
	tick(&t, 2);
	assert_int_equal(t.w.state, REWIND_RING);
	check_is(&t, LEVEL_CRIT);
	becomes(&t, 3, REWIND_INCIDENT, true);
	tick(&t, 62);
	assert_int_equal(t.w.state, REWIND_INCIDENT);
	becomes(&t, 63, REWIND_RING, false);
	assert_non_null(strstr(t.w.say, "saved "));
	assert_int_equal(files("incident-", ".ct"), 1);
	assert_int_equal(files("incident-", ".md"), 1);
	/* The next one comes too early … */
	check_is(&t, LEVEL_OK);
	tick(&t, 100);
	check_is(&t, LEVEL_CRIT);
	tick(&t, 602);
	assert_int_equal(t.w.state, REWIND_RING);
	check_is(&t, LEVEL_OK);
	tick(&t, 603);
	/* … this one does not. */
	check_is(&t, LEVEL_CRIT);
	becomes(&t, 604, REWIND_INCIDENT, true);
	becomes(&t, 700, REWIND_RING, false);
	assert_int_equal(files("incident-", ".ct"), 2);
	stop(&t);
}

static void without_the_option_there_are_none(void **state)
{
	unsigned before = files("incident-", ".ct");
	struct rig t;

	(void)state;
	start(&t, 0);
	check_is(&t, LEVEL_CRIT);
	tick(&t, 3);
	assert_int_equal(t.w.state, REWIND_RING);
	stop(&t);
	assert_int_equal(files("incident-", ".ct"), before);
}

/* R and R again at once: what was begun is ended all the same. */
static void two_presses_in_a_row(void **state)
{
	struct rig t;

	(void)state;
	start(&t, 0);
	rewind_key(&t.w, t.m, t.now, WALL + 5 * NS_S);
	rewind_key(&t.w, t.m, t.now, WALL + 5 * NS_S);
	becomes(&t, 6, REWIND_RING, false);
	assert_non_null(strstr(t.w.say, "saved "));
	assert_int_equal(files("chaintop-", ".ct"), 1);
	/* The same second: the name is taken, nothing is overwritten. */
	rewind_key(&t.w, t.m, t.now, WALL + 5 * NS_S);
	becomes(&t, 7, REWIND_RING, false);
	assert_non_null(strstr(t.w.say, "cannot record: this second has a file already"));
	/* And again. */
	rewind_key(&t.w, t.m, t.now, WALL + 8 * NS_S);
	becomes(&t, 9, REWIND_USER, true);
	rewind_save(&t.w, t.m, t.now, WALL + 9 * NS_S);
	stop(&t);
	assert_int_equal(files("chaintop-", ".ct"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_incident_has_its_minute_and_its_pause),
		cmocka_unit_test(without_the_option_there_are_none),
		cmocka_unit_test(two_presses_in_a_row),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
