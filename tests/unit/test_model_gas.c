/* Fees and rates against values worked out by hand, and against corpus blocks through the real decoder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "corpus.h"
#include "model_rig.h"

static bool close_to(double is, double want)
{
	return fabs(is - want) <= 1e-9 * fabs(want) + 1e-12;
}

static void put(struct model *m, const struct head *h, uint32_t txs)
{
	uint64_t ms = h->number * 12000;

	rig_say(m, 0, ms, h, SRC_PUSH);
	rig_block(m, 0, ms + 50, ms + 60, rig_body(h, txs, h->number * 10000), SRC_PUSH);
	rig_tick(m, ms + 300);
}

/* peers.md §4.1 rule 1: N blocks span N − 1 intervals; the first block only opens the first one. */
static void rates_span_intervals(void **state)
{
	struct model *m = rig_model(1, 1);
	const struct chain_stats *s = &model_chain(m)->stats;
	const uint32_t txs[] = { 900, 412, 240, 0, 301, 166, 431, 229, 388, 201 };
	double gas = 0;

	(void)state;
	for (uint64_t n = 1; n <= 10; n++) {
		struct head h = rig_head(n, n, n - 1);

		/* A slot was lost before the fifth: 9 intervals, 120 s. */
		h.time_ms += n >= 5 ? 12000 : 0;
		h.gas_used = n * 1000000;
		if (n > 1)
			gas += (double)h.gas_used;
		put(m, &h, txs[n - 1]);
		if (n == 1) {
			assert_false(s->rates_known);
			assert_true(isnan(s->tx_per_s));
		}
	}
	assert_int_equal(s->n, 10);
	assert_int_equal(s->span_ms, 120000);
	assert_true(s->rates_known);
	assert_true(close_to(s->tx_per_s, (412 + 240 + 0 + 301 + 166 + 431 + 229 + 388 + 201) / 120.0));
	assert_true(close_to(s->gas_per_s, gas / 120));
	assert_true(close_to(s->gas_used_share, 55.0 / 300));
	assert_true(close_to(s->type_share[TX_DYNAMIC], 1));
	assert_true(close_to(s->type_share[0], 0));
	assert_true(chain_by_number(model_chain(m), 5)->slot_lost);
	assert_false(chain_by_number(model_chain(m), 6)->slot_lost);
	/* Σ base fee × gas used: 55 million at 1 gwei. */
	assert_true(s->burned_known);
	assert_int_equal(u256_sat64(&s->burned), UINT64_C(55000000) * 1000000000);
	assert_int_equal(s->full_streak, 0);
	model_free(m);
}

/* The newest head's body is still on its way: what is shown is the window before, not nothing. */
static void head_without_body(void **state)
{
	struct model *m = rig_model(1, 1);
	const struct chain_stats *s = &model_chain(m)->stats;
	struct head h;

	(void)state;
	for (uint64_t n = 1; n <= 12; n++) {
		h = rig_head(n, n, n - 1);
		put(m, &h, 120);
	}
	h = rig_head(13, 13, 12);
	rig_say(m, 0, 13 * 12000, &h, SRC_PUSH);
	rig_tick(m, 13 * 12000 + 10);
	assert_true(s->rates_known);
	assert_true(close_to(s->tx_per_s, 10));
	/* What the next block costs depends on the header alone. */
	assert_true(model_chain(m)->next.base_known);
	/* Bodies that never come: nothing is claimed. */
	for (uint64_t n = 14; n <= 20; n++) {
		h = rig_head(n, n, n - 1);
		rig_say(m, 0, n * 12000, &h, SRC_PUSH);
	}
	rig_tick(m, 20 * 12000 + 300);
	assert_false(s->rates_known);
	assert_true(isnan(s->tx_per_s));
	assert_true(close_to(s->gas_used_share, 0.5)); /* headers know their gas */
	model_free(m);
}

static void full_streak(void **state)
{
	struct model *m = rig_model(1, 1);

	(void)state;
	for (uint64_t n = 1; n <= 9; n++) {
		struct head h = rig_head(n, n, n - 1);

		h.gas_used = n < 4 ? 28400000 : n == 4 ? 28000000 : 28500000;
		put(m, &h, 1);
	}
	assert_int_equal(model_chain(m)->stats.full_streak, 5);
	model_free(m);
}

