#include "feed/recring.h"

#include <stdlib.h>

struct rec_item *recring_take(struct recring *r)
{
	struct rec_item *i = r->oldest;

	if (!i)
		return NULL;
	r->oldest = i->next;
	if (!r->oldest)
		r->newest = NULL;
	r->bytes -= i->bytes;
	return i;
}

static void leave(struct recring *r)
{
	struct rec_item *i = recring_take(r);

	if ((i->kind == ITEM_KEEP || i->kind == ITEM_EVENT) && snapshot_add(r->snap, &i->u.e, i->f.feed))
		r->heads++;
	r->left = true;
	free(i);
}

void recring_drop(struct recring *r, uint64_t before_mono)
{
	while (r->oldest && (r->oldest->f.mono < before_mono || before_mono == UINT64_MAX))
		leave(r);
}

void recring_keep(struct recring *r, struct rec_item *i)
{
	i->next = NULL;
	if (r->newest)
		r->newest->next = i;
	else
		r->oldest = i;
	r->newest = i;
	r->bytes += i->bytes;
	while (r->bytes > r->limit)
		leave(r);
	if (i->f.mono > r->span_ns)
		recring_drop(r, i->f.mono - r->span_ns);
}

bool recring_begin(const struct recring *r, uint64_t *mono, uint64_t *wall)
{
	if (!r->oldest)
		return false;
	*mono = r->oldest->f.mono;
	*wall = r->oldest->f.wall;
	return true;
}

void recring_fini(struct recring *r)
{
	struct rec_item *i;

	while ((i = recring_take(r)) != NULL)
		free(i);
}
