#include "feed/drive_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/time.h"
#include "feed/wire_info.h"
#include "feed/wire_pending.h"

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


enum { PRUNED = 4444 }; /* JSON-RPC code of EIP-4444 */

/* ---- answers ---- */

static void chain_known(struct drive *d)
{
	d->chain = d->wire.chain_ok ? chain_find(d->wire.chain_id) : NULL;
	if (d->chain && d->chain->block_ms)
		d->block_ns = d->chain->block_ms * NS_MS;
	drive_adapt_polling(d);
	drive_backfill(d);
	if (d->wire.chain_told)
		drive_want_pending(d);
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

	if (!drive_ask_add(d, &a) && drive_ask_is_body(&a))
		drive_body_miss(d, &a, r->code, r->text);
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
	if (c->method == M_PENDING) {
		drive_pending_failed(d, r);
		return;
	}
	/* Some nodes answer a batch with one error, some leave items out, some never answer it. */
	if (r->missing || (c->batch && r->code == ST_TIMEOUT)) {
		d->batch_off = true;
		ask_again(d, r, 0, true);
		return;
	}
	count_fault(d, d->last_fail.code == r->code ? &d->last_fail : NULL, r->code, r->text);
	/* The connection is being given up: a retry would be a second subscription on it. */
	if (d->want_down && c->method == M_SUBSCRIBE)
		return;
	if (wire_is_info((enum method)c->method)) {
		/* Not worth a retry, but where the node says so: the next round asks, what does not exist after an hour. */
		if (r->code == ST_RATE && retry(d, r))
			return;
		/* It may have failed because of the batch. */
		if (c->batch && (r->code == ST_RPC || r->code == ST_TOO_BIG)) {
			ask_again(d, r, 0, true);
			return;
		}
		if (r->code == ST_UNSUPPORTED || r->code == ST_RPC || r->code == ST_AUTH)
			d->not_before[c->method] = d->now + UNSUPPORTED_NS;
		return;
	}
	if (c->method == M_SUBSCRIBE && (r->code == ST_UNSUPPORTED || r->code == ST_RPC)) {
		drive_set_polling(d, true);
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

		drive_body_miss(d, &a, r->code, r->text);
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
		drive_learn_time(d, h);
	if (r->body) {
		(void)claims_take(d->o.claims, claim_hash(&h->hash));
		if (chain)
			(void)claims_take(d->o.claims, claim_number(chain, h->number));
	}
	if (c->tag == TAG_LATEST || c->source == SRC_POLL) {
		/* Behind a balancer the tip may go back: what was followed stays followed (fault 51). */
		if (!d->has_tip || h->number >= d->tip.number || c->source == SRC_POLL) {
			if (!r->body)
				drive_want_body(d, h, (enum head_source)c->source);
			drive_follow(d, h, c->source == SRC_POLL && !d->silent);
		}
		if (c->source == SRC_POLL)
			d->tip_open = c->tag == TAG_LATEST ? false : d->tip_open;
		drive_backfill(d);
	} else if (c->source == SRC_WALK) {
		drive_walk(d, h);
	} else if (c->source == SRC_GAP && h->number == d->gap_low && !hash_eq(&h->parent, &d->gap_parent)) {
		drive_walk(d, h);
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
	drive_ask_number(d, n, SRC_POLL, full);
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
	struct wire_hooks w = { .ctx = d,
		.tap = h->tap,
		.emit = on_emit,
		.now = on_now,
		.result = on_result,
		.head = drive_on_push,
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
		drive_ask_plain(d, M_UNSUBSCRIBE, PRIO_FIRST);
		/* Written at once, while the old id still stands. */
		drive_tick(d);
		d->wire.sub[0] = 0;
	}
	drive_ask_plain(d, M_SUBSCRIBE, PRIO_FIRST);
}

void drive_up(struct drive *d)
{
	clock_tick(d);
	wire_connected(&d->wire);
	d->up = true;
	d->answered = d->silent = d->want_down = false;
	d->fails = d->resubscribed = d->info_rounds = 0;
	d->next_config = 0; /* it may have been brought up to date */
	d->last_head = d->now;
	d->poll_open = d->tip_open = false;
	drive_ask_plain(d, M_CHAIN_ID, PRIO_FIRST);
	drive_ask_tag(d, TAG_GENESIS, SRC_ASKED, false, PRIO_FIRST);
	/* Its hash first: a body asked for by tag could be one that another path is fetching by its hash. */
	drive_ask_tag(d, TAG_LATEST, d->ever ? SRC_GAP : SRC_BACKFILL, false, PRIO_FIRST);
	if (d->o.push)
		subscribe(d);
	drive_set_polling(d, !d->o.push);
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
			drive_body_miss(d, &a, e->code, e->text);
	}
	for (int i = 0; i < DRIVE_ASKS; i++) {
		if (d->asks[i].used && drive_ask_is_body(&d->asks[i]))
			drive_body_miss(d, &d->asks[i], e->code, e->text);
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
	drive_ask_tag(d, TAG_LATEST, SRC_POLL, false, PRIO_HEAD);
}

/* The subscription may be dead though the connection lives (fault 10): ask again, poll meanwhile. */
static void fall_silent(struct drive *d)
{
	char text[80];

	snprintf(text, sizeof(text), "no head for %u s", (unsigned)((d->now - d->last_head) / NS_S));
	d->silent = true;
	d->hooks.link(d->hooks.ctx, LINK_SILENT, ST_SILENT, text);
	resubscribe(d, text);
	d->next_poll = d->now + NS_S;
	d->poll_ns = 2 * NS_S;
}

void drive_cmd(struct drive *d, const struct cmd *c)
{
	clock_tick(d);
	switch ((enum cmd_kind)c->kind) {
	case CMD_BODY:
		if (!d->up)
			break;
		if (hash_is_zero(&c->hash))
			drive_ask_number(d, c->number, SRC_ASKED, d->o.bodies != BODIES_OFF);
		else if (c->whole)
			drive_ask_whole(d, &c->hash, c->number);
		else
			drive_ask_body(d, &c->hash, c->number, SRC_ASKED, false);
		break;
	case CMD_RESUBSCRIBE:
		if (d->up && d->o.push && !d->polling)
			fall_silent(d);
		break;
	case CMD_RESYNC:
		/* Everything that events have told before is told again; heads that were lost are found as a gap. */
		if (d->up) {
			drive_ask_plain(d, M_CHAIN_ID, PRIO_FIRST);
			drive_ask_tag(d, TAG_LATEST, SRC_GAP, false, PRIO_HEAD);
			d->next_info = d->next_tags = d->now;
			d->hooks.link(d->hooks.ctx, d->polling ? LINK_POLLING : LINK_LIVE, ST_OK, "");
			drive_set_polling(d, d->polling);
		}
		break;
	case CMD_RETRY:
		memset(d->not_before, 0, sizeof(d->not_before));
		d->pending_hashes = false;
		d->next_config = 0;
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

/* Silence: ask again, more than once, then connect anew. */
static void watch(struct drive *d)
{
	uint64_t limit = silent_limit(d), quiet = d->now - d->last_head;

	d->next_watch = d->now + NS_S;
	if (d->polling || limit == UINT64_MAX || quiet < limit * (d->resubscribed + 1))
		return;
	if (d->resubscribed >= 3) {
		d->want_down = true;
		err_set(&d->down_why, ST_SILENT, "open but no head for %u s", (unsigned)(quiet / NS_S));
		return;
	}
	fall_silent(d);
}

static uint64_t info_period(const struct drive *d)
{
	return d->o.local ? 15 * NS_S : 60 * NS_S;
}

static uint64_t config_period(const struct drive *d)
{
	return d->o.local ? 600 * NS_S : 3600 * NS_S;
}

/* A node behind HTTP may become another one without a word; where there is a connection, it ends (fault 60). */
static void ask_chain_again(struct drive *d)
{
	if (d->o.push || d->info_rounds++ == 0)
		return;
	wire_ask_chain(&d->wire);
	drive_ask_plain(d, M_CHAIN_ID, PRIO_PLAIN);
	drive_ask_tag(d, TAG_GENESIS, SRC_ASKED, false, PRIO_PLAIN);
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

			d->poll_open = drive_ask_add(d, &a) != NULL;
		}
		/* Keeps its schedule; what was missed while asleep is not made up for. */
		d->next_poll += d->poll_ns;
		if (d->next_poll <= d->now)
			d->next_poll = d->now + d->poll_ns;
	}
	if (d->next_tip <= d->now) {
		if (!d->tip_open) {
			drive_ask_tag(d, TAG_LATEST, SRC_POLL, false, PRIO_PLAIN);
			d->tip_open = true;
		}
		d->next_tip = d->now + (d->block_ns > NS_S ? d->block_ns : NS_S);
	}
	/* The pace may have turned out faster than the table says. */
	if (d->next_tags != UINT64_MAX && d->next_tags > d->now + tag_period(d))
		d->next_tags = d->now + tag_period(d);
	if (d->next_info <= d->now || d->next_tags <= d->now) {
		struct ask list[8];
		unsigned n = 0;

		if (d->next_info <= d->now) {
			d->next_info = d->now + info_period(d);
			n = drive_list_infos(d, list);
			if (d->next_config <= d->now)
				d->next_config = d->now + config_period(d);
			ask_chain_again(d);
			drive_want_pending(d);
		}
		if (d->next_tags <= d->now) {
			uint64_t chain = wire_chain_key(&d->wire), p = tag_period(d);

			/* One path of a chain asks in each period. */
			d->next_tags = d->now + p;
			if (chain && claims_take(d->o.claims, claim_period(chain, d->now / p)))
				n += drive_list_tags(list + n);
		}
		drive_send_list(d, list, n);
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
	bool batch = false;
	struct ask *a;

	clock_tick(d);
	if (!d->up)
		return;
	expire(d);
	periodic(d);
	wire_pending_flush(&d->wire, d->now);
	for (int i = 0; i < WIRE_CALLS; i++) {
		/* A batch is one request, and must not keep polling from going on. */
		open += d->wire.calls[i].id != 0 && !d->wire.calls[i].batch;
		batch |= d->wire.calls[i].id != 0 && d->wire.calls[i].batch;
		bulk += d->wire.calls[i].id != 0 && d->wire.calls[i].key == PRIO_FILL;
	}
	open += batch;
	while ((a = next_ask(d)) != NULL) {
		/* Bulk leaves room for what cannot wait. */
		if (open >= room || (a->prio == PRIO_FILL && bulk >= room / 4))
			break;
		if (drive_send_ask(d, a) != ST_OK)
			break;
		a->used = false;
		open++;
		bulk += a->prio == PRIO_FILL;
	}
}

uint64_t drive_next(const struct drive *d)
{
	uint64_t t = UINT64_MAX;
	const uint64_t times[] = { d->next_poll, d->next_tip, d->next_info, d->next_tags, d->next_watch,
				   wire_pending_due(&d->wire) };

	if (!d->up)
		return t;
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
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
