/* argv → command. */
#include <fcntl.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/simd.h"
#include "cmd/cmd.h"
#include "conf/file.h"
#include "net/stream.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

int cmd_fail(const struct err *e)
{
	fprintf(stderr, "chaintop: %s%s%s\n", e->text, e->cure[0] ? "; try: " : "", e->cure);
	switch (e->code) {
	case ST_USAGE:
		return EXIT_USAGE;
	case ST_NOMEM:
	case ST_INTERNAL:
		return EXIT_OURS;
	default:
		return EXIT_NONE_ANSWERS;
	}
}

static void usage(FILE *f, const struct cmd_class *c)
{
	fprintf(f, "chaintop: live monitor for EVM chains and the nodes you watch them through\n\nUsage:\n");
	for (size_t i = 0; i < cmd_registry_n; i++) {
		const struct cmd_class *k = cmd_registry[i];
		char words[64];

		if (c && c != k)
			continue;
		snprintf(words, sizeof(words), "chaintop %s%s[OPTIONS] %s", i ? k->name : "", i ? " " : "", k->args);
		fprintf(f, "  %-34s %s\n", words, k->help);
	}
	if (c && c->about) {
		fprintf(f, "\n%s\nOptions:\n", c->about);
		(void)conf_help(f, c->name);
		fprintf(f, "\nOptions of every command:\n");
		(void)conf_help(f, NULL);
		return;
	}
	fprintf(f, "\nURL: ws://… wss://… http://… https://… or a socket (/path/geth.ipc); host:port tries http, then ws;\n"
		   "enode://… is a node's peer-to-peer port.\n"
		   "NAME=URL names a node; several URLs under one name are paths to one node.\n"
		   "A name alone is a node of the configuration file (chaintop config --help).\n"
		   "Without a URL: all nodes of that file, or ETH_RPC_URL, or the usual local addresses.\n\nOptions:\n");
	if (conf_help(f, c ? c->name : cmd_registry[0]->name))
		fprintf(f, "\nOptions of every command:\n");
	(void)conf_help(f, NULL);
	if (!c)
		fprintf(f, "\n`chaintop COMMAND --help` has the options of a command.\n");
	fprintf(f, "\nExit: 0 fine, 64 usage, 69 no endpoint answered (--once).\n"
		   "Examples:\n  chaintop ws://127.0.0.1:8546\n"
		   "  chaintop geth=ws://127.0.0.1:8546 geth=/data/geth.ipc infura=wss://example.org/KEY\n"
		   "  chaintop --once=120x36 http://127.0.0.1:8545\n");
}

static const struct cmd_class *find(const char *name)
{
	for (size_t i = 0; i < cmd_registry_n; i++) {
		if (strcmp(cmd_registry[i]->name, name) == 0)
			return cmd_registry[i];
	}
	return NULL;
}

/*
 * Bodies are allocated by the feeds' threads and freed by another, at any age: in malloc's heaps they leave holes that
 * are never given back. As mappings of their own they are (39 MB instead of 51 MB after four minutes of real blocks).
 */
static void tame_malloc(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 64 << 10);
	mallopt(M_ARENA_MAX, 2);
#endif
}

/* Else a file or socket that is opened later gets the number of one that is closed, and what is printed goes into it. */
static void hold_standard_files(void)
{
	int fd;

	/* Only for reading: writing fails, as it did before. */
	while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= STDERR_FILENO)
		;
	if (fd >= 0)
		close(fd);
}

/* The command that a command line is for, as far as it can be told before it is read. */
static const struct cmd_class *meant(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const struct cmd_class *c = argv[i][0] == '-' ? NULL : find(argv[i]);

		if (c)
			return c;
	}
	return NULL;
}

static int fail(const struct cmd_class *c, const struct err *e)
{
	return c && c->fail ? c->fail(e) : cmd_fail(e);
}

int main(int argc, char **argv)
{
	const struct cmd_class *c = NULL;
	struct conf conf;
	struct err e = { .code = ST_OK };
	int code;

	/* LC_CTYPE only: numbers keep their point in every locale. */
	setlocale(LC_CTYPE, "");
	hold_standard_files();
	tame_malloc();
	signal(SIGPIPE, SIG_IGN);
	/* Ignored by who started us: then nobody could wait for what we start. */
	signal(SIGCHLD, SIG_DFL);
	if (conf_parse(&conf, argc, argv, &e) != ST_OK)
		return fail(meant(argc, argv), &e);
	if (conf.n_args)
		c = find(conf.args[0]);
	if (c)
		memmove(conf.args, conf.args + 1, conf.n_args-- * sizeof(*conf.args));
	if (conf.help) {
		usage(stdout, c);
		code = fflush(stdout) == 0 ? EXIT_FINE : EXIT_BAD;
		goto out;
	}
	if (conf.version) {
		printf("chaintop %s (%s)\n", PACKAGE_VERSION, net_version());
		code = EXIT_FINE;
		goto out;
	}
	if (!c)
		c = cmd_registry[0];
	/* `chaintop config` is told any option, to say what comes out. */
	if ((!c->own_config && conf_check(&conf, c->name, &e) != ST_OK) || simd_use(getenv("CHAINTOP_SIMD"), &e) != ST_OK) {
		code = fail(c, &e);
		goto out;
	}
	code = EXIT_OURS;
	if (!c->own_config && conf_load(&conf, &e) != ST_OK) {
		code = fail(c, &e);
		goto out;
	}
	if (conf.file && conf.file->warning[0])
		fprintf(stderr, "chaintop: warning: %s; try: %s\n", conf.file->warning, conf.file->warning_cure);
	if (log_open(conf.log, LOG_INFO, &e) != ST_OK || net_global_init(&e) != ST_OK) {
		code = fail(c, &e);
		goto out;
	}
	code = c->run(&conf);
	net_global_fini();
	log_close();
out:
	conf_fini(&conf);
	return code;
}
