/* Connections and the loop of a thread, on libcurl; see stream.h. Rules: design.md §3.1. */
#include "net/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/time.h"
#include "net/loop.h"

enum {
	WATCH_MAX = 8,
	QUEUE_MAX = 16 * 1024 * 1024,
	SPARE_MIN = 512, /* most requests are shorter */
	SPARE_MAX = 16 * 1024,
	NAP_MS = 3600 * 1000, /* "no limit": curl wants a number; waking once an hour is none */
};

struct net_loop {
	CURLM *multi;
	struct stream *streams;
	struct curl_waitfd *fds;
	size_t fds_cap, n_streams;
	int watched[WATCH_MAX];
	unsigned n_watched;
	int running; /* transfers that curl is busy with */
	bool dirty; /* a job was added since curl looked last */
	bool done; /* a job came to its end outside of net_loop_wait */
};

/* A copy of what is to be sent. TLS wants the same pointer and length again (rule 4), so a chunk never moves. */
struct chunk {
	struct chunk *next;
	size_t n, at, cap;
	char data[];
};

struct stream {
	struct net_job job;
	struct net_loop *loop;
	struct stream *next, **link;
	const struct url *url;
	const struct net_opts *opts;
	enum stream_state state;
	curl_socket_t fd;
	bool tls, readable;
	int dir_fd;
	struct chunk *head, **tail;
	struct chunk *spare; /* the last one sent, for the next request */
	size_t queued;
	struct net_phases phases;
	struct err err; /* why it is dead */
	char text[CURL_ERROR_SIZE];
};

/* ---- loop ---- */

enum status
net_global_init(struct err *e)
{
	CURLcode rc = curl_global_init(CURL_GLOBAL_DEFAULT);

	if (rc != CURLE_OK)
		return err_set(e, ST_INTERNAL, "libcurl: %s", curl_easy_strerror(rc));
	return ST_OK;
}

const char *
net_version(void)
{
	return curl_version();
}

void
net_global_fini(void)
{
	curl_global_cleanup();
}

struct net_loop *
net_loop_new(void)
{
	struct net_loop *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->multi = curl_multi_init();
	if (l->multi == NULL) {
		free(l);
		return NULL;
	}
	/* All of a burst of HTTP requests may stay connected; else curl keeps four for each that runs. */
	curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, 64L);
	return l;
}

void
net_loop_free(struct net_loop *l)
{
	if (l == NULL)
		return;
	curl_multi_cleanup(l->multi);
	free(l->fds);
	free(l);
}

enum status
net_loop_watch(struct net_loop *l, int fd)
{
	if (l->n_watched == WATCH_MAX)
		return ST_TOO_BIG;
	l->watched[l->n_watched++] = fd;
	return ST_OK;
}

enum status
net_loop_add(struct net_loop *l, struct net_job *j, struct err *e)
{
	CURLMcode rc;

	curl_easy_setopt(j->easy, CURLOPT_PRIVATE, (void *)j);
	j->done = false;
	rc = curl_multi_add_handle(l->multi, j->easy);
	if (rc != CURLM_OK)
		return err_set(e, ST_NOMEM, "libcurl: %s", curl_multi_strerror(rc));
	j->added = true;
	l->dirty = true;
	return ST_OK;
}

void
net_loop_remove(struct net_loop *l, struct net_job *j)
{
	if (j->added)
		curl_multi_remove_handle(l->multi, j->easy);
	j->added = false;
}

/* Lets curl work; true if a job came to its end. */
static bool
perform(struct net_loop *l)
{
	bool done = false;
	CURLMsg *m;
	int left;

	l->dirty = false;
	if (curl_multi_perform(l->multi, &l->running) != CURLM_OK)
		return false;
	while ((m = curl_multi_info_read(l->multi, &left)) != NULL) {
		struct net_job *j = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&j);
		if (j != NULL) {
			j->done = true;
			j->result = (int)m->data.result;
			done = true;
		}
	}
	return done;
}

static enum status
grow_fds(struct net_loop *l)
{
	size_t need = l->n_streams + WATCH_MAX;
	struct curl_waitfd *p;

	if (need <= l->fds_cap)
		return ST_OK;
	p = realloc(l->fds, 2 * need * sizeof(*p));
	if (p == NULL)
		return ST_NOMEM;
	l->fds = p;
	l->fds_cap = 2 * need;
	return ST_OK;
}

