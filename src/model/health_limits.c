/* Limits of the checks: the table, what some chains have of their own, and what the user set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/health_priv.h"

/* max(abs, times × T); both NaN: no such limit. */
struct limit {
	double abs, times;
};
struct pair {
	struct limit warn, crit;
};

#define NAN_ ((double)NAN)
#define S(n) { (n), NAN_ }
#define N(n) { (n), NAN_ }
#define T(n) { NAN_, (n) }
#define ST(s, t) { (s), (t) }
#define NONE { NAN_, NAN_ }
#define LIMITS(w, c) { w, c }

enum column { COL_SLOT, COL_POA, COL_ROLLUP, COL_OTHER, COL_N };

static const struct {
	struct check_info info;
	struct pair by[COL_N];
} table[CHECK_N] = {
#define CHECK(id, name, label, scope, unit, flags, hold, slot, poa, rollup, other) \
	[CHECK_##id] = { { (name), (label), (scope), (unit), (flags), (hold) }, { slot, poa, rollup, other } },
#include "model/health.def"
#undef CHECK
};

enum { BSC = 56, BSC_TESTNET = 97, POLYGON = 137, AMOY = 80002, ARBITRUM = 42161, NOVA = 42170, ARBITRUM_SEPOLIA = 421614 };

/* Chains that differ from their kind. Finality: BSC's fast finality and Polygon's milestones are what Chainlink waits for. */
static const struct {
	uint64_t chain;
	enum check_id id;
	struct pair pair;
} special[] = {
	{ BSC, CHECK_finality, LIMITS(S(15), S(45)) },
	{ BSC_TESTNET, CHECK_finality, LIMITS(S(15), S(45)) },
	{ POLYGON, CHECK_reorg, LIMITS(N(32), N(128)) },
	{ AMOY, CHECK_reorg, LIMITS(N(32), N(128)) },
	/* A sequencer's followers have no peers. */
	{ ARBITRUM, CHECK_peers, LIMITS(NONE, NONE) },
	{ NOVA, CHECK_peers, LIMITS(NONE, NONE) },
	{ ARBITRUM_SEPOLIA, CHECK_peers, LIMITS(NONE, NONE) },
};

const struct check_info *check_info(enum check_id id)
{
	return &table[(unsigned)id < CHECK_N ? id : 0].info;
}

int check_find(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (slash)
		name = slash + 1;
	for (unsigned i = 0; i < CHECK_N; i++)
		if (strcmp(table[i].info.name, name) == 0)
			return (int)i;
	return -1;
}

/* ---- the user's ---- */

/* "OP Mainnet" is op-mainnet, op_mainnet and opmainnet: a name in a configuration has no spaces. */
static bool same_name(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	for (;; a++) {
		while (*a == ' ' || *a == '-' || *a == '_')
			a++;
		while (i < n && (b[i] == ' ' || b[i] == '-' || b[i] == '_'))
			i++;
		if (!*a || i == n)
			return !*a && i == n;
		if ((*a | 0x20) != (b[i] | 0x20))
			return false;
		i++;
	}
}

static bool row_fits(const struct limit_row *r, const struct chain *c, enum check_id id)
{
	const char *slash = strrchr(r->name, '/');
	size_t n;
	char *end;
	unsigned long long number;

	if (check_find(r->name) != (int)id)
		return false;
	if (!slash)
		return true;
	if (!c)
		return false;
	n = (size_t)(slash - r->name);
	number = strtoull(r->name, &end, 10);
	if (end == slash && r->name[0] >= '0' && r->name[0] <= '9')
		return c->id_known && c->id == number;
	return same_name(c->name, r->name, n);
}

enum status model_limits(struct model *m, const struct limit_row *rows, unsigned n, struct err *e)
{
	struct limit_row *copy = NULL;
	char *names = NULL, *at;
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct limit_row *r = &rows[i];
		int id = check_find(r->name);

		if (id < 0 || r->name[0] == '/') {
			err_set(e, ST_USAGE, "there is no check \"%.40s\"", r->name);
			err_cure(e, "age, behind, peers, … or bsc/age, 56/age");
			return ST_USAGE;
		}
		if (r->warn < 0 || r->crit < 0) {
			err_set(e, ST_USAGE, "check %.40s: a limit is below 0", r->name);
			return ST_USAGE;
		}
		bytes += strlen(r->name) + 1;
	}
	if (n) {
		copy = malloc(n * sizeof(*copy) + bytes);
		if (!copy)
			return err_set(e, ST_NOMEM, "no memory for the limits");
		names = (char *)(copy + n);
	}
	at = names;
	for (unsigned i = 0; i < n; i++) {
		size_t len = strlen(rows[i].name) + 1;

		copy[i] = rows[i];
		copy[i].name = memcpy(at, rows[i].name, len);
		at += len;
	}
	free(m->priv->limits);
	m->priv->limits = copy;
	m->priv->n_limits = n;
	return ST_OK;
}

