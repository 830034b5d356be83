/*
 * One RLPx connection without a socket: bytes in, messages out, and the other way round. Handshake, frames and compression in
 * one state machine; what the messages mean is the business of net/devp2p/peer.h. The owner moves bytes:
 *
 *	for (;;) {
 *		p = rlpx_space(r, &n);  got = recv(p, n);  rlpx_received(r, got, now, wall);
 *		while ((st = rlpx_next(r, &m, &e)) == ST_OK)
 *			use(&m);
 *		if (st != ST_AGAIN)
 *			close: e says why
 *		p = rlpx_out(r, &n);  sent = send(p, n);  rlpx_sent(r, sent);
 *	}
 *
 * Any number of rlpx_send before one rlpx_out: all of it leaves with one system call.
 */
#ifndef NET_DEVP2P_RLPX_H
#define NET_DEVP2P_RLPX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/devp2p/curve.h"
#include "net/devp2p/handshake.h"
#include "net/rx.h"

enum {
	RLPX_HELLO_MAX = 2048, /* decoded size of base messages, and of everything before Hello (as go-ethereum and reth) */
	RLPX_MESSAGE_MAX = 10 * 1024 * 1024, /* decoded size of others: go-ethereum's limit for eth */
	RLPX_BASE_CODES = 0x10, /* codes below are the base protocol's */
	RLPX_PLAIN_KEEP = 256 * 1024, /* memory kept for decompressed messages */
};

struct rlpx_opts {
	enum rlpx_role role;
	const uint8_t *key; /* CURVE_KEY bytes, or NULL: a fresh random one */
	const uint8_t *remote; /* CURVE_PUB bytes: the initiator's target; NULL for the recipient */
	size_t max_message; /* decoded; 0: RLPX_MESSAGE_MAX. At most 16 MiB. */
	const struct handshake_fixed *fixed; /* tests: NULL otherwise */
};

struct rlpx_msg {
	uint64_t code;
	const uint8_t *data; /* decompressed; until the next rlpx_next, rlpx_space or rlpx_trim */
	size_t n, wire; /* bytes of data; of the whole frame */
	struct rx_mark mark; /* when its first byte came */
};

struct rlpx_stats {
	uint64_t frames_in, frames_out, wire_in, wire_out, plain_in, plain_out;
	uint64_t perms_in, perms_out; /* Keccak permutations of the MACs */
};

struct rlpx;

/* ST_USAGE: a key is none. The initiator's first packet then waits in rlpx_out. */
enum status rlpx_new(struct rlpx **out, const struct rlpx_opts *o, struct err *e) MUST_CHECK;
void rlpx_free(struct rlpx *r); /* NULL is allowed; secrets are wiped */

/* Room for one read of the socket, *n ≥ 16 KiB. NULL: no memory. */
uint8_t *rlpx_space(struct rlpx *r, size_t *n) MUST_CHECK;
/* n bytes were read there; times of that read, for the marks. */
void rlpx_received(struct rlpx *r, size_t n, uint64_t now_ns, uint64_t wall_ns);
/*
 * The next message. ST_AGAIN: more bytes are needed. Anything else is final: ST_MALFORMED (not our key, wrong MAC,
 * compression broken), ST_TOO_BIG (a size over its limit, seen before any memory is taken for it), ST_NOMEM. Nothing
 * should be sent then: after a wrong MAC the streams are out of step.
 */
enum status rlpx_next(struct rlpx *r, struct rlpx_msg *m, struct err *e) MUST_CHECK;

/*
 * The handshake alone, for who wants to know when it is done before any message is looked at: ST_OK, ST_AGAIN, or final as above.
 * rlpx_next does the same by itself.
 */
enum status rlpx_shake(struct rlpx *r, struct err *e) MUST_CHECK;
/* When the first byte of the message that is still coming came; 0: none is. */
uint64_t rlpx_frame_began(const struct rlpx *r);

/* Are the keys there? The initiator may send from then on; the recipient has its ack in rlpx_out. */
bool rlpx_secure(const struct rlpx *r);
/* Public key of the other side: known to the recipient once secure. And ours. */
const uint8_t *rlpx_remote(const struct rlpx *r);
const uint8_t *rlpx_own(const struct rlpx *r);
/* Both Hellos went through: larger messages are allowed; snappy: both speak version 5 or later, all messages are compressed. */
void rlpx_hello_done(struct rlpx *r, bool snappy);

/* Queues a message. ST_TOO_BIG: it does not fit a frame, or the peer has not read for long; ST_NOMEM; ST_INTERNAL. */
enum status rlpx_send(struct rlpx *r, uint64_t code, const void *data, size_t n, struct err *e) MUST_CHECK;
/* Bytes for the socket; *n 0: none. Valid until the next call of any of these. */
const uint8_t *rlpx_out(const struct rlpx *r, size_t *n);
void rlpx_sent(struct rlpx *r, size_t n);
/* Nothing goes on: gives memory of large messages back. What rlpx_next gave is void then. */
void rlpx_trim(struct rlpx *r);
/* Bytes of memory that the buffers have. */
size_t rlpx_memory(const struct rlpx *r);
void rlpx_stats(const struct rlpx *r, struct rlpx_stats *s);

#endif
