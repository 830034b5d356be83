#include "feed/replay.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/ring.h"
#include "base/time.h"
#include "feed/place.h"
#include "feed/replay_p2p.h"
#include "feed/state.h"
#include "feed/wire_pending.h"

enum {
	SLOTS = 512, /* of the ring: at full speed each third one holds a block */
	BATCH = 64, /* events for which the consumer is woken at full speed */
	UNVERIFIED = 64, /* blocks that are verified late */
};

#define TICK_NS (250 * NS_MS)
/* Nothing at all for so long: the machine slept, or the file is damaged. Its ticks are left out. */
#define HOLE_NS (600 * NS_S)
#define JUMP_BYTES (UINT64_C(512) << 20)
#define JUMP_MOST (UINT64_C(16) << 30)
#define JUMP_NS (600 * NS_S)

struct player;

/* A feed of the recording. */
struct voice {
	struct player *p;
	struct wire wire;
	struct replay_p2p *p2p; /* has spoken devp2p in place of JSON-RPC; else NULL */
	uint16_t path;
	uint32_t seq;
	struct block *block; /* of the message that is being played, if it was verified by this feed */
	unsigned asked; /* on_now, for this message */
};

struct late_block {
	struct block *block;
	struct event e; /* of its verdict */
	uint64_t chain_id;
};

/* What belongs to the thread. */
struct player {
	struct replay *r;
	struct voice *voice; /* n_feeds */
	const struct frame *frame; /* that is being played */
	uint64_t clock, offset; /* recorded time; wall − mono */
	uint64_t next_tick;
	uint64_t until; /* no waiting before this recorded time */
	bool warm; /* snapshots count: nothing before them is known */
	/* Pace: recorded time base_mono is real time base_real. */
	uint64_t base_mono, base_real;
	uint32_t pace; /* as of then, thousandths; 0: no waiting */
	bool held;
	struct verifier *verifier;
	struct late_block late[UNVERIFIED];
	unsigned late_n, late_next;
};

struct replay {
	struct replay_opts o;
	struct recreader *file; /* the thread's while it runs */
	struct recreader *look; /* for replay_find and its like */
	pthread_t thread;
	bool running;
	struct ring ring;
	struct wake control; /* the thread waits here */
	_Atomic bool want_room, quit, paused, ended;
	_Atomic uint32_t pace;
	_Atomic uint64_t mono, wall, raw, damaged, lost, forward;
	struct err error; /* before `ended` is set */
	uint64_t from_seq, until, begin_mono, begin_wall;
	uint64_t packed_until; /* bodies before this recorded time need not be read */
	bool warm;
	bool hurry; /* the thread's: as of the last wait_until */
	unsigned unsaid;
};

/* ---- the ring ---- */

static bool wait_control(struct replay *r, int ms)
{
	struct pollfd p = { .fd = wake_fd(&r->control), .events = POLLIN };

	(void)poll(&p, 1, ms);
	wake_take(&r->control);
	return !atomic_load(&r->quit);
}

/* Wakes the consumer for what it has not been woken for. */
static void say_rest(struct replay *r)
{
	if (r->unsaid)
		wake_raise(r->o.wake);
	r->unsaid = 0;
}

/* Waits for room: what is recorded is not lost in a replay. */
static bool push(struct replay *r, const struct event *e)
{
	struct {
		struct event e;
		char rest[RING_SLOT - sizeof(struct event)];
	} slot = { .e = *e };

	while (!ring_push(&r->ring, &slot, true)) {
		/* Either replay_pop sees this, or the next push sees what it popped. */
		(void)atomic_exchange(&r->want_room, true);
		if (ring_push(&r->ring, &slot, true))
			break;
		say_rest(r);
		if (!wait_control(r, -1)) {
			if (e->kind == EV_BLOCK)
				block_unref(e->u.block.block);
			return false;
		}
	}
	/* At full speed the consumer would be woken for each event, and there is nothing to be early for. */
	if (++r->unsaid >= BATCH || !r->hurry || e->kind >= REPLAY_THERE)
		say_rest(r);
	return true;
}

const struct event *replay_peek(struct replay *r)
{
	return ring_peek(&r->ring);
}

void replay_pop(struct replay *r)
{
	ring_pop(&r->ring);
	if (atomic_exchange(&r->want_room, false))
		wake_raise(&r->control);
}

/* ---- late verification ---- */

/* Nobody looks: as fast as it can. */
static bool hurries(const struct player *p)
{
	return (p->pace == 0 && !p->held) || p->clock < p->until;
}

