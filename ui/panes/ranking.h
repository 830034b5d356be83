/* Which path hears of heads first: the one declared question by which endpoints are ordered (screens.md §3). */
#ifndef UI_PANES_RANKING_H
#define UI_PANES_RANKING_H

#include "model/model.h"

enum { RANK_HEADS = 30 /* below it an order would be noise */ };

struct ranking {
	uint8_t row[PATHS_MAX]; /* paths: ranked ones first, the rest as they were named */
	uint8_t rank[PATHS_MAX]; /* per path, 1 …; 0: not ranked */
	bool tied[PATHS_MAX]; /* closer than can be told to another of its rank */
	unsigned ranked; /* so many paths have a rank */
};

void ranking_make(struct ranking *r, const struct model *m);
/* Live, polling or silent: it has a connection. */
bool path_answers(const struct path *p);
/* Closer than a tenth of a millisecond is no difference (trap d). */
bool ranking_same(uint64_t a_ns, uint64_t b_ns);
/* The most heads that one of the compared paths heard. */
uint64_t ranking_heads(const struct model *m);

#endif
