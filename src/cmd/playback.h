/* The keys and the bar of a recording that is played in the monitor's screen. */
#ifndef CMD_PLAYBACK_H
#define CMD_PLAYBACK_H

#include "app.h"
#include "ui/replaybar.h"

struct playback {
	struct replaybar bar;
};

void playback_init(struct playback *p, struct app *a);
/* True: it was a key of the player's. May replace a->model. *e: what could not be done; its code is ST_OK if all is well. */
bool playback_key(struct playback *p, struct app *a, unsigned key, struct err *e);
/* The bar as it is now. */
const struct replaybar *playback_bar(struct playback *p, const struct app *a);

#endif
