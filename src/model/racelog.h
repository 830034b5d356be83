/*
 * The races of a chain one by one, so that figures of any window, raw or minus half the round trip, are exact: when a head was
 * pushed first, and how much later each path pushed it. The newest RACES_LOGGED heads are kept; model_race (model.h) reads
 * them.
 */
#ifndef MODEL_RACELOG_H
#define MODEL_RACELOG_H

#include "model/model_priv.h"

/* The log's line for a head: `first` is the earliest of mono[path], which are UNKNOWN where a path did not push it. */
void racelog_put(const struct model *m, struct chain *c, struct node *n, uint64_t first, const uint64_t *mono);
/* A path pushed it after its race was settled. */
void racelog_late(struct chain *c, const struct node *n, unsigned path, uint64_t mono);
/* A path did not push it although it was there. */
void racelog_missed(struct chain *c, const struct node *n, unsigned path);
/* What was logged does not count any more. */
void racelog_restart(struct racelog *l);
/* As model_race, of any chain. */
const struct race_view *racelog_view(const struct model *m, struct chain *c, enum race_window window, bool minus_rtt);
/* False without memory. */
bool racelog_clone(struct racelog *to, const struct racelog *from);
void racelog_free(struct racelog *l);

#endif
