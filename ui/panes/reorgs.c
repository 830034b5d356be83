/* Reorgs, and heads that only went back: what was replaced, how long it had lived, what it cost. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_table.h"

#define DASH "\xe2\x80\x94"
#define ARROW "\xe2\x86\x92"

enum col { COL_TIME, COL_DEPTH, COL_AT, COL_HASHES, COL_LIVED, COL_FIRST, COL_LOST, COL_VALUE, COL_TIPS, COLS };

enum {
	ROWS_MAX = sizeof(((struct chain *)0)->reorgs) / sizeof(struct reorg) +
		   sizeof(((struct chain *)0)->setbacks) / sizeof(struct setback)
};

static const struct table_col cols[COLS] = {
	[COL_TIME] = { .title = "UTC", .gap = 0, .width = 8, .align = TABLE_LEFT },
	[COL_DEPTH] = { .title = "depth", .gap = 1, .width = 5 },
	[COL_AT] = { .title = "at", .gap = 1, .width = 11, .align = TABLE_RIGHT },
	[COL_HASHES] = { .title = "old" ARROW "new", .gap = 2, .width = 9, .align = TABLE_LEFT, .fixed_order = true },
	[COL_LIVED] = { .title = "lived", .gap = 1, .width = 7, .priority = 3 },
	[COL_FIRST] = { .title = "first heard the loser", .gap = 2, .width = 21, .align = TABLE_LEFT, .priority = 5 },
	[COL_LOST] = { .title = "txs lost", .gap = 1, .width = 10, .priority = 1 },
	[COL_VALUE] = { .title = "value lost", .gap = 2, .width = 12, .priority = 4 },
	[COL_TIPS] = { .title = "tips new" "\xe2\x88\x92" "old", .gap = 1, .width = 22, .priority = 6, .fixed_order = true },
};

struct state {
	struct table table;
};

/* One of the two is set. */
struct row {
	const struct reorg *reorg;
	const struct setback *back;
};

struct view {
	const struct model *m;
	const struct chain *c;
	const struct table *table;
	struct row row[ROWS_MAX];
	unsigned n;
};

/* Both lists are newest first. */
static void look(struct view *v, const struct state *s, const struct model *m)
{
	unsigned r = 0, b = 0;

	*v = (struct view){ .m = m, .c = model_chain(m), .table = &s->table };
	while (v->c && (r < v->c->n_reorgs || b < v->c->n_setbacks)) {
		bool reorg = b == v->c->n_setbacks ||
			     (r < v->c->n_reorgs && v->c->reorgs[r].mono >= v->c->setbacks[b].mono);

		if (reorg)
			v->row[v->n++].reorg = &v->c->reorgs[r++];
		else
			v->row[v->n++].back = &v->c->setbacks[b++];
	}
}

/* ---- cells ---- */

static const char *path_name(const struct model *m, uint16_t path, char *out, size_t size)
{
	if (path < m->n_paths)
		snprintf(out, size, "%s %s", m->paths[path]->node, m->paths[path]->via);
	else
		snprintf(out, size, DASH);
	return out;
}

/* What a head that went back means, over the rest of the row. */
static void went_back(const struct view *v, const struct setback *b, struct table_cell *out)
{
	char from[NUMBER_MAX], name[64];

	out->spill = true;
	out->role = ROLE_WARN;
	snprintf(out->text, sizeof(out->text), "%s fell from %s: no reorg, no block lost; several nodes answer there",
		 path_name(v->m, b->path, name, sizeof(name)), number_int(from, sizeof(from), b->from));
}

static void hashes(const struct reorg *r, struct table_cell *out)
{
	if (hash_is_zero(&r->to))
		snprintf(out->text, sizeof(out->text), "%02x%02x" ARROW "?", r->from.b[0], r->from.b[1]);
	else
		snprintf(out->text, sizeof(out->text), "%02x%02x" ARROW "%02x%02x", r->from.b[0], r->from.b[1], r->to.b[0],
			 r->to.b[1]);
	out->role = ROLE_ORPHAN;
}

