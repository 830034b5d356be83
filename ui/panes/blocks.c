/* Blocks: the newest first, orphans beside the block that won. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "eth/address.h"
#include "eth/names.h"
#include "ui/pane.h"
#include "ui/panes/block_groups.h"
#include "ui/panes/parts.h"
#include "ui/widget_bar.h"
#include "ui/widget_table.h"

enum col {
	COL_NUMBER, COL_AGE, COL_DELTA, COL_TXS, COL_GAS, COL_SHARE, COL_BASE, COL_TIP, COL_BLOBS, COL_KB, COL_LATE,
	COL_BUILDER, COL_TRUTH, COL_HASH, COL_FIRST, COL_USABLE, COL_BURNED, COLS
};

enum {
	ROWS_MAX = BLOCKS_KEPT,
	WIDE = 100,
	WIDE_NEEDS = 104, /* columns of the wide form inside the frame; what is more goes to the builder's name */
	BUILDER_MORE = 8,
	BUILDER_FITS = 80, /* narrower than that ✓ has its column instead */
};

static const uint64_t NUMBER_WIDE = 100000000; /* from here on numbers are wider than their column */
static const uint64_t BODY_COMES_NS = 10 * NS_S; /* so long a body that is missing may be on its way */

enum times { TIMES_AGE, TIMES_UTC, TIMES_LOCAL, TIMES_N };

struct state {
	struct table table;
	struct table groups; /* of the rows of a second each */
	bool single; /* each block has its row though T < 1 s */
	enum fee_unit unit;
	enum times times;
	const struct blk *rows[ROWS_MAX];
	struct block_group group[ROWS_MAX];
};

/* Narrow and wide differ in the gaps, so that both are filled to the edge. */
static const struct table_col wide[COLS] = {
	[COL_NUMBER] = { .title = "number", .gap = 1, .width = 10 },
	[COL_AGE] = { .title = "age", .gap = 2, .width = 5 },
	[COL_DELTA] = { .title = "\xce\x94t s", .gap = 2, .width = 4, .priority = 1 },
	[COL_TXS] = { .title = "txs", .gap = 2, .width = 4 },
	[COL_GAS] = { .title = "gas used", .gap = 2, .width = 8, .priority = 4, .align = TABLE_LEFT },
	[COL_SHARE] = { .title = "%", .gap = 1, .width = 5 },
	[COL_BASE] = { .title = "base gwei", .gap = 1, .width = 9, .priority = 2 },
	[COL_TIP] = { .title = "tip p50", .gap = 2, .width = 7, .priority = 3 },
	[COL_BLOBS] = { .title = "blobs", .gap = 2, .width = 5, .priority = 8 },
	[COL_KB] = { .title = "kB", .gap = 1, .width = 4, .priority = 9 },
	[COL_LATE] = { .title = "late s", .gap = 2, .width = 6, .priority = 10 },
	[COL_BUILDER] = { .title = "builder", .gap = 2, .width = 12, .priority = 6, .align = TABLE_LEFT },
	[COL_TRUTH] = { .title = "", .gap = 0, .width = 1, .priority = 7, .align = TABLE_LEFT, .fixed_order = true },
	[COL_HASH] = { .title = "hash", .gap = 2, .width = 9, .priority = 11, .align = TABLE_LEFT, .fixed_order = true },
	[COL_FIRST] = { .title = "first heard", .gap = 2, .width = 13, .priority = 12, .align = TABLE_LEFT },
	[COL_USABLE] = { .title = "usable", .gap = 1, .width = 7, .priority = 13 },
	[COL_BURNED] = { .title = "burned \xce\x9e", .gap = 2, .width = 8, .priority = 14 },
};

