/*
 * Facts: everything the screens, --once and later outputs show. Pure: no I/O, no threads, no clock. Time arrives in
 * events and in model_tick. Permuting events that lie within 50 ms gives the same model.
 *
 * Readers (ui, out) treat all of it as const. Unknown is unknown: a value has a `known` flag, a NULL or a
 * sentinel (UINT64_MAX for times, latencies and counts), never a zero that looks like a fact.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/hist.h"
#include "eth/chains.h"
#include "eth/fee.h"
#include "feed/event.h"
#include "model/alert.h"
#include "model/health.h"

enum {
	PATHS_MAX = 64,
	CHAINS_MAX = 8,
	NODES_MAX = 64,
	BLOCKS_KEPT = 10000, /* digests */
	BODIES_BYTES = 16 << 20, /* bodies, oldest leave first */
	NOTES_KEPT = 256,
	HEARD_KEPT = 512, /* arrivals per path */
	REORG_DEPTH = 128,
};

#define UNKNOWN UINT64_MAX
#define REORDER_NS UINT64_C(60000000)

/* What a call of model_apply or model_tick changed: a pane draws only if its bits are set. */
enum dirty {
	DIRTY_HEAD = 1u << 0, /* newest block of the shown chain */
	DIRTY_BLOCKS = 1u << 1, /* rows: bodies, verdicts, orphans */
	DIRTY_PATHS = 1u << 2, /* link states, latencies, traffic */
	DIRTY_NOTES = 1u << 3, /* event log */
	DIRTY_POOL = 1u << 4,
	DIRTY_NODE = 1u << 5, /* client, peers, syncing, tags */
	DIRTY_OWN = 1u << 6,
	DIRTY_CLOCK = 1u << 7, /* a second passed: ages */
	DIRTY_HEALTH = 1u << 8, /* a second's evaluation of model.health */
	DIRTY_ALL = 0x1ff,
};

/* ---- blocks ---- */

enum blk_part { PART_HEADER, PART_TXS, PART_WITHDRAWALS, PART_N };

enum blk_state { BLK_CANON, BLK_ORPHAN, BLK_SIDE /* heard, never on the chain we follow */ };

struct blk {
	struct head h;
	enum blk_state state;
	struct block *body; /* NULL: not fetched yet, or left the budget */
	bool body_seen; /* the fields from here to `size` are known */
	uint32_t ntx, types[6]; /* 0x0–0x4, and [5] all others */
	uint32_t creates, blobs;
	struct fee_tips tips;
	uint32_t size; /* bytes of its JSON */
	uint64_t block_size; /* the header's size field, UNKNOWN if none */
	char builder[20]; /* "" if nothing can be said */
	enum truth truth; /* what is shown: ✓ ✗ ? or nothing */
	char truth_why[64]; /* field (✗) or reason (?) */
	enum truth part[PART_N]; /* the same for each part by itself */
	uint8_t missed; /* so many paths said that they cannot serve its body */
	/*
	 * Arrival: the earliest over all paths; may be revised for a second (design.md §4.6). UNKNOWN for blocks that
	 * were only backfilled.
	 */
	uint64_t first_mono, first_wall;
	uint16_t first_path;
	bool heard; /* some path heard it live (SRC_PUSH or SRC_POLL) */
	uint64_t usable_mono; /* earliest decoded body; UNKNOWN */
	int64_t late_ns; /* first_wall − its own time; valid if heard and late_known */
	bool late_known; /* clock bound known, and the chain's times mean something */
	/* Orphans. */
	uint64_t orphaned_mono; /* when it lost; UNKNOWN */
	struct hash winner; /* canonical block of its height then */
	int32_t reincluded; /* how many of its transactions are in the winning branch; −1: not known (a body is missing) */
	struct u256 lost_value; /* what the others would have moved; valid if reincluded ≥ 0 and lost_value_known */
	bool lost_value_known;
	/*
	 * How many of its transactions had been announced before any path heard of the block, of how many that could have been
	 * (all but those that no pool ever holds); the median of how long before. Valid if seen_known.
	 */
	bool seen_known;
	uint32_t seen, seen_of;
	uint64_t seen_p50; /* ns; UNKNOWN if none was seen */
	bool gap_before; /* its parent is not known to us */
	bool slot_lost; /* slot chains: more than one slot since its parent */
	/* Chains whose signers take turns (chain.turns). */
	struct addr signer; /* the header's miner, or recovered from the extra data; valid if signer_known */
	bool signer_known;
	uint16_t run; /* so many blocks in a row, this one included, had this signer; 0: not known */
};

