#include "eth/block_rlp.h"

#include <stdlib.h>

#include "eth/keccak.h"
#include "eth/recover.h"

enum {
	/* Nothing of that kind is shorter: a message cannot make many times its size of memory. */
	TX_LEAST = 24,
	WITHDRAWAL_LEAST = 24,
	UNCLE_LEAST = 400,
};

/*
 * Reading scalars -------------------------------------------------------------------------------
 */

static bool next_u64(struct rlp *r, uint64_t *out)
{
	struct rlp_item i;

	return rlp_next(r, &i) && rlp_item_u64(&i, out);
}

static bool next_u256(struct rlp *r, struct u256 *out)
{
	struct rlp_item i;

	return rlp_next(r, &i) && rlp_item_u256(&i, out);
}

static bool next_fixed(struct rlp *r, void *out, size_t n)
{
	struct rlp_item i;

	if (!rlp_next(r, &i) || i.list || i.n != n)
		return false;
	memcpy(out, i.p, n);
	return true;
}

static bool next_bytes(struct rlp *r, struct rlp_item *out)
{
	return rlp_next(r, out) && !out->list;
}

static bool next_list(struct rlp *r, struct rlp_item *out)
{
	return rlp_next(r, out) && out->list;
}

/*
 * Header ----------------------------------------------------------------------------------------
 */

enum field_kind { F_HASH, F_ADDR, F_BLOOM, F_NONCE, F_U64, F_U256, F_EXTRA };

static const struct {
	const char *name;
	enum field_kind kind;
	uint32_t bit;
	size_t at;
} fields[] = {
#define FIELD(what, kind_, bit_, member) \
	{ \
		.name = (what), .kind = (kind_), .bit = (bit_), .at = offsetof(struct header, member) \
	}
	FIELD("parentHash", F_HASH, H_PARENT, parent),
	FIELD("sha3Uncles", F_HASH, 0, uncles_hash),
	FIELD("miner", F_ADDR, H_MINER, miner),
	FIELD("stateRoot", F_HASH, 0, state_root),
	FIELD("transactionsRoot", F_HASH, 0, tx_root),
	FIELD("receiptsRoot", F_HASH, 0, receipts_root),
	FIELD("logsBloom", F_BLOOM, H_BLOOM, bloom),
	FIELD("difficulty", F_U256, H_DIFFICULTY, difficulty),
	FIELD("number", F_U64, H_NUMBER, number),
	FIELD("gasLimit", F_U64, 0, gas_limit),
	FIELD("gasUsed", F_U64, 0, gas_used),
	FIELD("timestamp", F_U64, 0, timestamp),
	FIELD("extraData", F_EXTRA, 0, extra),
	FIELD("mixHash", F_HASH, H_MIX, mix_hash),
	FIELD("nonce", F_NONCE, H_NONCE, nonce),
	/* From here on each came with a fork, in this order; a header ends behind any of them. */
	FIELD("baseFeePerGas", F_U256, H_BASE_FEE, base_fee),
	FIELD("withdrawalsRoot", F_HASH, H_WITHDRAWALS_ROOT, withdrawals_root),
	FIELD("blobGasUsed", F_U64, H_BLOB_GAS_USED, blob_gas_used),
	FIELD("excessBlobGas", F_U64, H_EXCESS_BLOB_GAS, excess_blob_gas),
	FIELD("parentBeaconBlockRoot", F_HASH, H_BEACON_ROOT, beacon_root),
	FIELD("requestsHash", F_HASH, H_REQUESTS_HASH, requests_hash),
	FIELD("blockAccessListHash", F_HASH, H_BAL_HASH, bal_hash),
	FIELD("slotNumber", F_U64, H_SLOT, slot),
#undef FIELD
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]), FIELDS_NEEDED = 15 };

static bool read_field(struct rlp *r, enum field_kind kind, void *to, const uint8_t **extra)
{
	struct rlp_item i;

	switch (kind) {
	case F_HASH: return next_fixed(r, to, 32);
	case F_ADDR: return next_fixed(r, to, 20);
	case F_BLOOM: return next_fixed(r, to, 256);
	case F_NONCE: return next_fixed(r, to, 8);
	case F_U64: return next_u64(r, to);
	case F_U256: return next_u256(r, to);
	case F_EXTRA:
		if (!next_bytes(r, &i) || i.n > UINT32_MAX)
			return false;
		*extra = i.p;
		*(struct span *)to = (struct span){ .len = (uint32_t)i.n };
		return true;
	}
	return false;
}

