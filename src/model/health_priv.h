/* What the parts of health share: health.c keeps the states, health_limits.c the limits, health_facts.c what happened,
 * health_checks.c what each check finds. */
#ifndef MODEL_HEALTH_PRIV_H
#define MODEL_HEALTH_PRIV_H

#include "model/health.h"
#include "model/model_priv.h"

/* What one check found in one evaluation. */
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
	const struct model *m;
	const struct health_subject *s;
	const struct chain *chain; /* NULL: not known yet */
	double warn, crit; /* NaN: none */
	bool hosted, dev;
};

typedef void (*check_fn)(const struct subject_ref *r, struct finding *f);
extern const check_fn health_checks[CHECK_N];

/* OK, WARN or CRIT of a value by its limits. NaN is OK. */
enum level health_level(enum check_id id, double value, double warn, double crit);

#endif
