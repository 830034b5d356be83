#include "conf/file.h"

#include <confuse.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/file_text.h"

/*
 * Options of the table that the file may set. The others are about one run: --once, --output, --last …
 */
static const char *const file_keys[] = {
	"location", "bodies", "mempool", "rewind", "incidents", "theme", "color", "ascii", "view", "clock-bound",
	"header", "jwt", "cacert", "insecure", "proxy",
};

static const char *const node_keys[] = { "url", "url_command", "budget" };
static const char *const check_keys[] = { "warn", "crit" };
static const char *const alert_keys[] = { "exec", "webhook", "only", "cooldown", "bell", "title", "notify" };

static const char *const when_words[] = { "never", "crit", "warn" };

enum { N_FILE_KEYS = sizeof(file_keys) / sizeof(file_keys[0]) };

#define COOLDOWN_NS (600 * NS_S)

/* libconfuse hands no pointer to its callbacks: this one lies behind an option whose name nobody can type. */
static const char context_name[] = "\n";

struct context {
	const bool *env;
	struct err *e;
	unsigned line; /* of the error */
};

/* ---- libconfuse's side ---- */

static struct context *context_of(cfg_t *cfg)
{
	for (unsigned i = 0; cfg && cfg->opts && cfg->opts[i].name; i++) {
		if (strcmp(cfg->opts[i].name, context_name) == 0)
			return (struct context *)(void *)cfg->opts[i].simple_value.ptr;
	}
	return NULL;
}

static int refuse(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
	(void)opt;
	(void)value;
	(void)result;
	cfg_error(cfg, "no such option");
	return -1;
}

/* A value becomes a conf_text with its characters behind it. */
static int take(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
	size_t n = strlen(value);
	struct conf_text *t;

	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)value[i] < ' ' || value[i] == 127) {
			cfg_error(cfg, "%s: a control character in the value", opt->name);
			return -1;
		}
	}
	t = malloc(sizeof(*t) + n + 1);
	if (!t) {
		cfg_error(cfg, "no memory");
		return -1;
	}
	*t = (struct conf_text){ .s = (char *)(t + 1), .line = (unsigned)cfg->line };
	memcpy(t + 1, value, n + 1);
	t->env = context_of(cfg)->env[t->line];
	*(void **)result = t;
	return 0;
}

static void say_allowed(cfg_t *cfg, struct err *e)
{
	char text[sizeof(e->cure) - 4] = "";
	size_t n = 0;

	for (unsigned i = 0; cfg->opts[i].name; i++) {
		size_t len = strlen(cfg->opts[i].name) + 1;

		if (strcmp(cfg->opts[i].name, context_name) == 0)
			continue;
		if (n + len >= sizeof(text)) {
			(void)err_cure(e, "%s …", text);
			return;
		}
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "", cfg->opts[i].name);
	}
	(void)err_cure(e, "%s", text);
}

/* A URL without its quotes falls into pieces, one of which may be its key: what is too long for a name is not said. */
static void hide_keys(char *text)
{
	enum { NAME = 15 };
	char *begin = strchr(text, '\''), *end = begin ? strrchr(begin, '\'') : NULL;

	if (!begin || (end > begin && end <= begin + NAME + 1))
		return;
	/* So long that its end has been cut. */
	if (end == begin)
		end = begin + strlen(begin);
	if (end < begin + 4)
		return;
	memmove(begin + 4, end, strlen(end) + 1);
	memcpy(begin + 1, "…", 3);
}

static void on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	struct context *c = context_of(cfg);
	char text[160];

	/* The first one is the cause. */
	if (!c || c->e->code != ST_OK)
		return;
	c->line = (unsigned)cfg->line;
	vsnprintf(text, sizeof(text), fmt, ap);
	hide_keys(text);
	if (strncmp(fmt, "no such option", 14) == 0) {
		err_set(c->e, ST_USAGE, "%s", text);
		say_allowed(cfg, c->e);
	} else if (strncmp(fmt, "missing title", 13) == 0) {
		err_set(c->e, ST_USAGE, "%s", text);
		(void)err_cure(c->e, "a name in front of the brace: node geth { … }");
	} else {
		err_set(c->e, ST_USAGE, "%s", text);
		(void)err_cure(c->e, "name = value, name = {\"value\", \"value\"}, or node NAME { … }");
	}
}

