#include "eth/block.h"

#include <stdlib.h>
#include <string.h>

#include "eth/block_priv.h"

/* What enum tx_has has no bit for but a transaction of a known type must have, or what others are derived from. */
#define P_HASH (UINT64_C(1) << 32)
#define P_GAS (UINT64_C(1) << 33)
#define P_VALUE (UINT64_C(1) << 34)
#define P_V (UINT64_C(1) << 35)
#define P_R (UINT64_C(1) << 36)
#define P_S (UINT64_C(1) << 37)
#define P_TYPE (UINT64_C(1) << 38)
#define P_INPUT (UINT64_C(1) << 39)
#define P_ADDR (UINT64_C(1) << 40)
#define P_BLOBS (UINT64_C(1) << 41)
#define P_AUTHS (UINT64_C(1) << 42)

/* A key that is not here belongs to a transaction type of another chain and is skipped. */
#define F(name, how, member, bit) FIELD(tx, name, how, member, bit)
static const struct field tx_fields[] = {
	FIELD_OTHER("blockHash", K_OF_HASH, 0),
	FIELD_OTHER("blockNumber", K_OF_NUMBER, 0),
	FIELD_OTHER("blockTimestamp", K_OF_TIME, 0),
	F("from", K_FIXED, from, T_FROM),
	F("gas", K_U64, gas, P_GAS),
	F("gasPrice", K_U256, gas_price, T_GAS_PRICE),
	F("maxFeePerGas", K_U256, max_fee, T_MAX_FEE),
	F("maxPriorityFeePerGas", K_U256, max_priority, T_MAX_PRIORITY),
	F("maxFeePerBlobGas", K_U256, max_blob_fee, T_MAX_BLOB_FEE),
	F("hash", K_FIXED, hash, P_HASH),
	FIELD_OTHER("input", K_INPUT, P_INPUT),
	F("nonce", K_U64, nonce, T_NONCE),
	F("to", K_FIXED, to, T_TO),
	FIELD_OTHER("transactionIndex", K_OF_INDEX, 0),
	F("value", K_U256, value, P_VALUE),
	FIELD_OTHER("type", K_TYPE, P_TYPE),
	FIELD_OTHER("accessList", K_ACCESS, T_ACCESS_LIST),
	F("chainId", K_U256, chain_id, T_CHAIN_ID),
	FIELD_OTHER("blobVersionedHashes", K_BLOBS, P_BLOBS),
	FIELD_OTHER("authorizationList", K_AUTHS, P_AUTHS),
	F("v", K_U256, v, P_V),
	F("r", K_U256, r, P_R),
	F("s", K_U256, s, P_S),
	F("yParity", K_U64, y_parity, T_Y_PARITY),
	F("sourceHash", K_FIXED, source_hash, T_SOURCE_HASH),
	F("mint", K_U256, mint, T_MINT),
	FIELD_OTHER("isSystemTx", K_SYSTEM, T_SYSTEM),
	FIELD_OTHER("depositReceiptVersion", K_VERSION, T_DEPOSIT_VERSION),
	FIELD_OTHER("data", K_INPUT_ALIAS, P_INPUT),
	FIELD_OTHER("gasLimit", K_GAS_ALIAS, P_GAS),
	/* Old Parity */
	FIELD_OTHER("creates", K_INFO, 0),
	FIELD_OTHER("publicKey", K_INFO, 0),
	FIELD_OTHER("raw", K_INFO, 0),
	FIELD_OTHER("standardV", K_INFO, 0),
	FIELD_OTHER("condition", K_INFO, 0),
};
#undef F

static const struct field access_fields[] = {
	FIELD(access_entry, "address", K_FIXED, addr, P_ADDR),
	FIELD_OTHER("storageKeys", K_BLOBS, 0),
};

static const struct field auth_fields[] = {
	FIELD(auth, "chainId", K_U256, chain_id, 0),
	FIELD(auth, "address", K_FIXED, addr, P_ADDR),
	FIELD(auth, "nonce", K_U64, nonce, 0),
	FIELD_OTHER("yParity", K_PARITY8, T_Y_PARITY),
	FIELD_OTHER("v", K_PARITY8, P_V),
	FIELD(auth, "r", K_U256, r, 0),
	FIELD(auth, "s", K_U256, s, 0),
};

