/*
 * All that crosses threads: events up (feed → model), commands down (app → feed). Plain data of one ring slot, copied by value.
 * The one exception is EV_BLOCK, which hands over one reference to an immutable block.
 * Names of the fields follow peers.md §4.1: stamps are taken at the socket, before parsing.
 */
#ifndef FEED_EVENT_H
#define FEED_EVENT_H

#include "base/ring.h"
#include "eth/block.h"
#include "eth/verify.h"

/* Methods chaintop itself calls. The names are in wire_rpc.c; METHOD_OTHER is any other. */
#define METHOD_LIST(X) \
	X(M_BLOCK_NUMBER, "eth_blockNumber") \
	X(M_BLOCK_BY_HASH, "eth_getBlockByHash") \
	X(M_BLOCK_BY_NUMBER, "eth_getBlockByNumber") \
	X(M_CHAIN_ID, "eth_chainId") \
	X(M_CLIENT, "web3_clientVersion") \
	X(M_SYNCING, "eth_syncing") \
	X(M_PEERS, "net_peerCount") \
	X(M_TXPOOL, "txpool_status") \
	X(M_GAS_PRICE, "eth_gasPrice") \
	X(M_CONFIG, "eth_config") \
	X(M_SUBSCRIBE, "eth_subscribe") \
	X(M_UNSUBSCRIBE, "eth_unsubscribe") \
	X(M_RECEIPTS, "eth_getBlockReceipts") \
	X(M_BATCH, "batch") \
	X(M_PENDING, "eth_subscribe pending") \
	X(M_P2P_HEADERS, "GetBlockHeaders") \
	X(M_P2P_BODIES, "GetBlockBodies") \
	X(M_P2P_PING, "Ping") \
	X(M_OTHER, "other")

enum method {
#define X(name, text) name,
	METHOD_LIST(X)
#undef X
	M_N
};

/* Messages of devp2p by what they are about: what is counted together. */
#define PEER_KIND_LIST(X) \
	X(PK_BASE, "p2p") \
	X(PK_STATUS, "status") \
	X(PK_HEADERS, "headers") \
	X(PK_BODIES, "bodies") \
	X(PK_BLOCKS, "new blocks") \
	X(PK_TXS, "transactions") \
	X(PK_OTHER, "other")

enum peer_kind {
#define X(name, text) name,
	PEER_KIND_LIST(X)
#undef X
	PK_N
};

enum link_state {
	LINK_IDLE, /* not started */
	LINK_CONNECTING, /* text: what is being tried, "TCP", "TLS", "upgrade" */
	LINK_LIVE, /* connected; heads may come */
	LINK_POLLING, /* live, and heads are asked for */
	LINK_SILENT, /* connected, but no head for too long */
	LINK_WAITING, /* down; the next try is at link.retry_mono */
	LINK_STOPPED, /* will not be tried again (quit) */
};

/* Where a head or block came from. Only the first two are arrivals that can be compared (screens.md §3 trap f). */
enum head_source {
	SRC_PUSH, /* newHeads */
	SRC_POLL, /* seen by polling: late by up to the interval, never ranked with pushed ones */
	SRC_FIRST, /* among the first 2 after a connect: not an arrival */
	SRC_BACKFILL, /* asked for at start */
	SRC_GAP, /* asked for after a reconnect or a jump */
	SRC_WALK, /* asked for by hash: unknown parent */
	SRC_ASKED, /* the user or the model wanted it */
};

enum event_kind {
	EV_LINK, /* a path changed its state */
	EV_CHAIN, /* a path said which chain it is on: comes before any head of that connection, and when it changes */
	EV_HEAD, /* a header was heard or found */
	EV_BLOCK, /* a body was decoded; owns one reference */
	EV_VERDICT, /* what verification found */
	EV_BODY_MISS, /* a body that was asked for cannot be had on this path (after retries) */
	EV_REPLY, /* a call ended, well or not */
	EV_INFO, /* a fact about the node */
	EV_TAG, /* safe or finalized */
	EV_GAP, /* heads were missed and are being asked for */
	EV_TRAFFIC, /* counters of the path, at most once a second */
	EV_CLOCK, /* bound of this machine's clock error */
	EV_PEER, /* devp2p: what Hello and Status say; once per connection */
	EV_PEER_COUNT, /* devp2p: counters of the path and the last round trips, at most once a second */
	EV_PEER_LEFT, /* devp2p: the node said Disconnect */
	EV_LOST, /* the ring was full: ask again (CMD_RESYNC) */
	EV_TXS, /* transactions that wait were announced: several in one event, told within PENDING_HOLD_NS */
};

