/* Paths side by side; see compare.h. */
#include "model/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "model/chain.h"
#include "model/stats.h"

#define DASH "\xe2\x80\x94"

enum {
	SIGNIFICANT_PERCENT = 5,
	MINUTES_A_DAY = 1440,
	PAIRS_TOLD = 5, /* a sentence, not a list */
};

static const struct {
	const char *group, *label;
} names[CMP_N] = {
	[CMP_HEAD] = { "TRUTH", "head" },
	[CMP_HASH] = { "", "hash at head\xe2\x88\x92" "3" },
	[CMP_BACKENDS] = { "", "backends seen" },
	[CMP_BEHIND] = { "FRESH", "behind p50 / p99" },
	[CMP_WON] = { "", "won (95 % range)" },
	[CMP_USABLE] = { "", "body usable p90" },
	[CMP_CALL] = { "SPEED", "call p50 / p99" },
	[CMP_TRANSFER] = { "", "in transfer" },
	[CMP_OK] = { "RELY", "calls ok" },
	[CMP_MISSED] = { "", "heads missed / dup" },
	[CMP_COST] = { "COST", "per minute" },
};

const char *compare_group(enum compare_row row)
{
	return names[row].group;
}

const char *compare_label(enum compare_row row)
{
	return names[row].label;
}

/* Who hears first, and whom chance alone may keep from it. */
static void find_first(struct compare *c)
{
	uint64_t n, best_ns = UNKNOWN;
	unsigned best = 0;

	for (unsigned i = 0; i < c->m->n_paths; i++) {
		uint64_t ns = ranking_behind(&c->r, i, &n);

		if (n >= RANK_HEADS && path_compared(c->m->paths[i]) && ns < best_ns) {
			best_ns = ns;
			best = i;
		}
	}
	for (unsigned i = 0; i < c->m->n_paths && best_ns != UNKNOWN; i++) {
		uint64_t ns = ranking_behind(&c->r, i, &n);
		struct duel d;

		if (n < RANK_HEADS)
			continue;
		d = model_duel(c->m, best, i, c->r.window);
		if (i == best || ranking_same(ns, best_ns) || (d.n && !ranking_ahead(&d)))
			c->first |= bit(i);
	}
}

void compare_make(struct compare *c, const struct model *m, enum rank_by by, enum race_window window)
{
	*c = (struct compare){ .m = m, .ref = -1 };
	ranking_make(&c->r, m, by, window);
	for (unsigned i = 0; i < m->n_paths && c->ref < 0; i++) {
		if (c->r.same[c->r.row[i]] == SAME_YES)
			c->ref = c->r.row[i];
	}
	find_first(c);
}

static const struct call_stats *calls(const struct compare *c, unsigned path)
{
	return &c->m->paths[path]->span[c->r.window];
}

static const struct race_path *race(const struct compare *c, unsigned path)
{
	return c->r.race ? &c->r.race->path[path] : NULL;
}

/* ---- truth ---- */

static void cell_head(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct path *p = c->m->paths[path];
	char n[NUMBER_MAX];

	if (p->other_chain && p->chain >= 0) {
		snprintf(out->text, sizeof(out->text), "%s %" PRIu64, path_state_word(p), c->m->chains[p->chain]->id);
		out->tone = p->wrong_chain ? TONE_CRIT : TONE_DIM;
	} else if (p->has_head && p->behind_blocks != UNKNOWN && p->behind_blocks > 0) {
		snprintf(out->text, sizeof(out->text), "%s behind", number_int(n, sizeof(n), p->behind_blocks));
		out->tone = TONE_WARN;
	} else {
		number_int(out->text, sizeof(out->text), p->has_head ? p->head_number : UNKNOWN);
	}
}

static void short_hash(char out[8], const struct hash *h)
{
	snprintf(out, 8, "%02x%02x%02x", h->b[0], h->b[1], h->b[2]);
}

