/* chaintop rpc URL METHOD [PARAM...]: any call. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/netopts.h"
#include "cmd/session.h"
#include "cmd/stop.h"
#include "configured.h"
#include "net/loop.h"
#include "out/json_text.h"

enum { CALL_ID = 1, PARAMS_MAX = 64 << 20, ANSWER_MAX = 1 << 30, DATA_SHOWN = 4000 };

struct rpc {
	const struct conf *conf;
	const char *method;
	const struct url *url;
	const struct net_opts *net;
	bool tty, failed; /* failed: an error answer, or one that cannot be printed */
	uint64_t notes;
};

/* ---- parameters ---- */

static bool is_json(const char *text, size_t n)
{
	struct json j;

	json_init(&j, text, n);
	return json_skip(&j, NULL) && json_end(&j);
}

static enum status add_string(struct buf *out, const char *s, size_t n)
{
	enum status st = buf_adds(out, "\"");

	while (n > 0 && st == ST_OK) {
		unsigned char c = (unsigned char)*s;
		int len = 1;
		char cp[4];

		if (c < 0x20 || c == '"' || c == '\\')
			st = buf_addf(out, "\\u%04x", c);
		else
			st = buf_add(out, cp, (size_t)utf8_encode(utf8_decode(s, n, &len), cp));
		s += len;
		n -= (size_t)len;
	}
	return st == ST_OK ? buf_adds(out, "\"") : st;
}

/* A word that is no JSON is a string: nobody wants to type "\"latest\"". */
static enum status add_word(struct buf *out, const char *s, size_t n)
{
	return is_json(s, n) ? buf_add(out, s, n) : add_string(out, s, n);
}

static enum status read_all(int fd, struct buf *to)
{
	enum status st;
	ssize_t n;

	for (;;) {
		st = buf_reserve(to, 64 << 10);
		if (st != ST_OK)
			return st;
		n = read(fd, to->p + to->len, 64 << 10);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return ST_IO;
		if (n > 0)
			to->len += (size_t)n;
	}
	if (to->p)
		to->p[to->len] = '\0';
	return ST_OK;
}

/* @FILE and @- (standard input): the text behind which an editor has left a line end. */
static enum status add_file(struct buf *out, const char *name, struct err *e)
{
	bool in = strcmp(name, "-") == 0;
	int fd = in ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	struct buf text;
	enum status st;

	if (fd < 0)
		return err_set(e, ST_USAGE, "@%.100s: %s", name, strerror(errno));
	buf_init(&text, PARAMS_MAX);
	st = read_all(fd, &text);
	if (!in)
		close(fd);
	while (text.len && strchr(" \t\r\n", text.p[text.len - 1]))
		text.len--;
	if (st == ST_OK && !text.len)
		st = err_set(e, ST_USAGE, "@%.100s: nothing stands there", name);
	else if (st == ST_OK)
		st = add_word(out, text.p, text.len);
	else if (st == ST_TOO_BIG)
		st = err_set(e, ST_USAGE, "@%.100s: more than %d MiB", name, PARAMS_MAX >> 20);
	else
		st = err_set(e, ST_USAGE, "@%.100s: cannot be read", name);
	buf_fini(&text);
	return st;
}

/* The request, with all words behind the method as its parameters. */
static enum status write_request(const struct conf *c, struct buf *out, struct err *e)
{
	struct buf params;
	enum status st;

	buf_init(&params, PARAMS_MAX);
	st = buf_adds(&params, "[");
	for (unsigned i = 2; i < c->n_args && st == ST_OK; i++) {
		if (i > 2)
			st = buf_adds(&params, ",");
		if (st == ST_OK && c->args[i][0] == '@')
			st = add_file(&params, c->args[i] + 1, e);
		else if (st == ST_OK)
			st = add_word(&params, c->args[i], strlen(c->args[i]));
		if (st != ST_OK && st != ST_USAGE)
			err_set(e, st, "parameters of more than %d MiB", PARAMS_MAX >> 20);
	}
	if (st == ST_OK)
		st = buf_adds(&params, "]");
	if (st == ST_OK && rpc_request(out, CALL_ID, c->args[1], params.p) != ST_OK)
		st = err_set(e, ST_TOO_BIG, "a request of more than %d MiB", PARAMS_MAX >> 20);
	buf_fini(&params);
	return st;
}

/* ---- answers ---- */

static bool subscribes(const char *method)
{
	static const char tail[] = "_subscribe";
	size_t n = strlen(method), k = sizeof(tail) - 1;

	return n > k && strcmp(method + n - k, tail) == 0;
}

