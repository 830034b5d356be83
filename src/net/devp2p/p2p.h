/*
 * devp2p's base protocol "p2p": who the other side is, what both can speak, and why it leaves. Pure bytes ↔ values; everything
 * that is a peer's text comes out cleaned.
 */
#ifndef NET_DEVP2P_P2P_H
#define NET_DEVP2P_P2P_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "eth/p2p_reason.h"
#include "net/devp2p/curve.h"

enum p2p_code { P2P_HELLO = 0x00, P2P_DISCONNECT = 0x01, P2P_PING = 0x02, P2P_PONG = 0x03 };

enum {
	P2P_VERSION = 5, /* from 5 on everything behind Hello is compressed */
	P2P_CODES = 0x10, /* messages of the sub-protocols begin here */
	P2P_CAPS_MAX = 32,
};

struct p2p_cap {
	char name[16]; /* "eth"; cleaned, a longer one is clipped */
	uint32_t version;
};

struct p2p_hello {
	uint64_t version;
	char client[160]; /* "Geth/v1.17.10-stable/linux-amd64/go1.26", cleaned, clipped */
	struct p2p_cap caps[P2P_CAPS_MAX];
	unsigned n_caps, more_caps; /* kept here; not kept */
	uint64_t port; /* 0: does not listen */
	uint8_t id[CURVE_PUB]; /* must equal the handshake's key */
};

/*
 * Further items are ignored. ST_MALFORMED says what is wrong. more_caps is not an error: a peer with 33 capabilities is odd, no
 * more.
 */
enum status p2p_hello_decode(const uint8_t *p, size_t n, struct p2p_hello *h, struct err *e) MUST_CHECK;
enum status p2p_hello_encode(struct buf *b, const struct p2p_hello *h) MUST_CHECK;
/* Is a capability among them? */
bool p2p_has(const struct p2p_hello *h, const char *name, uint32_t version);

/* "eth/68 eth/69 snap/1", clipped. Returns out. */
char *p2p_caps_text(char *out, size_t size, const struct p2p_hello *h);

/* [reason], a bare reason, or nothing: all are in use. A number above 255 is P2P_NO_REASON. */
int p2p_reason(const uint8_t *p, size_t n);
/* [reason] into out[4]; returns its length. */
size_t p2p_disconnect_encode(uint8_t out[4], enum p2p_reason reason);

/* A capability of ours: its version and how many codes it takes. */
struct p2p_proto {
	const char *name;
	uint32_t version, length;
};

struct p2p_match {
	const struct p2p_proto *proto;
	uint32_t offset; /* of its first code */
};

/*
 * What is shared: per name (in the order of the alphabet) the highest version that both have, codes from P2P_CODES on.
 * ours[n]; out has room for n. Returns how many.
 */
unsigned p2p_share(const struct p2p_proto *ours, unsigned n, const struct p2p_hello *theirs, struct p2p_match *out);

#endif
