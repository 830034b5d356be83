#include "model/model.h"

#include <math.h>
#include <stdlib.h>

#include "model/body.h"
#include "model/chain.h"
#include "model/chains.h"
#include "model/endpoint.h"
#include "model/fork.h"
#include "model/gas.h"
#include "model/line.h"
#include "model/note.h"
#include "model/pool.h"
#include "model/race.h"
#include "model/racelog.h"
#include "model/seen.h"

/* ---- life ---- */

struct model *model_new(const struct path_setup *paths, unsigned n, uint64_t now_mono, uint64_t now_wall)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->priv = calloc(1, sizeof(*m->priv));
	if (!m->priv) {
		free(m);
		return NULL;
	}
	m->now_mono = m->start_mono = now_mono;
	m->now_wall = now_wall;
	m->clock_bound = m->priv->clock_raw = UNKNOWN;
	m->calls_per_min = m->bytes_per_min = m->own.cpu = (double)NAN;
	m->own.glass_p50 = m->own.glass_p99 = UNKNOWN;
	m->own.decode_p50 = m->own.decode_p99 = m->own.verify_p50 = m->own.verify_p99 = UNKNOWN;
	pool_reset(m);
	for (unsigned i = 0; i < n && i < PATHS_MAX; i++) {
		struct path *p = endpoint_new(&paths[i], now_mono);

		if (!p) {
			model_free(m);
			return NULL;
		}
		p->node_index = (uint16_t)i;
		for (unsigned k = 0; k < i; k++) {
			if (strcmp(m->paths[k]->node, p->node) == 0) {
				p->node_index = m->paths[k]->node_index;
				break;
			}
		}
		m->paths[m->n_paths++] = p;
	}
	line_tick(m);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n_paths; i++)
		endpoint_free(m->paths[i]);
	for (unsigned i = 0; i < m->n_chains; i++)
		chain_free(m->chains[i]);
	alert_free(m);
	health_free(m);
	seen_free(m->priv->announced);
	free(m->priv->queue);
	free(m->priv->tips);
	free(m->priv->seen);
	free(m->priv);
	free(m);
}

void model_restart(struct model *m)
{
	for (unsigned i = 0; i < m->n_paths; i++)
		endpoint_restart(m->paths[i], m->now_mono);
	for (unsigned i = 0; i < m->n_chains; i++) {
		struct chain_store *s = m->chains[i]->store;

		racelog_restart(&s->races);
		s->open_n = s->judged_n = 0;
	}
	m->priv->n_usable = 0;
	m->start_mono = m->now_mono;
	m->priv->dirty |= DIRTY_ALL;
}

struct model *model_clone(const struct model *m)
{
	struct model *to = malloc(sizeof(*to));
	struct model_priv *mp = malloc(sizeof(*mp));

	if (!to || !mp) {
		free(to);
		free(mp);
		return NULL;
	}
	*to = *m;
	*mp = *m->priv;
	to->priv = mp;
	to->n_paths = to->n_chains = 0;
	to->alerts = NULL;
	mp->queue = NULL;
	mp->tips = NULL;
	mp->seen = NULL;
	mp->announced = NULL;
	mp->copy = true;
	mp->queued = mp->queue_cap = mp->tips_cap = mp->seen_cap = 0;
	if (!health_clone(to, m) || !alert_clone(to, m))
		goto fail;
	for (unsigned i = 0; i < m->n_paths; i++) {
		to->paths[i] = endpoint_clone(m->paths[i]);
		if (!to->paths[i])
			goto fail;
		to->n_paths++;
	}
	for (unsigned i = 0; i < m->n_chains; i++) {
		to->chains[i] = chain_clone(m->chains[i]);
		if (!to->chains[i])
			goto fail;
		to->n_chains++;
	}
	return to;
fail:
	model_free(to);
	return NULL;
}

/* ---- the queue of what is decided in the order of the stamps ---- */

static void process(struct model *m, const struct queued *q)
{
	struct path *p = m->paths[q->e.path];

	switch (q->e.kind) {
	case EV_HEAD:
		fork_event(m, p, q->e.path, &q->e.u.head.h.hash, q->e.u.head.source, true, q->key, q->e.wall);
		break;
	case EV_BLOCK:
		fork_event(m, p, q->e.path, &q->e.u.head.h.hash, q->e.u.head.source, false, q->key, q->e.wall);
		break;
	case EV_LINK:
		if (link_up((enum link_state)q->e.u.link.state) && !p->priv->queue_up)
			fork_fresh(p);
		p->priv->queue_up = link_up((enum link_state)q->e.u.link.state);
		note_event(m, &q->e);
		break;
	default: note_event(m, &q->e); break;
	}
}

