/*
 * What out/ makes of blocks, against another reader of the node's own text: JSON must be equal field by field, the
 * readable form must
 * have every field of every transaction, and no form may write past the room that it asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>

#include "block_oracle.h"
#include "eth/block_rlp.h"
#include "out/block_csv.h"
#include "out/block_json.h"
#include "out/block_text.h"

static struct blockdec *dec;
static struct buf out;

static enum status as_csv(struct buf *o, const struct block *b)
{
	return block_csv(o, b, false);
}

static enum status as_tx_csv(struct buf *o, const struct block *b)
{
	return block_csv(o, b, true);
}

static const struct block *decode(const char *text, size_t n, bool full)
{
	const struct block *b = NULL;
	struct err e;

	if (block_decode(dec, text, n, full, &b, &e) != ST_OK)
		fail_msg("%s", e.text);
	return b;
}

/* ---- JSON ---- */

static bool equal(const cJSON *a, const cJSON *b, const char *path);

/* Absent and null are the same. */
static bool same_members(const cJSON *a, const cJSON *b, const char *path)
{
	const cJSON *m;
	char name[400];

	cJSON_ArrayForEach(m, a)
	{
		const cJSON *o = cJSON_GetObjectItemCaseSensitive(b, m->string);

		snprintf(name, sizeof(name), "%s.%s", path, m->string);
		if (!o && !cJSON_IsNull(m))
			fail_msg("%s is on one side only", name);
		if (o && !equal(m, o, name))
			return false;
	}
	return true;
}

static bool equal(const cJSON *a, const cJSON *b, const char *path)
{
	char name[400];
	int i = 0;

	if (cJSON_IsObject(a) && cJSON_IsObject(b))
		return same_members(a, b, path) && same_members(b, a, path);
	if (cJSON_IsArray(a) && cJSON_IsArray(b)) {
		const cJSON *o = b->child, *m;

		if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
			fail_msg("%s: %d and %d items", path, cJSON_GetArraySize(a), cJSON_GetArraySize(b));
		cJSON_ArrayForEach(m, a)
		{
			snprintf(name, sizeof(name), "%s[%d]", path, i++);
			if (!equal(m, o, name))
				return false;
			o = o->next;
		}
		return true;
	}
	if (!cJSON_Compare(a, b, true))
		fail_msg("%s: %s and %s", path, cJSON_PrintUnformatted(a), cJSON_PrintUnformatted(b));
	return true;
}

static void check_json(const cJSON *node, const struct block *b, const char *what)
{
	cJSON *ours;

	buf_clear(&out);
	assert_int_equal(block_json(&out, b), ST_OK);
	assert_null(memchr(out.p, '\n', out.len));
	assert_int_equal(out.p[out.len], 0);
	ours = cJSON_ParseWithLength(out.p, out.len);
	if (!ours)
		fail_msg("%s: not JSON", what);
	equal(node, ours, what);
	cJSON_Delete(ours);
}

/* ---- readable ---- */

/* "0x3b9aca00" → "1000000000": by halves, so that it owes nothing to our own arithmetic. */
static void decimal(char out_[80], const char *hex)
{
	unsigned char d[80] = {0};
	int top = 0;

	for (const char *p = hex + 2; *p; p++) {
		unsigned carry = (unsigned)(isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10);

		for (int i = 0; i <= top || carry; i++) {
			carry += d[i] * 16u;
			d[i] = (unsigned char)(carry % 10);
			carry /= 10;
			top = i > top ? i : top;
		}
	}
	for (int i = 0; i <= top; i++)
		out_[i] = (char)('0' + d[top - i]);
	out_[top + 1] = 0;
}

static bool is_hex_value(const char *key)
{
	static const char *const hex[] = {"hash", "parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot",
		"receiptsRoot", "logsBloom", "extraData", "mixHash", "withdrawalsRoot", "parentBeaconBlockRoot", "requestsHash",
		"blockHash", "from", "to", "input", "r", "s", "sourceHash", "address", "blockAccessListHash"};

	for (size_t i = 0; i < sizeof(hex) / sizeof(hex[0]); i++)
		if (strcmp(hex[i], key) == 0)
			return true;
	return false;
}

