/*
 * A subcommand: one file in src/cmd/, one word in Makefile.am's COMMANDS. The first one is what runs without a
 * subcommand's name.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "conf/conf.h"

/* Exit codes, after sysexits.h. */
enum exit_code { EXIT_FINE = 0, EXIT_BAD = 1, EXIT_USAGE = 64, EXIT_NONE_ANSWERS = 69, EXIT_OURS = 70 };

struct cmd_class {
	const char *name; /* "monitor" */
	const char *args; /* "[URL...]" */
	const char *help; /* one line */
	const char *about; /* what --help says of it, examples included; NULL: what it says of URLs */
	bool own_config; /* main does not read the configuration file for it */
	int (*fail)(const struct err *e); /* says what went wrong before run, and the exit code; NULL: cmd_fail */
	int (*run)(const struct conf *c); /* exit code; conf's args without the command's name */
};

extern const struct cmd_class *const cmd_registry[]; /* generated from COMMANDS */
extern const size_t cmd_registry_n;

/* "chaintop: what: try: cure" on stderr, in one line. Returns the exit code that fits. */
int cmd_fail(const struct err *e);

#endif
