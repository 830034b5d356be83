#include "net/devp2p/eth.h"

#include <string.h>

#include "eth/keccak.h"

static enum status bad(struct err *e, const char *what, const char *why)
{
	return err_set(e, ST_MALFORMED, "eth %s: %s", what, why);
}

const char *eth_code_name(unsigned code)
{
	static const char *const names[ETH_CODES] = {
		[ETH_STATUS] = "Status",
		[ETH_NEW_BLOCK_HASHES] = "NewBlockHashes",
		[ETH_TRANSACTIONS] = "Transactions",
		[ETH_GET_BLOCK_HEADERS] = "GetBlockHeaders",
		[ETH_BLOCK_HEADERS] = "BlockHeaders",
		[ETH_GET_BLOCK_BODIES] = "GetBlockBodies",
		[ETH_BLOCK_BODIES] = "BlockBodies",
		[ETH_NEW_BLOCK] = "NewBlock",
		[ETH_NEW_POOLED_HASHES] = "NewPooledTransactionHashes",
		[ETH_GET_POOLED] = "GetPooledTransactions",
		[ETH_POOLED] = "PooledTransactions",
		[ETH_UPGRADE_STATUS] = "UpgradeStatus",
		[ETH_GET_RECEIPTS] = "GetReceipts",
		[ETH_RECEIPTS] = "Receipts",
		[ETH_BLOCK_RANGE_UPDATE] = "BlockRangeUpdate",
	};

	return code < ETH_CODES ? names[code] : NULL;
}

const struct p2p_proto *eth_protocols(unsigned *n)
{
	/* snap is never offered: go-ethereum would wait for its handshake. */
	static const struct p2p_proto ours[] = {
		{ .name = "eth", .version = 68, .length = 17 },
		{ .name = "eth", .version = 69, .length = 18 },
		{ .name = "eth", .version = 70, .length = 18 },
	};

	*n = sizeof(ours) / sizeof(ours[0]);
	return ours;
}

/* A whole message that is one list: the reader of its items. */
static bool open_list(struct rlp *r, const uint8_t *p, size_t n)
{
	struct rlp_item list;

	rlp_init(r, p, n);
	if (!rlp_next(r, &list) || !list.list || !rlp_done(r))
		return false;
	rlp_init(r, list.p, list.n);
	return true;
}

static bool next_list(struct rlp *r, struct rlp *inner)
{
	struct rlp_item i;

	if (!rlp_next(r, &i) || !i.list)
		return false;
	rlp_init(inner, i.p, i.n);
	return true;
}

static bool next_u64(struct rlp *r, uint64_t *out)
{
	struct rlp_item i;

	return rlp_next(r, &i) && rlp_item_u64(&i, out);
}

static bool next_fixed(struct rlp *r, void *out, size_t n)
{
	struct rlp_item i;

	if (!rlp_next(r, &i) || i.list || i.n != n)
		return false;
	memcpy(out, i.p, n);
	return true;
}

/*
 * Status ----------------------------------------------------------------------------------------
 */

static bool read_td(struct rlp *r, struct u256 *td)
{
	struct rlp_item i;

	return rlp_next(r, &i) && rlp_item_u256(&i, td);
}

static bool read_fork(struct rlp *r, struct eth_status *s)
{
	struct rlp fork;

	return next_list(r, &fork) && next_fixed(&fork, s->fork_hash, 4) && next_u64(&fork, &s->fork_next);
}

/*
 * Up to 68: version, network, td, head, genesis, fork id. From 69 on: version, network, genesis,
 * fork id, earliest, latest, head; Bor keeps td before genesis, so that it has 8 items.
 */
static bool is_bor(struct rlp r)
{
	struct rlp_item i;
	unsigned n = 0;

	while (rlp_next(&r, &i)) {
		/* Behind version and network a genesis hash has 32 bytes, no td has so many. */
		if (n == 2 && (i.list || i.n == 32))
			return false;
		n++;
	}
	return n >= 8;
}

enum status eth_status_decode(unsigned version, const uint8_t *p, size_t n, struct eth_status *s, struct err *e)
{
	uint64_t said;
	struct rlp r;

	memset(s, 0, sizeof(*s));
	s->version = version;
	if (!open_list(&r, p, n))
		return bad(e, "Status", "not a list");
	if (version > 68 && is_bor(r))
		s->has |= ETH_IS_BOR;
	if (!next_u64(&r, &said))
		return bad(e, "Status", "no version");
	if (said != version)
		return err_set(e, ST_MALFORMED, "eth Status: speaks version %llu after agreeing on %u",
			(unsigned long long)said, version);
	if (!next_u64(&r, &s->network))
		return bad(e, "Status", "no network id");
	if (version <= 68 || (s->has & ETH_IS_BOR)) {
		if (!read_td(&r, &s->td))
			return bad(e, "Status", "no total difficulty");
		s->has |= ETH_HAS_TD;
	}
	if (version <= 68 && !next_fixed(&r, s->head.b, 32))
		return bad(e, "Status", "no head");
	if (!next_fixed(&r, s->genesis.b, 32))
		return bad(e, "Status", "no genesis hash");
	if (!read_fork(&r, s))
		return bad(e, "Status", "no fork id");
	if (version <= 68)
		return ST_OK;
	if (!next_u64(&r, &s->earliest) || !next_u64(&r, &s->latest) || !next_fixed(&r, s->head.b, 32))
		return bad(e, "Status", "no block range");
	if (s->earliest > s->latest)
		return bad(e, "Status", "a block range that ends before it begins");
	s->has |= ETH_HAS_RANGE;
	return ST_OK;
}

