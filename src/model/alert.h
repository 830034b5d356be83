/*
 * Alerts: what health (model/health.h) found, as something that is told once. For each check of each subject that left OK: its
 * state, since when, how often; acknowledged or muted by somebody; and what was told of it last.
 *
 * Told is a change of state, as an event in a ring that any number of readers follow with a cursor of their own. Rules:
 *   - the same state of the same check is told again only ALERT cool-down after the last time (10 min if nobody says otherwise);
 *     a state that lasts until then is told late, one that ends before is never told
 *   - a worse state has a cool-down of its own: WARN told a minute ago does not hold CRIT back
 *   - the end (OK) of what was told is told at once, always
 *   - an acknowledged one is not told again until it is over or worse; a muted one not until the mute is over
 * Holding and hysteresis are health's affair. Pure, like all of model/.
 */
#ifndef MODEL_ALERT_H
#define MODEL_ALERT_H

#include "model/health.h"

#define ALERT_COOLDOWN_NS UINT64_C(600000000000)
#define ALERT_MUTE_NS UINT64_C(3600000000000) /* what the key mutes for */
#define ALERT_KEPT_NS UINT64_C(3600000000000) /* what is over stays in the list for so long */

enum { ALERTS_MAX = 256, ALERT_EVENTS = 64 };

struct alert {
	uint64_t id; /* > 0, never used again */
	enum check_scope scope;
	unsigned subject; /* index as in health_subject */
	enum check_id check;
	char name[33]; /* of the subject */
	enum level level; /* LEVEL_OK: it is over */
	uint64_t since_mono, since_wall; /* of that level */
	unsigned count; /* how often it left OK */
	double value, limit; /* of the last finding, in the check's unit; NaN: unknown */
	char text[160]; /* the last finding; once it is over what is found now */
	int path; /* −1: none */
	bool acked;
	enum level acked_level;
	uint64_t mute_until; /* mono; 0: not muted */
	enum level told; /* what was told last */
	uint64_t told_mono[LEVEL_CRIT + 1]; /* when each level was; 0: never */
};

/* A change of state that is to be told. Everything in it is text for others: printable, without keys. */
struct alert_event {
	uint64_t seq; /* 1, 2, … */
	uint64_t mono, wall, since_wall; /* now; since when it has this level */
	enum level level, before; /* before: what was told last; LEVEL_OK in level: resolved */
	enum check_scope scope;
	enum check_id check;
	char name[33], chain[33]; /* chain: the name of the chain it is judged by; "" */
	char text[160];
	double value, limit; /* NaN: unknown */
	unsigned count;
};

struct alerts {
	struct alert at[ALERTS_MAX];
	unsigned n;
	unsigned warn, crit; /* how many are in that state now */
	unsigned fresh; /* of them neither acknowledged nor muted */
	uint64_t cooldown_ns;
	uint64_t last_id, seq; /* seq: of the newest event; 0: none yet */
	struct alert_event event[ALERT_EVENTS]; /* ring: seq % ALERT_EVENTS */
	uint64_t lost; /* states that had no room in the list */
};

struct model;

/* The cool-down of this model; before the first tick. */
void model_alert_cooldown(struct model *m, uint64_t ns);
/*
 * The event behind *cursor, which moves on; false: there is none. Begin with 0. A reader that is more than ALERT_EVENTS late
 * gets the oldest that is there.
 */
bool model_alert_next(const struct model *m, uint64_t *cursor, struct alert_event *out);
/* Acknowledges, or takes that back. False: no such alert, or it is over. */
bool model_alert_ack(struct model *m, uint64_t id);
/* Mutes for ns from now, or takes that back if it is muted. False: no such alert. */
bool model_alert_mute(struct model *m, uint64_t id, uint64_t ns);
/* NULL: there is none of that id. */
const struct alert *model_alert(const struct model *m, uint64_t id);
/*
 * What somebody sees of an event who only wants to hear of `least` and worse: states below it count as OK. False: nothing.
 * *level: the state to tell.
 */
bool alert_seen_from(const struct alert_event *e, enum level least, enum level *level);

/* ---- inside model/ ---- */

/* After each evaluation of health. */
void alert_tick(struct model *m);
/* to is a plain copy of m; false without memory. */
bool alert_clone(struct model *to, const struct model *m);
void alert_free(struct model *m);

#endif
