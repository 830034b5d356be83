/*
 * The curve secp256k1 as devp2p uses it: node keys, ECDH by the x coordinate alone, signatures from which the signer's public
 * key can be recovered. Keys are 32 bytes, public keys X‖Y (64 bytes, no 0x04 before), as in enode:// URLs.
 */
#ifndef NET_DEVP2P_CURVE_H
#define NET_DEVP2P_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { CURVE_KEY = 32, CURVE_PUB = 64, CURVE_SIG = 65 };

/* Blinded by random bytes against timing; belongs to one thread at a time. */
struct curve;
enum status curve_new(struct curve **out, struct err *e) MUST_CHECK; /* ST_NOMEM, ST_INTERNAL without randomness */
void curve_free(struct curve *c); /* NULL is allowed */

/* A fresh random key. False: no randomness. */
bool curve_key(struct curve *c, uint8_t key[CURVE_KEY]) MUST_CHECK;
/* Public key of a key. False: the key is 0 or not below the group's order. */
bool curve_pub(struct curve *c, const uint8_t key[CURVE_KEY], uint8_t pub[CURVE_PUB]) MUST_CHECK;
/* Is this a point on the curve? */
bool curve_pub_ok(struct curve *c, const uint8_t pub[CURVE_PUB]);
/* X coordinate of key × pub, not hashed. False: pub is no point (checked first) or key is no key. */
bool curve_ecdh(struct curve *c, const uint8_t key[CURVE_KEY], const uint8_t pub[CURVE_PUB], uint8_t x[32]) MUST_CHECK;
/* r ‖ s ‖ recovery id (0…3) over a digest. */
bool curve_sign(struct curve *c, const uint8_t key[CURVE_KEY], const uint8_t digest[32], uint8_t sig[CURVE_SIG]) MUST_CHECK;
/* Who signed. False: not a signature; a recovery id above 3 is refused here, the library would abort the program. */
bool curve_recover(struct curve *c, const uint8_t sig[CURVE_SIG], const uint8_t digest[32], uint8_t pub[CURVE_PUB]) MUST_CHECK;

#endif