static enum status put_fork(struct buf *b, const struct eth_status *s)
{
	const size_t mark = rlp_list_begin(b);
	enum status st = rlp_bytes(b, s->fork_hash, 4);

	if (st == ST_OK)
		st = rlp_u64(b, s->fork_next);
	return st == ST_OK ? rlp_list_end(b, mark) : st;
}

enum status eth_status_encode(struct buf *b, const struct eth_status *s)
{
	const size_t mark = rlp_list_begin(b);
	enum status st = rlp_u64(b, s->version);

	if (st == ST_OK)
		st = rlp_u64(b, s->network);
	if (st == ST_OK && (s->version <= 68 || (s->has & ETH_IS_BOR)))
		st = rlp_u256(b, &s->td);
	if (st == ST_OK && s->version <= 68)
		st = rlp_bytes(b, s->head.b, 32);
	if (st == ST_OK)
		st = rlp_bytes(b, s->genesis.b, 32);
	if (st == ST_OK)
		st = put_fork(b, s);
	if (s->version > 68) {
		if (st == ST_OK)
			st = rlp_u64(b, s->earliest);
		if (st == ST_OK)
			st = rlp_u64(b, s->latest);
		if (st == ST_OK)
			st = rlp_bytes(b, s->head.b, 32);
	}
	return st == ST_OK ? rlp_list_end(b, mark) : st;
}

enum status eth_status_mirror(unsigned version, const uint8_t *p, size_t n, struct buf *b)
{
	struct rlp_item items[16];
	size_t mark, earliest, count = 0;
	enum status st = ST_OK;
	struct rlp r;

	if (version <= 68)
		return buf_add(b, p, n);
	if (!open_list(&r, p, n))
		return ST_MALFORMED;
	earliest = is_bor(r) ? 5 : 4;
	while (count < sizeof(items) / sizeof(items[0]) && rlp_next(&r, &items[count]))
		count++;
	if (count < earliest + 2)
		return ST_MALFORMED;
	items[earliest] = items[earliest + 1];
	mark = rlp_list_begin(b);
	for (size_t i = 0; st == ST_OK && i < count; i++)
		st = buf_add(b, items[i].raw, items[i].raw_n);
	return st == ST_OK ? rlp_list_end(b, mark) : st;
}

/*
 * Requests and answers --------------------------------------------------------------------------
 */

enum status eth_get_headers(struct buf *b, uint64_t id, const struct hash *hash, uint64_t number, uint64_t limit,
	uint64_t skip, bool reverse)
{
	const size_t mark = rlp_list_begin(b);
	enum status st = rlp_u64(b, id);
	const size_t inner = rlp_list_begin(b);

	if (st == ST_OK)
		st = hash != NULL ? rlp_bytes(b, hash->b, 32) : rlp_u64(b, number);
	if (st == ST_OK)
		st = rlp_u64(b, limit);
	if (st == ST_OK)
		st = rlp_u64(b, skip);
	if (st == ST_OK)
		st = rlp_u64(b, reverse);
	if (st == ST_OK)
		st = rlp_list_end(b, inner);
	return st == ST_OK ? rlp_list_end(b, mark) : st;
}

enum status eth_get_by_hash(struct buf *b, uint64_t id, const struct hash *hashes, size_t n)
{
	const size_t mark = rlp_list_begin(b);
	enum status st = rlp_u64(b, id);
	const size_t inner = rlp_list_begin(b);

	for (size_t i = 0; st == ST_OK && i < n; i++)
		st = rlp_bytes(b, hashes[i].b, 32);
	if (st == ST_OK)
		st = rlp_list_end(b, inner);
	return st == ST_OK ? rlp_list_end(b, mark) : st;
}

enum status eth_reply_decode(const uint8_t *p, size_t n, struct eth_reply *reply, struct err *e)
{
	struct rlp r;

	if (!open_list(&r, p, n) || !next_u64(&r, &reply->id))
		return bad(e, "answer", "no request id");
	if (!next_list(&r, &reply->list))
		return bad(e, "answer", "no list");
	return ST_OK;
}

enum status eth_polite(unsigned version, unsigned code, const uint8_t *p, size_t n, struct buf *b, unsigned *answer)
{
	struct rlp r;
	uint64_t id;
	size_t mark;
	enum status st;

