/* hook: what a command gets, that it is killed when it takes too long, that nothing waits for it; a webhook that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "hook.h"
#include "net_peer.h"

static char dir[] = "/tmp/chaintop-hook.XXXXXX";
static struct conf_alert alert;
static char program[64];

static int setup(void **state)
{
	struct err e;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(log_open(NULL, LOG_DEBUG, &e), ST_OK);
	return net_global_init(&e) == ST_OK ? 0 : -1;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	net_global_fini();
	log_close();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* The hook of the next test: a shell script with these lines. */
static void script(const char *lines)
{
	FILE *f;

	snprintf(program, sizeof(program), "%s/hook", dir);
	f = fopen(program, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", lines);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(program, 0755), 0);
	conf_alert_default(&alert);
	alert.exec.at[0] = (struct conf_text){ .s = program, .line = 1 };
	alert.exec.at[1] = (struct conf_text){ .s = dir, .line = 1 };
	alert.exec.at[2] = (struct conf_text){ .s = "$(touch /tmp/never); *", .line = 1 };
	alert.exec.n = 3;
}

static struct alert_event event(enum level before, enum level level)
{
	struct alert_event e = { .seq = 1, .wall = UINT64_C(1796054531) * NS_S, .since_wall = UINT64_C(1796054401) * NS_S,
				 .before = before, .level = level, .check = CHECK_age, .value = 130, .limit = 120, .count = 2 };

	snprintf(e.name, sizeof(e.name), "geth");
	snprintf(e.text, sizeof(e.text), "geth: \"newest\" block is 130 s old; $(touch /tmp/never)");
	return e;
}

static struct hooks *start(const struct hook_opts *o)
{
	struct err e = { .code = ST_OK };
	struct hooks *h;

	assert_int_equal(hooks_start(&h, o, &e), ST_OK);
	assert_non_null(h);
	return h;
}

/* Waits for the condition; false: it did not come in 10 s. */
static bool there(const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (uint64_t end = time_mono() + 10 * NS_S; time_mono() < end; poll(NULL, 0, 5)) {
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static bool logged(const char *part)
{
	struct log_line lines[64];

	for (uint64_t end = time_mono() + 10 * NS_S; time_mono() < end; poll(NULL, 0, 5)) {
		size_t n = log_lines(lines, 64);

		for (size_t i = 0; i < n; i++) {
			if (strstr(lines[i].text, part))
				return true;
		}
	}
	return false;
}

static const char *content(const char *name)
{
	static char text[8192];
	char path[100];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void has(const char *in, const char *what)
{
	if (!strstr(in, what))
		fail_msg("no '%s' in\n%s", what, in);
}

static void nothing_to_do_is_no_thread(void **state)
{
	struct hooks *h;
	struct err e;

	(void)state;
	conf_alert_default(&alert);
	assert_int_equal(hooks_start(&h, &(struct hook_opts){ .alert = &alert }, &e), ST_OK);
	assert_null(h);
	hooks_tell(NULL, NULL);
	hooks_stop(NULL);
}

static void a_command_gets_all_of_it(void **state)
{
	struct alert_event e = event(LEVEL_OK, LEVEL_CRIT);
	struct hooks *h;

	(void)state;
	setenv("CHAINTOP_STATE", "what was there before", 1);
	script("{ env | grep ^CHAINTOP_; echo \"ARG=$2\"; echo noise; echo more noise >&2; cat; ls -l /proc/self/fd | wc -l; } "
	       ">$1/out.tmp; trap >>$1/out.tmp; mv $1/out.tmp $1/out");
	h = start(&(struct hook_opts){ .alert = &alert, .location = "fra 1" });
	hooks_tell(h, &e);
	assert_true(there("out"));
	has(content("out"), "CHAINTOP_STATE=CRIT\n");
	assert_null(strstr(content("out"), "before"));
	has(content("out"), "CHAINTOP_NODE=geth\n");
	has(content("out"), "CHAINTOP_CHECK=age\n");
	has(content("out"), "CHAINTOP_VALUE=130\n");
	has(content("out"), "CHAINTOP_LIMIT=120\n");
	has(content("out"), "CHAINTOP_TEXT=geth: \"newest\" block is 130 s old; $(touch /tmp/never)\n");
	has(content("out"), "ARG=$(touch /tmp/never); *\n");
	has(content("out"), "\"state\":\"CRIT\",\"was\":\"OK\",\"resolved\":false,\"node\":\"geth\",\"check\":\"age\"");
	has(content("out"), "\"text\":\"geth: \\\"newest\\\" block");
	has(content("out"), "\"value\":130,\"limit\":120,\"unit\":\"s\",\"since\":\"2026-11-30T16:00:01Z\"");
	has(content("out"), "\"count\":2,\"location\":\"fra 1\"");
	assert_int_not_equal(access("/tmp/never", F_OK), 0);
	hooks_stop(h);
}

/* Unknown is empty, and null; never 0. */
/* One page of location leaves no room for the rest: it is cut, the alert is not lost. */
static void a_long_location_loses_no_alert(void **state)
{
	struct alert_event e = event(LEVEL_OK, LEVEL_CRIT);
	char place[4000] = "fra1 \x1b[31m", many[sizeof(e.text)];
	struct hooks *h;

	(void)state;
	memset(place + 10, '"', sizeof(place) - 11);
	/* What grows most when it is escaped. */
	memset(many, '"', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	snprintf(e.text, sizeof(e.text), "%s", many);
	snprintf(e.name, sizeof(e.name), "%.32s", many);
	snprintf(e.chain, sizeof(e.chain), "%.32s", many);
	script("cat >$1/long.tmp; mv $1/long.tmp $1/long");
	h = start(&(struct hook_opts){ .alert = &alert, .location = place });
	hooks_tell(h, &e);
	assert_true(there("long"));
	has(content("long"), "\"location\":\"fra1 ?[31m");
	hooks_stop(h);
}

static void an_unknown_value_is_no_number(void **state)
{
	struct alert_event e = event(LEVEL_CRIT, LEVEL_OK);
	struct hooks *h;

	(void)state;
	e.value = NAN;
	e.limit = INFINITY;
	script("{ env | grep ^CHAINTOP_; cat; } >$1/out2.tmp; mv $1/out2.tmp $1/out2");
	h = start(&(struct hook_opts){ .alert = &alert });
	hooks_tell(h, &e);
	assert_true(there("out2"));
	has(content("out2"), "CHAINTOP_VALUE=\n");
	has(content("out2"), "CHAINTOP_STATE=OK\n");
	has(content("out2"), "\"resolved\":true");
	has(content("out2"), "\"value\":null,\"limit\":null");
	hooks_stop(h);
}

static void only_crit_is_only_crit(void **state)
{
	struct alert_event e = event(LEVEL_OK, LEVEL_WARN);
	struct hooks *h;

	(void)state;
	script("echo $CHAINTOP_STATE >>$1/states; [ $CHAINTOP_STATE = OK ] && touch $1/states.done");
	alert.only = WHEN_CRIT;
	h = start(&(struct hook_opts){ .alert = &alert });
	hooks_tell(h, &e);
	e = event(LEVEL_CRIT, LEVEL_WARN);
	hooks_tell(h, &e);
	assert_true(there("states.done"));
	assert_string_equal(content("states"), "OK\n");
	hooks_stop(h);
}

/* It and what it started are killed; the next one runs meanwhile. */
static void a_command_that_hangs_is_killed(void **state)
{
	struct alert_event e = event(LEVEL_OK, LEVEL_CRIT);
	struct hooks *h;
	pid_t child;

	(void)state;
	script("[ $CHAINTOP_NODE = quick ] && { touch $1/quick; exit 3; }\n"
	       "sleep 600 & echo $! >$1/pid.tmp; mv $1/pid.tmp $1/pid; wait");
	h = start(&(struct hook_opts){ .alert = &alert, .exec_limit_ns = NS_S });
	hooks_tell(h, &e);
	assert_true(there("pid"));
	snprintf(e.name, sizeof(e.name), "quick");
	hooks_tell(h, &e);
	assert_true(there("quick"));
	assert_true(logged("exit code 3"));
	assert_true(logged("took too long and was killed"));
	child = (pid_t)strtol(content("pid"), NULL, 10);
	assert_true(child > 1);
	for (uint64_t end = time_mono() + 5 * NS_S; kill(child, 0) == 0; poll(NULL, 0, 5)) {
		char path[40], text[200] = "";
		FILE *f;

		/* Killed, but nobody has taken its exit code yet. */
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
		f = fopen(path, "r");
		if (f) {
			(void)!fread(text, 1, sizeof(text) - 1, f);
			fclose(f);
		}
		if (strstr(text, ") Z "))
			break;
		if (time_mono() > end)
			fail_msg("what the command started goes on");
	}
	hooks_stop(h);
}

/* More than fits is dropped and said; telling never waits; the end comes in its time. */
static void too_many_are_dropped(void **state)
{
	struct alert_event e = event(LEVEL_OK, LEVEL_CRIT);
	uint64_t begin, took;
	struct hooks *h;

	(void)state;
	script("sleep 600");
	h = start(&(struct hook_opts){ .alert = &alert });
	begin = time_mono();
	for (int i = 0; i < 200; i++)
		hooks_tell(h, &e);
	took = time_mono() - begin;
	assert_true(took < NS_S);
	assert_true(logged("has too much to do"));
	begin = time_mono();
	hooks_stop(h);
	took = time_mono() - begin;
	assert_true(took < 2 * HOOK_STOP_MS * NS_MS);
}

static void a_command_that_is_not_there_is_logged(void **state)
{
	struct alert_event e = event(LEVEL_OK, LEVEL_CRIT);
	struct hooks *h;

	(void)state;
	/* There it is told that the child began, whatever became of it. */
	if (getenv("CHAINTOP_SLOW")) {
		print_message("SKIP: posix_spawn under valgrind knows no program that is not there\n");
		skip();
	}
	script("");
	alert.exec.at[0].s = "/no/such/program";
	h = start(&(struct hook_opts){ .alert = &alert });
	hooks_tell(h, &e);
	assert_true(logged("/no/such/program: No such file"));
	hooks_stop(h);
}

/* Nobody listens: tried again, given up, without a word of its key. */
static void a_webhook_that_is_not_there_is_given_up(void **state)
{
	struct alert_event e = event(LEVEL_OK, LEVEL_CRIT);
	struct log_line lines[64];
	struct hooks *h;
	size_t n;

	(void)state;
	conf_alert_default(&alert);
	alert.webhook = (struct conf_text){ .s = "http://127.0.0.1:1/KEYSECRETKEYSECRET", .line = 1 };
	h = start(&(struct hook_opts){ .alert = &alert, .retry_ns = NS_MS });
	hooks_tell(h, &e);
	assert_true(logged("webhook: not told of CRIT geth age: connection refused"));
	hooks_stop(h);
	n = log_lines(lines, 64);
	for (size_t i = 0; i < n; i++)
		assert_null(strstr(lines[i].text, "SECRET"));
}

static void answer(struct conn *c, void *arg)
{
	if (!get_http(c))
		return;
	puts_(c, arg);
	if (strstr(arg, " 500 ")) {
		static const char page[4096];

		for (unsigned i = 0; i < 64; i++)
			put(c, page, sizeof(page));
	}
}

/* Told is who has got a 2xx: neither bytes that are no HTTP nor a large page of an error are one. */
static void only_2xx_is_told(void **state)
{
	static const struct {
		const char *answer, *log;
	} cases[] = {
		{ "SSH-2.0-OpenSSH_9.6\r\n\r\n", "not told of CRIT geth age: the answer is not HTTP" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc", "not told of CRIT b age: the answer is not HTTP" },
		{ "HTTP/1.1 500 no\r\nContent-Length: 262144\r\n\r\n", "not told of CRIT c age: " },
		{ "HTTP/1.1 204 fine\r\n\r\n", "told of CRIT d age" },
	};
	static const char *const names[] = { "geth", "b", "c", "d" };
	char url[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct peer *p = peer_start(&(struct peer_how){ .script = answer, .arg = (char *)(uintptr_t)cases[i].answer });
		struct alert_event e = event(LEVEL_OK, LEVEL_CRIT);
		struct hooks *h;

		snprintf(e.name, sizeof(e.name), "%s", names[i]);
		conf_alert_default(&alert);
		snprintf(url, sizeof(url), "http://127.0.0.1:%u/hook", peer_port(p));
		alert.webhook = (struct conf_text){ .s = url, .line = 1 };
		h = start(&(struct hook_opts){ .alert = &alert, .retry_ns = NS_MS });
		hooks_tell(h, &e);
		assert_true(logged(cases[i].log));
		hooks_stop(h);
		peer_stop(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_do_is_no_thread),
		cmocka_unit_test(a_command_gets_all_of_it),
		cmocka_unit_test(a_long_location_loses_no_alert),
		cmocka_unit_test(an_unknown_value_is_no_number),
		cmocka_unit_test(only_crit_is_only_crit),
		cmocka_unit_test(a_command_that_hangs_is_killed),
		cmocka_unit_test(too_many_are_dropped),
		cmocka_unit_test(a_command_that_is_not_there_is_logged),
		cmocka_unit_test(a_webhook_that_is_not_there_is_given_up),
		cmocka_unit_test(only_2xx_is_told),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
