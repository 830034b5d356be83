#include "out/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "out/page.h"
#include "out/words.h"

struct metrics {
	/* Since the start, by path; NULL: no sample yet. */
	struct hist *calls[PATHS_MAX][M_N], *bodies[PATHS_MAX];
};

/* ---- what is counted here ---- */

struct metrics *metrics_new(void)
{
	return calloc(1, sizeof(struct metrics));
}

void metrics_free(struct metrics *x)
{
	for (unsigned i = 0; x && i < PATHS_MAX; i++) {
		for (unsigned k = 0; k < M_N; k++)
			free(x->calls[i][k]);
		free(x->bodies[i]);
	}
	free(x);
}

static void add(struct hist **h, uint64_t v)
{
	if (!*h)
		*h = calloc(1, sizeof(**h));
	if (*h)
		hist_add(*h, v);
}

void metrics_event(struct metrics *x, const struct event *e)
{
	if (e->path >= PATHS_MAX)
		return;
	if (e->kind == EV_REPLY && e->u.reply.code == ST_OK && e->u.reply.latency_ns != UINT64_MAX && e->u.reply.method < M_N)
		add(&x->calls[e->path][e->u.reply.method], e->u.reply.latency_ns);
	if (e->kind == EV_BLOCK)
		add(&x->bodies[e->path], e->u.block.wire_bytes);
}

/* ---- paths ---- */

/* Members of struct path that are one number each. UNKNOWN is left out. */
static const struct {
	const char *name, *help;
	size_t offset;
} race_counters[] = {
#define ROW(field, name, help) { name, help, offsetof(struct path, field) },
	ROW(raced, "chaintop_path_raced_heads_total", "Announced heads that a path of another node announced too.")
	ROW(won, "chaintop_path_won_heads_total", "Raced heads that this path brought first.")
	ROW(ties, "chaintop_path_tied_heads_total", "Raced heads that nobody won: closer than 0.1 ms.")
	ROW(missed, "chaintop_path_missed_heads_total", "Heads that others announced while it was connected, and it did not.")
}, path_counters[] = {
	ROW(heads, "chaintop_path_heads_total", "Heads that the path announced, or was found to have.")
	ROW(dups, "chaintop_path_duplicate_heads_total", "Heads that came twice.")
	ROW(backs, "chaintop_path_head_setbacks_total", "Times that the head went back to an older block of its own branch.")
	ROW(own_nulls, "chaintop_path_unserved_bodies_total", "Bodies that it could not serve of heads that it had announced.")
	ROW(connects, "chaintop_path_connects_total", "Connections that came to stand.")
	ROW(silent_count, "chaintop_path_silences_total", "Times that the path was open and brought no head although others did.")
	ROW(bytes_in, "chaintop_path_received_bytes_total", "Bytes received.")
	ROW(bytes_out, "chaintop_path_sent_bytes_total", "Bytes sent.")
	ROW(notes, "chaintop_path_notifications_total", "Notifications received.")
	ROW(odd, "chaintop_path_odd_messages_total", "Messages that fit nothing.")
	ROW(bodies, "chaintop_path_bodies_total", "Full blocks received.")
	ROW(pending.cover.all_announced, "chaintop_path_pending_transactions_total",
	    "Transactions that wait, when the path announced them for the first time.")
	ROW(pending.cover.all_txs, "chaintop_path_mined_transactions_total",
	    "Transactions of blocks heard while the path announced what waits.")
	ROW(pending.cover.all_seen, "chaintop_path_mined_transactions_seen_total",
	    "Those of them that it had announced before any path heard of the block.")
	ROW(lost, "chaintop_path_lost_events_total", "Events that found no room between the path's thread and the program.")
}, path_gauges[] = {
	ROW(behind_blocks, "chaintop_path_behind_blocks", "Blocks behind the newest head of its chain.")
	ROW(facts.peers, "chaintop_path_peers", "Peers that the node says it has.")
	ROW(facts.pending, "chaintop_path_txpool_pending", "Transactions that the node says could be mined.")
	ROW(facts.queued, "chaintop_path_txpool_queued", "Transactions that the node says wait for others.")
#undef ROW
};

