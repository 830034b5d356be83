#include "cmd/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct interrupt {
	pthread_t thread;
	void (*fn)(void *ctx);
	void *ctx;
	_Atomic bool quit;
	_Atomic int came;
	sigset_t set, before;
};

static void *wait_for_signals(void *arg)
{
	struct interrupt *i = arg;
	int sig;

	for (;;) {
		if (sigwait(&i->set, &sig) != 0)
			continue;
		if (atomic_load(&i->quit))
			return NULL;
		if (atomic_load(&i->came))
			_exit(128 + sig);
		atomic_store(&i->came, sig);
		i->fn(i->ctx);
	}
}

enum status interrupt_start(struct interrupt **out, void (*fn)(void *ctx), void *ctx, struct err *e)
{
	struct interrupt *i = calloc(1, sizeof(*i));

	*out = NULL;
	if (!i)
		return err_set(e, ST_NOMEM, "no memory");
	i->fn = fn;
	i->ctx = ctx;
	atomic_init(&i->quit, false);
	atomic_init(&i->came, 0);
	sigemptyset(&i->set);
	sigaddset(&i->set, SIGINT);
	sigaddset(&i->set, SIGTERM);
	sigaddset(&i->set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &i->set, &i->before);
	if (pthread_create(&i->thread, NULL, wait_for_signals, i) != 0) {
		pthread_sigmask(SIG_SETMASK, &i->before, NULL);
		free(i);
		return err_set(e, ST_NOMEM, "cannot start a thread");
	}
	*out = i;
	return ST_OK;
}

int interrupt_finish(struct interrupt *i)
{
	int came;

	if (!i)
		return 0;
	atomic_store(&i->quit, true);
	pthread_kill(i->thread, SIGTERM);
	pthread_join(i->thread, NULL);
	came = atomic_load(&i->came);
	pthread_sigmask(SIG_SETMASK, &i->before, NULL);
	free(i);
	return came;
}
