/* Tx rate: transactions and bytes of the last blocks, and which types they are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_graph.h"

enum {
	BLOCKS_MAX = 512,
	LABEL = 6, /* " tx/s " */
	SPARK = 10,
	AXIS = 5,
	BESIDE = 22, /* the text beside the graph */
	TYPES = 6,
};

/* Values of the blocks, oldest first. */
struct look {
	const struct model *m;
	const struct chain *c;
	const struct chain_stats *s;
	unsigned n; /* blocks gathered */
	unsigned window; /* of them, so many newest ones belong to the figures */
	double txs[BLOCKS_MAX], kb[BLOCKS_MAX];
	const struct blk *body; /* the newest with its body */
	char rate[NUMBER_MAX], gas[NUMBER_MAX + 8];
};

/* count: how many blocks the graph has room for. */
static void gather(struct look *l, const struct model *m, unsigned count)
{
	const struct blk *b[BLOCKS_MAX];
	unsigned n;

	*l = (struct look){ .m = m, .c = model_chain(m) };
	l->s = &l->c->stats;
	n = l->s->n > count ? l->s->n : count;
	l->n = parts_blocks(l->c, b, n < BLOCKS_MAX ? n : BLOCKS_MAX);
	l->window = l->s->n < l->n ? l->s->n : l->n;
	l->body = parts_newest_body(l->c);
	for (unsigned i = 0; i < l->n; i++) {
		const struct blk *at = b[l->n - 1 - i];
		bool seen = at && at->body_seen;

		l->txs[i] = seen ? (double)at->ntx : NAN;
		l->kb[i] = seen ? (double)at->size : NAN;
	}
	parts_tx_rate(l->rate, sizeof(l->rate), l->s->rates_known ? l->s->tx_per_s : NAN);
	parts_gas_rate(l->gas, sizeof(l->gas), l->s->rates_known ? l->s->gas_per_s : NAN);
}

/* The blocks a rate is over and the time they took: n blocks span n − 1 intervals. */
static void note_text(const struct look *l, char *out, size_t size)
{
	char n[NUMBER_MAX];

	out[0] = '\0';
	if (parts_syncing(l->m))
		snprintf(out, size, "at block %s", number_int(n, sizeof(n), l->c->head->h.number));
	else if (l->s->n >= 2 && l->s->span_ms)
		snprintf(out, size, "%u block%s / %s", l->s->n - 1, l->s->n == 2 ? "" : "s",
			 parts_span(n, sizeof(n), l->s->span_ms));
}

/* ---- types ---- */

/* "legacy 12 %  1559 84 %  blob 2 %": the rarest leave where there is no room. */
static void types_row(const struct look *l, struct canvas *c, int y)
{
	static const char *const name[TYPES] = { "legacy", "2930", "1559", "blob", "7702", "other" };
	char text[TYPES][64], share[NUMBER_MAX];
	bool out[TYPES] = { false };
	int w = 1, x = 1;

	for (unsigned i = 0; i < TYPES; i++) {
		double v = l->s->type_share[i];

		out[i] = !(v > 0);
		snprintf(text[i], sizeof(text[i]), "%s %s", name[i],
			 v < 0.005 ? "<1 %" : number_percent(share, sizeof(share), v, 0));
		w += out[i] ? 0 : parts_width(text[i]) + 2;
	}
	while (w - 2 > c->at.w) {
		unsigned least = TYPES;

		for (unsigned i = 0; i < TYPES; i++) {
			if (!out[i] && (least == TYPES || l->s->type_share[i] < l->s->type_share[least]))
				least = i;
		}
		if (least == TYPES)
			break;
		out[least] = true;
		w -= parts_width(text[least]) + 2;
	}
	for (unsigned i = 0; i < TYPES; i++) {
		if (!out[i])
			x = canvas_text(c, x, y, -1, ROLE_TEXT, 0, text[i]) + 2;
	}
	if (x == 1)
		canvas_text(c, 1, y, -1, ROLE_DIM, 0, "types \xe2\x80\x94");
}

/* ---- rows of the wide form ---- */

