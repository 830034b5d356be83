/*
 * --stream: each event as one JSON object in one line (doc/STREAM.md is the schema). It sees the events behind the model, so that
 * a line can say what the model made of them, and what the model decides with time (reorgs, line 2, health) when it does.
 */
#ifndef OUT_STREAM_H
#define OUT_STREAM_H

#include "model/model.h"
#include "out/lines.h"

enum { STREAM_VERSION = 1 }; /* of the schema: a field or word that is taken away or means something else makes it 2 */

struct stream_opts {
	int fd; /* borrowed */
	struct wake *wake; /* lines.h; borrowed */
	bool wait; /* the reader sets the pace; else lines that find no room are dropped and counted */
	bool (*stop)(void); /* ends a wait; may be NULL */
	size_t queue; /* bytes; 0: the usual */
	const char *program; /* "chaintop 0.1.0" */
	const char *mode; /* "live", "replay", "demo" */
};

struct stream;

/* The first lines are written at once: the program and each path of the model. */
enum status stream_start(struct stream **out, const struct model *m, const struct stream_opts *o, struct err *e) MUST_CHECK;
/* An event that the model has just taken; a block in it must still be there. */
void stream_event(struct stream *s, const struct model *m, const struct event *e);
/* The model has been ticked, or has taken an event. */
void stream_model(struct stream *s, const struct model *m);
/* Nothing is written while it is quiet: what comes before the place at which a replay is to begin. */
void stream_quiet(struct stream *s, bool on);
uint64_t stream_lines(const struct stream *s);
uint64_t stream_dropped(const struct stream *s);
/* As lines_error. */
enum status stream_error(const struct stream *s, struct err *e);
/* why: "signal", "end". Frees. As lines_stop. */
enum status stream_stop(struct stream *s, const struct model *m, const char *why, struct err *e) MUST_CHECK;

#endif
