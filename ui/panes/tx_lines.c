/* A transaction line by line; see tx_lines.h. */
#include "ui/panes/tx_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/time.h"
#include "eth/address.h"
#include "eth/fee.h"
#include "eth/names.h"
#include "eth/recover.h"
#include "ui/panes/block_txs.h"

enum {
	WORD = 32, /* of the ABI */
	ROW_WIDE = 32,
	ROW_NARROW = 16,
	ROW_LEAST = 8,
	RAW_ROW = 60, /* columns of a line of raw text */
	DATA_LABEL = 9,
};

enum field {
	F_HASH, F_BLOCK, F_TYPE, F_FROM, F_TO, F_CREATES, F_VALUE, F_METHOD, F_NONCE, F_GAS, F_EFFECTIVE, F_TIP, F_FEE,
	F_GAS_PRICE, F_MAX_FEE, F_MAX_PRIORITY, F_MAX_BLOB, F_BLOB_COST, F_CHAIN, F_V, F_PARITY, F_R, F_S, F_SOURCE, F_MINT,
	F_SYSTEM, F_VERSION, F_N
};
_Static_assert((int)F_N <= (int)TX_FIELDS_MAX, "every field has room");

static const struct u256 *base_of(const struct tx_view *v)
{
	return v->body->h.has & H_BASE_FEE ? &v->body->h.base_fee : NULL;
}

/* ---- what there is ---- */

static bool has_field(const struct tx_view *v, enum field f)
{
	const struct tx *t = v->t;
	struct u256 wei;

	if (t->has & T_HASH_ONLY)
		return f == F_HASH || f == F_BLOCK;
	switch (f) {
	case F_FROM:
		return t->has & T_FROM;
	case F_TO:
		return t->has & T_TO;
	case F_CREATES:
		return !(t->has & (T_TO | T_UNKNOWN_TYPE)) && t->has & T_FROM && t->has & T_NONCE && t->type != TX_DEPOSIT;
	case F_METHOD:
		return t->has & T_TO && t->input.len >= 4;
	case F_NONCE:
		return t->has & T_NONCE;
	case F_EFFECTIVE:
	case F_FEE:
		return fee_effective(t, base_of(v), &wei);
	case F_TIP:
		return base_of(v) && tx_tip(v->body, t, &wei);
	case F_GAS_PRICE:
		return t->has & T_GAS_PRICE && !(t->has & T_MAX_FEE);
	case F_MAX_FEE:
		return t->has & T_MAX_FEE;
	case F_MAX_PRIORITY:
		return t->has & T_MAX_PRIORITY;
	case F_MAX_BLOB:
		return t->has & T_MAX_BLOB_FEE;
	case F_BLOB_COST:
		return t->blobs.len > 0;
	case F_CHAIN:
		return t->has & T_CHAIN_ID;
	case F_V:
	case F_R:
	case F_S:
		return t->has & T_SIG;
	case F_PARITY:
		return t->has & T_Y_PARITY && t->type != TX_LEGACY;
	case F_SOURCE:
		return t->has & T_SOURCE_HASH;
	case F_MINT:
		return t->has & T_MINT;
	case F_SYSTEM:
		return t->has & T_SYSTEM;
	case F_VERSION:
		return t->has & T_DEPOSIT_VERSION;
	default:
		return true;
	}
}

static unsigned access_lines(const struct tx_view *v)
{
	const struct access_entry *a = block_at(v->body, v->t->access);
	unsigned n = v->t->access.len;

	for (uint32_t i = 0; i < v->t->access.len; i++)
		n += a[i].keys.len;
	return n ? n + 2 : 0;
}

static unsigned data_lines(struct tx_view *v)
{
	uint32_t n = v->t->input.len;
	bool call = v->t->has & T_TO && n >= 4 && (n - 4) % WORD == 0;
	int room = v->width + TX_LABEL - DATA_LABEL;

	v->head = call ? 4 : 0;
	/* Words of the ABI stay whole where they fit; else bytes with what they spell. */
	v->row = call ? (room >= 2 * WORD ? WORD : ROW_NARROW) : room >= 3 * ROW_WIDE + 2 ? ROW_WIDE : ROW_NARROW;
	if (room < 2 * ROW_NARROW)
		v->row = ROW_LEAST;
	if (v->t->has & T_UNKNOWN_TYPE)
		return v->t->raw.len ? (v->t->raw.len + RAW_ROW - 1) / RAW_ROW + 2 : 0;
	return n ? (v->head ? 1 : 0) + (n - v->head + v->row - 1) / v->row + 2 : 0;
}

