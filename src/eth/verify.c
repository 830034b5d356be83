#include "eth/verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "eth/keccak.h"
#include "eth/rlp.h"
#include "eth/trie.h"

enum {
	FRONT = 1 + RLP_HEADER_MAX, /* room for the type and the list header */
	HASH_ITEM = 1 + sizeof(struct hash),
	ADDR_ITEM = 1 + sizeof(struct addr),
	/* No type has more scalars than 3 hashes' worth of words beside those counted apart. */
	TX_FIXED_MAX = FRONT + 12 * RLP_U256_MAX + 2 * ADDR_ITEM + 3 * RLP_HEADER_MAX,
	ACCESS_MAX = ADDR_ITEM + 2 * RLP_HEADER_MAX,
	AUTH_MAX = 3 * RLP_U256_MAX + ADDR_ITEM + 2 * RLP_U64_MAX + RLP_HEADER_MAX,
	WITHDRAWAL_MAX = RLP_HEADER_MAX + 3 * RLP_U64_MAX + ADDR_ITEM,
	SCRATCH_KEPT = 16 << 20, /* after a larger block the memory is given back */
	BEFORE_EXTRA_MAX = 5 * HASH_ITEM + ADDR_ITEM + 3 + 256 + RLP_U256_MAX + 4 * RLP_U64_MAX,
	AFTER_EXTRA_MAX = 5 * HASH_ITEM + RLP_U64_MAX + RLP_U256_MAX + 3 * RLP_U64_MAX,
	HEADER_NEEDS = H_PARENT | H_NUMBER | H_MINER | H_NONCE | H_MIX | H_BLOOM | H_DIFFICULTY,
	REASON_MAX = sizeof(((struct verdict *)NULL)->reason),
	CHAIN_ANVIL = 31337,
	CHAIN_GETH_DEV = 1337,
};

struct verifier {
	uint8_t *bytes; /* encodings of one block's transactions or withdrawals */
	size_t cap;
	struct trie_value *values;
	size_t nvalues;
};

struct verifier *verifier_new(void)
{
	return calloc(1, sizeof(struct verifier));
}

static void drop_scratch(struct verifier *v)
{
	free(v->bytes);
	free(v->values);
	*v = (struct verifier){ .cap = 0 };
}

void verifier_free(struct verifier *v)
{
	if (v == NULL)
		return;
	drop_scratch(v);
	free(v);
}

/* The old content is not needed, so nothing is copied. */
static enum status make_room(struct verifier *v, size_t bytes, size_t values)
{
	if (v->cap < bytes) {
		free(v->bytes);
		v->cap = 0;
		v->bytes = malloc(bytes + bytes / 4);
		if (v->bytes == NULL)
			return ST_NOMEM;
		v->cap = bytes + bytes / 4;
	}
	if (v->nvalues < values) {
		free(v->values);
		v->nvalues = 0;
		v->values = malloc((values + values / 4) * sizeof(*v->values));
		if (v->values == NULL)
			return ST_NOMEM;
		v->nvalues = values + values / 4;
	}
	return ST_OK;
}

static uint8_t *put_hash(uint8_t *to, const struct hash *h)
{
	return rlp_put_bytes(to, h->b, sizeof(h->b));
}

static uint8_t *put_addr(uint8_t *to, const struct addr *a)
{
	return rlp_put_bytes(to, a->b, sizeof(a->b));
}

/*
 * Moves a list's payload, written behind RLP_HEADER_MAX spare bytes at `to`, down to its header.
 * Returns its end.
 */
static uint8_t *close_list(uint8_t *to, const uint8_t *end)
{
	uint8_t *const payload = to + RLP_HEADER_MAX;
	const size_t n = (size_t)(end - payload);
	const size_t head = rlp_header(to, true, n);

	memmove(to + head, payload, n);
	return to + head + n;
}

/*
 * Fields of the header in their order (yellow paper §4.3, then EIPs 1559, 4895, 4844, 4788, 7685,
 * 7928, 7843).
 */
