/* The page for Prometheus: its grammar whatever nodes are called, and its figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_rig.h"
#include "out/metrics.h"
#include "out/page.h"

static const struct metrics_about about = { .version = "1.2.3", .mode = "live", .start_wall = RIG_WALL0 };

static char *render(const struct metrics *x, const struct model *m, size_t *n)
{
	struct buf b;

	buf_init(&b, 64 << 20);
	assert_int_equal(metrics_render(x, m, &about, &b), ST_OK);
	*n = b.len;
	return b.p;
}

/* ---- the grammar of the format ---- */

static bool name_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

static const char *name(const char *p)
{
	assert_true(name_char(*p, true));
	while (name_char(*p, false))
		p++;
	return p;
}

/* {a="b",…}: behind the brace; label names are different ones. */
static const char *labels(const char *p)
{
	char seen[16][40];
	unsigned n = 0;

	while (*p != '}') {
		const char *q = name(p);

		snprintf(seen[n], sizeof(seen[n]), "%.*s", (int)(q - p), p);
		for (unsigned i = 0; i < n; i++)
			assert_string_not_equal(seen[i], seen[n]);
		n++;
		assert_int_equal(strncmp(q, "=\"", 2), 0);
		for (p = q + 2; *p != '"'; p++) {
			assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
			if (*p == '\\') {
				p++;
				assert_true(*p == '\\' || *p == '"' || *p == 'n');
			}
		}
		p++;
		assert_true(*p == ',' || *p == '}');
		p += *p == ',';
	}
	return p + 1;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every line is right, a family stands together below one HELP and one TYPE, no series comes twice. How many there are. */
static unsigned check_page(const char *text)
{
	char **series = malloc(200000 * sizeof(*series)), **families = malloc(1000 * sizeof(*families));
	unsigned n = 0, n_families = 0;
	char family[100] = "";

	for (const char *line = text, *end; *line; line = end + 1) {
		const char *p;
		char *number;

		end = strchr(line, '\n');
		assert_non_null(end);
		if (strncmp(line, "# HELP ", 7) == 0) {
			p = name(line + 7);
			snprintf(family, sizeof(family), "%.*s", (int)(p - line - 7), line + 7);
			families[n_families++] = strdup(family);
			assert_true(end - p > 5);
			continue;
		}
		if (line[0] == '#') {
			assert_int_equal(strncmp(line, "# TYPE ", 7), 0);
			assert_int_equal(strncmp(line + 7, family, strlen(family)), 0);
			continue;
		}
		p = name(line);
		assert_int_equal(strncmp(line, family, strlen(family)), 0);
		if (*p == '{')
			p = labels(p + 1);
		assert_int_equal(*p, ' ');
		assert_true(isfinite(strtod(p + 1, &number)));
		assert_ptr_equal(number, end);
		series[n++] = strndup(line, (size_t)(p - line));
	}
	qsort(series, n, sizeof(*series), by_text);
	for (unsigned i = 1; i < n; i++)
		assert_string_not_equal(series[i - 1], series[i]);
	qsort(families, n_families, sizeof(*families), by_text);
	for (unsigned i = 1; i < n_families; i++)
		assert_string_not_equal(families[i - 1], families[i]);
	for (unsigned i = 0; i < n; i++)
		free(series[i]);
	for (unsigned i = 0; i < n_families; i++)
		free(families[i]);
	free(series);
	free(families);
	return n;
}

/* The value of a series; NaN: it is not there. */
static double value(const char *text, const char *series)
{
	char line[300];
	const char *p;

	snprintf(line, sizeof(line), "\n%s ", series);
	p = strstr(text, line);
	return p ? strtod(p + strlen(line), NULL) : (double)NAN;
}

/* ---- */

static void escapes(void **state)
{
	char out[100];

	(void)state;
	assert_string_equal(page_escape(out, sizeof(out), "Geth/v1.17"), "Geth/v1.17");
	assert_string_equal(page_escape(out, sizeof(out), "a\"b\\c"), "a\\\"b\\\\c");
	assert_string_equal(page_escape(out, sizeof(out), "a\nb\x1b[0m"), "a?b?[0m");
	assert_string_equal(page_escape(out, sizeof(out), ""), "");
	/* Cut, but within no escape and no character. */
	for (size_t size = 3; size < 20; size++) {
		page_escape(out, size, "\\\\\\\\\\\\\\\\\\\\");
		assert_true(strlen(out) < size && strlen(out) % 2 == 0);
		page_escape(out, size,
			"\xce\x9e\xce\x9e\xce\x9e\xce\x9e\xce\x9e\xce\x9e\xce\x9e\xce\x9e\xce\x9e\xce\x9e\xce\x9e");
		assert_true(strlen(out) < size && strlen(out) % 2 == 0);
	}
}

/* Names that are the same, and chains of one id: their series are told apart. */
static void no_series_twice(void **state)
{
	static const struct path_setup setup[] = {
		{ .node = "a\"b", .via = "ws", .show = "x", .push = true },
		{ .node = "a\"b", .via = "ws", .show = "y", .push = true },
		{ .node = "a\"b", .via = "ws", .show = "z", .push = true },
		{ .node = "[::1]:8545", .via = "http", .show = "q" },
	};
	struct model *m = model_new(setup, 4, RIG_T0, RIG_WALL0);
	struct metrics *x = metrics_new();
	struct event e = { .kind = EV_INFO, .mono = RIG_T0 + 1, .wall = RIG_WALL0 + 1, .u.info.info = INFO_CLIENT };
	char *text;
	size_t n;

	(void)state;
	assert_non_null(x);
	for (unsigned i = 0; i < 4; i++) {
		rig_link(m, i, 0, LINK_LIVE, ST_OK);
		rig_chain(m, i, 0, 999999999, i + 1); /* one id, four first blocks */
		e.path = (uint16_t)i;
		snprintf(e.u.info.text, sizeof(e.u.info.text), "Geth\\\"v1\"\n# HELP x\x1b[31m} 1");
		model_apply(m, &e);
		rig_say(m, i, 100, &(struct head){ .number = 5, .hash = rig_hash(i + 1), .has = H_HASH }, SRC_PUSH);
	}
	rig_tick(m, 3000);
	rig_tick(m, 5000);
	text = render(x, m, &n);
	assert_int_equal(strlen(text), n);
	assert_true(check_page(text) > 50);
	assert_true(value(text, "chaintop_path_up{node=\"a\\\"b\",via=\"ws\",chain=\"chain 999999999\"}") == 1);
	assert_non_null(strstr(text, "chaintop_path_up{node=\"a\\\"b\",via=\"ws#2\",chain=\"chain 999999999#2\"} 1\n"));
	assert_non_null(strstr(text, "chaintop_path_up{node=\"a\\\"b\",via=\"ws#3\",chain=\"chain 999999999#3\"} 1\n"));
	assert_non_null(strstr(text, "node=\"[::1]:8545\",via=\"http\""));
	free(text);
	metrics_free(x);
	model_free(m);
}

/* Nothing is known: nothing is claimed. */
static void unknown_is_absent(void **state)
{
	static const struct path_setup setup[] = { { .node = "n", .via = "http", .show = "x" } };
	static const char *const absent[] = { "head_number", "peers", "txpool", "syncing", "client_info", "behind",
		"raced", "won_heads", "check{", "base_fee", "clock", "_bucket", "process_cpu", "round_trip" };
	struct model *m = model_new(setup, 1, RIG_T0, RIG_WALL0);
	struct metrics *x = metrics_new();
	char *text;
	size_t n;

	(void)state;
	text = render(x, m, &n);
	(void)check_page(text);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		if (strstr(text, absent[i]))
			fail_msg("%s is there", absent[i]);
	}
	assert_true(value(text, "chaintop_path_up{node=\"n\",via=\"http\"}") == 0);
	free(text);
	metrics_free(x);
	model_free(m);
}

