/*
 * Who a node is: the enode URL (enode://<128 hex digits>@host:port?discport=N) and the file of a node key.
 */
#ifndef NET_DEVP2P_ENODE_H
#define NET_DEVP2P_ENODE_H

#include <stddef.h>

#include "net/devp2p/curve.h"

enum { ENODE_TEXT = 8 + 2 * CURVE_PUB + 1 + 256 + 16 };

struct enode {
	uint8_t id[CURVE_PUB]; /* public key */
	char host[254]; /* address without brackets, or name */
	uint16_t port; /* TCP; what discport says is for discovery, which is not done here */
};

/*
 * ST_USAGE with a cure: not an enode URL (enr: has its own sentence), digits or port wrong. That id is a point is not
 * checked here.
 */
enum status enode_parse(struct enode *n, const char *text, struct err *e) MUST_CHECK;
/* The URL. Returns out. */
char *enode_print(char out[ENODE_TEXT], const struct enode *n);
/* "d860a01f…b1f666": enough to tell nodes apart. out[20]. */
char *enode_short(char out[20], const uint8_t id[CURVE_PUB]);

/*
 * Reads a node key: 64 hex digits, white space around allowed. ST_USAGE with a cure if others may read the file, or it is
 * none; ST_IO. A file that does not exist is made, 0600, with a fresh key: so that the node can be told to trust it.
 */
enum status enode_key(uint8_t key[CURVE_KEY], const char *file, struct err *e) MUST_CHECK;

#endif
