/* Peers: the nodes that are watched on their peer-to-peer port, and below them what was said with the chosen one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/panes/peer_parts.h"
#include "ui/widget_table.h"

enum col { COL_NODE, COL_CLIENT, COL_ETH, COL_NETWORK, COL_FORK, COL_HEAD, COL_PING, COL_TCP, COL_IN, COL_OUT, COL_LEFT, COLS };

static const struct table_col cols[COLS] = {
	[COL_NODE] = { .title = "node", .width = 10, .align = TABLE_LEFT },
	[COL_CLIENT] = { .title = "client", .gap = 1, .width = 20, .grow = 1, .align = TABLE_LEFT, .priority = 5 },
	[COL_ETH] = { .title = "speaks", .gap = 1, .width = 7, .align = TABLE_LEFT, .priority = 6 },
	[COL_NETWORK] = { .title = "network", .gap = 1, .width = 13, .align = TABLE_LEFT, .priority = 4 },
	[COL_FORK] = { .title = "fork", .gap = 1, .width = 18, .grow = 3, .align = TABLE_LEFT, .priority = 1 },
	[COL_HEAD] = { .title = "head", .gap = 1, .width = 11 },
	[COL_PING] = { .title = "ping p50", .gap = 1, .width = 8 },
	[COL_TCP] = { .title = "TCP", .gap = 1, .width = 7, .priority = 2 },
	[COL_IN] = { .title = "in", .gap = 1, .width = 7, .priority = 7 },
	[COL_OUT] = { .title = "out", .gap = 1, .width = 7, .priority = 8 },
	[COL_LEFT] = { .title = "left", .gap = 1, .width = 4, .priority = 3 },
};

enum {
	KIND_W = 53, /* columns of the table of messages */
	FACTS_MIN = 40, /* beside it */
	FACT_LABEL = 14,
	FACTS = 8, /* lines, at most */
	FACTS_LEAST = 3, /* of them; fewer are not worth it */
	KINDS = 1 + PK_N, /* lines of the table of messages */
};

struct state {
	struct table table;
};

struct view {
	const struct model *m;
	const struct table *table;
	uint8_t path[PATHS_MAX];
	unsigned n;
};

static void look(struct view *v, const struct state *s, const struct model *m)
{
	*v = (struct view){ .m = m, .table = &s->table };
	for (unsigned i = 0; i < m->n_paths && i < PATHS_MAX; i++)
		if (path_is_p2p(m->paths[i]))
			v->path[v->n++] = (uint8_t)i;
}

static const struct path *at(const struct view *v, unsigned row)
{
	return v->m->paths[v->path[row]];
}

static uint64_t key(const void *ctx, unsigned row)
{
	const struct view *v = ctx;

	return v->path[row] + 1u;
}

static bool is_up(const struct path *p)
{
	return p->state == LINK_LIVE || p->state == LINK_POLLING || p->state == LINK_SILENT;
}

/* A node that is not reached has its row for the reason and the cure. */
static void trouble(const struct path *p, struct table_cell *out)
{
	const char *why = p->text[0] ? p->text : path_state_word(p);

	out->spill = true;
	out->role = p->state == LINK_WAITING ? ROLE_CRIT : ROLE_INFO;
	snprintf(out->text, sizeof(out->text), "%s: %s%s%s", path_state_word(p), why, p->cure[0] ? " \xe2\x86\x92 " : "",
		 p->cure);
}

static void cell(const void *ctx, unsigned row, unsigned col, struct table_cell *out)
{
	const struct view *v = ctx;
	const struct path *p = at(v, row);
	const struct peer_view *peer = &p->peer;

	if (col != COL_NODE && !is_up(p)) {
		trouble(p, out);
		return;
	}
	switch ((enum col)col) {
	case COL_NODE:
		snprintf(out->text, sizeof(out->text), "%s", p->node);
		out->role = ROLE_TITLE;
		return;
	case COL_CLIENT:
		snprintf(out->text, sizeof(out->text), "%s", p->facts.client[0] ? p->facts.client : "\xe2\x80\x94");
		break;
	case COL_ETH:
		snprintf(out->text, sizeof(out->text), peer->known ? "eth/%u" : "\xe2\x80\x94", peer->eth);
		break;
	case COL_NETWORK:
		peer_network(out->text, sizeof(out->text), v->m, p);
		out->role = p->wrong_chain ? ROLE_CRIT : ROLE_TEXT;
		break;
	case COL_FORK:
		/* What comes after the semicolon is for the lines below. */
		out->role = peer_fork(out->text, sizeof(out->text), v->m, p);
		out->text[strcspn(out->text, ";")] = '\0';
		break;
	case COL_HEAD:
		number_int(out->text, sizeof(out->text), p->has_head ? p->head_number : UNKNOWN);
		break;
	case COL_PING:
		time_latency(out->text, sizeof(out->text), peer_ping_ns(p));
		break;
	case COL_TCP:
		time_latency(out->text, sizeof(out->text), peer->tcp_ns);
		break;
	case COL_IN:
		number_bytes(out->text, sizeof(out->text), p->bytes_in);
		break;
	case COL_OUT:
		number_bytes(out->text, sizeof(out->text), p->bytes_out);
		break;
	case COL_LEFT:
		number_int(out->text, sizeof(out->text), peer_left_sum(p));
		out->role = peer_left_sum(p) ? ROLE_WARN : ROLE_LABEL;
		break;
	case COLS:
		break;
	}
	out->role = parts_role(out->text, out->role);
}

