/* What the options say of connections, for commands that have no app. */
#ifndef CMD_NETOPTS_H
#define CMD_NETOPTS_H

#include "conf/conf.h"
#include "net/stream.h"

/* Strings are borrowed from c. ST_USAGE: a header that is none, a file that cannot be read. */
enum status netopts_from(struct net_opts *o, const struct conf *c, struct err *e) MUST_CHECK;

/*
 * For who transfers much and keeps nothing, before any thread is started: memory of a size that libcurl takes and gives
 * back for each transfer (128 KiB) is kept for the next one. What main does is right for the monitor, and costs a third
 * of a fetch.
 */
void netopts_bulk_memory(void);

#endif
