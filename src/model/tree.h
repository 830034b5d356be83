/* The branches of the newest heights, from their last common ancestor on, and which path holds which. */
#ifndef MODEL_TREE_H
#define MODEL_TREE_H

#include "model/model.h"

enum { TREE_BRANCHES = 8, TREE_DEPTH = 64 };
struct tree_branch {
	const struct blk *tip;
	uint64_t fork; /* height of the canonical block that it comes from; canonical branch: of the root */
	bool attached; /* false: what is below it is not known; then fork is the height below its lowest block */
	uint64_t holders; /* bit p: the head of path p is on it, above the fork */
};
struct fork_tree {
	const struct blk *root; /* NULL: no block yet */
	struct tree_branch branch[TREE_BRANCHES]; /* the canonical one, then by the height of the fork, the newest first */
	unsigned n;
	uint64_t nowhere; /* paths whose head is on no branch that is known here */
};
/* depth: at most so many heights below the head. Blocks are valid until the next event. */
void chain_tree(const struct model *m, unsigned depth, struct fork_tree *out);

#endif
