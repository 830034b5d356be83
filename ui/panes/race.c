/* Race: who hears of a block first, by hash; how far behind the others are; how late the first one is. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_table.h"

#define DASH "\xe2\x80\x94"

enum col { COL_PATH, COL_BAR, COL_WON, COL_TIE, COL_MISS, COL_P50, COL_P90, COL_P99, COL_MAX, COL_USABLE, COL_RTT, COLS };

enum {
	BAR_MAX = 84, /* what a cell's text has room for */
	DECADES = 5, /* 0.1 ms … 10 s */
	NAME_MAX_W = 24,
};

static const struct table_col base[COLS] = {
	[COL_PATH] = { .title = "path", .gap = 0, .width = 11, .align = TABLE_LEFT },
	[COL_BAR] = { .title = "", .gap = 1, .width = 34, .grow = 1, .align = TABLE_LEFT, .priority = 7, .fixed_order = true },
	[COL_WON] = { .title = "won", .gap = 2, .width = 5, .priority = 1 },
	[COL_TIE] = { .title = "tie", .gap = 1, .width = 5, .priority = 4 },
	[COL_MISS] = { .title = "miss", .gap = 1, .width = 5, .priority = 3 },
	[COL_P50] = { .title = "p50", .gap = 1, .width = 7 },
	[COL_P90] = { .title = "p90", .gap = 1, .width = 7, .priority = 5 },
	[COL_P99] = { .title = "p99", .gap = 1, .width = 7, .priority = 2 },
	[COL_MAX] = { .title = "max", .gap = 1, .width = 7, .priority = 6 },
	[COL_USABLE] = { .title = "usable p90", .gap = 2, .width = 10, .priority = 9 },
	[COL_RTT] = { .title = "RTT", .gap = 1, .width = 7, .priority = 8 },
};

struct state {
	struct table table;
	enum race_window window; /* see window_of: all that is kept is the first choice, and 0 */
	bool minus_rtt;
};

/* The rows: pushed paths by their median, then what cannot be ranked as it was named. */
struct view {
	const struct model *m;
	const struct table *table;
	const struct race_view *race;
	enum race_window window;
	bool minus_rtt;
	unsigned bar_w;
	uint8_t row[PATHS_MAX];
};

static enum race_window window_of(const struct state *s)
{
	static const enum race_window order[RACE_WINDOWS] = { RACE_ALL, RACE_10M, RACE_1H };

	return order[(unsigned)s->window % RACE_WINDOWS];
}

static const struct race_path *figures(const struct view *v, unsigned row)
{
	static const struct race_path none = { .behind = { .p50 = UNKNOWN } };

	return v->race ? &v->race->path[v->row[row]] : &none;
}

static const struct path *at(const struct view *v, unsigned row)
{
	return v->m->paths[v->row[row]];
}

static bool ranked(const struct view *v, unsigned row)
{
	return figures(v, row)->behind.n > 0;
}

static bool before(const struct view *v, unsigned a, unsigned b)
{
	const struct race_times *x = &v->race->path[a].behind, *y = &v->race->path[b].behind;

	if (!x->n || !y->n)
		return x->n > y->n;
	if (x->p50 != y->p50)
		return x->p50 < y->p50;
	return x->p90 < y->p90;
}

static void look(struct view *v, const struct state *s, const struct model *m)
{
	*v = (struct view){
		.m = m,
		.table = &s->table,
		.race = model_race(m, window_of(s), s->minus_rtt),
		.window = window_of(s),
		.minus_rtt = s->minus_rtt,
	};
	for (unsigned i = 0; i < m->n_paths; i++) {
		unsigned k = i;

		for (; v->race && k > 0 && before(v, i, v->row[k - 1]); k--)
			v->row[k] = v->row[k - 1];
		v->row[k] = (uint8_t)i;
	}
}

/* ---- bars ---- */

/* Column of a time on the axis; what is less or more stands at its end. */
static unsigned axis_x(const struct view *v, double ns)
{
	double x = ns > 1e5 ? log10(ns / 1e5) / DECADES * (v->bar_w - 1) : 0;

	return x > v->bar_w - 1 ? v->bar_w - 1 : (unsigned)(x + 0.5);
}

