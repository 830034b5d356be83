/* The recording's file: what is written is read again, and any other file is an error that says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "feed/recfile.h"

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/recfile.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	(void)state;
	while (d && (e = readdir(d)) != NULL) {
		char path[400];

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	return rmdir(dir);
}

static char *name(const char *file)
{
	static char path[4][128];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, file);
	return p;
}

static struct err err;

#define OK(call) \
	do { \
		if ((call) != ST_OK) \
			fail_msg(#call ": %s", err.text); \
	} while (0)

/* An answer with a block of about n bytes that can be compressed as hex can. */
static char *answer(unsigned id, unsigned seed, size_t n)
{
	char *s = malloc(n + 200);
	size_t at = (size_t)sprintf(s, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"x\":\"0x", id);
	unsigned r = seed * 2654435761u + 1;

	for (; at < n; at++) {
		r = r * 1103515245 + 12345;
		s[at] = "0123456789abcdef"[r >> 16 & 15];
	}
	strcpy(s + at, "\"}}");
	return s;
}

static void write_some(const char *path, unsigned frames)
{
	struct recwriter *w;

	OK(recwriter_new(&w, path, 0, &err));
	OK(recwriter_meta(w, "version", "chaintop test", 0, &err));
	OK(recwriter_meta(w, "start_mono", NULL, 1000, &err));
	OK(recwriter_meta(w, "start_wall", NULL, 2000, &err));
	OK(recwriter_feed(w, 0, "geth", "ws", "127.0.0.1:8546", &err));
	OK(recwriter_feed(w, 1, "infura", "https", "example.org:443", &err));
	OK(recwriter_segment(w, 1000, 2000, &err));
	OK(recwriter_publish(w, &err));
	for (unsigned i = 0; i < frames; i++) {
		char *text = answer(i, i / 2, 300 + i * 37);
		struct frame f = { .feed = (uint16_t)(i & 1), .conn = 1 + i / 10, .kind = FRAME_IN, .mono = 1000 + i,
				   .wall = 2000 + i, .text = text, .n = strlen(text) };

		if (i % 5 == 4)
			OK(recwriter_segment(w, f.mono, f.wall, &err));
		frame_set(&f, META_TOKEN, i);
		frame_set(&f, META_XFER_NS, UINT64_MAX - i);
		OK(recwriter_frame(w, &f, &err));
		assert_int_equal(f.seq, i + 1);
		OK(recwriter_mark(w, &(struct mark){ .seq = f.seq, .kind = MARK_HEAD, .number = 100 + i, .wall = f.wall }, &err));
		free(text);
	}
	OK(recwriter_meta(w, "end_mono", NULL, 5000, &err));
	OK(recwriter_close(w, &err));
}

