#include "serve/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/log.h"
#include "eth/json.h"

enum {
	FILES_MAX = 1 << 24,
	FILE_MAX = 256 << 20, /* no block is larger */
	PEEK = 16 << 10, /* the header stands before the transactions with most nodes */
	NONE = -1,
};

struct entry {
	uint64_t number, time;
	uint8_t hash[32];
	struct body *body; /* NULL: not in memory */
	int32_t newer, older; /* among those in memory */
};

struct by_hash {
	uint8_t hash[32];
	uint32_t i;
};

struct store {
	int dir;
	struct entry *e;
	struct by_hash *h;
	size_t n;
	pthread_mutex_t lock; /* all below, entry.body … older, body.refs */
	size_t budget, used;
	int32_t newest, oldest;
};

/* ---- files ---- */

static int open_file(const struct store *s, uint64_t number, size_t *size, struct err *e)
{
	char name[32];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%llu.json", (unsigned long long)number);
	fd = openat(s->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		err_set_detail(e, ST_IO, errno, "%s: %s", name, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX) {
		err_set(e, ST_IO, "%s: no file, or over %d MiB", name, FILE_MAX >> 20);
		close(fd);
		return -1;
	}
	*size = (size_t)st.st_size;
	return fd;
}

/* Up to n bytes, fewer at the end of the file; −1 on an error. */
static ssize_t read_up_to(int fd, char *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = read(fd, p + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* Number, hash and time out of a text that may be cut off. False if they are not all there. */
static bool peek(struct entry *x, const char *text, size_t n)
{
	enum { NUMBER = 1, HASH = 2, TIME = 4, ALL = 7 };
	struct json j;
	struct json_str key, v;
	unsigned have = 0;

	json_init(&j, text, n);
	if (!json_object(&j))
		return false;
	while (have != ALL && json_key(&j, &key)) {
		if (JSON_IS(&key, "number") && json_string(&j, &v) && hex_u64(v.p, v.n, &x->number, NULL))
			have |= NUMBER;
		else if (JSON_IS(&key, "hash") && json_string(&j, &v) && hex_fixed(v.p, v.n, x->hash, 32))
			have |= HASH;
		else if (JSON_IS(&key, "timestamp") && json_string(&j, &v) && hex_u64(v.p, v.n, &x->time, NULL))
			have |= TIME;
		else if (!json_skip(&j, NULL))
			return false;
	}
	return have == ALL;
}

static enum status read_entry(const struct store *s, struct entry *x, struct err *e)
{
	const uint64_t number = x->number;
	enum status st = ST_OK;
	char head[PEEK], *whole = NULL;
	size_t size;
	ssize_t n;
	int fd = open_file(s, number, &size, e);

	if (fd < 0)
		return e->code;
	n = read_up_to(fd, head, sizeof(head));
	if (n < 0 || !peek(x, head, (size_t)n)) {
		whole = malloc(size + 1);
		if (!whole) {
			st = err_set(e, ST_NOMEM, "no memory");
			goto out;
		}
		n = lseek(fd, 0, SEEK_SET) == 0 ? read_up_to(fd, whole, size) : -1;
		if (n < 0 || !peek(x, whole, (size_t)n)) {
			st = err_set(e, ST_MALFORMED, "%llu.json: no block", (unsigned long long)number);
			goto out;
		}
	}
	if (x->number != number)
		st = err_set(e, ST_WRONG_BLOCK, "%llu.json: holds block %llu", (unsigned long long)number,
			(unsigned long long)x->number);
out:
	free(whole);
	close(fd);
	return st;
}

/* ---- the folder ---- */

/* "123.json" → 123; no sign, no leading zero. */
static bool number_of(const char *name, uint64_t *number)
{
	size_t n = strspn(name, "0123456789");
	uint64_t v = 0;

	if (n < 1 || n > 19 || strcmp(name + n, ".json") != 0 || (name[0] == '0' && n > 1))
		return false;
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (uint64_t)(name[i] - '0');
	*number = v;
	return true;
}

static int cmp_number(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int cmp_hash(const void *a, const void *b)
{
	return memcmp(a, b, 32);
}

static enum status list(struct store *s, DIR *d, struct err *e)
{
	size_t cap = 0;
	const struct dirent *f;
	uint64_t number;

	while ((f = readdir(d)) != NULL) {
		if (!number_of(f->d_name, &number))
			continue;
		if (s->n == cap) {
			struct entry *more;

			cap = cap ? cap * 2 : 1024;
			if (cap > FILES_MAX)
				return err_set(e, ST_TOO_BIG, "more than %d blocks", FILES_MAX);
			more = realloc(s->e, cap * sizeof(*more));
			if (!more)
				return err_set(e, ST_NOMEM, "no memory");
			s->e = more;
		}
		s->e[s->n++] = (struct entry){ .number = number, .newer = NONE, .older = NONE };
	}
	if (s->n)
		qsort(s->e, s->n, sizeof(*s->e), cmp_number);
	return ST_OK;
}

/* Reads the beginnings, leaves out what is no block. */
static enum status index_files(struct store *s, struct err *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct err bad = { .code = ST_OK };
		enum status st = read_entry(s, &s->e[i], &bad);

		if (st == ST_NOMEM)
			return err_set(e, ST_NOMEM, "no memory");
		if (st != ST_OK)
			log_msg(LOG_WARN, "left out: %s", bad.text);
		else
			s->e[kept++] = s->e[i];
	}
	s->n = kept;
	if (kept == 0) {
		err_set(e, ST_NULL, "no block in this folder");
		return err_cure(e, "files named <number>.json, each the result of eth_getBlockByNumber");
	}
	s->h = malloc(s->n * sizeof(*s->h));
	if (!s->h)
		return err_set(e, ST_NOMEM, "no memory");
	for (size_t i = 0; i < s->n; i++) {
		memcpy(s->h[i].hash, s->e[i].hash, 32);
		s->h[i].i = (uint32_t)i;
	}
	qsort(s->h, s->n, sizeof(*s->h), cmp_hash);
	return ST_OK;
}

enum status store_open(struct store **out, const char *dir, size_t budget, struct err *e)
{
	struct store *s = malloc(sizeof(*s));
	DIR *d = NULL;
	enum status st;

	*out = NULL;
	if (!s)
		return err_set(e, ST_NOMEM, "no memory");
	*s = (struct store){ .dir = -1, .budget = budget, .newest = NONE, .oldest = NONE };
	pthread_mutex_init(&s->lock, NULL);
	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir >= 0)
		d = opendir(dir);
	if (!d) {
		st = err_set_detail(e, ST_IO, errno, "%.100s: %s", dir, strerror(errno));
		goto out;
	}
	st = list(s, d, e);
	if (st == ST_OK)
		st = index_files(s, e);
out:
	if (d)
		closedir(d);
	if (st == ST_OK)
		*out = s;
	else
		store_close(s);
	return st;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct body *b = s->e[i].body;

		if (b)
			free(b);
	}
	if (s->dir >= 0)
		close(s->dir);
	pthread_mutex_destroy(&s->lock);
	free(s->e);
	free(s->h);
	free(s);
}

size_t store_count(const struct store *s)
{
	return s->n;
}

uint64_t store_number(const struct store *s, size_t i)
{
	return s->e[i].number;
}

uint64_t store_time(const struct store *s, size_t i)
{
	return s->e[i].time;
}

size_t store_floor(const struct store *s, uint64_t number)
{
	size_t lo = 0, hi = s->n; /* e[lo] may be it, e[hi] is above */

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->e[mid].number <= number)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

bool store_find(const struct store *s, uint64_t number, size_t *i)
{
	*i = store_floor(s, number);
	return s->e[*i].number == number;
}

bool store_find_hash(const struct store *s, const uint8_t hash[32], size_t *i)
{
	const struct by_hash *h = bsearch(hash, s->h, s->n, sizeof(*s->h), cmp_hash);

	if (h)
		*i = h->i;
	return h != NULL;
}

/* ---- bodies ---- */

static bool is_object(const char *p, size_t n)
{
	struct json j;

	json_init(&j, p, n);
	return json_peek(&j) == JSON_OBJECT && json_skip(&j, NULL) && json_end(&j);
}

static enum status load(const struct store *s, size_t i, struct body **out, struct err *e)
{
	struct body *b;
	size_t size, n;
	ssize_t got;
	int fd = open_file(s, s->e[i].number, &size, e);

	if (fd < 0)
		return e->code;
	b = malloc(sizeof(*b) + BODY_HEAD + size + BODY_TAIL);
	if (!b) {
		close(fd);
		return err_set(e, ST_NOMEM, "no memory");
	}
	b->p = (char *)(b + 1) + BODY_HEAD;
	b->refs = 0;
	got = read_up_to(fd, b->p, size);
	close(fd);
	n = got < 0 ? 0 : (size_t)got;
	/* A file may end with a line feed; an answer is one line. */
	while (n && (b->p[n - 1] == '\n' || b->p[n - 1] == '\r' || b->p[n - 1] == ' ' || b->p[n - 1] == '\t'))
		n--;
	b->n = n;
	if (!is_object(b->p, n)) {
		free(b);
		return err_set(e, ST_MALFORMED, "%llu.json: not a JSON object", (unsigned long long)s->e[i].number);
	}
	*out = b;
	return ST_OK;
}

/* Takes it out of the list of those in memory. */
static void unlink_entry(struct store *s, struct entry *x)
{
	if (x->newer == NONE)
		s->newest = x->older;
	else
		s->e[x->newer].older = x->older;
	if (x->older == NONE)
		s->oldest = x->newer;
	else
		s->e[x->older].newer = x->newer;
}

static void link_newest(struct store *s, struct entry *x)
{
	x->newer = NONE;
	x->older = s->newest;
	if (s->newest == NONE)
		s->oldest = (int32_t)(x - s->e);
	else
		s->e[s->newest].newer = (int32_t)(x - s->e);
	s->newest = (int32_t)(x - s->e);
}

static void drop(struct body *b)
{
	if (--b->refs == 0)
		free(b);
}

/* Until `more` bytes fit. What is being sent lives on until it is sent. */
static void evict(struct store *s, size_t more)
{
	while (s->oldest != NONE && s->used + more > s->budget) {
		struct entry *x = &s->e[s->oldest];

		unlink_entry(s, x);
		s->used -= x->body->n;
		drop(x->body);
		x->body = NULL;
	}
}

enum status store_get(struct store *s, size_t i, struct body **out, struct err *e)
{
	struct entry *x = &s->e[i];
	enum status st = ST_OK;

	pthread_mutex_lock(&s->lock);
	if (x->body) {
		unlink_entry(s, x);
	} else {
		struct body *b = NULL;

		st = load(s, i, &b, e);
		if (st != ST_OK)
			goto out;
		evict(s, b->n);
		b->refs = 1;
		s->used += b->n;
		x->body = b;
	}
	link_newest(s, x);
	x->body->refs++;
	*out = x->body;
out:
	pthread_mutex_unlock(&s->lock);
	return st;
}

void store_put(struct store *s, struct body *b)
{
	pthread_mutex_lock(&s->lock);
	drop(b);
	pthread_mutex_unlock(&s->lock);
}
