/* chaintop report FILE: the report that `compare` gives, from a recording. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/sha256.h"
#include "cmd/cmd.h"
#include "cmd/document.h"
#include "cmd/stop.h"

/* Plays up to a->until, or to the end. False: a signal. */
static bool play(struct app *a)
{
	struct pollfd p = { .fd = wake_fd(&a->wake), .events = POLLIN };
	bool more = false;

	a->ended = false;
	while (!a->ended && !stop_asked()) {
		app_drain(a, &more);
		if (!more && !a->ended && poll(&p, 1, 1000) > 0)
			wake_take(&a->wake);
	}
	return a->ended;
}

static enum status place(struct app *a, const char *option, const char *word, uint64_t *mono, struct err *e)
{
	struct err why = { .code = ST_OK };

	*mono = 0;
	if (!word || replay_find(a->replay, word, mono, &why) == ST_OK)
		return ST_OK;
	err_set(e, ST_USAGE, "%s %.40s: %.140s", option, word, why.text);
	return why.cure[0] ? err_cure(e, "%s", why.cure) : ST_USAGE;
}

static int run(struct app *a, const char *sha256)
{
	struct report_opts o = document_opts(a->conf, (enum report_format)a->conf->report_format);
	char command[DOCUMENT_COMMAND];
	struct err e = { .code = ST_OK };
	uint64_t from, to;

	if (place(a, "--from", a->conf->from_place, &from, &e) != ST_OK || place(a, "--to", a->conf->to_place, &to, &e) != ST_OK)
		return cmd_fail(&e);
	if (from && to && to <= from) {
		err_set(&e, ST_USAGE, "--to %.40s is not after --from %.40s", a->conf->to_place, a->conf->from_place);
		return cmd_fail(&e);
	}
	if (app_start(a, NULL, &e) != ST_OK)
		return cmd_fail(&e);
	/* What was before is played, too: only so is it known what the paths were up to. */
	a->until = from;
	if (from && !play(a))
		return EXIT_BAD;
	if (from)
		model_restart(a->model);
	a->until = to;
	if (!play(a))
		return EXIT_BAD;
	if (replay_error(a->replay, &e) != ST_OK) {
		(void)cmd_fail(&e);
		return EXIT_BAD;
	}
	o.recording = sha256;
	o.command = document_command(command, a, "report");
	return document_write(a, &o);
}

static int report_run(const struct conf *given)
{
	struct app *a = malloc(sizeof(*a));
	struct conf c = *given;
	char sha256[SHA256_HEX];
	struct err e = { .code = ST_OK };
	int code;

	if (!a)
		return EXIT_OURS;
	c.speed = "max";
	c.at = NULL;
	/* A wrong block keeps a path out: each is looked at. */
	c.verify = true;
	if (c.n_args != 1) {
		err_set(&e, ST_USAGE, "report wants one recording");
		(void)err_cure(&e, "chaintop report FILE.ct");
	} else if (app_init_replay(a, &c, c.args[0], &e) == ST_OK) {
		stop_on_signals(&a->wake, NULL);
		code = sha256_file(sha256, c.args[0], &e) == ST_OK ? run(a, sha256) : EXIT_BAD;
		if (e.code != ST_OK)
			(void)cmd_fail(&e);
		app_fini(a, code);
		free(a);
		return code;
	}
	free(a);
	code = cmd_fail(&e);
	return e.code == ST_USAGE ? code : EXIT_BAD;
}

const struct cmd_class cmd_report = {
	.name = "report",
	.args = "FILE",
	.help = "the report of compare, from a recording",
	.about = "Plays FILE as fast as it can and writes what `chaintop compare` would have written, with the SHA-256 of\n"
		 "the file. The same recording gives the same report. Names only, no hosts and keys. Exit 1 if FILE is no\n"
		 "recording or cannot be read.\n"
		 "\nExamples:\n  chaintop report night.ct -o night.md\n"
		 "  chaintop report night.ct --from 15:50 --to 16:10 --format html -o incident.html\n",
	.run = report_run,
};
