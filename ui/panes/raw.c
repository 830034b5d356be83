/* A block or a transaction as JSON: written again from what was decoded, indented, long lines broken at the edge. */
#include <stdio.h>
#include <string.h>

#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_doc.h"

enum { TEXT_MAX_BYTES = 256 << 20, INDENT = 2, DEPTH_MAX = 40, CUT_MAX = DOC_TEXT_MAX - 4 };

struct state {
	struct doc doc;
	bool ready; /* text and lines are those of the page's target, for this width */
	int width;
	struct hash block;
	uint32_t tx;
	struct buf text; /* indented */
	struct buf lines; /* uint32_t: where each line on the screen begins; one more for the end */
};

static unsigned line_count(const struct state *s)
{
	return s->lines.len >= 2 * sizeof(uint32_t) ? (unsigned)(s->lines.len / sizeof(uint32_t)) - 1 : 0;
}

/* ---- making the text ---- */

static enum status new_line(struct buf *out, unsigned depth)
{
	enum status st = buf_add(out, "\n", 1);

	for (unsigned i = 0; i < depth && i < DEPTH_MAX && st == ST_OK; i++)
		st = buf_add(out, "    ", INDENT);
	return st;
}

/* Length of the string that begins at s with its quotes. */
static size_t string_length(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != '"')
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return s[n] ? n + 1 : n;
}

static enum status indent(struct buf *out, const char *s)
{
	unsigned depth = 0;
	enum status st = ST_OK;
	size_t n;

	while (*s && st == ST_OK) {
		n = 1;
		switch (*s) {
		case '"':
			n = string_length(s);
			st = buf_add(out, s, n);
			break;
		case '{':
		case '[':
			st = buf_add(out, s, 1);
			if (s[1] == '}' || s[1] == ']') {
				n = 2;
				if (st == ST_OK)
					st = buf_add(out, s + 1, 1);
			} else if (st == ST_OK) {
				st = new_line(out, ++depth);
			}
			break;
		case '}':
		case ']':
			depth -= depth > 0;
			st = new_line(out, depth);
			if (st == ST_OK)
				st = buf_add(out, s, 1);
			break;
		case ',':
			st = buf_add(out, s, 1);
			if (st == ST_OK)
				st = new_line(out, depth);
			break;
		case ':':
			st = buf_add(out, ": ", 2);
			break;
		case ' ':
			break;
		default:
			st = buf_add(out, s, 1);
			break;
		}
		s += n;
	}
	return st;
}

/* The text is ASCII: a byte is a column. */
static enum status break_lines(struct state *s, unsigned width)
{
	size_t at = 0, n;
	enum status st = ST_OK;
	uint32_t from;

	buf_clear(&s->lines);
	while (at < s->text.len && st == ST_OK) {
		from = (uint32_t)at;
		st = buf_add(&s->lines, &from, sizeof(from));
		n = strcspn(s->text.p + at, "\n");
		at += n > width ? width : n + 1;
	}
	from = (uint32_t)s->text.len;
	return st == ST_OK ? buf_add(&s->lines, &from, sizeof(from)) : st;
}

static void make(struct pane *pane, int width)
{
	struct state *s = pane->state;
	struct buf json;
	enum status st;
	bool same = s->ready && hash_eq(&s->block, &pane->to.block) && s->tx == pane->to.tx;

	if (same && s->width == width)
		return;
	buf_init(&json, TEXT_MAX_BYTES);
	st = ST_OK;
	if (!same) {
		buf_clear(&s->text);
		st = parts_json(pane, pane->body, pane->to.tx, &json);
		if (st == ST_OK)
			st = indent(&s->text, json.p);
	}
	if (st == ST_OK)
		st = break_lines(s, width < 1 ? 1 : width > CUT_MAX ? CUT_MAX : (unsigned)width);
	buf_fini(&json);
	s->ready = st == ST_OK;
	s->width = width;
	s->block = pane->to.block;
	s->tx = pane->to.tx;
	if (!s->ready)
		buf_clear(&s->lines);
}

/* ---- the pane ---- */

static void line(const void *ctx, unsigned i, struct doc_line *l)
{
	const struct state *s = ctx;
	const uint32_t *from = (const void *)s->lines.p;
	size_t n = from[i + 1] - from[i];

	if (n > 0 && s->text.p[from[i] + n - 1] == '\n')
		n--;
	snprintf(l->text, sizeof(l->text), "%.*s", (int)n, s->text.p + from[i]);
}

static void prepare(struct state *s)
{
	if (s->text.limit == 0) {
		buf_init(&s->text, TEXT_MAX_BYTES);
		buf_init(&s->lines, TEXT_MAX_BYTES);
	}
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct doc_source src = { .ctx = s, .line = line };
	char title[160], foot[80], n[NUMBER_MAX];
	struct canvas in;

	(void)m;
	prepare(s);
	if (pane->body)
		make(pane, c->at.w - 3);
	src.n = pane->body ? line_count(s) : 0;
	number_int(n, sizeof(n), pane->to.number);
	if (pane->to.tx == TARGET_NO_TX)
		snprintf(title, sizeof(title), "JSON of block %s", n);
	else
		snprintf(title, sizeof(title), "JSON of transaction %u of block %s", pane->to.tx, n);
	s->doc.page = c->at.h > 2 ? (unsigned)c->at.h - 2 : 0;
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, title,
				      c->at.w > 60 ? "y copy all  Esc back" : "Esc back",
				      doc_note(&s->doc, src.n, foot, sizeof(foot))));
	if (src.n)
		doc_draw(&s->doc, &src, 0, &in, focus);
	else
		canvas_text(&in, 1, 0, -1, ROLE_DIM, 0,
			    pane->body ? "it cannot be shown: no memory" : "fetching the transactions\xe2\x80\xa6");
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;

	(void)m;
	switch (cmd) {
	case UI_COPY:
	case UI_COPY_JSON:
		return parts_copy_json(pane, pane->to.tx);
	default:
		return doc_command(&s->doc, pane->body ? line_count(s) : 0, cmd);
	}
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;

	(void)m;
	(void)x;
	return doc_click(&s->doc, line_count(s), y - 1);
}

static void open(struct pane *pane, const struct model *m)
{
	struct state *s = pane->state;

	(void)m;
	s->doc = (struct doc){ .at = 0 };
	s->ready = false;
}

static void close(struct pane *pane)
{
	struct state *s = pane->state;

	buf_fini(&s->text);
	buf_fini(&s->lines);
	*s = (struct state){ .ready = false };
}

extern const struct pane_class pane_raw;
const struct pane_class pane_raw = {
	.name = "raw",
	.title = "Raw JSON",
	.help = "a block or a transaction as the node would write it",
	.wants = DIRTY_BLOCKS,
	.min_w = 20,
	.min_h = 4,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
	.open = open,
	.close = close,
};
