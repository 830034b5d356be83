/* chaintop config: the configuration file: is it right, and what does it come to? */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cmd/cmd.h"
#include "configured.h"

enum { LEFT = 14, MIDDLE = 44 };

/* A row of --print. What is long pushes the origin to the right. */
static void row(const char *name, const char *value, const char *origin)
{
	int w = (int)utf8_columns(value);

	printf("%-*s %s%*s %s\n", LEFT, name, value, w < MIDDLE ? MIDDLE - w : 0, "", origin);
}

static void from_line(const struct conf *c, unsigned line, bool env, char *out, size_t size)
{
	snprintf(out, size, "%s:%u%s", c->file->show, line, env ? ", with ${…} from the environment" : "");
}

static void option_origin(const struct conf *c, const struct conf_shown *o, char *out, size_t size)
{
	const char *no = getenv("NO_COLOR");

	if (o->from.source == CONF_ARGV)
		snprintf(out, size, "command line");
	else if (o->from.source == CONF_FILE)
		from_line(c, o->from.line, false, out, size);
	else
		snprintf(out, size, "default%s",
			 strcmp(o->name, "color") == 0 && no && no[0] ? ", never by NO_COLOR of the environment" : "");
}

static void print_options(const struct conf *c)
{
	struct conf_shown o;

	for (unsigned k = 0; conf_file_key("", k); k++) {
		for (unsigned i = 0; conf_option(c, i, &o); i++) {
			char origin[160];

			if (strcmp(o.name, conf_file_key("", k)) != 0)
				continue;
			option_origin(c, &o, origin, sizeof(origin));
			row(o.name, o.value, origin);
			break;
		}
	}
}

/* Of a URL what is no secret. */
static void show_url(const char *word, char *out, size_t size)
{
	struct err e;
	struct url u;
	char show[280];

	if (url_parse(&u, word, &e) != ST_OK) {
		snprintf(out, size, "not a URL");
		return;
	}
	url_show(show, sizeof(show), &u);
	snprintf(out, size, "%s %s%s", url_via(u.scheme), show,
		 u.target && u.target[0] && u.target[1] && u.scheme != URL_IPC && u.scheme != URL_ENODE ? "/…" : "");
	url_fini(&u);
}

static void print_words(const struct conf *c, const char *name, const struct conf_words *w)
{
	char text[200] = "", origin[160];
	size_t at = 0;

	for (unsigned i = 0; i < w->n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "", w->at[i].s);
	if (!w->n)
		return;
	from_line(c, w->at[0].line, w->at[0].env, origin, sizeof(origin));
	/* Arguments may be secrets, the program is none. */
	if (w->n > 1 || strchr(text, ' '))
		snprintf(text, sizeof(text), "%.*s …", (int)strcspn(w->at[0].s, " "), w->at[0].s);
	row(name, text, origin);
}

static void print_text(const struct conf *c, const char *name, const struct conf_text *t, const char *shown)
{
	char origin[160];

	if (!t->s)
		return;
	from_line(c, t->line, t->env, origin, sizeof(origin));
	row(name, shown ? shown : t->s, origin);
}

static void print_nodes(const struct conf *c)
{
	const char *env = getenv("ETH_RPC_URL");
	char text[320];

	for (unsigned i = 0; c->file && i < c->file->n_nodes; i++) {
		const struct conf_node *node = &c->file->nodes[i];

		printf("\nnode %s\n", node->name);
		for (unsigned k = 0; k < node->url.n; k++) {
			show_url(node->url.at[k].s, text, sizeof(text));
			print_text(c, "  url", &node->url.at[k], text);
		}
		print_words(c, "  url_command", &node->url_command);
		print_text(c, "  budget", &node->budget, NULL);
	}
	if (env && env[0]) {
		show_url(env, text, sizeof(text));
		printf("\n");
		row("ETH_RPC_URL", text, c->file && c->file->n_nodes ? "environment; not used: there are nodes" : "environment");
	}
}