static void print_raw(struct rpc *r, const char *text, size_t n)
{
	if (r->tty)
		json_write_plain(stdout, text, n);
	else
		fwrite(text, 1, n, stdout);
	/* So that a shell's prompt, or the next notification, begins a line. */
	if (r->tty || r->notes)
		putchar('\n');
}

static void print_value(struct rpc *r, const struct json_str *value, bool line)
{
	const struct json_text_opts o = {
		.line = line,
		.notes = r->conf->pretty,
		.top = field_result_unit(r->method),
	};
	struct err e;

	if (json_write(stdout, value->p, value->n, &o, &e) == ST_OK || ferror(stdout))
		return;
	fprintf(stderr, "chaintop: %s: %s\n", r->method, e.text);
	r->failed = true;
}

/* The text of error.data, which may say why a call was reverted. */
static bool find_data(const char *text, size_t n, struct json_str *data)
{
	struct json_str key;
	struct json j;

	json_init(&j, text, n);
	if (!json_object(&j))
		return false;
	while (json_key(&j, &key)) {
		if (!JSON_IS(&key, "error") || json_peek(&j) != JSON_OBJECT) {
			json_skip(&j, NULL);
			continue;
		}
		json_object(&j);
		while (json_key(&j, &key)) {
			if (JSON_IS(&key, "data"))
				return json_skip(&j, data);
			json_skip(&j, NULL);
		}
		return false;
	}
	return false;
}

static void print_error(struct rpc *r, const struct rpc_msg *m, const char *text, size_t n)
{
	char message[sizeof(m->error_text)];
	struct json_str data;

	snprintf(message, sizeof(message), "%s", m->error_text);
	net_redact(r->url, r->net, message);
	fprintf(stderr, "chaintop: %s: error %lld%s%s\n", r->method, (long long)m->code, message[0] ? ": " : "", message);
	if (!r->conf->raw && find_data(text, n, &data) && !(data.n == 4 && memcmp(data.p, "null", 4) == 0)) {
		fprintf(stderr, "data: ");
		json_write_plain(stderr, data.p, data.n < DATA_SHOWN ? data.n : DATA_SHOWN);
		fprintf(stderr, "%s\n", data.n < DATA_SHOWN ? "" : " ... (all of it: --raw)");
	}
	r->failed = true;
}

static void on_answer(void *ctx, const struct rpc_msg *m, const char *text, size_t n, const struct net_meta *meta)
{
	struct rpc *r = ctx;

	(void)meta;
	if (r->conf->raw)
		print_raw(r, text, n);
	if (m->is_error)
		print_error(r, m, text, n);
	else if (!r->conf->raw && !subscribes(r->method))
		print_value(r, &m->result, false);
	fflush(stdout);
}

static void on_note(void *ctx, const struct rpc_msg *m, const char *text, size_t n)
{
	struct rpc *r = ctx;

	if (r->conf->rpc_count && r->notes == r->conf->rpc_count)
		return;
	r->notes++;
	if (r->conf->raw)
		print_raw(r, text, n);
	else
		print_value(r, &m->result, !r->conf->pretty);
	fflush(stdout);
}

static bool enough(void *ctx)
{
	const struct rpc *r = ctx;

	return r->failed || ferror(stdout) || (r->conf->rpc_count && r->notes >= r->conf->rpc_count);
}

/* ---- the command ---- */

static enum status check(const struct conf *c, struct url *u, struct err *e)
{
	unsigned n = 0;
	enum status st;

	if (c->n_args < 2) {
		err_set(e, ST_USAGE, "rpc wants a URL and a method");
		return err_cure(e, "chaintop rpc http://127.0.0.1:8545 eth_blockNumber");
	}
	if (c->pretty && c->raw)
		return err_set(e, ST_USAGE, "either --pretty or --raw");
	st = configured_urls(c, c->args[0], u, 1, &n, e);
	/* A node of several paths: the first one is as good as any. */
	if (n == 1)
		st = ST_OK;
	if (st == ST_OK && (u->scheme == URL_ENODE || u->scheme == URL_RECORDING)) {
		bool enode = u->scheme == URL_ENODE;

		st = err_set(e, ST_USAGE, enode ? "enode:// speaks RLPx, not JSON-RPC" : "a recording is no node");
		(void)err_cure(e, enode ? "the node's http://, ws:// or IPC socket" : "chaintop replay FILE.ct");
	}
	if (st == ST_OK && subscribes(c->args[1]) && (u->scheme == URL_HTTP || u->scheme == URL_HTTPS)) {
		st = err_set(e, ST_USAGE, "%s: over HTTP a node cannot send by itself", c->args[1]);
		(void)err_cure(e, "the same node's ws:// or IPC socket");
	}
	if (st != ST_OK && n)
		url_fini(u);
	return st;
}