static void hash_header(const struct header *h, const uint8_t *extra, struct hash *out)
{
	uint8_t before[BEFORE_EXTRA_MAX], after[AFTER_EXTRA_MAX], head[RLP_HEADER_MAX];
	uint8_t extra_head[RLP_HEADER_MAX];
	uint8_t *p = before, *q = after;
	size_t nbefore, nafter, nhead = 0;
	struct keccak k;

	p = put_hash(p, &h->parent);
	p = put_hash(p, &h->uncles_hash);
	p = put_addr(p, &h->miner);
	p = put_hash(p, &h->state_root);
	p = put_hash(p, &h->tx_root);
	p = put_hash(p, &h->receipts_root);
	p = rlp_put_bytes(p, h->bloom, sizeof(h->bloom));
	p = rlp_put_u256(p, &h->difficulty);
	p = rlp_put_u64(p, h->number);
	p = rlp_put_u64(p, h->gas_limit);
	p = rlp_put_u64(p, h->gas_used);
	p = rlp_put_u64(p, h->timestamp);
	nbefore = (size_t)(p - before);

	q = put_hash(q, &h->mix_hash);
	q = rlp_put_bytes(q, h->nonce, sizeof(h->nonce));
	if (h->has & H_BASE_FEE)
		q = rlp_put_u256(q, &h->base_fee);
	if (h->has & H_WITHDRAWALS_ROOT)
		q = put_hash(q, &h->withdrawals_root);
	if (h->has & H_BLOB_GAS_USED)
		q = rlp_put_u64(q, h->blob_gas_used);
	if (h->has & H_EXCESS_BLOB_GAS)
		q = rlp_put_u64(q, h->excess_blob_gas);
	if (h->has & H_BEACON_ROOT)
		q = put_hash(q, &h->beacon_root);
	if (h->has & H_REQUESTS_HASH)
		q = put_hash(q, &h->requests_hash);
	if (h->has & H_BAL_HASH)
		q = put_hash(q, &h->bal_hash);
	if (h->has & H_SLOT)
		q = rlp_put_u64(q, h->slot);
	nafter = (size_t)(q - after);

	if (h->extra.len != 1 || extra[0] >= 0x80)
		nhead = rlp_header(extra_head, false, h->extra.len);
	keccak_init(&k);
	keccak_add(&k, head, rlp_header(head, true, nbefore + nhead + h->extra.len + nafter));
	keccak_add(&k, before, nbefore);
	keccak_add(&k, extra_head, nhead);
	keccak_add(&k, extra, h->extra.len);
	keccak_add(&k, after, nafter);
	keccak_end(&k, out->b);
}

/*
 * Optional fields came with the forks in this order, so that a header never has a later one without
 * the earlier ones.
 */
static bool optional_fields_whole(uint32_t has)
{
	static const uint32_t order[] = {
		H_BASE_FEE, H_WITHDRAWALS_ROOT, H_BLOB_GAS_USED, H_EXCESS_BLOB_GAS,
		H_BEACON_ROOT, H_REQUESTS_HASH, H_BAL_HASH, H_SLOT,
	};
	bool ended = false;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(has & order[i]))
			ended = true;
		else if (ended)
			return false;
	}
	return true;
}

/* Whether a header hash that differs proves nothing, and why. */
static bool header_doubt(const struct header *h, char why[REASON_MAX])
{
	if (h->has & H_UNKNOWN_FIELD)
		snprintf(why, REASON_MAX, "%s %s",
			strncmp(h->unknown, "no ", 3) == 0 ? "header has" : "unknown header field",
			h->unknown);
	else if (h->has & H_L1_BLOCK)
		snprintf(why, REASON_MAX, "header of another kind, it has %s", h->unknown);
	else if ((h->has & HEADER_NEEDS) != HEADER_NEEDS || !optional_fields_whole(h->has))
		snprintf(why, REASON_MAX, "a header field is missing");
	else
		return false;
	return true;
}

enum status header_hash(const struct header *h, const uint8_t *extra, struct hash *out)
{
	char why[REASON_MAX];

