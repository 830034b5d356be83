#include "model/seen.h"

#include <math.h>
#include <stdlib.h>

#include "model/chain.h"

enum {
	WAYS = 8, /* places where a transaction may be: no search is longer, whatever hashes a node makes up */
	FIRST = 1 << 13, /* places at first */
	OPEN = 256, /* blocks that are waited for */
	MINUTES = 10, /* of the window */
	SECONDS = 128, /* of rates: SPAN, and stamps that are ahead of the tick */
	SPAN = 60,
	LEAST_S = 5, /* below that, no rate */
	LEAD_UNIT = 100, /* histograms hold leads in units of so many ns: 0.1 ms to 10,000 s */
};

#define NONE UINT32_MAX
#define WAIT_NS (60 * NS_S) /* for a body */
#define WINDOW_NS (MINUTES * 60 * NS_S)
#define YOUNG_NS (120 * NS_S) /* most transactions are mined before */
#define KEEP_NS (3600 * NS_S) /* for so long the table grows rather than forget one that waits */

/* All stamps are in µs: they are what they are, whatever comes first. */
struct known {
	uint64_t first; /* earliest announcement; before there is one: when its block came */
	uint64_t fee; /* wei; UINT64_MAX: not told */
	uint8_t chain;
	bool announced, mined;
};

struct flow {
	uint64_t last; /* newest second */
	uint32_t n[SECONDS];
};

struct tally {
	struct {
		uint64_t minute, blocks, txs, seen;
	} slice[MINUTES];
	struct hist_window lead;
	struct flow flow;
	uint64_t all_txs, all_seen, all_announced;
	uint64_t floor_mono; /* transactions were forgotten or lost then; UNKNOWN */
};

struct seen {
	unsigned paths, buckets, most; /* most: buckets */
	uint64_t *key; /* buckets × WAYS, 0: free */
	struct known *known;
	uint32_t *after; /* of each path: µs behind `first`, NONE */
	struct tally *of_path[PATHS_MAX], *of_chain[CHAINS_MAX];
	uint32_t lost[PATHS_MAX];
	struct {
		unsigned chain;
		struct hash hash;
		uint64_t mono;
	} open[OPEN];
	unsigned n_open;
	uint64_t figured; /* second of the last figures */
	uint64_t scanned; /* when can_pay looked last */
	bool dirty;
};

void seen_blank(struct cover *c)
{
	*c = (struct cover){ .lead_p50 = UNKNOWN, .lead_p90 = UNKNOWN, .per_s = (double)NAN, .all_txs = UNKNOWN,
			     .all_seen = UNKNOWN, .all_announced = UNKNOWN };
}

/* ---- life ---- */

static void tally_free(struct tally *t)
{
	if (t)
		hist_window_fini(&t->lead);
	free(t);
}

void seen_free(struct seen *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < PATHS_MAX; i++)
		tally_free(s->of_path[i]);
	for (unsigned i = 0; i < CHAINS_MAX; i++)
		tally_free(s->of_chain[i]);
	free(s->key);
	free(s->known);
	free(s->after);
	free(s);
}

/* More buckets; twice as many have room for what the old ones hold. */
static bool resize(struct seen *s, unsigned buckets)
{
	size_t n = (size_t)buckets * WAYS;
	uint64_t *key = calloc(n, sizeof(*key));
	struct known *known = calloc(n, sizeof(*known));
	uint32_t *after = calloc(n, s->paths * sizeof(*after));

	if (!key || !known || !after) {
		free(key);
		free(known);
		free(after);
		return false;
	}
	for (size_t i = 0; i < (size_t)s->buckets * WAYS; i++) {
		size_t at = (size_t)(s->key[i] & (buckets - 1)) * WAYS;

		if (!s->key[i])
			continue;
		while (key[at])
			at++;
		key[at] = s->key[i];
		known[at] = s->known[i];
		memcpy(&after[at * s->paths], &s->after[i * s->paths], s->paths * sizeof(*after));
	}
	free(s->key);
	free(s->known);
	free(s->after);
	s->key = key;
	s->known = known;
	s->after = after;
	s->buckets = buckets;
	return true;
}

static struct seen *seen_new(unsigned paths)
{
	struct seen *s = calloc(1, sizeof(*s));
	size_t each = sizeof(*s->key) + sizeof(*s->known) + paths * sizeof(*s->after), n = SEEN_MOST;

	if (!s)
		return NULL;
	while (n * each > SEEN_BYTES)
		n /= 2;
	s->paths = paths;
	s->most = (unsigned)n / WAYS;
	if (resize(s, (n < FIRST ? (unsigned)n : FIRST) / WAYS))
		return s;
	seen_free(s);
	return NULL;
}

