/* The whole screen; see ui.h. */
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "ui/headlines.h"
#include "ui/howto.h"
#include "ui/keyline.h"
#include "ui/layout.h"
#include "ui/pages.h"

enum { VIEWS = 9, WHEEL_ROWS = 3, CLIP_MAX = 64 << 20, BAR_LEAST_H = 8 };

struct ui {
	struct canvas canvas;
	struct cell *before; /* the cells of the last ui_render */
	int w, h, view, last_view;
	unsigned n; /* panes */
	struct pane pane[LAYOUT_PANES_MAX];
	bool present[LAYOUT_PANES_MAX], stale[LAYOUT_PANES_MAX];
	int focus[VIEWS]; /* per view: index of the pane, −1 none */
	int help; /* index of the help pane, −1: there is none */
	bool helping, zoomed, mouse;
	struct pages pages;
	int page; /* index of the pane that shows the page on top, −1: no page */
	struct pane_env env;
	struct model *frozen; /* NULL: live */
	struct layout layout;
	unsigned paths; /* the layout was made for so many */
	bool relayout, all; /* all: everything has to be drawn again */
	bool stale_data; /* no path answers: what came from them is drawn dim */
	bool send; /* the terminal lost what it showed: the next frame counts as different */
	char flash[240], rec[80];
	const char *badge;
	struct replaybar *bar; /* NULL: nothing is replayed */
	bool flashed; /* the page of howto has it on line 2 */
};

/* ---- beginning and end ---- */

static void
free_panes(struct ui *ui)
{
	unsigned i;

	for (i = 0; i < ui->n; i++) {
		if (ui->pane[i].class->close != NULL && ui->pane[i].state != NULL)
			ui->pane[i].class->close(&ui->pane[i]);
		free(ui->pane[i].state);
	}
}

static bool
grids(struct ui *ui, int w, int h, enum glyphs g)
{
	struct canvas c;
	struct cell *before;

	if (canvas_init(&c, w, h, g) != ST_OK)
		return false;
	before = calloc((size_t)c.stride * (size_t)c.grid_h, sizeof(*before));
	if (before == NULL) {
		canvas_fini(&c);
		return false;
	}
	canvas_fini(&ui->canvas);
	free(ui->before);
	ui->canvas = c;
	ui->before = before;
	ui->w = c.at.w;
	ui->h = c.at.h;
	ui->relayout = true;
	return true;
}

/* Some pane is part of it. */
static bool
has_view(int view)
{
	size_t i;

	if (view < 1 || view >= VIEWS)
		return false;
	for (i = 0; i < pane_registry_n; i++)
		if ((pane_registry[i]->views >> view & 1) != 0)
			return true;
	return false;
}

struct ui *
ui_new(const struct ui_opts *o)
{
	struct ui *ui = calloc(1, sizeof(*ui));
	unsigned i;

	if (ui == NULL)
		return NULL;
	ui->view = has_view(o->view) ? o->view : 1;
	ui->last_view = ui->view == 1 ? 8 : 1;
	ui->badge = o->badge;
	ui->mouse = true;
	ui->help = ui->page = -1;
	ui->env.json = o->json;
	ui->env.rank = o->rank;
	buf_init(&ui->env.clip, CLIP_MAX);
	for (i = 0; i < VIEWS; i++)
		ui->focus[i] = -1;
	for (i = 0; i < pane_registry_n && i < LAYOUT_PANES_MAX; i++) {
		ui->pane[i].class = pane_registry[i];
		ui->pane[i].env = &ui->env;
		ui->n++;
		ui->pane[i].state = calloc(1, pane_registry[i]->state_size + 1);
		if (ui->pane[i].state == NULL)
			goto fail;
		if (strcmp(pane_registry[i]->name, "help") == 0)
			ui->help = (int)i;
	}
	if (!grids(ui, o->w < 1 ? 80 : o->w, o->h < 1 ? 24 : o->h, o->glyphs))
		goto fail;
	return ui;
fail:
	ui_free(ui);
	return NULL;
}

void
ui_free(struct ui *ui)
{
	if (ui == NULL)
		return;
	free_panes(ui);
	canvas_fini(&ui->canvas);
	free(ui->before);
	pages_fini(&ui->pages);
	buf_fini(&ui->env.clip);
	model_free(ui->frozen);
	free(ui->bar);
	free(ui);
}

bool
ui_resize(struct ui *ui, int w, int h)
{
	ui->send = true;
	if (w == ui->w && h == ui->h)
		return true;
	return grids(ui, w, h, ui->canvas.glyphs);
}