	switch (code) {
	case ETH_GET_BLOCK_HEADERS:
	case ETH_GET_BLOCK_BODIES:
	case ETH_GET_POOLED:
	case ETH_GET_RECEIPTS: *answer = code + 1; break;
	default: return ST_UNSUPPORTED;
	}
	if (!open_list(&r, p, n) || !next_u64(&r, &id))
		return ST_MALFORMED;
	mark = rlp_list_begin(b);
	st = rlp_u64(b, id);
	/* 70 tells whether the last block's receipts are whole. */
	if (st == ST_OK && version >= 70 && code == ETH_GET_RECEIPTS)
		st = rlp_u64(b, 0);
	if (st == ST_OK)
		st = buf_add(b, "\xc0", 1);
	return st == ST_OK ? rlp_list_end(b, mark) : st;
}

/*
 * Blocks and announcements ----------------------------------------------------------------------
 */

static bool body_items(struct rlp *r, struct eth_new_block *b)
{
	if (!rlp_next(r, &b->txs) || !b->txs.list || !rlp_next(r, &b->uncles) || !b->uncles.list)
		return false;
	if (!rlp_next(r, &b->withdrawals)) {
		b->withdrawals = (struct rlp_item){ .list = false };
		return rlp_done(r);
	}
	return b->withdrawals.list;
}

enum status eth_body_decode(const struct rlp_item *item, struct eth_new_block *b, struct err *e)
{
	struct rlp r;

	memset(b, 0, sizeof(*b));
	rlp_init(&r, item->p, item->n);
	if (!item->list || !body_items(&r, b))
		return bad(e, "BlockBodies", "not [transactions, uncles, …]");
	return ST_OK;
}

enum status eth_new_block_decode(const uint8_t *p, size_t n, struct eth_new_block *b, struct err *e)
{
	struct rlp r, block;

	memset(b, 0, sizeof(*b));
	if (!open_list(&r, p, n) || !next_list(&r, &block) || !rlp_next(&block, &b->header) || !b->header.list ||
		!body_items(&block, b))
		return bad(e, "NewBlock", "not [[header, transactions, uncles], …]");
	if (!read_td(&r, &b->td))
		return bad(e, "NewBlock", "no total difficulty");
	return ST_OK;
}

bool eth_hashes_begin(struct eth_hashes *h, const uint8_t *p, size_t n)
{
	h->left = ETH_HASHES_MAX;
	h->ok = open_list(&h->r, p, n);
	return h->ok;
}

bool eth_hashes_next(struct eth_hashes *h, struct hash *hash, uint64_t *number)
{
	struct rlp_item i;
	struct rlp pair;

	if (!h->ok || h->left == 0)
		return false;
	if (!rlp_next(&h->r, &i)) {
		h->ok = rlp_done(&h->r);
		return false;
	}
	rlp_init(&pair, i.p, i.n);
	h->ok = i.list && next_fixed(&pair, hash->b, 32) && next_u64(&pair, number);
	h->left--;
	return h->ok;
}

bool eth_txs_begin(struct eth_txs *t, bool whole, const uint8_t *p, size_t n)
{
	struct rlp_item types, sizes;
	struct rlp r;

	*t = (struct eth_txs){ .left = ETH_HASHES_MAX, .whole = whole };
	if (!open_list(&r, p, n))
		return false;
	if (whole) {
		t->r = r;
		t->ok = true;
	} else {
		t->ok = rlp_next(&r, &types) && !types.list && rlp_next(&r, &sizes) && sizes.list && next_list(&r, &t->r);
	}
	return t->ok;
}

bool eth_txs_next(struct eth_txs *t, struct hash *hash)
{
	struct rlp_item i;

	if (!t->ok || t->left == 0)
		return false;
	if (!rlp_next(&t->r, &i)) {
		t->ok = rlp_done(&t->r);
		return false;
	}
	t->left--;
	/* A legacy transaction is a list; a typed one stands in a string, whose content is hashed (EIP-2718). */
	if (t->whole)
		keccak256(i.list ? i.raw : i.p, i.list ? i.raw_n : i.n, hash->b);
	else if (!i.list && i.n == 32)
		memcpy(hash->b, i.p, 32);
	else
		t->ok = false;
	return t->ok;
}

enum status eth_range_decode(const uint8_t *p, size_t n, struct eth_range *g, struct err *e)
{
	struct rlp r;

	if (!open_list(&r, p, n) || !next_u64(&r, &g->earliest) || !next_u64(&r, &g->latest) ||
		!next_fixed(&r, g->head.b, 32))
		return bad(e, "BlockRangeUpdate", "not [earliest, latest, hash]");
	if (g->earliest > g->latest)
		return bad(e, "BlockRangeUpdate", "it ends before it begins");
	return ST_OK;
}

size_t eth_upgrade_encode(uint8_t out[4], bool no_txs)
{
	out[0] = 0xc2;
	out[1] = 0xc1;
	out[2] = no_txs ? 0x01 : 0x80;
	return 3;
}

enum status eth_upgrade_decode(const uint8_t *p, size_t n, bool *no_txs, struct err *e)
{
	struct rlp r, inner;
	uint64_t v;

	if (!open_list(&r, p, n) || !next_list(&r, &inner) || !next_u64(&inner, &v) || v > 1)
		return bad(e, "UpgradeStatus", "not [[yes or no]]");
	*no_txs = v == 1;
	return ST_OK;
}
