#include "model/chains.h"

#include <stdio.h>
#include <stdlib.h>

#include "eth/block.h"
#include "model/chain.h"
#include "model/fork.h"
#include "model/health.h"
#include "model/health_facts.h"
#include "model/pool.h"
#include "model/seen.h"

static void set_shown(struct model *m, unsigned chain)
{
	if (chain == m->shown)
		return;
	m->shown = chain;
	pool_reset(m);
	m->priv->dirty |= DIRTY_ALL;
}

/*
 * The chain of a node: that of its first path that is up, whoever spoke first; a path that is down may remember a chain
 * that is gone (a dev node that was started anew).
 */
static int node_chain(const struct model *m, unsigned node)
{
	int first = -1;

	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->node_index != node || p->chain < 0)
			continue;
		if (link_up(p->state))
			return p->chain;
		if (first < 0)
			first = p->chain;
	}
	return first;
}

void chains_mark(struct model *m)
{
	int of[NODES_MAX], first = -1;

	for (unsigned i = 0; i < m->n_paths; i++) {
		unsigned node = m->paths[i]->node_index;

		if (node == i)
			of[node] = node_chain(m, node);
		if (first < 0)
			first = of[node];
	}
	if (!m->priv->chosen && first >= 0)
		set_shown(m, (unsigned)first);
	for (unsigned i = 0; i < m->n_paths; i++) {
		struct path *p = m->paths[i];

		p->wrong_chain = p->chain >= 0 && p->chain != of[p->node_index];
		p->other_chain = p->chain >= 0 && (unsigned)p->chain != m->shown;
	}
}

void model_show(struct model *m, unsigned chain)
{
	if (chain >= m->n_chains)
		return;
	m->priv->chosen = true;
	set_shown(m, chain);
	chains_mark(m);
}

/* One of the two is a network id: then the genesis decides. */
static bool same_network(const struct chain *c, const struct event *e)
{
	return (c->network || e->u.chain.network) && c->id_known && e->u.chain.ok && !hash_is_zero(&e->u.chain.genesis) &&
	       hash_eq(&c->genesis, &e->u.chain.genesis);
}

/* A genesis that is not known fits every chain of that id. */
static int find_chain(struct model *m, const struct event *e)
{
	const struct hash *genesis = &e->u.chain.genesis;
	bool none = hash_is_zero(genesis), ok = e->u.chain.ok;
	uint64_t id = e->u.chain.id;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < m->n_chains; i++) {
			struct chain *c = m->chains[i];

			if (same_network(c, e)) {
				if (c->network && !e->u.chain.network)
					chain_name(c, id, genesis);
				return (int)i;
			}
			if (c->id_known != ok || (ok && c->id != id))
				continue;
			if (hash_eq(&c->genesis, genesis))
				return (int)i;
			if (pass == 0 || !ok)
				continue;
			if (none) {
				const struct hash known = c->genesis;

				/* The number that a network has is the chain's, too. */
				if (c->network && !e->u.chain.network)
					chain_name(c, id, &known);
				return (int)i;
			}
			if (hash_is_zero(&c->genesis)) {
				chain_name(c, id, genesis);
				return (int)i;
			}
		}
	}
	return -1;
}

/* Paths left on a chain besides this one. */
static bool shared(const struct model *m, int chain, unsigned path)
{
	for (unsigned i = 0; i < m->n_paths; i++)
		if (i != path && m->paths[i]->chain == chain)
			return true;
	return false;
}

/* What else stands for a chain that leaves. */
static void forget_chain(struct model *m, int at)
{
	struct model_priv *mp = m->priv;
	unsigned kept = 0;

	seen_forget(m, (unsigned)at);
	health_forget(m, (unsigned)at);
	for (unsigned k = 0; k < NOTES_KEPT; k++)
		if (m->notes[k].chain == at)
			m->notes[k].chain = -1;
	for (unsigned k = 0; k < mp->n_usable; k++)
		if (mp->usable[k].chain != at)
			mp->usable[kept++] = mp->usable[k];
	mp->n_usable = kept;
}

/* All places are taken: the first chain that no path is on leaves (dev nodes that were started anew). */
static int reuse_place(struct model *m, struct chain *c)
{
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (i == m->shown || shared(m, (int)i, PATHS_MAX))
			continue;
		forget_chain(m, (int)i);
		chain_free(m->chains[i]);
		m->chains[i] = c;
		m->priv->dirty |= DIRTY_ALL;
		return (int)i;
	}
	return -1;
}

