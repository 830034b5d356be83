/* Pulse: when each path heard each head, the chain's ECG. One column is a second, or a block time if that is shorter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"

enum {
	COLUMNS_MAX = 1000,
	LABEL_MAX = 28,
	RULER = 10, /* columns between the marks of a ruler */
	MARK_LEAST = 4, /* closer marks would be all that is seen */
	PERIODIC = 8, /* so many intervals must be whole block times */
};

/* Columns are numbered along the wall clock; each ends with its time, so that a head never lies on the mark of its slot. */
struct grid {
	const struct model *m;
	const struct chain *c;
	uint64_t column_ns, phase_ns;
	uint64_t now; /* the newest column */
	unsigned mark; /* columns between marks */
	bool slots; /* the marks are slots: one without a block is news */
	int x, w; /* where the columns are on the canvas; w ≤ COLUMNS_MAX */
};

struct slot {
	bool block; /* a block of this slot is known */
	bool heard; /* and some path heard it live */
	bool passed; /* known to be without a block */
};

struct strip {
	struct slot slot[COLUMNS_MAX]; /* by column of the grid: only those of marks are used */
	/* Of one path. */
	uint8_t heads[COLUMNS_MAX];
	bool late[COLUMNS_MAX], polled[COLUMNS_MAX], newest[COLUMNS_MAX], got[COLUMNS_MAX];
};

static bool answers(const struct path *p)
{
	return p->state == LINK_LIVE || p->state == LINK_POLLING || p->state == LINK_SILENT;
}

/* ---- columns ---- */

static uint64_t column_of(const struct grid *g, uint64_t wall)
{
	uint64_t d = wall > g->phase_ns ? wall - g->phase_ns : 0;

	return d / g->column_ns + (d % g->column_ns != 0);
}

static uint64_t column_of_mono(const struct grid *g, uint64_t mono)
{
	const struct model *m = g->m;
	uint64_t back = m->now_mono > mono ? m->now_mono - mono : 0;

	return column_of(g, m->now_wall > back ? m->now_wall - back : 0);
}

/* Index into a strip, −1 if it is not in sight. */
static int index_of(const struct grid *g, uint64_t column)
{
	if (column > g->now || g->now - column >= (uint64_t)g->w)
		return -1;
	return g->w - 1 - (int)(g->now - column);
}

static uint64_t leftmost(const struct grid *g)
{
	return g->now >= (uint64_t)g->w ? g->now - (uint64_t)g->w + 1 : 0;
}

/* First column of the slot that a block belongs to. */
static uint64_t slot_of(const struct grid *g, const struct blk *b)
{
	uint64_t ms = b->h.time_ms < UINT64_MAX / NS_MS ? b->h.time_ms : UINT64_MAX / NS_MS;
	uint64_t column = column_of(g, ms * NS_MS);

	return column - column % g->mark;
}

/* ---- the scale ---- */

/* Blocks come in whole block times, so marks at their phase stand still. */
static bool periodic(const struct chain *c)
{
	const struct blk *b[PERIODIC + 1];
	unsigned n = parts_blocks(c, b, PERIODIC + 1);

	for (unsigned i = 0; i + 1 < n; i++) {
		if (!b[i] || !b[i + 1] || b[i]->h.time_ms < b[i + 1]->h.time_ms ||
		    (b[i]->h.time_ms - b[i + 1]->h.time_ms) % c->block_ms != 0)
			return false;
	}
	return n > 2;
}

static void scale(struct grid *g, const struct model *m, const struct chain *c)
{
	uint64_t t = c->block_ms;

	*g = (struct grid){ .m = m, .c = c, .column_ns = NS_S, .mark = RULER };
	if (t != UNKNOWN && t > 0 && t < 1000) {
		g->column_ns = t * NS_MS;
		g->mark = 2 * RULER;
	} else if (t != UNKNOWN && t % 1000 == 0 && t / 1000 >= MARK_LEAST && t / 1000 < COLUMNS_MAX) {
		if (c->info->kind == CHAIN_SLOT && c->info->slot_genesis) {
			g->slots = true;
			g->mark = (unsigned)(t / 1000);
			g->phase_ns = c->info->slot_genesis * NS_S;
		} else if (periodic(c)) {
			g->mark = (unsigned)(t / 1000);
			g->phase_ns = c->head->h.time_ms % t * NS_MS;
		}
	}
	g->now = column_of(g, m->now_wall);
}

/* ---- which slots have a block ---- */

