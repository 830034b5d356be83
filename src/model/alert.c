#include "model/alert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_priv.h"

static struct alerts *alerts_of(struct model *m)
{
	if (!m->alerts) {
		m->alerts = calloc(1, sizeof(*m->alerts));
		if (m->alerts)
			m->alerts->cooldown_ns = ALERT_COOLDOWN_NS;
	}
	return m->alerts;
}

void model_alert_cooldown(struct model *m, uint64_t ns)
{
	if (alerts_of(m))
		m->alerts->cooldown_ns = ns;
}

/* ---- the list ---- */

static struct alert *find(struct alerts *a, const struct health_subject *s, enum check_id id)
{
	for (unsigned i = 0; i < a->n; i++) {
		if (a->at[i].scope == s->scope && a->at[i].subject == s->index && a->at[i].check == id)
			return &a->at[i];
	}
	return NULL;
}

/* The one that is over for longest makes room. */
static struct alert *oldest_over(struct alerts *a)
{
	struct alert *old = NULL;

	for (unsigned i = 0; i < a->n; i++) {
		if (a->at[i].level == LEVEL_OK && (!old || a->at[i].since_mono < old->since_mono))
			old = &a->at[i];
	}
	return old;
}

static struct alert *add(struct alerts *a, const struct health_subject *s, enum check_id id)
{
	struct alert *t = a->n < ALERTS_MAX ? &a->at[a->n++] : oldest_over(a);

	if (!t) {
		a->lost++;
		return NULL;
	}
	*t = (struct alert){ .id = ++a->last_id, .scope = s->scope, .subject = s->index, .check = id };
	return t;
}

static void forget_old(struct model *m)
{
	struct alerts *a = m->alerts;
	unsigned n = 0;

	for (unsigned i = 0; i < a->n; i++) {
		const struct alert *t = &a->at[i];

		/* What is held back by its cool-down needs its memory. */
		if (t->level == LEVEL_OK && t->told == LEVEL_OK && t->mute_until <= m->now_mono &&
		    sub_sat(m->now_mono, t->since_mono) > ALERT_KEPT_NS &&
		    sub_sat(m->now_mono, t->since_mono) > a->cooldown_ns)
			continue;
		if (n != i)
			a->at[n] = *t;
		n++;
	}
	a->n = n;
}

static void count(struct model *m)
{
	struct alerts *a = m->alerts;

	a->warn = a->crit = a->fresh = 0;
	for (unsigned i = 0; i < a->n; i++) {
		const struct alert *t = &a->at[i];

		if (t->level == LEVEL_OK)
			continue;
		a->warn += t->level == LEVEL_WARN;
		a->crit += t->level == LEVEL_CRIT;
		a->fresh += !t->acked && t->mute_until <= m->now_mono;
	}
}

/* ---- telling ---- */

static void push(struct model *m, const struct alert *t, const struct health_subject *s)
{
	struct alerts *a = m->alerts;
	struct alert_event *e = &a->event[++a->seq % ALERT_EVENTS];

	*e = (struct alert_event){
		.seq = a->seq, .mono = m->now_mono, .wall = m->now_wall, .since_wall = t->since_wall,
		.level = t->level, .before = t->told, .scope = t->scope, .check = t->check,
		.value = t->value, .limit = t->limit, .count = t->count,
	};
	memcpy(e->name, t->name, sizeof(e->name));
	memcpy(e->text, t->text, sizeof(e->text));
	if (s->chain >= 0 && (unsigned)s->chain < m->n_chains)
		snprintf(e->chain, sizeof(e->chain), "%s", m->chains[s->chain]->name);
}

static bool held(const struct model *m, const struct alert *t)
{
	uint64_t last = t->told_mono[t->level];

	if (t->level == LEVEL_OK)
		return false;
	return t->acked || t->mute_until > m->now_mono || (last && sub_sat(m->now_mono, last) < m->alerts->cooldown_ns);
}