static int add_chain(struct model *m, const struct event *e)
{
	struct chain *c = chain_new(e->u.chain.id, e->u.chain.ok, &e->u.chain.genesis);
	int at = -1;

	if (c && e->u.chain.network)
		chain_name_network(c, e->u.chain.id, &e->u.chain.genesis);
	if (c && m->n_chains < CHAINS_MAX) {
		at = (int)m->n_chains++;
		m->chains[at] = c;
	} else if (c) {
		at = reuse_place(m, c);
		if (at < 0)
			chain_free(c);
	}
	return at;
}

/* ---- what an anonymous chain was told before it is known ---- */

enum { CARRIED = 64 };

struct carried {
	struct event e[3 * CARRIED];
	unsigned n;
};

static void carry(const struct model *m, struct carried *c, const struct event *told, const struct node *n, enum event_kind kind)
{
	uint64_t heard = path_heard(m->paths[told->path], &n->b.h.hash);
	struct event *e = &c->e[c->n++];

	*e = (struct event){ .kind = (uint16_t)kind, .path = told->path, .mono = n->known_mono, .wall = told->wall };
	if (heard != UNKNOWN) {
		e->mono = heard;
		e->wall = n->b.first_wall + (heard - n->b.first_mono);
	}
}

static enum head_source source_of(const struct node *n, unsigned path)
{
	if (n->pushed_by & bit(path))
		return SRC_PUSH;
	if (n->first_by & bit(path))
		return SRC_FIRST;
	return n->told_by & bit(path) ? SRC_POLL : SRC_BACKFILL;
}

/* The newest blocks of a chain that this path alone is on, or those of its that it told, as events to be told again. */
static void gather(const struct model *m, const struct chain *c, const struct event *told, bool alone, struct carried *out)
{
	const struct nodeset *rows = &c->store->rows;
	unsigned from = rows->n > CARRIED ? rows->n - CARRIED : 0;

	out->n = 0;
	for (unsigned i = from; i < rows->n; i++) {
		const struct node *n = rows->v[i];
		enum head_source source = source_of(n, told->path);

		if (!alone && !(n->told_by & bit(told->path)))
			continue;
		carry(m, out, told, n, EV_HEAD);
		out->e[out->n - 1].u.head.h = n->b.h;
		out->e[out->n - 1].u.head.source = (uint8_t)source;
		if (!n->b.body)
			continue;
		carry(m, out, told, n, EV_BLOCK);
		out->e[out->n - 1].u.block.block = block_keep(n->b.body);
		out->e[out->n - 1].u.block.done_mono = n->b.usable_mono == UNKNOWN ? n->known_mono : n->b.usable_mono;
		out->e[out->n - 1].u.block.source = (uint8_t)source;
		if (n->b.truth == TRUTH_NONE)
			continue;
		carry(m, out, told, n, EV_VERDICT);
		out->e[out->n - 1].u.verdict.hash = n->b.h.hash;
		out->e[out->n - 1].u.verdict.v = (struct verdict){
			.header = n->b.part[PART_HEADER],
			.txs = n->b.part[PART_TXS],
			.withdrawals = n->b.part[PART_WITHDRAWALS],
		};
		snprintf(out->e[out->n - 1].u.verdict.v.field, sizeof(out->e[0].u.verdict.v.field), "%.31s", n->no_field);
		snprintf(out->e[out->n - 1].u.verdict.v.reason, sizeof(out->e[0].u.verdict.v.reason), "%s", n->unknown_why);
	}
}

/* They are heard again: what the path has of them is taken back. */
static void unhear(struct path *p, const struct carried *c)
{
	while (p->heard_n) {
		unsigned newest = (p->heard_next + HEARD_KEPT - 1) % HEARD_KEPT, i = 0;

		while (i < c->n && !(c->e[i].kind == EV_HEAD && hash_eq(&c->e[i].u.head.h.hash, &p->heard[newest].hash)))
			i++;
		if (i == c->n)
			return;
		p->heard_next = newest;
		p->heard_n--;
		p->heads--;
	}
}

static void tell_again(struct model *m, struct path *p, struct carried *c)
{
	unhear(p, c);
	for (unsigned i = 0; i < c->n; i++) {
		if (c->e[i].kind == EV_BLOCK)
			m->own.decoded_bytes -= c->e[i].u.block.block->json_bytes; /* counted already */
		m->priv->dirty |= model_apply(m, &c->e[i]);
	}
}

