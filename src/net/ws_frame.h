/*
 * WebSocket framing, RFC 6455 §5: bytes to messages and back, without a socket. The client's side: what
 * comes must be unmasked and use no extension, what goes out is masked.
 * UTF-8 is not checked: the JSON decoder looks at every byte anyway.
 */
#ifndef NET_WS_FRAME_H
#define NET_WS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/rx.h"

enum ws_opcode { WS_CONT = 0, WS_TEXT = 1, WS_BINARY = 2, WS_CLOSE = 8, WS_PING = 9, WS_PONG = 10 };

enum {
	WS_CONTROL_MAX = 125, /* §5.5 */
	WS_HEAD_MAX = 14, /* 2 + 8 of length + 4 of mask */
};

enum ws_event {
	WS_MORE, /* nothing whole: read more */
	WS_MESSAGE, /* text or binary, all fragments: data, n, mark; data[n] is 0 */
	WS_CONTROL, /* opcode, data, n */
	WS_BAD, /* against the protocol, or over the limit: *err says it, the connection must end */
};

/* Reads messages out of rx. A message in one frame is handed out in place; fragments are moved together, each byte once. */
struct ws_reader {
	struct rx rx;
	size_t limit;
	/* The message in progress, relative to rx.begin. */
	bool in_message, in_frame, fin;
	enum ws_opcode kind;
	size_t start, len; /* its payload so far */
	uint64_t left; /* bytes of the frame still to come */
	size_t pos; /* first byte not yet looked at */
	bool marked;
	struct rx_mark mark;
	size_t done; /* bytes to drop at the next call */

	/* Of the last event; valid until the next call. */
	enum ws_opcode opcode;
	const char *data;
	size_t n;
	size_t end; /* the message ends before rx.p[end] on the wire: for rx_meta */
};

void ws_reader_init(struct ws_reader *r, size_t limit);
void ws_reader_fini(struct ws_reader *r);
/*
 * Where to read to: ≥ RX_READ bytes. NULL without memory. To be followed by rx_commit(&r->rx, …) and ws_reader_next
 * until WS_MORE.
 */
char *ws_reader_space(struct ws_reader *r, size_t *n);
enum ws_event ws_reader_next(struct ws_reader *r, struct err *e);

/* Head of a whole (FIN), masked client frame into out[WS_HEAD_MAX]; returns its size. */
size_t ws_head_write(uint8_t *out, enum ws_opcode opcode, uint64_t n, const uint8_t key[4]);
/* out = in XOR key (§5.3); out may be in. */
void ws_mask(char *out, const char *in, size_t n, const uint8_t key[4]);

#endif