static void cell_hash(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct chain *chain = model_chain(c->m);
	const struct blk *b = chain ? chain_by_hash(chain, &c->r.hash[path]) : NULL;
	enum truth t = b ? b->truth : TRUTH_NONE;
	char hex[8];

	short_hash(hex, &c->r.hash[path]);
	switch (c->r.same[path]) {
	case SAME_UNKNOWN:
		snprintf(out->text, sizeof(out->text), DASH);
		break;
	case SAME_YES:
		if (c->ref != (int)path) {
			snprintf(out->text, sizeof(out->text), "same");
			break;
		}
		snprintf(out->text, sizeof(out->text), "%s%s", hex, t == TRUTH_NONE ? "" : t == TRUTH_YES ? " \xe2\x9c\x93" :
			 t == TRUTH_NO ? " \xe2\x9c\x97" : " ?");
		break;
	case SAME_NO:
		snprintf(out->text, sizeof(out->text), "%s DIFFERS", hex);
		out->tone = TONE_CRIT;
		break;
	case SAME_SPLIT:
		snprintf(out->text, sizeof(out->text), "%s SPLIT", hex);
		out->tone = TONE_WARN;
		break;
	}
}

/* Trap c: what one node alone cannot do. */
static void cell_backends(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct path *p = c->m->paths[path];
	char why[48] = "";

	if (p->backs)
		snprintf(why, sizeof(why), "  back %" PRIu64 "\xc3\x97", p->backs);
	else if (p->own_nulls)
		snprintf(why, sizeof(why), "  null %" PRIu64 "\xc3\x97", p->own_nulls);
	else if (p->client_backs)
		snprintf(why, sizeof(why), "  versions");
	if (why[0]) {
		snprintf(out->text, sizeof(out->text), "\xe2\x89\xa5 2%s", why);
		out->tone = TONE_WARN;
	} else {
		snprintf(out->text, sizeof(out->text), p->heads ? "1" : DASH);
	}
}

/* ---- figures: lower is better unless said otherwise; NaN: not known or not to be compared ---- */

static double ok_share(const struct call_stats *s)
{
	return s->n ? 1 - (double)s->failed / (double)s->n : (double)NAN;
}

static double latency(uint64_t ns)
{
	return ns == UNKNOWN ? (double)NAN : (double)ns;
}

static double figure(const struct compare *c, unsigned path, enum compare_row row)
{
	const struct call_stats *s = calls(c, path);
	uint64_t n, ns;

	if (!path_compared(c->m->paths[path]))
		return (double)NAN;
	switch (row) {
	case CMP_BEHIND:
		ns = ranking_behind(&c->r, path, &n);
		return n >= RANK_HEADS ? latency(ns) : (double)NAN;
	/* Of a polled path it depends on how often we ask. */
	case CMP_USABLE:
		return c->m->paths[path]->push && s->usable_n >= USABLE_LEAST ? latency(s->usable_p90) : (double)NAN;
	case CMP_CALL:
		return s->timed >= RANK_CALLS ? latency(s->p99) : (double)NAN;
	case CMP_TRANSFER:
		return -s->xfer_bytes_per_s;
	case CMP_OK:
		return -ok_share(s);
	default:
		return (double)NAN;
	}
}

static bool overlap(uint64_t low_a, uint64_t high_a, uint64_t low_b, uint64_t high_b)
{
	return low_a <= high_b && low_b <= high_a;
}

/* No measurable difference: 95 % ranges that overlap; a tenth where there is no range. */
static bool equal(const struct compare *c, unsigned a, unsigned b, enum compare_row row)
{
	double x = figure(c, a, row), y = figure(c, b, row);
	const struct call_stats *s = calls(c, a), *t = calls(c, b);

	if (a == b)
		return true;
	switch (row) {
	case CMP_BEHIND:
		return c->first & bit(a) && c->first & bit(b);
	case CMP_USABLE:
		return fabs(x - y) < (double)NS_MS / 10 || overlap(s->usable_low, s->usable_high, t->usable_low, t->usable_high);
	case CMP_CALL:
		return fabs(x - y) < (double)NS_MS / 10 || overlap(s->p99_low, s->p99_high, t->p99_low, t->p99_high);
	/* What failed, failed: only the order asks whether it may be chance. */
	case CMP_OK:
		return fabs(x - y) < 0.0005;
	default:
		return fabs(x - y) <= fabs(fmin(fabs(x), fabs(y))) / 10;
	}
}

