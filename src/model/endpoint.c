#include "model/endpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/calls.h"
#include "model/seen.h"

enum {
	METHOD_SLICES = 2, /* of five minutes: per method and path memory counts */
	RTT_LEAST = 3,
	RTT_BYTES = 2048, /* an answer that nobody has to wait for */
};

#define RTT_MOST (100 * NS_S) /* what is longer is no way to a node, whatever a recording says */
#define RTT_SLICE_NS (60 * NS_S)
#define METHOD_SLICE_NS (300 * NS_S)
#define ERR_SLICE_NS (30 * NS_S)
#define SNAP_NS (5 * NS_S)
#define RATE_NS (60 * NS_S)

/* ---- life ---- */

struct path *endpoint_new(const struct path_setup *s, uint64_t now_mono)
{
	struct path *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->priv = calloc(1, sizeof(*p->priv));
	if (!p->priv) {
		free(p);
		return NULL;
	}
	snprintf(p->node, sizeof(p->node), "%s", s->node ? s->node : "");
	snprintf(p->via, sizeof(p->via), "%s", s->via ? s->via : "");
	snprintf(p->show, sizeof(p->show), "%s", s->show ? s->show : "");
	p->push = s->push;
	p->local = s->local;
	p->chain = -1;
	p->state_since = now_mono;
	p->behind_blocks = p->poll_interval_ns = UNKNOWN;
	p->behind_p50 = p->behind_p99 = p->usable_p90 = p->body_lag_p90 = UNKNOWN;
	p->call_p50 = p->call_p99 = p->rtt_ns = UNKNOWN;
	for (unsigned i = 0; i < M_N; i++)
		p->method[i].p50 = p->method[i].p99 = UNKNOWN;
	p->xfer_bytes_per_s = p->calls_per_min = p->bytes_per_min = (double)NAN;
	p->budget_day = s->budget_day ? s->budget_day : UNKNOWN;
	p->errors.last_mono = UNKNOWN;
	p->pending.since = p->pending.ready = UNKNOWN;
	seen_blank(&p->pending.cover);
	p->facts.peers = p->facts.pending = p->facts.queued = UNKNOWN;
	p->facts.peers_mono = p->facts.pool_mono = UNKNOWN;
	p->facts.sync_per_s = (double)NAN;
	p->peer.ping_ns = p->peer.tcp_ns = UNKNOWN;
	p->push_mono = p->push_number = UNKNOWN;
	p->priv->up_since = p->priv->down_mono = p->priv->down_wall = UNKNOWN;
	p->priv->first_head = p->priv->trouble_note = p->priv->lost_note = p->priv->resub_mono = UNKNOWN;
	p->priv->noted_chain = -1;
	p->priv->start_mono = now_mono;
	facts_init(&p->priv->health);
	p->priv->snap[0].mono = now_mono;
	p->priv->snaps = 1;
	for (unsigned i = 0; i < RACE_WINDOWS; i++)
		calls_figures(p, (enum race_window)i, now_mono);
	return p;
}

void endpoint_free(struct path *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < M_N; i++) {
		if (p->priv->method[i])
			hist_window_fini(p->priv->method[i]);
		free(p->priv->method[i]);
	}
	calls_fini(p);
	free(p->priv->behind);
	free(p->priv->usable);
	free(p->priv->body_lag);
	facts_fini(&p->priv->health);
	free(p->priv);
	free(p);
}

void endpoint_restart(struct path *p, uint64_t now)
{
	struct path_priv *pp = p->priv;

	p->heads = p->won = p->ties = p->missed = p->dups = p->raced = p->backs = p->own_nulls = p->client_backs = 0;
	p->connects = p->silent_count = 0;
	p->behind_p50 = p->behind_p99 = p->usable_p90 = p->body_lag_p90 = UNKNOWN;
	free(pp->behind);
	free(pp->usable);
	free(pp->body_lag);
	pp->behind = pp->usable = pp->body_lag = NULL;
	for (unsigned i = 0; i < M_N; i++) {
		if (pp->method[i])
			hist_window_fini(pp->method[i]);
		free(pp->method[i]);
		pp->method[i] = NULL;
		p->method[i].n = p->method[i].failed = p->method[i].bytes = 0;
		p->method[i].p50 = p->method[i].p99 = UNKNOWN;
	}
	p->errors = (struct path_errors){ .last_mono = UNKNOWN };
	memset(pp->err, 0, sizeof(pp->err));
	calls_restart(p, now);
	pp->calls_dirty = pp->race_dirty = true;
}

