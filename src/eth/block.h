/*
 * A block in memory: header, transactions, withdrawals, all decoded, calldata as bytes.
 *
 * struct block is immutable once decoded, one allocation, and has no pointer outside it: variable parts are spans
 * (offset, length) from the start of the block, so a copy is one memcpy. It is shared between threads by an
 * atomic reference count.
 *
 * Spans of items begin at multiples of 8.
 *
 * A decoder (struct blockdec) owns scratch memory that it uses again for each block: fetch and bench read the
 * scratch and allocate nothing; the monitor keeps a copy of exact size by block_keep (one allocation).
 *
 * Field rules: provider.md §3. Absent and null mean the same: the HAS bit is clear and the value zero.
 */
#ifndef ETH_BLOCK_H
#define ETH_BLOCK_H

#include <stdatomic.h>

#include "base/err.h"
#include "base/u256.h"
#include "eth/types.h"

struct span {
	uint32_t off, len; /* bytes from the start of struct block; len in bytes for data, in items for arrays */
};

/* Which optional fields are there. */
enum header_has {
	H_HASH = 1u << 0, /* null in pending blocks */
	H_NUMBER = 1u << 1,
	H_MINER = 1u << 2,
	H_NONCE = 1u << 3,
	H_MIX = 1u << 4,
	H_BLOOM = 1u << 5,
	H_DIFFICULTY = 1u << 6,
	H_TOTAL_DIFFICULTY = 1u << 7,
	H_SIZE = 1u << 8,
	H_BASE_FEE = 1u << 9, /* London */
	H_WITHDRAWALS_ROOT = 1u << 10, /* Shanghai */
	H_BLOB_GAS_USED = 1u << 11, /* Cancun */
	H_EXCESS_BLOB_GAS = 1u << 12,
	H_BEACON_ROOT = 1u << 13,
	H_REQUESTS_HASH = 1u << 14, /* Prague */
	H_BAL_HASH = 1u << 15, /* EIP-7928 blockAccessListHash */
	H_SLOT = 1u << 16, /* EIP-7843 slotNumber */
	H_TXS = 1u << 17, /* a transactions field was there, full or hashes */
	H_TXS_FULL = 1u << 18, /* they were objects (an empty list counts as what was asked for) */
	H_WITHDRAWALS = 1u << 19,
	H_UNCLES = 1u << 20,
	H_MILLIS = 1u << 21, /* time_ms comes from a field finer than the timestamp */
	H_L1_BLOCK = 1u << 22, /* Arbitrum's l1BlockNumber and the like: this chain's header hash is not computed this way */
	H_PARENT = 1u << 23,
	H_UNKNOWN_FIELD = 1u << 24, /* a field this version does not know, or one that every header has is missing: `?` */
	H_LENIENT = 1u << 25, /* some quantity bent the rules of the spec */
	H_TX_ELSEWHERE = 1u << 26, /* a transaction says that it is of another block, or at another place in it */
};

struct header {
	uint32_t has; /* enum header_has */
	uint32_t ntx; /* number of transactions, or of their hashes */
	struct hash hash, parent, uncles_hash, state_root, tx_root, receipts_root, mix_hash;
	struct hash withdrawals_root, beacon_root, requests_hash, bal_hash;
	struct addr miner;
	uint8_t nonce[8];
	uint8_t bloom[256];
	struct u256 difficulty, total_difficulty, base_fee;
	uint64_t number, gas_limit, gas_used, timestamp, size;
	uint64_t time_ms; /* since 1970; BSC's milliTimestamp or mixHash, timestampMs, else timestamp × 1000 (screens.md §1.3) */
	uint64_t blob_gas_used, excess_blob_gas, slot;
	struct span extra; /* bytes, any length */
	/* What stands in the way of computing the hash, cleaned: "foo" (unknown field), "no stateRoot", "extraData" (clipped by
	 * header_decode), or the field behind H_L1_BLOCK. "" if nothing. */
	char unknown[32];
};

enum tx_has {
	T_TO = 1u << 0, /* else it creates a contract */
	T_GAS_PRICE = 1u << 1,
	T_MAX_FEE = 1u << 2,
	T_MAX_PRIORITY = 1u << 3,
	T_MAX_BLOB_FEE = 1u << 4,
	T_CHAIN_ID = 1u << 5,
	T_ACCESS_LIST = 1u << 6,
	T_SIG = 1u << 7, /* v (or yParity), r, s there */
	T_Y_PARITY = 1u << 8, /* y_parity is valid: from yParity, else from v */
	T_SOURCE_HASH = 1u << 9,
	T_MINT = 1u << 10,
	T_SYSTEM = 1u << 11, /* isSystemTx was true */
	T_UNKNOWN_TYPE = 1u << 12, /* kept: type, hash, from, to, value, gas, gasPrice, raw */
	T_NONCE = 1u << 13,
	T_FROM = 1u << 14,
	T_HASH_ONLY = 1u << 15, /* the block was asked for without bodies: only `hash` is valid */
	T_DEPOSIT_VERSION = 1u << 16,
};

