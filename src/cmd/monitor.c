/* chaintop [URL...]: the live monitor; --once: one frame of it as text. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/document.h"
#include "cmd/save.h"
#include "conf/file.h"
#include "cmd/stop.h"
#include "out/block_json.h"
#include "cmd/headless.h"
#include "cmd/monitor.h"
#include "cmd/playback.h"
#include "cmd/demo.h"
#include "ui/howto.h"
#include "ui/screen.h"
#include "ui/text.h"
#include "ui/ui.h"

enum {
	TICK_MS = 250, /* line 1 moves at 4 Hz */
	FRAME_MS = 33, /* 30 frames a second at most … */
	URGENT_MS = 8, /* … but a key or a new head is drawn at once */
	HINT_MS = 8000, /* a hint stands on line 2 for so long, unless a key takes it away */
	REPORT_BYTES = 16 << 20,
	LATE_MS = 100, /* our own loop this late: latency samples are ours, not the node's */
};

/* ---- options that the screen and the text frame share ---- */

static enum color_mode color_of(const struct conf *c)
{
	const char *no = getenv("NO_COLOR");

	if (c->color == 1)
		return COLOR_256;
	if (c->color == 2 || (no && no[0]))
		return COLOR_NEVER;
	return COLOR_AUTO;
}

static enum status theme_of(const struct conf *c, struct theme *t, struct err *e)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char dir[512] = "";

	if (xdg && xdg[0] == '/')
		snprintf(dir, sizeof(dir), "%s/chaintop", xdg);
	else if (home && home[0] == '/')
		snprintf(dir, sizeof(dir), "%s/.config/chaintop", home);
	return theme_find(t, c->theme ? c->theme : "default", dir[0] ? dir : NULL, PKGDATADIR, e);
}

/* ---- one frame ---- */

/* Waits for the next event or `ms`; false if a signal wants us to end. */
static bool once_wait(struct app *a, uint64_t ms)
{
	struct pollfd p = { .fd = wake_fd(&a->wake), .events = POLLIN };

	if (poll(&p, 1, (int)ms) > 0)
		wake_take(&a->wake);
	return !stop_asked();
}

/* The first complete block is there, … */
static bool once_enough(const struct model *m)
{
	const struct chain *c = model_chain(m);

	return c && c->head && c->head->body_seen;
}

/* … and nothing more is on its way that would fill the frame. */
static bool once_settled(const struct model *m)
{
	const struct chain *c = model_chain(m);
	const struct blk *rows[48];
	unsigned n = chain_rows(c, 0, rows, 48);

	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->state == LINK_IDLE || m->paths[i]->state == LINK_CONNECTING)
			return false;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!rows[i]->body_seen)
			return false;
	}
	return n >= 32 || (n && rows[n - 1]->h.number == 0);
}

static int once_print(const struct conf *c, const struct canvas *cv, const struct theme *theme)
{
	struct buf out;
	int code = EXIT_FINE;

	buf_init(&out, 64 << 20);
	if (text_write(&out, cv, theme, color_of(c)) != ST_OK || fwrite(out.p, 1, out.len, stdout) != out.len ||
	    fflush(stdout) != 0)
		code = EXIT_BAD;
	buf_fini(&out);
	return code;
}

/* What is not live says so. */
static const char *badge_of(const struct app *a)
{
	return a->demo ? "DEMO" : a->replay ? "REPLAY" : NULL;
}

static int once_frame(struct app *a, const struct theme *theme, enum glyphs g, bool complete)
{
	const struct conf *c = a->conf;
	struct ui_opts o = { .glyphs = g, .view = (int)c->view, .rank = (enum rank_by)c->rank, .badge = badge_of(a),
			     .w = c->once.w ? c->once.w : 120, .h = c->once.h ? c->once.h : 36 };
	struct ui *ui = ui_new(&o);
	int code;

	if (!ui)
		return EXIT_OURS;
	app_tick(a, time_mono());
	ui_render(ui, a->model, DIRTY_ALL);
	code = once_print(c, ui_canvas(ui), theme);
	ui_free(ui);
	return code != EXIT_FINE ? code : complete ? EXIT_FINE : EXIT_NONE_ANSWERS;
}

/* A recording: what it shows at the place that --at names, or at its end. */
static int once_replay(struct app *a, const struct theme *theme, enum glyphs g)
{
	bool more = false, go = true;
	struct err e = { .code = ST_OK };

	while (go && !a->ended && !a->there) {
		app_drain(a, &more);
		if (!more && !a->ended && !a->there)
			go = once_wait(a, 1000);
	}
	if (replay_error(a->replay, &e) != ST_OK)
		(void)cmd_fail(&e);
	return once_frame(a, theme, g, model_chain(a->model) != NULL);
}

