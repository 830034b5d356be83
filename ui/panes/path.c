/* A path's page: all that is known of one endpoint over one transport. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"
#include "ui/panes/peer_parts.h"
#include "ui/widget_doc.h"

enum { LABEL = 21, LINES_MAX = 48 + CMP_N + M_N + ST_N + PK_N };

struct state {
	struct doc doc;
};

/* All lines, made anew for each frame: they are few. */
struct page {
	struct doc_line line[LINES_MAX];
	unsigned n;
};

static struct doc_line *put(struct page *p, enum role role, const char *label, const char *fmt, ...) PRINTF_LIKE(4, 5);
static struct doc_line *put(struct page *p, enum role role, const char *label, const char *fmt, ...)
{
	struct doc_line *l = &p->line[p->n < LINES_MAX ? p->n : LINES_MAX - 1];
	va_list ap;

	*l = (struct doc_line){ .role = role };
	snprintf(l->label, sizeof(l->label), "%s", label);
	va_start(ap, fmt);
	vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
	p->n += p->n < LINES_MAX;
	return l;
}

static void heading(struct page *p, const char *text)
{
	if (p->n)
		put(p, ROLE_TEXT, "", " ");
	put(p, ROLE_TEXT, text, " ")->title = true;
}

static int64_t since(const struct model *m, uint64_t mono)
{
	return m->now_mono > mono ? (int64_t)(m->now_mono - mono) : 0;
}

/* Phases are told as they were reached; what counts is how long each took. */
static void connect_line(struct page *page, const struct path *p)
{
	const struct {
		const char *name;
		uint32_t us;
	} phase[] = { { "DNS", p->dns_us }, { "TCP", p->tcp_us }, { "TLS", p->tls_us }, { "ready", p->ready_us } };
	char text[200] = "", t[40];
	uint32_t before = 0;
	int at = 0;

	for (unsigned i = 0; i < 4; i++) {
		/* What is no lookup takes no time. */
		if (phase[i].us < before + 50)
			continue;
		time_latency(t, sizeof(t), phase[i].us > before ? (phase[i].us - before) * NS_US : 0);
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s %s", at ? ", " : "", phase[i].name, t);
		before = phase[i].us;
	}
	if (at)
		put(page, ROLE_TEXT, "connect", "%s", text);
}

/* Transactions that wait, as this path announces them. */
static void announced_lines(struct page *page, const struct model *m, const struct path *p)
{
	const struct cover *c = &p->pending.cover;
	char a[40], b[40], share[NUMBER_MAX];

	if (p->pending.on)
		put(page, ROLE_TEXT, "announces", "%s, for %s", p->pending.whole ? "whole transactions" : "hashes",
		    time_age(a, sizeof(a), since(m, p->pending.since)));
	else if (p->pending.why != ST_OK)
		put(page, ROLE_DIM, "announces", "nothing: newPendingTransactions %s", status_word(p->pending.why));
	if (isfinite(c->per_s))
		put(page, ROLE_TEXT, "new ones", "%.1f/s", c->per_s);
	if (!c->txs)
		return;
	put(page, ROLE_TEXT, "seen before mined", "%s of %" PRIu64 " in 10 m",
	    parts_share(share, sizeof(share), c->seen, c->txs, c->floor), c->txs);
	put(page, ROLE_TEXT, "lead", "p50 %s, p90 %s", parts_lead(a, sizeof(a), c->lead_p50),
	    parts_lead(b, sizeof(b), c->lead_p90));
}

static void link_lines(struct page *page, const struct model *m, const struct path *p)
{
	const struct chain *c = p->chain >= 0 ? m->chains[p->chain] : NULL;
	char age[40], n[NUMBER_MAX];
	enum role role = path_answers(p) && !p->wrong_chain ? ROLE_OK : ROLE_CRIT;

	put(page, ROLE_TEXT, "address", "%s", p->show);
	put(page, role, "state", "%s for %s%s%s", path_state_word(p),
		time_age(age, sizeof(age), p->state_since == UNKNOWN ? 0 : since(m, p->state_since)),
		p->text[0] ? ": " : "", p->text);
	if (p->cure[0] && !path_answers(p))
		put(page, ROLE_INFO, "what to do", "%s", p->cure);
	if (c && c->network)
		put(page, p->wrong_chain ? ROLE_CRIT : ROLE_TEXT, "chain", "%s, its id is not known", c->name);
	else if (c && c->id_known)
		put(page, p->wrong_chain ? ROLE_CRIT : ROLE_TEXT, "chain", "%s, id %" PRIu64, c->name, c->id);
	if (p->facts.client[0])
		put(page, ROLE_TEXT, "client", "%s", p->facts.client);
	connect_line(page, p);
	put(page, ROLE_TEXT, "connections", "%s", number_int(n, sizeof(n), p->connects));
	if (p->silent_count)
		put(page, ROLE_WARN, "silent", "%" PRIu64 " time%s", p->silent_count, p->silent_count == 1 ? "" : "s");
	if (p->facts.peers != UNKNOWN)
		put(page, ROLE_TEXT, "peers", "%s", number_int(n, sizeof(n), p->facts.peers));
	if (p->facts.sync_known)
		put(page, p->facts.syncing ? ROLE_WARN : ROLE_TEXT, "syncing", "%s", p->facts.syncing ? "yes" : "no");
	if (p->facts.pending != UNKNOWN)
		put(page, ROLE_TEXT, "pool", "%s pending", number_int(n, sizeof(n), p->facts.pending));
	announced_lines(page, m, p);
}