enum status
net_loop_wait(struct net_loop *l, int timeout_ms, struct err *e)
{
	unsigned n = 0;
	int events = 0;
	CURLMcode rc;

	if ((l->dirty && perform(l)) || l->done) {
		l->done = false;
		return ST_OK;
	}
	if (grow_fds(l) != ST_OK)
		return err_set(e, ST_NOMEM, "out of memory");
	for (struct stream *s = l->streams; s != NULL; s = s->next) {
		if (s->state != STREAM_OPEN)
			continue;
		/* Not read to its end: what TLS holds already is not seen by poll (rule 4). */
		if (s->readable)
			timeout_ms = 0;
		l->fds[n++] = (struct curl_waitfd){
			.fd = s->fd,
			.events = CURL_WAIT_POLLIN | (s->head != NULL ? CURL_WAIT_POLLOUT : 0),
		};
	}
	for (unsigned i = 0; i < l->n_watched; i++)
		l->fds[n++] = (struct curl_waitfd){.fd = l->watched[i], .events = CURL_WAIT_POLLIN};
	if (timeout_ms < 0 || timeout_ms > NAP_MS)
		timeout_ms = NAP_MS;
	rc = curl_multi_poll(l->multi, l->fds, n, timeout_ms, &events);
	if (rc != CURLM_OK)
		return err_set(e, rc == CURLM_OUT_OF_MEMORY ? ST_NOMEM : ST_IO, "libcurl: %s",
			curl_multi_strerror(rc));
	n = 0;
	for (struct stream *s = l->streams; s != NULL; s = s->next) {
		if (s->state != STREAM_OPEN)
			continue;
		/* Also errors and hang-ups: the read says what it is. */
		if (l->fds[n++].revents & ~CURL_WAIT_POLLOUT)
			s->readable = true;
	}
	/* Without an event it was a time limit, perhaps one of curl's that only it can take away. */
	if (l->running > 0 || events == 0)
		perform(l);
	return ST_OK;
}

void
net_loop_push(struct net_loop *l)
{
	if (l->dirty && perform(l))
		l->done = true;
}

/* ---- what all handles have in common ---- */

void
net_redact(const struct url *u, const struct net_opts *o, char *text)
{
	url_redact(u, text);
	for (unsigned i = 0; i < o->n_headers; i++) {
		const char *v = strchr(o->headers[i], ':');

		if (v == NULL)
			continue;
		v += 1 + strspn(v + 1, " \t");
		url_hide(text, v);
		/* "Bearer KEY": the key alone, too. */
		v = strrchr(v, ' ');
		if (v != NULL)
			url_hide(text, v + 1);
	}
}

/* A path that no socket address can hold is reached through its folder's descriptor. */
static enum status
setup_unix(CURL *easy, const char *path, int *dir_fd, struct err *e)
{
	char name[sizeof(((struct sockaddr_un *)0)->sun_path)];
	const char *slash = strrchr(path, '/');
	char *dir;

	if (strlen(path) < sizeof(name)) {
		curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, path);
		return ST_OK;
	}
	dir = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (dir == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	*dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (*dir_fd < 0)
		return err_set_detail(e, ST_REFUSED, errno, "cannot open the socket's folder: %s",
			strerror(errno));
	if (snprintf(name, sizeof(name), "/proc/self/fd/%d/%s", *dir_fd,
		    slash != NULL ? slash + 1 : path) >= (int)sizeof(name)) {
		close(*dir_fd);
		*dir_fd = -1;
		return err_set(e, ST_USAGE, "the socket's file name is too long");
	}
	curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, name);
	return ST_OK;
}

static bool
uses_tls(const struct url *u)
{
	return u->scheme == URL_WSS || u->scheme == URL_HTTPS;
}

static long
ms_of(uint64_t ns, uint64_t otherwise)
{
	uint64_t ms = (ns != 0 ? ns : otherwise) / NS_MS;

	return ms > 0 ? (long)ms : 1;
}

char *
net_base(char out[NET_BASE_MAX], const struct url *u)
{
	bool ip6 = strchr(u->host, ':') != NULL;

	if (u->scheme == URL_IPC)
		snprintf(out, NET_BASE_MAX, "http://localhost");
	else
		snprintf(out, NET_BASE_MAX, ip6 ? "%s://[%s]:%u" : "%s://%s:%u",
			uses_tls(u) ? "https" : "http", u->host, u->port);
	return out;
}

