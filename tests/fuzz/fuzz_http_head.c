/* Fuzz target of net/http_head: the end is found alike from any start; nothing reads beyond. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of the exact size, so that one byte too far is seen. */
	char *p = malloc(size > 0 ? size : 1);
	struct http_head h;
	struct err e;
	long whole, last = 0;

	memcpy(p, data, size);
	whole = http_head_end(p, size, 0);
	for (size_t n = 1; n <= size && last == 0; n++)
		last = http_head_end(p, n, n - 1);
	if (size > 0 && last != whole)
		abort();
	if (whole > 0 && http_head_parse(&h, p, (size_t)whole, 1, &e) == ST_OK) {
		if (h.status < 0 || h.status > 999 || strnlen(h.accept, sizeof(h.accept)) >= sizeof(h.accept) ||
			strnlen(h.host, sizeof(h.host)) >= sizeof(h.host))
			abort();
	}
	(void)http_retry_after(p, size, UINT64_C(1700000000000000000));
	free(p);
	return 0;
}
