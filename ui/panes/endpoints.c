/* Endpoints: every path, its head, how far behind the first it hears, how fast it answers, what it costs and what fails. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_table.h"

enum col {
	COL_RANK, COL_NODE, COL_VIA, COL_STATE, COL_HEAD, COL_BEHIND, COL_BEHIND99, COL_WON, COL_USABLE, COL_CALL,
	COL_CALL99, COL_TRANSFER, COL_CALLS, COL_MB, COL_PEERS, COL_ERRORS, COLS
};

enum { WIDE = 100 };

static const uint64_t STALE_NS = 180 * NS_S; /* three times the longest period of asking */

struct state {
	struct table table;
};

static const struct table_col wide[COLS] = {
	[COL_RANK] = { .title = "#", .gap = 0, .width = 2, .align = TABLE_LEFT, .priority = 5 },
	[COL_NODE] = { .title = "node", .gap = 1, .width = 7, .align = TABLE_LEFT },
	[COL_VIA] = { .title = "via", .gap = 1, .width = 5, .align = TABLE_LEFT },
	[COL_STATE] = { .title = "state", .gap = 0, .width = 6, .align = TABLE_LEFT },
	[COL_HEAD] = { .title = "head", .gap = 1, .width = 10 },
	[COL_BEHIND] = { .title = "behind p50", .gap = 2, .width = 10 },
	[COL_BEHIND99] = { .title = "p99", .gap = 2, .width = 7, .priority = 6 },
	[COL_WON] = { .title = "won", .gap = 2, .width = 5, .priority = 7 },
	[COL_USABLE] = { .title = "usable p90", .gap = 2, .width = 10, .priority = 8 },
	[COL_CALL] = { .title = "call p50", .gap = 3, .width = 8, .priority = 2 },
	[COL_CALL99] = { .title = "p99", .gap = 2, .width = 7, .priority = 3 },
	[COL_TRANSFER] = { .title = "in transfer", .gap = 2, .width = 11, .priority = 9 },
	[COL_CALLS] = { .title = "calls/min", .gap = 2, .width = 9, .priority = 10 },
	[COL_MB] = { .title = "MB/min", .gap = 2, .width = 9, .priority = 11 },
	[COL_PEERS] = { .title = "peers", .gap = 0, .width = 8, .priority = 12 },
	[COL_ERRORS] = { .title = "errors 5 m", .gap = 3, .width = 10, .priority = 1 },
};

static const struct table_col narrow[COLS] = {
	[COL_RANK] = { .title = "#", .gap = 0, .width = 2, .align = TABLE_LEFT, .priority = 5 },
	[COL_NODE] = { .title = "node", .gap = 1, .width = 6, .grow = 1, .align = TABLE_LEFT },
	[COL_VIA] = { .title = "via", .gap = 1, .width = 5, .align = TABLE_LEFT },
	[COL_STATE] = { .title = "state", .gap = 0, .width = 6, .align = TABLE_LEFT },
	[COL_HEAD] = { .title = "head", .gap = 1, .width = 9 },
	[COL_BEHIND] = { .title = "behind", .gap = 2, .width = 8, .priority = 2 },
	[COL_BEHIND99] = { .title = "p99", .gap = 2, .width = 6, .priority = 6 },
	[COL_WON] = { .title = "won", .gap = 2, .width = 5, .priority = 7 },
	[COL_USABLE] = { .title = "usable p90", .gap = 2, .width = 10, .priority = 8 },
	[COL_CALL] = { .title = "call p50", .gap = 3, .width = 8, .priority = 3 },
	[COL_CALL99] = { .title = "p99", .gap = 2, .width = 6, .priority = 4 },
	[COL_TRANSFER] = { .title = "in transfer", .gap = 2, .width = 11, .priority = 9 },
	[COL_CALLS] = { .title = "calls/min", .gap = 2, .width = 9, .priority = 10 },
	[COL_MB] = { .title = "MB/min", .gap = 2, .width = 9, .priority = 11 },
	[COL_PEERS] = { .title = "peers", .gap = 0, .width = 8, .priority = 12 },
	[COL_ERRORS] = { .title = "err 5 m", .gap = 2, .width = 7, .priority = 1 },
};

/* The rows in the pane's own order: ranked ones first, the rest as they were named. */
struct view {
	const struct model *m;
	const struct table *table;
	bool wide;
	struct ranking r;
};

static const struct path *at(const void *ctx, unsigned row)
{
	const struct view *v = ctx;

	return v->m->paths[v->r.row[row]];
}

static uint64_t key(const void *ctx, unsigned row)
{
	return (uint64_t)((const struct view *)ctx)->r.row[row] + 1;
}

/* ---- cells ---- */

