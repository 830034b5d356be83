#include "out/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "out/object.h"
#include "out/words.h"

enum {
	QUEUE = 4 << 20, /* ten seconds of 50 paths with 10 blocks a second each */
	STOP_MS = 2000,
};

struct stream {
	struct lines *lines;
	bool wait, quiet;
	bool (*stop)(void);
	uint64_t start_mono;
	uint64_t written, dropped, undropped; /* undropped: of dropped, those that no line has told of yet */
	/* What has been said of the model. */
	unsigned long reorgs[CHAINS_MAX];
	uint32_t depth[CHAINS_MAX]; /* of the newest of them */
	uint64_t health_seq, alerts; /* alerts: cursor of model_alert_next */
	bool line_said;
	enum level level;
	char word[sizeof(((struct verdict_line *)0)->word)];
	struct object o; /* the line that is being made */
};

/* ---- lines ---- */

/* False: it did not fit, or nobody reads. */
static bool put(struct stream *s)
{
	object_end(&s->o);
	if (s->o.full)
		return false;
	return s->wait ? lines_put_wait(s->lines, s->o.text, s->o.n, s->stop) : lines_put(s->lines, s->o.text, s->o.n);
}

static void begin(struct stream *s, const char *ev, uint64_t mono, uint64_t wall)
{
	object_begin(&s->o);
	object_int(&s->o, "v", STREAM_VERSION);
	object_word(&s->o, "ev", ev);
	if (mono <= INT64_MAX)
		object_seconds_signed(&s->o, "t", (int64_t)mono - (int64_t)s->start_mono);
	object_time(&s->o, "time", wall);
}

static void count(struct stream *s, bool written)
{
	s->written += written;
	s->dropped += !written;
	s->undropped += !written;
}

/* The line in s->o is complete. A hole before it is told first, where it is. */
static void finish(struct stream *s, const struct model *m)
{
	struct object line;

	if (s->undropped) {
		line = s->o;
		begin(s, "dropped", m->now_mono, m->now_wall);
		object_int(&s->o, "lines", s->undropped);
		if (!put(s)) {
			count(s, false);
			return;
		}
		s->written++;
		s->undropped = 0;
		s->o = line;
	}
	count(s, put(s));
}

/* ---- who ---- */

static void chain_of(struct object *o, const struct model *m, int chain)
{
	if (chain >= 0 && (unsigned)chain < m->n_chains && m->chains[chain]->id_known)
		object_int(o, "chain", m->chains[chain]->id);
}

static void path_names(struct object *o, const struct model *m, unsigned path)
{
	if (path >= m->n_paths)
		return;
	object_int(o, "path", path);
	object_text(o, "node", m->paths[path]->node);
	object_text(o, "via", m->paths[path]->via);
}

/* ---- events ---- */

static void link(struct object *o, const struct event *e)
{
	object_word(o, "state", link_word(e->u.link.state));
	object_word(o, "code", code_word(e->u.link.code));
	if (e->u.link.detail)
		object_signed(o, "detail", e->u.link.detail);
	object_int(o, "attempt", e->u.link.attempt);
	if (e->u.link.state == LINK_WAITING && e->u.link.retry_mono > e->mono)
		object_seconds(o, "retry_in", e->u.link.retry_mono - e->mono);
	if (e->u.link.dns_us)
		object_seconds(o, "dns", e->u.link.dns_us * NS_US);
	if (e->u.link.tcp_us)
		object_seconds(o, "tcp", e->u.link.tcp_us * NS_US);
	if (e->u.link.tls_us)
		object_seconds(o, "tls", e->u.link.tls_us * NS_US);
	if (e->u.link.ready_us)
		object_seconds(o, "ready", e->u.link.ready_us * NS_US);
	object_chars(o, "text", e->u.link.text, sizeof(e->u.link.text));
	object_chars(o, "cure", e->u.link.cure, sizeof(e->u.link.cure));
}

