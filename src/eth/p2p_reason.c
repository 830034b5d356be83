#include "eth/p2p_reason.h"

#include <stdio.h>

char *p2p_reason_text(char *out, size_t size, int reason)
{
	static const char *const words[] = {
		[P2P_REQUESTED] = "requested",
		[P2P_NETWORK_ERROR] = "network error",
		[P2P_BREACH] = "breach of protocol",
		[P2P_USELESS] = "useless peer",
		[P2P_TOO_MANY] = "too many peers",
		[P2P_ALREADY] = "already connected",
		[P2P_INCOMPATIBLE] = "incompatible p2p version",
		[P2P_BAD_IDENTITY] = "invalid node identity",
		[P2P_QUITTING] = "quitting",
		[P2P_UNEXPECTED_IDENTITY] = "unexpected identity",
		[P2P_SELF] = "connected to itself",
		[P2P_TIMEOUT] = "read timeout",
		[P2P_SUBPROTOCOL] = "subprotocol error",
	};
	const int known = sizeof(words) / sizeof(words[0]);

	if (reason == P2P_NO_REASON)
		snprintf(out, size, "no reason said");
	else if (reason >= 0 && reason < known && words[reason] != NULL)
		snprintf(out, size, "%s", words[reason]);
	else
		snprintf(out, size, "unknown reason 0x%02x", (unsigned)reason);
	return out;
}
