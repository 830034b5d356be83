/*
 * The conformance cases of ethereum/execution-apis (corpus/execution-apis/tests): each request is told apart and written
 * again byte for byte, each answer is read by eth/rpc, eth/json and eth/block and compared with what the text says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hex.h"
#include "block_oracle.h"
#include "eth/json.h"
#include "eth/rpc.h"

static struct blockdec *dec;

static void keep_message(void *ctx, const struct rpc_msg *m)
{
	struct rpc_msg *out = ctx;

	assert_int_equal(out->kind, RPC_STRAY); /* only one */
	*out = *m;
}

static struct rpc_msg message(const char *text)
{
	struct rpc_msg m = {.kind = RPC_STRAY};
	struct err e;

	if (rpc_each(text, strlen(text), keep_message, &m, &e) != ST_OK)
		fail_msg("%s: %s", e.text, text);
	return m;
}

/* Walks a value with the pull decoder beside cJSON's tree of it. */
static void same_value(struct json *j, const cJSON *o)
{
	enum json_type t = json_peek(j);
	struct json_str s;
	const cJSON *m;
	char text[600];
	bool yes;

	switch (t) {
	case JSON_OBJECT:
		assert_true(cJSON_IsObject(o));
		assert_true(json_object(j));
		cJSON_ArrayForEach(m, o)
		{
			assert_true(json_key(j, &s));
			json_text(text, sizeof(text), &s);
			assert_string_equal(text, m->string);
			same_value(j, m);
		}
		assert_false(json_key(j, &s));
		break;
	case JSON_ARRAY:
		assert_true(cJSON_IsArray(o));
		assert_true(json_array(j));
		cJSON_ArrayForEach(m, o)
		{
			assert_true(json_next(j));
			same_value(j, m);
		}
		assert_false(json_next(j));
		break;
	case JSON_STRING:
		assert_true(json_string(j, &s));
		assert_true(s.n < sizeof(text));
		json_text(text, sizeof(text), &s);
		assert_string_equal(text, o->valuestring);
		break;
	case JSON_NUMBER:
		assert_true(json_number(j, &s));
		assert_true(strtod(s.p, NULL) == o->valuedouble);
		break;
	case JSON_NULL:
		assert_true(json_null(j));
		assert_true(cJSON_IsNull(o));
		break;
	default: assert_true(json_bool(j, &yes)); assert_int_equal(yes, cJSON_IsTrue(o));
	}
	assert_true(json_ok(j));
}

static void check_value(const struct rpc_msg *reply, const cJSON *want)
{
	struct json j;

	json_init(&j, reply->result.p, reply->result.n);
	same_value(&j, want);
	assert_true(json_end(&j));
}

static void check_quantity(const struct rpc_msg *reply, const cJSON *want)
{
	bool lenient = false;
	struct json_str s;
	struct json j;
	char back[24];
	uint64_t v;

	json_init(&j, reply->result.p, reply->result.n);
	assert_true(json_string(&j, &s));
	assert_true(hex_u64(s.p, s.n, &v, &lenient));
	assert_false(lenient);
	assert_true(v == strtoull(want->valuestring, NULL, 16));
	assert_string_equal(hex_print_u64(back, v), want->valuestring);
}

static void check_block(
	const struct rpc_msg *request, const struct rpc_msg *reply, const cJSON *want)
{
	bool full = memmem(request->params.p, request->params.n, ",true]", 6) != NULL;
	const struct block *b;
	struct block *kept;
	struct err e;
	enum status st = block_decode(dec, reply->result.p, reply->result.n, full, &b, &e);

	if (cJSON_IsNull(want)) {
		assert_int_equal(st, ST_NULL);
		return;
	}
	if (st != ST_OK)
		fail_msg("%s", e.text);
	assert_int_equal(!!(b->h.has & H_TXS_FULL), full);
	same_block(want, b);
	kept = block_keep(b);
	assert_non_null(kept);
	same_block(want, kept);
	/* Hashes where transactions were asked for are another block than the one asked for. */
	st = block_decode(dec, reply->result.p, reply->result.n, true, &b, &e);
	assert_int_equal(st, full || !kept->h.ntx ? ST_OK : ST_WRONG_BLOCK);
	block_unref(kept);
}

/* There is no decoder of one transaction alone: it stands in a block of its own. */
static void check_tx(const struct rpc_msg *reply, const cJSON *want)
{
	size_t size = reply->result.n + 100;
	char *text = malloc(size);
	const struct block *b;
	struct tx t;
	struct err e;

	assert_non_null(text);
	snprintf(text, size, "{\"number\":\"0x1\",\"timestamp\":\"0x1\",\"transactions\":[%.*s]}",
		(int)reply->result.n, reply->result.p);
	if (cJSON_IsNull(want)) {
		assert_int_equal(block_decode(dec, text, strlen(text), true, &b, &e), ST_MALFORMED);
	} else {
		if (block_decode(dec, text, strlen(text), true, &b, &e) != ST_OK)
			fail_msg("%s", e.text);
		t = *block_txs(b);
		t.index =
			(uint32_t)strtoul(member(want, "transactionIndex")->valuestring, NULL, 16);
		same_tx(want, b, &t, t.index);
		assert_int_equal(b->lenient, 0);
	}
	free(text);
}

