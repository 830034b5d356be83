#include "feed/recorder.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "feed/recqueue.h"
#include "feed/recring.h"
#include "feed/secrets.h"
#include "feed/snapshot.h"
#include "feed/state.h"

enum {
	QUEUE_BYTES = 64 << 20,
	SEGMENT_BYTES = 64 << 20,
	COMMIT_BYTES = 4 << 20,
	RING_BYTES = 4 << 20, /* packed: ten minutes of a node of mainnet by three paths */
};

#define SEGMENT_NS (600 * NS_S)
#define RING_NS (600 * NS_S)
#define COMMIT_NS (250 * NS_MS) /* and the disk takes its time: no more than a second is lost */
#define RETRY_NS (2 * NS_S)

struct recorder {
	struct recorder_opts o;
	pthread_t thread;
	struct recqueue q;
	_Atomic bool quit;
	_Atomic uint64_t bytes, raw, frames, heads;
	_Atomic int failing, detail;
	_Atomic bool open; /* w is a file */
	_Atomic uint64_t ring_held, ring_bytes;
	_Atomic unsigned begun, refused;
	uint64_t end_mono, end_wall; /* set before quit */
	/* Below: the thread's alone. */
	struct recwriter *w;
	struct recfeed feeds[REC_FEEDS_MAX];
	char version[40];
	struct snapshot *snap;
	struct recring ring; /* while there is no file */
	struct recpack *pack; /* of the ring */
	bool ringing;
	struct secrets *secrets;
	struct buf text;
	uint64_t closed_bytes; /* of files before this one */
	uint64_t seg_mono;
	bool seg_due; /* the next frame begins a segment */
	uint64_t commit_at, retry_at; /* 0: not due */
	uint64_t open_frames; /* since the last commit */
	uint64_t lost; /* not written since the last DROP frame */
	enum status lost_why;
	uint64_t last_seq, in_seq[REC_FEEDS_MAX]; /* in_seq: last IN frame of a feed */
	bool close_failed;
	struct err close_err;
};

/* ---- from other threads ---- */

struct recqueue *recorder_queue(struct recorder *r)
{
	return &r->q;
}

void recorder_event(struct recorder *r, const struct event *e)
{
	struct rec_item *i = state_tells((enum event_kind)e->kind) ? recqueue_item(&r->q, ITEM_EVENT, NULL, 0) : NULL;

	if (!i)
		return;
	i->f.kind = FRAME_STATE;
	i->f.mono = e->mono;
	i->f.wall = e->wall;
	i->u.e = *e;
	recqueue_push(&r->q, i, i);
}

void recorder_mark(struct recorder *r, const struct mark *m)
{
	struct rec_item *i = recqueue_item(&r->q, ITEM_MARK, NULL, 0);

	if (!i)
		return;
	i->u.mark = *m;
	recqueue_push(&r->q, i, i);
}

void recorder_rotate(struct recorder *r, const char *file, uint64_t mono, uint64_t wall)
{
	struct rec_item *i = recqueue_item(&r->q, ITEM_ROTATE, file, strlen(file));

	if (!i)
		return;
	i->f.mono = mono;
	i->f.wall = wall;
	recqueue_push(&r->q, i, i);
}

void recorder_begin(struct recorder *r, const char *file, uint64_t before_ns, uint64_t mono, uint64_t wall)
{
	struct rec_item *i = recqueue_item(&r->q, ITEM_BEGIN, file, strlen(file));

	if (!i)
		return;
	i->f.mono = mono;
	i->f.wall = wall;
	i->u.before_ns = before_ns;
	recqueue_push(&r->q, i, i);
}

void recorder_end(struct recorder *r, uint64_t mono, uint64_t wall)
{
	struct rec_item *i = recqueue_item(&r->q, ITEM_END, NULL, 0);

	if (!i)
		return;
	i->f.mono = mono;
	i->f.wall = wall;
	recqueue_push(&r->q, i, i);
}

void recorder_stats(const struct recorder *r, struct recorder_stats *s)
{
	*s = (struct recorder_stats){
		.since_mono = r->o.mono,
		.bytes = atomic_load(&r->bytes),
		.raw_bytes = atomic_load(&r->raw),
		.frames = atomic_load(&r->frames),
		.heads = atomic_load(&r->heads),
		.dropped = atomic_load(&r->q.dropped),
		.failing = (enum status)atomic_load(&r->failing),
		.detail = atomic_load(&r->detail),
		.open = atomic_load(&r->open),
		.ring_ns = atomic_load(&r->ring_held),
		.ring_bytes = atomic_load(&r->ring_bytes),
		.begun = atomic_load(&r->begun),
		.refused = atomic_load(&r->refused),
	};
}

