/*
 * JSON-RPC 2.0: writing requests, telling messages apart. Pure bytes, no socket.
 * A message may be one object or an array of them (batch); rpc_each walks both alike.
 */
#ifndef ETH_RPC_H
#define ETH_RPC_H

#include "base/buf.h"
#include "eth/json.h"

enum rpc_kind {
	RPC_REPLY, /* has an id of ours and a result or an error */
	RPC_NOTE, /* eth_subscription (or another …_subscription) with its id and result */
	RPC_REQUEST, /* has method and id: an outgoing request (seen in replays), or a peer that misbehaves */
	RPC_STRAY, /* none of those: id null, foreign id, both or neither of result and error. What it says of an error is
		    * filled all the same, also from a bare {"code":429,"message":"…"} of a proxy. */
};

struct rpc_msg {
	enum rpc_kind kind;
	bool has_id;
	uint64_t id; /* numbers (7, 7.0) and decimal or hex strings alike (provider.md fault 49); valid if has_id */
	bool id_null; /* "id":null */
	struct json_str method; /* requests and notifications */
	struct json_str params; /* text of params (requests) */
	struct json_str result; /* text of the result: of the reply, or of params.result of a notification; n 0 if none */
	struct json_str sub; /* subscription id of a notification: number, or string without quotes; see rpc_sub_eq */
	bool is_error;
	int64_t code; /* error code, from number or string; 0 if none */
	char error_text[160]; /* cleaned message, "" if none */
	char error_data[80]; /* cleaned start of error.data, or from backoff_seconds on if it has that; "" if none */
};

/*
 * Calls fn for each message in text (one object, or each item of an array; items that are no object count as
 * RPC_STRAY). ST_MALFORMED if the text is no JSON or neither object nor array; the messages before
 * the fault have been delivered. A result is not scanned twice: it is skipped as text here.
 */
enum status rpc_each(const char *text, size_t n, void (*fn)(void *ctx, const struct rpc_msg *m), void *ctx,
		     struct err *e) MUST_CHECK;
/*
 * Fast path: looks only at the envelope of a single reply such as {"jsonrpc":"2.0","id":7,"result":…} in any key
 * order, without scanning the result when id stands before it and result is last (as every known node writes it).
 * False: use rpc_each. On success m->result starts at the result and reaches to before the closing brace. What is inside
 * is not looked at: if decoding it says ST_MALFORMED, rpc_each has the last word (members may stand behind the result).
 */
bool rpc_peek_reply(const char *text, size_t n, struct rpc_msg *m);
/* Do two subscription ids mean the same? As text, or as numbers: 7, "7" and "0x7" are one (provider.md fault 15). */
bool rpc_sub_eq(const struct json_str *a, const struct json_str *b);
/* Appends {"jsonrpc":"2.0","id":ID,"method":"METHOD","params":PARAMS}; params is JSON text, NULL for []. */
enum status rpc_request(struct buf *b, uint64_t id, const char *method, const char *params) MUST_CHECK;
/*
 * What an error answer means: ST_RATE, ST_UNSUPPORTED, ST_AUTH, ST_TOO_BIG, ST_NULL (pruned, header not found) or ST_RPC.
 * By (code, message), never by code alone: nodes use codes differently (provider.md §1.1). One data table.
 * *wait_ms (may be NULL) gets a hint found in message or data ("try again in 4ms", backoff_seconds), else 0.
 */
enum status rpc_error_kind(int64_t code, const char *message, const char *data, uint64_t *wait_ms);

#endif
