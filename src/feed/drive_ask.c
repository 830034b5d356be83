/* Requests that wait, and how they are written and sent; see drive.h. */
#include "feed/drive_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/time.h"
#include "eth/rpc.h"

/* ---- waiting requests ---- */

struct ask *drive_ask_add(struct drive *d, const struct ask *a)
{
	for (int i = 0; i < DRIVE_ASKS; i++) {
		if (!d->asks[i].used) {
			d->asks[i] = *a;
			d->asks[i].used = true;
			if (!d->asks[i].since)
				d->asks[i].since = d->now;
			return &d->asks[i];
		}
	}
	return NULL;
}

bool drive_ask_is_body(const struct ask *a)
{
	return a->full && (a->method == M_BLOCK_BY_HASH || a->method == M_BLOCK_BY_NUMBER);
}

void drive_body_miss(struct drive *d, const struct ask *a, enum status code, const char *text)
{
	struct event e = {
		.kind = EV_BODY_MISS,
		.mono = d->now,
		.wall = d->wall_now,
		.u.miss = { .hash = a->hash, .number = a->number, .code = (uint8_t)code, .source = a->source },
	};

	if (!hash_is_zero(&a->hash))
		claims_release(d->o.claims, claim_hash(&a->hash));
	else if (a->tag == TAG_NONE)
		claims_release(d->o.claims, claim_number(wire_chain_key(&d->wire), a->number));
	snprintf(e.u.miss.text, sizeof(e.u.miss.text), "%s", text ? text : status_word(code));
	d->hooks.emit(d->hooks.ctx, &e, false);
}

void drive_ask_whole(struct drive *d, const struct hash *h, uint64_t number)
{
	struct ask a = {
		.method = M_BLOCK_BY_HASH,
		.source = SRC_ASKED,
		.prio = PRIO_HEAD,
		.full = true,
		.number = number,
		.hash = *h,
	};

	if (!drive_ask_add(d, &a))
		drive_body_miss(d, &a, ST_TOO_BIG, "too many requests wait");
}

void drive_ask_body(struct drive *d, const struct hash *h, uint64_t number, enum head_source source, bool sample)
{
	struct ask a = {
		.method = M_BLOCK_BY_HASH,
		.source = (uint8_t)source,
		.prio = source == SRC_PUSH ? PRIO_HEAD : PRIO_FILL,
		.full = d->o.bodies != BODIES_OFF,
		.sample = sample,
		.number = number,
		.hash = *h,
	};

	if (!drive_ask_add(d, &a))
		drive_body_miss(d, &a, ST_TOO_BIG, "too many requests wait");
}

void drive_ask_number(struct drive *d, uint64_t number, enum head_source source, bool full)
{
	struct ask a = {
		.method = M_BLOCK_BY_NUMBER,
		.source = (uint8_t)source,
		.prio = source == SRC_POLL ? PRIO_HEAD : PRIO_FILL,
		.full = full,
		.number = number,
	};

	if (!drive_ask_add(d, &a) && full)
		drive_body_miss(d, &a, ST_TOO_BIG, "too many requests wait");
}

void drive_ask_plain(struct drive *d, enum method m, enum prio prio)
{
	drive_ask_add(d, &(struct ask){ .method = (uint8_t)m, .source = SRC_ASKED, .prio = (uint8_t)prio });
}

void drive_ask_tag(struct drive *d, enum wire_tag tag, enum head_source source, bool full, enum prio prio)
{
	drive_ask_add(d, &(struct ask){
		.method = M_BLOCK_BY_NUMBER,
		.source = (uint8_t)source,
		.tag = (uint8_t)tag,
		.prio = (uint8_t)prio,
		.full = full,
	});
}

/* ---- writing requests ---- */

static enum status write_ask(struct drive *d, struct buf *b, const struct ask *a, uint64_t id)
{
	static const char *const tags[] = {
		[TAG_LATEST] = "latest", [TAG_SAFE] = "safe", [TAG_FINALIZED] = "finalized", [TAG_GENESIS] = "0x0",
	};
	char params[100], hex[72];

