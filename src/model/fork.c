#include "model/fork.h"

#include <stdio.h>

#include "model/chain.h"
#include "model/note.h"
#include "model/txs.h"

enum relation { REL_UNKNOWN, REL_ANCESTOR, REL_OTHER };

/* A parent whose event has not passed the queue does not exist yet here. */
static struct node *ready_parent(const struct chain *c, const struct node *n)
{
	struct node *p = chain_parent(c, n);

	return p && p->ready ? p : NULL;
}

static bool decided(const struct node *n)
{
	return n->b.state == BLK_CANON && !n->prov;
}

/* Is `low` an ancestor of `high`, or on another branch? low's number must not be above high's. */
static enum relation relation(const struct chain *c, const struct node *low, const struct node *high)
{
	uint64_t number = low->b.h.number;
	const struct node *n = high, *at;

	while (n && n->b.h.number > number && !decided(n))
		n = ready_parent(c, n);
	if (!n)
		return REL_UNKNOWN;
	/* From here down the chain that is followed says it, without a walk of a million blocks. */
	if (n->b.h.number > number) {
		at = chain_canon(c, number);
		if (at && !decided(at))
			at = NULL;
	} else {
		at = n;
	}
	if (!at)
		return REL_UNKNOWN;
	return at == low ? REL_ANCESTOR : REL_OTHER;
}

/* ---- claims ---- */

static void claim_set(struct path_priv *pp, const struct node *n, uint64_t key, bool switched)
{
	pp->claim = (struct claim){
		.set = true,
		.hash = n->b.h.hash,
		.number = n->b.h.number,
		.mono = key,
		.switch_mono = switched ? key : pp->claim.switch_mono,
	};
	pp->low.set = false;
	pp->low_run = 0;
	pp->fresh = false;
}

static void went_back(struct chain *c, unsigned path, const struct node *n, const struct node *claimed, uint64_t key,
		      uint64_t wall)
{
	memmove(c->setbacks + 1, c->setbacks, sizeof(c->setbacks) - sizeof(c->setbacks[0]));
	c->setbacks[0] = (struct setback){
		.mono = key,
		.wall = wall,
		.from = claimed->b.h.number,
		.to = n->b.h.number,
		.hash = n->b.h.hash,
		.path = (uint16_t)path,
	};
	if (c->n_setbacks < SETBACKS)
		c->n_setbacks++;
}

static void claim_lower(struct chain *c, struct path *p, unsigned path, struct node *n, struct node *claimed, uint64_t key,
			uint64_t wall)
{
	struct path_priv *pp = p->priv;
	enum relation r = claimed ? relation(c, n, claimed) : REL_UNKNOWN;

	if (r == REL_ANCESTOR) {
		if (!pp->fresh) {
			p->backs++;
			went_back(c, path, n, claimed, key, wall);
		}
		pp->fresh = false;
		return;
	}
	/*
	 * Unknown: an old backend, or a chain set back further than we can see. A new connection, or a third lower head
	 * without a higher one between, says the latter.
	 */
	if (r == REL_OTHER || pp->fresh || pp->low_run >= 2) {
		claim_set(pp, n, key, true);
		return;
	}
	pp->low = (struct claim){ .set = true, .hash = n->b.h.hash, .number = n->b.h.number, .mono = key };
	pp->low_run++;
}

static void claim_update(struct chain *c, struct path *p, unsigned path, struct node *n, uint64_t key, uint64_t wall)
{
	struct path_priv *pp = p->priv;
	struct node *claimed = pp->claim.set ? chain_node(c, &pp->claim.hash) : NULL;
	bool before = n->claimed_by & bit(path);

	n->claimed_by |= bit(path);
	if (!pp->claim.set) {
		claim_set(pp, n, key, false);
	} else if (hash_eq(&n->b.h.hash, &pp->claim.hash)) {
		pp->claim.mono = key;
		pp->fresh = false;
	} else if (before) {
		return;
	} else if (n->b.h.number > pp->claim.number) {
		claim_set(pp, n, key, claimed && relation(c, claimed, n) == REL_OTHER);
	} else {
		claim_lower(c, p, path, n, claimed, key, wall);
	}
}

