#include "out/block_csv.h"

#include "out/append.h"

static const struct append_sizes block_row = {
	.block = 1200,
};
static const struct append_sizes tx_row = {
	.block = 0,
	.tx = 2000,
	.hash = 600, /* a transaction given by its hash alone */
};

const char *block_csv_header(bool transactions)
{
	if (!transactions)
		return "number,hash,parentHash,timestamp,miner,gasLimit,gasUsed,baseFeePerGas,size,transactions,withdrawals,"
		       "uncles,blobGasUsed,excessBlobGas,difficulty,extraData\n";
	return "blockNumber,blockTimestamp,transactionIndex,hash,type,from,to,nonce,value,gas,gasPrice,maxFeePerGas,"
	       "maxPriorityFeePerGas,maxFeePerBlobGas,accessListAddresses,accessListKeys,blobs,authorizations,input\n";
}

/* Each cell ends with its comma. */
#define EMPTY(p) APPEND(p, ",")
#define HEX(p, bytes) APPEND(append_data((p), (bytes), sizeof(bytes)), ",")
#define DEC(p, v) APPEND(append_dec((p), (v)), ",")
#define WIDE(p, v) APPEND(append_dec256((p), (v)), ",")

static char *block(char *p, const struct block *b)
{
	const struct header *h = &b->h;

	p = h->has & H_NUMBER ? DEC(p, h->number) : EMPTY(p);
	p = h->has & H_HASH ? HEX(p, h->hash.b) : EMPTY(p);
	p = h->has & H_PARENT ? HEX(p, h->parent.b) : EMPTY(p);
	p = DEC(p, h->timestamp);
	p = h->has & H_MINER ? HEX(p, h->miner.b) : EMPTY(p);
	p = DEC(p, h->gas_limit);
	p = DEC(p, h->gas_used);
	p = h->has & H_BASE_FEE ? WIDE(p, &h->base_fee) : EMPTY(p);
	p = h->has & H_SIZE ? DEC(p, h->size) : EMPTY(p);
	p = h->has & H_TXS ? DEC(p, h->ntx) : EMPTY(p);
	p = h->has & H_WITHDRAWALS ? DEC(p, b->withdrawals.len) : EMPTY(p);
	p = h->has & H_UNCLES ? DEC(p, b->uncles.len) : EMPTY(p);
	p = h->has & H_BLOB_GAS_USED ? DEC(p, h->blob_gas_used) : EMPTY(p);
	p = h->has & H_EXCESS_BLOB_GAS ? DEC(p, h->excess_blob_gas) : EMPTY(p);
	p = h->has & H_DIFFICULTY ? WIDE(p, &h->difficulty) : EMPTY(p);
	p = append_data(p, block_at(b, h->extra), h->extra.len);
	return APPEND(p, "\n");
}

static char *lists(char *p, const struct block *b, const struct tx *t)
{
	const struct access_entry *a = block_at(b, t->access);
	uint64_t keys = 0;

	for (uint32_t i = 0; i < t->access.len; i++)
		keys += a[i].keys.len;
	p = t->has & T_ACCESS_LIST ? DEC(DEC(p, t->access.len), keys) : APPEND(p, ",,");
	p = t->type == TX_BLOB ? DEC(p, t->blobs.len) : EMPTY(p);
	return t->type == TX_SET_CODE ? DEC(p, t->auths.len) : EMPTY(p);
}

static char *transaction(char *p, const struct block *b, const struct tx *t)
{
	p = b->h.has & H_NUMBER ? DEC(p, b->h.number) : EMPTY(p);
	p = DEC(p, b->h.timestamp);
	p = DEC(p, t->index);
	p = HEX(p, t->hash.b);
	if (t->has & T_HASH_ONLY)
		return APPEND(p, ",,,,,,,,,,,,,,\n");
	p = DEC(p, t->type);
	if (tx_is_bare(t))
		return APPEND(p, ",,,,,,,,,,,,,\n");
	p = t->has & T_FROM ? HEX(p, t->from.b) : EMPTY(p);
	p = t->has & T_TO ? HEX(p, t->to.b) : EMPTY(p);
	p = t->has & T_NONCE ? DEC(p, t->nonce) : EMPTY(p);
	p = WIDE(p, &t->value);
	p = DEC(p, t->gas);
	p = t->has & T_GAS_PRICE ? WIDE(p, &t->gas_price) : EMPTY(p);
	p = t->has & T_MAX_FEE ? WIDE(p, &t->max_fee) : EMPTY(p);
	p = t->has & T_MAX_PRIORITY ? WIDE(p, &t->max_priority) : EMPTY(p);
	p = t->has & T_MAX_BLOB_FEE ? WIDE(p, &t->max_blob_fee) : EMPTY(p);
	p = lists(p, b, t);
	if (!(t->has & T_UNKNOWN_TYPE))
		p = append_data(p, block_at(b, t->input), t->input.len);
	return APPEND(p, "\n");
}

enum status block_csv(struct buf *out, const struct block *b, bool txs)
{
	const struct tx *t = block_txs(b);
	char *p = NULL;
	enum status st = append_begin(out, b, txs ? &tx_row : &block_row, &p);

	if (st != ST_OK)
		return st;
	if (!txs)
		p = block(p, b);
	for (uint32_t i = 0; txs && i < b->txs.len; i++)
		p = transaction(p, b, &t[i]);
	append_end(out, p);
	return ST_OK;
}
