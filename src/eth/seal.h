/* Who sealed a block where signers take turns and the signature stands in the extra data: clique (EIP-225) and Polygon's Bor. */
#ifndef ETH_SEAL_H
#define ETH_SEAL_H

#include "eth/block.h"

/*
 * The signer of a header. extra: its h->extra.len bytes; the last 65 are the signature of keccak(rlp(the header without
 * them)), with the base fee where there is one and no later field. ST_UNSUPPORTED: too short for that, or fields are
 * missing or too new. ST_MALFORMED: no key could have made this signature.
 */
enum status header_signer(const struct header *h, const uint8_t *extra, struct addr *out) MUST_CHECK;

#endif
