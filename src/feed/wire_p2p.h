/*
 * What a live path over RLPx asks its node, and what becomes of the answers: a peer's events (net/devp2p/peer.h) → events of the
 * feed. Without a socket and without a clock of its own, as drive.h is for JSON-RPC.
 *
 * Most nodes announce no blocks since the merge, so that headers are asked for: when the next block is due, then at the
 * interval of drive_poll_interval. What a node announces all the same (NewBlock and NewBlockHashes on clique, BSC, Bor;
 * BlockRangeUpdate) counts as pushed at the moment of the announcement. A header is what hashes to the hash that was
 * asked for; a body is shown only if it belongs to its header.
 */
#ifndef FEED_WIRE_P2P_H
#define FEED_WIRE_P2P_H

#include "eth/chains.h"
#include "feed/drive.h"
#include "net/devp2p/peer.h"

enum {
	P2P_ASKS = 192, /* requests that wait or are on their way */
	P2P_BODIES = 8, /* bodies on their way at once: room is left for headers */
	P2P_KNOWN = 256, /* newest headers remembered */
	P2P_POLL = 16, /* headers of one poll */
	P2P_HEADER_MAX = 16 * 1024, /* a longer header is shown without its block */
};

struct p2p_opts {
	bool local;
	bool played; /* a recording: nothing is asked, what was asked comes by wire_p2p_play_out; claims may be NULL */
	enum bodies bodies;
	struct claims *claims; /* shared by all feeds */
};

struct p2p_hooks {
	void *ctx;
	void (*emit)(void *ctx, struct event *e, bool important);
	void (*link)(void *ctx, enum link_state s, enum status cause, const char *text);
	uint64_t (*now)(void *ctx); /* monotonic */
	uint64_t (*wall)(void *ctx);
};

/* For a recorder; all NULL otherwise: the message at work held this path's block; a request is given up without an answer. */
struct p2p_tap {
	void *ctx;
	void (*took_block)(void *ctx, uint64_t done_ns, uint32_t took_us);
	void (*gave_up)(void *ctx, uint64_t id, const struct err *e, uint64_t now_ns, uint64_t now_wall);
};

enum p2p_what {
	P2P_TIP, /* where the node is, and what came before */
	P2P_NEWER, /* what follows our tip: the poll */
	P2P_HEARD, /* the header of an announced hash */
	P2P_PARENTS, /* headers that are missing below one */
	P2P_WANTED, /* header of a block that the model asked for */
	P2P_BODY,
};

struct p2p_ask {
	bool used, sent, mine; /* mine: its claim is ours */
	uint8_t what, source; /* enum p2p_what, enum head_source */
	bool sample;
	uint8_t attempt;
	uint64_t id, due, asked; /* asked: when it was due to go out */
	uint64_t mono, wall; /* HEARD: of the announcement */
	uint64_t number;
	unsigned limit;
	struct hash hash; /* zero: by number */
	uint8_t *header; /* BODY: heap */
	size_t header_n;
};

struct wire_p2p {
	struct p2p_opts o;
	struct p2p_hooks hooks;
	struct p2p_tap tap;
	struct peer *peer; /* NULL: not connected; borrowed */
	struct verifier *verifier;
	struct p2p_ask asks[P2P_ASKS];
	struct {
		struct hash hash;
		uint64_t number;
	} known[P2P_KNOWN];
	unsigned n_known, next_known;
	bool has_tip, live, silent;
	struct head tip; /* newest head of this path */
	struct event chain; /* as it was told last */
	const struct chain_info *info;
	uint64_t block_ns, poll_ns, told_poll_ns; /* block time, 0 unknown */
	uint64_t next_poll, last_head;
	unsigned back; /* the poll begins so far below the tip: the node went back */
	unsigned walked, first_left, heads, timeouts, no_tip;
	uint64_t calls, notes, odd, bodies; /* since the start */
	const struct p2p_ask *sending; /* while it is handed to the peer */
	struct {
		bool block; /* the message being played held a block that was taken */
		uint64_t done_ns;
		uint32_t took_us;
	} played;
	struct err down; /* code ST_OK: the connection is of use */
};

/* ST_NOMEM. */
enum status wire_p2p_init(struct wire_p2p *w, const struct p2p_opts *o, const struct p2p_hooks *h) MUST_CHECK;
void wire_p2p_fini(struct wire_p2p *w);
/* An event of the peer's, in order; PEER_STATUS begins it all. */
void wire_p2p_event(struct wire_p2p *w, struct peer *p, const struct peer_event *ev);
/* The connection is gone: what is open is lost, its claims are given back. */
void wire_p2p_lost(struct wire_p2p *w);
void wire_p2p_cmd(struct wire_p2p *w, const struct cmd *c);
/* Asks what is due. Anything but ST_OK: the connection is of no use any more, *e says why. */
enum status wire_p2p_tick(struct wire_p2p *w, struct err *e) MUST_CHECK;
/* META_ASK of a request. */
uint64_t wire_p2p_ask(const struct p2p_ask *a);

/*
 * A recording (p2p_opts.played). Requests as they went out: data behind the code, ask as wire_p2p_ask gave it, due when it was to
 * go out. Messages that came in go through wire_p2p_event, `played` set before. A request that got no answer. What an
 * earlier frame said (EV_CHAIN, EV_HEAD) for who begins in the middle.
 */
void wire_p2p_play_out(struct wire_p2p *w, struct peer *p, uint64_t code, const void *data, size_t n, uint64_t now_ns,
		       uint64_t due_ns, uint64_t ask, unsigned attempt);
void wire_p2p_play_timeout(struct wire_p2p *w, struct peer *p, uint64_t id, uint64_t now_ns);
void wire_p2p_learn(struct wire_p2p *w, const struct event *e);

/* An event of the path that is no answer to a message. */
void p2p_emit(struct wire_p2p *w, struct event *e, bool important);
/* When wire_p2p_tick wants to run next; UINT64_MAX: not connected. */
uint64_t wire_p2p_next(const struct wire_p2p *w);

#endif
