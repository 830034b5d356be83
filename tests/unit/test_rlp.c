/* eth/rlp: the yellow paper's examples, the round trip, and every form that is not canonical. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eth/rlp.h"

#define EXPECT(b, lit) \
	do { \
		assert_int_equal((b)->len, sizeof(lit) - 1); \
		assert_memory_equal((b)->p, lit, sizeof(lit) - 1); \
		buf_clear(b); \
	} while (0)

static int setup(void **state)
{
	struct buf *b = malloc(sizeof(*b));

	if (b == NULL)
		return -1;
	buf_init(b, 1 << 20);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	buf_fini(*state);
	free(*state);
	return 0;
}

static void strings(void **state)
{
	static const char lorem[] = "Lorem ipsum dolor sit amet, consectetur adipisicing elit";
	struct buf *b = *state;
	char big[256];

	assert_int_equal(rlp_bytes(b, NULL, 0), ST_OK);
	EXPECT(b, "\x80");
	assert_int_equal(rlp_bytes(b, "dog", 3), ST_OK);
	EXPECT(b, "\x83" "dog");
	assert_int_equal(rlp_bytes(b, "\0", 1), ST_OK);
	EXPECT(b, "\0");
	assert_int_equal(rlp_bytes(b, "\x7f", 1), ST_OK);
	EXPECT(b, "\x7f");
	assert_int_equal(rlp_bytes(b, "\x80", 1), ST_OK);
	EXPECT(b, "\x81\x80");
	assert_int_equal(rlp_bytes(b, lorem, 55), ST_OK);
	assert_int_equal((uint8_t)b->p[0], 0xb7);
	buf_clear(b);
	assert_int_equal(rlp_bytes(b, lorem, 56), ST_OK);
	assert_memory_equal(b->p, "\xb8\x38Lorem", 7);
	assert_int_equal(b->len, 58);
	buf_clear(b);
	memset(big, 'x', sizeof(big));
	assert_int_equal(rlp_bytes(b, big, sizeof(big)), ST_OK);
	assert_memory_equal(b->p, "\xb9\x01\x00x", 4);
}

static void numbers(void **state)
{
	struct buf *b = *state;
	struct u256 v;

	assert_int_equal(rlp_u64(b, 0), ST_OK);
	EXPECT(b, "\x80");
	assert_int_equal(rlp_u64(b, 1), ST_OK);
	EXPECT(b, "\x01");
	assert_int_equal(rlp_u64(b, 127), ST_OK);
	EXPECT(b, "\x7f");
	assert_int_equal(rlp_u64(b, 128), ST_OK);
	EXPECT(b, "\x81\x80");
	assert_int_equal(rlp_u64(b, 255), ST_OK);
	EXPECT(b, "\x81\xff");
	assert_int_equal(rlp_u64(b, 256), ST_OK);
	EXPECT(b, "\x82\x01\x00");
	assert_int_equal(rlp_u64(b, UINT64_MAX), ST_OK);
	EXPECT(b, "\x88\xff\xff\xff\xff\xff\xff\xff\xff");
	v = u256_from64(1024);
	assert_int_equal(rlp_u256(b, &v), ST_OK);
	EXPECT(b, "\x82\x04\x00");
	v = (struct u256){ .w = { 2, 1 } };
	assert_int_equal(rlp_u256(b, &v), ST_OK);
	EXPECT(b, "\x89\x01\0\0\0\0\0\0\0\x02");
	v = (struct u256){ .w = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	assert_int_equal(rlp_u256(b, &v), ST_OK);
	assert_int_equal(b->len, RLP_U256_MAX);
}

static void lists(void **state)
{
	struct buf *b = *state;
	size_t outer, inner;
	uint8_t room[RLP_HEADER_MAX + 3] = { 0 };

	outer = rlp_list_begin(b);
	assert_int_equal(rlp_list_end(b, outer), ST_OK);
	EXPECT(b, "\xc0");
	outer = rlp_list_begin(b);
	assert_int_equal(rlp_bytes(b, "cat", 3), ST_OK);
	assert_int_equal(rlp_bytes(b, "dog", 3), ST_OK);
	assert_int_equal(rlp_list_end(b, outer), ST_OK);
	EXPECT(b, "\xc8\x83" "cat\x83" "dog");
	/* [ [], [[]], [ [], [[]] ] ] */
	outer = rlp_list_begin(b);
	assert_int_equal(rlp_list_end(b, rlp_list_begin(b)), ST_OK);
	inner = rlp_list_begin(b);
	assert_int_equal(rlp_list_end(b, rlp_list_begin(b)), ST_OK);
	assert_int_equal(rlp_list_end(b, inner), ST_OK);
	inner = rlp_list_begin(b);
	assert_int_equal(buf_add(b, "\xc0\xc1\xc0", 3), ST_OK);
	assert_int_equal(rlp_list_end(b, inner), ST_OK);
	assert_int_equal(rlp_list_end(b, outer), ST_OK);
	EXPECT(b, "\xc7\xc0\xc1\xc0\xc3\xc0\xc1\xc0");
	memcpy(room + RLP_HEADER_MAX, "\x01\x02\x03", 3);
	assert_ptr_equal(rlp_put_list(room + RLP_HEADER_MAX, 3), room + RLP_HEADER_MAX - 1);
	assert_memory_equal(room + RLP_HEADER_MAX - 1, "\xc3\x01\x02\x03", 4);
}