static void head(struct object *o, const struct event *e)
{
	const struct head *h = &e->u.head.h;

	object_int(o, "number", h->number);
	object_hex(o, "hash", h->hash.b, 32);
	if (h->has & H_PARENT)
		object_hex(o, "parent", h->parent.b, 32);
	object_word(o, "source", source_word(e->u.head.source));
	object_word(o, "hash_ok", truth_word(e->u.head.hash_ok));
	if (h->time_ms <= UINT64_MAX / NS_MS)
		object_time(o, "block_time", h->time_ms * NS_MS);
	object_int(o, "gas_used", h->gas_used);
	object_int(o, "gas_limit", h->gas_limit);
	if (h->has & H_BASE_FEE)
		object_wei(o, "base_fee", &h->base_fee);
	if (h->has & H_BLOB_GAS_USED)
		object_int(o, "blob_gas_used", h->blob_gas_used);
	if (h->has & H_EXCESS_BLOB_GAS)
		object_int(o, "excess_blob_gas", h->excess_blob_gas);
	if (h->has & H_MINER)
		object_hex(o, "miner", h->miner.b, 20);
	object_hex(o, "extra", h->extra, h->extra_len < sizeof(h->extra) ? h->extra_len : sizeof(h->extra));
}

/* What the model counted in it. */
static void digest(struct object *o, const struct blk *b)
{
	object_counts(o, "tx_types", b->types, 6);
	object_int(o, "creates", b->creates);
	object_int(o, "blobs", b->blobs);
	if (b->tips.valid) {
		object_wei(o, "tip_p10", &b->tips.p10);
		object_wei(o, "tip_p50", &b->tips.p50);
		object_wei(o, "tip_p90", &b->tips.p90);
	}
	object_int(o, "size", b->block_size);
	object_chars(o, "builder", b->builder, sizeof(b->builder));
}

static void block(struct object *o, const struct model *m, const struct event *e)
{
	const struct block *b = e->u.block.block;
	int c = m->paths[e->path]->chain;
	const struct blk *known = b->h.has & H_HASH && c >= 0 ? chain_by_hash(m->chains[c], &b->h.hash) : NULL;

	if (b->h.has & H_NUMBER)
		object_int(o, "number", b->h.number);
	if (b->h.has & H_HASH)
		object_hex(o, "hash", b->h.hash.b, 32);
	object_word(o, "source", source_word(e->u.block.source));
	object_bool(o, "sample", e->u.block.sample);
	object_int(o, "txs", b->h.ntx);
	if (known && known->body_seen && b->h.has & H_TXS_FULL)
		digest(o, known);
	object_int(o, "json_bytes", b->json_bytes);
	object_int(o, "wire_bytes", e->u.block.wire_bytes);
	if (e->u.block.reads) {
		object_int(o, "reads", e->u.block.reads);
		object_int(o, "xfer_bytes", e->u.block.xfer_bytes);
		object_seconds(o, "xfer", e->u.block.xfer_ns);
	}
	if (e->u.block.done_mono >= e->mono && e->u.block.done_mono != UINT64_MAX)
		object_seconds(o, "decode", e->u.block.done_mono - e->mono);
	if (e->u.block.asked_mono && e->u.block.done_mono >= e->u.block.asked_mono && e->u.block.done_mono != UINT64_MAX)
		object_seconds(o, "took", e->u.block.done_mono - e->u.block.asked_mono);
}

static void verdict(struct object *o, const struct model *m, const struct event *e)
{
	const struct verdict *v = &e->u.verdict.v;
	int c = m->paths[e->path]->chain;
	const struct blk *known = c >= 0 ? chain_by_hash(m->chains[c], &e->u.verdict.hash) : NULL;

	if (known)
		object_int(o, "number", known->h.number);
	object_hex(o, "hash", e->u.verdict.hash.b, 32);
	object_word(o, "truth", truth_word(verdict_all(v)));
	object_word(o, "header", truth_word(v->header));
	object_word(o, "txs", truth_word(v->txs));
	object_word(o, "withdrawals", truth_word(v->withdrawals));
	object_chars(o, "field", v->field, sizeof(v->field));
	object_chars(o, "reason", v->reason, sizeof(v->reason));
	object_seconds(o, "took", e->u.verdict.took_us * NS_US);
}

