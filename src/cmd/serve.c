/* chaintop serve DIR: a folder of block files as a JSON-RPC node. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "serve/duplex.h"
#include "serve/http.h"
#include "serve/listen.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

enum {
	MEMORY = 1 << 30, /* bytes of blocks to keep */
	SHOW = 80,
};

struct serve {
	struct store *store;
	struct node node;
	struct http *http;
	struct duplex *duplex;
	int http_fd, ws_fd, ipc_fd; /* until a server takes them */
	const char *ipc_path; /* to be unlinked */
	char http_at[SHOW], ws_at[SHOW];
};

/* ---- what it says ---- */

/* A path may hold anything; JSON may not. */
static void print_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			printf("\\u%04x", *s);
		else
			putchar(*s);
	}
	putchar('"');
}

/* One line, once everything listens: for scripts, which took port 0. */
static bool say_ready(const struct serve *s)
{
	const size_t count = store_count(s->store);

	putchar('{');
	if (s->http)
		printf("\"http\":\"http://%s\",", s->http_at);
	if (s->ws_at[0])
		printf("\"ws\":\"ws://%s\",", s->ws_at);
	if (s->ipc_path) {
		printf("\"ipc\":");
		print_string(s->ipc_path);
		putchar(',');
	}
	printf("\"chainId\":%llu,\"blocks\":%zu,\"first\":%llu,\"last\":%llu,\"head\":%llu}\n",
		(unsigned long long)s->node.chain_id, count, (unsigned long long)store_number(s->store, 0),
		(unsigned long long)store_number(s->store, count - 1),
		(unsigned long long)store_number(s->store, atomic_load(&s->node.head)));
	return fflush(stdout) == 0;
}

/* Files left out and the like: the log has them, but who starts a server looks at stderr. */
static void say_warnings(void)
{
	struct log_line lines[16];
	size_t n = log_lines(lines, 16);

	for (size_t i = 0; i < n; i++) {
		if (lines[i].level >= LOG_WARN)
			fprintf(stderr, "chaintop: %s\n", lines[i].text);
	}
}

/* ---- life ---- */

static enum status open_all(struct serve *s, const struct conf *c, struct err *e)
{
	const bool usual = !c->http && !c->ws && !c->ipc;
	const char *http = usual ? "127.0.0.1:8545" : c->http, *ws = usual ? "127.0.0.1:8546" : c->ws;
	struct duplex_opts o = { .node = &s->node, .ws_fd = -1, .ipc_fd = -1, .interval_ns = c->interval };
	enum status st;

	st = store_open(&s->store, c->args[0], MEMORY, e);
	if (st != ST_OK)
		return st;
	node_init(&s->node, s->store, c->chain_id, "chaintop/" PACKAGE_VERSION "/serve");
	if (c->interval)
		node_rewind(&s->node, time_wall() / NS_S);
	if (http)
		st = listen_tcp(http, &s->http_fd, s->http_at, sizeof(s->http_at), e);
	if (st == ST_OK && ws)
		st = listen_tcp(ws, &s->ws_fd, s->ws_at, sizeof(s->ws_at), e);
	if (st == ST_OK && c->ipc)
		st = listen_unix(c->ipc, &s->ipc_fd, e);
	if (st != ST_OK)
		return st;
	s->ipc_path = c->ipc;
	if (http) {
		int fd = s->http_fd;

		s->http_fd = -1;
		st = http_start(&s->http, &s->node, fd, e);
		if (st != ST_OK)
			return st;
	}
	o.ws_fd = s->ws_fd;
	o.ipc_fd = s->ipc_fd;
	s->ws_fd = s->ipc_fd = -1;
	return duplex_start(&s->duplex, &o, e);
}

static void close_all(struct serve *s)
{
	http_stop(s->http);
	duplex_stop(s->duplex);
	if (s->http_fd >= 0)
		close(s->http_fd);
	if (s->ws_fd >= 0)
		close(s->ws_fd);
	if (s->ipc_fd >= 0)
		close(s->ipc_fd);
	if (s->ipc_path)
		unlink(s->ipc_path);
	store_close(s->store);
}

static int serve_run(const struct conf *c)
{
	struct serve s = { .http_fd = -1, .ws_fd = -1, .ipc_fd = -1 };
	struct err e = { .code = ST_OK };
	int code = EXIT_FINE, sig;
	sigset_t stop;

	if (c->n_args != 1) {
		err_set(&e, ST_USAGE, "serve wants one folder of <number>.json files");
		(void)err_cure(&e, "chaintop serve --help");
		return cmd_fail(&e);
	}
	/* Blocked before there are threads: only sigwait takes them. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	if (open_all(&s, c, &e) != ST_OK) {
		say_warnings();
		code = cmd_fail(&e);
	} else {
		say_warnings();
		if (say_ready(&s))
			sigwait(&stop, &sig);
		else
			code = EXIT_BAD;
	}
	close_all(&s);
	return code;
}

const struct cmd_class cmd_serve = {
	.name = "serve",
	.args = "DIR",
	.help = "a folder of <number>.json block files as a JSON-RPC node",
	.about = "DIR holds what a node answered to eth_getBlockByNumber with full transactions, a file for each block.\n"
		 "Without --http, --ws and --ipc it listens on 127.0.0.1:8545 (HTTP) and 8546 (WebSocket). Once it\n"
		 "listens it prints one line of JSON with its addresses. SIGINT and SIGTERM end it.\n"
		 "With --interval the head begins at the newest block that is not in the future, or at the first\n"
		 "one, and advances to the last.\n"
		 "\nExample:\n  chaintop serve blocks/ --ws :0 --interval 2s\n",
	.run = serve_run,
};
