/* conf: the configuration file: what it sets, what the command line keeps, and what a wrong line says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/file.h"

static void begin(struct conf *c, const char *const *words)
{
	struct err e = { .code = ST_OK };
	char *argv[16] = { NULL };
	int n = 0;

	for (; words[n]; n++)
		argv[n] = (char *)(uintptr_t)words[n];
	assert_int_equal(conf_parse(c, n, argv, &e), ST_OK);
}
#define BEGIN(c, ...) begin(c, (const char *const[]){ "chaintop", __VA_ARGS__, NULL })

static enum status load(struct conf *c, const char *text, struct err *e)
{
	return conf_load_text(c, text, strlen(text), "file", false, e);
}

static void good(struct conf *c, const char *text)
{
	struct err e = { .code = ST_OK };

	if (load(c, text, &e) != ST_OK)
		fail_msg("%s: %s", text, e.text);
}

/* The file is refused with `where` in front of the text, `what` in it, and `cure` in the cure. */
static void bad(const char *text, const char *where, const char *what, const char *cure)
{
	struct err e = { .code = ST_OK };
	struct conf c;

	begin(&c, (const char *const[]){ "chaintop", NULL });
	if (load(&c, text, &e) != ST_USAGE)
		fail_msg("%s: not refused", text);
	if (strncmp(e.text, where, strlen(where)) != 0 || !strstr(e.text, what) || !strstr(e.cure, cure))
		fail_msg("%s: says '%s', try '%s'", text, e.text, e.cure);
	conf_fini(&c);
}

static void what_the_file_says_is_set(void **state)
{
	struct conf c;

	(void)state;
	BEGIN(&c, "x");
	good(&c, "location = \"fra 1\"   # here\nbodies = off\nview=5\nascii = yes\nclock-bound = 3ms\n"
		 "header = {\"A: b\", 'C: d'}\n"
		 "node geth { url = {\"ws://127.0.0.1:8546\", \"/data/geth.ipc\"} } # one node, two paths\n"
		 "node paid { url = x budget = \"2000/hour\" }\n"
		 "node own { url_command = {\"pass\", \"a b\"} }\n"
		 "check \"bsc/age\" { warn = 48s  crit = off }\n"
		 "alert { exec = {\"/bin/page\", \"x\"}  only = crit  cooldown = 90s  bell = never\n"
		 "  webhook = \"https://h/x\" }\n");
	assert_string_equal(c.location, "fra 1");
	assert_int_equal(c.bodies, 2);
	assert_int_equal(c.view, 5);
	assert_true(c.ascii);
	assert_int_equal(c.clock_bound, 3000000);
	assert_int_equal(c.headers.n, 2);
	assert_string_equal(c.headers.item[1], "C: d");
	assert_int_equal(c.file->n_nodes, 3);
	assert_int_equal(conf_node(&c, "paid")->budget_day, 48000);
	assert_int_equal(conf_node(&c, "geth")->budget_day, 0);
	assert_string_equal(conf_node(&c, "geth")->url.at[1].s, "/data/geth.ipc");
	assert_int_equal(conf_node(&c, "geth")->url.n, 2);
	assert_int_equal(conf_node(&c, "geth")->url.at[1].line, 7);
	assert_string_equal(conf_node(&c, "own")->url_command.at[1].s, "a b");
	assert_null(conf_node(&c, "get"));
	assert_int_equal(c.file->n_checks, 1);
	assert_string_equal(c.file->checks[0].name, "bsc/age");
	assert_string_equal(c.file->checks[0].crit.s, "off");
	assert_int_equal(c.file->checks[0].crit.line, 10);
	assert_int_equal(c.file->alert.exec.n, 2);
	assert_int_equal(c.file->alert.only, WHEN_CRIT);
	assert_int_equal(c.file->alert.cooldown, 90 * NS_S);
	assert_int_equal(c.file->alert.bell, WHEN_NEVER);
	assert_int_equal(c.file->alert.webhook.line, 12);
	conf_fini(&c);
}

static void an_empty_file_leaves_the_defaults(void **state)
{
	static const char *const texts[] = { "", "\n\n", "# a comment", "// another", "/* a\nlong one */", "\xef\xbb\xbf",
		"alert { }" };
	struct conf c;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		BEGIN(&c, "x");
		good(&c, texts[i]);
		assert_null(c.location);
		assert_int_equal(c.view, 1);
		assert_int_equal(c.file->alert.cooldown, 600 * NS_S);
		assert_int_equal(c.file->alert.bell, WHEN_CRIT);
		assert_int_equal(c.file->alert.only, WHEN_WARN);
		conf_fini(&c);
	}
}