#define PTR_LIST (CFGF_LIST | CFGF_NODEFAULT)

static cfg_opt_t option(const char *name, bool list)
{
	return (cfg_opt_t){ .name = name, .type = CFGT_PTR, .flags = list ? PTR_LIST : CFGF_NODEFAULT, .parsecb = take,
			    .freecb = free };
}

static cfg_opt_t hidden(struct context *c)
{
	return (cfg_opt_t){ .name = context_name, .type = CFGT_PTR, .flags = CFGF_NODEFAULT, .parsecb = refuse,
			    .simple_value = { .ptr = (void **)(void *)c } };
}

static bool is_list(const char *name)
{
	static const char *const lists[] = { "header", "url", "url_command", "exec" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (strcmp(name, lists[i]) == 0)
			return true;
	}
	return false;
}

/* out: n + 2 of them; the rest is zero. */
static void options_of(cfg_opt_t *out, const char *const *keys, size_t n, struct context *c)
{
	for (size_t i = 0; i < n; i++)
		out[i] = option(keys[i], is_list(keys[i]));
	out[n] = hidden(c);
	out[n + 1] = (cfg_opt_t)CFG_END();
}
#define OPTIONS_OF(out, keys, c) options_of(out, keys, sizeof(keys) / sizeof((keys)[0]), c)

static cfg_t *parse(const char *text, struct context *c)
{
	cfg_opt_t node[sizeof(node_keys) / sizeof(node_keys[0]) + 2], check[sizeof(check_keys) / sizeof(check_keys[0]) + 2];
	cfg_opt_t alert[sizeof(alert_keys) / sizeof(alert_keys[0]) + 2], root[N_FILE_KEYS + 5];
	cfg_opt_t sections[] = {
		CFG_SEC("node", node, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES),
		CFG_SEC("check", check, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES),
		CFG_SEC("alert", alert, CFGF_NONE),
	};
	cfg_t *cfg;

	OPTIONS_OF(node, node_keys, c);
	OPTIONS_OF(check, check_keys, c);
	OPTIONS_OF(alert, alert_keys, c);
	OPTIONS_OF(root, file_keys, c);
	memcpy(root + N_FILE_KEYS + 1, sections, sizeof(sections));
	root[N_FILE_KEYS + 4] = (cfg_opt_t)CFG_END();
	cfg = cfg_init(root, CFGF_NONE);
	if (!cfg) {
		err_set(c->e, ST_NOMEM, "no memory for the configuration");
		return NULL;
	}
	cfg_set_error_function(cfg, on_error);
	if (cfg_parse_buf(cfg, text) == CFG_SUCCESS && c->e->code == ST_OK)
		return cfg;
	if (c->e->code == ST_OK)
		err_set(c->e, ST_USAGE, "cannot be understood");
	cfg_free(cfg);
	return NULL;
}

/* ---- our side ---- */

static const struct conf_text *text_at(cfg_t *cfg, const char *name, unsigned i)
{
	cfg_opt_t *o = cfg_getopt(cfg, name);

	return o && i < cfg_opt_size(o) ? cfg_opt_getnptr(o, i) : NULL;
}

static enum status words(struct conf_words *w, cfg_t *cfg, const char *name, unsigned *line, struct err *e)
{
	const struct conf_text *t;

	for (; (t = text_at(cfg, name, w->n)) != NULL; w->n++) {
		*line = t->line;
		if (w->n == CONF_WORDS_MAX)
			return err_set(e, ST_USAGE, "%s: more than %d words", name, CONF_WORDS_MAX);
		if (!t->s[0])
			return err_set(e, ST_USAGE, "%s: an empty word", name);
		w->at[w->n] = *t;
	}
	return ST_OK;
}

static bool is_name(const char *s)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

	return n >= 1 && n <= 32 && s[n] == '\0';
}

/* "50000/day" */
static enum status take_budget(struct conf_node *node, cfg_t *sec, unsigned *line, struct err *e)
{
	static const struct {
		const char *unit;
		uint64_t per_day;
	} units[] = { { "/day", 1 }, { "/hour", 24 }, { "/min", 1440 }, { "/s", 86400 } };
	const struct conf_text *t = text_at(sec, "budget", 0);
	uint64_t v = 0;
	size_t n;