/* The line `key: value` between from and end. */
static void has_line(const char *from, const char *end, const char *key, const cJSON *v, bool nonce_is_hex)
{
	static char line[2500000];
	char number[80];
	int n;

	if (cJSON_IsNull(v)) {
		n = snprintf(line, sizeof(line), " %s: null\n", key);
	} else if (cJSON_IsBool(v)) {
		n = snprintf(line, sizeof(line), " %s: %s\n", key, cJSON_IsTrue(v) ? "true" : "false");
	} else if (is_hex_value(key) || (nonce_is_hex && strcmp(key, "nonce") == 0)) {
		n = snprintf(line, sizeof(line), " %s: %s\n", key, v->valuestring);
	} else {
		decimal(number, v->valuestring);
		n = snprintf(line, sizeof(line), " %s: %s\n", key, number);
	}
	for (char *p = line; is_hex_value(key) && *p; p++)
		if (p > line + strlen(key) + 2)
			*p = (char)tolower((unsigned char)*p);
	if (!memmem(from, (size_t)(end - from), line, (size_t)n))
		fail_msg("no line%.200s", line);
}

static void has_words(const char *from, const char *end, const cJSON *list)
{
	const cJSON *m;

	if (cJSON_IsString(list) && !memmem(from, (size_t)(end - from), list->valuestring, strlen(list->valuestring)))
		fail_msg("%s is missing", list->valuestring);
	if (cJSON_IsArray(list) || cJSON_IsObject(list))
		cJSON_ArrayForEach(m, list) has_words(from, end, m);
}

static void check_text(const cJSON *node, const struct block *b)
{
	const cJSON *m, *t;
	const char *p, *end, *txs;

	buf_clear(&out);
	assert_int_equal(block_text(&out, b), ST_OK);
	txs = strstr(out.p, "\n    transactions: [");
	assert_non_null(txs);
	cJSON_ArrayForEach(m, node)
		if (!cJSON_IsArray(m))
			has_line(out.p, txs + 1, m->string, m, true);
	p = txs;
	cJSON_ArrayForEach(t, member(node, "transactions"))
	{
		p = strstr(p + 1, "\n        Transaction {\n");
		assert_non_null(p);
		end = strstr(p, "\n        }\n");
		assert_non_null(end);
		if (!cJSON_IsObject(t)) {
			has_words(p, end, t);
			continue;
		}
		cJSON_ArrayForEach(m, t)
		{
			if (!cJSON_IsArray(m))
				has_line(p, end + 1, m->string, m, false);
			else if (strcmp(m->string, "authorizationList") != 0)
				has_words(p, end, m);
		}
	}
	/* p is at the last one, on its line end */
	assert_null(strstr(p + 1, "\n        Transaction {"));
	cJSON_ArrayForEach(t, member(node, "withdrawals"))
	{
		p = strstr(p + 1, "\n        Withdrawal {\n");
		assert_non_null(p);
		end = strstr(p, "\n        }\n");
		cJSON_ArrayForEach(m, t) has_line(p, end + 1, m->string, m, false);
	}
	assert_string_equal(out.p + out.len - 3, "\n}\n");
}

/* ---- CSV ---- */

static unsigned cells(const char *from, const char *end)
{
	unsigned n = 1;

	for (; from < end; from++)
		n += *from == ',';
	return n;
}

static void check_csv(const struct block *b, bool txs)
{
	const char *head = block_csv_header(txs), *p, *end;
	unsigned rows = 0;

	buf_clear(&out);
	assert_int_equal(block_csv(&out, b, txs), ST_OK);
	for (p = out.p; p && *p; p = end + 1) {
		end = strchr(p, '\n');
		assert_non_null(end);
		assert_int_equal(cells(p, end), cells(head, head + strlen(head)));
		rows++;
	}
	assert_int_equal(rows, txs ? b->txs.len : 1);
}

/* ---- no form writes past its bound ---- */

