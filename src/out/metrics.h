/*
 * What a model knows as a page of Prometheus' text format 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/), by its naming conventions: base units, _total for what only
 * grows, a HELP and a TYPE for each family. doc/METRICS.md lists them.
 *
 * Nothing that is not known is on the page. Labels: node and via (two paths that would have the same: "ws", "ws#2"), and
 * chain, the chain's name. Windows are Prometheus' business: here histograms and counters only grow, so latencies of calls and
 * sizes of bodies, of which the model keeps windows, are counted here, event by event.
 */
#ifndef OUT_METRICS_H
#define OUT_METRICS_H

#include "base/buf.h"
#include "model/model.h"

struct metrics;

struct metrics_about {
	const char *version; /* "0.1.0" */
	const char *mode; /* "live", "replay", "demo" */
	uint64_t start_wall; /* of this process */
	bool stream; /* the two that follow are known */
	uint64_t stream_lines, stream_dropped;
};

struct metrics *metrics_new(void); /* NULL without memory */
void metrics_free(struct metrics *x);
/* An event, before or behind the model. */
void metrics_event(struct metrics *x, const struct event *e);
/* Appends the page. ST_NOMEM, ST_TOO_BIG. */
enum status metrics_render(const struct metrics *x, const struct model *m, const struct metrics_about *about, struct buf *out)
	MUST_CHECK;

#endif