/* ---- a chain ---- */

struct series; /* private */

struct chain_stats {
	/* Over the last `n` canonical blocks with consecutive numbers: n blocks span n−1 intervals (peers.md §4.1 rule 1). */
	unsigned n;
	uint64_t span_ms; /* time of newest − time of oldest; 0 if n < 2: then rates are unknown */
	bool rates_known; /* n ≥ 2, span > 0, all their bodies counted */
	double tx_per_s, gas_per_s; /* first block left out */
	double gas_used_share; /* Σ used ÷ Σ limit over all n; NaN if n = 0 or no limit */
	unsigned full_streak; /* newest blocks in a row with ≥ 95 % of the limit used */
	struct u256 burned; /* Σ base fee × gas used over the n blocks; burned_known */
	bool burned_known;
	double type_share[6]; /* of all transactions; NaN if none */
	uint64_t kb_mean; /* mean JSON size in bytes, UNKNOWN */
};

struct fees_next {
	bool base_known;
	struct u256 base; /* base fee of the block after the head, exact */
	double base_change; /* relative to the head's, −0.015 = −1.5 % */
	bool blob_known;
	struct u256 blob_now, blob_next; /* price per unit of blob gas, of the head and of the next block */
	uint32_t blob_target, blob_max;
};

struct reorg {
	uint64_t mono, wall;
	uint64_t number; /* lowest height that changed */
	uint32_t depth; /* canonical blocks that lost */
	struct hash from, to; /* at that height */
	uint16_t path; /* first heard the loser */
	struct hash from_tip; /* the highest block that lost */
	uint64_t lived_ns; /* from when the loser was heard until it lost; UNKNOWN: it was not heard live */
	bool undone; /* the loser is on the chain again: what follows is not known */
	/* Transactions of the branch that lost, and how many of them are on the chain now (at most 16 blocks higher). */
	bool txs_known;
	uint32_t txs, back;
	bool value_known;
	struct u256 lost_value; /* what the transactions that are not back would have moved */
	/* Tips of either branch at the heights that lost, at least and at most (fee_tip_bounds). */
	bool tips_known;
	struct u256 old_lo, old_hi, new_lo, new_hi;
};

/* The head of a path went back to an ancestor: behind one address are several nodes. No reorg: no branch has lost. */
struct setback {
	uint64_t mono, wall;
	uint64_t from, to; /* numbers */
	struct hash hash; /* of `to` */
	uint16_t path;
};

struct tag_view {
	bool known;
	uint64_t number, time_ms, seen_mono;
	struct hash hash;
	enum status why; /* if not known: ST_OK not asked yet, else the reason */
};

struct chain {
	uint64_t id;
	bool id_known;
	bool network; /* id is a devp2p network id, the chain's own is not known */
	struct hash genesis; /* zero if unknown */
	const struct chain_info *info;
	char name[32]; /* "Ethereum", or "chain 4153" */
	uint64_t block_ms; /* T: the table's, or the median of the last 64 intervals; UNKNOWN below 3 of them */
	struct blk *head; /* tip of the chain we follow; NULL before the first */
	struct tag_view safe, final;
	struct chain_stats stats;
	struct fees_next next;
	struct reorg reorgs[16]; /* newest first */
	unsigned n_reorgs;
	unsigned long reorg_count;
	struct setback setbacks[16]; /* newest first */
	unsigned n_setbacks;
	bool verified_once; /* a ✓ was seen: ✗ may be shown */
	bool turns; /* signers take turns: BSC, Polygon, clique */
	uint16_t run_len; /* how long a signer's run is, learned; 0: not known yet */
	bool any_base_fee; /* false: the chain has none so far: pane "Gas price" */
	unsigned kept; /* blocks in the table */
	struct chain_store *store; /* private */
};

/* ---- a path: endpoint × transport ---- */

struct heard {
	uint64_t mono;
	uint64_t number;
	struct hash hash;
	bool late; /* later than the chain's late line */
	uint8_t source;
};

/* What `w` goes through: the windows over which paths are compared. */
enum race_window { RACE_10M, RACE_1H, RACE_ALL, RACE_WINDOWS };