static double value(const struct path *p, enum col col)
{
	switch (col) {
	case COL_ETH:
		return p->peer.known ? p->peer.eth : (double)NAN;
	case COL_HEAD:
		return p->has_head ? (double)p->head_number : (double)NAN;
	case COL_PING:
		return peer_ping_ns(p) == UNKNOWN ? (double)NAN : (double)peer_ping_ns(p);
	case COL_TCP:
		return p->peer.tcp_ns == UNKNOWN ? (double)NAN : (double)p->peer.tcp_ns;
	case COL_IN:
		return (double)p->bytes_in;
	case COL_OUT:
		return (double)p->bytes_out;
	case COL_LEFT:
		return (double)peer_left_sum(p);
	default:
		return NAN;
	}
}

/* The most, and the slowest, first; unknown last whichever way. */
static int cmp(const void *ctx, unsigned col, unsigned a, unsigned b)
{
	const struct view *v = ctx;
	char x_text[200], y_text[200];
	double x, y;
	int unknown;

	if (col == COL_NODE)
		return strcmp(at(v, a)->node, at(v, b)->node);
	if (col == COL_CLIENT)
		return strcmp(at(v, a)->facts.client, at(v, b)->facts.client);
	if (col == COL_NETWORK)
		return strcmp(peer_network(x_text, sizeof(x_text), v->m, at(v, a)),
			      peer_network(y_text, sizeof(y_text), v->m, at(v, b)));
	if (col == COL_FORK) {
		peer_fork(x_text, sizeof(x_text), v->m, at(v, a));
		peer_fork(y_text, sizeof(y_text), v->m, at(v, b));
		return strcmp(x_text, y_text);
	}
	x = value(at(v, a), (enum col)col);
	y = value(at(v, b), (enum col)col);
	unknown = (isnan(x) != 0) - (isnan(y) != 0);
	if (isnan(x) || isnan(y))
		return v->table->reverse ? -unknown : unknown;
	return (x < y) - (x > y);
}

static struct table_source source(const struct state *s, const struct model *m, struct view *v)
{
	look(v, s, m);
	return (struct table_source){ .ctx = v, .n = v->n, .key = key, .cell = cell, .cmp = cmp };
}

/* ---- the chosen one ---- */

static void kinds(struct canvas *c, const struct path *p)
{
	static const char *const title[] = { "messages", "in", "bytes", "out", "bytes" };
	static const int x[] = { 1, 14, 22, 33, 41 }, w[] = { 13, 8, 10, 8, 10 };
	const struct peer_view *v = &p->peer;
	char n[NUMBER_MAX];

	canvas_text(c, x[0], 0, w[0], ROLE_LABEL, 0, title[0]);
	for (unsigned i = 1; i < 5; i++)
		canvas_right(c, x[i], 0, w[i], ROLE_LABEL, 0, title[i]);
	for (unsigned k = 0; k < PK_N; k++) {
		const uint64_t cells[] = { v->kind[k].in, v->kind[k].in_bytes, v->kind[k].out, v->kind[k].out_bytes };

		canvas_text(c, x[0], 1 + (int)k, w[0], ROLE_TEXT, 0, peer_kind_name((enum peer_kind)k));
		for (unsigned i = 0; i < 4; i++) {
			const uint64_t it = v->counted ? cells[i] : UNKNOWN;

			canvas_right(c, x[i + 1], 1 + (int)k, w[i + 1], it ? ROLE_TEXT : ROLE_DIM, 0,
				     i % 2 ? number_bytes(n, sizeof(n), it) : number_int(n, sizeof(n), it));
		}
	}
}

static void fact(struct canvas *c, int *y, const char *label, enum role role, const char *text)
{
	canvas_text(c, 1, *y, FACT_LABEL, ROLE_LABEL, 0, label);
	canvas_text(c, 1 + FACT_LABEL, *y, -1, parts_role(text, role), 0, text);
	(*y)++;
}