/* A block more is known: is the lower head that was open on another branch? */
static void claim_review(struct chain *c, struct path *p)
{
	struct path_priv *pp = p->priv;
	struct node *low = chain_node(c, &pp->low.hash), *claimed = chain_node(c, &pp->claim.hash);
	enum relation r;

	if (!low || !claimed || low->b.h.number > claimed->b.h.number) {
		pp->low.set = false;
		return;
	}
	r = relation(c, low, claimed);
	if (r == REL_OTHER)
		claim_set(pp, low, pp->low.mono, true);
	else if (r == REL_ANCESTOR)
		pp->low.set = false;
}

/* ---- the choice ---- */

struct candidate {
	struct node *n;
	uint64_t mono, switch_mono; /* latest over its paths */
	uint64_t voters; /* nodes with a vote that claim just this */
	unsigned votes;
};

/* How much older than the newest claim a vote may be. */
static uint64_t vote_age(const struct chain *c)
{
	uint64_t t = ms_ns(c->info->block_ms);

	if (!t)
		return 30 * NS_S;
	return t > NS_S ? 3 * t : 3 * NS_S;
}

static unsigned gather(const struct model *m, const struct chain *c, struct candidate *list)
{
	uint64_t newest = 0, pushed = 0, age = vote_age(c);
	unsigned n = 0, k;

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->chain < 0 || m->chains[p->chain] != c || !p->priv->claim.set)
			continue;
		if (p->priv->claim.mono > newest)
			newest = p->priv->claim.mono;
	}
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->chain >= 0 && m->chains[p->chain] == c && p->priv->claim.set && p->push &&
		    add_sat(p->priv->claim.mono, age) >= newest)
			pushed |= bit(p->node_index);
	}
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		const struct claim *cl = &p->priv->claim;
		struct node *node;

		if (p->chain < 0 || m->chains[p->chain] != c || !cl->set)
			continue;
		node = chain_node(c, &cl->hash);
		if (!node)
			continue;
		for (k = 0; k < n && list[k].n != node; k++)
			;
		if (k == n)
			list[n++] = (struct candidate){ .n = node };
		if (cl->mono > list[k].mono)
			list[k].mono = cl->mono;
		if (cl->switch_mono > list[k].switch_mono)
			list[k].switch_mono = cl->switch_mono;
		if (add_sat(cl->mono, age) >= newest && (p->push || !(pushed & bit(p->node_index))))
			list[k].voters |= bit(p->node_index);
	}
	return n;
}

/*
 * When both branches were known: the later one of their first blocks above the common ancestor. 0: one descends from the
 * other, or nobody knows.
 */
static uint64_t parted_mono(const struct chain *c, const struct node *a, const struct node *b)
{
	const struct node *above_a = NULL, *above_b = NULL;

	for (unsigned i = 0; a && b && a != b && i < 2 * REORG_DEPTH; i++) {
		bool up_a = a->b.h.number >= b->b.h.number, up_b = b->b.h.number >= a->b.h.number;

		if (up_a) {
			above_a = a;
			a = ready_parent(c, a);
		}
		if (up_b) {
			above_b = b;
			b = ready_parent(c, b);
		}
	}
	if (!a || a != b || !above_a || !above_b)
		return 0;
	return above_a->known_mono > above_b->known_mono ? above_a->known_mono : above_b->known_mono;
}

/* A change of branch of long ago says nothing about this fork. */
static uint64_t switched_here(const struct candidate *a, uint64_t parted)
{
	return a->switch_mono >= parted ? a->switch_mono : 0;
}

static bool better(const struct chain *c, const struct candidate *a, const struct candidate *b)
{
	uint64_t parted, x, y;

	if (a->votes != b->votes)
		return a->votes > b->votes;
	if (a->n->b.h.number != b->n->b.h.number)
		return a->n->b.h.number > b->n->b.h.number;
	parted = parted_mono(c, a->n, b->n);
	x = switched_here(a, parted);
	y = switched_here(b, parted);
	if (x != y)
		return x > y;
	if (a->n->known_mono != b->n->known_mono)
		return a->n->known_mono < b->n->known_mono;
	return memcmp(a->n->b.h.hash.b, b->n->b.h.hash.b, 32) < 0;
}

static struct node *choose(const struct model *m, const struct chain *c)
{
	struct candidate list[PATHS_MAX];
	unsigned n = gather(m, c, list), best = 0;

	if (!n)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		uint64_t nodes = list[i].voters;