/*
 * The smallest limit that is accepted is the room asked for, and the buffer then has exactly that: the address
 * sanitizer sees the rest.
 */
static void check_bound(const struct block *b, enum status (*form)(struct buf *, const struct block *))
{
	size_t low = 0, high = 64u << 20;
	struct buf tight;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		enum status st;

		buf_init(&tight, mid);
		st = form(&tight, b);
		assert_true(st == ST_OK || st == ST_TOO_BIG);
		assert_true(tight.len <= mid);
		buf_fini(&tight);
		if (st == ST_OK)
			high = mid;
		else
			low = mid + 1;
	}
	buf_init(&tight, low);
	assert_int_equal(form(&tight, b), ST_OK);
	assert_true(low == 0 || tight.cap == low);
	buf_fini(&tight);
}

static void check_bounds(const struct block *b)
{
	check_bound(b, block_json);
	check_bound(b, block_text);
	check_bound(b, as_csv);
	check_bound(b, as_tx_csv);
}

/* ---- real blocks ---- */

static void check_file(const char *path)
{
	size_t n;
	char *text = read_file(path, &n);
	cJSON *node = cJSON_ParseWithLength(text, n);
	const struct block *b = decode(text, n, true);

	assert_non_null(node);
	check_json(node, b, path);
	check_text(node, b);
	check_csv(b, false);
	check_csv(b, true);
	cJSON_Delete(node);
	free(text);
}

static void test_corpus(void **state)
{
	const char *dir = corpus();

	(void)state;
	if (!dir)
		skip();
	assert_int_equal(each_file(dir, "mainnet", ".json", check_file), 57);
	assert_int_equal(each_file(dir, "l2", ".json", check_file), 1);
}

static unsigned blocks_seen;

static void check_case(const char *path)
{
	size_t n;
	char *text = read_file(path, &n), *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		cJSON *reply;
		const cJSON *node;
		char *result;
		const struct block *b;

		if (strncmp(line, "<< ", 3) != 0)
			continue;
		reply = cJSON_Parse(line + 3);
		node = member(reply, "result");
		if (node && member(node, "stateRoot")) {
			result = cJSON_PrintUnformatted(node);
			b = decode(result, strlen(result), false);
			check_json(node, b, path);
			check_text(node, b);
			check_csv(b, true);
			check_bounds(b);
			free(result);
			blocks_seen++;
		}
		cJSON_Delete(reply);
	}
	free(text);
}

static void test_execution_apis(void **state)
{
	const char *dir = corpus();

	(void)state;
	if (!dir)
		skip();
	blocks_seen = 0;
	each_file(dir, "execution-apis/tests/eth_getBlockByNumber", ".io", check_case);
	each_file(dir, "execution-apis/tests/eth_getBlockByHash", ".io", check_case);
	assert_true(blocks_seen >= 5);
}

/* ---- made-up blocks ---- */

#define ONES8 "ffffffffffffffff"
#define U64 "\"0x" ONES8 "\""
#define U256 "\"0x" ONES8 ONES8 ONES8 ONES8 "\""
#define H U256
#define A "\"0xffffffffffffffffffffffffffffffffffffffff\""
#define ACCESS "\"accessList\":[{\"address\":" A ",\"storageKeys\":[" H "," H "]},{\"address\":" A ",\"storageKeys\":[]}]"
#define TX(type, more) \
	"{\"type\":\"" type "\",\"hash\":" H ",\"blockHash\":" H ",\"blockNumber\":" U64 \
	",\"transactionIndex\":\"0x%u\"," \
	"\"blockTimestamp\":" U64 ",\"chainId\":" U256 ",\"nonce\":" U64 ",\"from\":" A ",\"to\":" A \
	",\"value\":" U256 ",\"gas\":" U64 "," \
	"\"gasPrice\":" U256 ",\"maxFeePerGas\":" U256 ",\"maxPriorityFeePerGas\":" U256 ",\"maxFeePerBlobGas\":" U256 \
	",\"input\":\"0xff\"," \
	"\"yParity\":" U64 ",\"v\":" U256 ",\"r\":" U256 ",\"s\":" U256 "," more "}"