static void read_again(void **state)
{
	const char *path = name("a.ct");
	const struct recinfo *info;
	struct recreader *r;
	struct reccount c;
	struct recseg s;
	struct mark m;
	struct stat sb;
	struct frame f;

	(void)state;
	write_some(path, 40);
	assert_int_equal(stat(path, &sb), 0);
	assert_int_equal(sb.st_mode & 0777, 0600);
	OK(recreader_open(&r, path, &err));
	info = recreader_info(r);
	assert_string_equal(info->version, "chaintop test");
	assert_int_equal(info->n_feeds, 2);
	assert_string_equal(info->feed[1].node, "infura");
	assert_string_equal(info->feed[1].show, "example.org:443");
	assert_true(info->feed[0].push && !info->feed[1].push);
	assert_int_equal(info->start_mono, 1000);
	assert_true(info->ended);
	assert_int_equal(info->last_seq, 40);
	recreader_strict(r, true);
	for (unsigned i = 0; i < 40; i++) {
		char *text = answer(i, i / 2, 300 + i * 37);

		OK(recreader_next(r, &f, &err));
		assert_int_equal(f.seq, i + 1);
		assert_int_equal(f.n, strlen(text));
		assert_memory_equal(f.text, text, f.n + 1);
		assert_int_equal(f.kind, FRAME_IN);
		assert_int_equal(f.feed, i & 1);
		assert_int_equal(f.conn, 1 + i / 10);
		assert_int_equal(f.mono, 1000 + i);
		assert_int_equal(f.wall, 2000 + i);
		assert_true(frame_has(&f, META_TOKEN) && !frame_has(&f, META_HTTP));
		assert_int_equal(f.meta[META_TOKEN], i);
		assert_true(f.meta[META_XFER_NS] == UINT64_MAX - i);
		free(text);
		/* A rest in the middle loses nothing. */
		if (i % 7 == 0)
			recreader_rest(r);
	}
	assert_int_equal(recreader_next(r, &f, &err), ST_CLOSED);
	assert_int_equal(recreader_next(r, &f, &err), ST_CLOSED);
	recreader_seek(r, 17);
	OK(recreader_next(r, &f, &err));
	assert_int_equal(f.seq, 17);
	OK(recreader_count(r, &c, &err));
	assert_int_equal(c.frames[FRAME_IN], 40);
	assert_int_equal(c.marks[MARK_HEAD], 40);
	assert_int_equal(c.segments, 9);
	assert_true(recreader_segment(r, 1012, false, &s));
	assert_int_equal(s.first_seq, 10);
	assert_true(recreader_segment(r, 2012, true, &s));
	assert_int_equal(s.mono, 1009);
	assert_false(recreader_segment(r, 999, false, &s));
	assert_true(recreader_mark_number(r, 107, &m));
	assert_int_equal(m.seq, 8);
	assert_false(recreader_mark_number(r, 200, &m));
	assert_false(recreader_mark(r, MARK_REORG, 0, &m));
	OK(recreader_integrity(r, &err));
	recreader_close(r);
}

/* The same block over two paths is kept once in a segment, whatever stands around it. */
static void bodies_once(void **state)
{
	const char *path = name("once.ct");
	struct recwriter *w;
	struct recreader *r;
	struct reccount c;
	struct frame f;
	char *a = answer(1, 7, 50000), *b = answer(123456, 7, 50005);

	(void)state;
	/* The second is the first one's block with a longer id, over HTTP with a line end behind it. */
	free(b);
	b = malloc(60000);
	sprintf(b, "{\"jsonrpc\":\"2.0\",\"id\":123456,%s\n", strstr(a, "\"result\""));
	OK(recwriter_new(&w, path, 0, &err));
	OK(recwriter_feed(w, 0, "x", "ws", "x:1", &err));
	OK(recwriter_segment(w, 1, 1, &err));
	OK(recwriter_publish(w, &err));
	for (unsigned i = 0; i < 6; i++) {
		f = (struct frame){ .kind = FRAME_IN, .text = i & 1 ? b : a, .n = strlen(i & 1 ? b : a), .mono = i };
		OK(recwriter_frame(w, &f, &err));
	}
	OK(recwriter_segment(w, 9, 9, &err));
	OK(recwriter_frame(w, &f, &err));
	OK(recwriter_close(w, &err));
	OK(recreader_open(&r, path, &err));
	OK(recreader_count(r, &c, &err));
	assert_int_equal(c.bodies, 2);
	for (unsigned i = 0; i < 7; i++) {
		OK(recreader_next(r, &f, &err));
		assert_string_equal(f.text, i & 1 || i == 6 ? b : a);
	}
	recreader_close(r);
	free(a);
	free(b);
}