static void prove(struct tx_view *v)
{
	struct verifier *s = verifier_new();
	struct hash h;
	struct addr a;

	if (!s)
		return;
	if (!(v->t->has & T_HASH_ONLY) && tx_hash(s, v->body, v->t, &h) == ST_OK)
		v->hash = hash_eq(&h, &v->t->hash) ? PROOF_YES : PROOF_NO;
	if (v->t->has & T_FROM && tx_sender(s, v->body, v->t, &a) == ST_OK)
		v->sender = addr_eq(&a, &v->t->from) ? PROOF_YES : PROOF_NO;
	verifier_free(s);
}

void tx_view(struct tx_view *v, const struct model *m, const struct block *body, const struct tx *t)
{
	enum fee_unit unit = v->unit;
	int width = v->width;

	*v = (struct tx_view){ .m = m, .c = model_chain(m), .body = body, .t = t, .unit = unit, .width = width };
	for (unsigned f = 0; f < F_N; f++) {
		if (has_field(v, (enum field)f))
			v->field[v->n_fields++] = (uint8_t)f;
	}
	v->access = v->n_fields;
	v->auths = v->access + access_lines(v);
	v->blobs = v->auths + (t->auths.len ? t->auths.len + 2 : 0);
	v->data = v->blobs + (t->blobs.len ? t->blobs.len + 2 : 0);
	v->end = v->data + data_lines(v);
	prove(v);
}

/* ---- fields ---- */

static void mark(struct doc_line *l, const char *what, enum tx_proof proof)
{
	if (proof == PROOF_NONE)
		return;
	snprintf(l->mark[0].text, sizeof(l->mark[0].text), "%s%s", what,
		 proof == PROOF_YES ? "\xe2\x9c\x93" : "\xe2\x9c\x97");
	l->mark[0].role = proof == PROOF_YES ? ROLE_OK : ROLE_CRIT;
}

static void line_hash(const struct tx_view *v, struct doc_line *l)
{
	char hex[67];

	snprintf(l->text, sizeof(l->text), "%s", parts_hex(hex, &v->t->hash));
	mark(l, "", v->hash);
}

static void line_block(const struct tx_view *v, struct doc_line *l)
{
	const struct header *h = &v->body->h;
	char n[NUMBER_MAX], age[40];

	snprintf(l->text, sizeof(l->text), "%s \xc2\xb7 index %" PRIu32 " of %" PRIu32 " \xc2\xb7 %s old",
		 number_int(n, sizeof(n), h->number), v->t->index, v->body->txs.len,
		 parts_age(age, sizeof(age), parts_since(v->m, h->time_ms)));
}

static void line_type(const struct tx_view *v, struct doc_line *l)
{
	static const char *const name[] = { "legacy", "access list (EIP-2930)", "dynamic fee (EIP-1559)", "blobs (EIP-4844)",
					    "set code (EIP-7702)" };
	uint32_t type = v->t->type;

	snprintf(l->text, sizeof(l->text), "0x%" PRIx32 "  %s", type,
		 type <= TX_SET_CODE ? name[type] : type == TX_DEPOSIT ? "deposit from L1" : "unknown to this version");
}

static void line_address(const struct tx_view *v, const struct addr *a, struct doc_line *l)
{
	const char *name = v->c ? name_addr(v->c->id, a) : NULL;
	char text[ADDRESS_TEXT];

	snprintf(l->text, sizeof(l->text), "%s%s%s", address_text(text, a), name ? "  " : "", name ? name : "");
}

static void line_ether(const struct tx_view *v, const struct u256 *wei, const char *before, struct doc_line *l)
{
	char n[NUMBER_MAX];

	snprintf(l->text, sizeof(l->text), "%s%s %s", before, number_ether(n, sizeof(n), wei, 18), parts_unit(v->c));
}

