/* A block's transactions as a table; see block_txs.h. */
#include "ui/panes/block_txs.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "eth/address.h"
#include "eth/fee.h"
#include "eth/names.h"
#include "ui/panes/parts.h"

enum col { COL_INDEX, COL_TO, COL_METHOD, COL_VALUE, COL_TIP, COL_FROM, COL_GAS, COL_TYPE };
_Static_assert((int)COL_TYPE + 1 == (int)TXS_COLS, "one title each");

static const struct table_col cols[TXS_COLS] = {
	[COL_INDEX] = { .title = "#", .gap = 0, .width = 4 },
	[COL_TO] = { .title = "to", .gap = 2, .width = 20, .align = TABLE_LEFT },
	[COL_METHOD] = { .title = "method", .gap = 2, .width = 10, .align = TABLE_LEFT, .priority = 2 },
	[COL_VALUE] = { .title = "value", .gap = 1, .width = 9, .priority = 1 },
	[COL_TIP] = { .title = "tip gwei", .gap = 2, .width = 8, .priority = 3 },
	[COL_FROM] = { .title = "from", .gap = 2, .width = 11, .align = TABLE_LEFT, .priority = 4 },
	[COL_GAS] = { .title = "gas limit", .gap = 1, .width = 10, .priority = 5 },
	[COL_TYPE] = { .title = "type", .gap = 2, .width = 4, .priority = 6 },
};

void txs_columns(const struct block_view *v, int w, struct table_col out[TXS_COLS])
{
	static const char *const tip[] = { [FEE_GWEI] = "tip gwei", [FEE_WEI] = "tip wei", [FEE_ETHER] = "tip ether" };

	memcpy(out, cols, sizeof(cols));
	/* Room for method names like swapExactTokensForTokens. */
	if (w > 76)
		out[COL_METHOD].grow = 1;
	out[COL_TIP].title = tip[v->unit < FEE_UNIT_N ? v->unit : FEE_GWEI];
	if (v->unit != FEE_GWEI)
		out[COL_TIP].width += 6;
	if (v->c && strcmp(parts_unit(v->c), "\xce\x9e") == 0)
		out[COL_VALUE].title = "value \xce\x9e";
}

bool tx_tip(const struct block *b, const struct tx *t, struct u256 *out)
{
	const struct u256 *base = b->h.has & H_BASE_FEE ? &b->h.base_fee : NULL;

	if (t->type == TX_DEPOSIT || !fee_effective(t, base, out))
		return false;
	return !base || u256_sub(out, out, base);
}

void tx_method(const struct block *b, const struct tx *t, char *out, size_t size)
{
	const uint8_t *in = block_at(b, t->input);
	const char *name = t->input.len >= 4 && t->has & T_TO ? name_selector(in) : NULL;
	char hex[2 + 4 + 1];

	if (t->has & (T_HASH_ONLY | T_UNKNOWN_TYPE))
		out[0] = '\0';
	else if (name)
		snprintf(out, size, "%s", name);
	else if (t->type == TX_BLOB)
		snprintf(out, size, "blob \xc3\x97 %u", t->blobs.len);
	else if (t->type == TX_SET_CODE && t->input.len < 4)
		snprintf(out, size, "set code");
	else if (t->input.len == 0)
		snprintf(out, size, "%s", t->has & T_TO ? "send" : "");
	else
		snprintf(out, size, "%s\xe2\x80\xa6", hex_print(hex, in, t->input.len < 2 ? t->input.len : 2));
}

static const struct tx *at(const void *ctx, unsigned row)
{
	return block_txs(((const struct block_view *)ctx)->body) + row;
}

static uint64_t key(const void *ctx, unsigned row)
{
	(void)ctx;
	return (uint64_t)row + 1;
}

static void address(const struct block_view *v, const struct addr *a, char *out, size_t size)
{
	const char *name = v->c ? name_addr(v->c->id, a) : NULL;
	char text[ADDRESS_SHORT];

	snprintf(out, size, "%s%s%s", address_short(text, a), name ? " " : "", name ? name : "");
}

