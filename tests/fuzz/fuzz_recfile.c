/*
 * Recordings of anybody's: a real one with bytes changed is read, searched and played; STATE texts of any kind are read and, if
 * they can be, written and read again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "eth/keccak.h"
#include "feed/recfile.h"
#include "feed/replay.h"
#include "feed/state.h"
#include "feed/wire_p2p.h"
#include "net/devp2p/eth.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { PUSHED = 64 << 4 | SRC_PUSH }; /* wire_id */

static uint8_t *base, *work;
static size_t base_n;

static void must(enum status st)
{
	if (st != ST_OK)
		abort();
}

static void add(struct recwriter *w, uint16_t feed, enum frame_kind kind, uint64_t ms, const char *text, bool snapshot)
{
	struct frame f = { .feed = feed, .conn = 1, .kind = kind, .mono = NS_S + ms * NS_MS, .wall = 2 * NS_S + ms * NS_MS,
			   .text = text, .n = text ? strlen(text) : 0 };
	struct err e;

	if (snapshot)
		frame_set(&f, META_SNAPSHOT, 1);
	if (kind == FRAME_OUT) {
		frame_set(&f, META_TOKEN, 17);
		frame_set(&f, META_SCHED, 1000);
	} else if (kind == FRAME_IN) {
		frame_set(&f, META_WIRE, f.n);
		frame_set(&f, META_DECODE, 1000);
		frame_set(&f, META_VERIFY, 10);
	}
	must(recwriter_frame(w, &f, &e));
}

static void talk(struct recwriter *w, uint64_t ms)
{
	char block[3000], bloom[513];

	memset(bloom, '0', 512);
	bloom[512] = 0;
	add(w, 0, FRAME_OPEN, ms, NULL, false);
	add(w, 0, FRAME_OUT, ms, "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"eth_chainId\",\"params\":[]}", false);
	add(w, 0, FRAME_IN, ms + 1, "{\"jsonrpc\":\"2.0\",\"id\":17,\"result\":\"0x1\"}", false);
	add(w, 0, FRAME_OUT, ms + 1,
		"[{\"jsonrpc\":\"2.0\",\"id\":33,\"method\":\"eth_getBlockByNumber\",\"params\":[\"0x1\",true]},"
		"{\"jsonrpc\":\"2.0\",\"id\":49,\"method\":\"txpool_status\",\"params\":[]}]",
		false);
	snprintf(block, sizeof(block),
		"[{\"id\":33,\"result\":{\"number\":\"0x1\",\"hash\":\"0x%064d\",\"parentHash\":\"0x%064d\","
		"\"timestamp\":"
		"\"0x65000000\",\"gasUsed\":\"0x0\",\"gasLimit\":\"0x1c9c380\",\"baseFeePerGas\":\"0x7\",\"logsBloom\":"
		"\"0x%s\",\"miner\":"
		"\"0x%040d\",\"extraData\":\"0x\",\"transactions\":[]}},{\"id\":49,\"error\":{\"code\":-32601,"
		"\"message\":\"no\"}}]",
		5, 4, bloom, 0);
	add(w, 0, FRAME_IN, ms + 30, block, false);
	snprintf(block, sizeof(block),
		"{\"method\":\"eth_subscription\",\"params\":{\"subscription\":\"0x1\",\"result\":{\"number\":\"0x2\","
		"\"hash\":"
		"\"0x%064d\",\"parentHash\":\"0x%064d\",\"timestamp\":\"0x6500000c\",\"logsBloom\":\"0x%s\"}}}",
		6, 5, bloom);
	add(w, 0, FRAME_IN, ms + 200, block, false);
	/* The body of that head: a jump leaves it packed. */
	snprintf(block, sizeof(block), "{\"id\":%u,\"method\":\"eth_getBlockByHash\",\"params\":[\"0x%064d\",true]}", PUSHED, 6);
	add(w, 0, FRAME_OUT, ms + 201, block, false);
	snprintf(block, sizeof(block),
		"{\"id\":%u,\"result\":{\"number\":\"0x2\",\"hash\":\"0x%064d\",\"parentHash\":\"0x%064d\",\"timestamp\":\"0x6500000c\","
		"\"gasUsed\":\"0x0\",\"gasLimit\":\"0x1c9c380\",\"logsBloom\":\"0x%s\",\"transactions\":[]}}",
		PUSHED, 6, 5, bloom);
	add(w, 0, FRAME_IN, ms + 220, block, false);
	add(w, 1, FRAME_STATE, ms + 250,
		"{\"ev\":\"link\",\"state\":5,\"code\":5,\"attempt\":1,\"via\":\"http\",\"text\":\"refused\"}", false);
	add(w, 0, FRAME_STATE, ms + 251, "{\"ev\":\"fail\",\"id\":33,\"code\":11,\"text\":\"no answer\"}", false);
	add(w, 0, FRAME_STATE, ms + 251, "{\"ev\":\"ask_chain\"}", false);
	add(w, 0, FRAME_STATE, ms + 252, "{\"ev\":\"gap\",\"from\":3,\"to\":5,\"asked\":3}", false);
	add(w, 0, FRAME_STATE, ms + 252, "{\"ev\":\"miss\",\"number\":3,\"code\":18,\"source\":4,\"text\":\"null\"}", false);
	add(w, 0, FRAME_STATE, ms + 252, "{\"ev\":\"traffic\",\"bytes_in\":1000,\"calls\":3}", false);
	add(w, 0, FRAME_STATE, ms + 252, "{\"ev\":\"info\",\"info\":5,\"a\":500000000}", false);
	add(w, REC_NO_FEED, FRAME_STATE, ms + 253, "{\"ev\":\"clock\",\"bound_ns\":1000000}", false);
	add(w, 0, FRAME_CLOSE, ms + 300, NULL, false);
}

