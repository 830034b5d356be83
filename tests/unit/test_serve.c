/* serve: what is kept in memory, how an answer is laid out, where the head begins. The transports: tests/e2e/serve.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/hex.h"
#include "serve/node.h"
#include "serve_folder.h"

enum { FIRST = 100, COUNT = 10, PAD = 1000 };

struct rig {
	char dir[64];
	struct store *store;
	struct node node;
	size_t size; /* of a block's file */
};

static int open_rig(void **state)
{
	static char text[512 + PAD];
	struct rig *r = calloc(1, sizeof(*r));
	struct err e;

	assert_non_null(r);
	folder_block(text, sizeof(text), FIRST, PAD);
	r->size = strlen(text);
	folder_make(r->dir, FIRST, COUNT, PAD);
	/* Room for three. */
	assert_int_equal(store_open(&r->store, r->dir, 3 * r->size + 10, &e), ST_OK);
	node_init(&r->node, r->store, 1, "test");
	*state = r;
	return 0;
}

static int close_rig(void **state)
{
	struct rig *r = *state;

	store_close(r->store);
	folder_remove(r->dir, FIRST, COUNT);
	free(r);
	return 0;
}

static struct body *get(struct rig *r, size_t i)
{
	struct body *b;
	struct err e;

	assert_int_equal(store_get(r->store, i, &b, &e), ST_OK);
	return b;
}

/* Is it read again, or still in memory? A file that is gone cannot be read again. */
static bool kept(struct rig *r, size_t i)
{
	char from[128], to[128];
	struct body *b = NULL;
	struct err e;
	bool is;

	snprintf(from, sizeof(from), "%s/%zu.json", r->dir, FIRST + i);
	snprintf(to, sizeof(to), "%s/away", r->dir);
	assert_int_equal(rename(from, to), 0);
	is = store_get(r->store, i, &b, &e) == ST_OK;
	if (is)
		store_put(r->store, b);
	assert_int_equal(rename(to, from), 0);
	return is;
}

static void the_index(void **state)
{
	struct rig *r = *state;
	uint8_t hash[32] = { 0 };
	size_t i;

	assert_int_equal(store_count(r->store), COUNT);
	for (size_t k = 0; k < COUNT; k++) {
		assert_int_equal(store_number(r->store, k), FIRST + k);
		assert_int_equal(store_time(r->store, k), (FIRST + k) * 12);
		assert_true(store_find(r->store, FIRST + k, &i));
		assert_int_equal(i, k);
		hash[31] = (uint8_t)(FIRST + k);
		assert_true(store_find_hash(r->store, hash, &i));
		assert_int_equal(i, k);
	}
	assert_false(store_find(r->store, FIRST - 1, &i));
	assert_false(store_find(r->store, FIRST + COUNT, &i));
	assert_false(store_find(r->store, UINT64_MAX, &i));
	hash[0] = 1;
	assert_false(store_find_hash(r->store, hash, &i));
	assert_int_equal(store_floor(r->store, 0), 0);
	assert_int_equal(store_floor(r->store, FIRST + 4), 4);
	assert_int_equal(store_floor(r->store, UINT64_MAX), COUNT - 1);
}

static void the_least_recently_used_block_goes(void **state)
{
	struct rig *r = *state;

	for (size_t i = 0; i < 3; i++)
		store_put(r->store, get(r, i));
	store_put(r->store, get(r, 0));
	store_put(r->store, get(r, 5));
	assert_true(kept(r, 0));
	assert_true(kept(r, 2));
	assert_true(kept(r, 5));
	assert_false(kept(r, 1));
	for (size_t i = 0; i < COUNT; i++)
		store_put(r->store, get(r, i));
	assert_false(kept(r, 0));
	assert_true(kept(r, COUNT - 1));
}

static void what_is_being_sent_stays(void **state)
{
	struct rig *r = *state;
	char text[512 + PAD];
	struct body *b = get(r, 0);

	for (size_t i = 1; i < COUNT; i++)
		store_put(r->store, get(r, i));
	assert_false(kept(r, 0));
	folder_block(text, sizeof(text), FIRST, PAD);
	assert_int_equal(b->n, strlen(text));
	assert_memory_equal(b->p, text, b->n);
	store_put(r->store, b);
}

static void a_block_over_the_budget_is_served(void **state)
{
	struct rig *r = *state;
	struct store *s;
	struct body *b;
	struct err e;

	assert_int_equal(store_open(&s, r->dir, 10, &e), ST_OK);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(store_get(s, i, &b, &e), ST_OK);
		assert_int_equal(b->n, r->size);
		store_put(s, b);
	}
	store_close(s);
}

/* ---- layout ---- */

static void answer(struct rig *r, const char *request, struct answer *a)
{
	assert_int_equal(node_answer(&r->node, NULL, request, strlen(request), a), ST_OK);
}

