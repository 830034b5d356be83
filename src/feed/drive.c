#include "feed/drive.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/time.h"
#include "eth/rpc.h"

/* Order in which waiting requests are sent. */
enum prio { PRIO_FIRST, PRIO_HEAD, PRIO_PLAIN, PRIO_FILL };

/* How often a failed request is tried again, and after what. Delays double up to `most`. */
static const struct {
	enum status code;
	unsigned tries;
	uint64_t first, most;
} retry_table[] = {
	{ ST_NULL, 9, 20 * NS_MS, 2 * NS_S }, /* a node behind a balancer announces before it has (fault 50) */
	{ ST_WRONG_BLOCK, 4, 100 * NS_MS, NS_S },
	{ ST_RATE, 6, 500 * NS_MS, 30 * NS_S },
	{ ST_TIMEOUT, 2, 100 * NS_MS, NS_S },
	{ ST_RESET, 3, 100 * NS_MS, NS_S },
	{ ST_CLOSED, 3, 100 * NS_MS, NS_S },
	{ ST_HTTP, 3, 200 * NS_MS, 2 * NS_S },
	{ ST_MALFORMED, 3, 200 * NS_MS, 2 * NS_S },
	{ ST_RPC, 2, 500 * NS_MS, NS_S },
	{ ST_REFUSED, 2, 200 * NS_MS, NS_S },
	{ ST_IO, 2, 200 * NS_MS, NS_S },
};

static const uint64_t unsupported_ns = 3600 * NS_S;

enum { PRUNED = 4444 }; /* JSON-RPC code of EIP-4444 */

static uint64_t clamp(uint64_t v, uint64_t lo, uint64_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

uint64_t drive_poll_interval(uint64_t block_ns, bool local)
{
	if (block_ns == 0)
		return local ? 500 * NS_MS : NS_S;
	return local ? clamp(block_ns / 24, 100 * NS_MS, 500 * NS_MS) : clamp(block_ns / 12, 250 * NS_MS, NS_S);
}

/* ---- waiting requests ---- */

static struct ask *ask_add(struct drive *d, const struct ask *a)
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

static bool is_body(const struct ask *a)
{
	return a->full && (a->method == M_BLOCK_BY_HASH || a->method == M_BLOCK_BY_NUMBER);
}

static void body_miss(struct drive *d, const struct ask *a, enum status code, const char *text)
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

static void ask_body(struct drive *d, const struct hash *h, uint64_t number, enum head_source source, bool sample)
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

	if (!ask_add(d, &a))
		body_miss(d, &a, ST_TOO_BIG, "too many requests wait");
}

static void ask_number(struct drive *d, uint64_t number, enum head_source source, bool full)
{
	struct ask a = {
		.method = M_BLOCK_BY_NUMBER,
		.source = (uint8_t)source,
		.prio = source == SRC_POLL ? PRIO_HEAD : PRIO_FILL,
		.full = full,
		.number = number,
	};

	if (!ask_add(d, &a) && full)
		body_miss(d, &a, ST_TOO_BIG, "too many requests wait");
}

static void ask_plain(struct drive *d, enum method m, enum prio prio)
{
	ask_add(d, &(struct ask){ .method = (uint8_t)m, .source = SRC_ASKED, .prio = (uint8_t)prio });
}

