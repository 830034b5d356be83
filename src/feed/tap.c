#include "feed/tap.h"

#include <string.h>

#include "feed/state.h"

static struct rec_item *tap_item(struct rec_tap *t, enum item_kind item, enum frame_kind kind, uint64_t mono, uint64_t wall,
				 const char *text, size_t n)
{
	struct rec_item *i = recqueue_item(t->q, item, text, n);

	if (!i)
		return NULL;
	i->f.feed = t->feed;
	i->f.conn = t->conn;
	i->f.kind = kind;
	i->f.mono = mono;
	i->f.wall = wall;
	/* As the queue has it: each points to the one before it. */
	i->next = t->last;
	if (!t->first)
		t->first = i;
	t->last = i;
	return i;
}

void tap_flush(struct rec_tap *t)
{
	if (t->q && t->first)
		recqueue_push(t->q, t->last, t->first);
	t->first = t->last = t->in = NULL;
}

void tap_open(struct rec_tap *t, uint64_t mono, uint64_t wall)
{
	if (!t->q)
		return;
	t->conn++;
	tap_item(t, ITEM_FRAME, FRAME_OPEN, mono, wall, NULL, 0);
}

void tap_close(struct rec_tap *t, uint64_t mono, uint64_t wall)
{
	if (t->q)
		tap_item(t, ITEM_FRAME, FRAME_CLOSE, mono, wall, NULL, 0);
}

void tap_out(struct rec_tap *t, const char *text, size_t n, uint64_t mono, uint64_t wall, uint64_t token, uint64_t sched,
	     unsigned attempt)
{
	struct rec_item *i = t->q ? tap_item(t, ITEM_FRAME, FRAME_OUT, mono, wall, text, n) : NULL;

	if (!i)
		return;
	frame_set(&i->f, META_TOKEN, token);
	if (sched < mono)
		frame_set(&i->f, META_SCHED, mono - sched);
	if (attempt)
		frame_set(&i->f, META_ATTEMPT, attempt);
}

static void set_unless_0(struct frame *f, enum meta m, uint64_t v)
{
	if (v)
		frame_set(f, m, v);
}

void tap_in(struct rec_tap *t, const char *text, size_t n, const struct net_meta *m)
{
	struct rec_item *i;

	if (!t->q)
		return;
	tap_flush(t);
	i = tap_item(t, ITEM_FRAME, FRAME_IN, m->recv_ns, m->wall_ns, text, n);
	t->in = i;
	if (!i)
		return;
	set_unless_0(&i->f, META_TOKEN, m->token);
	set_unless_0(&i->f, META_WIRE, m->wire_bytes);
	set_unless_0(&i->f, META_XFER, m->xfer_bytes);
	set_unless_0(&i->f, META_XFER_NS, m->xfer_ns);
	set_unless_0(&i->f, META_READS, m->reads);
	set_unless_0(&i->f, META_HTTP, m->http_status > 0 ? (uint64_t)m->http_status : 0);
}

void tap_p2p_out(struct rec_tap *t, uint64_t code, const void *data, size_t n, uint64_t mono, uint64_t wall, uint64_t sched,
		 unsigned attempt, uint64_t ask)
{
	struct rec_item *i = t->q ? tap_item(t, ITEM_FRAME, FRAME_OUT, mono, wall, data, n) : NULL;

	if (!i)
		return;
	frame_set(&i->f, META_CODE, code);
	set_unless_0(&i->f, META_SCHED, sched < mono ? mono - sched : 0);
	set_unless_0(&i->f, META_ATTEMPT, attempt);
	set_unless_0(&i->f, META_ASK, ask);
}

void tap_p2p_in(struct rec_tap *t, uint64_t code, const void *data, size_t n, size_t wire, uint64_t mono, uint64_t wall)
{
	struct rec_item *i;

	if (!t->q)
		return;
	tap_flush(t);
	i = tap_item(t, ITEM_FRAME, FRAME_IN, mono, wall, data, n);
	t->in = i;
	if (!i)
		return;
	frame_set(&i->f, META_CODE, code);
	set_unless_0(&i->f, META_WIRE, wire);
}

void tap_fail(struct rec_tap *t, uint64_t id, const struct err *e, uint64_t wait_ns, uint64_t mono, uint64_t wall)
{
	struct state s = {
		.kind = STATE_FAIL, .id = id, .code = (uint8_t)e->code, .detail = e->detail, .wait_ns = wait_ns
	};
	struct buf b;

	if (!t->q)
		return;
	buf_init(&b, 4096);
	memcpy(s.text, e->text, sizeof(s.text) < sizeof(e->text) ? sizeof(s.text) : sizeof(e->text));
	if (state_write(&b, &s) == ST_OK)
		tap_item(t, ITEM_FRAME, FRAME_STATE, mono, wall, b.p, b.len);
	buf_fini(&b);
}

void tap_block(struct rec_tap *t, uint64_t done_ns, bool verified, uint32_t took_us)
{
	if (!t->in)
		return;
	frame_set(&t->in->f, META_DECODE, done_ns > t->in->f.mono ? done_ns - t->in->f.mono : 0);
	if (verified)
		frame_set(&t->in->f, META_VERIFY, took_us);
}

void tap_ask_chain(struct rec_tap *t, uint64_t mono, uint64_t wall)
{
	static const char text[] = "{\"ev\":\"ask_chain\"}";

	if (t->q)
		tap_item(t, ITEM_FRAME, FRAME_STATE, mono, wall, text, sizeof(text) - 1);
}

/* Those that a replay makes anew from the messages. */
static bool from_messages(const struct event *e)
{
	return e->kind == EV_CHAIN || e->kind == EV_HEAD || e->kind == EV_TAG ||
	       (e->kind == EV_INFO && e->u.info.info != INFO_POLL_INTERVAL && e->u.info.info != INFO_DISK);
}

void tap_event(struct rec_tap *t, const struct event *e)
{
	struct rec_item *i;

	if (!t->q)
		return;
	if (!state_tells((enum event_kind)e->kind))
		return;
	i = tap_item(t, from_messages(e) ? ITEM_KEEP : ITEM_EVENT, FRAME_STATE, e->mono, e->wall, NULL, 0);
	if (i)
		i->u.e = *e;
}
