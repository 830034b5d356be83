#include "serve/node.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "eth/json.h"

/* JSON-RPC 2.0 §5.1; −32003 and −32000 as geth uses them. */
enum code {
	CODE_PARSE = -32700,
	CODE_REQUEST = -32600,
	CODE_METHOD = -32601,
	CODE_PARAMS = -32602,
	CODE_TOO_LARGE = -32003,
	CODE_SERVER = -32000,
};

enum {
	PARAMS_MAX = 4,
	ID_MAX = 4096, /* an id comes back as it is: no amplifier */
	SAFE_BEHIND = 32, /* as anvil does, and about what mainnet shows: an epoch, … */
	FINALIZED_BEHIND = 64, /* … two */
};

struct param {
	enum json_type type;
	struct json_str v; /* strings without their quotes */
};

struct call {
	struct node *node;
	struct session *session;
	struct answer *a;
	struct json_str id; /* as it stands in the request; n 0: a notification */
	const char *method;
	size_t method_n;
	struct param params[PARAMS_MAX];
	unsigned n_params;
	/* Outcome: an error, or the result's text behind the envelope's begin. */
	enum code code; /* 0: fine */
	char why[160];
};

/* ---- outcome ---- */

static enum status fail(struct call *c, enum code code, const char *why)
{
	c->code = code;
	snprintf(c->why, sizeof(c->why), "%s", why);
	return ST_OK;
}

static enum status quantity(struct call *c, uint64_t v)
{
	char hex[19];

	return buf_addf(&c->a->text, "\"%s\"", hex_print_u64(hex, v));
}

/* ---- parts of blocks ---- */

static enum status add_str(struct buf *b, const struct json_str *s)
{
	return buf_add(b, s->p, s->n);
}

static enum status add_member(struct buf *b, const struct json_str *key, const struct json_str *value, bool *first)
{
	enum status st = buf_adds(b, *first ? "\"" : ",\"");

	*first = false;
	if (st == ST_OK)
		st = add_str(b, key);
	if (st == ST_OK)
		st = buf_adds(b, "\":");
	return st == ST_OK && value ? add_str(b, value) : st;
}

/* The hashes of an array of transactions; what is a hash already stays. */
static enum status add_hashes(struct buf *b, struct json *j)
{
	struct json_str key, v;
	bool first = true;
	enum status st = buf_adds(b, "[");

	if (!json_array(j))
		return ST_MALFORMED;
	while (st == ST_OK && json_next(j)) {
		struct json_str hash = { .n = 0 };

		if (json_peek(j) == JSON_STRING) {
			if (!json_string(j, &hash))
				return ST_MALFORMED;
		} else {
			if (!json_object(j))
				return ST_MALFORMED;
			while (json_key(j, &key)) {
				bool is_hash = JSON_IS(&key, "hash") && json_peek(j) == JSON_STRING;

				if (!(is_hash ? json_string(j, &v) : json_skip(j, NULL)))
					return ST_MALFORMED;
				if (is_hash)
					hash = v;
			}
		}
		if (!hash.n)
			return ST_MALFORMED;
		st = buf_adds(b, first ? "\"" : ",\"");
		if (st == ST_OK)
			st = add_str(b, &hash);
		if (st == ST_OK)
			st = buf_adds(b, "\"");
		first = false;
	}
	if (st == ST_OK && !json_ok(j))
		st = ST_MALFORMED;
	return st == ST_OK ? buf_adds(b, "]") : st;
}

/* What belongs to a block but not to its header. */
static bool beside_header(const struct json_str *key)
{
	return JSON_IS(key, "transactions") || JSON_IS(key, "uncles") || JSON_IS(key, "withdrawals") ||
	       JSON_IS(key, "size") || JSON_IS(key, "totalDifficulty");
}

/* The block without its transactions' content: with their hashes, or (header) without them and what else is no header. */
static enum status add_without_bodies(struct buf *b, const struct body *body, bool header)
{
	struct json j;
	struct json_str key, v;
	bool first = true;
	enum status st = buf_adds(b, "{");

	json_init(&j, body->p, body->n);
	if (!json_object(&j))
		return ST_MALFORMED;
	while (st == ST_OK && json_key(&j, &key)) {
		if (JSON_IS(&key, "transactions") && !header) {
			st = add_member(b, &key, NULL, &first);
			if (st == ST_OK)
				st = add_hashes(b, &j);
		} else if (!json_skip(&j, &v)) {
			return ST_MALFORMED;
		} else if (!header || !beside_header(&key)) {
			st = add_member(b, &key, &v, &first);
		}
	}
	if (st == ST_OK && !json_ok(&j))
		st = ST_MALFORMED;
	return st == ST_OK ? buf_adds(b, "}") : st;
}