/* "┣━━●━━━┫": tenth percentile, median, 99th. */
static void bar(const struct view *v, double p10, double p50, double p99, char *out, size_t size)
{
	unsigned lo = axis_x(v, p10), mid = axis_x(v, p50), hi = axis_x(v, p99);
	size_t n = 0;

	for (unsigned x = 0; x <= hi && n + 4 < size; x++) {
		const char *s = x == mid   ? "\xe2\x97\x8f"
				: x < lo   ? " "
				: x == lo  ? "\xe2\x94\xa3"
				: x == hi  ? "\xe2\x94\xab"
					   : "\xe2\x94\x81";

		n += (size_t)snprintf(out + n, size - n, "%s", s);
	}
}

/* "behind first" over the axis' decades. */
static void axis(unsigned w, char *out, size_t size)
{
	static const char *const wide[DECADES + 1] = { "0.1 ms", "1 ms", "10 ms", "100 ms", "1 s", "10 s" };
	static const char *const narrow[DECADES + 1] = { "0.1ms", "1", "10", "100", "1 s", "10 s" };
	const char *const *label = w >= 44 ? wide : narrow;
	char line[BAR_MAX + 1];

	memset(line, ' ', sizeof(line));
	for (unsigned i = 0; i <= DECADES; i++) {
		unsigned len = (unsigned)strlen(label[i]), x = i * (w - 1) / DECADES;

		if (x + len > w)
			x = w - len;
		memcpy(line + x, label[i], len);
	}
	snprintf(out, size, "%.*s", (int)w, line);
}

/* ---- cells ---- */

static void latency(struct table_cell *out, uint64_t ns)
{
	time_latency(out->text, sizeof(out->text), ns);
}

static void share(const struct view *v, unsigned row, uint64_t k, struct table_cell *out)
{
	const struct race_path *f = figures(v, row);

	number_percent(out->text, sizeof(out->text), f->raced ? (double)k / (double)f->raced : NAN, 0);
	out->role = f->raced < RANK_HEADS ? ROLE_DIM : ROLE_TEXT;
}

/* Why a path has no figures. */
static void no_race(const struct view *v, const struct path *p, struct table_cell *out)
{
	char t[40];

	out->role = ROLE_DIM;
	out->spill = true;
	if (p->other_chain)
		snprintf(out->text, sizeof(out->text), "%s: not compared", path_state_word(p));
	else if (!path_answers(p))
		snprintf(out->text, sizeof(out->text), "%s", path_state_word(p));
	else if (!p->push && p->poll_interval_ns != UNKNOWN)
		snprintf(out->text, sizeof(out->text), "polled, late by up to %s: never ranked with pushed ones",
			 time_latency(t, sizeof(t), p->poll_interval_ns));
	else if (!p->push)
		snprintf(out->text, sizeof(out->text), "polled: never ranked with pushed ones");
	else if (v->minus_rtt && p->rtt_ns == UNKNOWN)
		snprintf(out->text, sizeof(out->text), "no round trip is known yet");
	else
		snprintf(out->text, sizeof(out->text), "no head so far that another pushed path heard, too");
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct race_path *f = figures(v, row);
	const struct path *p = at(v, row);

	if (col == COL_PATH) {
		snprintf(out->text, sizeof(out->text), "%s %s", p->node, p->via);
		out->role = ROLE_TITLE;
		return;
	}
	if (!ranked(v, row)) {
		no_race(v, p, out);
		return;
	}
	switch ((enum col)col) {
	case COL_BAR:
		bar(v, (double)f->behind.p10, (double)f->behind.p50, (double)f->behind.p99, out->text, sizeof(out->text));
		out->role = ROLE_GRAPH;
		return;
	case COL_WON: share(v, row, f->won, out); break;
	case COL_TIE: share(v, row, f->ties, out); break;
	case COL_MISS:
		number_int(out->text, sizeof(out->text), f->missed);
		out->role = f->missed ? ROLE_WARN : ROLE_TEXT;
		break;
	case COL_P50: latency(out, f->behind.p50); break;
	case COL_P90: latency(out, f->behind.p90); break;
	case COL_P99: latency(out, f->behind.p99); break;
	case COL_MAX: latency(out, f->behind.max); break;
	/* From the first head of all to the body decoded here: always as seen from this machine. */
	case COL_USABLE: latency(out, p->span[v->window].usable_p90); break;
	case COL_RTT: latency(out, p->rtt_ns); break;
	case COL_PATH:
	case COLS: break;
	}
	out->role = parts_role(out->text, out->role);
}

