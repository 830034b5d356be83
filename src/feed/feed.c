#include "feed/feed.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"
#include "feed/feed_p2p.h"
#include "feed/disk.h"
#include "feed/tap.h"
#include "feed/wire_pending.h"
#include "net/backoff.h"
#include "net/loop.h"

enum { RING_SLOTS = 4096 };

struct feed {
	struct feed_opts o;
	struct url url;
	enum url_scheme scheme; /* spoken now: a guessed one changes between http and ws */
	pthread_t thread;
	struct ring up, down;
	struct wake wake; /* commands wait */
	_Atomic bool quit;
	/* Everything below belongs to the thread. */
	struct net_loop *loop;
	struct transport *tp;
	struct drive drive;
	/* enode:// has this in place of tp and drive. */
	struct feed_p2p *p2p;
	struct rec_tap tap;
	struct wire_tap wire_tap;
	struct backoff backoff;
	uint32_t seq;
	uint64_t dropped_said;
	uint32_t txs_lost; /* announcements without room in the ring */
	uint64_t opened, retry_at;
	uint16_t attempt;
	const char *doing;
	struct net_phases phases;
	bool dead; /* the transport said down in a callback: it is closed after the callback */
	struct err dead_why;
	uint64_t dead_retry;
	bool stood; /* the connection came up */
	uint64_t next_traffic;
	uint64_t next_disk; /* UINT64_MAX: not a socket of this machine */
	uint64_t bytes_in, bytes_out; /* of connections that are closed */
	uint64_t told; /* sum of what the last EV_TRAFFIC said */
	enum link_state state;
};

static uint64_t hook_now(void *ctx)
{
	(void)ctx;
	return time_mono();
}

static uint64_t hook_wall(void *ctx)
{
	(void)ctx;
	return time_wall();
}

/* ---- events ---- */

static void push(struct feed *f, struct event *e, bool important)
{
	struct {
		struct event e;
		char rest[RING_SLOT - sizeof(struct event)];
	} slot = { .e = *e };

	slot.e.path = f->o.path;
	slot.e.seq = f->seq++;
	tap_event(&f->tap, e);
	if (ring_push(&f->up, &slot, important))
		wake_raise(f->o.wake);
	else if (e->kind == EV_BLOCK)
		block_unref(e->u.block.block);
}

/*
 * Announcements come in floods and nobody waits for one: they take half of the ring at most, and wake the consumer only when
 * many have come together. It looks into the ring four times a second anyway.
 */
static void push_txs(struct feed *f, struct event *e)
{
	struct {
		struct event e;
		char rest[RING_SLOT - sizeof(struct event)];
	} slot = { .e = *e };
	size_t used = ring_used(&f->up), slots = f->o.slots ? f->o.slots : RING_SLOTS;

	if (used >= slots / 2) {
		f->txs_lost += e->u.txs.n;
		return;
	}
	slot.e.path = f->o.path;
	slot.e.seq = f->seq++;
	slot.e.u.txs.lost = f->txs_lost;
	if (ring_push(&f->up, &slot, false) && used >= slots / 8)
		wake_raise(f->o.wake);
}

/* Nodes quote the key in their error texts; one might in its name. */
static void hook_emit(void *ctx, struct event *e, bool important)
{
	struct feed *f = ctx;

	if (e->kind == EV_REPLY && e->u.reply.text[0])
		net_redact(&f->url, f->o.net, e->u.reply.text);
	if (e->kind == EV_BODY_MISS && e->u.miss.text[0])
		net_redact(&f->url, f->o.net, e->u.miss.text);
	if (e->kind == EV_INFO && e->u.info.text[0])
		net_redact(&f->url, f->o.net, e->u.info.text);
	if (e->kind == EV_TXS)
		push_txs(f, e);
	else
		push(f, e, important);
}

