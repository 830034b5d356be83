#include "outputs.h"

#include <stdlib.h>
#include <unistd.h>

#include "cmd/stop.h"
#include "out/stream.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

struct outputs {
	const struct conf *conf;
	struct wake *wake;
	struct stream *stream; /* NULL: not asked for */
};

enum status outputs_open(struct outputs **out, const struct conf *c, struct wake *wake, struct err *e)
{
	struct outputs *o;

	*out = NULL;
	if (!c->stream)
		return ST_OK;
	o = calloc(1, sizeof(*o));
	if (!o)
		return err_set(e, ST_NOMEM, "no memory for an output");
	o->conf = c;
	o->wake = wake;
	*out = o;
	return ST_OK;
}

enum status outputs_start(struct outputs *o, const struct model *m, const char *mode, struct err *e)
{
	struct stream_opts so = { .fd = STDOUT_FILENO, .stop = stop_asked, .program = "chaintop " PACKAGE_VERSION, .mode = mode };
	enum status st = ST_OK;

	if (!o)
		return ST_OK;
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
}

void outputs_tick(struct outputs *o, const struct model *m)
{
	if (o && o->stream)
		stream_model(o->stream, m);
}

void outputs_serve(struct outputs *o, const struct model *m)
{
	(void)o;
	(void)m;
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
	free(o);
	return st;
}
