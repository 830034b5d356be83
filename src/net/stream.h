/*
 * A byte stream to a peer: TCP, TLS or a unix socket, with proxy and DNS, through libcurl's CONNECT_ONLY (rules: design.md §3.1).
 * ws, ipc and devp2p stand on it. Belongs to one thread. Also owns the loop that waits for all streams, HTTP transfers
 * and wakes of a thread.
 */
#ifndef NET_STREAM_H
#define NET_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/url.h"

/* Options of all transports, from the command line and the config. Strings are borrowed and must outlive the connections. */
struct net_opts {
	const char *const *headers; /* "Name: value", n_headers of them; checked: no CR, LF */
	unsigned n_headers;
	const char *jwt_file; /* HS256 secret (hex, 32 bytes): a fresh token per request or handshake; or NULL */
	const char *cacert; /* or NULL */
	bool insecure;
	const char *proxy; /* or NULL: the environment's, but never for loopback, unix and enode:// */
	uint64_t connect_timeout_ns; /* 0: 10 s */
	uint64_t request_timeout_ns; /* 0: 30 s; HTTP: whole transfer */
	size_t max_message; /* 0: 128 MiB */
	uint64_t ping_ns; /* WebSocket: 0: 10 s */
};

/* Once in main before any thread. */
enum status net_global_init(struct err *e) MUST_CHECK;
void net_global_fini(void);
const char *net_version(void); /* of the library, for --version */

struct net_loop;
struct net_loop *net_loop_new(void); /* one per thread; NULL without memory */
void net_loop_free(struct net_loop *l); /* after all its streams and transports */
/* Watches fd for reading besides (the thread's wake). */
enum status net_loop_watch(struct net_loop *l, int fd) MUST_CHECK;
/* Waits until something is readable or writable or timeout_ms passed (−1: no limit), and lets curl do its part. Never spins. */
enum status net_loop_wait(struct net_loop *l, int timeout_ms, struct err *e) MUST_CHECK;
/*
 * Sends at once what was added since the last wait (HTTP requests), for who is busy before the next one. May be called
 * in callbacks.
 */
void net_loop_push(struct net_loop *l);

/* Phases of a connection in ns since its start; 0: not reached (or not needed). */
struct net_phases {
	uint64_t dns, tcp, tls, ready;
};

enum stream_state { STREAM_CONNECTING, STREAM_OPEN, STREAM_DEAD };

struct stream;
/* Starts to connect; one stream = one connection. IPC paths longer than a socket address allows are handled. tls by scheme. */
enum status stream_open(struct stream **out, struct net_loop *l, const struct url *u, const struct net_opts *o, struct err *e)
	MUST_CHECK;
void stream_close(struct stream *s); /* NULL is allowed */
/*
 * Advances connecting; on STREAM_DEAD *e says why (ST_DNS, ST_REFUSED, ST_UNREACH, ST_TLS, ST_PROXY, ST_TIMEOUT, …)
 * with a cure.
 */
enum stream_state stream_state(struct stream *s, struct err *e);
const struct net_phases *stream_phases(const struct stream *s);
/* The same while it still connects: what is done so far. */
void stream_phases_so_far(const struct stream *s, struct net_phases *p);
/*
 * Reads at most size bytes (≥ 16 KiB). ST_AGAIN: nothing now. ST_CLOSED: end of file. ST_RESET. *n is set on ST_OK only (> 0).
 * For TLS: read until ST_AGAIN before the next wait.
 */
enum status stream_recv(struct stream *s, void *p, size_t size, size_t *n, struct err *e) MUST_CHECK;
/*
 * Queues a copy of the bytes and sends what the socket takes; the rest goes out in stream_flush. The queue is bounded:
 * ST_TOO_BIG if more than limit_bytes (16 MiB) wait. Keeps rule 4: after AGAIN the same pointer and length are tried again.
 */
enum status stream_send(struct stream *s, const void *p, size_t n, struct err *e) MUST_CHECK;
/* The same for two pieces that follow each other. */
enum status stream_send2(struct stream *s, const void *a, size_t a_n, const void *b, size_t b_n, struct err *e) MUST_CHECK;
enum status stream_flush(struct stream *s, struct err *e) MUST_CHECK;
/* Bytes that wait to be sent. */
size_t stream_queued(const struct stream *s);
/* "DNS", "TCP", "TLS", "socket" while it connects, else "". */
const char *stream_doing(const struct stream *s);
/*
 * TCP: what comes next is acknowledged at once, for who waits for a peer that writes a message in pieces. The kernel
 * forgets it, so it is said before each read.
 */
void stream_quick_ack(struct stream *s);
/* The kernel's own, smoothed round trip of a TCP connection in ns; UINT64_MAX: not told by this system, or no TCP. */
uint64_t stream_rtt(const struct stream *s);
/* Local "address:port → address:port" for the log; "" for unix. */
void stream_describe(const struct stream *s, char *out, size_t size);

#endif