/* Counts against the samples themselves. */
static void histograms(void **state)
{
	static const double bounds[] = { 0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256,
		0.512, 1.024, 2.048, 4.096, 8.192, 16.384 };
	static const double bytes[] = { 4000, 16000, 64000, 256000, 1024000, 4096000, 16384000, 65536000 };
	enum { N = 5000 };
	struct model *m = rig_model(1, 1);
	struct metrics *x = metrics_new();
	struct event reply = { .kind = EV_REPLY, .u.reply.method = M_BLOCK_BY_HASH }, body = { .kind = EV_BLOCK };
	uint64_t *ns = malloc(N * sizeof(*ns)), *size = malloc(N * sizeof(*size)), sum = 0;
	unsigned seed = 3;
	char *text, series[200];
	size_t n;

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		ns[i] = (uint64_t)(2000 * pow(2, (double)rand_r(&seed) / RAND_MAX * 24)) | 1; /* 2 µs … 33 s */
		size[i] = (uint64_t)(500 * pow(2, (double)rand_r(&seed) / RAND_MAX * 18)) | 1;
		sum += ns[i];
		reply.u.reply.latency_ns = ns[i];
		metrics_event(x, &reply);
		body.u.block.wire_bytes = size[i];
		metrics_event(x, &body);
	}
	/* None of these is a sample. */
	reply.u.reply.latency_ns = UINT64_MAX;
	metrics_event(x, &reply);
	reply.u.reply.latency_ns = 5;
	reply.u.reply.code = ST_TIMEOUT;
	metrics_event(x, &reply);
	reply.path = UINT16_MAX;
	metrics_event(x, &reply);
	text = render(x, m, &n);
	(void)check_page(text);
	for (unsigned i = 0; i < 17; i++) {
		unsigned want = 0;

		for (unsigned k = 0; k < N; k++)
			want += (double)ns[k] <= bounds[i] * 1e9;
		snprintf(series, sizeof(series),
			"chaintop_path_call_duration_seconds_bucket{node=\"n0\",via=\"ws\",chain=\"Ethereum\","
			"method=\"eth_getBlockByHash\",le=\"%.9g\"}",
			bounds[i]);
		if (value(text, series) != want)
			fail_msg("%s: %g, not %u", series, value(text, series), want);
	}
	for (unsigned i = 0; i < 8; i++) {
		unsigned want = 0;

		for (unsigned k = 0; k < N; k++)
			want += (double)size[k] <= bytes[i];
		snprintf(series, sizeof(series),
			"chaintop_path_body_bytes_bucket{node=\"n0\",via=\"ws\",chain=\"Ethereum\",le=\"%.0f\"}",
			bytes[i]);
		assert_true(value(text, series) == want);
	}
	assert_true(value(text,
			    "chaintop_path_call_duration_seconds_count{node=\"n0\",via=\"ws\",chain=\"Ethereum\","
			    "method=\"eth_getBlockByHash\"}") == N);
	assert_true(fabs(value(text,
				 "chaintop_path_call_duration_seconds_sum{node=\"n0\",via=\"ws\",chain=\"Ethereum\","
				 "method=\"eth_getBlockByHash\"}") -
			    (double)sum / 1e9) < 1e-6);
	free(ns);
	free(size);
	free(text);
	metrics_free(x);
	model_free(m);
}

