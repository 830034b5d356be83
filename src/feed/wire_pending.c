#include "feed/wire_pending.h"

#include <string.h>

#include "base/time.h"
#include "eth/pending.h"

static bool known(const char *sub, const struct json_str *id)
{
	struct json_str s = { .p = sub, .n = strlen(sub) };

	return s.n && rpc_sub_eq(&s, id);
}

bool wire_is_pending(const struct wire *w, const struct rpc_msg *m)
{
	if (!w->pending_asked || !m->result.n)
		return false;
	if (m->result.p[0] == '"' || known(w->pending_sub, &m->sub))
		return true;
	/* Notifications may come before the answer that has their id, and in other forms (provider.md faults 11 and 15). */
	return m->result.p[0] == '{' && !known(w->sub, &m->sub) && !pending_is_head(&m->result);
}

void wire_pending_flush(struct wire *w, uint64_t now_ns)
{
	struct event *e = &w->txs;

	if (now_ns < wire_pending_due(w) || !e->u.txs.n)
		return;
	w->hooks.emit(w->hooks.ctx, e, false);
	e->u.txs.n = 0;
}

uint64_t wire_pending_due(const struct wire *w)
{
	return w->txs.u.txs.n ? w->txs.mono + PENDING_HOLD_NS : UINT64_MAX;
}

bool wire_pending(struct wire *w, const struct rpc_msg *m, const struct net_meta *meta)
{
	struct event *e = &w->txs;
	struct pending p;
	uint64_t after;
	unsigned i;

	if (!pending_read(&m->result, &p))
		return false;
	w->pendings++;
	/* A key of 0 is no key to the model; no hash that was not made for it has one. */
	if (!hash_key(&p.hash))
		return true;
	after = e->u.txs.n && meta->recv_ns > e->mono ? (meta->recv_ns - e->mono) / NS_US : 0;
	if (e->u.txs.n == TXS_MAX || after > UINT32_MAX)
		wire_pending_flush(w, UINT64_MAX);
	if (!e->u.txs.n) {
		*e = (struct event){ .kind = EV_TXS, .mono = meta->recv_ns, .wall = meta->wall_ns };
		after = 0;
	}
	i = e->u.txs.n++;
	e->u.txs.after_us[i] = (uint32_t)after;
	e->u.txs.key[i] = hash_key(&p.hash);
	e->u.txs.fee[i] = p.max_fee;
	return true;
}
