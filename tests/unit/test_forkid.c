/* eth/forkid: go-ethereum's identifiers of three networks (core/forkid TestCreation), in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "eth/forkid.h"

static const struct {
	const char *network;
	uint32_t hash;
	uint64_t next;
	const char *text;
} vectors[] = {
	{ "mainnet", 0xfc64ec04, 1150000, "Frontier, next Homestead at block 1150000" },
	{ "mainnet", 0x97c2c34c, 1920000, "Homestead, next DAO at block 1920000" },
	{ "mainnet", 0x91d1f948, 2463000, "DAO, next Tangerine Whistle at block 2463000" },
	{ "mainnet", 0x7a64da13, 2675000, "Tangerine Whistle, next Spurious Dragon at block 2675000" },
	{ "mainnet", 0x3edd5b10, 4370000, "Spurious Dragon, next Byzantium at block 4370000" },
	{ "mainnet", 0xa00bc324, 7280000, "Byzantium, next Petersburg at block 7280000" },
	{ "mainnet", 0x668db0af, 9069000, "Petersburg, next Istanbul at block 9069000" },
	{ "mainnet", 0x879d6e30, 9200000, "Istanbul, next Muir Glacier at block 9200000" },
	{ "mainnet", 0xe029e991, 12244000, "Muir Glacier, next Berlin at block 12244000" },
	{ "mainnet", 0x0eb440f6, 12965000, "Berlin, next London at block 12965000" },
	{ "mainnet", 0xb715077d, 13773000, "London, next Arrow Glacier at block 13773000" },
	{ "mainnet", 0x20c327fc, 15050000, "Arrow Glacier, next Gray Glacier at block 15050000" },
	{ "mainnet", 0xf0afd0e3, 1681338455, "Gray Glacier, next Shanghai at 2023-04-12 22:27 UTC" },
	{ "mainnet", 0xdce96c2d, 1710338135, "Shanghai, next Cancun at 2024-03-13 13:55 UTC" },
	{ "mainnet", 0x9f3d2254, 1746612311, "Cancun, next Prague at 2025-05-07 10:05 UTC" },
	{ "mainnet", 0xc376cf8b, 1764798551, "Prague, next Osaka at 2025-12-03 21:49 UTC" },
	{ "mainnet", 0x5167e2a6, 1765290071, "Osaka, next BPO1 at 2025-12-09 14:21 UTC" },
	{ "mainnet", 0xcba2a1c0, 1767747671, "BPO1, next BPO2 at 2026-01-07 01:01 UTC" },
	{ "mainnet", 0x07c9462e, 0, "BPO2" },
	{ "Sepolia", 0xfe3366e7, 1735371, "London, next Paris at block 1735371" },
	{ "Sepolia", 0xb96cbd13, 1677557088, "Paris, next Shanghai at 2023-02-28 04:04 UTC" },
	{ "Sepolia", 0xf7f9bc08, 1706655072, "Shanghai, next Cancun at 2024-01-30 22:51 UTC" },
	{ "Sepolia", 0x88cf81d9, 1741159776, "Cancun, next Prague at 2025-03-05 07:29 UTC" },
	{ "Sepolia", 0xed88b5fd, 1760427360, "Prague, next Osaka at 2025-10-14 07:36 UTC" },
	{ "Sepolia", 0xe2ae4999, 1761017184, "Osaka, next BPO1 at 2025-10-21 03:26 UTC" },
	{ "Sepolia", 0x56078a1e, 1761607008, "BPO1, next BPO2 at 2025-10-27 23:16 UTC" },
	{ "Sepolia", 0x268956b6, 1791294816, "BPO2, next Amsterdam at 2026-10-06 13:53 UTC" },
	{ "Sepolia", 0x6c1d9423, 0, "Amsterdam" },
	{ "Hoodi", 0xbef71d30, 1742999832, "Cancun, next Prague at 2025-03-26 14:37 UTC" },
	{ "Hoodi", 0x0929e24e, 1761677592, "Prague, next Osaka at 2025-10-28 18:53 UTC" },
	{ "Hoodi", 0xe7e0e7ff, 1762365720, "Osaka, next BPO1 at 2025-11-05 18:02 UTC" },
	{ "Hoodi", 0x3893353e, 1762955544, "BPO1, next BPO2 at 2025-11-12 13:52 UTC" },
	{ "Hoodi", 0x23aa1351, 0, "BPO2" },
};

static const struct {
	const char *name;
	struct hash genesis;
} chains[] = {
	{ "mainnet",
		{ { 0xd4, 0xe5, 0x67, 0x40, 0xf8, 0x76, 0xae, 0xf8, 0xc0, 0x10, 0xb8, 0x6a, 0x40, 0xd5, 0xf5, 0x67, 0x45, 0xa1,
			0x18, 0xd0, 0x90, 0x6a, 0x34, 0xe6, 0x9a, 0xec, 0x8c, 0x0d, 0xb1, 0xcb, 0x8f, 0xa3 } } },
	{ "Sepolia",
		{ { 0x25, 0xa5, 0xcc, 0x10, 0x6e, 0xea, 0x71, 0x38, 0xac, 0xab, 0x33, 0x23, 0x1d, 0x71, 0x60, 0xd6, 0x9c, 0xb7,
			0x77, 0xee, 0x0c, 0x2c, 0x55, 0x3f, 0xcd, 0xdf, 0x51, 0x38, 0x99, 0x3e, 0x6d, 0xd9 } } },
	{ "Hoodi",
		{ { 0xbb, 0xe3, 0x12, 0x86, 0x8b, 0x37, 0x6a, 0x30, 0x01, 0x69, 0x2a, 0x64, 0x6d, 0xd2, 0xd7, 0xd1, 0xe4, 0x40,
			0x63, 0x80, 0xdf, 0xd8, 0x6b, 0x98, 0xaa, 0x8a, 0x34, 0xd1, 0x55, 0x7c, 0x97, 0x1b } } },
};

static const struct hash *genesis_of(const char *name)
{
	for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++)
		if (strcmp(chains[i].name, name) == 0)
			return &chains[i].genesis;
	return NULL;
}

static void put(uint8_t out[4], uint32_t v)
{
	for (int i = 4; i-- > 0; v >>= 8)
		out[i] = (uint8_t)v;
}

static void in_words(void **state)
{
	char text[FORKID_TEXT];
	uint8_t hash[4];

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		put(hash, vectors[i].hash);
		assert_string_equal(forkid_text(text, genesis_of(vectors[i].network), hash, vectors[i].next),
			vectors[i].text);
	}
}

/* The sum itself: each identifier of mainnet from the ones before. */
static void computed(void **state)
{
	uint64_t forks[32];
	uint8_t got[4], want[4];

	(void)state;
	for (size_t n = 0; strcmp(vectors[n].network, "mainnet") == 0; n++) {
		forkid_hash(genesis_of("mainnet"), forks, n, got);
		put(want, vectors[n].hash);
		assert_memory_equal(got, want, 4);
		forks[n] = vectors[n].next;
	}
}