static double value(const struct view *v, unsigned row, enum col col)
{
	const struct race_path *f = figures(v, row);
	uint64_t ns = UNKNOWN;

	if (!ranked(v, row))
		return NAN;
	switch (col) {
	case COL_WON: return f->raced ? -(double)f->won / (double)f->raced : NAN;
	case COL_TIE: return f->raced ? -(double)f->ties / (double)f->raced : NAN;
	case COL_MISS: return -(double)f->missed;
	case COL_P50: ns = f->behind.p50; break;
	case COL_P90: ns = f->behind.p90; break;
	case COL_P99: ns = f->behind.p99; break;
	case COL_MAX: ns = f->behind.max; break;
	case COL_USABLE: ns = at(v, row)->span[v->window].usable_p90; break;
	case COL_RTT: ns = at(v, row)->rtt_ns; break;
	default: break;
	}
	return ns == UNKNOWN ? NAN : (double)ns;
}

static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	double x = value(v, a, (enum col)col), y = value(v, b, (enum col)col);
	int unknown = (isnan(x) != 0) - (isnan(y) != 0), names;

	if (col == COL_PATH) {
		names = strcmp(at(v, a)->node, at(v, b)->node);
		return names ? names : strcmp(at(v, a)->via, at(v, b)->via);
	}
	if (isnan(x) || isnan(y))
		return v->table->reverse ? -unknown : unknown;
	return (x > y) - (x < y);
}

static uint64_t key(const void *ctx, unsigned row)
{
	return (uint64_t)((const struct view *)ctx)->row[row] + 1;
}

static struct table_source source(const struct state *s, const struct model *m, struct view *v)
{
	look(v, s, m);
	return (struct table_source){ .ctx = v, .n = m->n_paths, .key = key, .cell = cell, .cmp = cmp };
}

/* ---- below the rows ---- */

/* "−0.3 s": time_latency with a sign. */
static char *signed_latency(char *out, size_t size, int64_t ns)
{
	char t[40];

	time_latency(t, sizeof(t), ns < 0 ? (uint64_t)-ns : (uint64_t)ns);
	snprintf(out, size, "%s%s", ns < 0 ? "\xe2\x88\x92" : "", t);
	return out;
}

/* Why lateness cannot be said; NULL: it can. */
static const char *late_hidden(const struct view *v, const struct chain *c)
{
	if (c->info->kind == CHAIN_DEV)
		return "a dev chain's times mean nothing";
	if (v->m->clock_bound == UNKNOWN)
		return "not known: this machine's clock is not synchronised, as far as the system says (--clock-bound)";
	return v->race->late.n ? NULL : "no head so far";
}

/* The lateness of the first path has the table's columns. */
static void draw_late(const struct view *v, const struct table *t, struct canvas *in, int y)
{
	const struct race_late *l = &v->race->late;
	const char *hidden = late_hidden(v, model_chain(v->m));
	const struct {
		enum col col;
		int64_t ns;
	} figure[] = { { COL_P50, l->p50 }, { COL_P90, l->p90 }, { COL_P99, l->p99 }, { COL_MAX, l->max } };
	char text[TABLE_TEXT_MAX] = "", bound[64];
	int x = 1 + t->x[COL_PATH] + t->w[COL_PATH] + 1;

	canvas_text(in, 1 + t->x[COL_PATH], y, t->w[COL_PATH], ROLE_LABEL, 0, "late vs slot");
	if (hidden) {
		canvas_textf(in, x, y, -1, ROLE_DIM, 0, DASH " %s", hidden);
		return;
	}
	if (t->w[COL_BAR]) {
		bar(v, (double)l->p10, (double)l->p50, (double)l->p99, text, sizeof(text));
		canvas_text(in, 1 + t->x[COL_BAR], y, t->w[COL_BAR], ROLE_GRAPH2, 0, text);
		x = 1 + t->x[COL_WON];
	}
	snprintf(bound, sizeof(bound), "best path \xc2\xb1 %" PRIu64 " ms", (v->m->clock_bound + NS_MS - 1) / NS_MS);
	canvas_text(in, x, y, t->x[COL_P50] - x, ROLE_LABEL, 0, bound);
	for (unsigned i = 0; i < sizeof(figure) / sizeof(figure[0]); i++) {
		if (!t->w[figure[i].col])
			continue;
		signed_latency(text, sizeof(text), figure[i].ns);
		canvas_right(in, 1 + t->x[figure[i].col], y, t->w[figure[i].col], figure[i].ns < 0 ? ROLE_WARN : ROLE_TEXT, 0,
			     text);
	}
}

