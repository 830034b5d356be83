/* The program's own log: newest line first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "ui/pane.h"
#include "ui/widget_table.h"

enum { LINES_MAX = 512 };
enum { TIME, LEVEL, TEXT };

struct state {
	struct table table;
};

static const struct table_col cols[] = {
	{.title = "time UTC", .width = 8, .align = TABLE_LEFT, .fixed_order = true},
	{.title = "level", .gap = 2, .width = 7, .align = TABLE_LEFT, .priority = 1},
	{.title = "text", .gap = 2, .width = 4, .grow = 1, .align = TABLE_LEFT, .fixed_order = true},
};

enum { COLS = sizeof(cols) / sizeof(cols[0]) };

/* Lines as log_lines gives them: oldest first. */
struct lines {
	struct log_line *line;
	unsigned n;
};

static const struct log_line *
at(const void *ctx, unsigned row)
{
	const struct lines *l = ctx;

	return &l->line[l->n - 1 - row];
}

static uint64_t
key(const void *ctx, unsigned row)
{
	return at(ctx, row)->seq;
}

static void
cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	static const struct {
		const char *word;
		enum role role;
	} level[] = {
		[LOG_DEBUG] = {"debug", ROLE_DIM},
		[LOG_INFO] = {"info", ROLE_TEXT},
		[LOG_WARN] = {"warning", ROLE_WARN},
		[LOG_ERROR] = {"error", ROLE_CRIT},
	};
	const struct log_line *l = at(ctx, row);
	unsigned k = (unsigned)l->level <= LOG_ERROR ? l->level : LOG_ERROR;
	char buf[32];

	switch (col) {
	case TIME:
		out->role = ROLE_LABEL;
		snprintf(out->text, sizeof(out->text), "%s", time_clock_utc(buf, sizeof(buf), l->wall_ns));
		break;
	case LEVEL:
		out->role = level[k].role;
		snprintf(out->text, sizeof(out->text), "%s", level[k].word);
		break;
	default:
		out->role = k >= LOG_WARN ? level[k].role : ROLE_TEXT;
		snprintf(out->text, sizeof(out->text), "%s", l->text);
		break;
	}
}

static int
cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	(void)col;
	return (int)at(ctx, b)->level - (int)at(ctx, a)->level;
}

/* All lines there are, as a source; free lines->line. */
static struct table_source
source(struct lines *lines)
{
	lines->line = malloc(LINES_MAX * sizeof(*lines->line));
	lines->n = lines->line != NULL ? (unsigned)log_lines(lines->line, LINES_MAX) : 0;
	return (struct table_source){.ctx = lines, .n = lines->n, .key = key, .cell = cell, .cmp = cmp};
}

static void
draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct lines lines;
	struct table_source src = source(&lines);
	struct canvas in;
	char foot[64], note[64];

	(void)m;
	snprintf(foot, sizeof(foot), "%llu lines since the start", (unsigned long long)log_seq());
	in = canvas_sub(c, canvas_box(c, (struct rect){.w = c->at.w, .h = c->at.h}, focus, "Log",
		table_note(&s->table, cols, note, sizeof(note)), foot));
	table_draw(&s->table, cols, COLS, &src, &in, focus);
	if (src.n == 0)
		canvas_text(&in, 1, 1, -1, ROLE_DIM, 0, "nothing logged so far");
	free(lines.line);
}

static enum pane_result
command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct lines lines;
	struct table_source src = source(&lines);
	enum pane_result res = table_command(&s->table, cols, COLS, &src, cmd);

	(void)m;
	free(lines.line);
	return res;
}

static enum pane_result
click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct lines lines;
	struct table_source src = source(&lines);
	enum pane_result res = table_click(&s->table, cols, COLS, &src, x - 1, y - 1);

	(void)m;
	free(lines.line);
	return res;
}

extern const struct pane_class pane_log;
const struct pane_class pane_log = {
	.name = "log",
	.title = "Log",
	.help = "what chaintop itself did: connects, retries, surprises, newest first",
	.wants = DIRTY_OWN | DIRTY_CLOCK | DIRTY_PATHS | DIRTY_NOTES,
	.views = 1u << 8,
	.min_w = 20,
	.min_h = 4,
	.priority = 0,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
