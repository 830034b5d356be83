/* What the options say of connections, for commands that have no app. */
#ifndef CMD_NETOPTS_H
#define CMD_NETOPTS_H

#include "conf/conf.h"
#include "net/stream.h"

/* Strings are borrowed from c. ST_USAGE: a header that is none, a file that cannot be read. */
enum status netopts_from(struct net_opts *o, const struct conf *c, struct err *e) MUST_CHECK;

#endif
