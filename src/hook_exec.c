/* The command of an alert; see hook.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "hook.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

enum { VARIABLES = 6, VARIABLE_SIZE = 224, WITHOUT_PIDFD_MS = 100 };

struct child {
	pid_t pid; /* 0: free */
	int pidfd; /* readable when it has ended; −1: the system has none, then it is looked at now and then */
	uint64_t deadline;
	bool killed;
};

struct runner {
	struct hook_thread *t;
	struct child child[HOOK_CHILDREN];
	uint64_t stop_by; /* 0: goes on */
};

/* ---- start of a child ---- */

static void set_variables(char out[VARIABLES][VARIABLE_SIZE], const struct hook_job *job)
{
	const char *pair[VARIABLES][2] = {
		{ "STATE", job->state }, { "NODE", job->node }, { "CHECK", job->check },
		{ "TEXT", job->text }, { "VALUE", job->value }, { "LIMIT", job->limit },
	};

	for (unsigned i = 0; i < VARIABLES; i++)
		snprintf(out[i], VARIABLE_SIZE, "CHAINTOP_%s=%s", pair[i][0], pair[i][1]);
}

static bool is_ours(const char *variable, char ours[VARIABLES][VARIABLE_SIZE])
{
	for (unsigned i = 0; i < VARIABLES; i++) {
		if (strncmp(variable, ours[i], strcspn(ours[i], "=") + 1) == 0)
			return true;
	}
	return false;
}

/* The environment with ours in it; an array to free, its strings are borrowed. */
static char **environment(char ours[VARIABLES][VARIABLE_SIZE])
{
	extern char **environ;
	size_t n = 0, at = 0;
	char **out;

	while (environ && environ[n])
		n++;
	out = calloc(n + VARIABLES + 1, sizeof(*out));
	for (size_t i = 0; out && i < n; i++) {
		if (!is_ours(environ[i], ours))
			out[at++] = environ[i];
	}
	for (unsigned i = 0; out && i < VARIABLES; i++)
		out[at++] = ours[i];
	return out;
}

/* The JSON is in the pipe before the child begins: it is smaller than any pipe. */
static int full_pipe(const struct hook_job *job)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	if (write(fd[1], job->json, job->json_n) != (ssize_t)job->json_n || write(fd[1], "\n", 1) != 1)
		log_msg(LOG_WARN, "alert: exec: the JSON did not fit into its pipe");
	close(fd[1]);
	/* A child expects to wait. */
	(void)fcntl(fd[0], F_SETFL, 0);
	return fd[0];
}

static int spawn(pid_t *pid, char **argv, char **env, int input)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t set;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
	posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
	posix_spawnattr_init(&attr);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(&attr, &set);
	/* A session of its own: no terminal to write on or to be stopped by, and one number to kill all of it. */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
	rc = posix_spawn(pid, argv[0], &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

static void start(struct runner *r, struct child *c, const struct hook_job *job)
{
	const struct conf_words *w = &r->t->o->alert->exec;
	char variables[VARIABLES][VARIABLE_SIZE], *argv[CONF_WORDS_MAX + 1] = { NULL }, **env;
	uint64_t limit = r->t->o->exec_limit_ns ? r->t->o->exec_limit_ns : HOOK_EXEC_S * NS_S;
	int input = full_pipe(job), rc = ENOMEM;

	for (unsigned i = 0; i < w->n; i++)
		argv[i] = (char *)(uintptr_t)w->at[i].s;
	set_variables(variables, job);
	env = environment(variables);
	if (input >= 0 && env)
		rc = spawn(&c->pid, argv, env, input);
	free(env);
	if (input >= 0)
		close(input);
	if (rc != 0) {
		c->pid = 0;
		log_msg(LOG_ERROR, "alert: exec: %.80s: %s", argv[0], strerror(rc));
		return;
	}
	log_msg(LOG_INFO, "alert: exec: told of %s %s %s", job->state, job->node, job->check);
	c->pidfd = open_pidfd(c->pid);
	c->deadline = time_mono() + limit;
	c->killed = false;
}

/* ---- its end ---- */

static void reap(struct child *c, const char *name)
{
	int how = 0;
	pid_t got = waitpid(c->pid, &how, WNOHANG);

	if (got == 0 || (got < 0 && errno == EINTR))
		return;
	if (c->killed)
		log_msg(LOG_ERROR, "alert: exec: %.80s took too long and was killed", name);
	else if (got > 0 && WIFSIGNALED(how))
		log_msg(LOG_ERROR, "alert: exec: %.80s: killed by signal %d", name, WTERMSIG(how));
	else if (got > 0 && WEXITSTATUS(how) != 0)
		log_msg(LOG_ERROR, "alert: exec: %.80s: exit code %d", name, WEXITSTATUS(how));
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pid = 0;
}

static void end_child(struct child *c)
{
	if (c->killed)
		return;
	c->killed = true;
	/* The session's group, and it itself should it have made a group of its own. */
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
}

/* Waits for work, for the end of a child, or until one has had its time. */
static void wait_for(struct runner *r)
{
	struct pollfd p[1 + HOOK_CHILDREN] = { { .fd = wake_fd(&r->t->queue.wake), .events = POLLIN } };
	uint64_t now = time_mono(), due = r->stop_by ? r->stop_by : UINT64_MAX;
	unsigned n = 1;

	for (unsigned i = 0; i < HOOK_CHILDREN; i++) {
		const struct child *c = &r->child[i];
		uint64_t t = c->pidfd >= 0 && !c->killed ? c->deadline : now + WITHOUT_PIDFD_MS * NS_MS;

		if (!c->pid)
			continue;
		if (c->pidfd >= 0)
			p[n++] = (struct pollfd){ .fd = c->pidfd, .events = POLLIN };
		due = t < due ? t : due;
	}
	if (poll(p, n, due == UINT64_MAX ? -1 : due > now ? (int)((due - now) / NS_MS) + 1 : 0) > 0 && p[0].revents)
		wake_take(&r->t->queue.wake);
}

static void look_after(struct runner *r)
{
	uint64_t now = time_mono();

	for (unsigned i = 0; i < HOOK_CHILDREN; i++) {
		struct child *c = &r->child[i];

		if (c->pid)
			reap(c, r->t->o->alert->exec.at[0].s);
		if (c->pid && (now >= c->deadline || (r->stop_by && now >= r->stop_by)))
			end_child(c);
	}
}

static unsigned running(const struct runner *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HOOK_CHILDREN; i++)
		n += r->child[i].pid != 0;
	return n;
}

static void start_waiting(struct runner *r)
{
	struct hook_job job;

	for (unsigned i = 0; i < HOOK_CHILDREN; i++) {
		if (!r->child[i].pid && hook_pop(&r->t->queue, &job))
			start(r, &r->child[i], &job);
	}
}

void *hook_exec_main(void *ctx)
{
	struct runner r = { .t = ctx };

	for (;;) {
		if (!r.stop_by && atomic_load(&r.t->queue.quit))
			r.stop_by = time_mono() + HOOK_STOP_MS * NS_MS;
		look_after(&r);
		start_waiting(&r);
		if (r.stop_by && !running(&r) && (hook_empty(&r.t->queue) || time_mono() >= r.stop_by))
			return NULL;
		wait_for(&r);
	}
}
