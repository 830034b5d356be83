#include "out/exporter.h"

#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"

enum {
	CONNECTIONS = 32,
	IDLE_S = 15,
	CONNECTION_MEMORY = 16 << 10, /* requests with larger heads are refused */
	WAIT_MS = 2000,
	AGE_MS = 200,
};

/* MHD_Result is int before 0.9.71. */
#if MHD_VERSION < 0x00097002
#define MHD_Result int
#endif

struct page_text {
	size_t n;
	char *text;
};

struct exporter {
	struct MHD_Daemon *daemon;
	struct wake *app;
	struct wake given; /* the server's thread waits here */
	_Atomic(struct page_text *) next; /* handed over: whoever takes it out owns it */
	_Atomic bool wanted, stopping;
	uint64_t wait_ns, age_ns;
	/* The server's thread's. */
	struct MHD_Response *page;
	uint64_t page_mono;
	char root[300];
};

/* ---- the server's thread ---- */

static void page_free(struct page_text *p)
{
	if (p)
		free(p->text);
	free(p);
}

static void take(struct exporter *x, struct page_text *p)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(p->n, p->text, MHD_RESPMEM_MUST_FREE);

	if (r)
		p->text = NULL; /* the response's now */
	page_free(p);
	if (!r)
		return;
	if (MHD_add_response_header(r, "Content-Type", "text/plain; version=0.0.4; charset=utf-8") != MHD_YES ||
	    MHD_add_response_header(r, "Cache-Control", "no-store") != MHD_YES) {
		MHD_destroy_response(r);
		return;
	}
	/* Those who are still being sent the old one keep it. */
	if (x->page)
		MHD_destroy_response(x->page);
	x->page = r;
	x->page_mono = time_mono();
}

/* A page that is new enough, or NULL. */
static struct MHD_Response *page(struct exporter *x)
{
	struct pollfd p = { .fd = wake_fd(&x->given), .events = POLLIN };
	uint64_t now = time_mono(), until = now + x->wait_ns;
	struct page_text *t;

	if (x->page && now - x->page_mono < x->age_ns)
		return x->page;
	/* One that came too late for who had asked for it. */
	page_free(atomic_exchange(&x->next, NULL));
	atomic_store(&x->wanted, true);
	wake_raise(x->app);
	while (!(t = atomic_exchange(&x->next, NULL))) {
		now = time_mono();
		if (now >= until || atomic_load(&x->stopping))
			return NULL;
		(void)poll(&p, 1, (int)((until - now) / NS_MS) + 1);
		wake_take(&x->given);
	}
	take(x, t);
	return x->page && time_mono() - x->page_mono < x->age_ns ? x->page : NULL;
}

static enum MHD_Result plain(struct MHD_Connection *c, unsigned status, const char *text)
{
	/* Not written to: PERSISTENT. */
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ok = MHD_NO;

	if (!r)
		return MHD_NO;
	if (MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8") == MHD_YES &&
	    (status != MHD_HTTP_METHOD_NOT_ALLOWED || MHD_add_response_header(r, "Allow", "GET, HEAD") == MHD_YES))
		ok = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ok;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
	const char *version, const char *data, size_t *n, void **request)
{
	struct exporter *x = ctx;
	struct MHD_Response *r;

	(void)version;
	(void)data;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return plain(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	/* The head alone; what comes with it is not for us. */
	if (!*request || *n) {
		*request = x;
		*n = 0;
		return MHD_YES;
	}
	if (strcmp(url, "/") == 0)
		return plain(c, MHD_HTTP_OK, x->root);
	if (strcmp(url, "/metrics") != 0)
		return plain(c, MHD_HTTP_NOT_FOUND, "not here: /metrics\n");
	r = page(x);
	return r ? MHD_queue_response(c, MHD_HTTP_OK, r) : plain(c, MHD_HTTP_SERVICE_UNAVAILABLE, "busy: try again\n");
}

/* ---- from the app's thread ---- */

bool exporter_wanted(struct exporter *x)
{
	return atomic_load_explicit(&x->wanted, memory_order_relaxed) && atomic_exchange(&x->wanted, false);
}

void exporter_give(struct exporter *x, struct buf *out)
{
	struct page_text *t = malloc(sizeof(*t));

	if (!t)
		return;
	*t = (struct page_text){ .n = out->len, .text = out->p };
	out->p = NULL;
	out->len = out->cap = 0;
	page_free(atomic_exchange(&x->next, t));
	wake_raise(&x->given);
}

static struct MHD_Daemon *start_daemon(struct exporter *x, int fd)
{
	sigset_t all, old;
	struct MHD_Daemon *d;

	/* Signals are for the app's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	d = MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG,
		0, NULL, NULL, on_request, x,
		MHD_OPTION_EXTERNAL_LOGGER, log_foreign, "metrics",
		MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return d;
}

enum status exporter_start(struct exporter **out, const struct exporter_opts *o, struct err *e)
{
	struct exporter *x = calloc(1, sizeof(*x));
	enum status st;

	*out = NULL;
	if (!x) {
		close(o->fd);
		return err_set(e, ST_NOMEM, "no memory for --metrics");
	}
	x->app = o->wake;
	x->wait_ns = (o->wait_ms ? o->wait_ms : WAIT_MS) * NS_MS;
	x->age_ns = (o->age_ms ? o->age_ms : AGE_MS) * NS_MS;
	snprintf(x->root, sizeof(x->root), "%s\n\n/metrics   for Prometheus, text format 0.0.4\n", o->about);
	st = wake_init(&x->given, e);
	if (st != ST_OK) {
		close(o->fd);
		free(x);
		return st;
	}
	x->daemon = start_daemon(x, o->fd);
	if (!x->daemon) {
		close(o->fd);
		wake_fini(&x->given);
		free(x);
		return err_set(e, ST_IO, "--metrics: the server does not start");
	}
	*out = x;
	return ST_OK;
}

void exporter_stop(struct exporter *x)
{
	if (!x)
		return;
	atomic_store(&x->stopping, true);
	wake_raise(&x->given);
	MHD_stop_daemon(x->daemon);
	if (x->page)
		MHD_destroy_response(x->page);
	page_free(atomic_exchange(&x->next, NULL));
	wake_fini(&x->given);
	free(x);
}