static const struct table_col narrow[COLS] = {
	[COL_NUMBER] = { .title = "number", .gap = 0, .width = 10 },
	[COL_AGE] = { .title = "age", .gap = 2, .width = 5 },
	[COL_DELTA] = { .title = "\xce\x94t s", .gap = 2, .width = 4, .priority = 1 },
	[COL_TXS] = { .title = "txs", .gap = 2, .width = 4 },
	[COL_GAS] = { .title = "gas used", .gap = 2, .width = 8, .priority = 4, .align = TABLE_LEFT },
	[COL_SHARE] = { .title = "%", .gap = 1, .width = 4 },
	[COL_BASE] = { .title = "base gwei", .gap = 2, .width = 9, .priority = 2 },
	[COL_TIP] = { .title = "tip p50", .gap = 2, .width = 7, .priority = 3 },
	[COL_BLOBS] = { .title = "blobs", .gap = 2, .width = 5, .priority = 8 },
	[COL_KB] = { .title = "kB", .gap = 1, .width = 4, .priority = 9 },
	[COL_LATE] = { .title = "late s", .gap = 2, .width = 6, .priority = 10 },
	[COL_BUILDER] = { .title = "builder", .gap = 2, .width = 11, .grow = 1, .priority = 6, .align = TABLE_LEFT },
	[COL_TRUTH] = { .title = "", .gap = 1, .width = 1, .priority = 7, .align = TABLE_LEFT, .fixed_order = true },
	[COL_HASH] = { .title = "hash", .gap = 2, .width = 9, .priority = 11, .align = TABLE_LEFT, .fixed_order = true },
	[COL_FIRST] = { .title = "first heard", .gap = 2, .width = 13, .priority = 12, .align = TABLE_LEFT },
	[COL_USABLE] = { .title = "usable", .gap = 1, .width = 7, .priority = 13 },
	[COL_BURNED] = { .title = "burned \xce\x9e", .gap = 2, .width = 8, .priority = 14 },
};

struct view {
	const struct model *m;
	const struct chain *c;
	const struct state *s;
	const struct blk *const *rows;
	bool wide;
};

static const struct blk *at(const void *ctx, unsigned row)
{
	return ((const struct view *)ctx)->rows[row];
}

static uint64_t key(const void *ctx, unsigned row)
{
	return hash_key(&at(ctx, row)->h.hash);
}

/* Blocks of less than a second: Δt is in ms. */
static bool in_ms(const struct chain *c)
{
	/* A dev chain mines when it is told to: a burst says nothing of its pace, and who runs it wants to see each block. */
	return c && c->info->kind != CHAIN_DEV && c->block_ms != UNKNOWN && c->block_ms < 1000;
}

static bool no_limit(const struct head *h)
{
	return h->gas_limit >= PARTS_NO_LIMIT;
}

static double gas_share(const struct head *h)
{
	return h->gas_limit ? (double)h->gas_used / (double)h->gas_limit : NAN;
}

/* Gas per second since the block before; T where that is not known. */
static double gas_rate(const struct view *v, const struct blk *b)
{
	uint64_t ms = blk_interval_ms(v->c, b);

	if (ms == UNKNOWN || ms == 0)
		ms = v->c->block_ms;
	return ms == UNKNOWN || ms == 0 ? NAN : (double)b->h.gas_used * 1000 / (double)ms;
}

/* ---- cells ---- */

static void cell_age(const struct view *v, const struct blk *b, struct table_cell *out)
{
	int64_t age = parts_since(v->m, b->h.time_ms);
	time_t t = (time_t)(b->h.time_ms / 1000);
	struct tm tm;

	out->role = ROLE_LABEL;
	if (v->s->times == TIMES_AGE || !(v->s->times == TIMES_UTC ? gmtime_r(&t, &tm) : localtime_r(&t, &tm)))
		time_age(out->text, sizeof(out->text), age);
	else
		strftime(out->text, sizeof(out->text), "%H:%M:%S", &tm);
}

