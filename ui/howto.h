/* What to do when there is nothing to watch: one page, on the screen and for --once. */
#ifndef UI_HOWTO_H
#define UI_HOWTO_H

#include "ui/canvas.h"

/* On all of c; lines that do not fit are left out, the examples last. */
void howto_draw(struct canvas *c);

#endif
