/* What the model makes of the probe's events; see judge.h. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hex.h"
#include "base/time.h"

struct model *judge_new(unsigned paths)
{
	struct path_setup setup[PATHS_MAX] = { { .node = NULL } };
	char name[PATHS_MAX][16];

	for (unsigned i = 0; i < paths && i < PATHS_MAX; i++) {
		snprintf(name[i], sizeof(name[i]), "n%u", i);
		setup[i] = (struct path_setup){ .node = name[i], .via = "ws", .show = "", .push = true };
	}
	return model_new(setup, paths, time_mono(), time_wall());
}

/* −1: not known. */
static void times(const char *name, const struct race_times *t)
{
	const uint64_t v[] = { t->p50, t->p90, t->p99, t->max };

	printf(",\"%s\":[%" PRIu64, name, t->n);
	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		printf(",%" PRId64, v[i] == UNKNOWN ? INT64_C(-1) : (int64_t)v[i]);
	printf("]");
}

static void print_race(const struct model *m, bool minus_rtt)
{
	const struct race_view *v = model_race(m, RACE_ALL, minus_rtt);

	if (!v)
		return;
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct race_path *p = &v->path[i];

		printf("{\"ev\":\"race\",\"path\":%u,\"minus_rtt\":%s,\"heads\":%" PRIu64 ",\"raced\":%" PRIu64
		       ",\"won\":%" PRIu64 ",\"ties\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"dups\":%" PRIu64
		       ",\"backs\":%" PRIu64 ",\"rtt\":%" PRId64,
		       i, minus_rtt ? "true" : "false", v->heads, p->raced, p->won, p->ties, p->missed, m->paths[i]->dups,
		       m->paths[i]->backs, m->paths[i]->rtt_ns == UNKNOWN ? INT64_C(-1) : (int64_t)m->paths[i]->rtt_ns);
		times("behind", &p->behind);
		printf("}\n");
	}
}

void judge_end(struct model *m)
{
	const struct chain *c;
	char from[70], to[70];

	model_tick(m, time_mono(), time_wall());
	print_race(m, false);
	print_race(m, true);
	c = model_chain(m);
	for (unsigned i = 0; c && i < c->n_reorgs; i++)
		printf("{\"ev\":\"reorg\",\"number\":%" PRIu64 ",\"depth\":%" PRIu32 ",\"from\":\"%s\",\"to\":\"%s\"}\n",
		       c->reorgs[i].number, c->reorgs[i].depth, hex_print(from, c->reorgs[i].from.b, 32),
		       hex_print(to, c->reorgs[i].to.b, 32));
	for (unsigned i = 0; c && i < c->n_setbacks; i++)
		printf("{\"ev\":\"back\",\"path\":%u,\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}\n", c->setbacks[i].path,
		       c->setbacks[i].from, c->setbacks[i].to);
	model_free(m);
}