/* One attempt over one transport. */
static enum status ask(struct rpc *r, struct net_loop *l, const struct url *u, const struct buf *request, struct err *e)
{
	const struct session_hooks h = { .ctx = r, .answer = on_answer, .note = on_note };
	struct session *s;
	enum status st = session_open(&s, l, u, r->net, &h, e);

	if (st == ST_OK)
		st = session_call(s, request->p, request->len, CALL_ID, r->conf->request_timeout, e);
	if (st == ST_OK && subscribes(r->method) && !r->failed) {
		st = session_listen(s, enough, e);
		/* That is how one ends it. */
		if (st == ST_AGAIN)
			st = ST_OK;
	}
	session_close(s);
	return st;
}

static enum status run(struct rpc *r, struct net_loop *l, struct url *u, const struct buf *request, struct err *e)
{
	enum url_scheme guess, asked = u->scheme;
	struct url as = *u;
	enum status st;

	as.scheme = asked == URL_GUESS ? URL_HTTP : asked;
	st = ask(r, l, &as, request, e);
	if (st != ST_OK && session_guess(u, as.scheme, e, &guess)) {
		as.scheme = guess;
		st = ask(r, l, &as, request, e);
	}
	return st;
}

static int rpc_run(const struct conf *c)
{
	struct rpc r = { .conf = c, .tty = isatty(STDOUT_FILENO) == 1 };
	struct net_loop *l = NULL;
	struct net_opts net;
	struct wake w;
	struct url u;
	struct buf request;
	struct err e = { .code = ST_OK };
	enum status st;

	netopts_bulk_memory();
	if (netopts_from(&net, c, &e) != ST_OK || check(c, &u, &e) != ST_OK)
		return cmd_fail(&e);
	net.max_message = ANSWER_MAX;
	r.method = c->args[1];
	r.url = &u;
	r.net = &net;
	buf_init(&request, PARAMS_MAX + 4096);
	st = wake_init(&w, &e);
	if (st == ST_OK)
		stop_on_signals(&w, NULL);
	if (st == ST_OK && !(l = net_loop_new()))
		st = err_set(&e, ST_NOMEM, "no memory");
	if (st == ST_OK && net_loop_watch(l, wake_fd(&w)) != ST_OK)
		st = err_set(&e, ST_NOMEM, "no memory");
	if (st == ST_OK)
		st = write_request(c, &request, &e);
	if (st == ST_OK)
		st = run(&r, l, &u, &request, &e);
	buf_fini(&request);
	if (l)
		net_loop_free(l);
	url_fini(&u);
	if (st == ST_AGAIN)
		return 128 + 2;
	if (st != ST_OK)
		return cmd_fail(&e);
	return r.failed || fflush(stdout) != 0 || ferror(stdout) ? EXIT_BAD : EXIT_FINE;
}

const struct cmd_class cmd_rpc = {
	.name = "rpc",
	.args = "URL METHOD [PARAM...]",
	.help = "any JSON-RPC call over any transport",
	.about = "Each PARAM is JSON (true, 7, null, {...}, [...]); a word that is none is a string (latest, 0x...).\n"
		 "@FILE takes it from a file, @- from standard input. The result is printed as JSON, indented, all in\n"
		 "ASCII; --pretty says beside hex numbers what they are; --raw prints the node's bytes. eth_subscribe\n"
		 "prints a line for each notification until Ctrl-C or --count. Answers of up to 1 GiB are taken;\n"
		 "--request-timeout for calls that take long.\n"
		 "Exit: 0, 1 an error answer (code and message on stderr), 69 no answer.\n"
		 "\nExamples:\n"
		 "  chaintop rpc http://127.0.0.1:8545 eth_getBlockByNumber latest false --pretty\n"
		 "  chaintop rpc /data/geth.ipc eth_call '{\"to\":\"0x6b17...\",\"data\":\"0x18160ddd\"}' latest\n"
		 "  chaintop rpc ws://127.0.0.1:8546 eth_sendRawTransaction @signed.hex\n"
		 "  chaintop rpc ws://127.0.0.1:8546 eth_subscribe newHeads -c 3\n",
	.run = rpc_run,
};
