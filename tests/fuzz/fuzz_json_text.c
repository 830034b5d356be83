/*
 * Fuzz target of out/json_text: what is written is harmless, and where eth/json takes the text it is taken here and again. The
 * first byte chooses the form.
 */
#include <stdint.h>
#include <stdlib.h>

#include "eth/json.h"
#include "out/json_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool good(const char *text, size_t n)
{
	struct json j;

	json_init(&j, text, n);
	return json_skip(&j, NULL) && json_end(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_text_opts o = { .line = false };
	char *out = NULL;
	size_t n = 0;
	enum status st;
	struct err e;
	FILE *f;

	if (size < 1)
		return 0;
	o.line = data[0] & 1;
	o.notes = data[0] & 2;
	o.top = (enum field_unit)(data[0] % 7);
	f = open_memstream(&out, &n);
	if (!f)
		return 0;
	st = json_write(f, (const char *)data + 1, size - 1, &o, &e);
	fclose(f);
	for (size_t i = 0; i < n; i++) {
		if ((out[i] < 0x20 && out[i] != '\n') || out[i] >= 0x7f || (o.line && out[i] == '\n' && i + 1 < n))
			abort();
	}
	if (good((const char *)data + 1, size - 1) && (st != ST_OK || (!o.notes && !good(out, n))))
		abort();
	free(out);
	return 0;
}
