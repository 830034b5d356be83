/* The line above the keys while a recording plays: pace, place, where something happened, and the keys for it. */
#ifndef UI_REPLAYBAR_H
#define UI_REPLAYBAR_H

#include "ui/canvas.h"

enum { REPLAYBAR_MARKS = 256 };

struct replaybar {
	bool paused, ended;
	double speed; /* 0: as fast as it can */
	uint64_t at_ns, all_ns; /* since the start of the recording; its length */
	unsigned n; /* places, in order of time */
	struct {
		uint64_t at_ns;
		char letter; /* r reorg, ! outage, g gap, m mark, - hole */
	} mark[REPLAYBAR_MARKS];
};

/* On line y of c, all its width. */
void replaybar_draw(struct canvas *c, int y, const struct replaybar *b);

#endif