static void cell_delta(const struct view *v, const struct blk *b, struct table_cell *out)
{
	uint64_t ms = blk_interval_ms(v->c, b);

	out->role = ROLE_LABEL;
	if (ms == UNKNOWN) {
		snprintf(out->text, sizeof(out->text), "\xe2\x80\x94");
		return;
	}
	if (in_ms(v->c) && ms < 100 * 1000)
		snprintf(out->text, sizeof(out->text), "%llu", (unsigned long long)ms);
	else if (ms < 1000 * 1000)
		number_fixed(out->text, sizeof(out->text), (double)ms / 1000, ms < 100 * 1000);
	else
		time_age(out->text, sizeof(out->text), (int64_t)(ms * NS_MS));
	if (b->slot_lost) {
		out->mark = '!';
		out->mark_role = ROLE_WARN;
		out->role = ROLE_WARN;
	}
}

static void cell_fee(const struct view *v, const struct u256 *wei, struct table_cell *out)
{
	/* Less than the last digit is not nothing. */
	if (wei && v->s->unit == FEE_GWEI && !u256_is_zero(wei) && u256_sat64(wei) < 500000)
		snprintf(out->text, sizeof(out->text), "<0.001");
	else
		number_fee_in(out->text, sizeof(out->text), wei, v->s->unit);
}

static void cell_truth(const struct blk *b, struct table_cell *out)
{
	static const struct {
		const char *glyph;
		enum role role;
	} truth[] = {
		[TRUTH_NONE] = { "", ROLE_TEXT },
		[TRUTH_YES] = { "\xe2\x9c\x93", ROLE_OK },
		[TRUTH_UNKNOWN] = { "?", ROLE_DIM },
		[TRUTH_NO] = { "\xe2\x9c\x97", ROLE_CRIT },
	};

	snprintf(out->text, sizeof(out->text), "%s", truth[b->truth].glyph);
	out->role = truth[b->truth].role;
}

/* In its turn or not, and which block of the signer's run it is: "in 5/8", "OUT". */
static void cell_turn(const struct view *v, const struct blk *b, struct table_cell *out)
{
	const char *turn = b->h.difficulty == 2 ? "in" : b->h.difficulty == 1 ? "OUT" : "";
	char run[24] = "";

	if (b->run && v->c->run_len)
		snprintf(run, sizeof(run), "%s%u/%u", turn[0] ? " " : "", b->run, v->c->run_len);
	if (b->h.difficulty == 1)
		out->role = ROLE_WARN;
	snprintf(out->text, sizeof(out->text), "%s%s", turn, run);
	if (!out->text[0])
		snprintf(out->text, sizeof(out->text), "\xe2\x80\x94");
}

static void cell_validator(const struct view *v, const struct blk *b, struct table_cell *out)
{
	const char *name = b->signer_known ? name_addr(v->c->id, &b->signer) : NULL;

	out->role = ROLE_BUILDER;
	if (name)
		snprintf(out->text, sizeof(out->text), "%s", name);
	else if (b->signer_known)
		address_short(out->text, &b->signer);
	else
		snprintf(out->text, sizeof(out->text), "\xe2\x80\x94");
}

static void cell_blobs(const struct view *v, const struct blk *b, struct table_cell *out)
{
	unsigned long long n = b->h.blob_gas_used / BLOB_GAS;

	if (v->c->turns)
		cell_turn(v, b, out);
	else if (!(b->h.has & H_BLOB_GAS_USED))
		snprintf(out->text, sizeof(out->text), "\xe2\x80\x94");
	else if (v->c->next.blob_max)
		snprintf(out->text, sizeof(out->text), "%llu/%u", n, v->c->next.blob_max);
	else
		snprintf(out->text, sizeof(out->text), "%llu", n);
}