static void miss(struct object *o, const struct event *e)
{
	if (!hash_is_zero(&e->u.miss.hash))
		object_hex(o, "hash", e->u.miss.hash.b, 32);
	if (e->u.miss.number || hash_is_zero(&e->u.miss.hash))
		object_int(o, "number", e->u.miss.number);
	object_word(o, "source", source_word(e->u.miss.source));
	object_word(o, "code", code_word(e->u.miss.code));
	object_chars(o, "text", e->u.miss.text, sizeof(e->u.miss.text));
}

static void call(struct object *o, const struct event *e)
{
	object_word(o, "method", method_name(e->u.reply.method < M_N ? (enum method)e->u.reply.method : M_OTHER));
	object_word(o, "code", code_word(e->u.reply.code));
	if (e->u.reply.detail)
		object_signed(o, "detail", e->u.reply.detail);
	object_int(o, "attempt", e->u.reply.attempt);
	object_seconds(o, "latency", e->u.reply.latency_ns);
	object_int(o, "wire_bytes", e->u.reply.wire_bytes);
	if (e->u.reply.wait_ms)
		object_seconds(o, "wait", e->u.reply.wait_ms * NS_MS);
	object_chars(o, "text", e->u.reply.text, sizeof(e->u.reply.text));
}

static void fork_times(struct object *o, const struct event *e)
{
	uint8_t id[8];

	for (unsigned i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)(e->u.info.c >> (56 - 8 * i));
	object_int(o, "fork_time", e->u.info.a);
	object_int(o, "next_fork_time", e->u.info.b);
	if (e->u.info.yes)
		object_hex(o, "fork_id", id, 4);
	if (e->u.info.b != UINT64_MAX)
		object_hex(o, "next_fork_id", id + 4, 4);
}

static void info(struct object *o, const struct event *e)
{
	object_word(o, "info", info_word(e->u.info.info));
	object_word(o, "code", code_word(e->u.info.code));
	if (e->u.info.code != ST_OK)
		return;
	switch ((enum info_kind)e->u.info.info) {
	case INFO_CLIENT:
		object_chars(o, "client", e->u.info.text, sizeof(e->u.info.text));
		break;
	case INFO_PEERS:
		object_int(o, "peers", e->u.info.a);
		break;
	case INFO_SYNC:
		object_bool(o, "syncing", e->u.info.yes);
		if (!e->u.info.yes)
			break;
		object_int(o, "current", e->u.info.a);
		object_int(o, "highest", e->u.info.b);
		break;
	case INFO_TXPOOL:
		object_int(o, "pending", e->u.info.a);
		object_int(o, "queued", e->u.info.b);
		break;
	case INFO_GAS_PRICE:
		object_wei(o, "gas_price", &e->u.info.price);
		break;
	case INFO_POLL_INTERVAL:
		object_seconds(o, "interval", e->u.info.a);
		break;
	case INFO_PENDING:
		object_bool(o, "whole", e->u.info.a);
		break;
	case INFO_FORK:
		fork_times(o, e);
		break;
	case INFO_DISK:
		object_int(o, "free", e->u.info.a);
		object_int(o, "total", e->u.info.b);
		object_chars(o, "mount", e->u.info.text, sizeof(e->u.info.text));
		break;
	case INFO_N:
		break;
	}
}

static void tag(struct object *o, const struct event *e)
{
	object_word(o, "tag", e->u.tag.final ? "finalized" : "safe");
	object_word(o, "code", code_word(e->u.tag.code));
	if (e->u.tag.code != ST_OK)
		return;
	object_int(o, "number", e->u.tag.number);
	object_hex(o, "hash", e->u.tag.hash.b, 32);
	if (e->u.tag.time_ms <= UINT64_MAX / NS_MS)
		object_time(o, "block_time", e->u.tag.time_ms * NS_MS);
}

