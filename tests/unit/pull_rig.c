#include "pull_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/time.h"
#include "eth/verify.h"

enum { WAITING_MAX = 64 };

/* ---- the chain ---- */

#define ZEROS8 "00000000"
#define ZEROS32 ZEROS8 ZEROS8 ZEROS8 ZEROS8
#define ZEROS64 ZEROS32 ZEROS32

/* keccak256(rlp([])) and keccak256(rlp("")): roots of empty lists, so that the blocks verify. */
#define NO_UNCLES "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
#define EMPTY_ROOT "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

static char *block_text(const struct rig *r, uint64_t n, const char *parent, const char *hash)
{
	/* The padding is extra data: any length is allowed there. */
	size_t less = r->padding && !r->even ? n * 7919 % (r->padding / 2 + 1) : 0, digits = (r->padding - less) & ~(size_t)1;
	size_t size = digits + 2500;
	char *p = malloc(size), *at = p;

	assert_non_null(p);
	at += snprintf(at, size,
		"{\"hash\":\"%s\",\"parentHash\":\"%s\",\"sha3Uncles\":\"" NO_UNCLES "\",\"miner\":\"0x" ZEROS32 ZEROS8
		"\",\"stateRoot\":\"0x" ZEROS64 "\",\"transactionsRoot\":\"" EMPTY_ROOT "\",\"receiptsRoot\":\"" EMPTY_ROOT
		"\",\"logsBloom\":\"0x" ZEROS64 ZEROS64 ZEROS64 ZEROS64 ZEROS64 ZEROS64 ZEROS64 ZEROS64
		"\",\"difficulty\":\"0x1\",\"number\":\"0x%" PRIx64 "\",\"gasLimit\":\"0x1c9c380\",\"gasUsed\":\"0x%" PRIx64
		"\",\"timestamp\":\"0x%" PRIx64 "\",\"mixHash\":\"0x" ZEROS64 "\",\"nonce\":\"0x0000000000000000\","
		"\"uncles\":[],\"transactions\":[],\"extraData\":\"0x",
		hash, parent, n, n % 1000, 1700000000 + n);
	memset(at, '5', digits);
	at += digits;
	snprintf(at, 3, "\"}");
	return p;
}

static void make_chain(struct rig *r)
{
	struct blockdec *d = blockdec_new();
	char parent[67] = "0x" ZEROS64, hash[67];

	r->blocks = calloc(r->head + 1, sizeof(*r->blocks));
	assert_non_null(r->blocks);
	for (uint64_t n = 0; n <= r->head; n++) {
		char *text;
		const struct block *b;
		struct hash h;

		if (n && n == r->broken_link)
			snprintf(parent, sizeof(parent), "0x%064d", 7);
		text = block_text(r, n, parent, "0x" ZEROS64);
		assert_int_equal(block_decode(d, text, strlen(text), true, &b, NULL), ST_OK);
		assert_int_equal(header_hash(&b->h, block_at(b, b->h.extra), &h), ST_OK);
		hex_print(hash, h.b, sizeof(h.b));
		free(text);
		r->blocks[n] = block_text(r, n, parent, hash);
		memcpy(parent, hash, sizeof(parent));
	}
	blockdec_free(d);
}

/* ---- answers ---- */

struct call {
	uint64_t id, number;
	bool block;
};

/* What a pull writes is plain: {"jsonrpc":"2.0","id":N,"method":…}. */
static void read_call(struct rig *r, const char *text, struct call *c)
{
	const char *id = strstr(text, "\"id\":"), *params = strstr(text, "[\"0x");

	*c = (struct call){ .id = id ? strtoull(id + 5, NULL, 10) : 0 };
	c->block = strstr(text, "eth_getBlockByNumber") != NULL;
	if (!c->block)
		c->number = strstr(text, "eth_chainId") ? 1 : r->head;
	else if (params)
		c->number = strtoull(params + 2, NULL, 16);
	if (!c->block)
		return;
	atomic_fetch_add(&r->requests, 1);
	pthread_mutex_lock(&r->lock);
	if (c->number > r->highest)
		r->highest = c->number;
	if (++r->in_flight > r->in_flight_max)
		r->in_flight_max = r->in_flight;
	pthread_mutex_unlock(&r->lock);
}

static void answered(struct rig *r, const struct call *c)
{
	if (!c->block)
		return;
	pthread_mutex_lock(&r->lock);
	r->in_flight--;
	pthread_mutex_unlock(&r->lock);
}

static enum rig_fault fault_of(struct rig *r, const struct call *c)
{
	if (!c->block || r->fault == FAULT_NONE)
		return FAULT_NONE;
	if (r->fault == FAULT_ODD_ORDER)
		return FAULT_ODD_ORDER;
	if (c->number != r->fault_at || atomic_fetch_add(&r->faults_done, 1) >= r->faults)
		return FAULT_NONE;
	return r->fault;
}

static char *format(const char *fmt, uint64_t id, const char *text)
{
	size_t n = strlen(text) + 200;
	char *p = malloc(n);

	assert_non_null(p);
	snprintf(p, n, fmt, id, text);
	return p;
}

