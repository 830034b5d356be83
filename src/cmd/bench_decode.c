#include "cmd/bench_decode.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "base/simd.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "eth/block.h"
#include "eth/verify.h"

enum {
	FILES_MAX = 100000,
	PASSES = 5, /* the fastest counts: what else runs can only slow down */
};

#define BYTES_MAX ((size_t)2 << 30)
#define FILE_MAX_BYTES ((size_t)128 << 20)

struct text {
	char *p;
	size_t n;
};

struct folder {
	struct text *files;
	size_t n, cap, bytes;
	uint64_t txs;
	struct blockdec *dec;
	struct verifier *verifier;
};

static bool is_block_file(const char *name)
{
	size_t n = strspn(name, "0123456789");

	return n > 0 && strcmp(name + n, ".json") == 0;
}

static enum status read_file(struct folder *d, const char *path, struct err *e)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	struct text t;

	if (!f || fstat(fileno(f), &st) != 0) {
		if (f)
			fclose(f);
		return err_set_detail(e, ST_IO, errno, "%s: %s", path, strerror(errno));
	}
	t.n = (size_t)st.st_size;
	if (t.n > FILE_MAX_BYTES || d->bytes + t.n > BYTES_MAX || d->n == FILES_MAX) {
		fclose(f);
		return err_set(e, ST_TOO_BIG, "%s: too much to hold in memory", path);
	}
	t.p = malloc(t.n + 1);
	if (t.p)
		t.n = fread(t.p, 1, t.n, f);
	fclose(f);
	if (!t.p)
		return err_set(e, ST_NOMEM, "no memory");
	t.p[t.n] = 0;
	d->files[d->n++] = t;
	d->bytes += t.n;
	return ST_OK;
}

static enum status read_folder(struct folder *d, const char *dir, struct err *e)
{
	DIR *list = opendir(dir);
	enum status st = ST_OK;
	struct dirent *k;
	char path[4096];

	if (!list)
		return err_set_detail(e, ST_USAGE, errno, "%s: %s", dir, strerror(errno));
	while (st == ST_OK && (k = readdir(list)) != NULL) {
		if (!is_block_file(k->d_name) || snprintf(path, sizeof(path), "%s/%s", dir, k->d_name) >= (int)sizeof(path))
			continue;
		if (d->n == d->cap) {
			size_t cap = d->cap ? 2 * d->cap : 256;
			struct text *p = realloc(d->files, cap * sizeof(*p));

			if (!p) {
				st = err_set(e, ST_NOMEM, "no memory");
				break;
			}
			d->files = p;
			d->cap = cap;
		}
		st = read_file(d, path, e);
	}
	closedir(list);
	if (st == ST_OK && d->n == 0)
		st = err_set(e, ST_USAGE, "%s: no <number>.json in it", dir);
	return st;
}

/* ---- the passes ---- */

static enum status pass_typed(struct folder *d, struct err *e)
{
	const struct block *b;
	enum status st;

	d->txs = 0;
	for (size_t i = 0; i < d->n; i++) {
		st = block_decode(d->dec, d->files[i].p, d->files[i].n, true, &b, e);
		if (st != ST_OK)
			return st;
		d->txs += b->txs.len;
	}
	return ST_OK;
}

/* With the copy of exact size that the monitor keeps: decoding as far as a block can live on. */
static enum status pass_kept(struct folder *d, struct err *e)
{
	const struct block *b;
	struct block *kept;
	enum status st;

	for (size_t i = 0; i < d->n; i++) {
		st = block_decode(d->dec, d->files[i].p, d->files[i].n, true, &b, e);
		if (st != ST_OK)
			return st;
		kept = block_keep(b);
		if (!kept)
			return err_set(e, ST_NOMEM, "no memory");
		block_unref(kept);
	}
	return ST_OK;
}

static enum status pass_verified(struct folder *d, struct err *e)
{
	const struct block *b;
	struct verdict v;
	enum status st = ST_OK;

	for (size_t i = 0; i < d->n && st == ST_OK; i++) {
		st = block_decode(d->dec, d->files[i].p, d->files[i].n, true, &b, e);
		if (st == ST_OK)
			st = verify_block(d->verifier, b, 1, &v);
	}
	return st;
}

static enum status pass_cjson(struct folder *d, struct err *e)
{
	for (size_t i = 0; i < d->n; i++) {
		cJSON *o = cJSON_ParseWithLength(d->files[i].p, d->files[i].n);

		if (!o)
			return err_set(e, ST_MALFORMED, "cJSON cannot read it");
		cJSON_Delete(o);
	}
	return ST_OK;
}

