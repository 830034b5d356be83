#include "model/tree.h"

#include "model/chain.h"

/* Is there a known block of another branch on top of it? */
static bool has_child(const struct nodeset *rows, unsigned from, const struct node *n)
{
	for (unsigned i = from; i < rows->n && rows->v[i]->b.h.number <= n->b.h.number + 1; i++)
		if (rows->v[i]->b.h.number == n->b.h.number + 1 && hash_eq(&rows->v[i]->b.h.parent, &n->b.h.hash))
			return true;
	return false;
}

/* From the tip down to the chain. */
static struct tree_branch trace(const struct chain *c, const struct node *tip, unsigned depth)
{
	struct tree_branch b = { .tip = &tip->b };
	const struct node *n = tip, *p;

	for (unsigned i = 0; i <= depth; i++, n = p) {
		b.fork = n->b.h.number ? n->b.h.number - 1 : 0;
		p = chain_parent(c, n);
		if (!p)
			break;
		if (p->b.state == BLK_CANON) {
			b.attached = true;
			break;
		}
	}
	return b;
}

/* Is the block on this branch, above its fork? */
static bool on_branch(const struct chain *c, const struct tree_branch *b, const struct node *head)
{
	const struct node *n = node_of(b->tip);

	while (n && n->b.h.number > head->b.h.number && n->b.h.number > b->fork)
		n = chain_parent(c, n);
	return n == head && n->b.h.number > b->fork;
}

static void hold(const struct model *m, const struct chain *c, struct fork_tree *out)
{
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		const struct node *head;
		unsigned k = 0;

		if (p->chain < 0 || m->chains[p->chain] != c || !p->has_head || !link_up(p->state))
			continue;
		head = chain_node(c, &p->head_hash);
		if (head && head->b.state == BLK_CANON) {
			out->branch[0].holders |= bit(i);
			continue;
		}
		for (k = 1; head && k < out->n && !on_branch(c, &out->branch[k], head); k++)
			;
		if (head && k < out->n)
			out->branch[k].holders |= bit(i);
		else
			out->nowhere |= bit(i);
	}
}

void chain_tree(const struct model *m, unsigned depth, struct fork_tree *out)
{
	const struct chain *c = model_chain(m);
	const struct nodeset *rows;
	uint64_t low, root;

	*out = (struct fork_tree){ .n = 0 };
	if (!c || !c->head)
		return;
	rows = &c->store->rows;
	low = sub_sat(c->head->h.number, depth);
	out->branch[out->n++] = (struct tree_branch){ .tip = c->head, .attached = true };
	/* From the newest: of many forks the newest stay. */
	for (unsigned i = rows->n; i-- > 0 && rows->v[i]->b.h.number > low && out->n < TREE_BRANCHES;) {
		const struct node *n = rows->v[i];

		if (n->b.state != BLK_CANON && !has_child(rows, i, n))
			out->branch[out->n++] = trace(c, n, depth);
	}
	root = c->head->h.number ? c->head->h.number - 1 : 0;
	for (unsigned i = 1; i < out->n; i++) {
		struct tree_branch b = out->branch[i];
		unsigned k = i;

		if (b.attached && b.fork < root)
			root = b.fork;
		for (; k > 1 && out->branch[k - 1].fork < b.fork; k--)
			out->branch[k] = out->branch[k - 1];
		out->branch[k] = b;
	}
	out->root = chain_by_number(c, root);
	if (!out->root)
		out->root = c->head;
	out->branch[0].fork = out->root->h.number;
	hold(m, c, out);
}