static void latency(struct table_cell *out, uint64_t ns)
{
	if (ns == UNKNOWN) {
		snprintf(out->text, sizeof(out->text), "\xe2\x80\x94");
		out->role = ROLE_DIM;
	} else {
		time_latency(out->text, sizeof(out->text), ns);
	}
}

/* Polling hears of a head up to its interval late, so that is what can be said. */
static void behind(const struct path *p, uint64_t ns, struct table_cell *out)
{
	char t[40];

	if (!p->push && p->poll_interval_ns != UNKNOWN) {
		snprintf(out->text, sizeof(out->text), "\xe2\x89\xa4 %s", time_latency(t, sizeof(t), p->poll_interval_ns));
		out->role = ROLE_DIM;
	} else {
		latency(out, ns);
	}
}

/* A path that does not work has its row for the reason and the cure. */
static void trouble(const struct view *v, const struct path *p, struct table_cell *out)
{
	char wait[80] = "", age[40];
	const char *why = p->text[0] ? p->text : status_word(p->cause);

	out->spill = true;
	if (p->other_chain && p->chain >= 0) {
		const struct chain *c = v->m->chains[p->chain];

		out->role = p->wrong_chain ? ROLE_CRIT : ROLE_WARN;
		if (c->id_known && !c->network)
			snprintf(out->text, sizeof(out->text), "%s %llu: %s%s", path_state_word(p), (unsigned long long)c->id,
				 c->name, c != model_chain(v->m) && model_chain(v->m)->id == c->id ? ", another genesis" : "");
		else
			snprintf(out->text, sizeof(out->text), "%s", path_state_word(p));
		return;
	}
	if (p->state == LINK_CONNECTING || p->state == LINK_IDLE) {
		out->role = p->attempt > 1 ? ROLE_CRIT : ROLE_INFO;
		if (p->attempt > 1 && p->errors.last[0])
			snprintf(wait, sizeof(wait), ", try %u after: ", p->attempt);
		snprintf(out->text, sizeof(out->text), "connecting%s%.60s%s%.99s", p->text[0] ? " " : "", p->text, wait,
			 wait[0] ? p->errors.last : "");
		return;
	}
	out->role = ROLE_CRIT;
	if (p->state == LINK_WAITING && p->retry_mono != UNKNOWN && p->retry_mono > v->m->now_mono)
		snprintf(wait, sizeof(wait), ", next try in %s",
			 time_age(age, sizeof(age), (int64_t)(p->retry_mono - v->m->now_mono)));
	snprintf(out->text, sizeof(out->text), "%s %.119s%s%.80s%.31s", path_state_word(p), why,
		 p->cure[0] ? " \xe2\x86\x92 " : "", p->cure, wait);
}

static void head(const struct view *v, const struct path *p, struct table_cell *out)
{
	char n[NUMBER_MAX];

	if (!p->has_head) {
		number_int(out->text, sizeof(out->text), UNKNOWN);
		return;
	}
	if (v->wide || p->behind_blocks == UNKNOWN)
		number_int(out->text, sizeof(out->text), p->head_number);
	else if (p->behind_blocks == 0)
		snprintf(out->text, sizeof(out->text), "newest");
	else
		snprintf(out->text, sizeof(out->text), "\xe2\x88\x92%s",
			 number_si(n, sizeof(n), (double)p->behind_blocks));
	if (p->behind_blocks != UNKNOWN && p->behind_blocks > 0)
		out->role = ROLE_WARN;
}

static void cell_state(const struct view *v, const struct path *p, struct table_cell *out)
{
	uint64_t since = path_quiet_since(p);
	char t[24];

	if (p->state != LINK_SILENT && p->facts.sync_known && p->facts.syncing) {
		snprintf(out->text, sizeof(out->text), "sync");
		out->role = ROLE_WARN;
		return;
	}
	if (p->state == LINK_SILENT)
		snprintf(out->text, sizeof(out->text), "SILENT %s",
			 time_age(t, sizeof(t), v->m->now_mono > since ? (int64_t)(v->m->now_mono - since) : 0));
	else
		snprintf(out->text, sizeof(out->text), "%s", path_state_word(p));
	out->role = p->state == LINK_SILENT ? ROLE_CRIT : p->state == LINK_LIVE ? ROLE_OK : ROLE_INFO;
}

