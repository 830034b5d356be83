/* Endpoints side by side: a column for each path and a row for each question, or the other way round. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"

enum {
	GROUP = 6, /* "TRUTH " */
	LABEL = 19, /* "heads missed / dup " */
	COLUMN = 18,
	COLUMN_LEAST = 16,
	SENTENCES = 3, /* lines of them */
	GAP = 2, /* between columns when paths are rows */
	HEADINGS = 2, /* lines: TRUTH, head */
};

struct state {
	unsigned path; /* that the cursor is on */
	unsigned chosen; /* its position now: the order changes */
	unsigned left; /* position of the first column shown */
	bool moved; /* before the first move there is no cursor */
	bool groups; /* there is room for TRUTH, FRESH … */
	int label_w, column_w; /* as drawn last */
	unsigned columns;
	bool rows; /* paths are rows */
	unsigned top, question; /* then: first path and first question shown */
};

static void find_chosen(struct state *s, const struct ranking *r, unsigned n)
{
	s->chosen = 0;
	for (unsigned k = 0; s->moved && k < n; k++) {
		if (r->row[k] == s->path)
			s->chosen = k;
	}
}

static void measure(struct state *s, int w, unsigned n)
{
	int room = w - 1 - GROUP - LABEL;

	s->groups = room >= (int)n * COLUMN_LEAST || room / COLUMN_LEAST == (room + GROUP) / COLUMN_LEAST;
	if (room < COLUMN_LEAST)
		s->groups = false;
	s->label_w = (s->groups ? GROUP : 0) + LABEL;
	if (w - 1 - s->label_w < COLUMN_LEAST)
		s->label_w = w - COLUMN_LEAST - 1 > 6 ? w - COLUMN_LEAST - 1 : 6;
	room = w - s->label_w - 1;
	s->columns = room > COLUMN_LEAST ? (unsigned)(room / COLUMN_LEAST) : 1;
	if (s->columns > n)
		s->columns = n;
	s->column_w = s->columns ? room / (int)s->columns : room;
	if (s->column_w > COLUMN)
		s->column_w = COLUMN;
	if (s->chosen < s->left)
		s->left = s->chosen;
	if (s->columns && s->chosen >= s->left + s->columns)
		s->left = s->chosen - s->columns + 1;
	if (s->left + s->columns > n)
		s->left = n - s->columns;
}

static int column_x(const struct state *s, unsigned i)
{
	return s->label_w + (int)i * s->column_w;
}

static void draw_titles(const struct state *s, const struct compare *c, struct canvas *in, bool focus)
{
	char title[80];

	for (unsigned i = 0; i < s->columns; i++) {
		unsigned path = c->r.row[s->left + i];
		bool cursor = focus && s->moved && s->left + i == s->chosen;
		enum role role = c->r.rank[path] == 1 ? ROLE_BEST : ROLE_TITLE;

		compare_title(c, path, title, sizeof(title));
		canvas_right(in, column_x(s, i) + 1, 0, s->column_w - 1, role, cursor ? CELL_REVERSE : 0, title);
	}
}

/* "61 %  234 timeouts" loses a blank, then all that stands behind the number, where there is no room for it. */
static void shorten(char *text, int w)
{
	char *more = strstr(text, "  ");

	if (!more || parts_width(text) <= w)
		return;
	if (parts_width(text) == w + 1)
		memmove(more, more + 1, strlen(more));
	else
		*more = '\0';
}

static void draw_rows(const struct state *s, const struct compare *c, struct canvas *in)
{
	struct compare_cell cell;
	int groups = s->groups ? GROUP : 0;

	for (unsigned row = 0; row < CMP_N && (int)row + 1 < in->at.h; row++) {
		int y = (int)row + 1;

		if (groups)
			canvas_text(in, 1, y, groups, ROLE_TITLE, 0, compare_group((enum compare_row)row));
		canvas_text(in, 1 + groups, y, s->label_w - groups - 1, ROLE_LABEL, 0, compare_label((enum compare_row)row));
		for (unsigned i = 0; i < s->columns; i++) {
			compare_cell(c, (enum compare_row)row, c->r.row[s->left + i], &cell);
			shorten(cell.text, s->column_w - 1);
			canvas_right(in, column_x(s, i) + 1, y, s->column_w - 1, parts_tone(cell.tone), 0, cell.text);
		}
	}
}

