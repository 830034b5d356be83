/* The numbers of the screens are those of all outputs: base/number.h. */
#ifndef UI_WIDGET_NUMBER_H
#define UI_WIDGET_NUMBER_H

#include "base/number.h"

#endif
