/*
 * eth/rlp: any bytes are read without fault, and what is accepted is the one encoding of what it
 * says.
 */
#include <stdlib.h>
#include <string.h>

#include "eth/rlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { DEPTH_MAX = 100 };

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* Walks a list's payload and writes it once more. False if something in it is no RLP. */
static bool again(struct buf *out, const uint8_t *p, size_t n, int depth)
{
	struct rlp_item i;
	struct rlp r;

	rlp_init(&r, p, n);
	while (rlp_next(&r, &i)) {
		struct u256 v;
		uint64_t u;

		must(i.raw >= p && i.raw_n <= n && i.p + i.n == i.raw + i.raw_n);
		if (i.list) {
			const size_t mark = rlp_list_begin(out);

			if (depth == DEPTH_MAX || !again(out, i.p, i.n, depth + 1))
				return false;
			must(rlp_list_end(out, mark) == ST_OK);
			continue;
		}
		if (rlp_item_u256(&i, &v)) {
			must(rlp_item_u64(&i, &u) == u256_fits64(&v));
			must(rlp_u256(out, &v) == ST_OK);
		} else {
			must(!rlp_item_u64(&i, &u));
			must(rlp_bytes(out, i.p, i.n) == ST_OK);
		}
	}
	return rlp_done(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf out;

	buf_init(&out, 1 << 24);
	if (again(&out, data, n, 0))
		must(out.len == n && (n == 0 || memcmp(out.p, data, n) == 0));
	buf_fini(&out);
	return 0;
}
