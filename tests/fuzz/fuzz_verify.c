/* A block's text, decoded and verified: no fault whatever a node sends, the same verdict twice. */
#include <stdlib.h>
#include <string.h>

#include "eth/fee.h"
#include "eth/names.h"
#include "eth/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void ask_the_rest(const struct block *b)
{
	const struct chain_info *const c = chain_find(1);
	const struct blob_schedule *const s = chain_blobs(c, b->h.timestamp);
	char name[72];
	struct fee_tips tips;
	struct u256 v;
	uint64_t excess;

	must(fee_block_tips(b, NULL, &tips) != ST_INTERNAL);
	(void)fee_burned(&b->h, s, &v);
	(void)fee_next_base(&b->h.base_fee, b->h.gas_used, b->h.gas_limit, &v);
	if (s != NULL)
		(void)fee_next_excess(
			b->h.excess_blob_gas, b->h.blob_gas_used, &b->h.base_fee, s, &excess);
	name_builder(name, sizeof(name), block_at(b, b->h.extra), b->h.extra.len, &b->h.miner);
	for (const char *p = name; *p != '\0'; p++)
		must((unsigned char)*p >= ' ' && *p != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct blockdec *const d = blockdec_new();
	struct verifier *const v = verifier_new();
	const uint64_t chain = n % 3 == 0 ? 31337 : 1;
	struct verdict one, two;
	const struct block *b;

	if (d == NULL || v == NULL)
		goto out;
	for (int full = 0; full < 2; full++) {
		if (block_decode(d, (const char *)data, n, full, &b, NULL) != ST_OK)
			continue;
		memset(&one, 0x55, sizeof(one));
		memset(&two, 0xaa, sizeof(two));
		must(verify_block(v, b, chain, &one) == ST_OK);
		must(verify_block(v, b, chain, &two) == ST_OK);
		must(one.header == two.header && one.txs == two.txs &&
			one.withdrawals == two.withdrawals);
		must(strcmp(one.field, two.field) == 0 && strcmp(one.reason, two.reason) == 0);
		must((one.field[0] == '\0') ==
			(verdict_all(&one) == TRUTH_YES || verdict_all(&one) == TRUTH_NONE));
		ask_the_rest(b);
	}
out:
	verifier_free(v);
	blockdec_free(d);
	return 0;
}