static const struct name_selector *selector(const uint8_t sel[4])
{
	size_t n, i;
	const struct name_selector *table = name_selector_table(&n);
	uint32_t want = (uint32_t)sel[0] << 24 | (uint32_t)sel[1] << 16 | (uint32_t)sel[2] << 8 | sel[3];

	for (i = 0; i < n; i++) {
		if (table[i].selector == want)
			return &table[i];
	}
	return NULL;
}

static const uint8_t *input(const struct tx_view *v)
{
	return block_at(v->body, v->t->input);
}

static void line_method(const struct tx_view *v, struct doc_line *l)
{
	const struct name_selector *s = selector(input(v));
	char hex[2 + 8 + 1];

	hex_print(hex, input(v), 4);
	if (s)
		snprintf(l->text, sizeof(l->text), "%s%s  %s", s->name, s->args, hex);
	else
		snprintf(l->text, sizeof(l->text), "%s  no name known here", hex);
	l->role = s ? ROLE_BUILDER : ROLE_TEXT;
}

/* A price per gas, exact. */
static void line_price(const struct tx_view *v, const struct u256 *wei, struct doc_line *l)
{
	char n[NUMBER_MAX];

	if (v->unit == FEE_GWEI)
		number_gwei(n, sizeof(n), wei, 9);
	else if (v->unit == FEE_ETHER)
		number_ether(n, sizeof(n), wei, 18);
	else
		number_fee_in(n, sizeof(n), wei, FEE_WEI);
	snprintf(l->text, sizeof(l->text), "%s %s", n, fee_unit_name(v->unit));
}

static void line_effective(const struct tx_view *v, struct doc_line *l)
{
	struct u256 wei = u256_from64(0);

	if (fee_effective(v->t, base_of(v), &wei))
		line_price(v, &wei, l);
	if (base_of(v))
		snprintf(l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), " per gas = base fee + tip");
	else
		snprintf(l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), " per gas");
}

static void line_tip(const struct tx_view *v, struct doc_line *l)
{
	struct u256 wei;

	if (tx_tip(v->body, v->t, &wei))
		line_price(v, &wei, l);
	snprintf(l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), " per gas to the proposer");
}

/* How much gas was used stands in the receipt; until then it is a bound. */
static bool fee_bound(const struct tx_view *v, struct u256 *out)
{
	struct u256 gas = u256_from64(v->t->gas);

	return fee_effective(v->t, base_of(v), out) && u256_mul(out, out, &gas);
}

static void line_fee(const struct tx_view *v, struct doc_line *l)
{
	struct u256 wei;

	if (!fee_bound(v, &wei)) {
		snprintf(l->text, sizeof(l->text), "\xe2\x80\x94");
		return;
	}
	line_ether(v, &wei, "\xe2\x89\xa4 ", l);
	snprintf(l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), "  (gas limit \xc3\x97 effective price)");
}

static bool blob_cost(const struct tx_view *v, struct u256 *out)
{
	const struct header *h = &v->body->h;
	const struct blob_schedule *s = v->c ? chain_blobs(v->c->info, h->timestamp) : NULL;
	struct u256 gas = u256_from64((uint64_t)v->t->blobs.len * BLOB_GAS);

	return s && h->has & H_EXCESS_BLOB_GAS && fee_blob_base(h->excess_blob_gas, s->fraction, out) &&
	       u256_mul(out, out, &gas);
}

static void line_blob_cost(const struct tx_view *v, struct doc_line *l)
{
	struct u256 wei;
	char n[NUMBER_MAX];
	int at = snprintf(l->text, sizeof(l->text), "%u blob%s", v->t->blobs.len, v->t->blobs.len == 1 ? "" : "s");

	if (blob_cost(v, &wei))
		snprintf(l->text + at, sizeof(l->text) - (size_t)at, ", burned %s %s", number_ether(n, sizeof(n), &wei, 18),
			 parts_unit(v->c));
}

