/*
 * A conversation with an Ethereum node on its peer-to-peer port, without a socket and without a clock: handshake, Hello, Status,
 * then heads, headers and bodies. Bytes and times in; events, bytes and a deadline out. Both roles.
 *
 *	peer_new → the owner connects → loop {
 *		read:   p = peer_space(); recv; peer_received(n)
 *		events: while (peer_next(now, &ev) == ST_OK) use(ev);       ST_AGAIN: wait for bytes or peer_deadline
 *		write:  p = peer_out(); send; peer_sent(n) }
 *	end of file: peer_eof says what that means.   going: peer_bye, flush, give it 200 ms, close.
 *
 * What it does by itself: answers Ping (a few per second), pings every 15 s (go-ethereum closes what says nothing for 30 s),
 * mirrors Status, answers BSC's UpgradeStatus, answers every request with an empty list (else timeouts drop us), checks
 * answers against what was asked. It never offers anything: no blocks, no transactions, no port.
 */
#ifndef NET_DEVP2P_PEER_H
#define NET_DEVP2P_PEER_H

#include "net/devp2p/eth.h"
#include "net/devp2p/p2p.h"
#include "net/devp2p/rlpx.h"

enum {
	PEER_REQUESTS_MAX = 16, /* on their way at once */
	PEER_BACKOFF_S = 35, /* between two attempts at one node: go-ethereum takes one per 30 s and address */
	PEER_GRACE_MS = 200, /* between a Disconnect of ours and closing */
	PEER_ANSWER_S = 15, /* a request without an answer is a miss */
};

struct peer;

/*
 * Who listens to a conversation: each message when it comes, before anything is made of it, and each of ours when it is
 * queued, our Hello apart, which says nothing but our key. code: as on the wire; data: decompressed, without the code.
 */
struct peer_tap {
	void *ctx;
	void (*in)(void *ctx, const struct rlpx_msg *m);
	void (*out)(void *ctx, uint64_t code, const void *data, size_t n, uint64_t now_ns);
};

struct peer_opts {
	enum rlpx_role role;
	const uint8_t *key; /* CURVE_KEY bytes or NULL: random. Two connections with one key are one too many for a node. */
	const uint8_t *remote; /* CURVE_PUB bytes: node id from the enode URL; the recipient has NULL */
	const char *client; /* of our Hello; NULL: "chaintop" */
	/* said at once after Hello; NULL: the other side's is mirrored (nobody begins between two such) */
	const struct eth_status *status;
	unsigned only_version; /* 68, 69 or 70: offer no other; 0: all */
	uint64_t ping_ns; /* 0: 15 s; UINT64_MAX: never by itself */
	const struct handshake_fixed *fixed; /* tests: NULL otherwise */
	const struct peer_tap *tap; /* or NULL; borrowed */
};

/* Times are monotonic ns of the owner's. ST_USAGE: key or node id are none. */
enum status peer_new(struct peer **out, const struct peer_opts *o, uint64_t now_ns, struct err *e) MUST_CHECK;
void peer_free(struct peer *p); /* NULL is allowed */

/* Moving bytes: as in rlpx.h. */
uint8_t *peer_space(struct peer *p, size_t *n) MUST_CHECK;
void peer_received(struct peer *p, size_t n, uint64_t now_ns, uint64_t wall_ns);
const uint8_t *peer_out(const struct peer *p, size_t *n);
void peer_sent(struct peer *p, size_t n);

enum peer_phase {
	PEER_SHAKING, /* keys */
	PEER_GREETING, /* Hello */
	PEER_MATCHING, /* Status */
	PEER_LIVE,
	PEER_DEAD,
};
enum peer_phase peer_phase(const struct peer *p);
/* "RLPx", "Hello", "Status", "" once live: for "connecting…". */
const char *peer_doing(const struct peer *p);

enum peer_event_kind {
	PEER_SECURE, /* the node proved that it has its key; peer_remote */
	PEER_HELLO, /* hello */
	PEER_STATUS, /* status: live now, requests may be made */
	PEER_HEADERS, /* answer: headers, checked: they are what was asked for, and linked */
	PEER_BODIES, /* answer: bodies in the order asked for, maybe fewer. verify_block proves them. */
	PEER_MISS, /* answer: nothing, or not what was asked for (code, text), or none in time (ST_TIMEOUT) */
	PEER_HASHES, /* hashes: NewBlockHashes */
	PEER_BLOCK, /* block: NewBlock */
	PEER_RANGE, /* range: BlockRangeUpdate, about every two minutes */
	PEER_PONG, /* rtt_ns */
	PEER_ASKED, /* it asked for something (code) and got an empty list */
	PEER_OTHER, /* any other message (code), ignored: transactions and their hashes */
	PEER_ODD, /* something that should not be (text); the conversation goes on */
};

enum peer_want { PEER_WANT_HEADERS, PEER_WANT_BODIES };