static int once(struct app *a, const struct theme *theme, enum glyphs g)
{
	uint64_t start = time_mono(), now = start, enough = 0, next_tick = start;
	bool more = false, go = true;

	while (go && now < start + a->conf->timeout) {
		now = time_mono();
		app_drain(a, &more);
		if (now >= next_tick) {
			app_tick(a, now);
			next_tick = now + TICK_MS * NS_MS;
		}
		if (!enough && once_enough(a->model))
			enough = now;
		if (enough && (once_settled(a->model) || now > enough + NS_S))
			break;
		if (!more)
			go = once_wait(a, 50);
	}
	return once_frame(a, theme, g, enough != 0);
}

static int once_howto(const struct conf *c, const struct theme *theme, enum glyphs g)
{
	struct canvas cv;
	int code;

	if (canvas_init(&cv, c->once.w ? c->once.w : 80, c->once.h ? c->once.h : 24, g) != ST_OK)
		return EXIT_OURS;
	howto_draw(&cv);
	code = once_print(c, &cv, theme);
	canvas_fini(&cv);
	return code != EXIT_FINE ? code : EXIT_NONE_ANSWERS;
}

/* ---- the screen ---- */

struct monitor {
	struct app *a;
	struct screen *s;
	struct ui *ui;
	unsigned dirty; /* what has to be drawn */
	bool urgent; /* a key or a new head: now */
	bool redraw; /* ui says so */
	bool quit, more, late;
	uint64_t drawn, next_tick; /* drawn: when the last frame was begun */
	uint64_t hint_until; /* 0: there is none */
	char title[180]; /* of the terminal; "": its own */
	uint64_t alerts; /* cursor: told on the terminal up to here */
	struct playback *playback; /* of a recording; NULL: live, or the demo */
	struct save save; /* the report that is being written */
};

/* The body that an open page lacks. */
static void ask_for_page(struct monitor *m)
{
	struct app *a = m->a;
	struct want w;
	struct cmd c;

	if (!ui_want(m->ui, a->model, &w) || w.path >= a->n_feeds)
		return;
	c = (struct cmd){ .kind = (uint16_t)w.kind, .whole = 1, .number = w.number, .hash = w.hash };
	(void)feed_command(a->feeds[w.path], &c);
}

static void copy(struct monitor *m)
{
	const struct buf *clip = ui_clip(m->ui);
	char text[160];

	if (!screen_copy(m->s, clip->p, clip->len))
		snprintf(text, sizeof(text), "not copied: %zu bytes are more than terminals take (%d)", clip->len,
			 SCREEN_COPY_MAX);
	else if (clip->len <= 80)
		snprintf(text, sizeof(text), "copied %s", clip->p);
	else
		snprintf(text, sizeof(text), "copied %zu bytes", clip->len);
	ui_flash(m->ui, text);
}

/* E: what view 5 says now, into a file. */
static void report(struct monitor *m)
{
	struct report_opts o = document_now(m->a, ui_rank(m->ui), ui_window(m->ui));
	time_t s = (time_t)(time_wall() / NS_S);
	char dir[400], name[40];
	struct err e = { .code = ST_OK };
	struct buf text;
	struct tm tm;

	buf_init(&text, REPORT_BYTES);
	if (report_write(&text, m->a->model, &o, &e) != ST_OK || !gmtime_r(&s, &tm) ||
	    !strftime(name, sizeof(name), "report-%Y%m%dT%H%M%SZ.md", &tm)) {
		ui_flash(m->ui, e.text);
		buf_fini(&text);
		return;
	}
	rewind_dir(dir, sizeof(dir));
	save_start(&m->save, dir, name, &text, &m->a->wake);
}

static void show_saved(struct monitor *m, uint64_t now)
{
	save_look(&m->save);
	if (!m->save.say[0])
		return;
	ui_flash(m->ui, m->save.say);
	m->hint_until = now + HINT_MS * NS_MS;
	m->save.say[0] = '\0';
	m->urgent = m->redraw = true;
}

static void record(struct monitor *m)
{
	if (m->a->replay)
		ui_flash(m->ui, "a recording is played: there is nothing to record");
	else
		rewind_key(&m->a->rewind, m->a->model, time_mono(), time_wall());
}

