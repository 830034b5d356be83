/* Why a node ends a devp2p connection: the reasons of Disconnect (devp2p's rlpx.md), in words for everybody. */
#ifndef ETH_P2P_REASON_H
#define ETH_P2P_REASON_H

#include <stddef.h>

/* Reasons of a Disconnect. Others than these exist: show the number. */
enum p2p_reason {
	P2P_REQUESTED = 0x00,
	P2P_NETWORK_ERROR = 0x01,
	P2P_BREACH = 0x02,
	P2P_USELESS = 0x03, /* no capability in common */
	P2P_TOO_MANY = 0x04,
	P2P_ALREADY = 0x05,
	P2P_INCOMPATIBLE = 0x06,
	P2P_BAD_IDENTITY = 0x07,
	P2P_QUITTING = 0x08,
	P2P_UNEXPECTED_IDENTITY = 0x09,
	P2P_SELF = 0x0a,
	P2P_TIMEOUT = 0x0b,
	P2P_SUBPROTOCOL = 0x10, /* the status or a message of eth did not please */
	P2P_NO_REASON = -1, /* none was said, or it cannot be read */
};

/* "too many peers"; "unknown reason 0x42"; "no reason said". Written to out[size] (32 is enough). Returns out. */
char *p2p_reason_text(char *out, size_t size, int reason);

#endif
