#include "model/pool.h"

#include <math.h>

#include "model/seen.h"

/* Pools of different nodes differ, so the line of one of them must not jump between them: one path is followed. */
#define STALE_NS (180 * NS_S)

enum { HISTORY = sizeof((struct pool_view){ 0 }.history) / sizeof(uint32_t) };

/* What txpool_status tells; announcements have their own life (seen.c). */
static void forget(struct model *m)
{
	struct pool_view *v = &m->pool;

	v->known = false;
	v->pending = v->queued = 0;
	v->per_s = (double)NAN;
	v->seen_mono = UNKNOWN;
	v->history_n = 0;
	v->why = ST_OK;
	m->priv->pool_path = -1;
	m->priv->pool_mono = UNKNOWN;
}

void pool_reset(struct model *m)
{
	m->pool = (struct pool_view){ .ready = UNKNOWN };
	seen_blank(&m->pool.cover);
	forget(m);
}

static int pick(const struct model *m)
{
	int stale = -1;

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->chain < 0 || (unsigned)p->chain != m->shown || p->facts.pool_mono == UNKNOWN)
			continue;
		if (sub_sat(m->now_mono, p->facts.pool_mono) < STALE_NS)
			return (int)i;
		if (stale < 0)
			stale = (int)i;
	}
	return stale;
}

/* Why nobody tells it: what most paths say. */
static enum status why(const struct model *m)
{
	unsigned count[ST_N] = { 0 }, best = ST_OK;

	for (unsigned i = 0; i < m->n_paths; i++)
		if (m->paths[i]->chain >= 0 && (unsigned)m->paths[i]->chain == m->shown &&
		    m->paths[i]->facts.pool_why != ST_OK)
			count[m->paths[i]->facts.pool_why]++;
	for (unsigned i = 1; i < ST_N; i++)
		if (count[i] > count[best])
			best = i;
	return (enum status)best;
}

void pool_tick(struct model *m)
{
	struct pool_view *v = &m->pool;
	int at = pick(m);
	const struct path *p;
	uint64_t dt;

	if (at < 0) {
		if (v->known)
			forget(m);
		if (v->why != why(m)) {
			v->why = why(m);
			m->priv->dirty |= DIRTY_POOL;
		}
		return;
	}
	p = m->paths[at];
	if (at != m->priv->pool_path) {
		forget(m);
		m->priv->pool_path = at;
	} else if (p->facts.pool_mono == m->priv->pool_mono) {
		return;
	}
	if (v->known && p->facts.pool_mono > v->seen_mono) {
		dt = p->facts.pool_mono - v->seen_mono;
		v->per_s = ((double)p->facts.pending - (double)v->pending) * (double)NS_S / (double)dt;
	}
	v->known = true;
	v->pending = p->facts.pending;
	v->queued = p->facts.queued;
	v->seen_mono = m->priv->pool_mono = p->facts.pool_mono;
	v->why = ST_OK;
	if (v->history_n == HISTORY)
		memmove(v->history, v->history + 1, (HISTORY - 1) * sizeof(v->history[0]));
	else
		v->history_n++;
	v->history[v->history_n - 1] = v->pending > UINT32_MAX ? UINT32_MAX : (uint32_t)v->pending;
	m->priv->dirty |= DIRTY_POOL;
}
