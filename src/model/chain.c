#include "model/chain.h"

#include <stdio.h>
#include <stdlib.h>

#include "eth/names.h"
#include "model/racelog.h"

/* ---- table by hash ---- */

/* Nodes choose what they call a hash; two words of it make a crafted pile-up at least laborious. */
static unsigned slot_of(const struct chain_store *s, const struct hash *h)
{
	uint64_t a, b;

	memcpy(&a, h->b, 8);
	memcpy(&b, h->b + 16, 8);
	a ^= b * UINT64_C(0x9e3779b97f4a7c15);
	a ^= a >> 32;
	return (unsigned)a & (s->slots - 1);
}

struct node *chain_node(const struct chain *c, const struct hash *h)
{
	const struct chain_store *s = c->store;

	if (!s->slots)
		return NULL;
	for (unsigned i = slot_of(s, h); s->slot[i]; i = (i + 1) & (s->slots - 1))
		if (hash_eq(&s->slot[i]->b.h.hash, h))
			return s->slot[i];
	return NULL;
}

static void slot_put(struct chain_store *s, struct node *n)
{
	unsigned i = slot_of(s, &n->b.h.hash);

	while (s->slot[i])
		i = (i + 1) & (s->slots - 1);
	s->slot[i] = n;
}

static bool slots_grow(struct chain_store *s, unsigned used)
{
	struct node **old = s->slot, **v;
	unsigned n = s->slots;

	if (used * 4 < n * 3)
		return true;
	v = calloc(n ? (size_t)n * 2 : 256, sizeof(*v));
	if (!v)
		return used + 1 < n;
	s->slot = v;
	s->slots = n ? n * 2 : 256;
	for (unsigned i = 0; i < n; i++)
		if (old[i])
			slot_put(s, old[i]);
	free(old);
	return true;
}

/* Closes the hole that a removed entry leaves in its run of probes. */
static void slot_remove(struct chain_store *s, const struct node *n)
{
	unsigned mask = s->slots - 1, i = slot_of(s, &n->b.h.hash), j, home;

	while (s->slot[i] != n)
		i = (i + 1) & mask;
	s->slot[i] = NULL;
	for (j = (i + 1) & mask; s->slot[j]; j = (j + 1) & mask) {
		home = slot_of(s, &s->slot[j]->b.h.hash);
		if (((j - home) & mask) >= ((j - i) & mask)) {
			s->slot[i] = s->slot[j];
			s->slot[j] = NULL;
			i = j;
		}
	}
}

/* ---- sorted sets ---- */

static int order(const struct node *a, const struct node *b)
{
	bool ca = a->b.state == BLK_CANON, cb = b->b.state == BLK_CANON;

	if (a->b.h.number != b->b.h.number)
		return a->b.h.number < b->b.h.number ? -1 : 1;
	if (ca != cb)
		return ca ? 1 : -1;
	return memcmp(a->b.h.hash.b, b->b.h.hash.b, 32);
}

