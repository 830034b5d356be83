#include "model/racelog.h"

#include <stdlib.h>

#include "model/stats.h"

enum { MANY = 65536 }; /* arrivals */
#define MANY_NS (250 * NS_MS)

/* A delta in µs: whole ones, so that 99.9 µs are below the tie line and 100 µs are not. */
enum { RUN_ABSENT = UINT32_MAX, RUN_MISSED = UINT32_MAX - 1, RUN_MOST = UINT32_MAX - 2 };

/* ---- the log ---- */

static uint32_t micros(uint64_t ns)
{
	uint64_t us = ns / NS_US;

	return us < RUN_MOST ? (uint32_t)us : RUN_MOST;
}

static uint64_t at_of(const struct racelog *l, uint64_t seq)
{
	return seq % l->cap;
}

/* So many lines, the newest, count. */
static uint64_t kept_of(const struct racelog *l)
{
	uint64_t n = l->seq - l->floor;

	return n < RACES_LOGGED ? n : RACES_LOGGED;
}

/* Its deltas, one a path; NULL: it has left the log, or never was in it. */
static uint32_t *deltas(const struct racelog *l, const struct node *n)
{
	if (n->race_seq == UNKNOWN || n->race_seq < l->floor || n->race_seq >= l->seq || l->seq - n->race_seq > RACES_LOGGED)
		return NULL;
	return l->us + at_of(l, n->race_seq) * l->paths;
}

static bool grow(struct racelog *l, unsigned paths)
{
	unsigned cap = l->cap ? l->cap * 2 : 64;
	struct race_rec *rec;
	uint32_t *us;

	if (l->seq < l->cap || l->cap == RACES_LOGGED)
		return true;
	rec = realloc(l->rec, cap * sizeof(*rec));
	if (!rec)
		return false;
	l->rec = rec;
	us = realloc(l->us, (size_t)cap * paths * sizeof(*us));
	if (!us)
		return false;
	l->us = us;
	l->cap = cap;
	l->paths = paths;
	return true;
}

void racelog_put(const struct model *m, struct chain *c, struct node *n, uint64_t first, const uint64_t *mono)
{
	struct racelog *l = &c->store->races;
	uint64_t own = ms_ns(n->b.h.time_ms);
	struct race_rec *r;
	uint32_t *us = deltas(l, n);

	if (!us) {
		if (!grow(l, m->n_paths))
			return;
		n->race_seq = l->seq++;
		us = deltas(l, n);
	}
	r = &l->rec[at_of(l, n->race_seq)];
	*r = (struct race_rec){ .first_mono = first, .late_ns = LATE_UNKNOWN };
	if (n->b.h.time_ms && own != UINT64_MAX && n->b.first_wall < INT64_MAX && own < INT64_MAX)
		r->late_ns = (int64_t)n->b.first_wall - (int64_t)own;
	for (unsigned i = 0; i < l->paths; i++)
		us[i] = mono[i] == UNKNOWN ? (uint32_t)RUN_ABSENT : micros(sub_sat(mono[i], first));
	l->version++;
}

void racelog_late(struct chain *c, const struct node *n, unsigned path, uint64_t mono)
{
	struct racelog *l = &c->store->races;
	uint32_t *us = deltas(l, n);

	if (!us || path >= l->paths)
		return;
	us[path] = micros(sub_sat(mono, l->rec[at_of(l, n->race_seq)].first_mono));
	l->version++;
}

void racelog_missed(struct chain *c, const struct node *n, unsigned path)
{
	struct racelog *l = &c->store->races;
	uint32_t *us = deltas(l, n);

	if (!us || path >= l->paths)
		return;
	us[path] = RUN_MISSED;
	l->version++;
}

void racelog_restart(struct racelog *l)
{
	l->floor = l->seq;
	l->version++;
}