static void cell_to(const struct block_view *v, const struct tx *t, struct table_cell *out)
{
	char hex[2 + 64 + 1];

	if (t->has & T_HASH_ONLY) {
		out->spill = true;
		snprintf(out->text, sizeof(out->text), "%s", hex_print(hex, t->hash.b, 32));
	} else if (t->has & T_TO) {
		address(v, &t->to, out->text, sizeof(out->text));
	} else {
		snprintf(out->text, sizeof(out->text), t->has & T_UNKNOWN_TYPE ? "\xe2\x80\x94" : "create");
		out->role = ROLE_INFO;
	}
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	static const char *const type[] = { "0", "1", "2", "3", "4" };
	const struct block_view *v = ctx;
	const struct tx *t = at(v, row);
	struct u256 tip;
	bool known;

	switch ((enum col)col) {
	case COL_INDEX:
		snprintf(out->text, sizeof(out->text), "%u", row);
		out->role = ROLE_LABEL;
		break;
	case COL_TO:
		cell_to(v, t, out);
		break;
	case COL_METHOD:
		tx_method(v->body, t, out->text, sizeof(out->text));
		out->role = ROLE_BUILDER;
		break;
	case COL_VALUE:
		number_ether(out->text, sizeof(out->text), &t->value, 4);
		/* Less than the last digit is not nothing. */
		if (!u256_is_zero(&t->value) && strcmp(out->text, "0.0000") == 0)
			snprintf(out->text, sizeof(out->text), "<0.0001");
		if (u256_is_zero(&t->value))
			out->role = ROLE_LABEL;
		break;
	case COL_TIP:
		known = tx_tip(v->body, t, &tip);
		number_fee_in(out->text, sizeof(out->text), known ? &tip : NULL, v->unit);
		if (known && v->unit == FEE_GWEI && !u256_is_zero(&tip) && u256_sat64(&tip) < 500000)
			snprintf(out->text, sizeof(out->text), "<0.001");
		break;
	case COL_FROM:
		if (t->has & T_FROM)
			address_short(out->text, &t->from);
		break;
	case COL_GAS:
		number_int(out->text, sizeof(out->text), t->gas);
		break;
	case COL_TYPE:
		if (t->type <= TX_SET_CODE)
			snprintf(out->text, sizeof(out->text), "%s", type[t->type]);
		else
			snprintf(out->text, sizeof(out->text), "0x%x", t->type);
		break;
	}
	out->role = parts_role(out->text, out->role);
}

/* The largest first: what one sorts by is what one looks for. */
static int by_amount(const struct u256 *a, bool a_known, const struct u256 *b, bool b_known)
{
	if (!a_known || !b_known)
		return (int)b_known - (int)a_known;
	return u256_cmp(b, a);
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct block_view *v = ctx;
	const struct tx *x = at(v, a), *y = at(v, b);
	struct u256 p, q;
	bool p_known, q_known;
	char m[64], n[64];

	switch ((enum col)col) {
	case COL_TO:
		return memcmp(x->to.b, y->to.b, sizeof(x->to.b));
	case COL_METHOD:
		tx_method(v->body, x, m, sizeof(m));
		tx_method(v->body, y, n, sizeof(n));
		return strcmp(m, n);
	case COL_VALUE:
		return u256_cmp(&y->value, &x->value);
	case COL_TIP:
		p_known = tx_tip(v->body, x, &p);
		q_known = tx_tip(v->body, y, &q);
		return by_amount(&p, p_known, &q, q_known);
	case COL_FROM:
		return memcmp(x->from.b, y->from.b, sizeof(x->from.b));
	case COL_GAS:
		return by_number(x->gas, y->gas);
	case COL_TYPE:
		return by_number(x->type, y->type);
	default:
		return -by_number(a, b);
	}
}

struct table_source txs_source(const struct block_view *v)
{
	return (struct table_source){ .ctx = v, .n = v->body ? v->body->txs.len : 0, .key = key, .cell = cell, .cmp = cmp };
}