static void limit_is_kept(void **state)
{
	struct buf b;
	char data[100] = { 0 };

	(void)state;
	buf_init(&b, 50);
	assert_int_equal(rlp_bytes(&b, data, 60), ST_TOO_BIG);
	buf_clear(&b);
	assert_int_equal(rlp_bytes(&b, data, 49), ST_OK);
	assert_int_equal(rlp_list_end(&b, 0), ST_TOO_BIG);
	buf_fini(&b);
}

static void reads_what_it_writes(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 54, 55, 56, 57, 255, 256, 257, 65535, 65536 };
	static uint8_t data[65536];
	struct buf *b = *state;
	struct rlp_item item, part;
	struct rlp r, in;
	uint64_t u;

	memset(data, 0xa5, sizeof(data));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		buf_clear(b);
		assert_int_equal(rlp_bytes(b, data, sizes[i]), ST_OK);
		assert_int_equal(rlp_u64(b, i), ST_OK);
		assert_int_equal(rlp_list_end(b, 0), ST_OK);
		rlp_init(&r, b->p, b->len);
		assert_true(rlp_next(&r, &item));
		assert_true(rlp_done(&r));
		assert_true(item.list);
		assert_int_equal(item.raw_n, b->len);
		rlp_init(&in, item.p, item.n);
		assert_true(rlp_next(&in, &part));
		assert_false(part.list);
		assert_int_equal(part.n, sizes[i]);
		assert_memory_equal(part.p, data, sizes[i]);
		assert_true(rlp_next(&in, &part));
		assert_true(rlp_item_u64(&part, &u));
		assert_int_equal(u, i);
		assert_false(rlp_next(&in, &part));
		assert_true(rlp_done(&in));
		/* Each shorter piece is refused, not read past its end. */
		if (b->len < 300) {
			for (size_t cut = 1; cut < b->len; cut++) {
				uint8_t *copy = malloc(cut);

				assert_non_null(copy);
				memcpy(copy, b->p, cut);
				rlp_init(&r, copy, cut);
				assert_false(rlp_next(&r, &item));
				assert_false(rlp_done(&r));
				free(copy);
			}
		}
	}
	rlp_init(&r, NULL, 0);
	assert_false(rlp_next(&r, &item));
	assert_true(rlp_done(&r));
}

static void refuses(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} bad[] = {
		{ "\x81\x00", 2 }, /* a byte below 0x80 stands for itself */
		{ "\x81\x7f", 2 },
		{ "\xb8\x01\xff", 3 }, /* long form for a short length */
		{ "\xb9\x00\x38", 3 }, /* length with a leading zero */
		{ "\xf8\x02\x01\x01", 4 },
		{ "\xb8", 1 },
		{ "\xbf\xff\xff\xff\xff\xff\xff\xff\xff", 9 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xf7", 9 },
		{ "\xbf\x01\0\0\0\0\0\0\0", 9 },
		{ "\xc2\x01", 2 },
		{ "\x83" "do", 3 },
	};
	struct rlp_item item;
	struct rlp r;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		rlp_init(&r, bad[i].bytes, bad[i].n);
		assert_false(rlp_next(&r, &item));
		assert_false(rlp_done(&r));
	}
}

static void refuses_numbers(void **state)
{
	struct rlp_item item;
	struct rlp r;
	struct u256 v;
	uint64_t u;

	(void)state;
	rlp_init(&r, "\x82\x00\x01", 3);
	assert_true(rlp_next(&r, &item));
	assert_false(rlp_item_u64(&item, &u));
	assert_false(rlp_item_u256(&item, &v));
	rlp_init(&r, "\x00", 1);
	assert_true(rlp_next(&r, &item));
	assert_false(rlp_item_u64(&item, &u));
	rlp_init(&r, "\x89\x01\0\0\0\0\0\0\0\x07", 10);
	assert_true(rlp_next(&r, &item));
	assert_false(rlp_item_u64(&item, &u));
	assert_true(rlp_item_u256(&item, &v));
	assert_int_equal(v.w[1], 1);
	assert_int_equal(v.w[0], 7);
	rlp_init(&r, "\xc1\x01", 2);
	assert_true(rlp_next(&r, &item));
	assert_false(rlp_item_u64(&item, &u));
	assert_false(rlp_item_u256(&item, &v));
	rlp_init(&r, "\x80", 1);
	assert_true(rlp_next(&r, &item));
	assert_true(rlp_item_u64(&item, &u));
	assert_int_equal(u, 0);
	assert_true(rlp_item_u256(&item, &v));
	assert_true(u256_is_zero(&v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(strings, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(lists, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_what_it_writes, setup, teardown),
		cmocka_unit_test(limit_is_kept),
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
