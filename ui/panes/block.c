/* A block's page: what its header says left, its transactions right; narrow: one above, or instead of, the other. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/block_fields.h"
#include "ui/panes/block_txs.h"
#include "ui/panes/parts.h"

enum {
	SIDE_BY_SIDE = 110, /* columns inside from which both have room */
	LEFT = 54,
	STACKED = 14, /* lines inside from which one above the other makes sense */
	FIELDS_LEAST = 8,
};

enum part { PART_TX_TABLE, PART_FIELDS };

struct state {
	struct doc fields;
	struct table txs;
	enum part part; /* which has the cursor */
	enum fee_unit unit;
	/* Where they were drawn, inside the frame; w = 0: not. */
	struct rect fields_at, txs_at;
};

static void view_of(const struct pane *pane, const struct model *m, struct block_view *v)
{
	const struct state *s = pane->state;

	block_view(v, m, &pane->to.block, pane->body);
	v->unit = s->unit;
	v->width = s->fields_at.w - 1 - FIELDS_LABEL;
}

/* ---- drawing ---- */

/* Where both parts stand in w × h. */
static void place(struct state *s, const struct block_view *v, int w, int h)
{
	int fields = (int)v->n_fields, top;

	s->fields_at = s->txs_at = (struct rect){ .w = 0 };
	if (w >= SIDE_BY_SIDE) {
		s->fields_at = (struct rect){ .w = LEFT, .h = h };
		s->txs_at = (struct rect){ .x = LEFT + 1, .w = w - LEFT - 1, .h = h };
	} else if (h >= STACKED) {
		top = parts_clamp(fields, 1, h / 2 > FIELDS_LEAST ? h / 2 : h / 2 - 1);
		s->fields_at = (struct rect){ .w = w, .h = top };
		s->txs_at = (struct rect){ .y = top + 1, .w = w, .h = h - top - 1 };
	} else if (s->part == PART_FIELDS) {
		s->fields_at = (struct rect){ .w = w, .h = h };
	} else {
		s->txs_at = (struct rect){ .w = w, .h = h };
	}
}

/* A line between the parts. c: with the frame. */
static void divide(const struct state *s, struct canvas *c, bool focus)
{
	enum role role = focus ? ROLE_FRAME_FOCUS : ROLE_FRAME;
	int w = c->at.w, y = 1 + s->fields_at.h;

	if (s->fields_at.w == 0 || s->txs_at.w == 0)
		return;
	if (s->txs_at.x > 0) {
		canvas_fill(c, (struct rect){ .x = 1 + LEFT, .y = 1, .w = 1, .h = c->at.h - 2 }, 0x2502, role, 0);
		return;
	}
	canvas_fill(c, (struct rect){ .x = 1, .y = y, .w = w - 2, .h = 1 }, 0x2500, role, 0);
	canvas_put(c, 0, y, 0x251c, role, 0);
	canvas_put(c, w - 1, y, 0x2524, role, 0);
}

/* Why there are no transactions to be seen. */
static const char *why_none(const struct pane *pane, const struct block_view *v)
{
	unsigned up = 0;

	if (pane->body)
		return v->body->h.has & H_TXS_FULL ? "no transactions" : "the node gave hashes only";
	for (unsigned i = 0; i < v->m->n_paths; i++) {
		const struct path *p = v->m->paths[i];

		up += p->state == LINK_LIVE || p->state == LINK_POLLING || p->state == LINK_SILENT;
	}
	if (!up)
		return "not here, and no path answers that could fetch them";
	if (v->b && v->b->missed >= up)
		return "no path can serve this block's transactions (any more)";
	return "fetching the transactions\xe2\x80\xa6";
}

/* " 201 txs  0:24 2:170 3:3 4:4" */
static void counts(const struct block_view *v, char *out, size_t size)
{
	char n[NUMBER_MAX];
	uint32_t types[6] = { 0 };
	const struct tx *t = block_txs(v->body);
	int at;

	for (uint32_t i = 0; i < v->body->txs.len; i++)
		types[t[i].type <= TX_SET_CODE ? t[i].type : 5]++;
	at = snprintf(out, size, "%s tx%s ", number_int(n, sizeof(n), v->body->txs.len), v->body->txs.len == 1 ? "" : "s");
	for (unsigned i = 0; i < 6; i++) {
		if (types[i] && i < 5)
			at += snprintf(out + at, size - (size_t)at, " %u:%u", i, types[i]);
		else if (types[i])
			at += snprintf(out + at, size - (size_t)at, " other:%u", types[i]);
	}
}

