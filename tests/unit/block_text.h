/* What the tests of eth/block share: texts of made-up blocks, and a decoder for them. After cmocka.h. */
#ifndef TESTS_BLOCK_TEXT_H
#define TESTS_BLOCK_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eth/block.h"

#define H32 "0x1111111111111111111111111111111111111111111111111111111111111111"
#define H32B "0x2222222222222222222222222222222222222222222222222222222222222222"
#define A20 "0x3333333333333333333333333333333333333333"
#define A20B "0xAbCdEf0123456789aBcDeF0123456789abCDef01"
#define HEAD "\"hash\":\"" H32 "\",\"number\":\"0x10\",\"timestamp\":\"0x64\""
#define TX_HEAD "\"hash\":\"" H32 "\",\"gas\":\"0x5208\",\"value\":\"0x1\""
#define SIG "\"v\":\"0x1b\",\"r\":\"0xa\",\"s\":\"0xb\""

/* One decoder for all tests: what a block leaves behind must not be seen in the next. */
static struct blockdec *dec;

static inline enum status decode(
	const char *text, bool want_full, const struct block **b, struct err *e)
{
	size_t n = strlen(text);
	char *copy = malloc(n ? n : 1); /* exact, so that the sanitizer sees a read behind it */
	enum status st;

	assert_non_null(copy);
	memcpy(copy, text, n);
	e->text[0] = 0;
	st = block_decode(dec, copy, n, want_full, b, e);
	free(copy); /* the block has no pointer into the text */
	return st;
}

static inline const struct block *good(const char *text)
{
	const struct block *b = NULL;
	struct err e;

	if (decode(text, true, &b, &e) != ST_OK)
		fail_msg("%s\n%s", e.text, text);
	return b;
}

static inline void bad(const char *text, enum status want, const char *words)
{
	const struct block *b = NULL;
	struct err e;
	enum status st = decode(text, true, &b, &e);

	if (st != want || !strstr(e.text, words))
		fail_msg("%s: %s\n%s", status_word(st), e.text, text);
}

/* A block with no transactions and one more field. */
static inline const char *with(const char *more)
{
	static char text[4096];

	snprintf(text, sizeof(text), "{" HEAD ",\"transactions\":[],%s}", more);
	return text;
}

static inline const char *with_tx(const char *tx)
{
	static char text[8192];

	snprintf(text, sizeof(text), "{" HEAD ",\"transactions\":[{%s}]}", tx);
	return text;
}

static inline const struct tx *tx(const char *fields)
{
	const struct block *b = good(with_tx(fields));

	assert_int_equal(b->h.ntx, 1);
	assert_int_equal(b->txs.len, 1);
	return block_txs(b);
}

static inline int setup(void **state)
{
	(void)state;
	dec = blockdec_new();
	return dec ? 0 : -1;
}

static inline int teardown(void **state)
{
	(void)state;
	blockdec_free(dec);
	blockdec_free(NULL);
	return 0;
}

#endif