/* Decides the n oldest in one go: a burst must not move the rest of the queue for each of its events. */
static void decide_oldest(struct model *m, unsigned n)
{
	struct model_priv *mp = m->priv;

	for (unsigned i = 0; i < n; i++) {
		struct queued q = mp->queue[i];

		mp->queue[i].e.kind = EV_CLOCK; /* done: nothing that waits (fork.c looks for heads that do) */
		process(m, &q);
	}
	if (!n)
		return;
	mp->queued -= n;
	memmove(mp->queue, mp->queue + n, mp->queued * sizeof(mp->queue[0]));
}

static void enqueue(struct model *m, const struct event *e)
{
	struct model_priv *mp = m->priv;
	struct path_priv *pp = m->paths[e->path]->priv;
	struct queued q = { .key = e->mono > pp->key ? e->mono : pp->key, .e = *e };
	struct queued *v;
	unsigned i;

	if (e->kind == EV_LINK)
		q.e.u.link.text[sizeof(q.e.u.link.text) - 1] = q.e.u.link.cure[sizeof(q.e.u.link.cure) - 1] = '\0';
	pp->key = q.key;
	if (mp->queued == QUEUE_MAX)
		decide_oldest(m, QUEUE_MAX / 2);
	if (mp->queued == mp->queue_cap) {
		v = realloc(mp->queue, (mp->queue_cap ? mp->queue_cap * 2 : 64) * sizeof(*v));
		if (!v) {
			process(m, &q);
			return;
		}
		mp->queue = v;
		mp->queue_cap = mp->queue_cap ? mp->queue_cap * 2 : 64;
	}
	i = mp->queued;
	while (i > 0 && (mp->queue[i - 1].key > q.key ||
			 (mp->queue[i - 1].key == q.key && mp->queue[i - 1].e.path > e->path)))
		i--;
	memmove(mp->queue + i + 1, mp->queue + i, (mp->queued - i) * sizeof(*v));
	mp->queue[i] = q;
	mp->queued++;
}

static void decide_until(struct model *m, uint64_t now)
{
	const struct model_priv *mp = m->priv;
	unsigned n = 0;

	while (n < mp->queued && add_sat(mp->queue[n].key, REORDER_NS) <= now)
		n++;
	decide_oldest(m, n);
}

/* ---- events ---- */

static void behind_update(struct model *m, const struct chain *c)
{
	for (unsigned i = 0; i < m->n_paths; i++) {
		struct path *p = m->paths[i];

		if (p->chain >= 0 && m->chains[p->chain] == c)
			p->behind_blocks = c->head && p->has_head ? sub_sat(c->head->h.number, p->head_number) :
								    UNKNOWN;
	}
}

static unsigned apply_head(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct chain *c = chains_of(m, e);
	uint8_t source = e->u.head.source;
	struct node *n;
	struct event q;
	unsigned dirty = DIRTY_PATHS;
	bool fresh;

	if (!c)
		return 0;
	n = chain_put(c, &e->u.head.h, e->mono, &fresh);
	if (!n)
		return 0;
	if (announces(source)) {
		race_arrival(m, c, n, e);
		seen_watch(m, (unsigned)p->chain, n);
		chain_place(c, n);
	}
	endpoint_head(p, n, e);
	if (extends(source) && chain_extend(c, n) && c == model_chain(m))
		dirty |= DIRTY_HEAD | DIRTY_BLOCKS;
	if (fresh) {
		chain_limit(c, BLOCKS_KEPT / m->n_chains);
		dirty |= DIRTY_BLOCKS;
	}
	behind_update(m, c);
	q = *e;
	enqueue(m, &q);
	return dirty;
}

static unsigned apply_block(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct event q = *e;
	struct block *body = e->u.block.block;
	struct chain *c;

	endpoint_xfer(p, e);
	if (!body)
		return 0;
	c = chains_of(m, e);
	memset(&q.u, 0, sizeof(q.u));
	q.u.head.h.hash = body->h.hash;
	q.u.head.source = e->u.block.source;
	body_event(m, e);
	if (!c)
		return DIRTY_OWN;
	chain_limit(c, BLOCKS_KEPT / m->n_chains);
	enqueue(m, &q);
	return DIRTY_BLOCKS | DIRTY_OWN;
}

