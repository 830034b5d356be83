/* What is known of one path: its link, its calls, its node's facts, its figures. */
#ifndef MODEL_ENDPOINT_H
#define MODEL_ENDPOINT_H

#include "model/model_priv.h"

struct path *endpoint_new(const struct path_setup *s, uint64_t now_mono);
void endpoint_free(struct path *p);
struct path *endpoint_clone(const struct path *p);

/* Figures count from now on. */
void endpoint_restart(struct path *p, uint64_t now_mono);

void endpoint_link(struct path *p, const struct event *e);
void endpoint_reply(struct path *p, const struct event *e);
void endpoint_info(struct path *p, const struct event *e);
/* EV_PEER, EV_PEER_COUNT, EV_PEER_LEFT. */
void endpoint_peer(struct path *p, const struct event *e);
void endpoint_traffic(struct path *p, const struct event *e);
/* Bytes and time of a body after its first read. */
void endpoint_xfer(struct path *p, const struct event *e);
/* A path announced or found this block: its own head, if it is one. */
void endpoint_head(struct path *p, const struct node *n, const struct event *e);
/* Percentiles and rates that are due. True: something changed. */
bool endpoint_tick(struct path *p, uint64_t now_mono);

#endif