/* Calls and bodies of one window. Windows end now; they begin at a whole slice of them (a minute, five minutes). */
struct call_stats {
	uint64_t n, failed; /* calls that ended; that did not get what they asked for */
	uint64_t timed; /* so many latencies are behind p50 and p99 */
	uint64_t p50, p99; /* of those that answered well, ns; UNKNOWN */
	uint64_t p99_low, p99_high; /* 95 % range of the p99, ns; UNKNOWN */
	/* Head heard + body decoded, behind the first head: samples, ns, 95 % range; UNKNOWN */
	uint64_t usable_n, usable_p90, usable_low, usable_high;
	double xfer_bytes_per_s; /* NaN below 8 samples (design.md §8) */
	double calls_per_min, bytes_per_min; /* NaN before 5 s */
	uint64_t dups; /* heads that came twice */
	uint32_t by_code[ST_N]; /* failures by kind, lost connections with them */
};

/* Errors of one kind that have a number: HTTP status, JSON-RPC code. */
struct err_detail {
	uint8_t code; /* enum status */
	int32_t detail;
	uint32_t n; /* 0: the place is free */
};

/*
 * Announcements of transactions that wait, and what became of them. The shares are over the transactions of all blocks of the
 * last 10 minutes that were heard while announcements came (and had come for a while: model/seen.h).
 */
struct cover {
	uint64_t txs, seen; /* transactions of those blocks; of them announced before the block was heard */
	/* The same, and those announced for the first time, since the start; UNKNOWN where nobody announces. */
	uint64_t all_txs, all_seen, all_announced;
	uint64_t lead_p50, lead_p90; /* announced → block heard, of those that were, ns; UNKNOWN without any */
	double per_s; /* transactions announced for the first time, over the last minute; NaN before 5 s */
	uint32_t history[60]; /* the same, of each of the last seconds, newest last */
	unsigned history_n;
	/* Announcements were forgotten or lost early: transactions may be missing, the shares are the least they can be. */
	bool floor;
};

/* What a path over devp2p tells besides (feed/event.h: EV_PEER, EV_PEER_COUNT, EV_PEER_LEFT). */
enum { PEER_REASONS = 18, PEER_NO_REASON = PEER_REASONS - 1 }; /* 0x00 … 0x10 of Disconnect; other ones and none */
struct peer_view {
	bool known; /* Hello and Status came */
	uint64_t network, fork_next;
	struct hash genesis;
	uint8_t fork_hash[4];
	unsigned p2p, eth; /* versions */
	bool bor;
	char caps[120];
	bool counted;
	uint64_t frames_in, frames_out, reads, writes;
	uint64_t ping_ns, tcp_ns; /* UNKNOWN */
	struct {
		uint64_t in, out, in_bytes, out_bytes;
	} kind[PK_N];
	uint32_t left[PEER_REASONS]; /* how often the node disconnected for this reason */
};

struct path_errors {
	uint32_t total_5m; /* failed calls and lost connections in the last 5 minutes */
	uint32_t by_code[ST_N]; /* since the start */
	struct err_detail detail[8]; /* the first that came, since the start */
	char last[120];
	uint64_t last_mono; /* UNKNOWN */
};

