/*
 * Unit tests of feed/pull against a node that misbehaves on command, over all transports: order, bounds of the window, what is
 * tried again, what is reported, and how it stops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "pull_rig.h"

static const enum url_scheme schemes[] = { URL_HTTP, URL_WS, URL_IPC };
enum { N_SCHEMES = 3 };

static struct rig rig;
static struct rig_out out;
static struct pull_stats stats;
static struct err err;

static enum status pull(uint64_t from, uint64_t to, unsigned workers)
{
	struct pull_opts o = rig_opts(&rig, &out, from, to, workers);

	return rig_pull(&o, &stats, &err);
}

static void good(uint64_t from, uint64_t to, unsigned workers)
{
	if (pull(from, to, workers) != ST_OK)
		fail_msg("%s: %s", status_word(err.code), err.text);
	rig_wrote(&out, from, to);
	assert_int_equal(stats.blocks, to - from + 1);
}

/* ---- order ---- */

static void test_all_ways(void **state)
{
	static const unsigned workers[] = { 1, 2, 3, 8, 33, 64 };

	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		for (unsigned i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
			struct pull_opts o;

			rig_init(&rig, schemes[k]);
			rig_start(&rig);
			o = rig_opts(&rig, &out, 10, 109, workers[i]);
			o.threads = 1 + i;
			o.verify = i % 2;
			if (rig_pull(&o, &stats, &err) != ST_OK)
				fail_msg("%u workers: %s", workers[i], err.text);
			rig_wrote(&out, 10, 109);
			assert_int_equal(stats.blocks, 100);
			assert_int_equal(stats.head, 200);
			assert_int_equal(stats.chain_id, 1);
			assert_int_equal(stats.from, 10);
			assert_int_equal(stats.to, 109);
			assert_int_equal(stats.latency.n, 100);
			assert_int_equal(stats.retries + stats.reconnects + stats.odd, 0);
			assert_int_equal(stats.verified, i % 2 ? 100 : 0);
			assert_int_equal(stats.threads, workers[i] < 1 + i ? workers[i] : 1 + i);
			assert_true(stats.json_bytes > 100 * 1500);
			assert_true(rig.in_flight_max <= workers[i]);
			/* HTTP: one connection for each request in flight. */
			assert_true(peer_accepts(rig.peer) <= (schemes[k] == URL_HTTP ? (int)workers[i] : 1));
			rig_stop(&rig);
		}
	}
}

static void test_one_at_a_time(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		rig_init(&rig, schemes[k]);
		rig_start(&rig);
		good(0, 50, 1);
		assert_int_equal(rig.in_flight_max, 1);
		assert_int_equal(rig.requests, 51);
		assert_int_equal(peer_accepts(rig.peer), 1);
		rig_stop(&rig);
	}
}

static void test_answers_in_any_order(void **state)
{
	(void)state;
	for (unsigned k = 1; k < N_SCHEMES; k++) {
		rig_init(&rig, schemes[k]);
		rig.batch = 8;
		rig_start(&rig);
		for (unsigned threads = 1; threads <= 4; threads++) {
			struct pull_opts o = rig_opts(&rig, &out, 1, 150, 8);

			o.threads = threads;
			if (rig_pull(&o, &stats, &err) != ST_OK)
				fail_msg("%s", err.text);
			rig_wrote(&out, 1, 150);
		}
		assert_true(rig.in_flight_max > 1);
		rig_stop(&rig);
	}
}

/* While the oldest block is missing nothing is written, and not more than the window is asked for. */
static void release_after(struct rig_out *o, uint64_t number)
{
	struct rig *r = o->ctx;

	(void)number;
	atomic_store(&r->release, true);
}

