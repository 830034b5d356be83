#include "out/block_text.h"

#include "out/append.h"

/* Labels and values at their longest: 78 digits of a u256. */
static const struct append_sizes sizes = {
	.block = 5000,
	.tx = 3000,
	.access = 160,
	.auth = 800,
	.withdrawal = 400,
	.hash = 128,
};

/* One line each: the depth is part of the label, so that the compiler knows its length. */
#define IN1 "    "
#define IN2 IN1 IN1
#define IN3 IN2 IN1
#define IN4 IN3 IN1
#define LABEL(p, in, name) APPEND(p, in name ": ")
#define HEX(p, in, name, bytes) line_hex(LABEL(p, in, name), (bytes), sizeof(bytes))
#define NUMBER(p, in, name, v) line_dec(LABEL(p, in, name), (v))
#define WIDE(p, in, name, v) line_dec256(LABEL(p, in, name), (v))

static inline char *line_hex(char *p, const uint8_t *bytes, size_t n)
{
	return APPEND(append_data(p, bytes, n), "\n");
}

static inline char *line_dec(char *p, uint64_t v)
{
	return APPEND(append_dec(p, v), "\n");
}

static inline char *line_dec256(char *p, const struct u256 *v)
{
	return APPEND(append_dec256(p, v), "\n");
}

static inline char *line_quantity256(char *p, const struct u256 *v)
{
	return APPEND(append_quantity256(p, v), "\n");
}

/* The hashes of a list whose label stands already, in the depth of a transaction's field. */
static char *hash_list(char *p, const struct block *b, struct span s)
{
	const struct hash *h = block_at(b, s);

	if (s.len == 0)
		return APPEND(p, "[]\n");
	p = APPEND(p, "[\n");
	for (uint32_t i = 0; i < s.len; i++)
		p = line_hex(APPEND(p, IN4), h[i].b, sizeof(h[i].b));
	return APPEND(p, IN3 "]\n");
}

static char *access_list(char *p, const struct block *b, struct span s)
{
	const struct access_entry *a = block_at(b, s);

	p = APPEND(p, IN3 "accessList: [");
	if (s.len == 0)
		return APPEND(p, "]\n");
	p = APPEND(p, "\n");
	for (uint32_t i = 0; i < s.len; i++) {
		const struct hash *keys = block_at(b, a[i].keys);

		p = append_data(APPEND(p, IN4), a[i].addr.b, sizeof(a[i].addr.b));
		if (a[i].keys.len == 0) {
			p = APPEND(p, ": []\n");
			continue;
		}
		p = APPEND(p, ": [\n");
		for (uint32_t k = 0; k < a[i].keys.len; k++)
			p = line_hex(APPEND(p, IN4 IN1), keys[k].b, sizeof(keys[k].b));
		p = APPEND(p, IN4 "]\n");
	}
	return APPEND(p, IN3 "]\n");
}

static char *auth_list(char *p, const struct block *b, struct span s)
{
	const struct auth *a = block_at(b, s);

	p = APPEND(p, IN3 "authorizationList: [");
	if (s.len == 0)
		return APPEND(p, "]\n");
	p = APPEND(p, "\n");
	for (uint32_t i = 0; i < s.len; i++) {
		p = APPEND(p, IN4 "{\n");
		p = WIDE(p, IN4 IN1, "chainId", &a[i].chain_id);
		p = HEX(p, IN4 IN1, "address", a[i].addr.b);
		p = NUMBER(p, IN4 IN1, "nonce", a[i].nonce);
		p = NUMBER(p, IN4 IN1, "yParity", a[i].y_parity);
		p = line_quantity256(LABEL(p, IN4 IN1, "r"), &a[i].r);
		p = line_quantity256(LABEL(p, IN4 IN1, "s"), &a[i].s);
		p = APPEND(p, IN4 "}\n");
	}
	return APPEND(p, IN3 "]\n");
}

static char *signature(char *p, const struct tx *t)
{
	if (t->has & T_Y_PARITY)
		p = NUMBER(p, IN3, "yParity", t->y_parity);
	if (t->has & T_SIG) {
		p = WIDE(p, IN3, "v", &t->v);
		p = line_quantity256(LABEL(p, IN3, "r"), &t->r);
		p = line_quantity256(LABEL(p, IN3, "s"), &t->s);
	}
	return p;
}

