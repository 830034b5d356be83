/*
 * lws_client URL LAST WORKERS: the job of tests/bench/README.md read with libwebsockets' client and thrown away:
 * what a client on that library has spent before it looks at the first byte of JSON. ws:// only; WORKERS requests in
 * flight.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libwebsockets.h>

enum { READ = 256 << 10 };

struct job {
	uint64_t blocks, next, last, bytes;
	unsigned workers, in_flight;
	bool head_known, done, failed;
	char head[256];
	size_t head_n;
	double start, end;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char ask_head[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"eth_blockNumber\",\"params\":[]}";

static int ask(struct lws *wsi, struct job *j)
{
	char out[LWS_PRE + 160];
	int n;

	if (!j->head_known)
		n = snprintf(out + LWS_PRE, 160, "%s", ask_head);
	else if (j->next <= j->last && j->in_flight < j->workers)
		n = snprintf(out + LWS_PRE, 160,
			"{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"eth_getBlockByNumber\",\"params\":[\"0x%llx\",true]}",
			(unsigned long long)j->next, (unsigned long long)j->next);
	else
		return 0;
	if (j->head_known) {
		j->next++;
		j->in_flight++;
	}
	if (lws_write(wsi, (unsigned char *)out + LWS_PRE, (size_t)n, LWS_WRITE_TEXT) < n)
		return -1;
	if (j->head_known && j->next <= j->last && j->in_flight < j->workers)
		lws_callback_on_writable(wsi);
	return 0;
}

static int take(struct lws *wsi, struct job *j, const char *p, size_t n)
{
	bool whole = lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;
	const char *hex;

	if (j->head_known) {
		j->bytes += n;
		if (!whole)
			return 0;
		j->in_flight--;
	} else {
		if (n < sizeof(j->head) - j->head_n) {
			memcpy(j->head + j->head_n, p, n);
			j->head_n += n;
		}
		if (!whole)
			return 0;
		hex = strstr(j->head, "\"result\":\"0x");
		if (!hex)
			return -1;
		j->head_known = true;
		j->last = strtoull(hex + 12, NULL, 16);
		j->next = j->last + 1 - j->blocks;
		j->start = now();
	}
	if (j->next > j->last && j->in_flight == 0) {
		j->end = now();
		j->done = true;
		return 0;
	}
	lws_callback_on_writable(wsi);
	return 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n)
{
	struct job *j = lws_context_user(lws_get_context(wsi));

	(void)user;
	switch (reason) {
	case LWS_CALLBACK_CLIENT_ESTABLISHED:
		lws_callback_on_writable(wsi);
		return 0;
	case LWS_CALLBACK_CLIENT_WRITEABLE:
		return ask(wsi, j);
	case LWS_CALLBACK_CLIENT_RECEIVE:
		return take(wsi, j, in, n);
	case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
	case LWS_CALLBACK_CLIENT_CLOSED:
		j->failed = !j->done;
		j->done = true;
		return 0;
	default:
		return 0;
	}
}

int main(int argc, char **argv)
{
	const struct lws_protocols protocols[] = {
		{ .name = "jsonrpc", .callback = on_event, .rx_buffer_size = READ },
		{ .name = NULL },
	};
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN,
		.protocols = protocols,
		.gid = (gid_t)-1,
		.uid = (uid_t)-1,
		.pt_serv_buf_size = READ,
	};
	struct lws_client_connect_info at = { .path = "/", .ietf_version_or_minus_one = -1 };
	struct job j = { .done = false };
	struct lws_context *context;
	char host[128], *colon;

	if (argc != 4 || strncmp(argv[1], "ws://", 5) != 0) {
		fprintf(stderr, "usage: lws_client ws://HOST:PORT LAST WORKERS\n");
		return 64;
	}
	snprintf(host, sizeof(host), "%s", argv[1] + 5);
	colon = strrchr(host, ':');
	if (!colon)
		return 64;
	*colon = 0;
	j.blocks = strtoull(argv[2], NULL, 10);
	j.workers = (unsigned)strtoul(argv[3], NULL, 10);
	info.user = &j;
	lws_set_log_level(LLL_ERR, NULL);
	context = lws_create_context(&info);
	at.context = context;
	at.address = at.host = at.origin = host;
	at.port = (int)strtol(colon + 1, NULL, 10);
	if (!context || !lws_client_connect_via_info(&at))
		return 1;
	while (!j.done)
		lws_service(context, 0);
	lws_context_destroy(context);
	fprintf(stderr, "{\"seconds\":%.6f,\"blocks\":%llu,\"bytes\":%llu}\n", j.end - j.start, (unsigned long long)j.blocks,
		(unsigned long long)j.bytes);
	return j.failed;
}