#define AUTH "{\"chainId\":" U256 ",\"address\":" A ",\"nonce\":" U64 ",\"yParity\":\"0xff\",\"r\":" U256 ",\"s\":" U256 "}"

/* Everything there is, each at its longest, so that a bound that is too small is found. */
static size_t huge_block(char *text, size_t size)
{
	static const char *const forms[] = {
		TX("0x0", ACCESS),
		TX("0x1", ACCESS),
		TX("0x2", "\"accessList\":[]"),
		TX("0x3", ACCESS ",\"blobVersionedHashes\":[" H "," H "]"),
		TX("0x4", ACCESS ",\"authorizationList\":[" AUTH "," AUTH "]"),
		TX("0x7e",
			"\"sourceHash\":" H ",\"mint\":" U256
			",\"isSystemTx\":false,\"depositReceiptVersion\":\"0xffffffff\""),
		TX("0x7e", "\"sourceHash\":" H ",\"mint\":" U256 ",\"isSystemTx\":true"),
		TX("0x6a", "\"odd\":\"\xc3\xa4\x7f\xf0\x9f\x98\x80\""),
	};
	int n = snprintf(text, size, "{\"number\":" U64 ",\"hash\":" H ",\"parentHash\":" H ",\"sha3Uncles\":" H ",\"miner\":" A
		",\"stateRoot\":" H ",\"transactionsRoot\":" H ",\"receiptsRoot\":" H ",\"logsBloom\":\"0x");

	for (int i = 0; i < 32; i++)
		n += snprintf(text + n, size - (size_t)n, ONES8);
	n += snprintf(text + n, size - (size_t)n,
		"\",\"difficulty\":" U256 ",\"totalDifficulty\":" U256 ",\"gasLimit\":" U64 ",\"gasUsed\":" U64
		",\"timestamp\":" U64 ",\"extraData\":\"0x" ONES8 ONES8 ONES8 "\",\"mixHash\":" H ",\"nonce\":" U64
		",\"baseFeePerGas\":" U256 ",\"withdrawalsRoot\":" H ",\"blobGasUsed\":" U64 ",\"excessBlobGas\":" U64
		",\"parentBeaconBlockRoot\":" H ",\"requestsHash\":" H ",\"blockAccessListHash\":" H
		",\"slotNumber\":" U64 ",\"size\":" U64 ",\"uncles\":[" H "," H "],\"withdrawals\":[{\"index\":" U64
		",\"validatorIndex\":" U64 ",\"address\":" A ",\"amount\":" U64 "}],\"transactions\":[");
	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		n += snprintf(text + n, size - (size_t)n, i ? "," : "");
		n += snprintf(text + n, size - (size_t)n, forms[i], i);
	}
	n += snprintf(text + n, size - (size_t)n, "]}");
	assert_true((size_t)n < size);
	return (size_t)n;
}

static void test_extremes(void **state)
{
	static char text[32768];
	size_t n = huge_block(text, sizeof(text));
	cJSON *node = cJSON_ParseWithLength(text, n);
	const struct block *b;

	(void)state;
	assert_non_null(node);
	b = decode(text, n, true);
	assert_int_equal(b->txs.len, 8);
	assert_int_equal(b->h.has & (H_TX_ELSEWHERE | H_UNKNOWN_FIELD), 0);
	check_json(node, b, "extremes");
	check_csv(b, true);
	check_csv(b, false);
	check_bounds(b);
	/* The unknown type is told by its text alone, which check_text cannot read. */
	cJSON_DeleteItemFromArray(cJSON_GetObjectItem(node, "transactions"), 7);
	buf_clear(&out);
	assert_int_equal(block_text(&out, b), ST_OK);
	assert_non_null(strstr(out.p, "\\u00e4\\u007f\\ud83d\\ude00"));
	for (size_t i = 0; i < out.len; i++)
		assert_true(out.p[i] == '\n' || (out.p[i] >= 0x20 && out.p[i] < 0x7f));
	cJSON_Delete(node);
}