/* Says that events were lost as soon as there is room for it. */
static void say_lost(struct feed *f)
{
	uint64_t n = ring_dropped(&f->up);
	struct event e = { .kind = EV_LOST, .mono = time_mono(), .wall = time_wall(), .u.lost.dropped = n };

	if (n == f->dropped_said)
		return;
	push(f, &e, true);
	if (ring_dropped(&f->up) == n)
		f->dropped_said = n;
}

static uint32_t us(uint64_t ns)
{
	return ns ? (uint32_t)(ns / NS_US) + 1 : 0;
}

static void say_link(struct feed *f, enum link_state s, const struct err *why, const char *text)
{
	struct event e = {
		.kind = EV_LINK,
		.mono = time_mono(),
		.wall = time_wall(),
		.u.link = {
			.state = (uint8_t)s,
			.code = why ? (uint8_t)why->code : ST_OK,
			.attempt = f->attempt,
			.detail = why ? why->detail : 0,
			.retry_mono = s == LINK_WAITING ? f->retry_at : 0,
			.dns_us = us(f->phases.dns),
			.tcp_us = us(f->phases.tcp),
			.tls_us = us(f->phases.tls),
			.ready_us = us(f->phases.ready),
		},
	};

	f->state = s;
	snprintf(e.u.link.via, sizeof(e.u.link.via), "%s", url_via(f->scheme));
	if (why)
		text = why->text;
	utf8_clean(e.u.link.text, sizeof(e.u.link.text), text, strlen(text));
	if (why)
		utf8_clean(e.u.link.cure, sizeof(e.u.link.cure), why->cure, strlen(why->cure));
	push(f, &e, true);
}

static void hook_link(void *ctx, enum link_state s, enum status cause, const char *text)
{
	struct feed *f = ctx;
	struct err e = { .code = cause };

	snprintf(e.text, sizeof(e.text), "%s", text);
	f->attempt = 0;
	say_link(f, s, cause == ST_OK ? NULL : &e, text);
}

static void say_traffic(struct feed *f, uint64_t now)
{
	uint64_t in = 0, out = 0, sum;
	struct event e = { .kind = EV_TRAFFIC, .mono = now, .wall = time_wall() };

	f->next_traffic = now + NS_S;
	if (f->tp)
		f->tp->class->bytes(f->tp, &in, &out);
	e.u.traffic.bytes_in = f->bytes_in + in;
	e.u.traffic.bytes_out = f->bytes_out + out;
	e.u.traffic.calls = f->drive.calls;
	e.u.traffic.notes = f->drive.wire.notes;
	e.u.traffic.odd = f->drive.wire.odd;
	e.u.traffic.bodies = f->drive.bodies;
	if (f->p2p)
		feed_p2p_traffic(f->p2p, &e);
	sum = e.u.traffic.bytes_in + e.u.traffic.bytes_out + e.u.traffic.odd;
	if (sum == f->told)
		return;
	f->told = sum;
	push(f, &e, false);
	if (f->p2p)
		feed_p2p_say_count(f->p2p);
}

/* Where a node keeps its socket it mostly keeps its data. */
static void say_disk(struct feed *f, uint64_t now)
{
	struct event e = { .kind = EV_INFO, .mono = now, .wall = time_wall(), .u.info.info = INFO_DISK };
	struct disk d = { .free = 0 };

	f->next_disk = now + DISK_NS;
	if (!disk_look(f->url.target, &d))
		return;
	e.u.info.a = d.free;
	e.u.info.b = d.total;
	utf8_clean(e.u.info.text, sizeof(e.u.info.text), d.mount, strlen(d.mount));
	push(f, &e, false);
}

/* ---- the transport's calls ---- */

static enum status hook_send(void *ctx, const char *text, size_t n, uint64_t token)
{
	struct feed *f = ctx;
	struct err e = { .code = ST_OK };
	enum status st;

