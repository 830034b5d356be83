/*
 * Transactions that were announced before they were mined: which, on which path, how long before. Of each of the last
 * announced ones the earliest stamp of each path is kept, found by the first 8 bytes of its hash, in a table that grows with
 * need up to SEEN_BYTES: SEEN_MOST transactions on up to 24 paths, fewer on more. Then what is mined leaves, and the oldest. A
 * block is looked at when its arrival stands (REVISE_NS) and its transactions are here.
 *
 * A path counts for a block if it has announced without a break for 5 block times before (10 s to 60 s): what was announced
 * before we listened would be missing. Deposits (OP stack) are in no pool and are left out. Which stamps come first does not
 * matter: the result depends on the earliest ones alone.
 */
#ifndef MODEL_SEEN_H
#define MODEL_SEEN_H

#include "model/model_priv.h"

enum { SEEN_MOST = 1 << 17, SEEN_BYTES = 16 << 20 };

/* Nothing is known. */
void seen_blank(struct cover *c);
/* EV_TXS. */
void seen_event(struct model *m, const struct event *e);
/* A path announced this block; a second time is nothing. */
void seen_watch(struct model *m, unsigned chain, struct node *n);
/* Looks at blocks that are ready; once a second, the figures. */
void seen_tick(struct model *m);
/* Another chain takes this place. */
void seen_forget(struct model *m, unsigned chain);
/* The chain at `from` has the place `to` now, whose own is gone. */
void seen_moved(struct model *m, unsigned from, unsigned to);
void seen_free(struct seen *s);

#endif
