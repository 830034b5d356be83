/*
 * What an HTTP answer's head says: status line and the few headers that matter, for the WebSocket upgrade; and what a status
 * means to the user, for both ws and http. Pure.
 */
#ifndef NET_HTTP_HEAD_H
#define NET_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/url.h"

struct net_opts;

enum { HTTP_HEAD_MAX = 16 * 1024 };

struct http_head {
	int status;
	uint64_t retry_ns; /* Retry-After, or 0 */
	bool upgrade; /* Upgrade: websocket */
	char accept[40]; /* Sec-WebSocket-Accept */
	char extensions[40], protocol[40]; /* Sec-WebSocket-… : we offer none, so must be "" */
	char host[128]; /* host of Location, "" if none or relative: never its path */
};

/*
 * Size of the head in p[0 … n) with its blank line, 0: not there yet, −1: this is not HTTP. Looks behind `from` only
 * for the end.
 */
long http_head_end(const char *p, size_t n, size_t from);
/* Reads a whole head. ST_MALFORMED if it is none. */
enum status http_head_parse(struct http_head *h, const char *p, size_t n, uint64_t wall_ns, struct err *e) MUST_CHECK;

/*
 * Retry-After, seconds or a date (RFC 9110 §10.2.3, all three date forms): ns from wall_ns, at least 1 ms, at most 300 s.
 * 0: neither.
 */
uint64_t http_retry_after(const char *s, size_t n, uint64_t wall_ns);
/* Host of an absolute URL into out (lower case, without port), "" if there is none. */
void http_location_host(char *out, size_t size, const char *s, size_t n);

/*
 * Says in words what status means: ST_AUTH, ST_RATE, ST_PROXY, else ST_HTTP; detail = status, with a cure. host: target of a
 * redirect, or "". For a WebSocket upgrade any status but 101 is a failure, 200 too.
 */
enum status http_status_err(struct err *e, int status, const char *host, const struct url *u, const struct net_opts *o);

#endif
