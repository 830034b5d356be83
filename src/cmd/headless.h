/*
 * Watching without a screen: --stream. It goes on until a signal, the end of a recording, or until nobody reads the stream.
 */
#ifndef CMD_HEADLESS_H
#define CMD_HEADLESS_H

#include "app.h"

bool headless_wanted(const struct conf *c);
/* Starts an initialised app and runs it. An exit code. */
int headless_run(struct app *a);

#endif
