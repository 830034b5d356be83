/* The list of alerts: what is wrong now and what was in the last hour; here they are acknowledged and muted. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_table.h"

enum col { COL_STATE, COL_NODE, COL_CHECK, COL_SINCE, COL_FOR, COL_COUNT, COL_MARK, COL_TEXT, COLS };

static const struct table_col cols[COLS] = {
	[COL_STATE] = { .title = "state", .gap = 0, .width = 5, .align = TABLE_LEFT },
	[COL_NODE] = { .title = "node", .gap = 1, .width = 12, .align = TABLE_LEFT, .priority = 6 },
	[COL_CHECK] = { .title = "check", .gap = 1, .width = 13, .align = TABLE_LEFT, .priority = 4 },
	[COL_SINCE] = { .title = "since", .gap = 1, .width = 8, .priority = 5 },
	[COL_FOR] = { .title = "for", .gap = 1, .width = 6, .priority = 1 },
	[COL_COUNT] = { .title = "times", .gap = 1, .width = 5, .priority = 3 },
	[COL_MARK] = { .title = "note", .gap = 2, .width = 11, .align = TABLE_LEFT, .priority = 2 },
	[COL_TEXT] = { .title = "what", .gap = 1, .width = 34, .grow = 1, .align = TABLE_LEFT, .fixed_order = true },
};

struct state {
	struct table table;
};

struct view {
	const struct model *m;
	uint16_t row[ALERTS_MAX];
	unsigned n, acked, muted;
};

static const struct alert *at(const struct view *v, unsigned row)
{
	return &v->m->alerts->at[v->row[row]];
}

static bool muted(const struct view *v, const struct alert *a)
{
	return a->mute_until > v->m->now_mono;
}

/* What is worse stands above, of those the newer one. */
static bool before(const struct alert *a, const struct alert *b)
{
	return a->level != b->level ? a->level > b->level : a->since_mono > b->since_mono;
}

static void look(struct view *v, const struct model *m)
{
	*v = (struct view){ .m = m };
	for (unsigned i = 0; m->alerts && i < m->alerts->n; i++) {
		const struct alert *a = &m->alerts->at[i];
		unsigned k = v->n++;

		for (; k > 0 && before(a, at(v, k - 1)); k--)
			v->row[k] = v->row[k - 1];
		v->row[k] = (uint16_t)i;
		v->acked += a->acked;
		v->muted += muted(v, a);
	}
}

static uint64_t key(const void *ctx, unsigned row)
{
	return at(ctx, row)->id;
}

static enum role role_of(const struct alert *a)
{
	return a->level == LEVEL_CRIT ? ROLE_CRIT : a->level == LEVEL_WARN ? ROLE_WARN : ROLE_DIM;
}

static int64_t lasted(const struct view *v, const struct alert *a)
{
	return v->m->now_mono > a->since_mono ? (int64_t)(v->m->now_mono - a->since_mono) : 0;
}

static void mark(const struct view *v, const struct alert *a, struct table_cell *out)
{
	char left[40];

	out->role = ROLE_LABEL;
	if (muted(v, a))
		snprintf(out->text, sizeof(out->text), "mute %s",
			 time_age(left, sizeof(left), (int64_t)(a->mute_until - v->m->now_mono)));
	else if (a->acked)
		snprintf(out->text, sizeof(out->text), "ack");
	else if (a->level != LEVEL_OK && a->told != a->level)
		snprintf(out->text, sizeof(out->text), "held");
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct alert *a = at(v, row);

	switch ((enum col)col) {
	case COL_STATE:
		snprintf(out->text, sizeof(out->text), "%s", a->level == LEVEL_OK ? "over" : level_word(a->level));
		out->role = role_of(a);
		break;
	case COL_NODE:
		snprintf(out->text, sizeof(out->text), "%s", a->name);
		out->role = a->level == LEVEL_OK ? ROLE_DIM : ROLE_TITLE;
		break;
	case COL_CHECK:
		snprintf(out->text, sizeof(out->text), "%s", check_info(a->check)->name);
		break;
	case COL_SINCE:
		time_clock_utc(out->text, sizeof(out->text), a->since_wall);
		break;
	case COL_FOR:
		time_age(out->text, sizeof(out->text), lasted(v, a));
		break;
	case COL_COUNT:
		number_int(out->text, sizeof(out->text), a->count);
		break;
	case COL_MARK:
		mark(v, a, out);
		break;
	case COL_TEXT:
		snprintf(out->text, sizeof(out->text), "%s", a->text);
		out->role = a->level == LEVEL_OK ? ROLE_DIM : ROLE_TEXT;
		break;
	case COLS:
		break;
	}
}