static void late_clear(struct player *p)
{
	for (unsigned i = 0; i < UNVERIFIED; i++) {
		if (p->late[i].block)
			block_unref(p->late[i].block);
		p->late[i].block = NULL;
	}
	p->late_n = p->late_next = 0;
}

/* Takes v->block. */
static void late_add(struct player *p, struct voice *v)
{
	struct late_block *l = &p->late[p->late_next];

	if (l->block)
		block_unref(l->block);
	l->block = v->block;
	v->block = NULL;
	l->chain_id = v->wire.chain_id;
	l->e = (struct event){ .kind = EV_VERDICT, .path = v->path, .mono = p->frame->mono, .wall = p->frame->wall };
	l->e.u.verdict.hash = l->block->h.hash;
	l->e.u.verdict.took_us = (uint32_t)p->frame->meta[META_VERIFY];
	p->late_next = (p->late_next + 1) % UNVERIFIED;
	p->late_n += p->late_n < UNVERIFIED;
}

static void late_verify(struct player *p)
{
	for (unsigned i = p->late_n; i > 0; i--) {
		struct late_block *l = &p->late[(p->late_next + 2 * UNVERIFIED - i) % UNVERIFIED];

		if (verify_block(p->verifier, l->block, l->chain_id, &l->e.u.verdict.v) == ST_OK && !push(p->r, &l->e))
			break;
	}
	late_clear(p);
}

/* ---- time ---- */

static void rebase(struct player *p, uint64_t now)
{
	p->base_mono = p->clock;
	p->base_real = now;
	p->pace = atomic_load(&p->r->pace);
	p->held = atomic_load(&p->r->paused);
}

/* What was skipped is verified before somebody can look at it. */
static void settle(struct player *p)
{
	if (p->late_n && !hurries(p))
		late_verify(p);
}

static bool wait_pace(struct player *p, uint64_t t)
{
	while (!atomic_load(&p->r->quit)) {
		uint64_t now = time_mono(), due, to = atomic_exchange(&p->r->forward, 0);

		p->until = to > p->until ? to : p->until;
		if (t <= p->until) {
			p->base_mono = t;
			p->base_real = now;
			return true;
		}
		if (atomic_load(&p->r->pace) != p->pace || atomic_load(&p->r->paused) != p->held)
			rebase(p, now);
		settle(p);
		if (!p->held && p->pace == 0)
			return true;
		if (p->held) {
			say_rest(p->r);
			recreader_rest(p->r->file);
			wait_control(p->r, -1);
			continue;
		}
		due = p->base_real + (t > p->base_mono ? (t - p->base_mono) * 1000 / p->pace : 0);
		if (due <= now)
			return true;
		say_rest(p->r);
		if (due - now > 100 * NS_MS)
			recreader_rest(p->r->file);
		wait_control(p->r, due - now > 60 * NS_S ? 60000 : (int)((due - now + NS_MS - 1) / NS_MS));
	}
	return false;
}

/* Waits until recorded time t is due. False: the end. */
static bool wait_until(struct player *p, uint64_t t)
{
	bool go = wait_pace(p, t);

	p->r->hurry = hurries(p);
	return go;
}

static bool set_clock(struct player *p, uint64_t t, bool tick)
{
	struct event e = { .kind = REPLAY_TICK, .mono = t, .wall = t + p->offset };

	p->clock = t;
	for (unsigned i = 0; tick && i < recreader_info(p->r->file)->n_feeds; i++)
		wire_pending_flush(&p->voice[i].wire, t);
	atomic_store(&p->r->mono, t);
	atomic_store(&p->r->wall, e.wall);
	return !tick || push(p->r, &e);
}

/* All before the place that was asked for has been played. */
static bool arrive(struct player *p)
{
	struct event e = { .kind = REPLAY_THERE, .mono = p->clock, .wall = p->clock + p->offset };

	late_verify(p);
	rebase(p, time_mono());
	return set_clock(p, p->clock, true) && push(p->r, &e);
}

/* Recorded time goes on to t, with the ticks on the way. */
static bool advance(struct player *p, uint64_t t)
{
	if (t > p->next_tick && t - p->next_tick > HOLE_NS) {
		p->next_tick = (t - 10 * NS_S) / TICK_NS * TICK_NS;
		p->base_mono += p->next_tick - p->clock;
	}
	if (p->clock < p->until && t > p->until)
		return advance(p, p->until) && arrive(p) && advance(p, t);
	for (; p->next_tick <= t; p->next_tick += TICK_NS) {
		if (!wait_until(p, p->next_tick) || !set_clock(p, p->next_tick, true))
			return false;
	}
	if (t <= p->clock)
		return true;
	return wait_until(p, t) && set_clock(p, t, false);
}

