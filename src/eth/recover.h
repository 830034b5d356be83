/* Who sent a transaction: the address of the key that signed it (yellow paper, appendix F). About 50 µs each. */
#ifndef ETH_RECOVER_H
#define ETH_RECOVER_H

#include "eth/verify.h"

/*
 * The address whose key made this signature (r and s, big-endian, 32 bytes each) of digest. parity: 0 or 1, of the
 * signature's point. ST_MALFORMED: no key could have made it.
 */
enum status signature_signer(const struct hash *digest, const uint8_t rs[64], uint8_t parity, struct addr *out) MUST_CHECK;

/*
 * Sender of a signed transaction of types 0–4. Its `from` is not looked at. ST_UNSUPPORTED: nobody signed it (a deposit, one of
 * the unsigned kinds of some chains), unknown type, a field is missing. ST_MALFORMED: no key could have made this
 * signature. ST_NOMEM.
 */
enum status tx_sender(struct verifier *v, const struct block *b, const struct tx *t, struct addr *out) MUST_CHECK;

#endif
