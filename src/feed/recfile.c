#include "feed/recfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/time.h"
#include "eth/keccak.h"
#include "feed/recfile_move.h"
#include "feed/recfile_priv.h"

enum {
	BODY_LEAST = 256, /* shorter results stay in the tail */
	WHOLE_LEAST = 1024, /* a message without a result is a body from here on */
	MOVE_BYTES = 4 << 20, /* of the log */
};

#define MOVE_NS (5 * NS_S)

/* To the letter: a reader accepts no other schema, so that nothing of a foreign file is ever run. */
const char *const rec_schema[REC_SCHEMA_N] = {
	"CREATE TABLE meta(k TEXT PRIMARY KEY, v)",
	"CREATE TABLE feed(id INTEGER PRIMARY KEY, node TEXT, via TEXT, url_redacted TEXT)",
	"CREATE TABLE seg(id INTEGER PRIMARY KEY, first_seq INTEGER, first_mono INTEGER, first_wall INTEGER, bytes INTEGER)",
	("CREATE TABLE frame(seq INTEGER PRIMARY KEY, feed INTEGER, conn INTEGER, kind INTEGER, mono INTEGER, wall INTEGER, "
	 "body INTEGER, head BLOB, tail BLOB)"),
	"CREATE TABLE body(id INTEGER PRIMARY KEY, seg INTEGER, hash BLOB, raw_len INTEGER, z BLOB, UNIQUE(seg, hash))",
	"CREATE TABLE mark(seq INTEGER, kind INTEGER, number INTEGER, hash BLOB, wall INTEGER)",
	"CREATE INDEX mark_number ON mark(number)",
	"CREATE INDEX mark_wall ON mark(wall)",
	"CREATE INDEX mark_kind ON mark(kind, seq)",
};

/* ---- what both share ---- */

enum status rec_db_err(sqlite3 *db, const char *what, struct err *e)
{
	int rc = sqlite3_extended_errcode(db), os = sqlite3_system_errno(db);

	if (rc == SQLITE_NOMEM)
		return err_set(e, ST_NOMEM, "%s: no memory", what);
	if ((rc & 0xff) == SQLITE_CORRUPT || rc == SQLITE_NOTADB)
		return err_set(e, ST_MALFORMED, "%s: the file is damaged (%s)", what, sqlite3_errstr(rc));
	if ((rc & 0xff) == SQLITE_IOERR && os != 0)
		return err_set_detail(e, ST_IO, os, "%s: %s", what, strerror(os));
	return err_set_detail(e, rc == SQLITE_FULL ? ST_TOO_BIG : ST_IO, rc, "%s: %s", what, sqlite3_errstr(rc));
}

enum status rec_exec(sqlite3 *db, const char *sql, const char *what, struct err *e)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? ST_OK : rec_db_err(db, what, e);
}

enum status rec_prepare(sqlite3 *db, sqlite3_stmt **st, const char *sql, const char *what, struct err *e)
{
	if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, st, NULL) == SQLITE_OK)
		return ST_OK;
	return rec_db_err(db, what, e);
}

void rec_bind(sqlite3_stmt *st, int at, uint64_t v)
{
	sqlite3_bind_int64(st, at, v > INT64_MAX ? INT64_MAX : (sqlite3_int64)v);
}

static size_t put_varint(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

static bool get_varint(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
		uint8_t b = *(*p)++;

		*v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return true;
	}
	return false;
}

/* Pairs of number and value; a reader leaves out the numbers that it does not know. */
size_t rec_head_write(uint8_t *p, const struct frame *f)
{
	size_t n = 0;

	for (unsigned m = 0; m < META_N; m++) {
		if (!frame_has(f, (enum meta)m))
			continue;
		p[n++] = (uint8_t)m;
		n += put_varint(p + n, f->meta[m]);
	}
	return n;
}

bool rec_head_read(struct frame *f, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	uint64_t v;

	while (p < end) {
		uint8_t m = *p++;

		if (!get_varint(&p, end, &v))
			return false;
		if (m < META_N)
			frame_set(f, (enum meta)m, v);
	}
	return true;
}

void rec_body_hash(uint8_t hash[32], const char *p, size_t n)
{
	keccak256(p, n, hash);
}

/* A name such as ":memory:" must mean a file. */
char *rec_path(const char *path)
{
	char *p = NULL;

	return asprintf(&p, "%s%s", path[0] == ':' ? "./" : "", path) < 0 ? NULL : p;
}

/* ---- writing ---- */

