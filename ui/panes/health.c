/* Health: every check with its value, limits and since when; where there is little room, what fails and what was looked at. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_table.h"

enum {
	SUMMARY = 6, /* lines with frame: up to there a summary */
	CELL_1 = 14, /* columns of its cells; the third one takes the rest */
	CELL_2 = 13,
	ROWS_MAX = HEALTH_SUBJECTS * CHECK_N,
};

enum col { COL_LEVEL, COL_OF, COL_CHECK, COL_VALUE, COL_WARN, COL_CRIT, COL_SINCE, COL_COUNT, COL_TEXT, COLS };

static const struct table_col cols[COLS] = {
	[COL_LEVEL] = { .title = "", .gap = 0, .width = 4, .align = TABLE_LEFT },
	[COL_OF] = { .title = "of", .gap = 1, .width = 12, .align = TABLE_LEFT, .priority = 1 },
	[COL_CHECK] = { .title = "check", .gap = 1, .width = 13, .align = TABLE_LEFT },
	[COL_VALUE] = { .title = "value", .gap = 1, .width = 9, .fixed_order = true },
	[COL_WARN] = { .title = "warn", .gap = 1, .width = 8, .priority = 4, .fixed_order = true },
	[COL_CRIT] = { .title = "crit", .gap = 1, .width = 8, .priority = 4, .fixed_order = true },
	[COL_SINCE] = { .title = "since", .gap = 1, .width = 7, .priority = 3 },
	[COL_COUNT] = { .title = "times", .gap = 1, .width = 5, .priority = 5 },
	[COL_TEXT] = { .title = "what", .gap = 2, .width = 16, .grow = 1, .align = TABLE_LEFT, .priority = 2,
		       .fixed_order = true },
};

struct state {
	struct table table;
};

struct row {
	const struct health_subject *s;
	enum check_id id;
};

/* Rows in the order of the pane: what fails, worst first; what is well; what says nothing here. */
struct view {
	const struct model *m;
	struct row row[ROWS_MAX];
	unsigned n;
};

static bool shown(const struct model *m, const struct health_subject *s)
{
	return s->scope == SCOPE_MACHINE || s->chain < 0 || (unsigned)s->chain == m->shown;
}

static const struct check_view *at(const struct view *v, unsigned row)
{
	return &v->row[row].s->check[v->row[row].id];
}

/* 0 critical, 1 warning, 2 well, 3 says nothing. */
static unsigned rank(const struct check_view *c)
{
	return !c->applies ? 3 : c->level == LEVEL_CRIT ? 0 : c->level == LEVEL_WARN ? 1 : 2;
}

static void look(struct view *v, const struct model *m)
{
	v->m = m;
	v->n = 0;
	for (unsigned r = 0; r < 4; r++) {
		for (unsigned i = 0; i < m->health.n; i++) {
			const struct health_subject *s = m->health.subject[i];

			for (unsigned id = 0; id < CHECK_N && shown(m, s); id++)
				if (check_info((enum check_id)id)->scope == s->scope && rank(&s->check[id]) == r)
					v->row[v->n++] = (struct row){ s, (enum check_id)id };
		}
	}
}

/* ---- the summary ---- */

/* How a check stands over all subjects: its worst view, of equals the one with the least room. NULL: it applies nowhere. */
static const struct check_view *worst_of(const struct model *m, enum check_id id)
{
	bool low = check_info(id)->flags & CHECK_LOW;
	const struct check_view *best = NULL;

	for (unsigned i = 0; i < m->health.n; i++) {
		const struct check_view *v = &m->health.subject[i]->check[id];

		if (!shown(m, m->health.subject[i]) || !v->applies)
			continue;
		if (!best || v->level > best->level ||
		    (v->level == best->level && (low ? v->value < best->value : v->value > best->value)))
			best = v;
	}
	return best;
}

static const char *sign(enum level l, enum role *role)
{
	*role = l == LEVEL_CRIT ? ROLE_CRIT : l == LEVEL_WARN ? ROLE_WARN : ROLE_OK;
	return l == LEVEL_CRIT ? "\xe2\x9c\x97" : l == LEVEL_WARN ? "!" : "\xe2\x9c\x93";
}