struct path *endpoint_clone(const struct path *p)
{
	struct path *to = malloc(sizeof(*to));
	struct path_priv *pp = malloc(sizeof(*pp));
	size_t bytes = p->latency.slices * sizeof(struct hist);

	if (!to || !pp) {
		free(to);
		free(pp);
		return NULL;
	}
	*to = *p;
	*pp = *p->priv;
	to->priv = pp;
	/* A frozen screen shows the figures as they were: their histograms are not needed. */
	pp->behind = pp->usable = pp->body_lag = NULL;
	memset(pp->method, 0, sizeof(pp->method));
	for (unsigned i = 0; i < RACE_WINDOWS; i++)
		pp->calls[i].latency = pp->calls[i].usable = (struct hist_window){ .slices = 0 };
	memset(pp->health.method, 0, sizeof(pp->health.method));
	pp->race_dirty = pp->calls_dirty = false;
	to->latency.slice = NULL;
	to->latency.slices = 0;
	if (bytes) {
		to->latency.slice = malloc(bytes);
		if (!to->latency.slice) {
			endpoint_free(to);
			return NULL;
		}
		memcpy(to->latency.slice, p->latency.slice, bytes);
		to->latency.slices = p->latency.slices;
	}
	return to;
}

/* ---- link ---- */

/* The HTTP status, the code of the JSON-RPC error: of each kind the first ones that came. */
static void count_detail(struct path *p, uint8_t code, int32_t detail)
{
	struct err_detail *d = p->errors.detail;

	if ((code != ST_HTTP && code != ST_RPC && code != ST_AUTH && code != ST_RATE) || detail == 0)
		return;
	for (unsigned i = 0; i < sizeof(p->errors.detail) / sizeof(*d); i++) {
		if (d[i].n && (d[i].code != code || d[i].detail != detail))
			continue;
		d[i].code = code;
		d[i].detail = detail;
		d[i].n++;
		return;
	}
}

static void count_error(struct path *p, uint8_t code, int32_t detail, const char *text, uint64_t mono)
{
	struct slice *s;
	uint64_t epoch = mono / ERR_SLICE_NS;

	if (code >= ST_N)
		code = ST_INTERNAL;
	p->errors.by_code[code]++;
	count_detail(p, code, detail);
	snprintf(p->errors.last, sizeof(p->errors.last), "%.119s", text[0] ? text : status_word((enum status)code));
	p->errors.last_mono = mono;
	s = &p->priv->err[epoch % 10];
	if (s->epoch != epoch)
		*s = (struct slice){ .epoch = epoch };
	s->n++;
	p->priv->calls_dirty = true;
}

