#include "cmd/bench_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/utf8.h"
#include "eth/chains.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum { NODE_WIDTH = 14 };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(const double *v, unsigned n)
{
	double s[BENCH_ROUNDS_MAX];

	if (n == 0)
		return 0;
	memcpy(s, v, n * sizeof(*s));
	qsort(s, n, sizeof(*s), by_value);
	return n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

/* Half the distance between the fastest and the slowest round. */
static double spread(const double *v, unsigned n)
{
	double low = v[0], high = v[0];

	for (unsigned i = 1; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	return n ? (high - low) / 2 : 0;
}

static double cpu_median(const struct bench_cell *c)
{
	double v[BENCH_ROUNDS_MAX];

	for (unsigned i = 0; i < c->n; i++)
		v[i] = (double)c->cpu_ns[i] / 1e9;
	return bench_median(v, c->n);
}

static int by_speed(const void *a, const void *b)
{
	const struct bench_row *x = a, *y = b;
	double tx, ty;

	if (x->failed != y->failed)
		return x->failed - y->failed;
	tx = bench_median(x->cell[0].seconds, x->cell[0].n);
	ty = bench_median(y->cell[0].seconds, y->cell[0].n);
	return (tx > ty) - (tx < ty);
}

void bench_sort(struct bench_result *r)
{
	qsort(r->rows, r->n_rows, sizeof(*r->rows), by_speed);
}

/* What is CPU but not decoding is transport, what is neither is waiting for the node (or for the processor). */
struct shares {
	double transport, decode, wait;
};

static struct shares shares_of(const struct bench_cell *c)
{
	double all = (double)c->thread_ns, decode, busy;

	if (all <= 0)
		return (struct shares){ 0, 0, 0 };
	decode = (double)c->decode_ns / all;
	busy = (double)c->busy_ns / all;
	/* Decoding is timed by the clock on the wall: on a busy machine it may seem more than all. */
	decode = decode > 1 ? 1 : decode;
	busy = busy > 1 ? 1 : busy;
	return (struct shares){
		.transport = busy > decode ? busy - decode : 0,
		.decode = decode,
		.wait = busy > decode ? 1 - busy : 1 - decode,
	};
}

/* ---- text ---- */

/* "25,490,415" */
static const char *grouped(char out[32], uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), k = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = 0;
	return out;
}

/* Milliseconds in `width` columns with three digits that count. */
static void put_ms(FILE *f, int width, uint64_t ns)
{
	double ms = (double)ns / 1e6;

	if (ns == UINT64_MAX)
		fprintf(f, "%*s", width, "-");
	else
		fprintf(f, "%*.*f", width, ms < 10 ? 1 : 0, ms);
}

static void put_padded(FILE *f, const char *s, size_t columns)
{
	size_t n = utf8_columns(s), bytes = utf8_clip(s, columns);

	fprintf(f, "%.*s", (int)bytes, s);
	for (; n < columns; n++)
		fputc(' ', f);
}

static const char *bar(bool utf8)
{
	return utf8 ? "│" : "|";
}

static void print_title(const struct bench_result *r, FILE *f, bool utf8)
{
	const char *dot = utf8 ? "·" : "-";
	char a[32], b[32], n[32];

	fprintf(f, "chaintop bench %s %s (%" PRIu64 ") %s blocks %s%s%s %s %s full, %.1f MB of %s\n", dot,
		chain_find(r->chain_id)->name, r->chain_id, dot, grouped(a, r->from), utf8 ? "–" : "-", grouped(b, r->to),
		dot, grouped(n, r->to - r->from + 1), (double)r->json_bytes / 1e6, r->rlp ? "RLP" : "JSON");
	fprintf(f, "%u %s in shuffled order behind one that does not count, median shown, %s half the range\n\n", r->rounds,
		r->rounds == 1 ? "round" : "rounds", utf8 ? "±" : "+-");
}

static void print_speed_head(const struct bench_result *r, FILE *f, bool utf8)
{
	fprintf(f, "%*s", 4 + NODE_WIDTH + 7, "");
	for (unsigned k = 0; k < r->n_sets; k++) {
		const struct bench_cell *c = &r->rows[0].cell[k];
		int n = fprintf(f, "%s %u worker%s", bar(utf8), c->workers, c->workers == 1 ? "" : "s");

		fprintf(f, "%*s", (k ? 47 : 62) - n + (utf8 ? 2 : 0), "");
	}
	fprintf(f, "\n #  ");
	put_padded(f, "node", NODE_WIDTH);
	fprintf(f, "via    ");
	for (unsigned k = 0; k < r->n_sets; k++) {
		fprintf(f, "%s total s", bar(utf8));
		if (k == 0)
			fprintf(f, "      %s", utf8 ? "±" : "~");
		fprintf(f, "  blk/s   MB/s    p50");
		if (k == 0)
			fprintf(f, "    p90");
		fprintf(f, "    p99 max ms ");
	}
	fprintf(f, "\n");
}

static void print_speed(const struct bench_result *r, const struct bench_row *row, FILE *f, bool utf8)
{
	for (unsigned k = 0; k < r->n_sets; k++) {
		const struct bench_cell *c = &row->cell[k];
		double s = bench_median(c->seconds, c->n), safe = s > 0 ? s : 1e-9;

		fprintf(f, "%s %7.3f", bar(utf8), s);
		if (k == 0)
			fprintf(f, " %6.3f", spread(c->seconds, c->n));
		fprintf(f, " %6.0f %6.1f", (double)(r->to - r->from + 1) / safe, (double)r->json_bytes / 1e6 / safe);
		put_ms(f, 7, hist_percentile(&c->latency, 50));
		if (k == 0)
			put_ms(f, 7, hist_percentile(&c->latency, 90));
		put_ms(f, 7, hist_percentile(&c->latency, 99));
		put_ms(f, 7, c->latency.max);
		fputc(' ', f);
	}
}

static void print_cost_head(const struct bench_result *r, FILE *f, bool utf8)
{
	fprintf(f, "\n #  ");
	put_padded(f, "node", NODE_WIDTH);
	fprintf(f, "via    ");
	for (unsigned k = 0; k < r->n_sets; k++)
		fprintf(f, "%s CPU s  RSS MB  transport decode   wait ", bar(utf8));
	fprintf(f, "\n");
}

static void print_cost(const struct bench_result *r, const struct bench_row *row, FILE *f, bool utf8)
{
	for (unsigned k = 0; k < r->n_sets; k++) {
		const struct bench_cell *c = &row->cell[k];
		struct shares s = shares_of(c);

		fprintf(f, "%s %5.3f  %6.1f    %5.0f %%  %3.0f %%  %3.0f %% ", bar(utf8), cpu_median(c),
			(double)c->rss_bytes / 1e6, 100 * s.transport, 100 * s.decode, 100 * s.wait);
	}
}

static void print_rows(const struct bench_result *r, FILE *f, bool utf8,
	void (*cells)(const struct bench_result *, const struct bench_row *, FILE *, bool))
{
	for (unsigned i = 0; i < r->n_rows; i++) {
		const struct bench_row *row = &r->rows[i];

		fprintf(f, "%2u  ", i + 1);
		put_padded(f, row->node, NODE_WIDTH - 1);
		fprintf(f, " %-6s ", row->via);
		if (row->failed)
			fprintf(f, "%s failed: %s", bar(utf8), row->why);
		else
			cells(r, row, f, utf8);
		fprintf(f, "\n");
	}
}

static void print_foot(const struct bench_result *r, FILE *f, bool utf8)
{
	const char *dot = utf8 ? "·" : "-";
	uint64_t retries = 0, reconnects = 0;

	fprintf(f, "\n");
	for (unsigned i = 0; i < r->n_rows; i++) {
		const struct bench_row *row = &r->rows[i];
		const struct bench_cell *c = &row->cell[0];

		for (unsigned k = 0; k < r->n_sets; k++) {
			retries += row->cell[k].retries;
			reconnects += row->cell[k].reconnects;
		}
		if (row->failed)
			continue;
		fprintf(f, "%s %s: verified %" PRIu64 " of %" PRIu64 " by hash, transactions and withdrawals",
			row->node, row->via, row->verified, r->to - r->from + 1);
		if (c->wire_bytes && (double)c->wire_bytes < 0.9 * (double)r->json_bytes)
			fprintf(f, " %s %s %.1f MB on the wire", dot,
				strcmp(row->via, "rlpx") == 0 ? "as RLP and compressed" : "compressed to",
				(double)c->wire_bytes / 1e6);
		fprintf(f, "\n");
	}
	fprintf(f, "retries %" PRIu64 " %s reconnects %" PRIu64 " %s %ld CPUs %s chaintop %s %s --json for machines\n", retries,
		dot, reconnects, dot, sysconf(_SC_NPROCESSORS_ONLN), dot, PACKAGE_VERSION, dot);
}

void bench_print(const struct bench_result *r, FILE *f, bool utf8)
{
	print_title(r, f, utf8);
	print_speed_head(r, f, utf8);
	print_rows(r, f, utf8, print_speed);
	print_cost_head(r, f, utf8);
	print_rows(r, f, utf8, print_cost);
	print_foot(r, f, utf8);
}

/* ---- JSON ---- */

static void add(cJSON *o, const char *name, double v)
{
	cJSON_AddNumberToObject(o, name, v);
}

static double ms(uint64_t ns)
{
	return ns == UINT64_MAX ? 0 : (double)ns / 1e6;
}

static cJSON *json_cell(const struct bench_result *r, const struct bench_cell *c)
{
	cJSON *o = cJSON_CreateObject(), *list, *sub;
	double s = bench_median(c->seconds, c->n);
	struct shares share = shares_of(c);

	add(o, "workers", c->workers);
	add(o, "threads", c->threads);
	add(o, "connections", c->connections);
	list = cJSON_AddArrayToObject(o, "seconds");
	for (unsigned i = 0; i < c->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber(c->seconds[i]));
	add(o, "median_s", s);
	add(o, "spread_s", spread(c->seconds, c->n));
	add(o, "blocks_per_s", s > 0 ? (double)(r->to - r->from + 1) / s : 0);
	add(o, "mb_per_s", s > 0 ? (double)r->json_bytes / 1e6 / s : 0);
	sub = cJSON_AddObjectToObject(o, "latency_ms");
	add(sub, "p50", ms(hist_percentile(&c->latency, 50)));
	add(sub, "p90", ms(hist_percentile(&c->latency, 90)));
	add(sub, "p99", ms(hist_percentile(&c->latency, 99)));
	add(sub, "max", ms(c->latency.max));
	add(o, "cpu_s", cpu_median(c));
	add(o, "rss_bytes", (double)c->rss_bytes);
	sub = cJSON_AddObjectToObject(o, "share");
	add(sub, "transport", share.transport);
	add(sub, "decode", share.decode);
	add(sub, "wait", share.wait);
	add(o, "wire_bytes", (double)c->wire_bytes);
	add(o, "retries", (double)c->retries);
	add(o, "reconnects", (double)c->reconnects);
	return o;
}

static cJSON *json_row(const struct bench_result *r, const struct bench_row *row)
{
	cJSON *o = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(o, "node", row->node);
	cJSON_AddStringToObject(o, "via", row->via);
	if (row->failed) {
		cJSON_AddStringToObject(o, "error", row->why);
		return o;
	}
	add(o, "verified", (double)row->verified);
	add(o, "doubtful", (double)row->doubtful);
	list = cJSON_AddArrayToObject(o, "results");
	for (unsigned k = 0; k < r->n_sets; k++)
		cJSON_AddItemToArray(list, json_cell(r, &row->cell[k]));
	return o;
}

bool bench_print_json(const struct bench_result *r, FILE *f)
{
	cJSON *o = cJSON_CreateObject(), *list;
	char *text;

	cJSON_AddStringToObject(o, "chaintop", PACKAGE_VERSION);
	add(o, "chainId", (double)r->chain_id);
	cJSON_AddStringToObject(o, "chain", chain_find(r->chain_id)->name);
	add(o, "from", (double)r->from);
	add(o, "to", (double)r->to);
	add(o, r->rlp ? "rlp_bytes" : "json_bytes", (double)r->json_bytes);
	add(o, "transactions", (double)r->txs);
	add(o, "rounds", r->rounds);
	add(o, "cpus", (double)sysconf(_SC_NPROCESSORS_ONLN));
	list = cJSON_AddArrayToObject(o, "endpoints");
	for (unsigned i = 0; i < r->n_rows; i++)
		cJSON_AddItemToArray(list, json_row(r, &r->rows[i]));
	text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	if (!text)
		return false;
	fprintf(f, "%s\n", text);
	cJSON_free(text);
	return true;
}
