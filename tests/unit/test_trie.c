/* eth/trie against a plain Merkle Patricia trie that knows nothing of the keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eth/keccak.h"
#include "eth/rlp.h"
#include "eth/trie.h"

struct pair {
	uint8_t key[10];
	size_t nkey; /* nibbles */
	struct trie_value value;
};

static void ok(enum status st)
{
	assert_int_equal(st, ST_OK);
}

static unsigned nibble(const struct pair *p, size_t i)
{
	return i % 2 ? p->key[i / 2] & 15u : p->key[i / 2] >> 4;
}

static void add_path(struct buf *b, const struct pair *p, size_t from, size_t to, bool leaf)
{
	uint8_t path[8];
	size_t n = 1;
	const bool odd = (to - from) % 2;

	path[0] = (uint8_t)((leaf ? 0x20 : 0) + (odd ? 0x10 + nibble(p, from) : 0));
	for (size_t i = from + odd; i < to; i += 2)
		path[n++] = (uint8_t)(nibble(p, i) << 4 | nibble(p, i + 1));
	ok(rlp_bytes(b, path, n));
}

static void add_node(struct buf *b, const struct pair *const *p, size_t n, size_t depth);

/* The node's RLP, or its hash if it is not shorter than a hash. */
static void add_ref(struct buf *b, const struct pair *const *p, size_t n, size_t depth)
{
	struct buf node;
	uint8_t hash[32];

	buf_init(&node, 1 << 20);
	add_node(&node, p, n, depth);
	if (node.len < 32) {
		ok(buf_add(b, node.p, node.len));
	} else {
		keccak256(node.p, node.len, hash);
		ok(rlp_bytes(b, hash, sizeof(hash)));
	}
	buf_fini(&node);
}

static void add_branch(struct buf *b, const struct pair *const *p, size_t n, size_t depth)
{
	const struct pair **some = calloc(n, sizeof(*some));
	const size_t mark = rlp_list_begin(b);

	assert_non_null(some);
	for (unsigned slot = 0; slot < 16; slot++) {
		size_t k = 0;

		for (size_t i = 0; i < n; i++)
			if (nibble(p[i], depth) == slot)
				some[k++] = p[i];
		if (k > 0)
			add_ref(b, some, k, depth + 1);
		else
			ok(rlp_bytes(b, NULL, 0));
	}
	ok(rlp_bytes(b, NULL, 0));
	ok(rlp_list_end(b, mark));
	free(some);
}

static void add_node(struct buf *b, const struct pair *const *p, size_t n, size_t depth)
{
	size_t common = p[0]->nkey;
	size_t mark;

	if (n == 1) {
		mark = rlp_list_begin(b);
		add_path(b, p[0], depth, p[0]->nkey, true);
		ok(rlp_bytes(b, p[0]->value.p, p[0]->value.n));
		ok(rlp_list_end(b, mark));
		return;
	}
	for (size_t i = 1; i < n; i++) {
		size_t same = depth;

		while (same < common && nibble(p[0], same) == nibble(p[i], same))
			same++;
		common = same;
	}
	if (common == depth) {
		add_branch(b, p, n, depth);
		return;
	}
	mark = rlp_list_begin(b);
	add_path(b, p[0], depth, common, false);
	add_ref(b, p, n, common);
	ok(rlp_list_end(b, mark));
}

static void plain_root(const struct trie_value *v, size_t n, struct hash *root)
{
	struct pair *pairs = calloc(n + 1, sizeof(*pairs));
	const struct pair **p = calloc(n + 1, sizeof(*p));
	struct buf b;

	assert_non_null(pairs);
	assert_non_null(p);
	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < n; i++) {
		buf_clear(&b);
		ok(rlp_u64(&b, i));
		memcpy(pairs[i].key, b.p, b.len);
		pairs[i].nkey = 2 * b.len;
		pairs[i].value = v[i];
		p[i] = &pairs[i];
	}
	buf_clear(&b);
	if (n > 0)
		add_node(&b, p, n, 0);
	else
		ok(rlp_bytes(&b, NULL, 0));
	keccak256(b.p, b.len, root->b);
	buf_fini(&b);
	free(p);
	free(pairs);
}

/* Values of `least` bytes and up to `span` − 1 more. */
static void agree(size_t n, size_t least, size_t span)
{
	uint8_t *const data = malloc(n * (least + span) + 1);
	struct trie_value *const v = calloc(n + 1, sizeof(*v));
	struct hash want, got;
	uint8_t *at = data;
	uint32_t seed = (uint32_t)(n * 31 + least);

	assert_non_null(data);
	assert_non_null(v);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		v[i] = (struct trie_value){ .p = at, .n = least + (seed >> 8) % span };
		for (size_t k = 0; k < v[i].n; k++)
			*at++ = (uint8_t)((seed >> 16) + k * 7);
	}
	plain_root(v, n, &want);
	trie_root(v, n, &got);
	assert_memory_equal(got.b, want.b, 32);
	free(v);
	free(data);
}

static void empty(void **state)
{
	static const uint8_t want[32] = {
		0x56, 0xe8, 0x1f, 0x17, 0x1b, 0xcc, 0x55, 0xa6,
		0xff, 0x83, 0x45, 0xe6, 0x92, 0xc0, 0xf8, 0x6e,
		0x5b, 0x48, 0xe0, 0x1b, 0x99, 0x6c, 0xad, 0xc0,
		0x01, 0x62, 0x2f, 0xb5, 0xe3, 0x63, 0xb4, 0x21,
	};
	struct hash got;

	(void)state;
	trie_root(NULL, 0, &got);
	assert_memory_equal(got.b, want, 32);
}

static void every_small_size(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 300; n++) {
		agree(n, 1, 1); /* nodes within nodes */
		agree(n, 20, 20); /* nodes around the length of a hash */
		agree(n, 100, 400);
	}
}

static void larger_sizes(void **state)
{
	static const size_t sizes[] = { 511, 512, 513, 1000, 4096, 65535, 65536, 65537, 70000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		agree(sizes[i], 1, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(every_small_size),
		cmocka_unit_test(larger_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
