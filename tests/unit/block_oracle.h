/*
 * Another reader of the same text: every field of a block or transaction is derived once more from what cJSON makes of it,
 * with own code for hex, and compared with ours. A key that is neither compared nor known to be dropped on purpose fails.
 * After cmocka.h.
 */
#ifndef TESTS_BLOCK_ORACLE_H
#define TESTS_BLOCK_ORACLE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "eth/block.h"

/* Whole file; the caller frees. */
static inline char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p = NULL;
	long size;

	if (!f)
		fail_msg("cannot open %s", path);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	p = malloc((size_t)size + 1);
	assert_non_null(p);
	assert_int_equal(fread(p, 1, (size_t)size, f), size);
	p[size] = 0;
	fclose(f);
	*n = (size_t)size;
	return p;
}

/* The corpus folder, or NULL: then the caller skips. */
static inline const char *corpus(void)
{
	const char *dir = getenv("CHAINTOP_CORPUS");

	if (!dir || !*dir) {
		print_message("SKIP: CHAINTOP_CORPUS is not set\n");
		return NULL;
	}
	return dir;
}

/* Calls fn for each *.json (or other suffix) in dir/sub; returns how many. */
static inline unsigned each_file(
	const char *dir, const char *sub, const char *suffix, void (*fn)(const char *path))
{
	char path[1024];
	struct dirent *d;
	unsigned n = 0;
	DIR *list;

	snprintf(path, sizeof(path), "%s/%s", dir, sub);
	list = opendir(path);
	if (!list)
		fail_msg("cannot open %s", path);
	while ((d = readdir(list))) {
		size_t len = strlen(d->d_name), tail = strlen(suffix);

		if (len < tail || strcmp(d->d_name + len - tail, suffix) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", dir, sub, d->d_name);
		fn(path);
		n++;
	}
	closedir(list);
	return n;
}

/* The member, or NULL if it is absent or null. */
static inline const cJSON *member(const cJSON *o, const char *name)
{
	const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, name);

	return m && !cJSON_IsNull(m) ? m : NULL;
}

static inline bool said(const cJSON *o, const char *name)
{
	return member(o, name) != NULL;
}

static inline const char *text_of(const cJSON *o, const char *name)
{
	const cJSON *m = member(o, name);

	if (!cJSON_IsString(m) || strncmp(m->valuestring, "0x", 2) != 0)
		fail_msg("%s is no hex string in the text", name);
	return m->valuestring + 2;
}

static inline void same_bytes(const char *name, const char *digits, const void *ours, size_t n)
{
	const unsigned char *p = ours;
	char pair[3];

	if (strlen(digits) != 2 * n)
		fail_msg("%s: %zu bytes, the text has %zu digits", name, n, strlen(digits));
	for (size_t i = 0; i < n; i++) {
		snprintf(pair, sizeof(pair), "%02x", p[i]);
		if (strncasecmp(pair, digits + 2 * i, 2) != 0)
			fail_msg("%s: byte %zu is %s", name, i, pair);
	}
}

static inline void is_zero(const char *name, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		if (b[i])
			fail_msg("%s: absent, but not zero", name);
}

/* DATA of fixed size; `has` says whether ours claims to have it. */
static inline void same_fixed(
	const cJSON *o, const char *name, bool has, const void *ours, size_t n)
{
	if (said(o, name) != has)
		fail_msg("%s: %s", name, has ? "invented" : "lost");
	if (has)
		same_bytes(name, text_of(o, name), ours, n);
	else
		is_zero(name, ours, n);
}

static inline void same_u256(const cJSON *o, const char *name, bool has, const struct u256 *ours)
{
	char text[65];
	const char *digits, *p = text;

	if (said(o, name) != has)
		fail_msg("%s: %s", name, has ? "invented" : "lost");
	if (!has) {
		is_zero(name, ours, sizeof(*ours));
		return;
	}
	digits = text_of(o, name);
	snprintf(text, sizeof(text), "%016llx%016llx%016llx%016llx", (unsigned long long)ours->w[3],
		(unsigned long long)ours->w[2], (unsigned long long)ours->w[1],
		(unsigned long long)ours->w[0]);
	p += strspn(p, "0");
	digits += strspn(digits, "0");
	if (strcasecmp(p, digits) != 0)
		fail_msg("%s: 0x%s instead of 0x%s", name, p, digits);
}