static void strangers(void **state)
{
	const struct hash other = { { 1 } };
	char text[FORKID_TEXT];
	uint8_t hash[4];

	(void)state;
	put(hash, 0x07c9462e);
	assert_string_equal(forkid_text(text, &other, hash, 5), "0x07c9462e");
	assert_null(forkid_network(&other));
	assert_string_equal(forkid_network(genesis_of("Hoodi")), "Hoodi");
	/* A fork after all that we know, and another schedule. */
	assert_string_equal(forkid_text(text, genesis_of("mainnet"), hash, 1798761600),
		"BPO2, next at 2027-01-01 00:00 UTC, which we do not know");
	assert_string_equal(forkid_text(text, genesis_of("mainnet"), hash, UINT64_MAX),
		"BPO2, next at time 18446744073709551615, which we do not know");
	put(hash, 0xb715077d);
	assert_string_equal(forkid_text(text, genesis_of("mainnet"), hash, 13773001),
		"London, next at block 13773001, which we do not know");
	put(hash, 0x12345678);
	assert_string_equal(forkid_text(text, genesis_of("mainnet"), hash, 0), "unknown fork 0x12345678");
}

/* Beside a clock: what a node has missed. Times are those of the vectors above. */
static void beside_a_clock(void **state)
{
	char text[FORKID_TEXT];
	uint8_t hash[4];

	(void)state;
	put(hash, 0x9f3d2254); /* Cancun */
	assert_int_equal(forkid_words(text, genesis_of("mainnet"), hash, 1746612311, 1746612310), FORKID_OK);
	assert_string_equal(text, "Cancun, next Prague at 2025-05-07 10:05 UTC");
	assert_int_equal(forkid_words(text, genesis_of("mainnet"), hash, 1746612311, 1746612311), FORKID_BEHIND);
	assert_string_equal(text, "behind: Cancun; Prague was at 2025-05-07 10:05 UTC");
	assert_int_equal(forkid_words(text, genesis_of("mainnet"), hash, 0, 1746612310), FORKID_UNREADY);
	assert_string_equal(text, "Cancun, not ready for Prague at 2025-05-07 10:05 UTC");
	/* A fork by number, long ago. */
	put(hash, 0xb715077d);
	assert_int_equal(forkid_words(text, genesis_of("mainnet"), hash, 13773000, 1746612311), FORKID_BEHIND);
	assert_string_equal(text, "behind: London; Arrow Glacier was at block 13773000");
	put(hash, 0x07c9462e);
	assert_int_equal(forkid_words(text, genesis_of("mainnet"), hash, 0, 1796000000), FORKID_OK);
	assert_string_equal(text, "BPO2");
	assert_int_equal(forkid_words(text, genesis_of("mainnet"), hash, 1798761600, 1796000000), FORKID_STRANGE);
	put(hash, 0x12345678);
	assert_int_equal(forkid_words(text, genesis_of("mainnet"), hash, 0, 1796000000), FORKID_STRANGE);
	assert_int_equal(forkid_words(text, &(struct hash){ { 1 } }, hash, 0, 1796000000), FORKID_OTHER);
}

