/* The format of a recording, as far as its writer (recfile.c) and reader (recfile_read.c) share it. */
#ifndef FEED_RECFILE_PRIV_H
#define FEED_RECFILE_PRIV_H

#include <sqlite3.h>

#include "feed/recfile.h"

enum {
	REC_APPLICATION_ID = 0x43744f50, /* "CtOP" */
	REC_FORMAT = 1, /* user_version */
	REC_HASH_LEN = 16,
	REC_HEAD_MAX = META_N * 11,
	REC_SCHEMA_N = 9,
};

extern const char *const rec_schema[REC_SCHEMA_N];

/* Turns the last error of db into *e. ST_MALFORMED: the file is damaged; ST_TOO_BIG: no room; else ST_IO, ST_NOMEM. */
enum status rec_db_err(sqlite3 *db, const char *what, struct err *e);
enum status rec_exec(sqlite3 *db, const char *sql, const char *what, struct err *e) MUST_CHECK;
enum status rec_prepare(sqlite3 *db, sqlite3_stmt **st, const char *sql, const char *what, struct err *e) MUST_CHECK;
void rec_bind(sqlite3_stmt *st, int at, uint64_t v);
/* Column `head`: pairs of number and varint. out: REC_HEAD_MAX bytes. A reader leaves out the numbers that it does not know. */
size_t rec_head_write(uint8_t *out, const struct frame *f);
bool rec_head_read(struct frame *f, const uint8_t *p, size_t n) MUST_CHECK;
void rec_body_hash(uint8_t hash[32], const char *p, size_t n); /* the first REC_HASH_LEN bytes count */
/* A name such as ":memory:" must mean a file. Heap; NULL without memory. */
char *rec_path(const char *path);

static inline uint64_t rec_column(sqlite3_stmt *st, int at)
{
	sqlite3_int64 v = sqlite3_column_int64(st, at);

	return v < 0 ? 0 : (uint64_t)v;
}

#endif