/* ---- methods ---- */

static enum status chain_id(struct call *c)
{
	return quantity(c, c->node->chain_id);
}

static enum status net_version(struct call *c)
{
	return buf_addf(&c->a->text, "\"%llu\"", (unsigned long long)c->node->chain_id);
}

static enum status block_number(struct call *c)
{
	return quantity(c, store_number(c->node->store, atomic_load(&c->node->head)));
}

static enum status syncing(struct call *c)
{
	return buf_adds(&c->a->text, "false");
}

static enum status client_version(struct call *c)
{
	return buf_addf(&c->a->text, "\"%s\"", c->node->version);
}

/* A tag or number → rank. False: not in this folder, or *bad: neither. */
static bool find_number(const struct node *n, const struct json_str *s, size_t *i, bool *bad)
{
	const size_t head = atomic_load(&n->head);
	const uint64_t newest = store_number(n->store, head);
	uint64_t number, behind = 0;

	*bad = false;
	if (JSON_IS(s, "earliest")) {
		*i = 0;
		return true;
	}
	if (JSON_IS(s, "latest") || JSON_IS(s, "pending") || JSON_IS(s, "safe") || JSON_IS(s, "finalized")) {
		behind = JSON_IS(s, "safe") ? SAFE_BEHIND : JSON_IS(s, "finalized") ? FINALIZED_BEHIND : 0;
		*i = store_floor(n->store, newest > behind ? newest - behind : 0);
		return true;
	}
	if (!hex_u64(s->p, s->n, &number, NULL)) {
		*bad = true;
		return false;
	}
	return store_find(n->store, number, i) && *i <= head;
}

static enum status block(struct call *c, bool by_hash)
{
	struct node *n = c->node;
	const struct param *p = c->params;
	struct body *b;
	struct err e = { .code = ST_OK };
	uint8_t hash[32];
	bool bad = false, full = true, found;
	enum status st;
	size_t i;

	if (c->n_params < 1 || c->n_params > 2)
		return fail(c, CODE_PARAMS, "wants a block and whether transactions are to be full");
	if (p[0].type != JSON_STRING)
		return fail(c, CODE_PARAMS, "the block must be a string");
	if (c->n_params == 2) {
		if (p[1].type != JSON_TRUE && p[1].type != JSON_FALSE)
			return fail(c, CODE_PARAMS, "the second parameter must be true or false");
		full = p[1].type == JSON_TRUE;
	}
	if (by_hash) {
		bad = !hex_fixed(p[0].v.p, p[0].v.n, hash, 32);
		found = !bad && store_find_hash(n->store, hash, &i) && i <= atomic_load(&n->head);
	} else {
		found = find_number(n, &p[0].v, &i, &bad);
	}
	if (bad)
		return fail(c, CODE_PARAMS, by_hash ? "not a block hash" : "not a block number");
	if (!found)
		return buf_adds(&c->a->text, "null");
	st = store_get(n->store, i, &b, &e);
	if (st == ST_NOMEM)
		return st;
	if (st != ST_OK) {
		log_msg(LOG_WARN, "%s", e.text);
		return fail(c, CODE_SERVER, "this block cannot be read any more");
	}
	if (full) {
		if (answer_size(c->a) + b->n <= ANSWER_MAX)
			return answer_block(c->a, b);
		store_put(n->store, b);
		return fail(c, CODE_TOO_LARGE, "response too large");
	}
	st = add_without_bodies(&c->a->text, b, false);
	store_put(n->store, b);
	if (st == ST_MALFORMED)
		return fail(c, CODE_SERVER, "the file of this block is damaged");
	return st == ST_TOO_BIG ? fail(c, CODE_TOO_LARGE, "response too large") : st;
}

static enum status block_by_number(struct call *c)
{
	return block(c, false);
}

static enum status block_by_hash(struct call *c)
{
	return block(c, true);
}

static enum status subscribe(struct call *c)
{
	struct session *s = c->session;

	if (!s)
		return fail(c, CODE_METHOD, "notifications not supported over HTTP");
	if (c->n_params < 1 || c->params[0].type != JSON_STRING)
		return fail(c, CODE_PARAMS, "wants the name of a subscription");
	if (!JSON_IS(&c->params[0].v, "newHeads"))
		return fail(c, CODE_METHOD, "only newHeads can be subscribed to here");
	if (s->n == SESSION_SUBS)
		return fail(c, CODE_SERVER, "too many subscriptions on this connection");
	s->subs[s->n] = atomic_fetch_add(&c->node->last_sub, 1) + 1;
	return quantity(c, s->subs[s->n++]);
}

