#include "feed/recfile_move.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/wake.h"
#include "feed/recfile_priv.h"

enum {
	HOLDERS = 2,
	PAGE = 4096,
	LOG_MOST = 32 << 20, /* bytes of a log that is not begun anew */
};

/*
 * Once all of a log has been moved, the next commit begins it anew, and then waits for the disk itself. As long as somebody reads
 * in it, it does not: so one of two connections always does, until the log is long.
 */
struct recmover {
	sqlite3 *db, *holder[HOLDERS]; /* the thread's, once it runs */
	unsigned holds; /* the one that reads */
	bool held;
	pthread_t thread;
	bool running;
	struct wake wake;
	_Atomic bool quit;
};

static void quietly(sqlite3 *db, const char *sql)
{
	(void)sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static void release(struct recmover *m)
{
	if (m->held)
		quietly(m->holder[m->holds], "ROLLBACK");
	m->held = false;
}

/* Reads from here on, and no more from where it did: a move goes no further than the oldest reader. */
static void hold(struct recmover *m)
{
	unsigned next = (m->holds + 1) % HOLDERS;

	quietly(m->holder[next], "BEGIN; SELECT count(*) FROM meta");
	release(m);
	m->holds = next;
	m->held = true;
}

static void move(struct recmover *m)
{
	int in_log = 0, moved = 0;

	hold(m);
	if (sqlite3_wal_checkpoint_v2(m->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_log, &moved) == SQLITE_OK &&
	    in_log > LOG_MOST / PAGE)
		release(m);
}

static enum status open_one(sqlite3 **db, const char *path, struct err *e)
{
	if (sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return rec_db_err(*db, path, e);
	/* The first read opens the log: without it nothing would be moved. */
	return rec_exec(*db, "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; PRAGMA trusted_schema=OFF; "
			"SELECT count(*) FROM meta", path, e);
}

static void *move_main(void *arg)
{
	struct recmover *m = arg;
	struct pollfd p = { .fd = wake_fd(&m->wake), .events = POLLIN };

	while (!atomic_load(&m->quit)) {
		(void)poll(&p, 1, -1);
		wake_take(&m->wake);
		if (!atomic_load(&m->quit))
			move(m);
	}
	return NULL;
}

enum status recmover_start(struct recmover **out, const char *path, struct err *e)
{
	struct recmover *m = calloc(1, sizeof(*m));
	sigset_t all, old;
	enum status st;

	*out = NULL;
	if (!m)
		return err_set(e, ST_NOMEM, "no memory");
	m->wake.rfd = m->wake.wfd = -1;
	st = wake_init(&m->wake, e);
	if (st == ST_OK)
		st = open_one(&m->db, path, e);
	for (unsigned i = 0; i < HOLDERS && st == ST_OK; i++)
		st = open_one(&m->holder[i], path, e);
	if (st != ST_OK)
		goto out;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&m->thread, NULL, move_main, m) != 0)
		st = err_set(e, ST_NOMEM, "cannot start a thread");
	else
		m->running = true;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (m->running)
		(void)pthread_setname_np(m->thread, "mover");
out:
	if (st != ST_OK)
		recmover_stop(m);
	else
		*out = m;
	return st;
}

void recmover_kick(struct recmover *m)
{
	wake_raise(&m->wake);
}

void recmover_stop(struct recmover *m)
{
	if (!m)
		return;
	if (m->running) {
		atomic_store(&m->quit, true);
		wake_raise(&m->wake);
		pthread_join(m->thread, NULL);
	}
	release(m);
	for (unsigned i = 0; i < HOLDERS; i++)
		sqlite3_close(m->holder[i]);
	sqlite3_close(m->db);
	wake_fini(&m->wake);
	free(m);
}
