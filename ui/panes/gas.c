/* Gas: how full the last blocks were, what the next one costs. "Gas price" on a chain without a base fee. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_bar.h"
#include "ui/widget_graph.h"

enum {
	BLOCKS_MAX = 512,
	AXIS = 5, /* " 60M┤" */
	LABEL = 6, /* " base " */
	SPARK = 10,
	BESIDE = 22, /* the text beside the graph: "full blocks in a row 0" */
};

struct state {
	enum fee_unit unit;
};

/* What the pane shows, gathered once a frame. Values stand oldest first. */
struct look {
	const struct model *m;
	const struct chain *c;
	enum fee_unit unit;
	unsigned n; /* blocks gathered */
	unsigned window; /* of them, so many newest ones belong to the figures */
	double used[BLOCKS_MAX], base[BLOCKS_MAX], blob[BLOCKS_MAX];
	uint8_t role[BLOCKS_MAX];
	double limit; /* the newest block's, NaN if it has none */
	bool base_moves; /* false: 0 in every block we know, as on BSC */
	bool blobs; /* the chain has some, or would have */
	const struct blk *body; /* newest with its body, for the tips */
};

/* count: how many blocks the graph has room for. */
static void gather(struct look *l, const struct model *m, enum fee_unit unit, unsigned count)
{
	const struct blk *b[BLOCKS_MAX];
	unsigned n;

	*l = (struct look){ .m = m, .c = model_chain(m), .unit = unit };
	n = l->c->stats.n > count ? l->c->stats.n : count;
	l->n = parts_blocks(l->c, b, n < BLOCKS_MAX ? n : BLOCKS_MAX);
	l->window = l->c->stats.n < l->n ? l->c->stats.n : l->n;
	l->limit = l->c->head->h.gas_limit < PARTS_NO_LIMIT ? (double)l->c->head->h.gas_limit : NAN;
	l->body = parts_newest_body(l->c);
	for (unsigned i = 0; i < l->n; i++) {
		const struct blk *at = b[l->n - 1 - i];

		l->used[i] = l->base[i] = l->blob[i] = NAN;
		l->role[i] = ROLE_GRAPH;
		if (!at)
			continue;
		l->used[i] = (double)at->h.gas_used;
		if (at->h.gas_limit && at->h.gas_limit < PARTS_NO_LIMIT)
			l->role[i] = (uint8_t)bar_gas_role((double)at->h.gas_used / (double)at->h.gas_limit);
		if (at->h.has & H_BASE_FEE) {
			l->base[i] = u256_double(&at->h.base_fee);
			l->base_moves = l->base_moves || l->base[i] > 0;
		}
		if (at->h.has & H_BLOB_GAS_USED) {
			l->blob[i] = (double)(at->h.blob_gas_used / BLOB_GAS);
			l->blobs = l->blobs || l->blob[i] > 0 || l->c->next.blob_target;
		}
	}
}

/* ---- the graph ---- */

/* Axis and bars in rows 0 … h−1; returns the column behind. */
static int draw_graph(const struct look *l, struct canvas *c, int w, int h, int bar)
{
	char top[NUMBER_MAX];
	struct graph g = {
		.v = l->used,
		.n = l->n,
		.hi = l->limit > 0 ? l->limit : NAN,
		.role = ROLE_GRAPH,
		.roles = l->role,
		.bar_w = bar,
	};
	double hi = isnan(g.hi) ? parts_axis(graph_max(l->used, l->n)) : g.hi;
	int room = w - w % bar;

	g.hi = hi;
	for (int y = 0; y < h; y++)
		canvas_put(c, AXIS - 1, y, 0x2524, ROLE_FRAME, 0);
	canvas_right(c, 0, 0, AXIS - 1, ROLE_LABEL, 0, number_si_short(top, sizeof(top), hi));
	if (h >= 5 && h % 2)
		canvas_right(c, 0, h / 2, AXIS - 1, ROLE_LABEL, 0, number_si_short(top, sizeof(top), hi / 2));
	if (h >= 2)
		canvas_right(c, 0, h - 1, AXIS - 1, ROLE_LABEL, 0, "0");
	graph_draw(c, (struct rect){ .x = AXIS, .w = room, .h = h }, &g);
	return AXIS + room;
}

