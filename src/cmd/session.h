/*
 * One conversation with a node, for commands that ask a little and end: a connection, calls one after another, and what the node
 * sends by itself. Main thread only; ends early when the user wants it (cmd/stop.h).
 */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include "eth/rpc.h"
#include "net/transport.h"

struct session;

struct session_hooks {
	void *ctx;
	/*
	 * The answer to the call, whole: m is its reading, text all of it. Valid until return. m->result is not looked at yet
	 * where the node wrote it last.
	 */
	void (*answer)(void *ctx, const struct rpc_msg *m, const char *text, size_t n, const struct net_meta *meta);
	void (*note)(void *ctx, const struct rpc_msg *m, const char *text, size_t n); /* a notification; may be NULL */
};

/*
 * Starts to connect; URL_GUESS is not taken (session_guess). l, u, o and h are borrowed until session_close.
 */
enum status session_open(struct session **out, struct net_loop *l, const struct url *u, const struct net_opts *o,
			 const struct session_hooks *h, struct err *e) MUST_CHECK;
/*
 * Waits for the connection if it does not stand yet (over HTTP the first call makes it), sends the request and waits for its
 * answer, at most limit_ns in all. ST_AGAIN: the user wants to end. Others: no answer came, *e says why; a JSON-RPC error is an
 * answer.
 */
enum status session_call(struct session *s, const char *text, size_t n, uint64_t id, uint64_t limit_ns, struct err *e) MUST_CHECK;
/* Waits for notifications until the user wants to end (ST_AGAIN), or the connection does. */
enum status session_listen(struct session *s, bool (*enough)(void *ctx), struct err *e) MUST_CHECK;
/* The phases of its connection since the start of session_open, complete after the first answer. */
const struct net_phases *session_phases(const struct session *s);
/* When the request of the last call went out, monotonic. */
uint64_t session_sent(const struct session *s);
void session_close(struct session *s); /* NULL is allowed */
/* What a URL_GUESS is tried as after http failed so: true, and *to is ws. */
bool session_guess(const struct url *u, enum url_scheme tried, const struct err *e, enum url_scheme *to);

#endif
