/*
 * net/devp2p/handshake: packets from strangers. First byte: bit 0 we are the initiator, bit 1 the
 * rest is a body that is well encrypted for us (else nothing gets past the tag), bit 2 it is given
 * byte by byte.
 */
#include <stdlib.h>
#include <string.h>

#include "net/devp2p/ecies.h"
#include "net/devp2p/handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[32] = { [31] = 3 }, other[32] = { [31] = 5 };
	static struct curve *curve;
	uint8_t packet[2 + HANDSHAKE_MAX], pub[CURVE_PUB], own[CURVE_PUB];
	struct handshake h;
	struct rlpx_secrets s;
	struct err e;
	size_t n = 0, used;
	enum status st = ST_AGAIN;

	if (size < 1 || (curve == NULL && curve_new(&curve, &e) != ST_OK))
		return 0;
	if (!curve_pub(curve, other, pub) || !curve_pub(curve, key, own))
		abort();
	if (handshake_init(&h, data[0] & 1 ? RLPX_INITIATOR : RLPX_RECIPIENT, curve, key, pub, NULL, &e) != ST_OK)
		abort();
	if (data[0] & 2) {
		if (size - 1 > HANDSHAKE_MAX - ECIES_OVERHEAD)
			size = 1 + HANDSHAKE_MAX - ECIES_OVERHEAD;
		n = size - 1 + ECIES_OVERHEAD;
		packet[0] = (uint8_t)(n >> 8);
		packet[1] = (uint8_t)n;
		if (!ecies_encrypt(curve, own, data + 1, size - 1, packet, 2, packet + 2))
			abort();
		n += 2;
	} else {
		n = size - 1 < sizeof(packet) ? size - 1 : sizeof(packet);
		memcpy(packet, data + 1, n);
	}
	for (size_t at = 0; st == ST_AGAIN && at < n; at += used) {
		st = handshake_take(&h, packet + at, data[0] & 4 ? 1 : n - at, &used, &e);
		if (used > n - at || (st == ST_AGAIN && used == 0))
			abort();
	}
	if (st == ST_OK && handshake_secrets(&h, &s, &e) != ST_OK)
		abort();
	handshake_fini(&h);
	return 0;
}
