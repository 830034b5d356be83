#include "feed/event.h"

#include <string.h>

const char *method_name(enum method m)
{
	static const char *const names[M_N] = {
#define X(name, text) [name] = text,
		METHOD_LIST(X)
#undef X
	};

	return m < M_N ? names[m] : "other";
}

const char *peer_kind_name(enum peer_kind k)
{
	static const char *const names[PK_N] = {
#define X(name, text) [name] = text,
		PEER_KIND_LIST(X)
#undef X
	};

	return k < PK_N ? names[k] : "other";
}

void head_from(struct head *out, const struct header *h, const uint8_t *extra)
{
	*out = (struct head){
		.hash = h->hash,
		.parent = h->parent,
		.base_fee = h->base_fee,
		.number = h->number,
		.time_ms = h->time_ms,
		.gas_used = h->gas_used,
		.gas_limit = h->gas_limit,
		.blob_gas_used = h->blob_gas_used,
		.excess_blob_gas = h->excess_blob_gas,
		.miner = h->miner,
		.has = h->has,
		.extra_len = h->extra.len > 255 ? 255 : (uint8_t)h->extra.len,
	};
	if (u256_fits64(&h->difficulty) && h->difficulty.w[0] < 255)
		out->difficulty = (uint8_t)h->difficulty.w[0];
	else
		out->difficulty = 255;
	memcpy(out->extra, extra, h->extra.len > sizeof(out->extra) ? sizeof(out->extra) : h->extra.len);
}