void endpoint_link(struct path *p, const struct event *e)
{
	struct path_priv *pp = p->priv;
	enum link_state state = e->u.link.state <= LINK_STOPPED ? (enum link_state)e->u.link.state : LINK_WAITING;
	bool up = link_up(state);

	if (state != p->state || p->state_since == UNKNOWN) {
		p->state_since = e->mono;
		if (state == LINK_SILENT)
			p->silent_count++;
	}
	p->state = state;
	p->cause = e->u.link.code < ST_N ? (enum status)e->u.link.code : ST_INTERNAL;
	p->cause_detail = e->u.link.detail;
	snprintf(p->text, sizeof(p->text), "%.*s", (int)sizeof(e->u.link.text) - 1, e->u.link.text);
	snprintf(p->cure, sizeof(p->cure), "%.*s", (int)sizeof(e->u.link.cure) - 1, e->u.link.cure);
	p->retry_mono = e->u.link.retry_mono;
	p->attempt = e->u.link.attempt;
	if (e->u.link.via[0]) {
		snprintf(p->via, sizeof(p->via), "%.*s", (int)sizeof(e->u.link.via) - 1, e->u.link.via);
		p->push = strncmp(p->via, "http", 4) != 0 && !path_is_p2p(p);
	}
	if (state == LINK_CONNECTING || up) {
		p->dns_us = e->u.link.dns_us;
		p->tcp_us = e->u.link.tcp_us;
		p->tls_us = e->u.link.tls_us;
		p->ready_us = e->u.link.ready_us;
	}
	if (up && !pp->up) {
		p->connects++;
		pp->up_since = e->mono;
		pp->first_head = UNKNOWN;
		pp->down_mono = pp->down_wall = UNKNOWN;
		pp->ever_up = true;
	} else if (!up && (pp->up || (state == LINK_WAITING && pp->down_mono == UNKNOWN))) {
		pp->down_mono = e->mono;
		pp->down_wall = e->wall;
	}
	/* A new connection subscribes anew, and what was announced in between is not known. */
	if (!up) {
		p->pending.on = false;
		p->pending.why = ST_OK;
		p->pending.since = UNKNOWN;
	}
	pp->up = up;
	if (state == LINK_WAITING && p->cause != ST_OK) {
		count_error(p, (uint8_t)p->cause, p->cause_detail, p->text, e->mono);
		calls_lost(p, e->mono, p->cause);
	}
}

const char *path_state_word(const struct path *p)
{
	if (p->wrong_chain && link_up(p->state))
		return "WRONG CHAIN";
	if (p->other_chain && link_up(p->state))
		return "other chain";
	switch (p->state) {
	case LINK_IDLE:
	case LINK_CONNECTING: return "connecting";
	case LINK_LIVE: return "live";
	case LINK_POLLING: return "poll";
	case LINK_SILENT: return "SILENT";
	case LINK_WAITING: return "down";
	case LINK_STOPPED: return "stopped";
	}
	return "down";
}

/* ---- calls ---- */

static void call_sample(struct path *p, enum method m, uint64_t mono, uint64_t ns)
{
	struct hist_window **w = &p->priv->method[m];

	if (!*w) {
		*w = malloc(sizeof(**w));
		if (*w && hist_window_init(*w, METHOD_SLICES, METHOD_SLICE_NS) != 0) {
			free(*w);
			*w = NULL;
		}
	}
	if (*w)
		hist_window_add(*w, mono, ns);
}

static void rtt_sample(struct path *p, uint64_t mono, uint64_t ns)
{
	uint64_t epoch = mono / RTT_SLICE_NS;
	struct slice *s = &p->priv->rtt[epoch % 10];

	if (ns > RTT_MOST)
		return;
	if (s->epoch != epoch)
		*s = (struct slice){ .epoch = epoch, .ns = UNKNOWN };
	s->n++;
	if (ns < s->ns)
		s->ns = ns;
}

void endpoint_reply(struct path *p, const struct event *e)
{
	enum method m = e->u.reply.method < M_N ? (enum method)e->u.reply.method : M_OTHER;
	enum status code = e->u.reply.code < ST_N ? (enum status)e->u.reply.code : ST_INTERNAL;

	p->method[m].bytes = add_sat(p->method[m].bytes, e->u.reply.wire_bytes);
	p->method[m].n++;
	/* The items of a batch are the calls; it has their latency. */
	if (m == M_BATCH)
		calls_batch(p, e->mono, code, e->u.reply.latency_ns);
	else
		calls_ended(p, e->mono, code, e->u.reply.latency_ns);
	if (code == ST_OK) {
		p->method[m].unsupported = ST_OK;
		if (e->u.reply.latency_ns == UNKNOWN)
			return;
		call_sample(p, m, e->mono, e->u.reply.latency_ns);
		if (e->u.reply.wire_bytes <= RTT_BYTES)
			rtt_sample(p, e->mono, e->u.reply.latency_ns);
		return;
	}
	/* A method that a node does not have is no fault of the node. */
	if (code == ST_UNSUPPORTED) {
		p->method[m].unsupported = code;
		return;
	}
	p->method[m].failed++;
	count_error(p, (uint8_t)code, e->u.reply.detail, e->u.reply.text, e->mono);
}

