#include "configured.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"

enum { URL_WORD = 4096, COMMAND_WORDS = 32 };

/* ---- url_command ---- */

/* One word is a whole line: it is cut at blanks. More words are what they are. *line is the caller's to free. */
static enum status command_words(const struct conf_words *w, char **argv, char **line, struct err *e)
{
	unsigned n = 0;
	char *rest;

	*line = NULL;
	if (w->n > 1) {
		for (n = 0; n < w->n; n++)
			argv[n] = (char *)(uintptr_t)w->at[n].s;
		argv[n] = NULL;
		return ST_OK;
	}
	*line = strdup(w->at[0].s);
	if (!*line)
		return err_set(e, ST_NOMEM, "no memory");
	for (char *p = strtok_r(*line, " \t", &rest); p; p = strtok_r(NULL, " \t", &rest)) {
		if (n == COMMAND_WORDS)
			return err_set(e, ST_USAGE, "url_command: more than %d words", COMMAND_WORDS);
		argv[n++] = p;
	}
	argv[n] = NULL;
	return n ? ST_OK : err_set(e, ST_USAGE, "url_command: no command");
}

/* Its standard output is a pipe, all else is ours: it may ask for a password on the terminal. */
static enum status spawn(char **argv, pid_t *pid, int *out, struct err *e)
{
	extern char **environ;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t pipe_signal;
	int fd[2], rc;

	if (pipe(fd) != 0)
		return err_set(e, ST_IO, "url_command: %s", strerror(errno));
	(void)fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&files, fd[1]);
	posix_spawnattr_init(&attr);
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &pipe_signal);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	close(fd[1]);
	*out = fd[0];
	if (rc == 0)
		return ST_OK;
	close(fd[0]);
	return err_set(e, ST_USAGE, "url_command: %.60s: %s", argv[0], strerror(rc));
}

/* What it prints until it closes its output. ST_TIMEOUT. More than fits is read and thrown away. */
static enum status listen_to(int fd, char *text, size_t size, uint64_t deadline, struct err *e)
{
	char spill[512];
	size_t n = 0;
	ssize_t got = 1;

	while (got != 0) {
		uint64_t now = time_mono();
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int ready = now < deadline ? poll(&p, 1, (int)((deadline - now) / NS_MS) + 1) : 0;

		if (ready == 0)
			return err_set(e, ST_TIMEOUT, "url_command: no end after %d s", CONFIGURED_COMMAND_S);
		if (ready < 0)
			continue;
		got = n + 1 < size ? read(fd, text + n, size - 1 - n) : read(fd, spill, sizeof(spill));
		if (got > 0 && n + 1 < size)
			n += (size_t)got;
		if (got < 0 && errno != EINTR)
			return err_set(e, ST_IO, "url_command: %s", strerror(errno));
	}
	text[n] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	return ST_OK;
}

/* Its end, with a moment for what it does once it has nothing more to say: ST_TIMEOUT, then it is killed. */
static enum status await_end(pid_t pid, int *how, struct err *e)
{
	uint64_t until = time_mono() + CONFIGURED_END_S * NS_S;
	int pause_ms = 1;
	pid_t got;