static void gap(struct object *o, const struct event *e)
{
	object_int(o, "from", e->u.gap.from);
	object_int(o, "to", e->u.gap.to);
	object_int(o, "asked", e->u.gap.asked);
	if (e->u.gap.silent_ns)
		object_seconds(o, "silent", e->u.gap.silent_ns);
}

static void traffic(struct object *o, const struct event *e)
{
	object_int(o, "bytes_in", e->u.traffic.bytes_in);
	object_int(o, "bytes_out", e->u.traffic.bytes_out);
	object_int(o, "calls", e->u.traffic.calls);
	object_int(o, "notes", e->u.traffic.notes);
	object_int(o, "odd", e->u.traffic.odd);
	object_int(o, "bodies", e->u.traffic.bodies);
}

static void chain(struct object *o, const struct event *e)
{
	object_bool(o, "ok", e->u.chain.ok);
	if (!e->u.chain.ok)
		return;
	object_int(o, e->u.chain.network ? "network" : "id", e->u.chain.id);
	if (!hash_is_zero(&e->u.chain.genesis))
		object_hex(o, "genesis", e->u.chain.genesis.b, 32);
}

static void pending(struct object *o, const struct event *e)
{
	object_int(o, "txs", e->u.txs.n);
	object_int(o, "lost", e->u.txs.lost);
}

static void peer(struct object *o, const struct event *e)
{
	object_int(o, "network", e->u.peer.network);
	object_hex(o, "genesis", e->u.peer.genesis.b, 32);
	object_hex(o, "fork_id", e->u.peer.fork_hash, 4);
	if (e->u.peer.fork_next)
		object_int(o, "fork_next", e->u.peer.fork_next);
	object_int(o, "p2p", e->u.peer.p2p);
	object_int(o, "eth", e->u.peer.eth);
	object_bool(o, "bor", e->u.peer.bor);
	object_chars(o, "caps", e->u.peer.caps, sizeof(e->u.peer.caps));
}

static void peer_count(struct object *o, const struct event *e)
{
	uint64_t in = 0, out = 0;

	for (unsigned k = 0; k < PK_N; k++) {
		in += e->u.count.kind[k].in;
		out += e->u.count.kind[k].out;
	}
	object_int(o, "frames_in", e->u.count.frames_in);
	object_int(o, "frames_out", e->u.count.frames_out);
	object_int(o, "messages_in", in);
	object_int(o, "messages_out", out);
	object_int(o, "reads", e->u.count.reads);
	object_int(o, "writes", e->u.count.writes);
	object_seconds(o, "ping", e->u.count.ping_ns);
	object_seconds(o, "tcp_rtt", e->u.count.tcp_ns);
}

static const char *const event_words[] = {
	[EV_LINK] = "link", [EV_CHAIN] = "chain", [EV_HEAD] = "head", [EV_BLOCK] = "block", [EV_VERDICT] = "verdict",
	[EV_BODY_MISS] = "miss", [EV_REPLY] = "call", [EV_INFO] = "info", [EV_TAG] = "tag", [EV_GAP] = "gap",
	[EV_TRAFFIC] = "traffic", [EV_CLOCK] = "clock", [EV_LOST] = "lost", [EV_TXS] = "pending",
	[EV_PEER] = "peer", [EV_PEER_COUNT] = "peer_count", [EV_PEER_LEFT] = "peer_left",
};

