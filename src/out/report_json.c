/* A report for machines: one object, fields in doc/REPORT.md; see report.h. What is not known is null. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hex.h"
#include "base/time.h"
#include "model/stats.h"
#include "out/report_priv.h"

enum { FORMAT = 1 /* of these fields; a field that comes does not change it, one that goes or means something else does */ };

/* cJSON says false without memory; asked once at the end. */
struct json {
	bool failed;
};

static void text(struct json *j, cJSON *o, const char *key, const char *s)
{
	j->failed |= !(s ? cJSON_AddStringToObject(o, key, s) : cJSON_AddNullToObject(o, key));
}

static void number(struct json *j, cJSON *o, const char *key, double v)
{
	j->failed |= !(isfinite(v) ? cJSON_AddNumberToObject(o, key, v) : cJSON_AddNullToObject(o, key));
}

static void count(struct json *j, cJSON *o, const char *key, uint64_t v)
{
	number(j, o, key, v == UNKNOWN ? (double)NAN : (double)v);
}

/* ns as milliseconds, exact to the nanosecond. */
static void ms(struct json *j, cJSON *o, const char *key, uint64_t ns)
{
	number(j, o, key, ns == UNKNOWN ? (double)NAN : (double)ns / 1e6);
}

static void yes(struct json *j, cJSON *o, const char *key, bool v)
{
	j->failed |= !cJSON_AddBoolToObject(o, key, v);
}

static void when(struct json *j, cJSON *o, const char *key, uint64_t wall)
{
	time_t s = (time_t)(wall / NS_S);
	char date[32], out[48];
	struct tm tm;

	if (wall == UNKNOWN || !gmtime_r(&s, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm)) {
		text(j, o, key, NULL);
		return;
	}
	snprintf(out, sizeof(out), "%s.%03uZ", date, (unsigned)(wall % NS_S / NS_MS));
	text(j, o, key, out);
}

static cJSON *object(struct json *j, cJSON *o, const char *key)
{
	cJSON *to = cJSON_AddObjectToObject(o, key);

	j->failed |= !to;
	return to;
}

static cJSON *array(struct json *j, cJSON *o, const char *key)
{
	cJSON *to = cJSON_AddArrayToObject(o, key);

	j->failed |= !to;
	return to;
}

static cJSON *item(struct json *j, cJSON *array)
{
	cJSON *o = cJSON_CreateObject();

	if (!o || !array || !cJSON_AddItemToArray(array, o)) {
		cJSON_Delete(o);
		j->failed = true;
		return NULL;
	}
	return o;
}

static void times(struct json *j, cJSON *o, const char *key, const struct race_times *t)
{
	cJSON *to;

	if (!t || t->n == 0) {
		text(j, o, key, NULL);
		return;
	}
	to = object(j, o, key);
	count(j, to, "n", t->n);
	ms(j, to, "p10", t->p10);
	ms(j, to, "p50", t->p50);
	ms(j, to, "p90", t->p90);
	ms(j, to, "p99", t->p99);
	ms(j, to, "max", t->max);
}

static void share(struct json *j, cJSON *o, const char *key, uint64_t part, uint64_t all)
{
	struct share s = stats_wilson(part, all);
	cJSON *to = object(j, o, key);

	number(j, to, "share", s.share);
	number(j, to, "low", s.low);
	number(j, to, "high", s.high);
}

static const char *gate_word(enum gate g)
{
	static const char *const word[] = {
		[GATE_OPEN] = "open", [GATE_DOWN] = "down", [GATE_CHAIN] = "other chain", [GATE_WRONG] = "wrong block",
		[GATE_HASH] = "other branch", [GATE_FAILS] = "calls fail", [GATE_POLLED] = "polled", [GATE_FEW] = "too few",
	};

	return word[g];
}

