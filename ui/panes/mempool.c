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
	return m->pool.known || m->pool.announcing || m->pool.why == ST_OK;
}

static uint32_t least(const struct pool_view *p, unsigned n)
{
	uint32_t lo = UINT32_MAX;

	for (unsigned i = 0; i < n; i++)
		lo = p->history[i] < lo ? p->history[i] : lo;
	return lo;
}

/* The newest values, at most as many as there are columns. */
static void spark(const uint32_t *of, unsigned n, struct canvas *c, struct rect r, bool from_zero)
{
	double v[HISTORY], lo = 0, hi;
	struct graph g = { .v = v, .role = ROLE_GRAPH, .bar_w = r.w / HISTORY };

	g.bar_w = g.bar_w < 1 ? 1 : g.bar_w > 4 ? 4 : g.bar_w;
	if (n > HISTORY)
		n = HISTORY;
	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		v[i] = of[i];
		lo = i == 0 || v[i] < lo ? v[i] : lo;
	}
	g.n = n;
	hi = graph_max(v, n);
	/* A pool rarely empties: its own range is the height, and the least is one level high: nothing is drawn only where
	 * nothing is known. */
	if (from_zero)
		lo = 0;
	g.lo = from_zero ? 0 : lo - (hi > lo ? (hi - lo) / 7 : 1);
	g.hi = hi > lo ? hi : lo + 7;
	graph_draw(c, r, &g);
}

/* What waits, over the last answers; where nobody tells that, what was announced in each of the last seconds. */
static void history(const struct pool_view *p, struct canvas *c, struct rect r)
{
	if (p->known)
		spark(p->history, p->history_n, c, r, false);
	else
		spark(p->cover.history, p->cover.history_n, c, r, true);
}

/* False: its history had no room beside it. */
static bool figures(const struct model *m, struct canvas *c)
{
	const struct pool_view *p = &m->pool;
	char pending[NUMBER_MAX], queued[NUMBER_MAX], age[40], news[PARTS_CHANGE], text[3][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2] };
	uint64_t old = m->now_mono > p->seen_mono ? m->now_mono - p->seen_mono : 0;
	bool stale = p->known && p->seen_mono != UNKNOWN && old >= STALE_NS;
	int x;

	number_int(pending, sizeof(pending), p->known ? p->pending : UNKNOWN);
	number_int(queued, sizeof(queued), p->known ? p->queued : UNKNOWN);
	parts_pool_news(news, sizeof(news), p);
	if (stale)
		snprintf(news, sizeof(news), "  (%s)", time_age(age, sizeof(age), (int64_t)old));
	snprintf(text[0], sizeof(text[0]), "%s pending  %s queued%s", pending, queued, news);
	snprintf(text[1], sizeof(text[1]), "%s pending%s", pending, news);
	snprintf(text[2], sizeof(text[2]), "%s pending", pending);
	x = parts_fit(c, 1, 0, stale ? ROLE_DIM : ROLE_TEXT, p->known ? v : v + 1, p->known ? 3 : 2) + 1;
	if (c->at.w - 2 - x < SPARK_MIN)
		return false;
	history(p, c, (struct rect){ .x = x, .w = c->at.w - 2 - x, .h = 1 });
	return true;
}

/* How much of what is mined had been announced, and how long before. Returns the row behind. */
static int seen(const struct model *m, struct canvas *c, int y)
{
	const struct pool_view *p = &m->pool;
	char share[NUMBER_MAX], p50[40], p90[40], age[40], text[4][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2], text[3] };

	if (!p->cover.txs && !p->announcing)
		return y;
	if (!p->cover.txs) {
		if (p->ready != UNKNOWN && p->ready > m->now_mono)
			canvas_textf(c, 1, y, c->at.w - 1, ROLE_DIM, 0, "seen before mined \xe2\x80\x94   in %s",
				     parts_age(age, sizeof(age), (int64_t)(p->ready - m->now_mono)));
		else
			canvas_text(c, 1, y, c->at.w - 1, ROLE_DIM, 0, "seen before mined \xe2\x80\x94   none mined yet");
		return y + 1;
	}
	parts_share(share, sizeof(share), p->cover.seen, p->cover.txs, p->cover.floor);
	parts_lead(p50, sizeof(p50), p->cover.lead_p50);
	parts_lead(p90, sizeof(p90), p->cover.lead_p90);
	if (!p->cover.seen) {
		canvas_textf(c, 1, y, c->at.w - 1, ROLE_TEXT, 0, "seen before mined %s", share);
		return y + 1;
	}
	snprintf(text[0], sizeof(text[0]), "seen before mined %s   lead p50 %s  p90 %s", share, p50, p90);
	snprintf(text[1], sizeof(text[1]), "seen before mined %s   lead p50 %s", share, p50);
	snprintf(text[2], sizeof(text[2]), "seen before mined %s", share);
	snprintf(text[3], sizeof(text[3]), "seen %s", share);
	parts_fit(c, 1, y, ROLE_TEXT, v, 4);
	return y + 1;
}

