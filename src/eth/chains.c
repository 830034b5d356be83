#include "eth/chains.h"

#include <stddef.h>

enum { ETHEREUM_LATE_MS = 4000 }; /* a third of a slot: attesters vote without a later block */

#define ETHER "Ξ"
#define ROLLUP .unit = ETHER, .kind = CHAIN_ROLLUP

/*
 * Blob parameters of Ethereum and the networks that follow its forks (EIP-7840, EIP-7892). Chains
 * with a least blob price of their own (Gnosis, BSC) are not among them: for those the fee is
 * unknown here, not wrong.
 */
#define BLOB(from, target_, max_, fraction_) \
	.time = (from), .target = (target_), .max = (max_), .fraction = (fraction_)
#define BLOBS(cancun, prague, osaka_time, bpo1, bpo2) \
	{ \
		{ BLOB(cancun, 3, 6, 3338477) }, \
		{ BLOB(prague, 6, 9, 5007716) }, \
		{ BLOB(osaka_time, 6, 9, 5007716), .osaka = true }, \
		{ BLOB(bpo1, 10, 15, 8346193), .osaka = true }, \
		{ BLOB(bpo2, 14, 21, 11684671), .osaka = true }, \
	}

/*
 * Ascending by id. Block times as of late 2026; those that vary or are not known for certain are
 * left to be learnt.
 */
