#include "eth/block.h"

#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"
#include "eth/block_priv.h"

/* Fields that every header has but for which enum header_has has no bit. */
enum {
	P_UNCLES_HASH = 0,
	P_STATE_ROOT,
	P_TX_ROOT,
	P_RECEIPTS_ROOT,
	P_GAS_LIMIT,
	P_GAS_USED,
	P_TIMESTAMP,
	P_EXTRA,
};
#define P(n) (UINT64_C(1) << (32 + (n)))

/*
 * Every field that is known, in the order in which geth and reth write them. Three meanings:
 *  - U64, U256, FIXED, EXTRA: part of what the header hash covers (hash itself, size and totalDifficulty excepted);
 *  - INFO and the lists: says something beside the header, its hash is not affected;
 *  - FOREIGN: stands in headers of chains whose block hash is made of other things: cannot be recomputed here.
 * A field in neither of them may be of a fork younger than this table: the header then is never called wrong.
 */
#define F(name, how, member, bit) FIELD(header, name, how, member, bit)
static const struct field fields[] = {
	F("hash", K_FIXED, hash, H_HASH),
	F("parentHash", K_FIXED, parent, H_PARENT),
	F("sha3Uncles", K_FIXED, uncles_hash, P(P_UNCLES_HASH)),
	F("miner", K_FIXED, miner, H_MINER),
	F("stateRoot", K_FIXED, state_root, P(P_STATE_ROOT)),
	F("transactionsRoot", K_FIXED, tx_root, P(P_TX_ROOT)),
	F("receiptsRoot", K_FIXED, receipts_root, P(P_RECEIPTS_ROOT)),
	F("logsBloom", K_FIXED, bloom, H_BLOOM),
	F("difficulty", K_U256, difficulty, H_DIFFICULTY),
	F("number", K_U64, number, H_NUMBER),
	F("gasLimit", K_U64, gas_limit, P(P_GAS_LIMIT)),
	F("gasUsed", K_U64, gas_used, P(P_GAS_USED)),
	F("timestamp", K_U64, timestamp, P(P_TIMESTAMP)),
	FIELD_OTHER("extraData", K_EXTRA, P(P_EXTRA)),
	F("mixHash", K_FIXED, mix_hash, H_MIX),
	F("nonce", K_FIXED, nonce, H_NONCE),
	F("baseFeePerGas", K_U256, base_fee, H_BASE_FEE),
	F("withdrawalsRoot", K_FIXED, withdrawals_root, H_WITHDRAWALS_ROOT),
	F("blobGasUsed", K_U64, blob_gas_used, H_BLOB_GAS_USED),
	F("excessBlobGas", K_U64, excess_blob_gas, H_EXCESS_BLOB_GAS),
	F("parentBeaconBlockRoot", K_FIXED, beacon_root, H_BEACON_ROOT),
	F("requestsHash", K_FIXED, requests_hash, H_REQUESTS_HASH),
	F("blockAccessListHash", K_FIXED, bal_hash, H_BAL_HASH),
	F("slotNumber", K_U64, slot, H_SLOT),
	F("totalDifficulty", K_U256, total_difficulty, H_TOTAL_DIFFICULTY),
	F("size", K_U64, size, H_SIZE),
	FIELD_OTHER("uncles", K_UNCLES, H_UNCLES),
	FIELD_OTHER("transactions", K_TXS, 0),
	FIELD_OTHER("withdrawals", K_WITHDRAWALS, H_WITHDRAWALS),
	/* Time finer than a second. */
	FIELD_OTHER("milliTimestamp", K_TIME_MS, 0), /* BSC */
	FIELD_OTHER("timestampMs", K_TIME_MS, 0),
	FIELD_OTHER("timestampNano", K_TIME_NS, 0), /* Sonic, Fantom */
	/* Old Parity and its heirs. */
	FIELD_OTHER("author", K_MINER_ALIAS, 0),
	FIELD_OTHER("beneficiary", K_MINER_ALIAS, 0),
	FIELD_OTHER("sealFields", K_INFO, 0), /* mixHash and nonce once more, in RLP */
	FIELD_OTHER("isPostMerge", K_INFO, 0),
	FIELD_OTHER("inherentTransactions", K_INFO, 0),
	/* Added by nodes beside the header. */
	FIELD_OTHER("blockAccessList", K_INFO, 0), /* the list that blockAccessListHash is of */
	FIELD_OTHER("transactionCount", K_INFO, 0),
	FIELD_OTHER("transactionsCount", K_INFO, 0),
	FIELD_OTHER("calls", K_INFO, 0), /* eth_simulateV1 */
	FIELD_OTHER("blockTimestamp", K_INFO, 0),
	/* Arbitrum (the three live in extraData and mixHash). */
	FIELD_OTHER("l1BlockNumber", K_FOREIGN, 0),
	FIELD_OTHER("sendRoot", K_FOREIGN, 0),
	FIELD_OTHER("sendCount", K_FOREIGN, 0),
	/* AuRa seals instead of mixHash and nonce. */
	FIELD_OTHER("step", K_FOREIGN, 0),
	FIELD_OTHER("signature", K_FOREIGN, 0),
	FIELD_OTHER("auRaStep", K_FOREIGN, 0),
	FIELD_OTHER("auRaSignature", K_FOREIGN, 0),
	/* Avalanche */
	FIELD_OTHER("extDataHash", K_FOREIGN, 0),
	FIELD_OTHER("extDataGasUsed", K_FOREIGN, 0),
	FIELD_OTHER("blockExtraData", K_FOREIGN, 0),
	FIELD_OTHER("blockGasCost", K_FOREIGN, 0),
	FIELD_OTHER("timestampMilliseconds", K_TIME_MS, H_L1_BLOCK),
	FIELD_OTHER("minDelayExcess", K_FOREIGN, 0),
	/* ZKsync */
	FIELD_OTHER("l1BatchNumber", K_FOREIGN, 0),
	FIELD_OTHER("l1BatchTimestamp", K_FOREIGN, 0),
	/* Celo before it became a rollup */
	FIELD_OTHER("randomness", K_FOREIGN, 0),
	FIELD_OTHER("epochSnarkData", K_FOREIGN, 0),
	/* Harmony, Sonic, Fantom */
	FIELD_OTHER("epoch", K_FOREIGN, 0),
	FIELD_OTHER("shardID", K_FOREIGN, 0),
	FIELD_OTHER("viewID", K_FOREIGN, 0),
	FIELD_OTHER("stakingTransactions", K_FOREIGN, 0),
	/* Kaia */
	FIELD_OTHER("blockscore", K_FOREIGN, 0),
	FIELD_OTHER("governanceData", K_FOREIGN, 0),
	FIELD_OTHER("voteData", K_FOREIGN, 0),
	FIELD_OTHER("reward", K_FOREIGN, 0),
	FIELD_OTHER("timestampFoS", K_FOREIGN, 0),
};
enum { NFIELDS = sizeof(fields) / sizeof(fields[0]) };
_Static_assert(sizeof(fields) / sizeof(fields[0]) <= FIELDS_MAX, "room in struct keys");