/* What is said of a check that is well: its name, and where a figure says more, that. */
static void fact(enum check_id id, const struct check_view *v, char *out, size_t size)
{
	const char *after = strstr(v->text, ": "), *left = strstr(v->text, " left");
	char n[32];

	switch (id) {
	case CHECK_peers:
		snprintf(out, size, "peers %s", check_value(n, sizeof(n), UNIT_COUNT, v->value));
		break;
	case CHECK_disk:
		if (after && left && left > after)
			snprintf(out, size, "disk %.*s free", (int)(left - after - 2), after + 2);
		else
			snprintf(out, size, "disk %s free", check_value(n, sizeof(n), UNIT_PERCENT, v->value));
		break;
	case CHECK_fork:
		snprintf(out, size, "%s", after ? after + 2 : check_info(id)->label);
		break;
	default:
		snprintf(out, size, "%s", check_info(id)->label);
		break;
	}
}

/* What fails, worst first. Returns the line behind. */
static int findings(const struct model *m, struct canvas *c)
{
	struct view v;
	enum role role;
	int y = 0;

	look(&v, m);
	for (unsigned i = 0; i < v.n && rank(at(&v, i)) < 2; i++) {
		const struct check_view *k = at(&v, i);
		unsigned more = 0;

		while (i + more < v.n && rank(at(&v, i + more)) < 2)
			more++;
		if (y == c->at.h - 1 && more > 1) {
			canvas_textf(c, 1, y, c->at.w - 1, ROLE_WARN, 0, "%u more: 7", more);
			return y + 1;
		}
		const char *s = sign(k->level, &role);

		canvas_text(c, 1, y, 1, role, 0, s);
		canvas_text(c, 3, y, c->at.w - 4, role, 0, k->text);
		y++;
	}
	return y;
}

static void summary(const struct model *m, struct canvas *c)
{
	static const enum check_id order[] = {
		CHECK_age, CHECK_finality, CHECK_peers, CHECK_hash, CHECK_verify, CHECK_disk, CHECK_errors, CHECK_chain,
		CHECK_p99, CHECK_behind, CHECK_silent, CHECK_link, CHECK_reorg, CHECK_body_lag, CHECK_txpool,
		CHECK_head_back, CHECK_sync, CHECK_client, CHECK_final_changed, CHECK_p2p,
		CHECK_clock,
	};
	const struct check_view *fork = worst_of(m, CHECK_fork);
	int y = findings(m, c), col = 0, x = 1, last = c->at.h;
	char text[160];

	if (fork && fork->level == LEVEL_OK && y + 1 < last)
		last--;
	else
		fork = NULL;
	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]) && y < last; i++) {
		const struct check_view *v = worst_of(m, order[i]);
		int w = col == 0 ? CELL_1 : col == 1 ? CELL_2 : c->at.w - x;

		if (!v || v->level != LEVEL_OK)
			continue;
		fact(order[i], v, text, sizeof(text));
		canvas_text(c, x, y, 1, ROLE_OK, 0, "\xe2\x9c\x93");
		canvas_text(c, x + 2, y, w - 3, ROLE_TEXT, 0, text);
		x += w;
		if (++col == 3 || x + 10 > c->at.w) {
			col = 0;
			x = 1;
			y++;
		}
	}
	if (!fork)
		return;
	fact(CHECK_fork, fork, text, sizeof(text));
	canvas_text(c, 1, last, 1, ROLE_OK, 0, "\xe2\x9c\x93");
	canvas_text(c, 3, last, c->at.w - 4, ROLE_TEXT, 0, text);
}

/* ---- the table ---- */

static uint64_t key(const void *ctx, unsigned row)
{
	const struct view *v = ctx;
	const struct health_subject *s = v->row[row].s;

	return ((uint64_t)s->scope << 32 | (uint64_t)s->index << 16 | v->row[row].id) + 1;
}

static void limit_text(const struct view *v, unsigned row, double limit, struct table_cell *out)
{
	const struct check_info *info = check_info(v->row[row].id);

	out->role = ROLE_LABEL;
	if (at(v, row)->applies && !(info->flags & CHECK_STATE))
		check_value(out->text, sizeof(out->text), info->unit, limit);
}

