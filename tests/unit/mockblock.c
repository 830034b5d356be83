/* The block of the picture; see mockblock.h. */
#include "mockblock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/time.h"
#include "model/model_priv.h"

#define HEAD_MONO (5000 * NS_S)
#define HEAD_WALL (MOCKUP_HEAD_S * NS_S)

#define HASH "c9a4e0b1000000000000000000000000000000000000000000000000005d17f3"
#define PARENT "77d0a2c400000000000000000000000000000000000000000000000000e9b801"
#define BUILDER "0x4838B106FCe9647Bdf1E7877BF73cE8B0BAD5f97"
#define H32 "0x1111111111111111111111111111111111111111111111111111111111111111"
#define R "0x2222222222222222222222222222222222222222222222222222222222222222"

const struct hash mockblock_hash = { .b = { 0xc9, 0xa4, 0xe0, 0xb1, [29] = 0x5d, [30] = 0x17, [31] = 0xf3 } };
const struct hash mockblock_parent = { .b = { 0x77, 0xd0, 0xa2, 0xc4, [29] = 0xe9, [30] = 0xb8, [31] = 0x01 } };

/* ---- text ---- */

static void add(struct buf *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void add(struct buf *t, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	assert_in_range(vsnprintf(text, sizeof(text), fmt, ap), 0, sizeof(text) - 1);
	va_end(ap);
	assert_int_equal(buf_adds(t, text), ST_OK);
}

static void header(struct buf *t)
{
	add(t, "{\"hash\":\"0x" HASH "\",\"parentHash\":\"0x" PARENT "\",\"sha3Uncles\":\"" H32 "\",");
	add(t, "\"miner\":\"" BUILDER "\",\"stateRoot\":\"" H32 "\",");
	add(t, "\"transactionsRoot\":\"" H32 "\",\"receiptsRoot\":\"" H32 "\",\"difficulty\":\"0x0\",");
	add(t, "\"number\":\"0x%" PRIx64 "\",\"gasLimit\":\"0x%x\",", MOCKUP_NUMBER, 60000000);
	add(t, "\"gasUsed\":\"0x%x\",", 26460000);
	add(t, "\"timestamp\":\"0x%" PRIx64 "\",", MOCKUP_HEAD_S);
	add(t, "\"extraData\":\"0x546974616e2028746974616e6275696c6465722e78797a29\",\"mixHash\":\"" H32 "\",");
	add(t, "\"nonce\":\"0x0000000000000000\",\"baseFeePerGas\":\"0x%" PRIx64 "\",", UINT64_C(9481925155));
	add(t, "\"withdrawalsRoot\":\"" H32 "\",\"blobGasUsed\":\"0x%x\",\"excessBlobGas\":\"0x0\",", 9 * 131072);
	add(t, "\"parentBeaconBlockRoot\":\"" H32 "\",\"requestsHash\":\"" H32 "\",\"size\":\"0x10000\",\"uncles\":[],");
	add(t, "\"logsBloom\":\"0x%0512x\",\"withdrawals\":[", 0);
	add(t, "{\"index\":\"0x10\",\"validatorIndex\":\"0x1234\",\"address\":\"" BUILDER "\",");
	add(t, "\"amount\":\"0x11e1a300\"},{\"index\":\"0x11\",\"validatorIndex\":\"0x1235\",");
	add(t, "\"address\":\"" BUILDER "\",\"amount\":\"0x1\"}],\"transactions\":[");
}

static const char *type_of(unsigned i)
{
	/* 24 legacy, 170 dynamic, 3 blob, 4 set code; the first five and some more have their place. */
	if (i == MOCKBLOCK_BLOBS || i == 7 || i == 8)
		return "0x3";
	if (i == MOCKBLOCK_AUTH || (i > 8 && i < 12))
		return "0x4";
	return i >= 12 && i < 36 ? "0x0" : "0x2";
}

static const struct {
	const char *to, *value, *input;
	uint64_t tip;
} sample[] = {
	{ "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D", "0x58d15e176280000", "0x022c0d9f", 2000000000 },
	{ "0xdAC17F958D2ee523a2206206994597C13D831ec7", "0x0",
	  "0xa9059cbb0000000000000000000000005ce9454909639d2d17a3f753ce7d93fa0b9ab12e"
	  "000000000000000000000000000000000000000000000000000000000bebc200", 310000000 },
	{ NULL, "0x0", "0x6080604052600a600c600039600a6000f3", 51000000 },
	{ "0x5ce90000000000000000000000000000000501b0", "0x0", "0x", 50000000 },
	{ "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "0x0",
	  "0x095ea7b3000000000000000000000000000000000000000000000000000000000000dead"
	  "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 50000000 },
	{ "0x5ce90000000000000000000000000000000501b0", "0x1", "0x", 50000000 },
	{ "0x5ce90000000000000000000000000000000501b0", "0x0", "0x", 50000000 },
};

enum { SAMPLES = sizeof(sample) / sizeof(sample[0]) };

static void transaction(struct buf *t, unsigned i)
{
	unsigned k = i < SAMPLES ? i : 5, blobs = i == MOCKBLOCK_BLOBS ? 6 : i == 7 ? 1 : 2;
	const char *type = type_of(i);

	add(t, "%s{\"hash\":\"0x%064x\",\"type\":\"%s\",", i ? "," : "", i + 1, type);
	add(t, "\"nonce\":\"0x%x\",\"gas\":\"0x33450\",", i);
	add(t, "\"value\":\"%s\",\"input\":\"%s\",\"transactionIndex\":\"0x%x\",", sample[k].value, sample[k].input, i);
	add(t, "\"from\":\"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\",\"r\":\"" R "\",\"s\":\"" R "\",");
	add(t, "\"to\":%s%s%s", sample[k].to ? "\"" : "", sample[k].to ? sample[k].to : "null", sample[k].to ? "\"" : "");
	if (type[2] == '0') {
		add(t, ",\"gasPrice\":\"0x%" PRIx64 "\",\"v\":\"0x25\"}", UINT64_C(9481925155) + sample[k].tip);
		return;
	}
	add(t, ",\"chainId\":\"0x1\",\"v\":\"0x1\",\"yParity\":\"0x1\",\"maxFeePerGas\":\"0x4a817c800\",");
	add(t, "\"maxPriorityFeePerGas\":\"0x%" PRIx64 "\",\"accessList\":[", sample[k].tip);
	if (i == MOCKBLOCK_LIST) {
		add(t, "{\"address\":\"0xdAC17F958D2ee523a2206206994597C13D831ec7\",");
		add(t, "\"storageKeys\":[\"" H32 "\",\"" R "\"]},");
		add(t, "{\"address\":\"" BUILDER "\",\"storageKeys\":[]}");
	}
	add(t, "]");
	if (type[2] == '3') {
		add(t, ",\"maxFeePerBlobGas\":\"0xa\",\"blobVersionedHashes\":[");
		for (unsigned b = 0; b < blobs; b++)
			add(t, "%s\"0x01%062x\"", b ? "," : "", i * 8 + b);
		add(t, "]");
	}
	if (type[2] == '4') {
		add(t, ",\"authorizationList\":[{\"chainId\":\"0x1\",");
		add(t, "\"address\":\"0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B\",");
		add(t, "\"nonce\":\"0x7\",\"yParity\":\"0x0\",\"r\":\"" R "\",\"s\":\"" R "\"}]");
	}
	add(t, "}");
}

struct block *mockblock_decode(void)
{
	struct blockdec *dec = blockdec_new();
	const struct block *b;
	struct block *kept;
	struct err e = { .code = ST_OK };
	struct buf t;

	buf_init(&t, 4 << 20);
	assert_non_null(dec);
	header(&t);
	for (unsigned i = 0; i < MOCKBLOCK_TXS; i++)
		transaction(&t, i);
	add(&t, "]}");
	if (block_decode(dec, t.p, t.len, true, &b, &e) != ST_OK)
		fail_msg("%s", e.text);
	kept = block_keep(b);
	assert_non_null(kept);
	blockdec_free(dec);
	buf_fini(&t);
	return kept;
}

enum status mockblock_json(struct buf *out, const struct block *b)
{
	(void)b;
	header(out);
	for (unsigned i = 0; i < MOCKBLOCK_TXS; i++)
		transaction(out, i);
	return buf_adds(out, "]}");
}

/* ---- events ---- */

static struct event event(enum event_kind kind, unsigned path, uint64_t us)
{
	return (struct event){
		.kind = (uint16_t)kind,
		.path = (uint16_t)path,
		.mono = HEAD_MONO + us * NS_US,
		.wall = HEAD_WALL + us * NS_US,
	};
}

void mockblock_body(struct model *m)
{
	struct event e = event(EV_BLOCK, 1, 1940000);

	e.u.block.block = mockblock_decode();
	e.u.block.done_mono = e.mono + 8 * NS_MS;
	e.u.block.source = SRC_PUSH;
	model_apply(m, &e);
	e = event(EV_VERDICT, 1, 1960000);
	e.u.verdict.hash = mockblock_hash;
	e.u.verdict.v = (struct verdict){ .header = TRUTH_YES, .txs = TRUTH_YES, .withdrawals = TRUTH_YES };
	model_apply(m, &e);
	model_tick(m, HEAD_MONO + 4200 * NS_MS, HEAD_WALL + 4200 * NS_MS);
}

struct model *mockblock_model(bool body)
{
	/* When each path hears it, in µs after the block's time. */
	static const uint64_t heard[] = { 1910100, 1910000, 2092000 };
	struct model *m = mockup_empty(3);
	struct event e = event(EV_CLOCK, PATHS_MAX, 0);
	struct block *b = mockblock_decode();

	e.u.clock.bound_ns = 3 * NS_MS;
	e.mono -= 250 * NS_S;
	model_apply(m, &e);
	for (unsigned p = 0; p < 3; p++) {
		e = event(EV_LINK, p, 0);
		e.mono -= 200 * NS_S;
		e.u.link.state = LINK_LIVE;
		snprintf(e.u.link.via, sizeof(e.u.link.via), "%s", m->paths[p]->via);
		model_apply(m, &e);
		e.kind = EV_CHAIN;
		memset(&e.u, 0, sizeof(e.u));
		e.u.chain.id = 1;
		e.u.chain.ok = true;
		e.u.chain.genesis.b[0] = 0xd4;
		model_apply(m, &e);
	}
	for (unsigned p = 0; p < 3; p++) {
		e = event(EV_HEAD, p, heard[p]);
		e.u.head.source = SRC_PUSH;
		head_from(&e.u.head.h, &b->h, block_at(b, b->h.extra));
		model_apply(m, &e);
	}
	block_unref(b);
	model_tick(m, HEAD_MONO + 4200 * NS_MS, HEAD_WALL + 4200 * NS_MS);
	if (body)
		mockblock_body(m);
	return m;
}