		for (unsigned k = 0; k < n; k++)
			if (k != i && list[k].n->b.h.number <= list[i].n->b.h.number &&
			    relation(c, list[k].n, list[i].n) != REL_OTHER)
				nodes |= list[k].voters;
		list[i].votes = (unsigned)__builtin_popcountll(nodes);
	}
	for (unsigned i = 1; i < n; i++)
		if (better(c, &list[i], &list[best]))
			best = i;
	return list[best].n;
}

/* ---- the switch ---- */

struct loss {
	unsigned n;
	uint64_t low, high; /* lowest height that changed, and the highest */
	struct hash from, from_tip;
	uint16_t path;
	bool choice; /* nobody turned: what loses was on another branch all along */
	uint64_t floor; /* the lowest block that was taken */
};

static void lose(struct model *m, struct chain *c, struct node *n, uint64_t key, struct loss *loss)
{
	struct chain_store *s = c->store;

	if (loss->choice) {
		chain_set_state(c, n, BLK_SIDE);
	} else {
		chain_set_state(c, n, BLK_ORPHAN);
		n->b.orphaned_mono = key;
		n->b.reincluded = -1;
		if (s->n_orphans == ORPHANS_WATCHED) {
			memmove(s->orphans, s->orphans + 1, (ORPHANS_WATCHED - 1) * sizeof(s->orphans[0]));
			s->n_orphans--;
		}
		s->orphans[s->n_orphans++] = n->b.h.hash;
		s->orphans_dirty = true;
	}
	if (!loss->n || n->b.h.number < loss->low) {
		loss->low = n->b.h.number;
		loss->from = n->b.h.hash;
		loss->path = n->b.first_path;
	}
	if (!loss->n || n->b.h.number > loss->high) {
		loss->high = n->b.h.number;
		loss->from_tip = n->b.h.hash;
	}
	loss->n++;
	m->priv->dirty |= DIRTY_BLOCKS;
}

static void win(struct chain *c, struct node *n)
{
	if (n->b.state == BLK_ORPHAN) {
		n->b.orphaned_mono = UNKNOWN;
		n->b.winner = (struct hash){ .b = { 0 } };
		n->b.reincluded = -1;
		n->b.lost_value_known = false;
	}
	chain_set_state(c, n, BLK_CANON);
	if (c->store->n_orphans)
		c->store->orphans_dirty = true;
}

/* From n down to what is canonical already, or to where nothing is known. */
static void adopt(struct model *m, struct chain *c, struct node *n, uint64_t key, struct loss *loss)
{
	struct node *other;

	for (; n && !decided(n); n = ready_parent(c, n)) {
		other = chain_canon(c, n->b.h.number);
		if (other && other != n)
			lose(m, c, other, key, loss);
		win(c, n);
		loss->floor = n->b.h.number;
	}
}

static void lose_above(struct model *m, struct chain *c, uint64_t number, uint64_t key, struct loss *loss)
{
	struct node *n = chain_canon_below(c, UINT64_MAX);
	uint64_t at;

	while (n && n->b.h.number > number) {
		at = n->b.h.number;
		lose(m, c, n, key, loss);
		n = chain_canon_below(c, at);
	}
}

static void mark_winners(struct chain *c)
{
	struct chain_store *s = c->store;

	for (unsigned i = 0; i < s->n_orphans; i++) {
		struct node *n = chain_node(c, &s->orphans[i]), *w;

		if (!n || n->b.state != BLK_ORPHAN)
			continue;
		w = chain_canon(c, n->b.h.number);
		if (w && decided(w) && hash_is_zero(&n->b.winner))
			n->b.winner = w->b.h.hash;
	}
	for (unsigned i = 0; i < c->n_reorgs; i++) {
		struct node *w = hash_is_zero(&c->reorgs[i].to) ? chain_canon(c, c->reorgs[i].number) : NULL;

		if (w && decided(w))
			c->reorgs[i].to = w->b.h.hash;
	}
}

static int chain_index(const struct model *m, const struct chain *c)
{
	for (unsigned i = 0; i < m->n_chains; i++)
		if (m->chains[i] == c)
			return (int)i;
	return -1;
}