/* How full: "57.7 %", or the rate where there is no limit to compare with. */
static void used_text(const struct look *l, char *out, size_t size, bool brief)
{
	const struct chain_stats *s = &l->c->stats;
	char share[NUMBER_MAX], limit[NUMBER_MAX];

	if (isnan(l->limit)) {
		parts_gas_rate(share, sizeof(share), s->gas_per_s);
		snprintf(out, size, "%s%s", share, brief ? "" : ", no limit");
		return;
	}
	number_percent(share, sizeof(share), s->gas_used_share, 1);
	if (brief)
		snprintf(out, size, "%s", share);
	else
		snprintf(out, size, "used %s of %s", share, number_si(limit, sizeof(limit), l->limit));
}

/* "base 7.684\xe2\x80\x939.482": the range within the window. */
static bool range_text(const struct look *l, char *out, size_t size)
{
	double lo = NAN, hi = graph_max(l->base + l->n - l->window, l->window);
	char a[NUMBER_MAX], b[NUMBER_MAX];

	for (unsigned i = l->n - l->window; i < l->n; i++) {
		if (!isnan(l->base[i]) && !(l->base[i] >= lo))
			lo = l->base[i];
	}
	if (!(hi >= 1e6) || l->unit != FEE_GWEI)
		return false;
	snprintf(out, size, "base %s \xe2\x80\x93 %s", number_fixed(a, sizeof(a), lo / 1e9, 3),
		 number_fixed(b, sizeof(b), hi / 1e9, 3));
	return true;
}

/* What a plain transfer costs in the next block: 21,000 gas at its base fee and the median tip. */
static bool send_text(const struct look *l, char *out, size_t size)
{
	const struct u256 gas = u256_from64(21000);
	struct u256 price;
	char amount[NUMBER_MAX + 16];

	if (!l->c->next.base_known || !l->body || !l->body->tips.valid ||
	    !u256_add(&price, &l->c->next.base, &l->body->tips.p50) || !u256_mul(&price, &price, &gas))
		return false;
	snprintf(out, size, "21k gas cost %s", parts_amount(amount, sizeof(amount), &price, l->c));
	return true;
}

/* One line beside the graph, the shorter text if the long one has no room, or none. */
static void say(struct canvas *c, int x, int y, enum role role, const char *text, const char *brief)
{
	const char *const v[] = { text, brief, "" };

	parts_fit(c, x, y, role, v, 3);
}

static void beside(const struct look *l, struct canvas *c, int x, int rows)
{
	const struct chain_stats *s = &l->c->stats;
	char text[PARTS_TEXT], brief[PARTS_TEXT], amount[NUMBER_MAX + 16];
	int y = 0;

	used_text(l, text, sizeof(text), false);
	used_text(l, brief, sizeof(brief), true);
	say(c, x, y++, ROLE_TEXT, text, brief);
	if (y < rows && !isnan(l->limit)) {
		snprintf(text, sizeof(text), "full blocks in a row %u", s->full_streak);
		snprintf(brief, sizeof(brief), "%u full", s->full_streak);
		say(c, x, y++, s->full_streak >= 3 ? ROLE_WARN : ROLE_TEXT, text, brief);
	}
	if (y < rows && s->burned_known && l->base_moves) {
		snprintf(text, sizeof(text), "burned %s", parts_amount(amount, sizeof(amount), &s->burned, l->c));
		say(c, x, y++, ROLE_TEXT, text, amount);
	}
	if (y + 1 < rows && range_text(l, text, sizeof(text)))
		say(c, x, ++y, ROLE_LABEL, text, text + strlen("base "));
	if (y + 1 < rows && send_text(l, text, sizeof(text)))
		say(c, x, ++y, ROLE_LABEL, text, "");
}

/* ---- the rows below ---- */

static int spark(const struct look *l, struct canvas *c, int y, const char *label, const double *v, double hi, int w)
{
	canvas_text(c, 1, y, LABEL - 1, ROLE_LABEL, 0, label);
	return graph_spark(c, LABEL, y, w, v, l->n, 0, hi, ROLE_GRAPH) + 2;
}

static void base_row(const struct look *l, struct canvas *c, int y, int w)
{
	const struct head *h = &l->c->head->h;
	char now[NUMBER_MAX], next[NUMBER_MAX], text[3][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2], now };
	int x;

	if (!(h->has & H_BASE_FEE)) {
		canvas_text(c, 1, y, -1, ROLE_LABEL, 0, "base fee: none");
		return;
	}
	if (!l->base_moves) {
		canvas_text(c, 1, y, LABEL - 1, ROLE_LABEL, 0, "base");
		canvas_text(c, LABEL, y, -1, ROLE_TEXT, 0, "0 (fixed)");
		return;
	}
	x = spark(l, c, y, "base", l->base, NAN, w);
	parts_fee(now, sizeof(now), &h->base_fee, l->unit);
	parts_fee(next, sizeof(next), l->c->next.base_known ? &l->c->next.base : NULL, l->unit);
	snprintf(text[0], sizeof(text[0]), "%s \xe2\x86\x92 next %s%s", now, next, l->c->next.base_known ? " exact" : "");
	snprintf(text[1], sizeof(text[1]), "%s \xe2\x86\x92 next %s", now, next);
	snprintf(text[2], sizeof(text[2]), "%s \xe2\x86\x92 %s", now, next);
	parts_fit(c, x, y, ROLE_TEXT, v, 4);
}