static struct tally *tally_of(struct tally **at)
{
	struct tally *t = *at;

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t && hist_window_init(&t->lead, MINUTES, 60 * NS_S) != 0) {
		free(t);
		t = NULL;
	}
	if (t)
		t->floor_mono = UNKNOWN;
	*at = t;
	return t;
}

/* ---- the table ---- */

static long find(const struct seen *s, uint64_t key)
{
	size_t at = (size_t)(key & (s->buckets - 1)) * WAYS;

	for (unsigned i = 0; i < WAYS && key; i++) {
		if (s->key[at + i] == key)
			return (long)(at + i);
	}
	return -1;
}

static void forgotten(struct seen *s, size_t at, uint64_t mono)
{
	struct known *k = &s->known[at];

	if (!k->announced || k->mined || sub_sat(mono / NS_US, k->first) >= YOUNG_NS / NS_US)
		return;
	if (k->chain < CHAINS_MAX && s->of_chain[k->chain])
		s->of_chain[k->chain]->floor_mono = mono;
	for (unsigned i = 0; i < s->paths; i++) {
		if (s->after[at * s->paths + i] != NONE && s->of_path[i])
			s->of_path[i]->floor_mono = mono;
	}
}

static void reset(struct seen *s, size_t at, uint64_t key, unsigned chain, uint64_t us)
{
	s->key[at] = key;
	s->known[at] = (struct known){ .first = us, .fee = UINT64_MAX, .chain = (uint8_t)chain };
	for (unsigned i = 0; i < s->paths; i++)
		s->after[at * s->paths + i] = NONE;
}

/* Of two that are in the way, the one that is missed less: what is mined, then what is older. */
static bool less_missed(const struct known *a, const struct known *b)
{
	return a->mined != b->mined ? a->mined : a->first < b->first;
}

/* Its place: where it is, a free one, or that of another. */
static size_t place(struct seen *s, uint64_t key, unsigned chain, uint64_t us)
{
	size_t at = (size_t)(key & (s->buckets - 1)) * WAYS, best = at;
	long is = find(s, key);
	const struct known *k;

	/* A dev chain that was started anew has the same transactions as the one before. */
	if (is >= 0 && s->known[is].chain != chain)
		reset(s, (size_t)is, key, chain, us);
	if (is >= 0)
		return (size_t)is;
	for (unsigned i = 0; i < WAYS; i++) {
		if (!s->key[at + i]) {
			best = at + i;
			break;
		}
		if (less_missed(&s->known[at + i], &s->known[best]))
			best = at + i;
	}
	k = &s->known[best];
	if (s->key[best] && k->announced && !k->mined && sub_sat(us, k->first) < KEEP_NS / NS_US && s->buckets < s->most &&
	    resize(s, 2 * s->buckets))
		return place(s, key, chain, us);
	if (s->key[best])
		forgotten(s, best, us * NS_US);
	reset(s, best, key, chain, us);
	return best;
}

/* ---- rates ---- */

static void flow_add(struct flow *f, uint64_t second, int32_t n)
{
	if (second > f->last) {
		for (uint64_t i = 0; i < SECONDS && f->last + i < second; i++)
			f->n[(f->last + 1 + i) % SECONDS] = 0;
		f->last = second;
	}
	if (f->last - second < SECONDS)
		f->n[second % SECONDS] += (uint32_t)n;
}

/* The seconds before `now`, of which there are `seconds` since somebody listens. */
static void flow_figures(const struct flow *f, uint64_t now, uint64_t seconds, struct cover *c)
{
	unsigned n = seconds < SPAN ? (unsigned)seconds : SPAN;
	uint64_t sum = 0;

	c->history_n = n;
	for (unsigned i = 0; i < n; i++) {
		uint64_t s = now - n + i;

		c->history[i] = s <= f->last && f->last - s < SECONDS ? f->n[s % SECONDS] : 0;
		sum += c->history[i];
	}
	c->per_s = n >= LEAST_S ? (double)sum / n : (double)NAN;
}

/* ---- announcements ---- */