static void facts(struct canvas *c, const struct model *m, unsigned path)
{
	const struct path *p = m->paths[path];
	const struct peer_view *v = &p->peer;
	char text[200], a[40], b[40], hex[67];
	int y = 0;
	enum role role;

	role = peer_fork(text, sizeof(text), m, p);
	fact(c, &y, "fork", role, text);
	if (peer_beside_rpc(text, sizeof(text), &role, m, path))
		fact(c, &y, "beside RPC", role, text);
	snprintf(text, sizeof(text), "ping %s, TCP %s", time_latency(a, sizeof(a), peer_ping_ns(p)),
		 time_latency(b, sizeof(b), v->tcp_ns));
	fact(c, &y, "round trip", ROLE_TEXT, text);
	snprintf(text, sizeof(text), "%s per read, %s per write", peer_per_call(a, sizeof(a), v->frames_in, v->reads),
		 peer_per_call(b, sizeof(b), v->frames_out, v->writes));
	fact(c, &y, "frames", ROLE_TEXT, text);
	peer_left(text, sizeof(text), p);
	fact(c, &y, "disconnected", peer_left_sum(p) ? ROLE_WARN : ROLE_TEXT, text);
	fact(c, &y, "client", ROLE_TEXT, p->facts.client[0] ? p->facts.client : "\xe2\x80\x94");
	snprintf(text, sizeof(text), v->known ? "%s; p2p/%u%s" : "\xe2\x80\x94", v->caps, v->p2p, v->bor ? "; Bor's Status" : "");
	fact(c, &y, "offers", ROLE_TEXT, text);
	fact(c, &y, "genesis", ROLE_TEXT, v->known ? parts_hex(hex, &v->genesis) : "\xe2\x80\x94");
}

/* Below the rows: messages and facts side by side, or what of them there is room for, under the name if there are several. */
static void detail(struct canvas *in, int y, const struct model *m, unsigned path, bool named)
{
	const struct path *p = m->paths[path];
	struct canvas c;
	int w = in->at.w, h;

	if (named)
		canvas_textf(in, 1, y++, -1, ROLE_TITLE, 0, "%s", p->node);
	h = in->at.h - y;
	if (w >= KIND_W + FACTS_MIN) {
		c = canvas_sub(in, (struct rect){ .y = y, .w = KIND_W, .h = h });
		kinds(&c, p);
		c = canvas_sub(in, (struct rect){ .x = KIND_W, .y = y, .w = w - KIND_W, .h = h });
		facts(&c, m, path);
		return;
	}
	c = canvas_sub(in, (struct rect){ .y = y, .w = w, .h = FACTS < h ? FACTS : h });
	facts(&c, m, path);
	if (h < FACTS + 1 + KINDS || w < KIND_W)
		return;
	c = canvas_sub(in, (struct rect){ .y = y + FACTS + 1, .w = w, .h = h - FACTS - 1 });
	kinds(&c, p);
}

/* ---- the pane ---- */

static bool present(const struct model *m)
{
	for (unsigned i = 0; i < m->n_paths; i++)
		if (path_is_p2p(m->paths[i]))
			return true;
	return false;
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	char note[64];
	struct canvas in, rows;
	int lines;
	long chosen;

	table_note(&s->table, cols, note, sizeof(note));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Peers",
				      s->table.sort ? note : "over RLPx, all counts since the start", NULL));
	if (src.n == 0) {
		canvas_text(&in, 1, 0, -1, ROLE_DIM, 0, "no path is an enode:// URL");
		return;
	}
	/* The rows first; what is left is for the one that is chosen, if that is enough. */
	lines = 1 + (int)src.n;
	if (in.at.h < lines + 1 + (src.n > 1) + FACTS_LEAST)
		lines = in.at.h;
	rows = canvas_sub(&in, (struct rect){ .w = in.at.w - 1, .h = lines });
	table_draw(&s->table, cols, COLS, &src, &rows, focus);
	chosen = table_selected(&s->table, &src);
	if (lines < in.at.h && chosen >= 0)
		detail(&in, lines + 1, m, v.path[chosen], src.n > 1);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);
	long row;

	if (cmd != UI_OPEN)
		return table_command(&s->table, cols, COLS, &src, cmd);
	row = table_selected(&s->table, &src);
	return row < 0 ? PANE_IGNORED : parts_open_path(pane, v.path[row]);
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct view v;
	struct table_source src = source(s, m, &v);

	return table_click(&s->table, cols, COLS, &src, x - 1, y - 1);
}

extern const struct pane_class pane_peers;
const struct pane_class pane_peers = {
	.name = "peers",
	.title = "Peers",
	.help = "nodes on their peer-to-peer port: client, fork, round trips, messages, why they disconnect",
	.wants = DIRTY_PATHS | DIRTY_NODE | DIRTY_HEAD,
	.views = 1u << 7,
	.min_w = 30,
	.min_h = 4,
	.priority = 1,
	.state_size = sizeof(struct state),
	.present = present,
	.draw = draw,
	.command = command,
	.click = click,
};
