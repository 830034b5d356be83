/*
 * What leaves the program beside the screen, for every command that watches. The app's thread calls all of it. Order:
 * outputs_open before feeds and screen (what cannot be had is told at once), outputs_start with the model, outputs_stop before
 * the model goes.
 */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdbool.h>

#include "base/wake.h"
#include "conf/conf.h"
#include "model/model.h"

struct outputs;

/* None was asked for: *out is NULL, which all the others take. wake: the app's; borrowed. */
enum status outputs_open(struct outputs **out, const struct conf *c, struct wake *wake, struct err *e) MUST_CHECK;
/* What a user wants to know of it: "metrics at http://127.0.0.1:9464/metrics"; or "". */
const char *outputs_where(const struct outputs *o);
/* mode: "live", "replay", "demo". A replay that begins at a place of the recording is quiet until outputs_there. */
enum status outputs_start(struct outputs *o, const struct model *m, const char *mode, struct err *e) MUST_CHECK;
void outputs_there(struct outputs *o);
/* An event that the model has taken; a block in it must still be there. */
void outputs_event(struct outputs *o, const struct model *m, const struct event *e);
/* The model has been ticked. */
void outputs_tick(struct outputs *o, const struct model *m);
/* Once per turn of the app's loop: what other threads ask for. */
void outputs_serve(struct outputs *o, const struct model *m);
/* Nobody reads the stream any more (ST_CLOSED), or it cannot be written. */
enum status outputs_error(const struct outputs *o, struct err *e);
/* why: "end", "signal". Says how the stream ended, as outputs_error, and frees. */
enum status outputs_stop(struct outputs *o, const struct model *m, const char *why, struct err *e) MUST_CHECK;

#endif