/* Numbers are written to recordings: new ones go behind. */
enum info_kind { INFO_CLIENT, INFO_PEERS, INFO_SYNC, INFO_TXPOOL, INFO_GAS_PRICE, INFO_POLL_INTERVAL,
		 INFO_PENDING, /* newPendingTransactions: a is 1 if they come whole, 0 if as hashes; or why they do not come */
		 INFO_FORK, INFO_DISK, INFO_N };

enum { TXS_MAX = 11 }; /* what one slot holds */
#define PENDING_HOLD_NS UINT64_C(50000000)

/* Digest of a header: what panes and chain logic need. 168 bytes. */
struct head {
	struct hash hash, parent;
	struct u256 base_fee;
	uint64_t number, time_ms, gas_used, gas_limit, blob_gas_used, excess_blob_gas;
	struct addr miner;
	uint32_t has; /* enum header_has */
	uint8_t extra_len; /* real length, at most 255 */
	uint8_t extra[32]; /* its first 32 bytes */
	uint8_t difficulty; /* low byte if < 256, else 255: 1 and 2 mean out of turn and in turn on clique and BSC */
	uint8_t pad[2];
};

struct event {
	uint16_t kind; /* enum event_kind */
	uint16_t path; /* index of the endpoint × transport, 0 … */
	uint32_t seq; /* per path, no gaps unless the ring lost events */
	uint64_t mono, wall; /* of the first byte of the message, or of what is told (ns) */
	union {
		struct {
			uint8_t state; /* enum link_state */
			uint8_t code; /* enum status of the cause, ST_OK if none */
			uint16_t attempt; /* connection attempts since it last stood */
			int32_t detail; /* HTTP status, close code … */
			uint64_t retry_mono; /* LINK_WAITING: when it tries again */
			uint32_t dns_us, tcp_us, tls_us, ready_us; /* phases of the connect, 0: none */
			char via[8]; /* what is spoken now: "ws" …; decides whether the path pushes */
			char text[104]; /* cause, or what is being tried; safe to print, no secret */
			char cure[88];
		} link;
		struct {
			uint64_t id;
			struct hash genesis; /* zero: the node said null or was not asked */
			bool ok; /* false: id unknown (the call failed) */
			bool network; /* id is devp2p's network id: which chain has this genesis is not known */
		} chain;
		struct {
			struct head h;
			uint8_t source; /* enum head_source */
			uint8_t hash_ok; /* enum truth of the header hash */
		} head;
		struct {
			struct block *block; /* one reference: the receiver unrefs it */
			uint64_t asked_mono; /* when the request went out */
			uint64_t done_mono; /* when it was decoded */
			uint64_t wire_bytes, xfer_bytes, xfer_ns;
			uint32_t reads;
			uint8_t source;
			uint8_t sample; /* a 1-in-16 sample: another path has or will have it */
		} block;
		struct {
			struct hash hash;
			struct verdict v;
			uint32_t took_us;
		} verdict;
		struct {
			struct hash hash; /* zero if asked by number */
			uint64_t number;
			uint8_t code; /* enum status */
			uint8_t source;
			char text[100];
		} miss;
		struct {
			uint8_t method; /* enum method */
			uint8_t code; /* enum status; ST_OK: it counts for latency */
			uint16_t attempt;
			int32_t detail;
			/* From the scheduled instant to the first byte of the answer. UINT64_MAX: no sample (an item of a
			 * batch: the batch has its own, M_BATCH, which is no call of its own). */
			uint64_t latency_ns;
			uint64_t wire_bytes, xfer_bytes, xfer_ns;
			uint32_t reads;
			uint32_t wait_ms; /* when the node said to come back: Retry-After; 0 it did not */
			char text[120]; /* error text, "" if ok */
		} reply;
		struct {
			uint8_t info; /* enum info_kind */
			uint8_t code; /* ST_OK, or why the fact is unknown: ST_UNSUPPORTED … */
			uint8_t yes; /* INFO_SYNC: syncing */
			/*
			 * PEERS: a; TXPOOL: pending, queued; SYNC: current, highest, start; POLL_INTERVAL: ns;
			 * FORK (eth_config or Status): a time (s) of the current one, UINT64_MAX unknown; b of the next one,
			 * UINT64_MAX none; c fork ids (EIP-2124): current << 32 | next; yes: the current one is known;
			 * DISK: free, total bytes; text: where it is mounted
			 */
			uint64_t a, b, c;
			struct u256 price; /* GAS_PRICE */
			char text[120]; /* CLIENT, DISK */
		} info;
		struct {
			uint8_t final; /* 0 safe, 1 finalized */
			uint8_t code;
			uint64_t number, time_ms;
			struct hash hash;
		} tag;
		struct {
			uint64_t from, to; /* numbers that were missed */
			uint32_t asked; /* how many of them are being asked for by this path */
			uint64_t silent_ns; /* how long nothing came; 0: after a reconnect */
		} gap;
		struct {
			uint64_t bytes_in, bytes_out, calls, notes, odd, bodies; /* since the start */
		} traffic;
		struct {
			uint64_t network; /* not a chain id, though most chains use the same number */
			uint64_t fork_next;
			struct hash genesis;
			uint8_t fork_hash[4]; /* EIP-2124 */
			uint8_t p2p, eth; /* versions */
			uint8_t bor; /* Status in Bor's form */
			char caps[120]; /* "eth/68 eth/69 snap/1", clipped; safe to print */
		} peer;
		struct {
			uint64_t frames_in, frames_out, reads, writes; /* since the start; reads, writes: system calls */
			uint64_t ping_ns, tcp_ns; /* round trips: of the last Ping; the kernel's. UINT64_MAX: unknown */
			struct {
				uint32_t in, out; /* messages; stay at the largest value */
				uint64_t in_bytes, out_bytes; /* decompressed */
			} kind[PK_N];
		} count;
		struct {
			int32_t reason; /* enum p2p_reason */
		} left;
		struct {
			uint64_t bound_ns; /* UINT64_MAX: unknown */
		} clock;
		struct {
			uint64_t dropped; /* since the start */
		} lost;
		struct {
			uint8_t n; /* 1 … TXS_MAX */
			uint32_t lost; /* transactions not told of for want of room in the ring, since the start */
			uint32_t after_us[TXS_MAX]; /* stamps: after the event's */
			uint64_t key[TXS_MAX]; /* hash_key of each; never 0 */
			uint64_t fee[TXS_MAX]; /* the most it pays for a unit of gas, wei; UINT64_MAX: not told */
		} txs;
	} u;
};
_Static_assert(sizeof(struct event) <= RING_SLOT, "an event is one ring slot");

enum cmd_kind {
	CMD_QUIT,
	CMD_BODY, /* fetch this block by hash (by number if the hash is zero) */
	CMD_RESUBSCRIBE, /* others advance and this path does not */
	CMD_RESYNC, /* events were lost: say the state again (link, chain, head, infos) */
	CMD_RETRY, /* connect now, ask unsupported methods again */
};

struct cmd {
	uint16_t kind;
	uint16_t whole; /* CMD_BODY: with its transactions even if bodies are off: somebody wants to see them */
	uint64_t number;
	struct hash hash;
	char pad[RING_SLOT - 48];
};
_Static_assert(sizeof(struct cmd) <= RING_SLOT, "a command is one ring slot");

const char *method_name(enum method m); /* "eth_blockNumber" */
const char *peer_kind_name(enum peer_kind k); /* "headers" */
/* Digest of a decoded header. extra: its extra data bytes (h->extra.len of them). */
void head_from(struct head *out, const struct header *h, const uint8_t *extra);

#endif
