/* ui/panes: any model at any size, any command in any order; drawing twice gives the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "mockup.h"
#include "pane_shot.h"

static const struct pane_class *const overview[] = {
	&pane_blocks, &pane_gas, &pane_txrate, &pane_pulse, &pane_endpoints, &pane_mempool, &pane_events, &pane_health,
};

enum { PANES = sizeof(overview) / sizeof(overview[0]) };

/* ---- any model, any size ---- */

static void hostile_path(struct path *p, unsigned i)
{
	static const char *const name[] = { "", "\xff\xfe", "\xe4\xbd\xa0\xe5\xa5\xbd\xe4\xbd\xa0",
					    "a.very.long.name.example.org:8546" };
	uint64_t v = i % 2 ? UINT64_MAX : UINT64_MAX - 1;
	double d = i % 3 == 0 ? (double)NAN : i % 3 == 1 ? (double)INFINITY : -1e300;

	snprintf(p->node, sizeof(p->node), "%s", name[i % 4]);
	p->state = (enum link_state)(i % (LINK_STOPPED + 1));
	p->state_since = i % 5 ? v : 0;
	p->push = i % 3;
	p->other_chain = i % 7 == 0;
	p->wrong_chain = i % 14 == 0;
	memset(p->text, 'x', sizeof(p->text) - 1);
	memset(p->cure, '\xe2', sizeof(p->cure) - 1);
	p->has_head = i % 2;
	p->head_number = p->behind_blocks = p->retry_mono = p->poll_interval_ns = v;
	p->heads = p->won = p->ties = p->raced = v;
	p->behind_p50 = p->behind_p99 = p->usable_p90 = p->call_p50 = p->call_p99 = v;
	p->xfer_bytes_per_s = p->calls_per_min = p->bytes_per_min = d;
	p->errors.total_5m = UINT32_MAX;
	p->facts.peers = p->facts.pending = p->facts.queued = v;
	for (unsigned k = 0; k < HEARD_KEPT; k++) {
		p->heard[k].mono = k % 2 ? v : k * NS_S;
		p->heard[k].source = (uint8_t)k;
		p->heard[k].late = k % 3;
	}
	p->heard_n = i % 4 ? HEARD_KEPT : i;
	p->heard_next = i * 8 % HEARD_KEPT;
}

static void hostile_block(struct blk *b, unsigned i)
{
	uint64_t v = i % 2 ? UINT64_MAX : 0;

	b->h.time_ms = i % 3 ? v : b->h.time_ms;
	b->h.gas_used = UINT64_MAX;
	b->h.gas_limit = i % 2 ? 0 : UINT64_MAX;
	b->h.blob_gas_used = b->h.excess_blob_gas = v;
	memset(&b->h.base_fee, 0xff, sizeof(b->h.base_fee));
	memset(&b->tips, 0xff, sizeof(b->tips));
	b->tips.valid = true;
	b->ntx = b->size = b->blobs = b->creates = UINT32_MAX;
	b->late_ns = i % 2 ? INT64_MIN : INT64_MAX;
	b->heard = b->late_known = true;
	b->state = (enum blk_state)(i % 3);
	b->orphaned_mono = v;
	b->first_mono = v;
	b->reincluded = INT32_MAX;
	memset(b->builder, 'b', sizeof(b->builder) - 1);
}

static struct model *hostile(void)
{
	struct path_setup setup[PATHS_MAX];
	struct model *m, *mock = mockup_model();
	struct chain *c = mock->chains[0];

