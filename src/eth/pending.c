#include "eth/pending.h"

#include "base/hex.h"

static bool take_hash(struct json *j, struct hash *h)
{
	struct json_str s;

	return json_string(j, &s) && hex_fixed(s.p, s.n, h->b, 32);
}

/* Null is what nodes write for what a type does not have. */
static uint64_t take_fee(struct json *j)
{
	struct json_str s;
	struct u256 v;

	if (json_peek(j) != JSON_STRING) {
		json_skip(j, NULL);
		return UINT64_MAX;
	}
	return json_string(j, &s) && hex_u256(s.p, s.n, &v, NULL) ? u256_sat64(&v) : UINT64_MAX;
}

bool pending_read(const struct json_str *result, struct pending *out)
{
	uint64_t price = UINT64_MAX;
	struct json_str key;
	bool hash = false;
	struct json j;

	*out = (struct pending){ .max_fee = UINT64_MAX };
	json_init(&j, result->p, result->n);
	if (json_peek(&j) == JSON_STRING)
		return take_hash(&j, &out->hash) && json_end(&j);
	if (json_peek(&j) != JSON_OBJECT || !json_object(&j))
		return false;
	while (json_key(&j, &key)) {
		if (JSON_IS(&key, "hash")) {
			if (json_peek(&j) != JSON_STRING || !take_hash(&j, &out->hash))
				return false;
			hash = true;
		} else if (JSON_IS(&key, "maxFeePerGas")) {
			out->max_fee = take_fee(&j);
		} else if (JSON_IS(&key, "gasPrice")) {
			price = take_fee(&j);
		} else {
			json_skip(&j, NULL);
		}
	}
	/* Of a type 2 transaction that waits, nodes write the most that it pays, or today's price, as gasPrice. */
	if (out->max_fee == UINT64_MAX)
		out->max_fee = price;
	return hash && json_end(&j);
}

bool pending_is_head(const struct json_str *result)
{
	struct json_str key;
	struct json j;

	json_init(&j, result->p, result->n);
	if (json_peek(&j) != JSON_OBJECT || !json_object(&j))
		return false;
	while (json_key(&j, &key)) {
		if (JSON_IS(&key, "parentHash"))
			return true;
		json_skip(&j, NULL);
	}
	return false;
}
