#include "eth/names.h"

#include <stdlib.h>
#include <strings.h>

#include "base/hex.h"
#include "base/utf8.h"
#include "eth/rlp.h"

/* Extra data in lower case → builder. The first that is contained wins. */
static const struct {
	const char *needle, *name;
} builders[] = {
	{ "titanbuilder", "titan" },
	{ "beaverbuild", "beaverbuild" },
	{ "buildernet", "BuilderNet" },
	{ "quasar", "quasar" },
	{ "rsync", "rsync" },
	{ "illuminate dm", "Flashbots" },
	{ "eurekabuilder", "eureka" },
	{ "bloxroute", "bloXroute" },
	{ "builder0x69", "builder0x69" },
	{ "penguinbuild", "penguin" },
	{ "jetbldr", "jetbldr" },
	{ "f1b.io", "f1b" },
	{ "lokibuilder", "loki" },
	{ "bobthebuilder", "bob" },
	{ "boba-builder", "boba" },
	{ "bombora", "bombora" },
	{ "btcs.com", "btcs" },
	{ "bitget", "bitget" },
	{ "blocksmith", "blocksmith" },
	{ "buildai", "buildai" },
	{ "blockbeelder", "beelder" },
	{ "lightspeedbuilder", "lightspeed" },
	{ "eth-builder", "eth-builder" },
	{ "ultrasound.money", "ultrasound" },
	{ "blocknative", "blocknative" },
	{ "manifold", "manifold" },
	{ "edennetwork", "eden" },
};

/* Fee recipients of builders that do not always sign with their name. */
static const struct name_recipient recipients[] = {
	{ "4838B106FCe9647Bdf1E7877BF73cE8B0BAD5f97", "titan" },
	{ "95222290DD7278Aa3Ddd389Cc1E1d165CC4BAfe5", "beaverbuild" },
	{ "dadB0d80178819F2319190D340ce9A924f783711", "BuilderNet" },
	{ "396343362be2A4dA1cE0C1C210945346fb82Aa49", "quasar" },
	{ "1f9090aaE28b8a3dCeaDf281B0F12828e676c326", "rsync" },
	{ "DAFEA492D9c6733ae3d56b7Ed1ADB60692c98Bc5", "Flashbots" },
	{ "690B9A9E9aa1C9dB991C7721a92d351Db4FaC990", "builder0x69" },
	{ "F2f5C73fa04406b1995e397B55c24aB1f3eA726C", "bloXroute" },
	{ "199D5ED7F45F4eE35960cF22EAde2076e95B253F", "bloXroute" },
	{ "f573d99385C05c23B24ed33De616ad16a43a0919", "bloXroute" },
	{ "AAB27b150451726EC7738aa1d0A94505c8729bd1", "eden" },
};

/* What clients write if their operator says nothing: a text that begins so (lower case). */
static const char *const clients[] = {
	"nethermind", "reth", "besu", "erigon", "ethrex", "geth", "ethereumjs", "nimbus",
};

