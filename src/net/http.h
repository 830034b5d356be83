/*
 * The HTTP transport: each message is one POST over libcurl's multi, HTTP/1.1 with keep-alive: transport_http of transport.h.
 * - At most HTTP_PARALLEL requests at once; a further send gives ST_AGAIN.
 * - All compressions that libcurl knows; the limit counts what comes out of them.
 * - A request that met a connection closed meanwhile by the node is sent once more, unseen: all our calls are idempotent.
 * - 307 and 308 are followed on the same host (and from http to https), nothing else is; the URL's and the headers' secrets
 *   never go to another host.
 * - A 2xx whose body is empty, no JSON object or array, or cut off is failed(ST_MALFORMED), never a message.
 * - A request that finds no connection fails; if none of the others has one either, the transport is down.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "net/transport.h"

enum { HTTP_PARALLEL = 16 };

#endif