/* peers.md §2.3 #15: an empty first block, times ahead of the clock, limits of 0. */
static void empty_and_odd(void **state)
{
	struct model *m = rig_model(1, 999999);
	const struct chain *c = model_chain(m);
	struct head h = rig_head(1, 1, 0);

	(void)state;
	h.gas_limit = h.gas_used = 0;
	h.has &= ~(uint32_t)H_BASE_FEE;
	put(m, &h, 0);
	assert_int_equal(c->stats.n, 1);
	assert_true(isnan(c->stats.gas_used_share));
	assert_true(isnan(c->stats.type_share[0]));
	assert_false(c->stats.burned_known);
	assert_false(c->any_base_fee);
	assert_false(c->head->tips.valid);
	assert_int_equal(c->block_ms, UNKNOWN);
	/* Two blocks of one second: no span, no rate. */
	h = rig_head(2, 2, 1);
	h.time_ms -= RIG_SLOT_MS;
	put(m, &h, 5);
	assert_int_equal(c->stats.span_ms, 0);
	assert_false(c->stats.rates_known);
	/* Backwards. */
	h = rig_head(3, 3, 2);
	h.time_ms = 0;
	put(m, &h, 5);
	assert_int_equal(blk_interval_ms(c, c->head), UNKNOWN);
	assert_false(c->stats.rates_known);
	model_free(m);
}

/* peers.md §2.3 #17: a window larger than the chain does not count below block 0. */
static void early_blocks(void **state)
{
	struct model *m = rig_model(1, 31337);

	(void)state;
	for (uint64_t n = 0; n <= 2; n++) {
		struct head h = rig_head(n, 100 + n, n ? 99 + n : 0);

		put(m, &h, 1);
	}
	assert_int_equal(model_chain(m)->stats.n, 3);
	assert_int_equal(model_chain(m)->stats.span_ms, 24000);
	assert_false(chain_by_number(model_chain(m), 0)->gap_before);
	model_free(m);
}

static void learns_block_time(void **state)
{
	struct model *m = rig_model(1, 999999);
	const struct chain *c = model_chain(m);
	struct head h;

	(void)state;
	for (uint64_t n = 1; n <= 40; n++) {
		h = rig_head(n, n, n - 1);
		h.time_ms = RIG_WALL0 / NS_MS + n * 2000 + (n > 20 ? 50000 : 0);
		put(m, &h, 1);
		if (n == 3)
			assert_int_equal(c->block_ms, UNKNOWN);
	}
	assert_int_equal(c->block_ms, 2000); /* the median does not mind one pause */
	assert_int_equal(c->stats.n, 30); /* 60 s of it */
	model_free(m);
	/* Seconds are too coarse for a chain of 250 ms: its arrivals tell. */
	m = rig_model(1, 999999);
	for (uint64_t n = 1; n <= 40; n++) {
		h = rig_head(n, n, n - 1);
		h.time_ms = RIG_WALL0 / NS_MS + n / 4 * 1000;
		rig_say(m, 0, n * 250, &h, SRC_PUSH);
		rig_tick(m, n * 250 + 100);
	}
	assert_int_equal(model_chain(m)->block_ms, 250);
	model_free(m);
	m = rig_model(1, 1);
	assert_int_equal(model_chain(m)->block_ms, 12000);
	model_free(m);
}

static void next_fees(void **state)
{
	struct model *m = rig_model(1, 1), *op = rig_model(1, 10), *dev = rig_model(1, 31337);
	struct head h = rig_head(25490415, 415, 0);
	const struct fees_next *f = &model_chain(m)->next;
	struct u256 excess_price;
	uint64_t excess;

	(void)state;
	/* design sample: 9.481925155 gwei at 44.1 % of 60 million. */
	h.gas_limit = 60000000;
	h.gas_used = 26460000;
	h.base_fee = u256_from64(9481925155);
	h.has |= H_EXCESS_BLOB_GAS | H_BLOB_GAS_USED;
	h.excess_blob_gas = 150000000;
	h.blob_gas_used = 9 * 131072;
	h.time_ms = UINT64_C(1790000000000);
	put(m, &h, 1);
	assert_true(f->base_known);
	/* b − b × (g_target − g) / g_target / 8, floors. */
	assert_int_equal(u256_sat64(&f->base), 9481925155 - UINT64_C(9481925155) * 3540000 / 30000000 / 8);
	assert_true(fabs(f->base_change + 0.01475) < 1e-6);
	assert_int_equal(f->blob_target, 14);
	assert_int_equal(f->blob_max, 21);
	assert_true(f->blob_known);
	assert_true(fee_next_excess(150000000, 9 * 131072, &h.base_fee,
				    chain_blobs(model_chain(m)->info, 1790000012), &excess));
	assert_true(fee_blob_base(excess, 11684671, &excess_price));
	assert_int_equal(u256_cmp(&f->blob_next, &excess_price), 0);
	/* A chain with its own rules: no guess. */
	put(op, &h, 1);
	assert_false(model_chain(op)->next.base_known);
	assert_false(model_chain(op)->next.blob_known);
	put(dev, &h, 1);
	assert_true(model_chain(dev)->next.base_known);
	assert_false(model_chain(dev)->next.blob_known);
	model_free(m);
	model_free(op);
	model_free(dev);
}

