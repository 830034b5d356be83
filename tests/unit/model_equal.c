#include "model_equal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SAME(what, a, b) \
	do { \
		if ((a) != (b)) { \
			print_message("%s differs: %llu, %llu\n", what, (unsigned long long)(a), (unsigned long long)(b)); \
			return false; \
		} \
	} while (0)

static bool same_double(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* Field by field: the holes between them hold anything. */
static bool same_tips(const struct fee_tips *a, const struct fee_tips *b)
{
	return a->valid == b->valid && a->n == b->n && u256_cmp(&a->p10, &b->p10) == 0 &&
	       u256_cmp(&a->p50, &b->p50) == 0 && u256_cmp(&a->p90, &b->p90) == 0;
}

static bool same_blk(const struct blk *a, const struct blk *b)
{
	/* Behind the named fields there may be anything. */
	SAME("header", memcmp(&a->h, &b->h, offsetof(struct head, pad)), 0);
	SAME("state", a->state, b->state);
	SAME("body_seen", a->body_seen, b->body_seen);
	SAME("body", a->body == NULL, b->body == NULL);
	SAME("ntx", a->ntx, b->ntx);
	SAME("tips", same_tips(&a->tips, &b->tips), true);
	SAME("truth", a->truth, b->truth);
	SAME("why", strcmp(a->truth_why, b->truth_why), 0);
	SAME("first_mono", a->first_mono, b->first_mono);
	SAME("first_wall", a->first_wall, b->first_wall);
	SAME("first_path", a->first_path, b->first_path);
	SAME("heard", a->heard, b->heard);
	SAME("usable", a->usable_mono, b->usable_mono);
	SAME("late", a->late_ns, b->late_ns);
	SAME("late_known", a->late_known, b->late_known);
	SAME("orphaned", a->orphaned_mono, b->orphaned_mono);
	SAME("winner", memcmp(&a->winner, &b->winner, sizeof(a->winner)), 0);
	SAME("reincluded", a->reincluded, b->reincluded);
	SAME("gap", a->gap_before, b->gap_before);
	SAME("seen known", a->seen_known, b->seen_known);
	SAME("seen", a->seen, b->seen);
	SAME("seen of", a->seen_of, b->seen_of);
	SAME("seen p50", a->seen_known ? a->seen_p50 : 0, b->seen_known ? b->seen_p50 : 0);
	return true;
}

static bool same_chain(const struct chain *a, const struct chain *b)
{
	const struct blk *x, *y;
	unsigned n, k;

	SAME("kept", a->kept, b->kept);
	for (unsigned i = 0;; i++) {
		n = chain_rows(a, i, &x, 1);
		k = chain_rows(b, i, &y, 1);
		SAME("rows", n, k);
		if (!n)
			break;
		if (!same_blk(x, y)) {
			print_message("row %u, block %llu\n", i, (unsigned long long)x->h.number);
			return false;
		}
	}
	SAME("head", a->head == NULL, b->head == NULL);
	SAME("head hash", a->head && !hash_eq(&a->head->h.hash, &b->head->h.hash), 0);
	SAME("reorg_count", a->reorg_count, b->reorg_count);
	for (unsigned i = 0; i < a->n_reorgs; i++) {
		SAME("reorg number", a->reorgs[i].number, b->reorgs[i].number);
		SAME("reorg depth", a->reorgs[i].depth, b->reorgs[i].depth);
		SAME("reorg mono", a->reorgs[i].mono, b->reorgs[i].mono);
		SAME("reorg path", a->reorgs[i].path, b->reorgs[i].path);
		SAME("reorg lived", a->reorgs[i].lived_ns, b->reorgs[i].lived_ns);
		SAME("reorg undone", a->reorgs[i].undone, b->reorgs[i].undone);
		SAME("reorg txs known", a->reorgs[i].txs_known, b->reorgs[i].txs_known);
		SAME("reorg value known", a->reorgs[i].value_known, b->reorgs[i].value_known);
		SAME("reorg tips known", a->reorgs[i].tips_known, b->reorgs[i].tips_known);
		SAME("reorg back", a->reorgs[i].txs_known && a->reorgs[i].back != b->reorgs[i].back, false);
		SAME("reorg value", a->reorgs[i].value_known &&
			u256_cmp(&a->reorgs[i].lost_value, &b->reorgs[i].lost_value) != 0, false);
		SAME("reorg from tip", hash_eq(&a->reorgs[i].from_tip, &b->reorgs[i].from_tip), true);
		SAME("reorg from", hash_eq(&a->reorgs[i].from, &b->reorgs[i].from), true);
		SAME("reorg to", hash_eq(&a->reorgs[i].to, &b->reorgs[i].to), true);
	}
	SAME("setbacks", a->n_setbacks, b->n_setbacks);
	for (unsigned i = 0; i < a->n_setbacks; i++) {
		SAME("setback mono", a->setbacks[i].mono, b->setbacks[i].mono);
		SAME("setback path", a->setbacks[i].path, b->setbacks[i].path);
		SAME("setback to", a->setbacks[i].to, b->setbacks[i].to);
	}
	SAME("final", a->final.number, b->final.number);
	SAME("safe", a->safe.number, b->safe.number);
	SAME("verified", a->verified_once, b->verified_once);
	SAME("T", a->block_ms, b->block_ms);
	SAME("n", a->stats.n, b->stats.n);
	SAME("span", a->stats.span_ms, b->stats.span_ms);
	SAME("rate", same_double(a->stats.tx_per_s, b->stats.tx_per_s), true);
	SAME("burned", memcmp(&a->stats.burned, &b->stats.burned, sizeof(a->stats.burned)), 0);
	SAME("next base", memcmp(&a->next.base, &b->next.base, sizeof(a->next.base)), 0);
	return true;
}

static bool same_cover(const struct cover *a, const struct cover *b)
{
	SAME("cover txs", a->txs, b->txs);
	SAME("cover seen", a->seen, b->seen);
	SAME("lead p50", a->lead_p50, b->lead_p50);
	SAME("lead p90", a->lead_p90, b->lead_p90);
	SAME("new ones", same_double(a->per_s, b->per_s), true);
	SAME("seconds", a->history_n, b->history_n);
	for (unsigned i = 0; i < a->history_n; i++)
		SAME("new in a second", a->history[i], b->history[i]);
	SAME("floor", a->floor, b->floor);
	return true;
}

static bool same_path(const struct path *a, const struct path *b)
{
	SAME("chain", a->chain, b->chain);
	SAME("link", a->state, b->state);
	SAME("since", a->state_since, b->state_since);
	SAME("connects", a->connects, b->connects);
	SAME("head number", a->head_number, b->head_number);
	SAME("head mono", a->head_mono, b->head_mono);
	SAME("behind", a->behind_blocks, b->behind_blocks);
	SAME("heads", a->heads, b->heads);
	SAME("raced", a->raced, b->raced);
	SAME("won", a->won, b->won);
	SAME("ties", a->ties, b->ties);
	SAME("missed", a->missed, b->missed);
	SAME("dups", a->dups, b->dups);
	SAME("backs", a->backs, b->backs);
	SAME("behind p50", a->behind_p50, b->behind_p50);
	SAME("behind p99", a->behind_p99, b->behind_p99);
	SAME("round trip", a->rtt_ns, b->rtt_ns);
	SAME("usable p90", a->usable_p90, b->usable_p90);
	SAME("body lag p90", a->body_lag_p90, b->body_lag_p90);
	SAME("call p50", a->call_p50, b->call_p50);
	SAME("call n", a->call_n, b->call_n);
	SAME("own nulls", a->own_nulls, b->own_nulls);
	SAME("client backs", a->client_backs, b->client_backs);
	for (unsigned w = 0; w < RACE_WINDOWS; w++) {
		SAME("window: calls", a->span[w].n, b->span[w].n);
		SAME("window: failed", a->span[w].failed, b->span[w].failed);
		SAME("window: call p99", a->span[w].p99, b->span[w].p99);
		SAME("window: p99 range", a->span[w].p99_high, b->span[w].p99_high);
		SAME("window: usable", a->span[w].usable_n, b->span[w].usable_n);
		SAME("window: usable p90", a->span[w].usable_p90, b->span[w].usable_p90);
		SAME("window: twice", a->span[w].dups, b->span[w].dups);
	}
	SAME("transfer", same_double(a->xfer_bytes_per_s, b->xfer_bytes_per_s), true);
	SAME("errors", a->errors.total_5m, b->errors.total_5m);
	SAME("heard", a->heard_n, b->heard_n);
	for (unsigned i = 0; i < a->heard_n; i++) {
		SAME("arrival", path_heard_at(a, i)->mono, path_heard_at(b, i)->mono);
		SAME("arrival late", path_heard_at(a, i)->late, path_heard_at(b, i)->late);
	}
	return same_cover(&a->pending.cover, &b->pending.cover);
}

static bool same_times(const struct race_times *a, const struct race_times *b)
{
	SAME("race n", a->n, b->n);
	SAME("race p10", a->p10, b->p10);
	SAME("race p50", a->p50, b->p50);
	SAME("race p90", a->p90, b->p90);
	SAME("race p99", a->p99, b->p99);
	SAME("race max", a->max, b->max);
	return true;
}

static bool same_race(const struct race_view *a, const struct race_view *b)
{
	SAME("race", a == NULL, b == NULL);
	if (!a)
		return true;
	SAME("race heads", a->heads, b->heads);
	SAME("races", a->raced, b->raced);
	SAME("races tied", a->tied, b->tied);
	SAME("race span", a->span_ns, b->span_ns);
	SAME("late n", a->late.n, b->late.n);
	SAME("late p50", a->late.p50, b->late.p50);
	SAME("late max", a->late.max, b->late.max);
	SAME("early", a->late.early, b->late.early);
	for (unsigned i = 0; i < PATHS_MAX; i++) {
		SAME("path raced", a->path[i].raced, b->path[i].raced);
		SAME("path won", a->path[i].won, b->path[i].won);
		SAME("path ties", a->path[i].ties, b->path[i].ties);
		SAME("path missed", a->path[i].missed, b->path[i].missed);
		if (!same_times(&a->path[i].behind, &b->path[i].behind) ||
		    !same_times(&a->path[i].overhead, &b->path[i].overhead))
			return false;
	}
	return true;
}

static bool same_health(const struct health *a, const struct health *b)
{
	SAME("checks", a->total, b->total);
	SAME("checks ok", a->ok, b->ok);
	/* Not since when and how often: an event that is late by a tick is found an evaluation later. */
	for (unsigned i = 0; i < a->n; i++) {
		for (unsigned k = 0; k < CHECK_N; k++) {
			const struct check_view *x = &a->subject[i]->check[k], *y = &b->subject[i]->check[k];

			if (x->applies == y->applies && x->level == y->level &&
			    strcmp(x->text, y->text) == 0 && same_double(x->value, y->value) && x->path == y->path)
				continue;
			print_message("%s of %s: \"%s\" or \"%s\"\n", check_info((enum check_id)k)->name, a->subject[i]->name,
				      x->text, y->text);
			return false;
		}
	}
	return true;
}

bool model_equal(const struct model *a, const struct model *b)
{
	const struct note *x, *y;

	SAME("chains", a->n_chains, b->n_chains);
	for (unsigned i = 0; i < a->n_chains; i++)
		if (!same_chain(a->chains[i], b->chains[i]))
			return false;
	for (unsigned i = 0; i < a->n_paths; i++) {
		if (!same_path(a->paths[i], b->paths[i])) {
			print_message("path %u\n", i);
			return false;
		}
	}
	for (unsigned w = 0; w < RACE_WINDOWS; w++)
		if (!same_race(model_race(a, (enum race_window)w, false), model_race(b, (enum race_window)w, false)) ||
		    !same_race(model_race(a, (enum race_window)w, true), model_race(b, (enum race_window)w, true)))
			return false;
	if (!same_cover(&a->pool.cover, &b->pool.cover))
		return false;
	SAME("can pay", a->pool.pay, b->pool.pay);
	SAME("can pay of", a->pool.pay_of, b->pool.pay_of);
	SAME("notes", a->notes_n, b->notes_n);
	for (unsigned i = 0; (x = model_note_at(a, i)) != NULL; i++) {
		y = model_note_at(b, i);
		if (strcmp(x->text, y->text) != 0) {
			print_message("note \"%s\"\n  or \"%s\"\n", x->text, y->text);
			return false;
		}
		SAME("note mono", x->mono, y->mono);
	}
	SAME("health", same_health(&a->health, &b->health), true);
	SAME("line", strcmp(a->line.text, b->line.text), 0);
	SAME("level", a->line.level, b->line.level);
	return true;
}
