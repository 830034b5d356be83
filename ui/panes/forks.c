/* Forks: the newest heights as a tree from the last common ancestor, and which path is on which branch. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/tree.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"

enum {
	BLOCK_W = 6, /* "8f3c ✓" */
	CELL_MIN = BLOCK_W + 5, /* "8f3c ✓─┬───" */
	STEP = 4, /* from a junction to the next block */
	TEXT_LEAST = 26, TEXT_MOST = 60, /* for who holds a branch */
	HEIGHTS_MAX = 64,
	NAMES = 5, /* of more paths on one branch only those that lag have theirs */
};

struct state {
	bool moved; /* before the first move there is no cursor */
	struct hash tip; /* of the branch that the cursor is on */
};

/* The heights that are shown, ascending: not all of them where there is no room. */
struct heights {
	uint64_t at[HEIGHTS_MAX];
	unsigned n, max;
};

struct drawing {
	const struct model *m;
	const struct chain *c;
	struct canvas *in;
	struct fork_tree tree;
	struct heights h;
	int cell_w;
	int row[TREE_BRANCHES]; /* line of each branch */
};

/* ---- which heights ---- */

static bool shown(const struct heights *h, uint64_t number)
{
	for (unsigned i = 0; i < h->n; i++)
		if (h->at[i] == number)
			return true;
	return false;
}

static void want(struct heights *h, uint64_t number)
{
	unsigned k = h->n;

	if (h->n == h->max || shown(h, number))
		return;
	for (; k > 0 && h->at[k - 1] > number; k--)
		h->at[k] = h->at[k - 1];
	h->at[k] = number;
	h->n++;
}

/* Both ends, then where branches begin and end, then the newest. */
static void choose(struct drawing *d)
{
	uint64_t top = d->tree.branch[0].tip->h.number;

	want(&d->h, top);
	for (unsigned i = 1; i < d->tree.n; i++) {
		const struct tree_branch *b = &d->tree.branch[i];

		want(&d->h, b->fork + 1);
		want(&d->h, b->fork);
		want(&d->h, b->tip->h.number);
	}
	for (uint64_t k = 0; k <= top && k < HEIGHTS_MAX && d->h.n < d->h.max; k++)
		if (chain_by_number(d->c, top - k))
			want(&d->h, top - k);
}

/* Column of a height; that of the next higher one if it is not shown; −1: none is. */
static int column(const struct drawing *d, uint64_t number)
{
	for (unsigned i = 0; i < d->h.n; i++)
		if (d->h.at[i] >= number)
			return 1 + (int)i * d->cell_w;
	return -1;
}

/* ---- drawing ---- */

static const struct blk *block_of(const struct drawing *d, const struct tree_branch *b, uint64_t number)
{
	const struct blk *at = b->tip;

	for (unsigned i = 0; at && at->h.number > number && i <= TREE_DEPTH; i++)
		at = chain_by_hash(d->c, &at->h.parent);
	return at && at->h.number == number ? at : NULL;
}

static void draw_block(const struct drawing *d, const struct blk *b, int x, int y)
{
	const char *mark = b->truth == TRUTH_YES       ? "\xe2\x9c\x93"
			   : b->truth == TRUTH_NO      ? "\xe2\x9c\x97"
			   : b->truth == TRUTH_UNKNOWN ? "?"
						       : "";
	enum role role = b->truth == TRUTH_YES ? ROLE_OK : b->truth == TRUTH_NO ? ROLE_CRIT : ROLE_DIM;

	if (b->state == BLK_ORPHAN) {
		mark = "\xe2\x80\xb2";
		role = ROLE_ORPHAN;
	}
	canvas_textf(d->in, x, y, 4, b->state == BLK_CANON ? ROLE_TEXT : ROLE_ORPHAN, 0, "%02x%02x", b->h.hash.b[0],
		     b->h.hash.b[1]);
	canvas_text(d->in, x + 5, y, 1, role, 0, mark);
}

static void line(const struct drawing *d, int from, int to, int y, bool whole)
{
	for (int x = from; x < to; x++)
		canvas_put(d->in, x, y, whole ? 0x2500 : 0xb7, ROLE_FRAME, 0);
}