struct recwriter {
	sqlite3 *db;
	sqlite3_stmt *frame, *find, *body, *mark, *seg, *seg_bytes, *begin, *commit, *pages;
	ZSTD_CCtx *z;
	struct buf out;
	char *path, *temporary; /* temporary: until it is published */
	struct recmover *mover; /* since then; NULL: no thread could be had */
	bool open; /* a transaction is open */
	uint64_t max_bytes;
	uint64_t moved, unmoved; /* last checkpoint, bytes in the log since then */
	uint64_t next_seq, pending, size;
	uint64_t seg_id, seg_raw;
	/* As of the last commit, for rollback. */
	uint64_t kept_seq, kept_seg;
};

static void writer_shut(struct recwriter *w)
{
	sqlite3_stmt **all[] = { &w->frame, &w->find, &w->body, &w->mark, &w->seg, &w->seg_bytes, &w->begin, &w->commit,
		&w->pages };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		sqlite3_finalize(*all[i]);
		*all[i] = NULL;
	}
	sqlite3_close(w->db);
	w->db = NULL;
	w->open = false;
}

static void writer_free(struct recwriter *w)
{
	recmover_stop(w->mover);
	writer_shut(w);
	if (w->temporary)
		unlink(w->temporary);
	ZSTD_freeCCtx(w->z);
	buf_fini(&w->out);
	free(w->temporary);
	free(w->path);
	free(w);
}

static enum status is_there(const char *path, struct err *e)
{
	err_set(e, ST_USAGE, "%s: is there already", path);
	return err_cure(e, "another name: recordings are never overwritten");
}

/* Gives the file its name without taking it from another one. */
static enum status name_file(const char *from, const char *to, struct err *e)
{
	int fd;

	if (link(from, to) == 0) {
		unlink(from);
		return ST_OK;
	}
	if (errno == EEXIST)
		return is_there(to, e);
	/* No links here (FAT and the like): the name is taken first, then replaced. */
	fd = open(to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		if (rename(from, to) == 0)
			return ST_OK;
		err_set_detail(e, ST_IO, errno, "%s: %s", to, strerror(errno));
		unlink(to);
		return e->code;
	}
	return errno == EEXIST ? is_there(to, e) : err_set_detail(e, ST_IO, errno, "%s: %s", to, strerror(errno));
}

static enum status make_file(struct recwriter *w, struct err *e)
{
	struct stat sb;
	int fd;

	if (lstat(w->path, &sb) == 0)
		return is_there(w->path, e);
	fd = open(w->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_set_detail(e, ST_IO, errno, "%s: %s", w->path, strerror(errno));
	close(fd);
	return ST_OK;
}

/* max_bytes counts for the database alone, not for the log beside it. */
static enum status writer_open(struct recwriter *w, const char *path, const char *pragmas, struct err *e)
{
	char sql[80];
	enum status st;

