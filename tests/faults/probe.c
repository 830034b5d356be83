/*
 * probe URL... : the feeds without model and screen. Every event becomes a JSON line on stdout, so that the fault matrix
 * sees exactly what a model would. Ends on SIGTERM, SIGINT, end of stdin, or after --timeout. Of what the model does it
 * does two things: bodies that were lost with a connection are asked for when it stands again, and lost events told again.
 * With CHAINTOP_JUDGE set a model sees the events, too, and says at the end what it makes of them (judge.h).
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/time.h"
#include "conf/conf.h"
#include "feed/feed.h"
#include "judge.h"

enum { MOST = 64, LOST_MAX = 64 };

/* Bodies that a path lost with its connection. */
static struct {
	struct cmd cmd[LOST_MAX];
	unsigned n;
} lost[MOST];

static struct wake *waker;
static struct model *judge; /* NULL: there is none */
static volatile sig_atomic_t ended;

static void on_signal(int sig)
{
	(void)sig;
	ended = 1;
	wake_raise(waker);
}

static void text(const char *key, const char *s)
{
	printf(",\"%s\":\"", key);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar((unsigned char)*s < 0x20 ? ' ' : *s);
	}
	putchar('"');
}

static void hash(const char *key, const struct hash *h)
{
	char hex[70];

	printf(",\"%s\":\"%s\"", key, hex_print(hex, h->b, 32));
}

static void number(const char *key, uint64_t n)
{
	printf(",\"%s\":%llu", key, (unsigned long long)n);
}

static void print_link(const struct event *e)
{
	static const char *const states[] = { "idle", "connecting", "live", "polling", "silent", "waiting", "stopped" };

	printf(",\"ev\":\"link\"");
	text("state", states[e->u.link.state]);
	text("code", status_word((enum status)e->u.link.code));
	number("attempt", e->u.link.attempt);
	text("via", e->u.link.via);
	text("text", e->u.link.text);
	text("cure", e->u.link.cure);
}

static void print_head(const struct event *e)
{
	static const char *const sources[] = { "push", "poll", "first", "backfill", "gap", "walk", "asked" };

	printf(",\"ev\":\"head\"");
	number("number", e->u.head.h.number);
	hash("hash", &e->u.head.h.hash);
	hash("parent", &e->u.head.h.parent);
	text("source", sources[e->u.head.source]);
	number("hash_ok", e->u.head.hash_ok);
}

static void print_block(const struct event *e)
{
	const struct block *b = e->u.block.block;

	printf(",\"ev\":\"block\"");
	number("number", b->h.number);
	hash("hash", &b->h.hash);
	number("txs", b->h.ntx);
	number("sample", e->u.block.sample);
	number("reads", e->u.block.reads);
	number("wire", e->u.block.wire_bytes);
}

static void print_event(const struct event *e)
{
	printf("{\"mono\":%llu,\"path\":%u", (unsigned long long)e->mono, e->path);
	switch ((enum event_kind)e->kind) {
	case EV_LINK:
		print_link(e);
		break;
	case EV_CHAIN:
		printf(",\"ev\":\"chain\",\"ok\":%s", e->u.chain.ok ? "true" : "false");
		number("id", e->u.chain.id);
		hash("genesis", &e->u.chain.genesis);
		break;
	case EV_HEAD:
		print_head(e);
		break;
	case EV_BLOCK:
		print_block(e);
		break;
	case EV_VERDICT:
		printf(",\"ev\":\"verdict\"");
		hash("hash", &e->u.verdict.hash);
		number("truth", verdict_all(&e->u.verdict.v));
		text("field", e->u.verdict.v.field);
		text("reason", e->u.verdict.v.reason);
		number("us", e->u.verdict.took_us);
		break;
	case EV_BODY_MISS:
		printf(",\"ev\":\"miss\"");
		number("number", e->u.miss.number);
		text("code", status_word((enum status)e->u.miss.code));
		text("text", e->u.miss.text);
		break;
	case EV_REPLY:
		printf(",\"ev\":\"reply\"");
		text("method", method_name((enum method)e->u.reply.method));
		text("code", status_word((enum status)e->u.reply.code));
		printf(",\"detail\":%d", (int)e->u.reply.detail);
		number("attempt", e->u.reply.attempt);
		text("text", e->u.reply.text);
		break;
	case EV_INFO:
		printf(",\"ev\":\"info\"");
		number("info", e->u.info.info);
		text("code", status_word((enum status)e->u.info.code));
		number("a", e->u.info.a);
		number("b", e->u.info.b);
		text("client", e->u.info.text);
		break;
	case EV_TAG:
		printf(",\"ev\":\"tag\"");
		number("final", e->u.tag.final);
		text("code", status_word((enum status)e->u.tag.code));
		number("number", e->u.tag.number);
		break;
	case EV_GAP:
		printf(",\"ev\":\"gap\"");
		number("from", e->u.gap.from);
		number("to", e->u.gap.to);
		number("asked", e->u.gap.asked);
		break;
	case EV_TRAFFIC:
		printf(",\"ev\":\"traffic\"");
		number("in", e->u.traffic.bytes_in);
		number("out", e->u.traffic.bytes_out);
		number("calls", e->u.traffic.calls);
		number("notes", e->u.traffic.notes);
		number("odd", e->u.traffic.odd);
		number("bodies", e->u.traffic.bodies);
		break;
	case EV_CLOCK:
		printf(",\"ev\":\"clock\"");
		break;
	case EV_LOST:
		printf(",\"ev\":\"lost\"");
		number("dropped", e->u.lost.dropped);
		break;
	case EV_PEER:
	case EV_PEER_COUNT:
	case EV_PEER_LEFT:
		printf(",\"ev\":\"peer\"");
		break;
	case EV_TXS:
		printf(",\"ev\":\"txs\"");
		number("n", e->u.txs.n);
		number("lost", e->u.txs.lost);
		break;
	}
	printf("}\n");
}