/* What only the body tells. */
static void cell_body(const struct view *v, const struct blk *b, enum col col, struct table_cell *out)
{
	if (!b->body_seen) {
		bool comes = b->heard && v->m->now_mono < b->first_mono + BODY_COMES_NS;

		snprintf(out->text, sizeof(out->text), "%s", comes ? "\xe2\x80\xa6" : "\xe2\x80\x94");
		out->role = ROLE_DIM;
	} else if (col == COL_TXS) {
		number_int(out->text, sizeof(out->text), b->ntx);
	} else if (col == COL_TIP) {
		cell_fee(v, b->tips.valid ? &b->tips.p50 : NULL, out);
	} else if (b->size < 9999500) {
		snprintf(out->text, sizeof(out->text), "%u", (b->size + 500) / 1000);
	} else {
		number_si(out->text, sizeof(out->text), b->size);
	}
}

static void cell_first(const struct view *v, const struct blk *b, struct table_cell *out)
{
	const struct path *p = b->heard && b->first_path < v->m->n_paths ? v->m->paths[b->first_path] : NULL;

	if (p)
		snprintf(out->text, sizeof(out->text), "%s %s", p->node, p->via);
	else
		snprintf(out->text, sizeof(out->text), "\xe2\x80\x94");
}

/* From the first head to the first decoded body. */
static uint64_t usable_ns(const struct blk *b)
{
	if (!b->heard || b->usable_mono == UNKNOWN || b->usable_mono < b->first_mono)
		return UNKNOWN;
	return b->usable_mono - b->first_mono;
}

static bool burned(const struct view *v, const struct blk *b, struct u256 *out)
{
	struct header h = {
		.has = b->h.has,
		.base_fee = b->h.base_fee,
		.gas_used = b->h.gas_used,
		.blob_gas_used = b->h.blob_gas_used,
		.excess_blob_gas = b->h.excess_blob_gas,
	};

	return fee_burned(&h, chain_blobs(v->c->info, b->h.time_ms / 1000), out);
}

static void cell_burned(const struct view *v, const struct blk *b, struct table_cell *out)
{
	struct u256 wei;

	number_ether(out->text, sizeof(out->text), burned(v, b, &wei) ? &wei : NULL, 6);
	/* Wider than its column: fewer digits. */
	if (strlen(out->text) > 8 && parts_width(out->text) > 8)
		number_ether(out->text, sizeof(out->text), &wei, 3);
}

