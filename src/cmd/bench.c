/* chaintop bench: the block path measured, over the network or by itself. */
#include <inttypes.h>
#include <langinfo.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "cmd/bench_decode.h"
#include "cmd/bench_rlpx.h"
#include "cmd/bench_table.h"
#include "cmd/cmd.h"
#include "configured.h"
#include "cmd/interrupt.h"
#include "cmd/netopts.h"
#include "feed/pull.h"
#include "net/devp2p/enode.h"
#include "net/devp2p/peer.h"

enum { URLS_MAX = 32, LAST_LOCAL = 1000, LAST_REMOTE = 100 };

struct bench {
	const struct conf *conf;
	struct net_opts net;
	struct url urls[URLS_MAX];
	unsigned n_urls;
	unsigned sets[BENCH_SETS_MAX], n_sets;
	uint64_t left_ns[URLS_MAX]; /* when the last connection to it ended; 0: there was none */
	uint8_t key[CURVE_KEY]; /* of enode:// URLs, if has_key */
	bool has_key;
	struct bench_result r;
	uint64_t seed;
	_Atomic bool stopped;
};

/* ---- one measurement ---- */

/* Peak memory from now on; where the kernel cannot forget the old peak it is that of the whole process. */
static void reset_peak(void)
{
	FILE *f;

#ifdef __GLIBC__
	malloc_trim(0);
#endif
	f = fopen("/proc/self/clear_refs", "w");
	if (!f)
		return;
	fputs("5", f);
	fclose(f);
}

static uint64_t peak_bytes(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[200];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	}
	fclose(f);
	return (uint64_t)kib * 1024;
}

static void stop(void *ctx)
{
	struct bench *b = ctx;

	atomic_store(&b->stopped, true);
}

/* A node on another machine lets an address in by RLPx once in half a minute. */
static void wait_turn(struct bench *b, unsigned url)
{
	const struct timespec nap = { .tv_nsec = NS_S / 10 };
	uint64_t until = b->left_ns[url] + PEER_BACKOFF_S * NS_S;

	if (b->urls[url].scheme != URL_ENODE || url_is_local(&b->urls[url]) || !b->left_ns[url])
		return;
	while (time_mono() < until && !atomic_load(&b->stopped))
		nanosleep(&nap, NULL);
}

static enum status pull_once(struct bench *b, unsigned url, struct pull_opts *o, struct pull_stats *s, struct err *e)
{
	struct pull *p;
	enum status st;

	o->url = &b->urls[url];
	o->net = &b->net;
	o->key = b->has_key ? b->key : NULL;
	wait_turn(b, url);
	st = pull_start(&p, o, e);
	if (st != ST_OK)
		return st;
	while (!pull_wait(p, NS_S / 10, NULL)) {
		if (atomic_load(&b->stopped))
			pull_stop(p);
	}
	st = pull_finish(p, s, e);
	b->left_ns[url] = time_mono();
	return st;
}

/* All have the same blocks: their size is that of the JSON as soon as anybody sends some. */
static void keep_size(struct bench *b, unsigned url, const struct pull_stats *s)
{
	bool rlp = b->urls[url].scheme == URL_ENODE;

	b->r.txs = s->txs;
	if (rlp && b->r.json_bytes && !b->r.rlp)
		return;
	b->r.json_bytes = s->json_bytes;
	b->r.rlp = rlp;
}

static void keep(struct bench_row *row, struct bench_cell *c, const struct pull_stats *s, bool counts)
{
	if (!counts) {
		row->verified = s->verified;
		row->doubtful = s->doubtful;
		snprintf(row->via, sizeof(row->via), "%s", s->via);
		return;
	}
	c->seconds[c->n] = (double)s->elapsed_ns / 1e9;
	c->cpu_ns[c->n++] = s->cpu_ns;
	c->threads = s->threads;
	c->connections = s->connections;
	hist_merge(&c->latency, &s->latency);
	c->thread_ns += s->thread_ns;
	c->decode_ns += s->decode_ns;
	c->busy_ns += s->cpu_ns;
	c->wire_bytes = s->wire_bytes;
	c->retries += s->retries;
	c->reconnects += s->reconnects;
}

static void measure(struct bench *b, unsigned url, unsigned set, unsigned round)
{
	struct bench_row *row = &b->r.rows[url];
	struct bench_cell *c = &row->cell[set];
	struct pull_stats *s = malloc(sizeof(*s)); /* a histogram is in it */
	struct pull_opts o = {
		.from = b->r.from,
		.to = b->r.to,
		.workers = b->sets[set],
		.threads = (unsigned)(b->conf->threads > PULL_WORKERS_MAX ? 0 : b->conf->threads),
		.verify = round == 0,
	};
	struct err e = { .code = ST_OK };
	enum status st;
	uint64_t peak;

	if (!s || row->failed || atomic_load(&b->stopped)) {
		free(s);
		return;
	}
	reset_peak();
	st = pull_once(b, url, &o, s, &e);
	peak = peak_bytes();
	if (st == ST_OK) {
		keep(row, c, s, round > 0);
		keep_size(b, url, s);
		if (round > 0 && peak > c->rss_bytes)
			c->rss_bytes = peak;
	} else if (st != ST_AGAIN) {
		row->failed = true;
		snprintf(row->why, sizeof(row->why), "%s", e.text);
	}
	free(s);
}