void endpoint_traffic(struct path *p, const struct event *e)
{
	struct path_priv *pp = p->priv;
	unsigned last = pp->snaps - 1, max = sizeof(pp->snap) / sizeof(pp->snap[0]);

	p->bytes_in = e->u.traffic.bytes_in;
	p->bytes_out = e->u.traffic.bytes_out;
	p->calls = e->u.traffic.calls;
	p->notes = e->u.traffic.notes;
	p->odd = e->u.traffic.odd;
	p->bodies = e->u.traffic.bodies;
	calls_traffic(p, e->mono, p->calls, add_sat(p->bytes_in, p->bytes_out));
	if (sub_sat(e->mono, pp->snap[last].mono) < SNAP_NS)
		return;
	if (pp->snaps == max) {
		memmove(pp->snap, pp->snap + 1, (max - 1) * sizeof(pp->snap[0]));
		pp->snaps--;
	}
	pp->snap[pp->snaps].mono = e->mono;
	pp->snap[pp->snaps].bytes = add_sat(p->bytes_in, p->bytes_out);
	pp->snap[pp->snaps].calls = p->calls;
	pp->snaps++;
}

void endpoint_xfer(struct path *p, const struct event *e)
{
	/* One read says nothing about a rate: it was all there when we looked (design.md §8). */
	if (e->u.block.reads < 2 || !e->u.block.xfer_ns)
		return;
	calls_xfer(p, e->mono, e->u.block.xfer_bytes, e->u.block.xfer_ns);
}

/* ---- facts ---- */

static void sync_rate(struct path *p, uint64_t mono, uint64_t at)
{
	struct path_priv *pp = p->priv;
	unsigned max = sizeof(pp->sync) / sizeof(pp->sync[0]);
	uint64_t ns;

	if (pp->syncs && (mono <= pp->sync[pp->syncs - 1].mono || at < pp->sync[pp->syncs - 1].at))
		pp->syncs = 0;
	if (pp->syncs == max) {
		memmove(pp->sync, pp->sync + 1, (max - 1) * sizeof(pp->sync[0]));
		pp->syncs--;
	}
	pp->sync[pp->syncs].mono = mono;
	pp->sync[pp->syncs++].at = at;
	ns = mono - pp->sync[0].mono;
	p->facts.sync_per_s = ns >= NS_S ? (double)(at - pp->sync[0].at) * (double)NS_S / (double)ns : (double)NAN;
}

/*
 * A version that comes back after another one means several backends; a new one alone may be an upgrade.
 */
static void client_seen(struct path *p, const char *text, size_t size)
{
	struct path_priv *pp = p->priv;
	uint64_t key = 14695981039346656037u; /* FNV-1a */
	unsigned i = 0;

	for (size_t k = 0; k < size && text[k]; k++)
		key = (key ^ (uint8_t)text[k]) * 1099511628211u;
	while (i < pp->clients && pp->client[i] != key)
		i++;
	if (i < pp->clients && i != pp->client_now)
		p->client_backs++;
	if (i == pp->clients) {
		if (pp->clients == sizeof(pp->client) / sizeof(pp->client[0]))
			i = (pp->client_now + 1) % pp->clients;
		else
			pp->clients++;
		pp->client[i] = key;
	}
	pp->client_now = i;
}

