#include "eth/forkid.h"

#include <stdio.h>

enum {
	FORKS_MAX = 24,
	/* EIP-6122: what is larger is a time. It is mainnet's genesis time. */
	FIRST_TIME = 1438269973,
};

struct fork {
	const char *name;
	uint64_t at; /* block, or time */
};

static const struct network {
	const char *name;
	struct hash genesis;
	const char *first; /* where it begins */
	struct fork forks[FORKS_MAX];
} networks[] = {
	{
		.name = "mainnet",
		.genesis = { { 0xd4, 0xe5, 0x67, 0x40, 0xf8, 0x76, 0xae, 0xf8, 0xc0, 0x10, 0xb8, 0x6a, 0x40, 0xd5, 0xf5, 0x67,
			0x45, 0xa1, 0x18, 0xd0, 0x90, 0x6a, 0x34, 0xe6, 0x9a, 0xec, 0x8c, 0x0d, 0xb1, 0xcb, 0x8f, 0xa3 } },
		.first = "Frontier",
		.forks = {
			{ "Homestead", 1150000 },
			{ "DAO", 1920000 },
			{ "Tangerine Whistle", 2463000 },
			{ "Spurious Dragon", 2675000 },
			{ "Byzantium", 4370000 },
			{ "Petersburg", 7280000 },
			{ "Istanbul", 9069000 },
			{ "Muir Glacier", 9200000 },
			{ "Berlin", 12244000 },
			{ "London", 12965000 },
			{ "Arrow Glacier", 13773000 },
			{ "Gray Glacier", 15050000 },
			{ "Shanghai", 1681338455 },
			{ "Cancun", 1710338135 },
			{ "Prague", 1746612311 },
			{ "Osaka", 1764798551 },
			{ "BPO1", 1765290071 },
			{ "BPO2", 1767747671 },
		},
	},
	{
		.name = "Sepolia",
		.genesis = { { 0x25, 0xa5, 0xcc, 0x10, 0x6e, 0xea, 0x71, 0x38, 0xac, 0xab, 0x33, 0x23, 0x1d, 0x71, 0x60, 0xd6,
			0x9c, 0xb7, 0x77, 0xee, 0x0c, 0x2c, 0x55, 0x3f, 0xcd, 0xdf, 0x51, 0x38, 0x99, 0x3e, 0x6d, 0xd9 } },
		.first = "London",
		.forks = {
			{ "Paris", 1735371 },
			{ "Shanghai", 1677557088 },
			{ "Cancun", 1706655072 },
			{ "Prague", 1741159776 },
			{ "Osaka", 1760427360 },
			{ "BPO1", 1761017184 },
			{ "BPO2", 1761607008 },
			{ "Amsterdam", 1791294816 },
		},
	},
	{
		.name = "Hoodi",
		.genesis = { { 0xbb, 0xe3, 0x12, 0x86, 0x8b, 0x37, 0x6a, 0x30, 0x01, 0x69, 0x2a, 0x64, 0x6d, 0xd2, 0xd7, 0xd1,
			0xe4, 0x40, 0x63, 0x80, 0xdf, 0xd8, 0x6b, 0x98, 0xaa, 0x8a, 0x34, 0xd1, 0x55, 0x7c, 0x97, 0x1b } },
		.first = "Cancun",
		.forks = {
			{ "Prague", 1742999832 },
			{ "Osaka", 1761677592 },
			{ "BPO1", 1762365720 },
			{ "BPO2", 1762955544 },
		},
	},
};

/* The CRC of IEEE 802.3, bit by bit: it is computed a few times an hour. */
static uint32_t crc32_add(uint32_t crc, const uint8_t *p, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static uint32_t crc32_fork(uint32_t crc, uint64_t at)
{
	uint8_t be[8];

	for (int i = 8; i-- > 0; at >>= 8)
		be[i] = (uint8_t)at;
	return crc32_add(crc, be, sizeof(be));
}

static void put32(uint8_t out[4], uint32_t v)
{
	for (int i = 4; i-- > 0; v >>= 8)
		out[i] = (uint8_t)v;
}

void forkid_hash(const struct hash *genesis, const uint64_t *forks, size_t n, uint8_t out[4])
{
	uint32_t crc = crc32_add(0, genesis->b, sizeof(genesis->b));

	for (size_t i = 0; i < n; i++)
		crc = crc32_fork(crc, forks[i]);
	put32(out, crc);
}

static const struct network *find(const struct hash *genesis)
{
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++)
		if (hash_eq(&networks[i].genesis, genesis))
			return &networks[i];
	return NULL;
}

const char *forkid_network(const struct hash *genesis)
{
	const struct network *const n = find(genesis);

	return n != NULL ? n->name : NULL;
}

/* "block 123", or a time as a date (days to civil date after H. Hinnant's description of the proleptic Gregorian calendar). */
static void when(char *out, size_t size, uint64_t at)
{
	const uint64_t day = at / 86400 + 719468, era = day / 146097, doe = day % 146097;
	const uint64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	const uint64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
	const uint64_t month = mp < 10 ? mp + 3 : mp - 9, year = yoe + era * 400 + (month <= 2);

	if (at < FIRST_TIME)
		snprintf(out, size, "block %llu", (unsigned long long)at);
	else if (at > UINT32_MAX)
		snprintf(out, size, "time %llu", (unsigned long long)at);
	else
		snprintf(out, size, "%04u-%02u-%02u %02u:%02u UTC", (unsigned)year, (unsigned)month,
			(unsigned)(doy - (153 * mp + 2) / 5 + 1), (unsigned)(at / 3600 % 24), (unsigned)(at / 60 % 60));
}

char *forkid_text(char out[FORKID_TEXT], const struct hash *genesis, const uint8_t hash[4], uint64_t next)
{
	const struct network *const n = find(genesis);
	const char *now;
	char at[40];
	uint32_t crc;
	size_t i;

	if (n == NULL) {
		snprintf(out, FORKID_TEXT, "0x%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
		return out;
	}
	crc = crc32_add(0, genesis->b, sizeof(genesis->b));
	now = n->first;
	for (i = 0;; now = n->forks[i++].name) {
		uint8_t have[4];

		put32(have, crc);
		if (memcmp(have, hash, 4) == 0)
			break;
		if (i == FORKS_MAX || n->forks[i].name == NULL) {
			snprintf(out, FORKID_TEXT, "unknown fork 0x%02x%02x%02x%02x", hash[0], hash[1], hash[2],
				hash[3]);
			return out;
		}
		crc = crc32_fork(crc, n->forks[i].at);
	}
	when(at, sizeof(at), next);
	if (next == 0)
		snprintf(out, FORKID_TEXT, "%s", now);
	else if (i < FORKS_MAX && n->forks[i].name != NULL && n->forks[i].at == next)
		snprintf(out, FORKID_TEXT, "%s, next %s at %s", now, n->forks[i].name, at);
	else
		snprintf(out, FORKID_TEXT, "%s, next at %s, which we do not know", now, at);
	return out;
}
