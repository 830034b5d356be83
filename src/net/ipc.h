/*
 * The unix socket transport: JSON texts without framing over net/stream, cut by net/ipc_scan: transport_ipc of transport.h.
 * A text over the limit ends the connection with ST_TOO_BIG. What stands between two texts is reported once a run.
 */
#ifndef NET_IPC_H
#define NET_IPC_H

#include "net/transport.h"

#endif
