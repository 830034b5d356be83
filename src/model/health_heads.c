/* Checks about heads: how old, on which feed, behind whom, on which branch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/chain.h"
#include "model/health_priv.h"
#include "model/note.h"

enum {
	HASH_DEPTH = 3, /* below the newest common head; a younger block may still be reorganised */
	HASH_DEPTH_POA = 12,
	HASH_WALK = 128, /* blocks followed down to where two branches part */
	BEHIND_HEADS = 3,
	LAGS_LEAST = 8,
	RESUBSCRIBED = 2,
};

/* A head takes its time to everybody; less than this is no delay. */
#define HEARING_NS (2 * NS_S)
#define WINDOW_NS (600 * NS_S)

static double s_of(uint64_t ns)
{
	return (double)ns / (double)NS_S;
}

/* The node's newest head and the path that has it; NULL: none. */
static const struct path *newest(const struct subject_ref *r)
{
	const struct path *best = NULL;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (r->live & bit(i) && p->has_head && (!best || p->head_number > best->head_number))
			best = p;
	}
	return best;
}

/*
 * By its own time as far as the clock is known to be right; without that, also by when it came: a clock that is off must not
 * cry wolf.
 */
double health_age(const struct subject_ref *r, const struct blk **head)
{
	const struct path *p = newest(r);
	const struct blk *b = p && r->chain ? chain_by_hash(r->chain, &p->head_hash) : NULL;
	uint64_t own, came, bound = r->m->clock_bound;

	*head = b;
	if (!b || !b->h.time_ms)
		return (double)NAN;
	own = sub_sat(r->m->now_wall, ms_ns(b->h.time_ms));
	if (bound != UNKNOWN)
		return s_of(sub_sat(own, bound));
	came = sub_sat(r->m->now_mono, b->heard ? b->first_mono : 0);
	return s_of(came < own ? came : own);
}

void check_age(struct subject_ref *r, struct finding *f)
{
	const struct blk *b;
	double age = health_age(r, &b);
	char span[24], lim[24];

	if (r->syncing) {
		not_here(f, "syncing");
		return;
	}
	if (isnan(age)) {
		not_here(f, r->live ? "no block yet" : "no answer");
		return;
	}
	found(r, f, CHECK_age, age, "%s: newest block is %s old (limit %s)", r->s->name, health_span(span, floor(age)),
	      health_span(lim, age > r->crit ? r->crit : isnan(r->warn) ? r->crit : r->warn));
}

/* ---- silent ---- */

/* Who pushed a head above `number`, known for longer than it takes to hear; how far ahead. */
static const struct path *advanced(const struct subject_ref *r, unsigned path, uint64_t number, uint64_t *by)
{
	const struct path *best = NULL;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *o = r->m->paths[i];
		const struct node *n;

		if (i == path || o->chain != r->s->chain || !o->has_head || o->head_number <= number ||
		    (best && o->head_number <= best->head_number))
			continue;
		n = chain_canon(r->chain, number + 1);
		if (!n || sub_sat(r->m->now_mono, n->b.heard ? n->b.first_mono : n->known_mono) < HEARING_NS)
			continue;
		best = o;
	}
	*by = best ? best->head_number - number : 0;
	return best;
}

void check_silent(struct subject_ref *r, struct finding *f)
{
	char name[48], other[48], span[24];
	double worst = -1;

	not_here(f, r->live ? "no subscription" : "no answer");
	for (unsigned i = 0; i < r->m->n_paths && r->chain; i++) {
		const struct path *p = r->m->paths[i], *o;
		const struct health_facts *h = &p->priv->health;
		uint64_t by, mono, number, since;
		double value = 0;

		/* One that polls because there are no subscriptions has no feed that could be silent. */
		if (!(r->live & bit(i)) || !p->push || p->state == LINK_POLLING || (h->push_mono == UNKNOWN && !p->has_head))
			continue;
		/* One that has never brought a head is silent since it stands. */
		mono = h->push_mono == UNKNOWN ? p->priv->up_since : h->push_mono;
		number = h->push_mono == UNKNOWN ? p->head_number : h->push_number;
		since = sub_sat(r->m->now_mono, mono);
		o = advanced(r, i, number, &by);
		if (o)
			value = s_of(since);
		if (value <= worst)
			continue;
		worst = value;
		f->path = (int)i;
		health_path(r, p, name);
		if (!o || !(value > r->warn)) {
			found(r, f, CHECK_silent, value, "%s: heads come", name);
			continue;
		}
		found(r, f, CHECK_silent, value, "%s: silent %s, %s advanced %llu%s", name, health_span(span, floor(value)),
		      health_path(r, o, other), (unsigned long long)by, h->subs ? " → resubscribed" : "");
		if (f->level == LEVEL_WARN && h->subs >= RESUBSCRIBED)
			f->level = LEVEL_CRIT;
	}
}

/* ---- behind ---- */

static const struct path *best_other(const struct subject_ref *r)
{
	const struct path *best = NULL;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *o = r->m->paths[i];

		if (o->node_index == r->s->index || o->chain != r->s->chain || o->wrong_chain || !o->has_head ||
		    !link_up(o->state) || (o->facts.sync_known && o->facts.syncing))
			continue;
		if (!best || o->head_number > best->head_number)
			best = o;
	}
	return best;
}