/* ---- the thread: writing ---- */

static enum status put(struct recorder *r, struct frame *f, struct err *e)
{
	enum status st = recwriter_frame(r->w, f, e);

	if (st != ST_OK)
		return st;
	r->last_seq = f->seq;
	r->open_frames++;
	/* By the frame's own time: it may have waited here while the last commit did. */
	if (!r->commit_at)
		r->commit_at = f->mono + COMMIT_NS;
	if (f->kind == FRAME_IN && f->feed < REC_FEEDS_MAX)
		r->in_seq[f->feed] = f->seq;
	return ST_OK;
}

static enum status put_state(struct recorder *r, struct frame *f, const struct state *s, struct err *e)
{
	buf_clear(&r->text);
	if (state_write(&r->text, s) != ST_OK)
		return err_set(e, ST_INTERNAL, "a state that cannot be written");
	if (f->feed < r->o.n_feeds)
		secrets_blot_cut(r->secrets, f->feed, r->text.p, r->text.len);
	f->text = r->text.p;
	f->n = r->text.len;
	return put(r, f, e);
}

struct put_ctx {
	struct recorder *r;
	struct err *e;
	enum status st;
};

static void put_snapshot(void *ctx, const struct event *event, uint16_t feed)
{
	struct put_ctx *c = ctx;
	struct state s = { .kind = STATE_EVENT, .e = *event };
	struct frame f = { .feed = feed, .kind = FRAME_STATE, .mono = event->mono, .wall = event->wall };

	frame_set(&f, META_SNAPSHOT, 1);
	if (c->st == ST_OK)
		c->st = put_state(c->r, &f, &s, c->e);
}

/* A segment stands by itself: it begins with all that earlier frames said and later ones build on. */
static enum status begin_segment(struct recorder *r, uint64_t mono, uint64_t wall, struct err *e)
{
	struct put_ctx c = { .r = r, .e = e };

	c.st = recwriter_segment(r->w, mono, wall, e);
	for (unsigned i = 0; i < r->o.n_feeds && c.st == ST_OK; i++) {
		struct state s = { .kind = STATE_FEED, .push = r->feeds[i].push, .local = r->feeds[i].local };
		struct frame f = { .feed = (uint16_t)i, .kind = FRAME_STATE, .mono = mono, .wall = wall };

		frame_set(&f, META_SNAPSHOT, 1);
		c.st = put_state(r, &f, &s, e);
	}
	if (c.st == ST_OK)
		snapshot_each(r->snap, put_snapshot, &c);
	r->seg_mono = mono;
	r->seg_due = c.st != ST_OK;
	return c.st;
}

static enum status put_drop(struct recorder *r, uint64_t mono, uint64_t wall, struct err *e)
{
	struct state s = { .kind = STATE_DROP, .dropped = r->lost };
	struct frame f = { .feed = REC_NO_FEED, .kind = FRAME_DROP, .mono = mono, .wall = wall };
	struct mark m = { .kind = MARK_DROP, .number = r->lost, .wall = wall };
	enum status st;

	snprintf(s.text, sizeof(s.text), "%s", r->lost_why == ST_OK ? "queue full" : "disk");
	st = put_state(r, &f, &s, e);
	m.seq = r->last_seq;
	return st == ST_OK ? recwriter_mark(r->w, &m, e) : st;
}

static void show_size(struct recorder *r)
{
	if (r->w)
		atomic_store(&r->bytes, r->closed_bytes + recwriter_size(r->w));
}

static void failed(struct recorder *r, const struct err *e)
{
	if (r->w)
		recwriter_rollback(r->w);
	r->lost += r->open_frames;
	atomic_fetch_add(&r->q.dropped, r->open_frames);
	r->lost_why = e->code;
	r->open_frames = 0;
	r->commit_at = 0;
	r->seg_due = true;
	r->retry_at = time_mono() + RETRY_NS;
	if (atomic_exchange(&r->failing, (int)e->code) == ST_OK)
		log_msg(LOG_ERROR, "recording stands still: %s", e->text);
	atomic_store(&r->detail, e->detail);
}