static void check_txpool(const struct rpc_msg *reply, const cJSON *want)
{
	struct json_str key, s;
	unsigned seen = 0;
	struct json j;
	uint64_t v;

	json_init(&j, reply->result.p, reply->result.n);
	assert_true(json_object(&j));
	while (json_key(&j, &key)) {
		const char *name = JSON_IS(&key, "pending") ? "pending" : "queued";

		assert_true(json_string(&j, &s));
		assert_true(hex_u64(s.p, s.n, &v, NULL));
		same_u64(want, name, true, v);
		seen++;
	}
	assert_int_equal(seen, 2);
	assert_true(json_end(&j));
}

static void check_reply(
	const struct rpc_msg *request, const struct rpc_msg *reply, const cJSON *want)
{
	static const char *const quantities[] = {
		"eth_blockNumber", "eth_chainId", "eth_baseFee", "eth_blobBaseFee", NULL};
	const struct json_str *m = &request->method;
	uint64_t v;

	check_value(reply, want); /* all of them, as plain JSON */
	for (size_t i = 0; quantities[i]; i++)
		if (json_is(m, quantities[i], strlen(quantities[i]))) {
			check_quantity(reply, want);
			return;
		}
	if (JSON_IS(m, "eth_getBlockByNumber") || JSON_IS(m, "eth_getBlockByHash")) {
		check_block(request, reply, want);
	} else if (JSON_IS(m, "eth_getTransactionByHash")) {
		check_tx(reply, want);
	} else if (JSON_IS(m, "txpool_status")) {
		check_txpool(reply, want);
	} else if (JSON_IS(m, "net_version")) {
		struct json_str s = {.p = reply->result.p + 1, .n = reply->result.n - 2};

		assert_true(json_str_u64(&s, &v));
		assert_true(v == strtoull(want->valuestring, NULL, 10));
	} else if (!JSON_IS(m, "eth_syncing") && !JSON_IS(m, "eth_config") &&
		!JSON_IS(m, "eth_feeHistory")) {
		fail_msg("no check for %.*s", (int)m->n, m->p);
	}
}

static void check_request(const char *line, const struct rpc_msg *m)
{
	char method[64], params[300];
	struct buf b;

	assert_int_equal(m->kind, RPC_REQUEST);
	snprintf(method, sizeof(method), "%.*s", (int)m->method.n, m->method.p);
	snprintf(params, sizeof(params), "%.*s", (int)m->params.n, m->params.p ? m->params.p : "");
	buf_init(&b, 1000);
	assert_int_equal(rpc_request(&b, m->id, method, params[0] ? params : NULL), ST_OK);
	if (params[0]) {
		assert_string_equal(b.p, line);
	} else { /* the case leaves params out, we write [] */
		assert_int_equal(strncmp(b.p, line, strlen(line) - 1), 0);
		assert_string_equal(b.p + strlen(line) - 1, ",\"params\":[]}");
	}
	buf_fini(&b);
}

static unsigned cases;

static void check_case(const char *path)
{
	struct rpc_msg request = {.kind = RPC_STRAY}, reply, quick;
	char *save, *line;
	size_t n;
	char *text = read_file(path, &n);

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		cJSON *o;

		if (strncmp(line, ">> ", 3) == 0) {
			request = message(line + 3);
			check_request(line + 3, &request);
		} else if (strncmp(line, "<< ", 3) == 0) {
			reply = message(line + 3);
			assert_int_equal(reply.kind, RPC_REPLY);
			assert_true(reply.has_id);
			assert_int_equal(reply.id, request.id);
			assert_false(reply.is_error);
			/* The quick look finds the same. */
			assert_true(rpc_peek_reply(line + 3, strlen(line + 3), &quick));
			assert_int_equal(quick.id, reply.id);
			assert_ptr_equal(quick.result.p, reply.result.p);
			assert_int_equal(quick.result.n, reply.result.n);
			o = cJSON_Parse(line + 3);
			check_reply(
				&request, &reply, cJSON_GetObjectItemCaseSensitive(o, "result"));
			cJSON_Delete(o);
			cases++;
		}
	}
	free(text);
}

static void test_cases(void **state)
{
	const char *dir = corpus();
	char path[1024], sub[512];
	struct dirent *d;
	DIR *list;

	(void)state;
	if (!dir)
		skip();
	snprintf(path, sizeof(path), "%s/execution-apis/tests", dir);
	list = opendir(path);
	assert_non_null(list);
	while ((d = readdir(list))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(sub, sizeof(sub), "execution-apis/tests/%s", d->d_name);
		assert_true(each_file(dir, sub, ".io", check_case) > 0);
	}
	closedir(list);
	assert_int_equal(cases, 31);
}

static int setup(void **state)
{
	(void)state;
	dec = blockdec_new();
	return dec ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	blockdec_free(dec);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