/* "geth ipc 0.0 ms, ws 0.2 ms": the doors of each node with more than one. False: there is none. */
static bool overhead_text(const struct view *v, char *out, size_t size)
{
	size_t n = 0;
	char t[40];
	bool any = false;

	out[0] = '\0';
	for (unsigned i = 0; i < v->m->n_paths; i++) {
		unsigned node = v->m->paths[i]->node_index;
		bool named = false;

		for (unsigned k = 0; k < v->m->n_paths && node == i; k++) {
			const struct path *p = v->m->paths[k];
			const struct race_times *o = &v->race->path[k].overhead;

			if (p->node_index != node || !o->n || n >= size)
				continue;
			n += (size_t)snprintf(out + n, size - n, "%s%s%s%s %s", named ? ", " : any ? "; " : "",
					      named ? "" : p->node, named ? "" : " ", p->via, time_latency(t, sizeof(t), o->p50));
			named = any = true;
		}
	}
	return any;
}

/* "infura wss: head back 3×, own head unknown 1×": what gives several nodes behind one address away. False: nothing does. */
static bool backends_text(const struct view *v, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < v->m->n_paths; i++) {
		const struct path *p = v->m->paths[i];
		const struct {
			uint64_t n;
			const char *what;
		} sign[] = {
			{ p->backs, "head back" },
			{ p->own_nulls, "own head unknown" },
			{ p->client_backs, "client changed" },
		};
		bool named = false;

		for (unsigned k = 0; k < sizeof(sign) / sizeof(sign[0]); k++) {
			if (!sign[k].n || n >= size)
				continue;
			if (!named)
				n += (size_t)snprintf(out + n, size - n, "%s%s %s: ", n ? "; " : "", p->node, p->via);
			if (n < size)
				n += (size_t)snprintf(out + n, size - n, "%s%s %" PRIu64 "\xc3\x97", named ? ", " : "",
						      sign[k].what, sign[k].n);
			named = true;
		}
	}
	return n > 0;
}

struct sentence {
	char text[400];
	enum role role;
};

enum { SENTENCES = 4 };

static unsigned sentences(const struct view *v, bool wide, struct sentence out[SENTENCES])
{
	char doors[200], several[200], n[NUMBER_MAX], most[48];
	unsigned k = 0;

	if (v->race->late.early) {
		snprintf(out[k].text, sizeof(out[k].text),
			 "%s heard before their own time, by up to %s: this machine's clock is slow, or blocks are stamped "
			 "ahead.",
			 number_int(n, sizeof(n), v->race->late.early), signed_latency(most, sizeof(most), -v->race->late.min));
		out[k++].role = ROLE_WARN;
	}
	if (backends_text(v, several, sizeof(several))) {
		snprintf(out[k].text, sizeof(out[k].text), "%s. %s", several,
			 wide ? "Several nodes answer there: that is no reorg." : "Several nodes.");
		out[k++].role = ROLE_WARN;
	}
	if (overhead_text(v, doors, sizeof(doors))) {
		snprintf(out[k].text, sizeof(out[k].text), "%s: %s.",
			 wide ? "Overhead of the transport (p50 behind the node's fastest path), no race" :
				"Transport overhead (p50), no race",
			 doors);
		out[k++].role = ROLE_TEXT;
	}
	if (v->minus_rtt)
		snprintf(out[k].text, sizeof(out[k].text), "%s",
			 wide ? "Less half a round trip (RTT: fastest small answer of 10 min): whose node is faster, "
				"not who hears first here." :
				"Less RTT/2 (fastest small answer): whose node is faster.");
	else if (!wide)
		snprintf(out[k].text, sizeof(out[k].text), "Tie: less than 0.1 ms apart, nobody wins. One clock, no time sync.");
	else
		snprintf(out[k].text, sizeof(out[k].text),
			 "Tie: less than 0.1 ms apart, nobody wins.  Deltas use one clock, so they need no time sync; only "
			 "\xc2\xablate\xc2\xbb does.");
	out[k++].role = ROLE_DIM;
	return k;
}

