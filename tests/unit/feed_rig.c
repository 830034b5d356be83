#include "feed_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "base/time.h"
#include "eth/rpc.h"

static void note_request(void *ctx, const struct rpc_msg *m)
{
	struct rig *r = ctx;
	struct rig_call *c = &r->sent[r->n_sent];

	assert_true(r->n_sent < RIG_SENT);
	assert_int_equal(m->kind, RPC_REQUEST);
	for (unsigned i = 0; i < r->n_sent; i++)
		assert_true(r->sent[i].id != m->id); /* ids are never used twice */
	*c = (struct rig_call){ .id = m->id };
	snprintf(c->method, sizeof(c->method), "%.*s", (int)m->method.n, m->method.p);
	snprintf(c->params, sizeof(c->params), "%.*s", (int)m->params.n, m->params.p);
	r->n_sent++;
}

static enum status on_send(void *ctx, const char *text, size_t n, uint64_t token)
{
	struct rig *r = ctx;
	struct err e;

	(void)token;
	if (r->again)
		return ST_AGAIN;
	r->n_messages++;
	r->n_batches += text[0] == '[';
	assert_int_equal(rpc_each(text, n, note_request, r, &e), ST_OK);
	return ST_OK;
}

static void on_emit(void *ctx, struct event *e, bool important)
{
	struct rig *r = ctx;

	(void)important;
	assert_true(r->n_events < RIG_EVENTS);
	r->events[r->n_events++] = *e;
}

static void on_link(void *ctx, enum link_state s, enum status cause, const char *text)
{
	struct rig *r = ctx;

	(void)cause;
	(void)text;
	r->link = s;
	r->n_links++;
}

static uint64_t on_now(void *ctx)
{
	return ((struct rig *)ctx)->now;
}

static uint64_t on_wall(void *ctx)
{
	return ((struct rig *)ctx)->wall;
}

void rig_init(struct rig *r, struct claims *c, bool push)
{
	const struct drive_opts o = { .push = push, .local = true, .claims = c };
	const struct drive_hooks h = {
		.ctx = r, .send = on_send, .emit = on_emit, .link = on_link, .now = on_now, .wall = on_wall,
	};

	memset(r, 0, sizeof(*r));
	r->now = 1000 * NS_S;
	r->wall = 1800000000 * NS_S;
	assert_int_equal(drive_init(&r->d, &o, &h), ST_OK);
}

void rig_fini(struct rig *r)
{
	for (unsigned i = 0; i < r->n_events; i++) {
		if (r->events[i].kind == EV_BLOCK)
			block_unref(r->events[i].u.block.block);
	}
	drive_fini(&r->d);
}

void rig_wait(struct rig *r, uint64_t ns)
{
	uint64_t end = r->now + ns, next;

	for (;;) {
		drive_tick(&r->d);
		next = drive_next(&r->d);
		assert_true(next > r->now); /* else the feed would spin */
		if (next > end)
			break;
		r->wall += next - r->now;
		r->now = next;
	}
	r->wall += end - r->now;
	r->now = end;
	drive_tick(&r->d);
}

static bool matches(const struct rig_call *c, const char *method, const char *part)
{
	return strcmp(c->method, method) == 0 && (!part || strstr(c->params, part));
}

unsigned rig_count(const struct rig *r, const char *method, const char *part)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_sent; i++)
		n += matches(&r->sent[i], method, part);
	return n;
}

bool rig_has_open(const struct rig *r, const char *method, const char *part)
{
	for (unsigned i = 0; i < r->n_sent; i++) {
		if (!r->sent[i].answered && matches(&r->sent[i], method, part))
			return true;
	}
	return false;
}

struct rig_call *rig_open(struct rig *r, const char *method, const char *part)
{
	for (unsigned i = r->n_sent; i-- > 0;) {
		if (!r->sent[i].answered && matches(&r->sent[i], method, part))
			return &r->sent[i];
	}
	fail_msg("no open %s %s", method, part ? part : "");
	return NULL;
}

void rig_message(struct rig *r, const char *text)
{
	struct net_meta m = { .recv_ns = r->now, .wall_ns = r->wall, .wire_bytes = strlen(text) };

	drive_in(&r->d, text, strlen(text), &m);
}