/*
 * BSC keeps the milliseconds of its time as the number in mixHash (BEP-520). Elsewhere mixHash is
 * random, or zero, which means the same as nothing here.
 */
static void settle_time(struct header *h)
{
	const unsigned ms = (unsigned)h->mix_hash.b[30] << 8 | h->mix_hash.b[31];
	bool small = ms > 0 && ms < 1000;

	for (int i = 0; i < 30; i++)
		small = small && h->mix_hash.b[i] == 0;
	if (h->timestamp > UINT64_MAX / 1000 - 1) {
		h->time_ms = UINT64_MAX;
		return;
	}
	h->time_ms = h->timestamp * 1000;
	if (small) {
		h->time_ms += ms;
		h->has |= H_MILLIS;
	}
}

enum status header_from_rlp(const uint8_t *p, size_t n, struct header *h, const uint8_t **extra, struct err *e)
{
	const uint8_t *extra_at = NULL;
	struct rlp_item list;
	struct rlp r;

	memset(h, 0, sizeof(*h));
	rlp_init(&r, p, n);
	if (!next_list(&r, &list) || !rlp_done(&r))
		return err_set(e, ST_MALFORMED, "header: not one list");
	rlp_init(&r, list.p, list.n);
	for (size_t i = 0; i < FIELDS; i++) {
		if (i >= FIELDS_NEEDED && rlp_done(&r))
			break;
		if (read_field(&r, fields[i].kind, (char *)h + fields[i].at, &extra_at)) {
			h->has |= fields[i].bit;
			continue;
		}
		/*
		 * A fork of another chain may have put something else there. Its name is not known.
		 */
		if (i >= FIELDS_NEEDED && rlp_next(&r, &list)) {
			h->has |= H_UNKNOWN_FIELD;
			break;
		}
		return err_set(e, ST_MALFORMED, "header: %s is not right", fields[i].name);
	}
	while (rlp_next(&r, &list))
		h->has |= H_UNKNOWN_FIELD;
	if (!rlp_done(&r))
		return err_set(e, ST_MALFORMED, "header: its end is not right");
	if (h->has & H_UNKNOWN_FIELD)
		memcpy(h->unknown, "in RLP", sizeof("in RLP"));
	settle_time(h);
	keccak256(p, n, h->hash.b);
	h->has |= H_HASH;
	if (extra != NULL)
		*extra = extra_at;
	return ST_OK;
}

/*
 * Blocks ----------------------------------------------------------------------------------------
 */

/* First pass: b is NULL and only room is counted. Second pass: the same again, into b. */
struct maker {
	struct block *b;
	size_t used;
	const char *what; /* that is wrong */
};

static void *take(struct maker *m, size_t n, uint32_t *off)
{
	const size_t at = (m->used + 7) & ~(size_t)7;

	m->used = at + n;
	*off = (uint32_t)at;
	return m->b != NULL ? (char *)m->b + at : NULL;
}

static bool wrong(struct maker *m, const char *what)
{
	if (m->what == NULL)
		m->what = what;
	return false;
}

/* Items of a list, or false. Each takes `least` bytes at least. */
static bool count(const struct rlp_item *list, size_t least, uint32_t *n)
{
	struct rlp_item i;
	struct rlp r;
	size_t k = 0;

	rlp_init(&r, list->p, list->n);
	while (rlp_next(&r, &i))
		k++;
	*n = (uint32_t)k;
	return rlp_done(&r) && k <= list->n / least;
}

static bool take_bytes(struct maker *m, struct rlp *r, struct span *out)
{
	struct rlp_item i;
	void *to;

	if (!next_bytes(r, &i))
		return false;
	to = take(m, i.n, &out->off);
	out->len = (uint32_t)i.n;
	if (to != NULL && i.n > 0)
		memcpy(to, i.p, i.n);
	return true;
}

static bool take_hashes(struct maker *m, const struct rlp_item *list, struct span *out)
{
	struct hash h, *to;
	struct rlp r;

	if (!count(list, 33, &out->len))
		return false;
	to = take(m, (size_t)out->len * sizeof(h), &out->off);
	rlp_init(&r, list->p, list->n);
	for (uint32_t i = 0; i < out->len; i++) {
		if (!next_fixed(&r, h.b, 32))
			return false;
		if (to != NULL)
			to[i] = h;
	}
	return true;
}