static char *deposit(char *p, const struct tx *t)
{
	if (t->has & T_SOURCE_HASH)
		p = HEX(p, IN3, "sourceHash", t->source_hash.b);
	if (t->has & T_MINT)
		p = WIDE(p, IN3, "mint", &t->mint);
	p = t->has & T_SYSTEM ? APPEND(p, IN3 "isSystemTx: true\n") : APPEND(p, IN3 "isSystemTx: false\n");
	if (t->has & T_DEPOSIT_VERSION)
		p = NUMBER(p, IN3, "depositReceiptVersion", t->deposit_version);
	return p;
}

static char *fees(char *p, const struct tx *t)
{
	if (t->has & T_GAS_PRICE)
		p = WIDE(p, IN3, "gasPrice", &t->gas_price);
	if (t->has & T_MAX_FEE)
		p = WIDE(p, IN3, "maxFeePerGas", &t->max_fee);
	if (t->has & T_MAX_PRIORITY)
		p = WIDE(p, IN3, "maxPriorityFeePerGas", &t->max_priority);
	if (t->has & T_MAX_BLOB_FEE)
		p = WIDE(p, IN3, "maxFeePerBlobGas", &t->max_blob_fee);
	return p;
}

static char *fields(char *p, const struct block *b, const struct tx *t)
{
	p = HEX(p, IN3, "hash", t->hash.b);
	if (t->has & T_HASH_ONLY)
		return p;
	p = NUMBER(p, IN3, "type", t->type);
	if (b->h.has & H_HASH)
		p = HEX(p, IN3, "blockHash", b->h.hash.b);
	if (b->h.has & H_NUMBER)
		p = NUMBER(p, IN3, "blockNumber", b->h.number);
	p = NUMBER(p, IN3, "transactionIndex", t->index);
	if (t->said & SAID_BLOCK_TIME)
		p = NUMBER(p, IN3, "blockTimestamp", b->h.timestamp);
	if (tx_is_bare(t))
		return p;
	if (t->has & T_CHAIN_ID)
		p = WIDE(p, IN3, "chainId", &t->chain_id);
	if (t->has & T_NONCE)
		p = NUMBER(p, IN3, "nonce", t->nonce);
	if (t->has & T_FROM)
		p = HEX(p, IN3, "from", t->from.b);
	p = t->has & T_TO ? HEX(p, IN3, "to", t->to.b) : APPEND(p, IN3 "to: null\n");
	p = WIDE(p, IN3, "value", &t->value);
	p = NUMBER(p, IN3, "gas", t->gas);
	p = fees(p, t);
	if (t->has & T_UNKNOWN_TYPE) {
		p = append_json(LABEL(p, IN3, "raw"), block_at(b, t->raw), t->raw.len);
		return APPEND(p, "\n");
	}
	p = line_hex(LABEL(p, IN3, "input"), block_at(b, t->input), t->input.len);
	if (t->has & T_ACCESS_LIST)
		p = access_list(p, b, t->access);
	if (t->type == TX_BLOB)
		p = hash_list(LABEL(p, IN3, "blobVersionedHashes"), b, t->blobs);
	if (t->type == TX_SET_CODE)
		p = auth_list(p, b, t->auths);
	if (t->type == TX_DEPOSIT)
		p = deposit(p, t);
	return signature(p, t);
}

static char *transactions(char *p, const struct block *b)
{
	const struct tx *t = block_txs(b);

	p = APPEND(p, IN1 "transactions: [");
	if (b->txs.len == 0)
		return APPEND(p, "]\n");
	p = APPEND(p, "\n");
	for (uint32_t i = 0; i < b->txs.len; i++) {
		p = APPEND(p, IN2 "Transaction {\n");
		p = fields(p, b, &t[i]);
		p = APPEND(p, IN2 "}\n");
	}
	return APPEND(p, IN1 "]\n");
}

static char *withdrawals(char *p, const struct block *b)
{
	const struct withdrawal *w = block_at(b, b->withdrawals);

	p = APPEND(p, IN1 "withdrawals: [");
	if (b->withdrawals.len == 0)
		return APPEND(p, "]\n");
	p = APPEND(p, "\n");
	for (uint32_t i = 0; i < b->withdrawals.len; i++) {
		p = APPEND(p, IN2 "Withdrawal {\n");
		p = NUMBER(p, IN3, "index", w[i].index);
		p = NUMBER(p, IN3, "validatorIndex", w[i].validator);
		p = HEX(p, IN3, "address", w[i].addr.b);
		p = NUMBER(p, IN3, "amount", w[i].amount);
		p = APPEND(p, IN2 "}\n");
	}
	return APPEND(p, IN1 "]\n");
}