static void reorg_text(const struct chain *c, unsigned at, char *out, size_t size)
{
	const struct reorg *r = &c->reorgs[at];
	char n[28], a[5], b[5], more[64] = "";
	const struct node *loser = chain_node(c, &r->from);
	uint64_t late = ms_ns(c->info->late_ms);

	note_number(n, r->number);
	if (loser && loser->b.reincluded >= 0 && loser->b.body_seen && r->depth == 1)
		snprintf(more, sizeof(more), ", %d of %u txs re-included", (int)loser->b.reincluded, loser->b.ntx);
	if (c->store->reorg_same[at] > 1)
		snprintf(more, sizeof(more), ", %u times: two branches compete", c->store->reorg_same[at]);
	if (loser && loser->b.late_known && late && loser->b.late_ns > 0 && (uint64_t)loser->b.late_ns > late)
		snprintf(out, size, "reorg depth %u at %s: the late block lost%s", r->depth, n, more);
	else
		snprintf(out, size, "reorg depth %u at %s: %s→%s%s", r->depth, n, note_hash(a, &r->from),
			 hash_is_zero(&r->to) ? "?" : note_hash(b, &r->to), more);
}

static void reorg_record(struct model *m, struct chain *c, const struct loss *loss, uint64_t key, uint64_t wall)
{
	struct chain_store *s = c->store;
	struct node *to = chain_canon(c, loss->low);
	struct reorg r = {
		.mono = key,
		.wall = wall,
		.number = loss->low,
		.depth = loss->n,
		.from = loss->from,
		.from_tip = loss->from_tip,
		.lived_ns = UNKNOWN,
		.path = loss->path,
	};
	bool same = c->n_reorgs && c->reorgs[0].number == r.number && sub_sat(key, c->reorgs[0].mono) < 600 * NS_S;
	char text[200];

	if (to && decided(to))
		r.to = to->b.h.hash;
	memmove(c->reorgs + 1, c->reorgs, sizeof(c->reorgs) - sizeof(c->reorgs[0]));
	memmove(s->reorg_note + 1, s->reorg_note, sizeof(s->reorg_note) - sizeof(s->reorg_note[0]));
	memmove(s->reorg_same + 1, s->reorg_same, sizeof(s->reorg_same) - sizeof(s->reorg_same[0]));
	c->reorgs[0] = r;
	if (c->n_reorgs < sizeof(c->reorgs) / sizeof(c->reorgs[0]))
		c->n_reorgs++;
	c->reorg_count++;
	s->reorg_same[0] = same ? s->reorg_same[1] + 1 : 1;
	if (same)
		s->reorg_note[1] = UNKNOWN; /* the line is the newest one's now */
	reorg_text(c, 0, text, sizeof(text));
	if (!same || !note_update(m, s->reorg_note[0], "%s", text))
		s->reorg_note[0] = note_add(m, NOTE_REORG, loss->path == NO_PATH ? -1 : loss->path, chain_index(m, c),
					 key, wall, "%s", text);
}

/* A branch that is learnt from its top down takes the chain's blocks one by one: it is one reorg that grows. */
static bool reorg_grows(struct chain *c, const struct loss *loss)
{
	struct node *from = c->n_reorgs ? chain_node(c, &c->reorgs[0].from) : NULL;

	return from && loss->high + 1 == c->reorgs[0].number && hash_eq(&from->b.h.parent, &loss->from_tip);
}

static void reorg_grow(struct model *m, struct chain *c, const struct loss *loss)
{
	struct reorg *r = &c->reorgs[0];
	struct node *to = chain_canon(c, loss->low);
	char text[200];

	r->number = loss->low;
	r->depth += loss->n;
	r->from = loss->from;
	r->path = loss->path;
	r->lived_ns = UNKNOWN;
	r->to = to && decided(to) ? to->b.h.hash : (struct hash){ .b = { 0 } };
	c->store->reorg_same[0] = 1;
	reorg_text(c, 0, text, sizeof(text));
	if (c->store->reorg_note[0] != UNKNOWN && !note_update(m, c->store->reorg_note[0], "%s", text))
		c->store->reorg_note[0] = UNKNOWN;
}

/* Heads that wait in the queue and extend what was decided are shown at once. */
static void extend_again(struct model *m, struct chain *c)
{
	for (unsigned i = 0; i < m->priv->queued; i++) {
		const struct event *e = &m->priv->queue[i].e;
		struct node *n;

		if (e->kind != EV_HEAD || m->paths[e->path]->chain < 0 ||
		    m->chains[m->paths[e->path]->chain] != c || !extends(e->u.head.source))
			continue;
		n = chain_node(c, &e->u.head.h.hash);
		if (n)
			chain_extend(c, n);
	}
}