static bool take_access(struct maker *m, struct rlp *r, struct span *out)
{
	struct access_entry *to;
	struct rlp_item list, item, keys;
	struct rlp in, pair;

	if (!next_list(r, &list) || !count(&list, 23, &out->len))
		return false;
	to = take(m, (size_t)out->len * sizeof(*to), &out->off);
	rlp_init(&in, list.p, list.n);
	for (uint32_t i = 0; i < out->len; i++) {
		struct access_entry a;

		if (!next_list(&in, &item))
			return false;
		rlp_init(&pair, item.p, item.n);
		if (!next_fixed(&pair, a.addr.b, 20) || !next_list(&pair, &keys) || !rlp_done(&pair) ||
			!take_hashes(m, &keys, &a.keys))
			return false;
		if (to != NULL)
			to[i] = a;
	}
	return true;
}

static bool take_auths(struct maker *m, struct rlp *r, struct span *out)
{
	struct rlp_item list, item;
	struct rlp in, f;
	struct auth *to;

	if (!next_list(r, &list) || !count(&list, 27, &out->len))
		return false;
	to = take(m, (size_t)out->len * sizeof(*to), &out->off);
	rlp_init(&in, list.p, list.n);
	for (uint32_t i = 0; i < out->len; i++) {
		struct auth a = { .nonce = 0 };
		uint64_t parity;

		if (!next_list(&in, &item))
			return false;
		rlp_init(&f, item.p, item.n);
		if (!next_u256(&f, &a.chain_id) || !next_fixed(&f, a.addr.b, 20) || !next_u64(&f, &a.nonce) ||
			!next_u64(&f, &parity) || parity > UINT8_MAX || !next_u256(&f, &a.r) || !next_u256(&f, &a.s) ||
			!rlp_done(&f))
			return false;
		a.y_parity = (uint8_t)parity;
		if (to != NULL)
			to[i] = a;
	}
	return true;
}

/* A recipient, or nothing: a contract is created. */
static bool take_to(struct rlp *r, struct tx *t)
{
	struct rlp_item i;

	if (!next_bytes(r, &i) || (i.n != 0 && i.n != 20))
		return false;
	if (i.n == 20) {
		memcpy(t->to.b, i.p, 20);
		t->has |= T_TO;
	}
	return true;
}

static bool take_signature(struct rlp *r, struct tx *t)
{
	if (!next_u256(r, &t->v) || !next_u256(r, &t->r) || !next_u256(r, &t->s) || !rlp_done(r))
		return false;
	t->has |= T_SIG;
	return true;
}

/* EIP-155: v = 35 + 2 × chain id + parity; before it 27 + parity. */
static void settle_legacy(struct tx *t)
{
	const struct u256 first = u256_from64(35), two = u256_from64(2);
	struct u256 rest, odd;

	if (u256_fits64(&t->v) && (t->v.w[0] == 27 || t->v.w[0] == 28)) {
		t->y_parity = t->v.w[0] - 27;
		t->has |= T_Y_PARITY;
	} else if (u256_sub(&rest, &t->v, &first) && u256_divmod(&t->chain_id, &odd, &rest, &two)) {
		t->y_parity = odd.w[0];
		t->has |= T_Y_PARITY | T_CHAIN_ID;
	}
}

static bool take_legacy(struct maker *m, struct rlp *r, struct tx *t)
{
	if (!next_u64(r, &t->nonce) || !next_u256(r, &t->gas_price) || !next_u64(r, &t->gas) || !take_to(r, t) ||
		!next_u256(r, &t->value) || !take_bytes(m, r, &t->input) || !take_signature(r, t))
		return false;
	t->has |= T_NONCE | T_GAS_PRICE;
	t->said |= SAID_V;
	settle_legacy(t);
	return true;
}

