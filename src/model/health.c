#include "model/health.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/health_priv.h"

typedef void (*check_fn)(struct subject_ref *r, struct finding *f);

static const check_fn checks[CHECK_N] = {
#define CHECK(id, ...) [CHECK_##id] = check_##id,
#include "model/health.def"
#undef CHECK
};

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
	s->behind_since[0] = s->behind_since[1] = UNKNOWN;
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

void health_forget(struct model *m, unsigned chain)
{
	struct health *h = &m->health;

	for (unsigned i = 0; i < h->n; i++) {
		if (h->subject[i]->scope != SCOPE_CHAIN || h->subject[i]->index != chain)
			continue;
		if (h->worst >= h->subject[i]->check && h->worst < h->subject[i]->check + CHECK_N)
			h->worst = NULL;
		free(h->subject[i]);
		h->n--;
		memmove(h->subject + i, h->subject + i + 1, (h->n - i) * sizeof(h->subject[0]));
		return;
	}
}

void health_moved(struct model *m, unsigned from, unsigned to)
{
	health_forget(m, to);
	for (unsigned i = 0; i < m->health.n; i++) {
		if (m->health.subject[i]->scope == SCOPE_CHAIN && m->health.subject[i]->index == from)
			m->health.subject[i]->index = to;
	}
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

/* ---- findings ---- */

void not_here(struct finding *f, const char *why)
{
	f->applies = false;
	f->why_not = why;
}

void found(const struct subject_ref *r, struct finding *f, enum check_id id, double value, const char *fmt, ...)
{
	va_list ap;
	int n;

	f->applies = true;
	f->why_not = NULL;
	f->value = value;
	f->level = health_level(id, value, r->warn, r->crit);
	va_start(ap, fmt);
	n = vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	/* Cut at a whole character. */
	if (n >= (int)sizeof(f->text)) {
		n = (int)sizeof(f->text) - 1;
		while (n > 0 && ((unsigned char)f->text[n - 1] & 0xc0) == 0x80)
			n--;
		f->text[n > 0 && (unsigned char)f->text[n - 1] >= 0xc0 ? n - 1 : n] = '\0';
	}
}

char *health_path(const struct subject_ref *r, const struct path *p, char out[48])
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->m->n_paths; i++)
		n += r->m->paths[i]->node_index == p->node_index;
	if (n > 1)
		snprintf(out, 48, "%s/%s", p->node, p->via);
	else
		snprintf(out, 48, "%s", p->node);
	return out;
}

char *health_span(char out[24], double s)
{
	if (s == 0)
		snprintf(out, 24, "0 s");
	else if (s < 0.9995)
		snprintf(out, 24, s < 0.00995 && s > 0 ? "%.1f ms" : "%.0f ms", s * 1000);
	else if (s < 9.95 && s != floor(s))
		snprintf(out, 24, "%.1f s", s);
	else if (s < 120)
		snprintf(out, 24, "%.0f s", s);
	else if (s < 7200)
		snprintf(out, 24, "%.0f min", floor(s / 60));
	else if (s < 172800)
		snprintf(out, 24, "%.0fh%02.0fm", floor(s / 3600), floor(fmod(s, 3600) / 60));
	else if (s < 86400e5)
		snprintf(out, 24, "%.0fd%02.0fh", floor(s / 86400), floor(fmod(s, 86400) / 3600));
	else
		snprintf(out, 24, "for ever");
	return out;
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
	if (!f.why_not && isnan(r->warn) && isnan(r->crit))
		f.why_not = r->chain ? "no limit here" : "chain not known";
	if (!f.why_not)
		checks[id](r, &f);
	if (!f.applies) {
		/* A connection that is back at once must not make one finding two. */
		v->bad = 0;
		if (v->applies && v->level != LEVEL_OK && ++v->good < HEALTH_CLEAR)
			return;
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

static void look_at_paths(struct subject_ref *r)
{
	bool in_step = false;

	r->hosted = true;
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (p->node_index != r->s->index)
			continue;
		r->paths |= bit(i);
		r->hosted &= !p->local;
		if (!link_up(p->state) || p->wrong_chain || (p->chain >= 0 && p->chain != r->s->chain))
			continue;
		r->live |= bit(i);
		r->syncing |= p->facts.sync_known && p->facts.syncing;
		in_step |= p->facts.sync_known && !p->facts.syncing;
	}
	/* Paths are asked in turns: one that was told lately that it is over is right. */
	r->syncing &= !in_step;
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
	if (s->scope == SCOPE_NODE)
		look_at_paths(&r);
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
	h->worst_id = CHECK_N;
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
				h->worst_id = (enum check_id)i;
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
