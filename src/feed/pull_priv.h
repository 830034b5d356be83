/* What pull.c, pull_io.c, pull_p2p.c and pull_block.c share. Nobody else includes it. */
#ifndef FEED_PULL_PRIV_H
#define FEED_PULL_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/wake.h"
#include "eth/block.h"
#include "eth/verify.h"
#include "feed/pull.h"
#include "feed/pull_window.h"
#include "net/backoff.h"
#include "net/transport.h"

enum {
	PULL_WINDOW = 2 * PULL_WORKERS_MAX,
	/* An HTTP transport takes 16 requests; one is needed for the request that leaves before its predecessor is done with. */
	LANES_PER_CONN = 15,
	PULL_CONNS = (PULL_WORKERS_MAX + LANES_PER_CONN - 1) / LANES_PER_CONN,
	PULL_TRIES = 6, /* to connect, in a row, once a reply has come */
};

/* chain_id before the node was asked. */
#define PULL_NOT_ASKED UINT64_MAX

struct pull_worker;
struct pull_p2p;

/* A transport and what became of it. */
struct pull_conn {
	struct pull_worker *w;
	struct transport *tp;
	bool stood; /* a reply came */
	bool dead; /* it said so in a callback: closed behind that */
	struct err why;
	uint64_t wait_ns; /* before the next attempt, by the node's wish */
	uint64_t opened, retry_at;
	uint64_t seen_bytes, progress_ns; /* when bytes came last */
	uint64_t bytes_in; /* of transports that are closed */
	uint64_t arrived; /* p->arrived when it failed last */
	unsigned fails; /* in a row without a reply anywhere */
	struct backoff backoff;
};

enum ask { ASK_NONE, ASK_CHAIN, ASK_HEAD };

/* One request in flight, or room for one. */
struct pull_lane {
	struct pull_conn *conn;
	struct pull_slot *slot; /* the block it is for, or NULL */
	enum ask ask; /* else what it asks for */
	bool sent;
	uint64_t id, sent_ns;
};

/* A thread. */
struct pull_worker {
	struct pull *p;
	unsigned index;
	pthread_t thread;
	struct wake wake;
	bool started, reads; /* reads: it has connections; else it only decodes */
	struct blockdec *dec;
	struct verifier *verifier;

	/* Reads. */
	struct net_loop *loop;
	struct pull_conn conns[PULL_CONNS];
	unsigned n_conns;
	struct pull_lane lanes[PULL_WORKERS_MAX];
	unsigned n_lanes;
	struct pull_slot *again[PULL_WINDOW]; /* to be asked for once more */
	unsigned n_again;
	struct buf request;
	uint64_t serial, pause_until;
	unsigned ask_tries;
	uint64_t ask_due;
	_Atomic bool hungry; /* the window was full */
	_Atomic bool returned; /* a slot is SLOT_RETURNED */
	struct pull_p2p *p2p; /* enode:// alone: in place of lanes */

	/* Only decodes: one reply at a time, handed over by the reading thread. */
	_Atomic(struct pull_slot *) task;
	struct buf raw;

	/* Its part of the figures. */
	uint64_t retries, reconnects, odd, decode_ns, format_ns, write_ns, cpu_ns, begin_ns, end_ns;
	uint64_t cpu_before; /* when the blocks began */
	struct hist *latency;
};

struct pull {
	struct pull_opts o;
	struct url url;
	enum url_scheme scheme; /* spoken now */
	bool push; /* one connection for all */
	struct pull_window window;
	struct pull_worker *workers;
	unsigned n_workers;
	_Atomic bool careful; /* the node writes members behind the result: no short cuts */
	_Atomic bool over; /* ended, failed or stopped: all threads leave */
	_Atomic uint64_t arrived; /* replies with a block */
	uint64_t head, chain_id;
	bool is_network; /* as in pull_stats */
	_Atomic uint64_t ready_ns; /* the head is known: everything above is final */
	struct hash last; /* of the block written last */
	bool has_last;

	/* Sums in the order of blocks; written by who has the window's turn, read by anybody for the progress line. */
	_Atomic uint64_t blocks, txs, gas, json_bytes, text_bytes;
	uint64_t verified, doubtful, elsewhere;
	char doubt[112];

	pthread_mutex_t lock; /* what follows: once a pull, never on a block's way */
	pthread_cond_t changed;
	bool ended, joined;
	uint64_t end_ns;
	struct err err; /* why; ST_OK: all is done */
};

/* pull.c */
/* *why without what nodes quote of the key: to be called before a text is cut or put into another one. */
void pull_clean(const struct pull *p, const struct err *why, struct err *out);
/* The first call counts: all threads leave. e: why, or NULL when all is done. Any thread. */
void pull_end(struct pull *p, const struct err *e);
/* The head is known: the range is set and the other threads start. */
void pull_go(struct pull *p, uint64_t head);
/* The slot has its end state; writes what is ready. On the thread that calls. */
void pull_put(struct pull_worker *w, struct pull_slot *s, enum slot_state state);

/* pull_io.c: a thread that reads, until p->over. */
enum status pull_io_init(struct pull_worker *w, struct err *e) MUST_CHECK;
/* How many requests it may have in flight; push: all on one connection. None may be in flight. */
void pull_io_lanes(struct pull_worker *w, unsigned lanes, bool push);
void pull_io_fini(struct pull_worker *w);
void pull_io_run(struct pull_worker *w);
uint64_t pull_io_bytes(const struct pull_worker *w);
/* After what delay to try again what failed `tries` times with this code; wait_ns: at least. False: not any more. */
bool pull_retry_delay(const struct pull *p, enum status code, unsigned tries, uint64_t wait_ns, uint64_t *delay);
/* s->err says what went wrong. True: to be asked for again at s->due_ns. False: it is put as failed. */
bool pull_retry(struct pull_worker *w, struct pull_slot *s);
/* Hands a reply to a thread that has nothing to do. False: there is none, or no memory. */
bool pull_hand_over(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n);
/* No more attempts: c->why ends the pull. */
void pull_give_up(struct pull_conn *c);
/* How long to wait: until t (UINT64_MAX: for ever), as net_loop_wait takes it. */
int pull_until(uint64_t now, uint64_t t);

/* pull_p2p.c: the same over RLPx. */
static inline bool pull_is_p2p(const struct pull *p)
{
	return p->scheme == URL_ENODE;
}
enum status pull_p2p_init(struct pull_worker *w, struct err *e) MUST_CHECK;
void pull_p2p_fini(struct pull_worker *w);
void pull_p2p_run(struct pull_worker *w);

/*
 * pull_block.c: makes of a reply to the slot's request its block and text. ST_OK: the slot is ready to be put. Else s->err, and
 * s->wait_ns if the node asked for a pause. RLPx: text is a header, and behind it a body.
 */
enum status pull_decode(struct pull_worker *w, struct pull_slot *s, const char *text, size_t n) MUST_CHECK;

#endif
