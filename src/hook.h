/*
 * What an alert does outside of this program: a command (hook_exec.c) and a POST (hook_web.c), each on a thread of its own with a
 * queue of its own, so that neither the screen nor the feeds ever wait for them. Owner: the app; live only, never of a replay.
 *
 * The command runs without a shell, in a session of its own, with CHAINTOP_STATE, _NODE, _CHECK, _TEXT, _VALUE and _LIMIT in its
 * environment and the JSON of out/alert_json.h on standard input; its output goes nowhere. At most HOOK_CHILDREN at once, each
 * killed with all that it started after HOOK_EXEC_S. A POST is tried HOOK_TRIES times, with 1, 4 and 16 s between; what the
 * server refuses (4xx but 408 and 429) is not tried again. How it went stands in the log, without the URL.
 */
#ifndef HOOK_H
#define HOOK_H

#include "base/wake.h"
#include "conf/file.h"
#include "model/alert.h"
#include "net/stream.h"

enum {
	HOOK_QUEUE = 32, /* power of two; of each kind: what does not fit is dropped, counted and logged */
	HOOK_CHILDREN = 4,
	HOOK_EXEC_S = 30,
	HOOK_TRIES = 4,
	HOOK_JSON = 3072, /* less than any pipe holds, so that writing never waits */
	HOOK_STOP_MS = 2000, /* at the end: for what is under way */
};

struct hook_opts {
	const struct conf_alert *alert;
	const char *location; /* NULL: none */
	const char *proxy, *cacert; /* of the webhook, as of all connections; headers and tokens are the nodes' alone */
	bool insecure;
	uint64_t exec_limit_ns, retry_ns; /* 0: HOOK_EXEC_S, 1 s; for tests */
};

struct hooks;

/* Nothing to do (neither exec nor webhook): ST_OK and *out is NULL. Options are borrowed. */
enum status hooks_start(struct hooks **out, const struct hook_opts *o, struct err *e) MUST_CHECK;
/* Never waits. NULL is allowed. */
void hooks_tell(struct hooks *h, const struct alert_event *e);
/* Ends both threads, with HOOK_STOP_MS for what they have begun and what waits. NULL is allowed. */
void hooks_stop(struct hooks *h);

/* ---- inside: what the two kinds share ---- */

/* Copied from thread to thread. */
struct hook_job {
	char state[8], node[40], check[24], text[168], value[32], limit[32];
	char json[HOOK_JSON];
	size_t json_n;
};

/* One producer, one consumer. */
struct hook_queue {
	struct hook_job *at; /* HOOK_QUEUE of them */
	_Atomic unsigned head, tail;
	struct wake wake;
	_Atomic int quit;
};

enum status hook_queue_init(struct hook_queue *q, struct err *e) MUST_CHECK;
void hook_queue_fini(struct hook_queue *q);
bool hook_push(struct hook_queue *q, const struct hook_job *job); /* producer */
bool hook_pop(struct hook_queue *q, struct hook_job *job); /* consumer */
bool hook_empty(const struct hook_queue *q);

struct hook_thread {
	struct hook_queue queue;
	const struct hook_opts *o;
};
/* The threads' bodies: end when queue.quit is set, at the latest HOOK_STOP_MS later. ctx: struct hook_thread. */
void *hook_exec_main(void *ctx);
void *hook_web_main(void *ctx);

#endif
