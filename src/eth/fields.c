#include "eth/fields.h"

#include <string.h>

struct row {
	const char *name;
	enum field_unit unit;
};

/* Names of the execution-apis, of geth's and Erigon's additions, and of the larger rollups. */
static const struct row members[] = {
	{ "amount", FIELD_GWEI }, /* of withdrawals */
	{ "baseFeePerBlobGas", FIELD_PRICE },
	{ "baseFeePerGas", FIELD_PRICE },
	{ "balance", FIELD_WEI },
	{ "blobGasPrice", FIELD_PRICE },
	{ "blobGasUsed", FIELD_NUMBER },
	{ "blockNumber", FIELD_NUMBER },
	{ "blockTimestamp", FIELD_TIME },
	{ "chainId", FIELD_CHAIN },
	{ "cumulativeGasUsed", FIELD_NUMBER },
	{ "currentBlock", FIELD_NUMBER },
	{ "difficulty", FIELD_NUMBER },
	{ "effectiveGasPrice", FIELD_PRICE },
	{ "excessBlobGas", FIELD_NUMBER },
	{ "fromBlock", FIELD_NUMBER },
	{ "gas", FIELD_NUMBER },
	{ "gasLimit", FIELD_NUMBER },
	{ "gasPrice", FIELD_PRICE },
	{ "gasUsed", FIELD_NUMBER },
	{ "gasUsedForL1", FIELD_NUMBER },
	{ "highestBlock", FIELD_NUMBER },
	{ "l1BlockNumber", FIELD_NUMBER },
	{ "l1Fee", FIELD_WEI },
	{ "l1GasPrice", FIELD_PRICE },
	{ "l1GasUsed", FIELD_NUMBER },
	{ "logIndex", FIELD_NUMBER },
	{ "maxFeePerBlobGas", FIELD_PRICE },
	{ "maxFeePerGas", FIELD_PRICE },
	{ "maxPriorityFeePerGas", FIELD_PRICE },
	{ "mint", FIELD_WEI },
	{ "nonce", FIELD_NUMBER },
	{ "number", FIELD_NUMBER },
	{ "oldestBlock", FIELD_NUMBER },
	{ "pending", FIELD_NUMBER },
	{ "queued", FIELD_NUMBER },
	{ "reward", FIELD_PRICE },
	{ "size", FIELD_NUMBER },
	{ "startingBlock", FIELD_NUMBER },
	{ "status", FIELD_NUMBER },
	{ "timestamp", FIELD_TIME },
	{ "toBlock", FIELD_NUMBER },
	{ "totalDifficulty", FIELD_NUMBER },
	{ "transactionIndex", FIELD_NUMBER },
	{ "type", FIELD_NUMBER },
	{ "validatorIndex", FIELD_NUMBER },
	{ "value", FIELD_WEI },
};

static const struct row methods[] = {
	{ "eth_baseFee", FIELD_PRICE },
	{ "eth_blobBaseFee", FIELD_PRICE },
	{ "eth_blockNumber", FIELD_NUMBER },
	{ "eth_chainId", FIELD_CHAIN },
	{ "eth_estimateGas", FIELD_NUMBER },
	{ "eth_gasPrice", FIELD_PRICE },
	{ "eth_getBalance", FIELD_WEI },
	{ "eth_getBlockTransactionCountByHash", FIELD_NUMBER },
	{ "eth_getBlockTransactionCountByNumber", FIELD_NUMBER },
	{ "eth_getTransactionCount", FIELD_NUMBER },
	{ "eth_getUncleCountByBlockHash", FIELD_NUMBER },
	{ "eth_getUncleCountByBlockNumber", FIELD_NUMBER },
	{ "eth_hashrate", FIELD_NUMBER },
	{ "eth_maxPriorityFeePerGas", FIELD_PRICE },
	{ "net_peerCount", FIELD_NUMBER },
};

static enum field_unit find(const struct row *rows, size_t count, const char *name, size_t n)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(rows[i].name) == n && memcmp(rows[i].name, name, n) == 0)
			return rows[i].unit;
	}
	return FIELD_NONE;
}

enum field_unit field_unit(const char *name, size_t n)
{
	return find(members, sizeof(members) / sizeof(members[0]), name, n);
}

enum field_unit field_result_unit(const char *method)
{
	return find(methods, sizeof(methods) / sizeof(methods[0]), method, strlen(method));
}