/* ---- what holds ---- */

static enum column column(enum chain_kind k)
{
	switch (k) {
	case CHAIN_SLOT: return COL_SLOT;
	case CHAIN_POA: return COL_POA;
	case CHAIN_ROLLUP: return COL_ROLLUP;
	case CHAIN_DEV:
	case CHAIN_OTHER: break;
	}
	return COL_OTHER;
}

static double in_units(const struct limit *l, double t_s)
{
	double by_time = l->times * t_s;

	if (isnan(by_time))
		return l->abs;
	return isnan(l->abs) || by_time > l->abs ? by_time : l->abs;
}

void health_limits(const struct model *m, int chain, enum check_id id, double *warn, double *crit)
{
	const struct chain *c = chain >= 0 && (unsigned)chain < m->n_chains ? m->chains[chain] : NULL;
	const struct pair *p = &table[id].by[c ? column(c->info->kind) : COL_OTHER];
	double t_s = c && c->block_ms != UNKNOWN && c->block_ms ? (double)c->block_ms / 1000.0 : NAN_;

	for (unsigned i = 0; c && c->id_known && i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].chain == c->id && special[i].id == id)
			p = &special[i].pair;
	*warn = in_units(&p->warn, t_s);
	*crit = in_units(&p->crit, t_s);
	for (unsigned i = 0; i < m->priv->n_limits; i++) {
		const struct limit_row *r = &m->priv->limits[i];

		if (!row_fits(r, c, id))
			continue;
		if (!isnan(r->warn))
			*warn = isinf(r->warn) ? NAN_ : r->warn;
		if (!isnan(r->crit))
			*crit = isinf(r->crit) ? NAN_ : r->crit;
	}
}

enum level health_level(enum check_id id, double v, double warn, double crit)
{
	unsigned flags = table[id].info.flags;

	if (isnan(v))
		return LEVEL_OK;
	if (flags & CHECK_LOW)
		return v < crit ? LEVEL_CRIT : v < warn ? LEVEL_WARN : LEVEL_OK;
	if (flags & CHECK_REACH)
		return v >= crit ? LEVEL_CRIT : v >= warn ? LEVEL_WARN : LEVEL_OK;
	return v > crit ? LEVEL_CRIT : v > warn ? LEVEL_WARN : LEVEL_OK;
}

/* ---- words ---- */

const char *level_word(enum level l)
{
	switch (l) {
	case LEVEL_OK: return "OK";
	case LEVEL_WARN: return "WARN";
	case LEVEL_CRIT: return "CRIT";
	case LEVEL_WAIT: break;
	}
	return "WAIT";
}

static void seconds(char *out, size_t size, double v)
{
	if (v == 0)
		snprintf(out, size, "0 s");
	else if (v < 1)
		snprintf(out, size, v < 0.0995 ? "%.1f ms" : "%.0f ms", v * 1000);
	else if (v < 9.95)
		snprintf(out, size, "%.2g s", v);
	else if (v < 600 && (v < 120 || fmod(v, 60) != 0))
		snprintf(out, size, "%.0f s", v);
	else if (v < 3600)
		snprintf(out, size, "%.3g min", v / 60);
	else if (v < 172800)
		snprintf(out, size, "%.1f h", v / 3600);
	else
		snprintf(out, size, "%.0f d", v / 86400);
}

char *check_value(char *out, size_t size, enum check_unit unit, double v)
{
	if (isnan(v)) {
		snprintf(out, size, "—");
		return out;
	}
	switch (unit) {
	case UNIT_S: seconds(out, size, v); break;
	case UNIT_COUNT: snprintf(out, size, "%.0f", v); break;
	case UNIT_BLOCKS: snprintf(out, size, v == 1 ? "%.0f block" : "%.0f blocks", v); break;
	case UNIT_PERCENT: snprintf(out, size, v < 10 ? "%.1f %%" : "%.0f %%", v); break;
	}
	return out;
}