bool racelog_clone(struct racelog *to, const struct racelog *from)
{
	*to = *from;
	to->rec = NULL;
	to->us = NULL;
	memset(to->view, 0, sizeof(to->view));
	if (!from->cap)
		return true;
	to->rec = malloc(from->cap * sizeof(*to->rec));
	to->us = malloc((size_t)from->cap * from->paths * sizeof(*to->us));
	if (!to->rec || !to->us) {
		racelog_free(to);
		return false;
	}
	memcpy(to->rec, from->rec, from->cap * sizeof(*to->rec));
	memcpy(to->us, from->us, (size_t)from->cap * from->paths * sizeof(*to->us));
	return true;
}

void racelog_free(struct racelog *l)
{
	free(l->rec);
	free(l->us);
	for (unsigned i = 0; i < RACE_WINDOWS; i++) {
		free(l->view[i][0].v);
		free(l->view[i][1].v);
	}
	*l = (struct racelog){ .seq = 0 };
}

/* ---- figures ---- */

struct head_race {
	const uint32_t *us;
	const struct race_rec *rec;
};

struct work {
	const struct model *m;
	const struct racelog *l;
	struct race_view *out;
	int64_t half[PATHS_MAX]; /* what is taken off */
	bool out_of_race[PATHS_MAX]; /* no round trip is known: it cannot be compared here */
	uint16_t node[PATHS_MAX];
	bool kin[PATHS_MAX]; /* another path has the same node */
	struct head_race *head;
	unsigned n, room; /* heads; lines of the log at most */
	uint32_t *sample; /* of each path `room` */
	unsigned samples[PATHS_MAX];
};

/* The k-th smallest of v[lo … n − 1], which is reordered so that nothing behind it is smaller (Hoare's FIND). */
static uint32_t kth(uint32_t *v, int lo, int n, int k)
{
	int hi = n - 1;

	while (lo < hi) {
		uint32_t pivot = v[lo + (hi - lo) / 2], t;
		int i = lo, j = hi;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (pivot < v[j])
				j--;
			if (i > j)
				break;
			t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}
	return v[k];
}

/* Nearest rank: index of the smallest value that `percent` of all are not over. */
static int rank(unsigned n, unsigned percent)
{
	return (int)(((uint64_t)n * percent + 99) / 100) - 1;
}

static void judge(struct work *w, struct head_race *h)
{
	uint8_t who[PATHS_MAX];
	int64_t at[PATHS_MAX], first = INT64_MAX;
	unsigned n = 0, near = 0;
	bool race = false;

	for (unsigned i = 0; i < w->l->paths; i++) {
		w->out->path[i].missed += h->us[i] == RUN_MISSED;
		if (h->us[i] > RUN_MOST || w->out_of_race[i])
			continue;
		at[n] = (int64_t)h->us[i] * (int64_t)NS_US - w->half[i];
		if (at[n] < first)
			first = at[n];
		race |= n && w->node[i] != w->node[who[n - 1]];
		who[n++] = (uint8_t)i;
	}
	if (n < 2)
		return;
	for (unsigned k = 0; k < n; k++) {
		w->sample[who[k] * w->room + w->samples[who[k]]++] = micros((uint64_t)(at[k] - first));
		near += at[k] - first < (int64_t)TIE_NS;
	}
	if (!race)
		return;
	w->out->raced++;
	w->out->tied += near > 1;
	for (unsigned k = 0; k < n; k++) {
		struct race_path *f = &w->out->path[who[k]];

		f->raced++;
		if (at[k] - first < (int64_t)TIE_NS)
			*(near > 1 ? &f->ties : &f->won) += 1;
	}
}

/* In ascending order, so that each looks only at what the one before it left. */
static struct race_times times(uint32_t *v, unsigned count)
{
	struct race_times t = { .n = count, .p10 = UNKNOWN, .p50 = UNKNOWN, .p90 = UNKNOWN, .p99 = UNKNOWN, .max = UNKNOWN };
	const unsigned percent[] = { 10, 50, 90, 99, 100 };
	uint64_t *const to[] = { &t.p10, &t.p50, &t.p90, &t.p99, &t.max };
	int n = (int)count, from = 0, k;

