/* Endpoints side by side; see compare_rows.h. */
#include "ui/panes/compare_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/panes/parts.h"
#include "ui/widget_number.h"

#define DASH "\xe2\x80\x94"

enum {
	BELOW_HEAD = 3,
	FAILS_PERCENT = 5, /* from so many failed calls on they are worth a sentence (gate of screens.md §3) */
	SIGNIFICANT_PERCENT = 5,
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

static bool compared(const struct path *p)
{
	return path_answers(p) && !p->other_chain;
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

void compare_make(struct compare *c, const struct model *m)
{
	uint64_t low = UNKNOWN;
	struct hash h;

	*c = (struct compare){ .m = m, .height = UNKNOWN, .first_hash = -1 };
	ranking_make(&c->r, m);
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (compared(m->paths[i]) && m->paths[i]->has_head && m->paths[i]->head_number < low)
			low = m->paths[i]->head_number;
	}
	if (low == UNKNOWN || low < BELOW_HEAD)
		return;
	c->height = low - BELOW_HEAD;
	for (unsigned i = 0; i < m->n_paths && c->first_hash < 0; i++) {
		unsigned p = c->r.row[i];

		if (compared(m->paths[p]) && hash_at(m->paths[p], c->height, &h))
			c->first_hash = (int)p;
	}
}

static void cell_head(const struct compare *c, const struct path *p, struct compare_cell *out)
{
	char n[NUMBER_MAX];

	if (p->other_chain && p->chain >= 0) {
		snprintf(out->text, sizeof(out->text), "%s %" PRIu64, path_state_word(p), c->m->chains[p->chain]->id);
		out->role = p->wrong_chain ? ROLE_CRIT : ROLE_DIM;
	} else if (p->has_head && p->behind_blocks != UNKNOWN && p->behind_blocks > 0) {
		snprintf(out->text, sizeof(out->text), "%s behind", number_int(n, sizeof(n), p->behind_blocks));
		out->role = ROLE_WARN;
	} else {
		number_int(out->text, sizeof(out->text), p->has_head ? p->head_number : UNKNOWN);
	}
}

static void cell_hash(const struct compare *c, unsigned path, struct compare_cell *out)
{
	const struct chain *chain = model_chain(c->m);
	const struct blk *b;
	struct hash own, first;
	char hex[67];

	snprintf(out->text, sizeof(out->text), DASH);
	if (c->first_hash < 0 || !compared(c->m->paths[path]) || !hash_at(c->m->paths[path], c->height, &own))
		return;
	parts_hex(hex, &own);
	if (c->first_hash == (int)path) {
		b = chain ? chain_by_hash(chain, &own) : NULL;
		snprintf(out->text, sizeof(out->text), "%.6s%s", hex + 2,
			 !b || b->truth == TRUTH_NONE ? ""
			 : b->truth == TRUTH_YES      ? " \xe2\x9c\x93"
			 : b->truth == TRUTH_NO       ? " \xe2\x9c\x97"
						      : " ?");
		return;
	}
	hash_at(c->m->paths[c->first_hash], c->height, &first);
	if (hash_eq(&own, &first)) {
		snprintf(out->text, sizeof(out->text), "same");
	} else {
		snprintf(out->text, sizeof(out->text), "%.6s DIFFERS", hex + 2);
		out->role = ROLE_CRIT;
	}
}

static void cell_backends(const struct path *p, struct compare_cell *out)
{
	if (p->heads == 0)
		snprintf(out->text, sizeof(out->text), DASH);
	else if (p->backs == 0)
		snprintf(out->text, sizeof(out->text), "1");
	else
		snprintf(out->text, sizeof(out->text), "\xe2\x89\xa5 2  back %" PRIu64 "\xc3\x97", p->backs);
	if (p->backs)
		out->role = ROLE_WARN;
}

/* ---- figures: lower is better unless said otherwise; NaN: not known or not to be compared ---- */

static double ok_share(const struct path *p)
{
	uint64_t n = 0, failed = 0;

	for (unsigned i = 0; i < M_N; i++) {
		if (i == M_BATCH)
			continue; /* its items are the calls */
		n += p->method[i].n;
		failed += p->method[i].failed;
	}
	return n ? 1 - (double)failed / (double)n : NAN;
}

static double latency(uint64_t ns)
{
	return ns == UNKNOWN ? NAN : (double)ns;
}

static double figure(const struct path *p, enum compare_row row)
{
	if (!compared(p))
		return NAN;
	switch (row) {
	case CMP_BEHIND:
		return p->push && p->raced >= RANK_HEADS ? latency(p->behind_p50) : NAN;
	case CMP_USABLE:
		return latency(p->usable_p90);
	case CMP_CALL:
		return latency(p->call_p99);
	case CMP_TRANSFER:
		return -p->xfer_bytes_per_s;
	case CMP_OK:
		return -ok_share(p);
	default:
		return NAN;
	}
}

/* No measurable difference: the tie line for heads, a tenth for what one measures less often. */
static bool equal(double a, double b, enum compare_row row)
{
	if (row == CMP_BEHIND)
		return fabs(a - b) < (double)NS_MS / 10;
	if (row == CMP_OK)
		return fabs(a - b) < 0.0005;
	return fabs(a - b) <= fabs(fmin(fabs(a), fabs(b))) / 10;
}

/* " *" best, " =" one of several best ones, "" else. Nobody is best alone. */
static const char *mark(const struct compare *c, enum compare_row row, unsigned path)
{
	double own = figure(c->m->paths[path], row), best = NAN;
	unsigned known = 0, ties = 0;

	for (unsigned i = 0; i < c->m->n_paths; i++) {
		double v = figure(c->m->paths[i], row);

		known += !isnan(v);
		if (isnan(best) || v < best)
			best = v;
	}
	if (known < 2 || isnan(own) || !equal(own, best, row))
		return "";
	for (unsigned i = 0; i < c->m->n_paths; i++) {
		double v = figure(c->m->paths[i], row);

		ties += !isnan(v) && equal(v, best, row);
	}
	/* All the same in everything says nothing of latencies, but of failures it does. */
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

static void cell_behind(const struct path *p, struct compare_cell *out)
{
	char t[40];

	if (!p->push && p->poll_interval_ns != UNKNOWN) {
		snprintf(out->text, sizeof(out->text), "\xe2\x89\xa4 %s poll", time_latency(t, sizeof(t), p->poll_interval_ns));
		out->role = ROLE_DIM;
	} else if (p->behind_p50 == UNKNOWN) {
		snprintf(out->text, sizeof(out->text), DASH);
	} else {
		pair(out->text, sizeof(out->text), p->behind_p50, p->behind_p99);
	}
}

/* Wilson's interval of a share, in percent. */
static void wilson(uint64_t k, uint64_t n, double *lo, double *hi)
{
	const double z = 1.96;
	double share = (double)k / (double)n, nn = (double)n, mid, half;

	mid = (share + z * z / (2 * nn)) / (1 + z * z / nn);
	half = z / (1 + z * z / nn) * sqrt(share * (1 - share) / nn + z * z / (4 * nn * nn));
	*lo = fmax(0, mid - half) * 100;
	*hi = fmin(1, mid + half) * 100;
}

static void cell_won(const struct path *p, struct compare_cell *out)
{
	double lo, hi;

	if (!p->push) {
		snprintf(out->text, sizeof(out->text), "not ranked");
		out->role = ROLE_DIM;
	} else if (p->raced == 0 || p->won > p->raced) {
		snprintf(out->text, sizeof(out->text), DASH);
	} else {
		wilson(p->won, p->raced, &lo, &hi);
		snprintf(out->text, sizeof(out->text), "%.0f %% (%.0f\xe2\x80\x93%.0f)", 100 * (double)p->won / (double)p->raced,
			 lo, hi);
		out->role = p->raced < RANK_HEADS ? ROLE_DIM : ROLE_TEXT;
	}
}

/* What failed most often, ST_OK: nothing did. */
static enum status worst_error(const struct path *p)
{
	unsigned worst = ST_OK;

	for (unsigned i = ST_OK + 1; i < ST_N; i++) {
		if (p->errors.by_code[i] > (worst == ST_OK ? 0 : p->errors.by_code[worst]))
			worst = i;
	}
	return (enum status)worst;
}

static void cell_ok(const struct path *p, struct compare_cell *out)
{
	double share = ok_share(p);
	enum status worst = worst_error(p);
	char s[NUMBER_MAX], kind[40] = "";
	const char *word = status_word(worst);

	number_percent(s, sizeof(s), share, share > 0.9995 || share < 0.9 || isnan(share) ? 0 : 1);
	/* 99.97 % is not 100 %. */
	if (share < 1 && share > 0.9995)
		number_percent(s, sizeof(s), fmin(share, 0.9999), 2);
	if (worst != ST_OK)
		snprintf(kind, sizeof(kind), "  %" PRIu32 "%s %s", p->errors.by_code[worst],
			 word[0] >= '0' && word[0] <= '9' ? " \xc3\x97" : "", word);
	snprintf(out->text, sizeof(out->text), "%s%s", s, kind);
	if (share < 1 - FAILS_PERCENT / 100.0)
		out->role = ROLE_WARN;
}

static void cell_missed(const struct path *p, struct compare_cell *out)
{
	char a[NUMBER_MAX], b[NUMBER_MAX];

	if (!p->push || p->heads == 0)
		snprintf(out->text, sizeof(out->text), DASH);
	else
		snprintf(out->text, sizeof(out->text), "%s / %s", number_int(a, sizeof(a), p->missed),
			 number_int(b, sizeof(b), p->dups));
	if (p->push && p->missed)
		out->role = ROLE_WARN;
}

static void cell_cost(const struct path *p, struct compare_cell *out)
{
	char calls[NUMBER_MAX], mb[NUMBER_MAX];

	if (isnan(p->calls_per_min) || isnan(p->bytes_per_min))
		snprintf(out->text, sizeof(out->text), DASH);
	else
		snprintf(out->text, sizeof(out->text), "%s c  %s MB", number_fixed(calls, sizeof(calls), p->calls_per_min, 0),
			 number_mb(mb, sizeof(mb), p->bytes_per_min));
}

void compare_cell(const struct compare *c, enum compare_row row, unsigned path, struct compare_cell *out)
{
	const struct path *p = c->m->paths[path];

	*out = (struct compare_cell){ .role = ROLE_TEXT };
	switch (row) {
	case CMP_HEAD:
		cell_head(c, p, out);
		break;
	case CMP_HASH:
		cell_hash(c, path, out);
		break;
	case CMP_BACKENDS:
		cell_backends(p, out);
		break;
	case CMP_BEHIND:
		cell_behind(p, out);
		break;
	case CMP_WON:
		cell_won(p, out);
		break;
	case CMP_USABLE:
		time_latency(out->text, sizeof(out->text), p->usable_p90);
		break;
	case CMP_CALL:
		if (p->call_p50 == UNKNOWN)
			snprintf(out->text, sizeof(out->text), DASH);
		else
			pair(out->text, sizeof(out->text), p->call_p50, p->call_p99);
		break;
	case CMP_TRANSFER:
		number_rate(out->text, sizeof(out->text), p->xfer_bytes_per_s);
		break;
	case CMP_OK:
		cell_ok(p, out);
		break;
	case CMP_MISSED:
		cell_missed(p, out);
		break;
	case CMP_COST:
		cell_cost(p, out);
		break;
	case CMP_N:
		break;
	}
	strncat(out->text, mark(c, row, path), sizeof(out->text) - 1 - strlen(out->text));
	if (out->role == ROLE_TEXT && strlen(out->text) > 2 && strcmp(out->text + strlen(out->text) - 2, " *") == 0)
		out->role = ROLE_BEST;
	out->role = parts_role(out->text, out->role);
}

void compare_title(const struct compare *c, unsigned path, char *out, size_t size)
{
	const struct path *p = c->m->paths[path];

	if (c->r.rank[path])
		snprintf(out, size, "%u%s %s %s", c->r.rank[path], c->r.tied[path] ? "=" : "", p->node, p->via);
	else if (!path_answers(p) || p->other_chain)
		snprintf(out, size, DASH " %s %s", p->node, p->via);
	else
		snprintf(out, size, "%s%s %s", p->push ? "" : "poll ", p->node, p->via);
}

/* ---- the verdict ---- */

static int add(char *out, size_t size, int at, const char *fmt, ...) PRINTF_LIKE(4, 5);
static int add(char *out, size_t size, int at, const char *fmt, ...)
{
	va_list ap;
	int n;

	if ((size_t)at + 1 >= size)
		return at;
	va_start(ap, fmt);
	n = vsnprintf(out + at, size - (size_t)at, fmt, ap);
	va_end(ap);
	return n < 0 ? at : (size_t)(at + n) >= size ? (int)size - 1 : at + n;
}

/* The second is no slower than can be told: its share of the heads that were no tie decides. */
static bool no_difference(const struct duel *d)
{
	return d->p * 100 >= SIGNIFICANT_PERCENT;
}

static int say_duel(const struct path *a, const struct path *b, const struct duel *d, char *out, size_t size, int at)
{
	char t[40];

	if (no_difference(d))
		return add(out, size, at, "%s %s and %s %s tie (%u:%u, p %.2f). ", a->node, a->via, b->node, b->via, d->a_first,
			   d->b_first, d->p);
	if (d->b_first > d->a_first || b->behind_p50 == UNKNOWN)
		return at;
	return add(out, size, at, "%s %s hears %s later on %.0f %% of %u heads. ", b->node, b->via,
		   time_latency(t, sizeof(t), b->behind_p50), 100.0 * d->a_first / d->n, d->n);
}

void compare_sentence(const struct compare *c, char *out, size_t size)
{
	const struct model *m = c->m;
	uint64_t raced = 0;
	unsigned pushing = 0;
	int at = 0;

	out[0] = '\0';
	for (unsigned k = 1; k < c->r.ranked; k++) {
		const struct path *a = m->paths[c->r.row[0]], *b = m->paths[c->r.row[k]];
		struct duel d = path_duel(a, b);

		if (d.n)
			at = say_duel(a, b, &d, out, size, at);
	}
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		pushing += p->push && compared(p);
		raced = p->raced > raced ? p->raced : raced;
	}
	if (c->r.ranked < 2 && pushing > 1)
		at = add(out, size, at, "%" PRIu64 " of %d heads needed for an order. ", raced, RANK_HEADS);
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		double share = ok_share(p);

		if (share < 1 - FAILS_PERCENT / 100.0)
			at = add(out, size, at, "%s %s fails %.0f %% of its calls. ", p->node, p->via, 100 * (1 - share));
	}
	if (at > 0 && out[at - 1] == ' ')
		out[at - 1] = '\0';
}
