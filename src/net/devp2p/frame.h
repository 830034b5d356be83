/*
 * RLPx frames, both directions, without a socket (devp2p's rlpx.md, "Framing"):
 *
 *	header ciphertext (16) ‖ header MAC (16) ‖ body ciphertext (R) ‖ body MAC (16)
 *
 * header = be24(size) ‖ c2 80 80 ‖ zeros; body = rlp(code) ‖ data, filled with zeros to R, a multiple of 16. AES-256-CTR over
 * headers and bodies as one stream; the MAC is one never-ending Keccak state.
 *
 * Buffers. Writing: data is written (compressed) straight to its place in the output queue, encrypted there, and any number of
 * frames leave with one send. Reading: bulk reads into one receive buffer, decryption in place, bodies handed out as views.
 * A large body is authenticated and decrypted as it comes, so that no frame costs more than one read's worth of work at
 * once; nobody sees it before its MAC was right.
 *
 * MACs. Nothing is absorbed between a body's MAC and the next header, so that sum is kept: one Keccak permutation less per
 * frame. And nothing depends on a header's MAC but the peer: its last permutation is done beside the body's first one, where the
 * processor does two at once (eth/keccak.h). Of the 3 + (R + 32) / 136 permutations that a frame needs, one is free then.
 */
#ifndef NET_DEVP2P_FRAME_H
#define NET_DEVP2P_FRAME_H

#include <stdbool.h>

#include "net/devp2p/handshake.h"
#include "net/rx.h"

enum {
	FRAME_HEAD = 32,
	FRAME_MAC = 16,
	FRAME_MAX = 0xffffff, /* of the size field */
	FRAME_CODE_MAX = 9,
	FRAME_TX_KEEP = 256 * 1024, /* memory kept in the output queue between bursts */
	FRAME_TX_LIMIT = 40 * 1024 * 1024, /* most that may wait in it: two of the largest frames */
	FRAME_CALM = 16, /* this many small bursts or messages, and what a big one needed is given back */
};

struct frame_mac {
	struct keccak state;
	struct keccak_sum header; /* the header's MAC, put off */
	void *aes; /* EVP_CIPHER_CTX: AES-256-ECB */
	uint8_t sum[32]; /* of the state, if known */
	bool known, pairs;
	uint64_t permutations; /* a pair done at once counts as one */
};

struct frame_tx {
	struct frame_mac mac;
	void *ctr; /* EVP_CIPHER_CTX */
	uint8_t *p;
	size_t begin, end, cap; /* p[begin … end) waits to be sent */
	size_t data; /* offset of the data of the frame being written, 0: none */
	uint64_t code;
	unsigned calm;
	uint64_t frames, bytes;
};

enum status frame_tx_init(struct frame_tx *t, const struct rlpx_secrets *s, struct err *e) MUST_CHECK;
void frame_tx_fini(struct frame_tx *t); /* also for a zeroed one */
/*
 * Begins a frame: room for max bytes of data, to be filled and closed by frame_tx_seal with no other call between.
 * NULL: ST_TOO_BIG (frame, or too much is waiting) or ST_NOMEM in *e.
 */
uint8_t *frame_tx_data(struct frame_tx *t, uint64_t code, size_t max, struct err *e) MUST_CHECK;
/* n bytes of data were written (≤ max). ST_TOO_BIG: over FRAME_MAX after all, nothing is queued. ST_INTERNAL. */
enum status frame_tx_seal(struct frame_tx *t, size_t n, struct err *e) MUST_CHECK;
/* All that waits, for one send; NULL and 0 if nothing. Valid until the next call. */
const uint8_t *frame_tx_out(const struct frame_tx *t, size_t *n);
/* The first n bytes of it are sent. */
void frame_tx_sent(struct frame_tx *t, size_t n);
/* Gives back what a burst needed, if nothing waits. */
void frame_tx_trim(struct frame_tx *t);

struct frame {
	uint64_t code;
	uint8_t *data; /* in the receive buffer, until the next frame_rx_space or frame_rx_next; may be changed */
	size_t n, wire; /* bytes of data; bytes of the whole frame */
	struct rx_mark mark; /* when it began to come */
};

struct frame_rx {
	struct rx rx; /* the handshake reads from it too, before the keys are there */
	struct frame_mac mac;
	void *ctr;
	size_t max; /* larger size fields are refused */
	size_t size, padded; /* of the body whose header is verified */
	size_t done; /* bytes of it that are authenticated into the MAC and decrypted */
	uint8_t want[FRAME_MAC]; /* what came as the header's MAC */
	size_t out; /* bytes of the frame handed out last, still in the buffer */
	bool body, marked, dead;
	struct rx_mark mark;
	uint64_t frames, bytes;
};

void frame_rx_init(struct frame_rx *r, size_t max);
enum status frame_rx_keys(struct frame_rx *r, const struct rlpx_secrets *s, struct err *e) MUST_CHECK;
void frame_rx_fini(struct frame_rx *r);
/*
 * Room for one read, *n bytes ≥ 16 KiB: no further than a bit behind a large frame's end, so that little is ever moved.
 * NULL: ST_NOMEM.
 */
uint8_t *frame_rx_space(struct frame_rx *r, size_t *n);
/* n bytes were read there. */
void frame_rx_commit(struct frame_rx *r, size_t n, uint64_t now_ns, uint64_t wall_ns);
/*
 * The next whole frame; to be called until ST_AGAIN: no more for now. ST_MALFORMED (wrong MAC, bad code), ST_TOO_BIG (size over
 * max, told by an authentic header): the streams are out of step, nothing more can come.
 */
enum status frame_rx_next(struct frame_rx *r, struct frame *f, struct err *e) MUST_CHECK;
/* Bytes that are there and not handed out. */
size_t frame_rx_held(const struct frame_rx *r);

#endif