static void line_u256(const struct u256 *n, bool hex, struct doc_line *l)
{
	char text[80];

	snprintf(l->text, sizeof(l->text), "%s", hex ? hex_print_u256(text, n) : u256_dec(text, sizeof(text), n));
}

static const char *const labels[F_N] = {
	[F_HASH] = "hash",
	[F_BLOCK] = "block",
	[F_TYPE] = "type",
	[F_FROM] = "from",
	[F_TO] = "to",
	[F_CREATES] = "creates",
	[F_VALUE] = "value",
	[F_METHOD] = "method",
	[F_NONCE] = "nonce",
	[F_GAS] = "gas limit",
	[F_EFFECTIVE] = "effective",
	[F_TIP] = "tip",
	[F_FEE] = "fee",
	[F_GAS_PRICE] = "gas price",
	[F_MAX_FEE] = "max fee",
	[F_MAX_PRIORITY] = "max tip",
	[F_MAX_BLOB] = "max blob",
	[F_BLOB_COST] = "blobs",
	[F_CHAIN] = "chain id",
	[F_V] = "v",
	[F_PARITY] = "y parity",
	[F_R] = "r",
	[F_S] = "s",
	[F_SOURCE] = "source",
	[F_MINT] = "mint",
	[F_SYSTEM] = "system",
	[F_VERSION] = "receipt v",
};

static void field_line(const struct tx_view *v, enum field f, struct doc_line *l)
{
	const struct tx *t = v->t;
	struct addr created;
	char n[NUMBER_MAX];

	snprintf(l->label, sizeof(l->label), "%s", labels[f]);
	switch (f) {
	case F_HASH:
		line_hash(v, l);
		break;
	case F_BLOCK:
		line_block(v, l);
		break;
	case F_TYPE:
		line_type(v, l);
		break;
	case F_FROM:
		line_address(v, &t->from, l);
		mark(l, "signed ", v->sender);
		break;
	case F_TO:
		line_address(v, &t->to, l);
		break;
	case F_CREATES:
		address_created(&created, &t->from, t->nonce);
		line_address(v, &created, l);
		l->role = ROLE_INFO;
		break;
	case F_VALUE:
		line_ether(v, &t->value, "", l);
		break;
	case F_METHOD:
		line_method(v, l);
		break;
	case F_NONCE:
		snprintf(l->text, sizeof(l->text), "%s", number_int(n, sizeof(n), t->nonce));
		break;
	case F_GAS:
		snprintf(l->text, sizeof(l->text), "%s", number_int(n, sizeof(n), t->gas));
		break;
	case F_EFFECTIVE:
		line_effective(v, l);
		break;
	case F_TIP:
		line_tip(v, l);
		break;
	case F_FEE:
		line_fee(v, l);
		break;
	case F_GAS_PRICE:
		line_price(v, &t->gas_price, l);
		break;
	case F_MAX_FEE:
		line_price(v, &t->max_fee, l);
		break;
	case F_MAX_PRIORITY:
		line_price(v, &t->max_priority, l);
		break;
	case F_MAX_BLOB:
		snprintf(l->text, sizeof(l->text), "%s per blob gas", number_fee(n, sizeof(n), &t->max_blob_fee));
		break;
	case F_BLOB_COST:
		line_blob_cost(v, l);
		break;
	case F_CHAIN:
		line_u256(&t->chain_id, false, l);
		break;
	case F_V:
		line_u256(&t->v, true, l);
		break;
	case F_PARITY:
		snprintf(l->text, sizeof(l->text), "%" PRIu64, t->y_parity);
		break;
	case F_R:
		line_u256(&t->r, true, l);
		break;
	case F_S:
		line_u256(&t->s, true, l);
		break;
	case F_SOURCE:
		parts_hex(l->text, &t->source_hash);
		break;
	case F_MINT:
		line_ether(v, &t->mint, "", l);
		break;
	case F_SYSTEM:
		snprintf(l->text, sizeof(l->text), "yes: made by the chain itself");
		break;
	default:
		snprintf(l->text, sizeof(l->text), "%" PRIu32, t->deposit_version);
		break;
	}
}

/* ---- lists ---- */

