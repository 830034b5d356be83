/*
 * Fuzz target of eth/json: skipping a text and pulling it apart agree on what JSON is, what both take cJSON takes too, and
 * no string becomes something that a terminal would obey.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "eth/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_string(const struct json_str *s)
{
	char out[40];
	size_t n = json_text(out, sizeof(out), s);
	uint64_t v;

	if (n >= sizeof(out) || strlen(out) != n)
		abort();
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)out[i] < 0x20 || out[i] == 0x7f)
			abort();
	(void)json_str_u64(s, &v);
}

/* *odd: something that cJSON refuses though RFC 8259 has it: half a surrogate pair, numbers over 63 characters. */
static void pull(struct json *j, bool *odd)
{
	struct json_str s;
	bool b;

	switch (json_peek(j)) {
	case JSON_OBJECT:
		if (!json_object(j))
			return;
		while (json_key(j, &s)) {
			check_string(&s);
			*odd |= s.escaped && memmem(s.p, s.n, "\\u", 2);
			pull(j, odd);
		}
		break;
	case JSON_ARRAY:
		if (!json_array(j))
			return;
		while (json_next(j))
			pull(j, odd);
		break;
	case JSON_STRING:
		if (json_string(j, &s)) {
			check_string(&s);
			*odd |= s.escaped && memmem(s.p, s.n, "\\u", 2);
		}
		break;
	case JSON_NUMBER:
		if (json_number(j, &s)) {
			check_string(&s);
			*odd |= s.n > 63;
		}
		break;
	case JSON_NULL:
		if (!json_null(j))
			json_skip(j, NULL);
		break;
	default: json_bool(j, &b);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	bool skipped, pulled, odd = false;
	struct json_str all;
	struct json j;
	struct err e;

	json_init(&j, text, size);
	skipped = json_skip(&j, &all) && json_end(&j);
	if (skipped != json_ok(&j) || (!skipped && json_error(&j, &e) != ST_MALFORMED))
		abort();
	json_init(&j, text, size);
	pull(&j, &odd);
	pulled = json_end(&j);
	if (pulled != skipped)
		abort();
	if (skipped && !odd) {
		cJSON *tree = cJSON_ParseWithLength(text, size);

		if (!tree)
			abort();
		cJSON_Delete(tree);
	}
	return 0;
}
