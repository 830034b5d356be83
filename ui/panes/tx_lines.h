/* A transaction line by line: its fields and what follows from them, access list, authorizations, blobs, calldata. */
#ifndef UI_PANES_TX_LINES_H
#define UI_PANES_TX_LINES_H

#include "ui/panes/parts.h"
#include "ui/widget_doc.h"

enum { TX_FIELDS_MAX = 32, TX_LABEL = 10 };

enum tx_proof { PROOF_NONE /* nothing to prove */, PROOF_YES, PROOF_NO };

struct tx_view {
	const struct model *m;
	const struct chain *c; /* may be NULL */
	const struct block *body;
	const struct tx *t;
	enum fee_unit unit;
	int width; /* columns for the text of a line */
	enum tx_proof hash, sender; /* recomputed here */
	uint8_t field[TX_FIELDS_MAX];
	unsigned n_fields;
	/* Parts behind the fields, in lines with their headings: where each begins. */
	unsigned access, auths, blobs, data, end;
	unsigned head; /* bytes of calldata that stand in a line of their own: 4 if it is a call by the ABI, else 0 */
	unsigned row; /* bytes of calldata in each other line */
};

/* body is the block, t one of its transactions; set unit and width before. */
void tx_view(struct tx_view *v, const struct model *m, const struct block *body, const struct tx *t);
struct doc_source tx_lines(const struct tx_view *v);
/* What the line is about, to be copied: a whole hash, an address, a number in wei, all of the calldata. ST_NOMEM, ST_TOO_BIG. */
enum status tx_line_value(const struct tx_view *v, unsigned line, struct buf *out) MUST_CHECK;

#endif
