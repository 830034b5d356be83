#include "eth/address.h"

#include <stdio.h>

#include "base/hex.h"
#include "eth/keccak.h"
#include "eth/rlp.h"

char *address_text(char out[ADDRESS_TEXT], const struct addr *a)
{
	uint8_t sum[32];

	hex_print(out, a->b, sizeof(a->b));
	keccak256(out + 2, 40, sum);
	for (unsigned i = 0; i < 40; i++) {
		unsigned nibble = i % 2 ? sum[i / 2] & 15 : sum[i / 2] >> 4;

		if (nibble >= 8 && out[2 + i] >= 'a')
			out[2 + i] = (char)(out[2 + i] - 'a' + 'A');
	}
	return out;
}

char *address_short(char out[ADDRESS_SHORT], const struct addr *a)
{
	char text[ADDRESS_TEXT];

	address_text(text, a);
	snprintf(out, ADDRESS_SHORT, "%.6s\xe2\x80\xa6%s", text, text + 38);
	return out;
}

void address_created(struct addr *out, const struct addr *sender, uint64_t nonce)
{
	uint8_t rlp[RLP_HEADER_MAX + 21 + RLP_U64_MAX], sum[32], *payload = rlp + RLP_HEADER_MAX, *start, *end;

	end = rlp_put_u64(rlp_put_bytes(payload, sender->b, sizeof(sender->b)), nonce);
	start = rlp_put_list(payload, (size_t)(end - payload));
	keccak256(start, (size_t)(end - start), sum);
	memcpy(out->b, sum + 12, sizeof(out->b));
}
