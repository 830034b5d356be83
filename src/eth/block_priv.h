/* What block.c, block_header.c and block_tx.c share: tables of fields, and the decoder's state. Nobody else includes it. */
#ifndef ETH_BLOCK_PRIV_H
#define ETH_BLOCK_PRIV_H

#include <stddef.h>

#include "base/simd.h"
#include "eth/block.h"
#include "eth/json.h"

/* How the value of a field is read. */
enum kind {
	/* into the struct, by offset and size */
	K_U64,
	K_U256,
	K_FIXED, /* DATA of exactly `size` bytes: hashes, addresses, nonce, bloom */
	/* ours to ignore */
	K_INFO, /* known, any value, says nothing about the header hash */
	K_FOREIGN, /* known from a chain whose header hash is not keccak of Ethereum's list */
	/* one place each in block_header.c or block_tx.c */
	K_EXTRA,
	K_MINER_ALIAS,
	K_TIME_MS,
	K_TIME_NS,
	K_TXS,
	K_WITHDRAWALS,
	K_UNCLES,
	K_TYPE,
	K_INPUT,
	K_INPUT_ALIAS,
	K_GAS_ALIAS,
	K_ACCESS,
	K_BLOBS,
	K_AUTHS,
	K_SYSTEM,
	K_VERSION,
	K_PARITY8,
	K_OF_HASH,
	K_OF_NUMBER,
	K_OF_INDEX,
	K_OF_TIME,
};

struct field {
	char key[JSON_KEY_MAX]; /* as it stands in compact text: "\"hash\":" */
	uint8_t len; /* of the name alone */
	uint8_t kind; /* enum kind */
	uint16_t off, size; /* of the member in its struct */
	uint64_t bit; /* in `has`: enum header_has or tx_has, and above them bits of our own for what must be there */
};

#define FIELD(type, name, how, member, has_bit) \
	{ .key = "\"" name "\":", .len = sizeof(name) - 1, .kind = (how), .off = offsetof(struct type, member), \
	  .size = sizeof(((struct type *)0)->member), .bit = (has_bit) }
#define FIELD_OTHER(name, how, has_bit) \
	{ .key = "\"" name "\":", .len = sizeof(name) - 1, .kind = (how), .bit = (has_bit) }

enum {
	FIELDS_MAX = 80, /* no table is longer */
	NO_FIELD = 255,
};

/*
 * The keys of one kind of object. next[i] is the field that followed field i the last time, next[n] the one
 * that came first: nodes write the same order again and again, so one comparison finds nearly every key.
 */
struct keys {
	const struct field *fields;
	unsigned n;
	uint8_t next[FIELDS_MAX + 1];
};

void keys_init(struct keys *k, const struct field *fields, unsigned n);

struct blockdec {
	struct block *b; /* one allocation: struct block, data, transactions */
	size_t size; /* of it */
	size_t data_cap; /* room for data; the transactions begin behind it */
	size_t used; /* data, from the start of struct block */
	uint32_t tx_cap;
	struct access_entry *access; /* of one transaction, until its storage keys are behind it */
	uint32_t access_cap;
	struct keys header_keys, tx_keys, withdrawal_keys, access_keys, auth_keys;
};

/* What transactions say of their block. The block may say its own part later in the text. */
struct whereabouts {
	struct hash hash;
	uint64_t number, timestamp;
	bool has_hash, has_number, has_timestamp;
	bool differ; /* two of them do not agree, or an index is not its place */
};

/* One decoding. */
struct dec {
	struct json j;
	struct blockdec *d; /* NULL: header alone */
	struct header *h; /* moves with d->b */
	uint64_t has; /* of the header, while it is being read */
	uint8_t *extra_out; /* header alone */
	uint32_t lenient;
	bool want_full;
	struct whereabouts of;
	/* Where we are, for the text of an error. */
	const char *list; /* "transactions", "withdrawals" or NULL */
	uint32_t item;
	const char *name; /* of the field: name_n bytes, not terminated */
	size_t name_n;
	enum status st; /* first error that is not of JSON's grammar */
	const char *why;
};