struct path {
	char node[33]; /* name or host:port */
	char via[8]; /* ws, wss, http, https, ipc */
	char show[64]; /* redacted address */
	uint16_t node_index;
	bool push, local;
	int chain; /* index in model.chains, −1 unknown */
	bool wrong_chain; /* another chain than its node's first path */
	bool other_chain; /* not on the chain that is shown: not to be compared */
	enum link_state state;
	uint64_t state_since; /* mono */
	enum status cause;
	int32_t cause_detail;
	char text[120], cure[88];
	uint64_t retry_mono;
	unsigned attempt;
	uint32_t dns_us, tcp_us, tls_us, ready_us;
	uint64_t connects, silent_count;
	/* Its head. */
	bool has_head;
	uint64_t head_number, head_mono;
	struct hash head_hash;
	uint64_t behind_blocks; /* UNKNOWN */
	uint64_t push_mono, push_number; /* last head that was pushed, UNKNOWN: a silent path polls meanwhile */
	/* Race, by hash, pushed heads only (polled paths have none: `≤ interval`). */
	uint64_t poll_interval_ns; /* UNKNOWN if pushed */
	uint64_t heads, won, ties, missed, dups;
	uint64_t raced; /* heads that a pushed path of another node heard too: the base of won and ties */
	uint64_t backs; /* its head went back to an older block of the same branch: several backends */
	uint64_t own_nulls; /* bodies that it could not serve of heads that it had announced: several backends */
	uint64_t client_backs; /* another client version answered, and then one that had answered before: several backends */
	uint64_t behind_p50, behind_p99; /* behind the first path, ns: of model_race, RACE_ALL; UNKNOWN below 1 sample */
	/*
	 * Round trip to the node and back, ns: its fastest answer of at most 2 KiB in the last 10 minutes. Part of it is the
	 * node's own time, so half of it is the most that the way to us can have cost. UNKNOWN below 3 answers.
	 */
	uint64_t rtt_ns;
	uint64_t usable_p90; /* head heard + body decoded, behind the first head; UNKNOWN */
	uint64_t body_lag_p90; /* this path's own head → its body decoded */
	/* Calls. */
	struct hist_window latency; /* all calls that answered well */
	uint64_t call_p50, call_p99, call_n; /* window of 10 minutes; UNKNOWN */
	struct {
		uint64_t n, failed, bytes, p50, p99; /* p: UNKNOWN without samples */
		enum status unsupported; /* ST_OK, or why it is not asked */
	} method[M_N];
	double xfer_bytes_per_s; /* NaN below 8 samples (design.md §8) */
	double calls_per_min, bytes_per_min; /* over the last minute or since the start if shorter; NaN before 5 s */
	uint64_t bytes_in, bytes_out, calls, notes, odd, bodies, lost;
	struct call_stats span[RACE_WINDOWS];
	uint64_t budget_day; /* calls that its node may get a day, by the configuration; UNKNOWN: nobody said */
	struct path_errors errors;
	/* Transactions that wait: are they announced here? */
	struct {
		bool on, whole; /* whole: with what they pay; else as hashes */
		enum status why; /* not on: ST_OK not asked for, else the reason */
		uint64_t since; /* mono, without a break; UNKNOWN */
		uint64_t ready; /* when what has come is enough for a share of a block; UNKNOWN */
		struct cover cover;
	} pending;
	struct heard heard[HEARD_KEPT]; /* ring: for Pulse */
	unsigned heard_n, heard_next;
	/* Facts of the node as told on this path. */
	struct {
		char client[120];
		uint64_t peers, pending, queued; /* UNKNOWN */
		uint64_t peers_mono, pool_mono;
		enum status peers_why, pool_why, sync_why;
		bool sync_known, syncing;
		uint64_t sync_at, sync_to;
		double sync_per_s; /* NaN */
		bool gas_price_known;
		struct u256 gas_price;
	} facts;
	struct peer_view peer; /* devp2p */
	struct path_priv *priv;
};

/* ---- the pool, over all paths of the shown chain ---- */
struct pool_view {
	bool known;
	uint64_t pending, queued; /* of the path asked last */
	double per_s; /* change of pending, NaN */
	uint64_t seen_mono;
	uint32_t history[60]; /* pending, newest last */
	unsigned history_n;
	enum status why; /* not known: the reason most paths gave */
	/* By announcements, over all paths of the shown chain. */
	unsigned announcing; /* paths that announce */
	uint64_t ready; /* earliest of theirs; UNKNOWN */
	struct cover cover;
	/*
	 * Of what was announced in the last 10 minutes and is in no block yet: how many say what they pay, and how many of those
	 * pay the base fee of the next block. 0 of 0 if that base fee is not known.
	 */
	uint64_t pay_of, pay;
};

/* ---- event log ---- */
enum note_kind { NOTE_INFO, NOTE_REORG, NOTE_LINK, NOTE_GAP, NOTE_WARN, NOTE_BAD };
struct note {
	uint64_t seq, mono, wall;
	enum note_kind kind;
	int path, chain; /* −1 none */
	char text[200];
};

/* ---- races in a window (model/racelog.c) ---- */

enum { RACES_LOGGED = 8192 }; /* heads of a chain: what RACE_ALL goes back to at most */

/* Nearest-rank percentiles, exact to 1 µs, in ns; UNKNOWN if n = 0. */
struct race_times {
	uint64_t n, p10, p50, p90, p99, max;
};