/* EIPs 2930, 1559, 4844, 7702 in their common shape. */
static bool take_typed(struct maker *m, struct rlp *r, struct tx *t)
{
	struct rlp_item list;

	if (!next_u256(r, &t->chain_id) || !next_u64(r, &t->nonce))
		return false;
	if (t->type == TX_ACCESS_LIST) {
		if (!next_u256(r, &t->gas_price))
			return false;
		t->has |= T_GAS_PRICE;
	} else {
		if (!next_u256(r, &t->max_priority) || !next_u256(r, &t->max_fee))
			return false;
		t->has |= T_MAX_PRIORITY | T_MAX_FEE;
	}
	if (!next_u64(r, &t->gas) || !take_to(r, t) || !next_u256(r, &t->value) || !take_bytes(m, r, &t->input) ||
		!take_access(m, r, &t->access))
		return false;
	if (t->type == TX_BLOB) {
		if (!next_u256(r, &t->max_blob_fee) || !next_list(r, &list) || !take_hashes(m, &list, &t->blobs))
			return false;
		t->has |= T_MAX_BLOB_FEE;
	}
	if (t->type == TX_SET_CODE && !take_auths(m, r, &t->auths))
		return false;
	if (!take_signature(r, t) || !u256_fits64(&t->v) || t->v.w[0] > 1)
		return false;
	t->y_parity = t->v.w[0];
	t->has |= T_NONCE | T_CHAIN_ID | T_ACCESS_LIST | T_Y_PARITY;
	t->said |= SAID_V | SAID_Y_PARITY;
	return true;
}

static bool take_deposit(struct maker *m, struct rlp *r, struct tx *t)
{
	uint64_t system;

	if (!next_fixed(r, t->source_hash.b, 32) || !next_fixed(r, t->from.b, 20) || !take_to(r, t) ||
		!next_u256(r, &t->mint) || !next_u256(r, &t->value) || !next_u64(r, &t->gas) || !next_u64(r, &system) ||
		system > 1 || !take_bytes(m, r, &t->input) || !rlp_done(r))
		return false;
	t->has |= T_SOURCE_HASH | T_FROM | (u256_is_zero(&t->mint) ? 0 : T_MINT) | (system ? T_SYSTEM : 0);
	return true;
}

/* Legacy: a list. Typed: a string of the type and what it says. */
static bool take_tx(struct maker *m, const struct rlp_item *i, struct tx *t)
{
	struct rlp_item list;
	struct rlp r;

	if (m->b != NULL)
		keccak256(i->list ? i->raw : i->p, i->list ? i->raw_n : i->n, t->hash.b);
	if (i->list) {
		rlp_init(&r, i->p, i->n);
		return take_legacy(m, &r, t);
	}
	if (i->n == 0)
		return false;
	t->type = i->p[0];
	rlp_init(&r, i->p + 1, i->n - 1);
	if ((t->type < TX_ACCESS_LIST || t->type > TX_SET_CODE) && t->type != TX_DEPOSIT) {
		t->has |= T_UNKNOWN_TYPE;
		return true;
	}
	if (!next_list(&r, &list) || !rlp_done(&r))
		return false;
	rlp_init(&r, list.p, list.n);
	return t->type == TX_DEPOSIT ? take_deposit(m, &r, t) : take_typed(m, &r, t);
}

static bool take_withdrawals(struct maker *m, const struct rlp_item *list, struct span *out)
{
	struct withdrawal w, *to;
	struct rlp_item item;
	struct rlp r, f;

	if (!list->list || !count(list, WITHDRAWAL_LEAST, &out->len))
		return wrong(m, "withdrawals");
	to = take(m, (size_t)out->len * sizeof(w), &out->off);
	rlp_init(&r, list->p, list->n);
	for (uint32_t i = 0; i < out->len; i++) {
		if (!next_list(&r, &item))
			return wrong(m, "withdrawals");
		rlp_init(&f, item.p, item.n);
		if (!next_u64(&f, &w.index) || !next_u64(&f, &w.validator) || !next_fixed(&f, w.addr.b, 20) ||
			!next_u64(&f, &w.amount) || !rlp_done(&f))
			return wrong(m, "withdrawals");
		if (to != NULL)
			to[i] = w;
	}
	return true;
}

/* Of uncles only their hashes are kept. */
static bool take_uncles(struct maker *m, const struct rlp_item *list, struct span *out)
{
	struct rlp_item item;
	struct hash *to;
	struct rlp r;

	if (!list->list || !count(list, UNCLE_LEAST, &out->len))
		return wrong(m, "uncles");
	to = take(m, (size_t)out->len * sizeof(*to), &out->off);
	rlp_init(&r, list->p, list->n);
	for (uint32_t i = 0; i < out->len; i++) {
		if (!next_list(&r, &item))
			return wrong(m, "uncles");
		if (to != NULL)
			keccak256(item.raw, item.raw_n, to[i].b);
	}
	return true;
}

