/* chaintop ping URL...: round trips by phase, over any transport. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/netopts.h"
#include "cmd/ping_enode.h"
#include "cmd/ping_table.h"
#include "cmd/session.h"
#include "cmd/stop.h"
#include "configured.h"

enum { URLS_MAX = 64 };

static const uint64_t NO_TIME = 50 * NS_US; /* what is no lookup is no DNS */

/* One round: a connection of its own, and two calls over it. */
struct round {
	struct ping_result *r;
	uint64_t first_ns, done_ns, body_ns; /* of the answer */
};

struct ping {
	const struct conf *conf;
	struct net_opts net;
	struct net_loop *loop; /* to wait between rounds */
	struct wake wake;
	struct url urls[URLS_MAX];
	unsigned n;
	struct ping_result results[URLS_MAX];
};

/* An error answer is an answer: the way there and back was the same. */
static void on_answer(void *ctx, const struct rpc_msg *m, const char *text, size_t n, const struct net_meta *meta)
{
	struct round *r = ctx;
	struct json_str s;
	struct json j;

	(void)text;
	(void)n;
	r->done_ns = time_mono();
	r->first_ns = meta->recv_ns ? meta->recv_ns : r->done_ns;
	r->body_ns = meta->reads > 1 ? meta->xfer_ns : 0;
	if (m->is_error)
		return;
	json_init(&j, m->result.p, m->result.n);
	if (json_peek(&j) == JSON_STRING && json_string(&j, &s) && hex_u64(s.p, s.n, &r->r->chain, NULL))
		r->r->chain_known = true;
}

static uint64_t behind(uint64_t t, uint64_t before)
{
	return t > before ? t - before : 0;
}

/* Phases are told as they were reached since the start. */
static void add_phases(struct ping_result *r, const struct session *s, const struct round *o, uint64_t start)
{
	const struct net_phases *p = session_phases(s);
	bool http = r->via == URL_HTTP || r->via == URL_HTTPS;
	uint64_t up = p->tls ? p->tls : p->tcp;

	if (p->dns >= NO_TIME && r->via != URL_IPC)
		ping_add(r, PING_DNS, p->dns);
	if (p->tcp)
		ping_add(r, PING_TCP, behind(p->tcp, p->dns));
	if (p->tls && (r->via == URL_HTTPS || r->via == URL_WSS))
		ping_add(r, PING_TLS, behind(p->tls, p->tcp));
	if (r->via == URL_WS || r->via == URL_WSS)
		ping_add(r, PING_UPGRADE, behind(p->ready, up));
	/* Over HTTP the request went out by itself when the connection stood. */
	ping_add(r, PING_FIRST, http ? behind(o->first_ns, start + up) : behind(o->first_ns, session_sent(s)));
	if (o->body_ns)
		ping_add(r, PING_BODY, o->body_ns);
	ping_add(r, PING_TOTAL, behind(o->done_ns, start));
}

static enum status call(struct ping *p, struct session *s, uint64_t id, struct err *e)
{
	char request[96];
	int n = snprintf(request, sizeof(request), "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"eth_chainId\",\"params\":[]}",
			 (unsigned)id);

	return session_call(s, request, (size_t)n, id, p->conf->request_timeout, e);
}

/* Each has a loop of its own: one keeps names and connections for the next. */
static struct net_loop *new_loop(const struct ping *p)
{
	struct net_loop *l = net_loop_new();

	if (l && net_loop_watch(l, wake_fd(&p->wake)) == ST_OK)
		return l;
	if (l)
		net_loop_free(l);
	return NULL;
}

static enum status one_round(struct ping *p, struct ping_result *r, struct err *e)
{
	struct url u = *r->url;
	struct round o = { .r = r };
	const struct session_hooks h = { .ctx = &o, .answer = on_answer };
	struct net_loop *l = new_loop(p);
	uint64_t start = time_mono();
	struct session *s = NULL;
	enum status st;

	if (!l)
		return err_set(e, ST_NOMEM, "no memory");
	u.scheme = r->via;
	st = session_open(&s, l, &u, &p->net, &h, e);
	if (st == ST_OK)
		st = call(p, s, 1, e);
	if (st == ST_OK) {
		add_phases(r, s, &o, start);
		r->answered++;
		st = call(p, s, 2, e);
		if (st == ST_OK)
			ping_add(r, PING_AGAIN, behind(o.done_ns, session_sent(s)));
	}
	session_close(s);
	net_loop_free(l);
	return st;
}

static void round_of(struct ping *p, struct ping_result *r)
{
	struct err e = { .code = ST_OK };
	enum url_scheme guess;
	enum status st;

	if (r->via == URL_GUESS)
		r->via = URL_HTTP;
	r->done++;
	st = one_round(p, r, &e);
	if (st != ST_OK && !r->answered && session_guess(r->url, r->via, &e, &guess)) {
		r->via = guess;
		st = one_round(p, r, &e);
	}
	if (st != ST_OK && st != ST_AGAIN)
		ping_add_error(r, &e);
	else if (st == ST_AGAIN)
		r->done--;
}

/* The URLs in turn, so that what changes meanwhile changes for all. Ends early when the user wants it. */
static void all_rounds(struct ping *p, unsigned rounds)
{
	uint64_t interval = p->conf->ping_interval, due = time_mono();
	bool any = false;
	struct err e;

	for (unsigned i = 0; i < p->n; i++)
		any |= p->urls[i].scheme != URL_ENODE;
	for (unsigned k = 0; k < rounds && any && !stop_asked(); k++) {
		uint64_t now = time_mono();

		while (now < due && !stop_asked()) {
			if (net_loop_wait(p->loop, (int)((due - now) / NS_MS) + 1, &e) != ST_OK)
				return;
			now = time_mono();
		}
		due = now + interval;
		for (unsigned i = 0; i < p->n && !stop_asked(); i++) {
			if (p->results[i].url->scheme != URL_ENODE)
				round_of(p, &p->results[i]);
		}
	}
}

