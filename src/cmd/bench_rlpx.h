/*
 * `chaintop bench rlpx`: throughput of RLPx in the set-up of go-ethereum's BenchmarkThroughput (p2p/rlpx): two
 * ends in one process over loopback TCP, snappy on, one side sends random payload without a pause, the other
 * one reads.
 */
#ifndef CMD_BENCH_RLPX_H
#define CMD_BENCH_RLPX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct bench_rlpx_opts {
	uint64_t size; /* bytes of payload per message; 0: 1024 as in go-ethereum's. At most 10 MiB. */
	uint64_t batch; /* messages per send; 0: as many as make 128 KiB, 4 of 64 KiB, 1 of more than 256 KiB */
	uint64_t seconds_ns; /* 0: 3 s */
	bool json; /* one object in one line instead of text */
};

struct bench_rlpx_result {
	double seconds, mb_per_s, messages_per_s; /* MB: 10^6 bytes of payload */
	double writes, reads; /* system calls per message */
	/* per message and side; processor time of one, measured beside in both threads at once */
	double permutations, permutation_ns;
	double bound_mb_per_s; /* payload that one stream of Keccak allows: size ÷ (permutations × their time) */
	double send_cpu_ns, read_cpu_ns; /* processor time per message: what counts where others work beside */
	uint64_t batch;
};

/* Runs it. ST_USAGE for sizes out of range, ST_IO for sockets. */
enum status bench_rlpx_run(const struct bench_rlpx_opts *o, struct bench_rlpx_result *r, struct err *e) MUST_CHECK;
/* Runs it and prints what came out. An exit code (enum exit_code); errors on stderr. */
int bench_rlpx(const struct bench_rlpx_opts *o, FILE *f);

#endif
