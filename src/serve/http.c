#include "serve/http.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

enum {
	CONNECTIONS = 1000,
	IDLE_S = 120, /* as geth */
	CONNECTION_MEMORY = 64 << 10,
	IOV_FEW = 3,
};

/* MHD_Result is int before 0.9.71. */
#if MHD_VERSION < 0x00097002
#define MHD_Result int
#endif

struct http {
	struct MHD_Daemon *daemon;
	struct node *node;
};

/* A request while its body comes in. */
struct post {
	struct buf body;
	bool too_big;
};

/* An answer while it is sent. */
struct reply {
	struct answer a;
};

static enum MHD_Result plain(struct MHD_Connection *c, unsigned status, const char *text)
{
	/* Not written to: PERSISTENT. */
	void *p = (void *)(uintptr_t)text;
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), p, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ok = MHD_NO;

	if (!r)
		return MHD_NO;
	if (status != MHD_HTTP_METHOD_NOT_ALLOWED || MHD_add_response_header(r, "Allow", "POST") == MHD_YES)
		ok = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ok;
}

static void reply_free(void *ctx)
{
	struct reply *r = ctx;

	answer_fini(&r->a);
	free(r);
}

static enum MHD_Result respond(const struct http *h, struct MHD_Connection *c, const struct buf *body)
{
	struct reply *reply = malloc(sizeof(*reply));
	struct iovec few[IOV_FEW], *iov = few;
	struct MHD_Response *r = NULL;
	enum MHD_Result ok = MHD_NO;

	if (!reply)
		return plain(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory\n");
	if (node_answer(h->node, NULL, body->p ? body->p : "", body->len, &reply->a) != ST_OK)
		goto fail;
	if (reply->a.total == 0) {
		reply_free(reply);
		return plain(c, MHD_HTTP_OK, ""); /* only notifications; as geth */
	}
	if (reply->a.n > IOV_FEW)
		iov = malloc(reply->a.n * sizeof(*iov));
	if (!iov)
		goto fail;
	answer_iov(&reply->a, iov);
	/* MHD_IoVec is const void *, size_t: the same two words. It is copied. */
	_Static_assert(sizeof(struct MHD_IoVec) == sizeof(struct iovec), "MHD_IoVec is an iovec");
	r = MHD_create_response_from_iovec((const struct MHD_IoVec *)iov, reply->a.n, reply_free, reply);
	if (iov != few)
		free(iov);
	if (!r)
		goto fail;
	if (MHD_add_response_header(r, "Content-Type", "application/json") == MHD_YES)
		ok = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return ok;
fail:
	reply_free(reply);
	return plain(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory\n");
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
	const char *version, const char *data, size_t *n, void **request)
{
	struct post *p = *request;

	(void)url;
	(void)version;
	if (!p) {
		/* The head alone; the body or its end comes with the next calls. */
		if (strcmp(method, "POST") != 0)
			return plain(c, MHD_HTTP_METHOD_NOT_ALLOWED, "JSON-RPC by POST\n");
		p = calloc(1, sizeof(*p));
		if (!p)
			return MHD_NO;
		buf_init(&p->body, REQUEST_MAX);
		*request = p;
		return MHD_YES;
	}
	if (*n) {
		p->too_big = p->too_big || buf_add(&p->body, data, *n) != ST_OK;
		*n = 0;
		return MHD_YES;
	}
	if (p->too_big)
		return plain(c, 413, "request too large\n"); /* the name of the constant has changed between versions */
	return respond(ctx, c, &p->body);
}

static void on_done(void *ctx, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why)
{
	struct post *p = *request;

	(void)ctx;
	(void)c;
	(void)why;
	if (!p)
		return;
	buf_fini(&p->body);
	free(p);
	*request = NULL;
}

enum status http_start(struct http **out, struct node *n, int fd, struct err *e)
{
	struct http *h = malloc(sizeof(*h));

	*out = NULL;
	if (!h) {
		close(fd);
		return err_set(e, ST_NOMEM, "no memory");
	}
	h->node = n;
	h->daemon = MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG,
		0, NULL, NULL, on_request, h,
		MHD_OPTION_EXTERNAL_LOGGER, log_foreign, "http",
		MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_NOTIFY_COMPLETED, on_done, NULL,
		MHD_OPTION_END);
	if (!h->daemon) {
		close(fd);
		free(h);
		return err_set(e, ST_IO, "the HTTP server does not start");
	}
	*out = h;
	return ST_OK;
}

void http_stop(struct http *h)
{
	if (!h)
		return;
	MHD_stop_daemon(h->daemon);
	free(h);
}