static char *uncles(char *p, const struct block *b)
{
	const struct hash *h = block_at(b, b->uncles);

	p = APPEND(p, IN1 "uncles: [");
	if (b->uncles.len == 0)
		return APPEND(p, "]\n");
	p = APPEND(p, "\n");
	for (uint32_t i = 0; i < b->uncles.len; i++)
		p = line_hex(APPEND(p, IN2), h[i].b, sizeof(h[i].b));
	return APPEND(p, IN1 "]\n");
}

static char *later_fields(char *p, const struct header *h)
{
	if (h->has & H_BASE_FEE)
		p = WIDE(p, IN1, "baseFeePerGas", &h->base_fee);
	if (h->has & H_WITHDRAWALS_ROOT)
		p = HEX(p, IN1, "withdrawalsRoot", h->withdrawals_root.b);
	if (h->has & H_BLOB_GAS_USED)
		p = NUMBER(p, IN1, "blobGasUsed", h->blob_gas_used);
	if (h->has & H_EXCESS_BLOB_GAS)
		p = NUMBER(p, IN1, "excessBlobGas", h->excess_blob_gas);
	if (h->has & H_BEACON_ROOT)
		p = HEX(p, IN1, "parentBeaconBlockRoot", h->beacon_root.b);
	if (h->has & H_REQUESTS_HASH)
		p = HEX(p, IN1, "requestsHash", h->requests_hash.b);
	if (h->has & H_BAL_HASH)
		p = HEX(p, IN1, "blockAccessListHash", h->bal_hash.b);
	if (h->has & H_SLOT)
		p = NUMBER(p, IN1, "slotNumber", h->slot);
	return p;
}

static char *header(char *p, const struct block *b)
{
	const struct header *h = &b->h;

	p = APPEND(p, "Block {\n");
	if (h->has & H_NUMBER)
		p = NUMBER(p, IN1, "number", h->number);
	if (h->has & H_HASH)
		p = HEX(p, IN1, "hash", h->hash.b);
	if (h->has & H_PARENT)
		p = HEX(p, IN1, "parentHash", h->parent.b);
	p = NUMBER(p, IN1, "timestamp", h->timestamp);
	if (h->has & H_MILLIS)
		p = NUMBER(p, IN1, "milliseconds", h->time_ms);
	if (h->has & H_MINER)
		p = HEX(p, IN1, "miner", h->miner.b);
	p = NUMBER(p, IN1, "gasLimit", h->gas_limit);
	p = NUMBER(p, IN1, "gasUsed", h->gas_used);
	p = line_hex(LABEL(p, IN1, "extraData"), block_at(b, h->extra), h->extra.len);
	p = HEX(p, IN1, "stateRoot", h->state_root.b);
	p = HEX(p, IN1, "transactionsRoot", h->tx_root.b);
	p = HEX(p, IN1, "receiptsRoot", h->receipts_root.b);
	p = HEX(p, IN1, "sha3Uncles", h->uncles_hash.b);
	if (h->has & H_BLOOM)
		p = HEX(p, IN1, "logsBloom", h->bloom);
	if (h->has & H_DIFFICULTY)
		p = WIDE(p, IN1, "difficulty", &h->difficulty);
	if (h->has & H_TOTAL_DIFFICULTY)
		p = WIDE(p, IN1, "totalDifficulty", &h->total_difficulty);
	if (h->has & H_MIX)
		p = HEX(p, IN1, "mixHash", h->mix_hash.b);
	if (h->has & H_NONCE)
		p = HEX(p, IN1, "nonce", h->nonce);
	p = later_fields(p, h);
	if (h->has & H_SIZE)
		p = NUMBER(p, IN1, "size", h->size);
	return p;
}

enum status block_text(struct buf *out, const struct block *b)
{
	char *p = NULL;
	enum status st = append_begin(out, b, &sizes, &p);

	if (st != ST_OK)
		return st;
	p = header(p, b);
	if (b->h.has & H_UNCLES)
		p = uncles(p, b);
	if (b->h.has & H_TXS)
		p = transactions(p, b);
	if (b->h.has & H_WITHDRAWALS)
		p = withdrawals(p, b);
	append_end(out, APPEND(p, "}\n"));
	return ST_OK;
}
