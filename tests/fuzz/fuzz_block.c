/*
 * Fuzz target of eth/block: what we take for a block is JSON to cJSON too, every span lies inside the block, a kept copy
 * and a second decoding say the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "eth/block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(const struct block *b, struct span s, size_t item)
{
	if (!s.len)
		return;
	if (s.off < sizeof(*b) || s.off > b->bytes || s.len > (b->bytes - s.off) / item ||
		(item > 1 && s.off % 8))
		abort();
}

static void check_spans(const struct block *b)
{
	inside(b, b->h.extra, 1);
	inside(b, b->txs, sizeof(struct tx));
	inside(b, b->withdrawals, sizeof(struct withdrawal));
	inside(b, b->uncles, sizeof(struct hash));
	if (b->h.ntx != b->txs.len)
		abort();
	for (uint32_t i = 0; i < b->txs.len; i++) {
		const struct tx *t = &block_txs(b)[i];
		const struct access_entry *a = block_at(b, t->access);

		inside(b, t->input, 1);
		inside(b, t->raw, 1);
		inside(b, t->access, sizeof(struct access_entry));
		inside(b, t->blobs, sizeof(struct hash));
		inside(b, t->auths, sizeof(struct auth));
		for (uint32_t k = 0; k < t->access.len; k++)
			inside(b, a[k].keys, sizeof(struct hash));
	}
}

/* What RFC 8259 has and cJSON refuses: half a surrogate pair, numbers over 63 characters. */
static bool cjson_cannot(const char *s, size_t n)
{
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < n; i++) {
		run = s[i] && strchr("0123456789+-.eE", s[i]) ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest > 63 || memmem(s, n, "\\u", 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct blockdec *d = blockdec_new();
	const struct block *b;
	struct block *first, *second;
	struct header h;
	uint8_t extra[64];
	struct err e = {.text = ""};
	bool full = size % 2;
	cJSON *tree;

	if (header_decode((const char *)data, size, &h, extra, &e) == ST_OK &&
		h.extra.len > sizeof(extra))
		abort();
	e.text[0] = 0;
	if (block_decode(d, (const char *)data, size, full, &b, &e) != ST_OK) {
		if (!e.text[0] || e.code == ST_INTERNAL)
			abort();
		for (const char *p = e.text; *p; p++)
			if ((unsigned char)*p < 0x20)
				abort();
		blockdec_free(d);
		return 0;
	}
	first = block_keep(b);
	check_spans(first);
	if (block_decode(d, (const char *)data, size, full, &b, &e) != ST_OK)
		abort();
	second = block_keep(b);
	if (first->bytes != second->bytes || memcmp(&first->h, &second->h, sizeof(first->h)) != 0)
		abort();
	if (memcmp(block_txs(first), block_txs(second), first->txs.len * sizeof(struct tx)) != 0)
		abort();
	tree = cJSON_ParseWithLength((const char *)data, size);
	if (!cJSON_IsObject(tree) && !cjson_cannot((const char *)data, size))
		abort();
	cJSON_Delete(tree);
	block_unref(first);
	block_unref(second);
	blockdec_free(d);
	return 0;
}
