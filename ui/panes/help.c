/* Help: every command of the table, every pane, every sign. Lies over the other panes; part of no view. */
#include <stdio.h>
#include <string.h>

#include "ui/pane.h"

struct state {
	int top, lines, page;
};

/* Walks over the lines of the page; those that are in sight are drawn. */
struct page {
	struct canvas *c; /* the inside */
	int top, y; /* y: line number in the whole text */
};

static const struct {
	const char *sign, *meaning;
} signs[] = {
	{"\xe2\x9c\x93", "verified here: the block's hash and roots were computed again and agree"},
	{"\xe2\x9c\x97", "proven wrong, twice"},
	{"?", "cannot be verified: an unknown field or type"},
	{"\xe2\x80\x94", "not known; never shown as 0"},
	{"\xe2\x80\xb2", "orphan: lost its height to another block"},
	{"!", "at least one slot was lost before this block"},
	{"1=", "a tie: no measurable difference"},
	{"\xe2\x89\xa4", "limited by our own polling"},
};

static void
line(struct page *p, enum role left_role, const char *left, const char *right)
{
	int y = p->y++ - p->top;

	if (y < 0 || y >= p->c->at.h)
		return;
	canvas_text(p->c, 1, y, right == NULL ? -1 : 14, left_role, 0, left);
	if (right != NULL)
		canvas_text(p->c, 16, y, -1, ROLE_TEXT, 0, right);
}

static void
heading(struct page *p, const char *text)
{
	if (p->y > 0)
		line(p, ROLE_TEXT, "", NULL);
	line(p, ROLE_TITLE, text, NULL);
}

static void
all_lines(struct page *p)
{
	char keys[64], *s;
	size_t i;

	heading(p, "Keys");
	for (i = 0; i < command_table_n; i++) {
		/* "F1 ?" is easier to read with more room between the keys. */
		snprintf(keys, sizeof(keys), "%s", command_table[i].keys);
		if ((s = strchr(keys, ' ')) != NULL && strlen(keys) < 13) {
			memmove(s + 1, s, strlen(s) + 1);
		}
		line(p, ROLE_KEY, keys, command_table[i].help);
	}
	line(p, ROLE_KEY, "mouse", "a click chooses pane and row, on a heading sorts, on the last line does what it says");
	heading(p, "Panes");
	for (i = 0; i < pane_registry_n; i++)
		if (pane_registry[i]->views != 0)
			line(p, ROLE_TITLE, pane_registry[i]->title, pane_registry[i]->help);
	heading(p, "Signs");
	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		line(p, ROLE_HEAD, signs[i].sign, signs[i].meaning);
}

static void
clamp_top(struct state *s)
{
	if (s->top > s->lines - s->page)
		s->top = s->lines - s->page;
	if (s->top < 0)
		s->top = 0;
}

static void
draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct canvas none = canvas_sub(c, (struct rect){.w = 0});
	struct page count = {.c = &none};
	struct canvas in;
	struct page p = {.c = &in};
	char foot[64];

	(void)m;
	all_lines(&count);
	s->lines = count.y;
	s->page = c->at.h > 2 ? c->at.h - 2 : 0;
	clamp_top(s);
	foot[0] = '\0';
	if (s->lines > s->page)
		snprintf(foot, sizeof(foot), "%d-%d of %d lines \xc2\xb7 j k PgDn PgUp", s->top + 1,
			s->top + s->page < s->lines ? s->top + s->page : s->lines, s->lines);
	in = canvas_sub(c, canvas_box(c, (struct rect){.w = c->at.w, .h = c->at.h}, focus, "Help", "Esc or q closes", foot));
	p.top = s->top;
	all_lines(&p);
}

static enum pane_result
command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	int page = s->page > 2 ? s->page : 2;

	(void)m;
	switch (cmd) {
	case UI_DOWN: s->top++; break;
	case UI_UP: s->top--; break;
	case UI_NEWEST: s->top = 0; break;
	case UI_OLDEST: s->top = s->lines; break;
	case UI_PAGE_DOWN: s->top += page - 1; break;
	case UI_PAGE_UP: s->top -= page - 1; break;
	case UI_HALF_DOWN: s->top += page / 2; break;
	case UI_HALF_UP: s->top -= page / 2; break;
	default: return PANE_IGNORED;
	}
	clamp_top(s);
	return PANE_DONE;
}

extern const struct pane_class pane_help;
const struct pane_class pane_help = {
	.name = "help",
	.title = "Help",
	.help = "this page",
	.min_w = 20,
	.min_h = 3,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
};
