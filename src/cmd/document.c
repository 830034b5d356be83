#include "cmd/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/sink.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum { DOCUMENT_BYTES = 64 << 20 };

struct report_opts document_opts(const struct conf *c, enum report_format format)
{
	return (struct report_opts){
		.format = format,
		.rank = (enum rank_by)c->rank,
		.window = RACE_ALL,
		.version = "chaintop " PACKAGE_VERSION,
		.location = c->location,
	};
}

struct report_opts document_now(const struct app *a, enum rank_by rank, enum race_window window)
{
	struct report_opts o = document_opts(a->conf, REPORT_MD);

	o.rank = rank;
	o.window = window;
	return o;
}

static void add(char *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void add(char *out, const char *fmt, ...)
{
	size_t n = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out + n, DOCUMENT_COMMAND - n, fmt, ap);
	va_end(ap);
}

/* "10m", "90s", "1500ms". */
static void add_time(char *out, const char *option, uint64_t ns)
{
	if (ns % (60 * NS_S) == 0)
		add(out, " %s %" PRIu64 "m", option, ns / (60 * NS_S));
	else if (ns % NS_S == 0)
		add(out, " %s %" PRIu64 "s", option, ns / NS_S);
	else
		add(out, " %s %" PRIu64 "ms", option, ns / NS_MS);
}

/* What a name is worth nothing without; the rest of an address is nobody's business. */
static const char *scheme(const char *via)
{
	return strcmp(via, "ipc") == 0 ? "ipc:" : strcmp(via, "rlpx") == 0 ? "enode://" : strcmp(via, "https") == 0 ? "https://" :
	       strcmp(via, "wss") == 0 ? "wss://" : strcmp(via, "ws") == 0 ? "ws://" : "http://";
}

char *document_command(char *out, const struct app *a, const char *command)
{
	char name[40];

	snprintf(out, DOCUMENT_COMMAND, "chaintop %s", command);
	if (a->replay)
		add(out, " FILE.ct");
	for (unsigned i = 0; !a->replay && i < a->model->n_paths; i++)
		add(out, " %s=%s\xe2\x80\xa6", report_name(name, sizeof(name), a->model, i), scheme(a->model->paths[i]->via));
	if (!a->replay)
		add_time(out, "--for", a->conf->watch);
	else if (a->conf->from_place)
		add(out, " --from %.40s", a->conf->from_place);
	if (a->replay && a->conf->to_place)
		add(out, " --to %.40s", a->conf->to_place);
	if (a->conf->rank)
		add(out, " --rank %s", rank_word((enum rank_by)a->conf->rank));
	return out;
}

int document_write(const struct app *a, const struct report_opts *o)
{
	struct err e = { .code = ST_OK };
	struct sink s;
	struct buf text;
	enum status st;

	buf_init(&text, DOCUMENT_BYTES);
	st = report_write(&text, a->model, o, &e);
	if (st == ST_OK) {
		st = sink_open(&s, a->conf->output, &e);
		if (st == ST_OK) {
			st = sink_write(&s, text.p, text.len, &e);
			if (st == ST_OK)
				st = sink_keep(&s, &e);
			sink_fini(&s);
		}
	}
	buf_fini(&text);
	if (st == ST_OK)
		return EXIT_FINE;
	(void)cmd_fail(&e);
	return EXIT_BAD;
}