static void look_at_blocks(const struct grid *g, struct strip *s)
{
	const struct blk *b[COLUMNS_MAX];
	unsigned n = chain_rows(g->c, 0, b, (unsigned)g->w);
	uint64_t head = slot_of(g, g->c->head), from = head, left = leftmost(g);
	bool listening = false;
	int i;

	for (unsigned k = 0; k < n; k++) {
		i = index_of(g, slot_of(g, b[k]));
		if (i < 0)
			continue;
		s->slot[i].block = true;
		s->slot[i].heard = s->slot[i].heard || b[k]->heard;
	}
	/* Between blocks that follow each other nothing is missing but what was never there. */
	n = parts_blocks(g->c, b, (unsigned)g->w);
	for (unsigned k = 0; k < n && b[k]; k++)
		from = slot_of(g, b[k]);
	for (unsigned k = 0; k < g->m->n_paths; k++) {
		const struct path *p = g->m->paths[k];

		listening = listening || (answers(p) && !p->other_chain);
	}
	for (uint64_t at = left + (g->mark - left % g->mark) % g->mark; at + g->mark < g->now; at += g->mark) {
		i = index_of(g, at);
		if (i >= 0 && !s->slot[i].block && at > from && (at < head || listening))
			s->slot[i].passed = true;
	}
}

/* ---- one path ---- */

static void listen_to(const struct grid *g, const struct path *p, struct strip *s)
{
	uint64_t left = leftmost(g), column;
	const struct heard *h;
	const struct blk *b;
	int i;

	memset(s->heads, 0, sizeof(s->heads));
	memset(s->late, 0, sizeof(s->late));
	memset(s->polled, 0, sizeof(s->polled));
	memset(s->newest, 0, sizeof(s->newest));
	memset(s->got, 0, sizeof(s->got));
	for (unsigned k = 0; (h = path_heard_at(p, k)) != NULL; k++) {
		column = column_of_mono(g, h->mono);
		if (column + g->mark < left)
			break;
		b = g->slots ? chain_by_hash(g->c, &h->hash) : NULL;
		i = b ? index_of(g, slot_of(g, b)) : -1;
		if (i >= 0)
			s->got[i] = true;
		i = index_of(g, column);
		if (i < 0)
			continue;
		if (s->heads[i] < 9)
			s->heads[i]++;
		s->late[i] = s->late[i] || h->late;
		s->polled[i] = h->source == SRC_POLL;
		s->newest[i] = s->newest[i] || hash_eq(&h->hash, &g->c->head->h.hash);
	}
}

/* From when to when this path could have heard something, as far as we know. */
static void active(const struct grid *g, const struct path *p, uint64_t *from, uint64_t *to)
{
	const struct heard *first = p->heard_n ? path_heard_at(p, p->heard_n - 1) : NULL;
	const struct heard *last = path_heard_at(p, 0);

	*from = answers(p) && p->state_since != UNKNOWN ? column_of_mono(g, p->state_since) : g->now + 1;
	if (first && column_of_mono(g, first->mono) < *from)
		*from = column_of_mono(g, first->mono);
	*to = g->now;
	if (p->state == LINK_SILENT)
		*to = last ? column_of_mono(g, last->mono) : 0;
	else if (!answers(p))
		*to = p->state_since != UNKNOWN ? column_of_mono(g, p->state_since) : 0;
}

static void draw_marks(const struct grid *g, const struct path *p, const struct strip *s, struct canvas *c, int y)
{
	uint64_t left = leftmost(g), from, to;

	active(g, p, &from, &to);
	for (uint64_t at = left + (g->mark - left % g->mark) % g->mark; at <= g->now && at <= to; at += g->mark) {
		int i = index_of(g, at);
		bool over = at + g->mark < g->now;

		if (i < 0 || at + g->mark <= from)
			continue;
		/* What others heard and this path did not is a hole. */
		if (g->slots && over && !s->got[i] && !s->slot[i].passed)
			continue;
		canvas_put(c, g->x + i, y, 0x250a, ROLE_FRAME, 0);
		if (s->slot[i].passed && !s->got[i] && i + 2 < g->w)
			canvas_put(c, g->x + i + 2, y, 0xd7, ROLE_CRIT, 0);
	}
}

static void draw_heads(const struct grid *g, const struct strip *s, struct canvas *c, int y)
{
	for (int i = 0; i < g->w; i++) {
		enum role role = s->late[i] ? ROLE_WARN : s->newest[i] ? ROLE_NEW : ROLE_OK;

		if (s->heads[i] == 0)
			continue;
		canvas_put(c, g->x + i, y, s->heads[i] > 1 ? '0' + s->heads[i] : s->late[i] ? 0x25cb : 0x25cf, role,
			   s->polled[i] ? CELL_DIM : 0);
	}
}

/* What is wrong with a path, over its empty end: "SILENT 49s" since it told of its last head. */
static void draw_word(const struct grid *g, const struct path *p, struct canvas *c, int y)
{
	const char *word = path_state_word(p);
	enum role role = ROLE_CRIT;
	char text[80], age[40] = "";
	int w;

	if ((p->state == LINK_LIVE || p->state == LINK_POLLING) && !p->other_chain)
		return;
	if (p->other_chain && !p->wrong_chain)
		role = ROLE_DIM;
	else if (p->state == LINK_SILENT && path_quiet_since(p) < g->m->now_mono)
		time_age(age, sizeof(age), (int64_t)(g->m->now_mono - path_quiet_since(p)));
	else if (p->state == LINK_CONNECTING && p->attempt > 1)
		word = "down"; /* between two tries: no flicker */
	else if (p->state == LINK_CONNECTING || p->state == LINK_IDLE)
		role = ROLE_INFO;
	snprintf(text, sizeof(text), " %s%s%s", word, age[0] ? " " : "", age);
	w = parts_width(text);
	canvas_text(c, g->x + (w < g->w ? g->w - w : 0), y, w < g->w ? w : g->w, role, 0, text);
}

