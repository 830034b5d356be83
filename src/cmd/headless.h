/*
 * Watching without a screen: --stream always, --metrics where standard output is no terminal. It goes on until a signal, until
 * nobody reads the stream, and without --metrics until the end of a recording.
 */
#ifndef CMD_HEADLESS_H
#define CMD_HEADLESS_H

#include "app.h"

bool headless_wanted(const struct conf *c);
/* Starts an initialised app and runs it. An exit code. */
int headless_run(struct app *a);

#endif
