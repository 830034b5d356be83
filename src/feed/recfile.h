/*
 * The recording, a .ct file: SQLite in WAL mode, messages compressed with zstd. Format: doc/RECORDING.md. The only file that
 * knows sqlite3 and zstd. One thread at a time may use a writer or reader.
 */
#ifndef FEED_RECFILE_H
#define FEED_RECFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "eth/types.h"

enum {
	REC_FEEDS_MAX = 64,
	REC_TEXT_MAX = 160 << 20, /* bytes of one message: more than any transport lets in */
	REC_NO_FEED = 0xffff, /* frames of the app itself */
};

/* The order is part of the format. */
enum frame_kind { FRAME_STATE, FRAME_OPEN, FRAME_CLOSE, FRAME_OUT, FRAME_IN, FRAME_DROP, FRAME_KINDS };

/* What is known of a message besides its text; column `head`. The order is part of the format. */
enum meta {
	META_CUT, /* of this file's own use: where in the tail the body belongs */
	META_SNAPSHOT, /* STATE: says again what earlier frames said; for who begins at this segment */
	META_TOKEN, /* HTTP: of the transfer; OUT: first id of the message */
	META_WIRE, /* bytes on the wire */
	META_XFER, META_XFER_NS, META_READS, /* as in struct net_meta */
	META_HTTP, /* status */
	META_DECODE, /* ns from the stamp to the decoded block, if there was one */
	META_VERIFY, /* µs that its verification took, if this feed did it */
	META_SCHED, /* OUT: ns since it was due; latency counts from there */
	META_ATTEMPT, /* OUT: 0 at first */
	META_CODE, /* devp2p: of the message, as on the wire; its text is what follows the code, decompressed */
	META_ASK, /* devp2p, OUT: what a request is for (wire_p2p.h) */
	META_N
};

struct frame {
	uint64_t seq;
	uint16_t feed; /* or REC_NO_FEED */
	uint32_t conn; /* connections of the feed so far */
	enum frame_kind kind;
	uint64_t mono, wall;
	uint32_t has; /* bit of each meta that is given */
	uint64_t meta[META_N];
	const char *text; /* the message; STATE, DROP: JSON of state.h */
	size_t n;
	bool packed; /* recreader_skip: text has "0" in place of the body */
};

static inline void frame_set(struct frame *f, enum meta m, uint64_t v)
{
	f->has |= 1u << m;
	f->meta[m] = v;
}

static inline bool frame_has(const struct frame *f, enum meta m)
{
	return f->has >> m & 1;
}

enum mark_kind { MARK_HEAD, MARK_REORG, MARK_GAP, MARK_DOWN, MARK_DROP, MARK_USER, MARK_KINDS };

struct mark {
	uint64_t seq;
	enum mark_kind kind;
	uint64_t number;
	struct hash hash;
	uint64_t wall;
};

/* ---- writing ---- */

struct recwriter;

/*
 * A new file, mode 0600, under a temporary name beside `path` until recwriter_publish: a recording that is there can be opened,
 * whenever its writer was killed. ST_USAGE if there is one already. max_bytes: ST_TOO_BIG beyond; 0: no limit.
 */
enum status recwriter_new(struct recwriter **out, const char *path, uint64_t max_bytes, struct err *e) MUST_CHECK;
/* Commits and gives the file its name; ST_USAGE if that is taken. Until then nothing survives. */
enum status recwriter_publish(struct recwriter *w, struct err *e) MUST_CHECK;
enum status recwriter_meta(struct recwriter *w, const char *key, const char *text, uint64_t number, struct err *e) MUST_CHECK;
enum status recwriter_feed(struct recwriter *w, unsigned id, const char *node, const char *via, const char *show,
			   struct err *e) MUST_CHECK;