/* Seconds of CPU of the fastest pass. */
static enum status measure(struct folder *d, unsigned passes, enum status (*pass)(struct folder *, struct err *),
	double *seconds, struct err *e)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < passes; i++) {
		uint64_t t0 = time_thread_cpu(), took;
		enum status st = pass(d, e);

		if (st != ST_OK)
			return st;
		took = time_thread_cpu() - t0;
		best = took < best ? took : best;
	}
	*seconds = (double)best / 1e9;
	return ST_OK;
}

/* ---- output ---- */

struct line {
	const char *name;
	double typed, kept, verified; /* GB/s */
};

static double rate(const struct folder *d, double seconds)
{
	return seconds > 0 ? (double)d->bytes / 1e9 / seconds : 0;
}

static void print_text(const struct folder *d, const struct line *l, unsigned n, double cjson, FILE *f)
{
	fprintf(f,
		"%zu blocks, %" PRIu64
		" transactions, %.1f MB of JSON; one core, fastest of %d passes, GB/s of text\n\n",
		d->n, d->txs, (double)d->bytes / 1e6, PASSES);
	fprintf(f, "           typed  complete  verified\n");
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%-8s %7.2f  %8.2f  %8.3f   %.1f x cJSON\n", l[i].name, l[i].typed, l[i].kept, l[i].verified,
			cjson > 0 ? l[i].typed / cjson : 0);
	fprintf(f, "%-8s %7.2f         -         -\n\n", "cJSON", cjson);
	fprintf(f,
		"typed: every field as a value, in memory that is used again. complete: with the copy that the monitor "
		"keeps.\n"
		"verified: with header hash, transactions and withdrawals. cJSON: a tree of strings.\n");
}

static void print_json(const struct folder *d, const struct line *l, unsigned n, double cjson, FILE *f)
{
	fprintf(f, "{\"blocks\":%zu,\"transactions\":%" PRIu64 ",\"bytes\":%zu,\"cjson_gb_per_s\":%.4f,\"variants\":[",
		d->n, d->txs, d->bytes, cjson);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s{\"name\":\"%s\",\"typed_gb_per_s\":%.4f,\"complete_gb_per_s\":%.4f,\"verified_gb_per_s\":%.4f}",
			i ? "," : "", l[i].name, l[i].typed, l[i].kept, l[i].verified);
	fprintf(f, "]}\n");
}

static enum status measure_variant(struct folder *d, const char *name, struct line *l, struct err *e)
{
	double seconds = 0;
	enum status st = simd_use(name, e);

	l->name = name;
	if (st == ST_OK)
		st = measure(d, PASSES, pass_typed, &seconds, e);
	l->typed = rate(d, seconds);
	if (st == ST_OK)
		st = measure(d, PASSES, pass_kept, &seconds, e);
	l->kept = rate(d, seconds);
	if (st == ST_OK)
		st = measure(d, 1, pass_verified, &seconds, e);
	l->verified = rate(d, seconds);
	return st;
}

int bench_decode(const char *dir, bool json, FILE *f)
{
	struct folder d = { .n = 0 };
	struct err e = { .code = ST_OK };
	const char *before = simd()->name;
	struct line lines[8];
	unsigned n = 0;
	double seconds = 0;
	enum status st;

	d.dec = blockdec_new();
	d.verifier = verifier_new();
	st = d.dec && d.verifier ? read_folder(&d, dir, &e) : err_set(&e, ST_NOMEM, "no memory");
	for (unsigned i = 0; simd_all[i] && st == ST_OK && n < 8; i++) {
		if (simd_runs(simd_all[i]))
			st = measure_variant(&d, simd_all[i]->name, &lines[n++], &e);
	}
	if (simd_use(before, NULL) != ST_OK && st == ST_OK)
		st = err_set(&e, ST_INTERNAL, "cannot go back to %s", before);
	if (st == ST_OK)
		st = measure(&d, 2, pass_cjson, &seconds, &e);
	if (st == ST_OK && json)
		print_json(&d, lines, n, rate(&d, seconds), f);
	else if (st == ST_OK)
		print_text(&d, lines, n, rate(&d, seconds), f);
	for (size_t i = 0; i < d.n; i++)
		free(d.files[i].p);
	free(d.files);
	blockdec_free(d.dec);
	verifier_free(d.verifier);
	if (st == ST_OK)
		return EXIT_FINE;
	(void)cmd_fail(&e);
	return st == ST_USAGE ? EXIT_USAGE : EXIT_BAD;
}
