/* out/report: what a report says in each format, that it says no host, that it is the same twice; the SHA-256 of a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/time.h"
#include "base/utf8.h"
#include "out/report.h"

#define T0 (5000 * NS_S)
#define W0 (UINT64_C(1796054531) * NS_S) /* 2026-11-30 16:02:11 UTC */

enum { A, B, C, PATHS };

static struct hash hash(uint64_t n)
{
	struct hash h = { .b = { 0x5a, (uint8_t)(n >> 8), (uint8_t)n, 1 } };

	return h;
}

static void say(struct model *m, unsigned path, uint64_t n, uint64_t ms, enum head_source source)
{
	struct event e = { .kind = EV_HEAD, .path = (uint16_t)path, .mono = T0 + ms * NS_MS, .wall = W0 + ms * NS_MS };

	e.u.head.source = (uint8_t)source;
	e.u.head.h = (struct head){
		.hash = hash(n),
		.parent = hash(n - 1),
		.number = n,
		.time_ms = W0 / NS_MS + ms - 500,
		.gas_limit = 30000000,
		.has = H_HASH | H_NUMBER | H_PARENT,
	};
	model_apply(m, &e);
}

static void up(struct model *m, unsigned path, enum link_state state, const char *text, uint64_t ms)
{
	struct event e = { .kind = EV_LINK, .path = (uint16_t)path, .mono = T0 + ms * NS_MS, .wall = W0 + ms * NS_MS };

	e.u.link.state = (uint8_t)state;
	e.u.link.code = state == LINK_WAITING ? ST_DNS : ST_OK;
	e.u.link.attempt = 3;
	snprintf(e.u.link.text, sizeof(e.u.link.text), "%s", text);
	model_apply(m, &e);
}

/*
 * Forty heads, one a second: "good" first, the one without a name 80 ms later, on four of them 200 ms earlier. The third is
 * polled and goes away. Its host, and that of the nameless one, are not to be seen.
 */
static struct model *watched(void)
{
	static const struct path_setup setup[PATHS] = {
		{ .node = "good", .via = "ws", .show = "good.example.org", .push = true },
		{ .node = "10.1.2.3:8546", .via = "ws", .show = "10.1.2.3:8546", .push = true },
		{ .node = "poll", .via = "http", .show = "secret-host.example.net" },
	};
	struct model *m = model_new(setup, PATHS, T0, W0);
	struct event e;

	assert_non_null(m);
	for (unsigned p = 0; p < PATHS; p++) {
		up(m, p, p == C ? LINK_POLLING : LINK_LIVE, "", 0);
		e = (struct event){ .kind = EV_CHAIN, .path = (uint16_t)p, .mono = T0, .wall = W0 };
		e.u.chain.id = 1;
		e.u.chain.ok = true;
		model_apply(m, &e);
	}
	for (uint64_t n = 1; n <= 40; n++) {
		say(m, A, 1000 + n, n * 1000, SRC_PUSH);
		say(m, B, 1000 + n, n * 1000 + (n % 10 == 0 ? 0 : 280) - 200, SRC_PUSH);
		say(m, C, 1000 + n, n * 1000 + 300, SRC_POLL);
		model_tick(m, T0 + (n * 1000 + 900) * NS_MS, W0 + (n * 1000 + 900) * NS_MS);
	}
	/* 280 − 200 = 80 ms later, and on every tenth head 200 ms earlier. */
	up(m, C, LINK_WAITING, "no such host secret-host.example.net <b>|`x` @you", 41000);
	model_tick(m, T0 + 50 * NS_S, W0 + 50 * NS_S);
	return m;
}

static struct report_opts opts(enum report_format f)
{
	return (struct report_opts){
		.format = f,
		.window = RACE_ALL,
		.version = "chaintop 9.9",
		.command = "chaintop compare good=ws://\xe2\x80\xa6 node2=ws://\xe2\x80\xa6",
		.location = "fra1 <&>",
	};
}

static char *written(const struct model *m, enum report_format f)
{
	struct report_opts o = opts(f);
	struct err e = { .code = ST_OK };
	struct buf b;

	buf_init(&b, 8 << 20);
	assert_int_equal(report_write(&b, m, &o, &e), ST_OK);
	return b.p;
}

static void has(const char *text, const char *want)
{
	if (strstr(text, want))
		return;
	fputs(text, stderr);
	fail_msg("not there: %s", want);
}

