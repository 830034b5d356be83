#include "cmd/ping_enode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "configured.h"
#include "eth/chains.h"
#include "eth/forkid.h"
#include "net/devp2p/dial.h"
#include "net/devp2p/enode.h"

struct ping {
	struct net_loop *loop;
	struct dial *d;
	unsigned rounds;
	uint64_t start_ns, secure_ns;
	unsigned pongs;
	uint64_t best_ns, worst_ns, sum_ns;
};

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void put_hex(const void *p, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		printf("%02x", b[i]);
}

static void print_hello(const struct p2p_hello *h)
{
	char client[200];

	utf8_clean(client, sizeof(client), h->client, strlen(h->client));
	printf("%-10s %s\n%-10s", "client", client, "speaks");
	for (unsigned i = 0; i < h->n_caps; i++) {
		char name[40];

		utf8_clean(name, sizeof(name), h->caps[i].name, strlen(h->caps[i].name));
		printf(" %s/%" PRIu32, name, h->caps[i].version);
	}
	printf("%s; p2p %" PRIu64 "\n", h->more_caps ? " …" : "", h->version);
}

static void print_status(const struct eth_status *s, unsigned version)
{
	uint64_t id = forkid_chain(&s->genesis, s->fork_hash);
	const struct chain_info *c = chain_find(id);
	char words[FORKID_TEXT];

	printf("%-10s eth/%u%s\n", "status", version, s->has & ETH_IS_BOR ? " (Bor)" : "");
	printf("%-10s %" PRIu64 "\n", "network", s->network);
	/* The genesis and the forks say which chain it is; a network id is any number. */
	if (id)
		printf("%-10s %" PRIu64 "%s%s\n", "chain", id, c->id ? ", " : "", c->id ? c->name : "");
	printf("%-10s 0x", "genesis");
	put_hex(s->genesis.b, 32);
	printf("\n%-10s 0x", "fork id");
	put_hex(s->fork_hash, 4);
	if (forkid_words(words, &s->genesis, s->fork_hash, s->fork_next, time_wall() / NS_S) != FORKID_OTHER)
		printf(", %s", words);
	else if (s->fork_next)
		printf(", next %" PRIu64, s->fork_next);
	printf("\n%-10s 0x", "head");
	put_hex(s->head.b, 32);
	printf("\n");
	if (s->has & ETH_HAS_RANGE)
		printf("%-10s %" PRIu64 " to %" PRIu64 "\n", "blocks", s->earliest, s->latest);
}

static enum status next_ping(struct ping *p, struct err *e)
{
	return peer_ping(dial_peer(p->d), time_mono(), e);
}

static enum status take(struct ping *p, const struct peer_event *ev, struct err *e)
{
	const struct net_phases *ph = dial_phases(p->d);

	switch (ev->kind) {
	case PEER_SECURE:
		p->secure_ns = time_mono() - p->start_ns;
		printf("%-10s %.1f ms\n", "TCP", ms(ph->tcp));
		printf("%-10s %.1f ms: it has the key of that node id\n", "RLPx", ms(p->secure_ns));
		return ST_OK;
	case PEER_HELLO:
		printf("%-10s %.1f ms\n", "Hello", ms(time_mono() - p->start_ns));
		print_hello(ev->u.hello);
		return ST_OK;
	case PEER_STATUS:
		printf("%-10s %.1f ms\n", "Status", ms(ph->ready));
		print_status(ev->u.status.status, ev->u.status.version);
		return next_ping(p, e);
	case PEER_PONG:
		p->pongs++;
		p->sum_ns += ev->u.rtt_ns;
		if (p->pongs == 1 || ev->u.rtt_ns < p->best_ns)
			p->best_ns = ev->u.rtt_ns;
		if (ev->u.rtt_ns > p->worst_ns)
			p->worst_ns = ev->u.rtt_ns;
		return p->pongs < p->rounds ? next_ping(p, e) : ST_OK;
	default:
		return ST_OK;
	}
}

static enum status talk(struct ping *p, struct err *e)
{
	struct peer_event ev;
	enum status st;

	while (p->pongs < p->rounds) {
		uint64_t now = time_mono(), due = dial_deadline(p->d);

		if (due > now + NS_S)
			due = now + NS_S;
		st = net_loop_wait(p->loop, due > now ? (int)((due - now + NS_MS - 1) / NS_MS) : 0, e);
		if (st != ST_OK)
			return st;
		while ((st = dial_next(p->d, &ev, e)) == ST_OK) {
			st = take(p, &ev, e);
			if (st != ST_OK)
				return st;
		}
		if (st != ST_AGAIN)
			return st;
		dial_flush(p->d);
		fflush(stdout);
	}
	return ST_OK;
}

enum status ping_enode(const struct url *u, const char *key_file, unsigned rounds, struct err *e)
{
	struct ping p = { .rounds = rounds };
	struct net_opts net = { .headers = NULL };
	uint8_t key[CURVE_KEY];
	enum status st = key_file ? enode_key(key, key_file, e) : ST_OK;

	if (st == ST_OK && !(p.loop = net_loop_new()))
		st = err_set(e, ST_NOMEM, "out of memory");
	p.start_ns = time_mono();
	if (st == ST_OK)
		st = dial_open(&p.d, p.loop, u, &net, key_file ? key : NULL, e);
	if (st == ST_OK)
		st = talk(&p, e);
	if (p.pongs)
		printf("%-10s %.3f / %.3f / %.3f ms (least, mean, most of %u)\n", "ping", ms(p.best_ns),
		       ms(p.sum_ns / p.pongs), ms(p.worst_ns), p.pongs);
	dial_close(p.d, P2P_QUITTING);
	if (p.loop)
		net_loop_free(p.loop);
	explicit_bzero(key, sizeof(key));
	return st;
}
