/* eth/pending: what nodes write of a transaction that waits. Shapes as geth, anvil and Nethermind send them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "eth/pending.h"

#define HASH "0xa23b52004fe574000765fbe20a311b2785a318c9dbe6b0bf6a4c1f8936f57ff3"

static bool take(const char *text, struct pending *p)
{
	struct json_str s = { .p = text, .n = strlen(text) };

	return pending_read(&s, p);
}

static void is_hash(const struct pending *p)
{
	assert_int_equal(p->hash.b[0], 0xa2);
	assert_int_equal(p->hash.b[1], 0x3b);
	assert_int_equal(p->hash.b[31], 0xf3);
}

static void hashes(void **state)
{
	struct pending p;

	(void)state;
	assert_true(take("\"" HASH "\"", &p));
	is_hash(&p);
	assert_true(p.max_fee == UINT64_MAX);
}

static void whole(void **state)
{
	struct pending p;

	(void)state;
	assert_true(take("{\"type\":\"0x2\",\"maxFeePerGas\":\"0x77359400\",\"input\":\"0x\",\"accessList\":[{\"a\":[]}],"
			 "\"hash\":\"" HASH "\",\"blockHash\":null,\"gasPrice\":\"0x1\"}", &p));
	is_hash(&p);
	assert_true(p.max_fee == 2000000000);
	/* A legacy transaction has a price alone; null is not there. */
	assert_true(take("{\"hash\":\"" HASH "\",\"maxFeePerGas\":null,\"gasPrice\":\"0x3b9aca00\"}", &p));
	assert_true(p.max_fee == 1000000000);
	assert_true(take("{\"hash\":\"" HASH "\"}", &p));
	assert_true(p.max_fee == UINT64_MAX);
	/* More than 18 ether for a unit of gas is more than any base fee. */
	assert_true(take("{\"gasPrice\":\"0x100000000000000000000\",\"hash\":\"" HASH "\"}", &p));
	assert_true(p.max_fee == UINT64_MAX);
}

static void none(void **state)
{
	static const char *const bad[] = {
		"", "null", "7", "[]", "true", "\"\"", "\"0x12\"", "{}", "{\"hash\":null}", "{\"hash\":7}", "{\"hash\":\"0x12\"}",
		"{\"hash\":\"" HASH "\"", "\"" HASH "\"x", "{\"gasPrice\":\"0x1\"}", "{\"hash\":\"" HASH "\",}",
		"\"0xg23b52004fe574000765fbe20a311b2785a318c9dbe6b0bf6a4c1f8936f57ff3\"",
	};
	struct pending p;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (take(bad[i], &p))
			fail_msg("taken: %s", bad[i]);
	}
}

static bool head(const char *text)
{
	struct json_str s = { .p = text, .n = strlen(text) };

	return pending_is_head(&s);
}

static void heads(void **state)
{
	(void)state;
	assert_true(head("{\"number\":\"0x1\",\"parentHash\":\"0x\"}"));
	assert_false(head("{\"hash\":\"" HASH "\",\"nonce\":\"0x1\"}"));
	assert_false(head("\"parentHash\""));
	assert_false(head("{\"a\":{\"parentHash\":1}}"));
	assert_false(head(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes),
		cmocka_unit_test(whole),
		cmocka_unit_test(none),
		cmocka_unit_test(heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