void endpoint_info(struct path *p, const struct event *e)
{
	enum status code = e->u.info.code < ST_N ? (enum status)e->u.info.code : ST_INTERNAL;

	switch ((enum info_kind)e->u.info.info) {
	case INFO_CLIENT:
		if (code == ST_OK)
			client_seen(p, e->u.info.text, sizeof(e->u.info.text));
		if (code == ST_OK)
			snprintf(p->facts.client, sizeof(p->facts.client), "%.*s",
				 (int)sizeof(e->u.info.text) - 1, e->u.info.text);
		break;
	case INFO_PEERS:
		p->facts.peers_why = code;
		if (code == ST_OK) {
			p->facts.peers = e->u.info.a;
			p->facts.peers_mono = e->mono;
		} else if (code == ST_UNSUPPORTED) {
			p->facts.peers = UNKNOWN;
		}
		break;
	case INFO_SYNC:
		p->facts.sync_why = code;
		if (code != ST_OK)
			break;
		p->facts.sync_known = true;
		p->facts.syncing = e->u.info.yes;
		p->facts.sync_at = e->u.info.a;
		p->facts.sync_to = e->u.info.b;
		if (e->u.info.yes) {
			sync_rate(p, e->mono, e->u.info.a);
		} else {
			p->priv->syncs = 0;
			p->facts.sync_per_s = (double)NAN;
		}
		break;
	case INFO_TXPOOL:
		p->facts.pool_why = code;
		if (code == ST_OK) {
			p->facts.pending = e->u.info.a;
			p->facts.queued = e->u.info.b;
			p->facts.pool_mono = e->mono;
		} else if (code == ST_UNSUPPORTED) {
			p->facts.pending = p->facts.queued = p->facts.pool_mono = UNKNOWN;
		}
		break;
	case INFO_GAS_PRICE:
		if (code == ST_OK) {
			p->facts.gas_price_known = true;
			p->facts.gas_price = e->u.info.price;
		}
		break;
	case INFO_POLL_INTERVAL:
		if (code == ST_OK)
			p->poll_interval_ns = e->u.info.a;
		break;
	case INFO_PENDING:
		p->pending.why = code;
		if (code != ST_OK || !p->pending.on)
			p->pending.since = code == ST_OK ? e->mono : UNKNOWN;
		p->pending.on = code == ST_OK;
		p->pending.whole = code == ST_OK && e->u.info.a;
		break;
	case INFO_FORK:
	case INFO_DISK:
	case INFO_N: break; /* health_facts.c */
	}
}

bool path_is_p2p(const struct path *p)
{
	return strcmp(p->via, "rlpx") == 0;
}

void endpoint_peer(struct path *p, const struct event *e)
{
	struct peer_view *v = &p->peer;
	int reason = e->u.left.reason;

	switch (e->kind) {
	case EV_PEER:
		v->known = true;
		v->network = e->u.peer.network;
		v->fork_next = e->u.peer.fork_next;
		v->genesis = e->u.peer.genesis;
		memcpy(v->fork_hash, e->u.peer.fork_hash, sizeof(v->fork_hash));
		v->p2p = e->u.peer.p2p;
		v->eth = e->u.peer.eth;
		v->bor = e->u.peer.bor != 0;
		snprintf(v->caps, sizeof(v->caps), "%.*s", (int)sizeof(e->u.peer.caps) - 1, e->u.peer.caps);
		break;
	case EV_PEER_COUNT:
		v->counted = true;
		v->frames_in = e->u.count.frames_in;
		v->frames_out = e->u.count.frames_out;
		v->reads = e->u.count.reads;
		v->writes = e->u.count.writes;
		/* A round trip that was measured stays until the next one. */
		if (e->u.count.ping_ns != UNKNOWN)
			v->ping_ns = e->u.count.ping_ns;
		if (e->u.count.tcp_ns != UNKNOWN)
			v->tcp_ns = e->u.count.tcp_ns;
		for (unsigned k = 0; k < PK_N; k++) {
			v->kind[k].in = e->u.count.kind[k].in;
			v->kind[k].out = e->u.count.kind[k].out;
			v->kind[k].in_bytes = e->u.count.kind[k].in_bytes;
			v->kind[k].out_bytes = e->u.count.kind[k].out_bytes;
		}
		break;
	default:
		v->left[reason >= 0 && reason < PEER_NO_REASON ? reason : PEER_NO_REASON]++;
	}
}

uint64_t path_quiet_since(const struct path *p)
{
	uint64_t up = p->priv->up_since == UNKNOWN ? p->state_since : p->priv->up_since;

	return p->push_mono != UNKNOWN && p->push_mono > up ? p->push_mono : up;
}

