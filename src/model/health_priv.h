/*
 * What the parts of health share: health.c keeps the states, health_limits.c the limits, health_facts.c what happened;
 * health_heads.c, health_calls.c, health_p2p.c and health_chain.c have one function for each row of health.def.
 */
#ifndef MODEL_HEALTH_PRIV_H
#define MODEL_HEALTH_PRIV_H

#include "model/health.h"
#include "model/model_priv.h"

/* What one check found in one evaluation. A function says nothing: why_not, or the default "not measured yet". */
struct finding {
	bool applies;
	const char *why_not;
	double value;
	enum level level;
	int path;
	char text[160];
};

/* What a check is asked about. */
struct subject_ref {
	struct model *m;
	struct health_subject *s;
	const struct chain *chain; /* NULL: not known yet */
	double warn, crit; /* NaN: none; a check may set what it depends on */
	uint64_t paths, live; /* of a node; bit p: path p is one of its, and up on its chain */
	bool hosted, dev, syncing;
};

#define CHECK(id, ...) void check_##id(struct subject_ref *r, struct finding *f);
#include "model/health.def"
#undef CHECK

/* OK, WARN or CRIT of a value by its limits. NaN is OK. */
enum level health_level(enum check_id id, double value, double warn, double crit);
/* Of all paths of a node at once: age of its newest head, in seconds; NaN if it has none. */
double health_age(const struct subject_ref *r, const struct blk **head);

/* It applies: value, level by the limits, text. */
void found(const struct subject_ref *r, struct finding *f, enum check_id id, double value, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
void not_here(struct finding *f, const char *why);
/* "geth/ws", or "geth" for a node with one path, into out[48]. Returns out. */
char *health_path(const struct subject_ref *r, const struct path *p, char out[48]);
/* "610 ms", "49 s", "26 min", "5h12m", "7d10h" into out[24]. Returns out. */
char *health_span(char out[24], double seconds);

#endif