/*
 * EIP-1559 by hand: full adds an eighth, empty takes one. A head that is shown has its next block at once, not at the
 * tick.
 */
static void next_fee_goes_with_the_head(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head a = rig_head(100, 100, 99), b = rig_head(101, 101, 100);

	(void)state;
	a.gas_used = 30000000;
	b.base_fee = u256_from64(1125000000);
	b.gas_used = 0;
	put(m, &a, 3);
	assert_int_equal(u256_sat64(&model_chain(m)->next.base), 1125000000);
	rig_say(m, 0, 101 * 12000, &b, SRC_PUSH);
	assert_int_equal(model_chain(m)->head->h.number, 101);
	assert_int_equal(u256_sat64(&model_chain(m)->next.base), 984375000);
	model_free(m);
}

/* The schedule is that of the child: the last block before a fork. */
static void blob_schedule_of_the_child(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head h = rig_head(24000000, 1, 0);
	const struct fees_next *f = &model_chain(m)->next;
	struct u256 want;
	uint64_t excess;

	(void)state;
	h.time_ms = UINT64_C(1767747671000) - 12000; /* the fork to 14/21 is the next slot */
	h.has |= H_EXCESS_BLOB_GAS | H_BLOB_GAS_USED;
	h.excess_blob_gas = 100000000;
	h.blob_gas_used = 15 * 131072;
	put(m, &h, 0);
	assert_int_equal(f->blob_target, 10);
	assert_true(f->blob_known);
	assert_true(fee_next_excess(h.excess_blob_gas, h.blob_gas_used, &h.base_fee,
				    chain_blobs(model_chain(m)->info, 1767747671), &excess));
	assert_true(fee_blob_base(excess, 11684671, &want));
	assert_int_equal(u256_cmp(&f->blob_next, &want), 0);
	assert_true(fee_blob_base(h.excess_blob_gas, 8346193, &want));
	assert_int_equal(u256_cmp(&f->blob_now, &want), 0);
	model_free(m);
}

static void first_london_block(void **state)
{
	struct model *m = rig_model(1, 1);
	struct head h = rig_head(12964999, 1, 0);

	(void)state;
	h.has &= ~(uint32_t)H_BASE_FEE;
	put(m, &h, 0);
	assert_true(model_chain(m)->next.base_known);
	assert_int_equal(u256_sat64(&model_chain(m)->next.base), 1000000000);
	model_free(m);
}

/* ---- real blocks ---- */

static uint64_t member_u64(const cJSON *o, const char *name)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, name);

	if (cJSON_IsString(v))
		return strtoull(v->valuestring, NULL, 10);
	return cJSON_IsNumber(v) ? (uint64_t)v->valuedouble : 0;
}

