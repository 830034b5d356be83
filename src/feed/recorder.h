/*
 * Records what feeds exchange with their nodes, on a thread of its own (design.md §9). Feeds copy what they send and hear into
 * a bounded queue and never wait: what finds no room is left out, counted, and told by a DROP frame; so is what the disk
 * does not take. Without a file it keeps the newest in memory (the ring, recring.h), for a file that begins later. Secrets of
 * the URLs and headers are blotted out of what nodes send back before it is written.
 */
#ifndef FEED_RECORDER_H
#define FEED_RECORDER_H

#include "feed/event.h"
#include "feed/recfile.h"
#include "net/url.h"

struct recorder;

struct recorder_feed {
	const char *node, *via, *show;
	bool push, local;
	const struct url *url; /* for its secrets; may be NULL */
};

struct recorder_opts {
	const char *file; /* must not exist; NULL: none yet, the ring is kept */
	const struct recorder_feed *feeds; /* all borrowed until recorder_start returns */
	unsigned n_feeds;
	const char *const *secrets; /* more of them: values of headers */
	unsigned n_secrets;
	const char *version; /* of the program */
	uint64_t mono, wall; /* when the model begins; a replay's begins there too */
	size_t queue_bytes; /* 0: 64 MiB */
	uint64_t segment_bytes, segment_ns; /* 0: 64 MiB of messages, 10 min */
	uint64_t max_bytes; /* of the file; 0: what the disk has */
	size_t ring_bytes; /* 0: 4 MiB */
	uint64_t ring_ns; /* 0: 10 min */
};

struct recorder_stats {
	uint64_t since_mono;
	uint64_t bytes, raw_bytes; /* written; of messages */
	uint64_t frames, heads, dropped; /* heads: distinct */
	enum status failing; /* ST_OK, or why nothing is written now */
	int detail; /* errno or SQLite's code of that */
	bool open; /* there is a file */
	uint64_t ring_ns, ring_bytes; /* what the ring holds */
	unsigned begun, refused; /* how many recorder_begin made a file, could not make one */
};

struct recqueue;

enum status recorder_start(struct recorder **out, const struct recorder_opts *o, struct err *e) MUST_CHECK;
/* Any thread, at any time. */
void recorder_stats(const struct recorder *r, struct recorder_stats *s);
/* Where the feeds' taps (tap.h) push. Stays until recorder_stop. */
struct recqueue *recorder_queue(struct recorder *r);
/* What the app itself says (EV_CLOCK). Any thread. */
void recorder_event(struct recorder *r, const struct event *e);
/* A place to find again; seq is set by the recorder. Any thread. */
void recorder_mark(struct recorder *r, const struct mark *m);
/* Goes on in a new file, which stands by itself. A file that cannot be made shows in the stats. Any thread. */
void recorder_rotate(struct recorder *r, const char *file, uint64_t mono, uint64_t wall);
/*
 * Without a file: begins one with what the ring holds, at most before_ns of it, and goes on in it. recorder_end closes it; from
 * then on there is a ring again. Stats say how it went; a file that cannot be made leaves the ring. mono, wall: now. Any thread.
 */
void recorder_begin(struct recorder *r, const char *file, uint64_t before_ns, uint64_t mono, uint64_t wall);
void recorder_end(struct recorder *r, uint64_t mono, uint64_t wall);
/*
 * After the feeds have ended: writes what is queued, closes the file and frees r, but for its queue if leak says that a
 * feed may still
 * use it. mono, wall: the last moment of the recording.
 */
enum status recorder_stop(struct recorder *r, uint64_t mono, uint64_t wall, bool leak, struct err *e) MUST_CHECK;

#endif