void stream_event(struct stream *s, const struct model *m, const struct event *e)
{
	struct object *o = &s->o;

	if (s->quiet || e->kind > EV_TXS || (e->kind != EV_CLOCK && e->path >= m->n_paths))
		return;
	begin(s, event_words[e->kind], e->mono, e->wall);
	if (e->kind != EV_CLOCK) {
		path_names(o, m, e->path);
		chain_of(o, m, m->paths[e->path]->chain);
	}
	switch ((enum event_kind)e->kind) {
	case EV_LINK: link(o, e); break;
	case EV_CHAIN: chain(o, e); break;
	case EV_HEAD: head(o, e); break;
	case EV_BLOCK: block(o, m, e); break;
	case EV_VERDICT: verdict(o, m, e); break;
	case EV_BODY_MISS: miss(o, e); break;
	case EV_REPLY: call(o, e); break;
	case EV_INFO: info(o, e); break;
	case EV_TAG: tag(o, e); break;
	case EV_GAP: gap(o, e); break;
	case EV_TRAFFIC: traffic(o, e); break;
	case EV_CLOCK: object_seconds(o, "bound", e->u.clock.bound_ns); break;
	case EV_LOST: object_int(o, "dropped", e->u.lost.dropped); break;
	case EV_TXS: pending(o, e); break;
	case EV_PEER: peer(o, e); break;
	case EV_PEER_COUNT: peer_count(o, e); break;
	case EV_PEER_LEFT: object_signed(o, "reason", e->u.left.reason); break;
	}
	finish(s, m);
}

/* ---- what the model decides ---- */

static void say_reorg(struct stream *s, const struct model *m, unsigned i, const struct reorg *r, bool deeper)
{
	struct object *o = &s->o;

	begin(s, "reorg", r->mono, r->wall);
	chain_of(o, m, (int)i);
	object_int(o, "number", r->number);
	object_int(o, "depth", r->depth);
	if (deeper)
		object_bool(o, "deeper", true);
	object_hex(o, "from", r->from.b, 32);
	object_hex(o, "to", r->to.b, 32);
	object_seconds(o, "lived", r->lived_ns);
	path_names(o, m, r->path);
	finish(s, m);
}

static void reorgs(struct stream *s, const struct model *m)
{
	for (unsigned i = 0; i < m->n_chains; i++) {
		const struct chain *c = m->chains[i];
		unsigned long n = c->reorg_count > s->reorgs[i] ? c->reorg_count - s->reorgs[i] : 0;

		bool deeper = n == 0 && c->n_reorgs && c->reorgs[0].depth > s->depth[i];

		s->reorgs[i] = c->reorg_count;
		s->depth[i] = c->n_reorgs ? c->reorgs[0].depth : 0;
		if (s->quiet)
			continue;
		for (n = n < c->n_reorgs ? n : c->n_reorgs; n > 0; n--)
			say_reorg(s, m, i, &c->reorgs[n - 1], false);
		if (deeper)
			say_reorg(s, m, i, &c->reorgs[0], true);
	}
}

/* Line 2 of the screen, when its word changes: its text has ages in it and changes each second. */
static void status(struct stream *s, const struct model *m)
{
	const struct verdict_line *l = &m->line;

	if (s->quiet || !l->word[0] || (s->line_said && s->level == l->level && strcmp(s->word, l->word) == 0))
		return;
	s->line_said = true;
	s->level = l->level;
	memcpy(s->word, l->word, sizeof(s->word));
	begin(s, "status", m->now_mono, m->now_wall);
	object_word(&s->o, "level", line_word(l->level));
	object_text(&s->o, "word", l->word);
	object_text(&s->o, "text", l->text);
	finish(s, m);
}

static void say_check(struct stream *s, const struct model *m, const struct health_subject *h, enum check_id id)
{
	const struct check_info *info = check_info(id);
	const struct check_view *v = &h->check[id];
	struct object *o = &s->o;

	begin(s, "check", m->now_mono, m->now_wall);
	object_word(o, "scope", scope_word(h->scope));
	object_text(o, "subject", h->name);
	chain_of(o, m, h->chain);
	object_word(o, "check", info->name);
	object_word(o, "level", line_word(v->level));
	object_word(o, "unit", unit_word(info->unit));
	object_number(o, "value", v->value);
	object_number(o, "warn", v->warn);
	object_number(o, "crit", v->crit);
	object_chars(o, "text", v->text, sizeof(v->text));
	object_int(o, "count", v->count);
	if (v->path >= 0)
		path_names(o, m, (unsigned)v->path);
	finish(s, m);
}