	hash_header(h, extra, out);
	return header_doubt(h, why) ? ST_UNSUPPORTED : ST_OK;
}

static uint8_t *put_access(uint8_t *to, const struct block *b, struct span list)
{
	const struct access_entry *const e = block_at(b, list);
	size_t payload = 0;
	uint8_t *end;

	/* Sizes are known beforehand: no byte of a long list is moved. */
	for (uint32_t i = 0; i < list.len; i++) {
		const size_t keys = (size_t)e[i].keys.len * HASH_ITEM;
		uint8_t head[RLP_HEADER_MAX];
		const size_t entry = ADDR_ITEM + rlp_header(head, true, keys) + keys;

		payload += rlp_header(head, true, entry) + entry;
	}
	end = to + rlp_header(to, true, payload);
	for (uint32_t i = 0; i < list.len; i++) {
		const struct hash *const key = block_at(b, e[i].keys);
		const size_t keys = (size_t)e[i].keys.len * HASH_ITEM;
		uint8_t head[RLP_HEADER_MAX];

		end += rlp_header(end, true, ADDR_ITEM + rlp_header(head, true, keys) + keys);
		end = put_addr(end, &e[i].addr);
		end += rlp_header(end, true, keys);
		for (uint32_t k = 0; k < e[i].keys.len; k++)
			end = put_hash(end, &key[k]);
	}
	return end;
}

static uint8_t *put_blob_hashes(uint8_t *to, const struct block *b, struct span list)
{
	const struct hash *const h = block_at(b, list);

	to += rlp_header(to, true, (size_t)list.len * HASH_ITEM);
	for (uint32_t i = 0; i < list.len; i++)
		to = put_hash(to, &h[i]);
	return to;
}

/* EIP-7702: [[chainId, address, nonce, yParity, r, s], …] */
static uint8_t *put_auths(uint8_t *to, const struct block *b, struct span list)
{
	const struct auth *const a = block_at(b, list);
	uint8_t *end = to + RLP_HEADER_MAX;

	for (uint32_t i = 0; i < list.len; i++) {
		uint8_t *const item = end;

		end = rlp_put_u256(item + RLP_HEADER_MAX, &a[i].chain_id);
		end = put_addr(end, &a[i].addr);
		end = rlp_put_u64(end, a[i].nonce);
		end = rlp_put_u64(end, a[i].y_parity);
		end = rlp_put_u256(end, &a[i].r);
		end = rlp_put_u256(end, &a[i].s);
		end = close_list(item, end);
	}
	return close_list(to, end);
}

/* What a type must have to be encoded; 0 for a type that is not known. */
static uint32_t tx_needs(const struct tx *t)
{
	const uint32_t signed_tx = T_SIG | T_NONCE;

	if (t->has & (T_UNKNOWN_TYPE | T_HASH_ONLY))
		return 0;
	switch (t->type) {
	case TX_LEGACY:
		return signed_tx | T_GAS_PRICE;
	case TX_ACCESS_LIST:
		return signed_tx | T_CHAIN_ID | T_GAS_PRICE;
	case TX_DYNAMIC:
		return signed_tx | T_CHAIN_ID | T_MAX_FEE | T_MAX_PRIORITY;
	case TX_BLOB:
		return signed_tx | T_CHAIN_ID | T_MAX_FEE | T_MAX_PRIORITY | T_MAX_BLOB_FEE | T_TO;
	case TX_SET_CODE:
		return signed_tx | T_CHAIN_ID | T_MAX_FEE | T_MAX_PRIORITY | T_TO;
	case TX_DEPOSIT:
		return T_SOURCE_HASH | T_FROM;
	default:
		return 0;
	}
}

static bool tx_encodable(const struct tx *t)
{
	const uint32_t needs = tx_needs(t);

	return needs != 0 && (t->has & needs) == needs;
}

