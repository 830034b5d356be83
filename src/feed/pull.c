#include "feed/pull.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "feed/pull_priv.h"
#include "net/loop.h"

enum {
	TEXT_LIMIT = 1 << 30,
	RAW_LIMIT = 256 << 20, /* no transport delivers more */
};

/* ---- the end ---- */

void pull_clean(const struct pull *p, const struct err *why, struct err *out)
{
	*out = *why;
	net_redact(&p->url, p->o.net, out->text);
}

void pull_end(struct pull *p, const struct err *e)
{
	pthread_mutex_lock(&p->lock);
	if (!p->ended) {
		p->ended = true;
		p->end_ns = time_mono();
		if (e) {
			p->err = *e;
			/* Nodes quote the key in their error texts. */
			net_redact(&p->url, p->o.net, p->err.text);
		}
		atomic_store(&p->over, true);
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->n_workers; i++)
		wake_raise(&p->workers[i].wake);
}

void pull_stop(struct pull *p)
{
	pull_end(p, &(struct err){ .code = ST_AGAIN, .text = "stopped" });
}

/* ---- in order ---- */

static void sum(_Atomic uint64_t *to, uint64_t n)
{
	/* One thread at a time adds; the others only look. */
	atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

static enum status write_out(struct pull_worker *w, struct pull_slot *s, struct err *e)
{
	struct pull *p = w->p;
	const struct pull_hooks *h = &p->o.hooks;
	enum status st = ST_OK;
	uint64_t t0;

	if (!h->write || s->text.len == 0)
		return ST_OK;
	t0 = time_mono();
	st = h->write(h->ctx, s->text.p, s->text.len, e);
	w->write_ns += time_mono() - t0;
	sum(&p->text_bytes, s->text.len);
	return st;
}

static void count(struct pull *p, const struct pull_slot *s)
{
	sum(&p->blocks, 1);
	sum(&p->txs, s->txs);
	sum(&p->gas, s->gas);
	sum(&p->json_bytes, s->json_bytes);
	p->elsewhere += s->elsewhere;
	if (s->truth == TRUTH_YES)
		p->verified++;
	if (s->truth == TRUTH_UNKNOWN && p->doubtful++ == 0)
		snprintf(p->doubt, sizeof(p->doubt), "block %" PRIu64 ": %s", s->number, s->doubt);
}

/* The oldest block of the window, in the hands of one thread alone. */
static bool finish_slot(void *ctx, struct pull_slot *s)
{
	struct pull_worker *w = ctx;
	struct pull *p = w->p;
	struct err e = s->err, why;
	enum status st;

	if (atomic_load(&p->over))
		return false;
	if (atomic_load(&s->state) == SLOT_FAILED) {
		pull_clean(p, &s->err, &why);
		err_set_detail(&e, why.code, why.detail, "block %" PRIu64 ": %.140s (%u %s)", s->number, why.text, s->tries,
			s->tries == 1 ? "try" : "tries");
		pull_end(p, &e);
		return false;
	}
	if ((p->o.verify || pull_is_p2p(p)) && p->has_last && s->linked && !hash_eq(&s->parent, &p->last)) {
		err_set(&e, ST_WRONG_BLOCK, "block %" PRIu64 " does not follow block %" PRIu64, s->number, s->number - 1);
		err_cure(&e, "the chain was reorganised meanwhile, or several nodes answer: again");
		pull_end(p, &e);
		return false;
	}
	p->has_last = s->linked;
	p->last = s->hash;
	st = write_out(w, s, &e);
	if (st != ST_OK) {
		pull_end(p, &e);
		return false;
	}
	count(p, s);
	return true;
}

void pull_put(struct pull_worker *w, struct pull_slot *s, enum slot_state state)
{
	struct pull *p = w->p;

	if (!window_put(&p->window, s, state, finish_slot, w))
		return;
	if (window_ended(&p->window)) {
		pull_end(p, NULL);
		return;
	}
	for (unsigned i = 0; i < p->n_workers; i++) {
		struct pull_worker *k = &p->workers[i];

		if (atomic_load(&k->hungry) && atomic_exchange(&k->hungry, false) && k != w)
			wake_raise(&k->wake);
	}
}

/* ---- threads ---- */

static void decode_run(struct pull_worker *w)
{
	struct pull *p = w->p;
	struct pollfd fd = { .fd = wake_fd(&w->wake), .events = POLLIN };

	while (!atomic_load(&p->over)) {
		struct pull_slot *s = atomic_load(&w->task);
		enum status st;

		if (!s) {
			poll(&fd, 1, -1);
			wake_take(&w->wake);
			continue;
		}
		st = pull_decode(w, s, w->raw.p, w->raw.len);
		atomic_store(&w->task, NULL);
		if (st == ST_OK) {
			pull_put(w, s, SLOT_DONE);
			continue;
		}
		/* Who asked for it asks again. */
		atomic_store(&s->state, SLOT_RETURNED);
		atomic_store(&p->workers[0].returned, true);
		wake_raise(&p->workers[0].wake);
	}
}

static void *worker_main(void *arg)
{
	struct pull_worker *w = arg;

	if (!w->begin_ns && w->index)
		w->begin_ns = time_mono();
	if (w->reads)
		pull_io_run(w);
	else
		decode_run(w);
	w->cpu_ns = time_thread_cpu() - w->cpu_before;
	w->end_ns = time_mono();
	return NULL;
}

static enum status worker_init(struct pull *p, unsigned index, bool reads, struct err *e)
{
	struct pull_worker *w = &p->workers[index];

	w->reads = reads;
	w->dec = blockdec_new();
	/* Over RLPx it recovers senders, too. */
	w->verifier = p->o.verify || pull_is_p2p(p) ? verifier_new() : NULL;
	w->latency = calloc(1, sizeof(*w->latency));
	buf_init(&w->raw, RAW_LIMIT);
	if (!w->dec || !w->latency || ((p->o.verify || pull_is_p2p(p)) && !w->verifier))
		return err_set(e, ST_NOMEM, "no memory for a thread of the fetch");
	return reads ? pull_io_init(w, e) : ST_OK;
}

static void worker_fini(struct pull_worker *w)
{
	if (w->loop)
		pull_io_fini(w);
	blockdec_free(w->dec);
	verifier_free(w->verifier);
	free(w->latency);
	buf_fini(&w->raw);
	wake_fini(&w->wake);
}

/* Under the lock, so that pull_finish sees all threads that there are. */
static enum status worker_start(struct pull_worker *w, struct err *e)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, NULL, worker_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return err_set(e, ST_NOMEM, "cannot start a thread");
	w->started = true;
	return ST_OK;
}

