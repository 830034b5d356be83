/*
 * What the configuration file says, in the terms of net/ and model/, which conf/ does not know: its nodes as URLs, its checks as
 * limits. Errors name file and line.
 */
#ifndef CONFIGURED_H
#define CONFIGURED_H

#include "conf/file.h"
#include "model/health.h"
#include "net/url.h"

enum {
	CONFIGURED_COMMAND_S = 60, /* for what a url_command prints: somebody may have to type a password */
	CONFIGURED_END_S = 3, /* for its end, once it has closed its output */
};

/*
 * The endpoints that a word of the command line means: a node's name those of the node (NAME=URL each), all else is a URL.
 * Appended at urls[*n…max). A url_command is run here, with the terminal, so before a screen is open. On
 * failure what was added stays.
 */
enum status configured_urls(const struct conf *c, const char *word, struct url *urls, unsigned max, unsigned *n, struct err *e)
	MUST_CHECK;
/* The same for who wants one endpoint: the first of a node. */
enum status configured_url(const struct conf *c, const char *word, struct url *u, struct err *e) MUST_CHECK;
/* The limits of its checks: at most CONF_CHECKS_MAX rows; names are borrowed. No file: none. */
enum status configured_limits(const struct conf *c, struct limit_row *rows, unsigned *n, struct err *e) MUST_CHECK;
/* Everything in the file that can be known to be wrong without running or asking anything. */
enum status configured_check(const struct conf *c, struct err *e) MUST_CHECK;

#endif
