/*
 * Which path is best: a gate, then an order by one declared question (screens.md §3). No score. Who cannot be told apart by the
 * numbers shares a rank; who does not pass the gate, or has too little to be judged by, has none, and the reason stands with it.
 */
#ifndef MODEL_RANKING_H
#define MODEL_RANKING_H

#include "model/model.h"

enum {
	RANK_HEADS = 30, /* below it an order would be noise */
	RANK_CALLS = 30,
	GATE_CALLS = 20, /* fewer calls do not keep a path out */
	GATE_FAILS_PERCENT = 5, /* so many of its calls may fail */
	GATE_DEPTH = 3, /* the block that is compared: so far below the lowest head */
	USABLE_LEAST = 8, /* bodies of each path before "usable" decides */
};

enum rank_by {
	/* The words of --rank, in that order. */
	RANK_SEARCHER, /* who has the body first: p90 of head heard + body decoded, behind the first head */
	RANK_APP, /* who answers best: p99 of its calls, then the share that fails */
	RANK_OPERATOR, /* whose node is well: its worst health check */
	RANK_HEARD, /* who hears of heads first */
	RANK_BY_N
};

/* What decided: a searcher's order goes by heads as long as too few bodies were fetched on each path. */
enum rank_key { KEY_HEARD, KEY_USABLE, KEY_CALLS, KEY_HEALTH };

/* Why a path has no rank, the first that holds. */
enum gate {
	GATE_OPEN,
	GATE_DOWN, /* no connection */
	GATE_CHAIN, /* on another chain than the one shown */
	GATE_WRONG, /* told a block in the window that is proven wrong */
	GATE_HASH, /* has another block than the others at the height compared */
	GATE_FAILS, /* too many of its calls fail */
	GATE_POLLED, /* no order of heads: what it hears depends on how often we ask */
	GATE_FEW, /* too few heads, calls or checks */
};

enum same {
	SAME_UNKNOWN, /* it told of no block of that height, or of a node alone */
	SAME_YES,
	SAME_NO,
	SAME_SPLIT /* as many nodes have one block as have another: it cannot be said who is right */
};

struct ranking {
	const struct model *m;
	enum rank_by by;
	enum rank_key key;
	enum race_window window;
	const struct race_view *race; /* of that window, raw; NULL: no chain yet */
	uint8_t row[PATHS_MAX]; /* paths: ranked ones first, the rest as they were named */
	uint8_t rank[PATHS_MAX]; /* per path, 1 …; 0: not ranked */
	bool tied[PATHS_MAX]; /* cannot be told from another one of its rank */
	unsigned ranked; /* so many paths have a rank */
	enum gate gate[PATHS_MAX];
	uint64_t have; /* heads, or calls, of the path with the most; the order needs RANK_HEADS, RANK_CALLS */
	uint64_t few; /* the same of those that still have too few */
	/* Truth: the block GATE_DEPTH below the lowest head of those that are not far behind; UNKNOWN: there is none. */
	uint64_t height;
	enum same same[PATHS_MAX];
	struct hash hash[PATHS_MAX]; /* what it calls that block; valid unless SAME_UNKNOWN */
};

/* Order and gates as of now. Valid until the next event. */
void ranking_make(struct ranking *r, const struct model *m, enum rank_by by, enum race_window window);
/* Live, polling or silent: it has a connection. */
bool path_answers(const struct path *p);
/* On the chain that is shown, and it answers. */
bool path_compared(const struct path *p);
/* Closer than a tenth of a millisecond is no difference (trap d). */
bool ranking_same(uint64_t a_ns, uint64_t b_ns);
/* Of two paths a heard first more often than chance would have it. */
bool ranking_ahead(const struct duel *d);
/* Heads behind the first, p50, and of how many; UNKNOWN and 0 if it has none in the window. */
uint64_t ranking_behind(const struct ranking *r, unsigned path, uint64_t *n);
/* The most heads that one of the compared paths heard since the start. */
uint64_t ranking_heads(const struct model *m);
/* The most heads that one of the compared paths heard in the window; of those that are remembered (HEARD_KEPT). */
uint64_t ranking_heads_in(const struct model *m, enum race_window window);
/* "searcher", "app", "operator": words of --rank. */
const char *rank_word(enum rank_by by);
/* What decided, in words: "body usable p90", "head heard p50", "call p99, then failures", "worst health check". */
const char *rank_key_word(enum rank_key key);

#endif
