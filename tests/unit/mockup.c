/* The model behind the mock-ups; see mockup.h. */
#include "mockup.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "model/model_priv.h"

/* Monotonic time of the newest block's own time. */
#define HEAD_MONO (5000 * NS_S)
#define HEAD_WALL (MOCKUP_HEAD_S * NS_S)
#define NOW_MS 4200

enum { BLOCKS = 11, ORPHAN = 6 /* its place in the table */ };

static const struct {
	int before_s; /* its time before the newest block's */
	uint32_t txs, blobs, kb;
	double used; /* % of the limit */
	uint64_t base, tip; /* wei */
	int late_ms;
	const char *builder;
} sample[BLOCKS] = {
	{ 0, 201, 9, 96, 44.1, 9481925155, 51000000, 1910, "titan" },
	{ 12, 388, 18, 188, 90.5, 8610000000, 101000000, 1740, "BuilderNet" },
	{ 24, 229, 9, 102, 48.6, 8640000000, 52000000, 1810, "titan" },
	{ 36, 431, 15, 231, 99.8, 7684000000, 310000000, 2400, "beaverbuild" },
	{ 48, 166, 12, 80, 37.7, 7928000000, 39000000, 1660, "quasar" },
	{ 60, 301, 21, 140, 62.3, 7691000000, 66000000, 1580, "titan" },
	{ 72, 97, 3, 50, 20.0, 7692000000, 50000000, 4900, "titan" },
	{ 84, 0, 0, 1, 0.0, 8790000000, 0, 1330, "" },
	{ 96, 240, 6, 121, 51.2, 8763000000, 50000000, 1900, "BuilderNet" },
	{ 108, 412, 14, 212, 99.8, 7793000000, 120000000, 1710, "beaverbuild" },
	{ 120, 170, 9, 90, 43.0, 7940000000, 50000000, 1700, "titan" },
};

/* When a path hears a block after the first one did, in µs. */
static const unsigned after_us[] = { 100, 0, 180000 };

struct hash mockup_hash(uint64_t number, bool orphan)
{
	struct hash h = { .b = { orphan ? 0xe0 : 0x21, orphan ? 0x1f : 0xbe } };

	for (unsigned i = 0; i < 8; i++)
		h.b[31 - i] = (uint8_t)(number >> 8 * i);
	return h;
}

static uint64_t number_of(unsigned i)
{
	return MOCKUP_NUMBER - i + (i >= ORPHAN);
}

struct model *mockup_empty(unsigned paths)
{
	static const struct path_setup setup[] = {
		{ .node = "geth", .via = "ws", .show = "127.0.0.1:8546", .push = true, .local = true },
		{ .node = "geth", .via = "ipc", .show = "/data/geth.ipc", .push = true, .local = true },
		{ .node = "infura", .via = "wss", .show = "mainnet.infura.io:443", .push = true },
	};
	struct model *m = model_new(setup, paths, HEAD_MONO - 300 * NS_S, HEAD_WALL - 300 * NS_S);

	assert_non_null(m);
	return m;
}

/* ms: after the newest block's time. */
static struct event event(enum event_kind kind, unsigned path, int64_t us)
{
	return (struct event){
		.kind = (uint16_t)kind,
		.path = (uint16_t)path,
		.mono = (uint64_t)((int64_t)HEAD_MONO + us * 1000),
		.wall = (uint64_t)((int64_t)HEAD_WALL + us * 1000),
	};
}

static void connect_paths(struct model *m)
{
	struct event e = event(EV_CLOCK, PATHS_MAX, -250000000);

	e.u.clock.bound_ns = 3 * NS_MS;
	model_apply(m, &e);
	for (unsigned p = 0; p < m->n_paths; p++) {
		e = event(EV_LINK, p, -200000000);
		e.u.link.state = LINK_LIVE;
		snprintf(e.u.link.via, sizeof(e.u.link.via), "%s", m->paths[p]->via);
		model_apply(m, &e);
		e = event(EV_CHAIN, p, -200000000);
		e.u.chain.id = 1;
		e.u.chain.ok = true;
		e.u.chain.genesis.b[0] = 0xd4;
		model_apply(m, &e);
	}
}