	if (sqlite3_open_v2(path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return rec_db_err(w->db, w->path, e);
	sqlite3_extended_result_codes(w->db, 1);
	st = rec_exec(w->db, pragmas, w->path, e);
	if (st == ST_OK && w->max_bytes) {
		snprintf(sql, sizeof(sql), "PRAGMA max_page_count=%" PRIu64, w->max_bytes / 4096 + 1);
		st = rec_exec(w->db, sql, w->path, e);
	}
	return st;
}

static enum status writer_create(struct recwriter *w, struct err *e)
{
	char sql[200];
	enum status st;

	snprintf(sql, sizeof(sql),
		 "PRAGMA page_size=4096; PRAGMA auto_vacuum=NONE; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; "
		 "PRAGMA application_id=%d; PRAGMA user_version=%d", REC_APPLICATION_ID, REC_FORMAT);
	st = writer_open(w, w->temporary, sql, e);
	for (unsigned i = 0; i < REC_SCHEMA_N && st == ST_OK; i++)
		st = rec_exec(w->db, rec_schema[i], w->path, e);
	return st;
}

static enum status writer_prepare(struct recwriter *w, struct err *e)
{
	const struct {
		sqlite3_stmt **st;
		const char *sql;
	} all[] = {
		{ &w->frame, "INSERT INTO frame VALUES(?,?,?,?,?,?,?,?,?)" },
		{ &w->find, "SELECT id FROM body WHERE seg=? AND hash=?" },
		{ &w->body, "INSERT INTO body VALUES(NULL,?,?,?,?)" },
		{ &w->mark, "INSERT INTO mark VALUES(?,?,?,?,?)" },
		{ &w->seg, "INSERT INTO seg VALUES(?,?,?,?,0)" },
		{ &w->seg_bytes, "UPDATE seg SET bytes=? WHERE id=?" },
		{ &w->begin, "BEGIN IMMEDIATE" },
		{ &w->commit, "COMMIT" },
		{ &w->pages, "PRAGMA page_count" },
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		enum status st = rec_prepare(w->db, all[i].st, all[i].sql, w->path, e);

		if (st != ST_OK)
			return st;
	}
	return ST_OK;
}

enum status recwriter_new(struct recwriter **out, const char *path, uint64_t max_bytes, struct err *e)
{
	struct recwriter *w = calloc(1, sizeof(*w));
	enum status st;

	*out = NULL;
	if (!w)
		return err_set(e, ST_NOMEM, "no memory");
	buf_init(&w->out, ZSTD_COMPRESSBOUND(REC_TEXT_MAX));
	w->next_seq = w->kept_seq = 1;
	w->max_bytes = max_bytes;
	w->path = rec_path(path);
	w->z = ZSTD_createCCtx();
	if (!w->path || !w->z || asprintf(&w->temporary, "%s.%ld.tmp", w->path, (long)getpid()) < 0) {
		w->temporary = NULL;
		st = err_set(e, ST_NOMEM, "no memory");
		goto out;
	}
	ZSTD_CCtx_setParameter(w->z, ZSTD_c_compressionLevel, 1);
	st = make_file(w, e);
	if (st != ST_OK) {
		free(w->temporary);
		w->temporary = NULL;
		goto out;
	}
	st = writer_create(w, e);
	if (st == ST_OK)
		st = writer_prepare(w, e);
out:
	if (st != ST_OK)
		writer_free(w);
	else
		*out = w;
	return st;
}

/* Runs a statement that gives no rows. */
static enum status run(struct recwriter *w, sqlite3_stmt *st, struct err *e)
{
	int rc = sqlite3_step(st);
	enum status code = rc == SQLITE_DONE ? ST_OK : rec_db_err(w->db, w->path, e);

	sqlite3_reset(st);
	return code;
}

static enum status begin(struct recwriter *w, struct err *e)
{
	enum status st = w->open ? ST_OK : run(w, w->begin, e);

	w->open = st == ST_OK;
	return st;
}

enum status recwriter_meta(struct recwriter *w, const char *key, const char *text, uint64_t number, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum status code = begin(w, e);

	if (code == ST_OK)
		code = rec_prepare(w->db, &st, "INSERT OR REPLACE INTO meta VALUES(?,?)", w->path, e);
	if (code != ST_OK)
		return code;
	sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
	if (text)
		sqlite3_bind_text(st, 2, text, -1, SQLITE_STATIC);
	else
		rec_bind(st, 2, number);
	code = run(w, st, e);
	sqlite3_finalize(st);
	return code;
}

enum status recwriter_feed(struct recwriter *w, unsigned id, const char *node, const char *via, const char *show, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum status code = begin(w, e);

	if (code == ST_OK)
		code = rec_prepare(w->db, &st, "INSERT INTO feed VALUES(?,?,?,?)", w->path, e);
	if (code != ST_OK)
		return code;
	sqlite3_bind_int(st, 1, (int)id);
	sqlite3_bind_text(st, 2, node, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 3, via, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 4, show, -1, SQLITE_STATIC);
	code = run(w, st, e);
	sqlite3_finalize(st);
	return code;
}

static enum status keep_segment_bytes(struct recwriter *w, struct err *e)
{
	if (!w->seg_id)
		return ST_OK;
	rec_bind(w->seg_bytes, 1, w->seg_raw);
	rec_bind(w->seg_bytes, 2, w->seg_id);
	return run(w, w->seg_bytes, e);
}

enum status recwriter_segment(struct recwriter *w, uint64_t mono, uint64_t wall, struct err *e)
{
	enum status st = begin(w, e);

	if (st == ST_OK)
		st = keep_segment_bytes(w, e);
	if (st != ST_OK)
		return st;
	rec_bind(w->seg, 1, w->seg_id + 1);
	rec_bind(w->seg, 2, w->next_seq);
	rec_bind(w->seg, 3, mono);
	rec_bind(w->seg, 4, wall);
	st = run(w, w->seg, e);
	if (st == ST_OK) {
		w->seg_id++;
		w->seg_raw = 0;
	}
	return st;
}

/*
 * The same block comes over several paths with another id around it each time, so what is kept once is the result. Where the
 * cut is does not matter for correctness: the parts are put together again as they were.
 */
static void split(const char *text, size_t n, size_t *cut, size_t *len)
{
	static const char key[] = "\"result\":";
	const char *p = memmem(text, n < 512 ? n : 512, key, sizeof(key) - 1);
	size_t end = n;

	*cut = p ? (size_t)(p - text) + sizeof(key) - 1 : 0;
	while (p && end > *cut && strchr(" \n\r\t", text[end - 1]))
		end--;
	if (p && end > *cut && text[end - 1] == '}')
		end--;
	*len = end - *cut;
	if (*len < (p ? BODY_LEAST : WHOLE_LEAST))
		*len = 0;
}

static enum status put_body(struct recwriter *w, const char *p, size_t n, uint64_t *id, struct err *e)
{
	uint8_t hash[32];
	enum status st;
	size_t z;

	rec_body_hash(hash, p, n);
	rec_bind(w->find, 1, w->seg_id);
	sqlite3_bind_blob(w->find, 2, hash, REC_HASH_LEN, SQLITE_STATIC);
	*id = sqlite3_step(w->find) == SQLITE_ROW ? rec_column(w->find, 0) : 0;
	sqlite3_reset(w->find);
	if (*id)
		return ST_OK;
	buf_clear(&w->out);
	if (buf_reserve(&w->out, ZSTD_compressBound(n)) != ST_OK)
		return err_set(e, ST_NOMEM, "no memory to compress a message of %zu bytes", n);
	z = ZSTD_compress2(w->z, w->out.p, w->out.cap, p, n);
	if (ZSTD_isError(z))
		return err_set(e, ST_INTERNAL, "zstd: %s", ZSTD_getErrorName(z));
	rec_bind(w->body, 1, w->seg_id);
	sqlite3_bind_blob(w->body, 2, hash, REC_HASH_LEN, SQLITE_STATIC);
	rec_bind(w->body, 3, n);
	sqlite3_bind_blob64(w->body, 4, w->out.p, z, SQLITE_STATIC);
	st = run(w, w->body, e);
	*id = (uint64_t)sqlite3_last_insert_rowid(w->db);
	w->pending += z;
	buf_shrink(&w->out, 4 << 20);
	return st;
}

enum status recwriter_frame(struct recwriter *w, struct frame *f, struct err *e)
{
	uint8_t head[REC_HEAD_MAX];
	char *tail = NULL;
	uint64_t body = 0;
	size_t cut = 0, len = 0, n_head;
	enum status st = begin(w, e);

	if (st != ST_OK)
		return st;
	if (f->n > REC_TEXT_MAX)
		return err_set(e, ST_TOO_BIG, "a message of %zu bytes", f->n);
	f->seq = w->next_seq;
	if (f->kind == FRAME_IN)
		split(f->text, f->n, &cut, &len);
	if (len) {
		st = put_body(w, f->text + cut, len, &body, e);
		if (st != ST_OK)
			return st;
		frame_set(f, META_CUT, cut);
		tail = malloc(f->n - len + 1);
		if (!tail)
			return err_set(e, ST_NOMEM, "no memory");
		memcpy(tail, f->text, cut);
		memcpy(tail + cut, f->text + cut + len, f->n - len - cut);
	}
	n_head = rec_head_write(head, f);
	rec_bind(w->frame, 1, f->seq);
	if (f->feed == REC_NO_FEED)
		sqlite3_bind_null(w->frame, 2);
	else
		sqlite3_bind_int(w->frame, 2, f->feed);
	rec_bind(w->frame, 3, f->conn);
	sqlite3_bind_int(w->frame, 4, (int)f->kind);
	rec_bind(w->frame, 5, f->mono);
	rec_bind(w->frame, 6, f->wall);
	if (body)
		rec_bind(w->frame, 7, body);
	else
		sqlite3_bind_null(w->frame, 7);
	sqlite3_bind_blob(w->frame, 8, head, (int)n_head, SQLITE_STATIC);
	sqlite3_bind_blob64(w->frame, 9, tail ? tail : f->text, f->n - len, SQLITE_STATIC);
	st = run(w, w->frame, e);
	sqlite3_clear_bindings(w->frame);
	free(tail);
	if (st == ST_OK) {
		w->next_seq++;
		w->pending += 40 + n_head + f->n - len;
		w->seg_raw += f->n;
	}
	return st;
}

enum status recwriter_mark(struct recwriter *w, const struct mark *m, struct err *e)
{
	enum status st = begin(w, e);

	if (st != ST_OK)
		return st;
	rec_bind(w->mark, 1, m->seq);
	sqlite3_bind_int(w->mark, 2, (int)m->kind);
	rec_bind(w->mark, 3, m->number);
	sqlite3_bind_blob(w->mark, 4, m->hash.b, sizeof(m->hash.b), SQLITE_STATIC);
	rec_bind(w->mark, 5, m->wall);
	w->pending += 120;
	return run(w, w->mark, e);
}

enum status recwriter_commit(struct recwriter *w, struct err *e)
{
	enum status st;

	if (!w->open)
		return ST_OK;
	st = keep_segment_bytes(w, e);
	if (st == ST_OK)
		st = run(w, w->commit, e);
	if (st != ST_OK)
		return st;
	w->open = false;
	if (sqlite3_step(w->pages) == SQLITE_ROW)
		w->size = rec_column(w->pages, 0) * 4096;
	sqlite3_reset(w->pages);
	w->unmoved += w->pending;
	w->pending = 0;
	w->kept_seq = w->next_seq;
	w->kept_seg = w->seg_id;
	/* A reader may be in the way: then the next one moves it. */
	if (!w->temporary && (w->unmoved >= MOVE_BYTES || time_mono() - w->moved >= MOVE_NS)) {
		if (w->mover)
			recmover_kick(w->mover);
		else
			(void)sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		w->moved = time_mono();
		w->unmoved = 0;
	}
	return ST_OK;
}

/* A file that has its name, but into which nothing can be written. */
static void take_back(struct recwriter *w)
{
	static const char *const ends[] = { "", "-wal", "-shm" };

	writer_shut(w);
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char *path = NULL;

		if (asprintf(&path, "%s%s", w->path, ends[i]) < 0)
			return;
		unlink(path);
		free(path);
	}
}

enum status recwriter_publish(struct recwriter *w, struct err *e)
{
	enum status st = recwriter_commit(w, e);
	struct err why;
	char sql[40];