static void cell_gas(const struct view *v, const struct blk *b, struct table_cell *out)
{
	double share = gas_share(&b->h);

	if (b->state == BLK_ORPHAN || (b->state == BLK_SIDE && v->wide)) {
		out->spill = true;
		parts_story(b, v->wide, out->text, sizeof(out->text));
	} else if (no_limit(&b->h)) {
		snprintf(out->text, sizeof(out->text), "no limit");
		out->role = ROLE_LABEL;
	} else if (b->h.gas_used) {
		out->bar = true;
		out->share = share;
		out->role = bar_gas_role(share);
	}
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct blk *b = at(ctx, row);

	switch ((enum col)col) {
	case COL_NUMBER:
		number_int(out->text, sizeof(out->text), b->h.number);
		out->role = b == v->c->head ? ROLE_HEAD : ROLE_TEXT;
		/* Proven wrong is said here, too: the column for it leaves when it is narrow. */
		if (b->truth == TRUTH_NO) {
			out->mark = 0x2717;
			out->mark_role = ROLE_CRIT;
		} else if (b->state != BLK_CANON) {
			out->mark = 0x2032;
			out->mark_role = ROLE_ORPHAN;
		}
		break;
	case COL_AGE:
		cell_age(v, b, out);
		break;
	case COL_DELTA:
		cell_delta(v, b, out);
		break;
	case COL_GAS:
		cell_gas(v, b, out);
		break;
	case COL_SHARE:
		if (no_limit(&b->h))
			number_fixed(out->text, sizeof(out->text), gas_rate(v, b) / 1e6, 1);
		else
			number_fixed(out->text, sizeof(out->text), gas_share(&b->h) * 100, v->wide);
		break;
	case COL_BASE:
		cell_fee(v, b->h.has & H_BASE_FEE ? &b->h.base_fee : NULL, out);
		break;
	case COL_LATE:
		number_fixed(out->text, sizeof(out->text), b->heard && b->late_known ? (double)b->late_ns / 1e9 : NAN, 2);
		if (b->heard && b->late_known && v->c->info->late_ms && b->late_ns > (int64_t)(v->c->info->late_ms * NS_MS))
			out->role = ROLE_WARN;
		break;
	case COL_BUILDER:
		if (v->c->turns) {
			cell_validator(v, b, out);
			break;
		}
		snprintf(out->text, sizeof(out->text), "%s", b->builder[0] ? b->builder : "unknown");
		out->role = b->builder[0] ? ROLE_BUILDER : ROLE_DIM;
		break;
	case COL_TRUTH:
		cell_truth(b, out);
		break;
	case COL_BLOBS:
		cell_blobs(v, b, out);
		break;
	case COL_HASH:
		snprintf(out->text, sizeof(out->text), "%02x%02x%02x%02x\xe2\x80\xa6", b->h.hash.b[0], b->h.hash.b[1],
			 b->h.hash.b[2], b->h.hash.b[3]);
		out->role = ROLE_LABEL;
		break;
	case COL_FIRST:
		cell_first(v, b, out);
		break;
	case COL_USABLE:
		time_latency(out->text, sizeof(out->text), usable_ns(b));
		break;
	case COL_BURNED:
		cell_burned(v, b, out);
		break;
	case COL_TXS:
	case COL_TIP:
	case COL_KB:
		cell_body(v, b, (enum col)col, out);
		break;
	default:
		break;
	}
	out->role = parts_role(out->text, out->role);
	if (b->state != BLK_CANON)
		out->role = ROLE_ORPHAN;
}

/* ---- order ---- */

/* Unknown values stand last whichever way the rest is sorted; the table turns the sign when it is reversed. */
static int by(double a, double b, bool reverse)
{
	int unknown = (isnan(a) != 0) - (isnan(b) != 0);

	if (isnan(a) || isnan(b))
		return reverse ? -unknown : unknown;
	return (a < b) - (a > b);
}

static double value(const struct view *v, const struct blk *b, enum col col)
{
	struct u256 wei;
	uint64_t ms;

	switch (col) {
	case COL_NUMBER:
		return (double)b->h.number;
	case COL_AGE:
		return (double)b->h.time_ms;
	case COL_DELTA:
		ms = blk_interval_ms(v->c, b);
		return ms == UNKNOWN ? NAN : (double)ms;
	case COL_TXS:
		return b->body_seen ? (double)b->ntx : NAN;
	case COL_GAS:
		return (double)b->h.gas_used;
	case COL_SHARE:
		return no_limit(&b->h) ? gas_rate(v, b) : gas_share(&b->h);
	case COL_BASE:
		return b->h.has & H_BASE_FEE ? u256_double(&b->h.base_fee) : NAN;
	case COL_TIP:
		return b->tips.valid ? u256_double(&b->tips.p50) : NAN;
	case COL_BLOBS:
		if (v->c->turns)
			return b->h.difficulty;
		return b->h.has & H_BLOB_GAS_USED ? (double)b->h.blob_gas_used : NAN;
	case COL_KB:
		return b->body_seen ? (double)b->size : NAN;
	case COL_LATE:
		return b->heard && b->late_known ? (double)b->late_ns : NAN;
	case COL_FIRST:
		return b->heard ? (double)b->first_path : NAN;
	case COL_USABLE:
		return usable_ns(b) != UNKNOWN ? (double)usable_ns(b) : NAN;
	case COL_BURNED:
		return burned(v, b, &wei) ? u256_double(&wei) : NAN;
	default:
		return 0;
	}
}