static void announced(struct seen *s, size_t at, unsigned path, uint64_t us)
{
	uint32_t *after = &s->after[at * s->paths];
	struct known *k = &s->known[at];
	struct tally *all = s->of_chain[k->chain], *own = s->of_path[path];
	uint64_t by;

	if (!k->announced) {
		k->announced = true;
		k->first = us;
		after[path] = 0;
		all->all_announced++;
		own->all_announced++;
		flow_add(&all->flow, us / 1000000, 1);
		flow_add(&own->flow, us / 1000000, 1);
		return;
	}
	if (after[path] == NONE) {
		own->all_announced++;
		flow_add(&own->flow, us / 1000000, 1);
	}
	if (us >= k->first) {
		by = us - k->first;
		if (by < after[path])
			after[path] = (uint32_t)by;
		else if (after[path] == NONE)
			after[path] = NONE - 1;
		return;
	}
	/* The rings are drained in any order: an earlier stamp may come later. */
	by = k->first - us;
	flow_add(&all->flow, us / 1000000, 1);
	flow_add(&all->flow, k->first / 1000000, -1);
	for (unsigned i = 0; i < s->paths; i++) {
		if (after[i] != NONE)
			after[i] = by < NONE - 1 - after[i] ? after[i] + (uint32_t)by : NONE - 1;
	}
	k->first = us;
	after[path] = 0;
}

void seen_event(struct model *m, const struct event *e)
{
	struct model_priv *mp = m->priv;
	const struct path *p = m->paths[e->path];
	unsigned n = e->u.txs.n < TXS_MAX ? e->u.txs.n : TXS_MAX;
	struct tally *all, *own;
	struct seen *s;
	size_t at;

	if (p->chain < 0 || mp->copy)
		return;
	if (!mp->announced)
		mp->announced = seen_new(m->n_paths);
	s = mp->announced;
	all = s ? tally_of(&s->of_chain[p->chain]) : NULL;
	own = s ? tally_of(&s->of_path[e->path]) : NULL;
	if (!all || !own)
		return;
	if (e->u.txs.lost != s->lost[e->path]) {
		s->lost[e->path] = e->u.txs.lost;
		all->floor_mono = own->floor_mono = e->mono;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t us = e->mono / NS_US + e->u.txs.after_us[i], key = e->u.txs.key[i];

		if (!key)
			continue;
		at = place(s, key, (unsigned)p->chain, us);
		announced(s, at, e->path, us);
		if (e->u.txs.fee[i] != UINT64_MAX)
			s->known[at].fee = e->u.txs.fee[i];
	}
	s->dirty = true;
}

/* ---- blocks ---- */

void seen_watch(struct model *m, unsigned chain, struct node *n)
{
	struct seen *s = m->priv->announced;

	if (!s || n->watched)
		return;
	/* So many wait where no bodies come: the oldest one waits no more. */
	if (s->n_open == OPEN)
		memmove(s->open, s->open + 1, --s->n_open * sizeof(s->open[0]));
	n->watched = true;
	s->open[s->n_open].chain = chain;
	s->open[s->n_open].hash = n->b.h.hash;
	s->open[s->n_open++].mono = n->known_mono;
}

static uint64_t warm_ns(const struct chain *c)
{
	uint64_t ns = chain_t_ns(c, 3 * NS_S);

	ns = ns > 12 * NS_S ? 60 * NS_S : 5 * ns;
	return ns < 10 * NS_S ? 10 * NS_S : ns;
}

static void count(struct tally *t, uint64_t mono, uint64_t txs, uint64_t seen)
{
	uint64_t minute = mono / (60 * NS_S);
	unsigned i = (unsigned)(minute % MINUTES);

	if (t->slice[i].minute != minute) {
		t->slice[i].minute = minute;
		t->slice[i].blocks = t->slice[i].txs = t->slice[i].seen = 0;
	}
	t->slice[i].blocks++;
	t->slice[i].txs += txs;
	t->slice[i].seen += seen;
	t->all_txs += txs;
	t->all_seen += seen;
}

/* Its lead, if it was seen before t; 0: no. */
static uint64_t lead_us(uint64_t first, uint32_t after, uint64_t t)
{
	uint64_t at = first + after;

	return after != NONE && at < t ? t - at : 0;
}

/* A deposit (OP stack) is in no pool; what has no hash cannot be found. */
static bool counts(const struct tx *t)
{
	return t->type != TX_DEPOSIT && hash_key(&t->hash);
}

static void measure_path(struct seen *s, unsigned path, const struct blk *b)
{
	const struct tx *tx = block_txs(b->body);
	struct tally *t = tally_of(&s->of_path[path]);
	uint64_t us = b->first_mono / NS_US, n = 0, seen = 0, lead;

	for (uint32_t i = 0; i < b->body->txs.len && t; i++) {
		long at = find(s, hash_key(&tx[i].hash));

		n += counts(&tx[i]);
		lead = at < 0 ? 0 : lead_us(s->known[at].first, s->after[(size_t)at * s->paths + path], us);
		if (!lead)
			continue;
		seen++;
		hist_window_add(&t->lead, b->first_mono, lead * NS_US / LEAD_UNIT);
	}
	if (t)
		count(t, b->first_mono, n, seen);
}

