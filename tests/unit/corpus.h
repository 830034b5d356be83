/*
 * The corpus of real blocks for tests: CHAINTOP_CORPUS names its folder; without it a test skips
 * and says so.
 */
#ifndef TESTS_UNIT_CORPUS_H
#define TESTS_UNIT_CORPUS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "eth/block.h"

/* The folder, or skip(). */
static inline const char *corpus_dir(void)
{
	const char *const dir = getenv("CHAINTOP_CORPUS");

	if (dir == NULL || dir[0] == '\0') {
		print_message("SKIP: CHAINTOP_CORPUS is not set\n");
		skip();
	}
	return dir;
}

/* A whole file with a 0 behind it; the caller frees. Fails the test if it cannot be read. */
static inline char *corpus_read(const char *name, size_t *n)
{
	char path[512];
	char *text;
	FILE *f;
	long size;

	snprintf(path, sizeof(path), "%s/%s", corpus_dir(), name);
	f = fopen(path, "rb");
	if (f == NULL)
		fail_msg("%s: cannot be opened", path);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	*n = fread(text, 1, (size_t)size, f);
	assert_int_equal(*n, size);
	text[*n] = '\0';
	fclose(f);
	return text;
}

/* expected.json as an array; the caller deletes it. */
static inline cJSON *corpus_expected(void)
{
	size_t n;
	char *const text = corpus_read("expected.json", &n);
	cJSON *const all = cJSON_Parse(text);

	free(text);
	assert_true(cJSON_IsArray(all));
	assert_true(cJSON_GetArraySize(all) >= 50);
	return all;
}

/* The text of the block that an item of expected.json is about; the caller frees. */
static inline char *corpus_block(const cJSON *item, size_t *n)
{
	const double number = cJSON_GetObjectItem(item, "number")->valuedouble;
	char name[64];

	snprintf(name, sizeof(name), cJSON_HasObjectItem(item, "l2") || number == 8138510 ?
		"l2/rise-%.0f.json" : "mainnet/%.0f.json", number);
	return corpus_read(name, n);
}

/* Decodes or fails the test. The block lives in d. */
static inline const struct block *corpus_decode(struct blockdec *d, const char *text, size_t n)
{
	const struct block *b;
	struct err e;

	if (block_decode(d, text, n, true, &b, &e) != ST_OK)
		fail_msg("%s", e.text);
	return b;
}

#endif
