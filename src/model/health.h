/*
 * Health: what is wrong, of which node, since when, beyond which limit. One table (health.def) for the screens, line 2,
 * alerts, `chaintop check` and metrics. Evaluated by model_tick, at most once a second of the model's time (HEALTH_PERIOD_NS);
 * two bad evaluations raise a level, three better ones lower it (screens.md §5), so 2 and 3 s. Pure, like all of model/.
 *
 * A finding belongs to a subject: a node (all paths of one name), a chain (finality, reorgs), or this machine (its clock).
 * A check of a node is the worst over its paths; its text names the path where that matters.
 */
#ifndef MODEL_HEALTH_H
#define MODEL_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct model;

#define HEALTH_PERIOD_NS UINT64_C(1000000000)

enum {
	HEALTH_RAISE = 2, /* bad evaluations in a row */
	HEALTH_CLEAR = 3, /* good ones */
	HEALTH_NODES = 64, /* NODES_MAX */
	HEALTH_CHAINS = 8, /* CHAINS_MAX */
	HEALTH_SUBJECTS = 1 + HEALTH_CHAINS + HEALTH_NODES,
};

enum level { LEVEL_OK, LEVEL_WARN, LEVEL_CRIT, LEVEL_WAIT /* of line 2 only: nothing is known yet */ };

enum check_id {
#define CHECK(id, ...) CHECK_##id,
#include "model/health.def"
#undef CHECK
	CHECK_N
};

enum check_scope { SCOPE_NODE, SCOPE_CHAIN, SCOPE_MACHINE };
enum check_unit { UNIT_S /* seconds */, UNIT_COUNT, UNIT_BLOCKS, UNIT_PERCENT /* 1 is 1 % */ };

enum check_flags {
	CHECK_LOW = 1u << 0,
	CHECK_REACH = 1u << 1,
	CHECK_AT_ONCE = 1u << 2,
	CHECK_OFF_DEV = 1u << 3,
	CHECK_OFF_HOSTED = 1u << 4,
	CHECK_OFF_ROLLUP = 1u << 5,
	CHECK_STATE = 1u << 6, /* value and limits are states, not figures for a reader: the text says it */
};

struct check_info {
	const char *name, *label;
	enum check_scope scope;
	enum check_unit unit;
	unsigned flags;
	unsigned hold_s;
};

struct check_view {
	bool applies; /* false: it says nothing here, and why_not says why; level is LEVEL_OK then */
	const char *why_not; /* "no peer count", "dev chain", …; NULL if applies */
	enum level level; /* after hysteresis: OK, WARN, CRIT */
	double value, warn, crit; /* in the check's unit; NaN: unknown, no such limit */
	char text[160]; /* one finding or fact: "geth: newest block is 49 s old (limit 48 s)" */
	int path; /* index of the path it is about, −1: all of the subject's */
	uint64_t since_mono, since_wall; /* since when it has this level; UNKNOWN before the first evaluation that applies */
	uint64_t seq; /* value of health.seq when the level changed last; 0 never */
	unsigned count; /* how often it left OK since the start */
	uint8_t bad, good; /* evaluations in a row: hysteresis */
	enum level raw; /* of the last evaluation by itself */
	enum level pending; /* level that `bad` or `good` counts for */
};

struct health_subject {
	enum check_scope scope;
	unsigned index; /* of path (the first of its node), or of model.chains */
	int chain; /* index of the chain it is judged by, −1: not known yet */
	char name[33]; /* "geth", "Ethereum", "this machine" */
	enum level level; /* worst check */
	enum check_id worst; /* CHECK_N if all is well */
	unsigned ok, total; /* of the checks that apply */
	uint64_t behind_since[2]; /* head of the best node at which the warning and the critical limit were passed; UNKNOWN */
	struct check_view check[CHECK_N]; /* of other scopes: never apply */
};

struct health {
	struct health_subject *subject[HEALTH_SUBJECTS]; /* the machine, then chains, then nodes in the order of their paths */
	unsigned n;
	/* Of the chain that is shown, its nodes and this machine. A check counts once: it is ok if it is ok everywhere. */
	unsigned ok, total;
	enum level level;
	const struct check_view *worst; /* NULL: all is well */
	enum check_id worst_id; /* CHECK_N then */
	unsigned more; /* findings besides that one */
	uint64_t seq; /* counts every change of a level; compare to see whether anything happened */
	uint64_t evaluated_mono; /* 0: never */
};

/* A limit that somebody set: `check age { warn = 48s crit = 120s }`. */
struct limit_row {
	const char *name; /* "age", "bsc/age", "56/age": of all chains, of one by name (case and spaces do not matter) or id */
	double warn, crit; /* in the check's unit; NaN: as the table says; INFINITY: none */
};

const struct check_info *check_info(enum check_id id);
/* By its name in the configuration, "age" or "bsc/age"; −1: there is none. */
int check_find(const char *name);
/* Takes a copy of all rows, in the place of earlier ones; the last that fits wins. ST_USAGE: *e names the bad row. */
enum status model_limits(struct model *m, const struct limit_row *rows, unsigned n, struct err *e) MUST_CHECK;
/* The limits that hold for a check on a chain (index, −1: not known), in the check's unit; NaN: none. */
void health_limits(const struct model *m, int chain, enum check_id id, double *warn, double *crit);
/* A node's state by any of its paths; NULL before the first evaluation. */
const struct health_subject *health_node(const struct model *m, unsigned path);
const struct health_subject *health_chain(const struct model *m, unsigned chain);
/* "OK", "WARN", "CRIT"; for n/a see check_view.applies. */
const char *level_word(enum level l);
/* "49 s", "3", "1.4 %", "12 blocks", "—" for NaN. Returns out. */
char *check_value(char *out, size_t size, enum check_unit unit, double v);

/* ---- inside model/ ---- */

/* Evaluates if HEALTH_PERIOD_NS passed since the last time; true if it did. */
bool health_tick(struct model *m);
/* The event log gets a line when a node's two sides begin to differ, differ more, or agree again. After health_tick. */
void health_p2p_note(struct model *m);
/* Another chain takes this place. */
void health_forget(struct model *m, unsigned chain);
/* The chain at `from` has the place `to` now, whose own is gone. */
void health_moved(struct model *m, unsigned from, unsigned to);
void health_free(struct model *m);
/* to is a plain copy of m; false without memory: free it. */
bool health_clone(struct model *to, const struct model *m);

#endif
