/* A recording's side of a path over devp2p; see wire_p2p.h. */
#include <string.h>

#include "feed/wire_p2p_priv.h"

uint64_t wire_p2p_ask(const struct p2p_ask *a)
{
	return (uint64_t)a->what | (uint64_t)a->source << 8 | (uint64_t)a->sample << 16;
}

/* What was planned when a message said that there is something to ask. */
static struct p2p_ask *planned(struct wire_p2p *w, unsigned what, const struct hash *hash, uint64_t number)
{
	for (unsigned i = 0; i < P2P_ASKS; i++) {
		struct p2p_ask *a = &w->asks[i];

		if (a->used && !a->sent && a->what == what && hash_eq(&a->hash, hash) &&
		    (!hash_is_zero(hash) || a->number == number))
			return a;
	}
	return NULL;
}

void wire_p2p_play_out(struct wire_p2p *w, struct peer *p, uint64_t code, const void *data, size_t n, uint64_t now_ns,
		       uint64_t due_ns, uint64_t ask, unsigned attempt)
{
	unsigned what = ask & 0xff, source = ask >> 8 & 0xff, limit = 0;
	struct hash hash = { { 0 } };
	uint64_t id = 0, number = 0;
	struct p2p_ask *a;

	w->peer = p;
	if (!peer_play_out(p, code, data, n, now_ns, &id, &hash, &number, &limit) || what > P2P_BODY || source > SRC_ASKED)
		return;
	a = planned(w, what, &hash, number);
	/* A body whose header came before the recording began is none; polls and what the user asked for are never planned. */
	if (!a && what != P2P_BODY)
		a = p2p_ask_new(w, (enum p2p_what)what, (enum head_source)source, &hash, number, limit);
	if (!a)
		return;
	a->sent = true;
	a->id = id;
	a->source = (uint8_t)source;
	a->sample = ask >> 16 & 1;
	a->asked = due_ns;
	a->attempt = (uint8_t)attempt;
}

void wire_p2p_play_timeout(struct wire_p2p *w, struct peer *p, uint64_t id, uint64_t now_ns)
{
	struct peer_event ev;

	if (peer_play_timeout(p, id, now_ns, &ev))
		wire_p2p_event(w, p, &ev);
}

void wire_p2p_learn(struct wire_p2p *w, const struct event *e)
{
	if (e->kind == EV_CHAIN) {
		w->chain = *e;
		w->info = chain_find(e->u.chain.id);
		w->live = true;
	} else if (e->kind == EV_HEAD) {
		p2p_remember(w, &e->u.head.h);
		if (!w->has_tip || e->u.head.h.number >= w->tip.number)
			w->tip = e->u.head.h;
		w->has_tip = true;
	}
}