static void commit(struct recorder *r)
{
	struct err e;

	r->commit_at = 0;
	if (recwriter_commit(r->w, &e) != ST_OK) {
		failed(r, &e);
		return;
	}
	atomic_fetch_add(&r->frames, r->open_frames);
	r->open_frames = 0;
	show_size(r);
}

/* Tries whether the disk takes something again; what is missing is told first. */
static void try_again(struct recorder *r)
{
	struct err e;
	uint64_t mono = time_mono(), wall = time_wall();
	enum status st = ST_OK;

	r->retry_at = 0;
	if (!r->w)
		return;
	if (r->lost)
		st = put_drop(r, mono, wall, &e);
	if (st == ST_OK)
		st = begin_segment(r, mono, wall, &e);
	if (st == ST_OK)
		st = recwriter_commit(r->w, &e);
	if (st != ST_OK) {
		r->open_frames = 0; /* not those that somebody misses */
		failed(r, &e);
		return;
	}
	log_msg(LOG_WARN, "recording goes on; %llu frames are missing", (unsigned long long)r->lost);
	atomic_store(&r->failing, ST_OK);
	r->lost = 0;
	r->open_frames = 0;
}

/* ---- the thread: items ---- */

static enum status mark_event(struct recorder *r, const struct rec_item *i, bool fresh_head, struct err *e)
{
	const struct event *ev = &i->u.e;
	struct mark m = { .seq = r->last_seq, .wall = i->f.wall };

	if (ev->kind == EV_HEAD && fresh_head) {
		m.kind = MARK_HEAD;
		m.number = ev->u.head.h.number;
		m.hash = ev->u.head.h.hash;
		if (i->f.feed < REC_FEEDS_MAX && r->in_seq[i->f.feed])
			m.seq = r->in_seq[i->f.feed];
	} else if (ev->kind == EV_GAP) {
		m.kind = MARK_GAP;
		m.number = ev->u.gap.from;
	} else if (ev->kind == EV_LINK && ev->u.link.state == LINK_WAITING && ev->u.link.attempt <= 1) {
		m.kind = MARK_DOWN;
		m.number = i->f.feed;
	} else {
		return ST_OK;
	}
	return recwriter_mark(r->w, &m, e);
}

static enum status write_item(struct recorder *r, struct rec_item *i, struct err *e)
{
	enum status st = ST_OK;
	bool fresh = false;

	if (i->kind == ITEM_MARK) {
		i->u.mark.seq = r->last_seq;
		return recwriter_mark(r->w, &i->u.mark, e);
	}
	if (i->kind != ITEM_KEEP &&
	    (r->seg_due || recwriter_segment_bytes(r->w) >= r->o.segment_bytes ||
	     (i->f.mono > r->seg_mono && i->f.mono - r->seg_mono >= r->o.segment_ns)))
		st = begin_segment(r, i->f.mono, i->f.wall, e);
	if (i->kind == ITEM_FRAME && st == ST_OK) {
		if (i->f.kind == FRAME_IN)
			secrets_blot(r->secrets, i->f.feed, i->data, i->f.n);
		else if (i->f.kind == FRAME_STATE)
			secrets_blot_cut(r->secrets, i->f.feed, i->data, i->f.n);
		st = put(r, &i->f, e);
		if (st == ST_OK)
			atomic_fetch_add(&r->raw, i->f.n);
	} else if (i->kind == ITEM_EVENT && st == ST_OK) {
		struct state s = { .kind = STATE_EVENT, .e = i->u.e };

		st = put_state(r, &i->f, &s, e);
	}
	if (i->kind == ITEM_KEEP || i->kind == ITEM_EVENT) {
		fresh = snapshot_add(r->snap, &i->u.e, i->f.feed);
		if (fresh)
			atomic_fetch_add(&r->heads, 1);
		if (st == ST_OK && r->last_seq)
			st = mark_event(r, i, fresh, e);
	}
	return st;
}

static enum status open_file(struct recorder *r, const char *file, uint64_t mono, uint64_t wall, struct err *e)
{
	enum status st = recwriter_new(&r->w, file, r->o.max_bytes, e);

