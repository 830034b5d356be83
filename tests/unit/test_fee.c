/*
 * eth/fee: independent values for every real block, the fork edges, and vectors that were computed
 * with big integers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eth/fee.h"
#include "eth/rlp.h"
#include "tests/unit/corpus.h"

static const char *dec(char out[80], const struct u256 *v)
{
	return u256_dec(out, 80, v);
}

static void expect_dec(const struct u256 *got, const char *want)
{
	char text[80];

	assert_string_equal(dec(text, got), want);
}

static const char *string_of(const cJSON *item, const char *name)
{
	const cJSON *const v = cJSON_GetObjectItem(item, name);

	return cJSON_IsString(v) ? v->valuestring : NULL;
}

static void corpus_agrees(void **state)
{
	struct blockdec *const d = blockdec_new();
	cJSON *const all = corpus_expected(), *item;
	unsigned tips_seen = 0, burnt_seen = 0, next_seen = 0;

	(void)state;
	assert_non_null(d);
	cJSON_ArrayForEach(item, all) {
		size_t n;
		char *const text = corpus_block(item, &n);
		const struct block *const b = corpus_decode(d, text, n);
		const struct chain_info *const chain = chain_find(1);
		const cJSON *const want = cJSON_GetObjectItem(item, "tips");
		struct fee_tips tips, same;
		struct u256 *scratch = calloc(b->txs.len + 1, sizeof(*scratch));
		struct u256 v;

		assert_non_null(scratch);
		assert_int_equal(fee_block_tips(b, NULL, &tips), ST_OK);
		assert_int_equal(fee_block_tips(b, scratch, &same), ST_OK);
		assert_int_equal(tips.valid, string_of(want, "50") != NULL);
		assert_int_equal(same.valid, tips.valid);
		if (tips.valid) {
			expect_dec(&tips.p10, string_of(want, "10"));
			expect_dec(&tips.p50, string_of(want, "50"));
			expect_dec(&tips.p90, string_of(want, "90"));
			expect_dec(&same.p10, string_of(want, "10"));
			expect_dec(&same.p90, string_of(want, "90"));
			assert_int_equal(same.n, tips.n);
			tips_seen++;
		}
		if (string_of(item, "burnt") != NULL) {
			struct header without_blobs = b->h; /* which is what that file counts */

			without_blobs.blob_gas_used = 0;
			assert_true(fee_burned(&without_blobs, NULL, &v));
			expect_dec(&v, string_of(item, "burnt"));
			assert_true(fee_burned(&b->h, chain_blobs(chain, b->h.timestamp), &v));
			assert_int_equal(u256_cmp(&v, &b->h.base_fee) > 0, b->h.gas_used > 0);
			burnt_seen++;
		} else {
			assert_false(fee_burned(&b->h, chain_blobs(chain, b->h.timestamp), &v));
		}
		if (string_of(item, "nextBaseFee") != NULL) {
			assert_true(
				fee_next_base(&b->h.base_fee, b->h.gas_used, b->h.gas_limit, &v));
			expect_dec(&v, string_of(item, "nextBaseFee"));
			next_seen++;
		}
		free(scratch);
		free(text);
	}
	assert_true(tips_seen >= 50);
	assert_true(burnt_seen >= 30);
	assert_true(next_seen >= 30);
	cJSON_Delete(all);
	blockdec_free(d);
}

static void fork_edges(void **state)
{
	static const unsigned pairs[][2] = {
		{ 12964999, 12965000 },
		{ 15537393, 15537394 },
		{ 17034869, 17034870 },
		{ 19426586, 19426587 },
	};
	struct blockdec *const d = blockdec_new();

	(void)state;
	assert_non_null(d);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char name[40];
		size_t n;
		char *text;
		const struct block *b;
		struct u256 next;

		snprintf(name, sizeof(name), "mainnet/%u.json", pairs[i][0]);
		text = corpus_read(name, &n);
		b = corpus_decode(d, text, n);
		assert_true(fee_next_base(b->h.has & H_BASE_FEE ? &b->h.base_fee : NULL,
			b->h.gas_used, b->h.gas_limit, &next));
		free(text);
		snprintf(name, sizeof(name), "mainnet/%u.json", pairs[i][1]);
		text = corpus_read(name, &n);
		b = corpus_decode(d, text, n);
		assert_true(b->h.has & H_BASE_FEE);
		assert_int_equal(u256_cmp(&b->h.base_fee, &next), 0);
		free(text);
	}
	blockdec_free(d);
}