static void measure_all(struct seen *s, unsigned chain, struct blk *b)
{
	const struct tx *tx = block_txs(b->body);
	struct tally *t = tally_of(&s->of_chain[chain]);
	uint64_t us = b->first_mono / NS_US, lead;
	struct hist h;

	if (!t)
		return;
	hist_clear(&h);
	b->seen_of = 0;
	for (uint32_t i = 0; i < b->body->txs.len; i++) {
		long at = find(s, hash_key(&tx[i].hash));

		b->seen_of += counts(&tx[i]);
		lead = at < 0 || !s->known[at].announced ? 0 : lead_us(s->known[at].first, 0, us);
		if (!lead)
			continue;
		hist_add(&h, lead * NS_US / LEAD_UNIT);
		hist_window_add(&t->lead, b->first_mono, lead * NS_US / LEAD_UNIT);
	}
	b->seen_known = true;
	b->seen = (uint32_t)h.n;
	b->seen_p50 = h.n ? hist_percentile(&h, 50) * LEAD_UNIT : UNKNOWN;
	count(t, b->first_mono, b->seen_of, h.n);
}

static bool ready(const struct path *p, unsigned chain, uint64_t warm, uint64_t at)
{
	return p->pending.on && p->chain == (int)chain && add_sat(p->pending.since, warm) <= at;
}

/* They wait no more; a path that lags may announce them yet. */
static void mined(struct seen *s, unsigned chain, const struct blk *b)
{
	const struct tx *tx = block_txs(b->body);

	for (uint32_t i = 0; i < b->body->txs.len; i++) {
		if (counts(&tx[i]))
			s->known[place(s, hash_key(&tx[i].hash), chain, b->first_mono / NS_US)].mined = true;
	}
}

static void measure(struct model *m, unsigned chain, struct blk *b)
{
	struct seen *s = m->priv->announced;
	uint64_t warm = warm_ns(m->chains[chain]);
	bool any = false;

	for (unsigned i = 0; i < m->n_paths; i++) {
		if (!ready(m->paths[i], chain, warm, b->first_mono))
			continue;
		any = true;
		measure_path(s, i, b);
	}
	if (any)
		measure_all(s, chain, b);
	mined(s, chain, b);
	s->dirty = true;
	m->priv->dirty |= DIRTY_BLOCKS;
}

/* True: it is waited for no more. */
static bool look(struct model *m, unsigned chain, const struct hash *hash, uint64_t mono)
{
	struct node *n = chain_node(m->chains[chain], hash);

	if (!n || add_sat(mono, WAIT_NS) < m->now_mono)
		return true;
	if (!n->b.heard || n->b.first_mono == UNKNOWN)
		return false;
	if (add_sat(n->b.first_mono, REVISE_NS) > m->now_mono || n->b.state != BLK_CANON)
		return false;
	if (!n->b.body)
		return n->b.body_seen; /* too large to be kept */
	measure(m, chain, &n->b);
	return true;
}

/* ---- figures ---- */

static void figures(const struct tally *t, uint64_t now, uint64_t since, struct cover *c)
{
	uint64_t minute = now / (60 * NS_S);
	struct hist h;

	seen_blank(c);
	if (!t)
		return;
	c->all_txs = t->all_txs;
	c->all_seen = t->all_seen;
	c->all_announced = t->all_announced;
	for (unsigned i = 0; i < MINUTES; i++) {
		if (add_sat(t->slice[i].minute, MINUTES) <= minute)
			continue;
		c->txs += t->slice[i].txs;
		c->seen += t->slice[i].seen;
	}
	hist_window_get(&t->lead, now, &h);
	if (h.n) {
		c->lead_p50 = hist_percentile(&h, 50) * LEAD_UNIT;
		c->lead_p90 = hist_percentile(&h, 90) * LEAD_UNIT;
	}
	c->floor = t->floor_mono != UNKNOWN && sub_sat(now, t->floor_mono) < WINDOW_NS;
	/* What came in the last second may be on its way here (PENDING_HOLD_NS, the rings). */
	if (since != UNKNOWN && now / NS_S > since / NS_S + 2)
		flow_figures(&t->flow, now / NS_S - 1, now / NS_S - since / NS_S - 2, c);
}

