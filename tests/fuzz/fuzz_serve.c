/*
 * serve: any request gets an answer that is JSON, or none; laid out in one run of bytes it is the same. Then the input as a
 * block file: it is taken or left out, and what is served of it is JSON.
 */
#include "eth/json.h"
#include "serve/node.h"
#include "tests/unit/serve_folder.h"

enum { FIRST = 16, COUNT = 3, BEFORE = 16 };

static struct {
	char dir[64];
	struct store *store;
	struct node node;
} rig;

static void remove_folder(void)
{
	store_close(rig.store);
	folder_remove(rig.dir, FIRST, COUNT);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct err e;

	(void)argc;
	(void)argv;
	folder_make(rig.dir, FIRST, COUNT, 10);
	if (store_open(&rig.store, rig.dir, 1 << 20, &e) != ST_OK)
		abort();
	node_init(&rig.node, rig.store, 1, "fuzz");
	atexit(remove_folder);
	return 0;
}

static void must_be_json(const char *p, size_t n)
{
	struct json j;

	json_init(&j, p, n);
	if (!json_skip(&j, NULL) || !json_end(&j))
		abort();
}

static void ask(struct node *n, struct session *session, const char *text, size_t size)
{
	struct answer a;
	struct iovec iov[3];
	struct buf scratch;
	const char *p;
	size_t at = 0;

	buf_init(&scratch, ANSWER_MAX);
	if (node_answer(n, session, text, size, &a) == ST_OK && a.total) {
		p = answer_place(&a, &scratch, BEFORE, 1);
		must_be_json(p, a.total);
		if (a.n <= 3) {
			answer_iov(&a, iov);
			for (unsigned i = 0; i < a.n; at += iov[i++].iov_len) {
				if (memcmp(p + at, iov[i].iov_base, iov[i].iov_len) != 0)
					abort();
			}
		}
	}
	answer_fini(&a);
	buf_fini(&scratch);
}

/* The input as a file, wherever the number stands in it. */
static void serve_file(const char *text)
{
	static const char *const requests[] = {
		"{\"id\":1,\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",true]}",
		"{\"id\":1,\"method\":\"eth_getBlockByNumber\",\"params\":[\"latest\",false]}",
	};
	struct store *s;
	struct node n;
	struct buf header;
	struct err e = { .code = ST_OK };

	folder_write(rig.dir, FIRST + COUNT - 1, text);
	if (store_open(&s, rig.dir, 1 << 20, &e) != ST_OK)
		return;
	node_init(&n, s, 1, "fuzz");
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		ask(&n, NULL, requests[i], strlen(requests[i]));
	buf_init(&header, 1 << 20);
	node_rewind(&n, 0);
	while (node_advance(&n, &header, &e))
		must_be_json(header.p, header.len);
	buf_fini(&header);
	store_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session session = { .n = 0 };
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	/* A copy of its own size, so that reading past the end is seen. */
	if (size && data[0] == '{' && strstr(text, "\"number\":")) {
		serve_file(text);
	} else {
		char *exact = malloc(size ? size : 1);

		if (exact) {
			memcpy(exact, data, size);
			ask(&rig.node, &session, exact, size);
			ask(&rig.node, NULL, exact, size);
		}
		free(exact);
	}
	free(text);
	return 0;
}