/* What became of a recording stands on line 2 like a hint, and for how long there is one. */
static void show_recording(struct monitor *m, uint64_t now)
{
	struct rewind *w = &m->a->rewind;
	char word[80];

	ui_recording(m->ui, rewind_word(w, now, word, sizeof(word)));
	if (!w->say[0])
		return;
	ui_flash(m->ui, w->say);
	m->hint_until = now + HINT_MS * NS_MS;
	w->say[0] = '\0';
}

static void act(struct monitor *m, unsigned res)
{
	struct model *model = m->a->model;

	if (res & UI_RES_QUIT)
		m->quit = true;
	if (res & UI_RES_SUSPEND) {
		screen_suspend(m->s);
		res |= UI_RES_CLEAR;
	}
	if (res & UI_RES_RETRY)
		app_command_all(m->a, CMD_RETRY);
	if ((res & UI_RES_CHAIN) && model->n_chains)
		model_show(model, (model->shown + 1) % model->n_chains);
	if (res & UI_RES_BODY)
		ask_for_page(m);
	if (res & UI_RES_COPY)
		copy(m);
	if (res & UI_RES_ACK)
		(void)model_alert_ack(model, ui_alert(m->ui));
	if (res & UI_RES_MUTE)
		(void)model_alert_mute(model, ui_alert(m->ui), ALERT_MUTE_NS);
	if (res & UI_RES_REPORT)
		report(m);
	if (res & UI_RES_RECORD)
		record(m);
	if (res & (UI_RES_ACK | UI_RES_MUTE))
		m->dirty |= DIRTY_HEALTH;
	if (res & UI_RES_MOUSE)
		screen_mouse(m->s, ui_mouse(m->ui));
	if (res & UI_RES_CLEAR)
		screen_clear(m->s);
	if (res & (UI_RES_CHAIN | UI_RES_CLEAR))
		m->dirty = DIRTY_ALL;
	if (res)
		m->urgent = m->redraw = true;
}

static void take_size(struct monitor *m)
{
	int w, h;

	screen_size(m->s, &w, &h);
	ui_resize(m->ui, w, h);
	m->dirty = DIRTY_ALL;
	m->urgent = m->redraw = true;
}

/* A recording has keys of its own. */
static bool player_key(struct monitor *m, unsigned key)
{
	struct err e;

	if (!m->playback || !playback_key(m->playback, m->a, key, &e))
		return false;
	ui_flash(m->ui, e.code == ST_OK ? "" : e.text);
	m->dirty = DIRTY_ALL;
	m->urgent = m->redraw = true;
	return true;
}

static void take_input(struct monitor *m)
{
	struct input in;

	while (!m->quit && screen_input(m->s, &in)) {
		m->hint_until = 0;
		switch (in.kind) {
		case INPUT_KEY:
			if (!player_key(m, in.key))
				act(m, ui_key(m->ui, m->a->model, in.key));
			break;
		case INPUT_CLICK:
			act(m, ui_click(m->ui, m->a->model, in.x, in.y));
			break;
		case INPUT_WHEEL:
			act(m, ui_wheel(m->ui, m->a->model, in.x, in.y, in.steps));
			break;
		}
	}
	if (!screen_alive(m->s))
		m->quit = true;
}

static void draw(struct monitor *m)
{
	struct app *a = m->a;
	uint64_t recv = a->head_recv;

	/* What a frame costs is part of its time: 30 a second stay 30. */
	m->drawn = time_mono();
	if (m->playback)
		ui_replay(m->ui, playback_bar(m->playback, a));
	if (ui_render(m->ui, a->model, m->dirty)) {
		screen_show(m->s, ui_canvas(m->ui));
		a->frames++;
	}
	/* A frozen screen shows no new head: nothing to measure. */
	if (recv && !ui_frozen(m->ui) && !a->replay)
		model_glass(a->model, recv, time_mono(), m->late);
	a->head_recv = 0;
	m->late = false;
	m->dirty = 0;
	m->urgent = m->redraw = false;
}

/* When the next frame may be drawn; UINT64_MAX: nothing to draw. */
static uint64_t frame_due(const struct monitor *m)
{
	if (m->urgent)
		return m->drawn + URGENT_MS * NS_MS;
	if (m->dirty || m->redraw)
		return m->drawn + FRAME_MS * NS_MS;
	return UINT64_MAX;
}

static int wait_ms(const struct monitor *m, uint64_t now)
{
	uint64_t due = frame_due(m), t = m->next_tick < due ? m->next_tick : due;

	if (m->more || t <= now)
		return 0;
	return (int)((t - now + NS_MS - 1) / NS_MS);
}