static double apart(const struct blk *low, const struct blk *high)
{
	return s_of(ms_ns(sub_sat(high->h.time_ms, low->h.time_ms)));
}

/* The lowest block in a row, `head` included, that is further ahead of `own` than that: several may come between two looks. */
static uint64_t first_beyond(const struct subject_ref *r, const struct blk *own, const struct blk *head, double limit)
{
	uint64_t n = head->h.number;
	const struct node *b;

	for (unsigned k = 0; k < HASH_WALK && n > own->h.number + 1; k++, n--) {
		b = chain_canon(r->chain, n - 1);
		if (!b || !(apart(own, &b->b) > limit))
			break;
	}
	return n;
}

/* For so many heads of the best one in a row, this one included, the node has been further behind than that. */
static bool lasts(const struct subject_ref *r, uint64_t *since, const struct blk *own, const struct blk *head, double limit)
{
	bool beyond = own && head && head->h.number > own->h.number && apart(own, head) > limit;

	if (!beyond || head->h.number < *since)
		*since = UNKNOWN;
	if (beyond && *since == UNKNOWN)
		*since = first_beyond(r, own, head, limit);
	return *since != UNKNOWN && head->h.number - *since + 1 >= BEHIND_HEADS;
}

void check_behind(struct subject_ref *r, struct finding *f)
{
	const struct path *p = newest(r), *best = best_other(r);
	const struct blk *own, *other;
	uint64_t *since = r->s->behind_since;
	double value = 0;
	bool warn, crit;
	char span[24];

	if (r->syncing || !p || !best || !r->chain) {
		not_here(f, r->syncing ? "syncing" : !r->live ? "no answer" : !p ? "no block yet" : "no other node");
		since[0] = since[1] = UNKNOWN;
		return;
	}
	own = chain_by_hash(r->chain, &p->head_hash);
	other = chain_by_hash(r->chain, &best->head_hash);
	if (own && other && other->h.number > own->h.number)
		value = apart(own, other);
	warn = lasts(r, &since[0], own, other, r->warn);
	crit = lasts(r, &since[1], own, other, r->crit);

	if (value > 0)
		found(r, f, CHECK_behind, value, "%s: %llu block%s, %s behind %s", r->s->name,
		      (unsigned long long)(best->head_number - p->head_number),
		      best->head_number - p->head_number == 1 ? "" : "s", health_span(span, value), best->node);
	else
		found(r, f, CHECK_behind, 0, "%s: at the newest block", r->s->name);
	f->path = -1;
	f->level = crit ? LEVEL_CRIT : warn ? LEVEL_WARN : LEVEL_OK;
}

/* ---- hash ---- */

/* The newest block that a node has as its head, by any of its paths that are up; NULL: none, or it still syncs. */
static struct node *head_of(const struct subject_ref *r, unsigned node)
{
	struct node *best = NULL;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];
		struct node *n;

		if (p->node_index != node || p->chain != r->s->chain || !link_up(p->state) || !p->priv->claim.set ||
		    (p->facts.sync_known && p->facts.syncing))
			continue;
		n = chain_node(r->chain, &p->priv->claim.hash);
		if (n && (!best || n->b.h.number > best->b.h.number))
			best = n;
	}
	return best;
}

/* Its ancestor of that height; NULL: not known. */
static struct node *ancestor(const struct chain *c, struct node *n, uint64_t height)
{
	for (unsigned k = 0; n && n->b.h.number > height && k < HASH_WALK; k++) {
		if (n->b.state == BLK_CANON && !n->prov && chain_canon(c, height))
			return chain_canon(c, height);
		n = chain_parent(c, n);
	}
	return n && n->b.h.number == height ? n : NULL;
}

/*
 * Do two nodes have different blocks below what may still change? *mine, *theirs: the lowest two that differ, as far as known;
 * *parted: they have one parent.
 */
static bool disagree(const struct subject_ref *r, const struct node **mine, const struct node **theirs, struct node *a,
		     struct node *b, bool *known, bool *parted)
{
	unsigned depth = r->chain->info->kind == CHAIN_POA ? HASH_DEPTH_POA : HASH_DEPTH;
	uint64_t height = a->b.h.number < b->b.h.number ? a->b.h.number : b->b.h.number;

	*known = false;
	if (height < depth)
		return false;
	a = ancestor(r->chain, a, height - depth);
	b = ancestor(r->chain, b, height - depth);
	*known = a && b;
	if (!a || !b || a == b)
		return false;
	for (unsigned k = 0; a && b && a != b && k < HASH_WALK; k++) {
		*mine = a;
		*theirs = b;
		a = chain_parent(r->chain, a);
		b = chain_parent(r->chain, b);
	}
	*parted = a && a == b;
	return true;
}

/*
 * Every other node has a say: who stands alone, or in the smaller half, is on the wrong chain; of two halves nobody knows which,
 * so both are told. Which branch the screens follow has no say: it may change with every head.
 */