/* " *" best, " =" one of several best ones, "" else. Nobody is best alone. */
static const char *mark(const struct compare *c, enum compare_row row, unsigned path)
{
	unsigned known = 0, ties = 0, best = 0;

	for (unsigned i = 0; i < c->m->n_paths; i++) {
		double v = figure(c, i, row);

		if (isnan(v))
			continue;
		if (!known++ || v < figure(c, best, row))
			best = i;
	}
	if (known < 2 || isnan(figure(c, path, row)) || !equal(c, path, best, row))
		return "";
	for (unsigned i = 0; i < c->m->n_paths; i++)
		ties += !isnan(figure(c, i, row)) && equal(c, i, best, row);
	return ties > 1 ? " =" : " *";
}

/* "0.4 / 3.1 ms": the unit once if both have it. */
static void pair(char *out, size_t size, uint64_t a, uint64_t b)
{
	char x[40], y[40];
	const char *ux, *uy;

	time_latency(x, sizeof(x), a);
	time_latency(y, sizeof(y), b);
	ux = strrchr(x, ' ');
	uy = strrchr(y, ' ');
	if (ux && uy && strcmp(ux, uy) == 0)
		x[ux - x] = '\0';
	snprintf(out, size, "%s / %s", x, y);
}

static void cell_behind(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct path *p = c->m->paths[path];
	uint64_t n, p50 = ranking_behind(&c->r, path, &n), p99 = p->behind_p99;
	char t[40];

	if (!p->push && p->poll_interval_ns != UNKNOWN) {
		snprintf(out->text, sizeof(out->text), "\xe2\x89\xa4 %s poll", time_latency(t, sizeof(t), p->poll_interval_ns));
		out->tone = TONE_DIM;
		return;
	}
	if (c->r.window != RACE_ALL && race(c, path))
		p99 = race(c, path)->behind.p99;
	if (p50 == UNKNOWN)
		snprintf(out->text, sizeof(out->text), DASH);
	else
		pair(out->text, sizeof(out->text), p50, p99);
}

static void cell_won(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct race_path *r = race(c, path);
	struct share s;

	if (!c->m->paths[path]->push) {
		snprintf(out->text, sizeof(out->text), "not ranked");
		out->tone = TONE_DIM;
	} else if (!r || r->raced == 0) {
		snprintf(out->text, sizeof(out->text), DASH);
	} else {
		s = stats_wilson(r->won, r->raced);
		snprintf(out->text, sizeof(out->text), "%.0f %% (%.0f\xe2\x80\x93%.0f)", 100 * s.share, 100 * s.low,
			 100 * s.high);
		out->tone = r->raced < RANK_HEADS ? TONE_DIM : TONE_TEXT;
	}
}

/* What failed most often, ST_OK: nothing did. */
static enum status worst_error(const struct call_stats *s)
{
	unsigned worst = ST_OK;

	for (unsigned i = ST_OK + 1; i < ST_N; i++) {
		if (s->by_code[i] > (worst == ST_OK ? 0 : s->by_code[worst]))
			worst = i;
	}
	return (enum status)worst;
}

static void cell_ok(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct call_stats *s = calls(c, path);
	double share = ok_share(s);
	enum status worst = worst_error(s);
	const char *word = status_word(worst);
	char t[NUMBER_MAX], kind[48] = "";

	number_percent(t, sizeof(t), share, share > 0.9995 || share < 0.9 || isnan(share) ? 0 : 1);
	/* 99.97 % is not 100 %. */
	if (share < 1 && share > 0.9995)
		number_percent(t, sizeof(t), fmin(share, 0.9999), 2);
	if (worst == ST_TIMEOUT)
		snprintf(kind, sizeof(kind), "  %" PRIu32 " timeout%s", s->by_code[worst], s->by_code[worst] == 1 ? "" : "s");
	else if (worst != ST_OK)
		snprintf(kind, sizeof(kind), "  %" PRIu32 "%s %s", s->by_code[worst],
			 word[0] >= '0' && word[0] <= '9' ? " \xc3\x97" : "", word);
	snprintf(out->text, sizeof(out->text), "%s%s", t, kind);
	if (share < 1 - GATE_FAILS_PERCENT / 100.0)
		out->tone = TONE_WARN;
}