/* Nobody is on it any more: the last one takes its place. */
static void drop_chain(struct model *m, int at)
{
	struct model_priv *mp = m->priv;
	int last = (int)m->n_chains - 1;

	if (m->n_chains == 1)
		return;
	forget_chain(m, at);
	chain_free(m->chains[at]);
	m->chains[at] = m->chains[last];
	m->n_chains--;
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->chain == last)
			m->paths[i]->chain = at;
		if (m->paths[i]->priv->noted_chain == last)
			m->paths[i]->priv->noted_chain = at;
	}
	for (unsigned k = 0; k < NOTES_KEPT; k++)
		if (m->notes[k].chain == last)
			m->notes[k].chain = at;
	for (unsigned k = 0; k < mp->n_usable; k++)
		if (mp->usable[k].chain == last)
			mp->usable[k].chain = at;
	seen_moved(m, (unsigned)last, (unsigned)at);
	health_moved(m, (unsigned)last, (unsigned)at);
	if (m->shown == (unsigned)last)
		m->shown = (unsigned)at;
	else if (m->shown == (unsigned)at)
		set_shown(m, 0);
	mp->dirty |= DIRTY_ALL;
}

/* ---- what paths say ---- */

static void put_on(struct model *m, unsigned path, int at, uint64_t mono)
{
	struct path *p = m->paths[path];
	int before = p->chain;

	if (at == before)
		return;
	p->chain = at;
	if (p->pending.on)
		p->pending.since = mono;
	p->has_head = false;
	p->behind_blocks = UNKNOWN;
	fork_forget(p);
	facts_forget(m, path, before >= 0);
}

/* Does some path know this chain's genesis of its own? Then it is the chain of the guessing ones of its node, too. */
static int node_knows(const struct model *m, unsigned node, uint64_t id)
{
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];

		if (p->node_index == node && !p->priv->guessed && p->chain >= 0 && m->chains[p->chain]->id_known &&
		    m->chains[p->chain]->id == id)
			return p->chain;
	}
	return -1;
}

/* A path that does not know its genesis is where its node is. */
static void settle_guesses(struct model *m, uint64_t mono)
{
	for (unsigned i = 0; i < m->n_paths; i++) {
		struct path *p = m->paths[i];
		int at = p->priv->guessed && p->chain >= 0 ? node_knows(m, p->node_index, m->chains[p->chain]->id) : -1;

		if (at >= 0)
			put_on(m, i, at, mono);
	}
}

static void path_chain(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	bool ok = e->u.chain.ok;
	int at, before = p->chain;
	bool anonymous = ok && before >= 0 && !m->chains[before]->id_known, alone = !shared(m, before, e->path);
	struct carried *c = NULL;

	p->priv->guessed = ok && hash_is_zero(&e->u.chain.genesis);
	if (p->priv->guessed && before >= 0 && m->chains[before]->id_known && m->chains[before]->id == e->u.chain.id)
		at = before;
	else
		at = find_chain(m, e);
	/* What came before the id was known belongs to it. */
	if (at < 0 && anonymous && alone) {
		if (e->u.chain.network)
			chain_name_network(m->chains[before], e->u.chain.id, &e->u.chain.genesis);
		else
			chain_name(m->chains[before], e->u.chain.id, &e->u.chain.genesis);
		at = before;
	}
	if (at < 0)
		at = add_chain(m, e);
	if (at != before && at >= 0 && anonymous && (c = malloc(sizeof(*c))) != NULL)
		gather(m, m->chains[before], e, alone, c);
	put_on(m, e->path, at, e->mono);
	if (ok)
		settle_guesses(m, e->mono);
	if (anonymous && alone && p->chain != before)
		drop_chain(m, before);
	chains_mark(m);
	if (c)
		tell_again(m, p, c);
	free(c);
}

void chains_told(struct model *m, const struct event *e)
{
	path_chain(m, e);
}

struct chain *chains_of(struct model *m, const struct event *e)
{
	const struct event unknown = { .kind = EV_CHAIN, .path = e->path, .mono = e->mono, .wall = e->wall };

	if (m->paths[e->path]->chain < 0)
		path_chain(m, &unknown);
	return m->paths[e->path]->chain < 0 ? NULL : m->chains[m->paths[e->path]->chain];
}
