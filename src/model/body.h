/* Bodies within their budget, and what is known of a block's truth. */
#ifndef MODEL_BODY_H
#define MODEL_BODY_H

#include "model/model_priv.h"

/* Takes the reference of an EV_BLOCK, whatever becomes of it. */
void body_event(struct model *m, const struct event *e);
void body_verdict(struct model *m, const struct event *e);
void body_miss(struct model *m, const struct event *e);

#endif
