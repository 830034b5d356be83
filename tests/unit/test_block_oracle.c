/* Real blocks against other readers: cJSON field by field, and the independent expected.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "block_oracle.h"

static struct blockdec *dec;

static const struct block *decode(const char *path, const char *text, size_t n)
{
	const struct block *b = NULL;
	struct err e;

	if (block_decode(dec, text, n, true, &b, &e) != ST_OK)
		fail_msg("%s: %s", path, e.text);
	return b;
}

static void check_file(const char *path)
{
	uint8_t extra[64];
	struct header h;
	struct block *kept;
	struct err e;
	size_t n;
	char *text = read_file(path, &n);
	cJSON *o = cJSON_ParseWithLength(text, n);
	const struct block *b = decode(path, text, n);

	assert_non_null(o);
	assert_int_equal(b->json_bytes, n);
	kept = block_keep(b);
	assert_non_null(kept);
	same_block(o, b);
	same_block(o, kept);
	block_unref(kept);
	assert_int_equal(header_decode(text, n, &h, extra, &e), ST_OK);
	same_header(o, &h, extra);
	cJSON_Delete(o);
	free(text);
}

static void test_every_field(void **state)
{
	const char *dir = corpus();

	(void)state;
	if (!dir)
		skip();
	assert_int_equal(each_file(dir, "mainnet", ".json", check_file), 57);
	assert_int_equal(each_file(dir, "l2", ".json", check_file), 1);
}

static const struct block *block_of(const char *dir, unsigned number, char **text)
{
	char path[1024];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/mainnet/%u.json", dir, number);
	f = fopen(path, "rb");
	if (f)
		fclose(f);
	else
		snprintf(path, sizeof(path), "%s/l2/rise-%u.json", dir, number);
	*text = read_file(path, &n);
	return decode(path, *text, n);
}

static void compare_expected(const char *dir, const cJSON *want)
{
	unsigned number = (unsigned)member(want, "number")->valuedouble, creates = 0, blobs = 0;
	unsigned types[256] = {0};
	struct u256 sum = u256_from64(0);
	const cJSON *type;
	size_t calldata = 0, typed = 0;
	char dec_sum[80];
	char *text;
	const struct block *b = block_of(dir, number, &text);

	for (uint32_t i = 0; i < b->txs.len; i++) {
		const struct tx *t = &block_txs(b)[i];

		types[t->type & 0xff]++;
		creates += !(t->has & T_TO);
		blobs += t->blobs.len;
		calldata += t->input.len;
		assert_true(u256_add(&sum, &sum, &t->value));
	}
	assert_int_equal(b->h.number, number);
	assert_int_equal(b->h.ntx, member(want, "txs")->valuedouble);
	same_bytes("headerHash", text_of(want, "headerHash"), b->h.hash.b, 32);
	cJSON_ArrayForEach(type, member(want, "types"))
	{
		assert_int_equal(types[strtoul(type->string, NULL, 16)], type->valuedouble);
		typed += (size_t)type->valuedouble;
	}
	assert_int_equal(typed, b->h.ntx);
	assert_int_equal(creates, member(want, "creates")->valuedouble);
	assert_int_equal(blobs, member(want, "blobs")->valuedouble);
	assert_int_equal(calldata, member(want, "calldataBytes")->valuedouble);
	assert_string_equal(
		u256_dec(dec_sum, sizeof(dec_sum), &sum), member(want, "valueSum")->valuestring);
	free(text);
}

static void test_expected(void **state)
{
	const char *dir = corpus();
	char path[1024], *text;
	const cJSON *m;
	cJSON *all;
	size_t n;

	(void)state;
	if (!dir)
		skip();
	snprintf(path, sizeof(path), "%s/expected.json", dir);
	text = read_file(path, &n);
	all = cJSON_ParseWithLength(text, n);
	assert_int_equal(cJSON_GetArraySize(all), 58);
	cJSON_ArrayForEach(m, all)
	{
		compare_expected(dir, m);
	}
	cJSON_Delete(all);
	free(text);
}

/* No prefix of a real block is one, and none is read behind its end: a page that cannot be read follows. */
static void test_truncated(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const char *dir = corpus();
	char path[1024], *text, *room;
	size_t n, size;

	(void)state;
	if (!dir)
		skip();
	snprintf(path, sizeof(path), "%s/mainnet/19923400.json", dir);
	text = read_file(path, &n);
	assert_true(n > 20000);
	size = (n + page - 1) / page * page;
	room = mmap(NULL, size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(room, MAP_FAILED);
	assert_int_equal(mprotect(room, size, PROT_READ | PROT_WRITE), 0);
	for (size_t i = 0; i < n; i++) {
		char *part = room + size - i;
		const struct block *b;
		struct err e;

		memcpy(part, text, i);
		if (block_decode(dec, part, i, true, &b, &e) != ST_MALFORMED)
			fail_msg("%zu bytes of %zu: %s", i, n, e.text);
	}
	munmap(room, size + page);
	free(text);
}

/* The same block in every order of keys and with white space everywhere. */
static void test_other_shapes(void **state)
{
	const char *dir = corpus();
	char path[1024], *text;
	size_t n;
	cJSON *o, *m;

	(void)state;
	if (!dir)
		skip();
	snprintf(path, sizeof(path), "%s/mainnet/19469101.json", dir);
	text = read_file(path, &n);
	o = cJSON_ParseWithLength(text, n);
	free(text);
	for (int turn = 0; turn < 12; turn++) {
		cJSON *txs = cJSON_GetObjectItemCaseSensitive(o, "transactions");

		/* The first key of the block and of each transaction goes last. */
		m = cJSON_DetachItemViaPointer(o, o->child);
		cJSON_AddItemToObject(o, m->string, m);
		cJSON_ArrayForEach(m, txs)
		{
			cJSON *first = cJSON_DetachItemViaPointer(m, m->child);

			cJSON_AddItemToObject(m, first->string, first);
		}
		text = turn % 2 ? cJSON_Print(o) : cJSON_PrintUnformatted(o);
		same_block(o, decode(path, text, strlen(text)));
		free(text);
	}
	cJSON_Delete(o);
}

static int setup(void **state)
{
	(void)state;
	dec = blockdec_new();
	return dec ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	blockdec_free(dec);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_field),
		cmocka_unit_test(test_expected),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_other_shapes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