static uint64_t member(const struct path *p, size_t offset)
{
	uint64_t v;

	memcpy(&v, (const char *)p + offset, sizeof(v));
	return v;
}

static bool up(const struct path *p)
{
	return p->state == LINK_LIVE || p->state == LINK_POLLING;
}

static void path_numbers(struct page *g, const struct model *m)
{
	for (size_t k = 0; k < sizeof(race_counters) / sizeof(race_counters[0]); k++) {
		page_family(g, race_counters[k].name, "counter", race_counters[k].help);
		/* Polled paths do not race. */
		for (unsigned i = 0; i < m->n_paths; i++)
			page_u64(g, g->path[i], NULL, NULL,
				 m->paths[i]->push ? member(m->paths[i], race_counters[k].offset) : UNKNOWN);
	}
	for (size_t k = 0; k < sizeof(path_counters) / sizeof(path_counters[0]); k++) {
		page_family(g, path_counters[k].name, "counter", path_counters[k].help);
		for (unsigned i = 0; i < m->n_paths; i++)
			page_u64(g, g->path[i], NULL, NULL, member(m->paths[i], path_counters[k].offset));
	}
	for (size_t k = 0; k < sizeof(path_gauges) / sizeof(path_gauges[0]); k++) {
		page_family(g, path_gauges[k].name, "gauge", path_gauges[k].help);
		for (unsigned i = 0; i < m->n_paths; i++)
			page_u64(g, g->path[i], NULL, NULL, member(m->paths[i], path_gauges[k].offset));
	}
}

/* A stamp of the monotonic clock on the wall clock. */
static uint64_t wall_of(const struct model *m, uint64_t mono)
{
	return mono <= m->now_mono && m->now_mono - mono < m->now_wall ? m->now_wall - (m->now_mono - mono) : UINT64_MAX;
}

static void path_state(struct page *g, const struct model *m)
{
	page_family(g, "chaintop_path_up", "gauge", "1: connected, and heads may come. 0: down, connecting, or silent.");
	for (unsigned i = 0; i < m->n_paths; i++)
		page_u64(g, g->path[i], NULL, NULL, up(m->paths[i]));
	page_family(g, "chaintop_path_state", "gauge", "1 for the state that the link is in.");
	for (unsigned i = 0; i < m->n_paths; i++)
		page_u64(g, g->path[i], "state", m->paths[i]->wrong_chain ? "wrong_chain" : link_word(m->paths[i]->state), 1);
	page_family(g, "chaintop_path_client_info", "gauge", "1; the client that answers.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->facts.client[0])
			page_u64(g, g->path[i], "client", m->paths[i]->facts.client, 1);
	}
	page_family(g, "chaintop_path_syncing", "gauge", "1: the node says that it syncs. 0 proves nothing.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->facts.sync_known)
			page_u64(g, g->path[i], NULL, NULL, m->paths[i]->facts.syncing);
	}
	page_family(g, "chaintop_path_connect_seconds", "gauge",
		    "Since the start of the last attempt to connect, at the end of each phase.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		const struct {
			const char *name;
			uint32_t us;
		} phase[] = { { "dns", p->dns_us }, { "tcp", p->tcp_us }, { "tls", p->tls_us }, { "ready", p->ready_us } };

		for (unsigned k = 0; k < 4; k++) {
			if (phase[k].us)
				page_seconds(g, g->path[i], "phase", phase[k].name, phase[k].us * NS_US);
		}
	}
	page_family(g, "chaintop_path_round_trip_seconds", "gauge", "Fastest small answer of the last ten minutes.");
	for (unsigned i = 0; i < m->n_paths; i++)
		page_seconds(g, g->path[i], NULL, NULL, m->paths[i]->rtt_ns);
}

