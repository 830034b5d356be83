#include "out/block_json.h"

#include "out/append.h"

/* Keys and values at their longest: a u256 is 66 characters, a hash too. */
static const struct append_sizes sizes = {
	.block = 4000,
	.tx = 2000,
	.access = 96,
	.auth = 512,
	.withdrawal = 192,
	.hash = 72,
};

/* One member; the comma stands before it, so each object begins with one that is always there. */
#define KEY(p, name) APPEND(p, ",\"" name "\":")
#define HEX(p, name, bytes) json_hex(KEY(p, name), (bytes), sizeof(bytes))

static inline char *json_hex(char *p, const uint8_t *bytes, size_t n)
{
	p = append_data(APPEND(p, "\""), bytes, n);
	return APPEND(p, "\"");
}

static inline char *json_u64(char *p, uint64_t v)
{
	return APPEND(append_quantity(APPEND(p, "\""), v), "\"");
}

static inline char *json_u256(char *p, const struct u256 *v)
{
	return APPEND(append_quantity256(APPEND(p, "\""), v), "\"");
}

/* Each item of a list ends with a comma; the last one gives its place to the bracket. */
static inline char *close_list(char *p, char bracket)
{
	if (p[-1] == ',')
		p--;
	*p++ = bracket;
	return p;
}

static char *hash_list(char *p, const struct block *b, struct span s)
{
	const struct hash *h = block_at(b, s);

	p = APPEND(p, "[");
	for (uint32_t i = 0; i < s.len; i++)
		p = APPEND(json_hex(p, h[i].b, sizeof(h[i].b)), ",");
	return close_list(p, ']');
}

static char *access_list(char *p, const struct block *b, struct span s)
{
	const struct access_entry *a = block_at(b, s);

	p = APPEND(p, "[");
	for (uint32_t i = 0; i < s.len; i++) {
		p = APPEND(p, "{\"address\":");
		p = json_hex(p, a[i].addr.b, sizeof(a[i].addr.b));
		p = hash_list(KEY(p, "storageKeys"), b, a[i].keys);
		p = APPEND(p, "},");
	}
	return close_list(p, ']');
}

static char *auth_list(char *p, const struct block *b, struct span s)
{
	const struct auth *a = block_at(b, s);

	p = APPEND(p, "[");
	for (uint32_t i = 0; i < s.len; i++) {
		p = json_u256(APPEND(p, "{\"chainId\":"), &a[i].chain_id);
		p = HEX(p, "address", a[i].addr.b);
		p = json_u64(KEY(p, "nonce"), a[i].nonce);
		p = json_u64(KEY(p, "yParity"), a[i].y_parity);
		p = json_u256(KEY(p, "r"), &a[i].r);
		p = json_u256(KEY(p, "s"), &a[i].s);
		p = APPEND(p, "},");
	}
	return close_list(p, ']');
}

static char *signature(char *p, const struct tx *t)
{
	if (t->said & SAID_Y_PARITY)
		p = json_u64(KEY(p, "yParity"), t->y_parity);
	if (t->said & SAID_V)
		p = json_u256(KEY(p, "v"), &t->v);
	if (t->has & T_SIG) {
		p = json_u256(KEY(p, "r"), &t->r);
		p = json_u256(KEY(p, "s"), &t->s);
	}
	return p;
}

static char *deposit(char *p, const struct tx *t)
{
	if (t->has & T_SOURCE_HASH)
		p = HEX(p, "sourceHash", t->source_hash.b);
	if (t->has & T_MINT)
		p = json_u256(KEY(p, "mint"), &t->mint);
	if (t->has & T_SYSTEM)
		p = APPEND(p, ",\"isSystemTx\":true");
	else if (t->said & SAID_NOT_SYSTEM)
		p = APPEND(p, ",\"isSystemTx\":false");
	if (t->has & T_DEPOSIT_VERSION)
		p = json_u64(KEY(p, "depositReceiptVersion"), t->deposit_version);
	return p;
}

static char *fees(char *p, const struct tx *t)
{
	if (t->has & T_GAS_PRICE)
		p = json_u256(KEY(p, "gasPrice"), &t->gas_price);
	if (t->has & T_MAX_FEE)
		p = json_u256(KEY(p, "maxFeePerGas"), &t->max_fee);
	if (t->has & T_MAX_PRIORITY)
		p = json_u256(KEY(p, "maxPriorityFeePerGas"), &t->max_priority);
	if (t->has & T_MAX_BLOB_FEE)
		p = json_u256(KEY(p, "maxFeePerBlobGas"), &t->max_blob_fee);
	return p;
}

static char *whereabouts(char *p, const struct block *b, const struct tx *t)
{
	if (t->said & SAID_BLOCK) {
		p = HEX(p, "blockHash", b->h.hash.b);
		p = json_u64(KEY(p, "blockNumber"), b->h.number);
		p = json_u64(KEY(p, "transactionIndex"), t->index);
	}
	if (t->said & SAID_BLOCK_TIME)
		p = json_u64(KEY(p, "blockTimestamp"), b->h.timestamp);
	return p;
}