static unsigned apply_tag(struct model *m, const struct event *e)
{
	const struct path *p = m->paths[e->path];
	struct chain *c = p->chain >= 0 ? m->chains[p->chain] : NULL;
	struct tag_view *t;
	uint16_t *teller;

	if (!c)
		return 0;
	t = e->u.tag.final ? &c->final : &c->safe;
	teller = &c->store->tag_path[e->u.tag.final ? 1 : 0];
	if (e->u.tag.code != ST_OK) {
		/* A tag that was told stays, with its age; it is never made up from the head (peers.md §2.3 #8). */
		if (!t->known)
			t->why = e->u.tag.code < ST_N ? (enum status)e->u.tag.code : ST_INTERNAL;
		return DIRTY_NODE;
	}
	/* A path that lags does not set the tag back; the one that told it may. */
	if (t->known && *teller != e->path && e->u.tag.number <= t->number &&
	    sub_sat(e->mono, t->seen_mono) < 180 * NS_S) {
		if (e->u.tag.number == t->number && e->mono > t->seen_mono)
			t->seen_mono = e->mono;
		return 0;
	}
	*t = (struct tag_view){
		.known = true,
		.number = e->u.tag.number,
		.time_ms = e->u.tag.time_ms,
		.seen_mono = e->mono,
		.hash = e->u.tag.hash,
	};
	*teller = e->path;
	return DIRTY_NODE;
}

static unsigned apply_clock(struct model *m, const struct event *e)
{
	uint64_t bound = e->u.clock.bound_ns < CLOCK_UNSET_NS ? e->u.clock.bound_ns : UNKNOWN;
	bool known = m->clock_bound != UNKNOWN, now = bound != UNKNOWN;

	if (e->mono < m->priv->clock_mono)
		return 0;
	m->priv->clock_mono = e->mono;
	m->priv->clock_raw = e->u.clock.bound_ns;
	if (bound == m->clock_bound)
		return 0;
	m->clock_bound = bound;
	if (known != now)
		race_clock(m);
	return DIRTY_BLOCKS | DIRTY_PATHS;
}

static unsigned apply_one(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];

	switch ((enum event_kind)e->kind) {
	case EV_LINK: {
		bool up = link_up(p->state);

		endpoint_link(p, e);
		if (link_up(p->state) != up)
			chains_mark(m);
		enqueue(m, e);
		return DIRTY_PATHS;
	}
	case EV_CHAIN:
		/* A node that does not answer is still the node that it was. */
		if (!e->u.chain.ok)
			return 0;
		chains_told(m, e);
		enqueue(m, e);
		return DIRTY_PATHS | DIRTY_NODE;
	case EV_HEAD: return apply_head(m, e);
	case EV_BLOCK: return apply_block(m, e);
	case EV_VERDICT:
		body_verdict(m, e);
		enqueue(m, e);
		return DIRTY_BLOCKS;
	case EV_BODY_MISS:
		body_miss(m, e);
		enqueue(m, e);
		return 0;
	case EV_REPLY: endpoint_reply(p, e); return 0;
	case EV_INFO:
		endpoint_info(p, e);
		return DIRTY_NODE | (e->u.info.info == INFO_TXPOOL || e->u.info.info == INFO_PENDING ? DIRTY_POOL : 0);
	case EV_TAG: return apply_tag(m, e);
	case EV_GAP: enqueue(m, e); return 0;
	case EV_TRAFFIC: endpoint_traffic(p, e); return 0;
	case EV_PEER:
	case EV_PEER_COUNT:
	case EV_PEER_LEFT: endpoint_peer(p, e); return DIRTY_NODE;
	case EV_CLOCK: return apply_clock(m, e);
	case EV_LOST:
		p->lost = e->u.lost.dropped;
		enqueue(m, e);
		return DIRTY_PATHS;
	case EV_TXS: seen_event(m, e); return 0;
	}
	return 0;
}

unsigned model_apply(struct model *m, const struct event *e)
{
	unsigned dirty;

	if (e->path >= m->n_paths) {
		/* The clock is this machine's, not a path's. */
		if (e->kind == EV_CLOCK)
			return apply_clock(m, e);
		if (e->kind == EV_BLOCK)
			block_unref(e->u.block.block);
		return 0;
	}
	facts_event(m, e);
	dirty = apply_one(m, e) | m->priv->dirty;
	if (m->paths[e->path]->chain >= 0)
		gas_head(m->chains[m->paths[e->path]->chain]);
	m->priv->dirty = 0;
	return dirty;
}