/* ---- paths as rows ---- */

static int question_w(const struct compare *c, enum compare_row row)
{
	int w = parts_width(compare_label(row)), k = parts_width(compare_group(row));
	struct compare_cell cell;

	w = k > w ? k : w;

	for (unsigned i = 0; i < c->m->n_paths; i++) {
		compare_cell(c, row, i, &cell);
		k = parts_width(cell.text);
		w = k > w ? k : w;
	}
	return w;
}

/* How many questions there is room for from `from` on; the width of each. */
static unsigned fit_questions(const struct compare *c, unsigned from, int room, int w[CMP_N])
{
	unsigned n = 0;

	for (unsigned q = from; q < CMP_N; q++, n++) {
		w[q] = question_w(c, (enum compare_row)q);
		room -= w[q] + GAP;
		if (room < 0 && n)
			break;
	}
	return n;
}

static int title_w(const struct compare *c)
{
	char title[80];
	int w = 4;

	for (unsigned i = 0; i < c->m->n_paths; i++) {
		compare_title(c, i, title, sizeof(title));
		w = parts_width(title) > w ? parts_width(title) : w;
	}
	return w;
}

static void draw_row(const struct state *s, const struct compare *c, struct canvas *in, unsigned at, const int *w, bool focus)
{
	bool cursor = focus && s->moved && at == s->chosen;
	enum role role = c->r.rank[c->r.row[at]] == 1 ? ROLE_BEST : ROLE_TITLE;
	int x = s->label_w, y = HEADINGS + (int)(at - s->top);
	struct compare_cell cell;
	char title[80];

	compare_title(c, c->r.row[at], title, sizeof(title));
	canvas_text(in, 1, y, s->label_w - 1, role, cursor ? CELL_REVERSE : 0, title);
	for (unsigned q = s->question; q < s->question + s->columns; q++) {
		compare_cell(c, (enum compare_row)q, c->r.row[at], &cell);
		canvas_right(in, x + GAP, y, w[q], parts_tone(cell.tone), 0, cell.text);
		x += GAP + w[q];
	}
}

static void measure_rows(struct state *s, const struct compare *c, int room, int w[CMP_N])
{
	s->label_w = title_w(c) + 1;
	if (s->label_w > room / 2)
		s->label_w = room / 2;
	s->columns = fit_questions(c, s->question, room - s->label_w - 1, w);
}

/* The first one shown says what it belongs to, too. */
static const char *group_at(const struct state *s, unsigned q)
{
	unsigned k = q;

	while (q == s->question && k > 0 && !compare_group((enum compare_row)k)[0])
		k--;
	return compare_group((enum compare_row)k);
}

/* Returns the line behind the last path. */
static int draw_paths(struct state *s, const struct compare *c, struct canvas *in, const int w[CMP_N], bool focus)
{
	int x, room = in->at.h - HEADINGS - 1;
	unsigned n = s->columns, fit = room > 1 ? (unsigned)room : 1;

	if (s->chosen < s->top)
		s->top = s->chosen;
	if (s->chosen >= s->top + fit)
		s->top = s->chosen - fit + 1;
	x = s->label_w;
	for (unsigned q = s->question; q < s->question + n; q++) {
		canvas_right(in, x + GAP, 0, w[q], ROLE_TITLE, 0, group_at(s, q));
		canvas_right(in, x + GAP, 1, w[q], ROLE_LABEL, 0, compare_label((enum compare_row)q));
		x += GAP + w[q];
	}
	for (unsigned at = s->top; at < c->m->n_paths && at < s->top + fit; at++)
		draw_row(s, c, in, at, w, focus);
	return HEADINGS + (int)(c->m->n_paths - s->top < fit ? c->m->n_paths - s->top : fit);
}

