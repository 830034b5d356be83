/* Scripted servers and a collecting client; see net_peer.h. */
#include "net_peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/time.h"
#include "net/ws.h"
#include "net/ws_frame.h"

enum { MAX_CONNS = 256 };

struct peer {
	struct peer_how how;
	int listener, port;
	_Atomic int accepts;
	_Atomic bool stop;
	pthread_t thread, workers[MAX_CONNS];
	SSL_CTX *tls;
	char cert[64];
};

/* ---- TLS ---- */

static void
make_cert(struct peer *p)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x = X509_new();
	X509_NAME *name = X509_get_subject_name(x);
	X509V3_CTX v3;
	X509_EXTENSION *ext;
	FILE *f;
	int fd;

	X509_set_version(x, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
	X509_gmtime_adj(X509_getm_notBefore(x), -3600);
	X509_gmtime_adj(X509_getm_notAfter(x), 3600);
	X509_set_pubkey(x, key);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
	X509_set_issuer_name(x, name);
	X509V3_set_ctx(&v3, x, x, NULL, NULL, 0);
	ext = X509V3_EXT_conf_nid(NULL, &v3, NID_subject_alt_name, "DNS:localhost");
	X509_add_ext(x, ext, -1);
	X509_EXTENSION_free(ext);
	assert_true(X509_sign(x, key, EVP_sha256()) > 0);
	snprintf(p->cert, sizeof(p->cert), "/tmp/chaintop-cert-XXXXXX");
	fd = mkstemp(p->cert);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	PEM_write_X509(f, x);
	fclose(f);
	p->tls = SSL_CTX_new(TLS_server_method());
	assert_int_equal(SSL_CTX_use_certificate(p->tls, x), 1);
	assert_int_equal(SSL_CTX_use_PrivateKey(p->tls, key), 1);
	X509_free(x);
	EVP_PKEY_free(key);
}

/* ---- threads ---- */

struct work {
	struct peer *p;
	int fd, n;
};

static void *
work(void *arg)
{
	struct work *w = arg;
	struct conn *c = calloc(1, sizeof(*c));
	struct timeval tv = {.tv_usec = 50000};
	int on = 1;

	*c = (struct conn){.peer = w->p, .fd = w->fd, .n = w->n};
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (w->p->tls != NULL) {
		c->ssl = SSL_new(w->p->tls);
		SSL_set_fd(c->ssl, c->fd);
		for (int i = 0; i < 100 && SSL_accept(c->ssl) != 1; i++)
			if (SSL_get_error(c->ssl, -1) != SSL_ERROR_WANT_READ)
				goto out;
	}
	w->p->how.script(c, w->p->how.arg);
out:
	if (c->ssl != NULL) {
		if (c->fd >= 0)
			SSL_shutdown(c->ssl);
		SSL_free(c->ssl);
	}
	if (c->fd >= 0)
		close(c->fd);
	free(c);
	free(w);
	return NULL;
}

static void *
accept_all(void *arg)
{
	struct peer *p = arg;

	while (!p->stop) {
		struct pollfd f = {.fd = p->listener, .events = POLLIN};
		struct work *w;
		int fd;

		if (poll(&f, 1, 20) <= 0)
			continue;
		fd = accept(p->listener, NULL, NULL);
		if (fd < 0 || p->accepts >= MAX_CONNS)
			continue;
		w = malloc(sizeof(*w));
		*w = (struct work){.p = p, .fd = fd, .n = p->accepts};
		pthread_create(&p->workers[w->n], NULL, work, w);
		p->accepts++;
	}
	return NULL;
}

struct peer *
peer_start(const struct peer_how *how)
{
	struct peer *p = calloc(1, sizeof(*p));
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(in);

	p->how = *how;
	if (how->unix_path != NULL) {
		/* A long path is bound from inside its folder. */
		const char *slash = strrchr(how->unix_path, '/');
		char *dir = strndup(how->unix_path, (size_t)(slash - how->unix_path)), cwd[512];

		assert_non_null(getcwd(cwd, sizeof(cwd)));
		assert_int_equal(chdir(dir), 0);
		snprintf(un.sun_path, sizeof(un.sun_path), "%s", slash + 1);
		p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_int_equal(bind(p->listener, (struct sockaddr *)&un, sizeof(un)), 0);
		assert_int_equal(chdir(cwd), 0);
		free(dir);
	} else {
		p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_int_equal(bind(p->listener, (struct sockaddr *)&in, sizeof(in)), 0);
		getsockname(p->listener, (struct sockaddr *)&in, &size);
		p->port = ntohs(in.sin_port);
	}
	assert_int_equal(listen(p->listener, 64), 0);
	if (how->tls)
		make_cert(p);
	assert_int_equal(pthread_create(&p->thread, NULL, accept_all, p), 0);
	return p;
}