	if (!f->tp || f->dead)
		return ST_CLOSED;
	st = f->tp->class->send(f->tp, text, n, token, &e);
	if (st != ST_OK && st != ST_AGAIN)
		log_msg(LOG_DEBUG, "path %u: not sent: %s", f->o.path, e.text);
	if (st == ST_OK && f->tap.q) {
		const struct wire_call *c = wire_find(&f->drive.wire, token);
		uint64_t now = f->drive.now;

		tap_out(&f->tap, text, n, now, f->drive.wall_now, token, c ? c->sched_ns : now, c ? c->attempt : 0);
	}
	return st;
}

static void hook_tap_in(void *ctx, const char *text, size_t n, const struct net_meta *m)
{
	struct feed *f = ctx;

	tap_in(&f->tap, text, n, m);
}

static void hook_tap_fail(void *ctx, uint64_t id, const struct err *e, uint64_t wait_ns, uint64_t now_ns,
			  uint64_t now_wall)
{
	struct feed *f = ctx;

	tap_fail(&f->tap, id, e, wait_ns, now_ns, now_wall);
}

static void hook_tap_block(void *ctx, uint64_t done_ns, bool verified, uint32_t took_us)
{
	struct feed *f = ctx;

	tap_block(&f->tap, done_ns, verified, took_us);
}

static void hook_tap_ask_chain(void *ctx)
{
	struct feed *f = ctx;

	tap_ask_chain(&f->tap, time_mono(), time_wall());
}

static void path_up(struct feed *f)
{
	tap_open(&f->tap, time_mono(), time_wall());
	drive_up(&f->drive);
}

static void on_up(void *ctx, const struct net_phases *p)
{
	struct feed *f = ctx;

	f->phases = *p;
	f->stood = true;
	if (!f->drive.up)
		path_up(f);
}

static void on_message(void *ctx, const char *text, size_t n, const struct net_meta *m)
{
	struct feed *f = ctx;

	drive_in(&f->drive, text, n, m);
}

static void on_failed(void *ctx, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t body_n)
{
	struct feed *f = ctx;

	drive_failed(&f->drive, token, e, retry_ns, body, body_n);
}

static void on_odd(void *ctx, const struct err *e)
{
	struct feed *f = ctx;

	f->drive.wire.odd++;
	log_msg(LOG_WARN, "path %u: %s", f->o.path, e->text);
}

static void on_down(void *ctx, const struct err *e, uint64_t retry_ns)
{
	struct feed *f = ctx;

	f->dead = true;
	f->dead_why = *e;
	f->dead_retry = retry_ns;
}

/* ---- enode:// ---- */

static void p2p_open(struct feed *f)
{
	struct err e = { .code = ST_OK };

	if (feed_p2p_open(f->p2p, f->loop, &f->url, f->o.net, &e) != ST_OK)
		on_down(f, &e, 0);
	else
		say_link(f, LINK_CONNECTING, NULL, dial_doing(f->p2p->dial));
}

static void p2p_service(struct feed *f)
{
	struct err e = { .code = ST_OK };

	/* A node that was reached counts how often one comes; one that was not does not. */
	if (feed_p2p_service(f->p2p, &f->phases, &f->stood, &e) != ST_OK)
		on_down(f, &e, dial_peer(f->p2p->dial) ? f->p2p->retry_ns : 0);
}

static void p2p_close(struct feed *f, enum p2p_reason reason)
{
	if (!f->p2p)
		return;
	feed_p2p_close(f->p2p, reason);
	say_traffic(f, time_mono());
}

static bool p2p_is_open(const struct feed *f)
{
	return f->p2p && f->p2p->dial;
}

/* ---- connections ---- */

static bool is_open(const struct feed *f)
{
	return f->tp || p2p_is_open(f);
}

/* `localhost:8545` may be either: what does not answer as HTTP is tried as WebSocket, and the other way round. */
static void guess_again(struct feed *f, const struct err *e)
{
	if (f->url.scheme != URL_GUESS || f->drive.ever_answered || e->code == ST_REFUSED || e->code == ST_DNS)
		return;
	f->scheme = f->scheme == URL_HTTP ? URL_WS : URL_HTTP;
}