/* What the model counted of heads that were made by hand. */
static void figures(void **state)
{
	struct model *m = rig_model(2, 1);
	struct metrics *x = metrics_new();
	char *text;
	size_t n;

	(void)state;
	for (uint64_t i = 10; i < 20; i++) {
		struct head h = rig_head(i, i, i - 1);

		/* n0 hears all first, n1 30 ms later, and lacks the last one. */
		rig_say(m, 0, (i - 10) * 12000 + 1000, &h, SRC_PUSH);
		if (i < 19)
			rig_say(m, 1, (i - 10) * 12000 + 1030, &h, SRC_PUSH);
		rig_tick(m, (i - 10) * 12000 + 5000);
	}
	text = render(x, m, &n);
	(void)check_page(text);
	assert_true(value(text, "chaintop_path_heads_total{node=\"n0\",via=\"ws\",chain=\"Ethereum\"}") == 10);
	assert_true(value(text, "chaintop_path_won_heads_total{node=\"n0\",via=\"ws\",chain=\"Ethereum\"}") == 9);
	assert_true(value(text, "chaintop_path_won_heads_total{node=\"n1\",via=\"ws\",chain=\"Ethereum\"}") == 0);
	assert_true(value(text, "chaintop_path_behind_blocks{node=\"n1\",via=\"ws\",chain=\"Ethereum\"}") == 1);
	assert_true(value(text, "chaintop_path_head_number{node=\"n1\",via=\"ws\",chain=\"Ethereum\"}") == 18);
	assert_true(
		fabs(value(text, "chaintop_path_behind_first_seconds_sum{node=\"n1\",via=\"ws\",chain=\"Ethereum\"}") -
			9 * 0.03) < 1e-9);
	assert_true(value(text,
			    "chaintop_path_behind_first_seconds_bucket{node=\"n1\",via=\"ws\",chain=\"Ethereum\",le="
			    "\"0.016\"}") == 0);
	assert_true(value(text,
			    "chaintop_path_behind_first_seconds_bucket{node=\"n1\",via=\"ws\",chain=\"Ethereum\",le="
			    "\"0.032\"}") == 9);
	assert_true(value(text, "chaintop_chain_head_number{chain=\"Ethereum\"}") == 19);
	assert_true(value(text, "chaintop_chain_base_fee_wei{chain=\"Ethereum\"}") == 1e9);
	/* Its own time: the head's number in slots of 12 s (model_rig.h). */
	assert_true(value(text, "chaintop_chain_head_timestamp_seconds{chain=\"Ethereum\"}") == 1790000000 + 19 * 12);
	assert_true(fabs(value(text, "chaintop_chain_head_received_timestamp_seconds{chain=\"Ethereum\"}") -
			    (1790000000 + 9 * 12 + 1)) < 1e-3);
	free(text);
	metrics_free(x);
	model_free(m);
}

