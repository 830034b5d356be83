#include "eth/seal.h"

#include "eth/keccak.h"
#include "eth/recover.h"
#include "eth/rlp.h"

enum {
	SEAL = 65,
	HASH_ITEM = 33,
	NEEDS = H_PARENT | H_NUMBER | H_MINER | H_NONCE | H_MIX | H_BLOOM | H_DIFFICULTY,
	BEFORE_MAX = 5 * HASH_ITEM + 21 + 3 + 256 + RLP_U256_MAX + 4 * RLP_U64_MAX,
	AFTER_MAX = HASH_ITEM + 9 + RLP_U256_MAX,
};

static uint8_t *put_hash(uint8_t *to, const struct hash *h)
{
	return rlp_put_bytes(to, h->b, sizeof(h->b));
}

static void sealed_hash(const struct header *h, const uint8_t *extra, struct hash *out)
{
	uint8_t before[BEFORE_MAX], after[AFTER_MAX], head[RLP_HEADER_MAX], extra_head[RLP_HEADER_MAX];
	uint8_t *p = before, *q = after;
	size_t n = h->extra.len - SEAL, nhead = 0;
	struct keccak k;

	p = put_hash(p, &h->parent);
	p = put_hash(p, &h->uncles_hash);
	p = rlp_put_bytes(p, h->miner.b, sizeof(h->miner.b));
	p = put_hash(p, &h->state_root);
	p = put_hash(p, &h->tx_root);
	p = put_hash(p, &h->receipts_root);
	p = rlp_put_bytes(p, h->bloom, sizeof(h->bloom));
	p = rlp_put_u256(p, &h->difficulty);
	p = rlp_put_u64(p, h->number);
	p = rlp_put_u64(p, h->gas_limit);
	p = rlp_put_u64(p, h->gas_used);
	p = rlp_put_u64(p, h->timestamp);
	q = put_hash(q, &h->mix_hash);
	q = rlp_put_bytes(q, h->nonce, sizeof(h->nonce));
	if (h->has & H_BASE_FEE)
		q = rlp_put_u256(q, &h->base_fee);
	if (n != 1 || extra[0] >= 0x80)
		nhead = rlp_header(extra_head, false, n);
	keccak_init(&k);
	keccak_add(&k, head, rlp_header(head, true, (size_t)(p - before) + nhead + n + (size_t)(q - after)));
	keccak_add(&k, before, (size_t)(p - before));
	keccak_add(&k, extra_head, nhead);
	keccak_add(&k, extra, n);
	keccak_add(&k, after, (size_t)(q - after));
	keccak_end(&k, out->b);
}

enum status header_signer(const struct header *h, const uint8_t *extra, struct addr *out)
{
	struct hash digest;
	const uint8_t *sig;

	if (h->extra.len < SEAL || (h->has & NEEDS) != NEEDS || h->has & (H_WITHDRAWALS_ROOT | H_BLOB_GAS_USED))
		return ST_UNSUPPORTED;
	sealed_hash(h, extra, &digest);
	sig = extra + h->extra.len - SEAL;
	return signature_signer(&digest, sig, sig[64], out);
}
