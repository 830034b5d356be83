/* Pages of lines; see widget_doc.h. */
#include "ui/widget_doc.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The cursor is always seen, and no line is wasted at the end. */
static void scroll(struct doc *d, unsigned n)
{
	if (d->at >= n)
		d->at = n ? n - 1 : 0;
	if (d->at < d->top)
		d->top = d->at;
	if (d->page && d->at >= d->top + d->page)
		d->top = d->at - d->page + 1;
	if (d->top + d->page > n)
		d->top = n > d->page ? n - d->page : 0;
}

static void draw_line(const struct doc_line *l, int y, int label_w, struct canvas *c)
{
	int x = 1 + label_w, end;

	if (l->title) {
		canvas_text(c, 1, y, c->at.w - 1, ROLE_TITLE, 0, l->label);
		return;
	}
	canvas_text(c, 1, y, label_w > 1 ? label_w - 1 : label_w, ROLE_LABEL, 0, l->label);
	if (x >= c->at.w)
		return;
	end = canvas_text(c, x, y, c->at.w - x, l->role, 0, l->text);
	for (unsigned i = 0; i < sizeof(l->mark) / sizeof(l->mark[0]); i++) {
		if (l->mark[i].text[0] == '\0')
			continue;
		if (end + 2 + (int)utf8_columns(l->mark[i].text) > c->at.w)
			break;
		end = canvas_text(c, end + 2, y, -1, l->mark[i].role, 0, l->mark[i].text);
	}
}

void doc_draw(struct doc *d, const struct doc_source *src, int label_w, struct canvas *c, bool focus)
{
	struct doc_line l;

	d->page = c->at.h > 0 ? (unsigned)c->at.h : 0;
	scroll(d, src->n);
	for (unsigned i = 0; i < d->page && d->top + i < src->n; i++) {
		memset(&l, 0, sizeof(l));
		src->line(src->ctx, d->top + i, &l);
		l.text[sizeof(l.text) - 1] = '\0';
		draw_line(&l, (int)i, label_w, c);
		if (focus && d->top + i == d->at) {
			canvas_put(c, 0, (int)i, 0x25b6, ROLE_HEAD, 0);
			canvas_attr(c, (struct rect){ .y = (int)i, .w = c->at.w, .h = 1 }, CELL_REVERSE);
		}
	}
}

enum pane_result doc_command(struct doc *d, unsigned n, enum ui_cmd cmd)
{
	long page = d->page > 1 ? (long)d->page : 2, at = (long)d->at;

	switch (cmd) {
	case UI_DOWN:
		at++;
		break;
	case UI_UP:
		at--;
		break;
	case UI_NEWEST:
		at = 0;
		break;
	case UI_OLDEST:
		at = (long)n - 1;
		break;
	case UI_PAGE_DOWN:
		at += page - 1;
		break;
	case UI_PAGE_UP:
		at -= page - 1;
		break;
	case UI_HALF_DOWN:
		at += page / 2;
		break;
	case UI_HALF_UP:
		at -= page / 2;
		break;
	default:
		return PANE_IGNORED;
	}
	at = at < 0 ? 0 : at >= (long)n ? (long)n - 1 : at;
	if (n == 0 || (unsigned)at == d->at)
		return PANE_IGNORED;
	d->at = (unsigned)at;
	scroll(d, n);
	return PANE_DONE;
}

enum pane_result doc_click(struct doc *d, unsigned n, int y)
{
	if (y < 0 || (unsigned)y >= d->page || d->top + (unsigned)y >= n)
		return PANE_IGNORED;
	d->at = d->top + (unsigned)y;
	return PANE_DONE;
}

char *doc_note(const struct doc *d, unsigned n, char *out, size_t size)
{
	if (n > d->page)
		snprintf(out, size, "line %u of %u", d->at + 1, n);
	else if (size)
		out[0] = '\0';
	return out;
}