static void path_truth(struct json *j, cJSON *o, const struct report *r, unsigned path)
{
	const struct path *p = r->m->paths[path];
	char hex[67];

	count(j, o, "head", p->has_head ? p->head_number : UNKNOWN);
	count(j, o, "behind_blocks", p->behind_blocks);
	if (r->c.r.same[path] == SAME_UNKNOWN) {
		text(j, o, "hash", NULL);
		text(j, o, "hash_agrees", NULL);
	} else {
		hex_print(hex, r->c.r.hash[path].b, sizeof(r->c.r.hash[path].b));
		text(j, o, "hash", hex);
		if (r->c.r.same[path] == SAME_SPLIT)
			text(j, o, "hash_agrees", NULL);
		else
			yes(j, o, "hash_agrees", r->c.r.same[path] == SAME_YES);
	}
	count(j, o, "head_went_back", p->backs);
	count(j, o, "null_after_own_head", p->own_nulls);
	count(j, o, "client_came_back", p->client_backs);
}

static void path_race(struct json *j, cJSON *o, const struct report *r, unsigned path)
{
	const struct race_path *v = r->c.r.race ? &r->c.r.race->path[path] : NULL;
	const struct race_view *less = model_race(r->m, r->o->window, true);
	const struct path *p = r->m->paths[path];
	bool push = p->push;

	ms(j, o, "poll_interval_ms", push ? UNKNOWN : p->poll_interval_ns);
	times(j, o, "behind_ms", push && v ? &v->behind : NULL);
	times(j, o, "behind_less_half_rtt_ms", push && less ? &less->path[path].behind : NULL);
	times(j, o, "overhead_ms", push && v ? &v->overhead : NULL);
	ms(j, o, "rtt_ms", p->rtt_ns);
	count(j, o, "races", push && v ? v->raced : UNKNOWN);
	count(j, o, "won", push && v ? v->won : UNKNOWN);
	count(j, o, "ties", push && v ? v->ties : UNKNOWN);
	share(j, o, "won_share", push && v ? v->won : 0, push && v ? v->raced : 0);
	count(j, o, "missed", push && v ? v->missed : UNKNOWN);
	count(j, o, "doubled", push ? p->span[r->o->window].dups : UNKNOWN);
}

static void path_calls(struct json *j, cJSON *o, const struct call_stats *s)
{
	cJSON *c = object(j, o, "calls"), *f, *u = object(j, o, "usable_ms");

	count(j, u, "n", s->usable_n);
	ms(j, u, "p90", s->usable_p90);
	ms(j, u, "p90_low", s->usable_low);
	ms(j, u, "p90_high", s->usable_high);
	count(j, c, "n", s->n);
	count(j, c, "failed", s->failed);
	ms(j, c, "p50_ms", s->p50);
	ms(j, c, "p99_ms", s->p99);
	ms(j, c, "p99_low_ms", s->p99_low);
	ms(j, c, "p99_high_ms", s->p99_high);
	number(j, c, "per_minute", s->calls_per_min);
	number(j, c, "bytes_per_minute", s->bytes_per_min);
	number(j, c, "transfer_bytes_per_s", s->xfer_bytes_per_s);
	f = object(j, c, "failures");
	for (unsigned k = ST_OK + 1; k < ST_N; k++) {
		if (s->by_code[k])
			count(j, f, status_word((enum status)k), s->by_code[k]);
	}
}

static void one_path(struct json *j, cJSON *list, const struct report *r, unsigned at)
{
	unsigned path = r->c.r.row[at];
	const struct path *p = r->m->paths[path];
	const struct report_path *rp = &r->path[at];
	cJSON *o = item(j, list), *c, *step;
	char why[200];

	if (!o)
		return;
	text(j, o, "node", p->node);
	text(j, o, "via", p->via);
	yes(j, o, "pushed", p->push);
	text(j, o, "state", path_state_word(p));
	count(j, o, "rank", r->c.r.rank[path] ? r->c.r.rank[path] : UNKNOWN);
	yes(j, o, "tied", r->c.r.tied[path]);
	text(j, o, "gate", gate_word(r->c.r.gate[path]));
	compare_why(&r->c, path, why, sizeof(why));
	text(j, o, "why", why[0] ? why : NULL);
	path_truth(j, o, r, path);
	path_race(j, o, r, path);
	path_calls(j, o, &p->span[r->o->window]);
	c = array(j, o, "curve");
	for (unsigned k = 0; k < REPORT_STEPS && rp->raced; k++) {
		step = item(j, c);
		ms(j, step, "ms", report_steps[k]);
		number(j, step, "share", (double)rp->step[k] / rp->raced);
	}
}

