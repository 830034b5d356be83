/*
 * Announcements of transactions that wait: newPendingTransactions notifications → EV_TXS, several in one event. Part of
 * wire_rpc.c; pure like it, so a batch that is not full leaves with a message, or when whoever has a clock says so.
 */
#ifndef FEED_WIRE_PENDING_H
#define FEED_WIRE_PENDING_H

#include "eth/rpc.h"
#include "feed/wire_rpc.h"

/* Is this notification an announcement? Only where they have been asked for. */
bool wire_is_pending(const struct wire *w, const struct rpc_msg *m);
/* False: it is none that can be read. */
bool wire_pending(struct wire *w, const struct rpc_msg *m, const struct net_meta *meta);
/* Sends what waits if it has waited for PENDING_HOLD_NS at now_ns; UINT64_MAX: at once. */
void wire_pending_flush(struct wire *w, uint64_t now_ns);
/* When it will have; UINT64_MAX: nothing waits. */
uint64_t wire_pending_due(const struct wire *w);

#endif
