/* eth/address: the vectors of EIP-55, and contract addresses whose creation is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/hex.h"
#include "eth/address.h"

static struct addr parse(const char *text)
{
	struct addr a;

	assert_true(hex_fixed(text, strlen(text), a.b, sizeof(a.b)));
	return a;
}

static void checksum(void **state)
{
	/* The examples of EIP-55. */
	static const char *const good[] = {
		"0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
		"0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
	};
	char out[ADDRESS_TEXT];

	(void)state;
	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct addr a = parse(good[i]);

		assert_string_equal(address_text(out, &a), good[i]);
	}
}

static void shortened(void **state)
{
	struct addr a = parse("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
	char out[ADDRESS_SHORT];

	(void)state;
	assert_string_equal(address_short(out, &a), "0x5aAe\xe2\x80\xa6" "eAed");
}

static void created(void **state)
{
	static const struct {
		const char *sender, *contract;
		uint64_t nonce;
	} known[] = {
		/* The example of many explanations, and the first contracts of the usual development account. */
		{ "0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0", "0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d", 0 },
		{ "0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0", "0x343c43a37d37dff08ae8c4a11544c718abb4fcf8", 1 },
		{ "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x5FbDB2315678afecb367f032d93F642f64180aa3", 0 },
		{ "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512", 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct addr sender = parse(known[i].sender), want = parse(known[i].contract), got;

		address_created(&got, &sender, known[i].nonce);
		assert_memory_equal(got.b, want.b, sizeof(want.b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksum),
		cmocka_unit_test(shortened),
		cmocka_unit_test(created),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
