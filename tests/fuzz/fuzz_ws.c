/*
 * Fuzz target of net/ws_frame: the same bytes give the same messages, however they are cut into reads, and
 * never more than the limit. The first four bytes seed the cuts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/ws_frame.h"

enum { LIMIT = 1500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
hash(uint64_t *h, const void *p, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		*h = (*h ^ b[i]) * UINT64_C(0x100000001b3);
}

static uint64_t
run(const uint8_t *data, size_t size, uint32_t seed)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	struct ws_reader r;
	struct err e;

	ws_reader_init(&r, LIMIT);
	for (size_t at = 0; at < size;) {
		size_t n, k = size - at;
		char *p = ws_reader_space(&r, &n);
		enum ws_event ev;

		if (seed != 0) {
			seed = seed * 1664525 + 1013904223;
			k = 1 + (seed >> 24) % (seed & 0x800000 ? 4 : 200);
			if (k > size - at)
				k = size - at;
		}
		if (!p || n < RX_READ)
			abort();
		memcpy(p, data + at, k);
		at += k;
		rx_commit(&r.rx, k, at, at);
		while ((ev = ws_reader_next(&r, &e)) != WS_MORE) {
			hash(&h, &ev, sizeof(ev));
			if (ev == WS_BAD) {
				hash(&h, &e.code, sizeof(e.code));
				goto out;
			}
			if (r.n > LIMIT || (ev == WS_MESSAGE && r.data[r.n] != 0))
				abort();
			hash(&h, &r.opcode, sizeof(r.opcode));
			hash(&h, &r.n, sizeof(r.n));
			hash(&h, r.data, r.n);
		}
	}
out:
	ws_reader_fini(&r);
	return h;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t seed;

	if (size < 4)
		return 0;
	memcpy(&seed, data, 4);
	data += 4;
	size -= 4;
	if (run(data, size, 0) != run(data, size, seed | 1))
		abort();
	return 0;
}
