/* chaintop ping enode://…: is there a node, is it the one that the URL names, what does it say, how fast is it? */
#ifndef CMD_PING_ENODE_H
#define CMD_PING_ENODE_H

#include "base/err.h"
#include "net/url.h"

/* Prints what it learns as it learns it, on stdout. key_file: of our node key, NULL: a fresh one. */
enum status ping_enode(const struct url *u, const char *key_file, unsigned rounds, struct err *e) MUST_CHECK;

#endif
