/* --stream: how values are written, and what a slow reader gets. The whole of it: tests/e2e/stream.py. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "cJSON.h"
#include "model_rig.h"
#include "out/object.h"
#include "out/stream.h"

static const char *text_of(struct object *o)
{
	object_end(o);
	assert_false(o->full);
	return o->text;
}

static void values(void **state)
{
	struct object o;
	struct u256 big = { .w = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	(void)state;
	object_begin(&o);
	object_int(&o, "a", 9007199254740991); /* 2^53 − 1 */
	object_int(&o, "b", 9007199254740992);
	object_int(&o, "c", UINT64_MAX);
	object_int(&o, "d", UINT64_MAX - 1);
	object_signed(&o, "e", -32601);
	object_wei(&o, "f", &big);
	assert_string_equal(text_of(&o), "{\"a\":9007199254740991,\"b\":\"9007199254740992\",\"d\":\"18446744073709551614\","
			    "\"e\":-32601,"
			    "\"f\":\"115792089237316195423570985008687907853269984665640564039457584007913129639935\"}\n");
	object_begin(&o);
	object_seconds(&o, "a", 0);
	object_seconds(&o, "b", 1);
	object_seconds(&o, "c", 1500 * NS_MS);
	object_seconds(&o, "d", UINT64_MAX);
	object_seconds_signed(&o, "e", -(int64_t)NS_MS);
	object_seconds_signed(&o, "f", INT64_MIN);
	object_number(&o, "g", (double)NAN);
	object_number(&o, "h", (double)INFINITY);
	object_number(&o, "i", 0.25);
	assert_string_equal(text_of(&o), "{\"a\":0,\"b\":0.000000001,\"c\":1.5,\"e\":-0.001,\"f\":-9223372036.854775808,"
			    "\"i\":0.250000}\n");
	object_begin(&o);
	object_time(&o, "a", 0);
	object_time(&o, "b", UINT64_MAX);
	object_time(&o, "c", UINT64_C(1796057114123456789)); /* date -u -d @1796057114 */
	assert_string_equal(text_of(&o), "{\"c\":\"2026-11-30T16:45:14.123456789Z\"}\n");
}

/* Whatever a node says is one string in one line. */
static void texts(void **state)
{
	const char *bad[] = { "\"", "\\", "\\\"", "a\nb\rc\td", "\x1b[31m", "\xff\xfe", "\xe2\x80\xae", "</script>", "\xc2\x9b",
			      "" };
	char any[256];
	struct object o;
	cJSON *j;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		object_begin(&o);
		object_text(&o, "t", bad[i]);
		j = cJSON_Parse(text_of(&o));
		assert_non_null(j);
		assert_int_equal(cJSON_GetArraySize(j), 1);
		assert_int_equal(strcspn(o.text, "\n") + 1, o.n);
		if (i < 3)
			assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(j, "t")), bad[i]);
		cJSON_Delete(j);
	}
	for (int i = 1; i < 256; i++)
		any[i - 1] = (char)i;
	any[255] = 0;
	object_begin(&o);
	object_text(&o, "t", any);
	j = cJSON_Parse(text_of(&o));
	assert_non_null(j);
	for (const char *p = o.text; *p && p[1]; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	cJSON_Delete(j);
}

static void an_object_has_its_limit(void **state)
{
	char text[1000];
	struct object o;

	(void)state;
	memset(text, 'x', 999);
	text[999] = 0;
	object_begin(&o);
	for (int i = 0; i < 20; i++)
		object_text(&o, "t", text);
	object_end(&o);
	assert_true(o.full);
	assert_true(o.n < sizeof(o.text));
}

static unsigned lines_in(const char *text, size_t n, unsigned *dropped, unsigned *heads)
{
	unsigned lines = 0;

	*dropped = *heads = 0;
	while (n) {
		size_t k = (size_t)((const char *)memchr(text, '\n', n) - text) + 1;
		cJSON *j = cJSON_ParseWithLength(text, k);
		const char *ev;

		assert_non_null(j);
		ev = cJSON_GetStringValue(cJSON_GetObjectItem(j, "ev"));
		if (strcmp(ev, "dropped") == 0)
			*dropped += (unsigned)cJSON_GetNumberValue(cJSON_GetObjectItem(j, "lines"));
		*heads += strcmp(ev, "head") == 0;
		lines++;
		cJSON_Delete(j);
		text += k;
		n -= k;
	}
	return lines;
}

static size_t read_all(int fd, char *out, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	ssize_t k;

	/* What is there, and what the thread still brings. */
	while (n < size && poll(&p, 1, 300) > 0 && (k = read(fd, out + n, size - n)) > 0)
		n += (size_t)k;
	return n;
}