static void heading(struct doc_line *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void heading(struct doc_line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->label, sizeof(l->label), fmt, ap);
	va_end(ap);
	l->title = true;
}

/* Entry and key of a line of the access list; key UINT32_MAX: the entry itself. */
static const struct access_entry *access_at(const struct tx_view *v, unsigned i, uint32_t *key)
{
	const struct access_entry *a = block_at(v->body, v->t->access);

	for (uint32_t k = 0; k < v->t->access.len; k++) {
		if (i == 0) {
			*key = UINT32_MAX;
			return &a[k];
		}
		i--;
		if (i < a[k].keys.len) {
			*key = i;
			return &a[k];
		}
		i -= a[k].keys.len;
	}
	return NULL;
}

static void access_line(const struct tx_view *v, unsigned i, struct doc_line *l)
{
	const struct access_entry *a;
	const struct hash *keys;
	uint32_t key;

	if (i < 2) {
		if (i == 1)
			heading(l, "Access list %u", v->t->access.len);
		return;
	}
	a = access_at(v, i - 2, &key);
	if (!a)
		return;
	keys = block_at(v->body, a->keys);
	if (key == UINT32_MAX) {
		line_address(v, &a->addr, l);
		return;
	}
	snprintf(l->label, sizeof(l->label), "  key %" PRIu32, key);
	parts_hex(l->text, &keys[key]);
	l->role = ROLE_LABEL;
}

static void auth_line(const struct tx_view *v, unsigned i, struct doc_line *l)
{
	const struct auth *a = block_at(v->body, v->t->auths);
	char chain[80], n[NUMBER_MAX];

	if (i < 2) {
		if (i == 1)
			heading(l, "Authorizations %u", v->t->auths.len);
		return;
	}
	a += i - 2;
	snprintf(l->label, sizeof(l->label), "  %u", i - 2);
	line_address(v, &a->addr, l);
	u256_dec(chain, sizeof(chain), &a->chain_id);
	snprintf(l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), "  chain %.20s  nonce %s  y %u",
		 u256_is_zero(&a->chain_id) ? "any" : chain, number_int(n, sizeof(n), a->nonce), a->y_parity);
}

static void blob_line(const struct tx_view *v, unsigned i, struct doc_line *l)
{
	const struct hash *h = block_at(v->body, v->t->blobs);

	if (i < 2) {
		if (i == 1)
			heading(l, "Blobs %u", v->t->blobs.len);
		return;
	}
	snprintf(l->label, sizeof(l->label), "  %u", i - 2);
	parts_hex(l->text, &h[i - 2]);
}

/* ---- calldata ---- */

/*
 * Type of the i-th argument, if each one before it takes one word: "" where that ends. Dynamic ones have their offset there.
 */
static void type_of(const char *args, unsigned i, char *out, size_t size)
{
	const char *s = args + 1;
	size_t n;

	out[0] = '\0';
	for (;; i--) {
		n = strcspn(s, ",)");
		/* Tuples and fixed arrays take more words than one. */
		if (n == 0 || memchr(s, '(', n) || (memchr(s, '[', n) && memcmp(s + n - 2, "[]", 2) != 0))
			return;
		if (i == 0)
			break;
		if (s[n] != ',')
			return;
		s += n + 1;
	}
	snprintf(out, size, "%.*s", (int)n, s);
}

static bool zeros(const uint8_t *p, unsigned n)
{
	while (n > 0 && p[n - 1] == 0)
		n--;
	return n == 0;
}