struct race_path {
	/*
	 * Only pushed arrivals count. Heads that paths of two nodes or more heard are races: raced of them it heard, won and ties
	 * of these it did; a tie is closer than 0.1 ms, then nobody won. missed: heads that others heard while it was connected.
	 */
	uint64_t raced, won, ties, missed;
	struct race_times behind; /* the first of all paths, on heads that another path heard too, be it of its own node */
	struct race_times overhead; /* the first path of its own node: what a transport costs, no race. n = 0: it has one path */
};

/* How late the first path heard a block after the block's own time: needs a clock that is right, not only steady. */
struct race_late {
	uint64_t n; /* 0: the rest is not known; nor is it on dev chains, nor if the clock's bound is unknown or ≥ 16 s */
	int64_t min, p10, p50, p90, p99, max; /* ns */
	uint64_t early; /* blocks heard before their own time by more than the clock's bound: some clock is wrong */
};

struct race_view {
	uint64_t heads; /* by hash, that began in the window and were pushed by some path */
	uint64_t raced, tied; /* of them, races between nodes, and those that nobody won */
	uint64_t span_ns; /* since the oldest of them; UNKNOWN if there is none */
	unsigned nodes; /* with a pushed path on this chain: below 2 there is no race */
	struct race_late late;
	struct race_path path[PATHS_MAX];
};

/* ---- all ---- */

/* Line 2: one sentence, worst news first. */
struct verdict_line {
	enum level level;
	char word[12]; /* "OK", "DOWN", "SYNCING", "CONNECTING", "WARN" … */
	char text[240]; /* long form */
	char brief[80]; /* fits 80 columns */
};

struct own {
	uint64_t glass_p50, glass_p99; /* socket → screen, ns; UNKNOWN */
	uint64_t glass_n, glass_skipped; /* skipped: our own loop was > 100 ms late */
	double cpu; /* share of one core over the last seconds, NaN */
	uint64_t rss, cpu_ns, frames, events, drops;
	uint64_t decode_p50, decode_p99, verify_p50, verify_p99; /* ns; UNKNOWN */
	uint64_t decoded_bytes, bodies_bytes;
	struct hist glass, decode, verify;
};

struct model {
	uint64_t now_mono, now_wall, start_mono;
	uint64_t clock_bound; /* ns; UNKNOWN: lateness is not shown */
	struct path *paths[PATHS_MAX];
	unsigned n_paths;
	struct chain *chains[CHAINS_MAX];
	unsigned n_chains, shown; /* shown < n_chains, or 0 when there is none */
	struct pool_view pool;
	struct verdict_line line;
	struct note notes[NOTES_KEPT]; /* ring */
	unsigned notes_n, notes_next;
	uint64_t note_seq;
	struct own own;
	struct health health; /* model/health.h */
	struct alerts *alerts; /* model/alert.h; NULL before the first evaluation */
	double calls_per_min, bytes_per_min; /* all paths; NaN */
	struct model_priv *priv;
};

struct path_setup {
	const char *node, *via, *show;
	bool push, local;
	uint64_t budget_day; /* calls a day; 0: nobody said */
};

struct model *model_new(const struct path_setup *paths, unsigned n, uint64_t now_mono, uint64_t now_wall);
void model_free(struct model *m);
/* A copy for the frozen screen: shares the bodies by reference. NULL without memory. */
struct model *model_clone(const struct model *m);
/* Takes what the event owns. Returns DIRTY_ bits. Any event from any node is survivable. */
unsigned model_apply(struct model *m, const struct event *e);
/*
 * Time passes: ages, windows, rates, head timeouts. Call at 4 Hz at most, and before a frame. What depends on several paths
 * (which branch is followed when they differ, reorgs, the event log, races) is decided here, REORDER_NS after the stamps,
 * so that it does not depend on the order in which the rings were drained. A head that extends the tip shows at once.
 */
unsigned model_tick(struct model *m, uint64_t now_mono, uint64_t now_wall);
void model_show(struct model *m, unsigned chain); /* which chain the screens show */
/*
 * Figures count from now on: of calls, races, errors, per path. What is known of blocks, links and nodes stays, and so does
 * what was heard, for the graphs. For reports of a part of a recording.
 */
void model_restart(struct model *m);
/* The app's own figures. recv_mono: stamp of the head now on the screen. loop_late: our loop ran > 100 ms late since. */
void model_glass(struct model *m, uint64_t recv_mono, uint64_t done_mono, bool loop_late);
void model_own(struct model *m, uint64_t cpu_ns, uint64_t rss, uint64_t frames, uint64_t events, uint64_t drops);