	if (!t)
		return ST_OK;
	*line = t->line;
	node->budget = *t;
	n = strspn(t->s, "0123456789");
	for (size_t i = 0; i < n && n <= 12; i++)
		v = v * 10 + (uint64_t)(t->s[i] - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (v && strcmp(t->s + n, units[i].unit) == 0)
			node->budget_day = v * units[i].per_day;
	}
	if (node->budget_day)
		return ST_OK;
	err_set(e, ST_USAGE, "node %s: budget = %.40s: not so many calls in a time", node->name, t->s);
	return err_cure(e, "50000/day, or /hour, /min, /s");
}

static enum status take_node(struct conf_file *f, cfg_t *sec, unsigned *line, struct err *e)
{
	struct conf_node *node = &f->nodes[f->n_nodes];
	enum status st;

	*line = (unsigned)sec->line;
	if (f->n_nodes == CONF_NODES_MAX)
		return err_set(e, ST_USAGE, "more than %d nodes", CONF_NODES_MAX);
	*node = (struct conf_node){ .name = cfg_title(sec), .line = *line };
	if (!is_name(node->name)) {
		err_set(e, ST_USAGE, "node %.40s: not a name for a node", node->name);
		return err_cure(e, "at most 32 of A-Z a-z 0-9 _ -");
	}
	st = words(&node->url, sec, "url", line, e);
	if (st == ST_OK)
		st = words(&node->url_command, sec, "url_command", line, e);
	if (st == ST_OK)
		st = take_budget(node, sec, line, e);
	if (st != ST_OK)
		return st;
	if (!node->url.n && !node->url_command.n) {
		*line = node->line;
		err_set(e, ST_USAGE, "node %s: no URL", node->name);
		return err_cure(e, "url = \"ws://127.0.0.1:8546\", or url_command = \"pass show rpc/%s\"", node->name);
	}
	node->line = node->url.n ? node->url.at[0].line : node->url_command.at[0].line;
	f->n_nodes++;
	return ST_OK;
}

static enum status take_check(struct conf_file *f, cfg_t *sec, unsigned *line, struct err *e)
{
	struct conf_check *c = &f->checks[f->n_checks];
	const struct conf_text *warn = text_at(sec, "warn", 0), *crit = text_at(sec, "crit", 0);

	*line = (unsigned)sec->line;
	if (f->n_checks == CONF_CHECKS_MAX)
		return err_set(e, ST_USAGE, "more than %d checks", CONF_CHECKS_MAX);
	*c = (struct conf_check){ .name = cfg_title(sec), .line = *line };
	if (!warn && !crit) {
		err_set(e, ST_USAGE, "check %.40s: no limit", c->name);
		return err_cure(e, "warn = …, crit = …");
	}
	if (warn)
		c->warn = *warn;
	if (crit)
		c->crit = *crit;
	c->line = warn ? warn->line : crit->line;
	f->n_checks++;
	return ST_OK;
}

static enum status take_when(enum conf_when *out, unsigned *set, cfg_t *sec, const char *name, bool never, unsigned *line,
			     struct err *e)
{
	const struct conf_text *t = text_at(sec, name, 0);

	if (!t)
		return ST_OK;
	*line = *set = t->line;
	for (int i = !never; i <= WHEN_WARN; i++) {
		if (strcmp(t->s, when_words[i]) == 0) {
			*out = (enum conf_when)i;
			return ST_OK;
		}
	}
	err_set(e, ST_USAGE, "alert: %s = %.40s: no such choice", name, t->s);
	return err_cure(e, "%scrit|warn", never ? "never|" : "");
}

static enum status take_alert(struct conf_alert *a, cfg_t *sec, unsigned *line, struct err *e)
{
	const struct conf_text *t;
	enum status st;