/* Fields that say a second time what stands elsewhere: kept only as "it was there", for whoever writes the block again. */
enum tx_said {
	SAID_V = 1u << 0,
	SAID_Y_PARITY = 1u << 1,
	SAID_BLOCK = 1u << 2, /* blockHash and the like, as good as always */
	SAID_BLOCK_TIME = 1u << 3, /* blockTimestamp, which only some nodes write */
	SAID_NOT_SYSTEM = 1u << 4, /* isSystemTx: false */
};

enum { TX_LEGACY = 0, TX_ACCESS_LIST = 1, TX_DYNAMIC = 2, TX_BLOB = 3, TX_SET_CODE = 4, TX_DEPOSIT = 0x7e };

struct access_entry {
	struct addr addr;
	struct span keys; /* items: struct hash */
};

struct auth {
	struct u256 chain_id, r, s;
	struct addr addr;
	uint64_t nonce;
	uint8_t y_parity;
};

struct tx {
	uint32_t has; /* enum tx_has */
	uint32_t index;
	uint32_t type; /* TX_…, or any other number */
	uint32_t deposit_version;
	uint32_t said; /* enum tx_said */
	uint64_t nonce, gas, y_parity;
	struct hash hash, source_hash;
	struct addr from, to;
	struct u256 chain_id, value, gas_price, max_fee, max_priority, max_blob_fee, v, r, s, mint;
	struct span input; /* bytes */
	struct span access; /* items: struct access_entry */
	struct span blobs; /* items: struct hash (blobVersionedHashes) */
	struct span auths; /* items: struct auth */
	struct span raw; /* bytes: JSON text, unknown types only */
};

struct withdrawal {
	uint64_t index, validator, amount; /* amount in gwei */
	struct addr addr;
};

struct block {
	_Atomic uint32_t refs;
	uint32_t bytes; /* of the whole allocation; in a decoder's scratch: of the copy that block_keep would make */
	uint32_t json_bytes; /* length of the JSON it came from */
	uint32_t lenient; /* quantities that bent the rules */
	struct header h;
	struct span txs; /* items: struct tx */
	struct span withdrawals; /* items: struct withdrawal */
	struct span uncles; /* items: struct hash */
};

static inline const void *block_at(const struct block *b, struct span s)
{
	return (const char *)b + s.off;
}
static inline const struct tx *block_txs(const struct block *b)
{
	return (const struct tx *)block_at(b, b->txs);
}
/* Of an unknown type, from RLP: there is no telling what is in it. Only hash, type and index are valid. */
static inline bool tx_is_bare(const struct tx *t)
{
	return (t->has & T_UNKNOWN_TYPE) && t->raw.len == 0;
}

struct blockdec; /* decoder with its scratch memory */

enum {
	BLOCKDEC_LIMIT = 1u << 30, /* no decoded block is larger */
};

struct blockdec *blockdec_new(void); /* NULL without memory */
void blockdec_free(struct blockdec *d);
/*
 * Decodes a block object (the text of a JSON-RPC result). On success *out points into d's scratch, valid until the next
 * call; its refs is 0 and it must not be passed to block_ref/unref. want_full: the request asked for full
 * transactions (an empty list is then full; a list of hashes is ST_WRONG_BLOCK).
 * ST_NULL: the text is `null`. ST_MALFORMED: names the field; also a transaction of a known type without hash, gas or value,
 * a block without timestamp, one that nothing tells apart (no hash, number, parent), or no transactions when want_full.
 * ST_WRONG_BLOCK, ST_TOO_BIG, ST_NOMEM.
 * One pass over the text; tolerates white space and any key order.
 */
enum status block_decode(struct blockdec *d, const char *text, size_t n, bool want_full, const struct block **out,
			 struct err *e) MUST_CHECK;
/*
 * Header alone: newHeads notifications and the like (transactions, if any, are only counted). extra, if any, goes to
 * extra_out[64] and h->extra.len (off 0); if it is longer it is clipped to 64 and the header cannot be verified: H_UNKNOWN_FIELD.
 */
enum status header_decode(const char *text, size_t n, struct header *h, uint8_t extra_out[64], struct err *e) MUST_CHECK;
/* A copy of exact size with refs 1; NULL without memory. */
struct block *block_keep(const struct block *scratch);
struct block *block_ref(struct block *b);
void block_unref(struct block *b); /* NULL is allowed; frees at the last one */

#endif