static void duels(struct json *j, cJSON *o, const struct report *r)
{
	cJSON *list = array(j, o, "pairs"), *d;

	/* The best beside each of the others, as in the sentence. */
	for (unsigned k = 1; k < r->c.r.ranked; k++) {
		unsigned a = r->c.r.row[0], b = r->c.r.row[k];
		struct duel v = model_duel(r->m, a, b, r->o->window);

		if (v.n == 0 || (d = item(j, list)) == NULL)
			continue;
		count(j, d, "a", 0);
		count(j, d, "b", k);
		count(j, d, "heads", v.n);
		count(j, d, "a_first", v.a_first);
		count(j, d, "b_first", v.b_first);
		count(j, d, "ties", v.ties);
		number(j, d, "p", v.p);
	}
}

static void late(struct json *j, cJSON *o, const struct report *r)
{
	const struct race_late *l = r->c.r.race ? &r->c.r.race->late : NULL;
	cJSON *to;

	if (!l || l->n == 0) {
		text(j, o, "late_ms", NULL);
		return;
	}
	to = object(j, o, "late_ms");
	count(j, to, "n", l->n);
	number(j, to, "p50", (double)l->p50 / 1e6);
	number(j, to, "p99", (double)l->p99 / 1e6);
	count(j, to, "early", l->early);
}

static void head(struct json *j, cJSON *o, const struct report *r)
{
	const struct chain *c = model_chain(r->m);
	const struct report_opts *opts = r->o;
	cJSON *chain, *rank;

	text(j, o, "program", opts->version);
	count(j, o, "format", FORMAT);
	text(j, o, "command", opts->command && opts->command[0] ? opts->command : NULL);
	text(j, o, "location", opts->location && opts->location[0] ? opts->location : NULL);
	text(j, o, "recording_sha256", opts->recording);
	if (c) {
		chain = object(j, o, "chain");
		count(j, chain, "id", c->id_known ? c->id : UNKNOWN);
		text(j, chain, "name", c->name);
	} else {
		text(j, o, "chain", NULL);
	}
	when(j, o, "from", r->from_wall);
	when(j, o, "to", r->to_wall);
	number(j, o, "seconds", (double)r->span_ns / 1e9);
	count(j, o, "heads", ranking_heads_in(r->m, opts->window));
	ms(j, o, "clock_bound_ms", r->m->clock_bound);
	late(j, o, r);
	rank = object(j, o, "order");
	text(j, rank, "for", rank_word(opts->rank));
	text(j, rank, "by", rank_key_word(r->c.r.key));
	count(j, rank, "ranked", r->c.r.ranked);
	count(j, rank, "have", r->c.r.have);
	count(j, rank, "needed", opts->rank == RANK_APP ? RANK_CALLS : RANK_HEADS);
	text(j, o, "verdict", r->headline);
	text(j, o, "sentence", r->sentence);
	count(j, o, "compared_at", r->c.r.height);
}

enum status report_json(struct buf *out, const struct report *r)
{
	struct json j = { .failed = false };
	cJSON *o = cJSON_CreateObject(), *list, *n;
	enum status st = ST_NOMEM;
	char *printed = NULL;

	if (!o)
		return ST_NOMEM;
	head(&j, o, r);
	list = array(&j, o, "paths");
	for (unsigned i = 0; i < r->m->n_paths; i++)
		one_path(&j, list, r, i);
	duels(&j, o, r);
	list = array(&j, o, "incidents");
	for (unsigned i = 0; i < r->n_incidents; i++) {
		n = item(&j, list);
		when(&j, n, "time", r->incident[i].wall);
		text(&j, n, "kind", report_kind(r->incident[i].kind));
		text(&j, n, "text", r->incident[i].text);
	}
	list = array(&j, o, "rules");
	for (unsigned i = 0; report_rules[i]; i++) {
		cJSON *s = cJSON_CreateString(report_rules[i]);

		j.failed |= !s || !list || !cJSON_AddItemToArray(list, s);
	}
	printed = j.failed ? NULL : cJSON_Print(o);
	if (printed)
		st = buf_adds(out, printed);
	if (st == ST_OK)
		st = buf_adds(out, "\n");
	cJSON_free(printed);
	cJSON_Delete(o);
	return st;
}