	conf_alert_default(a);
	st = words(&a->exec, sec, "exec", line, e);
	if (st == ST_OK)
		st = take_when(&a->only, &a->line.only, sec, "only", false, line, e);
	if (st == ST_OK)
		st = take_when(&a->bell, &a->line.bell, sec, "bell", true, line, e);
	if (st == ST_OK)
		st = take_when(&a->title, &a->line.title, sec, "title", true, line, e);
	if (st == ST_OK)
		st = take_when(&a->notify, &a->line.notify, sec, "notify", true, line, e);
	if (st != ST_OK)
		return st;
	t = text_at(sec, "webhook", 0);
	if (t) {
		*line = t->line;
		a->webhook = *t;
		if (strncmp(t->s, "http://", 7) != 0 && strncmp(t->s, "https://", 8) != 0) {
			err_set(e, ST_USAGE, "alert: webhook: not an HTTP URL");
			return err_cure(e, "webhook = \"https://…\"");
		}
	}
	t = text_at(sec, "cooldown", 0);
	if (t) {
		*line = a->line.cooldown = t->line;
		if (!conf_time(t->s, &a->cooldown)) {
			err_set(e, ST_USAGE, "alert: cooldown = %.40s: not a time", t->s);
			return err_cure(e, "a number with ms, s, m or h: 10m");
		}
	}
	if (a->exec.n && a->exec.at[0].s[0] != '/') {
		*line = a->exec.at[0].line;
		err_set(e, ST_USAGE, "alert: exec: %.60s is no whole path", a->exec.at[0].s);
		return err_cure(e, "exec = {\"/usr/local/bin/page\", \"argument\"}; it does not run in a shell");
	}
	return ST_OK;
}

static enum status take_option(struct conf *c, cfg_t *cfg, const char *name, unsigned *line, struct err *e)
{
	const struct conf_text *t;
	enum status st = ST_OK;

	for (unsigned i = 0; st == ST_OK && (t = text_at(cfg, name, i)) != NULL; i++) {
		*line = t->line;
		st = conf_set(c, name, t->s, t->line, e);
	}
	return st;
}

static enum status take_all(struct conf *c, struct conf_file *f, unsigned *line, struct err *e)
{
	cfg_t *cfg = f->cfg;
	enum status st = ST_OK;

	for (unsigned i = 0; st == ST_OK && i < N_FILE_KEYS; i++)
		st = take_option(c, cfg, file_keys[i], line, e);
	for (unsigned i = 0; st == ST_OK && i < cfg_size(cfg, "node"); i++)
		st = take_node(f, cfg_getnsec(cfg, "node", i), line, e);
	for (unsigned i = 0; st == ST_OK && i < cfg_size(cfg, "check"); i++)
		st = take_check(f, cfg_getnsec(cfg, "check", i), line, e);
	if (st == ST_OK)
		st = take_alert(&f->alert, cfg_getsec(cfg, "alert"), line, e);
	return st;
}

/* ---- secrets in a file that others can read ---- */

/* A word of a path that nobody would remember. */
static bool key_in_path(const char *p)
{
	while (*p) {
		size_t n = strcspn(p, "/");

		if (n >= 16)
			return true;
		p += n + (p[n] == '/');
	}
	return false;
}

static bool has_key(const struct conf_text *t)
{
	const char *host = t->s ? strstr(t->s, "://") : NULL, *path;

	if (!host || t->env || strncmp(t->s, "enode:", 6) == 0)
		return false;
	host += 3;
	path = host + strcspn(host, "/?");
	return memchr(host, '@', (size_t)(path - host)) || strchr(path, '?') || key_in_path(path);
}

static const struct conf_text *first_key(const struct conf_file *f)
{
	const struct conf_text *t;

	for (unsigned i = 0; i < f->n_nodes; i++) {
		for (unsigned k = 0; k < f->nodes[i].url.n; k++) {
			if (has_key(&f->nodes[i].url.at[k]))
				return &f->nodes[i].url.at[k];
		}
	}
	if (has_key(&f->alert.webhook))
		return &f->alert.webhook;
	t = text_at(f->cfg, "header", 0);
	return t && !t->env ? t : NULL;
}

static void warn_of_readers(struct conf_file *f)
{
	const struct conf_text *t = first_key(f);

	if (!t)
		return;
	snprintf(f->warning, sizeof(f->warning), "%s:%u: a key in a file that everybody can read", f->show, t->line);
	snprintf(f->warning_cure, sizeof(f->warning_cure), "chmod 600 %.80s, or ${VARIABLE} in place of the key", f->show);
}

