#include "eth/rpc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* Copies the text of any JSON value as something that may be shown. */
static void clean_value(char *out, size_t size, struct json *j, bool hint)
{
	static const char key[] = "backoff_seconds";
	struct json_str s;

	if (json_peek(j) == JSON_STRING) {
		if (json_string(j, &s))
			json_text(out, size, &s);
		return;
	}
	if (!json_skip(j, &s))
		return;
	if (hint) {
		const char *at = memmem(s.p, s.n, key, sizeof(key) - 1);

		if (at && (size_t)(at - s.p) > size / 2) {
			s.n -= (size_t)(at - s.p);
			s.p = at;
		}
	}
	utf8_clean(out, size, s.p, s.n);
}

/* Integer of a number or string: "-32005" as well. 0 if it is none. */
static int64_t take_code(struct json *j)
{
	enum json_type t = json_peek(j);
	struct json_str s;
	bool minus;
	uint64_t v;

	if (t == JSON_NUMBER ? !json_number(j, &s) : t != JSON_STRING || !json_string(j, &s)) {
		json_skip(j, NULL);
		return 0;
	}
	minus = s.n && *s.p == '-';
	s.p += minus;
	s.n -= minus;
	if (!json_str_u64(&s, &v) || v > INT64_MAX)
		return 0;
	return minus ? -(int64_t)v : (int64_t)v;
}

static void take_id(struct json *j, struct rpc_msg *m)
{
	enum json_type t = json_peek(j);
	struct json_str s;

	if (t == JSON_NULL) {
		m->id_null = json_null(j);
		return;
	}
	if (t == JSON_NUMBER ? json_number(j, &s) : t == JSON_STRING && json_string(j, &s))
		m->has_id = json_str_u64(&s, &m->id);
	else
		json_skip(j, NULL);
}

/* The members of an error object, wherever they stand. False: the key is none of them and nothing is consumed. */
static bool take_error_member(struct json *j, const struct json_str *key, struct rpc_msg *m)
{
	if (JSON_IS(key, "code"))
		m->code = take_code(j);
	else if (JSON_IS(key, "message"))
		clean_value(m->error_text, sizeof(m->error_text), j, false);
	else if (JSON_IS(key, "data"))
		clean_value(m->error_data, sizeof(m->error_data), j, true);
	else
		return false;
	return true;
}

static void take_error(struct json *j, struct rpc_msg *m)
{
	struct json_str key;

	m->is_error = false;
	switch (json_peek(j)) {
	case JSON_NULL: /* JSON-RPC 1.0 wrote both members always */
		json_null(j);
		return;
	case JSON_OBJECT:
		json_object(j);
		while (json_key(j, &key))
			if (!take_error_member(j, &key, m))
				json_skip(j, NULL);
		break;
	case JSON_NUMBER: m->code = take_code(j); break;
	default: clean_value(m->error_text, sizeof(m->error_text), j, false);
	}
	m->is_error = true;
}

/* params of a notification; of everything else only its text is wanted. */
static void take_params(struct json *j, struct rpc_msg *m)
{
	const char *from;
	struct json_str key;

	if (json_peek(j) != JSON_OBJECT) {
		json_skip(j, &m->params);
		return;
	}
	from = j->p;
	json_object(j);
	while (json_key(j, &key)) {
		enum json_type t = json_peek(j);

		if (JSON_IS(&key, "result"))
			json_skip(j, &m->result);
		else if (JSON_IS(&key, "subscription") && t == JSON_STRING)
			json_string(j, &m->sub);
		else if (JSON_IS(&key, "subscription") && t == JSON_NUMBER)
			json_number(j, &m->sub);
		else
			json_skip(j, NULL);
	}
	m->params = (struct json_str){.p = from, .n = (size_t)(j->p - from)};
}

static bool is_subscription(const struct json_str *method)
{
	static const char tail[] = "_subscription";
	const size_t n = sizeof(tail) - 1;

	return method->n > n && memcmp(method->p + method->n - n, tail, n) == 0;
}

static enum rpc_kind classify(struct rpc_msg *m, const struct json_str *result)
{
	struct json_str note = m->result;