/* The blocks of a branch above its fork, joined. Returns the column behind the last one. */
static int draw_branch(const struct drawing *d, unsigned k, uint64_t from, int y)
{
	const struct tree_branch *b = &d->tree.branch[k];
	const struct blk *blk;
	int x, end = -1;
	uint64_t last = UINT64_MAX;

	for (unsigned i = 0; i < d->h.n; i++) {
		if (d->h.at[i] < from || d->h.at[i] > b->tip->h.number)
			continue;
		blk = k ? block_of(d, b, d->h.at[i]) : chain_by_number(d->c, d->h.at[i]);
		if (!blk)
			continue;
		x = 1 + (int)i * d->cell_w;
		/* Dots: heights are left out here. */
		if (end >= 0)
			line(d, end, x, y, last != UINT64_MAX && last + 1 == d->h.at[i]);
		draw_block(d, blk, x, y);
		end = x + BLOCK_W;
		last = d->h.at[i];
	}
	return end;
}

/* From its parent's line down to its own, in the dashes before its first block. */
static void draw_junction(const struct drawing *d, unsigned k)
{
	const struct tree_branch *b = &d->tree.branch[k];
	int first = column(d, b->fork + 1), x = first - STEP, y = d->row[k];

	if (first < 0 || x < 0)
		return;
	line(d, x + 1, first, y, true);
	if (!b->attached) {
		canvas_text(d->in, x, y, 1, ROLE_DIM, 0, "\xe2\x80\xa6");
		return;
	}
	canvas_put(d->in, x, d->row[0], 0x252c, ROLE_FRAME, 0);
	for (int at = d->row[0] + 1; at < y; at++)
		canvas_put(d->in, x, at, 0x2502, ROLE_FRAME, 0);
	for (unsigned i = 1; i < k; i++)
		if (d->tree.branch[i].attached && d->tree.branch[i].fork == b->fork)
			canvas_put(d->in, x, d->row[i], 0x251c, ROLE_FRAME, 0);
	canvas_put(d->in, x, y, 0x2514, ROLE_FRAME, 0);
}

/* "geth ws · geth ipc · infura wss −2": two blocks below the tip. Of many only those below it have names: "18 paths · …". */
static void holders(const struct drawing *d, const struct tree_branch *b, char *out, size_t size)
{
	size_t n = 0;
	unsigned many = (unsigned)__builtin_popcountll(b->holders), tip = 0;
	char num[NUMBER_MAX];

	out[0] = '\0';
	for (unsigned i = 0; i < d->m->n_paths; i++)
		tip += (b->holders >> i & 1) && d->m->paths[i]->head_number >= b->tip->h.number;
	if (many > NAMES && tip > 1)
		n += (size_t)snprintf(out, size, tip == d->m->n_paths ? "all %u paths" : "%u paths", tip);
	for (unsigned i = 0; i < d->m->n_paths && n < size; i++) {
		const struct path *p = d->m->paths[i];
		bool below = p->head_number < b->tip->h.number;

		if (!(b->holders >> i & 1) || (many > NAMES && tip > 1 && !below))
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s%s %s", n ? " \xc2\xb7 " : "", p->node, p->via);
		if (below && n < size)
			n += (size_t)snprintf(out + n, size - n, " \xe2\x88\x92%s",
					      number_int(num, sizeof(num), b->tip->h.number - p->head_number));
	}
}

static void draw_text(const struct drawing *d, unsigned k, int x)
{
	const struct tree_branch *b = &d->tree.branch[k];
	char held[400], story[200], text[640];
	bool wide = d->in->at.w - x > 60;

	holders(d, b, held, sizeof(held));
	if (k == 0) {
		canvas_text(d->in, x + 2, d->row[k], -1, ROLE_TITLE, 0, held);
		return;
	}
	parts_story(b->tip, wide, story, sizeof(story));
	snprintf(text, sizeof(text), "%s%s%s", held, held[0] ? " hold it: " : "", story);
	canvas_text(d->in, x + 2, d->row[k], -1, held[0] ? ROLE_WARN : ROLE_ORPHAN, 0, text);
}

static void draw_numbers(const struct drawing *d)
{
	char n[NUMBER_MAX];

	for (unsigned i = 0; i < d->h.n; i++)
		canvas_text(d->in, 1 + (int)i * d->cell_w, 0, d->cell_w - 1, ROLE_LABEL, 0,
			    number_int(n, sizeof(n), d->h.at[i]));
}

static void draw_nowhere(const struct drawing *d, int y)
{
	struct tree_branch b = { .tip = d->tree.branch[0].tip, .holders = d->tree.nowhere };
	char held[400];

	if (!d->tree.nowhere || y >= d->in->at.h)
		return;
	/* Its head is of no branch that is known here, so it cannot be behind on one. */
	b.tip = d->tree.root;
	holders(d, &b, held, sizeof(held));
	canvas_textf(d->in, 1, y, -1, ROLE_WARN, 0, "on a head that is not known here: %s", held);
}

