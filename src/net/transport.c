/* The registry of transports; see transport.h. */
#include "net/transport.h"

const struct transport_class *
transport_find(enum url_scheme s)
{
	static const struct transport_class *const classes[] = {
		[URL_WS] = &transport_ws,
		[URL_WSS] = &transport_ws,
		[URL_HTTP] = &transport_http,
		[URL_HTTPS] = &transport_http,
		[URL_IPC] = &transport_ipc,
		[URL_GUESS] = NULL,
		[URL_RECORDING] = NULL,
		[URL_ENODE] = NULL,
	};

	return (unsigned)s < sizeof(classes) / sizeof(classes[0]) ? classes[s] : NULL;
}
