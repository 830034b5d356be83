/*
 * The other side for the tests of net/: a server on the loopback (TCP, TLS or unix socket) that runs a script for each
 * connection in a thread of its own, and a client that collects what a transport calls back.
 */
#ifndef TESTS_UNIT_NET_PEER_H
#define TESTS_UNIT_NET_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/transport.h"

struct peer;

/* One connection, as its script sees it. */
struct conn {
	struct peer *peer;
	int fd;
	void *ssl; /* SSL *, or NULL */
	int n; /* 0 for the first connection of the peer */
	char in[65536]; /* the last request read */
	size_t in_n;
};

typedef void (*script_fn)(struct conn *c, void *arg);

/* Options of peer_start. */
struct peer_how {
	script_fn script;
	void *arg;
	const char *unix_path; /* or NULL: 127.0.0.1 and a free port */
	bool tls; /* with a self-signed certificate for "localhost" */
};

struct peer *peer_start(const struct peer_how *how);
void peer_stop(struct peer *p);
unsigned peer_port(const struct peer *p);
/* Path of the TLS certificate, as --cacert takes it. */
const char *peer_cert(const struct peer *p);
int peer_accepts(const struct peer *p);

/* For scripts. All give up when the peer stops, so that no test hangs. */
void put(struct conn *c, const void *p, size_t n);
void puts_(struct conn *c, const char *s);
/* One byte a write, so that reads come apart. */
void drip(struct conn *c, const void *p, size_t n);
/* Reads until the blank line and, with Content-Length, the body. False: the client went away. */
bool get_http(struct conn *c);
/* Exactly n bytes. */
bool get(struct conn *c, void *p, size_t n);
/* Until the client closes. */
void drain(struct conn *c);
/* The peer is being stopped: for scripts that wait for something of their own. */
bool conn_stopped(const struct conn *c);
/* Keeps the connection open without reading until the peer stops. */
void hold(struct conn *c);
/* Closes with a RST. */
void reset(struct conn *c);
/* Answers the WebSocket upgrade in c->in. extra: header lines, or "". */
void ws_welcome(struct conn *c, const char *extra);
void ws_put(struct conn *c, int byte0, const void *p, size_t n);
/* Reads one client frame: opcode, payload (unmasked, terminated) into c->in. −1: gone, or not masked. */
int ws_get(struct conn *c);
/* An HTTP answer with a Content-Length. */
void http_put(struct conn *c, const char *status, const char *headers, const char *body);

/* What a transport told. */
struct client {
	struct net_loop *loop;
	struct net_opts opts;
	struct url url;
	struct transport *t;
	int ups, messages, faileds, odds, downs;
	struct buf text; /* all messages, one a line; long ones as "#length" */
	struct net_meta meta; /* of the last message */
	struct net_phases phases;
	struct err err; /* of the last failed, odd or down */
	uint64_t retry_ns, token;
	char body[256]; /* of the last failed */
	const char *again; /* sent from inside each callback, if set */
};

void client_init(struct client *c, const char *url);
void client_fini(struct client *c);
/* Opens the transport; fails the test if that fails. */
void client_open(struct client *c);
void client_send(struct client *c, const char *text, uint64_t token);
/* Runs the loop until *what ≥ want. Fails the test after 10 s. */
void client_until(struct client *c, const int *what, int want);
/* Runs the loop for a while. */
void client_run(struct client *c, int ms);

#endif
