/* What health is told that no screen needed before: eth_config, when to come back, room on the disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "corpus.h"
#include "feed/claims.h"
#include "feed/disk.h"
#include "feed/state.h"
#include "feed/wire_info.h"
#include "feed_rig.h"

static struct rig a;
static struct claims claims;
static uint64_t head = 100;

static int setup(void **state)
{
	(void)state;
	claims_init(&claims);
	rig_init(&a, &claims, true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&a);
	return 0;
}

/* ---- eth_config ---- */

static bool reads(const char *text, struct event *e)
{
	struct json_str s = { .p = text, .n = strlen(text) };

	memset(e, 0, sizeof(*e));
	return wire_info_read(M_CONFIG, &s, e);
}

static void config_is_read(void **state)
{
	struct event e;

	(void)state;
	assert_true(wire_is_info(M_CONFIG));
	assert_int_equal(wire_info_kind(M_CONFIG), INFO_FORK);
	assert_true(reads("{\"current\":{\"activationTime\":1767747671,\"forkId\":\"0x07c9462e\","
			  "\"precompiles\":{\"A\":\"0x1\"}},\"next\":{\"blobSchedule\":{\"max\":9},"
			  "\"forkId\":\"0x01020304\",\"activationTime\":1800000000},\"last\":null}",
			  &e));
	assert_true(e.u.info.yes);
	assert_int_equal(e.u.info.a, 1767747671);
	assert_int_equal(e.u.info.b, 1800000000);
	assert_true(e.u.info.c == UINT64_C(0x07c9462e01020304));
	assert_true(reads("{\"next\":null,\"current\":{\"forkId\":\"0xffffffff\",\"activationTime\":\"0x65\"}}", &e));
	assert_int_equal(e.u.info.a, 0x65);
	assert_true(e.u.info.b == UINT64_MAX);
	assert_true(e.u.info.c == UINT64_C(0xffffffff00000000));
}

static void junk_is_none(void **state)
{
	static const char *const bad[] = {
		"null", "[]", "5", "\"0x5\"", "{}", "{\"current\":null}", "{\"current\":{}}",
		"{\"current\":{\"activationTime\":1}}", "{\"current\":{\"forkId\":\"0x07c9462e\"}}",
		"{\"current\":{\"activationTime\":1,\"forkId\":\"0x07c946\"}}",
		"{\"current\":{\"activationTime\":1,\"forkId\":\"0x07c9462e00\"}}",
		"{\"current\":{\"activationTime\":1,\"forkId\":7}}",
		"{\"current\":{\"activationTime\":-1,\"forkId\":\"0x07c9462e\"}}",
		"{\"current\":{\"activationTime\":99999999999999999999,\"forkId\":\"0x07c9462e\"}}",
		"{\"current\":{\"activationTime\":18446744073709551615,\"forkId\":\"0x07c9462e\"}}",
		"{\"current\":{\"activationTime\":1,\"forkId\":\"0x07c9462e\"},\"next\":{\"activationTime\":2}}",
		"{\"current\":{\"activationTime\":1,\"forkId\":\"0x07c9462e\"},\"next\":7}",
		"{\"current\":{\"activationTime\":1,\"forkId\":\"0x07c9462e\"",
	};
	struct event e;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (reads(bad[i], &e))
			fail_msg("taken: %s", bad[i]);
}

/* The answer of the conformance tests, beside cJSON. */
static void config_of_the_corpus(void **state)
{
	size_t n;
	char *text = corpus_read("execution-apis/tests/eth_config/get-config.io", &n), *at, *end;
	cJSON *doc, *current, *next;
	struct event e;
	struct json_str s;
	uint64_t id, next_id = 0;

	(void)state;
	at = strstr(text, "<< ");
	assert_non_null(at);
	end = strchr(at, '\n');
	if (end)
		*end = '\0';
	doc = cJSON_Parse(at + 3);
	assert_non_null(doc);
	current = cJSON_GetObjectItem(cJSON_GetObjectItem(doc, "result"), "current");
	next = cJSON_GetObjectItem(cJSON_GetObjectItem(doc, "result"), "next");
	s.p = strstr(at, "\"result\":") + strlen("\"result\":");
	s.n = strlen(s.p) - 1;
	memset(&e, 0, sizeof(e));
	assert_true(wire_info_read(M_CONFIG, &s, &e));
	id = strtoull(cJSON_GetObjectItem(current, "forkId")->valuestring, NULL, 16);
	assert_true((double)e.u.info.a == cJSON_GetObjectItem(current, "activationTime")->valuedouble);
	if (cJSON_IsObject(next)) {
		assert_true((double)e.u.info.b == cJSON_GetObjectItem(next, "activationTime")->valuedouble);
		next_id = strtoull(cJSON_GetObjectItem(next, "forkId")->valuestring, NULL, 16);
	} else {
		assert_true(e.u.info.b == UINT64_MAX);
	}
	assert_true(e.u.info.c == (id << 32 | next_id));
	cJSON_Delete(doc);
	free(text);
}

static const char config[] = "{\"current\":{\"activationTime\":5,\"forkId\":\"0x07c9462e\"},\"next\":null}";
static bool knows_config = true;