/* ---- frames ---- */

static void on_emit(void *ctx, struct event *e, bool important)
{
	struct voice *v = ctx;
	struct player *p = v->p;
	const struct frame *f = p->frame;

	(void)important;
	e->path = v->path;
	e->seq = v->seq++;
	/* The ring's consumer may be done with it before on_verify is asked. */
	if (e->kind == EV_BLOCK && f && frame_has(f, META_VERIFY)) {
		if (v->block)
			block_unref(v->block);
		v->block = block_ref(e->u.block.block);
	}
	(void)push(p->r, e);
}

/* Asked for when a block is decoded, and before and after it is verified: what came out of it then. */
static uint64_t on_now(void *ctx)
{
	struct voice *v = ctx;
	const struct frame *f = v->p->frame;
	uint64_t done = f->mono + f->meta[META_DECODE];

	return ++v->asked < 3 ? done : done + (f->meta[META_VERIFY] & UINT32_MAX) * NS_US;
}

static bool on_verify(void *ctx, const struct hash *h)
{
	struct voice *v = ctx;
	struct player *p = v->p;

	if (!p->frame || !frame_has(p->frame, META_VERIFY))
		return false;
	if (!hurries(p) || p->r->o.verify || !v->block || !hash_eq(&v->block->h.hash, h))
		return true;
	late_add(p, v);
	return false;
}

static uint64_t p2p_now(void *ctx)
{
	const struct voice *v = ctx;

	return v->p->frame->mono;
}

static uint64_t p2p_wall(void *ctx)
{
	const struct voice *v = ctx;

	return v->p->frame->wall;
}

static void play_out(struct voice *v, const struct frame *f)
{
	struct wire *w = &v->wire;
	uint64_t token = f->meta[META_TOKEN], before = w->batches;

	if (v->p2p) {
		replay_p2p_out(v->p2p, f);
		return;
	}
	if (f->meta[META_SCHED] > f->mono || wire_out(w, f->text, f->n, f->mono - f->meta[META_SCHED]) != ST_OK)
		return;
	for (int i = 0; i < WIRE_CALLS; i++) {
		struct wire_call *c = &w->calls[i];

		if (c->id && (c->id == token || (w->batches != before && c->batch == w->batches))) {
			c->token = token;
			c->attempt = (uint16_t)f->meta[META_ATTEMPT];
		}
	}
}

static void play_in(struct voice *v, const struct frame *f)
{
	struct net_meta m = {
		.recv_ns = f->mono,
		.wall_ns = f->wall,
		.token = f->meta[META_TOKEN],
		.wire_bytes = f->meta[META_WIRE],
		.xfer_bytes = f->meta[META_XFER],
		.xfer_ns = f->meta[META_XFER_NS],
		.reads = (uint32_t)f->meta[META_READS],
		.http_status = (int)(f->meta[META_HTTP] & 0xffff),
	};

	atomic_fetch_add(&v->p->r->raw, f->n);
	v->asked = 0;
	if (v->p2p)
		replay_p2p_in(v->p2p, f);
	else if (f->packed)
		wire_in_packed(&v->wire, f->text, f->n, &m);
	else
		wire_in(&v->wire, f->text, f->n, &m);
	if (v->block)
		block_unref(v->block);
	v->block = NULL;
}

static void play_fail(struct voice *v, const struct frame *f, const struct state *s)
{
	struct wire_call *c = v->p2p ? NULL : wire_find(&v->wire, s->id);
	struct err e = { .code = (enum status)s->code, .detail = s->detail };

	memcpy(e.text, s->text, sizeof(s->text) < sizeof(e.text) ? sizeof(s->text) : sizeof(e.text));
	if (v->p2p)
		replay_p2p_timeout(v->p2p, f, s->id);
	if (c)
		wire_fail(&v->wire, c, f->mono, f->wall, &e, s->wait_ns);
}

/* What a feed of which only the snapshot is known has learned before it. */
static void learn(struct wire *w, const struct event *e)
{
	if (e->kind == EV_CHAIN) {
		w->chain_told = w->id_done = w->genesis_done = true;
		w->chain_ok = e->u.chain.ok;
		w->chain_id = e->u.chain.id;
		w->genesis = e->u.chain.genesis;
		w->first_left = 0;
	} else if (e->kind == EV_HEAD) {
		w->last = e->u.head.h;
		w->has_last = true;
	}
}

