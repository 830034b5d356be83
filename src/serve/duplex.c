#include "serve/duplex.h"

#include <errno.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"
#include "base/wake.h"
#include "net/ipc_scan.h"

enum {
	CONNECTIONS = 1000,
	READ = 64 << 10, /* bytes of requests at a time */
	QUEUE_STOP = 64, /* answers waiting: reads no more requests, … */
	QUEUE_GO = 16, /* … until that few are left */
	NEWS_MAX = 1024, /* who takes no answers gets no news either: closed */
	ACCEPT_BURST = 64,
	ACCEPT_PAUSE_US = 200000, /* without a descriptor left */
	IPC_ROOM = 1 << 20, /* the kernel gives a unix socket what it may, never more by itself: 13 % faster */
};

/* An answer waiting to be sent. */
struct out {
	struct out *next;
	struct answer a;
};

struct conn {
	struct conn *next, **link; /* all connections; link NULL: not in the list */
	struct lws *wsi;
	struct session session;
	struct buf in; /* the request so far */
	struct ipc_scan scan;
	struct out *first, **last;
	unsigned waiting;
	bool held; /* reads no requests for now */
	bool ends; /* once all is sent */
};

struct duplex {
	struct duplex_opts o;
	struct lws_context *context;
	struct lws_vhost *vhost;
	struct wake wake;
	pthread_t thread;
	_Atomic bool stop;
	struct conn *conns;
	unsigned n_conns;
	struct buf scratch, header;
	lws_sorted_usec_list_t advance, again;
	struct lws *paused[2]; /* listeners without a descriptor to accept with */
};

/* ---- sending ---- */

static struct duplex *duplex_of(struct lws *wsi)
{
	return lws_context_user(lws_get_context(wsi));
}

static void out_free(struct out *o)
{
	answer_fini(&o->a);
	free(o);
}

static void enqueue(struct conn *c, struct out *o)
{
	o->next = NULL;
	*c->last = o;
	c->last = &o->next;
	c->waiting++;
}

static void hold(struct conn *c, bool held)
{
	if (c->held == held)
		return;
	c->held = held;
	lws_rx_flow_control(c->wsi, !held);
}

/* One message. −1: the connection is to be closed. */
static int send_one(struct duplex *d, struct conn *c, bool ipc)
{
	struct out *o = c->first;
	char *p;
	size_t n;
	int rc = -1;

	if (o) {
		p = answer_place(&o->a, &d->scratch, LWS_PRE, 1);
		n = o->a.total;
		if (p) {
			/* Nodes end what they write to a unix socket with a line feed, and clients read lines. */
			if (ipc)
				p[n++] = '\n';
			rc = lws_write(c->wsi, (unsigned char *)p, n, ipc ? LWS_WRITE_RAW : LWS_WRITE_TEXT);
		}
		c->first = o->next;
		if (!c->first)
			c->last = &c->first;
		c->waiting--;
		out_free(o);
		if (rc < 0)
			return -1;
		buf_shrink(&d->scratch, 4 << 20);
	}
	if (lws_partial_buffered(c->wsi)) {
		hold(c, true);
		lws_callback_on_writable(c->wsi);
		return 0;
	}
	if (c->first)
		lws_callback_on_writable(c->wsi);
	else if (c->ends)
		return -1;
	if (c->waiting <= QUEUE_GO && !c->ends)
		hold(c, false);
	return 0;
}

/* Answers a request that is whole. */
static int take_request(struct duplex *d, struct conn *c, const char *p, size_t n)
{
	struct out *o = malloc(sizeof(*o));

	if (!o)
		return -1;
	if (node_answer(d->o.node, &c->session, p, n, &o->a) != ST_OK) {
		out_free(o);
		return -1;
	}
	if (o->a.total == 0) {
		out_free(o);
		return 0;
	}
	enqueue(c, o);
	lws_callback_on_writable(c->wsi);
	if (c->waiting >= QUEUE_STOP)
		hold(c, true);
	return 0;
}

/* ---- connections ---- */

