/*
 * net/devp2p/curve, ecies and handshake: the vectors of EIP-8 and of other implementations, and
 * everything that a stranger may send in place of a handshake.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "eth/keccak.h"
#include "eth/rlp.h"
#include "net/devp2p/ecies.h"
#include "net/devp2p/handshake.h"
#include "tests/unit/eip8.h"

struct keys {
	struct curve *curve;
	uint8_t a[32], b[32], pub_a[64], pub_b[64];
	struct handshake_fixed fixed_a, fixed_b;
};

static int setup(void **state)
{
	static struct keys k;
	struct err e;

	assert_int_equal(curve_new(&k.curve, &e), ST_OK);
	eip8_bytes(eip8_key_a, k.a);
	eip8_bytes(eip8_key_b, k.b);
	assert_true(curve_pub(k.curve, k.a, k.pub_a));
	assert_true(curve_pub(k.curve, k.b, k.pub_b));
	eip8_bytes(eip8_ephemeral_a, k.fixed_a.ephemeral);
	eip8_bytes(eip8_nonce_a, k.fixed_a.nonce);
	eip8_bytes(eip8_ephemeral_b, k.fixed_b.ephemeral);
	eip8_bytes(eip8_nonce_b, k.fixed_b.nonce);
	*state = &k;
	return 0;
}

static int teardown(void **state)
{
	curve_free(((struct keys *)*state)->curve);
	return 0;
}

static void expect_hex(const uint8_t *got, const char *hex)
{
	uint8_t want[128];
	const size_t n = eip8_bytes(hex, want);

	assert_memory_equal(got, want, n);
}

/* A published pair of keys, and one whose x coordinate has leading zeros when it is cut short. */
static void shared_secret(void **state)
{
	struct keys *const k = *state;
	uint8_t key[32], other[32], pub[64], x[32], y[32];

	eip8_bytes("202a36e24c3eb39513335ec99a7619bad0e7dc68d69401b016253c7d26dc92f8", key);
	eip8_bytes("d860a01f9722d78051619d1e2351aba3f43f943f6f00718d1b9baa4101932a1f"
		   "5011f16bb2b1bb35db20d6fe28fa0bf09636d26a87d31de9ec6203eeedb1f666",
		pub);
	assert_true(curve_ecdh(k->curve, key, pub, x));
	expect_hex(x, "821ce7e01ea11b111a52b2dafae8a3031a372d83bdf1a78109fa0783c2b9d5d3");

	eip8_bytes("1adf5c18167d96a1f9a0b1ef63be8aa27eaf6032c233b2b38f7850cf5b859fd9", key);
	eip8_bytes("0097a076fc7fcd9208240668e31c9abee952cbb6e375d1b8febc7499d6e16f1a", other);
	assert_true(curve_pub(k->curve, key, pub));
	expect_hex(pub,
		"1a8ed022ff7aec59dc1b440446bdda5ff6bcb3509a8b109077282b361efffbd8"
		"e040bd480b1deccc3bc40bd5b1fdcb7bfd352500b477cb9471366dbd4493f923");
	assert_true(curve_ecdh(k->curve, other, pub, x));
	assert_true(curve_pub(k->curve, other, pub));
	expect_hex(pub,
		"6ab3ac374251f638d0abb3ef596d1dc67955b507c104e5f2009724812dc027b8"
		"8ad915f2b503a8be6facab6588731fefeb584fd2dfa9a77a5e0bba1ec439e4fa");
	assert_true(curve_ecdh(k->curve, key, pub, y));
	assert_memory_equal(x, y, 32);
}

static void derivation(void **state)
{
	uint8_t cipher[16], tag[32];

	(void)state;
	assert_true(ecies_derive((const uint8_t *)"input", 5, cipher, tag));
	expect_hex(cipher, "858b192fa2ed4395e2bf88dd8d5770d6");
	/* SHA-256 of the second half, 7dc284ee539f12da8bceaa45d06ebae0, by another program. */
	expect_hex(tag, "d265af0236ddfd90721ead52f8ea46b16950ce25aa9d9778f142a0fef96f6c5f");
	assert_false(ecies_derive(cipher, 65, cipher, tag));
}

static void bad_points(void **state)
{
	struct keys *const k = *state;
	uint8_t zero[64] = { 0 }, pub[64], x[32], over[32];

	assert_false(curve_pub_ok(k->curve, zero));
	assert_false(curve_ecdh(k->curve, k->a, zero, x));
	memcpy(pub, k->pub_b, 64);
	assert_true(curve_pub_ok(k->curve, pub));
	pub[63] ^= 1; /* off the curve */
	assert_false(curve_pub_ok(k->curve, pub));
	assert_false(curve_ecdh(k->curve, k->a, pub, x));
	assert_false(curve_ecdh(k->curve, zero, k->pub_b, x));
	memset(over, 0xff, sizeof(over)); /* above the group's order */
	assert_false(curve_pub(k->curve, over, pub));
	assert_false(curve_pub(k->curve, zero, pub));
}

