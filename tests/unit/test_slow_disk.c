/*
 * A disk that takes more than a second for each sync: what was heard is committed within a second all the same, because
 * commits do not wait for the disk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <poll.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "feed/recorder.h"
#include "feed/tap.h"

enum { SYNC_MS = 1300, EVERY_MS = 20 };

#define RUN_NS (4 * NS_S)
#define LOST_NS NS_S

/* ---- SQLite's own files, slower ---- */

static sqlite3_vfs *base, slow;
static const sqlite3_io_methods *methods[2]; /* of the database and of its log */
static sqlite3_io_methods slow_methods[2];
static _Atomic int syncs;

static int slow_sync(sqlite3_file *f, int flags)
{
	syncs++;
	(void)poll(NULL, 0, SYNC_MS);
	return methods[f->pMethods == &slow_methods[1]]->xSync(f, flags);
}

static int slow_open(sqlite3_vfs *v, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
	int rc = base->xOpen(base, name, f, flags, out), i = (flags & SQLITE_OPEN_WAL) != 0;

	(void)v;
	if (rc != SQLITE_OK || !f->pMethods || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)))
		return rc;
	if (!methods[i]) {
		methods[i] = f->pMethods;
		slow_methods[i] = *f->pMethods;
		slow_methods[i].xSync = slow_sync;
	}
	if (f->pMethods == methods[i])
		f->pMethods = &slow_methods[i];
	return rc;
}

/* ---- the test ---- */

static char dir[64], path[80];

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/slowdisk.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/a.ct", dir);
	base = sqlite3_vfs_find(NULL);
	slow = *base;
	slow.zName = "slow";
	slow.xOpen = slow_open;
	return base ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	sqlite3_vfs_unregister(&slow);
	unlink(path);
	return rmdir(dir);
}

/* Stamp of the newest message that another process would find. */
static uint64_t newest(sqlite3 *db)
{
	sqlite3_stmt *st;
	uint64_t mono = 0;

	assert_int_equal(sqlite3_prepare_v2(db, "SELECT max(mono) FROM frame WHERE kind=4", -1, &st, NULL), SQLITE_OK);
	if (sqlite3_step(st) == SQLITE_ROW)
		mono = (uint64_t)sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return mono;
}

static void commits_do_not_wait(void **state)
{
	struct recorder_feed feed = { .node = "n", .via = "ws", .show = "127.0.0.1:1" };
	struct recorder_opts o = { .file = path, .feeds = &feed, .n_feeds = 1, .version = "test" };
	struct recorder *r;
	struct err e;
	struct rec_tap t = { .q = NULL };
	uint64_t begin, now, worst = 0;
	char text[80];
	sqlite3 *db;

	(void)state;
	o.mono = begin = time_mono();
	o.wall = time_wall();
	assert_int_equal(sqlite3_vfs_register(&slow, 1), SQLITE_OK);
	if (recorder_start(&r, &o, &e) != ST_OK)
		fail_msg("%s", e.text);
	t.q = recorder_queue(r);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, base->zName), SQLITE_OK);
	syncs = 0;
	/* The pace of a node that talks all the time. */
	begin = time_mono();
	for (unsigned i = 0; (now = time_mono()) - begin < RUN_NS; i++) {
		struct net_meta m = { .recv_ns = now, .wall_ns = time_wall(), .wire_bytes = 70, .reads = 1 };
		uint64_t last, late;

		snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":\"0x1\"}", i);
		tap_in(&t, text, strlen(text), &m);
		tap_flush(&t);
		last = newest(db);
		late = now - (last > begin ? last : begin);
		worst = late > worst ? late : worst;
		(void)poll(NULL, 0, EVERY_MS);
	}
	sqlite3_close(db);
	assert_true(syncs >= 1);
	if (worst > LOST_NS)
		fail_msg("not committed for %llu ms", (unsigned long long)(worst / NS_MS));
	if (recorder_stop(r, time_mono(), time_wall(), false, &e) != ST_OK)
		fail_msg("%s", e.text);
	assert_int_equal(access(path, R_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits_do_not_wait),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