/* The most bytes tx_encode can write. */
static size_t tx_bound(const struct block *b, const struct tx *t)
{
	const struct access_entry *const e = block_at(b, t->access);
	size_t n = TX_FIXED_MAX + (size_t)t->input.len + (size_t)t->blobs.len * HASH_ITEM +
		(size_t)t->auths.len * AUTH_MAX + (size_t)t->access.len * ACCESS_MAX +
		3 * RLP_HEADER_MAX;

	for (uint32_t i = 0; i < t->access.len; i++)
		n += (size_t)e[i].keys.len * HASH_ITEM;
	return n;
}

static uint8_t *put_to(uint8_t *to, const struct tx *t)
{
	return t->has & T_TO ? put_addr(to, &t->to) : rlp_put_bytes(to, NULL, 0);
}

static uint8_t *put_input(uint8_t *to, const struct block *b, const struct tx *t)
{
	return rlp_put_bytes(to, block_at(b, t->input), t->input.len);
}

/* [nonce, gasPrice, gas, to, value, input], which is what was signed before EIP-155. */
static uint8_t *put_legacy(uint8_t *p, const struct block *b, const struct tx *t)
{
	p = rlp_put_u64(p, t->nonce);
	p = rlp_put_u256(p, &t->gas_price);
	p = rlp_put_u64(p, t->gas);
	p = put_to(p, t);
	p = rlp_put_u256(p, &t->value);
	return put_input(p, b, t);
}

/* v says itself whether EIP-155 was used. */
static uint8_t *put_legacy_signature(uint8_t *p, const struct tx *t)
{
	p = rlp_put_u256(p, &t->v);
	p = rlp_put_u256(p, &t->r);
	return rlp_put_u256(p, &t->s);
}

/* OP stack: [sourceHash, from, to, mint, value, gas, isSystemTx, data] */
static uint8_t *put_deposit(uint8_t *p, const struct block *b, const struct tx *t)
{
	p = put_hash(p, &t->source_hash);
	p = put_addr(p, &t->from);
	p = put_to(p, t);
	p = rlp_put_u256(p, &t->mint);
	p = rlp_put_u256(p, &t->value);
	p = rlp_put_u64(p, t->gas);
	p = rlp_put_u64(p, t->has & T_SYSTEM ? 1 : 0);
	return put_input(p, b, t);
}

/* EIPs 2930, 1559, 4844, 7702: a common shape, each with a little more. All but the signature. */
static uint8_t *put_typed(uint8_t *p, const struct block *b, const struct tx *t)
{
	p = rlp_put_u256(p, &t->chain_id);
	p = rlp_put_u64(p, t->nonce);
	if (t->type == TX_ACCESS_LIST) {
		p = rlp_put_u256(p, &t->gas_price);
	} else {
		p = rlp_put_u256(p, &t->max_priority);
		p = rlp_put_u256(p, &t->max_fee);
	}
	p = rlp_put_u64(p, t->gas);
	p = put_to(p, t);
	p = rlp_put_u256(p, &t->value);
	p = put_input(p, b, t);
	p = put_access(p, b, t->access);
	if (t->type == TX_BLOB) {
		p = rlp_put_u256(p, &t->max_blob_fee);
		p = put_blob_hashes(p, b, t->blobs);
	} else if (t->type == TX_SET_CODE) {
		p = put_auths(p, b, t->auths);
	}
	return p;
}

static uint8_t *put_typed_signature(uint8_t *p, const struct tx *t)
{
	/* Old nodes give no yParity; v then is it. */
	p = t->has & T_Y_PARITY ? rlp_put_u64(p, t->y_parity) : rlp_put_u256(p, &t->v);
	p = rlp_put_u256(p, &t->r);
	return rlp_put_u256(p, &t->s);
}

static struct trie_value close_tx(uint8_t *payload, const uint8_t *end, const struct tx *t)
{
	uint8_t *start = rlp_put_list(payload, (size_t)(end - payload));

	if (t->type != TX_LEGACY)
		*--start = (uint8_t)t->type;
	return (struct trie_value){ .p = start, .n = (size_t)(end - start) };
}

/*
 * The transaction as it is hashed and as it stands in the trie: somewhere in the tx_bound bytes at
 * `to`.
 */
