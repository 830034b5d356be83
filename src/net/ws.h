/*
 * The WebSocket transport, RFC 6455, client side, over net/stream: transport_ws of transport.h.
 * - A ping each 10 s; a node that sent nothing at all since the last one is dead (ST_SILENT). Its pings are answered.
 * - Never offers an extension or subprotocol; text and binary are one.
 * - Close codes become statuses: 1008 ST_RATE, 1009 ST_TOO_BIG, 1002, 1003 and 1007 ST_MALFORMED, others ST_CLOSED.
 * - A message over the limit ends the connection with ST_TOO_BIG: what asked for it must not be asked again.
 */
#ifndef NET_WS_H
#define NET_WS_H

#include "net/transport.h"

enum { WS_ACCEPT_SIZE = 29 };

/* Sec-WebSocket-Accept for a key (§4.2.2): base64(SHA-1(key + GUID)) into out. */
enum status ws_accept(char out[WS_ACCEPT_SIZE], const char *key, struct err *e) MUST_CHECK;
/* What a close code means, with the least time to wait before the next attempt. reason is the peer's text, as it came. */
enum status ws_close_err(struct err *e, unsigned code, const char *reason, size_t n, uint64_t *retry_ns);

#endif
