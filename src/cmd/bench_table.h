/* What `chaintop bench` found, as the table of screens.md §3 or as JSON. */
#ifndef CMD_BENCH_TABLE_H
#define CMD_BENCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hist.h"

enum { BENCH_ROUNDS_MAX = 100, BENCH_SETS_MAX = 6 };

/* One endpoint with one number of workers. */
struct bench_cell {
	unsigned workers, threads, connections;
	unsigned n; /* rounds that count so far */
	double seconds[BENCH_ROUNDS_MAX];
	uint64_t cpu_ns[BENCH_ROUNDS_MAX];
	uint64_t rss_bytes; /* highest */
	struct hist latency; /* of all rounds together */
	uint64_t thread_ns, decode_ns, busy_ns; /* sums: of threads; decoding; CPU */
	uint64_t wire_bytes; /* of one round */
	uint64_t retries, reconnects;
};

struct bench_row {
	char node[64], via[8];
	bool failed;
	char why[260];
	uint64_t verified, doubtful; /* in the round that does not count */
	struct bench_cell cell[BENCH_SETS_MAX];
};

struct bench_result {
	uint64_t chain_id, from, to, json_bytes, txs;
	bool rlp; /* json_bytes are of RLP: nobody sent JSON */
	unsigned rounds, n_rows, n_sets;
	struct bench_row *rows;
};

/* Median of the first n values; 0 for none. */
double bench_median(const double *v, unsigned n);
/* Sorted by the median of the first set; failed ones last. Order of r->rows is changed. */
void bench_sort(struct bench_result *r);
/* utf8: lines and the middle dot may be used. */
void bench_print(const struct bench_result *r, FILE *f, bool utf8);
/* One object in one line. False without memory. */
bool bench_print_json(const struct bench_result *r, FILE *f);

#endif