static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	const struct blk *x = at(ctx, a), *y = at(ctx, b);

	if (col == COL_BUILDER)
		return strcmp(x->builder[0] ? x->builder : "\x7f", y->builder[0] ? y->builder : "\x7f");
	return by(value(v, x, (enum col)col), value(v, y, (enum col)col), v->s->table.reverse);
}

/* ---- the pane ---- */

static void columns(const struct state *s, const struct chain *c, int w, struct table_col out[COLS])
{
	bool is_wide = w >= WIDE;

	memcpy(out, is_wide ? wide : narrow, sizeof(wide));
	if (s->times != TIMES_AGE) {
		out[COL_AGE].title = s->times == TIMES_UTC ? "UTC" : "local";
		out[COL_AGE].width = 8;
	}
	if (is_wide && w - 2 >= WIDE_NEEDS + BUILDER_MORE)
		out[COL_BUILDER].width += BUILDER_MORE;
	if (w < BUILDER_FITS) {
		out[COL_TRUTH].priority = 5;
		out[COL_GAS].grow = 1;
	}
	if (s->unit != FEE_GWEI)
		out[COL_BASE].title = s->unit == FEE_WEI ? "base wei" : "base ether";
	if (!c)
		return;
	if (c->head && c->head->h.number >= NUMBER_WIDE) {
		out[COL_NUMBER].width++;
		out[COL_BUILDER].width--;
	}
	if (in_ms(c)) {
		out[COL_DELTA].title = "\xce\x94t ms";
		out[COL_DELTA].gap--;
		out[COL_DELTA].width++;
	}
	if (c->head && no_limit(&c->head->h))
		out[COL_SHARE] = (struct table_col){ .title = "Mgas/s", .gap = 1, .width = 6 };
	if (strcmp(parts_unit(c), "\xce\x9e") != 0)
		out[COL_BURNED].title = "burned";
	if (c->turns) {
		out[COL_BLOBS].title = "turn";
		out[COL_BLOBS].width += 2;
		out[COL_BUILDER].title = "validator";
	}
}

static struct table_source source(struct state *s, const struct model *m, struct view *v)
{
	struct chain *c = model_chain(m);

	*v = (struct view){ .m = m, .c = c, .s = s, .rows = s->rows };
	return (struct table_source){
		.ctx = v,
		.n = c ? chain_rows(c, 0, s->rows, ROWS_MAX) : 0,
		.key = key,
		.cell = cell,
		.cmp = cmp,
	};
}

/* True: rows are seconds. Then *g and *src are theirs. */
static bool grouped(struct state *s, const struct view *v, bool is_wide, struct group_view *g, struct table_source *src)
{
	if (!in_ms(v->c) || s->single)
		return false;
	*g = (struct group_view){
		.m = v->m,
		.c = v->c,
		.rows = s->rows,
		.group = s->group,
		.n = block_groups(s->group, s->rows, src->n),
		.unit = s->unit,
		.wide = is_wide,
		.table = &s->groups,
	};
	*src = group_source(g);
	return true;
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct view v;
	struct group_view g;
	struct table_source src = source(s, m, &v);
	char foot[80] = "", note[80], kept[NUMBER_MAX];
	struct table_col cols[COLS], by_second[GROUP_COLS];
	struct canvas in;
	bool seconds;

	v.wide = c->at.w >= WIDE;
	columns(s, v.c, c->at.w, cols);
	seconds = grouped(s, &v, v.wide, &g, &src);
	if (src.n)
		snprintf(foot, sizeof(foot), "%s kept%s \xc2\xb7 \xe2\x80\xb2 orphan%s",
			 number_int(kept, sizeof(kept), v.c->kept),
			 v.c->info->kind == CHAIN_SLOT ? " \xc2\xb7 ! slot lost" : "",
			 !in_ms(v.c) ? "" : seconds ? " \xc2\xb7 by second, C each block" : " \xc2\xb7 C by second");
	if (seconds)
		group_columns(v.c, v.wide, s->unit, by_second);
	table_note(seconds ? &s->groups : &s->table, seconds ? by_second : cols, note, sizeof(note));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Blocks", note,
				      c->at.h >= 12 && v.wide ? foot : NULL));
	if (seconds)
		table_draw(&s->groups, by_second, GROUP_COLS, &src, &in, focus);
	else
		table_draw(&s->table, cols, COLS, &src, &in, focus);
	if (src.n == 0)
		canvas_text(&in, 1, in.at.h > 1, -1, ROLE_DIM, 0, "waiting for the first block");
}