static void signatures(void **state)
{
	struct keys *const k = *state;
	uint8_t digest[32], sig[65], pub[64];

	for (unsigned i = 0; i < 20; i++) {
		memset(digest, (int)(i * 13), sizeof(digest));
		assert_true(curve_sign(k->curve, k->a, digest, sig));
		assert_true(sig[64] <= 3);
		assert_true(curve_recover(k->curve, sig, digest, pub));
		assert_memory_equal(pub, k->pub_a, 64);
	}
	/* The library would end the program for these; a peer decides the byte. */
	for (unsigned id = 4; id < 256; id++) {
		sig[64] = (uint8_t)id;
		assert_false(curve_recover(k->curve, sig, digest, pub));
	}
	memset(sig, 0xff, 64);
	sig[64] = 0;
	assert_false(curve_recover(k->curve, sig, digest, pub));
	memset(sig, 0, 64);
	assert_false(curve_recover(k->curve, sig, digest, pub));
}

static void round_trip(void **state)
{
	struct keys *const k = *state;
	uint8_t text[300], sealed[sizeof(text) + ECIES_OVERHEAD], out[sizeof(text)];
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 300 };

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		const size_t n = sizes[s], whole = n + ECIES_OVERHEAD;

		assert_true(ecies_encrypt(k->curve, k->pub_b, text, n, "xy", 2, sealed));
		assert_true(ecies_decrypt(k->curve, k->b, sealed, whole, "xy", 2, out));
		assert_memory_equal(out, text, n);
		assert_false(ecies_decrypt(k->curve, k->b, sealed, whole, "xz", 2, out));
		assert_false(ecies_decrypt(k->curve, k->a, sealed, whole, "xy", 2, out));
		assert_false(ecies_decrypt(k->curve, k->b, sealed, whole - 1, "xy", 2, out));
		for (size_t i = 0; i < whole; i += i < 70 ? 1 : 11) {
			sealed[i] ^= 0x40;
			assert_false(ecies_decrypt(k->curve, k->b, sealed, whole, "xy", 2, out));
			sealed[i] ^= 0x40;
		}
	}
	for (size_t n = 0; n < ECIES_OVERHEAD; n++)
		assert_false(ecies_decrypt(k->curve, k->b, sealed, n, "xy", 2, out));
	memset(sealed + 1, 0, 64); /* an invalid curve point, go-ethereum's oracle */
	assert_false(ecies_decrypt(k->curve, k->b, sealed, sizeof(sealed), "xy", 2, out));
}

static void take_all(struct handshake *h, const char *hex, enum status want)
{
	uint8_t packet[1024];
	const size_t n = eip8_bytes(hex, packet);
	size_t used;
	struct err e;

	assert_int_equal(handshake_take(h, packet, n, &used, &e), want);
	assert_int_equal(used, n);
}

/* Packets of newer versions with more items and padding: all must be understood. */
static void eip8_packets(void **state)
{
	static const char *const auths[] = { eip8_auth2, eip8_auth3 };
	static const char *const acks[] = { eip8_ack2, eip8_ack3 };
	struct keys *const k = *state;
	struct handshake h;
	struct err e;
	uint8_t pub[64];

	for (int i = 0; i < 2; i++) {
		assert_int_equal(handshake_init(&h, RLPX_RECIPIENT, k->curve, k->b, NULL, &k->fixed_b, &e), ST_OK);
		take_all(&h, auths[i], ST_OK);
		assert_memory_equal(h.remote, k->pub_a, 64);
		assert_memory_equal(h.remote_nonce, k->fixed_a.nonce, 32);
		assert_true(curve_pub(k->curve, k->fixed_a.ephemeral, pub));
		assert_memory_equal(h.remote_ephemeral, pub, 64);
		handshake_fini(&h);

		assert_int_equal(handshake_init(&h, RLPX_INITIATOR, k->curve, k->a, k->pub_b, &k->fixed_a, &e), ST_OK);
		take_all(&h, acks[i], ST_OK);
		assert_memory_equal(h.remote_nonce, k->fixed_b.nonce, 32);
		assert_true(curve_pub(k->curve, k->fixed_b.ephemeral, pub));
		assert_memory_equal(h.remote_ephemeral, pub, 64);
		handshake_fini(&h);
	}
}

