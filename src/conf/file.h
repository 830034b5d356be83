/*
 * The configuration file (README, "Configuration"): $XDG_CONFIG_HOME/chaintop/config, read with libconfuse. Options of the
 * table that make sense from one run to the next (file_keys in file.c), nodes by name, limits of checks, what an alert does.
 *
 * What libconfuse cannot be trusted with is done before it sees the text (file_text.h): size, comments, control characters,
 * strings that do not end, ${VAR} without a value. There is no include. A wrong line gives "file:line: what", and what is
 * allowed there.
 */
#ifndef CONF_FILE_H
#define CONF_FILE_H

#include "conf/conf.h"

enum {
	CONF_FILE_BYTES = 64 << 10,
	CONF_NODES_MAX = 64,
	CONF_WORDS_MAX = 16, /* URLs of a node, words of a command */
	CONF_CHECKS_MAX = 128,
};

/* One value, as it stands there but with ${VAR} replaced; SECRET where it is a URL. */
struct conf_text {
	const char *s; /* NULL: not set */
	unsigned line;
	bool env; /* ${…} stands on that line */
};

struct conf_words {
	struct conf_text at[CONF_WORDS_MAX];
	unsigned n;
};

/* node NAME { … } */
struct conf_node {
	const char *name; /* [A-Za-z0-9_-], 32 at most */
	unsigned line;
	struct conf_words url; /* not looked at here: net/url.h */
	uint64_t budget_day; /* calls a day; 0: nobody said */
	struct conf_text budget;
	struct conf_words url_command; /* it prints the URL; one word is cut at its blanks by whoever runs it */
};

/* check NAME { … }: which names and values there are is model/health.h's affair. */
struct conf_check {
	const char *name; /* "age", "bsc/age", "56/age" */
	unsigned line;
	struct conf_text warn, crit;
};

/* From which state on something happens: index of "never|crit|warn". */
enum conf_when { WHEN_NEVER, WHEN_CRIT, WHEN_WARN };

/* alert { … } */
struct conf_alert {
	struct conf_words exec; /* the program and its arguments */
	struct conf_text webhook; /* SECRET */
	enum conf_when only; /* for exec and webhook */
	uint64_t cooldown; /* ns */
	enum conf_when bell, title, notify;
	struct conf_alert_lines {
		unsigned only, cooldown, bell, title, notify;
	} line; /* 0: the default */
};

struct conf_file {
	char *path; /* as opened */
	char show[96]; /* the same for people: ~ for the home folder, the end of it if it is long */
	struct conf_node nodes[CONF_NODES_MAX];
	unsigned n_nodes;
	struct conf_check checks[CONF_CHECKS_MAX];
	unsigned n_checks;
	struct conf_alert alert;
	char warning[200], warning_cure[120]; /* "": none */
	void *cfg; /* libconfuse's; owns the strings */
};

/*
 * Reads the file and sets what the command line did not (conf_set). c->config names it; else XDG_CONFIG_HOME, HOME: there
 * it may be lacking, then ST_OK and c->file stays NULL. /dev/null is an empty file; nothing else but regular files is read.
 * ST_USAGE: "file:line: …" with what is allowed; then c is good for nothing but conf_fini. conf_fini frees c->file.
 */
enum status conf_load(struct conf *c, struct err *e) MUST_CHECK;
/* The same from memory: show is its name in errors; others_read: as if everybody could read it. */
enum status conf_load_text(struct conf *c, const char *text, size_t n, const char *show, bool others_read, struct err *e)
	MUST_CHECK;
void conf_file_free(struct conf_file *f); /* NULL is allowed */
/* Where it would be; false: HOME and XDG_CONFIG_HOME say nothing. */
bool conf_file_path(const struct conf *c, char *out, size_t size);
/* A node of the file; NULL: there is none of that name (or no file). */
const struct conf_node *conf_node(const struct conf *c, const char *name);
/* "file:line: " in front of an error that somebody else found in the file. Returns its code. */
enum status conf_file_err(const struct conf_file *f, unsigned line, struct err *e);
/* What the file may set: section "" (options of the table), "node", "check", "alert"; NULL at the end. */
const char *conf_file_key(const char *section, unsigned i);
/* What holds if nobody says anything. */
void conf_alert_default(struct conf_alert *a);
/* A setting of `alert` that is neither exec nor webhook, as text, and its line (0: default); false: it is none. */
bool conf_alert_value(const struct conf_alert *a, const char *key, char *out, size_t size, unsigned *line);

#endif
