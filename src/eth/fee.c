#include "eth/fee.h"

#include <stdlib.h>

enum {
	GWEI = 1000000000,
	ELASTICITY = 2, /* EIP-1559 */
	CHANGE_DENOMINATOR = 8,
	BLOB_GAS = 131072, /* EIP-4844 GAS_PER_BLOB */
	BLOB_BASE_COST = 8192, /* EIP-7918 */
	/* The terms fall once i > num / den, and overflow long before this many have risen. */
	EXPONENTIAL_STEPS = 4096,
};

bool fee_next_base(
	const struct u256 *base_fee, uint64_t gas_used, uint64_t gas_limit, struct u256 *out)
{
	const uint64_t target = gas_limit / ELASTICITY;
	struct u256 off, step, divisor;

	if (base_fee == NULL) {
		*out = u256_from64(GWEI);
		return true;
	}
	*out = *base_fee;
	if (gas_used == target || target == 0)
		return true;
	off = u256_from64(gas_used > target ? gas_used - target : target - gas_used);
	divisor = u256_from64(target);
	if (!u256_mul(&step, base_fee, &off) || !u256_divmod(&step, NULL, &step, &divisor))
		return false;
	divisor = u256_from64(CHANGE_DENOMINATOR);
	if (!u256_divmod(&step, NULL, &step, &divisor))
		return false;
	if (gas_used < target)
		return u256_sub(out, base_fee, &step);
	if (u256_is_zero(&step))
		step = u256_from64(1);
	return u256_add(out, base_fee, &step);
}

bool fee_fake_exponential(
	const struct u256 *factor, const struct u256 *num, const struct u256 *den, struct u256 *out)
{
	struct u256 sum = u256_from64(0), term, divisor;

	if (u256_is_zero(den) || !u256_mul(&term, factor, den))
		return false;
	for (uint64_t i = 1; !u256_is_zero(&term); i++) {
		divisor = u256_from64(i);
		if (i > EXPONENTIAL_STEPS || !u256_add(&sum, &sum, &term) ||
			!u256_mul(&term, &term, num) || !u256_mul(&divisor, den, &divisor) ||
			!u256_divmod(&term, NULL, &term, &divisor))
			return false;
	}
	return u256_divmod(out, NULL, &sum, den);
}

bool fee_blob_base(uint64_t excess, uint64_t fraction, struct u256 *out)
{
	const struct u256 one = u256_from64(1), num = u256_from64(excess);
	const struct u256 den = u256_from64(fraction);

	return fee_fake_exponential(&one, &num, &den, out);
}

bool fee_next_excess(uint64_t excess, uint64_t used, const struct u256 *parent_base_fee,
	const struct blob_schedule *s, uint64_t *out)
{
	const uint64_t target_gas = (uint64_t)s->target * BLOB_GAS;
	struct u256 reserve, price, factor;
	uint64_t sum;

	if (__builtin_add_overflow(excess, used, &sum))
		return false;
	if (sum < target_gas) {
		*out = 0;
		return true;
	}
	if (s->osaka && s->max > 0 && s->max >= s->target) {
		factor = u256_from64(BLOB_BASE_COST);
		if (!u256_mul(&reserve, parent_base_fee, &factor) ||
			!fee_blob_base(excess, s->fraction, &price))
			return false;
		factor = u256_from64(BLOB_GAS);
		if (!u256_mul(&price, &price, &factor))
			return false;
		if (u256_cmp(&reserve, &price) > 0) {
			/*
			 * The execution cost of a blob is over its blob fee: raise the fee although
			 * blobs are on target.
			 */
			uint64_t part;

			if (__builtin_mul_overflow(used, (uint64_t)(s->max - s->target), &part))
				return false;
			return !__builtin_add_overflow(excess, part / s->max, out);
		}
	}
	*out = sum - target_gas;
	return true;
}

bool fee_effective(const struct tx *t, const struct u256 *base_fee, struct u256 *out)
{
	if (t->type == TX_DEPOSIT || (t->has & T_HASH_ONLY))
		return false;
	if (!(t->has & T_MAX_FEE)) {
		*out = t->gas_price;
		return t->has & T_GAS_PRICE;
	}
	*out = t->max_fee;
	if (base_fee == NULL)
		return true;
	if (u256_add(out, base_fee, &t->max_priority) && u256_cmp(out, &t->max_fee) <= 0)
		return true;
	*out = t->max_fee;
	return true;
}