	m->result = (struct json_str){.n = 0};
	if (m->method.p) {
		if (m->has_id)
			return RPC_REQUEST;
		if (!is_subscription(&m->method) || !m->sub.n || !note.n)
			return RPC_STRAY;
		m->result = note;
		return RPC_NOTE;
	}
	if (m->is_error && json_is(result, "null", 4))
		return m->has_id ? RPC_REPLY : RPC_STRAY;
	m->result = *result;
	return m->has_id && m->is_error != (result->n > 0) ? RPC_REPLY : RPC_STRAY;
}

static bool take_message(struct json *j, struct rpc_msg *m)
{
	struct json_str key, result = {.n = 0};
	bool bare = false;

	*m = (struct rpc_msg){.kind = RPC_STRAY};
	if (!json_object(j))
		return false;
	while (json_key(j, &key)) {
		if (JSON_IS(&key, "id"))
			take_id(j, m);
		else if (JSON_IS(&key, "result"))
			json_skip(j, &result);
		else if (JSON_IS(&key, "error"))
			take_error(j, m);
		else if (JSON_IS(&key, "method") && json_peek(j) == JSON_STRING)
			json_string(j, &m->method);
		else if (JSON_IS(&key, "params"))
			take_params(j, m);
		else if (!result.n && !m->is_error && take_error_member(j, &key, m))
			bare = true;
		else
			json_skip(j, NULL);
	}
	/* A proxy's own complaint instead of an answer. */
	if (bare && !m->is_error && !result.n && !m->method.p)
		m->is_error = m->code != 0 || m->error_text[0];
	m->kind = classify(m, &result);
	return json_ok(j);
}

enum status rpc_each(const char *text, size_t n, void (*fn)(void *ctx, const struct rpc_msg *m),
	void *ctx, struct err *e)
{
	struct rpc_msg m;
	struct json j;

	json_init(&j, text, n);
	switch (json_peek(&j)) {
	case JSON_OBJECT:
		/* The rest is checked first: an object with something behind it is no message. */
		if (take_message(&j, &m) && json_end(&j))
			fn(ctx, &m);
		break;
	case JSON_ARRAY:
		json_array(&j);
		while (json_next(&j)) {
			if (json_peek(&j) == JSON_OBJECT) {
				if (take_message(&j, &m))
					fn(ctx, &m);
			} else if (json_skip(&j, NULL)) {
				m = (struct rpc_msg){.kind = RPC_STRAY};
				fn(ctx, &m);
			}
		}
		break;
	default:
		if (json_ok(&j))
			return err_set(e, ST_MALFORMED,
				n ? "neither an object nor an array" : "an empty message");
	}
	if (!json_end(&j))
		return json_error(&j, e);
	return ST_OK;
}

bool rpc_peek_reply(const char *text, size_t n, struct rpc_msg *m)
{
	const char *last = text + n, *p;
	struct json_str key;
	struct json j;

	*m = (struct rpc_msg){.kind = RPC_REPLY};
	json_init(&j, text, n);
	if (json_peek(&j) != JSON_OBJECT)
		return false;
	json_object(&j);
	for (;;) {
		if (!json_key(&j, &key))
			return false;
		if (JSON_IS(&key, "result"))
			break;
		if (JSON_IS(&key, "id"))
			take_id(&j, m);
		else if (JSON_IS(&key, "jsonrpc"))
			json_skip(&j, NULL);
		else
			return false;
	}
	if (!m->has_id)
		return false;
	p = j.p;
	if (json_peek(&j) != JSON_OBJECT && j.p < j.end && *j.p != '[') {
		/* Cheap to read whole. */
		if (!json_skip(&j, &m->result) || json_key(&j, &key) || !json_end(&j))
			return false;
		return true;
	}
	while (last > p && strchr(" \t\r\n", last[-1]) && last[-1])
		last--;
	if (last == p || *--last != '}')
		return false;
	while (last > p && strchr(" \t\r\n", last[-1]) && last[-1])
		last--;
	/* A container that ends as it began: then nothing stands behind it, or something very odd. */
	if (last - p < 2 || last[-1] != (*p == '{' ? '}' : ']'))
		return false;
	m->result = (struct json_str){.p = p, .n = (size_t)(last - p)};
	return true;
}

