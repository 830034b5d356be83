#include "cmd/stop.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* A handler has no argument: this is what it must reach. */
static struct {
	volatile sig_atomic_t count;
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
	struct sigaction sa = { .sa_handler = on_signal };

	stop.count = 0;
	stop.wake = w;
	stop.last = last;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

bool stop_asked(void)
{
	return stop.count > 0;
}