static struct trie_value tx_encode(uint8_t *to, const struct block *b, const struct tx *t)
{
	uint8_t *const payload = to + FRONT;
	uint8_t *end;

	if (t->type == TX_LEGACY)
		end = put_legacy_signature(put_legacy(payload, b, t), t);
	else if (t->type == TX_DEPOSIT)
		end = put_deposit(payload, b, t);
	else
		end = put_typed_signature(put_typed(payload, b, t), t);
	return close_tx(payload, end, t);
}

enum status tx_raw(
	struct verifier *v, const struct block *b, const struct tx *t, struct trie_value *out)
{
	if (!tx_encodable(t))
		return ST_UNSUPPORTED;
	if (make_room(v, tx_bound(b, t), 0) != ST_OK)
		return ST_NOMEM;
	*out = tx_encode(v->bytes, b, t);
	return ST_OK;
}

enum status tx_hash(struct verifier *v, const struct block *b, const struct tx *t, struct hash *out)
{
	struct trie_value raw;
	const enum status st = tx_raw(v, b, t, &raw);

	if (st == ST_OK)
		keccak256(raw.p, raw.n, out->b);
	return st;
}

/* EIP-155: v = 35 + 2 × chain id + parity. False: v is of neither form. */
static bool split_v(const struct u256 *v, struct u256 *chain_id, uint8_t *parity)
{
	const struct u256 two = u256_from64(2), first = u256_from64(35);
	struct u256 rest, odd;

	*chain_id = u256_from64(0);
	if (u256_fits64(v) && (v->w[0] == 27 || v->w[0] == 28)) {
		*parity = (uint8_t)(v->w[0] - 27);
		return true;
	}
	if (!u256_sub(&rest, v, &first) || !u256_divmod(chain_id, &odd, &rest, &two))
		return false;
	*parity = (uint8_t)odd.w[0];
	return true;
}

enum status tx_signed(struct verifier *v, const struct block *b, const struct tx *t,
	struct hash *out, uint8_t *parity)
{
	struct trie_value raw;
	struct u256 chain_id;
	uint8_t *payload, *end;

	if (t->type == TX_DEPOSIT || !tx_encodable(t))
		return ST_UNSUPPORTED;
	if (make_room(v, tx_bound(b, t), 0) != ST_OK)
		return ST_NOMEM;
	payload = v->bytes + FRONT;
	if (t->type == TX_LEGACY) {
		if (!split_v(&t->v, &chain_id, parity))
			return ST_MALFORMED;
		end = put_legacy(payload, b, t);
		if (!u256_fits64(&t->v) || t->v.w[0] >= 35) {
			end = rlp_put_u256(end, &chain_id);
			end = rlp_put_u64(end, 0);
			end = rlp_put_u64(end, 0);
		}
	} else {
		const uint64_t y = t->has & T_Y_PARITY ? t->y_parity : u256_sat64(&t->v);

		if (y > 1)
			return ST_MALFORMED;
		*parity = (uint8_t)y;
		end = put_typed(payload, b, t);
	}
	raw = close_tx(payload, end, t);
	keccak256(raw.p, raw.n, out->b);
	return ST_OK;
}

/* The first finding stays, unless it only was a doubt and this one is none. */
__attribute__((format(printf, 3, 4))) static enum truth blame(
	struct verdict *out, const char *doubt, const char *fmt, ...)
{
	va_list ap;

	if (out->field[0] == '\0' || (doubt == NULL && out->reason[0] != '\0')) {
		va_start(ap, fmt);
		vsnprintf(out->field, sizeof(out->field), fmt, ap);
		va_end(ap);
		snprintf(out->reason, sizeof(out->reason), "%s", doubt != NULL ? doubt : "");
	}
	return doubt != NULL ? TRUTH_UNKNOWN : TRUTH_NO;
}