/* Notes an error that is not of the grammar (the first one of either kind stays); returns false. */
bool dec_fail(struct dec *x, enum status st, const char *why);
static inline bool dec_ok(const struct dec *x)
{
	return x->st == ST_OK && json_ok(&x->j);
}
/* For an error that concerns another field than the one just read. */
bool dec_missing(struct dec *x, const char *name);
/*
 * The next member of an object. *prev is k->n before the first one. Returns the index of its field, NO_FIELD for one that
 * is in no table (its name in x->name, its value still there), -1 at the end or on an error of grammar.
 */
int dec_key_search(struct dec *x, struct keys *k, unsigned *prev); /* when it is not the one that was expected */
static inline int dec_key(struct dec *x, struct keys *k, unsigned *prev)
{
	unsigned guess = k->next[*prev];
	const struct field *f = &k->fields[guess];

	if (!json_key_try(&x->j, f->key, f->len + 3u))
		return dec_key_search(x, k, prev);
	x->name = f->key + 1;
	x->name_n = f->len;
	*prev = guess;
	return (int)guess;
}

/*
 * take_field for values written as nearly all are, without a call. False, and nothing consumed: of another kind than K_U64,
 * K_U256, K_FIXED, or null, lenient, behind white space, wrong. take_field has the last word.
 */
static inline bool take_usual(struct dec *x, const struct field *f, void *base, uint64_t *has)
{
	const char *p = x->j.p, *end = x->j.end;
	void *out = (unsigned char *)base + f->off;
	const size_t digits = 2 * (size_t)f->size;

	switch (f->kind) {
	case K_U64: p = simd()->quantity_u64(p, end, out); break;
	case K_U256: p = simd()->quantity_u256(x->j.start, p, end, out); break;
	case K_FIXED:
		if ((size_t)(end - p) < digits + 4 || __builtin_memcmp(p, "\"0x", 3) != 0 ||
			p[digits + 3] != '"' || !simd()->hex_digits(p + 3, out, f->size))
			return false;
		p += digits + 4;
		break;
	default: return false;
	}
	if (!p)
		return false;
	x->j.p = p;
	*has |= f->bit;
	return true;
}

/* A value of null, consumed. Strings, as nearly all values are, cost one comparison. */
static inline bool take_null(struct dec *x)
{
	return !(x->j.p < x->j.end && *x->j.p == '"') && json_null(&x->j);
}

/*
 * Values. All return false, without an error of grammar and with the value unread, if it is not of the kind: then x->why
 * says what was expected. null is not for them: test json_null first.
 */
bool take_u64(struct dec *x, uint64_t *out);
bool take_u256(struct dec *x, struct u256 *out);
bool take_fixed(struct dec *x, uint8_t *out, size_t n, bool *absent); /* "0x" counts as absent */
/* K_U64, K_U256 or K_FIXED into base, and its bit. null clears both. */
bool take_field(struct dec *x, const struct field *f, void *base, uint64_t *has);
/* As take_field, but a failure is noted by dec_fail at once. */
bool need_field(struct dec *x, const struct field *f, void *base, uint64_t *has);
/* DATA into the arena. */
bool take_data(struct dec *x, struct span *out);
/* An array of 32-byte hashes into the arena. */
bool take_hashes(struct dec *x, struct span *out);

/*
 * n bytes of the arena at a multiple of 8. Never moves anything and cannot fail on honest or hostile input, because data_cap
 * is in proportion to the text (see block.c); a broken bound ends as ST_INTERNAL, not as an overrun.
 */
void *arena_take(struct dec *x, size_t n, uint32_t *off);
/* Transaction number i, room made for it: all other pointers into the block are void afterwards. NULL: x->st says why. */
struct tx *arena_tx(struct dec *x, uint32_t i);

/* block_header.c */
void header_keys_init(struct keys *k);
/* A whole header object. False: x->st or the error of x->j. */
bool decode_header(struct dec *x, struct keys *k);

/* block_tx.c */
void tx_keys_init(struct blockdec *d);
bool decode_txs(struct dec *x);
bool decode_withdrawals(struct dec *x);

#endif