/* The answer in one run of bytes is what its pieces say, and nothing outside the room asked for is written. */
static void check_place(struct rig *r, const char *request, bool in_block)
{
	enum { BEFORE = 16, AFTER = 1 };
	struct answer a;
	struct iovec iov[16];
	struct buf scratch;
	const char *p;
	size_t at = 0;

	answer(r, request, &a);
	assert_in_range(a.n, 1, 16);
	buf_init(&scratch, ANSWER_MAX);
	p = answer_place(&a, &scratch, BEFORE, AFTER);
	assert_non_null(p);
	assert_int_equal(scratch.p == NULL, in_block);
	answer_iov(&a, iov);
	for (unsigned i = 0; i < a.n; i++) {
		assert_memory_equal(p + at, iov[i].iov_base, iov[i].iov_len);
		at += iov[i].iov_len;
	}
	assert_int_equal(at, a.total);
	buf_fini(&scratch);
	answer_fini(&a);
}

static void an_answer_is_laid_out(void **state)
{
	struct rig *r = *state;
	char id[BODY_HEAD + 200], request[BODY_HEAD + 400];

	check_place(r, "{\"id\":1,\"method\":\"eth_chainId\"}", false);
	check_place(r, "{\"id\":1,\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",true]}", true);
	check_place(r, "{\"id\":1,\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",false]}", false);
	check_place(r, "[{\"id\":1,\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",true]}]", true);
	check_place(r,
		"[{\"id\":1,\"method\":\"eth_getBlockByNumber\",\"params\":[\"0x64\",true]},"
		"{\"id\":2,\"method\":\"eth_getBlockByNumber\",\"params\":[\"0x65\",true]}]",
		false);
	/* Ids around the size that still fits before the block. */
	for (int n = BODY_HEAD - 80; n < BODY_HEAD + 20; n++) {
		/* {"jsonrpc":"2.0","id":…,"result": and 16 bytes before it */
		bool fits = 16 + 22 + n + 2 + 10 <= BODY_HEAD;

		memset(id, 'i', (size_t)n);
		id[n] = 0;
		snprintf(request, sizeof(request),
			"{\"id\":\"%s\",\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",true]}", id);
		check_place(r, request, fits);
	}
}

static void notifications_have_no_answer(void **state)
{
	struct rig *r = *state;
	struct answer a;

	answer(r, "{\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",true]}", &a);
	assert_int_equal(a.total, 0);
	answer_fini(&a);
	answer(r, "[{\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",true]}]", &a);
	assert_int_equal(a.total, 0);
	answer_fini(&a);
}

/* ---- the head ---- */

static void the_head_begins(void **state)
{
	struct rig *r = *state;

	node_rewind(&r->node, 0);
	assert_int_equal(r->node.head, 0);
	node_rewind(&r->node, (FIRST + 3) * 12);
	assert_int_equal(r->node.head, 3);
	node_rewind(&r->node, (FIRST + 4) * 12 - 1);
	assert_int_equal(r->node.head, 3);
	/* All are in the past: a recorded chain is shown from its begin. */
	node_rewind(&r->node, (FIRST + COUNT) * 12);
	assert_int_equal(r->node.head, 0);
}

static void the_head_advances_to_the_end(void **state)
{
	struct rig *r = *state;
	struct err e = { .code = ST_OK };
	struct buf header;
	char hex[19], want[32];
	unsigned n = 0;

	buf_init(&header, 1 << 20);
	node_rewind(&r->node, 0);
	while (node_advance(&r->node, &header, &e)) {
		n++;
		snprintf(want, sizeof(want), "\"number\":\"%s\"", hex_print_u64(hex, FIRST + n));
		assert_non_null(strstr(header.p, want));
		assert_null(strstr(header.p, "transactions"));
	}
	assert_int_equal(e.code, ST_OK);
	assert_int_equal(n, COUNT - 1);
	buf_fini(&header);
}

static void a_block_that_cannot_be_read_does_not_stop_the_head(void **state)
{
	struct rig *r = *state;
	struct err e = { .code = ST_OK };
	struct buf header;

	buf_init(&header, 1 << 20);
	node_rewind(&r->node, 0);
	folder_write(r->dir, FIRST + 1, "{");
	assert_false(node_advance(&r->node, &header, &e));
	assert_int_equal(e.code, ST_MALFORMED);
	assert_int_equal(r->node.head, 1);
	assert_true(node_advance(&r->node, &header, &e));
	assert_int_equal(r->node.head, 2);
	buf_fini(&header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_index, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(the_least_recently_used_block_goes, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(what_is_being_sent_stays, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(a_block_over_the_budget_is_served, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(an_answer_is_laid_out, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(notifications_have_no_answer, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(the_head_begins, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(the_head_advances_to_the_end, open_rig, close_rig),
		cmocka_unit_test_setup_teardown(a_block_that_cannot_be_read_does_not_stop_the_head, open_rig, close_rig),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
