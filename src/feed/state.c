#include "feed/state.h"

#include <stddef.h>
#include <string.h>

#include "base/hex.h"
#include "eth/json.h"

/* How a member is written. */
enum form { F_U8, F_U16, F_U32, F_U64, F_I32, F_BOOL, F_TEXT, F_HASH, F_ADDR, F_U256, F_BYTES };

struct field {
	const char *name;
	enum form form;
	size_t offset, size;
	uint64_t most; /* numbers: above it, it is no value of its enum */
};

#define NUM(form, name, member, most) { name, form, offsetof(struct state, member), 0, most }
#define TXT(name, member) { name, F_TEXT, offsetof(struct state, member), sizeof(((struct state *)0)->member), 0 }
#define BIN(form, name, member) { name, form, offsetof(struct state, member), sizeof(((struct state *)0)->member), 0 }
#define CODE(member) NUM(F_U8, "code", member, ST_N - 1)
#define SOURCE(member) NUM(F_U8, "source", member, SRC_ASKED)

static const struct field link_fields[] = {
	NUM(F_U8, "state", e.u.link.state, LINK_STOPPED),
	CODE(e.u.link.code),
	NUM(F_U16, "attempt", e.u.link.attempt, UINT16_MAX),
	NUM(F_I32, "detail", e.u.link.detail, 0),
	NUM(F_U64, "retry_mono", e.u.link.retry_mono, UINT64_MAX),
	NUM(F_U32, "dns_us", e.u.link.dns_us, UINT32_MAX),
	NUM(F_U32, "tcp_us", e.u.link.tcp_us, UINT32_MAX),
	NUM(F_U32, "tls_us", e.u.link.tls_us, UINT32_MAX),
	NUM(F_U32, "ready_us", e.u.link.ready_us, UINT32_MAX),
	TXT("via", e.u.link.via),
	TXT("text", e.u.link.text),
	TXT("cure", e.u.link.cure),
};

static const struct field chain_fields[] = {
	NUM(F_U64, "id", e.u.chain.id, UINT64_MAX),
	BIN(F_HASH, "genesis", e.u.chain.genesis),
	NUM(F_BOOL, "ok", e.u.chain.ok, 1),
	NUM(F_BOOL, "network", e.u.chain.network, 1),
};

static const struct field head_fields[] = {
	SOURCE(e.u.head.source),
	NUM(F_U8, "hash_ok", e.u.head.hash_ok, TRUTH_NO),
	NUM(F_U64, "number", e.u.head.h.number, UINT64_MAX),
	BIN(F_HASH, "hash", e.u.head.h.hash),
	BIN(F_HASH, "parent", e.u.head.h.parent),
	NUM(F_U64, "time_ms", e.u.head.h.time_ms, UINT64_MAX),
	BIN(F_U256, "base_fee", e.u.head.h.base_fee),
	NUM(F_U64, "gas_used", e.u.head.h.gas_used, UINT64_MAX),
	NUM(F_U64, "gas_limit", e.u.head.h.gas_limit, UINT64_MAX),
	NUM(F_U64, "blob_gas_used", e.u.head.h.blob_gas_used, UINT64_MAX),
	NUM(F_U64, "excess_blob_gas", e.u.head.h.excess_blob_gas, UINT64_MAX),
	BIN(F_ADDR, "miner", e.u.head.h.miner),
	NUM(F_U32, "has", e.u.head.h.has, UINT32_MAX),
	NUM(F_U8, "extra_len", e.u.head.h.extra_len, UINT8_MAX),
	BIN(F_BYTES, "extra", e.u.head.h.extra),
	NUM(F_U8, "difficulty", e.u.head.h.difficulty, UINT8_MAX),
};

static const struct field info_fields[] = {
	NUM(F_U8, "info", e.u.info.info, INFO_N - 1),
	CODE(e.u.info.code),
	NUM(F_U8, "yes", e.u.info.yes, 1),
	NUM(F_U64, "a", e.u.info.a, UINT64_MAX),
	NUM(F_U64, "b", e.u.info.b, UINT64_MAX),
	NUM(F_U64, "c", e.u.info.c, UINT64_MAX),
	BIN(F_U256, "price", e.u.info.price),
	TXT("text", e.u.info.text),
};

