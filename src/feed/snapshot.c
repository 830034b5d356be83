#include "feed/snapshot.h"

#include <stdlib.h>

#include "feed/recfile.h"

/* The facts of a feed of which only the last one counts, in the order of snapshot_each. */
enum slot { SLOT_LINK, SLOT_CHAIN, SLOT_INFO, SLOT_TAG = SLOT_INFO + INFO_N, SLOT_TRAFFIC = SLOT_TAG + 2,
	    SLOT_PEER, SLOT_COUNT, SLOT_LOST, SLOTS };

struct snapshot {
	struct event slot[REC_FEEDS_MAX][SLOTS];
	bool set[REC_FEEDS_MAX][SLOTS];
	struct event clock;
	bool clock_set;
	struct {
		struct event e;
		uint16_t feed;
	} heads[SNAPSHOT_HEADS]; /* ring */
	unsigned n_heads, next_head;
};

struct snapshot *snapshot_new(void)
{
	return calloc(1, sizeof(struct snapshot));
}

void snapshot_free(struct snapshot *s)
{
	free(s);
}

static bool add_head(struct snapshot *s, const struct event *e, uint16_t feed)
{
	for (unsigned i = 0; i < s->n_heads; i++) {
		if (hash_eq(&s->heads[i].e.u.head.h.hash, &e->u.head.h.hash))
			return false;
	}
	s->heads[s->next_head].e = *e;
	s->heads[s->next_head].feed = feed;
	s->next_head = (s->next_head + 1) % SNAPSHOT_HEADS;
	s->n_heads += s->n_heads < SNAPSHOT_HEADS;
	return true;
}

static int slot_of(const struct event *e)
{
	switch ((enum event_kind)e->kind) {
	case EV_LINK:
		return SLOT_LINK;
	case EV_CHAIN:
		return e->u.chain.ok ? SLOT_CHAIN : -1;
	case EV_INFO:
		return e->u.info.info < INFO_N ? SLOT_INFO + e->u.info.info : -1;
	case EV_TAG:
		return e->u.tag.code == ST_OK ? SLOT_TAG + (e->u.tag.final != 0) : -1;
	case EV_TRAFFIC:
		return SLOT_TRAFFIC;
	case EV_PEER:
		return SLOT_PEER;
	case EV_PEER_COUNT:
		return SLOT_COUNT;
	case EV_LOST:
		return SLOT_LOST;
	default:
		return -1;
	}
}

bool snapshot_add(struct snapshot *s, const struct event *e, uint16_t feed)
{
	int at = slot_of(e);

	if (e->kind == EV_CLOCK) {
		s->clock = *e;
		s->clock_set = true;
	} else if (feed >= REC_FEEDS_MAX) {
		return false;
	} else if (e->kind == EV_HEAD) {
		return add_head(s, e, feed);
	} else if (at >= 0) {
		s->slot[feed][at] = *e;
		s->set[feed][at] = true;
	}
	return false;
}

void snapshot_each(const struct snapshot *s, void (*fn)(void *ctx, const struct event *e, uint16_t feed), void *ctx)
{
	unsigned from = s->n_heads < SNAPSHOT_HEADS ? 0 : s->next_head;

	if (s->clock_set)
		fn(ctx, &s->clock, REC_NO_FEED);
	for (uint16_t f = 0; f < REC_FEEDS_MAX; f++) {
		for (int at = 0; at < SLOTS; at++) {
			if (s->set[f][at])
				fn(ctx, &s->slot[f][at], f);
		}
	}
	for (unsigned i = 0; i < s->n_heads; i++)
		fn(ctx, &s->heads[(from + i) % SNAPSHOT_HEADS].e, s->heads[(from + i) % SNAPSHOT_HEADS].feed);
}
