/*
 * The keys are known beforehand and so is their order: 1 … 127, then 0 (whose key is 0x80), then
 * 128 and up, whose keys begin with their length. So the trie is never built: a node is a range of
 * ranks in that order and a depth.
 */
#include "eth/trie.h"

#include "eth/keccak.h"
#include "eth/rlp.h"

enum {
	KEY_NIBBLES = 2 * RLP_U64_MAX,
	/* A node in its parent: itself if shorter than 32 bytes, else its hash as a string. */
	REF_MAX = 33,
	BRANCH_MAX = RLP_HEADER_MAX + 16 * REF_MAX + 1,
};

struct key {
	uint8_t nibble[KEY_NIBBLES];
	unsigned n;
};

struct ref {
	uint8_t b[REF_MAX];
	uint8_t n;
};

struct walk {
	const struct trie_value *values;
	size_t n;
};

/* The index whose key has this rank. */
static size_t index_of(const struct walk *w, size_t rank)
{
	const size_t zero = w->n - 1 < 0x7f ? w->n - 1 : 0x7f;

	return rank < zero ? rank + 1 : rank == zero ? 0 : rank;
}

static void key_of(const struct walk *w, size_t rank, struct key *k)
{
	uint8_t rlp[RLP_U64_MAX];
	const size_t n = (size_t)(rlp_put_u64(rlp, index_of(w, rank)) - rlp);

	for (size_t i = 0; i < n; i++) {
		k->nibble[2 * i] = rlp[i] >> 4;
		k->nibble[2 * i + 1] = rlp[i] & 15;
	}
	k->n = (unsigned)(2 * n);
}

/* Hex prefix encoding of a path, as an RLP string. */
static uint8_t *put_path(uint8_t *to, const uint8_t *nibble, unsigned n, bool leaf)
{
	uint8_t path[1 + KEY_NIBBLES / 2];
	size_t len = 1;
	unsigned i = n & 1;

	path[0] = (uint8_t)((leaf ? 0x20 : 0) | (i ? 0x10 | nibble[0] : 0));
	for (; i < n; i += 2)
		path[len++] = (uint8_t)(nibble[i] << 4 | nibble[i + 1]);
	return rlp_put_bytes(to, path, len);
}

static void ref_to_hash(struct ref *out, struct keccak *k)
{
	out->b[0] = 0x80 + 32;
	keccak_end(k, out->b + 1);
	out->n = REF_MAX;
}

/* A node that is whole in memory. */
static void ref_to(struct ref *out, const uint8_t *node, size_t n)
{
	struct keccak k;

	if (n < 32) {
		memcpy(out->b, node, n);
		out->n = (uint8_t)n;
		return;
	}
	keccak_init(&k);
	keccak_add(&k, node, n);
	ref_to_hash(out, &k);
}

/* Values are long, so a leaf is not put together but hashed as it comes. */
static void leaf(struct ref *out, const struct key *k, unsigned depth, const struct trie_value *v)
{
	uint8_t room[RLP_HEADER_MAX + 1 + 1 + KEY_NIBBLES / 2 + RLP_HEADER_MAX + 32];
	uint8_t *const payload = room + RLP_HEADER_MAX;
	uint8_t *end = put_path(payload, k->nibble + depth, k->n - depth, true);
	struct keccak sum;
	uint8_t *node;

	if (v->n != 1 || v->p[0] >= 0x80)
		end += rlp_header(end, false, v->n);
	node = rlp_put_list(payload, (size_t)(end - payload) + v->n);
	if ((size_t)(end - node) + v->n < 32) {
		memcpy(end, v->p, v->n);
		ref_to(out, node, (size_t)(end - node) + v->n);
		return;
	}
	keccak_init(&sum);
	keccak_add(&sum, node, (size_t)(end - node));
	keccak_add(&sum, v->p, v->n);
	ref_to_hash(out, &sum);
}

/* The node over the ranks [lo, hi), which agree in the first `depth` nibbles. */
static void node(const struct walk *w, size_t lo, size_t hi, unsigned depth, struct ref *out);

static void branch(const struct walk *w, size_t lo, size_t hi, unsigned depth, struct ref *out)
{
	uint8_t room[BRANCH_MAX];
	uint8_t *const payload = room + RLP_HEADER_MAX;
	uint8_t *end = payload, *start;
	struct key k;
	struct ref child;

	for (uint8_t slot = 0; slot < 16; slot++) {
		size_t a = lo, b = hi;

		/* The first rank whose nibble is over slot. */
		while (a < b) {
			const size_t mid = a + (b - a) / 2;

			key_of(w, mid, &k);
			if (k.nibble[depth] > slot)
				b = mid;
			else
				a = mid + 1;
		}
		if (a == lo) {
			*end++ = 0x80;
			continue;
		}
		node(w, lo, a, depth + 1, &child);
		memcpy(end, child.b, child.n);
		end += child.n;
		lo = a;
	}
	*end++ = 0x80; /* no key is the beginning of another one: no branch has a value */
	start = rlp_put_list(payload, (size_t)(end - payload));
	ref_to(out, start, (size_t)(end - start));
}

static void node(const struct walk *w, size_t lo, size_t hi, unsigned depth, struct ref *out)
{
	uint8_t room[RLP_HEADER_MAX + 1 + 1 + KEY_NIBBLES / 2 + REF_MAX];
	uint8_t *const payload = room + RLP_HEADER_MAX;
	uint8_t *end, *start;
	struct key first, last;
	unsigned common = depth;
	struct ref child;

	key_of(w, lo, &first);
	if (hi - lo == 1) {
		leaf(out, &first, depth, &w->values[index_of(w, lo)]);
		return;
	}
	key_of(w, hi - 1, &last);
	while (first.nibble[common] == last.nibble[common])
		common++;
	if (common == depth) {
		branch(w, lo, hi, depth, out);
		return;
	}
	branch(w, lo, hi, common, &child);
	end = put_path(payload, first.nibble + depth, common - depth, false);
	memcpy(end, child.b, child.n);
	end += child.n;
	start = rlp_put_list(payload, (size_t)(end - payload));
	ref_to(out, start, (size_t)(end - start));
}

void trie_root(const struct trie_value *values, size_t n, struct hash *root)
{
	static const uint8_t empty = 0x80;
	const struct walk w = { .values = values, .n = n };
	struct ref top;

	if (n == 0) {
		keccak256(&empty, 1, root->b);
		return;
	}
	node(&w, 0, n, 0, &top);
	if (top.n == REF_MAX)
		memcpy(root->b, top.b + 1, sizeof(root->b));
	else
		keccak256(top.b, top.n, root->b); /* the root is hashed however short it is */
}