/*
 * What is missing and on which path to ask for it: heads without a body for 2 s, holes below the head. At most max;
 * each is returned again only after 5 s. The app sends CMD_BODY or CMD_RESUBSCRIBE.
 */
struct want {
	unsigned path;
	enum cmd_kind kind;
	uint64_t number;
	struct hash hash;
};
unsigned model_wants(struct model *m, struct want *out, unsigned max);
/*
 * On which path to ask for the body of a block that somebody wants to see: one that told of it first, one that said it
 * has none last.
 * turn: how often that was done before, so that the next one is asked. False: no path of its chain is up, or no chain
 * knows the block.
 */
bool model_want_body(const struct model *m, const struct hash *h, unsigned turn, struct want *out);

/* ---- looking up ---- */
static inline struct chain *model_chain(const struct model *m)
{
	return m->n_chains ? m->chains[m->shown] : NULL;
}
struct blk *chain_by_hash(const struct chain *c, const struct hash *h);
struct blk *chain_by_number(const struct chain *c, uint64_t n); /* canonical, NULL if not known */
/*
 * Rows for a table, newest first: canonical blocks by number, each orphan of a height after the canonical one. skip
 * rows from the top.
 * Returns how many were written.
 */
unsigned chain_rows(const struct chain *c, unsigned skip, const struct blk **out, unsigned max);
/* Row index of a block in chain_rows, or −1. */
long chain_row_of(const struct chain *c, const struct hash *h);
/* When this path heard this block, mono ns; UNKNOWN if it did not (kept for the last HEARD_KEPT heads of a path). */
uint64_t path_heard(const struct path *p, const struct hash *h);
/* Since when nothing was pushed on this connection: its last pushed head, or when it came up; mono ns. */
uint64_t path_quiet_since(const struct path *p);
/*
 * Two paths compared head by head, over the heads of the window that both pushed: who heard it first, by more than the tie line
 * (screens.md §3 trap d). p: two-sided sign test over the heads that were no tie, 1 if there is none: how likely such a split is
 * if neither is faster.
 */
struct duel {
	unsigned n, a_first, b_first, ties;
	double p;
};
struct duel model_duel(const struct model *m, unsigned a, unsigned b, enum race_window window);
/*
 * How much of the window's heads a path had heard so long after the first of all paths: out[k] of them within at_ns[k]. Heads
 * that another path heard, too. Returns how many there were.
 */
unsigned model_curve(const struct model *m, unsigned path, enum race_window window, const uint64_t *at_ns, uint32_t *out,
		     unsigned n);
/*
 * The races of the chain that is shown. minus_rtt false: as seen from this machine ("from here"). true: each arrival less half of
 * its path's round trip ("whose node is faster"), races judged anew; paths without a known round trip are left out. Never mix the
 * two. Races count from a second after their first arrival on. Cheap to ask for: figured out once per head or second, with many
 * thousand arrivals four times a second at most. NULL: no chain or no memory. Valid until the next event.
 */
const struct race_view *model_race(const struct model *m, enum race_window window, bool minus_rtt);
/* Length of a window; UINT64_MAX: since the start. */
uint64_t window_ns(enum race_window s);
const char *window_word(enum race_window s); /* "10 m", "1 h", "all" */
/*
 * Samples of a path since the start, for outputs that only grow: behind the first path; head heard + body decoded, behind the
 * first head; own head → its body decoded. NULL: none yet. Valid until the next event.
 */
enum path_hist { PATH_BEHIND, PATH_USABLE, PATH_BODY_LAG };
const struct hist *path_hist(const struct path *p, enum path_hist which);
/* The i-th newest arrival of a path, NULL past the end. */
const struct heard *path_heard_at(const struct path *p, unsigned i);
/* i-th newest note, NULL past the end. */
const struct note *model_note_at(const struct model *m, unsigned i);
/* Time between a block and its parent in ms; UNKNOWN if the parent is not known. */
uint64_t blk_interval_ms(const struct chain *c, const struct blk *b);
/* Does this path speak devp2p? */
bool path_is_p2p(const struct path *p);
/* The word for a link state: "live", "poll", "SILENT", "connecting", "down", "WRONG CHAIN". */
const char *path_state_word(const struct path *p);

#endif
