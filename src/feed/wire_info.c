#include "feed/wire_info.h"

#include <string.h>

#include "base/hex.h"

bool wire_quantity(const struct json_str *text, uint64_t *out)
{
	struct json j;
	struct json_str s;

	json_init(&j, text->p, text->n);
	if (json_peek(&j) == JSON_STRING)
		return json_string(&j, &s) && hex_u64(s.p, s.n, out, NULL);
	return json_number(&j, &s) && json_str_u64(&s, out);
}

static bool quantity_member(struct json *j, uint64_t *out)
{
	struct json_str text;

	return json_skip(j, &text) && wire_quantity(&text, out);
}

/* {currentBlock, highestBlock, startingBlock} or false. */
static bool in_syncing(const struct json_str *result, struct event *e)
{
	struct json j;
	struct json_str key;
	bool yes = false, known = true;

	json_init(&j, result->p, result->n);
	if (json_peek(&j) != JSON_OBJECT) {
		if (!json_bool(&j, &yes))
			return false;
		e->u.info.yes = yes;
		e->u.info.a = e->u.info.b = e->u.info.c = UINT64_MAX;
		return true;
	}
	e->u.info.yes = 1;
	e->u.info.a = e->u.info.b = e->u.info.c = UINT64_MAX;
	if (!json_object(&j))
		return false;
	while (json_key(&j, &key)) {
		if (JSON_IS(&key, "currentBlock"))
			known &= quantity_member(&j, &e->u.info.a);
		else if (JSON_IS(&key, "highestBlock"))
			known &= quantity_member(&j, &e->u.info.b);
		else if (JSON_IS(&key, "startingBlock"))
			known &= quantity_member(&j, &e->u.info.c);
		else if (!json_skip(&j, NULL))
			return false;
	}
	return known && json_ok(&j);
}

static bool in_txpool(const struct json_str *result, struct event *e)
{
	struct json j;
	struct json_str key;
	bool ok = true;

	e->u.info.a = e->u.info.b = UINT64_MAX;
	json_init(&j, result->p, result->n);
	if (!json_object(&j))
		return false;
	while (json_key(&j, &key)) {
		if (JSON_IS(&key, "pending"))
			ok &= quantity_member(&j, &e->u.info.a);
		else if (JSON_IS(&key, "queued"))
			ok &= quantity_member(&j, &e->u.info.b);
		else if (!json_skip(&j, NULL))
			return false;
	}
	return ok && json_ok(&j) && e->u.info.a != UINT64_MAX;
}

/* One fork of EIP-7910: activationTime (s) and forkId (four bytes). */
static bool in_fork(const struct json_str *text, uint64_t *time, uint64_t *id)
{
	struct json j;
	struct json_str key, s;
	bool ok = true, has_time = false, has_id = false;

	json_init(&j, text->p, text->n);
	if (!json_object(&j))
		return false;
	while (json_key(&j, &key)) {
		if (JSON_IS(&key, "activationTime")) {
			ok &= quantity_member(&j, time);
			has_time = true;
		} else if (JSON_IS(&key, "forkId")) {
			/* DATA, not a quantity: it may begin with zeros. */
			uint8_t b[4];

			ok &= json_string(&j, &s) && hex_fixed(s.p, s.n, b, sizeof(b));
			if (ok)
				*id = (uint64_t)b[0] << 24 | (uint64_t)b[1] << 16 | (uint64_t)b[2] << 8 | b[3];
			has_id = true;
		} else if (!json_skip(&j, NULL)) {
			return false;
		}
	}
	return ok && has_time && has_id && *time < UINT64_MAX && json_ok(&j);
}

/* {current, next or null, last}: EIP-7910. */
static bool in_config(const struct json_str *result, struct event *e)
{
	struct json j;
	struct json_str key, text;
	uint64_t now = 0, next = 0;
	bool ok = true, known = false;

	e->u.info.a = e->u.info.b = UINT64_MAX;
	json_init(&j, result->p, result->n);
	if (!json_object(&j))
		return false;
	while (json_key(&j, &key)) {
		if (!json_skip(&j, &text))
			return false;
		if (JSON_IS(&key, "current"))
			known = in_fork(&text, &e->u.info.a, &now);
		else if (JSON_IS(&key, "next") && !(text.n == 4 && memcmp(text.p, "null", 4) == 0))
			ok &= in_fork(&text, &e->u.info.b, &next);
	}
	e->u.info.yes = known;
	e->u.info.c = now << 32 | next;
	return ok && known && json_ok(&j);
}

enum info_kind wire_info_kind(enum method m)
{
	switch (m) {
	case M_CLIENT:
		return INFO_CLIENT;
	case M_SYNCING:
		return INFO_SYNC;
	case M_PEERS:
		return INFO_PEERS;
	case M_TXPOOL:
		return INFO_TXPOOL;
	case M_CONFIG:
		return INFO_FORK;
	default:
		return INFO_GAS_PRICE;
	}
}

bool wire_is_info(enum method m)
{
	return m == M_CLIENT || m == M_SYNCING || m == M_PEERS || m == M_TXPOOL || m == M_GAS_PRICE ||
	       m == M_CONFIG;
}

bool wire_info_read(enum method m, const struct json_str *result, struct event *e)
{
	struct json j;
	struct json_str s;

	json_init(&j, result->p, result->n);
	switch (m) {
	case M_CLIENT:
		if (!json_string(&j, &s))
			return false;
		json_text(e->u.info.text, sizeof(e->u.info.text), &s);
		return true;
	case M_SYNCING:
		return in_syncing(result, e);
	case M_PEERS:
		return wire_quantity(result, &e->u.info.a);
	case M_TXPOOL:
		return in_txpool(result, e);
	case M_CONFIG:
		return in_config(result, e);
	default:
		return json_string(&j, &s) && hex_u256(s.p, s.n, &e->u.info.price, NULL);
	}
}
