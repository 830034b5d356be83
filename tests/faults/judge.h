/* What the model makes of the probe's events: race figures, reorgs and heads that went back, as JSON lines at the end. */
#ifndef TESTS_FAULTS_JUDGE_H
#define TESTS_FAULTS_JUDGE_H

#include "model/model.h"

/* NULL without memory. Path i is node "n<i>", pushed. */
struct model *judge_new(unsigned paths);
/* Prints and frees. */
void judge_end(struct model *m);

#endif