static void tell(struct model *m, struct alert *t, const struct health_subject *s)
{
	if (t->level == t->told || held(m, t))
		return;
	push(m, t, s);
	t->told = t->level;
	t->told_mono[t->level] = m->now_mono;
}

static double limit_of(const struct check_view *v, enum level l)
{
	return (l == LEVEL_CRIT && !isnan(v->crit)) || isnan(v->warn) ? v->crit : v->warn;
}

static void update(struct model *m, struct alert *t, const struct health_subject *s, const struct check_view *v)
{
	memcpy(t->name, s->name, sizeof(t->name));
	if (t->level != v->level) {
		t->level = v->level;
		t->since_mono = v->since_mono;
		t->since_wall = v->since_wall;
		if (t->level == LEVEL_OK || t->level > t->acked_level)
			t->acked = false;
	}
	t->count = v->count;
	/* What is over keeps its last words if nothing is measured any more. */
	if (v->text[0])
		memcpy(t->text, v->text, sizeof(t->text));
	if (v->applies) {
		t->value = v->value;
		t->limit = limit_of(v, t->level);
	}
	t->path = v->path;
	tell(m, t, s);
}

void alert_tick(struct model *m)
{
	struct alerts *a = alerts_of(m);

	if (!a)
		return;
	for (unsigned i = 0; i < m->health.n; i++) {
		const struct health_subject *s = m->health.subject[i];

		for (unsigned k = 0; k < CHECK_N; k++) {
			const struct check_view *v = &s->check[k];
			struct alert *t;

			if (v->level == LEVEL_OK && v->count == 0)
				continue;
			t = find(a, s, (enum check_id)k);
			if (!t && v->level == LEVEL_OK)
				continue;
			if (!t)
				t = add(a, s, (enum check_id)k);
			if (t)
				update(m, t, s, v);
		}
	}
	forget_old(m);
	count(m);
}

/* ---- for the others ---- */

bool model_alert_next(const struct model *m, uint64_t *cursor, struct alert_event *out)
{
	const struct alerts *a = m->alerts;

	if (!a || *cursor >= a->seq)
		return false;
	if (a->seq - *cursor > ALERT_EVENTS)
		*cursor = a->seq - ALERT_EVENTS;
	*out = a->event[++*cursor % ALERT_EVENTS];
	return true;
}

const struct alert *model_alert(const struct model *m, uint64_t id)
{
	for (unsigned i = 0; m->alerts && i < m->alerts->n; i++) {
		if (m->alerts->at[i].id == id)
			return &m->alerts->at[i];
	}
	return NULL;
}

static struct alert *alert_of(struct model *m, uint64_t id)
{
	const struct alert *t = model_alert(m, id);

	return t ? &m->alerts->at[t - m->alerts->at] : NULL;
}

bool model_alert_ack(struct model *m, uint64_t id)
{
	struct alert *t = alert_of(m, id);

	if (!t || t->level == LEVEL_OK)
		return false;
	t->acked = !t->acked;
	t->acked_level = t->level;
	count(m);
	return true;
}

bool model_alert_mute(struct model *m, uint64_t id, uint64_t ns)
{
	struct alert *t = alert_of(m, id);

	if (!t)
		return false;
	t->mute_until = t->mute_until > m->now_mono ? 0 : add_sat(m->now_mono, ns);
	count(m);
	return true;
}

bool alert_seen_from(const struct alert_event *e, enum level least, enum level *level)
{
	enum level before = e->before >= least ? e->before : LEVEL_OK;

	*level = e->level >= least ? e->level : LEVEL_OK;
	return *level != before;
}

bool alert_clone(struct model *to, const struct model *m)
{
	to->alerts = NULL;
	if (!m->alerts)
		return true;
	to->alerts = malloc(sizeof(*to->alerts));
	if (!to->alerts)
		return false;
	*to->alerts = *m->alerts;
	return true;
}

void alert_free(struct model *m)
{
	free(m->alerts);
	m->alerts = NULL;
}