static void test_window(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		struct pull_opts o;
		struct pull *p;
		struct pull_stats s;
		uint64_t highest, limit = time_mono() + 20 * NS_S;

		rig_init(&rig, schemes[k]);
		rig.slow_block = 5;
		rig.batch = 8;
		rig_start(&rig);
		/* HTTP: seven other connections go on. Else the node answers the first eight in reverse,
		 * and hears nothing meanwhile. */
		o = rig_opts(&rig, &out, 5, 150, 8);
		out.ctx = &rig;
		out.each = release_after;
		assert_int_equal(pull_start(&p, &o, &err), ST_OK);
		highest = schemes[k] == URL_HTTP ? 5 + 15 : 5 + 7;
		while (rig.highest < highest && time_mono() < limit)
			(void)pull_wait(p, NS_MS, &s);
		assert_int_equal(rig.highest, highest);
		for (int i = 0; i < 5; i++)
			assert_false(pull_wait(p, 10 * NS_MS, &s));
		assert_int_equal(rig.highest, highest);
		assert_true(s.ready);
		assert_int_equal(s.blocks, 0);
		atomic_store(&rig.release, true);
		while (!pull_wait(p, NS_S, NULL) && time_mono() < limit)
			;
		assert_int_equal(pull_finish(p, &stats, &err), ST_OK);
		rig_wrote(&out, 5, 150);
		rig_stop(&rig);
	}
}

static void test_ranges(void **state)
{
	struct pull_opts o;

	(void)state;
	rig_init(&rig, URL_HTTP);
	rig_start(&rig);
	o = rig_opts(&rig, &out, 0, 0, 4);
	o.last = 3;
	assert_int_equal(rig_pull(&o, &stats, &err), ST_OK);
	rig_wrote(&out, 198, 200);
	o = rig_opts(&rig, &out, 0, 0, 64);
	o.last = 100000; /* more than there are */
	assert_int_equal(rig_pull(&o, &stats, &err), ST_OK);
	rig_wrote(&out, 0, 200);
	o = rig_opts(&rig, &out, 1, 0, 4); /* none: only the head */
	assert_int_equal(rig_pull(&o, &stats, &err), ST_OK);
	assert_int_equal(stats.head, 200);
	assert_int_equal(stats.blocks, 0);
	assert_true(stats.ready);
	o = rig_opts(&rig, &out, 199, 201, 4);
	assert_int_equal(rig_pull(&o, &stats, &err), ST_USAGE);
	assert_non_null(strstr(err.text, "block 201 is not there yet"));
	o = rig_opts(&rig, &out, 1, 2, 0);
	assert_int_equal(pull_start(&(struct pull *){ NULL }, &o, &err), ST_USAGE);
	o = rig_opts(&rig, &out, 1, 2, 65);
	assert_int_equal(pull_start(&(struct pull *){ NULL }, &o, &err), ST_USAGE);
	/* Without hooks it only decodes. */
	o = rig_opts(&rig, &out, 1, 100, 8);
	o.hooks = (struct pull_hooks){ .ctx = NULL };
	assert_int_equal(rig_pull(&o, &stats, &err), ST_OK);
	assert_int_equal(stats.blocks, 100);
	assert_int_equal(stats.text_bytes, 0);
	rig_stop(&rig);
}

/* ---- what is tried again ---- */

static void test_heals(void **state)
{
	static const enum rig_fault faults[] = { FAULT_NULL, FAULT_OTHER, FAULT_TEXT, FAULT_CUT, FAULT_ERROR, FAULT_RATE,
		FAULT_ID_NULL, FAULT_RESET, FAULT_WRONG_HASH, FAULT_HASHES };

	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
			for (unsigned workers = 1; workers <= 4; workers += 3) {
				struct pull_opts o;

				rig_init(&rig, schemes[k]);
				rig.head = 40;
				/* A cut text on a socket: only the clock tells. */
				rig.net.request_timeout_ns = NS_S;
				rig.fault = faults[i];
				rig.fault_at = 20;
				rig.faults = 2;
				rig_start(&rig);
				o = rig_opts(&rig, &out, 1, 40, workers);
				o.verify = true;
				if (rig_pull(&o, &stats, &err) != ST_OK)
					fail_msg("fault %d over %s: %s", faults[i], url_via(schemes[k]), err.text);
				rig_wrote(&out, 1, 40);
				assert_true(stats.retries + stats.reconnects >= 2);
				assert_int_equal(stats.verified, 40);
				rig_stop(&rig);
			}
		}
	}
}

static void test_members_behind_the_result(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		rig_init(&rig, schemes[k]);
		rig.fault = FAULT_ODD_ORDER;
		rig_start(&rig);
		good(1, 60, 4);
		assert_int_equal(stats.retries, 0);
		rig_stop(&rig);
	}
}

/* ---- what is reported ---- */

