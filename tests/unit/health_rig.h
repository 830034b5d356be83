/*
 * A world for health: three nodes, four paths, a chain that makes a block every T. Who hears what is the scenario's choice; when
 * a check has to change is computed by the test from the times it chose.
 */
#ifndef TESTS_UNIT_HEALTH_RIG_H
#define TESTS_UNIT_HEALTH_RIG_H

#include "model_rig.h"

enum { GETH_WS, GETH_IPC, RETH, INFURA, PATHS }; /* path indices; the nodes are geth, reth, infura; infura is far away */
enum { ALL = 15 }; /* all paths, as a mask */

struct world {
	struct model *m;
	uint64_t ms; /* now, after RIG_T0 */
	uint64_t t_ms; /* T */
	uint64_t n; /* newest block */
	unsigned mask; /* paths that hear new blocks, each its index in ms after the block's time */
};

/* All paths are up and on this chain; blocks come every t_ms from now on. */
void world_init(struct world *w, uint64_t chain, uint64_t t_ms);
void world_fini(struct world *w);
/* Time passes in steps of 250 ms, with blocks and ticks. to_ms: absolute. */
void world_run(struct world *w, uint64_t to_ms);
/* Runs until the check of this path's node has that level; returns when, in ms. Fails after 2 h. */
uint64_t world_until(struct world *w, unsigned path, enum check_id id, enum level level);
const struct check_view *world_check(const struct world *w, unsigned path, enum check_id id);
const struct check_view *world_chain_check(const struct world *w, enum check_id id);
uint64_t world_chain_until(struct world *w, enum check_id id, enum level level);
/* Runs on and fails as soon as the check leaves OK. */
void world_stays_ok(struct world *w, unsigned path, enum check_id id, uint64_t to_ms);
void world_is(const struct world *w, unsigned path, enum check_id id, enum level level, const char *text);
void world_not_here(const struct world *w, unsigned path, enum check_id id, const char *why);

/* Events, now. */
void world_info(struct world *w, unsigned path, enum info_kind kind, uint64_t a, uint64_t b, uint64_t c, bool yes);
void world_client(struct world *w, unsigned path, const char *client);
void world_tag(struct world *w, unsigned path, bool final, uint64_t number, uint64_t tag, uint64_t time_s);
/* n calls of eth_getBlockByHash. */
void world_calls(struct world *w, unsigned path, unsigned n, enum status code, uint64_t latency_ms);
void world_clock(struct world *w, uint64_t bound_ns);
struct head world_head(const struct world *w, uint64_t number, uint64_t tag, uint64_t parent);

#endif