static const struct field withdrawal_fields[] = {
	FIELD(withdrawal, "index", K_U64, index, 0),
	FIELD(withdrawal, "validatorIndex", K_U64, validator, 0),
	FIELD(withdrawal, "address", K_FIXED, addr, P_ADDR),
	FIELD(withdrawal, "amount", K_U64, amount, P_VALUE),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
_Static_assert(COUNT(tx_fields) <= FIELDS_MAX, "room in struct keys");

void tx_keys_init(struct blockdec *d)
{
	keys_init(&d->tx_keys, tx_fields, COUNT(tx_fields));
	keys_init(&d->access_keys, access_fields, COUNT(access_fields));
	keys_init(&d->auth_keys, auth_fields, COUNT(auth_fields));
	keys_init(&d->withdrawal_keys, withdrawal_fields, COUNT(withdrawal_fields));
}

/* False with x->why, for a value that is not what it should be. */
static bool wrong(struct dec *x, const char *why)
{
	x->why = why;
	return false;
}

static bool take_small(struct dec *x, uint64_t max, uint64_t *out)
{
	const char *at = x->j.p;

	if (!take_u64(x, out))
		return false;
	if (*out <= max)
		return true;
	x->j.p = at;
	return wrong(x, "expected a small quantity");
}

static bool access_entry(struct dec *x, struct access_entry *out)
{
	struct keys *k = &x->d->access_keys;
	unsigned prev = k->n;
	uint64_t has = 0;
	int i;

	*out = (struct access_entry){.keys = {0, 0}};
	if (json_peek(&x->j) != JSON_OBJECT)
		return wrong(x, "expected a list of addresses and their keys");
	json_object(&x->j);
	while ((i = dec_key(x, k, &prev)) >= 0) {
		bool ok;

		if (i == NO_FIELD)
			ok = json_skip(&x->j, NULL);
		else if (access_fields[i].kind == K_BLOBS)
			ok = take_null(x) || take_hashes(x, &out->keys);
		else
			ok = take_field(x, &access_fields[i], out, &has);
		if (!ok)
			return false;
	}
	return has & P_ADDR ? true : wrong(x, "entry without address");
}

/* The entries wait in d->access until all storage keys are in the arena, then go behind them in one piece. */
static bool take_access(struct dec *x, struct span *out)
{
	struct blockdec *d = x->d;
	uint32_t n = 0, off = 0;
	void *to;

	*out = (struct span){0, 0};
	if (json_peek(&x->j) != JSON_ARRAY)
		return wrong(x, "expected a list of addresses and their keys");
	json_array(&x->j);
	while (json_next(&x->j)) {
		if (n == d->access_cap) {
			uint32_t cap = n ? 2 * n : 64;
			void *p = realloc(d->access, cap * sizeof(*d->access));

			if (!p)
				return dec_fail(x, ST_NOMEM, "no memory");
			d->access = p;
			d->access_cap = cap;
		}
		if (!access_entry(x, &d->access[n]))
			return false;
		n++;
	}
	if (!json_ok(&x->j) || !n)
		return json_ok(&x->j);
	to = arena_take(x, n * sizeof(*d->access), &off);
	if (!to)
		return false;
	memcpy(to, d->access, n * sizeof(*d->access));
	*out = (struct span){.off = off, .len = n};
	return true;
}

static uint64_t parity_of(uint64_t v)
{
	return v >= 35 ? (v - 35) & 1 : v >= 27 ? v - 27 : v;
}

static bool auth(struct dec *x, struct auth *out)
{
	struct keys *k = &x->d->auth_keys;
	unsigned prev = k->n;
	uint64_t has = 0, v;
	int i;

	memset(out, 0, sizeof(*out));
	if (json_peek(&x->j) != JSON_OBJECT)
		return wrong(x, "expected a list of authorizations");
	json_object(&x->j);
	while ((i = dec_key(x, k, &prev)) >= 0) {
		bool ok = true;

		if (i == NO_FIELD) {
			ok = json_skip(&x->j, NULL);
		} else if (auth_fields[i].kind != K_PARITY8) {
			ok = take_field(x, &auth_fields[i], out, &has);
		} else if (!take_null(x)) {
			ok = take_small(x, UINT8_MAX, &v);
			/* Some nodes send v alone, as parity or as 27 and 28. */
			if (ok && (auth_fields[i].bit == T_Y_PARITY || !(has & T_Y_PARITY)))
				out->y_parity =
					(uint8_t)(auth_fields[i].bit == T_Y_PARITY ? v
										   : parity_of(v));
			has |= auth_fields[i].bit;
		}
		if (!ok)
			return false;
	}
	return has & P_ADDR ? true : wrong(x, "authorization without address");
}

static bool take_auths(struct dec *x, struct span *out)
{
	struct span s = {0, 0};
	struct auth one;

	*out = s;
	if (json_peek(&x->j) != JSON_ARRAY)
		return wrong(x, "expected a list of authorizations");
	json_array(&x->j);
	while (json_next(&x->j)) {
		uint32_t off = 0;
		void *to;

		if (!auth(x, &one))
			return false;
		to = arena_take(x, sizeof(one), &off);
		if (!to)
			return false;
		memcpy(to, &one, sizeof(one));
		if (!s.len++)
			s.off = off;
	}
	*out = s;
	return json_ok(&x->j);
}

static bool take_list(struct dec *x, const struct field *f, struct tx *t, uint64_t *has)
{
	struct span *out = f->kind == K_ACCESS ? &t->access
		: f->kind == K_BLOBS           ? &t->blobs
					       : &t->auths;
	struct json at = x->j;
	const char *name = x->name;
	size_t name_n = x->name_n;
	bool ok;

	*out = (struct span){0, 0};
	*has &= ~f->bit;
	if (take_null(x))
		return true;
	*has |= f->bit;
	if (f->kind == K_ACCESS)
		ok = take_access(x, out);
	else if (f->kind == K_BLOBS)
		ok = take_hashes(x, out);
	else
		ok = take_auths(x, out);
	if (!ok && dec_ok(x)) {
		x->j = at;
		x->name = name;
		x->name_n = name_n;
	}
	return ok;
}

/* The first one that says it is believed until the header is whole; the others are compared with it. */
static void same_number(struct whereabouts *of, bool *has, uint64_t *first, uint64_t v)
{
	of->differ |= *has && *first != v;
	*first = v;
	*has = true;
}

/* What a transaction says of its block. A value of an odd kind says nothing, so it is only skipped. */
static bool take_whereabouts(struct dec *x, const struct field *f, struct tx *t)
{
	struct whereabouts *of = &x->of;
	bool absent = false, ok;
	struct hash hash;
	uint64_t v = 0;

	if (take_null(x))
		return true;
	ok = f->kind == K_OF_HASH ? take_fixed(x, hash.b, sizeof(hash), &absent) : take_u64(x, &v);
	if (!ok || absent)
		return absent || json_skip(&x->j, NULL);
	switch (f->kind) {
	case K_OF_HASH:
		of->differ |= of->has_hash && !hash_eq(&of->hash, &hash);
		of->hash = hash;
		of->has_hash = true;
		t->said |= SAID_BLOCK;
		break;
	case K_OF_NUMBER: same_number(of, &of->has_number, &of->number, v); break;
	case K_OF_TIME:
		same_number(of, &of->has_timestamp, &of->timestamp, v);
		t->said |= SAID_BLOCK_TIME;
		break;
	default: of->differ |= v != t->index;
	}
	return true;
}

static bool take_value(struct dec *x, const struct field *f, struct tx *t, uint64_t *has)
{
	bool yes;
	uint64_t v;

	switch (f->kind) {
	case K_INFO: return json_skip(&x->j, NULL);
	case K_OF_HASH:
	case K_OF_NUMBER:
	case K_OF_INDEX:
	case K_OF_TIME: return take_whereabouts(x, f, t);
	case K_ACCESS:
	case K_BLOBS:
	case K_AUTHS: return take_list(x, f, t, has);
	case K_INPUT_ALIAS:
		if (*has & P_INPUT) /* said already, by `input` (Nethermind sends both) */
			return json_skip(&x->j, NULL);
		return take_null(x) || take_data(x, &t->input);
	case K_INPUT:
		*has &= ~P_INPUT;
		t->input = (struct span){0, 0};
		if (take_null(x))
			return true;
		*has |= P_INPUT;
		return take_data(x, &t->input);
	case K_GAS_ALIAS:
		if (*has & P_GAS)
			return json_skip(&x->j, NULL);
		if (take_null(x))
			return true;
		*has |= P_GAS;
		return take_u64(x, &t->gas);
	case K_TYPE:
		*has &= ~P_TYPE;
		t->type = TX_LEGACY;
		if (take_null(x))
			return true;
		if (!take_small(x, UINT32_MAX, &v))
			return false;
		t->type = (uint32_t)v;
		*has |= P_TYPE;
		return true;
	case K_SYSTEM:
		*has &= ~(uint64_t)T_SYSTEM;
		if (take_null(x))
			return true;
		switch (json_peek(&x->j)) {
		case JSON_TRUE:
		case JSON_FALSE:
			json_bool(&x->j, &yes);
			*has |= yes ? T_SYSTEM : 0;
			t->said |= yes ? 0 : SAID_NOT_SYSTEM;
			return true;
		default: return wrong(x, "expected true or false");
		}
	case K_VERSION:
		*has &= ~(uint64_t)T_DEPOSIT_VERSION;
		t->deposit_version = 0;
		if (take_null(x))
			return true;
		if (!take_small(x, UINT32_MAX, &v))
			return false;
		t->deposit_version = (uint32_t)v;
		*has |= T_DEPOSIT_VERSION;
		return true;
	default: return take_field(x, f, t, has);
	}
}

/* A type that was left out: before EIP-2718 there was only one, later the fields tell. */
static uint32_t infer_type(uint64_t has)
{
	if (has & P_AUTHS)
		return TX_SET_CODE;
	if (has & P_BLOBS)
		return TX_BLOB;
	if (has & T_MAX_FEE)
		return TX_DYNAMIC;
	return has & T_ACCESS_LIST ? TX_ACCESS_LIST : TX_LEGACY;
}

static void settle_signature(struct tx *t, uint64_t *has)
{
	t->said |= (*has & P_V ? SAID_V : 0) | (*has & T_Y_PARITY ? SAID_Y_PARITY : 0);
	if ((*has & P_V) && !(*has & T_Y_PARITY) && u256_fits64(&t->v)) {
		t->y_parity = parity_of(t->v.w[0]);
		*has |= T_Y_PARITY;
	} else if (!(*has & P_V) && (*has & T_Y_PARITY) && t->type != TX_LEGACY) {
		t->v = u256_from64(t->y_parity);
		*has |= P_V;
	}
	if ((*has & P_V) && (*has & P_R) && (*has & P_S))
		*has |= T_SIG;
}

/* Only what is common to all types is kept as fields; the rest is in the text. */
static bool keep_raw(struct dec *x, struct tx *t, uint64_t *has, const char *from, size_t mark)
{
	const uint64_t common = T_UNKNOWN_TYPE | T_FROM | T_TO | T_GAS_PRICE | T_NONCE;
	const struct span none = {0, 0};
	size_t n = (size_t)(x->j.p - from);
	uint32_t off = 0;
	struct tx all = *t;
	void *to;

	x->d->used = mark;
	to = arena_take(x, n, &off);
	if (!to)
		return false;
	memcpy(to, from, n);
	*t = (struct tx){.index = all.index,
		.type = all.type,
		.hash = all.hash,
		.from = all.from,
		.to = all.to,
		.value = all.value,
		.gas = all.gas,
		.gas_price = all.gas_price,
		.nonce = all.nonce,
		.input = none,
		.raw = {.off = off, .len = (uint32_t)n}};
	*has = (*has & common) | T_UNKNOWN_TYPE;
	return true;
}

static bool known_type(uint32_t type)
{
	return type <= TX_SET_CODE || type == TX_DEPOSIT;
}

/* j stands at '{'. */
static bool decode_tx(struct dec *x, struct tx *t)
{
	struct keys *k = &x->d->tx_keys;
	const char *from = x->j.p, *why = NULL, *bad = NULL;
	size_t mark = x->d->used, bad_n = 0;
	unsigned prev = k->n;
	uint64_t has = 0;
	int i;

	json_object(&x->j);
	while ((i = dec_key(x, k, &prev)) >= 0) {
		if (i != NO_FIELD &&
			(take_usual(x, &tx_fields[i], t, &has) ||
				take_value(x, &tx_fields[i], t, &has)))
			continue;
		if (!dec_ok(x))
			return false;
		/* Of a type we do not know a known name may mean something else: judged below. */
		if (i != NO_FIELD && !why) {
			why = x->why;
			bad = x->name;
			bad_n = x->name_n;
		}
		if (!json_skip(&x->j, NULL))
			return false;
	}
	if (!json_ok(&x->j))
		return false;
	if (!(has & P_TYPE))
		t->type = infer_type(has);
	if (known_type(t->type)) {
		if (why) {
			x->name = bad;
			x->name_n = bad_n;
			return dec_fail(x, ST_MALFORMED, why);
		}
		if (!(has & P_GAS))
			return dec_missing(x, "gas");
		if (!(has & P_VALUE))
			return dec_missing(x, "value");
		settle_signature(t, &has);
	}
	if (!(has & P_HASH))
		return dec_missing(x, "hash");
	if (!known_type(t->type) && !keep_raw(x, t, &has, from, mark))
		return false;
	t->has = (uint32_t)has;
	return true;
}

static bool decode_hash(struct dec *x, struct tx *t)
{
	bool absent;

	if (!take_fixed(x, t->hash.b, sizeof(t->hash), &absent) || absent)
		return dec_fail(x, ST_MALFORMED, "expected a hash");
	t->has = T_HASH_ONLY;
	return true;
}

bool decode_txs(struct dec *x)
{
	enum json_type kind = JSON_NONE;
	const char *name = x->name;
	size_t name_n = x->name_n;
	uint32_t n = 0;

	x->list = "transactions";
	json_array(&x->j);
	while (json_next(&x->j)) {
		enum json_type this = json_peek(&x->j);
		struct tx *t = arena_tx(x, n);

		x->item = n;
		x->name_n = 0;
		if (!t)
			return false;
		memset(t, 0, sizeof(*t));
		t->index = n;
		if (this != JSON_OBJECT && this != JSON_STRING)
			return dec_fail(x, ST_MALFORMED, "expected a transaction or its hash");
		if (n && this != kind)
			return dec_fail(x, ST_MALFORMED, "hashes and transactions in one list");
		kind = this;
		if (kind == JSON_STRING && x->want_full)
			return dec_fail(x, ST_WRONG_BLOCK, "asked for transactions, got hashes");
		if (!(kind == JSON_OBJECT ? decode_tx(x, t) : decode_hash(x, t)))
			return false;
		n++;
	}
	x->list = NULL;
	x->name = name;
	x->name_n = name_n;
	x->h->ntx = n;
	x->d->b->txs = (struct span){
		.off = (uint32_t)((const char *)arena_tx(x, 0) - (const char *)x->d->b), .len = n};
	x->has &= ~(uint64_t)H_TXS_FULL;
	if (kind == JSON_OBJECT || (!n && x->want_full))
		x->has |= H_TXS_FULL;
	return json_ok(&x->j);
}

static bool decode_withdrawal(struct dec *x, struct withdrawal *w)
{
	struct keys *k = &x->d->withdrawal_keys;
	unsigned prev = k->n;
	uint64_t has = 0;
	int i;

	memset(w, 0, sizeof(*w));
	json_object(&x->j);
	while ((i = dec_key(x, k, &prev)) >= 0)
		if (!(i == NO_FIELD ? json_skip(&x->j, NULL)
				    : need_field(x, &withdrawal_fields[i], w, &has)))
			return false;
	if (!json_ok(&x->j))
		return false;
	if (!(has & P_ADDR))
		return dec_missing(x, "address");
	return has & P_VALUE ? true : dec_missing(x, "amount");
}

bool decode_withdrawals(struct dec *x)
{
	struct span s = {0, 0};
	struct withdrawal one;

	x->list = "withdrawals";
	json_array(&x->j);
	while (json_next(&x->j)) {
		uint32_t off = 0;
		void *to;

		x->item = s.len;
		x->name_n = 0;
		if (json_peek(&x->j) != JSON_OBJECT)
			return dec_fail(x, ST_MALFORMED, "expected a withdrawal");
		if (!decode_withdrawal(x, &one))
			return false;
		to = arena_take(x, sizeof(one), &off);
		if (!to)
			return false;
		memcpy(to, &one, sizeof(one));
		if (!s.len++)
			s.off = off;
	}
	x->list = NULL;
	x->d->b->withdrawals = s;
	return json_ok(&x->j);
}
