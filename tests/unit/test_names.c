/*
 * eth/names: selectors are what their signatures hash to, addresses carry their checksum, builders
 * are told from clients.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "eth/keccak.h"
#include "eth/names.h"

static void selectors_hash(void **state)
{
	size_t n;
	const struct name_selector *const t = name_selector_table(&n);

	(void)state;
	assert_true(n >= 60);
	for (size_t i = 0; i < n; i++) {
		uint8_t hash[32];
		struct keccak k;

		keccak_init(&k);
		keccak_add(&k, t[i].name, strlen(t[i].name));
		keccak_add(&k, t[i].args, strlen(t[i].args));
		keccak_end(&k, hash);
		if (name_selector(hash) == NULL)
			fail_msg("%s%s is not %08x", t[i].name, t[i].args, (unsigned)t[i].selector);
		assert_string_equal(name_selector(hash), t[i].name);
		if (i > 0)
			assert_true(t[i].selector > t[i - 1].selector);
	}
	assert_string_equal(
		name_selector((const uint8_t[4]){ 0xa9, 0x05, 0x9c, 0xbb }), "transfer");
	assert_string_equal(name_selector((const uint8_t[4]){ 0x09, 0x5e, 0xa7, 0xb3 }), "approve");
	assert_null(name_selector((const uint8_t[4]){ 0, 0, 0, 0 }));
	assert_null(name_selector((const uint8_t[4]){ 0xff, 0xff, 0xff, 0xff }));
}

static bool checksum_holds(const char *addr)
{
	char lower[41];
	uint8_t hash[32];

	if (strlen(addr) != 40)
		return false;
	for (int i = 0; i < 40; i++)
		lower[i] = (char)(addr[i] >= 'A' && addr[i] <= 'F' ? addr[i] + 32 : addr[i]);
	keccak256(lower, 40, hash);
	for (int i = 0; i < 40; i++) {
		const bool upper = (hash[i / 2] >> (i % 2 ? 0 : 4) & 15) >= 8;

		if (lower[i] >= 'a' && addr[i] != (upper ? lower[i] - 32 : lower[i]))
			return false;
	}
	return true;
}

static struct addr addr_of(const char *hex)
{
	struct addr a;

	assert_true(hex_digits(hex, a.b, sizeof(a.b)));
	return a;
}

static void addresses_carry_checksums(void **state)
{
	size_t n;
	const struct name_address *const t = name_addr_table(&n);
	struct addr a;

	(void)state;
	assert_true(n >= 25);
	for (size_t i = 0; i < n; i++) {
		if (!checksum_holds(t[i].addr))
			fail_msg("%s %s", t[i].name, t[i].addr);
		a = addr_of(t[i].addr);
		assert_string_equal(name_addr(t[i].chain_id, &a), t[i].name);
		for (size_t k = 0; k < i; k++)
			assert_false(t[k].chain_id == t[i].chain_id &&
				strcmp(t[k].addr, t[i].addr) == 0);
	}
	assert_false(checksum_holds("dac17F958D2ee523a2206206994597C13D831ec7"));
	a = addr_of("dac17f958d2ee523a2206206994597c13d831ec7");
	assert_string_equal(name_addr(1, &a), "USDT");
	assert_null(name_addr(10, &a));
	a = addr_of("000000000022D473030F116dDEE9F6B43aC78BA3");
	assert_string_equal(name_addr(424242, &a), "permit2");
	memset(&a, 0, sizeof(a));
	assert_null(name_addr(1, &a));
}

static void recipients_carry_checksums(void **state)
{
	size_t n;
	const struct name_recipient *const t = name_recipient_table(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		char out[72];
		const struct addr a = addr_of(t[i].addr);

		if (!checksum_holds(t[i].addr))
			fail_msg("%s %s", t[i].name, t[i].addr);
		assert_string_equal(name_builder(out, sizeof(out), NULL, 0, &a), t[i].name);
	}
}

static void builders(void **state)
{
	static const struct {
		const char *extra, *want;
	} v[] = {
		{ "Titan (titanbuilder.xyz)", "titan" },
		{ "beaverbuild.org", "beaverbuild" },
		{ "BuilderNet (Flashbots)", "BuilderNet" },
		{ "BuilderNet", "BuilderNet" },
		{ "\xe2\x9c\xa8 Quasar (quasar.win) \xe2\x9c\xa8", "quasar" },
		{ "@rsyncbuilder", "rsync" },
		{ "rsync-builder.xyz", "rsync" },
		{ "Illuminate Dmocratize Dstribute", "Flashbots" },
		{ "Illuminate Dmocrtz Dstrib Prtct", "Flashbots" },
		{ "Powered by bloXroute", "bloXroute" },
		{ "by @builder0x69", "builder0x69" },
		{ "reth/v1.3.12/linux", "client reth" },
		{ "Nethermind v1.25.4", "client nethermind" },
		{ "besu 24.1.0", "client besu" },
		{ "erigon-3.5.2-8a829d21", "client erigon" },
		{ "\xd8\x83\x01\x0e\x03\x84geth\x88go1.22.3\x85linux", "client geth" },
		/* Behind the vanity of proof of authority a seal follows. */
		{ "\xd8\x83\x01\x0e\x03\x84geth\x88go1.22."
		  "3\x85linux\x01\x01\x01\x01\x01\x01\x01\xff\xfe\xfd\xfc",
			"client geth" },
		{ "ethermine-eu1", "ethermine-eu1" },
		{ "\xf0\x9f\x90\x9f"
		  "F2Pool",
			"\xf0\x9f\x90\x9f"
			"F2Pool" },
		{ "", "" },
		{ "\x01\x02\x03\x04", "" },
		{ "ab", "" },
		{ "abc\x1b[31mdef", "" },
		{ "caf\xe9 bar", "" },
		{ "\xd8\x83\x01\x0e\x03\x84g\x1bth\x88go1.22.3\x85linux", "" },
		{ "\xf8", "" },
	};
	static const uint8_t parity[] = "\xd5\x83\x01\x06\x00\x86Parity\x86" "1.14.0\x82li";
	char out[72], tiny[4];

	(void)state;
	assert_string_equal(
		name_builder(out, sizeof(out), parity, sizeof(parity) - 1, NULL), "client parity");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		assert_ptr_equal(name_builder(out, sizeof(out), (const uint8_t *)v[i].extra,
					 strlen(v[i].extra), NULL),
			out);
		assert_string_equal(out, v[i].want);
	}
	/* Extra data of any length, and room of any size. */
	name_builder(tiny, sizeof(tiny), (const uint8_t *)"beaverbuild.org", 15, NULL);
	assert_string_equal(tiny, "bea");
	for (size_t n = 0; n < 300; n++) {
		uint8_t extra[300];

		memset(extra, 'x', sizeof(extra));
		name_builder(out, sizeof(out), extra, n, NULL);
		assert_true(strlen(out) < sizeof(out));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selectors_hash),
		cmocka_unit_test(addresses_carry_checksums),
		cmocka_unit_test(recipients_carry_checksums),
		cmocka_unit_test(builders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