static void check_real(struct model *m, struct blockdec *d, const cJSON *want, unsigned *seen)
{
	uint64_t number = member_u64(want, "number");
	const cJSON *types = cJSON_GetObjectItemCaseSensitive(want, "types"), *t;
	const cJSON *tips = cJSON_GetObjectItemCaseSensitive(want, "tips"), *burnt;
	const struct block *scratch;
	const struct blk *b;
	char name[64], digits[80];
	uint32_t count[6] = { 0 };
	struct u256 gas, product;
	struct err e;
	size_t n;
	char *text;

	snprintf(name, sizeof(name), "mainnet/%llu.json", (unsigned long long)number);
	text = corpus_read(name, &n);
	assert_int_equal(block_decode(d, text, n, true, &scratch, &e), ST_OK);
	rig_block(m, 0, number % 1000, number % 1000 + 5, block_keep(scratch), SRC_ASKED);
	b = chain_by_hash(m->chains[0], &scratch->h.hash);
	assert_non_null(b);
	assert_true(b->body_seen);
	assert_int_equal(b->size, n);
	assert_int_equal(b->ntx, member_u64(want, "txs"));
	cJSON_ArrayForEach(t, types) {
		unsigned long type = strtoul(t->string, NULL, 16);

		count[type <= 4 ? type : 5] += (uint32_t)t->valuedouble;
	}
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(b->types[i], count[i]);
	assert_int_equal(b->creates, member_u64(want, "creates"));
	assert_int_equal(b->blobs, member_u64(want, "blobs"));
	if (cJSON_GetObjectItemCaseSensitive(tips, "50")) {
		assert_true(b->tips.valid);
		assert_string_equal(u256_dec(digits, sizeof(digits), &b->tips.p50),
				    cJSON_GetObjectItemCaseSensitive(tips, "50")->valuestring);
		assert_string_equal(u256_dec(digits, sizeof(digits), &b->tips.p90),
				    cJSON_GetObjectItemCaseSensitive(tips, "90")->valuestring);
	} else {
		assert_false(b->tips.valid);
	}
	burnt = cJSON_GetObjectItemCaseSensitive(want, "burnt");
	if (cJSON_IsString(burnt) && b->h.has & H_BASE_FEE) {
		gas = u256_from64(b->h.gas_used);
		assert_true(u256_mul(&product, &b->h.base_fee, &gas));
		if (!b->h.blob_gas_used)
			assert_string_equal(u256_dec(digits, sizeof(digits), &product), burnt->valuestring);
	}
	(*seen)++;
	free(text);
}

static void real_blocks(void **state)
{
	struct model *m;
	struct blockdec *d;
	cJSON *all, *one;
	unsigned seen = 0;

	(void)state;
	corpus_dir();
	m = rig_model(1, 1);
	d = blockdec_new();
	all = corpus_expected();
	cJSON_ArrayForEach(one, all) {
		char path[512];
		FILE *f;

		snprintf(path, sizeof(path), "%s/mainnet/%llu.json", corpus_dir(),
			 (unsigned long long)member_u64(one, "number"));
		f = fopen(path, "rb");
		if (!f)
			continue;
		fclose(f);
		check_real(m, d, one, &seen);
	}
	print_message("%u real blocks\n", seen);
	assert_true(seen > 40);
	rig_tick(m, 2000);
	assert_true(m->own.bodies_bytes <= BODIES_BYTES);
	cJSON_Delete(all);
	blockdec_free(d);
	model_free(m);
}

/* Two real neighbours: the fee that was foretold is the fee that came. */
static void real_next_base(void **state)
{
	static const uint64_t pairs[][2] = { { 15537393, 15537394 }, { 17034869, 17034870 }, { 19426586, 19426587 } };
	struct blockdec *d;

	(void)state;
	corpus_dir();
	d = blockdec_new();
	for (unsigned i = 0; i < 3; i++) {
		struct model *m = rig_model(1, 1);
		const struct block *scratch;
		struct u256 foretold;
		char name[64];
		struct err e;
		size_t n;
		char *text;

		for (unsigned k = 0; k < 2; k++) {
			snprintf(name, sizeof(name), "mainnet/%llu.json", (unsigned long long)pairs[i][k]);
			text = corpus_read(name, &n);
			assert_int_equal(block_decode(d, text, n, true, &scratch, &e), ST_OK);
			if (k == 0) {
				struct head h;

				head_from(&h, &scratch->h, block_at(scratch, scratch->h.extra));
				rig_say(m, 0, 10, &h, SRC_PUSH);
				rig_tick(m, 300);
				assert_true(model_chain(m)->next.base_known);
				foretold = model_chain(m)->next.base;
			} else {
				assert_int_equal(u256_cmp(&foretold, &scratch->h.base_fee), 0);
			}
			free(text);
		}
		model_free(m);
	}
	blockdec_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_span_intervals),
		cmocka_unit_test(head_without_body),
		cmocka_unit_test(full_streak),
		cmocka_unit_test(empty_and_odd),
		cmocka_unit_test(early_blocks),
		cmocka_unit_test(learns_block_time),
		cmocka_unit_test(next_fees),
		cmocka_unit_test(next_fee_goes_with_the_head),
		cmocka_unit_test(blob_schedule_of_the_child),
		cmocka_unit_test(first_london_block),
		cmocka_unit_test(real_blocks),
		cmocka_unit_test(real_next_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
