/*
 * What signals ask for. To end: SIGINT, SIGTERM, SIGHUP, and what else ends a process; the first asks, the second does not
 * wait. To save: SIGUSR1.
 */
#ifndef CMD_STOP_H
#define CMD_STOP_H

#include <stdbool.h>

#include "base/wake.h"

/*
 * Takes the first kind over. The first one raises w and makes stop_asked true; a second one calls `last` (may be NULL;
 * async-signal-safe) and ends the process with 128 + its number.
 */
void stop_on_signals(struct wake *w, void (*last)(void));
bool stop_asked(void);
/* SIGUSR1 raises w and makes save_asked true, once each time. */
void save_on_signal(struct wake *w);
bool save_asked(void);

#endif