/* ---- time ---- */

static bool own_tick(struct model *m)
{
	struct own *o = &m->own;

	if (!m->priv->own_dirty || sub_sat(m->now_mono, m->priv->own_mono) < NS_S)
		return false;
	m->priv->own_dirty = false;
	m->priv->own_mono = m->now_mono;
	o->glass_p50 = hist_percentile(&o->glass, 50);
	o->glass_p99 = hist_percentile(&o->glass, 99);
	o->decode_p50 = hist_percentile(&o->decode, 50);
	o->decode_p99 = hist_percentile(&o->decode, 99);
	o->verify_p50 = hist_percentile(&o->verify, 50);
	o->verify_p99 = hist_percentile(&o->verify, 99);
	return true;
}

static void totals(struct model *m)
{
	double calls = 0, bytes = 0;
	bool any = false;

	for (unsigned i = 0; i < m->n_paths; i++) {
		if (isnan(m->paths[i]->calls_per_min))
			continue;
		any = true;
		calls += m->paths[i]->calls_per_min;
		bytes += m->paths[i]->bytes_per_min;
	}
	m->calls_per_min = any ? calls : (double)NAN;
	m->bytes_per_min = any ? bytes : (double)NAN;
}

unsigned model_tick(struct model *m, uint64_t now_mono, uint64_t now_wall)
{
	unsigned dirty = 0;
	bool rates = false;

	if (now_mono > m->now_mono)
		m->now_mono = now_mono;
	m->now_wall = now_wall;
	decide_until(m, m->now_mono);
	race_tick(m);
	for (unsigned i = 0; i < m->n_chains; i++) {
		fork_tick(m, m->chains[i]);
		gas_tick(m, m->chains[i]);
		behind_update(m, m->chains[i]);
	}
	for (unsigned i = 0; i < m->n_paths; i++)
		rates |= endpoint_tick(m->paths[i], m->now_mono);
	if (rates) {
		totals(m);
		dirty |= DIRTY_PATHS;
	}
	pool_tick(m);
	seen_tick(m);
	if (own_tick(m))
		dirty |= DIRTY_OWN;
	if (health_tick(m)) {
		health_p2p_note(m);
		alert_tick(m);
		dirty |= DIRTY_HEALTH;
	}
	if (line_tick(m))
		dirty |= DIRTY_PATHS;
	if (now_wall / NS_S != m->priv->second) {
		m->priv->second = now_wall / NS_S;
		dirty |= DIRTY_CLOCK;
	}
	dirty |= m->priv->dirty;
	m->priv->dirty = 0;
	return dirty;
}

/* ---- own cost ---- */

void model_glass(struct model *m, uint64_t recv_mono, uint64_t done_mono, bool loop_late)
{
	if (loop_late || done_mono < recv_mono) {
		m->own.glass_skipped++;
		return;
	}
	hist_add(&m->own.glass, done_mono - recv_mono);
	m->own.glass_n++;
	m->priv->own_dirty = true;
}

void model_own(struct model *m, uint64_t cpu_ns, uint64_t rss, uint64_t frames, uint64_t events, uint64_t drops)
{
	struct model_priv *mp = m->priv;
	unsigned max = sizeof(mp->cpu) / sizeof(mp->cpu[0]);
	uint64_t span;

	m->own.rss = rss;
	m->own.cpu_ns = cpu_ns;
	m->own.frames = frames;
	m->own.events = events;
	m->own.drops = drops;
	if (mp->cpus && sub_sat(m->now_mono, mp->cpu[mp->cpus - 1].mono) < NS_S)
		return;
	if (mp->cpus == max) {
		memmove(mp->cpu, mp->cpu + 1, (max - 1) * sizeof(mp->cpu[0]));
		mp->cpus--;
	}
	mp->cpu[mp->cpus].mono = m->now_mono;
	mp->cpu[mp->cpus++].cpu = cpu_ns;
	span = sub_sat(m->now_mono, mp->cpu[0].mono);
	m->own.cpu = span ? (double)sub_sat(cpu_ns, mp->cpu[0].cpu) / (double)span : (double)NAN;
}