/* ---- rounds ---- */

static uint64_t next_random(uint64_t *state)
{
	/* xorshift64 (Marsaglia 2003): enough to shuffle. */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void say_round(const struct bench *b, unsigned round)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\33[K%s %u of %u", round ? "round" : "warming up, round", round, b->r.rounds);
}

static void run_rounds(struct bench *b)
{
	unsigned order[URLS_MAX * BENCH_SETS_MAX], n = b->n_urls * b->n_sets;

	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	for (unsigned round = 0; round <= b->r.rounds && !atomic_load(&b->stopped); round++) {
		say_round(b, round);
		/* Fisher and Yates: who comes behind whom must not be the same each time. */
		for (unsigned i = n; i > 1; i--) {
			unsigned k = (unsigned)(next_random(&b->seed) % i), t = order[k];

			order[k] = order[i - 1];
			order[i - 1] = t;
		}
		for (unsigned i = 0; i < n; i++)
			measure(b, order[i] / b->n_sets, order[i] % b->n_sets, round);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\33[K");
}

/* ---- options ---- */

static enum status parse_sets(struct bench *b, struct err *e)
{
	const char *p = b->conf->workers ? b->conf->workers : "1,8";

	while (*p) {
		char *end = NULL;
		unsigned long v = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : 0;

		if (v < 1 || v > PULL_WORKERS_MAX || (*end && *end != ',') || b->n_sets == BENCH_SETS_MAX) {
			err_set(e, ST_USAGE, "--workers %.40s: not a list of numbers from 1 to %d", b->conf->workers,
				PULL_WORKERS_MAX);
			return err_cure(e, "--workers 1,8");
		}
		b->sets[b->n_sets++] = (unsigned)v;
		p = *end ? end + 1 : end;
	}
	return b->n_sets ? ST_OK : err_set(e, ST_USAGE, "--workers: no number");
}

static enum status parse_urls(struct bench *b, struct err *e)
{
	enum status st = ST_OK;

	if (b->conf->n_args == 0) {
		err_set(e, ST_USAGE, "bench wants URLs, or one of: decode DIR, rlpx");
		return err_cure(e, "chaintop bench --help");
	}
	for (unsigned i = 0; i < b->conf->n_args && st == ST_OK; i++) {
		unsigned k = b->n_urls;

		st = configured_urls(b->conf, b->conf->args[i], b->urls, URLS_MAX, &b->n_urls, e);
		for (; k < b->n_urls && st == ST_OK; k++) {
			if (b->urls[k].scheme == URL_RECORDING)
				st = err_set(e, ST_USAGE, "%s: a recording is no node", b->conf->args[i]);
			/* Once for all; the file is made if it is not there. */
			if (st == ST_OK && b->urls[k].scheme == URL_ENODE && b->conf->key && !b->has_key) {
				st = enode_key(b->key, b->conf->key, e);
				b->has_key = st == ST_OK;
			}
		}
	}
	return st;
}

static enum status make_rows(struct bench *b, struct err *e)
{
	b->r.rows = calloc(b->n_urls, sizeof(*b->r.rows));
	if (!b->r.rows)
		return err_set(e, ST_NOMEM, "no memory");
	b->r.n_rows = b->n_urls;
	b->r.n_sets = b->n_sets;
	b->r.rounds = (unsigned)b->conf->rounds;
	for (unsigned i = 0; i < b->n_urls; i++) {
		struct bench_row *row = &b->r.rows[i];

		if (b->urls[i].name[0])
			snprintf(row->node, sizeof(row->node), "%s", b->urls[i].name);
		else
			url_show(row->node, sizeof(row->node), &b->urls[i]);
		snprintf(row->via, sizeof(row->via), "%s", url_via(b->urls[i].scheme));
		for (unsigned k = 0; k < b->n_sets; k++)
			row->cell[k].workers = b->sets[k];
	}
	return ST_OK;
}

/* The newest blocks that all have. Who does not answer is left out from here on. */
static enum status find_range(struct bench *b, struct err *e)
{
	uint64_t head = UINT64_MAX, last = b->conf->last;
	bool local = true, sure = false;

	for (unsigned i = 0; i < b->n_urls; i++) {
		struct pull_opts o = { .from = 1, .to = 0, .workers = 1 };
		struct pull_stats s;

		local &= url_is_local(&b->urls[i]);
		if (pull_once(b, i, &o, &s, e) != ST_OK) {
			b->r.rows[i].failed = true;
			snprintf(b->r.rows[i].why, sizeof(b->r.rows[i].why), "%s", e->text);
			continue;
		}
		if (sure && !s.is_network && s.chain_id != b->r.chain_id)
			return err_set(e, ST_USAGE, "%s is on chain %" PRIu64 ", others on %" PRIu64, b->r.rows[i].node,
				s.chain_id, b->r.chain_id);
		if (!sure)
			b->r.chain_id = s.chain_id;
		sure |= !s.is_network;
		head = s.head < head ? s.head : head;
	}
	if (head == UINT64_MAX)
		return e->code;
	if (!last)
		last = local ? LAST_LOCAL : LAST_REMOTE;
	b->r.to = head;
	b->r.from = last > head ? 0 : head - last + 1;
	return ST_OK;
}

/* ---- run ---- */

static int report(struct bench *b)
{
	int code = EXIT_FINE;

	bench_sort(&b->r);
	for (unsigned i = 0; i < b->r.n_rows; i++) {
		if (b->r.rows[i].failed)
			code = EXIT_BAD;
	}
	if (!b->conf->json)
		bench_print(&b->r, stdout, strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
	else if (!bench_print_json(&b->r, stdout))
		code = EXIT_OURS;
	return fflush(stdout) == 0 ? code : EXIT_BAD;
}

static int bench_urls(const struct conf *c)
{
	struct bench b = { .conf = c, .seed = time_mono() | 1 };
	struct interrupt *in = NULL;
	struct err e = { .code = ST_OK };
	enum status st = netopts_from(&b.net, c, &e);
	int code, sig;

	netopts_bulk_memory();
	if (st == ST_OK && (c->rounds < 1 || c->rounds > BENCH_ROUNDS_MAX))
		st = err_set(&e, ST_USAGE, "--rounds: a number from 1 to %d", BENCH_ROUNDS_MAX);
	if (st == ST_OK)
		st = parse_sets(&b, &e);
	if (st == ST_OK)
		st = parse_urls(&b, &e);
	if (st == ST_OK)
		st = make_rows(&b, &e);
	if (st == ST_OK)
		st = interrupt_start(&in, stop, &b, &e);
	if (st == ST_OK)
		st = find_range(&b, &e);
	if (st == ST_OK)
		run_rounds(&b);
	sig = interrupt_finish(in);
	if (sig)
		code = 128 + sig;
	else
		code = st == ST_OK ? report(&b) : cmd_fail(&e);
	for (unsigned i = 0; i < b.n_urls; i++)
		url_fini(&b.urls[i]);
	free(b.r.rows);
	explicit_bzero(b.key, sizeof(b.key));
	return code;
}

static int bench_run(const struct conf *c)
{
	const char *what = c->n_args ? c->args[0] : "";
	struct err e;

	if (strcmp(what, "rlpx") == 0 && c->n_args == 1)
		return bench_rlpx(&(struct bench_rlpx_opts){ .json = c->json }, stdout);
	if (strcmp(what, "decode") != 0)
		return bench_urls(c);
	if (c->n_args == 2)
		return bench_decode(c->args[1], c->json, stdout);
	err_set(&e, ST_USAGE, "bench decode wants one folder of <number>.json files");
	return cmd_fail(&e);
}

const struct cmd_class cmd_bench = {
	.name = "bench",
	.args = "URL...|decode DIR|rlpx",
	.help = "measure endpoints, the decoder, or the devp2p transport",
	.about = "URL...: fetches the same full blocks from each endpoint, once for each number of workers and round, "
		 "in shuffled order,\n"
		 "and compares. decode DIR: GB/s of the decoder on the block files of a folder. rlpx: messages between "
		 "two ends on\n"
		 "the loopback.\n"
		 "Without --last 1000 blocks are taken from local nodes, 100 as soon as one is remote.\n"
		 "\nenode:// URLs: each body is checked against its header and the senders are recovered from the "
		 "signatures, which costs\n"
		 "CPU that the others do not need, and at most 16 requests for up to 32 headers or 16 bodies are in flight. "
		 "Their latency is\n"
		 "that of such a request. MB/s counts the JSON of the same blocks, or RLP if all are enode://. Between two "
		 "connections to a\n"
		 "node on another machine are 35 s: it would not let us in.\n"
		 "\nExamples:\n"
		 "  chaintop bench geth=ws://127.0.0.1:8546 geth=/data/geth.ipc --workers 1,8\n"
		 "  chaintop bench geth=/data/geth.ipc geth=enode://<128 hex digits>@127.0.0.1:30303\n"
		 "  chaintop bench decode blocks/\n",
	.run = bench_run,
};