void rig_reply(struct rig *r, struct rig_call *c, const char *result)
{
	size_t size = strlen(result) + 100;
	char *text = malloc(size);

	c->answered = true;
	snprintf(text, size, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":%s}", (unsigned long long)c->id, result);
	rig_message(r, text);
	free(text);
}

void rig_error(struct rig *r, struct rig_call *c, int code, const char *message)
{
	char text[400];

	c->answered = true;
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":%d,\"message\":\"%s\"}}",
		 (unsigned long long)c->id, code, message);
	rig_message(r, text);
}

void rig_hash(struct hash *h, uint64_t number, unsigned branch)
{
	memset(h, 0xaa, sizeof(*h));
	/* All that tells two blocks apart is in the first 8 bytes: tables are keyed by them. */
	for (int i = 0; i < 4; i++)
		h->b[1 + i] = (uint8_t)(number >> (8 * i));
	h->b[5] = (uint8_t)branch;
	h->b[6] = (uint8_t)(branch >> 8);
}

const char *rig_hash_hex(uint64_t number, unsigned branch)
{
	static char text[8][70];
	static unsigned turn;
	char *t = text[turn++ % 8];
	struct hash h;

	rig_hash(&h, number, branch);
	return hex_print(t, h.b, 32);
}

const char *rig_block(uint64_t number, unsigned branch, unsigned parent_branch)
{
	static char text[4096];
	static const char zero[] = "0x0000000000000000000000000000000000000000000000000000000000000000";
	char bloom[515] = "0x";

	memset(bloom + 2, '0', 512);
	bloom[514] = 0;
	snprintf(text, sizeof(text),
		 "{\"hash\":\"%s\",\"parentHash\":\"%s\",\"sha3Uncles\":\"%s\",\"miner\":\"0x%040d\",\"stateRoot\":\"%s\","
		 "\"transactionsRoot\":\"%s\",\"receiptsRoot\":\"%s\",\"logsBloom\":\"%s\",\"difficulty\":\"0x0\","
		 "\"number\":\"0x%llx\",\"gasLimit\":\"0x1c9c380\",\"gasUsed\":\"0x0\",\"timestamp\":\"0x%llx\","
		 "\"extraData\":\"0x\",\"mixHash\":\"%s\",\"nonce\":\"0x0000000000000000\",\"baseFeePerGas\":\"0x7\","
		 "\"size\":\"0x200\",\"uncles\":[],\"transactions\":[]}",
		 rig_hash_hex(number, branch), number ? rig_hash_hex(number - 1, parent_branch) : zero, zero, 0, zero, zero,
		 zero, bloom, (unsigned long long)number, (unsigned long long)(1700000000 + number * 12), zero);
	return text;
}

void rig_head(struct rig *r, uint64_t number, unsigned branch, unsigned parent_branch)
{
	char text[5000];

	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"method\":\"eth_subscription\",\"params\":{\"subscription\":\"0x9ce\",\"result\":%s}}",
		 rig_block(number, branch, parent_branch));
	rig_message(r, text);
}

void rig_start(struct rig *r, uint64_t chain, uint64_t head)
{
	char id[24];

	drive_up(&r->d);
	snprintf(id, sizeof(id), "\"0x%llx\"", (unsigned long long)chain);
	rig_reply(r, rig_open(r, "eth_chainId", NULL), id);
	rig_reply(r, rig_open(r, "eth_getBlockByNumber", "\"0x0\""), rig_block(0, 0, 0));
	if (r->d.o.push)
		rig_reply(r, rig_open(r, "eth_subscribe", "newHeads"), "\"0x9ce\"");
	rig_reply(r, rig_open(r, "eth_getBlockByNumber", "latest"), rig_block(head, 0, 0));
}

const struct event *rig_event(const struct rig *r, enum event_kind kind, unsigned i)
{
	for (unsigned k = r->n_events; k-- > 0;) {
		if (r->events[k].kind == kind && i-- == 0)
			return &r->events[k];
	}
	return NULL;
}

unsigned rig_events(const struct rig *r, enum event_kind kind)
{
	unsigned n = 0;

	for (unsigned k = 0; k < r->n_events; k++)
		n += r->events[k].kind == kind;
	return n;
}