static void connection_ended(struct feed *f, const struct err *why, uint64_t retry_ns)
{
	uint64_t now = time_mono(), in = 0, out = 0, delay;
	bool answered;

	f->attempt++;
	if (f->drive.up) {
		drive_down(&f->drive, why);
		tap_close(&f->tap, time_mono(), time_wall());
	}
	if (f->tp) {
		f->tp->class->bytes(f->tp, &in, &out);
		f->bytes_in += in;
		f->bytes_out += out;
		f->tp->class->close(f->tp);
		f->tp = NULL;
	}
	if (why->code == ST_DNS && retry_ns < 10 * NS_S)
		retry_ns = 10 * NS_S;
	/* The next try has the same credentials; who asks often without good ones gets banned. */
	if (why->code == ST_AUTH && retry_ns < 5 * NS_S)
		retry_ns = 5 * NS_S;
	answered = f->p2p ? f->stood : f->drive.answered;
	p2p_close(f, P2P_USELESS);
	delay = backoff_delay(&f->backoff, answered ? now - f->opened : 0, retry_ns);
	/* A wrong guess costs no wait. */
	if (f->url.scheme == URL_GUESS && f->attempt == 1 && why->code != ST_REFUSED && why->code != ST_DNS)
		delay = 0;
	f->retry_at = now + delay;
	f->drive.answered = false;
	guess_again(f, why);
	say_link(f, LINK_WAITING, why, "");
	log_msg(LOG_INFO, "path %u %s: %s; next try in %u ms", f->o.path, url_via(f->scheme), why->text,
		(unsigned)(delay / NS_MS));
	f->dead = false;
}

static void connection_open(struct feed *f)
{
	const struct net_handler h = { f, on_up, on_message, on_failed, on_odd, on_down };
	const struct transport_class *class;
	struct url u = f->url;
	struct err e = { .code = ST_OK };

	f->opened = time_mono();
	f->retry_at = 0;
	f->phases = (struct net_phases){ 0 };
	f->stood = false;
	f->doing = NULL;
	if (f->p2p) {
		p2p_open(f);
		return;
	}
	u.scheme = f->scheme;
	class = transport_find(f->scheme);
	f->drive.o.push = (class->caps & TP_PUSH) != 0;
	if (class->open(&f->tp, f->loop, &u, f->o.net, &h, &e) != ST_OK) {
		f->tp = NULL;
		connection_ended(f, &e, 0);
		return;
	}
	say_link(f, LINK_CONNECTING, NULL, f->tp->class->doing(f->tp));
	/* HTTP has no connection of its own: the first request makes it. */
	if (!f->drive.o.push)
		path_up(f);
}

static void show_progress(struct feed *f)
{
	const char *doing;

	if (!is_open(f) || f->stood || f->state != LINK_CONNECTING)
		return;
	doing = p2p_is_open(f) ? dial_doing(f->p2p->dial) : f->tp->class->doing(f->tp);
	if (doing == f->doing)
		return;
	f->doing = doing;
	if (f->tp)
		f->tp->class->phases(f->tp, &f->phases);
	if (doing[0])
		say_link(f, LINK_CONNECTING, NULL, doing);
}

/*
 * First delay short: a node that restarts is back soon. A connection that lived 5 s was a real one. Trying costs a local
 * node nothing, and whoever restarted it looks at the screen.
 */
static void init_backoff(struct feed *f, uint64_t seed)
{
	backoff_init(&f->backoff, 250 * NS_MS, url_is_local(&f->url) ? 5 * NS_S : 30 * NS_S, 5 * NS_S, seed);
}

/* ---- the thread ---- */

