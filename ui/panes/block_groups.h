/*
 * Blocks of chains that have several in a second, a row for each second (screens.md §2: "506,697,453–456  4 blk
 * 250 ms"). Orphans keep their own rows.
 */
#ifndef UI_PANES_BLOCK_GROUPS_H
#define UI_PANES_BLOCK_GROUPS_H

#include "model/model.h"
#include "base/number.h"
#include "ui/widget_table.h"

enum { GROUP_COLS = 13 };

/* Rows first … first + n − 1 of chain_rows, newest first; orphans among them are left out. */
struct block_group {
	uint32_t first, n;
};

struct group_view {
	const struct model *m;
	const struct chain *c;
	const struct blk *const *rows;
	const struct block_group *group;
	unsigned n;
	enum fee_unit unit;
	bool wide;
	const struct table *table;
};

/* Groups n rows; out has room for n. Returns how many. */
unsigned block_groups(struct block_group *out, const struct blk *const *rows, unsigned n);
void group_columns(const struct chain *c, bool wide, enum fee_unit unit, struct table_col out[GROUP_COLS]);
struct table_source group_source(const struct group_view *v);

#endif
