/* chaintop record -o FILE [URL...]: records without a screen, with one line that says how it goes. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "cmd/cmd.h"
#include "cmd/stop.h"

enum {
	TICK_MS = 250,
	NAME_MAX_ = 4096,
};

#define REPORT_NS (60 * NS_S) /* where no terminal shows the line each second */

/* ---- the line ---- */

static void clock_text(char out[24], uint64_t ns)
{
	uint64_t s = ns / NS_S;

	snprintf(out, 24, "%02" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}

static void size_text(char out[24], uint64_t bytes)
{
	if (bytes < 1 << 20)
		snprintf(out, 24, "%.1f KiB", (double)bytes / 1024);
	else if (bytes < UINT64_C(10) << 30)
		snprintf(out, 24, "%.1f MiB", (double)bytes / (1 << 20));
	else
		snprintf(out, 24, "%.1f GiB", (double)bytes / (1 << 30));
}

static void trouble_text(char *out, size_t size, const struct recorder_stats *s)
{
	int n = 0;

	out[0] = 0;
	if (s->failing != ST_OK)
		n = snprintf(out, size, "  NOT RECORDING: %s", s->failing == ST_TOO_BIG ? "no space left" :
			     s->failing == ST_IO && s->detail > 0 && s->detail < 4096 ? strerror(s->detail) :
			     status_word(s->failing));
	if (s->dropped && n >= 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, "  %" PRIu64 " messages not recorded", s->dropped);
}

static void line_text(const struct app *a, char *out, size_t size)
{
	const struct chain *c = model_chain(a->model);
	struct recorder_stats s;
	char age[24], bytes[24], trouble[160], head[48] = "";
	unsigned up = 0;

	recorder_stats(a->recorder, &s);
	clock_text(age, time_mono() - s.since_mono);
	size_text(bytes, s.bytes);
	trouble_text(trouble, sizeof(trouble), &s);
	for (unsigned i = 0; i < a->model->n_paths; i++) {
		enum link_state l = a->model->paths[i]->state;

		up += l == LINK_LIVE || l == LINK_POLLING || l == LINK_SILENT;
	}
	if (c && c->head)
		snprintf(head, sizeof(head), ", block %" PRIu64, c->head->h.number);
	snprintf(out, size, "REC %s  %s  %" PRIu64 " heads%s  %u of %u paths up%s", age, bytes, s.heads, head, up,
		 a->model->n_paths, trouble);
}

static void show_line(const struct app *a, bool tty)
{
	char text[400];

	line_text(a, text, sizeof(text));
	if (tty)
		fprintf(stderr, "\r\033[K%s", text);
	else
		fprintf(stderr, "%s\n", text);
	fflush(stderr);
}

/* ---- files ---- */

/* With --rotate: x.ct becomes x-20261130T155007Z.ct. */
static enum status file_name(const struct conf *c, char out[NAME_MAX_], struct err *e)
{
	const char *slash = strrchr(c->output, '/'), *dot = strrchr(slash ? slash : c->output, '.');
	size_t stem = dot && dot != c->output && dot[-1] != '/' ? (size_t)(dot - c->output) : strlen(c->output);
	time_t now = (time_t)(time_wall() / NS_S);
	char stamp[24] = "";
	struct tm tm;
	int n;

	if (c->rotate && gmtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "-%Y%m%dT%H%M%SZ", &tm);
	n = snprintf(out, NAME_MAX_, "%.*s%s%s", (int)stem, c->output, stamp, c->output + stem);
	return n > 0 && n < NAME_MAX_ ? ST_OK : err_set(e, ST_USAGE, "--output: the name is too long");
}

static enum status check(const struct conf *c, struct err *e)
{
	if (!c->output) {
		err_set(e, ST_USAGE, "record wants a file");
		return err_cure(e, "chaintop record -o FILE.ct [URL...]");
	}
	if (strcmp(c->output, "-") == 0) {
		err_set(e, ST_USAGE, "a recording cannot be piped: it is a database");
		return err_cure(e, "-o FILE.ct");
	}
	if (c->rotate && c->rotate < NS_S)
		return err_set(e, ST_USAGE, "--rotate: at least 1s");
	return ST_OK;
}

/* ---- the run ---- */

static bool enough(const struct app *a, uint64_t start, uint64_t now)
{
	struct recorder_stats s;

	if (a->conf->duration && now - start >= a->conf->duration)
		return true;
	recorder_stats(a->recorder, &s);
	return a->conf->heads && s.heads >= a->conf->heads;
}

static void record_loop(struct app *a, bool tty)
{
	struct pollfd p = { .fd = wake_fd(&a->wake), .events = POLLIN };
	uint64_t start = time_mono(), now = start, next_tick = 0, next_line = start, next_file = UINT64_MAX;
	char name[NAME_MAX_];
	struct err e;
	bool more = false;

	if (a->conf->rotate)
		next_file = start + a->conf->rotate;
	while (!stop_asked() && !enough(a, start, now)) {
		if (poll(&p, 1, more || next_tick <= now ? 0 : (int)((next_tick - now) / NS_MS) + 1) > 0)
			wake_take(&a->wake);
		app_drain(a, &more);
		now = time_mono();
		if (now >= next_tick) {
			app_tick(a, now);
			next_tick = now - now % (TICK_MS * NS_MS) + TICK_MS * NS_MS;
		}
		if (now >= next_file && file_name(a->conf, name, &e) == ST_OK) {
			recorder_rotate(a->recorder, name, now, time_wall());
			next_file += a->conf->rotate;
		}
		if (now >= next_line) {
			show_line(a, tty);
			next_line = now + (tty ? NS_S : REPORT_NS);
		}
	}
}

static int finish(struct app *a, const char *name, bool tty)
{
	struct recorder_stats s;
	struct err e = { .code = ST_OK };
	char bytes[24], age[24], trouble[160];

	recorder_stats(a->recorder, &s);
	clock_text(age, time_mono() - s.since_mono);
	if (tty)
		fprintf(stderr, "\r\033[K");
	if (app_stop_recording(a, &e) != ST_OK) {
		err_cure(&e, "what was written before is there");
		(void)cmd_fail(&e);
	}
	size_text(bytes, s.bytes);
	s.failing = ST_OK;
	trouble_text(trouble, sizeof(trouble), &s);
	fprintf(stderr, "saved %s  %s  %s  %" PRIu64 " heads%s; replay: chaintop replay %s\n", name, age, bytes,
		s.heads, trouble, name);
	return e.code != ST_OK || s.dropped ? EXIT_BAD : s.heads ? EXIT_FINE : EXIT_NONE_ANSWERS;
}

static int record_run(const struct conf *c)
{
	struct app *a = malloc(sizeof(*a));
	struct err e = { .code = ST_OK };
	char name[NAME_MAX_];
	bool tty = isatty(STDERR_FILENO);
	int code;

	if (!a)
		return EXIT_OURS;
	if (check(c, &e) != ST_OK || file_name(c, name, &e) != ST_OK || app_init(a, c, &e) != ST_OK) {
		free(a);
		return cmd_fail(&e);
	}
	stop_on_signals(&a->wake, NULL);
	/* A limit on file sizes is a full disk, not the end. */
	signal(SIGXFSZ, SIG_IGN);
	if (a->n_urls == 0) {
		err_set(&e, ST_REFUSED, "no node found to record");
		(void)err_cure(&e, "chaintop record -o FILE.ct ws://127.0.0.1:8546");
		code = cmd_fail(&e);
	} else if (app_start(a, name, &e) != ST_OK || app_hooks(a, &e) != ST_OK) {
		code = cmd_fail(&e);
	} else {
		if (outputs_where(a->outputs)[0])
			fprintf(stderr, "chaintop: %s\n", outputs_where(a->outputs));
		record_loop(a, tty);
		code = finish(a, name, tty);
	}
	app_fini(a, code);
	free(a);
	return code;
}

const struct cmd_class cmd_record = {
	.name = "record",
	.args = "-o FILE [URL...]",
	.help = "record what the nodes say, to be replayed",
	.about = "Records everything that is sent and heard into FILE, until SIGINT, SIGTERM, --heads or --for. Keys "
		 "of URLs and\n"
		 "headers are not recorded, also not where a node quotes them. What is committed, once a second, "
		 "survives a\n"
		 "kill. If the disk is full it waits until there is space again; what is missing is counted and told.\n"
		 "\nExamples:\n  chaintop record -o mainnet.ct geth=ws://127.0.0.1:8546 geth=/data/geth.ipc\n"
		 "  chaintop record -o day.ct -G 1h --for 24h wss://example.org/KEY\n",
	.run = record_run,
};
