/* chaintop fetch URL: full blocks in order, as fast as the node gives them. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cmd/cmd.h"
#include "configured.h"
#include "cmd/interrupt.h"
#include "cmd/netopts.h"
#include "cmd/sink.h"
#include "feed/pull.h"
#include "net/devp2p/enode.h"
#include "out/block_csv.h"
#include "out/block_json.h"
#include "out/block_text.h"

enum format { FORMAT_NONE, FORMAT_NDJSON, FORMAT_JSON, FORMAT_PRETTY, FORMAT_CSV };

enum { LAST_DEFAULT = 1000 };

struct fetch {
	const struct conf *conf;
	enum format format;
	struct sink sink;
	struct pull *pull;
	bool begun; /* the opening bracket of json is written */
};

/* ---- what is written ---- */

/* On any thread: touches nothing but its arguments and what never changes. */
static enum status format_block(void *ctx, struct buf *out, const struct block *b)
{
	const struct fetch *f = ctx;
	enum status st;

	switch (f->format) {
	case FORMAT_NDJSON:
		st = block_json(out, b);
		return st == ST_OK ? buf_add(out, "\n", 1) : st;
	case FORMAT_JSON: return block_json(out, b);
	case FORMAT_PRETTY: return block_text(out, b);
	case FORMAT_CSV: return block_csv(out, b, f->conf->transactions);
	case FORMAT_NONE: break;
	}
	return ST_OK;
}

static enum status write_block(void *ctx, const char *text, size_t n, struct err *e)
{
	struct fetch *f = ctx;
	enum status st = ST_OK;

	if (f->format == FORMAT_JSON) {
		st = sink_write(&f->sink, f->begun ? ",\n" : "[\n", 2, e);
		f->begun = true;
	}
	return st == ST_OK ? sink_write(&f->sink, text, n, e) : st;
}

static enum status write_head(struct fetch *f, struct err *e)
{
	const char *head = block_csv_header(f->conf->transactions);

	return f->format == FORMAT_CSV ? sink_write(&f->sink, head, strlen(head), e) : ST_OK;
}

/* Not behind a failure: then the text shows that it is not whole. */
static enum status write_tail(struct fetch *f, struct err *e)
{
	const char *tail = f->begun ? "\n]\n" : "[]\n";

	return f->format == FORMAT_JSON ? sink_write(&f->sink, tail, 3, e) : ST_OK;
}

/* ---- what is said ---- */

static void say_progress(const struct pull_stats *s)
{
	double seconds = (double)s->elapsed_ns / 1e9;

	if (!s->ready || seconds <= 0)
		return;
	fprintf(stderr, "\r\33[K%" PRIu64 " of %" PRIu64 " blocks, %.1f MB, %.0f blocks/s, %.1f MB/s", s->blocks,
		s->to - s->from + 1, (double)s->json_bytes / 1e6, (double)s->blocks / seconds,
		(double)s->json_bytes / 1e6 / seconds);
	fflush(stderr);
}

static void say_figures(const struct fetch *f, const struct pull_stats *s)
{
	double seconds = (double)s->elapsed_ns / 1e9, safe = seconds > 0 ? seconds : 1e-9;

	if (s->blocks)
		fprintf(stderr, "blocks %" PRIu64 " to %" PRIu64 ": ", s->from, s->from + s->blocks - 1);
	fprintf(stderr, "%" PRIu64 " blocks, %" PRIu64 " transactions, %" PRIu64 " gas, %.1f MB\n", s->blocks, s->txs, s->gas,
		(double)s->json_bytes / 1e6);
	fprintf(stderr, "%.0f blocks/s, %.1f MB/s, %" PRIu64 " retries, %" PRIu64 " reconnects\n", (double)s->blocks / safe,
		(double)s->json_bytes / 1e6 / safe, s->retries, s->reconnects);
	fprintf(stderr, "%s: %u in flight on %u %s, %u %s decoded, %.3f s of CPU\n", s->via, s->workers,
		s->connections, s->connections == 1 ? "connection" : "connections", s->threads,
		s->threads == 1 ? "thread" : "threads", (double)s->cpu_ns / 1e9);
	if (f->conf->verify) {
		fprintf(stderr, "verified %" PRIu64 " of %" PRIu64, s->verified, s->blocks);
		if (s->doubtful)
			fprintf(stderr, ", %" PRIu64 " cannot be proven (%s)", s->doubtful, s->doubt);
		fprintf(stderr, "\n");
	}
	if (s->elsewhere)
		fprintf(stderr, "in %" PRIu64 " blocks transactions say that they are of another block\n", s->elsewhere);
}

