/*
 * net/devp2p/p2p and eth: every decoder on the same bytes, for every version. First byte: version
 * and code.
 */
#include <stdlib.h>
#include <string.h>

#include "eth/block_rlp.h"
#include "net/devp2p/enode.h"
#include "net/devp2p/eth.h"
#include "net/devp2p/p2p.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void base(const uint8_t *p, size_t n)
{
	struct p2p_match match[8];
	struct p2p_hello h, again;
	unsigned ours;
	const struct p2p_proto *const protocols = eth_protocols(&ours);
	char words[40];
	struct buf b;
	struct err e;

	p2p_reason_text(words, sizeof(words), p2p_reason(p, n));
	if (p2p_hello_decode(p, n, &h, &e) != ST_OK)
		return;
	p2p_share(protocols, ours, &h, match);
	buf_init(&b, 1 << 20);
	if (p2p_hello_encode(&b, &h) != ST_OK || p2p_hello_decode((uint8_t *)b.p, b.len, &again, &e) != ST_OK)
		abort();
	h.more_caps = again.more_caps = 0;
	if (memcmp(&h, &again, sizeof(h)) != 0)
		abort();
	buf_fini(&b);
}

static void status(unsigned version, const uint8_t *p, size_t n)
{
	struct eth_status s, again;
	struct buf b;
	struct err e;

	if (eth_status_decode(version, p, n, &s, &e) != ST_OK)
		return;
	buf_init(&b, 1 << 20);
	if (eth_status_encode(&b, &s) != ST_OK ||
		eth_status_decode(version, (uint8_t *)b.p, b.len, &again, &e) != ST_OK ||
		memcmp(&s, &again, sizeof(s)) != 0)
		abort();
	buf_clear(&b);
	/*
	 * What we took we can say again, and it is taken again, if it has no more items than any
	 * version.
	 */
	if (n < 200 && eth_status_mirror(version, p, n, &b) == ST_OK &&
		eth_status_decode(version, (uint8_t *)b.p, b.len, &again, &e) != ST_OK)
		abort();
	buf_fini(&b);
}

static void messages(unsigned version, unsigned code, const uint8_t *p, size_t n)
{
	struct eth_new_block nb;
	struct eth_hashes walk;
	struct eth_txs txs;
	struct eth_reply reply;
	struct eth_range range;
	struct rlp_item i;
	struct header header;
	struct buf b;
	struct hash hash;
	struct err e;
	uint64_t number;
	unsigned answer;
	bool yes;

	if (eth_reply_decode(p, n, &reply, &e) == ST_OK)
		while (rlp_next(&reply.list, &i)) {
			if (header_from_rlp(i.raw, i.raw_n, &header, NULL, &e) == ST_OK && header.extra.len > i.n)
				abort();
			if (eth_body_decode(&i, &nb, &e) == ST_OK && nb.txs.raw_n > i.n)
				abort();
		}
	for (int whole = 0; whole < 2; whole++) {
		if (eth_txs_begin(&txs, whole, p, n))
			while (eth_txs_next(&txs, &hash))
				;
	}
	if (eth_hashes_begin(&walk, p, n))
		while (eth_hashes_next(&walk, &hash, &number))
			;
	if (eth_new_block_decode(p, n, &nb, &e) == ST_OK && nb.header.raw_n > n)
		abort();
	if (eth_range_decode(p, n, &range, &e) == ST_OK && range.earliest > range.latest)
		abort();
	if (eth_upgrade_decode(p, n, &yes, &e) == ST_OK && n < 2)
		abort();
	buf_init(&b, 1 << 20);
	if (eth_polite(version, code, p, n, &b, &answer) == ST_OK &&
		(b.len > 32 ||
			eth_reply_decode((uint8_t *)b.p, b.len, &reply, &e) ==
				(version >= 70 && code == ETH_GET_RECEIPTS ? ST_OK : ST_MALFORMED)))
		abort();
	buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct enode node, again;
	char text[ENODE_TEXT], *copy;
	struct err e;

	if (size < 1)
		return 0;
	base(data + 1, size - 1);
	status(68 + data[0] % 3, data + 1, size - 1);
	messages(68 + data[0] % 3, data[0] / 3 % ETH_CODES, data + 1, size - 1);
	copy = malloc(size);
	if (copy == NULL)
		abort();
	memcpy(copy, data + 1, size - 1);
	copy[size - 1] = '\0';
	if (enode_parse(&node, copy, &e) == ST_OK &&
		(enode_parse(&again, enode_print(text, &node), &e) != ST_OK ||
			memcmp(&node, &again, sizeof(node)) != 0))
		abort();
	free(copy);
	return 0;
}
