/* Gas and fees of a chain: block time, what the next block costs, how full the last ones were. */
#ifndef MODEL_GAS_H
#define MODEL_GAS_H

#include "model/model_priv.h"

/* Everything of chain.next, chain.stats and chain.block_ms, if something changed since. */
void gas_tick(struct model *m, struct chain *c);

/* chain.next, if the head is another one: it stands beside the head and must be of the block after it, not of the head itself. */
void gas_head(struct chain *c);

#endif