/* The message to send; NULL: none. */
static char *reply_text(struct rig *r, const struct call *c, enum rig_fault f)
{
	static const char plain[] = "{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64 ",\"result\":%s}";
	static const char odd[] = "{\"id\":%" PRIu64 ",\"result\":%s,\"jsonrpc\":\"2.0\"}";
	static const char error[] = "{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64 ",\"error\":%s}";
	char small[100], *text = NULL, *out;

	if (!c->block) {
		snprintf(small, sizeof(small), "\"0x%" PRIx64 "\"", c->number);
		return format(plain, c->id, small);
	}
	switch (f) {
	case FAULT_NULL: return format(plain, c->id, "null");
	case FAULT_OTHER: return format(plain, c->id, r->blocks[c->number ? c->number - 1 : 1]);
	case FAULT_TEXT: return format(plain, c->id, "{\"a\":[1,2]}");
	case FAULT_CUT:
		text = strdup(r->blocks[c->number]);
		text[strlen(text) / 2] = '}';
		text[strlen(text) / 2 + 1] = 0;
		break;
	case FAULT_ERROR: return format(error, c->id, "{\"code\":-32000,\"message\":\"oh\\u001b[2J no\"}");
	case FAULT_RATE: return format(error, c->id, "{\"code\":-32005,\"message\":\"too many requests, try again in 30ms\"}");
	case FAULT_NO_METHOD: return format(error, c->id, "{\"code\":-32601,\"message\":\"method not found\"}");
	case FAULT_ID_NULL:
		return strdup(
			"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32005,\"message\":\"rate limit\"}}");
	case FAULT_SILENT: return NULL;
	case FAULT_ODD_ORDER: return format(odd, c->id, r->blocks[c->number]);
	case FAULT_WRONG_HASH:
		text = strdup(r->blocks[c->number]);
		/* a digit of gasLimit */
		*(strstr(text, "0x1c9c380") + 2) = '2';
		break;
	case FAULT_HASHES:
		text = strdup(r->blocks[c->number]);
		memcpy(strstr(text, "\"uncles\":[],\"transactions\":[]"), "\"transactions\":[\"0x00\"],\"a\":1", 29);
		break;
	case FAULT_RESET:
	case FAULT_NONE: return format(plain, c->id, r->blocks[c->number]);
	}
	out = format(plain, c->id, text);
	free(text);
	return out;
}

static void wait_if_slow(struct conn *c, struct rig *r, const struct call *call)
{
	while (call->block && call->number == r->slow_block && !r->release && !conn_stopped(c))
		poll(NULL, 0, 2);
}

/* ---- transports ---- */

static void http_script(struct conn *c, void *arg)
{
	struct rig *r = arg;
	struct call call;

	while (c->fd >= 0 && get_http(c)) {
		enum rig_fault f;
		char *text, head[100];

		read_call(r, strstr(c->in, "\r\n\r\n") + 4, &call);
		f = fault_of(r, &call);
		text = reply_text(r, &call, f);
		wait_if_slow(c, r, &call);
		answered(r, &call);
		if (!text) {
			hold(c);
			return;
		}
		if (f == FAULT_RATE) {
			http_put(c, "429 Too Many Requests", "Retry-After: 0\r\n", text);
		} else if (f == FAULT_RESET) {
			snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", strlen(text));
			puts_(c, head);
			put(c, text, strlen(text) / 2);
			reset(c);
		} else {
			http_put(c, "200 OK", "Content-Type: application/json\r\n", text);
		}
		free(text);
	}
}

static bool duplex_get(struct conn *c, bool ws)
{
	if (ws)
		return ws_get(c) == 1;
	for (c->in_n = 0; c->in_n + 1 < sizeof(c->in); c->in_n++) {
		if (!get(c, c->in + c->in_n, 1))
			return false;
		if (c->in[c->in_n] == '\n') {
			c->in[c->in_n] = 0;
			return true;
		}
	}
	return false;
}

static void duplex_put(struct conn *c, bool ws, const char *text, enum rig_fault f)
{
	size_t n = strlen(text);

	if (f == FAULT_RESET) {
		/* a frame of n bytes, half of which come */
		if (ws) {
			uint8_t head[10] = { 0x81, 127 };

			for (int i = 0; i < 8; i++)
				head[2 + i] = (uint8_t)((uint64_t)n >> 8 * (7 - i));
			put(c, head, sizeof(head));
		}
		put(c, text, n / 2);
		reset(c);
	} else if (ws) {
		ws_put(c, 0x81, text, n);
	} else {
		put(c, text, n);
	}
}

