/*
 * The transports that can push, WebSocket and unix socket, on libwebsockets with a thread of its own, which also lets the head
 * advance. What keeps libwebsockets fast and honest (measured with 4.1.6):
 *   - a message is one lws_write and tx_packet_size is larger than any message, else every 4 KiB are a send of their own;
 *   - what a send leaves over is copied by the library once; until that is gone nothing more is read from that client, because
 *     the library would be woken for ever by a request it does not read;
 *   - the listening sockets are ours: the library unlinks whatever stands at the path of a unix socket.
 */
#ifndef SERVE_DUPLEX_H
#define SERVE_DUPLEX_H

#include "serve/node.h"

struct duplex;

struct duplex_opts {
	struct node *node; /* outlives the server */
	int ws_fd, ipc_fd; /* listening sockets, taken over whatever happens; −1: none */
	uint64_t interval_ns; /* the head advances each; 0: never */
};

enum status duplex_start(struct duplex **d, const struct duplex_opts *o, struct err *e) MUST_CHECK;
/* Closes what is open and waits for the thread. */
void duplex_stop(struct duplex *d);

#endif
