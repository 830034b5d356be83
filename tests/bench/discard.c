/*
 * discard URL LAST WORKERS: the bound of tests/bench/README.md. Asks for the last LAST full blocks through
 * libcurl, reads the answers and throws them away: no client can beat it that uses the same library and buffers.
 * http://: WORKERS connections, a thread each. ws:// and a socket's path: one connection, WORKERS requests in flight.
 * It trusts the server: no retry, no check but that as many bytes came as the frames say (ws), that the line ends (socket).
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curl/curl.h>

enum { READ = 256 << 10 };

struct job {
	const char *url;
	_Atomic uint64_t next; /* block to ask for */
	uint64_t last;
	_Atomic uint64_t bytes;
	atomic_bool failed;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "discard: %s: %s\n", what, why);
	exit(1);
}

static int request(char *out, size_t size, uint64_t block)
{
	return snprintf(out, size,
		"{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"eth_getBlockByNumber\",\"params\":[\"0x%llx\",true]}",
		(unsigned long long)block, (unsigned long long)block);
}

static uint64_t head_of(const char *text)
{
	const char *p = strstr(text, "\"result\":\"0x");

	if (!p)
		die("eth_blockNumber", text);
	return strtoull(p + 12, NULL, 16);
}

static const char ask_head[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"eth_blockNumber\",\"params\":[]}";

/* ---- http ---- */

struct keep {
	char text[512];
	size_t n;
};

static size_t keep(char *p, size_t one, size_t n, void *ctx)
{
	struct keep *k = ctx;

	(void)one;
	if (n > sizeof(k->text) - 1 - k->n)
		return 0;
	memcpy(k->text + k->n, p, n);
	k->n += n;
	k->text[k->n] = 0;
	return n;
}

static size_t discard(char *p, size_t one, size_t n, void *ctx)
{
	(void)p;
	(void)one;
	*(uint64_t *)ctx += n;
	return n;
}

static CURL *http_handle(const char *url, struct curl_slist *headers)
{
	CURL *c = curl_easy_init();

	if (!c)
		die("curl", "no handle");
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, (long)READ);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	return c;
}

static void *http_worker(void *ctx)
{
	struct job *j = ctx;
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
	CURL *c = http_handle(j->url, headers);
	uint64_t bytes = 0, block;
	char text[160];

	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, discard);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, &bytes);
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, text);
	while ((block = atomic_fetch_add(&j->next, 1)) <= j->last) {
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE, (long)request(text, sizeof(text), block));
		if (curl_easy_perform(c) != CURLE_OK)
			atomic_store(&j->failed, true);
	}
	atomic_fetch_add(&j->bytes, bytes);
	curl_easy_cleanup(c);
	curl_slist_free_all(headers);
	return NULL;
}

static uint64_t http_head(const char *url)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
	CURL *c = http_handle(url, headers);
	struct keep k = { .n = 0 };

	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, keep);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, &k);
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, ask_head);
	if (curl_easy_perform(c) != CURLE_OK)
		die(url, "no answer");
	curl_easy_cleanup(c);
	curl_slist_free_all(headers);
	return head_of(k.text);
}

/* ---- raw connections ---- */

struct raw {
	CURL *c;
	struct pollfd fd;
	bool ws;
	char *buf;
	size_t at, end; /* ws: bytes read and not yet looked at */
	uint64_t left; /* of the frame */
};

static void send_all(struct raw *r, const char *p, size_t n)
{
	while (n) {
		size_t done = 0;
		CURLcode rc = curl_easy_send(r->c, p, n, &done);

		if (rc == CURLE_AGAIN) {
			r->fd.events = POLLOUT;
			poll(&r->fd, 1, -1);
		} else if (rc != CURLE_OK) {
			die("send", curl_easy_strerror(rc));
		}
		p += done;
		n -= done;
	}
}

/* At least one byte into p. */
static size_t recv_some(struct raw *r, char *p, size_t room)
{
	for (;;) {
		size_t n = 0;
		CURLcode rc = curl_easy_recv(r->c, p, room, &n);

		if (rc == CURLE_OK && n)
			return n;
		if (rc != CURLE_AGAIN)
			die("receive", rc == CURLE_OK ? "closed" : curl_easy_strerror(rc));
		r->fd.events = POLLIN;
		poll(&r->fd, 1, -1);
	}
}

/* A masked text frame (RFC 6455 §5.2) with a key of zeros, which leaves the text as it is; a line on a socket. */
static void send_request(struct raw *r, const char *text, size_t n)
{
	char out[256] = { (char)0x81, (char)(0x80 | 126), (char)(n >> 8), (char)n };

	if (!r->ws) {
		memcpy(out, text, n);
		out[n] = '\n';
		send_all(r, out, n + 1);
		return;
	}
	memcpy(out + 8, text, n);
	send_all(r, out, n + 8);
}

/* Length of an unmasked frame's head, 0 if not all of it is there; *payload. */
static size_t frame_head(const char *p, size_t n, uint64_t *payload)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t more = n < 2 ? 0 : u[1] < 126 ? 0 : u[1] == 126 ? 2 : 8;

	if (n < 2 || n < 2 + more)
		return 0;
	*payload = more ? 0 : u[1];
	for (size_t i = 0; i < more; i++)
		*payload = *payload << 8 | u[2 + i];
	return 2 + more;
}