	for (unsigned i = 0; i < sizeof(percent) / sizeof(percent[0]) && n; i++) {
		k = rank(count, percent[i]);
		*to[i] = kth(v, from, n, k) * NS_US;
		from = k;
	}
	return t;
}

/* Behind the fastest path of its own node: raw, for it is one machine's two doors. */
static void path_overhead(struct work *w, unsigned path)
{
	unsigned n = 0;

	for (unsigned k = 0; k < w->n && w->kin[path]; k++) {
		const uint32_t *us = w->head[k].us;
		uint32_t first = us[path];
		unsigned kin = 0;

		for (unsigned i = 0; i < w->l->paths && us[path] <= RUN_MOST; i++) {
			if (w->node[i] != w->node[path] || us[i] > RUN_MOST)
				continue;
			kin++;
			if (us[i] < first)
				first = us[i];
		}
		if (kin > 1)
			w->sample[path * w->room + n++] = us[path] - first;
	}
	w->out->path[path].overhead = times(w->sample + path * w->room, n);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void lateness(struct work *w, const struct chain *c)
{
	struct race_late *late = &w->out->late;
	int64_t *v;
	unsigned n = 0;

	if (w->m->clock_bound >= CLOCK_BOUND_MAX || c->info->kind == CHAIN_DEV)
		return;
	v = malloc((w->n ? w->n : 1) * sizeof(*v));
	if (!v)
		return;
	for (unsigned k = 0; k < w->n; k++) {
		if (w->head[k].rec->late_ns == LATE_UNKNOWN)
			continue;
		v[n++] = w->head[k].rec->late_ns;
		late->early += w->head[k].rec->late_ns < -(int64_t)w->m->clock_bound;
	}
	if (n) {
		qsort(v, n, sizeof(*v), by_value);
		late->n = n;
		late->min = v[0];
		late->p10 = v[rank(n, 10)];
		late->p50 = v[rank(n, 50)];
		late->p90 = v[rank(n, 90)];
		late->p99 = v[rank(n, 99)];
		late->max = v[n - 1];
	}
	free(v);
}

static void no_figures(struct race_view *v)
{
	static const struct race_times none = { .p10 = UNKNOWN, .p50 = UNKNOWN, .p90 = UNKNOWN, .p99 = UNKNOWN, .max = UNKNOWN };

	*v = (struct race_view){ .span_ns = UNKNOWN };
	for (unsigned i = 0; i < PATHS_MAX; i++)
		v->path[i].behind = v->path[i].overhead = none;
}

static void view_make(const struct model *m, const struct chain *c, uint64_t window_ns, bool minus_rtt, struct race_view *out)
{
	struct racelog *l = &c->store->races;
	uint64_t kept = kept_of(l), oldest = UNKNOWN, nodes = 0;
	struct work w = { .m = m, .l = l, .out = out };

	no_figures(out);
	w.head = malloc((kept ? kept : 1) * sizeof(*w.head));
	w.sample = malloc((kept ? kept * l->paths : 1) * sizeof(*w.sample));
	w.room = (unsigned)kept;
	if (!w.head || !w.sample)
		goto out;
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		w.node[i] = p->node_index;
		w.out_of_race[i] = minus_rtt && p->rtt_ns == UNKNOWN;
		for (unsigned k = 0; k < m->n_paths; k++)
			w.kin[i] |= k != i && m->paths[k]->node_index == p->node_index;
		w.half[i] = minus_rtt && p->rtt_ns != UNKNOWN ? (int64_t)(p->rtt_ns / 2) : 0;
	}
	for (uint64_t s = l->seq - kept; s < l->seq; s++) {
		const struct race_rec *r = &l->rec[at_of(l, s)];

		if (sub_sat(m->now_mono, r->first_mono) > window_ns)
			continue;
		w.head[w.n] = (struct head_race){ .us = l->us + at_of(l, s) * l->paths, .rec = r };
		judge(&w, &w.head[w.n++]);
		if (r->first_mono < oldest)
			oldest = r->first_mono;
	}
	out->heads = w.n;
	out->span_ns = w.n ? sub_sat(m->now_mono, oldest) : UNKNOWN;
	for (unsigned i = 0; i < l->paths && w.n; i++) {
		out->path[i].behind = times(w.sample + i * w.room, w.samples[i]);
		path_overhead(&w, i);
		if (m->paths[i]->push && m->paths[i]->chain >= 0 && m->chains[m->paths[i]->chain] == c)
			nodes |= bit(m->paths[i]->node_index);
	}
	out->nodes = (unsigned)__builtin_popcountll(nodes);
	lateness(&w, c);
out:
	free(w.head);
	free(w.sample);
}

