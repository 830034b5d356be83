/*
 * JSON-RPC messages of both directions → events. Pure: no socket, no clock, no thread; live feeds and replays use it
 * alike. It learns what an answer means from the outgoing messages alone: source and sample are in the low bits of the
 * id, everything else in method and params.
 */
#ifndef FEED_WIRE_RPC_H
#define FEED_WIRE_RPC_H

#include "base/buf.h"
#include "feed/claims.h"
#include "feed/event.h"
#include "net/transport.h"

enum wire_tag { TAG_NONE, TAG_LATEST, TAG_SAFE, TAG_FINALIZED, TAG_GENESIS };

enum { WIRE_CALLS = 256 };

/* A request on its way. */
struct wire_call {
	uint64_t id; /* 0: free place */
	uint64_t batch; /* number of the batch it is part of, 0: none */
	uint64_t token; /* HTTP: of the transfer that carries it */
	uint8_t method, source, tag;
	bool sample, full;
	uint64_t number;
	struct hash hash; /* zero: asked by number or tag */
	uint64_t sched_ns; /* latency counts from here */
	uint64_t deadline_ns;
	uint16_t attempt; /* 0 at first */
	uint8_t key; /* the asker's own mark, see drive.c */
};

/* How a call ended. */
struct wire_result {
	const struct wire_call *call;
	enum status code;
	int detail;
	const char *text; /* error text, cleaned */
	uint64_t wait_ns; /* hint of the node: not before */
	uint64_t value; /* quantities: block number, chain id … */
	const struct head *head; /* block calls that answered well */
	bool body; /* … with a body that was handed on */
	const char *sub; /* subscription id, of heads */
	bool missing; /* a batch was answered without it, or not as a batch: ask it alone */
};

/* Recording: everything that changes a wire besides outgoing messages and connections, before it has any effect. */
struct wire_tap {
	void *ctx;
	void (*in)(void *ctx, const char *text, size_t n, const struct net_meta *m);
	void (*fail)(void *ctx, uint64_t id, const struct err *e, uint64_t wait_ns, uint64_t now_ns, uint64_t now_wall);
	void (*ask_chain)(void *ctx);
	/* The message that came in last held a block, decoded at done_ns; verified: by this path, in took_us. */
	void (*block)(void *ctx, uint64_t done_ns, bool verified, uint32_t took_us);
};

struct wire_hooks {
	void *ctx;
	void (*emit)(void *ctx, struct event *e, bool important); /* takes what the event owns; path and seq are the taker's */
	/* Live feeds only, may be NULL in replays. now: monotonic clock; NULL: the stamp of the message. */
	uint64_t (*now)(void *ctx);
	void (*result)(void *ctx, const struct wire_result *r);
	void (*head)(void *ctx, const struct head *h); /* pushed, in order; duplicates are left out */
	/* Once per distinct body, after its events are out: verification costs time. */
	bool (*verify)(void *ctx, const struct hash *h);
	const struct wire_tap *tap; /* NULL: not recorded */
};

struct wire {
	struct wire_hooks hooks;
	struct wire_call calls[WIRE_CALLS];
	struct blockdec *dec;
	struct verifier *verifier;
	uint64_t batches; /* batches written so far */
	uint64_t notes, odd, done; /* notifications; messages that fit nothing; calls that ended */
	/* The chain of this path. */
	bool chain_told, id_done, genesis_done, chain_ok;
	uint64_t chain_id;
	struct hash genesis;
	/* Heads wait until the first EV_CHAIN is out. */
	struct event early[8];
	bool packed; /* what comes in is wire_in_packed's */
	unsigned n_early;
	unsigned first_left; /* pushed heads that do not count as arrivals yet (2 after a connect) */
	struct hash recent[4]; /* last pushed heads: duplicates of a doubled subscription */
	unsigned next_recent;
	struct head last; /* newest head known on this path */
	bool has_last;
	char sub[72]; /* id of the live subscription to heads, "" if none */
	char pending_sub[72]; /* of that to transactions that wait */
	bool pending_asked; /* on this connection */
	uint64_t pendings; /* transactions announced */
	struct event txs; /* EV_TXS that is being filled (wire_pending.h) */
};

enum status wire_init(struct wire *w, const struct wire_hooks *h) MUST_CHECK;
void wire_fini(struct wire *w);
/* A new connection: nothing of the old one can be answered any more. Open calls are forgotten without a result. */
void wire_connected(struct wire *w);
/* Chain id and genesis are about to be asked again: the next EV_CHAIN comes when both are known. */
void wire_ask_chain(struct wire *w);
/* Writes a request into out: id from serial, source and sample. Returns its id in *id. */
uint64_t wire_id(uint64_t serial, enum head_source source, bool sample);
/*
 * A message goes out: every request in it (a batch is one message) becomes an open call. sched_ns: when it was due. The
 * asker may then set deadline, attempt, token and key through wire_find. ST_AGAIN: no room for more calls.
 */
enum status wire_out(struct wire *w, const char *text, size_t n, uint64_t sched_ns) MUST_CHECK;
struct wire_call *wire_find(struct wire *w, uint64_t id); /* NULL if not open */
/*
 * For a replay on its way to a later place. wire_may_pack: this answer (any result in it) is the body of a head that was
 * pushed, so that without it nothing is missing but its transactions. wire_in_packed: wire_in of such an answer, whose result
 * is not looked at.
 */
bool wire_may_pack(struct wire *w, const char *text, size_t n);
void wire_in_packed(struct wire *w, const char *text, size_t n, const struct net_meta *m);

/* A message came in. Never fails: what is odd is counted and, once in a while, logged. */
void wire_in(struct wire *w, const char *text, size_t n, const struct net_meta *m);
/* An open call ends without an answer (deadline, HTTP failure, lost connection). detail, text from e. */
void wire_fail(struct wire *w, struct wire_call *c, uint64_t now_ns, uint64_t now_wall, const struct err *e,
	       uint64_t wait_ns);
/* Key of the path's chain for claims; 0 while unknown. */
uint64_t wire_chain_key(const struct wire *w);

#endif
