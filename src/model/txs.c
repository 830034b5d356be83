#include "model/txs.h"

#include <math.h>
#include <stdlib.h>

#include "eth/seal.h"
#include "model/chain.h"

static struct u256 *scratch(struct model_priv *mp, uint32_t n)
{
	struct u256 *p;

	if (n <= mp->tips_cap)
		return mp->tips;
	p = realloc(mp->tips, n * sizeof(*p));
	if (!p)
		return NULL;
	mp->tips = p;
	mp->tips_cap = n;
	return p;
}

/*
 * Who signed, where the miner field is empty. On a chain that is not known to have signers who take turns a header must
 * look like it: clique's difficulty is 1 or 2, and its extra data holds more than a signature.
 */
static void find_signer(struct chain *c, struct blk *b, const struct block *body)
{
	const struct header *h = &body->h;

	if (b->signer_known || !(h->has & H_DIFFICULTY) || u256_is_zero(&h->difficulty))
		return;
	if (!c->turns && (c->info->kind == CHAIN_SLOT || c->info->kind == CHAIN_ROLLUP ||
			  u256_sat64(&h->difficulty) > 2 || h->extra.len < 32 + 65))
		return;
	if (header_signer(h, block_at(body, h->extra), &b->signer) != ST_OK)
		return;
	b->signer_known = true;
	c->turns = true;
}

bool txs_digest(struct model *m, struct chain *c, struct node *n, const struct block *body)
{
	const struct tx *txs = block_txs(body);
	struct blk *b = &n->b;

	if (!(body->h.has & H_TXS_FULL))
		return false;
	b->ntx = body->txs.len;
	b->creates = b->blobs = 0;
	memset(b->types, 0, sizeof(b->types));
	for (uint32_t i = 0; i < body->txs.len; i++) {
		b->types[txs[i].type <= TX_SET_CODE ? txs[i].type : 5]++;
		if (!(txs[i].has & T_TO) && txs[i].type != TX_DEPOSIT && !(txs[i].has & T_UNKNOWN_TYPE))
			b->creates++;
		b->blobs += txs[i].blobs.len;
	}
	if (fee_block_tips(body, scratch(m->priv, body->txs.len), &b->tips) != ST_OK)
		b->tips = (struct fee_tips){ .valid = false };
	b->size = body->json_bytes;
	b->block_size = body->h.has & H_SIZE ? body->h.size : UNKNOWN;
	b->body_seen = true;
	find_signer(c, b, body);
	return true;
}

/* ---- re-inclusion ---- */

/* How far above its own height an orphan's transactions are looked for. */
enum { LATER = 16 };

static unsigned seen_slot(const struct model_priv *mp, const struct hash *h)
{
	return (unsigned)hash_key(h) & (mp->seen_cap - 1);
}

static void seen_add(struct model_priv *mp, const struct hash *h)
{
	unsigned i = seen_slot(mp, h);

	while (!hash_is_zero(&mp->seen[i]) && !hash_eq(&mp->seen[i], h))
		i = (i + 1) & (mp->seen_cap - 1);
	mp->seen[i] = *h;
}

static bool seen_has(const struct model_priv *mp, const struct hash *h)
{
	unsigned i = seen_slot(mp, h);

	while (!hash_is_zero(&mp->seen[i]) && !hash_eq(&mp->seen[i], h))
		i = (i + 1) & (mp->seen_cap - 1);
	return hash_eq(&mp->seen[i], h);
}

static bool seen_reset(struct model_priv *mp, uint64_t n)
{
	uint32_t cap = 1024;

	while (cap < n * 2 && cap < UINT32_C(1) << 24)
		cap *= 2;
	if (cap < n * 2)
		return false;
	if (cap > mp->seen_cap) {
		free(mp->seen);
		mp->seen_cap = 0;
		mp->seen = malloc(cap * sizeof(*mp->seen));
		if (!mp->seen)
			return false;
		mp->seen_cap = cap;
	}
	memset(mp->seen, 0, mp->seen_cap * sizeof(*mp->seen));
	return true;
}

