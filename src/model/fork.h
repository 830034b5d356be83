/*
 * Which branch is followed. The rule:
 *
 * Each path claims a head: the newest it announced, but a head that is an ancestor of its claim does not take it back
 * (balanced backends, provider.md fault 51), nor does one that it announced before. A branch of its own does: that is
 * how a node says that it reorganised, to a block of the same height, a lower or a higher one.
 *
 * The tip is the claim with, in this order, (1) the most nodes behind it: nodes whose claim is that block, an ancestor of
 * it, or not known to be on another branch; a claim much older than the newest one is no vote, nor is a polled one where
 * the same node pushes; (2) the highest number; (3) the latest change of a path to it from another branch, since the two
 * are known: who knew both and left one knows more than who heard only one; (4) the earliest arrival; (5) the smaller hash.
 *
 * It is a function of the claims alone, and events reach fork_head sorted by their stamps (model.c), so neither the order
 * of the rings nor history has a say.
 */
#ifndef MODEL_FORK_H
#define MODEL_FORK_H

#include "model/model_priv.h"

/* A head or body has passed the queue. source: enum head_source; head: it was an EV_HEAD. */
void fork_event(struct model *m, struct path *p, unsigned path, const struct hash *h, uint8_t source, bool head,
		uint64_t key, uint64_t wall);
/* The path connected anew: its next head counts whatever its number is. */
void fork_fresh(struct path *p);
/* The path is on another chain: what it claimed there is no claim here. */
void fork_forget(struct path *p);
/* Counts re-included transactions of young orphans. */
void fork_tick(struct model *m, struct chain *c);

#endif