/* ---- the frame ---- */

/* "5 Endpoints · Ethereum · last 10 m = 50 heads · searcher" */
static void title_of(const struct compare *c, int w, char *out, size_t size)
{
	const struct chain *chain = model_chain(c->m);
	enum race_window window = c->r.window;
	uint64_t heads = ranking_heads_in(c->m, window);
	char n[NUMBER_MAX], age[40], span[80];

	if (window == RACE_ALL)
		snprintf(span, sizeof(span), "%s head%s in %s", number_int(n, sizeof(n), heads), heads == 1 ? "" : "s",
			 time_age(age, sizeof(age), (int64_t)(c->m->now_mono - c->m->start_mono)));
	else
		snprintf(span, sizeof(span), "last %s = %s head%s", window_word(window), number_int(n, sizeof(n), heads),
			 heads == 1 ? "" : "s");
	if (w < 100)
		snprintf(out, size, "5 Endpoints \xc2\xb7 %s \xc2\xb7 %s", window == RACE_ALL ? "all" : window_word(window),
			 rank_word(c->r.by));
	else
		snprintf(out, size, "5 Endpoints%s%s \xc2\xb7 %s \xc2\xb7 %s", chain ? " \xc2\xb7 " : "",
			 chain ? chain->name : "", span, rank_word(c->r.by));
}

static void note_of(const struct state *s, const struct compare *c, int room, char *out, size_t size)
{
	char part[40] = "";

	if (s->rows && s->columns < CMP_N)
		snprintf(part, sizeof(part), "%u\xe2\x80\x93%u of %d  ", s->question + 1, s->question + s->columns, CMP_N);
	else if (!s->rows && s->columns < c->m->n_paths)
		snprintf(part, sizeof(part), "%u\xe2\x80\x93%u of %u  ", s->left + 1, s->left + s->columns, c->m->n_paths);
	snprintf(out, size, "%sw window  X rows\xe2\x87\x84" "columns  o order  Enter detail", part);
	if (parts_width(out) > room)
		snprintf(out, size, "%sw X o Enter", part);
}

/* Broken between sentences; the last line takes the rest. */
static void draw_sentences(struct canvas *in, int y, char *text)
{
	int end_y = y + SENTENCES < in->at.h ? y + SENTENCES : in->at.h;

	for (; y < end_y && *text; y++) {
		char *end = NULL, *s = text;

		while (parts_width(text) > in->at.w - 2 && y + 1 < end_y) {
			s = strstr(s, ". ");
			if (!s)
				break;
			*s = '\0';
			if (parts_width(text) + 1 > in->at.w - 2 && end) {
				*s = '.';
				break;
			}
			*s++ = '.';
			end = s;
		}
		if (end)
			*end = '\0';
		canvas_text(in, 1, y, -1, ROLE_TEXT, 0, text);
		if (!end)
			break;
		text = end + 1;
	}
}