static void cell_missed(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct path *p = c->m->paths[path];
	uint64_t missed = c->r.window == RACE_ALL ? p->missed : race(c, path) ? race(c, path)->missed : 0;
	char a[NUMBER_MAX], b[NUMBER_MAX];

	if (!p->push || p->heads == 0)
		snprintf(out->text, sizeof(out->text), DASH);
	else
		snprintf(out->text, sizeof(out->text), "%s / %s", number_int(a, sizeof(a), missed),
			 number_int(b, sizeof(b), c->r.window == RACE_ALL ? p->dups : calls(c, path)->dups));
	if (p->push && missed)
		out->tone = TONE_WARN;
}

static void cell_cost(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct call_stats *s = calls(c, path);
	char n[NUMBER_MAX], mb[NUMBER_MAX];

	if (isnan(s->calls_per_min) || isnan(s->bytes_per_min))
		snprintf(out->text, sizeof(out->text), DASH);
	else
		snprintf(out->text, sizeof(out->text), "%s c  %s MB", number_fixed(n, sizeof(n), s->calls_per_min, 0),
			 number_mb(mb, sizeof(mb), s->bytes_per_min));
}

void compare_cell(const struct compare *c, enum compare_row row, unsigned path, struct compare_cell *out)
{
	const struct call_stats *s = calls(c, path);
	const char *best = mark(c, row, path);

	*out = (struct compare_cell){ .tone = TONE_TEXT };
	switch (row) {
	case CMP_HEAD:
		cell_head(c, path, out);
		break;
	case CMP_HASH:
		cell_hash(c, path, out);
		break;
	case CMP_BACKENDS:
		cell_backends(c, path, out);
		break;
	case CMP_BEHIND:
		cell_behind(c, path, out);
		break;
	case CMP_WON:
		cell_won(c, path, out);
		break;
	case CMP_USABLE:
		time_latency(out->text, sizeof(out->text), s->usable_p90);
		break;
	case CMP_CALL:
		if (s->p50 == UNKNOWN)
			snprintf(out->text, sizeof(out->text), DASH);
		else
			pair(out->text, sizeof(out->text), s->p50, s->p99);
		break;
	case CMP_TRANSFER:
		number_rate(out->text, sizeof(out->text), s->xfer_bytes_per_s);
		break;
	case CMP_OK:
		cell_ok(c, path, out);
		break;
	case CMP_MISSED:
		cell_missed(c, path, out);
		break;
	case CMP_COST:
		cell_cost(c, path, out);
		break;
	case CMP_N:
		break;
	}
	strncat(out->text, best, sizeof(out->text) - 1 - strlen(out->text));
	if (out->tone == TONE_TEXT && strcmp(best, " *") == 0)
		out->tone = TONE_BEST;
	if (strcmp(out->text, DASH) == 0)
		out->tone = TONE_DIM;
}

void compare_title(const struct compare *c, unsigned path, char *out, size_t size)
{
	const struct path *p = c->m->paths[path];

	if (c->r.rank[path])
		snprintf(out, size, "%u%s %s %s", c->r.rank[path], c->r.tied[path] ? "=" : "", p->node, p->via);
	else if (c->r.gate[path] != GATE_OPEN && c->r.gate[path] < GATE_POLLED)
		snprintf(out, size, DASH " %s %s", p->node, p->via);
	else
		snprintf(out, size, "%s%s %s", p->push ? "" : "poll ", p->node, p->via);
}

/* ---- the verdict ---- */

struct text {
	char *out;
	size_t size, at;
};

static void say(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->out + t->at, t->size - t->at, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->at = t->at + (size_t)n < t->size ? t->at + (size_t)n : t->size - 1;
}

/* The blank behind the last sentence. */
static void said(struct text *t)
{
	if (t->at && t->out[t->at - 1] == ' ')
		t->out[--t->at] = '\0';
}

static const char *p_text(char out[24], double p)
{
	if (p < 0.001)
		snprintf(out, 24, "p < 0.001");
	else
		snprintf(out, 24, "p %.*f", p < 0.1 ? 3 : 2, p);
	return out;
}

