/* The monitor's screen, for every command that shows it. */
#ifndef CMD_MONITOR_H
#define CMD_MONITOR_H

#include "app.h"

/* Starts an initialised app and shows it, as one frame of text if --once says so or stdout is no terminal. An exit code. */
int monitor_show(struct app *a);

#endif
