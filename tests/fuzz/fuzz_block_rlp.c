/*
 * eth/block_rlp: the input is [header, transactions, uncles, withdrawals?]; what is taken is
 * verified and its senders recovered.
 */
#include <stdlib.h>

#include "eth/block_rlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct verifier *verifier;
	struct block_parts p = { .header = NULL };
	struct rlp_item whole, header;
	struct verdict v;
	struct block *b;
	struct rlp r;
	struct err e;

	if (verifier == NULL)
		verifier = verifier_new();
	rlp_init(&r, data, size);
	if (!rlp_next(&r, &whole) || !whole.list)
		return 0;
	rlp_init(&r, whole.p, whole.n);
	if (!rlp_next(&r, &header) || !rlp_next(&r, &p.txs) || !rlp_next(&r, &p.uncles))
		return 0;
	rlp_next(&r, &p.withdrawals);
	if (p.withdrawals.raw != NULL && r.end - r.p < 0)
		abort();
	p.header = header.raw;
	p.header_n = header.raw_n;
	if (block_from_rlp(&p, &b, &e) != ST_OK) {
		if (b != NULL || e.text[0] == '\0')
			abort();
		return 0;
	}
	/* Memory stays in proportion to what came. */
	if (b->bytes > 4096 + 32 * size)
		abort();
	if (verify_block(verifier, b, 1, &v) != ST_OK)
		abort();
	/* The hash is that of the bytes, so a header of known fields proves itself. */
	if (!(b->h.has & H_UNKNOWN_FIELD) && v.header == TRUTH_NO)
		abort();
	block_senders(b, verifier);
	block_unref(b);
	return 0;
}
