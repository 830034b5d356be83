/*
 * The hybrid encryption of devp2p's handshake packets (devp2p's rlpx.md, "ECIES Encryption"): an ephemeral key, AES-128 in
 * counter mode, HMAC-SHA256. On the wire: 0x04 ‖ ephemeral public key (64) ‖ IV (16) ‖ ciphertext ‖ tag (32).
 */
#ifndef NET_DEVP2P_ECIES_H
#define NET_DEVP2P_ECIES_H

#include <stddef.h>

#include "net/devp2p/curve.h"

enum { ECIES_OVERHEAD = 1 + CURVE_PUB + 16 + 32 };

/*
 * Encrypts msg[n] to the owner of pub; out has room for n + ECIES_OVERHEAD bytes. shared[shared_n] is not sent but bound
 * by the tag: the packet's length prefix. False: pub is no point, or no randomness.
 */
bool ecies_encrypt(struct curve *c, const uint8_t pub[CURVE_PUB], const void *msg, size_t n, const void *shared,
		   size_t shared_n, uint8_t *out) MUST_CHECK;
/*
 * Decrypts in[n] into out, which has room for n − ECIES_OVERHEAD bytes. False, without saying why, for anything that is
 * wrong: too short, no point on the curve, wrong tag (compared in constant time; nothing is decrypted then).
 */
bool ecies_decrypt(struct curve *c, const uint8_t key[CURVE_KEY], const uint8_t *in, size_t n, const void *shared,
		   size_t shared_n, uint8_t *out) MUST_CHECK;
/*
 * The key derivation of NIST SP 800-56 over a shared secret x[n ≤ 64], one round of SHA-256 without further information: keys of
 * cipher and of tag (which is hashed once more).
 */
bool ecies_derive(const uint8_t *x, size_t n, uint8_t cipher[16], uint8_t tag[32]) MUST_CHECK;

#endif
