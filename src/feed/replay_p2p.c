#include "feed/replay_p2p.h"

#include <stdlib.h>

#include "base/time.h"

enum { ETH_DEFAULT = 68 /* headers and bodies are the same in all of ours */ };

static void no_link(void *ctx, enum link_state s, enum status cause, const char *text)
{
	/* Links are recorded as they were. */
	(void)ctx;
	(void)s;
	(void)cause;
	(void)text;
}

enum status replay_p2p_new(struct replay_p2p **out, const struct p2p_hooks *h)
{
	const struct p2p_opts o = { .played = true, .bodies = BODIES_ALL };
	struct p2p_hooks hooks = *h;
	struct replay_p2p *p = calloc(1, sizeof(*p));
	enum status st;

	*out = NULL;
	if (!p)
		return ST_NOMEM;
	hooks.link = no_link;
	st = wire_p2p_init(&p->wire, &o, &hooks);
	if (st != ST_OK)
		free(p);
	else
		*out = p;
	return st;
}

void replay_p2p_close(struct replay_p2p *p)
{
	wire_p2p_lost(&p->wire);
	peer_free(p->peer);
	p->peer = NULL;
}

void replay_p2p_free(struct replay_p2p *p)
{
	if (!p)
		return;
	replay_p2p_close(p);
	wire_p2p_fini(&p->wire);
	free(p);
}

static bool begin(struct replay_p2p *p, unsigned version)
{
	struct err e;

	replay_p2p_close(p);
	return peer_new_played(&p->peer, version, &e) == ST_OK;
}

void replay_p2p_open(struct replay_p2p *p)
{
	(void)begin(p, 0);
}

/* Who begins in the middle has not seen the Hello. */
static bool connected(struct replay_p2p *p)
{
	return p->peer || begin(p, p->eth ? p->eth : ETH_DEFAULT);
}

void replay_p2p_out(struct replay_p2p *p, const struct frame *f)
{
	uint64_t due = f->meta[META_SCHED] < f->mono ? f->mono - f->meta[META_SCHED] : f->mono;

	if (connected(p))
		wire_p2p_play_out(&p->wire, p->peer, f->meta[META_CODE], f->text, f->n, f->mono, due, f->meta[META_ASK],
				  (unsigned)(f->meta[META_ATTEMPT] & 0xff));
}

void replay_p2p_in(struct replay_p2p *p, const struct frame *f)
{
	const struct rlpx_msg m = {
		.code = f->meta[META_CODE],
		.data = (const uint8_t *)f->text,
		.n = f->n,
		.wire = (size_t)f->meta[META_WIRE],
		.mark = { .ns = f->mono, .wall = f->wall },
	};
	struct peer_event ev;
	struct err e;

	p->wire.played.block = frame_has(f, META_DECODE);
	p->wire.played.done_ns = f->mono + f->meta[META_DECODE];
	p->wire.played.took_us = (uint32_t)f->meta[META_VERIFY];
	if (connected(p) && peer_play_in(p->peer, &m, &ev, &e) == ST_OK)
		wire_p2p_event(&p->wire, p->peer, &ev);
}

void replay_p2p_timeout(struct replay_p2p *p, const struct frame *f, uint64_t id)
{
	if (p->peer)
		wire_p2p_play_timeout(&p->wire, p->peer, id, f->mono);
}

void replay_p2p_learn(struct replay_p2p *p, const struct event *e)
{
	if (e->kind == EV_PEER)
		p->eth = e->u.peer.eth;
	wire_p2p_learn(&p->wire, e);
}
