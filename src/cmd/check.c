/*
 * chaintop check URL...: a monitoring plugin (https://www.monitoring-plugins.org/doc/guidelines.html). It watches for some
 * seconds, says the worst in one line with the figures behind a bar, then one line for each check. What cannot be known in that
 * time is named as not evaluated, and never counted as ok.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/stop.h"
#include "model/ranking.h"

enum { TICK_MS = 250, MEMPOOL_OFF = 2 /* of "auto|all|off" */, TEXT_MAX = 1 << 20 };

/* Of the plugin interface. */
enum verdict_code { PLUGIN_OK, PLUGIN_WARNING, PLUGIN_CRITICAL, PLUGIN_UNKNOWN };
static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };

struct outcome {
	enum verdict_code worst;
	char text[240]; /* of the first of the worst */
	unsigned ok, evaluated;
	struct buf lines, figures; /* one line a check; performance data */
	bool many; /* several nodes or chains: figures are named by them */
	bool whole; /* nothing was lost for want of memory */
};

/* ---- text ---- */

/* No line end and no bar, which would end the text. */
static const char *plain(char out[240], const char *s)
{
	utf8_clean(out, 240, s, strlen(s));
	for (char *p = out; (p = strchr(p, '|')) != NULL;)
		*p = '/';
	return out;
}

static int told(enum verdict_code code, const char *text)
{
	char clean[240];

	printf("CHAINTOP %s - %s\n", words[code], plain(clean, text));
	return fflush(stdout) == 0 ? (int)code : PLUGIN_UNKNOWN;
}

/* What goes wrong before there is anything to judge is UNKNOWN, and stands on standard output, where it is read. */
static int fail(const struct err *e)
{
	char text[400];

	snprintf(text, sizeof(text), "%s%s%s", e->text, e->cure[0] ? "; try: " : "", e->cure);
	return told(PLUGIN_UNKNOWN, text);
}

static void line(struct outcome *o, const char *word, const char *check, const char *text)
{
	char clean[240];

	if (buf_addf(&o->lines, "%-13s %-13s %s\n", word, check, plain(clean, text)) != ST_OK)
		o->whole = false;
}

static void count(struct outcome *o, enum verdict_code code, const char *check, const char *text)
{
	line(o, words[code], check, text);
	o->evaluated++;
	o->ok += code == PLUGIN_OK;
	if (code <= o->worst)
		return;
	o->worst = code;
	snprintf(o->text, sizeof(o->text), "%s", text);
}

static void skip(struct outcome *o, const char *subject, const char *check, const char *why)
{
	char text[240];

	snprintf(text, sizeof(text), "%s: %s", subject, why);
	line(o, "not evaluated", check, text);
}

/* ---- performance data: 'label'=value[UOM];[warn];[crit] ---- */

/* What is a figure worth a graph, and its label; the others are findings that are there or not. */
static const struct {
	enum check_id id;
	const char *label;
} figures[] = {
	{ CHECK_age, "age" }, { CHECK_silent, "silent" }, { CHECK_behind, "lag" }, { CHECK_finality, "final" },
	{ CHECK_peers, "peers" }, { CHECK_errors, "errors" }, { CHECK_p99, "p99" }, { CHECK_body_lag, "body_lag" },
	{ CHECK_txpool, "txpool" }, { CHECK_disk, "disk" }, { CHECK_clock, "clock" },
};

/* Up to three digits behind the point, none too many. */
static char *number(char out[40], double v)
{
	int n = snprintf(out, 40, "%.3f", v);

	while (n > 1 && out[n - 1] == '0')
		out[--n] = 0;
	if (out[n - 1] == '.')
		out[n - 1] = 0;
	return out;
}

/* Bad above the limit, or, with a colon behind it, below. */
static char *range(char out[42], double v, unsigned flags)
{
	char text[40];

	out[0] = 0;
	if (isfinite(v))
		snprintf(out, 42, "%s%s", number(text, v), flags & CHECK_LOW ? ":" : "");
	return out;
}