/* Ascending by selector. tests/unit/test_names.c hashes each signature. */
static const struct name_selector selectors[] = {
	{ 0x015d8eb9, "setL1BlockValues",
	  "(uint64,uint64,uint256,bytes32,uint64,bytes32,uint256,uint256)" },
	{ 0x022c0d9f, "swap", "(uint256,uint256,address,bytes)" },
	{ 0x02751cec, "removeLiquidityETH", "(address,uint256,uint256,uint256,address,uint256)" },
	{ 0x04e45aaf, "exactInputSingle",
	  "((address,address,uint24,address,uint256,uint256,uint160))" },
	{ 0x07ed2379, "swap",
	  "(address,(address,address,address,address,uint256,uint256,uint256),"
	  "bytes)" },
	{ 0x095ea7b3, "approve", "(address,uint256)" },
	{ 0x098999be, "setL1BlockValuesIsthmus", "()" },
	{ 0x09fc8843, "bridgeETH", "(uint32,bytes)" },
	{ 0x1249c58b, "mint", "()" },
	{ 0x128acb08, "swap", "(address,bool,int256,uint160,bytes)" },
	{ 0x13d79a0b, "settle",
	  "(address[],uint256[],(uint256,uint256,address,uint256,uint256,uint32,"
	  "bytes32,uint256,uint256,uint256,bytes)[],(address,uint256,bytes)[][3])" },
	{ 0x18160ddd, "totalSupply", "()" },
	{ 0x18cbafe5, "swapExactTokensForETH", "(uint256,uint256,address[],address,uint256)" },
	{ 0x1f0464d1, "multicall", "(bytes32,bytes[])" },
	{ 0x1fad948c, "handleOps",
	  "((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,"
	  "bytes,bytes)[],address)" },
	{ 0x23b872dd, "transferFrom", "(address,address,uint256)" },
	{ 0x24856bc3, "execute", "(bytes,bytes[])" },
	{ 0x252dba42, "aggregate", "((address,bytes)[])" },
	{ 0x2e17de78, "unstake", "(uint256)" },
	{ 0x2e1a7d4d, "withdraw", "(uint256)" },
	{ 0x2e7ba6ef, "claim", "(uint256,address,uint256,bytes32[])" },
	{ 0x2eb2c2d6, "safeBatchTransferFrom", "(address,address,uint256[],uint256[],bytes)" },
	{ 0x3593564c, "execute", "(bytes,bytes[],uint256)" },
	{ 0x3659cfe6, "upgradeTo", "(address)" },
	{ 0x379607f5, "claim", "(uint256)" },
	{ 0x38ed1739, "swapExactTokensForTokens", "(uint256,uint256,address[],address,uint256)" },
	{ 0x39509351, "increaseAllowance", "(address,uint256)" },
	{ 0x3ccfd60b, "withdraw", "()" },
	{ 0x3d18b912, "getReward", "()" },
	{ 0x40c10f19, "mint", "(address,uint256)" },
	{ 0x414bf389, "exactInputSingle",
	  "((address,address,uint24,address,uint256,uint256,uint256,uint160))" },
	{ 0x415565b0, "transformERC20", "(address,address,uint256,uint256,(uint32,bytes)[])" },
	{ 0x42842e0e, "safeTransferFrom", "(address,address,uint256)" },
	{ 0x42966c68, "burn", "(uint256)" },
	{ 0x440a5e20, "setL1BlockValuesEcotone", "()" },
	{ 0x4641257d, "harvest", "()" },
	{ 0x4870496f, "proveWithdrawalTransaction",
	  "((uint256,address,address,uint256,uint256,bytes),uint256,(bytes32,"
	  "bytes32,bytes32,bytes32),bytes[])" },
	{ 0x4a25d94a, "swapTokensForExactETH", "(uint256,uint256,address[],address,uint256)" },
	{ 0x4e71d92d, "claim", "()" },
	{ 0x4f1ef286, "upgradeToAndCall", "(address,bytes)" },
	{ 0x52bbbe29, "swap",
	  "((bytes32,uint8,address,address,uint256,bytes),(address,bool,address,"
	  "bool),uint256,uint256)" },
	{ 0x573ade81, "repay", "(address,uint256,uint256,address)" },
	{ 0x5ae401dc, "multicall", "(uint256,bytes[])" },
	{ 0x5c11d795, "swapExactTokensForTokensSupportingFeeOnTransferTokens",
	  "(uint256,uint256,address[],address,uint256)" },
	{ 0x5c38449e, "flashLoan", "(address,address[],uint256[],bytes)" },
	{ 0x617ba037, "supply", "(address,uint256,address,uint16)" },
	{ 0x6a761202, "execTransaction",
	  "(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,"
	  "bytes)" },
	{ 0x6e553f65, "deposit", "(uint256,address)" },
	{ 0x70a08231, "balanceOf", "(address)" },
	{ 0x715018a6, "renounceOwnership", "()" },
	{ 0x74694a2b, "register", "(string,address,uint256,bytes32,address,bytes[],bool,uint16)" },
	{ 0x765e827f, "handleOps",
	  "((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],"
	  "address)" },
	{ 0x791ac947, "swapExactTokensForETHSupportingFeeOnTransferTokens",
	  "(uint256,uint256,address[],address,uint256)" },
	{ 0x79cc6790, "burnFrom", "(address,uint256)" },
	{ 0x7ff36ab5, "swapExactETHForTokens", "(uint256,address[],address,uint256)" },
	{ 0x82ad56cb, "aggregate3", "((address,bool,bytes)[])" },
	{ 0x8803dbee, "swapTokensForExactTokens", "(uint256,uint256,address[],address,uint256)" },
	{ 0x8c3152e9, "finalizeWithdrawalTransaction",
	  "((uint256,address,address,uint256,uint256,bytes))" },
	{ 0x9dc29fac, "burn", "(address,uint256)" },
	{ 0xa0712d68, "mint", "(uint256)" },
	{ 0xa1903eab, "submit", "(address)" },
	{ 0xa22cb465, "setApprovalForAll", "(address,bool)" },
	{ 0xa415bcad, "borrow", "(address,uint256,uint256,uint16,address)" },
	{ 0xa457c2d7, "decreaseAllowance", "(address,uint256)" },
	{ 0xa694fc3a, "stake", "(uint256)" },
	{ 0xa9059cbb, "transfer", "(address,uint256)" },
	{ 0xab834bab, "atomicMatch_",
	  "(address[14],uint256[18],uint8[8],bytes,bytes,bytes,bytes,bytes,bytes,"
	  "uint8[2],bytes32[5])" },
	{ 0xac9650d8, "multicall", "(bytes[])" },
	{ 0xb1a1a882, "depositETH", "(uint32,bytes)" },
	{ 0xb460af94, "withdraw", "(uint256,address,address)" },
	{ 0xb61d27f6, "execute", "(address,uint256,bytes)" },
	{ 0xb6b55f25, "deposit", "(uint256)" },
	{ 0xb6f9de95, "swapExactETHForTokensSupportingFeeOnTransferTokens",
	  "(uint256,address[],address,uint256)" },
	{ 0xb88d4fde, "safeTransferFrom", "(address,address,uint256,bytes)" },
	{ 0xba087652, "redeem", "(uint256,address,address)" },
	{ 0xbaa2abde, "removeLiquidity",
	  "(address,address,uint256,uint256,uint256,address,uint256)" },
	{ 0xc04b8d59, "exactInput", "((bytes,address,uint256,uint256,uint256))" },
	{ 0xd0e30db0, "deposit", "()" },
	{ 0xd505accf, "permit", "(address,address,uint256,uint256,uint8,bytes32,bytes32)" },
	{ 0xd6681042, "requestWithdrawals", "(uint256[],address)" },
	{ 0xd764ad0b, "relayMessage", "(uint256,address,address,uint256,uint256,bytes)" },
	{ 0xdb3e2198, "exactOutputSingle",
	  "((address,address,uint24,address,uint256,uint256,uint256,uint160))" },
	{ 0xdd62ed3e, "allowance", "(address,address)" },
	{ 0xe449022e, "uniswapV3Swap", "(uint256,uint256,uint256[])" },
	{ 0xe8e33700, "addLiquidity",
	  "(address,address,uint256,uint256,uint256,uint256,address,uint256)" },
	{ 0xe9e05c42, "depositTransaction", "(address,uint256,uint64,bool,bytes)" },
	{ 0xe9fad8ee, "exit", "()" },
	{ 0xf14fcbc8, "commit", "(bytes32)" },
	{ 0xf242432a, "safeTransferFrom", "(address,address,uint256,uint256,bytes)" },
	{ 0xf2fde38b, "transferOwnership", "(address)" },
	{ 0xf305d719, "addLiquidityETH", "(address,uint256,uint256,uint256,address,uint256)" },
	{ 0xf3fef3a3, "withdraw", "(address,uint256)" },
	{ 0xfb0f3ee1, "fulfillBasicOrder",
	  "((address,uint256,uint256,address,address,address,uint256,uint256,"
	  "uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,"
	  "(uint256,address)[],bytes))" },
	{ 0xfb3bdb41, "swapETHForExactTokens", "(uint256,address[],address,uint256)" },
};