/* What it starts would be started by whoever can write there. */
static enum status no_writers(const struct conf_file *f, unsigned *line, struct err *e)
{
	bool runs = f->alert.exec.n != 0;

	*line = runs ? f->alert.exec.at[0].line : 0;
	for (unsigned i = 0; i < f->n_nodes && !runs; i++) {
		runs = f->nodes[i].url_command.n != 0;
		*line = runs ? f->nodes[i].url_command.at[0].line : 0;
	}
	if (!runs)
		return ST_OK;
	err_set(e, ST_USAGE, "a command in a file that everybody can write");
	return err_cure(e, "chmod 600 %.80s", f->show);
}

/* ---- files ---- */

enum status conf_file_err(const struct conf_file *f, unsigned line, struct err *e)
{
	char what[sizeof(e->text)], cure[sizeof(e->cure)];
	enum status code = e->code;

	snprintf(what, sizeof(what), "%s", e->text);
	snprintf(cure, sizeof(cure), "%s", e->cure);
	if (line)
		err_set(e, code, "%s:%u: %s", f->show, line, what);
	else
		err_set(e, code, "%s: %s", f->show, what);
	return cure[0] ? err_cure(e, "%s", cure) : code;
}

static void name_it(struct conf_file *f, const char *path)
{
	const char *home = getenv("HOME");
	size_t n = home ? strlen(home) : 0, len;

	f->path = strdup(path);
	if (n > 1 && strncmp(path, home, n) == 0 && path[n] == '/')
		snprintf(f->show, sizeof(f->show), "~%s", path + n);
	else if ((len = strlen(path)) >= sizeof(f->show))
		snprintf(f->show, sizeof(f->show), "…%s", path + len - (sizeof(f->show) - 4));
	else
		snprintf(f->show, sizeof(f->show), "%s", path);
}

/* text[n] is 0; it is changed. */
static enum status load(struct conf *c, struct conf_file *f, char *text, size_t n, mode_t mode, struct err *e)
{
	struct context x = { .e = e };
	bool *env = calloc(n + 2, sizeof(*env));
	enum status st;

	e->code = ST_OK;
	if (!env)
		return err_set(e, ST_NOMEM, "no memory for the configuration");
	x.env = env;
	st = file_text_clean(text, n, env, &x.line, e);
	if (st == ST_OK) {
		f->cfg = parse(text, &x);
		st = f->cfg ? take_all(c, f, &x.line, e) : e->code;
	}
	if (st == ST_OK && (mode & S_IWOTH))
		st = no_writers(f, &x.line, e);
	if (st != ST_OK)
		st = conf_file_err(f, x.line, e);
	else if (mode & S_IROTH)
		warn_of_readers(f);
	free(env);
	c->file = f;
	return st;
}

enum status conf_load_text(struct conf *c, const char *text, size_t n, const char *show, bool others_read, struct err *e)
{
	struct conf_file *f = calloc(1, sizeof(*f));
	char *copy = malloc(n + 1);
	enum status st;

	if (!f || !copy || !(f->path = strdup(show))) {
		free(copy);
		free(f);
		return err_set(e, ST_NOMEM, "no memory for the configuration");
	}
	memcpy(copy, text, n);
	copy[n] = '\0';
	snprintf(f->show, sizeof(f->show), "%s", show);
	st = load(c, f, copy, n, others_read ? S_IROTH : 0, e);
	free(copy);
	return st;
}

