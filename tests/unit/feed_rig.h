/*
 * A drive on a table: a clock that is set by hand, everything it sends and says is kept, answers are written by the test.
 */
#ifndef TESTS_FEED_RIG_H
#define TESTS_FEED_RIG_H

#include "feed/drive.h"

enum { RIG_SENT = 2048, RIG_EVENTS = 4096 };

struct rig_call {
	uint64_t id;
	char method[40], params[120];
	bool answered;
};

struct rig {
	struct drive d;
	uint64_t now, wall;
	struct rig_call sent[RIG_SENT];
	unsigned n_sent, n_messages, n_batches;
	struct event events[RIG_EVENTS];
	unsigned n_events;
	enum link_state link;
	unsigned n_links;
	bool again; /* send says ST_AGAIN */
};

void rig_init(struct rig *r, struct claims *c, bool push);
void rig_fini(struct rig *r);
/* Time passes: ticks the drive each time it wants to run, up to `ns` from now. Fails if it wants to run in the past. */
void rig_wait(struct rig *r, uint64_t ns);
/* How many requests of a method (and params containing `part`, or NULL) were sent. */
unsigned rig_count(const struct rig *r, const char *method, const char *part);
/* Newest unanswered request of a method (params containing part); fails the test if there is none. */
struct rig_call *rig_open(struct rig *r, const char *method, const char *part);
bool rig_has_open(const struct rig *r, const char *method, const char *part);
void rig_reply(struct rig *r, struct rig_call *c, const char *result);
void rig_error(struct rig *r, struct rig_call *c, int code, const char *message);
void rig_message(struct rig *r, const char *text);
/* Answers chainId, genesis and subscribe as chain 1 (or `chain`), and `latest` with block `head`. */
void rig_start(struct rig *r, uint64_t chain, uint64_t head);
/* A block as JSON: hash of (number, branch), parent of (number − 1, parent_branch). full: with an empty list of transactions. */
const char *rig_block(uint64_t number, unsigned branch, unsigned parent_branch);
void rig_hash(struct hash *h, uint64_t number, unsigned branch);
/* Hex with 0x of that hash, in a static buffer of its own per call (8 in turn). */
const char *rig_hash_hex(uint64_t number, unsigned branch);
/* newHeads notification of that block. */
void rig_head(struct rig *r, uint64_t number, unsigned branch, unsigned parent_branch);
/* i-th event of a kind from the end (0: newest), NULL if there are not so many. */
const struct event *rig_event(const struct rig *r, enum event_kind kind, unsigned i);
unsigned rig_events(const struct rig *r, enum event_kind kind);

#endif