/*
 * Every step of the conformance chain from London on, and the answer its node gives for the block
 * after the last.
 */
static void conformance_chain(void **state)
{
	enum { GAS_LIMIT = 9, GAS_USED = 10, BASE_FEE = 15 };
	struct u256 next = u256_from64(0), fee;
	unsigned blocks = 0, checked = 0;
	struct rlp_item block, header, f;
	struct rlp chain, r;
	size_t n;
	char *const data = corpus_read("execution-apis/chain.rlp", &n);

	(void)state;
	rlp_init(&chain, data, n);
	while (rlp_next(&chain, &block)) {
		uint64_t limit = 0, used = 0;
		bool has_fee = false;

		rlp_init(&r, block.p, block.n);
		assert_true(rlp_next(&r, &header));
		rlp_init(&r, header.p, header.n);
		for (int i = 0; rlp_next(&r, &f); i++) {
			if (i == GAS_LIMIT)
				assert_true(rlp_item_u64(&f, &limit));
			if (i == GAS_USED)
				assert_true(rlp_item_u64(&f, &used));
			if (i == BASE_FEE)
				has_fee = rlp_item_u256(&f, &fee);
		}
		blocks++;
		assert_int_equal(has_fee, blocks >= chain_find(3503995874084926)->london);
		if (has_fee) {
			assert_int_equal(u256_cmp(&fee, &next), 0);
			checked++;
		}
		assert_true(fee_next_base(has_fee ? &fee : NULL, used, limit, &next));
	}
	assert_true(rlp_done(&chain));
	assert_int_equal(checked, 28);
	assert_int_equal(u256_sat64(&next), 0x16dfe9b);
	free(data);
}

static void base_fee_corners(void **state)
{
	const struct u256 zero = u256_from64(0), one = u256_from64(1),
			  gwei = u256_from64(1000000000);
	const struct u256 huge = { .w = { 0, 0, 0, UINT64_MAX } };
	struct u256 v;

	(void)state;
	assert_true(fee_next_base(NULL, 5, 10, &v));
	expect_dec(&v, "1000000000");
	assert_true(fee_next_base(&gwei, 15, 30, &v));
	expect_dec(&v, "1000000000");
	assert_true(fee_next_base(&gwei, 30, 30, &v));
	expect_dec(&v, "1125000000");
	assert_true(fee_next_base(&gwei, 0, 30, &v));
	expect_dec(&v, "875000000");
	/* A rise is at least 1, a fall may be nothing. */
	assert_true(fee_next_base(&one, 16, 30, &v));
	expect_dec(&v, "2");
	assert_true(fee_next_base(&zero, 30, 30, &v));
	expect_dec(&v, "1");
	assert_true(fee_next_base(&one, 0, 30, &v));
	expect_dec(&v, "1");
	/* Chains with a gas limit of 0 or 1. */
	assert_true(fee_next_base(&gwei, 30, 0, &v));
	expect_dec(&v, "1000000000");
	assert_true(fee_next_base(&gwei, 1, 1, &v));
	expect_dec(&v, "1000000000");
	assert_false(fee_next_base(&huge, 1000, 30, &v));
	/* More than 64 bits are exact. */
	v = (struct u256){ .w = { 0, 8 } };
	assert_true(fee_next_base(&v, 30, 30, &v));
	assert_int_equal(v.w[1], 9);
	assert_int_equal(v.w[0], 0);
}