static void print_alert(const struct conf *c, const struct conf_alert *a)
{
	char text[320];

	printf("\nalert\n");
	print_words(c, "  exec", &a->exec);
	if (a->webhook.s) {
		show_url(a->webhook.s, text, sizeof(text));
		print_text(c, "  webhook", &a->webhook, text);
	}
	for (unsigned i = 0; conf_file_key("alert", i); i++) {
		const char *key = conf_file_key("alert", i);
		char name[32], origin[160];
		unsigned line;

		if (!conf_alert_value(a, key, text, sizeof(text), &line))
			continue;
		snprintf(name, sizeof(name), "  %s", key);
		if (line)
			from_line(c, line, false, origin, sizeof(origin));
		row(name, text, line ? origin : "default");
	}
}

static void print(const struct conf *c)
{
	struct conf_alert defaults;

	conf_alert_default(&defaults);
	if (c->file)
		printf("# %s\n", c->file->path);
	print_options(c);
	print_nodes(c);
	for (unsigned i = 0; c->file && i < c->file->n_checks; i++) {
		printf("\ncheck %s\n", c->file->checks[i].name);
		print_text(c, "  warn", &c->file->checks[i].warn, NULL);
		print_text(c, "  crit", &c->file->checks[i].crit, NULL);
	}
	print_alert(c, c->file ? &c->file->alert : &defaults);
}

static void say_fine(const struct conf *c)
{
	char path[1024];

	if (!c->file) {
		printf("%s: there is none; all values are defaults\n",
		       conf_file_path(c, path, sizeof(path)) ? path : "HOME is not set");
		return;
	}
	printf("%s: fine; %u node%s, %u check%s\n", c->file->path, c->file->n_nodes, c->file->n_nodes == 1 ? "" : "s",
	       c->file->n_checks, c->file->n_checks == 1 ? "" : "s");
}

static int config_run(const struct conf *given)
{
	struct conf c = *given;
	struct err e = { .code = ST_OK };
	int code = EXIT_FINE;

	if (c.n_args) {
		err_set(&e, ST_USAGE, "config wants no words");
		(void)err_cure(&e, "chaintop config --config FILE --check");
		return cmd_fail(&e);
	}
	if (conf_load(&c, &e) != ST_OK || configured_check(&c, &e) != ST_OK) {
		code = cmd_fail(&e);
		goto out;
	}
	if (c.file && c.file->warning[0])
		fprintf(stderr, "chaintop: warning: %s; try: %s\n", c.file->warning, c.file->warning_cure);
	if (c.check || !c.print)
		say_fine(&c);
	if (c.print)
		print(&c);
	if (fflush(stdout) != 0)
		code = EXIT_BAD;
out:
	conf_file_free(c.file);
	return code;
}

const struct cmd_class cmd_config = {
	.name = "config",
	.args = "[--check|--print]",
	.help = "the configuration file: is it right, what does it come to",
	.about = "The file is $XDG_CONFIG_HOME/chaintop/config, or ~/.config/chaintop/config. --check says with file and line "
		 "what is wrong\n"
		 "in it and what is allowed there (exit 64). --print shows every value and where it comes from. Keys are "
		 "never shown.\n"
		 "\nExample of a file:\n"
		 "  location = \"fra1\"\n"
		 "  bodies = auto                    # any of these options: location bodies mempool rewind incidents\n"
		 "                                   # theme color ascii view clock-bound header jwt cacert insecure proxy\n"
		 "  node geth   { url = {\"ws://127.0.0.1:8546\", \"/data/geth.ipc\"} }     # one node, two paths\n"
		 "  node infura { url = \"wss://mainnet.infura.io/ws/v3/${INFURA_KEY}\"\n"
		 "                budget = \"50000/day\" }                       # calls; or /hour, /min, /s\n"
		 "  node own    { url_command = \"pass show rpc/own\" }                   # what it prints is the URL\n"
		 "  check age     { warn = 48s  crit = 120s }                           # limits of view 7; off: none\n"
		 "  check bsc/age { warn = 10s }                                        # of one chain, by name or id\n"
		 "  alert {\n"
		 "    exec = {\"/usr/local/bin/page\", \"--urgent\"}   # no shell; what happened is in its environment\n"
		 "    webhook = \"https://hooks.example/${HOOK}\"    # the same as JSON, by POST\n"
		 "    only = crit                                  # crit or warn: from which state on; default: warn\n"
		 "    cooldown = 10m                               # one check of one node again not before\n"
		 "    bell = crit   title = never   notify = never # of the terminal: never, crit or warn\n"
		 "  }\n",
	.own_config = true,
	.run = config_run,
};
