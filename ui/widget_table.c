/* Tables; see widget_table.h. */
#include "ui/widget_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ui/widget_bar.h"

/* ---- columns ---- */

unsigned
table_fit(const struct table_col *cols, unsigned n_cols, int width, int16_t *x, int16_t *w)
{
	bool out[TABLE_COLS_MAX] = {false};
	int need = 0, left, at, grow = 0, share;
	unsigned i, shown = 0, worst;

	if (n_cols > TABLE_COLS_MAX)
		n_cols = TABLE_COLS_MAX;
	for (i = 0; i < n_cols; i++)
		need += cols[i].gap + cols[i].width;
	while (need > width) {
		worst = TABLE_COLS_MAX;
		for (i = 0; i < n_cols; i++)
			if (!out[i] && cols[i].priority > 0 &&
				(worst == TABLE_COLS_MAX || cols[i].priority >= cols[worst].priority))
				worst = i;
		if (worst == TABLE_COLS_MAX)
			break;
		out[worst] = true;
		need -= cols[worst].gap + cols[worst].width;
	}
	left = width > need ? width - need : 0;
	for (i = 0; i < n_cols; i++)
		grow += out[i] ? 0 : cols[i].grow;
	for (i = 0, at = 0; i < n_cols; i++) {
		x[i] = 0;
		w[i] = 0;
		if (out[i])
			continue;
		share = 0;
		if (grow > 0) {
			share = left * cols[i].grow / grow;
			left -= share;
			grow -= cols[i].grow;
		}
		/* Columns that stay whatever happens are clipped at the edge. */
		if (at + cols[i].gap >= width)
			break;
		x[i] = (int16_t)(at + cols[i].gap);
		w[i] = (int16_t)(cols[i].width + share);
		if (x[i] + w[i] > width)
			w[i] = (int16_t)(width - x[i]);
		at = x[i] + w[i];
		shown += w[i] > 0;
	}
	for (; i < n_cols; i++)
		x[i] = w[i] = 0;
	return shown;
}

/* ---- order ---- */

struct order {
	uint32_t *row; /* NULL: the source's own order */
	unsigned n;
	bool reverse; /* without rows of its own: from the last to the first */
};

static int
compare(const struct table *t, const struct table_source *src, uint32_t a, uint32_t b)
{
	int d = src->cmp(src->ctx, t->sort - 1u, a, b);

	return t->reverse ? -d : d;
}

/* Merge sort: stable, so that equal rows keep the pane's own order, and needs no global for the context. */
static void
merge_sort(const struct table *t, const struct table_source *src, uint32_t *a, uint32_t *tmp, unsigned n)
{
	unsigned width, lo, mid, hi, i, j, k;

	for (width = 1; width < n; width *= 2)
		for (lo = 0; lo + width < n; lo += 2 * width) {
			mid = lo + width;
			hi = mid + width < n ? mid + width : n;
			memcpy(tmp + lo, a + lo, (mid - lo) * sizeof(*a));
			for (i = lo, j = mid, k = lo; i < mid; k++)
				if (j < hi && compare(t, src, tmp[i], a[j]) > 0)
					a[k] = a[j++];
				else
					a[k] = tmp[i++];
		}
}

/* Without memory the rows stay in their own order: better than none. Free row. */
static struct order
order_make(const struct table *t, const struct table_source *src)
{
	struct order o = {.n = src->n, .reverse = t->reverse && t->sort == 0};
	uint32_t *tmp;
	unsigned i;

	if (t->sort == 0 || src->cmp == NULL || src->n < 2)
		return o;
	o.row = malloc(2 * (size_t)src->n * sizeof(*o.row));
	if (o.row == NULL)
		return o;
	tmp = o.row + src->n;
	for (i = 0; i < src->n; i++)
		o.row[i] = i;
	merge_sort(t, src, o.row, tmp, src->n);
	return o;
}

/* The source's row at a position on the screen. */
static unsigned
row_at(const struct order *o, unsigned pos)
{
	if (o->row != NULL)
		return o->row[pos];
	return o->reverse ? o->n - 1 - pos : pos;
}

/* ---- selection ---- */

/* Where the selected row stands now; if it left, what stands where it stood. n > 0. */
static unsigned
position(const struct table *t, const struct table_source *src, const struct order *o)
{
	unsigned i;

	if (!t->pinned)
		return 0;
	/* It moves by few rows between two frames: look around the old place first. */
	for (i = 0; i < 8; i++) {
		if (t->at + i < o->n && src->key(src->ctx, row_at(o, t->at + i)) == t->key)
			return t->at + i;
		if (i <= t->at && t->at - i < o->n && src->key(src->ctx, row_at(o, t->at - i)) == t->key)
			return t->at - i;
	}
	for (i = 0; i < o->n; i++)
		if (src->key(src->ctx, row_at(o, i)) == t->key)
			return i;
	return t->at < o->n ? t->at : o->n - 1;
}