static void play_state(struct player *p, struct voice *v, const struct frame *f)
{
	struct event *e;
	struct state s;

	if (frame_has(f, META_SNAPSHOT) && !p->warm)
		return;
	if (state_read(&s, f->text, f->n) != ST_OK)
		return;
	e = &s.e;
	e->mono = f->mono;
	e->wall = f->wall;
	switch (s.kind) {
	case STATE_EVENT:
		if (e->kind == EV_CLOCK && !v)
			(void)push(p->r, e);
		if (!v)
			break;
		if (frame_has(f, META_SNAPSHOT))
			v->p2p ? replay_p2p_learn(v->p2p, e) : learn(&v->wire, e);
		on_emit(v, e, true);
		break;
	case STATE_FAIL:
		if (v)
			play_fail(v, f, &s);
		break;
	case STATE_ASK_CHAIN:
		if (v)
			wire_ask_chain(&v->wire);
		break;
	default:
		break;
	}
}

/* A hole: whatever was on its way is not known any more. The segment that follows says how things stand. */
static void play_drop(struct player *p, const struct frame *f)
{
	struct state s;

	for (unsigned i = 0; i < recreader_info(p->r->file)->n_feeds; i++) {
		memset(p->voice[i].wire.calls, 0, sizeof(p->voice[i].wire.calls));
		if (p->voice[i].p2p)
			replay_p2p_close(p->voice[i].p2p);
	}
	p->warm = true;
	if (state_read(&s, f->text, f->n) == ST_OK && s.kind == STATE_DROP)
		atomic_fetch_add(&p->r->lost, s.dropped);
}

static void play(struct player *p, const struct frame *f)
{
	struct voice *v = f->feed < recreader_info(p->r->file)->n_feeds ? &p->voice[f->feed] : NULL;

	p->frame = f;
	if (!(f->kind == FRAME_STATE && frame_has(f, META_SNAPSHOT)) && f->kind != FRAME_DROP)
		p->warm = false;
	switch (f->kind) {
	case FRAME_STATE:
		play_state(p, v, f);
		break;
	case FRAME_OPEN: case FRAME_CLOSE:
		if (v && v->p2p)
			f->kind == FRAME_OPEN ? replay_p2p_open(v->p2p) : replay_p2p_close(v->p2p);
		else if (v)
			wire_connected(&v->wire);
		break;
	case FRAME_OUT:
		if (v)
			play_out(v, f);
		break;
	case FRAME_IN:
		if (v)
			play_in(v, f);
		break;
	case FRAME_DROP:
		play_drop(p, f);
		break;
	case FRAME_KINDS:
		break;
	}
	p->frame = NULL;
}

/* On the way to a place that is far: does this frame do without its body? */
static bool may_pack(void *ctx, const struct frame *f)
{
	struct player *p = ctx;
	struct voice *v = f->feed < recreader_info(p->r->file)->n_feeds ? &p->voice[f->feed] : NULL;

	if (f->mono >= p->r->packed_until) {
		recreader_skip(p->r->file, NULL, NULL);
		return false;
	}
	return v && !v->p2p && f->kind == FRAME_IN && wire_may_pack(&v->wire, f->text, f->n);
}

/* ---- the thread ---- */

static void finish(struct player *p, const struct err *e)
{
	struct replay *r = p->r;
	struct event end = { .kind = REPLAY_END, .mono = p->clock, .wall = p->clock + p->offset };

	late_verify(p);
	for (unsigned i = 0; i < recreader_info(r->file)->n_feeds && p->voice; i++)
		wire_pending_flush(&p->voice[i].wire, UINT64_MAX);
	(void)set_clock(p, p->clock, true);
	if (e)
		r->error = *e;
	atomic_store(&r->ended, true);
	(void)push(r, &end);
}

