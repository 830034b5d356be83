/*
 * A folder of blocks: <number>.json holds what a node answered to eth_getBlockByNumber, the bare result object with full
 * transactions. At the start only the beginning of each file is read (number, hash, time); bodies are read when they are asked
 * for and kept up to a budget. Any thread may call; a lock inside covers the bookkeeping and the reading of a file.
 */
#ifndef SERVE_STORE_H
#define SERVE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	BODY_HEAD = 512, /* bytes to write to before the text, … */
	BODY_TAIL = 8, /* … and behind it: an envelope fits around it without copying the block */
};

/*
 * A block in memory, counted references. The text is never written to; the room around it belongs to the one thread that sends
 * from there (serve/duplex.c).
 */
struct body {
	char *p; /* one JSON object, checked */
	size_t n;
	unsigned refs; /* store.c's */
};

struct store;

/*
 * Files that are no block of their number are left out and logged. ST_IO: no such folder; ST_NULL: no block in it.
 * budget: bytes of bodies to keep.
 */
enum status store_open(struct store **s, const char *dir, size_t budget, struct err *e) MUST_CHECK;
void store_close(struct store *s);
/* Blocks are known by their rank: 0 is the lowest number. At least one. */
size_t store_count(const struct store *s);
uint64_t store_number(const struct store *s, size_t i);
/* Its timestamp, seconds since 1970. */
uint64_t store_time(const struct store *s, size_t i);
bool store_find(const struct store *s, uint64_t number, size_t *i);
bool store_find_hash(const struct store *s, const uint8_t hash[32], size_t *i);
/* The highest block not above number; rank 0 if there is none. */
size_t store_floor(const struct store *s, uint64_t number);
/* The block, to be given back with store_put. Fails if the file has changed or cannot be read. */
enum status store_get(struct store *s, size_t i, struct body **out, struct err *e) MUST_CHECK;
void store_put(struct store *s, struct body *b);

#endif
