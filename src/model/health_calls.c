/* Checks about a node itself: does it answer, how well, what it runs on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/chain.h"
#include "model/health_priv.h"
#include "model/note.h"

enum {
	ERRORS_LEAST = 20, /* calls in five minutes: below it one failure is no rate */
	CALLS_LEAST = 20, /* in five minutes: below it the slowest call is no p99 */
	BASE_LEAST = 3, /* of twelve five minutes that say what is usual */
	P99_TIMES = 3,
};

#define P99_EPOCH_NS (300 * NS_S)
#define FRESH_NS (180 * NS_S) /* a fact that was not told again since then is old */
#define HOLD_NS (600 * NS_S)
#define RETRY_NS (300 * NS_S)

static bool fresh(const struct subject_ref *r, uint64_t mono)
{
	return mono != UNKNOWN && add_sat(mono, FRESH_NS) > r->m->now_mono;
}

/* ---- answers ---- */

void check_link(struct subject_ref *r, struct finding *f)
{
	unsigned dead = 0, up = 0, all = 0;
	uint64_t since = UNKNOWN;
	char name[48], span[24];
	const char *why = "";

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (!(r->paths & bit(i)) || p->state == LINK_STOPPED)
			continue;
		all++;
		if (link_up(p->state)) {
			up++;
			continue;
		}
		if (p->priv->down_mono == UNKNOWN)
			continue; /* it is being tried for the first time */
		dead++;
		if (since != UNKNOWN && p->priv->down_mono >= since)
			continue;
		since = p->priv->down_mono;
		why = p->priv->health.cause == ST_OK ? "closed" : status_word((enum status)p->priv->health.cause);
		f->path = (int)i;
	}
	if (!all || (!dead && !up)) {
		not_here(f, all ? "connecting" : "stopped");
		return;
	}
	r->crit = all;
	if (!dead) {
		found(r, f, CHECK_link, 0, "%s: answers", r->s->name);
		return;
	}
	health_span(span, floor((double)sub_sat(r->m->now_mono, since) / (double)NS_S));
	if (dead == all)
		found(r, f, CHECK_link, dead, "%s: no answer for %s (%s)", r->s->name, span, why);
	else
		found(r, f, CHECK_link, dead, "%s: degraded, no answer for %s (%s)",
		      health_path(r, r->m->paths[f->path], name), span, why);
}

/* ---- peers ---- */

void check_peers(struct subject_ref *r, struct finding *f)
{
	uint64_t peers = UNKNOWN, told = 0;
	char lim[24];

	not_here(f, r->live ? "no peer count" : "no answer");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (!(r->live & bit(i)) || p->facts.peers == UNKNOWN || !fresh(r, p->facts.peers_mono))
			continue;
		/* What it said last, on whichever path. */
		if (peers != UNKNOWN && p->facts.peers_mono < told)
			continue;
		peers = p->facts.peers;
		told = p->facts.peers_mono;
	}
	if (peers == UNKNOWN)
		return;
	found(r, f, CHECK_peers, (double)peers, "%s: %llu peer%s (limit %s)", r->s->name, (unsigned long long)peers,
	      peers == 1 ? "" : "s", check_value(lim, sizeof(lim), UNIT_COUNT, isnan(r->warn) ? r->crit : r->warn));
}

/* ---- verification ---- */

static bool recent(const struct subject_ref *r, uint64_t mono)
{
	return add_sat(mono, HOLD_NS) > r->m->now_mono;
}

/*
 * Once may be the way, twice is the node: a block that was wrong twice and never right, or two wrong answers of this node even
 * if others had the block right.
 */
void check_verify(struct subject_ref *r, struct finding *f)
{
	unsigned n = 0, times = 0;
	uint64_t last = 0;
	char name[48], number[28];

	if (!r->chain || !r->chain->verified_once || !r->live) {
		not_here(f, r->live ? "nothing verified yet" : "no answer");
		return;
	}
	found(r, f, CHECK_verify, 0, "%s: no block was wrong", r->s->name);
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct health_facts *h = &r->m->paths[i]->priv->health;

		for (unsigned k = 0; r->paths & bit(i) && k < h->wrong_n; k++)
			times += recent(r, h->wrong[k].mono) ? h->wrong[k].times : 0;
	}
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];
		const struct health_facts *h = &p->priv->health;

		for (unsigned k = 0; r->paths & bit(i) && k < h->wrong_n; k++) {
			const struct blk *b = chain_by_hash(r->chain, &h->wrong[k].hash);

			if (!b || !recent(r, h->wrong[k].mono) || (times < 2 && b->truth != TRUTH_NO))
				continue;
			n++;
			if (h->wrong[k].mono < last)
				continue;
			last = h->wrong[k].mono;
			f->path = (int)i;
			found(r, f, CHECK_verify, n, "%s: block %s: %s does not match", health_path(r, p, name),
			      note_number(number, b->h.number), h->wrong[k].field);
		}
	}
	if (n)
		f->value = n;
}

