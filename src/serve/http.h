/* JSON-RPC over HTTP: POST, kept alive, pipelined, chunked. libmicrohttpd with a thread of its own. */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include "serve/node.h"

struct http;

/* fd: a listening socket, taken over whatever happens. The node outlives the server. */
enum status http_start(struct http **h, struct node *n, int fd, struct err *e) MUST_CHECK;
/* Closes what is open and waits for the thread. */
void http_stop(struct http *h);

#endif