/* Texts at every length around the limits, with and without a result, come back as they were. */
static void any_text(void **state)
{
	static const char *const forms[] = {
		"%.*s", "{\"result\":%.*s", "{\"id\":1,\"result\":%.*s}", "{\"params\":{\"result\":{\"a\":\"%.*s\"}}}\n",
		"{\"id\":1,\"result\":\"%.*s\"}}}  \n\t}", "[{\"id\":1,\"result\":\"%.*s\"}]",
	};
	const char *path = name("any.ct");
	char *fill = answer(1, 3, 3000) + 60, text[4000];
	struct recwriter *w;
	struct recreader *r;
	struct frame f;
	unsigned n = 0;

	(void)state;
	OK(recwriter_new(&w, path, 0, &err));
	OK(recwriter_segment(w, 1, 1, &err));
	OK(recwriter_publish(w, &err));
	for (unsigned k = 0; k < 6; k++) {
		for (int len = 0; len < 1300; len += len < 20 || (len > 200 && len < 300) || len > 990 ? 1 : 31) {
			snprintf(text, sizeof(text), forms[k], len, fill);
			f = (struct frame){ .kind = FRAME_IN, .text = text, .n = strlen(text) };
			OK(recwriter_frame(w, &f, &err));
		}
	}
	OK(recwriter_close(w, &err));
	OK(recreader_open(&r, path, &err));
	recreader_strict(r, true);
	for (unsigned k = 0; k < 6; k++) {
		for (int len = 0; len < 1300; len += len < 20 || (len > 200 && len < 300) || len > 990 ? 1 : 31) {
			snprintf(text, sizeof(text), forms[k], len, fill);
			OK(recreader_next(r, &f, &err));
			assert_int_equal(f.n, strlen(text));
			assert_string_equal(f.text, text);
			n++;
		}
	}
	assert_true(n > 1000);
	recreader_close(r);
	free(fill - 60);
}

static void never_overwrites(void **state)
{
	const char *path = name("there.ct");
	struct recwriter *w;
	FILE *file = fopen(path, "w");

	(void)state;
	fputs("mine", file);
	fclose(file);
	assert_int_equal(recwriter_new(&w, path, 0, &err), ST_USAGE);
	assert_null(w);
	assert_non_null(strstr(err.text, "there already"));
	file = fopen(path, "r");
	assert_int_equal(fgetc(file), 'm');
	fclose(file);
	assert_int_equal(recwriter_new(&w, name("no/such/dir.ct"), 0, &err), ST_IO);
	assert_int_equal(symlink("elsewhere", name("link.ct")), 0);
	assert_int_not_equal(recwriter_new(&w, name("link.ct"), 0, &err), ST_OK);
	/* Somebody takes the name in between. */
	OK(recwriter_new(&w, name("race.ct"), 0, &err));
	assert_int_equal(access(name("race.ct"), F_OK), -1);
	fclose(fopen(name("race.ct"), "w"));
	assert_int_equal(recwriter_publish(w, &err), ST_USAGE);
	recwriter_abandon(w);
	/* Nobody publishes it: nothing stays. */
	OK(recwriter_new(&w, name("gone.ct"), 0, &err));
	recwriter_abandon(w);
	assert_int_equal(access(name("gone.ct"), F_OK), -1);
}

/* After a failure what was committed is there, and the writer can go on. */
static void full_disk(void **state)
{
	const char *path = name("full.ct");
	struct recwriter *w;
	struct recreader *r;
	struct frame f = { .kind = FRAME_IN };
	enum status st = ST_OK;
	unsigned n = 0, committed = 0, seen = 0;

	(void)state;
	OK(recwriter_new(&w, path, 400000, &err));
	OK(recwriter_feed(w, 0, "x", "ws", "x:1", &err));
	OK(recwriter_segment(w, 1, 1, &err));
	OK(recwriter_publish(w, &err));
	while (st == ST_OK && n < 100) {
		char *text = answer(n, n, 30000);

		f.text = text;
		f.n = strlen(text);
		f.mono = ++n;
		st = recwriter_frame(w, &f, &err);
		if (st == ST_OK && n % 3 == 0) {
			st = recwriter_commit(w, &err);
			committed = st == ST_OK ? n : committed;
		}
		free(text);
	}
	assert_int_equal(st, ST_TOO_BIG);
	assert_in_range(committed, 3, n - 1);
	recwriter_rollback(w);
	OK(recwriter_segment(w, 500, 500, &err));
	f = (struct frame){ .kind = FRAME_STATE, .text = "{\"ev\":\"end\"}", .n = 12, .mono = 500 };
	OK(recwriter_frame(w, &f, &err));
	assert_int_equal(f.seq, committed + 1);
	OK(recwriter_close(w, &err));
	OK(recreader_open(&r, path, &err));
	while (recreader_next(r, &f, &err) == ST_OK)
		seen++;
	assert_int_equal(seen, committed + 1);
	OK(recreader_integrity(r, &err));
	recreader_close(r);
}