/* All answered, so that the next round is not kept from going out. */
static void answer_all(void)
{
	static const char *const methods[] = { "web3_clientVersion", "eth_syncing", "net_peerCount", "txpool_status",
		"eth_gasPrice", "eth_getBlockByNumber", "eth_getBlockByHash", "eth_subscribe", "eth_chainId" };

	for (unsigned i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		while (rig_has_open(&a, methods[i], NULL))
			rig_error(&a, rig_open(&a, methods[i], NULL), -32601, "no");
	if (knows_config && rig_has_open(&a, "eth_config", NULL))
		rig_reply(&a, rig_open(&a, "eth_config", NULL), config);
	while (rig_has_open(&a, "eth_config", NULL))
		rig_error(&a, rig_open(&a, "eth_config", NULL), -32601, "the method eth_config does not exist");
}

/* Time in which heads come and all is answered; what was said is forgotten. */
static void pass(unsigned seconds)
{
	for (unsigned s = 0; s < seconds; s += 10) {
		rig_head(&a, ++head, 0, 0);
		rig_wait(&a, 10 * NS_S);
		answer_all();
		for (unsigned i = 0; i < a.n_events; i++)
			if (a.events[i].kind == EV_BLOCK)
				block_unref(a.events[i].u.block.block);
		a.n_events = 0;
	}
}

static void config_is_asked_now_and_then(void **state)
{
	const struct event *e = NULL;

	(void)state;
	rig_start(&a, 1, 100);
	rig_wait(&a, NS_S);
	assert_int_equal(rig_count(&a, "eth_config", NULL), 1);
	rig_reply(&a, rig_open(&a, "eth_config", NULL), config);
	for (unsigned i = 0; i < rig_events(&a, EV_INFO); i++)
		if (rig_event(&a, EV_INFO, i)->u.info.info == INFO_FORK)
			e = rig_event(&a, EV_INFO, i);
	assert_non_null(e);
	assert_int_equal(e->u.info.code, ST_OK);
	assert_int_equal(e->u.info.a, 5);
	/* Each ten minutes, with the facts that are asked each 15 s. */
	pass(590);
	assert_int_equal(rig_count(&a, "eth_config", NULL), 1);
	pass(30);
	assert_int_equal(rig_count(&a, "eth_config", NULL), 2);
	/* Who does not know it is asked again after an hour. */
	knows_config = false;
	pass(620);
	assert_int_equal(rig_count(&a, "eth_config", NULL), 3);
	pass(700);
	assert_int_equal(rig_count(&a, "eth_config", NULL), 3);
}

/* ---- when to come back ---- */

static void retry_after_is_told(void **state)
{
	struct err e = { .code = ST_RATE, .detail = 429 };
	struct rig_call *c;

	(void)state;
	rig_start(&a, 1, 100);
	rig_wait(&a, 50 * NS_MS);
	c = rig_open(&a, "web3_clientVersion", NULL);
	c->answered = true;
	snprintf(e.text, sizeof(e.text), "429");
	/* A batch has the token of its first request. */
	drive_failed(&a.d, c->id, &e, 3 * NS_S, NULL, 0);
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.code, ST_RATE);
	assert_int_equal(rig_event(&a, EV_REPLY, 0)->u.reply.wait_ms, 3000);
}

/* A recording keeps it, so that a replay finds the same. */
static void retry_after_is_recorded(void **state)
{
	struct state s = { .kind = STATE_FAIL, .id = 7, .code = ST_RATE, .detail = 429, .wait_ns = 3 * NS_S, .text = "429" };
	static const char old[] = "{\"ev\":\"fail\",\"id\":7,\"code\":9}";
	struct state back;
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	assert_int_equal(state_write(&b, &s), ST_OK);
	assert_int_equal(state_read(&back, b.p, b.len), ST_OK);
	assert_true(back.wait_ns == 3 * NS_S);
	/* One of before that. */
	assert_int_equal(state_read(&back, old, strlen(old)), ST_OK);
	assert_true(back.wait_ns == 0);
	buf_fini(&b);
}

/* ---- disk ---- */

static void disk_is_the_systems(void **state)
{
	char folder[] = "/tmp/chaintop-disk-XXXXXX", path[64];
	struct disk d;
	struct statvfs v;
	struct stat here, mount;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	assert_false(disk_look(path, &d));
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	assert_true(disk_look(path, &d));
	assert_int_equal(statvfs(path, &v), 0);
	assert_true(d.total == (uint64_t)v.f_blocks * v.f_frsize);
	assert_true(d.free <= d.total);
	/* The mount is on the same device, and what is above it is not (or there is nothing above). */
	assert_int_equal(stat(path, &here), 0);
	assert_int_equal(stat(d.mount, &mount), 0);
	assert_true(here.st_dev == mount.st_dev);
	assert_memory_equal(folder, d.mount, strcmp(d.mount, "/") == 0 ? 1 : strlen(d.mount));
	if (strcmp(d.mount, "/") != 0) {
		char above[200];

		snprintf(above, sizeof(above), "%s/..", d.mount);
		assert_int_equal(stat(above, &mount), 0);
		assert_true(here.st_dev != mount.st_dev);
	}
	unlink(path);
	rmdir(folder);
	assert_true(disk_look("/", &d));
	assert_string_equal(d.mount, "/");
	assert_false(disk_look("", &d));
	assert_false(disk_look("/there/is/no/such/path", &d));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(config_is_read), T(junk_is_none), T(config_of_the_corpus), T(config_is_asked_now_and_then),
		T(retry_after_is_told), T(retry_after_is_recorded), T(disk_is_the_systems),
	};

	return cmocka_run_group_tests_name("health_feed", tests, NULL, NULL);
}
