/* The model behind the mock-ups of view 1: Ethereum at block 25,490,415, three paths, one reorg. */
#ifndef TESTS_UNIT_MOCKUP_H
#define TESTS_UNIT_MOCKUP_H

#include "model/model.h"

/* 2026-11-30 16:02:11 UTC, where a slot begins; the newest block's time. */
#define MOCKUP_HEAD_S UINT64_C(1796054531)
#define MOCKUP_NUMBER UINT64_C(25490415)

/* Now is 4.2 s after the newest block's time. Free it with model_free. */
struct model *mockup_model(void);
/* Nobody announces transactions that wait. */
void mockup_no_announcements(struct model *m);
/* Its paths before anything has happened, at the same time. */
struct model *mockup_empty(unsigned paths);
/* Hash of a block by number; of the orphan if `orphan`. */
struct hash mockup_hash(uint64_t number, bool orphan);

#endif
