/* One pane drawn as text, for tests. */
#ifndef TESTS_UNIT_PANE_SHOT_H
#define TESTS_UNIT_PANE_SHOT_H

#include "ui/pane.h"

extern const struct pane_class pane_blocks, pane_gas, pane_txrate, pane_pulse, pane_endpoints, pane_mempool, pane_events;
extern const struct pane_class pane_health;

extern struct pane pane; /* the one that is open */

/* Of a group of tests. */
int shot_setup(void **state);
int shot_teardown(void **state);
/* A fresh pane of that class. */
void open_pane(const struct pane_class *class);
void draw_in(const struct model *m, int w, int h, enum glyphs g);
/* A fresh pane, or the open one again, as lines of text; valid until the next. */
const char *show(const struct pane_class *class, const struct model *m, int w, int h);
const char *again(const struct model *m, int w, int h);
/* The whole overview. */
const char *screen(const struct model *m, int w, int h, enum glyphs g);
struct cell cell_at(int x, int y);
/* Fail with the frame unless it has, or has not, that text. */
void has(const char *frame, const char *want);
void has_not(const char *frame, const char *what);

#endif