static void figure(struct outcome *o, const struct health_subject *s, enum check_id id)
{
	static const char *const units[] = { [UNIT_S] = "s", [UNIT_COUNT] = "", [UNIT_BLOCKS] = "", [UNIT_PERCENT] = "%" };
	const struct check_info *info = check_info(id);
	const struct check_view *v = &s->check[id];
	char label[80], value[40], warn[42], crit[42];
	const char *name = NULL;

	for (unsigned i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		name = figures[i].id == id ? figures[i].label : name;
	if (!name || !isfinite(v->value))
		return;
	/* The names of chains have blanks in them. */
	if (o->many && s->scope != SCOPE_MACHINE)
		snprintf(label, sizeof(label), "'%s_%s'", s->name, name);
	else
		snprintf(label, sizeof(label), "%s", name);
	if (buf_addf(&o->figures, " %s=%s%s;%s;%s", label, number(value, v->value), units[info->unit],
		     range(warn, v->warn, info->flags), range(crit, v->crit, info->flags)) != ST_OK)
		o->whole = false;
}

/* ---- what can be said ---- */

/*
 * May ok be said? Of what happens now and then only who has watched for as long as the check looks back; of the others who has
 * looked twice (a finding that must be seen twice could be missing for that alone) and sees nothing that is only not certain yet.
 */
static bool certain(const struct model *m, const struct check_view *v, enum check_id id, char why[80])
{
	const struct check_info *info = check_info(id);
	uint64_t watched = v->since_mono == UNKNOWN ? 0 : m->now_mono - v->since_mono;
	bool low = info->flags & CHECK_LOW;

	/* A verified block has said it. */
	if (info->hold_s && id != CHECK_verify && watched < info->hold_s * NS_S) {
		snprintf(why, 80, "looks back %u min, watched %llu s", info->hold_s / 60, (unsigned long long)(watched / NS_S));
		return false;
	}
	if (watched < HEALTH_PERIOD_NS) {
		snprintf(why, 80, "seen once");
		return false;
	}
	if (v->raw != LEVEL_OK || (isfinite(v->value) && isfinite(v->warn) && !(info->flags & CHECK_REACH) &&
				   (low ? v->value < v->warn : v->value > v->warn))) {
		snprintf(why, 80, "not certain yet");
		return false;
	}
	return true;
}

static void judge(struct outcome *o, const struct model *m, const struct health_subject *s, enum check_id id)
{
	const struct check_view *v = &s->check[id];
	char why[80];

	if (check_info(id)->scope != s->scope || id == CHECK_link)
		return;
	if (!v->applies) {
		skip(o, s->name, check_info(id)->name, v->why_not);
		return;
	}
	figure(o, s, id);
	if (v->level != LEVEL_OK)
		count(o, v->level == LEVEL_CRIT ? PLUGIN_CRITICAL : PLUGIN_WARNING, check_info(id)->name, v->text);
	else if (!certain(m, v, id, why))
		skip(o, s->name, check_info(id)->name, why);
	else
		count(o, PLUGIN_OK, check_info(id)->name, v->text[0] ? v->text : "nothing found");
}

/* A path that still tries to connect has no finding of its own; here it has had its time. */
static void judge_link(struct outcome *o, const struct model *m, const struct health_subject *s, double waited_s)
{
	const struct path *dead = NULL;
	unsigned all = 0, up = 0;
	bool head = false;
	char text[240];

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->node_index != s->index)
			continue;
		all++;
		up += path_answers(p);
		head |= path_answers(p) && p->has_head;
		if (!path_answers(p) && !dead)
			dead = p;
	}
	if (!dead && !head) {
		snprintf(text, sizeof(text), "%s: it answers, but told of no block in %.0f s", s->name, waited_s);
		count(o, PLUGIN_CRITICAL, "link", text);
	} else if (dead) {
		snprintf(text, sizeof(text), "%s%s%s: no answer in %.0f s (%s)", s->name, all > 1 ? "/" : "",
			 all > 1 ? dead->via : "", waited_s, dead->text[0] ? dead->text : "connecting");
		count(o, up ? PLUGIN_WARNING : PLUGIN_CRITICAL, "link", text);
	} else {
		snprintf(text, sizeof(text), "%s: answers", s->name);
		count(o, PLUGIN_OK, "link", text);
	}
}

/* If all is well, where the chains are. */
static void all_well(struct outcome *o, const struct model *m)
{
	size_t n = 0;

	for (unsigned i = 0; i < m->n_chains && n < sizeof(o->text); i++) {
		if (m->chains[i]->head)
			n += (size_t)snprintf(o->text + n, sizeof(o->text) - n, "%s%s: block %llu", n ? ", " : "",
					      m->chains[i]->name, (unsigned long long)m->chains[i]->head->h.number);
	}
}

/* ---- the run ---- */

/* Every node has a head, or no path of it that could still get one. */
static bool settled(const struct model *m)
{
	for (unsigned i = 0; i < m->n_paths; i++) {
		bool head = false, failed = true;

		for (unsigned k = 0; k < m->n_paths; k++) {
			const struct path *p = m->paths[k];

			if (p->node_index != m->paths[i]->node_index)
				continue;
			head |= p->has_head;
			failed &= p->state == LINK_WAITING;
		}
		if (!head && !failed)
			return false;
	}
	return true;
}