static void hear(struct model *m, unsigned i)
{
	int64_t us = ((int64_t)sample[i].late_ms - 1000 * (int64_t)sample[i].before_s) * 1000;
	struct event e;

	for (unsigned p = 0; p < m->n_paths; p++) {
		e = event(EV_HEAD, p, us + after_us[p % 3]);
		e.u.head.source = SRC_PUSH;
		e.u.head.h = (struct head){
			.hash = mockup_hash(number_of(i), i == ORPHAN),
			.parent = mockup_hash(number_of(i) - 1, false),
			.number = number_of(i),
			.time_ms = (MOCKUP_HEAD_S - (unsigned)sample[i].before_s) * 1000,
			.base_fee = u256_from64(sample[i].base),
			.gas_limit = 60000000,
			.gas_used = (uint64_t)(sample[i].used * 600000 + 0.5),
			.blob_gas_used = sample[i].blobs * UINT64_C(131072),
			.has = H_HASH | H_NUMBER | H_PARENT | H_BASE_FEE | H_BLOB_GAS_USED | H_EXCESS_BLOB_GAS,
		};
		model_apply(m, &e);
	}
	model_tick(m, e.mono + 2 * REORDER_NS, e.wall + 2 * REORDER_NS);
}

/* What the bodies would have told. */
static void digest(struct chain *c, unsigned i)
{
	struct hash h = mockup_hash(number_of(i), i == ORPHAN);
	struct blk *b = chain_by_hash(c, &h);

	assert_non_null(b);
	b->body_seen = true;
	b->ntx = sample[i].txs;
	b->types[0] = b->ntx * 12 / 100;
	b->types[3] = (b->ntx + 25) / 50;
	b->types[4] = (b->ntx + 25) / 50;
	b->types[2] = b->ntx - b->types[0] - b->types[3] - b->types[4];
	b->blobs = sample[i].blobs;
	b->size = sample[i].kb * 1000;
	b->tips = (struct fee_tips){
		.valid = b->ntx > 0,
		.p10 = u256_from64(10000000),
		.p50 = u256_from64(sample[i].tip),
		.p90 = u256_from64(2000000000),
		.n = b->ntx,
	};
	snprintf(b->builder, sizeof(b->builder), "%s", sample[i].builder);
	b->truth = i == ORPHAN ? TRUTH_NONE : TRUTH_YES;
	if (i == ORPHAN)
		b->reincluded = 95;
	c->store->stats_dirty = true;
}

static void figures(struct model *m)
{
	static const struct {
		uint64_t won, p99_us, usable_ms, call_us, call99_us;
		double xfer, calls, mb;
		uint64_t behind_ms, peers;
	} path[] = {
		{ 157, 1200, 38, 400, 3100, 412e6, 5, 0.09, 0, 48 },
		{ 144, 2000, 35, 300, 2200, 980e6, 5, 1.44, 0, 48 },
		{ 25, 640000, 402, 41000, 210000, 9.1e6, 4, 0.09, 180, UNKNOWN },
	};

	for (unsigned i = 0; i < m->n_paths && i < 3; i++) {
		struct path *p = m->paths[i];

		p->heads = p->raced = 412;
		p->won = path[i].won;
		p->ties = i < 2 ? 86 : 0;
		p->behind_p50 = path[i].behind_ms * NS_MS;
		p->behind_p99 = path[i].p99_us * NS_US;
		p->usable_p90 = path[i].usable_ms * NS_MS;
		p->call_p50 = path[i].call_us * NS_US;
		p->call_p99 = path[i].call99_us * NS_US;
		p->xfer_bytes_per_s = path[i].xfer;
		p->calls_per_min = path[i].calls;
		p->bytes_per_min = path[i].mb * 1e6;
		p->facts.peers = path[i].peers;
		p->facts.peers_mono = m->now_mono;
	}
	m->start_mono = m->now_mono - 83 * 60 * NS_S;
	m->calls_per_min = 14;
	m->bytes_per_min = 1.6e6;
	m->own.glass_p99 = 6 * NS_MS;
}