static enum pane_result on_row(struct pane *pane, const struct blk *b, enum ui_cmd cmd)
{
	char hex[67];

	switch (cmd) {
	case UI_COPY:
		return parts_copy(pane, parts_hex(hex, &b->h.hash));
	case UI_COPY_JSON:
		pane->body = b->body;
		return parts_copy_json(pane, TARGET_NO_TX);
	default:
		pane->go = (struct target){ .page = cmd == UI_RAW ? "raw" : "block", .block = b->h.hash };
		pane->go.number = b->h.number;
		pane->go.tx = TARGET_NO_TX;
		return PANE_OPEN;
	}
}

/* The newest block of the row that is selected; NULL: there are none. */
static const struct blk *selected(const struct state *s, const struct table_source *src, bool seconds)
{
	long row = table_selected(seconds ? &s->groups : &s->table, src);

	if (row < 0)
		return NULL;
	return s->rows[seconds ? s->group[row].first : (unsigned)row];
}

static enum pane_result toggle_groups(struct pane *pane, const struct chain *c)
{
	struct state *s = pane->state;

	if (!in_ms(c))
		return parts_say(pane, "blocks are a second apart or more: each has its row");
	s->single = !s->single;
	return PANE_DONE;
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct group_view g;
	struct table_source src;
	struct table_col by_second[GROUP_COLS];
	const struct blk *b;
	bool seconds;

	switch (cmd) {
	case UI_UNITS:
		s->unit = (s->unit + 1) % FEE_UNIT_N;
		return PANE_DONE;
	case UI_TIMES:
		s->times = (s->times + 1) % TIMES_N;
		return PANE_DONE;
	case UI_GROUP:
		return toggle_groups(pane, model_chain(m));
	default:
		break;
	}
	src = source(s, m, &v);
	seconds = grouped(s, &v, true, &g, &src);
	switch (cmd) {
	case UI_OPEN:
	case UI_RAW:
	case UI_COPY:
	case UI_COPY_JSON:
		b = selected(s, &src, seconds);
		return b ? on_row(pane, b, cmd) : PANE_IGNORED;
	default:
		break;
	}
	if (!seconds)
		return table_command(&s->table, wide, COLS, &src, cmd);
	group_columns(v.c, true, s->unit, by_second);
	return table_command(&s->groups, by_second, GROUP_COLS, &src, cmd);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct group_view g;
	struct table_source src = source(s, m, &v);
	struct table_col by_second[GROUP_COLS];

	if (!grouped(s, &v, true, &g, &src))
		return table_click(&s->table, wide, COLS, &src, x - 1, y - 1);
	group_columns(v.c, true, s->unit, by_second);
	return table_click(&s->groups, by_second, GROUP_COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_blocks;
const struct pane_class pane_blocks = {
	.name = "blocks",
	.title = "Blocks",
	.help = "the newest blocks; \xe2\x80\xb2 lost a reorg, ! a slot before it stayed empty, "
		"\xe2\x9c\x93 verified by chaintop itself",
	.wants = DIRTY_HEAD | DIRTY_BLOCKS | DIRTY_CLOCK,
	.views = 1u << 1 | 1u << 2,
	.min_w = 20,
	.min_h = 4,
	.priority = 0,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