static inline void same_u64(const cJSON *o, const char *name, bool has, uint64_t ours)
{
	struct u256 wide = {.w = {ours}};

	same_u256(o, name, has, &wide);
}

static inline void only_keys(const cJSON *o, const char *const *names, const char *what)
{
	const cJSON *m;
	size_t i;

	cJSON_ArrayForEach(m, o)
	{
		for (i = 0; names[i] && strcmp(names[i], m->string) != 0; i++)
			;
		if (!names[i])
			fail_msg("nobody compares %s.%s", what, m->string);
	}
}

static inline void same_hashes(
	const char *name, const cJSON *list, const struct block *b, struct span ours)
{
	const struct hash *h = block_at(b, ours);
	const cJSON *m;
	size_t i = 0;

	assert_int_equal(cJSON_GetArraySize(list), ours.len);
	cJSON_ArrayForEach(m, list)
	{
		same_bytes(name, m->valuestring + 2, h[i].b, 32);
		i++;
	}
}

static inline void same_data(
	const cJSON *o, const char *name, const struct block *b, struct span ours)
{
	if (!said(o, name)) {
		assert_int_equal(ours.len, 0);
		return;
	}
	assert_true(ours.off + ours.len <= b->bytes);
	same_bytes(name, text_of(o, name), block_at(b, ours), ours.len);
}

static inline void same_access(const cJSON *o, const struct block *b, const struct tx *t)
{
	static const char *const names[] = {"address", "storageKeys", NULL};
	const cJSON *list = member(o, "accessList"), *m;
	const struct access_entry *a = block_at(b, t->access);

	assert_int_equal(list != NULL, !!(t->has & T_ACCESS_LIST));
	assert_int_equal(cJSON_GetArraySize(list), t->access.len);
	cJSON_ArrayForEach(m, list)
	{
		only_keys(m, names, "accessList");
		same_fixed(m, "address", true, a->addr.b, 20);
		same_hashes("storageKeys", member(m, "storageKeys"), b, a->keys);
		a++;
	}
}

static inline void same_auths(const cJSON *o, const struct block *b, const struct tx *t)
{
	static const char *const names[] = {
		"chainId", "address", "nonce", "yParity", "r", "s", NULL};
	const cJSON *list = member(o, "authorizationList"), *m;
	const struct auth *a = block_at(b, t->auths);

	assert_int_equal(cJSON_GetArraySize(list), t->auths.len);
	cJSON_ArrayForEach(m, list)
	{
		only_keys(m, names, "authorizationList");
		same_u256(m, "chainId", true, &a->chain_id);
		same_fixed(m, "address", true, a->addr.b, 20);
		same_u64(m, "nonce", true, a->nonce);
		same_u64(m, "yParity", true, a->y_parity);
		same_u256(m, "r", true, &a->r);
		same_u256(m, "s", true, &a->s);
		a++;
	}
}

