/*
 * What a live path asks its node, and when: ids, deadlines, retries, polling, gap fill, parent walk, resubscription.
 * Runs on the feed's thread; knows neither sockets nor rings: it is given times and messages and gives messages and events.
 */
#ifndef FEED_DRIVE_H
#define FEED_DRIVE_H

#include "eth/chains.h"
#include "feed/wire_rpc.h"

enum bodies { BODIES_AUTO, BODIES_ALL, BODIES_OFF };
/*
 * Transactions that wait are announced by the thousand: on a path that costs nothing whole, for what they pay; on others as
 * hashes, and only where the user asked for it.
 */
enum pending_mode { PENDING_OFF, PENDING_HASHES, PENDING_WHOLE };

enum {
	DRIVE_ASKS = 512, /* requests that wait to be sent */
	DRIVE_BACKFILL = 32, /* bodies asked for at start, the newest included */
	DRIVE_GAP = 64, /* heads of a gap that are asked for */
	DRIVE_WALK = 128, /* parents followed back by hash */
};

struct drive_opts {
	bool push; /* the transport can carry subscriptions */
	bool local;
	bool others_push; /* some other path can carry subscriptions */
	enum bodies bodies;
	enum pending_mode pending;
	struct claims *claims; /* shared by all feeds */
	uint64_t call_timeout_ns, body_timeout_ns; /* 0: 10 s, 30 s */
};

struct drive_hooks {
	void *ctx;
	/* ST_AGAIN: not now, try at the next tick. Others: the connection will say so itself. */
	enum status (*send)(void *ctx, const char *text, size_t n, uint64_t token);
	void (*emit)(void *ctx, struct event *e, bool important);
	void (*link)(void *ctx, enum link_state s, enum status cause, const char *text);
	uint64_t (*now)(void *ctx); /* monotonic */
	uint64_t (*wall)(void *ctx);
	const struct wire_tap *tap; /* NULL: not recorded */
};

/* A request that waits, or waits to be tried again. */
struct ask {
	uint8_t method, source, tag, prio;
	bool used, sample, full;
	uint16_t attempt;
	uint64_t number, due, since; /* since: when it was asked first */
	struct hash hash;
};

struct drive {
	struct drive_opts o;
	struct drive_hooks hooks;
	struct wire wire;
	struct ask asks[DRIVE_ASKS];
	struct buf out;
	uint64_t serial; /* of the ids, never used twice */
	uint64_t now, wall_now;
	bool up, answered; /* connected; something good came on this connection */
	bool ever; /* was up before: a later `latest` shows a gap */
	bool ever_answered; /* something good came on any connection */
	bool polling, batch_off, silent;
	unsigned fails; /* in a row, of the connection's own kind */
	struct err last_fail;
	const struct chain_info *chain;
	uint64_t block_ns; /* T, 0 unknown */
	uint64_t seen_ns; /* T as seen of late, whatever the table says; 0 unknown */
	/* Two earlier blocks: T is measured from the older one, and the younger takes its place in time. */
	struct {
		uint64_t number, time_ms;
	} past[2];
	unsigned n_past;
	/* The newest head that was looked at for gaps. */
	bool has_tip;
	struct head tip;
	uint64_t gap_low; /* lowest number of the gap being filled, and what its parent should be */
	struct hash gap_parent;
	unsigned walked;
	bool backfilled;
	uint64_t last_head; /* when the last pushed head came */
	unsigned heads, resubscribed;
	/* Next times of what is periodic; UINT64_MAX: not at all. */
	uint64_t next_poll, next_tip, next_info, next_tags, next_watch, next_config;
	uint64_t poll_ns;
	bool poll_open, tip_open;
	unsigned info_rounds; /* of this connection */
	uint64_t not_before[M_N]; /* unsupported methods */
	bool pending_hashes; /* this node announces no whole transactions */
	uint64_t calls, bodies; /* counters */
	bool want_down;
	struct err down_why;
};

enum status drive_init(struct drive *d, const struct drive_opts *o, const struct drive_hooks *h) MUST_CHECK;
void drive_fini(struct drive *d);
/* The connection stands (HTTP: may be used). */
void drive_up(struct drive *d);
/* It is gone: open calls are lost, their claims are given back. */
void drive_down(struct drive *d, const struct err *e);
void drive_in(struct drive *d, const char *text, size_t n, const struct net_meta *m);
/* HTTP: the transfer with this token failed. */
void drive_failed(struct drive *d, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t body_n);
void drive_cmd(struct drive *d, const struct cmd *c);
/* Sends what is due, ends what is overdue. */
void drive_tick(struct drive *d);
/* When drive_tick wants to run next. */
uint64_t drive_next(const struct drive *d);
/* True if the connection is of no use any more; *e says why. */
bool drive_wants_down(const struct drive *d, struct err *e);
/* The poll interval of design.md §5 for a block time (0: unknown). */
uint64_t drive_poll_interval(uint64_t block_ns, bool local);

#endif