static void eip8_secrets(void **state)
{
	struct keys *const k = *state;
	struct handshake h;
	struct rlpx_secrets s;
	struct err e;
	uint8_t sum[32];

	assert_int_equal(handshake_init(&h, RLPX_RECIPIENT, k->curve, k->b, NULL, &k->fixed_b, &e), ST_OK);
	assert_int_equal(handshake_secrets(&h, &s, &e), ST_INTERNAL); /* too early */
	take_all(&h, eip8_auth2, ST_OK);
	/* Our own answer is encrypted at random; the vector's stands in for it. */
	h.out_n = eip8_bytes(eip8_ack2, h.out);
	assert_int_equal(handshake_secrets(&h, &s, &e), ST_OK);
	expect_hex(s.aes, eip8_aes);
	expect_hex(s.mac, eip8_mac);
	keccak_add(&s.ingress, "foo", 3);
	keccak_end(&s.ingress, sum);
	expect_hex(sum, eip8_ingress_foo);
	handshake_fini(&h);
}

/* Both roles, the packets cut in every possible way, more bytes behind them. */
static void both_roles(void **state)
{
	struct keys *const k = *state;
	static const size_t steps[] = { 1, 2, 3, 7, 64, 5000 };

	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		struct handshake a, b;
		struct rlpx_secrets sa, sb;
		struct err e;
		size_t used, at;
		enum status st = ST_AGAIN;
		uint8_t sum_a[32], sum_b[32], packet[2100];

		assert_int_equal(handshake_init(&a, RLPX_INITIATOR, k->curve, k->a, k->pub_b, NULL, &e), ST_OK);
		assert_int_equal(handshake_init(&b, RLPX_RECIPIENT, k->curve, k->b, NULL, NULL, &e), ST_OK);
		assert_int_equal(b.out_n, 0);
		assert_true(a.out_n >= 384 && a.out_n <= 484);
		memcpy(packet, a.out, a.out_n);
		memset(packet + a.out_n, 0xee, 10);
		for (at = 0; st == ST_AGAIN; at += used) {
			const size_t left = a.out_n + 10 - at;

			assert_true(left > 0);
			st = handshake_take(&b, packet + at, left < steps[s] ? left : steps[s], &used, &e);
		}
		assert_int_equal(st, ST_OK);
		assert_int_equal(at, a.out_n);
		assert_true(b.out_n >= 317 && b.out_n <= 417);
		st = ST_AGAIN;
		for (at = 0; st == ST_AGAIN; at += used) {
			const size_t left = b.out_n - at;

			assert_true(left > 0);
			st = handshake_take(&a, b.out + at, left < steps[s] ? left : steps[s], &used, &e);
		}
		assert_int_equal(st, ST_OK);
		assert_int_equal(at, b.out_n);
		assert_int_equal(handshake_secrets(&a, &sa, &e), ST_OK);
		assert_int_equal(handshake_secrets(&b, &sb, &e), ST_OK);
		assert_memory_equal(sa.aes, sb.aes, 32);
		assert_memory_equal(sa.mac, sb.mac, 32);
		assert_memory_not_equal(sa.aes, sa.mac, 32);
		keccak_peek(&sa.egress, sum_a);
		keccak_peek(&sb.ingress, sum_b);
		assert_memory_equal(sum_a, sum_b, 32);
		keccak_peek(&sa.ingress, sum_a);
		assert_memory_not_equal(sum_a, sum_b, 32);
		keccak_peek(&sb.egress, sum_b);
		assert_memory_equal(sum_a, sum_b, 32);
		handshake_fini(&a);
		handshake_fini(&b);
		for (size_t i = 0; i < sizeof(a.ephemeral); i++)
			assert_int_equal(a.ephemeral[i], 0);
	}
}

/* A packet for the recipient with any body: what the owner of a wrong client could send. */
static enum status offer(struct keys *k, const uint8_t *body, size_t n, struct err *e)
{
	uint8_t packet[2 + HANDSHAKE_MAX];
	struct handshake h;
	size_t used;
	enum status st;

	packet[0] = (uint8_t)((n + ECIES_OVERHEAD) >> 8);
	packet[1] = (uint8_t)(n + ECIES_OVERHEAD);
	assert_true(ecies_encrypt(k->curve, k->pub_b, body, n, packet, 2, packet + 2));
	assert_int_equal(handshake_init(&h, RLPX_RECIPIENT, k->curve, k->b, NULL, NULL, e), ST_OK);
	st = handshake_take(&h, packet, 2 + n + ECIES_OVERHEAD, &used, e);
	handshake_fini(&h);
	return st;
}

