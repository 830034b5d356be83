/* Mempool: what waits, how fast it grows, and what each node's pool holds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/widget_graph.h"

enum { SPARK_MIN = 5, HISTORY = sizeof((struct pool_view){ 0 }.history) / sizeof(uint32_t) };

static const uint64_t STALE_NS = 180 * NS_S; /* three times the longest period of asking */

/* There is a pool to show, or nobody has been asked yet. */
static bool present(const struct model *m)
{
	return m->pool.known || m->pool.why == ST_OK;
}

static uint32_t least(const struct pool_view *p, unsigned n)
{
	uint32_t lo = UINT32_MAX;

	for (unsigned i = 0; i < n; i++)
		lo = p->history[i] < lo ? p->history[i] : lo;
	return lo;
}

/* The pool's history in w columns of row y; its own range is the height: a pool rarely empties. */
static void history(const struct pool_view *p, struct canvas *c, struct rect r)
{
	double v[HISTORY], lo, hi;
	unsigned n = p->history_n < HISTORY ? p->history_n : HISTORY;
	struct graph g = { .v = v, .n = n, .role = ROLE_GRAPH, .bar_w = r.w / HISTORY };

	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++)
		v[i] = p->history[i];
	g.bar_w = g.bar_w < 1 ? 1 : g.bar_w > 4 ? 4 : g.bar_w;
	lo = least(p, n);
	hi = graph_max(v, n);
	/* The least is one level high: nothing is drawn only where nothing is known. */
	g.lo = lo - (hi > lo ? (hi - lo) / 7 : 1);
	g.hi = hi > lo ? hi : lo + 7;
	graph_draw(c, r, &g);
}

/* False: its history had no room beside it. */
static bool figures(const struct model *m, struct canvas *c)
{
	const struct pool_view *p = &m->pool;
	char pending[NUMBER_MAX], queued[NUMBER_MAX], per[NUMBER_MAX], age[40];
	char change[NUMBER_MAX + 8] = "", text[3][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2] };
	uint64_t old = m->now_mono > p->seen_mono ? m->now_mono - p->seen_mono : 0;
	bool stale = p->seen_mono != UNKNOWN && old >= STALE_NS;
	int x;

	number_int(pending, sizeof(pending), p->pending);
	number_int(queued, sizeof(queued), p->queued);
	if (stale)
		snprintf(change, sizeof(change), "  (%s)", time_age(age, sizeof(age), (int64_t)old));
	else if (isfinite(p->per_s))
		snprintf(change, sizeof(change), "  %s/s", number_signed(per, sizeof(per), p->per_s, 1));
	snprintf(text[0], sizeof(text[0]), "%s pending  %s queued%s", pending, queued, change);
	snprintf(text[1], sizeof(text[1]), "%s pending%s", pending, change);
	snprintf(text[2], sizeof(text[2]), "%s pending", pending);
	x = parts_fit(c, 1, 0, stale ? ROLE_DIM : ROLE_TEXT, v, 3) + 1;
	if (c->at.w - 2 - x < SPARK_MIN)
		return false;
	history(p, c, (struct rect){ .x = x, .w = c->at.w - 2 - x, .h = 1 });
	return true;
}

/* Its node's first path that tells of a pool. */
static bool speaks_for_node(const struct model *m, unsigned i)
{
	const struct path *p = m->paths[i];

	if (p->other_chain || p->facts.pending == UNKNOWN)
		return false;
	for (unsigned k = 0; k < i; k++) {
		if (m->paths[k]->node_index == p->node_index && !m->paths[k]->other_chain &&
		    m->paths[k]->facts.pending != UNKNOWN)
			return false;
	}
	return true;
}