/* "2 of 97": not on the chain again so far. */
static void lost(const struct reorg *r, struct table_cell *out)
{
	if (r->undone) {
		snprintf(out->text, sizeof(out->text), "undone");
		out->role = ROLE_DIM;
	} else if (!r->txs_known) {
		snprintf(out->text, sizeof(out->text), DASH);
	} else {
		snprintf(out->text, sizeof(out->text), "%" PRIu32 " of %" PRIu32, r->txs - r->back, r->txs);
		out->role = r->txs > r->back ? ROLE_WARN : ROLE_TEXT;
	}
}

/* a − b with its sign: as gwei, or as ether with so many digits. */
static void difference(const struct u256 *a, const struct u256 *b, bool gwei, unsigned digits, char *out, size_t size)
{
	struct u256 d;
	char amount[NUMBER_MAX];
	bool less = u256_cmp(a, b) < 0;

	if (!u256_sub(&d, less ? b : a, less ? a : b))
		d = u256_from64(0);
	if (gwei)
		number_gwei(amount, sizeof(amount), &d, digits);
	else
		number_ether(amount, sizeof(amount), &d, digits);
	snprintf(out, size, "%s%s", u256_is_zero(&d) ? "" : less ? "\xe2\x88\x92" : "+", amount);
}

/* Without receipts it is known within bounds only: one figure if they are the same as written. */
static void tips(const struct view *v, const struct reorg *r, struct table_cell *out)
{
	char least[NUMBER_MAX], most[NUMBER_MAX];
	const struct u256 *top = u256_cmp(&r->new_hi, &r->old_hi) > 0 ? &r->new_hi : &r->old_hi;
	uint64_t size = u256_sat64(top);
	const char *unit;
	bool gwei = size < UINT64_C(100000000000000); /* 0.0001 */
	unsigned digits = gwei ? (size < UINT64_C(1000000000000) ? 3 : 0) : size < UINT64_C(100000000000000000) ? 6 : 3;

	if (!r->tips_known || r->undone) {
		snprintf(out->text, sizeof(out->text), DASH);
		return;
	}
	difference(&r->new_lo, &r->old_hi, gwei, digits, least, sizeof(least));
	difference(&r->new_hi, &r->old_lo, gwei, digits, most, sizeof(most));
	unit = gwei ? "gwei" : parts_unit(v->c);
	if (strcmp(least, most) == 0)
		snprintf(out->text, sizeof(out->text), "%.60s %s", least, unit);
	else
		snprintf(out->text, sizeof(out->text), "%.60s\xe2\x80\xa6%.60s %s", least, most, unit);
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct reorg *r = v->row[row].reorg;
	const struct setback *b = v->row[row].back;

	switch ((enum col)col) {
	case COL_TIME:
		time_clock_utc(out->text, sizeof(out->text), r ? r->wall : b->wall);
		out->role = ROLE_LABEL;
		return;
	case COL_DEPTH:
		if (r)
			number_int(out->text, sizeof(out->text), r->depth);
		else
			snprintf(out->text, sizeof(out->text), "back");
		break;
	case COL_AT: number_int(out->text, sizeof(out->text), r ? r->number : b->to); break;
	case COL_HASHES:
		if (r)
			hashes(r, out);
		else
			went_back(v, b, out);
		return;
	case COL_LIVED:
		if (r)
			time_latency(out->text, sizeof(out->text), r->lived_ns);
		break;
	case COL_FIRST:
		if (r)
			path_name(v->m, r->path, out->text, sizeof(out->text));
		break;
	case COL_LOST:
		if (r)
			lost(r, out);
		break;
	case COL_VALUE:
		if (r && r->value_known && !r->undone)
			parts_amount(out->text, sizeof(out->text), &r->lost_value, v->c);
		else
			snprintf(out->text, sizeof(out->text), DASH);
		break;
	case COL_TIPS:
		if (r)
			tips(v, r, out);
		break;
	case COLS: break;
	}
	out->role = parts_role(out->text, out->role);
}

