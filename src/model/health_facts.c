#include "model/health_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/model_priv.h"

#define CALL_SLICE_NS (30 * NS_S)
#define P99_NS (300 * NS_S)

enum { P99_LEAST = 20 };

void facts_init(struct health_facts *h)
{
	h->told_number = h->retry_mono = h->final_mono = h->unfinal_mono = h->push_mono = h->push_number = UNKNOWN;
	h->empty_mono = h->client_mono = h->fork_mono = h->fork_time = h->fork_next = UNKNOWN;
	h->disk_free = h->disk_total = h->disk_mono = UNKNOWN;
}

void facts_fini(struct health_facts *h)
{
	for (unsigned i = 0; i < M_N; i++)
		free(h->method[i]);
}

/* ---- calls ---- */

/* Five minutes are over: their p99 moves into the hour. */
static void p99_turn(struct health_facts *h, uint64_t epoch)
{
	uint64_t passed = epoch - h->p99_epoch;

	for (unsigned m = 0; m < M_N; m++) {
		struct hist *now = h->method[m];
		uint64_t p = now && now->n >= P99_LEAST ? hist_percentile(now, 99) / NS_US : 0;

		for (uint64_t k = 0; k < passed && k < P99_HOUR; k++) {
			memmove(h->p99[m] + 1, h->p99[m], sizeof(h->p99[m]) - sizeof(h->p99[m][0]));
			h->p99[m][0] = k == 0 ? (uint32_t)(p > UINT32_MAX ? UINT32_MAX : p) : 0;
		}
		if (now)
			memset(now, 0, sizeof(*now));
	}
	h->p99_epoch = epoch;
}

/*
 * The call did not get there, or its connection ended: that the node is away is another check's affair, and a node that is
 * back is not to be blamed for five minutes more.
 */
static bool not_reached(const struct path *p, enum status code)
{
	switch (code) {
	case ST_DNS:
	case ST_REFUSED:
	case ST_UNREACH: return true;
	case ST_CLOSED:
	case ST_RESET: return p->push;
	default: return false;
	}
}

static void on_reply(const struct path *p, struct health_facts *h, const struct event *e)
{
	enum method m = e->u.reply.method < M_N ? (enum method)e->u.reply.method : M_OTHER;
	enum status code = e->u.reply.code < ST_N ? (enum status)e->u.reply.code : ST_INTERNAL;
	uint64_t epoch = e->mono / CALL_SLICE_NS, five = e->mono / P99_NS;
	unsigned at = epoch % CALL_SLICES_5M;

	if (five > h->p99_epoch)
		p99_turn(h, five);
	if (code == ST_OK && e->u.reply.latency_ns != UNKNOWN && five == h->p99_epoch) {
		if (!h->method[m])
			h->method[m] = calloc(1, sizeof(*h->method[m]));
		if (h->method[m])
			hist_add(h->method[m], e->u.reply.latency_ns);
	}
	if (m == M_SUBSCRIBE && h->subs < UINT16_MAX)
		h->subs++;
	if (m == M_BATCH || not_reached(p, code))
		return;
	if (h->call[at].epoch != epoch) {
		memset(&h->call[at], 0, sizeof(h->call[at]));
		h->call[at].epoch = epoch;
	}
	h->call[at].n++;
	/* A method that a node does not have is no fault of the node. */
	if (code == ST_OK || code == ST_UNSUPPORTED)
		return;
	h->call[at].failed++;
	if (h->call[at].by[code] < UINT16_MAX)
		h->call[at].by[code]++;
	if (e->u.reply.wait_ms) {
		h->retry_mono = e->mono;
		h->retry_ms = e->u.reply.wait_ms;
	}
}

/* ---- facts ---- */

void facts_client(char out[64], const char *client)
{
	const char *slash = strchr(client, '/'), *v = slash ? slash + 1 : "";
	size_t name = slash ? (size_t)(slash - client) : strlen(client), n;

	if (*v == 'v')
		v++;
	n = strcspn(v, "-/+");
	if (name > 40)
		name = 40;
	if (n > 20)
		n = 20;
	if (n)
		snprintf(out, 64, "%.*s/%.*s", (int)name, client, (int)n, v);
	else
		snprintf(out, 64, "%.*s", (int)name, client);
}

static void on_client(const struct path *p, struct health_facts *h, const struct event *e)
{
	char now[64], before[64], text[sizeof(e->u.info.text)];

	if (!p->facts.client[0] || !e->u.info.text[0])
		return;
	snprintf(text, sizeof(text), "%.*s", (int)sizeof(e->u.info.text) - 1, e->u.info.text);
	facts_client(now, text);
	facts_client(before, p->facts.client);
	if (strcmp(now, before) == 0)
		return;
	memcpy(h->was, before, sizeof(h->was));
	h->client_mono = e->mono;
}

static void on_fork(struct health_facts *h, const struct event *e)
{
	if (!e->u.info.yes)
		return;
	h->fork_known = true;
	h->fork_mono = e->mono;
	h->fork_time = e->u.info.a;
	h->fork_next = e->u.info.b;
	h->fork_id = (uint32_t)(e->u.info.c >> 32);
	h->fork_next_id = (uint32_t)e->u.info.c;
}