/*
 * A reorg is a node that leaves a branch. Where we take the branch of nodes that were never on the other one (two nodes that
 * never agreed, of which now this one is heard first, now that), only our choice has changed.
 */
static bool turned_to(const struct model *m, const struct chain *c, const struct node *best)
{
	const struct node *n = c->store->tip;
	uint64_t nodes = 0, paths = 0;

	if (n && n->b.h.number <= best->b.h.number && relation(c, n, best) == REL_ANCESTOR)
		return true; /* no other branch */
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		const struct node *claimed = p->priv->claim.set ? chain_node(c, &p->priv->claim.hash) : NULL;

		if (p->chain >= 0 && m->chains[p->chain] == c && claimed && claimed->b.h.number <= best->b.h.number &&
		    relation(c, claimed, best) != REL_OTHER)
			nodes |= bit(p->node_index);
	}
	for (unsigned i = 0; i < m->n_paths; i++)
		if (nodes & bit(m->paths[i]->node_index))
			paths |= bit(i);
	for (unsigned i = 0; n && i < REORG_DEPTH; i++, n = ready_parent(c, n))
		if (n->claimed_by & paths)
			return true;
	return false;
}

static void decide(struct model *m, struct chain *c, struct node *n, uint64_t key, uint64_t wall)
{
	struct chain_store *s = c->store;
	struct node *best = choose(m, c), *child;
	struct hash shown = c->head ? c->head->h.hash : (struct hash){ .b = { 0 } };
	struct loss loss = { .n = 0, .floor = UNKNOWN };
	bool below = false;

	if (best && (best != s->tip || n->prov)) {
		chain_strip(c);
		if (best != s->tip) {
			loss.choice = !turned_to(m, c, best);
			adopt(m, c, best, key, &loss);
			lose_above(m, c, best->b.h.number, key, &loss);
			s->tip = best;
			c->head = &best->b;
			m->priv->dirty |= DIRTY_BLOCKS;
		}
		extend_again(m, c);
	}
	/* A block that was missing below the chain. */
	if (n->b.state != BLK_CANON && n->b.h.number < UINT64_MAX) {
		child = chain_canon(c, n->b.h.number + 1);
		if (child && decided(child) && hash_eq(&child->b.h.parent, &n->b.h.hash)) {
			loss.choice = child->b.h.number == s->chosen;
			below = loss.n == 0;
			adopt(m, c, n, key, &loss);
			m->priv->dirty |= DIRTY_BLOCKS;
		}
	}
	if (loss.choice && loss.floor != UNKNOWN)
		s->chosen = loss.floor;
	else if (loss.n && loss.low <= s->chosen)
		s->chosen = UNKNOWN;
	if (loss.n && !loss.choice) {
		mark_winners(c);
		if (below && reorg_grows(c, &loss))
			reorg_grow(m, c, &loss);
		else
			reorg_record(m, c, &loss, key, wall);
	} else if (s->n_orphans) {
		mark_winners(c);
	}
	if (c == model_chain(m) && c->head && !hash_eq(&shown, &c->head->h.hash))
		m->priv->dirty |= DIRTY_HEAD;
}

/* A head below the one before it, on the same branch: another backend answers. Told again and again it is one fall. */
static void look_back(const struct chain *c, struct path *p, const struct node *n, uint64_t key)
{
	struct path_priv *pp = p->priv;
	const struct node *claimed = pp->claim.set ? chain_node(c, &pp->claim.hash) : NULL;
	uint64_t last = pp->health.told_number;

	pp->health.told_number = n->b.h.number;
	if (pp->fresh || last == UNKNOWN || !claimed || n->b.h.number >= last || n->b.h.number >= claimed->b.h.number)
		return;
	if (relation(c, n, claimed) == REL_ANCESTOR)
		facts_back(p, last, n->b.h.number, key);
}

void fork_event(struct model *m, struct path *p, unsigned path, const struct hash *h, uint8_t source, bool head,
		uint64_t key, uint64_t wall)
{
	struct chain *c;
	struct node *n;
	struct path_priv *pp = p->priv;

	if (p->chain < 0)
		return;
	c = m->chains[p->chain];
	n = chain_node(c, h);
	if (!n)
		return;
	n->ready = true;
	n->queue_body |= !head;
	if (head && announces(source))
		look_back(c, p, n, key);
	if (head && (announces(source) || (pp->fresh && pp->claim.set && extends(source))))
		claim_update(c, p, path, n, key, wall);
	else if (extends(source) &&
		 (!pp->claim.set || n->b.h.number > pp->claim.number))
		claim_set(pp, n, key, false);
	for (unsigned i = 0; i < m->n_paths; i++)
		if (m->paths[i]->chain == p->chain && m->paths[i]->priv->low.set)
			claim_review(c, m->paths[i]);
	decide(m, c, n, key, wall);
}