static void test_smallest(void **state)
{
	static const char text[] = "{\"timestamp\":\"0x0\",\"number\":\"0x0\",\"transactions\":[]}";
	const struct block *b = decode(text, strlen(text), true);

	(void)state;
	check_bounds(b);
	buf_clear(&out);
	assert_int_equal(block_csv(&out, b, false), ST_OK);
	assert_string_equal(out.p, "0,,,0,,0,0,,,0,,,,,,0x\n");
	/* Appended behind what is there. */
	assert_int_equal(block_csv(&out, b, true), ST_OK);
	assert_int_equal(block_json(&out, b), ST_OK);
	assert_non_null(strstr(out.p, "0x\n{\"timestamp\":\"0x0\",\"number\":\"0x0\","));
}

/* From RLP: a type that nobody knows has hash, type and place. Nothing else is made up, least of all a zero. */
static void test_bare(void **state)
{
	static const uint8_t zero[256], bare[] = { 0x6a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
		21, 22, 23, 24, 25, 26, 27, 28, 29 };
	struct block_parts parts = { .header = NULL };
	struct block *b;
	struct buf rlp;
	struct rlp r;
	struct rlp_item header;
	struct err e;
	const cJSON *tx;
	cJSON *json;
	size_t mark;
	enum status st = ST_OK;

	(void)state;
	buf_init(&rlp, 1 << 16);
	mark = rlp_list_begin(&rlp);
	for (unsigned i = 0; i < 15; i++) {
		static const uint8_t lengths[15] = { 32, 32, 20, 32, 32, 32, 255, 0, 0, 0, 0, 0, 0, 32, 8 };

		st |= rlp_bytes(&rlp, zero, lengths[i] == 255 ? 256 : lengths[i]);
	}
	st |= rlp_list_end(&rlp, mark);
	mark = rlp_list_begin(&rlp);
	st |= rlp_bytes(&rlp, bare, sizeof(bare)) | rlp_list_end(&rlp, mark) | buf_add(&rlp, "\xc0", 1);
	assert_int_equal(st, ST_OK);
	rlp_init(&r, rlp.p, rlp.len);
	assert_true(rlp_next(&r, &header) && rlp_next(&r, &parts.txs) && rlp_next(&r, &parts.uncles));
	parts.header = header.raw;
	parts.header_n = header.raw_n;
	if (block_from_rlp(&parts, &b, &e) != ST_OK)
		fail_msg("%s", e.text);
	buf_clear(&out);
	assert_int_equal(block_json(&out, b), ST_OK);
	json = cJSON_ParseWithLength(out.p, out.len);
	tx = cJSON_GetArrayItem(member(json, "transactions"), 0);
	assert_non_null(tx);
	assert_int_equal(cJSON_GetArraySize(tx), 5);
	assert_string_equal(member(tx, "type")->valuestring, "0x6a");
	assert_non_null(member(tx, "hash"));
	assert_string_equal(member(tx, "blockHash")->valuestring, member(json, "hash")->valuestring);
	assert_string_equal(member(tx, "blockNumber")->valuestring, "0x0");
	assert_string_equal(member(tx, "transactionIndex")->valuestring, "0x0");
	cJSON_Delete(json);
	check_csv(b, true);
	buf_clear(&out);
	assert_int_equal(block_csv(&out, b, true), ST_OK);
	assert_non_null(strstr(out.p, ",106,,,,,,,,,,,,,,\n"));
	buf_clear(&out);
	assert_int_equal(block_text(&out, b), ST_OK);
	assert_non_null(strstr(out.p, "transactionIndex: 0\n"));
	assert_null(strstr(out.p, "value"));
	check_bounds(b);
	block_unref(b);
	buf_fini(&rlp);
}

static int setup(void **state)
{
	(void)state;
	dec = blockdec_new();
	buf_init(&out, 256u << 20);
	return dec ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	blockdec_free(dec);
	buf_fini(&out);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corpus),
		cmocka_unit_test(test_execution_apis),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_smallest),
		cmocka_unit_test(test_bare),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
