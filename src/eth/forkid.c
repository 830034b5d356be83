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
	uint64_t id; /* of the chain */
	struct hash genesis;
	const char *first; /* where it begins; NULL: its forks are not here */
	struct fork forks[FORKS_MAX];
} networks[] = {
	{
		.name = "mainnet",
		.id = 1,
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
		.id = 11155111,
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
		.id = 560048,
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
	/* Ethereum and Ethereum Classic have one genesis: their forks tell which it is. */
	{
		.name = "Ethereum Classic",
		.id = 61,
		.genesis = { { 0xd4, 0xe5, 0x67, 0x40, 0xf8, 0x76, 0xae, 0xf8, 0xc0, 0x10, 0xb8, 0x6a, 0x40, 0xd5, 0xf5, 0x67,
			0x45, 0xa1, 0x18, 0xd0, 0x90, 0x6a, 0x34, 0xe6, 0x9a, 0xec, 0x8c, 0x0d, 0xb1, 0xcb, 0x8f, 0xa3 } },
		.first = "Frontier",
		.forks = {
			{ "Homestead", 1150000 },
			{ "Gas Reprice", 2500000 },
			{ "Diehard", 3000000 },
			{ "Gotham", 5000000 },
			{ "Defuse Difficulty Bomb", 5900000 },
			{ "Atlantis", 8772000 },
			{ "Agharta", 9573000 },
			{ "Phoenix", 10500839 },
			{ "Thanos", 11700000 },
			{ "Magneto", 13189133 },
			{ "Mystique", 14525000 },
			{ "Spiral", 19250000 },
		},
	},
	{
		.name = "BSC",
		.id = 56,
		.genesis = { { 0x0d, 0x21, 0x84, 0x0a, 0xbf, 0xf4, 0x6b, 0x96, 0xc8, 0x4b, 0x2a, 0xc9, 0xe1, 0x0e, 0x4f, 0x5c,
			0xda, 0xeb, 0x56, 0x93, 0xcb, 0x66, 0x5d, 0xb6, 0x2a, 0x2f, 0x3b, 0x02, 0xd2, 0xd5, 0x7b, 0x5b } },
	},
	{
		.name = "BSC Testnet",
		.id = 97,
		.genesis = { { 0x6d, 0x3c, 0x66, 0xc5, 0x35, 0x7e, 0xc9, 0x1d, 0x5c, 0x43, 0xaf, 0x47, 0xe2, 0x34, 0xa9, 0x39,
			0xb2, 0x25, 0x57, 0xcb, 0xb5, 0x52, 0xdc, 0x45, 0xbe, 0xbb, 0xce, 0xee, 0xd9, 0x0f, 0xbe, 0x34 } },
	},
	{
		.name = "Gnosis",
		.id = 100,
		.genesis = { { 0x4f, 0x1d, 0xd2, 0x31, 0x88, 0xaa, 0xb3, 0xa7, 0x6b, 0x46, 0x3e, 0x4a, 0xf8, 0x01, 0xb5, 0x2b,
			0x12, 0x48, 0xef, 0x07, 0x3c, 0x64, 0x8c, 0xbd, 0xc4, 0xc9, 0x33, 0x3d, 0x3d, 0xa7, 0x97, 0x56 } },
	},
	{
		.name = "Polygon",
		.id = 137,
		.genesis = { { 0xa9, 0xc2, 0x8c, 0xe2, 0x14, 0x1b, 0x56, 0xc4, 0x74, 0xf1, 0xdc, 0x50, 0x4b, 0xee, 0x9b, 0x01,
			0xeb, 0x1b, 0xd7, 0xd1, 0xa5, 0x07, 0x58, 0x0d, 0x55, 0x19, 0xd4, 0x43, 0x7a, 0x97, 0xde, 0x1b } },
	},
	{
		.name = "Base",
		.id = 8453,
		.genesis = { { 0xf7, 0x12, 0xaa, 0x92, 0x41, 0xcc, 0x24, 0x36, 0x9b, 0x14, 0x3c, 0xf6, 0xdc, 0xe8, 0x5f, 0x09,
			0x02, 0xa9, 0x73, 0x1e, 0x70, 0xd6, 0x68, 0x18, 0xa3, 0xa5, 0x84, 0x5b, 0x29, 0x6c, 0x73, 0xdd } },
	},
	{
		.name = "Polygon Amoy",
		.id = 80002,
		.genesis = { { 0x72, 0x02, 0xb2, 0xb5, 0x3c, 0x5a, 0x08, 0x36, 0xe7, 0x73, 0xe3, 0x19, 0xd1, 0x89, 0x22, 0xcc,
			0x75, 0x6d, 0xd6, 0x74, 0x32, 0xf9, 0xa1, 0xf6, 0x53, 0x52, 0xb6, 0x1f, 0x44, 0x06, 0xc6, 0x97 } },
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

/* Which fork of its network this is: 0 the first one, i + 1 forks[i]; −1: none of them. */
static int fork_of(const struct network *n, const uint8_t hash[4])
{
	uint32_t crc = crc32_add(0, n->genesis.b, sizeof(n->genesis.b));
	uint8_t have[4];

	for (int i = 0; n->first != NULL; i++) {
		put32(have, crc);
		if (memcmp(have, hash, 4) == 0)
			return i;
		if (i == FORKS_MAX || n->forks[i].name == NULL)
			break;
		crc = crc32_fork(crc, n->forks[i].at);
	}
	return -1;
}

/* Of several with this genesis the first one that has such a fork. hash may be NULL. */
static const struct network *find(const struct hash *genesis, const uint8_t *hash)
{
	const struct network *first = NULL;

	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
		if (!hash_eq(&networks[i].genesis, genesis))
			continue;
		if (hash == NULL || fork_of(&networks[i], hash) >= 0)
			return &networks[i];
		if (first == NULL)
			first = &networks[i];
	}
	return first;
}

const char *forkid_network(const struct hash *genesis)
{
	const struct network *const n = find(genesis, NULL);

	return n != NULL ? n->name : NULL;
}

uint64_t forkid_chain(const struct hash *genesis, const uint8_t hash[4])
{
	const struct network *const n = find(genesis, hash);

	return n != NULL ? n->id : 0;
}

/* Every fork of the network from the first on: fn returns false to stop. */
static bool each(uint64_t chain, const struct hash *genesis, bool (*fn)(void *ctx, const struct forkid_step *s), void *ctx)
{
	const struct network *n = NULL;
	uint32_t crc;

	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++)
		if (networks[i].id == chain && hash_eq(&networks[i].genesis, genesis))
			n = &networks[i];
	if (n == NULL || n->first == NULL)
		return false;
	crc = crc32_add(0, genesis->b, sizeof(genesis->b));
	if (!fn(ctx, &(struct forkid_step){ .name = n->first, .id = crc }))
		return true;
	for (size_t i = 0; i < FORKS_MAX && n->forks[i].name != NULL; i++) {
		crc = crc32_fork(crc, n->forks[i].at);
		if (!fn(ctx, &(struct forkid_step){ .name = n->forks[i].name, .at = n->forks[i].at, .id = crc }))
			break;
	}
	return true;
}

struct search {
	uint64_t now;
	struct forkid_step *out;
	bool found;
};

static bool is_next(void *ctx, const struct forkid_step *s)
{
	struct search *const q = ctx;

	q->found = s->at >= FIRST_TIME && s->at > q->now;
	if (q->found)
		*q->out = *s;
	return !q->found;
}

static bool is_passed(void *ctx, const struct forkid_step *s)
{
	struct search *const q = ctx;

	if (s->at > q->now)
		return false;
	*q->out = *s;
	q->found = true;
	return true;
}

bool forkid_next(uint64_t chain, const struct hash *genesis, uint64_t now, struct forkid_step *out)
{
	struct search q = { .now = now, .out = out };

	return each(chain, genesis, is_next, &q) && q.found;
}

bool forkid_current(uint64_t chain, const struct hash *genesis, uint64_t now, struct forkid_step *out)
{
	struct search q = { .now = now, .out = out };

	return each(chain, genesis, is_passed, &q) && q.found;
}

struct order {
	uint32_t id, than;
	bool seen, older;
};

static bool order_step(void *ctx, const struct forkid_step *s)
{
	struct order *const o = ctx;

	o->older = o->seen && s->id == o->than;
	o->seen |= s->id == o->id;
	return !o->older;
}

bool forkid_older(uint64_t chain, const struct hash *genesis, uint32_t id, uint32_t than)
{
	struct order o = { .id = id, .than = than };

	return each(chain, genesis, order_step, &o) && o.older;
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

static const char *fork_name(const struct network *n, int i)
{
	return i == 0 ? n->first : n->forks[i - 1].name;
}

/* The fork behind the i-th one, NULL: none that we know. */
static const struct fork *fork_after(const struct network *n, int i)
{
	return i < FORKS_MAX && n->forks[i].name != NULL ? &n->forks[i] : NULL;
}

char *forkid_text(char out[FORKID_TEXT], const struct hash *genesis, const uint8_t hash[4], uint64_t next)
{
	(void)forkid_words(out, genesis, hash, next, 0);
	return out;
}

enum forkid_state forkid_words(
	char out[FORKID_TEXT], const struct hash *genesis, const uint8_t hash[4], uint64_t next, uint64_t now)
{
	const struct network *const n = find(genesis, hash);
	const struct fork *after;
	char at[40], due[40];
	int i;

	if (n == NULL || n->first == NULL) {
		snprintf(out, FORKID_TEXT, "0x%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
		return FORKID_OTHER;
	}
	i = fork_of(n, hash);
	if (i < 0) {
		snprintf(out, FORKID_TEXT, "unknown fork 0x%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
		return FORKID_STRANGE;
	}
	after = fork_after(n, i);
	when(at, sizeof(at), next);
	when(due, sizeof(due), after != NULL ? after->at : 0);
	/* A block's number tells nothing about today, but behind it comes a fork by time, that has passed. */
	for (const struct fork *f = after; f != NULL && now != 0; f = fork_after(n, (int)(f - n->forks) + 1))
		if (f->at >= FIRST_TIME && f->at <= now) {
			snprintf(out, FORKID_TEXT, "behind: %s; %s was at %s", fork_name(n, i), after->name, due);
			return FORKID_BEHIND;
		}
	if (next == 0 && after != NULL && now != 0) {
		snprintf(out, FORKID_TEXT, "%s, not ready for %s at %s", fork_name(n, i), after->name, due);
		return FORKID_UNREADY;
	}
	if (next == 0)
		snprintf(out, FORKID_TEXT, "%s", fork_name(n, i));
	else if (after != NULL && after->at == next)
		snprintf(out, FORKID_TEXT, "%s, next %s at %s", fork_name(n, i), after->name, at);
	else
		snprintf(out, FORKID_TEXT, "%s, next at %s, which we do not know", fork_name(n, i), at);
	return next == 0 || (after != NULL && after->at == next) ? FORKID_OK : FORKID_STRANGE;
}