static void end_hint(struct monitor *m, uint64_t now)
{
	if (m->hint_until == 0 || now < m->hint_until)
		return;
	ui_flash(m->ui, "");
	m->hint_until = 0;
}

/* The demo begins again. */
static void rewind_demo(struct monitor *m)
{
	struct err e;

	if (app_jump(m->a, 0, &e) != ST_OK) {
		log_msg(LOG_ERROR, "demo: %s", e.text);
		m->quit = true;
	}
	m->dirty = DIRTY_ALL;
}

/* ---- alerts on the terminal ---- */

static bool seen(const struct alert_event *e, enum conf_when when, enum level *level)
{
	return when != WHEN_NEVER && alert_seen_from(e, when == WHEN_CRIT ? LEVEL_CRIT : LEVEL_WARN, level);
}

/* The worst that is neither over nor acknowledged nor muted; NULL: none. */
static const struct alert *worst(const struct model *model, enum level least)
{
	const struct alert *w = NULL;

	for (unsigned i = 0; model->alerts && i < model->alerts->n; i++) {
		const struct alert *a = &model->alerts->at[i];

		if (a->level < least || a->acked || a->mute_until > model->now_mono)
			continue;
		if (!w || a->level > w->level || (a->level == w->level && a->since_mono > w->since_mono))
			w = a;
	}
	return w;
}

static void set_title(struct monitor *m, enum conf_when when)
{
	const struct alert *w = when == WHEN_NEVER ? NULL : worst(m->a->model, when == WHEN_CRIT ? LEVEL_CRIT : LEVEL_WARN);
	char title[sizeof(m->title)] = "";

	if (w)
		snprintf(title, sizeof(title), "%s %s", level_word(w->level), w->text);
	if (strcmp(title, m->title) == 0)
		return;
	snprintf(m->title, sizeof(m->title), "%s", title);
	screen_title(m->s, title[0] ? title : NULL);
}

/* What is played has happened long ago: it rings no bell. */
static void tell_terminal(struct monitor *m)
{
	struct conf_alert defaults;
	const struct conf_alert *c = m->a->conf->file ? &m->a->conf->file->alert : &defaults;
	struct alert_event e;
	enum level level;
	bool bell = false;

	if (m->a->replay)
		return;
	conf_alert_default(&defaults);
	while (model_alert_next(m->a->model, &m->alerts, &e)) {
		char text[200];

		bell |= seen(&e, c->bell, &level) && level != LEVEL_OK;
		if (!seen(&e, c->notify, &level))
			continue;
		snprintf(text, sizeof(text), "%s %s", level_word(level), e.text);
		screen_notify(m->s, text);
	}
	if (bell)
		screen_bell(m->s);
	set_title(m, c->title);
}

static void loop(struct monitor *m)
{
	struct app *a = m->a;
	struct pollfd p[2] = {
		{ .fd = screen_fd(m->s), .events = POLLIN },
		{ .fd = wake_fd(&a->wake), .events = POLLIN },
	};
	uint64_t now = time_mono(), top;
	unsigned bits;

	while (!m->quit && !stop_asked()) {
		if (poll(p, 2, wait_ms(m, now)) < 0)
			p[0].revents = p[1].revents = 0;
		top = time_mono();
		if (p[1].revents) {
			wake_take(&a->wake);
			if (screen_signals(m->s))
				take_size(m);
		}
		if (p[0].revents)
			take_input(m);
		bits = app_drain(a, &m->more);
		show_saved(m, top);
		m->dirty |= bits;
		if (a->demo && a->ended)
			rewind_demo(m);
		m->urgent |= (bits & DIRTY_HEAD) != 0;
		now = time_mono();
		if (save_asked())
			rewind_save(&a->rewind, a->model, now, time_wall());
		if (now >= m->next_tick) {
			m->dirty |= app_tick(a, now);
			tell_terminal(m);
			show_recording(m, now);
			ask_for_page(m);
			end_hint(m, now);
			m->redraw = true;
			m->next_tick = now - now % (TICK_MS * NS_MS) + TICK_MS * NS_MS;
		}
		if (!m->more && frame_due(m) <= now)
			draw(m);
		now = time_mono();
		if (now - top > LATE_MS * NS_MS)
			m->late = true;
	}
}

