/* model_wants: what is missing, and on which path to ask for it. */
#ifndef MODEL_WANT_H
#define MODEL_WANT_H

#include "model/model_priv.h"

#endif