static int spark(const struct look *l, struct canvas *c, int y, const char *label, const double *v, int w)
{
	canvas_text(c, 1, y, LABEL - 1, ROLE_LABEL, 0, label);
	return graph_spark(c, LABEL, y, w, v, l->n, 0, NAN, ROLE_GRAPH) + 2;
}

static void rate_row(const struct look *l, struct canvas *c, int y, int w)
{
	int x = spark(l, c, y, "tx/s", l->txs, w);
	int end = canvas_text(c, x, y, -1, parts_role(l->rate, ROLE_HEAD), 0, l->rate);

	x = end + 1 < x + 9 ? x + 9 : end + 2;
	if (x + parts_width(l->gas) <= c->at.w)
		canvas_text(c, x, y, -1, parts_role(l->gas, ROLE_TEXT), 0, l->gas);
}

static void kb_row(const struct look *l, struct canvas *c, int y, int w)
{
	char now[NUMBER_MAX], mean[NUMBER_MAX], text[NUMBER_MAX + 16];
	int x = spark(l, c, y, "kB", l->kb, w);

	number_int(now, sizeof(now), l->body ? (l->body->size + 500) / 1000 : UNKNOWN);
	canvas_text(c, x, y, -1, parts_role(now, ROLE_TEXT), 0, now);
	if (l->s->kb_mean == UNKNOWN)
		return;
	snprintf(text, sizeof(text), "mean %s kB", number_int(mean, sizeof(mean), (l->s->kb_mean + 500) / 1000));
	if (x + 9 + parts_width(text) <= c->at.w)
		canvas_text(c, x + 9, y, -1, ROLE_LABEL, 0, text);
}

/* One line beside the graph, the shorter text if the long one has no room, or none. */
static void say(struct canvas *c, int x, int y, enum role role, const char *text, const char *brief)
{
	const char *const v[] = { text, brief, "" };

	parts_fit(c, x, y, parts_role(brief, role), v, 3);
}

/* Where there is room: transactions of each block against an axis, the figures beside. */
static void graph_rows(const struct look *l, struct canvas *c, int h, const struct parts_bars *bars)
{
	unsigned shown = bars->n < l->n ? bars->n : l->n;
	double max = graph_max(l->txs + l->n - shown, shown), hi = max > 0 ? parts_axis(max) : NAN;
	struct graph g = { .v = l->txs, .n = l->n, .hi = hi, .role = ROLE_GRAPH, .bar_w = bars->each };
	char text[NUMBER_MAX + 32], n[NUMBER_MAX];
	int x = AXIS + bars->w + 2, y = 0;

	for (int i = 0; i < h; i++)
		canvas_put(c, AXIS - 1, i, 0x2524, ROLE_FRAME, 0);
	canvas_right(c, 0, 0, AXIS - 1, ROLE_LABEL, 0, number_si_short(n, sizeof(n), hi));
	if (h >= 5 && h % 2)
		canvas_right(c, 0, h / 2, AXIS - 1, ROLE_LABEL, 0, number_si_short(n, sizeof(n), hi / 2));
	canvas_right(c, 0, h - 1, AXIS - 1, ROLE_LABEL, 0, "0");
	graph_draw(c, (struct rect){ .x = AXIS, .w = bars->w, .h = h }, &g);
	snprintf(text, sizeof(text), "%s tx/s", l->rate);
	say(c, x, y++, ROLE_HEAD, text, l->rate);
	say(c, x, y++, ROLE_TEXT, l->gas, l->gas);
	number_int(n, sizeof(n), l->body ? l->body->ntx : UNKNOWN);
	snprintf(text, sizeof(text), "%s in the newest", n);
	say(c, x, y++, ROLE_TEXT, text, n);
	if (y + 1 < h && l->body && l->body->creates) {
		snprintf(text, sizeof(text), "%s contract%s created", number_int(n, sizeof(n), l->body->creates),
			 l->body->creates == 1 ? "" : "s");
		say(c, x, ++y, ROLE_LABEL, text, "");
	}
}