void endpoint_head(struct path *p, const struct node *n, const struct event *e)
{
	uint8_t source = e->u.head.source;

	if (source == SRC_PUSH || source == SRC_FIRST) {
		p->push_mono = e->mono;
		p->push_number = n->b.h.number;
	}

	if (!announces(source) && !(extends(source) && (!p->has_head || n->b.h.number > p->head_number)))
		return;
	p->has_head = true;
	p->head_number = n->b.h.number;
	p->head_hash = n->b.h.hash;
	p->head_mono = e->mono;
}

/* ---- figures ---- */

static uint64_t percentile(const struct hist *h, double at)
{
	return h && h->n ? hist_percentile(h, at) : UNKNOWN;
}

const struct hist *path_hist(const struct path *p, enum path_hist which)
{
	const struct path_priv *pp = p->priv;

	return which == PATH_BEHIND ? pp->behind : which == PATH_USABLE ? pp->usable : pp->body_lag;
}

static void body_figures(struct path *p)
{
	const struct path_priv *pp = p->priv;

	p->usable_p90 = percentile(pp->usable, 90);
	p->body_lag_p90 = percentile(pp->body_lag, 90);
}

static void call_figures(struct path *p, uint64_t now)
{
	const struct path_priv *pp = p->priv;
	uint64_t half = now / ERR_SLICE_NS, errs = 0;
	struct hist h;

	for (unsigned i = 0; i < RACE_WINDOWS; i++)
		calls_figures(p, (enum race_window)i, now);
	p->call_n = p->span[RACE_10M].timed;
	p->call_p50 = p->span[RACE_10M].p50;
	p->call_p99 = p->span[RACE_10M].p99;
	p->xfer_bytes_per_s = p->span[RACE_10M].xfer_bytes_per_s;
	for (unsigned i = 0; i < M_N; i++) {
		if (!pp->method[i])
			continue;
		hist_window_get(pp->method[i], now, &h);
		p->method[i].p50 = percentile(&h, 50);
		p->method[i].p99 = percentile(&h, 99);
	}
	for (unsigned i = 0; i < 10; i++) {
		if (add_sat(pp->err[i].epoch, 10) > half)
			errs += pp->err[i].n;
	}
	p->errors.total_5m = errs > UINT32_MAX ? UINT32_MAX : (uint32_t)errs;
}

static void round_trip(struct path *p, uint64_t now)
{
	const struct slice *s = p->priv->rtt;
	uint64_t n = 0, least = UNKNOWN;

	for (unsigned i = 0; i < 10; i++) {
		if (!s[i].n || add_sat(s[i].epoch, 10) <= now / RTT_SLICE_NS)
			continue;
		n += s[i].n;
		if (s[i].ns < least)
			least = s[i].ns;
	}
	p->rtt_ns = n >= RTT_LEAST ? least : UNKNOWN;
}

static void rates(struct path *p, uint64_t now)
{
	const struct path_priv *pp = p->priv;
	unsigned i = pp->snaps - 1;
	double minutes;

	while (i > 0 && sub_sat(now, pp->snap[i].mono) < RATE_NS)
		i--;
	minutes = (double)sub_sat(now, pp->snap[i].mono) / (double)RATE_NS;
	if (sub_sat(now, pp->snap[i].mono) < SNAP_NS) {
		p->calls_per_min = p->bytes_per_min = (double)NAN;
		return;
	}
	p->calls_per_min = (double)sub_sat(p->calls, pp->snap[i].calls) / minutes;
	p->bytes_per_min = (double)sub_sat(add_sat(p->bytes_in, p->bytes_out), pp->snap[i].bytes) / minutes;
}

bool endpoint_tick(struct path *p, uint64_t now)
{
	struct path_priv *pp = p->priv;
	bool changed = false;

	if (pp->race_dirty && sub_sat(now, pp->race_mono) >= NS_S) {
		body_figures(p);
		pp->race_dirty = false;
		pp->race_mono = now;
		changed = true;
	}
	/* The window moves on even when nothing comes. */
	if (sub_sat(now, pp->calls_mono) >= (pp->calls_dirty ? NS_S : 10 * NS_S)) {
		call_figures(p, now);
		round_trip(p, now);
		rates(p, now);
		pp->calls_dirty = false;
		pp->calls_mono = now;
		changed = true;
	}
	return changed;
}
