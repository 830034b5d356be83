/* Errors by kind: what failed on which path since the start. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_table.h"

enum col { COL_NODE, COL_VIA, COL_KIND, COL_COUNT, COL_LAST, COLS };

static const struct table_col cols[COLS] = {
	[COL_NODE] = { .title = "node", .gap = 0, .width = 8, .align = TABLE_LEFT, .priority = 1 },
	[COL_VIA] = { .title = "via", .gap = 1, .width = 5, .align = TABLE_LEFT, .priority = 2 },
	[COL_KIND] = { .title = "kind", .gap = 1, .width = 11, .align = TABLE_LEFT },
	[COL_COUNT] = { .title = "times", .gap = 1, .width = 7 },
	[COL_LAST] = { .title = "last of the path", .gap = 2, .width = 16, .grow = 1, .align = TABLE_LEFT, .priority = 3,
		       .fixed_order = true },
};

struct state {
	struct table table;
};

struct view {
	const struct model *m;
	uint8_t path[PATHS_MAX * ST_N], kind[PATHS_MAX * ST_N];
	unsigned n;
};

static void look(struct view *v, const struct model *m)
{
	*v = (struct view){ .m = m };
	for (unsigned i = 0; i < m->n_paths && i < PATHS_MAX; i++) {
		for (unsigned k = ST_OK + 1; k < ST_N; k++) {
			if (m->paths[i]->errors.by_code[k] == 0)
				continue;
			v->path[v->n] = (uint8_t)i;
			v->kind[v->n++] = (uint8_t)k;
		}
	}
}

static uint64_t key(const void *ctx, unsigned row)
{
	const struct view *v = ctx;

	return (uint64_t)v->path[row] * ST_N + v->kind[row] + 1;
}

static const struct path *at(const struct view *v, unsigned row)
{
	return v->m->paths[v->path[row]];
}

static void cell_last(const struct view *v, unsigned row, struct table_cell *out)
{
	const struct path *p = at(v, row);
	char age[40];

	/* Once for each path. */
	if ((row > 0 && v->path[row - 1] == v->path[row]) || p->errors.last_mono == UNKNOWN)
		return;
	snprintf(out->text, sizeof(out->text), "%s ago: %s",
		 time_age(age, sizeof(age), v->m->now_mono > p->errors.last_mono ?
						    (int64_t)(v->m->now_mono - p->errors.last_mono) : 0), p->errors.last);
	out->role = ROLE_LABEL;
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;

	switch ((enum col)col) {
	case COL_NODE:
		snprintf(out->text, sizeof(out->text), "%s", at(v, row)->node);
		out->role = ROLE_TITLE;
		break;
	case COL_VIA:
		snprintf(out->text, sizeof(out->text), "%s", at(v, row)->via);
		break;
	case COL_KIND:
		snprintf(out->text, sizeof(out->text), "%s", status_word((enum status)v->kind[row]));
		out->role = ROLE_WARN;
		break;
	case COL_COUNT:
		number_int(out->text, sizeof(out->text), at(v, row)->errors.by_code[v->kind[row]]);
		break;
	case COL_LAST:
		cell_last(v, row, out);
		break;
	case COLS:
		break;
	}
}

static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	uint32_t x = at(v, a)->errors.by_code[v->kind[a]], y = at(v, b)->errors.by_code[v->kind[b]];

	switch ((enum col)col) {
	case COL_NODE:
		return strcmp(at(v, a)->node, at(v, b)->node);
	case COL_VIA:
		return strcmp(at(v, a)->via, at(v, b)->via);
	case COL_KIND:
		return strcmp(status_word((enum status)v->kind[a]), status_word((enum status)v->kind[b]));
	default:
		return (x < y) - (x > y);
	}
}

static struct table_source source(const struct model *m, struct view *v)
{
	look(v, m);
	return (struct table_source){ .ctx = v, .n = v->n, .key = key, .cell = cell, .cmp = cmp };
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);
	char note[64];
	struct canvas in;

	table_note(&s->table, cols, note, sizeof(note));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Errors by kind",
				      s->table.sort ? note : "since the start", NULL));
	if (src.n)
		table_draw(&s->table, cols, COLS, &src, &in, focus);
	else
		canvas_text(&in, 1, 0, -1, ROLE_DIM, 0, "none so far");
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);
	long row;

	if (cmd != UI_OPEN && cmd != UI_COPY)
		return table_command(&s->table, cols, COLS, &src, cmd);
	row = table_selected(&s->table, &src);
	if (row < 0)
		return PANE_IGNORED;
	return cmd == UI_COPY ? parts_copy(pane, at(&v, (unsigned)row)->errors.last) : parts_open_path(pane, v.path[row]);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);

	return table_click(&s->table, cols, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_errors;
const struct pane_class pane_errors = {
	.name = "errors",
	.title = "Errors by kind",
	.help = "what failed on which path, how often, and what it said last",
	.wants = DIRTY_PATHS | DIRTY_CLOCK,
	.views = 1u << 5,
	.min_w = 24,
	.min_h = 4,
	.priority = 2,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