static void add_p2p(struct recwriter *w, enum frame_kind kind, uint64_t ms, uint64_t code, struct buf *b)
{
	struct frame f = { .feed = 2, .conn = 1, .kind = kind, .mono = NS_S + ms * NS_MS, .wall = 2 * NS_S + ms * NS_MS,
			   .text = b->p, .n = b->len };
	struct err e;

	frame_set(&f, META_CODE, code);
	frame_set(&f, META_WIRE, b->len + 48);
	if (kind == FRAME_OUT)
		frame_set(&f, META_ASK, code == 0x15 ? P2P_BODY : P2P_TIP);
	else
		frame_set(&f, META_DECODE, 1000);
	must(recwriter_frame(w, &f, &e));
	buf_clear(b);
}

/* Hello, Status, a header and its body, a Ping. */
static void talk_p2p(struct recwriter *w, uint64_t ms)
{
	struct p2p_hello h = { .version = 5, .client = "Node", .n_caps = 1, .caps = { { "eth", 69 } } };
	struct eth_status s = { .version = 69, .has = ETH_HAS_RANGE, .network = 1, .earliest = 1, .latest = 2 };
	struct hash tip;
	struct buf b, header;
	size_t all, list;

	buf_init(&b, 1 << 16);
	buf_init(&header, 1 << 16);
	list = rlp_list_begin(&header);
	for (unsigned i = 0; i < 15; i++) {
		static const uint8_t zero[256];
		static const uint16_t size[15] = { 32, 32, 20, 32, 32, 32, 256, 0, 1, 4, 0, 4, 1, 32, 8 };

		if (size[i] >= 8)
			must(rlp_bytes(&header, zero, size[i]));
		else
			must(rlp_u64(&header, size[i] * 1700000u));
	}
	must(rlp_list_end(&header, list));
	keccak256(header.p, header.len, tip.b);
	s.head = tip;
	add(w, 2, FRAME_OPEN, ms, NULL, false);
	must(p2p_hello_encode(&b, &h));
	add_p2p(w, FRAME_IN, ms + 1, P2P_HELLO, &b);
	must(eth_status_encode(&b, &s));
	add_p2p(w, FRAME_IN, ms + 2, 0x10, &b);
	must(buf_add(&b, "\xc0", 1));
	add_p2p(w, FRAME_OUT, ms + 2, P2P_PING, &b);
	must(eth_get_headers(&b, 1, &tip, 0, 32, 0, true));
	add_p2p(w, FRAME_OUT, ms + 2, 0x13, &b);
	must(buf_add(&b, "\xc0", 1));
	add_p2p(w, FRAME_IN, ms + 3, P2P_PONG, &b);
	all = rlp_list_begin(&b);
	must(rlp_u64(&b, 1));
	list = rlp_list_begin(&b);
	must(buf_add(&b, header.p, header.len));
	must(rlp_list_end(&b, list));
	must(rlp_list_end(&b, all));
	add_p2p(w, FRAME_IN, ms + 4, 0x14, &b);
	must(eth_get_by_hash(&b, 2, &tip, 1));
	add_p2p(w, FRAME_OUT, ms + 5, 0x15, &b);
	must(buf_add(&b, "\xc5\x02\xc3\xc2\xc0\xc0", 6));
	add_p2p(w, FRAME_IN, ms + 6, 0x16, &b);
	add(w, 2, FRAME_STATE, ms + 7, "{\"ev\":\"peer\",\"network\":1,\"eth\":69,\"caps\":\"eth/69\"}", false);
	add(w, 2, FRAME_STATE, ms + 7, "{\"ev\":\"peer_count\",\"reads\":3,\"headers_in\":1}", false);
	add(w, 2, FRAME_STATE, ms + 8, "{\"ev\":\"peer_left\",\"reason\":4}", false);
	add(w, 2, FRAME_CLOSE, ms + 9, NULL, false);
	buf_fini(&header);
	buf_fini(&b);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char dir[] = "/tmp/fuzz_recfile.XXXXXX", path[64];
	struct recwriter *w;
	struct err e;
	FILE *f;

	(void)argc;
	(void)argv;
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/a.ct", dir);
	must(recwriter_new(&w, path, 0, &e));
	must(recwriter_meta(w, "version", "chaintop 1", 0, &e));
	must(recwriter_meta(w, "start_mono", NULL, NS_S, &e));
	must(recwriter_meta(w, "start_wall", NULL, 2 * NS_S, &e));
	must(recwriter_feed(w, 0, "geth", "ws", "127.0.0.1:8546", &e));
	must(recwriter_feed(w, 1, "infura", "http", "example.org:443", &e));
	must(recwriter_feed(w, 2, "geth", "rlpx", "127.0.0.1:30303", &e));
	must(recwriter_segment(w, NS_S, 2 * NS_S, &e));
	must(recwriter_publish(w, &e));
	talk(w, 0);
	talk_p2p(w, 300);
	must(recwriter_segment(w, 2 * NS_S, 3 * NS_S, &e));
	add(w, 0, FRAME_STATE, 1000, "{\"ev\":\"feed\",\"push\":true,\"local\":true}", true);
	add(w, 0, FRAME_STATE, 900, "{\"ev\":\"chain\",\"id\":1,\"ok\":true}", true);
	add(w, 0, FRAME_STATE, 900, "{\"ev\":\"head\",\"number\":2,\"has\":15}", true);
	add(w, 0, FRAME_STATE, 900, "{\"ev\":\"tag\",\"final\":1,\"number\":1}", true);
	talk(w, 1000);
	talk_p2p(w, 1300);
	add(w, REC_NO_FEED, FRAME_DROP, 1400, "{\"ev\":\"drop\",\"n\":7,\"why\":\"disk\"}", false);
	must(recwriter_mark(w, &(struct mark){ .seq = 5, .kind = MARK_HEAD, .number = 2, .wall = 2 * NS_S }, &e));
	must(recwriter_mark(w, &(struct mark){ .seq = 9, .kind = MARK_REORG, .number = 2, .wall = 2 * NS_S }, &e));
	must(recwriter_close(w, &e));
	f = fopen(path, "r");
	base = malloc(1 << 20);
	work = malloc(1 << 20);
	if (!f || !base || !work)
		abort();
	base_n = fread(base, 1, 1 << 20, f);
	fclose(f);
	unlink(path);
	rmdir(dir);
	return 0;
}

