/*
 * Is a node ready for the next fork of its chain? By its own word (eth_config, Status), the others', and the schedule that is
 * compiled in.
 */
#include <math.h>
#include <stdio.h>

#include "eth/forkid.h"
#include "model/health_priv.h"

enum {
	READY,
	NOT_READY,
	URGENT, /* less than a day is left, or the fork has passed without the node */
};

#define DAY_S 86400
#define SETTLE_S 3600 /* after a fork nodes are asked again within this time (drive.c: config_period) */

/* What the chain's next fork is. */
struct plan {
	uint64_t at; /* s; UNKNOWN: none is known */
	uint32_t id; /* after it; 0 not known */
	const char *name; /* NULL: nobody knows */
	const char *by; /* a node that has it; NULL: the schedule */
};

static const struct health_facts *of_node(const struct subject_ref *r, unsigned node, int chain)
{
	const struct health_facts *best = NULL;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];
		const struct health_facts *h = &p->priv->health;

		if (p->node_index == node && p->chain == chain && link_up(p->state) && h->fork_known &&
		    (!best || h->fork_mono > best->fork_mono))
			best = h;
	}
	return best;
}

/* The earliest that anybody knows of and that has not passed. */
static struct plan next_plan(const struct subject_ref *r, uint64_t now_s)
{
	struct plan p = { .at = UNKNOWN };
	struct forkid_step step;

	if (forkid_next(r->chain->id, &r->chain->genesis, now_s, &step)) {
		p.at = step.at;
		p.id = step.id;
		p.name = step.name;
	}
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *o = r->m->paths[i];
		const struct health_facts *h = o->node_index == i ? of_node(r, i, r->s->chain) : NULL;

		if (!h || h->fork_next == UNKNOWN || h->fork_next <= now_s || h->fork_next >= p.at)
			continue;
		p = (struct plan){ .at = h->fork_next, .id = h->fork_next_id, .by = o->node };
	}
	return p;
}

/* A node that has passed a later fork than this one has; NULL: none, as far as is known. */
static const char *ahead(const struct subject_ref *r, const struct health_facts *mine, uint64_t now_s)
{
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *o = r->m->paths[i];
		const struct health_facts *h = o->node_index == i && i != r->s->index ? of_node(r, i, r->s->chain) : NULL;

		if (!h || h->fork_id == mine->fork_id || h->fork_time == UNKNOWN || mine->fork_time == UNKNOWN)
			continue;
		if (h->fork_time >= mine->fork_time && h->fork_time + SETTLE_S <= now_s)
			return o->node;
	}
	return NULL;
}

static void own_words(const struct health_facts *h, uint64_t now_s, char *out, size_t size)
{
	char span[24];

	if (h->fork_next == UNKNOWN || h->fork_next <= now_s)
		snprintf(out, size, "none");
	else
		snprintf(out, size, "in %s", health_span(span, (double)(h->fork_next - now_s)));
}

void check_fork(struct subject_ref *r, struct finding *f)
{
	const struct health_facts *h = r->chain ? of_node(r, r->s->index, r->s->chain) : NULL;
	uint64_t now_s = r->m->now_wall / NS_S;
	struct forkid_step step;
	struct plan p;
	const char *other;
	char what[80], own[40], span[24];
	int level;
	bool same;

	if (!h) {
		not_here(f, r->live ? "no eth_config" : "no answer");
		return;
	}
	/* Its fork is that of its head. */
	if (r->syncing) {
		not_here(f, "syncing");
		return;
	}
	/* Status is said once, when a connection begins. */
	if (h->fork_time == UNKNOWN && h->fork_next <= now_s) {
		not_here(f, "said before the last fork");
		return;
	}
	other = ahead(r, h, now_s);
	if (other) {
		found(r, f, CHECK_fork, URGENT, "%s: did not take the last fork (id %08x), %s did", r->s->name,
		      (unsigned)h->fork_id, other);
		return;
	}
	if (now_s > SETTLE_S && forkid_current(r->chain->id, &r->chain->genesis, now_s - SETTLE_S, &step) &&
	    forkid_older(r->chain->id, &r->chain->genesis, h->fork_id, step.id)) {
		found(r, f, CHECK_fork, URGENT, "%s: did not take %s", r->s->name, step.name);
		return;
	}
	p = next_plan(r, now_s);
	if (p.at == UNKNOWN) {
		found(r, f, CHECK_fork, READY, "%s: next fork: none scheduled", r->s->name);
		return;
	}
	health_span(span, (double)(p.at - now_s));
	if (p.name)
		snprintf(what, sizeof(what), "%s", p.name);
	else
		snprintf(what, sizeof(what), "the fork that %.33s knows of", p.by);
	level = p.at - now_s < DAY_S ? URGENT : NOT_READY;
	same = h->fork_next == p.at && (!p.id || !h->fork_next_id || p.id == h->fork_next_id);
	own_words(h, now_s, own, sizeof(own));
	if (same)
		found(r, f, CHECK_fork, READY, "%s: ready for %s in %s", r->s->name, p.name ? p.name : "the next fork", span);
	else if (h->fork_next == p.at)
		found(r, f, CHECK_fork, level, "%s: not ready for %s, %s left (another fork id)", r->s->name, what, span);
	else
		found(r, f, CHECK_fork, level, "%s: not ready for %s, %s left (next fork: %s)", r->s->name, what, span, own);
}
