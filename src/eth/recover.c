#include "eth/recover.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include "eth/keccak.h"

enum status signature_signer(const struct hash *digest, const uint8_t rs[64], uint8_t parity, struct addr *out)
{
	/* Recovery needs no secret and no tables: the library's constant context does. */
	const secp256k1_context *const ctx = secp256k1_context_static;
	secp256k1_ecdsa_recoverable_signature sig;
	secp256k1_pubkey key;
	uint8_t whole[65];
	struct hash sum;
	size_t n = sizeof(whole);

	/* Above 3 the library would end the program. */
	if (parity > 1 || !secp256k1_ecdsa_recoverable_signature_parse_compact(ctx, &sig, rs, parity) ||
		!secp256k1_ecdsa_recover(ctx, &key, &sig, digest->b) ||
		!secp256k1_ec_pubkey_serialize(ctx, whole, &n, &key, SECP256K1_EC_UNCOMPRESSED))
		return ST_MALFORMED;
	keccak256(whole + 1, 64, sum.b);
	memcpy(out->b, sum.b + 12, sizeof(out->b));
	return ST_OK;
}

enum status tx_sender(struct verifier *v, const struct block *b, const struct tx *t, struct addr *out)
{
	struct hash digest;
	uint8_t compact[64], parity;
	enum status st;

	/* State syncs and the like carry a signature of zeros. */
	if (u256_is_zero(&t->r) && u256_is_zero(&t->s))
		return ST_UNSUPPORTED;
	st = tx_signed(v, b, t, &digest, &parity);
	if (st != ST_OK)
		return st;
	u256_to_be(&t->r, compact);
	u256_to_be(&t->s, compact + 32);
	return signature_signer(&digest, compact, parity, out);
}
