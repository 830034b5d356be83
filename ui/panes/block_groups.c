/* Blocks by second; see block_groups.h. */
#include "ui/panes/block_groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "eth/address.h"
#include "ui/panes/parts.h"
#include "ui/widget_bar.h"

enum col {
	COL_NUMBER, COL_AGE, COL_BLOCKS, COL_TXS, COL_GAS, COL_SHARE, COL_BASE, COL_TIP, COL_BLOBS, COL_KB, COL_LATE, COL_BUILDER,
	COL_TRUTH
};
_Static_assert((int)COL_TRUTH + 1 == (int)GROUP_COLS, "one title each");

static const struct table_col cols[GROUP_COLS] = {
	[COL_NUMBER] = { .title = "numbers", .gap = 0, .width = 16 },
	[COL_AGE] = { .title = "age", .gap = 2, .width = 5 },
	[COL_BLOCKS] = { .title = "blocks   \xce\x94t", .gap = 2, .width = 14 },
	[COL_TXS] = { .title = "txs", .gap = 2, .width = 5, .priority = 1 },
	[COL_GAS] = { .title = "gas used", .gap = 2, .width = 8, .priority = 4, .align = TABLE_LEFT },
	[COL_SHARE] = { .title = "%", .gap = 1, .width = 6, .priority = 2 },
	[COL_BASE] = { .title = "base gwei", .gap = 1, .width = 9, .priority = 3 },
	[COL_TIP] = { .title = "tip p50", .gap = 2, .width = 7, .priority = 5 },
	[COL_BLOBS] = { .title = "blobs", .gap = 2, .width = 5, .priority = 9 },
	[COL_KB] = { .title = "kB", .gap = 1, .width = 5, .priority = 8 },
	[COL_LATE] = { .title = "late s", .gap = 1, .width = 6, .priority = 10 },
	[COL_BUILDER] = { .title = "builder", .gap = 2, .width = 12, .grow = 1, .priority = 6, .align = TABLE_LEFT },
	[COL_TRUTH] = { .title = "", .gap = 0, .width = 1, .priority = 7, .align = TABLE_LEFT, .fixed_order = true },
};

static const uint64_t BODY_COMES_NS = 10 * NS_S; /* so long a body that is missing may be on its way */

/* ---- groups ---- */

unsigned block_groups(struct block_group *out, const struct blk *const *rows, unsigned n)
{
	const struct blk *newest = NULL; /* of the group that is open */
	unsigned groups = 0, open = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct blk *b = rows[i];

		if (b->state != BLK_CANON) {
			out[groups++] = (struct block_group){ .first = i, .n = 1 };
			continue;
		}
		/* An orphan between two of a second does not part them: its row stands behind the second it fell into. */
		if (newest && b->h.time_ms / 1000 == newest->h.time_ms / 1000) {
			out[open].n = i + 1 - out[open].first;
			continue;
		}
		newest = b;
		open = groups;
		out[groups++] = (struct block_group){ .first = i, .n = 1 };
	}
	return groups;
}

void group_columns(const struct chain *c, bool wide, enum fee_unit unit, struct table_col out[GROUP_COLS])
{
	memcpy(out, cols, sizeof(cols));
	if (wide)
		out[COL_NUMBER].gap = 1;
	if (unit != FEE_GWEI)
		out[COL_BASE].title = unit == FEE_WEI ? "base wei" : "base ether";
	if (c && c->head && c->head->h.gas_limit >= PARTS_NO_LIMIT)
		out[COL_SHARE].title = "Mgas/s";
	if (c && c->turns) {
		out[COL_BLOBS].title = "turn";
		out[COL_BLOBS].width = 6;
		/* Who makes the blocks is the news there, not what little they cost. */
		out[COL_BLOBS].priority = 2;
		out[COL_BASE].priority = 10;
		out[COL_BUILDER].title = "validators";
	}
}

/* ---- what a group adds up to ---- */

struct sum {
	const struct blk *newest, *oldest;
	unsigned n; /* canonical ones */
	bool orphan; /* it is one, by itself */
	bool bodies; /* of all */
	uint64_t txs, bytes, gas, limit, blobs, ms;
	unsigned intervals, out_of_turn;
	int64_t late_ns;
	bool late_known;
	enum truth truth;
};

static enum truth worse(enum truth a, enum truth b)
{
	/* NO before UNKNOWN before NONE before YES. */
	static const int rank[] = { [TRUTH_NONE] = 1, [TRUTH_YES] = 0, [TRUTH_UNKNOWN] = 2, [TRUTH_NO] = 3 };

	return rank[a] > rank[b] ? a : b;
}

static void add_block(const struct group_view *v, const struct blk *b, struct sum *s)
{
	uint64_t ms = blk_interval_ms(v->c, b);

	if (!s->newest)
		s->newest = b;
	s->oldest = b;
	s->truth = s->n ? worse(s->truth, b->truth) : b->truth;
	s->n++;
	s->bodies = s->bodies && b->body_seen;
	s->txs += b->body_seen ? b->ntx : 0;
	s->bytes += b->body_seen ? b->size : 0;
	s->gas += b->h.gas_used;
	s->limit += b->h.gas_limit;
	s->blobs += b->h.blob_gas_used / BLOB_GAS;
	s->out_of_turn += b->h.difficulty == 1;
	if (ms != UNKNOWN) {
		s->ms += ms;
		s->intervals++;
	}
	if (b->heard && b->late_known && (!s->late_known || b->late_ns > s->late_ns)) {
		s->late_ns = b->late_ns;
		s->late_known = true;
	}
}

