/* Listening sockets of `chaintop serve`: non-blocking, close-on-exec, bound before any thread runs. */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stddef.h>

#include "base/err.h"

/*
 * word: "127.0.0.1:8545", "[::1]:8545", "localhost:8545"; ":8545" and "8545" mean 127.0.0.1. Port 0 takes a free one. Names are
 * not resolved. *fd is the caller's; show (≥ 64 bytes) gets the address as it stands in a URL. ST_USAGE for a word that is none.
 */
enum status listen_tcp(const char *word, int *fd, char *show, size_t size, struct err *e) MUST_CHECK;
/*
 * A unix socket that only its owner may use (0600). A socket file that nobody listens on any more is replaced; one that somebody
 * listens on, or a file that is no socket, is an error. Who stops unlinks it.
 */
enum status listen_unix(const char *path, int *fd, struct err *e) MUST_CHECK;

#endif
