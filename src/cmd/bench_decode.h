/*
 * `chaintop bench decode DIR`: how fast the block files of a folder are decoded, with each version of the inner loops
 * that runs here, and how fast
 * cJSON reads the same text without understanding it.
 */
#ifndef CMD_BENCH_DECODE_H
#define CMD_BENCH_DECODE_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a table, or one JSON object. An exit code; errors on stderr. Not while other threads decode. */
int bench_decode(const char *dir, bool json, FILE *f);

#endif