/* "1 → 1 wei": the unit once if both have it. */
static void blob_price(const struct look *l, char *out, size_t size)
{
	const struct fees_next *f = &l->c->next;
	char now[NUMBER_MAX], next[NUMBER_MAX];
	const char *unit, *other;

	number_fee(now, sizeof(now), f->blob_known ? &f->blob_now : NULL);
	number_fee(next, sizeof(next), f->blob_known ? &f->blob_next : NULL);
	unit = strrchr(now, ' ');
	other = strrchr(next, ' ');
	if (unit && other && strcmp(unit, other) == 0)
		now[unit - now] = '\0';
	snprintf(out, size, "%s \xe2\x86\x92 %s", now, next);
}

static void blob_row(const struct look *l, struct canvas *c, int y, int w)
{
	uint32_t target = l->c->next.blob_target, max = l->c->next.blob_max;
	char price[2 * NUMBER_MAX + 8], count[NUMBER_MAX], text[3][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2] };
	int x = spark(l, c, y, "blob", l->blob, max ? max : NAN, w);

	blob_price(l, price, sizeof(price));
	number_fixed(count, sizeof(count), l->blob[l->n - 1], 0);
	if (target) {
		snprintf(text[0], sizeof(text[0]), "%s of %u target   %s", count, target, price);
		snprintf(text[1], sizeof(text[1]), "%s/%u  %s", count, target, price);
		snprintf(text[2], sizeof(text[2]), "%s/%u", count, target);
	} else {
		for (unsigned i = 0; i < 3; i++)
			snprintf(text[i], sizeof(text[i]), "%s in the newest", count);
	}
	parts_fit(c, x, y, ROLE_TEXT, v, 3);
}

/* The three percentiles of the newest body: tips, or whole prices where there is no base fee. */
static void tip_row(const struct look *l, struct canvas *c, int y)
{
	const struct fee_tips *t = l->body && l->body->tips.valid ? &l->body->tips : NULL;
	bool price = !(l->c->head->h.has & H_BASE_FEE);
	char p[3][NUMBER_MAX], text[3][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2] };
	const char *unit = fee_unit_name(l->unit);

	parts_fee(p[0], sizeof(p[0]), t ? &t->p10 : NULL, l->unit);
	parts_fee(p[1], sizeof(p[1]), t ? &t->p50 : NULL, l->unit);
	parts_fee(p[2], sizeof(p[2]), t ? &t->p90 : NULL, l->unit);
	snprintf(text[0], sizeof(text[0]), "p10 %s   p50 %s   p90 %s %s", p[0], p[1], p[2], unit);
	snprintf(text[1], sizeof(text[1]), "p10 %s  p50 %s  p90 %s", p[0], p[1], p[2]);
	snprintf(text[2], sizeof(text[2]), "p50 %s %s", p[1], unit);
	canvas_text(c, 1, y, LABEL - 1, ROLE_LABEL, 0, price ? "price" : "tip");
	parts_fit(c, LABEL + (price ? 1 : 0), y, t ? ROLE_TEXT : ROLE_DIM, v, 3);
}

/* ---- low: one row of graph, one of tips ---- */

/* A tip in as few digits as can be: "0.01", "2.0", "31". */
static void brief_fee(char *out, size_t size, const struct u256 *wei)
{
	double gwei = wei ? u256_double(wei) / 1e9 : NAN;

	if (gwei > 0 && gwei < 0.005)
		snprintf(out, size, "<0.01");
	else
		number_fixed(out, size, gwei, gwei < 0.995 ? 2 : gwei < 9.95 ? 1 : 0);
}