/* Begins a segment with the next frame. */
enum status recwriter_segment(struct recwriter *w, uint64_t mono, uint64_t wall, struct err *e) MUST_CHECK;
/* Appends a frame and sets f->seq. f->text is only read. */
enum status recwriter_frame(struct recwriter *w, struct frame *f, struct err *e) MUST_CHECK;
enum status recwriter_mark(struct recwriter *w, const struct mark *m, struct err *e) MUST_CHECK;
/* Makes durable against the end of this process what was written since the last commit, and moves it into the file. */
enum status recwriter_commit(struct recwriter *w, struct err *e) MUST_CHECK;
/* After a failure: forgets what was written since the last commit. The next frame needs a new segment. */
void recwriter_rollback(struct recwriter *w);
uint64_t recwriter_pending(const struct recwriter *w); /* bytes since the last commit */
uint64_t recwriter_segment_bytes(const struct recwriter *w); /* raw bytes in this segment */
uint64_t recwriter_size(const struct recwriter *w); /* bytes on disk, roughly */
/* Commits and leaves one file that needs no other. Frees w in any case. */
enum status recwriter_close(struct recwriter *w, struct err *e) MUST_CHECK;
/* Frees w, and forgets what is not committed. NULL is allowed. */
void recwriter_abandon(struct recwriter *w);

/* ---- reading ---- */

struct recreader;

struct recfeed {
	bool known;
	char node[33], via[8], show[64];
	bool push, local;
};

struct recseg {
	uint64_t id, first_seq, mono, wall, bytes;
};

struct recinfo {
	char version[40]; /* of the program that wrote it */
	uint64_t start_mono, start_wall; /* of the model */
	bool ended; /* stopped in order */
	uint64_t first_seq, last_seq; /* 0: no frames */
	uint64_t last_mono, last_wall; /* of the last frame */
	unsigned n_feeds; /* highest id + 1 */
	struct recfeed feed[REC_FEEDS_MAX];
};

struct reccount {
	uint64_t frames[FRAME_KINDS], marks[MARK_KINDS];
	uint64_t segments, bodies, raw_bytes, stored_bytes, file_bytes, dropped;
};

/*
 * Opens any file of anybody's. ST_IO: cannot be read; ST_MALFORMED: no recording, damaged, or of a later version; the text
 * says which. The data of open_memory must stay until close; they are not changed.
 */
enum status recreader_open(struct recreader **out, const char *path, struct err *e) MUST_CHECK;
enum status recreader_open_memory(struct recreader **out, const void *data, size_t n, struct err *e) MUST_CHECK;
void recreader_close(struct recreader *r);
const struct recinfo *recreader_info(const struct recreader *r);
/* The next frame is the first one with at least this seq. */
void recreader_seek(struct recreader *r, uint64_t seq);
/*
 * *f stays valid until the next call. ST_CLOSED: no more frames (so far). ST_MALFORMED: this one is damaged; the next
 * call goes on behind it.
 */
enum status recreader_next(struct recreader *r, struct frame *f, struct err *e) MUST_CHECK;
/*
 * From now on (NULL: no more) each frame with a body is shown to `skip` first, with "0" in the body's place. True: it comes like
 * that, f->packed, and the body is not read.
 */
void recreader_skip(struct recreader *r, bool (*skip)(void *ctx, const struct frame *f), void *ctx);
/* Before a wait: lets go of the file, so that a recorder that is still at work can shrink its log. */
void recreader_rest(struct recreader *r);
/* Checks the hash of each body that recreader_next unpacks. */
void recreader_strict(struct recreader *r, bool on);
/* Last segment that begins at or before this monotonic time (by_wall: wall time); false: none. */
bool recreader_segment(struct recreader *r, uint64_t time, bool by_wall, struct recseg *s);
/* Bytes of messages in the segments that begin before this monotonic time. */
uint64_t recreader_bytes_before(struct recreader *r, uint64_t mono);
/* i-th mark of a kind, or of this block number (kind MARK_HEAD); false: there is none. */
bool recreader_mark(struct recreader *r, enum mark_kind kind, uint64_t i, struct mark *m);
bool recreader_mark_number(struct recreader *r, uint64_t number, struct mark *m);
/* The head that was heard next after this wall time, or last before it. */
bool recreader_head_near(struct recreader *r, uint64_t wall, bool after, struct mark *m);
/* Marks that are no heads, in order, with the monotonic times of their frames. Returns how many. */
struct recplace {
	enum mark_kind kind;
	uint64_t mono;
};
unsigned recreader_places(struct recreader *r, struct recplace *out, unsigned max);
/* Stamp of a frame. */
bool recreader_stamp(struct recreader *r, uint64_t seq, uint64_t *mono, uint64_t *wall);
enum status recreader_count(struct recreader *r, struct reccount *c, struct err *e) MUST_CHECK;
/* SQLite's own check of the whole file. */
enum status recreader_integrity(struct recreader *r, struct err *e) MUST_CHECK;

#endif
