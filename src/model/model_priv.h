/* What the files of model/ share and nobody else sees. */
#ifndef MODEL_MODEL_PRIV_H
#define MODEL_MODEL_PRIV_H

#include "base/time.h"
#include "model/health_facts.h"
#include "model/model.h"

enum {
	NUMBER_BITS = 63, /* a block number beyond that is a lie */
	NONCANON_KEPT = 2048, /* orphans and side blocks, so that a liar cannot push the chain out */
	PROV_MAX = 64,
	RACES_KEPT = 1024,
	USABLE_KEPT = 256,
	QUEUE_MAX = 2048,
	ORPHANS_WATCHED = 128,
	SETBACKS = sizeof(((struct chain *)0)->setbacks) / sizeof(struct setback),
	REORGS = sizeof(((struct chain *)0)->reorgs) / sizeof(struct reorg),
};

#define REVISE_NS NS_S /* "first" may be revised for so long (design.md §4.6) */
#define TIE_NS (NS_MS / 10) /* closer than that nobody wins (screens.md §3 trap d) */
#define NO_PATH UINT16_MAX
#define CLOCK_UNSET_NS (16 * NS_S) /* the kernel's bound for a clock that nobody sets */

#define LATE_UNKNOWN INT64_MIN
#define CLOCK_BOUND_MAX (16 * NS_S) /* from here on a clock is not synchronised (screens.md §3 trap a) */

enum race_stage { RACE_OPEN, RACE_ALONE /* one pushed path heard it */, RACE_KIN /* paths of one node only */, RACE_RUN };

struct node {
	struct blk b; /* first: a blk pointer is a node pointer */
	struct node *next_free;
	uint64_t known_mono; /* earliest event that told of it */
	/* Bit p: path p … */
	uint64_t told_by; /* announced it: pushed, polled, or among the first after a connect */
	uint64_t pushed_by; /* pushed it: an arrival that is ranked */
	uint64_t first_by; /* pushed it right after a connect: no arrival */
	uint64_t claimed_by; /* had it as its head, in the order of the decisions (fork.c) */
	uint64_t missed_by; /* cannot serve its body */
	uint64_t no_by; /* gave a body that does not fit its header */
	uint64_t push_mono; /* earliest pushed arrival, UNKNOWN */
	uint64_t asked_mono; /* by model_wants */
	uint32_t asks;
	uint32_t body_bytes;
	bool tips_done, tips_known; /* of the next two, once asked for */
	struct u256 tips_lo, tips_hi;
	uint64_t lost_by; /* did not push it although it was there: counted */
	uint64_t race_seq; /* its line in the chain's racelog, UNKNOWN */
	uint16_t push_path;
	uint8_t race; /* enum race_stage */
	bool race_closed; /* "first" stands */
	bool ready; /* its event has passed the queue */
	bool prov; /* on top of the chain before the decision */
	bool in_rows;
	bool watched; /* seen.c waits for it */
	bool noted; /* the event log told of its body: missing or wrong */
	uint8_t yes_n, no_n, unknown_n; /* verdicts */
	uint8_t part_n[PART_N][TRUTH_NO + 1]; /* of each part, by enum truth */
	uint8_t queue_no; /* what has passed the queue of it */
	bool queue_yes, queue_body;
	char no_field[32], unknown_why[64];
};

/* Ascending by number, the canonical block last of its height: newest first is from the end. */
struct nodeset {
	struct node **v;
	unsigned n, cap;
};

struct slab {
	struct slab *next;
	struct node node[64];
};

struct race {
	struct hash hash;
};

struct race_rec {
	uint64_t first_mono; /* earliest push */
	int64_t late_ns; /* after the block's own time; LATE_UNKNOWN */
};

struct racelog {
	struct race_rec *rec; /* ring: line seq is at seq % cap; cap grows up to RACES_LOGGED */
	uint32_t *us; /* per line and path, µs behind the first; or RUN_ABSENT, RUN_MISSED (racelog.c) */
	unsigned cap, paths;
	uint64_t seq; /* of the next line */
	uint64_t floor; /* lines before it do not count any more */
	uint64_t version;
	uint64_t told_version, told_mono; /* of the paths' figures */
	struct race_view_kept {
		struct race_view *v;
		bool made;
		uint64_t version, mono, bound, span_ns; /* of what it was made; its span then */
	} view[RACE_WINDOWS][2];
};

struct chain_store {
	struct racelog races;
	struct node **slot; /* open addressing by hash */
	unsigned slots, kept_canon;
	struct nodeset rows, hidden;
	struct slab *slabs;
	struct node *free;
	struct node *tip; /* as decided; chain.head may be above it by the provisional ones */
	struct node *prov[PROV_MAX];
	unsigned n_prov;
	struct race open[RACES_KEPT], judged[RACES_KEPT]; /* not settled; settled, missed heads not counted */
	unsigned open_n, judged_n;
	struct hash orphans[ORPHANS_WATCHED]; /* newest last: re-inclusion is being counted */
	unsigned n_orphans;
	bool orphans_dirty;
	bool stats_dirty;
	bool queue_verified; /* a ✓ has passed the queue */
	struct hash next_of; /* chain.next is of the block after this one */
	uint64_t body_low; /* no body below this number */
	uint64_t body_bytes;
	uint64_t stats_mono;
	/* Of chain.reorgs: its line in the event log, and how often in a row it was the same height. */
	uint64_t reorg_note[REORGS], review_mono;
	unsigned reorg_same[REORGS];
	uint64_t chosen; /* the lowest block of a branch that we took while no node had turned to it; else UNKNOWN */
	uint16_t tag_path[2];
};