static void draw_high(const struct look *l, struct canvas *c, const struct parts_bars *bars)
{
	int w = parts_clamp(c->at.w - LABEL - 2 - 34, SPARK, (int)l->window > SPARK ? (int)l->window : SPARK), y = 0;

	if (bars->n) {
		graph_rows(l, c, c->at.h - 2, bars);
		y = c->at.h - 2;
	} else {
		rate_row(l, c, y++, w);
	}
	kb_row(l, c, y++, w);
	types_row(l, c, y);
}

/* ---- low: one row of rates, one of the pool, which has no pane of its own then ---- */

static void low_second(const struct look *l, struct canvas *c)
{
	const struct pool_view *p = &l->m->pool;
	char pending[NUMBER_MAX], share[NUMBER_MAX], seen[NUMBER_MAX + 8] = "", news[PARTS_CHANGE];
	char text[4][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2], text[3] };

	if (!p->known && !p->cover.txs) {
		types_row(l, c, 1);
		return;
	}
	number_int(pending, sizeof(pending), p->known ? p->pending : UNKNOWN);
	parts_pool_news(news, sizeof(news), p);
	if (p->cover.txs)
		snprintf(seen, sizeof(seen), "  seen %s",
			 parts_share(share, sizeof(share), p->cover.seen, p->cover.txs, p->cover.floor));
	snprintf(text[0], sizeof(text[0]), "pool %s%s%s  %s", pending, news, seen, l->gas);
	snprintf(text[1], sizeof(text[1]), "pool %s%s%s", pending, news, seen);
	snprintf(text[2], sizeof(text[2]), "pool %s%s", pending, seen);
	snprintf(text[3], sizeof(text[3]), "pool %s", pending);
	parts_fit(c, 1, 1, ROLE_TEXT, v, 4);
}

static void draw_low(const struct look *l, struct canvas *c)
{
	char text[NUMBER_MAX + 8], span[64] = "";
	int x, w;

	snprintf(text, sizeof(text), "%s tx/s", l->rate);
	x = canvas_text(c, 1, 0, -1, parts_role(l->rate, ROLE_HEAD), 0, text) + 2;
	if (l->s->span_ms)
		parts_span(span, sizeof(span), l->s->span_ms);
	w = parts_clamp(c->at.w - x - 2 - parts_width(span), SPARK, (int)l->window > SPARK ? (int)l->window : SPARK);
	x = graph_spark(c, x, 0, w, l->txs, l->n, 0, NAN, ROLE_GRAPH) + 2;
	if (x + parts_width(span) <= c->at.w)
		canvas_text(c, x, 0, -1, ROLE_LABEL, 0, span);
	if (c->at.h > 1)
		low_second(l, c);
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	const struct chain *chain = model_chain(m);
	bool low = c->at.h < 5, known = chain && chain->head;
	char note[NUMBER_MAX + 32] = "", foot[64] = "";
	struct parts_bars bars = { .n = 0 };
	struct canvas in;
	struct look l;

	(void)pane;
	if (known) {
		if (c->at.h >= 8)
			bars = parts_bars(chain->stats.n, c->at.w - 2 - AXIS - 2 - BESIDE - 3, SPARK);
		gather(&l, m, bars.n);
		if (!low || parts_syncing(m))
			note_text(&l, note, sizeof(note));
		if (bars.n != l.window && l.n > l.window)
			snprintf(foot, sizeof(foot), "graph: %u blocks", bars.n < l.n ? bars.n : l.n);
		else if (bars.n && bars.n < l.window)
			snprintf(foot, sizeof(foot), "graph: the newest %u", bars.n);
	}
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Tx rate", note, foot));
	if (parts_waiting(&in, m))
		return;
	if (low)
		draw_low(&l, &in);
	else
		draw_high(&l, &in, &bars);
}

extern const struct pane_class pane_txrate;
const struct pane_class pane_txrate = {
	.name = "txrate",
	.title = "Tx rate",
	.help = "transactions and gas per second over the last blocks, their size, and the types of the transactions",
	.wants = DIRTY_HEAD | DIRTY_BLOCKS | DIRTY_POOL,
	.views = 1u << 1,
	.min_w = 26,
	.min_h = 4,
	.priority = 3,
	.draw = draw,
};