static void read_states(const char *text, size_t n)
{
	static struct state a, b;
	struct buf out;

	if (state_read(&a, text, n) != ST_OK)
		return;
	buf_init(&out, 64 << 10);
	must(state_write(&out, &a));
	must(state_read(&b, out.p, out.len));
	if (memcmp(&a, &b, sizeof(a)) != 0)
		abort();
	buf_fini(&out);
}

/* Places of three bytes, a length, and what stands there instead. */
static size_t change(const uint8_t *data, size_t n)
{
	memcpy(work, base, base_n);
	while (n > 4) {
		size_t at = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % base_n, len = data[3] % 32;

		data += 4;
		n -= 4;
		len = len < n ? len : n;
		len = len < base_n - at ? len : base_n - at;
		memcpy(work + at, data, len);
		data += len;
		n -= len;
	}
	return base_n;
}

static void read_all(size_t n)
{
	struct recreader *r;
	struct reccount c;
	struct recseg s;
	struct mark m;
	struct frame f;
	struct err e;
	enum status st = ST_OK;
	uint64_t a, b;

	if (recreader_open_memory(&r, work, n, &e) != ST_OK)
		return;
	recreader_strict(r, true);
	for (unsigned i = 0; i < 500 && (st == ST_OK || st == ST_MALFORMED); i++) {
		st = recreader_next(r, &f, &e);
		if (st == ST_OK && f.n && (f.text[0] == 1 || f.text[f.n - 1] == 1))
			a = 1;
	}
	if (recreader_count(r, &c, &e) == ST_OK)
		(void)recreader_segment(r, 2 * NS_S, false, &s);
	(void)recreader_mark_number(r, 2, &m);
	(void)recreader_mark(r, MARK_REORG, 0, &m);
	(void)recreader_stamp(r, 3, &a, &b);
	(void)recreader_bytes_before(r, 2 * NS_S);
	recreader_close(r);
}

static void play_all(size_t n, uint64_t at)
{
	struct wake wake;
	struct err e;
	struct replay_opts o = { .data = work, .n = n, .wake = &wake, .speed = 0, .jump_bytes = 1, .jump_ns = 1 };
	struct replay *r;
	const struct event *ev;
	uint64_t mono, wall;
	bool end = false;

	must(wake_init(&wake, &e));
	if (replay_open(&r, &o, &e) == ST_OK) {
		(void)replay_find(r, "+1s", &mono, &e);
		must(replay_start(r, at, &mono, &wall, &e));
		while (!end) {
			while ((ev = replay_peek(r)) != NULL) {
				if (ev->kind == EV_BLOCK)
					block_unref(ev->u.block.block);
				end = ev->kind == REPLAY_END;
				replay_pop(r);
			}
		}
		replay_free(r);
	}
	wake_fini(&wake);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2)
		return 0;
	switch (data[0] % 3) {
	case 0:
		read_states((const char *)data + 1, n - 1);
		break;
	case 1:
		read_all(change(data + 1, n - 1));
		break;
	default:
		play_all(change(data + 2, n - 2), data[1] % 4 ? 0 : 2 * NS_S);
		break;
	}
	return 0;
}