/* ---- errors ---- */

void check_errors(struct subject_ref *r, struct finding *f)
{
	uint64_t now = r->m->now_mono / (30 * NS_S), n = 0, failed = 0, by[ST_N] = { 0 }, told = 0;
	enum status most = ST_OK;
	uint32_t retry_ms = 0;
	char retry[48] = "", span[24];

	/* What a node that is gone does not answer is told once. */
	if (!r->live) {
		not_here(f, "no answer");
		return;
	}
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct health_facts *h = &r->m->paths[i]->priv->health;

		if (!(r->paths & bit(i)))
			continue;
		for (unsigned k = 0; k < CALL_SLICES_5M; k++) {
			if (!h->call[k].n || add_sat(h->call[k].epoch, CALL_SLICES_5M) <= now)
				continue;
			n += h->call[k].n;
			failed += h->call[k].failed;
			for (unsigned c = 0; c < ST_N; c++)
				by[c] += h->call[k].by[c];
		}
		if (h->retry_mono != UNKNOWN && add_sat(h->retry_mono, RETRY_NS) > r->m->now_mono && h->retry_mono >= told) {
			told = h->retry_mono;
			retry_ms = h->retry_ms;
		}
	}
	if (n < ERRORS_LEAST) {
		not_here(f, "fewer than 20 calls");
		return;
	}
	for (unsigned c = 1; c < ST_N; c++)
		if (by[c] > by[most])
			most = (enum status)c;
	if (retry_ms)
		snprintf(retry, sizeof(retry), ", Retry-After %s", health_span(span, retry_ms / 1000.0));
	if (failed && most == ST_RATE)
		found(r, f, CHECK_errors, 100.0 * (double)failed / (double)n, "%s: %llu of %llu calls refused (429)%s",
		      r->s->name, (unsigned long long)by[most], (unsigned long long)n, retry);
	else if (failed)
		found(r, f, CHECK_errors, 100.0 * (double)failed / (double)n, "%s: %llu of %llu calls failed (%s)%s",
		      r->s->name, (unsigned long long)failed, (unsigned long long)n,
		      most == ST_NULL ? "null answers" : status_word(most), retry);
	else
		found(r, f, CHECK_errors, 0, "%s: none of %llu calls failed", r->s->name, (unsigned long long)n);
}

/* ---- call p99 ---- */

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* p99 of a method now and what is usual for it, in s; NaN: too few calls. */
static void p99_of(const struct subject_ref *r, const struct health_facts *h, enum method m, double *now, double *usual)
{
	uint64_t epoch = r->m->now_mono / P99_EPOCH_NS, past = sub_sat(epoch, h->p99_epoch);
	const struct hist *open = h->method[m];
	bool under_way = open && open->n >= CALLS_LEAST && past <= 1;
	uint32_t v[P99_HOUR];
	unsigned n = 0, first = under_way ? 0 : 1;

	*now = *usual = (double)NAN;
	if (under_way)
		*now = (double)hist_percentile(open, 99) / (double)NS_S;
	else if (past == 0 && h->p99[m][0])
		*now = h->p99[m][0] / 1e6;
	for (unsigned i = first; i < P99_HOUR; i++)
		if (h->p99[m][i])
			v[n++] = h->p99[m][i];
	if (n < BASE_LEAST)
		return;
	qsort(v, n, sizeof(v[0]), by_value);
	*usual = v[n / 2] / 1e6;
}

void check_p99(struct subject_ref *r, struct finding *f)
{
	enum level worst = LEVEL_OK;
	double most = -1, warn = r->warn;
	char name[48], a[24], b[24], was[40];

	not_here(f, r->live ? "fewer than 20 calls of a kind" : "no answer");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		for (unsigned m = 0; r->live & bit(i) && m < M_N; m++) {
			double now, usual, limit;
			enum level level;

			p99_of(r, &p->priv->health, (enum method)m, &now, &usual);
			if (isnan(now))
				continue;
			/* Slower than it is used to be, and slow enough to matter. */
			limit = isnan(usual) ? (double)NAN : fmax(warn, P99_TIMES * usual);
			level = health_level(CHECK_p99, now, limit, r->crit);
			if (f->applies && (level < worst || (level == worst && now <= most)))
				continue;
			worst = level;
			most = now;
			f->path = (int)i;
			was[0] = '\0';
			if (!isnan(usual))
				snprintf(was, sizeof(was), ", was %s", health_span(b, usual));
			r->warn = limit;
			found(r, f, CHECK_p99, now, "%s: %s p99 %s%s", health_path(r, p, name), method_name((enum method)m),
			      health_span(a, now), was);
		}
	}
	f->level = f->applies ? worst : LEVEL_OK;
}