/* Reads one message away. Returns its bytes; *keep_ (may be NULL) gets its first ones, terminated. */
static uint64_t ws_message(struct raw *r, struct keep *k)
{
	uint64_t payload, left;
	size_t head, n;

	while ((head = frame_head(r->buf + r->at, r->end - r->at, &payload)) == 0) {
		memmove(r->buf, r->buf + r->at, r->end - r->at);
		r->end -= r->at;
		r->at = 0;
		r->end += recv_some(r, r->buf + r->end, READ - r->end);
	}
	r->at += head;
	left = payload;
	if (k) {
		while (r->end - r->at < payload)
			r->end += recv_some(r, r->buf + r->end, READ - r->end);
		snprintf(k->text, sizeof(k->text), "%.*s", (int)payload, r->buf + r->at);
	}
	n = r->end - r->at < left ? r->end - r->at : (size_t)left;
	r->at += n;
	left -= n;
	while (left) {
		/* The buffer is empty here: what comes behind the message stays in it. */
		n = recv_some(r, r->buf, READ);
		r->at = n < left ? n : (size_t)left;
		r->end = n;
		left -= r->at;
	}
	return payload;
}

/*
 * A line feed stands behind each message and nowhere else. With one request in flight it can only be the last byte of a
 * read; with more it has to be searched.
 */
static uint64_t ipc_messages(struct raw *r, bool one, unsigned *messages, struct keep *k)
{
	size_t n = recv_some(r, r->buf, READ);
	const char *p = one ? r->buf + n - 1 : r->buf, *end = r->buf + n;

	*messages = 0;
	if (k)
		snprintf(k->text, sizeof(k->text), "%.*s", (int)n, r->buf);
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		++*messages;
		p++;
	}
	return n;
}

static void raw_open(struct raw *r, const char *url)
{
	char http[256], upgrade[512], answer[1024];
	curl_socket_t s = CURL_SOCKET_BAD;
	size_t n = 0;
	CURLcode rc;

	*r = (struct raw){ .ws = strncmp(url, "ws://", 5) == 0, .c = curl_easy_init(), .buf = malloc(READ) };
	if (!r->c || !r->buf)
		die("curl", "no memory");
	snprintf(http, sizeof(http), "http://%s", r->ws ? url + 5 : "localhost/");
	curl_easy_setopt(r->c, CURLOPT_URL, http);
	curl_easy_setopt(r->c, CURLOPT_CONNECT_ONLY, 1L);
	if (!r->ws)
		curl_easy_setopt(r->c, CURLOPT_UNIX_SOCKET_PATH, url);
	rc = curl_easy_perform(r->c);
	if (rc != CURLE_OK || curl_easy_getinfo(r->c, CURLINFO_ACTIVESOCKET, &s) != CURLE_OK)
		die(url, curl_easy_strerror(rc));
	r->fd.fd = s;
	if (!r->ws)
		return;
	snprintf(upgrade, sizeof(upgrade),
		"GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
		url + 5);
	send_all(r, upgrade, strlen(upgrade));
	do {
		if (n == sizeof(answer) - 1)
			die(url, "long answer");
		n += recv_some(r, answer + n, sizeof(answer) - 1 - n);
		answer[n] = 0;
	} while (!strstr(answer, "\r\n\r\n"));
	if (strncmp(answer, "HTTP/1.1 101", 12) != 0)
		die(url, "no WebSocket");
}

static uint64_t raw_head(struct raw *r)
{
	struct keep k = { .n = 0 };
	unsigned n;

	send_request(r, ask_head, sizeof(ask_head) - 1);
	if (r->ws)
		ws_message(r, &k);
	else
		ipc_messages(r, true, &n, &k);
	return head_of(k.text);
}

static void raw_run(struct raw *r, struct job *j, unsigned workers)
{
	uint64_t in_flight = 0;
	unsigned got;
	char text[160];

	while (j->next <= j->last || in_flight) {
		while (j->next <= j->last && in_flight < workers) {
			send_request(r, text, (size_t)request(text, sizeof(text), j->next++));
			in_flight++;
		}
		got = 1;
		j->bytes += r->ws ? ws_message(r, NULL) : ipc_messages(r, workers == 1, &got, NULL);
		in_flight -= got;
	}
}

int main(int argc, char **argv)
{
	struct job j = { .url = argv[1] };
	unsigned workers = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	bool http = argc == 4 && strncmp(argv[1], "http://", 7) == 0;
	pthread_t threads[64];
	struct raw raw;
	double start;
	uint64_t last;

	if (workers < 1 || workers > 64) {
		fprintf(stderr, "usage: discard URL LAST WORKERS\n");
		return 64;
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	last = strtoull(argv[2], NULL, 10);
	if (!http)
		raw_open(&raw, argv[1]);
	j.last = http ? http_head(argv[1]) : raw_head(&raw);
	j.next = j.last + 1 - last;
	start = now();
	if (http) {
		for (unsigned i = 0; i < workers; i++) {
			if (pthread_create(&threads[i], NULL, http_worker, &j) != 0)
				die("thread", "none");
		}
		for (unsigned i = 0; i < workers; i++)
			pthread_join(threads[i], NULL);
	} else {
		raw_run(&raw, &j, workers);
	}
	fprintf(stderr, "{\"seconds\":%.6f,\"blocks\":%llu,\"bytes\":%llu}\n", now() - start, (unsigned long long)last,
		(unsigned long long)j.bytes);
	if (!http) {
		curl_easy_cleanup(raw.c);
		free(raw.buf);
	}
	return j.failed;
}
