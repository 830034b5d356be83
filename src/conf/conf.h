/* What the user wants: options from argv, and from the configuration file (file.h), by the one table options.def. */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/time.h"

enum { CONF_LIST_MAX = 32, CONF_ROWS_MAX = 160 };

/* Where a value comes from; what stands below wins over what stands above. */
enum conf_source { CONF_DEFAULT, CONF_FILE, CONF_ARGV };
struct conf_origin {
	enum conf_source source;
	unsigned line; /* CONF_FILE */
};

struct conf_list {
	const char *item[CONF_LIST_MAX];
	unsigned n;
};

/* w, h: 0 if no size was given. */
struct conf_size {
	bool on;
	int w, h;
};

struct conf {
#define FLAG(field, name, short, help) bool field;
#define TEXT(field, name, short, arg, def, help) const char *field;
#define LIST(field, name, short, arg, help) struct conf_list field;
#define TIME(field, name, short, arg, def, help) uint64_t field;
#define CHOICE(field, name, short, words, def, help) int field;
#define SIZE(field, name, short, help) struct conf_size field;
#define NUMBER(field, name, short, arg, def, help) uint64_t field;
#define COMMAND(names)
#include "conf/options.def"
#undef FLAG
#undef TEXT
#undef LIST
#undef TIME
#undef CHOICE
#undef SIZE
#undef NUMBER
#undef COMMAND
	struct conf_origin origin[CONF_ROWS_MAX]; /* of row i of the table */
	/* Words that are no options, in order; borrowed from argv. */
	const char **args;
	unsigned n_args;
	struct conf_file *file; /* what else stands in the configuration file (file.h); NULL: there is none */
};

/*
 * Parses argv[1…]. Options and words may be mixed; "--" ends options. ST_USAGE names the word and the nearest option.
 * On success conf_fini frees c->args; strings are borrowed from argv.
 */
enum status conf_parse(struct conf *c, int argc, char **argv, struct err *e) MUST_CHECK;
void conf_fini(struct conf *c);
/* Was an option given that is not one of this command? ST_USAGE names it. */
enum status conf_check(const struct conf *c, const char *command, struct err *e) MUST_CHECK;
/*
 * Sets an option (of several of that name the first: the monitor's) to what line `line` of the configuration file says; a
 * list grows by each call. What the command line said stays: then the value is only checked. ST_USAGE: not a value of this
 * option, or no such option. The value is borrowed.
 */
enum status conf_set(struct conf *c, const char *name, const char *value, unsigned line, struct err *e) MUST_CHECK;

/* One row of the table with its value, as text. */
struct conf_shown {
	const char *name, *help, *commands; /* commands: "" for all of them */
	bool list; /* it may be set several times */
	struct conf_origin from;
	char value[200]; /* "—" if it is not set; what is secret in it is left out */
};
/* Row i; false: there are no more. A row that is no option has no name (""). */
bool conf_option(const struct conf *c, unsigned i, struct conf_shown *out);
/* "10s", "500ms", "1.5s", "2m", "1h" → ns. */
bool conf_time(const char *s, uint64_t *ns);
/* "120x36" → 1…1000 each. */
bool conf_size(const char *s, int *w, int *h);
/*
 * The options of this command, aligned, at most 100 columns; NULL: those that every command has. Returns whether there
 * are any.
 */
bool conf_help(FILE *f, const char *command);
/* The same as mdoc list items for the man page. */
void conf_man(FILE *f, const char *command);

#endif
