/*
 * Fuzz target of base/simd: every variant reads any text as the portable one does, kernel by kernel
 * and as a whole block, and never behind the end of the text or of the room for what comes out.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "eth/block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *exact(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		abort();
	return p;
}

static void same_hex(const struct simd *v, const char *s, size_t n)
{
	uint8_t *a = exact(n / 2), *b = exact(n / 2);
	size_t run = simd_scalar.hex_run(s, s + n, a);

	if (v->hex_run(s, s + n, b) != run || memcmp(a, b, run / 2) != 0)
		abort();
	for (size_t want = 0; want <= n / 2; want = 2 * want + 1) {
		bool all = simd_scalar.hex_digits(s, a, want);

		if (v->hex_digits(s, b, want) != all || (all && memcmp(a, b, want) != 0))
			abort();
	}
	free(a);
	free(b);
}

static void same_scan(const struct simd *v, const char *text, const char *s, const char *end)
{
	uint64_t narrow[2] = {0, 0};
	struct u256 wide[2] = {{{0}}, {{0}}};

	if (v->string_end(s, end) != simd_scalar.string_end(s, end))
		abort();
	if (v->quantity_u64(s, end, narrow) != simd_scalar.quantity_u64(s, end, narrow + 1) ||
		narrow[0] != narrow[1])
		abort();
	if (v->quantity_u256(text, s, end, wide) !=
			simd_scalar.quantity_u256(text, s, end, wide + 1) ||
		u256_cmp(wide, wide + 1) != 0)
		abort();
}

static void same_span(const struct block *a, const struct block *b, struct span s, size_t item)
{
	if (memcmp(block_at(a, s), block_at(b, s), s.len * item) != 0)
		abort();
}

/* Bit by bit, but for what is between the spans. */
static void same_block(const struct block *a, const struct block *b)
{
	if (a->bytes != b->bytes || a->lenient != b->lenient ||
		memcmp(&a->h, &b->h, sizeof(*a) - offsetof(struct block, h)) != 0)
		abort();
	same_span(a, b, a->h.extra, 1);
	same_span(a, b, a->withdrawals, sizeof(struct withdrawal));
	same_span(a, b, a->uncles, sizeof(struct hash));
	same_span(a, b, a->txs, sizeof(struct tx));
	for (uint32_t i = 0; i < a->txs.len; i++) {
		const struct tx *t = &block_txs(a)[i];
		const struct access_entry *list = block_at(a, t->access);

		same_span(a, b, t->input, 1);
		same_span(a, b, t->raw, 1);
		same_span(a, b, t->blobs, sizeof(struct hash));
		same_span(a, b, t->auths, sizeof(struct auth));
		same_span(a, b, t->access, sizeof(struct access_entry));
		for (uint32_t k = 0; k < t->access.len; k++)
			same_span(a, b, list[k].keys, sizeof(struct hash));
	}
}

static struct block *decoded(const struct simd *v, const char *s, size_t n, struct err *e)
{
	struct blockdec *d = blockdec_new();
	const struct block *b;
	struct block *kept = NULL;

	memset(e, 0, sizeof(*e));
	if (!d || simd_use(v->name, e) != ST_OK)
		abort();
	if (block_decode(d, s, n, true, &b, e) == ST_OK && !(kept = block_keep(b)))
		abort();
	blockdec_free(d);
	return kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = exact(size);
	struct err want, got;
	struct block *a, *b;

	if (size)
		memcpy(text, data, size);
	a = decoded(&simd_scalar, text, size, &want);
	for (size_t i = 1; simd_all[i]; i++) {
		const struct simd *v = simd_all[i];

		if (!simd_runs(v))
			continue;
		for (size_t at = 0; at <= size; at++) {
			same_scan(v, text, text + at, text + size);
			if (at < 2 || at % 61 == 0)
				same_hex(v, text + at, size - at);
		}
		b = decoded(v, text, size, &got);
		if (!a != !b || memcmp(&want, &got, sizeof(want)) != 0)
			abort();
		if (a)
			same_block(a, b);
		block_unref(b);
	}
	block_unref(a);
	free(text);
	return 0;
}