/* ---- files of others ---- */

static void copy_start(const char *from, const char *to, size_t n, size_t flip)
{
	FILE *a = fopen(from, "r"), *b = fopen(to, "w");
	int c;

	for (size_t i = 0; i < n && (c = fgetc(a)) != EOF; i++)
		fputc(i == flip ? c ^ 0x55 : c, b);
	fclose(a);
	fclose(b);
}

static size_t size_of(const char *path)
{
	struct stat sb;

	assert_int_equal(stat(path, &sb), 0);
	return (size_t)sb.st_size;
}

static enum status try_open(const char *path)
{
	struct recreader *r;
	enum status st = recreader_open(&r, path, &err);

	recreader_close(r);
	return st;
}

static void foreign_files(void **state)
{
	FILE *f;

	(void)state;
	assert_int_equal(try_open(name("none.ct")), ST_IO);
	assert_int_equal(try_open(dir), ST_IO);
	assert_int_equal(mkfifo(name("fifo.ct"), 0600), 0);
	assert_int_equal(try_open(name("fifo.ct")), ST_IO);
	f = fopen(name("empty.ct"), "w");
	fclose(f);
	assert_int_equal(try_open(name("empty.ct")), ST_MALFORMED);
	assert_non_null(strstr(err.text, "empty"));
	f = fopen(name("text.ct"), "w");
	for (int i = 0; i < 1000; i++)
		fputs("SQLite format 3 it is not. ", f);
	fclose(f);
	assert_int_equal(try_open(name("text.ct")), ST_MALFORMED);
	assert_non_null(strstr(err.text, "not a recording"));
}

/* Changes four bytes of a file, at `at`. */
static void patch(const char *path, long at, unsigned v)
{
	FILE *f = fopen(path, "r+");

	fseek(f, at, SEEK_SET);
	for (int i = 24; i >= 0; i -= 8)
		fputc((int)(v >> i & 0xff), f);
	fclose(f);
}

static void other_versions(void **state)
{
	const char *path = name("v.ct");

	(void)state;
	write_some(path, 3);
	assert_int_equal(try_open(path), ST_OK);
	patch(path, 60, 2);
	assert_int_equal(try_open(path), ST_MALFORMED);
	assert_non_null(strstr(err.text, "format 2"));
	patch(path, 60, 1);
	patch(path, 68, 0);
	assert_int_equal(try_open(path), ST_MALFORMED);
	assert_non_null(strstr(err.text, "not a recording"));
}

/* Every cut, and a flipped byte at many places: an error, or frames that are whole; never more than was written. */
static void damaged_files(void **state)
{
	const char *path = name("whole.ct"), *bad = name("bad.ct");
	size_t size;
	unsigned refused = 0, read = 0, parts = 0;

	(void)state;
	write_some(path, 60);
	size = size_of(path);
	for (size_t i = 0; i < 1500; i++) {
		bool cut = i % 3 == 0;
		size_t at = cut ? i * 997 % size : i < 600 ? i : i * 7919 % size;
		struct recreader *r;
		struct frame f;
		enum status st;
		unsigned n = 0, odd = 0;

		copy_start(path, bad, cut ? at : size, cut ? SIZE_MAX : at);
		if (recreader_open(&r, bad, &err) != ST_OK) {
			assert_true(err.text[0]);
			refused++;
			continue;
		}
		recreader_strict(r, true);
		for (;;) {
			st = recreader_next(r, &f, &err);
			if (st == ST_MALFORMED && ++odd < 1000)
				continue;
			if (st != ST_OK)
				break;
			assert_true(f.n < 10000);
			n++;
		}
		assert_true(n <= 60 + odd || n < 1000);
		read += n;
		parts += n < 60;
		recreader_close(r);
	}
	print_message("%u refused, %u read in part\n", refused, parts);
	assert_true(refused > 100 && read > 1000 && parts > 20);
}