static void no_hosts(const char *text)
{
	static const char *const never[] = { "10.1.2.3", "8546", "example.org", "example.net", "secret-host" };

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		if (strstr(text, never[i])) {
			fputs(text, stderr);
			fail_msg("there: %s", never[i]);
		}
	}
}

static void as_text(void **state)
{
	struct model *m = watched();
	char *t = written(m, REPORT_TEXT);

	(void)state;
	no_hosts(t);
	/* 36 : 4, two-sided: 2 × Σ C(40, i), i ≤ 4, ÷ 2^40 = 1.86e-7. p50 is 80 ms. */
	has(t, "Best for a searcher: good ws (head heard p50 0.0 ms; next 80 ms).\n");
	has(t, "node2 ws hears 80 ms later on 90 % of 40 heads (p < 0.001). poll http is down: dns.\n");
	has(t, "from           fra1 <&>\n");
	has(t, "window         2026-11-30 16:02:11 to 2026-11-30 16:03:01 UTC\n");
	has(t, "heads          40 in 50s\n");
	has(t, "                                   1 good ws        2 node2 ws       \xe2\x80\x94 poll http\n");
	has(t, "TRUTH head                             1,040             1,040             1,040\n");
	has(t, "      won (95 % range)          90 % (77\xe2\x80\x93" "96)       10 % (4\xe2\x80\x93" "23)        not ranked\n");
	/* Of the forty heads good hears 36 first, node2 four; 200 ms and 80 ms behind on the others. */
	has(t, "1 good ws       90 %     90 %     90 %     90 %    100 %    100 %       40\n");
	has(t, "2 node2 ws      10 %     10 %     10 %    100 %    100 %    100 %       40\n");
	has(t, "link         poll http no such host poll <b>|`x` @you");
	has(t, "Rules\n");
	free(t);
	model_free(m);
}

static void as_markdown(void **state)
{
	struct model *m = watched();
	char *t = written(m, REPORT_MD);

	(void)state;
	no_hosts(t);
	has(t, "**Best for a searcher: good ws (head heard p50 0.0 ms; next 80 ms).**\n\n");
	has(t, "- from: fra1 &lt;&amp;&gt;\n");
	has(t, "\n|  |  | 1 good ws | 2 node2 ws | \xe2\x80\x94 poll http |\n"
	       "| --- | --- | ---: | ---: | ---: |\n"
	       "| TRUTH | head | 1,040 | 1,040 | 1,040 |\n");
	/* Texts of nodes stand in an indented block, where nothing is mark-up and nobody is called. */
	has(t, "\n    2026-11-30 16:02:52  link         poll http no such host poll <b>|`x` @you");
	free(t);
	model_free(m);
}

static void as_html(void **state)
{
	struct model *m = watched();
	char *t = written(m, REPORT_HTML);

	(void)state;
	no_hosts(t);
	has(t, "<h1>Best for a searcher: good ws (head heard p50 0.0 ms; next 80 ms).</h1>");
	has(t, "<dt>from</dt><dd>fra1 &lt;&amp;&gt;</dd>");
	has(t, "no such host poll &lt;b&gt;|`x` @you");
	assert_null(strstr(t, "<b>"));
	assert_null(strstr(t, "<script"));
	assert_null(strstr(t, "http://"));
	assert_null(strstr(t, "https://"));
	has(t, "<polyline");
	free(t);
	model_free(m);
}

static double num(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);

	assert_non_null(v);
	return cJSON_IsNumber(v) ? v->valuedouble : (double)NAN;
}

static void as_json(void **state)
{
	struct model *m = watched();
	char *t = written(m, REPORT_JSON);
	cJSON *o = cJSON_Parse(t), *p, *pair;

	(void)state;
	no_hosts(t);
	assert_non_null(o);
	assert_true(num(o, "format") == 1);
	assert_true(num(o, "heads") == 40);
	assert_string_equal(cJSON_GetObjectItem(o, "to")->valuestring, "2026-11-30T16:03:01.000Z");
	assert_true(num(o, "seconds") == 50);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "clock_bound_ms")));
	p = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "paths"), 0);
	assert_string_equal(cJSON_GetObjectItem(p, "node")->valuestring, "good");
	assert_true(num(p, "rank") == 1 && num(p, "won") == 36 && num(p, "races") == 40 && num(p, "ties") == 0);
	assert_true(fabs(num(cJSON_GetObjectItem(p, "won_share"), "low") - 0.7695) < 0.0005);
	assert_true(num(cJSON_GetObjectItem(p, "behind_ms"), "p99") == 200);
	p = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "paths"), 1);
	assert_string_equal(cJSON_GetObjectItem(p, "node")->valuestring, "node2");
	assert_true(num(cJSON_GetObjectItem(p, "behind_ms"), "p50") == 80);
	p = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "paths"), 2);
	assert_string_equal(cJSON_GetObjectItem(p, "gate")->valuestring, "down");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(p, "rank")));
	pair = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "pairs"), 0);
	assert_true(num(pair, "a_first") == 36 && num(pair, "b_first") == 4);
	assert_true(fabs(num(pair, "p") / 1.8570245e-07 - 1) < 0.001);
	cJSON_Delete(o);
	free(t);
	model_free(m);
}

