/* Unit tests of base/log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

static struct log_line lines[2000];

static void
test_memory(void **state)
{
	uint64_t before = log_seq();
	size_t n, i;

	(void)state;
	assert_int_equal(log_open(NULL, LOG_INFO, NULL), ST_OK);
	log_msg(LOG_DEBUG, "not kept");
	assert_int_equal(log_seq(), before);
	log_msg(LOG_WARN, "%s: %d\n", "geth", 7);
	log_msg(LOG_ERROR, "bad \x1b[2J\xff");
	assert_int_equal(log_seq(), before + 2);
	n = log_lines(lines, 2);
	assert_int_equal(n, 2);
	assert_string_equal(lines[0].text, "geth: 7");
	assert_int_equal(lines[0].level, LOG_WARN);
	assert_int_equal(lines[0].seq, before + 1);
	assert_string_equal(lines[1].text, "bad ?[2J?");
	assert_true(lines[1].wall_ns > UINT64_C(1600000000000000000));
	assert_int_equal(log_lines(lines, 0), 0);
	/* More than the ring holds: the newest stay, in order. */
	for (i = 0; i < 1500; i++)
		log_msg(LOG_INFO, "line %zu", i);
	n = log_lines(lines, 2000);
	assert_true(n >= 100 && n < 1500);
	assert_string_equal(lines[n - 1].text, "line 1499");
	for (i = 1; i < n; i++)
		assert_int_equal(lines[i].seq, lines[i - 1].seq + 1);
	assert_int_equal(log_lines(lines, 1), 1);
	assert_string_equal(lines[0].text, "line 1499");
	log_close();
}

static void
test_long_line(void **state)
{
	char big[3000];

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	log_msg(LOG_ERROR, "%s", big);
	assert_int_equal(log_lines(lines, 1), 1);
	assert_int_equal(strlen(lines[0].text), sizeof(lines[0].text) - 1);
}

static void
test_file(void **state)
{
	char dir[] = "/tmp/test_log.XXXXXX", path[64], text[4096];
	struct err e;
	struct stat st;
	FILE *f;
	size_t n;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/log", dir);
	assert_int_equal(log_open(path, LOG_DEBUG, &e), ST_OK);
	log_msg(LOG_DEBUG, "first");
	log_msg(LOG_ERROR, "second\nthird");
	log_close();
	log_msg(LOG_ERROR, "after the end");
	assert_int_equal(log_open(path, LOG_INFO, &e), ST_OK);
	log_msg(LOG_INFO, "appended");
	log_close();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	/* 2022-09-15T06:42:59.000Z debug first */
	assert_int_equal(text[4], '-');
	assert_int_equal(text[23], 'Z');
	assert_memory_equal(text + 24, " debug first\n", 13);
	assert_non_null(strstr(text, "Z error second?third\n"));
	assert_non_null(strstr(text, "Z info appended\n"));
	assert_null(strstr(text, "after the end"));
	unlink(path);
	rmdir(dir);
}

static void
test_bad_files(void **state)
{
	char dir[] = "/tmp/test_log.XXXXXX", path[64];
	struct err e;
	uint64_t before;
	int tty;

	(void)state;
	assert_int_equal(log_open("/nonexistent/log", LOG_INFO, &e), ST_IO);
	assert_non_null(strstr(e.text, "/nonexistent/log"));
	/* A FIFO without a reader is an error, not a program that hangs. */
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(log_open(path, LOG_INFO, &e), ST_IO);
	unlink(path);
	rmdir(dir);
	/* A full disk ends the file and says so once. */
	if (access("/dev/full", W_OK) == 0) {
		assert_int_equal(log_open("/dev/full", LOG_INFO, &e), ST_OK);
		before = log_seq();
		log_msg(LOG_INFO, "a");
		log_msg(LOG_INFO, "b");
		assert_int_equal(log_seq(), before + 3);
		assert_int_equal(log_lines(lines, 2), 2);
		assert_non_null(strstr(lines[0].text, "write failed"));
		log_close();
	}
	tty = posix_openpt(O_RDWR | O_NOCTTY);
	if (tty >= 0 && grantpt(tty) == 0 && unlockpt(tty) == 0) {
		assert_int_equal(log_open(ptsname(tty), LOG_INFO, &e), ST_USAGE);
		assert_true(e.cure[0] != '\0');
	}
	if (tty >= 0)
		close(tty);
}

enum { THREADS = 4, EACH = 5000 };

static void *
chatter(void *arg)
{
	int i;

	for (i = 0; i < EACH; i++)
		log_msg(LOG_INFO, "%s %d", (const char *)arg, i);
	return NULL;
}

static void
test_threads(void **state)
{
	static char name[THREADS][8];
	pthread_t t[THREADS];
	uint64_t before = log_seq();
	size_t n, i;
	int k;

	(void)state;
	assert_int_equal(log_open(NULL, LOG_INFO, NULL), ST_OK);
	for (k = 0; k < THREADS; k++) {
		snprintf(name[k], sizeof(name[k]), "feed%d", k);
		assert_int_equal(pthread_create(&t[k], NULL, chatter, name[k]), 0);
	}
	while (log_seq() < before + THREADS * EACH / 2) {
		n = log_lines(lines, 2000);
		for (i = 1; i < n; i++)
			assert_int_equal(lines[i].seq, lines[i - 1].seq + 1);
	}
	for (k = 0; k < THREADS; k++)
		pthread_join(t[k], NULL);
	assert_int_equal(log_seq(), before + THREADS * EACH);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
