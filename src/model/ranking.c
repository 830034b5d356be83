#include "model/ranking.h"

#include <math.h>
#include <string.h>

#include "base/time.h"
#include "model/chain.h"
#include "model/stats.h"

enum {
	FAR_BEHIND = 64, /* blocks: whoever is farther behind does not choose the height that is compared */
	WRONG_LOOKED_AT = 512, /* rows */
	SIGNIFICANT_PERCENT = 5,
};

bool path_answers(const struct path *p)
{
	return p->state == LINK_LIVE || p->state == LINK_POLLING || p->state == LINK_SILENT;
}

bool path_compared(const struct path *p)
{
	return path_answers(p) && !p->other_chain;
}

bool ranking_same(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < NS_MS / 10;
}

const char *rank_word(enum rank_by by)
{
	static const char *const word[RANK_BY_N] = {
		[RANK_HEARD] = "heads", [RANK_SEARCHER] = "searcher", [RANK_APP] = "app", [RANK_OPERATOR] = "operator",
	};

	return word[by];
}

const char *rank_key_word(enum rank_key key)
{
	static const char *const word[] = {
		[KEY_HEARD] = "head heard p50",
		[KEY_USABLE] = "body usable p90",
		[KEY_CALLS] = "call p99, then failures",
		[KEY_HEALTH] = "worst health check",
	};

	return word[key];
}

/* ---- heads ---- */

static uint64_t window_start(const struct model *m, enum race_window w)
{
	return sub_sat(m->now_mono, window_ns(w));
}

static uint64_t heads_in(const struct path *p, uint64_t since)
{
	const struct heard *h;
	unsigned n = 0;

	if (since == 0)
		return p->heads;
	while ((h = path_heard_at(p, n)) != NULL && h->mono >= since)
		n++;
	return n;
}

uint64_t ranking_heads_in(const struct model *m, enum race_window w)
{
	uint64_t heads = 0, since = w == RACE_ALL ? 0 : window_start(m, w);

	for (unsigned i = 0; i < m->n_paths; i++) {
		uint64_t n = m->paths[i]->other_chain ? 0 : heads_in(m->paths[i], since);

		heads = n > heads ? n : heads;
	}
	return heads;
}

uint64_t ranking_heads(const struct model *m)
{
	return ranking_heads_in(m, RACE_ALL);
}

uint64_t ranking_behind(const struct ranking *r, unsigned path, uint64_t *n)
{
	const struct path *p = r->m->paths[path];

	*n = 0;
	if (!p->push)
		return UNKNOWN;
	if (r->race)
		*n = r->race->path[path].behind.n;
	/* Since the start is more than the log of races remembers; heads that only paths of one node heard are no races. */
	if (r->window == RACE_ALL && p->behind_p50 != UNKNOWN) {
		*n = p->raced > *n ? p->raced : *n;
		return p->behind_p50;
	}
	return *n ? r->race->path[path].behind.p50 : UNKNOWN;
}

/* ---- truth ---- */

/* What the path called its block of that height; false: it told of none, or the ring has forgotten. */
static bool hash_at(const struct path *p, uint64_t height, struct hash *out)
{
	const struct heard *h;

	for (unsigned i = 0; (h = path_heard_at(p, i)) != NULL; i++) {
		if (h->number == height) {
			*out = h->hash;
			return true;
		}
	}
	return false;
}

static uint64_t common_height(const struct model *m)
{
	uint64_t low = UNKNOWN;

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (path_compared(p) && p->has_head && p->head_number < low &&
		    (p->behind_blocks == UNKNOWN || p->behind_blocks <= FAR_BEHIND))
			low = p->head_number;
	}
	return low == UNKNOWN || low < GATE_DEPTH ? UNKNOWN : low - GATE_DEPTH;
}

/* Nodes, not paths, that have the same block as this path; a block that is proven wrong has no voice. */
static unsigned voices(const struct ranking *r, unsigned path)
{
	const struct chain *c = model_chain(r->m);
	const struct blk *b = c ? chain_by_hash(c, &r->hash[path]) : NULL;
	uint64_t nodes = 0;

	if (b && b->truth == TRUTH_NO)
		return 0;
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		if (r->same[i] != SAME_UNKNOWN && hash_eq(&r->hash[i], &r->hash[path]))
			nodes |= bit(r->m->paths[i]->node_index);
	}
	return (unsigned)__builtin_popcountll(nodes);
}

