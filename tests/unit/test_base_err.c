/* Unit tests of base/err. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/err.h"

static void
test_set(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, ST_REFUSED, "%s port %d", "localhost", 8545), ST_REFUSED);
	assert_int_equal(e.code, ST_REFUSED);
	assert_int_equal(e.detail, 0);
	assert_string_equal(e.text, "localhost port 8545");
	assert_string_equal(e.cure, "");
	assert_int_equal(err_cure(&e, "start it with --http"), ST_REFUSED);
	assert_string_equal(e.cure, "start it with --http");
	assert_int_equal(err_set_detail(&e, ST_HTTP, 503, "busy"), ST_HTTP);
	assert_int_equal(e.detail, 503);
	assert_string_equal(e.cure, ""); /* the cure of another error cures nothing */
}

static void
test_no_struct(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ST_IO, "x"), ST_IO);
	assert_int_equal(err_set_detail(NULL, ST_RPC, -32601, "x"), ST_RPC);
	assert_int_not_equal(err_cure(NULL, "x"), ST_OK);
}

/* A caller that adds context passes the text that is being replaced. */
static void
test_own_text_as_argument(void **state)
{
	struct err e;

	(void)state;
	err_set(&e, ST_DNS, "no such host");
	err_set(&e, e.code, "connect: %s", e.text);
	assert_string_equal(e.text, "connect: no such host");
}

static void
test_text_is_safe(void **state)
{
	struct err e;
	char big[4001];
	size_t i;

	(void)state;
	err_set(&e, ST_RPC, "node says \x1b[2J\xff\r\nx\n\n");
	assert_string_equal(e.text, "node says ?[2J???x");
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, ST_RPC, "%s", big);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	err_cure(&e, "%s", big);
	assert_int_equal(strlen(e.cure), sizeof(e.cure) - 1);
	/* Two-byte letters up to the end: none is cut in half. */
	for (i = 0; i + 2 < sizeof(big); i += 2)
		memcpy(big + i, "\xc3\xa4", 2);
	err_set(&e, ST_RPC, "%s", big);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 2);
	assert_null(strchr(e.text, '?'));
}

static void
test_words(void **state)
{
	int i, k;

	(void)state;
	assert_string_equal(status_word(ST_OK), "ok");
	assert_string_equal(status_word(ST_RATE), "429");
	assert_string_equal(status_word(ST_N), "internal");
	assert_string_equal(status_word((enum status)-1), "internal");
	for (i = 0; i < ST_N; i++)
		for (k = 0; k < i; k++)
			assert_string_not_equal(status_word((enum status)i),
				status_word((enum status)k));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_no_struct),
		cmocka_unit_test(test_own_text_as_argument),
		cmocka_unit_test(test_text_is_safe),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