void
peer_stop(struct peer *p)
{
	p->stop = true;
	pthread_join(p->thread, NULL);
	for (int i = 0; i < p->accepts; i++)
		pthread_join(p->workers[i], NULL);
	close(p->listener);
	SSL_CTX_free(p->tls);
	if (p->cert[0])
		unlink(p->cert);
	free(p);
}

unsigned
peer_port(const struct peer *p)
{
	return (unsigned)p->port;
}

const char *
peer_cert(const struct peer *p)
{
	return p->cert;
}

int
peer_accepts(const struct peer *p)
{
	return p->accepts;
}

/* ---- for scripts ---- */

void
put(struct conn *c, const void *data, size_t n)
{
	const char *p = data;

	while (n > 0 && c->fd >= 0 && !c->peer->stop) {
		ssize_t k = c->ssl != NULL ? SSL_write(c->ssl, p, (int)n) :
					     send(c->fd, p, n, MSG_NOSIGNAL);

		if (k <= 0)
			return;
		p += k;
		n -= (size_t)k;
	}
}

void
puts_(struct conn *c, const char *s)
{
	put(c, s, strlen(s));
}

void
drip(struct conn *c, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(c, (const char *)p + i, 1);
}

static ssize_t
take(struct conn *c, void *p, size_t n)
{
	if (c->fd < 0)
		return -1;
	/* Also when told to stop: what the client said before it went is still read. */
	do {
		ssize_t k = c->ssl != NULL ? SSL_read(c->ssl, p, (int)n) : recv(c->fd, p, n, 0);

		if (k > 0)
			return k;
		if (c->ssl != NULL ? SSL_get_error(c->ssl, (int)k) != SSL_ERROR_WANT_READ :
				     k == 0 || errno != EAGAIN)
			return -1;
	} while (!c->peer->stop);
	return -1;
}

bool
get(struct conn *c, void *p, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t k = take(c, (char *)p + at, n - at);

		if (k <= 0)
			return false;
		at += (size_t)k;
	}
	return true;
}

bool
get_http(struct conn *c)
{
	const char *len;
	size_t body;

	c->in_n = 0;
	c->in[0] = 0;
	while (strstr(c->in, "\r\n\r\n") == NULL) {
		if (c->in_n + 1 >= sizeof(c->in) || !get(c, c->in + c->in_n, 1))
			return false;
		c->in[++c->in_n] = 0;
	}
	len = strcasestr(c->in, "Content-Length:");
	body = len != NULL ? strtoul(len + 15, NULL, 10) : 0;
	if (c->in_n + body >= sizeof(c->in) || !get(c, c->in + c->in_n, body))
		return false;
	c->in_n += body;
	c->in[c->in_n] = 0;
	return true;
}

void
drain(struct conn *c)
{
	char p[4096];

	while (take(c, p, sizeof(p)) > 0)
		;
}

bool
conn_stopped(const struct conn *c)
{
	return c->peer->stop;
}

void
hold(struct conn *c)
{
	while (!c->peer->stop)
		poll(NULL, 0, 10);
}

void
reset(struct conn *c)
{
	struct linger l = {.l_onoff = 1};

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	close(c->fd);
	c->fd = -1;
}

void
ws_welcome(struct conn *c, const char *extra)
{
	const char *line = strcasestr(c->in, "Sec-WebSocket-Key: ");
	char key[32] = "", accept[WS_ACCEPT_SIZE], out[1024];

	if (line != NULL)
		sscanf(line + 19, "%31s", key);
	if (ws_accept(accept, key, NULL) != ST_OK)
		return;
	snprintf(out, sizeof(out),
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
		"sec-websocket-accept:%s\r\n%s\r\n",
		accept, extra);
	puts_(c, out);
}

void
ws_put(struct conn *c, int byte0, const void *p, size_t n)
{
	uint8_t h[10] = {(uint8_t)byte0, (uint8_t)(n < 126 ? n : n < 65536 ? 126 : 127)};
	size_t more = n < 126 ? 0 : n < 65536 ? 2 : 8;

	for (size_t i = 0; i < more; i++)
		h[2 + i] = (uint8_t)((uint64_t)n >> 8 * (more - 1 - i));
	put(c, h, 2 + more);
	put(c, p, n);
}

int
ws_get(struct conn *c)
{
	uint8_t h[8], key[4];
	size_t n;
	int op;

	if (!get(c, h, 2))
		return -1;
	op = h[0] & 15;
	n = h[1] & 127;
	if (!(h[1] & 128) || !(h[0] & 128) || n == 127)
		return -1;
	if (n == 126) {
		if (!get(c, h, 2))
			return -1;
		n = (size_t)h[0] << 8 | h[1];
	}
	if (n >= sizeof(c->in) || !get(c, key, 4) || !get(c, c->in, n))
		return -1;
	ws_mask(c->in, c->in, n, key);
	c->in[n] = 0;
	c->in_n = n;
	return op;
}