/* First index whose number is ≥ number. */
static unsigned set_lower(const struct nodeset *s, uint64_t number)
{
	unsigned lo = 0, hi = s->n, mid;

	/* Nearly always it is about the newest. */
	if (hi && s->v[hi - 1]->b.h.number < number)
		return hi;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->v[mid]->b.h.number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static unsigned set_find(const struct nodeset *s, const struct node *n)
{
	unsigned i = set_lower(s, n->b.h.number);

	while (i < s->n && s->v[i] != n && s->v[i]->b.h.number == n->b.h.number)
		i++;
	return i < s->n && s->v[i] == n ? i : s->n;
}

static bool set_reserve(struct nodeset *s, unsigned n)
{
	struct node **v;
	unsigned cap = s->cap ? s->cap : 64;

	while (cap < n)
		cap *= 2;
	if (cap == s->cap)
		return true;
	v = realloc(s->v, cap * sizeof(*v));
	if (!v)
		return false;
	s->v = v;
	s->cap = cap;
	return true;
}

/* Room was made by chain_put. */
static void set_put(struct nodeset *s, struct node *n)
{
	unsigned i = set_lower(s, n->b.h.number);

	while (i < s->n && order(s->v[i], n) < 0)
		i++;
	memmove(s->v + i + 1, s->v + i, (s->n - i) * sizeof(*s->v));
	s->v[i] = n;
	s->n++;
}

static void set_remove(struct nodeset *s, const struct node *n)
{
	unsigned i = set_find(s, n);

	if (i == s->n)
		return;
	s->n--;
	memmove(s->v + i, s->v + i + 1, (s->n - i) * sizeof(*s->v));
}

struct node *chain_canon(const struct chain *c, uint64_t number)
{
	const struct nodeset *s = &c->store->rows;
	unsigned i = number < UINT64_MAX ? set_lower(s, number + 1) : s->n;

	if (i == 0 || s->v[i - 1]->b.h.number != number || s->v[i - 1]->b.state != BLK_CANON)
		return NULL;
	return s->v[i - 1];
}

struct node *chain_canon_below(const struct chain *c, uint64_t number)
{
	const struct nodeset *s = &c->store->rows;
	unsigned i = set_lower(s, number);

	while (i > 0 && s->v[i - 1]->b.state != BLK_CANON)
		i--;
	return i > 0 ? s->v[i - 1] : NULL;
}

static bool wants_row(const struct chain *c, const struct node *n)
{
	if (n->b.state != BLK_SIDE)
		return true;
	/* A side block is shown where it competed; a node that syncs far below would only fill the table. */
	return n->told_by && chain_canon(c, n->b.h.number);
}

void chain_place(struct chain *c, struct node *n)
{
	struct chain_store *s = c->store;
	bool rows = wants_row(c, n);

	if (rows == n->in_rows)
		return;
	set_remove(n->in_rows ? &s->rows : &s->hidden, n);
	n->in_rows = rows;
	set_put(rows ? &s->rows : &s->hidden, n);
}

/* The others of this height may become rows or stop being rows. */
static void place_height(struct chain *c, uint64_t number)
{
	struct nodeset *set[2] = { &c->store->rows, &c->store->hidden };
	unsigned i, before;

	for (unsigned k = 0; k < 2; k++) {
		i = set_lower(set[k], number);
		while (i < set[k]->n && set[k]->v[i]->b.h.number == number) {
			before = set[k]->n;
			chain_place(c, set[k]->v[i]);
			if (set[k]->n == before)
				i++;
		}
	}
}

/* The only known block of its height. */
static bool alone(const struct chain *c, const struct node *n)
{
	const struct nodeset *rows = &c->store->rows, *hidden = &c->store->hidden;
	uint64_t number = n->b.h.number;
	unsigned i = set_lower(rows, number), k = set_lower(hidden, number);

	return (i + 1 == rows->n || rows->v[i + 1]->b.h.number != number) &&
	       (k == hidden->n || hidden->v[k]->b.h.number != number);
}

void chain_set_state(struct chain *c, struct node *n, enum blk_state state)
{
	struct chain_store *s = c->store;

	if (n->b.state == state)
		return;
	s->kept_canon += (state == BLK_CANON) - (n->b.state == BLK_CANON);
	s->stats_dirty = true;
	if (n->in_rows && state != BLK_SIDE && alone(c, n)) {
		n->b.state = state;
		return;
	}
	set_remove(n->in_rows ? &s->rows : &s->hidden, n);
	n->b.state = state;
	n->in_rows = wants_row(c, n);
	set_put(n->in_rows ? &s->rows : &s->hidden, n);
	place_height(c, n->b.h.number);
}

/* ---- links ---- */

struct node *chain_parent(const struct chain *c, const struct node *n)
{
	struct node *p;

	if (n->b.h.number == 0)
		return NULL;
	p = chain_node(c, &n->b.h.parent);
	return p && p->b.h.number + 1 == n->b.h.number ? p : NULL;
}

struct node *chain_below(const struct chain *c, const struct node *n)
{
	struct node *p = chain_parent(c, n);

	return p && p->b.state == BLK_CANON ? p : NULL;
}

/* A block came or goes: its children have or lose their parent. */
static void mark_children(struct chain *c, const struct node *n, bool gap)
{
	struct nodeset *set[2] = { &c->store->rows, &c->store->hidden };
	uint64_t number = n->b.h.number + 1;

	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = set_lower(set[k], number);
		     i < set[k]->n && set[k]->v[i]->b.h.number == number; i++)
			if (hash_eq(&set[k]->v[i]->b.h.parent, &n->b.h.hash))
				set[k]->v[i]->b.gap_before = gap;
}

