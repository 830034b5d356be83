/* Transactions: what a body says about them, their rates, and how many of an orphan's came back. */
#ifndef MODEL_TXS_H
#define MODEL_TXS_H

#include "model/model_priv.h"

/* Fills the fields of a block that need its body. False: the body lists hashes only, nothing is known. */
bool txs_digest(struct model *m, struct chain *c, struct node *n, const struct block *body);
/* Counts the transactions of an orphan that are in the branch that won. True: the number changed. */
bool txs_reincluded(struct model *m, struct chain *c, struct node *orphan);
/* Rates, types and sizes of chain_stats over the n canonical blocks from `newest` down. */
void txs_stats(struct chain *c, const struct node *newest, unsigned n, struct chain_stats *out);

#endif
