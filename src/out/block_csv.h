/*
 * Blocks or transactions as CSV (RFC 4180, line ends are \n): a header row, then a row for each. Numbers are decimal,
 * amounts in wei, bytes are
 * hex; what is absent is an empty cell. No cell needs quotes.
 */
#ifndef OUT_BLOCK_CSV_H
#define OUT_BLOCK_CSV_H

#include <stdbool.h>

#include "base/buf.h"
#include "eth/block.h"

/* The header row with its line end. */
const char *block_csv_header(bool transactions);
/* Appends the block's row, or a row for each of its transactions. ST_NOMEM, ST_TOO_BIG. */
enum status block_csv(struct buf *out, const struct block *b, bool transactions) MUST_CHECK;

#endif