static int cmp(const void *ctx, unsigned col, unsigned x, unsigned y)
{
	const struct view *v = ctx;
	const struct alert *a = at(v, x), *b = at(v, y);

	switch ((enum col)col) {
	case COL_NODE:
		return strcmp(a->name, b->name);
	case COL_CHECK:
		return strcmp(check_info(a->check)->name, check_info(b->check)->name);
	case COL_SINCE:
	case COL_FOR:
		return (a->since_mono < b->since_mono) - (a->since_mono > b->since_mono);
	case COL_COUNT:
		return (a->count < b->count) - (a->count > b->count);
	case COL_MARK:
		return (a->acked < b->acked) - (a->acked > b->acked);
	default:
		return (a->level < b->level) - (a->level > b->level);
	}
}

static struct table_source source(const struct model *m, struct view *v)
{
	look(v, m);
	return (struct table_source){ .ctx = v, .n = v->n, .key = key, .cell = cell, .cmp = cmp };
}

/* "1 critical, 2 warnings, 1 acknowledged, 1 muted" */
static void sum(const struct view *v, char *out, size_t size)
{
	const struct alerts *a = v->m->alerts;
	const struct {
		unsigned n;
		const char *one, *more;
	} part[] = {
		{ a ? a->crit : 0, "critical", "critical" },
		{ a ? a->warn : 0, "warning", "warnings" },
		{ v->acked, "acknowledged", "acknowledged" },
		{ v->muted, "muted", "muted" },
	};
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]) && n < size; i++) {
		if (part[i].n)
			n += (size_t)snprintf(out + n, size - n, "%s%u %s", n ? ", " : "", part[i].n,
					      part[i].n == 1 ? part[i].one : part[i].more);
	}
	if (!out[0])
		snprintf(out, size, "nothing is wrong");
}

static void draw_none(const struct model *m, struct canvas *in)
{
	char text[120];

	if (!m->health.evaluated_mono || !m->health.total)
		snprintf(text, sizeof(text), "no check has been made yet");
	else
		snprintf(text, sizeof(text), "no alert in the last hour: %u of %u checks pass", m->health.ok, m->health.total);
	canvas_text(in, 1, 0, -1, ROLE_DIM, 0, text);
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);
	char note[80], order[64];
	const char *foot = c->at.w >= 64 ? "A acknowledge  S mute 1 h  Enter its path  Esc back" : "A ack  S mute  Esc";
	struct canvas in;

	sum(&v, note, sizeof(note));
	if (s->table.sort)
		snprintf(note, sizeof(note), "%s", table_note(&s->table, cols, order, sizeof(order)));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Alerts", note, foot));
	if (src.n)
		table_draw(&s->table, cols, COLS, &src, &in, focus);
	else
		draw_none(m, &in);
}

static enum pane_result acknowledge(struct pane *pane, const struct alert *a)
{
	if (a->level == LEVEL_OK)
		return parts_say(pane, "it is over: nothing to acknowledge");
	(void)parts_say(pane, "%s %s: %s", a->name, check_info(a->check)->name,
			a->acked ? "no longer acknowledged" : "acknowledged, silent until it is worse or over");
	pane->env->alert = a->id;
	return PANE_ACK;
}

static enum pane_result mute(struct pane *pane, const struct model *m, const struct alert *a)
{
	(void)parts_say(pane, "%s %s: %s", a->name, check_info(a->check)->name,
			a->mute_until > m->now_mono ? "no longer muted" : "muted for 1 h");
	pane->env->alert = a->id;
	return PANE_MUTE;
}

static enum pane_result open_path(struct pane *pane, const struct model *m, const struct alert *a)
{
	if (a->path >= 0 && (unsigned)a->path < m->n_paths)
		return parts_open_path(pane, (unsigned)a->path);
	if (a->scope == SCOPE_NODE && a->subject < m->n_paths)
		return parts_open_path(pane, a->subject);
	return parts_say(pane, "this is not about one path");
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);
	long row = table_selected(&s->table, &src);

	if (cmd != UI_ACK && cmd != UI_MUTE && cmd != UI_OPEN && cmd != UI_COPY)
		return table_command(&s->table, cols, COLS, &src, cmd);
	if (row < 0)
		return PANE_IGNORED;
	switch (cmd) {
	case UI_ACK:
		return acknowledge(pane, at(&v, (unsigned)row));
	case UI_MUTE:
		return mute(pane, m, at(&v, (unsigned)row));
	case UI_OPEN:
		return open_path(pane, m, at(&v, (unsigned)row));
	default:
		return parts_copy(pane, at(&v, (unsigned)row)->text);
	}
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);

	return table_click(&s->table, cols, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_alerts;
const struct pane_class pane_alerts = {
	.name = "alerts",
	.title = "Alerts",
	.help = "what is wrong now and what was in the last hour; held: the same was told a short while ago",
	.wants = DIRTY_HEALTH | DIRTY_CLOCK,
	.min_w = 20,
	.min_h = 4,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