static void path_heads(struct page *g, const struct model *m)
{
	page_family(g, "chaintop_path_head_number", "gauge", "Number of the path's newest block.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->has_head)
			page_u64(g, g->path[i], NULL, NULL, m->paths[i]->head_number);
	}
	page_family(g, "chaintop_path_head_received_timestamp_seconds", "gauge", "When the path told of its newest block.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		if (m->paths[i]->has_head)
			page_seconds(g, g->path[i], NULL, NULL, wall_of(m, m->paths[i]->head_mono));
	}
	page_family(g, "chaintop_path_head_timestamp_seconds", "gauge", "The newest block's own time.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		const struct blk *b = p->has_head && p->chain >= 0 ? chain_by_hash(m->chains[p->chain], &p->head_hash) : NULL;

		if (b && b->h.time_ms < UINT64_MAX / NS_MS)
			page_seconds(g, g->path[i], NULL, NULL, b->h.time_ms * NS_MS);
	}
}

static void path_calls(struct page *g, const struct model *m)
{
	page_family(g, "chaintop_path_calls_total", "counter", "Calls that ended, well or not.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		for (unsigned k = 0; k < M_N; k++) {
			if (m->paths[i]->method[k].n)
				page_u64(g, g->path[i], "method", method_name((enum method)k), m->paths[i]->method[k].n);
		}
	}
	page_family(g, "chaintop_path_call_failures_total", "counter", "Calls that did not get what they asked for.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		for (unsigned k = 0; k < M_N; k++) {
			if (m->paths[i]->method[k].n)
				page_u64(g, g->path[i], "method", method_name((enum method)k), m->paths[i]->method[k].failed);
		}
	}
	page_family(g, "chaintop_path_errors_total", "counter", "Failed calls and lost connections by kind.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		for (unsigned k = 0; k < ST_N; k++) {
			if (m->paths[i]->errors.by_code[k])
				page_u64(g, g->path[i], "kind", status_word((enum status)k), m->paths[i]->errors.by_code[k]);
		}
	}
}

static void path_histograms(struct page *g, const struct metrics *x, const struct model *m)
{
	static const struct {
		enum path_hist which;
		const char *name, *help;
	} rows[] = {
		{ PATH_BEHIND, "chaintop_path_behind_first_seconds",
		  "Announced heads: how long behind the path that brought it first. First ones count as 0." },
		{ PATH_USABLE, "chaintop_path_usable_seconds",
		  "From the first head on any path until this path's body was decoded." },
		{ PATH_BODY_LAG, "chaintop_path_body_lag_seconds", "From the path's own head until its body was decoded." },
	};

	page_family(g, "chaintop_path_call_duration_seconds", "histogram",
		    "Calls that answered well: from the instant when they were due to the first byte of the answer.");
	for (unsigned i = 0; i < m->n_paths; i++) {
		for (unsigned k = 0; k < M_N; k++)
			page_hist(g, g->path[i], "method", method_name((enum method)k), x->calls[i][k], PAGE_SECONDS);
	}
	for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		page_family(g, rows[k].name, "histogram", rows[k].help);
		for (unsigned i = 0; i < m->n_paths; i++)
			page_hist(g, g->path[i], NULL, NULL, path_hist(m->paths[i], rows[k].which), PAGE_SECONDS);
	}
	page_family(g, "chaintop_path_body_bytes", "histogram",
		    "Full blocks as they were received: framing, headers, compressed body.");
	for (unsigned i = 0; i < m->n_paths; i++)
		page_hist(g, g->path[i], NULL, NULL, x->bodies[i], PAGE_BYTES);
}

/* ---- chains ---- */

static bool burns(const struct chain *c)
{
	return c->head && c->head->h.has & H_BASE_FEE;
}

