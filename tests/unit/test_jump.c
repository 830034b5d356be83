/*
 * A jump into a long recording: bodies long before the place stay packed, and the model is the one that playing all of it gives.
 * The recording is the demo: four paths, reorgs, a node that dies twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "feed/replay.h"
#include "model/model.h"

#define LATEST (70 * NS_S) /* before the place, in which all is read: the rates' window and some */

static char demo[500];
static struct err err;

static int find_demo(void **state)
{
	const char *src = getenv("CHAINTOP_SRC");

	(void)state;
	snprintf(demo, sizeof(demo), "%s/tests/data/demo.ct", src ? src : ".");
	return 0;
}

static void ok(enum status st)
{
	if (st != ST_OK)
		fail_msg("%s", err.text);
}

struct played {
	struct model *m;
	uint64_t place, blocks;
};

/* The model at `words`, and what it took. */
static struct played play(const char *words, struct replay_opts o)
{
	struct played p = { .m = NULL };
	struct path_setup setup[PATHS_MAX];
	uint64_t mono, wall;
	struct replay *r;
	struct wake wake;
	bool there = false;

	ok(wake_init(&wake, &err));
	o.file = demo;
	o.wake = &wake;
	ok(replay_open(&r, &o, &err));
	ok(replay_find(r, words, &p.place, &err));
	for (unsigned i = 0; i < replay_info(r)->n_feeds; i++) {
		const struct recfeed *f = &replay_info(r)->feed[i];

		setup[i] = (struct path_setup){ .node = f->node, .via = f->via, .show = f->show, .push = f->push };
		setup[i].local = f->local;
	}
	ok(replay_start(r, p.place, &mono, &wall, &err));
	p.m = model_new(setup, replay_info(r)->n_feeds, mono, wall);
	assert_non_null(p.m);
	while (!there) {
		struct pollfd fd = { .fd = wake_fd(&wake), .events = POLLIN };
		const struct event *e;

		assert_int_equal(poll(&fd, 1, 20000), 1);
		wake_take(&wake);
		while (!there && (e = replay_peek(r)) != NULL) {
			there = e->kind == REPLAY_THERE || e->kind == REPLAY_END;
			p.blocks += e->kind == EV_BLOCK;
			if (e->kind == REPLAY_TICK)
				model_tick(p.m, e->mono, e->wall);
			else if (!there)
				model_apply(p.m, e);
			replay_pop(r);
		}
	}
	replay_free(r);
	wake_fini(&wake);
	return p;
}

static void same_path(const struct path *a, const struct path *b)
{
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->state_since, b->state_since);
	assert_int_equal(a->chain, b->chain);
	assert_int_equal(a->head_number, b->head_number);
	assert_int_equal(a->head_mono, b->head_mono);
	assert_true(hash_eq(&a->head_hash, &b->head_hash));
	assert_int_equal(a->connects, b->connects);
	assert_int_equal(a->silent_count, b->silent_count);
	assert_int_equal(a->heads, b->heads);
	assert_int_equal(a->raced, b->raced);
	assert_int_equal(a->won, b->won);
	assert_int_equal(a->ties, b->ties);
	assert_int_equal(a->missed, b->missed);
	assert_int_equal(a->dups, b->dups);
	assert_int_equal(a->backs, b->backs);
	assert_int_equal(a->behind_p50, b->behind_p50);
	assert_int_equal(a->behind_p99, b->behind_p99);
	assert_int_equal(a->call_n, b->call_n);
	assert_int_equal(a->call_p50, b->call_p50);
	assert_int_equal(a->call_p99, b->call_p99);
	assert_int_equal(a->bytes_in, b->bytes_in);
	assert_int_equal(a->calls, b->calls);
	assert_int_equal(a->errors.total_5m, b->errors.total_5m);
	assert_int_equal(a->heard_n, b->heard_n);
}

/* Returns how many of a's blocks have a body that b's lack: none of the latest. */
static unsigned same_chain(const struct chain *a, const struct chain *b, uint64_t place)
{
	const struct blk *x, *y;
	unsigned lacks = 0;

	assert_int_equal(a->kept, b->kept);
	assert_true(a->head && b->head && hash_eq(&a->head->h.hash, &b->head->h.hash));
	assert_int_equal(a->reorg_count, b->reorg_count);
	for (unsigned i = 0; i < a->n_reorgs; i++) {
		assert_int_equal(a->reorgs[i].number, b->reorgs[i].number);
		assert_int_equal(a->reorgs[i].depth, b->reorgs[i].depth);
		assert_int_equal(a->reorgs[i].mono, b->reorgs[i].mono);
		assert_int_equal(a->reorgs[i].path, b->reorgs[i].path);
	}
	assert_int_equal(a->final.number, b->final.number);
	assert_int_equal(a->block_ms, b->block_ms);
	assert_int_equal(a->stats.n, b->stats.n);
	assert_int_equal(a->stats.rates_known, b->stats.rates_known);
	assert_true(a->stats.tx_per_s == b->stats.tx_per_s && a->stats.gas_per_s == b->stats.gas_per_s);
	for (unsigned i = 0; chain_rows(a, i, &x, 1); i++) {
		assert_int_equal(chain_rows(b, i, &y, 1), 1);
		assert_memory_equal(&x->h, &y->h, offsetof(struct head, miner)); /* behind it: what bodies alone have */
		assert_int_equal(x->state, y->state);
		assert_int_equal(x->first_mono, y->first_mono);
		assert_int_equal(x->first_path, y->first_path);
		if (x->heard && x->first_mono + LATEST > place) {
			assert_int_equal(x->body_seen, y->body_seen);
			assert_int_equal(x->ntx, y->ntx);
			assert_int_equal(x->truth, y->truth);
		}
		lacks += x->body_seen && !y->body_seen;
	}
	return lacks;
}

static void a_jump_shows_the_same(void **state)
{
	static const char *const places[] = { "+85s", "+100s", "-3s" };

	(void)state;
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct played all = play(places[i], (struct replay_opts){ .speed = 0 });
		struct played jump = play(places[i], (struct replay_opts){ .jump_bytes = 1, .jump_ns = LATEST });

		assert_int_equal(all.place, jump.place);
		assert_int_equal(all.m->n_chains, jump.m->n_chains);
		assert_int_equal(all.m->n_paths, jump.m->n_paths);
		for (unsigned k = 0; k < all.m->n_paths; k++)
			same_path(all.m->paths[k], jump.m->paths[k]);
		for (unsigned k = 0; k < all.m->n_chains; k++)
			assert_true(same_chain(all.m->chains[k], jump.m->chains[k], all.place) > 10);
		/* And it was worth it. */
		assert_true(jump.blocks + 20 < all.blocks);
		model_free(all.m);
		model_free(jump.m);
	}
}

/* Who verifies reads all of it. */
static void verify_reads_all(void **state)
{
	struct played all = play("+60s", (struct replay_opts){ .verify = true, .jump_bytes = 1, .jump_ns = LATEST });
	struct played plain = play("+60s", (struct replay_opts){ .speed = 0 });

	(void)state;
	assert_int_equal(all.blocks, plain.blocks);
	model_free(all.m);
	model_free(plain.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jump_shows_the_same),
		cmocka_unit_test(verify_reads_all),
	};

	return cmocka_run_group_tests(tests, find_demo, NULL);
}
