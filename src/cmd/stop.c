#include "cmd/stop.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* A handler has no argument: this is what it must reach. */
static struct {
	volatile sig_atomic_t count, save;
	struct wake *wake;
	void (*last)(void);
} stop;

static void on_signal(int sig)
{
	if (++stop.count >= 2) {
		if (stop.last)
			stop.last();
		_exit(128 + sig);
	}
	wake_raise(stop.wake);
}

void stop_on_signals(struct wake *w, void (*last)(void))
{
	/* Besides those that mean it, all whose default is to end us: a terminal must not stay as it is then. */
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO };
	struct sigaction sa = { .sa_handler = on_signal };

	stop.count = 0;
	stop.wake = w;
	stop.last = last;
	sigemptyset(&sa.sa_mask);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		sigaction(all[i], &sa, NULL);
}

static void on_save(int sig)
{
	(void)sig;
	stop.save = 1;
	wake_raise(stop.wake);
}

void save_on_signal(struct wake *w)
{
	struct sigaction sa = { .sa_handler = on_save, .sa_flags = SA_RESTART };

	stop.wake = w;
	stop.save = 0;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
}

bool save_asked(void)
{
	bool asked = stop.save != 0;

	stop.save = 0;
	return asked;
}

bool stop_asked(void)
{
	return stop.count > 0;
}