/* ---- layout and focus ---- */

static const struct model *
shown(const struct ui *ui, const struct model *m)
{
	return ui->frozen != NULL ? ui->frozen : m;
}

static bool
in_view(const struct ui *ui, unsigned i)
{
	return (ui->pane[i].class->views >> ui->view & 1) != 0 && ui->present[i];
}

static bool
is_shown(const struct ui *ui, unsigned i)
{
	return ui->layout.at[i].w > 0;
}

/* The pane that gets the commands, −1: none. */
static int
active(const struct ui *ui)
{
	return ui->page >= 0 ? ui->page : ui->focus[ui->view];
}

static void
fix_focus(struct ui *ui)
{
	int *f = &ui->focus[ui->view];
	unsigned i;

	if (*f >= 0 && in_view(ui, (unsigned)*f) && (ui->zoomed || is_shown(ui, (unsigned)*f)))
		return;
	*f = -1;
	for (i = 0; i < ui->n; i++)
		if (in_view(ui, i) && (ui->zoomed || is_shown(ui, i)) &&
			(*f < 0 || ui->pane[i].class->priority < ui->pane[*f].class->priority))
			*f = (int)i;
	ui->zoomed = ui->zoomed && *f >= 0;
}

/* Rows that the replay bar takes: none where there is hardly room for the rest. */
static int
has_bar(const struct ui *ui)
{
	return ui->bar != NULL && ui->h >= BAR_LEAST_H;
}

static void
make_layout(struct ui *ui, const struct model *m)
{
	const struct pane_class *class[LAYOUT_PANES_MAX];
	struct layout_in in = {
		.w = ui->w, .h = ui->h - has_bar(ui), .view = ui->view, .n = ui->n,
		.panes = class, .present = ui->present, .paths = m->n_paths, .zoom = -1,
	};
	unsigned i;

	for (i = 0; i < ui->n; i++)
		class[i] = ui->pane[i].class;
	if (ui->zoomed)
		fix_focus(ui);
	if (ui->page >= 0)
		in.zoom = ui->page;
	else if (ui->zoomed)
		in.zoom = ui->focus[ui->view];
	layout_make(&in, &ui->layout);
	if (ui->page < 0)
		fix_focus(ui);
	for (i = 0; i < ui->n; i++)
		ui->pane[i].at = ui->layout.at[i];
	ui->paths = m->n_paths;
	ui->relayout = false;
	ui->all = true;
}

static void
look_who_is_present(struct ui *ui, const struct model *m)
{
	unsigned i;
	bool here;

	for (i = 0; i < ui->n; i++) {
		here = ui->pane[i].class->present == NULL || ui->pane[i].class->present(m);
		if (here != ui->present[i])
			ui->relayout = true;
		ui->present[i] = here;
	}
	if (ui->paths != m->n_paths)
		ui->relayout = true;
}

static void
next_pane(struct ui *ui, int step)
{
	int *f = &ui->focus[ui->view], n = (int)ui->n, i, k;

	for (i = 1; i <= n; i++) {
		k = ((*f < 0 ? 0 : *f) + step * i % n + n) % n;
		if (!in_view(ui, (unsigned)k) || (!ui->zoomed && !is_shown(ui, (unsigned)k)))
			continue;
		*f = k;
		break;
	}
	ui->relayout = ui->relayout || ui->zoomed;
	ui->all = true;
}

/* ---- pages ---- */

/* The pane of the page on top learns what it shows. */
static void
set_page(struct ui *ui, const struct model *m)
{
	const struct target *top = pages_top(&ui->pages);
	struct pane *p;
	unsigned i;

	ui->page = -1;
	ui->relayout = true;
	for (i = 0; top != NULL && i < ui->n; i++)
		if (strcmp(ui->pane[i].class->name, top->page) == 0)
			ui->page = (int)i;
	if (ui->page < 0) {
		pages_close(&ui->pages);
		return;
	}
	pages_look(&ui->pages, shown(ui, m), m);
	p = &ui->pane[ui->page];
	p->to = *top;
	p->body = ui->pages.body;
	if (p->class->open != NULL)
		p->class->open(p, shown(ui, m));
}

static void
close_pages(struct ui *ui)
{
	if (ui->page >= 0)
		ui->relayout = true;
	ui->page = -1;
	pages_close(&ui->pages);
}

