/* The last line: keys that do something now, from the command table. */
#ifndef UI_KEYLINE_H
#define UI_KEYLINE_H

#include "ui/canvas.h"
#include "ui/command.h"

/* On line y of c. Where there is no room, keys in the middle leave; the first (help) and the last (quit) stay longest. */
void keyline_draw(struct canvas *c, int y);
/* The command whose words are at column x of a line w wide; UI_NONE between them. */
enum ui_cmd keyline_at(int w, int x);

#endif
