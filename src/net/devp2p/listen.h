/*
 * The recipient's socket, for tests and benchmarks: loopback and nothing else, because chaintop offers no service to peers.
 */
#ifndef NET_DEVP2P_LISTEN_H
#define NET_DEVP2P_LISTEN_H

#include <stdint.h>

#include "base/err.h"

/* Listens on 127.0.0.1. *port 0: any free one; gets the one that was taken. ST_IO. The caller closes *fd. */
enum status listen_open(int *fd, uint16_t *port, struct err *e) MUST_CHECK;
/* Waits for the next connection, at most timeout_ms (−1: no limit). ST_TIMEOUT, ST_IO. */
enum status listen_accept(int fd, int timeout_ms, int *peer, struct err *e) MUST_CHECK;
/* Connects to 127.0.0.1. */
enum status listen_connect(int *fd, uint16_t port, struct err *e) MUST_CHECK;

#endif