/* As in view 5, of the same window. */
static void compared_lines(struct page *page, const struct model *m, const struct pane_env *env, unsigned path)
{
	static const char *const headings[RACE_WINDOWS] = {
		"Compared, last 10 m", "Compared, last 1 h", "Compared, since the start",
	};
	struct compare c;
	struct compare_cell cell;
	char text[200];

	compare_make(&c, m, env->rank, env->window);
	heading(page, headings[env->window]);
	for (unsigned row = 0; row < CMP_N; row++) {
		compare_cell(&c, (enum compare_row)row, path, &cell);
		put(page, parts_tone(cell.tone), compare_label((enum compare_row)row), "%s", cell.text);
	}
	compare_day(&c, path, text, sizeof(text));
	if (text[0])
		put(page, ROLE_TEXT, "a day at that rate", "%s", text);
	compare_why(&c, path, text, sizeof(text));
	if (text[0])
		put(page, ROLE_WARN, "not ranked", "%s", text);
}

static void traffic_lines(struct page *page, const struct path *p)
{
	char a[NUMBER_MAX], b[NUMBER_MAX], c[NUMBER_MAX];

	heading(page, "Traffic");
	put(page, ROLE_TEXT, "bytes", "%s in, %s out", number_bytes(a, sizeof(a), p->bytes_in),
	    number_bytes(b, sizeof(b), p->bytes_out));
	put(page, ROLE_TEXT, "messages", "%s calls, %s notifications, %s odd", number_int(a, sizeof(a), p->calls),
	    number_int(b, sizeof(b), p->notes), number_int(c, sizeof(c), p->odd));
	put(page, ROLE_TEXT, "heads", "%s heard, %s raced, %s won, %" PRIu64 " ties", number_int(a, sizeof(a), p->heads),
	    number_int(b, sizeof(b), p->raced), number_int(c, sizeof(c), p->won), p->ties);
	put(page, ROLE_TEXT, "bodies", "%s, head to body p90 %s", number_int(a, sizeof(a), p->bodies),
	    time_latency(b, sizeof(b), p->body_lag_p90));
	if (p->lost)
		put(page, ROLE_WARN, "events lost", "%s", number_int(a, sizeof(a), p->lost));
}

static void peer_lines(struct page *page, const struct model *m, unsigned path)
{
	const struct path *p = m->paths[path];
	const struct peer_view *v = &p->peer;
	char text[200], a[NUMBER_MAX], b[NUMBER_MAX], x[NUMBER_MAX], y[NUMBER_MAX];
	enum role role;

	if (!path_is_p2p(p))
		return;
	heading(page, "Peer");
	if (v->known) {
		put(page, ROLE_TEXT, "offers", "%s; p2p/%u", v->caps, v->p2p);
		put(page, ROLE_TEXT, "speaks", "eth/%u%s", v->eth, v->bor ? ", Bor's Status" : "");
		put(page, ROLE_TEXT, "network", "%s", peer_network(text, sizeof(text), m, p));
		put(page, ROLE_TEXT, "genesis", "%s", parts_hex(text, &v->genesis));
		role = peer_fork(text, sizeof(text), m, p);
		put(page, role, "fork", "%s", text);
	}
	if (peer_beside_rpc(text, sizeof(text), &role, m, path))
		put(page, role, "beside RPC", "%s", text);
	put(page, ROLE_TEXT, "round trip", "ping %s, TCP %s", time_latency(a, sizeof(a), peer_ping_ns(p)),
	    time_latency(b, sizeof(b), v->tcp_ns));
	for (unsigned k = 0; k < PK_N && v->counted; k++)
		if (v->kind[k].in || v->kind[k].out)
			put(page, ROLE_TEXT, peer_kind_name((enum peer_kind)k), "%s in, %s; %s out, %s",
			    number_int(a, sizeof(a), v->kind[k].in), number_bytes(x, sizeof(x), v->kind[k].in_bytes),
			    number_int(b, sizeof(b), v->kind[k].out), number_bytes(y, sizeof(y), v->kind[k].out_bytes));
	put(page, ROLE_TEXT, "frames", "%s per read, %s per write", peer_per_call(a, sizeof(a), v->frames_in, v->reads),
	    peer_per_call(b, sizeof(b), v->frames_out, v->writes));
	put(page, peer_left_sum(p) ? ROLE_WARN : ROLE_TEXT, "disconnected", "%s", peer_left(text, sizeof(text), p));
}

