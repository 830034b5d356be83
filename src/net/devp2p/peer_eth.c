#include "net/devp2p/peer.h"

#include <stdio.h>
#include <string.h>

#include "eth/block_rlp.h"
#include "net/devp2p/peer_priv.h"

/* What was written to p->out, if that went well. */
static enum status send_out(struct peer *p, enum status st, unsigned code, struct err *e)
{
	if (st != ST_OK)
		return err_set(e, st, "devp2p: a message of ours could not be made");
	return peer_send(p, code, p->out.p, p->out.len, e);
}

enum status peer_say_status(struct peer *p, const struct rlpx_msg *m, struct err *e)
{
	enum status st;

	buf_clear(&p->out);
	if (m == NULL) {
		p->own_status.version = p->proto->version;
		st = eth_status_encode(&p->out, &p->own_status);
	} else {
		st = eth_status_mirror(p->proto->version, m->data, m->n, &p->out);
	}
	p->said_status = true;
	return send_out(p, st, ETH_STATUS, e);
}

/*
 * Requests --------------------------------------------------------------------------------------
 */

static struct request *free_request(struct peer *p)
{
	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++)
		if (!p->requests[i].used)
			return &p->requests[i];
	return NULL;
}

static enum status ask(
	struct peer *p, const struct request *r, unsigned code, enum status made, uint64_t *id, struct err *e)
{
	struct request *const slot = free_request(p);
	enum status st;

	p->now_ns = r->sent_ns;
	st = send_out(p, made, code, e);

	if (st != ST_OK)
		return st;
	*slot = *r;
	slot->used = true;
	slot->id = *id = p->last_id;
	return ST_OK;
}

enum status peer_get_headers(struct peer *p, uint64_t now_ns, const struct hash *hash, uint64_t number, unsigned limit,
	bool reverse, uint64_t *id, struct err *e)
{
	struct request r = { .want = PEER_WANT_HEADERS,
		.sent_ns = now_ns,
		.by_hash = hash != NULL,
		.reverse = reverse,
		.number = number,
		.limit = limit };

	if (p->phase != PEER_LIVE || free_request(p) == NULL)
		return ST_AGAIN;
	if (limit == 0 || limit > ETH_HEADERS_MAX)
		return err_set(e, ST_INTERNAL, "devp2p: %u headers asked for", limit);
	if (hash != NULL)
		r.hash = *hash;
	p->last_id++;
	buf_clear(&p->out);
	return ask(p, &r, ETH_GET_BLOCK_HEADERS, eth_get_headers(&p->out, p->last_id, hash, number, limit, 0, reverse),
		id, e);
}

enum status peer_get_bodies(
	struct peer *p, uint64_t now_ns, const struct hash *hashes, unsigned n, uint64_t *id, struct err *e)
{
	const struct request r = { .want = PEER_WANT_BODIES, .sent_ns = now_ns, .limit = n };

	if (p->phase != PEER_LIVE || free_request(p) == NULL)
		return ST_AGAIN;
	if (n == 0 || n > ETH_HEADERS_MAX)
		return err_set(e, ST_INTERNAL, "devp2p: %u bodies asked for", n);
	p->last_id++;
	buf_clear(&p->out);
	return ask(p, &r, ETH_GET_BLOCK_BODIES, eth_get_by_hash(&p->out, p->last_id, hashes, n), id, e);
}

/*
 * Messages of eth -------------------------------------------------------------------------------
 */

static enum status on_status(
	struct peer *p, const struct rlpx_msg *m, uint64_t now_ns, struct peer_event *ev, struct err *e)
{
	if (p->phase == PEER_LIVE) {
		err_set(e, ST_MALFORMED, "eth: a second Status");
		return peer_die(p, e, P2P_BREACH);
	}
	if (eth_status_decode(p->proto->version, m->data, m->n, &p->status, e) != ST_OK)
		return peer_die(p, e, P2P_SUBPROTOCOL);
	if (!p->said_status && peer_say_status(p, m, e) != ST_OK)
		return peer_die(p, e, P2P_NO_REASON);
	peer_enter(p, PEER_LIVE, now_ns);
	ev->kind = PEER_STATUS;
	ev->u.status.status = &p->status;
	ev->u.status.version = p->proto->version;
	return ST_OK;
}

static struct request *find_request(struct peer *p, uint64_t id, enum peer_want want)
{
	for (unsigned i = 0; i < PEER_REQUESTS_MAX; i++)
		if (p->requests[i].used && p->requests[i].id == id && p->requests[i].want == want)
			return &p->requests[i];
	return NULL;
}

/* Are these the headers that r asked for? Counts them. */
static enum status check_headers(const struct request *r, struct rlp list, unsigned *n, struct err *e)
{
	struct hash last = { { 0 } }, want = r->hash;
	struct rlp_item i;
	struct header h;

	for (*n = 0; rlp_next(&list, &i); ++*n) {
		const uint64_t number = r->reverse ? r->number - *n : r->number + *n;

		if (*n == r->limit)
			return err_set(e, ST_WRONG_BLOCK, "more headers than asked for");
		if (header_from_rlp(i.raw, i.raw_n, &h, NULL, e) != ST_OK)
			return ST_MALFORMED;
		if (*n == 0 ? r->by_hash && !hash_eq(&h.hash, &want)
			    : !hash_eq(r->reverse ? &h.hash : &h.parent, r->reverse ? &want : &last))
			return err_set(e, ST_WRONG_BLOCK, "header %u of the answer is another one", *n + 1);
		if (!r->by_hash && h.number != number)
			return err_set(e, ST_WRONG_BLOCK, "header %llu in place of %llu", (unsigned long long)h.number,
				(unsigned long long)number);
		last = h.hash;
		want = h.parent;
	}
	return rlp_done(&list) ? ST_OK : err_set(e, ST_MALFORMED, "a list of headers that is none");
}