static int can_pay(const struct model *m, struct canvas *c, int y)
{
	const struct pool_view *p = &m->pool;
	char share[NUMBER_MAX], of[NUMBER_MAX], text[3][PARTS_TEXT];
	const char *const v[] = { text[0], text[1], text[2] };

	if (!p->pay_of || y >= c->at.h)
		return y;
	parts_share(share, sizeof(share), p->pay, p->pay_of, false);
	number_int(of, sizeof(of), p->pay_of);
	snprintf(text[0], sizeof(text[0]), "%s can pay the next base fee   of %s announced in 10 m", share, of);
	snprintf(text[1], sizeof(text[1]), "%s can pay the next base fee", share);
	snprintf(text[2], sizeof(text[2]), "%s can pay", share);
	parts_fit(c, 1, y, ROLE_TEXT, v, 3);
	return y + 1;
}

/* Each path that announces, where there is room: "geth ws  seen 83 %  lead p50 6.1 s  p90 31 s  +21.4/s". */
static int per_path(const struct model *m, struct canvas *c, int y)
{
	int name = 0;

	if (m->pool.announcing < 2 || y >= c->at.h)
		return y;
	for (unsigned i = 0; i < m->n_paths; i++) {
		const struct path *p = m->paths[i];
		int w = parts_width(p->node) + parts_width(p->via) + 1;

		if (p->pending.on && !p->other_chain && w > name)
			name = w;
	}
	for (unsigned i = 0; i < m->n_paths && y < c->at.h; i++) {
		const struct path *p = m->paths[i];
		const struct cover *o = &p->pending.cover;
		char share[NUMBER_MAX], p50[40], p90[40], text[3][PARTS_TEXT];
		const char *const v[] = { text[0], text[1], text[2] };

		if (!p->pending.on || p->other_chain)
			continue;
		parts_share(share, sizeof(share), o->seen, o->txs, o->floor);
		parts_lead(p50, sizeof(p50), o->lead_p50);
		parts_lead(p90, sizeof(p90), o->lead_p90);
		snprintf(text[1], sizeof(text[1]), "seen %s  lead p50 %s", share, p50);
		snprintf(text[2], sizeof(text[2]), "seen %s", share);
		if (isfinite(o->per_s))
			snprintf(text[0], sizeof(text[0]), "seen %s  lead p50 %s  p90 %s  +%.1f/s", share, p50, p90, o->per_s);
		else
			snprintf(text[0], sizeof(text[0]), "seen %s  lead p50 %s  p90 %s", share, p50, p90);
		canvas_textf(c, 1, y, name, ROLE_LABEL, 0, "%s %s", p->node, p->via);
		parts_fit(c, name + 3, y, ROLE_TEXT, v, 3);
		y++;
	}
	return y;
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
	bool none = !present(m);
	char text[PARTS_TEXT];
	struct canvas in;
	int y, graph, told;

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
	if (!p->known && !p->announcing) {
		if (!parts_waiting(&in, m))
			canvas_text(&in, 1, 0, in.at.w - 1, ROLE_DIM, 0, "waiting for the first answer");
		return;
	}
	graph = figures(m, &in) ? 3 : 1;
	y = can_pay(m, &in, seen(m, &in, 1));
	told = per_node(m, &in, y);
	if (told == y && y < in.at.h)
		told = range(p, &in, y);
	y = per_path(m, &in, told);
	/* All of it where there is much room, as when it is zoomed. */
	if (in.at.h - y >= graph && (p->known ? p->history_n : p->cover.history_n) > 1)
		history(p, &in, (struct rect){ .x = 1, .y = y, .w = in.at.w - 2, .h = in.at.h - y });
}

extern const struct pane_class pane_mempool;
const struct pane_class pane_mempool = {
	.name = "mempool",
	.title = "Mempool",
	.help = "transactions that wait, new ones a second, how many of the mined ones were announced before and how long",
	.wants = DIRTY_POOL | DIRTY_CLOCK,
	.views = 1u << 1,
	.min_w = 30,
	.min_h = 4,
	.priority = 6,
	.present = present,
	.draw = draw,
};