struct claim {
	bool set;
	struct hash hash;
	uint64_t number, mono;
	uint64_t switch_mono; /* when the path left another branch for this one; 0 never */
};

struct slice {
	uint64_t epoch, n, ns;
};

enum { CALL_SLICES = 12 };

/* Of the calls that ended within one slice of time. */
struct call_slice {
	uint64_t epoch;
	uint64_t n, failed, calls, bytes; /* ended; sent, and their bytes both ways */
	uint64_t xfer_n, xfer_bytes, xfer_ns, dups;
	uint32_t by_code[ST_N];
};

/* The slices of RACE_10M and RACE_1H; RACE_ALL is one slice that never ends. */
struct call_window {
	struct call_slice slice[CALL_SLICES];
	struct hist_window latency, usable;
};

struct path_priv {
	uint64_t key; /* stamp of its last queued event: its own order is kept */
	struct claim claim, low; /* low: a lower head of which nobody knows whether it is an ancestor */
	unsigned low_run;
	bool fresh; /* connected anew: its next head counts whatever its number is */
	/* Link. */
	bool up, ever_up;
	bool queue_up; /* the same, in the order of the queue */
	bool noted_up, noted_down, noted_silent, noted_silent_line; /* what the event log has said */
	uint64_t up_since, down_mono, down_wall; /* UNKNOWN */
	uint64_t first_head; /* first pushed head of this connection, UNKNOWN */
	bool guessed; /* its genesis is not known: the chain is one of its id */
	int noted_chain; /* wrong one that it told of, −1 */
	uint64_t trouble_note; /* seq of the note that is kept up to date, UNKNOWN */
	unsigned trouble_n;
	uint64_t lost_note;
	enum level noted_p2p; /* what the event log has said of CHECK_p2p */
	uint64_t resub_mono; /* by model_wants */
	/* Figures. */
	struct hist *behind, *usable, *body_lag; /* since the start: path_hist */
	struct hist_window *method[M_N];
	struct call_window calls[RACE_WINDOWS];
	bool race_dirty, calls_dirty;
	uint64_t race_mono, calls_mono;
	struct slice err[10]; /* of 30 s */
	struct slice rtt[10]; /* of one minute: ns is the least */
	uint64_t start_mono, traffic_calls, traffic_bytes; /* as told last */
	uint64_t client[4]; /* hashes of the versions that answered */
	unsigned clients, client_now;
	struct {
		uint64_t mono, bytes, calls;
	} snap[16];
	unsigned snaps;
	struct {
		uint64_t mono, at;
	} sync[8];
	unsigned syncs;
	struct health_facts health;
};

struct usable {
	struct hash hash;
	int chain;
	uint16_t path;
	uint64_t done_mono;
};

struct queued {
	uint64_t key;
	struct event e;
};

struct model_priv {
	struct queued *queue; /* ascending by key, path */
	unsigned queued, queue_cap;
	struct usable usable[USABLE_KEPT];
	unsigned n_usable;
	struct u256 *tips; /* scratch */
	uint32_t tips_cap;
	struct hash *seen; /* scratch: hash set of transactions */
	uint32_t seen_cap;
	unsigned dirty; /* to be returned by the next tick */
	bool chosen; /* the user chose the chain that is shown */
	uint64_t second; /* of the last tick */
	uint64_t clock_mono;
	bool copy; /* by model_clone: it takes no events */
	struct seen *announced; /* NULL: no announcement came yet, or a copy */
	/* Pool. */
	int pool_path;
	uint64_t pool_mono;
	/* Own CPU. */
	struct {
		uint64_t mono, cpu;
	} cpu[8];
	unsigned cpus;
	bool own_dirty;
	uint64_t own_mono;
	uint64_t clock_raw; /* as told, also where it is so large that lateness is hidden; UNKNOWN */
	struct limit_row *limits; /* one allocation with their names */
	unsigned n_limits;
};

static inline struct node *node_of(const struct blk *b)
{
	return (struct node *)b;
}

static inline uint64_t sub_sat(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static inline uint64_t add_sat(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t ms_ns(uint64_t ms)
{
	return ms > UINT64_MAX / NS_MS ? UINT64_MAX : ms * NS_MS;
}

static inline uint64_t bit(unsigned path)
{
	return UINT64_C(1) << path;
}

static inline bool link_up(enum link_state s)
{
	return s == LINK_LIVE || s == LINK_POLLING || s == LINK_SILENT;
}

/* Sources that are a node's own word that this is its head now. */
static inline bool announces(uint8_t source)
{
	return source == SRC_PUSH || source == SRC_POLL || source == SRC_FIRST;
}

/* These may tell of a block above the tip too, but never of another branch. */
static inline bool extends(uint8_t source)
{
	return announces(source) || source == SRC_BACKFILL || source == SRC_GAP;
}

/* T in ns, or fallback if it is not known. */
static inline uint64_t chain_t_ns(const struct chain *c, uint64_t fallback)
{
	return c->block_ms == UNKNOWN || c->block_ms == 0 ? fallback : ms_ns(c->block_ms);
}

#endif