static unsigned
open_page(struct ui *ui, const struct model *m, const struct target *to)
{
	pages_open(&ui->pages, to);
	set_page(ui, m);
	if (ui->page >= 0 && ui->pages.body == NULL && !hash_is_zero(&to->block))
		return UI_RES_BODY | UI_RES_REDRAW;
	return UI_RES_REDRAW;
}

static unsigned
page_back(struct ui *ui, const struct model *m)
{
	const struct target *top;
	struct pane *p;

	pages_back(&ui->pages);
	top = pages_top(&ui->pages);
	ui->page = -1;
	ui->relayout = true;
	if (top == NULL)
		return UI_RES_REDRAW;
	/* What was below has kept its place, if it shows the same still. */
	for (unsigned i = 0; i < ui->n; i++) {
		p = &ui->pane[i];
		if (strcmp(p->class->name, top->page) != 0)
			continue;
		if (!hash_eq(&p->to.block, &top->block) || p->to.tx != top->tx || p->to.path != top->path) {
			set_page(ui, m);
			return UI_RES_REDRAW;
		}
		ui->page = (int)i;
		pages_look(&ui->pages, shown(ui, m), m);
		p->body = ui->pages.body;
	}
	return UI_RES_REDRAW;
}

bool
ui_want(struct ui *ui, const struct model *m, struct want *out)
{
	return ui->page >= 0 && pages_want(&ui->pages, m, out);
}

enum rank_by
ui_rank(const struct ui *ui)
{
	return ui->env.rank;
}

enum race_window
ui_window(const struct ui *ui)
{
	return ui->env.window;
}

const struct buf *
ui_clip(const struct ui *ui)
{
	return &ui->env.clip;
}

/* ---- commands ---- */

static void
go_to_view(struct ui *ui, int view)
{
	close_pages(ui);
	if (view == ui->view)
		return;
	ui->last_view = ui->view;
	ui->view = view;
	ui->zoomed = false;
	ui->relayout = true;
}

/* What a pane's command or click asks for. */
static unsigned
done(struct ui *ui, const struct model *m, struct pane *p, enum pane_result what)
{
	unsigned res = 0;

	if (ui->env.say[0] != '\0') {
		ui_flash(ui, ui->env.say);
		ui->env.say[0] = '\0';
		res = UI_RES_REDRAW;
	}
	switch (what) {
	case PANE_IGNORED: return res;
	case PANE_DONE: break;
	case PANE_OPEN: return res | open_page(ui, m, &p->go);
	case PANE_COPY: res |= UI_RES_COPY; break;
	case PANE_ACK: res |= UI_RES_ACK; break;
	case PANE_MUTE: res |= UI_RES_MUTE; break;
	}
	ui->stale[p - ui->pane] = true;
	return res | UI_RES_REDRAW;
}

/* Only the page that is open holds its block: another one's may have gone since it was shown. */
static const struct block *
body_of(const struct ui *ui, int i)
{
	return i == ui->page ? ui->pages.body : NULL;
}

static unsigned
to_pane(struct ui *ui, const struct model *m, int i, enum ui_cmd cmd)
{
	struct pane *p;

	if (i < 0)
		return 0;
	p = &ui->pane[i];
	if (p->class->command == NULL)
		return 0;
	p->body = body_of(ui, i);
	return done(ui, m, p, p->class->command(p, shown(ui, m), cmd));
}

/* What only one pane of a view knows reaches it wherever the focus is. */
static unsigned
to_view(struct ui *ui, const struct model *m, enum ui_cmd cmd)
{
	unsigned res = to_pane(ui, m, active(ui), cmd), i;

	for (i = 0; i < ui->n && res == 0 && ui->page < 0; i++)
		if (is_shown(ui, i) && (int)i != active(ui))
			res = to_pane(ui, m, (int)i, cmd);
	return res;
}

/* Units and times are one choice for all panes. */
static unsigned
to_all(struct ui *ui, const struct model *m, enum ui_cmd cmd)
{
	unsigned i, res = 0;

	for (i = 0; i < ui->n; i++)
		res |= to_pane(ui, m, (int)i, cmd);
	return res;
}

static unsigned
freeze(struct ui *ui, const struct model *m)
{
	if (ui->frozen != NULL) {
		model_free(ui->frozen);
		ui->frozen = NULL;
	} else {
		ui->frozen = model_clone(m);
		if (ui->frozen == NULL)
			ui_flash(ui, "cannot freeze: no memory for a copy");
	}
	ui->all = true;
	return UI_RES_REDRAW;
}