static void in_memory(void **state)
{
	const char *path = name("mem.ct");
	size_t n;
	char *data;
	FILE *f;
	struct recreader *r;
	struct frame fr;
	unsigned seen = 0;

	(void)state;
	write_some(path, 20);
	n = size_of(path);
	data = malloc(n);
	f = fopen(path, "r");
	assert_int_equal(fread(data, 1, n, f), n);
	fclose(f);
	OK(recreader_open_memory(&r, data, n, &err));
	while (recreader_next(r, &fr, &err) == ST_OK)
		seen++;
	assert_int_equal(seen, 20);
	recreader_close(r);
	assert_int_equal(recreader_open_memory(&r, data, 50, &err), ST_MALFORMED);
	free(data);
}

/* What a process that was killed leaves behind: the last commit is there. */
static void without_close(void **state)
{
	const char *path = name("killed.ct"), *copy = name("copy.ct");
	char wal[160], wal_copy[160];
	struct recwriter *w;
	struct recreader *r;
	struct frame f = { .kind = FRAME_IN, .text = "{}", .n = 2 };
	unsigned seen = 0;

	(void)state;
	OK(recwriter_new(&w, path, 0, &err));
	OK(recwriter_feed(w, 0, "x", "ws", "x:1", &err));
	OK(recwriter_segment(w, 1, 1, &err));
	OK(recwriter_publish(w, &err));
	for (unsigned i = 0; i < 10; i++)
		OK(recwriter_frame(w, &f, &err));
	OK(recwriter_commit(w, &err));
	for (unsigned i = 0; i < 5; i++)
		OK(recwriter_frame(w, &f, &err));
	snprintf(wal, sizeof(wal), "%s-wal", path);
	snprintf(wal_copy, sizeof(wal_copy), "%s-wal", copy);
	copy_start(path, copy, SIZE_MAX, SIZE_MAX);
	copy_start(wal, wal_copy, SIZE_MAX, SIZE_MAX);
	OK(recreader_open(&r, copy, &err));
	assert_false(recreader_info(r)->ended);
	while (recreader_next(r, &f, &err) == ST_OK)
		seen++;
	assert_int_equal(seen, 10);
	recreader_close(r);
	recwriter_abandon(w);
}

/* Killed while it ended the recording: what SQLite was about to write is rolled back. */
static void half_ended(void **state)
{
	const char *path = name("ending.ct"), *copy = name("ended.ct");
	char journal[160], journal_copy[160];
	struct recreader *r;
	struct frame f;
	sqlite3 *db;
	unsigned seen = 0;

	(void)state;
	write_some(path, 30);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	/* So small a cache that pages go to the file before the commit, which never comes. */
	assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN; UPDATE frame SET mono = 7; "
				      "UPDATE body SET raw_len = 7", NULL, NULL, NULL), SQLITE_OK);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	snprintf(journal_copy, sizeof(journal_copy), "%s-journal", copy);
	copy_start(path, copy, SIZE_MAX, SIZE_MAX);
	copy_start(journal, journal_copy, SIZE_MAX, SIZE_MAX);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	OK(recreader_open(&r, copy, &err));
	recreader_strict(r, true);
	while (recreader_next(r, &f, &err) == ST_OK)
		assert_int_equal(f.mono, 1000 + seen++);
	assert_int_equal(seen, 30);
	OK(recreader_integrity(r, &err));
	recreader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_again), cmocka_unit_test(bodies_once), cmocka_unit_test(any_text),
		cmocka_unit_test(never_overwrites), cmocka_unit_test(full_disk), cmocka_unit_test(foreign_files),
		cmocka_unit_test(other_versions), cmocka_unit_test(damaged_files), cmocka_unit_test(in_memory),
		cmocka_unit_test(without_close), cmocka_unit_test(half_ended),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
