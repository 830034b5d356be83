#include "model/health.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/health_priv.h"

/* ---- subjects ---- */

static struct health_subject *subject_new(enum check_scope scope, unsigned index, const char *name)
{
	struct health_subject *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->scope = scope;
	s->index = index;
	s->chain = -1;
	s->worst = CHECK_N;
	snprintf(s->name, sizeof(s->name), "%s", name);
	for (unsigned i = 0; i < CHECK_N; i++) {
		struct check_view *v = &s->check[i];

		v->why_not = "not measured yet";
		v->value = v->warn = v->crit = (double)NAN;
		v->path = -1;
		v->since_mono = v->since_wall = UNKNOWN;
	}
	return s;
}

static struct health_subject *find(const struct model *m, enum check_scope scope, unsigned index)
{
	for (unsigned i = 0; i < m->health.n; i++)
		if (m->health.subject[i]->scope == scope && m->health.subject[i]->index == index)
			return m->health.subject[i];
	return NULL;
}

/* Chains are learnt of late; they stand before the nodes all the same. */
static void add(struct model *m, enum check_scope scope, unsigned index, const char *name)
{
	struct health *h = &m->health;
	struct health_subject *s;
	unsigned at = h->n;

	if (h->n == HEALTH_SUBJECTS || !(s = subject_new(scope, index, name)))
		return;
	while (scope == SCOPE_CHAIN && at > 0 && h->subject[at - 1]->scope == SCOPE_NODE)
		at--;
	memmove(h->subject + at + 1, h->subject + at, (h->n - at) * sizeof(h->subject[0]));
	h->subject[at] = s;
	h->n++;
}

static void subjects(struct model *m)
{
	if (!find(m, SCOPE_MACHINE, 0))
		add(m, SCOPE_MACHINE, 0, "this machine");
	for (unsigned i = 0; i < m->n_chains; i++)
		if (!find(m, SCOPE_CHAIN, i))
			add(m, SCOPE_CHAIN, i, m->chains[i]->name);
	for (unsigned i = 0; i < m->n_paths; i++)
		if (m->paths[i]->node_index == i && !find(m, SCOPE_NODE, i))
			add(m, SCOPE_NODE, i, m->paths[i]->node);
}

const struct health_subject *health_node(const struct model *m, unsigned path)
{
	return path < m->n_paths ? find(m, SCOPE_NODE, m->paths[path]->node_index) : NULL;
}

const struct health_subject *health_chain(const struct model *m, unsigned chain)
{
	return find(m, SCOPE_CHAIN, chain);
}

void health_free(struct model *m)
{
	for (unsigned i = 0; i < m->health.n; i++)
		free(m->health.subject[i]);
	m->health.n = 0;
	free(m->priv->limits);
	m->priv->limits = NULL;
	m->priv->n_limits = 0;
}

bool health_clone(struct model *to, const struct model *m)
{
	to->health.n = 0;
	to->priv->limits = NULL;
	to->priv->n_limits = 0;
	to->health.worst = NULL;
	for (unsigned i = 0; i < m->health.n; i++) {
		struct health_subject *s = malloc(sizeof(*s));

		if (!s)
			return false;
		*s = *m->health.subject[i];
		to->health.subject[to->health.n++] = s;
		if (m->health.worst >= m->health.subject[i]->check && m->health.worst < m->health.subject[i]->check + CHECK_N)
			to->health.worst = s->check + (m->health.worst - m->health.subject[i]->check);
	}
	return true;
}

/* ---- states ---- */

static void set_level(struct model *m, struct check_view *v, enum level to)
{
	if (v->level == LEVEL_OK && to != LEVEL_OK)
		v->count++;
	if (v->level != to)
		v->seq = ++m->health.seq;
	v->level = to;
	v->since_mono = m->now_mono;
	v->since_wall = m->now_wall;
}

/*
 * A worse level must be found HEALTH_RAISE times in a row, a better one HEALTH_CLEAR times: then the mildest of those
 * findings holds on the way up (two bad ones of which one was critical are a warning), the worst on the way down.
 */
static void settle(struct model *m, struct check_view *v, enum level raw, bool at_once)
{
	if (raw == v->level) {
		v->bad = v->good = 0;
	} else if (raw > v->level) {
		v->good = 0;
		v->pending = v->bad && v->pending < raw ? v->pending : raw;
		if (++v->bad >= (at_once ? 1 : HEALTH_RAISE)) {
			set_level(m, v, v->pending);
			v->bad = 0;
		}
	} else {
		v->bad = 0;
		v->pending = v->good && v->pending > raw ? v->pending : raw;
		if (++v->good >= HEALTH_CLEAR) {
			set_level(m, v, v->pending);
			v->good = 0;
		}
	}
	v->raw = raw;
}

static const char *off(const struct subject_ref *r, unsigned flags)
{
	if (flags & CHECK_OFF_DEV && r->dev)
		return "dev chain";
	if (flags & CHECK_OFF_HOSTED && r->hosted)
		return "not on this machine";
	if (flags & CHECK_OFF_ROLLUP && r->chain && r->chain->info->kind == CHAIN_ROLLUP)
		return "rollup";
	return NULL;
}

