/*
 * RLPx version 4's key exchange as EIP-8 has it, both roles, without a socket: auth from the initiator, ack from the
 * recipient, each be16(size) ‖ ECIES(rlp(body) ‖ padding). What comes out are the keys of the frames (net/devp2p/frame.h).
 *
 * Reading is tolerant as EIP-8 demands: version, further list items and all bytes behind the list are ignored. The older
 * form without a size is not spoken any more (go-ethereum dropped it).
 */
#ifndef NET_DEVP2P_HANDSHAKE_H
#define NET_DEVP2P_HANDSHAKE_H

#include <stddef.h>

#include "eth/keccak.h"
#include "net/devp2p/curve.h"

enum {
	HANDSHAKE_MAX = 2048, /* of a packet behind its size: what go-ethereum accepts */
	HANDSHAKE_MS = 5000, /* go-ethereum allows this for the exchange and Hello together */
};

enum rlpx_role { RLPX_INITIATOR, RLPX_RECIPIENT };

struct rlpx_secrets {
	uint8_t aes[32], mac[32];
	struct keccak egress, ingress;
};

/* Fixed in place of random values: for tests alone. */
struct handshake_fixed {
	uint8_t ephemeral[CURVE_KEY], nonce[32];
};

/* Caller's storage. Everything secret in it is wiped by handshake_fini. */
struct handshake {
	enum rlpx_role role;
	struct curve *curve; /* borrowed */
	bool done;
	uint8_t key[CURVE_KEY], ephemeral[CURVE_KEY], nonce[32];
	uint8_t remote[CURVE_PUB]; /* static key of the other side: given to the initiator, learnt by the recipient */
	uint8_t remote_ephemeral[CURVE_PUB], remote_nonce[32];
	size_t in_n, out_n; /* in: bytes so far */
	uint8_t in[2 + HANDSHAKE_MAX], out[2 + HANDSHAKE_MAX]; /* whole packets: both go into the MACs */
};

/*
 * key: our static key; remote: the initiator's target, NULL for the recipient. The curve must outlive h. The initiator's packet
 * is then in h->out[h->out_n]. fixed is NULL outside of tests. ST_USAGE: remote or key is none; ST_INTERNAL: no randomness.
 */
enum status handshake_init(struct handshake *h, enum rlpx_role role, struct curve *curve, const uint8_t key[CURVE_KEY],
			   const uint8_t *remote, const struct handshake_fixed *fixed, struct err *e) MUST_CHECK;
/*
 * Takes bytes from the peer; *used of them belong to the handshake, the rest are frames. ST_AGAIN: more are needed.
 * ST_OK: done; the recipient's packet is in h->out[h->out_n]. ST_MALFORMED: not a handshake for us; one text
 * for all that can be wrong in it, so that nothing is told to who tries.
 */
enum status handshake_take(struct handshake *h, const uint8_t *p, size_t n, size_t *used, struct err *e) MUST_CHECK;
/* After ST_OK. ST_INTERNAL if the arithmetic fails. */
enum status handshake_secrets(const struct handshake *h, struct rlpx_secrets *s, struct err *e) MUST_CHECK;
void handshake_fini(struct handshake *h);

#endif