static void the_command_line_wins(void **state)
{
	struct conf_shown o;
	struct conf c;
	unsigned seen = 0;

	(void)state;
	BEGIN(&c, "--view", "2", "-H", "X: y", "x");
	good(&c, "\nview = 5\nheader = \"A: b\"\nbodies = all\n");
	assert_int_equal(c.view, 2);
	assert_int_equal(c.headers.n, 1);
	assert_string_equal(c.headers.item[0], "X: y");
	assert_int_equal(c.bodies, 1);
	for (unsigned i = 0; conf_option(&c, i, &o); i++) {
		/* Another command's option of that name is not the file's. */
		if (o.commands[0] && !strstr(o.commands, "monitor"))
			continue;
		if (strcmp(o.name, "view") == 0 || strcmp(o.name, "header") == 0) {
			assert_int_equal(o.from.source, CONF_ARGV);
			seen++;
		} else if (strcmp(o.name, "bodies") == 0) {
			assert_int_equal(o.from.source, CONF_FILE);
			assert_int_equal(o.from.line, 4);
			assert_string_equal(o.value, "all");
			seen++;
		} else if (o.name[0]) {
			assert_int_equal(o.from.source, CONF_DEFAULT);
		}
	}
	assert_int_equal(seen, 3);
	conf_fini(&c);
	/* It is looked at all the same. */
	BEGIN(&c, "--view", "2", "x");
	assert_int_equal(load(&c, "view = five", &(struct err){ .code = ST_OK }), ST_USAGE);
	conf_fini(&c);
}

static void a_wrong_line_is_named(void **state)
{
	(void)state;
	bad("bodies = auto\n# c\nlocaton = x\n", "file:3: ", "locaton", "location");
	bad("bodies = auto # c\n\nlocaton = x\n", "file:3: ", "locaton", "location");
	bad("node a {\n\n  urls = x\n}", "file:3: ", "urls", "url_command");
	bad("node { url = x }", "file:1: ", "title", "node geth");
	bad("\nnode \"a b\" { url = x }", "file:2: ", "not a name", "A-Z");
	bad("node a { url = x budget = 5 }", "file:1: ", "budget", "50000/day");
	bad("node a { url = x budget = \"-1/day\" }", "file:1: ", "budget", "50000/day");
	bad("node a { url = x budget = \"99999999999999999999/s\" }", "file:1: ", "budget", "50000/day");
	bad("node a { }", "file:1: ", "no URL", "url =");
	bad("node a { url = x }\nnode a { url = y }", "file:2: ", "'a'", "");
	bad("view = x", "file:1: ", "view x: not a number", "");
	bad("bodies = some", "file:1: ", "no such choice", "auto|all|off");
	bad("clock-bound = 5", "file:1: ", "not a time", "10s");
	bad("ascii = 1", "file:1: ", "neither true nor false", "true|false");
	bad("alert { bell = loud }", "file:1: ", "bell", "never|crit|warn");
	bad("alert { only = never }", "file:1: ", "only", "crit|warn");
	bad("alert {\n exec = page }", "file:2: ", "whole path", "shell");
	bad("alert { webhook = \"ftp://x\" }", "file:1: ", "not an HTTP URL", "https");
	bad("alert { cooldown = 10 }", "file:1: ", "not a time", "10m");
	bad("check age { }", "file:1: ", "no limit", "warn");
	bad("location = \"a\nb\"", "file:1: ", "lacking", "on one line");
	bad("\nnode a {\n url = x", "file:2: ", "lacking", "");
	bad("}", "file:1: ", "} without {", "");
	bad("/* a\n\n", "file:1: ", "comment", "");
	bad("location = a\001", "file:1: ", "control", "");
	bad("location = \"a\\x01\"", "file:1: ", "control", "");
	bad("include(\"/etc/passwd\")", "file:1: ", "no place", "");
	bad("location += x", "file:1: ", "no place", "");
	bad("once = 80x24", "file:1: ", "once", "location");
	bad("\"\n\" = x", "file:1: ", "", "");
	bad("'\\n' = x", "file:1: ", "", "");
}

/* A file that is as wrong as can be gives one line, the first one. */
static void the_first_error_counts(void **state)
{
	(void)state;
	bad("alert { exec = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17} }", "file:1: ", "more than 16", "");
	bad("wrong = 1\nwronger = 2\n", "file:1: ", "'wrong'", "");
}