/* What a word may mean: by its type, or by its looks. */
static void word_hint(const struct tx_view *v, const uint8_t *word, const char *type, char *out, size_t size)
{
	struct addr a;
	struct u256 n;
	char text[80];
	const char *name;

	out[0] = '\0';
	memcpy(a.b, word + 12, sizeof(a.b));
	u256_from_be(&n, word, WORD);
	if (strcmp(type, "address") == 0 || (!type[0] && zeros(word, 12) && !zeros(word + 12, 8))) {
		name = v->c ? name_addr(v->c->id, &a) : NULL;
		address_short(text, &a);
		snprintf(out, size, "%s%s%s", text, name ? " " : "", name ? name : "");
	} else if (strcmp(type, "bool") == 0) {
		snprintf(out, size, "%s", zeros(word, WORD) ? "false" : "true");
	} else if (u256_fits64(&n)) {
		number_int(text, sizeof(text), u256_sat64(&n));
		snprintf(out, size, "%s%s", text, strcmp(type, "bytes") == 0 || strchr(type, '[') ? " offset" : "");
	} else if (strncmp(type, "uint", 4) == 0) {
		u256_dec(text, sizeof(text), &n);
		snprintf(out, size, "%.24s%s", text, strlen(text) > 24 ? "\xe2\x80\xa6" : "");
	}
}

static void hex_bytes(char *out, const uint8_t *p, unsigned n)
{
	static const char digit[] = "0123456789abcdef";

	for (unsigned i = 0; i < n; i++) {
		*out++ = digit[p[i] >> 4];
		*out++ = digit[p[i] & 15];
	}
	*out = '\0';
}

static void spelled(char *out, const uint8_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.';
	out[n] = '\0';
}

static void data_line(const struct tx_view *v, unsigned i, struct doc_line *l)
{
	const uint8_t *p = input(v);
	uint32_t n = v->t->input.len, at, len;
	const struct name_selector *s = v->head ? selector(p) : NULL;
	char hex[2 * ROW_WIDE + 1], text[ROW_WIDE + 1], type[40] = "", hint[120] = "";

	if (v->head && i == 0) {
		snprintf(l->label, sizeof(l->label), "  0x0000");
		hex_bytes(hex, p, 4);
		snprintf(l->text, sizeof(l->text), "%s%s%s%s", hex, s ? "  " : "", s ? s->name : "", s ? s->args : "");
		return;
	}
	at = v->head + (i - (v->head ? 1 : 0)) * v->row;
	len = n - at < v->row ? n - at : v->row;
	snprintf(l->label, sizeof(l->label), "  0x%04" PRIx32, at);
	hex_bytes(hex, p + at, len);
	if (!v->head) {
		spelled(text, p + at, len);
		snprintf(l->text, sizeof(l->text), "%-*s  %s", (int)(2 * v->row), hex, text);
		return;
	}
	if (v->row == WORD) {
		if (s)
			type_of(s->args, (at - 4) / WORD, type, sizeof(type));
		word_hint(v, p + at, type, hint, sizeof(hint));
	}
	snprintf(l->text, sizeof(l->text), "%s%s%s%s%s", hex, type[0] || hint[0] ? "  " : "", type,
		 type[0] && hint[0] ? " " : "", hint);
}

static void data_or_raw(const struct tx_view *v, unsigned i, struct doc_line *l)
{
	const char *raw = block_at(v->body, v->t->raw);
	uint32_t from;
	char n[NUMBER_MAX];
	bool is_raw = v->t->has & T_UNKNOWN_TYPE;

	if (i < 2) {
		if (i == 1)
			heading(l, is_raw ? "As it came: %s bytes" : "Calldata %s bytes",
				number_int(n, sizeof(n), is_raw ? v->t->raw.len : v->t->input.len));
		return;
	}
	if (!is_raw) {
		data_line(v, i - 2, l);
		return;
	}
	from = (i - 2) * RAW_ROW;
	snprintf(l->text, sizeof(l->text), "%.*s", (int)(v->t->raw.len - from < RAW_ROW ? v->t->raw.len - from : RAW_ROW),
		 raw + from);
}

static void line(const void *ctx, unsigned i, struct doc_line *l)
{
	const struct tx_view *v = ctx;

	if (i < v->n_fields)
		field_line(v, (enum field)v->field[i], l);
	else if (i < v->auths)
		access_line(v, i - v->access, l);
	else if (i < v->blobs)
		auth_line(v, i - v->auths, l);
	else if (i < v->data)
		blob_line(v, i - v->blobs, l);
	else
		data_or_raw(v, i - v->data, l);
}

struct doc_source tx_lines(const struct tx_view *v)
{
	return (struct doc_source){ .ctx = v, .n = v->end, .line = line };
}

/* ---- values ---- */

