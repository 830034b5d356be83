#include "net/devp2p/curve.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <secp256k1.h>
#include <secp256k1_ecdh.h>
#include <secp256k1_recovery.h>

struct curve {
	secp256k1_context *ctx;
};

/* The default aborts the program. Nothing here passes what is illegal; the call then just fails. */
static void illegal(const char *text, void *data)
{
	(void)text;
	(void)data;
}

enum status curve_new(struct curve **out, struct err *e)
{
	struct curve *const c = calloc(1, sizeof(*c));
	uint8_t seed[32];

	*out = NULL;
	if (c == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	c->ctx = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
	if (c->ctx == NULL) {
		free(c);
		return err_set(e, ST_NOMEM, "out of memory");
	}
	secp256k1_context_set_illegal_callback(c->ctx, illegal, NULL);
	if (RAND_bytes(seed, sizeof(seed)) != 1 || !secp256k1_context_randomize(c->ctx, seed)) {
		curve_free(c);
		return err_set(e, ST_INTERNAL, "no random bytes for a key");
	}
	OPENSSL_cleanse(seed, sizeof(seed));
	*out = c;
	return ST_OK;
}

void curve_free(struct curve *c)
{
	if (c == NULL)
		return;
	secp256k1_context_destroy(c->ctx);
	free(c);
}

static bool parse_pub(const struct curve *c, const uint8_t pub[CURVE_PUB], secp256k1_pubkey *out)
{
	uint8_t whole[1 + CURVE_PUB] = { 0x04 };

	memcpy(whole + 1, pub, CURVE_PUB);
	return secp256k1_ec_pubkey_parse(c->ctx, out, whole, sizeof(whole)) == 1;
}

static bool write_pub(const struct curve *c, const secp256k1_pubkey *in, uint8_t pub[CURVE_PUB])
{
	uint8_t whole[1 + CURVE_PUB];
	size_t n = sizeof(whole);

	if (!secp256k1_ec_pubkey_serialize(c->ctx, whole, &n, in, SECP256K1_EC_UNCOMPRESSED))
		return false;
	memcpy(pub, whole + 1, CURVE_PUB);
	return true;
}

bool curve_key(struct curve *c, uint8_t key[CURVE_KEY])
{
	/* A random word is no key with a chance of 2^-128: more than one such is a broken source. */
	for (int i = 0; i < 4; i++) {
		if (RAND_bytes(key, CURVE_KEY) != 1)
			return false;
		if (secp256k1_ec_seckey_verify(c->ctx, key))
			return true;
	}
	return false;
}

bool curve_pub(struct curve *c, const uint8_t key[CURVE_KEY], uint8_t pub[CURVE_PUB])
{
	secp256k1_pubkey p;

	return secp256k1_ec_pubkey_create(c->ctx, &p, key) == 1 && write_pub(c, &p, pub);
}

bool curve_pub_ok(struct curve *c, const uint8_t pub[CURVE_PUB])
{
	secp256k1_pubkey p;

	return parse_pub(c, pub, &p);
}

/* In place of the library's default, which hashes the compressed point. */
static int x_alone(unsigned char *out, const unsigned char *x, const unsigned char *y, void *data)
{
	(void)y;
	(void)data;
	memcpy(out, x, 32);
	return 1;
}

bool curve_ecdh(struct curve *c, const uint8_t key[CURVE_KEY], const uint8_t pub[CURVE_PUB], uint8_t x[32])
{
	secp256k1_pubkey p;

	return parse_pub(c, pub, &p) && secp256k1_ecdh(c->ctx, x, &p, key, x_alone, NULL) == 1;
}

bool curve_sign(struct curve *c, const uint8_t key[CURVE_KEY], const uint8_t digest[32], uint8_t sig[CURVE_SIG])
{
	secp256k1_ecdsa_recoverable_signature s;
	int id;

	if (!secp256k1_ecdsa_sign_recoverable(c->ctx, &s, digest, key, NULL, NULL) ||
		!secp256k1_ecdsa_recoverable_signature_serialize_compact(c->ctx, sig, &id, &s))
		return false;
	sig[64] = (uint8_t)id;
	return true;
}

bool curve_recover(struct curve *c, const uint8_t sig[CURVE_SIG], const uint8_t digest[32], uint8_t pub[CURVE_PUB])
{
	secp256k1_ecdsa_recoverable_signature s;
	secp256k1_pubkey p;

	return sig[64] <= 3 && secp256k1_ecdsa_recoverable_signature_parse_compact(c->ctx, &s, sig, sig[64]) == 1 &&
		secp256k1_ecdsa_recover(c->ctx, &p, &s, digest) == 1 && write_pub(c, &p, pub);
}
