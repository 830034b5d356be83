/* STATE frames: every kind of event survives the way through its text, and no text of a stranger gives more than was agreed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "feed/state.h"

static uint64_t rng = 88172645463325252u;

static uint64_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static void text(char *out, size_t size)
{
	static const char *const words[] = { "refused", "Grüße", "a \"b\" \\ c", "→", "", "/path", "{}[],:" };

	snprintf(out, size, "%s %s", words[rnd() % 7], words[rnd() % 7]);
	/* A full field: cut where a character ends. */
	if (rnd() % 4 == 0)
		memset(out, 'x', size - 1);
}

static void fill(void *p, size_t n)
{
	if (rnd() % 4)
		for (size_t i = 0; i < n; i++)
			((uint8_t *)p)[i] = (uint8_t)rnd();
}

static uint64_t number(uint64_t most)
{
	uint64_t v = rnd() % 4 == 0 ? most : rnd() % 4 == 0 ? 0 : rnd();

	return most == UINT64_MAX ? v : v % (most + 1);
}

static void make(struct state *s, enum event_kind k)
{
	struct event *e = &s->e;

	memset(s, 0, sizeof(*s));
	s->kind = STATE_EVENT;
	e->kind = (uint16_t)k;
	switch (k) {
	case EV_LINK:
		e->u.link.state = (uint8_t)number(LINK_STOPPED);
		e->u.link.code = (uint8_t)number(ST_N - 1);
		e->u.link.attempt = (uint16_t)number(UINT16_MAX);
		e->u.link.detail = (int32_t)number(INT32_MAX) * (rnd() % 2 ? 1 : -1);
		e->u.link.retry_mono = number(UINT64_MAX);
		e->u.link.tcp_us = (uint32_t)number(UINT32_MAX);
		snprintf(e->u.link.via, sizeof(e->u.link.via), "wss");
		text(e->u.link.text, sizeof(e->u.link.text));
		text(e->u.link.cure, sizeof(e->u.link.cure));
		break;
	case EV_CHAIN:
		e->u.chain.id = number(UINT64_MAX);
		e->u.chain.ok = rnd() % 2;
		e->u.chain.network = rnd() % 2;
		fill(&e->u.chain.genesis, sizeof(e->u.chain.genesis));
		break;
	case EV_HEAD:
		e->u.head.source = (uint8_t)number(SRC_ASKED);
		e->u.head.hash_ok = (uint8_t)number(TRUTH_NO);
		fill(&e->u.head.h, sizeof(e->u.head.h));
		memset(e->u.head.h.pad, 0, sizeof(e->u.head.h.pad));
		break;
	case EV_INFO:
		e->u.info.info = (uint8_t)number(INFO_N - 1);
		e->u.info.code = (uint8_t)number(ST_N - 1);
		e->u.info.a = number(UINT64_MAX);
		fill(&e->u.info.price, sizeof(e->u.info.price));
		text(e->u.info.text, sizeof(e->u.info.text));
		break;
	case EV_TAG:
		e->u.tag.final = rnd() % 2;
		e->u.tag.number = number(UINT64_MAX);
		fill(&e->u.tag.hash, sizeof(e->u.tag.hash));
		break;
	case EV_GAP:
		e->u.gap.from = number(UINT64_MAX);
		e->u.gap.asked = (uint32_t)number(UINT32_MAX);
		break;
	case EV_BODY_MISS:
		fill(&e->u.miss.hash, sizeof(e->u.miss.hash));
		e->u.miss.source = (uint8_t)number(SRC_ASKED);
		text(e->u.miss.text, sizeof(e->u.miss.text));
		break;
	case EV_TRAFFIC:
		e->u.traffic.bytes_in = number(UINT64_MAX);
		e->u.traffic.bodies = number(UINT64_MAX);
		break;
	case EV_PEER:
		e->u.peer.network = number(UINT64_MAX);
		e->u.peer.fork_next = number(UINT64_MAX);
		fill(&e->u.peer.genesis, sizeof(e->u.peer.genesis));
		fill(&e->u.peer.fork_hash, sizeof(e->u.peer.fork_hash));
		e->u.peer.eth = (uint8_t)number(UINT8_MAX);
		e->u.peer.bor = rnd() % 2;
		text(e->u.peer.caps, sizeof(e->u.peer.caps));
		break;
	case EV_PEER_COUNT:
		e->u.count.reads = number(UINT64_MAX);
		e->u.count.ping_ns = number(UINT64_MAX);
		for (unsigned i = 0; i < PK_N; i++) {
			e->u.count.kind[i].in = (uint32_t)number(UINT32_MAX);
			e->u.count.kind[i].out_bytes = number(UINT64_MAX);
		}
		break;
	case EV_PEER_LEFT:
		e->u.left.reason = (int32_t)number(256) - 1;
		break;
	case EV_CLOCK:
		e->u.clock.bound_ns = number(UINT64_MAX);
		break;
	default:
		e->u.lost.dropped = number(UINT64_MAX);
		break;
	}
}