static void on_info(const struct path *p, struct health_facts *h, const struct event *e)
{
	if (e->u.info.code != ST_OK) {
		if (e->u.info.info == INFO_FORK && e->u.info.code == ST_UNSUPPORTED)
			h->fork_known = false;
		return;
	}
	switch ((enum info_kind)e->u.info.info) {
	case INFO_CLIENT: on_client(p, h, e); break;
	case INFO_TXPOOL:
		if (e->u.info.a)
			h->empty_mono = UNKNOWN;
		else if (h->empty_mono == UNKNOWN)
			h->empty_mono = e->mono;
		break;
	case INFO_FORK: on_fork(h, e); break;
	case INFO_DISK:
		h->disk_free = e->u.info.a;
		h->disk_total = e->u.info.b;
		h->disk_mono = e->mono;
		snprintf(h->mount, sizeof(h->mount), "%.*s", (int)sizeof(h->mount) - 1, e->u.info.text);
		break;
	default: break;
	}
}

static void on_final(struct health_facts *h, const struct event *e)
{
	uint64_t number = e->u.tag.number, newest = 0;
	bool known = false;

	if (h->final_mono != UNKNOWN && e->mono < h->final_mono)
		return;
	h->final_mono = e->mono;
	for (unsigned i = 0; i < h->final_n; i++) {
		if (h->final[i].number > newest)
			newest = h->final[i].number;
		if (h->final[i].number != number)
			continue;
		known = true;
		if (hash_eq(&h->final[i].hash, &e->u.tag.hash))
			continue;
		h->unfinal_mono = e->mono;
		h->unfinal_number = number;
		h->unfinal_from = UNKNOWN;
		h->final[i].hash = e->u.tag.hash;
	}
	if (h->final_n && number < newest && !(h->unfinal_mono == e->mono && h->unfinal_from == UNKNOWN)) {
		h->unfinal_mono = e->mono;
		h->unfinal_number = number;
		h->unfinal_from = newest;
	}
	if (number < newest) {
		/* What is above it is not final any more: told again it is news. */
		h->final_n = h->final_next = 0;
		known = false;
	}
	if (known)
		return;
	h->final[h->final_next].number = number;
	h->final[h->final_next].hash = e->u.tag.hash;
	h->final_next = (h->final_next + 1) % FINALS_KEPT;
	if (h->final_n < FINALS_KEPT)
		h->final_n++;
}

static void on_head(struct health_facts *h, const struct event *e)
{
	/* The first heads of a connection are no arrivals, but they are heads. */
	if (e->u.head.source != SRC_PUSH && e->u.head.source != SRC_FIRST)
		return;
	if (h->push_mono != UNKNOWN && e->mono < h->push_mono)
		return;
	h->push_mono = e->mono;
	h->push_number = e->u.head.h.number;
	h->subs = 0;
}

void facts_event(struct model *m, const struct event *e)
{
	struct path *p = m->paths[e->path];
	struct health_facts *h = &p->priv->health;

	switch (e->kind) {
	case EV_LINK:
		/* The next try must not hide why the last one failed. */
		if (e->u.link.state == LINK_WAITING && e->u.link.code < ST_N)
			h->cause = e->u.link.code;
		break;
	case EV_REPLY: on_reply(p, h, e); break;
	case EV_INFO: on_info(p, h, e); break;
	case EV_HEAD: on_head(h, e); break;
	case EV_TAG:
		/* Paths of one node are one node's word. */
		if (e->u.tag.final && e->u.tag.code == ST_OK && p->chain >= 0 && !p->wrong_chain)
			on_final(&m->paths[p->node_index]->priv->health, e);
		break;
	default: break;
	}
}

void facts_forget(struct model *m, unsigned path, bool left)
{
	struct health_facts *h = &m->paths[path]->priv->health;

	/* What was final is the node's: another of its paths may have told it before this one was heard for the first time. */
	if (left) {
		h->final_n = h->final_next = 0;
		h->final_mono = h->unfinal_mono = UNKNOWN;
	}
	h->back_n = h->back_next = h->wrong_n = h->wrong_next = h->lag_n = h->lag_next = 0;
	h->told_number = h->push_mono = h->push_number = h->empty_mono = UNKNOWN;
	h->fork_known = false;
	h->subs = 0;
}

/* ---- what the others find ---- */

void facts_back(struct path *p, uint64_t from, uint64_t to, uint64_t mono)
{
	struct health_facts *h = &p->priv->health;

	h->back[h->back_next].mono = mono;
	h->back[h->back_next].from = from;
	h->back[h->back_next].to = to;
	h->back_next = (h->back_next + 1) % BACKS_KEPT;
	if (h->back_n < BACKS_KEPT)
		h->back_n++;
}

void facts_body_lag(struct path *p, uint64_t done_mono, uint64_t ns)
{
	struct health_facts *h = &p->priv->health;

	h->lag[h->lag_next].mono = done_mono;
	h->lag[h->lag_next].ns = ns;
	h->lag_next = (h->lag_next + 1) % LAGS_KEPT;
	if (h->lag_n < LAGS_KEPT)
		h->lag_n++;
}

void facts_wrong(struct path *p, const struct event *e)
{
	struct health_facts *h = &p->priv->health;
	const struct verdict *v = &e->u.verdict.v;
	unsigned at = 0;

	while (at < h->wrong_n && !hash_eq(&h->wrong[at].hash, &e->u.verdict.hash))
		at++;
	if (at == h->wrong_n) {
		at = h->wrong_next;
		memset(&h->wrong[at], 0, sizeof(h->wrong[at]));
		h->wrong[at].hash = e->u.verdict.hash;
		h->wrong_next = (at + 1) % WRONG_KEPT;
		h->wrong_n += h->wrong_n < WRONG_KEPT;
	}
	h->wrong[at].mono = e->mono;
	h->wrong[at].times++;
	utf8_clean(h->wrong[at].field, sizeof(h->wrong[at].field), v->field, strnlen(v->field, sizeof(v->field)));
}