bool rpc_sub_eq(const struct json_str *a, const struct json_str *b)
{
	uint64_t x, y;

	if (a->n == b->n && memcmp(a->p, b->p, a->n) == 0)
		return true;
	return json_str_u64(a, &x) && json_str_u64(b, &y) && x == y;
}

enum status rpc_request(struct buf *b, uint64_t id, const char *method, const char *params)
{
	enum status st = buf_addf(b, "{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64 ",\"method\":\"", id);

	for (const char *p = method; *p && !st; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"' || c == '\\' || c < 0x20)
			st = buf_addf(b, "\\u%04x", c);
		else
			st = buf_add(b, p, 1);
	}
	if (!st)
		st = buf_adds(b, "\",\"params\":");
	if (!st)
		st = buf_adds(b, params ? params : "[]");
	return st ? st : buf_adds(b, "}");
}

/*
 * What error answers mean (provider.md §1.1, §2). The first row that fits counts: a code of 0 fits every code, a text of
 * NULL every message; texts are compared anywhere in the message, in any case. Text comes before code, for nodes use
 * one code for several things: -32005 is "too many requests" and "too many results", -32002 "timed out" and "unavailable".
 */
static const struct {
	int64_t code;
	const char *text;
	enum status kind;
} error_kinds[] = {
	/* Over a limit of size: asking again gives the same. */
	{0, "response too large", ST_TOO_BIG},  /* geth -32003 */
	{0, "response is too big", ST_TOO_BIG}, /* reth -32008 */
	{0, "response size exceeded", ST_TOO_BIG}, {0, "response size should not", ST_TOO_BIG},
	{0, "batch too large", ST_TOO_BIG}, /* geth -32600 */
	{0, "batch size", ST_TOO_BIG}, {0, "batch limit", ST_TOO_BIG},
	{0, "batch response was too large", ST_TOO_BIG},
	{0, "batch request is too large", ST_TOO_BIG},
	{0, "too many requests in batch", ST_TOO_BIG}, {0, "request is too big", ST_TOO_BIG},
	{0, "request too large", ST_TOO_BIG}, {0, "content length too large", ST_TOO_BIG},
	{0, "query returned more than", ST_TOO_BIG}, /* -32005 at hosted nodes */
	{0, "block range", ST_TOO_BIG},
	/* Rate limits. */
	{0, "rate limit", ST_RATE}, /* also -32016 */
	{0, "rate exceeded", ST_RATE}, {0, "rate-limit", ST_RATE}, {0, "ratelimit", ST_RATE},
	{0, "exceeded its rate", ST_RATE}, {0, "too many requests", ST_RATE},
	{0, "credits limited", ST_RATE}, {0, "request limit", ST_RATE}, /* also -32007 */
	{0, "daily request count exceeded", ST_RATE}, {0, "request count exceeded", ST_RATE},
	{0, "maximum number of concurrent requests", ST_RATE}, {0, "compute units", ST_RATE},
	{0, "exceeded its throughput", ST_RATE}, {0, "capacity limit", ST_RATE},
	{0, "capacity exceeded", ST_RATE}, {0, "throttled", ST_RATE}, {0, "try again in", ST_RATE},
	{-32012, "credits", ST_RATE},
	/* Who is asking? */
	{0, "unauthorized", ST_AUTH}, {0, "invalid api key", ST_AUTH}, {0, "api key", ST_AUTH},
	{0, "invalid project id", ST_AUTH}, {0, "project id required", ST_AUTH},
	{0, "authenticat", ST_AUTH}, {0, "access denied", ST_AUTH}, {0, "forbidden", ST_AUTH},
	{401, NULL, ST_AUTH}, {403, NULL, ST_AUTH},
	/* The node does not have it (any more, or yet). */
	{4444, NULL, ST_NULL},   /* EIP-4444: pruned history unavailable */
	{-39001, NULL, ST_NULL}, /* "unknown block": no safe or finalized one yet */
	{0, "history unavailable", ST_NULL}, {0, "history not available", ST_NULL},
	{0, "pruned", ST_NULL}, {0, "header not found", ST_NULL}, {0, "block not found", ST_NULL},
	{0, "unknown block", ST_NULL}, {0, "header for hash not found", ST_NULL},
	{0, "could not find block", ST_NULL}, {0, "cannot find block", ST_NULL},
	{0, "resource not found", ST_NULL}, {0, "missing trie node", ST_NULL},
	{0, "state not available", ST_NULL}, {0, "state is not available", ST_NULL},
	/* Methods that are not there. */
	{-32601, NULL, ST_UNSUPPORTED}, {0, "method not found", ST_UNSUPPORTED},
	{0, "does not exist/is not available", ST_UNSUPPORTED},
	{0, "unsupported method", ST_UNSUPPORTED}, {0, "method not supported", ST_UNSUPPORTED},
	{0, "notifications not supported", ST_UNSUPPORTED}, /* geth: eth_subscribe over HTTP */
	{0, "subscriptions are not", ST_UNSUPPORTED}, {0, "not supported", ST_UNSUPPORTED},
	{0, "unsupported", ST_UNSUPPORTED}, {0, "not whitelisted", ST_UNSUPPORTED},
	{0, "not allowed", ST_UNSUPPORTED}, {0, "method disabled", ST_UNSUPPORTED},
	{0, "is disabled", ST_UNSUPPORTED}, {0, "not enabled", ST_UNSUPPORTED},
	{0, "untagged enum ethrpccall", ST_UNSUPPORTED}, /* anvil over WebSocket and IPC */
	{-32004, NULL, ST_UNSUPPORTED}, /* EIP-1474 */
	/* Codes alone, where no text said otherwise. */
	{429, NULL, ST_RATE}, {-32005, NULL, ST_RATE}, {1008, NULL, ST_RATE},
	{-32055, NULL, ST_RATE}, {-32001, NULL, ST_NULL}, /* EIP-1474: resource not found */
};

