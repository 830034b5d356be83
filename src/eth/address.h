/* Addresses as people read them, and those of new contracts. */
#ifndef ETH_ADDRESS_H
#define ETH_ADDRESS_H

#include "eth/types.h"

enum { ADDRESS_TEXT = 43 /* with 0x and the end */, ADDRESS_SHORT = 16 };

/* "0xdAC17F958D2ee523a2206206994597C13D831ec7": the case of the letters is a checksum (EIP-55). Returns out. */
char *address_text(char out[ADDRESS_TEXT], const struct addr *a);
/* "0xdAC1…1ec7" of that. Returns out. */
char *address_short(char out[ADDRESS_SHORT], const struct addr *a);
/* Where a transaction of this sender and nonce puts the contract it creates: keccak(rlp([sender, nonce])) (yellow paper, §7). */
void address_created(struct addr *out, const struct addr *sender, uint64_t nonce);

#endif