/* ---- mempool ---- */

void check_txpool(struct subject_ref *r, struct finding *f)
{
	const struct path *mine = NULL, *full = NULL;
	uint64_t since = 0;
	char number[28];

	if (r->syncing) {
		not_here(f, "syncing");
		return;
	}
	not_here(f, r->live ? "no txpool_status" : "no answer");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (p->chain != r->s->chain || !link_up(p->state) || p->facts.pending == UNKNOWN ||
		    !fresh(r, p->facts.pool_mono))
			continue;
		if (r->live & bit(i)) {
			if (!mine || p->facts.pending > mine->facts.pending)
				mine = p;
		} else if (!full || p->facts.pending > full->facts.pending) {
			full = p;
		}
	}
	if (!mine)
		return;
	if (mine->facts.pending) {
		found(r, f, CHECK_txpool, 0, "%s: %s pending", r->s->name, note_number(number, mine->facts.pending));
		return;
	}
	if (!full || !full->facts.pending) {
		not_here(f, full ? "empty everywhere" : "no other node");
		return;
	}
	since = sub_sat(r->m->now_mono, mine->priv->health.empty_mono);
	found(r, f, CHECK_txpool, (double)since / (double)NS_S, "%s: empty mempool while %s sees %s", r->s->name, full->node,
	      note_number(number, full->facts.pending));
}

/* ---- what it is ---- */

void check_client(struct subject_ref *r, struct finding *f)
{
	char first[64] = "", other[64] = "", now[64];
	const struct health_facts *changed = NULL;
	int at = -1;

	not_here(f, r->live ? "no client version" : "no answer");
	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];
		const struct health_facts *h = &p->priv->health;

		if (!(r->live & bit(i)) || !p->facts.client[0])
			continue;
		facts_client(now, p->facts.client);
		if (!first[0])
			memcpy(first, now, sizeof(first));
		else if (strcmp(first, now) != 0)
			memcpy(other, now, sizeof(other));
		if (h->client_mono != UNKNOWN && add_sat(h->client_mono, HOLD_NS) > r->m->now_mono &&
		    (!changed || h->client_mono > changed->client_mono)) {
			changed = h;
			at = (int)i;
		}
	}
	if (!first[0])
		return;
	if (other[0]) {
		found(r, f, CHECK_client, 2, "%s: two clients under one name, %s and %s", r->s->name, first, other);
	} else if (changed) {
		f->path = at;
		facts_client(now, r->m->paths[at]->facts.client);
		found(r, f, CHECK_client, 1, "%s: now %s (was %s)", r->s->name, now, changed->was);
	} else {
		found(r, f, CHECK_client, 0, "%s: %s", r->s->name, first);
	}
}

void check_chain(struct subject_ref *r, struct finding *f)
{
	char name[48];

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct path *p = r->m->paths[i];

		if (!(r->paths & bit(i)) || !p->wrong_chain || !link_up(p->state) || p->chain < 0)
			continue;
		f->path = (int)i;
		found(r, f, CHECK_chain, 1, "%s: on chain %llu (%s), not on %s", health_path(r, p, name),
		      (unsigned long long)r->m->chains[p->chain]->id, r->m->chains[p->chain]->name,
		      r->chain ? r->chain->name : "its node's");
		return;
	}
	if (!r->live || !r->chain || !r->chain->id_known)
		not_here(f, r->live ? "chain not known" : "no answer");
	else
		found(r, f, CHECK_chain, 0, "%s: on %s", r->s->name, r->chain->name);
}

/* ---- disk ---- */

void check_disk(struct subject_ref *r, struct finding *f)
{
	const struct health_facts *h = NULL;

	for (unsigned i = 0; i < r->m->n_paths; i++) {
		const struct health_facts *o = &r->m->paths[i]->priv->health;

		if (r->paths & bit(i) && o->disk_total != UNKNOWN && o->disk_total && fresh(r, o->disk_mono) &&
		    (!h || o->disk_mono > h->disk_mono)) {
			h = o;
			f->path = (int)i;
		}
	}
	if (!h) {
		not_here(f, "no socket on this machine");
		return;
	}
	found(r, f, CHECK_disk, 100.0 * (double)h->disk_free / (double)h->disk_total, "%s: %.*f GB left under %s (%.1f %%)",
	      r->s->name, h->disk_free < UINT64_C(10000000000) ? 1 : 0, (double)h->disk_free / 1e9, h->mount,
	      100.0 * (double)h->disk_free / (double)h->disk_total);
}
