/* A feed of a recording that spoke devp2p: its frames → the events that they were. */
#ifndef FEED_REPLAY_P2P_H
#define FEED_REPLAY_P2P_H

#include "feed/recfile.h"
#include "feed/wire_p2p.h"

struct replay_p2p {
	struct wire_p2p wire;
	struct peer *peer; /* NULL: not connected */
	unsigned eth; /* version that an earlier frame told of, 0 unknown */
};

/* h: emit, now and wall of the frame being played. ST_NOMEM. */
enum status replay_p2p_new(struct replay_p2p **out, const struct p2p_hooks *h) MUST_CHECK;
void replay_p2p_free(struct replay_p2p *p); /* NULL is allowed */
void replay_p2p_open(struct replay_p2p *p);
void replay_p2p_close(struct replay_p2p *p);
void replay_p2p_out(struct replay_p2p *p, const struct frame *f);
void replay_p2p_in(struct replay_p2p *p, const struct frame *f);
/* The request got no answer in time. */
void replay_p2p_timeout(struct replay_p2p *p, const struct frame *f, uint64_t id);
/* What a snapshot says. */
void replay_p2p_learn(struct replay_p2p *p, const struct event *e);

#endif