static bool is_up(const struct event *e)
{
	return e->kind == EV_LINK && (e->u.link.state == LINK_LIVE || e->u.link.state == LINK_POLLING);
}

/* What the model would ask for. */
static void ask(struct feed *f, const struct event *e)
{
	unsigned *n = &lost[e->path].n;

	if (e->kind == EV_LOST) {
		(void)feed_command(f, &(struct cmd){ .kind = CMD_RESYNC });
	} else if (e->kind == EV_BODY_MISS && *n < LOST_MAX) {
		switch ((enum status)e->u.miss.code) {
		case ST_RESET: case ST_CLOSED: case ST_SILENT: case ST_IO: case ST_MALFORMED: case ST_RATE: case ST_TIMEOUT:
		case ST_HTTP: case ST_REFUSED:
			lost[e->path].cmd[(*n)++] = (struct cmd){
				.kind = CMD_BODY, .number = e->u.miss.number, .hash = e->u.miss.hash,
			};
			break;
		default:
			break;
		}
	} else if (is_up(e)) {
		while (*n > 0 && feed_command(f, &lost[e->path].cmd[*n - 1]))
			(*n)--;
	}
}

static unsigned drain(struct feed **feeds, unsigned n)
{
	const struct event *e;
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++) {
		while ((e = feed_peek(feeds[i])) != NULL) {
			print_event(e);
			ask(feeds[i], e);
			if (judge)
				model_apply(judge, e); /* takes the block */
			else if (e->kind == EV_BLOCK)
				block_unref(e->u.block.block);
			feed_pop(feeds[i]);
			count++;
		}
	}
	return count;
}

static void watch(struct feed **feeds, unsigned n, struct wake *w, uint64_t end)
{
	struct pollfd p[2] = { { .fd = wake_fd(w), .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };
	char c;

	while (!ended && time_mono() < end) {
		if (poll(p, 2, 100) > 0 && (p[0].revents & POLLIN))
			wake_take(w);
		if (p[1].revents && read(STDIN_FILENO, &c, 1) <= 0)
			break;
		if (drain(feeds, n))
			fflush(stdout);
		if (judge)
			model_tick(judge, time_mono(), time_wall());
	}
}

int main(int argc, char **argv)
{
	static struct claims claims;
	struct feed *feeds[MOST];
	struct url urls[MOST];
	struct wake w;
	struct conf conf;
	struct net_opts net;
	struct err e = { .code = ST_OK };
	unsigned n = 0;
	uint64_t deadline;
	int code = 0;

	signal(SIGPIPE, SIG_IGN);
	if (conf_parse(&conf, argc, argv, &e) != ST_OK || net_global_init(&e) != ST_OK || wake_init(&w, &e) != ST_OK ||
	    log_open(conf.log, LOG_DEBUG, &e) != ST_OK) {
		fprintf(stderr, "probe: %s\n", e.text);
		return 64;
	}
	waker = &w;
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	claims_init(&claims);
	net = (struct net_opts){ .headers = conf.headers.item, .n_headers = conf.headers.n, .jwt_file = conf.jwt,
				 .cacert = conf.cacert, .insecure = conf.insecure, .proxy = conf.proxy };
	for (; n < conf.n_args && n < MOST; n++) {
		struct feed_opts o = { .url = &urls[n], .net = &net, .path = (uint16_t)n, .bodies = (enum bodies)conf.bodies,
				       .others_push = conf.n_args > 1, .claims = &claims, .wake = &w };

		if (url_parse(&urls[n], conf.args[n], &e) != ST_OK || feed_start(&feeds[n], &o, &e) != ST_OK) {
			fprintf(stderr, "probe: %s\n", e.text);
			return 64;
		}
	}
	if (getenv("CHAINTOP_JUDGE"))
		judge = judge_new(n);
	/* --timeout is how long to watch. */
	watch(feeds, n, &w, time_mono() + conf.timeout);
	for (unsigned i = 0; i < n; i++)
		feed_stop(feeds[i]);
	deadline = time_mono() + 5 * NS_S;
	for (unsigned i = 0; i < n; i++) {
		if (!feed_join(feeds[i], deadline)) {
			fprintf(stderr, "probe: feed %u does not end\n", i);
			_exit(70);
		}
	}
	drain(feeds, n);
	if (judge)
		judge_end(judge);
	for (unsigned i = 0; i < n; i++) {
		feed_free(feeds[i]);
		url_fini(&urls[i]);
	}
	fflush(stdout);
	wake_fini(&w);
	net_global_fini();
	log_close();
	conf_fini(&conf);
	return code;
}