/* Every level that has changed since. */
static void checks(struct stream *s, const struct model *m)
{
	uint64_t since = s->health_seq;

	s->health_seq = m->health.seq;
	for (unsigned i = 0; i < m->health.n && since != m->health.seq && !s->quiet; i++) {
		const struct health_subject *h = m->health.subject[i];

		for (unsigned id = 0; id < CHECK_N; id++) {
			if (h->check[id].seq > since)
				say_check(s, m, h, (enum check_id)id);
		}
	}
}

static void alerts(struct stream *s, const struct model *m)
{
	struct alert_event a;
	struct object *o = &s->o;

	while (model_alert_next(m, &s->alerts, &a)) {
		if (s->quiet)
			continue;
		begin(s, "alert", a.mono, a.wall);
		object_word(o, "scope", scope_word(a.scope));
		object_text(o, "subject", a.name);
		if (a.chain[0])
			object_text(o, "chain_name", a.chain);
		object_word(o, "check", check_info(a.check)->name);
		object_word(o, "level", line_word(a.level));
		object_word(o, "before", line_word(a.before));
		object_time(o, "since", a.since_wall);
		object_word(o, "unit", unit_word(check_info(a.check)->unit));
		object_number(o, "value", a.value);
		object_number(o, "limit", a.limit);
		object_chars(o, "text", a.text, sizeof(a.text));
		object_int(o, "count", a.count);
		finish(s, m);
	}
}

void stream_model(struct stream *s, const struct model *m)
{
	reorgs(s, m);
	checks(s, m);
	alerts(s, m);
	status(s, m);
}

/* ---- life ---- */

static void say_start(struct stream *s, const struct model *m, const struct stream_opts *o)
{
	begin(s, "start", m->now_mono, m->now_wall);
	object_text(&s->o, "program", o->program);
	object_word(&s->o, "mode", o->mode);
	object_int(&s->o, "paths", m->n_paths);
	finish(s, m);
	for (unsigned i = 0; i < m->n_paths; i++) {
		begin(s, "path", m->now_mono, m->now_wall);
		path_names(&s->o, m, i);
		object_bool(&s->o, "push", m->paths[i]->push);
		object_bool(&s->o, "local", m->paths[i]->local);
		finish(s, m);
	}
}

enum status stream_start(struct stream **out, const struct model *m, const struct stream_opts *o, struct err *e)
{
	struct stream *s = calloc(1, sizeof(*s));
	enum status st;

	*out = NULL;
	if (!s)
		return err_set(e, ST_NOMEM, "no memory for --stream");
	s->wait = o->wait;
	s->stop = o->stop;
	s->start_mono = m->start_mono;
	st = lines_start(&s->lines, o->fd, o->queue ? o->queue : QUEUE, o->wake, e);
	if (st != ST_OK) {
		free(s);
		return st;
	}
	say_start(s, m, o);
	*out = s;
	return ST_OK;
}

void stream_quiet(struct stream *s, bool on)
{
	s->quiet = on;
}

uint64_t stream_lines(const struct stream *s)
{
	return s->written;
}

uint64_t stream_dropped(const struct stream *s)
{
	return s->dropped;
}

enum status stream_error(const struct stream *s, struct err *e)
{
	return lines_error(s->lines, e);
}

enum status stream_stop(struct stream *s, const struct model *m, const char *why, struct err *e)
{
	enum status st;

	if (m) {
		begin(s, "end", m->now_mono, m->now_wall);
		object_word(&s->o, "why", why);
		object_int(&s->o, "lines", s->written);
		object_int(&s->o, "dropped", s->dropped);
		finish(s, m);
	}
	if (s->wait)
		lines_drain(s->lines, s->stop);
	st = lines_stop(s->lines, STOP_MS, e);
	free(s);
	return st;
}
