/* Methods: how often each is called on each path, how fast it answers, how often it fails. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_table.h"

enum col { COL_METHOD, COL_PATH, COL_CALLS, COL_FAILED, COL_P50, COL_P99, COL_BYTES, COLS };

static const struct table_col cols[COLS] = {
	[COL_METHOD] = { .title = "method", .gap = 0, .width = 20, .align = TABLE_LEFT },
	[COL_PATH] = { .title = "path", .gap = 1, .width = 12, .grow = 1, .align = TABLE_LEFT, .priority = 1 },
	[COL_CALLS] = { .title = "calls", .gap = 1, .width = 8, .priority = 3 },
	[COL_FAILED] = { .title = "failed", .gap = 1, .width = 6, .priority = 4 },
	[COL_P50] = { .title = "p50", .gap = 2, .width = 7 },
	[COL_P99] = { .title = "p99", .gap = 2, .width = 7, .priority = 2 },
	[COL_BYTES] = { .title = "MB", .gap = 2, .width = 6, .priority = 6 },
};

struct state {
	struct table table;
};

/* Rows: what was called, method by method. */
struct view {
	const struct model *m;
	const struct table *table;
	uint8_t path[PATHS_MAX * M_N], method[PATHS_MAX * M_N];
	unsigned n;
};

static void look(struct view *v, const struct state *s, const struct model *m)
{
	*v = (struct view){ .m = m, .table = &s->table };
	for (unsigned k = 0; k < M_N; k++) {
		for (unsigned i = 0; i < m->n_paths && i < PATHS_MAX; i++) {
			if (m->paths[i]->method[k].n == 0)
				continue;
			v->path[v->n] = (uint8_t)i;
			v->method[v->n++] = (uint8_t)k;
		}
	}
}

static uint64_t key(const void *ctx, unsigned row)
{
	const struct view *v = ctx;

	return (uint64_t)v->path[row] * M_N + v->method[row] + 1;
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct path *p = v->m->paths[v->path[row]];
	unsigned k = v->method[row];

	switch ((enum col)col) {
	case COL_METHOD:
		snprintf(out->text, sizeof(out->text), "%s", method_name((enum method)k));
		break;
	case COL_PATH:
		snprintf(out->text, sizeof(out->text), "%s %s", p->node, p->via);
		out->role = ROLE_TITLE;
		break;
	case COL_CALLS:
		number_int(out->text, sizeof(out->text), p->method[k].n);
		break;
	case COL_FAILED:
		if (p->method[k].unsupported != ST_OK) {
			snprintf(out->text, sizeof(out->text), "n/a");
			out->role = ROLE_DIM;
			break;
		}
		number_int(out->text, sizeof(out->text), p->method[k].failed);
		out->role = p->method[k].failed ? ROLE_WARN : ROLE_LABEL;
		break;
	case COL_P50:
		time_latency(out->text, sizeof(out->text), p->method[k].p50);
		break;
	case COL_P99:
		time_latency(out->text, sizeof(out->text), p->method[k].p99);
		break;
	case COL_BYTES:
		number_mb(out->text, sizeof(out->text), (double)p->method[k].bytes);
		break;
	case COLS:
		break;
	}
	out->role = parts_role(out->text, out->role);
}

static double value(const struct view *v, unsigned row, enum col col)
{
	const struct path *p = v->m->paths[v->path[row]];
	unsigned k = v->method[row];

	switch (col) {
	case COL_CALLS:
		return (double)p->method[k].n;
	case COL_FAILED:
		return (double)p->method[k].failed;
	case COL_P50:
		return p->method[k].p50 == UNKNOWN ? NAN : (double)p->method[k].p50;
	case COL_P99:
		return p->method[k].p99 == UNKNOWN ? NAN : (double)p->method[k].p99;
	case COL_BYTES:
		return (double)p->method[k].bytes;
	default:
		return NAN;
	}
}

/* The most, and the slowest, first; unknown last whichever way. */
static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	double x, y;
	int unknown;

	if (col == COL_METHOD)
		return strcmp(method_name((enum method)v->method[a]), method_name((enum method)v->method[b]));
	if (col == COL_PATH)
		return (int)v->path[a] - (int)v->path[b];
	x = value(v, a, (enum col)col);
	y = value(v, b, (enum col)col);
	unknown = (isnan(x) != 0) - (isnan(y) != 0);
	if (isnan(x) || isnan(y))
		return v->table->reverse ? -unknown : unknown;
	return (x < y) - (x > y);
}

static struct table_source source(const struct state *s, const struct model *m, struct view *v)
{
	look(v, s, m);
	return (struct table_source){ .ctx = v, .n = v->n, .key = key, .cell = cell, .cmp = cmp };
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	char note[64];
	struct canvas in;

	table_note(&s->table, cols, note, sizeof(note));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Calls by method",
				      s->table.sort ? note : "last 5 to 10 min", NULL));
	table_draw(&s->table, cols, COLS, &src, &in, focus);
	if (src.n == 0)
		canvas_text(&in, 1, in.at.h > 1, -1, ROLE_DIM, 0, "nothing called so far");
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	long row;

	if (cmd != UI_OPEN)
		return table_command(&s->table, cols, COLS, &src, cmd);
	row = table_selected(&s->table, &src);
	return row < 0 ? PANE_IGNORED : parts_open_path(pane, v.path[row]);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);

	return table_click(&s->table, cols, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_methods;
const struct pane_class pane_methods = {
	.name = "methods",
	.title = "Calls by method",
	.help = "each method on each path: calls, failures, latency, bytes",
	.wants = DIRTY_PATHS,
	.views = 1u << 5,
	.min_w = 30,
	.min_h = 4,
	.priority = 1,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
