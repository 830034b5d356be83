#include "out/lines.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/time.h"

enum {
	AT_ONCE = 256 << 10, /* bytes of one write: so often room is given back */
	HURRY = SIGURG, /* interrupts a write that hangs; nobody else uses it, and it is ignored where it is not wanted */
	HURRY_MS = 10,
};

struct lines {
	_Alignas(64) _Atomic uint64_t head; /* bytes put; the producer's */
	_Alignas(64) _Atomic uint64_t tail; /* bytes written; the thread's */
	_Alignas(64) _Atomic bool want_room;
	_Atomic bool quit; /* when the queue is empty */
	_Atomic bool give_up; /* at once, also in the middle of a write: HURRY says so */
	_Atomic bool over; /* the thread writes nothing any more */
	struct err error; /* before `over` is set */
	struct wake filled; /* the thread waits here */
	struct wake ended; /* lines_stop does here */
	struct wake *wake;
	pthread_t thread;
	int fd;
	size_t size;
	char *bytes;
};

/* ---- the thread ---- */

static void end(struct lines *l, enum status code, int number)
{
	if (code == ST_CLOSED)
		err_set(&l->error, code, "the reader is gone");
	else if (code == ST_TIMEOUT)
		err_set(&l->error, code, "the reader does not take the rest");
	else if (code != ST_OK)
		err_set_detail(&l->error, code, number, "cannot write: %s", strerror(number));
	atomic_store(&l->over, true);
	wake_raise(&l->ended);
	wake_raise(l->wake);
}

/* False: it is over. */
static bool write_some(struct lines *l, uint64_t tail, uint64_t head)
{
	size_t at = tail & (l->size - 1), n = head - tail, first;
	struct iovec v[2];
	ssize_t done;

	if (n > AT_ONCE)
		n = AT_ONCE;
	first = n < l->size - at ? n : l->size - at;
	v[0] = (struct iovec){ .iov_base = l->bytes + at, .iov_len = first };
	v[1] = (struct iovec){ .iov_base = l->bytes, .iov_len = n - first };
	done = writev(l->fd, v, n > first ? 2 : 1);
	if (done >= 0) {
		atomic_store(&l->tail, tail + (uint64_t)done);
		if (atomic_exchange(&l->want_room, false))
			wake_raise(l->wake);
		return true;
	}
	if (atomic_load(&l->give_up)) {
		end(l, ST_TIMEOUT, 0);
		return false;
	}
	if (errno == EINTR)
		return true;
	if (errno == EAGAIN) { /* somebody else made the descriptor non-blocking */
		struct pollfd p = { .fd = l->fd, .events = POLLOUT };

		(void)poll(&p, 1, -1);
		return true;
	}
	end(l, errno == EPIPE || errno == ECONNRESET ? ST_CLOSED : ST_IO, errno);
	return false;
}

/* Nothing to write: until there is, or the reader goes. */
static bool rest(struct lines *l)
{
	struct pollfd p[2] = { { .fd = wake_fd(&l->filled), .events = POLLIN }, { .fd = l->fd, .events = 0 } };

	if (poll(p, 2, -1) > 0 && p[1].revents & (POLLERR | POLLHUP)) {
		end(l, ST_CLOSED, 0);
		return false;
	}
	wake_take(&l->filled);
	return true;
}

static void *lines_main(void *arg)
{
	struct lines *l = arg;
	bool go = true;
	sigset_t hurry;

	sigemptyset(&hurry);
	sigaddset(&hurry, HURRY);
	pthread_sigmask(SIG_UNBLOCK, &hurry, NULL);
	while (go) {
		uint64_t tail = atomic_load(&l->tail), head = atomic_load_explicit(&l->head, memory_order_acquire);

		if (tail != head) {
			go = write_some(l, tail, head);
		} else if (atomic_load(&l->quit)) {
			end(l, ST_OK, 0);
			go = false;
		} else {
			go = rest(l);
		}
	}
	return NULL;
}

/* ---- the producer ---- */

/* Without one the signal would be ignored, and a write go on. */
static void on_hurry(int sig)
{
	(void)sig;
}