/* Without any one of these the hash cannot be computed. */
static const struct {
	uint64_t bit;
	const char *text;
} always[] = {
	{H_PARENT, "no parentHash"},
	{P(P_UNCLES_HASH), "no sha3Uncles"},
	{P(P_STATE_ROOT), "no stateRoot"},
	{P(P_TX_ROOT), "no transactionsRoot"},
	{P(P_RECEIPTS_ROOT), "no receiptsRoot"},
	{P(P_GAS_LIMIT), "no gasLimit"},
	{P(P_GAS_USED), "no gasUsed"},
	{P(P_EXTRA), "no extraData"},
};

void header_keys_init(struct keys *k)
{
	keys_init(k, fields, NFIELDS);
}

/* Beside the header while it is read: what is settled only at its end. */
struct late {
	struct addr miner; /* of author or beneficiary */
	uint64_t ms;       /* 0 none */
	uint64_t has;
};

static void note_obstacle(struct dec *x, uint32_t bit, const char *name, size_t n)
{
	if (!x->h->unknown[0])
		utf8_clean(x->h->unknown, sizeof(x->h->unknown), name, n);
	x->has |= bit;
}

static bool take_extra(struct dec *x)
{
	enum { MAX = 64 };
	const char *at = x->j.p;
	struct json_str s;
	size_t n;

	if (x->d)
		return take_data(x, &x->h->extra);
	if (json_peek(&x->j) == JSON_STRING && json_string(&x->j, &s) && s.n >= 2 && s.n % 2 == 0) {
		n = (s.n - 2) / 2;
		if (n > MAX) {
			note_obstacle(x, H_UNKNOWN_FIELD, "extraData", 9);
			n = MAX;
		}
		if (hex_fixed(s.p, 2 + 2 * n, x->extra_out, n)) {
			x->h->extra.len = (uint32_t)n;
			return true;
		}
	}
	x->j.p = at;
	x->why = "expected 0x and pairs of hex digits";
	return false;
}

/* Header alone: the list is only counted. */
static bool count_txs(struct dec *x)
{
	struct json *j = &x->j;
	bool full = false;
	uint32_t n = 0;

	json_array(j);
	while (json_next(j)) {
		full = json_peek(j) == JSON_OBJECT;
		if (!json_skip(j, NULL))
			break;
		n++;
	}
	x->h->ntx = n;
	x->has &= ~(uint64_t)H_TXS_FULL;
	x->has |= full ? H_TXS_FULL : 0;
	return json_ok(j);
}

/* A list of the block itself. The bit says that it is there; null takes it away again. */
static bool take_list(struct dec *x, int kind)
{
	uint64_t bit = kind == K_TXS ? H_TXS : kind == K_UNCLES ? H_UNCLES : H_WITHDRAWALS;

	if (json_peek(&x->j) != JSON_ARRAY)
		return dec_fail(x, ST_MALFORMED, "expected a list");
	x->has |= bit;
	if (!x->d)
		return kind == K_TXS ? count_txs(x) : json_skip(&x->j, NULL);
	if (kind == K_TXS)
		return decode_txs(x);
	if (kind == K_WITHDRAWALS)
		return decode_withdrawals(x);
	if (take_hashes(x, &x->d->b->uncles))
		return true;
	return json_ok(&x->j) ? dec_fail(x, ST_MALFORMED, x->why) : false;
}

