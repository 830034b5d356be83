/* The block of the picture of screens.md §2: 25,490,415 with 201 transactions of every type, heard on three paths. */
#ifndef TESTS_UNIT_MOCKBLOCK_H
#define TESTS_UNIT_MOCKBLOCK_H

#include "base/buf.h"
#include "mockup.h"

enum {
	MOCKBLOCK_TXS = 201,
	MOCKBLOCK_CALL = 1,
	MOCKBLOCK_CREATE = 2,
	MOCKBLOCK_BLOBS = 3,
	MOCKBLOCK_LIST = 5,
	MOCKBLOCK_AUTH = 6
};

extern const struct hash mockblock_hash, mockblock_parent;

/* Its paths and the block, 4.2 s after its time; with its body and the verdict on it if `body`. Free it with model_free. */
struct model *mockblock_model(bool body);
/* The body comes now. */
void mockblock_body(struct model *m);
/* The body alone: one reference. */
struct block *mockblock_decode(void);
/* The last one, as JSON. */
enum status mockblock_json(struct buf *out, const struct block *b);

#endif
