/*
 * A way to exchange JSON-RPC messages with a node. ws, ipc and http have one shape, so that feeds do not care;
 * a new transport is one file with a transport_class and one row in transport.c.
 * Everything runs on the feed's thread, callbacks included. A callback must not free the transport.
 */
#ifndef NET_TRANSPORT_H
#define NET_TRANSPORT_H

#include "net/stream.h"

enum transport_caps {
	TP_PUSH = 1u << 0, /* the node may send without being asked: subscriptions work */
	TP_LOCAL = 1u << 1,
};

/*
 * How a message came. Times: recv_ns and wall_ns are taken right after the read that brought its first byte (HTTP:
 * first header).
 */
struct net_meta {
	uint64_t recv_ns, wall_ns;
	uint64_t token; /* HTTP: the token of the request it answers; else 0 */
	uint64_t wire_bytes; /* what it cost on the wire: framing, headers, compressed body */
	/* "In transfer" (design.md §8): bytes after the first read and the time they took; reads < 2: not a sample. */
	uint64_t xfer_bytes, xfer_ns;
	uint32_t reads;
	int http_status; /* 0 but for HTTP */
};

struct net_handler {
	void *ctx;
	/* Usable now. HTTP says so with its first answer; until then requests are accepted all the same. */
	void (*up)(void *ctx, const struct net_phases *p);
	/* One whole message. text[n] is 0 and the bytes may be read until return. */
	void (*message)(void *ctx, const char *text, size_t n, const struct net_meta *m);
	/*
	 * HTTP only: this request failed, others may go on. retry_ns: Retry-After, or 0. body[body_n] is what came with a
	 * status ≥ 400, may be empty: a JSON-RPC error in it wins over the status.
	 */
	void (*failed)(void *ctx, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t body_n);
	/* Something was refused or odd but the connection goes on (oversized message skipped, stray frame): for counting. */
	void (*odd)(void *ctx, const struct err *e);
	/*
	 * The connection is gone (or could not be made); the transport is dead and will call no more. retry_ns: wait at
	 * least so long.
	 */
	void (*down)(void *ctx, const struct err *e, uint64_t retry_ns);
};

struct transport; /* each class has its own */

struct transport_class {
	const char *name; /* "ws" */
	unsigned caps;
	enum status (*open)(struct transport **out, struct net_loop *l, const struct url *u, const struct net_opts *o,
			    const struct net_handler *h, struct err *e);
	/* Sends one message. token comes back with the answer (HTTP). ST_AGAIN: too many are on their way. */
	enum status (*send)(struct transport *t, const char *text, size_t n, uint64_t token, struct err *e);
	/* Reads, writes, checks its own deadlines (handshake, ping, pong, close) and calls back. To be called after each wait. */
	void (*service)(struct transport *t, uint64_t now_ns);
	/* Next monotonic time at which service wants to be called even if nothing happens; UINT64_MAX: never. */
	uint64_t (*deadline)(const struct transport *t);
	void (*close)(struct transport *t); /* orderly if it can be had at once; frees */
	/* Bytes in and out on the wire since open. */
	void (*bytes)(const struct transport *t, uint64_t *in, uint64_t *out);
	/* What is going on now: "TCP", "TLS", "upgrade" … while connecting; "" once up. */
	const char *(*doing)(const struct transport *t);
	/* What of connecting is done so far took so long. */
	void (*phases)(const struct transport *t, struct net_phases *p);
};

/* Every transport starts with this. */
struct transport {
	const struct transport_class *class;
};

extern const struct transport_class transport_ws, transport_http, transport_ipc;
/* By scheme (URL_GUESS, URL_RECORDING and URL_ENODE give NULL). */
const struct transport_class *transport_find(enum url_scheme s);

#endif
