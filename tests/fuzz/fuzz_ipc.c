/*
 * Fuzz target of net/ipc_scan: the same bytes give the same texts and the same junk, however they are cut, and
 * each byte is accounted for once. The first four bytes seed the cuts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/ipc_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t
step(uint64_t h, uint64_t v)
{
	return (h ^ v) * UINT64_C(0x100000001b3);
}

static uint64_t
run(const char *data, size_t size, uint32_t seed)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	struct ipc_scan s = {0};

	for (size_t at = 0; at < size;) {
		size_t k = size - at, used = 0;
		bool between = s.depth == 0;
		enum ipc_found f;

		if (seed != 0) {
			seed = seed * 1664525 + 1013904223;
			k = 1 + (seed >> 24) % (seed & 0x800000 ? 4 : 100);
			if (k > size - at)
				k = size - at;
		}
		f = ipc_scan_next(&s, data + at, k, &used);
		if (used == 0 || used > k || (f == IPC_MORE && used != k))
			abort();
		if ((f == IPC_JUNK || f == IPC_SPACE) && !between)
			abort();
		if ((f == IPC_MESSAGE) != (s.depth == 0 && f != IPC_JUNK && f != IPC_SPACE))
			abort();
		for (size_t i = 0; i < used; i++)
			h = step(h, (uint64_t)(f == IPC_JUNK) << 8 | (uint8_t)data[at + i]);
		if (f == IPC_MESSAGE)
			h = step(h, 0x1000);
		at += used;
	}
	return step(h, s.depth * 4 + s.in_string * 2 + s.escape);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t seed;

	if (size < 4)
		return 0;
	memcpy(&seed, data, 4);
	if (run((const char *)data + 4, size - 4, 0) != run((const char *)data + 4, size - 4, seed | 1))
		abort();
	return 0;
}