/* The races of the window, one by one: NULL at its end. *at: 0 at first. */
static const uint32_t *next_race(const struct model *m, const struct racelog *l, uint64_t window, uint64_t *at)
{
	uint64_t kept = kept_of(l);

	while (*at < kept) {
		uint64_t s = l->seq - kept + (*at)++;

		if (sub_sat(m->now_mono, l->rec[at_of(l, s)].first_mono) <= window)
			return l->us + at_of(l, s) * l->paths;
	}
	return NULL;
}

struct duel model_duel(const struct model *m, unsigned a, unsigned b, enum race_window window)
{
	const struct chain *c = model_chain(m);
	struct duel d = { .p = 1 };
	const uint32_t *us;
	uint64_t at = 0;

	while (c && (us = next_race(m, &c->store->races, window_ns(window), &at)) != NULL) {
		if (us[a] > RUN_MOST || us[b] > RUN_MOST)
			continue;
		d.n++;
		if ((us[a] > us[b] ? us[a] - us[b] : us[b] - us[a]) * NS_US < TIE_NS)
			d.ties++;
		else if (us[a] < us[b])
			d.a_first++;
		else
			d.b_first++;
	}
	d.p = stats_sign_test(d.a_first, d.b_first);
	return d;
}

unsigned model_curve(const struct model *m, unsigned path, enum race_window window, const uint64_t *at_ns, uint32_t *out,
		     unsigned n)
{
	const struct chain *c = model_chain(m);
	const uint32_t *us;
	unsigned heads = 0;
	uint64_t at = 0;

	memset(out, 0, n * sizeof(*out));
	while (c && (us = next_race(m, &c->store->races, window_ns(window), &at)) != NULL) {
		unsigned runners = 0;

		for (unsigned i = 0; i < c->store->races.paths; i++)
			runners += us[i] <= RUN_MOST;
		if (us[path] > RUN_MOST || runners < 2)
			continue;
		heads++;
		for (unsigned k = 0; k < n; k++)
			out[k] += us[path] * NS_US <= at_ns[k];
	}
	return heads;
}

const struct race_view *racelog_view(const struct model *m, struct chain *c, enum race_window window, bool minus_rtt)
{
	struct racelog *l = &c->store->races;
	struct race_view_kept *v = &l->view[window][minus_rtt];
	bool same;

	/* Once a second even if no head came: the window goes on. A long log of many paths is looked through less often. */
	same = v->version == l->version || (l->seq * l->paths > MANY && m->now_mono - v->mono < MANY_NS);
	if (v->made && same && v->mono / NS_S == m->now_mono / NS_S && v->bound == m->clock_bound) {
		if (v->v->span_ns != UNKNOWN)
			v->v->span_ns = add_sat(v->span_ns, sub_sat(m->now_mono, v->mono));
		return v->v;
	}
	if (!v->v)
		v->v = malloc(sizeof(*v->v));
	if (!v->v)
		return NULL;
	view_make(m, c, window_ns(window), minus_rtt, v->v);
	*v = (struct race_view_kept){
		.v = v->v,
		.made = true,
		.version = l->version,
		.mono = m->now_mono,
		.bound = m->clock_bound,
		.span_ns = v->v->span_ns,
	};
	return v->v;
}

const struct race_view *model_race(const struct model *m, enum race_window window, bool minus_rtt)
{
	struct chain *c = model_chain(m);

	return c && window < RACE_WINDOWS ? racelog_view(m, c, window, minus_rtt) : NULL;
}
