#include "net/devp2p/p2p.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "eth/rlp.h"

static enum status bad(struct err *e, const char *what)
{
	return err_set(e, ST_MALFORMED, "devp2p Hello: %s", what);
}

static bool read_cap(const struct rlp_item *i, struct p2p_cap *c)
{
	struct rlp_item name, version;
	uint64_t v;
	struct rlp r;

	memset(c, 0, sizeof(*c));
	if (!i->list)
		return false;
	rlp_init(&r, i->p, i->n);
	if (!rlp_next(&r, &name) || name.list || !rlp_next(&r, &version) || !rlp_item_u64(&version, &v) ||
		v > UINT32_MAX)
		return false;
	utf8_clean(c->name, sizeof(c->name), (const char *)name.p, name.n);
	c->version = (uint32_t)v;
	return true;
}

static bool read_caps(const struct rlp_item *list, struct p2p_hello *h)
{
	struct rlp_item i;
	struct p2p_cap c;
	struct rlp r;

	if (!list->list)
		return false;
	rlp_init(&r, list->p, list->n);
	while (rlp_next(&r, &i)) {
		if (!read_cap(&i, &c))
			return false;
		if (h->n_caps < P2P_CAPS_MAX)
			h->caps[h->n_caps++] = c;
		else
			h->more_caps++;
	}
	return rlp_done(&r);
}

/* Nobody connects to it, so its form does not matter: @ethereumjs/devp2p says 0 as a zero byte. */
static bool read_port(const struct rlp_item *i, uint64_t *port)
{
	const struct rlp_item zero = { .n = 0 };

	return rlp_item_u64(!i->list && i->n == 1 && i->p[0] == 0 ? &zero : i, port);
}

enum status p2p_hello_decode(const uint8_t *p, size_t n, struct p2p_hello *h, struct err *e)
{
	struct rlp_item list, i;
	struct rlp r;

	memset(h, 0, sizeof(*h));
	rlp_init(&r, p, n);
	if (!rlp_next(&r, &list) || !list.list || !rlp_done(&r))
		return bad(e, "not a list");
	rlp_init(&r, list.p, list.n);
	if (!rlp_next(&r, &i) || !rlp_item_u64(&i, &h->version))
		return bad(e, "no version");
	if (!rlp_next(&r, &i) || i.list)
		return bad(e, "no client name");
	utf8_clean(h->client, sizeof(h->client), (const char *)i.p, i.n);
	if (!rlp_next(&r, &i) || !read_caps(&i, h))
		return bad(e, "no capabilities");
	if (!rlp_next(&r, &i) || !read_port(&i, &h->port))
		return bad(e, "no port");
	if (!rlp_next(&r, &i) || i.list || i.n != CURVE_PUB)
		return bad(e, "no node id");
	memcpy(h->id, i.p, CURVE_PUB);
	return ST_OK;
}

enum status p2p_hello_encode(struct buf *b, const struct p2p_hello *h)
{
	const size_t whole = rlp_list_begin(b);
	size_t caps, cap;
	enum status st = rlp_u64(b, h->version);

	if (st == ST_OK)
		st = rlp_bytes(b, h->client, strlen(h->client));
	caps = rlp_list_begin(b);
	for (unsigned i = 0; st == ST_OK && i < h->n_caps; i++) {
		cap = rlp_list_begin(b);
		st = rlp_bytes(b, h->caps[i].name, strlen(h->caps[i].name));
		if (st == ST_OK)
			st = rlp_u64(b, h->caps[i].version);
		if (st == ST_OK)
			st = rlp_list_end(b, cap);
	}
	if (st == ST_OK)
		st = rlp_list_end(b, caps);
	if (st == ST_OK)
		st = rlp_u64(b, h->port);
	if (st == ST_OK)
		st = rlp_bytes(b, h->id, CURVE_PUB);
	if (st == ST_OK)
		st = rlp_list_end(b, whole);
	return st;
}

bool p2p_has(const struct p2p_hello *h, const char *name, uint32_t version)
{
	for (unsigned i = 0; i < h->n_caps; i++)
		if (h->caps[i].version == version && strcmp(h->caps[i].name, name) == 0)
			return true;
	return false;
}

char *p2p_caps_text(char *out, size_t size, const struct p2p_hello *h)
{
	size_t n = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < h->n_caps && n < size; i++) {
		const int k = snprintf(
			out + n, size - n, "%s%s/%u", i > 0 ? " " : "", h->caps[i].name, (unsigned)h->caps[i].version);

		n += k > 0 ? (size_t)k : 0;
	}
	return out;
}

int p2p_reason(const uint8_t *p, size_t n)
{
	struct rlp_item i;
	struct rlp r;

	/* Not in canonical form, but seen: a zero byte where 0x80 belongs. */
	rlp_init(&r, p, n);
	if (!rlp_next(&r, &i))
		return P2P_NO_REASON;
	if (i.list) {
		rlp_init(&r, i.p, i.n);
		if (!rlp_next(&r, &i))
			return P2P_NO_REASON;
	}
	if (i.list || i.n > 1)
		return P2P_NO_REASON;
	return i.n == 0 ? P2P_REQUESTED : i.p[0];
}

size_t p2p_disconnect_encode(uint8_t out[4], enum p2p_reason reason)
{
	uint8_t *const end = rlp_put_u64(out + 1, (uint64_t)reason);

	out[0] = (uint8_t)(0xc0 + (end - out - 1));
	return (size_t)(end - out);
}

unsigned p2p_share(const struct p2p_proto *ours, unsigned n, const struct p2p_hello *theirs, struct p2p_match *out)
{
	uint32_t offset = P2P_CODES;
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned at;

		if (!p2p_has(theirs, ours[i].name, ours[i].version))
			continue;
		for (at = 0; at < found; at++)
			if (strcmp(out[at].proto->name, ours[i].name) >= 0)
				break;
		if (at < found && strcmp(out[at].proto->name, ours[i].name) == 0) {
			if (out[at].proto->version < ours[i].version)
				out[at].proto = &ours[i];
			continue;
		}
		memmove(out + at + 1, out + at, (found - at) * sizeof(*out));
		out[at].proto = &ours[i];
		found++;
	}
	for (unsigned i = 0; i < found; i++) {
		out[i].offset = offset;
		offset += out[i].proto->length;
	}
	return found;
}
