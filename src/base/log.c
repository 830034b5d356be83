/* The program's own log: 512 lines in memory and a file; see log.h. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "base/utf8.h"

#define KEPT 512

static struct {
	pthread_mutex_t lock; /* guards everything but lines_so_far, which may be read without */
	_Atomic uint64_t lines_so_far;
	enum log_level least;
	int fd;
	struct log_line line[KEPT]; /* line of number s is at (s - 1) % KEPT */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .least = LOG_INFO, .fd = -1};

/* Keeps one line in memory. The lock is held. */
static const struct log_line *
keep(enum log_level level, const char *text, size_t n)
{
	uint64_t seq = atomic_load_explicit(&state.lines_so_far, memory_order_relaxed) + 1;
	struct log_line *l = &state.line[(seq - 1) % KEPT];

	l->seq = seq;
	l->wall_ns = time_wall();
	l->level = level;
	utf8_clean(l->text, sizeof(l->text), text, n);
	atomic_store_explicit(&state.lines_so_far, seq, memory_order_release);
	return l;
}

/* One line, one write: lines of other processes on the same file do not mix. The lock is held. */
static void
write_line(const struct log_line *l)
{
	static const char *const words[] = {
		[LOG_DEBUG] = "debug",
		[LOG_INFO] = "info",
		[LOG_WARN] = "warning",
		[LOG_ERROR] = "error",
	};
	static const char stopped[] = "log file: write failed, no more lines go there";
	char out[sizeof(l->text) + 64], day[32];
	time_t s = (time_t)(l->wall_ns / NS_S);
	struct tm tm;
	int n;

	if (gmtime_r(&s, &tm) == NULL || strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		day[0] = '\0';
	n = snprintf(out, sizeof(out), "%s.%03uZ %s %s\n", day,
		(unsigned)(l->wall_ns / NS_MS % 1000), words[l->level], l->text);
	if (n < 0)
		return;
	if (write(state.fd, out, (size_t)n) == n || errno == EAGAIN || errno == EINTR)
		return;
	close(state.fd);
	state.fd = -1;
	keep(LOG_WARN, stopped, sizeof(stopped) - 1);
}

enum status
log_open(const char *file, enum log_level least, struct err *e)
{
	int fd = -1;

	if (file != NULL) {
		/* Not blocking: a FIFO that nobody reads must not hold up the program. */
		fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
			0600);
		if (fd < 0)
			return err_set_detail(e, ST_IO, errno, "log file %s: %s", file,
				strerror(errno));
		if (isatty(fd)) {
			close(fd);
			err_set(e, ST_USAGE, "log file %s: is a terminal", file);
			err_cure(e, "a file, and tail -f in another window");
			return ST_USAGE;
		}
	}
	pthread_mutex_lock(&state.lock);
	if (state.fd >= 0)
		close(state.fd);
	state.fd = fd;
	state.least = least;
	pthread_mutex_unlock(&state.lock);
	return ST_OK;
}

void
log_close(void)
{
	pthread_mutex_lock(&state.lock);
	if (state.fd >= 0)
		close(state.fd);
	state.fd = -1;
	pthread_mutex_unlock(&state.lock);
}

void
log_msg(enum log_level level, const char *fmt, ...)
{
	char text[512];
	const struct log_line *l;
	va_list ap;
	int n;

	if (level < LOG_DEBUG || level > LOG_ERROR)
		level = LOG_ERROR;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	n = (int)strlen(text);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	pthread_mutex_lock(&state.lock);
	if (level >= state.least) {
		l = keep(level, text, (size_t)n);
		if (state.fd >= 0)
			write_line(l);
	}
	pthread_mutex_unlock(&state.lock);
}

void
log_foreign(void *who, const char *fmt, va_list ap)
{
	char text[200];

	if (vsnprintf(text, sizeof(text), fmt, ap) > 0)
		log_msg(LOG_WARN, "%s: %.*s", (const char *)who, (int)strcspn(text, "\n"), text);
}

size_t
log_lines(struct log_line *out, size_t max)
{
	uint64_t seq;
	size_t n, i;

	pthread_mutex_lock(&state.lock);
	seq = atomic_load_explicit(&state.lines_so_far, memory_order_relaxed);
	n = seq < KEPT ? (size_t)seq : KEPT;
	if (n > max)
		n = max;
	for (i = 0; i < n; i++)
		out[i] = state.line[(seq - n + i) % KEPT];
	pthread_mutex_unlock(&state.lock);
	return n;
}

uint64_t
log_seq(void)
{
	return atomic_load_explicit(&state.lines_so_far, memory_order_acquire);
}