static void release(struct lines *l)
{
	wake_fini(&l->filled);
	wake_fini(&l->ended);
	free(l->bytes);
	free(l);
}

enum status lines_start(struct lines **out, int fd, size_t size, struct wake *wake, struct err *e)
{
	struct lines *l = aligned_alloc(64, (sizeof(*l) + 63) / 64 * 64);
	enum status st = ST_OK;
	struct sigaction sa = { .sa_handler = on_hurry }; /* no SA_RESTART */
	sigset_t all, old;

	*out = NULL;
	if (!l)
		return err_set(e, ST_NOMEM, "no memory for an output");
	memset(l, 0, sizeof(*l));
	l->filled.rfd = l->filled.wfd = l->ended.rfd = l->ended.wfd = -1;
	l->fd = fd;
	l->size = size;
	l->wake = wake;
	l->bytes = malloc(size);
	if (!l->bytes)
		st = err_set(e, ST_NOMEM, "no memory for an output");
	if (st == ST_OK)
		st = wake_init(&l->filled, e);
	if (st == ST_OK)
		st = wake_init(&l->ended, e);
	if (st == ST_OK) {
		sigemptyset(&sa.sa_mask);
		sigaction(HURRY, &sa, NULL);
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		if (pthread_create(&l->thread, NULL, lines_main, l) != 0)
			st = err_set(e, ST_NOMEM, "cannot start a thread");
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	if (st != ST_OK)
		release(l);
	else
		*out = l;
	return st;
}

bool lines_put(struct lines *l, const char *text, size_t n)
{
	uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed), tail = atomic_load(&l->tail);
	size_t at = head & (l->size - 1), first = n < l->size - at ? n : l->size - at;

	if (atomic_load_explicit(&l->over, memory_order_relaxed) || l->size - (size_t)(head - tail) < n)
		return false;
	memcpy(l->bytes + at, text, first);
	memcpy(l->bytes, text + first, n - first);
	atomic_store_explicit(&l->head, head + n, memory_order_release);
	wake_raise(&l->filled);
	return true;
}

/* The caller looks once more between this and await_wake: else a write in between would not wake it. */
static void ask_for_room(struct lines *l)
{
	(void)atomic_exchange(&l->want_room, true);
}

static void await_wake(struct lines *l)
{
	struct pollfd p = { .fd = wake_fd(l->wake), .events = POLLIN };

	if (poll(&p, 1, -1) > 0)
		wake_take(l->wake);
}

bool lines_put_wait(struct lines *l, const char *text, size_t n, bool (*stop)(void))
{
	while (!lines_put(l, text, n)) {
		if (atomic_load(&l->over) || n > l->size || (stop && stop()))
			return false;
		ask_for_room(l);
		if (lines_put(l, text, n))
			return true;
		await_wake(l);
	}
	return true;
}

void lines_drain(struct lines *l, bool (*stop)(void))
{
	while (!atomic_load(&l->over) && !(stop && stop())) {
		ask_for_room(l);
		if (atomic_load(&l->tail) == atomic_load_explicit(&l->head, memory_order_relaxed))
			return;
		await_wake(l);
	}
}

enum status lines_error(const struct lines *l, struct err *e)
{
	if (!atomic_load(&l->over))
		return ST_OK;
	*e = l->error;
	return l->error.code;
}

enum status lines_stop(struct lines *l, unsigned wait_ms, struct err *e)
{
	uint64_t until = time_mono() + wait_ms * NS_MS, now;
	struct pollfd p = { .fd = wake_fd(&l->ended), .events = POLLIN };
	enum status st;

	atomic_store(&l->quit, true);
	wake_raise(&l->filled);
	while (!atomic_load(&l->over) && (now = time_mono()) < until)
		(void)poll(&p, 1, (int)((until - now) / NS_MS) + 1);
	atomic_store(&l->give_up, true);
	/* Nobody reads. Again and again: the first signal may come just before it goes into the write. */
	while (!atomic_load(&l->over)) {
		pthread_kill(l->thread, HURRY);
		(void)poll(&p, 1, HURRY_MS);
	}
	pthread_join(l->thread, NULL);
	st = lines_error(l, e);
	release(l);
	return st;
}
