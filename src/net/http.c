/* The HTTP transport; see http.h. */
#include "net/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "base/buf.h"
#include "base/time.h"
#include "net/auth.h"
#include "net/http_head.h"
#include "net/loop.h"

enum {
	MAX_MESSAGE = 128 * 1024 * 1024,
	ERROR_BODY = 64 * 1024, /* kept of an answer ≥ 400 */
	KEEP_BODY = 2 * 1024 * 1024, /* as RX_KEEP */
	REDIRECTS = 3,
	STALL_BYTES = 1000, /* an answer that brings less in … */
};

static const uint64_t stall_ns = 10 * NS_S; /* … this time has stalled (fault 27) */
static const uint64_t dns_wait = 10 * NS_S;

/* One request on its way, or a handle that waits for one. */
struct slot {
	struct net_job job;
	struct http *http;
	bool busy, again; /* again: sent a second time already */
	unsigned redirects;
	uint64_t token, round; /* of service, when it was started */
	struct buf request, body;
	struct curl_slist *headers; /* of its own: only if each request needs a fresh token */
	unsigned address_set; /* version of http.address that the handle holds; 0: none, or another address */
	char text[CURL_ERROR_SIZE];

	/* The answer. */
	uint64_t first_ns, first_wall, last_ns, retry_ns;
	uint64_t first_bytes, last_bytes; /* body bytes on the wire at the first and last read */
	uint32_t reads;
	bool too_big, head_whole;
	char host[128]; /* of Location */
	uint64_t mark_ns, mark_bytes; /* for the stall */
};

struct http {
	struct transport base;
	struct net_handler h;
	struct net_loop *loop;
	const struct net_opts *opts;
	struct url url;
	struct auth auth;
	char *address; /* where requests go: scheme, host, port and target */
	unsigned address_version; /* from 1 */
	struct curl_slist *headers; /* of all requests; NULL: see slot */
	size_t limit;
	bool up, dead;
	uint64_t round; /* of service */
	uint64_t start_ns, bytes_in, bytes_out;
	struct slot slot[HTTP_PARALLEL];
};

/* ---- curl's callbacks ---- */

static uint64_t
wire_bytes(const struct slot *s)
{
	curl_off_t n = 0;

	curl_easy_getinfo(s->job.easy, CURLINFO_SIZE_DOWNLOAD_T, &n);
	return (uint64_t)n;
}

static long
status_of(const struct slot *s)
{
	long code = 0;

	curl_easy_getinfo(s->job.easy, CURLINFO_RESPONSE_CODE, &code);
	return code;
}

static size_t
on_header(char *p, size_t size, size_t n, void *ctx)
{
	struct slot *s = ctx;
	size_t len = n * size, k;

	if (s->first_ns == 0) {
		s->first_ns = s->mark_ns = time_mono();
		s->first_wall = time_wall();
	}
	for (k = len; k > 0 && strchr("\r\n \t", p[k - 1]);)
		k--;
	if (k == 0)
		s->head_whole = true;
	if (k > 12 && strncasecmp(p, "Retry-After:", 12) == 0) {
		size_t skip = 12;

		while (skip < k && (p[skip] == ' ' || p[skip] == '\t'))
			skip++;
		s->retry_ns = http_retry_after(p + skip, k - skip, s->first_wall);
	} else if (k > 9 && strncasecmp(p, "Location:", 9) == 0) {
		http_location_host(s->host, sizeof(s->host), p + 9, k - 9);
	}
	return len;
}

/*
 * One read of the socket can give several calls, and curl counts its bytes before them, or behind
 * them when the body is chunked. A changed count is a read.
 */
static void
count_read(struct slot *s)
{
	uint64_t bytes = wire_bytes(s);

	if (s->reads == 0) {
		s->reads = 1;
		s->first_bytes = bytes;
		s->last_ns = time_mono();
	} else if (bytes != s->last_bytes) {
		s->reads++;
		s->last_ns = time_mono();
		if (s->first_bytes == 0)
			s->first_bytes = bytes;
	}
	s->last_bytes = bytes;
}

static size_t
on_body(char *p, size_t size, size_t n, void *ctx)
{
	struct slot *s = ctx;
	size_t len = n * size;

	count_read(s);
	if (status_of(s) >= 400) {
		/* Enough to find a JSON-RPC error in; the rest is a web page. */
		size_t room = ERROR_BODY > s->body.len ? ERROR_BODY - s->body.len : 0;

		if (buf_add(&s->body, p, len < room ? len : room) != ST_OK)
			return 0;
		return len;
	}
	switch (buf_add(&s->body, p, len)) {
	case ST_OK: return len;
	case ST_TOO_BIG: s->too_big = true; return 0;
	default: return 0;
	}
}