void verify_header(const struct block *b, struct verdict *out)
{
	char why[REASON_MAX];
	struct hash sum;

	*out = (struct verdict){ .header = TRUTH_NONE };
	if (!(b->h.has & H_HASH))
		return;
	hash_header(&b->h, block_at(b, b->h.extra), &sum);
	if (hash_eq(&sum, &b->h.hash))
		out->header = TRUTH_YES;
	else
		out->header = blame(out, header_doubt(&b->h, why) ? why : NULL, "hash");
}

/*
 * Some chains list transactions that nobody signed and hash them in their own way (Polygon's state
 * sync).
 */
static bool is_unsigned(const struct tx *t)
{
	return t->type != TX_DEPOSIT && u256_is_zero(&t->r) && u256_is_zero(&t->s);
}

/*
 * Encodes all transactions into v and compares their hashes. TRUTH_YES: nothing is left to check
 * but the root.
 */
static enum truth check_tx_hashes(
	struct verifier *v, const struct block *b, const char *doubt, struct verdict *out)
{
	const struct tx *const txs = block_txs(b);
	bool strange = false, wrong = false;
	uint8_t *at = v->bytes;

	for (uint32_t i = 0; i < b->txs.len; i++) {
		const struct tx *const t = &txs[i];
		struct hash sum;

		if (!tx_encodable(t)) {
			char why[REASON_MAX];

			snprintf(why, sizeof(why), "transaction type 0x%x%s", (unsigned)t->type,
				tx_needs(t) ? " without a field it needs" : "");
			blame(out, why, "transactions[%u]", (unsigned)i);
			strange = true;
			continue;
		}
		v->values[i] = tx_encode(at, b, t);
		at += (size_t)(v->values[i].p - at) + v->values[i].n;
		keccak256(v->values[i].p, v->values[i].n, sum.b);
		if (hash_eq(&sum, &t->hash))
			continue;
		if (is_unsigned(t)) {
			blame(out, "a transaction that nobody signed", "transactions[%u].hash",
				(unsigned)i);
			strange = true;
		} else {
			blame(out, doubt, "transactions[%u].hash", (unsigned)i);
			wrong = true;
		}
	}
	/*
	 * Nothing is proven wrong beside a strange kind: its neighbours may be strange in a way not
	 * seen.
	 */
	if (strange)
		return TRUTH_UNKNOWN;
	return !wrong ? TRUTH_YES : doubt != NULL ? TRUTH_UNKNOWN : TRUTH_NO;
}

static bool has_type(const struct block *b, uint32_t type)
{
	const struct tx *const txs = block_txs(b);

	for (uint32_t i = 0; i < b->txs.len; i++)
		if (txs[i].type == type && !(txs[i].has & T_HASH_ONLY))
			return true;
	return false;
}

/* *root is the computed transactionsRoot if *has_root. */
static enum status verify_txs(struct verifier *v, const struct block *b, uint64_t chain_id,
	const char *doubt, struct verdict *out, struct hash *root, bool *has_root)
{
	const struct tx *const txs = block_txs(b);
	const bool dev = chain_id == CHAIN_ANVIL || chain_id == CHAIN_GETH_DEV;
	size_t bound = 0;

	*has_root = false;
	if (!(b->h.has & H_TXS) || (b->h.ntx > 0 && !(b->h.has & H_TXS_FULL)))
		return ST_OK;
	for (uint32_t i = 0; i < b->txs.len; i++)
		bound += tx_bound(b, &txs[i]);
	if (make_room(v, bound, b->txs.len) != ST_OK) {
		out->txs = blame(out, "out of memory", "transactionsRoot");
		return ST_NOMEM;
	}
	out->txs = check_tx_hashes(v, b, doubt, out);
	if (out->txs == TRUTH_UNKNOWN)
		return ST_OK;
	trie_root(v->values, b->txs.len, root);
	*has_root = true;
	if (out->txs == TRUTH_NO || hash_eq(root, &b->h.tx_root))
		return ST_OK;
	if (dev && has_type(b, TX_BLOB))
		doubt = "anvil roots over blob sidecars";
	out->txs = blame(out, doubt, "transactionsRoot");
	return ST_OK;
}