static void drop_list(struct dec *x, int kind)
{
	struct span none = {0, 0};

	if (kind == K_TXS) {
		x->has &= ~(uint64_t)(H_TXS | H_TXS_FULL);
		x->h->ntx = 0;
		if (x->d)
			x->d->b->txs = none;
	} else if (kind == K_WITHDRAWALS) {
		x->has &= ~(uint64_t)H_WITHDRAWALS;
		if (x->d)
			x->d->b->withdrawals = none;
	} else {
		x->has &= ~(uint64_t)H_UNCLES;
		if (x->d)
			x->d->b->uncles = none;
	}
}

static bool take_value(struct dec *x, const struct field *f, struct late *late)
{
	bool absent = false;
	uint64_t v;

	switch (f->kind) {
	case K_INFO: return json_skip(&x->j, NULL);
	case K_FOREIGN:
		note_obstacle(x, H_L1_BLOCK, x->name, x->name_n);
		return json_skip(&x->j, NULL);
	case K_TXS:
	case K_WITHDRAWALS:
	case K_UNCLES:
		if (!json_null(&x->j))
			return take_list(x, f->kind);
		drop_list(x, f->kind);
		return true;
	case K_EXTRA:
		x->h->extra = (struct span){0, 0};
		x->has &= ~f->bit;
		if (json_null(&x->j))
			return true;
		x->has |= f->bit;
		return take_extra(x);
	case K_MINER_ALIAS:
		if (json_null(&x->j))
			return true;
		if (!take_fixed(x, late->miner.b, sizeof(late->miner), &absent))
			return false;
		late->has |= absent ? 0 : H_MINER;
		return true;
	case K_TIME_MS:
	case K_TIME_NS:
		if (f->bit)
			note_obstacle(x, (uint32_t)f->bit, x->name, x->name_n);
		if (json_null(&x->j))
			return true;
		if (!take_u64(x, &v))
			return false;
		late->ms = f->kind == K_TIME_MS ? v : v / 1000000;
		return true;
	default: return take_field(x, f, x->h, &x->has);
	}
}

/*
 * Time in milliseconds: a finer field counts only if it agrees with the timestamp to the second, because some chains
 * give the same name to something else (the milliseconds alone).
 */
static void settle_time(struct dec *x, const struct late *late)
{
	struct header *h = x->h;
	uint64_t s = late->ms / 1000;

	h->time_ms = h->timestamp > UINT64_MAX / 1000 ? UINT64_MAX : h->timestamp * 1000;
	if (late->ms && s + 1 >= h->timestamp && s <= h->timestamp + 1) {
		h->time_ms = late->ms;
		x->has |= H_MILLIS;
	}
}

/* Pending blocks have no hash, and their transactions say none. */
static bool elsewhere(const struct dec *x)
{
	const struct whereabouts *of = &x->of;

	if (of->differ)
		return true;
	if (of->has_hash && (x->has & H_HASH) && !hash_eq(&of->hash, &x->h->hash))
		return true;
	if (of->has_number && (x->has & H_NUMBER) && of->number != x->h->number)
		return true;
	return of->has_timestamp && of->timestamp != x->h->timestamp;
}

static bool settle(struct dec *x, const struct late *late)
{
	x->list = NULL;
	if (!(x->has & P(P_TIMESTAMP)))
		return dec_missing(x, "timestamp");
	if (!(x->has & (H_HASH | H_NUMBER | H_PARENT)))
		return dec_missing(x, "hash");
	if (x->d && x->want_full && !(x->has & H_TXS))
		return dec_missing(x, "transactions");
	if (!(x->has & H_MINER) && (late->has & H_MINER)) {
		x->h->miner = late->miner;
		x->has |= H_MINER;
	}
	settle_time(x, late);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (!(x->has & always[i].bit)) {
			note_obstacle(x, H_UNKNOWN_FIELD, always[i].text, strlen(always[i].text));
			break;
		}
	if (x->lenient)
		x->has |= H_LENIENT;
	if (elsewhere(x))
		x->has |= H_TX_ELSEWHERE;
	x->h->has = (uint32_t)x->has;
	return true;
}

bool decode_header(struct dec *x, struct keys *k)
{
	struct late late = {.has = 0};
	unsigned prev = NFIELDS;
	int i;

	if (!json_object(&x->j))
		return false;
	while ((i = dec_key(x, k, &prev)) >= 0) {
		if (i == NO_FIELD) {
			note_obstacle(x, H_UNKNOWN_FIELD, x->name, x->name_n);
			if (!json_skip(&x->j, NULL))
				return false;
			continue;
		}
		if (!take_value(x, &fields[i], &late)) {
			if (dec_ok(x))
				dec_fail(x, ST_MALFORMED, x->why);
			return false;
		}
	}
	return json_ok(&x->j) && settle(x, &late);
}
