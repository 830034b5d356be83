/*
 * Messages of the eth protocol, versions 68 to 70 (devp2p's caps/eth.md, EIPs 7642 and 7975), and what BSC and Polygon's Bor do
 * differently. Pure bytes ↔ values; views point into the message. Codes here are relative to the protocol's offset.
 */
#ifndef NET_DEVP2P_ETH_H
#define NET_DEVP2P_ETH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "eth/rlp.h"
#include "eth/types.h"
#include "net/devp2p/p2p.h"

enum { ETH_MIN = 68, ETH_MAX = 70 };

enum eth_code {
	ETH_STATUS = 0x00,
	ETH_NEW_BLOCK_HASHES = 0x01,
	ETH_TRANSACTIONS = 0x02,
	ETH_GET_BLOCK_HEADERS = 0x03,
	ETH_BLOCK_HEADERS = 0x04,
	ETH_GET_BLOCK_BODIES = 0x05,
	ETH_BLOCK_BODIES = 0x06,
	ETH_NEW_BLOCK = 0x07,
	ETH_NEW_POOLED_HASHES = 0x08,
	ETH_GET_POOLED = 0x09,
	ETH_POOLED = 0x0a,
	ETH_UPGRADE_STATUS = 0x0b, /* BSC alone, behind Status */
	ETH_GET_RECEIPTS = 0x0f,
	ETH_RECEIPTS = 0x10,
	ETH_BLOCK_RANGE_UPDATE = 0x11, /* 69 and later */
	ETH_CODES = 0x12,
};

enum {
	ETH_HEADERS_MAX = 1024, /* that any client serves for one request */
	ETH_HASHES_MAX = 4096, /* of one announcement that are looked at */
};

/* "NewBlockHashes"; "message 0x0c" is for the caller to say: NULL. */
const char *eth_code_name(unsigned code);
/* Capabilities that we offer, with the codes that each takes. *n gets how many. */
const struct p2p_proto *eth_protocols(unsigned *n);

enum eth_status_has {
	ETH_HAS_TD = 1u << 0, /* up to 68, and Bor */
	ETH_HAS_RANGE = 1u << 1, /* 69 and later */
	ETH_IS_BOR = 1u << 2, /* version 69 or later with a total difficulty */
};

struct eth_status {
	unsigned version;
	uint32_t has; /* enum eth_status_has */
	uint64_t network;
	struct u256 td;
	struct hash genesis, head; /* head: of the latest block */
	uint8_t fork_hash[4]; /* EIP-2124 */
	uint64_t fork_next;
	uint64_t earliest, latest;
};

/* version: the one that was agreed. ST_MALFORMED: says what is wrong; also if the message names another version. */
enum status eth_status_decode(unsigned version, const uint8_t *p, size_t n, struct eth_status *s, struct err *e) MUST_CHECK;
enum status eth_status_encode(struct buf *b, const struct eth_status *s) MUST_CHECK;
/*
 * Our answer to a Status that eth_status_decode took: the same again, so that network, genesis and fork id please on every chain
 * without a table of chains; from 69 on with earliest = latest, because we serve nothing.
 */
enum status eth_status_mirror(unsigned version, const uint8_t *p, size_t n, struct buf *b) MUST_CHECK;

/* [id, [start, limit, skip, reverse]]: by hash if that is not NULL, else by number. */
enum status eth_get_headers(struct buf *b, uint64_t id, const struct hash *hash, uint64_t number, uint64_t limit,
			    uint64_t skip, bool reverse) MUST_CHECK;
/* [id, [hash, …]], for bodies, pooled transactions and receipts up to version 69. */
enum status eth_get_by_hash(struct buf *b, uint64_t id, const struct hash *hashes, size_t n) MUST_CHECK;

/* An answer or a request: its id and, of an answer, the list behind it. Further items are not an error. */
struct eth_reply {
	uint64_t id;
	struct rlp list;
};
enum status eth_reply_decode(const uint8_t *p, size_t n, struct eth_reply *r, struct err *e) MUST_CHECK;

/*
 * Polite answer to a request of the peer's: an empty list, or timeouts would drop us. *code gets the answer's code.
 * ST_UNSUPPORTED: the message is no request. ST_MALFORMED: it has no id.
 */
enum status eth_polite(unsigned version, unsigned code, const uint8_t *p, size_t n, struct buf *b, unsigned *answer) MUST_CHECK;

/* [[header, transactions, uncles, …], td, …]; what BSC puts behind is ignored. */
struct eth_new_block {
	struct rlp_item header, txs, uncles, withdrawals; /* whole lists; withdrawals.list false: none */
	struct u256 td;
};
enum status eth_new_block_decode(const uint8_t *p, size_t n, struct eth_new_block *b, struct err *e) MUST_CHECK;
/* A body: [transactions, uncles, withdrawals?, …]. */
enum status eth_body_decode(const struct rlp_item *item, struct eth_new_block *b, struct err *e) MUST_CHECK;

/* [[hash, number], …]. Walk: eth_hashes_begin, then eth_hashes_next until false; ok tells whether all was right. */
struct eth_hashes {
	struct rlp r;
	unsigned left;
	bool ok;
};
bool eth_hashes_begin(struct eth_hashes *h, const uint8_t *p, size_t n);
bool eth_hashes_next(struct eth_hashes *h, struct hash *hash, uint64_t *number);

/*
 * Transactions that wait: NewPooledTransactionHashes, [types, [size, …], [hash, …]] (eth/68), or Transactions, [tx, …], whose
 * hashes are made here. Walked like eth_hashes.
 */
struct eth_txs {
	struct rlp r;
	unsigned left;
	bool ok, whole;
};
bool eth_txs_begin(struct eth_txs *t, bool whole, const uint8_t *p, size_t n);
bool eth_txs_next(struct eth_txs *t, struct hash *hash);

/* [earliest, latest, latest hash] */
struct eth_range {
	uint64_t earliest, latest;
	struct hash head;
};
enum status eth_range_decode(const uint8_t *p, size_t n, struct eth_range *r, struct err *e) MUST_CHECK;

/* BSC's [[disablePeerTxBroadcast]]. Ours says that we want no transactions. Returns the length. */
size_t eth_upgrade_encode(uint8_t out[4], bool no_txs);
enum status eth_upgrade_decode(const uint8_t *p, size_t n, bool *no_txs, struct err *e) MUST_CHECK;

#endif