/* Nobody reads for a while: the producer is not held up, and the hole is told where it is, with its size. */
static void a_hole_is_told(void **state)
{
	enum { HEADS = 500, SIZE = 1 << 20 };
	struct model *m = rig_model(1, 1);
	char *got = malloc(SIZE);
	struct stream_opts o = { .queue = 16384, .program = "test", .mode = "live" };
	unsigned dropped, heads, more, told;
	struct stream *s;
	struct wake w;
	struct event e = { .kind = EV_HEAD, .mono = RIG_T0, .wall = RIG_WALL0 };
	struct err err;
	int fd[2];
	size_t n;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_true(fcntl(fd[1], F_SETPIPE_SZ, 4096) >= 0);
	assert_int_equal(wake_init(&w, &err), ST_OK);
	o.fd = fd[1];
	o.wake = &w;
	assert_int_equal(stream_start(&s, m, &o, &err), ST_OK);
	for (unsigned i = 0; i < HEADS; i++) {
		e.u.head.h = rig_head(i + 1, i + 1, i);
		stream_event(s, m, &e);
	}
	n = read_all(fd[0], got, SIZE);
	(void)lines_in(got, n, &dropped, &heads);
	assert_in_range(heads, 20, HEADS - 20);
	assert_int_equal(stream_dropped(s), HEADS - heads);
	more = heads;
	told = dropped; /* those before what the thread has moved since */
	/* The next line comes behind one that says what lacks. */
	stream_event(s, m, &e);
	n = read_all(fd[0], got, SIZE);
	assert_int_equal(lines_in(got, n, &dropped, &heads), 2);
	assert_int_equal(heads, 1);
	assert_int_equal(told + dropped, HEADS - more);
	assert_int_equal(strncmp(got, "{\"v\":1,\"ev\":\"dropped\"", 21), 0);
	assert_int_equal(stream_stop(s, m, "signal", &err), ST_OK);
	n = read_all(fd[0], got, SIZE);
	assert_int_equal(lines_in(got, n, &dropped, &heads), 1);
	close(fd[0]);
	close(fd[1]);
	wake_fini(&w);
	model_free(m);
	free(got);
}

/* Whatever numbers an event has in it, the line is JSON. */
static void any_event_is_a_line(void **state)
{
	enum { SIZE = 4 << 20 };
	struct model *m = rig_model(2, 1);
	struct stream_opts o = { .queue = 4 << 20, .program = "test", .mode = "live" };
	char *got = malloc(SIZE), path[] = "/tmp/test_stream.XXXXXX";
	unsigned dropped, heads, want = 0;
	unsigned seed = 11;
	struct stream *s;
	struct wake w;
	struct err err;
	int fd = mkstemp(path);
	ssize_t n;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(wake_init(&w, &err), ST_OK);
	o.fd = fd;
	o.wake = &w;
	assert_int_equal(stream_start(&s, m, &o, &err), ST_OK);
	for (int round = 0; round < 2000; round++) {
		struct event e;
		unsigned char *p = (unsigned char *)&e;

		for (size_t i = 0; i < sizeof(e); i++)
			p[i] = round % 3 == 0 ? 0xff : (unsigned char)rand_r(&seed);
		e.kind = (uint16_t)((unsigned)round % (EV_TXS + 2));
		e.path = (uint16_t)((unsigned)round % 3);
		if (e.kind == EV_BLOCK)
			continue;
		/* Bools and enums are such: what the compiler may take for granted. Texts need not end. */
		if (e.kind == EV_CHAIN)
			e.u.chain.ok = e.u.chain.network = round & 1;
		if (e.kind == EV_VERDICT)
			e.u.verdict.v.header = e.u.verdict.v.txs = e.u.verdict.v.withdrawals = TRUTH_UNKNOWN;
		stream_event(s, m, &e);
		want += e.kind <= EV_TXS && (e.path < 2 || e.kind == EV_CLOCK);
	}
	assert_int_equal(stream_dropped(s), 0);
	assert_int_equal(stream_stop(s, m, "end", &err), ST_OK);
	n = pread(fd, got, SIZE, 0);
	assert_true(n > 0);
	assert_int_equal(lines_in(got, (size_t)n, &dropped, &heads), want + 4);
	close(fd);
	wake_fini(&w);
	model_free(m);
	free(got);
}

/* A branch that is learnt from its top down is one reorg; when it turns out to go deeper that is said. */
static void a_reorg_goes_deeper(void **state)
{
	enum { SIZE = 1 << 20 };
	struct model *m = rig_model(1, 1);
	char *got = malloc(SIZE), path[] = "/tmp/test_stream.XXXXXX", *line, *rest;
	int fd = mkstemp(path);
	struct stream_opts o = { .fd = fd, .program = "test", .mode = "live" };
	uint64_t ms = 106 * 12000;
	struct stream *s;
	struct wake w;
	struct err err;
	unsigned told = 0;
	double depth = 0;
	ssize_t n;

	(void)state;
	assert_true(fd >= 0 && got);
	unlink(path);
	assert_int_equal(wake_init(&w, &err), ST_OK);
	o.wake = &w;
	assert_int_equal(stream_start(&s, m, &o, &err), ST_OK);
	rig_run(m, 0, 100, 105);
	for (uint64_t k = 106; k > 100; k--) {
		struct head h = rig_head(k, 10000 + k, k == 101 ? 100 : 10000 + k - 1);

		rig_say(m, 0, ms += 300, &h, k == 106 ? SRC_PUSH : SRC_WALK);
		rig_tick(m, ms + 200);
		stream_model(s, m);
	}
	rig_tick(m, ms + 1000);
	stream_model(s, m);
	assert_int_equal(stream_stop(s, m, "end", &err), ST_OK);
	n = pread(fd, got, SIZE - 1, 0);
	assert_true(n > 0);
	got[n] = 0;
	for (line = strtok_r(got, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		cJSON *j = cJSON_Parse(line);

		if (strcmp(cJSON_GetObjectItem(j, "ev")->valuestring, "reorg") == 0) {
			assert_true(cJSON_GetObjectItem(j, "depth")->valuedouble > depth);
			assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(j, "deeper")), told > 0);
			depth = cJSON_GetObjectItem(j, "depth")->valuedouble;
			told++;
		}
		cJSON_Delete(j);
	}
	assert_int_equal((int)depth, 5); /* 101 to 105 */
	assert_true(told > 1);
	close(fd);
	wake_fini(&w);
	model_free(m);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(texts),
		cmocka_unit_test(an_object_has_its_limit),
		cmocka_unit_test(a_hole_is_told),
		cmocka_unit_test(any_event_is_a_line),
		cmocka_unit_test(a_reorg_goes_deeper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