enum status
net_easy_setup(void *handle, const struct url *u, const struct net_opts *o, int *dir_fd,
	struct err *e)
{
	CURL *easy = handle;

	*dir_fd = -1;
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, ms_of(o->connect_timeout_ns, 10 * NS_S));
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 131072L);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	if (o->cacert != NULL)
		curl_easy_setopt(easy, CURLOPT_CAINFO, o->cacert);
	if (o->insecure) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	/* The environment's proxies are for the web: a peer-to-peer port is reached through one only if that is asked for. */
	if (url_is_local(u) || (u->scheme == URL_ENODE && o->proxy == NULL))
		curl_easy_setopt(easy, CURLOPT_PROXY, "");
	else if (o->proxy != NULL)
		curl_easy_setopt(easy, CURLOPT_PROXY, o->proxy);
	return u->scheme == URL_IPC ? setup_unix(easy, u->target, dir_fd, e) : ST_OK;
}

void
net_phases_of(void *easy, struct net_phases *p)
{
	curl_off_t dns = 0, tcp = 0, tls = 0;

	curl_easy_getinfo(easy, CURLINFO_NAMELOOKUP_TIME_T, &dns);
	curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &tcp);
	curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &tls);
	p->dns = (uint64_t)dns * NS_US;
	p->tcp = (uint64_t)tcp * NS_US;
	p->tls = (uint64_t)tls * NS_US;
}

const char *
net_doing(void *easy, const struct url *u)
{
	struct net_phases p;

	net_phases_of(easy, &p);
	if (p.dns == 0 && u->scheme != URL_IPC)
		return "DNS";
	if (p.tcp == 0)
		return u->scheme == URL_IPC ? "socket" : "TCP";
	if (p.tls == 0 && uses_tls(u))
		return "TLS";
	return "";
}

/* ---- errors in words ---- */

static enum status
refused(struct err *e, const struct url *u, int why)
{
	if (u->scheme == URL_IPC) {
		if (why == ENOENT || why == ENOTDIR) {
			err_set_detail(e, ST_REFUSED, why, "no such socket");
			return err_cure(e, "start the node, or give the path that its --ipcpath names");
		}
		if (why == EACCES || why == EPERM) {
			err_set_detail(e, ST_REFUSED, why, "no permission for the socket");
			return err_cure(e, "run as the node's user, or join its group");
		}
		err_set_detail(e, ST_REFUSED, why, "nobody listens on the socket");
		return err_cure(e, "the file is a left-over: start the node");
	}
	err_set_detail(e, ST_REFUSED, why, "connection refused");
	if (!url_is_local(u))
		return err_cure(e, "does the node run, and listen on that address and port?");
	if (u->scheme == URL_ENODE)
		return err_cure(e, "does the node run, and listen on that port (--port)?");
	return err_cure(e, "start geth with %s",
		u->scheme == URL_WS || u->scheme == URL_WSS ? "--ws" : "--http");
}

/* libcurl does not tell why it got no socket. */
static bool
no_files_left(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE;
	close(fd);
	return false;
}

static enum status
connect_failed(struct err *e, CURL *easy, const struct url *u)
{
	long os = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os);
	if (os == 0 && no_files_left()) {
		err_set_detail(e, ST_IO, EMFILE, "too many open files");
		return err_cure(e, "a higher limit: ulimit -n");
	}
	switch (os) {
	case ENETUNREACH:
	case EHOSTUNREACH:
	case EADDRNOTAVAIL:
	case ENETDOWN:
		err_set_detail(e, ST_UNREACH, (int)os, "no route to the host");
		return err_cure(e, "check the network, the VPN and the address");
	case ETIMEDOUT:
		err_set_detail(e, ST_TIMEOUT, (int)os, "no answer to the connection attempt");
		return err_cure(e, "is the host up, and the port open in its firewall?");
	case 0:
	case ECONNRESET:
		/* Accepted and closed before libcurl looked: to it that is no connection. */
		return err_set_detail(e, ST_RESET, (int)os, "connection closed at once");
	default: return refused(e, u, (int)os);
	}
}

