/* Which of a few addresses has somebody listening. */
#ifndef NET_PROBE_H
#define NET_PROBE_H

#include "net/url.h"

/*
 * Connects to all at once, without sending anything. Index of the first in the list (not in time) that accepts within
 * timeout_ms, −1 if none does. Meant for loopback and unix sockets; blocks that long at most.
 */
int net_probe(const struct url *urls, unsigned n, unsigned timeout_ms);

#endif
