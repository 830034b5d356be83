/* Fee arithmetic, exact integers (provider.md §3.4). Wei. */
#ifndef ETH_FEE_H
#define ETH_FEE_H

#include "eth/block.h"
#include "eth/chains.h"

/*
 * EIP-1559: base fee of the child of a block. base_fee NULL: the block is before London and its child the first London
 * block (1 gwei). False on overflow.
 */
bool fee_next_base(const struct u256 *base_fee, uint64_t gas_used, uint64_t gas_limit, struct u256 *out);
/* EIP-4844 fake_exponential(1, excess, fraction): price of one unit of blob gas. False on overflow or fraction 0. */
bool fee_blob_base(uint64_t excess, uint64_t fraction, struct u256 *out);
/* fake_exponential itself, for vectors. */
bool fee_fake_exponential(const struct u256 *factor, const struct u256 *num, const struct u256 *den, struct u256 *out);
/*
 * Excess blob gas of the child (EIP-4844, with EIP-7918 where s->osaka). s is the schedule of the child's timestamp.
 */
bool fee_next_excess(uint64_t excess, uint64_t used, const struct u256 *parent_base_fee, const struct blob_schedule *s,
		     uint64_t *out);
/* What a mined transaction pays per gas. base_fee NULL: before London. False: the transaction has no price. */
bool fee_effective(const struct tx *t, const struct u256 *base_fee, struct u256 *out);

struct fee_tips {
	bool valid; /* false: no transaction that counts */
	struct u256 p10, p50, p90; /* nearest rank over the block's transactions, unweighted, deposits left out */
	uint32_t n; /* transactions that count */
};
/* scratch: room for b->txs.len u256 values, or NULL to allocate. ST_NOMEM. */
enum status fee_block_tips(const struct block *b, struct u256 *scratch, struct fee_tips *out) MUST_CHECK;
/*
 * What all tips of the block are at least and at most. Without receipts nobody knows how much gas each transaction used, but it
 * is at most its limit, and all of them used what the header says (so it is until Osaka): the least is when the cheapest used
 * all they may. lo = hi for one transaction, for equal tips, for plain transfers. False: no prices, overflow, no memory.
 */
bool fee_tip_bounds(const struct block *b, struct u256 *lo, struct u256 *hi);
/*
 * base fee × gas used (+ blob fee × blob gas). False if the block has no base fee, or has blobs while s, the schedule
 * of its own timestamp, is NULL.
 */
bool fee_burned(const struct header *h, const struct blob_schedule *s, struct u256 *out);

#endif