/* ---- blocks ---- */

static void drop_unused(struct chain *c, struct node *n)
{
	struct chain_store *s = c->store;

	chain_drop_body(c, n);
	s->kept_canon -= n->b.state == BLK_CANON;
	mark_children(c, n, true);
	set_remove(n->in_rows ? &s->rows : &s->hidden, n);
	slot_remove(s, n);
	n->next_free = s->free;
	s->free = n;
	c->kept--;
}

static bool in_use(const struct chain *c, const struct node *n)
{
	return n->prov || n == c->store->tip || &n->b == c->head;
}

/* The lowest block that is, or is not, canonical. */
static struct node *victim(const struct chain *c, bool canon)
{
	const struct nodeset *rows = &c->store->rows, *hidden = &c->store->hidden;

	if (hidden->n && !canon)
		return hidden->v[0];
	for (unsigned i = 0; i < rows->n; i++)
		if (!in_use(c, rows->v[i]) && canon == (rows->v[i]->b.state == BLK_CANON))
			return rows->v[i];
	return NULL;
}

/*
 * By number, the lowest first, never by the order in which they are shown (peers.md §2.3 #9). What is not canonical has
 * its own limit: a chain that was set back starts with low numbers and must not be taken for old.
 */
void chain_limit(struct chain *c, unsigned limit)
{
	const struct chain_store *s = c->store;
	struct node *n;

	while (c->kept - s->kept_canon > NONCANON_KEPT && (n = victim(c, false)) != NULL)
		drop_unused(c, n);
	while (c->kept > limit && (n = victim(c, true)) != NULL)
		drop_unused(c, n);
	while (c->kept > limit && (n = victim(c, false)) != NULL)
		drop_unused(c, n);
}

static struct node *node_new(struct chain_store *s)
{
	struct slab *slab;
	struct node *n;

	if (!s->free) {
		slab = calloc(1, sizeof(*slab));
		if (!slab)
			return NULL;
		slab->next = s->slabs;
		s->slabs = slab;
		for (unsigned i = 64; i-- > 0;) {
			slab->node[i].next_free = s->free;
			s->free = &slab->node[i];
		}
	}
	n = s->free;
	s->free = n->next_free;
	return n;
}

/* Where the miner field is empty the signer stands in the extra data: that takes the body (model/txs.c). */
static void signer_from(struct blk *b)
{
	static const struct addr none;

	b->signer = b->h.miner;
	b->signer_known = b->h.has & H_MINER && !addr_eq(&b->h.miner, &none);
}

static void name_from(struct blk *b)
{
	size_t n = b->h.extra_len < sizeof(b->h.extra) ? b->h.extra_len : sizeof(b->h.extra);

	name_builder(b->builder, sizeof(b->builder), b->h.extra, n, &b->h.miner);
}

/* newHeads of some nodes leave fields out that the block has (provider.md fault 55). */
static void fill_in(struct node *n, const struct head *h)
{
	struct head *own = &n->b.h;
	uint32_t add = h->has & ~own->has;

	if (!add)
		return;
	if (add & H_BASE_FEE)
		own->base_fee = h->base_fee;
	if (add & H_BLOB_GAS_USED)
		own->blob_gas_used = h->blob_gas_used;
	if (add & H_EXCESS_BLOB_GAS)
		own->excess_blob_gas = h->excess_blob_gas;
	if (add & H_MILLIS)
		own->time_ms = h->time_ms;
	if (add & H_MINER) {
		own->miner = h->miner;
		name_from(&n->b);
		if (!n->b.signer_known)
			signer_from(&n->b);
	}
	own->has |= add;
}

struct node *chain_put(struct chain *c, const struct head *h, uint64_t mono, bool *fresh)
{
	struct chain_store *s = c->store;
	struct node *n;