/* Collects `batch` requests, as far as they come without a wait, and answers the last one first. */
static void duplex_script(struct conn *c, void *arg)
{
	struct rig *r = arg;
	bool ws = r->scheme == URL_WS;
	struct call calls[WAITING_MAX];
	unsigned n = 0;

	if (ws) {
		if (!get_http(c))
			return;
		if (!strstr(c->in, "Sec-WebSocket-Key")) {
			http_put(c, "400 Bad Request", "", "no upgrade");
			return;
		}
		ws_welcome(c, "");
	}
	while (c->fd >= 0) {
		struct pollfd f = { .fd = c->fd, .events = POLLIN };

		if (n == 0 || (n < (r->batch ? r->batch : 1) && poll(&f, 1, 20) > 0)) {
			if (!duplex_get(c, ws))
				return;
			read_call(r, c->in, &calls[n++]);
			continue;
		}
		while (n > 0 && c->fd >= 0) {
			struct call *call = &calls[--n];
			enum rig_fault fault = fault_of(r, call);
			char *text = reply_text(r, call, fault);

			wait_if_slow(c, r, call);
			answered(r, call);
			if (text)
				duplex_put(c, ws, text, fault);
			free(text);
		}
		for (; n > 0; n--)
			answered(r, &calls[n - 1]);
	}
}

/* ---- life ---- */

void rig_init(struct rig *r, enum url_scheme scheme)
{
	memset(r, 0, sizeof(*r));
	r->scheme = scheme;
	r->head = 200;
	r->padding = 3000;
	r->slow_block = UINT64_MAX;
	r->fault_at = UINT64_MAX;
	pthread_mutex_init(&r->lock, NULL);
}

void rig_start(struct rig *r)
{
	struct peer_how how = { .script = r->scheme == URL_HTTP ? http_script : duplex_script, .arg = r };
	char word[100];
	struct err e;

	make_chain(r);
	if (r->scheme == URL_IPC) {
		snprintf(r->path, sizeof(r->path), "/tmp/chaintop-pull-%ld.ipc", (long)getpid());
		unlink(r->path);
		how.unix_path = r->path;
	}
	r->peer = peer_start(&how);
	if (r->scheme == URL_IPC)
		snprintf(word, sizeof(word), "%s", r->path);
	else
		snprintf(word, sizeof(word), "%s://127.0.0.1:%u", r->scheme == URL_HTTP ? "http" : "ws", peer_port(r->peer));
	if (url_parse(&r->url, word, &e) != ST_OK)
		fail_msg("%s: %s", word, e.text);
}

void rig_stop(struct rig *r)
{
	if (r->peer)
		peer_stop(r->peer);
	url_fini(&r->url);
	for (uint64_t n = 0; n <= r->head; n++)
		free(r->blocks[n]);
	free(r->blocks);
	if (r->path[0])
		unlink(r->path);
	pthread_mutex_destroy(&r->lock);
}

/* ---- what a pull writes ---- */

static enum status format_number(void *ctx, struct buf *out, const struct block *b)
{
	struct rig_out *o = ctx;

	atomic_fetch_add(&o->formatters, 1);
	return buf_addf(out, "%" PRIu64 "\n", b->h.number);
}

static enum status write_text(void *ctx, const char *text, size_t n, struct err *e)
{
	struct rig_out *o = ctx;
	uint64_t number = strtoull(text, NULL, 10);
	enum status st;

	/* No assert here: it is a thread of the pull. */
	if (atomic_fetch_add(&o->writers, 1) != 0)
		atomic_store(&o->overlap, true);
	if (o->each)
		o->each(o, number);
	st = number == o->fail_at ? err_set(e, ST_IO, "the disk is full") : buf_add(&o->text, text, n);
	atomic_fetch_sub(&o->writers, 1);
	return st;
}

struct pull_opts rig_opts(struct rig *r, struct rig_out *o, uint64_t from, uint64_t to, unsigned workers)
{
	buf_fini(&o->text);
	memset(o, 0, sizeof(*o));
	buf_init(&o->text, 1 << 20);
	o->fail_at = UINT64_MAX;
	return (struct pull_opts){
		.url = &r->url,
		.net = &r->net,
		.from = from,
		.to = to,
		.workers = workers,
		.hurry = 20,
		.hooks = { .ctx = o, .format = format_number, .write = write_text },
	};
}

enum status rig_pull(const struct pull_opts *o, struct pull_stats *s, struct err *e)
{
	struct pull *p = NULL;
	uint64_t end = time_mono() + 60 * NS_S;

	memset(e, 0, sizeof(*e));
	if (pull_start(&p, o, e) != ST_OK)
		fail_msg("%s", e->text);
	while (!pull_wait(p, NS_S / 10, NULL)) {
		if (time_mono() > end)
			fail_msg("no end after 60 s");
	}
	return pull_finish(p, s, e);
}

void rig_wrote(const struct rig_out *o, uint64_t from, uint64_t to)
{
	struct buf want;

	buf_init(&want, 1 << 20);
	for (uint64_t n = from; n <= to && from <= to; n++)
		assert_int_equal(buf_addf(&want, "%" PRIu64 "\n", n), ST_OK);
	assert_false(o->overlap);
	if (o->text.len != want.len || (want.len && memcmp(o->text.p, want.p, want.len) != 0))
		fail_msg("wrote:\n%s", o->text.len ? o->text.p : "nothing");
	buf_fini(&want);
}
