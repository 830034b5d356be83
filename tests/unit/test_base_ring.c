/* Unit tests of base/ring, one thread; two threads are in test_ring_stress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/ring.h"

static unsigned char slot[RING_SLOT];

static bool
push(struct ring *r, unsigned char value, bool important)
{
	memset(slot, value, sizeof(slot));
	return ring_push(r, slot, important);
}

/* Removes one item and returns its value, or -1. */
static int
take(struct ring *r)
{
	const unsigned char *p = ring_peek(r);
	int value;

	if (p == NULL)
		return -1;
	value = p[0];
	assert_int_equal(p[RING_SLOT - 1], value);
	ring_pop(r);
	return value;
}

static void
test_init(void **state)
{
	static const size_t bad[] = {0, 1, 2, 3, 5, 6, 12, 1000, SIZE_MAX, SIZE_MAX / 2 + 1};
	struct ring r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ring_init(&r, bad[i]), ST_USAGE);
	assert_int_equal(ring_init(&r, 4), ST_OK);
	assert_null(ring_peek(&r));
	ring_pop(&r); /* of nothing */
	assert_null(ring_peek(&r));
	assert_true(push(&r, 1, false));
	assert_int_equal(take(&r), 1);
	ring_fini(&r);
	ring_fini(&r);
}

static void
test_used(void **state)
{
	struct ring r;

	(void)state;
	assert_int_equal(ring_init(&r, 8), ST_OK);
	assert_int_equal(ring_used(&r), 0);
	for (unsigned i = 1; i <= 8; i++) {
		assert_true(push(&r, (unsigned char)i, true));
		assert_int_equal(ring_used(&r), i);
	}
	assert_false(push(&r, 9, true));
	assert_int_equal(ring_used(&r), 8);
	assert_int_equal(take(&r), 1);
	assert_int_equal(ring_used(&r), 7);
	/* What it saw of the consumer counts for the next push. */
	assert_true(push(&r, 9, true));
	ring_fini(&r);
}

/* Head and tail live on cache lines of their own: else each push takes the consumer's line. */
static void
test_layout(void **state)
{
	(void)state;
	assert_true(offsetof(struct ring, tail) - offsetof(struct ring, head) >= 64);
	assert_true(offsetof(struct ring, dropped) - offsetof(struct ring, tail) >= 64);
}

static void
test_order(void **state)
{
	struct ring r;
	unsigned in = 0, out = 0, round, i;

	(void)state;
	assert_int_equal(ring_init(&r, 8), ST_OK);
	for (round = 0; round < 1000; round++) {
		for (i = 0; i < round % 6; i++)
			if (push(&r, (unsigned char)in, false))
				in++;
		for (i = 0; i < round % 5; i++)
			if (out < in)
				assert_int_equal(take(&r), (unsigned char)out++);
	}
	while (out < in)
		assert_int_equal(take(&r), (unsigned char)out++);
	assert_int_equal(take(&r), -1);
	ring_fini(&r);
}

static void
test_peek_again(void **state)
{
	struct ring r;
	const void *p;

	(void)state;
	assert_int_equal(ring_init(&r, 4), ST_OK);
	assert_true(push(&r, 1, false));
	p = ring_peek(&r);
	assert_true(push(&r, 2, false));
	assert_ptr_equal(ring_peek(&r), p); /* valid until ring_pop */
	assert_int_equal(*(const unsigned char *)p, 1);
	ring_fini(&r);
}

static void
test_last_quarter(void **state)
{
	struct ring r;
	unsigned i;

	(void)state;
	assert_int_equal(ring_init(&r, 16), ST_OK);
	for (i = 0; i < 12; i++)
		assert_true(push(&r, (unsigned char)i, false));
	assert_false(push(&r, 99, false));
	assert_int_equal(ring_dropped(&r), 1);
	for (; i < 16; i++)
		assert_true(push(&r, (unsigned char)i, true));
	assert_false(push(&r, 99, true));
	assert_false(push(&r, 99, false));
	assert_int_equal(ring_dropped(&r), 3);
	/* Room for ordinary ones only when the ring is below three quarters again. */
	for (i = 0; i < 4; i++)
		assert_int_equal(take(&r), i);
	assert_false(push(&r, 99, false));
	assert_true(push(&r, 16, true));
	assert_int_equal(take(&r), 4);
	assert_int_equal(take(&r), 5);
	assert_true(push(&r, 17, false));
	assert_false(push(&r, 99, false));
	for (i = 6; i < 18; i++)
		assert_int_equal(take(&r), i);
	assert_null(ring_peek(&r));
	assert_int_equal(ring_dropped(&r), 5);
	ring_fini(&r);
}

/* Indices are 64 bits wide; even their wrap would be harmless. */
static void
test_wrap(void **state)
{
	struct ring r;
	unsigned i;

	(void)state;
	assert_int_equal(ring_init(&r, 4), ST_OK);
	atomic_store(&r.head, UINT64_MAX - 5);
	atomic_store(&r.tail, UINT64_MAX - 5);
	r.tail_seen = r.head_seen = UINT64_MAX - 5;
	for (i = 0; i < 40; i++) {
		assert_true(push(&r, (unsigned char)i, false));
		assert_true(push(&r, (unsigned char)(i + 100), false));
		assert_int_equal(take(&r), i);
		assert_int_equal(take(&r), i + 100);
		assert_int_equal(take(&r), -1);
	}
	ring_fini(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_used),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_peek_again),
		cmocka_unit_test(test_last_quarter),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
