/* The left part of a block's page: everything that its header says, what follows from it, and its withdrawals, line by line. */
#ifndef UI_PANES_BLOCK_FIELDS_H
#define UI_PANES_BLOCK_FIELDS_H

#include "base/buf.h"
#include "model/model.h"
#include "ui/widget_doc.h"
#include "base/number.h"

enum { FIELDS_MAX = 40, FIELDS_LABEL = 9 };

/* What is known of the block that a page is about. */
struct block_view {
	const struct model *m;
	const struct chain *c; /* NULL: the model knows no chain any more */
	const struct blk *b; /* NULL: the model does not know it (any more) */
	const struct block *body; /* NULL: not here */
	struct head h; /* valid if known */
	bool known; /* there is something to show */
	enum fee_unit unit;
	int width; /* columns for the text of a line: from 70 on hashes stand in full */
	uint8_t field[FIELDS_MAX];
	unsigned n_fields; /* withdrawals follow them */
};

/* Gathers what there is; body may be NULL. */
void block_view(struct block_view *v, const struct model *m, const struct hash *hash, const struct block *body);
struct doc_source block_fields(const struct block_view *v);
/* What the line is about, to be copied: a whole hash, a number in wei … Empty if there is nothing. ST_NOMEM. */
enum status block_field_value(const struct block_view *v, unsigned line, struct buf *out) MUST_CHECK;
/* The line of its parent's hash; −1: none. */
long block_parent_line(const struct block_view *v);

#endif