	if (st == ST_OK)
		st = recwriter_meta(r->w, "version", r->version, 0, e);
	if (st == ST_OK)
		st = recwriter_meta(r->w, "start_mono", NULL, mono, e);
	if (st == ST_OK)
		st = recwriter_meta(r->w, "start_wall", NULL, wall, e);
	for (unsigned i = 0; i < r->o.n_feeds && st == ST_OK; i++)
		st = recwriter_feed(r->w, i, r->feeds[i].node, r->feeds[i].via, r->feeds[i].show, e);
	r->seg_due = true;
	r->last_seq = 0;
	memset(r->in_seq, 0, sizeof(r->in_seq));
	if (st == ST_OK)
		st = begin_segment(r, mono, wall, e);
	if (st == ST_OK)
		st = recwriter_publish(r->w, e);
	r->open_frames = 0;
	if (st != ST_OK) {
		recwriter_abandon(r->w);
		r->w = NULL;
		r->commit_at = 0; /* of the frames that it began with */
	}
	atomic_store(&r->open, r->w != NULL);
	return st;
}

static enum status close_file(struct recorder *r, uint64_t mono, uint64_t wall, struct err *e)
{
	struct frame f = { .feed = REC_NO_FEED, .kind = FRAME_STATE, .mono = mono, .wall = wall };
	struct state s = { .kind = STATE_END };
	enum status st = ST_OK, st_close;
	struct err e_close;

	if (!r->w)
		return ST_OK;
	if (r->lost)
		st = put_drop(r, mono, wall, e);
	if (st == ST_OK)
		st = put_state(r, &f, &s, e);
	if (st == ST_OK)
		st = recwriter_meta(r->w, "end_mono", NULL, mono, e);
	if (st == ST_OK)
		st = recwriter_meta(r->w, "end_wall", NULL, wall, e);
	if (st != ST_OK)
		recwriter_rollback(r->w);
	show_size(r);
	r->closed_bytes += recwriter_size(r->w);
	st_close = recwriter_close(r->w, &e_close);
	r->w = NULL;
	atomic_store(&r->open, false);
	if (st == ST_OK && st_close != ST_OK)
		*e = e_close;
	else if (st == ST_OK)
		atomic_fetch_add(&r->frames, r->open_frames);
	r->open_frames = 0;
	r->commit_at = 0;
	return st != ST_OK ? st : st_close;
}

static void rotate(struct recorder *r, const struct rec_item *i)
{
	struct err e;

	if (close_file(r, i->f.mono, i->f.wall, &e) != ST_OK)
		log_msg(LOG_ERROR, "recording: %s", e.text);
	r->lost = 0;
	atomic_store(&r->failing, ST_OK);
	if (open_file(r, i->data, i->f.mono, i->f.wall, &e) != ST_OK)
		failed(r, &e);
}

/* ---- the thread: the ring ---- */

/* What is written from now on is in a file of its own: counts begin again. */
static void forget_counts(struct recorder *r)
{
	atomic_store(&r->raw, 0);
	atomic_store(&r->frames, 0);
	atomic_store(&r->heads, 0);
	r->closed_bytes = 0;
	r->lost = 0;
	atomic_store(&r->failing, ST_OK);
}

/* Where the ring begins, or the model if nothing has left it yet. */
static void ring_start(const struct recorder *r, const struct rec_item *begin, uint64_t *mono, uint64_t *wall)
{
	if (!r->ring.left) {
		*mono = r->o.mono;
		*wall = r->o.wall;
	} else if (!recring_begin(&r->ring, mono, wall)) {
		*mono = begin->f.mono;
		*wall = begin->f.wall;
	}
}

static void begin(struct recorder *r, const struct rec_item *i)
{
	struct rec_item *kept;
	uint64_t mono, wall;
	struct err e;

	if (r->w || !r->ringing)
		return;
	if (i->u.before_ns && i->f.mono > i->u.before_ns)
		recring_drop(&r->ring, i->f.mono - i->u.before_ns);
	ring_start(r, i, &mono, &wall);
	forget_counts(r);
	if (open_file(r, i->data, mono, wall, &e) != ST_OK) {
		atomic_fetch_add(&r->refused, 1);
		atomic_store(&r->failing, (int)e.code);
		atomic_store(&r->detail, e.detail);
		log_msg(LOG_ERROR, "recording: %s", e.text);
		return;
	}
	atomic_fetch_add(&r->begun, 1);
	r->ringing = false;
	while ((kept = recring_take(&r->ring)) != NULL) {
		if (atomic_load(&r->failing) == ST_OK && write_item(r, kept, &e) != ST_OK) {
			r->open_frames++;
			failed(r, &e);
		}
		if (atomic_load(&r->failing) == ST_OK && recwriter_pending(r->w) >= COMMIT_BYTES)
			commit(r);
		free(kept);
	}
	r->lost += r->ring.lost;
	r->ring.lost = 0;
	r->commit_at = time_mono();
}

