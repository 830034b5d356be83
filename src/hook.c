#include "hook.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "out/alert_json.h"

struct kind {
	bool on;
	pthread_t thread;
	struct hook_thread t;
	uint64_t dropped;
};

struct hooks {
	struct hook_opts o;
	char place[160]; /* o.location; short enough that each job's JSON has room for it */
	struct kind exec, web;
};

/* ---- the queue ---- */

enum status hook_queue_init(struct hook_queue *q, struct err *e)
{
	atomic_init(&q->head, 0);
	atomic_init(&q->tail, 0);
	atomic_init(&q->quit, 0);
	q->wake.rfd = q->wake.wfd = -1;
	q->at = calloc(HOOK_QUEUE, sizeof(*q->at));
	if (!q->at)
		return err_set(e, ST_NOMEM, "no memory for alerts");
	return wake_init(&q->wake, e);
}

void hook_queue_fini(struct hook_queue *q)
{
	if (q->at)
		wake_fini(&q->wake);
	free(q->at);
	q->at = NULL;
}

bool hook_push(struct hook_queue *q, const struct hook_job *job)
{
	unsigned head = atomic_load_explicit(&q->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&q->tail, memory_order_acquire) == HOOK_QUEUE)
		return false;
	q->at[head % HOOK_QUEUE] = *job;
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	wake_raise(&q->wake);
	return true;
}

bool hook_empty(const struct hook_queue *q)
{
	return atomic_load_explicit(&q->tail, memory_order_relaxed) == atomic_load_explicit(&q->head, memory_order_acquire);
}

bool hook_pop(struct hook_queue *q, struct hook_job *job)
{
	unsigned tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	if (hook_empty(q))
		return false;
	*job = q->at[tail % HOOK_QUEUE];
	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
	return true;
}

/* ---- telling ---- */

static void put_number(char *out, size_t size, double v)
{
	if (isfinite(v))
		snprintf(out, size, "%.6g", v);
	else
		snprintf(out, size, "%s", "");
}

static bool make(struct hook_job *job, const struct hooks *h, const struct alert_event *e, enum level state)
{
	struct buf json;
	bool ok;

	snprintf(job->state, sizeof(job->state), "%s", level_word(state));
	utf8_clean(job->node, sizeof(job->node), e->name, strlen(e->name));
	snprintf(job->check, sizeof(job->check), "%s", check_info(e->check)->name);
	utf8_clean(job->text, sizeof(job->text), e->text, strlen(e->text));
	put_number(job->value, sizeof(job->value), e->value);
	put_number(job->limit, sizeof(job->limit), e->limit);
	buf_init(&json, HOOK_JSON - 1);
	ok = alert_json(&json, e, state, h->place[0] ? h->place : NULL) == ST_OK;
	if (ok) {
		memcpy(job->json, json.p, json.len);
		job->json_n = json.len;
		job->json[json.len] = '\0';
	}
	buf_fini(&json);
	return ok;
}

static void tell(struct kind *k, const char *what, const struct hook_job *job)
{
	if (!k->on || hook_push(&k->t.queue, job))
		return;
	k->dropped++;
	log_msg(LOG_ERROR, "alert: %s has too much to do: %llu dropped, the last %s %s %s", what, (unsigned long long)k->dropped,
		job->state, job->node, job->check);
}

void hooks_tell(struct hooks *h, const struct alert_event *e)
{
	struct hook_job job;
	enum level state;

	if (!h || !alert_seen_from(e, h->o.alert->only == WHEN_CRIT ? LEVEL_CRIT : LEVEL_WARN, &state))
		return;
	if (!make(&job, h, e, state)) {
		log_msg(LOG_ERROR, "alert: no memory to tell of %s", check_info(e->check)->name);
		return;
	}
	tell(&h->exec, "exec", &job);
	tell(&h->web, "the webhook", &job);
}

/* ---- start and stop ---- */

static enum status begin(struct kind *k, const struct hook_opts *o, void *(*body)(void *), const char *name, struct err *e)
{
	sigset_t all, old;
	enum status st = hook_queue_init(&k->t.queue, e);

	if (st != ST_OK)
		return st;
	k->t.o = o;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&k->thread, NULL, body, &k->t) != 0)
		st = err_set(e, ST_NOMEM, "cannot start a thread");
	else
		(void)pthread_setname_np(k->thread, name);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	k->on = st == ST_OK;
	return st;
}

enum status hooks_start(struct hooks **out, const struct hook_opts *o, struct err *e)
{
	enum status st = ST_OK;
	struct hooks *h;

	*out = NULL;
	if (!o->alert->exec.n && !o->alert->webhook.s)
		return ST_OK;
	h = calloc(1, sizeof(*h));
	if (!h)
		return err_set(e, ST_NOMEM, "no memory for alerts");
	h->o = *o;
	if (o->location)
		utf8_clean(h->place, sizeof(h->place), o->location, strlen(o->location));
	if (o->alert->exec.n)
		st = begin(&h->exec, &h->o, hook_exec_main, "hook exec", e);
	if (st == ST_OK && o->alert->webhook.s)
		st = begin(&h->web, &h->o, hook_web_main, "hook web", e);
	if (st != ST_OK)
		hooks_stop(h);
	else
		*out = h;
	return st;
}

static void ask_to_end(struct kind *k)
{
	if (!k->on)
		return;
	atomic_store(&k->t.queue.quit, 1);
	wake_raise(&k->t.queue.wake);
}

void hooks_stop(struct hooks *h)
{
	if (!h)
		return;
	ask_to_end(&h->exec);
	ask_to_end(&h->web);
	if (h->exec.on)
		pthread_join(h->exec.thread, NULL);
	if (h->web.on)
		pthread_join(h->web.thread, NULL);
	hook_queue_fini(&h->exec.t.queue);
	hook_queue_fini(&h->web.t.queue);
	free(h);
}