static void variables_are_replaced(void **state)
{
	struct conf c;

	(void)state;
	setenv("CHAINTOP_TEST_KEY", "k\"} node evil { url=\"x", 1);
	unsetenv("CHAINTOP_TEST_NONE");
	BEGIN(&c, "x");
	good(&c, "location = ${CHAINTOP_TEST_KEY}\n"
		 "node a { url = \"ws://h/${CHAINTOP_TEST_KEY}\" }\n"
		 "node b { url = 'ws://h/${CHAINTOP_TEST_NONE}' }\n"
		 "node c { url = \"ws://${CHAINTOP_TEST_NONE:-other}\" } # ${CHAINTOP_TEST_NONE}\n");
	/* What a variable holds is a value, never text of the file. */
	assert_string_equal(c.location, "k\"} node evil { url=\"x");
	assert_int_equal(c.file->n_nodes, 3);
	assert_string_equal(c.file->nodes[0].url.at[0].s, "ws://h/k\"} node evil { url=\"x");
	assert_true(c.file->nodes[0].url.at[0].env);
	assert_string_equal(c.file->nodes[1].url.at[0].s, "ws://h/${CHAINTOP_TEST_NONE}");
	assert_false(c.file->nodes[1].url.at[0].env);
	assert_string_equal(c.file->nodes[2].url.at[0].s, "ws://other");
	conf_fini(&c);
	bad("\nlocation = ${CHAINTOP_TEST_NONE}", "file:2: ", "CHAINTOP_TEST_NONE", ":-");
	bad("location = \"a${CHAINTOP_TEST_NONE}\"", "file:1: ", "CHAINTOP_TEST_NONE", "");
	bad("location = \"${}\"", "file:1: ", "not the name", "");
	bad("location = \"${A B}\"", "file:1: ", "not the name", "");
	bad("location = \"${A\"", "file:1: ", "${ without }", "");
	unsetenv("CHAINTOP_TEST_KEY");
}

static void a_key_that_others_can_read_is_told(void **state)
{
	static const struct {
		const char *text;
		bool told;
	} cases[] = {
		{ "node a { url = \"ws://127.0.0.1:8546\" }", false },
		{ "node a { url = \"http://h/v1/mainnet\" }", false },
		{ "node a { url = \"/a/very/long/path/to/the/socket.of.the.node.ipc\" }", false },
		{ "node a { url = \"wss://h/v3/0123456789abcdef0123\" }", true },
		{ "node a { url = \"wss://user:pass@h/\" }", true },
		{ "node a { url = \"wss://h/?key=1\" }", true },
		{ "node a { url = \"wss://h/${HOME:-x}/0123456789abcdef0123\" }", false },
		{ "alert { webhook = \"https://h/0123456789abcdef\" }", true },
		{ "header = \"X-Key: 1\"", true },
		{ "node a { url_command = \"pass x\" }", false },
	};
	struct conf c;
	struct err e = { .code = ST_OK };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		BEGIN(&c, "x");
		assert_int_equal(conf_load_text(&c, cases[i].text, strlen(cases[i].text), "file", true, &e), ST_OK);
		if ((c.file->warning[0] != 0) != cases[i].told)
			fail_msg("%s: '%s'", cases[i].text, c.file->warning);
		conf_fini(&c);
		BEGIN(&c, "x");
		good(&c, cases[i].text);
		assert_string_equal(c.file->warning, "");
		conf_fini(&c);
	}
}

/* No value of a secret is in what is shown of an option. */
static void secrets_are_not_shown(void **state)
{
	struct conf_shown o;
	struct conf c;

	(void)state;
	BEGIN(&c, "-H", "Authorization: Bearer SECRET", "x");
	good(&c, "proxy = \"http://me:SECRET@proxy:3128\"");
	for (unsigned i = 0; conf_option(&c, i, &o); i++)
		assert_null(strstr(o.value, "SECRET"));
	conf_fini(&c);
}

#define ZEROS "00000000000000000000000000000000000000000000000000000000"
#define LONG_SECRET "KEYSECRET" ZEROS ZEROS ZEROS ZEROS