static void the_same_twice(void **state)
{
	(void)state;
	for (int f = REPORT_TEXT; f <= REPORT_JSON; f++) {
		struct model *a = watched(), *b = watched();
		char *x = written(a, (enum report_format)f), *y = written(b, (enum report_format)f);
		char *z = written(a, (enum report_format)f);

		assert_string_equal(x, y);
		assert_string_equal(x, z);
		free(x);
		free(y);
		free(z);
		model_free(a);
		model_free(b);
	}
}

/* Trap a: nobody hears of a block before it is made; what the clock may be off by is said. */
static void a_clock_that_is_wrong(void **state)
{
	static const struct path_setup setup[] = {
		{ .node = "a", .via = "ws", .show = "h1", .push = true },
		{ .node = "b", .via = "ws", .show = "h2", .push = true },
	};
	struct event e = { .kind = EV_CLOCK, .mono = T0, .wall = W0 };
	uint64_t early_ms[2] = { 0, 200 };

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct model *m = model_new(setup, 2, T0, W0);
		char *t;

		e.u.clock.bound_ns = 3 * NS_MS;
		model_apply(m, &e);
		for (unsigned p = 0; p < 2; p++) {
			struct event c = { .kind = EV_CHAIN, .path = (uint16_t)p, .mono = T0, .wall = W0 };

			up(m, p, LINK_LIVE, "", 0);
			c.u.chain.id = 1;
			c.u.chain.ok = true;
			model_apply(m, &c);
		}
		/* A block's own time is 500 ms before it is said (say); with the clock 700 ms slow, 200 ms after. */
		for (uint64_t n = 1; n <= 40; n++) {
			for (unsigned p = 0; p < 2; p++) {
				struct event h = { .kind = EV_HEAD, .path = (uint16_t)p, .mono = T0 + n * NS_S };

				h.wall = W0 + n * NS_S;
				h.u.head.source = SRC_PUSH;
				h.u.head.h = (struct head){ .hash = hash(n), .parent = hash(n - 1), .number = n,
							    .time_ms = W0 / NS_MS + n * 1000 - (k ? 0 : 500) + early_ms[k],
							    .has = H_HASH | H_NUMBER | H_PARENT };
				model_apply(m, &h);
			}
			model_tick(m, T0 + n * NS_S + 900 * NS_MS, W0 + n * NS_S + 900 * NS_MS);
		}
		model_tick(m, T0 + 50 * NS_S, W0 + 50 * NS_S);
		t = written(m, REPORT_TEXT);
		has(t, "clock          may be off by 3.0 ms\n");
		if (k)
			has(t, "clock is wrong 40 of 40 heads were heard before their own time by more than the bound\n");
		else
			has(t, "late           the first path hears a block 500 ms after its own time (p50, \xc2\xb1 3.0 ms)\n");
		free(t);
		model_free(m);
	}
}

/* Nothing has happened: a report all the same, and no figure is made up. */
static void of_nothing(void **state)
{
	static const struct path_setup setup[] = { { .node = "x", .via = "ws", .show = "h", .push = true } };
	struct model *m = model_new(setup, 1, T0, W0), *none = model_new(setup, 0, T0, W0);
	char *t;

	(void)state;
	for (int f = REPORT_TEXT; f <= REPORT_JSON; f++) {
		t = written(m, (enum report_format)f);
		has(t, "No order: no path passes the gate.");
		free(t);
		free(written(none, (enum report_format)f));
	}
	model_free(m);
	model_free(none);
}

