/* cmd/ping_table: percentiles, what is left out, errors by kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "base/time.h"
#include "cmd/ping_table.h"

static char *text_of(struct ping_result *r, bool json)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	if (json)
		assert_int_equal(ping_print_json(f, r, 1), ST_OK);
	else
		ping_print(f, r);
	fclose(f);
	return out;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("not there: %s in\n%s", part, text);
}

static void percentiles(void **state)
{
	struct url u = { .scheme = URL_WS, .host = "h", .port = 1 };
	struct ping_result r;

	(void)state;
	assert_int_equal(ping_result_init(&r, &u, 4), ST_OK);
	assert_true(ping_percentile(&r, PING_TCP, 50) == UINT64_MAX);
	ping_add(&r, PING_TCP, 40);
	assert_true(ping_percentile(&r, PING_TCP, 0) == 40 && ping_percentile(&r, PING_TCP, 100) == 40);
	ping_add(&r, PING_TCP, 10);
	ping_add(&r, PING_TCP, 30);
	ping_add(&r, PING_TCP, 20);
	/* No room for more than was planned. */
	ping_add(&r, PING_TCP, 5);
	assert_int_equal(r.n[PING_TCP], 4);
	/* Nearest rank: the second of four. */
	assert_true(ping_percentile(&r, PING_TCP, 0) == 10);
	assert_true(ping_percentile(&r, PING_TCP, 50) == 20);
	assert_true(ping_percentile(&r, PING_TCP, 100) == 40);
	ping_result_fini(&r);
}

static void printed(void **state)
{
	struct err e = { .code = ST_TIMEOUT, .text = "no answer in time", .cure = "wait" };
	struct url u;
	struct ping_result r;
	char *text;
	cJSON *j, *one;

	(void)state;
	assert_int_equal(url_parse(&u, "geth=ws://user:pass@example.org:8546/KEY", &e), ST_OK);
	assert_int_equal(ping_result_init(&r, &u, 3), ST_OK);
	r.done = 3;
	r.answered = 1;
	r.chain_known = true;
	r.chain = 1;
	ping_add(&r, PING_TCP, 123456);
	ping_add(&r, PING_AGAIN, 41 * NS_MS);
	e = (struct err){ .code = ST_TIMEOUT, .text = "no answer in time", .cure = "wait" };
	ping_add_error(&r, &e);
	ping_add_error(&r, &e);
	text = text_of(&r, false);
	has(text, "geth  ws example.org:8546: 1 of 3 answered, chain 1 Ethereum\n");
	has(text, "\nTCP          0.123 ms   0.123 ms   0.123 ms\n");
	has(text, "\nagain           41 ms      41 ms      41 ms   on the open connection");
	has(text, "\n2 failed: no answer in time; try: wait\n");
	assert_null(strstr(text, "TLS"));
	assert_null(strstr(text, "KEY"));
	assert_null(strstr(text, "pass"));
	free(text);
	text = text_of(&r, true);
	assert_null(strstr(text, "KEY"));
	j = cJSON_Parse(text);
	assert_non_null(j);
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(j, "endpoints"), 0);
	assert_string_equal(cJSON_GetObjectItem(one, "node")->valuestring, "geth");
	assert_int_equal(cJSON_GetObjectItem(one, "rounds")->valueint, 3);
	assert_int_equal(cJSON_GetObjectItem(one, "answered")->valueint, 1);
	assert_true(cJSON_GetObjectItem(cJSON_GetObjectItem(cJSON_GetObjectItem(one, "ms"), "tcp"), "p50")->valuedouble == 0.123);
	assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(one, "ms"), "tls"));
	one = cJSON_GetArrayItem(cJSON_GetObjectItem(one, "errors"), 0);
	assert_string_equal(cJSON_GetObjectItem(one, "code")->valuestring, "timeout");
	assert_int_equal(cJSON_GetObjectItem(one, "n")->valueint, 2);
	cJSON_Delete(j);
	free(text);
	ping_result_fini(&r);
	url_fini(&u);
}

static void many_kinds_of_errors(void **state)
{
	struct url u = { .scheme = URL_IPC, .target = (char[]){ "/x" } };
	struct ping_result r;
	unsigned n = 0;

	(void)state;
	assert_int_equal(ping_result_init(&r, &u, 1), ST_OK);
	for (unsigned i = 0; i < 3 * PING_ERRORS; i++) {
		struct err e = { .code = ST_HTTP };

		snprintf(e.text, sizeof(e.text), "HTTP %u", 500 + i);
		ping_add_error(&r, &e);
	}
	assert_int_equal(r.n_errors, PING_ERRORS);
	for (unsigned i = 0; i < r.n_errors; i++)
		n += r.errors[i].n;
	assert_int_equal(n, 3 * PING_ERRORS);
	ping_result_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles),
		cmocka_unit_test(printed),
		cmocka_unit_test(many_kinds_of_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
