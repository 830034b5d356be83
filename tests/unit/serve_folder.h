/* A folder of small blocks for tests of serve/: made in the temporary folder, removed at the end. */
#ifndef TESTS_UNIT_SERVE_FOLDER_H
#define TESTS_UNIT_SERVE_FOLDER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void folder_write(const char *dir, uint64_t number, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%llu.json", dir, (unsigned long long)number);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

/* Text of a block whose hash is its number, `pad` bytes longer than the shortest one. */
static inline void folder_block(char *out, size_t size, uint64_t number, int pad)
{
	int n = snprintf(out, size,
		"{\"number\":\"0x%llx\",\"hash\":\"0x%064llx\",\"timestamp\":\"0x%llx\",\"transactions\":[{\"hash\":"
		"\"0x%064llx\","
		"\"input\":\"0x%0*d\"}]}",
		(unsigned long long)number, (unsigned long long)number, (unsigned long long)number * 12,
		(unsigned long long)number, pad + 1, 0);

	if (n < 0 || (size_t)n >= size)
		abort();
}

/* dir: ≥ 64 bytes. Blocks first … first + count − 1. */
static inline void folder_make(char *dir, uint64_t first, unsigned count, int pad)
{
	size_t size = 512 + (size_t)pad;
	char *text = malloc(size);

	snprintf(dir, 64, "%s", "/tmp/chaintop-serve.XXXXXX");
	if (!text || !mkdtemp(dir))
		abort();
	for (unsigned i = 0; i < count; i++) {
		folder_block(text, size, first + i, pad);
		folder_write(dir, first + i, text);
	}
	free(text);
}

static inline void folder_remove(const char *dir, uint64_t first, unsigned count)
{
	char path[256];

	for (unsigned i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%llu.json", dir, (unsigned long long)(first + i));
		unlink(path);
	}
	rmdir(dir);
}

#endif