static void
move_to(struct table *t, const struct table_source *src, const struct order *o, long pos)
{
	if (pos <= 0) {
		t->pinned = false;
		t->at = 0;
		return;
	}
	if (pos >= (long)o->n)
		pos = (long)o->n - 1;
	t->pinned = pos > 0;
	t->at = (unsigned)pos;
	t->key = src->key(src->ctx, row_at(o, t->at));
}

long
table_selected(const struct table *t, const struct table_source *src)
{
	struct order o;
	long row;

	if (src->n == 0)
		return -1;
	o = order_make(t, src);
	row = (long)row_at(&o, position(t, src, &o));
	free(o.row);
	return row;
}

static bool
can_sort(const struct table_col *cols, unsigned n_cols, const struct table_source *src, unsigned col)
{
	return src->cmp != NULL && col < n_cols && !cols[col].fixed_order && cols[col].title[0] != '\0';
}

/* The next sortable column that is shown, from `from` (column + 1, 0 none) in direction step. */
static unsigned
walk(const struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src, unsigned from,
	int step)
{
	unsigned i, col = from > 0 ? from - 1 : step > 0 ? n_cols - 1 : 0;

	for (i = 0; i < n_cols; i++) {
		col = step > 0 ? (col + 1) % n_cols : (col + n_cols - 1) % n_cols;
		if (can_sort(cols, n_cols, src, col) && t->w[col] > 0)
			return col + 1;
	}
	return from;
}

static enum pane_result
sort_command(struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src,
	enum ui_cmd cmd)
{
	if (n_cols == 0 || n_cols > TABLE_COLS_MAX || src->cmp == NULL)
		return PANE_IGNORED;
	switch (cmd) {
	case UI_SORT:
		if (t->chosen == 0)
			t->chosen = (uint8_t)walk(t, cols, n_cols, src, 0, 1);
		if (t->sort == t->chosen) {
			t->sort = 0;
			t->reverse = false;
		} else {
			t->sort = t->chosen;
		}
		break;
	case UI_SORT_PREV:
	case UI_SORT_NEXT:
		t->chosen = (uint8_t)walk(t, cols, n_cols, src, t->chosen, cmd == UI_SORT_NEXT ? 1 : -1);
		if (t->sort != 0)
			t->sort = t->chosen;
		break;
	default:
		t->reverse = !t->reverse;
		break;
	}
	return PANE_DONE;
}

enum pane_result
table_command(struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src,
	enum ui_cmd cmd)
{
	long page = t->page > 1 ? (long)t->page : 2, pos, to;
	struct order o;

	switch (cmd) {
	case UI_SORT:
	case UI_SORT_PREV:
	case UI_SORT_NEXT:
	case UI_SORT_REVERSE: return sort_command(t, cols, n_cols, src, cmd);
	case UI_FOLLOW: t->pinned = false; return PANE_DONE;
	case UI_BACK:
		if (!t->pinned)
			return PANE_IGNORED;
		t->pinned = false;
		return PANE_DONE;
	case UI_DOWN:
	case UI_UP:
	case UI_NEWEST:
	case UI_OLDEST:
	case UI_PAGE_DOWN:
	case UI_PAGE_UP:
	case UI_HALF_DOWN:
	case UI_HALF_UP: break;
	default: return PANE_IGNORED;
	}
	if (src->n == 0)
		return PANE_DONE;
	o = order_make(t, src);
	pos = (long)position(t, src, &o);
	to = cmd == UI_DOWN ? pos + 1
		: cmd == UI_UP ? pos - 1
		: cmd == UI_NEWEST ? 0
		: cmd == UI_OLDEST ? (long)src->n - 1
		: cmd == UI_PAGE_DOWN ? pos + page - 1
		: cmd == UI_PAGE_UP ? pos - page + 1
		: cmd == UI_HALF_DOWN ? pos + page / 2
		: pos - page / 2;
	move_to(t, src, &o, to);
	free(o.row);
	return PANE_DONE;
}

enum pane_result
table_click(struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src, int x, int y)
{
	struct order o;
	unsigned i;

	if (y == 0) {
		for (i = 0; i < n_cols && i < TABLE_COLS_MAX; i++) {
			/* Its gap belongs to it: narrow headings are hard to hit. */
			if (t->w[i] == 0 || x - 1 < t->x[i] - cols[i].gap || x - 1 >= t->x[i] + t->w[i])
				continue;
			if (!can_sort(cols, n_cols, src, i))
				return PANE_IGNORED;
			t->chosen = (uint8_t)(i + 1);
			if (t->sort == t->chosen)
				t->reverse = !t->reverse;
			t->sort = t->chosen;
			return PANE_DONE;
		}
		return PANE_IGNORED;
	}
	if (y < 0 || src->n == 0 || t->top + (unsigned)y - 1 >= src->n || (unsigned)y > t->page)
		return PANE_IGNORED;
	o = order_make(t, src);
	move_to(t, src, &o, (long)t->top + y - 1);
	free(o.row);
	return PANE_DONE;
}

