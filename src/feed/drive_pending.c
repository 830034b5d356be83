/* The subscription to transactions that wait; see drive.h. Whatever becomes of it, heads come as without it. */
#include "feed/drive_priv.h"

static bool on_its_way(const struct drive *d)
{
	for (int i = 0; i < WIRE_CALLS; i++) {
		if (d->wire.calls[i].id && d->wire.calls[i].method == M_PENDING)
			return true;
	}
	for (int i = 0; i < DRIVE_ASKS; i++) {
		if (d->asks[i].used && d->asks[i].method == M_PENDING)
			return true;
	}
	return false;
}

static void ask(struct drive *d, uint64_t delay)
{
	bool whole = d->o.pending == PENDING_WHOLE && !d->pending_hashes;

	drive_ask_add(d, &(struct ask){ .method = M_PENDING, .source = SRC_ASKED, .prio = PRIO_PLAIN, .number = whole,
					.since = delay ? d->now : 0, .due = delay ? d->now + delay : 0 });
}

void drive_want_pending(struct drive *d)
{
	if (d->o.pending == PENDING_OFF || !d->o.push || !d->up || d->wire.pending_sub[0] || on_its_way(d) ||
	    d->not_before[M_PENDING] > d->now)
		return;
	ask(d, 0);
}

void drive_pending_failed(struct drive *d, const struct wire_result *r)
{
	bool refused = r->code == ST_UNSUPPORTED || r->code == ST_RPC || r->code == ST_AUTH;

	/* Older nodes know no second parameter. */
	if (refused && r->call->number) {
		d->pending_hashes = true;
		ask(d, 0);
	} else if (refused) {
		d->not_before[M_PENDING] = d->now + UNSUPPORTED_NS;
	}
	/* Else with the next round of questions. */
}