/* b beside the best one, a, head by head. */
static void say_duel(const struct compare *c, unsigned ia, unsigned ib, struct text *t)
{
	const struct path *a = c->m->paths[ia], *b = c->m->paths[ib];
	struct duel d = model_duel(c->m, ia, ib, c->r.window);
	bool kin = a->node_index == b->node_index;
	uint64_t n, ns = ranking_behind(&c->r, ib, &n);
	char late[40], p[24];

	if (d.n == 0)
		return;
	p_text(p, d.p);
	if (d.p * 100 >= SIGNIFICANT_PERCENT)
		say(t, "%s %s and %s %s tie (%u:%u, %s). ", a->node, a->via, b->node, b->via, d.a_first, d.b_first, p);
	else if (d.b_first > d.a_first)
		say(t, "%s %s hears first on %.0f %% of %u heads (%s). ", b->node, b->via, 100.0 * d.b_first / d.n, d.n, p);
	/* Trap g: two doors of one house do not race. */
	else if (kin)
		say(t, "%s %s costs %s more than %s (%.0f %% of %u heads, %s). ", b->node, b->via,
		    time_latency(late, sizeof(late), race(c, ib) ? race(c, ib)->overhead.p50 : ns), a->via,
		    100.0 * d.a_first / d.n, d.n, p);
	else
		say(t, "%s %s hears %s later on %.0f %% of %u heads (%s). ", b->node, b->via,
		    time_latency(late, sizeof(late), ns), 100.0 * d.a_first / d.n, d.n, p);
}

void compare_why(const struct compare *c, unsigned path, char *out, size_t size)
{
	const struct path *p = c->m->paths[path];
	const struct call_stats *s = calls(c, path);
	const struct chain *chain = p->chain >= 0 ? c->m->chains[p->chain] : NULL;
	char n[NUMBER_MAX], hex[8];

	out[0] = '\0';
	switch (c->r.gate[path]) {
	case GATE_DOWN:
		snprintf(out, size, "%s %s is %s%s%s.", p->node, p->via, path_state_word(p), p->cause ? ": " : "",
			 p->cause ? status_word(p->cause) : "");
		break;
	case GATE_CHAIN:
		snprintf(out, size, "%s %s is on chain %s.", p->node, p->via,
			 number_int(n, sizeof(n), chain && chain->id_known ? chain->id : UNKNOWN));
		break;
	case GATE_WRONG:
		snprintf(out, size, "%s %s told a block that is proven wrong.", p->node, p->via);
		break;
	case GATE_HASH:
		short_hash(hex, &c->r.hash[path]);
		snprintf(out, size, "%s %s has another block %s: %s.", p->node, p->via,
			 number_int(n, sizeof(n), c->r.height), hex);
		break;
	case GATE_FAILS:
		snprintf(out, size, "%s %s fails %.0f %% of its %s calls.", p->node, p->via,
			 100 * (double)s->failed / (double)s->n, number_int(n, sizeof(n), s->n));
		break;
	default: break;
	}
}

static unsigned count_gate(const struct compare *c, enum gate g)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->m->n_paths; i++)
		n += c->r.gate[i] == g;
	return n;
}

static const char *unit_of(const struct compare *c)
{
	return c->r.by == RANK_APP ? "calls" : "heads";
}

static void say_split(const struct compare *c, struct text *t)
{
	for (unsigned i = 0; i < c->m->n_paths; i++) {
		if (c->r.same[i] != SAME_SPLIT)
			continue;
		say(t, "Two branches at %" PRIu64 ": who is right cannot be told. ", c->r.height);
		break;
	}
}

void compare_sentence(const struct compare *c, char *out, size_t size)
{
	struct text t = { .out = out, .size = size };
	char why[200];

	out[0] = '\0';
	for (unsigned k = 1; k < c->r.ranked && k <= PAIRS_TOLD && (c->r.key == KEY_HEARD || c->r.key == KEY_USABLE); k++)
		say_duel(c, c->r.row[0], c->r.row[k], &t);
	say_split(c, &t);
	for (unsigned i = 0; i < c->m->n_paths; i++) {
		compare_why(c, i, why, sizeof(why));
		if (why[0])
			say(&t, "%s ", why);
	}
	said(&t);
}