static void conn_init(struct duplex *d, struct conn *c, struct lws *wsi)
{
	*c = (struct conn){ .wsi = wsi, .next = d->conns, .link = &d->conns };
	c->last = &c->first;
	buf_init(&c->in, REQUEST_MAX);
	if (d->conns)
		d->conns->link = &c->next;
	d->conns = c;
	d->n_conns++;
}

static void conn_fini(struct duplex *d, struct conn *c)
{
	if (!c->link)
		return;
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	c->link = NULL;
	d->n_conns--;
	buf_fini(&c->in);
	while (c->first) {
		struct out *o = c->first;

		c->first = o->next;
		out_free(o);
	}
}

/* ---- WebSocket ---- */

static int ws_receive(struct duplex *d, struct conn *c, const char *p, size_t n)
{
	bool whole = lws_is_final_fragment(c->wsi) && lws_remaining_packet_payload(c->wsi) == 0;
	int rc;

	if (lws_is_first_fragment(c->wsi))
		buf_clear(&c->in);
	/* The usual request comes in one piece. */
	if (whole && c->in.len == 0)
		return take_request(d, c, p, n);
	if (buf_add(&c->in, p, n) != ST_OK) {
		lws_close_reason(c->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
		return -1;
	}
	if (!whole)
		return 0;
	rc = take_request(d, c, c->in.p, c->in.len);
	buf_clear(&c->in);
	buf_shrink(&c->in, READ);
	return rc;
}

static int on_ws(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n)
{
	struct conn *c = user;

	switch (reason) {
	case LWS_CALLBACK_ESTABLISHED:
		conn_init(duplex_of(wsi), c, wsi);
		return 0;
	case LWS_CALLBACK_RECEIVE:
		return ws_receive(duplex_of(wsi), c, in, n);
	case LWS_CALLBACK_SERVER_WRITEABLE:
		return send_one(duplex_of(wsi), c, false);
	case LWS_CALLBACK_CLOSED:
		conn_fini(duplex_of(wsi), c);
		return 0;
	case LWS_CALLBACK_HTTP:
		/* No upgrade asked for: this port speaks nothing else. */
		lws_return_http_status(wsi, 426, "WebSocket only");
		return -1;
	default:
		return 0;
	}
}

/* ---- unix socket ---- */

static int ipc_receive(struct duplex *d, struct conn *c, const char *p, size_t n)
{
	while (n) {
		size_t used;
		enum ipc_found found = ipc_scan_next(&c->scan, p, n, &used);

		switch (found) {
		case IPC_MORE:
		case IPC_MESSAGE:
			if (found == IPC_MESSAGE && c->in.len == 0) {
				if (take_request(d, c, p, used) != 0)
					return -1;
				break;
			}
			if (buf_add(&c->in, p, used) != ST_OK)
				return -1;
			if (found == IPC_MORE)
				break;
			if (take_request(d, c, c->in.p, c->in.len) != 0)
				return -1;
			buf_clear(&c->in);
			buf_shrink(&c->in, READ);
			break;
		case IPC_SPACE:
			break;
		case IPC_JUNK:
			/* Where the next request begins cannot be told: say so once and close. */
			if (take_request(d, c, p, used) != 0)
				return -1;
			c->ends = true;
			hold(c, true);
			return 0;
		}
		p += used;
		n -= used;
	}
	return 0;
}

static int on_ipc(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n)
{
	struct conn *c = user;

	switch (reason) {
	case LWS_CALLBACK_RAW_ADOPT:
		conn_init(duplex_of(wsi), c, wsi);
		return 0;
	case LWS_CALLBACK_RAW_RX:
		return ipc_receive(duplex_of(wsi), c, in, n);
	case LWS_CALLBACK_RAW_WRITEABLE:
		return send_one(duplex_of(wsi), c, true);
	case LWS_CALLBACK_RAW_CLOSE:
		conn_fini(duplex_of(wsi), c);
		return 0;
	default:
		return 0;
	}
}

/* ---- accepting ---- */

static void accept_again(lws_sorted_usec_list_t *sul)
{
	struct duplex *d = lws_container_of(sul, struct duplex, again);

	for (int i = 0; i < 2; i++) {
		if (d->paused[i])
			lws_rx_flow_control(d->paused[i], 1);
		d->paused[i] = NULL;
	}
}

/* Without a descriptor left the listener would be readable for ever: look again in a while. */
static void pause_accepting(struct duplex *d, struct lws *listener, bool ipc)
{
	log_msg(LOG_WARN, "serve: cannot accept: %s", strerror(errno));
	lws_rx_flow_control(listener, 0);
	d->paused[ipc] = listener;
	lws_sul_schedule(d->context, 0, &d->again, accept_again, ACCEPT_PAUSE_US);
}

static int accept_all(struct duplex *d, struct lws *listener, bool ipc)
{
	lws_sock_file_fd_type at;

	for (int i = 0; i < ACCEPT_BURST; i++) {
		const int on = 1, room = IPC_ROOM;
		int fd = accept4(lws_get_socket_fd(listener), NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
			pause_accepting(d, listener, ipc);
		if (fd < 0)
			return 0;
		if (d->n_conns >= CONNECTIONS) {
			close(fd);
			continue;
		}
		if (ipc)
			setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
		else
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		at.sockfd = fd;
		/* On failure the library closes it. */
		if (ipc)
			(void)lws_adopt_descriptor_vhost(d->vhost, LWS_ADOPT_SOCKET, at, "ipc", NULL);
		else
			(void)lws_adopt_descriptor_vhost(d->vhost, LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP, at, NULL, NULL);
	}
	return 0;
}

static int on_ws_listener(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n)
{
	(void)user;
	(void)in;
	(void)n;
	return reason == LWS_CALLBACK_RAW_RX_FILE ? accept_all(duplex_of(wsi), wsi, false) : 0;
}

static int on_ipc_listener(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n)
{
	(void)user;
	(void)in;
	(void)n;
	return reason == LWS_CALLBACK_RAW_RX_FILE ? accept_all(duplex_of(wsi), wsi, true) : 0;
}

static int on_wake(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n)
{
	(void)user;
	(void)in;
	(void)n;
	if (reason == LWS_CALLBACK_RAW_RX_FILE)
		wake_take(&duplex_of(wsi)->wake);
	return 0;
}

/* ---- the head ---- */

static void announce(struct duplex *d, struct conn *c)
{
	for (unsigned i = 0; i < c->session.n; i++) {
		struct out *o = malloc(sizeof(*o));

		if (!o)
			return;
		if (node_note(d->o.node, c->session.subs[i], &d->header, &o->a) != ST_OK) {
			out_free(o);
			return;
		}
		enqueue(c, o);
	}
	if (c->session.n)
		lws_callback_on_writable(c->wsi);
	if (c->waiting > NEWS_MAX)
		lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

static void advance(lws_sorted_usec_list_t *sul)
{
	struct duplex *d = lws_container_of(sul, struct duplex, advance);
	struct err e = { .code = ST_OK };

	if (node_advance(d->o.node, &d->header, &e)) {
		for (struct conn *c = d->conns; c; c = c->next)
			announce(d, c);
	} else if (e.code == ST_OK) {
		return; /* the last block: the chain stands still */
	} else {
		log_msg(LOG_WARN, "%s", e.text);
	}
	lws_sul_schedule(d->context, 0, &d->advance, advance, (lws_usec_t)(d->o.interval_ns / NS_US));
}

/* ---- life ---- */

/* The first one is what a WebSocket client gets that asks for no protocol by name, as all do. */
static const struct lws_protocols protocols[] = {
	{ .name = "jsonrpc", .callback = on_ws, .per_session_data_size = sizeof(struct conn), .rx_buffer_size = READ,
	  .tx_packet_size = 1 << 30 },
	{ .name = "ipc", .callback = on_ipc, .per_session_data_size = sizeof(struct conn), .rx_buffer_size = READ,
	  .tx_packet_size = 1 << 30 },
	{ .name = "ws-listener", .callback = on_ws_listener },
	{ .name = "ipc-listener", .callback = on_ipc_listener },
	{ .name = "wake", .callback = on_wake },
	{ .name = NULL },
};

static void log_line(int level, const char *line)
{
	char clean[200];

	(void)level;
	utf8_clean(clean, sizeof(clean), line, strcspn(line, "\n"));
	log_msg(LOG_WARN, "libwebsockets: %s", clean);
}

static void *run(void *ctx)
{
	struct duplex *d = ctx;

	while (!atomic_load(&d->stop))
		lws_service(d->context, 0);
	return NULL;
}

/* Gives the descriptor to the library, which closes it at its end. */
static enum status adopt(struct duplex *d, int *fd, const char *protocol, struct err *e)
{
	lws_sock_file_fd_type at = { .filefd = *fd };

	if (*fd < 0 || !lws_adopt_descriptor_vhost(d->vhost, LWS_ADOPT_RAW_FILE_DESC, at, protocol, NULL))
		return err_set(e, ST_IO, "libwebsockets does not take a descriptor");
	*fd = -1;
	return ST_OK;
}

static enum status open_context(struct duplex *d, struct err *e)
{
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN_SERVER,
		.protocols = protocols,
		.gid = (gid_t)-1,
		.uid = (uid_t)-1,
		.user = d,
		.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
		.pt_serv_buf_size = READ,
		.fd_limit_per_thread = CONNECTIONS + 100,
		.vhost_name = "serve",
	};

	lws_set_log_level(LLL_ERR | LLL_WARN, log_line);
	d->context = lws_create_context(&info);
	if (d->context)
		d->vhost = lws_create_vhost(d->context, &info);
	return d->vhost ? ST_OK : err_set(e, ST_IO, "libwebsockets does not start");
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void duplex_free(struct duplex *d)
{
	if (d->context)
		lws_context_destroy(d->context);
	close_fd(d->o.ws_fd);
	close_fd(d->o.ipc_fd);
	wake_fini(&d->wake);
	buf_fini(&d->scratch);
	buf_fini(&d->header);
	free(d);
}

static enum status start(struct duplex *d, struct err *e)
{
	enum status st = wake_init(&d->wake, e);
	int wake;

	if (st == ST_OK)
		st = open_context(d, e);
	if (st != ST_OK)
		return st;
	wake = dup(wake_fd(&d->wake));
	st = adopt(d, &wake, "wake", e);
	close_fd(wake);
	if (st == ST_OK && d->o.ws_fd >= 0)
		st = adopt(d, &d->o.ws_fd, "ws-listener", e);
	if (st == ST_OK && d->o.ipc_fd >= 0)
		st = adopt(d, &d->o.ipc_fd, "ipc-listener", e);
	if (st == ST_OK && d->o.interval_ns)
		lws_sul_schedule(d->context, 0, &d->advance, advance, (lws_usec_t)(d->o.interval_ns / NS_US));
	if (st == ST_OK && pthread_create(&d->thread, NULL, run, d) != 0)
		st = err_set(e, ST_NOMEM, "no thread");
	return st;
}

enum status duplex_start(struct duplex **out, const struct duplex_opts *o, struct err *e)
{
	struct duplex *d = calloc(1, sizeof(*d));
	enum status st;

	*out = NULL;
	if (!d) {
		close_fd(o->ws_fd);
		close_fd(o->ipc_fd);
		return err_set(e, ST_NOMEM, "no memory");
	}
	d->o = *o;
	d->wake.rfd = d->wake.wfd = -1;
	atomic_init(&d->stop, false);
	buf_init(&d->scratch, ANSWER_MAX + LWS_PRE + BODY_HEAD);
	buf_init(&d->header, ANSWER_MAX);
	st = start(d, e);
	if (st == ST_OK)
		*out = d;
	else
		duplex_free(d);
	return st;
}

void duplex_stop(struct duplex *d)
{
	if (!d)
		return;
	atomic_store(&d->stop, true);
	wake_raise(&d->wake);
	pthread_join(d->thread, NULL);
	duplex_free(d);
}
