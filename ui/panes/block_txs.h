/* The right part of a block's page: its transactions as a table. */
#ifndef UI_PANES_BLOCK_TXS_H
#define UI_PANES_BLOCK_TXS_H

#include "ui/panes/block_fields.h"
#include "ui/widget_table.h"

enum { TXS_COLS = 8 };

/* The columns for a table that is w wide. Titles follow the unit and the chain's currency. */
void txs_columns(const struct block_view *v, int w, struct table_col out[TXS_COLS]);
/* v must outlive the source; without a body it has no rows. */
struct table_source txs_source(const struct block_view *v);
/* What one calls it: "swap", "0x6080…", "blob × 6", "send" where there is neither code nor data. */
void tx_method(const struct block *b, const struct tx *t, char *out, size_t size);
/* The part of its price per gas that goes to the proposer. False: it pays none (a deposit), or that cannot be said. */
bool tx_tip(const struct block *b, const struct tx *t, struct u256 *out);

#endif