bool conf_file_path(const struct conf *c, char *out, size_t size)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	if (c->config)
		n = snprintf(out, size, "%s", c->config);
	else if (xdg && xdg[0] == '/')
		n = snprintf(out, size, "%s/chaintop/config", xdg);
	else if (home && home[0] == '/')
		n = snprintf(out, size, "%s/.config/chaintop/config", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

/* *text: its bytes, a 0 behind them. */
static enum status slurp(int fd, const struct stat *sb, char **text, size_t *n, struct err *e)
{
	ssize_t got;

	if (!S_ISREG(sb->st_mode) && !S_ISCHR(sb->st_mode))
		return err_set(e, ST_USAGE, "not a file");
	*text = malloc(CONF_FILE_BYTES + 1);
	*n = 0;
	if (!*text)
		return err_set(e, ST_NOMEM, "no memory for the configuration");
	/* A device is read once: /dev/null has nothing, and no other is meant. */
	do {
		got = read(fd, *text + *n, CONF_FILE_BYTES + 1 - *n);
		*n += got > 0 ? (size_t)got : 0;
	} while ((got < 0 && errno == EINTR) || (got > 0 && *n <= CONF_FILE_BYTES && S_ISREG(sb->st_mode)));
	if (got < 0)
		return err_set(e, ST_USAGE, "%s", strerror(errno));
	if (*n > CONF_FILE_BYTES || (*n && !S_ISREG(sb->st_mode)))
		return err_set(e, ST_USAGE, "this is no configuration file: it has more than %d bytes", CONF_FILE_BYTES);
	(*text)[*n] = '\0';
	return ST_OK;
}

enum status conf_load(struct conf *c, struct err *e)
{
	char path[1024], *text = NULL;
	struct conf_file *f;
	struct stat sb;
	enum status st = ST_OK;
	size_t n = 0;
	int fd;

	if (!conf_file_path(c, path, sizeof(path)))
		return c->config ? err_set(e, ST_USAGE, "--config: the path is too long") : ST_OK;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && !c->config && (errno == ENOENT || errno == ENOTDIR))
		return ST_OK;
	f = calloc(1, sizeof(*f));
	if (!f) {
		if (fd >= 0)
			close(fd);
		return err_set(e, ST_NOMEM, "no memory for the configuration");
	}
	name_it(f, path);
	c->file = f;
	if (fd < 0 || fstat(fd, &sb) != 0)
		st = err_set(e, ST_USAGE, "%s", strerror(errno));
	if (st == ST_OK)
		st = slurp(fd, &sb, &text, &n, e);
	if (st != ST_OK)
		st = conf_file_err(f, 0, e);
	else
		st = load(c, f, text, n, S_ISREG(sb.st_mode) ? sb.st_mode : 0, e);
	free(text);
	if (fd >= 0)
		close(fd);
	return st;
}

void conf_file_free(struct conf_file *f)
{
	if (!f)
		return;
	if (f->cfg)
		cfg_free(f->cfg);
	free(f->path);
	free(f);
}

/* ---- looking up ---- */

const struct conf_node *conf_node(const struct conf *c, const char *name)
{
	for (unsigned i = 0; c->file && i < c->file->n_nodes; i++) {
		if (strcmp(c->file->nodes[i].name, name) == 0)
			return &c->file->nodes[i];
	}
	return NULL;
}

const char *conf_file_key(const char *section, unsigned i)
{
	if (strcmp(section, "node") == 0)
		return i < sizeof(node_keys) / sizeof(node_keys[0]) ? node_keys[i] : NULL;
	if (strcmp(section, "check") == 0)
		return i < sizeof(check_keys) / sizeof(check_keys[0]) ? check_keys[i] : NULL;
	if (strcmp(section, "alert") == 0)
		return i < sizeof(alert_keys) / sizeof(alert_keys[0]) ? alert_keys[i] : NULL;
	return i < N_FILE_KEYS ? file_keys[i] : NULL;
}

void conf_alert_default(struct conf_alert *a)
{
	*a = (struct conf_alert){ .only = WHEN_WARN, .cooldown = COOLDOWN_NS, .bell = WHEN_CRIT, .title = WHEN_NEVER,
				  .notify = WHEN_NEVER };
}

bool conf_alert_value(const struct conf_alert *a, const char *key, char *out, size_t size, unsigned *line)
{
	const struct {
		const char *key;
		enum conf_when when;
		unsigned line;
	} whens[] = {
		{ "only", a->only, a->line.only },
		{ "bell", a->bell, a->line.bell },
		{ "title", a->title, a->line.title },
		{ "notify", a->notify, a->line.notify },
	};

	for (size_t i = 0; i < sizeof(whens) / sizeof(whens[0]); i++) {
		if (strcmp(key, whens[i].key) != 0)
			continue;
		snprintf(out, size, "%s", when_words[whens[i].when]);
		*line = whens[i].line;
		return true;
	}
	if (strcmp(key, "cooldown") != 0)
		return false;
	snprintf(out, size, "%gs", (double)a->cooldown / 1e9);
	*line = a->line.cooldown;
	return true;
}