/* Longest wait that a hint can ask for. */
enum { WAIT_MAX_MS = 300000 };

/* A number such as 0.5 times unit, clamped; *end goes behind it. False: no number there. */
static bool scaled(const char *s, uint64_t unit_ms, const char **end, uint64_t *out)
{
	uint64_t whole = 0, frac = 0, scale = 1;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		whole = whole > WAIT_MAX_MS ? whole : whole * 10 + (uint64_t)(*s - '0');
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++)
			if (scale < 1000000) {
				frac = frac * 10 + (uint64_t)(*s - '0');
				scale *= 10;
			}
	*end = s;
	*out = whole * unit_ms + frac * unit_ms / scale;
	if (*out > WAIT_MAX_MS)
		*out = WAIT_MAX_MS;
	return true;
}

/* "4ms", "2s", "2 seconds", "1m": a number without unit counts as seconds. */
static uint64_t duration_ms(const char *s)
{
	uint64_t unit = 1000, ms;
	const char *end;

	while (*s == ' ' || *s == ':' || *s == '"')
		s++;
	if (!scaled(s, 1, &end, &ms))
		return 0;
	while (*end == ' ')
		end++;
	if (strncasecmp(end, "ms", 2) == 0 || strncasecmp(end, "milli", 5) == 0)
		unit = 1;
	else if (*end == 'm' || *end == 'M')
		unit = 60000;
	scaled(s, unit, &end, &ms);
	return ms;
}

static uint64_t wait_hint(const char *text)
{
	static const char *const hints[] = {
		"try again in", "retry after", "retry in", "backoff_seconds"};

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		const char *at = strcasestr(text, hints[i]);

		if (at)
			return duration_ms(at + strlen(hints[i]));
	}
	return 0;
}

enum status rpc_error_kind(int64_t code, const char *message, const char *data, uint64_t *wait_ms)
{
	if (wait_ms) {
		*wait_ms = wait_hint(message);
		if (!*wait_ms)
			*wait_ms = wait_hint(data ? data : "");
	}
	for (size_t i = 0; i < sizeof(error_kinds) / sizeof(error_kinds[0]); i++) {
		if (error_kinds[i].code && error_kinds[i].code != code)
			continue;
		if (!error_kinds[i].text || strcasestr(message, error_kinds[i].text))
			return error_kinds[i].kind;
	}
	return ST_RPC;
}
