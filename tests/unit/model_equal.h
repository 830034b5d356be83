/* Do two models show the same? Prints the first fact that differs. */
#ifndef TESTS_UNIT_MODEL_EQUAL_H
#define TESTS_UNIT_MODEL_EQUAL_H

#include "model/model.h"

bool model_equal(const struct model *a, const struct model *b);

#endif