/* Pointers and views hold until the next call of peer_next, peer_space or peer_free. */
struct peer_event {
	enum peer_event_kind kind;
	uint64_t recv_ns, wall_ns; /* of the message's first byte; 0 for timeouts */
	unsigned code; /* enum eth_code of eth's messages */
	const uint8_t *data; /* of the message behind the event, decompressed; NULL for timeouts */
	size_t bytes, wire; /* of it, and on the wire */
	union {
		const struct p2p_hello *hello;
		struct {
			const struct eth_status *status;
			unsigned version; /* of eth */
		} status;
		struct {
			uint64_t id; /* as the request returned it */
			enum peer_want want;
			uint64_t took_ns;
			struct rlp list; /* of headers (block_rlp.h) or bodies (eth_body_decode) */
			unsigned n;
			enum status code; /* PEER_MISS: ST_NULL nothing, ST_WRONG_BLOCK, ST_MALFORMED, ST_TIMEOUT */
		} answer;
		struct eth_hashes hashes;
		struct eth_new_block block;
		struct eth_range range;
		uint64_t rtt_ns;
	} u;
	char text[200]; /* PEER_MISS, PEER_ODD: what is wrong, safe to print; else "" */
};

/*
 * The next event. ST_AGAIN: none now. Else it is over, and *e says why in words for the user: ST_CLOSED with the node's reason
 * (detail: enum p2p_reason), ST_UNSUPPORTED (nothing in common), ST_MALFORMED, ST_TOO_BIG, ST_TIMEOUT, ST_AUTH (another key than
 * the URL's). What then is in peer_out (a Disconnect with our reason) should still be sent.
 */
enum status peer_next(struct peer *p, uint64_t now_ns, struct peer_event *ev, struct err *e) MUST_CHECK;
/* When peer_next wants to be called again even if no byte comes. */
uint64_t peer_deadline(const struct peer *p);
/*
 * We wait for what comes next (handshake, Pong, an answer): the socket should then set TCP_QUICKACK before each read.
 * Nodes that write
 * a frame in two pieces with Nagle's algorithm on wait for our acknowledgement, which the kernel delays by 40 ms; the
 * option does not last, so it is set again and again.
 */
bool peer_in_hurry(const struct peer *p);
/* The other side closed the connection: fills *e with what that means in this phase. Returns its code. */
enum status peer_eof(struct peer *p, struct err *e);

/* Requests: only when live. *id gets their name. ST_AGAIN: too many on their way, or not live. */
enum status peer_get_headers(struct peer *p, uint64_t now_ns, const struct hash *hash, uint64_t number, unsigned limit,
			     bool reverse, uint64_t *id, struct err *e) MUST_CHECK;
enum status peer_get_bodies(struct peer *p, uint64_t now_ns, const struct hash *hashes, unsigned n, uint64_t *id,
			    struct err *e) MUST_CHECK;
/* Any time after Hello. One at a time, it has no name: ST_AGAIN while one is on its way. */
enum status peer_ping(struct peer *p, uint64_t now_ns, struct err *e) MUST_CHECK;
/* Any message of eth (tests, and the recipient's answers); code is relative. */
enum status peer_send(struct peer *p, unsigned code, const void *data, size_t n, struct err *e) MUST_CHECK;
/* Says good-bye if that can be understood already. Nothing else is sent afterwards. */
void peer_bye(struct peer *p, enum p2p_reason reason);

/*
 * A conversation that was recorded: a peer without a connection, to which the messages of both sides are handed again, as its tap
 * got them. Nothing is sent, nothing is due. version: 0 if it begins with a Hello, else the version of eth that is
 * spoken. ST_NOMEM.
 */
enum status peer_new_played(struct peer **out, unsigned version, struct err *e) MUST_CHECK;
/* As peer_next: what this message means. ST_AGAIN: nothing. */
enum status peer_play_in(struct peer *p, const struct rlpx_msg *m, struct peer_event *ev, struct err *e) MUST_CHECK;
/* A message of ours. True if it asks for headers or bodies: *id is its name, *hash what it asks for (zero: by *number). */
bool peer_play_out(struct peer *p, uint64_t code, const void *data, size_t n, uint64_t now_ns, uint64_t *id,
		   struct hash *hash, uint64_t *number, unsigned *limit);
/* The request with this name got no answer in time: PEER_MISS. False: there is no such. */
bool peer_play_timeout(struct peer *p, uint64_t id, uint64_t now_ns, struct peer_event *ev);

const uint8_t *peer_remote(const struct peer *p); /* CURVE_PUB bytes */
const uint8_t *peer_own(const struct peer *p);
const struct p2p_hello *peer_hello(const struct peer *p); /* NULL before */
const struct eth_status *peer_status(const struct peer *p); /* NULL before */
unsigned peer_version(const struct peer *p); /* of eth; 0 before Hello */

struct peer_stats {
	struct rlpx_stats wire;
	uint64_t reads, writes; /* system calls, as the owner told by peer_received and peer_sent */
	uint64_t in[ETH_CODES], in_bytes[ETH_CODES], out[ETH_CODES], out_bytes[ETH_CODES]; /* eth, by code; decompressed */
	uint64_t base_in, base_in_bytes, base_out, base_out_bytes; /* Hello, Ping, Pong, Disconnect */
	uint64_t odd, pings_unanswered;
	uint64_t rtt_ns; /* of the last ping, 0: none yet */
	int reason; /* of its Disconnect, P2P_NO_REASON if none was said */
	bool disconnected; /* it said Disconnect */
};
void peer_stats(const struct peer *p, struct peer_stats *s);

#endif