/* ---- the head is known ---- */

static enum status set_range(struct pull *p, struct err *e)
{
	struct pull_opts *o = &p->o;

	if (o->last) {
		o->to = p->head;
		o->from = o->last > p->head ? 0 : p->head - o->last + 1;
	}
	if (o->from <= o->to && o->to > p->head) {
		err_set(e, ST_USAGE, "block %" PRIu64 " is not there yet: the head is %" PRIu64, o->to, p->head);
		return e->code;
	}
	window_range(&p->window, o->from, o->to);
	return ST_OK;
}

/* HTTP: all threads read, each has its part of the requests. Else the first one reads and the others help it. */
static enum status start_others(struct pull *p, struct err *e)
{
	enum status st = ST_OK;

	pull_io_lanes(&p->workers[0], p->push ? p->o.workers : (p->o.workers + p->n_workers - 1) / p->n_workers, p->push);
	pthread_mutex_lock(&p->lock);
	for (unsigned i = 1; i < p->n_workers && st == ST_OK && !p->ended; i++) {
		st = worker_init(p, i, !p->push, e);
		if (st == ST_OK && !p->push)
			pull_io_lanes(&p->workers[i], (p->o.workers + p->n_workers - 1 - i) / p->n_workers, false);
		if (st == ST_OK)
			st = worker_start(&p->workers[i], e);
	}
	pthread_mutex_unlock(&p->lock);
	return st;
}

void pull_go(struct pull *p, uint64_t head)
{
	struct pull_worker *w = &p->workers[0];
	struct err e = { .code = ST_OK };

	p->head = head;
	p->push = p->scheme != URL_HTTP && p->scheme != URL_HTTPS;
	if (set_range(p, &e) != ST_OK) {
		pull_end(p, &e);
		return;
	}
	w->cpu_before = time_thread_cpu();
	w->begin_ns = time_mono();
	atomic_store(&p->ready_ns, w->begin_ns);
	if (window_ended(&p->window))
		pull_end(p, NULL);
	else if (start_others(p, &e) != ST_OK)
		pull_end(p, &e);
}

/* ---- from outside ---- */

static unsigned cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > PULL_WORKERS_MAX ? PULL_WORKERS_MAX : (unsigned)n;
}

static void release(struct pull *p)
{
	for (unsigned i = 0; p->workers && i < p->n_workers; i++)
		worker_fini(&p->workers[i]);
	free(p->workers);
	window_fini(&p->window);
	url_fini(&p->url);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	free(p);
}

static void init_lock(struct pull *p)
{
	pthread_condattr_t a;

	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &a);
	pthread_condattr_destroy(&a);
}

static enum status make_workers(struct pull *p, struct err *e)
{
	unsigned n = p->o.threads ? p->o.threads : cores();

	/* A request over RLPx is for many blocks: enough for all. */
	if (!pull_is_p2p(p) && n > p->o.workers)
		n = p->o.workers;
	p->workers = calloc(n, sizeof(*p->workers));
	if (!p->workers)
		return err_set(e, ST_NOMEM, "no memory to fetch");
	p->n_workers = n;
	for (unsigned i = 0; i < n; i++)
		p->workers[i].wake.rfd = p->workers[i].wake.wfd = -1;
	for (unsigned i = 0; i < n; i++) {
		struct pull_worker *w = &p->workers[i];
		enum status st = wake_init(&w->wake, e);

		w->p = p;
		w->index = i;
		if (st != ST_OK)
			return st;
	}
	return ST_OK;
}