static void label_of(const struct path *p, char *out, size_t size)
{
	snprintf(out, size, "%s %s%s", p->node, p->via, p->state == LINK_POLLING || !p->push ? " poll" : "");
}

static void draw_paths(struct grid *g, struct canvas *c)
{
	const struct model *m = g->m;
	struct strip s = { .heads = { 0 } };
	char label[80];
	int label_w = 4;

	for (unsigned i = 0; i < m->n_paths; i++) {
		label_of(m->paths[i], label, sizeof(label));
		if (parts_width(label) > label_w)
			label_w = parts_width(label);
	}
	if (label_w > LABEL_MAX)
		label_w = LABEL_MAX;
	if (label_w > c->at.w / 3)
		label_w = c->at.w / 3;
	g->x = label_w + 2;
	g->w = c->at.w - g->x - 1;
	if (g->w > COLUMNS_MAX)
		g->w = COLUMNS_MAX;
	if (g->w < 1)
		return;
	if (g->slots)
		look_at_blocks(g, &s);
	for (unsigned i = 0; i < m->n_paths && (int)i < c->at.h; i++) {
		const struct path *p = m->paths[i];
		int y = (int)i;

		if (y == c->at.h - 1 && i + 1 < m->n_paths) {
			canvas_textf(c, 1, y, -1, ROLE_DIM, 0, "and %u more", m->n_paths - i);
			break;
		}
		label_of(p, label, sizeof(label));
		canvas_text(c, 1, y, label_w, answers(p) && !p->other_chain ? ROLE_TEXT : ROLE_DIM, 0, label);
		if (!p->other_chain) {
			listen_to(g, p, &s);
			draw_marks(g, p, &s, c, y);
			draw_heads(g, &s, c, y);
		}
		draw_word(g, p, c, y);
	}
}

/* ---- the legend, in the frame ---- */

static int piece(struct canvas *c, int x, int end, uint32_t glyph, enum role role, const char *text)
{
	int w = parts_width(text) + (glyph ? 2 : 0);

	if (x < 0 || x + 3 + w + 1 > end)
		return -1;
	canvas_text(c, x, 0, 3, ROLE_TEXT, 0, "   ");
	x += 3;
	if (glyph) {
		canvas_put(c, x, 0, glyph, role, 0);
		canvas_put(c, x + 1, 0, ' ', ROLE_TEXT, 0);
		x += 2;
	}
	x = canvas_text(c, x, 0, -1, ROLE_LABEL, 0, text);
	canvas_put(c, x, 0, ' ', ROLE_TEXT, 0);
	return x;
}

static void legend(const struct grid *g, struct canvas *c)
{
	const struct chain_info *info = g->c->info;
	int end = c->at.w - 7, x = 7;
	char text[80], span[48];

	snprintf(text, sizeof(text), "1 column = %s", parts_span(span, sizeof(span), g->column_ns / NS_MS));
	x = piece(c, x, end, 0, ROLE_LABEL, text);
	parts_span(span, sizeof(span), g->mark * g->column_ns / NS_MS);
	x = piece(c, x, end, 0x250a, ROLE_FRAME, g->slots ? "slot" : span);
	x = piece(c, x, end, 0x25cf, ROLE_OK, "head heard");
	if (info->late_ms && g->m->clock_bound != UNKNOWN) {
		snprintf(text, sizeof(text), "later than %s", parts_span(span, sizeof(span), info->late_ms));
		x = piece(c, x, end, 0x25cb, ROLE_WARN, text);
	}
	if (g->slots)
		piece(c, x, end, 0xd7, ROLE_CRIT, "no block");
	else
		piece(c, x, end, '2', ROLE_OK, "two heads");
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	const struct chain *chain = model_chain(m);
	struct canvas in;
	struct grid g;

	(void)pane;
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Pulse", "now", NULL));
	if (parts_waiting(&in, m))
		return;
	scale(&g, m, chain);
	legend(&g, c);
	draw_paths(&g, &in);
}

extern const struct pane_class pane_pulse;
const struct pane_class pane_pulse = {
	.name = "pulse",
	.title = "Pulse",
	.help = "when each path heard each head: late ones, slots without a block, silence; "
		"a digit is several heads at once",
	.wants = DIRTY_HEAD | DIRTY_BLOCKS | DIRTY_PATHS | DIRTY_CLOCK,
	.views = 1u << 1,
	.min_w = 40,
	.min_h = 3,
	.priority = 5,
	.draw = draw,
};
