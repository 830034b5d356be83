#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/time.h"
#include "base/utf8.h"
#include "feed/recfile_priv.h"
#include "feed/state.h"

enum {
	ROWS = 256, /* of one statement: a reader must not hold the log for long */
};

#define READ_NS (NS_S / 2)

struct recreader {
	sqlite3 *db;
	sqlite3_stmt *frames, *body;
	bool (*skip)(void *ctx, const struct frame *f);
	void *skip_ctx;
	ZSTD_DCtx *z;
	struct buf text;
	char *path;
	struct recinfo info;
	bool active, strict; /* active: frames holds a read transaction */
	uint64_t since; /* … since then */
	uint64_t next;
	/* The body that is in text, and where. */
	uint64_t body_id;
	size_t body_at, body_len;
};

void recreader_close(struct recreader *r)
{
	if (!r)
		return;
	sqlite3_finalize(r->frames);
	sqlite3_finalize(r->body);
	sqlite3_close(r->db);
	ZSTD_freeDCtx(r->z);
	buf_fini(&r->text);
	free(r->path);
	free(r);
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The first 100 bytes of an SQLite file tell what it is, before SQLite looks at it. */
static enum status check_header(const uint8_t h[100], size_t n, const char *path, struct err *e)
{
	if (n == 0)
		return err_set(e, ST_MALFORMED, "%s: empty", path);
	if (n < 100 || memcmp(h, "SQLite format 3", 16) != 0 || be32(h + 68) != REC_APPLICATION_ID)
		return err_set(e, ST_MALFORMED, "%s: not a recording of chaintop", path);
	if (be32(h + 60) != REC_FORMAT) {
		err_set(e, ST_MALFORMED, "%s: a recording in format %u, this version reads %d", path, be32(h + 60), REC_FORMAT);
		return err_cure(e, "a newer chaintop");
	}
	return ST_OK;
}

static enum status check_file(const char *path, struct err *e)
{
	/* Not to wait for the writer of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t h[100];
	struct stat sb;
	ssize_t n;
	enum status st;

	if (fd < 0)
		return err_set_detail(e, ST_IO, errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &sb) != 0 || !S_ISREG(sb.st_mode)) {
		close(fd);
		return err_set(e, ST_IO, "%s: not a file", path);
	}
	n = read(fd, h, sizeof(h));
	if (n < 0)
		st = err_set_detail(e, ST_IO, errno, "%s: %s", path, strerror(errno));
	else
		st = check_header(h, (size_t)n, path, e);
	close(fd);
	return st;
}

static enum status check_schema(struct recreader *r, struct err *e)
{
	sqlite3_stmt *st = NULL;
	unsigned seen = 0, n = 0;
	enum status code = rec_prepare(r->db, &st, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", r->path, e);
	int rc = SQLITE_DONE;

	while (code == ST_OK && (rc = sqlite3_step(st)) == SQLITE_ROW && n++ < 100) {
		const char *sql = (const char *)sqlite3_column_text(st, 0);

		for (unsigned i = 0; i < REC_SCHEMA_N; i++) {
			if (sql && strcmp(sql, rec_schema[i]) == 0)
				seen |= 1u << i;
		}
	}
	if (code == ST_OK && rc != SQLITE_DONE && rc != SQLITE_ROW)
		code = rec_db_err(r->db, r->path, e);
	else if (code == ST_OK && (n != REC_SCHEMA_N || seen != (1u << REC_SCHEMA_N) - 1))
		code = err_set(e, ST_MALFORMED, "%s: not a recording of chaintop (other tables)", r->path);
	sqlite3_finalize(st);
	return code;
}

static uint64_t number_of(struct recreader *r, const char *sql)
{
	sqlite3_stmt *st = NULL;
	uint64_t v = 0;

	if (sqlite3_prepare_v2(r->db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		v = rec_column(st, 0);
	sqlite3_finalize(st);
	return v;
}

static void copy_text(char *out, size_t size, sqlite3_stmt *st, int at)
{
	const char *s = (const char *)sqlite3_column_text(st, at);
	int n = sqlite3_column_bytes(st, at);

	out[0] = 0;
	if (s && n > 0)
		utf8_clean(out, size, s, strnlen(s, (size_t)n));
}

static enum status load_feeds(struct recreader *r, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum status code = rec_prepare(r->db, &st,
		"SELECT id, node, via, url_redacted FROM feed WHERE id>=0 AND id<? ORDER BY id", r->path, e);
	int rc;

	if (code != ST_OK)
		return code;
	sqlite3_bind_int(st, 1, REC_FEEDS_MAX);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		unsigned id = (unsigned)sqlite3_column_int(st, 0);
		struct recfeed *f = &r->info.feed[id];

		f->known = true;
		copy_text(f->node, sizeof(f->node), st, 1);
		copy_text(f->via, sizeof(f->via), st, 2);
		copy_text(f->show, sizeof(f->show), st, 3);
		f->push = strcmp(f->via, "ws") == 0 || strcmp(f->via, "wss") == 0 || strcmp(f->via, "ipc") == 0;
		r->info.n_feeds = id + 1;
	}
	if (rc != SQLITE_DONE)
		code = rec_db_err(r->db, r->path, e);
	sqlite3_finalize(st);
	return code;
}

/* The first frames say what the table has no column for. */
static void load_feed_states(struct recreader *r)
{
	struct frame f;
	struct state s;
	struct err e;

	for (unsigned i = 0; i < 4 * REC_FEEDS_MAX && recreader_next(r, &f, &e) == ST_OK; i++) {
		if (f.kind != FRAME_STATE || !frame_has(&f, META_SNAPSHOT))
			break;
		if (f.feed < r->info.n_feeds && state_read(&s, f.text, f.n) == ST_OK && s.kind == STATE_FEED) {
			r->info.feed[f.feed].push = s.push;
			r->info.feed[f.feed].local = s.local;
		}
	}
}

static void load_info(struct recreader *r)
{
	struct recinfo *i = &r->info;
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(r->db, "SELECT v FROM meta WHERE k='version'", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		copy_text(i->version, sizeof(i->version), st, 0);
	sqlite3_finalize(st);
	i->start_mono = number_of(r, "SELECT v FROM meta WHERE k='start_mono'");
	i->start_wall = number_of(r, "SELECT v FROM meta WHERE k='start_wall'");
	i->ended = number_of(r, "SELECT v FROM meta WHERE k='end_mono'") != 0;
	i->first_seq = number_of(r, "SELECT min(seq) FROM frame");
	i->last_seq = number_of(r, "SELECT max(seq) FROM frame");
	if (i->last_seq)
		(void)recreader_stamp(r, i->last_seq, &i->last_mono, &i->last_wall);
}

static enum status reader_setup(struct recreader *r, struct err *e)
{
	enum status st;

	sqlite3_extended_result_codes(r->db, 1);
	sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, REC_TEXT_MAX);
	sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	/* A mapped file that somebody truncates would end the program. */
	st = rec_exec(r->db,
		"PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA busy_timeout=2000; "
		"PRAGMA query_only=ON",
		r->path, e);
	if (st == ST_OK)
		st = check_schema(r, e);
	if (st == ST_OK)
		st = rec_prepare(r->db, &r->frames,
				"SELECT seq, feed, conn, kind, mono, wall, body, head, tail FROM frame WHERE seq>=? "
				"ORDER BY seq LIMIT ?", r->path, e);
	if (st == ST_OK)
		st = rec_prepare(r->db, &r->body, "SELECT raw_len, z, hash FROM body WHERE id=?", r->path, e);
	if (st == ST_OK)
		st = load_feeds(r, e);
	if (st != ST_OK)
		return st;
	load_info(r);
	load_feed_states(r);
	recreader_seek(r, 0);
	return ST_OK;
}

static struct recreader *reader_new(const char *path)
{
	struct recreader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	buf_init(&r->text, REC_TEXT_MAX);
	r->path = rec_path(path);
	r->z = ZSTD_createDCtx();
	if (r->path && r->z)
		return r;
	recreader_close(r);
	return NULL;
}

static enum status open_as(struct recreader **out, const char *path, int flags, struct err *e)
{
	struct recreader *r = reader_new(path);
	enum status st;

	*out = NULL;
	if (!r)
		return err_set(e, ST_NOMEM, "no memory");
	if (sqlite3_open_v2(r->path, &r->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		st = rec_db_err(r->db, path, e);
	else
		st = reader_setup(r, e);
	if (st != ST_OK)
		recreader_close(r);
	else
		*out = r;
	return st;
}

enum status recreader_open(struct recreader **out, const char *path, struct err *e)
{
	enum status st = check_file(path, e);

	*out = NULL;
	if (st != ST_OK)
		return st;
	st = open_as(out, path, SQLITE_OPEN_READONLY, e);
	/* Its writer was killed while it ended the recording: SQLite has to roll that back, which is writing. */
	if (st == ST_IO && (e->detail & 0xff) == SQLITE_READONLY)
		st = open_as(out, path, SQLITE_OPEN_READWRITE, e);
	if (st == ST_IO && ((e->detail & 0xff) == SQLITE_CANTOPEN || (e->detail & 0xff) == SQLITE_READONLY)) {
		err_set(e, ST_IO, "%s: was not closed in order, and its folder is read-only", path);
		(void)err_cure(e, "copy it and its -wal or -journal file to another folder");
	}
	return st;
}

enum status recreader_open_memory(struct recreader **out, const void *data, size_t n, struct err *e)
{
	struct recreader *r;
	enum status st = check_header(data, n, "the recording in memory", e);

	*out = NULL;
	if (st != ST_OK)
		return st;
	r = reader_new("memory");
	if (!r)
		return err_set(e, ST_NOMEM, "no memory");
	if (sqlite3_open_v2(":memory:", &r->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
	    sqlite3_deserialize(r->db, "main", (unsigned char *)(uintptr_t)data, (sqlite3_int64)n, (sqlite3_int64)n,
				SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
		st = rec_db_err(r->db, "the recording in memory", e);
	else
		st = reader_setup(r, e);
	if (st != ST_OK)
		recreader_close(r);
	else
		*out = r;
	return st;
}

const struct recinfo *recreader_info(const struct recreader *r)
{
	return &r->info;
}

void recreader_rest(struct recreader *r)
{
	if (r->active)
		sqlite3_reset(r->frames);
	r->active = false;
}

void recreader_seek(struct recreader *r, uint64_t seq)
{
	recreader_rest(r);
	r->next = seq;
}

void recreader_strict(struct recreader *r, bool on)
{
	r->strict = on;
}

/* Unpacks a body to text[at], or moves it there if it is the one that text holds already. */
static enum status get_body(struct recreader *r, uint64_t id, size_t at, size_t tail, struct err *e)
{
	const void *z;
	uint8_t hash[32];
	uint64_t raw = 0;
	size_t n;
	enum status st = ST_OK;

	if (r->body_id == id) {
		memmove(r->text.p + at, r->text.p + r->body_at, r->body_len);
		r->body_at = at;
		return ST_OK;
	}
	r->body_id = 0;
	rec_bind(r->body, 1, id);
	if (sqlite3_step(r->body) != SQLITE_ROW) {
		sqlite3_reset(r->body);
		return err_set(e, ST_MALFORMED, "a message without its body");
	}
	raw = rec_column(r->body, 0);
	z = sqlite3_column_blob(r->body, 1);
	n = (size_t)sqlite3_column_bytes(r->body, 1);
	if (!z || raw > REC_TEXT_MAX - tail || ZSTD_getFrameContentSize(z, n) != raw)
		st = err_set(e, ST_MALFORMED, "a body whose length does not fit");
	buf_clear(&r->text);
	if (st == ST_OK && buf_reserve(&r->text, (size_t)raw + tail) != ST_OK)
		st = err_set(e, ST_NOMEM, "no memory for a message of %" PRIu64 " bytes", raw);
	if (st == ST_OK && ZSTD_decompressDCtx(r->z, r->text.p + at, (size_t)raw, z, n) != raw)
		st = err_set(e, ST_MALFORMED, "a body that cannot be unpacked");
	if (st == ST_OK && r->strict) {
		rec_body_hash(hash, r->text.p + at, (size_t)raw);
		if (sqlite3_column_bytes(r->body, 2) != REC_HASH_LEN ||
			memcmp(sqlite3_column_blob(r->body, 2), hash, REC_HASH_LEN) != 0)
			st = err_set(e, ST_MALFORMED, "a body that is not the one that was recorded");
	}
	sqlite3_reset(r->body);
	if (st == ST_OK) {
		r->body_id = id;
		r->body_at = at;
		r->body_len = (size_t)raw;
	}
	return st;
}

/* The row without its body, if that is enough. */
static bool packed(struct recreader *r, struct frame *f, size_t cut, const char *tail, size_t n)
{
	r->body_id = 0;
	buf_clear(&r->text);
	if (buf_reserve(&r->text, n + 1) != ST_OK)
		return false;
	if (n) {
		memcpy(r->text.p, tail, cut);
		memcpy(r->text.p + cut + 1, tail + cut, n - cut);
	}
	r->text.p[cut] = '0';
	r->text.len = f->n = n + 1;
	r->text.p[f->n] = 0;
	f->text = r->text.p;
	f->packed = r->skip(r->skip_ctx, f);
	return f->packed;
}

/* Puts head, body and tail of a row together. */
static enum status assemble(struct recreader *r, struct frame *f, uint64_t body, const char *tail, size_t n, struct err *e)
{
	size_t cut = frame_has(f, META_CUT) && f->meta[META_CUT] <= n ? (size_t)f->meta[META_CUT] : n, len = 0;
	enum status st;

	if (body && r->skip && packed(r, f, cut, tail, n))
		return ST_OK;
	if (body) {
		/* Room for all of it first: the body that is there must not move then. */
		if (r->body_id == body && r->body_len + n > r->text.cap)
			r->body_id = 0;
		st = get_body(r, body, cut, n, e);
		if (st != ST_OK)
			return st;
		len = r->body_len;
	} else {
		r->body_id = 0;
		buf_clear(&r->text);
		/* An empty text is one all the same. */
		if (buf_reserve(&r->text, n ? n : 1) != ST_OK)
			return err_set(e, ST_NOMEM, "no memory");
	}
	if (n) {
		memcpy(r->text.p, tail, cut);
		memcpy(r->text.p + cut + len, tail + cut, n - cut);
	}
	r->text.len = len + n;
	r->text.p[r->text.len] = 0;
	f->text = r->text.p;
	f->n = r->text.len;
	return ST_OK;
}

static enum status take_row(struct recreader *r, struct frame *f, struct err *e)
{
	sqlite3_stmt *st = r->frames;
	sqlite3_int64 kind = sqlite3_column_int64(st, 3);
	uint64_t feed = rec_column(st, 1);
	const void *head = sqlite3_column_blob(st, 7);
	size_t n_head = (size_t)sqlite3_column_bytes(st, 7);
	enum status code;
	struct err why;

	*f = (struct frame){ .seq = rec_column(st, 0), .conn = (uint32_t)sqlite3_column_int64(st, 2) };
	r->next = f->seq + 1;
	f->feed = sqlite3_column_type(st, 1) == SQLITE_NULL || feed >= REC_FEEDS_MAX ? REC_NO_FEED : (uint16_t)feed;
	f->mono = rec_column(st, 4);
	f->wall = rec_column(st, 5);
	if (kind < 0 || kind >= FRAME_KINDS)
		return err_set(e, ST_MALFORMED, "frame %" PRIu64 ": of no known kind", f->seq);
	f->kind = (enum frame_kind)kind;
	if (n_head && !rec_head_read(f, head, n_head))
		return err_set(e, ST_MALFORMED, "frame %" PRIu64 ": head cannot be read", f->seq);
	code = assemble(r, f, rec_column(st, 6), sqlite3_column_blob(st, 8), (size_t)sqlite3_column_bytes(st, 8), &why);
	return code == ST_OK ? ST_OK : err_set(e, code, "frame %" PRIu64 ": %.150s", f->seq, why.text);
}

void recreader_skip(struct recreader *r, bool (*skip)(void *ctx, const struct frame *f), void *ctx)
{
	r->skip = skip;
	r->skip_ctx = ctx;
}

enum status recreader_next(struct recreader *r, struct frame *f, struct err *e)
{
	bool fresh = false;
	int rc;

	if (r->active && time_mono() - r->since > READ_NS)
		recreader_rest(r);
	for (;;) {
		if (!r->active) {
			rec_bind(r->frames, 1, r->next);
			sqlite3_bind_int(r->frames, 2, ROWS);
			r->active = fresh = true;
			r->since = time_mono();
		}
		rc = sqlite3_step(r->frames);
		/* A damaged tree may have rows that go back: followed, they would come again and again. */
		if (rc == SQLITE_ROW && rec_column(r->frames, 0) < r->next)
			continue;
		if (rc == SQLITE_ROW)
			return take_row(r, f, e);
		if (rc != SQLITE_DONE) {
			enum status st = rec_db_err(r->db, r->path, e);

			recreader_rest(r);
			return st == ST_MALFORMED ? ST_IO : st;
		}
		recreader_rest(r);
		/* A fresh statement that gives nothing: that was all. */
		if (fresh)
			return ST_CLOSED;
	}
}

bool recreader_segment(struct recreader *r, uint64_t time, bool by_wall, struct recseg *s)
{
	sqlite3_stmt *st = NULL;
	bool ok;

	if (sqlite3_prepare_v2(r->db, by_wall ?
			       "SELECT * FROM seg WHERE first_wall<=? ORDER BY id DESC LIMIT 1" :
			       "SELECT * FROM seg WHERE first_mono<=? ORDER BY id DESC LIMIT 1", -1, &st, NULL) != SQLITE_OK)
		return false;
	rec_bind(st, 1, time);
	ok = sqlite3_step(st) == SQLITE_ROW;
	if (ok)
		*s = (struct recseg){ .id = rec_column(st, 0), .first_seq = rec_column(st, 1), .mono = rec_column(st, 2),
				      .wall = rec_column(st, 3), .bytes = rec_column(st, 4) };
	sqlite3_finalize(st);
	return ok;
}

uint64_t recreader_bytes_before(struct recreader *r, uint64_t mono)
{
	sqlite3_stmt *st = NULL;
	uint64_t n = 0;

	if (sqlite3_prepare_v2(r->db, "SELECT sum(bytes) FROM seg WHERE first_mono<?", -1, &st, NULL) != SQLITE_OK)
		return 0;
	rec_bind(st, 1, mono);
	if (sqlite3_step(st) == SQLITE_ROW)
		n = rec_column(st, 0);
	sqlite3_finalize(st);
	return n;
}

#define MARK_COLUMNS "SELECT seq, kind, number, hash, wall FROM mark "

static bool take_mark(sqlite3_stmt *st, struct mark *m)
{
	bool ok = sqlite3_step(st) == SQLITE_ROW;

	if (ok) {
		uint64_t kind = rec_column(st, 1);
		const void *hash = sqlite3_column_blob(st, 3);

		*m = (struct mark){ .seq = rec_column(st, 0), .number = rec_column(st, 2), .wall = rec_column(st, 4) };
		m->kind = kind < MARK_KINDS ? (enum mark_kind)kind : MARK_USER;
		if (hash && sqlite3_column_bytes(st, 3) == sizeof(m->hash.b))
			memcpy(m->hash.b, hash, sizeof(m->hash.b));
	}
	sqlite3_finalize(st);
	return ok;
}

bool recreader_mark(struct recreader *r, enum mark_kind kind, uint64_t i, struct mark *m)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(r->db, MARK_COLUMNS "WHERE kind=? ORDER BY seq LIMIT 1 OFFSET ?",
			       -1, &st, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_int(st, 1, (int)kind);
	rec_bind(st, 2, i);
	return take_mark(st, m);
}

bool recreader_mark_number(struct recreader *r, uint64_t number, struct mark *m)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(r->db,
		    MARK_COLUMNS "WHERE number=? AND kind=0 ORDER BY seq LIMIT 1", -1,
		    &st, NULL) != SQLITE_OK)
		return false;
	rec_bind(st, 1, number);
	return take_mark(st, m);
}

bool recreader_head_near(struct recreader *r, uint64_t wall, bool after, struct mark *m)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(r->db, after ?
			       MARK_COLUMNS "WHERE wall>? AND kind=0 ORDER BY wall LIMIT 1" :
			       MARK_COLUMNS "WHERE wall<? AND kind=0 ORDER BY wall DESC LIMIT 1", -1, &st, NULL) != SQLITE_OK)
		return false;
	rec_bind(st, 1, wall);
	return take_mark(st, m);
}

unsigned recreader_places(struct recreader *r, struct recplace *out, unsigned max)
{
	sqlite3_stmt *st = NULL;
	unsigned n = 0;

	if (sqlite3_prepare_v2(r->db, "SELECT mark.kind, frame.mono FROM mark, frame WHERE mark.kind>0 AND frame.seq=mark.seq "
			       "ORDER BY mark.seq LIMIT ?", -1, &st, NULL) != SQLITE_OK)
		return 0;
	rec_bind(st, 1, max);
	while (n < max && sqlite3_step(st) == SQLITE_ROW) {
		uint64_t kind = rec_column(st, 0);

		out[n].kind = kind < MARK_KINDS ? (enum mark_kind)kind : MARK_USER;
		out[n++].mono = rec_column(st, 1);
	}
	sqlite3_finalize(st);
	return n;
}

bool recreader_stamp(struct recreader *r, uint64_t seq, uint64_t *mono, uint64_t *wall)
{
	sqlite3_stmt *st = NULL;
	bool ok;

	if (sqlite3_prepare_v2(r->db, "SELECT mono, wall FROM frame WHERE seq>=? ORDER BY seq LIMIT 1", -1, &st,
		    NULL) != SQLITE_OK)
		return false;
	rec_bind(st, 1, seq);
	ok = sqlite3_step(st) == SQLITE_ROW;
	if (ok) {
		*mono = rec_column(st, 0);
		*wall = rec_column(st, 1);
	}
	sqlite3_finalize(st);
	return ok;
}

static enum status count_kinds(struct recreader *r, const char *sql, uint64_t *out, unsigned n, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum status code = rec_prepare(r->db, &st, sql, r->path, e);
	int rc = SQLITE_DONE;

	while (code == ST_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (rec_column(st, 0) < n)
			out[rec_column(st, 0)] = rec_column(st, 1);
	}
	if (code == ST_OK && rc != SQLITE_DONE)
		code = rec_db_err(r->db, r->path, e);
	sqlite3_finalize(st);
	return code;
}

enum status recreader_count(struct recreader *r, struct reccount *c, struct err *e)
{
	enum status st;

	*c = (struct reccount){ .segments = number_of(r, "SELECT count(*) FROM seg") };
	st = count_kinds(r, "SELECT kind, count(*) FROM frame GROUP BY kind", c->frames, FRAME_KINDS, e);
	if (st == ST_OK)
		st = count_kinds(r, "SELECT kind, count(*) FROM mark GROUP BY kind", c->marks, MARK_KINDS, e);
	c->bodies = number_of(r, "SELECT count(*) FROM body");
	c->raw_bytes = number_of(r, "SELECT sum(bytes) FROM seg");
	c->stored_bytes = number_of(r, "SELECT sum(length(z)) FROM body");
	c->file_bytes = number_of(r, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
	return st;
}

enum status recreader_integrity(struct recreader *r, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum status code = rec_prepare(r->db, &st, "PRAGMA integrity_check(1)", r->path, e);
	const char *text = NULL;

	if (code == ST_OK && sqlite3_step(st) != SQLITE_ROW)
		code = rec_db_err(r->db, r->path, e);
	if (code == ST_OK)
		text = (const char *)sqlite3_column_text(st, 0);
	if (code == ST_OK && (!text || strcmp(text, "ok") != 0)) {
		char clean[120] = "no answer";

		if (text)
			utf8_clean(clean, sizeof(clean), text, strlen(text));
		code = err_set(e, ST_MALFORMED, "%s: damaged: %s", r->path, clean);
	}
	sqlite3_finalize(st);
	return code;
}
