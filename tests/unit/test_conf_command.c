/* conf: options that belong to one command, numbers, and what --help says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/conf.h"

static enum status parse(struct conf *c, struct err *e, const char *const *words)
{
	char *argv[16] = { NULL };
	int n = 0;

	for (; words[n]; n++)
		argv[n] = (char *)(uintptr_t)words[n];
	return conf_parse(c, n, argv, e);
}
#define PARSE(c, e, ...) parse(c, e, (const char *const[]){ "chaintop", __VA_ARGS__, NULL })

static void a_number_is_decimal(void **state)
{
	static const char *const wrong[] = { "", "-1", "+1", "0x1", "1e3", "1.5", " 1", "18446744073709551616",
		"99999999999999999999" };
	struct conf c;
	struct err e = { .code = ST_OK };

	(void)state;
	assert_int_equal(PARSE(&c, &e, "serve", "--chain-id", "18446744073709551615"), ST_OK);
	assert_true(c.chain_id == UINT64_MAX);
	conf_fini(&c);
	assert_int_equal(PARSE(&c, &e, "serve"), ST_OK);
	assert_true(c.chain_id == 1);
	conf_fini(&c);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(PARSE(&c, &e, "--chain-id", wrong[i]), ST_USAGE);
		assert_non_null(strstr(e.text, "--chain-id"));
	}
}

static void a_letter_is_that_of_the_command(void **state)
{
	struct conf c;
	struct err e = { .code = ST_OK };

	(void)state;
	assert_int_equal(PARSE(&c, &e, "record", "-c", "7"), ST_OK);
	assert_true(c.heads == 7 && c.ping_count == 5);
	assert_int_equal(conf_check(&c, "record", &e), ST_OK);
	conf_fini(&c);
	assert_int_equal(PARSE(&c, &e, "ping", "-c7", "ws://x"), ST_OK);
	assert_true(c.ping_count == 7 && c.heads == 0 && c.rpc_count == 0);
	assert_int_equal(conf_check(&c, "ping", &e), ST_OK);
	conf_fini(&c);
}

/* The same name, another meaning: a row for each. */
static void a_name_is_that_of_the_command(void **state)
{
	struct conf c;
	struct err e = { .code = ST_OK };

	(void)state;
	assert_int_equal(PARSE(&c, &e, "fetch", "--format", "csv", "--from", "7"), ST_OK);
	assert_true(c.format == 4 && c.from == 7 && c.compare_format == 0 && c.report_format == 1 && !c.from_place);
	assert_int_equal(conf_check(&c, "fetch", &e), ST_OK);
	conf_fini(&c);
	assert_int_equal(PARSE(&c, &e, "report", "x.ct", "--format", "html", "--from", "15:57"), ST_OK);
	assert_true(c.report_format == 2 && c.format == 0 && c.from == UINT64_MAX);
	assert_string_equal(c.from_place, "15:57");
	assert_int_equal(conf_check(&c, "report", &e), ST_OK);
	conf_fini(&c);
	assert_int_equal(PARSE(&c, &e, "compare", "-f", "json", "--for", "5m", "--rank", "operator"), ST_OK);
	assert_true(c.compare_format == 3 && c.watch == 300 * NS_S && c.duration == 0 && c.rank == 2);
	assert_int_equal(conf_check(&c, "compare", &e), ST_OK);
	conf_fini(&c);
	assert_int_equal(PARSE(&c, &e, "compare", "-f", "csv"), ST_USAGE);
	assert_string_equal(e.cure, "text|md|html|json");
	assert_int_equal(PARSE(&c, &e, "fetch", "--from", "15:57"), ST_USAGE);
	/* The command may stand behind. */
	assert_int_equal(PARSE(&c, &e, "--format", "csv", "fetch", "ws://x"), ST_OK);
	assert_true(c.format == 4);
	assert_int_equal(conf_check(&c, "fetch", &e), ST_OK);
	conf_fini(&c);
	assert_int_equal(PARSE(&c, &e, "-f", "md", "ws://x"), ST_OK);
	assert_int_equal(conf_check(&c, "monitor", &e), ST_USAGE);
	conf_fini(&c);
}

static void an_option_of_another_command_is_refused(void **state)
{
	struct conf c;
	struct err e = { .code = ST_OK };

	(void)state;
	assert_int_equal(PARSE(&c, &e, "--log", "f", "--http", ":0", "x"), ST_OK);
	assert_int_equal(conf_check(&c, "serve", &e), ST_OK);
	assert_int_equal(conf_check(&c, "monitor", &e), ST_USAGE);
	assert_non_null(strstr(e.text, "--http"));
	assert_non_null(strstr(e.cure, "serve"));
	assert_int_equal(conf_check(&c, "no such command", &e), ST_USAGE);
	/* Part of a command's name is not its name. */
	assert_int_equal(conf_check(&c, "serv", &e), ST_USAGE);
	conf_fini(&c);
	assert_int_equal(PARSE(&c, &e, "--ascii", "x"), ST_OK);
	assert_int_equal(conf_check(&c, "monitor", &e), ST_OK);
	conf_fini(&c);
}

static void a_marker_is_no_option(void **state)
{
	struct conf c;
	struct err e = { .code = ST_OK };

	(void)state;
	assert_int_equal(PARSE(&c, &e, "--="), ST_USAGE);
	assert_int_equal(PARSE(&c, &e, "--serve"), ST_USAGE);
}

static char *help_of(const char *command, bool *any)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	*any = conf_help(f, command);
	fclose(f);
	return text;
}

static void help_of_a_command_has_its_options_only(void **state)
{
	bool any;
	char *text = help_of("serve", &any);

	(void)state;
	assert_true(any);
	assert_non_null(strstr(text, "--interval TIME"));
	assert_null(strstr(text, "--ascii"));
	assert_null(strstr(text, "--version"));
	free(text);
	text = help_of(NULL, &any);
	assert_true(any);
	assert_non_null(strstr(text, "--version"));
	assert_null(strstr(text, "--ascii"));
	assert_null(strstr(text, "--interval"));
	free(text);
	text = help_of("no such command", &any);
	assert_false(any);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_is_decimal),
		cmocka_unit_test(a_letter_is_that_of_the_command),
		cmocka_unit_test(a_name_is_that_of_the_command),
		cmocka_unit_test(an_option_of_another_command_is_refused),
		cmocka_unit_test(a_marker_is_no_option),
		cmocka_unit_test(help_of_a_command_has_its_options_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