static void evaluate_check(struct model *m, struct health_subject *s, struct subject_ref *r, enum check_id id)
{
	const struct check_info *info = check_info(id);
	struct check_view *v = &s->check[id];
	struct finding f = { .path = -1, .value = (double)NAN };

	if (info->scope != s->scope) {
		v->why_not = "not of this kind";
		return;
	}
	health_limits(m, s->chain, id, &r->warn, &r->crit);
	f.why_not = off(r, info->flags);
	if (!f.why_not && health_checks[id])
		health_checks[id](r, &f);
	if (!f.applies) {
		if (v->applies && v->level != LEVEL_OK)
			set_level(m, v, LEVEL_OK);
		v->applies = false;
		v->why_not = f.why_not ? f.why_not : "not measured yet";
		v->value = v->warn = v->crit = (double)NAN;
		v->text[0] = '\0';
		v->path = -1;
		v->bad = v->good = 0;
		v->raw = LEVEL_OK;
		return;
	}
	if (!v->applies) {
		v->applies = true;
		v->why_not = NULL;
		v->since_mono = m->now_mono;
		v->since_wall = m->now_wall;
	}
	v->warn = r->warn;
	v->crit = r->crit;
	settle(m, v, f.level, (info->flags & CHECK_AT_ONCE) != 0);
	/* While a finding is being cleared its words stay: "newest block is 2 s old" is no reason for a warning. */
	if (v->level > f.level && v->text[0])
		return;
	v->value = f.value;
	v->path = f.path;
	memcpy(v->text, f.text, sizeof(v->text));
}

static bool hosted(const struct model *m, unsigned node)
{
	for (unsigned i = 0; i < m->n_paths; i++)
		if (m->paths[i]->node_index == node && m->paths[i]->local)
			return false;
	return true;
}

/* The chain that a subject is judged by. */
static int chain_for(const struct model *m, const struct health_subject *s)
{
	if (s->scope == SCOPE_CHAIN)
		return (int)s->index;
	if (s->scope == SCOPE_MACHINE)
		return m->n_chains ? (int)m->shown : -1;
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->node_index == s->index && p->chain >= 0 && !p->wrong_chain)
			return p->chain;
	}
	return -1;
}

static void evaluate(struct model *m, struct health_subject *s)
{
	struct subject_ref r = { .m = m, .s = s };

	s->chain = chain_for(m, s);
	if (s->chain >= 0 && (unsigned)s->chain >= m->n_chains)
		s->chain = -1;
	r.chain = s->chain >= 0 ? m->chains[s->chain] : NULL;
	r.hosted = s->scope == SCOPE_NODE && hosted(m, s->index);
	r.dev = r.chain && r.chain->info->kind == CHAIN_DEV;
	if (s->scope == SCOPE_CHAIN)
		snprintf(s->name, sizeof(s->name), "%s", r.chain ? r.chain->name : "");
	s->level = LEVEL_OK;
	s->worst = CHECK_N;
	s->ok = s->total = 0;
	for (unsigned i = 0; i < CHECK_N; i++) {
		const struct check_view *v = &s->check[i];

		evaluate_check(m, s, &r, (enum check_id)i);
		if (!v->applies)
			continue;
		s->total++;
		s->ok += v->level == LEVEL_OK;
		if (v->level > s->level) {
			s->level = v->level;
			s->worst = (enum check_id)i;
		}
	}
}

static bool is_shown(const struct model *m, const struct health_subject *s)
{
	return s->scope == SCOPE_MACHINE || s->chain < 0 || (unsigned)s->chain == m->shown;
}

static void sum_up(struct model *m)
{
	struct health *h = &m->health;

	h->ok = h->total = h->more = 0;
	h->level = LEVEL_OK;
	h->worst = NULL;
	for (unsigned i = 0; i < CHECK_N; i++) {
		bool any = false, bad = false;

		for (unsigned k = 0; k < h->n; k++) {
			const struct check_view *v = &h->subject[k]->check[i];

			if (!is_shown(m, h->subject[k]) || !v->applies)
				continue;
			any = true;
			if (v->level == LEVEL_OK)
				continue;
			bad = true;
			h->more++;
			if (!h->worst || v->level > h->worst->level) {
				h->worst = v;
				h->level = v->level;
			}
		}
		h->total += any;
		h->ok += any && !bad;
	}
	if (h->worst)
		h->more--;
}

bool health_tick(struct model *m)
{
	struct health *h = &m->health;

	if (h->evaluated_mono && m->now_mono < add_sat(h->evaluated_mono, HEALTH_PERIOD_NS))
		return false;
	h->evaluated_mono = m->now_mono;
	subjects(m);
	for (unsigned i = 0; i < h->n; i++)
		evaluate(m, h->subject[i]);
	sum_up(m);
	return true;
}
