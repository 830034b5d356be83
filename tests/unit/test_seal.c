/* eth/seal: signers of headers, against a key, a header and two signatures that an independent script made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "base/hex.h"
#include "eth/seal.h"

#define SIGNER "0x574aed7f063e70d05180e57768d00b1bbf8e8692"
/* The second one is of the same header with a base fee of 25 gwei. */
#define SEAL0 \
	"6baac069924d86f1db46255e4724447a514104c18bf5917fd329ecdfbf2b58a7" \
	"2c7f12ae2f526358861a98f7841d6f7bc3417eccf2e48d97a4547ffb16b3a81200"
#define SEAL1 \
	"6baac069924d86f1db46255e4724447a514104c18bf5917fd329ecdfbf2b58a7" \
	"73bea4ecb6a55a331ebaced4725ef3c213c9436d1062fc56500fc2c17b4bee4200"

enum { VANITY = 32, EXTRA = VANITY + 65 };

static void hash(struct hash *out, const char *digits)
{
	assert_true(hex_digits(digits, out->b, sizeof(out->b)));
}

static struct header sealed(const char *seal, uint8_t extra[EXTRA])
{
	struct header h = {
		.has = H_PARENT | H_NUMBER | H_MINER | H_NONCE | H_MIX | H_BLOOM | H_DIFFICULTY,
		.difficulty = u256_from64(2),
		.number = 19088743,
		.gas_limit = 30000000,
		.gas_used = 1234567,
		.timestamp = 1700000000,
		.extra = { .len = EXTRA },
	};

	hash(&h.parent, "ff483e972a04a9a62bb4b7d04ae403c615604e4090521ecc5bb7af67f71be09c");
	hash(&h.uncles_hash, "1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347");
	hash(&h.state_root, "69e39af32bd0cc2d5f8ad822a3afcd7fe8d7211e4ca7c42654cdbda7a9b74516");
	hash(&h.tx_root, "c6b96208da008581c8401312c6025b96a7028812de06e809b03bf94598d9cefb");
	hash(&h.receipts_root, "2aefa890b781f80174ec347ad1648a5caa4c72b95b9bff6a3631462b502b69d0");
	for (unsigned i = 0; i < sizeof(h.bloom); i++)
		h.bloom[i] = (uint8_t)i;
	memset(extra, 0, EXTRA);
	memcpy(extra, "made for a test", 15);
	assert_true(hex_digits(seal, extra + VANITY, 65));
	return h;
}

static void signers(void **state)
{
	uint8_t extra[EXTRA];
	struct header h = sealed(SEAL0, extra);
	struct addr want, got;

	(void)state;
	assert_true(hex_fixed(SIGNER, strlen(SIGNER), want.b, sizeof(want.b)));
	assert_int_equal(header_signer(&h, extra, &got), ST_OK);
	assert_memory_equal(got.b, want.b, sizeof(want.b));
	h = sealed(SEAL1, extra);
	h.has |= H_BASE_FEE;
	h.base_fee = u256_from64(25000000000);
	assert_int_equal(header_signer(&h, extra, &got), ST_OK);
	assert_memory_equal(got.b, want.b, sizeof(want.b));
	/* Anything else signed is somebody else's, or nobody's. */
	h.gas_used++;
	if (header_signer(&h, extra, &got) == ST_OK)
		assert_memory_not_equal(got.b, want.b, sizeof(want.b));
}

static void not_sealed(void **state)
{
	uint8_t extra[EXTRA];
	struct header h = sealed(SEAL0, extra);
	struct addr got;

	(void)state;
	h.extra.len = 64;
	assert_int_equal(header_signer(&h, extra, &got), ST_UNSUPPORTED);
	h = sealed(SEAL0, extra);
	h.has &= ~(uint32_t)H_MIX;
	assert_int_equal(header_signer(&h, extra, &got), ST_UNSUPPORTED);
	h = sealed(SEAL0, extra);
	h.has |= H_WITHDRAWALS_ROOT;
	assert_int_equal(header_signer(&h, extra, &got), ST_UNSUPPORTED);
	h = sealed(SEAL0, extra);
	extra[EXTRA - 1] = 27;
	assert_int_equal(header_signer(&h, extra, &got), ST_MALFORMED);
	memset(extra + VANITY, 0xff, 64);
	extra[EXTRA - 1] = 0;
	assert_int_equal(header_signer(&h, extra, &got), ST_MALFORMED);
	/* No vanity at all: nothing is read before the extra data. */
	h.extra.len = 65;
	assert_int_equal(header_signer(&h, extra + VANITY, &got), ST_MALFORMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signers),
		cmocka_unit_test(not_sealed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
