/*
 * A block as JSON, made from the decoded values alone: what a node answers to eth_getBlockByNumber, field by field,
 * with quantities and
 * data in the strict form of the execution-apis. It equals the node's answer but for fields that the decoder does not
 * keep (provider.md §3: unknown ones, aliases, how a chain writes milliseconds) and for absent ones, which are left out.
 */
#ifndef OUT_BLOCK_JSON_H
#define OUT_BLOCK_JSON_H

#include "base/buf.h"
#include "eth/block.h"

/* Appends one object in one line, without a line end. ST_NOMEM, ST_TOO_BIG. */
enum status block_json(struct buf *out, const struct block *b) MUST_CHECK;

#endif