static enum status unsubscribe(struct call *c)
{
	struct session *s = c->session;
	uint64_t id;

	if (!s)
		return fail(c, CODE_METHOD, "notifications not supported over HTTP");
	if (c->n_params != 1 || c->params[0].type != JSON_STRING || !hex_u64(c->params[0].v.p, c->params[0].v.n, &id, NULL))
		return fail(c, CODE_PARAMS, "wants a subscription's id");
	for (unsigned i = 0; i < s->n; i++) {
		if (s->subs[i] == id) {
			s->subs[i] = s->subs[--s->n];
			return buf_adds(&c->a->text, "true");
		}
	}
	return fail(c, CODE_SERVER, "subscription not found");
}

static const struct {
	const char *name;
	enum status (*run)(struct call *c);
} methods[] = {
	{ "eth_getBlockByNumber", block_by_number },
	{ "eth_getBlockByHash", block_by_hash },
	{ "eth_blockNumber", block_number },
	{ "eth_chainId", chain_id },
	{ "eth_subscribe", subscribe },
	{ "eth_syncing", syncing },
	{ "eth_unsubscribe", unsubscribe },
	{ "net_version", net_version },
	{ "web3_clientVersion", client_version },
};

static enum status run(struct call *c)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (strlen(methods[i].name) == c->method_n && memcmp(methods[i].name, c->method, c->method_n) == 0)
			return methods[i].run(c);
	}
	return fail(c, CODE_METHOD, "the method does not exist or is not available");
}

/* ---- requests ---- */

static bool read_params(struct call *c, struct json *j)
{
	enum json_type type = json_peek(j);

	if (type == JSON_NULL)
		return json_skip(j, NULL);
	if (type != JSON_ARRAY) {
		fail(c, CODE_PARAMS, "params must be an array");
		return json_skip(j, NULL);
	}
	json_array(j);
	c->n_params = 0;
	while (json_next(j)) {
		struct param p = { .type = json_peek(j) };

		if (!(p.type == JSON_STRING ? json_string(j, &p.v) : json_skip(j, &p.v)))
			return false;
		if (c->n_params < PARAMS_MAX)
			c->params[c->n_params++] = p;
		else
			fail(c, CODE_PARAMS, "too many parameters");
	}
	return json_ok(j);
}

/* Reads the object that j stands at. False: it is no JSON. */
static bool read_call(struct call *c, struct json *j)
{
	struct json_str key, v;
	bool bad_id = false;

	json_object(j);
	while (json_key(j, &key)) {
		enum json_type type = json_peek(j);

		if (JSON_IS(&key, "id")) {
			if (!json_skip(j, &c->id))
				return false;
			bad_id = (type != JSON_STRING && type != JSON_NUMBER && type != JSON_NULL) || c->id.n > ID_MAX;
		} else if (JSON_IS(&key, "method") && type == JSON_STRING) {
			if (!json_string(j, &v))
				return false;
			c->method = v.p;
			c->method_n = v.n;
		} else if (JSON_IS(&key, "params")) {
			if (!read_params(c, j))
				return false;
		} else if (!json_skip(j, NULL)) {
			return false;
		}
	}
	if (bad_id)
		c->id = (struct json_str){ .p = "null", .n = 4 };
	if (bad_id || !c->method) {
		fail(c, CODE_REQUEST, bad_id ? "the id must be a number or a string" : "no method");
		if (!c->id.n)
			c->id = (struct json_str){ .p = "null", .n = 4 };
	}
	return json_ok(j);
}

static enum status add_error(struct call *c)
{
	struct buf *b = &c->a->text;
	enum status st = buf_adds(b, "{\"jsonrpc\":\"2.0\",\"id\":");

	if (st == ST_OK)
		st = add_str(b, &c->id);
	return st == ST_OK ? buf_addf(b, ",\"error\":{\"code\":%d,\"message\":\"%s\"}}", (int)c->code, c->why) : st;
}

/* Runs a call that was read and adds its answer, if it wants one. */
static enum status answer_call(struct call *c, bool comma)
{
	struct buf *b = &c->a->text;
	enum status st;
	size_t begin;

	/* A notification has no answer, and no method here does anything but answer. */
	if (!c->id.n)
		return ST_OK;
	st = comma ? buf_adds(b, ",") : ST_OK;
	begin = answer_mark(c->a);
	if (st == ST_OK)
		st = buf_adds(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	if (st == ST_OK)
		st = add_str(b, &c->id);
	if (st == ST_OK)
		st = buf_adds(b, ",\"result\":");
	if (st == ST_OK && !c->code)
		st = run(c);
	if (st != ST_OK)
		return st;
	if (!c->code)
		return buf_adds(b, "}");
	answer_back(c->a, begin);
	return add_error(c);
}

static enum status answer_error(struct node *n, struct answer *a, enum code code, const char *why)
{
	struct call c = { .node = n, .a = a, .id = { .p = "null", .n = 4 } };