	switch ((enum method)a->method) {
	case M_BLOCK_BY_HASH:
		snprintf(params, sizeof(params), "[\"%s\",%s]", hex_print(hex, a->hash.b, 32), a->full ? "true" : "false");
		break;
	case M_BLOCK_BY_NUMBER:
		snprintf(params, sizeof(params), "[\"%s\",%s]",
			 a->tag != TAG_NONE ? tags[a->tag] : hex_print_u64(hex, a->number), a->full ? "true" : "false");
		break;
	case M_SUBSCRIBE:
		snprintf(params, sizeof(params), "[\"newHeads\"]");
		break;
	case M_PENDING:
		return rpc_request(b, id, method_name(M_SUBSCRIBE),
				   a->number ? "[\"newPendingTransactions\",true]" : "[\"newPendingTransactions\"]");
	case M_UNSUBSCRIBE:
		snprintf(params, sizeof(params), "[\"%s\"]", d->wire.sub);
		break;
	default:
		snprintf(params, sizeof(params), "[]");
		break;
	}
	return rpc_request(b, id, method_name((enum method)a->method), params);
}

static void call_started(struct drive *d, uint64_t id, uint64_t token, const struct ask *a)
{
	struct wire_call *c = wire_find(&d->wire, id);

	d->calls++;
	if (drive_ask_is_body(a))
		d->bodies++;
	if (!c)
		return;
	c->token = token;
	c->attempt = a->attempt;
	c->deadline_ns = d->now + (drive_ask_is_body(a) ? d->o.body_timeout_ns : d->o.call_timeout_ns);
	/* What the text does not say but a retry needs. */
	c->number = a->number;
	c->hash = a->hash;
	c->tag = a->tag;
	c->key = a->prio;
}

enum status drive_send_ask(struct drive *d, const struct ask *a)
{
	uint64_t id = wire_id(++d->serial, (enum head_source)a->source, a->sample);
	enum status st;

	buf_clear(&d->out);
	st = write_ask(d, &d->out, a, id);
	if (st == ST_OK)
		st = wire_out(&d->wire, d->out.p, d->out.len, a->due > a->since ? a->due : d->now);
	if (st != ST_OK)
		return st;
	call_started(d, id, id, a);
	st = d->hooks.send(d->hooks.ctx, d->out.p, d->out.len, id);
	if (st != ST_OK) {
		struct wire_call *c = wire_find(&d->wire, id);

		if (c)
			c->id = 0;
		d->calls--;
	}
	return st;
}

/* Several requests in one message, where the node takes batches. */
void drive_send_list(struct drive *d, const struct ask *list, unsigned n)
{
	uint64_t ids[8], token = 0;

	if (n == 0)
		return;
	if (d->batch_off || n == 1) {
		for (unsigned i = 0; i < n; i++)
			drive_ask_add(d, &list[i]);
		return;
	}
	buf_clear(&d->out);
	for (unsigned i = 0; i < n; i++) {
		ids[i] = wire_id(++d->serial, SRC_ASKED, false);
		if (buf_adds(&d->out, i ? "," : "[") != ST_OK || write_ask(d, &d->out, &list[i], ids[i]) != ST_OK)
			return;
		token = ids[0];
	}
	if (buf_adds(&d->out, "]") != ST_OK || wire_out(&d->wire, d->out.p, d->out.len, d->now) != ST_OK)
		return;
	for (unsigned i = 0; i < n; i++)
		call_started(d, ids[i], token, &list[i]);
	if (d->hooks.send(d->hooks.ctx, d->out.p, d->out.len, token) == ST_OK)
		return;
	for (unsigned i = 0; i < n; i++) {
		struct wire_call *c = wire_find(&d->wire, ids[i]);

		if (c)
			c->id = 0;
	}
}

/* Facts about the node. Returns how many were added to list[6]. */
unsigned drive_list_infos(const struct drive *d, struct ask *list)
{
	static const enum method methods[] = { M_CLIENT, M_SYNCING, M_PEERS, M_TXPOOL, M_GAS_PRICE };
	unsigned n = 0;

	for (unsigned i = 0; i < 5; i++) {
		if (d->not_before[methods[i]] <= d->now)
			list[n++] = (struct ask){ .method = (uint8_t)methods[i], .source = SRC_ASKED, .prio = PRIO_PLAIN };
	}
	/* Forks are planned for weeks. */
	if (d->next_config <= d->now && d->not_before[M_CONFIG] <= d->now)
		list[n++] = (struct ask){ .method = M_CONFIG, .source = SRC_ASKED, .prio = PRIO_PLAIN };
	return n;
}

unsigned drive_list_tags(struct ask *list)
{
	for (int t = TAG_SAFE; t <= TAG_FINALIZED; t++) {
		*list++ = (struct ask){ .method = M_BLOCK_BY_NUMBER, .tag = (uint8_t)t, .source = SRC_ASKED,
					.prio = PRIO_PLAIN };
	}
	return 2;
}