/* ---- how much was heard by when ---- */

enum { STEPS = 11, STEP_W = 8, WITHIN_PATHS = 16 /* counted for each frame */ };

static const struct {
	uint64_t ns;
	const char *label;
} step[STEPS] = {
	{ NS_MS / 10, "0.1 ms" }, { 3 * NS_MS / 10, "0.3 ms" }, { NS_MS, "1 ms" }, { 3 * NS_MS, "3 ms" }, { 10 * NS_MS, "10 ms" },
	{ 30 * NS_MS, "30 ms" }, { 100 * NS_MS, "100 ms" }, { 300 * NS_MS, "300 ms" }, { NS_S, "1 s" }, { 3 * NS_S, "3 s" },
	{ 10 * NS_S, "10 s" },
};

/* Where there is room: the cumulative curve of each path as a row of shares, in the order of the table's own rows. */
static void draw_within(const struct view *v, struct canvas *in, int y, int name_w)
{
	unsigned room = in->at.w > name_w + 2 ? (unsigned)(in->at.w - name_w - 2) / STEP_W : 0, each = 1, ranks = 0;
	uint64_t when[STEPS];
	uint32_t heard[STEPS];
	char share[NUMBER_MAX];

	while (ranks < v->m->n_paths && ranked(v, ranks))
		ranks++;
	if (v->minus_rtt || v->m->n_paths > WITHIN_PATHS || ranks == 0 || room < 3 || in->at.h < y + (int)ranks + 2)
		return;
	while (STEPS / each > room)
		each++;
	for (unsigned k = 0; k < STEPS; k++)
		when[k] = step[k].ns;
	canvas_text(in, 1, y + 1, name_w, ROLE_LABEL, 0, "heard within");
	for (unsigned k = 0, i = 0; k < STEPS && i < room; k += each, i++)
		canvas_right(in, 1 + name_w + (int)i * STEP_W, y + 1, STEP_W, ROLE_LABEL, 0, step[k].label);
	for (unsigned r = 0; r < ranks; r++) {
		unsigned n = model_curve(v->m, v->row[r], v->window, when, heard, STEPS);

		canvas_textf(in, 1, y + 2 + (int)r, name_w, ROLE_TITLE, 0, "%s %s", at(v, r)->node, at(v, r)->via);
		for (unsigned k = 0, i = 0; n && k < STEPS && i < room; k += each, i++)
			canvas_right(in, 1 + name_w + (int)i * STEP_W, y + 2 + (int)r, STEP_W,
				     heard[k] == n ? ROLE_OK : heard[k] ? ROLE_TEXT : ROLE_DIM, 0,
				     parts_share(share, sizeof(share), heard[k], n, false));
	}
}

/* ---- the pane ---- */

static void columns(const struct model *m, struct table_col out[COLS])
{
	memcpy(out, base, sizeof(base));
	for (unsigned i = 0; i < m->n_paths; i++) {
		int len = parts_width(m->paths[i]->node) + 1 + parts_width(m->paths[i]->via);

		if (len > out[COL_PATH].width)
			out[COL_PATH].width = (uint8_t)(len < NAME_MAX_W ? len : NAME_MAX_W);
	}
	if (out[COL_PATH].width < 12)
		out[COL_PATH].width = 12; /* "late vs slot" */
}

