/* The user wants us to end: SIGINT, SIGTERM, SIGHUP, and what else ends a process. The first asks, the second does not wait. */
#ifndef CMD_STOP_H
#define CMD_STOP_H

#include <stdbool.h>

#include "base/wake.h"

/*
 * Takes these signals over. The first one raises w and makes stop_asked true; a second one calls `last` (may be NULL;
 * async-signal-safe) and ends the process with 128 + its number.
 */
void stop_on_signals(struct wake *w, void (*last)(void));
bool stop_asked(void);

#endif
