/* What peer.c and peer_eth.c share. Nobody else includes it. */
#ifndef NET_DEVP2P_PEER_PRIV_H
#define NET_DEVP2P_PEER_PRIV_H

#include "net/devp2p/peer.h"

struct request {
	uint64_t id, sent_ns;
	enum peer_want want;
	bool used, by_hash, reverse;
	struct hash hash;
	uint64_t number;
	unsigned limit;
};

struct peer {
	struct rlpx *rlpx; /* NULL: played, nothing is sent */
	struct peer_opts o;
	char client[64];
	struct eth_status own_status;
	enum peer_phase phase;
	bool said_status, said_bye;
	struct p2p_hello hello;
	struct eth_status status;
	const struct p2p_proto *proto;
	uint32_t offset;
	uint64_t began_ns, phase_ns; /* start of all, of this phase */
	uint64_t read_ns; /* last bytes came */
	uint64_t ping_ns, pong_due_ns; /* next ping by itself; 0: none on its way */
	uint64_t pinged_ns;
	uint64_t tokens, token_ns; /* pongs that may be sent, in 1/1000 */
	struct request requests[PEER_REQUESTS_MAX];
	uint64_t last_id;
	uint64_t now_ns; /* of the call that is at work */
	struct buf out; /* one message being written */
	struct peer_stats stats;
	struct err why; /* phase is PEER_DEAD */
};

void peer_enter(struct peer *p, enum peer_phase phase, uint64_t now_ns);
/* The end; e is filled. reason: what the other side is told, P2P_NO_REASON: nothing. Returns e's code. */
enum status peer_die(struct peer *p, const struct err *e, int reason);
void peer_odd(struct peer *p, struct peer_event *ev, const char *text);
/* Hands a message to the connection and the tap; code as on the wire. */
enum status peer_queue(struct peer *p, uint64_t code, const void *data, size_t n, struct err *e);
/* What a message of the other side means. ST_AGAIN: nothing. Else ST_OK, or dead. */
enum status peer_handle(struct peer *p, const struct rlpx_msg *m, uint64_t now_ns, struct peer_event *ev, struct err *e);
/* The event of a request that had no answer; gives its place back. */
void peer_expire(struct request *r, uint64_t now_ns, struct peer_event *ev);

/* peer_eth.c. m NULL: our own Status, else the mirror of that one. */
enum status peer_say_status(struct peer *p, const struct rlpx_msg *m, struct err *e);
/* A message of eth: ST_OK: *ev is filled; else dead. */
enum status peer_on_eth(struct peer *p, const struct rlpx_msg *m, uint64_t now_ns, struct peer_event *ev, struct err *e);

#endif