void fork_fresh(struct path *p)
{
	p->priv->fresh = true;
}

void fork_forget(struct path *p)
{
	p->priv->claim = p->priv->low = (struct claim){ .set = false };
	p->priv->low_run = 0;
	p->priv->fresh = false;
}

/* Who heard the loser first, how late it was, what came back: known or revised only after the reorg. */
static void review_reorgs(struct model *m, struct chain *c)
{
	struct chain_store *s = c->store;
	char text[200];

	for (unsigned i = 0; i < c->n_reorgs; i++) {
		const struct node *from = chain_node(c, &c->reorgs[i].from);

		if (!from)
			continue;
		c->reorgs[i].path = from->b.first_path;
		c->reorgs[i].lived_ns = from->b.heard ? sub_sat(c->reorgs[i].mono, from->b.first_mono) : UNKNOWN;
		if (s->reorg_note[i] == UNKNOWN)
			continue;
		reorg_text(c, i, text, sizeof(text));
		if (!note_update(m, s->reorg_note[i], "%s", text))
			s->reorg_note[i] = UNKNOWN;
	}
}

static bool tips_of(struct node *n, struct u256 *lo, struct u256 *hi)
{
	if (!n->tips_done && n->b.body) {
		n->tips_done = true;
		n->tips_known = fee_tip_bounds(n->b.body, &n->tips_lo, &n->tips_hi);
	}
	return n->tips_done && n->tips_known && u256_add(lo, lo, &n->tips_lo) && u256_add(hi, hi, &n->tips_hi);
}

/*
 * What a reorg cost: a function of the blocks that lost and of the chain as it is now, so that it does not matter in which order
 * their bodies came.
 */
static void weigh(const struct chain *c, struct reorg *r)
{
	struct reorg out = *r;
	struct node *n = chain_node(c, &r->from_tip), *other;

	out.undone = false;
	out.txs_known = out.value_known = out.tips_known = true;
	out.txs = out.back = 0;
	out.lost_value = out.old_lo = out.old_hi = out.new_lo = out.new_hi = u256_from64(0);
	for (unsigned i = 0; i < r->depth; i++, n = n->b.h.number > r->number ? chain_parent(c, n) : NULL) {
		if (!n)
			return; /* it has left our memory: what was found stands */
		if (n->b.state == BLK_CANON) {
			out.undone = true;
			out.txs_known = out.value_known = out.tips_known = false;
			break;
		}
		if (n->b.reincluded < 0 || !n->b.body_seen) {
			out.txs_known = out.value_known = false;
		} else {
			out.txs += n->b.ntx;
			out.back += (uint32_t)n->b.reincluded;
			out.value_known = out.value_known && n->b.lost_value_known &&
					  u256_add(&out.lost_value, &out.lost_value, &n->b.lost_value);
		}
		other = chain_canon(c, n->b.h.number);
		out.tips_known = out.tips_known && other && tips_of(n, &out.old_lo, &out.old_hi) &&
				 tips_of(other, &out.new_lo, &out.new_hi);
	}
	*r = out;
}

void fork_tick(struct model *m, struct chain *c)
{
	struct chain_store *s = c->store;
	unsigned kept = 0;

	if (s->orphans_dirty) {
		s->orphans_dirty = false;
		for (unsigned i = 0; i < s->n_orphans; i++) {
			struct node *n = chain_node(c, &s->orphans[i]);

			if (!n || n->b.state != BLK_ORPHAN)
				continue;
			if (txs_reincluded(m, c, n))
				m->priv->dirty |= DIRTY_BLOCKS;
			s->orphans[kept++] = s->orphans[i];
		}
		s->n_orphans = kept;
		for (unsigned i = 0; i < c->n_reorgs; i++)
			weigh(c, &c->reorgs[i]);
		s->review_mono = m->now_mono;
	}
	if (c->n_reorgs && sub_sat(m->now_mono, s->review_mono) < 5 * NS_S)
		review_reorgs(m, c);
}