static enum status check_bodies(const struct request *r, struct rlp list, unsigned *n, struct err *e)
{
	struct eth_new_block b;
	struct rlp_item i;

	for (*n = 0; rlp_next(&list, &i); ++*n) {
		if (*n == r->limit)
			return err_set(e, ST_WRONG_BLOCK, "more bodies than asked for");
		if (eth_body_decode(&i, &b, e) != ST_OK)
			return ST_MALFORMED;
	}
	return rlp_done(&list) ? ST_OK : err_set(e, ST_MALFORMED, "a list of bodies that is none");
}

static enum status on_answer(struct peer *p, const struct rlpx_msg *m, enum peer_want want, struct peer_event *ev)
{
	struct eth_reply reply;
	struct request *r;
	struct err e;
	enum status st;

	if (eth_reply_decode(m->data, m->n, &reply, &e) != ST_OK) {
		peer_odd(p, ev, e.text);
		return ST_OK;
	}
	r = find_request(p, reply.id, want);
	if (r == NULL) {
		peer_odd(p, ev, "an answer to a question that was not asked, or came too late");
		return ST_OK;
	}
	r->used = false;
	ev->kind = want == PEER_WANT_HEADERS ? PEER_HEADERS : PEER_BODIES;
	ev->u.answer.id = r->id;
	ev->u.answer.want = want;
	ev->u.answer.took_ns = ev->recv_ns > r->sent_ns ? ev->recv_ns - r->sent_ns : 0;
	ev->u.answer.list = reply.list;
	st = want == PEER_WANT_HEADERS ? check_headers(r, reply.list, &ev->u.answer.n, &e)
				       : check_bodies(r, reply.list, &ev->u.answer.n, &e);
	if (st == ST_OK && ev->u.answer.n == 0)
		st = err_set(&e, ST_NULL, "the node does not have it");
	ev->u.answer.code = st;
	if (st != ST_OK) {
		p->stats.odd += st != ST_NULL;
		ev->kind = PEER_MISS;
		memcpy(ev->text, e.text, sizeof(ev->text));
	}
	return ST_OK;
}

static enum status on_announcement(struct peer *p, const struct rlpx_msg *m, unsigned code, struct peer_event *ev)
{
	struct eth_hashes walk;
	uint64_t number;
	struct hash h;
	struct err e = { .text = "eth NewBlockHashes: not [[hash, number], …]" };
	enum status st = ST_OK;

	switch (code) {
	case ETH_NEW_BLOCK_HASHES:
		ev->kind = PEER_HASHES;
		if (eth_hashes_begin(&walk, m->data, m->n)) {
			ev->u.hashes = walk;
			while (eth_hashes_next(&walk, &h, &number))
				;
		}
		if (!walk.ok)
			st = ST_MALFORMED;
		break;
	case ETH_NEW_BLOCK:
		ev->kind = PEER_BLOCK;
		st = eth_new_block_decode(m->data, m->n, &ev->u.block, &e);
		break;
	default: ev->kind = PEER_RANGE; st = eth_range_decode(m->data, m->n, &ev->u.range, &e);
	}
	if (st != ST_OK)
		peer_odd(p, ev, e.text);
	return ST_OK;
}

enum status peer_on_eth(struct peer *p, const struct rlpx_msg *m, uint64_t now_ns, struct peer_event *ev, struct err *e)
{
	const unsigned code = (unsigned)(m->code - p->offset);
	unsigned answer;
	uint8_t upgrade[4];
	bool no_txs;
	enum status st;

	ev->code = code;
	p->stats.in[code]++;
	p->stats.in_bytes[code] += m->n;
	if (p->phase != PEER_LIVE && code != ETH_STATUS) {
		err_set(e, ST_MALFORMED, "eth: message 0x%02x before Status", code);
		return peer_die(p, e, P2P_BREACH);
	}
	switch (code) {
	case ETH_STATUS: return on_status(p, m, now_ns, ev, e);
	case ETH_BLOCK_HEADERS: return on_answer(p, m, PEER_WANT_HEADERS, ev);
	case ETH_BLOCK_BODIES: return on_answer(p, m, PEER_WANT_BODIES, ev);
	case ETH_NEW_BLOCK_HASHES:
	case ETH_NEW_BLOCK:
	case ETH_BLOCK_RANGE_UPDATE: return on_announcement(p, m, code, ev);
	case ETH_UPGRADE_STATUS:
		/* BSC waits for ours; it says whether we want to hear of transactions. */
		ev->kind = PEER_OTHER;
		if (eth_upgrade_decode(m->data, m->n, &no_txs, e) != ST_OK) {
			peer_odd(p, ev, e->text);
			return ST_OK;
		}
		if (p->stats.out[ETH_UPGRADE_STATUS] > 0)
			return ST_OK;
		st = peer_send(p, code, upgrade, eth_upgrade_encode(upgrade, true), e);
		return st == ST_OK ? ST_OK : peer_die(p, e, P2P_NO_REASON);
	default: break;
	}
	buf_clear(&p->out);
	ev->kind = PEER_OTHER;
	st = eth_polite(p->proto->version, code, m->data, m->n, &p->out, &answer);
	if (st == ST_OK) {
		ev->kind = PEER_ASKED;
		st = peer_send(p, answer, p->out.p, p->out.len, e);
		return st == ST_OK ? ST_OK : peer_die(p, e, P2P_NO_REASON);
	}
	if (st == ST_MALFORMED)
		peer_odd(p, ev, "a request without an id");
	return ST_OK;
}
