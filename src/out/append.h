/*
 * Writers of text into memory that was reserved beforehand: no check, no call, no allocation for each value. Each returns the
 * place behind what it wrote. They may write up to APPEND_SLACK bytes further than they return: a bound must leave room for it.
 */
#ifndef OUT_APPEND_H
#define OUT_APPEND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "eth/block.h"

enum {
	APPEND_SLACK = 64,
	APPEND_DEC64 = 20, /* digits of the largest u64 */
	APPEND_DEC256 = 78,
};

/* n bytes as they are. */
static inline char *append(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

/* A literal: its length is known to the compiler. */
#define APPEND(p, literal) append((p), (literal), sizeof(literal) - 1)

/* Hex digits, lower case, two for each byte, without 0x. */
char *append_hex(char *p, const void *bytes, size_t n);
/* "0x" and hex. */
static inline char *append_data(char *p, const void *bytes, size_t n)
{
	return append_hex(APPEND(p, "0x"), bytes, n);
}
/* QUANTITY of the execution-apis: 0x, no leading zeros, "0x0" for none. */
char *append_quantity(char *p, uint64_t v);
char *append_quantity256(char *p, const struct u256 *v);
/* Decimal. */
char *append_dec(char *p, uint64_t v);
char *append_dec256(char *p, const struct u256 *v);

/*
 * JSON text of a node, to stand in one line and be harmless on a terminal: all in ASCII, as escapes where it is not, white
 * space as blanks. It means the same to a reader of JSON. At most 6 × n bytes.
 */
char *append_json(char *p, const char *text, size_t n);

/* What each part of a block may take at most, labels included. */
struct append_sizes {
	size_t block, tx; /* without what follows */
	/* each entry; hash: storage keys, blob hashes, uncles, transactions given by hash */
	size_t access, auth, withdrawal, hash;
};

/*
 * Room for the whole of b behind what out holds. *p is where to write; append_end says where it ended.
 * ST_NOMEM, ST_TOO_BIG.
 */
enum status append_begin(struct buf *out, const struct block *b, const struct append_sizes *z, char **p) MUST_CHECK;
void append_end(struct buf *out, char *p);

#endif