/* Nor is it where a URL lacks its quotes and falls into pieces. */
static void secrets_are_not_quoted(void **state)
{
	static const char *const texts[] = {
		"node a { url = wss://h/?k=KEYSECRETKEYSECRET }", "node a { url = \"wss://h/\" KEYSECRETKEYSECRET }",
		"node a { url = wss://h/ KEYSECRETKEYSECRET = 3 }", "KEYSECRETKEYSECRET", "node KEYSECRETKEYSECRET = x",
		"header = A KEYSECRETKEYSECRET",
		LONG_SECRET,
		"alert { webhook = https://h/?x=KEYSECRETKEYSECRET }",
	};
	struct err e = { .code = ST_OK };
	struct conf c;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		BEGIN(&c, "x");
		assert_int_equal(load(&c, texts[i], &e), ST_USAGE);
		if (strstr(e.text, "KEYSECRET") || strstr(e.cure, "KEYSECRET"))
			fail_msg("%s: %s; %s", texts[i], e.text, e.cure);
		conf_fini(&c);
	}
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void where_the_file_is(void **state)
{
	char dir[] = "/tmp/chaintop-conf.XXXXXX", path[64], sub[64];
	struct err e = { .code = ST_OK };
	struct conf c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/chaintop", dir);
	snprintf(path, sizeof(path), "%s/config", sub);
	assert_int_equal(mkdir(sub, 0700), 0);
	setenv("XDG_CONFIG_HOME", dir, 1);
	BEGIN(&c, "x");
	assert_int_equal(conf_load(&c, &e), ST_OK);
	assert_null(c.file);
	write_file(path, "view = 8\n", 0600);
	assert_int_equal(conf_load(&c, &e), ST_OK);
	assert_int_equal(c.view, 8);
	conf_fini(&c);
	/* What it would run is not for others to say. */
	write_file(path, "\nalert { exec = /bin/true }\n", 0666);
	BEGIN(&c, "x");
	assert_int_equal(conf_load(&c, &e), ST_USAGE);
	assert_non_null(strstr(e.text, ":2: "));
	assert_non_null(strstr(e.text, "everybody can write"));
	conf_fini(&c);
	/* --config is another one, and it must be there. */
	snprintf(path, sizeof(path), "%s/nothing", dir);
	BEGIN(&c, "--config", path, "x");
	assert_int_equal(conf_load(&c, &e), ST_USAGE);
	assert_non_null(strstr(e.text, "nothing"));
	conf_fini(&c);
	BEGIN(&c, "--config", "/dev/null", "x");
	assert_int_equal(conf_load(&c, &e), ST_OK);
	conf_fini(&c);
	BEGIN(&c, "--config", "/dev/zero", "x");
	assert_int_equal(conf_load(&c, &e), ST_USAGE);
	conf_fini(&c);
	BEGIN(&c, "--config", dir, "x");
	assert_int_equal(conf_load(&c, &e), ST_USAGE);
	conf_fini(&c);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	BEGIN(&c, "--config", path, "x");
	assert_int_equal(conf_load(&c, &e), ST_USAGE);
	conf_fini(&c);
	unlink(path);
	snprintf(path, sizeof(path), "%s/config", sub);
	unlink(path);
	rmdir(sub);
	rmdir(dir);
}

static void a_file_that_is_too_large_is_refused(void **state)
{
	char path[] = "/tmp/chaintop-conf.XXXXXX", *text = malloc(CONF_FILE_BYTES + 2);
	struct err e = { .code = ST_OK };
	struct conf c;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_non_null(text);
	memset(text, '\n', CONF_FILE_BYTES + 1);
	assert_int_equal(write(fd, text, CONF_FILE_BYTES), CONF_FILE_BYTES);
	BEGIN(&c, "--config", path, "x");
	assert_int_equal(conf_load(&c, &e), ST_OK);
	conf_fini(&c);
	assert_int_equal(write(fd, text, 1), 1);
	BEGIN(&c, "--config", path, "x");
	assert_int_equal(conf_load(&c, &e), ST_USAGE);
	conf_fini(&c);
	close(fd);
	unlink(path);
	free(text);
}

/* Each name that the file knows is an option of the table. */
static void the_names_are_those_of_the_table(void **state)
{
	struct conf_shown o;
	struct conf c;

	(void)state;
	BEGIN(&c, "x");
	for (unsigned k = 0; conf_file_key("", k); k++) {
		bool found = false;

		for (unsigned i = 0; conf_option(&c, i, &o); i++)
			found |= strcmp(o.name, conf_file_key("", k)) == 0;
		if (!found)
			fail_msg("%s is no option", conf_file_key("", k));
	}
	conf_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_file_says_is_set),
		cmocka_unit_test(an_empty_file_leaves_the_defaults),
		cmocka_unit_test(the_command_line_wins),
		cmocka_unit_test(a_wrong_line_is_named),
		cmocka_unit_test(the_first_error_counts),
		cmocka_unit_test(variables_are_replaced),
		cmocka_unit_test(a_key_that_others_can_read_is_told),
		cmocka_unit_test(secrets_are_not_shown),
		cmocka_unit_test(secrets_are_not_quoted),
		cmocka_unit_test(where_the_file_is),
		cmocka_unit_test(a_file_that_is_too_large_is_refused),
		cmocka_unit_test(the_names_are_those_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