static unsigned
change_chain(struct ui *ui, const struct model *m)
{
	if (m->n_chains < 2) {
		ui_flash(ui, "there is only one chain");
		return UI_RES_REDRAW;
	}
	if (ui->frozen != NULL && ui->frozen->n_chains > 0)
		model_show(ui->frozen, (ui->frozen->shown + 1) % ui->frozen->n_chains);
	close_pages(ui);
	ui->all = true;
	return UI_RES_CHAIN | UI_RES_REDRAW;
}

static unsigned
back(struct ui *ui, const struct model *m)
{
	if (ui->page >= 0)
		return page_back(ui, m);
	if (ui->zoomed) {
		ui->zoomed = false;
		ui->relayout = true;
		return UI_RES_REDRAW;
	}
	return to_pane(ui, m, ui->focus[ui->view], UI_BACK);
}

/* The same key opens and closes the list. */
static unsigned
alerts(struct ui *ui, const struct model *m)
{
	const struct target *top = pages_top(&ui->pages);

	if (top != NULL && strcmp(top->page, "alerts") == 0)
		return page_back(ui, m);
	return open_page(ui, m, &(struct target){.page = "alerts", .tx = TARGET_NO_TX});
}

static unsigned
help_command(struct ui *ui, const struct model *m, enum ui_cmd cmd)
{
	switch (cmd) {
	case UI_HELP:
	case UI_BACK:
		ui->helping = false;
		ui->relayout = true;
		return UI_RES_REDRAW;
	case UI_DOWN:
	case UI_UP:
	case UI_NEWEST:
	case UI_OLDEST:
	case UI_PAGE_DOWN:
	case UI_PAGE_UP:
	case UI_HALF_DOWN:
	case UI_HALF_UP: return to_pane(ui, m, ui->help, cmd);
	default: return 0;
	}
}

unsigned
ui_command(struct ui *ui, const struct model *m, enum ui_cmd cmd)
{
	ui->flash[0] = '\0';
	switch (cmd) {
	case UI_QUIT: return UI_RES_QUIT;
	case UI_SUSPEND: ui->send = true; return UI_RES_SUSPEND;
	case UI_REDRAW: ui->all = ui->send = true; return UI_RES_CLEAR | UI_RES_REDRAW;
	case UI_RETRY_NOW: ui_flash(ui, "connecting and asking again"); return UI_RES_RETRY | UI_RES_REDRAW;
	case UI_FREEZE: return freeze(ui, m);
	case UI_MOUSE:
		ui->mouse = !ui->mouse;
		ui_flash(ui, ui->mouse ? "mouse on" : "mouse off: the terminal's own selection works");
		return UI_RES_MOUSE | UI_RES_REDRAW;
	default: break;
	}
	if (ui->helping)
		return help_command(ui, m, cmd);
	switch (cmd) {
	case UI_HELP:
		ui->helping = ui->help >= 0;
		ui->all = true;
		return UI_RES_REDRAW;
	case UI_VIEW_1: go_to_view(ui, 1); return UI_RES_REDRAW;
	case UI_VIEW_2: go_to_view(ui, 2); return UI_RES_REDRAW;
	case UI_VIEW_5: go_to_view(ui, 5); return UI_RES_REDRAW;
	case UI_VIEW_6: go_to_view(ui, 6); return UI_RES_REDRAW;
	case UI_VIEW_7: go_to_view(ui, 7); return UI_RES_REDRAW;
	case UI_VIEW_8: go_to_view(ui, 8); return UI_RES_REDRAW;
	case UI_VIEW_LAST: go_to_view(ui, ui->last_view); return UI_RES_REDRAW;
	case UI_NEXT_PANE:
	case UI_PREV_PANE:
		/* A page has parts of its own. */
		if (ui->page >= 0)
			return to_pane(ui, m, ui->page, cmd);
		next_pane(ui, cmd == UI_NEXT_PANE ? 1 : -1);
		return UI_RES_REDRAW;
	case UI_ZOOM:
		if (ui->page >= 0)
			return 0;
		ui->zoomed = !ui->zoomed;
		ui->relayout = true;
		return UI_RES_REDRAW;
	case UI_BACK: return back(ui, m);
	case UI_RECORD: return UI_RES_RECORD | UI_RES_REDRAW;
	case UI_REPORT: return UI_RES_REPORT | UI_RES_REDRAW;
	case UI_ALERTS: return alerts(ui, m);
	case UI_CHAIN: return change_chain(ui, m);
	case UI_UNITS:
	case UI_TIMES: return to_all(ui, m, cmd);
	case UI_WINDOW:
	case UI_MINUS_RTT:
	case UI_ORDER:
	case UI_TRANSPOSE: return to_view(ui, m, cmd);
	default: return to_pane(ui, m, active(ui), cmd);
	}
}