/* ---- drawing ---- */

static void
draw_heading(const struct table *t, const struct table_col *cols, unsigned n_cols, struct canvas *c)
{
	unsigned i, attr;
	int x, len;
	enum role role;

	for (i = 0; i < n_cols; i++) {
		if (t->w[i] == 0)
			continue;
		/* The chosen column is underlined, the sorted one has an arrow: seen without colour, too. */
		attr = t->chosen == i + 1 ? CELL_UNDERLINE : 0;
		role = t->sort == i + 1 ? ROLE_TITLE : ROLE_LABEL;
		x = 1 + t->x[i];
		if (cols[i].align == TABLE_RIGHT)
			canvas_right(c, x, 0, t->w[i], role, attr, cols[i].title);
		else
			canvas_text(c, x, 0, t->w[i], role, attr, cols[i].title);
		if (t->sort != i + 1)
			continue;
		/* Outside the title, which must stay over its figures; the gap is used if need be. */
		len = (int)utf8_columns(cols[i].title);
		x = cols[i].align == TABLE_LEFT ? x + len : x + t->w[i] - len - 1;
		canvas_put(c, x, 0, t->reverse ? 0x25bc : 0x25b2, ROLE_TITLE, 0);
	}
}

static void
draw_row(const struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src, unsigned row,
	int y, struct canvas *c)
{
	struct table_cell cell;
	int x, w;
	unsigned i;

	for (i = 0; i < n_cols; i++) {
		if (t->w[i] == 0)
			continue;
		memset(&cell, 0, sizeof(cell));
		src->cell(src->ctx, row, i, &cell);
		cell.text[sizeof(cell.text) - 1] = '\0';
		x = 1 + t->x[i];
		w = cell.spill ? c->at.w - x : t->w[i];
		if (cell.bar)
			bar_fill(c, x, y, w, cell.share, cell.role);
		else if (cell.spill || cols[i].align == TABLE_LEFT)
			canvas_text(c, x, y, w, cell.role, cell.attr, cell.text);
		else
			canvas_right(c, x, y, w, cell.role, cell.attr, cell.text);
		if (cell.mark != 0)
			canvas_put(c, x + w, y, cell.mark, cell.mark_role, cell.attr);
		if (cell.spill)
			break;
	}
}

void
table_draw(struct table *t, const struct table_col *cols, unsigned n_cols, const struct table_source *src, struct canvas *c,
	bool focus)
{
	struct order o;
	unsigned i, pos = 0;

	if (n_cols > TABLE_COLS_MAX)
		n_cols = TABLE_COLS_MAX;
	/* The columns may have changed with the width. */
	if (t->sort > n_cols)
		t->sort = 0;
	if (t->chosen > n_cols)
		t->chosen = 0;
	table_fit(cols, n_cols, c->at.w - 1, t->x, t->w);
	t->page = c->at.h > 1 ? (unsigned)c->at.h - 1 : 0;
	draw_heading(t, cols, n_cols, c);
	if (src->n == 0 || t->page == 0) {
		t->top = 0;
		return;
	}
	o = order_make(t, src);
	pos = position(t, src, &o);
	t->at = pos;
	if (t->pinned)
		t->key = src->key(src->ctx, row_at(&o, pos));
	/* The selected row is always seen, and no line is wasted at the end. */
	if (pos < t->top)
		t->top = pos;
	if (pos >= t->top + t->page)
		t->top = pos - t->page + 1;
	if (t->top + t->page > src->n)
		t->top = src->n > t->page ? src->n - t->page : 0;
	for (i = 0; i < t->page && t->top + i < src->n; i++) {
		draw_row(t, cols, n_cols, src, row_at(&o, t->top + i), (int)i + 1, c);
		if (t->top + i != pos || !focus)
			continue;
		canvas_put(c, 0, (int)i + 1, 0x25b6, ROLE_HEAD, 0);
		/* Reverse only when it is pinned: a table that follows is read, not walked on. */
		if (t->pinned)
			canvas_attr(c, (struct rect){.y = (int)i + 1, .w = c->at.w, .h = 1}, CELL_REVERSE);
	}
	free(o.row);
}

const char *
table_note(const struct table *t, const struct table_col *cols, char *out, size_t size)
{
	const char *follow = t->pinned ? "pinned" : "following newest";

	if (t->sort == 0)
		snprintf(out, size, "%s%s", t->reverse ? "oldest first, " : "",
			t->reverse && !t->pinned ? "following" : follow);
	else
		snprintf(out, size, "%s%s %s", t->pinned ? "pinned, by " : "by ", cols[t->sort - 1].title,
			t->reverse ? "\xe2\x96\xbc" : "\xe2\x96\xb2");
	return out;
}