/* Transactions come last, as in blocks that JSON was decoded to. */
static bool make(
	struct maker *m, const struct block_parts *p, const struct header *h, const uint8_t *extra, uint32_t ntx)
{
	struct block head = { .h = *h }, *const b = m->b != NULL ? m->b : &head;
	struct rlp_item item;
	struct rlp r;
	struct tx *txs;
	size_t tx_at;
	void *to;

	m->used = sizeof(struct block);
	to = take(m, h->extra.len, &b->h.extra.off);
	if (to != NULL && h->extra.len > 0)
		memcpy(to, extra, h->extra.len);
	if (!take_uncles(m, &p->uncles, &b->uncles) ||
		(p->withdrawals.raw != NULL && !take_withdrawals(m, &p->withdrawals, &b->withdrawals)))
		return false;
	/* Where they begin is known only behind their data, so the first pass says it. */
	tx_at = b->txs.off;
	txs = m->b != NULL ? (struct tx *)((char *)m->b + tx_at) : NULL;
	rlp_init(&r, p->txs.p, p->txs.n);
	for (uint32_t i = 0; i < ntx; i++) {
		struct tx t;

		memset(&t, 0, sizeof(t)); /* padding, too: blocks are compared */
		t.index = i;
		if (!rlp_next(&r, &item) || !take_tx(m, &item, &t))
			return wrong(m, "transactions");
		/* Nodes say it of each in JSON, so whoever writes the block does. */
		t.said |= SAID_BLOCK;
		if (txs != NULL)
			txs[i] = t;
	}
	return true;
}

enum status block_from_rlp(const struct block_parts *p, struct block **out, struct err *e)
{
	struct maker m = { .b = NULL };
	const uint8_t *extra;
	struct header h;
	size_t data, size;
	uint32_t ntx;
	uint8_t head[RLP_HEADER_MAX];
	enum status st;

	*out = NULL;
	st = header_from_rlp(p->header, p->header_n, &h, &extra, e);
	if (st != ST_OK)
		return st;
	if (!p->txs.list || !count(&p->txs, TX_LEAST, &ntx))
		return err_set(e, ST_MALFORMED, "block %llu: transactions are not right", (unsigned long long)h.number);
	if (!make(&m, p, &h, extra, ntx))
		return err_set(e, ST_MALFORMED, "block %llu: %s are not right", (unsigned long long)h.number, m.what);
	data = (m.used + 7) & ~(size_t)7;
	size = data + ntx * sizeof(struct tx);
	if (size > BLOCKDEC_LIMIT)
		return err_set(e, ST_TOO_BIG, "block %llu: %zu bytes", (unsigned long long)h.number, size);
	m.b = calloc(1, size);
	if (m.b == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	atomic_init(&m.b->refs, 1);
	m.b->bytes = (uint32_t)size;
	m.b->h = h;
	m.b->h.ntx = ntx;
	m.b->h.has |= H_TXS | H_TXS_FULL | H_UNCLES | H_SIZE;
	if (p->withdrawals.raw != NULL)
		m.b->h.has |= H_WITHDRAWALS;
	m.b->txs = (struct span){ .off = (uint32_t)data, .len = ntx };
	if (!make(&m, p, &h, extra, ntx)) {
		block_unref(m.b);
		return err_set(e, ST_INTERNAL, "block %llu: read differently twice", (unsigned long long)h.number);
	}
	m.b->h.size = p->header_n + p->txs.raw_n + p->uncles.raw_n + p->withdrawals.raw_n;
	m.b->h.size += rlp_header(head, true, m.b->h.size);
	*out = m.b;
	return ST_OK;
}

uint32_t block_senders(struct block *b, struct verifier *v)
{
	struct tx *const txs = (struct tx *)((char *)b + b->txs.off);
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < b->txs.len; i++) {
		if (txs[i].has & T_FROM)
			continue;
		if (tx_sender(v, b, &txs[i], &txs[i].from) == ST_OK)
			txs[i].has |= T_FROM;
		else
			unknown++;
	}
	return unknown;
}