static void draw_tree(struct drawing *d)
{
	char n[NUMBER_MAX];
	int y, end, text_w = parts_clamp(d->in->at.w * 3 / 8, TEXT_LEAST, TEXT_MOST);

	d->cell_w = parts_width(number_int(n, sizeof(n), d->c->head->h.number)) + 4;
	if (d->cell_w < CELL_MIN)
		d->cell_w = CELL_MIN;
	d->h.max = (unsigned)parts_clamp((d->in->at.w - 1 - text_w) / d->cell_w, 2, HEIGHTS_MAX);
	/* A branch that there is no line for has no columns either. */
	if ((int)d->tree.n > d->in->at.h - 1)
		d->tree.n = d->in->at.h > 2 ? (unsigned)d->in->at.h - 1 : 1;
	choose(d);
	draw_numbers(d);
	for (unsigned k = 0; k < d->tree.n; k++)
		d->row[k] = 1 + (int)k;
	for (unsigned k = 0; k < d->tree.n; k++) {
		end = draw_branch(d, k, k ? d->tree.branch[k].fork + 1 : 0, d->row[k]);
		if (end >= 0)
			draw_text(d, k, end);
	}
	for (unsigned k = 1; k < d->tree.n; k++)
		draw_junction(d, k);
	y = 1 + (int)d->tree.n;
	draw_nowhere(d, y);
}

/* The branch with the cursor; before the first move the newest that lost, else the chain. It grows: then it is the chain. */
static unsigned chosen(const struct state *s, const struct fork_tree *t)
{
	for (unsigned k = 0; s->moved && k < t->n; k++)
		if (hash_eq(&t->branch[k].tip->h.hash, &s->tip))
			return k;
	return s->moved ? 0 : t->n > 1;
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	const struct state *s = pane->state;
	struct drawing d = { .m = m, .c = model_chain(m) };
	char note[64], n[NUMBER_MAX];
	struct canvas in;

	chain_tree(m, TREE_DEPTH, &d.tree);
	if (d.tree.n < 2)
		snprintf(note, sizeof(note), "one branch");
	else
		snprintf(note, sizeof(note), "%u branches from %s on", d.tree.n,
			 number_int(n, sizeof(n), d.tree.root->h.number));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Forks", d.tree.root ? note : NULL,
				      NULL));
	d.in = &in;
	if (!d.tree.root) {
		parts_waiting(&in, m);
		return;
	}
	draw_tree(&d);
	if (focus && s->moved)
		canvas_attr(&in, (struct rect){ .y = 1 + (int)chosen(s, &d.tree), .w = in.at.w, .h = 1 }, CELL_REVERSE);
}

static enum pane_result choose_branch(struct state *s, const struct fork_tree *t, unsigned k)
{
	s->moved = true;
	s->tip = t->branch[k < t->n ? k : t->n - 1].tip->h.hash;
	return PANE_DONE;
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct fork_tree tree;
	const struct blk *tip;
	unsigned k;
	char hex[67];

	chain_tree(m, TREE_DEPTH, &tree);
	if (!tree.root)
		return PANE_IGNORED;
	k = chosen(s, &tree);
	tip = tree.branch[k].tip;
	switch (cmd) {
	case UI_OPEN: return parts_open_block(pane, &tip->h.hash, tip->h.number);
	case UI_COPY: return parts_copy(pane, parts_hex(hex, &tip->h.hash));
	case UI_DOWN: return choose_branch(s, &tree, s->moved ? k + 1 : 0);
	case UI_UP: return choose_branch(s, &tree, s->moved && k > 0 ? k - 1 : 0);
	case UI_NEWEST: return choose_branch(s, &tree, 0);
	case UI_OLDEST: return choose_branch(s, &tree, tree.n - 1);
	case UI_BACK:
	case UI_FOLLOW:
		if (!s->moved)
			return PANE_IGNORED;
		s->moved = false;
		return PANE_DONE;
	default: return PANE_IGNORED;
	}
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct fork_tree tree;

	(void)x;
	chain_tree(m, TREE_DEPTH, &tree);
	if (!tree.root || y < 2 || y - 2 >= (int)tree.n)
		return PANE_IGNORED;
	return choose_branch(pane->state, &tree, (unsigned)y - 2);
}

extern const struct pane_class pane_forks;
const struct pane_class pane_forks = {
	.name = "forks",
	.title = "Forks",
	.help = "the newest blocks as a tree from the last common ancestor on, and which path holds which branch",
	.wants = DIRTY_BLOCKS | DIRTY_HEAD | DIRTY_PATHS,
	.views = 1u << 6,
	.min_w = 30,
	.min_h = 4,
	.priority = 1,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
