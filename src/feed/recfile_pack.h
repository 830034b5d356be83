/* Messages packed in memory as they are in a recording's file: zstd, level 1. One thread at a time may use a packer. */
#ifndef FEED_RECFILE_PACK_H
#define FEED_RECFILE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct recpack;

struct recpack *recpack_new(void); /* NULL: no memory */
void recpack_free(struct recpack *p);
/* Packs n bytes into memory of its own, *out, valid until the next call. The size; 0: it would not be smaller, or no memory. */
size_t recpack_in(struct recpack *p, const char *text, size_t n, const char **out);
/* Unpacks to `to`, which has room for the raw bytes that recpack_in took. False: it is not what recpack_in made of so many. */
bool recpack_out(struct recpack *p, const char *packed, size_t n, char *to, size_t raw) MUST_CHECK;

#endif
