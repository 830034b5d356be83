/*
 * Wake-up of a polling thread; see wake.h. An eventfd on Linux and wherever HAVE_SYS_EVENTFD_H is
 * defined, unless DISABLE_EVENTFD is (--disable-eventfd); a pipe otherwise.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#if !defined(DISABLE_EVENTFD) && (defined(HAVE_SYS_EVENTFD_H) || defined(__linux__))
#define USE_EVENTFD
#include <sys/eventfd.h>
#endif

#ifdef USE_EVENTFD

static int
open_fds(struct wake *w)
{
	w->rfd = w->wfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return w->rfd < 0 ? -1 : 0;
}

#else

static int
set_flags(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -1;
	return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* pipe, not pipe2: this branch is for the systems that may lack it. */
static int
open_fds(struct wake *w)
{
	int fds[2];

	if (pipe(fds) != 0)
		return -1;
	if (set_flags(fds[0]) < 0 || set_flags(fds[1]) < 0) {
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	w->rfd = fds[0];
	w->wfd = fds[1];
	return 0;
}

#endif

enum status
wake_init(struct wake *w, struct err *e)
{
	w->rfd = w->wfd = -1;
	atomic_init(&w->pending, 0);
	if (open_fds(w) != 0)
		return err_set_detail(e, ST_IO, errno, "wake-up descriptor: %s", strerror(errno));
	return ST_OK;
}

void
wake_fini(struct wake *w)
{
	if (w->rfd >= 0)
		close(w->rfd);
	if (w->wfd >= 0 && w->wfd != w->rfd)
		close(w->wfd);
	w->rfd = w->wfd = -1;
}

void
wake_raise(struct wake *w)
{
	uint64_t one = 1;
	int saved = errno; /* a signal handler must leave it as it was */

	if (atomic_exchange(&w->pending, 1) == 0) {
		/* EAGAIN is success: a counter or pipe that is full is readable. */
#ifdef USE_EVENTFD
		while (write(w->wfd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
#else
		while (write(w->wfd, &one, 1) < 0 && errno == EINTR)
			;
#endif
	}
	errno = saved;
}

/*
 * First the descriptor, then the flag. The other way round, a raise between the two would set the
 * flag and lose its write to our read: every later raise would then stay silent.
 */
void
wake_take(struct wake *w)
{
	uint64_t sink[8];
	ssize_t n;

	do {
#ifdef USE_EVENTFD
		n = read(w->rfd, sink, sizeof(sink[0]));
	} while (n < 0 && errno == EINTR);
#else
		n = read(w->rfd, sink, sizeof(sink));
	} while (n == (ssize_t)sizeof(sink) || (n < 0 && errno == EINTR));
#endif
	atomic_exchange(&w->pending, 0);
}

int
wake_fd(const struct wake *w)
{
	return w->rfd;
}