static void method_lines(struct page *page, const struct path *p)
{
	char a[NUMBER_MAX], b[NUMBER_MAX], x[40], y[40];

	heading(page, "Methods");
	for (unsigned k = 0; k < M_N; k++) {
		if (p->method[k].n == 0)
			continue;
		if (p->method[k].unsupported != ST_OK)
			put(page, ROLE_DIM, method_name((enum method)k), "not offered here");
		else
			put(page, p->method[k].failed ? ROLE_WARN : ROLE_TEXT, method_name((enum method)k),
			    "p50 %s, p99 %s, %s call%s, %s failed", time_latency(x, sizeof(x), p->method[k].p50),
			    time_latency(y, sizeof(y), p->method[k].p99), number_int(a, sizeof(a), p->method[k].n),
			    p->method[k].n == 1 ? "" : "s", number_int(b, sizeof(b), p->method[k].failed));
	}
}

/* ": 503 × 3, 502 × 1": which HTTP status, which code of JSON-RPC. */
static void details_text(const struct path *p, enum status kind, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < sizeof(p->errors.detail) / sizeof(p->errors.detail[0]) && at < size; i++) {
		const struct err_detail *d = &p->errors.detail[i];

		if (d->n && d->code == kind)
			at += (size_t)snprintf(out + at, size - at, "%s%" PRId32 " \xc3\x97 %" PRIu32, at ? ", " : ": ",
					       d->detail, d->n);
	}
}

static void error_lines(struct page *page, const struct model *m, const struct path *p)
{
	char n[NUMBER_MAX], age[40], detail[160];
	bool any = false;

	heading(page, "Errors");
	for (unsigned k = ST_OK + 1; k < ST_N; k++) {
		if (!p->errors.by_code[k])
			continue;
		any = true;
		details_text(p, (enum status)k, detail, sizeof(detail));
		put(page, ROLE_WARN, status_word((enum status)k), "%s%s", number_int(n, sizeof(n), p->errors.by_code[k]), detail);
	}
	if (any && p->errors.last_mono != UNKNOWN)
		put(page, ROLE_TEXT, "last", "%s ago: %s", time_age(age, sizeof(age), since(m, p->errors.last_mono)),
		    p->errors.last);
	if (!any)
		put(page, ROLE_DIM, "", "none so far");
}

static void make(struct page *page, const struct model *m, const struct pane_env *env, unsigned path)
{
	const struct path *p;

	page->n = 0;
	if (path >= m->n_paths)
		return;
	p = m->paths[path];
	link_lines(page, m, p);
	compared_lines(page, m, env, path);
	traffic_lines(page, p);
	peer_lines(page, m, path);
	method_lines(page, p);
	error_lines(page, m, p);
}

static void line(const void *ctx, unsigned i, struct doc_line *out)
{
	*out = ((const struct page *)ctx)->line[i];
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	struct page page;
	struct doc_source src = { .ctx = &page, .line = line };
	char title[120], foot[80];
	struct canvas in;

	make(&page, m, pane->env, pane->to.path);
	src.n = page.n;
	s->doc.page = c->at.h > 2 ? (unsigned)c->at.h - 2 : 0;
	if (page.n)
		snprintf(title, sizeof(title), "Path %s %s", m->paths[pane->to.path]->node, m->paths[pane->to.path]->via);
	else
		snprintf(title, sizeof(title), "Path");
	doc_note(&s->doc, src.n, foot, sizeof(foot));
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, title,
				      c->at.w > 70 ? "Alt-\xe2\x86\x90 \xe2\x86\x92 next  y copy  Esc back" : "Esc back", foot));
	doc_draw(&s->doc, &src, LABEL, &in, focus);
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	struct page page;
	unsigned n = m->n_paths, path = pane->to.path;

	if (path >= n)
		return PANE_IGNORED;
	switch (cmd) {
	case UI_PREV_ITEM:
		return parts_open_path(pane, (path + n - 1) % n);
	case UI_NEXT_ITEM:
		return parts_open_path(pane, (path + 1) % n);
	case UI_COPY:
		make(&page, m, pane->env, path);
		return s->doc.at < page.n && page.line[s->doc.at].text[0] > ' ' ?
			       parts_copy(pane, page.line[s->doc.at].text) : PANE_IGNORED;
	case UI_WINDOW:
	case UI_ORDER:
		return parts_setting(pane, cmd);
	default:
		make(&page, m, pane->env, path);
		return doc_command(&s->doc, page.n, cmd);
	}
}

static enum pane_result click(struct pane *pane, const struct model *m, int x, int y)
{
	struct state *s = pane->state;
	struct page page;

	(void)x;
	make(&page, m, pane->env, pane->to.path);
	return doc_click(&s->doc, page.n, y - 1);
}

extern const struct pane_class pane_path;
const struct pane_class pane_path = {
	.name = "path",
	.title = "Path",
	.help = "everything about one endpoint over one transport",
	.wants = DIRTY_PATHS | DIRTY_CLOCK | DIRTY_NODE | DIRTY_HEAD,
	.min_w = 20,
	.min_h = 4,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
	.click = click,
};