static void end(struct recorder *r, const struct rec_item *i)
{
	struct err e;

	if (!r->w || r->ringing)
		return;
	if (close_file(r, i->f.mono, i->f.wall, &e) != ST_OK)
		log_msg(LOG_ERROR, "recording: %s", e.text);
	forget_counts(r);
	r->ring.left = r->ringing = true;
	r->retry_at = 0;
}

static void show_ring(struct recorder *r)
{
	uint64_t mono = 0, wall = 0, newest = r->ring.newest ? r->ring.newest->f.mono : 0;

	(void)recring_begin(&r->ring, &mono, &wall);
	atomic_store(&r->ring_held, newest > mono && mono ? newest - mono : 0);
	atomic_store(&r->ring_bytes, r->ring.bytes);
}

/* A hole in it would not be seen later: what is behind the hole begins anew. */
static void ring_missed(struct recorder *r, uint64_t n)
{
	log_msg(LOG_WARN, "rewind: the queue was full, %llu frames are missing", (unsigned long long)n);
	recring_drop(&r->ring, UINT64_MAX);
}

/* True: it is kept. */
static bool handle(struct recorder *r, struct rec_item *i)
{
	struct err e;

	if (i->kind == ITEM_ROTATE) {
		rotate(r, i);
		return false;
	}
	if (i->kind == ITEM_BEGIN || i->kind == ITEM_END) {
		i->kind == ITEM_BEGIN ? begin(r, i) : end(r, i);
		return false;
	}
	if (r->ringing) {
		recqueue_leave(&r->q, i);
		recring_keep(&r->ring, i);
		return true;
	}
	if (!r->w || atomic_load(&r->failing) != ST_OK) {
		if (i->kind == ITEM_KEEP || i->kind == ITEM_EVENT)
			(void)snapshot_add(r->snap, &i->u.e, i->f.feed);
		if (i->kind != ITEM_KEEP && i->kind != ITEM_MARK) {
			r->lost++;
			atomic_fetch_add(&r->q.dropped, 1);
		}
		return false;
	}
	if (write_item(r, i, &e) != ST_OK) {
		r->open_frames++; /* this one */
		failed(r, &e);
	}
	return false;
}

static void tell_missed(struct recorder *r)
{
	uint64_t n = atomic_exchange(&r->q.missed, 0);
	struct err e;

	if (!n)
		return;
	if (r->ringing) {
		ring_missed(r, n);
		return;
	}
	r->lost += n;
	if (atomic_load(&r->failing) != ST_OK || !r->w)
		return;
	r->lost_why = ST_OK;
	log_msg(LOG_WARN, "recording: the queue was full, %llu frames are missing", (unsigned long long)n);
	if (put_drop(r, time_mono(), time_wall(), &e) != ST_OK) {
		failed(r, &e);
		return;
	}
	r->lost = 0;
	r->seg_due = true;
}

static int wait_ms(const struct recorder *r, uint64_t now)
{
	uint64_t t = UINT64_MAX;

	if (r->commit_at)
		t = r->commit_at;
	if (r->retry_at && r->retry_at < t)
		t = r->retry_at;
	if (t == UINT64_MAX)
		return -1;
	return t <= now ? 0 : (int)((t - now + NS_MS - 1) / NS_MS);
}

static void *recorder_main(void *arg)
{
	struct recorder *r = arg;
	struct pollfd p = { .fd = wake_fd(&r->q.wake), .events = POLLIN };
	struct rec_item *i, *next;
	bool quit;

	do {
		(void)poll(&p, 1, wait_ms(r, time_mono()));
		wake_take(&r->q.wake);
		quit = atomic_load(&r->quit);
		for (i = recqueue_take(&r->q); i; i = next) {
			next = i->next;
			if (!handle(r, i))
				recqueue_free(&r->q, i);
			if (r->w && (recwriter_pending(r->w) >= COMMIT_BYTES || (r->commit_at && r->commit_at <= time_mono())))
				commit(r);
		}
		tell_missed(r);
		show_ring(r);
		if (r->retry_at && r->retry_at <= time_mono())
			try_again(r);
		if (r->commit_at && r->commit_at <= time_mono())
			commit(r);
	} while (!quit);
	r->close_failed = close_file(r, r->end_mono, r->end_wall, &r->close_err) != ST_OK;
	return NULL;
}