static void pool(struct model *m)
{
	static const uint32_t history[] = { 14150, 14170, 14190, 14140, 14120, 14230, 14200, 14170, 14210 };

	m->pool.known = true;
	m->pool.pending = 14210;
	m->pool.queued = 802;
	m->pool.per_s = 21.4;
	m->pool.seen_mono = m->now_mono - NS_S;
	m->pool.history_n = sizeof(history) / sizeof(history[0]);
	memcpy(m->pool.history, history, sizeof(history));
	m->pool.announcing = 2;
	m->pool.ready = m->now_mono - 600 * NS_S;
	m->pool.cover = (struct cover){ .txs = 5200, .seen = 4316, .per_s = 21.4 };
	m->pool.cover.lead_p50 = 6100 * NS_MS;
	m->pool.cover.lead_p90 = 31 * NS_S;
	m->pool.pay_of = 3120;
	m->pool.pay = 2215;
	for (unsigned i = 0; i < 2; i++) {
		m->paths[i]->pending.on = true;
		m->paths[i]->pending.whole = true;
		m->paths[i]->pending.since = m->now_mono - 660 * NS_S;
		m->paths[i]->pending.ready = m->pool.ready;
		m->paths[i]->pending.cover = m->pool.cover;
		m->paths[i]->pending.cover.seen -= i * 500;
	}
}

void mockup_no_announcements(struct model *m)
{
	m->pool.announcing = 0;
	m->pool.ready = UNKNOWN;
	m->pool.cover = (struct cover){ .lead_p50 = UNKNOWN, .lead_p90 = UNKNOWN, .per_s = (double)NAN };
	m->pool.pay_of = m->pool.pay = 0;
	for (unsigned i = 0; i < m->n_paths; i++) {
		m->paths[i]->pending.on = false;
		m->paths[i]->pending.since = m->paths[i]->pending.ready = UNKNOWN;
		m->paths[i]->pending.cover = m->pool.cover;
	}
}

static void notes(struct model *m)
{
	static const struct {
		enum note_kind kind;
		unsigned s;
		const char *text;
	} note[] = {
		{ NOTE_LINK, 57007, "recording started, with the 10 min before it" },
		{ NOTE_LINK, 57460, "infura/wss silent 49 s \xe2\x86\x92 resubscribed, 4 filled" },
		{ NOTE_REORG, 57669, "reorg depth 1 at 25,490,410: the late block lost" },
	};

	m->notes_n = m->notes_next = 0;
	for (unsigned i = 0; i < 3; i++) {
		struct note *n = &m->notes[m->notes_next++];

		*n = (struct note){ .seq = m->note_seq++, .kind = note[i].kind, .path = -1, .chain = -1 };
		n->wall = note[i].s * NS_S;
		snprintf(n->text, sizeof(n->text), "%s", note[i].text);
		m->notes_n++;
	}
}

struct model *mockup_model(void)
{
	struct model *m = mockup_empty(3);
	struct event e;

	connect_paths(m);
	for (unsigned i = BLOCKS; i-- > 0;)
		hear(m, i);
	e = event(EV_TAG, 0, 2000000);
	e.u.tag.number = MOCKUP_NUMBER - 38;
	e.u.tag.time_ms = (MOCKUP_HEAD_S - 38 * 12) * 1000;
	model_apply(m, &e);
	e.u.tag.final = 1;
	e.u.tag.number = MOCKUP_NUMBER - 70;
	e.u.tag.time_ms = (MOCKUP_HEAD_S - 840) * 1000;
	model_apply(m, &e);
	for (unsigned i = 0; i < BLOCKS; i++)
		digest(m->chains[0], i);
	model_tick(m, HEAD_MONO + NOW_MS * NS_MS, HEAD_WALL + NOW_MS * NS_MS);
	figures(m);
	pool(m);
	notes(m);
	m->chains[0]->kept = 128;
	return m;
}