void check_hash(struct subject_ref *r, struct finding *f)
{
	struct node *own = r->chain ? head_of(r, r->s->index) : NULL, *other;
	const struct node *mine = NULL, *theirs = NULL, *x = NULL, *y = NULL;
	const struct path *against = NULL;
	unsigned agree = 1, differ = 0;
	char number[28], a[5], b[5];
	bool known, parted = false, seen = false;

	for (unsigned i = 0; i < r->m->n_paths && own; i++) {
		other = r->m->paths[i]->node_index == i && i != r->s->index ? head_of(r, i) : NULL;
		if (!other)
			continue;
		if (!disagree(r, &x, &y, own, other, &known, &parted)) {
			agree += known;
			continue;
		}
		if (differ++ == 0) {
			mine = x;
			theirs = y;
			seen = parted;
			against = r->m->paths[i];
		}
	}
	if (!against && agree == 1)
		not_here(f, !r->live ? "no answer" : r->syncing ? "syncing" : "no other node");
	else if (differ < agree)
		found(r, f, CHECK_hash, 0, "%s: on the same chain as the others", r->s->name);
	else
		found(r, f, CHECK_hash, 1, "%s: other chain since %s%s (%s, %s has %s)", r->s->name, seen ? "" : "before ",
		      note_number(number, mine->b.h.number), note_hash(a, &mine->b.h.hash), against->node,
		      note_hash(b, &theirs->b.h.hash));
}

/* ---- sync ---- */

void check_sync(struct subject_ref *r, struct finding *f)
{
	const struct path *p = NULL;
	const struct blk *b;
	double age, warn, crit;
	char share[24] = "";

	not_here(f, r->live ? "eth_syncing is not answered" : "no answer");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *q = r->m->paths[i];

		if (r->live & bit(i) && q->facts.sync_known && (!p || (q->facts.syncing && !p->facts.syncing)))
			p = q;
	}
	if (!p)
		return;
	if (!p->facts.syncing) {
		found(r, f, CHECK_sync, 0, "%s: does not sync", r->s->name);
		return;
	}
	age = health_age(r, &b);
	health_limits(r->m, r->s->chain, CHECK_age, &warn, &crit);
	if (p->facts.sync_to)
		snprintf(share, sizeof(share), " %.0f %%",
			 fmin(100, floor(100 * (double)p->facts.sync_at / (double)p->facts.sync_to)));
	found(r, f, CHECK_sync, !r->dev && age > crit ? 2 : 1, "%s: syncing%s", r->s->name, share);
}

/* ---- body lag ---- */

static int by_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void check_body_lag(struct subject_ref *r, struct finding *f)
{
	uint64_t ns[LAGS_KEPT];
	double worst = -1;
	char name[48], span[24];

	not_here(f, r->live ? "fewer than 8 bodies" : "no answer");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];
		const struct health_facts *h = &p->priv->health;
		unsigned n = 0;
		double p90;

		for (unsigned k = 0; r->live & bit(i) && k < h->lag_n; k++)
			if (add_sat(h->lag[k].mono, WINDOW_NS) > r->m->now_mono)
				ns[n++] = h->lag[k].ns;
		if (n < LAGS_LEAST)
			continue;
		qsort(ns, n, sizeof(ns[0]), by_ns);
		p90 = s_of(ns[(n * 9 + 9) / 10 - 1]);
		if (p90 <= worst)
			continue;
		worst = p90;
		f->path = (int)i;
		found(r, f, CHECK_body_lag, p90, "%s: announces blocks %s before it can serve them", health_path(r, p, name),
		      health_span(span, p90));
	}
}

/* ---- head went back ---- */

/* "25,490,415 → 412": of the lower one the digits that differ, by groups. */
static void fall(char *out, size_t size, uint64_t from, uint64_t to)
{
	char a[28], b[28];
	const char *end;

	note_number(a, from);
	note_number(b, to);
	end = b;
	if (strlen(a) == strlen(b)) {
		for (const char *c = b; (c = strchr(c, ',')) != NULL && memcmp(a, b, (size_t)(c - b)) == 0;)
			end = ++c;
	}
	snprintf(out, size, "%s → %s", a, end);
}

void check_head_back(struct subject_ref *r, struct finding *f)
{
	uint64_t newest_mono = 0, from = 0, to = 0;
	unsigned n = 0;
	char text[64];

	if (!r->live) {
		not_here(f, "no answer");
		return;
	}
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct health_facts *h = &r->m->paths[i]->priv->health;

		for (unsigned k = 0; r->paths & bit(i) && k < h->back_n; k++) {
			if (add_sat(h->back[k].mono, WINDOW_NS) <= r->m->now_mono)
				continue;
			n++;
			if (h->back[k].mono < newest_mono)
				continue;
			newest_mono = h->back[k].mono;
			from = h->back[k].from;
			to = h->back[k].to;
			f->path = (int)i;
		}
	}
	if (!n) {
		found(r, f, CHECK_head_back, 0, "%s: its head never fell", r->s->name);
		return;
	}
	fall(text, sizeof(text), from, to);
	found(r, f, CHECK_head_back, n, "%s: head fell %s: several backends", r->s->name, text);
}
