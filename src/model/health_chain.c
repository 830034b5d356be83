/* Checks about a chain as a whole, and about this machine. */
#include <math.h>
#include <stdio.h>

#include "model/chain.h"
#include "model/health_priv.h"
#include "model/note.h"

#define HOLD_NS (600 * NS_S) /* what happened stays a finding for so long */
#define TOLD_NS (300 * NS_S) /* a tag that nobody has told since then says nothing about the chain */

/* Some path of this chain is up. */
static bool answered(const struct subject_ref *r)
{
	for (unsigned i = 0; i < r->m->n_paths; i++)
		if (r->m->paths[i]->chain == r->s->chain && link_up(r->m->paths[i]->state))
			return true;
	return false;
}

/* All that could know are catching up: what they call final says nothing about the chain. */
static bool all_sync(const struct subject_ref *r)
{
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (p->chain == r->s->chain && link_up(p->state) && !(p->facts.sync_known && p->facts.syncing))
			return false;
	}
	return true;
}

void check_finality(struct subject_ref *r, struct finding *f)
{
	bool rollup = r->chain && r->chain->info->kind == CHAIN_ROLLUP;
	const struct tag_view *t = r->chain ? rollup ? &r->chain->safe : &r->chain->final : NULL;
	double age;
	char span[24];

	if (!t || !answered(r)) {
		not_here(f, "no answer");
		return;
	}
	if (all_sync(r)) {
		not_here(f, "syncing");
		return;
	}
	if (!t->known || !t->time_ms) {
		not_here(f, rollup ? "no safe block told" : "no final block told");
		return;
	}
	if (sub_sat(r->m->now_mono, t->seen_mono) > TOLD_NS) {
		not_here(f, "not told for 5 min");
		return;
	}
	age = (double)sub_sat(r->m->now_wall, ms_ns(t->time_ms)) / (double)NS_S;
	found(r, f, CHECK_finality, age, "%s: last %s %s ago", r->s->name, rollup ? "safe" : "final",
	      health_span(span, floor(age)));
	if (f->level != LEVEL_OK)
		snprintf(f->text, sizeof(f->text), "%s: not %s, last %s %s ago", r->s->name,
			 rollup ? "getting safe" : "finalising", rollup ? "safe" : "final", span);
}

void check_final_changed(struct subject_ref *r, struct finding *f)
{
	const struct health_facts *h = &r->m->paths[r->s->index]->priv->health;
	char a[28], b[28];

	if (h->final_mono == UNKNOWN) {
		not_here(f, r->live ? "no final block told" : "no answer");
	} else if (h->unfinal_mono == UNKNOWN || add_sat(h->unfinal_mono, HOLD_NS) <= r->m->now_mono) {
		found(r, f, CHECK_final_changed, 0, "%s: what was final stayed final", r->s->name);
	} else if (h->unfinal_from == UNKNOWN) {
		found(r, f, CHECK_final_changed, 1, "%s: finalized %s changed its hash", r->s->name,
		      note_number(a, h->unfinal_number));
	} else {
		found(r, f, CHECK_final_changed, 1, "%s: finalized went back, %s → %s", r->s->name,
		      note_number(a, h->unfinal_from), note_number(b, h->unfinal_number));
	}
}

/* Transactions of its losers that did not come back; −1: of some block that is not known. */
static long txs_lost(const struct chain *c, const struct reorg *g)
{
	long lost = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < c->store->n_orphans; i++) {
		const struct node *o = chain_node(c, &c->store->orphans[i]);

		if (!o || o->b.state != BLK_ORPHAN || o->b.orphaned_mono != g->mono)
			continue;
		if (!o->b.body_seen || o->b.reincluded < 0)
			return -1;
		n++;
		lost += (long)o->b.ntx - o->b.reincluded;
	}
	return n == g->depth ? lost : -1;
}

void check_reorg(struct subject_ref *r, struct finding *f)
{
	const struct reorg *worst = NULL;
	char number[28], txs[40] = "";
	long lost;

	if (!r->chain || !r->chain->head) {
		not_here(f, "no block yet");
		return;
	}
	for (unsigned i = 0; i < r->chain->n_reorgs; i++) {
		const struct reorg *g = &r->chain->reorgs[i];

		if (add_sat(g->mono, HOLD_NS) > r->m->now_mono && (!worst || g->depth > worst->depth))
			worst = g;
	}
	if (!worst) {
		found(r, f, CHECK_reorg, 0, "%s: no reorg in 10 min", r->s->name);
		return;
	}
	lost = txs_lost(r->chain, worst);
	if (lost >= 0)
		snprintf(txs, sizeof(txs), ", %ld txs lost", lost);
	found(r, f, CHECK_reorg, worst->depth, "%s: reorg depth %u at %s%s", r->s->name, worst->depth,
	      note_number(number, worst->number), txs);
}

void check_clock(struct subject_ref *r, struct finding *f)
{
	uint64_t bound = r->m->priv->clock_raw;
	double v = (double)bound / (double)NS_S;
	char span[24];

	if (bound == UNKNOWN) {
		not_here(f, "the clock's error is not known");
		return;
	}
	found(r, f, CHECK_clock, v, "this machine's clock may be off by %s", health_span(span, v));
	/*
	 * What the kernel says of a clock that nobody sets: many virtual machines have a right one all the same, and a critical
	 * state that lasts and that nobody can change would hide the others. So it is a warning; beyond it is critical.
	 */
	if (bound < CLOCK_UNSET_NS)
		return;
	snprintf(f->text, sizeof(f->text), "this machine's clock is not synchronised: lateness is hidden");
}