static enum status add_hex(struct buf *out, const uint8_t *p, size_t n)
{
	enum status st = buf_reserve(out, 2 + 2 * n + 1);

	if (st != ST_OK)
		return st;
	hex_print(out->p + out->len, p, n);
	out->len += 2 + 2 * n;
	return ST_OK;
}

static enum status field_value(const struct tx_view *v, enum field f, struct buf *out)
{
	const struct tx *t = v->t;
	struct u256 wei = u256_from64(0);
	struct addr created;
	char text[ADDRESS_TEXT], dec[80];

	switch (f) {
	case F_HASH:
		return add_hex(out, t->hash.b, 32);
	case F_BLOCK:
		return buf_addf(out, "%" PRIu64, v->body->h.number);
	case F_TYPE:
		return buf_addf(out, "%" PRIu32, t->type);
	case F_FROM:
		return buf_adds(out, address_text(text, &t->from));
	case F_TO:
		return buf_adds(out, address_text(text, &t->to));
	case F_CREATES:
		address_created(&created, &t->from, t->nonce);
		return buf_adds(out, address_text(text, &created));
	case F_METHOD:
		return add_hex(out, input(v), 4);
	case F_NONCE:
		return buf_addf(out, "%" PRIu64, t->nonce);
	case F_GAS:
		return buf_addf(out, "%" PRIu64, t->gas);
	case F_VALUE:
		wei = t->value;
		break;
	case F_EFFECTIVE:
		(void)fee_effective(t, base_of(v), &wei);
		break;
	case F_TIP:
		(void)tx_tip(v->body, t, &wei);
		break;
	case F_FEE:
		(void)fee_bound(v, &wei);
		break;
	case F_BLOB_COST:
		(void)blob_cost(v, &wei);
		break;
	case F_GAS_PRICE:
		wei = t->gas_price;
		break;
	case F_MAX_FEE:
		wei = t->max_fee;
		break;
	case F_MAX_PRIORITY:
		wei = t->max_priority;
		break;
	case F_MAX_BLOB:
		wei = t->max_blob_fee;
		break;
	case F_CHAIN:
		wei = t->chain_id;
		break;
	case F_V:
		return buf_adds(out, hex_print_u256(dec, &t->v));
	case F_PARITY:
		return buf_addf(out, "%" PRIu64, t->y_parity);
	case F_R:
		return buf_adds(out, hex_print_u256(dec, &t->r));
	case F_S:
		return buf_adds(out, hex_print_u256(dec, &t->s));
	case F_SOURCE:
		return add_hex(out, t->source_hash.b, 32);
	case F_MINT:
		wei = t->mint;
		break;
	default:
		return ST_OK;
	}
	return buf_adds(out, u256_dec(dec, sizeof(dec), &wei));
}

enum status tx_line_value(const struct tx_view *v, unsigned i, struct buf *out)
{
	const struct access_entry *a;
	const struct auth *auths = block_at(v->body, v->t->auths);
	const struct hash *blobs = block_at(v->body, v->t->blobs);
	char text[ADDRESS_TEXT];
	uint32_t key;

	if (i < v->n_fields)
		return field_value(v, (enum field)v->field[i], out);
	if (i >= v->end)
		return ST_OK;
	if (i >= v->data) {
		if (v->t->has & T_UNKNOWN_TYPE)
			return buf_add(out, block_at(v->body, v->t->raw), v->t->raw.len);
		return add_hex(out, input(v), v->t->input.len);
	}
	if (i >= v->blobs)
		return i - v->blobs < 2 ? ST_OK : add_hex(out, blobs[i - v->blobs - 2].b, 32);
	if (i >= v->auths)
		return i - v->auths < 2 ? ST_OK : buf_adds(out, address_text(text, &auths[i - v->auths - 2].addr));
	a = i - v->access < 2 ? NULL : access_at(v, i - v->access - 2, &key);
	if (!a)
		return ST_OK;
	if (key == UINT32_MAX)
		return buf_adds(out, address_text(text, &a->addr));
	return add_hex(out, ((const struct hash *)block_at(v->body, a->keys))[key].b, 32);
}
