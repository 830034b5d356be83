/*
 * The pipe variant of base/wake under other names, so that one program can test both: the variant
 * the build chose (wake_*) and the fallback (pipe_wake_*). Include last.
 */
#ifndef TESTS_UNIT_WAKE_PIPE_H
#define TESTS_UNIT_WAKE_PIPE_H

#include "base/wake.h"

enum status pipe_wake_init(struct wake *w, struct err *e);
void pipe_wake_fini(struct wake *w);
void pipe_wake_raise(struct wake *w);
void pipe_wake_take(struct wake *w);
int pipe_wake_fd(const struct wake *w);

#undef DISABLE_EVENTFD
#define DISABLE_EVENTFD 1
#define wake_init pipe_wake_init
#define wake_fini pipe_wake_fini
#define wake_raise pipe_wake_raise
#define wake_take pipe_wake_take
#define wake_fd pipe_wake_fd
#include "src/base/wake.c"
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