static int by_value(const void *a, const void *b)
{
	return u256_cmp(a, b);
}

/* Nearest rank: the smallest value that at least `percent` of all are not over. */
static const struct u256 *percentile(const struct u256 *sorted, uint32_t n, unsigned percent)
{
	return &sorted[((uint64_t)n * percent + 99) / 100 - 1];
}

enum status fee_block_tips(const struct block *b, struct u256 *scratch, struct fee_tips *out)
{
	const struct u256 *const base = b->h.has & H_BASE_FEE ? &b->h.base_fee : NULL;
	const struct tx *const txs = block_txs(b);
	const uint32_t ntx = b->txs.len;
	struct u256 *tips = scratch, price;
	uint32_t n = 0;

	*out = (struct fee_tips){ .valid = false };
	if (ntx == 0)
		return ST_OK;
	if (tips == NULL)
		tips = malloc(ntx * sizeof(*tips));
	if (tips == NULL)
		return ST_NOMEM;
	for (uint32_t i = 0; i < ntx; i++) {
		if (!fee_effective(&txs[i], base, &price))
			continue;
		/*
		 * Below the base fee only a chain's own system transactions are mined: they tip
		 * nothing.
		 */
		if (base == NULL)
			tips[n++] = price;
		else if (!u256_sub(&tips[n++], &price, base))
			tips[n - 1] = u256_from64(0);
	}
	if (n > 0) {
		qsort(tips, n, sizeof(*tips), by_value);
		*out = (struct fee_tips){
			.valid = true,
			.p10 = *percentile(tips, n, 10),
			.p50 = *percentile(tips, n, 50),
			.p90 = *percentile(tips, n, 90),
			.n = n,
		};
	}
	if (tips != scratch)
		free(tips);
	return ST_OK;
}

struct priced {
	struct u256 tip;
	uint64_t gas;
};

static int by_tip(const void *a, const void *b)
{
	return u256_cmp(&((const struct priced *)a)->tip, &((const struct priced *)b)->tip);
}

/* The gas used dealt out from the first on, each at most its limit. */
static bool deal_out(const struct priced *v, uint32_t n, bool from_above, uint64_t used, struct u256 *sum)
{
	*sum = u256_from64(0);
	for (uint32_t i = 0; i < n && used; i++) {
		const struct priced *p = &v[from_above ? n - 1 - i : i];
		uint64_t gas = p->gas < used ? p->gas : used;
		struct u256 g = u256_from64(gas), pays;

		if (!u256_mul(&pays, &p->tip, &g) || !u256_add(sum, sum, &pays))
			return false;
		used -= gas;
	}
	return used == 0;
}

bool fee_tip_bounds(const struct block *b, struct u256 *lo, struct u256 *hi)
{
	const struct u256 *const base = b->h.has & H_BASE_FEE ? &b->h.base_fee : NULL;
	const struct tx *const txs = block_txs(b);
	struct priced *v;
	struct u256 price;
	bool ok = true;

	*lo = *hi = u256_from64(0);
	if (b->txs.len == 0)
		return true;
	v = calloc(b->txs.len, sizeof(*v));
	if (v == NULL)
		return false;
	for (uint32_t i = 0; i < b->txs.len && ok; i++) {
		v[i].gas = txs[i].gas;
		if (txs[i].type == TX_DEPOSIT)
			continue; /* uses gas and tips nothing */
		ok = fee_effective(&txs[i], base, &price);
		if (ok && (base == NULL || !u256_sub(&v[i].tip, &price, base)))
			v[i].tip = base == NULL ? price : u256_from64(0);
	}
	if (ok) {
		qsort(v, b->txs.len, sizeof(*v), by_tip);
		ok = deal_out(v, b->txs.len, false, b->h.gas_used, lo) && deal_out(v, b->txs.len, true, b->h.gas_used, hi);
	}
	free(v);
	return ok;
}

bool fee_burned(const struct header *h, const struct blob_schedule *s, struct u256 *out)
{
	struct u256 gas = u256_from64(h->gas_used), price, blob_gas;

	if (!(h->has & H_BASE_FEE) || !u256_mul(out, &h->base_fee, &gas))
		return false;
	if (h->blob_gas_used == 0)
		return true;
	blob_gas = u256_from64(h->blob_gas_used);
	return s != NULL && fee_blob_base(h->excess_blob_gas, s->fraction, &price) &&
		u256_mul(&price, &price, &blob_gas) && u256_add(out, out, &price);
}
