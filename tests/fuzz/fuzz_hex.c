/* Fuzz target of base/hex: every reader on any bytes; what is accepted prints back the same. */
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Case and leading zeros may differ, the value may not. */
static void
same_number(const char *s, size_t n, const struct u256 *v)
{
	char text[67];
	struct u256 again;

	hex_print_u256(text, v);
	if (!hex_u256(text, strlen(text), &again, NULL) || u256_cmp(&again, v) != 0)
		abort();
	while (n > 2 && s[2] == '0') {
		s++;
		n--;
	}
	if (n > 2 && strlen(text) != n)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as large as the input: a read behind it is an error of ASan. */
	char *s = malloc(size > 0 ? size : 1);
	uint8_t *out = malloc(size / 2 + 1);
	char *text = malloc(size + 3);
	uint8_t fixed[32];
	struct u256 wide;
	uint64_t narrow;
	bool lenient = false, fits;
	long n;
	size_t i;

	if (s == NULL || out == NULL || text == NULL)
		abort();
	if (size > 0)
		memcpy(s, data, size);
	fits = hex_u64(s, size, &narrow, &lenient);
	if (hex_u256(s, size, &wide, &lenient)) {
		same_number(s, size, &wide);
		if (fits != u256_fits64(&wide) || (fits && narrow != wide.w[0]))
			abort();
	} else if (fits) {
		abort();
	}
	n = hex_data(s, size, out);
	if (n >= 0) {
		hex_print(text, out, (size_t)n);
		for (i = 0; i < size; i++)
			if (text[i] != (s[i] >= 'A' && s[i] <= 'F' ? s[i] + 32 : s[i]))
				abort();
	}
	if (hex_fixed(s, size, fixed, sizeof(fixed)) != (n == sizeof(fixed)))
		abort();
	free(s);
	free(out);
	free(text);
	return 0;
}
