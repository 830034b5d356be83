/*
 * The pipe variant of base/wake under other names, so that one program can test both: the variant
 * the build chose (wake_*) and the fallback (pipe_wake_*). Include last.
 */
#ifndef TESTS_UNIT_WAKE_PIPE_H
#define TESTS_UNIT_WAKE_PIPE_H

#include <unistd.h>

#include "base/wake.h"

enum status pipe_wake_init(struct wake *w, struct err *e);
void pipe_wake_fini(struct wake *w);
void pipe_wake_raise(struct wake *w);
void pipe_wake_take(struct wake *w);
int pipe_wake_fd(const struct wake *w);

/* Called around each read of pipe_wake_take, if set: other threads act at these moments. */
static void (*wake_pipe_before_read)(void);
static void (*wake_pipe_after_read)(void);

static ssize_t
wake_pipe_read(int fd, void *out, size_t n)
{
	ssize_t got;

	if (wake_pipe_before_read != NULL)
		wake_pipe_before_read();
	got = read(fd, out, n);
	if (wake_pipe_after_read != NULL)
		wake_pipe_after_read();
	return got;
}

#undef DISABLE_EVENTFD
#define DISABLE_EVENTFD 1
#define wake_init pipe_wake_init
#define wake_fini pipe_wake_fini
#define wake_raise pipe_wake_raise
#define wake_take pipe_wake_take
#define wake_fd pipe_wake_fd
#define read wake_pipe_read
#include "src/base/wake.c"
#undef read
#undef wake_init
#undef wake_fini
#undef wake_raise
#undef wake_take
#undef wake_fd

struct wake_variant {
	const char *name;
	enum status (*init)(struct wake *w, struct err *e);
	void (*fini)(struct wake *w);
	void (*raise)(struct wake *w);
	void (*take)(struct wake *w);
	int (*fd)(const struct wake *w);
};

static const struct wake_variant wake_variants[] = {
	{"as built", wake_init, wake_fini, wake_raise, wake_take, wake_fd},
	{"pipe", pipe_wake_init, pipe_wake_fini, pipe_wake_raise, pipe_wake_take, pipe_wake_fd},
};

enum { WAKE_VARIANTS = 2 };

#endif
