/*
 * Tokens for a node's authenticated port: HS256 over {"iat":now}, as the Engine API asks for
 * (execution-apis, src/engine/authentication.md). The node accepts a token within ±60 s of its own clock, so each
 * request or handshake gets a fresh one.
 */
#ifndef NET_JWT_H
#define NET_JWT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { JWT_SECRET = 32, JWT_SIZE = 160 };

/*
 * Reads 32 bytes in hex, 0x or not, white space around allowed. ST_USAGE with a cure; the text names the file, never
 * its content.
 */
enum status jwt_read(uint8_t secret[JWT_SECRET], const char *file, struct err *e) MUST_CHECK;
/* A token for Unix time iat into out[JWT_SIZE]. */
enum status jwt_make(char *out, const uint8_t secret[JWT_SECRET], uint64_t iat, struct err *e) MUST_CHECK;

#endif
