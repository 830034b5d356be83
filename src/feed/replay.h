/*
 * Plays a recording: the same wire_rpc.c and wire_p2p.c that the feeds use, fed from the file with the recorded times.
 * It opens no socket and asks nothing. A thread of its own; the consumer takes events from one ring, in which they
 * wait (nothing is lost).
 *
 * Between the events stand ticks, so that a model sees time pass as it did: model_tick at every REPLAY_TICK, at multiples of
 * 250 ms of the recorded clock.
 */
#ifndef FEED_REPLAY_H
#define FEED_REPLAY_H

#include "base/wake.h"
#include "feed/event.h"
#include "feed/recfile.h"

/* Kinds of struct event that only replays give; not for model_apply. */
enum replay_kind {
	REPLAY_TICK = 0x100, /* mono, wall: now */
	REPLAY_THERE, /* the place that replay_start was told is reached */
	REPLAY_END, /* the last event; mono, wall: the end of the recording */
};

struct replay_opts {
	const char *file; /* or NULL, and … */
	const void *data; /* … a recording in memory, borrowed */
	size_t n;
	struct wake *wake; /* of the consumer; borrowed */
	double speed; /* 0: as fast as it can */
	/*
	 * Verify every block at any speed. Otherwise, when playing as fast as possible, those that are last before the
	 * pace changes or the recording ends: they are what is seen.
	 */
	bool verify;
	/*
	 * A jump plays all that is before its place. If that is more than this many bytes of messages (0: 512 MiB), bodies
	 * of pushed heads stay packed until so long before the place (0: 10 min); from jump_most on (0: 16 GiB) it begins at
	 * a segment that lies at least so long before it.
	 */
	uint64_t jump_bytes, jump_ns, jump_most;
};

struct replay;

/* Opens the file and looks at it; nothing is played yet. */
enum status replay_open(struct replay **out, const struct replay_opts *o, struct err *e) MUST_CHECK;
const struct recinfo *replay_info(const struct replay *r);
/* place_find of this recording. */
enum status replay_find(struct replay *r, const char *words, uint64_t *mono, struct err *e) MUST_CHECK;
/*
 * Starts to play so that all before `mono` comes as fast as it can (0: from the start at its pace). *start_mono,
 * *start_wall: when
 * the model that takes the events has to begin.
 */
enum status replay_start(struct replay *r, uint64_t mono, uint64_t *start_mono, uint64_t *start_wall, struct err *e) MUST_CHECK;
/* Ends the thread and empties the ring; replay_start may follow: that is a jump. */
void replay_stop(struct replay *r);
void replay_free(struct replay *r);

/* Consumer side, as of a feed. */
const struct event *replay_peek(struct replay *r);
void replay_pop(struct replay *r);
/* Pace, from any thread; 0: as fast as it can. */
void replay_speed(struct replay *r, double speed);
void replay_pause(struct replay *r, bool on);
/* Plays on to this place as fast as it can, also while paused. To go back is replay_start's. */
void replay_forward(struct replay *r, uint64_t mono);
/* The head that was heard next after this wall time, or last before it; its recorded time. */
bool replay_head(struct replay *r, uint64_t wall, bool after, uint64_t *mono);
/* Where something happened: recreader_places. */
unsigned replay_places(struct replay *r, struct recplace *out, unsigned max);

struct replay_stats {
	uint64_t mono, wall; /* of the recorded clock */
	uint64_t raw_bytes; /* of messages played since the start */
	double speed;
	bool paused, ended;
	uint64_t damaged; /* frames that could not be read and were left out */
	uint64_t lost; /* frames that the recorder could not take or write */
};
void replay_stats(const struct replay *r, struct replay_stats *s);
/* Why it ended, once it has: ST_OK if the recording does. */
enum status replay_error(const struct replay *r, struct err *e);

#endif
