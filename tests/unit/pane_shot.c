/* One pane drawn as text; see pane_shot.h. */
#include "pane_shot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/text.h"
#include "ui/ui.h"

struct pane pane;

static struct canvas canvas;
static struct buf text;
static struct pane_env env;

static void close_pane(void)
{
	if (pane.state && pane.class->close)
		pane.class->close(&pane);
	free(pane.state);
	pane.state = NULL;
}

int shot_setup(void **state)
{
	(void)state;
	buf_init(&text, 4 << 20);
	buf_init(&env.clip, 4 << 20);
	return 0;
}

int shot_teardown(void **state)
{
	(void)state;
	canvas_fini(&canvas);
	buf_fini(&text);
	buf_fini(&env.clip);
	close_pane();
	return 0;
}

void open_pane(const struct pane_class *class)
{
	close_pane();
	pane = (struct pane){ .class = class, .state = calloc(1, class->state_size + 1), .env = &env };
	assert_non_null(pane.state);
	env.say[0] = '\0';
}

void draw_in(const struct model *m, int w, int h, enum glyphs g)
{
	canvas_fini(&canvas);
	assert_int_equal(canvas_init(&canvas, w, h, g), ST_OK);
	pane.at = (struct rect){ .w = w, .h = h };
	pane.class->draw(&pane, m, &canvas, false);
}

static const char *shot(void)
{
	buf_clear(&text);
	assert_int_equal(text_write(&text, &canvas, NULL, COLOR_NEVER), ST_OK);
	return text.p;
}

const char *again(const struct model *m, int w, int h)
{
	draw_in(m, w, h, GLYPHS_BLOCK);
	return shot();
}

const char *show(const struct pane_class *class, const struct model *m, int w, int h)
{
	open_pane(class);
	return again(m, w, h);
}

void has(const char *frame, const char *want)
{
	if (strstr(frame, want))
		return;
	/* A frame is longer than what cmocka's messages hold. */
	fputs(frame, stderr);
	fail_msg("not there: %s", want);
}

void has_not(const char *frame, const char *what)
{
	if (!strstr(frame, what))
		return;
	fputs(frame, stderr);
	fail_msg("there: %s", what);
}

struct cell cell_at(int x, int y)
{
	return canvas.cells[y * canvas.stride + x];
}

const char *screen(const struct model *m, int w, int h, enum glyphs g)
{
	struct ui_opts o = { .glyphs = g, .view = 1, .w = w, .h = h };
	struct ui *ui = ui_new(&o);

	assert_non_null(ui);
	ui_render(ui, m, DIRTY_ALL);
	buf_clear(&text);
	assert_int_equal(text_write(&text, ui_canvas(ui), NULL, COLOR_NEVER), ST_OK);
	ui_free(ui);
	return text.p;
}
