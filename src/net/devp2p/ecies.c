#include "net/devp2p/ecies.h"

#include <limits.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

enum { AT_POINT = 1, AT_IV = AT_POINT + CURVE_PUB, AT_TEXT = AT_IV + 16, TAG = 32 };

struct ecies_keys {
	uint8_t cipher[16], tag[TAG];
};

bool ecies_derive(const uint8_t *x, size_t n, uint8_t cipher[16], uint8_t tag[32])
{
	uint8_t in[4 + 64] = { 0, 0, 0, 1 }, h[32];
	bool ok;

	if (n > sizeof(in) - 4)
		return false;
	memcpy(in + 4, x, n);
	ok = EVP_Digest(in, 4 + n, h, NULL, EVP_sha256(), NULL) == 1;
	memcpy(cipher, h, 16);
	ok = ok && EVP_Digest(h + 16, 16, tag, NULL, EVP_sha256(), NULL) == 1;
	OPENSSL_cleanse(in, sizeof(in));
	OPENSSL_cleanse(h, sizeof(h));
	return ok;
}

static bool agree(struct curve *c, const uint8_t key[CURVE_KEY], const uint8_t pub[CURVE_PUB], struct ecies_keys *k)
{
	uint8_t x[32];
	const bool ok = curve_ecdh(c, key, pub, x) && ecies_derive(x, sizeof(x), k->cipher, k->tag);

	OPENSSL_cleanse(x, sizeof(x));
	return ok;
}

/* HMAC over IV and ciphertext, which stand together, and the shared bytes. */
static bool tag_of(
	const struct ecies_keys *k, const uint8_t *iv, size_t n, const void *shared, size_t shared_n, uint8_t out[TAG])
{
	EVP_PKEY *const key = EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, NULL, k->tag, TAG);
	EVP_MD_CTX *const ctx = EVP_MD_CTX_new();
	size_t len = TAG;
	const bool ok = key != NULL && ctx != NULL && EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
		EVP_DigestSignUpdate(ctx, iv, n) == 1 && EVP_DigestSignUpdate(ctx, shared, shared_n) == 1 &&
		EVP_DigestSignFinal(ctx, out, &len) == 1 && len == TAG;

	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(key);
	return ok;
}

static bool crypt_ctr(const struct ecies_keys *k, const uint8_t iv[16], const uint8_t *in, size_t n, uint8_t *out)
{
	EVP_CIPHER_CTX *const ctx = EVP_CIPHER_CTX_new();
	int len;
	const bool ok = ctx != NULL && n <= INT_MAX &&
		EVP_EncryptInit_ex(ctx, EVP_aes_128_ctr(), NULL, k->cipher, iv) == 1 &&
		EVP_EncryptUpdate(ctx, out, &len, in, (int)n) == 1;

	EVP_CIPHER_CTX_free(ctx);
	return ok;
}

bool ecies_encrypt(struct curve *c, const uint8_t pub[CURVE_PUB], const void *msg, size_t n, const void *shared,
	size_t shared_n, uint8_t *out)
{
	struct ecies_keys k;
	uint8_t key[CURVE_KEY];
	const bool ok = curve_key(c, key) && curve_pub(c, key, out + AT_POINT) && agree(c, key, pub, &k) &&
		RAND_bytes(out + AT_IV, 16) == 1 && crypt_ctr(&k, out + AT_IV, msg, n, out + AT_TEXT) &&
		tag_of(&k, out + AT_IV, 16 + n, shared, shared_n, out + AT_TEXT + n);

	out[0] = 0x04;
	OPENSSL_cleanse(key, sizeof(key));
	OPENSSL_cleanse(&k, sizeof(k));
	return ok;
}

bool ecies_decrypt(struct curve *c, const uint8_t key[CURVE_KEY], const uint8_t *in, size_t n, const void *shared,
	size_t shared_n, uint8_t *out)
{
	struct ecies_keys k;
	uint8_t tag[TAG];
	bool ok;

	if (n < ECIES_OVERHEAD || in[0] != 0x04)
		return false;
	n -= ECIES_OVERHEAD;
	ok = agree(c, key, in + AT_POINT, &k) && tag_of(&k, in + AT_IV, 16 + n, shared, shared_n, tag) &&
		CRYPTO_memcmp(tag, in + AT_TEXT + n, TAG) == 0 && crypt_ctr(&k, in + AT_IV, in + AT_TEXT, n, out);
	OPENSSL_cleanse(&k, sizeof(k));
	OPENSSL_cleanse(tag, sizeof(tag));
	return ok;
}