static void draw_txs(struct pane *pane, const struct block_view *v, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct table_source src = txs_source(v);
	struct table_col cols[TXS_COLS];
	int foot = !pane->body || src.n == 0 || c->at.h < 5 ? 0 : c->at.h < 8 ? 1 : 2;
	struct canvas rows = canvas_sub(c, (struct rect){ .w = c->at.w, .h = c->at.h - foot });
	char text[200];

	txs_columns(v, c->at.w, cols);
	table_draw(&s->txs, cols, TXS_COLS, &src, &rows, focus);
	if (src.n == 0)
		canvas_text(c, 1, c->at.h > 1, -1, ROLE_DIM, 0, why_none(pane, v));
	if (foot) {
		counts(v, text, sizeof(text));
		canvas_text(c, 2, c->at.h - foot, -1, ROLE_LABEL, 0, text);
	}
	if (foot > 1)
		canvas_text(c, 2, c->at.h - 1, -1, ROLE_LABEL, 0,
			    "s sort, < > column   Enter \xe2\x86\x92 transaction   Tab \xe2\x86\x92 fields");
}

static void title_of(const struct block_view *v, const struct pane *pane, char *out, size_t size)
{
	char n[NUMBER_MAX], clock[32], age[40];

	if (!v->known) {
		snprintf(out, size, "Block %s", number_int(n, sizeof(n), pane->to.number));
		return;
	}
	snprintf(out, size, "Block %s%s \xc2\xb7 %s UTC \xc2\xb7 %s old", number_int(n, sizeof(n), v->h.number),
		 v->b && v->b->state != BLK_CANON ? "\xe2\x80\xb2" : "",
		 time_clock_utc(clock, sizeof(clock), v->h.time_ms < UINT64_MAX / NS_MS ? v->h.time_ms * NS_MS : 0),
		 parts_age(age, sizeof(age), parts_since(v->m, v->h.time_ms)));
}

/* The keys, as many as have room beside the title. */
static const char *keys_of(int room)
{
	static const char *const keys[] = {
		"Alt-\xe2\x86\x90 \xe2\x86\x92 next  v raw JSON  y copy  Esc back",
		"Alt-\xe2\x86\x90 \xe2\x86\x92  v raw  y copy  Esc",
		"Alt-\xe2\x86\x90 \xe2\x86\x92  Esc back",
		"Esc back",
		"",
	};
	unsigned i = 0;

	while (keys[i][0] && parts_width(keys[i]) > room)
		i++;
	return keys[i];
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct block_view v;
	struct doc_source fields;
	struct canvas in, sub;
	char title[160], foot[80];

	view_of(pane, m, &v);
	place(s, &v, c->at.w - 2, c->at.h - 2);
	v.width = s->fields_at.w - 1 - FIELDS_LABEL;
	fields = block_fields(&v);
	title_of(&v, pane, title, sizeof(title));
	s->fields.page = s->fields_at.h > 0 ? (unsigned)s->fields_at.h : 0;
	doc_note(&s->fields, s->fields_at.w ? fields.n : 0, foot, sizeof(foot));
	if (s->fields_at.w == 0 || s->txs_at.w == 0)
		snprintf(foot, sizeof(foot), "Tab: %s", s->part == PART_FIELDS ? "transactions" : "fields");
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, title,
				      keys_of(c->at.w - parts_width(title) - 8), foot));
	if (!v.known) {
		canvas_text(&in, 1, 0, -1, ROLE_DIM, 0, "this block is not kept any more");
		return;
	}
	divide(s, c, focus);
	sub = canvas_sub(&in, s->fields_at);
	if (s->fields_at.w)
		doc_draw(&s->fields, &fields, FIELDS_LABEL, &sub, s->part == PART_FIELDS);
	sub = canvas_sub(&in, s->txs_at);
	if (s->txs_at.w)
		draw_txs(pane, &v, &sub, s->part == PART_TX_TABLE);
}

/* ---- commands ---- */

static enum pane_result go_to(struct pane *pane, const char *page, const struct hash *h, uint64_t number, uint32_t tx)
{
	pane->go = (struct target){ .page = page, .block = *h, .number = number, .tx = tx };
	return PANE_OPEN;
}

static enum pane_result neighbour(struct pane *pane, const struct block_view *v, bool next)
{
	const struct blk *to = NULL;
	char n[NUMBER_MAX];