static void fake_exponential(void **state)
{
	static const struct {
		uint64_t factor, num, den, want;
	} v[] = {
		{ 1, 0, 1, 1 },
		{ 38493, 0, 1000, 38493 },
		{ 0, 1234, 2345, 0 },
		{ 1, 2, 1, 6 },
		{ 1, 4, 2, 6 },
		{ 1, 3, 1, 16 },
		{ 1, 6, 2, 18 },
		{ 1, 4, 1, 49 },
		{ 1, 8, 2, 50 },
		{ 10, 8, 2, 542 },
		{ 11, 8, 2, 596 },
		{ 1, 5, 1, 136 },
		{ 1, 5, 2, 11 },
		{ 2, 5, 2, 23 },
		{ 1, 50000000, 2225652, 5709098764 },
	};
	const struct u256 one = u256_from64(1), zero = u256_from64(0);
	struct u256 out;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const struct u256 f = u256_from64(v[i].factor), n = u256_from64(v[i].num),
				  d = u256_from64(v[i].den);

		assert_true(fee_fake_exponential(&f, &n, &d, &out));
		assert_true(u256_fits64(&out));
		assert_int_equal(u256_sat64(&out), v[i].want);
	}
	assert_false(fee_fake_exponential(&one, &one, &zero, &out));
}

static void blob_fee(void **state)
{
	static const struct {
		uint64_t excess, fraction;
		const char *want; /* NULL: overflow */
	} v[] = {
		{ 0, 3338477, "1" },
		{ 2314057, 3338477, "1" },
		{ 2314058, 3338477, "2" },
		{ 10485760, 3338477, "23" },
		{ 26869760, 3338477, "3129" }, /* mainnet 19638737 */
		{ 50000000, 3338477, "3194333" },
		{ 200000000, 3338477, "104116911553853437920042949" },
		{ 500000000, 3338477, NULL }, /* 217 bits itself: the steps to it do not fit */
		{ UINT64_MAX, 3338477, NULL },
		{ UINT64_MAX, 1, NULL },
		{ 1, 0, NULL },
		{ 26869760, 5007716, "213" },
		{ 200000000, 5007716, "221315816840568244" },
		{ 26869760, 8346193, "25" },
		{ 500000000, 8346193, "104116537903896287588919059" },
		{ 26869760, 11684671, "9" },
		{ 1000000000, 11684671, "14719151228039052875785811179282490260" },
	};
	struct u256 out;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		assert_int_equal(
			fee_blob_base(v[i].excess, v[i].fraction, &out), v[i].want != NULL);
		if (v[i].want != NULL)
			expect_dec(&out, v[i].want);
	}
}

static void next_excess(void **state)
{
	const struct blob_schedule cancun = { .target = 3, .max = 6, .fraction = 3338477 };
	const struct blob_schedule prague = { .target = 6, .max = 9, .fraction = 5007716 };
	const struct blob_schedule osaka9 = {
		.target = 9, .max = 14, .fraction = 8832827, .osaka = true
	};
	const struct blob_schedule osaka21 = {
		.target = 21, .max = 32, .fraction = 20609697, .osaka = true
	};
	const struct u256 gwei = u256_from64(1000000000), b30 = u256_from64(30),
			  b50 = u256_from64(50);
	const struct u256 zero = u256_from64(0), b15 = u256_from64(15), b16 = u256_from64(16);
	enum { BLOB = 131072 };
	uint64_t out;

	(void)state;
	assert_true(fee_next_excess(0, 0, &gwei, &cancun, &out));
	assert_int_equal(out, 0);
	assert_true(fee_next_excess(0, 3 * BLOB, &gwei, &cancun, &out));
	assert_int_equal(out, 0);
	assert_true(fee_next_excess(0, 4 * BLOB, &gwei, &cancun, &out));
	assert_int_equal(out, BLOB);
	assert_true(fee_next_excess(BLOB, 3 * BLOB, &gwei, &cancun, &out));
	assert_int_equal(out, BLOB);
	assert_true(fee_next_excess(BLOB, BLOB, &gwei, &cancun, &out));
	assert_int_equal(out, 0);
	/* The child's target counts. */
	assert_true(fee_next_excess(4 * BLOB, 6 * BLOB, &gwei, &prague, &out));
	assert_int_equal(out, 4 * BLOB);
	assert_true(fee_next_excess(5149252, 1310720, &b30, &osaka9, &out));
	assert_int_equal(out, 5617366);
	assert_true(fee_next_excess(19251039, 2490368, &b50, &osaka21, &out));
	assert_int_equal(out, 20107103);
	/*
	 * Below the reserve price line (8192 × 16 = 131072 × 1) the old rule holds, also without a
	 * base fee.
	 */
	assert_true(fee_next_excess(5149252, 1310720, &b16, &osaka9, &out));
	assert_int_equal(out, 5149252 + 1310720 - 9 * BLOB);
	assert_true(fee_next_excess(5149252, 1310720, &b15, &osaka9, &out));
	assert_int_equal(out, 5149252 + 1310720 - 9 * BLOB);
	assert_true(fee_next_excess(5149252, 1310720, &zero, &osaka9, &out));
	assert_int_equal(out, 5149252 + 1310720 - 9 * BLOB);
	/* Under target it is 0 whatever the price. */
	assert_true(fee_next_excess(0, BLOB, &gwei, &osaka9, &out));
	assert_int_equal(out, 0);
	assert_false(fee_next_excess(UINT64_MAX, 1, &gwei, &cancun, &out));
	assert_false(fee_next_excess(UINT64_MAX - 1, 1, &gwei, &osaka9, &out));
}