/* Without its figures where there is no room for them: they stand in the table. */
static void draw_headline(struct canvas *in, int y, char *text)
{
	char *figures = strstr(text, " (");

	if (figures && parts_width(text) > in->at.w - 2)
		snprintf(figures, 2, ".");
	canvas_text(in, 1, y, -1, ROLE_TITLE, 0, text);
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	static const char legend[] = "* best   = no measurable difference from best   \xe2\x80\x94 not available   "
				     "\xe2\x89\xa4 limited by our own polling";
	struct state *s = pane->state;
	struct compare cmp;
	char title[200], note[120], text[1024];
	struct canvas in = { .at = { .w = c->at.w - 2, .h = c->at.h - 2 } };
	int y, w[CMP_N];
	size_t at = 0;

	compare_make(&cmp, m, pane->env->rank, pane->env->window);
	find_chosen(s, &cmp.r, m->n_paths);
	if (s->rows)
		measure_rows(s, &cmp, c->at.w - 2, w);
	else
		measure(s, c->at.w - 2, m->n_paths);
	title_of(&cmp, c->at.w, title, sizeof(title));
	note_of(s, &cmp, c->at.w - parts_width(title) - 8, note, sizeof(note));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, title, note,
				      c->at.w > (int)sizeof(legend) - 12 ? legend : "* best   = as good   \xe2\x89\xa4 polling"));
	if (s->rows) {
		y = draw_paths(s, &cmp, &in, w, focus);
	} else {
		draw_titles(s, &cmp, &in, focus);
		draw_rows(s, &cmp, &in);
		y = CMP_N + 1;
	}
	/* With one line for both the numbers matter more than the name. */
	compare_headline(&cmp, text, sizeof(text));
	if (in.at.h - y > 1)
		draw_headline(&in, y++, text);
	else if (cmp.r.ranked < 2)
		at = strlen(text);
	if (at)
		text[at++] = ' ';
	compare_sentence(&cmp, text + at, sizeof(text) - at);
	draw_sentences(&in, y, text);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct ranking r;

	if (m->n_paths == 0)
		return PANE_IGNORED;
	if (parts_setting(pane, cmd) == PANE_DONE)
		return PANE_DONE;
	ranking_make(&r, m, pane->env->rank, pane->env->window);
	find_chosen(s, &r, m->n_paths);
	switch (cmd) {
	case UI_TRANSPOSE:
		s->rows = !s->rows;
		return PANE_DONE;
	case UI_COL_PREV:
	case UI_UP:
		if (s->rows && cmd == UI_COL_PREV) {
			s->question -= s->question > 0;
			return PANE_DONE;
		}
		s->chosen -= s->chosen > 0;
		break;
	case UI_COL_NEXT:
	case UI_DOWN:
		if (s->rows && cmd == UI_COL_NEXT) {
			s->question += s->question + s->columns < CMP_N;
			return PANE_DONE;
		}
		s->chosen += s->moved && s->chosen + 1 < m->n_paths;
		break;
	case UI_NEWEST:
		s->chosen = 0;
		break;
	case UI_OLDEST:
		s->chosen = m->n_paths - 1;
		break;
	case UI_COPY:
		return parts_copy(pane, m->paths[r.row[s->chosen]]->show);
	case UI_OPEN:
		return parts_open_path(pane, r.row[s->chosen]);
	default:
		return PANE_IGNORED;
	}
	s->path = r.row[s->chosen];
	s->moved = true;
	return PANE_DONE;
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct ranking r;
	unsigned i;

	if (s->rows) {
		i = y > HEADINGS ? s->top + (unsigned)(y - 1 - HEADINGS) : m->n_paths;
		if (i >= m->n_paths)
			return PANE_IGNORED;
		ranking_make(&r, m, pane->env->rank, pane->env->window);
		s->path = r.row[i];
		s->moved = true;
		return PANE_DONE;
	}
	if (s->column_w < 1 || x - 1 < s->label_w)
		return PANE_IGNORED;
	i = s->left + (unsigned)((x - 1 - s->label_w) / s->column_w);
	if (i >= m->n_paths || i >= s->left + s->columns)
		return PANE_IGNORED;
	ranking_make(&r, m, pane->env->rank, pane->env->window);
	s->path = r.row[i];
	s->moved = true;
	return PANE_DONE;
}

extern const struct pane_class pane_compare;
const struct pane_class pane_compare = {
	.name = "compare",
	.title = "Endpoints compared",
	.help = "every path beside the others: truth, freshness, speed, errors, cost; ties are ties",
	.wants = DIRTY_PATHS | DIRTY_CLOCK | DIRTY_NODE | DIRTY_HEAD,
	.views = 1u << 5,
	.min_w = 20,
	.min_h = 4,
	.priority = 0,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