/* ---- requests ---- */

static enum status
add_header(struct curl_slist **list, const char *line)
{
	struct curl_slist *l = curl_slist_append(*list, line);

	if (l == NULL)
		return ST_NOMEM;
	*list = l;
	return ST_OK;
}

static enum status
build_headers(const struct http *t, struct curl_slist **list)
{
	const struct net_opts *o = t->opts;
	char scratch[JWT_SIZE + 32];
	const char *line = auth_line(&t->auth, scratch);
	/* Without an empty Expect curl waits a second for "100 Continue" before a large body. */
	enum status st = add_header(list, "Expect:");

	if (st == ST_OK && !net_has_header(o, "Content-Type"))
		st = add_header(list, "Content-Type: application/json");
	if (st == ST_OK && !net_has_header(o, "Accept"))
		st = add_header(list, "Accept: application/json");
	if (st == ST_OK && !net_has_header(o, "User-Agent"))
		st = add_header(list, "User-Agent: chaintop");
	if (st == ST_OK && line != NULL)
		st = add_header(list, line);
	for (unsigned i = 0; st == ST_OK && i < o->n_headers; i++)
		st = add_header(list, o->headers[i]);
	return st;
}

/* Once for each handle: they are used again and again. */
static enum status
make_handle(struct http *t, struct slot *s, struct err *e)
{
	enum status st;
	int dir_fd;

	s->job.easy = curl_easy_init();
	if (s->job.easy == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	st = net_easy_setup(s->job.easy, &t->url, t->opts, &dir_fd, e);
	if (st != ST_OK)
		return st;
	curl_easy_setopt(s->job.easy, CURLOPT_TIMEOUT_MS,
		(long)((t->opts->request_timeout_ns ? t->opts->request_timeout_ns : 30 * NS_S) / NS_MS));
	curl_easy_setopt(s->job.easy, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(s->job.easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	if (t->headers != NULL)
		curl_easy_setopt(s->job.easy, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(s->job.easy, CURLOPT_ERRORBUFFER, s->text);
	curl_easy_setopt(s->job.easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(s->job.easy, CURLOPT_HEADERDATA, (void *)s);
	curl_easy_setopt(s->job.easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(s->job.easy, CURLOPT_WRITEDATA, (void *)s);
	return ST_OK;
}

static void
reset_answer(struct slot *s)
{
	buf_clear(&s->body);
	s->first_ns = s->first_wall = s->last_ns = s->retry_ns = 0;
	s->first_bytes = s->last_bytes = s->mark_ns = s->mark_bytes = 0;
	s->reads = 0;
	s->too_big = s->head_whole = false;
	s->host[0] = s->text[0] = 0;
}

/* Sends what s->request holds to s->http->address, or to url. */
static enum status
start(struct slot *s, const char *url, bool fresh, struct err *e)
{
	struct http *t = s->http;
	CURL *easy = s->job.easy;

	reset_answer(s);
	s->round = t->round;
	if (t->headers == NULL) {
		curl_slist_free_all(s->headers);
		s->headers = NULL;
		if (build_headers(t, &s->headers) != ST_OK)
			return err_set(e, ST_NOMEM, "out of memory");
		curl_easy_setopt(easy, CURLOPT_HTTPHEADER, s->headers);
	}
	/* curl copies it: not for each of thousands of requests. */
	if (url != t->address || s->address_set != t->address_version) {
		curl_easy_setopt(easy, CURLOPT_URL, url);
		s->address_set = url == t->address ? t->address_version : 0;
	}
	curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, s->request.p);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)s->request.len);
	return net_loop_add(t->loop, &s->job, e);
}

/* ---- answers ---- */

static void
release(struct slot *s)
{
	net_loop_remove(s->http->loop, &s->job);
	s->busy = s->again = false;
	s->redirects = 0;
	buf_clear(&s->body);
	buf_shrink(&s->body, KEEP_BODY);
}

static void
fail(struct slot *s, struct err *e)
{
	struct http *t = s->http;

	net_redact(&t->url, t->opts, e->text);
	t->h.failed(t->h.ctx, s->token, e, s->retry_ns, s->body.p != NULL ? s->body.p : "", s->body.len);
	release(s);
}

/* The connection stood: the request went out, or was about to. */
static bool
connected(const struct slot *s)
{
	curl_off_t us = 0;

	curl_easy_getinfo(s->job.easy, CURLINFO_PRETRANSFER_TIME_T, &us);
	return us > 0;
}

/*
 * s found no connection. While another request has one the node is there, and this is the request's
 * own misfortune; if not, all fail for the same reason, and the feed's backoff takes over.
 */
static void
unreachable(struct slot *s, struct err *e)
{
	struct http *t = s->http;
	struct err why = *e;

	fail(s, e);
	/* A handle that curl has not touched since it was started still tells of its last transfer. */
	for (int i = 0; i < HTTP_PARALLEL; i++)
		if (t->slot[i].busy && t->slot[i].round < t->round && connected(&t->slot[i]))
			return;
	t->dead = true;
	for (int i = 0; i < HTTP_PARALLEL; i++) {
		struct err copy = why;

		if (t->slot[i].busy)
			fail(&t->slot[i], &copy);
	}
	net_redact(&t->url, t->opts, why.text);
	t->h.down(t->h.ctx, &why, why.code == ST_DNS ? dns_wait : 0);
}

/* A redirect that keeps the POST, to the same host. */
static bool
follow(struct slot *s, long status)
{
	struct http *t = s->http;
	const char *to = NULL;
	struct url u;
	struct err e;
	bool good;

	if ((status != 307 && status != 308) || s->redirects >= REDIRECTS)
		return false;
	curl_easy_getinfo(s->job.easy, CURLINFO_REDIRECT_URL, &to);
	if (to == NULL || url_parse(&u, to, &e) != ST_OK)
		return false;
	good = strcmp(u.host, t->url.host) == 0 &&
		((u.scheme == t->url.scheme && u.port == t->url.port) ||
			(u.scheme == URL_HTTPS && t->url.scheme == URL_HTTP));
	url_fini(&u);
	if (good) {
		char *copy = strdup(to);

		if (copy == NULL)
			return false;
		s->redirects++;
		net_loop_remove(t->loop, &s->job);
		good = start(s, copy, false, &e) == ST_OK;
		/* 308 is for good: later requests go there at once. */
		if (good && status == 308) {
			free(t->address);
			t->address = copy;
			t->address_version++;
		} else {
			free(copy);
		}
	}
	return good;
}

/* The first and the last byte tell a web page or a cut text from JSON: sets *e then. */
static enum status
check_body(const struct slot *s, struct err *e)
{
	const char *p = s->body.p != NULL ? s->body.p : "", *end = p + s->body.len;

	while (p < end && strchr(" \t\r\n", *p))
		p++;
	while (end > p && strchr(" \t\r\n", end[-1]))
		end--;
	if (p == end)
		return err_set_detail(e, ST_MALFORMED, (int)status_of(s), "empty answer");
	if (*p == '<') {
		err_set_detail(e, ST_MALFORMED, (int)status_of(s), "a web page instead of JSON");
		err_cure(e, "check host, port and path");
		return e->code;
	}
	if (*p != '{' && *p != '[') {
		err_set_detail(e, ST_MALFORMED, (int)status_of(s), "the answer is not JSON");
		err_cure(e, "check host, port and path");
		return e->code;
	}
	if (end[-1] != '}' && end[-1] != ']')
		return err_set_detail(e, ST_MALFORMED, (int)status_of(s), "the JSON answer is cut off");
	return ST_OK;
}

static void
deliver(struct slot *s)
{
	struct http *t = s->http;
	struct net_meta m = {
		.recv_ns = s->first_ns,
		.wall_ns = s->first_wall,
		.token = s->token,
		.reads = s->reads,
		.http_status = (int)status_of(s),
	};
	uint64_t bytes = wire_bytes(s);
	long head = 0;

	curl_easy_getinfo(s->job.easy, CURLINFO_HEADER_SIZE, &head);
	m.wire_bytes = bytes + (uint64_t)head;
	if (s->reads > 1) {
		m.xfer_bytes = bytes - s->first_bytes;
		m.xfer_ns = s->last_ns - s->first_ns;
	}
	if (!t->up) {
		struct net_phases p;

		t->up = true;
		net_phases_of(s->job.easy, &p);
		p.ready = s->first_ns - t->start_ns;
		t->h.up(t->h.ctx, &p);
	}
	t->h.message(t->h.ctx, s->body.p, s->body.len, &m);
	release(s);
}

static void
account(struct slot *s)
{
	long head = 0, request = 0;

	curl_easy_getinfo(s->job.easy, CURLINFO_HEADER_SIZE, &head);
	curl_easy_getinfo(s->job.easy, CURLINFO_REQUEST_SIZE, &request);
	s->http->bytes_in += wire_bytes(s) + (uint64_t)head;
	s->http->bytes_out += (uint64_t)request;
}

/* Did it meet a kept connection that the node had closed meanwhile (fault 26)? */
static bool
stale(const struct slot *s)
{
	long fresh = 1;

	if (s->again || s->first_ns != 0)
		return false;
	if (s->job.result != CURLE_GOT_NOTHING && s->job.result != CURLE_SEND_ERROR &&
		s->job.result != CURLE_RECV_ERROR)
		return false;
	curl_easy_getinfo(s->job.easy, CURLINFO_NUM_CONNECTS, &fresh);
	return fresh == 0;
}

static void
finish(struct slot *s)
{
	struct http *t = s->http;
	long status = status_of(s);
	struct err e = {0};

	account(s);
	if (stale(s)) {
		s->again = true;
		net_loop_remove(t->loop, &s->job);
		if (start(s, t->address, true, &e) != ST_OK)
			fail(s, &e);
		return;
	}
	if (s->too_big) {
		err_set_detail(&e, ST_TOO_BIG, (int)status, "answer of more than %zu bytes", t->limit);
		fail(s, &e);
		return;
	}
	/* A page cut off behind a 4xx or 5xx says what the status says. */
	if (s->job.result != CURLE_OK && status < 300) {
		net_curl_err(&e, s->job.easy, s->job.result, s->text, &t->url, t->opts);
		if (s->job.result == CURLE_WRITE_ERROR)
			err_set(&e, ST_MALFORMED, "the answer's compression is broken");
		if (!connected(s)) {
			unreachable(s, &e);
			return;
		}
		if (s->job.result == CURLE_OPERATION_TIMEDOUT)
			err_set(&e, ST_TIMEOUT, "no answer in time");
		fail(s, &e);
		return;
	}
	/* curl calls both a success: nothing at all, and headers without their end. */
	if (status == 0 || !s->head_whole) {
		err_set(&e, ST_RESET, "connection closed %s",
			status == 0 ? "without an answer" : "inside the headers of the answer");
		fail(s, &e);
		return;
	}
	if (follow(s, status))
		return;
	if (status < 200 || status >= 300)
		http_status_err(&e, (int)status, s->host, &t->url, t->opts);
	else
		check_body(s, &e);
	if (e.code == ST_OK)
		deliver(s);
	else
		fail(s, &e);
}

/* Bytes trickle, so that no timeout of the connection sees it: the answer began, and too little comes. */
static void
check_stall(struct slot *s, uint64_t now_ns)
{
	uint64_t bytes;
	struct err e;

	if (s->mark_ns == 0 || now_ns < s->mark_ns + stall_ns)
		return;
	bytes = wire_bytes(s);
	if (bytes - s->mark_bytes < STALL_BYTES) {
		account(s);
		err_set(&e, ST_TIMEOUT, "the answer stalled after %zu bytes", s->body.len);
		fail(s, &e);
		return;
	}
	s->mark_ns = now_ns;
	s->mark_bytes = bytes;
}

/* ---- transport ---- */

static enum status
http_open(struct transport **out, struct net_loop *l, const struct url *u, const struct net_opts *o,
	const struct net_handler *h, struct err *e)
{
	struct http *t = calloc(1, sizeof(*t));
	char base[NET_BASE_MAX];
	enum status st;

	*out = NULL;
	if (t == NULL)
		return err_set(e, ST_NOMEM, "out of memory");
	t->base.class = &transport_http;
	t->h = *h;
	t->loop = l;
	t->opts = o;
	t->limit = o->max_message != 0 ? o->max_message : MAX_MESSAGE;
	t->start_ns = time_mono();
	for (int i = 0; i < HTTP_PARALLEL; i++) {
		t->slot[i].http = t;
		buf_init(&t->slot[i].request, MAX_MESSAGE);
		buf_init(&t->slot[i].body, t->limit);
	}
	st = url_copy(&t->url, u);
	if (st == ST_OK) {
		size_t n = strlen(u->target) + sizeof(base);

		t->address = malloc(n);
		if (t->address != NULL)
			snprintf(t->address, n, "%s%s", net_base(base, &t->url), u->target);
		else
			st = ST_NOMEM;
	}
	if (st != ST_OK)
		err_set(e, st, "out of memory");
	else
		st = auth_init(&t->auth, u, o, e);
	t->address_version = 1;
	if (st == ST_OK && o->jwt_file == NULL && build_headers(t, &t->headers) != ST_OK)
		st = err_set(e, ST_NOMEM, "out of memory");
	if (st != ST_OK)
		transport_http.close(&t->base);
	else
		*out = &t->base;
	return st;
}

static enum status
http_send(struct transport *tp, const char *text, size_t n, uint64_t token, struct err *e)
{
	struct http *t = (struct http *)tp;
	struct slot *s = NULL;
	enum status st;

	if (t->dead)
		return err_set(e, ST_CLOSED, "connection closed");
	for (int i = 0; i < HTTP_PARALLEL && s == NULL; i++)
		if (!t->slot[i].busy)
			s = &t->slot[i];
	if (s == NULL)
		return ST_AGAIN;
	if (s->job.easy == NULL) {
		st = make_handle(t, s, e);
		if (st != ST_OK)
			goto out;
	}
	buf_clear(&s->request);
	st = buf_add(&s->request, text, n);
	if (st != ST_OK) {
		err_set(e, st, "request of %zu bytes cannot be sent", n);
		goto out;
	}
	s->token = token;
	st = start(s, t->address, false, e);
	s->busy = st == ST_OK;
out:
	return st;
}

static void
http_service(struct transport *tp, uint64_t now_ns)
{
	struct http *t = (struct http *)tp;

	t->round++;
	for (int i = 0; i < HTTP_PARALLEL && !t->dead; i++) {
		struct slot *s = &t->slot[i];

		if (s->busy && s->job.done)
			finish(s);
		else if (s->busy)
			check_stall(s, now_ns);
	}
}

static uint64_t
http_deadline(const struct transport *tp)
{
	const struct http *t = (const struct http *)tp;
	uint64_t at = UINT64_MAX;

	/* The other timeouts are curl's, and end its wait. */
	for (int i = 0; i < HTTP_PARALLEL && !t->dead; i++) {
		const struct slot *s = &t->slot[i];

		if (s->busy && s->mark_ns != 0 && s->mark_ns + stall_ns < at)
			at = s->mark_ns + stall_ns;
	}
	return at;
}

static void
http_close(struct transport *tp)
{
	struct http *t = (struct http *)tp;

	for (int i = 0; i < HTTP_PARALLEL; i++) {
		struct slot *s = &t->slot[i];

		if (s->job.easy != NULL) {
			net_loop_remove(t->loop, &s->job);
			curl_easy_cleanup(s->job.easy);
		}
		curl_slist_free_all(s->headers);
		buf_fini(&s->request);
		buf_fini(&s->body);
	}
	curl_slist_free_all(t->headers);
	auth_fini(&t->auth);
	url_fini(&t->url);
	free(t->address);
	free(t);
}

static void
http_bytes(const struct transport *tp, uint64_t *in, uint64_t *out)
{
	const struct http *t = (const struct http *)tp;

	*in = t->bytes_in;
	*out = t->bytes_out;
}

static const char *
http_doing(const struct transport *tp)
{
	const struct http *t = (const struct http *)tp;

	if (t->up || t->dead)
		return "";
	for (int i = 0; i < HTTP_PARALLEL; i++)
		if (t->slot[i].busy) {
			const char *what = net_doing(t->slot[i].job.easy, &t->url);

			return what[0] ? what : "request";
		}
	return "idle";
}

static void
http_phases(const struct transport *tp, struct net_phases *p)
{
	const struct http *t = (const struct http *)tp;

	*p = (struct net_phases){ .ready = 0 };
	for (int i = 0; i < HTTP_PARALLEL; i++)
		if (t->slot[i].busy) {
			net_phases_of(t->slot[i].job.easy, p);
			return;
		}
}

const struct transport_class transport_http = {
	.name = "http",
	.open = http_open,
	.send = http_send,
	.service = http_service,
	.deadline = http_deadline,
	.close = http_close,
	.bytes = http_bytes,
	.doing = http_doing,
	.phases = http_phases,
};