static void chain_head(struct page *g, const struct model *m)
{
	page_family(g, "chaintop_chain_head_number", "gauge", "Number of the newest block.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (m->chains[i]->head)
			page_u64(g, g->chain[i], NULL, NULL, m->chains[i]->head->h.number);
	}
	page_family(g, "chaintop_chain_head_timestamp_seconds", "gauge", "The newest block's own time.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		const struct blk *b = m->chains[i]->head;

		if (b && b->h.time_ms < UINT64_MAX / NS_MS)
			page_seconds(g, g->chain[i], NULL, NULL, b->h.time_ms * NS_MS);
	}
	page_family(g, "chaintop_chain_head_received_timestamp_seconds", "gauge", "When the newest block was heard first.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		const struct blk *b = m->chains[i]->head;

		if (b && b->heard)
			page_seconds(g, g->chain[i], NULL, NULL, wall_of(m, b->first_mono));
	}
	page_family(g, "chaintop_chain_block_time_seconds", "gauge", "Nominal time between blocks, or the median of 64.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (m->chains[i]->block_ms != UNKNOWN)
			page_seconds(g, g->chain[i], NULL, NULL, m->chains[i]->block_ms * NS_MS);
	}
	page_family(g, "chaintop_chain_reorgs_total", "counter", "Times that blocks of the followed chain lost to others.");
	for (unsigned i = 0; i < m->n_chains; i++)
		page_u64(g, g->chain[i], NULL, NULL, m->chains[i]->reorg_count);
	page_family(g, "chaintop_chain_last_reorg_depth_blocks", "gauge", "Blocks that the last reorganisation replaced.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (m->chains[i]->n_reorgs)
			page_u64(g, g->chain[i], NULL, NULL, m->chains[i]->reorgs[0].depth);
	}
	page_family(g, "chaintop_chain_tag_number", "gauge", "Number of the newest safe and finalized block.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (m->chains[i]->safe.known)
			page_u64(g, g->chain[i], "tag", "safe", m->chains[i]->safe.number);
		if (m->chains[i]->final.known)
			page_u64(g, g->chain[i], "tag", "finalized", m->chains[i]->final.number);
	}
	page_family(g, "chaintop_chain_tag_timestamp_seconds", "gauge", "Their own time.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		const struct tag_view *t[] = { &m->chains[i]->safe, &m->chains[i]->final };

		for (unsigned k = 0; k < 2; k++) {
			if (t[k]->known && t[k]->time_ms && t[k]->time_ms < UINT64_MAX / NS_MS)
				page_seconds(g, g->chain[i], "tag", k ? "finalized" : "safe", t[k]->time_ms * NS_MS);
		}
	}
}

static void chain_fees(struct page *g, const struct model *m)
{
	page_family(g, "chaintop_chain_base_fee_wei", "gauge", "Base fee of the newest block.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (burns(m->chains[i]))
			page_u256(g, g->chain[i], NULL, NULL, &m->chains[i]->head->h.base_fee);
	}
	page_family(g, "chaintop_chain_next_base_fee_wei", "gauge", "Base fee of the block after it.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (m->chains[i]->next.base_known)
			page_u256(g, g->chain[i], NULL, NULL, &m->chains[i]->next.base);
	}
	page_family(g, "chaintop_chain_blob_base_fee_wei", "gauge", "Price of a unit of blob gas in the newest block.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		if (m->chains[i]->next.blob_known)
			page_u256(g, g->chain[i], NULL, NULL, &m->chains[i]->next.blob_now);
	}
	page_family(g, "chaintop_chain_tip_wei", "gauge",
		    "Effective priority fees in the newest block: percentiles over its transactions, unweighted.");
	for (unsigned i = 0; i < m->n_chains; i++) {
		const struct blk *b = m->chains[i]->head;

		if (!b || !b->body_seen || !b->tips.valid)
			continue;
		page_u256(g, g->chain[i], "percentile", "10", &b->tips.p10);
		page_u256(g, g->chain[i], "percentile", "50", &b->tips.p50);
		page_u256(g, g->chain[i], "percentile", "90", &b->tips.p90);
	}
	page_family(g, "chaintop_chain_gas_used_ratio", "gauge", "Gas used of the limit, over the last blocks.");
	for (unsigned i = 0; i < m->n_chains; i++)
		page_double(g, g->chain[i], m->chains[i]->stats.gas_used_share);
	page_family(g, "chaintop_chain_gas_per_second", "gauge", "Gas used, over the last blocks.");
	for (unsigned i = 0; i < m->n_chains; i++)
		page_double(g, g->chain[i], m->chains[i]->stats.rates_known ? m->chains[i]->stats.gas_per_s : (double)NAN);
	page_family(g, "chaintop_chain_transactions_per_second", "gauge", "Transactions mined, over the last blocks.");
	for (unsigned i = 0; i < m->n_chains; i++)
		page_double(g, g->chain[i], m->chains[i]->stats.rates_known ? m->chains[i]->stats.tx_per_s : (double)NAN);
}