	for (unsigned i = 0; i < PATHS_MAX; i++)
		setup[i] = (struct path_setup){ .node = "n", .via = "ws", .show = "x", .push = true };
	m = model_new(setup, PATHS_MAX, 0, 0);
	assert_non_null(m);
	/* The chain of the mock-up changes hands. */
	m->chains[0] = c;
	m->n_chains = 1;
	mock->n_chains = 0;
	model_free(mock);
	for (unsigned i = 0; i < m->n_paths; i++) {
		m->paths[i]->chain = 0;
		hostile_path(m->paths[i], i);
	}
	for (unsigned i = 0; i < 10; i++)
		hostile_block(chain_by_number(c, MOCKUP_NUMBER - i), i);
	c->block_ms = UINT64_MAX - 1;
	c->stats.n = UINT32_MAX;
	c->stats.span_ms = UINT64_MAX;
	c->stats.rates_known = true;
	c->stats.tx_per_s = c->stats.gas_per_s = (double)INFINITY;
	c->stats.full_streak = UINT32_MAX;
	c->stats.kb_mean = UINT64_MAX - 1;
	memset(&c->stats.burned, 0xff, sizeof(c->stats.burned));
	memset(&c->next, 0xff, sizeof(c->next));
	c->next.base_known = c->next.blob_known = true;
	for (unsigned i = 0; i < 6; i++)
		c->stats.type_share[i] = i % 2 ? 1e300 : (double)INFINITY;
	m->now_mono = m->now_wall = UINT64_MAX;
	m->pool = (struct pool_view){ .known = true, .pending = UINT64_MAX - 1, .per_s = 1e300, .history_n = UINT32_MAX };
	return m;
}

static void sizes(const struct model *m, int step_w, int step_h)
{
	static const enum glyphs g[] = { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_ASCII };
	unsigned n = 0;

	for (unsigned i = 0; i < PANES; i++) {
		open_pane(overview[i]);
		for (int h = 1; h <= 60; h += step_h) {
			for (int w = 1; w <= 200; w += step_w)
				draw_in(m, w, h, g[n++ % 3]);
		}
	}
}

static void any_size(void **state)
{
	struct model *m = mockup_model(), *empty = mockup_empty(3), *none = mockup_empty(0);

	(void)state;
	sizes(m, 1, 1);
	sizes(empty, 7, 5);
	sizes(none, 7, 5);
	model_free(m);
	model_free(empty);
	model_free(none);
}

static void any_model(void **state)
{
	struct model *m = hostile();

	(void)state;
	sizes(m, 3, 7);
	m->now_mono = m->now_wall = 0;
	sizes(m, 11, 13);
	for (uint64_t t = 1; t && t < UINT64_MAX / 2; t *= 8) {
		m->chains[0]->block_ms = t;
		m->now_wall = t * 1000;
		sizes(m, 53, 29);
	}
	m->chains[0]->block_ms = 0;
	sizes(m, 53, 29);
	model_free(m);
}

static void any_command(void **state)
{
	struct model *m = mockup_model(), *bad = hostile(), *none = mockup_empty(0);
	struct model *const models[] = { m, bad, none, m };

	(void)state;
	for (unsigned i = 0; i < PANES; i++) {
		open_pane(overview[i]);
		for (unsigned k = 0; k < 8 * UI_CMD_N; k++) {
			const struct model *at = models[k / UI_CMD_N % 4];

			if (pane.class->command)
				pane.class->command(&pane, at, (enum ui_cmd)(k * 7 % UI_CMD_N));
			draw_in(at, 30 + (int)k % 140, 3 + (int)k % 20, GLYPHS_BLOCK);
			if (pane.class->click)
				pane.class->click(&pane, at, (int)k % 150, (int)k % 20);
		}
	}
	model_free(m);
	model_free(bad);
	model_free(none);
}

/* Nothing but a mouse can change what is drawn: the same model gives the same cells. */
static void drawing_is_pure(void **state)
{
	struct model *m = mockup_model();
	char *first;

	(void)state;
	for (unsigned i = 0; i < PANES; i++) {
		first = strdup(show(overview[i], m, 90, 12));
		assert_non_null(first);
		assert_string_equal(again(m, 90, 12), first);
		free(first);
	}
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size),
		cmocka_unit_test(any_model),
		cmocka_unit_test(any_command),
		cmocka_unit_test(drawing_is_pure),
	};

	return cmocka_run_group_tests(tests, shot_setup, shot_teardown);
}