static void take_commands(struct feed *f)
{
	const struct cmd *c;

	wake_take(&f->wake);
	while ((c = ring_peek(&f->down)) != NULL) {
		if (c->kind == CMD_RETRY && !is_open(f)) {
			/* Asked twice too soon, a node only says that it is full. */
			if (!f->dead_retry || !f->p2p)
				f->retry_at = time_mono();
			init_backoff(f, f->opened);
		}
		if (c->kind == CMD_RESYNC && !(f->p2p ? f->p2p->wire.live : f->drive.up))
			say_link(f, is_open(f) ? LINK_CONNECTING : LINK_WAITING, is_open(f) ? NULL : &f->dead_why, "");
		if (f->p2p)
			wire_p2p_cmd(&f->p2p->wire, c);
		else
			drive_cmd(&f->drive, c);
		ring_pop(&f->down);
	}
}

static int until(uint64_t now, uint64_t t)
{
	uint64_t ms;

	if (t == UINT64_MAX)
		return -1;
	if (t <= now)
		return 0;
	ms = (t - now + NS_MS - 1) / NS_MS;
	return ms > 60000 ? 60000 : (int)ms;
}

static uint64_t next_time(const struct feed *f)
{
	uint64_t t = UINT64_MAX, d;

	if (!is_open(f))
		return f->retry_at;
	if (f->p2p)
		return feed_p2p_next(f->p2p);
	t = f->tp->class->deadline(f->tp);
	d = drive_next(&f->drive);
	t = d < t ? d : t;
	/* A path that says nothing needs no report; one that talks wakes up anyway. */
	return f->next_disk < t ? f->next_disk : t;
}

static void run(struct feed *f)
{
	struct err e = { .code = ST_OK };
	uint64_t now;

	while (!atomic_load(&f->quit)) {
		now = time_mono();
		if (!is_open(f) && f->retry_at <= now)
			connection_open(f);
		now = time_mono();
		if (net_loop_wait(f->loop, until(now, next_time(f)), &e) != ST_OK) {
			log_msg(LOG_ERROR, "path %u: %s", f->o.path, e.text);
			break;
		}
		take_commands(f);
		if (p2p_is_open(f) && !f->dead) {
			p2p_service(f);
			show_progress(f);
		}
		if (f->tp)
			f->tp->class->service(f->tp, time_mono());
		if (f->tp && !f->dead) {
			drive_tick(&f->drive);
			show_progress(f);
			if (drive_wants_down(&f->drive, &f->dead_why)) {
				f->dead = true;
				f->dead_retry = 0;
			}
		}
		if (f->dead) {
			struct err why = f->dead_why;

			connection_ended(f, &why, f->dead_retry);
		}
		now = time_mono();
		if (now >= f->next_traffic)
			say_traffic(f, now);
		if (is_open(f) && f->stood && now >= f->next_disk)
			say_disk(f, now);
		say_lost(f);
		tap_flush(&f->tap);
	}
	/* What was heard in the last moment is recorded: it is told as well. */
	if (!f->p2p)
		wire_pending_flush(&f->drive.wire, UINT64_MAX);
	if (f->tp)
		f->tp->class->close(f->tp);
	f->tp = NULL;
	p2p_close(f, P2P_QUITTING);
	tap_flush(&f->tap);
}

static void *feed_main(void *arg)
{
	struct feed *f = arg;

	run(f);
	return NULL;
}

/* ---- from other threads ---- */

static void feed_release(struct feed *f)
{
	const struct event *e;

	if (f->up.slots) {
		while ((e = ring_peek(&f->up)) != NULL) {
			if (e->kind == EV_BLOCK)
				block_unref(e->u.block.block);
			ring_pop(&f->up);
		}
	}
	if (f->drive.wire.dec)
		drive_fini(&f->drive);
	feed_p2p_free(f->p2p);
	net_loop_free(f->loop);
	wake_fini(&f->wake);
	ring_fini(&f->up);
	ring_fini(&f->down);
	url_fini(&f->url);
	free(f);
}

static enum status p2p_init(struct feed *f)
{
	const struct p2p_hooks hooks = {
		.ctx = f,
		.emit = hook_emit,
		.link = hook_link,
		.now = hook_now,
		.wall = hook_wall,
	};
	const struct p2p_opts o = { .local = url_is_local(&f->url), .bodies = f->o.bodies, .claims = f->o.claims };
	const uint8_t *key = f->o.key;

