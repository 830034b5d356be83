/* chaintop compare URL...: watches without a screen, then says which path is right, first and well, and how sure that is. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "cmd/cmd.h"
#include "cmd/document.h"
#include "cmd/stop.h"

enum { TICK_MS = 250, MEMPOOL_OFF = 2 /* of "auto|all|off" */ };

static unsigned paths_up(const struct model *m)
{
	unsigned up = 0;

	for (unsigned i = 0; i < m->n_paths; i++)
		up += path_answers(m->paths[i]);
	return up;
}

/* One line on the terminal, while it goes on. */
static void show_line(const struct app *a, uint64_t since)
{
	uint64_t s = since / NS_S, of = a->conf->watch / NS_S;

	fprintf(stderr, "\r\033[K%02" PRIu64 ":%02u of %02" PRIu64 ":%02u  %" PRIu64 " heads  %u of %u paths up  "
		"Ctrl-C: report now",
		s / 60, (unsigned)(s % 60), of / 60, (unsigned)(of % 60), ranking_heads(a->model), paths_up(a->model),
		a->model->n_paths);
	fflush(stderr);
}

static void watch(struct app *a, bool tty)
{
	struct pollfd p = { .fd = wake_fd(&a->wake), .events = POLLIN };
	uint64_t start = time_mono(), now = start, next_tick = 0, next_line = start + NS_S;
	bool more = false;

	while (!stop_asked() && now - start < a->conf->watch) {
		if (poll(&p, 1, more || next_tick <= now ? 0 : (int)((next_tick - now) / NS_MS) + 1) > 0)
			wake_take(&a->wake);
		app_drain(a, &more);
		now = time_mono();
		if (now >= next_tick) {
			app_tick(a, now);
			next_tick = now - now % (TICK_MS * NS_MS) + TICK_MS * NS_MS;
		}
		if (tty && now >= next_line) {
			show_line(a, now - start);
			next_line += NS_S;
		}
	}
	app_tick(a, now);
	if (tty)
		fprintf(stderr, "\r\033[K");
}

/* Who has no name is told which number he got: the report is for others, this is for him alone. */
static void tell_names(const struct model *m)
{
	char name[40];

	for (unsigned i = 0; i < m->n_paths; i++) {
		report_name(name, sizeof(name), m, i);
		if (strcmp(name, m->paths[i]->node) != 0)
			fprintf(stderr, "chaintop: %s is %s; NAME=URL gives it another name\n", name, m->paths[i]->node);
	}
}

static int none_answered(const struct model *m)
{
	struct err e;

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		err_set(&e, ST_REFUSED, "%s %s: %s", p->node, p->via, p->text[0] ? p->text : "no head yet");
		if (p->cure[0])
			(void)err_cure(&e, "%s", p->cure);
		(void)cmd_fail(&e);
	}
	return EXIT_NONE_ANSWERS;
}

static int run(struct app *a)
{
	struct report_opts o = document_opts(a->conf, (enum report_format)a->conf->compare_format);
	char command[DOCUMENT_COMMAND];
	struct err e = { .code = ST_OK };
	bool heard = false;

	if (a->n_urls == 0) {
		err_set(&e, ST_REFUSED, "no node found to compare");
		(void)err_cure(&e, "chaintop compare a=ws://127.0.0.1:8546 b=wss://example.org/KEY");
		return cmd_fail(&e);
	}
	if (app_start(a, NULL, &e) != ST_OK)
		return cmd_fail(&e);
	tell_names(a->model);
	watch(a, isatty(STDERR_FILENO));
	for (unsigned i = 0; i < a->model->n_paths; i++)
		heard |= a->model->paths[i]->has_head;
	if (!heard)
		return none_answered(a->model);
	o.command = document_command(command, a, "compare");
	return document_write(a, &o);
}

static int compare_run(const struct conf *given)
{
	struct app *a = malloc(sizeof(*a));
	struct conf c = *given;
	struct err e = { .code = ST_OK };
	int code;

	if (!a)
		return EXIT_OURS;
	c.bodies = c.race_bodies;
	c.mempool = MEMPOOL_OFF; /* it would only cost */
	if (app_init(a, &c, &e) != ST_OK) {
		free(a);
		return cmd_fail(&e);
	}
	stop_on_signals(&a->wake, NULL);
	code = run(a);
	app_fini(a, code);
	free(a);
	return code;
}

const struct cmd_class cmd_compare = {
	.name = "compare",
	.args = "URL...",
	.help = "which path is right, first and well: a report after ten minutes",
	.about = "Watches all paths for --for or until Ctrl-C, then writes one report: the verdict with its numbers, the\n"
		 "table of view 5, how far each path was behind, when it heard what, incidents, rules (doc/REPORT.md). Names\n"
		 "only, no hosts and keys.\n"
		 "Below 30 heads there is no order. Exit 69 if no path told of a head.\n"
		 "\nExamples:\n  chaintop compare geth=ws://127.0.0.1:8546 hosted=wss://example.org/KEY\n"
		 "  chaintop compare --for 1h --rank app --format md -o report.md a=https://example.org b=https://example.net\n",
	.run = compare_run,
};
