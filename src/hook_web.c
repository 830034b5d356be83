/* The webhook of an alert; see hook.h. */
#include <poll.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "hook.h"
#include "net/transport.h"

enum { CONNECT_S = 5, ANSWER_S = 10, ANSWER_BYTES = 64 << 10, RETRY_FACTOR = 4, RETRY_MOST_S = 60 };

/* One attempt. */
struct post {
	bool done, ok, again; /* again: another attempt may help */
	uint64_t retry_ns; /* what the server asked for */
	struct err e;
};

static void on_up(void *ctx, const struct net_phases *p)
{
	(void)ctx;
	(void)p;
}

static void on_message(void *ctx, const char *text, size_t n, const struct net_meta *m)
{
	struct post *p = ctx;

	(void)text;
	(void)n;
	(void)m;
	p->done = p->ok = true;
}

/*
 * What a server says to a POST need not be JSON: "ok", or nothing at all. Then the detail is its status; without one of 2xx
 * nobody has said that it was heard: it may not even be HTTP.
 */
static void on_failed(void *ctx, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t body_n)
{
	struct post *p = ctx;

	(void)token;
	(void)body;
	(void)body_n;
	p->done = true;
	p->ok = (e->code == ST_MALFORMED || e->code == ST_TOO_BIG) && e->detail >= 200 && e->detail < 300;
	p->again = e->code != ST_AUTH && !(e->code == ST_HTTP && e->detail >= 300 && e->detail < 500 && e->detail != 408);
	p->retry_ns = retry_ns;
	p->e = *e;
}

static void on_odd(void *ctx, const struct err *e)
{
	(void)ctx;
	(void)e;
}

static void on_down(void *ctx, const struct err *e, uint64_t retry_ns)
{
	struct post *p = ctx;

	if (p->done)
		return;
	p->done = p->again = true;
	p->retry_ns = retry_ns;
	p->e = *e;
}

static bool asked_to_end(struct hook_thread *t, uint64_t *stop_by)
{
	if (!*stop_by && atomic_load(&t->queue.quit))
		*stop_by = time_mono() + HOOK_STOP_MS * NS_MS;
	return *stop_by && time_mono() >= *stop_by;
}

/* Waits for the connection at most until `until`, and not beyond the end of the program. */
static enum status wait_some(struct hook_thread *t, struct net_loop *l, uint64_t until, uint64_t *stop_by, struct err *e)
{
	uint64_t now = time_mono();
	enum status st;

	if (*stop_by && *stop_by < until)
		until = *stop_by;
	st = net_loop_wait(l, until > now ? (int)((until - now) / NS_MS) + 1 : 0, e);
	wake_take(&t->queue.wake);
	return st;
}

static void post(struct hook_thread *t, const struct url *u, const struct net_opts *o, const struct hook_job *job,
		 uint64_t *stop_by, struct post *p)
{
	const struct transport_class *http = &transport_http;
	struct net_handler h = { .ctx = p, .up = on_up, .message = on_message, .failed = on_failed, .odd = on_odd,
				 .down = on_down };
	struct net_loop *l = net_loop_new();
	struct transport *tr = NULL;
	uint64_t until = time_mono() + (CONNECT_S + ANSWER_S) * NS_S;
	enum status st = l ? net_loop_watch(l, wake_fd(&t->queue.wake)) : err_set(&p->e, ST_NOMEM, "no memory");

	if (st == ST_OK)
		st = http->open(&tr, l, u, o, &h, &p->e);
	if (st == ST_OK)
		st = http->send(tr, job->json, job->json_n, 1, &p->e);
	while (st == ST_OK && !p->done && time_mono() < until && !asked_to_end(t, stop_by)) {
		uint64_t due = http->deadline(tr);

		st = wait_some(t, l, due < until ? due : until, stop_by, &p->e);
		http->service(tr, time_mono());
	}
	if (!p->done) {
		p->again = true;
		if (st == ST_OK)
			err_set(&p->e, ST_TIMEOUT, "no answer in time");
	}
	if (tr)
		http->close(tr);
	if (l)
		net_loop_free(l);
}

/* Waits for the wake; timeout_ms −1: no limit. */
static void sleep_some(struct hook_thread *t, int timeout_ms)
{
	struct pollfd p = { .fd = wake_fd(&t->queue.wake), .events = POLLIN };

	if (poll(&p, 1, timeout_ms) > 0)
		wake_take(&t->queue.wake);
}

/* False: it is the end, which leaves no time for another attempt. */
static bool pause_for(struct hook_thread *t, uint64_t ns, uint64_t *stop_by)
{
	uint64_t now = time_mono(), until = now + ns;

	for (; now < until && !asked_to_end(t, stop_by) && !*stop_by; now = time_mono())
		sleep_some(t, (int)((until - now) / NS_MS) + 1);
	return !*stop_by;
}

static void deliver(struct hook_thread *t, const struct url *u, const struct net_opts *o, const struct hook_job *job,
		    uint64_t *stop_by)
{
	uint64_t wait = t->o->retry_ns ? t->o->retry_ns : NS_S;
	struct post p;

	for (unsigned k = 1;; k++) {
		p = (struct post){ .done = false };
		post(t, u, o, job, stop_by, &p);
		if (p.ok) {
			log_msg(LOG_INFO, "alert: webhook: told of %s %s %s", job->state, job->node, job->check);
			return;
		}
		if (!p.again || k == HOOK_TRIES)
			break;
		log_msg(LOG_WARN, "alert: webhook: %s; tried again", p.e.text);
		if (p.retry_ns > wait)
			wait = p.retry_ns < RETRY_MOST_S * NS_S ? p.retry_ns : RETRY_MOST_S * NS_S;
		if (!pause_for(t, wait, stop_by))
			break;
		wait *= RETRY_FACTOR;
	}
	log_msg(LOG_ERROR, "alert: webhook: not told of %s %s %s: %s", job->state, job->node, job->check, p.e.text);
}

void *hook_web_main(void *ctx)
{
	struct hook_thread *t = ctx;
	struct net_opts o = {
		.cacert = t->o->cacert, .proxy = t->o->proxy, .insecure = t->o->insecure,
		.connect_timeout_ns = CONNECT_S * NS_S, .request_timeout_ns = ANSWER_S * NS_S, .max_message = ANSWER_BYTES,
	};
	uint64_t stop_by = 0;
	struct hook_job job;
	struct url u;
	struct err e;

	/* It was parsed when the configuration was read (configured_check): the same word gives the same URL. */
	if (url_parse(&u, t->o->alert->webhook.s, &e) != ST_OK) {
		log_msg(LOG_ERROR, "alert: webhook: %s", e.text);
		return NULL;
	}
	while (!asked_to_end(t, &stop_by)) {
		if (hook_pop(&t->queue, &job))
			deliver(t, &u, &o, &job, &stop_by);
		else if (stop_by)
			break;
		else
			sleep_some(t, -1);
	}
	url_fini(&u);
	return NULL;
}