/* A transaction of a known type. index: its place in the list. */
static inline void same_tx(
	const cJSON *o, const struct block *b, const struct tx *t, uint32_t index)
{
	static const char *const names[] = {"hash", "type", "nonce", "from", "to", "value", "gas",
		"gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas", "input",
		"v", "r", "s", "yParity", "chainId", "accessList", "blobVersionedHashes",
		"authorizationList", "sourceHash", "mint", "isSystemTx", "depositReceiptVersion",
		"transactionIndex",
		/* what the block says already */
		"blockHash", "blockNumber", "blockTimestamp", NULL};
	bool sig = said(o, "v") && said(o, "r") && said(o, "s");

	only_keys(o, names, "transaction");
	assert_false(t->has & (T_UNKNOWN_TYPE | T_HASH_ONLY));
	assert_int_equal(t->index, index);
	same_fixed(o, "hash", true, t->hash.b, 32);
	same_u64(o, "type", said(o, "type"), t->type);
	same_u64(o, "nonce", t->has & T_NONCE, t->nonce);
	same_fixed(o, "from", t->has & T_FROM, t->from.b, 20);
	same_fixed(o, "to", t->has & T_TO, t->to.b, 20);
	same_u256(o, "value", true, &t->value);
	same_u64(o, "gas", true, t->gas);
	same_u256(o, "gasPrice", t->has & T_GAS_PRICE, &t->gas_price);
	same_u256(o, "maxFeePerGas", t->has & T_MAX_FEE, &t->max_fee);
	same_u256(o, "maxPriorityFeePerGas", t->has & T_MAX_PRIORITY, &t->max_priority);
	same_u256(o, "maxFeePerBlobGas", t->has & T_MAX_BLOB_FEE, &t->max_blob_fee);
	same_data(o, "input", b, t->input);
	assert_int_equal(sig, !!(t->has & T_SIG));
	same_u256(o, "v", sig, &t->v);
	same_u256(o, "r", sig, &t->r);
	same_u256(o, "s", sig, &t->s);
	if (said(o, "yParity")) {
		same_u64(o, "yParity", t->has & T_Y_PARITY, t->y_parity);
	} else if (sig) { /* only v: legacy, and nodes of old */
		uint64_t v = strtoull(text_of(o, "v"), NULL, 16);

		assert_true(t->has & T_Y_PARITY);
		assert_int_equal(t->y_parity, v == 28 || v == 1 || (v >= 35 && v % 2 == 0));
	}
	same_u256(o, "chainId", t->has & T_CHAIN_ID, &t->chain_id);
	same_access(o, b, t);
	same_hashes("blobVersionedHashes", member(o, "blobVersionedHashes"), b, t->blobs);
	same_auths(o, b, t);
	same_fixed(o, "sourceHash", t->has & T_SOURCE_HASH, t->source_hash.b, 32);
	same_u256(o, "mint", t->has & T_MINT, &t->mint);
	assert_int_equal(cJSON_IsTrue(member(o, "isSystemTx")), !!(t->has & T_SYSTEM));
	same_u64(o, "depositReceiptVersion", t->has & T_DEPOSIT_VERSION, t->deposit_version);
	if (said(o, "transactionIndex"))
		same_u64(o, "transactionIndex", true, t->index);
	assert_int_equal(t->raw.len, 0);
}

