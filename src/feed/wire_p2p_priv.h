/* What wire_p2p.c and wire_p2p_heads.c share. Nobody else includes it. */
#ifndef FEED_WIRE_P2P_PRIV_H
#define FEED_WIRE_P2P_PRIV_H

#include "feed/wire_p2p.h"

/* wire_p2p.c: questions. */
void p2p_ask_free(struct p2p_ask *a);
void p2p_ask_give_up(struct wire_p2p *w, struct p2p_ask *a);
struct p2p_ask *p2p_ask_new(struct wire_p2p *w, enum p2p_what what, enum head_source source,
	const struct hash *hash, uint64_t number, unsigned limit);
bool p2p_asking(const struct wire_p2p *w, enum p2p_what what, const struct hash *hash);

/* wire_p2p.c: events. */
void p2p_emit_miss(struct wire_p2p *w, const struct p2p_ask *a, enum status code, const char *text);
void p2p_say_poll(struct wire_p2p *w);

/* wire_p2p_heads.c: what came in. */
void p2p_on_headers(struct wire_p2p *w, struct p2p_ask *a, const struct peer_event *ev);
void p2p_on_bodies(struct wire_p2p *w, struct p2p_ask *a, const struct peer_event *ev);
void p2p_on_hashes(struct wire_p2p *w, const struct peer_event *ev);
void p2p_on_new_block(struct wire_p2p *w, const struct peer_event *ev);
void p2p_on_hash(struct wire_p2p *w, const struct hash *hash, uint64_t number,
	const struct peer_event *ev);

/* wire_p2p_heads.c: a header that is known from now on. */
void p2p_remember(struct wire_p2p *w, const struct head *h);

/* wire_p2p_heads.c: when to look for the next head. */
void p2p_plan_poll(struct wire_p2p *w, uint64_t now);

#endif
