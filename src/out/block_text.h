/*
 * A block for reading, as Rust's {:#?} prints one: every field of every transaction, a line each. Numbers are decimal (amounts in
 * wei, withdrawals in gwei), hashes, addresses, bytes and signatures are hex.
 */
#ifndef OUT_BLOCK_TEXT_H
#define OUT_BLOCK_TEXT_H

#include "base/buf.h"
#include "eth/block.h"

/* Appends the block and a line end. ST_NOMEM, ST_TOO_BIG. */
enum status block_text(struct buf *out, const struct block *b) MUST_CHECK;

#endif
