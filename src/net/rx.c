/* The receive buffer; see rx.h. */
#include "net/rx.h"

#include <stdlib.h>
#include <string.h>

#include "net/transport.h"

void
rx_init(struct rx *r)
{
	*r = (struct rx){.cut = SIZE_MAX};
}

void
rx_fini(struct rx *r)
{
	free(r->p);
	rx_init(r);
}

/* No more than this, however much is announced: freely to RX_KEEP, beyond it twice what has come. */
static size_t
believed(size_t held)
{
	return 2 * held > RX_KEEP ? 2 * held : RX_KEEP;
}

/*
 * Grows by halves at least, so that a long message is not copied at each read, and by a read more than is needed: how
 * a message of the same size is cut into reads the next time must not make it grow again.
 */
static enum status
grow(struct rx *r, size_t need)
{
	size_t cap = r->cap + r->cap / 2;
	char *p;

	/* Twice a read at first, so that a part of a message left over does not grow it. */
	if (cap < 2 * RX_READ)
		cap = 2 * RX_READ;
	if (cap < need + RX_READ)
		cap = need + RX_READ;
	p = realloc(r->p, cap + 1);
	if (p == NULL)
		return ST_NOMEM;
	r->p = p;
	r->cap = cap;
	return ST_OK;
}

/* Little is held: it moves to the front, so that reads use the same, cached memory again and again. */
static void
to_front(struct rx *r)
{
	size_t held = r->end - r->begin;
	char *p;

	/* One huge message must not hold its memory for ever. */
	if (r->cap > RX_KEEP) {
		p = held > 0 ? malloc(2 * RX_READ + 1) : NULL;
		if (held == 0 || p != NULL) {
			if (held > 0)
				memcpy(p, r->p + r->begin, held);
			free(r->p);
			r->p = p;
			r->cap = held > 0 ? 2 * RX_READ : 0;
			r->begin = 0;
			r->end = held;
		}
	}
	if (held > 0 && r->begin > 0)
		memmove(r->p, r->p + r->begin, held);
	r->begin = 0;
	r->end = held;
}

char *
rx_space(struct rx *r, size_t want, size_t *n)
{
	size_t held = r->end - r->begin;
	size_t need = held + RX_READ;

	if (want > believed(held))
		want = believed(held);
	if (need < want)
		need = want;
	rx_uncut(r);
	if (held <= RX_SMALL)
		to_front(r);
	if (r->p == NULL || r->cap - r->begin < need) {
		if (r->begin > 0)
			memmove(r->p, r->p + r->begin, held);
		r->begin = 0;
		r->end = held;
		if (r->cap < need && grow(r, need) != ST_OK)
			return NULL;
	}
	*n = r->cap - r->end;
	return r->p + r->end;
}

void
rx_commit(struct rx *r, size_t n, uint64_t now_ns, uint64_t wall_ns)
{
	r->end += n;
	r->read_ns = now_ns;
	r->read_wall = wall_ns;
	r->reads++;
}

void
rx_drop(struct rx *r, size_t n)
{
	rx_uncut(r);
	r->begin += n;
	r->offset += n;
}

void
rx_cut(struct rx *r, size_t at)
{
	rx_uncut(r);
	r->cut = at;
	r->cut_byte = r->p[at];
	r->p[at] = 0;
}

void
rx_uncut(struct rx *r)
{
	if (r->cut == SIZE_MAX)
		return;
	r->p[r->cut] = r->cut_byte;
	r->cut = SIZE_MAX;
}

void
rx_begin(const struct rx *r, size_t at, struct rx_mark *m)
{
	*m = (struct rx_mark){
		.offset = r->offset + (at - r->begin),
		.first_end = r->offset + (r->end - r->begin),
		.ns = r->read_ns,
		.wall = r->read_wall,
		.reads = r->reads,
	};
}

void
rx_meta(const struct rx *r, size_t at, const struct rx_mark *m, struct net_meta *meta)
{
	uint64_t end = r->offset + (at - r->begin);

	*meta = (struct net_meta){
		.recv_ns = m->ns,
		.wall_ns = m->wall,
		.wire_bytes = end - m->offset,
		.reads = (uint32_t)(r->reads - m->reads + 1),
	};
	if (meta->reads > 1) {
		meta->xfer_bytes = end - m->first_end;
		meta->xfer_ns = r->read_ns - m->ns;
	}
}
