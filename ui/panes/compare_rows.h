/*
 * Endpoints side by side: what is asked of each path, row by row, and who is best at it. The rules are those of
 * screens.md §3: no grade, no
 * score; ties are ties; polled paths are not ranked with pushed ones; the last line is a sentence with its numbers.
 */
#ifndef UI_PANES_COMPARE_ROWS_H
#define UI_PANES_COMPARE_ROWS_H

#include "ui/panes/ranking.h"
#include "ui/theme.h"

enum compare_row {
	CMP_HEAD, CMP_HASH, CMP_BACKENDS, CMP_BEHIND, CMP_WON, CMP_USABLE, CMP_CALL, CMP_TRANSFER, CMP_OK, CMP_MISSED, CMP_COST,
	CMP_N
};

struct compare {
	const struct model *m;
	struct ranking r;
	uint64_t height; /* whose hash is compared: 3 below the lowest head; UNKNOWN */
	int first_hash; /* the path whose hash the others are compared with, −1: none */
};

struct compare_cell {
	char text[64];
	enum role role;
};

void compare_make(struct compare *c, const struct model *m);
/* "TRUTH" for the first row of a group, else "". */
const char *compare_group(enum compare_row row);
const char *compare_label(enum compare_row row);
/* The path's heading: "1= geth ws", "poll geth http", "— ankr http". */
void compare_title(const struct compare *c, unsigned path, char *out, size_t size);
/* What stands in the row for this path. */
void compare_cell(const struct compare *c, enum compare_row row, unsigned path, struct compare_cell *out);
/* The verdict: who ties with whom, who hears how much later, who fails. "" if there is nothing to say. */
void compare_sentence(const struct compare *c, char *out, size_t size);

#endif