static char *transaction(char *p, const struct block *b, const struct tx *t)
{
	if ((t->has & T_UNKNOWN_TYPE) && !tx_is_bare(t))
		return append_json(p, block_at(b, t->raw), t->raw.len);
	if (t->has & T_HASH_ONLY)
		return json_hex(p, t->hash.b, sizeof(t->hash.b));
	p = json_hex(APPEND(p, "{\"hash\":"), t->hash.b, sizeof(t->hash.b));
	p = json_u64(KEY(p, "type"), t->type);
	if (tx_is_bare(t))
		return APPEND(whereabouts(p, b, t), "}");
	if (t->has & T_CHAIN_ID)
		p = json_u256(KEY(p, "chainId"), &t->chain_id);
	if (t->has & T_NONCE)
		p = json_u64(KEY(p, "nonce"), t->nonce);
	p = whereabouts(p, b, t);
	if (t->has & T_FROM)
		p = HEX(p, "from", t->from.b);
	p = t->has & T_TO ? HEX(p, "to", t->to.b) : APPEND(p, ",\"to\":null");
	p = json_u256(KEY(p, "value"), &t->value);
	p = json_u64(KEY(p, "gas"), t->gas);
	p = fees(p, t);
	p = json_hex(KEY(p, "input"), block_at(b, t->input), t->input.len);
	if (t->has & T_ACCESS_LIST)
		p = access_list(KEY(p, "accessList"), b, t->access);
	if (t->type == TX_BLOB)
		p = hash_list(KEY(p, "blobVersionedHashes"), b, t->blobs);
	if (t->type == TX_SET_CODE)
		p = auth_list(KEY(p, "authorizationList"), b, t->auths);
	p = deposit(p, t);
	p = signature(p, t);
	return APPEND(p, "}");
}

static char *transactions(char *p, const struct block *b)
{
	const struct tx *t = block_txs(b);

	p = APPEND(p, "[");
	for (uint32_t i = 0; i < b->txs.len; i++)
		p = APPEND(transaction(p, b, &t[i]), ",");
	return close_list(p, ']');
}

static char *withdrawals(char *p, const struct block *b)
{
	const struct withdrawal *w = block_at(b, b->withdrawals);

	p = APPEND(p, "[");
	for (uint32_t i = 0; i < b->withdrawals.len; i++) {
		p = json_u64(APPEND(p, "{\"index\":"), w[i].index);
		p = json_u64(KEY(p, "validatorIndex"), w[i].validator);
		p = HEX(p, "address", w[i].addr.b);
		p = json_u64(KEY(p, "amount"), w[i].amount);
		p = APPEND(p, "},");
	}
	return close_list(p, ']');
}

/* What Ethereum added to its header, in that order. */
static char *later_fields(char *p, const struct header *h)
{
	if (h->has & H_BASE_FEE)
		p = json_u256(KEY(p, "baseFeePerGas"), &h->base_fee);
	if (h->has & H_WITHDRAWALS_ROOT)
		p = HEX(p, "withdrawalsRoot", h->withdrawals_root.b);
	if (h->has & H_BLOB_GAS_USED)
		p = json_u64(KEY(p, "blobGasUsed"), h->blob_gas_used);
	if (h->has & H_EXCESS_BLOB_GAS)
		p = json_u64(KEY(p, "excessBlobGas"), h->excess_blob_gas);
	if (h->has & H_BEACON_ROOT)
		p = HEX(p, "parentBeaconBlockRoot", h->beacon_root.b);
	if (h->has & H_REQUESTS_HASH)
		p = HEX(p, "requestsHash", h->requests_hash.b);
	if (h->has & H_BAL_HASH)
		p = HEX(p, "blockAccessListHash", h->bal_hash.b);
	if (h->has & H_SLOT)
		p = json_u64(KEY(p, "slotNumber"), h->slot);
	return p;
}

static char *header(char *p, const struct block *b)
{
	const struct header *h = &b->h;

	/* Always there: settle() of the decoder insists on it. */
	p = json_u64(APPEND(p, "{\"timestamp\":"), h->timestamp);
	if (h->has & H_NUMBER)
		p = json_u64(KEY(p, "number"), h->number);
	if (h->has & H_HASH)
		p = HEX(p, "hash", h->hash.b);
	if (h->has & H_PARENT)
		p = HEX(p, "parentHash", h->parent.b);
	p = HEX(p, "sha3Uncles", h->uncles_hash.b);
	if (h->has & H_MINER)
		p = HEX(p, "miner", h->miner.b);
	p = HEX(p, "stateRoot", h->state_root.b);
	p = HEX(p, "transactionsRoot", h->tx_root.b);
	p = HEX(p, "receiptsRoot", h->receipts_root.b);
	if (h->has & H_BLOOM)
		p = HEX(p, "logsBloom", h->bloom);
	if (h->has & H_DIFFICULTY)
		p = json_u256(KEY(p, "difficulty"), &h->difficulty);
	if (h->has & H_TOTAL_DIFFICULTY)
		p = json_u256(KEY(p, "totalDifficulty"), &h->total_difficulty);
	p = json_u64(KEY(p, "gasLimit"), h->gas_limit);
	p = json_u64(KEY(p, "gasUsed"), h->gas_used);
	p = json_hex(KEY(p, "extraData"), block_at(b, h->extra), h->extra.len);
	if (h->has & H_MIX)
		p = HEX(p, "mixHash", h->mix_hash.b);
	if (h->has & H_NONCE)
		p = HEX(p, "nonce", h->nonce);
	p = later_fields(p, h);
	if (h->has & H_SIZE)
		p = json_u64(KEY(p, "size"), h->size);
	return p;
}

enum status block_json(struct buf *out, const struct block *b)
{
	char *p = NULL;
	enum status st = append_begin(out, b, &sizes, &p);

	if (st != ST_OK)
		return st;
	p = header(p, b);
	if (b->h.has & H_UNCLES)
		p = hash_list(KEY(p, "uncles"), b, b->uncles);
	if (b->h.has & H_TXS)
		p = transactions(KEY(p, "transactions"), b);
	if (b->h.has & H_WITHDRAWALS)
		p = withdrawals(KEY(p, "withdrawals"), b);
	append_end(out, APPEND(p, "}"));
	return ST_OK;
}
