/*
 * Recordings that begin when it has happened already. The recorder keeps the last minutes in memory (recring.h); a file gets
 * them when somebody presses R, sends SIGUSR1, or when something is critical (`incidents = N`): an incident is the
 * INCIDENT_BEFORE_S before and the INCIDENT_AFTER_S after, with a report line beside it, at most one in INCIDENT_PAUSE_S, and
 * the newest N are kept.
 *
 * Main thread; what touches the disk is the recorder's thread and, for the folder, the report and what is to be removed, a
 * short one of its own. In a replay nothing of it is there.
 */
#ifndef REWIND_H
#define REWIND_H

#include <pthread.h>

#include "conf/conf.h"
#include "feed/recorder.h"
#include "model/model.h"

enum { INCIDENT_BEFORE_S = 120, INCIDENT_AFTER_S = 60, INCIDENT_PAUSE_S = 600 };

enum rewind_state {
	REWIND_OFF, /* there is no ring */
	REWIND_RING,
	REWIND_USER, /* a file that somebody asked for */
	REWIND_INCIDENT,
};

struct rewind {
	enum rewind_state state;
	struct recorder *r; /* borrowed */
	char dir[400], file[512]; /* file: the newest one, its whole path */
	bool opened; /* the recorder has made it */
	bool closing, told; /* it is to end; the recorder knows */
	uint64_t since_mono; /* when it was begun … */
	uint64_t had_ns; /* … with so much before it */
	uint64_t until_mono; /* incident: its end */
	uint64_t next_mono; /* incident: not before */
	uint64_t cursor; /* of the model's alerts */
	unsigned begun, refused; /* of the recorder's, as far as was looked */
	uint64_t keep, incident_pause_ns; /* `incidents` */
	const char *location;
	pthread_t thread;
	bool threaded; /* to be joined */
	char say[240]; /* one sentence for the user; "": none; who shows it clears it */
};

/* Where recordings and reports go: $XDG_STATE_HOME/chaintop or what stands for it. size ≥ 400 is enough. */
void rewind_dir(char *out, size_t size);
/* Makes it, 0700; waits for the disk. False: errno. */
bool rewind_make_dir(const char *dir);

/* c: --rewind, --incidents. Is a ring wanted at all? */
bool rewind_wanted(const struct conf *c);
/* After the recorder was started without a file. */
void rewind_start(struct rewind *w, struct recorder *r, const struct conf *c);
/* About every second: begins and ends incidents, looks what became of files. */
void rewind_tick(struct rewind *w, const struct model *m, uint64_t now_mono, uint64_t now_wall);
/* R: begins a recording or ends it. */
void rewind_key(struct rewind *w, const struct model *m, uint64_t now_mono, uint64_t now_wall);
/* SIGUSR1: what the ring holds becomes a file. */
void rewind_save(struct rewind *w, const struct model *m, uint64_t now_mono, uint64_t now_wall);
/* "REC 00:12:04 18.3 MiB", "" while there is no file. Returns out. */
char *rewind_word(const struct rewind *w, uint64_t now_mono, char *out, size_t size);
/* Before the recorder is stopped. */
void rewind_stop(struct rewind *w);

#endif