	*fresh = false;
	if (hash_is_zero(&h->hash) || h->number >> NUMBER_BITS)
		return NULL;
	n = chain_node(c, &h->hash);
	if (n) {
		if (mono < n->known_mono)
			n->known_mono = mono;
		fill_in(n, h);
		return n;
	}
	if (!slots_grow(s, c->kept + 1) || !set_reserve(&s->rows, c->kept + 2) ||
	    !set_reserve(&s->hidden, c->kept + 2))
		return NULL;
	n = node_new(s);
	if (!n)
		return NULL;
	*n = (struct node){
		.b = {
			.h = *h,
			.state = BLK_SIDE,
			.block_size = UNKNOWN,
			.first_mono = UNKNOWN,
			.first_wall = UNKNOWN,
			.first_path = NO_PATH,
			.usable_mono = UNKNOWN,
			.orphaned_mono = UNKNOWN,
			.reincluded = -1,
		},
		.known_mono = mono,
		.push_mono = UNKNOWN,
		.race_seq = UNKNOWN,
		.push_path = NO_PATH,
		.asked_mono = UNKNOWN,
	};
	name_from(&n->b);
	signer_from(&n->b);
	slot_put(s, n);
	set_put(&s->hidden, n);
	c->kept++;
	n->b.gap_before = h->number > 0 && !chain_parent(c, n);
	mark_children(c, n, false);
	if (h->has & H_BASE_FEE)
		c->any_base_fee = true;
	*fresh = true;
	return n;
}

void chain_drop_body(struct chain *c, struct node *n)
{
	if (!n->b.body)
		return;
	c->store->body_bytes -= n->body_bytes;
	block_unref(n->b.body);
	n->b.body = NULL;
}

bool chain_drop_oldest_body(struct chain *c, const struct node *keep)
{
	struct chain_store *s = c->store;

	for (unsigned i = set_lower(&s->rows, s->body_low); i < s->rows.n; i++) {
		s->body_low = s->rows.v[i]->b.h.number;
		if (s->rows.v[i]->b.body && s->rows.v[i] != keep) {
			chain_drop_body(c, s->rows.v[i]);
			return true;
		}
	}
	for (unsigned i = 0; i < s->hidden.n; i++) {
		if (s->hidden.v[i]->b.body && s->hidden.v[i] != keep) {
			chain_drop_body(c, s->hidden.v[i]);
			return true;
		}
	}
	return false;
}

/* ---- the provisional end ---- */

void chain_strip(struct chain *c)
{
	struct chain_store *s = c->store;

	while (s->n_prov) {
		struct node *n = s->prov[--s->n_prov];

		n->prov = false;
		chain_set_state(c, n, BLK_SIDE);
	}
	c->head = s->tip ? &s->tip->b : NULL;
}

bool chain_extend(struct chain *c, struct node *n)
{
	struct chain_store *s = c->store;
	const struct node *parent;

	if (s->n_prov == PROV_MAX || n->b.state != BLK_SIDE)
		return false;
	if (c->head) {
		if (n->b.h.number <= c->head->h.number)
			return false;
		parent = chain_parent(c, n);
		if (parent && &parent->b != c->head)
			return false; /* another branch: that is decided with all paths in view */
	}
	s->prov[s->n_prov++] = n;
	n->prov = true;
	chain_set_state(c, n, BLK_CANON);
	c->head = &n->b;
	return true;
}

/* ---- life ---- */

void chain_name(struct chain *c, uint64_t id, const struct hash *genesis)
{
	c->id = id;
	c->id_known = true;
	c->network = false;
	c->genesis = *genesis;
	c->info = chain_find(id);
	if (c->info->id == id && c->info->name)
		snprintf(c->name, sizeof(c->name), "%s", c->info->name);
	else
		snprintf(c->name, sizeof(c->name), "chain %llu", (unsigned long long)id);
	c->block_ms = c->info->block_ms ? c->info->block_ms : UNKNOWN;
	c->turns = c->info->kind == CHAIN_POA;
}

void chain_name_network(struct chain *c, uint64_t network, const struct hash *genesis)
{
	chain_name(c, 0, genesis);
	c->id = network;
	c->network = true;
	snprintf(c->name, sizeof(c->name), "network %llu", (unsigned long long)network);
}

