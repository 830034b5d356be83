#include "model/race.h"

#include <math.h>
#include <stdlib.h>

#include "model/calls.h"
#include "model/chain.h"
#include "model/racelog.h"

/* ---- lateness ---- */

static bool late_means_something(const struct model *m, const struct chain *c)
{
	return m->clock_bound != UNKNOWN && c->info->kind != CHAIN_DEV;
}

static bool lateness(const struct model *m, const struct chain *c, const struct head *h, uint64_t wall, int64_t *out)
{
	uint64_t own = ms_ns(h->time_ms), diff;

	if (!late_means_something(m, c) || h->time_ms == 0 || own == UINT64_MAX || wall == UNKNOWN)
		return false;
	diff = wall > own ? wall - own : own - wall;
	if (diff > INT64_MAX)
		return false;
	*out = wall > own ? (int64_t)diff : -(int64_t)diff;
	return true;
}

static bool over_line(const struct chain *c, int64_t late_ns)
{
	return c->info->late_ms && late_ns > (int64_t)ms_ns(c->info->late_ms);
}

static void refresh_late(const struct model *m, const struct chain *c, struct node *n)
{
	n->b.late_ns = 0;
	n->b.late_known = n->b.heard && lateness(m, c, &n->b.h, n->b.first_wall, &n->b.late_ns);
}

void race_clock(struct model *m)
{
	for (unsigned i = 0; i < m->n_chains; i++) {
		struct chain *c = m->chains[i];
		struct nodeset *set[2] = { &c->store->rows, &c->store->hidden };

		for (unsigned k = 0; k < 2; k++)
			for (unsigned j = 0; j < set[k]->n; j++)
				refresh_late(m, c, set[k]->v[j]);
	}
	for (unsigned i = 0; i < m->n_paths; i++) {
		struct path *p = m->paths[i];
		const struct chain *c = p->chain >= 0 ? m->chains[p->chain] : NULL;

		for (unsigned k = 0; c && k < p->heard_n; k++) {
			struct heard *h = &p->heard[k];
			const struct node *n = chain_node(c, &h->hash);
			int64_t late;

			if (n && n->b.heard)
				h->late = lateness(m, c, &n->b.h,
						   add_sat(n->b.first_wall, sub_sat(h->mono, n->b.first_mono)), &late) &&
					  over_line(c, late);
		}
	}
}

/* ---- arrivals ---- */

const struct heard *path_heard_at(const struct path *p, unsigned i)
{
	if (i >= p->heard_n)
		return NULL;
	return &p->heard[(p->heard_next + 2 * HEARD_KEPT - 1 - i) % HEARD_KEPT];
}

static uint64_t heard_mono(const struct path *p, const struct hash *h, bool pushed)
{
	uint64_t first = UNKNOWN;

	for (unsigned i = 0; i < p->heard_n; i++) {
		const struct heard *a = path_heard_at(p, i);

		if (hash_key(&a->hash) == hash_key(h) && hash_eq(&a->hash, h) && a->mono < first &&
		    (!pushed || a->source == SRC_PUSH))
			first = a->mono;
	}
	return first;
}

uint64_t path_heard(const struct path *p, const struct hash *h)
{
	return heard_mono(p, h, false);
}

static bool sample(struct hist **h, uint64_t ns)
{
	if (!*h)
		*h = calloc(1, sizeof(**h));
	if (*h)
		hist_add(*h, ns);
	return *h;
}

/* When each path of the chain pushed it, and the first of them; UNKNOWN. Returns how many did. */
static unsigned runners(const struct model *m, const struct chain *c, const struct node *n, uint64_t mono[PATHS_MAX],
			uint64_t *first, unsigned *nodes)
{
	uint64_t by = 0;
	unsigned count = 0;

	*first = UNKNOWN;
	for (unsigned i = 0; i < m->n_paths; i++) {
		mono[i] = UNKNOWN;
		if (!(n->pushed_by & ~n->lost_by & bit(i)) || m->paths[i]->chain < 0 || m->chains[m->paths[i]->chain] != c)
			continue;
		mono[i] = heard_mono(m->paths[i], &n->b.h.hash, true);
		if (mono[i] == UNKNOWN)
			continue;
		by |= bit(m->paths[i]->node_index);
		count++;
		if (mono[i] < *first)
			*first = mono[i];
	}
	*nodes = (unsigned)__builtin_popcountll(by);
	return count;
}

static void award(const struct model *m, const uint64_t mono[PATHS_MAX], uint64_t first)
{
	unsigned near = 0;

	for (unsigned i = 0; i < m->n_paths; i++)
		near += mono[i] != UNKNOWN && mono[i] - first < TIE_NS;
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (mono[i] == UNKNOWN)
			continue;
		m->paths[i]->raced++;
		if (mono[i] - first < TIE_NS)
			*(near > 1 ? &m->paths[i]->ties : &m->paths[i]->won) += 1;
	}
}

