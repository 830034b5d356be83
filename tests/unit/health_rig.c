#include "health_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEP_MS = 250, LONGEST_MS = 7200000 };

void world_init(struct world *w, uint64_t chain, uint64_t t_ms)
{
	static const struct path_setup setup[PATHS] = {
		{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
		{ .node = "geth", .via = "ipc", .show = "geth.ipc", .push = true, .local = true },
		{ .node = "reth", .via = "ws", .show = "127.0.0.1:9546", .push = true, .local = true },
		{ .node = "infura", .via = "wss", .show = "mainnet.infura.io:443", .push = true },
	};

	*w = (struct world){ .m = model_new(setup, PATHS, RIG_T0, RIG_WALL0), .t_ms = t_ms, .mask = ALL };
	assert_non_null(w->m);
	for (unsigned i = 0; i < PATHS; i++) {
		rig_link(w->m, i, 0, LINK_LIVE, ST_OK);
		rig_chain(w->m, i, 0, chain, 7);
	}
	rig_tick(w->m, 0);
}

void world_fini(struct world *w)
{
	model_free(w->m);
}

struct head world_head(const struct world *w, uint64_t number, uint64_t tag, uint64_t parent)
{
	struct head h = rig_head(number, tag, parent);

	h.time_ms = RIG_WALL0 / NS_MS + number * w->t_ms;
	return h;
}

static void step(struct world *w)
{
	w->ms += STEP_MS;
	while ((w->n + 1) * w->t_ms <= w->ms) {
		struct head h = world_head(w, w->n + 1, w->n + 1, w->n);

		w->n++;
		for (unsigned i = 0; i < PATHS; i++)
			if (w->mask & 1u << i)
				rig_say(w->m, i, w->n * w->t_ms + i, &h, SRC_PUSH);
	}
	rig_tick(w->m, w->ms);
}

void world_run(struct world *w, uint64_t to_ms)
{
	while (w->ms < to_ms)
		step(w);
}

static const struct check_view *of(const struct health_subject *s, enum check_id id)
{
	assert_non_null(s);
	return &s->check[id];
}

const struct check_view *world_check(const struct world *w, unsigned path, enum check_id id)
{
	return of(health_node(w->m, path), id);
}

const struct check_view *world_chain_check(const struct world *w, enum check_id id)
{
	return of(health_chain(w->m, w->m->shown), id);
}

static uint64_t until(struct world *w, int path, enum check_id id, enum level level)
{
	for (;;) {
		const struct check_view *v = path < 0 ? world_chain_check(w, id) : world_check(w, (unsigned)path, id);

		if (v->level == level)
			return w->ms;
		if (w->ms >= LONGEST_MS)
			fail_msg("%s never became %s: %s (%s)", check_info(id)->name, level_word(level), v->text,
				 v->applies ? "" : v->why_not);
		step(w);
	}
}

uint64_t world_until(struct world *w, unsigned path, enum check_id id, enum level level)
{
	return until(w, (int)path, id, level);
}

uint64_t world_chain_until(struct world *w, enum check_id id, enum level level)
{
	return until(w, -1, id, level);
}

void world_stays_ok(struct world *w, unsigned path, enum check_id id, uint64_t to_ms)
{
	while (w->ms < to_ms) {
		step(w);
		if (world_check(w, path, id)->level != LEVEL_OK)
			fail_msg("%s at %llu ms: %s", check_info(id)->name, (unsigned long long)w->ms,
				 world_check(w, path, id)->text);
	}
	if (!world_check(w, path, id)->applies)
		fail_msg("%s does not apply: %s", check_info(id)->name, world_check(w, path, id)->why_not);
}

void world_is(const struct world *w, unsigned path, enum check_id id, enum level level, const char *text)
{
	const struct check_view *v = world_check(w, path, id);

	if (!v->applies)
		fail_msg("%s does not apply: %s", check_info(id)->name, v->why_not);
	assert_string_equal(v->text, text);
	assert_int_equal(v->level, level);
}

void world_not_here(const struct world *w, unsigned path, enum check_id id, const char *why)
{
	const struct check_view *v = world_check(w, path, id);

	if (v->applies)
		fail_msg("%s applies: %s", check_info(id)->name, v->text);
	assert_string_equal(v->why_not, why);
	assert_int_equal(v->level, LEVEL_OK);
}

/* ---- events ---- */

static struct event event(const struct world *w, enum event_kind kind, unsigned path)
{
	return (struct event){
		.kind = kind, .path = (uint16_t)path, .mono = RIG_T0 + w->ms * NS_MS, .wall = RIG_WALL0 + w->ms * NS_MS,
	};
}

void world_info(struct world *w, unsigned path, enum info_kind kind, uint64_t a, uint64_t b, uint64_t c, bool yes)
{
	struct event e = event(w, EV_INFO, path);

	e.u.info.info = (uint8_t)kind;
	e.u.info.a = a;
	e.u.info.b = b;
	e.u.info.c = c;
	e.u.info.yes = yes;
	if (kind == INFO_DISK)
		snprintf(e.u.info.text, sizeof(e.u.info.text), "/data");
	model_apply(w->m, &e);
}

void world_client(struct world *w, unsigned path, const char *client)
{
	struct event e = event(w, EV_INFO, path);

	e.u.info.info = INFO_CLIENT;
	snprintf(e.u.info.text, sizeof(e.u.info.text), "%s", client);
	model_apply(w->m, &e);
}

void world_tag(struct world *w, unsigned path, bool final, uint64_t number, uint64_t tag, uint64_t time_s)
{
	struct event e = event(w, EV_TAG, path);

	e.u.tag.final = final;
	e.u.tag.number = number;
	e.u.tag.hash = rig_hash(tag);
	e.u.tag.time_ms = RIG_WALL0 / NS_MS + time_s * 1000;
	model_apply(w->m, &e);
}

void world_calls(struct world *w, unsigned path, unsigned n, enum status code, uint64_t latency_ms)
{
	struct event e = event(w, EV_REPLY, path);

	e.u.reply.method = M_BLOCK_BY_HASH;
	e.u.reply.code = (uint8_t)code;
	e.u.reply.latency_ns = latency_ms * NS_MS;
	e.u.reply.wait_ms = code == ST_RATE ? 3000 : 0;
	for (unsigned i = 0; i < n; i++)
		model_apply(w->m, &e);
}

void world_clock(struct world *w, uint64_t bound_ns)
{
	struct event e = event(w, EV_CLOCK, PATHS_MAX);

	e.u.clock.bound_ns = bound_ns;
	model_apply(w->m, &e);
}