	f->o.key = NULL; /* the caller's */
	return feed_p2p_new(&f->p2p, &o, &hooks, key, f->o.p2p_retry_ns, &f->tap);
}

enum status feed_start(struct feed **out, const struct feed_opts *o, struct err *e)
{
	struct feed *f = aligned_alloc(64, (sizeof(*f) + 63) / 64 * 64);
	const struct drive_hooks hooks = {
		.ctx = f,
		.tap = o->rec ? &f->wire_tap : NULL,
		.send = hook_send,
		.emit = hook_emit,
		.link = hook_link,
		.now = hook_now,
		.wall = hook_wall,
	};
	const struct drive_opts d = {
		.local = url_is_local(o->url),
		.others_push = o->others_push,
		.bodies = o->bodies,
		.pending = o->pending,
		.claims = o->claims,
		.body_timeout_ns = o->net->request_timeout_ns,
	};
	sigset_t all, old;
	enum status st;

	*out = NULL;
	if (!f)
		return err_set(e, ST_NOMEM, "no memory for a feed");
	memset(f, 0, sizeof(*f));
	f->o = *o;
	f->wake.rfd = f->wake.wfd = -1;
	f->tap = (struct rec_tap){ .q = o->rec, .feed = o->path };
	f->wire_tap = (struct wire_tap){ f, hook_tap_in, hook_tap_fail, hook_tap_ask_chain, hook_tap_block };
	f->scheme = o->url->scheme == URL_GUESS ? URL_HTTP : o->url->scheme;
	f->next_disk = f->scheme == URL_IPC ? 0 : UINT64_MAX;
	atomic_init(&f->quit, false);
	st = url_copy(&f->url, o->url);
	if (st == ST_OK)
		st = ring_init(&f->up, o->slots ? o->slots : RING_SLOTS);
	if (st == ST_OK)
		st = ring_init(&f->down, 64);
	if (st == ST_OK && (st = wake_init(&f->wake, e)) != ST_OK) {
		err_cure(e, "a higher limit: ulimit -n");
		goto out;
	}
	if (st == ST_OK && !(f->loop = net_loop_new()))
		st = ST_NOMEM;
	if (st == ST_OK)
		st = net_loop_watch(f->loop, wake_fd(&f->wake));
	if (st == ST_OK && f->scheme == URL_ENODE)
		st = p2p_init(f);
	else if (st == ST_OK)
		st = drive_init(&f->drive, &d, &hooks);
	if (st != ST_OK) {
		err_set(e, st, "cannot start a feed: %s", status_word(st));
		goto out;
	}
	init_backoff(f, time_mono() ^ o->path);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&f->thread, NULL, feed_main, f) != 0)
		st = err_set(e, ST_NOMEM, "cannot start a thread");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
out:
	if (st != ST_OK)
		feed_release(f);
	else
		*out = f;
	return st;
}

const struct event *feed_peek(struct feed *f)
{
	return ring_peek(&f->up);
}

void feed_pop(struct feed *f)
{
	ring_pop(&f->up);
}

uint64_t feed_dropped(const struct feed *f)
{
	return ring_dropped(&f->up);
}

bool feed_command(struct feed *f, const struct cmd *c)
{
	bool ok = ring_push(&f->down, c, true);

	wake_raise(&f->wake);
	return ok;
}

void feed_stop(struct feed *f)
{
	atomic_store(&f->quit, true);
	wake_raise(&f->wake);
}

bool feed_join(struct feed *f, uint64_t deadline_mono)
{
	struct timespec ts;
	uint64_t now = time_mono(), wall = time_wall();

	wall += deadline_mono > now ? deadline_mono - now : 0;
	ts.tv_sec = (time_t)(wall / NS_S);
	ts.tv_nsec = (long)(wall % NS_S);
	return pthread_timedjoin_np(f->thread, NULL, &ts) == 0;
}

void feed_free(struct feed *f)
{
	feed_release(f);
}
