/*
 * Inside net/: what stream.c and http.c share about libcurl, without its header (curl is known to these two files only). Handles
 * are void * here.
 */
#ifndef NET_LOOP_H
#define NET_LOOP_H

#include <stdbool.h>

#include "net/stream.h"

/* What curl works on for somebody: a connection attempt or a transfer. Embedded in its owner. */
struct net_job {
	void *easy; /* CURL * */
	bool added, done;
	int result; /* CURLcode, when done */
};

/* Starts the job in the loop. It must be removed before its handle is cleaned up. */
enum status net_loop_add(struct net_loop *l, struct net_job *j, struct err *e) MUST_CHECK;
void net_loop_remove(struct net_loop *l, struct net_job *j);

enum { NET_BASE_MAX = 300 };
/* "http(s)://host:port", as curl wants it, without any secret. Returns out. */
char *net_base(char out[NET_BASE_MAX], const struct url *u);
/*
 * Options that every handle has: timeouts, TLS, proxy, unix socket. *dir_fd: −1, or a descriptor to keep until
 * connected (rule 7); only for URL_IPC.
 */
enum status net_easy_setup(void *easy, const struct url *u, const struct net_opts *o, int *dir_fd, struct err *e) MUST_CHECK;
/*
 * What curl's result means to the user, with a cure; text (may be "") is curl's own, kept only where it says more than
 * we can, and
 * without secrets. Returns the code set. ST_OK is never returned.
 */
enum status net_curl_err(struct err *e, void *easy, int result, const char *text, const struct url *u, const struct net_opts *o);
/* Hides the secrets of the URL and of the options' headers in text. */
void net_redact(const struct url *u, const struct net_opts *o, char *text);
/* "DNS", "TCP", "TLS" while a handle connects, "" behind that. */
const char *net_doing(void *easy, const struct url *u);
void net_phases_of(void *easy, struct net_phases *p);

#endif