static void low_tips(const struct look *l, struct canvas *c, int y)
{
	const struct fee_tips *t = l->body && l->body->tips.valid ? &l->body->tips : NULL;
	const char *label = l->c->head->h.has & H_BASE_FEE ? "tip" : "gas";
	char p[3][NUMBER_MAX], text[3][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2] };

	brief_fee(p[0], sizeof(p[0]), t ? &t->p10 : NULL);
	brief_fee(p[1], sizeof(p[1]), t ? &t->p50 : NULL);
	brief_fee(p[2], sizeof(p[2]), t ? &t->p90 : NULL);
	snprintf(text[0], sizeof(text[0]), "p10 %s  p50 %s  p90 %s gwei", p[0], p[1], p[2]);
	snprintf(text[1], sizeof(text[1]), "p10 %s  p50 %s  p90 %s", p[0], p[1], p[2]);
	snprintf(text[2], sizeof(text[2]), "p50 %s gwei", p[1]);
	canvas_text(c, 1, y, 3, ROLE_LABEL, 0, label);
	parts_fit(c, 5, y, t ? ROLE_TEXT : ROLE_DIM, v, 3);
}

static void draw_low(const struct look *l, struct canvas *c)
{
	char used[PARTS_TEXT], blobs[64] = "", text[PARTS_TEXT + 80];
	const char *const v[] = { text, used };
	int w = parts_clamp(c->at.w - AXIS - 2 - 18, SPARK, (int)l->window > SPARK ? (int)l->window : SPARK), x;

	used_text(l, used, sizeof(used), true);
	if (l->blobs && l->c->next.blob_target && !isnan(l->blob[l->n - 1]))
		snprintf(blobs, sizeof(blobs), "  blobs %.0f/%u", l->blob[l->n - 1], l->c->next.blob_target);
	snprintf(text, sizeof(text), "%s%s", used, blobs);
	x = draw_graph(l, c, w, 1, 1);
	parts_fit(c, x + 2, 0, ROLE_TEXT, v, 2);
	if (c->at.h > 1)
		low_tips(l, c, 1);
}

static void draw_high(const struct look *l, struct canvas *c, const struct parts_bars *bars)
{
	int w = c->at.w, rows = c->at.h - 2 - l->blobs, sparks, y = rows;

	beside(l, c, draw_graph(l, c, bars->w, rows, bars->each) + 2, rows);
	sparks = parts_clamp(w - LABEL - 2 - 34, SPARK, (int)l->window > SPARK ? (int)l->window : SPARK);
	base_row(l, c, y++, sparks);
	if (l->blobs)
		blob_row(l, c, y++, sparks);
	tip_row(l, c, y);
}

/* "10 blocks of 12 s" */
static void note_text(const struct look *l, char *out, size_t size)
{
	char n[NUMBER_MAX], t[48];

	if (parts_syncing(l->m))
		snprintf(out, size, "at block %s", number_int(n, sizeof(n), l->c->head->h.number));
	else if (l->c->block_ms == UNKNOWN)
		snprintf(out, size, "%u block%s", l->c->stats.n, l->c->stats.n == 1 ? "" : "s");
	else
		snprintf(out, size, "%u block%s of %s", l->c->stats.n, l->c->stats.n == 1 ? "" : "s",
			 parts_span(t, sizeof(t), l->c->block_ms));
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	const struct state *s = pane->state;
	const struct chain *chain = model_chain(m);
	bool low = c->at.h < 7, known = chain && chain->head, price = known && !chain->any_base_fee;
	char note[NUMBER_MAX] = "", foot[64] = "";
	struct parts_bars bars = { .each = 1 };
	struct canvas in;
	struct look l;

	if (known) {
		if (!low)
			bars = parts_bars(chain->stats.n, c->at.w - 2 - AXIS - 2 - BESIDE - 3, SPARK);
		gather(&l, m, s->unit, bars.n);
		if (!low || c->at.w > 44 || parts_syncing(m))
			note_text(&l, note, sizeof(note));
		if (!low && bars.n != l.window && l.n > l.window)
			snprintf(foot, sizeof(foot), "graph: %u blocks", bars.n < l.n ? bars.n : l.n);
		else if (!low && bars.n < l.window)
			snprintf(foot, sizeof(foot), "graph: the newest %u", bars.n);
	}
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, price ? "Gas price" : "Gas",
				      note, foot));
	if (parts_waiting(&in, m))
		return;
	if (low)
		draw_low(&l, &in);
	else
		draw_high(&l, &in, &bars);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;

	(void)m;
	if (cmd != UI_UNITS)
		return PANE_IGNORED;
	s->unit = (s->unit + 1) % FEE_UNIT_N;
	return PANE_DONE;
}

extern const struct pane_class pane_gas;
const struct pane_class pane_gas = {
	.name = "gas",
	.title = "Gas",
	.help = "how full the last blocks were, what they burned, and what the next one costs",
	.wants = DIRTY_HEAD | DIRTY_BLOCKS,
	.views = 1u << 1,
	.min_w = 26,
	.min_h = 4,
	.priority = 2,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
};