static void fails(enum rig_fault fault, unsigned k, unsigned workers, bool verify, enum status code, const char *words)
{
	struct pull_opts o;
	enum status st;

	rig_init(&rig, schemes[k]);
	rig.head = 60;
	rig.fault = fault;
	rig.fault_at = 33;
	rig.faults = UINT_MAX;
	rig_start(&rig);
	o = rig_opts(&rig, &out, 20, 60, workers);
	o.verify = verify;
	st = rig_pull(&o, &stats, &err);
	if (st != code || !strstr(err.text, words) || !strstr(err.text, "block 33"))
		fail_msg("fault %d over %s: %s: %s", fault, url_via(schemes[k]), status_word(st), err.text);
	for (const char *p = err.text; *p; p++)
		assert_true((unsigned char)*p >= 0x20);
	/* All before it, nothing behind it. */
	rig_wrote(&out, 20, 32);
	assert_int_equal(stats.blocks, 13);
	rig_stop(&rig);
}

static void test_null_for_ever(void **state)
{
	(void)state;
	fails(FAULT_NULL, 0, 8, false, ST_NULL, "null instead of a block (7 tries)");
	fails(FAULT_NULL, 1, 1, false, ST_NULL, "7 tries");
}

static void test_wrong_for_ever(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++)
		fails(FAULT_OTHER, k, 4, false, ST_WRONG_BLOCK, "answered with block 32 (5 tries)");
	fails(FAULT_TEXT, 1, 4, false, ST_MALFORMED, "timestamp");
	fails(FAULT_CUT, 0, 1, false, ST_MALFORMED, "5 tries");
	fails(FAULT_WRONG_HASH, 2, 4, true, ST_WRONG_BLOCK, "hash does not hold");
	fails(FAULT_HASHES, 0, 4, false, ST_WRONG_BLOCK, "hashes");
}

static void test_errors_for_ever(void **state)
{
	(void)state;
	fails(FAULT_ERROR, 0, 4, false, ST_RPC, "error -32000: oh?[2J no");
	fails(FAULT_ERROR, 1, 4, false, ST_RPC, "error -32000");
	fails(FAULT_NO_METHOD, 2, 1, false, ST_UNSUPPORTED, "method not found (1 try)");
}

/* A node that quotes the key: the word "no", here. */
static void test_key_in_an_error(void **state)
{
	static const char *const headers[] = { "X-Key: no" };
	struct pull_opts o;

	(void)state;
	rig_init(&rig, schemes[0]);
	rig.head = 60;
	rig.fault = FAULT_ERROR;
	rig.fault_at = 33;
	rig.faults = UINT_MAX;
	rig_start(&rig);
	rig.net.headers = headers;
	rig.net.n_headers = 1;
	o = rig_opts(&rig, &out, 20, 60, 1);
	assert_int_equal(rig_pull(&o, &stats, &err), ST_RPC);
	assert_non_null(strstr(err.text, "error -32000: oh?[2J **"));
	rig_stop(&rig);
}

static void test_reset_for_ever(void **state)
{
	(void)state;
	fails(FAULT_RESET, 0, 4, false, ST_RESET, "(5 tries)");
	fails(FAULT_RESET, 1, 4, false, ST_RESET, "(6 times)");
	fails(FAULT_RESET, 2, 1, false, ST_RESET, "(6 times)");
}

static void test_never_an_answer(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		rig_init(&rig, schemes[k]);
		rig.net.request_timeout_ns = 300 * NS_MS;
		rig.fault = FAULT_SILENT;
		rig.fault_at = 33;
		rig.faults = UINT_MAX;
		rig_start(&rig);
		assert_int_equal(pull(20, 60, 4), ST_TIMEOUT);
		assert_non_null(strstr(err.text, "block 33"));
		rig_wrote(&out, 20, 32);
		rig_stop(&rig);
	}
}

static void test_broken_link(void **state)
{
	struct pull_opts o;

	(void)state;
	rig_init(&rig, URL_WS);
	rig.broken_link = 44;
	rig_start(&rig);
	o = rig_opts(&rig, &out, 40, 60, 4);
	o.verify = true;
	assert_int_equal(rig_pull(&o, &stats, &err), ST_WRONG_BLOCK);
	assert_non_null(strstr(err.text, "block 44 does not follow block 43"));
	rig_wrote(&out, 40, 43);
	/* Not its business without --verify. */
	good(40, 60, 4);
	rig_stop(&rig);
}