/* curl names whom it could not reach: somebody else than the node is the proxy. */
static bool
is_proxy(const char *text, const struct url *u)
{
	return strncmp(text, "Failed to connect to ", 21) == 0 && u->scheme != URL_IPC &&
		strchr(u->host, ':') == NULL && strstr(text, u->host) == NULL;
}

static enum status
tls_failed(struct err *e, int result, const char *text, const struct net_opts *o)
{
	const char *colon = strrchr(text, ':');

	if (result == CURLE_SSL_CACERT_BADFILE) {
		err_set_detail(e, ST_TLS, result, "no CA certificates to check with");
		return err_cure(e, o->cacert != NULL ? "check the --cacert file" :
						       "install ca-certificates, or --cacert FILE");
	}
	if (strstr(text, "wrong version number") != NULL ||
		strstr(text, "packet length too long") != NULL) {
		err_set_detail(e, ST_TLS, result, "the server does not speak TLS");
		return err_cure(e, "use ws:// or http://, or the TLS port");
	}
	/* OpenSSL's reason stands behind the last colon: "self-signed certificate". */
	while (colon != NULL && (*colon == ':' || *colon == ' '))
		colon++;
	err_set_detail(e, ST_TLS, result, "TLS: %s",
		colon != NULL && *colon ? colon :
			*text		? text :
					  curl_easy_strerror((CURLcode)result));
	if (result == CURLE_PEER_FAILED_VERIFICATION)
		return err_cure(e, "--cacert FILE of its authority, or --insecure");
	return err_cure(e, "check scheme and port");
}

enum status
net_curl_err(struct err *e, void *handle, int result, const char *text, const struct url *u,
	const struct net_opts *o)
{
	char clean[CURL_ERROR_SIZE];
	CURL *easy = handle;
	struct err scratch;
	long code = 0;

	if (e == NULL)
		e = &scratch;
	snprintf(clean, sizeof(clean), "%s", text);
	net_redact(u, o, clean);
	curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &code);
	if (code >= 300) {
		err_set_detail(e, ST_PROXY, (int)code, "the proxy refused the tunnel: HTTP %ld", code);
		return err_cure(e, code == 407 ? "--proxy http://user:password@host:port" :
						 "check --proxy, or the proxy variables of the shell");
	}
	if (result == CURLE_COULDNT_CONNECT && is_proxy(text, u))
		result = CURLE_PROXY;
	switch (result) {
	case CURLE_COULDNT_RESOLVE_HOST:
		err_set_detail(e, ST_DNS, result, "no such host: %s", u->host);
		return err_cure(e, "check the name, or this machine's DNS");
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_PROXY:
		err_set_detail(e, ST_PROXY, result, "the proxy does not work");
		return err_cure(e, "check --proxy, or the proxy variables of the shell");
	case CURLE_COULDNT_CONNECT: return connect_failed(e, easy, u);
	case CURLE_OPERATION_TIMEDOUT:
		err_set_detail(e, ST_TIMEOUT, result, "no answer in time");
		return err_cure(e, "is the host up, and the port open in its firewall?");
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR: return tls_failed(e, result, clean, o);
	case CURLE_GOT_NOTHING:
		return err_set_detail(e, ST_RESET, result, "connection closed without an answer");
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		return err_set_detail(e, ST_RESET, result, "connection reset");
	case CURLE_PARTIAL_FILE:
		return err_set_detail(e, ST_RESET, result, "the answer ended in the middle");
	case CURLE_BAD_CONTENT_ENCODING:
		return err_set_detail(e, ST_MALFORMED, result, "the answer's compression is broken");
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		err_set_detail(e, ST_MALFORMED, result, "the answer is not HTTP");
		return err_cure(e, "check scheme and port");
	case CURLE_OUT_OF_MEMORY: return err_set(e, ST_NOMEM, "out of memory");
	default:
		return err_set_detail(e, ST_IO, result, "%s",
			clean[0] ? clean : curl_easy_strerror((CURLcode)result));
	}
}

/* ---- streams ---- */

static void
drop_queue(struct stream *s)
{
	while (s->head != NULL) {
		struct chunk *c = s->head;

		s->head = c->next;
		free(c);
	}
	s->tail = &s->head;
	s->queued = 0;
}

/* One of usual size is kept: requests come one by one, and each would cost an allocation. */
static void
chunk_done(struct stream *s, struct chunk *c)
{
	if (s->spare != NULL || c->cap > SPARE_MAX) {
		free(c);
		return;
	}
	s->spare = c;
}