static void run(struct player *p)
{
	struct replay *r = p->r;
	struct frame f;
	struct err e = { .code = ST_OK };

	if (p->until && p->clock >= p->until && !arrive(p))
		return;
	while (!atomic_load(&r->quit)) {
		enum status st = recreader_next(r->file, &f, &e);
		bool snapshot = f.kind == FRAME_STATE && frame_has(&f, META_SNAPSHOT);

		if (st == ST_MALFORMED || st == ST_TOO_BIG) {
			if (atomic_fetch_add(&r->damaged, 1) == 0)
				log_msg(LOG_WARN, "recording: %s", e.text);
			continue;
		}
		if (st != ST_OK) {
			finish(p, st == ST_CLOSED ? NULL : &e);
			return;
		}
		if (f.mono > INT64_MAX / 2)
			f.mono = p->clock;
		if (f.wall > f.mono && !snapshot)
			p->offset = f.wall - f.mono;
		/* Snapshots have the times of what they say again. */
		if (!snapshot && !advance(p, f.mono))
			return;
		play(p, &f);
	}
}

static void player_fini(struct player *p)
{
	late_clear(p);
	for (unsigned i = 0; p->voice && i < recreader_info(p->r->file)->n_feeds; i++) {
		wire_fini(&p->voice[i].wire);
		replay_p2p_free(p->voice[i].p2p);
	}
	free(p->voice);
	verifier_free(p->verifier);
}

static enum status player_init(struct player *p, struct replay *r)
{
	unsigned n = recreader_info(r->file)->n_feeds;
	enum status st = ST_OK;

	*p = (struct player){ .r = r, .clock = r->begin_mono, .until = r->until, .warm = r->warm };
	p->offset = r->begin_wall - r->begin_mono;
	p->next_tick = r->begin_mono / TICK_NS * TICK_NS + TICK_NS;
	p->verifier = verifier_new();
	p->voice = calloc(n ? n : 1, sizeof(*p->voice));
	if (!p->verifier || !p->voice)
		return ST_NOMEM;
	for (unsigned i = 0; i < n && st == ST_OK; i++) {
		struct wire_hooks h = { .ctx = &p->voice[i], .emit = on_emit, .now = on_now, .verify = on_verify };
		struct p2p_hooks p2p = { .ctx = &p->voice[i], .emit = on_emit, .now = p2p_now, .wall = p2p_wall };

		p->voice[i].p = p;
		p->voice[i].path = (uint16_t)i;
		st = wire_init(&p->voice[i].wire, &h);
		if (st == ST_OK && strcmp(recreader_info(r->file)->feed[i].via, "rlpx") == 0)
			st = replay_p2p_new(&p->voice[i].p2p, &p2p);
	}
	rebase(p, time_mono());
	return st;
}

static void *replay_main(void *arg)
{
	struct replay *r = arg;
	struct player *p = malloc(sizeof(*p));
	struct err e = { .code = ST_NOMEM, .text = "no memory to replay" };

	if (!p) {
		r->error = e;
		atomic_store(&r->ended, true);
		return NULL;
	}
	if (player_init(p, r) == ST_OK) {
		recreader_skip(r->file, r->packed_until && !r->o.verify ? may_pack : NULL, p);
		run(p);
	} else {
		finish(p, &e);
	}
	player_fini(p);
	free(p);
	return NULL;
}

/* ---- from other threads ---- */

enum status replay_open(struct replay **out, const struct replay_opts *o, struct err *e)
{
	struct replay *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
	enum status st;

	*out = NULL;
	if (!r)
		return err_set(e, ST_NOMEM, "no memory for a replay");
	memset(r, 0, sizeof(*r));
	r->o = *o;
	r->o.jump_bytes = o->jump_bytes ? o->jump_bytes : JUMP_BYTES;
	r->o.jump_most = o->jump_most ? o->jump_most : JUMP_MOST;
	r->o.jump_ns = o->jump_ns ? o->jump_ns : JUMP_NS;
	r->control.rfd = r->control.wfd = -1;
	replay_speed(r, o->speed);
	st = o->file ? recreader_open(&r->file, o->file, e) : recreader_open_memory(&r->file, o->data, o->n, e);
	if (st == ST_OK)
		st = o->file ? recreader_open(&r->look, o->file, e) : recreader_open_memory(&r->look, o->data, o->n, e);
	if (st == ST_OK && recreader_info(r->file)->n_feeds == 0)
		st = err_set(e, ST_MALFORMED, "%s: a recording of nothing", o->file ? o->file : "memory");
	if (st == ST_OK)
		st = wake_init(&r->control, e);
	if (st == ST_OK && ring_init(&r->ring, SLOTS) != ST_OK)
		st = err_set(e, ST_NOMEM, "no memory for a replay");
	if (st != ST_OK)
		replay_free(r);
	else
		*out = r;
	return st;
}

const struct recinfo *replay_info(const struct replay *r)
{
	return recreader_info(r->file);
}

