/*
 * Who we are to the node: the Authorization header, from -H, --jwt or the URL's user and password, in this order. The
 * results are secret.
 */
#ifndef NET_AUTH_H
#define NET_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/jwt.h"
#include "net/stream.h"

struct auth {
	bool jwt;
	uint8_t secret[JWT_SECRET];
	char *basic; /* the whole line, or NULL */
};

/* Reads the secret file if there is one. On failure nothing is left to free. */
enum status auth_init(struct auth *a, const struct url *u, const struct net_opts *o, struct err *e) MUST_CHECK;
void auth_fini(struct auth *a);
/*
 * The line "Authorization: …" without line end; for --jwt with a token of this moment, written to scratch. NULL: none
 * is to be sent.
 */
const char *auth_line(const struct auth *a, char scratch[JWT_SIZE + 32]);
/* Is there a -H for this header? */
bool net_has_header(const struct net_opts *o, const char *name);

#endif
