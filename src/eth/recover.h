/* Who sent a transaction: the address of the key that signed it (yellow paper, appendix F). About 50 µs each. */
#ifndef ETH_RECOVER_H
#define ETH_RECOVER_H

#include "eth/verify.h"

/*
 * Sender of a signed transaction of types 0–4. Its `from` is not looked at. ST_UNSUPPORTED: nobody signed it (a deposit, one of
 * the unsigned kinds of some chains), unknown type, a field is missing. ST_MALFORMED: no key could have made this
 * signature. ST_NOMEM.
 */
enum status tx_sender(struct verifier *v, const struct block *b, const struct tx *t, struct addr *out) MUST_CHECK;

#endif