/* "geth 14,210  infura 9,870": pools differ, and an empty one beside full ones is news. Returns the row behind. */
static int per_node(const struct model *m, struct canvas *c, int y)
{
	char text[NUMBER_MAX + 64], n[NUMBER_MAX];
	int x = 1, w, tellers = 0;

	for (unsigned i = 0; i < m->n_paths; i++)
		tellers += speaks_for_node(m, i);
	if (tellers < 2)
		return y;
	for (unsigned i = 0; i < m->n_paths && y < c->at.h; i++) {
		const struct path *p = m->paths[i];

		if (!speaks_for_node(m, i))
			continue;
		snprintf(text, sizeof(text), "%s %s", p->node, number_int(n, sizeof(n), p->facts.pending));
		w = parts_width(text);
		if (x > 1 && x + w > c->at.w) {
			x = 1;
			if (++y >= c->at.h)
				return y;
		}
		x = canvas_text(c, x, y, c->at.w - x, p->facts.pending ? ROLE_LABEL : ROLE_WARN, 0, text) + 2;
	}
	return y + 1;
}

/* "14,120 \xe2\x80\x93 14,230 in the last 9 answers"; returns the row behind. */
static int range(const struct pool_view *p, struct canvas *c, int y)
{
	unsigned n = p->history_n < HISTORY ? p->history_n : HISTORY;
	uint32_t lo = least(p, n), hi = 0;
	char a[NUMBER_MAX], b[NUMBER_MAX];

	if (n < 2)
		return y;
	for (unsigned i = 0; i < n; i++)
		hi = p->history[i] > hi ? p->history[i] : hi;
	canvas_textf(c, 1, y, c->at.w - 1, ROLE_LABEL, 0, "%s \xe2\x80\x93 %s in the last %u answers",
		     number_int(a, sizeof(a), lo), number_int(b, sizeof(b), hi), n);
	return y + 1;
}

/* Words into lines of the canvas from row y. */
static void wrapped(struct canvas *c, int y, enum role role, const char *s)
{
	char line[PARTS_TEXT];
	int w = c->at.w - 2, len, last;

	while (*s && y < c->at.h && w > 0) {
		int cols = 0;

		for (len = last = 0; s[len] && len + 1 < (int)sizeof(line); len++) {
			cols += ((unsigned char)s[len] & 0xc0) != 0x80;
			if (cols > w)
				break;
			if (s[len] == ' ')
				last = len;
		}
		if (s[len] && last)
			len = last;
		memcpy(line, s, (size_t)len);
		line[len] = '\0';
		canvas_text(c, 1, y++, w, role, 0, line);
		s += len;
		s += strspn(s, " ");
	}
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	const struct pool_view *p = &m->pool;
	bool none = !p->known && p->why != ST_OK;
	char text[PARTS_TEXT];
	struct canvas in;
	int y, graph;

	(void)pane;
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus,
				      none ? "Mempool n/a" : "Mempool", NULL, NULL));
	if (none) {
		if (p->why == ST_UNSUPPORTED)
			snprintf(text, sizeof(text),
				 "no path offers txpool_status (\xe2\x88\x92" "32601); asked again in 1 h or with F5");
		else
			snprintf(text, sizeof(text), "no path answers txpool_status (%s)", status_word(p->why));
		wrapped(&in, 0, ROLE_DIM, text);
		return;
	}
	if (!p->known) {
		if (!parts_waiting(&in, m))
			canvas_text(&in, 1, 0, in.at.w - 1, ROLE_DIM, 0, "waiting for the first answer");
		return;
	}
	graph = figures(m, &in) ? 3 : 1;
	y = per_node(m, &in, 1);
	if (y == 1)
		y = range(p, &in, 1);
	/* All of it where there is much room, as when it is zoomed. */
	if (in.at.h - y >= graph && p->history_n > 1)
		history(p, &in, (struct rect){ .x = 1, .y = y, .w = in.at.w - 2, .h = in.at.h - y });
}

extern const struct pane_class pane_mempool;
const struct pane_class pane_mempool = {
	.name = "mempool",
	.title = "Mempool",
	.help = "transactions that wait: pending, queued, how fast they grow, and the pools of the other nodes",
	.wants = DIRTY_POOL | DIRTY_CLOCK,
	.views = 1u << 1,
	.min_w = 30,
	.min_h = 4,
	.priority = 6,
	.present = present,
	.draw = draw,
};