/*
 * Deltas are taken as soon as a second pushed path is there; somebody wins as soon as a path of a second node is: two doors of
 * one house are no race (screens.md §3 trap g).
 */
static void settle(struct model *m, struct chain *c, struct node *n)
{
	uint64_t mono[PATHS_MAX], first;
	unsigned nodes, count = runners(m, c, n, mono, &first, &nodes), before = n->race;

	n->race_closed = true;
	n->race = count == 0 ? RACE_OPEN : count == 1 ? RACE_ALONE : nodes == 1 ? RACE_KIN : RACE_RUN;
	/* Those that came later are in it already: join. */
	for (unsigned i = 0; i < m->n_paths && n->race >= RACE_KIN && before < RACE_KIN; i++)
		if (mono[i] != UNKNOWN)
			(void)sample(&m->paths[i]->priv->behind, mono[i] - first);
	if (n->race == RACE_RUN)
		award(m, mono, first);
	if (count)
		racelog_put(m, c, n, first, mono);
}

/* Too late to be first, unless it makes a race of what was none: it is only known how much too late. */
static void join(struct model *m, struct chain *c, struct node *n, unsigned path, uint64_t mono)
{
	if (n->race >= RACE_KIN)
		(void)sample(&m->paths[path]->priv->behind, sub_sat(mono, n->push_mono));
	if (n->race != RACE_RUN) {
		settle(m, c, n);
		return;
	}
	m->paths[path]->raced++;
	racelog_late(c, n, path, mono);
}

static void race_drop(struct race *list, unsigned *n, unsigned i)
{
	(*n)--;
	memmove(list + i, list + i + 1, (*n - i) * sizeof(*list));
}

static void race_add(struct race *list, unsigned *n, const struct hash *h)
{
	if (*n == RACES_KEPT)
		race_drop(list, n, 0);
	list[(*n)++] = (struct race){ .hash = *h };
}

static void hear(struct model *m, struct chain *c, struct node *n, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct heard *h = &p->heard[p->heard_next];
	int64_t late;

	*h = (struct heard){
		.mono = e->mono,
		.number = n->b.h.number,
		.hash = n->b.h.hash,
		.late = lateness(m, c, &n->b.h, e->wall, &late) && over_line(c, late),
		.source = e->u.head.source,
	};
	p->heard_next = (p->heard_next + 1) % HEARD_KEPT;
	if (p->heard_n < HEARD_KEPT)
		p->heard_n++;
	p->heads++;
	if (!n->b.heard)
		race_add(c->store->open, &c->store->open_n, &n->b.h.hash);
	if (!n->race_closed && (!n->b.heard || e->mono < n->b.first_mono ||
				(e->mono == n->b.first_mono && e->path < n->b.first_path))) {
		n->b.first_mono = e->mono;
		n->b.first_wall = e->wall;
		n->b.first_path = e->path;
		n->b.heard = true;
		refresh_late(m, c, n);
	}
}

static void first_head(struct path *p, uint64_t mono)
{
	if (p->priv->first_head == UNKNOWN)
		p->priv->first_head = mono;
}

bool race_arrival(struct model *m, struct chain *c, struct node *n, const struct event *e)
{
	struct path *p = m->paths[e->path];
	uint64_t b = bit(e->path);
	bool known = n->told_by & b, ranked = (n->pushed_by | n->first_by) & b;

	n->told_by |= b;
	switch (e->u.head.source) {
	case SRC_FIRST:
		n->first_by |= b;
		first_head(p, e->mono);
		return !known;
	case SRC_POLL:
		if (known)
			return false;
		hear(m, c, n, e);
		return true;
	case SRC_PUSH:
		first_head(p, e->mono);
		if (ranked) {
			p->dups++;
			calls_dup(p, e->mono);
			return false;
		}
		hear(m, c, n, e);
		n->pushed_by |= b;
		if (e->mono < n->push_mono)
			n->push_mono = e->mono;
		/* What was counted as missed is no run any more. */
		if (n->race_closed && !(n->lost_by & b))
			join(m, c, n, e->path, e->mono);
		return true;
	default: return !known;
	}
}

/* ---- bodies ---- */

static void usable_sample(struct model *m, const struct usable *u)
{
	const struct node *n = chain_node(m->chains[u->chain], &u->hash);
	struct path *p = m->paths[u->path];
	uint64_t own;

	if (!n || !n->b.heard)
		return;
	if (u->done_mono >= n->b.first_mono) {
		calls_usable(p, u->done_mono, u->done_mono - n->b.first_mono);
		if (sample(&p->priv->usable, u->done_mono - n->b.first_mono))
			p->priv->race_dirty = true;
	}
	own = path_heard(p, &u->hash);
	if (own == UNKNOWN || u->done_mono < own)
		return;
	facts_body_lag(p, u->done_mono, u->done_mono - own);
	if (sample(&p->priv->body_lag, u->done_mono - own))
		p->priv->race_dirty = true;
}