/* Most nodes decide; as many on one side as on the other decide nothing. */
static void compare_hashes(struct ranking *r)
{
	const struct model *m = r->m;
	unsigned most = 0, best = 0;
	bool split = false;

	r->height = common_height(m);
	for (unsigned i = 0; i < m->n_paths; i++)
		r->same[i] = r->height != UNKNOWN && path_compared(m->paths[i]) &&
			     hash_at(m->paths[i], r->height, &r->hash[i]) ? SAME_YES : SAME_UNKNOWN;
	for (unsigned i = 0; i < m->n_paths; i++) {
		unsigned n = r->same[i] == SAME_UNKNOWN ? 0 : voices(r, i);

		if (n > most) {
			most = n;
			best = i;
			split = false;
		} else if (n == most && n && !hash_eq(&r->hash[i], &r->hash[best])) {
			split = true;
		}
	}
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (r->same[i] != SAME_UNKNOWN && !(most && hash_eq(&r->hash[i], &r->hash[best])))
			r->same[i] = split && voices(r, i) == most ? SAME_SPLIT : SAME_NO;
		else if (r->same[i] != SAME_UNKNOWN && split)
			r->same[i] = SAME_SPLIT;
	}
}

/* Paths that gave a block which others prove right, or that is proven wrong. */
static uint64_t told_wrong(const struct model *m, uint64_t since)
{
	const struct chain *c = model_chain(m);
	const struct blk *row[64];
	uint64_t paths = 0;
	unsigned n;

	for (unsigned skip = 0; c && c->verified_once && skip < WRONG_LOOKED_AT; skip += n) {
		n = chain_rows(c, skip, row, 64);
		for (unsigned i = 0; i < n; i++) {
			const struct node *node = node_of(row[i]);

			if (node->known_mono >= since && (row[i]->truth == TRUTH_NO || node->yes_n))
				paths |= node->no_by;
		}
		if (n < 64)
			break;
	}
	return paths;
}

/* ---- the gate ---- */

static enum gate gate_of(const struct ranking *r, unsigned path, uint64_t wrong)
{
	const struct path *p = r->m->paths[path];
	const struct call_stats *c = &p->span[r->window];

	if (!path_answers(p))
		return GATE_DOWN;
	if (p->other_chain)
		return GATE_CHAIN;
	if (wrong & bit(path))
		return GATE_WRONG;
	if (r->same[path] == SAME_NO)
		return GATE_HASH;
	if (c->n >= GATE_CALLS && c->failed * 100 > c->n * GATE_FAILS_PERCENT)
		return GATE_FAILS;
	return GATE_OPEN;
}

static const struct health_subject *health_of(const struct ranking *r, unsigned path)
{
	return health_node(r->m, path);
}

/* Is there enough to judge it by? Counts into r->have. */
static enum gate enough(struct ranking *r, unsigned path)
{
	const struct path *p = r->m->paths[path];
	uint64_t n = 0, need = RANK_HEADS;

	switch (r->by) {
	case RANK_HEARD:
	case RANK_SEARCHER:
		if (!p->push)
			return GATE_POLLED;
		(void)ranking_behind(r, path, &n);
		break;
	case RANK_APP:
		n = p->span[r->window].timed;
		need = RANK_CALLS;
		break;
	default:
		n = health_of(r, path) ? heads_in(p, r->window == RACE_ALL ? 0 : window_start(r->m, r->window)) : 0;
		break;
	}
	if (n > r->have)
		r->have = n;
	if (n < need && n > r->few)
		r->few = n;
	return n < need ? GATE_FEW : GATE_OPEN;
}

/* ---- the order ---- */

static double fail_share(const struct call_stats *c)
{
	return c->n ? (double)c->failed / (double)c->n : 0;
}

static uint64_t value(const struct ranking *r, unsigned path)
{
	const struct call_stats *c = &r->m->paths[path]->span[r->window];
	uint64_t n;

	switch (r->key) {
	case KEY_HEARD:
		return ranking_behind(r, path, &n);
	case KEY_USABLE:
		return c->usable_p90;
	case KEY_CALLS:
		return c->p99;
	default:
		return (uint64_t)health_of(r, path)->level;
	}
}

static bool overlap(uint64_t low_a, uint64_t high_a, uint64_t low_b, uint64_t high_b)
{
	return low_a <= high_b && low_b <= high_a;
}