/* 50 paths with all that they can have: what the app's thread pays for a page. */
static void fifty_paths(void **state)
{
	struct model *m = rig_model(50, 1);
	struct metrics *x = metrics_new();
	uint64_t best = UINT64_MAX;
	unsigned series = 0;
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		for (unsigned k = 0; k < 12; k++) {
			struct event e = {
				.kind = EV_REPLY, .path = (uint16_t)i, .mono = RIG_T0 + k, .wall = RIG_WALL0
			};

			e.u.reply.method = (uint8_t)k;
			e.u.reply.latency_ns = (k + 1) * NS_MS;
			model_apply(m, &e);
			metrics_event(x, &e);
		}
	}
	for (uint64_t h = 1; h < 20; h++) {
		struct head head = rig_head(h, h, h - 1);

		for (unsigned i = 0; i < 50; i++) {
			struct event e = { .kind = EV_BLOCK, .path = (uint16_t)i, .u.block.wire_bytes = 300000 };

			rig_say(m, i, h * 12000 + i, &head, SRC_PUSH);
			rig_block(m, i, h * 12000 + i + 5, h * 12000 + i + 9, rig_body(&head, 3, h * 100), SRC_PUSH);
			metrics_event(x, &e);
		}
		rig_tick(m, h * 12000 + 5000);
	}
	for (unsigned round = 0; round < 10; round++) {
		uint64_t start = time_thread_cpu(), took;
		char *text = render(x, m, &n);

		took = time_thread_cpu() - start;
		best = took < best ? took : best;
		series = check_page(text);
		free(text);
	}
	print_message("# 50 paths: %u series, %zu bytes, %.1f ms\n", series, n, (double)best / 1e6);
	assert_true(series > 15000);
	assert_true(n < 4 << 20);
	/* Sanitizers take several times as long; a frame's time is the bound that a user would feel. */
	assert_true(best < 200 * NS_MS || getenv("CHAINTOP_SLOW"));
	metrics_free(x);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(no_series_twice),
		cmocka_unit_test(unknown_is_absent),
		cmocka_unit_test(histograms),
		cmocka_unit_test(figures),
		cmocka_unit_test(fifty_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