/* ---- life ---- */

static void release(struct recorder *r)
{
	recwriter_abandon(r->w);
	recring_fini(&r->ring);
	recpack_free(r->pack);
	snapshot_free(r->snap);
	secrets_free(r->secrets);
	buf_fini(&r->text);
	recqueue_fini(&r->q);
	free(r);
}

static void copy_feeds(struct recorder *r, const struct recorder_opts *o)
{
	for (unsigned i = 0; i < o->n_feeds; i++) {
		struct recfeed *f = &r->feeds[i];

		*f = (struct recfeed){ .known = true, .push = o->feeds[i].push, .local = o->feeds[i].local };
		snprintf(f->node, sizeof(f->node), "%s", o->feeds[i].node);
		snprintf(f->via, sizeof(f->via), "%s", o->feeds[i].via);
		snprintf(f->show, sizeof(f->show), "%s", o->feeds[i].show);
		secrets_url(r->secrets, i, o->feeds[i].url);
		for (unsigned k = 0; k < o->n_secrets; k++)
			secrets_add(r->secrets, i, o->secrets[k]);
	}
	snprintf(r->version, sizeof(r->version), "%s", o->version ? o->version : "");
}

enum status recorder_start(struct recorder **out, const struct recorder_opts *o, struct err *e)
{
	struct recorder *r = calloc(1, sizeof(*r));
	sigset_t all, old;
	enum status st;

	*out = NULL;
	if (!r)
		return err_set(e, ST_NOMEM, "no memory for a recorder");
	r->o = *o;
	r->o.n_feeds = o->n_feeds > REC_FEEDS_MAX ? REC_FEEDS_MAX : o->n_feeds;
	r->o.queue_bytes = o->queue_bytes ? o->queue_bytes : QUEUE_BYTES;
	r->o.segment_bytes = o->segment_bytes ? o->segment_bytes : SEGMENT_BYTES;
	r->o.segment_ns = o->segment_ns ? o->segment_ns : SEGMENT_NS;
	r->q.wake.rfd = r->q.wake.wfd = -1;
	buf_init(&r->text, 64 << 10);
	r->snap = snapshot_new();
	r->secrets = secrets_new();
	r->pack = o->file ? NULL : recpack_new();
	st = r->snap && r->secrets && (r->pack || o->file) ? recqueue_init(&r->q, r->o.queue_bytes, e) :
		err_set(e, ST_NOMEM, "no memory for a recorder");
	if (st != ST_OK)
		goto out;
	copy_feeds(r, o);
	r->ring = (struct recring){
		.limit = o->ring_bytes ? o->ring_bytes : RING_BYTES,
		.span_ns = o->ring_ns ? o->ring_ns : RING_NS,
		.snap = r->snap,
		.pack = r->pack,
	};
	r->ringing = !o->file;
	st = o->file ? open_file(r, o->file, o->mono, o->wall, e) : ST_OK;
	r->o.feeds = NULL;
	r->o.secrets = NULL;
	r->o.file = r->o.version = NULL;
	if (st != ST_OK)
		goto out;
	show_size(r);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&r->thread, NULL, recorder_main, r) != 0)
		st = err_set(e, ST_NOMEM, "cannot start a thread");
	else
		(void)pthread_setname_np(r->thread, "recorder");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
out:
	if (st != ST_OK)
		release(r);
	else
		*out = r;
	return st;
}

enum status recorder_stop(struct recorder *r, uint64_t mono, uint64_t wall, bool leak, struct err *e)
{
	enum status st = ST_OK;

	r->end_mono = mono;
	r->end_wall = wall;
	atomic_store(&r->quit, true);
	wake_raise(&r->q.wake);
	pthread_join(r->thread, NULL);
	if (r->close_failed) {
		*e = r->close_err;
		st = e->code;
	}
	if (!leak)
		release(r);
	return st;
}
