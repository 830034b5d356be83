#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "cmd/stop.h"
#include "out/exporter.h"
#include "out/metrics.h"
#include "out/stream.h"
#include "serve/listen.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum { PAGE_MAX = 64 << 20 };

struct outputs {
	const struct conf *conf;
	struct wake *wake;
	struct stream *stream; /* NULL: not asked for */
	struct exporter *exporter; /* NULL: not asked for */
	struct metrics *metrics; /* as exporter */
	uint64_t start_wall;
	const char *mode;
	char where[96];
};

static enum status open_metrics(struct outputs *o, struct err *e)
{
	struct exporter_opts xo = { .wake = o->wake, .about = "chaintop " PACKAGE_VERSION };
	char show[64];
	enum status st = listen_tcp(o->conf->metrics, &xo.fd, show, sizeof(show), e);

	if (st != ST_OK)
		return st;
	o->start_wall = time_wall();
	snprintf(o->where, sizeof(o->where), "metrics at http://%s/metrics", show);
	o->metrics = metrics_new();
	if (!o->metrics) {
		close(xo.fd);
		return err_set(e, ST_NOMEM, "no memory for --metrics");
	}
	return exporter_start(&o->exporter, &xo, e);
}

const char *outputs_where(const struct outputs *o)
{
	return o ? o->where : "";
}

static void end(struct outputs *o)
{
	exporter_stop(o->exporter);
	metrics_free(o->metrics);
	free(o);
}

enum status outputs_open(struct outputs **out, const struct conf *c, struct wake *wake, struct err *e)
{
	struct outputs *o;
	enum status st = ST_OK;

	*out = NULL;
	if (!c->stream && !c->metrics)
		return ST_OK;
	o = calloc(1, sizeof(*o));
	if (!o)
		return err_set(e, ST_NOMEM, "no memory for an output");
	o->conf = c;
	o->wake = wake;
	if (c->metrics)
		st = open_metrics(o, e);
	if (st == ST_OK)
		*out = o;
	else
		end(o);
	return st;
}

enum status outputs_start(struct outputs *o, const struct model *m, const char *mode, struct err *e)
{
	struct stream_opts so = { .fd = STDOUT_FILENO, .stop = stop_asked, .program = "chaintop " PACKAGE_VERSION, .mode = mode };
	enum status st = ST_OK;

	if (!o)
		return ST_OK;
	o->mode = mode;
	so.wake = o->wake;
	so.wait = mode[0] != 'l';
	if (o->conf->stream && !o->stream)
		st = stream_start(&o->stream, m, &so, e);
	if (o->stream && o->conf->at)
		stream_quiet(o->stream, true);
	return st;
}

void outputs_there(struct outputs *o)
{
	if (o && o->stream)
		stream_quiet(o->stream, false);
}

void outputs_event(struct outputs *o, const struct model *m, const struct event *e)
{
	if (o && o->stream)
		stream_event(o->stream, m, e);
	if (o && o->metrics)
		metrics_event(o->metrics, e);
}

void outputs_tick(struct outputs *o, const struct model *m)
{
	if (o && o->stream)
		stream_model(o->stream, m);
}

void outputs_serve(struct outputs *o, const struct model *m)
{
	struct metrics_about about = { .version = PACKAGE_VERSION };
	struct buf page;

	if (!o || !o->exporter || !exporter_wanted(o->exporter))
		return;
	about.mode = o->mode;
	about.start_wall = o->start_wall;
	about.stream = o->stream;
	if (o->stream) {
		about.stream_lines = stream_lines(o->stream);
		about.stream_dropped = stream_dropped(o->stream);
	}
	buf_init(&page, PAGE_MAX);
	if (metrics_render(o->metrics, m, &about, &page) == ST_OK)
		exporter_give(o->exporter, &page);
	else
		log_msg(LOG_ERROR, "metrics: no memory for the page");
	buf_fini(&page);
}

enum status outputs_error(const struct outputs *o, struct err *e)
{
	return o && o->stream ? stream_error(o->stream, e) : ST_OK;
}

enum status outputs_stop(struct outputs *o, const struct model *m, const char *why, struct err *e)
{
	enum status st = ST_OK;

	if (!o)
		return ST_OK;
	if (o->stream)
		st = stream_stop(o->stream, m, why, e);
	end(o);
	return st;
}
