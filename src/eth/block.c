#include "eth/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/simd.h"
#include "base/utf8.h"
#include "eth/block_priv.h"

/*
 * A decoder's memory, one allocation that is used again:
 *
 *   struct block | data: calldata, lists of hashes, … | struct tx …
 *   0            sizeof                               data_cap
 *
 * How much data a text can make is known beforehand, so nothing is checked or moved while it is
 * decoded: two digits make a byte, and of the fixed-size things each one needs an address or a hash
 * as text (the worst is struct auth: 136 bytes from the 57 characters of {"address":"0x…"},).
 * Memory that stays untouched costs address space only. How many transactions there are is not
 * known, so they stand last and the whole grows between two of them; offsets, and so the data, stay
 * what they are.
 */
static size_t data_bound(size_t text)
{
	return sizeof(struct block) + text / 2 * 5 + 64;
}

static size_t align8(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

static size_t tx_offset(const struct blockdec *d)
{
	return align8(d->data_cap);
}

struct blockdec *blockdec_new(void)
{
	struct blockdec *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	header_keys_init(&d->header_keys);
	tx_keys_init(d);
	return d;
}

void blockdec_free(struct blockdec *d)
{
	if (!d)
		return;
	free(d->b);
	free(d->access);
	free(d);
}

/* Room for the data of a text of n bytes and a first few transactions. What was there is lost. */
static enum status prepare(struct blockdec *d, size_t n)
{
	enum { TYPICAL = 600, MIN = 16 }; /* bytes of JSON of a transaction */
	enum { KEEP = 32 << 20 };         /* more than any real block takes */
	size_t tx_cap = n / TYPICAL + MIN, cap, size;

	if (n > BLOCKDEC_LIMIT || data_bound(n) > BLOCKDEC_LIMIT)
		return ST_TOO_BIG;
	cap = data_bound(n);
	size = align8(cap) + tx_cap * sizeof(struct tx);
	/* One monstrous message must not keep its memory for ever. */
	if (d->b && cap <= d->data_cap && (d->size <= KEEP || size > KEEP))
		return ST_OK;
	free(d->b);
	d->b = malloc(size);
	d->size = d->b ? size : 0;
	d->data_cap = d->b ? cap : 0;
	d->tx_cap = d->b ? (uint32_t)tx_cap : 0;
	return d->b ? ST_OK : ST_NOMEM;
}

void *arena_take(struct dec *x, size_t n, uint32_t *off)
{
	struct blockdec *d = x->d;
	size_t at = align8(d->used);

	if (n > d->data_cap || at > d->data_cap - n) {
		dec_fail(x, ST_INTERNAL, "more data than its text can hold");
		return NULL;
	}
	d->used = at + n;
	*off = (uint32_t)at;
	return (char *)d->b + at;
}

struct tx *arena_tx(struct dec *x, uint32_t i)
{
	struct blockdec *d = x->d;

	if (i == d->tx_cap) {
		size_t cap = (size_t)d->tx_cap + d->tx_cap / 2,
		       size = tx_offset(d) + cap * sizeof(struct tx);
		struct block *b = size <= BLOCKDEC_LIMIT ? realloc(d->b, size) : NULL;

		if (!b) {
			dec_fail(x, size <= BLOCKDEC_LIMIT ? ST_NOMEM : ST_TOO_BIG,
				"too many transactions");
			return NULL;
		}
		d->b = b;
		d->size = size;
		d->tx_cap = (uint32_t)cap;
		x->h = &b->h;
	}
	return (struct tx *)((char *)d->b + tx_offset(d)) + i;
}

void keys_init(struct keys *k, const struct field *fields, unsigned n)
{
	k->fields = fields;
	k->n = n;
	for (unsigned i = 0; i < n; i++)
		k->next[i] = (uint8_t)((i + 1) % n);
	k->next[n] = 0;
}

int dec_key_search(struct dec *x, struct keys *k, unsigned *prev)
{
	const struct field *f;
	struct json_str key;

	if (!json_key(&x->j, &key))
		return -1;
	x->name = key.p;
	x->name_n = key.n;
	for (unsigned i = 0; i < k->n; i++) {
		f = &k->fields[i];
		if (f->len == key.n && memcmp(f->key + 1, key.p, key.n) == 0) {
			k->next[*prev] = (uint8_t)i;
			*prev = i;
			return (int)i;
		}
	}
	return NO_FIELD;
}

bool dec_fail(struct dec *x, enum status st, const char *why)
{
	if (dec_ok(x)) {
		x->st = st;
		x->why = why;
	}
	return false;
}

bool dec_missing(struct dec *x, const char *name)
{
	x->name = name;
	x->name_n = strlen(name);
	return dec_fail(x, ST_MALFORMED, "missing");
}

/* Puts the value back that was not of the kind. */
static bool unread(struct dec *x, const char *at, const char *why)
{
	if (!json_ok(&x->j))
		return false;
	x->j.p = at;
	x->why = why;
	return false;
}

/* A JSON integer where a quantity should be: some nodes write them. Up to 2^53, what every reader of JSON can hold. */
static bool take_integer(struct dec *x, uint64_t *out)
{
	struct json_str s;

	if (!json_number(&x->j, &s) || memchr(s.p, '.', s.n) || !json_str_u64(&s, out) ||
		*out > UINT64_C(1) << 53)
		return false;
	x->lenient++;
	return true;
}

/* Quantities that are not written as the spec says, or stand behind white space. */
static bool take_odd_u64(struct dec *x, uint64_t *out)
{
	const char *at = x->j.p;
	bool bent = false, ok = false;
	struct json_str s;

	switch (json_peek(&x->j)) {
	case JSON_STRING: ok = json_string(&x->j, &s) && hex_u64(s.p, s.n, out, &bent); break;
	case JSON_NUMBER: ok = take_integer(x, out); break;
	default: break;
	}
	x->lenient += bent;
	return ok || unread(x, at, "expected a quantity");
}

bool take_u64(struct dec *x, uint64_t *out)
{
	const char *p = simd()->quantity_u64(x->j.p, x->j.end, out);

	if (!p)
		return take_odd_u64(x, out);
	x->j.p = p;
	return true;
}

static bool take_odd_u256(struct dec *x, struct u256 *out)
{
	const char *at = x->j.p;
	bool bent = false, ok = false;
	struct json_str s;
	uint64_t v;

	switch (json_peek(&x->j)) {
	case JSON_STRING: ok = json_string(&x->j, &s) && hex_u256(s.p, s.n, out, &bent); break;
	case JSON_NUMBER:
		ok = take_integer(x, &v);
		if (ok)
			*out = u256_from64(v);
		break;
	default: break;
	}
	x->lenient += bent;
	return ok || unread(x, at, "expected a quantity");
}

bool take_u256(struct dec *x, struct u256 *out)
{
	const char *p = simd()->quantity_u256(x->j.start, x->j.p, x->j.end, out);

	if (!p)
		return take_odd_u256(x, out);
	x->j.p = p;
	return true;
}

bool take_fixed(struct dec *x, uint8_t *out, size_t n, bool *absent)
{
	const char *at = x->j.p, *s = json_string_of(&x->j, 2 + 2 * n);
	struct json_str str;

	*absent = false;
	if (s && s[0] == '0' && s[1] == 'x' && hex_digits(s + 2, out, n))
		return true;
	x->j.p = at;
	if (json_peek(&x->j) == JSON_STRING && json_string(&x->j, &str)) {
		if (hex_fixed(str.p, str.n, out, n))
			return true;
		if (JSON_IS(&str, "0x")) {
			*absent = true;
			x->lenient++;
			return true;
		}
	}
	return unread(x, at,
		n == sizeof(struct addr) ? "expected an address"
					 : "expected hex of its exact length");
}

bool take_field(struct dec *x, const struct field *f, void *base, uint64_t *has)
{
	void *out = (unsigned char *)base + f->off;
	bool absent = false, ok;

	if (take_usual(x, f, base, has))
		return true;
	if (take_null(x)) {
		memset(out, 0, f->size);
		*has &= ~f->bit;
		return true;
	}
	switch (f->kind) {
	case K_U64: ok = take_u64(x, out); break;
	case K_U256: ok = take_u256(x, out); break;
	default: ok = take_fixed(x, out, f->size, &absent);
	}
	if (absent || !ok) {
		memset(out, 0, f->size);
		*has &= ~f->bit;
	} else {
		*has |= f->bit;
	}
	return ok;
}

bool need_field(struct dec *x, const struct field *f, void *base, uint64_t *has)
{
	if (take_field(x, f, base, has))
		return true;
	return dec_fail(x, ST_MALFORMED, x->why);
}

/*
 * DATA is decoded while its end is looked for, so each byte of it is touched once: there must be room for the rest of the
 * text. There is, see data_bound.
 */
static bool take_plain_data(struct dec *x, struct span *out)
{
	const char *s = x->j.p, *end = x->j.end;
	size_t used = x->d->used, digits;
	uint32_t off = 0;
	uint8_t *bytes;

	if (end - s < 4 || memcmp(s, "\"0x", 3) != 0)
		return false;
	s += 3;
	bytes = arena_take(x, (size_t)(end - s) / 2, &off);
	if (!bytes)
		return false;
	x->d->used = used;
	digits = simd()->hex_run(s, end, bytes);
	if (s + digits == end || s[digits] != '"' || digits % 2)
		return false;
	*out = (struct span){0, 0};
	if (digits) {
		*out = (struct span){.off = off, .len = (uint32_t)(digits / 2)};
		x->d->used = off + digits / 2;
	}
	x->j.p = s + digits + 1;
	return true;
}

bool take_data(struct dec *x, struct span *out)
{
	const char *at = x->j.p;
	struct json_str s;

	if (take_plain_data(x, out))
		return true;
	if (json_peek(&x->j) == JSON_STRING) {
		if (at != x->j.p && take_plain_data(x, out))
			return true;
		(void)json_string(&x->j, &s); /* the grammar has its say first */
	}
	return unread(x, at, "expected 0x and pairs of hex digits");
}

bool take_hashes(struct dec *x, struct span *out)
{
	struct span s = {0, 0};
	struct hash one;
	bool absent;

	if (json_peek(&x->j) != JSON_ARRAY) {
		x->why = "expected a list of hashes";
		return false;
	}
	json_array(&x->j);
	while (json_next(&x->j)) {
		uint32_t off;
		void *to;

		if (!take_fixed(x, one.b, sizeof(one), &absent) || absent) {
			x->why = "expected a list of hashes";
			return false;
		}
		to = arena_take(x, sizeof(one), &off);
		if (!to)
			return false;
		memcpy(to, &one, sizeof(one));
		if (!s.len)
			s.off = off;
		s.len++;
	}
	*out = s;
	return json_ok(&x->j);
}

/* "transactions[3].gas: expected a quantity", with the place if the grammar is at fault. */
static enum status explain(const struct dec *x, struct err *e)
{
	char name[32], path[100] = "block";
	struct err grammar;
	size_t n = 5;

	if (x->list)
		n += (size_t)snprintf(path + n, sizeof(path) - n, ": %s[%u]", x->list, x->item);
	if (utf8_clean(name, sizeof(name), x->name ? x->name : "", x->name_n))
		snprintf(path + n, sizeof(path) - n, "%s%s", x->list ? "." : ": ", name);
	if (x->st == ST_OK && !json_ok(&x->j)) {
		json_error(&x->j, &grammar);
		return err_set(e, ST_MALFORMED, "%s: %s", path, grammar.text);
	}
	return err_set(e, x->st, "%s: %s", path, x->why);
}

static bool is_null(struct dec *x)
{
	return json_null(&x->j) && json_end(&x->j);
}

enum status block_decode(struct blockdec *d, const char *text, size_t n, bool want_full,
	const struct block **out, struct err *e)
{
	struct dec x = {.d = d, .want_full = want_full};
	enum status st = prepare(d, n);
	struct block *b = d->b;

	if (st)
		return err_set(e, st, "block of %zu bytes: %s", n, status_word(st));
	memset(b, 0, sizeof(*b));
	atomic_init(&b->refs, 0);
	d->used = sizeof(*b);
	x.h = &b->h;
	json_init(&x.j, text, n);
	if (is_null(&x))
		return err_set(e, ST_NULL, "null instead of a block");
	if (!decode_header(&x, &d->header_keys) || !json_end(&x.j))
		return explain(&x, e);
	b = d->b;
	b->json_bytes = (uint32_t)n;
	b->lenient = x.lenient;
	b->bytes = (uint32_t)(align8(d->used) + (size_t)b->txs.len * sizeof(struct tx));
	*out = b;
	return ST_OK;
}

enum status header_decode(
	const char *text, size_t n, struct header *h, uint8_t extra_out[64], struct err *e)
{
	struct dec x = {.h = h, .extra_out = extra_out};
	struct keys keys;

	memset(h, 0, sizeof(*h));
	header_keys_init(&keys);
	json_init(&x.j, text, n);
	if (is_null(&x))
		return err_set(e, ST_NULL, "null instead of a header");
	if (!decode_header(&x, &keys) || !json_end(&x.j))
		return explain(&x, e);
	return ST_OK;
}

struct block *block_keep(const struct block *scratch)
{
	const size_t txs = (size_t)scratch->txs.len * sizeof(struct tx),
		     data = scratch->bytes - txs;
	struct block *b = malloc(scratch->bytes);

	if (!b)
		return NULL;
	/* The transactions close up to the data; no other offset changes. */
	memcpy(b, scratch, data);
	if (txs)
		memcpy((char *)b + data, block_txs(scratch), txs);
	b->txs.off = (uint32_t)data;
	atomic_init(&b->refs, 1);
	return b;
}

struct block *block_ref(struct block *b)
{
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	return b;
}

void block_unref(struct block *b)
{
	if (b && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
		free(b);
}
