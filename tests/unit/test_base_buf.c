/* Unit tests of base/buf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"

static void
test_add(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_null(b.p);
	buf_clear(&b);
	buf_drop(&b, 3);
	assert_int_equal(buf_add(&b, NULL, 0), ST_OK);
	assert_int_equal(buf_adds(&b, "abc"), ST_OK);
	assert_int_equal(buf_addf(&b, "-%d-%s", 42, "xyz"), ST_OK);
	assert_string_equal(b.p, "abc-42-xyz");
	assert_int_equal(b.len, 10);
	buf_drop(&b, 4);
	assert_string_equal(b.p, "42-xyz");
	buf_drop(&b, 0);
	assert_string_equal(b.p, "42-xyz");
	buf_drop(&b, 99);
	assert_string_equal(b.p, "");
	assert_int_equal(b.len, 0);
	buf_fini(&b);
	assert_null(b.p);
}

static void
test_grows_and_keeps(void **state)
{
	struct buf b;
	unsigned i;

	(void)state;
	buf_init(&b, SIZE_MAX);
	for (i = 0; i < 100000; i++) {
		unsigned char c = (unsigned char)(i * 7);

		assert_int_equal(buf_add(&b, &c, 1), ST_OK);
		assert_int_equal(b.p[b.len], 0);
		assert_true(b.len <= b.cap);
	}
	for (i = 0; i < 100000; i++)
		assert_int_equal((unsigned char)b.p[i], (unsigned char)(i * 7));
	buf_fini(&b);
}

/* To the byte: the limit is reached, and never passed. */
static void
test_limit(void **state)
{
	struct buf b;
	char x[300];

	(void)state;
	memset(x, 'x', sizeof(x));
	buf_init(&b, 300);
	assert_int_equal(buf_add(&b, x, 299), ST_OK);
	assert_int_equal(buf_add(&b, x, 2), ST_TOO_BIG);
	assert_int_equal(buf_adds(&b, "ab"), ST_TOO_BIG);
	assert_int_equal(buf_addf(&b, "%s", "ab"), ST_TOO_BIG);
	assert_int_equal(b.len, 299);
	assert_int_equal(b.p[299], 0);
	assert_int_equal(buf_adds(&b, "y"), ST_OK);
	assert_int_equal(b.len, 300);
	assert_int_equal(b.cap, 300);
	assert_int_equal(buf_reserve(&b, 0), ST_OK);
	assert_int_equal(buf_reserve(&b, 1), ST_TOO_BIG);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), ST_TOO_BIG);
	assert_int_equal(b.p[299], 'y');
	buf_fini(&b);
	buf_init(&b, 0);
	assert_int_equal(buf_adds(&b, "a"), ST_TOO_BIG);
	assert_int_equal(buf_adds(&b, ""), ST_OK);
	buf_fini(&b);
}

static void
test_write_behind_len(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	assert_int_equal(buf_reserve(&b, 1000), ST_OK);
	assert_true(b.cap - b.len >= 1000);
	memset(b.p, 'z', 1000);
	b.len = 1000;
	b.p[b.len] = '\0'; /* the byte behind cap exists: ASan watches */
	assert_int_equal(strlen(b.p), 1000);
	buf_fini(&b);
}

static void
test_shrink(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	buf_shrink(&b, 100);
	assert_int_equal(buf_reserve(&b, 1 << 20), ST_OK);
	assert_int_equal(buf_adds(&b, "hello"), ST_OK);
	buf_shrink(&b, 4); /* the content is larger: nothing to give back */
	assert_true(b.cap >= 1 << 20);
	buf_shrink(&b, 64);
	assert_int_equal(b.cap, 64);
	assert_string_equal(b.p, "hello");
	buf_clear(&b);
	buf_shrink(&b, 0);
	assert_null(b.p);
	assert_int_equal(b.cap, 0);
	assert_int_equal(buf_adds(&b, "again"), ST_OK);
	assert_string_equal(b.p, "again");
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_grows_and_keeps),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_write_behind_len),
		cmocka_unit_test(test_shrink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