/* How long it watched, in seconds. */
static double watch(struct app *a)
{
	struct pollfd p = { .fd = wake_fd(&a->wake), .events = POLLIN };
	uint64_t start = time_mono(), now = start, next_tick = 0, ready = 0;
	bool more = false;

	while (!stop_asked() && now - start < a->conf->check_timeout && !(ready && now - ready >= a->conf->check_for)) {
		if (poll(&p, 1, more || next_tick <= now ? 0 : (int)((next_tick - now) / NS_MS) + 1) > 0)
			wake_take(&a->wake);
		app_drain(a, &more);
		now = time_mono();
		if (now >= next_tick) {
			app_tick(a, now);
			next_tick = now - now % (TICK_MS * NS_MS) + TICK_MS * NS_MS;
		}
		if (!ready && settled(a->model))
			ready = now;
	}
	return (double)(now - start) / (double)NS_S;
}

static int report(struct app *a, double waited_s)
{
	struct outcome o = { .whole = true };
	const struct model *m = a->model;
	unsigned nodes = 0, chains = 0;
	char clean[240];
	int code;

	buf_init(&o.lines, TEXT_MAX);
	buf_init(&o.figures, TEXT_MAX);
	for (unsigned i = 0; i < m->health.n; i++) {
		nodes += m->health.subject[i]->scope == SCOPE_NODE;
		chains += m->health.subject[i]->scope == SCOPE_CHAIN;
	}
	o.many = nodes > 1 || chains > 1;
	/* Nodes first: they are what was asked about. */
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned i = 0; i < m->health.n; i++) {
			const struct health_subject *s = m->health.subject[i];

			if ((s->scope == SCOPE_NODE) != (k == 0))
				continue;
			if (s->scope == SCOPE_NODE)
				judge_link(&o, m, s, waited_s);
			for (unsigned id = 0; id < CHECK_N; id++)
				judge(&o, m, s, (enum check_id)id);
		}
	}
	if (!o.text[0])
		all_well(&o, m);
	if (stop_asked() || !nodes || !o.whole) {
		code = told(PLUGIN_UNKNOWN, stop_asked() ? "interrupted" : nodes ? "no memory" : "nothing was looked at");
	} else {
		printf("CHAINTOP %s - %s; %u/%u ok%s%s\n%s", words[o.worst], plain(clean, o.text), o.ok, o.evaluated,
		       o.figures.len ? " |" : "", o.figures.len ? o.figures.p : "", o.lines.p);
		code = fflush(stdout) == 0 ? (int)o.worst : PLUGIN_UNKNOWN;
	}
	buf_fini(&o.lines);
	buf_fini(&o.figures);
	return code;
}

static enum status ready(const struct app *a, struct err *e)
{
	const struct conf *c = a->conf;

	if (a->n_urls == 0) {
		err_set(e, ST_USAGE, "no node to check");
		return err_cure(e, "chaintop check ws://127.0.0.1:8546");
	}
	if (c->check_for < 2 * NS_S)
		return err_set(e, ST_USAGE, "--for: at least 2s, to see each thing twice");
	if (c->check_timeout <= c->check_for) {
		err_set(e, ST_USAGE, "--timeout: %llu s in all is too short for --for %llu s, which begins with the first block",
			(unsigned long long)(c->check_timeout / NS_S), (unsigned long long)(c->check_for / NS_S));
		return err_cure(e, "--timeout %llus", (unsigned long long)(c->check_for / NS_S + 10));
	}
	return ST_OK;
}

static int check_run(const struct conf *given)
{
	struct app *a = malloc(sizeof(*a));
	struct conf c = *given;
	struct err e = { .code = ST_OK };
	int code;

	if (!a)
		return PLUGIN_UNKNOWN;
	c.mempool = MEMPOOL_OFF; /* it would only cost */
	if (app_init(a, &c, &e) != ST_OK) {
		free(a);
		return fail(&e);
	}
	stop_on_signals(&a->wake, NULL);
	if (ready(a, &e) != ST_OK || app_start(a, NULL, &e) != ST_OK)
		code = fail(&e);
	else
		code = report(a, watch(a));
	app_fini(a, code);
	free(a);
	return code;
}

const struct cmd_class cmd_check = {
	.name = "check",
	.args = "URL...",
	.help = "a monitoring plugin: is all well? Exit 0 ok, 1 warning, 2 critical, 3 unknown",
	.about = "For Nagios, Icinga and the like: one line with the worst finding and figures, then a line for each check.\n"
		 "Watches for --for once the nodes have told of a block; a node that does not answer within --timeout is\n"
		 "critical. Limits are those of the monitor's view 7 and of the configuration. What cannot be known in that\n"
		 "time (what happened within the last ten minutes, say) is named as not evaluated and not counted as ok: a\n"
		 "longer --for makes it known. Wrong usage is 3.\n"
		 "\nExamples:\n  chaintop check geth=ws://127.0.0.1:8546\n"
		 "  chaintop check --timeout 20s geth=/data/geth.ipc hosted=wss://example.org/KEY\n",
	.fail = fail,
	.run = check_run,
};