/* The figure that decided, of one path. */
static void key_text(const struct compare *c, unsigned path, char *out, size_t size)
{
	const struct call_stats *s = calls(c, path);
	const struct health_subject *h = health_node(c->m, path);
	uint64_t n;

	switch (c->r.key) {
	case KEY_HEARD:
		time_latency(out, size, ranking_behind(&c->r, path, &n));
		break;
	case KEY_USABLE:
		time_latency(out, size, s->usable_p90);
		break;
	case KEY_CALLS:
		time_latency(out, size, s->p99);
		break;
	case KEY_HEALTH:
		snprintf(out, size, "%s", h ? level_word(h->level) : DASH);
		break;
	}
}

/* One path that could be ranked has nobody to be compared with, however long it takes. */
static void say_alone(const struct compare *c, struct text *t)
{
	unsigned i = 0;

	while (i + 1 < c->m->n_paths && c->r.gate[i] != GATE_OPEN && c->r.gate[i] != GATE_FEW)
		i++;
	say(t, "No order: %s %s is alone", c->m->paths[i]->node, c->m->paths[i]->via);
	if (count_gate(c, GATE_POLLED))
		say(t, ", for heads that are polled are not ranked; --rank app compares calls.");
	else
		say(t, ".");
}

void compare_headline(const struct compare *c, char *out, size_t size)
{
	static const char *const whom[RANK_BY_N] = { "a searcher", "an app", "an operator", "heads" };
	struct text t = { .out = out, .size = size };
	unsigned best = 0;
	char v[40];

	out[0] = '\0';
	while (best < c->r.ranked && c->r.rank[c->r.row[best]] == 1)
		best++;
	if (c->r.ranked < 2) {
		if (c->r.ranked + count_gate(c, GATE_FEW) == 1)
			say_alone(c, &t);
		else if (count_gate(c, GATE_FEW))
			say(&t, "No order: %" PRIu64 " of %d %s needed.", c->r.few,
			    c->r.by == RANK_APP ? RANK_CALLS : RANK_HEADS, unit_of(c));
		else if (count_gate(c, GATE_POLLED))
			say(&t, "No order: heads are polled, so that only our own asking would be measured; "
				"--rank app compares calls.");
		else
			say(&t, "No order: no path passes the gate.");
		return;
	}
	say(&t, "Best for %s: ", whom[c->r.by]);
	for (unsigned k = 0; k < best; k++)
		say(&t, "%s%s %s", k == 0 ? "" : k + 1 == best ? " and " : ", ", c->m->paths[c->r.row[k]]->node,
		    c->m->paths[c->r.row[k]]->via);
	say(&t, "%s (%s ", best > 1 ? " tie" : "", rank_key_word(c->r.key));
	for (unsigned k = 0; k < best; k++) {
		key_text(c, c->r.row[k], v, sizeof(v));
		say(&t, "%s%s", k ? ", " : "", v);
	}
	if (best < c->r.ranked) {
		key_text(c, c->r.row[best], v, sizeof(v));
		say(&t, "; next %s", v);
	}
	say(&t, ").");
}

/* ---- a day's worth ---- */

void compare_day(const struct compare *c, unsigned path, char *out, size_t size)
{
	const struct path *p = c->m->paths[path];
	double n = 0, bytes = 0;
	char a[NUMBER_MAX], b[NUMBER_MAX], budget[NUMBER_MAX], share[NUMBER_MAX];

	out[0] = '\0';
	for (unsigned i = 0; i < c->m->n_paths; i++) {
		const struct call_stats *s = calls(c, i);

		/* A budget is its node's. */
		if (i != path && (p->budget_day == UNKNOWN || c->m->paths[i]->node_index != p->node_index))
			continue;
		n += isnan(s->calls_per_min) ? 0 : s->calls_per_min * MINUTES_A_DAY;
		bytes += isnan(s->bytes_per_min) ? 0 : s->bytes_per_min * MINUTES_A_DAY;
	}
	if (isnan(calls(c, path)->calls_per_min))
		return;
	number_int(a, sizeof(a), (uint64_t)llround(n));
	number_bytes_d(b, sizeof(b), bytes);
	if (p->budget_day == UNKNOWN || p->budget_day == 0)
		snprintf(out, size, "%s calls, %s", a, b);
	else
		snprintf(out, size, "%s calls (%s of %s), %s", a,
			 number_percent(share, sizeof(share), n / (double)p->budget_day, 0),
			 number_int(budget, sizeof(budget), p->budget_day), b);
}