/* extra: where the bytes of extraData are. */
static inline void same_header(const cJSON *o, const struct header *h, const void *extra)
{
	static const char *const names[] = {"hash", "parentHash", "sha3Uncles", "miner",
		"stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom", "difficulty",
		"totalDifficulty", "number", "gasLimit", "gasUsed", "timestamp", "extraData",
		"mixHash", "nonce", "size", "baseFeePerGas", "withdrawalsRoot", "blobGasUsed",
		"excessBlobGas", "parentBeaconBlockRoot", "requestsHash", "blockAccessListHash",
		"slotNumber", "uncles", "transactions", "withdrawals", NULL};

	only_keys(o, names, "block");
	assert_string_equal(h->unknown, "");
	assert_int_equal(h->has & (H_UNKNOWN_FIELD | H_LENIENT | H_L1_BLOCK | H_MILLIS), 0);
	same_fixed(o, "hash", h->has & H_HASH, h->hash.b, 32);
	same_fixed(o, "parentHash", h->has & H_PARENT, h->parent.b, 32);
	same_fixed(o, "sha3Uncles", true, h->uncles_hash.b, 32);
	same_fixed(o, "miner", h->has & H_MINER, h->miner.b, 20);
	same_fixed(o, "stateRoot", true, h->state_root.b, 32);
	same_fixed(o, "transactionsRoot", true, h->tx_root.b, 32);
	same_fixed(o, "receiptsRoot", true, h->receipts_root.b, 32);
	same_fixed(o, "logsBloom", h->has & H_BLOOM, h->bloom, 256);
	same_u256(o, "difficulty", h->has & H_DIFFICULTY, &h->difficulty);
	same_u256(o, "totalDifficulty", h->has & H_TOTAL_DIFFICULTY, &h->total_difficulty);
	same_u64(o, "number", h->has & H_NUMBER, h->number);
	same_u64(o, "gasLimit", true, h->gas_limit);
	same_u64(o, "gasUsed", true, h->gas_used);
	same_u64(o, "timestamp", true, h->timestamp);
	assert_true(h->time_ms == h->timestamp * 1000);
	same_bytes("extraData", text_of(o, "extraData"), extra, h->extra.len);
	same_fixed(o, "mixHash", h->has & H_MIX, h->mix_hash.b, 32);
	same_fixed(o, "nonce", h->has & H_NONCE, h->nonce, 8);
	same_u64(o, "size", h->has & H_SIZE, h->size);
	same_u256(o, "baseFeePerGas", h->has & H_BASE_FEE, &h->base_fee);
	same_fixed(o, "withdrawalsRoot", h->has & H_WITHDRAWALS_ROOT, h->withdrawals_root.b, 32);
	same_u64(o, "blobGasUsed", h->has & H_BLOB_GAS_USED, h->blob_gas_used);
	same_u64(o, "excessBlobGas", h->has & H_EXCESS_BLOB_GAS, h->excess_blob_gas);
	same_fixed(o, "parentBeaconBlockRoot", h->has & H_BEACON_ROOT, h->beacon_root.b, 32);
	same_fixed(o, "requestsHash", h->has & H_REQUESTS_HASH, h->requests_hash.b, 32);
	same_fixed(o, "blockAccessListHash", h->has & H_BAL_HASH, h->bal_hash.b, 32);
	same_u64(o, "slotNumber", h->has & H_SLOT, h->slot);
	assert_int_equal(said(o, "uncles"), !!(h->has & H_UNCLES));
	assert_int_equal(said(o, "withdrawals"), !!(h->has & H_WITHDRAWALS));
	assert_int_equal(said(o, "transactions"), !!(h->has & H_TXS));
	assert_int_equal(cJSON_GetArraySize(member(o, "transactions")), h->ntx);
}

static inline void same_withdrawals(const cJSON *o, const struct block *b)
{
	static const char *const names[] = {"index", "validatorIndex", "address", "amount", NULL};
	const cJSON *list = member(o, "withdrawals"), *m;
	const struct withdrawal *w = block_at(b, b->withdrawals);

	assert_int_equal(cJSON_GetArraySize(list), b->withdrawals.len);
	cJSON_ArrayForEach(m, list)
	{
		only_keys(m, names, "withdrawal");
		same_u64(m, "index", true, w->index);
		same_u64(m, "validatorIndex", true, w->validator);
		same_fixed(m, "address", true, w->addr.b, 20);
		same_u64(m, "amount", true, w->amount);
		w++;
	}
}

/* A block as scratch or as kept copy. */
static inline void same_block(const cJSON *o, const struct block *b)
{
	const cJSON *list = member(o, "transactions"), *m;
	uint32_t i = 0;

	same_header(o, &b->h, block_at(b, b->h.extra));
	same_hashes("uncles", member(o, "uncles"), b, b->uncles);
	same_withdrawals(o, b);
	assert_int_equal(cJSON_GetArraySize(list), b->txs.len);
	cJSON_ArrayForEach(m, list)
	{
		const struct tx *t = &block_txs(b)[i];

		if (cJSON_IsObject(m)) {
			same_tx(m, b, t, i);
		} else {
			same_bytes("transactions", m->valuestring + 2, t->hash.b, 32);
			assert_int_equal(t->has, T_HASH_ONLY);
		}
		i++;
	}
	assert_int_equal(b->lenient, 0);
}

#endif