static const struct field tag_fields[] = {
	NUM(F_U8, "final", e.u.tag.final, 1),
	CODE(e.u.tag.code),
	NUM(F_U64, "number", e.u.tag.number, UINT64_MAX),
	NUM(F_U64, "time_ms", e.u.tag.time_ms, UINT64_MAX),
	BIN(F_HASH, "hash", e.u.tag.hash),
};

static const struct field gap_fields[] = {
	NUM(F_U64, "from", e.u.gap.from, UINT64_MAX),
	NUM(F_U64, "to", e.u.gap.to, UINT64_MAX),
	NUM(F_U32, "asked", e.u.gap.asked, UINT32_MAX),
	NUM(F_U64, "silent_ns", e.u.gap.silent_ns, UINT64_MAX),
};

static const struct field miss_fields[] = {
	BIN(F_HASH, "hash", e.u.miss.hash),
	NUM(F_U64, "number", e.u.miss.number, UINT64_MAX),
	CODE(e.u.miss.code),
	SOURCE(e.u.miss.source),
	TXT("text", e.u.miss.text),
};

static const struct field traffic_fields[] = {
	NUM(F_U64, "bytes_in", e.u.traffic.bytes_in, UINT64_MAX),
	NUM(F_U64, "bytes_out", e.u.traffic.bytes_out, UINT64_MAX),
	NUM(F_U64, "calls", e.u.traffic.calls, UINT64_MAX),
	NUM(F_U64, "notes", e.u.traffic.notes, UINT64_MAX),
	NUM(F_U64, "odd", e.u.traffic.odd, UINT64_MAX),
	NUM(F_U64, "bodies", e.u.traffic.bodies, UINT64_MAX),
};

static const struct field peer_fields[] = {
	NUM(F_U64, "network", e.u.peer.network, UINT64_MAX),
	BIN(F_HASH, "genesis", e.u.peer.genesis),
	BIN(F_BYTES, "fork", e.u.peer.fork_hash),
	NUM(F_U64, "fork_next", e.u.peer.fork_next, UINT64_MAX),
	NUM(F_U8, "p2p", e.u.peer.p2p, UINT8_MAX),
	NUM(F_U8, "eth", e.u.peer.eth, UINT8_MAX),
	NUM(F_U8, "bor", e.u.peer.bor, 1),
	TXT("caps", e.u.peer.caps),
};

#define KIND(name, k) \
	NUM(F_U32, name "_in", e.u.count.kind[k].in, UINT32_MAX), \
	NUM(F_U32, name "_out", e.u.count.kind[k].out, UINT32_MAX), \
	NUM(F_U64, name "_in_bytes", e.u.count.kind[k].in_bytes, UINT64_MAX), \
	NUM(F_U64, name "_out_bytes", e.u.count.kind[k].out_bytes, UINT64_MAX)

static const struct field count_fields[] = {
	NUM(F_U64, "frames_in", e.u.count.frames_in, UINT64_MAX),
	NUM(F_U64, "frames_out", e.u.count.frames_out, UINT64_MAX),
	NUM(F_U64, "reads", e.u.count.reads, UINT64_MAX),
	NUM(F_U64, "writes", e.u.count.writes, UINT64_MAX),
	NUM(F_U64, "ping_ns", e.u.count.ping_ns, UINT64_MAX),
	NUM(F_U64, "tcp_ns", e.u.count.tcp_ns, UINT64_MAX),
	KIND("p2p", PK_BASE),
	KIND("status", PK_STATUS),
	KIND("headers", PK_HEADERS),
	KIND("bodies", PK_BODIES),
	KIND("blocks", PK_BLOCKS),
	KIND("txs", PK_TXS),
	KIND("other", PK_OTHER),
};

static const struct field left_fields[] = { NUM(F_I32, "reason", e.u.left.reason, 0) };
static const struct field clock_fields[] = { NUM(F_U64, "bound_ns", e.u.clock.bound_ns, UINT64_MAX) };
static const struct field lost_fields[] = { NUM(F_U64, "dropped", e.u.lost.dropped, UINT64_MAX) };

static const struct field fail_fields[] = {
	NUM(F_U64, "id", id, UINT64_MAX),
	CODE(code),
	NUM(F_I32, "detail", detail, 0),
	NUM(F_U64, "wait_ns", wait_ns, UINT64_MAX),
	TXT("text", text),
};

static const struct field feed_fields[] = {
	NUM(F_BOOL, "push", push, 1),
	NUM(F_BOOL, "local", local, 1),
};

static const struct field drop_fields[] = {
	NUM(F_U64, "n", dropped, UINT64_MAX),
	TXT("why", text),
};

