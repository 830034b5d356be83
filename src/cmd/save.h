/* A text that the monitor saves: into a new file of the state folder, by a short thread, so that the screen never waits. */
#ifndef CMD_SAVE_H
#define CMD_SAVE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/wake.h"

struct save {
	pthread_t thread;
	bool running; /* to be joined */
	_Atomic bool done;
	struct buf text;
	char dir[400], file[512];
	struct wake *wake; /* raised when it is done; borrowed */
	struct err err;
	char say[600]; /* one sentence for the user; "": none; who shows it clears it */
};

/* Takes the text over; the file is dir/name, which must not be there yet. Says so if the last one is still being written. */
void save_start(struct save *s, const char *dir, const char *name, struct buf *text, struct wake *wake);
/* Looks whether it is done, and says how it went. Cheap; at each turn of the loop. */
void save_look(struct save *s);
/* Waits for it. */
void save_stop(struct save *s);

#endif