/* Of two shares of failures neither is above what the other may be. */
static bool same_fails(const struct call_stats *a, const struct call_stats *b)
{
	struct share x = stats_wilson(a->failed, a->n), y = stats_wilson(b->failed, b->n);

	return !(x.low > y.high || y.low > x.high);
}

bool ranking_ahead(const struct duel *d)
{
	return d->a_first > d->b_first && d->p * 100 < SIGNIFICANT_PERCENT;
}

/* No measurable difference: a is the better one by its figure. */
static bool same(const struct ranking *r, unsigned a, unsigned b)
{
	const struct call_stats *x = &r->m->paths[a]->span[r->window], *y = &r->m->paths[b]->span[r->window];
	uint64_t va = value(r, a), vb = value(r, b);
	struct duel d;

	switch (r->key) {
	case KEY_HEARD:
		if (ranking_same(va, vb))
			return true;
		d = model_duel(r->m, a, b, r->window);
		return d.n && !ranking_ahead(&d);
	case KEY_USABLE:
		if (!ranking_same(va, vb) && !overlap(x->usable_low, x->usable_high, y->usable_low, y->usable_high))
			return false;
		/* Few bodies were fetched, but every head was heard: it is the first half of being usable. */
		d = model_duel(r->m, a, b, r->window);
		return !ranking_ahead(&d);
	case KEY_CALLS:
		return (ranking_same(va, vb) || overlap(x->p99_low, x->p99_high, y->p99_low, y->p99_high)) && same_fails(x, y);
	default:
		return va == vb;
	}
}

static bool before(const struct ranking *r, unsigned a, unsigned b)
{
	const struct call_stats *x = &r->m->paths[a]->span[r->window], *y = &r->m->paths[b]->span[r->window];

	/* Failures decide where latencies do not. */
	if (r->key == KEY_CALLS && overlap(x->p99_low, x->p99_high, y->p99_low, y->p99_high) && !same_fails(x, y))
		return fail_share(x) < fail_share(y);
	return value(r, a) < value(r, b);
}

static enum rank_key key_of(const struct ranking *r)
{
	if (r->by == RANK_APP)
		return KEY_CALLS;
	if (r->by == RANK_OPERATOR)
		return KEY_HEALTH;
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		if (r->gate[i] == GATE_OPEN && r->m->paths[i]->span[r->window].usable_n < USABLE_LEAST)
			return KEY_HEARD;
	}
	return r->by == RANK_SEARCHER ? KEY_USABLE : KEY_HEARD;
}

static void order(struct ranking *r)
{
	unsigned n = 0, first = 0;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		unsigned k = n;

		if (r->gate[i] != GATE_OPEN)
			continue;
		for (; k > 0 && before(r, i, r->row[k - 1]); k--)
			r->row[k] = r->row[k - 1];
		r->row[k] = (uint8_t)i;
		n++;
	}
	r->ranked = n;
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		if (r->gate[i] != GATE_OPEN)
			r->row[n++] = (uint8_t)i;
	}
	/* Each is compared with the first of its rank: else a chain of small steps would make a tie of the best and the worst. */
	for (unsigned k = 0; k < r->ranked; k++) {
		unsigned at = r->row[k];
		bool tie = k > 0 && same(r, r->row[first], at);

		if (!tie)
			first = k;
		r->rank[at] = (uint8_t)(first + 1);
		if (tie)
			r->tied[at] = r->tied[r->row[first]] = true;
	}
	/* Of equals nobody stands first for a difference that is none: they stand as they were named. */
	for (unsigned k = 1; k < r->ranked; k++) {
		for (unsigned i = k; i > 0 && r->rank[r->row[i]] == r->rank[r->row[i - 1]] && r->row[i] < r->row[i - 1]; i--) {
			uint8_t t = r->row[i];

			r->row[i] = r->row[i - 1];
			r->row[i - 1] = t;
		}
	}
}

void ranking_make(struct ranking *r, const struct model *m, enum rank_by by, enum race_window window)
{
	uint64_t wrong = told_wrong(m, window == RACE_ALL ? 0 : window_start(m, window));

	*r = (struct ranking){ .m = m, .by = by, .window = window, .race = model_race(m, window, false) };
	compare_hashes(r);
	for (unsigned i = 0; i < m->n_paths; i++) {
		r->gate[i] = gate_of(r, i, wrong);
		if (r->gate[i] == GATE_OPEN)
			r->gate[i] = enough(r, i);
	}
	r->key = key_of(r);
	order(r);
}