/* ---- health ---- */

static const char *subject_labels(const struct page *g, const struct health_subject *h)
{
	return h->scope == SCOPE_CHAIN ? g->chain[h->index] : h->scope == SCOPE_NODE ? g->node[h->index] : "";
}

static void health(struct page *g, const struct model *m)
{
	page_family(g, "chaintop_check", "gauge",
		    "Health checks: 0 ok, 1 warning, 2 critical. Those of chains and of this machine have no node.");
	for (unsigned i = 0; i < m->health.n; i++) {
		const struct health_subject *h = m->health.subject[i];

		for (unsigned k = 0; k < CHECK_N; k++) {
			if (h->check[k].applies && h->check[k].since_mono != UNKNOWN)
				page_u64(g, subject_labels(g, h), "check", check_info((enum check_id)k)->name, h->check[k].level);
		}
	}
	if (!m->alerts)
		return;
	page_family(g, "chaintop_alerts", "gauge", "Findings of health checks, by level.");
	page_u64(g, "", "level", "warn", m->alerts->warn);
	page_u64(g, "", "level", "crit", m->alerts->crit);
}

/* ---- the program ---- */

static void own(struct page *g, const struct model *m, const struct metrics_about *about)
{
	char labels[160];

	snprintf(labels, sizeof(labels), "version=\"%s\",mode=\"%s\"", about->version, about->mode);
	page_family(g, "chaintop_build_info", "gauge", "1; version and what is watched: live, replay or demo.");
	page_u64(g, labels, NULL, NULL, 1);
	page_family(g, "chaintop_clock_error_bound_seconds", "gauge", "How far this machine's clock may be off.");
	page_seconds(g, "", NULL, NULL, m->clock_bound);
	page_family(g, "chaintop_events_total", "counter", "Events that the paths brought.");
	page_u64(g, "", NULL, NULL, m->own.events);
	page_family(g, "chaintop_events_dropped_total", "counter", "Events that found no room in a ring.");
	page_u64(g, "", NULL, NULL, m->own.drops);
	page_family(g, "chaintop_block_decode_seconds", "histogram", "Decoding of one block.");
	page_hist(g, "", NULL, NULL, &m->own.decode, PAGE_SECONDS);
	page_family(g, "chaintop_block_verify_seconds", "histogram", "Verification of one block.");
	page_hist(g, "", NULL, NULL, &m->own.verify, PAGE_SECONDS);
	page_family(g, "chaintop_glass_seconds", "histogram", "From a head's first byte until it is on the screen.");
	page_hist(g, "", NULL, NULL, &m->own.glass, PAGE_SECONDS);
	if (about->stream) {
		page_family(g, "chaintop_stream_lines_total", "counter", "Lines of --stream.");
		page_u64(g, "", NULL, NULL, about->stream_lines);
		page_family(g, "chaintop_stream_dropped_lines_total", "counter", "Lines that its reader was too slow for.");
		page_u64(g, "", NULL, NULL, about->stream_dropped);
	}
	/* The names that every client library gives them. */
	page_family(g, "process_start_time_seconds", "gauge", "When this process started.");
	page_seconds(g, "", NULL, NULL, about->start_wall);
	if (!m->own.rss)
		return;
	page_family(g, "process_cpu_seconds_total", "counter", "Processor time of this process, user and system.");
	page_seconds(g, "", NULL, NULL, m->own.cpu_ns);
	page_family(g, "process_resident_memory_bytes", "gauge", "Resident memory of this process.");
	page_u64(g, "", NULL, NULL, m->own.rss);
}

enum status metrics_render(const struct metrics *x, const struct model *m, const struct metrics_about *about, struct buf *out)
{
	struct page *g = malloc(sizeof(*g));
	enum status st;

	if (!g)
		return ST_NOMEM;
	page_begin(g, m, out);
	path_state(g, m);
	path_heads(g, m);
	path_numbers(g, m);
	path_calls(g, m);
	path_histograms(g, x, m);
	chain_head(g, m);
	chain_fees(g, m);
	health(g, m);
	own(g, m, about);
	st = g->status;
	free(g);
	return st;
}
