#include "cmd/netopts.h"

#include <malloc.h>
#include <string.h>
#include <unistd.h>

static bool is_header(const char *h)
{
	size_t n = strcspn(h, ":");

	return h[n] == ':' && n > 0 && !strpbrk(h, "\r\n");
}

enum status netopts_from(struct net_opts *o, const struct conf *c, struct err *e)
{
	*o = (struct net_opts){
		.headers = c->headers.item,
		.n_headers = c->headers.n,
		.jwt_file = c->jwt,
		.cacert = c->cacert,
		.insecure = c->insecure,
		.proxy = c->proxy,
		.request_timeout_ns = c->request_timeout,
	};
	for (unsigned i = 0; i < c->headers.n; i++) {
		if (is_header(c->headers.item[i]))
			continue;
		err_set(e, ST_USAGE, "--header: not a header");
		return err_cure(e, "-H 'Name: value'");
	}
	if (c->jwt && access(c->jwt, R_OK) != 0)
		return err_set(e, ST_USAGE, "--jwt %s: cannot be read", c->jwt);
	if (c->cacert && access(c->cacert, R_OK) != 0)
		return err_set(e, ST_USAGE, "--cacert %s: cannot be read", c->cacert);
	return ST_OK;
}

void netopts_bulk_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}
