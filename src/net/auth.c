/* The Authorization header; see auth.h. */
#include "net/auth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/time.h"

bool
net_has_header(const struct net_opts *o, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < o->n_headers; i++)
		if (strncasecmp(o->headers[i], name, n) == 0 && o->headers[i][n] == ':')
			return true;
	return false;
}

/* RFC 7617: base64 of user:password. */
static char *
basic_line(const char *user, const char *pass)
{
	static const char front[] = "Authorization: Basic ";
	size_t n = strlen(user) + 1 + strlen(pass);
	char *plain = malloc(n + 1), *line = malloc(sizeof(front) + (n + 2) / 3 * 4 + 1);

	if (plain != NULL && line != NULL) {
		snprintf(plain, n + 1, "%s:%s", user, pass);
		memcpy(line, front, sizeof(front) - 1);
		EVP_EncodeBlock((unsigned char *)line + sizeof(front) - 1, (unsigned char *)plain,
			(int)n);
		OPENSSL_cleanse(plain, n);
	} else {
		free(line);
		line = NULL;
	}
	free(plain);
	return line;
}

enum status
auth_init(struct auth *a, const struct url *u, const struct net_opts *o, struct err *e)
{
	*a = (struct auth){0};
	if (net_has_header(o, "Authorization"))
		return ST_OK;
	if (o->jwt_file != NULL) {
		a->jwt = true;
		return jwt_read(a->secret, o->jwt_file, e);
	}
	if (u->user == NULL)
		return ST_OK;
	a->basic = basic_line(u->user, u->pass != NULL ? u->pass : "");
	return a->basic != NULL ? ST_OK : err_set(e, ST_NOMEM, "out of memory");
}

void
auth_fini(struct auth *a)
{
	if (a->basic != NULL)
		OPENSSL_cleanse(a->basic, strlen(a->basic));
	free(a->basic);
	OPENSSL_cleanse(a, sizeof(*a));
}

const char *
auth_line(const struct auth *a, char scratch[JWT_SIZE + 32])
{
	char token[JWT_SIZE];

	if (!a->jwt)
		return a->basic;
	if (jwt_make(token, a->secret, time_wall() / NS_S, NULL) != ST_OK)
		return NULL;
	snprintf(scratch, JWT_SIZE + 32, "Authorization: Bearer %s", token);
	return scratch;
}