/* Without the name that stands beside it. */
static const char *words(const struct view *v, unsigned row)
{
	const struct check_view *k = at(v, row);
	const char *name = v->row[row].s->name;
	size_t n = strlen(name);

	if (!k->applies)
		return k->why_not;
	return strncmp(k->text, name, n) == 0 && strncmp(k->text + n, ": ", 2) == 0 ? k->text + n + 2 : k->text;
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct check_view *k = at(v, row);
	enum role role;

	sign(k->level, &role);
	if (!k->applies)
		role = ROLE_DIM;
	switch ((enum col)col) {
	case COL_LEVEL:
		snprintf(out->text, sizeof(out->text), "%s", k->applies ? level_word(k->level) : "n/a");
		out->role = role;
		break;
	case COL_OF:
		snprintf(out->text, sizeof(out->text), "%s", v->row[row].s->name);
		out->role = k->applies ? ROLE_TITLE : ROLE_DIM;
		break;
	case COL_CHECK:
		snprintf(out->text, sizeof(out->text), "%s", check_info(v->row[row].id)->label);
		out->role = k->applies ? ROLE_TEXT : ROLE_DIM;
		break;
	case COL_VALUE:
		limit_text(v, row, k->value, out);
		out->role = k->level == LEVEL_OK ? ROLE_TEXT : role;
		break;
	case COL_WARN:
		limit_text(v, row, k->warn, out);
		break;
	case COL_CRIT:
		limit_text(v, row, k->crit, out);
		break;
	case COL_SINCE:
		if (k->applies && k->since_mono != UNKNOWN)
			time_age(out->text, sizeof(out->text), v->m->now_mono > k->since_mono ?
									(int64_t)(v->m->now_mono - k->since_mono) : 0);
		break;
	case COL_COUNT:
		if (k->count)
			number_int(out->text, sizeof(out->text), k->count);
		break;
	case COL_TEXT:
		snprintf(out->text, sizeof(out->text), "%s", words(v, row));
		out->role = k->level == LEVEL_OK && k->applies ? ROLE_LABEL : role;
		break;
	case COLS:
		break;
	}
}

static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	const struct check_view *x = at(v, a), *y = at(v, b);

	switch ((enum col)col) {
	case COL_OF:
		return strcmp(v->row[a].s->name, v->row[b].s->name);
	case COL_CHECK:
		return (v->row[a].id > v->row[b].id) - (v->row[a].id < v->row[b].id);
	case COL_SINCE:
		return (x->since_mono < y->since_mono) - (x->since_mono > y->since_mono);
	case COL_COUNT:
		return (x->count < y->count) - (x->count > y->count);
	default:
		return (rank(x) > rank(y)) - (rank(x) < rank(y));
	}
}

static struct table_source source(const struct model *m, struct view *v)
{
	look(v, m);
	return (struct table_source){ .ctx = v, .n = v->n, .key = key, .cell = cell, .cmp = cmp };
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	const struct health *h = &m->health;
	struct state *s = pane->state;
	bool small = c->at.h <= SUMMARY;
	struct view v;
	struct table_source src = source(m, &v);
	char note[96], sorted[64];
	struct canvas in;

	table_note(&s->table, cols, sorted, sizeof(sorted));
	if (h->ok == h->total)
		snprintf(note, sizeof(note), "%u ok", h->ok);
	else
		snprintf(note, sizeof(note), "%u of %u ok", h->ok, h->total);
	if (!small && s->table.sort)
		snprintf(note, sizeof(note), "%s \xc2\xb7 %u of %u ok", sorted, h->ok, h->total);
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Health", h->total ? note : NULL,
				      NULL));
	if (!h->total)
		canvas_text(&in, 1, 0, in.at.w - 1, ROLE_DIM, 0, "waiting for the first answer");
	else if (small)
		summary(m, &in);
	else
		table_draw(&s->table, cols, COLS, &src, &in, focus);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);
	const struct row *r;
	long row;

	if (cmd != UI_OPEN && cmd != UI_COPY)
		return table_command(&s->table, cols, COLS, &src, cmd);
	row = table_selected(&s->table, &src);
	if (row < 0)
		return PANE_IGNORED;
	if (cmd == UI_COPY)
		return parts_copy(pane, at(&v, (unsigned)row)->text);
	r = &v.row[row];
	if (r->s->scope != SCOPE_NODE)
		return PANE_IGNORED;
	return parts_open_path(pane, r->s->check[r->id].path >= 0 ? (unsigned)r->s->check[r->id].path : r->s->index);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(m, &v);

	return table_click(&s->table, cols, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_health;
const struct pane_class pane_health = {
	.name = "health",
	.title = "Health",
	.help = "every check of every node: its value, its limits, since when; what fails comes first",
	.wants = DIRTY_HEALTH | DIRTY_CLOCK,
	.views = 1u << 1 | 1u << 7,
	.min_w = 30,
	.min_h = 4,
	.priority = 7,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
