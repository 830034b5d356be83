/* A model on a table: heads, bodies and links are made by hand, time is what the test says. */
#ifndef TESTS_UNIT_MODEL_RIG_H
#define TESTS_UNIT_MODEL_RIG_H

#include "base/time.h"
#include "model/model.h"

/* Monotonic and wall clock of a test start here. */
#define RIG_T0 (1000 * NS_S)
#define RIG_WALL0 (UINT64_C(1790000000) * NS_S)

enum { RIG_SLOT_MS = 12000 };

/* Paths "n0 ws", "n1 ws" …, all pushing, each its own node, all up and on chain id at RIG_T0. */
struct model *rig_model(unsigned paths, uint64_t id);
/* A made-up hash: the same tag gives the same hash. */
struct hash rig_hash(uint64_t tag);
/*
 * Block `tag` of this number on top of block `parent` (0: unknown). Its time is RIG_WALL0 + number × 12 s; gas 15 of 30
 * million, base fee 1 gwei, no blobs.
 */
struct head rig_head(uint64_t number, uint64_t tag, uint64_t parent);
/* ms: after RIG_T0. Applies and returns the dirty bits. */
unsigned rig_say(struct model *m, unsigned path, uint64_t ms, const struct head *h, enum head_source source);
unsigned rig_link(struct model *m, unsigned path, uint64_t ms, enum link_state state, enum status cause);
void rig_chain(struct model *m, unsigned path, uint64_t ms, uint64_t id, uint64_t genesis);
unsigned rig_tick(struct model *m, uint64_t ms);
/* Blocks n (tag n on tag n − 1) from `from` to `to`, each pushed by the path at its own time. */
void rig_run(struct model *m, unsigned path, uint64_t from, uint64_t to);
/* The event log has a line with this in it. */
bool rig_noted(const struct model *m, const char *part);
/* A body for this head with n transactions of type 2, whose hashes are rig_hash(first_tx), rig_hash(first_tx + 1), … refs 1. */
struct block *rig_body(const struct head *h, uint32_t n, uint64_t first_tx);
/* Hands the body over. done_ms: decoded then. */
unsigned rig_block(struct model *m, unsigned path, uint64_t ms, uint64_t done_ms, struct block *b, enum head_source source);
void rig_verdict(struct model *m, unsigned path, uint64_t ms, uint64_t tag, enum truth t, const char *field);
/*
 * Fails unless the chain is consistent: rows sorted, one canonical block a height, every block found by its hash; settled
 * (nothing waits for a tick): whatever parent is known of a canonical block is canonical.
 */
void rig_check(const struct model *m, bool settled);

#endif
