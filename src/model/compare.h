/*
 * Paths side by side: what is asked of each, row by row, who is best at it, and what it comes to. For screens and reports alike.
 * The rules are those of screens.md §3: no grade, no score; ties are ties; polled paths are not ranked with pushed ones; the last
 * line is a sentence with its numbers.
 */
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H

#include "model/ranking.h"

enum compare_row {
	CMP_HEAD, CMP_HASH, CMP_BACKENDS, CMP_BEHIND, CMP_WON, CMP_USABLE, CMP_CALL, CMP_TRANSFER, CMP_OK, CMP_MISSED, CMP_COST,
	CMP_N
};

struct compare {
	const struct model *m;
	struct ranking r;
	int ref; /* the path whose hash stands in full, the others' as "same"; −1: none */
	uint64_t first; /* paths that hear of heads no later than the first one, as far as can be told */
};

enum tone { TONE_TEXT, TONE_DIM /* unknown, not ranked */, TONE_BEST, TONE_WARN, TONE_CRIT };

struct compare_cell {
	char text[64];
	enum tone tone;
};

/* Valid until the next event. */
void compare_make(struct compare *c, const struct model *m, enum rank_by by, enum race_window window);
/* "TRUTH" for the first row of a group, else "". */
const char *compare_group(enum compare_row row);
const char *compare_label(enum compare_row row);
/* The path's heading: "1= geth ws", "poll geth http", "— ankr http". */
void compare_title(const struct compare *c, unsigned path, char *out, size_t size);
/* What stands in the row for this path; behind it " *": best, " =": no measurable difference from the best. */
void compare_cell(const struct compare *c, enum compare_row row, unsigned path, struct compare_cell *out);
/* Why a path has no rank, as a sentence: "ankr http fails 39 % of its 600 calls." "" if it has one, or only too few heads. */
void compare_why(const struct compare *c, unsigned path, char *out, size_t size);
/* The verdict: who ties with whom, who hears how much later, each with n and p, who is kept out and why. "": nothing to say. */
void compare_sentence(const struct compare *c, char *out, size_t size);
/* What it comes to: "Best for a searcher: geth ws (body usable p90 38 ms).", or how many heads an order still needs. Never "". */
void compare_headline(const struct compare *c, char *out, size_t size);
/* A day at the rate of the window: "7,200 calls (14 % of 50,000), 130 MB"; of its node where a budget is known. "": unknown. */
void compare_day(const struct compare *c, unsigned path, char *out, size_t size);

#endif