/* Two chains with one genesis. Identifiers of Ethereum Classic: besu's ClassicForkIdsTest. */
static void which_chain(void **state)
{
	static const struct {
		uint32_t hash;
		uint64_t next;
		const char *text;
	} classic[] = {
		{ 0x7ba22882, 10500839, "Agharta, next Phoenix at block 10500839" },
		{ 0x9007bfcc, 11700000, "Phoenix, next Thanos at block 11700000" },
		{ 0xdb63a1ca, 13189133, "Thanos, next Magneto at block 13189133" },
		{ 0x0f6bf187, 14525000, "Magneto, next Mystique at block 14525000" },
		{ 0x7fd1bb25, 19250000, "Mystique, next Spiral at block 19250000" },
		{ 0xbe46d57c, 0, "Spiral" },
	};
	static const struct hash bsc = { { 0x0d, 0x21, 0x84, 0x0a, 0xbf, 0xf4, 0x6b, 0x96, 0xc8, 0x4b, 0x2a, 0xc9, 0xe1, 0x0e,
		0x4f, 0x5c, 0xda, 0xeb, 0x56, 0x93, 0xcb, 0x66, 0x5d, 0xb6, 0x2a, 0x2f, 0x3b, 0x02, 0xd2, 0xd5, 0x7b, 0x5b } };
	char text[FORKID_TEXT];
	uint8_t hash[4];

	(void)state;
	for (size_t i = 0; i < sizeof(classic) / sizeof(classic[0]); i++) {
		put(hash, classic[i].hash);
		assert_int_equal(forkid_chain(genesis_of("mainnet"), hash), 61);
		assert_string_equal(forkid_text(text, genesis_of("mainnet"), hash, classic[i].next), classic[i].text);
	}
	put(hash, 0x07c9462e);
	assert_int_equal(forkid_chain(genesis_of("mainnet"), hash), 1);
	assert_int_equal(forkid_chain(genesis_of("Sepolia"), hash), 11155111);
	assert_int_equal(forkid_chain(&bsc, hash), 56);
	assert_string_equal(forkid_text(text, &bsc, hash, 0), "0x07c9462e");
	assert_int_equal(forkid_chain(&(struct hash){ { 1 } }, hash), 0);
}

/* The schedule by time: from each vector to the one after it. */
static void steps(void **state)
{
	static const struct {
		const char *name;
		uint64_t id;
	} ids[] = { { "mainnet", 1 }, { "Sepolia", 11155111 }, { "Hoodi", 560048 } };
	struct forkid_step s;
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct hash *g = genesis_of(vectors[i].network);
		uint64_t chain = 0, at = vectors[i].next;

		for (size_t k = 0; k < 3; k++)
			chain = strcmp(ids[k].name, vectors[i].network) == 0 ? ids[k].id : chain;
		if (at == 0) {
			assert_false(forkid_next(chain, g, 4000000000, &s));
			continue;
		}
		assert_true(forkid_older(chain, g, vectors[i].hash, vectors[i + 1].hash));
		assert_false(forkid_older(chain, g, vectors[i + 1].hash, vectors[i].hash));
		assert_false(forkid_older(chain, g, vectors[i].hash, vectors[i].hash));
		if (at < 1500000000)
			continue;
		n++;
		assert_true(forkid_next(chain, g, at - 1, &s));
		assert_int_equal(s.at, at);
		assert_int_equal(s.id, vectors[i + 1].hash);
		assert_true(forkid_current(chain, g, at, &s));
		assert_int_equal(s.id, vectors[i + 1].hash);
		assert_true(forkid_current(chain, g, at - 1, &s));
		assert_int_equal(s.id, vectors[i].hash);
	}
	assert_int_equal(n, 6 + 7 + 4);
	/* Another chain with mainnet's genesis; an id that is none of its own. */
	assert_false(forkid_next(2, genesis_of("mainnet"), 0, &s));
	assert_false(forkid_older(1, genesis_of("mainnet"), 0x12345678, 0x07c9462e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_words),
		cmocka_unit_test(computed),
		cmocka_unit_test(strangers),
		cmocka_unit_test(beside_a_clock),
		cmocka_unit_test(which_chain),
		cmocka_unit_test(steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