static void ask_tag(struct drive *d, enum wire_tag tag, enum head_source source, bool full, enum prio prio)
{
	ask_add(d, &(struct ask){
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
	if (is_body(a))
		d->bodies++;
	if (!c)
		return;
	c->token = token;
	c->attempt = a->attempt;
	c->deadline_ns = d->now + (is_body(a) ? d->o.body_timeout_ns : d->o.call_timeout_ns);
	/* What the text does not say but a retry needs. */
	c->number = a->number;
	c->hash = a->hash;
	c->tag = a->tag;
	c->key = a->prio;
}

static enum status send_ask(struct drive *d, const struct ask *a)
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
static void send_list(struct drive *d, const struct ask *list, unsigned n)
{
	uint64_t ids[8], token = 0;

	if (n == 0)
		return;
	if (d->batch_off || n == 1) {
		for (unsigned i = 0; i < n; i++)
			ask_add(d, &list[i]);
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

/* Facts about the node. Returns how many were added to list[5]. */
static unsigned list_infos(const struct drive *d, struct ask *list)
{
	static const enum method methods[] = { M_CLIENT, M_SYNCING, M_PEERS, M_TXPOOL, M_GAS_PRICE };
	unsigned n = 0;

	for (unsigned i = 0; i < 5; i++) {
		if (d->not_before[methods[i]] <= d->now)
			list[n++] = (struct ask){ .method = (uint8_t)methods[i], .source = SRC_ASKED, .prio = PRIO_PLAIN };
	}
	return n;
}

static unsigned list_tags(struct ask *list)
{
	for (int t = TAG_SAFE; t <= TAG_FINALIZED; t++) {
		*list++ = (struct ask){ .method = M_BLOCK_BY_NUMBER, .tag = (uint8_t)t, .source = SRC_ASKED,
					.prio = PRIO_PLAIN };
	}
	return 2;
}

/* ---- polling ---- */

static void set_polling(struct drive *d, bool on)
{
	struct event e = { .kind = EV_INFO, .mono = d->now, .wall = d->wall_now };

	d->polling = on;
	d->poll_ns = drive_poll_interval(d->block_ns, d->o.local);
	d->next_poll = on ? d->now + d->poll_ns : UINT64_MAX;
	d->next_tip = on ? d->now + (d->block_ns ? d->block_ns : NS_S) : UINT64_MAX;
	e.u.info.info = INFO_POLL_INTERVAL;
	e.u.info.a = on ? d->poll_ns : UINT64_MAX;
	d->hooks.emit(d->hooks.ctx, &e, false);
}

/* The interval follows the block time; small changes of a time that is measured change nothing. */
static void adapt_polling(struct drive *d)
{
	uint64_t want = drive_poll_interval(d->block_ns, d->o.local);

	if (d->polling && (want > d->poll_ns + d->poll_ns / 4 || want < d->poll_ns - d->poll_ns / 4))
		set_polling(d, true);
}

/* ---- heads ---- */

/*
 * Block time over the last 32 to 64 blocks: whole seconds in headers of fast chains need a long span. h is the tip, or was
 * fetched with it.
 */
static void learn_time(struct drive *d, const struct head *h)
{
	enum { SPAN = 32 };
	const struct head *tip = &d->tip;

	if (d->n_past == 0 || h->number < d->past[0].number) {
		/* Also where the numbers went back by much: another chain, or a new one. */
		if (d->n_past == 0 || d->past[0].number - h->number >= SPAN)
			d->n_past = 0;
		d->past[0].number = h->number;
		d->past[0].time_ms = h->time_ms;
		d->n_past += d->n_past == 0;
	}
	if (tip->number >= d->past[0].number + 3 && tip->time_ms >= d->past[0].time_ms)
		d->seen_ns = (tip->time_ms - d->past[0].time_ms) * NS_MS / (tip->number - d->past[0].number);
	if (!d->chain || !d->chain->block_ms)
		d->block_ns = d->seen_ns;
	adapt_polling(d);
	if (h->number < d->past[d->n_past - 1].number + SPAN)
		return;
	if (d->n_past == 2)
		d->past[0] = d->past[1];
	d->n_past = 2;
	d->past[1].number = h->number;
	d->past[1].time_ms = h->time_ms;
}

/* Asks for an unknown parent by hash. Known ones were claimed when they were heard or fetched. */
static void walk(struct drive *d, const struct head *child)
{
	if (!(child->has & H_PARENT) || child->number == 0 || d->walked >= DRIVE_WALK)
		return;
	if (!claims_take(d->o.claims, claim_hash(&child->parent)))
		return;
	d->walked++;
	ask_body(d, &child->parent, child->number - 1, SRC_WALK, false);
}

static void fill_gap(struct drive *d, const struct head *h, bool polled)
{
	uint64_t from = d->tip.number + 1, to = h->number - 1, first = from;
	uint64_t chain = wire_chain_key(&d->wire);
	struct event e = { .kind = EV_GAP, .mono = d->now, .wall = d->wall_now };
	uint32_t asked = 0;

	if (to - from >= DRIVE_GAP)
		first = to - DRIVE_GAP + 1;
	d->gap_low = first;
	d->gap_parent = d->tip.hash;
	for (uint64_t n = first; n <= to; n++) {
		if (claims_take(d->o.claims, claim_number(chain, n))) {
			ask_number(d, n, SRC_GAP, d->o.bodies != BODIES_OFF);
			asked++;
		}
	}
	/* A poll that finds several new blocks is how polling works; a gap is what a subscription or an outage left out. */
	if (polled)
		return;
	e.u.gap.from = from;
	e.u.gap.to = to;
	e.u.gap.asked = asked;
	e.u.gap.silent_ns = d->silent ? d->now - d->last_head : 0;
	d->hooks.emit(d->hooks.ctx, &e, true);
}

/* A head by push, poll or `latest`: does it follow the one before? */
static void follow(struct drive *d, const struct head *h, bool polled)
{
	if (d->has_tip && hash_eq(&d->tip.hash, &h->hash))
		return;
	d->walked = 0;
	if (d->has_tip && !hash_eq(&d->tip.hash, &h->parent)) {
		if (h->number > d->tip.number + 1)
			fill_gap(d, h, polled);
		else
			walk(d, h);
	}
	d->tip = *h;
	d->has_tip = true;
	learn_time(d, h);
}

/* The body at this height is on its way: a poll that finds the same tip meanwhile need not fetch it by hash. */
static bool number_asked(const struct drive *d, uint64_t number)
{
	for (int i = 0; i < WIRE_CALLS; i++) {
		const struct wire_call *c = &d->wire.calls[i];

		if (c->id && c->method == M_BLOCK_BY_NUMBER && c->full && c->tag == TAG_NONE && c->number == number)
			return true;
	}
	for (int i = 0; i < DRIVE_ASKS; i++) {
		const struct ask *a = &d->asks[i];

		if (a->used && a->method == M_BLOCK_BY_NUMBER && a->full && a->tag == TAG_NONE && a->number == number)
			return true;
	}
	return false;
}

/* One path fetches each body, the others every sixteenth so that "usable" stays measured. */
static void want_body(struct drive *d, const struct head *h, enum head_source source)
{
	bool sample = false, mine;
	uint64_t chain = wire_chain_key(&d->wire);

	if (d->o.bodies == BODIES_OFF)
		return;
	if (source == SRC_POLL && number_asked(d, h->number))
		return;
	if (source == SRC_PUSH || source == SRC_POLL)
		sample = ++d->heads % 16 == 0;
	mine = claims_take(d->o.claims, claim_hash(&h->hash));
	if (mine && chain)
		(void)claims_take(d->o.claims, claim_number(chain, h->number));
	if (mine || sample || d->o.bodies == BODIES_ALL)
		ask_body(d, &h->hash, h->number, SRC_PUSH, !mine);
}

static void backfill(struct drive *d)
{
	uint64_t chain = wire_chain_key(&d->wire), n = d->tip.number;

	if (d->backfilled || !d->has_tip || !chain)
		return;
	d->backfilled = true;
	for (int i = 1; i < DRIVE_BACKFILL && n > 0; i++) {
		n--;
		if (claims_take(d->o.claims, claim_number(chain, n)))
			ask_number(d, n, SRC_BACKFILL, d->o.bodies != BODIES_OFF);
	}
}

static void heard(struct drive *d)
{
	d->last_head = d->now;
	d->resubscribed = 0;
	if (!d->silent)
		return;
	d->silent = false;
	d->next_poll = UINT64_MAX;
	d->hooks.link(d->hooks.ctx, d->polling ? LINK_POLLING : LINK_LIVE, ST_OK, "");
}

static void on_push(void *ctx, const struct head *h)
{
	struct drive *d = ctx;

	d->fails = 0;
	want_body(d, h, SRC_PUSH);
	follow(d, h, false);
	heard(d);
}

/* ---- answers ---- */

static void chain_known(struct drive *d)
{
	d->chain = d->wire.chain_ok ? chain_find(d->wire.chain_id) : NULL;
	if (d->chain && d->chain->block_ms)
		d->block_ns = d->chain->block_ms * NS_MS;
	adapt_polling(d);
	backfill(d);
}

static void ask_again(struct drive *d, const struct wire_result *r, uint64_t delay, bool alone)
{
	const struct wire_call *c = r->call;
	struct ask a = {
		.method = c->method,
		.source = c->source,
		.tag = c->tag,
		.prio = c->key,
		.sample = c->sample,
		.full = c->full,
		.attempt = (uint16_t)(c->attempt + (alone ? 0 : 1)),
		.number = c->number,
		.hash = c->hash,
		.since = c->sched_ns,
		.due = d->now + delay,
	};

	if (!ask_add(d, &a) && is_body(&a))
		body_miss(d, &a, r->code, r->text);
}

static bool retry(struct drive *d, const struct wire_result *r)
{
	const struct wire_call *c = r->call;
	uint64_t delay;

	/* An old block that is not there has been pruned, and will not come (fault 57). */
	if (r->code == ST_NULL && c->tag == TAG_NONE && d->has_tip && (r->detail == PRUNED || c->number + 8 < d->tip.number))
		return false;
	for (unsigned i = 0; i < sizeof(retry_table) / sizeof(retry_table[0]); i++) {
		if (retry_table[i].code != r->code)
			continue;
		if (c->attempt >= retry_table[i].tries)
			return false;
		delay = retry_table[i].first << (c->attempt < 16 ? c->attempt : 16);
		delay = clamp(delay, 0, retry_table[i].most);
		if (r->wait_ns > delay)
			delay = clamp(r->wait_ns, 0, 300 * NS_S);
		ask_again(d, r, delay, false);
		return true;
	}
	return false;
}

static bool is_info(enum method m)
{
	return m == M_CLIENT || m == M_SYNCING || m == M_PEERS || m == M_TXPOOL || m == M_GAS_PRICE;
}

/* The connection itself is to blame, not the request. */
static bool is_link_fault(enum status s)
{
	switch (s) {
	case ST_DNS: case ST_REFUSED: case ST_UNREACH: case ST_RESET: case ST_CLOSED: case ST_TLS: case ST_PROXY:
	case ST_TIMEOUT: case ST_AUTH: case ST_HTTP: case ST_IO:
		return true;
	default:
		return false;
	}
}

static void count_fault(struct drive *d, const struct err *e, enum status code, const char *text)
{
	if (!is_link_fault(code) && !(code == ST_MALFORMED && !d->answered))
		return;
	d->fails++;
	if (d->want_down || (d->answered && d->fails < 3))
		return;
	d->want_down = true;
	if (e) {
		d->down_why = *e;
	} else {
		err_set(&d->down_why, code, "%s", text && text[0] ? text : status_word(code));
		if (code == ST_TIMEOUT)
			err_cure(&d->down_why, "connected, but requests are not answered: is this a JSON-RPC port?");
	}
}

static void on_failed(struct drive *d, const struct wire_result *r)
{
	const struct wire_call *c = r->call;

	if (c->method == M_BLOCK_NUMBER)
		d->poll_open = false;
	if (c->tag == TAG_LATEST && c->source == SRC_POLL)
		d->tip_open = false;
	/* Some nodes answer a batch with one error, some leave items out, some never answer it. */
	if (r->missing || (c->batch && r->code == ST_TIMEOUT)) {
		d->batch_off = true;
		ask_again(d, r, 0, true);
		return;
	}
	count_fault(d, d->last_fail.code == r->code ? &d->last_fail : NULL, r->code, r->text);
	if (is_info((enum method)c->method)) {
		/* Not worth a retry, but where the node says so: the next round asks, what does not exist after an hour. */
		if (r->code == ST_RATE && retry(d, r))
			return;
		/* It may have failed because of the batch. */
		if (c->batch && (r->code == ST_RPC || r->code == ST_TOO_BIG)) {
			ask_again(d, r, 0, true);
			return;
		}
		if (r->code == ST_UNSUPPORTED || r->code == ST_RPC || r->code == ST_AUTH)
			d->not_before[c->method] = d->now + unsupported_ns;
		return;
	}
	if (c->method == M_SUBSCRIBE && (r->code == ST_UNSUPPORTED || r->code == ST_RPC)) {
		set_polling(d, true);
		d->hooks.link(d->hooks.ctx, LINK_POLLING, r->code, "no subscriptions here: polling");
		return;
	}
	if (c->method == M_BLOCK_NUMBER || c->tag == TAG_SAFE || c->tag == TAG_FINALIZED ||
	    (c->tag == TAG_LATEST && c->source == SRC_POLL) || c->method == M_UNSUBSCRIBE)
		return; /* periodic: the next one comes by itself */
	if (retry(d, r))
		return;
	if (c->full) {
		struct ask a = { .method = c->method, .source = c->source, .tag = c->tag, .full = true,
				 .number = c->number, .hash = c->hash };

		body_miss(d, &a, r->code, r->text);
	}
}

/* A block came that was asked for, with or without its body. */
static void on_block(struct drive *d, const struct wire_result *r)
{
	const struct wire_call *c = r->call;
	const struct head *h = r->head;
	uint64_t chain = wire_chain_key(&d->wire);

	if (c->tag == TAG_GENESIS || c->tag == TAG_SAFE || c->tag == TAG_FINALIZED)
		return;
	if (c->source == SRC_BACKFILL)
		learn_time(d, h);
	if (r->body) {
		(void)claims_take(d->o.claims, claim_hash(&h->hash));
		if (chain)
			(void)claims_take(d->o.claims, claim_number(chain, h->number));
	}
	if (c->tag == TAG_LATEST || c->source == SRC_POLL) {
		/* Behind a balancer the tip may go back: what was followed stays followed (fault 51). */
		if (!d->has_tip || h->number >= d->tip.number || c->source == SRC_POLL) {
			if (!r->body)
				want_body(d, h, (enum head_source)c->source);
			follow(d, h, c->source == SRC_POLL && !d->silent);
		}
		if (c->source == SRC_POLL)
			d->tip_open = c->tag == TAG_LATEST ? false : d->tip_open;
		backfill(d);
	} else if (c->source == SRC_WALK) {
		walk(d, h);
	} else if (c->source == SRC_GAP && h->number == d->gap_low && !hash_eq(&h->parent, &d->gap_parent)) {
		walk(d, h);
	}
}

static void on_number(struct drive *d, uint64_t n)
{
	bool full;

	d->poll_open = false;
	if (d->has_tip && n == d->tip.number)
		return;
	/*
	 * Where other paths push, they know the hash first and fetch the body by it; a body asked for by number here
	 * could be the same one a second time. Alone, the body comes without a round trip for the hash.
	 */
	full = d->o.bodies == BODIES_ALL;
	if (d->o.bodies == BODIES_AUTO && !d->o.others_push)
		full = claims_take(d->o.claims, claim_number(wire_chain_key(&d->wire), n));
	ask_number(d, n, SRC_POLL, full);
}

static void on_result(void *ctx, const struct wire_result *r)
{
	struct drive *d = ctx;

	if (r->code != ST_OK) {
		on_failed(d, r);
		return;
	}
	d->fails = 0;
	if (!d->answered) {
		d->answered = d->ever_answered = true;
		d->next_info = d->next_tags = d->now + 20 * NS_MS;
		d->hooks.link(d->hooks.ctx, d->polling ? LINK_POLLING : LINK_LIVE, ST_OK, "");
	}
	switch ((enum method)r->call->method) {
	case M_CHAIN_ID:
		chain_known(d);
		break;
	case M_BLOCK_NUMBER:
		on_number(d, r->value);
		break;
	case M_BLOCK_BY_HASH:
	case M_BLOCK_BY_NUMBER:
		if (r->head)
			on_block(d, r);
		if (r->call->tag == TAG_GENESIS)
			chain_known(d);
		break;
	default:
		break;
	}
}

static bool on_verify(void *ctx, const struct hash *h)
{
	struct drive *d = ctx;

	return claims_take(d->o.claims, claim_verify(h));
}

static void on_emit(void *ctx, struct event *e, bool important)
{
	struct drive *d = ctx;

	d->hooks.emit(d->hooks.ctx, e, important);
}

static uint64_t on_now(void *ctx)
{
	struct drive *d = ctx;

	return d->hooks.now(d->hooks.ctx);
}

/* ---- life ---- */

enum status drive_init(struct drive *d, const struct drive_opts *o, const struct drive_hooks *h)
{
	struct wire_hooks w = { .ctx = d, .tap = h->tap, .emit = on_emit, .now = on_now, .result = on_result, .head = on_push,
				.verify = on_verify };

	*d = (struct drive){ .o = *o, .hooks = *h };
	if (!d->o.call_timeout_ns)
		d->o.call_timeout_ns = 10 * NS_S;
	if (!d->o.body_timeout_ns)
		d->o.body_timeout_ns = 30 * NS_S;
	d->next_poll = d->next_tip = d->next_info = d->next_tags = d->next_watch = UINT64_MAX;
	buf_init(&d->out, 64 << 10);
	return wire_init(&d->wire, &w);
}

void drive_fini(struct drive *d)
{
	wire_fini(&d->wire);
	buf_fini(&d->out);
}

static void clock_tick(struct drive *d)
{
	d->now = d->hooks.now(d->hooks.ctx);
	d->wall_now = d->hooks.wall(d->hooks.ctx);
}

static bool subscribing(const struct drive *d)
{
	for (int i = 0; i < WIRE_CALLS; i++) {
		if (d->wire.calls[i].id && d->wire.calls[i].method == M_SUBSCRIBE)
			return true;
	}
	return false;
}

static void subscribe(struct drive *d)
{
	/* A node that is slow to answer would end up with two subscriptions. */
	if (subscribing(d))
		return;
	if (d->wire.sub[0]) {
		ask_plain(d, M_UNSUBSCRIBE, PRIO_FIRST);
		/* Written at once, while the old id still stands. */
		drive_tick(d);
		d->wire.sub[0] = 0;
	}
	ask_plain(d, M_SUBSCRIBE, PRIO_FIRST);
}

void drive_up(struct drive *d)
{
	clock_tick(d);
	wire_connected(&d->wire);
	d->up = true;
	d->answered = d->silent = d->want_down = false;
	d->fails = d->resubscribed = d->info_rounds = 0;
	d->last_head = d->now;
	d->poll_open = d->tip_open = false;
	ask_plain(d, M_CHAIN_ID, PRIO_FIRST);
	ask_tag(d, TAG_GENESIS, SRC_ASKED, false, PRIO_FIRST);
	/* Its hash first: a body asked for by tag could be one that another path is fetching by its hash. */
	ask_tag(d, TAG_LATEST, d->ever ? SRC_GAP : SRC_BACKFILL, false, PRIO_FIRST);
	if (d->o.push)
		subscribe(d);
	set_polling(d, !d->o.push);
	d->ever = true;
	d->next_info = d->next_tags = UINT64_MAX; /* with the first answer */
	d->next_watch = d->o.push ? d->now + NS_S : UINT64_MAX;
	drive_tick(d);
}

void drive_down(struct drive *d, const struct err *e)
{
	clock_tick(d);
	d->up = false;
	for (int i = 0; i < WIRE_CALLS; i++) {
		const struct wire_call *c = &d->wire.calls[i];
		struct ask a = { .method = c->method, .source = c->source, .tag = c->tag, .full = c->full,
				 .number = c->number, .hash = c->hash };

		if (c->id && c->full)
			body_miss(d, &a, e->code, e->text);
	}
	for (int i = 0; i < DRIVE_ASKS; i++) {
		if (d->asks[i].used && is_body(&d->asks[i]))
			body_miss(d, &d->asks[i], e->code, e->text);
		d->asks[i].used = false;
	}
	wire_connected(&d->wire);
	d->next_poll = d->next_tip = d->next_info = d->next_tags = d->next_watch = UINT64_MAX;
	d->want_down = false;
}

void drive_in(struct drive *d, const char *text, size_t n, const struct net_meta *m)
{
	clock_tick(d);
	wire_in(&d->wire, text, n, m);
	/* What the message led to goes out at once: the body of a head must not wait for the next turn. */
	drive_tick(d);
}

void drive_failed(struct drive *d, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t body_n)
{
	struct net_meta m = { .token = 0 }; /* what it leaves open fails for the reason in *e */

	clock_tick(d);
	m.recv_ns = d->now;
	m.wall_ns = d->wall_now;
	/* A JSON-RPC error in the body of a 4xx or 5xx says more than the status (fault 25). */
	if (body_n > 0 && (body[0] == '{' || body[0] == '['))
		wire_in(&d->wire, body, body_n, &m);
	d->last_fail = *e;
	for (int i = 0; i < WIRE_CALLS; i++) {
		if (d->wire.calls[i].id && d->wire.calls[i].token == token)
			wire_fail(&d->wire, &d->wire.calls[i], d->now, d->wall_now, e, retry_ns);
	}
	d->last_fail.code = ST_OK;
}

static void resubscribe(struct drive *d, const char *why)
{
	log_msg(LOG_INFO, "%s: subscribing again", why);
	d->resubscribed++;
	subscribe(d);
	ask_tag(d, TAG_LATEST, SRC_POLL, false, PRIO_HEAD);
}

void drive_cmd(struct drive *d, const struct cmd *c)
{
	clock_tick(d);
	switch ((enum cmd_kind)c->kind) {
	case CMD_BODY:
		if (!d->up)
			break;
		if (hash_is_zero(&c->hash))
			ask_number(d, c->number, SRC_ASKED, d->o.bodies != BODIES_OFF);
		else
			ask_body(d, &c->hash, c->number, SRC_ASKED, false);
		break;
	case CMD_RESUBSCRIBE:
		if (d->up && d->o.push && !d->polling)
			resubscribe(d, "others heard new blocks");
		break;
	case CMD_RESYNC:
		/* Everything that events have told before is told again; heads that were lost are found as a gap. */
		if (d->up) {
			ask_plain(d, M_CHAIN_ID, PRIO_FIRST);
			ask_tag(d, TAG_LATEST, SRC_GAP, false, PRIO_HEAD);
			d->next_info = d->next_tags = d->now;
			d->hooks.link(d->hooks.ctx, d->polling ? LINK_POLLING : LINK_LIVE, ST_OK, "");
			set_polling(d, d->polling);
		}
		break;
	case CMD_RETRY:
		memset(d->not_before, 0, sizeof(d->not_before));
		if (d->up)
			d->next_info = d->next_tags = d->now;
		break;
	case CMD_QUIT:
		break;
	}
	if (d->up)
		drive_tick(d);
}

/* ---- time ---- */

static uint64_t silent_limit(const struct drive *d)
{
	if (d->chain && d->chain->kind == CHAIN_DEV)
		return UINT64_MAX; /* a dev chain mines when somebody sends: silence says nothing */
	if (!d->block_ns)
		return 60 * NS_S;
	return clamp(4 * d->block_ns, 5 * NS_S, 120 * NS_S);
}

/* The subscription may be dead though the connection lives (fault 10): ask again, poll meanwhile, then connect anew. */
static void watch(struct drive *d)
{
	uint64_t limit = silent_limit(d), quiet = d->now - d->last_head;
	char text[80];

	d->next_watch = d->now + NS_S;
	if (d->polling || limit == UINT64_MAX || quiet < limit * (d->resubscribed + 1))
		return;
	if (d->resubscribed >= 3) {
		d->want_down = true;
		err_set(&d->down_why, ST_SILENT, "open but no head for %u s", (unsigned)(quiet / NS_S));
		return;
	}
	snprintf(text, sizeof(text), "no head for %u s", (unsigned)(quiet / NS_S));
	d->silent = true;
	d->hooks.link(d->hooks.ctx, LINK_SILENT, ST_SILENT, text);
	resubscribe(d, text);
	d->next_poll = d->now + NS_S;
	d->poll_ns = 2 * NS_S;
}

static uint64_t info_period(const struct drive *d)
{
	return d->o.local ? 15 * NS_S : 60 * NS_S;
}

/* A node behind HTTP may become another one without a word; where there is a connection, it ends (fault 60). */
static void ask_chain_again(struct drive *d)
{
	if (d->o.push || d->info_rounds++ == 0)
		return;
	wire_ask_chain(&d->wire);
	ask_plain(d, M_CHAIN_ID, PRIO_PLAIN);
	ask_tag(d, TAG_GENESIS, SRC_ASKED, false, PRIO_PLAIN);
}

static uint64_t tag_period(const struct drive *d)
{
	/* Distances to the head must not be wrong by more than a few blocks, whatever the chain's pace. */
	uint64_t t = d->seen_ns ? d->seen_ns : d->block_ns;

	return t ? clamp(5 * t, 5 * NS_S, 60 * NS_S) : 15 * NS_S;
}

static void periodic(struct drive *d)
{
	if (d->next_poll <= d->now) {
		if (!d->poll_open) {
			struct ask a = { .method = M_BLOCK_NUMBER, .source = SRC_POLL, .prio = PRIO_HEAD,
					 .since = d->next_poll - 1, .due = d->next_poll };

			d->poll_open = ask_add(d, &a) != NULL;
		}
		/* Keeps its schedule; what was missed while asleep is not made up for. */
		d->next_poll += d->poll_ns;
		if (d->next_poll <= d->now)
			d->next_poll = d->now + d->poll_ns;
	}
	if (d->next_tip <= d->now) {
		if (!d->tip_open) {
			ask_tag(d, TAG_LATEST, SRC_POLL, false, PRIO_PLAIN);
			d->tip_open = true;
		}
		d->next_tip = d->now + (d->block_ns > NS_S ? d->block_ns : NS_S);
	}
	/* The pace may have turned out faster than the table says. */
	if (d->next_tags != UINT64_MAX && d->next_tags > d->now + tag_period(d))
		d->next_tags = d->now + tag_period(d);
	if (d->next_info <= d->now || d->next_tags <= d->now) {
		struct ask list[7];
		unsigned n = 0;

		if (d->next_info <= d->now) {
			d->next_info = d->now + info_period(d);
			n = list_infos(d, list);
			ask_chain_again(d);
		}
		if (d->next_tags <= d->now) {
			uint64_t chain = wire_chain_key(&d->wire), p = tag_period(d);

			/* One path of a chain asks in each period. */
			d->next_tags = d->now + p;
			if (chain && claims_take(d->o.claims, claim_period(chain, d->now / p)))
				n += list_tags(list + n);
		}
		send_list(d, list, n);
	}
	if (d->next_watch <= d->now)
		watch(d);
}

static struct ask *next_ask(struct drive *d)
{
	struct ask *best = NULL;

	for (int i = 0; i < DRIVE_ASKS; i++) {
		struct ask *a = &d->asks[i];

		if (!a->used || a->due > d->now)
			continue;
		if (!best || a->prio < best->prio || (a->prio == best->prio && a->number > best->number))
			best = a;
	}
	return best;
}

static void expire(struct drive *d)
{
	struct err e;

	for (int i = 0; i < WIRE_CALLS; i++) {
		struct wire_call *c = &d->wire.calls[i];

		if (c->id && c->deadline_ns <= d->now) {
			err_set(&e, ST_TIMEOUT, "no answer to %s in %u s", method_name((enum method)c->method),
				(unsigned)((d->now - c->sched_ns) / NS_S));
			wire_fail(&d->wire, c, d->now, d->wall_now, &e, 0);
		}
	}
}

void drive_tick(struct drive *d)
{
	unsigned room = d->o.push ? 32 : 8, open = 0, bulk = 0;
	struct ask *a;

	clock_tick(d);
	if (!d->up)
		return;
	expire(d);
	periodic(d);
	for (int i = 0; i < WIRE_CALLS; i++) {
		open += d->wire.calls[i].id != 0;
		bulk += d->wire.calls[i].id != 0 && d->wire.calls[i].key == PRIO_FILL;
	}
	while ((a = next_ask(d)) != NULL) {
		/* Bulk leaves room for what cannot wait. */
		if (open >= room || (a->prio == PRIO_FILL && bulk >= room / 4))
			break;
		if (send_ask(d, a) != ST_OK)
			break;
		a->used = false;
		open++;
		bulk += a->prio == PRIO_FILL;
	}
}

uint64_t drive_next(const struct drive *d)
{
	uint64_t t = UINT64_MAX;
	const uint64_t times[] = { d->next_poll, d->next_tip, d->next_info, d->next_tags, d->next_watch };

	if (!d->up)
		return t;
	for (unsigned i = 0; i < 5; i++)
		t = times[i] < t ? times[i] : t;
	for (int i = 0; i < DRIVE_ASKS; i++) {
		/* What is due but found no room goes out when an answer comes. */
		if (d->asks[i].used && d->asks[i].due > d->now && d->asks[i].due < t)
			t = d->asks[i].due;
	}
	for (int i = 0; i < WIRE_CALLS; i++) {
		if (d->wire.calls[i].id && d->wire.calls[i].deadline_ns < t)
			t = d->wire.calls[i].deadline_ns;
	}
	return t;
}

bool drive_wants_down(const struct drive *d, struct err *e)
{
	if (d->want_down)
		*e = d->down_why;
	return d->want_down;
}