enum status pull_start(struct pull **out, const struct pull_opts *o, struct err *e)
{
	struct pull *p;
	enum status st;

	*out = NULL;
	if (o->workers < 1 || o->workers > PULL_WORKERS_MAX)
		return err_set(e, ST_USAGE, "%u workers: 1 to %d are possible", o->workers, PULL_WORKERS_MAX);
	p = aligned_alloc(64, (sizeof(*p) + 63) / 64 * 64);
	if (!p)
		return err_set(e, ST_NOMEM, "no memory to fetch");
	memset(p, 0, sizeof(*p));
	p->o = *o;
	p->o.hurry = o->hurry ? o->hurry : 1;
	p->chain_id = PULL_NOT_ASKED;
	init_lock(p);
	st = url_copy(&p->url, o->url);
	p->scheme = o->url->scheme == URL_GUESS ? URL_HTTP : o->url->scheme;
	p->push = p->scheme != URL_HTTP && p->scheme != URL_HTTPS;
	if (st == ST_OK)
		st = window_init(&p->window, pull_is_p2p(p) ? PULL_WINDOW : 2 * o->workers, TEXT_LIMIT);
	if (st != ST_OK)
		err_set(e, st, "no memory to fetch");
	if (st == ST_OK)
		st = make_workers(p, e);
	if (st == ST_OK)
		st = worker_init(p, 0, true, e);
	if (st == ST_OK) {
		pull_io_lanes(&p->workers[0], 1, p->push);
		st = worker_start(&p->workers[0], e);
	}
	if (st == ST_OK)
		*out = p;
	else
		release(p);
	return st;
}

static void snapshot(struct pull *p, struct pull_stats *st)
{
	uint64_t ready = atomic_load(&p->ready_ns);

	memset(st, 0, sizeof(*st));
	if (!ready)
		return;
	st->ready = true;
	st->head = p->head;
	st->chain_id = p->chain_id;
	st->is_network = p->is_network;
	st->from = p->o.from;
	st->to = p->o.to;
	st->blocks = atomic_load(&p->blocks);
	st->txs = atomic_load(&p->txs);
	st->gas = atomic_load(&p->gas);
	st->json_bytes = atomic_load(&p->json_bytes);
	st->text_bytes = atomic_load(&p->text_bytes);
	st->elapsed_ns = (p->ended ? p->end_ns : time_mono()) - ready;
}

bool pull_wait(struct pull *p, uint64_t timeout_ns, struct pull_stats *st)
{
	uint64_t at = time_mono() + timeout_ns;
	struct timespec ts = { .tv_sec = (time_t)(at / NS_S), .tv_nsec = (long)(at % NS_S) };
	bool ended;

	pthread_mutex_lock(&p->lock);
	while (!p->ended && pthread_cond_timedwait(&p->changed, &p->lock, &ts) == 0)
		;
	ended = p->ended;
	if (st)
		snapshot(p, st);
	pthread_mutex_unlock(&p->lock);
	return ended;
}

static void add_worker(struct pull_stats *st, const struct pull_worker *w)
{
	if (!w->started)
		return;
	st->threads++;
	st->retries += w->retries;
	st->reconnects += w->reconnects;
	st->odd += w->odd;
	st->wire_bytes += w->loop ? pull_io_bytes(w) : 0;
	hist_merge(&st->latency, w->latency);
	st->cpu_ns += w->cpu_ns;
	st->thread_ns += w->begin_ns && w->end_ns > w->begin_ns ? w->end_ns - w->begin_ns : 0;
	st->decode_ns += w->decode_ns;
	st->format_ns += w->format_ns;
	st->write_ns += w->write_ns;
}

enum status pull_finish(struct pull *p, struct pull_stats *st, struct err *e)
{
	struct pull_stats scratch;
	enum status code;

	if (!st)
		st = &scratch;
	while (!pull_wait(p, NS_S, NULL))
		;
	/* Nobody starts a thread any more: that is done under the lock, and only before the end. */
	for (unsigned i = 0; i < p->n_workers; i++) {
		if (p->workers[i].started)
			pthread_join(p->workers[i].thread, NULL);
	}
	snapshot(p, st);
	for (unsigned i = 0; i < p->n_workers; i++)
		add_worker(st, &p->workers[i]);
	st->verified = p->verified;
	st->doubtful = p->doubtful;
	st->elsewhere = p->elsewhere;
	snprintf(st->doubt, sizeof(st->doubt), "%s", p->doubt);
	st->workers = p->o.workers;
	st->connections = p->push ? 1 : p->o.workers;
	snprintf(st->via, sizeof(st->via), "%s", url_via(p->scheme));
	code = p->err.code;
	if (code != ST_OK && e)
		*e = p->err;
	release(p);
	return code;
}
