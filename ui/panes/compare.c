/* Endpoints side by side: a column for each path, a row for each question. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/compare_rows.h"
#include "ui/panes/parts.h"

enum {
	GROUP = 6, /* "TRUTH " */
	LABEL = 19, /* "heads missed / dup " */
	COLUMN = 18,
	COLUMN_LEAST = 16,
	SENTENCES = 2, /* lines of them */
};

struct state {
	unsigned path; /* that the cursor is on */
	unsigned chosen; /* its position now: the order changes */
	unsigned left; /* position of the first column shown */
	bool moved; /* before the first move there is no cursor */
	bool groups; /* there is room for TRUTH, FRESH … */
	int label_w, column_w; /* as drawn last */
	unsigned columns;
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
			canvas_right(in, column_x(s, i) + 1, y, s->column_w - 1, cell.role, 0, cell.text);
		}
	}
}

/* "Ethereum · 412 heads in 1h23m" */
static void title_of(const struct model *m, bool brief, char *out, size_t size)
{
	const struct chain *c = model_chain(m);
	uint64_t heads = ranking_heads(m);
	char n[NUMBER_MAX], age[40];

	if (brief) {
		snprintf(out, size, "5 Endpoints \xc2\xb7 %s head%s", number_int(n, sizeof(n), heads), heads == 1 ? "" : "s");
		return;
	}
	snprintf(out, size, "5 Endpoints%s%s \xc2\xb7 %s head%s in %s", c ? " \xc2\xb7 " : "", c ? c->name : "",
		 number_int(n, sizeof(n), heads), heads == 1 ? "" : "s",
		 time_age(age, sizeof(age), (int64_t)(m->now_mono - m->start_mono)));
}

/* Broken between sentences; the last line takes the rest. */
static void draw_sentences(struct canvas *in, char *text)
{
	for (int y = CMP_N + 1; y < in->at.h && *text; y++) {
		char *end = NULL, *s = text;

		while (parts_width(text) > in->at.w - 2 && y + 1 < in->at.h && y < CMP_N + SENTENCES) {
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

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	static const char legend[] = "* best   = no measurable difference from best   \xe2\x80\x94 not available   "
				     "\xe2\x89\xa4 limited by our own polling";
	struct state *s = pane->state;
	struct compare cmp;
	char title[120], note[80] = "", text[512];
	struct canvas in;

	compare_make(&cmp, m);
	find_chosen(s, &cmp.r, m->n_paths);
	measure(s, c->at.w - 2, m->n_paths);
	title_of(m, c->at.w < 100, title, sizeof(title));
	if (s->columns < m->n_paths)
		snprintf(note, sizeof(note), "%u\xe2\x80\x93%u of %u  h l path  Enter detail", s->left + 1, s->left + s->columns,
			 m->n_paths);
	else
		snprintf(note, sizeof(note), "h l path  Enter detail");
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, title, note,
				      c->at.w > (int)sizeof(legend) - 12 ? legend : "* best   = as good   \xe2\x89\xa4 polling"));
	draw_titles(s, &cmp, &in, focus);
	draw_rows(s, &cmp, &in);
	compare_sentence(&cmp, text, sizeof(text));
	draw_sentences(&in, text);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct ranking r;

	if (m->n_paths == 0)
		return PANE_IGNORED;
	ranking_make(&r, m);
	find_chosen(s, &r, m->n_paths);
	switch (cmd) {
	case UI_COL_PREV:
	case UI_UP:
		s->chosen -= s->chosen > 0;
		break;
	case UI_COL_NEXT:
	case UI_DOWN:
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

	(void)y;
	if (s->column_w < 1 || x - 1 < s->label_w)
		return PANE_IGNORED;
	i = s->left + (unsigned)((x - 1 - s->label_w) / s->column_w);
	if (i >= m->n_paths || i >= s->left + s->columns)
		return PANE_IGNORED;
	ranking_make(&r, m);
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