static const struct chain_info table[] = {
	{
		.id = 1,
		.name = "Ethereum",
		.unit = ETHER,
		.kind = CHAIN_SLOT,
		.block_ms = 12000,
		.late_ms = ETHEREUM_LATE_MS,
		.slot_genesis = 1606824023,
		.eip1559 = true,
		.london = 12965000,
		.blobs = BLOBS(1710338135, 1746612311, 1764798551, 1765290071, 1767747671),
	},
	{ .id = 10, .name = "OP Mainnet", ROLLUP, .block_ms = 2000 },
	{ .id = 56, .name = "BSC", .unit = "BNB", .kind = CHAIN_POA, .block_ms = 450 },
	{ .id = 97, .name = "BSC Testnet", .unit = "tBNB", .kind = CHAIN_POA, .block_ms = 450 },
	{
		.id = 100,
		.name = "Gnosis",
		.unit = "xDAI",
		.kind = CHAIN_SLOT,
		.block_ms = 5000,
		.late_ms = 5000 / 3,
		.slot_genesis = 1638993340,
		.eip1559 = true,
		.london = 19040000,
	},
	{ .id = 130, .name = "Unichain", ROLLUP, .block_ms = 1000 },
	{ .id = 137, .name = "Polygon", .unit = "POL", .kind = CHAIN_POA },
	{ .id = 143, .name = "Monad", .unit = "MON", .kind = CHAIN_OTHER, .block_ms = 400 },
	{ .id = 146, .name = "Sonic", .unit = "S", .kind = CHAIN_OTHER },
	{ .id = 204, .name = "opBNB", .unit = "BNB", .kind = CHAIN_ROLLUP, .block_ms = 250 },
	{ .id = 250, .name = "Fantom", .unit = "FTM", .kind = CHAIN_OTHER },
	{ .id = 324, .name = "zkSync Era", ROLLUP },
	{ .id = 480, .name = "World Chain", ROLLUP, .block_ms = 2000 },
	{ .id = 1337, .name = "dev 1337", .unit = ETHER, .kind = CHAIN_DEV, .eip1559 = true },
	{ .id = 1868, .name = "Soneium", ROLLUP, .block_ms = 2000 },
	{ .id = 4153, .name = "RISE", ROLLUP, .block_ms = 1000 },
	{ .id = 5000, .name = "Mantle", .unit = "MNT", .kind = CHAIN_ROLLUP, .block_ms = 2000 },
	{ .id = 8453, .name = "Base", ROLLUP, .block_ms = 2000 },
	{
		.id = 17000,
		.name = "Holesky",
		.unit = ETHER,
		.kind = CHAIN_SLOT,
		.block_ms = 12000,
		.late_ms = ETHEREUM_LATE_MS,
		.slot_genesis = 1695902400,
		.eip1559 = true,
		.blobs = BLOBS(1707305664, 1740434112, 1759308480, 1759800000, 1760389824),
	},
	{ .id = 31337, .name = "dev 31337", .unit = ETHER, .kind = CHAIN_DEV, .eip1559 = true },
	{ .id = 42161, .name = "Arbitrum One", ROLLUP, .block_ms = 250 },
	{ .id = 42170, .name = "Arbitrum Nova", ROLLUP, .block_ms = 250 },
	{ .id = 42220, .name = "Celo", .unit = "CELO", .kind = CHAIN_ROLLUP, .block_ms = 1000 },
	{ .id = 43114, .name = "Avalanche C", .unit = "AVAX", .kind = CHAIN_OTHER },
	{ .id = 57073, .name = "Ink", ROLLUP, .block_ms = 1000 },
	{ .id = 59144, .name = "Linea", ROLLUP, .block_ms = 2000 },
	{ .id = 80002, .name = "Polygon Amoy", .unit = "POL", .kind = CHAIN_POA },
	{ .id = 80094, .name = "Berachain", .unit = "BERA", .kind = CHAIN_OTHER, .block_ms = 2000 },
	{ .id = 81457, .name = "Blast", ROLLUP, .block_ms = 2000 },
	{ .id = 84532, .name = "Base Sepolia", ROLLUP, .block_ms = 2000 },
	{ .id = 421614, .name = "Arbitrum Sepolia", ROLLUP, .block_ms = 250 },
	{ .id = 534352, .name = "Scroll", ROLLUP },
	{
		.id = 560048,
		.name = "Hoodi",
		.unit = ETHER,
		.kind = CHAIN_SLOT,
		.block_ms = 12000,
		.late_ms = ETHEREUM_LATE_MS,
		.slot_genesis = 1742213400,
		.eip1559 = true,
		.blobs = BLOBS(0, 1742999832, 1761677592, 1762365720, 1762955544),
	},
	{
		.id = 11155111,
		.name = "Sepolia",
		.unit = ETHER,
		.kind = CHAIN_SLOT,
		.block_ms = 12000,
		.late_ms = ETHEREUM_LATE_MS,
		.slot_genesis = 1655733600,
		.eip1559 = true,
		.blobs = BLOBS(1706655072, 1741159776, 1760427360, 1761017184, 1761607008),
	},
	{ .id = 11155420, .name = "OP Sepolia", ROLLUP, .block_ms = 2000 },
	{ .id = 11155931, .name = "RISE Testnet", ROLLUP, .block_ms = 1000 },
	{
		/* The chain of the execution-apis conformance tests: a fork every three blocks. */
		.id = 3503995874084926,
		.name = "execution-apis",
		.unit = ETHER,
		.kind = CHAIN_DEV,
		.eip1559 = true,
		.london = 27,
		.blobs = BLOBS(420, 450, 480, 510, 540),
	},
};

/* London here never decides anything: next fees are not foretold on a chain that is not known. */
static const struct chain_info other = { .name = "unknown chain", .unit = "", .kind = CHAIN_OTHER };

const struct chain_info *chain_find(uint64_t id)
{
	size_t lo = 0, hi = sizeof(table) / sizeof(table[0]);

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (table[mid].id == id)
			return &table[mid];
		if (table[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &other;
}

const struct blob_schedule *chain_blobs(const struct chain_info *c, uint64_t timestamp)
{
	const struct blob_schedule *s = NULL;

	for (int i = 0; i < CHAIN_BLOBS_MAX && c->blobs[i].fraction != 0; i++)
		if (c->blobs[i].time <= timestamp)
			s = &c->blobs[i];
	return s;
}

const struct chain_info *chain_table(size_t *n)
{
	*n = sizeof(table) / sizeof(table[0]);
	return table;
}
