/* A transaction's page. */
#include <stdio.h>

#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/panes/tx_lines.h"

struct state {
	struct doc doc;
	enum fee_unit unit;
	int width; /* of the text of a line when it was drawn last */
};

/* False: the body is not here, or has no such transaction. */
static bool view_of(const struct pane *pane, const struct model *m, struct tx_view *v)
{
	const struct state *s = pane->state;

	if (!pane->body || pane->to.tx >= pane->body->txs.len)
		return false;
	*v = (struct tx_view){ .unit = s->unit, .width = s->width };
	tx_view(v, m, pane->body, &block_txs(pane->body)[pane->to.tx]);
	return true;
}

static const char *keys_of(int room)
{
	static const char *const keys[] = {
		"Alt-\xe2\x86\x90 \xe2\x86\x92 next  v raw JSON  y copy  Esc back",
		"Alt-\xe2\x86\x90 \xe2\x86\x92  v raw  y copy  Esc",
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
	struct doc_source src = { .n = 0 };
	struct tx_view v;
	struct canvas in;
	char title[160], foot[80], n[NUMBER_MAX];
	bool known;

	s->width = c->at.w - 3 - TX_LABEL;
	known = view_of(pane, m, &v);
	if (known)
		src = tx_lines(&v);
	s->doc.page = c->at.h > 2 ? (unsigned)c->at.h - 2 : 0;
	snprintf(title, sizeof(title), "Transaction %u of block %s", pane->to.tx, number_int(n, sizeof(n), pane->to.number));
	doc_note(&s->doc, src.n, foot, sizeof(foot));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, title,
				      keys_of(c->at.w - parts_width(title) - 8), foot));
	if (known)
		doc_draw(&s->doc, &src, TX_LABEL, &in, focus);
	else
		canvas_text(&in, 1, 0, -1, ROLE_DIM, 0,
			    pane->body ? "the block has no such transaction" : "fetching the transactions\xe2\x80\xa6");
}

static enum pane_result go_to(struct pane *pane, const char *page, uint32_t tx)
{
	pane->go = (struct target){ .page = page, .block = pane->to.block, .number = pane->to.number, .tx = tx };
	return PANE_OPEN;
}

static enum pane_result neighbour(struct pane *pane, bool next)
{
	uint32_t n = pane->body ? pane->body->txs.len : 0;

	if (next && pane->to.tx + 1 < n)
		return go_to(pane, "tx", pane->to.tx + 1);
	if (!next && pane->to.tx > 0)
		return go_to(pane, "tx", pane->to.tx - 1);
	return parts_say(pane, "this is the block's %s transaction", next ? "last" : "first");
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct buf *clip = &pane->env->clip;
	struct tx_view v;

	switch (cmd) {
	case UI_UNITS:
		s->unit = (s->unit + 1) % FEE_UNIT_N;
		return PANE_DONE;
	case UI_PREV_ITEM:
		return neighbour(pane, false);
	case UI_NEXT_ITEM:
		return neighbour(pane, true);
	case UI_RAW:
		return go_to(pane, "raw", pane->to.tx);
	case UI_COPY_JSON:
		return parts_copy_json(pane, pane->to.tx);
	default:
		break;
	}
	if (!view_of(pane, m, &v))
		return PANE_IGNORED;
	if (cmd != UI_COPY)
		return doc_command(&s->doc, v.end, cmd);
	buf_clear(clip);
	return tx_line_value(&v, s->doc.at, clip) == ST_OK && clip->len ? PANE_COPY : PANE_IGNORED;
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct tx_view v;

	(void)x;
	return view_of(pane, m, &v) ? doc_click(&s->doc, v.end, y - 1) : PANE_IGNORED;
}

/* Another transaction: from the top. */
static void open(struct pane *pane, const struct model *m)
{
	struct state *s = pane->state;

	(void)m;
	s->doc = (struct doc){ .at = 0 };
}

extern const struct pane_class pane_tx;
const struct pane_class pane_tx = {
	.name = "tx",
	.title = "Transaction",
	.help = "every field of one transaction, and its calldata",
	.wants = DIRTY_BLOCKS | DIRTY_CLOCK,
	.min_w = 20,
	.min_h = 4,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
	.open = open,
};