static int run_screen(struct app *a, const struct theme *theme, enum glyphs g)
{
	struct monitor m = { .a = a };
	struct screen_opts so = { .color = color_of(a->conf), .theme = theme, .mouse = true, .wake = &a->wake };
	struct ui_opts uo = { .glyphs = g, .view = (int)a->conf->view, .rank = (enum rank_by)a->conf->rank,
			      .badge = badge_of(a), .json = block_json };
	struct err e = { .code = ST_OK };
	const char *where = outputs_where(a->outputs);
	char hint[256];

	snprintf(hint, sizeof(hint), "%s%s%s", a->from, a->from[0] && where[0] ? " \xc2\xb7 " : "", where);
	if (screen_open(&m.s, &so, &e) != ST_OK)
		return cmd_fail(&e);
	if (a->replay && !a->demo)
		m.playback = malloc(sizeof(*m.playback));
	if (m.playback)
		playback_init(m.playback, a);
	screen_size(m.s, &uo.w, &uo.h);
	m.ui = ui_new(&uo);
	if (m.ui) {
		if (hint[0]) {
			ui_flash(m.ui, hint);
			m.hint_until = time_mono() + HINT_MS * NS_MS;
		}
		m.dirty = DIRTY_ALL;
		m.urgent = true;
		draw(&m);
		loop(&m);
	}
	screen_close(m.s);
	save_stop(&m.save);
	if (a->rewind.state == REWIND_USER || a->rewind.state == REWIND_INCIDENT)
		fprintf(stderr, "chaintop: recorded in %s\n", a->rewind.file);
	free(m.playback);
	ui_free(m.ui);
	return m.ui ? EXIT_FINE : EXIT_OURS;
}

int monitor_show(struct app *a)
{
	const struct conf *c = a->conf;
	struct theme theme;
	struct err e = { .code = ST_OK };
	enum glyphs g = c->ascii ? GLYPHS_ASCII : screen_glyphs();
	bool text = c->once.on || !isatty(STDOUT_FILENO);

	if (headless_wanted(c))
		return headless_run(a);
	if (theme_of(c, &theme, &e) != ST_OK)
		return cmd_fail(&e);
	stop_on_signals(&a->wake, screen_emergency);
	if (!text) {
		save_on_signal(&a->wake);
		a->stays = true;
	}
	if (a->n_urls == 0 && text && !a->replay)
		return once_howto(c, &theme, g);
	if (a->replay && text) {
		replay_speed(a->replay, 0);
		app_hold(a, c->at != NULL);
	}
	if (app_start(a, NULL, &e) != ST_OK)
		return cmd_fail(&e);
	if (a->replay && text)
		return once_replay(a, &theme, g);
	if (!text && app_hooks(a, &e) != ST_OK)
		return cmd_fail(&e);
	return text ? once(a, &theme, g) : run_screen(a, &theme, g);
}

/* A recording alone is what `replay` is for. */
static bool is_recording(const struct conf *c)
{
	size_t n = c->n_args == 1 ? strlen(c->args[0]) : 0;

	return n > 3 && strcmp(c->args[0] + n - 3, ".ct") == 0;
}

/* Without a node a person is shown what it would be like; a script is told how to name one (once_howto). */
static enum status demo_instead(struct app *a, const struct conf *c, struct err *e)
{
	enum status st;

	if (a->n_urls || c->once.on || c->stream || !isatty(STDOUT_FILENO))
		return ST_OK;
	app_fini(a, EXIT_FINE);
	st = app_init_demo(a, c, demo_data, demo_size, e);
	if (st == ST_OK)
		snprintf(a->from, sizeof(a->from), "no node found: this is a recording \xc2\xb7 yours: chaintop ws://HOST:8546");
	return st;
}

static enum status init(struct app *a, const struct conf *c, struct err *e)
{
	enum status st;

	if (c->demo && c->n_args)
		return err_set(e, ST_USAGE, "--demo watches no endpoints");
	if (c->demo)
		return app_init_demo(a, c, demo_data, demo_size, e);
	if (is_recording(c))
		return app_init_replay(a, c, c->args[0], e);
	st = app_init(a, c, e);
	return st == ST_OK ? demo_instead(a, c, e) : st;
}

static int monitor_run(const struct conf *c)
{
	struct app *a = malloc(sizeof(*a));
	struct err e = { .code = ST_OK };
	enum status st;
	int code;

	if (!a)
		return EXIT_OURS;
	st = init(a, c, &e);
	if (st != ST_OK) {
		free(a);
		return cmd_fail(&e);
	}
	code = monitor_show(a);
	app_fini(a, code);
	free(a);
	return code;
}

const struct cmd_class cmd_monitor = {
	.name = "monitor",
	.args = "[URL...]",
	.help = "live monitor (the default); as text if stdout is no terminal",
	.run = monitor_run,
};
