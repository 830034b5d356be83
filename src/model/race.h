/*
 * Who heard a block first, by hash. Arrivals are what a path heard live; only pushed ones are ranked. A race is settled
 * REVISE_NS after the first arrival; a race of one path is none.
 */
#ifndef MODEL_RACE_H
#define MODEL_RACE_H

#include "model/model_priv.h"

/* A path announced this block. Returns false if it is a duplicate. */
bool race_arrival(struct model *m, struct chain *c, struct node *n, const struct event *e);
/* A path decoded the body of a head it heard. */
void race_usable(struct model *m, struct node *n, const struct event *e);
/* Lateness of a block and of its arrivals, after the clock's bound became known or unknown. */
void race_clock(struct model *m);
void race_tick(struct model *m);

#endif