static struct chunk *
chunk_new(struct stream *s, size_t n)
{
	struct chunk *c = s->spare;
	size_t cap = n > SPARE_MIN ? n : SPARE_MIN;

	if (c != NULL && c->cap >= n) {
		s->spare = NULL;
	} else {
		c = malloc(sizeof(*c) + cap);
		if (c == NULL)
			return NULL;
		c->cap = cap;
	}
	c->next = NULL;
	c->n = n;
	c->at = 0;
	return c;
}

/* From now on it is not polled: a socket at its end is readable for ever. */
static void
die(struct stream *s)
{
	s->state = STREAM_DEAD;
	s->readable = false;
	drop_queue(s);
}

enum status
stream_open(struct stream **out, struct net_loop *l, const struct url *u, const struct net_opts *o,
	struct err *e)
{
	struct stream *s = calloc(1, sizeof(*s));
	char base[NET_BASE_MAX];
	enum status st;

	*out = NULL;
	if (s == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	s->loop = l;
	s->url = u;
	s->opts = o;
	s->fd = CURL_SOCKET_BAD;
	s->tls = uses_tls(u);
	s->dir_fd = -1;
	s->tail = &s->head;
	s->next = l->streams;
	s->link = &l->streams;
	if (s->next != NULL)
		s->next->link = &s->next;
	l->streams = s;
	l->n_streams++;
	s->job.easy = curl_easy_init();
	if (s->job.easy == NULL) {
		st = err_set(e, ST_NOMEM, "out of memory");
		goto out;
	}
	st = net_easy_setup(s->job.easy, u, o, &s->dir_fd, e);
	if (st != ST_OK)
		goto out;
	curl_easy_setopt(s->job.easy, CURLOPT_URL, net_base(base, u));
	curl_easy_setopt(s->job.easy, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(s->job.easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
	curl_easy_setopt(s->job.easy, CURLOPT_ERRORBUFFER, s->text);
	st = net_loop_add(l, &s->job, e);
out:
	if (st != ST_OK)
		stream_close(s);
	else
		*out = s;
	return st;
}

void
stream_close(struct stream *s)
{
	if (s == NULL)
		return;
	drop_queue(s);
	free(s->spare);
	*s->link = s->next;
	if (s->next != NULL)
		s->next->link = s->link;
	s->loop->n_streams--;
	if (s->job.easy != NULL) {
		net_loop_remove(s->loop, &s->job);
		curl_easy_cleanup(s->job.easy);
	}
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	free(s);
}

enum stream_state
stream_state(struct stream *s, struct err *e)
{
	if (s->state == STREAM_CONNECTING && s->job.done) {
		if (s->dir_fd >= 0)
			close(s->dir_fd);
		s->dir_fd = -1;
		if (s->job.result != CURLE_OK) {
			net_curl_err(&s->err, s->job.easy, s->job.result, s->text, s->url, s->opts);
			die(s);
		} else if (curl_easy_getinfo(s->job.easy, CURLINFO_ACTIVESOCKET, &s->fd) != CURLE_OK ||
			s->fd == CURL_SOCKET_BAD) {
			err_set(&s->err, ST_RESET, "connection closed at once");
			die(s);
		} else {
			net_phases_of(s->job.easy, &s->phases);
			s->state = STREAM_OPEN;
			s->readable = true;
		}
	}
	if (s->state == STREAM_DEAD && e != NULL)
		*e = s->err;
	return s->state;
}

const struct net_phases *
stream_phases(const struct stream *s)
{
	return &s->phases;
}

void
stream_phases_so_far(const struct stream *s, struct net_phases *p)
{
	*p = s->phases;
	if (s->state == STREAM_CONNECTING)
		net_phases_of(s->job.easy, p);
}

const char *
stream_doing(const struct stream *s)
{
	return s->state == STREAM_CONNECTING ? net_doing(s->job.easy, s->url) : "";
}

enum status
stream_recv(struct stream *s, void *p, size_t size, size_t *n, struct err *e)
{
	CURLcode rc;

	*n = 0;
	if (s->state != STREAM_OPEN)
		return err_set(e, ST_CLOSED, "connection closed");
	if (!s->readable)
		return ST_AGAIN;
	rc = curl_easy_recv(s->job.easy, p, size, n);
	if (rc == CURLE_AGAIN) {
		s->readable = false;
		return ST_AGAIN;
	}
	if (rc == CURLE_OK && *n > 0) {
		/* Without TLS a short read has emptied the socket: no need to ask again. */
		if (!s->tls && *n < size)
			s->readable = false;
		return ST_OK;
	}
	if (rc == CURLE_OK)
		err_set(&s->err, ST_CLOSED, "connection closed");
	else
		net_curl_err(&s->err, s->job.easy, (int)rc, s->text, s->url, s->opts);
	die(s);
	if (e != NULL)
		*e = s->err;
	return s->err.code;
}

enum status
stream_flush(struct stream *s, struct err *e)
{
	while (s->head != NULL) {
		struct chunk *c = s->head;
		size_t n = 0;
		CURLcode rc;

		if (s->state != STREAM_OPEN)
			return ST_OK;
		rc = curl_easy_send(s->job.easy, c->data + c->at, c->n - c->at, &n);
		if (rc == CURLE_AGAIN)
			return ST_OK;
		if (rc != CURLE_OK) {
			/* What the peer said last may still be there to read: not dead yet. */
			drop_queue(s);
			s->readable = true;
			return err_set_detail(e, ST_RESET, (int)rc, "connection reset");
		}
		c->at += n;
		s->queued -= n;
		if (c->at < c->n)
			continue;
		s->head = c->next;
		if (s->head == NULL)
			s->tail = &s->head;
		chunk_done(s, c);
	}
	return ST_OK;
}

enum status
stream_send2(struct stream *s, const void *a, size_t a_n, const void *b, size_t b_n, struct err *e)
{
	struct chunk *c;

	if (s->state == STREAM_DEAD)
		return err_set(e, ST_CLOSED, "connection closed");
	if (a_n > QUEUE_MAX - s->queued || b_n > QUEUE_MAX - s->queued - a_n)
		return err_set(e, ST_TOO_BIG, "the node does not read what it is sent");
	c = chunk_new(s, a_n + b_n);
	if (c == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	memcpy(c->data, a, a_n);
	if (b_n > 0)
		memcpy(c->data + a_n, b, b_n);
	*s->tail = c;
	s->tail = &c->next;
	s->queued += c->n;
	return s->state == STREAM_OPEN ? stream_flush(s, e) : ST_OK;
}

enum status
stream_send(struct stream *s, const void *p, size_t n, struct err *e)
{
	return stream_send2(s, p, n, NULL, 0, e);
}

size_t
stream_queued(const struct stream *s)
{
	return s->queued;
}

void
stream_quick_ack(struct stream *s)
{
#ifdef TCP_QUICKACK
	const int on = 1;

	if (s->url->scheme != URL_IPC && s->fd != CURL_SOCKET_BAD)
		(void)setsockopt((int)s->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
#else
	(void)s;
#endif
}

uint64_t
stream_rtt(const struct stream *s)
{
#if defined(__linux__) && defined(TCP_INFO)
	struct tcp_info info;
	socklen_t n = sizeof(info);

	if (s->url->scheme != URL_IPC && s->fd != CURL_SOCKET_BAD &&
		getsockopt((int)s->fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 &&
		n >= offsetof(struct tcp_info, tcpi_rtt) + sizeof(info.tcpi_rtt) && info.tcpi_rtt > 0)
		return info.tcpi_rtt * NS_US;
#else
	(void)s;
#endif
	return UINT64_MAX;
}

void
stream_describe(const struct stream *s, char *out, size_t size)
{
	char *from = NULL, *to = NULL;
	long from_port = 0, to_port = 0;

	out[0] = 0;
	if (s->url->scheme == URL_IPC || s->fd == CURL_SOCKET_BAD)
		return;
	curl_easy_getinfo(s->job.easy, CURLINFO_LOCAL_IP, &from);
	curl_easy_getinfo(s->job.easy, CURLINFO_LOCAL_PORT, &from_port);
	curl_easy_getinfo(s->job.easy, CURLINFO_PRIMARY_IP, &to);
	curl_easy_getinfo(s->job.easy, CURLINFO_PRIMARY_PORT, &to_port);
	if (from != NULL && to != NULL)
		snprintf(out, size, "%s:%ld → %s:%ld", from, from_port, to, to_port);
}