static void sum_up(const struct group_view *v, unsigned row, struct sum *s)
{
	const struct block_group *g = &v->group[row];

	*s = (struct sum){ .bodies = true };
	s->orphan = v->rows[g->first]->state != BLK_CANON;
	for (unsigned i = g->first; i < g->first + g->n; i++) {
		if (s->orphan || v->rows[i]->state == BLK_CANON)
			add_block(v, v->rows[i], s);
	}
}

/* Gas per second: over the intervals of its own blocks, T where one is not known. */
static double gas_rate(const struct group_view *v, const struct sum *s)
{
	double ms = (double)s->ms;

	/* Times in whole seconds: without its first block's interval nothing is known of a second. */
	if (s->ms == 0)
		return NAN;
	if (s->intervals < s->n)
		ms += v->c->block_ms == UNKNOWN ? NAN : (double)v->c->block_ms * (s->n - s->intervals);
	return ms > 0 ? (double)s->gas * 1000 / ms : NAN;
}

static double gas_share(const struct sum *s)
{
	return s->limit ? (double)s->gas / (double)s->limit : NAN;
}

static bool no_limit(const struct sum *s)
{
	return s->newest->h.gas_limit >= PARTS_NO_LIMIT;
}

/* ---- cells ---- */

/* "506,697,453–456": of the last number the last three digits. */
static void cell_number(const struct group_view *v, const struct sum *s, struct table_cell *out)
{
	char n[NUMBER_MAX];

	if (s->n > 1)
		snprintf(out->text, sizeof(out->text), "%s\xe2\x80\x93%03u", number_int(n, sizeof(n), s->oldest->h.number),
			 (unsigned)(s->newest->h.number % 1000));
	else
		number_int(out->text, sizeof(out->text), s->newest->h.number);
	out->role = s->newest == v->c->head ? ROLE_HEAD : ROLE_TEXT;
	if (s->truth == TRUTH_NO) {
		out->mark = 0x2717;
		out->mark_role = ROLE_CRIT;
	} else if (s->orphan) {
		out->mark = 0x2032;
		out->mark_role = ROLE_ORPHAN;
	}
}

/* "4 blk  250 ms" */
static void cell_blocks(const struct sum *s, struct table_cell *out)
{
	if (s->ms)
		snprintf(out->text, sizeof(out->text), "%u blk %4" PRIu64 " ms", s->n, s->ms / s->intervals);
	else
		snprintf(out->text, sizeof(out->text), "%u blk    \xe2\x80\x94   ", s->n);
	out->role = ROLE_LABEL;
}

/* "in", "2 OUT" */
static void cell_turn(const struct sum *s, struct table_cell *out)
{
	if (s->out_of_turn) {
		snprintf(out->text, sizeof(out->text), "%u OUT", s->out_of_turn);
		out->role = ROLE_WARN;
	} else {
		snprintf(out->text, sizeof(out->text), s->newest->h.difficulty == 2 ? "in" : "\xe2\x80\x94");
	}
}

static const char *maker(const struct group_view *v, const struct blk *b, char *out, size_t size)
{
	char text[ADDRESS_SHORT];

	if (!v->c->turns)
		snprintf(out, size, "%s", b->builder[0] ? b->builder : "unknown");
	else if (b->signer_known)
		snprintf(out, size, "%s", address_short(text, &b->signer));
	else
		snprintf(out, size, "\xe2\x80\x94");
	return out;
}

/* Who made them, if it was one; else how many did. */
static void cell_builder(const struct group_view *v, unsigned row, const struct sum *s, struct table_cell *out)
{
	const struct block_group *g = &v->group[row];
	char a[80], b[80];
	unsigned others = 0;

	maker(v, s->newest, a, sizeof(a));
	for (unsigned i = g->first + 1; i < g->first + g->n; i++)
		others += v->rows[i]->state == BLK_CANON && strcmp(a, maker(v, v->rows[i], b, sizeof(b))) != 0;
	snprintf(out->text, sizeof(out->text), "%s%s", a, others ? " \xe2\x80\xa6" : "");
	out->role = ROLE_BUILDER;
}

static void cell_truth(const struct sum *s, struct table_cell *out)
{
	static const char *const sign[] = { "", "\xe2\x9c\x93", "?", "\xe2\x9c\x97" };
	static const enum role role[] = { ROLE_TEXT, ROLE_OK, ROLE_DIM, ROLE_CRIT };

	snprintf(out->text, sizeof(out->text), "%s", sign[s->truth]);
	out->role = role[s->truth];
}