#define FIELDS(list) list, sizeof(list) / sizeof(list[0])

static const struct kind {
	const char *name;
	enum state_kind kind;
	enum event_kind event;
	const struct field *fields;
	size_t n;
} kinds[] = {
	{ "link", STATE_EVENT, EV_LINK, FIELDS(link_fields) },
	{ "chain", STATE_EVENT, EV_CHAIN, FIELDS(chain_fields) },
	{ "head", STATE_EVENT, EV_HEAD, FIELDS(head_fields) },
	{ "info", STATE_EVENT, EV_INFO, FIELDS(info_fields) },
	{ "tag", STATE_EVENT, EV_TAG, FIELDS(tag_fields) },
	{ "gap", STATE_EVENT, EV_GAP, FIELDS(gap_fields) },
	{ "miss", STATE_EVENT, EV_BODY_MISS, FIELDS(miss_fields) },
	{ "traffic", STATE_EVENT, EV_TRAFFIC, FIELDS(traffic_fields) },
	{ "peer", STATE_EVENT, EV_PEER, FIELDS(peer_fields) },
	{ "peer_count", STATE_EVENT, EV_PEER_COUNT, FIELDS(count_fields) },
	{ "peer_left", STATE_EVENT, EV_PEER_LEFT, FIELDS(left_fields) },
	{ "clock", STATE_EVENT, EV_CLOCK, FIELDS(clock_fields) },
	{ "lost", STATE_EVENT, EV_LOST, FIELDS(lost_fields) },
	{ "fail", STATE_FAIL, EV_LINK, FIELDS(fail_fields) },
	{ "ask_chain", STATE_ASK_CHAIN, EV_LINK, NULL, 0 },
	{ "feed", STATE_FEED, EV_LINK, FIELDS(feed_fields) },
	{ "drop", STATE_DROP, EV_LINK, FIELDS(drop_fields) },
	{ "end", STATE_END, EV_LINK, NULL, 0 },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

bool state_tells(enum event_kind k)
{
	for (unsigned i = 0; i < KINDS; i++) {
		if (kinds[i].kind == STATE_EVENT && kinds[i].event == k)
			return true;
	}
	return false;
}

/* ---- writing ---- */

/* The numbers that a member of this form may be; false: it is none of them, or 0. */
static bool number_of(const struct state *s, const struct field *f, uint64_t *v)
{
	const char *p = (const char *)s + f->offset;

	*v = 0;
	switch (f->form) {
	case F_U8: *v = *(const uint8_t *)p; break;
	case F_U16: *v = *(const uint16_t *)(const void *)p; break;
	case F_U32: *v = *(const uint32_t *)(const void *)p; break;
	case F_U64: *v = *(const uint64_t *)(const void *)p; break;
	case F_BOOL: *v = *(const bool *)(const void *)p; break;
	default: break;
	}
	return *v != 0;
}

static enum status write_string(struct buf *b, const char *s, size_t size)
{
	enum status st = buf_adds(b, "\"");

	for (size_t i = 0; i < size && s[i] && st == ST_OK; i++) {
		if ((unsigned char)s[i] < 0x20)
			st = buf_addf(b, "\\u%04x", (unsigned)s[i]);
		else if (s[i] == '"' || s[i] == '\\')
			st = buf_addf(b, "\\%c", s[i]);
		else
			st = buf_add(b, s + i, 1);
	}
	return st == ST_OK ? buf_adds(b, "\"") : st;
}

static bool all_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i])
			return false;
	}
	return true;
}

static enum status write_field(struct buf *b, const struct state *s, const struct field *f)
{
	const char *p = (const char *)s + f->offset;
	char hex[80];
	int32_t i;
	uint64_t v;
	enum status st;

	switch (f->form) {
	case F_TEXT:
		if (!p[0])
			return ST_OK;
		st = buf_addf(b, ",\"%s\":", f->name);
		return st == ST_OK ? write_string(b, p, f->size) : st;
	case F_HASH: case F_ADDR: case F_BYTES:
		if (all_zero(p, f->size))
			return ST_OK;
		return buf_addf(b, ",\"%s\":\"%s\"", f->name, hex_print(hex, (const uint8_t *)p, f->size));
	case F_U256:
		if (all_zero(p, f->size))
			return ST_OK;
		return buf_addf(b, ",\"%s\":\"%s\"", f->name, hex_print_u256(hex, (const struct u256 *)(const void *)p));
	case F_I32:
		i = *(const int32_t *)(const void *)p;
		return i ? buf_addf(b, ",\"%s\":%ld", f->name, (long)i) : ST_OK;
	case F_BOOL:
		return number_of(s, f, &v) ? buf_addf(b, ",\"%s\":true", f->name) : ST_OK;
	default:
		return number_of(s, f, &v) ? buf_addf(b, ",\"%s\":%llu", f->name, (unsigned long long)v) : ST_OK;
	}
}