void
http_put(struct conn *c, const char *status, const char *headers, const char *body)
{
	size_t size = strlen(body) + strlen(headers) + 200;
	char *out = malloc(size);

	snprintf(out, size, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%s\r\n%s", status, strlen(body),
		headers, body);
	puts_(c, out);
	free(out);
}

/* ---- client ---- */

static void
poke(struct client *c)
{
	struct err e;

	if (c->again != NULL)
		(void)!c->t->class->send(c->t, c->again, strlen(c->again), 99, &e);
}

static void
on_up(void *ctx, const struct net_phases *p)
{
	struct client *c = ctx;

	c->ups++;
	c->phases = *p;
	assert_int_equal(c->downs, 0);
	poke(c);
}

static void
on_message(void *ctx, const char *text, size_t n, const struct net_meta *m)
{
	struct client *c = ctx;
	enum status st;

	c->messages++;
	c->meta = *m;
	assert_int_equal(text[n], 0);
	assert_int_equal(c->downs, 0);
	if (n > 1000)
		st = buf_addf(&c->text, "#%zu\n", n);
	else
		st = buf_addf(&c->text, "%.*s\n", (int)n, text);
	assert_int_equal(st, ST_OK);
	poke(c);
}

static void
on_failed(void *ctx, uint64_t token, const struct err *e, uint64_t retry_ns, const char *body, size_t n)
{
	struct client *c = ctx;

	c->faileds++;
	c->token = token;
	c->err = *e;
	c->retry_ns = retry_ns;
	snprintf(c->body, sizeof(c->body), "%.*s", (int)n, body);
	assert_int_equal(c->downs, 0);
	poke(c);
}

static void
on_odd(void *ctx, const struct err *e)
{
	struct client *c = ctx;

	c->odds++;
	c->err = *e;
	poke(c);
}

static void
on_down(void *ctx, const struct err *e, uint64_t retry_ns)
{
	struct client *c = ctx;

	assert_int_equal(c->downs, 0);
	c->downs++;
	c->err = *e;
	c->retry_ns = retry_ns;
	poke(c);
}

void
client_init(struct client *c, const char *url)
{
	struct err e;

	*c = (struct client){.loop = net_loop_new()};
	buf_init(&c->text, 1 << 20);
	assert_non_null(c->loop);
	if (url_parse(&c->url, url, &e) != ST_OK)
		fail_msg("%s: %s", url, e.text);
}

void
client_fini(struct client *c)
{
	if (c->t != NULL)
		c->t->class->close(c->t);
	net_loop_free(c->loop);
	url_fini(&c->url);
	buf_fini(&c->text);
}

void
client_open(struct client *c)
{
	const struct net_handler h = {
		.ctx = c,
		.up = on_up,
		.message = on_message,
		.failed = on_failed,
		.odd = on_odd,
		.down = on_down,
	};
	struct err e;

	if (transport_find(c->url.scheme)->open(&c->t, c->loop, &c->url, &c->opts, &h, &e) != ST_OK)
		fail_msg("open: %s", e.text);
}

void
client_send(struct client *c, const char *text, uint64_t token)
{
	struct err e = {0};
	enum status st = c->t->class->send(c->t, text, strlen(text), token, &e);

	if (st != ST_OK)
		fail_msg("send: %s %s", status_word(st), e.text);
}

static void
turn(struct client *c, int most_ms)
{
	uint64_t now = time_mono(), at = c->t->class->deadline(c->t);
	int ms = at <= now ? 0 : (int)((at - now) / NS_MS < (uint64_t)most_ms ? (at - now) / NS_MS + 1 :
									       (uint64_t)most_ms);
	struct err e;

	assert_int_equal(net_loop_wait(c->loop, ms, &e), ST_OK);
	c->t->class->service(c->t, time_mono());
}

void
client_until(struct client *c, const int *what, int want)
{
	uint64_t end = time_mono() + 10 * NS_S;

	while (*what < want) {
		if (time_mono() > end)
			fail_msg("nothing for 10 s; ups %d messages %d faileds %d odds %d downs %d: %s",
				c->ups, c->messages, c->faileds, c->odds, c->downs, c->err.text);
		turn(c, 1000);
	}
}

void
client_run(struct client *c, int ms)
{
	uint64_t end = time_mono() + (uint64_t)ms * NS_MS;

	while (time_mono() < end)
		turn(c, (int)((end - time_mono()) / NS_MS + 1));
}
