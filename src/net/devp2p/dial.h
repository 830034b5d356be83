/*
 * A peer (peer.h) on a real connection (net/stream.h): connects, moves bytes, sends a Disconnect before it closes.
 *
 *	dial_open → after each net_loop_wait:
 *		while ((st = dial_next(d, &ev, &e)) == ST_OK) use(ev);      ST_AGAIN: wait for bytes or dial_deadline
 *		else: over, e says why
 *	dial_flush after requests → dial_close
 */
#ifndef NET_DEVP2P_DIAL_H
#define NET_DEVP2P_DIAL_H

#include "net/devp2p/peer.h"
#include "net/stream.h"

struct dial;

/* u: of scheme URL_ENODE. key: CURVE_KEY bytes, copied, or NULL: a fresh one. Errors as stream_open and peer_new. */
enum status dial_open(struct dial **out, struct net_loop *l, const struct url *u, const struct net_opts *o, const uint8_t *key,
		      struct err *e) MUST_CHECK;
/* Listens in, from the beginning; right after dial_open. tap is borrowed. */
void dial_tap(struct dial *d, const struct peer_tap *tap);
/* Says good-bye for this reason if that can be had at once, and closes. NULL is allowed. */
void dial_close(struct dial *d, enum p2p_reason reason);
/*
 * Reads, writes, and gives the next event; to be called until something else than ST_OK comes. What ends it: as stream_state,
 * stream_recv and peer_next; *e is in words for the user.
 */
enum status dial_next(struct dial *d, struct peer_event *ev, struct err *e) MUST_CHECK;
/* Sends what was asked for since. An error is told by the next dial_next. */
void dial_flush(struct dial *d);
/* When dial_next wants to be called even if nothing comes (monotonic ns). */
uint64_t dial_deadline(const struct dial *d);
/* NULL until the connection stands: then requests may be made through it. Lives as long as d. */
struct peer *dial_peer(struct dial *d);
/* dns and tcp of the connection; ready: Status came. ns since dial_open, 0: not yet. */
const struct net_phases *dial_phases(const struct dial *d);
/* "DNS", "TCP", "RLPx", "Hello", "Status", then "". */
const char *dial_doing(const struct dial *d);
/* stream_rtt of the connection. */
uint64_t dial_tcp_rtt(const struct dial *d);
void dial_bytes(const struct dial *d, uint64_t *in, uint64_t *out);

#endif