unsigned
ui_key(struct ui *ui, const struct model *m, unsigned key)
{
	enum ui_cmd cmd = command_for_key(key);
	bool flashed = ui->flash[0] != '\0';
	unsigned res;

	ui->flash[0] = '\0';
	if (cmd == UI_NONE)
		return flashed ? UI_RES_REDRAW : 0;
	/* In a page of text q means "done reading", as in less; F10 and ^C still quit. */
	if (ui->helping && cmd == UI_QUIT && key == 'q')
		cmd = UI_BACK;
	res = ui_command(ui, m, cmd);
	return flashed ? res | UI_RES_REDRAW : res;
}

/* ---- mouse ---- */

/* The pane at a cell, −1: none. */
static int
pane_at(const struct ui *ui, int x, int y)
{
	const struct rect *r;
	unsigned i;

	if (ui->helping || ui->layout.tiny)
		return -1;
	for (i = 0; i < ui->n; i++) {
		r = &ui->pane[i].at;
		if (x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h)
			return (int)i;
	}
	return -1;
}

static void
focus_on(struct ui *ui, int i)
{
	int *f = &ui->focus[ui->view];

	if (*f >= 0)
		ui->stale[*f] = true;
	*f = i;
	ui->stale[i] = true;
}

unsigned
ui_click(struct ui *ui, const struct model *m, int x, int y)
{
	enum ui_cmd cmd;
	struct pane *p;
	int i;

	if (!ui->layout.tiny && y == ui->h - 1) {
		cmd = keyline_at(ui->w, x);
		return cmd == UI_NONE ? 0 : ui_command(ui, m, cmd);
	}
	i = pane_at(ui, x, y);
	if (i < 0)
		return 0;
	p = &ui->pane[i];
	if (ui->page < 0)
		focus_on(ui, i);
	ui->stale[i] = true;
	p->body = body_of(ui, i);
	if (p->class->click != NULL)
		return UI_RES_REDRAW | done(ui, m, p, p->class->click(p, shown(ui, m), x - p->at.x, y - p->at.y));
	return UI_RES_REDRAW;
}

unsigned
ui_wheel(struct ui *ui, const struct model *m, int x, int y, int steps)
{
	enum ui_cmd cmd = steps < 0 ? UI_UP : UI_DOWN;
	int i = ui->helping ? ui->help : pane_at(ui, x, y), n, count = steps < 0 ? -steps : steps;
	unsigned res = 0;

	if (i < 0)
		return 0;
	if (!ui->helping && ui->page < 0)
		focus_on(ui, i);
	if (count > 100)
		count = 100;
	for (n = 0; n < count * WHEEL_ROWS; n++)
		res |= to_pane(ui, m, i, cmd);
	return res | UI_RES_REDRAW;
}

/* ---- drawing ---- */

/* Old data is dim; what tells of the paths themselves is not old. */
static bool
is_data(const struct pane_class *c)
{
	return (c->wants & (DIRTY_HEAD | DIRTY_BLOCKS | DIRTY_POOL)) != 0 && (c->wants & DIRTY_PATHS) == 0;
}

static bool
nobody_answers(const struct model *m)
{
	const struct chain *c = model_chain(m);
	unsigned i;

	if (c == NULL || c->head == NULL)
		return false;
	for (i = 0; i < m->n_paths; i++)
		if (m->paths[i]->state == LINK_LIVE || m->paths[i]->state == LINK_POLLING)
			return false;
	return true;
}

static void
draw_pane(struct ui *ui, unsigned i, const struct model *m, struct rect at)
{
	struct pane *p = &ui->pane[i];
	struct canvas c = canvas_sub(&ui->canvas, at);

	p->at = at;
	canvas_clear(&c);
	p->class->draw(p, m, &c, (int)i == active(ui) || (int)i == ui->help);
	ui->stale[i] = false;
	if (ui->stale_data && is_data(p->class))
		canvas_attr(&c, (struct rect){.w = at.w, .h = at.h}, CELL_DIM);
}

static void
draw_panes(struct ui *ui, const struct model *m, unsigned dirty)
{
	unsigned i;

	for (i = 0; i < ui->n; i++)
		if (is_shown(ui, i) && (ui->all || ui->stale[i] || (dirty & ui->pane[i].class->wants) != 0))
			draw_pane(ui, i, m, ui->layout.at[i]);
	if (ui->layout.note_y >= 0 && (ui->all || (dirty & DIRTY_NOTES) != 0))
		headlines_note(&ui->canvas, ui->layout.note_y, m);
}