	/* Here already: to change it later would take a journal that a reader had to roll back if we were killed. */
	if (st == ST_OK)
		st = rec_exec(w->db, "PRAGMA journal_mode=WAL", w->path, e);
	if (st != ST_OK)
		return st;
	writer_shut(w);
	st = name_file(w->temporary, w->path, e);
	if (st != ST_OK)
		return st;
	free(w->temporary);
	w->temporary = NULL;
	st = writer_open(w, w->path, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; "
			 "PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=OFF; PRAGMA busy_timeout=2000; "
			 "PRAGMA trusted_schema=OFF; PRAGMA cache_size=-8192", e);
	if (st == ST_OK)
		st = writer_prepare(w, e);
	/* The first write to a log waits for the disk: here, where nothing has been heard yet. */
	snprintf(sql, sizeof(sql), "PRAGMA user_version=%d", REC_FORMAT);
	if (st == ST_OK)
		st = rec_exec(w->db, sql, w->path, e);
	if (st == ST_OK && recmover_start(&w->mover, w->path, &why) != ST_OK)
		log_msg(LOG_WARN, "recording: %s: its commits wait for the disk", why.text);
	if (st != ST_OK)
		take_back(w);
	return st;
}

void recwriter_rollback(struct recwriter *w)
{
	if (w->open && !sqlite3_get_autocommit(w->db))
		(void)sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
	w->open = false;
	w->pending = 0;
	w->next_seq = w->kept_seq;
	w->seg_id = w->kept_seg;
	w->seg_raw = 0;
}

uint64_t recwriter_pending(const struct recwriter *w)
{
	return w->pending;
}

uint64_t recwriter_segment_bytes(const struct recwriter *w)
{
	return w->seg_raw;
}

uint64_t recwriter_size(const struct recwriter *w)
{
	return w->size + w->pending;
}

enum status recwriter_close(struct recwriter *w, struct err *e)
{
	enum status st = recwriter_commit(w, e);

	recmover_stop(w->mover);
	w->mover = NULL;
	/* A file in WAL mode cannot be opened in a folder that is read-only. */
	if (st == ST_OK && !w->temporary)
		st = rec_exec(w->db, "PRAGMA journal_mode=DELETE", w->path, e);
	writer_free(w);
	return st;
}

void recwriter_abandon(struct recwriter *w)
{
	if (w)
		writer_free(w);
}