/* ---- options ---- */

static enum status parse_workers(const char *text, unsigned *out, struct err *e)
{
	unsigned long v = 0;
	char *end = NULL;

	*out = 1;
	if (!text)
		return ST_OK;
	if (text[0] >= '0' && text[0] <= '9')
		v = strtoul(text, &end, 10);
	if (!end || *end || v < 1 || v > PULL_WORKERS_MAX)
		return err_set(e, ST_USAGE, "--workers %.20s: a number from 1 to %d", text, PULL_WORKERS_MAX);
	*out = (unsigned)v;
	return ST_OK;
}

static enum status parse_range(const struct conf *c, struct pull_opts *o, struct err *e)
{
	bool from = c->from != UINT64_MAX, to = c->to != UINT64_MAX;

	if (from != to) {
		err_set(e, ST_USAGE, "--from and --to go together");
		return err_cure(e, "--last N for the newest blocks");
	}
	if (from && c->last)
		return err_set(e, ST_USAGE, "either --last, or --from and --to");
	if (from && c->from > c->to)
		return err_set(e, ST_USAGE, "--from is behind --to");
	if (from) {
		o->from = c->from;
		o->to = c->to;
	} else {
		o->last = c->last ? c->last : LAST_DEFAULT;
	}
	return ST_OK;
}

static enum status parse(const struct conf *c, struct pull_opts *o, struct url *u, struct err *e)
{
	enum status st;

	if (c->n_args != 1) {
		err_set(e, ST_USAGE, "fetch wants one URL");
		return err_cure(e, "chaintop fetch --help");
	}
	if (c->transactions && c->format != FORMAT_CSV)
		return err_set(e, ST_USAGE, "--transactions goes with --format csv");
	if (c->output && c->format == FORMAT_NONE) {
		err_set(e, ST_USAGE, "--output, but nothing to write");
		return err_cure(e, "--format ndjson");
	}
	st = parse_workers(c->workers, &o->workers, e);
	if (st == ST_OK)
		st = parse_range(c, o, e);
	if (st == ST_OK)
		st = configured_url(c, c->args[0], u, e);
	if (st == ST_OK && u->scheme == URL_RECORDING) {
		url_fini(u);
		return err_set(e, ST_USAGE, "%s: a recording is no node", c->args[0]);
	}
	return st;
}

/* ---- run ---- */

static void stop(void *ctx)
{
	pull_stop(ctx);
}

static enum status run(struct fetch *f, const struct pull_opts *o, struct pull_stats *s, int *sig, struct err *e)
{
	/* A terminal that shows the blocks has no room for it. */
	bool progress = isatty(STDERR_FILENO) && (f->format == FORMAT_NONE || f->conf->output || !isatty(STDOUT_FILENO));
	struct interrupt *in = NULL;
	enum status st, late;

	*sig = 0;
	st = pull_start(&f->pull, o, e);
	if (st != ST_OK)
		return st;
	st = interrupt_start(&in, stop, f->pull, e);
	if (st != ST_OK)
		pull_stop(f->pull);
	while (!pull_wait(f->pull, NS_S / 5, s)) {
		if (progress)
			say_progress(s);
	}
	if (progress)
		fprintf(stderr, "\r\33[K");
	*sig = interrupt_finish(in);
	late = pull_finish(f->pull, s, st == ST_OK ? e : NULL);
	return st == ST_OK ? late : st;
}

static int fail_late(struct fetch *f, const struct pull_stats *s, const struct err *e)
{
	const char *part;
	int code = cmd_fail(e);

	if (!s->ready)
		return code;
	part = sink_part(&f->sink);
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " blocks were done%s%s\n", s->blocks, s->to - s->from + 1,
		part ? "; they are in " : "", part ? part : "");
	return EXIT_BAD;
}

