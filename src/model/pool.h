/* The pool of the shown chain, as the first of its paths that tells it sees it. */
#ifndef MODEL_POOL_H
#define MODEL_POOL_H

#include "model/model_priv.h"

void pool_tick(struct model *m);
/* Another chain is shown: start over. */
void pool_reset(struct model *m);

#endif