/* "6 Race & forks · 412 heads by hash in 1h23m · as seen from this machine" */
static void title_of(const struct view *v, bool wide, char *out, size_t size)
{
	char n[NUMBER_MAX], age[40];
	const char *how = v->minus_rtt ? "minus RTT/2" : wide ? "as seen from this machine" : "from here";

	if (!v->race || !v->race->heads) {
		snprintf(out, size, "6 Race \xc2\xb7 %s", how);
		return;
	}
	time_age(age, sizeof(age), (int64_t)v->race->span_ns);
	snprintf(out, size, "6 Race \xc2\xb7 %s head%s%s in %s \xc2\xb7 %s%s", number_int(n, sizeof(n), v->race->heads),
		 v->race->heads == 1 ? "" : "s", wide ? " by hash" : "", age, how,
		 wide && v->race->nodes == 1 ? " \xc2\xb7 one node: no race" : "");
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	static const char *const window[RACE_WINDOWS] = { "last 10 m", "last hour", "all" };
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	struct table_col cols[COLS];
	struct sentence say[SENTENCES];
	char title[200], note[120], sorted[64], heading[BAR_MAX + 1] = "";
	struct canvas in, rows;
	int16_t x[COLS], w[COLS];
	unsigned lines = 0;
	bool late;

	title_of(&v, c->at.w >= 100, title, sizeof(title));
	table_note(&s->table, base, sorted, sizeof(sorted));
	snprintf(note, sizeof(note), "%s%sw %s  b %s", s->table.sort ? sorted : "", s->table.sort ? "  " : "",
		 window[window_of(s)], s->minus_rtt ? "as heard here" : "minus RTT/2");
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, title, note, NULL));
	if (!v.race) {
		parts_waiting(&in, m);
		return;
	}
	columns(m, cols);
	table_fit(cols, COLS, in.at.w - 1, x, w);
	v.bar_w = w[COL_BAR] > BAR_MAX ? BAR_MAX : (unsigned)w[COL_BAR];
	if (v.bar_w > 1)
		axis(v.bar_w, heading, sizeof(heading));
	cols[COL_BAR].title = heading;
	/* Rows first, then lateness, then what is to be said. */
	late = in.at.h >= (int)m->n_paths + 2 || in.at.h > 6;
	if (in.at.h > (int)m->n_paths + 1 + late)
		lines = (unsigned)(in.at.h - (int)m->n_paths - 1 - late);
	if (lines > 0) {
		unsigned n = sentences(&v, in.at.w >= 110, say);

		lines = n < lines ? n : lines;
	}
	rows = canvas_sub(&in, (struct rect){ .w = in.at.w, .h = in.at.h - late - (int)lines });
	table_draw(&s->table, cols, COLS, &src, &rows, focus);
	if (late)
		draw_late(&v, &s->table, &in, rows.at.h < (int)m->n_paths + 1 ? rows.at.h : (int)m->n_paths + 1);
	for (unsigned i = 0; i < lines; i++)
		canvas_text(&in, 1, (int)m->n_paths + 1 + late + (int)i, in.at.w - 2, say[i].role, 0, say[i].text);
	draw_within(&v, &in, (int)m->n_paths + 1 + late + (int)lines, s->table.w[COL_PATH] + 1);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct table_col cols[COLS];
	struct view v;
	struct table_source src = source(s, m, &v);
	long row;

	columns(m, cols);
	switch (cmd) {
	case UI_WINDOW:
		s->window = (enum race_window)(((unsigned)s->window + 1) % RACE_WINDOWS);
		return PANE_DONE;
	case UI_MINUS_RTT:
		s->minus_rtt = !s->minus_rtt;
		return PANE_DONE;
	case UI_OPEN:
		row = table_selected(&s->table, &src);
		return row < 0 ? PANE_IGNORED : parts_open_path(pane, v.row[row]);
	case UI_COPY:
		row = table_selected(&s->table, &src);
		return row < 0 ? PANE_IGNORED : parts_copy(pane, at(&v, (unsigned)row)->show);
	default: return table_command(&s->table, cols, COLS, &src, cmd);
	}
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct table_col cols[COLS];
	struct view v;
	struct table_source src = source(s, m, &v);

	columns(m, cols);
	return table_click(&s->table, cols, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_race;
const struct pane_class pane_race = {
	.name = "race",
	.title = "Race",
	.help = "who hears of a block first, by hash, from here or less half the round trip; how late the first one is",
	.wants = DIRTY_PATHS | DIRTY_HEAD | DIRTY_CLOCK,
	.views = 1u << 6,
	.min_w = 30,
	.min_h = 4,
	.priority = 0,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