static size_t auth_body(struct keys *k, uint8_t *out, uint8_t recid, bool bad_key, bool no_version)
{
	uint8_t digest[32], sig[65], pub[64], nonce[32] = { 9 };
	uint8_t *const payload = out + 9, *end, *start;
	size_t n;

	assert_true(curve_ecdh(k->curve, k->a, k->pub_b, digest));
	digest[0] ^= 9;
	assert_true(curve_sign(k->curve, k->fixed_a.ephemeral, digest, sig));
	if (recid != 0xff)
		sig[64] = recid;
	memcpy(pub, k->pub_a, 64);
	pub[63] ^= bad_key;
	end = rlp_put_bytes(payload, sig, 65);
	end = rlp_put_bytes(end, pub, 64);
	end = rlp_put_bytes(end, nonce, 32);
	if (!no_version)
		end = rlp_put_u64(end, 4);
	start = rlp_put_list(payload, (size_t)(end - payload));
	n = (size_t)(end - start);
	memmove(out, start, n);
	return n;
}

/* What is wrong inside a well encrypted packet is not told apart. */
static void hostile_bodies(void **state)
{
	struct keys *const k = *state;
	uint8_t body[600] = { 0 }, copy[600];
	struct err e, first;
	size_t n = auth_body(k, body, 0xff, false, false);

	assert_int_equal(offer(k, body, n, &e), ST_OK);
	assert_int_equal(offer(k, body, n + 150, &e), ST_OK); /* padding */
	for (size_t cut = 1; cut < n; cut++) {
		memset(copy, 0, sizeof(copy));
		memcpy(copy, body, cut);
		assert_int_equal(offer(k, copy, cut, &e), ST_MALFORMED);
	}
	first = e;
	memcpy(copy, body, n);
	copy[2] = 0xf9; /* the signature has become a list */
	assert_int_equal(offer(k, copy, n, &e), ST_MALFORMED);
	assert_string_equal(e.text, first.text);
	n = auth_body(k, body, 7, false, false);
	assert_int_equal(offer(k, body, n, &e), ST_MALFORMED);
	assert_string_equal(e.text, first.text);
	n = auth_body(k, body, 0xff, true, false);
	assert_int_equal(offer(k, body, n, &e), ST_MALFORMED);
	assert_string_equal(e.text, first.text);
	n = auth_body(k, body, 0xff, false, true);
	assert_int_equal(offer(k, body, n, &e), ST_MALFORMED);
	memset(body, 0xc0, 1);
	assert_int_equal(offer(k, body, 1, &e), ST_MALFORMED);
}

/* The size alone is enough to refuse: nobody is waited for, nothing is kept. */
static void hostile_sizes(void **state)
{
	static const uint8_t prefixes[][2] = {
		{ 0, 0 },
		{ 0, 113 },
		{ 8, 1 },
		{ 0xff, 0xff },
		{ 'G', 'E' },
		{ 0x16, 0x03 },
	};
	struct keys *const k = *state;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		struct handshake h;
		struct err e;
		size_t used;

		assert_int_equal(handshake_init(&h, RLPX_RECIPIENT, k->curve, k->b, NULL, NULL, &e), ST_OK);
		assert_int_equal(handshake_take(&h, prefixes[i], 1, &used, &e), ST_AGAIN);
		assert_int_equal(used, 1);
		assert_int_equal(handshake_take(&h, prefixes[i] + 1, 1, &used, &e), ST_MALFORMED);
		assert_true(e.cure[0] != '\0');
		handshake_fini(&h);
	}
}

static void bad_targets(void **state)
{
	struct keys *const k = *state;
	struct handshake h;
	struct err e;
	uint8_t zero[64] = { 0 };

	assert_int_equal(handshake_init(&h, RLPX_INITIATOR, k->curve, k->a, zero, NULL, &e), ST_USAGE);
	assert_int_equal(handshake_init(&h, RLPX_INITIATOR, k->curve, k->a, NULL, NULL, &e), ST_USAGE);
	assert_int_equal(handshake_init(&h, RLPX_INITIATOR, k->curve, zero, k->pub_b, NULL, &e), ST_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_secret),
		cmocka_unit_test(derivation),
		cmocka_unit_test(bad_points),
		cmocka_unit_test(signatures),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(eip8_packets),
		cmocka_unit_test(eip8_secrets),
		cmocka_unit_test(both_roles),
		cmocka_unit_test(hostile_bodies),
		cmocka_unit_test(hostile_sizes),
		cmocka_unit_test(bad_targets),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