/* An old figure is dim and says how old it is: "48 (3m)". */
static void cell_peers(const struct view *v, const struct path *p, struct table_cell *out)
{
	char n[NUMBER_MAX];
	uint64_t old = 0;

	number_int(n, sizeof(n), p->facts.peers);
	if (p->facts.peers != UNKNOWN && p->facts.peers_mono != UNKNOWN && v->m->now_mono > p->facts.peers_mono)
		old = v->m->now_mono - p->facts.peers_mono;
	if (old > STALE_NS) {
		out->role = ROLE_DIM;
		snprintf(out->text, sizeof(out->text), "%s (%" PRIu64 "%s)", n,
			 old < 3600 * NS_S ? old / (60 * NS_S) : old / (3600 * NS_S), old < 3600 * NS_S ? "m" : "h");
	} else {
		snprintf(out->text, sizeof(out->text), "%s", n);
	}
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct path *p = at(ctx, row);
	unsigned i = v->r.row[row];

	switch ((enum col)col) {
	case COL_RANK:
		if (v->r.rank[i])
			snprintf(out->text, sizeof(out->text), "%u%s", v->r.rank[i], v->r.tied[i] ? "=" : "");
		out->role = v->r.rank[i] == 1 ? ROLE_BEST : ROLE_TEXT;
		break;
	case COL_NODE:
		snprintf(out->text, sizeof(out->text), "%s", p->node);
		out->role = ROLE_TITLE;
		break;
	case COL_VIA:
		snprintf(out->text, sizeof(out->text), "%s", p->via);
		break;
	case COL_STATE:
		if (!path_answers(p) || p->other_chain) {
			trouble(v, p, out);
		} else {
			cell_state(v, p, out);
		}
		/* The column has no gap of its own, so that "https" needs none of the others' room. */
		if (strlen(p->via) >= 5) {
			memmove(out->text + 1, out->text, sizeof(out->text) - 2);
			out->text[0] = ' ';
		}
		break;
	case COL_HEAD:
		head(v, p, out);
		break;
	case COL_BEHIND:
		behind(p, p->behind_p50, out);
		break;
	case COL_BEHIND99:
		latency(out, p->push ? p->behind_p99 : UNKNOWN);
		break;
	case COL_WON:
		number_percent(out->text, sizeof(out->text), p->raced ? (double)p->won / (double)p->raced : NAN, 0);
		out->role = p->raced < RANK_HEADS ? ROLE_DIM : ROLE_TEXT;
		break;
	case COL_USABLE:
		latency(out, p->usable_p90);
		break;
	case COL_CALL:
		latency(out, p->call_p50);
		break;
	case COL_CALL99:
		latency(out, p->call_p99);
		break;
	case COL_TRANSFER:
		number_rate(out->text, sizeof(out->text), p->xfer_bytes_per_s);
		break;
	case COL_CALLS:
		number_fixed(out->text, sizeof(out->text), p->calls_per_min, 0);
		break;
	case COL_MB:
		number_mb(out->text, sizeof(out->text), p->bytes_per_min);
		break;
	case COL_PEERS:
		cell_peers(v, p, out);
		break;
	case COL_ERRORS:
		number_int(out->text, sizeof(out->text), p->errors.total_5m);
		out->role = p->errors.total_5m ? ROLE_WARN : ROLE_TEXT;
		break;
	default:
		break;
	}
	out->role = parts_role(out->text, out->role);
}

/* ---- order by column ---- */

static double value(const struct view *v, unsigned row, enum col col)
{
	const struct path *p = at(v, row);
	uint64_t ns = UNKNOWN;

	switch (col) {
	case COL_RANK:
		return (double)row;
	case COL_STATE:
		return (double)p->state;
	case COL_HEAD:
		return p->has_head ? -(double)p->head_number : NAN;
	case COL_BEHIND:
		ns = p->behind_p50;
		break;
	case COL_BEHIND99:
		ns = p->behind_p99;
		break;
	case COL_WON:
		return p->raced ? -(double)p->won / (double)p->raced : NAN;
	case COL_USABLE:
		ns = p->usable_p90;
		break;
	case COL_CALL:
		ns = p->call_p50;
		break;
	case COL_CALL99:
		ns = p->call_p99;
		break;
	case COL_TRANSFER:
		return -p->xfer_bytes_per_s;
	case COL_CALLS:
		return -p->calls_per_min;
	case COL_MB:
		return -p->bytes_per_min;
	case COL_PEERS:
		return p->facts.peers == UNKNOWN ? NAN : -(double)p->facts.peers;
	case COL_ERRORS:
		return -(double)p->errors.total_5m;
	default:
		break;
	}
	return ns == UNKNOWN ? NAN : (double)ns;
}

/* Unknown values stand last whichever way the rest is sorted; the table turns the sign when it is reversed. */
static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	double x, y;
	int unknown;

	if (col == COL_NODE)
		return strcmp(at(ctx, a)->node, at(ctx, b)->node);
	if (col == COL_VIA)
		return strcmp(at(ctx, a)->via, at(ctx, b)->via);
	x = value(v, a, (enum col)col);
	y = value(v, b, (enum col)col);
	unknown = (isnan(x) != 0) - (isnan(y) != 0);
	if (isnan(x) || isnan(y))
		return v->table->reverse ? -unknown : unknown;
	return (x > y) - (x < y);
}