/* As many as there may be, with names as long as they may be; nothing overflows, all is UTF-8. */
static void of_many(void **state)
{
	struct path_setup setup[PATHS_MAX];
	char name[PATHS_MAX][40];
	struct model *m;
	char *t;

	(void)state;
	for (unsigned i = 0; i < PATHS_MAX; i++) {
		snprintf(name[i], sizeof(name[i]), "a-name_that-is_as-long-as-can-b%u", i % 10);
		setup[i] = (struct path_setup){ .node = name[i], .via = i % 2 ? "https" : "wss", .show = "h" };
		setup[i].push = i % 2 == 0;
	}
	m = model_new(setup, PATHS_MAX, T0, W0);
	assert_non_null(m);
	for (unsigned i = 0; i < PATHS_MAX; i++) {
		struct event c = { .kind = EV_CHAIN, .path = (uint16_t)i, .mono = T0, .wall = W0 };

		up(m, i, i % 2 ? LINK_POLLING : LINK_LIVE, "", 0);
		c.u.chain.id = UINT64_MAX;
		c.u.chain.ok = true;
		model_apply(m, &c);
	}
	for (uint64_t n = 1; n <= 600; n++) {
		for (unsigned i = 0; i < PATHS_MAX; i++)
			say(m, i, n, n * 250 + i, i % 2 ? SRC_POLL : SRC_PUSH);
		model_tick(m, T0 + (n * 250 + 200) * NS_MS, W0 + (n * 250 + 200) * NS_MS);
		if (n % 10 == 0) {
			up(m, 5, LINK_WAITING, "\xff\xfe\x1b[31m\xe2\x80\xae bad", n * 250 + 201);
			up(m, 5, LINK_POLLING, "", n * 250 + 202);
		}
	}
	for (int f = REPORT_TEXT; f <= REPORT_JSON; f++) {
		t = written(m, (enum report_format)f);
		assert_true(strlen(t) > 10000 && strlen(t) < 2000000);
		for (const char *s = t; *s;) {
			int len;

			assert_true(utf8_decode(s, strlen(s) < 8 ? strlen(s) : 8, &len) != 0xfffd);
			assert_true((unsigned char)*s >= ' ' || *s == '\n' || *s == '\t');
			s += len;
		}
		has(t, f == REPORT_MD ? "a-name\\_that-is" : "a-name_that-is");
		free(t);
	}
	model_free(m);
}

/* A part of a recording: what was before does not count, what is known stays. */
static void restarted(void **state)
{
	struct model *m = watched();
	char *t;

	(void)state;
	model_restart(m);
	t = written(m, REPORT_TEXT);
	has(t, "heads          0 in 0.0s\n");
	has(t, "TRUTH head                             1,040");
	has(t, "Incidents\nnone\n");
	free(t);
	for (uint64_t n = 41; n <= 75; n++) {
		say(m, B, 1000 + n, n * 1000 + 20000, SRC_PUSH);
		say(m, A, 1000 + n, n * 1000 + 20030, SRC_PUSH);
		model_tick(m, T0 + (n * 1000 + 20900) * NS_MS, W0 + (n * 1000 + 20900) * NS_MS);
	}
	model_tick(m, T0 + 100 * NS_S, W0 + 100 * NS_S);
	t = written(m, REPORT_TEXT);
	has(t, "Best for a searcher: node2 ws (head heard p50 0.0 ms; next 30 ms).\n");
	has(t, "good ws hears 30 ms later on 100 % of 35 heads");
	has(t, "heads          35 in 50s\n");
	free(t);
	model_free(m);
}

/* FIPS 180-2, appendix B: "abc", and a million "a". */
static void sha256(void **state)
{
	char name[] = "/tmp/test_report.XXXXXX", hex[SHA256_HEX];
	struct err e = { .code = ST_OK };
	int fd = mkstemp(name);
	char as[1000];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "abc", 3), 3);
	assert_int_equal(sha256_file(hex, name, &e), ST_OK);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	memset(as, 'a', sizeof(as));
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(write(fd, as, sizeof(as)), (ssize_t)sizeof(as));
	assert_int_equal(sha256_file(hex, name, &e), ST_OK);
	assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	close(fd);
	unlink(name);
	assert_int_equal(sha256_file(hex, name, &e), ST_IO);
	assert_string_equal(hex, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_text),
		cmocka_unit_test(as_markdown),
		cmocka_unit_test(as_html),
		cmocka_unit_test(as_json),
		cmocka_unit_test(the_same_twice),
		cmocka_unit_test(a_clock_that_is_wrong),
		cmocka_unit_test(of_nothing),
		cmocka_unit_test(of_many),
		cmocka_unit_test(restarted),
		cmocka_unit_test(sha256),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
