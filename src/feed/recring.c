#include "feed/recring.h"

#include <stdlib.h>
#include <string.h>

enum { PACK_FROM = 2048 }; /* shorter ones gain little */

/* The same item with its text in fewer bytes; as it is if that cannot be. */
static struct rec_item *packed(struct recring *r, struct rec_item *i)
{
	struct rec_item *to;
	const char *z;
	size_t n;

	if (!r->pack || i->kind != ITEM_FRAME || i->packed || i->f.n < PACK_FROM)
		return i;
	n = recpack_in(r->pack, i->data, i->f.n, &z);
	to = n ? malloc(sizeof(*to) + n) : NULL;
	if (!to)
		return i;
	*to = *i;
	to->packed = n;
	to->bytes = sizeof(*to) + n;
	to->f.text = to->data;
	memcpy(to->data, z, n);
	free(i);
	return to;
}

/* NULL without memory. Takes i. */
static struct rec_item *unpacked(struct recring *r, struct rec_item *i)
{
	struct rec_item *to;

	if (!i->packed)
		return i;
	to = malloc(sizeof(*to) + i->f.n + 1);
	if (to) {
		*to = *i;
		to->packed = 0;
		to->bytes = sizeof(*to) + i->f.n + 1;
		to->f.text = to->data;
		to->data[i->f.n] = 0;
	}
	if (to && !recpack_out(r->pack, i->data, i->packed, to->data, i->f.n)) {
		free(to);
		to = NULL;
	}
	free(i);
	return to;
}

static struct rec_item *take(struct recring *r)
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
	struct rec_item *i = take(r);

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
	i = packed(r, i);
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

struct rec_item *recring_take(struct recring *r)
{
	struct rec_item *i, *to = NULL;

	while (!to && (i = take(r)) != NULL) {
		to = unpacked(r, i);
		r->lost += !to;
	}
	return to;
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

	while ((i = take(r)) != NULL)
		free(i);
}