	if (v->known && v->c && next)
		to = chain_by_number(v->c, v->h.number + 1);
	else if (v->known && v->c && v->h.number > 0) {
		to = chain_by_hash(v->c, &v->h.parent);
		if (!to)
			to = chain_by_number(v->c, v->h.number - 1);
	}
	if (to)
		return go_to(pane, "block", &to->h.hash, to->h.number, TARGET_NO_TX);
	if (next)
		return parts_say(pane, "this is the newest block");
	return parts_say(pane, "block %s is not kept",
			 number_int(n, sizeof(n), v->known && v->h.number ? v->h.number - 1 : UNKNOWN));
}

static enum pane_result open_row(struct pane *pane, const struct block_view *v)
{
	struct state *s = pane->state;
	struct table_source src = txs_source(v);
	long row;

	if (s->part == PART_TX_TABLE) {
		row = table_selected(&s->txs, &src);
		if (row < 0)
			return parts_say(pane, "%s", why_none(pane, v));
		return go_to(pane, "tx", &pane->to.block, pane->to.number, (uint32_t)row);
	}
	if ((long)s->fields.at == block_parent_line(v))
		return neighbour(pane, v, false);
	return PANE_IGNORED;
}

static enum pane_result copy(struct pane *pane, const struct block_view *v)
{
	struct state *s = pane->state;
	struct table_source src = txs_source(v);
	struct buf *clip = &pane->env->clip;
	char hex[2 + 64 + 1];
	enum status st;
	long row = -1;

	buf_clear(clip);
	if (s->part == PART_TX_TABLE)
		row = table_selected(&s->txs, &src);
	if (row >= 0)
		st = buf_adds(clip, parts_hex(hex, &block_txs(v->body)[row].hash));
	else if (s->part == PART_TX_TABLE)
		st = buf_adds(clip, parts_hex(hex, &pane->to.block));
	else
		st = block_field_value(v, s->fields.at, clip);
	return st == ST_OK && clip->len ? PANE_COPY : PANE_IGNORED;
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct block_view v;
	struct table_source src;
	struct table_col cols[TXS_COLS];

	if (cmd == UI_UNITS) {
		s->unit = (s->unit + 1) % FEE_UNIT_N;
		return PANE_DONE;
	}
	view_of(pane, m, &v);
	switch (cmd) {
	case UI_NEXT_PANE:
	case UI_PREV_PANE:
		s->part = s->part == PART_FIELDS ? PART_TX_TABLE : PART_FIELDS;
		return PANE_DONE;
	case UI_PREV_ITEM:
		return neighbour(pane, &v, false);
	case UI_NEXT_ITEM:
		return neighbour(pane, &v, true);
	case UI_OPEN:
		return v.known ? open_row(pane, &v) : PANE_IGNORED;
	case UI_RAW:
		return go_to(pane, "raw", &pane->to.block, pane->to.number, TARGET_NO_TX);
	case UI_COPY:
		return v.known ? copy(pane, &v) : PANE_IGNORED;
	case UI_COPY_JSON:
		return parts_copy_json(pane, TARGET_NO_TX);
	default:
		break;
	}
	if (!v.known)
		return PANE_IGNORED;
	if (s->part == PART_FIELDS)
		return doc_command(&s->fields, block_fields(&v).n, cmd);
	src = txs_source(&v);
	txs_columns(&v, s->txs_at.w, cols);
	return table_command(&s->txs, cols, TXS_COLS, &src, cmd);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	const struct rect *f = &s->fields_at, *t = &s->txs_at;
	struct table_source src;
	struct table_col cols[TXS_COLS];
	struct block_view v;

	view_of(pane, m, &v);
	x--;
	y--;
	if (!v.known)
		return PANE_IGNORED;
	if (x >= f->x && x < f->x + f->w && y >= f->y && y < f->y + f->h) {
		s->part = PART_FIELDS;
		return doc_click(&s->fields, block_fields(&v).n, y - f->y);
	}
	if (x < t->x || x >= t->x + t->w || y < t->y || y >= t->y + t->h)
		return PANE_IGNORED;
	s->part = PART_TX_TABLE;
	src = txs_source(&v);
	txs_columns(&v, t->w, cols);
	return table_click(&s->txs, cols, TXS_COLS, &src, x - t->x, y - t->y);
}

/* Another block: from the top, but the part and the order that the user chose stay. */
static void open(struct pane *pane, const struct model *m)
{
	struct state *s = pane->state;

	(void)m;
	s->txs.pinned = false;
	s->txs.top = s->txs.at = 0;
}

extern const struct pane_class pane_block;
const struct pane_class pane_block = {
	.name = "block",
	.title = "Block",
	.help = "everything about one block, and its transactions",
	.wants = DIRTY_HEAD | DIRTY_BLOCKS | DIRTY_CLOCK,
	.min_w = 20,
	.min_h = 4,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
	.open = open,
};