static void
draw_all(struct ui *ui, const struct model *live, unsigned dirty)
{
	const struct model *m = shown(ui, live);
	struct headlines h = {
		.live = live, .shown = m, .frozen = ui->frozen != NULL, .flash = ui->flash, .rec = ui->rec, .badge = ui->badge,
	};
	struct canvas page;

	if (ui->layout.tiny) {
		headlines_tiny(&ui->canvas, &h);
		return;
	}
	if (ui->all) {
		canvas_clear(&ui->canvas);
		keyline_draw(&ui->canvas, ui->h - 1);
	}
	if (ui->helping && ui->layout.area.h > 0) {
		if (ui->all || ui->stale[ui->help])
			draw_pane(ui, (unsigned)ui->help, m, ui->layout.area);
	} else if (m->n_paths == 0) {
		page = canvas_sub(&ui->canvas, (struct rect){.w = ui->w, .h = ui->h - 1});
		if (ui->all)
			howto_draw(&page);
		if (ui->flash[0] != '\0')
			headlines_second(&ui->canvas, 1, &h);
		else if (!ui->all && ui->flashed)
			howto_draw(&page);
		ui->flashed = ui->flash[0] != '\0';
		return;
	} else {
		draw_panes(ui, m, ui->frozen != NULL ? 0 : dirty);
	}
	headlines_first(&ui->canvas, 0, &h);
	if (ui->stale_data)
		canvas_attr(&ui->canvas, (struct rect){.w = ui->w, .h = 1}, CELL_DIM);
	headlines_second(&ui->canvas, 1, &h);
	if (has_bar(ui))
		replaybar_draw(&ui->canvas, ui->h - 2, ui->bar);
}

/* True if any cell differs from the last time; remembers them. */
static bool
remember(struct ui *ui)
{
	size_t n = (size_t)ui->canvas.stride * (size_t)ui->canvas.grid_h, i;
	const struct cell *now = ui->canvas.cells;
	bool differs = ui->send;

	ui->send = false;
	for (i = 0; i < n; i++)
		if (now[i].cp != ui->before[i].cp || now[i].role != ui->before[i].role ||
			now[i].attr != ui->before[i].attr) {
			differs = true;
			ui->before[i] = now[i];
		}
	return differs;
}

bool
ui_render(struct ui *ui, const struct model *m, unsigned dirty)
{
	if (ui->stale_data != nobody_answers(shown(ui, m))) {
		ui->stale_data = !ui->stale_data;
		ui->all = true;
	}
	look_who_is_present(ui, shown(ui, m));
	if (ui->relayout)
		make_layout(ui, shown(ui, m));
	if (ui->page >= 0 && pages_look(&ui->pages, shown(ui, m), m))
		ui->stale[ui->page] = true;
	if (ui->page >= 0)
		ui->pane[ui->page].body = ui->pages.body;
	draw_all(ui, m, dirty);
	ui->all = false;
	return remember(ui);
}

/* ---- the rest ---- */

const struct canvas *
ui_canvas(const struct ui *ui)
{
	return &ui->canvas;
}

uint64_t
ui_alert(const struct ui *ui)
{
	return ui->env.alert;
}

bool
ui_frozen(const struct ui *ui)
{
	return ui->frozen != NULL;
}

bool
ui_mouse(const struct ui *ui)
{
	return ui->mouse;
}

int
ui_view(const struct ui *ui)
{
	return ui->view;
}

const char *
ui_focus(const struct ui *ui)
{
	int f = active(ui);

	return f < 0 ? "" : ui->pane[f].class->name;
}

void
ui_flash(struct ui *ui, const char *text)
{
	utf8_clean(ui->flash, sizeof(ui->flash), text, strlen(text));
}

void
ui_recording(struct ui *ui, const char *word)
{
	utf8_clean(ui->rec, sizeof(ui->rec), word, strlen(word));
}

void
ui_replay(struct ui *ui, const struct replaybar *b)
{
	if ((b != NULL) != (ui->bar != NULL))
		ui->relayout = true;
	if (b == NULL) {
		free(ui->bar);
		ui->bar = NULL;
		return;
	}
	if (ui->bar == NULL)
		ui->bar = malloc(sizeof(*ui->bar));
	if (ui->bar != NULL)
		*ui->bar = *b;
}