enum status state_write(struct buf *b, const struct state *s)
{
	for (unsigned k = 0; k < KINDS; k++) {
		enum status st;

		if (kinds[k].kind != s->kind || (s->kind == STATE_EVENT && kinds[k].event != s->e.kind))
			continue;
		st = buf_addf(b, "{\"ev\":\"%s\"", kinds[k].name);
		for (unsigned i = 0; i < kinds[k].n && st == ST_OK; i++)
			st = write_field(b, s, &kinds[k].fields[i]);
		return st == ST_OK ? buf_adds(b, "}") : st;
	}
	return ST_USAGE;
}

/* ---- reading ---- */

static bool read_number(struct json *j, uint64_t *v, bool *minus)
{
	struct json_str s;

	if (!json_number(j, &s))
		return false;
	*minus = s.n && s.p[0] == '-';
	s.p += *minus;
	s.n -= *minus;
	return json_str_u64(&s, v);
}

static bool read_bytes(struct json *j, const struct field *f, char *p)
{
	struct json_str s;

	if (!json_string(j, &s))
		return false;
	if (f->form == F_U256)
		return hex_u256(s.p, s.n, (struct u256 *)(void *)p, NULL);
	return hex_fixed(s.p, s.n, (uint8_t *)p, f->size);
}

static bool read_field(struct json *j, struct state *s, const struct field *f)
{
	char *p = (char *)s + f->offset;
	struct json_str text;
	uint64_t v = 0;
	bool minus = false, yes;

	switch (f->form) {
	case F_TEXT:
		if (!json_string(j, &text))
			return false;
		/* Said twice, the later one counts, with nothing of the earlier one behind its end. */
		memset(p, 0, f->size);
		json_text(p, f->size, &text);
		return true;
	case F_HASH: case F_ADDR: case F_BYTES: case F_U256:
		return read_bytes(j, f, p);
	case F_BOOL:
		if (!json_bool(j, &yes))
			return false;
		*(bool *)(void *)p = yes;
		return true;
	case F_I32:
		if (!read_number(j, &v, &minus) || v > INT32_MAX)
			return false;
		*(int32_t *)(void *)p = minus ? -(int32_t)v : (int32_t)v;
		return true;
	default:
		break;
	}
	if (!read_number(j, &v, &minus) || minus || v > f->most)
		return false;
	switch (f->form) {
	case F_U8: *(uint8_t *)p = (uint8_t)v; break;
	case F_U16: *(uint16_t *)(void *)p = (uint16_t)v; break;
	case F_U32: *(uint32_t *)(void *)p = (uint32_t)v; break;
	default: *(uint64_t *)(void *)p = v; break;
	}
	return true;
}

static const struct kind *read_kind(struct json *j)
{
	struct json_str key, name;

	if (!json_object(j) || !json_key(j, &key) || !JSON_IS(&key, "ev") || !json_string(j, &name))
		return NULL;
	for (unsigned k = 0; k < KINDS; k++) {
		if (json_is(&name, kinds[k].name, strlen(kinds[k].name)))
			return &kinds[k];
	}
	return NULL;
}

enum status state_read(struct state *s, const char *text, size_t n)
{
	const struct kind *k;
	struct json_str key;
	struct json j;

	memset(s, 0, sizeof(*s));
	json_init(&j, text, n);
	k = read_kind(&j);
	if (!k)
		return json_ok(&j) ? ST_UNSUPPORTED : ST_MALFORMED;
	s->kind = k->kind;
	s->e.kind = (uint16_t)k->event;
	while (json_key(&j, &key)) {
		unsigned i = 0;

		while (i < k->n && !json_is(&key, k->fields[i].name, strlen(k->fields[i].name)))
			i++;
		if (i == k->n ? !json_skip(&j, NULL) : !read_field(&j, s, &k->fields[i]))
			return ST_MALFORMED;
	}
	return json_end(&j) ? ST_OK : ST_MALFORMED;
}