enum status replay_find(struct replay *r, const char *words, uint64_t *mono, struct err *e)
{
	return place_find(r->look, words, mono, e);
}

/* Where to begin so that what is shown at `mono` is right. */
static void choose_start(struct replay *r, uint64_t mono)
{
	const struct recinfo *i = recreader_info(r->file);
	struct recseg s;
	uint64_t bytes;

	r->from_seq = 0;
	r->begin_mono = i->start_mono;
	r->begin_wall = i->start_wall;
	r->warm = true;
	r->packed_until = 0;
	if (mono <= i->start_mono + r->o.jump_ns)
		return;
	bytes = recreader_bytes_before(r->file, mono);
	if (bytes <= r->o.jump_bytes)
		return;
	r->packed_until = mono - r->o.jump_ns;
	if (bytes < r->o.jump_most || !recreader_segment(r->file, mono - r->o.jump_ns, false, &s) || s.mono <= i->start_mono)
		return;
	r->from_seq = s.first_seq;
	r->begin_mono = s.mono;
	r->begin_wall = s.wall;
}

enum status replay_start(struct replay *r, uint64_t mono, uint64_t *start_mono, uint64_t *start_wall, struct err *e)
{
	sigset_t all, old;
	enum status st = ST_OK;

	choose_start(r, mono);
	*start_mono = r->begin_mono;
	*start_wall = r->begin_wall;
	r->until = mono;
	r->error = (struct err){ .code = ST_OK };
	atomic_store(&r->quit, false);
	atomic_store(&r->ended, false);
	atomic_store(&r->forward, 0);
	atomic_store(&r->raw, 0);
	atomic_store(&r->damaged, 0);
	atomic_store(&r->lost, 0);
	atomic_store(&r->mono, r->begin_mono);
	atomic_store(&r->wall, r->begin_wall);
	recreader_seek(r->file, r->from_seq);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&r->thread, NULL, replay_main, r) != 0)
		st = err_set(e, ST_NOMEM, "cannot start a thread");
	else
		(void)pthread_setname_np(r->thread, "replay");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	r->running = st == ST_OK;
	return st;
}

void replay_stop(struct replay *r)
{
	const struct event *e;

	if (r->running) {
		atomic_store(&r->quit, true);
		wake_raise(&r->control);
		pthread_join(r->thread, NULL);
	}
	r->running = false;
	while (r->ring.slots && (e = ring_peek(&r->ring)) != NULL) {
		if (e->kind == EV_BLOCK)
			block_unref(e->u.block.block);
		ring_pop(&r->ring);
	}
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	replay_stop(r);
	recreader_close(r->file);
	recreader_close(r->look);
	wake_fini(&r->control);
	ring_fini(&r->ring);
	free(r);
}

void replay_speed(struct replay *r, double speed)
{
	double milli = speed * 1000;

	atomic_store(&r->pace, speed <= 0 ? 0 : milli < 1 ? 1 : milli > 1e8 ? 100000000 : (uint32_t)milli);
	if (r->running)
		wake_raise(&r->control);
}

void replay_pause(struct replay *r, bool on)
{
	atomic_store(&r->paused, on);
	if (r->running)
		wake_raise(&r->control);
}

void replay_forward(struct replay *r, uint64_t mono)
{
	atomic_store(&r->forward, mono);
	if (r->running)
		wake_raise(&r->control);
}

bool replay_head(struct replay *r, uint64_t wall, bool after, uint64_t *mono)
{
	struct mark m;

	return recreader_head_near(r->look, wall, after, &m) && recreader_stamp(r->look, m.seq, mono, &wall);
}

unsigned replay_places(struct replay *r, struct recplace *out, unsigned max)
{
	return recreader_places(r->look, out, max);
}

void replay_stats(const struct replay *r, struct replay_stats *s)
{
	*s = (struct replay_stats){
		.mono = atomic_load(&r->mono),
		.wall = atomic_load(&r->wall),
		.raw_bytes = atomic_load(&r->raw),
		.speed = atomic_load(&r->pace) / 1000.0,
		.paused = atomic_load(&r->paused),
		.ended = atomic_load(&r->ended),
		.damaged = atomic_load(&r->damaged),
		.lost = atomic_load(&r->lost),
	};
}

enum status replay_error(const struct replay *r, struct err *e)
{
	if (!atomic_load(&r->ended))
		return ST_OK;
	*e = r->error;
	return r->error.code;
}