static void effective(void **state)
{
	const struct u256 base = u256_from64(100);
	struct tx t = { .type = TX_LEGACY, .has = T_GAS_PRICE, .gas_price = u256_from64(130) };
	struct u256 v;

	(void)state;
	assert_true(fee_effective(&t, &base, &v));
	expect_dec(&v, "130");
	assert_true(fee_effective(&t, NULL, &v));
	expect_dec(&v, "130");
	t = (struct tx){ .type = TX_DYNAMIC,
		.has = T_MAX_FEE | T_MAX_PRIORITY | T_GAS_PRICE,
		.gas_price = u256_from64(1),
		.max_fee = u256_from64(150),
		.max_priority = u256_from64(20) };
	assert_true(fee_effective(&t, &base, &v));
	expect_dec(&v, "120");
	t.max_priority = u256_from64(70);
	assert_true(fee_effective(&t, &base, &v));
	expect_dec(&v, "150");
	assert_true(fee_effective(&t, NULL, &v));
	expect_dec(&v, "150");
	/* A priority so high that the sum overflows is still capped. */
	t.max_priority = (struct u256){ .w = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	assert_true(fee_effective(&t, &base, &v));
	expect_dec(&v, "150");
	t = (struct tx){ .type = TX_DEPOSIT, .has = T_GAS_PRICE };
	assert_false(fee_effective(&t, &base, &v));
	t = (struct tx){ .type = 0x6a, .has = T_UNKNOWN_TYPE };
	assert_false(fee_effective(&t, &base, &v));
	t.has |= T_GAS_PRICE;
	t.gas_price = u256_from64(7);
	assert_true(fee_effective(&t, &base, &v));
	expect_dec(&v, "7");
}

/* Nearest rank over 1 … n: the p-th percentile is ceil(p × n / 100). */
static void nearest_rank(void **state)
{
	struct {
		struct block b;
		struct tx txs[30];
	} m;
	struct fee_tips tips;

	(void)state;
	for (uint32_t n = 0; n <= 30; n++) {
		memset(&m, 0, sizeof(m));
		m.b.txs =
			(struct span){ .off = (uint32_t)((char *)m.txs - (char *)&m.b), .len = n };
		m.b.h.ntx = n;
		for (uint32_t i = 0; i < n; i++) {
			m.txs[i].has = T_GAS_PRICE;
			m.txs[i].gas_price =
				u256_from64((i * 7) % n + 1); /* a permutation unless 7 divides n */
			if (n % 7 == 0)
				m.txs[i].gas_price = u256_from64(n - i);
		}
		assert_int_equal(fee_block_tips(&m.b, NULL, &tips), ST_OK);
		assert_int_equal(tips.valid, n > 0);
		if (n == 0)
			continue;
		assert_int_equal(u256_sat64(&tips.p10), (n * 10 + 99) / 100);
		assert_int_equal(u256_sat64(&tips.p50), (n * 50 + 99) / 100);
		assert_int_equal(u256_sat64(&tips.p90), (n * 90 + 99) / 100);
		assert_int_equal(tips.n, n);
	}
	/* Only deposits: no tip is known, which is not a tip of 0. */
	for (uint32_t i = 0; i < 30; i++)
		m.txs[i].type = TX_DEPOSIT;
	assert_int_equal(fee_block_tips(&m.b, NULL, &tips), ST_OK);
	assert_false(tips.valid);
}

/* Limits 100, 50, 50 at tips of 1, 5, 9 and a deposit; 120 of gas used. */
static void bounds_of_the_tips(void **state)
{
	struct {
		struct block b;
		struct tx txs[4];
	} m;
	const uint64_t gas[4] = { 50, 100, 50, 10 }, tip[4] = { 9, 1, 5, 0 };
	struct u256 lo, hi;

	(void)state;
	memset(&m, 0, sizeof(m));
	assert_true(fee_tip_bounds(&m.b, &lo, &hi));
	assert_true(u256_is_zero(&lo) && u256_is_zero(&hi));
	m.b.txs = (struct span){ .off = (uint32_t)((char *)m.txs - (char *)&m.b), .len = 4 };
	m.b.h.has = H_BASE_FEE;
	m.b.h.base_fee = u256_from64(1000);
	m.b.h.gas_used = 120;
	for (unsigned i = 0; i < 4; i++) {
		m.txs[i].has = T_GAS_PRICE;
		m.txs[i].gas = gas[i];
		m.txs[i].gas_price = u256_from64(1000 + tip[i]);
	}
	m.txs[3].type = TX_DEPOSIT;
	assert_true(fee_tip_bounds(&m.b, &lo, &hi));
	expect_dec(&lo, "150"); /* 10 × 0 + 100 × 1 + 10 × 5 */
	expect_dec(&hi, "720"); /* 50 × 9 + 50 × 5 + 20 × 1 */
	/* All used what they may: no doubt. */
	m.b.h.gas_used = 210;
	assert_true(fee_tip_bounds(&m.b, &lo, &hi));
	expect_dec(&lo, "800");
	expect_dec(&hi, "800");
	/* More than they may: it is not what it seems. */
	m.b.h.gas_used = 211;
	assert_false(fee_tip_bounds(&m.b, &lo, &hi));
	m.b.h.gas_used = 1;
	m.txs[0].has = T_HASH_ONLY;
	assert_false(fee_tip_bounds(&m.b, &lo, &hi));
}

static void burned(void **state)
{
	const struct blob_schedule s = { .target = 3, .max = 6, .fraction = 3338477 };
	struct header h = { .has = H_BASE_FEE, .gas_used = 21000, .base_fee = u256_from64(7) };
	struct u256 v;

	(void)state;
	assert_true(fee_burned(&h, NULL, &v));
	expect_dec(&v, "147000");
	h.blob_gas_used = 131072;
	h.excess_blob_gas = 10485760;
	assert_false(fee_burned(&h, NULL, &v));
	assert_true(fee_burned(&h, &s, &v));
	expect_dec(&v, "3161656"); /* 147000 + 23 × 131072 */
	h.has = 0;
	assert_false(fee_burned(&h, &s, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corpus_agrees),
		cmocka_unit_test(fork_edges),
		cmocka_unit_test(conformance_chain),
		cmocka_unit_test(base_fee_corners),
		cmocka_unit_test(fake_exponential),
		cmocka_unit_test(blob_fee),
		cmocka_unit_test(next_excess),
		cmocka_unit_test(effective),
		cmocka_unit_test(nearest_rank),
		cmocka_unit_test(burned),
		cmocka_unit_test(bounds_of_the_tips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