/* First height at which the orphan's branch and the chain differ. */
static uint64_t fork_height(const struct chain *c, const struct node *orphan)
{
	const struct node *n = orphan, *p;

	for (unsigned i = 0; i < REORG_DEPTH; i++) {
		p = chain_parent(c, n);
		if (!p || p->b.state == BLK_CANON)
			break;
		n = p;
	}
	return n->b.h.number;
}

static bool set_count(struct node *orphan, int32_t count)
{
	bool changed = orphan->b.reincluded != count;

	orphan->b.reincluded = count;
	return changed;
}

bool txs_reincluded(struct model *m, struct chain *c, struct node *orphan)
{
	struct model_priv *mp = m->priv;
	uint64_t from = fork_height(c, orphan), to = orphan->b.h.number + LATER, total = 0;
	const struct tx *txs;
	int32_t count = 0;
	bool back;

	if (!orphan->b.body)
		return orphan->b.body_seen ? false : set_count(orphan, -1);
	/* The branch up to the orphan's own height must be known whole; what follows is taken as far as it is. */
	for (uint64_t n = from; n <= to; n++) {
		const struct node *w = chain_canon(c, n);

		if (w && w->b.body) {
			total += w->b.body->txs.len;
			continue;
		}
		/* A body that has left its budget was counted when it was there. */
		if (w && w->b.body_seen)
			return false;
		if (n <= orphan->b.h.number && (w || !c->head || n <= c->head->h.number))
			return set_count(orphan, -1);
		to = n - 1;
	}
	if (to < from)
		return set_count(orphan, -1);
	if (!seen_reset(mp, total))
		return false;
	for (uint64_t n = from; n <= to; n++) {
		const struct block *w = chain_canon(c, n)->b.body;

		txs = block_txs(w);
		for (uint32_t i = 0; i < w->txs.len; i++)
			if (!hash_is_zero(&txs[i].hash))
				seen_add(mp, &txs[i].hash);
	}
	txs = block_txs(orphan->b.body);
	orphan->b.lost_value = u256_from64(0);
	orphan->b.lost_value_known = true;
	for (uint32_t i = 0; i < orphan->b.body->txs.len; i++) {
		back = !hash_is_zero(&txs[i].hash) && seen_has(mp, &txs[i].hash);
		count += back;
		if (!back && !u256_add(&orphan->b.lost_value, &orphan->b.lost_value, &txs[i].value))
			orphan->b.lost_value_known = false;
	}
	return set_count(orphan, count);
}

/* ---- rates ---- */

void txs_stats(struct chain *c, const struct node *newest, unsigned n, struct chain_stats *out)
{
	uint64_t txs = 0, types[6] = { 0 }, all = 0, bytes = 0;
	double gas = 0, seconds = (double)out->span_ms / 1000;
	const struct node *b = newest;
	bool whole = true;
	unsigned sized = 0;

	for (unsigned i = 0; i < n && b; i++, b = chain_below(c, b)) {
		/* The oldest block only opens the first interval (peers.md §4.1 rule 1). */
		if (i + 1 < n) {
			txs += b->b.ntx;
			gas += (double)b->b.h.gas_used;
			whole = whole && b->b.body_seen;
		}
		if (!b->b.body_seen)
			continue;
		for (unsigned t = 0; t < 6; t++)
			types[t] += b->b.types[t];
		all += b->b.ntx;
		bytes += b->b.size;
		sized++;
	}
	for (unsigned t = 0; t < 6; t++)
		out->type_share[t] = all ? (double)types[t] / (double)all : (double)NAN;
	out->kb_mean = sized ? bytes / sized : UNKNOWN;
	out->rates_known = n >= 2 && out->span_ms > 0 && whole;
	out->tx_per_s = out->rates_known ? (double)txs / seconds : (double)NAN;
	out->gas_per_s = out->rates_known ? gas / seconds : (double)NAN;
}