/* A node's peer-to-peer port lets one in once in half a minute: it is asked once, and pinged on that connection. */
static bool enodes(struct ping *p, unsigned rounds)
{
	bool ok = true;
	struct err e;

	for (unsigned i = 0; i < p->n && !stop_asked(); i++) {
		if (p->urls[i].scheme != URL_ENODE)
			continue;
		e.code = ST_OK;
		if (ping_enode(&p->urls[i], p->conf->key, rounds, &e) != ST_OK) {
			(void)cmd_fail(&e);
			ok = false;
		}
	}
	return ok;
}

static enum status check(struct ping *p, unsigned rounds, struct err *e)
{
	const struct conf *c = p->conf;
	enum status st = ST_OK;

	if (!c->n_args) {
		err_set(e, ST_USAGE, "ping wants a URL");
		return err_cure(e, "chaintop ping ws://127.0.0.1:8546");
	}
	if (!rounds || rounds > PING_ROUNDS_MAX)
		return err_set(e, ST_USAGE, "--count: from 1 to %d", PING_ROUNDS_MAX);
	for (unsigned i = 0; i < c->n_args && st == ST_OK; i++)
		st = configured_urls(c, c->args[i], p->urls, URLS_MAX, &p->n, e);
	for (unsigned i = 0; i < p->n && st == ST_OK; i++) {
		if (p->urls[i].scheme == URL_RECORDING)
			st = err_set(e, ST_USAGE, "a recording is no node");
		else if (p->urls[i].scheme == URL_ENODE && c->json)
			st = err_set(e, ST_USAGE, "--json: not for enode://");
	}
	return st;
}

static int report(struct ping *p, bool ok)
{
	bool first = true;

	if (p->conf->json && ping_print_json(stdout, p->results, p->n) != ST_OK)
		return EXIT_OURS;
	for (unsigned i = 0; i < p->n; i++) {
		if (p->urls[i].scheme == URL_ENODE)
			continue;
		ok &= p->results[i].answered > 0;
		if (p->conf->json)
			continue;
		if (!first)
			putchar('\n');
		first = false;
		ping_print(stdout, &p->results[i]);
	}
	if (fflush(stdout) != 0)
		return EXIT_BAD;
	return ok ? EXIT_FINE : EXIT_NONE_ANSWERS;
}

static enum status prepare(struct ping *p, unsigned rounds, struct err *e)
{
	enum status st = wake_init(&p->wake, e);

	if (st == ST_OK)
		stop_on_signals(&p->wake, NULL);
	if (st == ST_OK && !(p->loop = new_loop(p)))
		st = err_set(e, ST_NOMEM, "no memory");
	for (unsigned i = 0; i < p->n && st == ST_OK; i++) {
		if (ping_result_init(&p->results[i], &p->urls[i], rounds) != ST_OK)
			st = err_set(e, ST_NOMEM, "no memory");
	}
	return st;
}

static int ping_run(const struct conf *c)
{
	unsigned rounds = c->ping_count > UINT32_MAX ? UINT32_MAX : (unsigned)c->ping_count;
	struct ping *p = calloc(1, sizeof(*p));
	struct err e = { .code = ST_OK };
	bool ok;
	int code;

	if (!p)
		return EXIT_OURS;
	p->conf = c;
	if (netopts_from(&p->net, c, &e) != ST_OK || check(p, rounds, &e) != ST_OK || prepare(p, rounds, &e) != ST_OK) {
		code = cmd_fail(&e);
	} else {
		ok = enodes(p, rounds);
		all_rounds(p, rounds);
		code = report(p, ok);
	}
	if (p->loop)
		net_loop_free(p->loop);
	for (unsigned i = 0; i < p->n; i++) {
		ping_result_fini(&p->results[i]);
		url_fini(&p->urls[i]);
	}
	free(p);
	return code;
}

const struct cmd_class cmd_ping = {
	.name = "ping",
	.args = "URL...",
	.help = "is a node there, and how long do the parts of a round trip take",
	.about = "For each round a connection of its own and a call over it (eth_chainId): name lookup, TCP, TLS,\n"
		 "upgrade to WebSocket, first byte and rest of the answer, each with least, median and most. `again`\n"
		 "is a second call over the connection that stands: the round trip itself. What a transport does not\n"
		 "have is left out.\n"
		 "Of enode:// URLs: RLPx handshake, Hello and Status, each with the ms since the start, then the pings.\n"
		 "A node that was asked lets the same address wait for half a minute before it listens again.\n"
		 "--json: {\"endpoints\":[{node, via, address, rounds, answered, chain_id, ms: {tcp: {n, min, p50, max}, ...},\n"
		 "errors: [{code, n, text, cure}]}]}.\n"
		 "Exit: 0, 69 if one of them never answered.\n"
		 "\nExamples:\n"
		 "  chaintop ping ws://127.0.0.1:8546 http://127.0.0.1:8545 /data/geth.ipc\n"
		 "  chaintop ping -c 20 --interval 200ms wss://example.org/KEY\n"
		 "  chaintop ping enode://<128 hex digits>@127.0.0.1:30303\n",
	.run = ping_run,
};
