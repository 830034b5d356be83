/* Fuzz target of base/utf8: cleaned text is valid, without controls, and stays as it is. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *out, *again;
	size_t room, n, at, columns = 0;
	uint32_t cp;
	int len;

	if (size == 0)
		return 0;
	/* The first byte says how small the output is. */
	room = (size_t)data[0] + 1;
	data++;
	size--;
	out = malloc(room);
	again = malloc(room);
	if (out == NULL || again == NULL)
		abort();
	n = utf8_clean(out, room, (const char *)data, size);
	if (n >= room || n > size || strlen(out) != n)
		abort();
	for (at = 0; at < n; at += (size_t)len) {
		cp = utf8_decode(out + at, n - at, &len);
		if ((cp == 0xfffd && len == 1) || cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			abort();
		columns += (size_t)utf8_width(cp);
	}
	if (columns != utf8_columns(out) || utf8_clip(out, columns) != n)
		abort();
	if (columns > 0 && utf8_clip(out, columns - 1) >= n)
		abort();
	if (utf8_clean(again, room, out, n) != n || memcmp(out, again, n) != 0)
		abort();
	free(out);
	free(again);
	return 0;
}