static bool measured(const struct tally *t, uint64_t now)
{
	for (unsigned i = 0; i < MINUTES; i++) {
		if (t->slice[i].blocks && add_sat(t->slice[i].minute, MINUTES) > now / (60 * NS_S))
			return true;
	}
	return false;
}

static void can_pay(struct model *m, const struct chain *c)
{
	struct seen *s = m->priv->announced;
	uint64_t base = u256_sat64(&c->next.base), now = m->now_mono / NS_US;

	/* Nothing new: what waits only grows older. */
	if (!s->dirty && sub_sat(m->now_mono, s->scanned) < 10 * NS_S)
		return;
	s->scanned = m->now_mono;
	m->pool.pay = m->pool.pay_of = 0;
	/* Where no block is looked at, what is mined would count as waiting. */
	if (!c->next.base_known || !s->of_chain[m->shown] || !measured(s->of_chain[m->shown], m->now_mono))
		return;
	for (size_t i = 0; i < (size_t)s->buckets * WAYS; i++) {
		const struct known *k = &s->known[i];

		if (!s->key[i] || !k->announced || k->mined || k->fee == UINT64_MAX || k->chain != m->shown ||
		    sub_sat(now, k->first) >= WINDOW_NS / NS_US)
			continue;
		m->pool.pay_of++;
		m->pool.pay += k->fee >= base;
	}
}

static void path_figures(struct model *m, unsigned i)
{
	struct seen *s = m->priv->announced;
	struct path *p = m->paths[i];

	/* Nothing announced is 0, not unknown, where somebody listens. */
	if (p->pending.on)
		(void)tally_of(&s->of_path[i]);
	figures(s->of_path[i], m->now_mono, p->pending.since, &p->pending.cover);
	p->pending.ready = UNKNOWN;
	if (p->pending.on && p->chain >= 0)
		p->pending.ready = add_sat(p->pending.since, warm_ns(m->chains[p->chain]));
}

static void all_figures(struct model *m)
{
	struct seen *s = m->priv->announced;
	struct pool_view *v = &m->pool;
	uint64_t since = UNKNOWN;

	v->announcing = 0;
	v->ready = UNKNOWN;
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (!p->pending.on || p->chain < 0 || (unsigned)p->chain != m->shown)
			continue;
		v->announcing++;
		since = p->pending.since < since ? p->pending.since : since;
		v->ready = p->pending.ready < v->ready ? p->pending.ready : v->ready;
	}
	figures(s->of_chain[m->shown], m->now_mono, since, &v->cover);
	can_pay(m, m->chains[m->shown]);
}

void seen_tick(struct model *m)
{
	struct seen *s = m->priv->announced;
	unsigned kept = 0;

	/* Somebody listens and nothing was announced yet: a chain without transactions is measured all the same. */
	for (unsigned i = 0; i < m->n_paths && !s && !m->priv->copy; i++) {
		if (m->paths[i]->pending.on && m->paths[i]->chain >= 0)
			s = m->priv->announced = seen_new(m->n_paths);
	}
	if (!s || !m->n_chains)
		return;
	for (unsigned i = 0; i < s->n_open; i++) {
		if (s->open[i].chain < m->n_chains && !look(m, s->open[i].chain, &s->open[i].hash, s->open[i].mono))
			s->open[kept++] = s->open[i];
	}
	s->n_open = kept;
	if (m->now_mono / NS_S == s->figured)
		return;
	s->figured = m->now_mono / NS_S;
	for (unsigned i = 0; i < m->n_paths; i++)
		path_figures(m, i);
	all_figures(m);
	if (s->dirty || m->pool.announcing)
		m->priv->dirty |= DIRTY_POOL | DIRTY_PATHS;
	s->dirty = false;
}

void seen_forget(struct model *m, unsigned chain)
{
	struct seen *s = m->priv->announced;

	if (!s)
		return;
	tally_free(s->of_chain[chain]);
	s->of_chain[chain] = NULL;
	for (size_t i = 0; i < (size_t)s->buckets * WAYS; i++) {
		if (s->known[i].chain == chain)
			s->key[i] = 0;
	}
}

void seen_moved(struct model *m, unsigned from, unsigned to)
{
	struct seen *s = m->priv->announced;

	seen_forget(m, to);
	if (!s || from == to)
		return;
	s->of_chain[to] = s->of_chain[from];
	s->of_chain[from] = NULL;
	for (size_t i = 0; i < (size_t)s->buckets * WAYS; i++) {
		if (s->known[i].chain == from)
			s->known[i].chain = (uint8_t)to;
	}
}
