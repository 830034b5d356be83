/*
 * Which chain a path is on. A chain is its id and its genesis. A genesis that is not known fits every chain of that id; a path of
 * which not even the id is known has an anonymous chain, whose blocks go with it once it is told. The order in which paths tell
 * makes no difference.
 */
#ifndef MODEL_CHAINS_H
#define MODEL_CHAINS_H

#include "model/model_priv.h"

/* EV_CHAIN with ok. */
void chains_told(struct model *m, const struct event *e);
/* The chain of the path of an event; made up where none is known. NULL: no place for another one. */
struct chain *chains_of(struct model *m, const struct event *e);
/* What each path is to its node and to the screen: a function of states and chains alone. */
void chains_mark(struct model *m);

#endif