static void usable_drop(struct model_priv *mp, unsigned i)
{
	mp->n_usable--;
	memmove(mp->usable + i, mp->usable + i + 1, (mp->n_usable - i) * sizeof(mp->usable[0]));
}

void race_usable(struct model *m, struct node *n, const struct event *e)
{
	struct model_priv *mp = m->priv;

	if (e->u.block.done_mono < n->b.usable_mono)
		n->b.usable_mono = e->u.block.done_mono;
	if (!announces(e->u.block.source))
		return;
	if (mp->n_usable == USABLE_KEPT) {
		usable_sample(m, &mp->usable[0]);
		usable_drop(mp, 0);
	}
	mp->usable[mp->n_usable++] = (struct usable){
		.hash = n->b.h.hash,
		.chain = m->paths[e->path]->chain,
		.path = e->path,
		.done_mono = e->u.block.done_mono,
	};
}

/* ---- time ---- */

/* It told of another block of that height: it was on another branch, which is no loss. */
static bool on_other_branch(const struct path *p, const struct node *n)
{
	for (unsigned i = 0; i < p->heard_n; i++)
		if (p->heard[i].number == n->b.h.number)
			return true;
	return false;
}

/*
 * Heads that others heard and this path did not, though it was there from before it came until `end`. Stamps decide, not
 * the state now: the link event of a moment ago may still be in another ring.
 */
static void count_missed(struct model *m, unsigned chain, struct node *n, uint64_t end)
{
	if (n->b.state != BLK_CANON)
		return;
	for (unsigned i = 0; i < m->n_paths; i++) {
		struct path *p = m->paths[i];
		const struct path_priv *pp = p->priv;

		if (p->chain != (int)chain || !p->push || (n->pushed_by | n->first_by) & bit(i))
			continue;
		if (p->state == LINK_POLLING || pp->first_head == UNKNOWN || pp->first_head >= n->push_mono ||
		    pp->up_since >= n->push_mono || (!pp->up && pp->down_mono <= end))
			continue;
		if (on_other_branch(p, n))
			continue;
		p->missed++;
		n->lost_by |= bit(i);
		racelog_missed(m->chains[chain], n, i);
		m->priv->dirty |= DIRTY_PATHS;
	}
}

static void chain_races(struct model *m, unsigned chain)
{
	struct chain *c = m->chains[chain];
	struct chain_store *s = c->store;
	uint64_t wait = chain_t_ns(c, 0), now = m->now_mono, end;
	struct node *n;

	wait = wait > 10 * NS_S / 3 ? add_sat(wait, add_sat(wait, wait)) : 10 * NS_S;
	for (unsigned i = 0; i < s->open_n;) {
		n = chain_node(c, &s->open[i].hash);
		if (n && add_sat(n->b.first_mono, REVISE_NS + REORDER_NS) > now) {
			i++;
			continue;
		}
		race_drop(s->open, &s->open_n, i);
		if (!n)
			continue;
		settle(m, c, n);
		race_add(s->judged, &s->judged_n, &n->b.h.hash);
	}
	for (unsigned i = 0; i < s->judged_n;) {
		n = chain_node(c, &s->judged[i].hash);
		end = n ? add_sat(n->b.first_mono, wait) : 0;
		if (add_sat(end, REORDER_NS) > now) {
			i++;
			continue;
		}
		race_drop(s->judged, &s->judged_n, i);
		if (n && n->push_mono != UNKNOWN)
			count_missed(m, chain, n, end);
	}
}

/* Of all races that are kept: the same figures wherever they stand. */
static void tell_paths(struct model *m, unsigned chain)
{
	struct racelog *l = &m->chains[chain]->store->races;
	const struct race_view *v;

	if (l->told_version == l->version || sub_sat(m->now_mono, l->told_mono) < NS_S)
		return;
	v = racelog_view(m, m->chains[chain], RACE_ALL, false);
	if (!v)
		return;
	l->told_version = l->view[RACE_ALL][0].version; /* which may be a little older */
	l->told_mono = m->now_mono;
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->chain != (int)chain)
			continue;
		m->paths[i]->behind_p50 = v->path[i].behind.p50;
		m->paths[i]->behind_p99 = v->path[i].behind.p99;
	}
	m->priv->dirty |= DIRTY_PATHS;
}

void race_tick(struct model *m)
{
	struct model_priv *mp = m->priv;

	for (unsigned i = 0; i < m->n_chains; i++) {
		chain_races(m, i);
		tell_paths(m, i);
	}
	for (unsigned i = 0; i < mp->n_usable;) {
		const struct node *n = chain_node(m->chains[mp->usable[i].chain], &mp->usable[i].hash);
		uint64_t due = mp->usable[i].done_mono;

		if (n && n->b.heard && n->b.first_mono > due)
			due = n->b.first_mono;
		if (add_sat(due, REVISE_NS + REORDER_NS) > m->now_mono) {
			i++;
			continue;
		}
		usable_sample(m, &mp->usable[i]);
		usable_drop(mp, i);
	}
}