	fail(&c, code, why);
	return add_error(&c);
}

static enum status answer_batch(struct node *n, struct session *session, struct json *j, struct answer *a)
{
	enum status st = buf_adds(&a->text, "[");
	bool any = false;
	unsigned items = 0;

	json_array(j);
	while (st == ST_OK && json_next(j)) {
		struct call c = { .node = n, .session = session, .a = a };
		bool object = json_peek(j) == JSON_OBJECT;

		if (!(object ? read_call(&c, j) : json_skip(j, NULL)))
			break;
		if (++items > BATCH_MAX)
			continue;
		if (!object) {
			c.id = (struct json_str){ .p = "null", .n = 4 };
			fail(&c, CODE_REQUEST, "not a request");
		}
		st = answer_call(&c, any);
		any |= c.id.n > 0;
	}
	if (st != ST_OK)
		return st;
	if (!json_end(j) || items > BATCH_MAX || items == 0) {
		/* Nothing of a batch that is none. */
		answer_fini(a);
		answer_init(a, n->store);
		if (items > BATCH_MAX)
			return answer_error(n, a, CODE_REQUEST, "batch too large");
		return answer_error(n, a, json_ok(j) ? CODE_REQUEST : CODE_PARSE, json_ok(j) ? "empty batch" : "not JSON");
	}
	if (any)
		return buf_adds(&a->text, "]");
	answer_back(a, 0);
	return ST_OK;
}

static enum status answer_single(struct node *n, struct session *session, struct json *j, struct answer *a)
{
	struct call c = { .node = n, .session = session, .a = a };

	if (!read_call(&c, j) || !json_end(j))
		return answer_error(n, a, CODE_PARSE, "not JSON");
	return answer_call(&c, false);
}

enum status node_answer(struct node *n, struct session *session, const char *text, size_t len, struct answer *a)
{
	struct json j;
	enum status st;

	answer_init(a, n->store);
	json_init(&j, text, len);
	switch (json_peek(&j)) {
	case JSON_OBJECT:
		st = answer_single(n, session, &j, a);
		break;
	case JSON_ARRAY:
		st = answer_batch(n, session, &j, a);
		break;
	default:
		/* A number or a string alone is JSON, but no request. */
		st = json_skip(&j, NULL) && json_end(&j) ? answer_error(n, a, CODE_REQUEST, "not a request") :
							   answer_error(n, a, CODE_PARSE, "not JSON");
		break;
	}
	return st == ST_OK ? answer_end(a) : st;
}

enum status node_note(struct node *n, uint64_t sub, const struct buf *header, struct answer *a)
{
	char hex[19];
	enum status st;

	answer_init(a, n->store);
	st = buf_adds(&a->text, "{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",");
	if (st == ST_OK)
		st = buf_addf(&a->text, "\"params\":{\"subscription\":\"%s\",\"result\":", hex_print_u64(hex, sub));
	if (st == ST_OK)
		st = buf_add(&a->text, header->p, header->len);
	if (st == ST_OK)
		st = buf_adds(&a->text, "}}");
	return st == ST_OK ? answer_end(a) : st;
}

/* ---- the head ---- */

void node_init(struct node *n, struct store *s, uint64_t chain_id_, const char *version)
{
	n->store = s;
	n->chain_id = chain_id_;
	n->version = version;
	atomic_init(&n->head, store_count(s) - 1);
	atomic_init(&n->last_sub, 0);
}

void node_rewind(struct node *n, uint64_t now)
{
	const size_t count = store_count(n->store);
	size_t i = count;

	while (i > 0 && store_time(n->store, i - 1) > now)
		i--;
	atomic_store(&n->head, i == 0 || i == count ? 0 : i - 1);
}

bool node_advance(struct node *n, struct buf *header, struct err *e)
{
	const size_t next = atomic_load(&n->head) + 1;
	struct body *b;
	enum status st;

	if (next == store_count(n->store))
		return false;
	atomic_store(&n->head, next);
	buf_clear(header);
	st = store_get(n->store, next, &b, e);
	if (st != ST_OK)
		return false;
	st = add_without_bodies(header, b, true);
	store_put(n->store, b);
	if (st != ST_OK)
		err_set(e, st, "block %llu: no header to announce", (unsigned long long)store_number(n->store, next));
	return st == ST_OK;
}
