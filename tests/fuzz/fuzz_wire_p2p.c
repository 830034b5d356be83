/*
 * feed/wire_p2p: what a node says over devp2p → events, live (it asks, the input answers) and played (a recording, of which both
 * sides are the input). First byte, bit 0: played. Then a list of [what, code, size (2), data]: what & 7 is
 *   0 a message of the node's (bit 7: its block was taken)   1 one of ours, played; its first 3 bytes are META_ASK
 *   2 time passes, code/16 s   3 a command   4 a request without an answer   5 a new connection   6 a snapshot's head
 */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "feed/wire_p2p.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 400 };

struct world {
	struct wire_p2p wire;
	struct peer *peer;
	struct claims claims;
	uint64_t now;
	bool played;
};

static bool ended(const char *text, size_t size)
{
	return memchr(text, 0, size) != NULL;
}

static void emit(void *ctx, struct event *e, bool important)
{
	(void)ctx;
	(void)important;
	switch (e->kind) {
	case EV_BLOCK:
		if (!e->u.block.block)
			abort();
		block_unref(e->u.block.block);
		break;
	case EV_REPLY:
		if (!ended(e->u.reply.text, sizeof(e->u.reply.text)) || e->u.reply.method >= M_N || e->u.reply.code >= ST_N)
			abort();
		break;
	case EV_INFO:
		if (!ended(e->u.info.text, sizeof(e->u.info.text)))
			abort();
		break;
	case EV_PEER:
		if (!ended(e->u.peer.caps, sizeof(e->u.peer.caps)))
			abort();
		break;
	case EV_BODY_MISS:
		if (!ended(e->u.miss.text, sizeof(e->u.miss.text)) || e->u.miss.code == ST_OK)
			abort();
		break;
	case EV_HEAD:
		if (e->u.head.source > SRC_ASKED)
			abort();
		break;
	default:
		break;
	}
}

static void say_link(void *ctx, enum link_state s, enum status cause, const char *text)
{
	(void)ctx;
	(void)cause;
	if (s > LINK_STOPPED || !text)
		abort();
}

static uint64_t get_now(void *ctx)
{
	return ((struct world *)ctx)->now;
}

static void connect_anew(struct world *w)
{
	struct err e;

	if (w->peer)
		wire_p2p_lost(&w->wire);
	peer_free(w->peer);
	if (peer_new_played(&w->peer, 0, &e) != ST_OK)
		abort();
}

static void on_message(struct world *w, uint8_t code, const uint8_t *p, size_t n, bool taken)
{
	const struct rlpx_msg m = { .code = code, .data = p, .n = n, .wire = n + 48, .mark = { .ns = w->now, .wall = w->now } };
	struct peer_event ev;
	struct err e = { .code = ST_OK };
	enum status st = peer_play_in(w->peer, &m, &ev, &e);

	w->wire.played.block = taken;
	w->wire.played.done_ns = w->now + 1000;
	if (st == ST_OK)
		wire_p2p_event(&w->wire, w->peer, &ev);
	else if (st != ST_AGAIN && !ended(e.text, sizeof(e.text)))
		abort();
}

/* Asks what is due, again and again until nothing is: it must not spin. */
static void tick(struct world *w)
{
	struct err e;
	unsigned n = 0;

	if (w->played)
		return;
	do {
		if (wire_p2p_tick(&w->wire, &e) != ST_OK) {
			connect_anew(w);
			return;
		}
		if (++n > 8)
			abort();
	} while (wire_p2p_next(&w->wire) <= w->now);
}

static void command(struct world *w, uint8_t kind, const uint8_t *p, size_t n)
{
	struct cmd c = { .kind = kind % (CMD_RETRY + 1), .whole = kind >> 7, .number = n };

	memcpy(c.hash.b, p, n < sizeof(c.hash.b) ? n : sizeof(c.hash.b));
	if (!w->played)
		wire_p2p_cmd(&w->wire, &c);
}

static void learn(struct world *w, uint8_t number, const uint8_t *p, size_t n)
{
	struct event e = { .kind = EV_HEAD, .mono = w->now, .wall = w->now };

	e.u.head.h.number = number;
	memcpy(e.u.head.h.hash.b, p, n < 32 ? n : 32);
	if (w->played)
		wire_p2p_learn(&w->wire, &e);
}

static void step(struct world *w, uint8_t what, uint8_t code, const uint8_t *p, size_t n)
{
	uint64_t ask;

	switch (what & 7) {
	case 0:
		on_message(w, code, p, n, what >> 7);
		break;
	case 1:
		if (!w->played || n < 3)
			break;
		ask = (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16;
		wire_p2p_play_out(&w->wire, w->peer, code, p + 3, n - 3, w->now, w->now - 1000, ask, code & 3);
		break;
	case 2:
		w->now += (code + UINT64_C(1)) * (NS_S / 16);
		break;
	case 3:
		command(w, code, p, n);
		break;
	case 4:
		wire_p2p_play_timeout(&w->wire, w->peer, code, w->now);
		break;
	case 5:
		connect_anew(w);
		break;
	default:
		learn(w, code, p, n);
		break;
	}
	tick(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world w;
	const struct p2p_hooks hooks = { .ctx = &w, .emit = emit, .link = say_link, .now = get_now, .wall = get_now };
	struct p2p_opts o = { .local = true, .bodies = BODIES_ALL, .claims = &w.claims };
	unsigned steps = 0;

	if (size < 1)
		return 0;
	memset(&w, 0, sizeof(w));
	w.now = 1700000000 * NS_S;
	w.played = o.played = data[0] & 1;
	claims_init(&w.claims);
	if (wire_p2p_init(&w.wire, &o, &hooks) != ST_OK)
		abort();
	connect_anew(&w);
	for (size_t i = 1; i + 4 <= size && steps < STEPS_MAX; steps++) {
		const size_t want = data[i + 2] | (size_t)data[i + 3] << 8, left = size - i - 4;
		const size_t n = want < left ? want : left;

		step(&w, data[i], data[i + 1], data + i + 4, n);
		i += 4 + n;
	}
	wire_p2p_fini(&w.wire);
	peer_free(w.peer);
	return 0;
}