struct chain *chain_new(uint64_t id, bool id_known, const struct hash *genesis)
{
	struct chain *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->store = calloc(1, sizeof(*c->store));
	if (!c->store) {
		free(c);
		return NULL;
	}
	chain_name(c, id, genesis);
	if (!id_known) {
		c->id_known = false;
		snprintf(c->name, sizeof(c->name), "unknown chain");
	}
	c->store->stats_dirty = true;
	for (unsigned i = 0; i < REORGS; i++)
		c->store->reorg_note[i] = UNKNOWN;
	c->store->chosen = UNKNOWN;
	c->store->tag_path[0] = c->store->tag_path[1] = NO_PATH;
	return c;
}

void chain_free(struct chain *c)
{
	struct slab *next;

	if (!c)
		return;
	for (unsigned i = 0; i < c->store->slots; i++)
		if (c->store->slot[i] && c->store->slot[i]->b.body)
			block_unref(c->store->slot[i]->b.body);
	for (struct slab *s = c->store->slabs; s; s = next) {
		next = s->next;
		free(s);
	}
	racelog_free(&c->store->races);
	free(c->store->slot);
	free(c->store->rows.v);
	free(c->store->hidden.v);
	free(c->store);
	free(c);
}

static bool copy_set(struct chain *to, struct nodeset *set, const struct nodeset *from)
{
	if (!set_reserve(set, from->n + 1))
		return false;
	for (unsigned i = 0; i < from->n; i++) {
		struct node *n = node_new(to->store);

		if (!n || !slots_grow(to->store, to->kept + 1))
			return false;
		*n = *from->v[i];
		if (n->b.body)
			block_ref(n->b.body);
		slot_put(to->store, n);
		set->v[set->n++] = n;
		to->kept++;
	}
	return true;
}

struct chain *chain_clone(const struct chain *c)
{
	struct chain *to = calloc(1, sizeof(*to));
	struct chain_store *s = calloc(1, sizeof(*s));

	if (!to || !s) {
		free(to);
		free(s);
		return NULL;
	}
	*to = *c;
	to->store = s;
	to->kept = 0;
	to->head = NULL;
	*s = *c->store;
	s->slot = NULL;
	s->slots = 0;
	s->slabs = NULL;
	s->free = NULL;
	s->rows = s->hidden = (struct nodeset){ .n = 0 };
	s->tip = NULL;
	if (!racelog_clone(&s->races, &c->store->races) || !copy_set(to, &s->rows, &c->store->rows) ||
	    !copy_set(to, &s->hidden, &c->store->hidden)) {
		chain_free(to);
		return NULL;
	}
	if (c->store->tip)
		s->tip = chain_node(to, &c->store->tip->b.h.hash);
	for (unsigned i = 0; i < s->n_prov; i++)
		s->prov[i] = chain_node(to, &c->store->prov[i]->b.h.hash);
	if (c->head)
		to->head = &chain_node(to, &c->head->h.hash)->b;
	return to;
}

/* ---- what the screens ask ---- */

struct blk *chain_by_hash(const struct chain *c, const struct hash *h)
{
	struct node *n = chain_node(c, h);

	return n ? &n->b : NULL;
}

struct blk *chain_by_number(const struct chain *c, uint64_t number)
{
	struct node *n = chain_canon(c, number);

	return n ? &n->b : NULL;
}

unsigned chain_rows(const struct chain *c, unsigned skip, const struct blk **out, unsigned max)
{
	const struct nodeset *rows = &c->store->rows;
	unsigned n = 0;

	for (unsigned i = skip; i < rows->n && n < max; i++)
		out[n++] = &rows->v[rows->n - 1 - i]->b;
	return n;
}

long chain_row_of(const struct chain *c, const struct hash *h)
{
	const struct node *n = chain_node(c, h);

	if (!n || !n->in_rows)
		return -1;
	return (long)c->store->rows.n - 1 - (long)set_find(&c->store->rows, n);
}

uint64_t blk_interval_ms(const struct chain *c, const struct blk *b)
{
	const struct node *p = chain_parent(c, node_of(b));

	if (!p || p->b.h.time_ms > b->h.time_ms)
		return UNKNOWN;
	return b->h.time_ms - p->b.h.time_ms;
}
