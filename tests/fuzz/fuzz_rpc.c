/*
 * Fuzz target of eth/rpc: messages lie inside their text, what is shown is clean, the quick look
 * never contradicts the slow one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "eth/pending.h"
#include "eth/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const char *text;
	size_t size, n;
	struct rpc_msg last;
};

static void inside(const struct seen *s, const struct json_str *part)
{
	if (part->n &&
		(part->p < s->text || part->n > s->size || part->p + part->n > s->text + s->size))
		abort();
}

static void clean(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			abort();
}

/* A head is no transaction that waits, unless it says both. */
static void announced(const struct json_str *result)
{
	struct pending p;

	if (pending_read(result, &p) && result->p[0] == '"' && pending_is_head(result))
		abort();
}

static void see(void *ctx, const struct rpc_msg *m)
{
	struct seen *s = ctx;
	uint64_t wait;

	inside(s, &m->method);
	inside(s, &m->params);
	inside(s, &m->result);
	inside(s, &m->sub);
	clean(m->error_text);
	clean(m->error_data);
	if (m->kind == RPC_REPLY && (!m->has_id || m->is_error == (m->result.n > 0)))
		abort();
	if (m->kind == RPC_NOTE && (!m->result.n || !m->sub.n))
		abort();
	if (m->result.n)
		announced(&m->result);
	(void)rpc_error_kind(m->code, m->error_text, m->error_data, &wait);
	if (wait > 300000)
		abort();
	s->last = *m;
	s->n++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen s = {.text = (const char *)data, .size = size};
	struct rpc_msg quick;
	struct err e;
	enum status st = rpc_each(s.text, size, see, &s, &e);

	if (rpc_peek_reply(s.text, size, &quick)) {
		inside(&s, &quick.result);
		/* Members behind the result make the quick one longer, and not JSON: then the slow one counts. */
		if (st == ST_OK && s.last.result.n == quick.result.n &&
			(s.n != 1 || s.last.kind != RPC_REPLY || s.last.id != quick.id ||
				s.last.result.p != quick.result.p))
			abort();
	}
	return 0;
}