static void cell_gas(const struct group_view *v, const struct sum *s, struct table_cell *out)
{
	if (s->orphan) {
		out->spill = true;
		parts_story(s->newest, v->wide, out->text, sizeof(out->text));
	} else if (no_limit(s)) {
		snprintf(out->text, sizeof(out->text), "no limit");
		out->role = ROLE_LABEL;
	} else if (s->gas) {
		out->bar = true;
		out->share = gas_share(s);
		out->role = bar_gas_role(out->share);
	}
}

static void cell_fee(const struct u256 *wei, enum fee_unit unit, struct table_cell *out)
{
	if (wei && unit == FEE_GWEI && !u256_is_zero(wei) && u256_sat64(wei) < 500000)
		snprintf(out->text, sizeof(out->text), "<0.001");
	else
		number_fee_in(out->text, sizeof(out->text), wei, unit);
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct group_view *v = ctx;
	struct sum s;

	sum_up(v, row, &s);
	switch ((enum col)col) {
	case COL_NUMBER:
		cell_number(v, &s, out);
		break;
	case COL_AGE:
		time_age(out->text, sizeof(out->text), parts_since(v->m, s.newest->h.time_ms));
		out->role = ROLE_LABEL;
		break;
	case COL_BLOCKS:
		cell_blocks(&s, out);
		break;
	case COL_TXS:
		if (!s.bodies && s.newest->heard && v->m->now_mono < s.newest->first_mono + BODY_COMES_NS)
			snprintf(out->text, sizeof(out->text), "\xe2\x80\xa6");
		else
			number_int(out->text, sizeof(out->text), s.bodies ? s.txs : UNKNOWN);
		break;
	case COL_GAS:
		cell_gas(v, &s, out);
		break;
	case COL_SHARE:
		number_fixed(out->text, sizeof(out->text), no_limit(&s) ? gas_rate(v, &s) / 1e6 : gas_share(&s) * 100, 1);
		break;
	case COL_BASE:
		cell_fee(s.newest->h.has & H_BASE_FEE ? &s.newest->h.base_fee : NULL, v->unit, out);
		break;
	case COL_TIP:
		cell_fee(s.newest->tips.valid ? &s.newest->tips.p50 : NULL, v->unit, out);
		break;
	case COL_BLOBS:
		if (v->c->turns)
			cell_turn(&s, out);
		else
			number_int(out->text, sizeof(out->text), s.newest->h.has & H_BLOB_GAS_USED ? s.blobs : UNKNOWN);
		break;
	case COL_KB:
		number_int(out->text, sizeof(out->text), s.bodies ? (s.bytes + 500) / 1000 : UNKNOWN);
		break;
	case COL_LATE:
		number_fixed(out->text, sizeof(out->text), s.late_known ? (double)s.late_ns / 1e9 : NAN, 2);
		break;
	case COL_BUILDER:
		cell_builder(v, row, &s, out);
		break;
	case COL_TRUTH:
		cell_truth(&s, out);
		break;
	}
	out->role = parts_role(out->text, out->role);
	if (s.orphan)
		out->role = ROLE_ORPHAN;
}

/* ---- the source ---- */

/* A second's row is the same while blocks are added to it; an orphan goes by its hash. */
static uint64_t key(const void *ctx, unsigned row)
{
	const struct group_view *v = ctx;
	const struct blk *b = v->rows[v->group[row].first];

	return b->state == BLK_CANON ? b->h.time_ms / 1000 : hash_key(&b->h.hash) | UINT64_C(1) << 63;
}

static double value(const struct group_view *v, unsigned row, enum col col)
{
	struct sum s;

	sum_up(v, row, &s);
	switch (col) {
	case COL_NUMBER:
		return (double)s.newest->h.number;
	case COL_AGE:
		return (double)s.newest->h.time_ms;
	case COL_BLOCKS:
		return s.n;
	case COL_TXS:
		return s.bodies ? (double)s.txs : NAN;
	case COL_GAS:
		return (double)s.gas;
	case COL_SHARE:
		return no_limit(&s) ? gas_rate(v, &s) : gas_share(&s);
	case COL_BASE:
		return s.newest->h.has & H_BASE_FEE ? u256_double(&s.newest->h.base_fee) : NAN;
	case COL_TIP:
		return s.newest->tips.valid ? u256_double(&s.newest->tips.p50) : NAN;
	case COL_BLOBS:
		return v->c->turns ? s.out_of_turn : (double)s.blobs;
	case COL_KB:
		return s.bodies ? (double)s.bytes : NAN;
	case COL_LATE:
		return s.late_known ? (double)s.late_ns : NAN;
	default:
		return 0;
	}
}

/* The most first; unknown values stand last whichever way. */
static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct group_view *v = ctx;
	double x = value(v, a, (enum col)col), y = value(v, b, (enum col)col);
	int unknown = (isnan(x) != 0) - (isnan(y) != 0);

	if (isnan(x) || isnan(y))
		return v->table->reverse ? -unknown : unknown;
	return (x < y) - (x > y);
}

struct table_source group_source(const struct group_view *v)
{
	return (struct table_source){ .ctx = v, .n = v->n, .key = key, .cell = cell, .cmp = cmp };
}
