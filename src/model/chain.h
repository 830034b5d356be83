/*
 * The blocks of one chain: found by hash, in rows by number, limited in number. Knows what is canonical, not why
 * (fork.h decides that).
 */
#ifndef MODEL_CHAIN_H
#define MODEL_CHAIN_H

#include "model/model_priv.h"

struct chain *chain_new(uint64_t id, bool id_known, const struct hash *genesis);
void chain_free(struct chain *c);
/* Bodies are shared, all else is copied. NULL without memory. */
struct chain *chain_clone(const struct chain *c);
/* Sets id, genesis, info, name: when they become known. */
void chain_name(struct chain *c, uint64_t id, const struct hash *genesis);
/* Its own id is not known, only the devp2p network's. */
void chain_name_network(struct chain *c, uint64_t network, const struct hash *genesis);
/*
 * The block of this head, new or known; fields that were missing are filled in. *fresh: it is new. NULL: a head that
 * cannot be (no hash, no number, number ≥ 2^63), or no memory.
 */
struct node *chain_put(struct chain *c, const struct head *h, uint64_t mono, bool *fresh);
struct node *chain_node(const struct chain *c, const struct hash *h);
/* Its parent if known and really one lower; NULL. */
struct node *chain_parent(const struct chain *c, const struct node *n);
struct node *chain_canon(const struct chain *c, uint64_t number);
/* The highest canonical block below this number, over holes too. */
struct node *chain_canon_below(const struct chain *c, uint64_t number);
/* The parent, if it is canonical: a walk down that ends at the first hole. */
struct node *chain_below(const struct chain *c, const struct node *n);
void chain_set_state(struct chain *c, struct node *n, enum blk_state s);
/* To be called when told_by of a side block became non-zero: it may become a row. */
void chain_place(struct chain *c, struct node *n);
/* Takes the body away. */
void chain_drop_body(struct chain *c, struct node *n);
/* Takes the oldest body away; false if there is none. Never that of `keep`. */
bool chain_drop_oldest_body(struct chain *c, const struct node *keep);
/* Keeps at most `limit` blocks. */
void chain_limit(struct chain *c, unsigned limit);
/* Heads above the tip of the chain that was decided are taken off. */
void chain_strip(struct chain *c);
bool chain_extend(struct chain *c, struct node *n);

#endif