static enum status verify_withdrawals(struct verifier *v, const struct block *b, const char *doubt,
	struct verdict *out, struct hash *root, bool *has_root)
{
	const struct withdrawal *const w = block_at(b, b->withdrawals);
	const uint32_t n = b->withdrawals.len, both = H_WITHDRAWALS_ROOT | H_WITHDRAWALS;
	uint8_t *at;

	*has_root = false;
	if ((b->h.has & both) != both || has_type(b, TX_DEPOSIT))
		return ST_OK;
	if (make_room(v, (size_t)n * WITHDRAWAL_MAX, n) != ST_OK) {
		out->withdrawals = blame(out, "out of memory", "withdrawalsRoot");
		return ST_NOMEM;
	}
	at = v->bytes;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *const payload = at + RLP_HEADER_MAX;
		uint8_t *end = rlp_put_u64(payload, w[i].index), *start;

		end = rlp_put_u64(end, w[i].validator);
		end = put_addr(end, &w[i].addr);
		end = rlp_put_u64(end, w[i].amount);
		start = rlp_put_list(payload, (size_t)(end - payload));
		v->values[i] = (struct trie_value){ .p = start, .n = (size_t)(end - start) };
		at = end;
	}
	trie_root(v->values, n, root);
	if (hash_eq(root, &b->h.withdrawals_root)) {
		out->withdrawals = TRUTH_YES;
		*has_root = true;
	} else if (b->h.ntx == 0 || (b->h.has & H_TXS_FULL)) {
		out->withdrawals = blame(out, doubt, "withdrawalsRoot");
		*has_root = true;
	}
	/* else: without its transactions an OP-stack block is not told from others */
	return ST_OK;
}

/*
 * Whether the header hashes to its hash once a root is put right: then that root is what does not
 * hold.
 */
static bool root_is_culprit(
	const struct block *b, const struct hash *txs, const struct hash *withdrawals)
{
	struct header h = b->h;
	struct hash sum;

	if (txs != NULL)
		h.tx_root = *txs;
	if (withdrawals != NULL)
		h.withdrawals_root = *withdrawals;
	hash_header(&h, block_at(b, h.extra), &sum);
	return hash_eq(&sum, &h.hash);
}

enum status verify_block(
	struct verifier *v, const struct block *b, uint64_t chain_id, struct verdict *out)
{
	struct verdict body = { .header = TRUTH_NONE };
	struct hash tx_root, withdrawals_root;
	bool has_txs, has_withdrawals;
	enum status st, st2;
	char why[REASON_MAX];
	const char *const doubt = header_doubt(&b->h, why) ? why : NULL;

	verify_header(b, out);
	st = verify_txs(v, b, chain_id, doubt, &body, &tx_root, &has_txs);
	st2 = verify_withdrawals(v, b, doubt, &body, &withdrawals_root, &has_withdrawals);
	out->txs = body.txs;
	out->withdrawals = body.withdrawals;
	/* A wrong root also breaks the header hash. Its own name says more than "hash". */
	if (out->header == TRUTH_NO && body.reason[0] == '\0' &&
		((has_txs && root_is_culprit(b, &tx_root, NULL)) ||
			(has_withdrawals && root_is_culprit(b, NULL, &withdrawals_root))))
		out->field[0] = '\0';
	if (body.field[0] != '\0')
		blame(out, body.reason[0] != '\0' ? body.reason : NULL, "%s", body.field);
	if (v->cap > SCRATCH_KEPT)
		drop_scratch(v);
	return st != ST_OK ? st : st2;
}

enum truth verdict_all(const struct verdict *v)
{
	if (v->header == TRUTH_NO || v->txs == TRUTH_NO || v->withdrawals == TRUTH_NO)
		return TRUTH_NO;
	if (v->header == TRUTH_UNKNOWN || v->txs == TRUTH_UNKNOWN ||
		v->withdrawals == TRUTH_UNKNOWN)
		return TRUTH_UNKNOWN;
	return v->header == TRUTH_YES && v->txs == TRUTH_YES ? TRUTH_YES : TRUTH_NONE;
}
