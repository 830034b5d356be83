#include "cmd/headless.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/stop.h"

enum { TICK_MS = 250 };

bool headless_wanted(const struct conf *c)
{
	/* With --once too: to be told that they do not go together. */
	return c->stream || (c->metrics && (c->once.on || !isatty(STDOUT_FILENO)));
}

static enum status check(const struct app *a, struct err *e)
{
	const struct conf *c = a->conf;

	if (c->once.on)
		return err_set(e, ST_USAGE, "--%s goes on and --once ends: which one?", c->stream ? "stream" : "metrics");
	if (a->n_urls == 0 && !a->replay) {
		err_set(e, ST_REFUSED, "no node found to watch");
		return err_cure(e, "chaintop %s ws://127.0.0.1:8546", c->stream ? "--stream" : "--metrics 9464");
	}
	return ST_OK;
}

/* Why it ended: "end", "signal"; nobody reads: NULL. */
static const char *loop(struct app *a)
{
	struct pollfd p = { .fd = wake_fd(&a->wake), .events = POLLIN };
	uint64_t now = time_mono(), next_tick = 0;
	bool more = false;
	struct err e;

	while (!stop_asked()) {
		if (poll(&p, 1, more || next_tick <= now ? 0 : (int)((next_tick - now) / NS_MS) + 1) > 0)
			wake_take(&a->wake);
		app_drain(a, &more);
		if (outputs_error(a->outputs, &e) != ST_OK)
			return NULL;
		/* With a server the last state stays to be asked for. */
		if (a->replay && a->ended && !more && !a->conf->metrics)
			return "end";
		now = time_mono();
		if (save_asked())
			rewind_save(&a->rewind, a->model, now, time_wall());
		if (now >= next_tick) {
			app_tick(a, now);
			next_tick = now - now % (TICK_MS * NS_MS) + TICK_MS * NS_MS;
		}
	}
	return "signal";
}

int headless_run(struct app *a)
{
	struct err e = { .code = ST_OK }, played = { .code = ST_OK };
	const char *why = NULL;
	enum status st = check(a, &e);

	if (st == ST_OK) {
		stop_on_signals(&a->wake, NULL);
		save_on_signal(&a->wake);
		a->stays = true;
		st = app_start(a, NULL, &e);
	}
	if (st == ST_OK)
		st = app_hooks(a, &e);
	if (st != ST_OK)
		return cmd_fail(&e);
	if (outputs_where(a->outputs)[0])
		fprintf(stderr, "chaintop: %s\n", outputs_where(a->outputs));
	why = loop(a);
	if (a->replay && replay_error(a->replay, &played) != ST_OK)
		(void)cmd_fail(&played);
	st = app_stop_outputs(a, why ? why : "end", &e);
	/* Who reads the first lines and goes has what he wanted; who is told to end leaves what nobody takes. */
	if (st == ST_CLOSED || st == ST_TIMEOUT)
		st = ST_OK;
	if (st != ST_OK) {
		(void)cmd_fail(&e);
		return EXIT_BAD;
	}
	return played.code != ST_OK ? EXIT_BAD : EXIT_FINE;
}