static void test_write_fails(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		struct pull_opts o;

		rig_init(&rig, schemes[k]);
		rig_start(&rig);
		o = rig_opts(&rig, &out, 1, 150, 8);
		out.fail_at = 50;
		assert_int_equal(rig_pull(&o, &stats, &err), ST_IO);
		assert_string_equal(err.text, "the disk is full");
		rig_wrote(&out, 1, 49);
		assert_int_equal(stats.blocks, 49);
		rig_stop(&rig);
	}
}

static void test_nobody_there(void **state)
{
	uint64_t t0 = time_mono();

	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		rig_init(&rig, schemes[k]);
		rig.head = 1;
		rig_start(&rig);
		/* The address stays, the node goes. */
		peer_stop(rig.peer);
		if (rig.path[0])
			unlink(rig.path);
		assert_int_equal(pull(1, 1, 2), ST_REFUSED);
		assert_false(stats.ready);
		rig.peer = NULL;
		rig_stop(&rig);
	}
	assert_true(time_mono() - t0 < 10 * NS_S);
}

/* ---- stop ---- */

static void stop_at(struct rig_out *o, uint64_t number)
{
	if (number == 77)
		pull_stop(*(struct pull **)o->ctx);
}

static void test_stop(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		for (unsigned workers = 1; workers <= 8; workers += 7) {
			struct pull_opts o;
			struct pull *p = NULL;

			rig_init(&rig, schemes[k]);
			/* So that the pull cannot be over before p is set. */
			rig.slow_block = 50;
			rig_start(&rig);
			o = rig_opts(&rig, &out, 50, 180, workers);
			out.ctx = &p;
			out.each = stop_at;
			assert_int_equal(pull_start(&p, &o, &err), ST_OK);
			atomic_store(&rig.release, true);
			while (!pull_wait(p, NS_S, NULL))
				;
			assert_int_equal(pull_finish(p, &stats, &err), ST_AGAIN);
			/* The block in hand is written to its end. */
			rig_wrote(&out, 50, 77);
			assert_int_equal(stats.blocks, 28);
			rig_stop(&rig);
		}
	}
}

static void test_stop_before_anything(void **state)
{
	(void)state;
	for (unsigned k = 0; k < N_SCHEMES; k++) {
		struct pull_opts o;
		struct pull *p;

		rig_init(&rig, schemes[k]);
		rig.slow_block = 1;
		rig_start(&rig);
		o = rig_opts(&rig, &out, 1, 180, 4);
		assert_int_equal(pull_start(&p, &o, &err), ST_OK);
		pull_stop(p);
		assert_true(pull_wait(p, 0, NULL));
		assert_int_equal(pull_finish(p, &stats, &err), ST_AGAIN);
		rig_wrote(&out, 1, 0);
		rig_stop(&rig);
	}
}

static void test_guessed_scheme(void **state)
{
	static const enum url_scheme both[] = { URL_HTTP, URL_WS };

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		rig_init(&rig, both[k]);
		rig_start(&rig);
		rig.url.scheme = URL_GUESS;
		good(1, 50, 4);
		assert_string_equal(stats.via, both[k] == URL_HTTP ? "http" : "ws");
		assert_int_equal(stats.connections, both[k] == URL_HTTP ? 4 : 1);
		rig_stop(&rig);
	}
}

static int setup(void **state)
{
	(void)state;
	return net_global_init(NULL) == ST_OK && log_open(NULL, LOG_DEBUG, NULL) == ST_OK ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	buf_fini(&out.text);
	log_close();
	net_global_fini();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_ways),
		cmocka_unit_test(test_one_at_a_time),
		cmocka_unit_test(test_answers_in_any_order),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_heals),
		cmocka_unit_test(test_members_behind_the_result),
		cmocka_unit_test(test_null_for_ever),
		cmocka_unit_test(test_wrong_for_ever),
		cmocka_unit_test(test_errors_for_ever),
		cmocka_unit_test(test_key_in_an_error),
		cmocka_unit_test(test_reset_for_ever),
		cmocka_unit_test(test_never_an_answer),
		cmocka_unit_test(test_broken_link),
		cmocka_unit_test(test_write_fails),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_before_anything),
		cmocka_unit_test(test_guessed_scheme),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