	while ((got = waitpid(pid, how, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
		if (time_mono() >= until)
			return err_set(e, ST_TIMEOUT, "url_command: it closed its output, but did not end within %d s",
				       CONFIGURED_END_S);
		(void)poll(NULL, 0, pause_ms);
		pause_ms = pause_ms < 50 ? pause_ms * 2 : 50;
	}
	return ST_OK;
}

static enum status run_command(const struct conf_words *w, char *url, size_t size, struct err *e)
{
	char *argv[COMMAND_WORDS + 1], *line = NULL;
	enum status st = command_words(w, argv, &line, e);
	pid_t pid = -1;
	int out = -1, how = 0;

	if (st == ST_OK)
		st = spawn(argv, &pid, &out, e);
	if (st == ST_OK) {
		st = listen_to(out, url, size, time_mono() + CONFIGURED_COMMAND_S * NS_S, e);
		close(out);
		if (st == ST_OK)
			st = await_end(pid, &how, e);
		if (st != ST_OK) {
			kill(pid, SIGKILL);
			while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
				;
		}
		if (st == ST_OK && !WIFEXITED(how))
			st = err_set(e, ST_USAGE, "url_command: %.60s: killed by signal %d", argv[0], WTERMSIG(how));
		else if (st == ST_OK && WEXITSTATUS(how) != 0)
			st = err_set(e, ST_USAGE, "url_command: %.60s: exit code %d", argv[0], WEXITSTATUS(how));
		else if (st == ST_OK && !url[0])
			st = err_set(e, ST_USAGE, "url_command: %.60s printed no URL", argv[0]);
	}
	free(line);
	return st;
}

/* ---- nodes ---- */

static enum status add(const char *node, const char *url, struct url *urls, unsigned max, unsigned *n, struct err *e)
{
	size_t size = strlen(node) + strlen(url) + 2;
	char *word;
	enum status st;

	if (*n == max)
		return err_set(e, ST_USAGE, "more than %u endpoints", max);
	word = malloc(size);
	if (!word)
		return err_set(e, ST_NOMEM, "no memory");
	snprintf(word, size, "%s=%s", node, url);
	st = url_parse(&urls[*n], word, e);
	free(word);
	if (st == ST_OK)
		++*n;
	return st;
}

/* commands: whether they are run. */
static enum status add_node(const struct conf *c, const struct conf_node *node, bool commands, struct url *urls, unsigned max,
			    unsigned *n, struct err *e)
{
	enum status st = ST_OK;
	char url[URL_WORD];

	for (unsigned i = 0; i < node->url.n && st == ST_OK; i++) {
		st = add(node->name, node->url.at[i].s, urls, max, n, e);
		if (st != ST_OK)
			return conf_file_err(c->file, node->url.at[i].line, e);
	}
	if (!node->url_command.n || !commands)
		return ST_OK;
	st = run_command(&node->url_command, url, sizeof(url), e);
	if (st == ST_OK)
		st = add(node->name, url, urls, max, n, e);
	explicit_bzero(url, sizeof(url));
	return st == ST_OK ? ST_OK : conf_file_err(c->file, node->url_command.at[0].line, e);
}

/* A word that looks like a name but is none: which there are. */
static enum status name_nodes(const struct conf *c, const char *word, struct err *e)
{
	char names[100];
	size_t at = 0;

	if (!c->file || !c->file->n_nodes || strpbrk(word, ":/.="))
		return e->code;
	for (unsigned i = 0; i < c->file->n_nodes && at < sizeof(names); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", i ? ", " : "", c->file->nodes[i].name);
	return err_cure(e, "a URL, or a node of the configuration: %s", names);
}

enum status configured_urls(const struct conf *c, const char *word, struct url *urls, unsigned max, unsigned *n, struct err *e)
{
	const struct conf_node *node = conf_node(c, word);
	enum status st;

	if (node)
		return add_node(c, node, true, urls, max, n, e);
	if (*n == max)
		return err_set(e, ST_USAGE, "more than %u endpoints", max);
	st = url_parse(&urls[*n], word, e);
	if (st != ST_OK)
		return name_nodes(c, word, e);
	++*n;
	return ST_OK;
}

enum status configured_url(const struct conf *c, const char *word, struct url *u, struct err *e)
{
	struct url urls[CONF_WORDS_MAX + 1];
	unsigned n = 0;
	enum status st = configured_urls(c, word, urls, CONF_WORDS_MAX + 1, &n, e);

	for (unsigned i = st == ST_OK; i < n; i++)
		url_fini(&urls[i]);
	if (st == ST_OK)
		*u = urls[0];
	return st;
}

/* ---- checks ---- */

static const char *unit_example(enum check_unit u)
{
	switch (u) {
	case UNIT_S: return "48s, 2m, 500ms";
	case UNIT_COUNT: return "5";
	case UNIT_BLOCKS: return "3";
	case UNIT_PERCENT: return "\"1.5 %\"";
	}
	return "a number";
}

/* A plain number, with % behind it if it is a percentage. Not strtod alone: it takes "inf" and hex. */
static bool number(const char *s, bool percent, double *v)
{
	size_t n = strspn(s, "0123456789."), digits = strspn(s, "0123456789");
	char *end;

	if (n == 0 || digits == 0 || n > 15)
		return false;
	*v = strtod(s, &end);
	if (end != s + n)
		return false;
	end += strspn(end, " ");
	if (percent && *end == '%')
		end++;
	return *end == '\0';
}

static enum status limit(const struct conf_text *t, const struct check_info *info, double *out, struct err *e)
{
	uint64_t ns;

	*out = NAN;
	if (!t->s)
		return ST_OK;
	if (strcmp(t->s, "off") == 0) {
		*out = INFINITY;
		return ST_OK;
	}
	if (info->unit == UNIT_S && conf_time(t->s, &ns)) {
		*out = (double)ns / 1e9;
		return ST_OK;
	}
	if (info->unit != UNIT_S && number(t->s, info->unit == UNIT_PERCENT, out))
		return ST_OK;
	err_set(e, ST_USAGE, "check %s: %.40s is no limit of it", info->name, t->s);
	return err_cure(e, "like %s, or off", unit_example(info->unit));
}

static enum status no_check(const struct conf_check *k, struct err *e)
{
	char names[sizeof(e->cure) - 4] = "";
	size_t at = 0;
	int i;

	err_set(e, ST_USAGE, "check %.40s: there is no such check", k->name);
	for (i = 0; i < CHECK_N; i++) {
		const char *name = check_info((enum check_id)i)->name;

		if (at + strlen(name) + 1 >= sizeof(names))
			break;
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", i ? " " : "", name);
	}
	return err_cure(e, "%s%s", names, i < CHECK_N ? " …" : "");
}

enum status configured_limits(const struct conf *c, struct limit_row *rows, unsigned *n, struct err *e)
{
	*n = 0;
	for (unsigned i = 0; c->file && i < c->file->n_checks; i++) {
		const struct conf_check *k = &c->file->checks[i];
		int id = check_find(k->name);
		struct limit_row *row = &rows[*n];
		enum status st;

		if (id < 0) {
			no_check(k, e);
			return conf_file_err(c->file, k->line, e);
		}
		row->name = k->name;
		st = limit(&k->warn, check_info((enum check_id)id), &row->warn, e);
		if (st == ST_OK)
			st = limit(&k->crit, check_info((enum check_id)id), &row->crit, e);
		if (st != ST_OK)
			return conf_file_err(c->file, k->line, e);
		++*n;
	}
	return ST_OK;
}

/* ---- all ---- */

enum status configured_check(const struct conf *c, struct err *e)
{
	struct limit_row rows[CONF_CHECKS_MAX];
	struct url urls[CONF_WORDS_MAX];
	unsigned n;
	enum status st = ST_OK;

	if (!c->file)
		return ST_OK;
	for (unsigned i = 0; i < c->file->n_nodes && st == ST_OK; i++) {
		n = 0;
		st = add_node(c, &c->file->nodes[i], false, urls, CONF_WORDS_MAX, &n, e);
		for (unsigned k = 0; k < n; k++)
			url_fini(&urls[k]);
	}
	if (st == ST_OK && c->file->alert.webhook.s) {
		st = url_parse(&urls[0], c->file->alert.webhook.s, e);
		if (st == ST_OK)
			url_fini(&urls[0]);
		else
			st = conf_file_err(c->file, c->file->alert.webhook.line, e);
	}
	if (st == ST_OK && c->file->alert.exec.n && access(c->file->alert.exec.at[0].s, X_OK) != 0) {
		err_set(e, ST_USAGE, "alert: exec: %.80s: %s", c->file->alert.exec.at[0].s, strerror(errno));
		return conf_file_err(c->file, c->file->alert.exec.at[0].line, e);
	}
	return st == ST_OK ? configured_limits(c, rows, &n, e) : st;
}
