/*
 * What health remembers of a path beyond what the screens show: windows, and what happened when. Filled by events alone,
 * each path's by its own, so the order of the rings has no say.
 */
#ifndef MODEL_HEALTH_FACTS_H
#define MODEL_HEALTH_FACTS_H

#include "base/err.h"
#include "base/hist.h"
#include "feed/event.h"

enum {
	CALL_SLICES_5M = 10, /* of 30 s */
	LAGS_KEPT = 64,
	FINALS_KEPT = 16,
	BACKS_KEPT = 8,
	WRONG_KEPT = 4,
	P99_HOUR = 12, /* of five minutes */
};

struct health_facts {
	/* Calls of the last five minutes; a batch is as many calls as it has items. */
	struct {
		uint64_t epoch;
		uint32_t n, failed;
		uint16_t by[ST_N];
	} call[CALL_SLICES_5M];
	uint64_t retry_mono; /* when a node last said to come back later; UNKNOWN never */
	uint32_t retry_ms;
	/* p99 of each five minutes of the last hour, in µs; 0: fewer than 20 calls in them. */
	struct hist *method[M_N]; /* of the five minutes under way; NULL: none yet */
	uint32_t p99[M_N][P99_HOUR];
	uint64_t p99_epoch; /* of those under way */
	/* Own head → its body decoded, newest LAGS_KEPT. */
	struct {
		uint64_t mono, ns;
	} lag[LAGS_KEPT];
	unsigned lag_n, lag_next;
	/* Its head fell. */
	uint64_t told_number; /* announced last, in the order of the stamps; UNKNOWN */
	struct {
		uint64_t mono, from, to;
	} back[BACKS_KEPT];
	unsigned back_n, back_next;
	/* Bodies of it that did not verify. */
	struct {
		uint64_t mono;
		struct hash hash;
		unsigned times;
		char field[32];
	} wrong[WRONG_KEPT];
	unsigned wrong_n, wrong_next;
	/* Finalized blocks that the node (its first path keeps them) has told, and when it last took one back. */
	struct {
		uint64_t number;
		struct hash hash;
	} final[FINALS_KEPT];
	unsigned final_n, final_next;
	uint64_t final_mono;
	uint64_t unfinal_mono, unfinal_number, unfinal_from; /* UNKNOWN never; from: UNKNOWN if its hash changed */
	uint8_t cause; /* enum status of the last failure of its connection */
	/* Pushed heads, and subscriptions since the last one. */
	uint64_t push_mono, push_number; /* UNKNOWN */
	unsigned subs;
	uint64_t empty_mono; /* since when its pool is empty; UNKNOWN: it is not */
	char was[64]; /* client before the last change, shortened */
	uint64_t client_mono; /* UNKNOWN: it never changed */
	/* eth_config or Status. */
	bool fork_known;
	uint64_t fork_mono, fork_time, fork_next; /* time: UNKNOWN from Status; next: UNKNOWN none */
	uint32_t fork_id, fork_next_id; /* next_id 0: not told */
	/* Disk. */
	uint64_t disk_free, disk_total, disk_mono; /* UNKNOWN */
	char mount[96];
};

struct model;
struct path;

void facts_init(struct health_facts *h);
void facts_fini(struct health_facts *h);
/* Every event of a path, before the model takes it. */
void facts_event(struct model *m, const struct event *e);
/* The path is on a chain now; left: on another one than before, and what it told of that is of no use. */
void facts_forget(struct model *m, unsigned path, bool left);
void facts_back(struct path *p, uint64_t from, uint64_t to, uint64_t mono);
void facts_body_lag(struct path *p, uint64_t done_mono, uint64_t ns);
/* An EV_VERDICT that says no. */
void facts_wrong(struct path *p, const struct event *e);
/* "Geth/1.17.2" of "Geth/v1.17.2-stable-abc/linux-amd64/go1.24" into out[64]. */
void facts_client(char out[64], const char *client);

#endif
