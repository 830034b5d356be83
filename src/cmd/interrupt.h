/*
 * Ctrl-C for commands that work without a screen: a thread of its own takes SIGINT, SIGTERM and SIGHUP and calls fn. A
 * second signal ends the
 * process at once, with 128 + its number.
 */
#ifndef CMD_INTERRUPT_H
#define CMD_INTERRUPT_H

#include "base/err.h"

struct interrupt;

/* Before any other thread is started: the signals are blocked here for all of them. fn is called once, in that thread. */
enum status interrupt_start(struct interrupt **out, void (*fn)(void *ctx), void *ctx, struct err *e) MUST_CHECK;
/* Ends the thread and frees. Returns the signal that came, or 0. */
int interrupt_finish(struct interrupt *i);

#endif