/* ---- the pane ---- */

static struct table_source source(const struct state *s, const struct model *m, struct view *v)
{
	*v = (struct view){ .m = m, .table = &s->table };
	ranking_make(&v->r, m, RANK_HEARD, RACE_ALL);
	return (struct table_source){ .ctx = v, .n = m->n_paths, .key = key, .cell = cell, .cmp = cmp };
}

/* "412 heads in 1h23m" */
static void heads_note(const struct model *m, bool brief, char *out, size_t size)
{
	uint64_t heads = ranking_heads(m);
	char n[NUMBER_MAX], age[40];
	int len;

	len = snprintf(out, size, "%s head%s", number_int(n, sizeof(n), heads), heads == 1 ? "" : "s");
	if (!brief)
		snprintf(out + len, size - (size_t)len, " in %s",
			 time_age(age, sizeof(age), (int64_t)(m->now_mono - m->start_mono)));
}

/* How many of the raced heads nobody won, or how many heads an order still needs; "" if there is no race. */
static void race_note(const struct model *m, char *out, size_t size)
{
	uint64_t raced = 0, tied = 0;
	char share[NUMBER_MAX];

	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->raced > raced) {
			raced = m->paths[i]->raced;
			tied = m->paths[i]->ties;
		}
	}
	out[0] = '\0';
	if (raced >= RANK_HEADS)
		snprintf(out, size, "ties %s", number_percent(share, sizeof(share), (double)tied / (double)raced, 0));
	else if (raced)
		snprintf(out, size, "order: %llu of %d heads needed", (unsigned long long)raced, RANK_HEADS);
}

/* Names get what is left of the columns, so that hosts can be told apart. */
static void columns(const struct model *m, int w, struct table_col out[COLS])
{
	int16_t x[COLS], width[COLS];
	int want = 0, spare = w - 3;

	const struct chain *c = model_chain(m);

	memcpy(out, w >= WIDE ? wide : narrow, sizeof(wide));
	/* "SILENT 1m04s" */
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->state == LINK_SILENT && !m->paths[i]->other_chain)
			out[COL_STATE].width = 12;
	}
	if (w < WIDE)
		return;
	/* 100,000,000 and more. */
	if (c && c->head && c->head->h.number >= 100000000) {
		out[COL_HEAD].width++;
		out[COL_ERRORS].gap--;
	}
	table_fit(out, COLS, w - 3, x, width);
	for (unsigned i = 0; i < COLS; i++)
		spare -= width[i] ? out[i].gap + width[i] : 0;
	for (unsigned i = 0; i < m->n_paths; i++) {
		int len = parts_width(m->paths[i]->node);

		want = len > want ? len : want;
	}
	want -= out[COL_NODE].width;
	if (want > 0 && spare > 0)
		out[COL_NODE].width += (uint8_t)(want < spare ? want : spare);
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	char note[200], heads[NUMBER_MAX + 80], sorted[64], foot[NUMBER_MAX + 16];
	struct table_col cols[COLS];
	struct canvas in;

	v.wide = c->at.w >= WIDE;
	columns(m, c->at.w, cols);
	heads_note(m, !v.wide, heads, sizeof(heads));
	table_note(&s->table, cols, sorted, sizeof(sorted));
	if (s->table.sort)
		snprintf(note, sizeof(note), "%s \xc2\xb7 %.120s", sorted, heads);
	else
		snprintf(note, sizeof(note), "%s%.120s", v.wide && v.r.ranked ? "by freshness \xc2\xb7 " : "", heads);
	race_note(m, foot, sizeof(foot));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Endpoints", note,
				      v.wide ? foot : NULL));
	table_draw(&s->table, cols, COLS, &src, &in, focus);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	long row;

	if (cmd != UI_OPEN && cmd != UI_COPY)
		return table_command(&s->table, wide, COLS, &src, cmd);
	row = table_selected(&s->table, &src);
	if (row < 0)
		return PANE_IGNORED;
	if (cmd == UI_COPY)
		return parts_copy(pane, at(&v, (unsigned)row)->show);
	return parts_open_path(pane, v.r.row[row]);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);

	return table_click(&s->table, wide, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_endpoints;
const struct pane_class pane_endpoints = {
	.name = "endpoints",
	.title = "Endpoints",
	.help = "every path: its head, how far behind the first it hears, how fast it answers, what it costs, what fails",
	.wants = DIRTY_PATHS | DIRTY_CLOCK | DIRTY_NODE,
	.views = 1u << 1,
	.min_w = 20,
	.min_h = 4,
	.priority = 1,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