static int stopped(struct fetch *f, const struct pull_stats *s, int sig)
{
	const char *part;
	struct err e;

	if (write_tail(f, &e) != ST_OK)
		fprintf(stderr, "chaintop: %s\n", e.text);
	part = sink_part(&f->sink);
	fprintf(stderr, "stopped: %" PRIu64 " of %" PRIu64 " blocks were done in %.3f s%s%s\n", s->blocks,
		s->ready ? s->to - s->from + 1 : 0, (double)s->elapsed_ns / 1e9, part ? "; they are in " : "",
		part ? part : "");
	return 128 + sig;
}

static int fetch_run(const struct conf *c)
{
	struct fetch f = { .conf = c, .format = (enum format)c->format, .sink.fd = -1 };
	struct err e = { .code = ST_OK };
	struct pull_stats s = { .ready = false };
	struct net_opts net;
	struct pull_opts o = { .net = &net, .threads = (unsigned)(c->threads > PULL_WORKERS_MAX ? 0 : c->threads),
		.verify = c->verify };
	uint8_t key[CURVE_KEY];
	struct url u;
	enum status st;
	int code, sig = 0;

	netopts_bulk_memory();
	if (netopts_from(&net, c, &e) != ST_OK || parse(c, &o, &u, &e) != ST_OK)
		return cmd_fail(&e);
	o.url = &u;
	if (c->key && u.scheme == URL_ENODE) {
		if (enode_key(key, c->key, &e) != ST_OK) {
			url_fini(&u);
			return cmd_fail(&e);
		}
		o.key = key;
	}
	if (f.format != FORMAT_NONE)
		o.hooks = (struct pull_hooks){ .ctx = &f, .format = format_block, .write = write_block };
	st = sink_open(&f.sink, c->output, &e);
	if (st == ST_OK)
		st = write_head(&f, &e);
	if (st != ST_OK) {
		(void)cmd_fail(&e);
		code = EXIT_BAD;
		goto out;
	}
	st = run(&f, &o, &s, &sig, &e);
	if (st == ST_AGAIN) {
		code = stopped(&f, &s, sig ? sig : SIGTERM);
		goto out;
	}
	if (st == ST_OK)
		st = write_tail(&f, &e);
	if (st == ST_OK)
		st = sink_keep(&f.sink, &e);
	if (st != ST_OK) {
		code = fail_late(&f, &s, &e);
		goto out;
	}
	fprintf(stderr, "TIMING: %.3f s\n", (double)s.elapsed_ns / 1e9);
	say_figures(&f, &s);
	code = EXIT_FINE;
out:
	sink_fini(&f.sink);
	url_fini(&u);
	explicit_bzero(key, sizeof(key));
	return code;
}

const struct cmd_class cmd_fetch = {
	.name = "fetch",
	.args = "URL",
	.help = "full blocks in order, as fast as the node gives them",
	.about = "Asks for full blocks, decodes every field and, with --format, writes them. The order is that of the "
		 "chain, whatever\n"
		 "the order of the answers. What fails is tried again; a block that cannot be had ends it (exit 1) "
		 "behind the block\n"
		 "before. Ctrl-C ends it with what is done (exit 130). Figures go to stderr: TIMING counts from the "
		 "moment when the\n"
		 "head is known.\n"
		 "\nOver RLPx (enode://) headers and bodies are asked for, up to 32 and 16 in a request, and no more than 16 "
		 "requests are in\n"
		 "flight. Each body is checked against its header, headers must follow each other, senders are recovered "
		 "from the\n"
		 "signatures. What such a port does not say is left out: totalDifficulty, the gasPrice that was paid by "
		 "transactions with a\n"
		 "maxFeePerGas, their blockTimestamp, the fields of unknown transaction types. MB are of RLP there.\n"
		 "An answer may take 15 s, or --request-timeout if that is less; a connection that was lost is made again "
		 "after 35 s,\n"
		 "because nodes let an address in once in half a minute.\n"
		 "\nExamples:\n"
		 "  chaintop fetch ws://127.0.0.1:8546 --last 1000\n"
		 "  chaintop fetch http://127.0.0.1:8545 --from 19000000 --to 19000999 --workers 8 --format ndjson -o "
		 "blocks.ndjson\n"
		 "  chaintop fetch /data/geth.ipc --last 10 --format pretty | less\n"
		 "  chaintop fetch enode://<128 hex digits>@127.0.0.1:30303 --last 100 --workers 4 --format ndjson\n",
	.run = fetch_run,
};
