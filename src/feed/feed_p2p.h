/*
 * The part of a feed that speaks devp2p: its connection, what is made of it (wire_p2p.h), its counters, and its side of a
 * recording. Belongs to the feed's thread.
 */
#ifndef FEED_FEED_P2P_H
#define FEED_FEED_P2P_H

#include "feed/peer_count.h"
#include "feed/tap.h"
#include "feed/wire_p2p.h"
#include "net/devp2p/dial.h"

struct feed_p2p {
	struct wire_p2p wire;
	struct dial *dial; /* NULL: not connected */
	uint64_t retry_ns; /* least wait between two attempts at a node that was reached */
	bool has_key;
	uint8_t key[CURVE_KEY];
	struct rec_tap *rec;
	struct peer_tap tap;
	struct peer_count closed; /* counters of connections that are over */
	uint64_t bytes_in, bytes_out; /* of those, too */
};

/*
 * key: CURVE_KEY bytes, copied, or NULL: a fresh one for each connection. retry_ns: 0 is PEER_BACKOFF_S. rec is borrowed; its q
 * may be NULL. The hooks for a recorder are set here. ST_NOMEM.
 */
enum status feed_p2p_new(struct feed_p2p **out, const struct p2p_opts *o, const struct p2p_hooks *h, const uint8_t *key,
			 uint64_t retry_ns, struct rec_tap *rec) MUST_CHECK;
void feed_p2p_free(struct feed_p2p *p); /* NULL is allowed; the key is wiped */

/* All but the key are borrowed until feed_p2p_close. */
enum status feed_p2p_open(struct feed_p2p *p, struct net_loop *l, const struct url *u, const struct net_opts *net,
			  struct err *e) MUST_CHECK;
/* Says good-bye; NULL dial: nothing. */
void feed_p2p_close(struct feed_p2p *p, enum p2p_reason reason);
/* After each wait: ST_OK, or why the connection is over. *stood is set once it is of use. */
enum status feed_p2p_service(struct feed_p2p *p, struct net_phases *phases, bool *stood, struct err *e) MUST_CHECK;
/* When it wants to be served next. */
uint64_t feed_p2p_next(const struct feed_p2p *p);
/* Fills the part of EV_TRAFFIC, and emits EV_PEER_COUNT if that tells anything new. */
void feed_p2p_traffic(const struct feed_p2p *p, struct event *e);
void feed_p2p_say_count(struct feed_p2p *p);

#endif
