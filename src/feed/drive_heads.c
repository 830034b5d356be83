/* Polling, and what a new head leads to: its body, gaps, unknown parents; see drive.h. */
#include "feed/drive_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/time.h"
#include "eth/rpc.h"

uint64_t drive_poll_interval(uint64_t block_ns, bool local)
{
	if (block_ns == 0)
		return local ? 500 * NS_MS : NS_S;
	return local ? clamp(block_ns / 24, 100 * NS_MS, 500 * NS_MS) : clamp(block_ns / 12, 250 * NS_MS, NS_S);
}

/* ---- polling ---- */

void drive_set_polling(struct drive *d, bool on)
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
void drive_adapt_polling(struct drive *d)
{
	uint64_t want = drive_poll_interval(d->block_ns, d->o.local);

	if (d->polling && (want > d->poll_ns + d->poll_ns / 4 || want < d->poll_ns - d->poll_ns / 4))
		drive_set_polling(d, true);
}
/* ---- heads ---- */

/*
 * Block time over the last 32 to 64 blocks: whole seconds in headers of fast chains need a long span. h is the tip, or was
 * fetched with it.
 */
void drive_learn_time(struct drive *d, const struct head *h)
{
	enum { SPAN = 32 };
	const struct head *tip = &d->tip;
	uint64_t ahead;

	if (d->n_past == 0 || h->number < d->past[0].number) {
		/* Also where the numbers went back by much: another chain, or a new one. */
		if (d->n_past == 0 || d->past[0].number - h->number >= SPAN)
			d->n_past = 0;
		d->past[0].number = h->number;
		d->past[0].time_ms = h->time_ms;
		d->n_past += d->n_past == 0;
	}
	ahead = tip->number > d->past[0].number ? tip->number - d->past[0].number : 0;
	if (ahead >= 3 && tip->time_ms >= d->past[0].time_ms)
		d->seen_ns = (tip->time_ms - d->past[0].time_ms) * NS_MS / ahead;
	if (!d->chain || !d->chain->block_ms)
		d->block_ns = d->seen_ns;
	drive_adapt_polling(d);
	if (h->number < d->past[d->n_past - 1].number || h->number - d->past[d->n_past - 1].number < SPAN)
		return;
	if (d->n_past == 2)
		d->past[0] = d->past[1];
	d->n_past = 2;
	d->past[1].number = h->number;
	d->past[1].time_ms = h->time_ms;
}

/* Asks for an unknown parent by hash. Known ones were claimed when they were heard or fetched. */
void drive_walk(struct drive *d, const struct head *child)
{
	if (!(child->has & H_PARENT) || child->number == 0 || d->walked >= DRIVE_WALK)
		return;
	if (!claims_take(d->o.claims, claim_hash(&child->parent)))
		return;
	d->walked++;
	drive_ask_body(d, &child->parent, child->number - 1, SRC_WALK, false);
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
			drive_ask_number(d, n, SRC_GAP, d->o.bodies != BODIES_OFF);
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
void drive_follow(struct drive *d, const struct head *h, bool polled)
{
	if (d->has_tip && hash_eq(&d->tip.hash, &h->hash))
		return;
	d->walked = 0;
	if (d->has_tip && !hash_eq(&d->tip.hash, &h->parent)) {
		if (h->number > d->tip.number && h->number - d->tip.number > 1)
			fill_gap(d, h, polled);
		else
			drive_walk(d, h);
	}
	d->tip = *h;
	d->has_tip = true;
	drive_learn_time(d, h);
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

/*
 * One path fetches each body, the others every sixteenth so that "usable" stays measured: of heads that are new, for the time of
 * one that a poll merely finds again is ours, not the node's.
 */
void drive_want_body(struct drive *d, const struct head *h, enum head_source source)
{
	bool fresh = !d->has_tip || !hash_eq(&d->tip.hash, &h->hash), sample = false, mine;
	uint64_t chain = wire_chain_key(&d->wire);

	if (d->o.bodies == BODIES_OFF)
		return;
	if (source == SRC_POLL && number_asked(d, h->number))
		return;
	if (fresh && (source == SRC_PUSH || source == SRC_POLL))
		sample = ++d->heads % 16 == 0;
	mine = claims_take(d->o.claims, claim_hash(&h->hash));
	if (mine && chain)
		(void)claims_take(d->o.claims, claim_number(chain, h->number));
	if (mine || sample || (fresh && d->o.bodies == BODIES_ALL))
		drive_ask_body(d, &h->hash, h->number, SRC_PUSH, !mine);
}

void drive_backfill(struct drive *d)
{
	uint64_t chain = wire_chain_key(&d->wire), n = d->tip.number;

	if (d->backfilled || !d->has_tip || !chain)
		return;
	d->backfilled = true;
	for (int i = 1; i < DRIVE_BACKFILL && n > 0; i++) {
		n--;
		if (claims_take(d->o.claims, claim_number(chain, n)))
			drive_ask_number(d, n, SRC_BACKFILL, d->o.bodies != BODIES_OFF);
	}
}

void drive_heard(struct drive *d)
{
	d->last_head = d->now;
	d->resubscribed = 0;
	if (!d->silent)
		return;
	d->silent = false;
	d->next_poll = UINT64_MAX;
	d->hooks.link(d->hooks.ctx, d->polling ? LINK_POLLING : LINK_LIVE, ST_OK, "");
}

void drive_on_push(void *ctx, const struct head *h)
{
	struct drive *d = ctx;

	d->fails = 0;
	drive_want_body(d, h, SRC_PUSH);
	drive_follow(d, h, false);
	drive_heard(d);
}
