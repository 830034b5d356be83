/*
 * What the user names as an endpoint (design.md §6): ws:// wss:// http:// https:// URLs, host:port words, socket paths.
 * Everything secret (userinfo, path, query) stays inside; url_show is the only form that may be printed.
 */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum url_scheme {
	URL_WS,
	URL_WSS,
	URL_HTTP,
	URL_HTTPS,
	URL_IPC, /* /path, ./path, *.ipc, ipc:/path */
	URL_GUESS, /* localhost, host:port, :8545: try http, then ws */
	URL_RECORDING, /* *.ct */
	URL_ENODE, /* enode://: a node's peer-to-peer port, RLPx */
};

struct url {
	enum url_scheme scheme;
	char name[33]; /* NAME of NAME=URL, "" if none */
	char host[256]; /* without brackets; "" for IPC */
	uint16_t port;
	/* heap: path and query, "/" at least; for IPC the file path; for ENODE the node id, 128 hex digits; else SECRET */
	char *target;
	char *user, *pass; /* heap or NULL, percent-decoded; SECRET */
};

/*
 * Parses a word of the command line or config. ST_USAGE with a cure if it is none: unknown scheme, enr: (said in one
 * sentence), empty host, bad port, CR or LF or other controls in any part, a socket path that is a relative word
 * without ./ .
 * On failure nothing is left to free.
 */
enum status url_parse(struct url *u, const char *word, struct err *e) MUST_CHECK;
enum status url_copy(struct url *to, const struct url *from) MUST_CHECK;
void url_fini(struct url *u);
/* "host:port" or the path's last two parts for IPC: never a secret. Returns out. */
char *url_show(char *out, size_t size, const struct url *u);
/* "ws", "wss", "http", "https", "ipc", "rlpx": the `via` column. GUESS gives "auto". */
const char *url_via(enum url_scheme s);
/* Loopback host or a unix socket: no proxy, faster polling, pending transactions allowed. */
bool url_is_local(const struct url *u);
/*
 * Replaces anything in text that looks like u's secrets (target, user, pass; headers are the caller's), or at its end like the
 * beginning of one, by "…", in place: for error texts, of libraries and nodes, that may be cut.
 */
void url_redact(const struct url *u, char *text);
/* The same for one secret of another source (a header's value); NULL is allowed. */
void url_hide(char *text, const char *secret);

#endif