static void events_survive(void **state)
{
	struct state a, b;
	unsigned told = 0;
	struct buf out, again;

	(void)state;
	buf_init(&out, 1 << 16);
	buf_init(&again, 1 << 16);
	for (int k = EV_LINK; k <= EV_LOST; k++) {
		if (!state_tells((enum event_kind)k))
			continue;
		told++;
		for (unsigned i = 0; i < 500; i++) {
			make(&a, (enum event_kind)k);
			buf_clear(&out);
			assert_int_equal(state_write(&out, &a), ST_OK);
			if (state_read(&b, out.p, out.len) != ST_OK)
				fail_msg("%s", out.p);
			/* Structs have padding: the texts must be the same, and for the plain kinds the bytes. */
			buf_clear(&again);
			assert_int_equal(state_write(&again, &b), ST_OK);
			if (k != EV_HEAD && memcmp(&a, &b, sizeof(a)) != 0)
				fail_msg("differs: %s", out.p);
			assert_string_equal(out.p, again.p);
		}
	}
	assert_int_equal(told, 13);
	a.e.kind = EV_BLOCK;
	a.kind = STATE_EVENT;
	assert_int_equal(state_write(&out, &a), ST_USAGE);
	buf_fini(&again);
	buf_fini(&out);
}

static void others_survive(void **state)
{
	static const struct state list[] = {
		{ .kind = STATE_FAIL, .id = UINT64_MAX, .code = ST_TIMEOUT, .detail = -32000, .text = "no answer in \"10\" s" },
		{ .kind = STATE_ASK_CHAIN },
		{ .kind = STATE_FEED, .push = true },
		{ .kind = STATE_DROP, .dropped = 12, .text = "disk" },
		{ .kind = STATE_END },
	};
	struct state b;
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	for (unsigned i = 0; i < 5; i++) {
		buf_clear(&out);
		assert_int_equal(state_write(&out, &list[i]), ST_OK);
		assert_int_equal(state_read(&b, out.p, out.len), ST_OK);
		b.e.kind = list[i].e.kind;
		assert_memory_equal(&b, &list[i], offsetof(struct state, e));
		assert_int_equal(b.id, list[i].id);
		assert_int_equal(b.code, list[i].code);
		assert_int_equal(b.detail, list[i].detail);
		assert_int_equal(b.push, list[i].push);
		assert_int_equal(b.dropped, list[i].dropped);
		assert_string_equal(b.text, list[i].text);
	}
	buf_fini(&out);
}

static enum status try_read(const char *s)
{
	static struct state b;

	return state_read(&b, s, strlen(s));
}

static void strangers(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"ev\":1}",
		"{\"state\":1,\"ev\":\"link\"}",
		"{\"ev\":\"link\"",
		"{\"ev\":\"link\"}x",
		"{\"ev\":\"link\",\"state\":7}",
		"{\"ev\":\"link\",\"code\":99}",
		"{\"ev\":\"link\",\"state\":-1}",
		"{\"ev\":\"link\",\"state\":\"1\"}",
		"{\"ev\":\"link\",\"text\":5}",
		"{\"ev\":\"head\",\"hash\":\"0x12\"}",
		"{\"ev\":\"head\",\"source\":200}",
		"{\"ev\":\"info\",\"info\":99}",
		"{\"ev\":\"tag\",\"final\":2}",
		"{\"ev\":\"gap\",\"from\":99999999999999999999}",
		"{\"ev\":\"chain\",\"ok\":1}",
		"{\"ev\":\"head\",\"base_fee\":7}",
	};
	static struct state b;
	char big[5000];

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (try_read(bad[i]) == ST_OK)
			fail_msg("taken: %s", bad[i]);
	}
	assert_int_equal(try_read("{\"ev\":\"weather\",\"rain\":true}"), ST_UNSUPPORTED);
	assert_int_equal(try_read("{\"ev\":\"link\",\"new\":{\"a\":[1,2]},\"state\":2}"), ST_OK);
	/* Longer than the field, and not for a terminal. */
	memset(big, 'a', sizeof(big));
	memcpy(big, "{\"ev\":\"link\",\"via\":\"", 20);
	memcpy(big + 4000, "\\u001b[2J\"}", 12);
	assert_int_equal(state_read(&b, big, strlen(big)), ST_OK);
	assert_int_equal(strlen(b.e.u.link.via), sizeof(b.e.u.link.via) - 1);
	snprintf(big, sizeof(big), "{\"ev\":\"link\",\"text\":\"\\u001b[2J\"}");
	assert_int_equal(state_read(&b, big, strlen(big)), ST_OK);
	assert_null(strchr(b.e.u.link.text, 0x1b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_survive),
		cmocka_unit_test(others_survive),
		cmocka_unit_test(strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