/*
 * Chain 0: the same address on every chain that has it. EIP-55 case, which is how a slip of the pen
 * is found.
 */
static const struct name_address addresses[] = {
	{ 1, "C02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "WETH" },
	{ 1, "dAC17F958D2ee523a2206206994597C13D831ec7", "USDT" },
	{ 1, "A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC" },
	{ 1, "6B175474E89094C44Da98b954EedeAC495271d0F", "DAI" },
	{ 1, "dC035D45d973E3EC169d2276DDab16f1e407384F", "USDS" },
	{ 1, "4c9EDD5852cd905f086C759E8383e09bff1E68B3", "USDe" },
	{ 1, "2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", "WBTC" },
	{ 1, "ae7ab96520DE3A18E5e111B5EaAb095312D7fE84", "stETH" },
	{ 1, "7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0", "wstETH" },
	{ 1, "1f9840a85d5aF5bf1D1762F925BDADdC4201F984", "UNI" },
	{ 1, "514910771AF9Ca656af840dff83E8264EcF986CA", "LINK" },
	{ 1, "7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9", "AAVE" },
	{ 1, "9f8F72aA9304c8B593d555F12eF6589cC3A579A2", "MKR" },
	{ 1, "95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE", "SHIB" },
	{ 1, "6982508145454Ce325dDbE47a25d4ec3d2311933", "PEPE" },
	{ 1, "7a250d5630B4cF539739dF2C5dAcb4c659F2488D", "uniswap2" },
	{ 1, "E592427A0AEce92De3Edee1F18E0157C05861564", "uniswap3" },
	{ 1, "68b3465833fb72A70ecDF485E0e4C7bD8665Fc45", "uniswap3" },
	{ 1, "3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD", "uniswap" },
	{ 1, "66a9893cC07D91D95644AEDD05D03f95e1dBA8Af", "uniswap" },
	{ 1, "000000000004444c5dc75cB358380D2e3dE08A90", "uniswap4" },
	{ 1, "d9e1cE17f2641f24aE83637ab66a2cca9C378B9F", "sushiswap" },
	{ 1, "Def1C0ded9bec7F1a1670819833240f027b25EfF", "0x" },
	{ 1, "881D40237659C251811CEC9c364ef91dC08D300C", "metaswap" },
	{ 1, "87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2", "aave3" },
	{ 1, "253553366Da8546fC250F225fe3d25d0C782303b", "ens" },
	{ 1, "889edC2eDab5f40e902b864aD4d7AdE8E412F9B1", "lido-exit" },
	{ 1, "00000000219ab540356cBB839Cbe05303d7705Fa", "deposit" },
	{ 1, "4Dbd4fc535Ac27206064B68FfCf827b0A60BAB3f", "arbitrum" },
	{ 1, "bEb5Fc579115071764c7423A4f12eDde41f106Ed", "op-portal" },
	{ 1, "99C9fc46f92E8a1c0deC1b1747d010903E884bE1", "op-bridge" },
	{ 1, "49048044D57e1C92A77f79988d21Fa8fAF74E97e", "base-portal" },
	{ 1, "3154Cf16ccdb4C6d922629664174b904d80F2C35", "base-bridge" },
	{ 1, "FF00000000000000000000000000000000000010", "op-inbox" },
	{ 1, "Ff00000000000000000000000000000000008453", "base-inbox" },
	{ 0, "1111111254EEB25477B68fb85Ed929f73A960582", "1inch" },
	{ 0, "111111125421cA6dc452d289314280a0f8842A65", "1inch" },
	{ 0, "6131B5fae19EA4f9D964eAc0408E4408b66337b5", "kyberswap" },
	{ 0, "9008D19f58AAbD9eD0D60971565AA8510560ab41", "cow" },
	{ 0, "BA12222222228d8Ba445958a75a0704d566BF2C8", "balancer" },
	{ 0, "00000000000000ADc04C56Bf30aC9d3c0aAF14dC", "seaport" },
	{ 0, "000000000022D473030F116dDEE9F6B43aC78BA3", "permit2" },
	{ 0, "cA11bde05977b3631167028862bE2a173976CA11", "multicall3" },
	{ 0, "5FF137D4b0FDCD49DcA30c7CF57E578a026d2789", "entrypoint" },
	{ 0, "0000000071727De22E5E9d8BAf0edAc6f37da032", "entrypoint" },
	{ 10, "4200000000000000000000000000000000000006", "WETH" },
	{ 10, "0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USDC" },
	{ 10, "4200000000000000000000000000000000000015", "l1block" },
	{ 8453, "4200000000000000000000000000000000000006", "WETH" },
	{ 8453, "833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC" },
	{ 8453, "4200000000000000000000000000000000000015", "l1block" },
	{ 56, "bb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", "WBNB" },
	{ 56, "55d398326f99059fF775485246999027B3197955", "USDT" },
	{ 56, "8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "USDC" },
	{ 56, "10ED43C718714eb63d5aA57B78B54704E256024E", "pancake2" },
	{ 137, "0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270", "WPOL" },
	{ 137, "3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC" },
	{ 137, "c2132D05D31c914a87C6611C10748AEb04B58e8F", "USDT" },
	{ 42161, "82aF49447D8a07e3bd95BD0d56f35241523fBab1", "WETH" },
	{ 42161, "af88d065e77c8cC2239327C5EDb3A432268e5831", "USDC" },
	{ 42161, "Fd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "USDT" },
};

enum { EXTRA_LOOKED_AT = 64, VANITY = 32 };

/* tolower without a locale. */
static char lower_case(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static const char *recipient(const struct addr *a)
{
	char text[2 + 2 * sizeof(a->b) + 1];

	hex_print(text, a->b, sizeof(a->b));
	for (size_t i = 0; i < sizeof(recipients) / sizeof(recipients[0]); i++)
		if (strcasecmp(recipients[i].addr, text + 2) == 0)
			return recipients[i].name;
	return NULL;
}

/*
 * geth and its forks, and once Parity, write rlp([version, name, …]); behind 32 bytes other chains
 * put their own.
 */
static size_t client_of_rlp(const char **name, const uint8_t *extra, size_t n)
{
	struct rlp_item list, part;
	struct rlp r;

	rlp_init(&r, extra, n < VANITY ? n : VANITY);
	if (!rlp_next(&r, &list) || !list.list)
		return 0;
	rlp_init(&r, list.p, list.n);
	if (!rlp_next(&r, &part) || part.list || !rlp_next(&r, &part) || part.list ||
		part.n > VANITY)
		return 0;
	for (size_t i = 0; i < part.n; i++)
		if (part.p[i] < '!' || part.p[i] > '~')
			return 0;
	*name = (const char *)part.p;
	return part.n;
}

/*
 * Words rather than bytes that happen to be printable: valid UTF-8 without controls, and three
 * letters in it.
 */
static bool readable(const uint8_t *p, size_t n)
{
	unsigned letters = 0;
	int len;

	for (size_t i = 0; i < n; i += (size_t)len) {
		const uint32_t cp = utf8_decode((const char *)p + i, n - i, &len);

		if (cp < ' ' || cp == 0x7f || (len == 1 && cp > 0x7f))
			return false;
		letters += (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z');
	}
	return letters >= 3;
}

static char *client(char *out, size_t size, const char *name, size_t n)
{
	static const char word[] = "client ";
	char lower[sizeof(word) + VANITY];

	memcpy(lower, word, sizeof(word) - 1);
	for (size_t i = 0; i < n; i++)
		lower[sizeof(word) - 1 + i] = lower_case(name[i]);
	utf8_clean(out, size, lower, sizeof(word) - 1 + n);
	return out;
}

char *name_builder(char *out, size_t size, const uint8_t *extra, size_t n, const struct addr *miner)
{
	char lower[EXTRA_LOOKED_AT + 1];
	const size_t look = n < EXTRA_LOOKED_AT ? n : EXTRA_LOOKED_AT;
	const char *name = NULL;
	size_t len;

	for (size_t i = 0; i < look; i++)
		lower[i] = extra[i] != 0 ? lower_case((char)extra[i]) : ' ';
	lower[look] = '\0';
	for (size_t i = 0; name == NULL && i < sizeof(builders) / sizeof(builders[0]); i++)
		if (strstr(lower, builders[i].needle) != NULL)
			name = builders[i].name;
	if (name == NULL && miner != NULL)
		name = recipient(miner);
	if (name != NULL) {
		utf8_clean(out, size, name, strlen(name));
		return out;
	}
	len = client_of_rlp(&name, extra, n);
	if (len > 0)
		return client(out, size, name, len);
	for (size_t i = 0; i < sizeof(clients) / sizeof(clients[0]); i++)
		if (strncmp(lower, clients[i], strlen(clients[i])) == 0)
			return client(out, size, clients[i], strlen(clients[i]));
	if (readable(extra, look))
		utf8_clean(out, size, (const char *)extra, look);
	else if (size > 0)
		out[0] = '\0';
	return out;
}

static int by_selector(const void *key, const void *row)
{
	const uint32_t a = *(const uint32_t *)key,
		       b = ((const struct name_selector *)row)->selector;

	return a < b ? -1 : a > b;
}

const char *name_selector(const uint8_t sel[4])
{
	const uint32_t key =
		(uint32_t)sel[0] << 24 | (uint32_t)sel[1] << 16 | (uint32_t)sel[2] << 8 | sel[3];
	const struct name_selector *const row = bsearch(&key, selectors,
		sizeof(selectors) / sizeof(selectors[0]), sizeof(selectors[0]), by_selector);

	return row != NULL ? row->name : NULL;
}

const char *name_addr(uint64_t chain_id, const struct addr *a)
{
	char text[2 + 2 * sizeof(a->b) + 1];

	hex_print(text, a->b, sizeof(a->b));
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if ((addresses[i].chain_id == chain_id || addresses[i].chain_id == 0) &&
		    strcasecmp(addresses[i].addr, text + 2) == 0)
			return addresses[i].name;
	return NULL;
}

const struct name_selector *name_selector_table(size_t *n)
{
	*n = sizeof(selectors) / sizeof(selectors[0]);
	return selectors;
}

const struct name_recipient *name_recipient_table(size_t *n)
{
	*n = sizeof(recipients) / sizeof(recipients[0]);
	return recipients;
}

const struct name_address *name_addr_table(size_t *n)
{
	*n = sizeof(addresses) / sizeof(addresses[0]);
	return addresses;
}