static double value(const struct view *v, unsigned row, enum col col)
{
	const struct reorg *r = v->row[row].reorg;

	if (col == COL_TIME)
		return -(double)(r ? r->mono : v->row[row].back->mono);
	if (!r)
		return NAN;
	switch (col) {
	case COL_DEPTH: return -(double)r->depth;
	case COL_AT: return -(double)r->number;
	case COL_LIVED: return r->lived_ns == UNKNOWN ? NAN : -(double)r->lived_ns;
	case COL_FIRST: return (double)r->path;
	case COL_LOST: return r->txs_known ? -(double)(r->txs - r->back) : NAN;
	case COL_VALUE: return r->value_known ? -u256_double(&r->lost_value) : NAN;
	default: return NAN;
	}
}

static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	double x = value(v, a, (enum col)col), y = value(v, b, (enum col)col);
	int unknown = (isnan(x) != 0) - (isnan(y) != 0);

	if (isnan(x) || isnan(y))
		return v->table->reverse ? -unknown : unknown;
	return (x > y) - (x < y);
}

static uint64_t key(const void *ctx, unsigned row)
{
	const struct view *v = ctx;
	const struct reorg *r = v->row[row].reorg;

	/* Stamps of one chain differ: a path decides one thing at a time. */
	return r ? r->mono * 2 + 1 : v->row[row].back->mono * 2;
}

static struct table_source source(const struct state *s, const struct model *m, struct view *v)
{
	look(v, s, m);
	return (struct table_source){ .ctx = v, .n = v->n, .key = key, .cell = cell, .cmp = cmp };
}

/* ---- the pane ---- */

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	char note[120], sorted[64], age[40], n[NUMBER_MAX];
	struct canvas in;

	table_note(&s->table, cols, sorted, sizeof(sorted));
	if (s->table.sort)
		snprintf(note, sizeof(note), "%s", sorted);
	else if (v.c && v.c->reorg_count > v.c->n_reorgs)
		snprintf(note, sizeof(note), "the newest of %s", number_int(n, sizeof(n), v.c->reorg_count));
	else
		snprintf(note, sizeof(note), "in %s", time_age(age, sizeof(age), (int64_t)(m->now_mono - m->start_mono)));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Reorgs", note, NULL));
	if (v.n == 0) {
		canvas_text(&in, 1, 0, in.at.w - 1, ROLE_DIM, 0, "no block was replaced so far, and no head went back");
		return;
	}
	table_draw(&s->table, cols, COLS, &src, &in, focus);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	const struct hash *h;
	char hex[67];
	long row;

	if (cmd != UI_OPEN && cmd != UI_COPY)
		return table_command(&s->table, cols, COLS, &src, cmd);
	row = table_selected(&s->table, &src);
	if (row < 0)
		return PANE_IGNORED;
	h = v.row[row].reorg ? &v.row[row].reorg->from : &v.row[row].back->hash;
	if (cmd == UI_COPY)
		return parts_copy(pane, parts_hex(hex, h));
	return parts_open_block(pane, h, v.row[row].reorg ? v.row[row].reorg->number : v.row[row].back->to);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);

	return table_click(&s->table, cols, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_reorgs;
const struct pane_class pane_reorgs = {
	.name = "reorgs",
	.title = "Reorgs",
	.help = "blocks that were replaced, what became of their transactions; apart from them, heads that only went back",
	.wants = DIRTY_BLOCKS | DIRTY_NOTES | DIRTY_CLOCK,
	.views = 1u << 6,
	.min_w = 30,
	.min_h = 4,
	.priority = 2,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
