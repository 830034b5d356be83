/* Line 2 of the screen: one sentence, worst news first (screens.md §2). */
#ifndef MODEL_LINE_H
#define MODEL_LINE_H

#include "model/model_priv.h"

/* Writes m->line; true if it says something else than before. */
bool line_tick(struct model *m);

#endif
